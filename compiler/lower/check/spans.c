/* Between which numbers a value lies (spans.h).
 *
 *     a[row * n + k], in a loop of k from 0 to n:      low = row * n + 0, high = row * n + (n - 1)
 *     table[(x >> 4) & 15]:                            0 to 15
 *
 * Numbers are computed in 64 bits as integers without an end: a sum or product of 32 bits is congruent to them, and equal
 * where both ends fit into 32 bits, which becomes a condition where constants do not say it. So an index that wraps around
 * is never taken for one that does not. Values that stay the same in the loop are their own ends. Numbers of more than 2^61
 * are not followed, nor are numbers of 64 bits that may be 2^48 or more. */
#include "compiler/lower/check/spans.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

enum { MOST_DEPTH = 20, MOST_STEPS = 200, WIDE_BITS = 48 };

static const int64_t far = (int64_t)1 << 61, wide = (int64_t)1 << WIDE_BITS;

/* ---- numbers ---- */

static spv_id u64(const struct check_spans *s)
{
    return spv_type_int(s->module, 64);
}

static spv_id number(struct check_spans *s, int64_t value)
{
    return spv_const_u64(s->module, (uint64_t)value);
}

spv_id check_low(struct check_spans *s, const struct check_span *span)
{
    return span->low ? span->low : number(s, span->least);
}

spv_id check_high(struct check_spans *s, const struct check_span *span)
{
    return span->high ? span->high : number(s, span->most);
}

void check_require(struct check_spans *s, spv_id condition)
{
    s->condition =
        s->condition ? spv_emitv(s->b, SpvOpLogicalAnd, spv_type_bool(s->module), s->condition, condition) : condition;
}

static spv_id at_least(struct check_spans *s, spv_id a, spv_id b)
{
    return spv_emitv(s->b, SpvOpSGreaterThanEqual, spv_type_bool(s->module), a, b);
}

/* Has it that the span begins at least or above, and ends at most or below. */
bool check_span_keep(struct check_spans *s, struct check_span *span, int64_t least, int64_t most)
{
    bool begins = span->least >= least, ends = span->most <= most;
    if ((!begins && !span->low) || (!ends && !span->high) || span->least > most || span->most < least)
        return false;
    if (!begins) {
        check_require(s, at_least(s, span->low, number(s, least)));
        span->least = least;
    }
    if (!ends) {
        check_require(s, at_least(s, number(s, most), span->high));
        span->most = most;
    }
    return true;
}

static void ends_of_type(uint32_t width, bool as_signed, int64_t *least, int64_t *most)
{
    if (width == 64) {
        *most = wide - 1;
        *least = as_signed ? -*most - 1 : 0;
        return;
    }
    *least = as_signed ? -((int64_t)1 << (width - 1)) : 0;
    *most = ((int64_t)1 << (as_signed ? width - 1 : width)) - 1;
}

bool check_span_fits(struct check_spans *s, struct check_span *span, uint32_t width, bool as_signed)
{
    int64_t least, most;
    ends_of_type(width, as_signed, &least, &most);
    if (width == 64) { /* no sum has wrapped so far */
        least = as_signed ? -far : 0;
        most = far;
    }
    return check_span_keep(s, span, least, most);
}

static bool is_near(const struct check_span *span)
{
    return span->least >= -far && span->most <= far;
}

struct check_span check_span_known(int64_t least, int64_t most)
{
    return (struct check_span){.least = least, .most = most};
}

/* ---- arithmetic ---- */

static spv_id combine(struct check_spans *s, SpvOp op, spv_id a, int64_t a_known, spv_id b, int64_t b_known)
{
    return a || b ? spv_emitv(s->b, op, u64(s), a ? a : number(s, a_known), b ? b : number(s, b_known)) : 0;
}

bool check_span_add(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                    struct check_span *sum)
{
    *sum = check_span_known(a->least + b->least, a->most + b->most);
    sum->low = combine(s, SpvOpIAdd, a->low, a->least, b->low, b->least);
    sum->high = combine(s, SpvOpIAdd, a->high, a->most, b->high, b->most);
    return is_near(sum);
}

