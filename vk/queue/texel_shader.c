/* Writes the shaders of texels.c. Each work-item moves one texel: its id is the texel's place in the region.
 *
 *     if (all(id < push.extent)) {
 *         texel = &((unit *)push.address)[(id.z * push.slice + id.y * push.row) + id.x];
 *         imageStore(image, id + push.origin, *texel)         or         *texel = imageLoad(image, id + push.origin)
 *     }
 *
 * or, between images, imageStore(target, id + push.target_origin, imageLoad(image, id + push.origin)).
 *
 * Texels are whole numbers: of one component, of two where they have eight bytes, of four with sixteen. The image's type
 * has no format, its view has. The modules differ in the images' dimensions, the size of a texel and the direction, so
 * they are written when one is wanted. */
#include "vk/queue/texel_shader.h"

#include "base/spirv.h"

#include <assert.h>
#include <string.h>

/* SPIR-V 1.5 */
enum op {
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_RUNTIME_ARRAY = 29,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_CONSTANT = 43,
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_ACCESS_CHAIN = 65,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_IMAGE_READ = 98,
    OP_IMAGE_WRITE = 99,
    OP_U_CONVERT = 113,
    OP_BITCAST = 124,
    OP_I_ADD = 128,
    OP_I_MUL = 132,
    OP_ALL = 155,
    OP_U_LESS_THAN = 176,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_RETURN = 253,
};
enum {
    CAPABILITY_SHADER = 1,
    CAPABILITY_INT16 = 22,
    CAPABILITY_INT8 = 39,
    CAPABILITY_IMAGE_1D = 44,
    CAPABILITY_READ_ANY = 55,
    CAPABILITY_WRITE_ANY = 56,
    CAPABILITY_STORAGE16 = 4433,
    CAPABILITY_STORAGE8 = 4448,
    CAPABILITY_ADDRESSES = 5347,
    ADDRESSES_64 = 5348,
    GLSL450 = 1,
    GL_COMPUTE = 5,
    LOCAL_SIZE = 17,
    UNIFORM_CONSTANT = 0,
    INPUT = 1,
    PUSH_CONSTANT = 9,
    BY_ADDRESS = 5349,
    BLOCK = 2,
    ARRAY_STRIDE = 6,
    BUILT_IN = 11,
    BINDING = 33,
    DESCRIPTOR_SET = 34,
    OFFSET = 35,
    GLOBAL_ID = 28,
    ALIGNED = 2,
    STORAGE_IMAGE = 2,
    VERSION_1_5 = 0x10500,
};

/* The ids. UNIT is what a texel is in the buffer; it is UINT itself, or a vector of them, where that has its size. */
enum {
    VOID = 1,
    MAIN_TYPE,
    BOOL,
    BOOL3,
    UINT,
    UINT2,
    UINT3,
    UINT4,
    NARROW,
    ARRAY,
    BUFFER,
    BUFFER_POINTER,
    UNIT_POINTER,
    PUSH,
    PUSH_POINTER,
    PUSH_UINT2,
    PUSH_UINT,
    PUSH_UINT3,
    IMAGE,
    IMAGE_POINTER,
    OTHER_IMAGE, /* of the target, where its dimensions are others */
    OTHER_POINTER,
    ID_POINTER,
    CONSTANTS, /* 0 to 5: the members of the push constants */
    THE_PUSH = CONSTANTS + 6,
    THE_IMAGE,
    THE_TARGET,
    THE_ID,
    MAIN,
    FIRST_FREE
};
enum { MEMBER_ADDRESS, MEMBER_ROW, MEMBER_SLICE, MEMBER_ORIGIN, MEMBER_EXTENT, MEMBER_TARGET_ORIGIN };

struct module {
    uint32_t *words;
    size_t count;
    uint32_t next; /* id */
};

static void put(struct module *m, enum op op, const uint32_t *operands, size_t count)
{
    assert(m->count + 1 + count <= TEXEL_WORDS);
    m->words[m->count++] = (uint32_t)(count + 1) << 16 | op;
    if (count)
        memcpy(m->words + m->count, operands, count * sizeof(*operands));
    m->count += count;
}

