/* Entry points of OpenCL 3.0 API, 5.3.1 (image objects): creation. */
#include "src/api/memory.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/memory.h"

#include "base/util.h"

#include <string.h>

/* ---- what a descriptor may say: 5.3.1.2 ---- */

static bool is_image_type(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

static bool has_slices(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

/* The sizes that the type has, with 1 for those that it has not. */
struct sizes {
    size_t width, height, depth, layers;
};

static struct sizes sizes_of(const cl_image_desc *desc)
{
    cl_mem_object_type type = desc->image_type;
    bool plane = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return (struct sizes){
        .width = desc->image_width,
        .height = plane ? desc->image_height : 1,
        .depth = type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth : 1,
        .layers = array ? desc->image_array_size : 1,
    };
}

static bool fits_device(cl_device_id device, cl_mem_object_type type, const struct sizes *sizes)
{
    struct ocl_image_limits limits;
    ocl_image_limits(device, &limits);
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return sizes->width <= limits.buffer;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        return sizes->width <= limits.size_3d && sizes->height <= limits.size_3d && sizes->depth <= limits.size_3d;
    return sizes->width <= limits.size_2d && sizes->height <= limits.size_2d && sizes->layers <= limits.layers;
}

/* The pitches of host memory, or of the buffer that the texels lie in: that needs no slices of whole rows
 * (cl_ext_image_from_buffer). */
static const char *bad_pitches(const cl_image_desc *desc, const struct sizes *sizes, const struct ocl_format *format,
                               bool given, bool buffer)
{
    size_t row = ocl_format_row(format, sizes->width), texel_size = format->bits % 8 ? 1 : format->texel_size;
    size_t row_pitch = desc->image_row_pitch, slice_pitch = desc->image_slice_pitch;
    /* 5.3.1.2: image_row_pitch "must be 0 if host_ptr is NULL", and so image_slice_pitch; else 0, or at least a row and
     * a multiple of the texel's size. */
    if (!given)
        return row_pitch || slice_pitch ? "pitches without memory that has them" : NULL;
    if (row_pitch && (row_pitch < row || row_pitch % texel_size))
        return "image_row_pitch is smaller than a row or no multiple of the texel's size";
    if (!row_pitch)
        row_pitch = row;
    /* OpenCL 3.0 API, 5.3.1.2: of images without slices it is ignored */
    if (!slice_pitch || !has_slices(desc->image_type))
        return NULL;
    size_t rows = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : sizes->height;
    if (slice_pitch / rows < row_pitch || slice_pitch % (buffer ? texel_size : row_pitch))
        return "image_slice_pitch is smaller than a slice or no multiple of the row pitch";
    return NULL;
}

/* A 2D image of the same texels with another order: the pairs of table 20. */
static bool may_be_seen_as(const cl_image_format *from, const cl_image_format *to)
{
    static const cl_channel_order pairs[][2] = {
        {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}, {CL_DEPTH, CL_R},
    };
    if (from->image_channel_data_type != to->image_channel_data_type)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
        cl_channel_order a = from->image_channel_order, b = to->image_channel_order;
        if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
            return true;
    }
    return false;
}

struct creation {
    const char *function;
    cl_context context;
    struct ocl_image_request request;
    bool old; /* clCreateImage2D() or 3D, which have no descriptor that could be wrong (OpenCL 1.1, 5.3.1) */
};

#define FAIL(creation, code, ...) ocl_fail((creation)->context, (creation)->function, (code), __VA_ARGS__)

static cl_int descriptor_code(const struct creation *c)
{
    return c->old ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR;
}

/* cl_intel_planar_yuv: image_depth is the plane's number, and the sizes follow from the parent's. */
static bool is_of_planes(const struct creation *c)
{
    const struct _cl_mem *parent = c->request.parent;
    return ocl_is(parent, OCL_MEM) && ocl_image_is_planar(parent);
}

static void derive_sizes(struct creation *c)
{
    cl_image_desc *desc = &c->request.desc;
    const struct ocl_image *image = c->request.parent->image;
    bool chroma = desc->image_depth;
    desc->image_width = image->width >> chroma;
    desc->image_height = image->height >> chroma;
}

static cl_int check_of_plane(struct creation *c)
{
    const struct _cl_mem *parent = c->request.parent;
    const cl_image_format *format = &c->request.format.cl;
    cl_image_desc *desc = &c->request.desc;
    if (c->request.type != CL_MEM_OBJECT_IMAGE2D || desc->image_depth > 1)
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of a plane is 2D, and there are planes 0 and 1");
    if (format->image_channel_order != (desc->image_depth ? CL_RG : CL_R) ||
        (format->image_channel_data_type != CL_UNORM_INT8 && format->image_channel_data_type != CL_UNSIGNED_INT8))
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "planes are CL_R and CL_RG, of bytes");
    if (desc->num_mip_levels > 1)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "an image of a plane has one level");
    if ((desc->image_row_pitch && desc->image_row_pitch != parent->image->row_pitch) || desc->image_slice_pitch)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "an image of a plane has its pitch");
    desc->image_row_pitch = parent->image->row_pitch;
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.3.1: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, and not what is said of wrong sizes, if an image is made from
 * a 2D image and does not follow the rules for that, or from a buffer with pitches that do not suit. */
