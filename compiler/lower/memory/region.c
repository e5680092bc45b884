/* Local and private memory: regions, each an array of one unit.
 *
 * The survey has recorded the sizes of the accesses to each region. Where all agree, the region is a plain array of
 * that type, which drivers optimise best (and lavapipe has nothing else). Where they differ (a union, a cast, a struct
 * with members of several sizes), it is an array of 32-bit words, and narrower accesses shift and mask. A narrow store
 * to local memory then clears and sets its bits with atomics, since another work-item may own the other bytes. With
 * VK_KHR_workgroup_memory_explicit_layout, such local memory is instead one block that is accessed through aliased
 * arrays of each size, without shifts.
 *
 * Private regions use the storage class Private, so that helper functions reach them. Those that exceed the device's
 * bound go to a buffer: pipeline creation fails on an H200 for 16 KiB of private array, and takes seconds on lavapipe.
 */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/launch.h"
#include "compiler/lower/values/matrices.h"
#include "compiler/opt/aligned.h"
#include "compiler/opt/opt.h"

#include "base/util.h"

#include <assert.h>
#include <stdlib.h>

enum { LARGEST_ACCESS = 128 }; /* bytes */

static struct mem_region *region_of_class(struct memory *m, struct mem_class *class, uint8_t space)
{
    if (!class->region) {
        class->region = arena_new(m->arena, struct mem_region);
        class->region->space = space;
        vec_push(m->arena, &m->regions, class->region);
    }
    return class->region;
}

struct mem_region *mem_region_of(struct memory *m, const struct mem_ptr *ptr)
{
    if (!ptr->node || (ptr->space != MEM_LOCAL && ptr->space != MEM_PRIVATE))
        return NULL;
    return region_of_class(m, mem_class_of(m, ptr), ptr->space);
}

void mem_survey_access(struct memory *m, const struct mem_ptr *ptr, uint32_t size, bool is_float, uint32_t align,
                       bool atomic)
{
    if (ptr->space == MEM_GENERIC && m->generic_tags) {
        struct mem_ptr local = mem_ptr_from(MEM_LOCAL, MEM_NODE_LOCAL, 0);
        struct mem_ptr private = mem_ptr_from(MEM_PRIVATE, MEM_NODE_PRIVATE, 0);
        if (m->generic_local)
            mem_survey_access(m, &local, size, false, align, atomic);
        if (m->generic_private)
            mem_survey_access(m, &private, size, false, align, atomic);
        return;
    }
    struct mem_region *region = mem_region_of(m, ptr);
    if (!region)
        return;
    uint32_t known = mem_known_align(m, ptr);
    align = known > align ? known : align;
    if (align < size) {
        region->misaligned = true;
        size = align ? align : 1;
        is_float = false;
    }
    region->sizes |= (uint8_t)size;
    if (is_float)
        region->float_sizes |= (uint8_t)size;
    else
        region->is_float = false;
    if (atomic)
        region->atomic_sizes |= (uint8_t)size;
    region->int_atomics |= atomic && !is_float;
}

void mem_survey_vector(struct memory *m, const struct mem_ptr *ptr, uint32_t size, uint32_t count, uint32_t align)
{
    struct mem_region *region = ptr->space == MEM_LOCAL ? mem_region_of(m, ptr) : NULL;
    uint64_t places = mem_begins_aligned(m, ptr) ? 0 : 1;
    if (!region)
        return;
    uint32_t whole = count % 4 == 0 ? 4 : count == 2 ? 2 : 1;
    if (whole > 1 && align >= whole * size) {
        region->vectors |= (uint8_t)whole;
        return;
    }
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        places |= (uint64_t)ptr->terms[i].scale;
    region->scattered |= places % 16 != 0;
}

/* Notes an access to a vector of bytes or 16-bit numbers of that size that fills aligned words. */
void mem_survey_words(struct memory *m, const struct mem_ptr *ptr, uint32_t size)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (!region)
        return;
    region->word_parts |= (uint8_t)size;
    mem_survey_vector(m, ptr, 4, 1, 4);
}

void mem_survey_chunks(struct memory *m, const struct mem_ptr *ptr, uint32_t chunk)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (region)
        region->copies |= (uint8_t)chunk;
}

/* ---- layout ---- */

/* OpenCL C 3.0, 6.3.5: a kernel may look at the address of a long16 and must find it a multiple of 128, although no
 * access is wider than 16 bytes; and 6.13.1, aligned. */
uint32_t mem_variable_align(struct memory *m, spv_id variable)
{
    return opt_variable_align(&m->layouts, variable, mem_pointee(m, variable));
}

uint64_t mem_variable_number(struct memory *m, spv_id variable)
{
    return (uint64_t)(uintptr_t)u64_map_get(&m->places, variable);
}

