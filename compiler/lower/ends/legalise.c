/* The last pass: what is left of OpenCL's environment becomes Vulkan's (Vulkan 1.3, appendix A).
 *
 * - The entry point "main", the local size as specialisation constants, and the execution modes for IEEE behaviour that
 *   the device offers.
 * - Scopes and memory semantics. Under GLSL450 work-group memory is coherent, and global memory is ordered well enough
 *   for relaxed atomics. A kernel that orders global memory (a barrier with CLK_GLOBAL_MEM_FENCE, fences, acquire and
 *   release) takes the Vulkan memory model, where each access says NonPrivatePointer so that barriers apply to it.
 * - NoContraction on all float arithmetic and conversions that were not relaxed. Without it, drivers reassociate and
 *   fuse at will, and drop conversions to another type and back.
 * - Capabilities and extensions, found from what the module does now. Decorations and names that Vulkan does not know
 *   are removed. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/values/launch.h"
#include "compiler/opt/opt.h"
#include "compiler/program_flags.h"

#include "base/util.h"

#include <assert.h>

struct legalise {
    struct lower *lower;
    struct spv_module *module;
    const struct clc_target *target;
    bool vulkan_model;
    bool is_special; /* there are instructions that is_special() is true of */
};

/* ---- memory model ---- */

static uint32_t constant_or(const struct legalise *l, spv_id id, uint32_t otherwise)
{
    uint64_t bits;
    return spv_const_value(l->module, id, &bits) ? (uint32_t)bits : otherwise;
}

#define ORDER_MASK                                                                                                     \
    (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask |            \
     SpvMemorySemanticsSequentiallyConsistentMask)

static spv_id scope(const struct legalise *l, spv_id id)
{
    uint32_t value = constant_or(l, id, SpvScopeDevice);
    if (value == SpvScopeCrossDevice)
        value = SpvScopeDevice;
    if (value == SpvScopeInvocation)
        value = SpvScopeSubgroup;
    if (value == SpvScopeDevice && l->vulkan_model && !l->target->device_scope)
        value = SpvScopeQueueFamily;
    return spv_const_u32(l->module, value);
}

/* Translates memory semantics. may_acquire and may_release: a load can only acquire, a store can only release. */
static spv_id semantics(const struct legalise *l, spv_id id, uint32_t storage, bool may_acquire, bool may_release,
                        bool must_order)
{
    uint32_t value = constant_or(l, id, SpvMemorySemanticsAcquireReleaseMask), order = value & ORDER_MASK;
    bool acquire = order & ~(uint32_t)SpvMemorySemanticsReleaseMask;
    bool release = order & ~(uint32_t)SpvMemorySemanticsAcquireMask;
    acquire = (acquire || must_order) && may_acquire;
    release = (release || must_order) && may_release;
    if (!acquire && !release)
        return spv_const_u32(l->module, SpvMemorySemanticsMaskNone);
    uint32_t result = acquire && release ? SpvMemorySemanticsAcquireReleaseMask
                      : acquire          ? SpvMemorySemanticsAcquireMask
                                         : SpvMemorySemanticsReleaseMask;
    result |= storage | (value & SpvMemorySemanticsWorkgroupMemoryMask);
    if (value & (SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask))
        result |= SpvMemorySemanticsUniformMemoryMask;
    if (value & SpvMemorySemanticsImageMemoryMask)
        result |= SpvMemorySemanticsImageMemoryMask;
    if (!(result & ~ORDER_MASK))
        result |= SpvMemorySemanticsWorkgroupMemoryMask;
    if (l->vulkan_model && acquire)
        result |= SpvMemorySemanticsMakeVisibleMask;
    if (l->vulkan_model && release)
        result |= SpvMemorySemanticsMakeAvailableMask;
    return spv_const_u32(l->module, result);
}

