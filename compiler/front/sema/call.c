/* Calls: of user functions, with overloads; of built-in functions, through the table; of blocks. OpenCL C 3.0, 6.11,
 * and clang's rules for overloadable functions: the best candidate is at least as good as every other in each argument
 * and better in one. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"
#include "compiler/front/sema/names.h"

static void note_callee(struct sema *s, struct decl *function)
{
    function = function->first;
    function->used = true;
    if (!s->function || s->unevaluated || u64_map_has(&s->function->callees, (uint64_t)(uintptr_t)function))
        return;
    u64_map_set(s->arena, &s->function->callees, (uint64_t)(uintptr_t)function, function);
    vec_push(s->arena, &s->function->decl->fn.callees, function);
}

static bool count_matches(struct sema *s, const struct decl *function, const struct type *type,
                          struct expr *const *args, uint32_t num_args, src_loc end)
{
    uint32_t expected = type->function.num_params;
    if (num_args == expected || (num_args > expected && type->function.variadic))
        return true;
    pp_error(s->front, num_args < expected ? end : args[expected]->range.begin,
             "too %s arguments to function call, expected %s%u, have %u", num_args < expected ? "few" : "many",
             type->function.variadic ? "at least " : "", expected, num_args);
    if (function && function->loc && function->name)
        pp_note(s->front, function->loc, "'%s' declared here", function->name->name);
    return false;
}

static struct expr *call_node(struct sema *s, struct expr *callee, struct decl *function, const struct type *type,
                              struct expr **args, uint32_t num_args, src_loc loc, src_loc end)
{
    bool failed = false;
    if (!count_matches(s, function, type, args, num_args, end))
        return s->poison;
    for (uint32_t i = 0; i < num_args; i++) {
        struct qual_type to = i < type->function.num_params ? type->function.params[i] : args[i]->type;
        const struct decl *param = NULL;
        if (function && function->fn.params) {
            param = function->fn.params;
            for (uint32_t n = i; n && param; n--)
                param = param->next;
            if (param && param->type.type == to.type)
                to = param->type;
        }
        uint32_t before = s->front->num_errors;
        args[i] = sema_convert(s, args[i], to, CONVERT_PASS, args[i]->loc);
        if (s->front->num_errors > before && param && param->loc)
            pp_note(s->front, param->loc, "passing argument to parameter%s%s%s here", param->name ? " '" : "",
                    param->name ? param->name->name : "", param->name ? "'" : "");
        failed |= expr_poison(args[i]);
    }
    if (failed)
        return s->poison;
    struct qual_type result = qual_type_unqualified(type->function.result);
    result.type = type_strip_enum(result.type);
    struct expr *expr = expr_new(s, EXPR_CALL, result, loc, (struct src_range){loc, end});
    if (callee && callee->range.begin)
        expr->range.begin = callee->range.begin;
    expr->call.callee = callee;
    expr->call.function = function ? function->first : NULL;
    expr->call.args = args;
    expr->call.num_args = num_args;
    if (!function)
        return expr;
    if (function->restricted_use || function->first->restricted_use)
        sema_warn_availability(s, function->restricted_use ? function : function->first, function->name, loc);
    note_callee(s, function);
    return expr;
}

/* ---- overloads ---- */

struct candidate {
    struct decl *function;
    int ranks[64];
};

static bool rank_candidate(struct sema *s, struct decl *function, struct expr **args, uint32_t num_args,
                           struct candidate *candidate)
{
    const struct type *type = function->type.type;
    if (type->kind != TYPE_FUNCTION || type->function.num_params != num_args || num_args > 64)
        return false;
    candidate->function = function;
    for (uint32_t i = 0; i < num_args; i++) {
        candidate->ranks[i] = sema_conversion_rank(s, args[i], type->function.params[i]);
        if (candidate->ranks[i] < 0)
            return false;
    }
    return true;
}

