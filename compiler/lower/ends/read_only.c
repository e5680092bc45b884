/* What nobody writes while the kernel runs is read through a block that says so:
 *
 *     %p = OpConvertUToPtr %pointer %a              =>    %b = OpConvertUToPtr %block %a
 *     %x = OpLoad %float %p                               %p = OpAccessChain %pointer %b %0
 *                                                         %x = OpLoad %float %p
 *
 * where %block points to a structure of one float that is NonWritable. Drivers may then read it by other ways than
 * what is written: AMD's by its scalar unit where the address is the same for all work-items, at any time and more at
 * once. The memory pass knows of which pointers this holds. */
#include "compiler/lower/ends/passes.h"

struct read_only {
    struct spv_module *module;
    uint8_t *is_written; /* pointers that are used by something else than a load */
    spv_id *blocks;      /* what a pointer points to -> pointer to a block with nothing but that */
};

static void see_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct read_only *r = data;
    r->is_written[*word] |= inst->op != SpvOpLoad;
}

/* A block with the member, which may be an array. The structure is not one that others use: they may write. */
static spv_id block_of(struct read_only *r, spv_id member)
{
    if (r->blocks[member])
        return r->blocks[member];
    spv_id block = spv_type_struct(r->module, 1, &member);
    spv_decorate(r->module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(r->module, block, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    spv_decorate_member(r->module, block, 0, SpvDecorationNonWritable, 0, NULL);
    return r->blocks[member] = spv_type_pointer(r->module, SpvStorageClassPhysicalStorageBuffer, block);
}

/* elements.c has made some of them elements of an array, and pairs.c takes the address from two words. */
static void rewrite(struct read_only *r, struct spv_inst *pointer)
{
    struct spv_builder b = {r->module, pointer->block->function, pointer->block, pointer};
    if (pointer->op == SpvOpAccessChain) {
        const struct spv_inst *array = spv_def(r->module, pointer->words[0]);
        const struct spv_inst *block = spv_def(r->module, spv_pointer_pointee(r->module, array->type));
        pointer->words[0] = spv_emitv(&b, (SpvOp)array->op, block_of(r, block->words[0]), array->words[0]);
        return;
    }
    spv_id member = spv_pointer_pointee(r->module, pointer->type);
    spv_id start = spv_emitv(&b, (SpvOp)pointer->op, block_of(r, member), pointer->words[0]);
    pointer->op = SpvOpAccessChain;
    spv_inst_set_words(r->module, pointer, 2, (const uint32_t[]){start, spv_const_u32(r->module, 0)});
}

bool lower_read_only(struct lower *lower)
{
    struct read_only r = {.module = lower->module};
    bool some = false;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                some = some || inst->hints.is_read_only;
        }
    }
    lower->idle = !some;
    if (!some)
        return true;
    uint32_t bound = lower->module->bound;
    r.is_written = spv_borrow_table(lower->module, uint8_t);
    r.blocks = spv_borrow_table(lower->module, spv_id);
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, see_use, &r);
        }
    }
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->hints.is_read_only && inst->id < bound && !r.is_written[inst->id])
                    rewrite(&r, inst);
            }
        }
    }
    spv_give_back(lower->module, r.is_written);
    spv_give_back(lower->module, r.blocks);
    return true;
}
