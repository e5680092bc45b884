/* clang's __builtin_... on bits: counts, reversal, rotation and carries. The end of the name says the type (l, ll, s,
 * b, or a width; int without one), and the operands are converted to it. Most are calls of a library function, which
 * exists for every type. With constant operands the result is constant. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/parse/parse.h"
#include "compiler/front/parse/synth.h"

#include <string.h>

enum bits_op { BITS_CLZ, BITS_CTZ, BITS_FFS, BITS_POPCOUNT, BITS_PARITY, BITS_CLRSB, BITS_ABS, BITS_REVERSE };

struct bits_form {
    const char *name;
    enum bits_op op;
    bool sized; /* the width behind the name; else l or ll, or s for counts of zeros */
};

static const struct bits_form bits_forms[] = {
    {"clz", BITS_CLZ, false},           {"ctz", BITS_CTZ, false},           {"ffs", BITS_FFS, false},
    {"popcount", BITS_POPCOUNT, false}, {"parity", BITS_PARITY, false},     {"clrsb", BITS_CLRSB, false},
    {"abs", BITS_ABS, false},           {"bitreverse", BITS_REVERSE, true},
};

static bool is_signed_op(enum bits_op op)
{
    return op == BITS_CLRSB || op == BITS_ABS;
}

/* ---- the type that the name ends in ---- */

static enum type_kind kind_of_width(const char *width)
{
    static const struct {
        const char *text;
        enum type_kind kind;
    } widths[] = {{"8", TYPE_UCHAR}, {"16", TYPE_USHORT}, {"32", TYPE_UINT}, {"64", TYPE_ULONG}};
    for (size_t i = 0; i < ARRAY_LENGTH(widths); i++) {
        if (!strcmp(width, widths[i].text))
            return widths[i].kind;
    }
    return TYPE_POISON;
}

/* Unsigned. */
static enum type_kind kind_of_suffix(const char *suffix)
{
    static const struct {
        const char *text;
        enum type_kind kind;
    } suffixes[] = {{"", TYPE_UINT}, {"l", TYPE_ULONG}, {"ll", TYPE_ULONG}, {"s", TYPE_USHORT}, {"b", TYPE_UCHAR}};
    for (size_t i = 0; i < ARRAY_LENGTH(suffixes); i++) {
        if (!strcmp(suffix, suffixes[i].text))
            return suffixes[i].kind;
    }
    return TYPE_POISON;
}

/* labs and llabs have the l in front. */
static const struct bits_form *find_form(const char *stem, enum type_kind *kind)
{
    if (!strcmp(stem, "labs") || !strcmp(stem, "llabs"))
        stem = "absl";
    for (size_t i = 0; i < ARRAY_LENGTH(bits_forms); i++) {
        const struct bits_form *form = &bits_forms[i];
        size_t length = strlen(form->name);
        if (strncmp(stem, form->name, length) != 0)
            continue;
        *kind = form->sized ? kind_of_width(stem + length) : kind_of_suffix(stem + length);
        bool narrow = !form->sized && (*kind == TYPE_UCHAR || *kind == TYPE_USHORT);
        if (narrow && !(*kind == TYPE_USHORT && (form->op == BITS_CLZ || form->op == BITS_CTZ)))
            return NULL;
        return *kind == TYPE_POISON ? NULL : form;
    }
    return NULL;
}

/* ---- of constants ---- */

static uint32_t count_leading_zeros(uint64_t value, uint32_t width)
{
    uint32_t count = 0;
    while (count < width && !(value >> (width - 1 - count) & 1))
        count++;
    return count;
}

static uint64_t of_constant(enum bits_op op, uint64_t value, uint32_t width)
{
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, result = 0;
    bool negative = value >> (width - 1) & 1;
    value &= mask;
    switch (op) {
    case BITS_CLZ:
        return count_leading_zeros(value, width);
    case BITS_CTZ:
    case BITS_FFS:
        return width - count_leading_zeros(value & -value, width) - (op == BITS_CTZ);
    case BITS_CLRSB:
        return count_leading_zeros(negative ? ~value & mask : value, width) - 1;
    case BITS_ABS:
        return negative ? -value : value;
    case BITS_REVERSE:
        for (uint32_t i = 0; i < width; i++)
            result |= (value >> i & 1) << (width - 1 - i);
        return result;
    default:
        for (uint32_t i = 0; i < width; i++)
            result += value >> i & 1;
        return op == BITS_PARITY ? result & 1 : result;
    }
}

