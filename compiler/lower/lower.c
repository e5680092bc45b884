/* The driver of lowering: the order of passes, and why they come in this order.
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
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/memory/passes.h"
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/values/data.h"
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

size_t lower_held(const struct lower *lower)
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

/* The row of a part in the report of --time; NULL: there are too many. A part that several passes run (fold) has one
 * row for all of its runs. The search begins at the row after the last one, since the next row is mostly near. */
static struct clc_pass_timing *find_row(struct lower *lower, const char *name, bool inner)
{
    struct clc_timing *timing = lower->options->timing;
    struct clc_pass_timing *rows = timing->passes;
    uint32_t count = timing->num_passes, i = lower->row < count ? lower->row : 0;
    for (uint32_t left = count; left; left--, i = i + 1 < count ? i + 1 : 0) {
        if (rows[i].name == name && rows[i].inner == inner) { /* one string is at one place, mostly */
            lower->row = i + 1;
            return &rows[i];
        }
    }
    for (i = 0; i < count; i++) {
        if (rows[i].inner == inner && !strcmp(rows[i].name, name))
            return &rows[i];
    }
    if (count == ARRAY_LENGTH(timing->passes))
        return NULL;
    timing->num_passes++;
    rows[count].name = name;
    rows[count].inner = inner;
    return &rows[count];
}

static void add_time(struct lower *lower, const char *name, bool inner, uint64_t start)
{
    struct clc_timing *timing = lower->options->timing;
    struct clc_pass_timing *row = timing ? find_row(lower, name, inner) : NULL;
    if (!row)
        return;
    size_t memory = lower_held(lower);
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
    if (lower->options->timing && lower_held(lower) > lower->options->timing->lower_memory)
        lower->options->timing->lower_memory = lower_held(lower);
    arena_finish(from);
    add_time(lower, "compact", true, start);
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

/* Whether the pass leaves blocks and branches as they are, or calls spv_cfg_forget() when it does not. */
static bool keeps_flow(function_pass pass)
{
    return pass == opt_fold || pass == opt_cse || pass == opt_cse_values || pass == opt_dce || pass == opt_sroa ||
           pass == opt_mem2reg || pass == opt_hoist || pass == opt_hoist_sums || pass == opt_bytes ||
           pass == opt_logic || pass == opt_strength || pass == opt_dot;
}

/* Passes that would find nothing on a function that has not changed since they ran on it: one bit for each. */
enum { SETTLED = 15 };

static uint8_t settles(function_pass pass)
{
    return pass == opt_fold ? 1 : pass == opt_cse ? 2 : pass == opt_dce ? 4 : pass == opt_mem2reg ? 8 : 0;
}

/* The passes that would still find nothing when this pass has changed the function. Folding looks at an instruction and
 * its operands, and these two passes only remove instructions that nobody uses or move them as they are. */
static uint8_t stays_settled(function_pass pass)
{
    return pass == opt_dce || pass == opt_hoist ? settles(opt_fold) : 0;
}

/* Functions from the id end on are left out. */
static bool each_function_below(struct lower *lower, const char *name, function_pass pass, spv_id end)
{
    uint64_t start = lower->now;
    uint8_t settled = settles(pass);
    bool changed = false;
    promise_settled(lower, name, pass, settled);
    spv_foreach_function (function, lower->module) {
        if (!function->first_block || function->settled & settled || function->def->id >= end)
            continue;
        bool changes = pass(lower->module, function);
        if (changes && !keeps_flow(pass))
            spv_cfg_forget(function);
        function->settled = settled | (function->settled & (changes ? stays_settled(pass) : SETTLED));
        changed |= changes;
    }
    add_time(lower, name, true, start);
    compact(lower);
    return changed;
}

static bool each_function(struct lower *lower, const char *name, function_pass pass)
{
    return each_function_below(lower, name, pass, UINT32_MAX);
}

static void dce_module(struct lower *lower)
{
    uint64_t start = lower->now;
    opt_dce_module(lower->module);
    add_time(lower, "dce-module", true, start);
}

/* With -cl-opt-disable private variables stay in memory and nothing is folded. The exception are programs with values
 * of opaque types (images, events), which cannot be in memory: these have to get from where they come from to where
 * they are used. */
static bool keeps_memory(const struct lower *lower)
{
    if (!lower_keeps_code(lower))
        return false;
    spv_foreach_inst (inst, &lower->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op >= SpvOpTypeImage && inst->op <= SpvOpTypePipe && inst->op != SpvOpTypeArray &&
            inst->op != SpvOpTypeRuntimeArray && inst->op != SpvOpTypeStruct && inst->op != SpvOpTypePointer &&
            inst->op != SpvOpTypeFunction)
            return false;
    }
    return true;
}

