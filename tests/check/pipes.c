/* Faults with packets of pipes' reservations, and programs that look like them and are right: check_pipes CASE. Without a
 * case it says which there are, each with the kind that is to be found. */
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/support/opencl.h"

#include "program.h"

#include <string.h>

enum { PACKETS = 8, OUT = 64 };

static const char source[] = "kernel void put(write_only pipe int p, global int *out, int n) {\n"
                             "  reserve_id_t id = reserve_write_pipe(p, 4);\n"
                             "  for (int i = 0; i < n; i++) write_pipe(p, id, i, &i);\n"
                             "  commit_write_pipe(p, id);\n"
                             "}\n"
                             "kernel void put_plain(write_only pipe int p, global int *out, int n) {\n"
                             "  for (int i = 0; i < n; i++) write_pipe(p, &i);\n"
                             "}\n"
                             "kernel void put_late(write_only pipe int p, global int *out, int n) {\n"
                             "  reserve_id_t id = reserve_write_pipe(p, 4);\n"
                             "  for (int i = 0; i < 4; i++) write_pipe(p, id, i, &i);\n"
                             "  commit_write_pipe(p, id);\n"
                             "  write_pipe(p, id, n, &n);\n"
                             "}\n"
                             "kernel void get(read_only pipe int p, global int *out, int n) {\n"
                             "  reserve_id_t id = reserve_read_pipe(p, 4);\n"
                             "  for (int i = 0; i < n; i++) read_pipe(p, id, i, out + i);\n"
                             "  commit_read_pipe(p, id);\n"
                             "}\n"
                             "kernel void get_plain(read_only pipe int p, global int *out, int n) {\n"
                             "  for (int i = 0; i < n; i++) read_pipe(p, out + i);\n"
                             "}\n"
                             "kernel void get_late(read_only pipe int p, global int *out, int n) {\n"
                             "  reserve_id_t id = reserve_read_pipe(p, 4);\n"
                             "  read_pipe(p, id, 0, out);\n"
                             "  commit_read_pipe(p, id);\n"
                             "  read_pipe(p, id, n, out);\n"
                             "}\n"
                             /* each work-item one packet of the group's, in groups of four */
                             "kernel void put_group(write_only pipe int p, global int *out, int n) {\n"
                             "  int i = get_local_id(0);\n"
                             "  reserve_id_t id = work_group_reserve_write_pipe(p, 4);\n"
                             "  if (is_valid_reserve_id(id)) {\n"
                             "    write_pipe(p, id, i % n, &i);\n"
                             "    work_group_commit_write_pipe(p, id);\n"
                             "  }\n"
                             "}\n"
                             "kernel void put_again(write_only pipe int p, global int *out, int n) {\n"
                             "  int i = get_local_id(0);\n"
                             "  reserve_id_t id = work_group_reserve_write_pipe(p, 4);\n"
                             "  if (is_valid_reserve_id(id)) {\n"
                             "    write_pipe(p, id, i, &i);\n"
                             "    work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "    write_pipe(p, id, 3 - i, &i);\n"
                             "    work_group_commit_write_pipe(p, id);\n"
                             "  }\n"
                             "}\n"
                             "kernel void put_again_at_once(write_only pipe int p, global int *out, int n) {\n"
                             "  int i = get_local_id(0);\n"
                             "  reserve_id_t id = work_group_reserve_write_pipe(p, 4);\n"
                             "  if (is_valid_reserve_id(id)) {\n"
                             "    write_pipe(p, id, i, &i);\n"
                             "    write_pipe(p, id, (i + n) % 4, &i);\n"
                             "    work_group_commit_write_pipe(p, id);\n"
                             "  }\n"
                             "}\n"
                             "kernel void get_group(read_only pipe int p, global int *out, int n) {\n"
                             "  int i = get_local_id(0);\n"
                             "  reserve_id_t id = work_group_reserve_read_pipe(p, 4);\n"
                             "  if (is_valid_reserve_id(id)) {\n"
                             "    read_pipe(p, id, i, out + get_global_id(0));\n"
                             "    read_pipe(p, id, n, out + OUT / 2 + get_global_id(0));\n"
                             "    work_group_commit_read_pipe(p, id);\n"
                             "  }\n"
                             "}\n";

static cl_mem pipe, out;

