/* Calls that share a body where the driver inlines all functions.
 *
 * Mesa's drivers and SwiftShader inline every call, whatever calls.c has kept. A field's multiplication that a pairing
 * calls a thousand times is then a thousand multiplications, and the driver takes minutes for them. What it cannot
 * unfold is a loop. So where a kernel would be large with all calls inlined, calls of one function that follow one
 * another in a block become one call in a loop, which does between the calls what stood between them:
 *
 *     a; x = f(p); b; y = f(q); c; z = f(r); d
 *
 *     a; i = 0; v = p
 *     loop:
 *         w = f(v)
 *         if (i == 2) break
 *         switch (i) {
 *             case 0: x = w; b; v = q; break
 *             default: y = w; c; v = r
 *         }
 *         i++
 *     z = w; d
 *
 * Values that pass from one piece to another become variables, and those phis. Each of them is a phi of as many values
 * as there are pieces, and lavapipe runs all cases with those switched off that are not taken. So few calls share a
 * loop: fma of doubles run a third slower with eight of them, and three times as long with 32, which compile no sooner.
 * What a piece reads or computes without a call's result is done in front of the loop. Groups that save most come
 * first, until the kernel is small enough or nothing is left that pays. The work-items of a work-group take the same
 * way through such a loop, for as long as they took the same way before. */
#include "compiler/lower/calls/calls.h"
#include "compiler/lower/calls/passes.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/spv/cfg.h"

#include "base/util.h"

#include <string.h>

enum {
    ROOM = 12000,   /* instructions, calls inlined, for which lavapipe takes about a second */
    GOAL = 2000,    /* how small kernels beyond that are to become */
    SMALLEST = 64,  /* instructions of a function whose calls are worth a loop */
    MOST_CALLS = 8, /* in one loop: see above */
    HUGE = 100000,  /* instructions, calls inlined, for which lavapipe takes minutes: */
    MOST_IN_HUGE = 16,
    MOST_LOOPS = 400,
    MOST_WORK = 1 << 24, /* instructions that are looked at, those of one look for each loop: a few seconds */
    CASE = 12,           /* instructions that a loop takes for each call */
    LARGEST_ARM = 128,   /* those of an arm of an if that a select takes the place of */
};

#define NO_PIECE UINT32_MAX

struct size {
    uint64_t whole;  /* instructions with everything inlined */
    uint64_t copies; /* of it in the kernel with everything inlined */
};

/* Calls of one function in one block, in their order. */
struct group {
    struct spv_function *function; /* in which they stand */
    struct spv_block *block;
    spv_id callee;
    uint32_t count;
    uint64_t saved;
};

struct share {
    struct lower *lower;
    struct spv_module *module;
    struct arena *arena;
    struct u64_map sizes;   /* function id -> struct size */
    uint64_t insts;         /* of all functions */
    uint32_t loops;         /* made so far */
    uint32_t most_calls;    /* in one */
    struct u64_map refused; /* block's label << 32 | callee: groups that do not pay */
};

/* A group while it is looked at, and then changed. Piece k is what stands between call k - 1 and call k; piece 0 stays
 * in front of the loop, and the last one comes behind it. */
struct loop {
    struct spv_module *module;
    struct arena *arena;
    struct spv_function *function;
    struct spv_block *block; /* the group's, and then what is left of it in front of the loop */
    spv_id callee;
    uint32_t count;
    struct spv_inst **calls;
    VEC(struct spv_inst *) early; /* of later pieces, but they can be done in the first one and count as part of it */
    struct u64_map pieces;        /* an instruction's id -> 1 + its piece, of those in the block that have one */
    struct u64_map variables; /* a value that passes between pieces -> its variable, or itself as long as it has none */
    uint32_t num_variables;
    struct u64_map computed_again; /* pointers and images that do -> the loop */
    spv_id *args;                  /* of the call in the loop: a variable where same[] is false */
    bool *same;
    spv_id result;     /* of the call in the loop */
    bool failed, late; /* late: an operand is of a later piece than the first */

    struct spv_inst *user; /* the instruction whose operands are visited, where they are used, and that piece */
    struct spv_block *at;
    uint32_t piece;
};

/* ---- how large everything is ---- */

