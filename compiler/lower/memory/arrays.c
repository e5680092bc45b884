/* SPV_INTEL_variable_length_array: private arrays whose length is computed. Vulkan has none, so the length must be known
 * once functions are inlined and folded; then the array is a variable as others are:
 *
 *     %p = OpVariableLengthArrayINTEL %int_ptr 12   ->   %v = OpVariable %array_of_12_ptr Function   in the entry block
 *                                                        %p = OpInBoundsAccessChain %int_ptr %v 0
 *
 * A variable lasts as long as its function, so where the stack pointer was saved and is restored nothing is to be done:
 * what an array in a loop held in the round before is undefined, and so is every use of a pointer to it. */
#include "compiler/lower/memory/passes.h"

enum { MAX_BYTES = 1 << 20 }; /* of one array: more would not fit any device's private memory */

static spv_id element_of(const struct spv_module *module, const struct spv_inst *array)
{
    bool fits =
        spv_type_is_pointer(module, array->type) && spv_pointer_storage(module, array->type) == SpvStorageClassFunction;
    return fits ? spv_pointer_pointee(module, array->type) : 0;
}

static bool make_variable(struct lower *lower, struct spv_inst *array)
{
    struct spv_module *module = lower->module;
    spv_id element = element_of(module, array);
    uint64_t length;
    if (!element || !spv_type_is_int(module, spv_value_type(module, array->words[0])))
        return lower_fail(lower, "kernel '%s': a variable-length array of a type that none has", lower->kernel_name);
    if (!spv_const_value(module, array->words[0], &length))
        return lower_fail(lower,
                          "kernel '%s' has a private array whose length is known only when it runs, which is not "
                          "supported: give it a constant length",
                          lower->kernel_name);
    if (length > MAX_BYTES)
        return lower_fail(lower, "kernel '%s' has a private array of %llu elements, which is too long",
                          lower->kernel_name, (unsigned long long)length);
    struct spv_builder b = {module, array->block->function, array->block, array, NULL};
    spv_id variable = spv_emit_variable(&b, spv_type_array(module, element, length ? (uint32_t)length : 1));
    const spv_id words[] = {variable, spv_const_u32(module, 0)};
    array->op = SpvOpInBoundsAccessChain;
    spv_inst_set_words(module, array, 2, words);
    return true;
}

bool lower_has_variable_arrays(const struct spv_module *module)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpVariableLengthArrayINTEL || inst->op == SpvOpSaveMemoryINTEL ||
                    inst->op == SpvOpRestoreMemoryINTEL)
                    return true;
            }
        }
    }
    return false;
}

bool lower_variable_arrays(struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (inst->op == SpvOpVariableLengthArrayINTEL && !make_variable(lower, inst))
                    return false;
                if (inst->op == SpvOpSaveMemoryINTEL)
                    inst->op = SpvOpUndef;
                else if (inst->op == SpvOpRestoreMemoryINTEL)
                    spv_inst_remove(lower->module, inst);
            }
        }
    }
    return true;
}
