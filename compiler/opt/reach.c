/* What a pipeline's accesses to global memory may meet, which is only known when it is made: a specialisation constant
 * says it. For the passes that compute addresses in 32 bits (elements.c, offsets.c). */
#include "compiler/opt/opt.h"

static spv_id reach_of(struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        const struct spv_inst *decoration =
            inst->op == SpvOpSpecConstant ? spv_find_decoration(module, inst->id, SpvDecorationSpecId) : NULL;
        if (decoration && decoration->words[2] == OPT_SPEC_REACH)
            return inst->id;
    }
    spv_id reach = spv_const_inst(module, SpvOpSpecConstant, spv_type_int(module, 32), 1, (const uint32_t[]){0});
    spv_decorate(module, reach, SpvDecorationSpecId, 1, (const uint32_t[]){OPT_SPEC_REACH});
    return reach;
}

static spv_id spec_op(struct spv_module *module, spv_id type, SpvOp op, spv_id a, spv_id b)
{
    return spv_const_inst(module, SpvOpSpecConstantOp, type, 3, (const uint32_t[]){op, a, b});
}

spv_id opt_reaches_far(struct spv_module *module, bool may_be_negative)
{
    spv_id u32 = spv_type_int(module, 32), boolean = spv_type_bool(module), reach = reach_of(module);
    if (!may_be_negative)
        reach = spec_op(module, u32, SpvOpBitwiseAnd, reach, spv_const_u32(module, OPT_REACH_LARGE));
    return spec_op(module, boolean, SpvOpINotEqual, reach, spv_const_u32(module, 0));
}