static uint64_t capped(uint64_t a, uint64_t b)
{
    const uint64_t most = (uint64_t)1 << 31;
    a = u64_min(a, most);
    b = u64_min(b, most);
    return u64_min(a * b, most);
}

static bool measure(struct share *s, struct opt_call_order *order)
{
    const char *error = NULL;
    s->sizes = (struct u64_map){0};
    s->insts = 0;
    if (!opt_order_calls(s->module, s->lower->kernel, order, &error))
        return false;
    for (uint32_t i = 0; i < order->functions.length; i++) {
        struct spv_function *function = order->functions.data[i];
        struct size *size = arena_new(s->arena, struct size);
        u64_map_set(s->arena, &s->sizes, function->def->id, size);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                struct size *callee = inst->op == SpvOpFunctionCall ? u64_map_get(&s->sizes, inst->words[0]) : NULL;
                size->whole = capped(size->whole + 1 + (callee ? callee->whole : 0), 1);
                s->insts++;
            }
        }
        size->copies = function == s->lower->kernel;
    }
    for (uint32_t i = order->functions.length; i-- > 0;) {
        struct size *size = u64_map_get(&s->sizes, order->functions.data[i]->def->id);
        spv_foreach_block (block, order->functions.data[i]) {
            spv_foreach_inst (inst, &block->insts) {
                struct size *callee = inst->op == SpvOpFunctionCall ? u64_map_get(&s->sizes, inst->words[0]) : NULL;
                if (callee)
                    callee->copies = capped(callee->copies + size->copies, 1);
            }
        }
    }
    return true;
}

static uint64_t group_key(const struct spv_block *block, spv_id callee)
{
    return (uint64_t)block->label->id << 32 | callee;
}

/* A loop in a continue construct would be no structured control flow that drivers have met. */
static bool is_continued_with(const struct spv_block *block)
{
    spv_foreach_block (each, block->function) {
        const struct spv_inst *merge = spv_merge_inst(each);
        if (merge && merge->op == SpvOpLoopMerge && merge->words[1] == block->label->id)
            return true;
    }
    return false;
}

static void look_at_block(struct share *s, struct spv_block *block, uint64_t copies, struct group *best)
{
    struct u64_map counts = {0};
    spv_foreach_inst (inst, &block->insts) {
        const struct size *callee = inst->op == SpvOpFunctionCall ? u64_map_get(&s->sizes, inst->words[0]) : NULL;
        if (!callee || callee->whole < SMALLEST || u64_map_has(&s->refused, group_key(block, inst->words[0])))
            continue;
        uintptr_t count = (uintptr_t)u64_map_get(&counts, inst->words[0]);
        if (count == s->most_calls)
            continue;
        u64_map_set(s->arena, &counts, inst->words[0], (void *)(count + 1));
        uint64_t saved = capped(capped(callee->whole, count), copies);
        if (saved > best->saved && !is_continued_with(block))
            *best = (struct group){block->function, block, inst->words[0], (uint32_t)count + 1, saved};
    }
}

/* The group whose loop saves most. */
static struct group best_group(struct share *s, const struct opt_call_order *order)
{
    struct group best = {0};
    for (uint32_t i = 0; i < order->functions.length; i++) {
        struct spv_function *function = order->functions.data[i];
        const struct size *size = u64_map_get(&s->sizes, function->def->id);
        spv_foreach_block (block, function)
            look_at_block(s, block, size->copies, &best);
    }
    return best;
}

/* ---- which values pass between pieces ---- */

static uint32_t piece_of(const struct loop *l, spv_id id)
{
    uintptr_t piece = (uintptr_t)u64_map_get(&l->pieces, id);
    return piece ? (uint32_t)piece - 1 : NO_PIECE;
}

/* What the first piece defines is there in all others, and so is what the last one defines in what comes after. */
static bool passes(const struct loop *l, spv_id id, uint32_t to)
{
    uint32_t from = piece_of(l, id);
    return from != NO_PIECE && from != 0 && from != l->count && from != to;
}

static bool is_number(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) || spv_type_is_float(module, type) || spv_type_is_bool(module, type);
}

/* Pointers, and images that were loaded from their descriptors. */
static bool can_compute_again(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpConvertUToPtr:
    case SpvOpBitcast:
    case SpvOpSampledImage:
    case SpvOpImage:
        return true;
    case SpvOpLoad:
        return spv_type_op(module, inst->type) == SpvOpTypeImage || spv_type_op(module, inst->type) == SpvOpTypeSampler;
    default:
        return false;
    }
}

