/* What clGetKernelInfo and clGetKernelArgInfo answer, derived from a module: its entry points, execution modes,
 * parameter types and names, and the strings that llvm-spirv and our emission leave ("kernel_arg_type.NAME.T1,T2,"). */
#include "compiler/program/program.h"

#include "base/util.h"
#include "compiler/spv/layout.h"

#include <string.h>

struct reader {
    struct clc_program *program;
    struct arena *arena;
    struct spv_module *module;
    struct spv_layouts layouts;
    struct str_map strings;   /* "kernel_arg_type.NAME" -> the text after the next point */
    uint8_t *leads;           /* by id: LEADS for a function, or a variable of the module or constant expression */
    bool has_expressions;     /* constant ones: an addition may name a variable */
    struct u64_map functions; /* by id: struct function_memory */
};

/* Indexes the strings by what stands before their second point. That does not find kernels whose names have points in
 * them, as foreign modules may have; for those kernel_string() searches all strings. */
static void index_strings(struct reader *reader)
{
    spv_foreach_inst (inst, &reader->module->sections[SPV_SECTION_DEBUG]) {
        const char *text = inst->op == SpvOpString ? spv_string(inst, 0, NULL) : NULL;
        if (!text || strncmp(text, "kernel_", 7) != 0)
            continue;
        size_t prefix = strcspn(text, "."), length = prefix + 1;
        if (!text[prefix])
            continue;
        length += strcspn(text + length, ".");
        if (text[length] && !str_map_get(&reader->strings, text, length))
            str_map_set(reader->arena, &reader->strings, text, length, (void *)(uintptr_t)(text + length + 1));
    }
}

/* The text after "prefix.kernel." in an OpString, or NULL. */
static const char *kernel_string(const struct reader *reader, const char *prefix, const char *kernel)
{
    if (!strchr(kernel, '.')) {
        const char *key = arena_printf(reader->arena, "%s.%s", prefix, kernel);
        return str_map_get(&reader->strings, key, strlen(key));
    }
    size_t prefix_length = strlen(prefix), kernel_length = strlen(kernel);
    spv_foreach_inst (inst, &reader->module->sections[SPV_SECTION_DEBUG]) {
        if (inst->op != SpvOpString)
            continue;
        const char *text = spv_string(inst, 0, NULL);
        if (!strncmp(text, prefix, prefix_length) && text[prefix_length] == '.' &&
            !strncmp(text + prefix_length + 1, kernel, kernel_length) && text[prefix_length + 1 + kernel_length] == '.')
            return text + prefix_length + kernel_length + 2;
    }
    return NULL;
}

/* The next item of a comma-separated list; NULL at its end. */
static const char *next_item(const struct reader *reader, const char **list)
{
    if (!*list || !**list)
        return NULL;
    size_t length = strcspn(*list, ",");
    const char *item = arena_strndup(reader->arena, *list, length);
    *list += length + ((*list)[length] == ',');
    return item;
}

static const char *name_of(const struct reader *reader, spv_id id)
{
    for (const struct spv_inst *name = spv_names(reader->module, id); name; name = name->next_decoration) {
        if (name->op == SpvOpName && name->words[0] == id)
            return spv_string(name, 1, NULL);
    }
    return NULL;
}

/* ---- arguments ---- */

static bool has_attribute(const struct reader *reader, spv_id id, uint32_t attribute)
{
    const struct spv_inst *inst = spv_decorations(reader->module, id);
    for (; inst; inst = inst->next_decoration) {
        if (inst->op == SpvOpDecorate && inst->num_words > 2 && inst->words[1] == SpvDecorationFuncParamAttr &&
            inst->words[2] == attribute)
            return true;
    }
    return false;
}

/* Kernel SPIR-V lists a struct's members and has no word for its size. */
static uint64_t end_of_members(struct reader *reader, spv_id type)
{
    uint64_t count = spv_member_count(reader->module, type), before = 0;
    while (count && spv_def(reader->module, type)->op == SpvOpTypeStruct) {
        uint64_t offset;
        type = spv_layout_member(&reader->layouts, type, count - 1, &offset);
        before += offset;
        count = spv_member_count(reader->module, type);
    }
    return before + spv_layout_of(&reader->layouts, type)->size;
}

