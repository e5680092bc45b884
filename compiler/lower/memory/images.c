/* The images pass: image arguments become descriptors of set 0 and a word in the argument block (docs/images.md).
 *
 * Before: reads with a sampler are no calls any more (builtins/image.c, inlined). What is left are reads, writes and
 * queries whose image is a parameter of the kernel. After: each of these loads its descriptor from a UniformConstant
 * variable,
 *
 *     %t = OpImageRead %v4float %image %at      ->  %i = OpLoad %sampled %binding_0
 *                                                   %t = OpImageFetch %v4float %i %at Lod %0
 *
 * and the parameter is the word (u32), which entry_block.c reads from the block.
 *
 * An OpenCL image has any format, but Vulkan's image types are of floats or of integers. So the type of the texel
 * decides, and an image that is read both ways has two descriptors. To Vulkan integers are always unsigned. The word
 * tells their width and sign, so that reads extend and writes saturate as OpenCL asks. (SPIR-V before 1.4 cannot tell
 * read_imagei from read_imageui, and need not.)
 *
 * The samples of a multisampled image are layers of an array, one behind the other, since nobody could fill an image of
 * Vulkan's that has samples: sample s of layer l is layer l * samples + s. The word has their number. */
#include "compiler/lower/memory/image_args.h"
#include "compiler/lower/memory/image_bounds.h"
#include "compiler/lower/memory/image_word.h"
#include "compiler/lower/memory/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/lower/memory/texels.h"

#include <spirv/unified1/GLSL.std.450.h>

/* ---- arithmetic on the word ---- */

static spv_id field(struct images *m, struct spv_builder *b, const struct image_arg *arg, uint32_t shift, uint32_t bits)
{
    spv_id value = arg->word;
    if (shift)
        value = spv_emitv(b, SpvOpShiftRightLogical, m->u32, value, spv_const_u32(m->module, shift));
    if (shift + bits == 32)
        return value;
    return spv_emitv(b, SpvOpBitwiseAnd, m->u32, value, spv_const_u32(m->module, (1u << bits) - 1));
}

static spv_id order_of(struct images *m, struct spv_builder *b, const struct image_arg *arg)
{
    spv_id order = field(m, b, arg, 0, 5);
    spv_id is = spv_emitv(b, SpvOpIEqual, spv_type_bool(m->module), order, spv_const_u32(m->module, ORDER_NV12));
    return spv_emitv(b, SpvOpSelect, m->u32, is, spv_const_u32(m->module, CL_NV12_INTEL - CL_R), order);
}

/* Whether the type is one of count types that follow each other. */
static spv_id is_among(struct images *m, struct spv_builder *b, spv_id type, uint32_t first, uint32_t count)
{
    spv_id distance = spv_emitv(b, SpvOpISub, m->u32, type, spv_const_u32(m->module, first - CL_SNORM_INT8));
    return spv_emitv(b, SpvOpULessThan, spv_type_bool(m->module), distance, spv_const_u32(m->module, count));
}

struct integers {
    spv_id is_signed; /* bool */
    spv_id missing;   /* of 32 bits: 24, 16 or 0 */
};

static struct integers integers_of(struct images *m, struct spv_builder *b, const struct image_arg *arg)
{
    struct spv_module *module = m->module;
    spv_id type = field(m, b, arg, WORD_TYPE, 5), bool_type = spv_type_bool(module);
    struct integers result = {.is_signed = is_among(m, b, type, CL_SIGNED_INT8, 3)};
    result.missing = spv_const_u32(module, 0);
    for (uint32_t size = 0; size < 2; size++) {
        spv_id is_signed =
            spv_emitv(b, SpvOpIEqual, bool_type, type, spv_const_u32(module, CL_SIGNED_INT8 - CL_SNORM_INT8 + size));
        spv_id is_unsigned =
            spv_emitv(b, SpvOpIEqual, bool_type, type, spv_const_u32(module, CL_UNSIGNED_INT8 - CL_SNORM_INT8 + size));
        spv_id either = spv_emitv(b, SpvOpLogicalOr, bool_type, is_signed, is_unsigned);
        if (size)
            either = spv_emitv(b, SpvOpLogicalOr, bool_type, either, is_among(m, b, type, CL_UNSIGNED_INT10X6, 3));
        result.missing =
            spv_emitv(b, SpvOpSelect, m->u32, either, spv_const_u32(module, size ? 16 : 24), result.missing);
    }
    return result;
}

