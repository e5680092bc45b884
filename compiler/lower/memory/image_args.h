/* The image arguments of a kernel, for images.c: what is done with each, and the descriptors that it has for that. */
#ifndef COMPILER_LOWER_MEMORY_IMAGE_ARGS_H
#define COMPILER_LOWER_MEMORY_IMAGE_ARGS_H

#include "compiler/lower/values/lower.h"

struct image_arg {
    const struct spv_inst *type; /* OpenCL's OpTypeImage; NULL: no image */
    spv_id word;                 /* the parameter */
    bool used[2];                /* enum clc_binding_class */
    bool read, written, queried;
    bool counted;       /* storage: asked for its number of levels of detail */
    uint32_t levels[2]; /* storage: which of them are written, a bit each; bit 0 is what used says */
    spv_id types[2], variables[2];
    spv_id *level_variables[2];                /* of the levels from 1 on, or NULL */
    spv_id count_types[2], count_variables[2]; /* sampled images that tell the number of levels */
};

struct image_param { /* of a function, always given the same image (reads.c) */
    struct spv_inst *param;
    struct image_arg *arg;  /* of the kernel */
    struct image_arg local; /* once the kernel's is complete: the same with the parameter as its word */
};

struct texel_writer { /* lower_texel_writer() */
    spv_id variable, function;
};

struct images {
    struct lower *lower;
    struct spv_module *module;
    struct image_arg *args;
    VEC(struct image_param) params;
    VEC(struct texel_writer) writers; /* where writes stay inside */
    bool complete;
    struct spv_replacements replacements;
    spv_id u32, f32, spec;
    const struct image_arg *filtered[CLC_FILTER_COUNT]; /* an argument that is read so; NULL: none is */
    spv_id samplers[CLC_FILTER_COUNT], sampler_type;
};

enum { TYPE_DIM = 1, TYPE_DEPTH, TYPE_ARRAYED, TYPE_SAMPLES, TYPE_SAMPLED, TYPE_FORMAT, TYPE_ACCESS };

static inline bool is_filtered(const struct spv_inst *inst)
{
    return spv_is_private(inst, SPV_PRIVATE_FILTERED_READ);
}

static inline bool asks_filters(const struct spv_inst *inst)
{
    return spv_is_private(inst, SPV_PRIVATE_DEVICE_FILTERS);
}

/* The words of an image instruction that are its operands, the image first. */
static inline const uint32_t *operands_of(const struct spv_inst *inst)
{
    return inst->op == SpvOpExtInst ? inst->words + 2 : inst->words;
}

static inline bool is_image_op(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpExtInst:
        return is_filtered(inst) || asks_filters(inst);
    case SpvOpImageRead:
    case SpvOpImageWrite:
        return true;
    default:
        return spv_op_class(inst->op) == SPV_CLASS_IMAGE_QUERY;
    }
}

static inline bool has_samples(const struct image_arg *arg)
{
    return arg->type->words[TYPE_SAMPLES];
}

/* Multisampled images are never written, whatever their qualifier. */
static inline bool is_storage(const struct image_arg *arg)
{
    return !has_samples(arg) && arg->type->num_words > TYPE_ACCESS &&
           arg->type->words[TYPE_ACCESS] != SpvAccessQualifierReadOnly;
}

static inline bool is_buffer(const struct image_arg *arg)
{
    return arg->type->words[TYPE_DIM] == SpvDimBuffer;
}

/* The number of coordinates of a texel, with the layer. */
static inline uint32_t dimensions(const struct image_arg *arg)
{
    uint32_t dim = arg->type->words[TYPE_DIM];
    uint32_t spatial = dim == SpvDim3D ? 3 : dim == SpvDim2D ? 2 : 1;
    return spatial + (arg->type->words[TYPE_ARRAYED] ? 1 : 0);
}

static inline enum clc_binding_class class_of(const struct images *m, spv_id texel_type)
{
    return spv_type_is_float(m->module, texel_type) ? CLC_BINDING_FLOAT : CLC_BINDING_INTEGER;
}

/* The operands from first on; false where they have no level. */
static inline bool has_level(const struct spv_inst *inst, uint32_t first)
{
    return inst->num_words > first && inst->words[first] & SpvImageOperandsLodMask;
}

/* The argument that the id is, or that the function's parameter of that id always is; NULL: it is none. */
struct image_arg *lower_image_arg(struct images *m, spv_id image);

/* Finds the arguments. False: there are none, or lower->error says what is wrong. */
bool lower_find_images(struct images *m);
/* Finds the parameters that calls give them to. */
void lower_find_image_params(struct images *m);
/* Notes what is done with each. False: lower->error says what is wrong, also of the next. */
bool lower_survey_images(struct images *m);
/* Makes their descriptors, and those of samplers. */
bool lower_bind_images(struct images *m);

#endif