static bool unit_allowed(const struct memory *m, const struct mem_region *region, uint32_t unit)
{
    switch (unit) {
    case 1:
        return m->target->int8 && !(region->views && !m->target->explicit_layout8);
    case 2:
        return m->target->int16 && !(region->views && !m->target->explicit_layout16);
    case 8:
        return m->target->int64;
    default:
        return true;
    }
}

/* The sizes of accesses; and of the chunks of copies that are narrower than all of them, which are accesses too. */
static uint32_t sizes_of(const struct mem_region *region)
{
    uint32_t sizes = region->sizes ? region->sizes : 4;
    return sizes | (region->copies & ((sizes & -sizes) - 1));
}

static bool is_mixed(const struct mem_region *region)
{
    return !is_power_of_two(sizes_of(region));
}

/* Small vectors are moved as words where no other access is narrower than a word: a uchar4 by one access, not by four. */
static void choose_words(struct mem_region *region)
{
    region->words = region->word_parts && !((region->sizes | region->copies) & 3);
    region->sizes |= region->words ? 4 : region->word_parts;
}

static void choose_unit(struct memory *m, struct mem_region *region)
{
    uint32_t sizes = sizes_of(region);
    if (region->atomic_sizes)
        region->unit = region->atomic_sizes & 4 ? 4 : 8;
    else if (!is_mixed(region))
        region->unit = (uint8_t)sizes;
    else
        region->unit = sizes >= 4 ? 4 : 1;
    if (!unit_allowed(m, region, region->unit))
        region->unit = 4;
    region->is_float = region->float_sizes == region->sizes && region->unit == region->sizes && !region->atomic_sizes &&
                       region->unit >= 4;
    if (region->unit == 4 && sizes == 4 && region->float_sizes == 4 && !region->int_atomics)
        region->is_float = true; /* with atomics too: only atomics on floats were seen */
    if (region->copies & (region->unit - 1))
        region->is_float = false; /* what is narrower sets and clears bits */
}

/* Makes local memory an array of vectors where it is mostly moved as vectors, since drivers do not always join loads of
 * neighbours. Single components then need a constant component number, which every driver handles well. */
static void choose_lanes(struct mem_region *region)
{
    bool plain = !region->views && region->unit == 4 && region->sizes == 4 && !region->atomic_sizes &&
                 !region->scattered && !region->misaligned;
    uint8_t lanes = plain && (region->vectors == 4 || region->vectors == 2) ? region->vectors : 1;
    region->lanes = region->copies & (lanes * region->unit - 1) ? 1 : lanes; /* copies move whole vectors */
}

/* Places an object at the first number from at on that is aligned for it. Returns the number after the object. */
static uint64_t place_object(struct memory *m, spv_id variable, uint64_t at)
{
    uint64_t size = spv_layout_of(&m->layouts, mem_pointee(m, variable))->size;
    at = align_up(at, mem_variable_align(m, variable));
    u64_map_set(m->arena, &m->places, variable, (void *)(uintptr_t)at);
    at += size ? size : 1;
    return at > SPV_LAYOUT_HUGE ? SPV_LAYOUT_HUGE : at;
}

static uint64_t start_region(struct memory *m, struct mem_region *region, uint64_t start)
{
    uint64_t align = 16;
    for (uint32_t i = 0; i < region->objects.length; i++)
        align = u64_max(align, mem_variable_align(m, region->objects.data[i]));
    return region->base = align_up(start, align);
}

static void place_objects(struct memory *m, struct mem_region *region, uint64_t start)
{
    uint64_t at = start_region(m, region, start);
    for (uint32_t i = 0; i < region->objects.length; i++)
        at = place_object(m, region->objects.data[i], at);
    region->size = align_up(at, 8) - region->base;
}

/* ---- frames ----
 *
 * There is no recursion, so each function's private objects have a fixed place: behind those of all functions that may
 * have called it. Functions that do not call each other share memory. */

struct call {
    uint32_t caller, callee;
};

struct frames {
    uint32_t count;         /* functions, callers first */
    struct u64_map index;   /* function id -> 1 + its place among them */
    VEC(struct call) calls; /* by caller */
};

static void note_calls(struct memory *m, struct frames *frames, const struct spv_function *function, uint32_t *seen)
{
    uint32_t caller = (uint32_t)(uintptr_t)u64_map_get(&frames->index, function->def->id) - 1;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op != SpvOpFunctionCall)
                continue;
            uint32_t callee = (uint32_t)(uintptr_t)u64_map_get(&frames->index, inst->words[0]);
            if (!callee || seen[callee - 1] == caller + 1)
                continue;
            seen[callee - 1] = caller + 1;
            vec_push(m->arena, &frames->calls, (struct call){caller, callee - 1});
        }
    }
}