static bool orders_global(const struct legalise *l, const struct spv_inst *inst, bool is_atomic)
{
    uint32_t word = inst->op == SpvOpMemoryBarrier ? 1 : 2;
    uint32_t value = constant_or(l, inst->words[word], ~0u);
    bool global = value & (SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask |
                           (l->lower->orders_images ? SpvMemorySemanticsImageMemoryMask : 0u));
    return (value & ORDER_MASK) && (global || is_atomic);
}

static bool legalise_order(struct legalise *l, struct spv_inst *inst)
{
    if (inst->op == SpvOpControlBarrier) {
        l->lower->uses_barrier = true;
        uint32_t execution = constant_or(l, inst->words[0], SpvScopeWorkgroup);
        inst->words[0] = spv_const_u32(l->module, execution == SpvScopeSubgroup ? SpvScopeSubgroup : SpvScopeWorkgroup);
        inst->words[1] = scope(l, inst->words[1]);
        inst->words[2] = semantics(l, inst->words[2], 0, true, true, true);
        return true;
    }
    if (inst->op == SpvOpMemoryBarrier) {
        if (!(constant_or(l, inst->words[1], ~0u) & ORDER_MASK)) {
            spv_inst_remove(l->module, inst);
            return false;
        }
        inst->words[0] = scope(l, inst->words[0]);
        inst->words[1] = semantics(l, inst->words[1], 0, true, true, true);
        return true;
    }
    if (inst->op == SpvOpReadClockKHR && constant_or(l, inst->words[0], SpvScopeDevice) != SpvScopeSubgroup)
        inst->words[0] = spv_const_u32(l->module, SpvScopeDevice); /* a work-group's clock too */
    if (!spv_op_is_atomic(inst->op))
        return true;
    SpvStorageClass class = spv_pointer_storage(l->module, spv_value_type(l->module, inst->words[0]));
    uint32_t storage =
        class == SpvStorageClassWorkgroup ? SpvMemorySemanticsWorkgroupMemoryMask : SpvMemorySemanticsUniformMemoryMask;
    inst->words[1] = scope(l, inst->words[1]);
    inst->words[2] =
        semantics(l, inst->words[2], storage, inst->op != SpvOpAtomicStore, inst->op != SpvOpAtomicLoad, false);
    if (inst->op == SpvOpAtomicCompareExchange)
        inst->words[3] = semantics(l, inst->words[3], storage, true, false, false);
    return true;
}

static void make_non_private(struct legalise *l, struct spv_inst *inst)
{
    uint32_t at, words[8], count = 0; /* at: the memory operands */
    switch (inst->op) {
    case SpvOpLoad:
        at = 1;
        break;
    case SpvOpStore:
        at = 2;
        break;
    case SpvOpCooperativeMatrixLoadKHR:
        at = 3;
        break;
    case SpvOpCooperativeMatrixStoreKHR:
        at = 4;
        break;
    default:
        return;
    }
    SpvStorageClass class = spv_pointer_storage(l->module, spv_value_type(l->module, inst->words[0]));
    if (class != SpvStorageClassWorkgroup && class != SpvStorageClassPhysicalStorageBuffer)
        return;
    for (; count < inst->num_words && count < 7; count++)
        words[count] = inst->words[count];
    if (count == at)
        words[count++] = 0;
    words[at] |= SpvMemoryAccessNonPrivatePointerMask;
    spv_inst_set_words(l->module, inst, count, words);
}

/* Texels of images that are read and written, which a fence may order: OpenCL C 3.0, 6.15.15.6. */
static void make_texels_visible(struct legalise *l, struct spv_inst *inst)
{
    if (inst->op != SpvOpImageRead && inst->op != SpvOpImageWrite)
        return;
    const struct spv_inst *image = spv_def(l->module, inst->words[0]);
    if (!image || image->op != SpvOpLoad || spv_find_decoration(l->module, image->words[0], SpvDecorationNonReadable) ||
        spv_find_decoration(l->module, image->words[0], SpvDecorationNonWritable))
        return;
    if (!l->vulkan_model) {
        if (!spv_find_decoration(l->module, image->words[0], SpvDecorationCoherent))
            spv_decorate(l->module, image->words[0], SpvDecorationCoherent, 0, NULL);
        return;
    }
    uint32_t words[4] = {inst->words[0], inst->words[1]}, count = inst->op == SpvOpImageRead ? 2 : 3;
    words[2] = count > 2 ? inst->words[2] : 0;
    words[count++] = SpvImageOperandsNonPrivateTexelMask;
    spv_inst_set_words(l->module, inst, count, words);
}

