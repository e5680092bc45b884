// options: -DDEVICE_A,_B_ -DC.D=3 -DE -UE+1
DEVICE_A C E
// expect:
// ,_B_ 1 .D 3 E
// log:
//  <command line>:1:17: warning: whitespace required after macro name
//  #define DEVICE_A,_B_ 1
//                  ^
//  <command line>:2:10: warning: whitespace required after macro name
//  #define C.D 3
//           ^
//  <command line>:4:9: warning: extra tokens at end of #undef directive [-Wextra-tokens]
//  #undef E+1
//          ^
//  3 warnings generated.
