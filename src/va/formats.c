/* The one table of surfaces' formats: the images of OpenCL that their planes are. cl_intel_va_api_media_sharing has NV12;
 * the others are those that its implementations share. Chroma is rounded up where sizes are odd. */
#include "src/va/private.h"

#include "base/util.h"

#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define R8                 {CL_R, CL_UNORM_INT8}, 1
#define RG8                {CL_RG, CL_UNORM_INT8}, 2
#define R16                {CL_R, CL_UNORM_INT16}, 2
#define RG16               {CL_RG, CL_UNORM_INT16}, 4
#define RGBA8              {CL_RGBA, CL_UNORM_INT8}, 4
#define BGRA8              {CL_BGRA, CL_UNORM_INT8}, 4

static const struct va_format formats[] = {
    {FOURCC('N', 'V', '1', '2'), 2, {{R8, 0, 0}, {RG8, 1, 1}}},
    {FOURCC('N', 'V', '2', '1'), 2, {{R8, 0, 0}, {RG8, 1, 1}}},
    {FOURCC('P', '0', '1', '0'), 2, {{R16, 0, 0}, {RG16, 1, 1}}},
    {FOURCC('P', '0', '1', '2'), 2, {{R16, 0, 0}, {RG16, 1, 1}}},
    {FOURCC('P', '0', '1', '6'), 2, {{R16, 0, 0}, {RG16, 1, 1}}},
    {FOURCC('I', '4', '2', '0'), 3, {{R8, 0, 0}, {R8, 1, 1}, {R8, 1, 1}}},
    {FOURCC('Y', 'V', '1', '2'), 3, {{R8, 0, 0}, {R8, 1, 1}, {R8, 1, 1}}},
    {FOURCC('4', '4', '4', 'P'), 3, {{R8, 0, 0}, {R8, 0, 0}, {R8, 0, 0}}},
    {FOURCC('R', 'G', 'B', 'P'), 3, {{R8, 0, 0}, {R8, 0, 0}, {R8, 0, 0}}},
    {FOURCC('Y', '8', '0', '0'), 1, {{R8, 0, 0}}},
    {FOURCC('R', 'G', 'B', 'A'), 1, {{RGBA8, 0, 0}}},
    {FOURCC('R', 'G', 'B', 'X'), 1, {{RGBA8, 0, 0}}},
    {FOURCC('B', 'G', 'R', 'A'), 1, {{BGRA8, 0, 0}}},
    {FOURCC('B', 'G', 'R', 'X'), 1, {{BGRA8, 0, 0}}},
};

const struct va_format *va_format_find(uint32_t fourcc)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
        if (formats[i].fourcc == fourcc)
            return &formats[i];
    }
    return NULL;
}
