/* What each pointer is (memory.h), before any instruction changes: every value that is a pointer becomes a sum (address.c), and
 * pointers that flow together are united. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/matrices.h"

#include "compiler/opt/cfg/cfg.h"

#include "base/util.h"

static struct mem_ptr *new_ptr(struct memory *m, spv_id id, enum mem_space space)
{
    struct mem_ptr *ptr = arena_new(m->arena, struct mem_ptr);
    ptr->space = (uint8_t)space;
    ptr->known = true;
    ptr->node = m->parent.length;
    vec_push(m->arena, &m->parent, ptr->node);
    m->ptrs[id] = ptr;
    return ptr;
}

bool mem_is_pointer(const struct memory *m, spv_id type)
{
    return type && spv_type_is_pointer(m->module, type) && mem_space_of(m->module, type) != MEM_NONE &&
           !(m->lower->native_matrices && lower_points_to_matrix(m->module, type));
}

/* What a pointer that comes from an unknown place (memory, an integer) may point to. */
static uint32_t escape_node(enum mem_space space)
{
    return space == MEM_LOCAL ? MEM_NODE_LOCAL : space == MEM_PRIVATE ? MEM_NODE_PRIVATE : MEM_NODE_UNKNOWN;
}

static void unite_with(struct memory *m, const struct mem_ptr *ptr, spv_id other)
{
    if (other >= m->num_ids || !m->ptrs[other])
        return;
    const struct mem_ptr *source = m->ptrs[other];
    bool to_small = ptr->space == MEM_LOCAL || ptr->space == MEM_PRIVATE;
    bool from_small = source->space == MEM_LOCAL || source->space == MEM_PRIVATE;
    if (source->space == ptr->space || (!to_small && !from_small)) {
        mem_unite(m, ptr->node, source->node);
        return;
    }
    /* A cast between spaces: local and private objects that are reached by generic pointers are in the escape regions.
     */
    if (from_small)
        mem_unite(m, source->node, escape_node(source->space));
    if (to_small)
        mem_unite(m, ptr->node, escape_node(ptr->space));
}

static void escape(struct memory *m, spv_id id)
{
    if (id < m->num_ids && m->ptrs[id])
        mem_unite(m, m->ptrs[id]->node, escape_node(m->ptrs[id]->space));
}

/* Gives every pointer value its node. This comes before any flow is looked at, since phis refer forward. */
static void declare(struct memory *m, const struct spv_inst *inst)
{
    if (!inst->id || inst->id >= m->num_ids || !mem_is_pointer(m, inst->type))
        return;
    m->pointer_types[inst->id] = inst->type;
    if (inst->op == SpvOpConstantNull || inst->op == SpvOpUndef)
        return;
    enum mem_space space = mem_space_of(m->module, inst->type);
    struct mem_ptr *ptr = new_ptr(m, inst->id, space);
    ptr->base = inst->id;
    if (inst->op == SpvOpPtrCastToGeneric) {
        SpvStorageClass from = spv_pointer_storage(m->module, spv_value_type(m->module, inst->words[0]));
        m->generic_local |= from == SpvStorageClassWorkgroup;
        m->generic_private |= from == SpvStorageClassFunction;
        m->generic_tags = m->generic_local || m->generic_private;
    }
    m->from_integers |=
        inst->op == SpvOpConvertUToPtr || inst->op == SpvOpLoad || spv_op_is_atomic(inst->op) ||
        (inst->op == SpvOpBitcast && !spv_type_is_pointer(m->module, spv_value_type(m->module, inst->words[0])));
}

static void analyse_variable(struct memory *m, const struct spv_inst *inst)
{
    struct mem_ptr *ptr = m->ptrs[inst->id];
    uint32_t offset;
    ptr->base = 0;
    ptr->variable = inst->id;
    if (ptr->space != MEM_GLOBAL)
        return;
    ptr->variable = 0;
    if (lower_data_offset(m->lower->globals, inst->id, &offset))
        ptr->data = m->lower->globals;
    else if (lower_data_offset(m->lower->constants, inst->id, &offset))
        ptr->data = m->lower->constants;
    else
        return;
    ptr->offset = offset;
    mem_unite(m, ptr->node, MEM_NODE_UNKNOWN);
}

