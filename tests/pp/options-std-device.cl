// options: -cl-std=CL3.1
// invalid options
