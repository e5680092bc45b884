/* Calls that patterns cannot describe: any pointer type (to_global, get_fence), variable arguments (printf), an
 * operator on types (vec_step), pipes, whose packet type decides, and blocks (builtin_enqueue.c). */
#include "compiler/front/sema/builtin_resolve.h"

#include "base/util.h"

#include <string.h>

static struct expr *wrong(struct clc_front *front, const struct builtin_call_site *site, const char *expected)
{
    struct str types;
    str_init(&types, front->arena);
    for (uint32_t i = 0; i < site->num_args; i++)
        str_printf(&types, "%s'%s'", i ? ", " : "", clc_type_text(front, site->args[i]->type));
    pp_error_range(front, site->loc, site->range, "invalid arguments (%s) to built-in function '%s': expected %s",
                   str_text(&types), site->builtin->name, expected);
    return builtin_poison(front, site);
}

/* The argument as a generic pointer; NULL when it is none that can be. */
static struct expr *to_generic(struct clc_front *front, struct expr *arg)
{
    const struct type *type = arg->type.type;
    if (type->kind != TYPE_POINTER || type->pointer.pointee.address_space == AS_CONSTANT)
        return NULL;
    struct qual_type pointee = type->pointer.pointee;
    pointee.address_space = AS_GENERIC;
    const struct type *generic = clc_type_pointer(front, pointee);
    return generic == type ? arg : clc_convert(front, arg, (struct qual_type){.type = generic});
}

/* OpenCL C 3.0, 6.15.10: global gentype *to_global(gentype *ptr), for every type. aux is the space. */
static struct expr *call_to_space(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    struct expr *arg = site->num_args == 1 ? to_generic(front, site->args[0]) : NULL;
    if (!arg)
        return wrong(front, site, "one pointer that converts to the generic address space");
    site->args[0] = arg;
    struct qual_type pointee = arg->type.type->pointer.pointee;
    pointee.address_space = (uint8_t)site->builtin->patterns[pattern].aux;
    struct qual_type result = {.type = clc_type_pointer(front, pointee)};
    return builtin_make_call(front, site, pattern, result, NULL);
}

static struct expr *call_get_fence(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    struct expr *arg = site->num_args == 1 ? to_generic(front, site->args[0]) : NULL;
    if (!arg)
        return wrong(front, site, "one pointer that converts to the generic address space");
    site->args[0] = arg;
    return builtin_make_call(front, site, pattern, (struct qual_type){.type = front->types->scalars[TYPE_UINT]}, NULL);
}

/* OpenCL C 3.0, 6.15.13: the number of lanes; 4 for a three-lane vector. A constant expression. */
static struct expr *call_vec_step(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    (void)pattern;
    const struct type *type = site->num_args == 1 ? builtin_plain(site->args[0]->type.type) : NULL;
    if (!type || !(type->kind == TYPE_VECTOR || type_is_scalar_arith(type)))
        return wrong(front, site, "a scalar or vector");
    struct expr *expr = arena_new(front->nodes, struct expr);
    expr->kind = EXPR_INT;
    expr->type.type = front->types->scalars[TYPE_INT];
    expr->loc = site->loc;
    expr->range = site->range;
    expr->is_constant = true;
    expr->integer = type_lanes(type) == 3 ? 4 : type_lanes(type);
    return expr;
}

/* OpenCL C 3.0, 6.15.14: int printf(constant char * restrict format, ...). C99, 6.5.2.2p6: default argument promotions.
 */
static struct expr *promote(struct clc_front *front, struct expr *arg)
{
    const struct type *type = builtin_plain(arg->type.type);
    enum type_kind to = TYPE_VOID;
    if (type->kind >= TYPE_BOOL && type->kind < TYPE_INT)
        to = TYPE_INT;
    else if (type->kind == TYPE_HALF || type->kind == TYPE_FLOAT)
        to = builtin_kind_available(front, TYPE_DOUBLE) ? TYPE_DOUBLE : TYPE_FLOAT;
    else if (type->kind >= TYPE_INT && type->kind <= TYPE_ULONG)
        to = type->kind;
    if (to == TYPE_VOID || arg->type.type->kind == to)
        return arg;
    return clc_convert(front, arg, (struct qual_type){.type = front->types->scalars[to]});
}

