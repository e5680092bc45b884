/* Which accesses may touch the same memory, for cse_memory.c and promote.c.
 *
 * Memory is divided into a few dozen places. There is one place for each storage class, for pointers about which
 * nothing more is known. The rest are for variables and parameters that no other pointer can reach (private and local
 * variables whose address is only used for loads and stores, local and restrict parameters); a hash assigns them.
 *
 * OpenCL C 3.0, 3.3 (the memory model of C11): a work-item sees stores of other work-items only after barriers, fences
 * and atomics; anything else would be a race. So barriers, fences, atomics and calls concern everything that is not
 * private, and stores of other work-items need no attention otherwise. */
#include "compiler/opt/alias.h"

#include "compiler/opt/chain.h"

enum {
    PLACE_GLOBAL,
    PLACE_LOCAL,
    PLACE_PRIVATE,
    PLACE_GENERIC,
    FIRST_OWN_PRIVATE,
    FIRST_OWN_LOCAL = 24, /* as ALIAS_SHARED says */
    FIRST_OWN_GLOBAL = 44,
    MAX_CHAINS = 4
};

enum { ESCAPES = 1, IS_WRITTEN = 2 }; /* roots */
enum { NEVER_INSIDE = UINT8_MAX };    /* chains */

/* True for most instructions: they take no pointer and have no effect. */
static bool is_arithmetic(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->op == SpvOpPhi || inst->op == SpvOpSelect)
        return !spv_type_is_pointer(module, inst->type);
    return spv_op_is_plain(inst->op);
}

/* ---- where pointers lead ---- */

bool alias_is_restrict(const struct spv_module *module, const struct spv_inst *param)
{
    for (const struct spv_inst *d = spv_decorations(module, param->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate && d->num_words > 2 && d->words[1] == SpvDecorationFuncParamAttr &&
            d->words[2] == SpvFunctionParameterAttributeNoAlias)
            return true;
    }
    return false;
}

static bool may_be_root(const struct alias *a, const struct spv_inst *inst)
{
    SpvStorageClass storage = spv_pointer_storage(a->module, inst->type);
    if (inst->op == SpvOpFunctionParameter)
        return (storage == SpvStorageClassWorkgroup && a->whole_program) ||
               (storage == SpvStorageClassCrossWorkgroup && alias_is_restrict(a->module, inst));
    return inst->op == SpvOpVariable &&
           (storage == SpvStorageClassFunction || (storage == SpvStorageClassWorkgroup && a->whole_program &&
                                                   !spv_find_decoration(a->module, inst->id, SpvDecorationAliased)));
}

static void set_root(struct alias *a, spv_id pointer, spv_id root)
{
    a->root[pointer] = root;
    vec_push(a->arena, &a->noted, pointer);
}

static void find_root(struct alias *a, const struct spv_inst *inst)
{
    if (spv_type_is_pointer(a->module, inst->type) && may_be_root(a, inst))
        set_root(a, inst->id, inst->id);
}

/* Finds the roots, which are variables and parameters. Pointers that are derived from them come later. */
static void find_roots(struct alias *a, const struct spv_function *function)
{
    spv_foreach_inst (global, &a->module->sections[SPV_SECTION_GLOBAL]) {
        if (global->op == SpvOpVariable)
            find_root(a, global);
    }
    for (uint32_t i = 0; i < function->params.length; i++)
        find_root(a, function->params.data[i]);
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            find_root(a, inst);
    }
}

static void see_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct alias *a = data;
    spv_id root = a->root[*word];
    uint32_t position = (uint32_t)(word - inst->words);
    if (!root)
        return;
    if (inst->op == SpvOpPhi && spv_type_is_pointer(a->module, inst->type)) {
        if (!a->root[inst->id]) /* see check_phis() */
            set_root(a, inst->id, root);
        return;
    }
    bool copies = spv_op_is_copy(inst->op);
    if (inst->op == SpvOpLoad || spv_op_is_lifetime(inst->op) || (copies && position == 1))
        return;
    if (spv_op_leads_on(inst->op) && position == 0 && spv_type_is_pointer(a->module, inst->type))
        set_root(a, inst->id, root);
    else
        a->escapes[root] |= (copies || inst->op == SpvOpStore) && position == 0 ? IS_WRITTEN : ESCAPES;
}

