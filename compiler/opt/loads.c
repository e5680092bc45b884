/* Loads of neighbours in a loop become one load of a vector, in a copy of the loop that runs where the addresses are
 * aligned:
 *
 *     while (i < end) {                    =>      if (!(base & 15)) {
 *         x = a[i]; y = a[i + 1]; ...                  while (i < end) {
 *         i += 4;                                          v = *(float4 *)&a[i]; x = v.x; y = v.y; ...
 *     }                                                    i += 4;
 *                                                      }
 *                                                  }
 *                                                  while (i < end) { ... as it was ... }
 *
 * base is the part of the address that is not known to be a multiple of the vector's size, as a buffer's address or a
 * row's; it is tested once, before the loop. (A test in each iteration took a tenth more time.) A product of matrices,
 * unrolled by four, runs a third faster on NVIDIA's driver. Stores are in stores.c.
 *
 * If some work-items of a subgroup took the copy and others the original, the device would run both loops one after the
 * other. So where the device can vote, the copy runs only if all work-items of the subgroup can take it.
 *
 * Only small loops without inner loops are copied. The original loop starts with the values that the header's phis had
 * when the copy ended, so it continues there, usually with no iteration left; what follows the loop needs no change. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"
#include "compiler/opt/neighbours.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 12, MAX_SIZE = 160, MAX_GROUPS = 8, MAX_LOADS = 16, MAX_RUNS = 8, MAX_DEPTH = 6, WORTH = 32 };

struct loop {
    struct spv_block *before, *latch, *blocks[MAX_BLOCKS]; /* the header first */
    uint32_t num_blocks, size, exit; /* exit: the index of the block with the test, the header or the next one */
};

/* Loads whose addresses differ by constants, with no write between them. */
struct group {
    spv_id start, type; /* of the elements */
    struct neighbour loads[MAX_LOADS];
    uint32_t count;
};

/* Loads that can become one load. */
struct run {
    const struct spv_inst *loads[4], *first; /* by address; the first one in the loop */
    spv_id start, type;
    int64_t offset;
    uint32_t count;
};

struct loads {
    struct spv_module *module;
    struct loop loop;
    struct group groups[MAX_GROUPS];
    struct run runs[MAX_RUNS];
    uint32_t num_groups, num_runs;
    spv_id test; /* a word: the bits that must be 0; 0: none yet */
    spv_id u32, u64;
    spv_id *copies; /* id -> its copy */
    bool votes;
};

/* ---- the loop ---- */

static bool is_test(const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        bool control = inst->op == SpvOpPhi || inst->op == SpvOpLoopMerge || inst == block->insts.last;
        if (!control && !spv_inst_is_pure(inst))
            return false;
    }
    return true;
}

/* Whether inst does nothing that involves other work-items, which may be in the other loop. */
static bool is_plain(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpPhi:
    case SpvOpSelectionMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
        return true;
    default:
        return spv_op_is_line(inst->op) || spv_inst_is_pure(inst);
    }
}

static bool add_block(struct loop *loop, struct spv_block *block)
{
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        if (loop->blocks[i] == block)
            return true;
    }
    if (loop->num_blocks == MAX_BLOCKS)
        return false;
    loop->blocks[loop->num_blocks++] = block;
    return true;
}

/* Collects the blocks from the one after the test on, in the order that they have in the function. They may lead to
 * each other and to the header, nowhere else, and may contain no loop. */
