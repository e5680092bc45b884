/* clang's __builtin_... whose work is a few statements: arithmetic that says whether it overflowed, memory by the byte,
 * and operators lane by lane. Each becomes a statement expression of the ordinary tree, so that nothing behind the
 * parser knows of them. */
#include "compiler/front/parse/parse.h"
#include "compiler/front/parse/synth.h"

/* ---- add, sub, mul with a check ---- */

struct overflow_form {
    enum binary_op op;
    const struct type *type; /* of operands and result; NULL: any integers */
};

/* add_overflow, or with a type: sadd_, saddl_, uaddll_overflow */
static bool overflow_form(struct sema *s, const char *stem, struct overflow_form *form)
{
    static const struct {
        const char *name;
        enum binary_op op;
    } operations[] = {{"add", BINARY_ADD}, {"sub", BINARY_SUB}, {"mul", BINARY_MUL}};
    for (size_t i = 0; i < ARRAY_LENGTH(operations); i++) {
        const char *rest = stem;
        bool typed = strncmp(rest, operations[i].name, 3) != 0;
        bool is_unsigned = *rest == 'u';
        if (typed && ((*rest != 's' && *rest != 'u') || strncmp(++rest, operations[i].name, 3) != 0))
            continue;
        rest += 3;
        uint32_t longs = 0;
        while (typed && *rest == 'l' && longs < 2) {
            longs++;
            rest++;
        }
        if (strcmp(rest, "_overflow") != 0)
            continue;
        enum type_kind kind = longs ? TYPE_LONG : TYPE_INT;
        form->op = operations[i].op;
        form->type = typed ? type_scalar(s, kind + (is_unsigned ? 1 : 0)) : NULL;
        return true;
    }
    return false;
}

