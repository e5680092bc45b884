// C = A * B by cooperative matrices (cl_khr_cooperative_matrix). The host says by macros: T and SUM, the types; OF_T, the attribute
// that makes matrices of T; M, N, K, a size that the device multiplies; ITEMS, of a work-group, which has 2 x 2 sub-groups that share
// out a tile of TILE x TILE of C. Sizes are multiples of TILE.

#ifdef ASK

// Only to be asked how large sub-groups are.
kernel void gemm(global const uchar *a, global const uchar *b, global uchar *c, int n)
{
}

#else

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable

#define MATRIX(type, attribute, rows, columns, use)                                                                    \
    type __attribute__((attribute(memory_scope_sub_group, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROW_MAJOR CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR

typedef MATRIX(T, OF_T, M, K, A) a_t;
typedef MATRIX(T, OF_T, K, N, B) b_t;
typedef MATRIX(SUM, coop_mat, M, N, ACCUMULATOR) c_t;

enum { IN_CHUNK = 16 / sizeof(T), DEPTH = 4 * IN_CHUNK };                  // of A's columns and B's rows at a time
enum { SUB_TILE = TILE / 2, ROWS = SUB_TILE / M, COLUMNS = SUB_TILE / N }; // matrices of C that a sub-group sums up
enum { A_STRIDE = DEPTH + IN_CHUNK, B_STRIDE = TILE + IN_CHUNK };          // rows begin in different banks
enum { CHUNKS = TILE * DEPTH / IN_CHUNK / ITEMS };                         // of 16 bytes, that a work-item copies

// A work-item's chunks of a block with `columns` columns.
static void fetch(uint4 *chunks, global const T *block, int stride, int columns)
{
    for (int i = 0; i < CHUNKS; i++) {
        int place = (i * ITEMS + (int)get_local_id(0)) * IN_CHUNK;
        chunks[i] = *(global const uint4 *)(block + place / columns * stride + place % columns);
    }
}

static void put(local T *tile, int stride, const uint4 *chunks, int columns)
{
    for (int i = 0; i < CHUNKS; i++) {
        int place = (i * ITEMS + (int)get_local_id(0)) * IN_CHUNK;
        *(local uint4 *)(tile + place / columns * stride + place % columns) = chunks[i];
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void gemm(global const T *a, global const T *b, global SUM *c, int n)
{
    local T a_tiles[2][TILE * A_STRIDE] __attribute__((aligned(16))), b_tiles[2][DEPTH * B_STRIDE] __attribute__((aligned(16)));
    int row = get_sub_group_id() / 2 * SUB_TILE, column = get_sub_group_id() % 2 * SUB_TILE;
    uint4 a_next[CHUNKS], b_next[CHUNKS];
    c_t sums[ROWS][COLUMNS];

    a += get_group_id(1) * TILE * n;
    b += get_group_id(0) * TILE;
    c += (get_group_id(1) * TILE + row) * n + get_group_id(0) * TILE + column;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sums[i][j] = coop_mat_init((SUM)0);

    fetch(a_next, a, n, DEPTH);
    fetch(b_next, b, n, TILE);
    put(a_tiles[0], A_STRIDE, a_next, DEPTH);
    put(b_tiles[0], B_STRIDE, b_next, TILE);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0, now = 0; k < n; k += DEPTH, now ^= 1) {
        bool more = k + DEPTH < n;
        if (more) { // on its way from global memory while these are multiplied
            fetch(a_next, a + k + DEPTH, n, DEPTH);
            fetch(b_next, b + (k + DEPTH) * n, n, TILE);
        }
        for (int step = 0; step < DEPTH; step += K) {
            a_t x[ROWS];
            for (int i = 0; i < ROWS; i++)
                x[i] = coop_mat_load(a_tiles[now] + (row + i * M) * A_STRIDE + step, ROW_MAJOR, A_STRIDE);
            for (int j = 0; j < COLUMNS; j++) {
                b_t y = coop_mat_load(b_tiles[now] + step * B_STRIDE + column + j * N, ROW_MAJOR, B_STRIDE);
                for (int i = 0; i < ROWS; i++)
                    sums[i][j] = coop_mat_mulAdd(x[i], y, sums[i][j]);
            }
        }
        if (more) {
            put(a_tiles[now ^ 1], A_STRIDE, a_next, DEPTH);
            put(b_tiles[now ^ 1], B_STRIDE, b_next, TILE);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            coop_mat_store(c + i * M * n + j * N, sums[i][j], ROW_MAJOR, n);
}

#endif
