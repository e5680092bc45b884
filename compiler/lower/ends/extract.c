/* The first pass: the kernel and all that it reaches, alone in a module, in a form that saves later passes special
 * cases.
 *
 *  - By-value struct arguments, which arrive as a struct value (our front end) or as a pointer with FuncParamAttr ByVal
 * (foreign IL), become a private variable that is filled leaf by leaf from Input variables; the entry pass knows where
 * each leaf lies in the argument block. SROA then takes the variable apart like any other.
 *  - Functions copy what they get through a pointer with FuncParamAttr ByVal.
 *  - Constant expressions (OpSpecConstantOp on addresses) become instructions of the functions that use them.
 *  - Initialisers of private variables become stores.
 *  - Built-in variables are Input variables that are loaded whole (inputs.c).
 *  - What says nothing to a GPU goes: lifetimes, assumptions, linkage, and line numbers where nothing
 *    is checked. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/lower/values/data.h"

#include "base/util.h"

#include <string.h>

/* ---- finding the kernel ---- */

static const struct spv_inst *find_entry_point(struct lower *lower)
{
    if (!lower->entries)
        lower->entries = spv_find_entries(lower->arena, lower->program);
    return str_map_get(&lower->entries->kernels, lower->kernel_name, strlen(lower->kernel_name));
}

static void read_execution_modes(struct lower *lower, spv_id function)
{
    for (const struct spv_entry *entry = u64_map_get(&lower->entries->by_function, function); entry;
         entry = entry->next) {
        const struct spv_inst *inst = entry->inst;
        if (inst->op == SpvOpEntryPoint)
            continue;
        switch (inst->words[1]) {
        case SpvExecutionModeContractionOff:
            lower->contraction_off = true;
            break;
        case SpvExecutionModeLocalSize:
        case SpvExecutionModeLocalSizeId:
            spv_mode_numbers(lower->program, inst, 3, lower->required_size);
            break;
        case SpvExecutionModeSubgroupSize:
            spv_mode_numbers(lower->program, inst, 1, &lower->required_subgroup_size);
            break;
        default:
            break;
        }
    }
    lower->subgroup_size =
        lower->required_subgroup_size ? lower->required_subgroup_size : lower->target->default_subgroup_size;
    lower->subgroup_lanes = lower->subgroup_size ? clc_subgroup_lanes(lower->target, lower->subgroup_size) : 0;
    if (!lower->subgroup_lanes)
        lower->subgroup_size = 0;
}

/* Copies the known offsets of program-scope variables from the program's ids to those of the kernel's module. */
static void map_globals(struct lower *lower, struct spv_import *import)
{
    const struct lower_data *program = lower->program_globals;
    if (!program)
        program = lower_data_globals(lower->arena, lower->program);
    lower->globals = arena_new(lower->arena, struct lower_data);
    lower->globals->block = program->block;
    lower->globals->error = program->error;
    for (uint32_t i = 0; i < lower->entries->variables.length; i++) {
        const struct spv_inst *inst = lower->entries->variables.data[i];
        uint32_t offset;
        if (spv_imported(import, inst->id) && lower_data_offset(program, inst->id, &offset))
            u64_map_set(lower->arena, &lower->globals->offsets, spv_import_id(import, inst->id),
                        (void *)((uintptr_t)offset + 1));
    }
}

/* ---- by-value structs ---- */

struct leaf_walk {
    struct lower *lower;
    struct spv_layouts *layouts;
    struct spv_builder *builder;
    uint32_t arg;
    spv_id variable;
    VEC(uint32_t) chain; /* constant ids */
};

