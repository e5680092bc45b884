/* Common subexpressions, scoped by dominance. A walk down the dominator tree carries a hash table of what was computed
 * on the way; when it leaves a subtree, what the subtree added is taken out of the table. An instruction that is in the
 * table already is replaced:
 *
 *     %a = OpIAdd %x %y  ...  %b = OpIAdd %x %y  ...  use %b     =>     %a = OpIAdd %x %y  ...  use %a
 *
 * A load of a value that is known to be in memory is replaced by that value (cse_memory.c). */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cse_memory.h"
#include "compiler/opt/opt.h"

#include <string.h>

struct entry {
    struct spv_inst *inst;
    uint32_t next; /* 1 + index, in the same bucket */
    uint32_t hash;
};

struct cse {
    struct spv_module *module;
    struct arena *arena;
    struct spv_replacements replacements;
    struct cse_memory memory;
    VEC(struct entry) entries;
    uint32_t *buckets; /* 1 + index of the newest entry */
    uint32_t num_buckets;
    bool changed, merged_pointers;
};

static bool may_merge(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpFunctionCall:
        return opt_is_const_call(module, inst) && spv_type_op(module, inst->type) != SpvOpTypeVoid;
    case SpvOpSampledImage: /* SPIR-V 1.6: its result must be consumed in its own block */
    case SpvOpImageTexelPointer:
    case SpvOpUndef:
        return false;
    default:
        return inst->id && spv_inst_is_pure(inst);
    }
}

/* Whether the operands of a commutative operation are to be exchanged. Constants come last, as fold.c likes them, then
 * what is defined outside of blocks; all others are ordered by number. */
static bool are_swapped(const struct spv_module *module, const struct spv_inst *inst)
{
    bool constant = spv_is_constant(module, inst->words[0]);
    if (constant != spv_is_constant(module, inst->words[1]))
        return constant;
    bool first = spv_def(module, inst->words[0])->block == NULL,
         second = spv_def(module, inst->words[1])->block == NULL;
    return first != second ? first : inst->words[0] > inst->words[1];
}

