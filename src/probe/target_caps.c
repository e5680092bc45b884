/* Describes a Vulkan device to the compiler: the capabilities become struct clc_target, with nothing native in it (see
 * probe.h). */
#include "src/probe/probe.h"

#include "base/util.h"

#include <string.h>

/* VkSubgroupFeatureFlagBits, the values of Vulkan 1.1 */
enum {
    SUBGROUP_BASIC = 0x1,
    SUBGROUP_VOTE = 0x2,
    SUBGROUP_ARITHMETIC = 0x4,
    SUBGROUP_BALLOT = 0x8,
    SUBGROUP_SHUFFLE = 0x10,
    SUBGROUP_SHUFFLE_RELATIVE = 0x20,
    SUBGROUP_CLUSTERED = 0x40
};

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

/* VkComponentTypeKHR numbers those of OpenCL alike. */
static bool take_number(uint32_t vulkan, enum clc_number *number)
{
    static const struct {
        uint32_t vulkan;
        enum clc_number number;
    } others[] = {{1000141000, CLC_NUMBER_BF16}, {1000491002, CLC_NUMBER_E4M3}, {1000491003, CLC_NUMBER_E5M2}};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        *number = others[i].number;
        if (others[i].vulkan == vulkan)
            return true;
    }
    *number = (enum clc_number)vulkan;
    return vulkan <= CLC_NUMBER_U64;
}

static bool take_matrices(const struct vkb_matrices *from, struct clc_matrix_variant *to)
{
    to->m = from->m;
    to->n = from->n;
    to->k = from->k;
    to->saturating = from->saturating;
    return take_number(from->a, &to->a) && take_number(from->b, &to->b) && take_number(from->c, &to->c) &&
           take_number(from->result, &to->result);
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
#define ABILITIES_OF_KERNELS
#define ABILITY(name, vulkan, words, lines, without) target->name = caps->name;
#include "base/abilities.def"
#undef ABILITIES_OF_KERNELS
    /* A driver that offers the execution mode keeps subnormals in modules that ask for it, and ours do. */
    target->denorms_kept16 = caps->denorm_preserve16;
    target->denorms_kept32 = caps->denorm_preserve32;
    target->denorms_kept64 = caps->denorm_preserve64;

    /* V3DV of a Raspberry Pi 4 has the basic ones alone, and ends the process where a kernel has others. */
    const uint32_t least = SUBGROUP_BASIC | SUBGROUP_VOTE | SUBGROUP_BALLOT;
    target->subgroups = caps->subgroup_size > 1 && (caps->subgroup_operations & least) == least;
    target->subgroup_vote = caps->subgroup_operations & SUBGROUP_VOTE;
    target->subgroup_shuffle = caps->subgroup_operations & SUBGROUP_SHUFFLE;
    target->subgroup_arithmetic = caps->subgroup_operations & SUBGROUP_ARITHMETIC;
    const uint32_t resizes = SUBGROUP_SHUFFLE | SUBGROUP_SHUFFLE_RELATIVE | SUBGROUP_CLUSTERED;
    target->subgroup_resizes = (caps->subgroup_operations & resizes) == resizes;
    target->min_subgroup_size = caps->min_subgroup_size;
    target->max_subgroup_size = caps->max_subgroup_size;
    target->subgroup_size = caps->min_subgroup_size == caps->max_subgroup_size ? caps->subgroup_size : 0;
    target->usual_subgroup_size = caps->subgroup_size;
    target->device_enqueue = has_word(features, "__opencl_c_device_enqueue");
    target->short_chains = caps->short_chains;
    target->miscounts_trips = caps->miscounts_trips;
    target->loses_lanes = caps->loses_lanes;
    target->sub_groups_in_step = caps->subgroups_in_step;
    target->inlines_calls = caps->inlines_calls;
    target->computes_in_words = caps->computes_in_words || !caps->int64;
    /* Measured: lavapipe takes 20 s where a loop with six ifs, and barriers between, was written out 16 times, and 1 s
     * where it was not. */
    target->slow_branches = caps->type == VKB_DEVICE_CPU;
    target->image_read_any = vkb_caps_image_reads(caps);
    target->image_write_any = vkb_caps_image_writes(caps);
    target->decodes_packed = !caps->samples_packed;
    target->decodes_srgb = !caps->samples_srgb;
    target->rounds_writes = !caps->rounds_texels;
    target->filters = caps->filters ? ~0u : 0;

    for (uint32_t i = 0; i < caps->num_matrices && target->num_matrices < CLC_MOST_MATRICES; i++)
        target->num_matrices += take_matrices(&caps->matrices[i], &target->matrices[target->num_matrices]);
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
