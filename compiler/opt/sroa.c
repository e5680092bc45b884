/* Scalar replacement of aggregates. A local struct or array whose parts are reached by constant indices becomes one
 * variable per member:
 *
 *     %p = OpAccessChain %ptr_f %s %2 %i        =>   %p = OpAccessChain %ptr_f %s_2 %i
 *     %v = OpLoad %S %s                         =>   %v0 = OpLoad %s_0 ... %v = OpCompositeConstruct %S %v0 ...
 *
 * The next round does the same for those members that are aggregates. A local vector stays one variable, but is always
 * loaded and stored whole: components are read by extraction and written by insertion, also where the index is not
 * constant. So opt_mem2reg() can make a value of it. Before that, copies of memory become loads and stores, and marks
 * of lifetime are removed. */
#include "compiler/opt/aligned.h"
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/chain.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/layout.h"

#include <assert.h>
#include <string.h>

enum { MAX_MEMBERS = 128, MAX_ROUNDS = 16 };

enum shape { NOTHING, AGGREGATE, VECTOR };

struct variable {
    struct spv_inst *def;
    enum shape shape;
    uint32_t count;  /* members */
    spv_id *members; /* their variables */
};

struct sroa {
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    struct spv_layouts layouts;
    VEC(struct variable) variables;
    uint32_t *index; /* id of a variable, or of an access chain to a vector's component -> 1 + its place in variables */
    uint32_t *inner; /* id of a pointer into a variable that is an aggregate -> the same */
    VEC(spv_id) marked; /* ids that have an entry in one of these */
    uint32_t bound;
    struct spv_replacements replacements;
};

/* ---- candidates ---- */

static uint32_t num_members(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    uint64_t count = def->op == SpvOpTypeStruct  ? def->num_words
                     : def->op == SpvOpTypeArray ? spv_array_length(module, type)
                                                 : 0;
    if (def->op == SpvOpTypeArray && !spv_const_value(module, def->words[1], &count))
        return 0;
    return count <= MAX_MEMBERS ? (uint32_t)count : 0;
}

static spv_id member_type(const struct spv_module *module, spv_id type, uint32_t member)
{
    const struct spv_inst *def = spv_def(module, type);
    return def->op == SpvOpTypeStruct ? def->words[member] : def->words[0];
}

static bool can_split_initializer(const struct spv_module *module, const struct spv_inst *variable)
{
    if (variable->num_words < 2)
        return true;
    uint16_t op = spv_def(module, variable->words[1])->op;
    return op == SpvOpConstantComposite || op == SpvOpConstantNull || op == SpvOpUndef;
}

static void add_variable(struct sroa *s, struct spv_inst *inst)
{
    spv_id type = spv_pointer_pointee(s->module, inst->type);
    struct variable variable = {.def = inst};
    if (spv_type_is_vector(s->module, type)) {
        variable.shape = VECTOR;
    } else {
        variable.count = num_members(s->module, type);
        if (variable.count && can_split_initializer(s->module, inst))
            variable.shape = AGGREGATE;
    }
    if (variable.shape == NOTHING)
        return;
    vec_push(s->arena, &s->variables, variable);
    s->index[inst->id] = s->variables.length;
    vec_push(s->arena, &s->marked, inst->id);
}

static struct variable *variable_of(const struct sroa *s, spv_id id)
{
    return id < s->bound && s->index[id] ? &s->variables.data[s->index[id] - 1] : NULL;
}

static bool is_volatile(const struct spv_inst *inst, uint32_t word)
{
    return inst->num_words > word && inst->words[word] & SpvMemoryAccessVolatileMask;
}

/* The number of the operand that is the first index into the object; 0 when the chain first steps to another element.
 */
static uint32_t first_index(const struct spv_module *module, const struct spv_inst *chain)
{
    uint64_t element;
    if (!spv_op_is_chain(chain->op))
        return 0;
    if (!spv_op_is_by_element(chain->op))
        return 1;
    return spv_const_value(module, chain->words[1], &element) && !element ? 2 : 0;
}