static uint32_t hash_inst(const struct spv_inst *inst)
{
    uint64_t hash = (uint64_t)inst->op << 32 | inst->type;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        hash = (hash ^ inst->words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static bool are_equal(const struct spv_module *module, const struct spv_inst *a, const struct spv_inst *b)
{
    return a->op == b->op && a->type == b->type && a->num_words == b->num_words &&
           !memcmp(a->words, b->words, a->num_words * sizeof(uint32_t)) &&
           spv_no_contraction(a) == spv_no_contraction(b) &&
           spv_equal_decorations(spv_decorations(module, a->id), spv_decorations(module, b->id));
}

static void replace_inst(struct cse *cse, struct spv_inst *inst, spv_id by)
{
    if (inst->id)
        spv_replace(cse->module, &cse->replacements, inst->id, by);
    cse->merged_pointers = cse->merged_pointers || spv_type_is_pointer(cse->module, inst->type);
    cfg_remove_inst(cse->module, inst);
    cse->changed = true;
}

/* Replaces loads of known values, and removes stores that nobody reads. Returns whether inst is gone. */
static bool visit_memory(struct cse *cse, struct spv_inst *inst)
{
    spv_id value = 0;
    struct spv_inst *dead;
    if (!cse->memory.used)
        return false;
    enum cse_verdict verdict = cse_memory_visit(&cse->memory, inst, &value, &dead);
    if (dead)
        replace_inst(cse, dead, 0);
    if (verdict != CSE_KEEP)
        replace_inst(cse, inst, value);
    return verdict != CSE_KEEP;
}

/* Makes four times as many buckets. The newest entry comes first in each, as before. */
static void add_buckets(struct cse *cse)
{
    cse->num_buckets *= 4;
    cse->buckets = arena_array(cse->arena, uint32_t, cse->num_buckets);
    for (uint32_t i = 0; i < cse->entries.length; i++) {
        uint32_t *bucket = &cse->buckets[cse->entries.data[i].hash & (cse->num_buckets - 1)];
        cse->entries.data[i].next = *bucket;
        *bucket = i + 1;
    }
}

static void rewrite_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct cse *cse = data;
    (void)inst;
    if (*word < cse->replacements.capacity && cse->replacements.to[*word])
        *word = spv_follow_replacements(&cse->replacements, *word);
}

static void visit_inst(struct cse *cse, struct spv_inst *inst)
{
    if (inst->op == SpvOpPhi)
        return; /* operands may come from further down; rewritten at the end */
    if (cse->replacements.replaced.length)
        spv_visit_operand_ids(inst, rewrite_word, cse);
    uint32_t flags = spv_op_flags(inst->op);
    if (!(flags & SPV_OP_PURE) && visit_memory(cse, inst))
        return;
    if (~flags & (SPV_OP_PURE | SPV_OP_PLAIN) && !may_merge(cse->module, inst))
        return;
    if (flags & SPV_OP_COMMUTATIVE && are_swapped(cse->module, inst)) {
        uint32_t first = inst->words[0];
        inst->words[0] = inst->words[1];
        inst->words[1] = first;
    }
    uint32_t hash = hash_inst(inst), bucket = hash & (cse->num_buckets - 1);
    for (uint32_t i = cse->buckets[bucket]; i; i = cse->entries.data[i - 1].next) {
        struct spv_inst *known = cse->entries.data[i - 1].inst;
        if (cse->entries.data[i - 1].hash != hash || !are_equal(cse->module, known, inst))
            continue;
        if (spv_no_signed_wrap(known) && !spv_no_signed_wrap(inst))
            spv_set_no_signed_wrap(known, false);
        replace_inst(cse, inst, known->id);
        return;
    }
    if (cse->entries.length == cse->num_buckets) {
        add_buckets(cse);
        bucket = hash & (cse->num_buckets - 1);
    }
    vec_push(cse->arena, &cse->entries, (struct entry){inst, cse->buckets[bucket], hash});
    cse->buckets[bucket] = cse->entries.length;
}

static void leave_scope(struct cse *cse, uint32_t length)
{
    while (cse->entries.length > length) {
        struct entry entry = vec_pop(&cse->entries);
        cse->buckets[entry.hash & (cse->num_buckets - 1)] = entry.next;
    }
}

static void walk(struct cse *cse, const struct spv_cfg *cfg)
{
    struct cfg_lists children = cfg_dominator_children(cse->arena, cfg);
    struct level {
        uint32_t block, next, scope;
        struct cse_memory_scope memory;
    };
    VEC(struct level) stack = {0};
    uint32_t entering = 0;
    for (;;) {
        if (entering != SPV_UNREACHABLE) {
            struct level level = {entering, children.start[entering], cse->entries.length, {0}};
            if (cse->memory.used)
                level.memory = cse_memory_enter(&cse->memory, entering);
            vec_push(cse->arena, &stack, level);
            spv_foreach_inst_safe (inst, &cfg->blocks[entering]->insts)
                visit_inst(cse, inst);
            entering = SPV_UNREACHABLE;
        }
        struct level *top = &vec_last(&stack);
        if (top->next < children.start[top->block + 1]) {
            entering = children.items[top->next++];
            continue;
        }
        leave_scope(cse, top->scope);
        if (cse->memory.used)
            cse_memory_leave(&cse->memory, top->memory);
        if (--stack.length == 0)
            break;
    }
}

/* Runs the pass. Returns whether it changed anything; *pointers: whether pointers became equal. */
static bool merge(struct spv_module *module, struct spv_function *function, bool memory, bool *pointers)
{
    struct cse cse = {.module = module, .arena = spv_scratch(module), .num_buckets = 256};
    struct arena_mark mark = spv_scratch_begin(module);
    cse.buckets = arena_array(cse.arena, uint32_t, cse.num_buckets);
    struct spv_cfg cfg;
    spv_cfg_keep(module, function, &cfg);
    if (memory)
        cse_memory_start(&cse.memory, module, function, &cfg);
    walk(&cse, &cfg);
    cse_memory_finish(&cse.memory);
    spv_apply_rest_of_replacements(module, &cse.replacements, function);
    spv_finish_replacements(module, &cse.replacements);
    spv_scratch_end(module, mark);
    *pointers = cse.merged_pointers;
    return cse.changed;
}

bool opt_cse(struct spv_module *module, struct spv_function *function)
{
    bool pointers;
    return function->first_block && merge(module, function, true, &pointers);
}

bool opt_cse_values(struct spv_module *module, struct spv_function *function)
{
    bool pointers = false, changed = function->first_block && merge(module, function, false, &pointers);
    if (pointers)
        merge(module, function, true, &pointers);
    return changed;
}
