/* The precision of each built-in function on each device: from the table of built-ins, every function x type x width,
 * against correctly rounded references and the bounds of OpenCL C 3.0, 7.4. Prints the worst errors; fails where one is
 * over its bound. Works on any driver.
 *
 * usage: precision [--all] [--markdown] [NAME...]
 *     --all       every width of every function (else each function in three of them, in turns)
 *     --markdown  tables for docs/measured/precision.md
 *     NAME        only these functions ("convert" for all conversions)
 *
 * A driver's compiler is what costs time, so many functions share a kernel; pointers lead to another address space in
 * each width (device.c). */
#include "arguments.h"
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result {
    bool used, over;
    struct judge judges[2]; /* the result's, the pointee's (sincos) */
    uint32_t num_judges;
    double worst, bound;
    uint64_t count, wrong;
    char example[400];
};

struct options {
    bool all, markdown;
    char **names;
    int num_names;
};

struct run {
    const struct options *options;
    struct device device;
    struct result *results; /* one per test case; those of the same name and element share the first's */
    uint64_t checks;
    bool broken;
};

struct job {
    const struct test_case *test;
    uint32_t width;
    bool taken;
};

static const struct function *find_function(const char *name)
{
    for (size_t i = 0; i < num_functions; i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

static bool is_recip(const struct test_case *test)
{
    return strstr(test->name, "_recip") != NULL;
}

static bool is_fast(const struct test_case *test)
{
    return !strncmp(test->name, "half_", 5) || !strncmp(test->name, "native_", 7);
}

/* The reference by distance, also of half_ and native_ functions. */
static const struct function *judge_of(const struct test_case *test, bool pointee)
{
    if (!strcmp(test->name, "sincos"))
        return find_function(pointee ? "cos" : "sin");
    if (is_recip(test) || strstr(test->name, "_divide"))
        return find_function("div");
    return find_function(is_fast(test) ? strchr(test->name, '_') + 1 : test->name);
}

static struct result *result_of(const struct run *run, const struct test_case *test)
{
    size_t i = 0;
    while (strcmp(test_cases[i].name, test->name) || test_cases[i].element != test->element)
        i++;
    struct result *result = &run->results[i];
    if (result->used)
        return result;
    result->used = true;
    result->bound = test->bound;
    if (judge_of(test, false)) {
        bool flush = device_may_flush(&run->device, test->element);
        result->num_judges = !strcmp(test->name, "sincos") ? 2 : 1;
        for (uint32_t k = 0; k < result->num_judges; k++)
            judge_init(&result->judges[k], judge_of(test, k), type_format(test->element), flush);
        if (result->bound == EXACT)
            result->bound = 0.5;
    }
    return result;
}

static bool is_nan(enum type type, union number n)
{
    return type_is_float(type) && isnan(n.f);
}

static bool is_same(enum type type, union number a, union number b, bool any_zero)
{
    if (is_nan(type, a) || is_nan(type, b))
        return is_nan(type, a) && is_nan(type, b);
    return a.u == b.u || (type_is_float(type) && any_zero && a.f == 0.0 && b.f == 0.0);
}

static bool is_subnormal(enum type type, union number n)
{
    return type_is_float(type) && n.f != 0.0 && fabs(n.f) < ldexp(1.0, type_format(type)->least);
}

/* In units in the last place of what is right; infinite for what is no number near it. */
static double distance_of(enum type type, double got, double rounded, long double right)
{
    if (!isfinite(got) || !isfinite(rounded))
        return INFINITY;
    int exponent = rounded == 0.0 ? -2000 : ilogb(rounded), least = type_format(type)->least;
    long double difference = fabsl((long double)got - right);
    return (double)ldexpl(difference, type_format(type)->digits - 1 - (exponent < least ? least : exponent));
}

/* Whether a device that flushes may give zero for this result: subnormal ones, and the smallest normal one, to which a
 * subnormal may have been rounded (devices look before rounding). */
static bool may_be_zero(enum type type, union number right)
{
    const union number half = {.f = right.f * 0.5};
    int exponent;
    return is_subnormal(type, right) || (is_subnormal(type, half) && fabs(frexp(right.f, &exponent)) == 0.5);
}

/* 0: right; else how far it is off. *distance: from the first right value, where such a distance is allowed. */
static double error_of(const struct run *run, const struct call *call, const struct answer *answer, union number got,
                       union number pointee, double *distance)
{
    enum type type = call->test->params[0].type;
    const struct param *last = &call->test->params[call->test->num_params];
    bool flush = device_may_flush(&run->device, type);
    if (answer->any)
        return 0.0;
    if (last->pointer && !answer->open_pointee && !is_same(last->type, pointee, answer->pointee, false) &&
        !(flush && may_be_zero(last->type, answer->pointee) && pointee.f == 0.0))
        return INFINITY;
    double off = INFINITY;
    if (type_is_float(type)) {
        double rounded = answer->values[0].f;
        off = distance_of(type, got.f, rounded, answer->ulps > 0.0 ? answer->right : rounded);
    }
    if (off <= answer->ulps)
        *distance = off;
    for (uint32_t i = 0; i < answer->num; i++) {
        if (is_same(type, got, answer->values[i], answer->any_zero))
            return 0.0;
        if (flush && may_be_zero(type, answer->values[i]) && got.f == 0.0)
            return 0.0;
    }
    if (answer->ulps > 0.0 && off <= answer->ulps)
        return 0.0;
    if (type_is_float(type) && answer->absolute > 0.0 && fabs(got.f - answer->values[0].f) <= answer->absolute)
        return 0.0;
    return off > 0.0 ? off : INFINITY; /* the sign of a zero */
}

/* 7.5.3: subnormal operands may be zeros, of any sign. */
static double error_when_flushed(const struct run *run, const struct call *call, uint32_t lane, union number got,
                                 union number pointee, double error)
{
    uint32_t ways = 1;
    for (uint32_t p = 0; p < call->test->num_params; p++)
        ways *= 3;
    for (uint32_t way = 1; way < ways && error > 0.0; way++) {
        struct call flushed = *call;
        uint32_t rest = way;
        for (uint32_t p = 0; p < call->test->num_params; p++, rest /= 3) {
            enum type type = call->test->params[1 + p].type;
            for (uint32_t i = 0; rest % 3 && device_may_flush(&run->device, type) && i < MAX_LANES; i++)
                if (is_subnormal(type, call->in[p][i]))
                    flushed.in[p][i].f = rest % 3 == 1 ? 0.0 : -0.0;
        }
        struct answer answer;
        double distance = 0.0;
        exact_reference(&flushed, lane, &answer);
        error = fmin(error, error_of(run, &flushed, &answer, got, pointee, &distance));
    }
    return error;
}

static void write_number(enum type type, union number n, char *text, size_t size)
{
    if (type_is_float(type))
        snprintf(text, size, "%a", n.f);
    else if (types[type].is_signed)
        snprintf(text, size, "%lld", (long long)n.s);
    else
        snprintf(text, size, "%llu", (unsigned long long)n.u);
}

static void explain(struct result *result, const struct call *call, uint32_t lane, const struct answer *answer,
                    union number got, union number pointee)
{
    const struct test_case *test = call->test;
    char number[64];
    size_t used = (size_t)snprintf(result->example, sizeof(result->example), "%s of %s%u, lane %u: (", test->name,
                                   types[test->element].name, call->width, lane);
    for (uint32_t p = 1; p <= test->num_params; p++) {
        uint32_t at = param_lanes(&test->params[p], call->width) == 1 ? 0 : lane;
        write_number(test->params[p].type, test->params[p].pointer ? pointee : call->in[p - 1][at], number,
                     sizeof(number));
        used += (size_t)snprintf(result->example + used, sizeof(result->example) - used, "%s%s%s", p > 1 ? ", " : "",
                                 test->params[p].pointer ? "*" : "", number);
    }
    write_number(test->params[0].type, got, number, sizeof(number));
    used += (size_t)snprintf(result->example + used, sizeof(result->example) - used, ") gives %s, not ", number);
    write_number(test->params[0].type, answer->values[0], number, sizeof(number));
    snprintf(result->example + used, sizeof(result->example) - used, "%s", number);
}

static void check_exact(struct run *run, struct result *result, const struct call *call, uint32_t lane,
                        union number got, union number pointee)
{
    struct answer answer;
    if (!exact_reference(call, lane, &answer)) {
        result->bound = UNBOUNDED;
        return;
    }
    double distance = 0.0, error = error_of(run, call, &answer, got, pointee, &distance);
    if (error > 0.0)
        error = error_when_flushed(run, call, lane, got, pointee, error);
    if (answer.ulps > 0.0)
        result->bound = answer.ulps;
    result->worst = fmax(result->worst, fmax(distance, error));
    if (error > 0.0 && !result->wrong++)
        explain(result, call, lane, &answer, got, pointee);
}

static void check_judged(struct result *result, const struct call *call, uint32_t lane, union number got,
                         union number pointee)
{
    const struct function *function = result->judges[0].function;
    double x = call->in[0][lane].f, y = function->shape == SHAPE_BINARY ? call->in[1][lane].f : 0.0;
    int n = function->shape == SHAPE_POWER ? (int)call->in[1][lane].s : 0;
    if (is_recip(call->test)) {
        y = x;
        x = 1.0;
    }
    if (is_fast(call->test) && fabs(x) > 0x1p16)
        return; /* 6.15.2: half_sin and its kin take [-2^16, 2^16] */
    judge_result(&result->judges[0], x, y, n, got.f);
    if (result->num_judges > 1)
        judge_result(&result->judges[1], x, y, n, pointee.f);
}

static void check_test(struct run *run, const struct batch *batch, uint32_t index)
{
    struct call call = {.test = batch->tests[index], .width = batch->width};
    const struct test_case *test = call.test;
    struct result *result = result_of(run, test);
    uint32_t lanes = param_lanes(&test->params[0], batch->width);
    bool pointer = test->params[test->num_params].pointer;
    for (size_t item = 0; item < batch->items; item++) {
        for (uint32_t p = 1; p <= test->num_params; p++) {
            uint32_t stride = batch_stride(batch, p), in_lanes = param_lanes(&test->params[p], batch->width);
            for (uint32_t i = 0; i < in_lanes; i++)
                call.in[p - 1][i] =
                    number_load(test->params[p].type, batch->data[p], batch_start(batch, p, index) + item * stride + i);
        }
        for (uint32_t lane = 0; lane < lanes; lane++) {
            union number got =
                number_load(test->params[0].type, batch->data[0], batch_start(batch, 0, index) + item * lanes + lane);
            union number pointee = pointer ? call.in[test->num_params - 1][lane] : (union number){0};
            if (result->num_judges)
                check_judged(result, &call, lane, got, pointee);
            else
                check_exact(run, result, &call, lane, got, pointee);
        }
    }
    result->count += batch->items * lanes;
    run->checks += batch->items * lanes;
}

static void fill_test(const struct batch *batch, uint32_t index)
{
    const struct test_case *test = batch->tests[index];
    const struct function *function = judge_of(test, false);
    struct samples samples;
    arguments_init(&samples, test, function);
    uint32_t count = (uint32_t)(batch->items * batch->width), widest = 1;
    for (uint32_t p = 1; p <= test->num_params; p++)
        widest =
            param_lanes(&test->params[p], batch->width) > widest ? param_lanes(&test->params[p], batch->width) : widest;
    for (size_t item = 0; item < batch->items; item++) {
        for (uint32_t lane = 0; lane < widest; lane++) {
            union number args[MAX_PARAMS];
            /* a stride, so that few samples still meet many pairs of special values */
            uint32_t at = (uint32_t)(item * widest + lane);
            arguments_draw(&samples, test, function, function && count < 0x10000 ? at * 5 : at, count * 5, args);
            for (uint32_t p = 1; p <= test->num_params; p++)
                if (!test->params[p].pointer && lane < param_lanes(&test->params[p], batch->width))
                    number_store(test->params[p].type, batch->data[p],
                                 batch_start(batch, p, index) + item * batch_stride(batch, p) + lane, args[p - 1]);
        }
    }
}

static size_t items_for(const struct test_case *test, uint32_t width)
{
    size_t lanes = 1024;
    if (width == 1 && test->element == TYPE_HALF)
        lanes = 0x10000; /* every half once */
    else if (width == 1 && judge_of(test, false))
        lanes = test->element == TYPE_FLOAT ? 0x18000 : 0x6000;
    else if (width == 1)
        lanes = 2048;
    return (lanes / width + GROUP_ITEMS - 1) / GROUP_ITEMS * GROUP_ITEMS;
}

static bool is_like(const struct job *a, const struct job *b)
{
    return a->width == b->width && a->test->num_params == b->test->num_params &&
           !memcmp(a->test->params, b->test->params, sizeof(a->test->params)) &&
           items_for(a->test, a->width) == items_for(b->test, b->width);
}

/* Functions of one kernel: few of those whose bodies are long. */
static uint32_t batch_limit(const struct job *job)
{
    if (judge_of(job->test, false))
        return job->width == 1 ? 4 : 1;
    return job->width <= 4 ? 24 : 8;
}

static void run_batch(struct run *run, struct job *jobs, size_t num_jobs, size_t first)
{
    enum { MAX_BATCH = 24 };
    const struct test_case *tests[MAX_BATCH];
    struct batch batch = {
        .tests = tests, .width = jobs[first].width, .items = items_for(jobs[first].test, jobs[first].width)};
    for (size_t i = first; i < num_jobs && batch.num_tests < batch_limit(&jobs[first]); i++) {
        if (!jobs[i].taken && is_like(&jobs[first], &jobs[i])) {
            jobs[i].taken = true;
            tests[batch.num_tests++] = jobs[i].test;
        }
    }
    batch_init(&batch);
    for (uint32_t i = 0; i < batch.num_tests; i++)
        fill_test(&batch, i);
    if (device_run(&run->device, &batch)) {
        for (uint32_t i = 0; i < batch.num_tests; i++)
            check_test(run, &batch, i);
    } else {
        run->broken = true;
    }
    batch_finish(&batch);
}

static bool is_wanted(const struct run *run, const struct test_case *test)
{
    const struct options *options = run->options;
    bool wanted = options->num_names == 0;
    for (int i = 0; i < options->num_names; i++)
        wanted |= !strcmp(options->names[i], test->name) ||
                  (!strcmp(options->names[i], "convert") && !strncmp(test->name, "convert_", 8));
    for (uint32_t p = 0; p <= test->num_params; p++)
        wanted &= device_has_type(&run->device, test->params[p].type);
    return wanted && device_has(&run->device, test->guard);
}

/* Scalars always; of the vectors two widths in turns, the same for functions of the same types so that they share
 * kernels. */
static bool is_turn(const struct run *run, const struct test_case *test, uint32_t width)
{
    static const uint32_t narrow[] = {2, 3, 4}, widths[] = {2, 3, 4, 8, 16};
    uint32_t turn = test->params[0].type * 7 + test->params[1].type + test->num_params;
    if (!(test->widths >> width & 1))
        return false;
    bool geometric = test->widths == 0x1e || test->widths == 0x18; /* the result depends on the width */
    if (run->options->all || run->options->num_names || geometric)
        return true;
    if (!strncmp(test->name, "convert_", 8))
        return width == (turn % 3 == 0 ? 1 : widths[turn % 5]);
    if (judge_of(test, false))
        return width == 1 || width == narrow[turn % 3] || width == widths[3 + turn % 2];
    return width == 1 || width == widths[turn % 5] || width == widths[(turn + 2) % 5];
}

static void run_tests(struct run *run)
{
    struct job *jobs = calloc(num_test_cases * 6, sizeof(*jobs));
    size_t num_jobs = 0;
    for (size_t i = 0; i < num_test_cases; i++)
        for (uint32_t width = 1; width <= MAX_LANES; width++)
            if (is_wanted(run, &test_cases[i]) && is_turn(run, &test_cases[i], width))
                jobs[num_jobs++] = (struct job){.test = &test_cases[i], .width = width};
    for (size_t i = 0; i < num_jobs; i++)
        if (!jobs[i].taken)
            run_batch(run, jobs, num_jobs, i);
    free(jobs);
}

/* Judgement of one function in one type. */
static bool conclude(struct result *result)
{
    for (uint32_t k = 0; k < result->num_judges; k++) {
        struct judge *judge = &result->judges[k];
        if (judge->worst >= result->worst) {
            result->worst = judge->worst;
            judge_explain(judge, judge->format->name, result->example, sizeof(result->example));
            result->example[strcspn(result->example, "\n")] = '\0';
        }
    }
    result->over = result->num_judges ? result->bound != UNBOUNDED && result->worst > result->bound : result->wrong > 0;
    return !result->over;
}

static void write_cell(const struct result *result, char *text, size_t size)
{
    if (!result || !result->used)
        snprintf(text, size, "-");
    else if (result->over)
        snprintf(text, size, "%.4g!", result->worst);
    else if (result->bound == UNBOUNDED)
        snprintf(text, size, result->num_judges ? "free" : "near");
    else if (result->bound == EXACT)
        snprintf(text, size, "exact");
    else
        snprintf(text, size, "%.3f (%g)", result->worst, result->bound);
}

static struct result *find_result(const struct run *run, const char *name, enum type element)
{
    for (size_t i = 0; i < num_test_cases; i++)
        if (!strcmp(test_cases[i].name, name) && test_cases[i].element == element)
            return &run->results[i];
    return NULL;
}

static bool is_first_of_name(size_t index, bool is_float)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(test_cases[i].name, test_cases[index].name) && type_is_float(test_cases[i].element) == is_float)
            return false;
    return true;
}