/* ---- of values ---- */

static struct expr *leading_zeros(struct synth *seq, struct expr *value)
{
    return synth_call(seq, "clz", &value, 1);
}

/* The lowest one: x & -x */
static struct expr *lowest_one(struct synth *seq, struct decl *x)
{
    struct expr *negative = sema_unary(seq->s, UNARY_MINUS, synth_use(seq, x), seq->loc);
    return synth_as(seq, synth_binary(seq, BINARY_AND, synth_use(seq, x), negative), x->type.type);
}

/* Neighbours change places: bits, pairs of bits, and so on up to halves. */
static struct expr *reverse(struct synth *seq, struct decl *x)
{
    const struct type *type = x->type.type;
    uint32_t width = (uint32_t)type->size * 8;
    for (uint32_t step = 1; step < width; step *= 2) {
        uint64_t mask = 0;
        for (uint32_t i = 0; i < width; i++)
            mask |= (uint64_t) !(i & step) << i;
        struct expr *low = synth_binary(seq, BINARY_AND, synth_use(seq, x), synth_number(seq, type, mask));
        struct expr *high = synth_binary(seq, BINARY_SHR, synth_use(seq, x), synth_number(seq, type, step));
        low = synth_binary(seq, BINARY_SHL, low, synth_number(seq, type, step));
        high = synth_binary(seq, BINARY_AND, high, synth_number(seq, type, mask));
        x = synth_keep(seq, synth_as(seq, synth_binary(seq, BINARY_OR, low, high), type));
    }
    return synth_use(seq, x);
}

static struct expr *of_value(struct synth *seq, enum bits_op op, struct expr *value)
{
    const struct type *number = type_scalar(seq->s, TYPE_INT), *type = value->type.type;
    uint32_t width = (uint32_t)type->size * 8;
    struct decl *x;
    switch (op) {
    case BITS_CLZ:
        return leading_zeros(seq, value);
    case BITS_CTZ:
    case BITS_FFS: /* of 0: no bits behind as many zeros */
        x = synth_keep(seq, value);
        return synth_binary(seq, BINARY_SUB, synth_number(seq, number, width - (op == BITS_CTZ)),
                            synth_as(seq, leading_zeros(seq, lowest_one(seq, x)), number));
    case BITS_POPCOUNT:
        return synth_call(seq, "popcount", &value, 1);
    case BITS_PARITY:
        value = synth_as(seq, synth_call(seq, "popcount", &value, 1), number);
        return synth_binary(seq, BINARY_AND, value, synth_number(seq, number, 1));
    case BITS_CLRSB: /* zeros where the sign's bits were */
        x = synth_keep(seq, value);
        value = synth_binary(seq, BINARY_SHR, synth_use(seq, x), synth_number(seq, number, width - 1));
        value = synth_as(seq, synth_binary(seq, BINARY_XOR, synth_use(seq, x), value), type);
        return synth_binary(seq, BINARY_SUB, synth_as(seq, leading_zeros(seq, value), number),
                            synth_number(seq, number, 1));
    case BITS_ABS:
        return synth_call(seq, "abs", &value, 1);
    default:
        return reverse(seq, synth_keep(seq, value));
    }
}

static struct expr *converted(struct synth *seq, struct expr *value, enum type_kind kind)
{
    return sema_convert(seq->s, value, qt(type_scalar(seq->s, kind)), CONVERT_PASS, value->loc);
}

static struct expr *bits(struct synth *seq, enum bits_op op, enum type_kind kind, struct expr *value)
{
    struct sema *s = seq->s;
    kind -= is_signed_op(op);
    const struct type *type = type_scalar(s, kind);
    const struct type *result = op == BITS_REVERSE || op == BITS_ABS ? type : type_scalar(s, TYPE_INT);
    value = converted(seq, value, kind);
    if (expr_poison(value))
        return value;
    if (value->is_constant && !value->float_value)
        return synth_number(seq, result, of_constant(op, value->integer, (uint32_t)type->size * 8));
    value = of_value(seq, op, value);
    if (expr_poison(value))
        return value;
    value = synth_as(seq, value, result);
    return seq->first ? synth_expression(seq, value) : value;
}

