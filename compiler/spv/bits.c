/* Casts and accesses to memory that go by bits, for the reader: what LLVM means by a bitcast from <4 x i1> to i4, from
 * <2 x i24> to <3 x i16>, or by a store of an i24, which writes three bytes. SPIR-V's types have no such sizes. A value
 * is cut into its parts, each in the low bits of an integer of 32 or 64, and other values are put together of these.
 * The first part has the lowest bits.
 *
 *     %r = OpBitcast %int4 %bool4      %0 = OpCompositeExtract %bool %bool4 0
 *                                ->    %1 = OpSelect %int32 %0 1 0
 *                                      %2 = OpCompositeExtract %bool %bool4 1 ...
 *                                      %9 = OpBitwiseOr %int32 %1 (OpShiftLeftLogical %int32 %3 1) ...
 *                                      %r = OpUConvert %int8 %9
 *
 * Of functions nothing is known but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

enum { MAX_LANES = 16, MAX_PARTS = 128 /* bytes of 16 lanes */ };

struct bits {
    struct spv_builder *b;
    spv_id word;    /* the type of the parts */
    uint32_t width; /* of each part, in bits */
    uint32_t count;
    spv_id parts[MAX_PARTS];
};

static struct bits bits_init(struct spv_builder *b, uint32_t width, uint32_t other)
{
    return (struct bits){.b = b, .word = spv_type_int(b->module, u64_max(width, other) > 32 ? 64 : 32), .width = width};
}

static spv_id word_of(const struct bits *bits, uint64_t value)
{
    return spv_const_bits(bits->b->module, bits->word, value);
}

/* An integer in another type of integers. */
static spv_id resize(struct spv_builder *b, spv_id value, spv_id type)
{
    spv_id from = spv_value_type(b->module, value);
    bool same = spv_type_width(b->module, from) == spv_type_width(b->module, type);
    return from == type ? value : spv_emitv(b, same ? SpvOpBitcast : SpvOpUConvert, type, value);
}

/* ---- cutting ---- */

static void add_part(struct bits *bits, spv_id value)
{
    struct spv_module *module = bits->b->module;
    spv_id type = spv_value_type(module, value);
    if (spv_type_is_bool(module, type)) {
        value = spv_emitv(bits->b, SpvOpSelect, bits->word, value, word_of(bits, 1), word_of(bits, 0));
    } else {
        if (spv_type_is_float(module, type))
            value = spv_emitv(bits->b, SpvOpBitcast, spv_type_int(module, spv_type_width(module, type)), value);
        value = resize(bits->b, value, bits->word);
    }
    bits->parts[bits->count++] = value;
}

/* Each lane is a part. The bits above are 0. */
static void add_lanes(struct bits *bits, spv_id value)
{
    struct spv_module *module = bits->b->module;
    spv_id type = spv_value_type(module, value), lane = spv_type_component(module, type);
    uint32_t count = spv_type_count(module, type);
    for (uint32_t i = 0; i < count; i++)
        add_part(bits, count == 1 ? value : spv_emitv(bits->b, SpvOpCompositeExtract, lane, value, i));
}

/* ---- putting together ---- */

/* The bits from `at` on, so many of them. */
static spv_id gather(const struct bits *bits, uint32_t at, uint32_t width)
{
    spv_id sum = 0;
    uint32_t end = at + width, reached = 0;
    for (uint32_t i = at / bits->width; i < bits->count && i * bits->width < end; i++) {
        uint32_t start = i * bits->width;
        spv_id part = bits->parts[i];
        if (start > at)
            part = spv_emitv(bits->b, SpvOpShiftLeftLogical, bits->word, part, word_of(bits, start - at));
        else if (start < at)
            part = spv_emitv(bits->b, SpvOpShiftRightLogical, bits->word, part, word_of(bits, at - start));
        sum = sum ? spv_emitv(bits->b, SpvOpBitwiseOr, bits->word, sum, part) : part;
        reached = start + bits->width;
    }
    if (reached <= end || width == 64)
        return sum;
    return spv_emitv(bits->b, SpvOpBitwiseAnd, bits->word, sum, word_of(bits, ((uint64_t)1 << width) - 1));
}

static spv_id lane_of(const struct bits *bits, uint32_t at, uint32_t width, spv_id type)
{
    struct spv_module *module = bits->b->module;
    spv_id value = gather(bits, at, width);
    if (spv_type_is_bool(module, type))
        return spv_emitv(bits->b, SpvOpINotEqual, type, value, word_of(bits, 0));
    if (spv_type_is_float(module, type))
        return spv_emitv(bits->b, SpvOpBitcast, type, resize(bits->b, value, spv_type_int(module, width)));
    return resize(bits->b, value, type);
}