static bool find_frames(struct memory *m, struct frames *frames)
{
    struct opt_call_order order = {0};
    const char *error = NULL;
    if (!opt_order_calls(m->module, m->lower->kernel, &order, &error))
        return lower_fail(m->lower, "kernel '%s': %s", m->lower->kernel_name, error);
    frames->count = order.functions.length;
    uint32_t *seen = arena_array(m->arena, uint32_t, frames->count + 1u);
    for (uint32_t i = 0; i < frames->count; i++)
        u64_map_set(m->arena, &frames->index, order.functions.data[frames->count - 1 - i]->def->id,
                    (void *)(uintptr_t)(i + 1));
    for (uint32_t i = frames->count; i-- > 0;)
        note_calls(m, frames, order.functions.data[i], seen);
    return true;
}

static uint32_t frame_of(struct memory *m, const struct frames *frames, spv_id variable)
{
    const struct spv_function *function = spv_def(m->module, variable)->block->function;
    uint32_t index = (uint32_t)(uintptr_t)u64_map_get(&frames->index, function->def->id);
    return index ? index - 1 : 0;
}

static void place_frames(struct memory *m, const struct frames *frames, struct mem_region *region, uint64_t start)
{
    uint64_t base = start_region(m, region, start), end = base;
    uint64_t *at = arena_array(m->arena, uint64_t, frames->count + 1u);
    uint32_t *next = arena_array(m->arena, uint32_t, region->objects.length + 1u); /* 1 + an object of the same frame */
    uint32_t *first = arena_array(m->arena, uint32_t, frames->count + 1u);
    for (uint32_t i = region->objects.length; i-- > 0;) {
        uint32_t frame = frame_of(m, frames, region->objects.data[i]);
        next[i] = first[frame];
        first[frame] = i + 1;
    }
    for (uint32_t f = 0, c = 0; f < frames->count; f++) {
        at[f] = u64_max(at[f], base);
        for (uint32_t i = first[f]; i; i = next[i - 1])
            at[f] = place_object(m, region->objects.data[i - 1], at[f]);
        end = u64_max(end, at[f]);
        for (; c < frames->calls.length && frames->calls.data[c].caller == f; c++)
            at[frames->calls.data[c].callee] = u64_max(at[frames->calls.data[c].callee], at[f]);
    }
    region->size = align_up(end, 8) - region->base;
}

static int by_size_descending(const void *a, const void *b)
{
    const struct mem_region *left = *(struct mem_region *const *)a, *right = *(struct mem_region *const *)b;
    if (left->size != right->size)
        return left->size < right->size ? 1 : -1;
    return left->base < right->base ? -1 : left->base > right->base;
}

/* Moves the largest private regions to the scratch buffer until the rest fits. */
static bool choose_scratch(struct memory *m, uint64_t total)
{
    uint64_t scratch = 0, limit = m->target->max_private_array ? m->target->max_private_array : 4096;
    struct mem_region **sorted = arena_array(m->arena, struct mem_region *, m->regions.length + 1u);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->regions.length; i++) {
        if (m->regions.data[i]->space == MEM_PRIVATE)
            sorted[count++] = m->regions.data[i];
    }
    qsort(sorted, count, sizeof(struct mem_region *), by_size_descending);
    for (uint32_t i = 0; i < count && total > limit; i++) {
        sorted[i]->scratch = true;
        sorted[i]->scratch_offset = scratch;
        scratch = align_up(scratch + sorted[i]->size, MEM_SCRATCH_ALIGN);
        total -= sorted[i]->size;
    }
    if (scratch > (uint64_t)1 << 26)
        return lower_fail(m->lower, "kernel '%s' needs %llu bytes of private memory per work-item",
                          m->lower->kernel_name, (unsigned long long)scratch);
    if (scratch && lower_keeps_bounds(m->lower))
        scratch += LARGEST_ACCESS; /* what begins at the last byte of all */
    m->lower->out->scratch_size = (uint32_t)align_up(scratch, 64);
    return true;
}

/* Vulkan loads and stores matrices in arrays of their components, beside which others lie at the same place. */
static bool can_hold_matrices(const struct memory *m, const struct mem_region *region)
{
    const struct clc_target *target = m->target;
    return region->space == MEM_LOCAL && target->explicit_layout &&
           (!(region->matrices & 1) || target->explicit_layout8) &&
           (!(region->matrices & 2) || target->explicit_layout16);
}