bool check_span_subtract(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                         struct check_span *sum)
{
    *sum = check_span_known(a->least - b->most, a->most - b->least);
    sum->low = combine(s, SpvOpISub, a->low, a->least, b->high, b->most);
    sum->high = combine(s, SpvOpISub, a->high, a->most, b->low, b->least);
    return is_near(sum);
}

/* Makes both so small that a product of theirs has 62 bits. */
static bool keep_product_near(struct check_spans *s, struct check_span *a, struct check_span *b)
{
    static const int64_t half = (int64_t)1 << 31;
    int64_t result;
    bool fits =
        !__builtin_mul_overflow(a->least, b->most, &result) && !__builtin_mul_overflow(a->most, b->most, &result);
    return fits || (check_span_keep(s, a, -half, half - 1) && check_span_keep(s, b, -half, half - 1));
}

/* Of two spans; factor does not begin below 0. Where the other may, the end of factor that is farther out counts. */
static bool multiply_by(struct check_spans *s, struct check_span *a, struct check_span *factor,
                        struct check_span *result)
{
    bool same = factor->low == factor->high && (factor->low || factor->least == factor->most);
    if (!same && a->least < 0 && a->most > 0 && (a->low || a->high) && !check_span_keep(s, a, 0, far))
        return false; /* which end of factor counts would not be known */
    if (!keep_product_near(s, a, factor))
        return false;
    *result = check_span_known(a->least * (a->least < 0 ? factor->most : factor->least),
                               a->most * (a->most < 0 ? factor->least : factor->most));
    result->low = a->least < 0 ? combine(s, SpvOpIMul, a->low, a->least, factor->high, factor->most)
                               : combine(s, SpvOpIMul, a->low, a->least, factor->low, factor->least);
    result->high = a->most <= 0 ? combine(s, SpvOpIMul, a->high, a->most, factor->low, factor->least)
                                : combine(s, SpvOpIMul, a->high, a->most, factor->high, factor->most);
    return check_span_keep(s, result, -wide, wide);
}

static bool multiply(struct check_spans *s, struct check_span *a, struct check_span *b, struct check_span *result)
{
    const struct check_span none = check_span_known(0, 0);
    if (b->least == b->most && b->least < 0) {
        struct check_span positive = check_span_known(-b->least, -b->least), negative;
        return multiply_by(s, a, &positive, &negative) && check_span_subtract(s, &none, &negative, result);
    }
    if (a->least == a->most && a->least < 0)
        return multiply(s, b, a, result);
    if (b->least < 0 && a->least >= 0)
        return multiply(s, b, a, result);
    return check_span_keep(s, b, 0, far) && multiply_by(s, a, b, result);
}

static spv_id smaller(struct check_spans *s, spv_id a, spv_id b, bool larger)
{
    spv_id first = larger ? at_least(s, a, b) : at_least(s, b, a);
    return spv_emitv(s->b, SpvOpSelect, u64(s), first, a, b);
}

/* The lesser of each two ends, or the greater. */
struct check_span check_span_choose(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                                    bool low_larger, bool high_larger)
{
    struct check_span result;
    bool first = low_larger ? a->least > b->least : a->least < b->least;
    result.least = first ? a->least : b->least;
    first = high_larger ? a->most > b->most : a->most < b->most;
    result.most = first ? a->most : b->most;
    result.low = result.high = 0;
    if (a->low || b->low) {
        spv_id of_a = check_low(s, a);
        result.low = smaller(s, of_a, check_low(s, b), low_larger);
    }
    if (a->high || b->high) {
        spv_id of_a = check_high(s, a);
        result.high = smaller(s, of_a, check_high(s, b), high_larger);
    }
    return result;
}

/* ---- instructions ---- */

static uint32_t width_of(const struct check_spans *s, spv_id value)
{
    return spv_type_width(s->module, spv_value_type(s->module, value));
}

/* The span of an operand, as the number itself. */
bool check_span_exactly(struct check_spans *s, spv_id value, bool as_signed, uint32_t depth, struct check_span *span)
{
    return check_span_of(s, value, as_signed, depth + 1, span) &&
           check_span_fits(s, span, width_of(s, value), as_signed);
}

