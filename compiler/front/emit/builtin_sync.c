/* Emission of barriers, fences, atomics, asynchronous copies and the collective functions of work-groups and
 * sub-groups. Scopes and orders are constants in SPIR-V; where the source computes them at run time the strongest one
 * is emitted, which is always allowed. OpenCL C 3.0, 6.15.8 to 6.15.12, 6.15.16, 6.15.20. */
#include "compiler/front/emit/builtins.h"

#include "base/util.h"

#include <stdio.h>

/* ---- scopes and orders ---- */

enum { ORDER_RELAXED = 0, ORDER_ACQUIRE = 2, ORDER_RELEASE = 3, ORDER_ACQ_REL = 4, ORDER_SEQ_CST = 5 };
enum { FENCE_LOCAL = 1, FENCE_GLOBAL = 2, FENCE_IMAGE = 4 };

uint32_t builtin_scope(const struct builtin_call *call, uint32_t index)
{
    static const uint8_t scopes[] = {SpvScopeInvocation, SpvScopeWorkgroup, SpvScopeDevice, SpvScopeCrossDevice,
                                     SpvScopeSubgroup};
    uint64_t value;
    if (index < call->num_args && builtin_const_arg(call, index, &value) && value < ARRAY_LENGTH(scopes))
        return scopes[value];
    return SpvScopeDevice;
}

static uint32_t order_semantics(const struct builtin_call *call, uint32_t index)
{
    uint64_t value = ORDER_SEQ_CST;
    if (index >= call->num_args || !builtin_const_arg(call, index, &value))
        return SpvMemorySemanticsSequentiallyConsistentMask;
    switch (value) {
    case ORDER_RELAXED:
        return 0;
    case ORDER_ACQUIRE:
        return SpvMemorySemanticsAcquireMask;
    case ORDER_RELEASE:
        return SpvMemorySemanticsReleaseMask;
    case ORDER_ACQ_REL:
        return SpvMemorySemanticsAcquireReleaseMask;
    default:
        return SpvMemorySemanticsSequentiallyConsistentMask;
    }
}

/* cl_mem_fence_flags to the memory that is ordered */
static uint32_t fence_memory(const struct builtin_call *call, uint32_t index)
{
    uint64_t flags = FENCE_LOCAL | FENCE_GLOBAL | FENCE_IMAGE;
    builtin_const_arg(call, index, &flags);
    return (flags & FENCE_LOCAL ? SpvMemorySemanticsWorkgroupMemoryMask : 0u) |
           (flags & FENCE_GLOBAL ? SpvMemorySemanticsCrossWorkgroupMemoryMask : 0u) |
           (flags & FENCE_IMAGE ? SpvMemorySemanticsImageMemoryMask : 0u);
}

static enum address_space pointer_space(const struct builtin_call *call, uint32_t index)
{
    return call->args[index]->type.type->pointer.pointee.address_space;
}

static uint32_t pointer_memory(const struct builtin_call *call, uint32_t index)
{
    switch (pointer_space(call, index)) {
    case AS_LOCAL:
        return SpvMemorySemanticsWorkgroupMemoryMask;
    case AS_GENERIC:
        return SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask;
    default:
        return SpvMemorySemanticsCrossWorkgroupMemoryMask;
    }
}

/* ---- barriers and fences ---- */

/* barrier(flags), work_group_barrier(flags, scope), sub_group_barrier(flags, scope); aux 1: of the sub-group */
spv_id emit_barrier_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t execution = call->pattern->aux ? SpvScopeSubgroup : SpvScopeWorkgroup;
    uint32_t memory = call->num_args > 1 ? builtin_scope(call, 1) : execution;
    uint32_t semantics = fence_memory(call, 0);
    if (semantics)
        semantics |= SpvMemorySemanticsSequentiallyConsistentMask;
    spv_emitv_void(&e->b, SpvOpControlBarrier, emit_const_u32(e, execution), emit_const_u32(e, memory),
                   emit_const_u32(e, semantics));
    return 0;
}