static spv_id splat(struct images *m, struct spv_builder *b, spv_id value)
{
    spv_id type = spv_type_vector(m->module, spv_value_type(m->module, value), 4);
    return spv_emitv(b, SpvOpCompositeConstruct, type, value, value, value, value);
}

/* CL_UNSIGNED_INT10X6_EXT and its kin lie in the high bits of 16. */
static spv_id low_bits(struct images *m, struct spv_builder *b, const struct image_arg *arg)
{
    spv_id twice = spv_emitv(b, SpvOpShiftRightLogical, m->u32, arg->word, spv_const_u32(m->module, WORD_LOW - 1));
    return spv_emitv(b, SpvOpBitwiseAnd, m->u32, twice, spv_const_u32(m->module, 6));
}

/* ---- reading ---- */

static spv_id extend_sign(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id texel)
{
    struct integers integers = integers_of(m, b, arg);
    spv_id type = spv_value_type(m->module, texel);
    spv_id shift = spv_emitv(b, SpvOpSelect, m->u32, integers.is_signed, integers.missing, spv_const_u32(m->module, 0));
    shift = splat(m, b, shift);
    texel = spv_emitv(b, SpvOpShiftLeftLogical, type, texel, shift);
    return spv_emitv(b, SpvOpShiftRightArithmetic, type, texel, shift);
}

/* An alpha that is not the texel's stays 1. */
static spv_id drop_low_bits(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id texel)
{
    struct spv_module *module = m->module;
    spv_id low = low_bits(m, b, arg), type = spv_value_type(module, texel);
    spv_id is_one = spv_emitv(b, SpvOpIEqual, spv_type_bool(module), field(m, b, arg, WORD_LOAD + 9, 3),
                              spv_const_u32(module, CLC_COMPONENT_1));
    spv_id alpha = spv_emitv(b, SpvOpSelect, m->u32, is_one, spv_const_u32(module, 0), low);
    spv_id shift = spv_emitv(b, SpvOpCompositeConstruct, type, low, low, low, alpha);
    return spv_emitv(b, SpvOpShiftRightLogical, type, texel, shift);
}

/* Gives a texel that was read through a view without a component mapping the colour's order. */
static spv_id load_order(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id texel)
{
    struct spv_module *module = m->module;
    spv_id type = spv_value_type(module, texel), component = spv_type_component(module, type), parts[4];
    bool is_float = spv_type_is_float(module, type);
    spv_id zero = spv_const_bits(module, component, 0),
           one = spv_const_bits(module, component, is_float ? 0x3f800000 : 1);
    for (uint32_t c = 0; c < 4; c++) {
        spv_id from = field(m, b, arg, WORD_LOAD + 3 * c, 3);
        spv_id lane = spv_emitv(b, SpvOpBitwiseAnd, m->u32, from, spv_const_u32(module, 3));
        spv_id value = spv_emitv(b, SpvOpVectorExtractDynamic, component, texel, lane);
        spv_id is_one = spv_emitv(b, SpvOpIEqual, spv_type_bool(module), from, spv_const_u32(module, CLC_COMPONENT_1));
        spv_id constant = spv_emitv(b, SpvOpSelect, component, is_one, one, zero);
        spv_id is_constant =
            spv_emitv(b, SpvOpUGreaterThanEqual, spv_type_bool(module), from, spv_const_u32(module, CLC_COMPONENT_0));
        parts[c] = spv_emitv(b, SpvOpSelect, component, is_constant, constant, value);
    }
    return spv_emit(b, SpvOpCompositeConstruct, type, 4, parts);
}

static spv_id fit_coordinate(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id coordinate)
{
    spv_id type = spv_value_type(m->module, coordinate);
    uint32_t count = dimensions(arg);
    if (spv_type_count(m->module, type) == count)
        return coordinate;
    if (count == 1)
        return spv_emitv(b, SpvOpCompositeExtract, spv_type_component(m->module, type), coordinate, 0);
    const uint32_t words[] = {coordinate, coordinate, 0, 1, 2};
    return spv_emit(b, SpvOpVectorShuffle, spv_type_vector(m->module, spv_type_component(m->module, type), count),
                    2 + count, words);
}

