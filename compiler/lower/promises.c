/* Debug builds check the promises that lowering's driver relies on when it leaves work out (see promises.h).
 *
 * A check clones the module, which lies in the scratch arena for that time, runs on the clone what was left out, and
 * compares instruction by instruction. Copying costs about as much as a pass does. So small modules are checked each
 * time, and of larger ones every sixteenth time, by a counter, so that a failure comes again when a kernel is lowered
 * again. */
#include "promises.h"

#ifndef NDEBUG

#include "compiler/spv/cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_MODULE = 4000, EVERY = 16 }; /* ids */

struct copy {
    struct arena *arena;
    struct arena_mark mark;
    struct spv_module *module;
};

/* False: not this time. */
static bool make_copy(struct lower *lower, struct copy *copy)
{
    if (lower->module->bound > SMALL_MODULE && lower->checks++ % EVERY)
        return false;
    copy->arena = lower->scratch ? lower->scratch : lower->module->arena;
    copy->mark = arena_mark(copy->arena);
    copy->module = spv_clone(copy->arena, lower->module);
    return true;
}

static void drop_copy(struct lower *lower, struct copy *copy)
{
    if (lower->scratch)
        arena_rewind(copy->arena, copy->mark);
}

static bool same_inst(const struct spv_inst *a, const struct spv_inst *b)
{
    return a->op == b->op && a->type == b->type && a->id == b->id && a->num_words == b->num_words &&
           (!a->num_words || !memcmp(a->words, b->words, a->num_words * sizeof(uint32_t))) &&
           spv_no_contraction(a) == spv_no_contraction(b);
}

static bool same_function(const struct spv_function *a, const struct spv_function *b)
{
    if (!same_inst(a->def, b->def) || a->params.length != b->params.length)
        return false;
    for (uint32_t i = 0; i < a->params.length; i++) {
        if (!same_inst(a->params.data[i], b->params.data[i]))
            return false;
    }
    const struct spv_block *x = a->first_block, *y = b->first_block;
    for (; x && y; x = x->next, y = y->next) {
        const struct spv_inst *i = x->insts.first, *j = y->insts.first;
        if (x->label->id != y->label->id)
            return false;
        for (; i && j && same_inst(i, j); i = i->next, j = j->next)
            continue;
        if (i || j)
            return false;
    }
    return !x && !y;
}

_Noreturn static void broken(struct lower *lower, const struct copy *copy, const char *name, const char *what,
                             const struct spv_function *function)
{
    struct str text;
    str_init(&text, copy->arena);
    spv_print(lower->module, &text);
    fprintf(stderr, "; ==== as it is\n%s", str_text(&text));
    str_init(&text, copy->arena);
    spv_print(copy->module, &text);
    fprintf(stderr, "; ==== as it would be\n%s", str_text(&text));
    fprintf(stderr, "kernel '%s': broken promise: %s %s function %%%u\n", lower->kernel_name, name, what,
            function->def->id);
    abort();
}

void promise_settled(struct lower *lower, const char *name, function_pass pass, uint8_t settled)
{
    struct copy copy;
    bool any = false;
    spv_foreach_function (each, lower->module)
        any |= each->first_block && each->settled & settled;
    if (!any || !make_copy(lower, &copy))
        return;
    struct spv_function *function = copy.module->first_function;
    spv_foreach_function (each, lower->module) {
        struct spv_function *next = function->next;
        if (each->first_block && each->settled & settled) {
            pass(copy.module, function);
            if (!same_function(each, function))
                broken(lower, &copy, name, "was left out, but changes", each);
        }
        function = next;
    }
    drop_copy(lower, &copy);
}

/* The whole pass on the copy, which has an outcome of its own. */
static void run_on_copy(const struct lower *lower, struct copy *copy, bool (*run)(struct lower *lower))
{
    struct clc_lowered out = *lower->out;
    struct clc_lower_options options = *lower->options;
    struct lower other = *lower;
    options.timing = NULL;
    options.dump_passes = NULL;
    other.arena = copy->arena;
    other.heaps = NULL;
    other.scratch = NULL;
    other.module = copy->module;
    other.kernel = spv_function_of(copy->module, lower->kernel->def->id);
    other.options = &options;
    other.out = &out;
    other.thorough = true;
    run(&other);
}

void promise_computing(struct lower *lower, const char *name, bool (*run)(struct lower *lower))
{
    struct copy copy;
    bool any = false;
    spv_foreach_function (each, lower->module)
        any |= each->only_computes;
    if (!any || !make_copy(lower, &copy))
        return;
    spv_foreach_function (function, copy.module)
        function->only_computes = false;
    run_on_copy(lower, &copy, run);
    spv_foreach_function (each, lower->module) {
        const struct spv_function *function = each->only_computes ? spv_function_of(copy.module, each->def->id) : each;
        if (!function || !same_function(each, function))
            broken(lower, &copy, name, "passes over, but would change", each);
    }
    drop_copy(lower, &copy);
}

void promise_idle(struct lower *lower, const char *name, bool (*run)(struct lower *lower))
{
    struct copy copy;
    if (!make_copy(lower, &copy))
        return;
    run_on_copy(lower, &copy, run);
    spv_foreach_function (each, lower->module) {
        const struct spv_function *function = spv_function_of(copy.module, each->def->id);
        if (!function || !same_function(each, function))
            broken(lower, &copy, name, "had nothing to do, but changes", each);
    }
    drop_copy(lower, &copy);
}

void promise_flow(struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        struct spv_cfg cfg;
        if (function->first_block && spv_cfg_is_kept(function))
            spv_cfg_keep(lower->module, function, &cfg); /* which compares */
    }
}

#endif
