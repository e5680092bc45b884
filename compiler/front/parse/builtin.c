/* Forms that look like calls but are none: clang's __builtin_... that take types or leave arguments unevaluated, and a
 * few that name library functions by another name. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/parse/parse.h"
#include "compiler/front/parse/synth.h"

#include <math.h>

static struct expr *void_call(struct sema *s, enum intrinsic op, struct expr *arg, src_loc loc)
{
    struct expr *expr =
        expr_new(s, EXPR_INTRINSIC, qt(type_scalar(s, TYPE_VOID)), loc, (struct src_range){loc, s->prev_end});
    expr->intrinsic.op = op;
    if (arg) {
        expr->intrinsic.args = arena_array(s->front->nodes, struct expr *, 1);
        expr->intrinsic.args[0] = arg;
        expr->intrinsic.num_args = 1;
    }
    return expr;
}

static bool open_paren(struct sema *s)
{
    parse_next(s);
    return parse_expect(s, TOKEN_LEFT_PAREN, NULL);
}

static bool close_paren(struct sema *s)
{
    if (parse_expect(s, TOKEN_RIGHT_PAREN, NULL))
        return true;
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    parse_accept(s, TOKEN_RIGHT_PAREN);
    return false;
}

/* The arguments up to and with ")"; at most max. */
static uint32_t arguments(struct sema *s, struct expr **args, uint32_t max, bool *good)
{
    uint32_t count = 0;
    *good = true;
    if (s->tok.kind != TOKEN_RIGHT_PAREN) {
        do {
            struct expr *arg = parse_assignment(s);
            *good &= !expr_poison(arg);
            if (count < max)
                args[count] = arg;
            count++;
        } while (parse_accept(s, TOKEN_COMMA));
    }
    *good &= close_paren(s);
    return count;
}

static struct expr *wrong_count(struct sema *s, const struct ident *name, src_loc loc)
{
    pp_error(s->front, loc, "wrong number of arguments to '%s'", name->name);
    return s->poison;
}

/* The one argument of a form that takes no more, behind its name. NULL, or what the form comes to without it. */
static struct expr *one_argument(struct sema *s, const struct ident *name, src_loc loc, struct expr **arg)
{
    bool good;
    if (!open_paren(s))
        return s->poison;
    uint32_t count = arguments(s, arg, 1, &good);
    if (!good)
        return s->poison;
    return count == 1 ? NULL : wrong_count(s, name, loc);
}

/* The first argument, of one at least: unpredictable(x) says nothing of x. */
static struct expr *form_expect(struct sema *s, const struct ident *name, src_loc loc, uint32_t least)
{
    struct expr *args[3];
    bool good;
    if (!open_paren(s))
        return s->poison;
    uint32_t count = arguments(s, args, 3, &good);
    if (!good)
        return s->poison;
    if (count < least || count > 3)
        return wrong_count(s, name, loc);
    return sema_convert(s, args[0], qt(type_scalar(s, TYPE_LONG)), CONVERT_PASS, args[0]->loc);
}

static struct expr *form_constant_p(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *args[1];
    bool good;
    if (!open_paren(s))
        return s->poison;
    s->unevaluated++;
    uint32_t count = arguments(s, args, 1, &good);
    struct expr *arg = good && count == 1 ? args[0] : NULL;
    if (arg && arg->kind != EXPR_STRING)
        arg = clc_rvalue(s->front, arg);
    s->unevaluated--;
    if (!good)
        return s->poison;
    if (count != 1)
        return wrong_count(s, name, loc);
    bool constant = arg->kind == EXPR_STRING || (arg->is_constant && type_is_arith(arg->type.type));
    return expr_int(s, type_scalar(s, TYPE_INT), constant, loc, (struct src_range){loc, s->prev_end});
}

static struct expr *form_assume(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *arg;
    struct expr *wrong = one_argument(s, name, loc, &arg);
    if (wrong)
        return wrong;
    struct expr *condition = sema_condition(s, arg);
    return expr_poison(condition) ? condition : void_call(s, INTRINSIC_ASSUME, condition, loc);
}

