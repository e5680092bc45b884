/* SPV_KHR_float_controls2: what may be done with each operation on floats is said by its flags, or by the kernel's for
 * operations of its type that have none. Without AllowContract an operation is NoContraction, which no pass and no
 * driver fuses or regroups. The other flags are those of SPV_INTEL_fp_fast_math_mode, which passes know; what
 * AllowTransform allows beyond AllowContract and AllowReassoc, which it comes with, nobody does.
 *
 * A function may be called by kernels whose flags differ. So a type's flags are those that all kernels allow.
 *
 * Of the module's scope it is known that types are types and numbers have their sizes (spv_check_scope()). Of functions
 * nothing is known but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#define SpvExecutionModeFPFastMathDefault 6028

enum {
    CONTRACT = 0x10000,
    REASSOC = 0x20000,
    KNOWN = 0x1f | CONTRACT | REASSOC, /* flags */
    WITHOUT = CONTRACT                 /* those of a kernel that does not say: as OpenCL has it */
};

struct defaults {
    uint32_t flags[3]; /* of halves, floats and doubles */
    bool given[3];
};

static int width_index(uint32_t width)
{
    return width == 16 ? 0 : width == 32 ? 1 : 2;
}

static bool is_default(const struct spv_module *module, const struct spv_inst *mode)
{
    return mode->op == SpvOpExecutionModeId && mode->num_words == 4 &&
           mode->words[1] == SpvExecutionModeFPFastMathDefault && spv_type_op(module, mode->words[2]) == SpvOpTypeFloat;
}

/* Adds what one kernel says. */
static void add_kernel(const struct spv_module *module, spv_id kernel, struct defaults *all)
{
    struct defaults own = {.flags = {WITHOUT, WITHOUT, WITHOUT}};
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        uint64_t flags;
        if (mode->words[0] == kernel && mode->words[1] == SpvExecutionModeContractionOff) {
            for (int i = 0; i < 3; i++)
                own.flags[i] = own.given[i] ? own.flags[i] : 0;
        }
        if (mode->words[0] != kernel || !is_default(module, mode))
            continue;
        int index = width_index(spv_type_width(module, mode->words[2]));
        /* what is no known number allows nothing */
        own.flags[index] = spv_const_value(module, mode->words[3], &flags) ? (uint32_t)flags : 0;
        own.given[index] = true;
    }
    for (int i = 0; i < 3; i++) {
        all->flags[i] &= own.flags[i];
        all->given[i] |= own.given[i];
    }
}

static struct defaults take_defaults(struct spv_module *module)
{
    struct defaults all = {.flags = {KNOWN, KNOWN, KNOWN}};
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT])
        add_kernel(module, entry->words[1], &all);
    spv_foreach_inst_safe (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (mode->num_words > 1 && mode->words[1] == SpvExecutionModeFPFastMathDefault)
            spv_inst_remove(module, mode);
    }
    return all;
}

static void set_flags(struct spv_module *module, struct spv_inst *inst, const struct defaults *defaults)
{
    struct spv_inst *decoration = spv_find_decoration(module, inst->id, SpvDecorationFPFastMathMode);
    bool is_float = spv_type_is_float(module, inst->type);
    spv_id first = inst->num_words ? inst->words[0] : 0;
    spv_id type = is_float ? inst->type : spv_value_type(module, first); /* of a conversion to integers */
    uint32_t flags;
    if (decoration) { /* which modules have on what computes no floats, too */
        flags = decoration->words[2] & KNOWN;
    } else if (spv_type_is_float(module, type)) {
        int index = width_index(spv_type_width(module, type));
        if (!defaults->given[index])
            return;
        flags = defaults->flags[index];
    } else {
        return;
    }
    if (!(flags & CONTRACT))
        spv_forbid_contraction(inst);
    if (decoration)
        decoration->words[2] = flags;
    else if (is_float && flags)
        spv_decorate(module, inst->id, SpvDecorationFPFastMathMode, 1, &flags);
    if (flags & (CONTRACT | REASSOC)) {
        spv_add_capability(module, SpvCapabilityFPFastMathModeINTEL);
        spv_add_extension(module, "SPV_INTEL_fp_fast_math_mode");
    }
}

bool spv_has_float_controls(const struct spv_module *module)
{
    if (spv_has_capability(module, SpvCapabilityFloatControls2))
        return true;
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (mode->num_words > 1 && mode->words[1] == SpvExecutionModeFPFastMathDefault)
            return true;
    }
    return false;
}

void spv_take_float_controls(struct spv_module *module)
{
    struct defaults defaults = take_defaults(module);
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->id && (spv_op_is_float_arithmetic(inst->op) ||
                                 spv_find_decoration(module, inst->id, SpvDecorationFPFastMathMode)))
                    set_flags(module, inst, &defaults);
            }
        }
    }
}