/* The same; what is not known may be all that the type holds. */
static bool at_worst(struct check_spans *s, spv_id value, bool as_signed, uint32_t depth, struct check_span *span)
{
    spv_id condition = s->condition;
    if (check_span_exactly(s, value, as_signed, depth, span))
        return true;
    s->condition = condition;
    uint32_t width = width_of(s, value);
    if (width == 64)
        return false;
    *span = (struct check_span){0};
    ends_of_type(width, as_signed, &span->least, &span->most);
    return true;
}

static bool shift_by(const struct check_spans *s, const struct spv_inst *def, uint32_t *bits)
{
    uint64_t value;
    if (!spv_const_value(s->module, def->words[1], &value) || value >= width_of(s, def->id))
        return false;
    *bits = (uint32_t)value;
    return true;
}

static bool shift_right(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    uint32_t bits;
    bool as_signed = def->op == SpvOpShiftRightArithmetic;
    if (!shift_by(s, def, &bits) || !at_worst(s, def->words[0], as_signed, depth, span))
        return false;
    spv_id by = spv_const_u64(s->module, bits);
    span->least >>= bits;
    span->most >>= bits;
    span->low = span->low ? spv_emitv(s->b, SpvOpShiftRightArithmetic, u64(s), span->low, by) : 0;
    span->high = span->high ? spv_emitv(s->b, SpvOpShiftRightArithmetic, u64(s), span->high, by) : 0;
    return true;
}

static bool divide(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    struct check_span by;
    bool as_signed = def->op == SpvOpSDiv;
    if (!check_span_exactly(s, def->words[1], as_signed, depth, &by) || by.least != by.most || by.least < 1 ||
        !at_worst(s, def->words[0], as_signed, depth, span))
        return false;
    spv_id divisor = number(s, by.least);
    span->least /= by.least;
    span->most /= by.least;
    span->low = span->low ? spv_emitv(s->b, SpvOpSDiv, u64(s), span->low, divisor) : 0;
    span->high = span->high ? spv_emitv(s->b, SpvOpSDiv, u64(s), span->high, divisor) : 0;
    return true;
}

static bool remainder_of(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    struct check_span of, by;
    bool as_signed = def->op != SpvOpUMod;
    if (!check_span_exactly(s, def->words[1], as_signed, depth, &by) || !check_span_keep(s, &by, 1, far))
        return false;
    if (!as_signed)
        of = check_span_known(0, 0);
    else if (!at_worst(s, def->words[0], as_signed, depth, &of))
        of = check_span_known(-1, 0);
    const struct check_span one = check_span_known(1, 1);
    struct check_span last;
    if (!check_span_subtract(s, &by, &one, &last))
        return false;
    *span = (struct check_span){.high = last.high, .most = last.most};
    if (of.least < 0 && def->op == SpvOpSRem) {
        const struct check_span none = check_span_known(0, 0);
        struct check_span negative;
        if (!check_span_subtract(s, &none, &last, &negative))
            return false;
        span->low = negative.low;
        span->least = negative.least;
    }
    return true;
}

/* Folding has made a remainder of constants this: x - x / c * c. What it is a remainder of, and by what; 0: it is none. */
static spv_id remainder_by(const struct check_spans *s, const struct spv_inst *def, int64_t *by, bool *as_signed)
{
    const struct spv_inst *times = spv_def(s->module, def->words[1]);
    const struct spv_inst *part = times && times->op == SpvOpIMul ? spv_def(s->module, times->words[0]) : NULL;
    uint64_t divisor, factor;
    if (def->op != SpvOpISub || !part || (part->op != SpvOpSDiv && part->op != SpvOpUDiv) ||
        part->words[0] != def->words[0] || !spv_const_value(s->module, part->words[1], &divisor) ||
        !spv_const_value(s->module, times->words[1], &factor) || divisor != factor || divisor < 1 ||
        divisor >= INT32_MAX)
        return 0;
    *by = (int64_t)divisor;
    *as_signed = part->op == SpvOpSDiv;
    return def->words[0];
}

static bool known_remainder(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    struct check_span of;
    bool as_signed;
    int64_t by;
    spv_id value = remainder_by(s, def, &by, &as_signed);
    if (!value)
        return false;
    bool negative = as_signed && (!at_worst(s, value, true, depth, &of) || of.least < 0);
    *span = check_span_known(negative ? 1 - by : 0, by - 1);
    return true;
}

