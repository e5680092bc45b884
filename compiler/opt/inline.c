/* Inlining. Functions are processed callees first, so that a body is complete before it is copied into its callers.
 * Each call gets a copy of the body; if a function has only one call, that call takes the body itself.
 *
 * A callee is first brought into a shape that fits into the middle of a structured function: its returns become
 * branches to one block at its end. Where that breaks its structure, the callee is structurised by itself, before
 * copies are made, so that its callers stay as they are. Local variables move to the caller's entry block (SPIR-V 1.6,
 * 2.4). Their initialisers become stores at the place of the call, since the call may stand in a loop. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"
#include "compiler/opt/cfg/structurise.h"

#include "compiler/spv/cfg.h"

#include <string.h>

/* A limit for programs that grow exponentially, where f calls g twice, g calls h twice and so on. */
enum { MAX_INSTRUCTIONS = 2000000 };

struct inliner {
    struct spv_module *module;
    struct arena *arena;
    opt_call_policy policy;
    void *data;
    struct u64_map sizes; /* function id -> 1 + instructions */
    struct u64_map sites; /* function id -> its calls, and one more where it may be called from elsewhere */
    spv_id *ids;          /* of the callee to the caller, while a call is inlined; else zeros */
    uint32_t num_ids;
    uint64_t total;
    const char *error;
};

/* ---- order ---- */

enum { VISITING = 1, DONE = 2 };

struct visit {
    struct spv_function *function;
    struct spv_block *block; /* where the scan for calls goes on */
    struct spv_inst *inst;
};

static const char *name_of(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *name = spv_names(module, id);
    while (name && name->op != SpvOpName)
        name = name->next_decoration;
    return name ? spv_string(name, 1, NULL) : "?";
}

/* The next call at or after the visit's position. */
static struct spv_function *next_callee(const struct spv_module *module, struct visit *visit)
{
    while (visit->block) {
        for (; visit->inst; visit->inst = visit->inst->next) {
            if (visit->inst->op != SpvOpFunctionCall)
                continue;
            spv_id callee = visit->inst->words[0];
            visit->inst = visit->inst->next;
            return spv_function_of(module, callee);
        }
        visit->block = visit->block->next;
        visit->inst = visit->block ? visit->block->insts.first : NULL;
    }
    return NULL;
}

bool opt_order_calls(struct spv_module *module, struct spv_function *root, struct opt_call_order *order,
                     const char **error)
{
    struct arena *arena = module->arena;
    struct u64_map states = {0}; /* function id -> VISITING, DONE */
    VEC(struct visit) stack = {0};
    struct spv_function *entered = root;
    while (entered || stack.length) {
        if (entered) {
            u64_map_set(arena, &states, entered->def->id, (void *)(uintptr_t)VISITING);
            struct visit visit = {entered, entered->first_block, NULL};
            visit.inst = visit.block ? visit.block->insts.first : NULL;
            vec_push(arena, &stack, visit);
        }
        entered = next_callee(module, &vec_last(&stack));
        if (!entered) {
            struct spv_function *done = vec_pop(&stack).function;
            u64_map_set(arena, &states, done->def->id, (void *)(uintptr_t)DONE);
            vec_push(arena, &order->functions, done);
            continue;
        }
        uintptr_t state = (uintptr_t)u64_map_get(&states, entered->def->id);
        if (state == VISITING) {
            /* OpenCL C 3.0, 6.11.i: recursion is not supported */
            *error = arena_printf(arena, "function '%s' calls itself", name_of(module, entered->def->id));
            return false;
        }
        if (state == DONE || !entered->first_block)
            entered = NULL;
    }
    return true;
}

void opt_prepare_callee(struct spv_module *module, struct spv_function *function)
{
    if (!function->first_block || !function->first_block->next)
        return;
    if (cfg_remove_unreachable(module, function))
        spv_cfg_forget(function);
    cfg_unify_returns(module, function);
    if (cfg_structurise_callee(module, function))
        opt_mem2reg(module, function);
    cfg_join_blocks(module, function);
}

/* ---- copying a body ---- */

struct splice {
    struct inliner *in;
    struct spv_module *module;
    struct spv_function *caller, *callee;
    struct spv_inst *call;
    struct spv_block *rest; /* what follows the call */
    struct spv_block *last; /* of the caller's text, so far */
    spv_id returned;        /* find_returned(): the copy of this id takes the call's id; 0: none */
    spv_id result;          /* of the call; 0: nothing */
    uint32_t scopes;        /* of the copied body, by spv_begin_scopes() */
};

static void map_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const spv_id *ids = data;
    (void)inst;
    if (ids[*word])
        *word = ids[*word];
}

