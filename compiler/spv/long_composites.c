/* SPV_INTEL_long_composites: an instruction has at most 65,535 words, but a constant array may have more elements. The
 * reader has put the words together that such a module has in several instructions; here the array becomes a struct of
 * shorter ones, so that no pass and no validator meets more words:
 *
 *     %v = OpVariable %array_ptr CrossWorkgroup %long     ->   %parts = OpVariable %struct_ptr CrossWorkgroup %split
 *                                                              %v = OpSpecConstantOp %array_ptr Bitcast %parts
 *
 * Both lie in memory alike. Only initialisers of the program's variables may be so long, and members of such
 * initialisers. It is known that types are types and that constants do not contain themselves (spv_check_scope()). */
#include "check.h"

#include "base/util.h"

enum { MAX_PART = 65000, MAX_DEPTH = 64 };

struct splitting {
    struct spv_module *module;
    const char *error;
    struct u64_map is_long;   /* constants that have too many words */
    struct u64_map contains;  /* constants: 1 those that contain such a one, 2 those that do not */
    struct u64_map constants; /* constant -> the split one */
};

static spv_id fail(struct splitting *s, const char *what)
{
    if (!s->error)
        s->error = what;
    return 0;
}

static bool is_composite(const struct spv_inst *def)
{
    return def && (def->op == SpvOpConstantComposite || def->op == SpvOpSpecConstantComposite);
}

static bool contains_long(struct splitting *s, spv_id id, uint32_t depth)
{
    const struct spv_inst *def = spv_def(s->module, id);
    if (!is_composite(def))
        return false;
    if (u64_map_has(&s->is_long, id))
        return true;
    uintptr_t known = (uintptr_t)u64_map_get(&s->contains, id);
    if (known)
        return known == 1;
    bool found = false;
    if (depth > MAX_DEPTH)
        return fail(s, "a constant is nested too deep");
    for (uint32_t i = 0; i < def->num_words && !found; i++)
        found = contains_long(s, def->words[i], depth + 1);
    u64_map_set(s->module->arena, &s->contains, id, (void *)(uintptr_t)(found ? 1 : 2));
    return found;
}

static spv_id keep(struct splitting *s, spv_id old, spv_id made)
{
    u64_map_set(s->module->arena, &s->constants, old, (void *)(uintptr_t)made);
    return made;
}

static spv_id split_array(struct splitting *s, const struct spv_inst *def)
{
    struct spv_module *module = s->module;
    const struct spv_inst *type = spv_def(module, def->type);
    VEC(spv_id) types = {0};
    VEC(spv_id) parts = {0};
    if (type->op != SpvOpTypeArray)
        return fail(s, "a composite of more than 65,532 members that is no array");
    for (uint32_t at = 0; at < def->num_words; at += MAX_PART) {
        uint32_t count = (uint32_t)u64_min(def->num_words - at, MAX_PART);
        spv_id part = spv_type_array(module, type->words[0], count);
        vec_push(module->arena, &types, part);
        vec_push(module->arena, &parts, spv_const_inst(module, (SpvOp)def->op, part, count, def->words + at));
    }
    spv_id whole = spv_type_struct(module, types.length, types.data);
    return keep(s, def->id, spv_const_inst(module, (SpvOp)def->op, whole, parts.length, parts.data));
}

/* The constant with its long members split, which changes its type. */
static spv_id split(struct splitting *s, spv_id id)
{
    struct spv_module *module = s->module;
    const struct spv_inst *def = spv_def(module, id), *type = spv_def(module, def->type);
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&s->constants, id);
    if (known || !contains_long(s, id, 0) || s->error)
        return known ? known : id;
    if (u64_map_has(&s->is_long, id))
        return split_array(s, def);
    if (type->op != SpvOpTypeStruct || def->num_words != type->num_words)
        return fail(s, "an array of composites of more than 65,532 members");
    spv_id *types = arena_array(module->arena, spv_id, def->num_words);
    spv_id *members = arena_array(module->arena, spv_id, def->num_words);
    for (uint32_t i = 0; i < def->num_words; i++) {
        members[i] = split(s, def->words[i]);
        if (s->error)
            return 0;
        types[i] = members[i] == def->words[i] ? type->words[i] : spv_value_type(module, members[i]);
    }
    spv_id whole = spv_type_struct(module, def->num_words, types);
    if (spv_find_decoration(module, type->id, SpvDecorationCPacked))
        spv_decorate(module, whole, SpvDecorationCPacked, 0, NULL);
    return keep(s, id, spv_const_inst(module, (SpvOp)def->op, whole, def->num_words, members));
}

/* The new variable takes over what is said of the old one. */
static void split_variable(struct splitting *s, struct spv_inst *variable)
{
    struct spv_module *module = s->module;
    spv_id value = split(s, variable->words[1]);
    if (s->error)
        return;
    SpvStorageClass storage = (SpvStorageClass)variable->words[0];
    spv_id pointer = spv_type_pointer(module, storage, spv_value_type(module, value));
    spv_id parts = spv_global_variable(module, pointer, storage, value);
    for (const struct spv_inst *d = spv_decorations(module, variable->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate)
            spv_decorate(module, parts, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
    spv_remove_annotations(module, variable->id);
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        uint32_t at;
        spv_string(entry, 2, &at);
        for (; at < entry->num_words; at++)
            entry->words[at] = entry->words[at] == variable->id ? parts : entry->words[at];
    }
    const uint32_t words[] = {SpvOpBitcast, parts};
    variable->op = SpvOpSpecConstantOp;
    spv_inst_set_words(module, variable, 2, words);
    module->constants[variable->id] = 1;
}

static void find_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct splitting *s = data;
    (void)inst;
    if (u64_map_get(&s->constants, *word))
        fail(s, "a composite of more than 65,532 members is used outside of the program's variables");
}

/* What was split goes, unless something else uses it, too. */
static void remove_long(struct splitting *s)
{
    struct spv_module *module = s->module;
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (u64_map_get(&s->constants, inst->id))
            spv_inst_remove(module, inst);
        else
            spv_visit_operand_ids(inst, find_use, s);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, find_use, s);
        }
    }
}

const char *spv_split_composites(struct spv_module *module, struct spv_inst *const *longer, uint32_t count)
{
    struct splitting s = {.module = module};
    for (uint32_t i = 0; i < count; i++) {
        if (longer[i]->num_words <= MAX_PART)
            continue;
        if (!is_composite(longer[i]))
            return "an instruction of more than 65,535 words";
        u64_map_set(module->arena, &s.is_long, longer[i]->id, &s);
    }
    struct spv_list *globals = &module->sections[SPV_SECTION_GLOBAL];
    struct spv_inst *last = globals->last; /* what comes behind is made here */
    for (struct spv_inst *inst = globals->first; inst && !s.error; inst = inst == last ? NULL : inst->next) {
        if (inst->op == SpvOpVariable && inst->num_words > 1 && contains_long(&s, inst->words[1], 0))
            split_variable(&s, inst);
    }
    remove_long(&s);
    for (uint32_t i = 0; i < count && !s.error; i++) {
        if (u64_map_has(&s.is_long, longer[i]->id) && !u64_map_has(&s.constants, longer[i]->id))
            fail(&s, "a composite of more than 65,532 members that initialises no variable");
    }
    return s.error;
}