/* No bits but those of an operand that is not negative: the lesser one of two. What has to hold for that operand stays. */
static bool mask(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    bool found = false;
    for (uint32_t i = 0; i < 2; i++) {
        struct check_span one;
        spv_id condition = s->condition;
        if (!check_span_of(s, def->words[i], true, depth + 1, &one) || one.least < 0 || one.high ||
            (found && span->most <= one.most)) {
            s->condition = condition;
            continue;
        }
        *span = check_span_known(0, one.most);
        found = true;
    }
    return found;
}

static bool either_bits(struct check_spans *s, const struct spv_inst *def, uint32_t depth, struct check_span *span)
{
    struct check_span a, b;
    if (!check_span_of(s, def->words[0], true, depth + 1, &a) ||
        !check_span_of(s, def->words[1], true, depth + 1, &b) || a.least < 0 || b.least < 0)
        return false;
    int64_t most = 1, larger = a.most > b.most ? a.most : b.most;
    while (most <= larger)
        most *= 2;
    *span = check_span_known(0, most - 1);
    return true;
}

/* Which way a function of the least or greatest of two numbers goes. */
static bool is_choice(const struct spv_inst *def, bool *larger, bool *as_signed)
{
    bool opencl = def->hints.ext_set == SPV_EXT_SET_OPENCL;
    if (!opencl && def->hints.ext_set != SPV_EXT_SET_GLSL)
        return false;
    uint32_t op = def->words[1];
    bool smax = op == (opencl ? (uint32_t)OpenCLstd_SMax : (uint32_t)GLSLstd450SMax),
         smin = op == (opencl ? (uint32_t)OpenCLstd_SMin : (uint32_t)GLSLstd450SMin),
         umax = op == (opencl ? (uint32_t)OpenCLstd_UMax : (uint32_t)GLSLstd450UMax),
         umin = op == (opencl ? (uint32_t)OpenCLstd_UMin : (uint32_t)GLSLstd450UMin);
    *larger = smax || umax;
    *as_signed = smax || smin;
    return smax || smin || umax || umin;
}

static bool least_or_greatest(struct check_spans *s, const struct spv_inst *def, uint32_t depth,
                              struct check_span *span)
{
    struct check_span a, b;
    bool larger, as_signed;
    if (!is_choice(def, &larger, &as_signed) || !at_worst(s, def->words[2], as_signed, depth, &a) ||
        !at_worst(s, def->words[3], as_signed, depth, &b))
        return false;
    *span = check_span_choose(s, &a, &b, larger, larger);
    return true;
}

/* Any of several values. */
static bool one_of(struct check_spans *s, const struct spv_inst *def, bool as_signed, uint32_t depth,
                   struct check_span *span)
{
    bool phi = def->op == SpvOpPhi;
    for (uint32_t i = phi ? 0 : 1, count = 0; i < def->num_words; i += phi ? 2 : 1, count++) {
        struct check_span one;
        if (!check_span_exactly(s, def->words[i], as_signed, depth, &one))
            return false;
        *span = count ? check_span_choose(s, span, &one, false, true) : one;
    }
    return true;
}

static bool is_inside(const struct check_spans *s, const struct spv_block *block)
{
    return block && block->index < s->cfg->count && s->cfg->blocks[block->index] == block && s->region[block->index];
}

static bool of_phi(struct check_spans *s, const struct spv_inst *def, bool as_signed, uint32_t depth,
                   struct check_span *span)
{
    uint32_t block = def->block->index;
    if (block >= s->cfg->count || s->cfg->blocks[block] != def->block)
        return false;
    return s->loops->is_header[block] ? check_span_of_counter(s, def, as_signed, depth, span)
                                      : one_of(s, def, as_signed, depth, span);
}

