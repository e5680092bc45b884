/* Faults in programs of several parts, compiled and linked (clCompileProgram, clLinkProgram): reports have the source text as of a plain
 * build. For linked.py: `check_linked` lists the cases, `check_linked CASE` runs one; a line that a report must show says "wrong",
 * and with "wrong FILE:LINE" where it is. */
#include "tests/support/opencl.h"

#include "tests/check/program.h"

#include <stdbool.h>
#include <string.h>

/* Lines 2 and 3 of both parts are of code. */
static const char main_part[] = "void far(global int *p);\n"
                                "kernel void test(global int *p) {\n"
                                "    p[-1] = 1; // wrong <source>:3\n"
                                "    far(p);\n"
                                "}\n";
static const char far_part[] = "void far(global int *p);\n"
                               "void far(global int *p) {\n"
                               "    p[16] = 2; /* wrong <source>:3 */\n"
                               "}\n";
static const char header_part[] = "#include \"near.h\"\n"
                                  "void far(global int *p);\n"
                                  "#define OUTSIDE(p) (p)[17] = 3\n"
                                  "kernel void test(global int *p) {\n"
                                  "    near(p); OUTSIDE(p); // wrong <source>:5\n"
                                  "    far(p);\n"
                                  "}\n";
static const char header[] = "inline void near(global int *p)\n"
                             "{ p[-2] = 1; } // wrong near.h:2\n";
static const char named_part[] = "void far(global int *p);\n"
                                 "kernel void test(global int *p) {\n"
                                 "#line 70 \"made.y\"\n"
                                 "    p[-1] = 1; // wrong made.y:70\n"
                                 "#line 2000000000 \"vast.y\"\n"
                                 "    p[-2] = 1;\n"
                                 "#line 3 \"made.y\"\n"
                                 "\n"
                                 "    far(p); p[18] = 2; // wrong made.y:4\n"
                                 "}\n";

static cl_program source_of(const char *text)
{
    cl_int error;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error);
    return made;
}

static cl_program compiled(const char *text)
{
    const char *name = "near.h";
    cl_program made = source_of(text), included = source_of(header);
    must(clCompileProgram(made, 1, &device, "", 1, &included, &name, NULL, NULL));
    return made;
}

static cl_program linked(const char *options, cl_program first, cl_program second)
{
    cl_int error;
    const cl_program parts[2] = {first, second};
    cl_program made = clLinkProgram(context, 1, &device, options, second ? 2 : 1, parts, NULL, NULL, &error);
    must(error);
    return made;
}

/* The same program by way of what clGetProgramInfo gives. */
static cl_program from_binary(cl_program given)
{
    cl_int error;
    size_t size;
    must(clGetProgramInfo(given, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *read = binary;
    must(clGetProgramInfo(given, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_program made = clCreateProgramWithBinary(context, 1, &device, &size, &read, NULL, &error);
    must(error);
    free(binary);
    return made;
}

static void run(cl_program made)
{
    cl_int error;
    const size_t one = 1;
    cl_kernel kernel = clCreateKernel(made, "test", &error);
    must(error);
    cl_mem mem = clCreateBuffer(context, 0, 16 * sizeof(cl_int), NULL, &error);
    must(error);
    must(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    must(clFinish(queue));
}

static void two_parts(void)
{
    run(linked("", compiled(main_part), compiled(far_part)));
}

static void with_header(void)
{
    run(linked("", compiled(far_part), compiled(header_part)));
}

static void with_lines(void)
{
    run(linked("", compiled(named_part), compiled(far_part)));
}

static void with_library(void)
{
    run(linked("", compiled(main_part), linked("-create-library", compiled(far_part), NULL)));
}

static void parts_of_binaries(void)
{
    run(linked("", from_binary(compiled(main_part)), from_binary(compiled(far_part))));
}

/* As long as to need a second instruction for its text. */
static void long_part(void)
{
    enum { LINES = 40, LENGTH = 8000 };
    char *text = malloc(LINES * (LENGTH + 100) + 1000);
    char *at = text + sprintf(text, "void far(global int *p);\nvoid far(global int *p) {\n");
    for (int i = 0; i < LINES; i++) {
        at += sprintf(at, "    p[%d] = %d; // ", i % 16, i);
        memset(at, '.', LENGTH);
        strcpy(at + LENGTH, "\n");
        at += LENGTH + 1;
    }
    strcpy(at, "    p[16] = 2; // wrong <source>:43\n}\n");
    run(linked("", compiled(main_part), compiled(text)));
    free(text);
}

static const struct {
    const char *name;
    int faults;
    void (*run)(void);
} cases[] = {
    {"two_parts", 2, two_parts},
    {"with_header", 3, with_header},
    {"with_lines", 3, with_lines},
    {"with_library", 2, with_library},
    {"parts_of_binaries", 2, parts_of_binaries},
    {"long_part", 2, long_part},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2) {
            printf("%s %d\n", cases[i].name, cases[i].faults);
        } else if (!strcmp(argv[1], cases[i].name)) {
            begin_program("kernel void nothing(void) { }\n", 0);
            cases[i].run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 1;
}
