// options: -Wundef
// What stands beyond ASCII: blanks with a warning, what fits nowhere with one error, marks and wide characters under their carets
// not clang: where it only preprocesses, it hands them on
int a =　1; 
int b​c, d; e;
﻿int́ αβ; éè （ 中文 +;
#define x y
#if 1　> 0
x ‮ 1
#endif
" ​　"
// expect:
// int a = 1;
// int b​c, d; e;
//    int́ αβ; éè 中文 +;
// y 1
// " ​　"
// log:
//  test.cl:4:6: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  int a =　1;<U+2028>
//       ^
//  test.cl:4:9: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  int a =　1;<U+2028>
//         ^~
//  test.cl:4:14: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  int a =　1;<U+2028>
//             ^~~~~~~~
//  test.cl:5:6: error: character <U+200B> not allowed in an identifier
//  int b<U+200B>c, d; e;
//       ^~~~~~~~
//  test.cl:5:13: error: character <U+037E> not allowed in an identifier
//  int b<U+200B>c, d; e;
//                   ^
//  test.cl:6:1: error: unexpected character <U+FEFF>
//  <U+FEFF>int́ αβ; éè （ 中文 +;
//  ^~~~~~~~
//  test.cl:6:21: error: unexpected character <U+FF08>
//  <U+FEFF>int́ αβ; éè （ 中文 +;
//                     ^~
//  test.cl:7:10: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  #define x y
//           ^
//  test.cl:8:4: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  #if 1　> 0
//     ^
//  test.cl:8:7: warning: treating Unicode character as whitespace [-Wunicode-whitespace]
//  #if 1　> 0
//       ^~
//  test.cl:9:3: error: unexpected character <U+202E>
//  x <U+202E> 1
//    ^~~~~~~~
//  6 warnings and 5 errors generated.