static void describe_pointer(struct reader *reader, const struct spv_inst *param, struct clc_arg_info *arg)
{
    spv_id pointee = spv_pointer_pointee(reader->module, param->type);
    const struct spv_layout *layout = spv_layout_of(&reader->layouts, pointee);
    arg->size = arg->align = 8;
    switch (spv_pointer_storage(reader->module, param->type)) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassGeneric: /* what an enqueued block captured */
        arg->kind = CLC_ARG_GLOBAL;
        arg->address = CLC_ADDRESS_GLOBAL;
        break;
    case SpvStorageClassUniformConstant:
        arg->kind = CLC_ARG_CONSTANT;
        arg->address = CLC_ADDRESS_CONSTANT;
        break;
    case SpvStorageClassWorkgroup:
        arg->kind = CLC_ARG_LOCAL;
        arg->address = CLC_ADDRESS_LOCAL;
        arg->size = 0;
        arg->align = layout->align;
        break;
    case SpvStorageClassFunction:
        if (has_attribute(reader, param->id, SpvFunctionParameterAttributeByVal)) {
            arg->size = (uint32_t)u64_min(layout->size, UINT32_MAX);
            arg->least = (uint32_t)u64_min(end_of_members(reader, pointee), UINT32_MAX);
            arg->align = layout->align;
        }
        break;
    default:
        break;
    }
}

/* OpTypeImage: sampled type, dimension, depth, arrayed, multisampled, ... */
static enum clc_image_kind image_kind(const struct spv_inst *type)
{
    bool arrayed = type->num_words > 3 && type->words[3];
    if (type->num_words > 4 && type->words[4])
        return arrayed ? CLC_IMAGE_2D_ARRAY_SAMPLES : CLC_IMAGE_2D_SAMPLES;
    switch (type->num_words > 1 ? type->words[1] : SpvDimMax) {
    case SpvDim1D:
        return arrayed ? CLC_IMAGE_1D_ARRAY : CLC_IMAGE_1D;
    case SpvDim2D:
        return arrayed ? CLC_IMAGE_2D_ARRAY : CLC_IMAGE_2D;
    case SpvDim3D:
        return CLC_IMAGE_3D;
    case SpvDimBuffer:
        return CLC_IMAGE_1D_BUFFER;
    default:
        return CLC_IMAGE_NONE;
    }
}

static void describe_type(struct reader *reader, const struct spv_inst *param, struct clc_arg_info *arg)
{
    const struct spv_inst *type = spv_def(reader->module, param->type);
    const struct spv_layout *layout = spv_layout_of(&reader->layouts, param->type);
    arg->kind = CLC_ARG_VALUE;
    arg->size = (uint32_t)u64_min(layout->size, UINT32_MAX);
    arg->least = (uint32_t)u64_min(end_of_members(reader, param->type), UINT32_MAX);
    arg->align = layout->align;
    switch (type->op) {
    case SpvOpTypePointer:
        describe_pointer(reader, param, arg);
        break;
    case SpvOpTypeImage:
        arg->kind = CLC_ARG_IMAGE;
        arg->address = CLC_ADDRESS_GLOBAL;
        arg->access = type->num_words > 7 && type->words[7] <= SpvAccessQualifierReadWrite
                          ? CLC_ACCESS_READ_ONLY + type->words[7]
                          : CLC_ACCESS_READ_ONLY;
        arg->image = image_kind(type);
        arg->image_depth = type->num_words > 2 && type->words[2] == 1;
        arg->size = arg->align = 8;
        break;
    case SpvOpTypeSampler:
        arg->kind = CLC_ARG_SAMPLER;
        arg->size = arg->align = 8;
        break;
    case SpvOpTypePipe:
        arg->kind = CLC_ARG_PIPE;
        arg->address = CLC_ADDRESS_GLOBAL;
        arg->access = type->words[0] == SpvAccessQualifierWriteOnly ? CLC_ACCESS_WRITE_ONLY : CLC_ACCESS_READ_ONLY;
        arg->type_qualifiers = CLC_TYPE_PIPE;
        arg->size = arg->align = 8;
        break;
    case SpvOpTypeQueue:
        arg->kind = CLC_ARG_QUEUE;
        break;
    default:
        break;
    }
}

