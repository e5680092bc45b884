/* Runs kernels of OpenCL C++ through `pumice c++` and the OpenCL API. usage: run_cxx PUMICE CASES.clcpp
 *
 * A file has cases, each from a line `//// NAME` to the next. What stands before the first is in front of each. The
 * case's kernel is called k; its argument is a buffer of 64 numbers of 32 bits, all 0. A case says in comments:
 *
 *     // expect: 1 2 3        what the buffer holds afterwards, from its start
 *     // expect-float: 1.5    likewise, floats, to 4 parts in a million
 *     // size: 4              work-items, all in one work-group (1)
 *     // options: WORD...     for pumice c++
 *     // spec: ID VALUE       clSetProgramSpecializationConstant, of 32 bits
 *     // refuse: WORDS        clang refuses it and says these words
 *     // compiles             no more than that
 *
 * Without clang everything is skipped. */
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

extern char **environ;

enum { MAX_NUMBERS = 64, MAX_WORDS = 16, MAX_DEVICES = 8, NO_CLANG = 77 };

struct test_case {
    char name[128], refuse[256], options[256];
    cl_uint numbers[MAX_NUMBERS];
    size_t count, size;
    bool floats, compiles;
    cl_uint spec_id, spec_value;
};

static int failures, cases;
static char directory[] = "/tmp/run_cxx.XXXXXX";
static char source[64], binary[64], messages[64];

static bool check(bool good, const struct test_case *c, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", c->name, what);
        failures++;
    }
    return good;
}

static void read_numbers(struct test_case *c, const char *at, bool floats)
{
    c->floats = floats;
    for (char *end; c->count < MAX_NUMBERS; at = end) {
        float real = floats ? strtof(at, &end) : 0;
        cl_uint number = floats ? 0 : (cl_uint)strtoll(at, &end, 0);
        if (end == at)
            break;
        if (floats)
            memcpy(&number, &real, 4);
        c->numbers[c->count++] = number;
    }
}

static void read_directive(struct test_case *c, const char *line)
{
    if (!strncmp(line, "// expect:", 10))
        read_numbers(c, line + 10, false);
    if (!strncmp(line, "// expect-float:", 16))
        read_numbers(c, line + 16, true);
    if (!strncmp(line, "// compiles", 11))
        c->compiles = true;
    sscanf(line, "// size: %zu", &c->size);
    sscanf(line, "// options: %255[^\n]", c->options);
    sscanf(line, "// spec: %u %u", &c->spec_id, &c->spec_value);
    sscanf(line, "// refuse: %255[^\n]", c->refuse);
}

/* Returns the exit status of `pumice c++`; what it prints is in the file `messages`. */
static int compile(const char *pumice, struct test_case *c)
{
    char *words[MAX_WORDS] = {(char *)pumice, "c++", source, "-o", binary};
    size_t count = 5;
    for (char *word = strtok(c->options, " "); word && count < MAX_WORDS - 1; word = strtok(NULL, " "))
        words[count++] = word;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawn(&child, pumice, &actions, NULL, words, environ) || waitpid(child, &status, 0) < 0)
        exit(2);
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_wanted(const struct test_case *c, cl_uint got, cl_uint wanted)
{
    float a, b;
    memcpy(&a, &got, 4);
    memcpy(&b, &wanted, 4);
    return got == wanted || (c->floats && fabsf(a - b) <= 4e-6f * fabsf(b));
}

