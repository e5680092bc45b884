/* What the compiler's public interface offers of the front end alone: preprocessed text, checked options, a default
 * target. */
#include "compiler/front/pp/front.h"

#include "base/float_env.h"

#include <stdlib.h>
#include <string.h>

struct printed {
    char *text;
    bool out_of_memory;
};

static void print_tokens(struct clc_front *front, void *data)
{
    struct printed *printed = data;
    struct str out;
    str_init(&out, front->arena);
    pp_print(front, &out);
    printed->text = malloc(out.length + 1);
    if (!printed->text) {
        printed->out_of_memory = true;
        return;
    }
    memcpy(printed->text, str_text(&out), out.length + 1);
}

enum clc_result clc_preprocess(const struct clc_compile_args *args, char **text, char **log)
{
    FLOAT_ENV_DEFAULT();
    struct printed printed = {0};
    *text = NULL;
    enum clc_result result = pp_front_run(args, print_tokens, &printed, log);
    if (printed.out_of_memory && result != CLC_OUT_OF_MEMORY) {
        if (log) {
            free(*log);
            *log = NULL;
        }
        return CLC_OUT_OF_MEMORY;
    }
    *text = printed.text; /* with errors too: what could be preprocessed */
    return result;
}

enum clc_result clc_check_options(const char *options, bool link, char **message)
{
    jmp_buf out_of_memory;
    struct arena arena;
    struct clc_options parsed;
    if (message)
        *message = NULL;
    arena_init(&arena, &out_of_memory, (size_t)16 << 20);
    if (setjmp(out_of_memory)) {
        arena_finish(&arena);
        return CLC_OUT_OF_MEMORY;
    }
    const char *text = pp_options_parse(&arena, options, link, &parsed);
    enum clc_result result = text ? CLC_INVALID_OPTIONS : CLC_SUCCESS;
    if (text && message && !(*message = strdup(text)))
        result = CLC_OUT_OF_MEMORY;
    arena_finish(&arena);
    return result;
}

void clc_target_default(struct clc_target *target)
{
    *target = (struct clc_target){
        .opencl_version = 300,
        .max_std = 310,
        .extensions =
            "cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long "
            "cl_intel_subgroup_local_block_io cl_intel_subgroup_buffer_prefetch cl_intel_split_work_group_barrier "
            "cl_intel_subgroup_matrix_multiply_accumulate cl_intel_subgroup_matrix_multiply_accumulate_tf32 "
            "cl_intel_bfloat16_conversions cl_arm_integer_dot_product_int8 cl_arm_integer_dot_product_accumulate_int8 "
            "cl_arm_integer_dot_product_accumulate_int16 cl_arm_integer_dot_product_accumulate_saturate_int8 "
            "cl_amd_media_ops cl_amd_media_ops2 cl_pumice_small_floats "
            "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
            "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics "
            "cl_khr_int64_extended_atomics cl_khr_fp16 cl_khr_fp64 cl_khr_3d_image_writes cl_khr_depth_images "
            "cl_khr_extended_bit_ops cl_khr_integer_dot_product cl_khr_subgroups cl_khr_expect_assume "
            "cl_khr_extended_async_copies cl_khr_kernel_clock cl_khr_subgroup_extended_types "
            "cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic "
            "cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce "
            "cl_khr_subgroup_rotate cl_khr_subgroup_named_barrier cl_khr_work_group_uniform_arithmetic "
            "cl_khr_cooperative_matrix "
            "cl_khr_async_work_group_copy_fence cl_khr_device_enqueue_local_arg_types cl_khr_mipmap_image "
            "cl_khr_mipmap_image_writes cl_khr_srgb_image_writes cl_khr_image2d_from_buffer cl_ext_float_atomics",
        .features = "__opencl_c_int64 __opencl_c_fp64 __opencl_c_images __opencl_c_3d_image_writes "
                    "__opencl_c_read_write_images __opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst "
                    "__opencl_c_atomic_scope_device __opencl_c_generic_address_space "
                    "__opencl_c_program_scope_global_variables __opencl_c_subgroups "
                    "__opencl_c_work_group_collective_functions __opencl_c_integer_dot_product_input_4x8bit "
                    "__opencl_c_integer_dot_product_input_4x8bit_packed __opencl_c_kernel_clock_scope_device "
                    "__opencl_c_kernel_clock_scope_work_group __opencl_c_kernel_clock_scope_sub_group __opencl_c_pipes "
                    "__opencl_c_device_enqueue __opencl_c_atomic_scope_all_devices "
                    "__opencl_c_ext_fp16_global_atomic_load_store __opencl_c_ext_fp16_local_atomic_load_store "
                    "__opencl_c_ext_fp16_global_atomic_add __opencl_c_ext_fp16_local_atomic_add "
                    "__opencl_c_ext_fp16_global_atomic_min_max __opencl_c_ext_fp16_local_atomic_min_max "
                    "__opencl_c_ext_fp32_global_atomic_load_store __opencl_c_ext_fp32_local_atomic_load_store "
                    "__opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_local_atomic_add "
                    "__opencl_c_ext_fp32_global_atomic_min_max __opencl_c_ext_fp32_local_atomic_min_max "
                    "__opencl_c_ext_fp64_global_atomic_load_store __opencl_c_ext_fp64_local_atomic_load_store "
                    "__opencl_c_ext_fp64_global_atomic_add __opencl_c_ext_fp64_local_atomic_add "
                    "__opencl_c_ext_fp64_global_atomic_min_max __opencl_c_ext_fp64_local_atomic_min_max",
        .little_endian = true,
        .images = true,
        .spirv_version = 0x00010600,
#define ABILITIES_OF_KERNELS
#define ABILITY(name, vulkan, words, lines, without) .name = true,
#include "base/abilities.def"
#undef ABILITIES_OF_KERNELS
        .inlines_calls = true,
        .denorms_kept16 = true,
        .denorms_kept32 = true,
        .denorms_kept64 = true,
        .subgroups = true,
        .subgroup_vote = true,
        .subgroup_shuffle = true,
        .subgroup_arithmetic = true,
        .subgroup_resizes = true,
        .pipes = true,
        .device_enqueue = true,
        .max_push_constants = 128,
        .max_workgroup_size = 1024,
        .max_workgroup_size_xyz = {1024, 1024, 64},
        .max_workgroup_count = {65535, 65535, 65535},
        .local_memory_size = 32768,
        .max_nesting = 80,
        .max_private_array = 1024,
    };
}