static uint32_t qualifiers(const char *text)
{
    uint32_t flags = 0;
    flags |= strstr(text, "const") ? CLC_TYPE_CONST : 0;
    flags |= strstr(text, "restrict") ? CLC_TYPE_RESTRICT : 0;
    flags |= strstr(text, "volatile") ? CLC_TYPE_VOLATILE : 0;
    flags |= strstr(text, "pipe") ? CLC_TYPE_PIPE : 0;
    return flags;
}

static void describe_args(struct reader *reader, const struct spv_function *function, struct clc_kernel_info *info)
{
    const char *types = kernel_string(reader, "kernel_arg_type", info->name);
    const char *quals = kernel_string(reader, "kernel_arg_type_qual", info->name);
    struct clc_arg_info *args = arena_array(reader->arena, struct clc_arg_info, function->params.length + 1);
    info->num_args = function->params.length;
    info->args = args;
    info->has_arg_info = types != NULL;
    for (uint32_t i = 0; i < info->num_args; i++) {
        const struct spv_inst *param = function->params.data[i];
        describe_type(reader, param, &args[i]);
        if (info->role == CLC_KERNEL_BLOCK && args[i].kind == CLC_ARG_LOCAL)
            args[i].align = 128; /* local void *, for objects of any type */
        const char *type = next_item(reader, &types), *qual = next_item(reader, &quals);
        const char *name = name_of(reader, param->id);
        if (type || !(reader->program->flags & PROGRAM_FOREIGN))
            args[i].least = args[i].size;
        args[i].type_name = type ? type : "";
        args[i].name = name ? name : "";
        if (qual)
            args[i].type_qualifiers |= qualifiers(qual);
        info->has_arg_info = info->has_arg_info && type && name;
    }
}

/* ---- execution modes and attributes ---- */

static const char *vector_hint(struct reader *reader, uint32_t word)
{
    static const char *const names[] = {"char", "short", "int", "long", "half", "float", "double"};
    uint32_t type = word & 0xffff, lanes = word >> 16;
    if (type >= ARRAY_LENGTH(names))
        return "";
    return lanes > 1 ? arena_printf(reader->arena, "%s%u", names[type], lanes) : names[type];
}

static const struct spv_entry *entries_of(const struct clc_program *program, spv_id function)
{
    return u64_map_get(&program->entries->by_function, function);
}

static void read_modes(struct reader *reader, spv_id function, struct clc_kernel_info *info)
{
    info->vec_type_hint = "";
    for (const struct spv_entry *entry = entries_of(reader->program, function); entry; entry = entry->next) {
        const struct spv_inst *inst = entry->inst;
        if (inst->op == SpvOpEntryPoint)
            continue;
        switch (inst->words[1]) {
        case SpvExecutionModeLocalSize:
        case SpvExecutionModeLocalSizeId:
            spv_mode_numbers(reader->module, inst, 3, info->reqd_work_group_size);
            break;
        case SpvExecutionModeLocalSizeHint:
        case SpvExecutionModeLocalSizeHintId:
            spv_mode_numbers(reader->module, inst, 3, info->work_group_size_hint);
            break;
        case SpvExecutionModeVecTypeHint:
            info->vec_type_hint = vector_hint(reader, inst->words[2]);
            break;
        case SpvExecutionModeSubgroupSize:
            spv_mode_numbers(reader->module, inst, 1, &info->reqd_sub_group_size);
            break;
        case SpvExecutionModeSubgroupsPerWorkgroup:
        case SpvExecutionModeSubgroupsPerWorkgroupId:
            spv_mode_numbers(reader->module, inst, 1, &info->num_sub_groups);
            break;
        default:
            break;
        }
    }
}

