/* Storage images on devices that only know them by a format.
 *
 * A kernel's image has any format, so the compiler names none: the shader has StorageImageReadWithoutFormat or
 * StorageImageWriteWithoutFormat. A device without these features runs a copy of the shader in which each image has the
 * format of the one that is bound:
 *
 *     %image = OpTypeImage %float 2D ... Unknown       %image, and %new = OpTypeImage %float 2D ... Rgba8
 *     %pointer = OpTypePointer UniformConstant %image  %pointer, and %new_pointer = OpTypePointer ... %new
 *     %binding = OpVariable %pointer ...           ->  %binding = OpVariable %new_pointer ...
 *     %i = OpLoad %image %binding                      %i = OpLoad %new %binding
 *
 * A copy belongs to the shader that it was made of, and has pipelines of its own, like any shader. A launch whose
 * images have the formats of one before finds its copy. */
#include "vk/device/device.h"
#include "vk/memory/formats.h"

#include "base/spirv.h"

#include <stdlib.h>
#include <string.h>

/* SPIR-V 1.6 */
enum {
    OP_CAPABILITY = 17,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_POINTER = 32,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_DECORATE = 71,
    DECORATION_BINDING = 33,
    CAPABILITY_EXTENDED_FORMATS = 49,
    CAPABILITY_READ_ANY = 55,
    CAPABILITY_WRITE_ANY = 56,
    TYPE_IMAGE_LENGTH = 9,
    TYPE_POINTER_LENGTH = 4,
    IMAGE_SAMPLED = 7, /* the word of OpTypeImage */
    IMAGE_FORMAT = 8,
    STORAGE = 2
};

/* SPIR-V 1.6, 3.11; those of more than 8 bits, or fewer than four components, are StorageImageExtendedFormats'. */
static const struct {
    VkFormat format;
    uint32_t spirv;
} rows[] = {
    {VK_FORMAT_R32G32B32A32_SFLOAT, 1}, {VK_FORMAT_R16G16B16A16_SFLOAT, 2},
    {VK_FORMAT_R32_SFLOAT, 3},          {VK_FORMAT_R8G8B8A8_UNORM, 4},
    {VK_FORMAT_R8G8B8A8_SNORM, 5},      {VK_FORMAT_R32G32_SFLOAT, 6},
    {VK_FORMAT_R16G16_SFLOAT, 7},       {VK_FORMAT_R16_SFLOAT, 9},
    {VK_FORMAT_R16G16B16A16_UNORM, 10}, {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 11},
    {VK_FORMAT_R16G16_UNORM, 12},       {VK_FORMAT_R8G8_UNORM, 13},
    {VK_FORMAT_R16_UNORM, 14},          {VK_FORMAT_R8_UNORM, 15},
    {VK_FORMAT_R16G16B16A16_SNORM, 16}, {VK_FORMAT_R16G16_SNORM, 17},
    {VK_FORMAT_R8G8_SNORM, 18},         {VK_FORMAT_R16_SNORM, 19},
    {VK_FORMAT_R8_SNORM, 20},           {VK_FORMAT_R32G32B32A32_UINT, 30},
    {VK_FORMAT_R16G16B16A16_UINT, 31},  {VK_FORMAT_R8G8B8A8_UINT, 32},
    {VK_FORMAT_R32_UINT, 33},           {VK_FORMAT_R32G32_UINT, 35},
    {VK_FORMAT_R16G16_UINT, 36},        {VK_FORMAT_R8G8_UINT, 37},
    {VK_FORMAT_R16_UINT, 38},           {VK_FORMAT_R8_UINT, 39},
};

uint32_t vkb_spirv_format(uint32_t format)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].format == (VkFormat)format)
            return rows[i].spirv;
    }
    return 0;
}

bool vkb_words_want_formats(const struct vkb_caps *caps, const uint32_t *words, size_t num_words)
{
    struct spirv_walk walk = spirv_walk(words, num_words);
    while (spirv_next(&walk) && walk.op == OP_CAPABILITY && walk.length == 2) { /* they come first */
        if ((walk.inst[1] == CAPABILITY_READ_ANY && !caps->image_read_any) ||
            (walk.inst[1] == CAPABILITY_WRITE_ANY && !caps->image_write_any))
            return true;
    }
    return false;
}

/* A type of images with a format, and its pointers'. */
struct formatted {
    uint32_t image, format; /* the type without it */
    uint32_t id, pointer;
};

struct patch {
    const uint32_t *words;
    size_t num_words;
    uint32_t bound;                /* ids are below */
    uint32_t *binding;             /* by id: a variable's binding and 1 */
    const uint32_t **def;          /* by id: its OpTypeImage or OpTypePointer, or NULL */
    const struct formatted **type; /* by id: what a variable has now */
    struct formatted *types;
    uint32_t num_types, next_id;
};

static bool is_id(const struct patch *p, uint32_t id)
{
    return id && id < p->bound;
}

static void note_types(struct patch *p)
{
    struct spirv_walk walk = spirv_walk(p->words, p->num_words);
    while (spirv_next(&walk)) {
        const uint32_t *inst = walk.inst;
        uint32_t op = walk.op, length = walk.length;
        if (op == OP_DECORATE && length == 4 && inst[2] == DECORATION_BINDING && is_id(p, inst[1]))
            p->binding[inst[1]] = inst[3] + 1;
        else if (((op == OP_TYPE_IMAGE && length == TYPE_IMAGE_LENGTH) ||
                  (op == OP_TYPE_POINTER && length == TYPE_POINTER_LENGTH)) &&
                 is_id(p, inst[1]))
            p->def[inst[1]] = inst;
    }
}

