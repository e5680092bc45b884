/* Members, vector components, subscripts, explicit casts and vector literals. OpenCL C 3.0, 6.3.7 (vector
 * components), 6.4.1-6.4.4 (casts, literals). */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"
#include "compiler/front/sema/names.h"

/* A lane of a swizzle that no component stands behind: .hi and .odd of a 3-vector have one. */
enum { LANE_UNDEFINED = 255 };

/* ---- vector components ---- */

static int letter_lane(char c)
{
    switch (c) {
    case 'x':
    case 'r':
        return 0;
    case 'y':
    case 'g':
        return 1;
    case 'z':
    case 'b':
        return 2;
    case 'w':
    case 'a':
        return 3;
    default:
        return -1;
    }
}

static int hex_lane(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static uint32_t half_lanes(const struct ident *name, uint32_t lanes, uint8_t *out)
{
    uint32_t half = lanes == 3 ? 2 : lanes / 2, start, step;
    if (!strcmp(name->name, "lo"))
        start = 0, step = 1;
    else if (!strcmp(name->name, "hi"))
        start = half, step = 1;
    else if (!strcmp(name->name, "even"))
        start = 0, step = 2;
    else if (!strcmp(name->name, "odd"))
        start = 1, step = 2;
    else
        return 0;
    for (uint32_t i = 0; i < half; i++)
        out[i] = start + i * step < lanes ? (uint8_t)(start + i * step) : LANE_UNDEFINED;
    return half;
}

/* Component names to lanes; 0 and a message when the name is none. */
static uint32_t component_lanes(struct sema *s, const struct expr *base, const struct ident *name, src_loc loc,
                                uint8_t *out)
{
    uint32_t lanes = base->type.type->vector.count, count = half_lanes(name, lanes, out);
    if (count)
        return count;
    bool numeric = name->name[0] == 's' || name->name[0] == 'S';
    const char *text = name->name + numeric;
    for (const char *c = text; *c; c++, count++) {
        int lane = numeric ? hex_lane(*c) : letter_lane(*c);
        bool mixed = !numeric && (strchr("rgba", *c) != NULL) != (strchr("rgba", *text) != NULL);
        if (lane < 0 || mixed || count == 16) {
            pp_error_range(s->front, loc, base->range, "illegal vector component name '%c'", *c);
            return 0;
        }
        if ((uint32_t)lane >= lanes) {
            pp_error_range(s->front, loc, base->range, "vector component access exceeds type %s",
                           type_quote_expr(s, base));
            return 0;
        }
        out[count] = (uint8_t)lane;
    }
    if (!numeric && strchr("rgba", *text) && s->front->options.std < CLC_STD_30)
        pp_warning(s->front, DIAG_GROUP_OPENCL_UNSUPPORTED_RGBA, loc,
                   "vector component name '%c' is a feature from OpenCL version 3.0 onwards", *text);
    if (count != 1 && count != 2 && count != 3 && count != 4 && count != 8 && count != 16) {
        pp_error_range(s->front, loc, base->range,
                       "vector component access '%s' has invalid length %u; only 1, 2, 3, 4, 8 and 16 are allowed",
                       name->name, count);
        return 0;
    }
    return count;
}

struct expr *sema_shuffle_lanes(struct sema *s, struct expr *base, const uint8_t *lanes, uint32_t count, src_loc loc)
{
    uint8_t composed[16];
    uint32_t seen = 0;
    bool unique = true;
    memcpy(composed, lanes, count);
    if (base->kind == EXPR_SWIZZLE && base->swizzle.num_lanes > 1) {
        for (uint32_t i = 0; i < count; i++)
            composed[i] = lanes[i] == LANE_UNDEFINED ? (uint8_t)LANE_UNDEFINED : base->swizzle.lanes[lanes[i]];
        base = base->swizzle.base;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bit = composed[i] < 16 ? 1u << composed[i] : 0;
        unique &= !(seen & bit);
        seen |= bit;
    }
    bool lvalue = base->lvalue && unique;
    if (!lvalue)
        base = clc_rvalue(s->front, base);
    if (expr_poison(base))
        return base;
    const struct type *element = base->type.type->vector.element;
    struct expr *expr = expr_new(s, EXPR_SWIZZLE, base->type, loc, base->range);
    expr->type.type = clc_type_vector(s->front, element, count);
    expr->type.sugar = NULL;
    expr->type.sugar_depth = 0;
    expr->lvalue = lvalue;
    expr->swizzle.base = base;
    expr->swizzle.num_lanes = count;
    memcpy(expr->swizzle.lanes, composed, count);
    return expr;
}

/* ---- members ---- */

bool sema_find_field(const struct type *record, const struct ident *name, uint32_t *path, uint32_t max_path,
                     uint32_t *length)
{
    for (*length = 0; name && *length < max_path;) {
        const struct u64_map *names = record->record.names;
        uintptr_t found = names ? (uintptr_t)u64_map_get(names, (uint64_t)(uintptr_t)name) : 0;
        if (!found)
            break;
        const struct field *field = &record->record.fields[found - 1];
        path[(*length)++] = (uint32_t)found - 1;
        if (field->name)
            return true;
        record = field->type.type;
    }
    return false;
}

static struct expr *field_of(struct sema *s, struct expr *base, uint32_t index, src_loc loc, struct src_range range)
{
    const struct field *field = &base->type.type->record.fields[index];
    struct expr *expr = expr_new(s, EXPR_MEMBER, field->type, loc, range);
    if (field->restricted_use)
        sema_warn_availability(s, field, field->name, loc);
    expr->type.quals |= base->type.quals & (QUAL_CONST | QUAL_VOLATILE);
    expr->type.address_space = base->type.address_space;
    expr->lvalue = base->lvalue;
    expr->member.base = base;
    expr->member.field = index;
    if (!expr->lvalue && expr->type.type->kind != TYPE_ARRAY)
        expr->type = qual_type_unqualified(expr->type);
    if (!expr->lvalue)
        expr->type.type = type_strip_enum(expr->type.type);
    return expr;
}

/* An rvalue struct of which an array member is subscripted has no address: give it a variable. */
static struct expr *materialise(struct sema *s, struct expr *value)
{
    struct decl *variable = sema_decl_new(s, DECL_VARIABLE, NULL, qt(value->type.type), value->loc);
    variable->var.init = value;
    variable->used = true;
    struct expr *expr = expr_new(s, EXPR_COMPOUND, variable->type, value->loc, value->range);
    expr->compound.variable = variable;
    expr->lvalue = true;
    return expr;
}

static struct expr *bad_base(struct sema *s, const struct expr *base, bool arrow, src_loc loc)
{
    if (arrow)
        pp_error_range(s->front, loc, base->range, "member reference type %s is not a pointer%s",
                       type_quote_expr(s, base), type_is_record(base->type.type) ? "; did you mean to use '.'?" : "");
    else if (base->type.type->kind == TYPE_POINTER)
        pp_error_range(s->front, loc, base->range, "member reference type %s is a pointer; did you mean to use '->'?",
                       type_quote_expr(s, base));
    else
        pp_error_range(s->front, loc, base->range, "member reference base type %s is not a structure or union",
                       type_quote_expr(s, base));
    return s->poison;
}

struct expr *sema_member(struct sema *s, struct expr *base, struct ident *name, src_loc name_loc, bool arrow,
                         src_loc loc)
{
    uint8_t lanes[16];
    uint32_t path[32], length = 0;
    if (expr_poison(base))
        return base;
    if (arrow) {
        base = clc_rvalue(s->front, base);
        if (expr_poison(base))
            return base;
        if (base->type.type->kind != TYPE_POINTER)
            return bad_base(s, base, true, loc);
        struct src_range range = base->range;
        base = sema_unary(s, UNARY_DEREF, base, loc);
        base->range = range;
    }
    const struct type *type = base->type.type;
    struct src_range range = {base->range.begin, s->prev_end};
    if (type->kind == TYPE_VECTOR) {
        uint32_t count = component_lanes(s, base, name, name_loc, lanes);
        struct expr *expr = count ? sema_shuffle_lanes(s, base, lanes, count, loc) : s->poison;
        if (count)
            expr->range = range;
        return expr;
    }
    if (!type_is_record(type))
        return bad_base(s, base, false, loc);
    if (type->incomplete) {
        pp_error_range(s->front, loc, base->range, "incomplete definition of type %s", type_quote_expr(s, base));
        return s->poison;
    }
    if (!sema_find_field(type, name, path, ARRAY_LENGTH(path), &length)) {
        struct suggestion near = sema_suggest_field(type, name);
        pp_error_range(s->front, name_loc, base->range, "no member named '%s' in %s%s", name->name,
                       type_quote(s, qual_type_unqualified(base->type)), sema_suggestion_text(s, &near));
        sema_suggestion_note(s, &near);
        return s->poison;
    }
    if (!base->lvalue)
        base = materialise(s, base);
    for (uint32_t i = 0; i < length; i++)
        base = field_of(s, base, path[i], name_loc, range);
    return base;
}

/* ---- subscripts ---- */

static struct expr *vector_index(struct sema *s, struct expr *base, struct expr *index, src_loc loc)
{
    const struct type *type = base->type.type;
    if (index->is_constant) {
        uint8_t lane = (uint8_t)(index->integer % type->vector.count);
        if (index->integer >= type->vector.count)
            pp_warning_range(s->front, DIAG_GROUP_ARRAY_BOUNDS, index->loc, index->range,
                             "vector element index %lld is out of bounds of %s", (long long)index->integer,
                             type_quote_expr(s, base));
        struct expr *expr = sema_shuffle_lanes(s, base, &lane, 1, loc);
        expr->range = (struct src_range){base->range.begin, s->prev_end};
        return expr;
    }
    struct expr *expr = expr_new(s, EXPR_INDEX, base->type, loc, (struct src_range){base->range.begin, s->prev_end});
    expr->type.type = type->vector.element;
    expr->type.sugar = NULL;
    expr->lvalue = base->lvalue;
    expr->index.base = base;
    expr->index.index =
        sema_to_arith(s, index, type_scalar(s, type_is_signed(index->type.type) ? TYPE_LONG : TYPE_ULONG));
    return expr;
}

static void warn_bounds(struct sema *s, const struct expr *base, const struct expr *index)
{
    if (base->kind != EXPR_CAST || base->cast.cast != CAST_ARRAY_TO_POINTER || !index->is_constant || s->unevaluated)
        return;
    const struct type *array = base->cast.operand->type.type;
    int64_t at = (int64_t)index->integer;
    bool negative = at < 0 && type_is_signed(index->type.type);
    /* [1] or [] at a struct's end is an idiom, not a bound */
    if (array->incomplete || (!negative && (uint64_t)at < array->array.count) || array->array.count <= 1)
        return;
    if (negative)
        pp_warning_range(s->front, DIAG_GROUP_ARRAY_BOUNDS, index->loc, index->range,
                         "array index %lld is before the beginning of the array", (long long)at);
    else if ((uint64_t)at > array->array.count || !s->in_address) /* &a[n] is a's end */
        pp_warning_range(s->front, DIAG_GROUP_ARRAY_BOUNDS, index->loc, index->range,
                         "array index %llu is past the end of the array (which contains %llu elements)",
                         (unsigned long long)at, (unsigned long long)array->array.count);
    else
        return;
    const struct decl *decl = expr_base_decl(base->cast.operand);
    if (base->cast.operand->kind == EXPR_DECL && decl && decl->name)
        pp_note(s->front, decl->loc, "array '%s' declared here", decl->name->name);
}

/* What the work-item has of it; how much that is depends on the device (coop_mat_length()). */
static struct expr *matrix_index(struct sema *s, struct expr *base, struct expr *index, src_loc loc)
{
    if (!sema_is_matrix(base))
        return sema_type_matrix(s, base, qt(type_scalar(s, TYPE_INT)), loc);
    if (!sema_check_matrix_numbers(s, base, loc))
        return s->poison;
    if (!type_is_integer(index->type.type)) {
        pp_error_range(s->front, index->loc, index->range, "array subscript is not an integer");
        return s->poison;
    }
    struct expr *expr = expr_new(s, EXPR_INDEX, base->type, loc, (struct src_range){base->range.begin, s->prev_end});
    expr->type.type = base->type.type->matrix.element;
    expr->type.sugar = NULL;
    expr->lvalue = base->lvalue;
    expr->index.base = base;
    expr->index.index = sema_index_to_64(s, index);
    return expr;
}

struct expr *sema_index(struct sema *s, struct expr *base, struct expr *index, src_loc loc)
{
    if (expr_poison(base) || expr_poison(index))
        return s->poison;
    if (base->type.type->kind == TYPE_MATRIX) {
        index = clc_rvalue(s->front, index);
        return expr_poison(index) ? index : matrix_index(s, base, index, loc);
    }
    if (base->type.type->kind == TYPE_VECTOR) {
        index = clc_rvalue(s->front, index);
        if (expr_poison(index))
            return index;
        if (type_is_integer(index->type.type))
            return vector_index(s, base, index, loc);
    } else {
        base = clc_rvalue(s->front, base);
        index = clc_rvalue(s->front, index);
    }
    if (expr_poison(base) || expr_poison(index))
        return s->poison;
    struct src_range range = {base->range.begin, s->prev_end};
    if (!type_is_pointer(base->type.type) && type_is_pointer(index->type.type)) {
        struct expr *swap = base;
        base = index;
        index = swap;
    }
    if (!type_is_pointer(base->type.type)) {
        pp_error_range(s->front, loc, base->range, "subscripted value is not an array, pointer, or vector");
        return s->poison;
    }
    if (!type_is_integer(index->type.type)) {
        pp_error_range(s->front, index->loc, index->range, "array subscript is not an integer");
        return s->poison;
    }
    struct qual_type target = type_undo(base->type, base->type.type->pointer.pointee);
    if (target.type->kind == TYPE_FUNCTION || (target.type->incomplete && target.type->kind != TYPE_ARRAY)) {
        pp_error_range(s->front, loc, base->range, "subscript of pointer to incomplete type %s", type_quote(s, target));
        return s->poison;
    }
    warn_bounds(s, base, index);
    struct expr *expr = expr_new(s, EXPR_INDEX, target, loc, range);
    expr->lvalue = true;
    expr->index.base = base;
    expr->index.index =
        sema_to_arith(s, index, type_scalar(s, type_is_signed(index->type.type) ? TYPE_LONG : TYPE_ULONG));
    return expr;
}

/* ---- casts ---- */

static struct expr *cast_node(struct sema *s, enum cast_kind kind, struct expr *operand, struct qual_type to,
                              src_loc loc, struct src_range range)
{
    struct expr *expr = expr_cast(s, kind, operand, type_strip_enum(to.type));
    if (to.type->kind != TYPE_ENUM) {
        expr->type.sugar = to.sugar;
        expr->type.sugar_depth = to.sugar_depth;
    }
    expr->loc = loc;
    expr->range = range;
    expr->cast.explicit_cast = true;
    return expr;
}

static struct expr *cast_pointer(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                 struct src_range range)
{
    const struct type *from = operand->type.type;
    uint8_t to_space = to.type->pointer.pointee.address_space, from_space = from->pointer.pointee.address_space;
    if (sema_is_null_constant(operand))
        return cast_node(s, CAST_NULL_POINTER, operand, to, loc, range);
    if (!address_space_encloses(to_space, from_space) && !address_space_encloses(from_space, to_space)) {
        pp_error_range(s->front, loc, operand->range, "casting %s to type %s changes address space of pointer",
                       type_quote_expr(s, operand), type_quote(s, to));
        return s->poison;
    }
    if (to_space != from_space) {
        struct qual_type pointee = from->pointer.pointee;
        pointee.address_space = to_space;
        operand = expr_cast(s, to_space == AS_GENERIC ? CAST_TO_GENERIC : CAST_FROM_GENERIC, operand,
                            clc_type_pointer(s->front, pointee));
    }
    return cast_node(s, CAST_NOP, operand, to, loc, range);
}

static struct expr *cast_vector(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                struct src_range range)
{
    const struct type *from = operand->type.type;
    if (from == to.type)
        return cast_node(s, CAST_NOP, operand, to, loc, range);
    if (to.type->kind == TYPE_VECTOR && type_is_arith(from)) {
        struct expr *lane = sema_to_arith(s, sema_widened_bool(s, operand), to.type->vector.element);
        return cast_node(s, CAST_SPLAT, lane, to, loc, range);
    }
    if (to.type->kind == TYPE_VECTOR && from->kind == TYPE_VECTOR)
        pp_error_range(s->front, loc, range, "invalid conversion between ext-vector type %s and %s", type_quote(s, to),
                       type_quote_expr(s, operand));
    else
        pp_error_range(s->front, loc, range, "invalid conversion between vector type %s and %s",
                       type_quote_expr(s, from->kind == TYPE_VECTOR ? operand : operand), type_quote(s, to));
    return s->poison;
}

/* What a conversion takes the elements for: codes for floats. */
static const struct type *numbers_of(struct sema *s, const struct type *matrix)
{
    return matrix->matrix.encoding ? type_scalar(s, TYPE_HALF) : matrix->matrix.element;
}

/* Element by element, between matrices of one shape and use; or one number for all elements. */
static struct expr *cast_matrix(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                struct src_range range)
{
    const struct type *from = operand->type.type, *target = to.type;
    if (from == s->front->types->any_matrix)
        return sema_type_matrix(s, operand, to, loc);
    if (type_is_arith(from) && !target->matrix.encoding)
        return cast_node(s, CAST_SPLAT, sema_to_arith(s, operand, target->matrix.element), to, loc, range);
    if (from == target)
        return cast_node(s, CAST_NOP, operand, to, loc, range);
    if (from->kind == TYPE_MATRIX && from->matrix.rows == target->matrix.rows &&
        from->matrix.columns == target->matrix.columns && from->matrix.use == target->matrix.use)
        return cast_node(s, sema_arith_cast(numbers_of(s, from), numbers_of(s, target)), operand, to, loc, range);
    pp_error_range(s->front, loc, range, "invalid conversion of %s to cooperative matrix type %s",
                   type_quote_expr(s, operand), type_quote(s, to));
    return s->poison;
}

struct expr *sema_explicit_cast(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                struct src_range range)
{
    if (is_poison(to.type) || expr_poison(operand))
        return s->poison;
    to.quals &= QUAL_ATOMIC;
    if (to.type->kind == TYPE_VOID) {
        if (operand->type.type->kind == TYPE_VOID)
            return operand;
        if (operand->lvalue && operand->type.type->kind != TYPE_ARRAY && !(operand->type.quals & QUAL_VOLATILE)) {
            struct expr *unused = expr_cast(s, CAST_VOID, operand, to.type);
            return unused;
        }
    }
    operand = clc_rvalue(s->front, operand);
    if (expr_poison(operand))
        return operand;
    const struct type *from = operand->type.type, *target = to.type;
    s->advice->cast(s, operand, target);
    if (target->kind == TYPE_MATRIX || from == s->front->types->any_matrix)
        return cast_matrix(s, to, operand, loc, range);
    if (target->kind == TYPE_VOID)
        return cast_node(s, CAST_VOID, operand, to, loc, range);
    if (target->kind == TYPE_VECTOR || from->kind == TYPE_VECTOR)
        return cast_vector(s, to, operand, loc, range);
    if (target->kind == TYPE_HALF && !s->fp16) {
        pp_error_range(s->front, loc, range, "casting to type 'half' is not allowed");
        return s->poison;
    }
    if (type_is_arith(target) && type_is_arith(from)) {
        struct expr *value = sema_to_arith(s, operand, target);
        return value != operand && value->cast.operand == operand
                   ? cast_node(s, value->cast.cast, operand, to, loc, range)
                   : cast_node(s, CAST_NOP, value, to, loc, range);
    }
    if (type_is_pointer(target) && type_is_pointer(from))
        return cast_pointer(s, to, operand, loc, range);
    if (type_is_pointer(target) && type_is_integer(from)) {
        if (sema_is_null_constant(operand))
            return cast_node(s, CAST_NULL_POINTER, operand, to, loc, range);
        if (from->size < 8 && !operand->is_constant && !s->unevaluated)
            pp_warning_range(s->front, DIAG_GROUP_INT_TO_POINTER_CAST, loc, range,
                             "cast to %s from smaller integer type %s", type_quote(s, to), type_quote_expr(s, operand));
        operand = sema_to_arith(s, operand, type_scalar(s, type_is_signed(from) ? TYPE_LONG : TYPE_ULONG));
        return cast_node(s, CAST_INT_TO_POINTER, operand, to, loc, range);
    }
    if (type_is_integer(target) && type_is_pointer(from)) {
        if (type_strip_enum(target)->kind == TYPE_BOOL)
            return cast_node(s, CAST_TO_BOOL, operand, to, loc, range);
        if (target->size < 8 && !s->unevaluated)
            pp_warning_range(s->front, DIAG_GROUP_POINTER_TO_INT_CAST, loc, range,
                             "cast to smaller integer type %s from %s", type_quote(s, to), type_quote_expr(s, operand));
        operand = expr_cast(s, CAST_POINTER_TO_INT, operand, type_scalar(s, TYPE_ULONG));
        return cast_node(s, target->size == 8 ? CAST_NOP : CAST_INT, operand, to, loc, range);
    }
    if (clc_type_equal(from, target) && target->kind >= TYPE_STRUCT)
        return operand;
    if (target->kind == TYPE_SAMPLER || (target->kind > TYPE_BLOCK && sema_is_null_constant(operand)))
        return sema_convert(s, operand, to, CONVERT_INIT, loc);
    if (!type_is_scalar(target))
        pp_error_range(s->front, loc, range, "used type %s where arithmetic or pointer type is required",
                       type_quote(s, to));
    else
        pp_error_range(s->front, operand->loc, operand->range,
                       type_is_pointer(target) || type_is_pointer(from)
                           ? "operand of type %s cannot be cast to type %s"
                           : "operand of type %s where arithmetic or pointer type is required%.0s",
                       type_quote_expr(s, operand), type_quote(s, to));
    return s->poison;
}

/* 6.4.2 (vector literals): each argument a scalar, or a vector of the same element type; together all lanes. */
struct expr *sema_vector_literal(struct sema *s, const struct type *type, struct expr **args, uint32_t num_args,
                                 src_loc loc, struct src_range range)
{
    uint32_t lanes = 0;
    src_loc excess = 0;
    for (uint32_t i = 0; i < num_args; i++) {
        struct expr *arg = args[i] = clc_rvalue(s->front, args[i]);
        if (expr_poison(arg))
            return s->poison;
        if (arg->type.type->kind == TYPE_VECTOR) {
            if (arg->type.type->vector.element != type->vector.element) {
                pp_error_range(s->front, arg->loc, arg->range,
                               "vector literal of type %s initialised with a vector of incompatible type %s",
                               type_quote(s, qt(type)), type_quote_expr(s, arg));
                return s->poison;
            }
        } else if (type_is_arith(arg->type.type)) {
            args[i] = sema_to_arith(s, arg, type->vector.element);
        } else {
            return sema_convert(s, arg, qt(type->vector.element), CONVERT_INIT, arg->loc);
        }
        lanes += type_lanes(arg->type.type);
        if (lanes > type->vector.count && !excess)
            excess = arg->range.begin;
    }
    if (lanes > type->vector.count)
        loc = excess;
    if (lanes != type->vector.count && !(num_args == 1 && lanes == 1)) {
        pp_error_range(s->front, loc, range, "%s elements in vector initialization (expected %u elements, have %u)",
                       lanes < type->vector.count ? "too few" : "excess", type->vector.count, lanes);
        return s->poison;
    }
    struct expr *expr = expr_new(s, EXPR_VECTOR, qt(type), loc, range);
    expr->vector.args = args;
    expr->vector.num_args = num_args;
    return expr;
}
