/* The driver of lowering: it runs the passes of compiler/passes.def. Why they come in that order:
 *
 * - Built-ins come first, while everything is still OpenCL's, since their bodies bring pointers and calls of their own.
 * - Each function is simplified before inlining copies it. Inlining comes before all passes that look at pointers, so
 *   that few pointers are stored or merged.
 * - Aggregates come before SROA, which can then split variables that were copied whole.
 * - Generic pointers come after a first mem2reg, since unoptimised code keeps pointers in variables, and before a second
 *   SROA, which cannot see through casts. For the same reason arguments.c, which makes values of pointer parameters,
 *   runs there.
 * - Control flow is structurised while values are still typed, since that may put values into variables, which mem2reg
 *   removes again.
 * - Then memory. Images come after it, because memory must not see the pointers to descriptors.
 * - Entry comes next, and long vectors last, when there are no pointers to them any more. */
#include "compiler/lower/run.h"
#include "promises.h"

#include "compiler/lower/builtins/passes.h"
#include "compiler/lower/calls/passes.h"
#include "compiler/lower/check/passes.h"
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/memory/passes.h"
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/values/data.h"
#include "compiler/lower/subgroups/passes.h"
#include "compiler/lower/weak/passes.h"
#include "compiler/opt/cfg/structurise.h"
#include "compiler/opt/opt.h"
#include "compiler/program_flags.h"
#include "compiler/spv/cfg.h"

#include "base/log.h"
#include "base/util.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- passes on every function ---- */

size_t lower_memory_used(const struct lower *lower)
{
    size_t size = lower->arena->reserved;
    if (!lower->heaps)
        return size + (lower->module ? lower->module->arena->reserved : 0);
    return size + lower->heaps[0].pool->held;
}

/* The time, for --time only; else 0. A part's beginning is the end of the one before it, since many parts are shorter
 * than it takes to ask for the time once more. */
static uint64_t begin(struct lower *lower)
{
    return lower->now = lower->options->timing ? time_ns() : 0;
}

/* The rows of passes.def by their places. */
enum {
    NUM_WHOLE = 0
#define WHOLE_PASS(...) +1
#include "compiler/passes.def"
};
enum {
    BEFORE_EACH = NUM_WHOLE - 1,
#define EACH_PASS(id, ...) EACH_##id,
#define PART(id, ...)      PART_##id,
#include "compiler/passes.def"
};

static const char *const names[CLC_PASS_COUNT] = {
#define WHOLE_PASS(name, ...)    name,
#define EACH_PASS(id, name, ...) name,
#define PART(id, name)           name,
#include "compiler/passes.def"
};

static void add_time(struct lower *lower, uint32_t place, uint64_t start)
{
    struct clc_timing *timing = lower->options->timing;
    if (!timing)
        return;
    struct clc_pass_timing *row = &timing->passes[place];
    size_t memory = lower_memory_used(lower);
    row->name = names[place];
    row->inner = place >= NUM_WHOLE;
    row->time += begin(lower) - start;
    row->memory = memory > row->memory ? memory : row->memory;
    timing->lower_memory = memory > timing->lower_memory ? memory : timing->lower_memory;
}

/* ---- garbage ---- */

#ifdef NDEBUG
static const size_t compact_from = 4 << 20, large = 16 << 20; /* bytes */
#else
static const size_t compact_from = 0, large = 0; /* at every turn, so that the sanitizer finds who keeps a pointer */
#endif

static void move(struct lower *lower)
{
    uint64_t start = lower->now;
    struct arena *from = lower->module->arena, *to = from == &lower->heaps[0] ? &lower->heaps[1] : &lower->heaps[0];
    spv_id kernel = lower->kernel->def->id;
    lower->module = spv_clone(to, lower->module);
    lower->module->scratch = lower->scratch;
    lower->kernel = spv_function_of(lower->module, kernel);
    lower->compacted = to->reserved;
    if (lower->options->timing && lower_memory_used(lower) > lower->options->timing->lower_memory)
        lower->options->timing->lower_memory = lower_memory_used(lower);
    arena_finish(from);
    add_time(lower, PART_compact, start);
}