/* The instruction with that operation which makes the id, or NULL. */
static const uint32_t *def_of(const struct patch *p, uint32_t id, uint32_t op)
{
    const uint32_t *def = is_id(p, id) ? p->def[id] : NULL;
    return def && (def[0] & 0xffff) == op ? def : NULL;
}

/* The type of storage images that the pointer's pointee is, or 0. */
static uint32_t image_of(const struct patch *p, uint32_t pointer)
{
    const uint32_t *type = def_of(p, pointer, OP_TYPE_POINTER);
    const uint32_t *image = type ? def_of(p, type[3], OP_TYPE_IMAGE) : NULL;
    return image && image[IMAGE_SAMPLED] == STORAGE ? type[3] : 0;
}

static const struct formatted *type_of(struct patch *p, uint32_t image, uint32_t format)
{
    for (uint32_t i = 0; i < p->num_types; i++) {
        if (p->types[i].image == image && p->types[i].format == format)
            return &p->types[i];
    }
    struct formatted *type = &p->types[p->num_types++];
    *type = (struct formatted){image, format, p->next_id, p->next_id + 1};
    p->next_id += 2;
    return type;
}

static void choose_types(struct patch *p, const uint32_t *formats, uint32_t count)
{
    struct spirv_walk walk = spirv_walk(p->words, p->num_words);
    while (spirv_next(&walk)) {
        const uint32_t *inst = walk.inst;
        if (walk.op != OP_VARIABLE || walk.length < 4 || !is_id(p, inst[2]))
            continue;
        uint32_t binding = p->binding[inst[2]], image = image_of(p, inst[1]);
        if (binding && binding <= count && formats[binding - 1] && image)
            p->type[inst[2]] = type_of(p, image, formats[binding - 1]);
    }
}

/* Behind a pointer type that is known: those of the same images with formats. */
static uint32_t *put_types(const struct patch *p, uint32_t image, uint32_t *to)
{
    for (uint32_t i = 0; i < p->num_types; i++) {
        const struct formatted *type = &p->types[i];
        if (type->image != image)
            continue;
        memcpy(to, p->def[image], TYPE_IMAGE_LENGTH * sizeof(*to));
        to[1] = type->id;
        to[IMAGE_FORMAT] = type->format;
        to += TYPE_IMAGE_LENGTH;
        *to++ = (uint32_t)TYPE_POINTER_LENGTH << 16 | OP_TYPE_POINTER;
        *to++ = type->pointer;
        *to++ = 0; /* UniformConstant */
        *to++ = type->id;
    }
    return to;
}

static bool is_dropped(const uint32_t *inst)
{
    return (inst[0] & 0xffff) == OP_CAPABILITY && (inst[1] == CAPABILITY_READ_ANY || inst[1] == CAPABILITY_WRITE_ANY ||
                                                   inst[1] == CAPABILITY_EXTENDED_FORMATS);
}

static size_t write_words(const struct patch *p, uint32_t *out)
{
    uint32_t *to = out;
    memcpy(to, p->words, SPIRV_HEADER * sizeof(*to));
    to[SPIRV_BOUND] = p->next_id;
    to += SPIRV_HEADER;
    *to++ = 2u << 16 | OP_CAPABILITY;
    *to++ = CAPABILITY_EXTENDED_FORMATS;
    struct spirv_walk walk = spirv_walk(p->words, p->num_words);
    while (spirv_next(&walk)) {
        const uint32_t *inst = walk.inst;
        uint32_t op = walk.op, length = walk.length;
        if (is_dropped(inst))
            continue;
        memcpy(to, inst, length * sizeof(*to));
        uint32_t variable = op == OP_VARIABLE && length >= 4 ? inst[2] : op == OP_LOAD && length >= 4 ? inst[3] : 0;
        const struct formatted *type = is_id(p, variable) ? p->type[variable] : NULL;
        if (type)
            to[1] = op == OP_LOAD ? type->id : type->pointer;
        to += length;
        if (op == OP_TYPE_POINTER && image_of(p, inst[1]))
            to = put_types(p, image_of(p, inst[1]), to);
    }
    return (size_t)(to - out);
}

uint32_t *vkb_words_with_formats(const uint32_t *words, size_t num_words, const uint32_t *formats, uint32_t count,
                                 size_t *num_out)
{
    uint32_t bound = words[SPIRV_BOUND], *out = NULL;
    struct patch p = {.words = words, .num_words = num_words, .bound = bound, .next_id = bound};
    if (bound > num_words) /* an id has a word at least */
        return NULL;
    p.binding = calloc(bound, sizeof(*p.binding));
    p.def = calloc(bound, sizeof(*p.def));
    p.type = calloc(bound, sizeof(*p.type));
    p.types = calloc(count, sizeof(*p.types));
    if (p.binding && p.def && p.type && p.types) {
        note_types(&p);
        choose_types(&p, formats, count);
        out = malloc((num_words + 2 + p.num_types * (TYPE_IMAGE_LENGTH + TYPE_POINTER_LENGTH)) * sizeof(*out));
    }
    if (out)
        *num_out = write_words(&p, out);
    free(p.binding);
    free(p.def);
    free(p.type);
    free(p.types);
    return out;
}