#define PUT(m, op, ...)                                                                                                \
    put((m), (op), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* An instruction with a result, which comes behind its type. */
#define PUT_VALUE(m, op, type, ...) (PUT((m), (op), (type), (m)->next, __VA_ARGS__), (m)->next++)

static void put_head(struct module *m, const struct texel_shader *shader)
{
    bool between = shader->way == TEXELS_BETWEEN_IMAGES;
    uint32_t size[3];
    vkb_texel_group(shader->view, size);
    PUT(m, OP_CAPABILITY, CAPABILITY_SHADER);
    PUT(m, OP_CAPABILITY, CAPABILITY_ADDRESSES);
    if (shader->way != TEXELS_TO_BUFFER)
        PUT(m, OP_CAPABILITY, CAPABILITY_WRITE_ANY);
    if (shader->way != TEXELS_TO_IMAGE)
        PUT(m, OP_CAPABILITY, CAPABILITY_READ_ANY);
    if (shader->view == TEXELS_LINES)
        PUT(m, OP_CAPABILITY, CAPABILITY_IMAGE_1D);
    if (shader->texel_size < 4) {
        PUT(m, OP_CAPABILITY, shader->texel_size == 1 ? CAPABILITY_INT8 : CAPABILITY_INT16);
        PUT(m, OP_CAPABILITY, shader->texel_size == 1 ? CAPABILITY_STORAGE8 : CAPABILITY_STORAGE16);
    }
    PUT(m, OP_MEMORY_MODEL, ADDRESSES_64, GLSL450);
    /* "main" in words */
    if (between)
        PUT(m, OP_ENTRY_POINT, GL_COMPUTE, MAIN, 0x6e69616d, 0, THE_PUSH, THE_IMAGE, THE_TARGET, THE_ID);
    else
        PUT(m, OP_ENTRY_POINT, GL_COMPUTE, MAIN, 0x6e69616d, 0, THE_PUSH, THE_IMAGE, THE_ID);
    PUT(m, OP_EXECUTION_MODE, MAIN, LOCAL_SIZE, size[0], size[1], size[2]);
    PUT(m, OP_DECORATE, THE_IMAGE, DESCRIPTOR_SET, 0);
    PUT(m, OP_DECORATE, THE_IMAGE, BINDING, 0);
    if (between) {
        PUT(m, OP_DECORATE, THE_TARGET, DESCRIPTOR_SET, 0);
        PUT(m, OP_DECORATE, THE_TARGET, BINDING, 1);
    }
    PUT(m, OP_DECORATE, THE_ID, BUILT_IN, GLOBAL_ID);
    PUT(m, OP_DECORATE, ARRAY, ARRAY_STRIDE, shader->texel_size);
    PUT(m, OP_DECORATE, BUFFER, BLOCK);
    PUT(m, OP_MEMBER_DECORATE, BUFFER, 0, OFFSET, 0);
    PUT(m, OP_DECORATE, PUSH, BLOCK);
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_ADDRESS, OFFSET, offsetof(struct texel_push, address));
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_ROW, OFFSET, offsetof(struct texel_push, row_texels));
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_SLICE, OFFSET, offsetof(struct texel_push, slice_texels));
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_ORIGIN, OFFSET, offsetof(struct texel_push, origin));
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_EXTENT, OFFSET, offsetof(struct texel_push, extent));
    PUT(m, OP_MEMBER_DECORATE, PUSH, MEMBER_TARGET_ORIGIN, OFFSET, offsetof(struct texel_push, target_origin));
}

static uint32_t unit_of(const struct texel_shader *shader)
{
    switch (shader->texel_size) {
    case 4:
        return UINT;
    case 8:
        return UINT2;
    case 16:
        return UINT4;
    default:
        return NARROW;
    }
}

static void put_image_type(struct module *m, enum texel_view view, uint32_t type, uint32_t pointer)
{
    static const uint32_t dimensions[TEXEL_VIEWS] = {0, 1, 2}; /* 1D, 2D, 3D */
    PUT(m, OP_TYPE_IMAGE, type, UINT, dimensions[view], 0, view != TEXELS_VOLUME, 0, STORAGE_IMAGE, 0);
    PUT(m, OP_TYPE_POINTER, pointer, UNIFORM_CONSTANT, type);
}

/* No two types of a module may be the same. */
static bool has_other_type(const struct texel_shader *shader)
{
    return shader->way == TEXELS_BETWEEN_IMAGES && shader->target != shader->view;
}

