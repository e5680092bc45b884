/* Entry points of OpenCL 3.0 API, 5.3.3 to 5.3.6: reading, writing, copying, filling and mapping images. */
#include "src/api/memory.h"
#include "src/api/transfer.h"
#include "src/command/command.h"
#include "src/command/map.h"
#include "src/command/texels.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#define FAIL(call, code, ...) ocl_fail((call)->queue->context, (call)->function, (code), __VA_ARGS__)

/* ---- checks ---- */

static cl_int check_queue(const struct ocl_call *call)
{
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, call->function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    if (!call->queue->device->images)
        return FAIL(call, CL_INVALID_OPERATION, "the device does not support images");
    return CL_SUCCESS;
}

/* 5.3: a device of several may not have what another has. */
static cl_int check_device(const struct ocl_call *call, const struct _cl_mem *mem)
{
    struct ocl_image_limits limits;
    const struct ocl_image *image = mem->image;
    ocl_image_limits(call->queue->device, &limits);
    size_t most = mem->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? limits.buffer
                  : mem->type == CL_MEM_OBJECT_IMAGE3D      ? limits.size_3d
                                                            : limits.size_2d;
    if (image->width > most || image->height > most || image->depth > most || image->array_size > limits.layers)
        return FAIL(call, CL_INVALID_IMAGE_SIZE, "the queue's device allows no images of this size");
    if (!ocl_format_supported(call->queue->device, &image->format, mem->type, mem->flags))
        return FAIL(call, CL_IMAGE_FORMAT_NOT_SUPPORTED, "the queue's device has no images of this format");
    return CL_SUCCESS;
}

static cl_int check_image(const struct ocl_call *call, cl_mem mem)
{
    if (!ocl_is(mem, OCL_MEM) || !mem->image)
        return FAIL(call, CL_INVALID_MEM_OBJECT, "not an image");
    if (mem->context != call->queue->context)
        return FAIL(call, CL_INVALID_CONTEXT, "queue and image are of different contexts");
    if (!ocl_image_moves(mem))
        return FAIL(call, CL_INVALID_OPERATION, "kernels alone use images of depth and stencil, or of samples");
    return check_device(call, mem);
}

static cl_int check_region(const struct ocl_call *call, cl_mem mem, const size_t *origin, const size_t *region,
                           struct ocl_start *place)
{
    uint32_t extent[3];
    if (!origin || !region)
        return FAIL(call, CL_INVALID_VALUE, "origin or region is NULL");
    if (!ocl_image_find(mem, origin, place))
        return FAIL(call, CL_INVALID_MIP_LEVEL, "the image has %u levels", ocl_image_levels(mem->image));
    uint32_t unit = mem->image->format.unit;
    if (place->origin[0] % unit || region[0] % unit)
        return FAIL(call, CL_INVALID_VALUE, "columns of such an image come in units of %u", unit);
    if (ocl_image_is_planar(mem) && (place->origin[1] % unit || region[1] % unit))
        return FAIL(call, CL_INVALID_VALUE, "rows of such an image come in units of %u", unit);
    ocl_image_extent(mem, place->level, extent);
    for (int i = 0; i < 3; i++) {
        if (!region[i] || place->origin[i] > extent[i] || region[i] > extent[i] - place->origin[i])
            return FAIL(call, CL_INVALID_VALUE, "dimension %d: %zu texels from %zu are not within %u", i, region[i],
                        place->origin[i], extent[i]);
    }
    return CL_SUCCESS;
}

