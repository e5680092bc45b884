/* Copying between modules: linking, library functions, clones.
 *
 * Types and constants are copied depth first and merge with equal ones of the target; their depth is bounded
 * (spv_check), so that recursion is safe. A struct may contain itself through a pointer that was announced by
 * OpTypeForwardPointer: such a pointer's and every struct's new id is known before its operands are copied. Function
 * bodies wait in a queue, since calls may nest deeper than the stack. */
#include "grammar.h"

#include <assert.h>
#include <string.h>

static struct arena *arena_of(const struct spv_import *import)
{
    return import->to->arena;
}

static spv_id known(const struct spv_import *import, spv_id id)
{
    return spv_imported(import, id);
}

void spv_set_imported(struct spv_import *import, spv_id id, spv_id to)
{
    if (!import->ids)
        import->ids = arena_array(arena_of(import), spv_id *, import->from->bound / SPV_IMPORT_PAGE + 1);
    spv_id **page = &import->ids[id / SPV_IMPORT_PAGE];
    if (!*page)
        *page = arena_array(arena_of(import), spv_id, SPV_IMPORT_PAGE);
    (*page)[id % SPV_IMPORT_PAGE] = to;
}

static void import_word(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct spv_import *import = data;
    spv_id there = known(import, *word);
    (void)inst;
    if (there)
        *word = there;
    else
        *word = import->from->defs[*word] ? spv_import_id(import, *word) : 0;
}

enum { FEW_WORDS = 16 };

/* A detached copy of inst: its operands are ids of the target, its own id is still that of the source. few: room for
 * FEW_WORDS words, which is enough for most. */
static struct spv_inst copy_words(struct spv_import *import, const struct spv_inst *inst, uint32_t *few)
{
    struct spv_inst copy = *inst;
    if (inst->op == SpvOpConstant) /* no ids */
        return copy;
    copy.words = inst->num_words <= FEW_WORDS ? few : arena_array(arena_of(import), uint32_t, inst->num_words);
    for (uint32_t i = 0; i < inst->num_words; i++)
        copy.words[i] = inst->words[i];
    spv_visit_operand_ids(&copy, import_word, import);
    return copy;
}

/* ---- annotations ---- */

static void copy_decoration(struct spv_import *import, const struct spv_inst *decoration, spv_id target)
{
    struct spv_inst *copy = arena_new(arena_of(import), struct spv_inst);
    *copy = *decoration;
    copy->words = arena_array(arena_of(import), uint32_t, decoration->num_words);
    memcpy(copy->words, decoration->words, decoration->num_words * sizeof(*copy->words));
    copy->words[0] = target;
    if (copy->op == SpvOpDecorateId) {
        for (uint32_t i = 2; i < copy->num_words; i++)
            copy->words[i] = spv_import_id(import, copy->words[i]);
    }
    spv_list_append(&import->to->sections[spv_section_of(copy->op)], copy);
    spv_attach_annotation(import->to, copy);
}

static void copy_all_annotations(struct spv_import *import, spv_id from, spv_id to)
{
    const struct spv_module *module = import->from;
    for (const struct spv_inst *d = spv_decorations(module, from); d; d = d->next_decoration)
        copy_decoration(import, d, to);
    for (const struct spv_inst *n = spv_names(module, from); n && !spv_names(import->to, to); n = n->next_decoration)
        copy_decoration(import, n, to);
}

/* Most ids have none. */
static inline void copy_annotations(struct spv_import *import, spv_id from, spv_id to)
{
    if (spv_decorations(import->from, from) || spv_names(import->from, from))
        copy_all_annotations(import, from, to);
}

/* ---- module scope ---- */

static const struct spv_entries *entries_of(struct spv_import *import)
{
    if (!import->entries)
        import->entries = spv_find_entries(arena_of(import), import->from);
    return import->entries;
}

static bool is_forward(struct spv_import *import, spv_id id)
{
    return u64_map_has(&entries_of(import)->forwards, id);
}

static spv_id append_copy(struct spv_import *import, const struct spv_inst *inst, spv_id type, spv_id id,
                          const struct spv_inst *copy)
{
    struct spv_module *to = import->to;
    struct spv_inst *made = spv_inst_create(to, (SpvOp)inst->op, type, id, copy->num_words, copy->words);
    spv_list_append(&to->sections[spv_section_of(inst->op)], made);
    copy_annotations(import, inst->id, id);
    spv_unique_enter(to, made);
    return id;
}

