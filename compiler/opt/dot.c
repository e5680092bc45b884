/* Sums of four products of bytes become one instruction:
 *
 *     (int)a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c   =>   OpSDot(a, b) + c
 *
 * a and b are vectors of bytes, or four neighbouring lanes of longer ones; bytes may be signed, unsigned, or one of
 * each. The summands may come in any order with others among them. No product or sum of four can overflow 32 bits, so
 * nothing changes but the order of an addition that wraps.
 *
 * Programs write this where they know of no instruction for it; on NVIDIA's GPUs the instruction does in one step what
 * otherwise takes eight conversions, four products and four sums. */
#include "compiler/opt/opt.h"

enum { MAX_SUMMANDS = 32, LANES = 4 };

/* A lane of a vector of bytes, widened. */
struct byte {
    spv_id vector;
    uint32_t lane;
    bool is_signed;
};

/* Of the same lane of two vectors: the signed one first, else the one with the lower id. */
struct product {
    struct byte a, b;
};

struct sum {
    spv_id summands[MAX_SUMMANDS];
    uint32_t count;
};

struct dot {
    struct spv_module *module;
    uint32_t *uses; /* by id */
    spv_id u32;
    bool changed;
};

/* ---- what is a product ---- */

static bool find_byte(const struct spv_module *module, spv_id id, struct byte *byte)
{
    const struct spv_inst *wide = spv_def(module, id);
    if (!wide->block || (wide->op != SpvOpSConvert && wide->op != SpvOpUConvert))
        return false;
    const struct spv_inst *lane = spv_def(module, wide->words[0]);
    if (!lane->block || lane->op != SpvOpCompositeExtract || lane->num_words != 2)
        return false;
    spv_id type = spv_value_type(module, lane->words[0]);
    *byte = (struct byte){lane->words[0], lane->words[1], wide->op == SpvOpSConvert};
    return spv_type_is_vector(module, type) && spv_type_is_int(module, type) && spv_type_width(module, type) == 8 &&
           spv_type_count(module, type) >= LANES;
}

static bool find_product(const struct dot *d, spv_id id, struct product *product)
{
    const struct spv_inst *inst = spv_def(d->module, id);
    struct byte a, b;
    if (!inst->block || inst->op != SpvOpIMul || d->uses[id] != 1 || !find_byte(d->module, inst->words[0], &a) ||
        !find_byte(d->module, inst->words[1], &b) || a.lane != b.lane)
        return false;
    bool swap = a.is_signed == b.is_signed ? a.vector > b.vector : b.is_signed;
    *product = swap ? (struct product){b, a} : (struct product){a, b};
    return true;
}

static bool is_same_word(const struct byte *one, const struct byte *two)
{
    return one->vector == two->vector && one->is_signed == two->is_signed && one->lane / LANES == two->lane / LANES;
}

/* ---- sums ---- */

static bool is_sum(const struct dot *d, const struct spv_inst *inst)
{
    return inst->block && inst->op == SpvOpIAdd && inst->type == d->u32;
}

/* Collects the summands. A sum that has no other use gives its own, as long as there is room. pending: how many
 * operands of the sums around are still to be collected. */
static void flatten(const struct dot *d, const struct spv_inst *inst, uint32_t pending, struct sum *sum)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct spv_inst *inner = spv_def(d->module, inst->words[i]);
        uint32_t later = pending + (i == 0);
        if (is_sum(d, inner) && d->uses[inner->id] == 1 && inner->block == inst->block &&
            sum->count + 2 + later <= MAX_SUMMANDS)
            flatten(d, inner, later, sum);
        else
            sum->summands[sum->count++] = inst->words[i];
    }
}

/* Finds four products of the lanes of two words, and takes them off the sum. */
static bool take_four(const struct dot *d, struct sum *sum, struct product *product)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        uint32_t at[LANES] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, found = 0;
        struct product other;
        if (!find_product(d, sum->summands[i], product))
            continue;
        for (uint32_t k = i; k < sum->count; k++) {
            if (!find_product(d, sum->summands[k], &other) || !is_same_word(&other.a, &product->a) ||
                !is_same_word(&other.b, &product->b) || at[other.a.lane % LANES] != UINT32_MAX)
                continue;
            at[other.a.lane % LANES] = k;
            found++;
        }
        if (found < LANES)
            continue;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < sum->count; k++) {
            if (k != at[0] && k != at[1] && k != at[2] && k != at[3])
                sum->summands[kept++] = sum->summands[k];
        }
        sum->count = kept;
        return true;
    }
    return false;
}