/* Whether the indices from words[first] on keep a chain inside of what the operands before them lead to. */
static bool stays_inside(const struct sroa *s, const struct spv_inst *chain, uint32_t first)
{
    return chain->num_words == first || chain_stays_inside(s->module, chain, first, spv_op_is_in_bounds(chain->op));
}

static bool is_whole_access(const struct spv_inst *inst)
{
    return (inst->op == SpvOpLoad && !is_volatile(inst, 1)) || (inst->op == SpvOpStore && !is_volatile(inst, 2));
}

static bool suits(struct sroa *s, const struct variable *variable, const struct spv_inst *inst)
{
    uint64_t index;
    if (is_whole_access(inst))
        return true;
    uint32_t first = first_index(s->module, inst);
    if (!first)
        return false;
    if (first == inst->num_words) /* the same pointer again */
        return true;
    if (variable->shape == VECTOR)
        return inst->num_words == first + 1;
    return spv_const_value(s->module, inst->words[first], &index) && index < variable->count &&
           stays_inside(s, inst, first + 1);
}

/* A variable can be split only if each pointer into a member stays inside that member. A pointer that is stepped,
 * stored, cast or merged with others might reach the neighbouring members. */
static void check_inner_use(struct sroa *s, struct spv_inst *inst, const uint32_t *word)
{
    uint32_t place = *word < s->bound ? s->inner[*word] : 0;
    uint32_t first = place ? first_index(s->module, inst) : 0;
    bool access = inst->op == SpvOpLoad || inst->op == SpvOpStore || inst->op == SpvOpCopyMemory;
    if (place && (!access || (word != inst->words && inst->op != SpvOpCopyMemory)) &&
        !(word == inst->words && first && stays_inside(s, inst, first)))
        s->variables.data[place - 1].shape = NOTHING;
}

/* Finds all pointers into variables. A chain stands after what it starts from, so one walk is enough. */
static void find_inner(struct sroa *s)
{
    spv_foreach_block (block, s->function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!first_index(s->module, inst) || inst->words[0] >= s->bound)
                continue;
            uint32_t outer = s->index[inst->words[0]], place = s->inner[inst->words[0]];
            if (outer && s->variables.data[outer - 1].shape == AGGREGATE)
                place = outer;
            if (!place)
                continue;
            s->inner[inst->id] = place;
            vec_push(s->arena, &s->marked, inst->id);
        }
    }
}

static void check_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct sroa *s = data;
    check_inner_use(s, inst, word);
    struct variable *variable = variable_of(s, *word);
    if (!variable || variable->shape == NOTHING)
        return;
    bool is_component = variable->def->id != *word;
    if (word != inst->words || (is_component ? !is_whole_access(inst) : !suits(s, variable, inst))) {
        variable->shape = NOTHING;
        return;
    }
    /* A chain to a vector's component: its uses are checked, too. A chain that is the variable's pointer itself is
     * replaced by that pointer, and its uses are checked in the next round. */
    uint32_t first = is_component ? 0 : first_index(s->module, inst);
    if (first && first == inst->num_words)
        spv_replace(s->module, &s->replacements, inst->id, variable->def->id);
    if (!first || first == inst->num_words || variable->shape != VECTOR)
        return;
    s->index[inst->id] = s->index[*word];
    vec_push(s->arena, &s->marked, inst->id);
}

/* ---- before ---- */

static bool is_local_pointer(const struct spv_module *module, spv_id pointer)
{
    spv_id type = spv_value_type(module, pointer);
    return spv_type_is_pointer(module, type) && spv_pointer_storage(module, type) == SpvStorageClassFunction;
}

/* Copies an object member by member, down to scalars and vectors. If it were loaded and stored as a whole, that load
 * would remain where the other variable cannot be split. */
