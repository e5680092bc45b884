/* Images of every type and samplers: creation from nothing, host memory, buffers and other images; transfers, copies,
 * fills. Maps are in buffers.c, what kernels do with images in sources.c. */
#include "tests/fuzz/api/api.h"

#include <string.h>

/* ---- places ---- */

/* Of what is not refused, the host's side has at most 16 x 16 rows, or 16 rows in 4 slices. */
struct api_region api_region(void)
{
    static const size_t origins[] = {0, 0, 0, 0, 1, 4, 16}, widths[] = {1, 4, 7, 16, 2, 8, 0},
                        heights[] = {1, 1, 1, 4, 7, 16, 0}, depths[] = {1, 1, 1, 2, 4, 0}, rows[] = {0, 0, 0, 256, 1},
                        slices[] = {0, 0, 0, 0, 4096, 1};
    static const size_t wild[] = {SIZE_MAX, SIZE_MAX / 2, 1u << 31, 1u << 20};
    struct api_region r = {
        .origin = {API_PICK(origins), API_PICK(origins), API_PICK(origins), api_chance(2) ? 0 : 1},
        .region = {API_PICK(widths), API_PICK(heights), API_PICK(depths)},
        .row_pitch = API_PICK(rows),
        .slice_pitch = API_PICK(slices),
    };
    if (api_chance(2)) /* a place that most images have */
        return (struct api_region){.origin = {api_chance(3) ? 4 : 0, 0, api_chance(4), api_chance(2)},
                                   .region = {1 + api_byte() % 4u, api_chance(2) ? 1 : 1 + api_byte() % 4u, 1}};
    if (api_chance(2))
        memset(r.origin, 0, sizeof(r.origin));
    if (api_chance(12)) /* no image is that large */
        r.region[api_byte() % 3] = API_PICK(wild);
    if (api_chance(20))
        r.origin[api_byte() % 4] = API_PICK(wild);
    return r;
}

/* ---- creation ---- */

static const cl_image_format formats[] = {
    {CL_RGBA, CL_UNORM_INT8},
    {CL_RGBA, CL_UNSIGNED_INT8},
    {CL_R, CL_FLOAT},
    {CL_RGBA, CL_FLOAT},
    {CL_R, CL_UNORM_INT16},
    {CL_BGRA, CL_UNORM_INT8},
    {CL_sRGBA, CL_UNORM_INT8},
    {CL_RG, CL_SIGNED_INT32},
    {CL_RGBA, CL_HALF_FLOAT},
    {CL_DEPTH, CL_FLOAT},
    {CL_RGBA, CL_SIGNED_INT16},
    {CL_LUMINANCE, CL_FLOAT},
    {CL_RGB, CL_UNORM_SHORT_565},
    {CL_A, CL_UNORM_INT8},
    {CL_RGBA, 0x7777},
    {0, 0},
    {CL_RGB, CL_UNORM_INT_101010},
    {CL_R, CL_UNSIGNED_INT32},
    {CL_NV12_INTEL, CL_UNORM_INT8},
};
static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE2D,
                                           CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,
                                           CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                           CL_MEM_OBJECT_BUFFER,        0};
static const cl_mem_flags flags[] = {0,
                                     0,
                                     CL_MEM_READ_ONLY,
                                     CL_MEM_WRITE_ONLY,
                                     CL_MEM_COPY_HOST_PTR,
                                     CL_MEM_USE_HOST_PTR,
                                     CL_MEM_ALLOC_HOST_PTR,
                                     CL_MEM_HOST_NO_ACCESS,
                                     CL_MEM_HOST_READ_ONLY,
                                     CL_MEM_HOST_WRITE_ONLY,
                                     CL_MEM_KERNEL_READ_AND_WRITE,
                                     CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                     CL_MEM_NO_ACCESS_INTEL | CL_MEM_HOST_NO_ACCESS |
                                         CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL,
                                     0x80000};

