/* Constants and the initialisers of program-scope objects.
 *
 * An initialiser is first written into an image of the object's bytes, as it will lie in memory, with the addresses in
 * it kept aside; then the image is read back by the SPIR-V type. One way serves nested lists, strings, unions, padding
 * and packed records alike, because none of them exists any more in bytes. Local objects use the same image for their
 * constant leaves. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

#include <string.h>

#define MAX_IMAGE      ((uint64_t)64 << 20)
#define MAX_IMAGES     ((uint64_t)128 << 20) /* of one program, together */
#define MAX_COMPOSITE  65000u                /* an instruction has at most 65535 words (SPIR-V 1.6, 2.3) */
#define MAX_INIT_DEPTH 500

/* ---- scalar and vector constants ---- */

static uint64_t float_bits(const struct type *type, double value)
{
    union {
        float f;
        uint32_t u;
    } single;
    union {
        double d;
        uint64_t u;
    } whole;
    switch (type->kind) {
    case TYPE_HALF:
        return half_from_double(value);
    case TYPE_FLOAT:
        single.f = (float)value;
        return single.u;
    default:
        whole.d = value;
        return whole.u;
    }
}

static uint64_t truncate_bits(uint64_t bits, uint64_t size)
{
    return size >= 8 ? bits : bits & (((uint64_t)1 << size * 8) - 1);
}

static spv_id const_bool(struct emit *e, spv_id type, uint32_t lanes, bool value)
{
    spv_id scalar = spv_const_bool(e->module, value);
    if (lanes == 1)
        return scalar;
    spv_id parts[16];
    for (uint32_t i = 0; i < lanes; i++)
        parts[i] = scalar;
    return spv_const_composite(e->module, type, lanes, parts);
}

spv_id emit_const_bits(struct emit *e, spv_id type, uint64_t bits)
{
    uint64_t hash = (bits ^ (uint64_t)type << 32) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 58); /* 64 of them */
    if (e->numbers[at].type != type || e->numbers[at].bits != bits) {
        e->numbers[at].id = spv_const_bits(e->module, type, bits);
        e->numbers[at].type = type;
        e->numbers[at].bits = bits;
    }
    return e->numbers[at].id;
}

spv_id emit_const_int(struct emit *e, const struct type *type, uint64_t bits)
{
    type = emit_canonical(type);
    const struct type *element = emit_canonical(type_element(type));
    spv_id id = emit_type(e, type);
    if (type->kind >= TYPE_CHAR && type->kind <= TYPE_ULONG)
        return emit_const_bits(e, id, truncate_bits(bits, type->size));
    if (element->kind == TYPE_BOOL)
        return const_bool(e, id, type_lanes(type), bits != 0);
    if (type_is_float_kind(element->kind))
        return emit_const_float(e, type, (double)(int64_t)bits);
    return spv_const_splat(e->module, id, truncate_bits(bits, element->size));
}

spv_id emit_const_float(struct emit *e, const struct type *type, double value)
{
    type = emit_canonical(type);
    return spv_const_splat(e->module, emit_type(e, type), float_bits(type_element(type), value));
}

spv_id emit_null(struct emit *e, const struct type *type)
{
    type = emit_canonical(type);
    const struct type *element = emit_canonical(type_element(type));
    if (element->kind == TYPE_BOOL || type_is_integer_kind(element->kind))
        return emit_const_int(e, type, 0);
    if (type_is_float_kind(element->kind))
        return emit_const_float(e, type, 0.0);
    return spv_const_null(e->module, emit_type(e, type));
}

