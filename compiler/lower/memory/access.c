/* Loads and stores: from any type down to scalars that Vulkan can access.
 *
 * A vector is moved whole only in global memory, and only when it is as aligned as it is large: the H200 corrupts bytes
 * of a vector load at an odd address, while scalars are right anywhere. A scalar that is less aligned than its size is
 * moved in pieces, because PhysicalStorageBuffer's Aligned operand may not be smaller than the scalar
 * (VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314). Where the device has no narrow accesses, a byte or 16-bit word
 * is taken from the 32-bit word around it. Stores to it then are atomic, so that they never write back old values of
 * neighbouring bytes.
 *
 * A volatile load is an atomic one: work-groups that wait for one another read what others store, and NVIDIA's GPUs
 * find old values in a cache of each multiprocessor even for loads with Vulkan's Volatile. Larger ones than the device
 * has atomics for stay Volatile. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

spv_id mem_bitcast(struct spv_builder *b, spv_id value, spv_id type)
{
    return spv_value_type(b->module, value) == type ? value : spv_emitv(b, SpvOpBitcast, type, value);
}

static spv_id uint_type(struct memory *m, uint32_t size)
{
    return spv_type_int(m->module, size * 8);
}

static uint32_t align_at(uint32_t align, uint64_t offset)
{
    uint64_t bits = align | offset;
    return (uint32_t)(bits & -bits);
}

/* What an address is aligned to at every index, as far as steps tell that are no power of two, such as the sizes of
 * structures. A pointer to bytes of one, cast to a larger type, is not as aligned as that type claims: OpenCL C 3.0,
 * 6.2.5 leaves such an access undefined, most makers' GPUs do it, and NVIDIA's drops the low bits of the address. */
static uint32_t align_of_steps(const struct mem_ptr *ptr)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < ptr->num_terms; i++) {
        uint64_t scale = (uint64_t)ptr->terms[i].scale;
        if (ptr->terms[i].scale < 0)
            scale = -scale;
        if (!is_power_of_two(scale))
            steps |= scale;
    }
    return steps ? (uint32_t)u64_min(steps & -steps, 1u << 16) : UINT32_MAX;
}

/* The alignment that the access's operand states, unless the form of the address shows more, or less. */
static uint32_t access_align(struct memory *m, const struct mem_ptr *ptr, const struct lower_access *access)
{
    uint32_t known = mem_known_align(m, ptr), stated = access->align;
    if (ptr->space == MEM_GLOBAL && align_of_steps(ptr) < stated)
        stated = align_of_steps(ptr);
    return known > stated ? known : stated;
}

/* ---- global ---- */

spv_id mem_global_pointer(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type)
{
    spv_id pointer_type = spv_type_pointer(m->module, SpvStorageClassPhysicalStorageBuffer, type);
    spv_id pointer = spv_emitv(b, SpvOpConvertUToPtr, pointer_type, mem_number(m, b, ptr));
    spv_def(m->module, pointer)->hints.is_read_only = ptr->is_read_only;
    return pointer;
}

static bool narrow_access(const struct memory *m, uint32_t size)
{
    return (size == 1 && !m->target->storage8) || (size == 2 && !m->target->storage16);
}

static uint32_t access_mask(const struct lower_access *access)
{
    return SpvMemoryAccessAlignedMask | (access->is_volatile ? SpvMemoryAccessVolatileMask : 0);
}

/* The address of the word around a narrow scalar, and how many bits to shift that word. */
static spv_id containing_word(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id *shift)
{
    spv_id u32 = uint_type(m, 4), u64 = uint_type(m, 8);
    spv_id number = mem_number(m, b, ptr);
    spv_id low = spv_emitv(b, SpvOpUConvert, u32, number);
    spv_id byte = spv_emitv(b, SpvOpBitwiseAnd, u32, low, spv_const_u32(m->module, 3));
    *shift = spv_emitv(b, SpvOpShiftLeftLogical, u32, byte, spv_const_u32(m->module, 3));
    spv_id start = spv_emitv(b, SpvOpBitwiseAnd, u64, number, spv_const_u64(m->module, ~(uint64_t)3));
    spv_id pointer =
        spv_emitv(b, SpvOpConvertUToPtr, spv_type_pointer(m->module, SpvStorageClassPhysicalStorageBuffer, u32), start);
    spv_def(m->module, pointer)->hints.is_read_only = ptr->is_read_only;
    return pointer;
}

static spv_id load_atomically(struct memory *m, struct spv_builder *b, spv_id type, spv_id pointer)
{
    return spv_emitv(b, SpvOpAtomicLoad, type, pointer, spv_const_u32(m->module, SpvScopeDevice),
                     spv_const_u32(m->module, 0));
}

