/* The image arguments of a kernel (image_args.h). */
#include "compiler/lower/memory/image_args.h"

#include "base/util.h"

#include <string.h>

struct image_arg *lower_image_arg(struct images *m, spv_id image)
{
    const struct spv_inst *def = spv_def(m->module, image);
    while (def && def->op == SpvOpCopyObject)
        def = spv_def(m->module, def->words[0]);
    for (uint32_t i = 0; def && i < m->lower->num_args; i++) {
        if (m->args[i].type && m->args[i].word == def->id)
            return &m->args[i];
    }
    vec_foreach (struct image_param, param, &m->params) {
        if (param->param == def)
            return m->complete ? &param->local : param->arg;
    }
    return NULL;
}

/* ---- survey ---- */

bool lower_find_images(struct images *m)
{
    struct spv_function *kernel = m->lower->kernel;
    bool any = false;
    m->args = arena_array(m->lower->arena, struct image_arg, m->lower->num_args + 1u);
    for (uint32_t i = 0; i < m->lower->num_args; i++) {
        const struct spv_inst *param = kernel->params.data[i];
        const struct spv_inst *type = spv_def(m->module, param->type);
        if (type->op != SpvOpTypeImage)
            continue;
        uint32_t dim = type->num_words > TYPE_FORMAT ? type->words[TYPE_DIM] : SpvDimMax;
        if (dim != SpvDim1D && dim != SpvDim2D && dim != SpvDim3D && dim != SpvDimBuffer)
            return lower_fail(m->lower, "kernel '%s': argument %u is an image of unknown kind", m->lower->kernel_name,
                              i);
        m->args[i] = (struct image_arg){.type = type, .word = param->id};
        any = true;
    }
    return any;
}

static void collect_params(struct images *m, const struct spv_inst *call)
{
    struct spv_function *callee = spv_function_of(m->module, call->words[0]);
    for (uint32_t i = 0; callee && i < callee->params.length; i++) {
        struct spv_inst *param = callee->params.data[i];
        struct image_arg *arg =
            spv_type_op(m->module, param->type) == SpvOpTypeImage ? lower_image_arg(m, call->words[1 + i]) : NULL;
        if (!arg || lower_image_arg(m, param->id))
            continue;
        struct image_param found = {.param = param, .arg = arg};
        vec_push(m->lower->arena, &m->params, found);
    }
}

void lower_find_image_params(struct images *m)
{
    spv_foreach_block (block, m->lower->kernel) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpFunctionCall)
                collect_params(m, inst);
        }
    }
}

/* A level of a sampled image is any number, which is read as it is. One of an image that kernels write is a constant,
 * since each level has a descriptor of its own (builtins/image.c sees to it). */
static bool survey_level(struct images *m, const struct spv_inst *inst, const struct image_arg *arg, uint32_t *level)
{
    uint32_t first = inst->op == SpvOpImageWrite ? 3 : 2;
    uint64_t value;
    if (!has_level(inst, first))
        return true;
    if (inst->num_words < first + 2 || is_buffer(arg) || has_samples(arg))
        return false;
    spv_id type = spv_value_type(m->module, inst->words[first + 1]);
    if (!spv_type_is_int(m->module, type) || spv_type_width(m->module, type) != 32)
        return false;
    if (!is_storage(arg))
        return true;
    if (!spv_const_value(m->module, inst->words[first + 1], &value))
        return false;
    *level = value < CLC_MAX_LEVELS ? (uint32_t)value : 0; /* no image has such a level */
    return !*level || inst->op == SpvOpImageWrite;
}