static struct expr *form_no_arguments(struct sema *s, const struct ident *name, src_loc loc, enum intrinsic op)
{
    struct expr *args[1];
    bool good;
    if (!open_paren(s))
        return s->poison;
    if (arguments(s, args, 1, &good) || !good)
        return good ? wrong_count(s, name, loc) : s->poison;
    return void_call(s, op, NULL, loc);
}

static struct expr *form_types_compatible(struct sema *s, src_loc loc)
{
    if (!open_paren(s))
        return s->poison;
    struct qual_type a = parse_type_name(s);
    if (!parse_expect(s, TOKEN_COMMA, NULL)) {
        close_paren(s);
        return s->poison;
    }
    struct qual_type b = parse_type_name(s);
    if (!close_paren(s) || is_poison(a.type) || is_poison(b.type))
        return s->poison;
    return expr_int(s, type_scalar(s, TYPE_INT), clc_type_equal(a.type, b.type), loc,
                    (struct src_range){loc, s->prev_end});
}

/* __builtin_choose_expr(constant, a, b): the one not chosen is only parsed */
static struct expr *form_choose(struct sema *s)
{
    struct expr *condition, *a, *b;
    if (!open_paren(s))
        return s->poison;
    bool good = parse_constant(s, "'__builtin_choose_expr' condition", &condition);
    good = parse_expect(s, TOKEN_COMMA, NULL) && good;
    a = parse_assignment(s);
    good = parse_expect(s, TOKEN_COMMA, NULL) && good;
    b = parse_assignment(s);
    if (!close_paren(s) || !good)
        return s->poison;
    return condition->integer ? a : b;
}

/* __builtin_offsetof(type, member ("." member | "[" constant "]")*) */
static struct expr *form_offsetof(struct sema *s, src_loc loc)
{
    if (!open_paren(s))
        return s->poison;
    struct qual_type type = parse_type_name(s);
    uint64_t offset = 0;
    bool good = parse_expect(s, TOKEN_COMMA, NULL) && !is_poison(type.type), first = true;
    while (good) {
        uint32_t path[32], length = 0;
        struct expr *index;
        if (first || parse_accept(s, TOKEN_PERIOD)) {
            const struct ident *name = s->tok.ident;
            if (!name || !type_is_record(type.type) || !sema_find_field(type.type, name, path, 32, &length)) {
                pp_error(s->front, s->tok.loc, "no member named '%s' in %s", name ? name->name : "",
                         type_quote(s, type));
                good = false;
                break;
            }
            for (uint32_t i = 0; i < length; i++) {
                offset += type.type->record.fields[path[i]].offset;
                type = type.type->record.fields[path[i]].type;
            }
            parse_next(s);
        } else if (s->tok.kind == TOKEN_LEFT_BRACKET && type.type->kind == TYPE_ARRAY) {
            parse_next(s);
            good = parse_constant(s, "array index in offsetof", &index);
            good = parse_expect(s, TOKEN_RIGHT_BRACKET, NULL) && good;
            type = type.type->array.element;
            offset += good ? index->integer * type.type->size : 0;
        } else {
            break;
        }
        first = false;
    }
    if (!good)
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
    if (!close_paren(s) || !good)
        return s->poison;
    return expr_int(s, type_scalar(s, TYPE_ULONG), offset, loc, (struct src_range){loc, s->prev_end});
}

/* Whether it is (void *)SIZE_MAX, of which CLK_NULL_RESERVE_ID is made, here as in clang's header. */
static bool is_all_ones(const struct expr *value)
{
    while (value->kind == EXPR_CAST)
        value = value->cast.operand;
    return value->is_constant && type_is_integer(value->type.type) && value->integer == UINT64_MAX;
}

