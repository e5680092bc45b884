/* Addresses: pointer values as sums, which are written out where they are used.
 *
 * A sum keeps its base, its scaled indices and its constant apart until the access. That pays three times. Constants
 * become offsets of the access. An index into a typed region is divided exactly by the unit, so that no shift is
 * needed. And an index that was widened to 64 bits only because OpenCL's size_t is that wide is used as the 32 bits
 * that it came from. CSE merges common parts later.
 *
 * What pointers may point to is kept in a union-find: pointers that flow into one another share a class. That is
 * coarser than a set for each pointer, but linear, and good enough, since inlining leaves few pointers that meet. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/launch.h"

#include "compiler/opt/opt.h"

#include "base/util.h"

#include <assert.h>

enum mem_space mem_space_of(const struct spv_module *module, spv_id pointer_type)
{
    switch (spv_pointer_storage(module, pointer_type)) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        return MEM_GLOBAL;
    case SpvStorageClassWorkgroup:
        return MEM_LOCAL;
    case SpvStorageClassFunction:
        return MEM_PRIVATE;
    case SpvStorageClassGeneric:
        return MEM_GENERIC;
    default:
        return MEM_NONE;
    }
}

uint32_t mem_find(struct memory *m, uint32_t node)
{
    while (m->parent.data[node] != node) {
        m->parent.data[node] = m->parent.data[m->parent.data[node]];
        node = m->parent.data[node];
    }
    return node;
}

void mem_unite(struct memory *m, uint32_t a, uint32_t b)
{
    if (a == MEM_NODE_NONE || b == MEM_NODE_NONE)
        return;
    a = mem_find(m, a);
    b = mem_find(m, b);
    if (a != b)
        m->parent.data[a < b ? b : a] = a < b ? a : b; /* the well-known nodes stay representatives */
}

struct mem_class *mem_class_of(struct memory *m, const struct mem_ptr *ptr)
{
    return &m->classes[mem_find(m, ptr->node)];
}

struct mem_ptr mem_ptr_of(struct memory *m, spv_id id)
{
    if (id >= m->num_ids || !m->ptrs[id])
        id = spv_replaced(&m->replacements, id);
    if (id < m->num_ids && m->ptrs[id])
        return *m->ptrs[id];
    spv_id type = spv_value_type(m->module, id);
    enum mem_space space = type && spv_type_is_pointer(m->module, type) ? mem_space_of(m->module, type) : MEM_NONE;
    return (struct mem_ptr){.space = (uint8_t)(space ? space : MEM_GLOBAL), .known = true};
}

struct mem_ptr mem_ptr_from(enum mem_space space, uint32_t node, spv_id number)
{
    return (struct mem_ptr){.space = (uint8_t)space, .known = true, .base = number, .node = node};
}

struct mem_ptr mem_ptr_at(const struct mem_ptr *ptr, int64_t offset)
{
    struct mem_ptr moved = *ptr;
    moved.offset = (int64_t)((uint64_t)moved.offset + (uint64_t)offset);
    return moved;
}

spv_id mem_int(struct spv_module *module, spv_id value_type, uint64_t bits)
{
    uint32_t width = spv_type_width(module, value_type);
    return spv_const_bits(module, value_type, width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1));
}

/* ---- indices ---- */

spv_id mem_resize_index(struct memory *m, struct spv_builder *b, spv_id index, uint32_t width)
{
    spv_id type = spv_type_int(m->module, width);
    index = spv_replaced(&m->replacements, index);
    for (uint32_t steps = 0; steps < 8; steps++) {
        spv_id value_type = spv_value_type(m->module, index);
        uint32_t have = spv_type_width(m->module, value_type);
        if (have == width)
            return index;
        const struct spv_inst *def = spv_def(m->module, index);
        uint64_t bits;
        if (spv_const_value(m->module, index, &bits)) {
            int64_t value = (int64_t)(bits << (64 - have)) >> (64 - have);
            return mem_int(m->module, type, (uint64_t)value);
        }
        /* dropping upper bits undoes an extension */
        if (have > width && def->block && spv_op_is_resize(def->op)) {
            spv_id source = spv_replaced(&m->replacements, def->words[0]);
            uint32_t source_width = spv_type_width(m->module, spv_value_type(m->module, source));
            if (source_width >= width) {
                index = source;
                continue;
            }
            return spv_emitv(b, (SpvOp)def->op, type, source);
        }
        return spv_emitv(b, have > width ? SpvOpUConvert : SpvOpSConvert, type, index);
    }
    return spv_emitv(b, SpvOpUConvert, type, index);
}

