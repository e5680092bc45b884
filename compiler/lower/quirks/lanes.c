/* Loads of more than 16 bytes of which a part is used are made component by component. NVIDIA's driver (580.159) loses
 * the device with some loads of four 64-bit integers of which one is used; which ones is not known. With loads of single
 * components, as robust contexts make them, the same programs were right.
 *
 *     %v = OpLoad %ulong4 %p                   =>     %x = OpLoad %ulong (%address + 24)
 *     %y = OpCompositeExtract %ulong %v 3             %v = OpCompositeConstruct %undefined %undefined %undefined %x
 *
 * Loads that are used whole stay, and so do those whose pointer is no plain address. The pass expects Vulkan's SPIR-V. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

enum { WIDEST = 16, MAX_LANES = 16 };

struct lanes {
    struct spv_module *module;
    struct spv_function *function;
    uint8_t *kept;   /* id -> a use needs the whole vector */
    uint16_t *taken; /* id -> lanes that are extracted */
};

static void see_use(void *data, struct spv_inst *user, uint32_t *word)
{
    struct lanes *l = data;
    if (user->op == SpvOpCompositeExtract && user->num_words == 2) {
        l->taken[*word] |= (uint16_t)(1u << user->words[1]);
    } else if (user->op == SpvOpVectorShuffle) {
        uint32_t count = spv_type_count(l->module, spv_value_type(l->module, user->words[0]));
        uint32_t first = word == &user->words[0] ? 0 : count;
        uint32_t end = first + spv_type_count(l->module, spv_value_type(l->module, *word));
        for (uint32_t i = 2; i < user->num_words; i++)
            l->taken[*word] |=
                (uint16_t)(user->words[i] >= first && user->words[i] < end ? 1u << (user->words[i] - first) : 0);
    } else {
        l->kept[*word] = true;
    }
}

/* Whether the load is of a long vector in memory at an address, and some of its components are never used. */
static bool is_partial(const struct lanes *l, const struct spv_inst *load)
{
    const struct spv_module *module = l->module;
    uint32_t count = spv_type_count(module, load->type), width = spv_type_width(module, load->type);
    const struct spv_inst *pointer = spv_def(module, load->words[0]);
    uint32_t access = load->num_words == 3 ? load->words[1] : 0; /* more words are those of other operands */
    return spv_type_is_vector(module, load->type) && count * width / 8 > WIDEST && pointer->op == SpvOpConvertUToPtr &&
           spv_pointer_storage(module, pointer->type) == SpvStorageClassPhysicalStorageBuffer &&
           access & SpvMemoryAccessAlignedMask && !(access & SpvMemoryAccessVolatileMask) && !l->kept[load->id] &&
           l->taken[load->id] != (1u << count) - 1;
}

/* Of one component, before the load of the whole. */
static spv_id load_lane(struct lanes *l, struct spv_inst *load, uint32_t lane)
{
    struct spv_module *module = l->module;
    struct spv_builder b = {module, l->function, load->block, load};
    const struct spv_inst *whole = spv_def(module, load->words[0]);
    spv_id address = whole->words[0], type = spv_type_component(module, load->type);
    uint32_t size = spv_type_width(module, type) / 8, words[3] = {0, load->words[1], load->words[2]};
    if (lane)
        address = spv_emitv(&b, SpvOpIAdd, spv_value_type(module, address), address,
                            spv_const_bits(module, spv_value_type(module, address), (uint64_t)lane * size));
    spv_id pointer_type = spv_type_pointer(module, SpvStorageClassPhysicalStorageBuffer, type);
    words[0] = spv_emitv(&b, SpvOpConvertUToPtr, pointer_type, address);
    spv_def(module, words[0])->hints.is_read_only = whole->hints.is_read_only;
    words[2] = words[2] < size ? words[2] : size;
    return spv_emit(&b, SpvOpLoad, type, 3, words);
}

static void take_apart(struct lanes *l, struct spv_inst *load)
{
    struct spv_module *module = l->module;
    uint32_t parts[MAX_LANES], count = spv_type_count(module, load->type);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = l->taken[load->id] >> i & 1 ? load_lane(l, load, i)
                                               : spv_undef(module, spv_type_component(module, load->type));
    load->op = SpvOpCompositeConstruct;
    spv_inst_set_words(module, load, count, parts);
}

bool lower_lanes(struct lower *lower)
{
    struct spv_module *module = lower->module;
    if (!lower->target->loses_lanes) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, module) {
        struct lanes l = {module, function, spv_borrow_table(module, uint8_t), spv_borrow_table(module, uint16_t)};
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, see_use, &l);
        }
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpLoad && is_partial(&l, inst))
                    take_apart(&l, inst);
            }
        }
        spv_give_back(module, l.taken);
        spv_give_back(module, l.kept);
    }
    return true;
}