static void note_operand(void *data, struct spv_inst *user, uint32_t *word)
{
    struct loop *l = data;
    (void)user;
    if (!passes(l, *word, l->piece) || u64_map_has(&l->variables, *word) || u64_map_has(&l->computed_again, *word))
        return;
    struct spv_inst *def = spv_def(l->module, *word);
    if (is_number(l->module, def->type)) {
        u64_map_set(l->arena, &l->variables, *word, (void *)(uintptr_t)*word);
        l->num_variables++;
    } else if (can_compute_again(l->module, def)) {
        /* what it is computed of is used wherever it is: in no piece of its own */
        uint32_t piece = l->piece;
        u64_map_set(l->arena, &l->computed_again, *word, l);
        l->piece = NO_PIECE;
        spv_visit_operand_ids(def, note_operand, l);
        l->piece = piece;
    } else {
        l->failed = true;
    }
}

/* Visits all uses, with the piece that each stands in. A phi's operands are used at the ends of the blocks that they
 * come from. */
static void visit_uses(struct loop *l, spv_visit_id visit)
{
    uint32_t piece = 0;
    spv_foreach_block (block, l->function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            l->user = inst;
            l->at = block;
            l->piece = block == l->block ? piece : NO_PIECE;
            if (inst->op != SpvOpPhi) {
                spv_visit_operand_ids(inst, visit, l);
            } else {
                for (uint32_t i = 0; i + 1 < inst->num_words; i += 2) {
                    l->at = spv_block_of(l->module, inst->words[i + 1]);
                    l->user = spv_merge_inst(l->at) ? spv_merge_inst(l->at) : spv_terminator(l->at);
                    l->piece = l->at == l->block ? l->count : NO_PIECE;
                    visit(l, inst, &inst->words[i]);
                }
            }
            piece += piece < l->count && inst == l->calls[piece];
        }
    }
}

static void find_pieces(struct loop *l)
{
    uint32_t piece = 0;
    spv_foreach_inst (inst, &l->block->insts) {
        if (piece < l->count && inst->op == SpvOpFunctionCall && inst->words[0] == l->callee)
            l->calls[piece++] = inst;
        if (inst->id)
            u64_map_set(l->arena, &l->pieces, inst->id, (void *)(uintptr_t)(piece + 1));
    }
}

static void note_late_operand(void *data, struct spv_inst *user, uint32_t *word)
{
    struct loop *l = data;
    uint32_t piece = piece_of(l, *word);
    (void)user;
    l->late |= piece != NO_PIECE && piece != 0;
}

/* Whether nothing but when it is read matters for what a load gives. */
static bool is_plain_load(const struct spv_inst *inst)
{
    return inst->op == SpvOpLoad && (inst->num_words < 2 || !(inst->words[1] & ~SpvMemoryAccessAlignedMask));
}

/* Finds what no call's result is needed for, and no write comes before. */
static void find_early(struct loop *l)
{
    bool written = false;
    for (struct spv_inst *inst = l->calls[0]; inst != l->calls[l->count - 1]; inst = inst->next) {
        bool loads = is_plain_load(inst);
        written |= !loads && !spv_inst_is_pure(inst) && !opt_is_const_call(l->module, inst);
        if ((!loads || written) && !spv_inst_is_pure(inst))
            continue;
        l->late = false;
        spv_visit_operand_ids(inst, note_late_operand, l);
        if (l->late)
            continue;
        vec_push(l->arena, &l->early, inst);
        u64_map_set(l->arena, &l->pieces, inst->id, (void *)(uintptr_t)1);
    }
}

static void move_early(struct loop *l)
{
    struct spv_builder b = {l->module, l->function, l->block, l->calls[0]};
    for (uint32_t i = 0; i < l->early.length; i++) {
        spv_inst_unlink(l->early.data[i]);
        spv_inst_insert(&b, l->early.data[i]);
    }
}

