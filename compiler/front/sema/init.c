/* Initialisers. C99, 6.7.8: braces may be left out, designators may go anywhere; the parser makes a raw list as it was
 * written, and this file lays it over the type: the result has one EXPR_INIT_LIST per aggregate, and conversions at the
 * leaves. OpenCL adds vectors, which take lanes from scalars and from vectors. */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"
#include "compiler/front/sema/names.h"

/* ---- laying a list over a type ---- */

struct cursor {
    struct expr *raw;
    uint32_t position;
};

struct builder {
    struct expr *list;
    uint32_t capacity;
    uint64_t max_index; /* one more than the largest index */
};

static struct expr *convert(struct sema *s, struct qual_type *type, struct expr *raw);
static void fill(struct sema *s, struct qual_type type, struct builder *builder, struct cursor *cursor, bool braced,
                 struct designator *chain);

static struct init_entry *next_raw(struct cursor *cursor)
{
    return cursor->position < cursor->raw->init.num_entries ? &cursor->raw->init.entries[cursor->position] : NULL;
}

static void builder_init(struct sema *s, struct builder *builder, struct qual_type type, const struct expr *raw)
{
    *builder = (struct builder){0};
    builder->list = expr_new(s, EXPR_INIT_LIST, qual_type_unqualified(type), raw->loc, raw->range);
}

/* Only a designator can go back. Far back is not looked for: tables are written in order. */
static void warn_overridden(struct sema *s, const struct expr *list, uint64_t index, const struct expr *value)
{
    enum { FAR = 256 };
    uint32_t count = list->init.num_entries;
    for (uint32_t i = count; i-- > 0 && count - i < FAR;) {
        if (list->init.entries[i].index != index)
            continue;
        pp_warning_range(s->front, DIAG_GROUP_INITIALIZER_OVERRIDES, value->loc, value->range,
                         "initializer overrides prior initialization of this subobject");
        pp_note(s->front, list->init.entries[i].value->loc, "previous initialization is here");
        return;
    }
}

static void put(struct sema *s, struct builder *builder, uint64_t index, struct expr *value)
{
    struct expr *list = builder->list;
    if (expr_poison(value))
        return;
    if (++s->num_init_entries > SEMA_MAX_INIT)
        pp_fatal(s->front, value->loc, "initializers with more than %d elements", SEMA_MAX_INIT);
    if (list->init.num_entries == builder->capacity)
        vec_reserve_bytes(s->front->nodes, (void **)&list->init.entries, &builder->capacity, list->init.num_entries + 1,
                          sizeof(struct init_entry));
    if (index < builder->max_index)
        warn_overridden(s, list, index, value);
    list->init.entries[list->init.num_entries++] = (struct init_entry){.index = index, .value = value};
    builder->max_index = builder->max_index > index ? builder->max_index : index + 1;
}

static bool is_char_array(const struct type *type)
{
    if (type->kind != TYPE_ARRAY)
        return false;
    enum type_kind kind = type->array.element.type->kind;
    return kind == TYPE_CHAR || kind == TYPE_UCHAR;
}

/* char a[] = "text": the string takes the array's size. */
static struct expr *string_for_array(struct sema *s, struct qual_type *type, struct expr *string)
{
    if (type->type->incomplete) {
        type->type = clc_type_array(s->front, type->type->array.element, string->string.length);
    } else if (string->string.length > type->type->array.count + 1) {
        pp_warning_range(s->front, DIAG_GROUP_EXCESS_INITIALIZERS, string->loc, string->range,
                         "initializer-string for char array is too long");
    }
    struct expr *copy = expr_new(s, EXPR_STRING, qual_type_unqualified(*type), string->loc, string->range);
    copy->string.bytes = string->string.bytes;
    copy->string.length = u64_min(string->string.length, type->type->array.count);
    return copy;
}

static const struct expr *string_in(const struct expr *value)
{
    if (value->kind == EXPR_STRING)
        return value;
    if (value->kind == EXPR_INIT_LIST && value->init.num_entries == 1 && !value->init.entries[0].index &&
        value->init.entries[0].value->kind == EXPR_STRING)
        return value->init.entries[0].value;
    return NULL;
}

