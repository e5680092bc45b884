/* Neighbours in local memory are loaded as vectors:
 *
 *     %p0 = OpAccessChain %float_ptr %a %i           =>    %w = OpAccessChain %float4_ptr %vectors %0 (%i >> 2)
 *     %x0 = OpLoad %float %p0                              %x = OpLoad %float4 %w
 *     %p1 = OpAccessChain %float_ptr %a (%i + 1)           %x0 = OpCompositeExtract %float %x 0 ...
 *     %x1 = OpLoad %float %p1 ...
 *
 * where %i is known to be a multiple of 4 (or 2), as constants are in the inner loop of a matrix product, which reads
 * as many numbers of local memory as it multiplies. A vector takes one instruction and one turn of the memory where its
 * components take four. Drivers see variables whose place they choose themselves, and combine nothing.
 *
 * All local variables then become blocks with an explicit layout (VK_KHR_workgroup_memory_explicit_layout), each at an
 * offset of its own, and a variable that is read as vectors is declared once more as an array of vectors at the same
 * place. The pass comes last of those that change addresses. It looks at loads of one block with nothing between them
 * that might write local memory. */
#include "compiler/lower/memory/passes.h"
#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/opt.h"

#include "base/util.h"

#include <stdlib.h>

enum { MAX_LOADS = 512, MAX_SHARED = 64, ALIGN = 16, LEAST_WIDE = 2 };

/* A local variable: an array of 32-bit numbers, or of anything else that is only given a place. */
struct shared {
    struct spv_inst *variable;
    spv_id element, length, block, vectors[2]; /* block: it, with an offset; vectors: the same as pairs and fours */
    uint32_t size, offset;                     /* bytes */
    bool fixed;                                /* the length is a plain constant */
};

struct element {
    struct spv_inst *load;
    spv_id variable, base; /* base 0: index is all there is */
    int64_t index;
};

struct wide {
    struct lower *lower;
    struct spv_module *module;
    struct element loads[MAX_LOADS];
    uint32_t num_loads;
    VEC(struct element) found; /* all loads of the vectors to be, one vector after the other */
    VEC(uint32_t) counts;      /* how many each of them has */
    struct shared shared[MAX_SHARED];
    uint32_t num_shared, num_blocks;
};

static bool is_local(const struct spv_module *module, spv_id pointer)
{
    return spv_pointer_storage(module, spv_value_type(module, pointer)) == SpvStorageClassWorkgroup;
}

/* ---- which loads ---- */