static spv_id num_samples(struct images *m, struct spv_builder *b, const struct image_arg *arg)
{
    return field(m, b, arg, WORD_STORE, 8);
}

/* Sample 0 where the instruction names none. */
static spv_id sample_of(struct images *m, const struct spv_inst *inst)
{
    const uint32_t extends = SpvImageOperandsZeroExtendMask | SpvImageOperandsSignExtendMask;
    bool given = inst->num_words > 3 && (inst->words[2] & ~extends) == SpvImageOperandsSampleMask;
    return given ? inst->words[3] : spv_const_u32(m->module, 0);
}

/* (x, y) and (x, y, layer)  ->  (x, y, layer * samples + sample) */
static spv_id sample_coordinate(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id coordinate,
                                spv_id sample)
{
    spv_id type = spv_type_component(m->module, spv_value_type(m->module, coordinate)), parts[3];
    bool arrayed = arg->type->words[TYPE_ARRAYED];
    for (uint32_t i = 0; i < 2u + arrayed; i++)
        parts[i] = spv_emitv(b, SpvOpCompositeExtract, type, coordinate, i);
    if (arrayed)
        sample = spv_emitv(b, SpvOpIAdd, type, sample, spv_emitv(b, SpvOpIMul, type, parts[2], num_samples(m, b, arg)));
    parts[2] = sample;
    return spv_emit(b, SpvOpCompositeConstruct, spv_type_vector(m->module, type, 3), 3, parts);
}

/* The size of an array whose layers are samples. */
static spv_id samples_size(struct images *m, struct spv_builder *b, spv_id type, const struct image_arg *arg,
                           spv_id image)
{
    spv_id all =
        spv_emitv(b, SpvOpImageQuerySizeLod, spv_type_vector(m->module, m->u32, 3), image, spv_const_u32(m->module, 0));
    spv_id parts[3];
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = spv_emitv(b, SpvOpCompositeExtract, m->u32, all, i);
    parts[2] = spv_emitv(b, SpvOpUDiv, m->u32, parts[2], num_samples(m, b, arg));
    return spv_emit(b, SpvOpCompositeConstruct, type, dimensions(arg), parts);
}

static spv_id load_descriptor(struct spv_builder *b, const struct image_arg *arg, uint32_t class)
{
    return spv_emitv(b, SpvOpLoad, arg->types[class], arg->variables[class]);
}

static spv_id spec(struct images *m)
{
    if (!m->spec) {
        m->spec = spv_const_inst(m->module, SpvOpSpecConstant, m->u32, 1, (const uint32_t[]){0});
        spv_decorate(m->module, m->spec, SpvDecorationSpecId, 1, (const uint32_t[]){CLC_SPEC_IMAGES});
    }
    return m->spec;
}

/* Where a read is: ids, 0 for what the image does not have. */
struct place {
    spv_id image, coordinate, level, sample;
    spv_id inside; /* a bool; 0: nothing is compared, and it counts as inside */
};

/* How many texels the image has along each coordinate, and layers. */
static spv_id size_at(struct images *m, struct spv_builder *b, const struct image_arg *arg, const struct place *place)
{
    spv_id type = spv_type_vector(m->module, m->u32, dimensions(arg));
    if (has_samples(arg))
        return samples_size(m, b, type, arg, place->image);
    if (!place->level)
        return spv_emitv(b, SpvOpImageQuerySize, type, place->image);
    return spv_emitv(b, SpvOpImageQuerySizeLod, type, place->image, place->level);
}

/* Where the read would be outside, it is of the first texel. */
static void keep_inside(struct images *m, struct spv_builder *b, const struct image_arg *arg, struct place *place)
{
    uint64_t level;
    if (place->level && (!spv_const_value(m->module, place->level, &level) || level)) {
        spv_id levels = spv_emitv(b, SpvOpImageQueryLevels, m->u32, place->image);
        place->inside = lower_is_inside(b, place->level, levels);
        place->level = lower_or_zeros(b, place->inside, place->level);
    }
    if (place->sample) {
        spv_id sample = lower_in_32_bits(b, place->sample);
        place->inside = lower_is_inside(b, sample, num_samples(m, b, arg));
        place->sample = lower_or_zeros(b, place->inside, sample);
    }
    place->coordinate = lower_in_32_bits(b, place->coordinate);
    spv_id near = lower_is_inside(b, place->coordinate, size_at(m, b, arg, place));
    place->inside = lower_both(b, place->inside, near);
    place->coordinate = lower_or_zeros(b, place->inside, place->coordinate);
}

