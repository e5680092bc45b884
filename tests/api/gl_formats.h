/* The formats of OpenGL that OpenCL has, for the tests of cl_khr_gl_sharing. */
#ifndef TESTS_API_GL_FORMATS_H
#define TESTS_API_GL_FORMATS_H

#include "gl_test.h"

struct format {
    GLenum internal;
    cl_channel_order order;
    cl_channel_type type;
    GLenum transfer, transfer_type;
    uint32_t texel_size, component_size;
};

static const struct format formats[] = {
    {GL_RGBA8, CL_RGBA, CL_UNORM_INT8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1},
    {GL_SRGB8_ALPHA8, CL_sRGBA, CL_UNORM_INT8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1},
    {GL_RGBA, CL_RGBA, CL_UNORM_INT8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1},
    {GL_RGBA8I, CL_RGBA, CL_SIGNED_INT8, GL_RGBA_INTEGER, GL_BYTE, 4, 1},
    {GL_RGBA16I, CL_RGBA, CL_SIGNED_INT16, GL_RGBA_INTEGER, GL_SHORT, 8, 2},
    {GL_RGBA32I, CL_RGBA, CL_SIGNED_INT32, GL_RGBA_INTEGER, GL_INT, 16, 4},
    {GL_RGBA8UI, CL_RGBA, CL_UNSIGNED_INT8, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4, 1},
    {GL_RGBA16UI, CL_RGBA, CL_UNSIGNED_INT16, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, 8, 2},
    {GL_RGBA32UI, CL_RGBA, CL_UNSIGNED_INT32, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16, 4},
    {GL_RGBA8_SNORM, CL_RGBA, CL_SNORM_INT8, GL_RGBA, GL_BYTE, 4, 1},
    {GL_RGBA16, CL_RGBA, CL_UNORM_INT16, GL_RGBA, GL_UNSIGNED_SHORT, 8, 2},
    {GL_RGBA16_SNORM, CL_RGBA, CL_SNORM_INT16, GL_RGBA, GL_SHORT, 8, 2},
    {GL_RGBA16F, CL_RGBA, CL_HALF_FLOAT, GL_RGBA, GL_HALF_FLOAT, 8, 2},
    {GL_RGBA32F, CL_RGBA, CL_FLOAT, GL_RGBA, GL_FLOAT, 16, 4},
    {GL_R8, CL_R, CL_UNORM_INT8, GL_RED, GL_UNSIGNED_BYTE, 1, 1},
    {GL_R8_SNORM, CL_R, CL_SNORM_INT8, GL_RED, GL_BYTE, 1, 1},
    {GL_R16, CL_R, CL_UNORM_INT16, GL_RED, GL_UNSIGNED_SHORT, 2, 2},
    {GL_R16_SNORM, CL_R, CL_SNORM_INT16, GL_RED, GL_SHORT, 2, 2},
    {GL_R16F, CL_R, CL_HALF_FLOAT, GL_RED, GL_HALF_FLOAT, 2, 2},
    {GL_R32F, CL_R, CL_FLOAT, GL_RED, GL_FLOAT, 4, 4},
    {GL_R8I, CL_R, CL_SIGNED_INT8, GL_RED_INTEGER, GL_BYTE, 1, 1},
    {GL_R16I, CL_R, CL_SIGNED_INT16, GL_RED_INTEGER, GL_SHORT, 2, 2},
    {GL_R32I, CL_R, CL_SIGNED_INT32, GL_RED_INTEGER, GL_INT, 4, 4},
    {GL_R8UI, CL_R, CL_UNSIGNED_INT8, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, 1},
    {GL_R16UI, CL_R, CL_UNSIGNED_INT16, GL_RED_INTEGER, GL_UNSIGNED_SHORT, 2, 2},
    {GL_R32UI, CL_R, CL_UNSIGNED_INT32, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, 4},
    {GL_RG8, CL_RG, CL_UNORM_INT8, GL_RG, GL_UNSIGNED_BYTE, 2, 1},
    {GL_RG8_SNORM, CL_RG, CL_SNORM_INT8, GL_RG, GL_BYTE, 2, 1},
    {GL_RG16, CL_RG, CL_UNORM_INT16, GL_RG, GL_UNSIGNED_SHORT, 4, 2},
    {GL_RG16_SNORM, CL_RG, CL_SNORM_INT16, GL_RG, GL_SHORT, 4, 2},
    {GL_RG16F, CL_RG, CL_HALF_FLOAT, GL_RG, GL_HALF_FLOAT, 4, 2},
    {GL_RG32F, CL_RG, CL_FLOAT, GL_RG, GL_FLOAT, 8, 4},
    {GL_RG8I, CL_RG, CL_SIGNED_INT8, GL_RG_INTEGER, GL_BYTE, 2, 1},
    {GL_RG16I, CL_RG, CL_SIGNED_INT16, GL_RG_INTEGER, GL_SHORT, 4, 2},
    {GL_RG32I, CL_RG, CL_SIGNED_INT32, GL_RG_INTEGER, GL_INT, 8, 4},
    {GL_RG8UI, CL_RG, CL_UNSIGNED_INT8, GL_RG_INTEGER, GL_UNSIGNED_BYTE, 2, 1},
    {GL_RG16UI, CL_RG, CL_UNSIGNED_INT16, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4, 2},
    {GL_RG32UI, CL_RG, CL_UNSIGNED_INT32, GL_RG_INTEGER, GL_UNSIGNED_INT, 8, 4},
    {GL_DEPTH_COMPONENT16, CL_DEPTH, CL_UNORM_INT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2, 2},
    {GL_DEPTH_COMPONENT32F, CL_DEPTH, CL_FLOAT, GL_DEPTH_COMPONENT, GL_FLOAT, 4, 4},
};

/* Bits that every format keeps: no -128, whose texel is that of -127, no NaN, and depths from 0 to 1. */
static inline void fill(const struct format *format, unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(rand() >> 7);
    for (size_t i = 0; i + format->component_size <= size; i += format->component_size) {
        unsigned char *top = &data[i + format->component_size - 1];
        if (format->type == CL_SNORM_INT8 || format->type == CL_SNORM_INT16)
            *top = *top == 0x80 ? 0x81 : *top;
        if (format->type == CL_HALF_FLOAT)
            *top &= 0xbb;
        if (format->type == CL_FLOAT)
            *top &= 0xbf;
        if (format->order == CL_DEPTH && format->type == CL_FLOAT)
            memcpy(&data[i], &(float){(float)(rand() % 1000) / 1000.0f}, 4);
    }
}

static inline size_t size_of(const struct format *format, const size_t region[3])
{
    return region[0] * region[1] * region[2] * format->texel_size;
}

#endif
