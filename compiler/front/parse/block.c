/* Block literals: ^{ ... }, ^(int x) { ... }, ^int (int x) { ... }. A block is a function of its own plus copies of the
 * variables that it uses from outside, taken when the literal is evaluated. OpenCL C 3.0, 6.14. */
#include "compiler/front/parse/parse.h"

static void parse_signature(struct sema *s, struct declarator *d, bool *inferred)
{
    struct decl_specs specs = {.loc = s->tok.loc, .base.type = qt(type_scalar(s, TYPE_VOID)), .has_type = true};
    *inferred = true;
    *d = (struct declarator){.loc = s->tok.loc};
    if (s->tok.kind == TOKEN_LEFT_BRACE) {
        d->type.type = qt(clc_type_function(s->front, specs.base.type, NULL, 0, false));
        return;
    }
    if (s->tok.kind != TOKEN_LEFT_PAREN) {
        parse_decl_specs(s, &specs, true);
        *inferred = false;
    }
    parse_declarator(s, &specs, d, false, false);
    if (d->type.type.type->kind == TYPE_FUNCTION)
        return;
    if (is_poison(d->type.type.type)) {
        d->type.type = qt(clc_type_function(s->front, qt(type_scalar(s, TYPE_VOID)), NULL, 0, false));
        *inferred = true;
        return;
    }
    d->type.type = qt(clc_type_function(s->front, qual_type_unqualified(d->type.type), NULL, 0, false));
}

struct expr *parse_block_literal(struct sema *s)
{
    src_loc loc = s->tok.loc;
    struct declarator d;
    bool inferred;
    sema_enter(s, loc);
    sema_check_blocks(s, loc);
    parse_next(s);
    parse_signature(s, &d, &inferred);
    if (d.type.type.type->function.variadic)
        pp_error(s->front, loc, "invalid block prototype, variadic arguments are not allowed in OpenCL");
    struct decl *function = sema_decl_new(s, DECL_FUNCTION, NULL, d.type.type, loc);
    const char *outer = s->function && s->function->decl->fn.mangled ? s->function->decl->fn.mangled : "";
    function->fn.flags = FN_BLOCK;
    function->fn.params = d.params;
    function->fn.num_params = d.num_params;
    function->fn.definition = function;
    function->fn.mangled = arena_printf(s->arena, "__%s_block_invoke_%u", outer, s->num_blocks++);
    function->fn.captures = arena_new(s->arena, struct block_captures);
    function->fn.captures->enclosing = s->function ? s->function->decl : NULL;
    function->used = true;
    if (s->tok.kind != TOKEN_LEFT_BRACE) {
        pp_error(s->front, s->tok.loc, "expected '{'");
        sema_leave(s);
        return s->poison;
    }
    for (struct function_context *around = s->function; around; around = around->outer)
        around->whole = true;
    s->infer_block_result = inferred;
    struct arena *nodes = s->front->nodes;
    s->front->nodes = s->arena; /* emitted at the unit's end, when the tree around may be gone (sema/stream.c) */
    parse_function_body(s, function);
    s->front->nodes = nodes;
    sema_leave(s);
    if (s->function)
        vec_push(s->arena, &s->function->decl->fn.blocks, function);
    struct expr *expr =
        expr_new(s, EXPR_BLOCK, qt(type_block(s, function->type.type)), loc, (struct src_range){loc, s->prev_end});
    expr->decl = function;
    return expr;
}