/* cl_intel_split_work_group_barrier: intel_work_group_barrier_arrive(flags, scope), _wait(flags, scope) */
spv_id emit_split_barrier_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t memory = call->num_args > 1 ? builtin_scope(call, 1) : SpvScopeWorkgroup,
             semantics = fence_memory(call, 0);
    bool arrives = call->op == SpvOpControlBarrierArriveINTEL;
    if (semantics)
        semantics |= arrives ? SpvMemorySemanticsReleaseMask : SpvMemorySemanticsAcquireMask;
    spv_add_extension(e->module, "SPV_INTEL_split_barrier");
    emit_capability(e, SpvCapabilitySplitBarrierINTEL);
    spv_emitv_void(&e->b, (SpvOp)call->op, emit_const_u32(e, SpvScopeWorkgroup), emit_const_u32(e, memory),
                   emit_const_u32(e, semantics));
    return 0;
}

/* mem_fence, read_mem_fence, write_mem_fence: they order the accesses of one work-item. A fence of global memory has
 * the scope of the device, since work-items of other groups may read what it orders. */
spv_id emit_fence_builtin(struct emit *e, const struct builtin_call *call)
{
    static const uint32_t orders[] = {SpvMemorySemanticsAcquireReleaseMask, SpvMemorySemanticsAcquireMask,
                                      SpvMemorySemanticsReleaseMask};
    uint32_t memory = fence_memory(call, 0);
    if (!memory)
        return 0;
    uint32_t scope = memory & ~(uint32_t)SpvMemorySemanticsWorkgroupMemoryMask ? SpvScopeDevice : SpvScopeWorkgroup;
    spv_emitv_void(&e->b, SpvOpMemoryBarrier, emit_const_u32(e, scope),
                   emit_const_u32(e, memory | orders[call->pattern->aux]));
    return 0;
}

spv_id emit_work_item_fence_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t memory = fence_memory(call, 0), order = order_semantics(call, 1);
    if (memory && order)
        spv_emitv_void(&e->b, SpvOpMemoryBarrier, emit_const_u32(e, builtin_scope(call, 2)),
                       emit_const_u32(e, memory | order));
    return 0;
}

/* ---- address spaces: OpenCL C 3.0, 6.15.10 ---- */

spv_id emit_to_space_builtin(struct emit *e, const struct builtin_call *call)
{
    enum address_space space = call->result->pointer.pointee.address_space;
    return spv_emitv(&e->b, SpvOpGenericCastToPtrExplicit, call->type, call->ids[0], emit_storage_class(space));
}

/* WorkgroupMemory is bit 8, CrossWorkgroupMemory bit 9; CLK_LOCAL_MEM_FENCE 1, CLK_GLOBAL_MEM_FENCE 2 */
spv_id emit_get_fence_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id semantics = spv_emitv(&e->b, SpvOpGenericPtrMemSemantics, call->type, call->ids[0]);
    spv_id shifted = spv_emitv(&e->b, SpvOpShiftRightLogical, call->type, semantics, emit_const_u32(e, 8));
    return spv_emitv(&e->b, SpvOpBitwiseAnd, call->type, shifted, emit_const_u32(e, FENCE_LOCAL | FENCE_GLOBAL));
}

/* ---- asynchronous copies: OpenCL C 3.0, 6.15.11 ---- */

/* async_work_group_copy(dst, src, n, event), async_work_group_strided_copy(dst, src, n, stride, event) */
spv_id emit_async_builtin(struct emit *e, const struct builtin_call *call)
{
    bool strided = call->pattern->aux;
    emit_capability(e, SpvCapabilityGroups);
    return spv_emitv(&e->b, SpvOpGroupAsyncCopy, call->type, emit_const_u32(e, SpvScopeWorkgroup), call->ids[0],
                     call->ids[1], call->ids[2], strided ? call->ids[3] : emit_const_u64(e, 1),
                     call->ids[strided ? 4 : 3]);
}

spv_id emit_wait_events_builtin(struct emit *e, const struct builtin_call *call)
{
    emit_capability(e, SpvCapabilityGroups);
    spv_emitv_void(&e->b, SpvOpGroupWaitEvents, emit_const_u32(e, SpvScopeWorkgroup), call->ids[0], call->ids[1]);
    return 0;
}

