/* Overload resolution for built-ins, as clang does it for its overloadable declarations in OpenCL C.
 *
 * A row's patterns stand for up to some hundred declarations. First the one that the arguments' types suggest is tried:
 * it wins when every argument fits exactly, which is nearly every call. Otherwise all declarations are candidates: each
 * argument gets a rank (exact, promotion, conversion, scalar to vector, C-only pointer conversion); a candidate is
 * better when no argument ranks worse and one ranks better; without a best one the call is ambiguous, as sin(1) is.
 * OpenCL C 3.0, 6.15: "the actual type has to be the same for all arguments". Pointers keep the argument's address
 * space. */
#include "compiler/front/sema/builtin_resolve.h"

#include "base/util.h"

#include <string.h>

enum rank { RANK_EXACT, RANK_PROMOTION, RANK_CONVERSION, RANK_WIDENING, RANK_POINTER, RANK_NONE };

enum { MAX_ARGS = 16, MAX_NOTES = 6 };

struct candidate {
    uint32_t pattern;
    const struct type *generic; /* NULL: the pattern has none */
    uint8_t ranks[MAX_ARGS];
};

struct resolution {
    struct clc_front *front;
    const struct builtin_call_site *site;
    bool generic_spaces;
    struct candidate best;
    bool found, ambiguous;
    struct candidate other; /* as good as best, when ambiguous */
};

/* ---- types ---- */

const struct type *builtin_type(struct clc_front *front, enum type_kind element, uint32_t lanes)
{
    return clc_type_vector(front, front->types->scalars[element], lanes);
}

const struct type *builtin_plain(const struct type *type)
{
    return type->kind == TYPE_ENUM && type->enumeration.underlying ? type->enumeration.underlying : type;
}

static enum type_kind unsigned_of(enum type_kind kind)
{
    switch (kind) {
    case TYPE_CHAR:
    case TYPE_UCHAR:
        return TYPE_UCHAR;
    case TYPE_SHORT:
    case TYPE_USHORT:
    case TYPE_HALF:
        return TYPE_USHORT;
    case TYPE_INT:
    case TYPE_UINT:
    case TYPE_FLOAT:
        return TYPE_UINT;
    default:
        return TYPE_ULONG;
    }
}

/* The type a pattern stands for, pointers left aside. generic may be NULL where the pattern has none. */
static const struct type *pattern_type(struct clc_front *front, const struct type_pattern *pattern,
                                       const struct type *generic)
{
    if (pattern->base != PATTERN_GENERIC) {
        switch (pattern->base) {
        case TYPE_EVENT:
            return front->types->event;
        case TYPE_SAMPLER:
            return front->types->sampler;
        case TYPE_RESERVE_ID:
            return front->types->reserve_id;
        case TYPE_QUEUE:
            return front->types->queue;
        case TYPE_CLK_EVENT:
            return front->types->clk_event;
        case TYPE_NDRANGE:
            return front->types->ndrange;
        case TYPE_VOID:
            return front->types->scalars[TYPE_VOID];
        default:
            return builtin_type(front, pattern->base, pattern->lanes ? pattern->lanes : type_lanes(generic));
        }
    }
    enum type_kind element = type_element(generic)->kind;
    uint32_t lanes = type_lanes(generic);
    switch (pattern->form) {
    case PATTERN_ELEMENT:
        return type_element(generic);
    case PATTERN_UNSIGNED:
        return builtin_type(front, unsigned_of(element), lanes);
    case PATTERN_SIGNED:
        return builtin_type(front, unsigned_of(element) - 1, lanes);
    case PATTERN_WIDE:
        return builtin_type(front, element + 2, lanes);
    case PATTERN_LANES:
        return builtin_type(front, element, pattern->lanes);
    case PATTERN_UNSIGNED_LANES:
        return builtin_type(front, unsigned_of(element), pattern->lanes);
    default:
        return generic;
    }
}

/* A concrete half or double that the device lacks rules a pattern out. */
static bool pattern_exists(struct clc_front *front, const struct type_pattern *pattern)
{
    return pattern->base == PATTERN_GENERIC || pattern->spaces || builtin_kind_available(front, pattern->base);
}

/* ---- ranks ---- */