static bool of_operation(struct check_spans *s, const struct spv_inst *def, bool as_signed, uint32_t depth,
                         struct check_span *span)
{
    struct check_span a, b;
    uint32_t bits;
    switch (def->op) {
    case SpvOpIAdd:
    case SpvOpISub:
        return known_remainder(s, def, depth, span) ||
               (check_span_of(s, def->words[0], as_signed, depth + 1, &a) &&
                check_span_of(s, def->words[1], as_signed, depth + 1, &b) &&
                (def->op == SpvOpIAdd ? check_span_add : check_span_subtract)(s, &a, &b, span));
    case SpvOpIMul:
        return check_span_of(s, def->words[0], as_signed, depth + 1, &a) &&
               check_span_of(s, def->words[1], as_signed, depth + 1, &b) && multiply(s, &a, &b, span);
    case SpvOpShiftLeftLogical:
        if (!shift_by(s, def, &bits) || bits > 60 || !check_span_of(s, def->words[0], as_signed, depth + 1, &a))
            return false;
        b = check_span_known((int64_t)1 << bits, (int64_t)1 << bits);
        return multiply(s, &a, &b, span);
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift_right(s, def, depth, span);
    case SpvOpSDiv:
    case SpvOpUDiv:
        return divide(s, def, depth, span);
    case SpvOpUMod:
    case SpvOpSMod:
    case SpvOpSRem:
        return remainder_of(s, def, depth, span);
    case SpvOpBitwiseAnd:
        return mask(s, def, depth, span);
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return either_bits(s, def, depth, span);
    case SpvOpSConvert:
    case SpvOpUConvert:
        if (width_of(s, def->words[0]) < width_of(s, def->id))
            return (width_of(s, def->words[0]) <= 16 ? at_worst : check_span_exactly)(
                s, def->words[0], def->op == SpvOpSConvert, depth, span);
        return check_span_of(s, def->words[0], as_signed, depth + 1, span);
    case SpvOpSelect:
        return one_of(s, def, as_signed, depth, span);
    case SpvOpExtInst:
        return least_or_greatest(s, def, depth, span);
    case SpvOpPhi:
        return of_phi(s, def, as_signed, depth, span);
    default:
        return false;
    }
}

/* ---- what begins a sum ---- */

/* A component of a built-in variable. */
static const struct spv_inst *input_load(const struct check_spans *s, const struct spv_inst *def)
{
    if (def->op == SpvOpCompositeExtract && def->num_words == 2)
        def = spv_def(s->module, def->words[0]);
    bool loads = def && def->op == SpvOpLoad;
    return loads && spv_pointer_storage(s->module, spv_value_type(s->module, def->words[0])) == SpvStorageClassInput
               ? def
               : NULL;
}

/* OpenCL C 3.0, 6.15.1: a local id is below the local size, which the kernel may require. */
static bool of_local_id(const struct check_spans *s, const struct spv_inst *def, struct check_span *span)
{
    const struct spv_inst *load = input_load(s, def);
    const uint32_t *size = s->lower->required_size;
    SpvBuiltIn builtin;
    if (!load || !size[0] || !lower_builtin_of(s->module, load->words[0], &builtin))
        return false;
    bool component = def->op == SpvOpCompositeExtract && def->words[1] < 3;
    if (builtin == SpvBuiltInLocalInvocationId && component)
        *span = check_span_known(0, (int64_t)size[def->words[1]] - 1);
    else if (builtin == SpvBuiltInLocalInvocationIndex && !component)
        *span = check_span_known(0, (int64_t)size[0] * size[1] * size[2] - 1);
    else if (builtin == SpvBuiltInWorkgroupSize && component)
        *span = check_span_known(1, size[def->words[1]]);
    else
        return false;
    return true;
}

/* A value that stays the same in the loop, as it is in front of it. */
static spv_id in_front(struct check_spans *s, const struct spv_inst *def)
{
    const struct spv_inst *load = is_inside(s, def->block) ? input_load(s, def) : NULL;
    if (!is_inside(s, def->block))
        return def->id;
    if (!load)
        return 0;
    spv_id value = spv_emit(s->b, SpvOpLoad, load->type, load->num_words, load->words);
    return load == def ? value : spv_emitv(s->b, SpvOpCompositeExtract, def->type, value, def->words[1]);
}