spv_id emit_string(struct emit *e, const struct expr *string)
{
    uint64_t count = string->type.type->kind == TYPE_ARRAY ? string->type.type->array.count : string->string.length;
    if (!count)
        count = 1;
    char *bytes = arena_alloc(e->arena, count);
    memcpy(bytes, string->string.bytes, u64_min(count, string->string.length));
    if (str_map_has(&e->strings, bytes, count))
        return (spv_id)(uintptr_t)str_map_get(&e->strings, bytes, count);
    spv_id byte = emit_int_type(e, 8);
    spv_id array = spv_type_array(e->module, byte, (uint32_t)count);
    spv_id value = spv_const_null(e->module, array);
    if (count <= MAX_COMPOSITE) {
        spv_id *parts = arena_array(e->arena, spv_id, count);
        for (uint64_t i = 0; i < count; i++)
            parts[i] = spv_const_bits(e->module, byte, (uint8_t)bytes[i]);
        value = spv_const_composite(e->module, array, (uint32_t)count, parts);
    } else {
        pp_error(e->front, string->loc, "string literal of %llu bytes is too long", (unsigned long long)count);
    }
    spv_id variable =
        spv_global_variable(e->module, emit_pointer_to(e, array, AS_CONSTANT), SpvStorageClassUniformConstant, value);
    str_map_set(e->arena, &e->strings, bytes, count, (void *)(uintptr_t)variable);
    return variable;
}

static bool fold(struct emit *e, struct expr *expr, struct const_value *value)
{
    if (expr->is_constant) {
        *value = expr_value(expr);
        return value->kind != CONST_NONE;
    }
    return clc_const_evaluate(e->front, expr, value) && value->kind != CONST_NONE;
}

spv_id emit_sampler(struct emit *e, struct expr *init)
{
    struct const_value value = {0};
    src_loc loc = init->loc;
    while (init->kind == EXPR_CAST && !init->is_constant)
        init = init->cast.operand;
    spv_id type = spv_type(e->module, SpvOpTypeSampler, 0, NULL);
    if (init->kind == EXPR_DECL && init->decl->type.type->kind == TYPE_SAMPLER)
        return emit_handle(e, init->decl);
    if (!fold(e, init, &value) || value.kind != CONST_INT) {
        pp_error(e->front, loc, "sampler is not initialized with a constant");
        return spv_undef(e->module, type);
    }
    uint64_t bits = value.integer & 0x3f;
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&e->samplers, bits);
    if (!known) { /* bit 0: normalized coordinates; bits 1-3: addressing; bit 5: linear (as the CLK_ macros are) */
        emit_capability(e, SpvCapabilityImageBasic); /* without which there are no samplers */
        emit_capability(e, SpvCapabilityLiteralSampler);
        const uint32_t words[] = {bits >> 1 & 7, bits & 1,
                                  bits & 0x20 ? SpvSamplerFilterModeLinear : SpvSamplerFilterModeNearest};
        known = spv_const_inst(e->module, SpvOpConstantSampler, type, 3, words);
        u64_map_set(e->arena, &e->samplers, bits, (void *)(uintptr_t)known);
    }
    return known;
}

/* ---- the image ---- */

struct relocation {
    uint64_t offset;
    struct const_value value;
};

struct image {
    struct emit *e;
    uint8_t *bytes;
    uint64_t size;
    VEC(struct relocation) relocations; /* by offset */
    VEC(uint64_t) dynamic_offsets;      /* of the leaves in dynamic */
    expr_list *dynamic;                 /* not NULL: leaves that are no constants go here, addresses among them */
    struct expr *failed;                /* the leaf that is no constant */
};

static bool write_init(struct image *image, uint64_t offset, const struct type *type, struct expr *init,
                       uint32_t depth);

/* A constant that overrides computed leaves: C 6.7.9, 19 lets these be dropped unevaluated. */
static void override_dynamic(struct image *image, uint64_t offset, uint64_t size)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < image->dynamic->length; i++) {
        if (image->dynamic_offsets.data[i] - offset < size)
            continue;
        image->dynamic->data[kept] = image->dynamic->data[i];
        image->dynamic_offsets.data[kept++] = image->dynamic_offsets.data[i];
    }
    image->dynamic->length = image->dynamic_offsets.length = kept;
}

