/* The distance from an argument's address to what is accessed is computed in 32 bits:
 *
 *     %s = OpIAdd %ulong %base (%wide << 2)         =>    %o = (%i << 2)              uint
 *     where %wide = OpSConvert %ulong %i                  %n = OpIAdd %ulong %base (OpUConvert %ulong %o)
 *                                                         %s = OpSelect %ulong %far %old %n
 *
 * For devices with registers of 32 bits: GPUs add such an offset to a base by the access itself (AMD's since GFX9), or
 * by one addition with carry, where the 64-bit index costs a sign, a shift of two registers and that addition.
 *
 * An argument that is a memory object points to where the object begins, and an access to what is before that or behind
 * the object's end is undefined (OpenCL C 3.0, 6.3.2.1 by C99, 6.5.6p8). So if all objects are smaller than 4 GiB, the
 * distance is a number of 32 bits without a sign, and computing modulo 2^32 gives it. %far, which the pipeline's
 * compiler knows (reach.c), says where an argument may point into an object, or an object be larger.
 *
 * A sum that further offsets are added to stays as it is: an access through one of those need not have the sum itself
 * inside of the object. Drivers make vectors of neighbours that share a sum, besides. */
#include "compiler/opt/opt.h"

enum { MAX_DEPTH = 4 };

struct offsets {
    struct spv_module *module;
    uint8_t *is_term; /* the value is used by something else than pointers */
    spv_id far;       /* 0: not asked for yet */
};

static void see_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct offsets *o = data;
    o->is_term[*word] |= inst->op != SpvOpConvertUToPtr;
}

/* The lower 32 bits of a value of 64. */
static spv_id low_word(struct spv_builder *b, spv_id value, uint32_t depth)
{
    struct spv_module *module = b->module;
    const struct spv_inst *def = spv_def(module, value);
    spv_id u32 = spv_type_int(module, 32);
    uint64_t bits;
    if (spv_const_value(module, value, &bits))
        return spv_const_u32(module, (uint32_t)bits);
    if (def->block && spv_op_is_resize(def->op) &&
        spv_type_width(module, spv_value_type(module, def->words[0])) <= 32) {
        bool whole = spv_type_width(module, spv_value_type(module, def->words[0])) == 32;
        return whole ? def->words[0] : spv_emitv(b, (SpvOp)def->op, u32, def->words[0]);
    }
    bool shifts =
        def->block && def->op == SpvOpShiftLeftLogical && spv_const_value(module, def->words[1], &bits) && bits < 32;
    bool adds = def->block && (def->op == SpvOpIAdd || def->op == SpvOpISub || def->op == SpvOpIMul);
    if (!(shifts || adds) || depth == MAX_DEPTH)
        return spv_emitv(b, SpvOpUConvert, u32, value);
    spv_id left = low_word(b, def->words[0], depth + 1);
    spv_id right = shifts ? def->words[1] : low_word(b, def->words[1], depth + 1);
    return spv_emitv(b, (SpvOp)def->op, u32, left, right);
}

static bool rewrite(struct offsets *o, const struct spv_inst *pointer)
{
    struct spv_module *module = o->module;
    struct spv_inst *sum = spv_def(module, pointer->words[0]);
    if (!sum->block || sum->op != SpvOpIAdd || o->is_term[sum->id])
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        spv_id base = sum->words[!i], distance = sum->words[i];
        if (!spv_def(module, base)->hints.is_argument || spv_is_constant(module, distance))
            continue;
        struct spv_builder b = {module, sum->block->function, sum->block, sum};
        if (!o->far)
            o->far = opt_reaches_far(module, true);
        spv_id old = spv_emitv(&b, SpvOpIAdd, sum->type, sum->words[0], sum->words[1]);
        spv_id offset = spv_emitv(&b, SpvOpUConvert, sum->type, low_word(&b, distance, 0));
        spv_id near = spv_emitv(&b, SpvOpIAdd, sum->type, base, offset);
        sum->op = SpvOpSelect;
        spv_inst_set_words(module, sum, 3, (const uint32_t[]){o->far, old, near});
        return true;
    }
    return false;
}

bool opt_offsets(struct spv_module *module, struct spv_function *function)
{
    struct offsets o = {.module = module, .is_term = spv_borrow_table(module, uint8_t)};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, see_use, &o);
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpConvertUToPtr)
                changed |= rewrite(&o, inst);
        }
    }
    spv_give_back(module, o.is_term);
    return changed;
}