static bool run_sroa(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    each_function(lower, "sroa", opt_sroa);
    each_function(lower, "mem2reg", opt_mem2reg);
    return true;
}

/* Simplifies each function once, before inlining copies it. The library's functions are left out: they were simplified
 * when Pumice was built, and what their own built-ins have become since is folded where they are inlined. */
static bool run_simplify(struct lower *lower)
{
    spv_id end = lower->library ? lower->library : UINT32_MAX;
    if (keeps_memory(lower))
        return true;
    each_function_below(lower, "mem2reg", opt_mem2reg, end);
    each_function_below(lower, "fold", opt_fold, end);
    each_function_below(lower, "dce", opt_dce, end);
    return true;
}

/* What an inner loop stores once it has ended, the loop around it may keep in a value, too. */
static void run_promote(struct lower *lower)
{
    for (uint32_t round = 0; round < 3 && each_function(lower, "promote", opt_promote); round++) {
        each_function(lower, "mem2reg", opt_mem2reg);
        each_function(lower, "fold", opt_fold);
        each_function(lower, "dce", opt_dce);
    }
}

static bool run_structurise(struct lower *lower)
{
    if (each_function(lower, "structurise", cfg_structurise))
        each_function(lower, "mem2reg", opt_mem2reg);
    if (!keeps_memory(lower)) {
        each_function(lower, "hoist", opt_hoist);
        run_promote(lower);
    }
    compact_large(lower); /* pointers come next, which leave nothing as it was */
    return true;
}

static bool run_clean(struct lower *lower)
{
    if (!keeps_memory(lower)) {
        each_function(lower, "fold", opt_fold);
        each_function(lower, "cse", opt_cse);
    }
    each_function(lower, "dce", opt_dce);
    return true;
}

/* The last cleaning, except for what splitting of vectors leaves. */
static bool run_clean_all(struct lower *lower)
{
    run_clean(lower);
    if (!keeps_memory(lower) && each_function(lower, "fold", opt_fold))
        each_function(lower, "dce", opt_dce);
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
        each_function(lower, "cse", opt_cse);
    each_function(lower, "dce", opt_dce);
    return true;
}

/* A loop may have to wait for the next round: there was no room for it, or its bounds are known only once the code that
 * was written out is folded. A round that wrote next to nothing (loops that run once) is only folded; the rest of the
 * cleaning is left to whoever cleans next. */
static bool run_unroll(struct lower *lower)
{
    bool changed = false;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t before = lower->module->bound;
        if (!each_function(lower, "unroll", round < 2 ? opt_unroll : opt_unroll_more))
            break;
        changed = true;
        if (lower->module->bound - before < before / 160)
            each_function(lower, "fold", opt_fold);
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
    each_function(lower, "hoist", opt_hoist); /* counters' steps and ends */
    run_unroll(lower);
    for (uint32_t round = 0; round < 4; round++) {
        bool changed = each_function(lower, "sroa", opt_sroa);
        changed |= each_function(lower, "mem2reg", opt_mem2reg);
        if (!changed || !each_function(lower, "fold", opt_fold))
            break;
        each_function(lower, "cse", opt_cse);
        each_function(lower, "dce", opt_dce);
    }
    if (lower->target->integer_dot_product && each_function(lower, "dot", opt_dot)) {
        each_function(lower, "fold", opt_fold);
        each_function(lower, "cse", opt_cse);
        each_function(lower, "dce", opt_dce);
    }
    dce_module(lower);
    return true;
}