static bool lay_out_local(struct memory *m)
{
    uint64_t at = MEM_BIAS;
    bool mixed = false;
    struct mem_region *args = m->classes[mem_find(m, MEM_NODE_LOCAL_ARGS)].region;
    for (uint32_t i = 0; i < m->regions.length; i++)
        choose_words(m->regions.data[i]);
    for (uint32_t i = 0; i < m->regions.length; i++) {
        const struct mem_region *region = m->regions.data[i];
        mixed |= region->space == MEM_LOCAL && (is_mixed(region) || region->matrices);
        if (region->matrices && !can_hold_matrices(m, region))
            return lower_refuse_native_matrices(m->lower);
    }
    for (uint32_t i = 0; i < m->regions.length; i++) {
        struct mem_region *region = m->regions.data[i];
        if (region->space != MEM_LOCAL)
            continue;
        region->views = mixed && m->target->explicit_layout;
        region->args = args == region;
        choose_unit(m, region);
        choose_lanes(region);
        if (!region->args) {
            place_objects(m, region, at);
            at = region->base + region->size;
        }
    }
    if (args) { /* last: their size is known at the launch only */
        place_objects(m, args, at);
        at = align_up(args->base + args->size, 16);
        m->lower->out->local_args_offset = (uint32_t)(at - MEM_BIAS);
        args->size = at - args->base;
    }
    m->local_end = at;
    if (at - MEM_BIAS > UINT32_MAX / 4)
        return lower_fail(m->lower, "kernel '%s' has too much local memory", m->lower->kernel_name);
    m->lower->out->local_size = (uint32_t)(at - MEM_BIAS);
    return true;
}

bool mem_lay_out_regions(struct memory *m)
{
    if (!lay_out_local(m))
        return false;
    uint64_t at = MEM_BIAS, total = 0;
    struct frames frames = {0};
    if (!find_frames(m, &frames))
        return false;
    for (uint32_t i = 0; i < m->regions.length; i++) {
        struct mem_region *region = m->regions.data[i];
        if (region->space != MEM_PRIVATE)
            continue;
        choose_unit(m, region);
        place_frames(m, &frames, region, at);
        at = region->base + region->size;
        total += region->size;
        if (at > UINT32_MAX / 2)
            return lower_fail(m->lower, "kernel '%s' has too much private memory", m->lower->kernel_name);
    }
    return choose_scratch(m, total);
}

/* ---- variables ---- */

static spv_id local_args_size(struct memory *m)
{
    if (!m->local_args_size) {
        spv_id u32 = spv_type_int(m->module, 32);
        m->local_args_size = spv_const_inst(m->module, SpvOpSpecConstant, u32, 1, (const uint32_t[]){16});
        spv_decorate(m->module, m->local_args_size, SpvDecorationSpecId, 1,
                     (const uint32_t[]){CLC_SPEC_LOCAL_ARGS_SIZE});
    }
    return m->local_args_size;
}

static spv_id spec_op(struct memory *m, SpvOp op, spv_id left, uint32_t right)
{
    const uint32_t words[] = {op, left, spv_const_u32(m->module, right)};
    return spv_const_inst(m->module, SpvOpSpecConstantOp, spv_type_int(m->module, 32), 3, words);
}

/* ceil((fixed + the arguments' size, at least one unit) / unit) */
static spv_id args_length(struct memory *m, uint64_t fixed, uint32_t unit)
{
    uint32_t add = (uint32_t)fixed + unit - 1;
    spv_id bytes = spec_op(m, SpvOpIAdd, local_args_size(m), add);
    spv_id length = spec_op(m, SpvOpUDiv, bytes, unit);
    if (fixed >= unit)
        return length;
    spv_id bool_type = spv_type_bool(m->module), u32 = spv_type_int(m->module, 32);
    spv_id zero = spv_const_u32(m->module, 0), one = spv_const_u32(m->module, 1);
    spv_id none =
        spv_const_inst(m->module, SpvOpSpecConstantOp, bool_type, 3, (const uint32_t[]){SpvOpIEqual, length, zero});
    return spv_const_inst(m->module, SpvOpSpecConstantOp, u32, 4, (const uint32_t[]){SpvOpSelect, none, one, length});
}

/* Vulkan's zero initialisation (VK_KHR_zero_initialize_workgroup_memory), where the context wants it. */
static spv_id local_initializer(struct memory *m, spv_id type)
{
    return m->target->zero_local ? spv_const_null(m->module, type) : 0;
}

static spv_id plain_array(struct memory *m, struct mem_region *region)
{
    SpvStorageClass storage = region->space == MEM_LOCAL ? SpvStorageClassWorkgroup : SpvStorageClassPrivate;
    uint32_t lanes = region->lanes ? region->lanes : 1, unit = region->unit * lanes;
    uint64_t length = (region->size + unit - 1) / unit;
    spv_id array;
    region->element =
        region->is_float ? spv_type_float(m->module, region->unit * 8u) : spv_type_int(m->module, region->unit * 8u);
    spv_id element = spv_type_vector(m->module, region->element, lanes);
    if (region->args)
        array = spv_type(m->module, SpvOpTypeArray, 2, (const uint32_t[]){element, args_length(m, region->size, unit)});
    else
        array = spv_type_array(m->module, element, length ? (uint32_t)length : 1);
    spv_id initializer = storage == SpvStorageClassWorkgroup ? local_initializer(m, array) : 0;
    return spv_global_variable(m->module, spv_type_pointer(m->module, storage, array), storage, initializer);
}

