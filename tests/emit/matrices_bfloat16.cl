// Matrices of bfloat16 have a float of another encoding in SPIR-V, and a constant code is a constant of it.
// expect: OpCapability BFloat16CooperativeMatrixKHR
// expect: OpExtension "SPV_KHR_bfloat16"
// expect: OpTypeFloat 16 0
// expect: 0x1.e00p+0
// expect: OpFConvert
// forbid: MatrixASignedComponentsKHR

#define MATRIX(attribute, use) __attribute__((attribute(3, 16, 16, CLK_COOPERATIVE_MATRIX_##use)))
kernel void k(global ushort *a, global float *c)
{
    ushort MATRIX(pumice_coop_mat_bfloat16, A) x = coop_mat_load(a, 0, 16);
    ushort MATRIX(pumice_coop_mat_bfloat16, B) ones = coop_mat_init(0x3f80);
    float MATRIX(coop_mat, ACCUMULATOR) z = coop_mat_init(0);
    coop_mat_store(c, coop_mat_mulAdd(x, ones, z), 0, 16);
    coop_mat_store(c, (float MATRIX(coop_mat, A))x, 0, 16);
}