static spv_id load_narrow(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                          bool is_volatile)
{
    spv_id shift, u32 = uint_type(m, 4);
    spv_id pointer = containing_word(m, b, ptr, &shift);
    spv_id word = is_volatile ? load_atomically(m, b, u32, pointer)
                              : spv_emitv(b, SpvOpLoad, u32, pointer, SpvMemoryAccessAlignedMask, 4);
    word = spv_emitv(b, SpvOpShiftRightLogical, u32, word, shift);
    return spv_emitv(b, SpvOpUConvert, uint_type(m, size), word);
}

static void store_narrow(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                         spv_id value)
{
    spv_id shift, u32 = uint_type(m, 4);
    spv_id pointer = containing_word(m, b, ptr, &shift);
    spv_id scope = spv_const_u32(m->module, SpvScopeDevice), relaxed = spv_const_u32(m->module, 0);
    spv_id ones = spv_const_u32(m->module, size == 1 ? 0xff : 0xffff);
    spv_id mask = spv_emitv(b, SpvOpNot, u32, spv_emitv(b, SpvOpShiftLeftLogical, u32, ones, shift));
    spv_id wide = spv_emitv(b, SpvOpUConvert, u32, value);
    wide = spv_emitv(b, SpvOpShiftLeftLogical, u32, wide, shift);
    spv_emitv(b, SpvOpAtomicAnd, u32, pointer, scope, relaxed, mask);
    spv_emitv(b, SpvOpAtomicOr, u32, pointer, scope, relaxed, wide);
}

/* A load from constant memory at a known place is a constant. */
static spv_id fold_constant(struct memory *m, const struct mem_ptr *ptr, spv_id type, uint32_t size)
{
    uint64_t bits;
    if (!ptr->data || ptr->data != m->lower->constants || ptr->num_terms || ptr->offset < 0 ||
        !lower_data_bytes(ptr->data, (uint64_t)ptr->offset, size, &bits))
        return 0;
    return spv_const_bits(m->module, type, bits);
}

static spv_id global_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                          uint32_t size, const struct lower_access *access)
{
    spv_id constant = fold_constant(m, ptr, type, size);
    if (constant)
        return constant;
    if (narrow_access(m, size) || (access->is_volatile && size < 4))
        return mem_bitcast(b, load_narrow(m, b, ptr, size, access->is_volatile), type);
    if (access->is_volatile && (size == 4 || m->target->buffer_int64_atomics)) {
        spv_id bits = uint_type(m, size);
        return mem_bitcast(b, load_atomically(m, b, bits, mem_global_pointer(m, b, ptr, bits)), type);
    }
    return spv_emitv(b, SpvOpLoad, type, mem_global_pointer(m, b, ptr, type), access_mask(access), access->align);
}

static void global_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type, spv_id value,
                         uint32_t size, const struct lower_access *access)
{
    if (narrow_access(m, size)) {
        store_narrow(m, b, ptr, size, mem_bitcast(b, value, uint_type(m, size)));
        return;
    }
    spv_emitv_void(b, SpvOpStore, mem_global_pointer(m, b, ptr, type), value, access_mask(access), access->align);
}

/* ---- scalars in any space ---- */

static spv_id scalar_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                          const struct lower_access *access)
{
    uint32_t size = (uint32_t)spv_layout_of(&m->layouts, type)->size;
    struct lower_access exact = {.align = access_align(m, ptr, access), .is_volatile = access->is_volatile};
    if (exact.align < size) {
        spv_id bits = mem_load_bits(m, b, ptr, size, &exact);
        return mem_bitcast(b, bits, type);
    }
    switch (ptr->space) {
    case MEM_GLOBAL:
        return global_load(m, b, ptr, type, size, &exact);
    case MEM_GENERIC:
        return mem_bitcast(b, mem_generic_load(m, b, ptr, size, &exact), type);
    default: {
        struct mem_region *region = mem_region_of(m, ptr);
        if (region && region->scratch) {
            struct mem_ptr scratch = mem_scratch_ptr(m, b, ptr);
            exact.is_volatile = false; /* nobody else sees private memory */
            exact.align = exact.align > MEM_SCRATCH_ALIGN ? MEM_SCRATCH_ALIGN : exact.align;
            return global_load(m, b, &scratch, type, size, &exact);
        }
        return mem_region_load(m, b, ptr, size, type, exact.is_volatile);
    }
    }
}