/* All local memory as an array of elements, in a block of its own that aliases the others. */
static spv_id view(struct memory *m, spv_id element)
{
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&m->views, element), length;
    uint32_t unit = spv_type_count(m->module, element) * spv_type_width(m->module, element) / 8;
    if (known)
        return known;
    if (m->classes[mem_find(m, MEM_NODE_LOCAL_ARGS)].region)
        length = args_length(m, m->local_end - MEM_BIAS, unit);
    else /* an expression, so that the decorated array type is nobody else's */
        length =
            spec_op(m, SpvOpIAdd, spv_const_u32(m->module, 0), (uint32_t)(m->local_end - MEM_BIAS + unit - 1) / unit);
    spv_id array = spv_type(m->module, SpvOpTypeArray, 2, (const uint32_t[]){element, length});
    spv_decorate(m->module, array, SpvDecorationArrayStride, 1, &unit);
    spv_id block = spv_type_struct(m->module, 1, &array);
    spv_decorate(m->module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(m->module, block, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    spv_id pointer = spv_type_pointer(m->module, SpvStorageClassWorkgroup, block);
    spv_id variable = spv_global_variable(m->module, pointer, SpvStorageClassWorkgroup, local_initializer(m, block));
    spv_decorate(m->module, variable, SpvDecorationAliased, 0, NULL);
    u64_map_set(m->arena, &m->views, element, (void *)(uintptr_t)variable);
    return variable;
}

/* ---- what is looked at as it is used ----
 *
 * Checks compare what a pointer leads into (lower/check/), which they do not know of one that is made of a number or comes
 * from memory. Such an access stays in the region. */

/* The array's length. */
static spv_id length_of(const struct memory *m, spv_id variable)
{
    const struct spv_inst *type =
        spv_def(m->module, spv_pointer_pointee(m->module, spv_value_type(m->module, variable)));
    if (type->op == SpvOpTypeStruct)
        type = spv_def(m->module, type->words[0]);
    return type->words[1];
}

/* The index, or 0 where it is none. */
static spv_id keep_below(struct memory *m, struct spv_builder *b, spv_id index, spv_id length)
{
    spv_id u32 = spv_type_int(m->module, 32);
    spv_id inside = spv_emitv(b, SpvOpULessThan, spv_type_bool(m->module), index, length);
    return spv_emitv(b, SpvOpSelect, u32, inside, index, spv_const_u32(m->module, 0));
}

/* Whether nothing may have compared the access. What a pointer from memory leads into may be known by now. */
static bool is_left(const struct memory *m, const struct mem_ptr *ptr)
{
    uint32_t tag = ptr->space == MEM_LOCAL ? LOWER_TAG_LOCAL : LOWER_TAG_PRIVATE;
    return lower_keeps_bounds(m->lower) && (m->lower->check_leaves & tag || !mem_begins_aligned(m, ptr));
}

static spv_id keep_inside(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id index,
                          spv_id variable)
{
    return is_left(m, ptr) ? keep_below(m, b, index, length_of(m, variable)) : index;
}

/* ---- pointers ---- */

static spv_id view_pointer(struct memory *m, struct spv_builder *b, spv_id element, spv_id index)
{
    return spv_emitv(b, SpvOpAccessChain, spv_type_pointer(m->module, SpvStorageClassWorkgroup, element),
                     view(m, element), spv_const_u32(m->module, 0), index);
}

spv_id mem_region_view(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id element)
{
    uint32_t size = spv_type_count(m->module, element) * spv_type_width(m->module, element) / 8;
    spv_id index = mem_element_index(m, b, ptr, MEM_BIAS, size);
    return view_pointer(m, b, element, keep_inside(m, b, ptr, index, view(m, element)));
}

/* A pointer to the vector at ptr. */
static spv_id vector_pointer(struct memory *m, struct spv_builder *b, struct mem_region *region,
                             const struct mem_ptr *ptr, spv_id *type)
{
    if (!region->variable)
        region->variable = plain_array(m, region);
    *type = spv_type_vector(m->module, region->element, region->lanes);
    spv_id index = mem_element_index(m, b, ptr, region->base, region->unit * region->lanes);
    index = keep_inside(m, b, ptr, index, region->variable);
    return spv_emitv(b, SpvOpAccessChain, spv_type_pointer(m->module, SpvStorageClassWorkgroup, *type),
                     region->variable, index);
}

/* A pointer to a component of a region of vectors; its number within the vector is a constant. */
static spv_id lane_pointer(struct memory *m, struct spv_builder *b, struct mem_region *region,
                           const struct mem_ptr *ptr, spv_id *element)
{
    uint32_t size = region->unit * region->lanes;
    int64_t place = ptr->offset + (ptr->variable ? (int64_t)mem_variable_number(m, ptr->variable) : 0);
    uint32_t within = (uint32_t)(place - (int64_t)region->base) & (size - 1);
    struct mem_ptr start = mem_ptr_at(ptr, -(int64_t)within);
    spv_id vector, pointer = vector_pointer(m, b, region, &start, &vector);
    *element = region->element;
    return spv_emitv(b, SpvOpAccessChain, spv_type_pointer(m->module, SpvStorageClassWorkgroup, *element), pointer,
                     spv_const_u32(m->module, within / region->unit));
}

/* A pointer to the unit that holds the byte at ptr. */
static spv_id element_pointer(struct memory *m, struct spv_builder *b, struct mem_region *region,
                              const struct mem_ptr *ptr, uint32_t unit, spv_id *element)
{
    SpvStorageClass storage = region->space == MEM_LOCAL ? SpvStorageClassWorkgroup : SpvStorageClassPrivate;
    if (region->lanes > 1)
        return lane_pointer(m, b, region, ptr, element);
    spv_id index = mem_element_index(m, b, ptr, region->views ? MEM_BIAS : region->base, unit);
    if (region->views) {
        *element = spv_type_int(m->module, unit * 8);
        return view_pointer(m, b, *element, keep_inside(m, b, ptr, index, view(m, *element)));
    }
    if (!region->variable)
        region->variable = plain_array(m, region);
    *element = region->element;
    index = keep_inside(m, b, ptr, index, region->variable);
    return spv_emitv(b, SpvOpAccessChain, spv_type_pointer(m->module, storage, *element), region->variable, index);
}

static uint32_t unit_for(const struct memory *m, const struct mem_region *region, uint32_t size)
{
    if (!region->views)
        return region->unit;
    return unit_allowed(m, region, size) ? size : 4; /* never 2 for 1: a part of a word is stored by atomics */
}

spv_id mem_region_element(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size)
{
    struct mem_region *region = mem_region_of(m, ptr);
    spv_id element;
    if (!region || unit_for(m, region, size) != size)
        return 0;
    return element_pointer(m, b, region, ptr, size, &element);
}

/* ---- access ---- */

/* Loads one unit. Local memory is loaded as volatile, since other work-items change it: old programs rely on a warp's
 * work-items running in step. Nobody else sees private memory. */
static spv_id load_unit(struct spv_builder *b, const struct mem_region *region, spv_id pointer, spv_id type,
                        bool is_volatile)
{
    if (is_volatile && region->space == MEM_LOCAL)
        return spv_emitv(b, SpvOpLoad, type, pointer, SpvMemoryAccessVolatileMask);
    return spv_emitv(b, SpvOpLoad, type, pointer);
}

static void store_unit(struct spv_builder *b, const struct mem_region *region, spv_id pointer, spv_id value,
                       bool is_volatile)
{
    if (is_volatile && region->space == MEM_LOCAL)
        spv_emitv_void(b, SpvOpStore, pointer, value, SpvMemoryAccessVolatileMask);
    else
        spv_emitv_void(b, SpvOpStore, pointer, value);
}

static spv_id load_wide(struct memory *m, struct spv_builder *b, struct mem_region *region, const struct mem_ptr *ptr,
                        uint32_t unit, uint32_t size, bool is_volatile)
{
    spv_id type = spv_type_int(m->module, size * 8), unit_type = spv_type_int(m->module, unit * 8), sum = 0;
    for (uint32_t at = 0; at < size; at += unit) {
        struct mem_ptr part = mem_ptr_at(ptr, at);
        spv_id element, pointer = element_pointer(m, b, region, &part, unit, &element);
        spv_id piece = mem_bitcast(b, load_unit(b, region, pointer, element, is_volatile), unit_type);
        piece = spv_emitv(b, SpvOpUConvert, type, piece);
        if (at)
            piece = spv_emitv(b, SpvOpShiftLeftLogical, type, piece, spv_const_u32(m->module, at * 8));
        sum = sum ? spv_emitv(b, SpvOpBitwiseOr, type, sum, piece) : piece;
    }
    return sum;
}

static void store_wide(struct memory *m, struct spv_builder *b, struct mem_region *region, const struct mem_ptr *ptr,
                       uint32_t unit, uint32_t size, spv_id value, bool is_volatile)
{
    spv_id type = spv_type_int(m->module, size * 8), unit_type = spv_type_int(m->module, unit * 8);
    for (uint32_t at = 0; at < size; at += unit) {
        struct mem_ptr part = mem_ptr_at(ptr, at);
        spv_id element, pointer = element_pointer(m, b, region, &part, unit, &element), piece = value;
        if (at)
            piece = spv_emitv(b, SpvOpShiftRightLogical, type, value, spv_const_u32(m->module, at * 8));
        piece = spv_emitv(b, SpvOpUConvert, unit_type, piece);
        store_unit(b, region, pointer, mem_bitcast(b, piece, element), is_volatile);
    }
}

/* How many bits the byte at ptr is above the low end of its unit: by its place in the region, which the unit's index is
 * made of, too. */
static spv_id bit_position(struct memory *m, struct spv_builder *b, const struct mem_region *region,
                           const struct mem_ptr *ptr, uint32_t unit)
{
    spv_id u32 = spv_type_int(m->module, 32);
    struct mem_ptr within = mem_ptr_at(ptr, -(int64_t)(region->views ? MEM_BIAS : region->base));
    uint64_t scales = ptr->base ? 1 : 0;
    for (uint32_t i = 0; i < ptr->num_terms; i++)
        scales |= (uint64_t)ptr->terms[i].scale;
    if (!(scales & (unit - 1))) { /* only the constant part moves within the unit */
        uint64_t place = (uint64_t)within.offset + (ptr->variable ? mem_variable_number(m, ptr->variable) : 0);
        return spv_const_u32(m->module, (uint32_t)(place & (unit - 1)) * 8);
    }
    /* The mask comes last: a GPU looks at no other bits of a shift's count, so that its compiler leaves the mask out. */
    spv_id bits = spv_emitv(b, SpvOpShiftLeftLogical, u32, mem_number(m, b, &within), spv_const_u32(m->module, 3));
    return spv_emitv(b, SpvOpBitwiseAnd, u32, bits, spv_const_u32(m->module, unit * 8 - 1));
}

static void store_part(struct memory *m, struct spv_builder *b, struct mem_region *region, const struct mem_ptr *ptr,
                       uint32_t unit, uint32_t size, spv_id value)
{
    spv_id element, pointer = element_pointer(m, b, region, ptr, unit, &element);
    spv_id type = spv_type_int(m->module, unit * 8), shift = bit_position(m, b, region, ptr, unit);
    spv_id ones = mem_int(m->module, type, ((uint64_t)1 << (size * 8)) - 1);
    spv_id mask = spv_emitv(b, SpvOpNot, type, spv_emitv(b, SpvOpShiftLeftLogical, type, ones, shift));
    spv_id bits = spv_emitv(b, SpvOpUConvert, type, value);
    bits = spv_emitv(b, SpvOpShiftLeftLogical, type, bits, shift);
    if (region->space == MEM_LOCAL) {
        assert(unit >= 4); /* no device has narrower atomics */
        spv_id scope = spv_const_u32(m->module, SpvScopeWorkgroup), relaxed = spv_const_u32(m->module, 0);
        spv_emitv(b, SpvOpAtomicAnd, type, pointer, scope, relaxed, mask);
        spv_emitv(b, SpvOpAtomicOr, type, pointer, scope, relaxed, bits);
        return;
    }
    spv_id old = mem_bitcast(b, spv_emitv(b, SpvOpLoad, element, pointer), type);
    old = spv_emitv(b, SpvOpBitwiseAnd, type, old, mask);
    old = spv_emitv(b, SpvOpBitwiseOr, type, old, bits);
    spv_emitv_void(b, SpvOpStore, pointer, mem_bitcast(b, old, element));
}

spv_id mem_region_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id type,
                       bool is_volatile)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (!region) /* a null pointer */
        return spv_undef(m->module, type);
    uint32_t unit = unit_for(m, region, size);
    if (unit < size)
        return mem_bitcast(b, load_wide(m, b, region, ptr, unit, size, is_volatile), type);
    spv_id element, pointer = element_pointer(m, b, region, ptr, unit, &element);
    spv_id value = load_unit(b, region, pointer, element, is_volatile);
    if (unit == size)
        return mem_bitcast(b, value, type);
    spv_id unit_type = spv_type_int(m->module, unit * 8);
    value = spv_emitv(b, SpvOpShiftRightLogical, unit_type, mem_bitcast(b, value, unit_type),
                      bit_position(m, b, region, ptr, unit));
    return mem_bitcast(b, spv_emitv(b, SpvOpUConvert, spv_type_int(m->module, size * 8), value), type);
}