/* as_type's own work, by its name */
static struct expr *reinterpret(struct sema *s, struct expr *value, struct qual_type type, src_loc loc)
{
    if (is_poison(type.type) || expr_poison(value))
        return s->poison;
    value = clc_rvalue(s->front, value);
    if (expr_poison(value) || value->type.type == type.type)
        return value;
    if (type.type->kind == TYPE_RESERVE_ID && is_all_ones(value))
        return expr_cast(s, CAST_NULL_POINTER, expr_int(s, type_scalar(s, TYPE_INT), 0, loc, value->range), type.type);
    if (value->type.type->kind == TYPE_POINTER || type.type->kind == TYPE_POINTER)
        return sema_explicit_cast(s, type, value, loc, value->range);
    type.sugar = NULL;
    const char *text = clc_type_text_info(s->front, qt(type_strip_enum(type.type)));
    text = arena_printf(s->arena, "as_%s", text);
    struct ident *name = pp_intern(s->front, text, strlen(text));
    const struct builtin *builtin = clc_builtin_find(s->front, name);
    if (!builtin) {
        pp_error(s->front, loc, "invalid reinterpretation of %s as %s", type_quote_expr(s, value), type_quote(s, type));
        return s->poison;
    }
    struct expr **args = arena_array(s->front->nodes, struct expr *, 1);
    args[0] = value;
    return clc_builtin_call(s->front, builtin, loc, value->range, args, 1);
}

/* __builtin_astype(value, type), __builtin_bit_cast(type, value), __builtin_convertvector(value, type) */
static struct expr *form_value_and_type(struct sema *s, src_loc loc, bool type_first, bool convert)
{
    struct qual_type type = {0};
    if (!open_paren(s))
        return s->poison;
    if (type_first)
        type = parse_type_name(s);
    bool good = !type_first || parse_expect(s, TOKEN_COMMA, NULL);
    struct expr *value = parse_assignment(s);
    if (!type_first) {
        good = parse_expect(s, TOKEN_COMMA, NULL) && good;
        type = good ? parse_type_name(s) : s->poison->type;
    }
    if (!close_paren(s) || !good)
        return s->poison;
    if (!convert)
        return reinterpret(s, value, type, loc);
    value = expr_poison(value) ? value : clc_rvalue(s->front, value);
    if (expr_poison(value) || is_poison(type.type))
        return s->poison;
    if (value->type.type->kind != TYPE_VECTOR || type.type->kind != TYPE_VECTOR ||
        type_lanes(value->type.type) != type_lanes(type.type)) {
        pp_error(s->front, loc, "cannot convert %s to %s: vectors with the same number of elements are needed",
                 type_quote_expr(s, value), type_quote(s, type));
        return s->poison;
    }
    return sema_to_arith(s, value, type.type);
}

/* __builtin_bswap16, 32, 64: the bytes of a vector in reverse */
static struct expr *form_swap(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *arg;
    const char *width = name->name + strlen("__builtin_bswap");
    enum type_kind kind = !strcmp(width, "16")   ? TYPE_USHORT
                          : !strcmp(width, "32") ? TYPE_UINT
                          : !strcmp(width, "64") ? TYPE_ULONG
                                                 : TYPE_POISON;
    if (kind == TYPE_POISON)
        return NULL;
    struct expr *wrong = one_argument(s, name, loc, &arg);
    if (wrong)
        return wrong;
    const struct type *type = type_scalar(s, kind);
    struct expr *value = sema_convert(s, arg, qt(type), CONVERT_PASS, loc);
    if (expr_poison(value))
        return value;
    uint32_t bytes = (uint32_t)type->size;
    uint8_t lanes[8];
    for (uint32_t i = 0; i < bytes; i++)
        lanes[i] = (uint8_t)(bytes - 1 - i);
    value = reinterpret(s, value, qt(clc_type_vector(s->front, type_scalar(s, TYPE_UCHAR), bytes)), loc);
    value = expr_poison(value) ? value : sema_shuffle_lanes(s, value, lanes, bytes, loc);
    return expr_poison(value) ? value : reinterpret(s, value, qt(type), loc);
}