static struct place place_of_read(struct images *m, struct spv_builder *b, const struct spv_inst *inst,
                                  const struct image_arg *arg, enum clc_binding_class class)
{
    struct place place = {.image = load_descriptor(b, arg, class)};
    place.coordinate = fit_coordinate(m, b, arg, inst->words[1]);
    if (has_samples(arg))
        place.sample = sample_of(m, inst);
    if (!is_storage(arg) && !is_buffer(arg))
        place.level = has_level(inst, 2) ? inst->words[3] : spv_const_u32(m->module, 0);
    if (lower_keeps_bounds(m->lower))
        keep_inside(m, b, arg, &place);
    if (has_samples(arg))
        place.coordinate = sample_coordinate(m, b, arg, place.coordinate, place.sample);
    return place;
}

static spv_id lower_read(struct images *m, struct spv_builder *b, const struct spv_inst *inst, struct image_arg *arg)
{
    struct spv_module *module = m->module;
    const struct clc_target *target = m->lower->target;
    enum clc_binding_class class = class_of(m, inst->type);
    bool storage = is_storage(arg), integers = class == CLC_BINDING_INTEGER;
    spv_id type = spv_type_vector(module, integers ? m->u32 : m->f32, 4);
    const struct place place = place_of_read(m, b, inst, arg, class);
    const uint32_t words[] = {place.image, place.coordinate, SpvImageOperandsLodMask, place.level};
    uint32_t operands = inst->num_words > 2 ? inst->words[2] : 0;
    bool zero_extend = operands & SpvImageOperandsZeroExtendMask;
    spv_id texel = spv_emit(b, storage ? SpvOpImageRead : SpvOpImageFetch, type, place.level ? 4 : 2, words);
    if (storage || is_buffer(arg)) {
        texel = load_order(m, b, arg, texel);
    } else if (!integers) {
        spv_id decodes = spec(m), channel_type = field(m, b, arg, WORD_TYPE, 5), order = field(m, b, arg, 0, 5);
        texel = lower_decode_texel(b, target, texel, order, channel_type, decodes);
    }
    if (integers)
        texel = drop_low_bits(m, b, arg, texel);
    if (integers && !zero_extend)
        texel = extend_sign(m, b, arg, texel);
    if (place.inside)
        texel = lower_or_zeros(b, place.inside, texel);
    if (spv_type_count(module, inst->type) == 1)
        texel = spv_emitv(b, SpvOpCompositeExtract, spv_type_component(module, type), texel, 0);
    return spv_value_type(module, texel) == inst->type ? texel : spv_emitv(b, SpvOpFConvert, inst->type, texel);
}

/* %t = FilteredRead %v4float %image %floats %filter
 *     ->  %s = OpSampledImage %image %sampler
 *         %t = OpImageSampleExplicitLod %v4float %s %floats Lod %0.0 */
static spv_id lower_filtered(struct images *m, struct spv_builder *b, const struct spv_inst *inst,
                             struct image_arg *arg)
{
    struct spv_module *module = m->module;
    spv_id type = spv_type_vector(module, m->f32, 4), image_type = arg->types[CLC_BINDING_FLOAT];
    uint64_t filter = 0;
    spv_const_value(module, operands_of(inst)[2], &filter);
    spv_id coordinate = fit_coordinate(m, b, arg, operands_of(inst)[1]);
    spv_id image = load_descriptor(b, arg, CLC_BINDING_FLOAT);
    spv_id sampler = spv_emitv(b, SpvOpLoad, m->sampler_type, m->samplers[filter]);
    spv_id sampled =
        spv_emitv(b, SpvOpSampledImage, spv_type(module, SpvOpTypeSampledImage, 1, &image_type), image, sampler);
    spv_id texel = spv_emitv(b, SpvOpImageSampleExplicitLod, type, sampled, coordinate, SpvImageOperandsLodMask,
                             spv_const_bits(module, m->f32, 0));
    if (spv_type_count(module, inst->type) == 1)
        texel = spv_emitv(b, SpvOpCompositeExtract, m->f32, texel, 0);
    return texel;
}