/* Copies are complete for the group at a barrier, so that one orders them. */
spv_id emit_async_fence_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t memory = fence_memory(call, 0) | SpvMemorySemanticsSequentiallyConsistentMask;
    spv_id scope = emit_const_u32(e, SpvScopeWorkgroup);
    spv_emitv_void(&e->b, SpvOpControlBarrier, scope, scope, emit_const_u32(e, memory));
    return 0;
}

/* SPIR-V has no instruction for it: a library function takes bytes; aux is the number of dimensions. */
spv_id emit_async_nd_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id args[16];
    uint32_t count = call->num_args - 1;
    for (uint32_t i = 0; i < count; i++)
        args[i] = call->ids[i];
    for (uint32_t i = 0; i <= 2; i += 2) {
        const struct type *uchar = e->front->types->scalars[TYPE_UCHAR];
        args[i] = emit_bitcast(e, emit_pointer_type(e, uchar, pointer_space(call, i)), args[i]);
    }
    char name[64];
    snprintf(name, sizeof(name), "__pumice_async_copy_%ud_%s", call->pattern->aux,
             pointer_space(call, 0) == AS_LOCAL ? "g2l" : "l2g");
    spv_emit_import_call(&e->b, name, spv_type_void(e->module), count, args);
    return call->ids[call->num_args - 1];
}

/* ---- atomics ---- */

struct atomic_site {
    spv_id pointer, scope, semantics;
};

/* An atomic on private memory gets a generic pointer, as from clang. SPIR-V forbids atomics on the storage class
 * Function where the capability Shader is declared, which other capabilities imply (ShaderClockKHR). Lowering finds the
 * address space again. */
static spv_id atomic_pointer(struct emit *e, const struct builtin_call *call)
{
    spv_id pointer = call->ids[0];
    if (pointer_space(call, 0) != AS_PRIVATE)
        return pointer;
    spv_id pointee = spv_pointer_pointee(e->module, spv_value_type(e->module, pointer));
    return spv_emitv(&e->b, SpvOpPtrCastToGeneric, emit_pointer_to(e, pointee, AS_GENERIC), pointer);
}

/* order: index of the argument with the memory order, which the scope follows. A call may leave out the scope, or both:
 * then they are seq_cst and the device (OpenCL C 3.0, 6.15.12.7). */
static struct atomic_site atomic_site(struct emit *e, const struct builtin_call *call, uint32_t order)
{
    uint32_t semantics = order_semantics(call, order);
    if (semantics)
        semantics |= pointer_memory(call, 0);
    uint32_t scope = builtin_scope(call, order + 1);
    return (struct atomic_site){atomic_pointer(e, call), emit_const_u32(e, scope), emit_const_u32(e, semantics)};
}

static void require_int64_atomics(struct emit *e, const struct type *type)
{
    if (type->kind == TYPE_LONG || type->kind == TYPE_ULONG || type->kind == TYPE_DOUBLE)
        emit_capability(e, SpvCapabilityInt64Atomics);
}

static const struct type *atomic_type(const struct builtin_call *call)
{
    return builtin_plain(call->args[0]->type.type->pointer.pointee.type);
}

spv_id emit_atomic_init_builtin(struct emit *e, const struct builtin_call *call)
{
    struct lvalue object = emit_deref(e, call->ids[0], call->args[0]->type.type);
    emit_store(e, &object, call->ids[1]);
    return 0;
}

/* aux: 0 the implicit form, whose order is seq_cst; stores release and loads acquire at least */
spv_id emit_atomic_store_builtin(struct emit *e, const struct builtin_call *call)
{
    struct atomic_site site = atomic_site(e, call, 2);
    require_int64_atomics(e, atomic_type(call));
    spv_emitv_void(&e->b, SpvOpAtomicStore, site.pointer, site.scope, site.semantics, call->ids[1]);
    return 0;
}