static void copy_decorations(struct splice *splice, spv_id from, spv_id to)
{
    struct spv_module *module = splice->module;
    for (const struct spv_inst *d = spv_decorations(module, from); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate)
            spv_decorate(module, to, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
}

static struct spv_inst *copy_inst(struct splice *splice, const struct spv_inst *inst)
{
    spv_id id = inst->id ? splice->in->ids[inst->id] : 0;
    struct spv_inst *copy = spv_inst_copy(splice->module, inst, id);
    spv_visit_operand_ids(copy, map_word, splice->in->ids);
    spv_copy_scopes(splice->module, inst, copy, splice->scopes);
    if (id)
        copy_decorations(splice, inst->id, id);
    return copy;
}

/* Maps the callee's parameters and its result to what they are in the caller; clear undoes that. The table is zero
 * between calls. Clearing the entries that one call has set costs less than a new table for each call. */
static void map_interface(struct splice *splice, bool clear)
{
    struct inliner *in = splice->in;
    uint32_t bound = splice->module->bound;
    if (bound > in->num_ids) {
        uint32_t grown = bound + bound / 2;
        in->ids = arena_grow(in->arena, in->ids, in->num_ids * sizeof(*in->ids), grown * sizeof(*in->ids));
        in->num_ids = grown;
    }
    for (uint32_t i = 0; i < splice->callee->params.length; i++)
        in->ids[splice->callee->params.data[i]->id] = clear ? 0 : splice->call->words[i + 1];
    if (splice->returned)
        in->ids[splice->returned] = clear ? 0 : splice->call->id;
}

/* Maps all other ids of the callee to new ones; clear undoes that. */
static void map_ids(struct splice *splice, bool clear)
{
    struct inliner *in = splice->in;
    map_interface(splice, clear);
    spv_foreach_block (block, splice->callee) {
        in->ids[block->label->id] = clear ? 0 : spv_new_id(splice->module);
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id && inst->id != splice->returned)
                in->ids[inst->id] = clear ? 0 : spv_new_id(splice->module);
        }
    }
}

static void copy_variable(struct splice *splice, struct spv_builder *at, const struct spv_inst *inst)
{
    struct spv_module *module = splice->module;
    struct spv_inst *copy = copy_inst(splice, inst);
    struct spv_block *entry = splice->caller->first_block;
    struct spv_builder top = {module, splice->caller, entry, entry->insts.first};
    spv_id initializer = copy->num_words > 1 ? copy->words[1] : 0;
    if (initializer)
        spv_inst_set_words(module, copy, 1, (const uint32_t[]){SpvStorageClassFunction});
    spv_inst_insert(&top, copy);
    if (initializer)
        spv_emitv_void(at, SpvOpStore, copy->id, initializer);
}

/* Copies the instructions of a block but for its terminator. */
static void copy_insts(struct splice *splice, struct spv_builder *at, const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op == SpvOpVariable) {
            copy_variable(splice, at, inst);
        } else if (inst->op == SpvOpReturnValue) {
            splice->result = inst->words[0];
            map_word(splice->in->ids, NULL, &splice->result);
        } else if (inst->op != SpvOpReturn) {
            spv_inst_insert(at, copy_inst(splice, inst));
        }
    }
}

static void copy_block(struct splice *splice, const struct spv_block *block)
{
    struct spv_block *copy = spv_block_create(splice->caller, splice->module, splice->in->ids[block->label->id]);
    spv_block_insert_after(splice->last, copy);
    splice->last = copy;
    struct spv_builder at = {splice->module, splice->caller, copy, NULL};
    copy_insts(splice, &at, block);
    if (cfg_returns(block))
        spv_emitv_void(&at, SpvOpBranch, splice->rest->label->id);
}

/* ---- the call ---- */

/* Moves what follows the call to a block of its own. A loop's header keeps its merge instruction. */
static void split_at_call(struct splice *splice)
{
    struct spv_module *module = splice->module;
    struct spv_block *block = splice->call->block;
    struct spv_block *rest = spv_block_create(splice->caller, module, 0);
    spv_id label = block->label->id, rest_label = rest->label->id;
    struct spv_inst *merge = spv_merge_inst(block);
    cfg_rename_phi_pred(module, block, label, rest_label);
    for (struct spv_inst *inst = splice->call->next, *next; inst; inst = next) {
        next = inst->next;
        if (inst == merge && merge->op == SpvOpLoopMerge) {
            /* a loop of one block: the back edge now comes from the rest */
            if (merge->words[1] == label)
                merge->words[1] = rest_label;
            continue;
        }
        struct spv_builder at = {module, splice->caller, rest, NULL};
        spv_inst_unlink(inst);
        spv_inst_insert(&at, inst);
    }
    splice->rest = rest;
    splice->last = block;
}

