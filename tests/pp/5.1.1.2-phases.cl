// C99, 5.1.1.2: splices, comments and trigraphs go before tokens are made
int sp\
li\
ced = 1\
2;
/\
* a comment *\
/ after_block
/\
/ a line comment \
that goes on
"str\
ing" 'a\
b'
#def\
ine JOINED yes
JOINED
??=define TRI(x) ??( x ??)
TRI(1) ??< ??> "a??/n"
a/* */b/**/c // end
-\
- +\
= .\
.. <\
<= %:\
%:
// expect:
// int spliced = 12;
//   after_block
// "string" 'ab'
// yes
// [ 1 ] { } "a\n"
// a b c
// -- += ... <<= %:%:
// log:
//  test.cl:18:1: warning: trigraph converted to '#' character [-Wtrigraphs]
//  ??=define TRI(x) ??( x ??)
//  ^
//  test.cl:18:18: warning: trigraph converted to '[' character [-Wtrigraphs]
//  ??=define TRI(x) ??( x ??)
//                   ^
//  test.cl:18:24: warning: trigraph converted to ']' character [-Wtrigraphs]
//  ??=define TRI(x) ??( x ??)
//                         ^
//  test.cl:19:8: warning: trigraph converted to '{' character [-Wtrigraphs]
//  TRI(1) ??< ??> "a??/n"
//         ^
//  test.cl:19:12: warning: trigraph converted to '}' character [-Wtrigraphs]
//  TRI(1) ??< ??> "a??/n"
//             ^
//  test.cl:19:18: warning: trigraph converted to '\' character [-Wtrigraphs]
//  TRI(1) ??< ??> "a??/n"
//                   ^
//  6 warnings generated.
