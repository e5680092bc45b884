/* Lowering of reads with a sampler: OpenCL C 3.0, 6.15.15.2.
 *
 * A sampler, constant or argument, becomes the 32-bit value of the CLK_* macros. A read through it becomes a call of
 * the library's body (lib/image.cl), which reads single texels. Vulkan's own samplers promise neither OpenCL's choice
 * of texel for a coordinate nor its weights, and lack some combinations of modes (unnormalised coordinates with arrays
 * and 3D images, repeating with a border). So the body uses them for linear filters only, where the probe found these
 * to be good enough: FilteredRead and DeviceFilters of spv/private.def.
 *
 * images.c handles reads without a sampler, writes and queries. */
#include "compiler/lower/builtins/builtins.h"

#include <stdio.h>
#include <string.h>

/* OpTypeImage: sampled type, dimension, depth, arrayed, multisampled, sampled, format, access. */
struct image_shape {
    const char *name;           /* as the library's bodies are called */
    uint32_t coordinates, axes; /* with the layer, and without */
};

static const struct image_shape *shape_of(const struct spv_inst *type)
{
    static const struct image_shape shapes[3][2] = {
        {{"1d", 1, 1}, {"1d_array", 2, 1}},
        {{"2d", 2, 2}, {"2d_array", 3, 2}},
        {{"3d", 3, 3}, {NULL, 0, 0}},
    };
    static const struct image_shape depths[2] = {{"2d_depth", 2, 2}, {"2d_array_depth", 3, 2}};
    uint32_t dim = type->words[1], depth = type->words[2], arrayed = type->words[3], samples = type->words[4];
    if (dim > SpvDim3D || depth > 1 || arrayed > 1 || samples)
        return NULL;
    const struct image_shape *shape = depth ? &depths[arrayed] : &shapes[dim][arrayed];
    return shape->name && (!depth || dim == SpvDim2D) ? shape : NULL;
}

/* CLK_NORMALIZED_COORDS_TRUE is bit 0, the addressing mode bits 1 to 3, CLK_FILTER_NEAREST 0x10, _LINEAR 0x20. */
uint32_t lower_sampler_value(const struct spv_inst *constant)
{
    return (constant->words[0] & 7) << 1 | (constant->words[1] & 1) |
           (constant->words[2] == SpvSamplerFilterModeLinear ? 0x20u : 0x10u);
}

/* The sampler as the number that it is after this pass (handles.c). */
static spv_id sampler_number(struct builtin_lowering *x, spv_id sampler)
{
    const struct spv_inst *def = spv_def(x->module, sampler);
    if (def->op == SpvOpConstantSampler && def->num_words > 2)
        return spv_const_u32(x->module, lower_sampler_value(def));
    return sampler;
}

static uint32_t in_steps(float lod)
{
    float most = CLC_MAX_LEVELS * 256.0f - 1.0f;
    return lod > 0.0f ? (uint32_t)(lod * 256.0f < most ? lod * 256.0f + 0.5f : most) : 0;
}

/* As lib/mipmap.cl reads them: bit 6, bits 8 to 19, and from 20 on what the maximum is short of the greatest. */
uint32_t clc_sampler_levels(bool linear, float lod_min, float lod_max)
{
    return (linear ? 0x40u : 0) | in_steps(lod_min) << 8 | (0xfffu - in_steps(lod_max)) << 20;
}

/* Whether an OpImageSampleExplicitLod (sampled image, coordinate, operands) reads level 0 without regard to the
 * sampler's range of levels. A read of a level that happens to be 0 has another operand (see below). */
static bool reads_level_0(struct builtin_lowering *x)
{
    uint64_t bits;
    const uint32_t extends = SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask;
    uint32_t operands = x->num_args > 2 ? x->inst->words[2] & ~extends : 0;
    if (!operands)
        return true;
    return operands == SpvImageOperandsLodMask && x->num_args > 3 && spv_const_value(x->module, x->args[3], &bits) &&
           !(bits & 0x7fffffff);
}