spv_id emit_atomic_load_builtin(struct emit *e, const struct builtin_call *call)
{
    struct atomic_site site = atomic_site(e, call, 1);
    require_int64_atomics(e, atomic_type(call));
    return spv_emitv(&e->b, SpvOpAtomicLoad, call->type, site.pointer, site.scope, site.semantics);
}

spv_id emit_atomic_rmw_builtin(struct emit *e, const struct builtin_call *call)
{
    struct atomic_site site = atomic_site(e, call, 2);
    require_int64_atomics(e, atomic_type(call));
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, site.pointer, site.scope, site.semantics, call->ids[1]);
}

/* aux bit 1: subtraction, as addition of the negative */
spv_id emit_atomic_float_builtin(struct emit *e, const struct builtin_call *call)
{
    static const SpvCapability capabilities[][2] = {
        {SpvCapabilityAtomicFloat16MinMaxEXT, SpvCapabilityAtomicFloat16AddEXT},
        {SpvCapabilityAtomicFloat32MinMaxEXT, SpvCapabilityAtomicFloat32AddEXT},
        {SpvCapabilityAtomicFloat64MinMaxEXT, SpvCapabilityAtomicFloat64AddEXT},
    };
    struct atomic_site site = atomic_site(e, call, 2);
    enum type_kind kind = atomic_type(call)->kind;
    uint32_t width = kind == TYPE_HALF ? 0 : kind == TYPE_DOUBLE ? 2 : 1;
    bool adds = call->op == SpvOpAtomicFAddEXT;
    spv_add_extension(e->module, !adds        ? "SPV_EXT_shader_atomic_float_min_max"
                                 : width == 0 ? "SPV_EXT_shader_atomic_float16_add"
                                              : "SPV_EXT_shader_atomic_float_add");
    emit_capability(e, capabilities[width][adds]);
    spv_id value = call->ids[1];
    if (call->pattern->aux & 2)
        value = spv_emitv(&e->b, SpvOpFNegate, call->type, value);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, site.pointer, site.scope, site.semantics, value);
}

/* OpenCL C 3.0, 6.15.12.7.4: bool compare_exchange(object, expected, desired[, success, failure[, scope]]). *expected
 * is written in either case, without a branch: on failure it gets the object's value, and on success it holds that
 * value already. Floats are compared as bits. */
spv_id emit_atomic_cas_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct type *type = atomic_type(call);
    bool explicit_order = call->pattern->aux;
    uint32_t success = order_semantics(call, explicit_order ? 3 : UINT32_MAX);
    uint32_t failure = order_semantics(call, explicit_order ? 4 : UINT32_MAX);
    uint32_t scope = builtin_scope(call, explicit_order ? 5 : UINT32_MAX), memory = pointer_memory(call, 0);
    struct lvalue expected = emit_deref(e, call->ids[1], call->args[1]->type.type);
    spv_id comparator = emit_load(e, &expected), desired = call->ids[2], pointer = atomic_pointer(e, call);
    spv_id value_type = emit_type(e, type), int_type = value_type;
    require_int64_atomics(e, type);
    if (type_is_float_kind(type->kind)) {
        int_type = emit_int_type(e, (uint32_t)type->size * 8);
        enum address_space space = pointer_space(call, 0);
        space = space == AS_PRIVATE ? AS_GENERIC : space;
        pointer = emit_bitcast(e, emit_pointer_to(e, int_type, space), pointer);
        comparator = emit_bitcast(e, int_type, comparator);
        desired = emit_bitcast(e, int_type, desired);
    }
    spv_id old = spv_emitv(&e->b, (SpvOp)call->op, int_type, pointer, emit_const_u32(e, scope),
                           emit_const_u32(e, success ? success | memory : 0),
                           emit_const_u32(e, failure ? failure | memory : 0), desired, comparator);
    spv_id equal = spv_emitv(&e->b, SpvOpIEqual, spv_type_bool(e->module), old, comparator);
    emit_store(e, &expected, emit_bitcast(e, value_type, old));
    return equal;
}

