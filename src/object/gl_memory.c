/* Memory objects made from objects of OpenGL: each is one of OpenCL's with memory of its own, and knows the object that
 * it stands for. */
#include "src/object/gl_memory.h"

#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/gl_shared.h"
#include "src/object/image.h"

static cl_int create_buffer(cl_context context, cl_mem_flags flags, const struct ocl_gl_shape *shape, cl_mem *mem)
{
    const struct ocl_mem_properties none = {0};
    return ocl_mem_create(context, flags, (size_t)shape->size, NULL, NULL, &none, mem);
}

/* Samples are layers of an image of Vulkan's. */
static bool has_layers_for(cl_context context, const struct ocl_gl_shape *shape)
{
    struct ocl_image_limits limits;
    size_t layers = (shape->layers ? shape->layers : 1) * (shape->samples ? shape->samples : 1);
    for (cl_uint i = 0; i < context->num_devices; i++) {
        ocl_image_limits(context->devices[i], &limits);
        if (layers > limits.layers)
            return false;
    }
    return true;
}

static bool fits_some_device(cl_context context, const struct ocl_image_request *request)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (ocl_format_supported(context->devices[i], &request->format, request->type, request->flags))
            return true;
    }
    return false;
}

/* A buffer texture: an image over a buffer that nobody else knows. */
static cl_int create_over(cl_context context, struct ocl_image_request *request, const struct ocl_gl_shape *shape,
                          cl_mem *mem)
{
    cl_int error = create_buffer(context, CL_MEM_READ_WRITE, shape, &request->parent);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_image_create(context, request, mem);
    if (error == CL_SUCCESS)
        (*mem)->hides_parent = true;
    ocl_mem_release(request->parent); /* the image has a reference */
    return error;
}

static cl_int create_image(const char *function, cl_context context, cl_mem_flags flags, struct ocl_gl_object *object,
                           cl_mem *mem)
{
    const struct ocl_gl_shape *shape = ocl_gl_object_shape(object);
    struct ocl_image_request request = {
        .flags = flags,
        .type = shape->image_type,
        .desc = {.image_type = shape->image_type,
                 .image_width = shape->width,
                 .image_height = shape->height,
                 .image_depth = shape->depth,
                 .image_array_size = shape->layers,
                 .num_mip_levels = shape->levels > 1 ? shape->levels : 0},
        .samples = shape->samples,
    };
    if (!ocl_format_find(&shape->format, &request.format) || !fits_some_device(context, &request))
        return ocl_fail(context, function, CL_IMAGE_FORMAT_NOT_SUPPORTED, "order 0x%x with type 0x%x",
                        shape->format.image_channel_order, shape->format.image_channel_data_type);
    if (!has_layers_for(context, shape))
        return ocl_fail(context, function, CL_OUT_OF_RESOURCES, "more layers and samples than a device has layers");
    if (shape->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return create_over(context, &request, shape, mem);
    request.given = ocl_gl_image_create(context, object);
    cl_int error = ocl_image_create(context, &request, mem);
    if (error == CL_SUCCESS)
        (*mem)->gl_in_place = request.given;
    vkb_image_release(request.given);
    return error;
}

cl_int ocl_mem_create_gl(const char *function, cl_context context, cl_mem_flags flags, struct ocl_gl_object *object,
                         cl_mem *mem)
{
    const struct ocl_gl_shape *shape = ocl_gl_object_shape(object);
    cl_int error = shape->image_type ? create_image(function, context, flags, object, mem)
                                     : create_buffer(context, flags, shape, mem);
    if (error != CL_SUCCESS)
        return error;
    (*mem)->gl = object;
    if (!(*mem)->gl_in_place)
        (*mem)->gl_shared = ocl_gl_shared_create(context, object, ocl_mem_gl_size(*mem));
    return CL_SUCCESS;
}

uint64_t ocl_mem_gl_size(cl_mem mem)
{
    const struct ocl_gl_shape *shape = ocl_gl_object_shape(mem->gl);
    uint64_t size = 0;
    if (!mem->image || shape->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return shape->size;
    for (uint32_t i = 0; i < ocl_image_levels(mem->image); i++) {
        uint32_t extent[3];
        ocl_image_extent(mem, i, extent);
        size += ocl_format_bytes(&mem->image->format, (uint64_t)extent[0] * extent[1] * extent[2]);
    }
    return size;
}
