/* Emission of cl_pumice_small_floats (docs/small-floats.md). Conversions are calls of library bodies, lane by lane
 * (builtins/lib/small_float.cl):
 *
 *     uchar2 c = pumice_convert_to_e4m3_rtz(f);   =>   uint __pumice_e4m3_from_float(f.x, 127, 1), the same for f.y
 *
 * A vector of packed codes has them in the order of its bits, the first one lowest, without gaps. */
#include "compiler/front/emit/builtins.h"

#include "base/util.h"

#include <stdio.h>
#include <string.h>

enum { BFLOAT16 = 0, LANES_OF_BLOCK = 16, NO_SCALE = 127, SATURATES = 4 };

/* The handlers' aux is an index into it. Codes of blocks have so many bits, and the format's largest power of two is
 * 2^most. */
static const struct format {
    const char *name;
    uint32_t bits, most;
} formats[] = {{"bfloat16", 16, 0}, {"e5m2", 8, 15}, {"e4m3", 8, 8}, {"e3m2", 6, 4},
               {"e2m3", 6, 2},      {"e2m1", 4, 2},  {"e8m0", 8, 0}, {"mxint8", 8, 0}};

/* What the library calls `how`, from the function's name: it ends with _sat, a rounding, both or none. */
static uint32_t how_of(const struct builtin_call *call)
{
    static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    const char *name = call->expr->builtin.builtin->name, *end = name + strlen(name);
    uint32_t how = strstr(name, "_sat") ? SATURATES : 0;
    for (uint32_t mode = 0; mode < ARRAY_LENGTH(roundings); mode++) {
        if (!strcmp(end - 4, roundings[mode]))
            how |= mode;
    }
    return how;
}

static spv_id floats_of(struct emit *e, uint32_t lanes)
{
    return spv_type_vector(e->module, spv_type_float(e->module, 32), lanes);
}

static spv_id uints_of(struct emit *e, uint32_t lanes)
{
    return spv_type_vector(e->module, spv_type_int(e->module, 32), lanes);
}

static spv_id lane_of(struct emit *e, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(e->module, value);
    if (!spv_type_is_vector(e->module, type))
        return value;
    return spv_emitv(&e->b, SpvOpCompositeExtract, spv_type_component(e->module, type), value, lane);
}

static spv_id join(struct emit *e, spv_id type, const spv_id *lanes)
{
    uint32_t count = spv_type_count(e->module, type);
    return count == 1 ? lanes[0] : spv_emit(&e->b, SpvOpCompositeConstruct, type, count, lanes);
}

/* Halfs or floats as floats; doubles stay. */
static spv_id widened(struct emit *e, spv_id value)
{
    spv_id type = spv_value_type(e->module, value);
    if (spv_type_width(e->module, type) != 16)
        return value;
    return spv_emitv(&e->b, SpvOpFConvert, floats_of(e, spv_type_count(e->module, type)), value);
}

/* Floats as what the function returns: these or halfs. */
static spv_id narrowed(struct emit *e, const struct builtin_call *call, spv_id floats)
{
    return spv_value_type(e->module, floats) == call->type ? floats
                                                           : spv_emitv(&e->b, SpvOpFConvert, call->type, floats);
}

/* ---- one number ---- */

/* The code of a float; a uint, of bfloat16 a ushort. */
static spv_id code_of(struct emit *e, const struct format *format, spv_id value, spv_id scale, uint32_t how)
{
    char name[64];
    const spv_id constant = spv_const_u32(e->module, how);
    if (format == &formats[BFLOAT16])
        return spv_emit_import_call(&e->b, "__pumice_bfloat16_rounded", spv_type_int(e->module, 16), 2,
                                    (const spv_id[]){value, constant});
    snprintf(name, sizeof(name), "__pumice_%s_from_float", format->name);
    return spv_emit_import_call(&e->b, name, spv_type_int(e->module, 32), 3, (const spv_id[]){value, scale, constant});
}

static spv_id float_of(struct emit *e, const struct format *format, spv_id code, spv_id scale)
{
    char name[64];
    bool is_bfloat16 = format == &formats[BFLOAT16];
    snprintf(name, sizeof(name), "__pumice_float_from_%s", format->name);
    return spv_emit_import_call(&e->b, name, spv_type_float(e->module, 32), is_bfloat16 ? 1 : 2,
                                (const spv_id[]){code, scale});
}