static enum rank rank_scalar(const struct type *from, enum type_kind to)
{
    enum type_kind kind = builtin_plain(from)->kind;
    if (from->kind == TYPE_ENUM)
        return to == kind || to == TYPE_INT ? RANK_PROMOTION : RANK_CONVERSION;
    if (kind == to)
        return RANK_EXACT;
    if (to == TYPE_INT && kind < TYPE_INT)
        return RANK_PROMOTION;
    if (to == TYPE_DOUBLE && kind == TYPE_FLOAT)
        return RANK_PROMOTION;
    return RANK_CONVERSION;
}

static enum rank rank_value(const struct type *from, const struct type *to)
{
    if (from == to)
        return RANK_EXACT;
    bool scalar = type_is_scalar_arith(builtin_plain(from));
    if (type_is_scalar_arith(to))
        return scalar ? rank_scalar(from, to->kind) : RANK_NONE;
    if (to->kind == TYPE_VECTOR)
        return scalar ? RANK_WIDENING : RANK_NONE;
    return from->kind == to->kind ? RANK_EXACT : RANK_NONE;
}

static bool is_null_constant(const struct expr *expr)
{
    return expr->is_constant && !expr->float_value && !expr->integer &&
           type_is_integer_kind(builtin_plain(expr->type.type)->kind);
}

static enum rank rank_pointer(const struct resolution *r, const struct expr *arg, const struct type_pattern *pattern,
                              const struct type *pointee)
{
    const struct type *from = arg->type.type;
    if (from->kind != TYPE_POINTER)
        return is_null_constant(arg) ? RANK_CONVERSION : RANK_NONE;
    struct qual_type target = from->pointer.pointee;
    uint32_t spaces = pattern->spaces;
    if (!r->generic_spaces)
        spaces &= ~(1u << AS_GENERIC);
    if (!(spaces >> target.address_space & 1))
        return RANK_NONE;
    if (target.quals & ~pattern->quals & (QUAL_CONST | QUAL_VOLATILE))
        return RANK_POINTER;
    if (pointee->kind == TYPE_VOID)
        return target.type->kind == TYPE_VOID ? RANK_EXACT : RANK_CONVERSION;
    if ((target.quals ^ pattern->quals) & QUAL_ATOMIC)
        return RANK_POINTER;
    return builtin_plain(target.type) == pointee || clc_type_equal(target.type, pointee) ? RANK_EXACT : RANK_POINTER;
}

static enum rank rank_image(const struct type *from, const struct type_pattern *pattern)
{
    bool fits = from->kind == TYPE_IMAGE && pattern->images >> from->image.dim & 1 &&
                (from->image.access ? from->image.access : QUAL_READ_ONLY) & pattern->access;
    return fits ? RANK_EXACT : RANK_NONE;
}

static enum rank rank_arg(const struct resolution *r, const struct expr *arg, const struct type_pattern *pattern,
                          const struct type *generic)
{
    if (pattern->base == TYPE_IMAGE)
        return rank_image(arg->type.type, pattern);
    const struct type *type = pattern_type(r->front, pattern, generic);
    if (pattern->spaces)
        return rank_pointer(r, arg, pattern, type);
    bool nullable = type->kind == TYPE_EVENT || type->kind == TYPE_QUEUE || type->kind == TYPE_CLK_EVENT;
    if (nullable && is_null_constant(arg))
        return RANK_CONVERSION;
    return rank_value(arg->type.type, type);
}

/* ---- candidates ---- */

static bool evaluate(const struct resolution *r, uint32_t index, const struct type *generic,
                     struct candidate *candidate)
{
    const struct builtin_pattern *pattern = &r->site->builtin->patterns[index];
    const struct type_pattern *types = builtin_pattern_types(pattern);
    candidate->pattern = index;
    candidate->generic = generic;
    for (uint32_t i = 0; i < pattern->num_params; i++) {
        candidate->ranks[i] = (uint8_t)rank_arg(r, r->site->args[i], &types[1 + i], generic);
        if (candidate->ranks[i] == RANK_NONE)
            return false;
    }
    return true;
}

/* -1: a is better; 1: b is; 0: neither */
static int compare(const struct candidate *a, const struct candidate *b, uint32_t count)
{
    bool a_better = false, b_better = false;
    for (uint32_t i = 0; i < count; i++) {
        a_better |= a->ranks[i] < b->ranks[i];
        b_better |= b->ranks[i] < a->ranks[i];
    }
    return a_better == b_better ? 0 : a_better ? -1 : 1;
}