void mem_region_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                      bool is_volatile)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (!region)
        return;
    uint32_t unit = unit_for(m, region, size);
    spv_id bits_type = spv_type_int(m->module, size * 8), element;
    if (unit < size) {
        store_wide(m, b, region, ptr, unit, size, mem_bitcast(b, value, bits_type), is_volatile);
    } else if (unit == size) {
        spv_id pointer = element_pointer(m, b, region, ptr, unit, &element);
        store_unit(b, region, pointer, mem_bitcast(b, value, element), is_volatile);
    } else {
        store_part(m, b, region, ptr, unit, size, mem_bitcast(b, value, bits_type));
    }
}

/* Through an explicit layout up to 16 bytes are moved at once, bytes and 16-bit numbers as the words that they fill. */
static uint32_t step_of_views(const struct memory *m, uint32_t count, uint32_t size, uint32_t align)
{
    if (size < 4)
        return align >= 4 && count % (4 / size) == 0 ? 4 / size : 1;
    if (size == 8 && !m->target->int64)
        return 1;
    uint32_t most = 16 / size;
    while (most > 1 && (align < most * size || count % most))
        most /= 2;
    return most;
}

uint32_t mem_region_step(struct memory *m, const struct mem_ptr *ptr, uint32_t count, uint32_t size, uint32_t align)
{
    const struct mem_region *region = mem_region_of(m, ptr);
    if (region && region->views)
        return step_of_views(m, count, size, align);
    if (region && region->words && size < 4)
        return 4 / size;
    if (!region || region->space != MEM_LOCAL || region->lanes < 2 || size != region->unit || count % region->lanes ||
        align < size * region->lanes)
        return 1;
    return region->lanes;
}

