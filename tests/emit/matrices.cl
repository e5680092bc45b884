// Cooperative matrices become SPV_KHR_cooperative_matrix. A number for all elements is a composite of one; integers' signs are the product's.
// expect: OpCapability CooperativeMatrixKHR
// expect: OpExtension "SPV_KHR_cooperative_matrix"
// expect: OpTypeCooperativeMatrixKHR
// expect: OpCooperativeMatrixLoadKHR
// expect: MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR|SaturatingAccumulationKHR
// expect: OpCooperativeMatrixStoreKHR
// expect: OpCooperativeMatrixLengthKHR
// expect: OpSNegate
// expect: OpConvertSToF
// expect: Volatile|Aligned 16
// forbid: OpMatrixTimesScalar

#define MATRIX(type, use) type __attribute__((coop_mat(3, 16, 16, CLK_COOPERATIVE_MATRIX_##use)))
kernel void k(global char *a, global volatile uchar16 *b, global int *c, global float *f, global uint *n)
{
    MATRIX(char, A) x = coop_mat_load(a, 0, 16);
    MATRIX(uchar, B) y = coop_mat_load(b, 1, 1);
    MATRIX(int, ACCUMULATOR) z = coop_mat_init(1);
    z = coop_mat_mulAdd(x, y, -z * 3, CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION);
    z[1] = z[0];
    coop_mat_store(c, z, 0, 16);
    coop_mat_store(f, (MATRIX(float, ACCUMULATOR))z, 0, 16);
    *n = coop_mat_length(z);
}