static bool find_body(const struct spv_module *module, struct loop *loop)
{
    uint32_t first = loop->num_blocks, latches = 0;
    struct spv_block *head = loop->blocks[0], *found[MAX_BLOCKS];
    if (!add_block(loop, spv_block_of(module, spv_terminator(loop->blocks[loop->exit])->words[1])))
        return false;
    for (uint32_t i = first; i < loop->num_blocks; i++) {
        const struct spv_inst *end = spv_terminator(loop->blocks[i]), *merge = spv_merge_inst(loop->blocks[i]);
        bool branches = end->op == SpvOpBranchConditional && merge && merge->op == SpvOpSelectionMerge;
        if (end->op != SpvOpBranch && !branches)
            return false;
        for (uint32_t w = branches; w < (branches ? 3u : 1u); w++) {
            struct spv_block *next = spv_block_of(module, end->words[w]);
            latches += next == head;
            if (next == head)
                loop->latch = loop->blocks[i];
            else if (end->words[w] == spv_merge_inst(head)->words[0] || !add_block(loop, next))
                return false;
        }
        spv_foreach_inst (inst, &loop->blocks[i]->insts) {
            if (!is_plain(inst) || ++loop->size > MAX_SIZE)
                return false;
        }
    }
    uint32_t count = 0;
    for (struct spv_block *block = head; block && count < loop->num_blocks; block = block->next) {
        for (uint32_t i = 0; i < loop->num_blocks; i++) {
            if (loop->blocks[i] == block)
                found[count++] = block;
        }
    }
    bool ordered = count == loop->num_blocks && found[loop->exit] == loop->blocks[loop->exit];
    memcpy(loop->blocks, found, count * sizeof(found[0]));
    return latches == 1 && ordered;
}

/* Recognises a loop that is left where a condition is false, in its header or in the block after it. */
static bool find_loop(const struct spv_module *module, struct spv_block *head, struct loop *loop)
{
    const struct spv_inst *merge = spv_merge_inst(head), *end = spv_terminator(head), *phi = head->insts.first;
    if (!merge || merge->op != SpvOpLoopMerge || phi->op != SpvOpPhi || phi->num_words != 4 || !is_test(head))
        return false;
    *loop = (struct loop){.blocks = {head}, .num_blocks = 1};
    if (end->op == SpvOpBranch) {
        struct spv_block *test = spv_block_of(module, end->words[0]);
        loop->exit = 1;
        loop->blocks[loop->num_blocks++] = test;
        end = spv_terminator(test);
        if (test == head || spv_merge_inst(test) || !is_test(test))
            return false;
    }
    if (end->op != SpvOpBranchConditional || end->words[2] != merge->words[0] || !find_body(module, loop))
        return false;
    loop->before = spv_block_of(module, phi->words[phi->words[1] == loop->latch->label->id ? 3 : 1]);
    end = spv_terminator(loop->before);
    return end->op == SpvOpBranch || end->op == SpvOpBranchConditional;
}

/* Puts a block before the loop where a loop begins right behind a condition, or as the first thing of another loop:
 * LLVM needs no block there. */
static void add_before(struct spv_module *module, struct loop *loop)
{
    struct spv_block *head = loop->blocks[0], *from = loop->before;
    struct spv_inst *end = spv_terminator(from), *merge = spv_merge_inst(from);
    bool branches = end->op == SpvOpBranchConditional;
    if (!branches && !merge)
        return;
    struct spv_block *block = spv_block_create(from->function, module, 0);
    spv_block_insert_after(from, block);
    struct spv_builder b = {module, from->function, block, NULL, NULL};
    spv_emitv_void(&b, SpvOpBranch, head->label->id);
    for (uint32_t w = branches; w < (branches ? 3u : 1u); w++)
        end->words[w] = end->words[w] == head->label->id ? block->label->id : end->words[w];
    for (uint32_t w = 0; merge && w < (merge->op == SpvOpLoopMerge ? 2u : 1u); w++)
        merge->words[w] = merge->words[w] == head->label->id ? block->label->id : merge->words[w];
    cfg_rename_phi_pred(module, block, from->label->id, block->label->id);
    loop->before = block;
}

static bool is_inside(const struct loads *l, spv_id id)
{
    const struct spv_block *block = spv_def(l->module, id)->block;
    for (uint32_t i = 0; i < l->loop.num_blocks; i++) {
        if (l->loop.blocks[i] == block)
            return true;
    }
    return false;
}

/* ---- what must be divisible ---- */

