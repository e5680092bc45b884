/* Writing the binary. Ids are renumbered densely in order of definition, so that a module that went through many passes
 * comes out as small as a fresh one, and equal modules give equal binaries. */
#include "cfg.h"
#include "grammar.h"

#include <assert.h>
#include <string.h>

/* ---- order of the global section ----
 *
 * SPIR-V 1.6, 2.4: in the section of types, constants and global variables "all operands must be declared before being
 * used". Passes append freely and replace operands, so the order is mended here: a depth-first walk that moves each
 * instruction behind its operands. The order stays as it is where it was right. OpLine stays with what follows it. */

struct sort_frame {
    struct spv_inst *inst;
    uint32_t operand; /* the next operand word to look at */
};

struct sort {
    struct spv_module *module;
    VEC(struct sort_frame) stack;
    VEC(uint32_t) ids; /* operands of the instructions on the stack */
};

enum { UNSEEN, OPEN, PLACED };

static void collect_id(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct sort *sort = data;
    (void)inst;
    vec_push(sort->module->arena, &sort->ids, *word);
}

static bool in_order(struct spv_module *module, uint8_t *state, struct sort *sort)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        sort->ids.length = 0;
        if (inst->type)
            vec_push(module->arena, &sort->ids, inst->type);
        if (inst->op != SpvOpTypeForwardPointer)
            spv_visit_operand_ids(inst, collect_id, sort);
        for (uint32_t i = 0; i < sort->ids.length; i++) {
            const struct spv_inst *def = spv_def(module, sort->ids.data[i]);
            if (def && !def->block && spv_section_of(def->op) == SPV_SECTION_GLOBAL && state[def->id] == UNSEEN)
                return false;
        }
        if (inst->op == SpvOpTypeForwardPointer)
            state[inst->words[0]] = PLACED;
        if (inst->id)
            state[inst->id] = PLACED;
    }
    return true;
}

/* Places what root needs, then root. A cycle (through a forward pointer) is cut where it closes. */
static void place(struct sort *sort, uint8_t *state, struct spv_inst *root, struct spv_list *out)
{
    struct spv_module *module = sort->module;
    vec_push(module->arena, &sort->stack, (struct sort_frame){root, sort->ids.length});
    if (root->type)
        vec_push(module->arena, &sort->ids, root->type);
    spv_visit_operand_ids(root, collect_id, sort);
    if (root->id)
        state[root->id] = OPEN;
    uint32_t base = sort->stack.data[0].operand;
    while (sort->stack.length) {
        struct sort_frame *top = &vec_last(&sort->stack);
        if (top->operand == sort->ids.length) {
            struct spv_inst *inst = vec_pop(&sort->stack).inst;
            if (inst->id)
                state[inst->id] = PLACED;
            inst->prev = inst->next = NULL;
            spv_list_append(out, inst);
            continue;
        }
        struct spv_inst *def = spv_def(module, vec_pop(&sort->ids));
        if (!def || def->block || spv_section_of(def->op) != SPV_SECTION_GLOBAL || state[def->id] != UNSEEN)
            continue;
        state[def->id] = OPEN;
        vec_push(module->arena, &sort->stack, (struct sort_frame){def, sort->ids.length});
        if (def->type)
            vec_push(module->arena, &sort->ids, def->type);
        spv_visit_operand_ids(def, collect_id, sort);
    }
    sort->ids.length = base;
}

static void sort_globals(struct spv_module *module)
{
    struct sort sort = {.module = module};
    uint8_t *state = arena_array(module->arena, uint8_t, module->bound);
    if (in_order(module, state, &sort))
        return;
    memset(state, UNSEEN, module->bound);
    sort.ids.length = 0;
    struct spv_list out = {NULL, NULL};
    VEC(struct spv_inst *) insts = {0};
    spv_foreach_inst (each, &module->sections[SPV_SECTION_GLOBAL])
        vec_push(module->arena, &insts, each);
    /* forward pointers first: they cut the cycles */
    for (uint32_t i = 0; i < insts.length; i++) {
        struct spv_inst *inst = insts.data[i];
        inst->prev = inst->next = NULL;
        if (inst->op == SpvOpTypeForwardPointer)
            spv_list_append(&out, inst);
    }
    for (uint32_t i = 0; i < insts.length; i++) {
        struct spv_inst *inst = insts.data[i];
        if (inst->id && state[inst->id] == UNSEEN)
            place(&sort, state, inst, &out);
        else if (!inst->id && inst->op != SpvOpTypeForwardPointer)
            spv_list_append(&out, inst);
    }
    module->sections[SPV_SECTION_GLOBAL] = out;
}