/* Lanes from scalars and vectors until the vector is full. */
static struct expr *fill_vector(struct sema *s, const struct type *type, struct cursor *cursor)
{
    VEC(struct expr *) args = {0};
    uint32_t lanes = 0, count = type->vector.count;
    struct init_entry *entry;
    bool failed = false;
    struct expr *raw = cursor->raw;
    while (lanes < count && (entry = next_raw(cursor))) {
        struct expr *value = entry->value;
        if (entry->index) {
            pp_error(s->front, ((struct designator *)(uintptr_t)entry->index)->loc,
                     "designator in initializer for vector type %s", type_quote(s, qt(type)));
            cursor->position++;
            failed = true;
            continue;
        }
        cursor->position++;
        struct qual_type element = qt(type->vector.element);
        value = value->kind == EXPR_INIT_LIST ? convert(s, &element, value) : clc_rvalue(s->front, value);
        if (!expr_poison(value) && value->type.type->kind != TYPE_VECTOR)
            value = sema_convert(s, value, element, CONVERT_INIT, value->loc);
        if (expr_poison(value)) {
            failed = true;
            lanes++;
            continue;
        }
        lanes += type_lanes(value->type.type);
        vec_push(s->front->nodes, &args, value);
    }
    if (failed)
        return s->poison;
    /* like clang, all lanes are given or none */
    for (; !args.length && lanes < count; lanes++) {
        struct expr *zero =
            sema_to_arith(s, expr_int(s, type_scalar(s, TYPE_INT), 0, raw->loc, raw->range), type->vector.element);
        vec_push(s->front->nodes, &args, zero);
    }
    if (lanes == 1) { /* no splat in braces */
        pp_error_range(s->front, raw->loc, raw->range,
                       "too few elements in vector initialization (expected %u elements, have 1)", count);
        return s->poison;
    }
    return sema_vector_literal(s, type, args.data, args.length, raw->loc, raw->range);
}

static bool is_aggregate(const struct type *type)
{
    return type->kind == TYPE_ARRAY || type_is_record(type);
}

/* { 0 } */
static bool is_zero_list(const struct expr *raw)
{
    const struct expr *value = raw->init.num_entries == 1 ? raw->init.entries[0].value : NULL;
    return value && value->kind == EXPR_INT && !value->integer;
}

/* Gives a number the type where nothing would be said of that conversion, else returns false. Nearly all elements of
 * tables take this short way. */
static bool becomes(struct expr *number, const struct type *type)
{
    if (number->type.type == type)
        return true;
    if (type->kind < TYPE_CHAR || type->kind > TYPE_ULONG || number->enumerator || (int64_t)number->integer < 0 ||
        !type_is_integer_kind(number->type.type->kind))
        return false;
    if (type->size < 8 && number->integer >> (type->size * 8 - type_is_signed_kind(type->kind)))
        return false;
    number->type = qt(type);
    return true;
}

/* One element from the cursor: a value of its own, or, with its braces left out, as many as it takes. */
static struct expr *take_element(struct sema *s, struct qual_type type, struct cursor *cursor)
{
    struct init_entry *entry = next_raw(cursor);
    struct expr *value = entry->value;
    if (value->kind == EXPR_INT && becomes(value, type.type)) {
        cursor->position++;
        return value;
    }
    bool whole = value->kind == EXPR_INIT_LIST || (is_char_array(type.type) && value->kind == EXPR_STRING);
    if (!whole && type_is_record(type.type))
        whole = value->type.type == type.type;
    else if (!whole && type.type->kind != TYPE_ARRAY)
        whole = true;
    if (expr_poison(value))
        whole = true;
    if (whole) {
        cursor->position++;
        return convert(s, &type, value);
    }
    struct builder nested;
    builder_init(s, &nested, type, value);
    if (!is_zero_list(cursor->raw))
        pp_warning(s->front, DIAG_GROUP_MISSING_BRACES, value->range.begin,
                   "suggest braces around initialization of subobject");
    uint32_t before = cursor->position;
    fill(s, type, &nested, cursor, false, NULL);
    if (cursor->position == before) { /* nothing fits: an empty struct */
        cursor->position++;
    }
    return nested.list;
}

