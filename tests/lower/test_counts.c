/* How often a loop with a counter runs, as the unroller works it out by division, compared with running it: all steps
 * and ends of 8-bit counters, and counters of every width near the ends of their ranges. And sizes of deep nests. */
#include "compiler/opt/opt.h"
#include "compiler/opt/unroll.h"
#include "tests/support/check.h"

enum { MOST = 3000 };

static int64_t extended(uint64_t value, uint32_t width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

static bool stays(const struct counter *counter, uint32_t width, uint64_t value, uint64_t end)
{
    int64_t a = extended(value, width), b = extended(end, width);
    switch (counter->relation) {
    case SPV_RELATION_EQUAL:
        return value == end;
    case SPV_RELATION_UNEQUAL:
        return value != end;
    case SPV_RELATION_LESS:
        return counter->is_signed ? a < b : value < end;
    case SPV_RELATION_LESS_EQUAL:
        return counter->is_signed ? a <= b : value <= end;
    case SPV_RELATION_GREATER:
        return counter->is_signed ? a > b : value > end;
    default: /* greater or equal */
        return counter->is_signed ? a >= b : value >= end;
    }
}

/* UINT64_MAX: not within so many iterations */
static uint64_t run(const struct counter *counter, uint32_t width, uint64_t first, uint64_t end, uint64_t most)
{
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, value = first;
    for (uint64_t count = 0; count <= most; count++) {
        if (!stays(counter, width, (value + counter->offset) & mask, end))
            return count;
        value = (value + counter->step) & mask;
    }
    return UINT64_MAX;
}

/* Whether it is known. */
static bool compare(const struct counter *counter, uint32_t width, uint64_t first, uint64_t end, uint64_t most)
{
    uint64_t count, expected = run(counter, width, first, end, most);
    if (!unroll_count(counter, width, first, end, &count))
        return false;
    if (count == expected || (expected == UINT64_MAX && count > most))
        return true;
    fprintf(stderr, "%u bits, relation %d, signed %d: from %llx + %llx by %llx to %llx: %llu, not %llu\n", width,
            (int)counter->relation, counter->is_signed, (unsigned long long)first, (unsigned long long)counter->offset,
            (unsigned long long)counter->step, (unsigned long long)end, (unsigned long long)count,
            (unsigned long long)expected);
    test_failures++;
    return true;
}

static void test_bytes(void)
{
    static const uint8_t firsts[] = {0, 1, 100, 127, 128, 255};
    uint32_t all = 0, known = 0, all_short = 0, known_short = 0;
    for (uint32_t which = 0; which < 6 * 2 * 2; which++) {
        struct counter counter = {
            .relation = SPV_RELATION_EQUAL + which % 6, .is_signed = which / 6 & 1, .offset = which / 12 * 0xf7};
        for (uint32_t step = 0; step < 256; step++) {
            for (uint32_t at = 0; at < 256 * sizeof(firsts); at++) {
                counter.step = step;
                bool is = compare(&counter, 8, firsts[at / 256], at % 256, 256);
                bool is_short = (step < 4 || step > 252) && at % 256 > 3 && at % 256 < 252;
                all++, known += is;
                all_short += is_short, known_short += is_short && is;
            }
        }
    }
    CHECK(known > all / 2);
    CHECK(all_short && known_short > all_short / 10 * 9); /* small steps hardly ever go past a gap */
}

static void test_widths(void)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    static const uint64_t near[] = {0,
                                    1,
                                    2,
                                    10,
                                    1000,
                                    0x7f,
                                    0x80,
                                    0x7fff,
                                    0x8000,
                                    0x7fffffff,
                                    0x80000000u,
                                    INT64_MAX,
                                    (uint64_t)1 << 63,
                                    UINT64_MAX,
                                    UINT64_MAX - 1,
                                    UINT64_MAX - 999};
    static const uint64_t steps[] = {0, 1, 2, 3, 4, 7, 16, 6, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 6};
    enum { NEAR = sizeof(near) / sizeof(near[0]), STEPS = sizeof(steps) / sizeof(steps[0]) };
    for (uint32_t at = 0; at < 4 * NEAR * NEAR * STEPS * 12; at++) {
        uint32_t rest = at / 12, width = widths[rest % 4];
        uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
        struct counter counter = {.relation = SPV_RELATION_EQUAL + at % 6, .is_signed = at / 6 & 1};
        rest /= 4;
        counter.step = steps[rest % STEPS];
        rest /= STEPS;
        counter.offset = rest % 3 ? 0 : counter.step;
        compare(&counter, width, near[rest % NEAR] & mask, near[rest / NEAR] & mask, MOST);
    }
}

/* Loops inside of one another, tested at their ends, with hints: their sizes are found without a walk for each of their
 * iterations, of which there are 2 to the depth. */
static void test_deep_nest(struct arena *arena)
{
    enum { DEPTH = 40, MOST_SIZE = 20000 };
    struct str text;
    const char *error;
    uint32_t size = 0;
    str_init(&text, arena);
    str_puts(&text, "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\n"
                    "OpMemoryModel Physical64 OpenCL\n%u32 = OpTypeInt 32 0\n%bool = OpTypeBool\n"
                    "%void = OpTypeVoid\n%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n%c2 = OpConstant %u32 2\n"
                    "%fn = OpTypeFunction %void\n%f = OpFunction %void None %fn\n%h0 = OpLabel\nOpBranch %h1\n");
    for (int i = 1; i <= DEPTH; i++) {
        str_printf(&text, "%%h%d = OpLabel\n%%i%d = OpPhi %%u32 %%c0 %%h%d %%j%d %%l%d\n", i, i, i - 1, i, i);
        str_printf(&text, "OpLoopMerge %%m%d %%l%d Unroll\nOpBranch %%%c%d\n", i, i, i < DEPTH ? 'h' : 'l',
                   i < DEPTH ? i + 1 : i);
    }
    for (int i = DEPTH; i > 0; i--) {
        str_printf(&text, "%%l%d = OpLabel\n%%j%d = OpIAdd %%u32 %%i%d %%c1\n", i, i, i);
        str_printf(&text, "%%t%d = OpULessThan %%bool %%j%d %%c2\nOpBranchConditional %%t%d %%h%d %%m%d\n", i, i, i, i,
                   i);
        str_printf(&text, "%%m%d = OpLabel\n", i);
        if (i > 1)
            str_printf(&text, "OpBranch %%l%d\n", i - 1);
    }
    str_puts(&text, "OpReturn\nOpFunctionEnd\n");
    struct spv_module *module = spv_parse_text(arena, str_text(&text), &error);
    CHECK(module);
    if (!module)
        return;
    CHECK(opt_unroll(module, module->first_function));
    CHECK(!spv_check(module));
    spv_foreach_block (block, module->first_function) {
        spv_foreach_inst (inst, &block->insts)
            size++;
    }
    CHECK(size < MOST_SIZE);
}

int main(void)
{
    struct arena arena;
    jmp_buf out_of_memory;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        return 1;
    test_bytes();
    test_widths();
    test_deep_nest(&arena);
    arena_finish(&arena);
    return test_result();
}