/* -1: a is better; 1: b is; 0: neither. */
static int compare_candidates(const struct candidate *a, const struct candidate *b, uint32_t num_args)
{
    bool a_better = false, b_better = false;
    for (uint32_t i = 0; i < num_args; i++) {
        a_better |= a->ranks[i] < b->ranks[i];
        b_better |= b->ranks[i] < a->ranks[i];
    }
    return a_better == b_better ? 0 : a_better ? -1 : 1;
}

static void note_candidates(struct sema *s, struct decl *set)
{
    uint32_t shown = 0;
    for (struct decl *f = set; f && shown < 8; f = f->overload, shown++)
        pp_note(s->front, f->loc, "candidate function: %s", clc_type_text(s->front, f->type));
}

static bool is_exact(const struct candidate *candidate, uint32_t num_args)
{
    for (uint32_t i = 0; i < num_args; i++)
        if (candidate->ranks[i])
            return false;
    return true;
}

/* NULL: none fits, or several do (*ambiguous). *exact: no argument needs a conversion. */
static struct decl *choose_overload(struct sema *s, struct decl *set, struct expr **args, uint32_t num_args,
                                    bool *ambiguous, bool *exact)
{
    struct candidate best = {.function = NULL}, other;
    bool have = false;
    uint32_t num_exact = 0;
    *ambiguous = *exact = false;
    for (struct decl *f = set; f; f = f->overload) {
        if (!rank_candidate(s, f, args, num_args, &other))
            continue;
        num_exact += is_exact(&other, num_args);
        if (!have) {
            best = other;
            have = true;
            continue;
        }
        int order = compare_candidates(&best, &other, num_args);
        if (order > 0) {
            best = other;
            *ambiguous = false;
        } else if (!order) {
            *ambiguous = true;
        }
    }
    if (!have)
        return NULL;
    *exact = is_exact(&best, num_args);
    if (*exact && num_exact == 1) /* better than all others */
        return best.function;
    /* a later winner must beat those that were tied before it */
    for (struct decl *f = set; f && *ambiguous == false; f = f->overload)
        if (f != best.function && rank_candidate(s, f, args, num_args, &other) &&
            compare_candidates(&best, &other, num_args) >= 0)
            *ambiguous = true;
    return *ambiguous ? NULL : best.function;
}

static struct expr *call_overloaded(struct sema *s, struct ident *name, struct decl *set, struct expr **args,
                                    uint32_t num_args, src_loc loc, src_loc end)
{
    bool ambiguous, exact;
    struct decl *function = choose_overload(s, set, args, num_args, &ambiguous, &exact);
    if (function && exact)
        return call_node(s, NULL, function, function->type.type, args, num_args, loc, end);
    /* the user's overloads stand beside the library's: those decide where none of the user's fits */
    const struct builtin *builtin = clc_builtin_find(s->front, name);
    for (uint32_t i = 0; i < num_args && builtin; i++)
        if (expr_poison(args[i] = clc_rvalue(s->front, args[i])))
            return s->poison;
    bool better = builtin && clc_builtin_fits_exactly(s->front, builtin, args, num_args);
    if (better || (builtin && !function && !ambiguous))
        return clc_builtin_call(s->front, builtin, loc, (struct src_range){loc, end}, args, num_args);
    if (function)
        return call_node(s, NULL, function, function->type.type, args, num_args, loc, end);
    if (ambiguous) {
        pp_error(s->front, loc, "call to '%s' is ambiguous", name->name);
    } else if (!set->overload) {
        return call_node(s, NULL, set, set->type.type, args, num_args, loc, end);
    } else {
        pp_error(s->front, loc, "no matching function for call to '%s'", name->name);
    }
    note_candidates(s, set);
    return s->poison;
}

/* ---- by name ---- */

static struct expr *call_undeclared(struct sema *s, struct ident *name, src_loc loc)
{
    const char *needs = clc_builtin_needs(s->front, name);
    struct suggestion near = {0};
    if (!needs)
        near = sema_suggest(s, name, SUGGEST_FUNCTION);
    pp_error(s->front, loc, "implicit declaration of function '%s' is invalid in OpenCL%s", name->name,
             sema_suggestion_text(s, &near));
    sema_suggestion_note(s, &near);
    if (needs)
        pp_note(s->front, loc, "the built-in function '%s' needs %s", name->name, needs);
    /* one message per name and scope */
    struct decl *decl = sema_decl_new(s, DECL_FUNCTION, name, s->poison->type, 0);
    decl->invalid = true;
    sema_scope_add(s, decl);
    return s->poison;
}

