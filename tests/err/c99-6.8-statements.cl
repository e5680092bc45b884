// case: jumps
kernel void k(int n) {
    break;                              // error: 'break' statement not in loop or switch statement
    continue;                           // error: 'continue' statement not in loop statement
    goto nowhere;                       // error: use of undeclared label 'nowhere'
    case 1: ;                           // error: 'case' statement not in switch statement
    default: ;                          // error: 'default' statement not in switch statement
    again: n++; if (n < 3) goto again;
    again: ;                            // error: redefinition of label 'again'
    switch (n) { continue; }            // error: 'continue' statement not in loop statement
}
// case: switch
kernel void k(int n, float x, uchar c) {
    switch (n) { case 1: case 2: break; case 1: break; } // error: duplicate case value '1'
    switch (x) { default: ; }           // error: statement requires expression of integer type ('float' invalid)
    switch (n) { default: ; default: ; } // error: multiple default labels in one switch
    switch (n) { case n: ; }            // error: case label is not an integer constant expression
    switch (n) { case 1 ... 5: break; case 3: break; } // error: duplicate case value '3'
    switch (c) { case 'a': { n = 1; } break; case 1 + 1: ; }
    switch (n) case 3: n = 4;
    switch (n) { while (n) { case 7: n--; } }
}
// case: returns
int f(int x) { if (x) return 1; }       // warning: non-void function does not return a value in all control paths
void g(void) { return 1; }              // error: void function 'g' should not return a value
int h(void) { return; }                 // error: non-void function 'h' should return a value
int i(void) { for (;;) ; }
int j(int x) { if (x) return 1; else return 2; }
void l(void) { return g(); }
float4 m(int4 x) { return x; }          // error: returning 'int4' (vector of 4 'int' values) from a function with incompatible result type 'float4' (vector of 4 'float' values)
// case: loops
kernel void k(int n) {
    for (int i = 0; i < n; i++) ;
    for (; n; ) n--;
    do n++; while (n < 10);
    do n++; (n);                        // error: expected 'while' in do/while loop
    __attribute__((opencl_unroll_hint(2))) for (;;) break;
    __attribute__((opencl_unroll_hint)) n = 1; // error: 'opencl_unroll_hint' attribute only applies to
    if (n = 1) ;                        // warning: using the result of an assignment as a condition without parentheses // warning: if statement has empty body
}
// case: brackets-open
kernel void k(global int *p) {
    p[0] = (p[1] + 2;                   // error: expected ')' // note: to match this '('
    if (p[0] {                          // error: expected ')' // note: to match this '('
        p[1] = 1;
    }
    while (p[1] ;                       // error: expected ')' // note: to match this '('
    switch (p[2] { default: ; }         // error: expected ')' // note: to match this '('
}
// case: index-open
kernel void k(global int *p, int n) {
    p[n = 1;                            // error: expected ']' // note: to match this '['
}
// case: case-again
kernel void k(int n) {
    switch (n) {
    case 1: break;                      // note: previous case defined here
    case
        1:                              // error: duplicate case value '1'
        break;
    }
}
