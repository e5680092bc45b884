/* Between which numbers the phi of a loop lies where the loop goes on (spans.h).
 *
 *     for (int i = first; i < end; i += step)       first <= i <= end - 1, where step is not below 0
 *     for (int i = first; i > end; i--)             end + 1 <= i <= first
 *     for (int d = first; d > 0; d /= 2)            1 <= d <= first
 *     for (int k = first; k <= end; k *= 2)         first <= k <= end
 *     do ... while (++i < end)                      first <= i <= first or end - 1
 *
 * That holds behind the test only, on the way that it leaves to the access and to the step. The last number that may come
 * must not wrap around with one step more, which is a condition where constants do not say it. */
#include "compiler/lower/check/spans.h"

struct counting {
    struct check_spans *s;
    const struct spv_inst *phi, *next;
    uint32_t head, latch, width, depth;
    spv_id first;
    /* What the test leaves */
    bool has_test, is_signed, tests_next;
    enum spv_relation relation;
    spv_id end;
    uint32_t test_at; /* block */
};

static bool find_parts(struct counting *c)
{
    const struct check_spans *s = c->s;
    c->head = c->phi->block->index;
    if (c->phi->num_words != 4 || !cfg_in_loop(s->loops, c->head, s->at))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t from = spv_block_of(s->module, c->phi->words[2 * i + 1])->index;
        if (from < s->cfg->count && cfg_in_loop(s->loops, c->head, from)) {
            c->latch = from;
            c->next = spv_def(s->module, c->phi->words[2 * i]);
            c->first = c->phi->words[2 - 2 * i];
        }
    }
    return c->next && c->next->block && c->next->block->index < s->cfg->count &&
           cfg_in_loop(s->loops, c->head, c->next->block->index);
}

/* ---- tests ---- */

/* Whether the condition compares the value; holds: it is true there. */
static bool read_test(struct counting *c, spv_id condition, spv_id value, bool holds)
{
    const struct spv_inst *test = spv_def(c->s->module, condition);
    while (test && test->op == SpvOpLogicalNot) {
        test = spv_def(c->s->module, test->words[0]);
        holds = !holds;
    }
    enum spv_relation relation = test ? spv_op_relation(test->op) : SPV_RELATION_NONE;
    if (relation == SPV_RELATION_NONE || (test->words[0] != value && test->words[1] != value) ||
        spv_type_op(c->s->module, spv_value_type(c->s->module, test->words[0])) != SpvOpTypeInt)
        return false;
    bool mirrored = test->words[0] != value;
    relation = mirrored ? spv_relation_mirrored(relation) : relation;
    c->relation = holds ? relation : spv_relation_inverse(relation);
    c->end = test->words[mirrored ? 0 : 1];
    c->is_signed = !(spv_op_flags(test->op) & SPV_OP_UNSIGNED);
    return c->relation != SPV_RELATION_EQUAL;
}

/* Whether the branch's one way alone leads to the access and to the step. */
static bool read_branch(struct counting *c, uint32_t block)
{
    const struct spv_cfg *cfg = c->s->cfg;
    const struct spv_inst *end = spv_terminator(cfg->blocks[block]);
    if (end->op != SpvOpBranchConditional || end->words[1] == end->words[2])
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t to = spv_block_of(c->s->module, end->words[1 + i])->index;
        if (to != block && cfg->pred_start[to + 1] - cfg->pred_start[to] == 1 && spv_dominates(cfg, to, c->s->at) &&
            spv_dominates(cfg, to, c->next->block->index))
            return read_test(c, end->words[0], c->phi->id, i == 0);
    }
    return false;
}

/* The test at the loop's end, of the number that the next round has. */
static bool read_latch(struct counting *c)
{
    const struct check_spans *s = c->s;
    const struct spv_inst *end = spv_terminator(s->cfg->blocks[c->latch]);
    spv_id head = s->cfg->blocks[c->head]->label->id;
    if (end->op != SpvOpBranchConditional || end->words[1] == end->words[2])
        return false;
    c->tests_next = true;
    return read_test(c, end->words[0], c->next->id, end->words[1] == head);
}

static void find_test(struct counting *c)
{
    for (uint32_t block = c->s->at; !c->has_test; block = c->s->cfg->idom[block]) {
        c->has_test = read_branch(c, block);
        c->test_at = block;
        if (block == c->head)
            break;
    }
    if (c->has_test)
        return;
    c->has_test = read_latch(c);
    c->test_at = c->latch;
}

/* ---- spans ---- */

/* Of a value that may change while the loop goes on, where the block uses it: that may be outside of a loop that the access
 * is in, and what that loop's test keeps a counter from holds inside only. */
static bool span_in(struct counting *c, uint32_t block, spv_id value, bool as_signed, struct check_span *span)
{
    uint32_t at = c->s->at;
    c->s->at = block;
    bool known = check_span_exactly(c->s, value, as_signed, c->depth, span);
    c->s->at = at;
    return known;
}

static int64_t least_of(const struct counting *c)
{
    return c->is_signed ? (int64_t)((uint64_t)-1 << (c->width < 62 ? c->width - 1 : 61)) : 0;
}

static int64_t most_of(const struct counting *c)
{
    return ((int64_t)1 << (c->width < 62 ? c->width - (c->is_signed ? 1 : 0) : 61)) - 1;
}

static bool move(struct counting *c, struct check_span *span, int64_t by)
{
    const struct check_span before = *span, step = check_span_known(by, by);
    return by == 0 || check_span_add(c->s, &before, &step, span);
}

