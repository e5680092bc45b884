/* Calls of user functions and of blocks: a call of a block goes straight to the literal's function and passes what the
 * literal captured as further arguments. */
#include "compiler/front/emit/emitter.h"

typedef VEC(spv_id) id_list;

static bool push_captures(struct emit *e, id_list *args, const struct decl *block, src_loc loc)
{
    struct block_captures *captures = block->fn.captures;
    if (!emit_captures_known(e, block, loc))
        return false;
    for (uint32_t i = 0; captures && i < captures->list.length; i++)
        vec_push(e->arena, args, emit_captured(e, captures->list.data[i].copy));
    return true;
}

spv_id emit_call(struct emit *e, struct expr *expr)
{
    struct decl *function = expr->call.function;
    spv_id type = emit_type(e, expr->type.type);
    bool has_value = expr->type.type->kind != TYPE_VOID;
    if (!function) {
        struct expr *literal = emit_block_of(expr->call.callee);
        if (!literal) {
            pp_error(e->front, expr->loc, "the block called here is not known at compile time");
            return has_value ? spv_undef(e->module, type) : 0;
        }
        function = literal->decl;
    }
    if (expr->call.callee && expr->call.callee->kind == EXPR_BLOCK)
        emit_block_literal(e, expr->call.callee);
    id_list words = {0};
    vec_push(e->arena, &words, 0);
    for (uint32_t i = 0; i < expr->call.num_args; i++) {
        struct expr *arg = expr->call.args[i];
        spv_id value = emit_rvalue(e, arg);
        if (arg->type.type->kind == TYPE_BLOCK) {
            pp_error(e->front, arg->loc, "a block can not be an argument of a function");
            return has_value ? spv_undef(e->module, type) : 0;
        }
        vec_push(e->arena, &words, value);
    }
    if (!push_captures(e, &words, function, expr->loc))
        return has_value ? spv_undef(e->module, type) : 0;
    words.data[0] = emit_function_id(e, function);
    emit_checked_line(e, expr->loc);
    spv_id result = spv_emit(&e->b, SpvOpFunctionCall, type, words.length, words.data);
    const struct decl *definition = function->fn.definition ? function->fn.definition : function;
    if (definition->fn.flags & FN_NORETURN) {
        spv_emit_void(&e->b, SpvOpUnreachable, 0, NULL);
        e->dead_blocks = true;
        emit_begin_block(e, emit_new_label(e));
    }
    return has_value ? result : 0;
}