/* What passes drop stays in the arena. Once that is most of it, the module moves to an arena of its own and the old one
 * goes. Passes keep nothing in the module's arena from one to the next: what must last is in lower->arena. */
static void compact(struct lower *lower)
{
    size_t reserved = lower->module->arena->reserved;
    if (lower->heaps && (!compact_from || (reserved >= compact_from && reserved / 2 >= lower->compacted)))
        move(lower);
}

/* Before a pass that makes most of a module anew, sooner: it would be the time when most is held. */
static void compact_large(struct lower *lower)
{
    size_t reserved = lower->module->arena->reserved;
    if (lower->heaps && reserved >= large && reserved / 3 >= lower->compacted / 2)
        move(lower);
}

/* What a pass keeps, and the bits of functions on which passes would find nothing: see passes.def. */
enum keeps { KEEPS_NOTHING, KEEPS_FLOW, KEEPS_COMPUTING, KEEPS_SETTLED };
enum { FOLDED = 1, MERGED = 2, CLEANED = 4, PROMOTED = 8, SETTLED = 15 };

static const struct each_pass {
    function_pass run;
    uint8_t keeps, settles, leaves;
} each_passes[] = {
#define EACH_PASS(id, name, function, keeps, settles, leaves) {function, KEEPS_##keeps, settles, leaves},
#include "compiler/passes.def"
};

/* Functions from the id end on are left out. */
static bool run_each(struct lower *lower, uint32_t place, spv_id end)
{
    const struct each_pass *pass = &each_passes[place - NUM_WHOLE];
    uint64_t start = lower->now;
    bool changed = false;
    promise_settled(lower, names[place], pass->run, pass->settles);
    spv_foreach_function (function, lower->module) {
        if (!function->first_block || function->settled & pass->settles || function->def->id >= end)
            continue;
        bool changes = pass->run(lower->module, function);
        if (changes && pass->keeps == KEEPS_NOTHING)
            spv_cfg_forget(function);
        function->settled = pass->settles | (function->settled & (changes ? pass->leaves : SETTLED));
        changed |= changes;
    }
    add_time(lower, place, start);
    compact(lower);
    return changed;
}

/* Runs a row of EACH_PASS on every function. Whether it changed one. */
#define EACH(id) run_each(lower, EACH_##id, UINT32_MAX)

static void dce_module(struct lower *lower)
{
    uint64_t start = lower->now;
    opt_dce_module(lower->module);
    add_time(lower, PART_dce_module, start);
}

/* With -cl-opt-disable private variables stay in memory and nothing is folded. The exception are programs with values
 * of opaque types (images, events), which cannot be in memory: these have to get from where they come from to where
 * they are used. */
static bool keeps_memory(const struct lower *lower)
{
    if (!lower_keeps_code(lower) || lower_watches(lower)) /* checks follow pointers to what they point to */
        return false;
    spv_foreach_inst (inst, &lower->module->sections[SPV_SECTION_GLOBAL]) {
        enum spv_class class = spv_op_class(inst->op);
        if (class == SPV_CLASS_IMAGE_TYPE || class == SPV_CLASS_OPAQUE_TYPE)
            return false;
    }
    return true;
}

static bool run_sroa(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    EACH(sroa);
    EACH(mem2reg);
    return true;
}

/* Where private variables are looked at, the front end has left them to this (program/program.c). */
static bool run_check_sites(struct lower *lower)
{
    if (!lower_check_sites(lower))
        return false;
    if (lower->watched & CLC_CHECK_INIT) {
        EACH(mem2reg);
        EACH(fold);
        EACH(dce);
    }
    return true;
}

/* Simplifies each function once, before inlining copies it. The library's functions are left out: they were simplified
 * when Pumice was built, and what their own built-ins have become since is folded where they are inlined. */
static bool run_simplify(struct lower *lower)
{
    spv_id end = lower->library ? lower->library : UINT32_MAX;
    if (keeps_memory(lower))
        return true;
    run_each(lower, EACH_mem2reg, end);
    run_each(lower, EACH_fold, end);
    run_each(lower, EACH_dce, end);
    return true;
}