static bool survey_filtered(struct images *m, const struct spv_inst *inst, struct image_arg *arg)
{
    uint64_t filter;
    const uint32_t *operands = operands_of(inst);
    spv_id coordinate = spv_value_type(m->module, operands[1]);
    if (!m->lower->target->filters || is_storage(arg) || is_buffer(arg) || has_samples(arg) ||
        !spv_const_value(m->module, operands[2], &filter) || filter >= CLC_FILTER_COUNT ||
        !spv_type_is_float(m->module, inst->type) || spv_type_width(m->module, inst->type) != 32 ||
        !spv_type_is_float(m->module, coordinate) || spv_type_count(m->module, coordinate) < dimensions(arg))
        return lower_fail(m->lower, "kernel '%s': a filtered read does not fit its image", m->lower->kernel_name);
    arg->used[CLC_BINDING_FLOAT] = arg->read = true;
    m->filtered[filter] = arg;
    return true;
}

static bool survey_inst(struct images *m, const struct spv_inst *inst)
{
    struct image_arg *arg = lower_image_arg(m, operands_of(inst)[0]);
    if (!arg)
        return lower_fail(m->lower, "kernel '%s' uses an image that is none of its arguments", m->lower->kernel_name);
    bool write = inst->op == SpvOpImageWrite;
    if (is_filtered(inst))
        return survey_filtered(m, inst, arg);
    if (asks_filters(inst))
        return true;
    if (!write && inst->op != SpvOpImageRead) {
        arg->counted |= inst->op == SpvOpImageQueryLevels && is_storage(arg) && !is_buffer(arg);
        arg->queried |= inst->op != SpvOpImageQueryFormat && inst->op != SpvOpImageQueryOrder && !arg->counted;
        return true;
    }
    spv_id coordinate = spv_value_type(m->module, inst->words[1]);
    spv_id texel = write ? spv_value_type(m->module, inst->words[2]) : inst->type;
    uint32_t lanes = spv_type_count(m->module, texel);
    if (!spv_type_is_int(m->module, coordinate) || spv_type_count(m->module, coordinate) < dimensions(arg) ||
        (lanes != 4 && lanes != 1) || (!spv_type_is_float(m->module, texel) && !spv_type_is_int(m->module, texel)))
        return lower_fail(m->lower, "kernel '%s': %s does not fit its image", m->lower->kernel_name,
                          spv_op_name(inst->op));
    uint32_t level = 0;
    if (!survey_level(m, inst, arg, &level))
        return lower_fail(m->lower, "kernel '%s': %s has a level of detail that it cannot have", m->lower->kernel_name,
                          spv_op_name(inst->op));
    if (write && !is_storage(arg))
        return lower_fail(m->lower, "kernel '%s' writes an image that can only be read", m->lower->kernel_name);
    arg->used[class_of(m, texel)] |= !level;
    arg->levels[class_of(m, texel)] |= 1u << level;
    arg->read |= !write;
    arg->written |= write;
    return true;
}

bool lower_survey_images(struct images *m)
{
    spv_foreach_function (function, m->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (is_image_op(inst) && !survey_inst(m, inst))
                    return false;
            }
        }
    }
    return true;
}

/* ---- bindings ---- */

static spv_id make_binding(struct images *m, uint32_t index, enum clc_binding_class class, uint32_t level, bool storage,
                           spv_id *type)
{
    struct image_arg *arg = &m->args[index];
    struct spv_module *module = m->module;
    const uint32_t words[] = {class == CLC_BINDING_FLOAT ? m->f32 : m->u32,
                              arg->type->words[TYPE_DIM],
                              0,
                              arg->type->words[TYPE_ARRAYED] || has_samples(arg),
                              0,
                              storage ? 2 : 1,
                              SpvImageFormatUnknown};
    *type = spv_type(module, SpvOpTypeImage, ARRAY_LENGTH(words), words);
    spv_id pointer = spv_type_pointer(module, SpvStorageClassUniformConstant, *type);
    spv_id variable = spv_global_variable(module, pointer, SpvStorageClassUniformConstant, 0);
    spv_decorate(module, variable, SpvDecorationDescriptorSet, 1, (const uint32_t[]){0});
    spv_decorate(module, variable, SpvDecorationBinding, 1, &m->lower->bindings.length);
    if (storage && !arg->read)
        spv_decorate(module, variable, SpvDecorationNonReadable, 0, NULL);
    if (storage && !arg->written)
        spv_decorate(module, variable, SpvDecorationNonWritable, 0, NULL);
    struct clc_binding binding = {
        .arg = index,
        .kind = is_buffer(arg) ? (storage ? CLC_BINDING_STORAGE_BUFFER : CLC_BINDING_SAMPLED_BUFFER)
                               : (storage ? CLC_BINDING_STORAGE_IMAGE : CLC_BINDING_SAMPLED_IMAGE),
        .class = class,
        .level = level,
    };
    vec_push(m->lower->arena, &m->lower->bindings, binding);
    return variable;
}