/* A phi takes the root of its first operand that has one. Where its operands have different roots, all these roots
 * count as escaped, since the phi may point to any of them. */
static void check_phis(struct alias *a, const struct spv_block *block)
{
    spv_foreach_inst (phi, &block->insts) {
        if (phi->op != SpvOpPhi)
            return;
        spv_id root = a->root[phi->id];
        bool pointer = spv_type_is_pointer(a->module, phi->type);
        for (uint32_t i = 0; pointer && i < phi->num_words; i += 2) {
            spv_id other = a->root[phi->words[i]];
            if (other == root)
                continue;
            a->escapes[root] |= ESCAPES;
            a->escapes[other] |= ESCAPES;
        }
    }
}

uint32_t alias_place(struct alias *a, spv_id pointer)
{
    spv_id root = a->root[pointer];
    SpvStorageClass storage = spv_pointer_storage(a->module, spv_value_type(a->module, pointer));
    bool own = root && !(a->escapes[root] & ESCAPES);
    uint32_t hash = root * 0x9e3779b1u >> 16;
    switch (storage) {
    case SpvStorageClassInput:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassUniform:
    case SpvStorageClassPushConstant:
        return ALIAS_NEVER;
    case SpvStorageClassFunction:
        return own ? FIRST_OWN_PRIVATE + hash % (FIRST_OWN_LOCAL - FIRST_OWN_PRIVATE) : (uint32_t)PLACE_PRIVATE;
    case SpvStorageClassPrivate:
        return PLACE_PRIVATE;
    case SpvStorageClassWorkgroup:
        return own ? FIRST_OWN_LOCAL + hash % (FIRST_OWN_GLOBAL - FIRST_OWN_LOCAL) : (uint32_t)PLACE_LOCAL;
    case SpvStorageClassGeneric:
        return PLACE_GENERIC;
    default:
        if (!own)
            return PLACE_GLOBAL;
        /* C11 6.7.3.1: nobody else may write it either */
        if (a->whole_program && !(a->escapes[root] & IS_WRITTEN))
            return ALIAS_NEVER;
        return FIRST_OWN_GLOBAL + hash % (ALIAS_PLACES - FIRST_OWN_GLOBAL);
    }
}

uint64_t alias_overlapping(uint32_t place)
{
    if (place == ALIAS_NEVER)
        return 0;
    if (place >= FIRST_OWN_PRIVATE)
        return (uint64_t)1 << place;
    return place == PLACE_GENERIC ? 0xf : (uint64_t)1 << place | 1u << PLACE_GENERIC;
}

/* ---- what instructions do ---- */

enum alias_effect alias_effect_of(const struct alias *a, const struct spv_inst *inst)
{
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_COPY:
        return ALIAS_COPY;
    case SPV_CLASS_LINE:
    case SPV_CLASS_LIFETIME:
    case SPV_CLASS_MERGE:
        return ALIAS_NONE;
    default:
        break;
    }
    switch (inst->op) {
    case SpvOpLoad:
        return ALIAS_LOAD;
    case SpvOpStore:
        return ALIAS_STORE;
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpVariable:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return ALIAS_NONE;
    case SpvOpFunctionCall: {
        const struct spv_function *callee = spv_function_of(a->module, inst->words[0]);
        uint32_t control = callee ? callee->def->words[0] : 0;
        return control & SpvFunctionControlConstMask  ? ALIAS_NONE
               : control & SpvFunctionControlPureMask ? ALIAS_READ_ALL
                                                      : ALIAS_ALL;
    }
    default:
        return spv_inst_effect(inst) == SPV_EFFECT_UNKNOWN ? ALIAS_ALL : ALIAS_NONE;
    }
}

bool alias_is_special(const struct spv_inst *inst)
{
    uint32_t first = inst->op == SpvOpLoad ? 1 : 2;
    uint32_t mask = inst->num_words > first ? inst->words[first] : 0;
    return mask & ~(uint32_t)(SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask |
                              SpvMemoryAccessNonPrivatePointerMask);
}

