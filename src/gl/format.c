/* The one table of OpenGL's formats: what they are in OpenCL (OpenCL 3.1 API, table "OpenGL Internal Formats and
 * Corresponding OpenCL Internal Formats"), and how their texels are moved without any change. Depth and stencil: OpenCL
 * sees the depth alone, as floats, which hold all 24 bits of it. */
#include "src/gl/private.h"

#include "base/util.h"

#define ROWS_OF(R, RG, RGBA, kind, type, transfer_type, size)                                                          \
    {R, CL_R, type, GL_RED##kind, transfer_type, size}, {RG, CL_RG, type, GL_RG##kind, transfer_type, 2 * (size)},     \
    {                                                                                                                  \
        RGBA, CL_RGBA, type, GL_RGBA##kind, transfer_type, 4 * (size)                                                  \
    }

static const struct gl_format formats[] = {
    ROWS_OF(0x8229, 0x822B, 0x8058, , CL_UNORM_INT8, GL_UNSIGNED_BYTE, 1),   /* GL_R8, GL_RG8, GL_RGBA8 */
    ROWS_OF(0x822A, 0x822C, 0x805B, , CL_UNORM_INT16, GL_UNSIGNED_SHORT, 2), /* GL_R16 ... */
    ROWS_OF(0x8F94, 0x8F95, 0x8F97, , CL_SNORM_INT8, GL_BYTE, 1),            /* GL_R8_SNORM ... */
    ROWS_OF(0x8F98, 0x8F99, 0x8F9B, , CL_SNORM_INT16, GL_SHORT, 2),          /* GL_R16_SNORM ... */
    ROWS_OF(0x822D, 0x822F, 0x881A, , CL_HALF_FLOAT, GL_HALF_FLOAT, 2),      /* GL_R16F ... */
    ROWS_OF(0x822E, 0x8230, 0x8814, , CL_FLOAT, GL_FLOAT, 4),                /* GL_R32F ... */
    ROWS_OF(0x8231, 0x8237, 0x8D8E, _INTEGER, CL_SIGNED_INT8, GL_BYTE, 1),   /* GL_R8I ... */
    ROWS_OF(0x8232, 0x8238, 0x8D7C, _INTEGER, CL_UNSIGNED_INT8, GL_UNSIGNED_BYTE, 1),
    ROWS_OF(0x8233, 0x8239, 0x8D88, _INTEGER, CL_SIGNED_INT16, GL_SHORT, 2),
    ROWS_OF(0x8234, 0x823A, 0x8D76, _INTEGER, CL_UNSIGNED_INT16, GL_UNSIGNED_SHORT, 2),
    ROWS_OF(0x8235, 0x823B, 0x8D82, _INTEGER, CL_SIGNED_INT32, GL_INT, 4),
    ROWS_OF(0x8236, 0x823C, 0x8D70, _INTEGER, CL_UNSIGNED_INT32, GL_UNSIGNED_INT, 4),
    {0x8C43, CL_sRGBA, CL_UNORM_INT8, GL_RGBA, GL_UNSIGNED_BYTE, 4},              /* GL_SRGB8_ALPHA8 */
    {0x81A5, CL_DEPTH, CL_UNORM_INT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2}, /* GL_DEPTH_COMPONENT16 */
    {0x8CAC, CL_DEPTH, CL_FLOAT, GL_DEPTH_COMPONENT, GL_FLOAT, 4},                /* GL_DEPTH_COMPONENT32F */
    {0x88F0, CL_DEPTH_STENCIL, CL_UNORM_INT24, GL_DEPTH_COMPONENT, GL_FLOAT, 4},  /* GL_DEPTH24_STENCIL8 */
    {0x8CAD, CL_DEPTH_STENCIL, CL_FLOAT, GL_DEPTH_COMPONENT, GL_FLOAT, 4},        /* GL_DEPTH32F_STENCIL8 */
};

_Static_assert(ARRAY_LENGTH(formats) == GL_FORMATS, "as many as the header says");

static const struct gl_format *find(uint32_t internal)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
        if (formats[i].internal == internal)
            return &formats[i];
    }
    return NULL;
}

/* Formats without sizes (GL_RGBA, GL_RG, GL_RED; 4, the old name of GL_RGBA): the driver chose them. */
static const struct gl_format *find_unsized(uint32_t internal, const int32_t sizes[4])
{
    uint32_t components = internal == GL_RED ? 1 : internal == GL_RG ? 2 : 4;
    if (internal != GL_RED && internal != GL_RG && internal != GL_RGBA && internal != 4)
        return NULL;
    for (uint32_t i = 0; i < components; i++) {
        if (sizes[i] != sizes[0])
            return NULL;
    }
    static const uint32_t bytes[] = {0x8229, 0x822B, 0, 0x8058}, shorts[] = {0x822A, 0x822C, 0, 0x805B};
    return sizes[0] == 8 ? find(bytes[components - 1]) : sizes[0] == 16 ? find(shorts[components - 1]) : NULL;
}

const struct gl_format *gl_format_find(uint32_t internal, const int32_t sizes[4])
{
    const struct gl_format *format = find(internal);
    return format ? format : find_unsized(internal, sizes);
}

static cl_channel_type type_of(const struct gl_components *components)
{
    static const struct {
        uint32_t type;
        cl_channel_type of_8, of_16, of_32;
    } rows[] = {
        {GL_UNSIGNED_NORMALIZED, CL_UNORM_INT8, CL_UNORM_INT16, 0},
        {GL_SIGNED_NORMALIZED, CL_SNORM_INT8, CL_SNORM_INT16, 0},
        {GL_FLOAT, 0, CL_HALF_FLOAT, CL_FLOAT},
        {GL_INT, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32},
        {GL_UNSIGNED_INT, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32},
    };
    int32_t bits = components->sizes[0];
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].type == components->type)
            return bits == 8 ? rows[i].of_8 : bits == 16 ? rows[i].of_16 : bits == 32 ? rows[i].of_32 : 0;
    }
    return 0;
}

const struct gl_format *gl_format_of(const struct gl_components *components)
{
    static const cl_channel_order orders[] = {0, CL_R, CL_RG, 0, CL_RGBA};
    const int32_t *sizes = components->sizes;
    size_t count = 0;
    cl_channel_type type = type_of(components);
    while (count < 4 && sizes[count] && sizes[count] == sizes[0])
        count++;
    for (size_t i = count; i < 4; i++) {
        if (sizes[i])
            return NULL;
    }
    cl_channel_order order = components->srgb && count == 4 ? CL_sRGBA : orders[count];
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
        if (order && type && formats[i].order == order && formats[i].type == type)
            return &formats[i];
    }
    return NULL;
}

uint32_t gl_format_number(const struct gl_format *format)
{
    return (uint32_t)(format - formats);
}

bool gl_format_is_depth(const struct gl_format *format)
{
    return format->transfer == GL_DEPTH_COMPONENT;
}
