/* Entry points of features that the devices do not have: images, samplers, pipes, device-side queues. They check the object that they belong to and answer with what OpenCL 3.0 API names for a device without the
 * feature: mostly CL_INVALID_OPERATION. What shares objects with other APIs is in api_interop.c. */
#include "src/context.h"
#include "src/kernel.h"
#include "src/object.h"
#include "src/program.h"
#include "src/queue.h"

/* The signatures are the specification's; a feature that is not there has no use for most of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define RETURN_ABSENT_OBJECT(what)                                                                                     \
    do {                                                                                                               \
        if (!ocl_is(context, OCL_CONTEXT))                                                                             \
            OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");                                               \
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context supports " what);                    \
    } while (0)

#define RETURN_ABSENT_COMMAND(what)                                                                                    \
    do {                                                                                                               \
        if (!ocl_is(queue, OCL_QUEUE))                                                                                 \
            return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");                                   \
        return ocl_error(queue->context, CL_INVALID_OPERATION, "the device does not support " what);                   \
    } while (0)

/* ---- images: 5.3 ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host_ptr,
                                                            cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                                cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row_pitch,
                                                size_t slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type image_type, cl_uint num_entries,
                                                           cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    if (image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return ocl_error(context, CL_INVALID_VALUE, "0x%x is no image type", image_type);
    if (num_entries == 0 && image_formats)
        return ocl_error(context, CL_INVALID_VALUE, "num_entries is 0 but image_formats is not NULL");
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                                               void *param_value, size_t *param_value_size_ret)
{
    return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not an image");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking_read,
                                                   const size_t *origin, const size_t *region, size_t row_pitch,
                                                   size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking_write,
                                                    const size_t *origin, const size_t *region, size_t row_pitch,
                                                    size_t slice_pitch, const void *ptr,
                                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                    cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                                                   const size_t *origin, const size_t *region,
                                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                   cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem src_image, cl_mem dst_image,
                                                   const size_t *src_origin, const size_t *dst_origin,
                                                   const size_t *region, cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src_image, cl_mem dst_buffer,
                                                           const size_t *src_origin, const size_t *region,
                                                           size_t dst_offset, cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_image,
                                                           size_t src_offset, const size_t *dst_origin,
                                                           const size_t *region, cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event)
{
    RETURN_ABSENT_COMMAND("images");
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking_map,
                                                 cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                                 size_t *image_row_pitch, size_t *image_slice_pitch,
                                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                 cl_event *event, cl_int *errcode_ret)
{
    if (!ocl_is(queue, OCL_QUEUE))
        OCL_RETURN_ERROR(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    OCL_RETURN_ERROR(queue->context, CL_INVALID_OPERATION, "the device does not support images");
}

/* ---- samplers: 5.7 ---- */

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                                    cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                                    cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("images");
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
}

/* ---- pipes: 5.4 ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                             cl_uint max_packets, const cl_pipe_properties *properties,
                                             cl_int *errcode_ret)
{
    RETURN_ABSENT_OBJECT("pipes");
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                              void *param_value, size_t *param_value_size_ret)
{
    return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a pipe");
}

/* ---- on-device queues: 5.1 ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue)
{
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    if (!ocl_is(device, OCL_DEVICE) || ocl_context_device_index(context, device) < 0)
        return ocl_error(context, CL_INVALID_DEVICE, "not a device of this context");
    return ocl_error(context, CL_INVALID_OPERATION, "the device has no on-device queues");
}
