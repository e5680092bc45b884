// options: -cl-no-such-option
// invalid options
