/* The module's invariants: lists are linked, blocks have their shape, operands are defined, definitions dominate their
 * uses.
 *
 * Runs after every pass in debug builds, and at the end of spv_read(), so that no pass has to fear a foreign module:
 * whatever it relies on is either checked here or a matter for SPIRV-Tools. Linear but for the dominators. All memory
 * is scratch of the module's arena and is given back when nothing is wrong. */
#include "check.h"

#include "cfg.h"

#include <string.h>

struct check {
    struct spv_module *module;
    struct arena *arena;
    struct spv_function *function;
    struct spv_cfg cfg;
    uint32_t *order;       /* id -> position in its function's text; 0 where it has none */
    uint32_t *param_owner; /* id of a parameter -> id of its function */
    uint16_t *depths;      /* id of a type or constant -> how deep it nests */
    uint32_t depth;        /* of the deepest operand */
    uint32_t position;
    const struct spv_inst *use; /* whose operands are being looked at */
    uint32_t use_order;
    bool before_repairs;
    const char *error;
};

static void fail(struct check *check, const struct spv_inst *inst, const char *what)
{
    if (check->error)
        return;
    struct str text;
    str_init(&text, check->arena);
    if (inst) {
        spv_print_inst(check->module, inst, &text);
        const char *line = str_text(&text);
        while (*line == ' ')
            line++;
        check->error = arena_printf(check->arena, "%s: %.*s", what, (int)strcspn(line, "\n"), line);
    } else {
        check->error = arena_printf(check->arena, "%s", what);
    }
}

/* ---- operands ---- */

enum sort { SORT_VALUE, SORT_ACCESS, SORT_LABEL, SORT_FUNCTION, SORT_SET, SORT_STRING, SORT_ANY };

/* What the id at words[word] has to be. */
static enum sort expected_sort(const struct spv_inst *inst, uint32_t word)
{
    uint32_t operands = spv_access_operands(inst->op);
    if (operands && word > operands)
        return SORT_ACCESS;
    switch (inst->op) {
    case SpvOpBranch:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
        return SORT_LABEL;
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return word ? SORT_LABEL : SORT_VALUE;
    case SpvOpPhi:
        return word & 1 ? SORT_LABEL : SORT_VALUE;
    case SpvOpFunctionCall:
        return word ? SORT_VALUE : SORT_FUNCTION;
    case SpvOpExtInst:
        /* SPV_KHR_non_semantic_info: operands may be ids of any sort */
        return !word ? SORT_SET : inst->hints.ext_set == SPV_EXT_SET_OTHER ? SORT_ANY : SORT_VALUE;
    case SpvOpLine:
        return SORT_STRING;
    case SpvOpEnqueueKernel:
    case SpvOpSizeOf:
    case SpvOpCooperativeMatrixLengthKHR: /* of a type */
        return SORT_ANY;
    default:
        return spv_op_class(inst->op) == SPV_CLASS_KERNEL_QUERY ? SORT_ANY : SORT_VALUE;
    }
}

static bool has_sort(const struct check *check, const struct spv_inst *def, enum sort sort)
{
    switch (sort) {
    case SORT_VALUE:
        return def->type && def->op != SpvOpFunction;
    case SORT_ACCESS: /* a scope of memory, or a list of SPV_INTEL_memory_access_aliasing */
        return (def->type && def->op != SpvOpFunction) || def->op == SpvOpAliasScopeListDeclINTEL;
    case SORT_LABEL:
        return def->op == SpvOpLabel && def->block && def->block->function == check->function &&
               def->block != check->function->first_block;
    case SORT_FUNCTION:
        return def->op == SpvOpFunction;
    case SORT_SET:
        return def->op == SpvOpExtInstImport;
    case SORT_STRING:
        return def->op == SpvOpString;
    default:
        return true;
    }
}

static bool is_local(const struct check *check, const struct spv_inst *def)
{
    if (def->op == SpvOpFunctionParameter)
        return check->param_owner[def->id] == check->function->def->id;
    return !def->block || def->block->function == check->function;
}