static void put_types(struct module *m, const struct texel_shader *shader)
{
    PUT(m, OP_TYPE_VOID, VOID);
    PUT(m, OP_TYPE_FUNCTION, MAIN_TYPE, VOID);
    PUT(m, OP_TYPE_BOOL, BOOL);
    PUT(m, OP_TYPE_VECTOR, BOOL3, BOOL, 3);
    PUT(m, OP_TYPE_INT, UINT, 32, 0);
    PUT(m, OP_TYPE_VECTOR, UINT2, UINT, 2);
    PUT(m, OP_TYPE_VECTOR, UINT3, UINT, 3);
    PUT(m, OP_TYPE_VECTOR, UINT4, UINT, 4);
    if (shader->texel_size < 4)
        PUT(m, OP_TYPE_INT, NARROW, 8 * shader->texel_size, 0);
    PUT(m, OP_TYPE_RUNTIME_ARRAY, ARRAY, unit_of(shader));
    PUT(m, OP_TYPE_STRUCT, BUFFER, ARRAY);
    PUT(m, OP_TYPE_POINTER, BUFFER_POINTER, BY_ADDRESS, BUFFER);
    PUT(m, OP_TYPE_POINTER, UNIT_POINTER, BY_ADDRESS, unit_of(shader));
    PUT(m, OP_TYPE_STRUCT, PUSH, UINT2, UINT, UINT, UINT3, UINT3, UINT3);
    PUT(m, OP_TYPE_POINTER, PUSH_POINTER, PUSH_CONSTANT, PUSH);
    PUT(m, OP_TYPE_POINTER, PUSH_UINT2, PUSH_CONSTANT, UINT2);
    PUT(m, OP_TYPE_POINTER, PUSH_UINT, PUSH_CONSTANT, UINT);
    PUT(m, OP_TYPE_POINTER, PUSH_UINT3, PUSH_CONSTANT, UINT3);
    put_image_type(m, shader->view, IMAGE, IMAGE_POINTER);
    if (has_other_type(shader))
        put_image_type(m, shader->target, OTHER_IMAGE, OTHER_POINTER);
    PUT(m, OP_TYPE_POINTER, ID_POINTER, INPUT, UINT3);
    for (uint32_t i = 0; i < 6; i++)
        PUT(m, OP_CONSTANT, UINT, CONSTANTS + i, i);
    PUT(m, OP_VARIABLE, PUSH_POINTER, THE_PUSH, PUSH_CONSTANT);
    PUT(m, OP_VARIABLE, IMAGE_POINTER, THE_IMAGE, UNIFORM_CONSTANT);
    if (shader->way == TEXELS_BETWEEN_IMAGES)
        PUT(m, OP_VARIABLE, has_other_type(shader) ? OTHER_POINTER : IMAGE_POINTER, THE_TARGET, UNIFORM_CONSTANT);
    PUT(m, OP_VARIABLE, ID_POINTER, THE_ID, INPUT);
}

static uint32_t load_push(struct module *m, uint32_t type, uint32_t pointer_type, uint32_t member)
{
    uint32_t at = PUT_VALUE(m, OP_ACCESS_CHAIN, pointer_type, THE_PUSH, CONSTANTS + member);
    return PUT_VALUE(m, OP_LOAD, type, at);
}

/* The pointer to the work-item's texel in the buffer. */
static uint32_t put_address(struct module *m, uint32_t id)
{
    uint32_t x = PUT_VALUE(m, OP_COMPOSITE_EXTRACT, UINT, id, 0), y = PUT_VALUE(m, OP_COMPOSITE_EXTRACT, UINT, id, 1),
             z = PUT_VALUE(m, OP_COMPOSITE_EXTRACT, UINT, id, 2);
    uint32_t row = load_push(m, UINT, PUSH_UINT, MEMBER_ROW), slice = load_push(m, UINT, PUSH_UINT, MEMBER_SLICE);
    uint32_t slices = PUT_VALUE(m, OP_I_MUL, UINT, z, slice), rows = PUT_VALUE(m, OP_I_MUL, UINT, y, row);
    uint32_t index = PUT_VALUE(m, OP_I_ADD, UINT, slices, rows);
    index = PUT_VALUE(m, OP_I_ADD, UINT, index, x);
    uint32_t address = load_push(m, UINT2, PUSH_UINT2, MEMBER_ADDRESS);
    uint32_t buffer = PUT_VALUE(m, OP_BITCAST, BUFFER_POINTER, address);
    return PUT_VALUE(m, OP_ACCESS_CHAIN, UNIT_POINTER, buffer, CONSTANTS, index);
}

/* A texel of the buffer as the image takes it. */
static uint32_t widen(struct module *m, const struct texel_shader *shader, uint32_t unit)
{
    if (shader->texel_size == 16)
        return unit;
    if (shader->texel_size == 8)
        return PUT_VALUE(m, OP_COMPOSITE_CONSTRUCT, UINT4, unit, CONSTANTS, CONSTANTS);
    if (shader->texel_size < 4)
        unit = PUT_VALUE(m, OP_U_CONVERT, UINT, unit);
    return PUT_VALUE(m, OP_COMPOSITE_CONSTRUCT, UINT4, unit, CONSTANTS, CONSTANTS, CONSTANTS);
}

