// options: -g -cl-fast-relaxed-math
// expect: OpLine
// expect: OpSource OpenCL_C 102000
// expect: OpName %
// expect: FPFastMathMode
kernel void lines(global float *a)
{
    float local_name = a[1];
    a[0] =
        local_name * 2.0f;
}