static bool has_slices(const struct _cl_mem *mem)
{
    return mem->type == CL_MEM_OBJECT_IMAGE3D || mem->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
           mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

struct host_side {
    const size_t *origin, *region;
    size_t row_pitch, slice_pitch;
    const void *ptr;
};

/* 5.3.3: 0 is packed; what is given is as large as what it holds. */
static cl_int check_pitches(const struct ocl_call *call, cl_mem mem, const struct host_side *host)
{
    const size_t *region = host->region;
    size_t row_pitch = host->row_pitch, slice_pitch = host->slice_pitch;
    size_t row = ocl_format_row(&mem->image->format, region[0]);
    if (row_pitch && row_pitch < row)
        return FAIL(call, CL_INVALID_VALUE, "a row pitch of %zu for rows of %zu bytes", row_pitch, row);
    /* 5.3.3: slice_pitch must be 0 if the image is a 1D or 2D image. */
    if (slice_pitch && !has_slices(mem))
        return FAIL(call, CL_INVALID_VALUE, "the image has no slices that could have a pitch");
    size_t rows = mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : region[1];
    if (slice_pitch && slice_pitch / rows < (row_pitch ? row_pitch : row))
        return FAIL(call, CL_INVALID_VALUE, "a slice pitch of %zu for %zu rows", slice_pitch, rows);
    uint64_t pitch[2];
    ocl_image_pitches(mem, region, row_pitch, slice_pitch, pitch);
    uint64_t end = size_sum(size_product(region[2] - 1, pitch[1]), size_product(region[1] - 1, pitch[0]));
    if (size_sum((uintptr_t)host->ptr, size_sum(end, row)) == UINT64_MAX)
        return FAIL(call, CL_INVALID_VALUE, "pitches of %zu and %zu reach beyond all memory", row_pitch, slice_pitch);
    return CL_SUCCESS;
}

static cl_int check_waits(const struct ocl_call *call)
{
    return ocl_check_waits(call->function, call->queue->context, call->num_waits, call->waits);
}

/* OpenCL 3.0 API, 5.3.3: CL_INVALID_OPERATION if an image is read that was created with CL_MEM_HOST_WRITE_ONLY or
 * CL_MEM_HOST_NO_ACCESS, or written that was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS. */
static cl_int check_host_access(const struct ocl_call *call, cl_mem mem, cl_mem_flags forbidden)
{
    if (mem->flags & forbidden)
        return FAIL(call, CL_INVALID_OPERATION, "the image's flags forbid the host this access");
    return CL_SUCCESS;
}

/* ---- host memory ---- */

static cl_int check_host_transfer(const struct ocl_call *call, cl_mem mem, const struct host_side *host,
                                  cl_mem_flags forbidden, struct ocl_start *place)
{
    cl_int error = check_queue(call);
    if (error == CL_SUCCESS)
        error = check_image(call, mem);
    if (error == CL_SUCCESS)
        error = check_region(call, mem, host->origin, host->region, place);
    if (error == CL_SUCCESS && !host->ptr)
        error = FAIL(call, CL_INVALID_VALUE, "ptr is NULL");
    if (error == CL_SUCCESS)
        error = check_pitches(call, mem, host);
    if (error == CL_SUCCESS)
        error = check_waits(call);
    return error == CL_SUCCESS ? check_host_access(call, mem, forbidden) : error;
}

static bool may_take(const struct ocl_call *call, cl_mem mem, const struct host_side *host, const uint64_t pitch[2])
{
    const size_t *region = host->region;
    uint64_t row = ocl_format_row(&mem->image->format, region[0]);
    uint64_t bytes = size_product(size_product(row, region[1]), region[2]);
    return !ocl_image_is_planar(mem) &&
           ocl_may_take(call, host->ptr, bytes, (region[2] - 1) * pitch[1] + (region[1] - 1) * pitch[0] + row);
}

static cl_int transfer(struct ocl_call *call, cl_mem mem, const struct host_side *host, bool write)
{
    struct ocl_command command;
    struct ocl_texels texels;
    struct ocl_start place;
    uint64_t pitch[2];
    enum vkb_result result;
    cl_int error = check_host_transfer(call, mem, host, write ? OCL_HOST_CANNOT_WRITE : OCL_HOST_CANNOT_READ, &place);
    if (error != CL_SUCCESS)
        return error;
    ocl_image_pitches(mem, host->region, host->row_pitch, host->slice_pitch, pitch);
    bool take = write && may_take(call, mem, host, pitch);
    call->blocking = call->blocking && !take;
    error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_command_use_texels(&command, mem, write, &texels);
    if (error != CL_SUCCESS)
        return ocl_command_fail(&command, error);
    texels.level = place.level;
    if (take)
        result = ocl_texels_take(&command, &texels, place.origin, host->region, host->ptr, pitch);
    else if (write)
        result = ocl_texels_write(&command, &texels, place.origin, host->region, host->ptr, pitch);
    else
        result = ocl_texels_read(&command, &texels, place.origin, host->region, (void *)(uintptr_t)host->ptr, pitch);
    return ocl_command_end(&command, result, call->blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking_read,
                                                   const size_t *origin, const size_t *region, size_t row_pitch,
                                                   size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_READ_IMAGE, blocking_read);
    const struct host_side host = {origin, region, row_pitch, slice_pitch, ptr};
    return transfer(&call, image, &host, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking_write,
                                                    const size_t *origin, const size_t *region, size_t row_pitch,
                                                    size_t slice_pitch, const void *ptr,
                                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                    cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_WRITE_IMAGE, blocking_write);
    const struct host_side host = {origin, region, row_pitch, slice_pitch, ptr};
    return transfer(&call, image, &host, true);
}

/* ---- on the device ---- */

cl_int ocl_check_fill_image(const char *function, cl_command_queue queue, cl_mem image, const void *fill_color,
                            const size_t *origin, const size_t *region, cl_uint num_waits, const cl_event *waits,
                            struct ocl_start *place)
{
    const struct ocl_call call = {.function = function, .queue = queue, .num_waits = num_waits, .waits = waits};
    cl_int error = check_queue(&call);
    if (error == CL_SUCCESS)
        error = check_image(&call, image);
    if (error == CL_SUCCESS && !fill_color)
        error = FAIL(&call, CL_INVALID_VALUE, "fill_color is NULL");
    if (error == CL_SUCCESS)
        error = check_region(&call, image, origin, region, place);
    if (error == CL_SUCCESS)
        error = check_waits(&call);
    return error == CL_SUCCESS ? ocl_mem_check_written(function, image) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                                                   const size_t *origin, const size_t *region,
                                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                   cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_FILL_IMAGE, false);
    struct ocl_command command;
    struct ocl_texels texels;
    struct ocl_start place;
    uint8_t texel[16];
    cl_int error = ocl_check_fill_image(__func__, queue, image, fill_color, origin, region, num_events_in_wait_list,
                                        event_wait_list, &place);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, &call);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_command_use_texels(&command, image, true, &texels);
    if (error != CL_SUCCESS)
        return ocl_command_fail(&command, error);
    texels.level = place.level;
    ocl_format_pack(&image->image->format, fill_color, texel);
    return ocl_command_end(&command, ocl_texels_fill(&command, &texels, place.origin, region, texel), false);
}

