/* Entry points of OpenCL 3.0 API, 5.3.2 and 5.3.7: what image formats there are and what an image is; and of
 * cl_ext_image_requirements_info, what an image would need. */
#include "src/context.h"
#include "src/device.h"
#include "src/image.h"
#include "src/memory.h"
#include "src/object.h"

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
    FLOAT_ENV_HOLD();
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
    FLOAT_ENV_HOLD();
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
    case CL_IMAGE_NUM_SAMPLES:
        return OCL_OUT(&out, cl_uint, 0);
    default:
        return ocl_error(mem->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- requirements ---- */

/* The most that any device of the context has on the axis; 0: the type has no such axis. */
static cl_uint most(cl_context context, cl_mem_object_type type, cl_uint name)
{
    size_t result = 0;
    bool plane = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool cube = type == CL_MEM_OBJECT_IMAGE3D, buffer = type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        struct ocl_image_limits limits;
        size_t here = 0;
        ocl_image_limits(context->devices[i], &limits);
        if (name == MAX_WIDTH)
            here = cube ? limits.size_3d : buffer ? limits.buffer : limits.size_2d;
        if (name == MAX_HEIGHT)
            here = cube ? limits.size_3d : plane ? limits.size_2d : 0;
        if (name == MAX_DEPTH)
            here = cube ? limits.size_3d : 0;
        if (name == MAX_ARRAY_SIZE)
            here = array ? limits.layers : 0;
        result = u64_max(result, here);
    }
    return (cl_uint)u64_min(result, UINT32_MAX);
}

/* Any buffer will do whose rows begin at texels, or at any byte where these are no power of two. */
static size_t pitch_alignment(const struct ocl_format *format)
{
    return is_power_of_two(format->bits) ? format->texel_size : 1;
}

CL_API_ENTRY cl_int CL_API_CALL ocl_get_image_requirements(cl_context context, const cl_mem_properties *properties,
                                                           cl_mem_flags flags, const cl_image_format *image_format,
                                                           const cl_image_desc *image_desc, cl_uint param_name,
                                                           size_t param_value_size, void *param_value,
                                                           size_t *param_value_size_ret)
{
    FLOAT_ENV_HOLD();
    static const char name[] = "clGetImageRequirementsInfoEXT";
    const struct ocl_out out = {name, param_value_size, param_value, param_value_size_ret};
    struct ocl_format format = {.texel_size = 0};
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, name, CL_INVALID_CONTEXT, "not a context");
    if (properties && properties[0])
        return ocl_fail(context, name, CL_INVALID_PROPERTY, "unknown property");
    cl_int error = ocl_mem_check_flags(name, context, flags, OCL_IMAGE_FLAGS);
    if (error != CL_SUCCESS)
        return error;
    if (image_format && !ocl_format_find(image_format, &format))
        return ocl_fail(context, name, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no such image format");
    if (image_desc && (!is_image_type(image_desc->image_type) || !image_desc->image_width))
        return ocl_fail(context, name, CL_INVALID_IMAGE_DESCRIPTOR, "no such image");
    switch (param_name) {
    case ROW_PITCH_ALIGNMENT:
    case SLICE_PITCH_ALIGNMENT:
        if (!image_format)
            return ocl_fail(context, name, CL_INVALID_VALUE, "which format?");
        return OCL_OUT(&out, size_t, pitch_alignment(&format));
    case BASE_ADDRESS_ALIGNMENT:
        return OCL_OUT(&out, size_t, 1);
    case REQUIRED_SIZE:
        if (!image_format || !image_desc)
            return ocl_fail(context, name, CL_INVALID_VALUE, "the size of which image?");
        return OCL_OUT(&out, size_t, ocl_image_size(image_desc->image_type, image_desc, &format));
    case MAX_WIDTH:
    case MAX_HEIGHT:
    case MAX_DEPTH:
    case MAX_ARRAY_SIZE:
        if (!image_desc)
            return ocl_fail(context, name, CL_INVALID_VALUE, "of which image type?");
        if (!most(context, image_desc->image_type, param_name))
            return ocl_fail(context, name, CL_INVALID_IMAGE_DESCRIPTOR, "the image type has no such size");
        return OCL_OUT(&out, cl_uint, most(context, image_desc->image_type, param_name));
    default:
        return ocl_fail(context, name, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