static bool overflow_operands(struct sema *s, const struct overflow_form *form, struct expr **args)
{
    if (form->type) {
        struct qual_type result = qt(form->type);
        result.address_space = s->generic_as ? AS_GENERIC : AS_PRIVATE;
        for (uint32_t i = 0; i < 3; i++)
            args[i] = sema_convert(s, args[i], qt(i < 2 ? form->type : clc_type_pointer(s->front, result)),
                                   CONVERT_PASS, args[i]->loc);
        return !expr_poison(args[0]) && !expr_poison(args[1]) && !expr_poison(args[2]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        args[i] = clc_rvalue(s->front, args[i]);
        if (expr_poison(args[i]))
            return false;
        const struct type *type = args[i]->type.type;
        if (i < 2 && !type_is_integer(type)) {
            pp_error_range(s->front, args[i]->loc, args[i]->range,
                           "operand argument to overflow builtin must be an integer (%s invalid)",
                           type_quote_expr(s, args[i]));
            return false;
        }
        if (i == 2 && (!type_is_pointer(type) || !type_is_integer(type->pointer.pointee.type) ||
                       type->pointer.pointee.quals & QUAL_CONST)) {
            pp_error_range(s->front, args[i]->loc, args[i]->range,
                           "result argument to overflow builtin must be a pointer to a non-const integer (%s invalid)",
                           type_quote_expr(s, args[i]));
            return false;
        }
    }
    return true;
}

/* The words above an integer's lowest 64 bits, as one. */
static struct expr *high_word(struct synth *seq, struct decl *integer)
{
    const struct type *type = type_scalar(seq->s, TYPE_LONG), *word = type_scalar(seq->s, TYPE_ULONG);
    if (!type_is_signed(integer->type.type))
        return synth_number(seq, word, 0);
    return synth_as(
        seq, synth_binary(seq, BINARY_SHR, synth_as(seq, synth_use(seq, integer), type), synth_number(seq, type, 63)),
        word);
}

/* Exact in 128 bits, as two words; then the result is what it was stored as, or overflowed. */
static struct expr *overflow_in_two_words(struct synth *seq, enum binary_op op, struct decl *a, struct decl *b,
                                          struct decl *pointer, const struct type *result)
{
    const struct type *word = type_scalar(seq->s, TYPE_ULONG);
    struct decl *ua = synth_keep(seq, synth_as(seq, synth_use(seq, a), word)),
                *ub = synth_keep(seq, synth_as(seq, synth_use(seq, b), word));
    struct decl *low = synth_keep(seq, synth_binary(seq, op, synth_use(seq, ua), synth_use(seq, ub)));
    struct expr *high;
    if (op == BINARY_MUL) {
        struct expr *factors[] = {synth_use(seq, ua), synth_use(seq, ub)};
        high = synth_call(seq, "mul_hi", factors, 2);
        high =
            synth_binary(seq, BINARY_ADD, high, synth_binary(seq, BINARY_MUL, high_word(seq, a), synth_use(seq, ub)));
        high =
            synth_binary(seq, BINARY_ADD, high, synth_binary(seq, BINARY_MUL, high_word(seq, b), synth_use(seq, ua)));
    } else {
        struct expr *carry = op == BINARY_ADD ? synth_binary(seq, BINARY_LT, synth_use(seq, low), synth_use(seq, ua))
                                              : synth_binary(seq, BINARY_LT, synth_use(seq, ua), synth_use(seq, ub));
        struct expr *high_a = high_word(seq, a);
        high = synth_binary(seq, op, high_a, high_word(seq, b));
        high = synth_binary(seq, op, high, synth_as(seq, carry, word));
    }
    struct decl *stored = synth_keep(seq, synth_as(seq, synth_use(seq, low), result));
    synth_assign(seq, sema_unary(seq->s, UNARY_DEREF, synth_use(seq, pointer), seq->loc), synth_use(seq, stored));
    struct expr *wrong_low =
        synth_binary(seq, BINARY_XOR, synth_as(seq, synth_use(seq, stored), word), synth_use(seq, low));
    struct expr *wrong_high = synth_binary(seq, BINARY_XOR, high_word(seq, stored), high);
    return synth_binary(seq, BINARY_NE, synth_binary(seq, BINARY_OR, wrong_low, wrong_high),
                        synth_number(seq, word, 0));
}

/* 64 bits hold any result of 32-bit operands. */
static struct expr *overflow_in_one_word(struct synth *seq, enum binary_op op, struct decl *a, struct decl *b,
                                         struct decl *pointer, const struct type *result)
{
    bool is_unsigned = op == BINARY_MUL && !type_is_signed(a->type.type) && !type_is_signed(b->type.type);
    const struct type *word = type_scalar(seq->s, is_unsigned ? TYPE_ULONG : TYPE_LONG);
    struct decl *exact = synth_keep(
        seq, synth_binary(seq, op, synth_as(seq, synth_use(seq, a), word), synth_as(seq, synth_use(seq, b), word)));
    struct decl *stored = synth_keep(seq, synth_as(seq, synth_use(seq, exact), result));
    synth_assign(seq, sema_unary(seq->s, UNARY_DEREF, synth_use(seq, pointer), seq->loc), synth_use(seq, stored));
    return synth_binary(seq, BINARY_NE, synth_as(seq, synth_use(seq, stored), word), synth_use(seq, exact));
}

static struct expr *overflow(struct synth *seq, const struct overflow_form *form, struct expr **args)
{
    if (!overflow_operands(seq->s, form, args))
        return seq->s->poison;
    const struct type *result = type_strip_enum(args[2]->type.type->pointer.pointee.type);
    struct decl *a = synth_keep(seq, args[0]), *b = synth_keep(seq, args[1]), *pointer = synth_keep(seq, args[2]);
    bool wide = a->type.type->size > 4 || b->type.type->size > 4 || result->size > 4;
    struct expr *wrong = wide ? overflow_in_two_words(seq, form->op, a, b, pointer, result)
                              : overflow_in_one_word(seq, form->op, a, b, pointer, result);
    return synth_expression(seq, sema_condition(seq->s, wrong));
}

/* ---- memcpy, memmove, memset ---- */

/* What is moved at a time: the pointee where the whole is some of them, else bytes. */
static const struct type *unit_of(struct sema *s, const struct type *a, const struct type *b, const struct expr *size)
{
    const struct type *unit = a->pointer.pointee.type;
    while (unit->kind == TYPE_ARRAY)
        unit = unit->array.element.type;
    for (const struct type *other = b->pointer.pointee.type;; other = other->array.element.type) {
        if (clc_type_equal(other, unit))
            break;
        if (other->kind != TYPE_ARRAY)
            return type_scalar(s, TYPE_UCHAR);
    }
    bool whole = size->is_constant && unit->size && !unit->incomplete && size->integer % unit->size == 0;
    return whole && unit->kind != TYPE_FUNCTION ? unit : type_scalar(s, TYPE_UCHAR);
}

static struct decl *keep_pointer(struct synth *seq, struct expr *pointer, const struct type *unit)
{
    struct qual_type pointee = pointer->type.type->pointer.pointee;
    pointee = (struct qual_type){.type = unit, .quals = pointee.quals, .address_space = pointee.address_space};
    const struct type *type = clc_type_pointer(seq->s->front, pointee);
    return synth_keep(seq, type == pointer->type.type
                               ? pointer
                               : sema_explicit_cast(seq->s, qt(type), pointer, seq->loc, pointer->range));
}

/* for (i = 0; i < count; i++) to[at] = from[at], where at is i or, backwards, count - 1 - i */
static struct stmt *copy_loop(struct synth *outer, struct decl *to, struct decl *from, struct expr *value,
                              struct decl *count, bool backwards)
{
    struct sema *s = outer->s;
    const struct type *word = type_scalar(s, TYPE_ULONG);
    struct synth seq = {.s = s, .loc = outer->loc, .range = outer->range}, body = seq;
    struct stmt *loop = arena_new(s->arena, struct stmt);
    struct decl *i = synth_keep(&seq, synth_number(&seq, word, 0));
    loop->kind = STMT_FOR;
    loop->loc = seq.loc;
    loop->loop.init = seq.first;
    loop->loop.condition = sema_condition(s, synth_binary(&seq, BINARY_LT, synth_use(&seq, i), synth_use(&seq, count)));
    loop->loop.step = sema_unary(s, UNARY_PRE_INC, expr_decl(s, i, seq.loc, seq.range), seq.loc);
    struct expr *at[2];
    for (uint32_t k = 0; k < 2; k++) {
        at[k] = synth_use(&seq, i);
        if (backwards)
            at[k] = synth_binary(&seq, BINARY_SUB,
                                 synth_binary(&seq, BINARY_SUB, synth_use(&seq, count), synth_number(&seq, word, 1)),
                                 at[k]);
    }
    if (from)
        value = clc_rvalue(s->front, sema_index(s, synth_use(&seq, from), at[0], seq.loc));
    synth_assign(&body, sema_index(s, synth_use(&seq, to), at[1], seq.loc), value);
    loop->loop.body = body.first;
    return loop;
}

static void append(struct synth *seq, struct stmt *stmt)
{
    seq->last->next = stmt;
    seq->last = stmt;
}

static bool memory_operands(struct sema *s, const struct ident *name, struct expr **args, bool sets)
{
    for (uint32_t i = 0; i < 3; i++) {
        bool pointer = i == 0 || (i == 1 && !sets);
        args[i] = pointer ? clc_rvalue(s->front, args[i])
                          : sema_convert(s, args[i], qt(type_scalar(s, i == 1 ? TYPE_INT : TYPE_ULONG)), CONVERT_PASS,
                                         args[i]->loc);
        if (expr_poison(args[i]))
            return false;
        if (!pointer)
            continue;
        const struct type *type = args[i]->type.type;
        if (!type_is_pointer(type) || (i == 0 && type->pointer.pointee.quals & QUAL_CONST)) {
            pp_error_range(s->front, args[i]->loc, args[i]->range, "passing %s to parameter of type '%svoid *' of '%s'",
                           type_quote_expr(s, args[i]), i ? "const " : "", name->name);
            return false;
        }
    }
    return true;
}

static struct expr *memory(struct synth *seq, const struct ident *name, const char *stem, struct expr **args)
{
    struct sema *s = seq->s;
    bool sets = !strcmp(stem, "memset"), moves = !strcmp(stem, "memmove");
    if (!memory_operands(s, name, args, sets))
        return s->poison;
    const struct type *word = type_scalar(s, TYPE_ULONG), *byte = type_scalar(s, TYPE_UCHAR);
    const struct type *target = args[0]->type.type,
                      *unit = unit_of(s, target, sets ? target : args[1]->type.type, args[2]);
    struct expr *value = NULL;
    if (sets) {
        bool zero = args[1]->is_constant && !args[1]->integer;
        if (!zero || !type_is_arith(type_element(unit)))
            unit = byte;
    }
    struct decl *to = keep_pointer(seq, args[0], unit), *from = sets ? NULL : keep_pointer(seq, args[1], unit);
    if (sets) {
        struct decl *kept =
            synth_keep(seq, sema_explicit_cast(s, qt(type_strip_enum(unit)), args[1], seq->loc, seq->range));
        value = synth_use(seq, kept);
    }
    struct expr *size = args[2];
    struct decl *count =
        synth_keep(seq, size->is_constant ? synth_number(seq, word, size->integer / unit->size) : size);
    struct stmt *forwards = copy_loop(seq, to, from, value, count, false);
    if (moves && to->type.type->pointer.pointee.address_space == from->type.type->pointer.pointee.address_space) {
        struct stmt *choice = synth_add(seq, STMT_IF);
        struct expr *a = sema_explicit_cast(s, qt(word), synth_use(seq, to), seq->loc, seq->range);
        struct expr *b = sema_explicit_cast(s, qt(word), synth_use(seq, from), seq->loc, seq->range);
        choice->branch.condition = sema_condition(s, synth_binary(seq, BINARY_LE, a, b));
        choice->branch.then_body = forwards;
        choice->branch.else_body = copy_loop(seq, to, from, value, count, true);
    } else {
        append(seq, forwards);
    }
    struct qual_type nothing = qt(type_scalar(s, TYPE_VOID));
    nothing.address_space = target->pointer.pointee.address_space;
    return synth_expression(seq, expr_cast(s, CAST_NOP, synth_use(seq, to), clc_type_pointer(s->front, nothing)));
}

/* ---- lane by lane ---- */

struct lane_form {
    const char *name, *integers, *floats; /* the library's functions; NULL: such arguments are refused */
    uint32_t args;
};

static const struct lane_form lane_forms[] = {
    {"max", "max", "fmax", 2},      {"min", "min", "fmin", 2},       {"abs", "abs", "fabs", 1},
    {"ceil", NULL, "ceil", 1},      {"floor", NULL, "floor", 1},     {"trunc", NULL, "trunc", 1},
    {"roundeven", NULL, "rint", 1}, {"add_sat", "add_sat", NULL, 2}, {"sub_sat", "sub_sat", NULL, 2},
};

static struct expr *elementwise(struct synth *seq, const struct lane_form *form, struct expr **args)
{
    struct sema *s = seq->s;
    for (uint32_t i = 0; i < form->args; i++) {
        args[i] = sema_promote(s, args[i]);
        if (expr_poison(args[i]))
            return args[i];
        const struct type *element = type_element(args[i]->type.type);
        bool is_abs = !strcmp(form->name, "abs");
        bool fits = type_is_float(element)
                        ? form->floats != NULL
                        : type_is_integer(element) && form->integers && (!is_abs || type_is_signed(element));
        if (!fits) {
            pp_error_range(s->front, args[i]->loc, args[i]->range, "%s argument must be %s (was %s)", i ? "2nd" : "1st",
                           is_abs           ? "a signed integer or floating point type"
                           : !form->floats  ? "a vector of integers or an integer type"
                           : form->integers ? "a vector, integer or floating point type"
                                            : "a floating point type",
                           type_quote_expr(s, args[i]));
            return s->poison;
        }
    }
    const struct type *type = args[0]->type.type;
    if (form->args == 2 && type != args[1]->type.type) {
        pp_error(s->front, seq->loc, "arguments are of different types (%s vs %s)", type_quote_expr(s, args[0]),
                 type_quote_expr(s, args[1]));
        return s->poison;
    }
    struct expr *value =
        synth_call(seq, type_is_float(type_element(type)) ? form->floats : form->integers, args, form->args);
    return expr_poison(value) ? value : synth_as(seq, value, type);
}

/* reduce_add and the like: from the first lane to the last */
static struct expr *reduce(struct synth *seq, const char *stem, struct expr *vector)
{
    static const struct {
        const char *name;
        enum binary_op op;
    } operators[] = {
        {"add", BINARY_ADD}, {"mul", BINARY_MUL}, {"xor", BINARY_XOR}, {"or", BINARY_OR}, {"and", BINARY_AND}};
    struct sema *s = seq->s;
    bool chooses = !strcmp(stem, "max") || !strcmp(stem, "min");
    vector = clc_rvalue(s->front, vector);
    if (expr_poison(vector))
        return vector;
    const struct type *type = vector->type.type, *element = type_element(type);
    if (type->kind != TYPE_VECTOR || (!chooses && !type_is_integer(element))) {
        pp_error_range(s->front, vector->loc, vector->range, "1st argument must be a vector of %s (was %s)",
                       chooses ? "integers or floating points" : "integers", type_quote_expr(s, vector));
        return s->poison;
    }
    struct decl *kept = synth_keep(seq, vector);
    struct expr *all = NULL;
    for (uint32_t i = 0; i < type->vector.count; i++) {
        uint8_t lane = (uint8_t)i;
        struct expr *one =
            clc_rvalue(s->front, sema_shuffle_lanes(s, expr_decl(s, kept, seq->loc, seq->range), &lane, 1, seq->loc));
        if (!all) {
            all = one;
        } else if (chooses) {
            struct expr *both[] = {all, one};
            const char *name = type_is_float(element) ? (*stem == 'm' && stem[1] == 'a' ? "fmax" : "fmin") : stem;
            all = synth_call(seq, name, both, 2);
        } else {
            for (size_t k = 0; k < ARRAY_LENGTH(operators); k++) {
                if (!strcmp(stem, operators[k].name)) {
                    all = synth_as(seq, synth_binary(seq, operators[k].op, all, one), element);
                    break;
                }
            }
        }
    }
    return synth_expression(seq, all);
}

static bool is_reduction(const char *stem)
{
    static const char *const names[] = {"max", "min", "add", "mul", "xor", "or", "and"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (!strcmp(stem, names[i]))
            return true;
    }
    return false;
}

/* ---- which one ---- */

struct expr *parse_checked_form(struct sema *s, const struct ident *name, src_loc loc)
{
    const char *stem = name->name + strlen("__builtin_");
    struct overflow_form checked = {0};
    const struct lane_form *lanes = NULL;
    bool overflows = overflow_form(s, stem, &checked), reduces = false;
    bool copies = !strcmp(stem, "memcpy") || !strcmp(stem, "memmove") || !strcmp(stem, "memset");
    for (size_t i = 0; i < ARRAY_LENGTH(lane_forms) && !strncmp(stem, "elementwise_", 12); i++) {
        if (!strcmp(stem + 12, lane_forms[i].name))
            lanes = &lane_forms[i];
    }
    if (!strncmp(stem, "reduce_", 7))
        reduces = is_reduction(stem + 7);
    if (!overflows && !copies && !lanes && !reduces)
        return NULL;
    uint32_t wanted = lanes ? lanes->args : reduces ? 1 : 3;
    struct expr **args = parse_form_operands(s, wanted, loc);
    if (!args)
        return s->poison;
    struct synth seq = {.s = s, .loc = loc, .range = {loc, s->prev_end}};
    return overflows ? overflow(&seq, &checked, args)
           : copies  ? memory(&seq, name, stem, args)
           : lanes   ? elementwise(&seq, lanes, args)
                     : reduce(&seq, stem + 7, args[0]);
}