static void run(const struct test_case *c, const struct test_device *opened, cl_program program)
{
    cl_uint got[MAX_NUMBERS] = {0};
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    if (!check(kernel != NULL, c, "no kernel k"))
        return;
    cl_mem buffer = test_buffer_of(opened, sizeof(got), got);
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer) == CL_SUCCESS, c, "the kernel takes no buffer");
    error = clEnqueueNDRangeKernel(opened->queue, kernel, 1, NULL, &c->size, &c->size, 0, NULL, NULL);
    check(error == CL_SUCCESS, c, "the launch failed");
    error = clEnqueueReadBuffer(opened->queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL);
    check(error == CL_SUCCESS, c, "the read failed");
    for (size_t i = 0; i < c->count; i++) {
        if (!check(is_wanted(c, got[i], c->numbers[i]), c, "a wrong number"))
            fprintf(stderr, "    [%zu] is 0x%x, not 0x%x\n", i, got[i], c->numbers[i]);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

static void build_and_run(const struct test_case *c, const struct test_device *opened)
{
    size_t size;
    cl_int error;
    char *il = test_need_file(binary, &size);
    cl_program program = clCreateProgramWithIL(opened->context, il, size, &error);
    free(il);
    if (!check(program != NULL, c, "clCreateProgramWithIL failed"))
        return;
    if (c->spec_id)
        check(clSetProgramSpecializationConstant(program, c->spec_id, 4, &c->spec_value) == CL_SUCCESS, c,
              "no such specialisation constant");
    error = clBuildProgram(program, 1, &opened->id, "", NULL, NULL);
    if (check(error == CL_SUCCESS, c, "the build failed")) {
        run(c, opened, program);
    } else {
        char log[4096] = "";
        clGetProgramBuildInfo(program, opened->id, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    clReleaseProgram(program);
}

static void remove_files(void)
{
    unlink(source);
    unlink(binary);
    unlink(messages);
    rmdir(directory);
}

static void test_case(const char *pumice, struct test_case *c, const struct test_device *devices, cl_uint count)
{
    size_t size;
    cases++;
    int status = compile(pumice, c);
    if (status == NO_CLANG) {
        fprintf(stderr, "skipped: no clang and llvm-spirv here\n");
        remove_files();
        exit(TEST_SKIPPED);
    }
    char *text = test_need_file(messages, &size);
    if (*c->refuse) {
        if (!check(status == 1 && strstr(text, c->refuse), c, "clang should refuse it with these words"))
            fprintf(stderr, "%.*s\n", (int)size, text);
    } else if (!check(status == 0, c, "it does not compile")) {
        fprintf(stderr, "%.*s\n", (int)size, text);
    } else if (!c->compiles) {
        check(c->count > 0, c, "the case expects nothing");
        for (cl_uint i = 0; i < count; i++)
            build_and_run(c, &devices[i]);
    }
    free(text);
}

static void write_source(const char *front, size_t front_size, const char *text, size_t size)
{
    FILE *file = fopen(source, "w");
    if (!file || fwrite(front, 1, front_size, file) != front_size || fwrite(text, 1, size, file) != size ||
        fclose(file))
        exit(2);
}

static void test_file(const char *pumice, char *text, const struct test_device *devices, cl_uint count)
{
    char *start = strstr(text, "//// ");
    size_t front = start ? (size_t)(start - text) : 0;
    while (start) {
        struct test_case c = {.size = 1};
        char *next = strstr(start + 5, "\n//// ");
        size_t size = next ? (size_t)(next + 1 - start) : strlen(start);
        write_source(text, front, start, size);
        sscanf(start, "//// %127[^\n]", c.name);
        for (char *line = start; line < start + size; line += strcspn(line, "\n") + 1)
            read_directive(&c, line);
        test_case(pumice, &c, devices, count);
        start = next ? next + 1 : NULL;
    }
}

int main(int argc, char **argv)
{
    struct test_device devices[MAX_DEVICES];
    size_t size;
    if (argc != 3)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    for (cl_uint i = 0; i < count; i++)
        if (test_open_device(&devices[i]))
            continue;
        else
            return 1;
    char *text = test_need_file(argv[2], &size);
    text = realloc(text, size + 1);
    if (!text || !mkdtemp(directory))
        return 2;
    text[size] = '\0';
    snprintf(source, sizeof(source), "%s/a.clcpp", directory);
    snprintf(binary, sizeof(binary), "%s/a.spv", directory);
    snprintf(messages, sizeof(messages), "%s/messages", directory);
    test_file(argv[1], text, devices, count);
    remove_files();
    free(text);
    for (cl_uint i = 0; i < count; i++)
        test_close_device(&devices[i]);
    printf("%d cases, %d failures\n", cases, failures);
    return failures != 0;
}