/* Whether the instruction may have a memory order, a scope or a capability to look at. Most kernels have nothing but
 * arithmetic, plain accesses to memory and control flow, for which this is false. */
static bool is_special(uint16_t op)
{
    switch (op) {
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpReadClockKHR:
    case SpvOpImageRead:
    case SpvOpImageWrite:
        return true;
    default:
        break;
    }
    enum spv_class class = spv_op_class(op);
    return class == SPV_CLASS_IMAGE_QUERY || class == SPV_CLASS_INT_DOT || spv_op_is_atomic(op) ||
           spv_op_is_subgroup(op);
}

static void choose_model(struct legalise *l)
{
    spv_foreach_function (function, l->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (spv_op_is_plain(inst->op) && inst->op < SpvOpSDot)
                    continue;
                bool atomic = spv_op_is_atomic(inst->op);
                l->is_special = l->is_special || is_special(inst->op);
                if ((atomic || inst->op == SpvOpControlBarrier || inst->op == SpvOpMemoryBarrier) &&
                    orders_global(l, inst, atomic))
                    l->lower->global_order = true;
            }
        }
    }
    /* SPV_KHR_cooperative_matrix: shaders with such matrices have Vulkan's memory model. */
    l->vulkan_model = (l->lower->global_order || l->lower->native_matrices) && l->target->memory_model;
    spv_set_memory_model(l->module, SpvAddressingModelPhysicalStorageBuffer64,
                         l->vulkan_model ? SpvMemoryModelVulkan : SpvMemoryModelGLSL450);
}

/* ---- decorations ---- */

enum { DRIVERS_FACTOR = 4 }; /* for loops that unroll.c leaves to the driver */

/* Makes hints those of Vulkan's SPIR-V. SPIR-V 1.4 could also state a factor to unroll by, and that sums do not
 * overflow; no driver was seen to gain from that. A loop that still asks to be unrolled has an unknown number of
 * iterations. Mesa obeys by nesting as many ifs as the loop may have iterations, and lavapipe crashes on the depth. */
static void state_hints(struct legalise *l, struct spv_inst *inst)
{
    if (inst->op == SpvOpLoopMerge)
        inst->words[2] &= ~(uint32_t)SpvLoopControlUnrollMask;
    if (inst->op == SpvOpLoopMerge && inst->hints.unroll && l->target->spirv_version >= 0x00010400) {
        /* without Unroll: with it, Mesa writes the whole loop out */
        const uint32_t words[] = {inst->words[0], inst->words[1], SpvLoopControlPartialCountMask,
                                  inst->hints.unroll == 1 ? DRIVERS_FACTOR : inst->hints.unroll};
        spv_inst_set_words(l->module, inst, 4, words);
    }
    spv_set_no_signed_wrap(inst, false);
}

/* Whether the driver may do what it likes: without NoContraction, drivers both fuse and regroup operations. */
static bool is_relaxed(const struct spv_module *module, spv_id id)
{
    const uint32_t both = SpvFPFastMathModeAllowContractFastINTELMask | SpvFPFastMathModeAllowReassocINTELMask;
    const struct spv_inst *decoration = spv_find_decoration(module, id, SpvDecorationFPFastMathMode);
    return decoration && decoration->num_words > 2 &&
           ((decoration->words[2] & SpvFPFastMathModeFastMask) || (decoration->words[2] & both) == both);
}

