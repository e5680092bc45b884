/* Blocks: OpenCL C 3.0, 6.14.
 *
 * OpenCL has no function pointers and blocks may not be reassigned, so a block is known where it is used. A literal is
 * a function of its own, which takes what was captured as further arguments.
 *
 * What enqueue_kernel() gets is what clang gives it. The literal is an object { u32 size, u32 alignment, a null
 * pointer, the captured values }, and the block to run is a kernel that takes the object's address and then the local
 * arguments:
 *
 *     kernel void __k_block_invoke_0_kernel(generic uchar *literal, local uchar *a)
 *     {
 *         __k_block_invoke_0(a, literal->captured...);
 *     } */
#include "compiler/front/emit/emitter.h"

struct expr *emit_block_of(struct expr *callee)
{
    for (uint32_t steps = 0; callee && steps < 1000; steps++) {
        if (callee->kind == EXPR_BLOCK)
            return callee;
        if (callee->kind == EXPR_CAST)
            callee = callee->cast.operand;
        else if (callee->kind == EXPR_DECL && callee->decl->kind == DECL_VARIABLE)
            callee = callee->decl->var.block ? callee->decl->var.block : callee->decl->var.init;
        else
            return NULL;
    }
    return NULL;
}

void emit_block_literal(struct emit *e, struct expr *expr)
{
    struct block_captures *captures = expr->decl->fn.captures;
    for (uint32_t i = 0; captures && i < captures->list.length; i++) {
        struct block_capture *capture = &captures->list.data[i];
        if (type_is_handle(capture->copy->type.type)) {
            emit_bind_value(e, capture->copy, emit_handle(e, capture->outer));
            continue;
        }
        struct lvalue to = emit_variable(e, capture->copy);
        if (capture->value) {
            emit_store(e, &to, emit_rvalue(e, capture->value));
            continue;
        }
        struct lvalue from = emit_variable(e, capture->outer);
        emit_store(e, &to, emit_load(e, &from));
    }
}

spv_id emit_captured(struct emit *e, struct decl *copy)
{
    if (type_is_handle(copy->type.type))
        return emit_handle(e, copy);
    struct lvalue object = emit_variable(e, copy);
    return emit_load(e, &object);
}

bool emit_captures_known(struct emit *e, const struct decl *block, src_loc loc)
{
    const struct block_captures *captures = block->fn.captures;
    if (!captures || !captures->list.length || captures->enclosing == e->function)
        return true;
    pp_error(e->front, loc, "a block with captured variables can only be called in the function that made it");
    return false;
}

/* ---- enqueued blocks ---- */

enum { HEADER_MEMBERS = 3 }; /* size, alignment, and what would be the function's address */

static spv_id bytes_pointer(struct emit *e, enum address_space space)
{
    return emit_pointer_to(e, emit_int_type(e, 8), space);
}

static spv_id literal_type(struct emit *e, const struct block_captures *captures)
{
    VEC(spv_id) members = {0};
    spv_id u32 = emit_int_type(e, 32);
    vec_push(e->arena, &members, u32);
    vec_push(e->arena, &members, u32);
    vec_push(e->arena, &members, bytes_pointer(e, AS_GENERIC));
    for (uint32_t i = 0; captures && i < captures->list.length; i++)
        vec_push(e->arena, &members, emit_memory_type(e, captures->list.data[i].copy->type.type));
    return spv_type_struct(e->module, members.length, members.data);
}

static spv_id member_pointer(struct emit *e, spv_id literal, enum address_space space, spv_id type, uint32_t index)
{
    return spv_emitv(&e->b, SpvOpInBoundsAccessChain, emit_pointer_to(e, type, space), literal,
                     emit_const_u32(e, index));
}

static void store_member(struct emit *e, spv_id literal, spv_id type, uint32_t index, spv_id value)
{
    spv_emitv_void(&e->b, SpvOpStore, member_pointer(e, literal, AS_PRIVATE, type, index), value,
                   SpvMemoryAccessAlignedMask, emit_natural_align(e, type));
}

static spv_id emit_literal_object(struct emit *e, const struct decl *function, struct enqueued_block *block)
{
    const struct block_captures *captures = function->fn.captures;
    spv_id type = literal_type(e, captures), u32 = emit_int_type(e, 32), bytes = bytes_pointer(e, AS_GENERIC);
    spv_id literal = spv_emit_variable(&e->b, type);
    block->size = (uint32_t)emit_natural_size(e, type);
    block->align = emit_natural_align(e, type);
    store_member(e, literal, u32, 0, emit_const_u32(e, block->size));
    store_member(e, literal, u32, 1, emit_const_u32(e, block->align));
    store_member(e, literal, bytes, 2, spv_const_null(e->module, bytes));
    for (uint32_t i = 0; captures && i < captures->list.length; i++) {
        struct decl *copy = captures->list.data[i].copy;
        spv_id value = emit_to_memory(e, copy->type.type, emit_captured(e, copy));
        store_member(e, literal, emit_memory_type(e, copy->type.type), HEADER_MEMBERS + i, value);
    }
    return literal;
}

