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

#define ESCAPES 0x80000000u

/* The truth tables of the three leaves themselves. */
static const uint8_t leaf_tables[MAX_LEAVES] = {0xf0, 0xcc, 0xaa};

struct cone {
    const struct spv_inst *root;
    bool shared; /* it may hold what others use, too, where these are all bitwise: they will hold it likewise */
    spv_id leaves[MAX_LEAVES];
    uint32_t num_leaves, num_ops, num_shared;
    struct spv_inst *ops[1 << MAX_DEPTH]; /* operands before what uses them: the root is the last one */
};

struct logic {
    struct spv_module *module;
    uint32_t *uses;   /* id -> how often it is used, and ESCAPES where another operation than a bitwise one does so */
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

/* Whether id is a part of the cone, or else a leaf. */
static bool is_inside(const struct logic *l, const struct cone *cone, spv_id id)
{
    const struct spv_inst *def = spv_def(l->module, id), *root = cone->root;
    if (def == root)
        return true;
    return id < l->bound && (l->uses[id] == 1 || (cone->shared && !(l->uses[id] & ESCAPES))) &&
           def->block == root->block && def->type == root->type && is_logic(def);
}

static void add_op(const struct logic *l, struct cone *cone, struct spv_inst *op)
{
    for (uint32_t i = 0; i < cone->num_ops; i++) {
        if (cone->ops[i] == op)
            return;
    }
    cone->num_shared += op != cone->root && l->uses[op->id] > 1;
    cone->ops[cone->num_ops++] = op;
}

/* The truth table of id as a function of the leaves; false where it has too many leaves. */
static bool find_table(const struct logic *l, struct cone *cone, spv_id id, uint32_t depth, uint8_t *table)
{
    struct spv_inst *def = spv_def(l->module, id);
    uint8_t one, other = 0;
    if (!is_inside(l, cone, id) || depth == MAX_DEPTH)
        return add_leaf(cone, id, table);
    if (!find_table(l, cone, def->words[0], depth + 1, &one) ||
        (def->op != SpvOpNot && !find_table(l, cone, def->words[1], depth + 1, &other)))
        return false;
    add_op(l, cone, def);
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

static void count(struct logic *l, spv_id id, int change)
{
    if (id < l->bound)
        l->uses[id] += (uint32_t)change;
}

/* The root has a new form. What nobody uses now is removed, users first. */
static void remove_others(struct logic *l, const struct cone *cone, const spv_id operands[2])
{
    count(l, operands[0], -1);
    count(l, operands[1], -1);
    for (uint32_t i = cone->num_ops - 1; i-- > 0;) {
        struct spv_inst *op = cone->ops[i];
        if (l->uses[op->id])
            continue;
        for (uint32_t k = 0; k < op->num_words; k++)
            count(l, op->words[k], -1);
        cfg_remove_inst(l->module, op);
    }
}

/* Rewrites the cone to ((x ^ y) & mask) ^ y. A mask of 0 stands for y ^ z. */
static void become(struct logic *l, struct spv_inst *root, const struct cone *cone, spv_id x, spv_id y, spv_id mask,
                   spv_id z)
{
    struct spv_builder at = {l->module, root->block->function, root->block, root, NULL};
    const spv_id before[2] = {root->words[0], root->words[1]};
    spv_id differ = spv_emitv(&at, SpvOpBitwiseXor, root->type, x, y);
    count(l, x, 1);
    count(l, y, 2);
    count(l, mask ? mask : z, 1);
    if (!mask)
        count(l, y, 1);
    mask = mask ? mask : spv_emitv(&at, SpvOpBitwiseXor, root->type, y, z);
    spv_id taken = spv_emitv(&at, SpvOpBitwiseAnd, root->type, differ, mask);
    root->op = SpvOpBitwiseXor;
    spv_inst_set_words(l->module, root, 2, (const uint32_t[]){taken, y});
    remove_others(l, cone, before);
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
            become(l, root, cone, cone->leaves[x], cone->leaves[y], cone->leaves[mask], 0);
            return true;
        }
    }
    return false;
}

static bool is_leaf(const struct cone *cone, spv_id id)
{
    return id == cone->leaves[0] || id == cone->leaves[1] || id == cone->leaves[2];
}

/* By age. In the rounds of a hash, two leaves of a majority are leaves of the next one: the second and the third there.
 * Where the second one is what the others are compared with, both rounds have one of their exclusive ors in common. */
static void sort_leaves(struct cone *cone)
{
    for (uint32_t i = 1; i < MAX_LEAVES; i++) {
        for (uint32_t k = i; k > 0 && cone->leaves[k - 1] > cone->leaves[k]; k--) {
            spv_id later = cone->leaves[k - 1];
            cone->leaves[k - 1] = cone->leaves[k];
            cone->leaves[k] = later;
        }
    }
}

/* What the new form adds must not be more than what disappears, of which half of the shared operations count. */
static bool is_worth(const struct cone *cone, uint32_t new_ops)
{
    return cone->num_leaves == MAX_LEAVES && cone->num_ops >= 4 &&
           2 * (cone->num_ops - cone->num_shared) + cone->num_shared >= 2 * new_ops;
}

static bool rewrite_cone(struct logic *l, struct spv_inst *root, bool shared)
{
    struct cone cone;
    uint8_t table;
    cone.root = root;
    cone.shared = shared;
    cone.num_leaves = cone.num_ops = cone.num_shared = 0;
    if (!find_table(l, &cone, root->id, 0, &table) || !is_worth(&cone, table == MAJORITY ? 4 : 3))
        return false;
    if (table != MAJORITY)
        return rewrite_choice(l, root, &cone, table);
    /* the form that it would become */
    if (root->op == SpvOpBitwiseXor && (is_leaf(&cone, root->words[0]) || is_leaf(&cone, root->words[1])))
        return false;
    sort_leaves(&cone);
    become(l, root, &cone, cone.leaves[0], cone.leaves[1], 0, cone.leaves[2]);
    return true;
}

static bool rewrite(struct logic *l, struct spv_inst *root)
{
    return rewrite_cone(l, root, false) || rewrite_cone(l, root, true);
}

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct logic *l = data;
    if (!l->uses[*word]++)
        vec_push(spv_scratch(l->module), &l->used, *word);
    if (!is_logic(inst))
        l->uses[*word] |= ESCAPES;
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