static bool overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int i = 0; i < 3; i++) {
        if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i])
            return false;
    }
    return true;
}

static cl_int enqueue_copy(const struct ocl_call *call, cl_mem src, const struct ocl_start *src_place, cl_mem dst,
                           const struct ocl_start *dst_place, const size_t *region)
{
    struct ocl_command command;
    struct ocl_texels from, to;
    cl_int error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_command_use_texels(&command, src, false, &from);
    if (error == CL_SUCCESS)
        error = ocl_command_use_texels(&command, dst, true, &to);
    if (error != CL_SUCCESS)
        return ocl_command_fail(&command, error);
    from.level = src_place->level;
    to.level = dst_place->level;
    return ocl_command_end(&command,
                           ocl_texels_copy(&command, &from, src_place->origin, &to, dst_place->origin, region), false);
}

cl_int ocl_check_copy_image(const char *function, cl_command_queue queue, cl_mem src_image, cl_mem dst_image,
                            const size_t *src_origin, const size_t *dst_origin, const size_t *region, cl_uint num_waits,
                            const cl_event *waits, struct ocl_start *src_place, struct ocl_start *dst_place)
{
    const struct ocl_call call = {.function = function, .queue = queue, .num_waits = num_waits, .waits = waits};
    cl_int error = check_queue(&call);
    if (error == CL_SUCCESS)
        error = check_image(&call, src_image);
    if (error == CL_SUCCESS)
        error = check_image(&call, dst_image);
    if (error != CL_SUCCESS)
        return error;
    const cl_image_format *from = &src_image->image->format.cl, *to = &dst_image->image->format.cl;
    if (from->image_channel_order != to->image_channel_order ||
        from->image_channel_data_type != to->image_channel_data_type)
        return FAIL(&call, CL_IMAGE_FORMAT_MISMATCH, "the images have different formats");
    error = check_region(&call, src_image, src_origin, region, src_place);
    if (error == CL_SUCCESS)
        error = check_region(&call, dst_image, dst_origin, region, dst_place);
    if (error == CL_SUCCESS)
        error = check_waits(&call);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_written(function, dst_image);
    if (error == CL_SUCCESS && src_image == dst_image && src_place->level == dst_place->level &&
        overlap(src_place->origin, dst_place->origin, region))
        error = FAIL(&call, CL_MEM_COPY_OVERLAP, "source and destination overlap");
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem src_image, cl_mem dst_image,
                                                   const size_t *src_origin, const size_t *dst_origin,
                                                   const size_t *region, cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_COPY_IMAGE, false);
    struct ocl_start from, to;
    cl_int error = ocl_check_copy_image(__func__, queue, src_image, dst_image, src_origin, dst_origin, region,
                                        num_events_in_wait_list, event_wait_list, &from, &to);
    return error == CL_SUCCESS ? enqueue_copy(&call, src_image, &from, dst_image, &to, region) : error;
}