static struct expr *call_printf(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    const struct type *format = site->num_args ? site->args[0]->type.type : NULL;
    if (!format || format->kind != TYPE_POINTER || format->pointer.pointee.type->kind != TYPE_CHAR ||
        format->pointer.pointee.address_space != AS_CONSTANT)
        return wrong(front, site, "a format string in the constant address space");
    for (uint32_t i = 1; i < site->num_args; i++) {
        const struct type *type = builtin_plain(site->args[i]->type.type);
        if (!type_is_scalar_arith(type) && type->kind != TYPE_VECTOR && type->kind != TYPE_POINTER)
            return wrong(front, site, "scalars, vectors and pointers after the format");
        site->args[i] = promote(front, site->args[i]);
        if (site->args[i]->kind == EXPR_POISON)
            return builtin_poison(front, site);
    }
    return builtin_make_call(front, site, pattern, (struct qual_type){.type = front->types->scalars[TYPE_INT]}, NULL);
}

/* ---- pipes: OpenCL C 3.0, 6.15.18 ---- */

enum { PIPE_READ, PIPE_WRITE, PIPE_RESERVE_READ, PIPE_RESERVE_WRITE, PIPE_COMMIT_READ, PIPE_COMMIT_WRITE };

static bool convert_arg(struct clc_front *front, const struct builtin_call_site *site, uint32_t index,
                        enum type_kind to)
{
    const struct type *type = builtin_plain(site->args[index]->type.type);
    if (!type_is_scalar_arith(type))
        return false;
    site->args[index] = clc_convert(front, site->args[index], (struct qual_type){.type = front->types->scalars[to]});
    return true;
}

static bool is_reserve_id(const struct expr *arg)
{
    return arg->type.type->kind == TYPE_RESERVE_ID;
}

static bool is_packet_pointer(const struct expr *arg, const struct type *pipe)
{
    const struct type *type = arg->type.type;
    return type->kind == TYPE_POINTER && clc_type_equal(type->pointer.pointee.type, pipe->pipe.packet.type);
}

static bool pipe_args_fit(struct clc_front *front, const struct builtin_call_site *site, uint32_t which)
{
    const struct type *pipe = site->args[0]->type.type;
    if (which == PIPE_READ || which == PIPE_WRITE) {
        if (site->num_args == 2)
            return is_packet_pointer(site->args[1], pipe);
        return site->num_args == 4 && is_reserve_id(site->args[1]) && convert_arg(front, site, 2, TYPE_UINT) &&
               is_packet_pointer(site->args[3], pipe);
    }
    if (which >= 14)
        return site->num_args == 1;
    if ((which & 3) == (PIPE_RESERVE_READ & 3) || (which & 3) == (PIPE_RESERVE_WRITE & 3))
        return site->num_args == 2 && convert_arg(front, site, 1, TYPE_UINT);
    return site->num_args == 2 && is_reserve_id(site->args[1]);
}

static struct expr *call_pipe(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    uint32_t which = site->builtin->patterns[pattern].aux;
    if (!site->num_args || site->args[0]->type.type->kind != TYPE_PIPE)
        return wrong(front, site, "a pipe as first argument");
    bool writes = which < 14 && (which & 1); /* reading and writing alternate */
    if (which < 14 && writes != (site->args[0]->type.type->pipe.access == QUAL_WRITE_ONLY)) {
        pp_error_range(front, site->args[0]->loc, site->args[0]->range, "invalid pipe access modifier (expecting %s)",
                       writes ? "write_only" : "read_only");
        return builtin_poison(front, site);
    }
    if (!pipe_args_fit(front, site, which))
        return wrong(front, site, "what the pipe's packet type asks for");
    struct qual_type result = {.type = front->types->scalars[TYPE_INT]};
    if (which >= 14)
        result.type = front->types->scalars[TYPE_UINT];
    else if (which >= 2)
        result.type = (which & 3) >= 2 ? front->types->reserve_id : front->types->scalars[TYPE_VOID];
    return builtin_make_call(front, site, pattern, result, site->args[0]->type.type->pipe.packet.type);
}

/* ---- device-side enqueue: OpenCL C 3.0, 6.15.19 ---- */

static struct expr *call_enqueue(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    return builtin_call_enqueue(front, site, pattern);
}

/* ---- cooperative matrices ---- */

static struct expr *call_matrix(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    return builtin_call_matrix(front, site, pattern);
}

struct expr *builtin_custom_call(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    typedef struct expr *custom_fn(struct clc_front *, const struct builtin_call_site *, uint32_t);
    static custom_fn *const customs[BUILTIN_CUSTOM_COUNT] = {
#define X(name) [BUILTIN_CUSTOM_##name] = call_##name,
        BUILTIN_CUSTOMS(X)
#undef X
    };
    return customs[site->builtin->patterns[pattern].custom](front, site, pattern);
}
