// expect: ContractionOff
#pragma OPENCL FP_CONTRACT OFF
kernel void off(global float *a) { a[0] = a[1] * a[2] + a[3]; }
