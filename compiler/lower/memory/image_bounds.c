/* See image_bounds.h. Vulkan leaves open what a read outside of an image gives, and where a write there goes: to other
 * texels of the image, say. (Vulkan 1.3, 16.3 and 16.8; features robustImageAccess and robustImageAccess2 bind it, the
 * first not to the image's own size.) So coordinates are compared with the size that the descriptor tells.
 *
 *     %t = OpImageFetch %v4float %i %at Lod %0    ->  %inside = OpAll (OpULessThan %at (OpImageQuerySizeLod %i %0))
 *                                                     %near = OpSelect %inside %at %zeros
 *                                                     %texel = OpImageFetch %v4float %i %near Lod %0
 *                                                     %t = OpSelect %inside %texel %zeros
 *
 * A write wants control flow, and so stands in a function of its own. */
#include "compiler/lower/memory/image_bounds.h"

spv_id lower_is_inside(struct spv_builder *b, spv_id numbers, spv_id bounds)
{
    spv_id truth = spv_type_bool(b->module);
    uint32_t count = spv_type_count(b->module, spv_value_type(b->module, numbers));
    spv_id each = spv_emitv(b, SpvOpULessThan, spv_type_vector(b->module, truth, count), numbers, bounds);
    return count > 1 ? spv_emitv(b, SpvOpAll, truth, each) : each;
}

spv_id lower_both(struct spv_builder *b, spv_id one, spv_id other)
{
    return one && other ? spv_emitv(b, SpvOpLogicalAnd, spv_type_bool(b->module), one, other) : one ? one : other;
}

spv_id lower_or_zeros(struct spv_builder *b, spv_id condition, spv_id value)
{
    spv_id type = spv_value_type(b->module, value);
    uint32_t count = spv_type_count(b->module, type);
    const spv_id all[] = {condition, condition, condition, condition};
    if (count > 1)
        condition = spv_emit(b, SpvOpCompositeConstruct, spv_type_vector(b->module, spv_type_bool(b->module), count),
                             count, all);
    return spv_emitv(b, SpvOpSelect, type, condition, value, spv_const_null(b->module, type));
}

spv_id lower_in_32_bits(struct spv_builder *b, spv_id numbers)
{
    spv_id type = spv_value_type(b->module, numbers);
    if (spv_type_width(b->module, type) == 32)
        return numbers;
    spv_id wanted = spv_type_vector(b->module, spv_type_int(b->module, 32), spv_type_count(b->module, type));
    return spv_emitv(b, SpvOpSConvert, wanted, numbers);
}

spv_id lower_texel_writer(struct lower *lower, spv_id variable, spv_id image_type, spv_id coordinate_type,
                          spv_id texel_type)
{
    struct spv_module *module = lower->module;
    const spv_id types[] = {coordinate_type, texel_type};
    spv_id type = spv_type_function(module, spv_type_void(module), 2, types);
    struct spv_function *function = spv_function_create(module, spv_new_id(module), type, 0);
    struct spv_block *entry = spv_block_create(function, module, 0), *write = spv_block_create(function, module, 0),
                     *end = spv_block_create(function, module, 0);
    struct spv_builder b = {.module = module, .function = function, .block = entry};
    spv_id coordinate = function->params.data[0]->id, texel = function->params.data[1]->id;
    spv_block_append(function, entry);
    spv_block_append(function, write);
    spv_block_append(function, end);
    spv_add_name(module, function->def->id, "write_texel");
    spv_id image = spv_emitv(&b, SpvOpLoad, image_type, variable);
    spv_id inside = lower_is_inside(&b, coordinate, spv_emitv(&b, SpvOpImageQuerySize, coordinate_type, image));
    spv_emitv_void(&b, SpvOpSelectionMerge, end->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&b, SpvOpBranchConditional, inside, write->label->id, end->label->id);
    b.block = write;
    spv_emitv_void(&b, SpvOpImageWrite, image, coordinate, texel);
    spv_emitv_void(&b, SpvOpBranch, end->label->id);
    b.block = end;
    spv_emit_void(&b, SpvOpReturn, 0, NULL);
    return function->def->id;
}
