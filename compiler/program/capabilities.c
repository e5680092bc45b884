/* Which capabilities and extensions of SPIR-V a module may use, each with what a device must offer for it. One table
 * decides what a build accepts and what the device's queries list, so that both say the same.
 *
 * A module is accepted only when all that it declares is in the table: otherwise an instruction that lowering does not
 * know would reach the driver. The validator makes sure that a module declares what it uses. OpenCL SPIR-V environment
 * specification, sections 4 (required capabilities), 6 and 7 (extensions). */
#include "compiler/program/program.h"

#include "base/util.h"

#include <string.h>

#define NO_INTEGER_WRAP "SPV_KHR_no_integer_wrap_decoration"
#define DOT_PRODUCT     "SPV_KHR_integer_dot_product"
#define FLOAT_ADD       "SPV_EXT_shader_atomic_float_add"
#define FLOAT_MIN_MAX   "SPV_EXT_shader_atomic_float_min_max"
#define UNIFORM_GROUPS  "SPV_KHR_uniform_group_instructions"

static bool always(const struct clc_target *target)
{
    (void)target;
    return true;
}

static bool has_float16(const struct clc_target *target)
{
    return target->float16;
}

static bool has_float64(const struct clc_target *target)
{
    return target->float64 && target->int64; /* doubles are converted to and from long */
}

static bool has_int64_atomics(const struct clc_target *target)
{
    return target->buffer_int64_atomics;
}

static bool has_subgroups(const struct clc_target *target)
{
    return target->subgroups;
}

static bool has_images(const struct clc_target *target)
{
    return target->images;
}

static bool has_pipes(const struct clc_target *target)
{
    return target->pipes;
}

static bool has_device_enqueue(const struct clc_target *target)
{
    return target->device_enqueue;
}

struct row {
    uint32_t capability; /* UINT32_MAX: an extension that comes without one */
    const char *name;
    const char *extension;                            /* of SPIR-V, that brings it; NULL: the core */
    bool (*offered)(const struct clc_target *target); /* NULL: word decides */
    const char *word; /* of the device's extensions or features, that must be there too; NULL: none */
};

#define C(name) SpvCapability##name, #name

