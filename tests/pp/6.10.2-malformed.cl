#include
#include x
#include "
#include ""
#include <a
#define EMPTY
#include EMPTY
// log:
//  test.cl:1:9: error: expected "FILENAME" or <FILENAME>
//  #include
//          ^
//  test.cl:2:10: error: expected "FILENAME" or <FILENAME>
//  #include x
//           ^
//  test.cl:3:10: warning: missing terminating '"' character [-Winvalid-pp-token]
//  #include "
//           ^
//  test.cl:3:10: error: expected "FILENAME" or <FILENAME>
//  #include "
//           ^
//  test.cl:4:10: error: empty filename
//  #include ""
//           ^
//  test.cl:5:12: error: expected '>'
//  #include <a
//             ^
//  test.cl:5:10: note: to match this '<'
//  #include <a
//           ^
//  test.cl:7:15: error: expected "FILENAME" or <FILENAME>
//  #include EMPTY
//                ^
//  1 warning and 6 errors generated.