static bool find_element(const struct wide *w, struct spv_inst *load, struct element *element)
{
    const struct spv_inst *chain = spv_def(w->module, load->words[0]);
    if (load->op != SpvOpLoad || load->num_words != 1 || !chain->block || chain->op != SpvOpAccessChain ||
        chain->num_words != 2 || !is_local(w->module, chain->id) || spv_type_is_vector(w->module, load->type) ||
        spv_type_width(w->module, load->type) != 32)
        return false;
    const struct spv_inst *variable = spv_def(w->module, chain->words[0]), *index;
    uint64_t bits;
    if (variable->op != SpvOpVariable)
        return false;
    *element = (struct element){load, variable->id, chain->words[1], 0};
    if (spv_const_value(w->module, element->base, &bits)) {
        element->index = (int64_t)bits;
        element->base = 0;
        return true;
    }
    index = spv_def(w->module, element->base);
    if (index->block && index->op == SpvOpIAdd && spv_type_width(w->module, index->type) == 32 &&
        spv_const_value(w->module, index->words[1], &bits)) {
        element->base = index->words[0];
        element->index = (int32_t)bits;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct element *one = a, *two = b;
    if (one->variable != two->variable)
        return one->variable < two->variable ? -1 : 1;
    if (one->base != two->base)
        return one->base < two->base ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

/* How many of the elements from at on, sorted, are one vector; 1: none. */
static uint32_t vector_at(const struct wide *w, uint32_t at, uint32_t zeros)
{
    for (uint32_t count = 4; count > 1; count /= 2) {
        const struct element *first = &w->loads[at];
        bool fits =
            at + count <= w->num_loads && first->index % count == 0 && first->index >= 0 && count <= 1u << zeros;
        for (uint32_t i = 1; i < count && fits; i++)
            fits = first[i].variable == first->variable && first[i].base == first->base &&
                   first[i].load->type == first->load->type && first[i].index == first->index + (int64_t)i;
        if (fits)
            return count;
    }
    return 1;
}

/* Looks for vectors among the loads since something wrote local memory. */
static void close_loads(struct wide *w)
{
    if (w->num_loads > 1)
        qsort(w->loads, w->num_loads, sizeof(w->loads[0]), by_place);
    for (uint32_t i = 0, count; i + 1 < w->num_loads; i += count) {
        uint32_t zeros = w->loads[i].base ? opt_zeros_below(w->module, w->loads[i].base) : 2;
        count = vector_at(w, i, zeros < 2 ? zeros : 2);
        if (count == 1)
            continue;
        for (uint32_t k = 0; k < count; k++)
            vec_push(spv_scratch(w->module), &w->found, w->loads[i + k]);
        vec_push(spv_scratch(w->module), &w->counts, count);
    }
    w->num_loads = 0;
}

static bool may_write_local(const struct wide *w, const struct spv_inst *inst)
{
    if (inst->op == SpvOpStore)
        return is_local(w->module, inst->words[0]);
    return inst->op == SpvOpFunctionCall || inst->op == SpvOpControlBarrier || inst->op == SpvOpMemoryBarrier ||
           inst->op == SpvOpCopyMemory || spv_op_is_atomic(inst->op) ||
           (!spv_inst_is_pure(inst) && inst->op != SpvOpLoad);
}

static void look_at(struct wide *w, struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        struct element element;
        if (inst->op == SpvOpLoad && find_element(w, inst, &element)) {
            if (w->num_loads == MAX_LOADS)
                close_loads(w);
            w->loads[w->num_loads++] = element;
        } else if (inst->op != SpvOpLoad && may_write_local(w, inst)) {
            close_loads(w);
        }
    }
    close_loads(w);
}

/* ---- the layout ---- */

static bool describe(struct wide *w, struct spv_inst *variable)
{
    spv_id type = spv_pointer_pointee(w->module, variable->type);
    const struct spv_inst *array = spv_def(w->module, type);
    uint64_t length;
    if (array->op != SpvOpTypeArray || w->num_shared == MAX_SHARED || variable->num_words > 1)
        return false;
    struct shared *shared = &w->shared[w->num_shared++];
    *shared = (struct shared){.variable = variable, .element = array->words[0], .length = array->words[1]};
    uint32_t count = spv_type_count(w->module, shared->element), width = spv_type_width(w->module, shared->element);
    bool number = spv_type_is_int(w->module, shared->element) || spv_type_is_float(w->module, shared->element);
    shared->fixed =
        spv_const_value(w->module, shared->length, &length) && spv_def(w->module, shared->length)->op == SpvOpConstant;
    shared->size = number ? count * width / 8 : 0;
    const struct clc_target *target = w->lower->target;
    bool allowed = width == 8 ? target->explicit_layout8 : width != 16 || target->explicit_layout16;
    return number && count != 3 && allowed;
}

struct uses {
    const struct wide *w;
    bool plain;
};

static void check_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct uses *uses = data;
    const struct spv_inst *def = spv_def(uses->w->module, *word);
    if (def && def->op == SpvOpVariable && is_local(uses->w->module, *word))
        uses->plain &= inst->op == SpvOpAccessChain && word == inst->words && inst->num_words > 1;
}