spv_id mem_number_type(struct memory *m, enum mem_space space)
{
    return spv_type_int(m->module, space == MEM_LOCAL || space == MEM_PRIVATE ? 32 : 64);
}

static spv_id scaled(struct memory *m, struct spv_builder *b, const struct mem_term *term, int64_t divide,
                     uint32_t width)
{
    spv_id type = spv_type_int(m->module, width);
    spv_id index = mem_resize_index(m, b, term->index, width);
    int64_t scale = term->scale / divide;
    if (scale == 1)
        return index;
    if (scale > 0 && is_power_of_two((uint64_t)scale))
        return spv_emitv(b, SpvOpShiftLeftLogical, type, index,
                         spv_const_u32(m->module, (uint32_t)__builtin_ctzll((uint64_t)scale)));
    return spv_emitv(b, SpvOpIMul, type, index, mem_int(m->module, type, (uint64_t)scale));
}

static int64_t power_of_two_in(int64_t value)
{
    return value ? value & -value : 1;
}

/* Makes one term of two: their sum, scaled by the power of two that both scales have in common. */
static void join_terms(struct memory *m, struct spv_builder *b, struct mem_ptr *ptr)
{
    uint32_t width = spv_type_width(m->module, mem_number_type(m, ptr->space));
    struct mem_term *first = &ptr->terms[0], *second = &ptr->terms[1];
    int64_t one = power_of_two_in(first->scale), two = power_of_two_in(second->scale), common = one < two ? one : two;
    spv_id left = scaled(m, b, first, common, width), right = scaled(m, b, second, common, width);
    first->index = spv_emitv(b, SpvOpIAdd, spv_type_int(m->module, width), left, right);
    first->scale = common;
    for (uint32_t i = 1; i + 1 < ptr->num_terms; i++)
        ptr->terms[i] = ptr->terms[i + 1];
    ptr->num_terms--;
}

/* x + constant or x | constant, where x is known to be 0 in all bits of the constant, so that nothing is carried. */
static bool is_disjoint(const struct spv_module *module, const struct spv_inst *sum, uint64_t *constant)
{
    return (sum->op == SpvOpIAdd || sum->op == SpvOpBitwiseOr) && spv_const_value(module, sum->words[1], constant) &&
           *constant >> opt_zeros_below(module, sum->words[0]) == 0;
}

/* x + constant or x - constant; *which: the operand that x is. */
static bool is_sum(const struct spv_module *module, const struct spv_inst *sum, uint64_t *constant, uint32_t *which)
{
    if (sum->op != SpvOpIAdd && sum->op != SpvOpISub)
        return false;
    for (*which = 0; *which < 2; ++*which) {
        if (spv_const_value(module, sum->words[!*which], constant))
            return *which == 0 || sum->op == SpvOpIAdd;
    }
    return false;
}

/* Splits index into a rest, which is returned, and a constant. That is right only where the sum wraps at the same width
 * as the pointer's number, or cannot wrap, or must not. An int index is widened on the way. a[i + 1] and a[i + 2] then
 * share the address of a[i]. */
