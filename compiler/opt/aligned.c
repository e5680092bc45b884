/* What an access to a variable may say about its alignment. The front end writes what types and attributes promise;
 * passes that move an access to another variable, and pointers to members of packed structures, can make more of it
 * than is true:
 *
 *     struct { char a; packed p[2]; } t; packed is 14 bytes long and its int at byte 1:
 *     OpStore %t.p[i].b %v Aligned 2    =>    OpStore %p[i].b %v Aligned 1      (%p was split from %t)
 *
 * Here the number is found again from the layout: the alignment of the variable, the places of members, and the sizes
 * of what an index steps over. Behind a cast an index is trusted, since *(float4 *)(a + 4 * i) is aligned. */
#include "compiler/opt/aligned.h"

#include "base/util.h"
#include "compiler/opt/chain.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/layout.h"

enum { MAX_CHAINS = 64, MAX_ALIGN = 4096 };

uint32_t opt_variable_align(struct spv_layouts *layouts, spv_id variable, spv_id type)
{
    const struct spv_inst *stated = spv_find_decoration(layouts->module, variable, SpvDecorationAlignment);
    const struct spv_layout *layout = spv_layout_of(layouts, type);
    uint32_t align = layout->size >= 16 && layout->align < 16 ? 16 : layout->align;
    if (stated && stated->num_words > 2 && is_power_of_two(stated->words[2]) && stated->words[2] > align &&
        stated->words[2] <= MAX_ALIGN)
        align = stated->words[2];
    return align;
}

struct place { /* in a variable */
    uint64_t constant;
    uint64_t steps; /* sizes of what indices that are not constant step over, one or the other */
};

/* Adds what a chain adds to a pointer. False where the types do not say it. */
static bool add_chain(struct spv_layouts *layouts, const struct spv_inst *chain, struct place *place)
{
    const struct spv_module *module = layouts->module;
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, chain->words[0]));
    for (uint32_t i = 1; i < chain->num_words; i++) {
        int64_t value = 1;
        bool constant = chain_constant(module, chain->words[i], &value),
             element = i == 1 && spv_op_is_by_element(chain->op);
        uint16_t op = element ? SpvOpTypeArray : spv_type_op(module, type);
        uint64_t offset;
        if (op == SpvOpTypeStruct ? !constant || value < 0 || (uint64_t)value >= spv_member_count(module, type)
                                  : op != SpvOpTypeArray && op != SpvOpTypeVector)
            return false;
        if (element)
            offset = spv_layout_of(layouts, type)->size * (uint64_t)value;
        else
            type = spv_layout_member(layouts, type, (uint64_t)value, &offset);
        if (constant)
            place->constant += offset;
        else
            place->steps |= offset;
    }
    return true;
}

/* The largest power of two that divides the address which the pointer is by the layout; 0 where that is not known. */
static uint32_t pointer_align(struct spv_layouts *layouts, spv_id pointer)
{
    struct place place = {0};
    for (uint32_t chains = 0; chains < MAX_CHAINS; chains++) {
        const struct spv_inst *def = spv_def(layouts->module, pointer);
        if (def && def->op == SpvOpVariable) {
            uint32_t storage = spv_pointer_storage(layouts->module, def->type);
            spv_id type = spv_pointer_pointee(layouts->module, def->type);
            uint64_t bits = opt_variable_align(layouts, def->id, type) | place.constant | place.steps;
            return storage == SpvStorageClassFunction || storage == SpvStorageClassWorkgroup ? (uint32_t)(bits & -bits)
                                                                                             : 0;
        }
        if (!def || !spv_op_is_chain(def->op) || !add_chain(layouts, def, &place))
            return 0;
        pointer = def->words[0];
    }
    return 0;
}

/* The operand that states the alignment of an access through operand 0; 0: none. */
static uint32_t align_word(const struct spv_inst *inst)
{
    uint32_t mask = inst->op == SpvOpLoad ? 1 : inst->op == SpvOpStore || inst->op == SpvOpCopyMemory ? 2 : 0;
    bool stated = mask && inst->num_words > mask + 1 && inst->words[mask] & SpvMemoryAccessAlignedMask;
    return stated ? mask + 1 : 0;
}

/* The most that an access may state, where it states more; else 0. */
static uint32_t true_align(struct spv_layouts *layouts, const struct spv_inst *inst, uint32_t word)
{
    uint32_t stated = word ? inst->words[word] : 1, align = stated > 1 ? pointer_align(layouts, inst->words[0]) : 0;
    if (stated > 1 && inst->op == SpvOpCopyMemory) {
        uint32_t other = pointer_align(layouts, inst->words[1]);
        align = other && (!align || other < align) ? other : align;
    }
    return align && align < stated ? align : 0;
}

bool opt_align_accesses(struct spv_module *module, struct spv_function *function)
{
    struct spv_layouts layouts = {.arena = module->arena, .module = module};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            uint32_t word = align_word(inst), align = true_align(&layouts, inst, word);
            if (!align)
                continue;
            inst->words[word] = align;
            changed = true;
        }
    }
    return changed;
}

#ifndef NDEBUG
bool opt_accesses_are_aligned(struct spv_module *module, const struct spv_function *function)
{
    struct spv_layouts layouts = {.arena = module->arena, .module = module};
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (true_align(&layouts, inst, align_word(inst)))
                return false;
        }
    }
    return true;
}
#endif
