/* What devices have to emulate, a kernel each beside the same work on words: for
 * `pumice cost -cl-std=CL3.0`. docs/weak-devices.md has the figures. */
kernel void words(global int *a, global const int *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void longs(global long *a, global const long *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void long_division(global long *a, global const long *b) { size_t i = get_global_id(0); a[i] /= b[i]; }
kernel void shorts(global short *a, global const short *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void bytes(global char *a, global const char *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void byte_vectors(global char4 *a, global const char4 *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + (char4)3; }
kernel void floats(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void float_division(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] /= b[i]; }
kernel void sines(global float *a) { size_t i = get_global_id(0); a[i] = sin(a[i]); }
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *a, global const half *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
#endif
#ifdef cl_khr_fp64
kernel void doubles(global double *a, global const double *b) { size_t i = get_global_id(0); a[i] = a[i] * b[i] + 3; }
kernel void double_sines(global double *a) { size_t i = get_global_id(0); a[i] = sin(a[i]); }
#endif
#ifdef __opencl_c_ext_fp32_global_atomic_add
kernel void float_atomics(global float *sum, global const float *b) { atomic_fetch_add((global atomic_float *)sum, b[get_global_id(0)]); }
#endif
#ifdef __opencl_c_subgroups
kernel void sub_group_sums(global int *a) { size_t i = get_global_id(0); a[i] = sub_group_reduce_add(a[i]); }
#endif