/* The list of a nested aggregate that designators reach into; a second time the same one. */
static void nested_builder(struct sema *s, struct builder *outer, struct builder *nested, uint64_t index,
                           struct qual_type type, const struct expr *raw)
{
    struct expr *list = outer->list;
    for (uint32_t i = list->init.num_entries; i-- > 0;) {
        struct init_entry *entry = &list->init.entries[i];
        if (entry->index == index && entry->value->kind == EXPR_INIT_LIST) {
            *nested = (struct builder){.list = entry->value, .capacity = entry->value->init.num_entries};
            return;
        }
    }
    builder_init(s, nested, type, raw);
    put(s, outer, index, nested->list);
}

static bool is_array_range(const struct designator *chain)
{
    return !chain->field && chain->low != chain->high;
}

struct place { /* where the next element goes */
    uint64_t index;
    struct qual_type type;
};

static struct qual_type element_at(struct qual_type type, uint64_t index)
{
    if (type.type->kind == TYPE_ARRAY)
        return type_array_element(type);
    return type.type->record.fields[index].type;
}

static uint64_t element_count(struct qual_type type)
{
    if (type.type->kind == TYPE_ARRAY)
        return type.type->incomplete ? UINT64_MAX : type.type->array.count;
    return type.type->record.num_fields;
}

/* Resolves the first designator of a chain; anonymous records put more before the rest. */
static bool resolve(struct sema *s, struct qual_type type, struct designator **chain, uint64_t *index)
{
    struct designator *d = *chain;
    uint32_t path[32], length = 0;
    if (!d->field) {
        if (type.type->kind != TYPE_ARRAY) {
            pp_error(s->front, d->loc, "array designator cannot initialize non-array type %s", type_quote(s, type));
            return false;
        }
        if (d->high >= element_count(type)) {
            pp_error(s->front, d->loc, "array designator index (%llu) exceeds array bounds (%llu)",
                     (unsigned long long)d->high, (unsigned long long)type.type->array.count);
            return false;
        }
        *index = d->low;
        *chain = d->next;
        return true;
    }
    if (!type_is_record(type.type)) {
        pp_error(s->front, d->loc, "field designator cannot initialize a non-struct, non-union type %s",
                 type_quote(s, type));
        return false;
    }
    if (!sema_find_field(type.type, d->field, path, ARRAY_LENGTH(path), &length)) {
        pp_error(s->front, d->loc, "field designator '%s' does not refer to any field in type %s", d->field->name,
                 type_quote(s, type));
        return false;
    }
    *index = path[0];
    *chain = length > 1 ? d : d->next; /* the same name again, inside the anonymous member */
    return true;
}

/* Puts what the chain designates; returns false after a message. */
static bool designate(struct sema *s, struct qual_type type, struct builder *builder, struct cursor *cursor,
                      struct designator *chain, uint64_t *index)
{
    struct designator *d = chain;
    if (!resolve(s, type, &chain, index)) {
        cursor->position++;
        return false;
    }
    struct qual_type sub = element_at(type, *index);
    if (chain && !is_aggregate(sub.type)) {
        pp_error(s->front, chain->loc, "field designator cannot initialize a non-struct, non-union type %s",
                 type_quote(s, sub));
        cursor->position++;
        return false;
    }
    if (!chain) {
        next_raw(cursor)->index = 0;
        struct expr *value = take_element(s, sub, cursor);
        uint64_t last = d->field ? *index : d->high;
        for (uint64_t i = *index; i <= last; i++)
            put(s, builder, i, value);
        *index = last;
        return true;
    }
    struct builder nested;
    if (is_array_range(d)) {
        uint32_t position = cursor->position;
        uint64_t raw_index = next_raw(cursor)->index;
        for (uint64_t i = d->low; i <= d->high; i++) {
            cursor->position = position;
            next_raw(cursor)->index = raw_index;
            nested_builder(s, builder, &nested, i, sub, cursor->raw);
            fill(s, sub, &nested, cursor, false, chain);
        }
        *index = d->high;
        return true;
    }
    nested_builder(s, builder, &nested, *index, sub, cursor->raw);
    fill(s, sub, &nested, cursor, false, chain);
    return true;
}