static spv_id split_constant(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id index,
                             int64_t *constant)
{
    uint32_t number_width = spv_type_width(m->module, mem_number_type(m, ptr->space));
    for (uint32_t steps = 0; steps < 8; steps++) {
        const struct spv_inst *def = spv_def(m->module, index), *sum = def;
        bool is_unsigned = def->block && def->op == SpvOpUConvert;
        if (is_unsigned || (def->block && def->op == SpvOpSConvert))
            sum = spv_def(m->module, def->words[0]);
        uint32_t width = sum->block ? spv_type_width(m->module, sum->type) : 0, which = 0;
        uint64_t bits;
        if (!sum->block)
            break;
        if (is_disjoint(m->module, sum, &bits)) {
            *constant = (int64_t)((uint64_t)*constant + bits);
        } else {
            if ((width < number_width && (is_unsigned || !spv_no_signed_wrap(sum))) ||
                !is_sum(m->module, sum, &bits, &which))
                break;
            uint64_t value = (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
            *constant = (int64_t)((uint64_t)*constant + (sum->op == SpvOpISub ? 0 - value : value));
        }
        index = sum->words[which];
        if (is_unsigned)
            index = spv_emitv(b, SpvOpUConvert, def->type, index);
    }
    return index;
}

static uint32_t depth_of(const struct memory *m, spv_id id)
{
    return m->depths && id < m->num_ids ? m->depths[id] : 0;
}

/* The sum that index is, if its two summands change in different loops; else NULL. When they are added to the address
 * one by one, the part that changes in the outer loop only is computed before the inner loop. */
static const struct spv_inst *split_sum(struct memory *m, const struct mem_ptr *ptr, spv_id index)
{
    uint32_t number_width = spv_type_width(m->module, mem_number_type(m, ptr->space));
    const struct spv_inst *def = spv_def(m->module, index);
    if (def->block && def->op == SpvOpSConvert)
        def = spv_def(m->module, def->words[0]);
    if (!def->block || (def->op != SpvOpIAdd && def->op != SpvOpISub) || ptr->num_terms + 2 > MEM_TERMS ||
        depth_of(m, def->words[0]) == depth_of(m, def->words[1]))
        return NULL;
    return spv_type_width(m->module, def->type) >= number_width || spv_no_signed_wrap(def) ? def : NULL;
}

void mem_add_index(struct memory *m, struct spv_builder *b, struct mem_ptr *ptr, spv_id index, int64_t scale)
{
    uint64_t bits;
    int64_t constant = 0;
    if (!scale)
        return;
    index = split_constant(m, b, ptr, index, &constant);
    const struct spv_inst *sum = split_sum(m, ptr, index);
    if (sum) {
        ptr->offset = (int64_t)((uint64_t)ptr->offset + (uint64_t)constant * (uint64_t)scale);
        mem_add_index(m, b, ptr, sum->words[0], scale);
        mem_add_index(m, b, ptr, sum->words[1], sum->op == SpvOpISub ? -scale : scale);
        return;
    }
    ptr->offset = (int64_t)((uint64_t)ptr->offset + (uint64_t)constant * (uint64_t)scale);
    if (spv_const_value(m->module, index, &bits)) {
        uint32_t width = spv_type_width(m->module, spv_value_type(m->module, index));
        int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
        ptr->offset = (int64_t)((uint64_t)ptr->offset + (uint64_t)value * (uint64_t)scale);
        return;
    }
    for (uint32_t i = 0; i < ptr->num_terms; i++) {
        if (ptr->terms[i].index == index) {
            ptr->terms[i].scale += scale;
            return;
        }
    }
    if (ptr->num_terms == MEM_TERMS)
        join_terms(m, b, ptr);
    ptr->terms[ptr->num_terms++] = (struct mem_term){index, scale};
}

bool mem_begins_aligned(const struct memory *m, const struct mem_ptr *ptr)
{
    const struct spv_function *kernel = m->lower->kernel;
    for (uint32_t i = 0; ptr->base && ptr->space == MEM_LOCAL && i < kernel->params.length; i++) {
        if (kernel->params.data[i]->id == ptr->base)
            return true;
    }
    return !ptr->base;
}

uint32_t mem_known_align(struct memory *m, const struct mem_ptr *ptr)
{
    if (!mem_begins_aligned(m, ptr) || (!ptr->base && !ptr->variable && !ptr->data))
        return 1;
    uint64_t bits = (ptr->variable ? mem_variable_align(m, ptr->variable) : 16) | (uint64_t)ptr->offset;
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        bits |= (uint64_t)ptr->terms[i].scale;
    return (uint32_t)(bits & -bits);
}

/* ---- numbers ---- */

static spv_id add(struct spv_builder *b, spv_id type, spv_id sum, spv_id term)
{
    return sum ? spv_emitv(b, SpvOpIAdd, type, sum, term) : term;
}

/* The scaled indices of an address, in 32 bits: they lead from one place in an object to another, and no object is
 * larger than that. Only the sum counts; parts of it may have overflowed. */
static spv_id short_offset(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr)
{
    spv_id u32 = spv_type_int(m->module, 32), sum = 0;
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        sum = add(b, u32, sum, scaled(m, b, &ptr->terms[i], 1, 32));
    return spv_emitv(b, SpvOpSConvert, spv_type_int(m->module, 64), sum);
}

spv_id mem_number(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr)
{
    spv_id type = mem_number_type(m, ptr->space), sum = ptr->base ? spv_replaced(&m->replacements, ptr->base) : 0;
    uint32_t width = spv_type_width(m->module, type);
    uint64_t offset = (uint64_t)ptr->offset;
    if (ptr->data)
        sum = lower_emit_launch_value(m->lower, b,
                                      ptr->data == m->lower->globals ? CLC_LAUNCH_GLOBALS : CLC_LAUNCH_CONSTANTS, 0);
    else if (ptr->variable)
        offset += mem_variable_number(m, ptr->variable);
    if (width == 64 && ptr->num_terms && m->target->short_offsets && sum) {
        sum = add(b, type, sum, short_offset(m, b, ptr));
    } else {
        for (uint32_t i = 0; i < ptr->num_terms; i++)
            sum = add(b, type, sum, scaled(m, b, &ptr->terms[i], 1, width));
    }
    if (offset || !sum)
        sum = add(b, type, sum, mem_int(m->module, type, offset));
    return sum;
}

/* The element, counted from a place in the region, with which a local argument begins. Arguments lie at multiples of 16
 * bytes, so (number >> 4) << 2 for elements of four bytes: that it is a multiple of 4 is known then (wide.c), and a
 * constant that is added to it stays one. */
static spv_id begin_of_argument(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint64_t place,
                                uint32_t log)
{
    spv_id u32 = spv_type_int(m->module, 32), number = spv_replaced(&m->replacements, ptr->base);
    if (place)
        number = spv_emitv(b, SpvOpISub, u32, number, spv_const_u32(m->module, (uint32_t)place));
    number = spv_emitv(b, SpvOpShiftRightArithmetic, u32, number, spv_const_u32(m->module, 4));
    return log < 4 ? spv_emitv(b, SpvOpShiftLeftLogical, u32, number, spv_const_u32(m->module, 4 - log)) : number;
}

spv_id mem_element_index(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint64_t start,
                         uint32_t unit)
{
    spv_id u32 = spv_type_int(m->module, 32), sum = 0;
    uint32_t log = (uint32_t)__builtin_ctz(unit);
    struct mem_ptr rest = mem_ptr_at(ptr, -(int64_t)start);
    bool divides = true;
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        divides &= !((uint64_t)ptr->terms[i].scale & (unit - 1));
    if (!divides) {
        sum = mem_number(m, b, &rest);
        return log ? spv_emitv(b, SpvOpShiftRightLogical, u32, sum, spv_const_u32(m->module, log)) : sum;
    }
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        sum = add(b, u32, sum, scaled(m, b, &ptr->terms[i], unit, 32));
    /* The rest is divisible by the unit, since the whole and all terms are; it may be negative. */
    rest.num_terms = 0;
    int64_t offset = rest.offset + (rest.variable ? (int64_t)mem_variable_number(m, rest.variable) : 0);
    if (rest.base && mem_begins_aligned(m, &rest) && unit <= 16 && start >= MEM_BIAS && start % 16 == MEM_BIAS % 16 &&
        !((uint64_t)(ptr->offset - MEM_BIAS) & (unit - 1))) {
        sum = add(b, u32, sum, begin_of_argument(m, b, ptr, start - MEM_BIAS, log));
        offset = ptr->offset - MEM_BIAS; /* what is added to an argument is not below its start */
    } else if (rest.base) {
        spv_id number = mem_number(m, b, &rest);
        if (log)
            number = spv_emitv(b, SpvOpShiftRightArithmetic, u32, number, spv_const_u32(m->module, log));
        return add(b, u32, sum, number);
    }
    if (offset || !sum)
        sum = add(b, u32, sum, spv_const_u32(m->module, (uint32_t)(offset >> log)));
    return sum;
}

static spv_id tag_number(struct memory *m, struct spv_builder *b, spv_id number, uint32_t tag, bool maybe_null)
{
    spv_id u64 = spv_type_int(m->module, 64), u32 = spv_type_int(m->module, 32);
    spv_id wide = spv_emitv(b, SpvOpUConvert, u64, number);
    spv_id tagged = spv_emitv(b, SpvOpBitwiseOr, u64, wide, spv_const_u64(m->module, (uint64_t)tag << 32));
    if (!maybe_null)
        return tagged;
    spv_id is_null = spv_emitv(b, SpvOpIEqual, spv_type_bool(m->module), number, mem_int(m->module, u32, 0));
    return spv_emitv(b, SpvOpSelect, u64, is_null, wide, tagged);
}

spv_id mem_convert_number(struct memory *m, struct spv_builder *b, spv_id number, enum mem_space from,
                          enum mem_space to, bool maybe_null)
{
    bool from_small = from == MEM_LOCAL || from == MEM_PRIVATE, to_small = to == MEM_LOCAL || to == MEM_PRIVATE;
    if (from == to || from_small == to_small)
        return number;
    if (to_small)
        return spv_emitv(b, SpvOpUConvert, spv_type_int(m->module, 32), number);
    return tag_number(m, b, number, from == MEM_LOCAL ? MEM_TAG_LOCAL : MEM_TAG_PRIVATE, maybe_null);
}
