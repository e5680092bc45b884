/* After the walk over built-in calls, handles are numbers: nothing but calls that are lowered by now could tell them
 * from numbers.
 *
 *     sampler          u32: the bits of the CLK_* macros, which the bodies of reads take apart (lib/image.cl)
 *     event            u64: it holds nothing, since a copy is complete at the barrier that waits for it
 *     pipe             u64: the address of its memory (lib/pipe.cl)
 *     reservation      u64: the place of its first packet
 *
 * Queues and events of the device are numbers since extract. */
#include "compiler/lower/builtins/builtins.h"

static bool retype_word(uint32_t *word, spv_id from, spv_id to)
{
    if (*word != from)
        return false;
    *word = to;
    return true;
}

/* SPIR-V 1.6, 2.8: there is one function type with the same parameters and result. */
static void update_function_type(struct spv_module *module, struct spv_function *function)
{
    uint32_t count = function->params.length;
    spv_id *types = arena_array(module->arena, spv_id, count + 1u);
    for (uint32_t i = 0; i < count; i++)
        types[i] = function->params.data[i]->type;
    function->def->words[1] = spv_type_function(module, function->def->type, count, types);
}

/* Replaces a type by another everywhere: in values, in types that hold it or point to it, and in functions. */
static void retype(struct spv_module *module, spv_id from, spv_id to)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        retype_word(&inst->type, from, to);
        if (inst->op == SpvOpTypePointer)
            retype_word(&inst->words[1], from, to);
        if (inst->op == SpvOpTypeArray || inst->op == SpvOpTypeRuntimeArray)
            retype_word(&inst->words[0], from, to);
        bool holds = inst->op == SpvOpTypeFunction || inst->op == SpvOpTypeStruct;
        for (uint32_t i = 0; holds && i < inst->num_words; i++)
            retype_word(&inst->words[i], from, to);
    }
    spv_foreach_function (function, module) {
        bool changed = retype_word(&function->def->type, from, to);
        for (uint32_t i = 0; i < function->params.length; i++)
            changed |= retype_word(&function->params.data[i]->type, from, to);
        if (changed)
            update_function_type(module, function);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                retype_word(&inst->type, from, to);
        }
    }
}

/* The width of the number that values of this type become; 0: they stay. */
static uint32_t number_width(uint16_t op)
{
    return op == SpvOpTypeSampler                                                    ? 32
           : op == SpvOpTypeEvent || op == SpvOpTypePipe || op == SpvOpTypeReserveId ? 64
                                                                                     : 0;
}

void lower_replace_handles(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        uint32_t width = number_width(inst->op);
        if (inst->op == SpvOpConstantSampler) {
            uint32_t value = lower_sampler_value(inst);
            inst->op = SpvOpConstant;
            spv_inst_set_words(module, inst, 1, &value);
        } else if (width) {
            retype(module, inst->id, spv_type_int(module, width));
            spv_inst_remove(module, inst);
        }
    }
}