static spv_id arg_leaf_value(struct leaf_walk *walk, spv_id type, uint64_t offset)
{
    struct spv_module *module = walk->lower->module;
    bool pointer = spv_type_is_pointer(module, type);
    spv_id plain = pointer ? spv_type_int(module, 64) : type;
    spv_id input =
        spv_global_variable(module, spv_type_pointer(module, SpvStorageClassInput, plain), SpvStorageClassInput, 0);
    spv_add_name(module, input, arena_printf(module->arena, "argument.%u.byte.%u", walk->arg, (uint32_t)offset));
    vec_push(walk->lower->arena, &walk->lower->arg_leaves,
             (struct lower_arg_leaf){.arg = walk->arg, .offset = (uint32_t)offset, .variable = input});
    spv_id value = spv_emitv(walk->builder, SpvOpLoad, plain, input);
    return pointer ? spv_emitv(walk->builder, SpvOpConvertUToPtr, type, value) : value;
}

static void fill_leaves(struct leaf_walk *walk, spv_id type, uint64_t offset)
{
    struct spv_module *module = walk->lower->module;
    if (!spv_type_is_aggregate(module, type)) {
        spv_id value = arg_leaf_value(walk, type, offset);
        uint32_t words[1 + SPV_LAYOUT_MAX_NESTING] = {walk->variable}, depth = walk->chain.length;
        memcpy(words + 1, walk->chain.data, depth * sizeof(uint32_t));
        spv_id pointer = spv_emit(walk->builder, SpvOpInBoundsAccessChain,
                                  spv_type_pointer(module, SpvStorageClassFunction, type), depth + 1, words);
        spv_id object = spv_pointer_pointee(module, spv_value_type(module, walk->variable));
        uint64_t place = offset | spv_layout_of(walk->layouts, object)->align; /* packed structs align no member */
        uint64_t align = u64_min(place & -place, spv_layout_of(walk->layouts, type)->align);
        spv_emitv_void(walk->builder, SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask, (uint32_t)align);
        return;
    }
    uint64_t count = spv_member_count(module, type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at;
        spv_id member = spv_layout_member(walk->layouts, type, i, &at);
        vec_push(walk->lower->module->arena, &walk->chain, spv_const_u32(module, (uint32_t)i));
        fill_leaves(walk, member, offset + at);
        walk->chain.length--;
    }
}

static bool is_by_value(const struct spv_module *module, const struct spv_inst *param)
{
    for (const struct spv_inst *it = spv_decorations(module, param->id); it; it = it->next_decoration) {
        if (it->op == SpvOpDecorate && it->num_words > 2 && it->words[1] == SpvDecorationFuncParamAttr &&
            it->words[2] == SpvFunctionParameterAttributeByVal)
            return true;
    }
    return false;
}

static struct spv_builder after_variables(struct spv_module *module, struct spv_function *function)
{
    struct spv_builder builder = {.module = module, .function = function, .block = function->first_block};
    builder.before = builder.block->insts.first;
    while (builder.before && builder.before->op == SpvOpVariable)
        builder.before = builder.before->next;
    return builder;
}

static void set_kernel_type(struct lower *lower)
{
    uint32_t count = lower->kernel->params.length;
    spv_id *types = arena_array(lower->module->arena, spv_id, count + 1u);
    for (uint32_t i = 0; i < count; i++)
        types[i] = lower->kernel->params.data[i]->type;
    lower->kernel->def->words[1] = spv_type_function(lower->module, spv_type_void(lower->module), count, types);
}

/* Whether a value of this type is a word of 32 bits in the argument block, although the application sets something
 * else. */
static bool is_word(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    bool local = op == SpvOpTypePointer && spv_pointer_storage(module, type) == SpvStorageClassWorkgroup;
    return local || op == SpvOpTypeImage || op == SpvOpTypeSampler;
}

/* Sets the arguments' sizes in the argument block. Local pointers are 4-byte offsets, other pointers 8-byte addresses.
 * An image has a word that describes it; a sampler is nothing but a word. */
