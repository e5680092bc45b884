/* The passes on control flow, on random graphs: what a program does must not change, and what comes out must be
 * structured.
 *
 *   test_flow [ROUNDS [DIRECTORY]]   with a directory: some modules are left there for spirv-val */
#include "interpret.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/structurise.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/cfg.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

struct random {
    uint64_t state;
};

static uint32_t random_below(struct random *random, uint32_t bound)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % bound);
}

struct program {
    struct spv_module *module;
    struct spv_function *main;
    spv_id u32, condition_type, buffer, chain_type, input, input_type;
};

static void start_program(struct arena *arena, struct program *p)
{
    struct spv_module *module = p->module = spv_module_create(arena, 0x10600);
    spv_add_capability(module, SpvCapabilityShader);
    spv_set_memory_model(module, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    p->u32 = spv_type_int(module, 32);
    p->condition_type = spv_type_bool(module);
    spv_id block_type = spv_type_struct(module, 1, &p->u32);
    spv_decorate(module, block_type, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(module, block_type, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    spv_id buffer_type = spv_type_pointer(module, SpvStorageClassStorageBuffer, block_type);
    p->buffer = spv_global_variable(module, buffer_type, SpvStorageClassStorageBuffer, 0);
    spv_decorate(module, p->buffer, SpvDecorationDescriptorSet, 1, (const uint32_t[]){0});
    spv_decorate(module, p->buffer, SpvDecorationBinding, 1, (const uint32_t[]){0});
    p->chain_type = spv_type_pointer(module, SpvStorageClassStorageBuffer, p->u32);
    spv_id type = spv_type_function(module, spv_type_void(module), 0, NULL);
    p->main = spv_function_create(module, 0, type, 0);
    spv_add_entry_point(module, SpvExecutionModelGLCompute, p->main->def->id, "main", 1, &p->buffer);
    spv_add_execution_mode(module, SpvOpExecutionMode, p->main->def->id, SpvExecutionModeLocalSize, 3,
                           (const uint32_t[]){1, 1, 1});
}

/* acc = acc * a + c + number, as an event */
static spv_id emit_step(struct program *p, struct spv_builder *b, spv_id variable, spv_id chain, uint32_t number)
{
    spv_id old = spv_emitv(b, SpvOpLoad, p->u32, variable);
    spv_id product = spv_emitv(b, SpvOpIMul, p->u32, old, spv_const_u32(p->module, 1664525));
    spv_id sum = spv_emitv(b, SpvOpIAdd, p->u32, product, spv_const_u32(p->module, 1013904223 + number));
    spv_emitv_void(b, SpvOpStore, variable, sum);
    spv_emitv_void(b, SpvOpStore, chain, sum, SpvMemoryAccessVolatileMask);
    return sum;
}

static spv_id emit_field(struct program *p, struct spv_builder *b, spv_id value, uint32_t shift, uint32_t mask)
{
    spv_id shifted = spv_emitv(b, SpvOpShiftRightLogical, p->u32, value, spv_const_u32(p->module, shift));
    return spv_emitv(b, SpvOpBitwiseAnd, p->u32, shifted, spv_const_u32(p->module, mask));
}

static spv_id emit_bit(struct program *p, struct spv_builder *b, spv_id value, uint32_t shift)
{
    return spv_emitv(b, SpvOpINotEqual, p->condition_type, emit_field(p, b, value, shift, 1),
                     spv_const_u32(p->module, 0));
}

/* A random graph: every block but the first can be anybody's successor; locality in [1, count] keeps most edges short.
 */
static void random_graph(struct arena *arena, struct random *random, struct program *p, uint32_t count,
                         uint32_t locality)
{
    start_program(arena, p);
    struct spv_block **blocks = arena_array(arena, struct spv_block *, count);
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = spv_block_create(p->main, p->module, 0);
        spv_block_append(p->main, blocks[i]);
    }
    struct spv_builder b = {p->module, p->main, blocks[0], NULL};
    spv_id variable = spv_emit_variable(&b, p->u32), other = spv_emit_variable(&b, p->u32);
    spv_id chain = spv_emitv(&b, SpvOpAccessChain, p->chain_type, p->buffer, spv_const_u32(p->module, 0));
    spv_id input = spv_emitv(&b, SpvOpLoad, p->u32, chain);
    spv_emitv_void(&b, SpvOpStore, variable, input);
    spv_emitv_void(&b, SpvOpStore, other, input);
    for (uint32_t i = 0; i < count; i++) {
        b.block = blocks[i];
        spv_id value = emit_step(p, &b, i % 3 == 2 ? other : variable, chain, i);
        uint32_t kind = random_below(random, 20);
        spv_id labels[4];
        for (int k = 0; k < 4; k++) {
            uint32_t to = random_below(random, 4) ? i + random_below(random, locality) + 1 - locality / 3
                                                  : random_below(random, count);
            labels[k] = blocks[to % (count - 1) + 1]->label->id;
        }
        if (kind < 2 || count == 1)
            spv_emit_void(&b, SpvOpReturn, 0, NULL);
        else if (kind < 8)
            spv_emitv_void(&b, SpvOpBranch, labels[0]);
        else if (kind < 18)
            spv_emitv_void(&b, SpvOpBranchConditional, emit_bit(p, &b, value, 16 + kind % 3), labels[0], labels[1]);
        else
            spv_emitv_void(&b, SpvOpSwitch, emit_field(p, &b, value, 20, 3), labels[0], 1, labels[1], 2, labels[2], 3,
                           labels[3]);
    }
}

/* ---- programs with structure, as a front end makes them ---- */

struct writer {
    struct random *random;
    struct program *p;
    struct spv_builder b;
    spv_id variable, chain;
    uint32_t steps, budget;
    spv_id break_label, continue_label, return_value;
    bool merges;        /* with merge instructions */
    bool open;          /* the current block has no terminator yet */
    bool counts;        /* with loops of a constant number of iterations */
    uint32_t no_return; /* depth of loops that are left at their end only */
    spv_id helper;
};

static void begin(struct writer *w, struct spv_block *block)
{
    spv_block_append(w->b.function, block);
    w->b.block = block;
    w->open = true;
}

static void go(struct writer *w, spv_id label)
{
    if (w->open)
        spv_emitv_void(&w->b, SpvOpBranch, label);
    w->open = false;
}

static struct spv_block *make_block(struct writer *w)
{
    return spv_block_create(w->b.function, w->p->module, 0);
}

/* Mostly a condition, sometimes a constant. */
static spv_id write_condition(struct writer *w, uint32_t shift)
{
    spv_id value = emit_step(w->p, &w->b, w->variable, w->chain, w->steps++);
    if (random_below(w->random, 6) == 0)
        return spv_const_bool(w->p->module, random_below(w->random, 2));
    return emit_bit(w->p, &w->b, value, shift);
}

static spv_id write_step(struct writer *w)
{
    return emit_step(w->p, &w->b, w->variable, w->chain, w->steps++);
}

static void write_statements(struct writer *w, uint32_t depth);

static void write_if(struct writer *w, uint32_t depth)
{
    spv_id condition = write_condition(w, 16);
    struct spv_block *yes = make_block(w), *no = make_block(w), *merge = make_block(w);
    bool has_else = random_below(w->random, 2);
    if (w->merges)
        spv_emitv_void(&w->b, SpvOpSelectionMerge, merge->label->id, 0);
    spv_emitv_void(&w->b, SpvOpBranchConditional, condition, yes->label->id, (has_else ? no : merge)->label->id);
    begin(w, yes);
    write_statements(w, depth + 1);
    go(w, merge->label->id);
    if (has_else) {
        begin(w, no);
        write_statements(w, depth + 1);
        go(w, merge->label->id);
    }
    begin(w, merge);
}

/* A counter, and an array that it indexes: what opt_unroll() looks for. */
struct counted {
    spv_id counter, array, bound;
};

static struct counted write_counter(struct writer *w)
{
    struct spv_module *module = w->p->module;
    struct counted c = {.bound = spv_const_u32(module, random_below(w->random, 6))};
    if (random_below(w->random, 3) == 0)
        c.bound = emit_field(w->p, &w->b, spv_emitv(&w->b, SpvOpLoad, w->p->u32, w->variable), 7, 7);
    spv_id pointer = spv_type_pointer(module, SpvStorageClassFunction, w->p->u32);
    c.counter = spv_emit_variable(&w->b, w->p->u32);
    c.array = spv_emit_variable(&w->b, spv_type_array(module, w->p->u32, 8));
    spv_emitv_void(&w->b, SpvOpStore, c.counter, spv_const_u32(module, 0));
    for (uint32_t i = 0; i < 8; i++) {
        spv_id place = spv_emitv(&w->b, SpvOpAccessChain, pointer, c.array, spv_const_u32(module, i));
        spv_emitv_void(&w->b, SpvOpStore, place, spv_const_u32(module, i * 7));
    }
    return c;
}

/* array[counter] += 1; the other variable gets it too */
static void write_counted_access(struct writer *w, const struct counted *c)
{
    struct program *p = w->p;
    spv_id pointer = spv_type_pointer(p->module, SpvStorageClassFunction, p->u32);
    spv_id place =
        spv_emitv(&w->b, SpvOpAccessChain, pointer, c->array, spv_emitv(&w->b, SpvOpLoad, p->u32, c->counter));
    spv_id sum = spv_emitv(&w->b, SpvOpIAdd, p->u32, spv_emitv(&w->b, SpvOpLoad, p->u32, place),
                           spv_emitv(&w->b, SpvOpLoad, p->u32, w->variable));
    sum = spv_emitv(&w->b, SpvOpIAdd, p->u32, sum, spv_emitv(&w->b, SpvOpLoad, p->u32, w->chain));
    spv_emitv_void(&w->b, SpvOpStore, place, sum);
    spv_emitv_void(&w->b, SpvOpStore, w->variable, sum);
}

static spv_id write_counted_test(struct writer *w, const struct counted *c)
{
    spv_id value = spv_emitv(&w->b, SpvOpLoad, w->p->u32, c->counter);
    return spv_emitv(&w->b, SpvOpULessThan, w->p->condition_type, value, c->bound);
}

static void write_counted_step(struct writer *w, const struct counted *c)
{
    spv_id value = spv_emitv(&w->b, SpvOpLoad, w->p->u32, c->counter);
    value = spv_emitv(&w->b, SpvOpIAdd, w->p->u32, value, spv_const_u32(w->p->module, 1));
    spv_emitv_void(&w->b, SpvOpStore, c->counter, value);
}

static void write_loop(struct writer *w, uint32_t depth)
{
    struct spv_block *header = make_block(w), *test = make_block(w), *body = make_block(w), *next = make_block(w),
                     *merge = make_block(w);
    spv_id outer_break = w->break_label, outer_continue = w->continue_label;
    bool test_first = random_below(w->random, 2), is_counted = w->counts && random_below(w->random, 3);
    bool may_break = !is_counted || random_below(w->random, 3) == 0;
    struct counted counted = is_counted ? write_counter(w) : (struct counted){0};
    go(w, header->label->id);
    begin(w, header);
    if (w->merges)
        spv_emitv_void(&w->b, SpvOpLoopMerge, merge->label->id, next->label->id, SpvLoopControlUnrollMask)
            ->hints.unroll = is_counted ? random_below(w->random, 4) : 0;
    go(w, test->label->id);
    begin(w, test);
    if (test_first) {
        spv_id condition = is_counted ? write_counted_test(w, &counted) : write_condition(w, 17);
        spv_emitv_void(&w->b, SpvOpBranchConditional, condition, body->label->id, merge->label->id);
        begin(w, body);
    }
    w->break_label = may_break ? merge->label->id : 0;
    w->continue_label = next->label->id;
    w->no_return += !may_break;
    if (is_counted)
        write_counted_access(w, &counted);
    write_statements(w, depth + 1);
    go(w, next->label->id);
    begin(w, next);
    w->no_return -= !may_break;
    if (is_counted)
        write_counted_step(w, &counted);
    if (test_first) {
        write_step(w);
        go(w, header->label->id);
    } else {
        spv_id condition = is_counted ? write_counted_test(w, &counted) : write_condition(w, 18);
        spv_emitv_void(&w->b, SpvOpBranchConditional, condition, header->label->id, merge->label->id);
    }
    w->break_label = outer_break;
    w->continue_label = outer_continue;
    begin(w, merge);
}

static void write_switch(struct writer *w, uint32_t depth)
{
    spv_id selector = emit_field(w->p, &w->b, write_step(w), 20, 3), outer_break = w->break_label;
    if (random_below(w->random, 5) == 0)
        selector = spv_const_u32(w->p->module, random_below(w->random, 4));
    struct spv_block *cases[3], *merge = make_block(w);
    for (int i = 0; i < 3; i++)
        cases[i] = make_block(w);
    if (w->merges)
        spv_emitv_void(&w->b, SpvOpSelectionMerge, merge->label->id, 0);
    spv_emitv_void(&w->b, SpvOpSwitch, selector, cases[2]->label->id, 0, cases[0]->label->id, 3, cases[0]->label->id, 1,
                   cases[1]->label->id);
    w->break_label = merge->label->id;
    for (int i = 0; i < 3; i++) {
        begin(w, cases[i]);
        write_statements(w, depth + 1);
        bool falls = i < 2 && random_below(w->random, 3) == 0;
        go(w, falls ? cases[i + 1]->label->id : merge->label->id);
    }
    w->break_label = outer_break;
    begin(w, merge);
}

static void write_return(struct writer *w)
{
    spv_id value = write_step(w);
    if (w->return_value)
        spv_emitv_void(&w->b, SpvOpReturnValue, value);
    else
        spv_emit_void(&w->b, SpvOpReturn, 0, NULL);
    w->open = false;
}

static void write_call(struct writer *w)
{
    spv_id old = write_step(w);
    spv_id value = spv_emitv(&w->b, SpvOpFunctionCall, w->p->u32, w->helper, old);
    spv_emitv_void(&w->b, SpvOpStore, w->variable, value);
}

static void write_statements(struct writer *w, uint32_t depth)
{
    uint32_t count = 1 + random_below(w->random, 3);
    for (uint32_t i = 0; i < count && w->open; i++) {
        uint32_t kind = random_below(w->random, 16);
        bool nests = depth < 5 && w->budget > 0;
        w->budget -= w->budget > 0;
        if (nests && kind < 5)
            write_if(w, depth);
        else if (nests && kind < 8)
            write_loop(w, depth);
        else if (nests && kind < 10)
            write_switch(w, depth);
        else if (kind == 10 && w->break_label)
            go(w, w->break_label);
        else if (kind == 11 && w->continue_label)
            go(w, w->continue_label);
        else if (kind == 12 && depth && !w->no_return)
            write_return(w);
        else if (kind == 13 && w->helper)
            write_call(w);
        else
            write_step(w);
    }
}

/* A local variable, or a part of one. */
static spv_id write_variable(struct writer *w)
{
    struct spv_module *module = w->p->module;
    spv_id u32 = w->p->u32, pointer = spv_type_pointer(module, SpvStorageClassFunction, u32);
    spv_id vector = spv_type_vector(module, u32, 4), two = spv_const_u32(module, 2);
    switch (random_below(w->random, 4)) {
    case 0: {
        spv_id variable = spv_emit_variable(&w->b, vector);
        return spv_emitv(&w->b, SpvOpAccessChain, pointer, variable, two);
    }
    case 1: {
        const spv_id members[] = {u32, spv_type_array(module, vector, 3), u32};
        spv_id variable = spv_emit_variable(&w->b, spv_type_struct(module, 3, members));
        return spv_emitv(&w->b, SpvOpAccessChain, pointer, variable, spv_const_u32(module, 1), two,
                         spv_const_u32(module, 3));
    }
    default:
        return spv_emit_variable(&w->b, u32);
    }
}

static void write_function(struct writer *w, struct spv_function *function, uint32_t budget)
{
    struct program *p = w->p;
    w->b = (struct spv_builder){p->module, function, NULL, NULL};
    begin(w, make_block(w));
    w->break_label = w->continue_label = 0;
    w->budget = budget;
    w->variable = write_variable(w);
    w->chain = spv_emitv(&w->b, SpvOpAccessChain, p->chain_type, p->buffer, spv_const_u32(p->module, 0));
    spv_id start =
        function->params.length ? function->params.data[0]->id : spv_emitv(&w->b, SpvOpLoad, p->u32, w->chain);
    spv_emitv_void(&w->b, SpvOpStore, w->variable, start);
    write_statements(w, 0);
    if (w->open)
        write_return(w);
}

static void structured_program(struct arena *arena, struct random *random, struct program *p, bool merges, bool calls,
                               bool counts)
{
    start_program(arena, p);
    struct writer w = {.random = random, .p = p, .merges = merges, .counts = counts};
    for (uint32_t i = 0; calls && i < 1 + random_below(random, 3); i++) {
        spv_id type = spv_type_function(p->module, p->u32, 1, &p->u32);
        struct spv_function *helper = spv_function_create(p->module, 0, type, 0);
        w.return_value = 1;
        write_function(&w, helper, 6);
        w.helper = helper->def->id;
    }
    w.return_value = 0;
    write_function(&w, p->main, 14);
}

static bool same_runs(struct arena *arena, const struct program *before, const struct program *after)
{
    for (uint32_t input = 0; input < 6; input++) {
        struct run a = {.max_events = 60}, b = {.max_events = 60};
        interpret(arena, before->module, before->main, input * 2654435761u, &a);
        interpret(arena, after->module, after->main, input * 2654435761u, &b);
        if (a.error || b.error) {
            fprintf(stderr, "interpreter: %s\n", a.error ? a.error : b.error);
            return false;
        }
        if (a.num_events != b.num_events || a.returned != b.returned ||
            memcmp(a.events, b.events, a.num_events * sizeof(*a.events)) != 0)
            return false;
    }
    return true;
}

static const char *print(struct arena *arena, const struct spv_module *module)
{
    struct str text;
    str_init(&text, arena);
    spv_print(module, &text);
    return str_text(&text);
}

static bool verify(struct arena *arena, struct program *before, struct program *after, const char *what)
{
    const char *error = spv_check(after->module);
    if (!error && !same_runs(arena, before, after))
        error = "it behaves differently";
    if (!error)
        return true;
    fprintf(stderr, "%s: %s\n--- before\n%s\n--- after\n%s\n", what, error, print(arena, before->module),
            print(arena, after->module));
    CHECK(!"a pass went wrong");
    return false;
}

static void leave(struct spv_module *module, const char *directory, uint32_t number)
{
    char path[512];
    size_t count;
    uint32_t *words = spv_write(module, &count);
    snprintf(path, sizeof(path), "%s/%u.spv", directory, number);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(words, sizeof(*words), count, file) == count);
    if (file)
        fclose(file);
}

static struct program copy_program(struct arena *arena, const struct program *p)
{
    struct program copy = *p;
    copy.module = spv_clone(arena, p->module);
    copy.main = spv_function_of(copy.module, p->main->def->id);
    return copy;
}

static bool test_graph(struct arena *arena, uint32_t seed, const char *directory)
{
    struct random random = {seed * 7919u + 1};
    struct program p, original;
    uint32_t count = 2 + random_below(&random, seed % 10 == 9 ? 60 : 14);
    random_graph(arena, &random, &p, count, 2 + random_below(&random, 6));
    original = copy_program(arena, &p);
    bool early = random_below(&random, 2);
    if (early && (opt_mem2reg(p.module, p.main), !verify(arena, &original, &p, "mem2reg")))
        return false;
    cfg_structurise(p.module, p.main);
    if (!verify(arena, &original, &p, "structurise"))
        return false;
    CHECK(cfg_is_structured(p.module, p.main));
    opt_mem2reg(p.module, p.main);
    if (!verify(arena, &original, &p, "mem2reg after structurise"))
        return false;
    opt_dce(p.module, p.main);
    if (!verify(arena, &original, &p, "dce"))
        return false;
    CHECK(cfg_is_structured(p.module, p.main));
    spv_foreach_inst (inst, &p.main->first_block->insts)
        CHECK(inst->op != SpvOpVariable);
    if (directory)
        leave(p.module, directory, seed);
    return true;
}

/* Any control flow fits into a few levels, whether it was structured before or not. */
static bool test_flat(struct arena *arena, uint32_t seed, const char *directory)
{
    struct random random = {seed * 15485863u + 9};
    struct program p, original;
    struct cfg_bound bound = {8 + random_below(&random, seed % 2 ? 8 : 50), NULL};
    if (seed % 3)
        random_graph(arena, &random, &p, 2 + random_below(&random, 60), 2 + random_below(&random, 6));
    else
        structured_program(arena, &random, &p, seed % 2, false, false);
    original = copy_program(arena, &p);
    if (random_below(&random, 2))
        cfg_structurise(p.module, p.main);
    if (random_below(&random, 2))
        opt_mem2reg(p.module, p.main);
    cfg_flatten(p.module, p.main, &bound);
    if (!verify(arena, &original, &p, "flatten"))
        return false;
    CHECK(cfg_is_structured(p.module, p.main));
    uint32_t depth = cfg_depth(p.module, p.main, NULL);
    CHECK(depth <= bound.levels);
    if (depth > bound.levels)
        fprintf(stderr, "seed %u: %u levels of %u\n%s\n", seed, depth, bound.levels, print(arena, p.module));
    opt_mem2reg(p.module, p.main);
    if (!verify(arena, &original, &p, "mem2reg after flatten"))
        return false;
    if (directory)
        leave(p.module, directory, 300000 + seed);
    return true;
}

static uint32_t times_unrolled;

/* Everything that makes code better, until nothing changes. */
static bool optimise(struct arena *arena, const struct program *original, struct program *p)
{
    struct program before = *original;
    opt_sroa(p->module, p->main);
    opt_mem2reg(p->module, p->main);
    for (int round = 0; round < 6; round++) {
        bool structured = cfg_is_structured(p->module, p->main);
        bool folded = opt_fold(p->module, p->main);
        if (!verify(arena, &before, p, "fold"))
            return false;
        if (structured && !cfg_is_structured(p->module, p->main)) {
            CHECK(!"folding broke the structure");
            fprintf(stderr, "%s\n", print(arena, p->module));
            return false;
        }
        bool merged = opt_cse(p->module, p->main);
        if (!verify(arena, &before, p, "cse"))
            return false;
        bool swept = opt_dce(p->module, p->main);
        if (!verify(arena, &before, p, "dce"))
            return false;
        bool unrolled = opt_unroll(p->module, p->main);
        if (!verify(arena, &before, p, "unroll"))
            return false;
        if (structured && !cfg_is_structured(p->module, p->main)) {
            CHECK(!"unrolling broke the structure");
            fprintf(stderr, "%s\n", print(arena, p->module));
            return false;
        }
        if (unrolled) {
            times_unrolled++;
            opt_sroa(p->module, p->main);
            opt_mem2reg(p->module, p->main);
        }
        if (!folded && !merged && !swept && !unrolled)
            break;
    }
    opt_hoist(p->module, p->main);
    if (!verify(arena, &before, p, "hoist"))
        return false;
    opt_hoist_sums(p->module, p->main);
    if (!verify(arena, &before, p, "ordering sums"))
        return false;
    spv_foreach_inst (inst, &p->main->first_block->insts) {
        bool promotes =
            inst->op == SpvOpVariable &&
            spv_type_op(p->module, spv_pointer_pointee(p->module, inst->type)) != SpvOpTypeArray; /* by a counter */
        CHECK(!promotes);
        if (promotes) {
            fprintf(stderr, "%s\n", print(arena, p->module));
            return false;
        }
    }
    return true;
}

static bool test_structured(struct arena *arena, uint32_t seed, const char *directory)
{
    struct random random = {seed * 104729u + 3};
    struct program p, original;
    bool merges = seed % 4 != 0;
    structured_program(arena, &random, &p, merges, false, merges && seed % 4 != 3);
    original = copy_program(arena, &p);
    CHECK(!spv_check(p.module));
    if (merges) {
        cfg_remove_unreachable(p.module, p.main);
        CHECK(cfg_is_structured(p.module, p.main));
        if (!cfg_is_structured(p.module, p.main))
            fprintf(stderr, "%s\n", print(arena, p.module));
    }
    if (seed % 4 == 2)
        opt_mem2reg(p.module, p.main);
    if (seed % 4 == 3) {
        /* one branch goes astray: what the checker then accepts, the validator has to accept too */
        uint32_t count = 0, pick;
        spv_foreach_block (block, p.main)
            count += spv_terminator(block)->op == SpvOpBranch;
        pick = count ? random_below(&random, count) : 0;
        struct spv_block *target = p.main->first_block->next;
        for (uint32_t i = random_below(&random, 12); i && target && target->next; i--)
            target = target->next;
        spv_foreach_block (each, p.main) {
            if (spv_terminator(each)->op == SpvOpBranch && pick-- == 0 && target &&
                spv_terminator(target)->op != SpvOpUnreachable)
                spv_terminator(each)->words[0] = target->label->id;
        }
        original = copy_program(arena, &p);
    }
    cfg_structurise(p.module, p.main);
    if (!verify(arena, &original, &p, "structurise of a program"))
        return false;
    CHECK(cfg_is_structured(p.module, p.main));
    if (!optimise(arena, &original, &p))
        return false;
    CHECK(cfg_is_structured(p.module, p.main));
    if (directory)
        leave(p.module, directory, 100000 + seed);
    return true;
}

static enum opt_call_fate cleaned_call(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    (void)data, (void)module, (void)callee;
    return OPT_CALL_CLEANED;
}

static bool test_calls(struct arena *arena, uint32_t seed, const char *directory)
{
    struct random random = {seed * 1299709u + 5};
    struct program inlined, original;
    const char *error;
    structured_program(arena, &random, &original, seed % 3 != 0, true, false);
    inlined = copy_program(arena, &original);
    if (!opt_inline_calls(inlined.module, inlined.main, seed & 1 ? cleaned_call : NULL, NULL, &error)) {
        CHECK(!"inlining failed");
        return false;
    }
    if (!verify(arena, &original, &inlined, "inlining"))
        return false;
    bool structured = cfg_is_structured(inlined.module, inlined.main);
    CHECK(structured || seed % 3 == 0);
    if (!structured && seed % 3)
        fprintf(stderr, "%s", print(arena, inlined.module));
    spv_cfg_forget(inlined.main); /* as lower.c does after a pass that changes blocks */
    cfg_structurise(inlined.module, inlined.main);
    if (!optimise(arena, &original, &inlined))
        return false;
    opt_dce_module(inlined.module);
    CHECK(inlined.module->first_function == inlined.module->last_function);
    if (!verify(arena, &original, &inlined, "passes after inlining"))
        return false;
    CHECK(cfg_is_structured(inlined.module, inlined.main));
    if (directory)
        leave(inlined.module, directory, 200000 + seed);
    return true;
}

int main(int argc, char **argv)
{
    jmp_buf out_of_memory;
    struct arena arena;
    uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        return 1;
    for (uint32_t seed = 0; seed < rounds && test_failures < 3; seed++) {
        struct arena_mark mark = arena_mark(&arena);
        const char *directory = argc > 2 ? argv[2] : NULL;
        test_graph(&arena, seed, directory);
        test_structured(&arena, seed, directory);
        test_calls(&arena, seed, directory);
        test_flat(&arena, seed, directory);
        arena_rewind(&arena, mark);
    }
    arena_finish(&arena);
    CHECK(rounds < 100 || times_unrolled > rounds / 20);
    return test_result();
}
