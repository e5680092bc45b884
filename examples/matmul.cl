/* C = A * B, row major, by TILE x TILE tiles in local memory. Sizes need not be multiples of TILE. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(int rows, int columns, int inner, __global const float *restrict a,
                                                                          __global const float *restrict b, __global float *restrict c)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < inner; start += TILE) {
        tile_a[y][x] = row < rows && start + x < inner ? a[row * inner + start + x] : 0.0f;
        tile_b[y][x] = start + y < inner && column < columns ? b[(start + y) * columns + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}