static bool is_tabled(size_t index)
{
    const struct test_case *test = &test_cases[index];
    return type_is_float(test->element) && strncmp(test->name, "convert_", 8) && strncmp(test->name, "is", 2);
}

static void print_tables(const struct run *run)
{
    bool markdown = run->options->markdown;
    printf(markdown ? "## %s\n\n| function | half | float | double |\n| --- | --- | --- | --- |\n"
                    : "%s: worst errors in ulp (bounds in parentheses)\n                            half             "
                      "float            double\n",
           run->device.name);
    for (size_t i = 0; i < num_test_cases; i++) {
        if (!is_tabled(i) || !is_first_of_name(i, true))
            continue;
        char cells[3][32];
        bool any = false;
        for (int format = 0; format < 3; format++) {
            struct result *result = find_result(run, test_cases[i].name, TYPE_HALF + (enum type)format);
            any |= result && result->used;
            write_cell(result, cells[format], sizeof(cells[format]));
        }
        if (any)
            printf(markdown ? "| %s | %s | %s | %s |\n" : "%-16s %15s   %15s   %15s\n", test_cases[i].name, cells[0],
                   cells[1], cells[2]);
    }
}

static bool print_results(const struct run *run)
{
    uint32_t cases[3] = {0}, wrong = 0; /* conversions, integers, relations */
    for (size_t i = 0; i < num_test_cases; i++) {
        struct result *result = &run->results[i];
        if (!result->used)
            continue;
        conclude(result);
        wrong += result->over;
        if (!strncmp(test_cases[i].name, "convert_", 8))
            cases[0]++;
        else if (!is_tabled(i))
            cases[type_is_float(test_cases[i].element) ? 2 : 1]++;
    }
    print_tables(run);
    printf("%sExact besides: %u conversions, %u functions of integers, %u relations (a function in a type counts "
           "once). %llu values in "
           "%u kernels; %u functions fail.\n",
           run->options->markdown ? "\n" : "", cases[0], cases[1], cases[2], (unsigned long long)run->checks,
           run->device.kernels, wrong);
    for (size_t i = 0; i < num_test_cases; i++)
        if (run->results[i].over)
            printf("%s\n", run->results[i].example);
    fflush(stdout);
    return !wrong && !run->broken;
}