/* Arguments that are the same in all calls are given as they are; no others may be pointers. */
static void compare_args(struct loop *l)
{
    uint32_t count = l->calls[0]->num_words;
    l->args = arena_array(l->arena, spv_id, count);
    l->same = arena_array(l->arena, bool, count);
    for (uint32_t i = 1; i < count; i++) {
        spv_id first = l->calls[0]->words[i];
        l->same[i] = true;
        l->args[i] = first;
        for (uint32_t k = 1; k < l->count; k++)
            l->same[i] &= l->calls[k]->words[i] == first;
        l->failed |= !l->same[i] && !is_number(l->module, spv_value_type(l->module, first));
    }
}

/* ---- the loop ---- */

static spv_id emit_load(struct spv_builder *b, spv_id variable)
{
    return spv_emitv(b, SpvOpLoad, spv_pointer_pointee(b->module, spv_value_type(b->module, variable)), variable);
}

static spv_id new_variable(struct loop *l, spv_id type)
{
    struct spv_builder b = {l->module, l->function, l->function->first_block, NULL};
    return spv_emit_variable(&b, type);
}

static void take_operand(void *data, struct spv_inst *user, uint32_t *word);

static spv_id compute_again(struct loop *l, const struct spv_inst *inst)
{
    spv_id id = spv_new_id(l->module);
    struct spv_builder b = {l->module, l->function, l->at, l->user};
    struct spv_inst *copy = spv_inst_copy(l->module, inst, id), *user = l->user;
    spv_inst_insert(&b, copy);
    l->user = copy;
    spv_visit_operand_ids(copy, take_operand, l);
    l->user = user;
    return id;
}

static void take_operand(void *data, struct spv_inst *user, uint32_t *word)
{
    struct loop *l = data;
    (void)user;
    if (!passes(l, *word, l->piece))
        return;
    spv_id variable = (spv_id)(uintptr_t)u64_map_get(&l->variables, *word);
    if (!variable) {
        *word = compute_again(l, spv_def(l->module, *word));
        return;
    }
    struct spv_builder b = {l->module, l->function, l->at, l->user};
    *word = emit_load(&b, variable);
}

/* Makes the variables and has all uses in other pieces load them. Each begins with nothing: else it would be a phi of what it held
 * when the block was last run, in each block between there and here, and many blocks with such loops in one around them
 * have as many phis as the square of their number. */
static void use_variables(struct loop *l)
{
    struct spv_builder begin = {l->module, l->function, l->block, l->block->insts.first};
    while (begin.before->op == SpvOpPhi || begin.before->op == SpvOpVariable)
        begin.before = begin.before->next;
    for (struct spv_inst *inst = l->block->insts.first; inst; inst = inst->next) {
        if (inst->id && u64_map_has(&l->variables, inst->id)) {
            spv_id variable = new_variable(l, inst->type);
            u64_map_set(l->arena, &l->variables, inst->id, (void *)(uintptr_t)variable);
            spv_emitv_void(&begin, SpvOpStore, variable, spv_undef(l->module, inst->type));
        }
    }
    visit_uses(l, take_operand);
    for (uint32_t i = 1; i < l->calls[0]->num_words; i++) {
        if (!l->same[i])
            l->args[i] = new_variable(l, spv_value_type(l->module, l->calls[0]->words[i]));
    }
}

static void store_value(struct loop *l, struct spv_builder *b, spv_id id, spv_id value)
{
    spv_id variable = id ? (spv_id)(uintptr_t)u64_map_get(&l->variables, id) : 0;
    if (variable)
        spv_emitv_void(b, SpvOpStore, variable, value);
}

static void store_args(struct loop *l, struct spv_builder *b, const struct spv_inst *call)
{
    for (uint32_t i = 1; i < call->num_words; i++) {
        if (!l->same[i])
            spv_emitv_void(b, SpvOpStore, l->args[i], call->words[i]);
    }
}

/* Moves the piece before the call (NULL: all the rest) to the block, with the stores that it needs. A loop's header
 * keeps its merge instruction. */
static struct spv_inst *move_piece(struct loop *l, struct spv_block *to, struct spv_inst *first, struct spv_inst *call)
{
    const struct spv_inst *merge = spv_merge_inst(l->block);
    for (struct spv_inst *inst = first, *next; inst && inst != call; inst = next) {
        struct spv_builder b = {l->module, l->function, to, NULL};
        next = inst->next;
        if (inst == merge && merge->op == SpvOpLoopMerge)
            continue;
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
        store_value(l, &b, inst->id, inst->id);
    }
    return call;
}