spv_id emit_small_to_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct format *format = &formats[call->pattern->aux];
    uint32_t count = type_lanes(call->result);
    spv_id value = widened(e, call->ids[0]), lanes[16];
    spv_id code = spv_type_component(e->module, call->type), scale = spv_const_u32(e->module, NO_SCALE);
    for (uint32_t i = 0; i < count; i++) {
        spv_id lane = lane_of(e, value, i);
        if (spv_type_width(e->module, spv_value_type(e->module, lane)) == 64)
            lane = spv_emit_import_call(&e->b, "__pumice_odd_from_double", spv_type_float(e->module, 32), 1, &lane);
        lane = code_of(e, format, lane, scale, how_of(call));
        lanes[i] = format == &formats[BFLOAT16] ? lane : spv_emitv(&e->b, SpvOpUConvert, code, lane);
    }
    return join(e, call->type, lanes);
}

spv_id emit_small_from_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct format *format = &formats[call->pattern->aux];
    uint32_t count = type_lanes(call->result);
    spv_id codes = call->ids[0], lanes[16], scale = spv_const_u32(e->module, NO_SCALE);
    if (format != &formats[BFLOAT16])
        codes = spv_emitv(&e->b, SpvOpUConvert, uints_of(e, count), codes);
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = float_of(e, format, lane_of(e, codes, i), scale);
    return narrowed(e, call, join(e, floats_of(e, count), lanes));
}

/* ---- numbers of blocks ---- */

static spv_id shifted(struct emit *e, SpvOp op, spv_id word, uint32_t by)
{
    return by ? spv_emitv(&e->b, op, uints_of(e, 1), word, spv_const_u32(e->module, by)) : word;
}

/* Code `index` of words; a code of 6 bits may be in two of them. */
static spv_id take_code(struct emit *e, const spv_id *words, uint32_t bits, uint32_t index)
{
    spv_id uint = uints_of(e, 1);
    uint32_t first = index * bits, word = first / 32, at = first % 32;
    spv_id code = shifted(e, SpvOpShiftRightLogical, words[word], at);
    if (at + bits > 32)
        code =
            spv_emitv(&e->b, SpvOpBitwiseOr, uint, code, shifted(e, SpvOpShiftLeftLogical, words[word + 1], 32 - at));
    return spv_emitv(&e->b, SpvOpBitwiseAnd, uint, code, spv_const_u32(e->module, (1u << bits) - 1));
}

static void put_bits(struct emit *e, spv_id *word, spv_id bits)
{
    *word = *word ? spv_emitv(&e->b, SpvOpBitwiseOr, uints_of(e, 1), *word, bits) : bits;
}

static spv_id scale_of(struct emit *e, const struct builtin_call *call)
{
    return spv_emitv(&e->b, SpvOpUConvert, uints_of(e, 1), call->ids[1]);
}

spv_id emit_block_from_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct format *format = &formats[call->pattern->aux];
    spv_id words[4], lanes[LANES_OF_BLOCK], scale = scale_of(e, call);
    for (uint32_t i = 0; i < LANES_OF_BLOCK * format->bits / 32; i++)
        words[i] = lane_of(e, call->ids[0], i);
    for (uint32_t i = 0; i < LANES_OF_BLOCK; i++)
        lanes[i] = float_of(e, format, take_code(e, words, format->bits, i), scale);
    return narrowed(e, call, join(e, floats_of(e, LANES_OF_BLOCK), lanes));
}

spv_id emit_block_to_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct format *format = &formats[call->pattern->aux];
    spv_id value = widened(e, call->ids[0]), words[4] = {0}, scale = scale_of(e, call);
    for (uint32_t i = 0; i < LANES_OF_BLOCK; i++) {
        uint32_t first = i * format->bits, word = first / 32, at = first % 32;
        spv_id code = code_of(e, format, lane_of(e, value, i), scale, how_of(call) | SATURATES);
        put_bits(e, &words[word], shifted(e, SpvOpShiftLeftLogical, code, at));
        if (at + format->bits > 32)
            put_bits(e, &words[word + 1], shifted(e, SpvOpShiftRightLogical, code, 32 - at));
    }
    return join(e, call->type, words);
}

static spv_id magnitudes_of(struct emit *e, spv_id value)
{
    spv_id uints = uints_of(e, LANES_OF_BLOCK), bits = spv_emitv(&e->b, SpvOpBitcast, uints, widened(e, value));
    return spv_emitv(&e->b, SpvOpBitwiseAnd, uints, bits, spv_const_splat(e->module, uints, 0x7fffffff));
}

