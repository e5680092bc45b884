/* Vectors of bytes that are words wherever they come from stay words where paths meet:
 *
 *     %a = OpBitcast %uchar4 %x              =>      %w = OpPhi %uint %x ... %y ...
 *     %b = OpBitcast %uchar4 %y                      %v = OpBitcast %uchar4 %w
 *     %v = OpPhi %uchar4 %a ... %b ...
 *
 * Drivers keep a vector of bytes in a register for each byte. Round a loop such a vector would be taken apart and put
 * together again, which costs more than a dot product of four bytes that is all there is in the loop. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"

enum { BITS = 32 };

static bool is_parts(const struct spv_module *module, spv_id type)
{
    return spv_type_is_vector(module, type) && spv_type_is_int(module, type) && spv_type_width(module, type) < BITS &&
           spv_type_width(module, type) * spv_type_count(module, type) == BITS;
}

/* The word that a vector was made of; 0: it was not made of one. */
static spv_id word_of(struct spv_module *module, spv_id id)
{
    const struct spv_inst *def = spv_def(module, id);
    spv_id type = spv_value_type(module, id);
    uint32_t count = spv_type_count(module, type), width = spv_type_width(module, type), word = 0;
    if (def->op == SpvOpUndef)
        return spv_undef(module, spv_type_int(module, BITS));
    if (def->op == SpvOpConstantNull)
        return spv_const_u32(module, 0);
    if (def->op == SpvOpConstantComposite) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bits;
            if (!spv_const_value(module, def->words[i], &bits))
                return 0;
            word |= (uint32_t)(bits & ((UINT64_C(1) << width) - 1)) << (i * width);
        }
        return spv_const_u32(module, word);
    }
    bool is_word =
        def->block && def->op == SpvOpBitcast && spv_value_type(module, def->words[0]) == spv_type_int(module, BITS);
    return is_word ? def->words[0] : 0;
}

struct words {
    struct spv_module *module;
    uint8_t *chosen; /* id -> it is a phi that may take words */
    VEC(struct spv_inst *) phis;
};

/* Whether all that the phi takes are words, or phis that may become words. */
static bool takes_words(const struct words *w, const struct spv_inst *phi)
{
    for (uint32_t i = 0; i < phi->num_words; i += 2) {
        if (!w->chosen[phi->words[i]] && !word_of(w->module, phi->words[i]))
            return false;
    }
    return true;
}

/* Phis of which none takes anything but words and phis of this kind: those of nested loops take one another. */
static void choose(struct words *w, const struct spv_function *function)
{
    spv_foreach_block (block, function) {
        for (struct spv_inst *inst = block->insts.first; inst && inst->op == SpvOpPhi; inst = inst->next) {
            if (is_parts(w->module, inst->type)) {
                vec_push(spv_scratch(w->module), &w->phis, inst);
                w->chosen[inst->id] = true;
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < w->phis.length; i++) {
            const struct spv_inst *phi = w->phis.data[i];
            if (w->chosen[phi->id] && !takes_words(w, phi)) {
                w->chosen[phi->id] = false;
                changed = true;
            }
        }
    }
}

/* A phi of words, and behind all phis the vector under its old name. */
static void change(const struct words *w, struct spv_inst *phi)
{
    struct spv_block *block = phi->block;
    struct spv_builder b = {w->module, block->function, block, phi, NULL};
    uint32_t *words = arena_array(spv_scratch(w->module), uint32_t, phi->num_words);
    for (uint32_t i = 0; i < phi->num_words; i++) /* what other phis give is a bitcast only once they are changed */
        words[i] = i & 1 || w->chosen[phi->words[i]] ? phi->words[i] : word_of(w->module, phi->words[i]);
    spv_id word = spv_emit(&b, SpvOpPhi, spv_type_int(w->module, BITS), phi->num_words, words);
    struct spv_inst *first = phi->next;
    while (first->op == SpvOpPhi || spv_op_is_line(first->op))
        first = first->next;
    spv_inst_unlink(phi);
    phi->op = SpvOpBitcast;
    spv_inst_set_words(w->module, phi, 1, &word);
    b.before = first;
    spv_inst_insert(&b, phi);
}

bool opt_words(struct spv_module *module, struct spv_function *function)
{
    struct words w = {.module = module};
    bool changed = false;
    uint32_t bound = module->bound;
    struct arena_mark mark = spv_scratch_begin(module);
    w.chosen = spv_borrow_table(module, uint8_t);
    choose(&w, function);
    for (uint32_t i = 0; i < w.phis.length; i++) {
        if (w.chosen[w.phis.data[i]->id]) {
            change(&w, w.phis.data[i]);
            changed = true;
        }
    }
    /* what came from another phi is a word by now */
    for (uint32_t i = 0; changed && i < w.phis.length; i++) {
        const struct spv_inst *cast = w.phis.data[i];
        struct spv_inst *phi = cast->op == SpvOpBitcast ? (struct spv_inst *)spv_def(module, cast->words[0]) : NULL;
        for (uint32_t k = 0; phi && k < phi->num_words; k += 2) {
            if (phi->words[k] < bound && w.chosen[phi->words[k]])
                phi->words[k] = spv_def(module, phi->words[k])->words[0];
        }
    }
    spv_give_back(module, w.chosen);
    spv_scratch_end(module, mark);
    return changed;
}