spv_id emit_atomic_flag_builtin(struct emit *e, const struct builtin_call *call)
{
    struct atomic_site site = atomic_site(e, call, 1);
    if (call->op == SpvOpAtomicFlagTestAndSet)
        return spv_emitv(&e->b, SpvOpAtomicFlagTestAndSet, call->type, site.pointer, site.scope, site.semantics);
    spv_emitv_void(&e->b, SpvOpAtomicFlagClear, site.pointer, site.scope, site.semantics);
    return 0;
}

/* OpenCL C 3.0, 6.15.12.8: relaxed, and visible to the device (global) or the work-group (local) */
spv_id emit_atomic_old_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id pointer = call->ids[0], none = emit_const_u32(e, 0);
    spv_id scope = emit_const_u32(e, pointer_space(call, 0) == AS_LOCAL ? SpvScopeWorkgroup : SpvScopeDevice);
    require_int64_atomics(e, atomic_type(call));
    if (call->op == SpvOpAtomicCompareExchange)
        return spv_emitv(&e->b, SpvOpAtomicCompareExchange, call->type, pointer, scope, none, none, call->ids[2],
                         call->ids[1]);
    if (call->num_args == 1)
        return spv_emitv(&e->b, (SpvOp)call->op, call->type, pointer, scope, none);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, pointer, scope, none, call->ids[1]);
}

/* ---- collectives ---- */

/* int (*)(int) through bool */
static spv_id group_bool(struct emit *e, const struct builtin_call *call)
{
    return spv_emitv(&e->b, SpvOpINotEqual, spv_type_bool(e->module), call->ids[0], emit_const_u32(e, 0));
}

spv_id emit_group_vote_builtin(struct emit *e, const struct builtin_call *call)
{
    emit_capability(e, SpvCapabilityGroups);
    spv_id all = spv_emitv(&e->b, (SpvOp)call->op, spv_type_bool(e->module), emit_const_u32(e, call->pattern->aux),
                           group_bool(e, call));
    return emit_bool_to_int(e, call->result, all);
}

/* The local id is one number, or a vector of two or three. */
spv_id emit_group_broadcast_builtin(struct emit *e, const struct builtin_call *call)
{
    emit_capability(e, SpvCapabilityGroups);
    spv_id id = call->ids[1];
    if (call->num_args > 2)
        id = emit_construct(e, spv_type_vector(e->module, spv_type_int(e->module, 64), call->num_args - 1),
                            call->num_args - 1, call->ids + 1);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, emit_const_u32(e, call->pattern->aux), call->ids[0], id);
}

/* aux: scope, and the GroupOperation above bit 4 */
spv_id emit_group_arith_builtin(struct emit *e, const struct builtin_call *call)
{
    emit_capability(e, SpvCapabilityGroups);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, emit_const_u32(e, call->pattern->aux & 15),
                     call->pattern->aux >> 4, call->ids[0]);
}

/* SPV_KHR_uniform_group_instructions */
static void require_uniform_groups(struct emit *e)
{
    spv_add_extension(e->module, "SPV_KHR_uniform_group_instructions");
    emit_capability(e, SpvCapabilityGroupUniformArithmeticKHR);
}

spv_id emit_group_uniform_builtin(struct emit *e, const struct builtin_call *call)
{
    require_uniform_groups(e);
    return emit_group_arith_builtin(e, call);
}

spv_id emit_group_logical_builtin(struct emit *e, const struct builtin_call *call)
{
    struct builtin_call inner = *call;
    spv_id value = group_bool(e, call);
    require_uniform_groups(e);
    inner.ids = &value;
    inner.type = spv_type_bool(e->module);
    return emit_bool_to_int(e, call->result, emit_group_arith_builtin(e, &inner));
}

/* The non-uniform instructions came with SPIR-V 1.3. */
static spv_id subgroup(struct emit *e, SpvCapability capability)
{
    if (e->module->version < 0x00010300)
        e->module->version = 0x00010300;
    emit_capability(e, SpvCapabilityGroupNonUniform);
    emit_capability(e, capability);
    return emit_const_u32(e, SpvScopeSubgroup);
}

