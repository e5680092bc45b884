/* The checks of copies and fills, for the calls that enqueue them (api/transfer.c, api/image_transfer.c) and those
 * that record them (api/command_record.c). All name the specification's errors in its order. */
#ifndef SRC_API_TRANSFER_H
#define SRC_API_TRANSFER_H

#include "src/command/command.h"
#include "src/device/object.h"
#include "src/object/image.h"

struct ocl_copy_rect {
    const size_t *src_origin, *dst_origin, *region;
    size_t src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch;
};

cl_int ocl_check_copy(const char *function, cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                      size_t src_offset, size_t dst_offset, size_t size, cl_uint num_waits, const cl_event *waits);
/* rect: gets the rectangle in bytes of the buffers' roots. */
cl_int ocl_check_copy_rect(const char *function, cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                           const struct ocl_copy_rect *r, cl_uint num_waits, const cl_event *waits,
                           struct vkb_rect *rect);
cl_int ocl_check_fill(const char *function, cl_command_queue queue, cl_mem buffer, const void *pattern,
                      size_t pattern_size, size_t offset, size_t size, cl_uint num_waits, const cl_event *waits);

/* place, src_place, dst_place: get where in the images the region begins. */
cl_int ocl_check_fill_image(const char *function, cl_command_queue queue, cl_mem image, const void *fill_color,
                            const size_t *origin, const size_t *region, cl_uint num_waits, const cl_event *waits,
                            struct ocl_start *place);
cl_int ocl_check_copy_image(const char *function, cl_command_queue queue, cl_mem src_image, cl_mem dst_image,
                            const size_t *src_origin, const size_t *dst_origin, const size_t *region, cl_uint num_waits,
                            const cl_event *waits, struct ocl_start *src_place, struct ocl_start *dst_place);
/* Between an image and packed texels in a buffer, either way. */
cl_int ocl_check_copy_mixed(const char *function, cl_command_queue queue, cl_mem image, cl_mem buffer,
                            const size_t *origin, const size_t *region, size_t offset, bool to_image, cl_uint num_waits,
                            const cl_event *waits, struct ocl_start *place);

/* Bytes that a blocking write takes at once: its caller does not wait for the device. */
#define TAKEN_AT_ONCE (64u << 10)
/* Whether a write may do so: of bytes in the span that begins at ptr, which no command before it is to bring. */
bool ocl_may_take(const struct ocl_call *call, const void *ptr, uint64_t bytes, uint64_t span);

#endif