/* The end that the test keeps the counter from, as far as it may go. */
static bool end_of(struct counting *c, bool up, struct check_span *end)
{
    if (!c->has_test || !span_in(c, c->test_at, c->end, c->is_signed, end))
        return false;
    switch (c->relation) {
    case SPV_RELATION_LESS:
        return up && move(c, end, -1);
    case SPV_RELATION_LESS_EQUAL:
        return up;
    case SPV_RELATION_GREATER:
        return !up && move(c, end, 1);
    case SPV_RELATION_GREATER_EQUAL:
        return !up;
    default:
        return false;
    }
}

/* From the one's low end to the other's high one. */
static struct check_span from_to(const struct check_span *from, const struct check_span *to)
{
    return (struct check_span){.low = from->low, .least = from->least, .high = to->high, .most = to->most};
}

/* The counter comes to the end exactly, by ones, if it does not begin behind it. */
static bool until_equal(struct counting *c, bool up, const struct check_span *first, struct check_span *span)
{
    struct check_span end, way, last;
    const struct spv_inst *def = spv_def(c->s->module, c->end);
    bool moves =
        def->block && def->block->index < c->s->cfg->count && cfg_in_loop(c->s->loops, c->head, def->block->index);
    if (moves || !check_span_exactly(c->s, c->end, c->is_signed, c->depth, &end))
        return false;
    const struct check_span *near = up ? first : &end, *behind = up ? &end : first;
    if (!check_span_subtract(c->s, behind, near, &way) ||
        !check_span_keep(c->s, &way, c->tests_next ? 1 : 0, INT64_MAX))
        return false;
    last = end;
    if (!move(c, &last, up ? -1 : 1))
        return false;
    *span = up ? from_to(first, &last) : from_to(&last, first);
    return true;
}

/* Steps are added. */
static bool by_sums(struct counting *c, spv_id by, bool subtracts, struct check_span *span)
{
    struct check_span first, step, end, beyond;
    if (!c->has_test || !span_in(c, c->next->block->index, by, true, &step) ||
        !check_span_exactly(c->s, c->first, c->is_signed, c->depth, &first))
        return false;
    bool down = subtracts;
    if (step.most < 0 && !step.high && !step.low) {
        step = check_span_known(-step.most, -step.least);
        down = !down;
    }
    if (c->relation == SPV_RELATION_UNEQUAL)
        return step.least == 1 && step.most == 1 && until_equal(c, !down, &first, span);
    if (!end_of(c, !down, &end) || !check_span_keep(c->s, &step, 0, INT64_MAX))
        return false;
    if (c->tests_next)
        end = check_span_choose(c->s, &first, &end, !down, !down);
    if (!(down ? check_span_subtract : check_span_add)(c->s, &end, &step, &beyond) ||
        !check_span_keep(c->s, &beyond, least_of(c), most_of(c)))
        return false;
    *span = down ? from_to(&end, &first) : from_to(&first, &end);
    return true;
}

/* Each number is a part of the one before. */
static bool by_parts(struct counting *c, struct check_span *span)
{
    const struct check_span none = check_span_known(0, 0);
    struct check_span first, end;
    if (!check_span_exactly(c->s, c->first, c->next->op != SpvOpShiftRightLogical, c->depth, &first) ||
        !check_span_keep(c->s, &first, 0, INT64_MAX))
        return false;
    bool ends = !c->tests_next && end_of(c, false, &end) && end.least >= 0 && !end.low;
    *span = from_to(ends ? &end : &none, &first);
    return true;
}

/* Each number is the one before, by some times. */
static bool by_products(struct counting *c, int64_t times, struct check_span *span)
{
    struct check_span first, end;
    if (c->tests_next || !check_span_exactly(c->s, c->first, c->is_signed, c->depth, &first) ||
        !check_span_keep(c->s, &first, 0, INT64_MAX) || !end_of(c, true, &end) ||
        !check_span_keep(c->s, &end, 0, most_of(c) / times))
        return false;
    *span = from_to(&first, &end);
    return true;
}

bool check_span_of_counter(struct check_spans *s, const struct spv_inst *phi, bool as_signed, uint32_t depth,
                           struct check_span *span)
{
    struct counting c = {.s = s, .phi = phi, .depth = depth, .width = spv_type_width(s->module, phi->type)};
    uint64_t by = 0;
    (void)as_signed;
    if (!find_parts(&c))
        return false;
    find_test(&c);
    bool known = c.next->num_words == 2 && spv_const_value(s->module, c.next->words[1], &by) && by < INT32_MAX &&
                 (c.width > 32 || by <= (uint64_t)INT32_MAX >> (32 - c.width)); /* not below 0 */
    bool from_phi = c.next->num_words && c.next->words[0] == phi->id;
    switch (c.next->op) {
    case SpvOpIAdd:
        if (c.next->words[1] == phi->id)
            return by_sums(&c, c.next->words[0], false, span);
        return from_phi && by_sums(&c, c.next->words[1], false, span);
    case SpvOpISub:
        return from_phi && by_sums(&c, c.next->words[1], true, span);
    case SpvOpSDiv:
    case SpvOpUDiv:
        return from_phi && known && by >= 1 && by_parts(&c, span);
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return from_phi && known && by < c.width && by_parts(&c, span);
    case SpvOpIMul:
        return from_phi && known && by >= 1 && by_products(&c, (int64_t)by, span);
    case SpvOpShiftLeftLogical:
        return from_phi && known && by < 31 && by_products(&c, (int64_t)1 << by, span);
    default:
        return false;
    }
}
