/* Runs kernels of foreign SPIR-V through the OpenCL API. usage: run_il CASE.spvasm CASE.spv
 *
 * The text says in comments what should be (tests/support/kernel_case.h); the binary is what spirv-as made of it. Every
 * module that builds is also compiled and linked, which must give the same. The buffer's numbers are -1 at first. */
#include "tests/support/file.h"
#include "tests/support/kernel_case.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 8 };

static void read_case(const char *path, struct kernel_case *c)
{
    char line[2048];
    FILE *file = fopen(path, "r");
    if (!file)
        exit(2);
    while (fgets(line, sizeof(line), file)) {
        if (!strncmp(line, "; ", 2))
            kernel_case_read(c, line + 2);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    struct kernel_case c;
    struct test_device devices[MAX_DEVICES];
    size_t size;
    int failures = 0;
    if (argc != 3)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    kernel_case_init(&c, argv[1]);
    c.begin = UINT32_MAX;
    read_case(argv[1], &c);
    char *il = test_need_file(argv[2], &size);
    for (cl_uint i = 0; i < count; i++) {
        if (!test_open_device(&devices[i]))
            return 1;
        failures += kernel_case_test(&c, &devices[i], il, size, true);
        test_close_device(&devices[i]);
    }
    free(il);
    return failures != 0;
}
