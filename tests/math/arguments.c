/* What the functions are called with: special values and pairs of them, all halfs, random numbers of several kinds. */
#include "arguments.h"

#include <math.h>
#include <string.h>

static uint64_t random_64(struct samples *s)
{
    uint64_t high = samples_random(s);
    return high << 32 | samples_random(s);
}

static double from_value(enum type type, union value v)
{
    return type == TYPE_DOUBLE ? v.d : round_to(type, (double)v.f);
}

/* Halves of the numbers are special ones, so that pairs of them meet. */
static union number draw_float(struct samples *s, enum type type, uint32_t index)
{
    uint32_t special = samples_special_count(), pick = samples_random(s);
    if (type == TYPE_HALF && (pick & 3) != 0) {
        uint16_t bits = (uint16_t)(pick >> 16);
        return number_load(TYPE_HALF, &bits, 0);
    }
    union value v;
    if (index < special)
        v = samples_special(s, index);
    else if (pick & 4)
        v = samples_special(s, (pick >> 3) % special);
    else
        v = samples_argument(s, special + index);
    return (union number){.f = from_value(type, v)};
}

/* Edges, powers of two and their neighbours, numbers of every length. */
static union number draw_integer(struct samples *s, enum type type)
{
    uint32_t bits = type_bits(type), pick = samples_random(s);
    uint64_t n = random_64(s);
    switch (pick & 7) {
    case 0:
        n = (uint64_t)1 << (pick >> 8) % bits;
        break;
    case 1:
        n = ((uint64_t)1 << (pick >> 8) % bits) - 1;
        break;
    case 2:
        n = ((uint64_t)1 << (bits - 1)) + (pick >> 8 & 3) - 2;
        break;
    case 3: /* halfway between floats, or nearly */
        n = (n >> 40 << 1 | 1) << (pick >> 8) % 40 | (pick >> 16 & 1);
        break;
    case 4:
        n &= 3;
        break;
    default:
        n >>= (pick >> 8) % bits;
    }
    if (pick & 0x80000000u)
        n = ~n + (pick >> 30 & 1);
    uint64_t stored = 0;
    number_store(type, &stored, 0, (union number){.u = n});
    return number_load(type, &stored, 0);
}

static void draw_judged(struct samples *s, const struct test_case *test, const struct function *function,
                        uint32_t index, uint32_t count, union number *args)
{
    enum type type = test->element;
    union value values[2];
    sample_arguments(s, function, index, count, values);
    args[0].f = from_value(type, values[0]);
    args[1].f = from_value(type, values[1]);
    if (type == TYPE_HALF) {
        uint16_t bits = (uint16_t)(function->shape == SHAPE_UNARY || index >= 0x10000 ? index : index * 40503u);
        args[0] = number_load(TYPE_HALF, &bits, 0);
        bits = (uint16_t)(samples_random(s) >> 16);
        args[1] = index % 3 == 0 ? draw_float(s, type, index) : number_load(TYPE_HALF, &bits, 0);
    }
    if (function->shape == SHAPE_POWER)
        args[1].s = values[1].i;
}

void arguments_init(struct samples *s, const struct test_case *test, const struct function *function)
{
    bool is_double = test->params[1].type == TYPE_DOUBLE;
    *s = (struct samples){.state = 1, .digits = is_double ? 53 : 24, .limit = 100.0};
    if (function)
        s->limit = function->limits[is_double];
}

void arguments_draw(struct samples *s, const struct test_case *test, const struct function *function, uint32_t index,
                    uint32_t count, union number *args)
{
    memset(args, 0, MAX_PARAMS * sizeof(*args));
    if (function) {
        draw_judged(s, test, function, index, count, args);
        return;
    }
    for (uint32_t p = 0; p < test->num_params; p++) {
        const struct param *param = &test->params[1 + p];
        if (param->pointer)
            continue;
        if (type_is_float(param->type))
            args[p] = draw_float(s, param->type, p ? samples_special_count() + index : index);
        else if (!strcmp(test->name, "ldexp"))
            args[p].s = samples_integer(s, index % 32 ? 32 + index : index / 32);
        else if (!strncmp(test->name, "bitfield", 8) && param->lanes == 1)
            args[p].u = samples_random(s) % (type_bits(test->element) * 5 / 8 + 1);
        else
            args[p] = draw_integer(s, param->type);
    }
    if (test->num_params > 1 && index % 16 == 1 && test->params[2].type == test->params[1].type)
        args[1] = args[0];
}
