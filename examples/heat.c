/* The heat equation over MPI: mpirun -n RANKS heat [out.png [side [steps]]]. Each rank computes a strip of the grid's
 * rows on a device of its own, if its machine has one for each, and swaps border rows with the ranks above and below in
 * every step. It computes its two border rows first; while the host passes these on, the device computes the rows
 * between them.
 *
 * The start is a sum of sine waves. Each of them is an eigenvector of the step, which multiplies it by a known number,
 * so that what each rank has in the end is compared with a closed form. It is also compared, bit for bit, with plain
 * loops over the whole grid, unless these would take long. The picture shows the start on the left and the end on the
 * right: short waves die first. */
#include "common.h"
#include "picture.h"

#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 4, PICTURE = 512, LARGEST = 32768 };

/* How often each wave goes up or down over the width and the height. */
static const struct {
    int across, down;
    double amplitude;
} modes[MODES] = {{3, 2, 0.4}, {7, 9, 0.2}, {41, 1, 0.2}, {60, 75, 0.2}};

struct heat {
    int rank, ranks;
    int side, steps;                     /* of the whole grid */
    int first, rows;                     /* of this rank's strip */
    double *across[MODES], *down[MODES]; /* each wave at every column and row */
    double left[MODES];                  /* what all steps leave of each */
    float *sent, *received; /* the first and the last row to pass on; a row from above and one from below */
    cl_mem grid[2], device_sent, device_received;
    cl_kernel border, inner;
    /* For kernels, and for the rows that are swapped meanwhile. The example's own queue takes times, for which a driver
     * may wait longer than for the kernel itself (lavapipe: until the device is idle). */
    cl_command_queue compute, halo;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "heat: out of memory\n");
        exit(1);
    }
    return memory;
}

/* Rank r has the rows from side * r / ranks on. */
static int first_row(const struct heat *heat, int rank)
{
    return (int)((long)heat->side * rank / heat->ranks);
}

/* The walls, where all waves are zero, lie a cell outside of the grid. */
static void make_waves(struct heat *heat)
{
    const double angle = acos(-1.0) / (heat->side + 1);
    for (int m = 0; m < MODES; m++) {
        heat->across[m] = allocate((size_t)heat->side, sizeof(double));
        heat->down[m] = allocate((size_t)heat->side, sizeof(double));
        for (int i = 0; i < heat->side; i++) {
            heat->across[m][i] = sin(angle * modes[m].across * (i + 1));
            heat->down[m][i] = sin(angle * modes[m].down * (i + 1));
        }
        double factor =
            1.0 - 0.5 * pow(sin(angle * modes[m].across / 2.0), 2) - 0.5 * pow(sin(angle * modes[m].down / 2.0), 2);
        heat->left[m] = pow(factor, heat->steps);
    }
}

static double exact(const struct heat *heat, int row, int column, bool end)
{
    double sum = 0.0;
    for (int m = 0; m < MODES; m++)
        sum += modes[m].amplitude * heat->across[m][column] * heat->down[m][row] * (end ? heat->left[m] : 1.0);
    return sum;
}

/* A row at the start. Those outside of the grid are walls. */
static void start_row(const struct heat *heat, int row, float *cells)
{
    for (int x = 0; x < heat->side; x++)
        cells[x] = row >= 0 && row < heat->side ? (float)exact(heat, row, x, false) : 0.0f;
}