static spv_id import_forward_pointer(struct spv_import *import, const struct spv_inst *inst)
{
    struct spv_module *to = import->to;
    spv_id id = spv_new_id(to);
    spv_set_imported(import, inst->id, id);
    const uint32_t forward[] = {id, inst->words[0]};
    uint32_t few[FEW_WORDS];
    spv_list_append(&to->sections[SPV_SECTION_GLOBAL], spv_inst_create(to, SpvOpTypeForwardPointer, 0, 0, 2, forward));
    struct spv_inst copy = copy_words(import, inst, few);
    return append_copy(import, inst, 0, id, &copy);
}

/* Whether a struct holds a forward pointer. */
static bool reaches_forward(struct spv_import *import, const struct spv_inst *type)
{
    if (u64_map_has(&import->reaches, type->id))
        return u64_map_get(&import->reaches, type->id);
    bool found = false;
    for (uint32_t i = 0; i < type->num_words && !found; i++) {
        const struct spv_inst *member = spv_def(import->from, type->words[i]);
        while (member->op == SpvOpTypeArray || member->op == SpvOpTypeRuntimeArray)
            member = spv_def(import->from, member->words[0]);
        found = is_forward(import, member->id) || (member->op == SpvOpTypeStruct && reaches_forward(import, member));
    }
    u64_map_set(arena_of(import), &import->reaches, type->id, found ? import : NULL);
    return found;
}

static spv_id import_struct(struct spv_import *import, const struct spv_inst *inst)
{
    uint32_t few[FEW_WORDS];
    bool recursive = reaches_forward(import, inst);
    spv_id id = recursive ? spv_new_id(import->to) : 0;
    if (recursive)
        spv_set_imported(import, inst->id, id);
    struct spv_inst copy = copy_words(import, inst, few);
    struct spv_inst *equal =
        recursive ? NULL : spv_unique_find_like(import->to, import->from, inst, copy.num_words, copy.words);
    if (equal) {
        spv_set_imported(import, inst->id, equal->id);
        return equal->id;
    }
    if (!recursive) {
        id = spv_new_id(import->to);
        spv_set_imported(import, inst->id, id);
    }
    return append_copy(import, inst, 0, id, &copy);
}

/* A file's name brings its text. */
static void import_source(struct spv_import *import, const struct spv_inst *string, spv_id id)
{
    bool is_text = false;
    spv_foreach_inst (inst, &import->from->sections[SPV_SECTION_DEBUG]) {
        is_text = inst->op == SpvOpSource ? inst->num_words > 3 && inst->words[2] == string->id
                                          : is_text && inst->op == SpvOpSourceContinued;
        if (!is_text)
            continue;
        struct spv_inst *copy = spv_inst_create(import->to, (SpvOp)inst->op, 0, 0, inst->num_words, inst->words);
        if (copy->op == SpvOpSource)
            copy->words[2] = id;
        spv_list_append(&import->to->sections[SPV_SECTION_DEBUG], copy);
    }
}

static spv_id import_global(struct spv_import *import, const struct spv_inst *inst)
{
    struct spv_module *to = import->to;
    if (inst->op == SpvOpExtInstImport) {
        spv_id set = spv_import_ext_inst(to, spv_string(inst, 0, NULL));
        spv_set_imported(import, inst->id, set);
        return set;
    }
    if (inst->op == SpvOpTypePointer && is_forward(import, inst->id))
        return import_forward_pointer(import, inst);
    if (inst->op == SpvOpTypeStruct)
        return import_struct(import, inst);
    uint32_t few[FEW_WORDS];
    spv_id type = inst->type ? spv_import_id(import, inst->type) : 0;
    struct spv_inst copy = copy_words(import, inst, few);
    struct spv_inst *equal = NULL;
    bool is_unique = spv_unique_op(inst->op);
    if (is_unique && !spv_decorations(import->from, inst->id)) {
        spv_id bound = to->bound;
        spv_id got = spv_unique_get(to, inst->op, type, copy.num_words, copy.words)->id;
        spv_set_imported(import, inst->id, got);
        if (got >= bound)
            copy_annotations(import, inst->id, got);
        return got;
    }
    if (is_unique && spv_op_is_type(inst->op))
        equal = spv_unique_find_like(to, import->from, inst, copy.num_words, copy.words);
    spv_id id = equal ? equal->id : spv_new_id(to);
    spv_set_imported(import, inst->id, id);
    if (equal)
        return id;
    append_copy(import, inst, type, id, &copy);
    if (inst->op == SpvOpString)
        import_source(import, inst, id);
    return id;
}