/* With host memory at most 16 x 16 x 4 texels of at most 16 bytes, in rows of at most 320 bytes. */
static cl_image_desc make_desc(bool host)
{
    static const size_t sizes[] = {1, 4, 7, 16, 8, 2, 16, 33, 0}, few[] = {1, 2, 4, 0},
                        wild[] = {SIZE_MAX, 1u << 31, 1u << 20, SIZE_MAX / 2}, rows[] = {0, 0, 256, 320, 1},
                        slices[] = {0, 0, 4096, 5120, 1};
    uint8_t most = host ? 7 : ARRAY_LENGTH(sizes);
    cl_image_desc desc = {
        .image_type = API_PICK(types),
        .image_width = sizes[api_byte() % most],
        .image_height = sizes[api_byte() % most],
        .image_depth = API_PICK(few),
        .image_array_size = API_PICK(few),
    };
    if (host || api_chance(6)) {
        desc.image_row_pitch = API_PICK(rows);
        desc.image_slice_pitch = API_PICK(slices);
    }
    if (!host && api_chance(6)) { /* products of these wrap around to something small */
        static const size_t pitches[] = {1ull << 63, (1ull << 62) + 256, 1ull << 60, 1ull << 55, SIZE_MAX & ~15ull};
        if (api_chance(2))
            desc.image_row_pitch = API_PICK(pitches);
        else
            desc.image_slice_pitch = API_PICK(pitches);
    }
    if (api_chance(20))
        desc.image_width = API_PICK(wild);
    if (api_chance(40))
        desc.image_array_size = API_PICK(wild);
    if (api_chance(40))
        desc.num_mip_levels = 1;
    if (api_chance(40))
        desc.num_samples = 4;
    if (!host && (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER || api_chance(6)))
        desc.mem_object = api_handle(api_chance(3) ? IMAGE : MEM);
    return desc;
}

static void make_image(void)
{
    static const cl_mem_properties properties[][3] = {{0}, {0x7777, 1, 0}};
    cl_mem_flags chosen = API_PICK(flags);
    bool needs = chosen & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR), given = needs != api_chance(20);
    cl_image_format format = API_PICK(formats);
    cl_image_desc desc = make_desc(given);
    uint8_t *memory = given ? api_lend() : NULL;
    void *context = api_handle(CONTEXT);
    cl_mem mem;
    switch (api_byte() % 8) {
    case 0:
        MAKE(mem, clCreateImageWithProperties, context, api_chance(2) ? NULL : API_PICK(properties), chosen, &format,
             &desc, memory);
        break;
    case 1:
        MAKE(mem, clCreateImage2D, context, chosen, &format, desc.image_width, desc.image_height, desc.image_row_pitch,
             memory);
        break;
    case 2:
        MAKE(mem, clCreateImage3D, context, chosen, &format, desc.image_width, desc.image_height, desc.image_depth,
             desc.image_row_pitch, desc.image_slice_pitch, memory);
        break;
    default:
        MAKE(mem, clCreateImage, context, chosen, api_chance(40) ? NULL : &format, api_chance(40) ? NULL : &desc,
             memory);
    }
    api_put(IMAGE, mem);
}

/* cl_intel_planar_yuv: an image of planes, or one of a plane where the other image happens to have them. */
static void make_planes(void)
{
    static const cl_mem_flags closed = CL_MEM_HOST_NO_ACCESS | CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL;
    const cl_image_format nv12 = {CL_NV12_INTEL, CL_UNORM_INT8};
    bool plane = api_chance(2), chroma = api_chance(2);
    const cl_image_format format = plane ? (cl_image_format){chroma ? CL_RG : CL_R, CL_UNORM_INT8} : nv12;
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 16,
                                .image_height = 8,
                                .image_depth = chroma,
                                .mem_object = plane ? api_handle(IMAGE) : NULL};
    void *context = api_handle(CONTEXT);
    cl_mem mem;
    MAKE(mem, clCreateImage, context, plane ? 0 : CL_MEM_READ_ONLY | closed, &format, &desc, NULL);
    api_put(IMAGE, mem);
}

/* One that is right: what kernels and transfers need. */
static void make_right_image(void)
{
    static const cl_mem_object_type right[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D};
    static const size_t sizes[] = {16, 7, 33, 4};
    struct api_slot *context = &api_run.slots[CONTEXT][0];
    const cl_image_format format = formats[api_byte() % 4];
    const cl_image_desc desc = {.image_type = API_PICK(right),
                                .image_width = API_PICK(sizes),
                                .image_height = API_PICK(sizes),
                                .image_depth = 4,
                                .image_array_size = 2};
    cl_mem mem;
    if (!context->handle)
        return;
    MAKE(mem, clCreateImage, context->handle, 0, &format, &desc, NULL);
    api_put(IMAGE, mem);
}