static const char *attributes(struct reader *reader, const struct clc_kernel_info *info)
{
    const char *given = kernel_string(reader, "kernel_attributes", info->name);
    if (given)
        return given;
    struct str text;
    str_init(&text, reader->arena);
    const uint32_t *size = info->reqd_work_group_size, *hint = info->work_group_size_hint;
    if (size[0])
        str_printf(&text, " reqd_work_group_size(%u,%u,%u)", size[0], size[1], size[2]);
    if (hint[0])
        str_printf(&text, " work_group_size_hint(%u,%u,%u)", hint[0], hint[1], hint[2]);
    if (*info->vec_type_hint)
        str_printf(&text, " vec_type_hint(%s)", info->vec_type_hint);
    if (info->reqd_sub_group_size)
        str_printf(&text, " intel_reqd_sub_group_size(%u)", info->reqd_sub_group_size);
    return text.length ? str_text(&text) + 1 : "";
}

/* ---- memory ---- */

enum { LEADS = 1, NOTED };

/* What a function needs by itself. It is found once, for all kernels that reach the function. */
struct function_memory {
    VEC(spv_id) leads; /* functions, variables and constant expressions that it names, once each, in order */
    uint64_t private;
};

struct memory_walk {
    struct reader *reader;
    struct u64_map seen; /* functions and variables */
    VEC(spv_id) work;
    uint64_t local, private;
};

struct lead_search {
    struct reader *reader;
    struct function_memory *memory;
};

static void note_lead(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct lead_search *search = data;
    uint8_t *lead = &search->reader->leads[*word];
    (void)inst;
    if (*lead != LEADS)
        return;
    *lead = NOTED;
    vec_push(search->reader->arena, &search->memory->leads, *word);
}

static struct function_memory *function_memory(struct reader *reader, const struct spv_function *function)
{
    struct function_memory *memory = u64_map_get(&reader->functions, function->def->id);
    if (memory)
        return memory;
    memory = arena_new(reader->arena, struct function_memory);
    u64_map_set(reader->arena, &reader->functions, function->def->id, memory);
    struct lead_search search = {reader, memory};
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (reader->has_expressions || !spv_op_is_plain(inst->op))
                spv_visit_operand_ids(inst, note_lead, &search);
            if (inst->op == SpvOpVariable)
                memory->private +=
                    spv_layout_of(&reader->layouts, spv_pointer_pointee(reader->module, inst->type))->size;
        }
    }
    for (uint32_t i = 0; i < memory->leads.length; i++)
        reader->leads[memory->leads.data[i]] = LEADS;
    return memory;
}

static void visit_lead(struct memory_walk *walk, spv_id id);

static void visit_id(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct memory_walk *walk = data;
    (void)inst;
    if (walk->reader->leads[*word])
        visit_lead(walk, *word);
}

static void visit_lead(struct memory_walk *walk, spv_id id)
{
    struct spv_module *module = walk->reader->module;
    struct spv_inst *def = spv_def(module, id);
    if (u64_map_has(&walk->seen, id))
        return;
    u64_map_set(walk->reader->arena, &walk->seen, id, NULL);
    if (def->op == SpvOpFunction) {
        vec_push(walk->reader->arena, &walk->work, id);
    } else if (def->op == SpvOpSpecConstantOp) {
        spv_visit_operand_ids(def, visit_id, walk);
    } else if (def->words[0] == SpvStorageClassWorkgroup) {
        const struct spv_layout *layout = spv_layout_of(&walk->reader->layouts, spv_pointer_pointee(module, def->type));
        walk->local = align_up(walk->local, layout->align) + layout->size;
    }
}

static void find_leads(struct reader *reader)
{
    reader->leads = spv_borrow_table(reader->module, uint8_t);
    spv_foreach_inst (inst, &reader->module->sections[SPV_SECTION_GLOBAL]) {
        reader->has_expressions |= inst->op == SpvOpSpecConstantOp;
        reader->leads[inst->id] = inst->op == SpvOpVariable || inst->op == SpvOpSpecConstantOp ? LEADS : 0;
    }
    spv_foreach_function (function, reader->module)
        reader->leads[function->def->id] = LEADS;
}