static spv_id block_kernel(struct emit *e, struct decl *function)
{
    uint64_t key = (uint64_t)(uintptr_t)function;
    spv_id id = (spv_id)(uintptr_t)u64_map_get(&e->block_kernels, key);
    if (id)
        return id;
    id = spv_new_id(e->module);
    u64_map_set(e->arena, &e->block_kernels, key, (void *)(uintptr_t)id);
    vec_push(e->arena, &e->enqueued, function);
    emit_function_id(e, function);
    return id;
}

bool emit_enqueued_block(struct emit *e, struct expr *expr, struct enqueued_block *block)
{
    struct expr *literal = emit_block_of(expr);
    if (!literal) {
        pp_error(e->front, expr->loc, "the block enqueued here is not known at compile time");
        return false;
    }
    struct decl *function = literal->decl;
    if (!emit_captures_known(e, function, expr->loc))
        return false;
    while (expr->kind == EXPR_CAST)
        expr = expr->cast.operand;
    if (expr == literal)
        emit_block_literal(e, literal);
    block->kernel = block_kernel(e, function);
    spv_id object = emit_literal_object(e, function, block);
    spv_id bytes = spv_emitv(&e->b, SpvOpBitcast, bytes_pointer(e, AS_PRIVATE), object);
    block->literal = spv_emitv(&e->b, SpvOpPtrCastToGeneric, bytes_pointer(e, AS_GENERIC), bytes);
    emit_capability(e, SpvCapabilityGenericPointer);
    return true;
}

static void emit_block_kernel(struct emit *e, struct decl *block, spv_id id)
{
    const struct type *type = block->type.type;
    const struct block_captures *captures = block->fn.captures;
    VEC(spv_id) params = {0};
    vec_push(e->arena, &params, bytes_pointer(e, AS_GENERIC));
    for (uint32_t i = 0; i < type->function.num_params; i++)
        vec_push(e->arena, &params, bytes_pointer(e, AS_LOCAL));
    spv_id void_type = spv_type_void(e->module);
    spv_id function_type = spv_type_function(e->module, void_type, params.length, params.data);
    struct spv_function *function = spv_function_create(e->module, id, function_type, 0);
    e->b = (struct spv_builder){.module = e->module, .function = function};
    emit_begin_block(e, emit_new_label(e));
    VEC(spv_id) words = {0};
    vec_push(e->arena, &words, emit_function_id(e, block));
    const struct decl *param = block->fn.params;
    for (uint32_t i = 0; i < type->function.num_params; i++, param = param ? param->next : NULL) {
        spv_id value = function->params.data[1 + i]->id;
        if (param && param->name)
            spv_add_name(e->module, value, param->name->name);
        vec_push(e->arena, &words, emit_bitcast(e, emit_type(e, type->function.params[i].type), value));
    }
    spv_id object = literal_type(e, captures);
    spv_id literal =
        spv_emitv(&e->b, SpvOpBitcast, emit_pointer_to(e, object, AS_GENERIC), function->params.data[0]->id);
    for (uint32_t i = 0; captures && i < captures->list.length; i++) {
        const struct type *captured = captures->list.data[i].copy->type.type;
        spv_id member = emit_memory_type(e, captured);
        spv_id pointer = member_pointer(e, literal, AS_GENERIC, member, HEADER_MEMBERS + i);
        spv_id value =
            spv_emitv(&e->b, SpvOpLoad, member, pointer, SpvMemoryAccessAlignedMask, emit_natural_align(e, member));
        vec_push(e->arena, &words, emit_from_memory(e, captured, value));
    }
    spv_emit(&e->b, SpvOpFunctionCall, void_type, words.length, words.data);
    spv_emit_void(&e->b, SpvOpReturn, 0, NULL);
    e->b.block = NULL;
}

static const char *block_kernel_name(struct emit *e, const struct decl *block)
{
    return arena_printf(e->arena, "%s_kernel", block->fn.mangled);
}

void emit_block_kernels(struct emit *e)
{
    for (uint32_t i = 0; i < e->enqueued.length; i++) {
        struct decl *block = e->enqueued.data[i];
        spv_id id = (spv_id)(uintptr_t)u64_map_get(&e->block_kernels, (uint64_t)(uintptr_t)block);
        spv_add_name(e->module, id, block_kernel_name(e, block));
        emit_block_kernel(e, block, id);
    }
}

void emit_block_entries(struct emit *e)
{
    for (uint32_t i = 0; i < e->enqueued.length; i++) {
        struct decl *block = e->enqueued.data[i];
        spv_id id = (spv_id)(uintptr_t)u64_map_get(&e->block_kernels, (uint64_t)(uintptr_t)block);
        spv_add_entry_point(e->module, SpvExecutionModelKernel, id, block_kernel_name(e, block), e->interface.length,
                            e->interface.data);
    }
}