static void copy_parts(struct sroa *s, struct spv_builder *at, spv_id dst, spv_id src, spv_id type, uint64_t align)
{
    struct spv_module *module = s->module;
    if (!spv_type_is_aggregate(module, type)) {
        spv_id value = spv_emitv(at, SpvOpLoad, type, src, SpvMemoryAccessAlignedMask, (uint32_t)align);
        spv_emitv_void(at, SpvOpStore, dst, value, SpvMemoryAccessAlignedMask, (uint32_t)align);
        return;
    }
    uint64_t count = spv_member_count(module, type);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset;
        spv_id part = spv_layout_member(&s->layouts, type, i, &offset), index = spv_const_u32(module, i), parts[2];
        for (uint32_t side = 0; side < 2; side++) {
            spv_id whole = side ? src : dst;
            uint32_t storage = spv_pointer_storage(module, spv_value_type(module, whole));
            parts[side] =
                spv_emitv(at, SpvOpInBoundsAccessChain, spv_type_pointer(module, storage, part), whole, index);
        }
        copy_parts(s, at, parts[0], parts[1], part, (align | offset) & -(align | offset));
    }
}

/* Replaces OpCopyMemory of a small object, one side of which is local, by loads and stores. */
static bool split_copy(struct sroa *s, struct spv_inst *copy)
{
    struct spv_module *module = s->module;
    if (!is_local_pointer(module, copy->words[0]) && !is_local_pointer(module, copy->words[1]))
        return false;
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, copy->words[0]));
    bool plain = copy->num_words == 2 || (copy->num_words == 4 && copy->words[2] == SpvMemoryAccessAlignedMask);
    const struct spv_layout *layout = spv_layout_of(&s->layouts, type);
    if (!plain || layout->leaves > MAX_MEMBERS ||
        type != spv_pointer_pointee(module, spv_value_type(module, copy->words[1])))
        return false;
    struct spv_builder at = {module, s->function, copy->block, copy};
    copy_parts(s, &at, copy->words[0], copy->words[1], type, copy->num_words == 4 ? copy->words[3] : layout->align);
    cfg_remove_inst(module, copy);
    return true;
}

static bool prepare(struct sroa *s)
{
    bool changed = false, lifetimes = false;
    spv_foreach_block (block, s->function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (inst->op == SpvOpCopyMemory) {
                changed |= split_copy(s, inst);
            } else if (spv_op_is_lifetime(inst->op)) {
                cfg_remove_inst(s->module, inst);
                lifetimes = true;
            }
        }
    }
    /* what was made for the marks only */
    if (lifetimes)
        opt_dce(s->module, s->function);
    return changed || lifetimes;
}

/* ---- splitting ---- */

static spv_id member_initializer(struct sroa *s, spv_id initializer, spv_id type, uint32_t member)
{
    const struct spv_inst *def = spv_def(s->module, initializer);
    if (def->op == SpvOpConstantComposite)
        return def->words[member];
    return def->op == SpvOpConstantNull ? spv_const_null(s->module, type) : 0;
}

static void make_members(struct sroa *s, struct variable *variable)
{
    struct spv_module *module = s->module;
    spv_id type = spv_pointer_pointee(module, variable->def->type);
    struct spv_builder at = {module, s->function, variable->def->block, variable->def};
    variable->members = arena_array(s->arena, spv_id, variable->count);
    for (uint32_t i = 0; i < variable->count; i++) {
        spv_id part = member_type(module, type, i);
        spv_id initializer = variable->def->num_words > 1 ? member_initializer(s, variable->def->words[1], part, i) : 0;
        const uint32_t words[] = {SpvStorageClassFunction, initializer};
        spv_id pointer = spv_type_pointer(module, SpvStorageClassFunction, part);
        variable->members[i] = spv_emit(&at, SpvOpVariable, pointer, initializer ? 2 : 1, words);
    }
}

static void split_chain(struct sroa *s, const struct variable *variable, struct spv_inst *chain)
{
    uint64_t member = 0;
    uint32_t first = first_index(s->module, chain), rest = chain->num_words - first - 1;
    spv_const_value(s->module, chain->words[first], &member);
    if (!rest) {
        spv_replace(s->module, &s->replacements, chain->id, variable->members[member]);
        cfg_remove_inst(s->module, chain);
        return;
    }
    uint32_t *words = arena_array(s->arena, uint32_t, rest + 1);
    words[0] = variable->members[member];
    memcpy(words + 1, chain->words + first + 1, rest * sizeof(*words));
    chain->op = spv_op_is_in_bounds(chain->op) ? SpvOpInBoundsAccessChain : SpvOpAccessChain;
    spv_inst_set_words(s->module, chain, rest + 1, words);
}

