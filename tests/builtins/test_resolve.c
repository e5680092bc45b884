/* Overload resolution: what is accepted, what is not, and what is said. OpenCL C 3.0, 6.15; ambiguities as clang sees
 * them. */
#include "compiler/clc.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *statement;
    const char *message; /* part of the log; NULL: compiles */
} rows[] = {
    {"f = sin(f);", NULL},
    {"f4 = sin(f4);", NULL},
    {"f = sin(1);", "call to 'sin' is ambiguous"},
    {"d = sin(1.0);", NULL},
    {"f = sqrt(2.0);", NULL},
    {"f = pow(f, 2);", NULL},
    {"f4 = max(f4, f);", NULL},
    {"f4 = max(f4, 1.0);", NULL},
    {"f4 = fmax(1.0f, f4);", NULL},
    {"i = max(i, u);", "call to 'max' is ambiguous"},
    {"u = min(u, 5u);", NULL},
    {"u = min(u, 5);", "ambiguous"},
    {"i4 = clamp(i4, 0, 255);", NULL},
    {"i = clamp(i, 0, 255);", NULL},
    {"f = mix(f4, f4, f4);", "float4"},
    {"f4 = mix(f4, f4, 0.5f);", NULL},
    {"f4 = step(f, f4);", NULL},
    {"i = sin();", "too few arguments"},
    {"f = sin(f, f);", "too many arguments"},
    {"f = sin(p);", "no matching function"},
    {"f = dot(f4, f4);", NULL},
    {"f8 = (float8)(dot(f8, f8));", "no matching function"},
    {"f4 = vload4(0, p);", NULL},
    {"f4 = vload4(i, cp);", NULL},
    {"vstore4(f4, 0, cp);", NULL} /* with a warning, like clang */,
    {"vstore4(f4, 0, p);", NULL},
    {"f = vload_half(0, (global half *)p);", NULL},
    {"i = convert_int_sat_rte(f);", NULL},
    {"i4 = convert_int4(f4);", NULL},
    {"i4 = convert_int4(f);", "no matching function"},
    {"i4 = convert_int4_sat_rtq(f4);", "convert_int4_sat_rtq"},
    {"f = convert_float_sat(i);", "convert_float_sat"},
    {"i = as_int(f);", NULL},
    {"i = as_int(d);", "sizes"},
    {"f4 = as_float4(i3);", NULL},
    {"i = as_int(p);", "sizes"},
    {"atomic_add(gi, 1);", NULL},
    {"u = atomic_add(gu, i);", NULL},
    {"atomic_add(i, 1);", "no matching function"},
    {"atomic_xchg(p, 1.0f);", NULL},
    {"f = fract(f, &f);", NULL},
    {"f = frexp(f, &i);", NULL},
    {"f = frexp(f, p);", NULL} /* likewise */,
    {"f = remquo(f, f, gi);", NULL},
    {"i4 = select(i4, i4, u4);", NULL},
    {"f4 = select(f4, f4, i4);", NULL},
    {"f4 = select(f4, f4, f4);", "no matching function"},
    {"f4 = shuffle(f8, u4);", NULL},
    {"f4 = shuffle(f8, i4);", "no matching function"},
    {"i = printf(\"%d\", i);", NULL},
    {"i = printf(\"%v4f\", f4);", NULL},
    {"i = isequal(f, f);", NULL},
    {"i4 = isequal(f4, f4);", NULL},
    {"i = any(i4);", NULL},
    {"barrier(CLK_LOCAL_MEM_FENCE);", NULL},
    {"i = get_global_id(0);", NULL},
    {"i = get_local_linear_id();", NULL},
    {"i = upsample((short)i, (ushort)u);", NULL},
    {"f = native_sin(d);", NULL},
    {"i = popcount(f);", "ambiguous"},
    {"i = vec_step(f4);", NULL},
    {"i = sub_group_all(1);", "sub_group_all"},
    {"i = work_group_all(1);", "work_group_all"},
    {"write_imagef(image, i4.xy, f4);", NULL},
    {"write_imagef(image, i4.xy, 2, f4);", NULL}, /* cl_khr_mipmap_image_writes */
    {"write_imageui(image, i4.xy, 2, u4);", NULL},
    {"write_imagef(image, i4, 2, f4);", "no matching function"},
    {"f4 = read_imagef(image, i4.xy);", "no matching function"},
};

static char *compile(const char *statement)
{
    char source[1024], *log = NULL;
    snprintf(source, sizeof(source),
             "kernel void k(global float *p, const global float *cp, global int *gi, global uint *gu, int i, uint u, "
             "float f,\n"
             "float4 f4, float8 f8, int4 i4, int3 i3, uint4 u4, double d, write_only image2d_t image) {\n%s\n}\n",
             statement);
    struct clc_target target;
    clc_target_default(&target);
    target.extensions = "cl_khr_fp64 cl_khr_mipmap_image_writes";
    target.features = "__opencl_c_fp64 __opencl_c_int64 __opencl_c_generic_address_space __opencl_c_images";
    const struct clc_compile_args args = {.strings = (const char *const[]){source},
                                          .num_strings = 1,
                                          .options = "-cl-std=CL3.0",
                                          .target = &target,
                                          .compile_only = true};
    struct clc_program *program = NULL;
    enum clc_result result = clc_compile(&args, &program, &log);
    clc_program_release(program);
    if (result == CLC_SUCCESS) {
        free(log);
        log = NULL;
    } else if (!log) {
        log = strdup("(no log)");
    }
    return log;
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *log = compile(rows[i].statement);
        bool right = rows[i].message ? log && strstr(log, rows[i].message) : !log;
        if (!right) {
            fprintf(stderr, "%s\n  expected %s, got:\n%s\n", rows[i].statement,
                    rows[i].message ? rows[i].message : "success", log ? log : "success");
            test_failures++;
        }
        free(log);
    }
    return test_result();
}
