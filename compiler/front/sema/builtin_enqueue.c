/* Checks of calls that take a block: enqueue_kernel() in its four forms, and the queries of a block that could be
 * enqueued. Their types depend on the block's parameters, so that no pattern describes them. OpenCL C 3.0, 6.15.19 and
 * 6.15.20. The messages are clang's. */
#include "compiler/front/sema/builtin_resolve.h"

#include "base/util.h"

static struct expr *illegal(struct clc_front *front, const struct builtin_call_site *site, const struct expr *arg,
                            const char *expected)
{
    pp_error_range(front, arg->loc, arg->range, "illegal call to '%s', expected %s argument type", site->builtin->name,
                   expected);
    return builtin_poison(front, site);
}

static struct expr *too_few(struct clc_front *front, const struct builtin_call_site *site, uint32_t expected)
{
    pp_error_range(front, site->loc, site->range, "too few arguments to function call, expected %s%u, have %u",
                   expected == 4 ? "at least " : "", expected, site->num_args);
    return builtin_poison(front, site);
}

static const struct type *signature_of(const struct expr *block)
{
    return block->type.type->pointer.pointee.type;
}

/* A block that can be enqueued: void, and each parameter points to local memory. Anything but void is what
 * cl_khr_device_enqueue_local_arg_types adds. */
static bool check_block(struct clc_front *front, const struct builtin_call_site *site, const struct expr *block)
{
    const struct type *type = signature_of(block);
    const char extension[] = "cl_khr_device_enqueue_local_arg_types";
    bool any_type = builtin_has_word(front->target->extensions, extension, sizeof(extension) - 1);
    for (uint32_t i = 0; i < type->function.num_params; i++) {
        const struct type *param = type->function.params[i].type;
        bool local = param->kind == TYPE_POINTER && param->pointer.pointee.address_space == AS_LOCAL;
        if (local && (any_type || param->pointer.pointee.type->kind == TYPE_VOID))
            continue;
        pp_error_range(front, block->loc, block->range,
                       "blocks used in %s call are expected to have parameters of type 'local void*'",
                       site->builtin->name);
        return false;
    }
    if (type->function.result.type->kind != TYPE_VOID) {
        pp_error_range(front, block->loc, block->range, "blocks used in %s call must return 'void'",
                       site->builtin->name);
        return false;
    }
    return clc_note_block(front, block);
}

/* Converts size0 and so on to uint: 6.15.19.2. */
static bool convert_sizes(struct clc_front *front, const struct builtin_call_site *site, uint32_t block)
{
    if (site->num_args - block - 1 != signature_of(site->args[block])->function.num_params) {
        pp_error_range(front, site->loc, site->range,
                       "mismatch in number of block parameters and local size arguments passed");
        return false;
    }
    for (uint32_t i = block + 1; i < site->num_args; i++) {
        const struct type *type = builtin_plain(site->args[i]->type.type);
        if (!type_is_scalar_arith(type) || type_is_float_kind(type->kind)) {
            pp_error_range(front, site->args[i]->loc, site->args[i]->range,
                           "illegal call to %s, parameter needs to be specified as integer type", site->builtin->name);
            return false;
        }
        site->args[i] =
            clc_convert(front, site->args[i], (struct qual_type){.type = front->types->scalars[TYPE_ULONG]});
    }
    return true;
}

static bool is_integer(const struct expr *arg)
{
    const struct type *type = builtin_plain(arg->type.type);
    return type_is_scalar_arith(type) && !type_is_float_kind(type->kind);
}

static bool is_block(const struct expr *arg)
{
    return arg->type.type->kind == TYPE_BLOCK;
}

/* A pointer to events, or NULL. */
static bool convert_events(struct clc_front *front, const struct builtin_call_site *site, uint32_t index)
{
    struct expr **arg = &site->args[index];
    const struct type *type = (*arg)->type.type;
    if (type->kind == TYPE_POINTER && type->pointer.pointee.type->kind == TYPE_CLK_EVENT &&
        type->pointer.pointee.address_space != AS_CONSTANT)
        return true;
    if (!clc_is_null_constant(*arg)) {
        illegal(front, site, *arg, index == 4 ? "'clk_event_t *' or 'const clk_event_t *'" : "'clk_event_t *'");
        return false;
    }
    struct qual_type pointee = {.type = front->types->clk_event, .address_space = AS_GENERIC};
    *arg = clc_convert(front, *arg, (struct qual_type){.type = clc_type_pointer(front, pointee)});
    return (*arg)->kind != EXPR_POISON;
}

/* enqueue_kernel(queue, flags, ndrange, [count, waits, event,] block, sizes...) */
static struct expr *call_kernel(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    struct expr **args = site->args;
    struct qual_type integer = {.type = front->types->scalars[TYPE_INT]};
    if (site->num_args < 4)
        return too_few(front, site, 4);
    if (args[0]->type.type->kind != TYPE_QUEUE)
        return illegal(front, site, args[0], "'queue_t'");
    if (!is_integer(args[1]))
        return illegal(front, site, args[1], "'kernel_enqueue_flags_t' (i.e. 'uint')");
    if (args[2]->type.type->kind != TYPE_NDRANGE)
        return illegal(front, site, args[2], "'ndrange_t'");
    args[1] = clc_convert(front, args[1], integer);
    uint32_t block = 3;
    if (!is_block(args[3])) {
        if (site->num_args < 7 || !is_integer(args[3])) {
            pp_error_range(front, site->loc, site->range, "illegal call to %s, incorrect argument types",
                           site->builtin->name);
            return builtin_poison(front, site);
        }
        if (!convert_events(front, site, 4) || !convert_events(front, site, 5))
            return builtin_poison(front, site);
        if (!is_block(args[6]))
            return illegal(front, site, args[6], "'block'");
        args[3] = clc_convert(front, args[3], (struct qual_type){.type = front->types->scalars[TYPE_UINT]});
        block = 6;
    }
    if (!check_block(front, site, args[block]) || !convert_sizes(front, site, block))
        return builtin_poison(front, site);
    return builtin_make_call(front, site, pattern, integer, NULL);
}

/* get_kernel_*(block), or with an ndrange before it. */
static struct expr *call_query(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    uint32_t wanted = site->builtin->patterns[pattern].aux;
    if (site->num_args < wanted)
        return too_few(front, site, wanted);
    if (site->num_args > wanted) {
        pp_error_range(front, site->loc, site->range, "too many arguments to function call, expected %u, have %u",
                       wanted, site->num_args);
        return builtin_poison(front, site);
    }
    if (wanted == 2 && site->args[0]->type.type->kind != TYPE_NDRANGE)
        return illegal(front, site, site->args[0], "'ndrange_t'");
    if (!is_block(site->args[wanted - 1]))
        return illegal(front, site, site->args[wanted - 1], "'block'");
    if (!check_block(front, site, site->args[wanted - 1]))
        return builtin_poison(front, site);
    return builtin_make_call(front, site, pattern, (struct qual_type){.type = front->types->scalars[TYPE_UINT]}, NULL);
}

struct expr *builtin_call_enqueue(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    return site->builtin->patterns[pattern].aux ? call_query(front, site, pattern) : call_kernel(front, site, pattern);
}