static void measure_args(struct lower *lower)
{
    struct spv_layouts layouts = {.arena = lower->module->arena, .module = lower->module};
    struct spv_function *kernel = lower->kernel;
    lower->num_args = kernel->params.length;
    lower->args = arena_array(lower->arena, struct lower_arg, lower->num_args + 1u);
    for (uint32_t i = 0; i < lower->num_args; i++) {
        spv_id type = kernel->params.data[i]->type;
        bool pointer = spv_type_is_pointer(lower->module, type);
        SpvStorageClass storage = pointer ? spv_pointer_storage(lower->module, type) : SpvStorageClassMax;
        if (storage == SpvStorageClassFunction)
            type = spv_pointer_pointee(lower->module, type);
        const struct spv_layout *layout = spv_layout_of(&layouts, type);
        bool word = is_word(lower->module, type);
        uint64_t size = word ? 4 : layout->size;
        lower->args[i].size = size > 1 << 20 ? 1 << 20 : (uint32_t)size;
        lower->args[i].align = word ? 4 : layout->align;
        lower->args[i].is_address = pointer && !word && storage != SpvStorageClassFunction;
    }
}

enum { MOST_LEAVES = 128, BLOCK_ALIGN = 16 }; /* the block's own alignment in memory */

static bool holds_pointers(const struct spv_module *module, spv_id type, uint32_t depth)
{
    if (!spv_type_is_aggregate(module, type))
        return spv_type_is_pointer(module, type);
    const struct spv_inst *def = spv_def(module, type);
    uint32_t count = def->op == SpvOpTypeStruct ? def->num_words : 1;
    for (uint32_t i = 0; i < count; i++) {
        if (depth > SPV_LAYOUT_MAX_NESTING || holds_pointers(module, def->words[i], depth + 1))
            return true;
    }
    return false;
}

/* Whether it takes too much code to read a structure member by member. Such a one makes the argument block too large
 * for push constants, so that it is in memory. */
static bool is_by_place(struct lower *lower, struct spv_layouts *layouts, spv_id type)
{
    const struct spv_layout *layout = spv_layout_of(layouts, type);
    return layout->leaves > MOST_LEAVES && layout->size > lower->target->max_push_constants &&
           layout->align <= BLOCK_ALIGN && !holds_pointers(lower->module, type, 0);
}

struct by_place {
    struct spv_module *module;
    spv_id pointer, source; /* to the private object, which holds what the parameter source brings */
    struct spv_inst *store; /* that fills it, or NULL */
    struct u64_map derived; /* pointers into it */
    bool only_read;
};

static void check_reader(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct by_place *p = data;
    if (*word == p->source && *word != p->pointer) {
        bool fills = inst->op == SpvOpStore && word == inst->words + 1 && inst->words[0] == p->pointer && !p->store &&
                     inst->block == inst->block->function->first_block;
        p->store = fills ? inst : p->store;
        p->only_read &= fills;
        return;
    }
    if (!u64_map_has(&p->derived, *word) || inst == p->store)
        return;
    bool first = word == inst->words, chain = spv_op_is_chain(inst->op);
    if (first && chain)
        u64_map_set(p->module->arena, &p->derived, inst->id, inst);
    else if (!first || (inst->op != SpvOpLoad && !(inst->op == SpvOpStore && inst->words[1] == p->source)))
        p->only_read = false;
}