/* Wrong pointers are a last resort: candidates that need them count only when nothing else fits. */
static bool has_bad_pointer(const struct candidate *candidate, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (candidate->ranks[i] == RANK_POINTER)
            return true;
    }
    return false;
}

static void consider(struct resolution *r, const struct candidate *candidate)
{
    uint32_t count = r->site->num_args;
    if (!r->found) {
        r->best = *candidate;
        r->found = true;
        return;
    }
    bool bad = has_bad_pointer(candidate, count), best_bad = has_bad_pointer(&r->best, count);
    int order = bad != best_bad ? (bad ? 1 : -1) : compare(candidate, &r->best, count);
    if (order < 0) {
        /* what was as good as the old best may still be as good as this one: the caller's second walk tells */
        r->best = *candidate;
    }
}

/* A candidate that is neither better nor worse than the best makes the call ambiguous. */
static void check_ambiguity(struct resolution *r, const struct candidate *candidate)
{
    uint32_t count = r->site->num_args;
    if (candidate->pattern == r->best.pattern && candidate->generic == r->best.generic)
        return;
    if (has_bad_pointer(candidate, count) && !has_bad_pointer(&r->best, count))
        return;
    if (!r->ambiguous && compare(&r->best, candidate, count) >= 0) {
        r->ambiguous = true;
        r->other = *candidate;
    }
}

static bool pattern_fits_call(const struct resolution *r, const struct builtin_pattern *pattern)
{
    if (pattern->num_params != r->site->num_args || !builtin_available(r->front, pattern))
        return false;
    const struct type_pattern *types = builtin_pattern_types(pattern);
    for (uint32_t i = 0; i <= pattern->num_params; i++) {
        if (!pattern_exists(r->front, &types[i]))
            return false;
    }
    return true;
}

static void each_candidate(struct resolution *r, uint32_t index,
                           void (*visit)(struct resolution *r, const struct candidate *candidate))
{
    const struct builtin_pattern *pattern = &r->site->builtin->patterns[index];
    struct candidate candidate;
    if (!pattern->domain) {
        if (evaluate(r, index, NULL, &candidate))
            visit(r, &candidate);
        return;
    }
    for (enum type_kind kind = TYPE_BOOL; kind <= TYPE_DOUBLE; kind++) {
        if (!(pattern->domain >> kind & 1) || !builtin_kind_available(r->front, kind))
            continue;
        for (uint32_t width = 0; width < ARRAY_LENGTH(builtin_lanes); width++) {
            if (pattern->widths >> width & 1 &&
                evaluate(r, index, builtin_type(r->front, kind, builtin_lanes[width]), &candidate))
                visit(r, &candidate);
        }
    }
}

static void walk(struct resolution *r, void (*visit)(struct resolution *r, const struct candidate *candidate))
{
    for (uint32_t i = 0; i < r->site->builtin->num_patterns; i++) {
        if (pattern_fits_call(r, &r->site->builtin->patterns[i]))
            each_candidate(r, i, visit);
    }
}

/* What $ is, judged by one argument; NULL when that cannot be told. */
static const struct type *guess_generic(const struct builtin_pattern *pattern, const struct type_pattern *param,
                                        const struct expr *arg)
{
    const struct type *type = builtin_plain(arg->type.type);
    if (param->base != PATTERN_GENERIC || param->form != PATTERN_SELF)
        return NULL;
    if (param->spaces)
        type = type->kind == TYPE_POINTER ? builtin_plain(type->pointer.pointee.type) : NULL;
    if (!type || !(type_is_scalar_arith(type) || type->kind == TYPE_VECTOR))
        return NULL;
    for (uint32_t width = 0; width < ARRAY_LENGTH(builtin_lanes); width++) {
        if (builtin_lanes[width] == type_lanes(type) && pattern->widths >> width & 1 &&
            pattern->domain >> type_element(type)->kind & 1)
            return type;
    }
    return NULL;
}