/* A value of the type, whose lanes have so many bits each. */
static spv_id put_together(const struct bits *bits, spv_id type, uint32_t width)
{
    struct spv_module *module = bits->b->module;
    spv_id lanes[MAX_LANES], lane = spv_type_component(module, type);
    uint32_t count = spv_type_count(module, type);
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = lane_of(bits, i * width, width, lane);
    return count == 1 ? lanes[0] : spv_emit(bits->b, SpvOpCompositeConstruct, type, count, lanes);
}

/* ---- casts ---- */

/* The bits of a lane, of which `odd` says how many integers have (0: as many as their type); 0: no numbers. */
static uint32_t lane_width(const struct spv_module *module, spv_id type, uint32_t odd)
{
    if (!type || spv_type_count(module, type) > MAX_LANES)
        return 0;
    if (spv_type_is_bool(module, type))
        return 1;
    bool number = spv_type_is_int(module, type) || spv_type_is_float(module, type);
    return odd ? odd : number ? spv_type_width(module, type) : 0;
}

spv_id spv_emit_bit_cast(struct spv_builder *b, spv_id value, uint32_t odd, spv_id type, uint32_t to_odd)
{
    const struct spv_module *module = b->module;
    spv_id from = spv_value_type(module, value);
    uint32_t width = lane_width(module, from, odd), to_width = lane_width(module, type, to_odd);
    if (!width || !to_width || width * spv_type_count(module, from) != to_width * spv_type_count(module, type))
        return 0;
    struct bits bits = bits_init(b, width, to_width);
    add_lanes(&bits, value);
    return put_together(&bits, type, to_width);
}

/* ---- memory ---- */

struct access {
    spv_id pointer; /* to the first part */
    spv_id type;    /* of a part */
    uint32_t size, count;
    uint32_t mask; /* of memory operands */
};

/* How the access that has its memory operands from that word on becomes some of parts, as large as its alignment allows;
 * false: it is none by a pointer. */
static bool split_access(struct spv_builder *b, const struct spv_inst *inst, uint32_t operands, uint32_t bytes,
                         struct access *access)
{
    struct spv_module *module = b->module;
    spv_id pointer = inst->words[0], type = spv_value_type(module, pointer);
    if (!spv_type_is_pointer(module, type))
        return false;
    uint32_t mask = operands < inst->num_words ? inst->words[operands] : 0;
    uint32_t align = spv_access_alignment(inst, operands), size = 4;
    if (!align)
        align = spv_type_width(module, spv_def(module, type)->words[1]) / 8;
    while (size > 1 && (size > align || bytes % size))
        size /= 2;
    access->size = size;
    access->count = bytes / size;
    access->type = spv_type_int(module, 8 * size);
    access->mask = (mask & (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask)) | SpvMemoryAccessAlignedMask;
    spv_id to = spv_type_pointer(module, spv_pointer_storage(module, type), access->type);
    access->pointer = spv_emitv(b, SpvOpBitcast, to, pointer);
    if (size < 4)
        spv_add_capability(module, size == 1 ? SpvCapabilityInt8 : SpvCapabilityInt16);
    return true;
}

static spv_id part_pointer(struct spv_builder *b, const struct access *access, uint32_t part)
{
    return spv_emitv(b, SpvOpInBoundsPtrAccessChain, spv_value_type(b->module, access->pointer), access->pointer,
                     spv_const_u32(b->module, part));
}

uint32_t spv_access_alignment(const struct spv_inst *inst, uint32_t operands)
{
    bool given = operands + 1 < inst->num_words && (inst->words[operands] & SpvMemoryAccessAlignedMask);
    return given ? inst->words[operands + 1] : 0;
}

spv_id spv_emit_bit_load(struct spv_builder *b, const struct spv_inst *load, uint32_t width)
{
    struct access access;
    uint32_t lanes = spv_type_count(b->module, load->type);
    if (lanes > MAX_LANES || !split_access(b, load, 1, (lanes * width + 7) / 8, &access))
        return 0;
    struct bits bits = bits_init(b, 8 * access.size, width);
    for (uint32_t i = 0; i < access.count; i++)
        add_part(&bits, spv_emitv(b, SpvOpLoad, access.type, part_pointer(b, &access, i), access.mask, access.size));
    return put_together(&bits, load->type, width);
}

bool spv_emit_bit_store(struct spv_builder *b, const struct spv_inst *store, uint32_t width)
{
    struct access access;
    uint32_t lanes = spv_type_count(b->module, spv_value_type(b->module, store->words[1]));
    if (lanes > MAX_LANES || !split_access(b, store, 2, (lanes * width + 7) / 8, &access))
        return false;
    struct bits bits = bits_init(b, width, 8 * access.size);
    add_lanes(&bits, store->words[1]);
    for (uint32_t i = 0; i < access.count; i++) {
        spv_id part = lane_of(&bits, i * 8 * access.size, 8 * access.size, access.type);
        spv_emitv_void(b, SpvOpStore, part_pointer(b, &access, i), part, access.mask, access.size);
    }
    return true;
}
