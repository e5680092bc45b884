/* Address chains: what their operands say about the address that they lead to. SPIR-V 1.6, OpAccessChain,
 * OpPtrAccessChain. */
#include "compiler/opt/chain.h"

bool chain_constant(const struct spv_module *module, spv_id index, int64_t *value)
{
    uint64_t bits;
    spv_id type = spv_value_type(module, index);
    if (!spv_const_value(module, index, &bits) || spv_type_op(module, type) != SpvOpTypeInt)
        return false;
    uint32_t shift = 64 - spv_type_width(module, type);
    *value = (int64_t)(bits << shift) >> shift;
    return true;
}

/* How many parts a type has; 0: unknown. */
static int64_t count_parts(const struct spv_module *module, const struct spv_inst *type)
{
    int64_t length;
    switch (type->op) {
    case SpvOpTypeStruct:
        return (int64_t)type->num_words;
    case SpvOpTypeArray:
        return chain_constant(module, type->words[1], &length) ? length : 0;
    case SpvOpTypeVector:
        return (int64_t)type->words[1];
    default:
        return 0;
    }
}

bool chain_stays_inside(const struct spv_module *module, const struct spv_inst *chain, uint32_t first, bool trusted)
{
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, chain->words[0]));
    for (uint32_t i = 1; i < chain->num_words; i++) {
        int64_t value = 0;
        bool constant = chain_constant(module, chain->words[i], &value);
        if (i == 1 && spv_op_is_by_element(chain->op)) {
            if (i >= first && (!constant || value != 0))
                return false;
            continue;
        }
        const struct spv_inst *def = spv_def(module, type);
        bool inside = constant ? value >= 0 && value < count_parts(module, def) : trusted;
        if ((i >= first && !inside) || (def->op == SpvOpTypeStruct && (!constant || !inside)))
            return false;
        if (def->op != SpvOpTypeStruct && def->op != SpvOpTypeArray && def->op != SpvOpTypeVector &&
            def->op != SpvOpTypeRuntimeArray)
            return false;
        type = def->words[def->op == SpvOpTypeStruct ? value : 0];
    }
    return true;
}