/* def dominates a use at the end of block (of a phi's predecessor), or at position use_order in it */
static bool dominates(const struct check *check, const struct spv_inst *def, const struct spv_block *block,
                      uint32_t use_order)
{
    if (!def->block || block->index == SPV_UNREACHABLE)
        return true;
    if (def->block == block)
        return check->order[def->id] < use_order;
    return def->block->index != SPV_UNREACHABLE && spv_dominates(&check->cfg, def->block->index, block->index);
}

static void check_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check *check = data;
    const struct spv_inst *def = spv_def(check->module, *word);
    uint32_t index = (uint32_t)(word - inst->words);
    if (!def) {
        fail(check, inst, arena_printf(check->arena, "operand %%%u is not defined", *word));
        return;
    }
    /* the entry block is no target of branches, but a phi may name it as a predecessor */
    enum sort sort = expected_sort(inst, index);
    bool names_entry = inst->op == SpvOpPhi && sort == SORT_LABEL && def == check->function->first_block->label;
    if (!names_entry && !has_sort(check, def, sort))
        fail(check, inst, arena_printf(check->arena, "operand %%%u is of the wrong kind", *word));
    else if (!is_local(check, def))
        fail(check, inst, arena_printf(check->arena, "operand %%%u belongs to another function", *word));
    else if (inst->op != SpvOpPhi && sort == SORT_VALUE && !dominates(check, def, inst->block, check->use_order))
        fail(check, inst, arena_printf(check->arena, "definition of %%%u does not dominate its use", *word));
}

/* ---- phis ---- */

static void check_phi(struct check *check, const struct spv_inst *phi, uint32_t *seen, uint32_t stamp)
{
    const struct spv_block *block = phi->block;
    if (block->index == SPV_UNREACHABLE)
        return;
    const struct spv_cfg *cfg = &check->cfg;
    uint32_t first = cfg->pred_start[block->index], last = cfg->pred_start[block->index + 1], reachable = 0;
    for (uint32_t e = first; e < last; e++)
        seen[cfg->preds[e]] = 2 * stamp;
    for (uint32_t i = 0; i + 1 < phi->num_words; i += 2) {
        const struct spv_block *pred = spv_block_of(check->module, phi->words[i + 1]);
        const struct spv_inst *def = spv_def(check->module, phi->words[i]);
        if (!pred || !def || pred->index == SPV_UNREACHABLE)
            continue;
        if (seen[pred->index] != 2 * stamp) {
            fail(check, phi,
                 arena_printf(check->arena, "%%%u is no predecessor, or is named twice", phi->words[i + 1]));
            return;
        }
        seen[pred->index] = 2 * stamp + 1;
        reachable++;
        if (!dominates(check, def, pred, UINT32_MAX))
            fail(check, phi,
                 arena_printf(check->arena, "%%%u does not dominate the edge that brings it", phi->words[i]));
    }
    if (reachable != last - first)
        fail(check, phi, "a predecessor is missing in");
}

/* ---- shape ---- */

static bool is_line(const struct spv_inst *inst)
{
    return spv_op_is_line(inst->op) || (inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_OTHER);
}

static bool allowed_in_block(uint16_t op)
{
    switch (op) {
    case SpvOpVariable:
    case SpvOpUndef:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpExtInst:
        return true;
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLabel:
        return false;
    default:
        return spv_section_of(op) == SPV_SECTION_COUNT;
    }
}

/* OpKill and those that end what only shaders are. */
static bool ends_shaders(uint16_t op)
{
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
        return false;
    default:
        return spv_op_is_terminator(op);
    }
}