static void launch(const char *name, cl_int n, size_t items, size_t group)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe));
    must(clSetKernelArg(kernel, 1, sizeof(out), &out));
    must(clSetKernelArg(kernel, 2, sizeof(n), &n));
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    must(clFinish(queue));
    clReleaseKernel(kernel);
}

static void one(const char *name, cl_int n)
{
    launch(name, n, 1, 1);
}

static void all_written(void)
{
    one("put", 4);
    one("get", 4);
}

static void some_written(void)
{
    one("put", 3);
    one("get", 4);
}

static void some_written_and_read_alone(void)
{
    one("put", 3);
    one("get_plain", 4);
}

static void only_those_read(void)
{
    one("put", 3);
    one("get", 3);
}

static void written_alone(void)
{
    one("put_plain", 4);
    one("get", 4);
}

static void written_and_read_alone(void)
{
    one("put_plain", 4);
    one("get_plain", 5);
}

/* The pipe's slots many times over, each time in another way, and some packets that nobody writes or reads. */
static void many_rounds(void)
{
    for (int i = 0; i < 80; i++) {
        one("put", i % 5);
        one("get", i % 5);
        one("put_plain", 4);
        one(i % 2 ? "get" : "get_plain", 4);
        launch("put_group", 4, 4, 4);
        launch("get_group", 0, 4, 4);
    }
}

/* What was left out once is written the next time. */
static void later_round(void)
{
    for (int i = 0; i < 4; i++) {
        one("put", i ? 4 : 0);
        one("get", i ? 4 : 0);
    }
}

static void after_commit(void)
{
    one("put_late", 1);
}

static void after_commit_of_read(void)
{
    one("put", 4);
    one("get_late", 0);
}

static void group(void)
{
    launch("put_group", 4, 8, 4);
    launch("get_group", 3, 8, 4);
}

static void group_shares_packets(void)
{
    launch("put_group", 2, 8, 4);
}

static void group_writes_again(void)
{
    launch("put_again", 1, 8, 4);
    launch("get_group", 1, 8, 4);
}

static void group_writes_again_at_once(void)
{
    launch("put_again_at_once", 1, 8, 4);
}

static void item_writes_again(void)
{
    launch("put_again_at_once", 0, 8, 4);
}

static void group_leaves_some_out(void)
{
    launch("put_group", 4, 4, 4);
    launch("get_group", 0, 4, 4);
    one("put", 1);
    launch("get_group", 2, 4, 4);
}

static const struct {
    const char *name, *kind; /* as memory.py takes them */
    void (*run)(void);
} cases[] = {
    {"all_written", "-", all_written},
    {"some_written", "uninitialised-read packet 3 ", some_written},
    {"some_written_and_read_alone", "uninitialised-read", some_written_and_read_alone},
    {"only_those_read", "-", only_those_read},
    {"written_alone", "-", written_alone},
    {"written_and_read_alone", "-", written_and_read_alone},
    {"many_rounds", "-", many_rounds},
    {"later_round", "-", later_round},
    {"after_commit", "freed-memory write of packet 1 by a reservation that was committed", after_commit},
    {"after_commit_of_read", "freed-memory read of packet 0 by a reservation that was committed", after_commit_of_read},
    {"group", "-", group},
    {"group_shares_packets", "global-race another work-item writes it", group_shares_packets},
    {"group_writes_again", "-", group_writes_again},
    {"group_writes_again_at_once", "global-race", group_writes_again_at_once},
    {"item_writes_again", "-", item_writes_again},
    {"group_leaves_some_out", "uninitialised-read", group_leaves_some_out},
};

static void begin(void)
{
    cl_uint has_pipes = 0;
    cl_int error;
    const char *text = source;
    begin_program("kernel void none() {}", 0);
    must(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof(has_pipes), &has_pipes, NULL));
    if (!has_pipes)
        exit(TEST_SKIPPED);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error);
    must(clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -DOUT=64", NULL, NULL));
    pipe = clCreatePipe(context, 0, sizeof(cl_int), PACKETS, NULL, &error);
    must(error);
    out = clCreateBuffer(context, 0, OUT * sizeof(cl_int), NULL, &error);
    must(error);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2) {
            printf("%s %s\n", cases[i].name, cases[i].kind);
        } else if (!strcmp(argv[1], cases[i].name)) {
            begin();
            cases[i].run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 1;
}