static struct spv_block *add_block(struct loop *l, struct spv_block *after)
{
    struct spv_block *block = spv_block_create(l->function, l->module, 0);
    spv_block_insert_after(after, block);
    return block;
}

/* The header: the call, and the way out behind the last one. */
static void fill_header(struct loop *l, struct spv_block *header, spv_id counter, const struct spv_block *next,
                        const struct spv_block *end, const struct spv_block *continued)
{
    struct spv_module *module = l->module;
    struct spv_builder b = {module, l->function, header, NULL};
    const struct spv_inst *call = l->calls[0];
    uint32_t *words = arena_array(l->arena, uint32_t, call->num_words);
    words[0] = l->callee;
    for (uint32_t i = 1; i < call->num_words; i++)
        words[i] = l->same[i] ? l->args[i] : emit_load(&b, l->args[i]);
    l->result = spv_emit(&b, SpvOpFunctionCall, call->type, call->num_words, words);
    spv_id last =
        spv_emitv(&b, SpvOpIEqual, spv_type_bool(module), emit_load(&b, counter), spv_const_u32(module, l->count - 1));
    spv_emitv_void(&b, SpvOpLoopMerge, end->label->id, continued->label->id, SpvLoopControlDontUnrollMask);
    spv_emitv_void(&b, SpvOpBranchConditional, last, end->label->id, next->label->id);
}

/* What follows call k - 1, up to call k. */
static struct spv_block *make_piece(struct loop *l, struct spv_block *after, uint32_t k, const struct spv_block *merge)
{
    struct spv_block *block = add_block(l, after);
    struct spv_builder b = {l->module, l->function, block, NULL};
    store_value(l, &b, l->calls[k - 1]->id, l->result);
    move_piece(l, block, l->calls[k - 1]->next, l->calls[k]);
    store_args(l, &b, l->calls[k]);
    spv_emitv_void(&b, SpvOpBranch, merge->label->id);
    return block;
}

/* The pieces between the calls, and the switch that chooses. */
static void make_pieces(struct loop *l, struct spv_block *choice, spv_id counter, const struct spv_block *merge)
{
    VEC(uint32_t) words = {0};
    struct spv_builder b = {l->module, l->function, choice, NULL};
    struct spv_block *last = choice;
    vec_push(l->arena, &words, emit_load(&b, counter));
    vec_push(l->arena, &words, 0);
    for (uint32_t k = 1; k < l->count; k++) {
        last = make_piece(l, last, k, merge);
        if (k < l->count - 1) {
            vec_push(l->arena, &words, k - 1);
            vec_push(l->arena, &words, last->label->id);
        }
    }
    words.data[1] = last->label->id;
    if (l->count == 2) {
        spv_emitv_void(&b, SpvOpBranch, last->label->id);
        return;
    }
    spv_emitv_void(&b, SpvOpSelectionMerge, merge->label->id, SpvSelectionControlMaskNone);
    spv_emit_void(&b, SpvOpSwitch, words.length, words.data);
}

static void remove_calls(struct loop *l)
{
    struct spv_replacements values = {0};
    for (uint32_t k = 0; k < l->count; k++) {
        if (l->calls[k]->id && l->result)
            spv_replace(l->module, &values, l->calls[k]->id, l->result);
        spv_inst_remove(l->module, l->calls[k]);
    }
    spv_apply_replacements(l->module, &values, l->function);
    spv_finish_replacements(l->module, &values);
}

static void make_loop(struct loop *l)
{
    struct spv_module *module = l->module;
    struct spv_block *header = add_block(l, l->block), *choice = add_block(l, header), *merge = add_block(l, choice);
    struct spv_block *continued = add_block(l, merge), *end = add_block(l, continued);
    struct spv_inst *loop_merge = spv_merge_inst(l->block);
    spv_id label = l->block->label->id, type = spv_type_int(module, 32), counter = new_variable(l, type);
    struct spv_builder front = {module, l->function, l->block, NULL}, back = {module, l->function, continued, NULL};
    cfg_rename_phi_pred(module, l->block, label, end->label->id);
    fill_header(l, header, counter, choice, end, continued);
    make_pieces(l, choice, counter, merge);
    move_piece(l, end, l->calls[l->count - 1]->next, NULL);
    front.before = l->calls[0];
    store_args(l, &front, l->calls[0]);
    spv_emitv_void(&front, SpvOpStore, counter, spv_const_u32(module, 0));
    front.before = NULL;
    if (loop_merge && loop_merge->op == SpvOpLoopMerge && loop_merge->words[1] == label)
        loop_merge->words[1] = end->label->id; /* a loop of one block continued with itself */
    remove_calls(l);
    spv_emitv_void(&front, SpvOpBranch, header->label->id);
    struct spv_builder joined = {module, l->function, merge, NULL};
    spv_emitv_void(&joined, SpvOpBranch, continued->label->id);
    spv_id next = spv_emitv(&back, SpvOpIAdd, type, emit_load(&back, counter), spv_const_u32(module, 1));
    spv_emitv_void(&back, SpvOpStore, counter, next);
    spv_emitv_void(&back, SpvOpBranch, header->label->id);
}