/* int printf(constant char *, ...), as programs repeat it, is the library's. */
static bool is_builtin_printf(struct sema *s, const struct decl *function)
{
    return function->type.type->kind == TYPE_FUNCTION && function->type.type->function.variadic &&
           !function->first->fn.definition && clc_builtin_find(s->front, function->name);
}

/* clang's __opencl_atomic_load, which clang's own atomic_load_explicit stands for, is ours. */
static const struct builtin *find_builtin(struct sema *s, struct ident *name)
{
    static const char prefix[] = "__opencl_";
    if (strncmp(name->name, "__opencl_atomic_", 16) != 0)
        return clc_builtin_find(s->front, name);
    const char *stem = name->name + strlen(prefix);
    const char *library = arena_printf(s->arena, "%s%s", stem, strcmp(stem, "atomic_init") != 0 ? "_explicit" : "");
    return clc_builtin_find(s->front, pp_intern(s->front, library, strlen(library)));
}

struct expr *sema_call_name(struct sema *s, struct ident *name, struct expr **args, uint32_t num_args, src_loc loc,
                            src_loc end)
{
    struct decl *decl = sema_lookup(s, name);
    for (uint32_t i = 0; i < num_args; i++)
        if (expr_poison(args[i]))
            return s->poison;
    if (decl && decl->kind == DECL_FUNCTION && !is_builtin_printf(s, decl)) {
        if (decl->invalid)
            return s->poison;
        if (decl->overload || (decl->fn.flags & FN_OVERLOADABLE))
            return call_overloaded(s, name, decl, args, num_args, loc, end);
        return call_node(s, NULL, decl, decl->type.type, args, num_args, loc, end);
    }
    const struct builtin *builtin = find_builtin(s, name);
    if (!builtin)
        return call_undeclared(s, name, loc);
    struct expr *call = clc_builtin_call(s->front, builtin, loc, (struct src_range){loc, end}, args, num_args);
    if (!strcmp(name->name, "printf") && !expr_poison(call)) {
        s->unit->uses_printf = true;
        if (call->kind == EXPR_BUILTIN)
            s->advice->printf_call(s, call->builtin.args, call->builtin.num_args);
    }
    return call;
}

/* A callee that is no plain name: a block. */
struct expr *sema_call(struct sema *s, struct expr *callee, struct expr **args, uint32_t num_args, src_loc loc,
                       src_loc end)
{
    for (uint32_t i = 0; i < num_args; i++)
        if (expr_poison(args[i]))
            return s->poison;
    if (expr_poison(callee))
        return callee;
    if (callee->kind == EXPR_DECL && callee->decl->kind == DECL_FUNCTION && callee->parenthesised)
        return clc_rvalue(s->front, callee); /* (f)(x) goes through a pointer */
    if (callee->kind == EXPR_DECL && callee->decl->kind == DECL_FUNCTION)
        return sema_call_name(s, callee->decl->name, args, num_args, callee->loc, end);
    struct decl *variable = callee->kind == EXPR_DECL ? callee->decl : NULL;
    const struct type *type = callee->type.type;
    if (type->kind != TYPE_BLOCK) {
        pp_error_range(s->front, loc, callee->range, "called object type %s is not a function or function pointer",
                       type_quote_expr(s, callee));
        return s->poison;
    }
    struct decl *function = callee->kind == EXPR_BLOCK ? callee->decl : NULL;
    if (variable && variable->kind == DECL_VARIABLE && variable->var.block)
        function = variable->var.block->decl;
    callee = clc_rvalue(s->front, callee);
    if (expr_poison(callee))
        return callee;
    return call_node(s, callee, function, type->pointer.pointee.type, args, num_args, callee->loc, end);
}
