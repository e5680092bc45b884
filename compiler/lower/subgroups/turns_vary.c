/* What varies between the turns of a lane. What does not is computed once, and branches on it stay as they are.
 *
 * Ids of work-items vary, and what is computed from them, loaded from memory or stored where turns may go different
 * ways. A construct is divergent if its condition varies; a loop, if it is left by a way on which only some turns may
 * be. Starting from nothing, this is repeated until nothing is added. */
#include "compiler/lower/subgroups/turns.h"
#include "compiler/lower/values/launch.h"

bool turns_builtin_varies(SpvBuiltIn builtin)
{
    switch (builtin) {
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return true;
    default:
        return false;
    }
}

static bool is_input(const struct turns *t, spv_id pointer)
{
    const struct spv_inst *def = spv_def(t->module, pointer);
    return def && def->op == SpvOpVariable && def->words[0] == SpvStorageClassInput;
}

static bool is_whole_variable(const struct turns *t, spv_id pointer)
{
    return pointer < t->bound && t->whole[pointer];
}

static bool is_selectable(const struct turns *t, spv_id type)
{
    return spv_op_class(spv_type_op(t->module, type)) == SPV_CLASS_SCALAR_TYPE || spv_type_is_vector(t->module, type);
}

bool turns_is_safe(const struct turns *t, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
        return is_input(t, inst->words[0]) || is_whole_variable(t, inst->words[0]);
    case SpvOpStore: /* which keeps the old value where the turn is masked */
        return is_whole_variable(t, inst->words[0]) && is_selectable(t, spv_value_type(t->module, inst->words[1]));
    default:
        return spv_inst_is_pure(inst);
    }
}

static bool varies(const struct turns *t, spv_id id)
{
    return id < t->bound && t->varying[id];
}

bool turns_inst_varies(const struct turns *t, const struct spv_inst *inst)
{
    if (inst->op == SpvOpStore)
        return !is_whole_variable(t, inst->words[0]) || varies(t, inst->words[0]);
    return !inst->id || varies(t, inst->id);
}

/* ---- instructions ---- */

struct operands {
    const struct turns *t;
    bool varying;
};

static void look(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct operands *operands = data;
    (void)inst;
    operands->varying |= varies(operands->t, *word);
}

static bool operands_vary(const struct turns *t, struct spv_inst *inst)
{
    struct operands operands = {t, false};
    spv_visit_operand_ids(inst, look, &operands);
    return operands.varying;
}

static bool result_varies(const struct turns *t, struct spv_inst *inst)
{
    SpvBuiltIn builtin;
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_SUBGROUP_VOTE:
        return inst->op == SpvOpGroupNonUniformElect;
    case SPV_CLASS_SUBGROUP_ARITHMETIC:
    case SPV_CLASS_SUBGROUP_BITWISE:
    case SPV_CLASS_SUBGROUP_LOGICAL:
        return inst->words[1] != SpvGroupOperationReduce;
    default:
        break;
    }
    switch (inst->op) {
    case SpvOpGroupNonUniformBallot:
    case SpvOpGroupNonUniformBroadcastFirst:
        return false;
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
        return varies(t, inst->words[2]);
    case SpvOpGroupNonUniformBallotBitCount:
        return inst->words[1] != SpvGroupOperationReduce || varies(t, inst->words[2]);
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return operands_vary(t, inst);
    case SpvOpLoad:
        if (is_input(t, inst->words[0]))
            return lower_builtin_of(t->module, inst->words[0], &builtin) && turns_builtin_varies(builtin);
        return !is_whole_variable(t, inst->words[0]) || varies(t, inst->words[0]);
    default:
        return !spv_inst_is_pure(inst) || operands_vary(t, inst);
    }
}

static bool set_varying(struct turns *t, spv_id id)
{
    bool news = id < t->bound && !t->varying[id];
    if (news)
        t->varying[id] = 1;
    return news;
}

static bool vary_code(struct turns *t, const struct spv_block *block, bool divergent)
{
    bool changed = false;
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op == SpvOpVariable)
            continue;
        if (inst->op == SpvOpStore && is_whole_variable(t, inst->words[0]) && (divergent || varies(t, inst->words[1])))
            changed |= set_varying(t, inst->words[0]);
        if (inst->id && result_varies(t, inst))
            changed |= set_varying(t, inst->id);
    }
    return changed;
}