static spv_id lower_asks_filters(struct images *m, struct spv_builder *b)
{
    spv_id bit = spv_const_u32(m->module, CLC_IMAGES_FILTER);
    return spv_emitv(b, SpvOpBitwiseAnd, m->u32, spec(m), bit);
}

/* ---- writing ---- */

/* Saturates a texel as convert_char_sat and its kin do, as bits of the texel's width. */
static spv_id saturate(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id texel)
{
    struct spv_module *module = m->module;
    struct integers integers = integers_of(m, b, arg);
    spv_id shift = low_bits(m, b, arg);
    spv_id type = spv_value_type(module, texel), glsl = spv_import_ext_inst(module, "GLSL.std.450");
    spv_id mask = spv_emitv(b, SpvOpShiftRightLogical, m->u32, spv_const_u32(module, ~0u),
                            spv_emitv(b, SpvOpIAdd, m->u32, integers.missing, shift));
    spv_id high = spv_emitv(b, SpvOpShiftRightLogical, m->u32, mask, spv_const_u32(module, 1));
    spv_id low = splat(m, b, spv_emitv(b, SpvOpNot, m->u32, high));
    high = splat(m, b, high);
    mask = splat(m, b, mask);
    spv_id as_signed = spv_emit_ext(b, type, glsl, GLSLstd450SClamp, 3, (const spv_id[]){texel, low, high});
    as_signed = spv_emitv(b, SpvOpBitwiseAnd, type, as_signed, mask);
    spv_id as_unsigned = spv_emit_ext(b, type, glsl, GLSLstd450UMin, 2, (const spv_id[]){texel, mask});
    texel = spv_emitv(b, SpvOpSelect, type, splat(m, b, integers.is_signed), as_signed, as_unsigned);
    return spv_emitv(b, SpvOpShiftLeftLogical, type, texel, splat(m, b, shift));
}

static spv_id store_order(struct images *m, struct spv_builder *b, const struct image_arg *arg, spv_id colour)
{
    spv_id type = spv_value_type(m->module, colour), component = spv_type_component(m->module, type), parts[4];
    for (uint32_t c = 0; c < 4; c++)
        parts[c] = spv_emitv(b, SpvOpVectorExtractDynamic, component, colour, field(m, b, arg, WORD_STORE + 2 * c, 2));
    return spv_emit(b, SpvOpCompositeConstruct, type, 4, parts);
}

static spv_id writer_of(struct images *m, spv_id variable, spv_id image_type, spv_id coordinate_type, spv_id texel_type)
{
    vec_foreach (struct texel_writer, writer, &m->writers) {
        if (writer->variable == variable)
            return writer->function;
    }
    struct texel_writer writer = {variable,
                                  lower_texel_writer(m->lower, variable, image_type, coordinate_type, texel_type)};
    vec_push(m->lower->arena, &m->writers, writer);
    return writer.function;
}

static void write_inside(struct images *m, struct spv_builder *b, spv_id variable, spv_id image_type, spv_id coordinate,
                         spv_id texel)
{
    coordinate = lower_in_32_bits(b, coordinate);
    spv_id writer =
        writer_of(m, variable, image_type, spv_value_type(m->module, coordinate), spv_value_type(m->module, texel));
    spv_emitv(b, SpvOpFunctionCall, spv_type_void(m->module), writer, coordinate, texel);
}