/* The first value of a counter of the loop whose step is a multiple of 1 << zeros; 0 where phi is no such counter. */
static spv_id start_of(const struct loads *l, const struct spv_inst *phi, uint32_t zeros)
{
    if (phi->op != SpvOpPhi || phi->block != l->loop.blocks[0] || !spv_type_is_int(l->module, phi->type))
        return 0;
    uint32_t before = phi->words[1] == l->loop.before->label->id ? 0 : 2;
    const struct spv_inst *next = spv_def(l->module, phi->words[2 - before]);
    bool steps = next->op == SpvOpIAdd && next->words[0] == phi->id;
    return steps && opt_zeros_below(l->module, next->words[1]) >= zeros ? phi->words[before] : 0;
}

/* Whether id is a sum of something that is computed before the loop and of multiples of 1 << zeros. */
static bool has_base(const struct loads *l, spv_id id, uint32_t zeros, uint32_t depth)
{
    const struct spv_inst *def = spv_def(l->module, id);
    uint64_t bits;
    if (opt_zeros_below(l->module, id) >= zeros || !is_inside(l, id))
        return true;
    if (depth == MAX_DEPTH)
        return false;
    switch (def->op) {
    case SpvOpIAdd:
        return has_base(l, def->words[0], zeros, depth + 1) && has_base(l, def->words[1], zeros, depth + 1);
    case SpvOpShiftLeftLogical:
        return spv_const_value(l->module, def->words[1], &bits) && bits < zeros &&
               has_base(l, def->words[0], zeros - (uint32_t)bits, depth + 1);
    default:
        return spv_op_is_resize(def->op) ? has_base(l, def->words[0], zeros, depth + 1) : start_of(l, def, zeros) != 0;
    }
}

static spv_id word_of(struct loads *l, struct spv_builder *b, spv_id id)
{
    uint32_t width = spv_type_width(l->module, spv_value_type(l->module, id));
    uint64_t bits;
    if (spv_const_value(l->module, id, &bits))
        return spv_const_u32(l->module, (uint32_t)bits);
    return width == 32 ? id : spv_emitv(b, SpvOpUConvert, l->u32, id);
}

/* Emits the lower word of the part of id that is computed before the loop. 0: there is none, id is a multiple of 1 <<
 * zeros. */
static spv_id emit_base(struct loads *l, struct spv_builder *b, spv_id id, uint32_t zeros)
{
    const struct spv_inst *def = spv_def(l->module, id);
    if (opt_zeros_below(l->module, id) >= zeros)
        return 0;
    if (!is_inside(l, id))
        return word_of(l, b, id);
    uint64_t bits = 0;
    spv_id first = start_of(l, def, zeros);
    if (first)
        return emit_base(l, b, first, zeros);
    if (def->op == SpvOpIAdd) {
        spv_id one = emit_base(l, b, def->words[0], zeros), other = emit_base(l, b, def->words[1], zeros);
        return one && other ? spv_emitv(b, SpvOpIAdd, l->u32, one, other) : one ? one : other;
    }
    if (def->op == SpvOpShiftLeftLogical)
        spv_const_value(l->module, def->words[1], &bits);
    spv_id inner = emit_base(l, b, def->words[0], zeros - (uint32_t)bits);
    return inner && bits ? spv_emitv(b, SpvOpShiftLeftLogical, l->u32, inner, spv_const_u32(l->module, (uint32_t)bits))
                         : inner;
}

/* ---- which loads ---- */

static bool take_run(struct loads *l, const struct group *group, const struct neighbour *loads, uint32_t count,
                     uint32_t size)
{
    uint32_t zeros = (uint32_t)__builtin_ctz(count * size), first = 0;
    if (l->num_runs == MAX_RUNS || !are_neighbours(loads, count, size) || !has_base(l, group->start, zeros, 0))
        return false;
    struct run *run = &l->runs[l->num_runs++];
    *run = (struct run){.start = group->start, .type = group->type, .offset = loads[0].offset, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        run->loads[i] = loads[i].inst;
        first = loads[i].order < loads[first].order ? i : first;
    }
    run->first = loads[first].inst;
    return true;
}

