/* Colours between a kernel and a texel, for formats that Vulkan has nothing like, and for devices that the probe
 * (src/probe/probe_images.c) has not seen convert a format exactly.
 *
 * Vulkan has no normalised numbers in the high bits of 16 that kernels may write and whose low bits are the
 * application's (CL_UNORM_INT10X6_EXT and its kin). Some GPUs sample packed words of 16 bits, or sRGB, through numbers
 * of eight bits. There the kernel gets the raw numbers and decodes them. Which images it will have is not known here,
 * so that every read of floats would pay. So what is decoded is selected by a specialisation constant: a pipeline for
 * launches without such images has nothing of it.
 *
 *     %t = OpImageFetch ...  ->  %d = ...arithmetic on %t
 *                                %r = OpSelect %is_packed_and_decoded %d %t */
#include "compiler/lower/memory/texels.h"

#include "base/util.h"

#include <spirv/unified1/GLSL.std.450.h>

/* Counted from CL_SNORM_INT8 and from CL_R. */
enum { SNORM_INT8, SNORM_INT16, UNORM_INT8, UNORM_INT16, SHORT_565, SHORT_555, INT_101010 };
enum { INT_101010_2 = 16, INT10X6 = 17, INT_2_101010 = 21, INT12X4 = 25, INT14X2 = 26 };
enum { FIRST_SRGB = 15, NUM_SRGB = 4 };

struct texel {
    struct spv_builder *b;
    struct spv_module *module;
    spv_id u32, f32, vector, boolean, glsl;
};

static struct texel begin(struct spv_builder *b)
{
    struct spv_module *module = b->module;
    spv_id f32 = spv_type_float(module, 32);
    return (struct texel){.b = b,
                          .module = module,
                          .u32 = spv_type_int(module, 32),
                          .f32 = f32,
                          .vector = spv_type_vector(module, f32, 4),
                          .boolean = spv_type_bool(module),
                          .glsl = spv_import_ext_inst(module, "GLSL.std.450")};
}

static spv_id number(const struct texel *t, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return spv_const_bits(t->module, t->f32, bits);
}

static spv_id four(const struct texel *t, spv_id value)
{
    return spv_emitv(t->b, SpvOpCompositeConstruct, t->vector, value, value, value, value);
}

static spv_id is_type(const struct texel *t, spv_id type, uint32_t which)
{
    return spv_emitv(t->b, SpvOpIEqual, t->boolean, type, spv_const_u32(t->module, which));
}

static spv_id choose(const struct texel *t, spv_id type, spv_id condition, spv_id yes, spv_id no)
{
    if (type == t->vector) {
        const spv_id all[] = {condition, condition, condition, condition};
        condition = spv_emit(t->b, SpvOpCompositeConstruct, spv_type_vector(t->module, t->boolean, 4), 4, all);
    }
    return spv_emitv(t->b, SpvOpSelect, type, condition, yes, no);
}

static spv_id all_of(const struct texel *t, spv_id a, spv_id b)
{
    return spv_emitv(t->b, SpvOpLogicalAnd, t->boolean, a, b);
}

static spv_id is_decoded(const struct texel *t, spv_id decodes, uint32_t bit)
{
    spv_id masked = spv_emitv(t->b, SpvOpBitwiseAnd, t->u32, decodes, spv_const_u32(t->module, bit));
    return spv_emitv(t->b, SpvOpINotEqual, t->boolean, masked, spv_const_u32(t->module, 0));
}

/* ---- packed words ---- */

/* n / most: n times the reciprocal is within 1.25 ulp, and 1 for most. */
static spv_id part(const struct texel *t, spv_id word, spv_id shift, spv_id mask, spv_id reciprocal)
{
    spv_id bits = spv_emitv(t->b, SpvOpShiftRightLogical, t->u32, word, shift);
    bits = spv_emitv(t->b, SpvOpBitwiseAnd, t->u32, bits, mask);
    return spv_emitv(t->b, SpvOpFMul, t->f32, spv_emitv(t->b, SpvOpConvertUToF, t->f32, bits), reciprocal);
}

