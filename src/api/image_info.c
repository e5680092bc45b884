/* Entry points of OpenCL 3.0 API, 5.3.2 and 5.3.7: what image formats there are and what an image is; and of
 * cl_ext_image_requirements_info, what an image would need. */
#include "src/api/functions.h"
#include "src/api/memory.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/va_memory.h"

#include "base/util.h"

/* What some systems' headers lack. */
enum {
    ROW_PITCH_ALIGNMENT = 0x1290,
    SLICE_PITCH_ALIGNMENT = 0x1291,
    BASE_ADDRESS_ALIGNMENT = 0x1292,
    REQUIRED_SIZE = 0x12B2,
    MAX_WIDTH = 0x12B3,
    MAX_HEIGHT = 0x12B4,
    MAX_DEPTH = 0x12B5,
    MAX_ARRAY_SIZE = 0x12B6,
};

static bool is_image_type(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type image_type, cl_uint num_entries,
                                                           cl_image_format *image_formats, cl_uint *num_image_formats)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    cl_int error = ocl_mem_check_flags(__func__, context, flags, OCL_IMAGE_FLAGS);
    if (error != CL_SUCCESS)
        return error;
    if (!is_image_type(image_type))
        return ocl_error(context, CL_INVALID_VALUE, "0x%x is no image type", image_type);
    if (num_entries == 0 && image_formats)
        return ocl_error(context, CL_INVALID_VALUE, "num_entries is 0 but image_formats is not NULL");
    if (!(flags & (OCL_DEVICE_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE | OCL_MEM_IMMUTABLE)))
        flags |= CL_MEM_READ_WRITE;
    cl_uint count = ocl_format_list(context, image_type, flags, image_formats, num_entries);
    if (num_image_formats)
        *num_image_formats = count;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem mem, cl_image_info param_name, size_t param_value_size,
                                               void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(mem, OCL_MEM) || !mem->image)
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not an image");
    const struct ocl_image *image = mem->image;
    switch (param_name) {
    case CL_IMAGE_FORMAT:
        return ocl_out_bytes(&out, &image->format.cl, sizeof(image->format.cl));
    case CL_IMAGE_ELEMENT_SIZE:
        return OCL_OUT(&out, size_t, image->format.texel_size);
    case CL_IMAGE_ROW_PITCH:
        return OCL_OUT(&out, size_t, image->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return OCL_OUT(&out, size_t, image->slice_pitch);
    case CL_IMAGE_WIDTH:
        return OCL_OUT(&out, size_t, image->width);
    case CL_IMAGE_HEIGHT:
        return OCL_OUT(&out, size_t, image->height);
    case CL_IMAGE_DEPTH:
        return OCL_OUT(&out, size_t, image->depth);
    case CL_IMAGE_ARRAY_SIZE:
        return OCL_OUT(&out, size_t, image->array_size);
    case CL_IMAGE_BUFFER:
        return OCL_OUT(&out, cl_mem, mem->parent && !mem->parent->image && !mem->hides_parent ? mem->parent : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS:
        return OCL_OUT(&out, cl_uint, image->num_levels);
    case OCL_IMAGE_VA_API_PLANE:
        if (!mem->va)
            return ocl_error(mem->context, OCL_INVALID_VA_API_SURFACE, "not made from a surface of VA-API");
        return OCL_OUT(&out, cl_uint, mem->va->plane);
    case CL_IMAGE_NUM_SAMPLES:
        return OCL_OUT(&out, cl_uint, image->samples);
    default:
        return ocl_error(mem->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- requirements ---- */

/* What images of the type may have on the axis; 0: they have no such axis. */
static size_t most_of(const struct ocl_image_limits *limits, cl_mem_object_type type, cl_uint name)
{
    bool plane = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool cube = type == CL_MEM_OBJECT_IMAGE3D, buffer = type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    switch (name) {
    case MAX_WIDTH:
        return cube ? limits->size_3d : buffer ? limits->buffer : limits->size_2d;
    case MAX_HEIGHT:
        return cube ? limits->size_3d : plane ? limits->size_2d : 0;
    case MAX_DEPTH:
        return cube ? limits->size_3d : 0;
    default:
        return array ? limits->layers : 0;
    }
}

/* The most that any device of the context has. Without a type (0) it is what images of every type with that axis may
 * have. */
static cl_uint most(cl_context context, cl_mem_object_type type, cl_uint name)
{
    size_t result = 0;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        struct ocl_image_limits limits;
        ocl_image_limits(context->devices[i], &limits);
        size_t here = type ? most_of(&limits, type, name) : SIZE_MAX;
        for (cl_mem_object_type t = CL_MEM_OBJECT_IMAGE2D; !type && t <= CL_MEM_OBJECT_IMAGE1D_BUFFER; t++) {
            if (most_of(&limits, t, name))
                here = u64_min(here, most_of(&limits, t, name));
        }
        result = u64_max(result, here);
    }
    return (cl_uint)u64_min(result, UINT32_MAX);
}

/* Any buffer will do whose rows begin at texels, or at any byte where these are no power of two. Without a format it is
 * what suffices for all. */
static size_t pitch_alignment(const struct ocl_format *format)
{
    enum { LARGEST_TEXEL = 16 };
    if (!format->texel_size)
        return LARGEST_TEXEL;
    return is_power_of_two(format->bits) ? format->texel_size : 1;
}

static bool asks_for_most(cl_uint name)
{
    return name == MAX_WIDTH || name == MAX_HEIGHT || name == MAX_DEPTH || name == MAX_ARRAY_SIZE;
}

/* The sizes decide nothing where the question is how large they may be. */
static bool describes_image(const cl_image_desc *desc, cl_uint name)
{
    if (asks_for_most(name))
        return !desc->image_type || is_image_type(desc->image_type);
    return is_image_type(desc->image_type) && desc->image_width;
}

CL_API_ENTRY cl_int CL_API_CALL ocl_get_image_requirements(cl_context context, const cl_mem_properties *properties,
                                                           cl_mem_flags flags, const cl_image_format *image_format,
                                                           const cl_image_desc *image_desc, cl_uint param_name,
                                                           size_t param_value_size, void *param_value,
                                                           size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    static const char name[] = "clGetImageRequirementsInfoEXT";
    const struct ocl_out out = {name, param_value_size, param_value, param_value_size_ret};
    struct ocl_format format = {.texel_size = 0};
    cl_mem_object_type type;
    size_t size;
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, name, CL_INVALID_CONTEXT, "not a context");
    if (properties && properties[0])
        return ocl_fail(context, name, CL_INVALID_PROPERTY, "unknown property");
    cl_int error = ocl_mem_check_flags(name, context, flags, OCL_IMAGE_FLAGS);
    if (error != CL_SUCCESS)
        return error;
    if (image_format &&
        (!ocl_format_find(image_format, &format) || image_format->image_channel_order == CL_DEPTH_STENCIL))
        return ocl_fail(context, name, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no such image format");
    if (image_desc && !describes_image(image_desc, param_name))
        return ocl_fail(context, name, CL_INVALID_IMAGE_DESCRIPTOR, "no such image");
    switch (param_name) {
    case ROW_PITCH_ALIGNMENT:
    case SLICE_PITCH_ALIGNMENT:
        return OCL_OUT(&out, size_t, pitch_alignment(&format));
    case BASE_ADDRESS_ALIGNMENT:
        return OCL_OUT(&out, size_t, 1);
    case REQUIRED_SIZE:
        if (!image_format || !image_desc)
            return ocl_fail(context, name, CL_INVALID_VALUE, "the size of which image?");
        size = ocl_image_size(image_desc->image_type, image_desc, &format);
        if (size == 0 || size == SIZE_MAX)
            return ocl_fail(context, name, CL_INVALID_IMAGE_DESCRIPTOR, "a size is 0, or they are too large");
        return OCL_OUT(&out, size_t, size);
    case MAX_WIDTH:
    case MAX_HEIGHT:
    case MAX_DEPTH:
    case MAX_ARRAY_SIZE:
        type = image_desc ? image_desc->image_type : 0;
        if (!most(context, type, param_name))
            return ocl_fail(context, name, CL_INVALID_IMAGE_DESCRIPTOR, "the image type has no such size");
        return OCL_OUT(&out, cl_uint, most(context, type, param_name));
    default:
        return ocl_fail(context, name, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