/* ---- order of blocks ---- */

/* Whether each block has a predecessor before it. Then its dominators are before it, too: they are that predecessor, or
 * dominate it. reached: by id, 0 for the labels of this function. */
static bool is_in_order(const struct spv_function *function, uint8_t *reached)
{
    spv_foreach_block (block, function) {
        if (block != function->first_block && !reached[block->label->id])
            return false;
        struct spv_targets targets = spv_targets(block);
        for (uint32_t i = 0; i < targets.count; i++)
            reached[targets.first[i * targets.step]] = true;
    }
    return true;
}

/* SPIR-V 1.6, 2.4: "a block must appear before all blocks it dominates". LLVM's translator breaks that rule, and passes
 * append blocks where it is easy for them; so it is mended here, by reverse post-order, and only where it is broken. */
static void sort_blocks(struct spv_module *module, struct spv_function *function, uint8_t *reached)
{
    if (!function->first_block || is_in_order(function, reached))
        return;
    struct arena_mark mark = arena_mark(module->arena);
    struct spv_cfg cfg;
    spv_cfg_compute(module->arena, module, function, &cfg);
    bool *seen = arena_array(module->arena, bool, cfg.count), ordered = true;
    spv_foreach_block (block, function) {
        if (block->index == SPV_UNREACHABLE)
            continue;
        ordered = ordered && (!block->index || seen[cfg.idom[block->index]]);
        seen[block->index] = true;
    }
    struct spv_block *last = NULL;
    for (uint32_t i = 0; !ordered && i < cfg.count; i++) {
        spv_block_unlink(cfg.blocks[i]);
        if (last)
            spv_block_insert_after(last, cfg.blocks[i]);
        else
            spv_block_prepend(function, cfg.blocks[i]);
        last = cfg.blocks[i];
    }
    arena_rewind(module->arena, mark);
}

/* ---- the binary ---- */

struct writer {
    struct spv_module *module;
    uint32_t *words, *at; /* the first, and the next; there is room for all */
    uint32_t *new_ids;
    uint32_t bound;
};

static inline uint32_t new_id(struct writer *writer, spv_id old)
{
    assert(old < writer->module->bound);
    uint32_t *id = &writer->new_ids[old];
    if (!*id)
        *id = writer->bound++;
    return *id;
}

static void renumber(void *data, struct spv_inst *inst, uint32_t *word)
{
    (void)inst;
    *word = new_id(data, *word);
}

static void write_by_grammar(struct writer *writer, const struct spv_inst *inst, uint32_t *at)
{
    if (!inst->num_words)
        return;
    memcpy(at, inst->words, inst->num_words * sizeof(*at));
    struct spv_inst copy = *inst;
    copy.words = at;
    spv_visit_by_grammar(&copy, renumber, writer);
}

static void write_inst(struct writer *writer, const struct spv_inst *inst)
{
    uint32_t *at = writer->at, *start = at++;
    if (inst->type)
        *at++ = new_id(writer, inst->type);
    if (inst->id)
        *at++ = new_id(writer, inst->id);
    uint32_t ids, count = inst->num_words;
    const uint32_t *words = inst->words;
    writer->at = at + count;
    *start = (uint32_t)(writer->at - start) << 16 | inst->op;
    if (!spv_leading_ids(inst, &ids)) {
        write_by_grammar(writer, inst, at);
        return;
    }
    for (uint32_t i = 0; i < ids; i++)
        at[i] = new_id(writer, words[i]);
    for (uint32_t i = ids; i < count; i++)
        at[i] = words[i];
}