static void analyse_chain(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    bool element = spv_op_is_by_element(inst->op);
    spv_id type = mem_pointee(m, inst->words[0]);
    for (uint32_t i = 1; i < inst->num_words; i++) {
        spv_id index = inst->words[i];
        uint64_t literal, offset;
        if (element) {
            mem_add_index(m, &b, &ptr, index, (int64_t)spv_layout_of(&m->layouts, type)->size);
            element = false;
            continue;
        }
        if (spv_type_op(m->module, type) == SpvOpTypeStruct) {
            if (!spv_const_value(m->module, index, &literal) || literal >= spv_member_count(m->module, type)) {
                lower_fail(m->lower, "an access chain indexes a struct by no constant, or past its end");
                return;
            }
            type = spv_layout_member(&m->layouts, type, literal, &offset);
            ptr.offset += (int64_t)offset;
            continue;
        }
        if (!spv_member_count(m->module, type) && spv_type_op(m->module, type) != SpvOpTypeArray) {
            lower_fail(m->lower, "an access chain goes into a type without members");
            return;
        }
        type = spv_layout_member(&m->layouts, type, 0, &offset);
        mem_add_index(m, &b, &ptr, index, (int64_t)spv_layout_of(&m->layouts, type)->size);
    }
    ptr.space = m->ptrs[inst->id]->space;
    uint32_t node = m->ptrs[inst->id]->node;
    unite_with(m, m->ptrs[inst->id], inst->words[0]);
    *m->ptrs[inst->id] = ptr;
    m->ptrs[inst->id]->node = node;
}

/* Analyses a cast. One inside a space keeps the sum. */
static void analyse_cast(struct memory *m, struct spv_inst *inst)
{
    struct mem_ptr *ptr = m->ptrs[inst->id];
    spv_id source_type = spv_value_type(m->module, inst->words[0]);
    if (!mem_is_pointer(m, source_type)) {
        mem_unite(m, ptr->node, escape_node(ptr->space));
        return;
    }
    enum mem_space from = mem_space_of(m->module, source_type);
    unite_with(m, ptr, inst->words[0]);
    bool same_number = from == ptr->space || (from == MEM_GLOBAL && ptr->space == MEM_GENERIC);
    if (same_number) {
        struct mem_ptr source = mem_ptr_of(m, inst->words[0]);
        source.space = ptr->space;
        source.node = ptr->node;
        *ptr = source;
    }
}

static void analyse_pointer(struct memory *m, struct spv_inst *inst)
{
    struct mem_ptr *ptr = m->ptrs[inst->id];
    if (spv_op_is_chain(inst->op)) {
        analyse_chain(m, inst);
        return;
    }
    if (spv_op_leads_on(inst->op) || spv_op_class(inst->op) == SPV_CLASS_POINTER_CAST) {
        analyse_cast(m, inst);
        return;
    }
    switch (inst->op) {
    case SpvOpVariable:
        analyse_variable(m, inst);
        break;
    case SpvOpPhi:
        for (uint32_t i = 0; i < inst->num_words; i += 2)
            unite_with(m, ptr, inst->words[i]);
        break;
    case SpvOpSelect:
        unite_with(m, ptr, inst->words[1]);
        unite_with(m, ptr, inst->words[2]);
        break;
    case SpvOpFunctionCall:
        unite_with(m, ptr, inst->words[0]);
        break;
    default: /* loaded, made of an integer, exchanged */
        mem_unite(m, ptr->node, escape_node(ptr->space));
        break;
    }
}