static spv_id decode_word(const struct texel *t, spv_id texel, spv_id is_565)
{
    spv_id red = spv_emitv(t->b, SpvOpCompositeExtract, t->f32, texel, 0);
    red = spv_emitv(t->b, SpvOpFMul, t->f32, red, number(t, 65535.0f));
    spv_id rounded = spv_emit_ext(t->b, t->f32, t->glsl, GLSLstd450RoundEven, 1, &red);
    spv_id word = spv_emitv(t->b, SpvOpConvertFToU, t->u32, rounded);
    spv_id five = spv_const_u32(t->module, 5), most5 = spv_const_u32(t->module, 31), by5 = number(t, 1.0f / 31.0f);
    spv_id eleven = spv_const_u32(t->module, 11), ten = spv_const_u32(t->module, 10);
    spv_id high = choose(t, t->u32, is_565, eleven, ten);
    spv_id most = choose(t, t->u32, is_565, spv_const_u32(t->module, 63), most5);
    spv_id by = choose(t, t->f32, is_565, number(t, 1.0f / 63.0f), by5);
    spv_id r = part(t, word, high, most5, by5), g = part(t, word, five, most, by),
           b = part(t, word, spv_const_u32(t->module, 0), most5, by5);
    return spv_emitv(t->b, SpvOpCompositeConstruct, t->vector, r, g, b, number(t, 1.0f));
}

/* ---- sRGB ---- */

/* OpenCL C 3.0, 8.3.5: within half a step of the byte that it came from; 1 for 1. */
static spv_id linear(const struct texel *t, spv_id c)
{
    spv_id low = spv_emitv(t->b, SpvOpFMul, t->f32, c, number(t, 1.0f / 12.92f));
    spv_id base = spv_emitv(t->b, SpvOpFAdd, t->f32, c, number(t, 0.055f));
    base = spv_emitv(t->b, SpvOpFMul, t->f32, base, number(t, 1.0f / 1.055f));
    spv_id log = spv_emit_ext(t->b, t->f32, t->glsl, GLSLstd450Log2, 1, &base);
    log = spv_emitv(t->b, SpvOpFMul, t->f32, log, number(t, 2.4f));
    spv_id high = spv_emit_ext(t->b, t->f32, t->glsl, GLSLstd450Exp2, 1, &log);
    spv_id is_low = spv_emitv(t->b, SpvOpFOrdLessThanEqual, t->boolean, c, number(t, 0.04045f));
    spv_id is_one = spv_emitv(t->b, SpvOpFOrdGreaterThanEqual, t->boolean, c, number(t, 1.0f));
    spv_id value = choose(t, t->f32, is_low, low, high);
    return choose(t, t->f32, is_one, number(t, 1.0f), value);
}

static spv_id decode_srgb(const struct texel *t, spv_id texel)
{
    spv_id parts[4];
    for (uint32_t c = 0; c < 4; c++) {
        parts[c] = spv_emitv(t->b, SpvOpCompositeExtract, t->f32, texel, c);
        if (c < 3)
            parts[c] = linear(t, parts[c]);
    }
    return spv_emit(t->b, SpvOpCompositeConstruct, t->vector, 4, parts);
}

/* ---- numbers in the high bits of 16 ---- */

/* The number without its low bits is a whole number of floats' precision. Its quotient by the greatest one is within
 * 1.25 ulp, and 1 for the greatest (cl_ext_image_unsigned_10x6_12x4_14x2 asks 1.5, as for other normalised ones).
 * Components that a view adds are 0 or 1, and stay so. */
static spv_id decode_high(const struct texel *t, spv_id texel, spv_id is_10, spv_id is_12)
{
    spv_id words = spv_emitv(t->b, SpvOpFMul, t->vector, texel, four(t, number(t, 65535.0f)));
    words = spv_emit_ext(t->b, t->vector, t->glsl, GLSLstd450RoundEven, 1, &words);
    spv_id unit12 = number(t, 1.0f / 16.0f), unit14 = number(t, 1.0f / 4.0f);
    spv_id unit = choose(t, t->f32, is_12, unit12, unit14);
    unit = choose(t, t->f32, is_10, number(t, 1.0f / 64.0f), unit);
    spv_id by12 = number(t, 1.0f / 4095.0f), by14 = number(t, 1.0f / 16383.0f);
    spv_id by = choose(t, t->f32, is_12, by12, by14);
    by = choose(t, t->f32, is_10, number(t, 1.0f / 1023.0f), by);
    spv_id shifted = spv_emitv(t->b, SpvOpFMul, t->vector, words, four(t, unit));
    shifted = spv_emit_ext(t->b, t->vector, t->glsl, GLSLstd450Floor, 1, &shifted);
    return spv_emitv(t->b, SpvOpFMul, t->vector, shifted, four(t, by));
}