static bool keep_decoration(uint32_t decoration)
{
    switch (decoration) {
    case SpvDecorationBlock:
    case SpvDecorationOffset:
    case SpvDecorationArrayStride:
    case SpvDecorationBuiltIn:
    case SpvDecorationSpecId:
    case SpvDecorationAliased:
    case SpvDecorationNoContraction:
    case SpvDecorationBinding:
    case SpvDecorationDescriptorSet:
    case SpvDecorationNonWritable:
    case SpvDecorationNonReadable:
    case SpvDecorationCoherent:
        return true;
    default:
        return false;
    }
}

static void clean_annotations(struct legalise *l)
{
    spv_foreach_inst_safe (inst, &l->module->sections[SPV_SECTION_ANNOTATION]) {
        uint32_t word = inst->op == SpvOpMemberDecorate ? 2 : 1;
        bool known = inst->op == SpvOpDecorate || inst->op == SpvOpMemberDecorate;
        if (!known || inst->num_words <= word || !keep_decoration(inst->words[word]) ||
            !spv_def(l->module, inst->words[0]))
            spv_inst_remove(l->module, inst);
    }
}

static void clear_section(struct legalise *l, enum spv_section section)
{
    spv_foreach_inst_safe (inst, &l->module->sections[section])
        spv_inst_remove(l->module, inst);
}

/* ---- capabilities ---- */

/* The extension that brought a capability, for versions of SPIR-V before the one that has it without. */
static const char *extension_of(SpvCapability capability, uint32_t version)
{
    switch (capability) {
    case SpvCapabilityDotProduct:
        return version < 0x00010600 ? "SPV_KHR_integer_dot_product" : NULL;
    case SpvCapabilityPhysicalStorageBufferAddresses:
        return version < 0x00010500 ? "SPV_KHR_physical_storage_buffer" : NULL;
    case SpvCapabilityVulkanMemoryModel:
        return version < 0x00010500 ? "SPV_KHR_vulkan_memory_model" : NULL;
    case SpvCapabilityStorageBuffer8BitAccess:
    case SpvCapabilityStoragePushConstant8:
        return version < 0x00010500 ? "SPV_KHR_8bit_storage" : NULL;
    case SpvCapabilityRoundingModeRTE:
    case SpvCapabilitySignedZeroInfNanPreserve:
    case SpvCapabilityDenormPreserve:
        return version < 0x00010400 ? "SPV_KHR_float_controls" : NULL;
    default:
        return NULL;
    }
}

static void need(struct legalise *l, SpvCapability capability)
{
    const char *extension = extension_of(capability, l->target->spirv_version);
    if (extension)
        spv_add_extension(l->module, extension);
    spv_add_capability(l->module, capability);
}

static void image_capabilities(struct legalise *l, const struct spv_inst *type)
{
    bool storage = type->words[5] == 2;
    if (type->words[1] == SpvDim1D)
        need(l, storage ? SpvCapabilityImage1D : SpvCapabilitySampled1D);
    else if (type->words[1] == SpvDimBuffer)
        need(l, storage ? SpvCapabilityImageBuffer : SpvCapabilitySampledBuffer);
}

