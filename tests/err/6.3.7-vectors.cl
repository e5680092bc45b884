// case: components
kernel void k(float4 v, float2 w, float3 t, float16 s) {
    w = v.xy; w = v.rg; w = v.s01; w = v.S1f; // error: vector component access exceeds type 'float4' // warning: vector component name 'r' is a feature
    w = v.xg;                           // error: illegal vector component name 'g'
    w = v.xq;                           // error: illegal vector component name 'q'
    v.xx = w;                           // error: vector is not assignable (contains duplicate components)
    v.xyzw = v.wzyx; v.hi = v.lo; v.even = w; v.odd.x = 1; t.hi = w; s.sAbCd = v;
    float f = w.z;                      // error: vector component access exceeds type 'float2'
    v = v.xyzwx;                        // error: has invalid length 5
    f = f.x;                            // error: member reference base type 'float' is not a structure or union
    float *p = &v.x;                    // error: address of vector element requested
    v.lo.y = v.hi.lo; v[2] = v[f > 1];
}
// case: literals
kernel void k(float4 v, float2 w, int2 i) {
    v = (float4)(1, 2.0f, w); v = (float4)(1); v = (float4)(w, w); v = (float4)(v);
    v = (float4)(1, 2, 3);              // error: too few elements in vector initialization
    v = (float4)(1, 2, 3, 4, 5);        // error: excess elements in vector initialization
    v = (float4)(i, w);                 // error: incompatible type 'int2'
    v = (float4)(w);                    // error: invalid conversion between ext-vector type 'float4' (vector of 4 'float' values) and 'float2' (vector of 2 'float' values)
    v = (float4)i;                      // error: invalid conversion between ext-vector type 'float4' (vector of 4 'float' values) and 'int2' (vector of 2 'int' values)
    float4 a = {1, 2, 3, 4}, b = {w, w}, d = {v};
    float4 c = {1};                     // error: too few elements in vector initialization
    float4 list[3] = {1, v, {w, w}};
}
// case: arithmetic
kernel void k(float4 v, int4 i, char4 c, float2 w, uint4 u, long l, double d) {
    v = v * 2; v = 2.0f + v; i = i << 1; i = i >> u; c = c << 1; i = ~i; i = -i; v = -v;
    v = v + w;                          // error: vector operands do not have the same number of elements
    v = v + i;                          // error: cannot convert between vector values of different type
    v = v * d;                          // error: scalar operand type has greater rank than the type of the vector element
    i = i + l;                          // error: scalar operand type has greater rank
    c = c + 1;                          // error: scalar operand type has greater rank
    i = i + 1.0f;                       // error: invalid operands to binary expression
    v = v % v;                          // error: invalid operands to binary expression
    v = ~v;                             // error: invalid argument type 'float4' (vector of 4 'float' values) to unary expression
    i = 1 << i;                         // error: requested shift is a vector of type 'int4' (vector of 4 'int' values) but the first operand is not a vector ('int')
    v++;                                // error: cannot increment value of type 'float4'
    i++; --i; l += i;                   // error: invalid operands to binary expression
    i += 1; v *= 2.0f; v /= v; i %= 3; i &= i; v &= v; // error: invalid operands to binary expression
}
// case: compare
kernel void k(float4 v, int4 i, char4 c, double2 d, long2 l, float2 w, uint4 u) {
    i = v < v; i = v == 1.0f; l = d != d; c = c >= c; i = v && v; i = !v; i = i || 0; i = u > u; // warning: self-comparison always evaluates to a constant // warning: self-comparison always evaluates to a constant
    w = w < w;                          // error: assigning to 'float2' (vector of 2 'float' values) from incompatible type 'int2' (vector of 2 'int' values)
    if (v < v) {}                       // error: statement requires expression of scalar type ('int4' (vector of 4 'int' values) invalid)
    while (i) {}                        // error: statement requires expression of scalar type
}
// case: ternary
kernel void k(float4 v, int4 i, char4 c, int s, uint4 u) {
    v = i ? v : v; v = u ? v : 1.0f; v = s ? v : 1.0f; i = i ? 1 : 2;
    v = v ? v : v;                      // error: used type 'float4' (vector of 4 'float' values) where integer is required
    v = c ? v : v;                      // error: do not have elements of the same size
    v = i ? v : i;                      // error: cannot convert between vector values
    s = s ? 1 : v;                      // error: from incompatible type 'float4'
}
// case: conversions
kernel void k(float4 v, int4 i, float f, int s) {
    bool b = s;
    v = 1; v = f; i = b; v = b; v = 1.5;
    v = i;                              // error: assigning to 'float4' (vector of 4 'float' values) from incompatible type 'int4' (vector of 4 'int' values)
    s = i;                              // error: assigning to 'int' from incompatible type 'int4'
    f = (float)v;                       // error: invalid conversion between vector type 'float4' (vector of 4 'float' values) and 'float'
    float4 w = i;                       // error: initializing 'float4' (vector of 4 'float' values) with an expression of incompatible type 'int4' (vector of 4 'int' values)
    i = as_int4(v); i = convert_int4_sat(v);
}
// case: names-of-vectors
typedef float4 quad;
kernel void k(global quad *p, quad v) {
    int i = v;                          // error: initializing 'int' with an expression of incompatible type 'quad' (vector of 4 'float' values)
    struct s { int a; } s = p[i];       // error: initializing 'struct s' with an expression of incompatible type 'quad' (vector of 4 'float' values)
    s = v.xy;                           // error: incompatible type 'float2'
    int *q = p;                         // error: '__global quad *' (aka '__global float4 *')
}