static void split_access(struct sroa *s, const struct variable *variable, struct spv_inst *inst)
{
    struct spv_module *module = s->module;
    struct spv_builder at = {module, s->function, inst->block, inst};
    spv_id type = spv_pointer_pointee(module, variable->def->type);
    spv_id parts[MAX_MEMBERS];
    for (uint32_t i = 0; i < variable->count; i++) {
        spv_id part = member_type(module, type, i);
        if (inst->op == SpvOpLoad) {
            parts[i] = spv_emitv(&at, SpvOpLoad, part, variable->members[i]);
            continue;
        }
        spv_id value = spv_emitv(&at, SpvOpCompositeExtract, part, inst->words[1], i);
        spv_emitv_void(&at, SpvOpStore, variable->members[i], value);
    }
    if (inst->op == SpvOpLoad) {
        spv_id whole = spv_emit(&at, SpvOpCompositeConstruct, type, variable->count, parts);
        spv_replace(module, &s->replacements, inst->id, whole);
    }
    cfg_remove_inst(module, inst);
}

/* ---- components of vectors ---- */

static void rewrite_component(struct sroa *s, const struct variable *variable, const struct spv_inst *chain,
                              struct spv_inst *inst)
{
    struct spv_module *module = s->module;
    struct spv_builder at = {module, s->function, inst->block, inst};
    spv_id pointer = variable->def->id, type = spv_pointer_pointee(module, variable->def->type);
    spv_id index = chain->words[chain->num_words - 1];
    uint64_t component;
    bool constant = spv_const_value(module, index, &component);
    if (constant && component >= spv_type_count(module, type)) {
        if (inst->op == SpvOpLoad)
            spv_replace(module, &s->replacements, inst->id, spv_undef(module, inst->type));
        cfg_remove_inst(module, inst);
        return;
    }
    spv_id whole = spv_emitv(&at, SpvOpLoad, type, pointer);
    if (inst->op == SpvOpLoad) {
        spv_id value = constant ? spv_emitv(&at, SpvOpCompositeExtract, inst->type, whole, (uint32_t)component)
                                : spv_emitv(&at, SpvOpVectorExtractDynamic, inst->type, whole, index);
        spv_replace(module, &s->replacements, inst->id, value);
    } else {
        spv_id value = constant ? spv_emitv(&at, SpvOpCompositeInsert, type, inst->words[1], whole, (uint32_t)component)
                                : spv_emitv(&at, SpvOpVectorInsertDynamic, type, whole, inst->words[1], index);
        spv_emitv_void(&at, SpvOpStore, pointer, value);
    }
    cfg_remove_inst(module, inst);
}

/* ---- the pass ---- */

static bool rewrite_inst(struct sroa *s, struct spv_inst *inst)
{
    struct variable *variable = inst->num_words ? variable_of(s, inst->words[0]) : NULL;
    if (!variable || variable->shape == NOTHING || inst->op == SpvOpPhi)
        return false;
    bool whole = variable->def->id == inst->words[0];
    uint32_t first = first_index(s->module, inst);
    if (variable->shape == VECTOR) {
        if (whole || !is_whole_access(inst))
            return false;
        rewrite_component(s, variable, spv_def(s->module, inst->words[0]), inst);
        return true;
    }
    if (is_whole_access(inst))
        split_access(s, variable, inst);
    else if (first && first < inst->num_words)
        split_chain(s, variable, inst);
    return true;
}

/* Removes chains to components, which nothing uses any more: opt_mem2reg() would take them for uses of the vector. */
static void remove_component_chains(struct sroa *s)
{
    spv_foreach_block (block, s->function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            const struct variable *variable = inst->id ? variable_of(s, inst->id) : NULL;
            if (variable && variable->shape == VECTOR && variable->def != inst)
                cfg_remove_inst(s->module, inst);
        }
    }
}