/* Reads of a level or with gradients: the body's arguments behind the coordinate. Returns the body's kind, or NULL. */
static const char *level_args(struct builtin_lowering *x, const struct image_shape *shape, spv_id *args,
                              uint32_t *count)
{
    const uint32_t extends = SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask,
                   explicit = SpvImageOperandsConstOffsetMask;
    uint32_t operands = x->num_args > 2 ? x->inst->words[2] & ~(extends | explicit) : 0;
    bool gradients = operands == SpvImageOperandsGradMask;
    uint32_t axes = gradients ? shape->axes : 1, values = gradients ? 2 : 1;
    if (reads_level_0(x))
        return "";
    if ((!gradients && operands != SpvImageOperandsLodMask) || x->num_args < 3 + values)
        return NULL;
    for (uint32_t i = 0; i < values; i++) {
        spv_id value = x->args[3 + i], type = spv_value_type(x->module, value);
        if (!spv_type_is_float(x->module, type) || spv_type_width(x->module, type) != 32 ||
            spv_type_count(x->module, type) < axes)
            return NULL;
        for (uint32_t c = 0; c < axes; c++)
            args[(*count)++] = lower_lane(x, value, c);
    }
    return gradients ? "gradients_" : "level_";
}

static spv_id sample(struct builtin_lowering *x, const struct spv_inst *sampled)
{
    struct spv_module *module = x->module;
    spv_id image = spv_replaced(&x->replacements, sampled->words[0]);
    spv_id sampler = spv_replaced(&x->replacements, sampled->words[1]);
    const struct spv_inst *type = spv_def(module, spv_value_type(module, image));
    const struct image_shape *shape = type->op == SpvOpTypeImage && type->num_words > 6 ? shape_of(type) : NULL;
    bool floats = spv_type_is_float(module, x->type);
    spv_id coordinate = x->args[1], args[12] = {image, sampler_number(x, sampler)};
    spv_id coordinate_type = spv_value_type(module, coordinate);
    bool by_float = spv_type_is_float(module, coordinate_type);
    bool is_number = by_float || spv_type_is_int(module, coordinate_type);
    if (!shape || !is_number || spv_type_width(module, coordinate_type) != 32 ||
        spv_type_count(module, coordinate_type) < shape->coordinates || x->lanes != 4) {
        lower_fail(x->lower, "a read with a sampler does not fit its image");
        return 0;
    }
    for (uint32_t i = 0; i < shape->coordinates; i++)
        args[2 + i] = lower_lane(x, coordinate, i);
    char name[64];
    uint32_t count = 2 + shape->coordinates;
    const char *kind = level_args(x, shape, args, &count);
    if (!kind || (*kind && !by_float)) {
        lower_fail(x->lower, "a read with a sampler has operands that it cannot have");
        return 0;
    }
    snprintf(name, sizeof(name), "__pumice_sample_%s%s_%s_%s", kind, shape->name, floats ? "f" : "i",
             by_float ? "float" : "int");
    spv_id texel = lower_library_call(x, name, count, args);
    if (!texel)
        return 0;
    const struct spv_inst *call = spv_def(module, texel);
    const struct spv_inst *body = spv_def(module, spv_def(module, call->words[0])->words[1]);
    if (body->words[1] != type->id) {
        lower_fail(x->lower, "a read with a sampler from an image that is not read_only");
        return 0;
    }
    if (spv_type_width(module, x->type) == 32)
        return texel;
    return lower_op1(x, SpvOpFConvert, x->type, texel);
}

spv_id lower_core_image(struct builtin_lowering *x)
{
    const struct spv_inst *sampled = spv_def(x->module, x->args[0]);
    if (!sampled || sampled->op != SpvOpSampledImage || x->num_args < 2) {
        lower_fail(x->lower, "a read with a sampler has no sampled image of its own");
        return 0;
    }
    return sample(x, sampled);
}

/* The library asks whether the device's linear filter will do: where it never does, that is known here. */
spv_id lower_private(struct builtin_lowering *x)
{
    if (spv_is_private(x->inst, SPV_PRIVATE_DEVICE_FILTERS) && !x->target->filters)
        return spv_const_u32(x->module, 0);
    return x->inst->id;
}

/* ---- writes ---- */

static const char encode[] = "__pumice_encode_colour";