static void lower_write(struct images *m, struct spv_builder *b, const struct spv_inst *inst, struct image_arg *arg)
{
    struct spv_module *module = m->module;
    spv_id texel = inst->words[2], given = spv_value_type(module, texel);
    enum clc_binding_class class = class_of(m, given);
    spv_id component = class == CLC_BINDING_INTEGER ? m->u32 : m->f32;
    uint32_t count = spv_type_count(module, given);
    if (spv_type_component(module, given) != component)
        texel = spv_emitv(b, class == CLC_BINDING_INTEGER ? SpvOpSConvert : SpvOpFConvert,
                          spv_type_vector(module, component, count), texel);
    spv_id type = spv_type_vector(module, component, 4), zero = spv_const_bits(module, component, 0);
    if (count == 1)
        texel = spv_emitv(b, SpvOpCompositeConstruct, type, texel, zero, zero, zero);
    if (class == CLC_BINDING_INTEGER)
        texel = saturate(m, b, arg, texel);
    else if (m->lower->target->rounds_writes)
        texel = lower_round_texel(b, texel, field(m, b, arg, WORD_TYPE, 5));
    texel = store_order(m, b, arg, texel);
    spv_id coordinate = fit_coordinate(m, b, arg, inst->words[1]);
    uint64_t level = 0;
    if (has_level(inst, 3))
        spv_const_value(module, inst->words[4], &level);
    if (level >= CLC_MAX_LEVELS)
        return;
    spv_id variable = level ? arg->level_variables[class][level] : arg->variables[class];
    if (lower_keeps_bounds(m->lower))
        write_inside(m, b, variable, arg->types[class], coordinate, texel);
    else
        spv_emitv_void(b, SpvOpImageWrite, spv_emitv(b, SpvOpLoad, arg->types[class], variable), coordinate, texel);
}

/* ---- queries ---- */

/* The type of the query's result with 32-bit components. llvm-spirv asks for size_t where OpenCL's function returns it.
 */
static spv_id size_type(struct images *m, const struct spv_inst *inst)
{
    return spv_type_vector(m->module, m->u32, spv_type_count(m->module, inst->type));
}

static spv_id query(struct images *m, struct spv_builder *b, const struct spv_inst *inst, struct image_arg *arg,
                    uint32_t class)
{
    if (inst->op == SpvOpImageQueryLevels && arg->counted)
        return spv_emitv(b, SpvOpImageQueryLevels, m->u32,
                         spv_emitv(b, SpvOpLoad, arg->count_types[class], arg->count_variables[class]));
    spv_id image = load_descriptor(b, arg, class);
    bool levels = !is_storage(arg) && !is_buffer(arg) && !has_samples(arg);
    if (inst->op == SpvOpImageQueryLevels)
        return levels ? spv_emitv(b, SpvOpImageQueryLevels, m->u32, image) : spv_const_u32(m->module, 1);
    if (inst->op == SpvOpImageQuerySamples)
        return has_samples(arg) ? num_samples(m, b, arg) : spv_const_u32(m->module, 1);
    if (has_samples(arg))
        return samples_size(m, b, size_type(m, inst), arg, image);
    if (!levels)
        return spv_emitv(b, SpvOpImageQuerySize, size_type(m, inst), image);
    spv_id level = inst->op == SpvOpImageQuerySizeLod ? inst->words[1] : spv_const_u32(m->module, 0);
    return spv_emitv(b, SpvOpImageQuerySizeLod, size_type(m, inst), image, level);
}

/* Queries the size. Where an image has two descriptors, the one that fits the image answers. */
static spv_id lower_size(struct images *m, struct spv_builder *b, const struct spv_inst *inst, struct image_arg *arg)
{
    bool counts = inst->op == SpvOpImageQueryLevels && arg->counted;
    if (!counts && (!arg->used[CLC_BINDING_FLOAT] || !arg->used[CLC_BINDING_INTEGER]))
        return query(m, b, inst, arg, arg->used[CLC_BINDING_FLOAT] ? CLC_BINDING_FLOAT : CLC_BINDING_INTEGER);
    spv_id floats = query(m, b, inst, arg, CLC_BINDING_FLOAT), integers = query(m, b, inst, arg, CLC_BINDING_INTEGER);
    spv_id type = field(m, b, arg, WORD_TYPE, 5);
    spv_id is = spv_emitv(b, SpvOpLogicalOr, spv_type_bool(m->module), is_among(m, b, type, CL_SIGNED_INT8, 6),
                          is_among(m, b, type, CL_UNSIGNED_INT10X6, 3));
    is = spv_emitv(b, SpvOpLogicalOr, spv_type_bool(m->module), is, is_among(m, b, type, CL_UNSIGNED_INT_RAW10, 2));
    uint32_t count = spv_type_count(m->module, inst->type);
    if (count > 1) {
        const spv_id all[] = {is, is, is, is};
        is = spv_emit(b, SpvOpCompositeConstruct, spv_type_vector(m->module, spv_type_bool(m->module), count), count,
                      all);
    }
    return spv_emitv(b, SpvOpSelect, size_type(m, inst), is, integers, floats);
}