static void write_function(struct writer *writer, const struct spv_function *function)
{
    write_inst(writer, function->def);
    for (uint32_t i = 0; i < function->params.length; i++)
        write_inst(writer, function->params.data[i]);
    spv_foreach_block (block, function) {
        write_inst(writer, block->label);
        spv_foreach_inst (inst, &block->insts)
            write_inst(writer, inst);
    }
    write_inst(writer, &(struct spv_inst){.op = SpvOpFunctionEnd});
}

/* Names and decorations of ids that no longer exist. */
static bool is_stale(const struct spv_module *module, const struct spv_inst *inst)
{
    return (spv_op_is_name(inst->op) || spv_op_is_decoration(inst->op)) && !spv_def(module, inst->words[0]);
}

static void write_hints(struct writer *writer)
{
    spv_foreach_function (function, writer->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t words[] = {inst->id, spv_hinted_decoration(inst)};
                if (words[1] != SpvDecorationMax)
                    write_inst(writer, &(struct spv_inst){.op = SpvOpDecorate, .num_words = 2, .words = words});
            }
        }
    }
}

static size_t words_of(const struct spv_inst *inst)
{
    return inst->num_words + (size_t)3; /* the opcode, type and result */
}

struct survey {
    size_t most; /* words: growing the text would leave as much behind as it is long */
    bool wraps, contracts;
};

static void survey_function(struct survey *survey, const struct spv_function *function)
{
    size_t most = words_of(function->def) + 3 + (size_t)3 * function->params.length;
    spv_foreach_block (block, function) {
        most += 3;
        spv_foreach_inst (inst, &block->insts) {
            SpvDecoration hinted = spv_hinted_decoration(inst);
            most += words_of(inst);
            if (hinted == SpvDecorationMax)
                continue;
            most += 3;
            survey->wraps |= hinted == SpvDecorationNoSignedWrap;
            survey->contracts |= hinted != SpvDecorationNoSignedWrap;
        }
    }
    survey->most += most;
}

static struct survey survey_module(const struct spv_module *module)
{
    struct survey survey = {.most = 5};
    spv_foreach_function (function, module)
        survey_function(&survey, function);
    return survey;
}

static size_t words_of_sections(const struct spv_module *module)
{
    size_t most = 0;
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        spv_foreach_inst (inst, &module->sections[section])
            most += words_of(inst);
    }
    return most;
}

uint32_t *spv_write(struct spv_module *module, size_t *count)
{
    struct writer writer = {.module = module, .bound = 1};
    struct survey survey = survey_module(module);
    if (survey.wraps && module->version < 0x00010400) /* which has the decoration itself */
        spv_add_extension(module, "SPV_KHR_no_integer_wrap_decoration");
    sort_globals(module);
    uint8_t *reached = spv_borrow_table(module, uint8_t);
    spv_foreach_function (each, module)
        sort_blocks(module, each, reached);
    spv_give_back(module, reached);
    writer.new_ids = arena_array(module->arena, uint32_t, module->bound);
    size_t most = survey.most + words_of_sections(module);
    if (most > UINT32_MAX / 2)
        arena_fail(module->arena);
    writer.words = arena_alloc_uncleared(module->arena, most * sizeof(uint32_t), _Alignof(uint32_t));
    const uint32_t header[] = {SpvMagicNumber, module->version, module->generator, 0, 0};
    memcpy(writer.words, header, sizeof(header));
    writer.at = writer.words + 5;
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        spv_foreach_inst (inst, &module->sections[section]) {
            if (!is_stale(module, inst))
                write_inst(&writer, inst);
        }
        if (section == SPV_SECTION_ANNOTATION && (survey.wraps || survey.contracts))
            write_hints(&writer);
    }
    /* SPIR-V 1.6, 2.4: function declarations come before all definitions */
    spv_foreach_function (declaration, module) {
        if (!declaration->first_block)
            write_function(&writer, declaration);
    }
    spv_foreach_function (function, module) {
        if (function->first_block)
            write_function(&writer, function);
    }
    writer.words[3] = writer.bound;
    *count = (size_t)(writer.at - writer.words);
    assert(*count <= most);
    return writer.words;
}
