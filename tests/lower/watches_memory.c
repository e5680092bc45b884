/* Which kernels count as ones that may wait for what other work-groups store (clc_lowered.watches_memory): launches of
 * these are never cut into parts. */
#include "compiler/clc.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *source;
    bool watches;
} cases[] = {
    {"kernel void k(global int *p) { while (atomic_load((global atomic_int *)p) < 4) ; p[1] = 1; }", true},
    {"kernel void k(volatile global int *p) { while (*p < 4) ; p[1] = 1; }", true},
    {"kernel void k(global int *p) { while (*(volatile global int *)p < 4) ; p[1] = 1; }", true},
    {"kernel void k(volatile global int *p) { while (atomic_add(p, 0) < 4) ; p[1] = 1; }", true},
    {"kernel void k(volatile global int *p) { while (atomic_or(p, 0) < 4) ; p[1] = 1; }", true},
    {"kernel void k(volatile global int *p) { while (atomic_cmpxchg(p, 4, 4) != 4) ; p[1] = 1; }", true},
    {"int seen(volatile global int *p) { return *p; }\n"
     "kernel void k(volatile global int *p) { while (seen(p) < 4) ; p[1] = 1; }",
     true},
    {"kernel void k(global int *p, local int *l) { volatile int *q = p[0] ? l : (volatile int *)p;\n"
     "while (*q < 4) ; p[1] = 1; }",
     true},
    {"kernel void k(global int *p) { p[get_global_id(0)] *= 2; }", false},
    {"kernel void k(global int *p) { p[atomic_add(p, 1)] = 1; }", false},
    {"kernel void k(global int *p) { for (int i; (i = atomic_inc(p)) < 99;) p[i] = i; }", false},
    {"kernel void k(global int *p) { while (atomic_cmpxchg(p, 0, 1) != 0) ; p[1]++; atomic_xchg(p, 0); }", false},
    {"kernel void k(global int *p) { int old, new; do { old = p[1]; new = old * 3; }\n"
     "while (atomic_cmpxchg(p + 1, old, new) != old); }",
     false},
    {"kernel void k(global int *p, local int *l) { volatile local int *q = l; q[get_local_id(0)] = p[0];\n"
     "while (*q < 4) ; p[1] = 1; }",
     false},
    {"kernel void k(global int *p, local int *l) { while (atomic_load((local atomic_int *)l) < 4) ; p[1] = 1; }",
     false},
};

static bool watches(const char *source)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source, .num_strings = 1, .options = "-cl-std=CL3.0", .target = &target};
    const struct clc_lower_options options = {.target = &target};
    struct clc_program *program = NULL;
    struct clc_lowered *lowered = NULL;
    char *log = NULL, *message = NULL;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS ||
        clc_lower(program, "k", &options, &lowered, &message) != CLC_SUCCESS) {
        fprintf(stderr, "%s\n%s%s\n", source, log ? log : "", message ? message : "");
        exit(1);
    }
    bool result = lowered->watches_memory;
    clc_lowered_destroy(lowered);
    clc_program_release(program);
    free(log);
    return result;
}

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (watches(cases[i].source) == cases[i].watches)
            continue;
        fprintf(stderr, "%s: %s\n", cases[i].watches ? "not noticed" : "noticed", cases[i].source);
        failures++;
    }
    return failures != 0;
}