static bool run_bytes(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    bool words = each_function(lower, "words", opt_words);
    if (each_function(lower, "divide", opt_divide) || words)
        each_function(lower, "fold", opt_fold);
    bool bytes = each_function(lower, "bytes", opt_bytes);
    each_function(lower, "logic", opt_logic);
    if (bytes) {
        each_function(lower, "cse", opt_cse);
        each_function(lower, "dce", opt_dce);
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
        if (function->only_computes && function->settled & settles(opt_dce))
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
    if (!keeps_memory(lower) && each_function(lower, "sums", opt_hoist_sums))
        each_function(lower, "cse", opt_cse_values);
    return true;
}

static_assert((int)OPT_SPEC_LARGE == (int)CLC_SPEC_LARGE, "opt/ and clc.h number the constant alike");

/* Gives addresses their last form, and removes what only the old form needed. */
static bool run_addresses(struct lower *lower)
{
    if (keeps_memory(lower))
        return true;
    bool changed = each_function(lower, "strength", opt_strength);
    bool loads = each_function(lower, "loads", lower->target->subgroup_vote ? opt_loads_voting : opt_loads);
    if (loads)
        each_function(lower, "bytes", opt_bytes);
    changed |= loads;
    changed |= each_function(lower, "stores", opt_stores);
    if (lower->target->int64)
        changed |= each_function(lower, "elements", lower->target->short_chains ? opt_elements_short : opt_elements);
    if (changed)
        each_function(lower, "dce", opt_dce);
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
    if (!lower_keeps_code(lower) && each_function(lower, "scale", opt_scale)) {
        each_function(lower, "cse", opt_cse_values);
        changed = true;
    }
    if (changed)
        each_function(lower, "dce", opt_dce);
    lower->idle = !changed;
    return true;
}

/* Again in a program from source, whose variables have zeros already: IL and binaries come from anywhere. */
static bool run_initialise(struct lower *lower)
{
    if (lower->target->zero_private)
        each_function(lower, "initialise", opt_initialise);
    else
        lower->idle = true;
    return true;
}

/* ---- the order ---- */

static const struct pass {
    const char *name;
    bool (*run)(struct lower *lower);
    enum {
        KEEPS_NOTHING,
        KEEPS_FLOW,      /* blocks and branches are as they were, or it says otherwise by spv_cfg_forget() */
        KEEPS_COMPUTING, /* that, and functions that only compute are what they were */
        KEEPS_SETTLED,   /* all of it, function by function */
    } keeps;
} passes[] = {
    {"extract", lower_extract},
    {"initialise", run_initialise},
    {"builtins", lower_builtins},
    {"simplify", run_simplify, KEEPS_SETTLED},
    {"inline", lower_inline},
    {"barriers", lower_barriers, KEEPS_FLOW},
    {"aggregates", lower_aggregates, KEEPS_FLOW},
    {"sroa", run_sroa, KEEPS_SETTLED},
    {"generic", lower_generic, KEEPS_FLOW},
    {"arguments", lower_arguments, KEEPS_FLOW},
    {"optimise", run_optimise, KEEPS_SETTLED},
    {"structurise", run_structurise, KEEPS_SETTLED},
    {"nesting", lower_nesting, KEEPS_FLOW},
    {"memory", run_memory, KEEPS_COMPUTING},
    {"images", lower_images, KEEPS_COMPUTING},
    {"entry", lower_entry, KEEPS_COMPUTING},
    {"clean", run_clean_all, KEEPS_SETTLED},
    {"vectors", lower_vectors, KEEPS_FLOW},
    {"clean-vectors", run_clean_vectors, KEEPS_SETTLED},
    {"bytes", run_bytes, KEEPS_SETTLED},
    {"hoist", run_hoist, KEEPS_SETTLED},
    {"addresses", run_addresses, KEEPS_SETTLED},
    {"local-vectors", run_wide, KEEPS_FLOW},
    {"share", lower_share_calls},
    {"contract", lower_contract, KEEPS_FLOW},
    {"hide", lower_hide, KEEPS_FLOW},
    {"halves", lower_halves, KEEPS_FLOW},
    {"zeros", lower_zeros, KEEPS_FLOW},
    {"patterns", lower_patterns, KEEPS_FLOW},
    {"pairs", lower_pairs, KEEPS_FLOW},
    {"widen", lower_widen, KEEPS_FLOW},
    {"clean-weak", run_clean_weak, KEEPS_SETTLED},
    {"waits", lower_waits, KEEPS_FLOW},
    {"loops", lower_loops, KEEPS_FLOW},
    {"reveal", lower_reveal, KEEPS_FLOW},
    {"legalise", lower_legalise, KEEPS_FLOW},
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
    add_time(lower, pass->name, false, start);
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
    if (lower->options->timing)
        lower->options->timing->write += time_ns() - start;
    return true;
}