/* An all-exact candidate, found without trying every type. */
static bool try_exact(struct resolution *r)
{
    for (uint32_t i = 0; i < r->site->builtin->num_patterns; i++) {
        const struct builtin_pattern *pattern = &r->site->builtin->patterns[i];
        if (!pattern_fits_call(r, pattern))
            continue;
        const struct type *generic = NULL;
        const struct type_pattern *types = builtin_pattern_types(pattern);
        for (uint32_t p = 0; p < pattern->num_params && !generic; p++)
            generic = guess_generic(pattern, &types[1 + p], r->site->args[p]);
        if (pattern->domain && (!generic || !builtin_kind_available(r->front, type_element(generic)->kind)))
            continue;
        struct candidate candidate;
        if (!evaluate(r, i, generic, &candidate))
            continue;
        bool exact = true;
        for (uint32_t p = 0; p < pattern->num_params; p++)
            exact = exact && candidate.ranks[p] == RANK_EXACT;
        if (exact) {
            r->best = candidate;
            r->found = true;
            return true;
        }
    }
    return false;
}

/* ---- messages ---- */

static const char *access_name(uint32_t access)
{
    return access & QUAL_READ_ONLY ? "__read_only" : access & QUAL_WRITE_ONLY ? "__write_only" : "__read_write";
}

static void describe_type(struct clc_front *front, struct str *out, const struct type_pattern *pattern,
                          const struct type *generic)
{
    if (pattern->base == TYPE_IMAGE) {
        str_printf(out, "%s image", access_name(pattern->access));
        return;
    }
    struct qual_type type = {0};
    bool names_generic = pattern->base == PATTERN_GENERIC && pattern->form == PATTERN_SELF && !generic;
    if (pattern->quals & QUAL_CONST)
        str_puts(out, "const ");
    if (names_generic) {
        str_puts(out, "gentype");
    } else if (!generic && (pattern->base == PATTERN_GENERIC ||
                            (!pattern->lanes && pattern->base <= TYPE_DOUBLE && pattern->base != TYPE_VOID))) {
        static const char *const forms[] = {"gentype",     "scalar",   "ugentype", "igentype",
                                            "widegentype", "gentypen", "ugentypen"};
        str_puts(out, pattern->base == PATTERN_GENERIC ? forms[pattern->form] : "intn");
    } else {
        type.type = pattern_type(front, pattern, generic);
        str_puts(out, clc_type_text(front, type));
    }
    if (pattern->spaces)
        str_puts(out, " *");
}

static const char *describe_candidate(struct clc_front *front, const struct builtin_call_site *site, uint32_t index,
                                      const struct type *generic)
{
    const struct type_pattern *types = builtin_pattern_types(&site->builtin->patterns[index]);
    struct str text;
    str_init(&text, front->arena);
    describe_type(front, &text, &types[0], generic);
    str_printf(&text, " %s(", site->builtin->name);
    for (uint32_t i = 0; i < site->builtin->patterns[index].num_params; i++) {
        if (i)
            str_puts(&text, ", ");
        describe_type(front, &text, &types[1 + i], generic);
    }
    str_putc(&text, ')');
    return str_text(&text);
}

static void note_candidate(struct clc_front *front, const struct builtin_call_site *site, uint32_t index,
                           const struct type *generic)
{
    pp_note(front, site->loc, "candidate: built-in function '%s'", describe_candidate(front, site, index, generic));
}

/* How well a candidate fits that does not fit: the type that $ stands for, how many arguments it takes, and the first
 * that it does not. */
struct near_match {
    const struct type *generic;
    uint32_t fitting, first_bad;
};

static void measure_match(const struct resolution *r, uint32_t index, const struct type *generic,
                          struct near_match *best)
{
    const struct builtin_pattern *pattern = &r->site->builtin->patterns[index];
    const struct type_pattern *types = builtin_pattern_types(pattern);
    struct near_match match = {.generic = generic, .first_bad = pattern->num_params};
    for (uint32_t i = pattern->num_params; i-- > 0;) {
        if (rank_arg(r, r->site->args[i], &types[1 + i], generic) != RANK_NONE)
            match.fitting++;
        else
            match.first_bad = i;
    }
    if (match.fitting > best->fitting)
        *best = match;
}

static struct near_match nearest_match(const struct resolution *r, uint32_t index)
{
    const struct builtin_pattern *pattern = &r->site->builtin->patterns[index];
    const struct type_pattern *types = builtin_pattern_types(pattern);
    struct near_match best = {.first_bad = pattern->num_params};
    if (!pattern_fits_call(r, pattern))
        return best;
    if (!pattern->domain)
        measure_match(r, index, NULL, &best);
    for (uint32_t i = 0; i < pattern->num_params && pattern->domain; i++) {
        const struct type *generic = guess_generic(pattern, &types[1 + i], r->site->args[i]);
        if (generic && builtin_kind_available(r->front, type_element(generic)->kind))
            measure_match(r, index, generic, &best);
    }
    return best;
}