static bool is_encoded(const struct builtin_lowering *x, spv_id texel)
{
    const struct spv_inst *call = spv_def(x->module, texel);
    uintptr_t body = (uintptr_t)str_map_get(&x->library, encode, sizeof(encode) - 1);
    return body && call && call->op == SpvOpFunctionCall && call->words[0] == body;
}

/* Colours that are written to an image which may be sRGB, or of a format that Vulkan does not write. Those of
 * read_write images are none, and those that bodies of the library write are encoded already. */
bool lower_encodes_write(const struct builtin_lowering *x, const struct spv_inst *inst)
{
    if (!x->target->srgb_writes || inst->num_words < 3 ||
        u64_map_has(&x->lower->library_bodies, inst->block->function->def->id))
        return false;
    const struct spv_inst *type = spv_def(x->module, spv_value_type(x->module, inst->words[0]));
    spv_id texel = spv_replaced(&x->replacements, inst->words[2]);
    spv_id texel_type = spv_value_type(x->module, texel);
    return type->op == SpvOpTypeImage && type->num_words > 7 && type->words[1] != SpvDimBuffer &&
           type->words[7] == SpvAccessQualifierWriteOnly && spv_type_is_float(x->module, texel_type) &&
           spv_type_count(x->module, texel_type) == 4 && !is_encoded(x, texel);
}

/* Writes of a level of detail that is known only when the kernel runs. */
bool lower_writes_level(const struct builtin_lowering *x, const struct spv_inst *inst)
{
    uint64_t level;
    return inst->num_words > 4 && inst->words[3] == SpvImageOperandsLodMask &&
           !spv_const_value(x->module, spv_replaced(&x->replacements, inst->words[4]), &level);
}

/* The write as a call of its body; 0 where there is none. Depth images have one level only. */
static spv_id write_level(struct builtin_lowering *x)
{
    struct spv_module *module = x->module;
    const struct spv_inst *type = spv_def(module, spv_value_type(module, x->args[0]));
    const struct image_shape *shape = type->op == SpvOpTypeImage && type->num_words > 6 ? shape_of(type) : NULL;
    spv_id texel = x->args[2], texel_type = spv_value_type(module, texel);
    bool floats = spv_type_is_float(module, texel_type), is_depth = shape && type->words[2];
    if (!shape || (spv_type_count(module, texel_type) != 4 && !is_depth)) {
        lower_fail(x->lower, "a write of a level of detail does not fit its image");
        return 0;
    }
    if (is_depth) {
        spv_emit_void(&x->b, SpvOpImageWrite, 3, x->args);
        return texel;
    }
    spv_id component = floats ? spv_type_float(module, 32) : spv_type_int(module, 32);
    if (spv_type_component(module, texel_type) != component)
        texel = lower_op1(x, floats ? SpvOpFConvert : SpvOpSConvert, spv_type_vector(module, component, 4), texel);
    char name[64];
    snprintf(name, sizeof(name), "__pumice_write_level_%s_%s", shape->name, floats ? "f" : "i");
    return lower_library_call(x, name, 4, (const spv_id[]){x->args[0], x->args[1], x->args[4], texel});
}

spv_id lower_core_image_write(struct builtin_lowering *x)
{
    struct spv_module *module = x->module;
    spv_id u32 = spv_type_int(module, 32), vector = spv_type_vector(module, spv_type_float(module, 32), 4);
    if (lower_encodes_write(x, x->inst)) {
        spv_id args[3] = {x->args[2], lower_op1(x, SpvOpImageQueryOrder, u32, x->args[0]),
                          lower_op1(x, SpvOpImageQueryFormat, u32, x->args[0])};
        if (spv_value_type(module, args[0]) != vector)
            args[0] = lower_op1(x, SpvOpFConvert, vector, args[0]);
        x->args[2] = lower_library_call(x, encode, 3, args);
        if (!x->args[2])
            return 0;
    }
    if (lower_writes_level(x, x->inst))
        return write_level(x);
    if (x->num_args > 3)
        x->args[3] = x->inst->words[3]; /* no id */
    spv_emit_void(&x->b, SpvOpImageWrite, x->num_args, x->args);
    return x->args[2];
}

void lower_drop_sampled_images(struct spv_module *module)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (inst->op == SpvOpSampledImage)
                    spv_inst_remove(module, inst);
            }
        }
    }
}
