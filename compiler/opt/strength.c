/* Addresses that advance by equal steps in a loop are advanced by addition, not computed anew in each iteration:
 *
 *     for (i = first; ...; i++)                    =>      p = base + (first * n << 2);
 *         *(base + ((long)(i * n) << 2))                   for (i = first; ...; i++, p += n << 2)
 *                                                              *p
 *
 * A walk down a column of a matrix looks like this. The product that is widened may be split into steps since it is an
 * int that must not overflow; a product of 64 bits may be split anyway, as it is as wide as an address. Where the loop
 * was partly unrolled, the index of a later iteration (i + 1) is a constant distance from p.
 *
 * Multiplications take several cycles on many devices, and widening takes more. This pass expects addresses to be sums
 * in which what the loop does not change was added first (opt_hoist_sums()). */
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/opt.h"

enum { MAX_WALKS = 4, MAX_SHIFT = 6 };

/* base + ((counter + offset) * stride << shift) */
struct walk {
    spv_id base, counter, stride;
    int64_t offset;
    uint32_t shift;
    spv_id address; /* the phi */
    spv_id stride64;
};

struct strength {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    struct spv_replacements replacements;
    struct walk walks[MAX_WALKS];
    uint32_t num_walks;
    uint32_t header;
    struct spv_block *before, *latch;
    spv_id u64;
    bool changed;
};

static bool is_inside(const struct strength *s, spv_id id)
{
    const struct spv_block *block = spv_def(s->module, id)->block;
    return block && block->index < s->cfg.count && cfg_in_loop(&s->loops, s->header, block->index);
}

static bool constant(const struct spv_module *module, spv_id id, int64_t *value)
{
    uint64_t bits;
    if (!spv_const_value(module, id, &bits))
        return false;
    uint32_t width = spv_type_width(module, spv_value_type(module, id));
    *value = (int64_t)(bits << (64 - width)) >> (64 - width);
    return true;
}

/* Whether inst is as wide as an address, or is known not to wrap. */
static bool is_exact(const struct spv_module *module, const struct spv_inst *inst)
{
    return spv_type_width(module, inst->type) == 64 || spv_no_signed_wrap(inst);
}

static const struct spv_inst *through(const struct strength *s, spv_id id, SpvOp op)
{
    const struct spv_inst *def = spv_def(s->module, id);
    return def->block && def->op == op ? spv_def(s->module, def->words[0]) : def;
}

/* ---- what a walk is ---- */

/* Whether phi is one of the header that grows by a constant. */
static bool is_counter(const struct strength *s, const struct spv_inst *phi)
{
    int64_t step;
    if (phi->op != SpvOpPhi || phi->block != s->cfg.blocks[s->header] || phi->num_words != 4)
        return false;
    const struct spv_inst *next = spv_def(s->module, phi->words[phi->words[1] == s->latch->label->id ? 0 : 2]);
    return next->op == SpvOpIAdd && next->words[0] == phi->id && constant(s->module, next->words[1], &step) &&
           is_exact(s->module, next);
}

static bool find_counter(const struct strength *s, spv_id factor, struct walk *walk)
{
    const struct spv_inst *def = through(s, factor, SpvOpSConvert);
    walk->offset = 0;
    if (def->block && def->op == SpvOpIAdd && constant(s->module, def->words[1], &walk->offset) &&
        is_exact(s->module, def))
        def = spv_def(s->module, def->words[0]);
    walk->counter = def->id;
    return is_counter(s, def);
}

static bool find_walk(const struct strength *s, spv_id base, spv_id index, struct walk *walk)
{
    const struct spv_inst *def = spv_def(s->module, index);
    int64_t shift = 0;
    if (is_inside(s, base) || spv_op_is_constant(spv_def(s->module, base)->op) || !is_inside(s, index))
        return false;
    if (def->op == SpvOpShiftLeftLogical) {
        if (!constant(s->module, def->words[1], &shift) || shift < 0 || shift > MAX_SHIFT)
            return false;
        index = def->words[0];
    }
    const struct spv_inst *product = through(s, index, SpvOpSConvert);
    if (!product->block || product->op != SpvOpIMul || !is_exact(s->module, product))
        return false;
    *walk = (struct walk){.base = base, .shift = (uint32_t)shift};
    for (uint32_t i = 0; i < 2; i++) {
        walk->stride = product->words[i];
        if (!is_inside(s, walk->stride) && find_counter(s, product->words[!i], walk))
            return true;
    }
    return false;
}

/* ---- how it is stepped ---- */

static spv_id widened(struct strength *s, struct spv_builder *b, spv_id id)
{
    int64_t value;
    if (constant(s->module, id, &value))
        return spv_const_u64(s->module, (uint64_t)value);
    return spv_value_type(s->module, id) == s->u64 ? id : spv_emitv(b, SpvOpSConvert, s->u64, id);
}

/* stride * factor << shift */
static spv_id distance(struct strength *s, struct spv_builder *b, const struct walk *walk, int64_t factor)
{
    int64_t stride;
    uint64_t scale = (uint64_t)factor << walk->shift;
    if (constant(s->module, walk->stride64, &stride))
        return spv_const_u64(s->module, (uint64_t)stride * scale);
    if (scale && !(scale & (scale - 1)))
        return spv_emitv(b, SpvOpShiftLeftLogical, s->u64, walk->stride64,
                         spv_const_u32(s->module, (uint32_t)__builtin_ctzll(scale)));
    return spv_emitv(b, SpvOpIMul, s->u64, walk->stride64, spv_const_u64(s->module, scale));
}

