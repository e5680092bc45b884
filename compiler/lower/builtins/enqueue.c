/* Lowering of device-side enqueue: OpenCL C 3.0, 6.15.19. A queue and an event are numbers of 64 bits since the kernel
 * was taken out of its program, and a block is its number. Every instruction is a call of a body in lib/enqueue.cl,
 * which writes into the memory that the launch names (docs/device-enqueue.md). */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/launch.h"
#include "compiler/program_flags.h"

static spv_id memory_address(struct builtin_lowering *x)
{
    spv_id type = spv_type_pointer(x->module, SpvStorageClassCrossWorkgroup, spv_type_int(x->module, 32));
    return lower_op1(x, SpvOpConvertUToPtr, type, lower_emit_launch_value(x->lower, &x->b, CLC_LAUNCH_ENQUEUE, 0));
}

static spv_id wrong_operands(struct builtin_lowering *x)
{
    return lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op)), 0;
}

static bool is_pointer(const struct builtin_lowering *x, spv_id value)
{
    return spv_type_is_pointer(x->module, spv_value_type(x->module, value));
}

/* The pointer as a generic one to type. */
static spv_id generic_pointer(struct builtin_lowering *x, spv_id pointer, spv_id type)
{
    if (!is_pointer(x, pointer))
        return wrong_operands(x);
    spv_id from = spv_value_type(x->module, pointer), to = spv_type_pointer(x->module, SpvStorageClassGeneric, type);
    const struct spv_inst *def = spv_def(x->module, pointer);
    if (def->op == SpvOpConstantNull)
        return spv_const_null(x->module, to);
    SpvStorageClass storage = spv_pointer_storage(x->module, from);
    if (spv_pointer_pointee(x->module, from) != type)
        pointer = lower_op1(x, SpvOpBitcast, spv_type_pointer(x->module, storage, type), pointer);
    return storage == SpvStorageClassGeneric ? pointer : lower_op1(x, SpvOpPtrCastToGeneric, to, pointer);
}

static spv_id u32(struct builtin_lowering *x, uint32_t value)
{
    return spv_const_u32(x->module, value);
}

/* An integer as one of so many bits; what a pointer points to where it is one: translators from LLVM give sizes so. */
static spv_id integer(struct builtin_lowering *x, spv_id value, uint32_t width)
{
    if (is_pointer(x, value)) {
        spv_id pointee = spv_pointer_pointee(x->module, spv_value_type(x->module, value));
        value = spv_emitv(&x->b, SpvOpLoad, pointee, value, SpvMemoryAccessAlignedMask,
                          spv_type_is_int(x->module, pointee) ? spv_type_width(x->module, pointee) / 8 : 1);
    }
    spv_id type = spv_value_type(x->module, value);
    if (!spv_type_is_int(x->module, type) || spv_type_count(x->module, type) != 1)
        return wrong_operands(x);
    return lower_resize(x, spv_type_int(x->module, width), value, false);
}

/* A private array of count values, by its address. */
static spv_id array_of(struct builtin_lowering *x, uint32_t width, uint32_t count, const spv_id *values)
{
    spv_id type = spv_type_int(x->module, width), generic = spv_type_pointer(x->module, SpvStorageClassGeneric, type);
    if (!count)
        return spv_const_null(x->module, generic);
    spv_id element = spv_type_pointer(x->module, SpvStorageClassFunction, type);
    spv_id array = spv_emit_variable(&x->b, spv_type_array(x->module, type, count));
    spv_id first = 0;
    for (uint32_t i = 0; i < count; i++) {
        spv_id pointer = spv_emitv(&x->b, SpvOpInBoundsAccessChain, element, array, u32(x, i));
        first = i ? first : pointer;
        spv_emitv_void(&x->b, SpvOpStore, pointer, values[i], SpvMemoryAccessAlignedMask, width / 8);
    }
    return lower_op1(x, SpvOpPtrCastToGeneric, generic, first);
}

/* ---- ndranges ---- */

/* struct { u32 dimensions; u64 offset[3], global[3], local[3]; } */
static bool is_ndrange(const struct builtin_lowering *x, spv_id type)
{
    const struct spv_inst *def = spv_def(x->module, type);
    if (!def || def->op != SpvOpTypeStruct || def->num_words != 4 || def->words[0] != spv_type_int(x->module, 32))
        return false;
    for (uint32_t i = 1; i < 4; i++) {
        const struct spv_inst *array = spv_def(x->module, def->words[i]);
        uint64_t length;
        if (array->op != SpvOpTypeArray || array->words[0] != spv_type_int(x->module, 64) ||
            !spv_const_value(x->module, array->words[1], &length) || length != 3)
            return false;
    }
    return true;
}