static bool has_aggregate(const struct sroa *s)
{
    for (uint32_t i = 0; i < s->variables.length; i++) {
        if (s->variables.data[i].shape == AGGREGATE)
            return true;
    }
    return false;
}

/* Whether a chain reaches a component of a vector that qualifies. */
static bool has_component(const struct sroa *s)
{
    for (uint32_t i = 0; i < s->marked.length; i++) {
        const struct variable *variable = variable_of(s, s->marked.data[i]);
        if (variable && variable->shape == VECTOR && variable->def->id != s->marked.data[i])
            return true;
    }
    return false;
}

static bool split_variables(struct sroa *s)
{
    bool changed = false;
    spv_foreach_inst (inst, &s->function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            add_variable(s, inst);
    }
    if (!s->variables.length)
        return false;
    if (has_aggregate(s))
        find_inner(s);
    spv_foreach_block (block, s->function) {
        spv_foreach_inst (inst, &block->insts) {
            if (!spv_op_is_plain(inst->op))
                spv_visit_operand_ids(inst, check_use, s);
        }
    }
    /* some chains are the variable's pointer itself: this round only replaces those, and the next one splits */
    if (s->replacements.to) {
        spv_apply_replacements(s->module, &s->replacements, s->function);
        opt_dce(s->module, s->function);
        return true;
    }
    bool components = has_component(s);
    if (!has_aggregate(s) && !components)
        return false;
    for (uint32_t i = 0; i < s->variables.length; i++) {
        if (s->variables.data[i].shape == AGGREGATE)
            make_members(s, &s->variables.data[i]);
    }
    spv_foreach_block (each, s->function) {
        spv_foreach_inst_safe (inst, &each->insts) {
            if (!spv_op_is_plain(inst->op))
                changed |= rewrite_inst(s, inst);
        }
    }
    spv_apply_replacements(s->module, &s->replacements, s->function);
    if (components)
        remove_component_chains(s);
    for (uint32_t i = 0; i < s->variables.length; i++) {
        if (s->variables.data[i].shape == AGGREGATE) {
            cfg_remove_inst(s->module, s->variables.data[i].def);
            changed = true;
        }
    }
    return changed;
}

static bool run_round(struct sroa *s)
{
    s->bound = s->module->bound;
    s->index = spv_borrow_table(s->module, uint32_t);
    s->inner = spv_borrow_table(s->module, uint32_t);
    s->variables.length = s->marked.length = 0;
    s->replacements = (struct spv_replacements){0};
    bool changed = split_variables(s);
    spv_finish_replacements(s->module, &s->replacements);
    for (uint32_t i = 0; i < s->marked.length; i++)
        s->inner[s->marked.data[i]] = s->index[s->marked.data[i]] = 0;
    spv_give_back_zeroed(s->module, s->inner);
    spv_give_back_zeroed(s->module, s->index);
    return changed;
}

/* Whether there can be private memory: it takes a variable, or a pointer from outside. */
static bool has_pointers(const struct spv_module *module, const struct spv_function *function)
{
    for (uint32_t i = 0; i < function->params.length; i++) {
        if (spv_type_is_pointer(module, function->params.data[i]->type))
            return true;
    }
    return function->first_block->insts.first->op == SpvOpVariable;
}

bool opt_sroa(struct spv_module *module, struct spv_function *function)
{
    struct sroa s = {.module = module, .function = function, .arena = module->arena};
    s.layouts = (struct spv_layouts){.arena = module->arena, .module = module};
    if (!function->first_block || !has_pointers(module, function))
        return false;
#ifndef NDEBUG
    bool aligned = opt_accesses_are_aligned(module, function);
#endif
    bool changed = prepare(&s);
    for (uint32_t round = 0; round < MAX_ROUNDS && run_round(&s); round++)
        changed = true;
    /* Members have moved to variables of their own, where another address is a multiple of another number. */
    if (changed)
        opt_align_accesses(module, function);
    assert(!aligned || opt_accesses_are_aligned(module, function));
    return changed;
}