static spv_id first_address(struct strength *s, struct spv_builder *b, const struct walk *walk, spv_id first)
{
    int64_t value;
    spv_id from;
    if (constant(s->module, first, &value)) {
        if (!value)
            return walk->base;
        from = distance(s, b, walk, value);
    } else {
        from = spv_emitv(b, SpvOpIMul, s->u64, widened(s, b, first), walk->stride64);
        if (walk->shift)
            from = spv_emitv(b, SpvOpShiftLeftLogical, s->u64, from, spv_const_u32(s->module, walk->shift));
    }
    return spv_emitv(b, SpvOpIAdd, s->u64, walk->base, from);
}

static struct spv_builder before_loop(const struct strength *s)
{
    struct spv_inst *merge = spv_merge_inst(s->before);
    return (struct spv_builder){s->module, s->before->function, s->before, merge ? merge : spv_terminator(s->before),
                                NULL};
}

static void make_address(struct strength *s, struct walk *walk)
{
    struct spv_module *module = s->module;
    const struct spv_inst *counter = spv_def(module, walk->counter);
    struct spv_block *head = counter->block;
    uint32_t inside = counter->words[1] == s->latch->label->id ? 0 : 2;
    struct spv_builder b = before_loop(s), latch = {module, head->function, s->latch, NULL, NULL},
                       top = {module, head->function, head, head->insts.first, NULL};
    struct spv_inst *merge = spv_merge_inst(s->latch);
    int64_t step = 0;
    constant(module, spv_def(module, counter->words[inside])->words[1], &step);
    walk->stride64 = widened(s, &b, walk->stride);
    spv_id first = first_address(s, &b, walk, counter->words[2 - inside]), by = distance(s, &b, walk, step);
    latch.before = merge ? merge : spv_terminator(s->latch);
    walk->address = spv_new_id(module);
    spv_id next = spv_emitv(&latch, SpvOpIAdd, s->u64, walk->address, by);
    const uint32_t words[] = {first, s->before->label->id, next, s->latch->label->id};
    spv_inst_insert(&top, spv_inst_create(module, SpvOpPhi, s->u64, walk->address, 4, words));
}

static struct walk *known_walk(struct strength *s, const struct walk *walk)
{
    for (uint32_t i = 0; i < s->num_walks; i++) {
        struct walk *known = &s->walks[i];
        if (known->base == walk->base && known->counter == walk->counter && known->stride == walk->stride &&
            known->shift == walk->shift)
            return known;
    }
    return NULL;
}

static void visit(struct strength *s, struct spv_inst *inst)
{
    struct walk walk;
    if (!find_walk(s, inst->words[0], inst->words[1], &walk) && !find_walk(s, inst->words[1], inst->words[0], &walk))
        return;
    struct walk *known = known_walk(s, &walk);
    if (!known && s->num_walks == MAX_WALKS)
        return;
    if (!known) {
        known = &s->walks[s->num_walks++];
        *known = walk;
        make_address(s, known);
    }
    s->changed = true;
    if (!walk.offset) {
        spv_replace(s->module, &s->replacements, inst->id, known->address);
        return;
    }
    struct spv_builder b = before_loop(s);
    spv_inst_set_words(s->module, inst, 2, (const uint32_t[]){known->address, distance(s, &b, known, walk.offset)});
}

/* ---- the pass ---- */

/* Prepares for a loop that is entered by one edge and has one back edge; false for others. */
static bool enter_loop(struct strength *s, uint32_t header)
{
    uint32_t outside = 0, inside = 0;
    s->header = header;
    s->num_walks = 0;
    for (uint32_t e = s->cfg.pred_start[header]; e < s->cfg.pred_start[header + 1]; e++) {
        bool back = cfg_in_loop(&s->loops, header, s->cfg.preds[e]);
        *(back ? &s->latch : &s->before) = s->cfg.blocks[s->cfg.preds[e]];
        inside += back;
        outside += !back;
    }
    return inside == 1 && outside == 1 && s->loops.loop[s->before->index] == s->loops.parent[header];
}

static bool has_product(struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpIMul && block != function->first_block)
                return true;
        }
    }
    return false;
}

bool opt_strength(struct spv_module *module, struct spv_function *function)
{
    struct strength s = {.module = module, .u64 = spv_type_int(module, 64)};
    if (!has_product(function))
        return false;
    struct arena *arena = spv_scratch(module);
    struct arena_mark mark = spv_scratch_begin(module);
    spv_cfg_keep(module, function, &s.cfg);
    bool any = cfg_has_loops(&s.cfg);
    if (any)
        cfg_find_loops(arena, &s.cfg, &s.loops);
    for (uint32_t header = 0; any && s.loops.reducible && header < s.cfg.count; header++) {
        if (!s.loops.is_header[header] || !enter_loop(&s, header))
            continue;
        for (uint32_t i = header; i < s.cfg.count; i++) {
            if (s.loops.loop[i] != header)
                continue;
            spv_foreach_inst_safe (inst, &s.cfg.blocks[i]->insts) {
                if (inst->op == SpvOpIAdd && inst->type == s.u64)
                    visit(&s, inst);
            }
        }
    }
    if (s.changed)
        spv_apply_replacements(module, &s.replacements, function);
    spv_finish_replacements(module, &s.replacements);
    spv_scratch_end(module, mark);
    return s.changed;
}