/* The first at offset or behind it. */
static uint32_t find_relocation(const struct image *image, uint64_t offset)
{
    uint32_t from = 0, to = image->relocations.length;
    if (to && image->relocations.data[to - 1].offset < offset) /* most come in order */
        return to;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (image->relocations.data[middle].offset < offset)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void drop_relocations(struct image *image, uint64_t offset, uint64_t size)
{
    uint32_t from = find_relocation(image, offset), to = find_relocation(image, offset + size);
    struct relocation *data = image->relocations.data;
    if (from == to)
        return;
    memmove(data + from, data + to, (image->relocations.length - to) * sizeof(*data));
    image->relocations.length -= to - from;
}

static void add_relocation(struct image *image, uint64_t offset, const struct const_value *value)
{
    uint32_t at = find_relocation(image, offset), count = image->relocations.length;
    vec_push(image->e->arena, &image->relocations, (struct relocation){0});
    struct relocation *data = image->relocations.data;
    memmove(data + at + 1, data + at, (count - at) * sizeof(*data));
    data[at] = (struct relocation){offset, *value};
}

static void write_bytes(struct image *image, uint64_t offset, const void *data, uint64_t size)
{
    if (offset > image->size || size > image->size - offset)
        return;
    memcpy(image->bytes + offset, data, size);
    if (image->relocations.length)
        drop_relocations(image, offset, size);
    if (image->dynamic)
        override_dynamic(image, offset, size);
}

static bool write_scalar(struct image *image, uint64_t offset, const struct type *type, const struct const_value *value)
{
    uint64_t bits = value->integer;
    if (value->kind == CONST_ADDRESS) {
        if (image->dynamic || type->size != 8 || offset > image->size || image->size - offset < 8)
            return false;
        write_bytes(image, offset, &(uint64_t){0}, 8);
        add_relocation(image, offset, value);
        return true;
    }
    if (type_is_float_kind(type->kind))
        bits = float_bits(type, value->kind == CONST_FLOAT ? value->floating : (double)(int64_t)value->integer);
    else if (value->kind == CONST_FLOAT)
        return false;
    if (type->kind == TYPE_BOOL)
        bits = bits != 0;
    write_bytes(image, offset, &bits, u64_min(type->size, 8)); /* little endian, as the host is */
    return true;
}

static bool write_list(struct image *image, uint64_t offset, const struct type *type, struct expr *init, uint32_t depth)
{
    const struct type *number = type->kind == TYPE_ARRAY ? type->array.element.type : NULL;
    bool numbers = number && number->kind >= TYPE_CHAR && number->kind <= TYPE_ULONG;
    for (uint32_t i = 0; i < init->init.num_entries; i++) {
        const struct expr *value = init->init.entries[i].value;
        if (numbers && value->kind == EXPR_INT) {
            write_bytes(image, offset + init->init.entries[i].index * number->size, &value->integer, number->size);
            continue;
        }
        const struct init_entry *entry = &init->init.entries[i];
        const struct type *part = type;
        uint64_t at = offset;
        if (type->kind == TYPE_ARRAY) {
            part = type->array.element.type;
            at += entry->index * part->size;
        } else if (type->kind == TYPE_VECTOR) {
            part = type->vector.element;
            at += entry->index * part->size;
        } else if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION) {
            if (entry->index >= type->record.num_fields)
                continue;
            part = type->record.fields[entry->index].type.type;
            at += type->record.fields[entry->index].offset;
        }
        if (!write_init(image, at, part, entry->value, depth + 1))
            return false;
    }
    return true;
}