/* value, index or mask or delta[, cluster size] */
spv_id emit_sg_index_builtin(struct emit *e, const struct builtin_call *call)
{
    SpvCapability capability = SpvCapabilityGroupNonUniformBallot;
    if (call->op == SpvOpGroupNonUniformRotateKHR) {
        spv_add_extension(e->module, "SPV_KHR_subgroup_rotate");
        capability = (SpvCapability)SpvCapabilityGroupNonUniformRotateKHR;
    } else if (call->op == SpvOpGroupNonUniformShuffle || call->op == SpvOpGroupNonUniformShuffleXor) {
        capability = SpvCapabilityGroupNonUniformShuffle;
    } else if (call->op == SpvOpGroupNonUniformShuffleUp || call->op == SpvOpGroupNonUniformShuffleDown) {
        capability = SpvCapabilityGroupNonUniformShuffleRelative;
    }
    uint32_t words[4] = {subgroup(e, capability)};
    for (uint32_t i = 0; i < call->num_args; i++)
        words[1 + i] = call->ids[i];
    return spv_emit(&e->b, (SpvOp)call->op, call->type, 1 + call->num_args, words);
}

spv_id emit_sg_value_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniformBallot);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, scope, call->ids[0]);
}

spv_id emit_sg_ballot_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniformBallot);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, scope, group_bool(e, call));
}

spv_id emit_sg_inverse_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t words[3] = {subgroup(e, SpvCapabilityGroupNonUniformBallot), call->ids[0]};
    if (call->num_args > 1)
        words[2] = call->ids[1];
    spv_id bit = spv_emit(&e->b, (SpvOp)call->op, spv_type_bool(e->module), 1 + call->num_args, words);
    return emit_bool_to_int(e, call->result, bit);
}

spv_id emit_sg_count_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniformBallot);
    return spv_emitv(&e->b, (SpvOp)call->op, call->type, scope, call->pattern->aux, call->ids[0]);
}

/* aux: the GroupOperation; clustered ones have the cluster's size as second argument */
spv_id emit_sg_arith_builtin(struct emit *e, const struct builtin_call *call)
{
    bool clustered = call->pattern->aux == SpvGroupOperationClusteredReduce;
    spv_id scope =
        subgroup(e, clustered ? SpvCapabilityGroupNonUniformClustered : SpvCapabilityGroupNonUniformArithmetic);
    uint32_t words[4] = {scope, call->pattern->aux, call->ids[0]};
    if (clustered)
        words[3] = call->ids[1];
    return spv_emit(&e->b, (SpvOp)call->op, call->type, clustered ? 4 : 3, words);
}

spv_id emit_sg_logical_builtin(struct emit *e, const struct builtin_call *call)
{
    struct builtin_call inner = *call;
    spv_id value = group_bool(e, call), ids[2] = {value, call->num_args > 1 ? call->ids[1] : 0};
    inner.ids = ids;
    inner.type = spv_type_bool(e->module);
    return emit_bool_to_int(e, call->result, emit_sg_arith_builtin(e, &inner));
}

spv_id emit_sg_elect_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniform);
    return emit_bool_to_int(e, call->result, spv_emitv(&e->b, (SpvOp)call->op, spv_type_bool(e->module), scope));
}

spv_id emit_sg_vote_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniformVote);
    spv_id vote = spv_emitv(&e->b, (SpvOp)call->op, spv_type_bool(e->module), scope, group_bool(e, call));
    return emit_bool_to_int(e, call->result, vote);
}

spv_id emit_sg_all_equal_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id scope = subgroup(e, SpvCapabilityGroupNonUniformVote);
    spv_id vote = spv_emitv(&e->b, (SpvOp)call->op, spv_type_bool(e->module), scope, call->ids[0]);
    return emit_bool_to_int(e, call->result, vote);
}

/* OpenCL C 3.0, 6.15.21. The hilo forms give the same value as two words. SPIR-V has clocks for the sub-group and for
 * the device; a work-group reads the device's. */
spv_id emit_clock_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_add_extension(e->module, "SPV_KHR_shader_clock");
    emit_capability(e, SpvCapabilityShaderClockKHR);
    return spv_emitv(&e->b, (SpvOp)SpvOpReadClockKHR, call->type, emit_const_u32(e, call->pattern->aux));
}