/* Lets a kernel that only reads its large structure read it where it is. Else false. */
static bool read_in_place(struct lower *lower, struct spv_inst *param, spv_id type, bool by_value)
{
    struct spv_module *module = lower->module;
    struct by_place p = {module, by_value ? param->id : 0, param->id, NULL, {0}, true};
    spv_foreach_inst (inst, &lower->kernel->first_block->insts) {
        if (inst->op == SpvOpStore && inst->words[1] == param->id)
            p.pointer = inst->words[0];
    }
    const struct spv_inst *def = p.pointer ? spv_def(module, p.pointer) : NULL;
    if (!def || (!by_value && (def->op != SpvOpVariable || def->num_words > 1)))
        return false;
    u64_map_set(module->arena, &p.derived, p.pointer, param);
    spv_foreach_block (block, lower->kernel) {
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, check_reader, &p);
    }
    if (!p.only_read || (!by_value && !p.store))
        return false;
    spv_foreach_block (block, lower->kernel) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->id && inst->op != SpvOpVariable && u64_map_has(&p.derived, inst->id))
                inst->type =
                    spv_type_pointer(module, SpvStorageClassCrossWorkgroup, spv_pointer_pointee(module, inst->type));
        }
    }
    if (p.store)
        spv_inst_remove(module, p.store);
    struct spv_replacements replacements = {0};
    if (p.pointer != param->id)
        spv_replace(module, &replacements, p.pointer, param->id);
    spv_apply_replacements(module, &replacements, lower->kernel);
    spv_finish_replacements(module, &replacements);
    param->type = spv_type_pointer(module, SpvStorageClassCrossWorkgroup, type);
    return true;
}

/* Makes a large structure's parameter a pointer to where it is in the argument block. A kernel that does more than read
 * it has a copy, which the memory pass makes in a loop. */
static void pass_by_place(struct lower *lower, uint32_t arg, spv_id type, bool by_value)
{
    struct spv_module *module = lower->module;
    struct spv_inst *param = lower->kernel->params.data[arg];
    lower->args[arg].by_place = true;
    lower->args[arg].align = BLOCK_ALIGN;
    if (read_in_place(lower, param, type, by_value))
        return;
    struct spv_builder builder = after_variables(module, lower->kernel);
    struct spv_replacements replacements = {0};
    spv_id variable = spv_emit_variable(&builder, type), value = variable;
    builder = after_variables(module, lower->kernel);
    spv_emitv_void(&builder, SpvOpCopyMemory, variable, param->id, SpvMemoryAccessAlignedMask,
                   spv_layout_of(&(struct spv_layouts){.arena = module->arena, .module = module}, type)->align);
    struct spv_inst *copy = builder.before ? builder.before->prev : builder.block->insts.last;
    if (!by_value)
        value = spv_emitv(&builder, SpvOpLoad, type, variable);
    spv_replace(module, &replacements, param->id, value);
    spv_apply_replacements(module, &replacements, lower->kernel);
    spv_finish_replacements(module, &replacements);
    copy->words[1] = param->id;
    param->type = spv_type_pointer(module, SpvStorageClassCrossWorkgroup, type);
}

static bool spread_struct_args(struct lower *lower)
{
    struct spv_module *module = lower->module;
    struct spv_replacements replacements = {0};
    struct spv_layouts layouts = {.arena = module->arena, .module = module};
    for (uint32_t i = 0; i < lower->kernel->params.length; i++) {
        struct spv_inst *param = lower->kernel->params.data[i];
        bool by_value = spv_type_is_pointer(module, param->type) &&
                        spv_pointer_storage(module, param->type) == SpvStorageClassFunction;
        spv_id type = by_value ? spv_pointer_pointee(module, param->type) : param->type;
        if (by_value && !is_by_value(module, param))
            return lower_fail(lower, "kernel '%s': argument %u points to private memory", lower->kernel_name, i);
        if (!by_value && !spv_type_is_aggregate(module, type))
            continue;
        if (spv_layout_of(&layouts, type)->size > 4096)
            return lower_fail(lower, "kernel '%s': argument %u is larger than 4096 bytes", lower->kernel_name, i);
        if (spv_layout_of(&layouts, type)->nesting > SPV_LAYOUT_MAX_NESTING)
            return lower_fail(lower, "kernel '%s': argument %u nests too deep", lower->kernel_name, i);
        if (is_by_place(lower, &layouts, type)) {
            pass_by_place(lower, i, type, by_value);
            continue;
        }
        struct spv_builder builder = after_variables(module, lower->kernel);
        struct leaf_walk walk = {lower, &layouts, &builder, .arg = i};
        walk.variable = spv_emit_variable(&builder, type);
        builder = after_variables(module, lower->kernel);
        fill_leaves(&walk, type, 0);
        spv_id value = walk.variable;
        if (!by_value)
            value = spv_emitv(&builder, SpvOpLoad, type, walk.variable, SpvMemoryAccessAlignedMask,
                              spv_layout_of(&layouts, type)->align);
        spv_replace(module, &replacements, param->id, value);
        param->type = spv_type_int(module, 32); /* no longer used */
    }
    spv_apply_replacements(module, &replacements, lower->kernel);
    spv_finish_replacements(module, &replacements);
    set_kernel_type(lower);
    return true;
}