/* A value that is used more than once: a variable in a statement expression. */
static struct expr *shared(struct sema *s, struct expr *value, struct stmt *declare)
{
    struct decl *variable = sema_decl_new(s, DECL_VARIABLE, NULL, qt(value->type.type), value->loc);
    variable->var.init = value;
    variable->used = true;
    declare->kind = STMT_DECL;
    declare->loc = value->loc;
    declare->decls = variable;
    return expr_decl(s, variable, value->loc, value->range);
}

static struct expr *swizzle(struct synth *seq, struct expr *vector, const uint8_t *lanes, uint32_t count)
{
    struct decl *kept = synth_keep(seq, vector);
    return clc_rvalue(seq->s->front, sema_shuffle_lanes(seq->s, expr_decl(seq->s, kept, seq->loc, seq->range), lanes,
                                                        count, seq->loc));
}

/* With a fourth lane meanwhile. */
static struct expr *shuffle_three(struct synth *seq, struct expr **args)
{
    static const uint8_t lanes[] = {0, 1, 2, 2};
    struct expr *wide[] = {swizzle(seq, args[0], lanes, 4), swizzle(seq, args[1], lanes, 4)};
    return synth_expression(seq, swizzle(seq, synth_call(seq, "shuffle", wide, 2), lanes, 3));
}

/* __builtin_shufflevector(a, mask): the library's shuffle, which takes no more bits of the mask than it needs either */
static struct expr *shuffle_by_mask(struct sema *s, struct expr **args, src_loc loc)
{
    static const enum type_kind masks[] = {[1] = TYPE_UCHAR, [2] = TYPE_USHORT, [4] = TYPE_UINT, [8] = TYPE_ULONG};
    for (uint32_t i = 0; i < 2; i++) {
        if (expr_poison(args[i] = clc_rvalue(s->front, args[i])))
            return s->poison;
    }
    const struct type *type = args[0]->type.type, *mask = args[1]->type.type;
    if (type->kind != TYPE_VECTOR || mask->kind != TYPE_VECTOR || !type_is_integer(mask->vector.element) ||
        type->vector.count != mask->vector.count) {
        pp_error(s->front, loc,
                 "first two arguments to '__builtin_shufflevector' must be vectors, the second of as many integers");
        return s->poison;
    }
    struct synth seq = {.s = s, .loc = loc, .range = {loc, s->prev_end}};
    const struct type *lane = type_scalar(s, masks[type->vector.element->size]);
    args[1] = synth_as(&seq, args[1], clc_type_vector(s->front, lane, type->vector.count));
    return type->vector.count == 3 ? shuffle_three(&seq, args) : synth_call(&seq, "shuffle", args, 2);
}

