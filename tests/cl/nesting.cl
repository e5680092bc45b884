// Control flow that is deeper than drivers take it (compiler/lower/quirks/nesting.c). C99 5.2.4.1 asks for 127 levels of
// blocks; code that comes one after the other has no limit.

// What is written 150 times: lavapipe takes 80 levels of conditions, and each of these is one.
#define TEN(x, n)    x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define FIFTY(x, n)  TEN(x, n##0) TEN(x, n##1) TEN(x, n##2) TEN(x, n##3) TEN(x, n##4)
#define MANY(x)      FIFTY(x, 1) FIFTY(x, 2) FIFTY(x, 3)

//! test: many_early_returns
//! buffer in int[6] = 100 149 200 230 349 350
//! buffer out int[6] = 0
//! global: 6
//! expect out = 207 305 407 467 705 1
kernel void many_early_returns(global const int *in, global int *out)
{
    int i = get_global_id(0), s = in[i];
#define RETURN(n)           \
    if (s == n) {           \
        out[i] = n * 2 + 7; \
        return;             \
    }
    MANY(RETURN)
    out[i] = 1;
}

//! test: many_else_ifs
//! buffer in int[6] = 100 149 200 230 349 350
//! buffer out int[6] = 0
//! global: 6
//! expect out = 207 305 407 467 705 1
kernel void many_else_ifs(global const int *in, global int *out)
{
    int i = get_global_id(0), s = in[i];
#define ELSE_IF(n)          \
    if (s == n)             \
        out[i] = n * 2 + 7; \
    else
    MANY(ELSE_IF)
        out[i] = 1;
}

//! test: many_continues
//! buffer in int[6] = 100 149 200 230 349 350
//! buffer out int[6] = 0
//! global: 6
//! expect out = 614 810 1014 1134 706 2
kernel void many_continues(global const int *in, global int *out)
{
    int i = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        int s = in[i] + k * 100;
#define CONTINUE(n)          \
    if (s == n) {            \
        out[i] += n * 2 + 7; \
        continue;            \
    }
        MANY(CONTINUE)
        out[i] += 1;
    }
}

//! test: many_returns_of_functions
//! buffer in int[4] = 100 149 612 250
//! buffer out int[8] = 0
//! global: 4
//! expect out = 100 149 100 -1 1 1 1 0
static int early(int s, global int *seen)
{
#define EARLY(n)             \
    if ((s & 511) == n) {    \
        *seen += 1;          \
        return n;            \
    }
    FIFTY(EARLY, 1)
    return -1;
}

kernel void many_returns_of_functions(global const int *in, global int *out)
{
    int i = get_global_id(0), s = in[i];
#define NEST(n) if (s != n)
    FIFTY(NEST, 3)
        out[i] = early(s, out + 4 + i);
}

//! test: loops_in_loops
//! buffer out uint[2] = 0
//! global: 2
//! expect out = 1 4
kernel void loops_in_loops(global uint *out)
{
    uint i = get_global_id(0), sum = 0, twice = i + 1;
#define LOOP(n) for (uint k##n = n == 117 || n == 144 ? 0 : i; k##n < twice; k##n++)
    FIFTY(LOOP, 1)
        sum++;
    out[i] = sum;
}

// So many are as they were written: loops do not count with conditions.
//! test: seventy_loops
//! buffer in uint[4] = 0 1 2 3
//! buffer out uint[4] = 0
//! global: 4
//! expect out = 0 1 16 81
kernel void seventy_loops(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), s = in[i], sum = 0;
#define FEW(n) for (uint k##n = n % 20 ? 100 : 100 - s + (s >> 8); k##n < 100 + (n % 20 && s < 200); k##n++)
    FIFTY(FEW, 1) TEN(FEW, 20) TEN(FEW, 21)
        sum++;
    out[i] = sum;
}

//! test: hundred_loops
//! buffer in uint[4] = 0 1 2 3
//! buffer out uint[4] = 0
//! global: 4
//! expect out = 0 1 64 729
kernel void hundred_loops(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), s = in[i], sum = 0;
#define FEW(n) for (uint k##n = n % 20 ? 100 : 100 - s + (s >> 8); k##n < 100 + (n % 20 && s < 200); k##n++)
    FIFTY(FEW, 1) FIFTY(FEW, 2)
        sum++;
    out[i] = sum;
}

// What loops call is no reason to leave them as they are, unless work-items meet there.
//! test: hundred_loops_with_calls
//! buffer in uint[4] = 0 1 2 3
//! buffer out uint[4] = 0
//! global: 4
//! expect out = 0 1 64 729
__attribute__((noinline)) uint one_more(uint n)
{
    return n + 1;
}

kernel void hundred_loops_with_calls(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), s = in[i], sum = 0;
#define FEW(n) for (uint k##n = n % 20 ? 100 : 100 - s + (s >> 8); k##n < 100 + (n % 20 && s < 200); k##n++)
    FIFTY(FEW, 1) FIFTY(FEW, 2)
        sum = one_more(sum);
    out[i] = sum;
}