/* Whether all local memory can be given a layout: arrays of numbers that are only indexed. */
static bool can_lay_out(struct wide *w)
{
    struct uses uses = {w, true};
    spv_foreach_inst (inst, &w->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable && is_local(w->module, inst->id) && !describe(w, inst))
            return false;
    }
    spv_foreach_function (function, w->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, check_use, &uses);
        }
    }
    return uses.plain;
}

/* The variable whose length is known at the launch only comes last. False: it would not fit, or gaps would move that
 * variable behind the place from which the launch counts. */
static bool place(struct wide *w)
{
    uint64_t at = 0, least = 0;
    uint32_t open = 0;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < w->num_shared; i++) {
            struct shared *shared = &w->shared[i];
            uint64_t length = 0;
            if (shared->fixed == (turn == 1))
                continue;
            at = align_up(at, ALIGN);
            shared->offset = (uint32_t)at;
            open += shared->fixed ? 0 : at > w->lower->out->local_args_offset ? 2 : 1;
            spv_const_value(w->module, shared->length, &length);
            at += shared->fixed ? length * shared->size : 0;
            least += shared->fixed ? length * shared->size : 0;
        }
    }
    uint32_t limit = w->lower->target->local_memory_size;
    return open <= 1 && at <= UINT32_MAX / 4 && (at == least || !limit || at <= limit);
}

static struct shared *shared_of(struct wide *w, spv_id variable)
{
    for (uint32_t i = 0; i < w->num_shared; i++) {
        if (w->shared[i].variable->id == variable)
            return &w->shared[i];
    }
    return NULL;
}

static spv_id spec_op(struct wide *w, SpvOp op, spv_id left, uint32_t right)
{
    const uint32_t words[] = {op, left, spv_const_u32(w->module, right)};
    return spv_const_inst(w->module, SpvOpSpecConstantOp, spv_type_int(w->module, 32), 3, words);
}

/* A block with the variable's elements, count of them in a vector. The array's length, rounded up, is an expression
 * with a number of its own, so that the types are nobody else's and can be decorated. */
static spv_id make_block(struct wide *w, const struct shared *shared, uint32_t count)
{
    struct spv_module *module = w->module;
    uint32_t number = ALIGN + w->num_blocks++, stride = shared->size * count;
    spv_id length = spec_op(w, SpvOpISub, spec_op(w, SpvOpIAdd, shared->length, number), number - (count - 1));
    if (count > 1)
        length = spec_op(w, SpvOpUDiv, length, count);
    spv_id element = count > 1 ? spv_type_vector(module, shared->element, count) : shared->element;
    spv_id array = spv_type(module, SpvOpTypeArray, 2, (const uint32_t[]){element, length});
    spv_decorate(module, array, SpvDecorationArrayStride, 1, &stride);
    spv_id block = spv_type_struct(module, 1, &array);
    spv_decorate(module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(module, block, 0, SpvDecorationOffset, 1, &shared->offset);
    spv_id variable = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassWorkgroup, block),
                                          SpvStorageClassWorkgroup, 0);
    spv_decorate(module, variable, SpvDecorationAliased, 0, NULL);
    return variable;
}

static spv_id vectors_of(struct wide *w, struct shared *shared, uint32_t count)
{
    spv_id *slot = &shared->vectors[count == 4];
    if (!*slot)
        *slot = make_block(w, shared, count);
    return *slot;
}

/* ---- the change ---- */

/* base / count, where base is a multiple of it. A base may be below zero where what is added to it is not: the sign
 * stays, so that base / count + index / count is the element that base + index is in. */
static spv_id divide(struct spv_builder *b, spv_id base, uint32_t count)
{
    return spv_emitv(b, SpvOpShiftRightArithmetic, spv_value_type(b->module, base), base,
                     spv_const_u32(b->module, count == 4 ? 2 : 1));
}

static bool comes_before(const struct spv_inst *one, const struct spv_inst *two)
{
    while (one && one != two)
        one = one->next;
    return one != NULL;
}