static void scalar_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type, spv_id value,
                         const struct lower_access *access)
{
    uint32_t size = (uint32_t)spv_layout_of(&m->layouts, type)->size;
    struct lower_access exact = {.align = access_align(m, ptr, access), .is_volatile = access->is_volatile};
    if (exact.align < size) {
        mem_store_bits(m, b, ptr, size, mem_bitcast(b, value, uint_type(m, size)), &exact);
        return;
    }
    switch (ptr->space) {
    case MEM_GLOBAL:
        global_store(m, b, ptr, type, value, size, &exact);
        return;
    case MEM_GENERIC:
        mem_generic_store(m, b, ptr, size, mem_bitcast(b, value, uint_type(m, size)), &exact);
        return;
    default: {
        struct mem_region *region = mem_region_of(m, ptr);
        if (region && region->scratch) {
            struct mem_ptr scratch = mem_scratch_ptr(m, b, ptr);
            exact.align = exact.align > MEM_SCRATCH_ALIGN ? MEM_SCRATCH_ALIGN : exact.align;
            global_store(m, b, &scratch, type, value, size, &exact);
            return;
        }
        mem_region_store(m, b, ptr, size, value, exact.is_volatile);
    }
    }
}

spv_id mem_load_bits(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                     const struct lower_access *access)
{
    spv_id type = uint_type(m, size), sum = 0;
    uint32_t align = access_align(m, ptr, access);
    if (align >= size)
        return scalar_load(m, b, ptr, type, access);
    align = align ? align : 1;
    struct lower_access piece_access = {.align = align, .is_volatile = access->is_volatile};
    for (uint32_t at = 0; at < size; at += align) {
        struct mem_ptr part = mem_ptr_at(ptr, at);
        spv_id piece = scalar_load(m, b, &part, uint_type(m, align), &piece_access);
        piece = spv_emitv(b, SpvOpUConvert, type, piece);
        if (at)
            piece = spv_emitv(b, SpvOpShiftLeftLogical, type, piece, spv_const_u32(m->module, at * 8));
        sum = sum ? spv_emitv(b, SpvOpBitwiseOr, type, sum, piece) : piece;
    }
    return sum;
}

void mem_store_bits(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                    const struct lower_access *access)
{
    spv_id type = uint_type(m, size);
    uint32_t align = access_align(m, ptr, access);
    if (align >= size) {
        scalar_store(m, b, ptr, type, value, access);
        return;
    }
    align = align ? align : 1;
    struct lower_access piece_access = {.align = align, .is_volatile = access->is_volatile};
    for (uint32_t at = 0; at < size; at += align) {
        struct mem_ptr part = mem_ptr_at(ptr, at);
        spv_id piece = value;
        if (at)
            piece = spv_emitv(b, SpvOpShiftRightLogical, type, value, spv_const_u32(m->module, at * 8));
        piece = spv_emitv(b, SpvOpUConvert, uint_type(m, align), piece);
        scalar_store(m, b, &part, uint_type(m, align), piece, &piece_access);
    }
}

/* ---- vectors and pointers ---- */

/* How many components one access can move: 1, 2, 3 or 4. */
static uint32_t vector_step(struct memory *m, const struct mem_ptr *ptr, uint32_t count, uint32_t size, uint32_t align)
{
    if (ptr->space != MEM_GLOBAL)
        return mem_region_step(m, ptr, count, size, align);
    if (narrow_access(m, size))
        return 1;
    if (ptr->data == m->lower->constants && ptr->data && !ptr->num_terms)
        return 1;                       /* folds to constants */
    if (size == 8 && !m->target->int64) /* a pair of words each */
        return align >= 2 * size && count % 2 == 0 ? 2 : 1;
    if (count == 3)
        return align >= 4 * size ? 3 : 1;
    if (count >= 4 && align >= 4 * size)
        return 4;
    return align >= 2 * size ? 2 : 1;
}

/* The type in which a vector of two or four that is as aligned as it is large is moved. Bytes and 16-bit words are
 * moved as the 32-bit words that they fill, since drivers would move them one by one. */
static spv_id moved_type(struct memory *m, spv_id type)
{
    uint32_t count = spv_type_count(m->module, type), width = spv_type_width(m->module, type);
    uint32_t size = count * width / 8;
    if (width >= 32 || size % 4)
        return type;
    return spv_type_vector(m->module, uint_type(m, 4), size / 4);
}

static spv_id load_part(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                        const struct lower_access *access)
{
    spv_id moved = access->align % 4 ? type : moved_type(m, type);
    if (ptr->space != MEM_GLOBAL && moved != type)
        return mem_bitcast(b, scalar_load(m, b, ptr, moved, access), type);
    if (ptr->space != MEM_GLOBAL)
        return mem_region_load_vector(m, b, ptr, type, access->is_volatile);
    spv_id value =
        spv_emitv(b, SpvOpLoad, moved, mem_global_pointer(m, b, ptr, moved), access_mask(access), access->align);
    return mem_bitcast(b, value, type);
}