/* A pointer to what is moved at once, and its type. */
static spv_id moved_vector(struct memory *m, struct spv_builder *b, struct mem_region *region,
                           const struct mem_ptr *ptr, spv_id type, spv_id *stored)
{
    if (!region->views)
        return vector_pointer(m, b, region, ptr, stored);
    *stored = spv_type_vector(m->module, spv_type_int(m->module, spv_type_width(m->module, type)),
                              spv_type_count(m->module, type));
    return mem_region_view(m, b, ptr, *stored);
}

spv_id mem_region_load_vector(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                              bool is_volatile)
{
    struct mem_region *region = mem_region_of(m, ptr);
    spv_id stored, pointer = moved_vector(m, b, region, ptr, type, &stored);
    return mem_bitcast(b, load_unit(b, region, pointer, stored, is_volatile), type);
}

void mem_region_store_vector(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id value,
                             bool is_volatile)
{
    struct mem_region *region = mem_region_of(m, ptr);
    spv_id stored, pointer = moved_vector(m, b, region, ptr, spv_value_type(m->module, value), &stored);
    store_unit(b, region, pointer, mem_bitcast(b, value, stored), is_volatile);
}

/* ---- scratch ---- */

/* Computes scratch buffer + linear work-item of the dispatch * bytes per item, into a variable that helper functions
 * see as well. */