static void type_capabilities(struct legalise *l, const struct spv_inst *type)
{
    if (type->op == SpvOpTypeInt) {
        if (type->words[0] == 8 && l->target->int8) /* else it is only loaded and stored, see pointer_capabilities() */
            need(l, SpvCapabilityInt8);
        else if (type->words[0] == 16 && l->target->int16)
            need(l, SpvCapabilityInt16);
        else if (type->words[0] == 64)
            need(l, SpvCapabilityInt64);
    } else if (spv_is_encoded_float(l->module, type->id)) {
        bool bfloat16 = type->words[0] == 16;
        spv_add_extension(l->module, bfloat16 ? "SPV_KHR_bfloat16" : "SPV_EXT_float8");
        need(l, (SpvCapability)(bfloat16 ? SpvCapabilityBFloat16TypeKHR : SpvCapabilityFloat8EXT));
    } else if (type->op == SpvOpTypeFloat) {
        if (type->words[0] == 16)
            need(l, SpvCapabilityFloat16);
        else if (type->words[0] == 64)
            need(l, SpvCapabilityFloat64);
    } else if (type->op == SpvOpTypeImage) {
        image_capabilities(l, type);
    } else if (type->op == SpvOpTypeCooperativeMatrixKHR) {
        spv_add_extension(l->module, "SPV_KHR_cooperative_matrix");
        need(l, SpvCapabilityCooperativeMatrixKHR);
        if (spv_is_encoded_float(l->module, type->words[0]))
            need(l, spv_type_width(l->module, type->words[0]) == 16
                        ? (SpvCapability)SpvCapabilityBFloat16CooperativeMatrixKHR
                        : (SpvCapability)SpvCapabilityFloat8CooperativeMatrixEXT);
    }
}

static bool holds_width(const struct spv_module *module, spv_id type, uint32_t width)
{
    const struct spv_inst *def = spv_def(module, type);
    switch (def->op) {
    case SpvOpTypeStruct:
        for (uint32_t i = 0; i < def->num_words; i++) {
            if (holds_width(module, def->words[i], width))
                return true;
        }
        return false;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeVector:
        return holds_width(module, def->words[0], width);
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return def->words[0] == width;
    default:
        return false;
    }
}

static void pointer_capabilities(struct legalise *l, const struct spv_inst *type)
{
    bool has8 = holds_width(l->module, type->words[1], 8), has16 = holds_width(l->module, type->words[1], 16);
    switch (type->words[0]) {
    case SpvStorageClassPhysicalStorageBuffer:
        if (has8)
            need(l, SpvCapabilityStorageBuffer8BitAccess);
        if (has16)
            need(l, SpvCapabilityStorageBuffer16BitAccess);
        break;
    case SpvStorageClassPushConstant:
        if (has8)
            need(l, SpvCapabilityStoragePushConstant8);
        if (has16)
            need(l, SpvCapabilityStoragePushConstant16);
        break;
    case SpvStorageClassWorkgroup:
        if (spv_type_op(l->module, type->words[1]) != SpvOpTypeStruct)
            break;
        spv_add_extension(l->module, "SPV_KHR_workgroup_memory_explicit_layout");
        need(l, SpvCapabilityWorkgroupMemoryExplicitLayoutKHR);
        if (has8)
            need(l, SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR);
        if (has16)
            need(l, SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR);
        break;
    default:
        break;
    }
}

static void group_capabilities(struct legalise *l, const struct spv_inst *inst)
{
    l->lower->uses_subgroups = true;
    need(l, SpvCapabilityGroupNonUniform);
    need(l, spv_op_capability(inst->op));
    bool reduces = spv_op_class(inst->op) >= SPV_CLASS_SUBGROUP_ARITHMETIC;
    if (reduces && inst->words[1] == SpvGroupOperationClusteredReduce)
        need(l, SpvCapabilityGroupNonUniformClustered);
}