/* The four lanes among which the byte is, as a word. */
static spv_id word_of(const struct dot *d, struct spv_builder *b, const struct byte *byte)
{
    spv_id type = spv_value_type(d->module, byte->vector), component = spv_type_component(d->module, type);
    spv_id vector = byte->vector;
    uint32_t first = byte->lane / LANES * LANES;
    if (spv_type_count(d->module, type) != LANES)
        vector = spv_emitv(b, SpvOpVectorShuffle, spv_type_vector(d->module, component, LANES), vector, vector, first,
                           first + 1, first + 2, first + 3);
    return spv_emitv(b, SpvOpBitcast, d->u32, vector);
}

static spv_id emit_dot(const struct dot *d, struct spv_builder *b, const struct product *product)
{
    SpvOp op = !product->a.is_signed ? SpvOpUDot : product->b.is_signed ? SpvOpSDot : SpvOpSUDot;
    spv_id one = word_of(d, b, &product->a), two = word_of(d, b, &product->b);
    return spv_emitv(b, op, d->u32, one, two, SpvPackedVectorFormatPackedVectorFormat4x8Bit);
}

static void rewrite(struct dot *d, struct spv_inst *inst)
{
    struct sum sum = {.count = 0};
    struct product product;
    struct spv_builder b = {d->module, inst->block->function, inst->block, inst, NULL};
    flatten(d, inst, 0, &sum);
    spv_id dots[MAX_SUMMANDS / LANES];
    uint32_t num_dots = 0;
    while (sum.count >= LANES && take_four(d, &sum, &product))
        dots[num_dots++] = emit_dot(d, &b, &product);
    if (!num_dots)
        return;
    d->changed = true;
    for (uint32_t i = 0; i < num_dots; i++)
        sum.summands[sum.count++] = dots[i];
    if (sum.count == 1) /* nothing is added to it */
        sum.summands[sum.count++] = spv_const_u32(d->module, 0);
    spv_id left = sum.summands[0];
    for (uint32_t i = 1; i + 1 < sum.count; i++)
        left = spv_emitv(&b, SpvOpIAdd, d->u32, left, sum.summands[i]);
    spv_inst_set_words(d->module, inst, 2, (const uint32_t[]){left, sum.summands[sum.count - 1]});
}

/* ---- the pass ---- */

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    uint32_t *uses = data;
    (void)inst;
    uses[*word]++;
}

/* Whether it is worth to count uses. */
static bool has_products(const struct dot *d, const struct spv_function *function)
{
    struct byte byte;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpIMul && inst->type == d->u32 && find_byte(d->module, inst->words[0], &byte))
                return true;
        }
    }
    return false;
}

/* Whether inst is part of a larger sum, which stands behind it. */
static bool is_part(const struct dot *d, const struct spv_inst *inst, const bool *parts)
{
    return d->uses[inst->id] == 1 && parts[inst->id];
}

static void find_parts(const struct dot *d, const struct spv_function *function, bool *parts)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            for (uint32_t i = 0; is_sum(d, inst) && i < 2; i++)
                parts[inst->words[i]] = spv_def(d->module, inst->words[i])->block == block;
        }
    }
}

bool opt_dot(struct spv_module *module, struct spv_function *function)
{
    struct dot d = {.module = module, .u32 = spv_type_int(module, 32)};
    if (!function->first_block || !has_products(&d, function))
        return false;
    VEC(struct spv_inst *) roots = {0};
    struct arena_mark mark = spv_scratch_begin(module);
    d.uses = spv_borrow_table(module, uint32_t);
    bool *parts = spv_borrow_table(module, bool);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, count_use, d.uses);
    }
    find_parts(&d, function, parts);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (is_sum(&d, inst) && !is_part(&d, inst, parts))
                vec_push(spv_scratch(module), &roots, inst);
        }
    }
    for (uint32_t i = 0; i < roots.length; i++)
        rewrite(&d, roots.data[i]);
    spv_give_back(module, parts);
    spv_give_back(module, d.uses);
    spv_scratch_end(module, mark);
    return d.changed;
}