static void make_strip(struct heat *heat, struct example *example)
{
    size_t side = (size_t)heat->side, bytes = (size_t)heat->rows * side * sizeof(float);
    float *start = allocate((size_t)heat->rows * side, sizeof(float));
    for (int i = 0; i < heat->rows; i++)
        start_row(heat, heat->first + i, start + (size_t)i * side);
    heat->sent = allocate(2 * side, sizeof(float));
    heat->received = allocate(2 * side, sizeof(float));
    start_row(heat, heat->first - 1, heat->received);
    start_row(heat, heat->first + heat->rows, heat->received + side);
    heat->grid[0] = example_buffer(example, CL_MEM_READ_WRITE, bytes, start);
    heat->grid[1] = example_buffer(example, CL_MEM_READ_WRITE, bytes, NULL);
    heat->device_sent = example_buffer(example, CL_MEM_READ_WRITE, 2 * side * sizeof(float), NULL);
    heat->device_received = example_buffer(example, CL_MEM_READ_ONLY, 2 * side * sizeof(float), heat->received);
    free(start);
    heat->border = example_kernel(example, "step_border");
    heat->inner = example_kernel(example, "step_inner");
    cl_uint rows = (cl_uint)heat->rows;
    CHECK(clSetKernelArg(heat->border, 2, sizeof(cl_mem), &heat->device_received));
    CHECK(clSetKernelArg(heat->border, 3, sizeof(cl_mem), &heat->device_sent));
    CHECK(clSetKernelArg(heat->border, 4, sizeof(rows), &rows));
    cl_int code;
    heat->compute = clCreateCommandQueueWithProperties(example->context, example->device, NULL, &code);
    CHECK(code);
    heat->halo = clCreateCommandQueueWithProperties(example->context, example->device, NULL, &code);
    CHECK(code);
}

/* Swaps border rows with the neighbours once the kernel of `border` is done. The event that comes back is complete when
 * the device has what they sent. Only these rows' own buffers are touched, since the inner kernel writes the grid
 * meanwhile. */