static bool test_device(const struct options *options, const struct test_device *found)
{
    struct run run = {.options = options};
    if (!device_open(&run.device, found)) {
        fprintf(stderr, "precision: a device cannot be opened\n");
        device_close(&run.device);
        return false;
    }
    run.results = calloc(num_test_cases, sizeof(*run.results));
    run_tests(&run);
    bool good = print_results(&run);
    for (size_t i = 0; i < num_test_cases; i++)
        for (uint32_t k = 0; k < run.results[i].num_judges; k++)
            judge_finish(&run.results[i].judges[k]);
    free(run.results);
    device_close(&run.device);
    return good;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int first = 1;
    for (; first < argc && !strncmp(argv[first], "--", 2); first++) {
        options.all |= !strcmp(argv[first], "--all");
        options.markdown |= !strcmp(argv[first], "--markdown");
        if (strcmp(argv[first], "--all") && strcmp(argv[first], "--markdown")) {
            fputs("usage: precision [--all] [--markdown] [NAME...]\n", stderr);
            return 2;
        }
    }
    options.names = argv + first;
    options.num_names = argc - first;
    struct test_device found[16];
    cl_uint count = test_find_devices(NULL, found, 16);
    bool good = true;
    for (cl_uint d = 0; d < count; d++)
        good &= test_device(&options, &found[d]);
    mpfr_free_cache();
    if (!count) {
        fprintf(stderr, "precision: no OpenCL device\n");
        return TEST_SKIPPED;
    }
    return good ? 0 : 1;
}
