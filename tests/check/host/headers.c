/* Calls that stand in headers (faults.c). */
#include "tests/check/host/in_header.h"

#include "tests/check/host/faults.h"

static void leaked_by_header(void)
{
    make_kernel_in_header(program, "fill");
}

const struct fault_case header_cases[] = {
    CASE(leaked_by_header, "leak", "kernel .*clCreateKernel.*in_header\\.h:7"),
    {NULL, NULL, NULL, NULL},
};