/* __builtin_shufflevector(a, b, lane...): lanes of both in a row; -1 is any */
static struct expr *form_shuffle(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *args[18], *lanes[16];
    bool good;
    if (!open_paren(s))
        return s->poison;
    uint32_t count = arguments(s, args, 18, &good);
    if (!good)
        return s->poison;
    if (count == 2)
        return shuffle_by_mask(s, args, loc);
    if (count < 2 || count > 18)
        return wrong_count(s, name, loc);
    struct arena *nodes = s->front->nodes;
    struct stmt *body = arena_new(nodes, struct stmt), *last = arena_new(nodes, struct stmt);
    struct stmt *declare[2] = {arena_new(nodes, struct stmt), arena_new(nodes, struct stmt)};
    for (uint32_t i = 0; i < 2; i++) {
        args[i] = clc_rvalue(s->front, args[i]);
        if (expr_poison(args[i]) || args[i]->type.type->kind != TYPE_VECTOR ||
            args[i]->type.type != args[0]->type.type) {
            pp_error(s->front, loc,
                     "first two arguments to '__builtin_shufflevector' must be vectors of the same type");
            return s->poison;
        }
    }
    args[0] = shared(s, args[0], declare[0]);
    args[1] = shared(s, args[1], declare[1]);
    uint32_t width = args[0]->type.type->vector.count;
    const struct type *result = clc_type_vector(s->front, args[0]->type.type->vector.element, count - 2);
    for (uint32_t i = 2; i < count; i++) {
        int64_t lane = args[i]->is_constant ? (int64_t)args[i]->integer : -2;
        if (lane < -1 || lane >= 2 * (int64_t)width || is_poison(result)) {
            pp_error_range(
                s->front, args[i]->loc, args[i]->range,
                "index for '__builtin_shufflevector' must be a constant less than the total number of vector elements");
            return s->poison;
        }
        lane = lane < 0 ? 0 : lane;
        uint8_t one = (uint8_t)(lane % width);
        struct expr *from = args[lane / width];
        lanes[i - 2] = sema_shuffle_lanes(s, expr_decl(s, from->decl, loc, from->range), &one, 1, loc);
    }
    struct expr **copy = arena_array(s->front->nodes, struct expr *, count - 2);
    memcpy(copy, lanes, (count - 2) * sizeof(*copy));
    last->kind = STMT_EXPR;
    last->loc = body->loc = loc;
    last->expr = count == 3
                     ? clc_rvalue(s->front, copy[0])
                     : sema_vector_literal(s, result, copy, count - 2, loc, (struct src_range){loc, s->prev_end});
    declare[0]->next = declare[1];
    declare[1]->next = last;
    body->kind = STMT_BLOCK;
    body->block.first = declare[0];
    struct expr *expr = expr_new(s, EXPR_STATEMENT, qt(result), loc, (struct src_range){loc, s->prev_end});
    expr->statement.body = body;
    expr->statement.value = last->expr;
    return expr;
}

/* __builtin_fabsf -> fabs and the like; NULL when the library has nothing of the name */
static struct expr *form_library(struct sema *s, struct ident *name, src_loc loc)
{
    const char *stem = name->name + 10;
    uint32_t length = name->length - 10;
    bool good;
    struct expr *args[8];
    static const char *const infinities[] = {"inf", "inff", "huge_val", "huge_valf"};
    double constant = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(infinities); i++) {
        if (!strcmp(stem, infinities[i]))
            constant = INFINITY;
    }
    if (!strcmp(stem, "nanf") || !strcmp(stem, "nan"))
        constant = NAN;
    if (constant != 0) {
        if (!open_paren(s))
            return s->poison;
        arguments(s, args, 8, &good);
        enum type_kind kind = stem[strlen(stem) - 1] == 'f' && strcmp(stem, "inf") != 0 ? TYPE_FLOAT : TYPE_DOUBLE;
        if (kind == TYPE_DOUBLE && !s->fp64)
            kind = TYPE_FLOAT;
        struct expr *expr =
            expr_new(s, EXPR_FLOAT, qt(type_scalar(s, kind)), loc, (struct src_range){loc, s->prev_end});
        expr->is_constant = true;
        expr->float_value = true;
        expr->floating = constant;
        return expr;
    }
    bool floats = false;               /* the name says so, of whatever is given */
    if (!strncmp(stem, "scalbn", 6)) { /* by powers of two */
        floats = stem[6] == 'f';
        stem = "ldexp", length = 5;
    }
    struct ident *library = pp_intern(s->front, stem, length);
    const struct builtin *builtin = clc_builtin_find(s->front, library);
    if (!builtin && length > 1 && (stem[length - 1] == 'f' || stem[length - 1] == 'l')) {
        floats = stem[length - 1] == 'f';
        builtin = clc_builtin_find(s->front, library = pp_intern(s->front, stem, length - 1));
    }
    if (!builtin)
        return NULL;
    if (!open_paren(s))
        return s->poison;
    uint32_t count = arguments(s, args, 8, &good);
    if (!good)
        return s->poison;
    if (count > 8)
        return wrong_count(s, name, loc);
    if (floats && count && type_is_scalar_arith(args[0]->type.type))
        args[0] = sema_convert(s, args[0], qt(type_scalar(s, TYPE_FLOAT)), CONVERT_PASS, args[0]->loc);
    struct expr **copy = arena_array(s->front->nodes, struct expr *, count + 1);
    memcpy(copy, args, count * sizeof(*copy));
    return clc_builtin_call(s->front, builtin, loc, (struct src_range){loc, s->prev_end}, copy, count);
}