/* A pointer parameter with ByVal points to the caller's object. The callee has to copy that object. */
static void copy_by_value(struct lower *lower, struct spv_function *function)
{
    struct spv_module *module = lower->module;
    struct spv_replacements replacements = {0};
    struct spv_layouts layouts = {.arena = lower->arena, .module = module};
    VEC(struct spv_inst *) copies = {0};
    VEC(spv_id) variables = {0};
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct spv_inst *param = function->params.data[i];
        if (!spv_type_is_pointer(module, param->type) || !is_by_value(module, param))
            continue;
        struct spv_builder builder = after_variables(module, function);
        spv_id variable = spv_emit_variable(&builder, spv_pointer_pointee(module, param->type));
        spv_replace(module, &replacements, param->id, variable);
        vec_push(lower->arena, &copies, param);
        vec_push(lower->arena, &variables, variable);
    }
    spv_apply_replacements(module, &replacements, function);
    spv_finish_replacements(module, &replacements);
    struct spv_builder builder = after_variables(module, function);
    for (uint32_t i = 0; i < copies.length; i++) {
        struct spv_inst *param = copies.data[i];
        spv_id type = spv_pointer_pointee(module, param->type);
        uint32_t align = spv_layout_of(&layouts, type)->align;
        spv_id value = spv_emitv(&builder, SpvOpLoad, type, param->id, SpvMemoryAccessAlignedMask, align);
        spv_emitv_void(&builder, SpvOpStore, variables.data[i], value, SpvMemoryAccessAlignedMask, align);
    }
}

/* ---- constant expressions ---- */

struct materialise {
    struct spv_module *module;
    struct spv_builder builder; /* in the current function's entry block */
    struct u64_map done;        /* per function */
    uint32_t depth;
};

static spv_id materialise_id(struct materialise *m, spv_id id)
{
    struct spv_inst *inst = spv_def(m->module, id);
    if (!inst || inst->block || m->depth > 256)
        return id;
    if (inst->op != SpvOpSpecConstantOp && inst->op != SpvOpConstantComposite)
        return id;
    if (u64_map_has(&m->done, id))
        return (spv_id)(uintptr_t)u64_map_get(&m->done, id);
    uint32_t first = inst->op == SpvOpSpecConstantOp ? 1 : 0;
    uint32_t *words = arena_array(m->module->arena, uint32_t, inst->num_words + 1u);
    bool changed = first;
    m->depth++;
    for (uint32_t i = first; i < inst->num_words; i++) {
        words[i - first] = inst->words[i];
        if (first && inst->words[0] == SpvOpCompositeExtract && i > 1)
            continue;
        words[i - first] = materialise_id(m, inst->words[i]);
        changed |= words[i - first] != inst->words[i];
    }
    m->depth--;
    spv_id result = id;
    if (changed)
        result = spv_emit(&m->builder, first ? (SpvOp)inst->words[0] : SpvOpCompositeConstruct, inst->type,
                          inst->num_words - first, words);
    u64_map_set(m->module->arena, &m->done, id, (void *)(uintptr_t)result);
    return result;
}

static void materialise_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    (void)inst;
    *word = materialise_id(data, *word);
}