static void compute_scratch(struct memory *m)
{
    spv_id u64 = spv_type_int(m->module, 64), pointer = spv_type_pointer(m->module, SpvStorageClassPrivate, u64);
    m->scratch_variable = spv_global_variable(m->module, pointer, SpvStorageClassPrivate, 0);
    struct spv_builder b = {m->module, m->lower->kernel, m->lower->kernel->first_block, NULL};
    b.before = b.block->insts.first;
    while (b.before && b.before->op == SpvOpVariable)
        b.before = b.before->next;
    spv_id item = lower_emit_linear_item(m->lower, &b);
    spv_id offset = spv_emitv(&b, SpvOpIMul, u64, item, spv_const_u64(m->module, m->lower->out->scratch_size));
    spv_id start = lower_emit_launch_value(m->lower, &b, CLC_LAUNCH_SCRATCH, 0);
    spv_emitv_void(&b, SpvOpStore, m->scratch_variable, spv_emitv(&b, SpvOpIAdd, u64, start, offset));
}

struct mem_ptr mem_scratch_ptr(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr)
{
    struct mem_region *region = mem_region_of(m, ptr);
    spv_id u64 = spv_type_int(m->module, 64);
    if (!m->scratch_variable)
        compute_scratch(m);
    spv_id base = spv_emitv(b, SpvOpLoad, u64, m->scratch_variable);
    spv_id index = mem_element_index(m, b, ptr, region->base, 1);
    if (is_left(m, ptr))
        index = keep_below(m, b, index, spv_const_u32(m->module, (uint32_t)region->size));
    spv_id number = spv_emitv(b, SpvOpIAdd, u64, base, spv_emitv(b, SpvOpUConvert, u64, index));
    struct mem_ptr scratch = mem_ptr_from(MEM_GLOBAL, MEM_NODE_NONE, number);
    scratch.offset = (int64_t)region->scratch_offset;
    return scratch;
}