/* Hints that change no result: a load or store that need not stay in caches, an address that will be used. */
static struct expr *form_hint(struct sema *s, const struct ident *name, src_loc loc)
{
    const char *stem = name->name + 10;
    bool stores = !strcmp(stem, "nontemporal_store"), fetches = !strcmp(stem, "prefetch");
    struct expr *args[3];
    bool good;
    if (!open_paren(s))
        return s->poison;
    uint32_t count = arguments(s, args, 3, &good), wanted = stores ? 2 : 1;
    if (!good)
        return s->poison;
    if (count < wanted || count > (fetches ? 3 : wanted))
        return wrong_count(s, name, loc);
    struct expr *pointer = clc_rvalue(s->front, args[stores ? 1 : 0]);
    if (expr_poison(pointer))
        return pointer;
    if (!type_is_pointer(pointer->type.type)) {
        pp_error_range(s->front, pointer->loc, pointer->range,
                       "address argument to '%s' must be a pointer (%s invalid)", name->name,
                       type_quote_expr(s, pointer));
        return s->poison;
    }
    struct expr *effect = pointer;
    if (!fetches)
        effect = sema_unary(s, UNARY_DEREF, pointer, loc);
    if (stores && !expr_poison(effect))
        effect = sema_assign(s, effect, args[0], false, BINARY_MUL, loc);
    if (expr_poison(effect))
        return effect;
    effect = clc_rvalue(s->front, effect);
    if (!stores && !fetches)
        return effect;
    struct src_range range = {loc, s->prev_end};
    return sema_explicit_cast(s, qt(type_scalar(s, TYPE_VOID)), effect, loc, range);
}

/* __builtin_isinf_sign(x): -1, 0 or 1 */
static struct expr *form_infinity_sign(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *arg;
    struct expr *wrong = one_argument(s, name, loc, &arg);
    if (wrong)
        return wrong;
    arg = clc_rvalue(s->front, arg);
    if (expr_poison(arg))
        return arg;
    const struct type *number = type_scalar(s, TYPE_INT);
    if (!type_is_float(arg->type.type))
        arg = sema_convert(s, arg, qt(type_scalar(s, TYPE_FLOAT)), CONVERT_PASS, loc);
    if (expr_poison(arg))
        return arg;
    struct synth seq = {.s = s, .loc = loc, .range = {loc, s->prev_end}};
    struct decl *x = synth_keep(&seq, arg);
    struct expr *used[] = {synth_use(&seq, x), synth_use(&seq, x)};
    struct expr *infinite = synth_call(&seq, "isinf", &used[0], 1),
                *negative = synth_call(&seq, "signbit", &used[1], 1);
    struct expr *sign = synth_binary(&seq, BINARY_MUL, negative, synth_number(&seq, number, 2));
    sign = synth_binary(&seq, BINARY_SUB, synth_number(&seq, number, 1), sign);
    return synth_expression(&seq, synth_binary(&seq, BINARY_MUL, infinite, sign));
}

/* __builtin_LINE(), __builtin_COLUMN() */
static struct expr *form_place(struct sema *s, const struct ident *name, src_loc loc, bool line)
{
    struct src_position at = pp_source_position(s->front, pp_source_expansion(s->front, loc));
    struct expr *args[1];
    bool good;
    if (!open_paren(s))
        return s->poison;
    if (arguments(s, args, 1, &good) || !good)
        return good ? wrong_count(s, name, loc) : s->poison;
    return expr_int(s, type_scalar(s, TYPE_INT), line ? at.line : at.column, loc, (struct src_range){loc, s->prev_end});
}

