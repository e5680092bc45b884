// options: -DX="unterminated
// invalid options