static void change(struct wide *w, const struct element *elements, uint32_t count)
{
    struct shared *shared = shared_of(w, elements[0].variable);
    struct spv_inst *first = elements[0].load;
    for (uint32_t i = 1; i < count; i++)
        first = comes_before(elements[i].load, first) ? elements[i].load : first;
    struct spv_builder b = {w->module, first->block->function, first->block, first, NULL};
    spv_id vector = spv_type_vector(w->module, elements[0].load->type, count), zero = spv_const_u32(w->module, 0);
    spv_id index = spv_const_u32(w->module, (uint32_t)(elements[0].index / count));
    if (elements[0].base) {
        spv_id start = divide(&b, elements[0].base, count);
        index = elements[0].index ? spv_emitv(&b, SpvOpIAdd, spv_type_int(w->module, 32), start, index) : start;
    }
    spv_id pointer = spv_emitv(&b, SpvOpAccessChain, spv_type_pointer(w->module, SpvStorageClassWorkgroup, vector),
                               vectors_of(w, shared, count), zero, index);
    spv_id value = spv_emitv(&b, SpvOpLoad, vector, pointer);
    for (uint32_t i = 0; i < count; i++) {
        elements[i].load->op = SpvOpCompositeExtract;
        spv_inst_set_words(w->module, elements[i].load, 2, (const uint32_t[]){value, i});
    }
}

static void move_chain(struct wide *w, struct spv_inst *chain)
{
    struct shared *shared = shared_of(w, chain->words[0]);
    if (!shared)
        return;
    uint32_t *words = arena_array(spv_scratch(w->module), uint32_t, chain->num_words + 1u);
    words[0] = shared->block;
    words[1] = spv_const_u32(w->module, 0);
    for (uint32_t i = 1; i < chain->num_words; i++)
        words[i + 1] = chain->words[i];
    spv_inst_set_words(w->module, chain, chain->num_words + 1u, words);
}

static void lay_out(struct wide *w)
{
    for (uint32_t i = 0; i < w->num_shared; i++) {
        struct shared *shared = &w->shared[i];
        shared->block = make_block(w, shared, 1);
    }
    spv_foreach_function (function, w->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpAccessChain)
                    move_chain(w, inst);
            }
        }
    }
    for (uint32_t i = 0; i < w->num_shared; i++)
        spv_inst_remove(w->module, w->shared[i].variable);
}

static bool is_in_loop(const struct spv_module *module, const struct spv_inst *inst)
{
    struct spv_cfg cfg;
    struct cfg_loops loops;
    struct arena_mark mark = spv_scratch_begin(module);
    spv_cfg_keep(module, inst->block->function, &cfg);
    bool any = cfg_has_loops(&cfg);
    if (any)
        cfg_find_loops(spv_scratch(module), &cfg, &loops);
    bool inside = any && inst->block->index < cfg.count && loops.loop[inst->block->index] != CFG_NO_LOOP;
    spv_scratch_end(module, mark);
    return inside;
}

/* A layout takes more than one vector to be worth it, unless a loop loads that one. */
static bool is_worth_it(const struct wide *w)
{
    return w->counts.length >= LEAST_WIDE || (w->counts.length == 1 && is_in_loop(w->module, w->found.data[0].load));
}

static bool run(struct wide *w)
{
    spv_foreach_function (function, w->module) {
        spv_foreach_block (block, function)
            look_at(w, block);
    }
    if (!is_worth_it(w) || !can_lay_out(w) || !place(w))
        return false;
    for (uint32_t i = 0, at = 0; i < w->counts.length; at += w->counts.data[i++])
        change(w, &w->found.data[at], w->counts.data[i]);
    lay_out(w);
    return true;
}

bool lower_wide(struct lower *lower)
{
    struct wide *w = arena_new(spv_scratch(lower->module), struct wide);
    w->lower = lower;
    w->module = lower->module;
    lower->idle = !lower->target->explicit_layout || lower_keeps_code(lower) || !run(w);
    return true;
}
