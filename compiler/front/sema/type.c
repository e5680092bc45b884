/* Types: the common ones made once, the derived ones made unique, records laid out.
 *
 * Pointers, arrays, functions, blocks and pipes are looked up by structure, so that equal types are one object and most
 * comparisons are one pointer compare. Typedef names ("sugar") are not part of a type: they ride in qual_type, with the
 * count of pointers and arrays derived since, and only messages look at them. OpenCL C 3.0, 6.3.1-6.3.5 (sizes,
 * alignment). */
#include "compiler/front/sema/sema.h"

static const uint32_t lane_counts[5] = {2, 3, 4, 8, 16};

static struct type *type_new(struct clc_front *front, enum type_kind kind, uint64_t size, uint32_t align)
{
    struct type *type = arena_new(front->arena, struct type);
    type->kind = kind;
    type->size = size;
    type->align = align;
    return type;
}

static int lane_index(uint32_t count)
{
    for (int i = 0; i < 5; i++)
        if (lane_counts[i] == count)
            return i;
    return -1;
}

void clc_types_init(struct clc_front *front)
{
    static const uint8_t sizes[TYPE_DOUBLE + 1] = {
        [TYPE_POISON] = 1, [TYPE_VOID] = 0,   [TYPE_BOOL] = 1,  [TYPE_CHAR] = 1,   [TYPE_UCHAR] = 1,
        [TYPE_SHORT] = 2,  [TYPE_USHORT] = 2, [TYPE_INT] = 4,   [TYPE_UINT] = 4,   [TYPE_LONG] = 8,
        [TYPE_ULONG] = 8,  [TYPE_HALF] = 2,   [TYPE_FLOAT] = 4, [TYPE_DOUBLE] = 8,
    };
    struct type_table *types = front->types = arena_new(front->arena, struct type_table);
    for (int kind = 0; kind <= TYPE_DOUBLE; kind++) {
        struct type *type = type_new(front, (enum type_kind)kind, sizes[kind], sizes[kind] ? sizes[kind] : 1);
        type->incomplete = kind == TYPE_VOID;
        types->scalars[kind] = type;
    }
    types->any_matrix = type_new(front, TYPE_MATRIX, 1, 1);
    types->sampler = type_new(front, TYPE_SAMPLER, 8, 8);
    types->event = type_new(front, TYPE_EVENT, 8, 8);
    types->queue = type_new(front, TYPE_QUEUE, 8, 8);
    types->ndrange = type_new(front, TYPE_NDRANGE, 80, 8);
    types->clk_event = type_new(front, TYPE_CLK_EVENT, 8, 8);
    types->reserve_id = type_new(front, TYPE_RESERVE_ID, 8, 8);
}

const struct type *type_scalar(struct sema *s, enum type_kind kind)
{
    return s->front->types->scalars[kind];
}

const struct type *clc_type_vector(struct clc_front *front, const struct type *element, uint32_t count)
{
    if (count == 1)
        return element;
    int index = lane_index(count);
    if (index < 0 || element->kind > TYPE_DOUBLE)
        return front->types->scalars[TYPE_POISON];
    const struct type **slot = &front->types->vectors[element->kind][index];
    if (!*slot) {
        /* 6.3.3: a 3-component vector has size and alignment of 4 */
        uint64_t size = element->size * (count == 3 ? 4 : count);
        struct type *type = type_new(front, TYPE_VECTOR, size, (uint32_t)size);
        type->vector.element = element;
        type->vector.count = count;
        *slot = type;
    }
    return *slot;
}

const struct type *type_image(struct sema *s, enum image_kind kind, uint8_t access)
{
    int index = access == QUAL_WRITE_ONLY ? 1 : access == QUAL_READ_WRITE ? 2 : 0;
    const struct type **slot = &s->front->types->images[kind][index];
    if (!*slot) {
        struct type *type = type_new(s->front, TYPE_IMAGE, 8, 8);
        type->image.dim = kind;
        type->image.access = access ? access : (uint8_t)QUAL_READ_ONLY;
        *slot = type;
    }
    return *slot;
}