static const struct row rows[] = {
    {C(Addresses), NULL, always},
    {C(Linkage), NULL, always},
    {C(Kernel), NULL, always},
    {C(Vector16), NULL, always},
    {C(Float16Buffer), NULL, always},
    {C(Int8), NULL, always},
    {C(Int16), NULL, always},
    {C(Int64), NULL, always},
    {C(Float16), NULL, has_float16},
    {C(Float64), NULL, has_float64},
    {C(Int64Atomics), NULL, has_int64_atomics},
    {C(Groups), NULL, always},
    {C(GenericPointer), NULL, always},
    {C(SubgroupDispatch), NULL, has_subgroups},
    {C(NamedBarrier), NULL, NULL, "cl_khr_subgroup_named_barrier"},
    {C(Pipes), NULL, has_pipes},
    {C(DeviceEnqueue), NULL, has_device_enqueue},
    {C(PipeStorage), NULL, has_pipes},
    {C(ImageBasic), NULL, has_images},
    {C(ImageReadWrite), NULL, has_images, "__opencl_c_read_write_images"},
    {C(ImageMipmap), NULL, has_images, "cl_khr_mipmap_image"},
    {C(LiteralSampler), NULL, has_images},
    {C(Sampled1D), NULL, has_images},
    {C(Image1D), NULL, has_images},
    {C(SampledBuffer), NULL, has_images},
    {C(ImageBuffer), NULL, has_images},
    {C(GroupNonUniform), NULL, has_subgroups},
    {C(GroupNonUniformVote), NULL, NULL, "cl_khr_subgroup_non_uniform_vote"},
    {C(GroupNonUniformBallot), NULL, NULL, "cl_khr_subgroup_ballot"},
    {C(GroupNonUniformArithmetic), NULL, NULL, "cl_khr_subgroup_non_uniform_arithmetic"},
    {C(GroupNonUniformShuffle), NULL, NULL, "cl_khr_subgroup_shuffle"},
    {C(GroupNonUniformShuffleRelative), NULL, NULL, "cl_khr_subgroup_shuffle_relative"},
    {C(GroupNonUniformClustered), NULL, NULL, "cl_khr_subgroup_clustered_reduce"},
    {6026, "GroupNonUniformRotateKHR", "SPV_KHR_subgroup_rotate", NULL, "cl_khr_subgroup_rotate"},
    {C(GroupUniformArithmeticKHR), UNIFORM_GROUPS, NULL, "cl_khr_work_group_uniform_arithmetic"},
    {C(ShaderClockKHR), "SPV_KHR_shader_clock", NULL, "cl_khr_kernel_clock"},
    {C(DotProductKHR), DOT_PRODUCT, always},
    {C(DotProductInputAllKHR), DOT_PRODUCT, always},
    {C(DotProductInput4x8BitKHR), DOT_PRODUCT, always},
    {C(DotProductInput4x8BitPackedKHR), DOT_PRODUCT, always},
    {C(UniformDecoration), NULL, always},
    {C(BitInstructions), "SPV_KHR_bit_instructions", always},
    {C(ExpectAssumeKHR), "SPV_KHR_expect_assume", always},
    {C(AtomicFloat16AddEXT), "SPV_EXT_shader_atomic_float16_add", NULL, "__opencl_c_ext_fp16_global_atomic_add"},
    {C(AtomicFloat32AddEXT), FLOAT_ADD, NULL, "__opencl_c_ext_fp32_global_atomic_add"},
    {C(AtomicFloat64AddEXT), FLOAT_ADD, NULL, "__opencl_c_ext_fp64_global_atomic_add"},
    {C(AtomicFloat16MinMaxEXT), FLOAT_MIN_MAX, NULL, "__opencl_c_ext_fp16_global_atomic_min_max"},
    {C(AtomicFloat32MinMaxEXT), FLOAT_MIN_MAX, NULL, "__opencl_c_ext_fp32_global_atomic_min_max"},
    {C(AtomicFloat64MinMaxEXT), FLOAT_MIN_MAX, NULL, "__opencl_c_ext_fp64_global_atomic_min_max"},
    {C(SubgroupShuffleINTEL), "SPV_INTEL_subgroups", NULL, "cl_intel_subgroups"},
    {C(SubgroupBufferBlockIOINTEL), "SPV_INTEL_subgroups", NULL, "cl_intel_subgroups"},
    {C(SubgroupImageBlockIOINTEL), "SPV_INTEL_subgroups", NULL, "cl_intel_subgroups"},
    {C(SplitBarrierINTEL), "SPV_INTEL_split_barrier", NULL, "cl_intel_split_work_group_barrier"},
    {C(UntypedPointersKHR), "SPV_KHR_untyped_pointers", always},
    {C(OptNoneINTEL), "SPV_INTEL_optnone", always},
    {UINT32_MAX, "", NO_INTEGER_WRAP, always},
    {UINT32_MAX, "", "SPV_KHR_linkonce_odr", always},
    {UINT32_MAX, "", "SPV_KHR_non_semantic_info", always},
};

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length) {
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

/* Whether the device offers it. Without a target, for offline use, everything is offered. */
static bool is_offered(const struct row *row, const struct clc_target *target)
{
    if (!target)
        return true;
    if (row->offered && !row->offered(target))
        return false;
    return !row->word || has_word(target->extensions, row->word) || has_word(target->features, row->word);
}

static const char *check_capability(struct arena *arena, uint32_t capability, const struct clc_target *target)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].capability != capability)
            continue;
        if (is_offered(&rows[i], target))
            return NULL;
        return arena_printf(arena, "the module needs capability %s, which the device does not offer", rows[i].name);
    }
    const char *name = spv_capability_name(capability);
    return arena_printf(arena, "the module needs capability %s (%u), which is not supported", name ? name : "unknown",
                        capability);
}

static const char *check_extension(struct arena *arena, const char *extension, const struct clc_target *target)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].extension && !strcmp(rows[i].extension, extension) && is_offered(&rows[i], target))
            return NULL;
    }
    return arena_printf(arena, "the module needs extension %s, which is not supported", extension);
}

const char *program_check_capabilities(struct arena *arena, const struct spv_module *module,
                                       const struct clc_target *target)
{
    const char *message = NULL;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_CAPABILITY])
        message = message ? message : check_capability(arena, inst->words[0], target);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXTENSION])
        message = message ? message : check_extension(arena, spv_string(inst, 0, NULL), target);
    return message;
}

uint32_t clc_spirv_capabilities(const struct clc_target *target, uint32_t *values, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows) && count < capacity; i++) {
        if (rows[i].capability != UINT32_MAX && is_offered(&rows[i], target))
            values[count++] = rows[i].capability;
    }
    return count;
}

uint32_t clc_spirv_extensions(const struct clc_target *target, const char **names, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows) && count < capacity; i++) {
        bool known = !rows[i].extension || !is_offered(&rows[i], target);
        for (uint32_t k = 0; k < count && !known; k++)
            known = !strcmp(names[k], rows[i].extension);
        if (!known)
            names[count++] = rows[i].extension;
    }
    return count;
}