static void inline_blocks(struct splice *splice)
{
    struct spv_block *block = splice->call->block;
    split_at_call(splice);
    spv_foreach_block (each, splice->callee)
        copy_block(splice, each);
    spv_block_insert_after(splice->last, splice->rest);
    struct spv_builder at = {splice->module, splice->caller, block, NULL};
    spv_emitv_void(&at, SpvOpBranch, splice->in->ids[splice->callee->first_block->label->id]);
}

static bool is_straight(const struct spv_function *function)
{
    return !function->first_block->next && cfg_returns(function->first_block);
}

static void inline_copy(struct splice *splice)
{
    map_ids(splice, false);
    splice->scopes = spv_begin_scopes(splice->module);
    if (is_straight(splice->callee)) {
        struct spv_builder at = {splice->module, splice->caller, splice->call->block, splice->call};
        copy_insts(splice, &at, splice->callee->first_block);
    } else {
        inline_blocks(splice);
    }
    map_ids(splice, true);
}

/* ---- the only call ---- */

/* Renames in place what inst uses, and its result, to the caller's ids. */
static void rename_inst(struct splice *splice, struct spv_inst *inst)
{
    struct spv_module *module = splice->module;
    spv_visit_operand_ids(inst, map_word, splice->in->ids);
    if (!inst->id || inst->id != splice->returned)
        return;
    copy_decorations(splice, inst->id, splice->call->id);
    spv_remove_annotations(module, inst->id);
    module->defs[inst->id] = NULL;
    inst->id = splice->call->id;
    module->defs[inst->id] = inst;
}

static void move_inst(struct splice *splice, struct spv_builder *at, struct spv_inst *inst)
{
    struct spv_block *entry = splice->caller->first_block;
    struct spv_builder top = {splice->module, splice->caller, entry, entry->insts.first};
    spv_id initializer = inst->op == SpvOpVariable && inst->num_words > 1 ? inst->words[1] : 0;
    spv_inst_unlink(inst);
    spv_inst_insert(inst->op == SpvOpVariable ? &top : at, inst);
    if (!initializer)
        return;
    spv_inst_set_words(splice->module, inst, 1, (const uint32_t[]){SpvStorageClassFunction});
    spv_emitv_void(at, SpvOpStore, inst->id, initializer);
}

static void end_moved_block(struct splice *splice, struct spv_block *block)
{
    struct spv_inst *end = spv_terminator(block);
    if (!cfg_returns(block))
        return;
    splice->result = end->op == SpvOpReturnValue ? end->words[0] : splice->result; /* renamed already */
    spv_inst_remove(splice->module, end);
    struct spv_builder at = {splice->module, splice->caller, block, NULL};
    if (splice->rest)
        spv_emitv_void(&at, SpvOpBranch, splice->rest->label->id);
}

static void move_blocks(struct splice *splice)
{
    struct spv_block *before = splice->call->block, *first = splice->callee->first_block, *block;
    split_at_call(splice);
    struct spv_builder start = {splice->module, splice->caller, first, first->insts.first};
    while (start.before->op == SpvOpVariable)
        start.before = start.before->next;
    while (first->insts.first->op == SpvOpVariable)
        move_inst(splice, &start, first->insts.first);
    while ((block = splice->callee->first_block)) {
        end_moved_block(splice, block);
        spv_block_unlink(block);
        spv_block_insert_after(splice->last, block);
        splice->last = block;
    }
    spv_block_insert_after(splice->last, splice->rest);
    struct spv_builder at = {splice->module, splice->caller, before, NULL};
    spv_emitv_void(&at, SpvOpBranch, first->label->id);
}

/* The only call of a function takes its body without copying it, and the function is removed. */
static void inline_move(struct splice *splice)
{
    struct spv_function *callee = splice->callee;
    map_interface(splice, false);
    spv_foreach_block (block, callee) {
        spv_foreach_inst (inst, &block->insts)
            rename_inst(splice, inst);
    }
    map_interface(splice, true);
    if (is_straight(callee)) {
        struct spv_builder at = {splice->module, splice->caller, splice->call->block, splice->call};
        struct spv_block *body = callee->first_block;
        end_moved_block(splice, body);
        while (body->insts.first)
            move_inst(splice, &at, body->insts.first);
    } else {
        move_blocks(splice);
    }
    spv_function_remove(splice->module, callee);
}

static bool is_only_call(const struct inliner *in, const struct spv_function *callee)
{
    return (uintptr_t)u64_map_get(&in->sites, callee->def->id) == 1;
}

/* The id that the callee returns, where an instruction of its body computes it: the copy of that instruction can take
 * the call's id, and no use of the call need be rewritten. 0 where the callee returns something else (a parameter, a
 * constant). */
static spv_id find_returned(const struct spv_module *module, const struct spv_function *callee)
{
    spv_foreach_block (block, callee) {
        const struct spv_inst *end = spv_terminator(block);
        if (end->op != SpvOpReturnValue)
            continue;
        const struct spv_inst *def = spv_def(module, end->words[0]);
        return def->block ? def->id : 0;
    }
    return 0;
}