static bool write_leaf(struct image *image, uint64_t offset, const struct type *type, struct expr *init)
{
    struct const_value value = {0};
    if (type->kind == TYPE_VECTOR) {
        for (uint32_t i = 0; i < type->vector.count; i++) {
            if (!clc_const_lane(image->e->front, init, i, &value) || value.kind == CONST_NONE ||
                !write_scalar(image, offset + i * type->vector.element->size, type->vector.element, &value))
                return false;
        }
        return true;
    }
    if (init->kind == EXPR_CAST && init->cast.cast == CAST_NULL_POINTER) {
        write_bytes(image, offset, &(uint64_t){0}, u64_min(type->size, 8));
        return true;
    }
    return !type_is_aggregate(type) && fold(image->e, init, &value) && write_scalar(image, offset, type, &value);
}

/* The initialiser behind an rvalue of aggregate type: a compound literal's, or a constant's. */
static struct expr *aggregate_source(struct expr *init)
{
    while (init->kind == EXPR_CAST && (init->cast.cast == CAST_LVALUE_TO_RVALUE || init->cast.cast == CAST_NOP))
        init = init->cast.operand;
    if (init->kind == EXPR_COMPOUND)
        return init->compound.variable->var.init;
    if (init->kind == EXPR_DECL && init->decl->kind == DECL_VARIABLE && (init->decl->type.quals & QUAL_CONST) &&
        init->decl->type.address_space == AS_CONSTANT)
        return init->decl->var.init;
    return NULL;
}

static bool write_init(struct image *image, uint64_t offset, const struct type *type, struct expr *init, uint32_t depth)
{
    type = emit_canonical(type);
    if (depth > MAX_INIT_DEPTH)
        pp_fatal(image->e->front, init->loc, "initializer is nested too deeply");
    if (init->kind == EXPR_INIT_LIST) {
        return write_list(image, offset, type, init, depth);
    }
    if (init->kind == EXPR_STRING && type->kind == TYPE_ARRAY) {
        write_bytes(image, offset, init->string.bytes, u64_min(init->string.length, type->size));
        return true;
    }
    if (write_leaf(image, offset, type, init))
        return true;
    struct expr *source = type_is_aggregate(type) && !image->dynamic ? aggregate_source(init) : NULL;
    if (source && source != init)
        return write_init(image, offset, type, source, depth + 1);
    if (image->dynamic) {
        vec_push(image->e->arena, image->dynamic, init);
        vec_push(image->e->arena, &image->dynamic_offsets, offset);
        return true;
    }
    image->failed = init;
    return false;
}

/* ---- from the image to constants ---- */