static void check_block_shape(struct check *check, const struct spv_block *block)
{
    bool phis_over = false, variables_over = block != check->function->first_block;
    const struct spv_inst *prev = NULL;
    if (!block->label || spv_block_of(check->module, block->label->id) != block)
        fail(check, block->label, "a block is not entered under its label");
    spv_foreach_inst (inst, &block->insts) {
        bool is_merge = spv_op_is_merge(inst->op);
        if (inst->prev != prev || inst->block != block)
            fail(check, inst, "an instruction is not linked into its block");
        else if (!spv_op_known(inst->op) || !allowed_in_block(inst->op))
            fail(check, inst, "not an instruction of a block");
        else if (ends_shaders(inst->op))
            fail(check, inst, "an instruction of shaders, which no kernel has");
        else if (spv_op_is_terminator(inst->op) != !inst->next)
            fail(check, inst, inst->next ? "a terminator inside a block" : "a block does not end with a terminator");
        else if (is_merge && (!inst->next || inst->next->next))
            fail(check, inst, "a merge instruction is not before the terminator");
        else if (inst->op == SpvOpPhi && phis_over)
            fail(check, inst, "a phi after other instructions");
        else if (inst->op == SpvOpVariable && variables_over)
            fail(check, inst, "a variable that is not at the beginning of the function");
        if (check->error)
            return;
        phis_over = phis_over || (inst->op != SpvOpPhi && !is_line(inst));
        variables_over = variables_over || inst->op != SpvOpVariable;
        prev = inst;
    }
    if (!prev || block->insts.last != prev)
        fail(check, block->label, "a block without instructions");
}

static void check_inst(struct check *check, struct spv_inst *inst)
{
    if (spv_op_has_type(inst->op) != !!inst->type || spv_op_has_result(inst->op) != !!inst->id)
        fail(check, inst, "result or result type missing or in excess");
    else if (inst->id && spv_def(check->module, inst->id) != inst)
        fail(check, inst, "defined twice, or not entered under its id");
    else if (inst->type && !spv_op_is_type(spv_type_op(check->module, inst->type)))
        fail(check, inst, "the result type is no type");
    if (check->error)
        return;
    struct spv_operand_cursor cursor;
    struct spv_operand operand;
    spv_cursor_start(&cursor, inst);
    while (spv_cursor_next(&cursor, &operand)) {
    }
    if (cursor.error) {
        fail(check, inst, cursor.error);
        return;
    }
    spv_visit_operand_ids(inst, check_operand, check);
    if (check->error)
        return;
    const char *wrong = spv_check_inst_types(check->module, check->function, inst);
    if (wrong)
        fail(check, inst, wrong);
}

static void check_signature(struct check *check)
{
    const struct spv_module *module = check->module;
    const struct spv_function *function = check->function;
    const struct spv_inst *type = function->def->num_words == 2 ? spv_def(module, function->def->words[1]) : NULL;
    if (spv_def(module, function->def->id) != function->def || spv_function_of(module, function->def->id) != function)
        fail(check, function->def, "a function is not entered under its id");
    else if (!type || type->op != SpvOpTypeFunction || type->words[0] != function->def->type)
        fail(check, function->def, "the function's type does not fit");
    else if (type->num_words != function->params.length + 1)
        fail(check, function->def, "the number of parameters does not fit the function's type");
    for (uint32_t i = 0; !check->error && i < function->params.length; i++) {
        const struct spv_inst *param = function->params.data[i];
        if (param->op != SpvOpFunctionParameter || param->type != type->words[i + 1] ||
            spv_def(module, param->id) != param)
            fail(check, param, "a parameter does not fit the function's type");
        else
            check->param_owner[param->id] = function->def->id;
    }
}

