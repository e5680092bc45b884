/* Makes one fused operation of a * b + c, where the program allows contraction, and where the device's fma rounds once
 * and keeps what OpenCL asks to be kept (by the probe). NVIDIA's driver then runs at its full rate, although every
 * other float operation is NoContraction. OpenCL C 3.0, 6.15.15 (FP_CONTRACT is on unless the program or its options
 * say otherwise).
 *
 * Operations that are already decorated NoContraction are left alone. A library body is fused by itself when it is
 * brought into the module (its accuracy is tested with and without fma), and never together with the code around a
 * call. */
#include "compiler/lower/ends/passes.h"

#include <spirv/unified1/GLSL.std.450.h>

struct contract {
    struct lower *lower;
    struct spv_module *module;
    uint8_t *uses; /* by id, saturating at 2 */
    bool off;      /* but for operations that say otherwise */
};

static void count_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct contract *c = data;
    (void)inst;
    if (c->uses[*word] < 2)
        c->uses[*word]++;
}

static bool exact(struct contract *c, spv_id type)
{
    uint32_t width = spv_type_width(c->module, type);
    enum clc_width index = width == 16 ? CLC_WIDTH_16 : width == 32 ? CLC_WIDTH_32 : CLC_WIDTH_64;
    return c->lower->target->native[CLC_PROBE_FMA][index] == CLC_NATIVE_EXACT;
}

/* Operations may say by themselves that they may be fused, where the kernel says that others may not. */
static bool may_fuse(struct contract *c, const struct spv_inst *inst)
{
    if (spv_no_contraction(inst))
        return false;
    if (!c->off)
        return true;
    const struct spv_inst *flags = spv_find_decoration(c->module, inst->id, SpvDecorationFPFastMathMode);
    return flags && flags->num_words > 2 && flags->words[2] & SpvFPFastMathModeAllowContractFastINTELMask;
}

static struct spv_inst *product(struct contract *c, spv_id id)
{
    struct spv_inst *def = spv_def(c->module, id);
    return def && def->block && def->op == SpvOpFMul && c->uses[id] == 1 && may_fuse(c, def) ? def : NULL;
}

static void contract_inst(struct contract *c, struct spv_inst *inst)
{
    if ((inst->op != SpvOpFAdd && inst->op != SpvOpFSub) || !exact(c, inst->type) || !may_fuse(c, inst))
        return;
    struct spv_inst *left = product(c, inst->words[0]), *right = left ? NULL : product(c, inst->words[1]);
    if (!left && !right)
        return;
    struct spv_builder b = {c->module, inst->block->function, inst->block, inst};
    spv_id one = (left ? left : right)->words[0], two = (left ? left : right)->words[1];
    spv_id addend = inst->words[left ? 1 : 0];
    if (inst->op == SpvOpFSub && left)
        addend = spv_emitv(&b, SpvOpFNegate, inst->type, addend);
    else if (inst->op == SpvOpFSub)
        one = spv_emitv(&b, SpvOpFNegate, inst->type, one);
    spv_id set = spv_import_ext_inst(c->module, "GLSL.std.450");
    inst->op = SpvOpExtInst;
    spv_inst_set_words(c->module, inst, 5, (const uint32_t[]){set, GLSLstd450Fma, one, two, addend});
    spv_inst_remove(c->module, left ? left : right);
}

static void count_uses(struct contract *c, struct spv_function *function)
{
    spv_foreach_block (block, function)
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, count_use, c);
}

static void contract_function(struct contract *c, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts)
            contract_inst(c, inst);
    }
}

static bool any_exact(const struct lower *lower)
{
    bool any = false;
    for (int width = 0; width < CLC_WIDTH_COUNT; width++)
        any |= lower->target->native[CLC_PROBE_FMA][width] == CLC_NATIVE_EXACT;
    return any;
}

void lower_contract_library(struct lower *lower, struct spv_module *module, struct spv_function *function)
{
    if (!any_exact(lower))
        return;
    struct contract c = {lower, module, spv_borrow_table(module, uint8_t), false};
    count_uses(&c, function);
    contract_function(&c, function);
    spv_give_back(module, c.uses);
}

bool lower_contract(struct lower *lower)
{
    if (!any_exact(lower))
        return true;
    struct contract c = {lower, lower->module, spv_borrow_table(lower->module, uint8_t), lower->contraction_off};
    spv_foreach_function (function, lower->module)
        count_uses(&c, function);
    spv_foreach_function (function, lower->module)
        contract_function(&c, function);
    spv_give_back(lower->module, c.uses);
    return true;
}