static uint32_t narrow(struct module *m, const struct texel_shader *shader, uint32_t texel)
{
    if (shader->texel_size == 16)
        return texel;
    if (shader->texel_size == 8)
        return PUT_VALUE(m, OP_VECTOR_SHUFFLE, UINT2, texel, texel, 0, 1);
    uint32_t unit = PUT_VALUE(m, OP_COMPOSITE_EXTRACT, UINT, texel, 0);
    return shader->texel_size < 4 ? PUT_VALUE(m, OP_U_CONVERT, NARROW, unit) : unit;
}

/* The work-item's texel in an image. */
static uint32_t put_place(struct module *m, enum texel_view view, uint32_t id, uint32_t member)
{
    uint32_t origin = load_push(m, UINT3, PUSH_UINT3, member), place = PUT_VALUE(m, OP_I_ADD, UINT3, id, origin);
    return view == TEXELS_LINES ? PUT_VALUE(m, OP_VECTOR_SHUFFLE, UINT2, place, place, 0, 1) : place;
}

static uint32_t read_image(struct module *m, const struct texel_shader *shader, uint32_t id)
{
    uint32_t place = put_place(m, shader->view, id, MEMBER_ORIGIN), image = PUT_VALUE(m, OP_LOAD, IMAGE, THE_IMAGE);
    return PUT_VALUE(m, OP_IMAGE_READ, UINT4, image, place);
}

static void put_move(struct module *m, const struct texel_shader *shader, uint32_t id)
{
    uint32_t at, texel, place, image, unit;
    switch (shader->way) {
    case TEXELS_TO_IMAGE:
        at = put_address(m, id);
        unit = PUT_VALUE(m, OP_LOAD, unit_of(shader), at, ALIGNED, shader->texel_size);
        texel = widen(m, shader, unit);
        place = put_place(m, shader->view, id, MEMBER_ORIGIN);
        image = PUT_VALUE(m, OP_LOAD, IMAGE, THE_IMAGE);
        PUT(m, OP_IMAGE_WRITE, image, place, texel);
        break;
    case TEXELS_TO_BUFFER:
        texel = read_image(m, shader, id);
        unit = narrow(m, shader, texel);
        at = put_address(m, id);
        PUT(m, OP_STORE, at, unit, ALIGNED, shader->texel_size);
        break;
    default:
        texel = read_image(m, shader, id);
        place = put_place(m, shader->target, id, MEMBER_TARGET_ORIGIN);
        image = PUT_VALUE(m, OP_LOAD, has_other_type(shader) ? OTHER_IMAGE : IMAGE, THE_TARGET);
        PUT(m, OP_IMAGE_WRITE, image, place, texel);
        break;
    }
}

static void put_main(struct module *m, const struct texel_shader *shader)
{
    uint32_t body = m->next++, end = m->next++;
    PUT(m, OP_FUNCTION, VOID, MAIN, 0, MAIN_TYPE);
    PUT(m, OP_LABEL, m->next++);
    uint32_t id = PUT_VALUE(m, OP_LOAD, UINT3, THE_ID), extent = load_push(m, UINT3, PUSH_UINT3, MEMBER_EXTENT);
    uint32_t each = PUT_VALUE(m, OP_U_LESS_THAN, BOOL3, id, extent), all = PUT_VALUE(m, OP_ALL, BOOL, each);
    PUT(m, OP_SELECTION_MERGE, end, 0);
    PUT(m, OP_BRANCH_CONDITIONAL, all, body, end);
    PUT(m, OP_LABEL, body);
    put_move(m, shader, id);
    PUT(m, OP_BRANCH, end);
    PUT(m, OP_LABEL, end);
    put(m, OP_RETURN, NULL, 0);
    put(m, OP_FUNCTION_END, NULL, 0);
}

size_t vkb_texel_shader(const struct texel_shader *shader, uint32_t words[TEXEL_WORDS])
{
    struct module m = {.words = words, .count = SPIRV_HEADER, .next = FIRST_FREE};
    put_head(&m, shader);
    put_types(&m, shader);
    put_main(&m, shader);
    memcpy(words, (const uint32_t[SPIRV_HEADER]){SPIRV_MAGIC, VERSION_1_5, 0, m.next, 0},
           SPIRV_HEADER * sizeof(*words));
    return m.count;
}

void vkb_texel_group(enum texel_view view, uint32_t size[3])
{
    bool lines = view == TEXELS_LINES;
    size[0] = lines ? 256 : 32;
    size[1] = lines ? 1 : 8;
    size[2] = 1;
}