/* Whether the group became a loop. */
static bool share_group(struct share *s, const struct group *group)
{
    struct loop l = {.module = s->module, .arena = s->arena, .function = group->function, .block = group->block};
    const struct size *callee = u64_map_get(&s->sizes, group->callee);
    l.callee = group->callee;
    l.count = group->count;
    l.calls = arena_array(s->arena, struct spv_inst *, group->count);
    find_pieces(&l);
    find_early(&l);
    compare_args(&l);
    visit_uses(&l, note_operand);
    uint64_t cost = (uint64_t)l.count * (l.num_variables + l.calls[0]->num_words + CASE);
    if (l.failed || cost >= callee->whole * (l.count - 1))
        return false;
    move_early(&l);
    use_variables(&l);
    make_loop(&l);
    spv_cfg_forget(l.function);
    return true;
}

/* ---- the pass ---- */

/* Whether the function has two calls of one function that would be worth a loop, in whatever blocks. */
static bool calls_one_twice(const struct share *s, const struct spv_function *function)
{
    struct u64_map seen = {0};
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            const struct size *callee = inst->op == SpvOpFunctionCall ? u64_map_get(&s->sizes, inst->words[0]) : NULL;
            if (!callee || callee->whole < SMALLEST)
                continue;
            if (u64_map_has(&seen, inst->words[0]))
                return true;
            u64_map_set(s->arena, &seen, inst->words[0], s->lower);
        }
    }
    return false;
}

static bool flatten(const struct share *s, const struct opt_call_order *order)
{
    bool changed = false;
    for (uint32_t i = 0; i < order->functions.length; i++) {
        if (calls_one_twice(s, order->functions.data[i]))
            changed |= lower_flatten_ifs(s->module, order->functions.data[i], LARGEST_ARM);
    }
    return changed;
}

static bool is_larger(const struct share *s, uint64_t size)
{
    const struct size *kernel = u64_map_get(&s->sizes, s->lower->kernel->def->id);
    return kernel->whole > size;
}

/* One loop more. False: there is no more to do. */
static bool share_more(struct share *s, bool *flat, bool *changed)
{
    struct opt_call_order order = {0};
    if (!measure(s, &order) || !is_larger(s, *flat ? GOAL : ROOM))
        return false;
    if (!*flat) {
        *flat = true;
        s->most_calls = is_larger(s, HUGE) ? MOST_IN_HUGE : MOST_CALLS;
        *changed = flatten(s, &order);
        return true;
    }
    struct group group = best_group(s, &order);
    if (!group.count)
        return false;
    if (share_group(s, &group)) {
        *changed = true;
        s->loops++;
    } else {
        u64_map_set(s->module->arena, &s->refused, group_key(group.block, group.callee), s->lower);
    }
    return true;
}

bool lower_share_calls(struct lower *lower)
{
    struct share s = {.lower = lower, .module = lower->module, .arena = spv_scratch(lower->module)};
    bool changed = false, flat = false, more = lower->target->inlines_calls && !lower_keeps_code(lower);
    for (uint64_t work = 0; more && s.loops < MOST_LOOPS && work < MOST_WORK; work += s.insts) {
        struct arena_mark mark = spv_scratch_begin(lower->module);
        more = share_more(&s, &flat, &changed);
        spv_scratch_end(lower->module, mark);
    }
    if (changed) {
        spv_foreach_function (function, lower->module) {
            if (function->first_block)
                opt_mem2reg(lower->module, function);
        }
    }
    lower->idle = !changed;
    return true;
}