/* Of magnitudes, the larger one has the larger bits, and a NaN has larger ones than all. */
spv_id emit_block_scale_builtin(struct emit *e, const struct builtin_call *call)
{
    const spv_id both[] = {magnitudes_of(e, call->ids[0]), magnitudes_of(e, call->ids[1])};
    spv_id uint = uints_of(e, 1), largest = emit_ext(e, uints_of(e, LANES_OF_BLOCK), OpenCLstd_UMax, 2, both);
    spv_id lanes[LANES_OF_BLOCK];
    for (uint32_t i = 0; i < LANES_OF_BLOCK; i++)
        lanes[i] = lane_of(e, largest, i);
    for (uint32_t half = LANES_OF_BLOCK / 2; half; half /= 2) {
        for (uint32_t i = 0; i < half; i++)
            lanes[i] = emit_ext(e, uint, OpenCLstd_UMax, 2, (const spv_id[]){lanes[i], lanes[i + half]});
    }
    spv_id most = spv_const_u32(e->module, formats[call->pattern->aux].most);
    spv_id scale = spv_emit_import_call(&e->b, "__pumice_mx_scale", uint, 2, (const spv_id[]){lanes[0], most});
    return spv_emitv(&e->b, SpvOpUConvert, call->type, scale);
}

/* ---- dot products ---- */

/* The products are exact as floats. Their sum begins with the third argument, or with the first product. */
spv_id emit_bfloat16_dot_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct format *format = &formats[BFLOAT16];
    spv_id sum = call->num_args > 2 ? call->ids[2] : 0;
    for (uint32_t i = 0; i < type_lanes(builtin_plain(call->args[0]->type.type)); i++) {
        spv_id left = float_of(e, format, lane_of(e, call->ids[0], i), 0);
        spv_id right = float_of(e, format, lane_of(e, call->ids[1], i), 0);
        spv_id product = spv_emitv(&e->b, SpvOpFMul, call->type, left, right);
        sum = sum ? spv_emitv(&e->b, SpvOpFAdd, call->type, sum, product) : product;
    }
    return sum;
}

static spv_id bytes_dot(struct emit *e, uint32_t which, spv_id type, spv_id left, spv_id right)
{
    static const SpvOp ops[] = {SpvOpUDotKHR, SpvOpSDotKHR, SpvOpSUDotKHR, SpvOpSUDotKHR};
    bool swap = which == 2; /* OpSUDot: the signed vector first */
    return spv_emitv(&e->b, ops[which], type, swap ? right : left, swap ? left : right,
                     SpvPackedVectorFormatPackedVectorFormat4x8BitKHR);
}

/* The four even or odd nibbles as bytes: signed ones in the upper halves, so that the bytes are 16 times as large. */
static spv_id nibbles_of(struct emit *e, spv_id word, bool odd, bool is_signed)
{
    if (odd != is_signed)
        word = shifted(e, odd ? SpvOpShiftRightLogical : SpvOpShiftLeftLogical, word, 4);
    return spv_emitv(&e->b, SpvOpBitwiseAnd, uints_of(e, 1), word,
                     spv_const_u32(e->module, is_signed ? 0xf0f0f0f0 : 0x0f0f0f0f));
}

/* pumice_dot_8x4packed_*: two dot products of four bytes. aux: uu, ss, us, su. The sums are far from overflowing. */
spv_id emit_dot4_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t which = call->pattern->aux;
    bool signed_left = which & 1, signed_right = which == 1 || which == 2;
    spv_id sums[2];
    spv_add_extension(e->module, "SPV_KHR_integer_dot_product");
    emit_capability(e, SpvCapabilityDotProductKHR);
    emit_capability(e, SpvCapabilityDotProductInput4x8BitPackedKHR);
    for (uint32_t odd = 0; odd < 2; odd++) {
        spv_id left = nibbles_of(e, call->ids[0], odd, signed_left);
        spv_id right = nibbles_of(e, call->ids[1], odd, signed_right);
        sums[odd] = bytes_dot(e, which, call->type, left, right);
    }
    spv_id dot = spv_emitv(&e->b, SpvOpIAdd, call->type, sums[0], sums[1]);
    uint32_t excess = (signed_left ? 4 : 0) + (signed_right ? 4 : 0);
    dot = excess ? spv_emitv(&e->b, SpvOpShiftRightArithmetic, call->type, dot, spv_const_u32(e->module, excess)) : dot;
    if (call->num_args < 3)
        return dot;
    return emit_ext(e, call->type, which ? OpenCLstd_SAdd_sat : OpenCLstd_UAdd_sat, 2,
                    (const spv_id[]){dot, call->ids[2]});
}