static cl_int check_of_image(struct creation *c, const struct sizes *sizes)
{
    const struct _cl_mem *parent = c->request.parent;
    cl_image_desc *desc = &c->request.desc;
    if (c->request.type != CL_MEM_OBJECT_IMAGE2D || parent->type != CL_MEM_OBJECT_IMAGE2D ||
        sizes->width != parent->image->width || sizes->height != parent->image->height)
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "an image of an image is of the same type and size");
    if (desc->num_mip_levels != parent->image->num_levels)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "an image of an image has its levels");
    if (!may_be_seen_as(&parent->image->format.cl, &c->request.format.cl))
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the image cannot be seen in that format");
    if ((desc->image_row_pitch && desc->image_row_pitch != parent->image->row_pitch) || desc->image_slice_pitch)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "an image of an image has its pitches");
    desc->image_row_pitch = parent->image->row_pitch;
    return CL_SUCCESS;
}

static cl_int check_of_buffer(struct creation *c, const struct sizes *sizes)
{
    const struct _cl_mem *parent = c->request.parent;
    const cl_image_desc *desc = &c->request.desc;
    const struct ocl_format *format = &c->request.format;
    if (desc->num_mip_levels > 1)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "an image of a buffer has one level");
    const char *bad = bad_pitches(desc, sizes, format, true, true);
    if (bad)
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "%s", bad);
    size_t size = ocl_image_size(c->request.type, desc, format);
    if (size > parent->size)
        return FAIL(c, CL_INVALID_IMAGE_SIZE, "the image has %zu bytes, its buffer %zu", size, parent->size);
    return CL_SUCCESS;
}

/* What the image is of, if anything; it decides which pitches and flags there may be. */
static cl_int check_parent(struct creation *c, const struct sizes *sizes)
{
    struct ocl_image_request *request = &c->request;
    cl_mem parent = request->parent;
    if (!parent && request->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "a 1D buffer image needs a buffer");
    if (!parent) {
        bool given = request->host_ptr || request->external.kind;
        const char *bad = bad_pitches(&request->desc, sizes, &request->format, given, false);
        size_t size = ocl_image_size(request->type, &request->desc, &request->format);
        if (!bad && size_sum((uintptr_t)request->host_ptr, size) == UINT64_MAX)
            bad = "the pitches reach beyond all memory";
        return bad ? FAIL(c, descriptor_code(c), "%s", bad) : CL_SUCCESS;
    }
    if (request->external.kind || !ocl_is(parent, OCL_MEM) ||
        (!parent->image && parent->type != CL_MEM_OBJECT_BUFFER) || parent->context != c->context)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is no buffer or image of this context");
    if (ocl_image_is_planar(parent))
        return check_of_plane(c);
    return parent->image ? check_of_image(c, sizes) : check_of_buffer(c, sizes);
}

static cl_int check_size(struct creation *c, const struct sizes *sizes)
{
    if (!sizes->width || !sizes->height || !sizes->depth || !sizes->layers)
        return FAIL(c, CL_INVALID_IMAGE_SIZE, "a size is 0");
    /* OpenCL 1.1, 5.3.1.2: "if image_depth is <= 1" */
    if (c->old && c->request.type == CL_MEM_OBJECT_IMAGE3D && sizes->depth == 1)
        return FAIL(c, CL_INVALID_IMAGE_SIZE, "an image that clCreateImage3D makes has several slices");
    /* OpenCL 3.0 API, 5.3.1: CL_INVALID_IMAGE_SIZE if the sizes exceed the limits "for all devices in context". */
    for (cl_uint i = 0; i < c->context->num_devices; i++) {
        if (fits_device(c->context->devices[i], c->request.type, sizes))
            return CL_SUCCESS;
    }
    return FAIL(c, CL_INVALID_IMAGE_SIZE, "%zux%zux%zu, %zu layers is more than any device allows", sizes->width,
                sizes->height, sizes->depth, sizes->layers);
}