static void store_part(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id value,
                       const struct lower_access *access)
{
    spv_id type = spv_value_type(m->module, value), moved = access->align % 4 ? type : moved_type(m, type);
    if (ptr->space != MEM_GLOBAL && moved != type) {
        scalar_store(m, b, ptr, moved, mem_bitcast(b, value, moved), access);
        return;
    }
    if (ptr->space != MEM_GLOBAL) {
        mem_region_store_vector(m, b, ptr, value, access->is_volatile);
        return;
    }
    value = mem_bitcast(b, value, moved);
    spv_emitv_void(b, SpvOpStore, mem_global_pointer(m, b, ptr, moved), value, access_mask(access), access->align);
}

static spv_id vector_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                          const struct lower_access *access)
{
    spv_id component = spv_type_component(m->module, type), parts[16];
    uint32_t count = spv_type_count(m->module, type), num_parts = 0;
    uint32_t size = (uint32_t)spv_layout_of(&m->layouts, component)->size;
    uint32_t align = access_align(m, ptr, access), step = vector_step(m, ptr, count, size, align);
    if (access->is_volatile && ptr->space == MEM_GLOBAL)
        step = 1;
    for (uint32_t i = 0; i < count; i += step) {
        struct mem_ptr part = mem_ptr_at(ptr, (int64_t)i * size);
        struct lower_access part_access = {.align = align_at(align, (uint64_t)i * size),
                                           .is_volatile = access->is_volatile};
        spv_id part_type = spv_type_vector(m->module, component, step);
        if (step > 1)
            parts[num_parts++] = load_part(m, b, &part, part_type, &part_access);
        else
            parts[num_parts++] = scalar_load(m, b, &part, component, &part_access);
    }
    return num_parts == 1 ? parts[0] : spv_emit(b, SpvOpCompositeConstruct, type, num_parts, parts);
}

static spv_id take_components(struct memory *m, struct spv_builder *b, spv_id value, uint32_t first, uint32_t step)
{
    spv_id component = spv_type_component(m->module, spv_value_type(m->module, value));
    if (step == 1)
        return spv_emitv(b, SpvOpCompositeExtract, component, value, first);
    if (step == spv_type_count(m->module, spv_value_type(m->module, value)))
        return value;
    uint32_t words[6] = {value, value};
    for (uint32_t i = 0; i < step; i++)
        words[2 + i] = first + i;
    return spv_emit(b, SpvOpVectorShuffle, spv_type_vector(m->module, component, step), 2 + step, words);
}

static void vector_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type, spv_id value,
                         const struct lower_access *access)
{
    spv_id component = spv_type_component(m->module, type);
    uint32_t count = spv_type_count(m->module, type), size = (uint32_t)spv_layout_of(&m->layouts, component)->size;
    uint32_t align = access_align(m, ptr, access), step = vector_step(m, ptr, count, size, align);
    for (uint32_t i = 0; i < count; i += step) {
        struct mem_ptr part = mem_ptr_at(ptr, (int64_t)i * size);
        struct lower_access part_access = {.align = align_at(align, (uint64_t)i * size),
                                           .is_volatile = access->is_volatile};
        spv_id piece = take_components(m, b, value, i, step);
        if (step > 1)
            store_part(m, b, &part, piece, &part_access);
        else
            scalar_store(m, b, &part, component, piece, &part_access);
    }
}

static struct lower_access with_default(struct memory *m, spv_id type, const struct lower_access *access)
{
    struct lower_access result = *access;
    if (!result.align)
        result.align = spv_layout_of(&m->layouts, type)->align;
    return result;
}

spv_id mem_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                const struct lower_access *access)
{
    struct lower_access full = with_default(m, type, access);
    if (spv_type_is_vector(m->module, type))
        return vector_load(m, b, ptr, type, &full);
    if (spv_type_is_pointer(m->module, type)) {
        spv_id number = mem_load_bits(m, b, ptr, 8, &full);
        return mem_convert_number(m, b, number, MEM_GENERIC, mem_space_of(m->module, type), true);
    }
    return scalar_load(m, b, ptr, type, &full);
}

void mem_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type, spv_id value,
               const struct lower_access *access)
{
    struct lower_access full = with_default(m, type, access);
    if (spv_type_is_vector(m->module, type)) {
        vector_store(m, b, ptr, type, value, &full);
    } else if (spv_type_is_pointer(m->module, type)) {
        struct mem_ptr stored = mem_ptr_of(m, value);
        enum mem_space space = mem_space_of(m->module, type);
        spv_id number = mem_number(m, b, &stored);
        number = mem_convert_number(m, b, number, space, MEM_GENERIC, !stored.variable);
        mem_store_bits(m, b, ptr, 8, number, &full);
    } else {
        scalar_store(m, b, ptr, type, value, &full);
    }
}
