// C99, 6.10.3.2: the # operator
#define S(x) #x
#define XS(x) S(x)
#define V(...) #__VA_ARGS__
S( a  b ) S("\n" '"' '\\') S() S(a/**/b) S(@ \n) S(a
b) S(\) S("a\"b")
XS(__LINE__) XS(S(a)) V(a,b ,  c) V() V( , ) S(S) S(a ## b) S(#)
S(L"wide") S('"') S(a"b"c) S(- -) S(--)
// expect:
// "a b" "\"\\n\" '\"' '\\\\'" "" "a b" "@ \n" "a b" "" "\"a\\\"b\""
// "7" "\"a\"" "a,b , c" "" "," "S" "a ## b" "#"
// "L\"wide\"" "'\"'" "a\"b\"c" "- -" "--"
// log:
//  test.cl:6:6: warning: invalid string literal, ignoring final '\'
//  b) S(\) S("a\"b")
//       ^
//  1 warning generated.