/* Why a candidate does not fit; "" where there is no more to say than what it is. */
static const char *why_not(struct clc_front *front, const struct builtin_call_site *site, uint32_t index,
                           const struct near_match *match)
{
    const struct builtin_pattern *pattern = &site->builtin->patterns[index];
    if (match->first_bad >= pattern->num_params)
        return "";
    const struct type_pattern *wanted = &builtin_pattern_types(pattern)[1 + match->first_bad];
    const struct type *from = site->args[match->first_bad]->type.type;
    struct str text;
    str_init(&text, front->arena);
    if (wanted->base == TYPE_IMAGE && from->kind == TYPE_IMAGE && wanted->images >> from->image.dim & 1)
        str_printf(&text, "; argument %u is a %s image", match->first_bad + 1,
                   access_name(from->image.access ? from->image.access : QUAL_READ_ONLY));
    else
        str_printf(&text, "; there is no conversion from '%s' for argument %u",
                   clc_type_text(front, site->args[match->first_bad]->type), match->first_bad + 1);
    return str_text(&text);
}

/* Notes the candidates that fit best, each once. */
static void note_nearest(struct clc_front *front, const struct builtin_call_site *site)
{
    const struct builtin *builtin = site->builtin;
    const struct resolution r = {.front = front, .site = site, .generic_spaces = builtin_generic_spaces(front)};
    uint32_t most = 0, notes = 0;
    for (uint32_t i = 0; i < builtin->num_patterns && site->num_args <= MAX_ARGS; i++) {
        uint32_t fitting = nearest_match(&r, i).fitting;
        most = fitting > most ? fitting : most;
    }
    const char *said[MAX_NOTES];
    for (uint32_t i = 0; i < builtin->num_patterns && notes < MAX_NOTES; i++) {
        if (!builtin_available(front, &builtin->patterns[i]))
            continue;
        struct near_match match = {0};
        if (most)
            match = nearest_match(&r, i);
        if (match.fitting != most)
            continue;
        const char *text = describe_candidate(front, site, i, match.generic);
        bool again = false;
        for (uint32_t k = 0; k < notes; k++)
            again |= !strcmp(said[k], text);
        if (again)
            continue;
        said[notes++] = text;
        pp_note(front, site->loc, "candidate: built-in function '%s'%s", text,
                most ? why_not(front, site, i, &match) : "");
    }
}

static void report_no_match(struct clc_front *front, const struct builtin_call_site *site)
{
    const struct builtin *builtin = site->builtin;
    uint32_t fewest = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < builtin->num_patterns; i++) {
        if (!builtin_available(front, &builtin->patterns[i]))
            continue;
        uint32_t count = builtin->patterns[i].num_params;
        fewest = count < fewest ? count : fewest;
        most = count > most ? count : most;
    }
    if (site->num_args < fewest || site->num_args > most) {
        pp_error_range(front, site->loc, site->range,
                       "too %s arguments to built-in function '%s', expected %s%u, have %u",
                       site->num_args < fewest ? "few" : "many", builtin->name,
                       fewest == most            ? ""
                       : site->num_args < fewest ? "at least "
                                                 : "at most ",
                       site->num_args < fewest ? fewest : most, site->num_args);
        return;
    }
    struct str types;
    str_init(&types, front->arena);
    for (uint32_t i = 0; i < site->num_args; i++)
        str_printf(&types, "%s'%s'", i ? ", " : "", clc_type_text(front, site->args[i]->type));
    pp_error_range(front, site->loc, site->range, "no matching function for call to '%s' with arguments of type %s",
                   builtin->name, str_text(&types));
    note_nearest(front, site);
}

/* ---- the call ---- */

struct expr *builtin_poison(struct clc_front *front, const struct builtin_call_site *site)
{
    struct expr *expr = arena_new(front->nodes, struct expr);
    expr->kind = EXPR_POISON;
    expr->type.type = front->types->scalars[TYPE_POISON];
    expr->loc = site->loc;
    expr->range = site->range;
    return expr;
}