static bool image_is_zero(const struct image *image, uint64_t offset, uint64_t size)
{
    if (find_relocation(image, offset) != find_relocation(image, offset + size))
        return false;
    size = offset < image->size ? u64_min(size, image->size - offset) : 0;
    const uint8_t *bytes = image->bytes + offset;
    return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static spv_id constant_op(struct emit *e, SpvOp op, spv_id type, uint32_t count, const spv_id *operands)
{
    uint32_t words[4] = {op};
    memcpy(words + 1, operands, count * sizeof(*operands));
    return spv_const_inst(e->module, SpvOpSpecConstantOp, type, count + 1, words);
}

/* A constant pointer of the given type: the base's address plus a byte offset. */
static spv_id address_constant(struct emit *e, const struct const_value *value, spv_id type, src_loc loc)
{
    spv_id base = value->base_string ? emit_string(e, value->base_string) : 0;
    if (!base && value->base && value->base->kind == DECL_VARIABLE)
        base = emit_global_variable(e, value->base);
    if (!base) {
        pp_error(e->front, loc, "initializer element is not a compile-time constant");
        return spv_const_null(e->module, type);
    }
    spv_id have = spv_value_type(e->module, base);
    SpvStorageClass from = spv_pointer_storage(e->module, have), to = spv_pointer_storage(e->module, type);
    spv_id pointee = spv_pointer_pointee(e->module, type);
    spv_id target = spv_type_pointer(e->module, from, pointee);
    spv_id zero = spv_const_u64(e->module, 0);
    spv_id whole = spv_pointer_pointee(e->module, have);
    uint64_t step = emit_natural_size(e, pointee);
    spv_id id;
    if (spv_type_op(e->module, whole) == SpvOpTypeArray && spv_def(e->module, whole)->words[0] == pointee && step &&
        value->integer % step == 0) {
        spv_id index = spv_const_u64(e->module, value->integer / step);
        id = constant_op(e, SpvOpInBoundsPtrAccessChain, target, 3, (spv_id[]){base, zero, index});
    } else if (value->integer) {
        spv_id bytes = spv_type_pointer(e->module, from, emit_int_type(e, 8));
        spv_id offset = spv_const_u64(e->module, value->integer);
        id = constant_op(e, SpvOpBitcast, bytes, 1, &base);
        id = constant_op(e, SpvOpInBoundsPtrAccessChain, bytes, 2, (spv_id[]){id, offset});
        if (bytes != target)
            id = constant_op(e, SpvOpBitcast, target, 1, &id);
    } else {
        id = constant_op(e, SpvOpBitcast, target, 1, &base);
    }
    if (from != to) {
        emit_capability(e, SpvCapabilityGenericPointer);
        id = constant_op(e, SpvOpPtrCastToGeneric, type, 1, &id);
    }
    return id;
}

static spv_id image_scalar(struct image *image, uint64_t offset, spv_id type)
{
    struct emit *e = image->e;
    uint16_t op = spv_type_op(e->module, type);
    uint64_t bits = 0, size = op == SpvOpTypePointer ? 8 : spv_type_width(e->module, type) / 8;
    uint32_t at = find_relocation(image, offset);
    const struct relocation *relocation = at < image->relocations.length ? &image->relocations.data[at] : NULL;
    if (relocation && relocation->offset == offset && size == 8) {
        if (op == SpvOpTypePointer)
            return address_constant(e, &relocation->value, type, 0);
        spv_id bytes = emit_pointer_to(e, emit_int_type(e, 8), AS_CONSTANT);
        if (relocation->value.base)
            bytes = emit_pointer_to(e, emit_int_type(e, 8), relocation->value.base->type.address_space);
        spv_id address = address_constant(e, &relocation->value, bytes, 0);
        return constant_op(e, SpvOpConvertPtrToU, type, 1, &address);
    }
    if (offset <= image->size && size <= image->size - offset)
        memcpy(&bits, image->bytes + offset, size);
    if (op != SpvOpTypePointer)
        return spv_const_bits(e->module, type, bits);
    if (!bits)
        return spv_const_null(e->module, type);
    spv_id number = spv_const_u64(e->module, bits);
    return constant_op(e, SpvOpConvertUToPtr, type, 1, &number);
}

/* Elements of an array that are numbers and no addresses: tables are thousands of them. */
static bool image_numbers(struct image *image, uint64_t offset, spv_id type, uint64_t count, spv_id *parts)
{
    struct spv_module *module = image->e->module;
    uint16_t op = spv_type_op(module, type);
    if (image->relocations.length || (op != SpvOpTypeInt && op != SpvOpTypeFloat))
        return false;
    uint64_t size = spv_type_width(module, type) / 8;
    if (offset > image->size || count > (image->size - offset) / size)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, image->bytes + offset + i * size, size);
        parts[i] = spv_const_bits(module, type, bits);
    }
    return true;
}