/* What an inner loop stores once it has ended, the loop around it may keep in a value, too. */
static void run_promote(struct lower *lower)
{
    for (uint32_t round = 0; round < 3 && EACH(promote); round++) {
        EACH(mem2reg);
        EACH(fold);
        EACH(dce);
    }
}

static bool run_arrays(struct lower *lower)
{
    if (!lower_has_variable_arrays(lower->module))
        return true;
    EACH(fold);
    if (!lower_variable_arrays(lower))
        return false;
    spv_foreach_function (function, lower->module)
        function->settled = 0;
    return true;
}

static bool run_structurise(struct lower *lower)
{
    if (EACH(structurise))
        EACH(mem2reg);
    if (!keeps_memory(lower)) {
        EACH(hoist);
        run_promote(lower);
    }
    compact_large(lower); /* pointers come next, which leave nothing as it was */
    return true;
}

static bool run_subgroups(struct lower *lower)
{
    if (!lower_subgroups(lower) || lower->idle)
        return !lower->error;
    spv_foreach_function (function, lower->module)
        function->settled = 0;
    if (lower->turns || lower->options->any_size)
        EACH(mem2reg);
    if (!keeps_memory(lower)) {
        EACH(fold);
        EACH(cse_values);
    }
    EACH(dce);
    return true;
}

static bool run_clean(struct lower *lower)
{
    if (!keeps_memory(lower)) {
        EACH(fold);
        EACH(cse);
    }
    EACH(dce);
    return true;
}

/* The last cleaning, except for what splitting of vectors leaves. */
static bool run_clean_all(struct lower *lower)
{
    run_clean(lower);
    if (!keeps_memory(lower) && EACH(fold))
        EACH(dce);
    return true;
}

static bool run_clean_vectors(struct lower *lower)
{
    return lower->split_vectors ? run_clean_all(lower) : true;
}

static bool is_weak(const struct clc_target *target)
{
    return !target->int8 || !target->int16 || !target->int64;
}

/* Numbers that the device lacks are made of others by now: many of the second halves are never used. Nothing is folded
 * any more, since zeros.c has written operations in forms that are to stay. */
static bool run_clean_weak(struct lower *lower)
{
    if (!is_weak(lower->target))
        return true;
    if (!keeps_memory(lower))
        EACH(cse);
    EACH(dce);
    return true;
}

/* A loop may have to wait for the next round: there was no room for it, or its bounds are known only once the code that
 * was written out is folded. A round that wrote next to nothing (loops that run once) is only folded; the rest of the
 * cleaning is left to the next pass that cleans. */
static bool run_unroll(struct lower *lower)
{
    bool changed = false;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t before = lower->module->bound;
        bool more = lower->target->slow_branches ? EACH(unroll_few_branches)
                    : round < 2                  ? EACH(unroll)
                                                 : EACH(unroll_more);
        if (!more)
            break;
        changed = true;
        if (lower->module->bound - before < before / 160)
            EACH(fold);
        else
            run_clean(lower);
    }
    return changed;
}

/* SROA and folding help each other: folding makes an index constant, or makes a pointer into an array a chain from the
 * array itself, and SROA then splits the array. So they take turns for as long as both change something. The last turn
 * need not be clean: run_clean_all() comes later. */
static bool run_optimise(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    run_clean(lower);
    EACH(hoist); /* counters' steps and ends */
    run_unroll(lower);
    for (uint32_t round = 0; round < 4; round++) {
        bool changed = EACH(unions);
        if (changed)
            EACH(dce);
        changed |= EACH(sroa);
        changed |= EACH(mem2reg);
        if (!changed || !EACH(fold))
            break;
        EACH(cse);
        EACH(dce);
    }
    if (lower->target->integer_dot_product && EACH(dot)) {
        EACH(fold);
        EACH(cse);
        EACH(dce);
    }
    dce_module(lower);
    return true;
}

static bool run_bytes(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    bool words = EACH(words);
    if (EACH(divide) || words)
        EACH(fold);
    bool parts = EACH(bytes);
    parts |= lower->target->computes_in_words && EACH(rotate);
    EACH(logic);
    if (parts) {
        EACH(cse);
        EACH(dce);
    }
    return true;
}

