/* Reading the embedded library, which Pumice wrote and checked when it was built. Instructions are put where they
 * belong; nothing is checked again. */
#include "grammar.h"

#include <string.h>

struct embedded {
    struct spv_module *module;
    struct spv_function *function; /* open */
    struct spv_block *block;       /* open */
};

static struct spv_inst *make_inst(struct spv_module *module, const uint32_t *words)
{
    uint16_t op = (uint16_t)words[0];
    uint32_t at = 1, type = spv_op_has_type(op) ? words[at++] : 0, id = spv_op_has_result(op) ? words[at++] : 0;
    struct spv_inst *inst = arena_alloc_uncleared(module->arena, sizeof(*inst), _Alignof(struct spv_inst));
    *inst = (struct spv_inst){.op = op,
                              .type = type,
                              .id = id,
                              .num_words = (words[0] >> 16) - at,
                              .words = (uint32_t *)(words + at)}; /* nobody writes there */
    spv_set_hints(module, inst);
    if (id)
        spv_define(module, inst);
    return inst;
}

static void place_in_section(struct spv_module *module, struct spv_inst *inst)
{
    enum spv_section section = spv_section_of(inst->op);
    spv_list_append(&module->sections[section], inst);
    if (section == SPV_SECTION_EXT_INST_IMPORT) {
        spv_note_ext_set(module, spv_string(inst, 0, NULL), inst->id);
    } else if (spv_op_is_decoration(inst->op) || spv_op_is_name(inst->op)) {
        spv_attach_annotation(module, inst);
    }
}

static void place_in_function(struct embedded *e, struct spv_inst *inst)
{
    struct arena *arena = e->module->arena;
    switch (inst->op) {
    case SpvOpFunction:
        e->function = arena_new(arena, struct spv_function);
        e->function->def = inst;
        spv_link_function(e->module, e->function);
        break;
    case SpvOpFunctionParameter:
        vec_push(arena, &e->function->params, inst);
        break;
    case SpvOpFunctionEnd:
        e->function = NULL;
        break;
    case SpvOpLabel:
        e->block = arena_new(arena, struct spv_block);
        e->block->label = inst;
        inst->block = e->block;
        spv_block_append(e->function, e->block);
        break;
    default:
        inst->block = e->block;
        spv_list_append(&e->block->insts, inst);
        break;
    }
}

const struct spv_module *spv_read_embedded(struct arena *arena, const uint32_t *words, size_t count)
{
    struct embedded e = {.module = spv_module_create(arena, words[1])};
    e.module->generator = words[2];
    spv_reserve_ids(e.module, words[3]);
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        struct spv_inst *inst = make_inst(e.module, words + at);
        if (e.function || inst->op == SpvOpFunction)
            place_in_function(&e, inst);
        else
            place_in_section(e.module, inst);
    }
    spv_take_hinted_decorations(e.module);
    return e.module;
}
