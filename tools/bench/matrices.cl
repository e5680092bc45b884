// C = A * B by cooperative matrices, n x n: A and C by rows, B by columns. The host says by macros: T and SUM, the types; OF_T, the
// attribute that makes matrices of T; M, N, K, a size that the device multiplies; LANES, of a sub-group; DEPTH, how many columns of
// A are in local memory at a time. A work-group of 2 x 2 sub-groups has a tile of TILE x TILE of C. While a block of A and one of B
// are multiplied in local memory, the next ones are on their way to registers.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable

#define MATRIX(type, attribute, rows, columns, use)                                                                    \
    type __attribute__((attribute(memory_scope_sub_group, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define BY_ROWS    CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define BY_COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR

typedef MATRIX(T, OF_T, M, K, A) a_t;
typedef MATRIX(T, OF_T, K, N, B) b_t;
typedef MATRIX(SUM, coop_mat, M, N, ACCUMULATOR) c_t;

enum { PART = TILE / 2, ROWS = PART / M, COLUMNS = PART / N, ITEMS = 4 * LANES };
enum { IN_CHUNK = 16 / sizeof(T), CHUNKS = TILE * DEPTH / IN_CHUNK / ITEMS };
enum { STRIDE = DEPTH + IN_CHUNK, B_AT = TILE * STRIDE }; // rows begin in different banks

// Of a work-item's chunk of a block, whose lines are that far apart.
static int place(int i, int stride)
{
    int at = (i * ITEMS + (int)get_local_id(0)) * IN_CHUNK;
    return at / DEPTH * stride + at % DEPTH;
}

// A work-item's chunks of both blocks.
static void fetch(uint4 *chunks, global const T *a, global const T *b, int n)
{
    for (int i = 0; i < CHUNKS; i++) {
        chunks[i] = *(global const uint4 *)(a + place(i, n));
        chunks[CHUNKS + i] = *(global const uint4 *)(b + place(i, n));
    }
}

static void put(local T *blocks, const uint4 *chunks)
{
    for (int i = 0; i < CHUNKS; i++) {
        *(local uint4 *)(blocks + place(i, STRIDE)) = chunks[i];
        *(local uint4 *)(blocks + B_AT + place(i, STRIDE)) = chunks[CHUNKS + i];
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void product(global const T *a, global const T *b, global SUM *c, int n)
{
    local T blocks[2 * B_AT] __attribute__((aligned(16)));
    int row = get_sub_group_id() / 2 * PART, column = get_sub_group_id() % 2 * PART;
    uint4 next[2 * CHUNKS];
    c_t sums[ROWS][COLUMNS];

    a += get_group_id(1) * TILE * n;
    b += get_group_id(0) * TILE * n;
    c += (get_group_id(1) * TILE + row) * n + get_group_id(0) * TILE + column;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sums[i][j] = coop_mat_init((SUM)0);

    fetch(next, a, b, n);
    for (int k = 0; k < n; k += DEPTH) {
        int ahead = min(k + DEPTH, n - DEPTH);
        barrier(CLK_LOCAL_MEM_FENCE);
        put(blocks, next);
        barrier(CLK_LOCAL_MEM_FENCE);
        fetch(next, a + ahead, b + ahead, n);
        for (int step = 0; step < DEPTH; step += K) {
            a_t x[ROWS];
            for (int i = 0; i < ROWS; i++)
                x[i] = coop_mat_load(blocks + (row + i * M) * STRIDE + step, BY_ROWS, STRIDE);
            for (int j = 0; j < COLUMNS; j++) {
                b_t y = coop_mat_load(blocks + B_AT + (column + j * N) * STRIDE + step, BY_COLUMNS, STRIDE);
                for (int i = 0; i < ROWS; i++)
                    sums[i][j] = coop_mat_mulAdd(x[i], y, sums[i][j]);
            }
        }
    }

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            coop_mat_store(c + i * M * n + j * N, sums[i][j], BY_ROWS, n);
}
