// unterminated literals and stray characters are no error until parsed
it's "fine here
@ ` \ #
'' 'a
/* never ends
// expect:
// it's "fine here
// @ ` \ #
// '' 'a
// log:
//  test.cl:2:3: warning: missing terminating ' character [-Winvalid-pp-token]
//  it's "fine here
//    ^
//  test.cl:4:1: warning: empty character constant [-Winvalid-pp-token]
//  '' 'a
//  ^
//  test.cl:4:4: warning: missing terminating ' character [-Winvalid-pp-token]
//  '' 'a
//     ^
//  test.cl:5:1: error: unterminated /* comment
//  /* never ends
//  ^
//  3 warnings and 1 error generated.