static void make_bindings_of(struct images *m, uint32_t index, enum clc_binding_class class)
{
    struct image_arg *arg = &m->args[index];
    bool storage = is_storage(arg);
    if (arg->used[class])
        arg->variables[class] = make_binding(m, index, class, 0, storage, &arg->types[class]);
    if (storage && arg->levels[class] >> 1) {
        arg->level_variables[class] = arena_array(m->lower->arena, spv_id, CLC_MAX_LEVELS);
        for (uint32_t level = 1; level < CLC_MAX_LEVELS; level++) {
            if (arg->levels[class] >> level & 1)
                arg->level_variables[class][level] = make_binding(m, index, class, level, true, &arg->types[class]);
        }
    }
    if (arg->counted)
        arg->count_variables[class] = make_binding(m, index, class, 0, false, &arg->count_types[class]);
}

static void make_sampler(struct images *m, enum clc_filter filter)
{
    struct spv_module *module = m->module;
    m->sampler_type = spv_type(module, SpvOpTypeSampler, 0, NULL);
    spv_id pointer = spv_type_pointer(module, SpvStorageClassUniformConstant, m->sampler_type);
    spv_id variable = spv_global_variable(module, pointer, SpvStorageClassUniformConstant, 0);
    spv_decorate(module, variable, SpvDecorationDescriptorSet, 1, (const uint32_t[]){0});
    spv_decorate(module, variable, SpvDecorationBinding, 1, &m->lower->bindings.length);
    struct clc_binding binding = {.arg = (uint32_t)(m->filtered[filter] - m->args),
                                  .kind = CLC_BINDING_SAMPLER,
                                  .class = CLC_BINDING_FLOAT,
                                  .level = filter};
    vec_push(m->lower->arena, &m->lower->bindings, binding);
    m->samplers[filter] = variable;
}

bool lower_bind_images(struct images *m)
{
    uint8_t *access = arena_array(m->lower->arena, uint8_t, m->lower->num_args + 1u);
    if (m->lower->out->arg_access)
        memcpy(access, m->lower->out->arg_access, m->lower->num_args);
    m->lower->out->arg_access = access;
    for (uint32_t i = 0; i < m->lower->num_args; i++) {
        struct image_arg *arg = &m->args[i];
        if (!arg->type)
            continue;
        if (arg->queried && !arg->read && !arg->written) /* of what class the image will be is not known */
            arg->used[CLC_BINDING_FLOAT] = arg->used[CLC_BINDING_INTEGER] = true;
        for (uint32_t c = 0; arg->queried && c < 2; c++)
            arg->used[c] |= arg->levels[c] != 0;
        make_bindings_of(m, i, CLC_BINDING_FLOAT);
        make_bindings_of(m, i, CLC_BINDING_INTEGER);
        m->lower->orders_images |= arg->read && arg->written;
        access[i] = (uint8_t)((arg->read ? 1 : 0) | (arg->written ? 2 : 0));
        if (is_storage(arg) &&
            ((arg->read && !m->lower->target->image_read_any) || (arg->written && !m->lower->target->image_write_any)))
            return lower_fail(m->lower, "kernel '%s' %s images, which the device can only do in formats known to it",
                              m->lower->kernel_name, arg->read ? "reads and writes" : "writes");
    }
    for (uint32_t i = 0; i < CLC_FILTER_COUNT; i++) {
        if (m->filtered[i])
            make_sampler(m, (enum clc_filter)i);
    }
    return true;
}