struct expr *builtin_make_call(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern,
                               struct qual_type result, const struct type *gentype)
{
    struct expr *expr = arena_new(front->nodes, struct expr);
    expr->kind = EXPR_BUILTIN;
    expr->type = result;
    expr->loc = site->loc;
    expr->range = site->range;
    expr->builtin.builtin = site->builtin;
    expr->builtin.pattern = pattern;
    expr->builtin.gentype = gentype;
    expr->builtin.args = site->args;
    expr->builtin.num_args = site->num_args;
    return expr;
}

/* The parameter's type for this argument: pointers stay in the argument's address space. */
static struct qual_type param_type(struct clc_front *front, const struct type_pattern *pattern,
                                   const struct type *generic, const struct expr *arg)
{
    struct qual_type type = {0};
    if (pattern->base == TYPE_IMAGE)
        return arg->type;
    type.type = pattern_type(front, pattern, generic);
    if (!pattern->spaces)
        return type;
    struct qual_type pointee = type;
    pointee.quals = pattern->quals;
    if (arg->type.type->kind == TYPE_POINTER) {
        struct qual_type from = arg->type.type->pointer.pointee;
        if (pattern->base != TYPE_VOID && (from.quals | pattern->quals) == pattern->quals && from.type == type.type)
            return arg->type;
        pointee.address_space = from.address_space;
    } else {
        pointee.address_space = pattern->spaces & 1u << AS_PRIVATE  ? AS_PRIVATE
                                : pattern->spaces & 1u << AS_GLOBAL ? AS_GLOBAL
                                                                    : AS_LOCAL;
    }
    type.type = clc_type_pointer(front, pointee);
    return type;
}

/* cl_khr_subgroup_clustered_reduce and cl_khr_subgroup_rotate: the cluster's size, the last argument, is a constant and
 * a power of two. SPIR-V cannot say anything else. */
static bool check_cluster_size(struct clc_front *front, const struct builtin_call_site *site)
{
    static const char prefix[] = "sub_group_clustered_";
    if (strncmp(site->builtin->name, prefix, sizeof(prefix) - 1) != 0)
        return true;
    const struct expr *size = site->args[site->num_args - 1];
    if (!size->is_constant) {
        pp_error_range(front, size->loc, size->range, "argument to '%s' must be a constant integer",
                       site->builtin->name);
        return false;
    }
    if (is_power_of_two(size->integer))
        return true;
    pp_error_range(front, size->loc, size->range, "argument should be a power of 2");
    return false;
}

static struct expr *make_call(struct resolution *r)
{
    struct clc_front *front = r->front;
    const struct builtin_pattern *pattern = &r->site->builtin->patterns[r->best.pattern];
    const struct type_pattern *types = builtin_pattern_types(pattern);
    for (uint32_t i = 0; i < pattern->num_params; i++) {
        struct expr *arg = r->site->args[i];
        struct qual_type to = param_type(front, &types[1 + i], r->best.generic, arg);
        if (to.type != arg->type.type)
            r->site->args[i] = clc_convert(front, arg, to);
        if (r->site->args[i]->kind == EXPR_POISON)
            return builtin_poison(front, r->site);
    }
    if (!check_cluster_size(front, r->site))
        return builtin_poison(front, r->site);
    struct qual_type result = {.type = pattern_type(front, &types[0], r->best.generic)};
    return builtin_make_call(front, r->site, r->best.pattern, result, r->best.generic);
}

static struct expr *resolve(struct clc_front *front, const struct builtin_call_site *site)
{
    struct resolution r = {.front = front, .site = site, .generic_spaces = builtin_generic_spaces(front)};
    if (site->num_args <= MAX_ARGS && !try_exact(&r)) {
        walk(&r, consider);
        if (r.found)
            walk(&r, check_ambiguity);
    }
    if (!r.found) {
        report_no_match(front, site);
        return builtin_poison(front, site);
    }
    if (r.ambiguous) {
        pp_error_range(front, site->loc, site->range, "call to '%s' is ambiguous", site->builtin->name);
        note_candidate(front, site, r.best.pattern, r.best.generic);
        note_candidate(front, site, r.other.pattern, r.other.generic);
        return builtin_poison(front, site);
    }
    return make_call(&r);
}

/* ---- convert_* and as_* ---- */