static spv_id image_constant(struct image *image, uint64_t offset, spv_id type)
{
    struct emit *e = image->e;
    const struct spv_inst *inst = spv_def(e->module, type);
    const struct spv_layout *layout = spv_layout_of(&e->layouts, type);
    bool composite = inst->op == SpvOpTypeArray || inst->op == SpvOpTypeStruct || inst->op == SpvOpTypeVector;
    if (!composite && inst->op != SpvOpTypePointer && inst->op != SpvOpTypeInt && inst->op != SpvOpTypeFloat)
        return spv_const_null(e->module, type);
    if (!composite)
        return image_scalar(image, offset, type);
    if (image_is_zero(image, offset, layout->size))
        return spv_const_null(e->module, type);
    uint64_t count = inst->op == SpvOpTypeArray    ? spv_array_length(e->module, type)
                     : inst->op == SpvOpTypeVector ? inst->words[1]
                                                   : inst->num_words;
    if (count > MAX_COMPOSITE) {
        pp_error(e->front, 0, "initializer of %llu elements is too large", (unsigned long long)count);
        return spv_const_null(e->module, type);
    }
    spv_id *parts = arena_array(e->arena, spv_id, count);
    if (inst->op == SpvOpTypeArray && image_numbers(image, offset, inst->words[0], count, parts))
        return spv_const_composite(e->module, type, (uint32_t)count, parts);
    for (uint64_t i = 0; i < count; i++) {
        spv_id part = inst->op == SpvOpTypeStruct ? inst->words[i] : inst->words[0];
        uint64_t at = inst->op == SpvOpTypeStruct ? layout->offsets[i] : i * spv_layout_of(&e->layouts, part)->size;
        parts[i] = image_constant(image, offset + at, part);
    }
    return spv_const_composite(e->module, type, (uint32_t)count, parts);
}

static void image_init(struct image *image, struct emit *e, const struct type *type, struct expr *init,
                       expr_list *dynamic)
{
    if (type->size > MAX_IMAGE)
        pp_fatal(e->front, init->loc, "initialized object of %llu bytes is too large", (unsigned long long)type->size);
    e->image_bytes += type->size;
    if (e->image_bytes > MAX_IMAGES)
        pp_fatal(e->front, init->loc, "initialized objects of more than %llu bytes together are too large",
                 (unsigned long long)MAX_IMAGES);
    *image = (struct image){.e = e, .size = type->size, .dynamic = dynamic};
    image->bytes = arena_alloc(e->arena, type->size + 1);
}

static bool static_image(struct image *image, struct emit *e, const struct type *type, struct expr *init)
{
    image_init(image, e, type, init, NULL);
    if (write_init(image, 0, type, init, 0))
        return true;
    pp_error(e->front, image->failed ? image->failed->loc : init->loc,
             "initializer element is not a compile-time constant");
    return false;
}

spv_id emit_static_initialiser(struct emit *e, struct qual_type type, struct expr *init)
{
    struct image image;
    if (!static_image(&image, e, type.type, init))
        return 0;
    return image_constant(&image, 0, emit_memory_type(e, type.type));
}

bool emit_is_oversized(const struct type *type)
{
    return type->kind == TYPE_ARRAY && type->array.count > MAX_COMPOSITE;
}

spv_id emit_oversized_initialiser(struct emit *e, struct qual_type type, struct expr *init, spv_id *memory_type)
{
    struct image image;
    VEC(spv_id) types = {0};
    VEC(spv_id) parts = {0};
    spv_id element = emit_memory_type(e, type.type->array.element.type);
    bool fine = static_image(&image, e, type.type, init);
    for (uint64_t at = 0; at < type.type->array.count; at += MAX_COMPOSITE) {
        uint64_t count = u64_min(type.type->array.count - at, MAX_COMPOSITE);
        spv_id part = spv_type_array(e->module, element, (uint32_t)count);
        vec_push(e->arena, &types, part);
        if (fine)
            vec_push(e->arena, &parts, image_constant(&image, at * type.type->array.element.type->size, part));
    }
    *memory_type = spv_type_struct(e->module, types.length, types.data);
    return fine ? spv_const_composite(e->module, *memory_type, parts.length, parts.data) : 0;
}

spv_id emit_partial_initialiser(struct emit *e, struct qual_type type, struct expr *init, expr_list *dynamic,
                                bool *all_zero)
{
    struct image image;
    image_init(&image, e, type.type, init, dynamic);
    write_init(&image, 0, type.type, init, 0);
    *all_zero = image_is_zero(&image, 0, image.size);
    return image_constant(&image, 0, emit_memory_type(e, type.type));
}