static bool is_entry_point(const struct spv_module *module, spv_id function)
{
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->words[1] == function)
            return true;
    }
    return false;
}

void alias_start(struct alias *a, struct spv_module *module, const struct spv_function *function,
                 const struct spv_cfg *cfg)
{
    *a = (struct alias){.module = module, .arena = spv_scratch(module)};
    a->whole_program = is_entry_point(module, function->def->id);
    a->root = spv_borrow_table(module, spv_id);
    a->escapes = spv_borrow_table(module, uint8_t);
    find_roots(a, function);
    for (uint32_t i = 0; i < cfg->count; i++) {
        spv_foreach_inst (inst, &cfg->blocks[i]->insts) {
            if (is_arithmetic(module, inst))
                continue;
            spv_visit_operand_ids(inst, see_operand, a);
            if (alias_effect(a, inst) > ALIAS_LOAD)
                vec_push(a->arena, &a->writers, inst);
        }
    }
    for (uint32_t i = 0; i < cfg->count; i++)
        check_phis(a, cfg->blocks[i]);
}

void alias_finish(struct alias *a)
{
    for (uint32_t i = 0; i < a->noted.length; i++)
        a->root[a->noted.data[i]] = a->escapes[a->noted.data[i]] = 0;
    a->escapes[0] = 0;
    spv_give_back_zeroed(a->module, a->escapes);
    spv_give_back_zeroed(a->module, a->root);
}

/* ---- what lies beside what ---- */

static bool differ(const struct spv_module *module, spv_id a, spv_id b)
{
    int64_t one, two;
    if (a == b || !spv_is_constant(module, a) || !spv_is_constant(module, b))
        return false;
    const struct spv_inst *first = spv_def(module, a), *second = spv_def(module, b);
    if (first->op == SpvOpConstant && second->op == SpvOpConstant && first->type == second->type) {
        if (first->num_words == 2)
            return first->words[0] != second->words[0] || first->words[1] != second->words[1];
        if (spv_type_width(module, first->type) == 32)
            return first->words[0] != second->words[0];
    }
    return chain_constant(module, a, &one) && chain_constant(module, b, &two) && one != two;
}

static uint8_t find_inside(struct alias *a, const struct spv_inst *chain)
{
    uint32_t i = 1;
    while (i <= chain->num_words && i < NEVER_INSIDE && !chain_stays_inside(a->module, chain, i, false))
        i++;
    vec_push(a->arena, &a->noted, chain->id);
    return a->escapes[chain->id] = i <= chain->num_words && i < NEVER_INSIDE ? (uint8_t)i : NEVER_INSIDE;
}

/* The first operand from which on the chain stays inside (chain_stays_inside()) is found once per chain and kept: if
 * the chain stays inside from one operand on, it does from every later one. */
static inline bool stays_inside(struct alias *a, const struct spv_inst *chain, uint32_t first)
{
    uint8_t from = a->escapes[chain->id];
    if (!from)
        from = find_inside(a, chain);
    return from != NEVER_INSIDE && from <= first;
}

/* Whether two chains from the same pointer lead to memory that cannot overlap: they differ in a member or a constant
 * index, and neither leaves the part that this index chose. */
static bool are_beside(struct alias *a, const struct spv_inst *one, const struct spv_inst *two, uint32_t depth)
{
    uint32_t i = 1;
    if (one->op != two->op || !spv_op_is_chain(one->op))
        return false;
    bool parted = one->words[0] != two->words[0];
    if (parted && (depth == MAX_CHAINS ||
                   !are_beside(a, spv_def(a->module, one->words[0]), spv_def(a->module, two->words[0]), depth + 1)))
        return false;
    while (!parted && i < one->num_words && i < two->num_words && one->words[i] == two->words[i])
        i++;
    if (!parted && (i >= one->num_words || i >= two->num_words || !differ(a->module, one->words[i], two->words[i])))
        return false;
    uint32_t inside = parted ? 1 : i + 1;
    return stays_inside(a, one, inside) && stays_inside(a, two, inside);
}

bool alias_beside(struct alias *a, spv_id one, spv_id two)
{
    return are_beside(a, spv_def(a->module, one), spv_def(a->module, two), 1);
}