static cl_event swap_rows(struct heat *heat, cl_event border)
{
    size_t side = (size_t)heat->side, bytes = 2 * side * sizeof(float);
    int above = heat->rank > 0 ? heat->rank - 1 : MPI_PROC_NULL;
    int below = heat->rank < heat->ranks - 1 ? heat->rank + 1 : MPI_PROC_NULL;
    CHECK(clEnqueueReadBuffer(heat->halo, heat->device_sent, CL_TRUE, 0, bytes, heat->sent, 1, &border, NULL));
    /* nothing comes from no rank: the row of zeros, the wall, stays */
    MPI_Sendrecv(heat->sent, heat->side, MPI_FLOAT, above, 0, heat->received + side, heat->side, MPI_FLOAT, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(heat->sent + side, heat->side, MPI_FLOAT, below, 1, heat->received, heat->side, MPI_FLOAT, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cl_event written;
    CHECK(
        clEnqueueWriteBuffer(heat->halo, heat->device_received, CL_FALSE, 0, bytes, heat->received, 0, NULL, &written));
    CHECK(clFlush(heat->halo));
    return written;
}

/* Returns the seconds that the slowest rank took. */
static double run_steps(struct heat *heat)
{
    const size_t border_size[2] = {(size_t)heat->side, 2}, inner_size[2] = {(size_t)heat->side, (size_t)heat->rows - 2};
    cl_event written = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime(), slowest;
    for (int step = 0; step < heat->steps; step++) {
        cl_kernel kernels[2] = {heat->border, heat->inner};
        for (int k = 0; k < 2; k++) {
            CHECK(clSetKernelArg(kernels[k], 0, sizeof(cl_mem), &heat->grid[step % 2]));
            CHECK(clSetKernelArg(kernels[k], 1, sizeof(cl_mem), &heat->grid[(step + 1) % 2]));
        }
        cl_event border;
        CHECK(clEnqueueNDRangeKernel(heat->compute, heat->border, 2, NULL, border_size, NULL, written ? 1 : 0,
                                     written ? &written : NULL, &border));
        if (written)
            CHECK(clReleaseEvent(written));
        written = NULL;
        if (heat->ranks > 1)
            CHECK(clFlush(heat->compute)); /* the border starts now, not together with the rows between */
        if (heat->rows > 2)
            CHECK(clEnqueueNDRangeKernel(heat->compute, heat->inner, 2, NULL, inner_size, NULL, 0, NULL, NULL));
        if (heat->ranks > 1) {
            CHECK(clFlush(heat->compute));
            written = swap_rows(heat, border);
        }
        CHECK(clReleaseEvent(border));
    }
    CHECK(clFinish(heat->compute));
    seconds += MPI_Wtime();
    if (written) { /* nobody needs the last rows that came */
        CHECK(clWaitForEvents(1, &written));
        CHECK(clReleaseEvent(written));
    }
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* The whole grid with walls around it, step by step. Returns how many cells of this rank's strip are not the same. */
static long count_different(const struct heat *heat, const float *strip)
{
    size_t side = (size_t)heat->side, width = side + 2;
    float *old = allocate(width * width, sizeof(float)), *new = allocate(width * width, sizeof(float));
    for (size_t y = 0; y < side; y++)
        start_row(heat, (int)y, old + (y + 1) * width + 1);
    for (int step = 0; step < heat->steps; step++) {
        for (size_t y = 1; y <= side; y++) {
            const float *here = old + y * width, *above = here - width, *below = here + width;
            for (size_t x = 1; x <= side; x++)
                new[y * width + x] =
                    here[x] + 0.125f * (above[x] + below[x] + (here[x - 1] + here[x + 1]) - 4.0f * here[x]);
        }
        float *swapped = old;
        old = new;
        new = swapped;
    }
    long different = 0;
    for (size_t y = 0; y < (size_t)heat->rows; y++) {
        const float *row = old + ((size_t)heat->first + y + 1) * width + 1;
        for (size_t x = 0; x < side; x++)
            different += memcmp(row + x, strip + y * side + x, sizeof(float)) != 0;
    }
    free(old);
    free(new);
    return different;
}

static double worst_error(const struct heat *heat, const float *strip)
{
    double worst = 0.0;
    for (int y = 0; y < heat->rows; y++) {
        for (int x = 0; x < heat->side; x++) {
            double error =
                fabs(strip[(size_t)y * (size_t)heat->side + (size_t)x] - exact(heat, heat->first + y, x, true));
            worst = error > worst || error != error ? error : worst;
        }
    }
    return worst;
}

/* Black at -1, over blue and red to white at 1. */
static void colour(double heat, uint8_t *rgb)
{
    for (int c = 0; c < 3; c++) {
        static const double from[3] = {-0.35, -0.15, -1.0}, to[3] = {0.25, 0.9, 1.5};
        double part = (heat - from[c]) / (to[c] - from[c]);
        if (c == 2) /* blue is strongest in the cold and in the very hot */
            part = heat < 0.0 ? fmin(1.0, (heat + 1.0) * 1.2) * 0.8 : fmax(0.8 - heat * 3.0, heat * 1.6 - 0.6);
        rgb[c] = (uint8_t)lrint(255.0 * fmin(1.0, fmax(0.0, part)));
    }
}

/* Rank 0 gets all strips and draws them beside the start. */
static bool draw(const struct heat *heat, const float *strip, const char *path)
{
    const int size = heat->side < PICTURE ? heat->side : PICTURE;
    size_t side = (size_t)heat->side;
    float *whole = NULL;
    if (heat->rank == 0) {
        whole = allocate(side * side, sizeof(float));
        memcpy(whole, strip, (size_t)heat->rows * side * sizeof(float));
    }
    /* row by row, since counts in MPI are ints */
    for (int rank = 1; rank < heat->ranks; rank++) {
        for (int row = first_row(heat, rank); row < first_row(heat, rank + 1); row++) {
            if (heat->rank == 0)
                MPI_Recv(whole + (size_t)row * side, heat->side, MPI_FLOAT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (heat->rank == rank)
                MPI_Send(strip + (size_t)(row - heat->first) * side, heat->side, MPI_FLOAT, 0, 2, MPI_COMM_WORLD);
        }
    }
    if (heat->rank != 0)
        return true;
    struct picture picture = {(uint32_t)size * 2, (uint32_t)size, allocate((size_t)size * (size_t)size, 6)};
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            size_t row = (size_t)y * side / (size_t)size, column = (size_t)x * side / (size_t)size;
            uint8_t *line = picture.rgb + (size_t)y * (size_t)size * 6;
            colour(exact(heat, (int)row, (int)column, false), line + x * 3);
            colour(whole[row * side + column], line + (size + x) * 3);
        }
    }
    bool ok = picture_write(path, &picture);
    free(picture.rgb);
    free(whole);
    return ok;
}

static void finish(struct heat *heat)
{
    for (int m = 0; m < MODES; m++) {
        free(heat->across[m]);
        free(heat->down[m]);
    }
    free(heat->sent);
    free(heat->received);
    CHECK(clReleaseKernel(heat->border));
    CHECK(clReleaseKernel(heat->inner));
    CHECK(clReleaseMemObject(heat->grid[0]));
    CHECK(clReleaseMemObject(heat->grid[1]));
    CHECK(clReleaseMemObject(heat->device_sent));
    CHECK(clReleaseMemObject(heat->device_received));
    CHECK(clReleaseCommandQueue(heat->compute));
    CHECK(clReleaseCommandQueue(heat->halo));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *path = argc > 1 ? argv[1] : "heat-out.png";
    struct heat heat = {.side = argc > 2 ? atoi(argv[2]) : 512, .steps = argc > 3 ? atoi(argv[3]) : 500};
    MPI_Comm_rank(MPI_COMM_WORLD, &heat.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &heat.ranks);
    heat.first = first_row(&heat, heat.rank);
    heat.rows = first_row(&heat, heat.rank + 1) - heat.first;
    if (heat.side < 2 * heat.ranks || heat.side > LARGEST || heat.steps < 1) {
        if (heat.rank == 0)
            fprintf(stderr, "heat: a side of 2 rows for each rank at least and %d at most, and a step\n", LARGEST);
        MPI_Finalize();
        return 1;
    }
    /* ranks of one machine take its devices in turn */
    MPI_Comm machine;
    int rank_here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, heat.rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank_here);
    MPI_Comm_free(&machine);
    struct example example;
    example_open_number(&example, (unsigned)rank_here);
    example_build(&example, "heat.cl", NULL);
    make_waves(&heat);
    make_strip(&heat, &example);

    double seconds = run_steps(&heat);

    size_t cells = (size_t)heat.rows * (size_t)heat.side;
    float *strip = allocate(cells, sizeof(float));
    example_read(&example, heat.grid[heat.steps % 2], cells * sizeof(float), strip);
    double all_cells = (double)heat.side * heat.side * heat.steps, worst = worst_error(&heat, strip), bound;
    bool compares = all_cells < 1e9;
    long different = compares ? count_different(&heat, strip) : 0;
    bound = heat.steps * FLT_EPSILON; /* a rounding to half of it for each of two additions of a step */
    int ok = different == 0 && worst <= bound, all_ok;
    printf("rank %d of %d: rows %d to %d, off by %.2g (bound %.2g), %ld of %zu cells differ from plain loops%s\n",
           heat.rank, heat.ranks, heat.first, heat.first + heat.rows - 1, worst, bound, different, cells,
           compares ? "" : ", which were left out");
    fflush(stdout);
    ok &= draw(&heat, strip, path);
    MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (heat.rank == 0)
        example_result("heat", all_ok, "%d x %d cells, %d steps, %d rank%s: %.3f s, %.3f Gcell/s; %s", heat.side,
                       heat.side, heat.steps, heat.ranks, heat.ranks == 1 ? "" : "s", seconds,
                       all_cells / seconds * 1e-9, path);
    free(strip);
    finish(&heat);
    example_close(&example);
    MPI_Finalize();
    return all_ok ? 0 : 1;
}