static void check_function(struct check *check, struct spv_function *function)
{
    check->function = function;
    check_signature(check);
    if (check->error || !function->first_block)
        return;
    const struct spv_block *prev = NULL;
    spv_foreach_block (block, function) {
        if (block->prev != prev || block->function != function)
            fail(check, block->label, "a block is not linked into its function");
        if (!check->error)
            check_block_shape(check, block);
        if (check->error)
            return;
        spv_foreach_inst (inst, &block->insts) {
            check->position++;
            if (inst->id && inst->id < check->module->bound)
                check->order[inst->id] = check->position;
        }
        prev = block;
    }
    if (function->last_block != prev) {
        fail(check, function->def, "the function's last block is not its last");
        return;
    }
    struct arena_mark mark = arena_mark(check->arena);
    spv_cfg_compute(check->arena, check->module, function, &check->cfg);
    uint32_t *seen = arena_array(check->arena, uint32_t, check->cfg.count), stamp = 0, position = 0;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            check->use_order = inst->id ? check->order[inst->id] : position + 1;
            position = check->use_order;
            check_inst(check, inst);
            if (!check->error && inst->op == SpvOpPhi)
                check_phi(check, inst, seen, ++stamp);
            if (check->error)
                return;
        }
    }
    arena_rewind(check->arena, mark);
}

/* ---- module scope ---- */

/* Deeper nesting of types and constants is refused, since passes walk them recursively. */
enum { MAX_DEPTH = 1024 };

static void check_defined(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check *check = data;
    const struct spv_inst *def = spv_def(check->module, *word);
    if (!def)
        fail(check, inst, arena_printf(check->arena, "operand %%%u is not defined", *word));
    else if (def->block || def->op == SpvOpFunctionParameter)
        fail(check, inst, arena_printf(check->arena, "operand %%%u belongs to a function", *word));
    else if (check->depth < check->depths[*word])
        check->depth = check->depths[*word];
}

static void check_global_inst(struct check *check, struct spv_inst *inst)
{
    const char *wrong =
        check->before_repairs ? spv_check_global_shape(check->module, inst) : spv_check_global(check->module, inst);
    if (wrong)
        fail(check, inst, wrong);
    else if (check->depth >= MAX_DEPTH)
        fail(check, inst, "types or constants are nested too deep");
    else if (inst->id)
        check->depths[inst->id] = (uint16_t)(check->depth + 1);
}

static void check_module_scope(struct check *check)
{
    struct spv_module *module = check->module;
    check->depths = arena_array(check->arena, uint16_t, module->bound);
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        const struct spv_inst *prev = NULL;
        bool stale_allowed = section == SPV_SECTION_DEBUG || section == SPV_SECTION_ANNOTATION;
        spv_foreach_inst (inst, &module->sections[section]) {
            if (inst->prev != prev || inst->block || spv_section_of(inst->op) != (enum spv_section)section)
                fail(check, inst, "an instruction is not linked into its section");
            else if (inst->id && spv_def(module, inst->id) != inst)
                fail(check, inst, "defined twice, or not entered under its id");
            check->depth = 0;
            if (!check->error && !stale_allowed)
                spv_visit_operand_ids(inst, check_defined, check);
            if (!check->error && section == SPV_SECTION_GLOBAL)
                check_global_inst(check, inst);
            if (check->error)
                return;
            prev = inst;
        }
    }
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (!spv_function_of(module, entry->words[1]))
            fail(check, entry, "an entry point that is no function");
    }
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (!spv_function_of(module, mode->words[0]))
            fail(check, mode, "an execution mode of what is no function");
    }
}

const char *spv_check_scope(struct spv_module *module)
{
    struct arena_mark mark = arena_mark(module->arena);
    struct check check = {.module = module, .arena = module->arena, .before_repairs = true};
    check_module_scope(&check);
    if (!check.error)
        arena_rewind(module->arena, mark);
    return check.error;
}

const char *spv_check(struct spv_module *module)
{
    struct arena_mark mark = arena_mark(module->arena);
    struct check check = {.module = module, .arena = module->arena};
    check_module_scope(&check);
    if (!check.error) {
        check.order = arena_array(module->arena, uint32_t, module->bound);
        check.param_owner = arena_array(module->arena, uint32_t, module->bound);
    }
    for (struct spv_function *fn = module->first_function; fn && !check.error; fn = fn->next) {
        check.position = 0;
        check_function(&check, fn);
    }
    if (!check.error)
        arena_rewind(module->arena, mark);
    return check.error;
}