static void materialise_constants(struct spv_module *module, struct spv_function *function)
{
    struct materialise m = {.module = module, .builder = after_variables(module, function)};
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op != SpvOpVariable)
                spv_visit_operand_ids(inst, materialise_operand, &m);
        }
    }
}

static bool has_constant_expressions(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpSpecConstantOp)
            return true;
    }
    return false;
}

/* ---- tidying ---- */

static void store_initialisers(struct spv_module *module, struct spv_function *function)
{
    struct spv_builder builder = after_variables(module, function);
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op != SpvOpVariable)
            break;
        if (inst->num_words < 2)
            continue;
        spv_emitv_void(&builder, SpvOpStore, inst->id, inst->words[1]);
        spv_inst_set_words(module, inst, 1, (const uint32_t[]){SpvStorageClassFunction});
    }
}

static void drop_hints(struct spv_module *module, struct spv_function *function, bool keeps_lines)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (spv_op_is_lifetime(inst->op) || (spv_op_is_line(inst->op) && !keeps_lines) || inst->op == SpvOpNop ||
                inst->op == SpvOpAssumeTrueKHR)
                spv_inst_remove(module, inst);
        }
    }
}

/* Nothing but the kernel is reachable from outside. */
static void drop_linkage(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op == SpvOpDecorate && inst->num_words > 1 && inst->words[1] == SpvDecorationLinkageAttributes)
            spv_inst_remove(module, inst);
    }
}

/* Refuses types that Vulkan has nothing for, before any pass meets values without a size. Events disappear with the
 * async copies, samplers with the reads through them, images last. */
static bool check_types(struct lower *lower)
{
    spv_foreach_inst (type, &lower->module->sections[SPV_SECTION_GLOBAL]) {
        switch (type->op) {
        case SpvOpTypeImage:
        case SpvOpTypeSampler:
        case SpvOpTypeSampledImage:
            if (lower->target->images)
                break;
            return lower_fail(lower, "kernel '%s' uses images, which this device does not offer", lower->kernel_name);
        case SpvOpTypeReserveId:
        case SpvOpTypePipe:
            if (lower->target->pipes && lower->target->memory_model && lower->target->device_scope)
                break;
            return lower_fail(lower, "kernel '%s' uses pipes, which this device does not offer", lower->kernel_name);
        case SpvOpTypeOpaque:
        case SpvOpTypePipeStorage:
            return lower_fail(lower, "kernel '%s' uses %s, which this device does not offer", lower->kernel_name,
                              spv_op_name(type->op) + strlen("OpType"));
        default:
            break;
        }
    }
    return true;
}

/* Queues and events of the device are numbers, and named barriers are pointers. */
static void import_handles(struct lower *lower, struct spv_import *import)
{
    for (uint32_t i = 0; i < lower->entries->opaque.length; i++) {
        const struct spv_inst *type = lower->entries->opaque.data[i];
        if (type->op == SpvOpTypeQueue || type->op == SpvOpTypeDeviceEvent)
            spv_set_imported(import, type->id, spv_type_int(lower->module, 64));
        if (type->op == SpvOpTypeNamedBarrier)
            spv_set_imported(import, type->id, lower_named_barrier_type(lower->module));
    }
}

/* ---- device-side enqueue ---- */

/* Blocks that are enqueued are known by their numbers. So an instruction that enqueues a block does not bring the
 * block's code along. */
static void import_blocks(struct lower *lower, struct spv_import *import, spv_id kernel)
{
    if (lower->num_blocks > 0x10000) { /* records have 16 bits for the number */
        lower_fail(lower, "the program enqueues %u blocks; 65536 are the most", lower->num_blocks);
        return;
    }
    for (uint32_t i = 0; i < lower->num_blocks; i++) {
        if (lower->blocks[i] != kernel)
            spv_set_imported(import, lower->blocks[i], spv_const_u32(lower->module, i));
    }
}