/* OpenCL C 3.0, 6.4.3: the operand has as many lanes as the result. */
static struct expr *resolve_convert(struct clc_front *front, const struct builtin_call_site *site)
{
    struct expr *arg = site->args[0];
    const struct type *to = site->builtin->target, *from = builtin_plain(arg->type.type);
    bool arithmetic = type_is_scalar_arith(from) || from->kind == TYPE_VECTOR;
    if (!arithmetic || type_lanes(from) != type_lanes(to)) {
        pp_error_range(front, site->loc, site->range,
                       "no matching function for call to '%s' with an argument of type '%s'", site->builtin->name,
                       clc_type_text(front, arg->type));
        return builtin_poison(front, site);
    }
    if (from->kind == TYPE_BOOL)
        from = front->types->scalars[TYPE_INT];
    if (from != arg->type.type)
        site->args[0] = clc_convert(front, arg, (struct qual_type){.type = from});
    return builtin_make_call(front, site, 0, (struct qual_type){.type = to}, to);
}

/* OpenCL C 3.0, 6.4.4.2: an error unless the sizes agree; three lanes occupy four. */
static struct expr *resolve_as(struct clc_front *front, const struct builtin_call_site *site)
{
    struct expr *arg = site->args[0];
    const struct type *to = site->builtin->target, *from = builtin_plain(arg->type.type);
    bool arithmetic = (type_is_scalar_arith(from) && from->kind != TYPE_BOOL) || from->kind == TYPE_VECTOR;
    if (!arithmetic || from->size != to->size) {
        pp_error_range(front, site->loc, site->range, "invalid reinterpretation: sizes of '%s' and '%s' must match",
                       clc_type_text(front, (struct qual_type){.type = to}), clc_type_text(front, arg->type));
        return builtin_poison(front, site);
    }
    if (from != arg->type.type)
        site->args[0] = clc_convert(front, arg, (struct qual_type){.type = from});
    return builtin_make_call(front, site, 0, (struct qual_type){.type = to}, to);
}

bool clc_builtin_fits_exactly(struct clc_front *front, const struct builtin *builtin, struct expr **args,
                              uint32_t num_args)
{
    struct builtin_call_site site = {.builtin = builtin, .num_args = num_args, .args = args};
    struct resolution r = {.front = front, .site = &site, .generic_spaces = builtin_generic_spaces(front)};
    return builtin->kind == BUILTIN_TABLE && num_args <= MAX_ARGS && try_exact(&r);
}

/* read_imagef(image, CLK_FILTER_LINEAR, at): a number where a sampler belongs, as in calls of other functions. */
static void take_number_for_sampler(struct clc_front *front, struct builtin_call_site *site)
{
    if (site->num_args < 3 || strncmp(site->builtin->name, "read_image", 10) != 0)
        return;
    struct expr **arg = &site->args[1];
    if ((*arg)->is_constant && type_is_integer_kind((*arg)->type.type->kind))
        *arg = clc_convert(front, *arg, (struct qual_type){.type = front->types->sampler});
}

struct expr *clc_builtin_call(struct clc_front *front, const struct builtin *builtin, src_loc loc,
                              struct src_range range, struct expr **args, uint32_t num_args)
{
    struct builtin_call_site site = {.builtin = builtin, .loc = loc, .range = range, .num_args = num_args};
    site.args = arena_array(front->nodes, struct expr *, num_args + 1);
    for (uint32_t i = 0; i < num_args; i++) {
        site.args[i] = clc_rvalue(front, args[i]);
        if (site.args[i]->kind == EXPR_POISON || site.args[i]->type.type->kind == TYPE_POISON)
            return builtin_poison(front, &site);
    }
    if (builtin->kind != BUILTIN_TABLE) {
        if (num_args != 1) {
            pp_error_range(front, loc, range, "too %s arguments to built-in function '%s', expected 1, have %u",
                           num_args ? "many" : "few", builtin->name, num_args);
            return builtin_poison(front, &site);
        }
        return builtin->kind == BUILTIN_CONVERT ? resolve_convert(front, &site) : resolve_as(front, &site);
    }
    take_number_for_sampler(front, &site);
    for (uint32_t i = 0; i < builtin->num_patterns; i++) {
        if (builtin->patterns[i].custom && builtin_available(front, &builtin->patterns[i]))
            return builtin_custom_call(front, &site, i);
    }
    return resolve(front, &site);
}
