/* Letting go of the tree while the unit is being read.
 *
 * A program's tree takes several times the memory of its SPIR-V, so a large program is emitted as it is read. Small
 * programs, which are nearly all, keep their tree to the end: then only what a kernel reaches is emitted. Beyond a
 * limit every function that is complete is given to the taker (front.h) and its nodes are freed, reached or not; what
 * turns out unreached is dropped from the module at the end. A function that alone passes the limit is given statement
 * by statement of its outermost block.
 *
 * Only nodes go: they have an arena of their own, and nothing outside a function's body points to them, but for
 * initialisers of variables that are still in scope. Declarations, types and names stay, so that checks at the unit's
 * end know as much as ever. */
#include "compiler/front/sema.h"

static bool is_full(const struct sema *s)
{
    const struct tree_taker *taker = s->front->taker;
    return taker && !s->keep_tree && s->front->tree->used > taker->limit;
}

static void give_functions(struct sema *s)
{
    for (; s->num_given < s->definitions.length; s->num_given++) {
        struct decl *function = s->definitions.data[s->num_given];
        if (!s->front->num_errors)
            s->front->taker->function(s->front->taker->data, function);
        function->fn.body->block.first = NULL;
    }
}

void sema_stream_functions(struct sema *s)
{
    if (s->function || !is_full(s))
        return;
    give_functions(s);
    clc_front_free_tree(s->front);
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
    if (context->outer || context->whole || !is_full(s))
        return;
    give_functions(s);
    sema_flow_begin(context, body->block.first);
    if (!s->front->num_errors)
        s->front->taker->statements(s->front->taker->data, context->decl, body->block.first);
    keep_initialisers(s);
    body->block.first = NULL;
    clc_front_free_tree(s->front);
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

void sema_initialize_lasting(struct sema *s, struct decl *variable, src_loc loc)
{
    struct clc_front *front = s->front;
    struct arena *nodes = front->nodes;
    struct arena_mark mark = arena_mark(front->initials);
    uint32_t num_globals = s->unit->globals.length;
    bool outermost = nodes != front->initials;
    front->nodes = front->initials;
    sema_initialize(s, variable, parse_initializer(s), loc);
    front->nodes = s->arena;
    /* a compound literal in it is a variable of its own, whose initialiser is here too */
    bool large = front->initials->used - mark.used > SMALL_INITIALISER && s->unit->globals.length == num_globals;
    if (front->taker && outermost && large && variable->var.init && variable->var.init == variable->first->var.init) {
        struct expr *init = condensed(s, variable->var.init);
        if (init) {
            variable->var.init = variable->first->var.init = init;
            arena_rewind(front->initials, mark);
        }
    }
    front->nodes = nodes;
}

bool sema_is_lasting(const struct decl *variable)
{
    return variable->var.is_static_local || variable->type.address_space != AS_PRIVATE ||
           variable->type.type->kind == TYPE_SAMPLER;
}