/* cl_intel_packed_yuv: texels share what is stored for them. */
static cl_int check_units(struct creation *c, const struct sizes *sizes)
{
    uint32_t unit = c->request.format.unit;
    if (sizes->width % unit)
        return FAIL(c, descriptor_code(c), "widths of such images are multiples of %u", unit);
    if (unit > 1 && c->request.desc.num_mip_levels > 1)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "such images have one level");
    return CL_SUCCESS;
}

/* cl_intel_planar_yuv, 5.3.1 */
static cl_int check_planar(struct creation *c, const struct sizes *sizes)
{
    const struct ocl_image_request *request = &c->request;
    if (request->format.conversion != OCL_NV12)
        return CL_SUCCESS;
    if (!(request->flags & CL_MEM_HOST_NO_ACCESS))
        return FAIL(c, CL_INVALID_VALUE, "the host accesses planes, not the image that has them");
    if (request->type != CL_MEM_OBJECT_IMAGE2D || request->desc.image_depth > 1 || request->parent)
        return FAIL(c, descriptor_code(c), "such an image is 2D, and of no other object");
    if (sizes->width % 4 || sizes->height % 4)
        return FAIL(c, descriptor_code(c), "%zux%zu: sizes of such images are multiples of 4", sizes->width,
                    sizes->height);
    return CL_SUCCESS;
}

/* cl_khr_mipmap_image: 0 and 1 are images like any other. */
static cl_int check_levels(struct creation *c, const struct sizes *sizes)
{
    const struct ocl_image_request *request = &c->request;
    cl_uint levels = request->desc.num_mip_levels;
    size_t longest = u64_max(u64_max(sizes->width, sizes->height), sizes->depth);
    if (levels <= 1)
        return CL_SUCCESS;
    if (levels > 32 || !(longest >> (levels - 1)))
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "%u levels, but the smallest has no texels", levels);
    if (request->type == CL_MEM_OBJECT_IMAGE1D_BUFFER || request->format.cl.image_channel_order == CL_DEPTH)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "1D buffer images and depth images have one level");
    if (request->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) || request->external.kind)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "mip-mapped images are not made of host or external memory");
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.3.1: CL_INVALID_HOST_PTR if host_ptr is NULL and the flags say that it is used or copied, or if it is
 * not NULL and they do not. */
