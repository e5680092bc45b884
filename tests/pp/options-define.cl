// options: -DX -D Y=2 -DZ='a b' "-DF(x)=x+1" -DQ=\"q\" -D EMPTY= -DGONE -UGONE -DX=3 -DGARBAGE=1/0
X Y Z F(4) Q [EMPTY] GONE
#if GARBAGE
#endif
// expect:
// 3 2 a b 4+1 "q" [] GONE
// log:
//  <command line>:9:9: warning: 'X' macro redefined [-Wmacro-redefined]
//  #define X 3
//          ^
//  <command line>:1:9: note: previous definition is here
//  #define X 1
//          ^
//  test.cl:3:5: error: division by zero in preprocessor expression
//  #if GARBAGE
//      ^
//  <command line>:10:18: note: expanded from macro 'GARBAGE'
//  #define GARBAGE 1/0
//                   ^
//  1 warning and 1 error generated.