/* The dimensions, and the nine sizes as an array's address. */
static bool take_ndrange(struct builtin_lowering *x, spv_id ndrange, spv_id *dims, spv_id *range)
{
    spv_id u64 = spv_type_int(x->module, 64), values[9];
    if (is_pointer(x, ndrange)) {
        spv_id type = spv_pointer_pointee(x->module, spv_value_type(x->module, ndrange));
        if (!is_ndrange(x, type)) {
            wrong_operands(x);
            return false;
        }
        ndrange = spv_emitv(&x->b, SpvOpLoad, type, ndrange, SpvMemoryAccessAlignedMask, 8u);
    }
    if (!is_ndrange(x, spv_value_type(x->module, ndrange))) {
        wrong_operands(x);
        return false;
    }
    *dims = spv_emitv(&x->b, SpvOpCompositeExtract, spv_type_int(x->module, 32), ndrange, 0);
    for (uint32_t i = 0; i < 9; i++)
        values[i] = spv_emitv(&x->b, SpvOpCompositeExtract, u64, ndrange, 1 + i / 3, i % 3);
    *range = array_of(x, 64, 9, values);
    return true;
}

/* One operand of OpBuildNDRange, as an array of three; what is missing is `missing`. */
static spv_id three_sizes(struct builtin_lowering *x, spv_id type, spv_id sizes, uint32_t dims, uint32_t missing)
{
    spv_id u64 = spv_type_int(x->module, 64), values[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (i >= dims)
            values[i] = spv_const_u64(x->module, missing);
        else if (spv_type_is_int(x->module, spv_value_type(x->module, sizes)))
            values[i] = lower_resize(x, u64, sizes, false);
        else
            values[i] = spv_emitv(&x->b, SpvOpCompositeExtract, u64, sizes, i);
    }
    return spv_emitv(&x->b, SpvOpCompositeConstruct, type, values[0], values[1], values[2]);
}

static bool is_sizes(const struct builtin_lowering *x, spv_id type, uint64_t *dims)
{
    const struct spv_inst *def = spv_def(x->module, type);
    *dims = 1;
    if (spv_type_is_int(x->module, type) && spv_type_count(x->module, type) == 1)
        return true;
    return def->op == SpvOpTypeArray && def->words[0] == spv_type_int(x->module, 64) &&
           spv_const_value(x->module, def->words[1], dims) && *dims >= 1 && *dims <= 3;
}

/* OpBuildNDRange: global size, local size, offset. */
static spv_id build_ndrange(struct builtin_lowering *x)
{
    uint64_t dims[3];
    if (x->num_args != 3 || !is_ndrange(x, x->type))
        return wrong_operands(x);
    for (uint32_t i = 0; i < 3; i++) {
        if (!is_sizes(x, spv_value_type(x->module, x->args[i]), &dims[i]) || dims[i] != dims[0])
            return wrong_operands(x);
    }
    spv_id array = spv_def(x->module, x->type)->words[1];
    uint32_t count = (uint32_t)dims[0];
    return spv_emitv(&x->b, SpvOpCompositeConstruct, x->type, u32(x, count),
                     three_sizes(x, array, x->args[2], count, 0), three_sizes(x, array, x->args[0], count, 1),
                     three_sizes(x, array, x->args[1], count, 0));
}

/* ---- enqueueing ---- */

static spv_id flag(struct builtin_lowering *x, uint32_t bit)
{
    return u32(x, x->lower->program_flags & bit ? 1 : 0);
}

static spv_id parent(struct builtin_lowering *x)
{
    return lower_emit_launch_value(x->lower, &x->b, CLC_LAUNCH_ENQUEUE_PARENT, 0);
}

/* OpEnqueueKernel: queue, flags, ndrange, number of events, events, event returned, block, captured values, their size
 * and alignment, sizes of local arguments. */
static spv_id enqueue_kernel(struct builtin_lowering *x)
{
    enum { FIXED = 10, MAX_LOCALS = 240 };
    spv_id u64 = spv_type_int(x->module, 64), u8 = spv_type_int(x->module, 8), dims, range, locals[MAX_LOCALS];
    uint32_t num_locals = x->inst->num_words - FIXED;
    if (x->inst->num_words < FIXED || num_locals > MAX_LOCALS)
        return wrong_operands(x);
    for (uint32_t i = 0; i < num_locals; i++)
        locals[i] = integer(x, spv_replaced(&x->replacements, x->inst->words[FIXED + i]), 32);
    if (x->lower->error || !take_ndrange(x, x->args[2], &dims, &range))
        return 0;
    const spv_id args[] = {
        memory_address(x),
        parent(x),
        integer(x, x->args[0], 64),
        integer(x, x->args[1], 32),
        dims,
        range,
        integer(x, x->args[3], 32),
        generic_pointer(x, x->args[4], u64),
        generic_pointer(x, x->args[5], u64),
        integer(x, x->args[6], 32),
        generic_pointer(x, x->args[7], u8),
        integer(x, x->args[8], 32),
        integer(x, x->args[9], 32),
        u32(x, num_locals),
        array_of(x, 32, num_locals, locals),
        flag(x, PROGRAM_UNIFORM_WORK_GROUP_SIZE),
        flag(x, PROGRAM_ENQUEUE_DETAILS),
    };
    return x->lower->error ? 0 : lower_library_call(x, "__pumice_enqueue_kernel", ARRAY_LENGTH(args), args);
}