static void inline_call(struct inliner *in, struct spv_function *caller, struct spv_function *callee,
                        struct spv_inst *call, struct spv_replacements *results)
{
    struct spv_module *module = in->module;
    struct splice splice = {.in = in, .module = module, .caller = caller, .callee = callee, .call = call};
    splice.returned = find_returned(module, callee);
    if (splice.returned) {
        spv_remove_annotations(module, call->id);
        module->defs[call->id] = NULL;
    }
    if (is_only_call(in, callee))
        inline_move(&splice);
    else
        inline_copy(&splice);
    if (splice.returned) {
        spv_inst_unlink(call);
        return;
    }
    if (spv_type_op(module, call->type) != SpvOpTypeVoid)
        spv_replace(module, results, call->id, splice.result ? splice.result : spv_undef(module, call->type));
    cfg_remove_inst(module, call);
}

static uint64_t size_of(struct inliner *in, const struct spv_function *function)
{
    uint64_t known = (uintptr_t)u64_map_get(&in->sizes, function->def->id);
    if (known)
        return known;
    known = 1;
    spv_foreach_block (block, function) {
        known++;
        spv_foreach_inst (inst, &block->insts)
            known++;
    }
    u64_map_set(in->arena, &in->sizes, function->def->id, (void *)(uintptr_t)known);
    return known;
}

static enum opt_call_fate fate_of(const struct inliner *in, const struct spv_function *function)
{
    return in->policy ? in->policy(in->data, in->module, function) : OPT_CALL_INLINED;
}

/* Inlines the calls in caller, the last call of each block first: what follows a call moves to another block, and in
 * this order it is moved once, not once for every call before it. */
static bool inline_into(struct inliner *in, struct spv_function *caller, bool *changed)
{
    struct spv_replacements results = {0};
    for (struct spv_block *block = caller->first_block, *next_block; block; block = next_block) {
        next_block = block->next;
        for (struct spv_inst *inst = block->insts.last, *previous; inst; inst = previous) {
            previous = inst->prev;
            if (inst->op != SpvOpFunctionCall)
                continue;
            struct spv_function *callee = spv_function_of(in->module, inst->words[0]);
            if (!callee || !callee->first_block || fate_of(in, callee) == OPT_CALL_STAYS)
                continue;
            in->total += size_of(in, callee);
            if (in->total > MAX_INSTRUCTIONS) {
                in->error = "the program is too large once its functions are inlined";
                return false;
            }
            inline_call(in, caller, callee, inst, &results);
            *changed = true;
        }
    }
    spv_apply_replacements(in->module, &results, caller);
    spv_finish_replacements(in->module, &results);
    if (*changed) {
        spv_cfg_forget(caller);
        cfg_join_blocks(in->module, caller);
    }
    return true;
}

/* Prepares a function for being copied into its callers. It is simplified again where inlining changed it and more than
 * one copy of it will be made. */
static void prepare_callee(struct inliner *in, struct spv_function *callee, bool changed)
{
    struct spv_module *module = in->module;
    enum opt_call_fate fate = fate_of(in, callee);
    if (fate == OPT_CALL_STAYS || fate == OPT_CALL_READY)
        return;
    opt_prepare_callee(module, callee);
    if (fate != OPT_CALL_CLEANED || !changed || is_only_call(in, callee))
        return;
    opt_fold(module, callee);
    opt_cse(module, callee);
    opt_dce(module, callee);
    spv_cfg_forget(callee);
}

static void add_site(struct inliner *in, spv_id function)
{
    uintptr_t sites = (uintptr_t)u64_map_get(&in->sites, function);
    u64_map_set(in->arena, &in->sites, function, (void *)(sites + 1));
}

static void count_sites(struct inliner *in)
{
    struct spv_module *module = in->module;
    spv_foreach_function (function, module) {
        if (spv_find_decoration(module, function->def->id, SpvDecorationLinkageAttributes))
            add_site(in, function->def->id);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpFunctionCall)
                    add_site(in, inst->words[0]);
            }
        }
    }
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT])
        add_site(in, entry->words[1]);
}

bool opt_inline_calls(struct spv_module *module, struct spv_function *function, opt_call_policy policy, void *data,
                      const char **error)
{
    struct inliner in = {.module = module, .arena = module->arena, .policy = policy, .data = data};
    struct opt_call_order order = {0};
    *error = NULL;
    count_sites(&in);
    bool good = opt_order_calls(module, function, &order, error);
    for (uint32_t i = 0; good && i < order.functions.length; i++) {
        struct spv_function *each = order.functions.data[i];
        bool changed = false;
        good = inline_into(&in, each, &changed);
        *error = in.error;
        if (good && each != function)
            prepare_callee(&in, each, changed);
    }
    return good;
}