/* ---- rotation ---- */

static struct expr *rotated(struct synth *seq, enum type_kind kind, bool right, struct expr **args)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (expr_poison(args[i] = converted(seq, args[i], kind)))
            return args[i];
    }
    if (right)
        args[1] = synth_as(seq, sema_unary(seq->s, UNARY_MINUS, args[1], seq->loc), type_scalar(seq->s, kind));
    return synth_call(seq, "rotate", args, 2);
}

/* ---- sums and differences with a carry: (x, y, carry, where the next one goes) ---- */

static struct expr *with_carry(struct synth *seq, enum type_kind kind, enum binary_op op, struct expr **args)
{
    struct sema *s = seq->s;
    const struct type *type = type_scalar(s, kind);
    struct qual_type carry = qt(type);
    carry.address_space = s->generic_as ? AS_GENERIC : AS_PRIVATE;
    for (uint32_t i = 0; i < 4; i++) {
        args[i] =
            sema_convert(s, args[i], qt(i < 3 ? type : clc_type_pointer(s->front, carry)), CONVERT_PASS, args[i]->loc);
        if (expr_poison(args[i]))
            return args[i];
    }
    struct decl *x = synth_keep(seq, args[0]), *y = synth_keep(seq, args[1]), *in = synth_keep(seq, args[2]);
    struct decl *out = synth_keep(seq, args[3]);
    struct decl *first =
        synth_keep(seq, synth_as(seq, synth_binary(seq, op, synth_use(seq, x), synth_use(seq, y)), type));
    struct decl *all =
        synth_keep(seq, synth_as(seq, synth_binary(seq, op, synth_use(seq, first), synth_use(seq, in)), type));
    bool adds = op == BINARY_ADD; /* a sum is less than what was added to, or a difference more */
    struct expr *one = synth_binary(seq, adds ? BINARY_LT : BINARY_GT, synth_use(seq, first), synth_use(seq, x));
    struct expr *two = synth_binary(seq, adds ? BINARY_LT : BINARY_GT, synth_use(seq, all), synth_use(seq, first));
    struct expr *object = sema_unary(s, UNARY_DEREF, synth_use(seq, out), seq->loc);
    synth_assign(seq, object, synth_as(seq, synth_binary(seq, BINARY_OR, one, two), type));
    return synth_expression(seq, synth_use(seq, all));
}

/* ---- which one ---- */

struct expr *parse_bits_form(struct sema *s, const struct ident *name, src_loc loc)
{
    const char *stem = name->name + strlen("__builtin_");
    enum type_kind kind = TYPE_POISON;
    const struct bits_form *form = find_form(stem, &kind);
    bool right = !strncmp(stem, "rotateright", 11), rotates = right || !strncmp(stem, "rotateleft", 10);
    bool adds = !strncmp(stem, "addc", 4), carries = adds || !strncmp(stem, "subc", 4);
    if (rotates)
        kind = kind_of_width(stem + (right ? 11 : 10));
    else if (carries)
        kind = kind_of_suffix(stem + 4);
    if (!form && (kind == TYPE_POISON || (!rotates && !carries)))
        return NULL;
    bool counts = form && (form->op == BITS_POPCOUNT || form->op == BITS_PARITY);
    if (counts && !clc_builtin_find(s->front, pp_intern(s->front, "popcount", 8))) /* new in 1.2 */
        return NULL;
    uint32_t wanted = form ? 1 : rotates ? 2 : 4;
    struct expr **args = parse_form_operands(s, wanted, loc);
    if (!args)
        return s->poison;
    struct synth seq = {.s = s, .loc = loc, .range = {loc, s->prev_end}};
    return form      ? bits(&seq, form->op, kind, args[0])
           : rotates ? rotated(&seq, kind, right, args)
                     : with_carry(&seq, kind, adds ? BINARY_ADD : BINARY_SUB, args);
}