static void combine_group(struct loads *l, struct group *group)
{
    uint32_t size = neighbour_size(l->module, group->type), taken;
    uint32_t most = 4 / spv_type_count(l->module, group->type);
    qsort(group->loads, group->count, sizeof(struct neighbour), neighbours_by_offset);
    for (uint32_t i = 0; i < group->count; i += taken) {
        taken = 1;
        for (uint32_t count = size == 8 ? 2 : most; count >= (size < 4 ? most : 2) && taken == 1; count /= 2) {
            if (i + count <= group->count && take_run(l, group, &group->loads[i], count, size))
                taken = count;
        }
    }
    group->count = 0;
}

static void combine_groups(struct loads *l)
{
    for (uint32_t i = 0; i < l->num_groups; i++)
        combine_group(l, &l->groups[i]);
    l->num_groups = 0;
}

/* The size of what a plain load of a number by its address loads; 0 where inst is no such load. */
static uint32_t plain_size(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_inst *pointer = spv_def(module, inst->words[0]);
    if (!spv_type_is_int(module, inst->type) && !spv_type_is_float(module, inst->type))
        return 0;
    uint32_t size = neighbour_size(module, inst->type);
    bool plain = inst->num_words == 3 && inst->words[1] == SpvMemoryAccessAlignedMask && inst->words[2] >= size;
    bool small = size <= 8 && spv_type_count(module, inst->type) <= 2;
    return plain && small && pointer->block && pointer->op == SpvOpConvertUToPtr ? size : 0;
}

static void add_load(struct loads *l, struct spv_inst *inst, uint32_t order)
{
    struct spv_module *module = l->module;
    uint32_t size = plain_size(module, inst), i = 0;
    if (!size)
        return;
    int64_t offset;
    spv_id address = spv_def(module, inst->words[0])->words[0], start = neighbour_start(module, address, &offset);
    while (i < l->num_groups && (l->groups[i].start != start || l->groups[i].type != inst->type))
        i++;
    if (i == MAX_GROUPS)
        return;
    struct group *group = &l->groups[i];
    if (i == l->num_groups)
        l->groups[l->num_groups++] = (struct group){.start = start, .type = inst->type};
    if (group->count < MAX_LOADS)
        group->loads[group->count++] = (struct neighbour){inst, address, offset, order};
}

static void find_runs(struct loads *l)
{
    l->num_groups = l->num_runs = 0;
    for (uint32_t i = l->loop.exit + 1; i < l->loop.num_blocks; i++) {
        uint32_t order = 0;
        spv_foreach_inst (inst, &l->loop.blocks[i]->insts) {
            if (inst->op == SpvOpLoad && is_global_pointer(l->module, inst->words[0]))
                add_load(l, inst, order++);
            else if (inst->op != SpvOpLoad && inst->op != SpvOpLine && inst->op != SpvOpNoLine &&
                     !spv_inst_is_pure(inst))
                combine_groups(l); /* the block's terminator among them */
        }
    }
}

/* Whether enough loads are saved, one for every so many instructions of the loop. */
static bool is_worth_it(const struct loads *l)
{
    uint32_t saved = 0;
    for (uint32_t i = 0; i < l->num_runs; i++)
        saved += l->runs[i].count - 1;
    return saved * WORTH > l->loop.size;
}

/* ---- the copy ---- */

static void copy_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    const struct loads *l = data;
    (void)inst;
    if (l->copies[*word])
        *word = l->copies[*word];
}