/* A run of packed texels in the buffer that an image's region is copied to or from. */
struct run {
    cl_mem buffer;
    size_t offset;
};

/* OpenCL 3.0 API, 5.3.5: the buffer's part begins at the offset and has width x height x depth texels, without gaps. */
static cl_int check_run(const struct ocl_call *call, const struct run *run, cl_mem image, const size_t *region)
{
    size_t bytes = ocl_format_bytes(&image->image->format, region[0]) * region[1] * region[2];
    if (run->offset > run->buffer->size || bytes > run->buffer->size - run->offset)
        return FAIL(call, CL_INVALID_VALUE, "%zu bytes from %zu are not within %zu", bytes, run->offset,
                    run->buffer->size);
    return CL_SUCCESS;
}

static cl_int check_mixed(const struct ocl_call *call, const struct run *run, cl_mem image, const size_t *origin,
                          const size_t *region, bool to_image, struct ocl_start *place)
{
    cl_int error = check_queue(call);
    if (error == CL_SUCCESS)
        error = check_image(call, image);
    if (error == CL_SUCCESS && !ocl_is_buffer(run->buffer))
        error = FAIL(call, CL_INVALID_MEM_OBJECT, "not a buffer");
    if (error == CL_SUCCESS && run->buffer->context != call->queue->context)
        error = FAIL(call, CL_INVALID_CONTEXT, "queue and buffer are of different contexts");
    if (error == CL_SUCCESS)
        error = check_region(call, image, origin, region, place);
    if (error == CL_SUCCESS)
        error = check_run(call, run, image, region);
    if (error == CL_SUCCESS)
        error = check_waits(call);
    return error == CL_SUCCESS ? ocl_mem_check_written(call->function, to_image ? image : run->buffer) : error;
}

cl_int ocl_check_copy_mixed(const char *function, cl_command_queue queue, cl_mem image, cl_mem buffer,
                            const size_t *origin, const size_t *region, size_t offset, bool to_image, cl_uint num_waits,
                            const cl_event *waits, struct ocl_start *place)
{
    const struct ocl_call call = {.function = function, .queue = queue, .num_waits = num_waits, .waits = waits};
    const struct run run = {buffer, offset};
    return check_mixed(&call, &run, image, origin, region, to_image, place);
}