static void ask_formats(void)
{
    cl_image_format found[4];
    cl_uint count, room = api_byte() % 5u;
    void *context = api_handle(CONTEXT);
    DO(clGetSupportedImageFormats, context, API_PICK(flags), API_PICK(types), room, api_chance(4) ? NULL : found,
       api_chance(4) ? NULL : &count);
}

/* ---- commands ---- */

static cl_mem root_of(cl_mem mem)
{
    cl_mem parent = NULL;
    while (mem && clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL) == CL_SUCCESS &&
           parent)
        mem = parent;
    return mem;
}

bool api_share(cl_mem first, cl_mem second)
{
    return first != second && first && second && root_of(first) == root_of(second);
}

static void transfer(void)
{
    void *queue = api_handle(QUEUE), *image = api_handle(IMAGE);
    struct api_region r = api_region();
    cl_bool blocking = api_chance(3);
    const size_t *origin = api_chance(40) ? NULL : r.origin, *region = api_chance(40) ? NULL : r.region;
    if (blocking)
        api_settle();
    if (api_chance(2))
        ENQUEUE(clEnqueueReadImage, queue, image, blocking, origin, region, r.row_pitch, r.slice_pitch,
                api_chance(30) ? NULL : api_host[1]);
    else
        ENQUEUE(clEnqueueWriteImage, queue, image, blocking, origin, region, r.row_pitch, r.slice_pitch,
                api_chance(30) ? NULL : api_host[0]);
}

static void copy(void)
{
    void *queue = api_handle(QUEUE), *image = api_handle(IMAGE);
    void *other = api_handle(api_chance(4) ? IMAGE : MEM), *same = api_chance(2) ? image : api_handle(IMAGE);
    struct api_region r = api_region(), to = api_region();
    size_t offset = api_number();
    if (api_share(image, same) || api_share(image, other))
        return;
    switch (api_byte() % 3) {
    case 0:
        ENQUEUE(clEnqueueCopyImage, queue, image, same, r.origin, to.origin, r.region);
        break;
    case 1:
        ENQUEUE(clEnqueueCopyImageToBuffer, queue, image, other, r.origin, r.region, offset);
        break;
    default:
        ENQUEUE(clEnqueueCopyBufferToImage, queue, other, image, offset, r.origin, r.region);
    }
}

static void fill(void)
{
    void *queue = api_handle(QUEUE), *image = api_handle(IMAGE);
    struct api_region r = api_region();
    ENQUEUE(clEnqueueFillImage, queue, image, api_chance(30) ? NULL : api_host[0], r.origin, r.region);
}

/* ---- samplers ---- */

static void make_sampler(void)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE,   CL_ADDRESS_CLAMP_TO_EDGE,   CL_ADDRESS_CLAMP,
                                               CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT, 0x7777};
    static const cl_filter_mode filters[] = {CL_FILTER_NEAREST, CL_FILTER_LINEAR, CL_FILTER_LINEAR, 0};
    void *context = api_handle(CONTEXT);
    const cl_bool normalized = api_chance(20) ? 7 : api_chance(2);
    const cl_addressing_mode mode = API_PICK(modes);
    const cl_filter_mode filter = API_PICK(filters);
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                normalized,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                mode,
                                                CL_SAMPLER_FILTER_MODE,
                                                filter,
                                                api_chance(10)   ? CL_SAMPLER_FILTER_MODE
                                                : api_chance(10) ? 0x7777
                                                                 : 0,
                                                filter,
                                                0};
    cl_sampler sampler;
    if (api_chance(2))
        MAKE(sampler, clCreateSampler, context, normalized, mode, filter);
    else
        MAKE(sampler, clCreateSamplerWithProperties, context, api_chance(20) ? NULL : properties);
    api_put(SAMPLER, sampler);
}

static void (*const calls[])(void) = {
    make_planes, make_image, make_image, make_right_image, make_right_image, ask_formats, transfer, transfer,
    copy,        copy,       fill,       make_sampler};

const struct api_subject api_images = API_SUBJECT(calls, NULL);