static void measure(struct reader *reader, const struct spv_function *kernel, struct clc_kernel_info *info)
{
    struct memory_walk walk = {.reader = reader};
    vec_push(reader->arena, &walk.work, kernel->def->id);
    while (walk.work.length) {
        const struct spv_function *function = spv_function_of(reader->module, vec_pop(&walk.work));
        if (!function)
            continue;
        const struct function_memory *memory = function_memory(reader, function);
        walk.private += memory->private;
        for (uint32_t i = 0; i < memory->leads.length; i++)
            visit_lead(&walk, memory->leads.data[i]);
    }
    info->local_size = (uint32_t)u64_min(walk.local, UINT32_MAX);
    info->private_size = (uint32_t)u64_min(walk.private, UINT32_MAX);
}

/* SPIR-V 1.6, 3.6: Initializer, Finalizer */
static enum clc_kernel_role role_of(const struct clc_program *program, spv_id function)
{
    for (uint32_t i = 0; i < program->num_blocks; i++) {
        if (program->blocks[i] == function)
            return CLC_KERNEL_BLOCK;
    }
    for (const struct spv_entry *entry = entries_of(program, function); entry; entry = entry->next) {
        if (entry->inst->op == SpvOpEntryPoint)
            continue;
        if (entry->inst->words[1] == SpvExecutionModeInitializer)
            return CLC_KERNEL_INITIALIZER;
        if (entry->inst->words[1] == SpvExecutionModeFinalizer)
            return CLC_KERNEL_FINALIZER;
    }
    return CLC_KERNEL_ORDINARY;
}

static bool has_roles(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (inst->words[1] == SpvExecutionModeInitializer || inst->words[1] == SpvExecutionModeFinalizer)
            return true;
    }
    return false;
}

static void describe_kernels(struct reader *reader, enum clc_kernel_role role, bool by_role)
{
    struct clc_program *program = reader->program;
    spv_foreach_inst (inst, &program->module->sections[SPV_SECTION_ENTRY_POINT]) {
        struct spv_function *function = spv_function_of(program->module, inst->words[1]);
        if (inst->words[0] != SpvExecutionModelKernel || !function)
            continue;
        if (by_role && role_of(program, inst->words[1]) != role)
            continue;
        struct clc_kernel_info *info = &program->kernels[program->num_kernels++];
        info->name = spv_string(inst, 2, NULL);
        if (!str_map_has(&program->by_name, info->name, strlen(info->name)))
            str_map_set(&program->arena, &program->by_name, info->name, strlen(info->name), info);
        info->role = role;
        describe_args(reader, function, info);
        read_modes(reader, inst->words[1], info);
        info->attributes = attributes(reader, info);
        measure(reader, function, info);
    }
}

void program_find_kernels(struct clc_program *program)
{
    struct reader reader = {.program = program, .arena = &program->arena, .module = program->module};
    reader.layouts = (struct spv_layouts){.module = program->module, .arena = &program->arena};
    uint32_t count = 0;
    program->entries = spv_find_entries(&program->arena, program->module);
    program->by_name = (struct str_map){0};
    index_strings(&reader);
    find_leads(&reader);
    spv_foreach_inst (inst, &program->module->sections[SPV_SECTION_ENTRY_POINT])
        count++;
    program->kernels = arena_array(&program->arena, struct clc_kernel_info, count + 1);
    program->blocks = program_find_blocks(&program->arena, program->module, &program->num_blocks);
    program->num_kernels = 0;
    bool by_role = program->num_blocks || has_roles(program->module);
    describe_kernels(&reader, CLC_KERNEL_ORDINARY, by_role);
    for (int role = CLC_KERNEL_INITIALIZER; by_role && role <= CLC_KERNEL_BLOCK; role++)
        describe_kernels(&reader, (enum clc_kernel_role)role, true);
    spv_give_back(program->module, reader.leads);
}