/* ---- the tree ---- */

/* The constructs around, and which of them are divergent themselves. */
struct path {
    const struct path *up;
    struct turn_node *node;
};

/* Whether only some turns may be here of those that came into the construct; NULL: into the kernel. */
static bool may_be_alone(const struct path *path, const struct turn_node *of)
{
    for (; path && path->node != of; path = path->up) {
        if (path->node->divergent)
            return true;
    }
    return false;
}

static bool set_divergent(struct turn_node *node)
{
    bool news = !node->divergent;
    node->divergent = true;
    return news;
}

static bool vary_leave(const struct turn_node *node, const struct path *path)
{
    bool changed = false;
    if (node->what == LEAVE_LOOP || node->what == LEAVE_ROUND)
        return may_be_alone(path, node->of) && set_divergent(node->of);
    if (node->what != LEAVE_KERNEL || !may_be_alone(path, NULL))
        return false;
    for (; path; path = path->up) {
        if (path->node->kind == TURN_LOOP)
            changed |= set_divergent(path->node);
    }
    return changed;
}

/* Whether code before the next round of a loop may stand in the continue construct, where there is nothing but
 * arithmetic. */
static bool is_plain_step(const struct turns *t, const struct turn_list *list)
{
    vec_foreach (struct turn_node *, each, &list->nodes) {
        if ((*each)->kind != TURN_CODE)
            return false;
        spv_foreach_inst (inst, &(*each)->block->insts) {
            if (!spv_op_is_terminator(inst->op) && !turns_is_safe(t, inst))
                return false;
        }
    }
    return true;
}

static bool vary_list(struct turns *t, const struct turn_list *list, const struct path *path)
{
    bool changed = false;
    vec_foreach (struct turn_node *, each, &list->nodes) {
        struct turn_node *node = *each;
        const struct path inside = {path, node};
        const struct spv_inst *end = node->block ? spv_terminator(node->block) : NULL;
        switch (node->kind) {
        case TURN_CODE:
            changed |= vary_code(t, node->block, may_be_alone(path, NULL));
            break;
        case TURN_WHOLE:
            for (uint32_t i = 0; i < node->blocks.length; i++)
                changed |= vary_code(t, node->blocks.data[i], true);
            break;
        case TURN_IF:
            if (varies(t, end->words[0]))
                changed |= set_divergent(node);
            break;
        case TURN_SWITCH:
            changed |= set_divergent(node);
            break;
        case TURN_LOOP:
            if (!is_plain_step(t, &node->arms[1]))
                changed |= set_divergent(node);
            break;
        case TURN_LEAVE:
            changed |= vary_leave(node, path);
            break;
        }
        for (uint32_t i = 0; i < node->num_arms; i++)
            changed |= vary_list(t, &node->arms[i], &inside);
    }
    return changed;
}

/* Notes for each construct whether some turns may leave it by another way than its end while others go on. */
static void find_leaves(const struct turn_list *list, const struct path *path)
{
    vec_foreach (struct turn_node *, each, &list->nodes) {
        struct turn_node *node = *each;
        const struct path inside = {path, node};
        bool masked =
            node->kind == TURN_LEAVE && (node->what == LEAVE_KERNEL ? may_be_alone(path, NULL) : node->of->divergent);
        for (const struct path *at = path; masked && at && at->node != node->of; at = at->up)
            at->node->leaves = true;
        for (uint32_t i = 0; i < node->num_arms; i++)
            find_leaves(&node->arms[i], &inside);
    }
}

static void note_uses(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct turns *t = data;
    const struct spv_inst *def = spv_def(t->module, *word);
    if (!def || def->op != SpvOpVariable || def->words[0] != SpvStorageClassFunction)
        return;
    if (inst->op != SpvOpLoad && (inst->op != SpvOpStore || word != inst->words))
        t->whole[*word] = 0;
}

static void find_whole_variables(struct turns *t)
{
    spv_foreach_inst (inst, &t->function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            t->whole[inst->id] = 1;
    }
    spv_foreach_block (block, t->function)
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, note_uses, t);
    spv_foreach_inst (inst, &t->function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            t->varying[inst->id] = !t->whole[inst->id];
    }
}

void turns_find_varying(struct turns *t)
{
    find_whole_variables(t);
    while (vary_list(t, &t->body, NULL))
        ;
    find_leaves(&t->body, NULL);
}