static bool is_plain(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->op == SpvOpFunctionCall)
        return opt_is_const_call(module, inst);
    return inst->op == SpvOpPhi || spv_op_is_plain(inst->op) || inst->op == SpvOpReturnValue ||
           inst->op == SpvOpUnreachable || spv_inst_is_pure(inst);
}

static bool is_number(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) || spv_type_is_float(module, type) || spv_type_is_bool(module, type);
}

/* Whether a function only does arithmetic on its parameters, as functions of the library do. */
static bool only_computes(const struct spv_module *module, const struct spv_function *function)
{
    if (!(function->def->words[0] & SpvFunctionControlConstMask) || !is_number(module, function->def->type))
        return false;
    for (uint32_t i = 0; i < function->params.length; i++) {
        if (!is_number(module, function->params.data[i]->type))
            return false;
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!is_plain(module, inst) || (inst->type && spv_type_is_pointer(module, inst->type)))
                return false;
        }
    }
    return true;
}

#ifndef NDEBUG
static void hash_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    uint64_t *hash = data;
    (void)inst;
    *hash = (*hash ^ *word) * 0x9e3779b97f4a7c15u;
}

/* A hash of the functions that only compute, to compare them later. */
static uint64_t hash_computing(const struct spv_module *module)
{
    uint64_t hash = 0;
    spv_foreach_function (function, module) {
        for (struct spv_block *block = function->only_computes ? function->first_block : NULL; block;
             block = block->next) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t op = inst->op;
                hash_word(&hash, inst, &op);
                hash_word(&hash, inst, &inst->type);
                hash_word(&hash, inst, &inst->id);
                spv_visit_operand_ids(inst, hash_word, &hash);
            }
        }
    }
    return hash;
}
#endif

/* Memory, images and entry change nothing in functions that only compute. So those that are clean stay so. */
static bool run_memory(struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        function->only_computes =
            function != lower->kernel && function->first_block && only_computes(lower->module, function);
        if (function->only_computes && function->settled & CLEANED)
            function->settled = SETTLED;
    }
#ifndef NDEBUG
    lower->computing = hash_computing(lower->module);
#endif
    promise_computing(lower, "memory", lower_memory);
    return lower_memory(lower);
}

/* Puts sums in order once addresses are sums of integers. Equal sums are merged afterwards. */
static bool run_hoist(struct lower *lower)
{
    if (!keeps_memory(lower) && EACH(sums))
        EACH(cse_values);
    return true;
}

static_assert((int)OPT_SPEC_REACH == (int)CLC_SPEC_REACH && (int)OPT_REACH_LARGE == (int)CLC_REACH_LARGE &&
                  (int)OPT_REACH_INNER == (int)CLC_REACH_INNER,
              "opt/ and clc.h number alike");

/* Gives addresses their last form, and removes what only the old form needed. */
static bool run_addresses(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    bool changed = EACH(strength);
    bool loads = lower->target->subgroup_vote ? EACH(loads_voting) : EACH(loads);
    if (loads)
        EACH(bytes);
    changed |= loads;
    changed |= EACH(stores);
    if (lower->target->int64 && lower->target->computes_in_words && !lower->target->short_chains)
        changed |= EACH(offsets);
    if (lower->target->int64)
        changed |= lower->target->short_chains ? EACH(elements_short) : EACH(elements);
    if (changed)
        EACH(dce);
    return true;
}

static bool run_wide(struct lower *lower)
{
    lower_wide(lower);
    bool changed = !lower->idle;
    if (changed) {
        spv_foreach_function (function, lower->module)
            function->settled = 0;
    }
    if (!lower_keeps_code(lower) && EACH(scale)) {
        EACH(cse_values);
        changed = true;
    }
    if (changed)
        EACH(dce);
    lower->idle = !changed;
    return true;
}

/* Again in a program from source, whose variables have zeros already: IL and binaries come from anywhere. */
static bool run_initialise(struct lower *lower)
{
    if (lower->target->zero_private)
        EACH(initialise);
    else
        lower->idle = true;
    return true;
}