/* A block that enqueues itself names its own function; now its number, too. What it captured lies in global memory. */
static void make_block_kernel(struct lower *lower, uint32_t number)
{
    struct spv_module *module = lower->module;
    struct spv_inst *param = lower->kernel->params.data[0];
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t *invoked = spv_enqueued_function(inst);
                if (invoked && *invoked == lower->kernel->def->id)
                    *invoked = spv_const_u32(module, number);
            }
        }
    }
    spv_id generic = param->type;
    if (spv_pointer_storage(module, generic) != SpvStorageClassGeneric)
        return;
    struct spv_replacements replacements = {0};
    struct spv_builder b = after_variables(module, lower->kernel);
    spv_id cast = spv_emitv(&b, SpvOpPtrCastToGeneric, generic, spv_undef(module, generic));
    spv_replace(module, &replacements, param->id, cast);
    spv_apply_replacements(module, &replacements, lower->kernel);
    spv_finish_replacements(module, &replacements);
    spv_def(module, cast)->words[0] = param->id;
    param->type = spv_type_pointer(module, SpvStorageClassCrossWorkgroup, spv_pointer_pointee(module, generic));
}

static void find_block(struct lower *lower, spv_id kernel)
{
    for (uint32_t i = 0; i < lower->num_blocks; i++) {
        if (lower->blocks[i] == kernel && lower->kernel->params.length)
            make_block_kernel(lower, i);
    }
}

bool lower_extract(struct lower *lower)
{
    const struct spv_inst *entry = find_entry_point(lower);
    if (!entry)
        return lower_fail(lower, "the program has no kernel '%s'", lower->kernel_name);
    read_execution_modes(lower, entry->words[1]);
    if (!lower->target->checks_kernel || lower->target->checks_kernel(lower->kernel_name))
        lower->watched = lower->target->checks;
    lower->unseen_writes = lower->target->checks & CLC_CHECK_INIT & ~lower->watched;
    lower->module = spv_module_create(lower->heaps ? &lower->heaps[0] : lower->arena, lower->program->version);
    lower->module->generator = lower->program->generator;
    spv_set_memory_model(lower->module, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    struct spv_import import = {.to = lower->module, .from = lower->program, .entries = lower->entries};
    import_handles(lower, &import);
    lower_import_matrices(lower, &import);
    import_blocks(lower, &import, entry->words[1]);
    spv_id function = spv_import_function(&import, entry->words[1]);
    lower->kernel = spv_function_of(lower->module, function);
    if (!lower->kernel || !lower->kernel->first_block)
        return lower_fail(lower, "kernel '%s' has no body", lower->kernel_name);
    if (!check_types(lower))
        return false;
    find_block(lower, entry->words[1]);
    drop_linkage(lower->module);
    spv_take_scopes(lower->module, lower->arena);
    bool expressions = has_constant_expressions(lower->module);
    spv_foreach_function (each, lower->module) {
        if (!each->first_block)
            continue;
        drop_hints(lower->module, each, lower_watches(lower));
        store_initialisers(lower->module, each);
        if (expressions)
            materialise_constants(lower->module, each);
        if (each != lower->kernel)
            copy_by_value(lower, each);
    }
    if (!lower_inputs(lower) || !lower_take_matrices(lower))
        return false;
    map_globals(lower, &import);
    if (lower->globals->error)
        return lower_fail(lower, "%s", lower->globals->error);
    measure_args(lower);
    /* The entry point lists no variables from here on, since passes add and remove them. */
    spv_foreach_inst_safe (inst, &lower->module->sections[SPV_SECTION_ENTRY_POINT])
        spv_inst_remove(lower->module, inst);
    spv_foreach_inst_safe (inst, &lower->module->sections[SPV_SECTION_EXECUTION_MODE])
        spv_inst_remove(lower->module, inst);
    spv_add_entry_point(lower->module, SpvExecutionModelKernel, lower->kernel->def->id, "main", 0, NULL);
    return spread_struct_args(lower);
}
