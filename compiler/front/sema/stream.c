/* Letting go of the tree while the unit is being read.
 *
 * A program's tree takes several times the memory of its SPIR-V, so a large program is emitted as it is read. Small
 * programs, which are nearly all, keep their tree to the end: then only what a kernel reaches is emitted. Beyond a
 * limit each kernel is given to the taker (front.h) when it is complete, and its nodes are freed; one that alone passes
 * the limit is given in parts, statements of its outermost block. Other functions may turn out to be reached by no
 * kernel, as most of a library in headers is, and their SPIR-V is no smaller than their tree. So they stay up to a
 * larger limit, beyond which all are given; then what is unreached is dropped from the module at the end. What stayed
 * and is more than a little goes then, but for what no kernel reaches.
 *
 * Only nodes go: they have an arena of their own, and nothing outside a function's body points to them, but for
 * initialisers of variables that are still in scope. Declarations, types and names stay, so that checks at the unit's
 * end know as much as ever. */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"

static const struct tree_taker *taker_of(const struct sema *s)
{
    return s->keep_tree ? NULL : s->front->taker;
}

static void free_tree(struct sema *s, struct arena_mark mark)
{
    pp_front_free_tree(s->front, mark);
    s->body_mark = mark;
}

static void give(struct sema *s, struct decl *function)
{
    if (!s->front->num_errors && !function->fn.taken)
        s->front->taker->function(s->front->taker->data, function);
    function->fn.taken = true;
    function->fn.body->block.first = NULL;
}

/* All that have come: back to front, so that tree and module together never take much more than the tree did. */
static void give_functions(struct sema *s)
{
    for (uint32_t i = s->definitions.length; i > s->num_given; i--) {
        give(s, s->definitions.data[i - 1]);
        free_tree(s, s->marks.data[i - 1]);
    }
    s->num_given = s->definitions.length;
}

void sema_stream_functions(struct sema *s, struct decl *function)
{
    const struct tree_taker *taker = taker_of(s);
    size_t used = s->front->tree->used;
    bool begun = s->begun == function; /* emission cannot wait with half a function */
    bool is_kernel = function->fn.flags & FN_KERNEL;
    if (s->function || (!taker && !begun))
        return;
    if (begun || (is_kernel && used > taker->kernel_limit)) {
        give(s, function);
        free_tree(s, s->body_mark);
    } else if (used > taker->limit) {
        give_functions(s);
    }
}

/* Blocks may be called through variables, which the call graph does not know. */
void sema_stream_rest(struct sema *s)
{
    const struct tree_taker *taker = taker_of(s);
    if (!taker || s->front->num_errors || s->num_blocks || s->front->tree->used <= taker->kernel_limit)
        return;
    for (uint32_t i = s->definitions.length; i > s->num_given; i--) {
        struct decl *function = s->definitions.data[i - 1];
        if (function->fn.reach == DONE)
            give(s, function);
        else
            function->fn.body = NULL;
        free_tree(s, s->marks.data[i - 1]);
    }
}

static struct expr *constant_node(struct sema *s, const struct expr *init)
{
    struct expr *value = expr_new(s, init->float_value ? EXPR_FLOAT : EXPR_INT, init->type, init->loc, init->range);
    value->is_constant = true;
    value->folded = init->folded;
    value->float_value = init->float_value;
    value->integer = init->integer; /* or the bits of floating */
    return value;
}

/* What reads of a constant may still be replaced with (const_eval.c); other initialisers have been emitted. */
static struct expr *lasting_value(struct sema *s, const struct expr *init)
{
    return init->is_constant ? constant_node(s, init) : s->poison;
}

static void keep_initialisers(struct sema *s)
{
    struct arena *nodes = s->front->nodes;
    s->front->nodes = s->arena;
    for (uint32_t i = s->function->num_kept; i < s->scope.length; i++) {
        struct decl *decl = s->scope.data[i].decl;
        if (decl->kind == DECL_VARIABLE && decl->var.init && !sema_is_lasting(decl))
            decl->var.init = lasting_value(s, decl->var.init);
    }
    s->function->num_kept = s->scope.length;
    s->front->nodes = nodes;
}

void sema_stream_statements(struct sema *s, struct stmt *body)
{
    struct function_context *context = s->function;
    const struct tree_taker *taker = taker_of(s);
    size_t used = s->front->tree->used;
    if (!taker || context->outer || context->whole)
        return;
    bool is_kernel = context->decl->fn.flags & FN_KERNEL, is_full = used > taker->limit;
    if (!is_full && !(is_kernel && used - s->body_mark.used > taker->kernel_limit))
        return;
    s->advice->statements_go(s, context->decl, body->block.first);
    context->begun = true;
    if (!s->front->num_errors)
        s->front->taker->statements(s->front->taker->data, context->decl, body->block.first);
    keep_initialisers(s);
    s->begun = context->decl;
    body->block.first = NULL;
    free_tree(s, s->body_mark);
    if (is_full)
        give_functions(s);
}

/* ---- initialisers that last ---- */

enum { SMALL_INITIALISER = 4096 }; /* bytes of nodes */

/* A copy that has the numbers but not how they were written, or NULL where there is more than numbers. */
static struct expr *condensed(struct sema *s, const struct expr *init)
{
    if (init->is_constant)
        return type_is_scalar_arith(init->type.type) ? constant_node(s, init) : NULL;
    if (init->kind != EXPR_INIT_LIST)
        return NULL;
    struct expr *list = expr_new(s, EXPR_INIT_LIST, init->type, init->loc, init->range);
    list->init.num_entries = init->init.num_entries;
    list->init.entries = arena_array(s->arena, struct init_entry, init->init.num_entries);
    for (uint32_t i = 0; i < init->init.num_entries; i++) {
        struct expr *value = condensed(s, init->init.entries[i].value);
        if (!value)
            return NULL;
        list->init.entries[i] = (struct init_entry){init->init.entries[i].index, value};
    }
    return list;
}

struct lasting sema_begin_lasting(struct sema *s)
{
    struct clc_front *front = s->front;
    struct lasting lasting = {front->nodes, arena_mark(front->initials), s->unit->globals.length};
    front->nodes = front->initials;
    return lasting;
}

void sema_initialize_lasting(struct sema *s, const struct lasting *lasting, struct decl *variable, struct expr *raw,
                             src_loc loc)
{
    struct clc_front *front = s->front;
    bool outermost = lasting->nodes != front->initials;
    sema_initialize(s, variable, raw, loc);
    front->nodes = s->arena;
    /* a compound literal in it is a variable of its own, whose initialiser is here too */
    bool large = front->initials->used - lasting->mark.used > SMALL_INITIALISER &&
                 s->unit->globals.length == lasting->num_globals;
    if (front->taker && outermost && large && variable->var.init && variable->var.init == variable->first->var.init) {
        struct expr *init = condensed(s, variable->var.init);
        if (init) {
            variable->var.init = variable->first->var.init = init;
            arena_rewind(front->initials, lasting->mark);
        }
    }
    front->nodes = lasting->nodes;
}

bool sema_is_lasting(const struct decl *variable)
{
    return variable->var.is_static_local || variable->type.address_space != AS_PRIVATE ||
           variable->type.type->kind == TYPE_SAMPLER;
}
