/* Compiles a file, validates its kernel SPIR-V, lowers every kernel and validates what comes out.
 *
 *   check_calls [--native] [--fast] [--relaxed] FILE.cl|FILE.spv [KERNEL...]    with kernels: only these are lowered
 *
 * The target offers everything, and nothing natively, so that every library body is reached.
 * --native takes the device's own functions wherever a probe can allow it, --relaxed builds with
 * -cl-fast-relaxed-math. */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char extensions[] =
    "cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_extended_bit_ops "
    "cl_khr_async_work_group_copy_fence cl_khr_extended_async_copies cl_ext_float_atomics cl_khr_depth_images "
    "cl_khr_3d_image_writes cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_ballot "
    "cl_khr_subgroup_clustered_reduce cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_non_uniform_vote "
    "cl_khr_subgroup_rotate cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_integer_dot_product "
    "cl_khr_mipmap_image cl_khr_mipmap_image_writes cl_khr_gl_msaa_sharing "
    "cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long "
    "cl_intel_subgroup_local_block_io cl_intel_subgroup_buffer_prefetch cl_intel_split_work_group_barrier "
    "cl_intel_subgroup_matrix_multiply_accumulate cl_intel_subgroup_matrix_multiply_accumulate_tf32 "
    "cl_intel_bfloat16_conversions cl_arm_integer_dot_product_int8 cl_arm_integer_dot_product_accumulate_int8 "
    "cl_arm_integer_dot_product_accumulate_int16 cl_arm_integer_dot_product_accumulate_saturate_int8 "
    "cl_amd_media_ops cl_amd_media_ops2 cl_pumice_small_floats "
    "cl_khr_work_group_uniform_arithmetic";
static const char features[] =
    "__opencl_c_device_enqueue "
    "__opencl_c_fp64 __opencl_c_int64 __opencl_c_generic_address_space __opencl_c_subgroups __opencl_c_images "
    "__opencl_c_3d_image_writes __opencl_c_read_write_images __opencl_c_work_group_collective_functions "
    "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device "
    "__opencl_c_atomic_scope_all_devices __opencl_c_integer_dot_product_input_4x8bit "
    "__opencl_c_integer_dot_product_input_4x8bit_packed __opencl_c_program_scope_global_variables";

static int lower_kernel(const struct clc_program *program, const char *name, const struct clc_target *target)
{
    const struct clc_lower_options options = {.target = target};
    struct clc_lowered *lowered = NULL;
    char *message = NULL;
    if (clc_lower(program, name, &options, &lowered, &message) != CLC_SUCCESS) {
        printf("%s: not lowered: %s\n", name, message ? message : "");
        free(message);
        return 1;
    }
    char *invalid = clc_validate(lowered->words, lowered->num_words, "vulkan");
    if (invalid)
        printf("%s: invalid Vulkan SPIR-V: %s\n", name, invalid);
    clc_lowered_destroy(lowered);
    int failed = invalid != NULL;
    free(invalid);
    return failed;
}

/* All that src/probe/probe_rows.c measures: GLSL.std.450 has most functions for 32 bits only. */
static void take_natives(struct clc_target *target)
{
    static const enum clc_probe wide[] = {CLC_PROBE_FMA,       CLC_PROBE_DIV,           CLC_PROBE_RECIPROCAL,
                                          CLC_PROBE_SQRT,      CLC_PROBE_RSQRT,         CLC_PROBE_ROUND,
                                          CLC_PROBE_FMIN_FMAX, CLC_PROBE_DOUBLE_TO_HALF};
    for (int i = 0; i < CLC_PROBE_COUNT; i++)
        target->native[i][CLC_WIDTH_32] = CLC_NATIVE_BOUND;
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        target->native[wide[i]][CLC_WIDTH_16] = target->native[wide[i]][CLC_WIDTH_64] = CLC_NATIVE_EXACT;
    target->denorms_kept16 = target->denorms_kept32 = target->denorms_kept64 = true;
}

/* A device whose own functions are no good but for the parts of fast bodies. */
static void take_fast_bodies(struct clc_target *target)
{
    for (int width = 0; width < CLC_WIDTH_COUNT; width++)
        target->native[CLC_PROBE_FMA][width] = CLC_NATIVE_EXACT;
    target->native[CLC_PROBE_FAST_BODIES][CLC_WIDTH_32] = CLC_NATIVE_BOUND;
    target->native[CLC_PROBE_DIV_LARGE][CLC_WIDTH_32] = CLC_NATIVE_BOUND;
}

static struct clc_program *load(const char *path, const struct clc_target *target, const char *relaxed)
{
    size_t length;
    char *text = test_read_file(path, &length), *log = NULL;
    struct clc_program *program = NULL;
    if (!text)
        return NULL;
    size_t name = strlen(path);
    enum clc_result result;
    if (name > 4 && !strcmp(path + name - 4, ".spv")) {
        result = clc_program_from_il(text, length, relaxed, NULL, 0, target, false, &program, &log);
    } else {
        const struct clc_compile_args args = {.strings = (const char *const[]){text},
                                              .lengths = &length,
                                              .num_strings = 1,
                                              .options = *relaxed ? relaxed : "-cl-std=CL3.0",
                                              .target = target,
                                              .file_name = path};
        result = clc_compile(&args, &program, &log);
    }
    if (log && *log)
        printf("%s\n", log);
    free(log);
    free(text);
    return result == CLC_SUCCESS ? program : NULL;
}

int main(int argc, char **argv)
{
    const char *options = "";
    struct clc_target target;
    clc_target_default(&target);
    for (; argc > 1 && !strncmp(argv[1], "--", 2); argc--, argv++) {
        if (!strcmp(argv[1], "--native"))
            take_natives(&target);
        if (!strcmp(argv[1], "--fast"))
            take_fast_bodies(&target);
        if (!strcmp(argv[1], "--relaxed"))
            options = "-cl-std=CL3.0 -cl-fast-relaxed-math";
    }
    target.extensions = extensions;
    target.features = features;
    struct clc_program *program = argc > 1 ? load(argv[1], &target, options) : NULL;
    if (!program)
        return 1;
    size_t num_words;
    const uint32_t *words = clc_program_spirv(program, &num_words);
    char *invalid = clc_validate(words, num_words, "opencl");
    if (invalid)
        printf("invalid OpenCL SPIR-V: %s\n", invalid);
    int failed = invalid != NULL;
    free(invalid);
    uint32_t count = clc_program_num_kernels(program);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = clc_program_kernel(program, i)->name;
        bool wanted = argc == 2;
        for (int a = 2; a < argc; a++)
            wanted = wanted || !strcmp(argv[a], name);
        if (wanted)
            failed += lower_kernel(program, name, &target);
    }
    printf("%u kernels, %d failed\n", count, failed);
    clc_program_release(program);
    return failed != 0;
}
