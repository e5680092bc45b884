/* Emission of device-side enqueue: OpenCL C 3.0, 6.15.19. The instructions are as clang with llvm-spirv writes them: an
 * ndrange_t is given by its address, lists of events by generic pointers, sizes of local memory by the addresses of
 * ulongs. */
#include "compiler/front/emit/builtins.h"

static bool is_null(const struct expr *arg)
{
    while (arg->kind == EXPR_CAST && arg->cast.cast != CAST_NULL_POINTER && arg->type.type->kind == TYPE_POINTER)
        arg = arg->cast.operand;
    return arg->kind == EXPR_CAST ? arg->cast.cast == CAST_NULL_POINTER : arg->is_constant && !arg->integer;
}

/* A pointer to events as a generic one. */
static spv_id generic_events(struct emit *e, const struct builtin_call *call, uint32_t index)
{
    spv_id generic = emit_pointer_type(e, e->front->types->clk_event, AS_GENERIC);
    const struct expr *arg = call->args[index];
    if (is_null(arg))
        return spv_const_null(e->module, generic);
    emit_capability(e, SpvCapabilityGenericPointer);
    if (arg->type.type->pointer.pointee.address_space == AS_GENERIC)
        return call->ids[index];
    return spv_emitv(&e->b, SpvOpPtrCastToGeneric, generic, call->ids[index]);
}

static bool is_events(const struct expr *arg)
{
    const struct type *type = arg->type.type;
    return type->kind == TYPE_POINTER && type->pointer.pointee.type->kind == TYPE_CLK_EVENT;
}

spv_id emit_device_event_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id words[8];
    emit_capability(e, SpvCapabilityDeviceEnqueue);
    for (uint32_t i = 0; i < call->num_args; i++)
        words[i] = is_events(call->args[i]) ? generic_events(e, call, i) : call->ids[i];
    if (call->op == SpvOpCaptureEventProfilingInfo)
        words[2] = emit_bitcast(e, emit_pointer_to(e, emit_int_type(e, 8), AS_GLOBAL), words[2]);
    if (call->result->kind != TYPE_VOID)
        return spv_emit(&e->b, (SpvOp)call->op, call->type, call->num_args, words);
    spv_emit_void(&e->b, (SpvOp)call->op, call->num_args, words);
    return 0;
}

/* What a size_t [2] or [3] holds, as a value; in one dimension the argument itself. */
static spv_id sizes_value(struct emit *e, const struct builtin_call *call, uint32_t index, uint32_t dims)
{
    if (dims == 1)
        return call->ids[index];
    enum address_space space = call->args[index]->type.type->pointer.pointee.address_space;
    spv_id array = spv_type_array(e->module, emit_int_type(e, 64), dims);
    spv_id pointer = emit_bitcast(e, emit_pointer_to(e, array, space), call->ids[index]);
    return spv_emitv(&e->b, SpvOpLoad, array, pointer, SpvMemoryAccessAlignedMask, 8u);
}

/* ndrange_*D(size), (size, local) or (offset, size, local); aux: the dimensions */
spv_id emit_ndrange_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t dims = call->pattern->aux;
    spv_id type = dims == 1 ? emit_int_type(e, 64) : spv_type_array(e->module, emit_int_type(e, 64), dims);
    spv_id none = dims == 1 ? emit_const_u64(e, 0) : spv_const_null(e->module, type);
    spv_id values[3] = {none, none, none};
    for (uint32_t i = 0; i < call->num_args; i++)
        values[i] = sizes_value(e, call, i, dims);
    spv_id offset = call->num_args == 3 ? values[0] : none;
    spv_id global = values[call->num_args == 3 ? 1 : 0], local = call->num_args > 1 ? values[call->num_args - 1] : none;
    emit_capability(e, SpvCapabilityDeviceEnqueue);
    return spv_emitv(&e->b, SpvOpBuildNDRange, call->type, global, local, offset);
}

static spv_id ndrange_address(struct emit *e, const struct builtin_call *call, uint32_t index)
{
    struct lvalue object = emit_temporary(e, call->args[index]->type);
    emit_store(e, &object, call->ids[index]);
    return object.pointer;
}

typedef VEC(spv_id) id_list;

static bool push_block(struct emit *e, id_list *words, struct expr *expr)
{
    struct enqueued_block block;
    if (!emit_enqueued_block(e, expr, &block))
        return false;
    vec_push(e->arena, words, block.kernel);
    vec_push(e->arena, words, block.literal);
    vec_push(e->arena, words, emit_const_u32(e, block.size));
    vec_push(e->arena, words, emit_const_u32(e, block.align));
    return true;
}

static void push_sizes(struct emit *e, const struct builtin_call *call, uint32_t first, id_list *words)
{
    struct qual_type size = {.type = e->front->types->scalars[TYPE_ULONG]};
    for (uint32_t i = first; i < call->num_args; i++) {
        struct lvalue object = emit_temporary(e, size);
        emit_store(e, &object, call->ids[i]);
        vec_push(e->arena, words, object.pointer);
    }
}

/* enqueue_kernel() in its four forms, and the queries, which take [an ndrange_t and] a block. */
spv_id emit_enqueue_builtin(struct emit *e, const struct builtin_call *call)
{
    id_list words = {0};
    bool query = call->op != 0, events = !query && call->args[3]->type.type->kind != TYPE_BLOCK;
    uint32_t block = query ? call->num_args - 1 : events ? 6 : 3;
    spv_id null = spv_const_null(e->module, emit_pointer_type(e, e->front->types->clk_event, AS_GENERIC));
    emit_capability(e, SpvCapabilityDeviceEnqueue);
    if (query && block) {
        vec_push(e->arena, &words, ndrange_address(e, call, 0));
    } else if (!query) {
        vec_push(e->arena, &words, call->ids[0]);
        vec_push(e->arena, &words, call->ids[1]);
        vec_push(e->arena, &words, ndrange_address(e, call, 2));
        vec_push(e->arena, &words, events ? call->ids[3] : emit_const_u32(e, 0));
        vec_push(e->arena, &words, events ? generic_events(e, call, 4) : null);
        vec_push(e->arena, &words, events ? generic_events(e, call, 5) : null);
    }
    if (!push_block(e, &words, call->args[block]))
        return spv_undef(e->module, call->type);
    push_sizes(e, call, block + 1, &words);
    return spv_emit(&e->b, query ? (SpvOp)call->op : SpvOpEnqueueKernel, call->type, words.length, words.data);
}
