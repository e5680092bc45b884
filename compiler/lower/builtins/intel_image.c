/* Lowering of SPV_INTEL_subgroups' blocks of images. A row of an image is bytes in memory; component c of what
 * work-item i has are those of row y + c, from column x + i * size on. The bodies (lib/image_block.cl) move the bytes
 * of one component. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/launch.h"

enum { MAX_LANES = 16 };

static spv_id wrong_operands(struct builtin_lowering *x)
{
    lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op));
    return 0;
}

static bool is_plane(const struct builtin_lowering *x, spv_id image)
{
    const struct spv_inst *type = spv_def(x->module, spv_value_type(x->module, image));
    return type->op == SpvOpTypeImage && type->num_words > 6 && type->words[1] == SpvDim2D && !type->words[2] &&
           !type->words[3] && !type->words[4];
}

struct place {
    spv_id column, row, bytes;
};

static struct place place_of(struct builtin_lowering *x, uint32_t lane, uint32_t size)
{
    spv_id u32 = spv_type_int(x->module, 32);
    spv_id item = lower_emit_builtin(x->lower, &x->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id offset = lower_op2(x, SpvOpIMul, u32, item, spv_const_u32(x->module, size));
    spv_id row = lower_lane(x, x->args[1], 1);
    if (lane)
        row = lower_op2(x, SpvOpIAdd, u32, row, spv_const_u32(x->module, lane));
    return (struct place){lower_op2(x, SpvOpIAdd, u32, lower_lane(x, x->args[1], 0), offset), row,
                          spv_const_u32(x->module, size < 4 ? size : 4)};
}

static spv_id read_part(struct builtin_lowering *x, const struct place *at, uint32_t offset)
{
    spv_id u32 = spv_type_int(x->module, 32), column = at->column;
    if (offset)
        column = lower_op2(x, SpvOpIAdd, u32, column, spv_const_u32(x->module, offset));
    return lower_library_call(x, "__pumice_block_read", 4, (const spv_id[]){x->args[0], column, at->row, at->bytes});
}

static spv_id read_lane(struct builtin_lowering *x, spv_id component, uint32_t lane)
{
    uint32_t width = spv_type_width(x->module, component);
    struct place at = place_of(x, lane, width / 8);
    spv_id low = read_part(x, &at, 0);
    if (!low || width == 32)
        return low && spv_type_is_float(x->module, component) ? lower_op1(x, SpvOpBitcast, component, low) : low;
    if (width < 32)
        return lower_op1(x, SpvOpUConvert, component, low);
    spv_id high = read_part(x, &at, 4);
    if (!high)
        return 0;
    low = lower_op1(x, SpvOpUConvert, component, low);
    high = lower_op1(x, SpvOpUConvert, component, high);
    high = lower_op2(x, SpvOpShiftLeftLogical, component, high, spv_const_u32(x->module, 32));
    return lower_op2(x, SpvOpBitwiseOr, component, low, high);
}

static bool write_lane(struct builtin_lowering *x, spv_id value, uint32_t lane)
{
    spv_id u32 = spv_type_int(x->module, 32), type = spv_value_type(x->module, value);
    uint32_t width = spv_type_width(x->module, type);
    struct place at = place_of(x, lane, width / 8);
    spv_id low = value, high = spv_const_u32(x->module, 0);
    if (width != 32)
        low = lower_op1(x, SpvOpUConvert, u32, value);
    else if (type != u32)
        low = lower_op1(x, SpvOpBitcast, u32, value);
    if (width == 64)
        high = lower_op1(x, SpvOpUConvert, u32,
                         lower_op2(x, SpvOpShiftRightLogical, type, value, spv_const_u32(x->module, 32)));
    const spv_id args[] = {x->args[0], at.column, at.row, spv_const_u32(x->module, width / 8), low, high};
    return lower_library_call(x, "__pumice_block_write", 6, args);
}

spv_id lower_core_intel_image(struct builtin_lowering *x)
{
    bool write = x->inst->op == SpvOpSubgroupImageBlockWriteINTEL;
    spv_id parts[MAX_LANES];
    if (x->num_args < (write ? 3u : 2u) || !is_plane(x, x->args[0]))
        return wrong_operands(x);
    spv_id type = write ? spv_value_type(x->module, x->args[2]) : x->type;
    spv_id coordinate = spv_value_type(x->module, x->args[1]);
    uint32_t lanes = spv_type_count(x->module, type);
    bool number = spv_type_is_int(x->module, type) ||
                  (spv_type_is_float(x->module, type) && spv_type_width(x->module, type) == 32);
    if (!number || lanes > MAX_LANES || !spv_type_is_int(x->module, coordinate) ||
        spv_type_width(x->module, coordinate) != 32 || spv_type_count(x->module, coordinate) < 2)
        return wrong_operands(x);
    for (uint32_t i = 0; i < lanes; i++) {
        if (write ? !write_lane(x, lower_lane(x, x->args[2], i), i)
                  : !(parts[i] = read_lane(x, spv_type_component(x->module, type), i)))
            return 0;
    }
    return write ? x->args[0] : lower_gather(x, spv_type_component(x->module, type), lanes, parts);
}