/* __builtin_object_size(pointer, kind): known of arrays and variables; of others what says that it is not. */
static struct expr *form_object_size(struct sema *s, const struct ident *name, src_loc loc)
{
    struct expr *args[2];
    bool good;
    if (!open_paren(s))
        return s->poison;
    s->unevaluated++;
    uint32_t count = arguments(s, args, 2, &good);
    s->unevaluated--;
    if (!good)
        return s->poison;
    if (count != 2)
        return wrong_count(s, name, loc);
    const struct expr *object = args[0];
    if (object->kind == EXPR_UNARY && object->unary.op == UNARY_ADDRESS)
        object = object->unary.operand;
    bool known = object->kind == EXPR_DECL && (object != args[0] || object->type.type->kind == TYPE_ARRAY);
    bool least = args[1]->is_constant && args[1]->integer & 2;
    uint64_t size = known ? object->type.type->size : least ? 0 : UINT64_MAX;
    return expr_int(s, type_scalar(s, TYPE_ULONG), size, loc, (struct src_range){loc, s->prev_end});
}

static struct expr *form_small(struct sema *s, const struct ident *name, src_loc loc)
{
    const char *stem = name->name + 10;
    if (!strcmp(stem, "nontemporal_load") || !strcmp(stem, "nontemporal_store") || !strcmp(stem, "prefetch"))
        return form_hint(s, name, loc);
    if (!strcmp(stem, "isinf_sign"))
        return form_infinity_sign(s, name, loc);
    if (!strcmp(stem, "LINE") || !strcmp(stem, "COLUMN"))
        return form_place(s, name, loc, *stem == 'L');
    if (!strcmp(stem, "object_size"))
        return form_object_size(s, name, loc);
    return NULL;
}

struct expr *parse_builtin_form(struct sema *s, struct ident *name, src_loc loc)
{
    const char *stem = name->name + 10;
    if (!strcmp(stem, "expect") || !strcmp(stem, "expect_with_probability"))
        return form_expect(s, name, loc, 2);
    if (!strcmp(stem, "unpredictable"))
        return form_expect(s, name, loc, 1);
    if (!strcmp(stem, "constant_p"))
        return form_constant_p(s, name, loc);
    if (!strcmp(stem, "assume"))
        return form_assume(s, name, loc);
    if (!strcmp(stem, "unreachable"))
        return form_no_arguments(s, name, loc, INTRINSIC_UNREACHABLE);
    if (!strcmp(stem, "trap") || !strcmp(stem, "debugtrap"))
        return form_no_arguments(s, name, loc, INTRINSIC_TRAP);
    if (!strcmp(stem, "types_compatible_p"))
        return form_types_compatible(s, loc);
    if (!strcmp(stem, "choose_expr"))
        return form_choose(s);
    if (!strcmp(stem, "offsetof"))
        return form_offsetof(s, loc);
    if (!strcmp(stem, "astype"))
        return form_value_and_type(s, loc, false, false);
    if (!strcmp(stem, "bit_cast"))
        return form_value_and_type(s, loc, true, false);
    if (!strcmp(stem, "convertvector"))
        return form_value_and_type(s, loc, false, true);
    if (!strcmp(stem, "shufflevector"))
        return form_shuffle(s, name, loc);
    if (!strncmp(stem, "bswap", 5)) {
        struct expr *swapped = form_swap(s, name, loc);
        if (swapped)
            return swapped;
    }
    if (!strcmp(stem, "assume_aligned")) {
        struct expr *args[3];
        bool good;
        if (!open_paren(s))
            return s->poison;
        uint32_t count = arguments(s, args, 3, &good);
        return !good ? s->poison : count < 2 || count > 3 ? wrong_count(s, name, loc) : clc_rvalue(s->front, args[0]);
    }
    struct expr *form = parse_checked_form(s, name, loc);
    form = form ? form : parse_bits_form(s, name, loc);
    form = form ? form : form_small(s, name, loc);
    return form ? form : form_library(s, name, loc);
}