static void excess(struct sema *s, struct qual_type type, struct cursor *cursor)
{
    const struct expr *value = next_raw(cursor)->value;
    if (type.type->kind == TYPE_VECTOR) {
        pp_error_range(s->front, value->loc, value->range, "excess elements in vector initializer");
        cursor->position = cursor->raw->init.num_entries;
        return;
    }
    pp_warning_range(s->front, DIAG_GROUP_EXCESS_INITIALIZERS, value->loc, value->range,
                     "excess elements in %s initializer",
                     type.type->kind == TYPE_ARRAY    ? "array"
                     : type.type->kind == TYPE_UNION  ? "union"
                     : type.type->kind == TYPE_STRUCT ? "struct"
                                                      : "scalar");
    cursor->position = cursor->raw->init.num_entries;
}

static bool is_unnamed_scalar_field(const struct type *type, uint64_t index)
{
    const struct field *field = &type->record.fields[index];
    return !field->name && !type_is_record(field->type.type);
}

static void warn_missing_field(struct sema *s, const struct type *type, uint64_t index, const struct expr *raw)
{
    while (index < type->record.num_fields && is_unnamed_scalar_field(type, index))
        index++;
    if (index == type->record.num_fields || !type->record.fields[index].name || is_zero_list(raw) ||
        (type->record.has_flexible && index + 1 == type->record.num_fields))
        return;
    pp_warning(s->front, DIAG_GROUP_MISSING_FIELD_INITIALIZERS, raw->range.end ? raw->range.end - 1 : raw->loc,
               "missing field '%s' initializer", type->record.fields[index].name->name);
}

/* Takes elements of an aggregate from the cursor. braced: the list's braces are this aggregate's own, and so are
 * designators in the list. chain: what is left of the first entry's designation inside this aggregate, or NULL. */
static void fill(struct sema *s, struct qual_type type, struct builder *builder, struct cursor *cursor, bool braced,
                 struct designator *chain)
{
    uint64_t index = 0, count = element_count(type);
    struct init_entry *entry;
    sema_enter(s, cursor->raw->loc);
    bool designated = chain != NULL, any = false;
    while ((entry = next_raw(cursor))) {
        any = true;
        designated |= entry->index != 0;
        struct designator *designators = chain ? chain : (struct designator *)(uintptr_t)entry->index;
        if (designators && !chain && !braced)
            break;
        if (designators) {
            chain = NULL;
            if (designate(s, type, builder, cursor, designators, &index))
                index++;
            else if (!braced)
                break;
        } else {
            while (index < count && type_is_record(type.type) && is_unnamed_scalar_field(type.type, index))
                index++;
            if (index >= count) {
                if (!braced)
                    break;
                excess(s, type, cursor);
                break;
            }
            put(s, builder, index, take_element(s, element_at(type, index), cursor));
            index++;
        }
        if (type.type->kind == TYPE_UNION)
            count = index; /* one member */
    }
    if (braced && any && !designated && index < count && type.type->kind == TYPE_STRUCT)
        warn_missing_field(s, type.type, index, cursor->raw);
    sema_leave(s);
}

static struct expr *convert_list(struct sema *s, struct qual_type *type, struct expr *raw)
{
    struct cursor cursor = {.raw = raw};
    struct builder builder;
    if (type->type->kind == TYPE_VECTOR) {
        struct expr *vector = fill_vector(s, type->type, &cursor);
        if (next_raw(&cursor))
            excess(s, *type, &cursor);
        return vector;
    }
    if (!is_aggregate(type->type)) {
        if (!raw->init.num_entries) {
            pp_error(s->front, raw->loc, "scalar initializer cannot be empty");
            return s->poison;
        }
        if (raw->init.entries[0].index) {
            pp_error(s->front, raw->loc, "designator in initializer for scalar type %s", type_quote(s, *type));
            return s->poison;
        }
        cursor.position = 1;
        if (next_raw(&cursor))
            excess(s, *type, &cursor);
        if (raw->init.entries[0].value->kind == EXPR_INIT_LIST)
            pp_warning_range(s->front, DIAG_GROUP_MANY_BRACES, raw->loc, raw->range,
                             "too many braces around scalar initializer");
        return convert(s, type, raw->init.entries[0].value);
    }
    builder_init(s, &builder, *type, raw);
    fill(s, *type, &builder, &cursor, true, NULL);
    if (type->type->incomplete) {
        type->type = clc_type_array(s->front, type->type->array.element, builder.max_index);
        builder.list->type.type = type->type;
    }
    return builder.list;
}

