/* Rotations of 64 bits by a constant, and what else takes 64 bits out of two such numbers, are computed in halves:
 *
 *     %a = OpShiftLeftLogical %ulong %x 23           =>      %l = OpUConvert %uint %x
 *     %b = OpShiftRightLogical %ulong %x 41                  %h = OpUConvert %uint (%x >> 32)
 *     %r = OpBitwiseOr %ulong %a %b                          %r0 = (%h >> 9) + (%l << 23)
 *                                                            %r1 = (%l >> 9) + (%h << 23)
 *                                                            %r = (%r1, %r0) as one number
 *
 * For devices whose registers have 32 bits: their drivers make each shift of 64 bits of two or three instructions, and do
 * not see that half of what they shift becomes zero. A half of the result takes one or two. It is a sum, which
 * NVIDIA's driver makes better code of than of an or (SHA-512 crypt on an H100: 4.7 instead of 3.5 GH/s), and AMD's code
 * of the same size. Hashes of 64 bits are made of rotations. */
#include "compiler/opt/fold.h"
#include "compiler/opt/opt.h"

struct rotate {
    struct spv_module *module;
    struct spv_builder at;
    spv_id u64, u32; /* types of the number and of its halves; vectors where the number is one */
};

/* Where id shifts by a constant in this direction: what it shifts, and by how many bits. */
static spv_id shifted(const struct spv_module *module, spv_id id, SpvOp op, uint64_t *bits)
{
    const struct spv_inst *def = spv_def(module, id);
    return def->block && def->op == op && fold_is_splat(module, def->words[1], bits) ? def->words[0] : 0;
}

static spv_id number(struct rotate *r, spv_id type, uint64_t value)
{
    return spv_const_splat(r->module, type, value);
}

static spv_id half(struct rotate *r, spv_id value, bool high)
{
    if (high)
        value = spv_emitv(&r->at, SpvOpShiftRightLogical, r->u64, value, number(r, r->u64, 32));
    return spv_emitv(&r->at, SpvOpUConvert, r->u32, value);
}

/* The lower half of the number (high, low) shifted to the right, by less than 32. */
static spv_id cut(struct rotate *r, spv_id low, spv_id high, uint32_t bits)
{
    if (!bits)
        return low;
    spv_id right = spv_emitv(&r->at, SpvOpShiftRightLogical, r->u32, low, number(r, r->u32, bits));
    spv_id left = spv_emitv(&r->at, SpvOpShiftLeftLogical, r->u32, high, number(r, r->u32, 32 - bits));
    return spv_emitv(&r->at, SpvOpIAdd, r->u32, right, left);
}

/* inst becomes the number of these halves. */
static void join(struct rotate *r, struct spv_inst *inst, spv_id low, spv_id high)
{
    if (!spv_type_is_vector(r->module, r->u64)) {
        spv_id pair = spv_type_vector(r->module, r->u32, 2);
        spv_id both = spv_emitv(&r->at, SpvOpCompositeConstruct, pair, low, high);
        inst->op = SpvOpBitcast;
        spv_inst_set_words(r->module, inst, 1, &both);
        return;
    }
    high = spv_emitv(&r->at, SpvOpUConvert, r->u64, high);
    high = spv_emitv(&r->at, SpvOpShiftLeftLogical, r->u64, high, number(r, r->u64, 32));
    low = spv_emitv(&r->at, SpvOpUConvert, r->u64, low);
    inst->op = SpvOpBitwiseOr;
    spv_inst_set_words(r->module, inst, 2, (const uint32_t[]){high, low});
}

/* x << left | y >> right, where both are 64 together: 64 bits of the 128 of (x, y). */
static bool rewrite(struct rotate *r, struct spv_inst *inst)
{
    uint64_t left, right;
    bool swapped = !shifted(r->module, inst->words[0], SpvOpShiftLeftLogical, &left);
    spv_id x = shifted(r->module, inst->words[swapped], SpvOpShiftLeftLogical, &left);
    spv_id y = shifted(r->module, inst->words[!swapped], SpvOpShiftRightLogical, &right);
    if (!x || !y || left > 63 || right > 63 || left + right != 64 || spv_decorations(r->module, inst->id))
        return false;
    uint32_t count = spv_type_count(r->module, inst->type);
    r->at = (struct spv_builder){r->module, inst->block->function, inst->block, inst, NULL};
    r->u64 = inst->type;
    r->u32 = spv_type_vector(r->module, spv_type_int(r->module, 32), count);
    uint32_t first = right / 32; /* of the words of (x, y) */
    spv_id words[4] = {0};
    for (uint32_t i = first; i < (right % 32 ? first + 3 : first + 2); i++)
        words[i] = half(r, i < 2 ? y : x, i % 2);
    spv_id low = cut(r, words[first], words[first + 1], right % 32);
    join(r, inst, low, cut(r, words[first + 1], right % 32 ? words[first + 2] : 0, right % 32));
    return true;
}

bool opt_rotate(struct spv_module *module, struct spv_function *function)
{
    struct rotate r = {.module = module};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            bool joins = inst->op == SpvOpBitwiseOr || inst->op == SpvOpBitwiseXor || inst->op == SpvOpIAdd;
            if (joins && spv_type_width(module, inst->type) == 64)
                changed |= rewrite(&r, inst);
        }
    }
    return changed;
}
