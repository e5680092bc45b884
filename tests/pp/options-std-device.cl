// options: -cl-std=CL3.2
// invalid options
