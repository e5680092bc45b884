/* Bit casts from and to narrow integers, which are held in 32 bits each: shifts pack them into words and take them out
 * again.
 *
 *     %w = OpBitcast %uint %v4uchar    ->    %w = lane 0 | lane 1 << 8 | lane 2 << 16 | lane 3 << 24, of lanes with
 *                                                 zeros above their 8 bits
 */
#include "compiler/lower/weak/widen.h"

enum { MAX_WORDS = 8 };

struct words { /* the bits of a value, 32 in each but the last */
    spv_id word[MAX_WORDS];
    uint32_t count;
};

static spv_id u32(const struct widen *w)
{
    return spv_type_int(w->module, 32);
}

static spv_id lane_of(struct widen *w, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(w->module, value);
    if (!spv_type_is_vector(w->module, type))
        return value;
    return spv_emitv(&w->b, SpvOpCompositeExtract, spv_type_component(w->module, type), value, lane);
}

static spv_id shift(struct widen *w, SpvOp op, spv_id value, uint32_t count)
{
    return count ? spv_emitv(&w->b, op, u32(w), value, spv_const_u32(w->module, count)) : value;
}

static spv_id gather(struct widen *w, spv_id component, uint32_t count, const spv_id *lanes)
{
    return count == 1
               ? lanes[0]
               : spv_emit(&w->b, SpvOpCompositeConstruct, spv_type_vector(w->module, component, count), count, lanes);
}

/* Puts a lane of so many bits, which are zero-extended, at its place among the words. */
static void put(struct widen *w, struct words *words, uint32_t lane, uint32_t width, spv_id value)
{
    uint32_t at = lane * width / 32;
    spv_id moved = shift(w, SpvOpShiftLeftLogical, value, lane * width % 32);
    if (at >= words->count) {
        words->word[at] = moved;
        words->count = at + 1;
    } else {
        words->word[at] = spv_emitv(&w->b, SpvOpBitwiseOr, u32(w), words->word[at], moved);
    }
}

/* A 16-bit float's bits, zero-extended. */
static spv_id half_bits(struct widen *w, spv_id half)
{
    spv_id type = spv_value_type(w->module, half);
    spv_id zero = spv_const_bits(w->module, type, 0), two = spv_type_vector(w->module, type, 2);
    return spv_emitv(&w->b, SpvOpBitcast, u32(w), spv_emitv(&w->b, SpvOpCompositeConstruct, two, half, zero));
}

static struct words words_of(struct widen *w, spv_id value)
{
    struct words words = {.count = 0};
    uint32_t width = widen_width(w, value);
    spv_id wide = widen_operand(w, value, WIDEN_ZEROS), type = spv_value_type(w->module, wide);
    if (!width)
        width = spv_type_width(w->module, type);
    for (uint32_t i = 0; i < spv_type_count(w->module, type) && (i + 1) * width <= MAX_WORDS * 32; i++) {
        spv_id lane = lane_of(w, wide, i);
        if (width == 64) {
            spv_id pair = spv_emitv(&w->b, SpvOpBitcast, spv_type_vector(w->module, u32(w), 2), lane);
            put(w, &words, i * 2, 32, lane_of(w, pair, 0));
            put(w, &words, i * 2 + 1, 32, lane_of(w, pair, 1));
            continue;
        }
        if (width == 16 && spv_type_is_float(w->module, type))
            lane = half_bits(w, lane);
        else if (spv_value_type(w->module, lane) != u32(w))
            lane = spv_emitv(&w->b, width == 32 ? SpvOpBitcast : SpvOpUConvert, u32(w), lane);
        put(w, &words, i, width, lane);
    }
    return words;
}

/* The lane of a number that is none of the narrow ones. */
static spv_id other_lane(struct widen *w, const struct words *words, uint32_t lane, spv_id type)
{
    uint32_t width = spv_type_width(w->module, type);
    if (width == 64) {
        spv_id two = spv_type_vector(w->module, u32(w), 2);
        spv_id pair = spv_emitv(&w->b, SpvOpCompositeConstruct, two, words->word[lane * 2], words->word[lane * 2 + 1]);
        return spv_emitv(&w->b, SpvOpBitcast, type, pair);
    }
    spv_id word = shift(w, SpvOpShiftRightLogical, words->word[lane * width / 32], lane * width % 32);
    if (width == 32)
        return type == u32(w) ? word : spv_emitv(&w->b, SpvOpBitcast, type, word);
    if (!spv_type_is_float(w->module, type)) /* one of 8 and 16 that the device has */
        return spv_emitv(&w->b, SpvOpUConvert, type, word);
    spv_id halves = spv_emitv(&w->b, SpvOpBitcast, spv_type_vector(w->module, type, 2), word);
    return spv_emitv(&w->b, SpvOpCompositeExtract, type, halves, 0);
}

void widen_bitcast(struct widen *w, struct spv_inst *inst, bool result)
{
    struct words words = words_of(w, inst->words[0]);
    spv_id lanes[16], component = spv_type_component(w->module, inst->type);
    uint32_t count = spv_type_count(w->module, inst->type), width = widen_width(w, inst->id);
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = result ? shift(w, SpvOpShiftRightLogical, words.word[i * width / 32], i * width % 32)
                          : other_lane(w, &words, i, component);
    widen_become(w, inst, gather(w, result ? u32(w) : component, count, lanes), WIDEN_ANY);
}