static void inst_capabilities(struct legalise *l, const struct spv_inst *inst)
{
    if (spv_op_is_subgroup(inst->op)) {
        group_capabilities(l, inst);
        return;
    }
    if (spv_op_is_atomic(inst->op)) {
        spv_id type = spv_pointer_pointee(l->module, spv_value_type(l->module, inst->words[0]));
        bool wide = spv_type_width(l->module, type) == 64;
        assert(wide || spv_type_width(l->module, type) == 32);
        if (inst->op == SpvOpAtomicFAddEXT) {
            spv_add_extension(l->module, "SPV_EXT_shader_atomic_float_add");
            need(l, wide ? SpvCapabilityAtomicFloat64AddEXT : SpvCapabilityAtomicFloat32AddEXT);
        } else if (wide) {
            need(l, SpvCapabilityInt64Atomics);
        }
        return;
    }
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_IMAGE_QUERY:
        need(l, SpvCapabilityImageQuery);
        return;
    case SPV_CLASS_INT_DOT:
        need(l, SpvCapabilityDotProduct);
        need(l, spv_type_is_vector(l->module, spv_value_type(l->module, inst->words[0]))
                    ? SpvCapabilityDotProductInput4x8Bit
                    : SpvCapabilityDotProductInput4x8BitPacked);
        return;
    default:
        break;
    }
    switch (inst->op) {
    case SpvOpReadClockKHR:
        spv_add_extension(l->module, "SPV_KHR_shader_clock");
        need(l, SpvCapabilityShaderClockKHR);
        break;
    case SpvOpImageRead:
        need(l, SpvCapabilityStorageImageReadWithoutFormat);
        break;
    case SpvOpImageWrite:
        need(l, SpvCapabilityStorageImageWriteWithoutFormat);
        break;
    default:
        break;
    }
}

static void builtin_capabilities(struct legalise *l, const struct spv_inst *variable)
{
    const struct spv_inst *decoration = spv_find_decoration(l->module, variable->id, SpvDecorationBuiltIn);
    if (!decoration)
        return;
    switch (decoration->words[2]) {
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        need(l, SpvCapabilityGroupNonUniformBallot);
        /* fall through */
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
        need(l, SpvCapabilityGroupNonUniform);
        l->lower->uses_subgroups = true;
        break;
    default:
        break;
    }
}

static bool check_type(struct legalise *l, const struct spv_inst *type)
{
    switch (type->op) {
    case SpvOpTypeEvent:
        return lower_fail(l->lower, "kernel '%s' uses events beyond async copies", l->lower->kernel_name);
    case SpvOpTypeInt:
    case SpvOpTypeFloat: {
        if (spv_is_encoded_float(l->module, type->id))
            return true;
        uint32_t width = type->words[0];
        bool is_int = type->op == SpvOpTypeInt;
        const struct clc_target *t = l->target;
        bool stored8 = t->storage8 || t->push_constant8, stored16 = t->storage16 || t->push_constant16;
        bool offered = is_int ? (width == 8    ? t->int8 || stored8
                                 : width == 16 ? t->int16 || stored16
                                               : width != 64 || t->int64)
                              : (width == 16 ? t->float16 : width != 64 || t->float64);
        return offered || lower_fail(l->lower, "kernel '%s' needs %u-bit %s, which the device lacks",
                                     l->lower->kernel_name, width, is_int ? "integers" : "floats");
    }
    default:
        return true;
    }
}

static bool count_capabilities(struct legalise *l)
{
    need(l, SpvCapabilityShader);
    need(l, SpvCapabilityPhysicalStorageBufferAddresses);
    if (l->vulkan_model) {
        need(l, SpvCapabilityVulkanMemoryModel);
        if (l->target->device_scope)
            need(l, SpvCapabilityVulkanMemoryModelDeviceScope);
    }
    spv_foreach_inst (inst, &l->module->sections[SPV_SECTION_GLOBAL]) {
        if (!check_type(l, inst))
            return false;
        type_capabilities(l, inst);
        if (inst->op == SpvOpTypePointer)
            pointer_capabilities(l, inst);
        else if (inst->op == SpvOpVariable)
            builtin_capabilities(l, inst);
    }
    if (!l->is_special)
        return true;
    spv_foreach_function (function, l->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                inst_capabilities(l, inst);
        }
    }
    return true;
}

/* ---- entry point and modes ---- */

static void float_mode(struct legalise *l, SpvExecutionMode mode, SpvCapability capability, uint32_t width)
{
    need(l, capability);
    spv_add_execution_mode(l->module, SpvOpExecutionMode, l->lower->kernel->def->id, mode, 1, &width);
}