spv_id spv_import_id(struct spv_import *import, spv_id id)
{
    spv_id there = known(import, id);
    if (there)
        return there;
    const struct spv_inst *inst = spv_def(import->from, id);
    assert(inst && !inst->block);
    if (inst->op == SpvOpFunction)
        return spv_import_function(import, id);
    return import_global(import, inst);
}

/* ---- functions ---- */

const struct spv_entries *spv_find_entries(struct arena *arena, const struct spv_module *module)
{
    struct spv_entries *entries = arena_new(arena, struct spv_entries);
    struct u64_map last = {0};
    for (enum spv_section section = SPV_SECTION_ENTRY_POINT; section <= SPV_SECTION_EXECUTION_MODE; section++) {
        spv_foreach_inst (inst, &module->sections[section]) {
            spv_id function = inst->words[inst->op == SpvOpEntryPoint];
            struct spv_entry *entry = arena_new(arena, struct spv_entry), *before = u64_map_get(&last, function);
            entry->inst = inst;
            if (before)
                before->next = entry;
            else
                u64_map_set(arena, &entries->by_function, function, entry);
            u64_map_set(arena, &last, function, entry);
            if (inst->op != SpvOpEntryPoint || inst->words[0] != SpvExecutionModelKernel || inst->num_words < 3)
                continue;
            const char *name = spv_string(inst, 2, NULL);
            if (!str_map_has(&entries->kernels, name, strlen(name)))
                str_map_set(arena, &entries->kernels, name, strlen(name), (void *)inst);
        }
    }
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpTypeForwardPointer)
            u64_map_set(arena, &entries->forwards, inst->words[0], NULL);
        if (inst->op == SpvOpTypeQueue || inst->op == SpvOpTypeDeviceEvent || inst->op == SpvOpTypeNamedBarrier)
            vec_push(arena, &entries->opaque, inst);
        if (inst->op == SpvOpVariable)
            vec_push(arena, &entries->variables, inst);
    }
    return entries;
}

static void copy_entry_point(struct spv_import *import, const struct spv_inst *entry, spv_id id)
{
    struct spv_module *to = import->to;
    struct spv_inst copy = *entry;
    copy.words = arena_array(to->arena, uint32_t, entry->num_words);
    memcpy(copy.words, entry->words, entry->num_words * sizeof(*copy.words));
    copy.words[1] = id;
    uint32_t at;
    spv_string(&copy, 2, &at);
    for (; at < copy.num_words; at++)
        copy.words[at] = spv_import_id(import, copy.words[at]);
    spv_list_append(&to->sections[SPV_SECTION_ENTRY_POINT],
                    spv_inst_create(to, SpvOpEntryPoint, 0, 0, copy.num_words, copy.words));
}

static void import_entry_point(struct spv_import *import, const struct spv_function *function, spv_id id)
{
    struct spv_module *to = import->to;
    for (const struct spv_entry *entry = u64_map_get(&entries_of(import)->by_function, function->def->id); entry;
         entry = entry->next) {
        if (entry->inst->op == SpvOpEntryPoint) {
            copy_entry_point(import, entry->inst, id);
            continue;
        }
        uint32_t few[FEW_WORDS];
        struct spv_inst copy = copy_words(import, entry->inst, few);
        spv_list_append(&to->sections[SPV_SECTION_EXECUTION_MODE],
                        spv_inst_create(to, (SpvOp)copy.op, 0, 0, copy.num_words, copy.words));
    }
}

static void import_block(struct spv_import *import, struct spv_function *function, const struct spv_block *block)
{
    struct spv_module *to = import->to;
    struct spv_block *made = spv_block_create(function, to, known(import, block->label->id));
    spv_block_append(function, made);
    copy_annotations(import, block->label->id, made->label->id);
    spv_foreach_inst (inst, &block->insts) {
        spv_id id = known(import, inst->id); /* of 0: 0 */
        struct spv_inst *new_inst = spv_inst_copy(to, inst, id);
        if (inst->type)
            import_word(import, new_inst, &new_inst->type);
        spv_visit_operand_ids(new_inst, import_word, import);
        new_inst->block = made;
        spv_list_append(&made->insts, new_inst);
        if (id)
            copy_annotations(import, inst->id, id);
    }
}