static bool of_invariant(struct check_spans *s, const struct spv_inst *def, bool as_signed, struct check_span *span)
{
    spv_id value = s->b ? in_front(s, def) : 0;
    if (!value)
        return false;
    uint32_t width = spv_type_width(s->module, def->type);
    *span = (struct check_span){0};
    ends_of_type(width, as_signed, &span->least, &span->most);
    if (width < 64) {
        value = spv_emitv(s->b, as_signed ? SpvOpSConvert : SpvOpUConvert, u64(s), value);
    } else {
        spv_id from = spv_emitv(s->b, SpvOpISub, u64(s), value, number(s, span->least));
        check_require(s, spv_emitv(s->b, SpvOpULessThanEqual, spv_type_bool(s->module), from,
                                   number(s, span->most - span->least)));
    }
    span->low = span->high = value;
    return true;
}

bool check_span_of(struct check_spans *s, spv_id value, bool as_signed, uint32_t depth, struct check_span *span)
{
    const struct spv_inst *def = spv_def(s->module, value);
    spv_id type = spv_value_type(s->module, value), condition = s->condition;
    uint64_t bits;
    if (!def || spv_type_op(s->module, type) != SpvOpTypeInt || depth > MOST_DEPTH || s->steps++ > MOST_STEPS)
        return false;
    uint32_t width = spv_type_width(s->module, type);
    if (spv_const_value(s->module, value, &bits)) {
        int64_t constant = (int64_t)bits;
        if (width < 64 && as_signed)
            constant = (int64_t)(bits << (64 - width)) >> (64 - width);
        *span = check_span_known(constant, constant);
        return is_near(span);
    }
    if (!def->block && def->op != SpvOpFunctionParameter)
        return false;
    if (of_invariant(s, def, as_signed, span) || of_local_id(s, def, span))
        return true;
    s->condition = condition;
    if (def->block && of_operation(s, def, as_signed, depth, span))
        return true;
    s->condition = condition;
    return false;
}

/* ---- distances ---- */

enum { MOST_CHAINS = 16 };

static bool add_index(struct check_spans *s, spv_id index, uint64_t stride, struct check_span *sum)
{
    struct check_span at, scaled, size = check_span_known((int64_t)stride, (int64_t)stride), before = *sum;
    return stride < INT32_MAX && check_span_exactly(s, index, true, 0, &at) && multiply(s, &at, &size, &scaled) &&
           check_span_add(s, &before, &scaled, sum);
}

static bool add_chain(struct check_spans *s, const struct spv_inst *chain, struct check_span *sum)
{
    spv_id type = spv_pointer_pointee(s->module, spv_value_type(s->module, chain->words[0]));
    bool element = spv_op_is_by_element(chain->op);
    for (uint32_t i = 1; i < chain->num_words; i++) {
        uint64_t member = 0, at = 0;
        if (!element && spv_type_op(s->module, type) == SpvOpTypeStruct) {
            const struct check_span before = *sum;
            if (!spv_const_value(s->module, chain->words[i], &member) || member >= spv_member_count(s->module, type))
                return false;
            type = spv_layout_member(s->layouts, type, member, &at);
            const struct check_span offset = check_span_known((int64_t)at, (int64_t)at);
            if (!check_span_add(s, &before, &offset, sum))
                return false;
            continue;
        }
        if (!element && !spv_member_count(s->module, type))
            return false;
        if (!element)
            type = spv_layout_member(s->layouts, type, 0, &at);
        if (!add_index(s, chain->words[i], spv_layout_of(s->layouts, type)->size, sum))
            return false;
        element = false;
    }
    return true;
}

bool check_span_of_distance(struct check_spans *s, spv_id pointer, spv_id root, struct check_span *span)
{
    s->steps = 0;
    *span = check_span_known(0, 0);
    for (uint32_t chains = 0; pointer != root;) {
        const struct spv_inst *def = spv_def(s->module, pointer);
        bool chain = def && spv_op_is_chain(def->op);
        if (!def || (chain && chains++ == MOST_CHAINS) ||
            (!spv_op_leads_on(def->op) && def->op != SpvOpPtrCastToGeneric && def->op != SpvOpGenericCastToPtr))
            return false;
        if (chain && !add_chain(s, def, span))
            return false;
        pointer = def->words[0];
    }
    return true;
}
