// not clang: it refuses the linemarker's flags
// C99, 6.10.4: #line
__LINE__ __FILE__
#line 100
__LINE__ __FILE__
#line 200 "other.cl"
__LINE__ __FILE__
#define LINE 300 "third.cl"
#line LINE
__LINE__ __FILE__ __BASE_FILE__
# 400 "marker.cl" 1 2
__LINE__ __FILE__
#error here
#line 0x10
#line
#line 10 20
#line 99999999999
#line "name"
#define CALL(x) x __LINE__
CALL(
  __LINE__
)
// expect:
// 3 "test.cl"
// 100 "test.cl"
// 200 "other.cl"
// 300 "third.cl" "test.cl"
// 400 "marker.cl"
// 409 410
// log:
//  marker.cl:401:2: error: here
//  #error here
//   ^
//  marker.cl:402:8: error: #line directive requires a simple digit sequence
//  #line 0x10
//         ^
//  marker.cl:403:6: error: #line directive requires a positive integer argument
//  #line
//       ^
//  marker.cl:404:10: error: invalid filename for #line directive
//  #line 10 20
//           ^
//  marker.cl:405:7: error: line number is too large
//  #line 99999999999
//        ^
//  marker.cl:406:7: error: #line directive requires a positive integer argument
//  #line "name"
//        ^
//  6 errors generated.