static struct expr *convert(struct sema *s, struct qual_type *type, struct expr *raw)
{
    if (expr_poison(raw) || is_poison(type->type))
        return s->poison;
    if (is_char_array(type->type)) {
        const struct expr *string = string_in(raw);
        if (string)
            return string_for_array(s, type, (struct expr *)string);
    }
    sema_enter(s, raw->loc);
    struct expr *result;
    if (raw->kind == EXPR_INIT_LIST) {
        result = convert_list(s, type, raw);
    } else if (type->type->kind == TYPE_ARRAY) {
        /* GNU: an array from a compound literal of its type */
        if (raw->kind == EXPR_COMPOUND && raw->compound.variable->var.init &&
            clc_type_equal(raw->type.type, type->type)) {
            type->type = raw->type.type;
            result = raw->compound.variable->var.init;
        } else {
            pp_error_range(s->front, raw->loc, raw->range, "array initializer must be an initializer list%s",
                           is_char_array(type->type) ? " or string literal" : "");
            result = s->poison;
        }
    } else {
        result = sema_convert(s, raw, *type, CONVERT_INIT, raw->loc);
    }
    sema_leave(s);
    return result;
}

struct expr *sema_init_convert(struct sema *s, struct qual_type *type, struct expr *raw, src_loc loc, bool constant)
{
    struct expr *culprit;
    struct expr *init = convert(s, type, raw);
    (void)loc;
    if (expr_poison(init) || !constant)
        return init;
    if (!const_is_initializer(s, init, &culprit)) {
        pp_error_range(s->front, culprit->loc, culprit->range, "initializer element is not a compile-time constant");
        return s->poison;
    }
    return init;
}

void sema_initialize(struct sema *s, struct decl *variable, struct expr *raw, src_loc loc)
{
    s->advice->sequence(s, raw);
    bool constant = variable->var.file_scope || variable->var.is_static_local;
    struct decl *first = variable->first;
    if (variable->invalid)
        return;
    if (variable->type.address_space == AS_LOCAL) {
        pp_error(s->front, variable->loc, "'__local' variable cannot have an initializer");
        return;
    }
    if (variable->storage == STORAGE_EXTERN) {
        if (s->function) {
            pp_error(s->front, variable->loc,
                     "declaration of block scope identifier with linkage cannot have an initializer");
            return;
        }
        pp_warning(s->front, DIAG_GROUP_EXTERN_INITIALIZER, variable->loc, "'extern' variable has an initializer");
        variable->storage = first->storage = STORAGE_NONE;
    }
    if (first->var.init && first != variable) {
        pp_error(s->front, variable->loc, "redefinition of '%s'", variable->name->name);
        pp_note(s->front, first->loc, "previous definition is here");
        return;
    }
    struct qual_type type = variable->type;
    if (type.type->incomplete && type.type->kind != TYPE_ARRAY) {
        pp_error(s->front, variable->loc, "variable has incomplete type %s", type_quote(s, type));
        sema_note_forward(s, type.type);
        variable->invalid = true;
        return;
    }
    struct expr *init = sema_init_convert(s, &type, raw, loc, constant);
    s->advice->full_expression(s);
    if (expr_poison(init)) {
        /* the variable is known, its value is not: no further messages about either */
        if (type.type->incomplete)
            variable->invalid = true;
        if (variable->type.address_space == AS_CONSTANT)
            variable->var.init = init;
        return;
    }
    variable->type.type = type.type;
    if (first->type.type->incomplete)
        first->type.type = type.type;
    variable->var.init = first->var.init = init;
    while (init->kind == EXPR_CAST && init->type.type->kind == TYPE_BLOCK)
        init = init->cast.operand;
    if (init->kind == EXPR_BLOCK)
        variable->var.block = first->var.block = init;
}
