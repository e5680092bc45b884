/* Gives private memory that nobody initialises zeros: cl_khr_initialize_memory.
 *
 *     %v = OpVariable Function          ->   %v = OpVariable Function, and behind the variables OpStore %v null
 *     OpUndef                           ->   null
 *     OpLifetimeStart, OpLifetimeStop   ->   (they would make the contents undefined again)
 *
 * It comes before any pass that takes what is undefined for anything. Variables of types that have no null (events,
 * images, samplers) stay as they are. */
#include "compiler/opt/opt.h"

#include "base/util.h"

/* The natural alignment, in bytes; 0: the type has no null. */
static uint32_t alignment(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    uint32_t most = 1;
    switch (def->op) {
    case SpvOpTypeBool:
        return 1;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return def->words[0] / 8;
    case SpvOpTypePointer:
        return 8;
    case SpvOpTypeVector:
        return alignment(module, def->words[0]) * (def->words[1] == 3 ? 4 : def->words[1]);
    case SpvOpTypeArray:
        return alignment(module, def->words[0]);
    case SpvOpTypeStruct:
        for (uint32_t i = 0; i < def->num_words; i++) {
            uint32_t member = alignment(module, def->words[i]);
            if (!member)
                return 0;
            most = member > most ? member : most;
        }
        return spv_find_decoration(module, type, SpvDecorationCPacked) ? 1 : most;
    default:
        return 0;
    }
}

struct initialising {
    struct spv_module *module;
    bool changed;
};

static void replace_undefined(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct initialising *x = data;
    const struct spv_inst *def = spv_def(x->module, *word);
    (void)inst;
    if (!def || def->op != SpvOpUndef || !alignment(x->module, def->type))
        return;
    *word = spv_const_null(x->module, def->type);
    x->changed = true;
}

static void store_null(struct initialising *x, struct spv_builder *builder, const struct spv_inst *variable)
{
    spv_id type = spv_pointer_pointee(x->module, variable->type);
    uint32_t align = alignment(x->module, type);
    if (variable->num_words > 1 || !align)
        return;
    spv_emitv_void(builder, SpvOpStore, variable->id, spv_const_null(x->module, type), SpvMemoryAccessAlignedMask,
                   align);
    x->changed = true;
}

bool opt_initialise(struct spv_module *module, struct spv_function *function)
{
    struct initialising x = {module, false};
    if (!function->first_block)
        return false;
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (spv_op_is_lifetime(inst->op)) {
                spv_inst_remove(module, inst);
                x.changed = true;
            } else {
                spv_visit_operand_ids(inst, replace_undefined, &x);
            }
        }
    }
    struct spv_block *entry = function->first_block;
    struct spv_builder builder = {module, function, entry, entry->insts.first};
    while (builder.before && builder.before->op == SpvOpVariable)
        builder.before = builder.before->next;
    struct spv_inst *end = builder.before;
    for (struct spv_inst *inst = entry->insts.first; inst && inst != end && inst->op == SpvOpVariable;
         inst = inst->next)
        store_null(&x, &builder, inst);
    return x.changed;
}