/* Rounding modes are stated only where arithmetic does not round to nearest anyway, because drivers may pay for them in
 * other places. With them NVIDIA's driver divides by a long, correctly rounded sequence, which 1 / x in library code
 * does not need. */
static void add_float_modes(struct legalise *l)
{
    const struct clc_target *t = l->target;
    bool keep_denorms = !(l->lower->program_flags & PROGRAM_DENORMS_ARE_ZERO); /* of float and double */
    const struct {
        uint32_t width;
        bool type, rte, preserve, denorm;
    } widths[] = {
        {16, spv_has_capability(l->module, SpvCapabilityFloat16), t->rte16, t->signed_zero16, t->denorm_preserve16},
        {32, true, t->rte32 && !t->rounds_to_nearest32, t->signed_zero32, t->denorm_preserve32 && keep_denorms},
        {64, spv_has_capability(l->module, SpvCapabilityFloat64), t->rte64, t->signed_zero64,
         t->denorm_preserve64 && keep_denorms},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(widths); i++) {
        if (!widths[i].type)
            continue;
        if (widths[i].rte)
            float_mode(l, SpvExecutionModeRoundingModeRTE, SpvCapabilityRoundingModeRTE, widths[i].width);
        if (widths[i].preserve)
            float_mode(l, SpvExecutionModeSignedZeroInfNanPreserve, SpvCapabilitySignedZeroInfNanPreserve,
                       widths[i].width);
        if (widths[i].denorm)
            float_mode(l, SpvExecutionModeDenormPreserve, SpvCapabilityDenormPreserve, widths[i].width);
    }
}

static void add_entry_point(struct legalise *l)
{
    VEC(spv_id) interface = {0};
    spv_id function = l->lower->kernel->def->id;
    spv_foreach_inst (inst, &l->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable &&
            (l->target->spirv_version >= 0x00010400 || inst->words[0] == SpvStorageClassInput))
            vec_push(l->module->arena, &interface, inst->id);
    }
    spv_add_entry_point(l->module, SpvExecutionModelGLCompute, function, "main", interface.length, interface.data);
}

/* lower_spec_lanes() in numbers */
static uint32_t lanes_of(const struct lower *lower, uint32_t items)
{
    if (!lower->turns)
        return items;
    uint32_t rest = items % lower->subgroup_size;
    return items / lower->subgroup_size * lower->subgroup_lanes +
           (rest < lower->subgroup_lanes ? rest : lower->subgroup_lanes);
}

static void add_local_size(struct legalise *l)
{
    spv_id sizes[3], u32 = spv_type_int(l->module, 32);
    const uint32_t *required = l->lower->required_size;
    uint32_t fixed[3];
    for (uint32_t c = 0; c < 3; c++) {
        fixed[c] = required[c] ? required[c] : 1;
        sizes[c] = lower_spec_local_size(l->lower, c);
    }
    if (l->lower->flat) {
        fixed[0] = lanes_of(l->lower, fixed[0] * fixed[1] * fixed[2]);
        fixed[1] = fixed[2] = 1;
        sizes[0] = lower_spec_lanes(l->lower);
        sizes[1] = sizes[2] = spv_const_u32(l->module, 1);
    }
    for (uint32_t c = 0; c < 3 && l->lower->packs; c++) {
        const spv_id factor = lower_spec_groups(l->lower, c), place = l->lower->flat ? 0 : c;
        sizes[place] =
            spv_const_inst(l->module, SpvOpSpecConstantOp, u32, 3, (const uint32_t[]){SpvOpIMul, sizes[place], factor});
    }
    spv_id size = spv_const_inst(l->module, SpvOpSpecConstantComposite, spv_type_vector(l->module, u32, 3), 3, sizes);
    spv_decorate(l->module, size, SpvDecorationBuiltIn, 1, (const uint32_t[]){SpvBuiltInWorkgroupSize});
    spv_add_execution_mode(l->module, SpvOpExecutionMode, l->lower->kernel->def->id, SpvExecutionModeLocalSize, 3,
                           fixed);
}

