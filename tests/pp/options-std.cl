// options: -cl-std=CL4.0
// invalid options
