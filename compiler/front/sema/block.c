/* Blocks: in which versions there are any, and how a block's function comes by the variables around it. OpenCL C 3.0,
 * 6.14. */
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"

/* OpenCL C 3.0, 6.14: blocks came with 2.0. */
void sema_check_blocks(struct sema *s, src_loc loc)
{
    if (!pp_std_at_least(s->front, CLC_STD_20))
        pp_error(s->front, loc, "blocks need OpenCL C 2.0 or newer (-cl-std)");
}

/* The variable by which a block's function knows an outer one; captured now if it was not before. */
static struct decl *captured(struct sema *s, struct function_context *context, struct decl *outer)
{
    struct decl *block = context->decl;
    if (!(block->fn.flags & FN_BLOCK) || outer->scope_depth >= context->scope_depth || !context->outer)
        return outer;
    outer = captured(s, context->outer, outer);
    struct block_captures *captures = block->fn.captures;
    vec_foreach (struct block_capture, one, &captures->list)
        if (one->outer == outer)
            return one->inner;
    struct qual_type type = outer->type;
    struct expr *value = NULL;
    if (type.type->kind == TYPE_ARRAY) { /* 6.14.3: by reference, as arguments are passed */
        value = clc_rvalue(s->front, expr_decl(s, outer, outer->loc, (struct src_range){outer->loc, outer->loc}));
        type = value->type;
    }
    type.quals |= QUAL_CONST;
    type.address_space = AS_PRIVATE;
    struct decl *copy = sema_decl_new(s, DECL_VARIABLE, outer->name, qual_type_unqualified(type), outer->loc);
    struct decl *inner = sema_decl_new(s, DECL_VARIABLE, outer->name, type, outer->loc);
    copy->used = inner->used = outer->used = true;
    outer->var.num_refs++;
    copy->var.align = inner->var.align = outer->var.align && !value ? outer->var.align : type.type->align;
    inner->var.block = outer->var.block;
    inner->scope_depth = context->scope_depth;
    vec_push(s->arena, &captures->list, (struct block_capture){outer, copy, inner, value});
    return inner;
}

bool sema_is_capture(const struct sema *s, const struct decl *decl)
{
    if (!s->function || !(s->function->decl->fn.flags & FN_BLOCK))
        return false;
    vec_foreach (struct block_capture, one, &s->function->decl->fn.captures->list) {
        if (one->inner == decl && decl->type.type->kind != TYPE_ARRAY && !one->value)
            return true;
    }
    return false;
}

void sema_capture(struct sema *s, struct decl **decl, src_loc loc)
{
    struct decl *variable = *decl;
    bool own = !variable->scope_depth || variable->var.file_scope || variable->var.is_static_local ||
               variable->invalid || variable->type.address_space == AS_LOCAL;
    if (own || !(s->function->decl->fn.flags & FN_BLOCK))
        return;
    *decl = captured(s, s->function, variable);
    if (*decl != variable && variable->type.type->kind == TYPE_BLOCK) /* 6.14.3 */
        pp_error(s->front, loc, "cannot refer to a block inside block");
}

bool clc_note_block(struct clc_front *front, const struct expr *block)
{
    struct sema *s = front->sema;
    src_loc loc = block->loc;
    while (block->kind == EXPR_CAST)
        block = block->cast.operand;
    if (block->kind == EXPR_DECL && block->decl->kind == DECL_VARIABLE && block->decl->var.block)
        block = block->decl->var.block;
    if (block->kind != EXPR_BLOCK)
        return true;
    if (s->function)
        vec_push(s->arena, &s->function->decl->fn.blocks, block->decl);
    vec_foreach (struct block_capture, one, &block->decl->fn.captures->list) {
        enum type_kind kind = sema_innermost(one->outer->type.type)->kind;
        if (kind != TYPE_IMAGE && kind != TYPE_SAMPLER && kind != TYPE_PIPE && kind != TYPE_MATRIX)
            continue;
        pp_error(s->front, loc,
                 kind == TYPE_MATRIX ? "a block that is enqueued cannot capture cooperative matrices"
                                     : "a block that is enqueued cannot capture images, samplers or pipes");
        return false;
    }
    return true;
}

bool clc_is_null_constant(const struct expr *expr)
{
    return sema_is_null_constant(expr);
}