static void copy_annotations(struct spv_module *module, const struct spv_inst *from, spv_id to)
{
    for (const struct spv_inst *d = spv_decorations(module, from->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate)
            spv_decorate(module, to, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
}

static void copy_block(struct loads *l, const struct spv_block *block, struct spv_block *to)
{
    struct spv_builder b = {l->module, block->function, to, NULL, NULL};
    spv_foreach_inst (inst, &block->insts) {
        spv_id id = inst->id ? l->copies[inst->id] : 0;
        struct spv_inst *copy =
            spv_inst_create(l->module, (SpvOp)inst->op, inst->type, id, inst->num_words, inst->words);
        if (!spv_row_of_scopes(inst)) /* the copy is run before the loop */
            copy->hints = inst->hints;
        spv_visit_operand_ids(copy, copy_word, l);
        spv_inst_insert(&b, copy);
        if (id)
            copy_annotations(l->module, inst, id);
    }
}

/* Copies the loop, and adds the block between the copy and the original. */
static struct spv_block *copy_loop(struct loads *l)
{
    struct spv_module *module = l->module;
    struct loop *loop = &l->loop;
    struct spv_block *head = loop->blocks[0], *copies[MAX_BLOCKS], *last = loop->before;
    struct spv_function *function = head->function;
    for (uint32_t i = 0; i < loop->num_blocks; i++) {
        copies[i] = spv_block_create(function, module, 0);
        spv_block_insert_after(last, copies[i]);
        last = copies[i];
        l->copies[loop->blocks[i]->label->id] = copies[i]->label->id;
        spv_foreach_inst (inst, &loop->blocks[i]->insts) {
            if (inst->id)
                l->copies[inst->id] = spv_new_id(module);
        }
    }
    struct spv_block *after = spv_block_create(function, module, 0), *join = spv_block_create(function, module, 0);
    spv_block_insert_after(last, after);
    spv_block_insert_after(after, join);
    l->copies[spv_merge_inst(head)->words[0]] = after->label->id;
    for (uint32_t i = 0; i < loop->num_blocks; i++)
        copy_block(l, loop->blocks[i], copies[i]);
    struct spv_builder b = {module, function, after, NULL, NULL}, j = {module, function, join, NULL, NULL};
    spv_emitv_void(&b, SpvOpBranch, join->label->id);
    spv_emitv_void(&j, SpvOpBranch, head->label->id);
    return join;
}

/* Makes the original loop start with the values that the copy ended with. */
static void start_loop(struct loads *l, struct spv_block *join)
{
    struct spv_module *module = l->module;
    struct spv_block *head = l->loop.blocks[0];
    spv_id before = l->loop.before->label->id, after = l->copies[spv_merge_inst(head)->words[0]];
    struct spv_builder b = {module, head->function, join, spv_terminator(join), NULL};
    spv_foreach_inst (phi, &head->insts) {
        for (uint32_t w = 0; phi->op == SpvOpPhi && w < phi->num_words; w += 2) {
            if (phi->words[w + 1] != before)
                continue;
            phi->words[w] = spv_emitv(&b, SpvOpPhi, phi->type, phi->words[w], before, l->copies[phi->id], after);
            phi->words[w + 1] = join->label->id;
        }
    }
}

static void enter_copy(struct loads *l, const struct spv_block *join)
{
    struct spv_module *module = l->module;
    struct spv_block *head = l->loop.blocks[0], *before = l->loop.before;
    struct spv_builder b = {module, head->function, before, spv_terminator(before), NULL};
    spv_id boolean = spv_type_bool(module);
    spv_id aligned = spv_emitv(&b, SpvOpIEqual, boolean, l->test, spv_const_u32(module, 0));
    if (l->votes)
        aligned = spv_emitv(&b, SpvOpGroupNonUniformAll, boolean, spv_const_u32(module, SpvScopeSubgroup), aligned);
    spv_inst_remove(module, spv_terminator(before));
    b.before = NULL;
    spv_emitv_void(&b, SpvOpSelectionMerge, join->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(&b, SpvOpBranchConditional, aligned, l->copies[head->label->id], join->label->id);
}

/* ---- its loads ---- */

/* Emits, before the loop, the bits of the run's address that have to be 0. */
static void add_test(struct loads *l, const struct run *run)
{
    uint32_t whole = run->count * neighbour_size(l->module, run->type);
    struct spv_builder b = {l->module, l->loop.before->function, l->loop.before, spv_terminator(l->loop.before), NULL};
    spv_id base = emit_base(l, &b, run->start, (uint32_t)__builtin_ctz(whole));
    if (!base)
        base = spv_const_u32(l->module, 0);
    spv_id bits = spv_emitv(&b, SpvOpBitwiseAnd, l->u32, base, spv_const_u32(l->module, whole - 1));
    l->test = l->test ? spv_emitv(&b, SpvOpBitwiseOr, l->u32, l->test, bits) : bits;
}

/* Loads the vector. Bytes and 16-bit parts are loaded as the words that they fill. */
static spv_id load_whole(struct loads *l, struct spv_builder *b, spv_id address, spv_id type)
{
    uint32_t size = neighbour_size(l->module, type);
    bool narrow = spv_type_width(l->module, type) < 32;
    spv_id words = !narrow ? type : size == 4 ? l->u32 : spv_type_vector(l->module, l->u32, size / 4);
    spv_id pointer = spv_emitv(b, SpvOpConvertUToPtr,
                               spv_type_pointer(l->module, SpvStorageClassPhysicalStorageBuffer, words), address);
    spv_id value = spv_emitv(b, SpvOpLoad, words, pointer, SpvMemoryAccessAlignedMask, size);
    return narrow ? spv_emitv(b, SpvOpBitcast, type, value) : value;
}

static void load_run(struct loads *l, const struct run *run)
{
    struct spv_module *module = l->module;
    struct spv_inst *first = spv_def(module, l->copies[run->first->id]);
    struct spv_builder at = {module, first->block->function, first->block, first, NULL};
    uint32_t each = spv_type_count(module, run->type);
    spv_id address = l->copies[run->start] ? l->copies[run->start] : run->start;
    if (run->offset)
        address = spv_emitv(&at, SpvOpIAdd, l->u64, address, spv_const_u64(module, (uint64_t)run->offset));
    spv_id type = spv_type_vector(module, spv_type_component(module, run->type), run->count * each);
    spv_id value = load_whole(l, &at, address, type);
    for (uint32_t i = 0; i < run->count; i++) {
        struct spv_inst *load = spv_def(module, l->copies[run->loads[i]->id]);
        load->op = each == 1 ? SpvOpCompositeExtract : SpvOpVectorShuffle;
        if (each == 1)
            spv_inst_set_words(module, load, 2, (const uint32_t[]){value, i});
        else
            spv_inst_set_words(module, load, 4, (const uint32_t[]){value, value, i * each, i * each + 1});
    }
}

/* ---- the pass ---- */

static bool widen_loads(struct spv_module *module, struct spv_function *function, bool votes)
{
    struct loads l = {
        .module = module, .votes = votes, .u32 = spv_type_int(module, 32), .u64 = spv_type_int(module, 64)};
    bool changed = false;
    for (struct spv_block *block = function->first_block, *next; block; block = next) {
        next = block->next;
        if (!find_loop(module, block, &l.loop))
            continue;
        find_runs(&l);
        if (!is_worth_it(&l))
            continue;
        add_before(module, &l.loop);
        l.test = 0;
        l.copies = spv_borrow_table(module, spv_id);
        for (uint32_t i = 0; i < l.num_runs; i++)
            add_test(&l, &l.runs[i]);
        struct spv_block *join = copy_loop(&l);
        start_loop(&l, join);
        enter_copy(&l, join);
        for (uint32_t i = 0; i < l.num_runs; i++)
            load_run(&l, &l.runs[i]);
        spv_give_back(module, l.copies);
        changed = true;
    }
    return changed;
}

bool opt_loads(struct spv_module *module, struct spv_function *function)
{
    return widen_loads(module, function, false);
}

bool opt_loads_voting(struct spv_module *module, struct spv_function *function)
{
    return widen_loads(module, function, true);
}
