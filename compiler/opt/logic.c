/* Bitwise functions of three values are rewritten to the form that takes the fewest instructions:
 *
 *     (s & x) | (~s & y)             =>      ((x ^ y) & s) ^ y
 *     (x & y) | (z & (x | y))        =>      ((x ^ y) & (x ^ z)) ^ x
 *
 * The majority of three takes four operations in either form. But drivers that have an instruction for any function of
 * three operands combine operations one by one, and in the second form no intermediate step has more than three
 * operands. So NVIDIA's driver makes one instruction of it instead of two, AMD's two instead of four; hashes run some
 * percent faster. Functions are recognised by their truth table, however they are written. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"

enum { MAX_LEAVES = 3, MAX_DEPTH = 5, MAJORITY = 0xe8 };

/* The truth tables of the three leaves themselves. */
static const uint8_t leaf_tables[MAX_LEAVES] = {0xf0, 0xcc, 0xaa};

struct cone {
    const struct spv_inst *root;
    spv_id leaves[MAX_LEAVES];
    uint32_t num_leaves, num_ops;
    struct spv_inst *ops[1 << MAX_DEPTH]; /* the root is the last one; nobody else uses the others */
};

struct logic {
    struct spv_module *module;
    uint32_t *uses;   /* id -> how often it is used */
    VEC(spv_id) used; /* those that are at all */
    uint32_t bound;   /* of them: what is newer is looked at as a whole */
};

static bool is_logic(const struct spv_inst *inst)
{
    return spv_op_class(inst->op) == SPV_CLASS_BITWISE;
}

static bool add_leaf(struct cone *cone, spv_id id, uint8_t *table)
{
    uint32_t i = 0;
    while (i < cone->num_leaves && cone->leaves[i] != id)
        i++;
    if (i == MAX_LEAVES)
        return false;
    cone->leaves[i] = id;
    cone->num_leaves += i == cone->num_leaves;
    *table = leaf_tables[i];
    return true;
}

/* The truth table of id as a function of the leaves; false where it has too many leaves. */
static bool find_table(const struct logic *l, struct cone *cone, spv_id id, uint32_t depth, uint8_t *table)
{
    struct spv_inst *def = spv_def(l->module, id);
    const struct spv_inst *root = cone->root;
    bool inside =
        def == root || (id < l->bound && l->uses[id] == 1 && def->block == root->block && def->type == root->type);
    uint8_t one, other = 0;
    if (!inside || !is_logic(def) || depth == MAX_DEPTH)
        return add_leaf(cone, id, table);
    if (!find_table(l, cone, def->words[0], depth + 1, &one) ||
        (def->op != SpvOpNot && !find_table(l, cone, def->words[1], depth + 1, &other)))
        return false;
    cone->ops[cone->num_ops++] = def;
    switch (def->op) {
    case SpvOpBitwiseAnd:
        *table = one & other;
        break;
    case SpvOpBitwiseOr:
        *table = one | other;
        break;
    case SpvOpBitwiseXor:
        *table = one ^ other;
        break;
    default:
        *table = (uint8_t)~one;
    }
    return true;
}

/* Rewrites root to ((x ^ y) & mask) ^ y. A mask of 0 stands for y ^ z. */
static void become(struct logic *l, struct spv_inst *root, spv_id x, spv_id y, spv_id mask, spv_id z)
{
    struct spv_builder at = {l->module, root->block->function, root->block, root};
    spv_id differ = spv_emitv(&at, SpvOpBitwiseXor, root->type, x, y);
    mask = mask ? mask : spv_emitv(&at, SpvOpBitwiseXor, root->type, y, z);
    spv_id taken = spv_emitv(&at, SpvOpBitwiseAnd, root->type, differ, mask);
    if (y < l->bound)
        l->uses[y]++;
    root->op = SpvOpBitwiseXor;
    spv_inst_set_words(l->module, root, 2, (const uint32_t[]){taken, y});
}

/* Rewrites a function that chooses between two leaves by the third. */
static bool rewrite_choice(struct logic *l, struct spv_inst *root, const struct cone *cone, uint8_t table)
{
    for (uint32_t mask = 0; mask < MAX_LEAVES; mask++) {
        for (uint32_t i = 1; i < MAX_LEAVES; i++) {
            uint32_t x = (mask + i) % MAX_LEAVES, y = MAX_LEAVES - mask - x;
            uint8_t m = leaf_tables[mask];
            if (table != ((m & leaf_tables[x]) | ((uint8_t)~m & leaf_tables[y])))
                continue;
            become(l, root, cone->leaves[x], cone->leaves[y], cone->leaves[mask], 0);
            return true;
        }
    }
    return false;
}

static bool is_leaf(const struct cone *cone, spv_id id)
{
    return id == cone->leaves[0] || id == cone->leaves[1] || id == cone->leaves[2];
}

static void remove_others(struct logic *l, const struct cone *cone)
{
    for (uint32_t i = 0; i + 1 < cone->num_ops; i++)
        cfg_remove_inst(l->module, cone->ops[i]);
}

static bool rewrite(struct logic *l, struct spv_inst *root)
{
    struct cone cone;
    uint8_t table;
    cone.root = root;
    cone.num_leaves = cone.num_ops = 0;
    if (!find_table(l, &cone, root->id, 0, &table) || cone.num_leaves != MAX_LEAVES || cone.num_ops < 4)
        return false;
    if (table != MAJORITY) {
        bool chosen = rewrite_choice(l, root, &cone, table);
        if (chosen)
            remove_others(l, &cone);
        return chosen;
    }
    /* the form that it would become */
    if (root->op == SpvOpBitwiseXor && (is_leaf(&cone, root->words[0]) || is_leaf(&cone, root->words[1])))
        return false;
    become(l, root, cone.leaves[1], cone.leaves[0], 0, cone.leaves[2]);
    remove_others(l, &cone);
    return true;
}

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct logic *l = data;
    (void)inst;
    if (!l->uses[*word]++)
        vec_push(spv_scratch(l->module), &l->used, *word);
}

/* Whether there is an operation on two other ones, at least one of which is no exclusive or. Other functions have
 * hardly anything to rewrite. */
static bool has_logic(const struct spv_module *module, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!is_logic(inst) || inst->op == SpvOpNot)
                continue;
            const struct spv_inst *one = spv_def(module, inst->words[0]), *other = spv_def(module, inst->words[1]);
            if (is_logic(one) && is_logic(other) && (one->op != SpvOpBitwiseXor || other->op != SpvOpBitwiseXor))
                return true;
        }
    }
    return false;
}

bool opt_logic(struct spv_module *module, struct spv_function *function)
{
    struct logic l = {.module = module, .bound = module->bound};
    bool changed = false;
    if (!has_logic(module, function))
        return false;
    struct arena_mark mark = spv_scratch_begin(module);
    l.uses = spv_borrow_table(module, uint32_t);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, count_use, &l);
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (is_logic(inst) && inst->op != SpvOpNot)
                changed |= rewrite(&l, inst);
        }
    }
    for (uint32_t i = 0; i < l.used.length; i++)
        l.uses[l.used.data[i]] = 0;
    spv_give_back_zeroed(module, l.uses);
    spv_scratch_end(module, mark);
    return changed;
}