static void import_body(struct spv_import *import, const struct spv_function *from)
{
    spv_foreach_block (block, from) {
        spv_set_imported(import, block->label->id, spv_new_id(import->to));
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id)
                spv_set_imported(import, inst->id, spv_new_id(import->to));
        }
    }
    struct spv_function *function = spv_function_of(import->to, known(import, from->def->id));
    spv_foreach_block (each, from)
        import_block(import, function, each);
}

spv_id spv_import_function(struct spv_import *import, spv_id id)
{
    spv_id there = known(import, id);
    if (there)
        return there;
    const struct spv_function *from = spv_function_of(import->from, id);
    assert(from);
    spv_id type = spv_import_id(import, from->def->words[1]);
    struct spv_function *function = spv_function_create(import->to, 0, type, from->def->words[0]);
    spv_id new_id = function->def->id;
    spv_set_imported(import, id, new_id);
    copy_annotations(import, id, new_id);
    for (uint32_t i = 0; i < from->params.length; i++) {
        spv_set_imported(import, from->params.data[i]->id, function->params.data[i]->id);
        copy_annotations(import, from->params.data[i]->id, function->params.data[i]->id);
    }
    import_entry_point(import, from, new_id);
    vec_push(arena_of(import), &import->pending, from);
    if (import->busy)
        return new_id;
    import->busy = true;
    while (import->pending.length)
        import_body(import, vec_pop(&import->pending));
    import->busy = false;
    return new_id;
}

/* ---- clones ---- */

static struct spv_inst *clone_inst(struct spv_module *module, const struct spv_inst *inst)
{
    struct spv_inst *copy = arena_alloc_uncleared(module->arena, sizeof(*copy) + inst->num_words * sizeof(uint32_t), 8);
    *copy = *inst;
    copy->prev = copy->next = NULL;
    copy->block = NULL;
    copy->words = (uint32_t *)(copy + 1);
    if (inst->num_words)
        memcpy(copy->words, inst->words, inst->num_words * sizeof(uint32_t));
    if (copy->id)
        spv_define(module, copy);
    return copy;
}

static void clone_function(struct spv_module *module, const struct spv_function *from)
{
    struct spv_function *function = arena_new(module->arena, struct spv_function);
    function->settled = from->settled;
    function->only_computes = from->only_computes;
    function->def = clone_inst(module, from->def);
    for (uint32_t i = 0; i < from->params.length; i++)
        vec_push(module->arena, &function->params, clone_inst(module, from->params.data[i]));
    spv_link_function(module, function);
    spv_foreach_block (block, from) {
        struct spv_block *copy = arena_new(module->arena, struct spv_block);
        copy->label = clone_inst(module, block->label);
        copy->label->block = copy;
        spv_block_append(function, copy);
        spv_foreach_inst (inst, &block->insts) {
            struct spv_inst *made = clone_inst(module, inst);
            made->block = copy;
            spv_list_append(&copy->insts, made);
        }
    }
}

struct spv_module *spv_clone(struct arena *arena, const struct spv_module *from)
{
    struct spv_module *module = spv_module_create(arena, from->version);
    module->generator = from->generator;
    module->ext_opencl = from->ext_opencl;
    module->ext_glsl = from->ext_glsl;
    module->ext_private = from->ext_private;
    module->scopes = from->scopes;
    spv_reserve_ids(module, from->bound);
    spv_reserve_annotations_like(module, from);
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        spv_foreach_inst (inst, &from->sections[section])
            spv_list_append(&module->sections[section], clone_inst(module, inst));
    }
    spv_foreach_function (function, from)
        clone_function(module, function);
    spv_foreach_inst (decoration, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (spv_op_is_decoration(decoration->op))
            spv_attach_annotation(module, decoration);
    }
    spv_foreach_inst (name, &module->sections[SPV_SECTION_DEBUG]) {
        if (spv_op_is_name(name->op))
            spv_attach_annotation(module, name);
    }
    spv_foreach_inst (global, &module->sections[SPV_SECTION_GLOBAL])
        spv_unique_enter(module, global);
    return module;
}