/* ---- uniqueness ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

static uint64_t mix_qual(uint64_t hash, struct qual_type type)
{
    return mix(hash,
               (uint64_t)(uintptr_t)type.type ^ ((uint64_t)type.quals << 56) ^ ((uint64_t)type.address_space << 48));
}

static bool qual_identical(struct qual_type a, struct qual_type b)
{
    return a.type == b.type && a.quals == b.quals && a.address_space == b.address_space;
}

static struct qual_type plain(struct qual_type type)
{
    type.sugar = NULL;
    type.sugar_depth = 0;
    return type;
}

static void unique_add(struct clc_front *front, uint64_t hash, struct type *type)
{
    type->unique_next = u64_map_get(&front->types->unique, hash);
    u64_map_set(front->arena, &front->types->unique, hash, type);
}

static const struct type *pointer_like(struct clc_front *front, enum type_kind kind, struct qual_type pointee,
                                       uint8_t access)
{
    pointee = plain(pointee);
    uint64_t hash = mix(mix_qual(kind, pointee), access);
    for (const struct type *t = u64_map_get(&front->types->unique, hash); t; t = t->unique_next) {
        if (t->kind != kind)
            continue;
        if (kind == TYPE_PIPE ? qual_identical(t->pipe.packet, pointee) && t->pipe.access == access
                              : qual_identical(t->pointer.pointee, pointee))
            return t;
    }
    struct type *type = type_new(front, kind, 8, 8);
    if (kind == TYPE_PIPE) {
        type->pipe.packet = pointee;
        type->pipe.access = access;
    } else {
        type->pointer.pointee = pointee;
    }
    unique_add(front, hash, type);
    return type;
}

const struct type *clc_type_pointer(struct clc_front *front, struct qual_type pointee)
{
    /* the types are ours: const only keeps others from changing them */
    struct type *target = (struct type *)pointee.type;
    if (pointee.quals || pointee.address_space > AS_GENERIC)
        return pointer_like(front, TYPE_POINTER, pointee, 0);
    if (!target->pointer_to[pointee.address_space])
        target->pointer_to[pointee.address_space] = pointer_like(front, TYPE_POINTER, pointee, 0);
    return target->pointer_to[pointee.address_space];
}

/* It has the size of an element: how much of it a work-item holds is the device's matter. */
const struct type *clc_type_matrix(struct clc_front *front, const struct type *element, uint32_t rows, uint32_t columns,
                                   enum matrix_use use, enum matrix_encoding encoding)
{
    uint64_t hash = mix(mix(mix(mix(mix(TYPE_MATRIX, encoding), (uint64_t)(uintptr_t)element), rows), columns), use);
    for (const struct type *t = u64_map_get(&front->types->unique, hash); t; t = t->unique_next) {
        if (t->kind == TYPE_MATRIX && t->matrix.element == element && t->matrix.rows == rows &&
            t->matrix.columns == columns && t->matrix.use == use && t->matrix.encoding == encoding)
            return t;
    }
    struct type *type = type_new(front, TYPE_MATRIX, element->size, element->align);
    type->matrix.element = element;
    type->matrix.rows = rows;
    type->matrix.columns = columns;
    type->matrix.use = use;
    type->matrix.encoding = encoding;
    unique_add(front, hash, type);
    return type;
}

const struct type *type_block(struct sema *s, const struct type *function)
{
    return pointer_like(s->front, TYPE_BLOCK, qt(function), 0);
}

const struct type *type_pipe(struct sema *s, struct qual_type packet, uint8_t access)
{
    return pointer_like(s->front, TYPE_PIPE, packet, access ? access : (uint8_t)QUAL_READ_ONLY);
}

const struct type *clc_type_array(struct clc_front *front, struct qual_type element, uint64_t count)
{
    element = plain(element);
    element.address_space = AS_PRIVATE;
    uint64_t hash = mix(mix_qual(TYPE_ARRAY, element), count);
    for (const struct type *t = u64_map_get(&front->types->unique, hash); t; t = t->unique_next)
        if (t->kind == TYPE_ARRAY && t->array.count == count && !t->incomplete &&
            qual_identical(t->array.element, element))
            return t;
    if (element.type->size && count > SEMA_MAX_OBJECT / element.type->size)
        return front->types->scalars[TYPE_POISON];
    struct type *type = type_new(front, TYPE_ARRAY, element.type->size * count, element.type->align);
    type->array.element = element;
    type->array.count = count;
    unique_add(front, hash, type);
    return type;
}

const struct type *clc_type_function(struct clc_front *front, struct qual_type result, const struct qual_type *params,
                                     uint32_t num_params, bool variadic)
{
    result = plain(result);
    uint64_t hash = mix(mix_qual(TYPE_FUNCTION, result), num_params * 2u + variadic);
    for (uint32_t i = 0; i < num_params; i++)
        hash = mix_qual(hash, params[i]);
    for (const struct type *t = u64_map_get(&front->types->unique, hash); t; t = t->unique_next) {
        if (t->kind != TYPE_FUNCTION || t->function.num_params != num_params || t->function.variadic != variadic ||
            !qual_identical(t->function.result, result))
            continue;
        uint32_t i = 0;
        while (i < num_params && qual_identical(t->function.params[i], params[i]))
            i++;
        if (i == num_params)
            return t;
    }
    struct type *type = type_new(front, TYPE_FUNCTION, 0, 1);
    type->function.result = result;
    type->function.params = arena_array(front->arena, struct qual_type, num_params + 1u);
    for (uint32_t i = 0; i < num_params; i++)
        type->function.params[i] = plain(params[i]);
    type->function.num_params = num_params;
    type->function.variadic = variadic;
    unique_add(front, hash, type);
    return type;
}