/* OpEnqueueMarker: queue, number of events, events, event returned */
static spv_id enqueue_marker(struct builtin_lowering *x)
{
    spv_id u64 = spv_type_int(x->module, 64);
    if (x->num_args != 4)
        return wrong_operands(x);
    const spv_id args[] = {
        memory_address(x),
        parent(x),
        integer(x, x->args[0], 64),
        integer(x, x->args[1], 32),
        generic_pointer(x, x->args[2], u64),
        generic_pointer(x, x->args[3], u64),
        flag(x, PROGRAM_ENQUEUE_DETAILS),
    };
    return x->lower->error ? 0 : lower_library_call(x, "__pumice_enqueue_marker", ARRAY_LENGTH(args), args);
}

static spv_id subgroup_count(struct builtin_lowering *x)
{
    spv_id dims, range;
    if (x->num_args != 5 || !take_ndrange(x, x->args[0], &dims, &range))
        return x->lower->error ? 0 : wrong_operands(x);
    const spv_id args[] = {memory_address(x), dims, range};
    return lower_library_call(x, "__pumice_enqueue_subgroup_count", ARRAY_LENGTH(args), args);
}

/* OpGetKernelLocalSizeForSubgroupCount: number of sub-groups, block, captured values, their size and alignment */
static spv_id local_size(struct builtin_lowering *x)
{
    if (x->num_args != 5)
        return wrong_operands(x);
    const spv_id args[] = {memory_address(x), integer(x, x->args[0], 32)};
    return x->lower->error ? 0 : lower_library_call(x, "__pumice_enqueue_local_size", ARRAY_LENGTH(args), args);
}

static spv_id query(struct builtin_lowering *x, const char *body)
{
    const spv_id memory = memory_address(x);
    return lower_library_call(x, body, 1, &memory);
}

/* ---- events ---- */

static spv_id on_event(struct builtin_lowering *x, const char *body)
{
    if (x->num_args != 1)
        return wrong_operands(x);
    const spv_id args[] = {memory_address(x), integer(x, x->args[0], 64)};
    return x->lower->error ? 0 : lower_library_call(x, body, ARRAY_LENGTH(args), args);
}

static spv_id is_valid_event(struct builtin_lowering *x)
{
    spv_id valid = on_event(x, "__pumice_enqueue_is_valid_event");
    return valid ? lower_op2(x, SpvOpINotEqual, x->type, valid, u32(x, 0)) : 0;
}

static spv_id set_status(struct builtin_lowering *x)
{
    if (x->num_args != 2)
        return wrong_operands(x);
    const spv_id args[] = {memory_address(x), integer(x, x->args[0], 64), integer(x, x->args[1], 32)};
    return x->lower->error ? 0
                           : lower_library_call(x, "__pumice_enqueue_set_user_event_status", ARRAY_LENGTH(args), args);
}

/* OpCaptureEventProfilingInfo: event, which, pointer to two words. There is one kind of information, execution times.
 */
static spv_id capture_profile(struct builtin_lowering *x)
{
    spv_id u64 = spv_type_int(x->module, 64);
    if (x->num_args != 3 || !is_pointer(x, x->args[2]) ||
        spv_pointer_storage(x->module, spv_value_type(x->module, x->args[2])) != SpvStorageClassCrossWorkgroup)
        return wrong_operands(x);
    const spv_id args[] = {memory_address(x), integer(x, x->args[0], 64),
                           lower_op1(x, SpvOpConvertPtrToU, u64, x->args[2])};
    return x->lower->error ? 0 : lower_library_call(x, "__pumice_enqueue_capture_profiling", ARRAY_LENGTH(args), args);
}

spv_id lower_core_enqueue(struct builtin_lowering *x)
{
    if (!x->target->device_enqueue) {
        lower_fail(x->lower, "kernel '%s' enqueues kernels, which this device does not offer", x->lower->kernel_name);
        return 0;
    }
    switch (x->inst->op) {
    case SpvOpEnqueueKernel:
        return enqueue_kernel(x);
    case SpvOpEnqueueMarker:
        return enqueue_marker(x);
    case SpvOpBuildNDRange:
        return build_ndrange(x);
    case SpvOpGetDefaultQueue:
        return query(x, "__pumice_enqueue_default_queue");
    case SpvOpGetKernelWorkGroupSize:
        return query(x, "__pumice_enqueue_work_group_size");
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
        return query(x, "__pumice_enqueue_subgroup_size");
    case SpvOpGetKernelNDrangeSubGroupCount:
        return subgroup_count(x);
    case SpvOpGetKernelLocalSizeForSubgroupCount:
        return local_size(x);
    case SpvOpGetKernelMaxNumSubgroups:
        return query(x, "__pumice_enqueue_max_subgroups");
    case SpvOpCreateUserEvent:
        return query(x, "__pumice_enqueue_create_user_event");
    case SpvOpRetainEvent:
        return on_event(x, "__pumice_enqueue_retain_event");
    case SpvOpReleaseEvent:
        return on_event(x, "__pumice_enqueue_release_event");
    case SpvOpIsValidEvent:
        return is_valid_event(x);
    case SpvOpSetUserEventStatus:
        return set_status(x);
    default:
        return capture_profile(x);
    }
}