/* ---- the order (passes.def) ---- */

static const struct pass {
    const char *name;
    bool (*run)(struct lower *lower);
    enum keeps keeps;
} passes[] = {
#define WHOLE_PASS(name, function, keeps) {name, function, KEEPS_##keeps},
#include "compiler/passes.def"
};

static void dump(struct lower *lower, const char *name)
{
    struct str text;
    const char *wanted = lower->options->dump_passes;
    if (!wanted || !lower->module || (strcmp(wanted, "all") != 0 && strcmp(wanted, name) != 0))
        return;
    str_init(&text, lower->arena);
    spv_print(lower->module, &text);
    fprintf(stderr, "; ==== after %s\n%s", name, str_text(&text));
}

static bool run_pass(struct lower *lower, const struct pass *pass)
{
    uint64_t start = begin(lower);
    if (lower->module)
        lower->module->scratch = lower->scratch;
    lower->idle = false;
    if (pass->keeps == KEEPS_COMPUTING && pass->run != run_memory) /* which asks when it knows them */
        promise_computing(lower, pass->name, pass->run);
    if (!pass->run(lower))
        return lower->error ? false : lower_fail(lower, "pass %s failed", pass->name);
    bool keeps_all = pass->keeps == KEEPS_SETTLED || lower->idle;
    spv_foreach_function (function, lower->module) {
        if (keeps_all || (pass->keeps == KEEPS_COMPUTING && function->only_computes))
            continue;
        if (pass->keeps == KEEPS_NOTHING)
            spv_cfg_forget(function);
        function->settled = 0;
    }
    if (lower->idle)
        promise_idle(lower, pass->name, pass->run);
    promise_flow(lower);
    add_time(lower, (uint32_t)(pass - passes), start);
    compact(lower);
    dump(lower, pass->name);
#ifndef NDEBUG
    assert(pass->keeps != KEEPS_COMPUTING || lower->computing == hash_computing(lower->module));
    const char *wrong = spv_check(lower->module);
    if (wrong)
        return lower_fail(lower, "internal error: after pass %s: %s", pass->name, wrong);
#endif
    return !lower->error;
}

bool lower_run_pass(struct lower *lower, const char *name)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(passes); i++) {
        if (!strcmp(passes[i].name, name))
            return run_pass(lower, &passes[i]);
    }
    return lower_fail(lower, "there is no pass '%s'", name);
}

bool lower_run(struct lower *lower)
{
    if (!lower->target->buffer_address)
        return lower_fail(lower, "the device lacks buffer addresses");
    for (uint32_t i = 0; i < ARRAY_LENGTH(passes); i++) {
        if (!run_pass(lower, &passes[i]))
            return false;
        if (lower->between_passes)
            lower->between_passes(lower);
    }
    struct clc_lowered *out = lower->out;
    uint64_t start = time_ns();
    out->words = spv_write(lower->module, &out->num_words);
    out->constants = lower->constants->block;
    out->bindings = lower->bindings.data;
    out->num_bindings = lower->bindings.length;
    out->printf_formats = lower->printf_formats.data;
    out->num_printf_formats = lower->printf_formats.length;
    out->printf_strings = lower->printf_strings.data;
    out->num_printf_strings = lower->printf_strings.length;
    out->uses_printf = out->launch_offset[CLC_LAUNCH_PRINTF] >= 0;
    out->check_page = lower->check_page;
    out->check_ranges = lower->check_ranges;
    out->check_granule = lower->check_granule;
    out->check_local_bytes = lower->check_local_bytes;
    out->check_written = lower->check_written;
    out->check_tracks = lower->check_tracks;
    out->check_touches = lower->check_touches && !lower->check_untold && !lower->unseen_writes;
    out->unseen_writes = lower->unseen_writes;
    out->check_sites = lower->check_sites.data;
    out->num_check_sites = lower->check_sites.length;
    out->check_objects = lower->check_objects.data;
    out->check_access = lower->check_access;
    out->num_check_objects = lower->check_objects.length;
    if (lower->options->timing)
        lower->options->timing->write += time_ns() - start;
    return true;
}