static spv_id choose_high(const struct texel *t, spv_id texel, spv_id type, spv_id decodes)
{
    spv_id is_10 = is_type(t, type, INT10X6), is_12 = is_type(t, type, INT12X4);
    spv_id is_high = spv_emitv(t->b, SpvOpLogicalOr, t->boolean, is_10, is_12);
    is_high = spv_emitv(t->b, SpvOpLogicalOr, t->boolean, is_high, is_type(t, type, INT14X2));
    is_high = all_of(t, is_high, is_decoded(t, decodes, CLC_IMAGES_HIGH));
    return choose(t, t->vector, is_high, decode_high(t, texel, is_10, is_12), texel);
}

spv_id lower_decode_texel(struct spv_builder *b, const struct clc_target *target, spv_id texel, spv_id order,
                          spv_id type, spv_id decodes)
{
    struct texel t = begin(b);
    texel = choose_high(&t, texel, type, decodes);
    if (!target->decodes_packed && !target->decodes_srgb)
        return texel;
    spv_id distance = spv_emitv(b, SpvOpISub, t.u32, order, spv_const_u32(t.module, FIRST_SRGB));
    spv_id is_srgb = spv_emitv(b, SpvOpULessThan, t.boolean, distance, spv_const_u32(t.module, NUM_SRGB));
    spv_id is_565 = is_type(&t, type, SHORT_565);
    spv_id is_packed = spv_emitv(b, SpvOpLogicalOr, t.boolean, is_565, is_type(&t, type, SHORT_555));
    spv_id word = decode_word(&t, texel, is_565), colour = decode_srgb(&t, texel);
    is_packed = all_of(&t, is_packed, is_decoded(&t, decodes, CLC_IMAGES_PACKED));
    is_srgb = all_of(&t, is_srgb, is_decoded(&t, decodes, CLC_IMAGES_SRGB));
    return choose(&t, t.vector, is_packed, word, choose(&t, t.vector, is_srgb, colour, texel));
}

/* ---- rounding ---- */

static spv_id clamp(const struct texel *t, spv_id value, spv_id low)
{
    spv_id args[2] = {value, low};
    args[0] = spv_emit_ext(t->b, t->vector, t->glsl, GLSLstd450NMax, 2, args);
    args[1] = four(t, number(t, 1.0f));
    return spv_emit_ext(t->b, t->vector, t->glsl, GLSLstd450NMin, 2, args);
}

spv_id lower_round_texel(struct spv_builder *b, spv_id colour, spv_id type)
{
    static const struct {
        uint32_t type;
        float most, alpha;
    } rows[] = {
        {SNORM_INT8, 127.0f, 127.0f},      {SNORM_INT16, 32767.0f, 32767.0f}, {UNORM_INT8, 255.0f, 255.0f},
        {UNORM_INT16, 65535.0f, 65535.0f}, {INT_101010, 1023.0f, 3.0f},       {INT_101010_2, 1023.0f, 3.0f},
        {INT_2_101010, 1023.0f, 3.0f},
    };
    struct texel t = begin(b);
    spv_id zero = number(&t, 0.0f), most = zero, alpha = zero, by = zero, alpha_by = zero;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        spv_id is = is_type(&t, type, rows[i].type);
        most = choose(&t, t.f32, is, number(&t, rows[i].most), most);
        alpha = choose(&t, t.f32, is, number(&t, rows[i].alpha), alpha);
        by = choose(&t, t.f32, is, number(&t, 1.0f / rows[i].most), by);
        alpha_by = choose(&t, t.f32, is, number(&t, 1.0f / rows[i].alpha), alpha_by);
    }
    spv_id is_signed = spv_emitv(b, SpvOpULessThan, t.boolean, type, spv_const_u32(t.module, UNORM_INT8));
    spv_id least = choose(&t, t.f32, is_signed, number(&t, -1.0f), zero);
    spv_id scale = spv_emitv(b, SpvOpCompositeConstruct, t.vector, most, most, most, alpha);
    spv_id back = spv_emitv(b, SpvOpCompositeConstruct, t.vector, by, by, by, alpha_by);
    spv_id scaled = spv_emitv(b, SpvOpFMul, t.vector, clamp(&t, colour, four(&t, least)), scale);
    spv_id rounded = spv_emit_ext(b, t.vector, t.glsl, GLSLstd450RoundEven, 1, &scaled);
    rounded = spv_emitv(b, SpvOpFMul, t.vector, rounded, back);
    spv_id is_number = spv_emitv(b, SpvOpFOrdGreaterThan, t.boolean, most, zero);
    return choose(&t, t.vector, is_number, rounded, colour);
}