static cl_int copy_mixed(const struct ocl_call *call, const struct run *run, cl_mem image, const size_t *origin,
                         const size_t *region, bool to_image)
{
    static const size_t zero[3] = {0, 0, 0};
    struct ocl_command command;
    struct ocl_texels texels, packed = {.bits = 0};
    struct ocl_start place;
    cl_int error = check_mixed(call, run, image, origin, region, to_image, &place);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_command_use_texels(&command, image, to_image, &texels);
    if (error == CL_SUCCESS)
        error = ocl_command_use(&command, run->buffer, !to_image, &packed.buffer, &packed.offset);
    if (error != CL_SUCCESS)
        return ocl_command_fail(&command, error);
    texels.level = place.level;
    packed.bits = texels.bits;
    packed.offset += run->offset;
    packed.pitch[0] = ocl_format_row(&image->image->format, region[0]);
    packed.pitch[1] = packed.pitch[0] * region[1];
    packed.chroma = ocl_image_is_planar(image) ? packed.pitch[1] : 0;
    enum vkb_result result = to_image ? ocl_texels_copy(&command, &packed, zero, &texels, place.origin, region)
                                      : ocl_texels_copy(&command, &texels, place.origin, &packed, zero, region);
    return ocl_command_end(&command, result, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src_image, cl_mem dst_buffer,
                                                           const size_t *src_origin, const size_t *region,
                                                           size_t dst_offset, cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_COPY_IMAGE_TO_BUFFER, false);
    const struct run run = {dst_buffer, dst_offset};
    return copy_mixed(&call, &run, src_image, src_origin, region, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_image,
                                                           size_t src_offset, const size_t *dst_origin,
                                                           const size_t *region, cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_COPY_BUFFER_TO_IMAGE, false);
    const struct run run = {src_buffer, src_offset};
    return copy_mixed(&call, &run, dst_image, dst_origin, region, true);
}

/* ---- maps ---- */

static cl_int check_map(const struct ocl_call *call, cl_mem mem, cl_map_flags flags, const size_t *origin,
                        const size_t *region, const size_t *row_pitch, const size_t *slice_pitch,
                        struct ocl_start *place)
{
    const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int error = check_queue(call);
    if (error == CL_SUCCESS)
        error = check_image(call, mem);
    if (error == CL_SUCCESS)
        error = check_region(call, mem, origin, region, place);
    if (error != CL_SUCCESS)
        return error;
    if (flags & ~all)
        return FAIL(call, CL_INVALID_VALUE, "unknown map flags 0x%llx", (unsigned long long)flags);
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))
        return FAIL(call, CL_INVALID_VALUE, "CL_MAP_WRITE_INVALIDATE_REGION excludes the others");
    if (!flags) /* which reads, too */
        error = check_host_access(call, mem, CL_MEM_HOST_NO_ACCESS);
    if (flags & CL_MAP_READ)
        error = check_host_access(call, mem, OCL_HOST_CANNOT_READ);
    if (error == CL_SUCCESS && flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        error = check_host_access(call, mem, OCL_HOST_CANNOT_WRITE);
    if (error != CL_SUCCESS)
        return error;
    if (!row_pitch || (!slice_pitch && has_slices(mem)))
        return FAIL(call, CL_INVALID_VALUE, "nowhere to return a pitch to");
    return check_waits(call);
}

static void set_map_pitches(const struct _cl_mem *mem, uint32_t level, size_t *row_pitch, size_t *slice_pitch)
{
    bool lines = mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; /* whose pitch from row to row is that of layers */
    uint64_t pitch[2];
    ocl_image_level_pitch(mem, level, pitch);
    *row_pitch = lines && !level ? mem->image->row_pitch : pitch[0];
    if (slice_pitch)
        *slice_pitch = !has_slices(mem) ? 0 : lines ? pitch[0] : pitch[1];
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking_map,
                                                 cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                                 size_t *image_row_pitch, size_t *image_slice_pitch,
                                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                 cl_event *event, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MAP_IMAGE, blocking_map);
    struct ocl_command command;
    struct ocl_start place;
    void *pointer = NULL;
    cl_int error = check_map(&call, image, map_flags, origin, region, image_row_pitch, image_slice_pitch, &place);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, &call);
    if (error == CL_SUCCESS) {
        set_map_pitches(image, place.level, image_row_pitch, image_slice_pitch);
        error = ocl_mem_map_image(&command, image, map_flags, &place, region, blocking_map, &pointer);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return error == CL_SUCCESS ? pointer : NULL;
}