/* SPIR-V 1.6, OpSelect: before version 1.4 the condition has as many components as the result. OpGroupNonUniform-
 * Broadcast: before version 1.5 its Id is constant. */
static void write_old_form(struct legalise *l, struct spv_inst *inst)
{
    if (inst->op == SpvOpSelect && l->target->spirv_version < 0x00010400 && spv_type_is_vector(l->module, inst->type) &&
        !spv_type_is_vector(l->module, spv_value_type(l->module, inst->words[0]))) {
        struct spv_builder b = {l->module, inst->block->function, inst->block, inst, NULL};
        uint32_t count = spv_type_count(l->module, inst->type);
        const spv_id same[4] = {inst->words[0], inst->words[0], inst->words[0], inst->words[0]};
        inst->words[0] = spv_emit(&b, SpvOpCompositeConstruct,
                                  spv_type_vector(l->module, spv_type_bool(l->module), count), count, same);
    }
    if (inst->op == SpvOpGroupNonUniformBroadcast && l->target->spirv_version < 0x00010500 &&
        !spv_is_constant(l->module, inst->words[2]))
        inst->op = SpvOpGroupNonUniformShuffle;
}

static bool legalise_code(struct legalise *l)
{
    spv_foreach_function (function, l->module) {
        function->def->words[0] = SpvFunctionControlMaskNone;
        if (!function->first_block)
            return lower_fail(l->lower, "kernel '%s' calls a function that the program does not define",
                              l->lower->kernel_name);
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (l->is_special && !legalise_order(l, inst))
                    continue;
                if (l->vulkan_model)
                    make_non_private(l, inst);
                if (l->is_special)
                    make_texels_visible(l, inst);
                state_hints(l, inst);
                if (l->target->spirv_version < 0x00010500)
                    write_old_form(l, inst);
                if (spv_op_is_float_arithmetic(inst->op) && !is_relaxed(l->module, inst->id))
                    spv_forbid_contraction(inst); /* conversions too: Mesa takes (long)(float)i for i without it */
            }
        }
    }
    return true;
}

/* Private instructions (spv/private.def) are gone before this pass, or one of ours has forgotten some. */
static bool no_private_left(struct lower *lower)
{
    if (!lower->module->ext_private)
        return true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_PRIVATE)
                    return lower_fail(lower, "internal error: kernel '%s': %s is left", lower->kernel_name,
                                      spv_private_name((enum spv_private)inst->words[1]));
            }
        }
    }
    return true;
}

bool lower_legalise(struct lower *lower)
{
    struct legalise l = {.lower = lower, .module = lower->module, .target = lower->target};
    opt_dce_module(lower->module); /* not later: nothing but its decoration speaks for the work-group's size */
    if (!no_private_left(lower))
        return false;
    clear_section(&l, SPV_SECTION_ENTRY_POINT);
    clear_section(&l, SPV_SECTION_EXECUTION_MODE);
    clear_section(&l, SPV_SECTION_CAPABILITY);
    clear_section(&l, SPV_SECTION_EXTENSION);
    clear_section(&l, SPV_SECTION_DEBUG);
    choose_model(&l);
    if (!legalise_code(&l))
        return false;
    add_local_size(&l);
    clean_annotations(&l);
    spv_foreach_inst_safe (inst, &l.module->sections[SPV_SECTION_EXT_INST_IMPORT]) {
        if (inst->id != l.module->ext_glsl)
            spv_inst_remove(l.module, inst);
    }
    if (!count_capabilities(&l))
        return false;
    add_float_modes(&l);
    add_entry_point(&l);
    lower->module->version = lower->target->spirv_version;
    lower->module->generator = 0;
    lower->out->uses_barrier = lower->uses_barrier;
    lower->out->uses_subgroups = lower->uses_subgroups;
    lower->out->full_subgroups = lower->native_matrices;
    return true;
}