/* ---- relations ---- */

bool type_is_signed(const struct type *type)
{
    return type_is_signed_kind(type_strip_enum(type)->kind);
}

bool qual_type_same(struct qual_type a, struct qual_type b)
{
    return a.quals == b.quals && a.address_space == b.address_space && clc_type_equal(a.type, b.type);
}

/* C99, 6.2.7: compatible types. Unique types differ only through enums (compatible with their underlying type) and
 * arrays of unknown size somewhere inside. */
bool clc_type_equal(const struct type *a, const struct type *b)
{
    for (;;) {
        if (a == b)
            return true;
        if (a->kind == TYPE_ENUM && b->kind != TYPE_ENUM)
            return a->enumeration.underlying == b;
        if (b->kind == TYPE_ENUM && a->kind != TYPE_ENUM)
            return b->enumeration.underlying == a;
        if (a->kind != b->kind)
            return false;
        struct qual_type x, y;
        switch (a->kind) {
        case TYPE_POINTER:
        case TYPE_BLOCK:
            x = a->pointer.pointee;
            y = b->pointer.pointee;
            break;
        case TYPE_ARRAY:
            if (a->array.count != b->array.count && !a->incomplete && !b->incomplete)
                return false;
            x = a->array.element;
            y = b->array.element;
            break;
        case TYPE_FUNCTION:
            if (a->function.num_params != b->function.num_params || a->function.variadic != b->function.variadic)
                return false;
            for (uint32_t i = 0; i < a->function.num_params; i++)
                if (!clc_type_equal(a->function.params[i].type, b->function.params[i].type))
                    return false;
            x = a->function.result;
            y = b->function.result;
            break;
        default:
            return false;
        }
        if (x.quals != y.quals || x.address_space != y.address_space)
            return false;
        a = x.type;
        b = y.type;
    }
}

struct qual_type type_array_element(struct qual_type array)
{
    struct qual_type element = array.type->array.element;
    element.quals |= array.quals & (QUAL_CONST | QUAL_VOLATILE);
    element.address_space = array.address_space;
    return type_undo(array, element);
}

struct qual_type qual_type_unqualified(struct qual_type type)
{
    type.quals = 0;
    type.address_space = AS_PRIVATE;
    return type;
}

struct qual_type type_derived(struct qual_type from, const struct type *derived)
{
    struct qual_type result = qt(derived);
    if (from.sugar && from.sugar_depth < UINT8_MAX) {
        result.sugar = from.sugar;
        result.sugar_depth = (uint8_t)(from.sugar_depth + 1);
    }
    return result;
}

struct qual_type type_undo(struct qual_type from, struct qual_type inner)
{
    if (from.sugar && from.sugar_depth) {
        inner.sugar = from.sugar;
        inner.sugar_depth = (uint8_t)(from.sugar_depth - 1);
    }
    return inner;
}

/* ---- records ---- */

struct type *type_new_record(struct sema *s, enum type_kind kind, struct decl *tag)
{
    struct type *type = type_new(s->front, kind, 0, 1);
    type->incomplete = true;
    if (kind == TYPE_ENUM)
        type->enumeration.tag = tag;
    else
        type->record.tag = tag;
    return type;
}

/* Lays a record out by natural alignment. What is packed, by itself or with its record, has alignment 1, whatever its
 * type asks for; an aligned attribute of the member's own raises either. max_align is the bound of #pragma pack, which
 * holds for attributes too (0: none). */
void type_layout_record(struct sema *s, struct type *type, uint32_t min_align, uint32_t max_align)
{
    uint64_t end = 0, size = 0;
    uint32_t align = 1;
    for (uint32_t i = 0; i < type->record.num_fields; i++) {
        struct field *field = &type->record.fields[i];
        uint32_t own = type->record.packed || field->packed ? 1 : field->type_align;
        own = (uint32_t)u64_max(own, field->align);
        own = max_align && own > max_align ? max_align : own;
        uint64_t offset = type->kind == TYPE_UNION ? 0 : align_up(end, own);
        field->offset = offset;
        end = offset + field->type.type->size;
        size = u64_max(size, end);
        align = (uint32_t)u64_max(align, own);
        if (size > SEMA_MAX_OBJECT) {
            pp_error(s->front, field->loc, "type is too large");
            size = end = 0;
        }
    }
    type->align = (uint32_t)u64_max(align, min_align);
    type->size = align_up(size, type->align);
    type->incomplete = false;
}