static cl_int check_host_ptr(struct creation *c)
{
    bool wanted = c->request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (!c->request.host_ptr != !wanted)
        return FAIL(c, CL_INVALID_HOST_PTR, "host_ptr and flags contradict each other");
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.3.1: CL_IMAGE_FORMAT_NOT_SUPPORTED if no device of the context supports the format; of an image whose
 * texels lie elsewhere that is not asked for formats that are converted. */
static cl_int check_supported(struct creation *c)
{
    const struct ocl_image_request *request = &c->request;
    bool converted = request->external.kind && request->format.conversion && request->format.conversion != OCL_NV12;
    for (cl_uint i = 0; i < c->context->num_devices && !converted; i++) {
        if (ocl_format_supported(c->context->devices[i], &request->format, request->type, request->flags))
            return CL_SUCCESS;
    }
    return FAIL(c, CL_IMAGE_FORMAT_NOT_SUPPORTED, "order 0x%x with type 0x%x for such images",
                request->format.cl.image_channel_order, request->format.cl.image_channel_data_type);
}

static cl_int check_flags(struct creation *c)
{
    struct ocl_image_request *request = &c->request;
    cl_mem parent = request->parent;
    cl_mem_flags both = request->flags & CL_MEM_KERNEL_READ_AND_WRITE; /* no part of an object has it */
    request->flags &= ~both;
    if (parent && (parent->flags & OCL_MEM_IMMUTABLE) && !(request->flags & OCL_MEM_IMMUTABLE))
        return FAIL(c, CL_INVALID_VALUE, "an image of an immutable object is immutable, too");
    cl_int error = ocl_mem_check_source(c->function, c->context, request->flags, parent || request->external.kind);
    if (error != CL_SUCCESS)
        return error;
    if (parent && ocl_mem_inherit_flags(parent, &request->flags) != CL_SUCCESS)
        return FAIL(c, CL_INVALID_VALUE, "flags 0x%llx do not go with the parent's 0x%llx",
                    (unsigned long long)request->flags, (unsigned long long)parent->flags);
    if (!(request->flags & (OCL_DEVICE_ACCESS | OCL_MEM_IMMUTABLE)))
        request->flags |= CL_MEM_READ_WRITE;
    request->flags |= both;
    return CL_SUCCESS;
}

/* cl_pumice_dma_buf_layout: of planes of two dimensions; CL_NV12_INTEL has two, whose rows are as far apart. */
static cl_int check_layout(struct creation *c)
{
    struct ocl_image_request *request = &c->request;
    const struct ocl_dma_buf_layout *layout = &request->external.layout;
    size_t *pitch = &request->desc.image_row_pitch;
    bool planar = request->format.conversion == OCL_NV12;
    size_t row = ocl_format_row(&request->format, request->desc.image_width);
    if (!layout->given)
        return CL_SUCCESS;
    if (request->type != CL_MEM_OBJECT_IMAGE2D || request->desc.num_mip_levels > 1)
        return FAIL(c, CL_INVALID_PROPERTY, "a layout is of a 2D image of one level");
    if (layout->pitch[0] && *pitch && *pitch != layout->pitch[0])
        return FAIL(c, descriptor_code(c), "image_row_pitch is not the layout's pitch");
    if (layout->pitch[0])
        *pitch = (size_t)layout->pitch[0];
    if (*pitch)
        row = *pitch;
    if (planar && (layout->modifier || layout->num_planes > 2 ||
                   (layout->num_planes == 2 && (layout->pitch[1] != row || layout->offset[1] < layout->offset[0]))))
        return FAIL(c, CL_INVALID_PROPERTY, "the planes of such an image are in rows as long, chroma behind luma");
    return CL_SUCCESS;
}

static cl_int check(struct creation *c, const cl_image_format *format, const cl_image_desc *desc)
{
    struct ocl_image_request *request = &c->request;
    cl_context context = c->context;
    cl_int error = ocl_context_check(c->function, context);
    if (error == CL_SUCCESS)
        error = ocl_mem_read_properties(c->function, context, request->properties, true, &request->external);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_flags(c->function, context, request->flags, OCL_IMAGE_FLAGS);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_external(c->function, context, &request->external, request->flags, request->host_ptr);
    if (error != CL_SUCCESS)
        return error;
    if (!ocl_context_has_images(context))
        return FAIL(c, CL_INVALID_OPERATION, "no device of the context supports images");
    if (!format || !ocl_format_find(format, &request->format) || format->image_channel_order == CL_DEPTH_STENCIL)
        return FAIL(c, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no such image format");
    if (!desc || !is_image_type(desc->image_type))
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "no such image type");
    if (desc->num_samples)
        return FAIL(c, CL_INVALID_IMAGE_DESCRIPTOR, "num_samples must be 0");
    request->desc = *desc;
    request->type = desc->image_type;
    request->parent = desc->mem_object;
    if (is_of_planes(c))
        derive_sizes(c);
    error = check_layout(c);
    if (error != CL_SUCCESS)
        return error;
    struct sizes sizes = sizes_of(&request->desc);
    error = check_size(c, &sizes);
    if (error == CL_SUCCESS)
        error = check_levels(c, &sizes);
    if (error == CL_SUCCESS)
        error = check_units(c, &sizes);
    if (error == CL_SUCCESS)
        error = check_planar(c, &sizes);
    if (error == CL_SUCCESS)
        error = check_parent(c, &sizes);
    if (error == CL_SUCCESS)
        error = check_host_ptr(c);
    if (error == CL_SUCCESS)
        error = check_flags(c);
    return error == CL_SUCCESS ? check_supported(c) : error;
}

static cl_mem create_image(struct creation *c, const cl_image_format *format, const cl_image_desc *desc,
                           cl_int *errcode_ret)
{
    cl_mem mem = NULL;
    cl_int error = check(c, format, desc);
    if (error == CL_SUCCESS) {
        error = ocl_image_create(c->context, &c->request, &mem);
        if (error != CL_SUCCESS)
            FAIL(c, error, "no memory for an image, or it cannot be imported");
        else
            ocl_mem_took_handle(&c->request.external);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct creation c = {__func__, context, {.flags = flags, .host_ptr = host_ptr}, false};
    return create_image(&c, format, desc, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host_ptr,
                                                            cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct creation c = {__func__, context, {.flags = flags, .host_ptr = host_ptr, .properties = properties}, false};
    return create_image(&c, format, desc, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                                cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct creation c = {__func__, context, {.flags = flags, .host_ptr = host_ptr}, true};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};
    return create_image(&c, format, &desc, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row_pitch,
                                                size_t slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct creation c = {__func__, context, {.flags = flags, .host_ptr = host_ptr}, true};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    return create_image(&c, format, &desc, errcode_ret);
}