static bool check_query(struct images *m, const struct spv_inst *inst, const struct image_arg *arg)
{
    bool size = inst->op == SpvOpImageQuerySize || inst->op == SpvOpImageQuerySizeLod;
    if (spv_type_is_int(m->module, inst->type) && spv_type_width(m->module, inst->type) >= 32 &&
        spv_type_count(m->module, inst->type) == (size ? dimensions(arg) : 1))
        return true;
    return lower_fail(m->lower, "kernel '%s': %s has a result of the wrong type", m->lower->kernel_name,
                      spv_op_name(inst->op));
}

/* ---- the walk ---- */

static void resolve(void *data, struct spv_inst *inst, uint32_t *word)
{
    (void)inst;
    *word = spv_replaced(&((struct images *)data)->replacements, *word);
}

static bool lower_inst(struct images *m, struct spv_inst *inst)
{
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    spv_visit_operand_ids(inst, resolve, m); /* a texel that is read and written again */
    struct image_arg *arg = lower_image_arg(m, operands_of(inst)[0]);
    spv_id value = 0;
    if (inst->op == SpvOpImageWrite) {
        lower_write(m, &b, inst, arg);
    } else if (is_filtered(inst)) {
        value = lower_filtered(m, &b, inst, arg);
    } else if (asks_filters(inst)) {
        value = lower_asks_filters(m, &b);
    } else if (inst->op == SpvOpImageRead) {
        value = lower_read(m, &b, inst, arg);
    } else if (!check_query(m, inst, arg)) {
        return false;
    } else if (inst->op == SpvOpImageQueryFormat) {
        value = field(m, &b, arg, WORD_TYPE, 5);
    } else if (inst->op == SpvOpImageQueryOrder) {
        value = order_of(m, &b, arg);
    } else {
        value = lower_size(m, &b, inst, arg);
    }
    if (value && spv_type_is_int(m->module, inst->type) && spv_type_width(m->module, inst->type) > 32)
        value = spv_emitv(&b, SpvOpUConvert, inst->type, value);
    if (value)
        spv_replace(m->module, &m->replacements, inst->id, value);
    spv_inst_remove(m->module, inst);
    return true;
}

/* Gives functions with image parameters the type that takes words. */
static void retype_functions(struct images *m)
{
    vec_foreach (struct image_param, param, &m->params)
        param->param->type = m->u32;
    spv_foreach_function (function, m->module) {
        if (function != m->lower->kernel && m->params.length)
            lower_update_function_type(m->module, function);
    }
}

static void retype_params(struct images *m)
{
    struct spv_function *kernel = m->lower->kernel;
    spv_id *types = arena_array(m->lower->arena, spv_id, kernel->params.length + 1u);
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        struct spv_inst *param = kernel->params.data[i];
        if (m->args[i].type)
            param->type = m->u32;
        types[i] = param->type;
    }
    kernel->def->words[1] = spv_type_function(m->module, spv_type_void(m->module), kernel->params.length, types);
}

bool lower_images(struct lower *lower)
{
    struct images m = {.lower = lower, .module = lower->module};
    lower->idle = !lower_find_images(&m);
    if (lower->idle && !lower->thorough)
        return !lower->error;
    m.u32 = spv_type_int(lower->module, 32);
    m.f32 = spv_type_float(lower->module, 32);
    lower_find_image_params(&m);
    if (!lower_survey_images(&m) || !lower_bind_images(&m))
        return false;
    vec_foreach (struct image_param, param, &m.params) {
        param->local = *param->arg;
        param->local.word = param->param->id;
    }
    m.complete = true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                /* An instruction that was lowered leaves one with the same opcode, but on another image; that one is
                 * not lowered again. */
                if (is_image_op(inst) && lower_image_arg(&m, operands_of(inst)[0]) && !lower_inst(&m, inst))
                    return false;
            }
        }
    }
    spv_apply_replacements(lower->module, &m.replacements, NULL);
    spv_finish_replacements(lower->module, &m.replacements);
    retype_params(&m);
    retype_functions(&m);
    return true;
}
