/* What passes of several rooms read and write alike: memory operands, functions' types, the type of a named barrier. */
#include "compiler/lower/values/access.h"

#include "base/util.h"

struct lower_access lower_read_access(const struct spv_inst *inst, uint32_t first)
{
    struct lower_access access = {0};
    if (inst->num_words <= first)
        return access;
    uint32_t mask = inst->words[first], align = first + 1;
    access.is_volatile = mask & SpvMemoryAccessVolatileMask;
    if ((mask & SpvMemoryAccessAlignedMask) && inst->num_words > align && is_power_of_two(inst->words[align]) &&
        inst->words[align] <= 1u << 16)
        access.align = inst->words[align];
    /* SPIR-V 1.6, OpCopyMemory: with two operands, the second is about the source. What holds for both is left. */
    uint32_t second = align + !!(mask & SpvMemoryAccessAlignedMask);
    bool copies = spv_op_is_copy(inst->op);
    if (copies && inst->num_words > second &&
        !(mask & ~(SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask))) {
        struct lower_access source = lower_read_access(inst, second);
        access.is_volatile |= source.is_volatile;
        if (source.align < access.align)
            access.align = source.align;
    }
    return access;
}

void lower_update_function_type(struct spv_module *module, struct spv_function *function)
{
    uint32_t count = function->params.length;
    spv_id *types = arena_array(module->arena, spv_id, count + 1u);
    for (uint32_t i = 0; i < count; i++)
        types[i] = function->params.data[i]->type;
    function->def->words[1] = spv_type_function(module, function->def->type, count, types);
}

spv_id lower_named_barrier_type(struct spv_module *module)
{
    return spv_type_pointer(module, SpvStorageClassWorkgroup, spv_type_int(module, 32));
}
