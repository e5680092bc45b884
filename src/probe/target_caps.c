/* Describes a Vulkan device to the compiler: the capabilities become struct clc_target, with nothing native in it (see
 * probe.h). */
#include "src/probe/probe.h"

#include "base/util.h"

#include <string.h>

/* VkSubgroupFeatureFlagBits, the values of Vulkan 1.1 */
enum { SUBGROUP_VOTE = 0x2, SUBGROUP_ARITHMETIC = 0x4, SUBGROUP_SHUFFLE = 0x10 };

static void target_numbers(struct clc_target *target, const struct vkb_caps *caps)
{
    target->float_controls_rte16 = caps->rte16;
    target->float_controls_rte32 = caps->rte32;
    target->float_controls_rte64 = caps->rte64;
    target->signed_zero_inf_nan16 = caps->signed_zero16;
    target->signed_zero_inf_nan32 = caps->signed_zero32;
    target->signed_zero_inf_nan64 = caps->signed_zero64;
    target->denorm_preserve16 = caps->denorm_preserve16;
    target->denorm_preserve32 = caps->denorm_preserve32;
    target->denorm_preserve64 = caps->denorm_preserve64;
    /* A driver that offers the execution mode keeps subnormals in modules that ask for it, and ours do. */
    target->denorms_kept16 = caps->denorm_preserve16;
    target->denorms_kept32 = caps->denorm_preserve32;
    target->denorms_kept64 = caps->denorm_preserve64;
}

static void target_memory(struct clc_target *target, const struct vkb_caps *caps)
{
    target->storage8 = caps->storage8;
    target->storage16 = caps->storage16;
    target->push_constant8 = caps->push8;
    target->push_constant16 = caps->push16;
    target->buffer_address = caps->buffer_address;
    target->workgroup_explicit_layout = caps->explicit_layout;
    target->workgroup_explicit_layout8 = caps->explicit_layout8;
    target->workgroup_explicit_layout16 = caps->explicit_layout16;
    target->vulkan_memory_model = caps->memory_model;
    target->device_scope = caps->device_scope;
    target->int64_atomics = caps->buffer_int64_atomics;
    target->shared_int64_atomics = caps->shared_int64_atomics;
    target->atomic_float32_add = caps->float32_atomic_add;
    target->shared_atomic_float32_add = caps->shared_float32_atomic_add;
    target->atomic_float64_add = caps->float64_atomic_add;
    target->shared_atomic_float64_add = caps->shared_float64_atomic_add;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* OpenCL C 3.1 made these parts of the language. */
static bool has_c31(const char *extensions, const char *features)
{
    static const char *const promoted[] = {"cl_khr_extended_bit_ops",        "cl_khr_integer_dot_product",
                                           "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate",
                                           "cl_khr_subgroup_shuffle",        "cl_khr_subgroup_shuffle_relative"};
    for (size_t i = 0; i < sizeof(promoted) / sizeof(promoted[0]); i++)
        if (!has_word(extensions, promoted[i]))
            return false;
    return has_word(features, "__opencl_c_subgroups");
}

void target_from_caps(struct clc_target *target, const struct vkb_caps *caps, const char *extensions,
                      const char *features)
{
    memset(target, 0, sizeof(*target));
    /* OpenCL 3.1 API, appendix E: all that 3.1 asks for beyond this is there on every device. */
    target->max_std = has_c31(extensions, features) ? 310 : 300;
    target->opencl_version = target->max_std;
    target->extensions = extensions;
    target->features = features;
    target->little_endian = true;

    /* Vulkan 1.3 takes SPIR-V 1.6, 1.2 takes 1.5, 1.1 takes 1.3 (Vulkan 1.3, Versions and Formats) */
    uint32_t minor = caps->api_version >> 12 & 0x3ff;
    target->spirv_version = minor >= 3 ? 0x00010600 : minor == 2 ? 0x00010500 : caps->spirv14 ? 0x00010400 : 0x00010300;
    target->int8 = caps->int8;
    target->int16 = caps->int16;
    target->int64 = caps->int64;
    target->float16 = caps->float16;
    target->float64 = caps->float64;
    target_memory(target, caps);
    target_numbers(target, caps);

    target->subgroups = caps->subgroup_size > 1 && caps->subgroup_operations != 0;
    target->subgroup_vote = caps->subgroup_operations & SUBGROUP_VOTE;
    target->subgroup_shuffle = caps->subgroup_operations & SUBGROUP_SHUFFLE;
    target->subgroup_arithmetic = caps->subgroup_operations & SUBGROUP_ARITHMETIC;
    target->subgroup_extended_types = caps->subgroup_extended_types;
    target->subgroup_size = caps->min_subgroup_size == caps->max_subgroup_size ? caps->subgroup_size : 0;
    target->device_enqueue = has_word(features, "__opencl_c_device_enqueue");
    target->short_chains = caps->short_chains;
    target->inlines_calls = caps->inlines_calls;
    target->integer_dot_product = caps->integer_dot_product;
    target->shader_clock = caps->shader_clock;
    target->image_read_any = vkb_caps_image_reads(caps);
    target->image_write_any = vkb_caps_image_writes(caps);
    target->decodes_packed = !caps->samples_packed;
    target->decodes_srgb = !caps->samples_srgb;
    target->rounds_texels = !caps->rounds_texels;
    target->filters = caps->filters ? ~0u : 0;

    target->max_push_constants = caps->max_push_constants;
    target->max_workgroup_size = caps->max_workgroup_invocations;
    for (int i = 0; i < 3; i++) {
        target->max_workgroup_size_xyz[i] = caps->max_workgroup_size[i];
        target->max_workgroup_count[i] = caps->max_workgroup_count[i];
    }
    target->local_memory_size = caps->shared_memory;
    target->max_nesting = caps->max_nesting;
    /* Measured: 4 KiB of private array works everywhere, 16 KiB fails on NVIDIA and takes seconds on lavapipe. */
    target->max_private_array = caps->type == VKB_DEVICE_CPU ? 2048 : 4096;
}