static void analyse_call(struct memory *m, const struct spv_inst *call)
{
    const struct spv_function *callee = spv_function_of(m->module, call->words[0]);
    for (uint32_t i = 0; callee && i < callee->params.length; i++) {
        const struct mem_ptr *param = m->ptrs[callee->params.data[i]->id];
        if (param)
            unite_with(m, param, call->words[i + 1]);
    }
}

/* Notes where a pointer goes to another function, to memory or to an integer. */
static void analyse_flow(struct memory *m, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpFunctionCall:
        analyse_call(m, inst);
        break;
    case SpvOpReturnValue:
        if (m->ptrs[inst->block->function->def->id])
            unite_with(m, m->ptrs[inst->block->function->def->id], inst->words[0]);
        break;
    case SpvOpStore:
        escape(m, inst->words[1]);
        break;
    case SpvOpConvertPtrToU:
        if (m->from_integers)
            escape(m, inst->words[0]);
        break;
    case SpvOpBitcast:
        if (m->from_integers && !spv_type_is_pointer(m->module, inst->type))
            escape(m, inst->words[0]);
        break;
    default:
        if (spv_op_is_atomic(inst->op)) {
            for (uint32_t i = 3; i < inst->num_words; i++)
                escape(m, inst->words[i]);
        }
        break;
    }
}

static void analyse_params(struct memory *m)
{
    struct spv_function *kernel = m->lower->kernel;
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        spv_id id = kernel->params.data[i]->id;
        if (!m->ptrs[id] || m->ptrs[id]->space != MEM_LOCAL)
            continue;
        mem_unite(m, m->ptrs[id]->node, MEM_NODE_LOCAL_ARGS);
        m->ptrs[id]->offset = MEM_BIAS; /* the application's value counts from the start of local memory */
    }
}

/* Finds how deep in loops each value is defined. Sums are taken apart so that what changes in outer loops only is added
 * first. */
static void find_depths(struct memory *m, struct spv_function *function)
{
    struct spv_cfg cfg;
    struct cfg_loops loops;
    spv_cfg_keep(m->module, function, &cfg);
    if (!cfg_has_loops(&cfg))
        return;
    cfg_find_loops(m->arena, &cfg, &loops);
    uint32_t *depth = arena_array(m->arena, uint32_t, cfg.count);
    for (uint32_t i = 0; loops.reducible && i < cfg.count; i++) {
        uint32_t around = loops.loop[i];
        if (around == CFG_NO_LOOP)
            continue;
        if (!m->depths)
            m->depths = arena_array(m->arena, uint32_t, m->num_ids);
        depth[i] = around != i ? depth[around] : loops.parent[i] == CFG_NO_LOOP ? 1 : depth[loops.parent[i]] + 1;
        spv_foreach_inst (inst, &cfg.blocks[i]->insts) {
            if (inst->id)
                m->depths[inst->id] = depth[i];
        }
    }
}

void mem_analyse(struct memory *m)
{
    spv_foreach_function (function, m->module) {
        if (function->first_block && function->first_block->next && !function->only_computes)
            find_depths(m, function);
    }
    spv_foreach_inst (inst, &m->module->sections[SPV_SECTION_GLOBAL])
        declare(m, inst);
    spv_foreach_function (function, m->module) {
        if (function->only_computes)
            continue;
        declare(m, function->def); /* stands for what it returns */
        for (uint32_t i = 0; i < function->params.length; i++)
            declare(m, function->params.data[i]);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                declare(m, inst);
        }
    }
    spv_foreach_inst (inst, &m->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable && inst->id < m->num_ids && m->ptrs[inst->id])
            analyse_variable(m, inst);
    }
    analyse_params(m);
    spv_foreach_function (function, m->module) {
        if (function->only_computes)
            continue;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->id && inst->id < m->num_ids && m->ptrs[inst->id])
                    analyse_pointer(m, inst);
                if (!spv_op_is_plain(inst->op))
                    analyse_flow(m, inst);
            }
        }
    }
}
