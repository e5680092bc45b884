/* Transfers of texels: between images, buffers and host memory, with any pitches.
 *
 * Vulkan copies between an image and a buffer whose offset and pitches are whole texels (and words). Everything else
 * goes by way of a buffer in which the texels are packed, in as many steps of the command as it takes. So does host
 * memory: the buffer is the host's, and the rows are copied by the host, a few megabytes at a time, which stay in its
 * caches and are allocated cheaply. Where the device has memory of its own, large regions go by way of a buffer there,
 * because transfers of buffers keep several threads and the bus busy. */
#include "src/command/command.h"
#include "src/command/texels.h"
#include "src/device/device.h"
#include "src/object/image.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <string.h>

/* Bytes of a copy and of a fill that the host may do. */
enum { COPIED_NOW = 16 << 10, FILLED_NOW = 4 << 10 };

static void set3(uint32_t to[3], const size_t from[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = (uint32_t)from[i];
}

/* Of whole units (struct ocl_format). */
static uint64_t row_bytes(const struct ocl_texels *texels, uint64_t count)
{
    return count * texels->bits / 8;
}

static uint64_t bytes_of(const struct ocl_texels *texels, const size_t region[3])
{
    return row_bytes(texels, region[0]) * region[1] * region[2];
}

static uint64_t offset_of(const struct ocl_texels *texels, const size_t origin[3])
{
    return texels->offset + origin[2] * texels->pitch[1] + origin[1] * texels->pitch[0] + row_bytes(texels, origin[0]);
}

static void set_source(struct vkb_rect *rect, uint64_t offset, const uint64_t pitch[2])
{
    rect->src_offset = offset;
    rect->src_row_pitch = pitch[0];
    rect->src_slice_pitch = pitch[1];
}

static void set_target(struct vkb_rect *rect, uint64_t offset, const uint64_t pitch[2])
{
    rect->dst_offset = offset;
    rect->dst_row_pitch = pitch[0];
    rect->dst_slice_pitch = pitch[1];
}

static struct vkb_rect rect_of(const struct ocl_texels *texels, const size_t region[3])
{
    return (struct vkb_rect){.width = row_bytes(texels, region[0]), .height = region[1], .depth = region[2]};
}

/* A buffer for the region's texels, packed. Where the device's memory is short the host's will do. */
static enum vkb_result make_packed(struct ocl_command *command, const struct ocl_texels *like, const size_t region[3],
                                   enum vkb_memory_kind kind, struct ocl_texels *packed)
{
    bool planar = like->chroma || (like->format && like->format->conversion == OCL_NV12);
    *packed = (struct ocl_texels){.bits = like->bits};
    packed->pitch[0] = planar ? region[0] : row_bytes(like, region[0]);
    packed->pitch[1] = packed->pitch[0] * region[1];
    packed->chroma = planar ? packed->pitch[1] : 0;
    struct vkb_device *device = command->queue->device->vk;
    uint64_t size = align_up(bytes_of(like, region), 4);
    enum vkb_result result = vkb_buffer_create(device, size, kind, &packed->buffer);
    if (result == VKB_OUT_OF_DEVICE_MEMORY && kind == VKB_MEMORY_DEVICE)
        result = vkb_buffer_create(device, size, VKB_MEMORY_HOST, &packed->buffer);
    return result;
}

/* ---- between image and buffer ---- */

static bool is_aligned(const struct ocl_texels *buffer, uint64_t offset, const size_t region[3])
{
    uint32_t size = buffer->bits / 8;
    return offset % 4 == 0 && offset % size == 0 && (region[1] * region[2] == 1 || buffer->pitch[0] % size == 0) &&
           (region[2] == 1 || buffer->pitch[1] % buffer->pitch[0] == 0);
}

static void set_region(struct vkb_image_region *copy, const struct ocl_texels *image, const size_t image_origin[3],
                       const struct ocl_texels *buffer, const size_t region[3])
{
    *copy = (struct vkb_image_region){.level = image->level};
    set3(copy->origin, image_origin);
    set3(copy->extent, region);
    copy->row_texels = region[1] * region[2] == 1 ? copy->extent[0] : (uint32_t)(buffer->pitch[0] / (buffer->bits / 8));
    copy->slice_rows = region[2] == 1 ? copy->extent[1] : (uint32_t)(buffer->pitch[1] / buffer->pitch[0]);
}

static enum vkb_result copy_aligned(struct ocl_command *command, const struct ocl_texels *image,
                                    const size_t image_origin[3], const struct ocl_texels *buffer, uint64_t offset,
                                    const size_t region[3], bool to_image)
{
    struct vkb_enqueue enqueue;
    struct vkb_image_region copy;
    set_region(&copy, image, image_origin, buffer, region);
    copy.buffer_offset = offset;
    enum vkb_result result = ocl_command_step(command, &enqueue);
    if (result != VKB_SUCCESS)
        return result;
    return to_image ? vkb_cmd_buffer_to_image(&enqueue, buffer->buffer, image->image, &copy)
                    : vkb_cmd_image_to_buffer(&enqueue, image->image, buffer->buffer, &copy);
}

static const size_t zero[3] = {0, 0, 0};

static enum vkb_result copy_rect(struct ocl_command *command, const struct ocl_texels *from,
                                 const size_t from_origin[3], const struct ocl_texels *to, const size_t to_origin[3],
                                 const size_t region[3])
{
    struct vkb_enqueue enqueue;
    struct vkb_rect rect = rect_of(from, region);
    set_source(&rect, offset_of(from, from_origin), from->pitch);
    set_target(&rect, offset_of(to, to_origin), to->pitch);
    enum vkb_result result = ocl_command_step(command, &enqueue);
    return result == VKB_SUCCESS ? vkb_cmd_copy_rect(&enqueue, from->buffer, to->buffer, &rect) : result;
}

/* One of the two planes of an image in a buffer, and what of an origin or a region lies in it. */
static struct ocl_texels plane_of(const struct ocl_texels *both, uint32_t plane)
{
    struct ocl_texels one = *both;
    one.bits = 8u << plane;
    one.offset += plane ? both->chroma : 0;
    one.chroma = 0;
    return one;
}

static void set_in_plane(size_t to[3], const size_t from[3], uint32_t plane)
{
    to[0] = from[0] >> plane;
    to[1] = from[1] >> plane;
    to[2] = from[2];
}

/* Between buffers, whose texels both have planes or neither. */
static enum vkb_result copy_planes(struct ocl_command *command, const struct ocl_texels *from,
                                   const size_t from_origin[3], const struct ocl_texels *to, const size_t to_origin[3],
                                   const size_t region[3])
{
    enum vkb_result result = VKB_SUCCESS;
    if (!from->chroma)
        return copy_rect(command, from, from_origin, to, to_origin, region);
    for (uint32_t plane = 0; plane < 2 && result == VKB_SUCCESS; plane++) {
        struct ocl_texels a = plane_of(from, plane), b = plane_of(to, plane);
        size_t from_at[3], to_at[3], size[3];
        set_in_plane(from_at, from_origin, plane);
        set_in_plane(to_at, to_origin, plane);
        set_in_plane(size, region, plane);
        result = copy_rect(command, &a, from_at, &b, to_at, size);
    }
    return result;
}

static enum vkb_result copy_mixed(struct ocl_command *command, const struct ocl_texels *from,
                                  const size_t from_origin[3], const struct ocl_texels *to, const size_t to_origin[3],
                                  const size_t region[3])
{
    bool to_image = to->image;
    const struct ocl_texels *image = to_image ? to : from, *buffer = to_image ? from : to;
    const size_t *image_origin = to_image ? to_origin : from_origin, *origin = to_image ? from_origin : to_origin;
    uint64_t offset = offset_of(buffer, origin);
    struct ocl_texels packed;
    if (is_aligned(buffer, offset, region))
        return copy_aligned(command, image, image_origin, buffer, offset, region, to_image);
    enum vkb_result result = make_packed(command, buffer, region, VKB_MEMORY_DEVICE, &packed);
    if (result != VKB_SUCCESS)
        return result;
    if (to_image) {
        result = copy_rect(command, buffer, origin, &packed, zero, region);
        if (result == VKB_SUCCESS)
            result = copy_aligned(command, image, image_origin, &packed, 0, region, true);
    } else {
        result = copy_aligned(command, image, image_origin, &packed, 0, region, false);
        if (result == VKB_SUCCESS)
            result = copy_rect(command, &packed, zero, buffer, origin, region);
    }
    vkb_buffer_release(packed.buffer);
    return result;
}

/* ---- texels that an image has otherwise than memory has them ---- */

/* Two buffers of packed texels that the host sees: as they are in memory and as they are in the image. */
static enum vkb_result make_both(struct ocl_command *command, const struct ocl_texels *image, const size_t region[3],
                                 struct ocl_texels *packed, struct ocl_texels *stored)
{
    struct ocl_texels like = {.bits = 8 * image->format->stored_size};
    enum vkb_result result = make_packed(command, image, region, VKB_MEMORY_HOST, packed);
    if (result != VKB_SUCCESS)
        return result;
    result = make_packed(command, &like, region, VKB_MEMORY_HOST, stored);
    if (result != VKB_SUCCESS)
        vkb_buffer_release(packed->buffer);
    return result;
}

static enum vkb_result convert(struct ocl_command *command, const struct ocl_texels *image, struct vkb_buffer *from,
                               struct vkb_buffer *to, const size_t region[3], bool decodes)
{
    struct vkb_enqueue enqueue;
    enum vkb_result result = ocl_command_step(command, &enqueue);
    if (result != VKB_SUCCESS)
        return result;
    return ocl_texels_convert(&enqueue, image->format, from, to, region, decodes);
}

/* Between an image and packed texels in a buffer that the host sees. */
static enum vkb_result decode_to_image(struct ocl_command *command, const struct ocl_texels *packed,
                                       const struct ocl_texels *stored, const struct ocl_texels *image,
                                       const size_t origin[3], const size_t region[3])
{
    enum vkb_result result = convert(command, image, packed->buffer, stored->buffer, region, true);
    return result == VKB_SUCCESS ? copy_aligned(command, image, origin, stored, 0, region, true) : result;
}

static enum vkb_result encode_from_image(struct ocl_command *command, const struct ocl_texels *packed,
                                         const struct ocl_texels *stored, const struct ocl_texels *image,
                                         const size_t origin[3], const size_t region[3])
{
    enum vkb_result result = copy_aligned(command, image, origin, stored, 0, region, false);
    return result == VKB_SUCCESS ? convert(command, image, stored->buffer, packed->buffer, region, false) : result;
}

static enum vkb_result copy_converted(struct ocl_command *command, const struct ocl_texels *from,
                                      const size_t from_origin[3], const struct ocl_texels *to,
                                      const size_t to_origin[3], const size_t region[3])
{
    struct ocl_texels packed, stored;
    enum vkb_result result = make_both(command, to->image ? to : from, region, &packed, &stored);
    if (result != VKB_SUCCESS)
        return result;
    if (to->image) {
        result = copy_planes(command, from, from_origin, &packed, zero, region);
        if (result == VKB_SUCCESS)
            result = decode_to_image(command, &packed, &stored, to, to_origin, region);
    } else {
        result = encode_from_image(command, &packed, &stored, from, from_origin, region);
        if (result == VKB_SUCCESS)
            result = copy_rect(command, &packed, zero, to, to_origin, region);
    }
    vkb_buffer_release(packed.buffer);
    vkb_buffer_release(stored.buffer);
    return result;
}

static bool is_line(const struct ocl_texels *texels)
{
    enum vkb_image_kind kind = vkb_image_info(texels->image)->kind;
    return kind == VKB_IMAGE_1D || kind == VKB_IMAGE_1D_ARRAY;
}

/* Vulkan 1.3, vkCmdCopyImage: images of one dimension are not copied to those of more. */
static enum vkb_result copy_by_buffer(struct ocl_command *command, const struct ocl_texels *from,
                                      const size_t from_origin[3], const struct ocl_texels *to,
                                      const size_t to_origin[3], const size_t region[3])
{
    struct ocl_texels packed;
    enum vkb_result result = make_packed(command, from, region, VKB_MEMORY_DEVICE, &packed);
    if (result != VKB_SUCCESS)
        return result;
    result = copy_aligned(command, from, from_origin, &packed, 0, region, false);
    if (result == VKB_SUCCESS)
        result = copy_aligned(command, to, to_origin, &packed, 0, region, true);
    vkb_buffer_release(packed.buffer);
    return result;
}

/* ---- by the host, at once ---- */

/* Whether the host could copy between the image and its memory itself (vk/memory/host_image.c). Vulkan counts the
 * pitches, which are the application's, in 32 bits. */
static bool fits_host_copy(const struct ocl_texels *image, const size_t region[3], const uint64_t pitch[2])
{
    const struct ocl_texels host = {.bits = image->bits, .pitch = {pitch[0], pitch[1]}};
    return !image->format && is_aligned(&host, 0, region) && pitch[0] / (image->bits / 8) <= INT32_MAX &&
           pitch[1] / pitch[0] <= INT32_MAX;
}

/* Whether it does so in any case, if need be when the copy's turn has come. */
static bool is_host_copy(const struct ocl_texels *image, const size_t region[3], const uint64_t pitch[2])
{
    return vkb_image_host_copies(image->image) && fits_host_copy(image, region, pitch);
}

static enum vkb_result host_copy(struct ocl_command *command, const struct ocl_texels *image, const size_t origin[3],
                                 const size_t region[3], void *host, const uint64_t pitch[2], bool to_image,
                                 bool unheld)
{
    const struct ocl_texels rows = {.bits = image->bits, .pitch = {pitch[0], pitch[1]}};
    struct vkb_image_region copy;
    struct vkb_enqueue enqueue;
    set_region(&copy, image, origin, &rows, region);
    enum vkb_result result = ocl_command_step(command, &enqueue);
    if (result != VKB_SUCCESS)
        return result;
    enqueue.unheld = unheld;
    return to_image ? vkb_cmd_write_image(&enqueue, image->image, host, &copy)
                    : vkb_cmd_read_image(&enqueue, image->image, host, &copy);
}

enum vkb_result ocl_texels_copy_now(struct ocl_command *command, const struct ocl_texels *image, const size_t origin[3],
                                    const size_t region[3], void *host, const uint64_t pitch[2], bool to_image)
{
    if (!image->image || command->recording || !fits_host_copy(image, region, pitch) ||
        !vkb_image_host_is_quick(image->image, bytes_of(image, region), to_image))
        return VKB_UNSUPPORTED;
    return host_copy(command, image, origin, region, host, pitch, to_image, true);
}

/* A small region by the host, if that is quicker than the way to the device and back. VKB_UNSUPPORTED: it is not. */
static enum vkb_result copy_images_now(struct ocl_command *command, const struct ocl_texels *from,
                                       const size_t from_origin[3], const struct ocl_texels *to,
                                       const size_t to_origin[3], const size_t region[3])
{
    uint8_t rows[COPIED_NOW];
    const uint64_t row = row_bytes(from, region[0]), pitch[2] = {row, row * region[1]};
    if (bytes_of(from, region) > sizeof(rows))
        return VKB_UNSUPPORTED;
    enum vkb_result result = ocl_texels_copy_now(command, from, from_origin, region, rows, pitch, false);
    return result == VKB_SUCCESS ? ocl_texels_copy_now(command, to, to_origin, region, rows, pitch, true) : result;
}

static enum vkb_result copy_images(struct ocl_command *command, const struct ocl_texels *from,
                                   const size_t from_origin[3], const struct ocl_texels *to, const size_t to_origin[3],
                                   const size_t region[3])
{
    enum vkb_result result = copy_images_now(command, from, from_origin, to, to_origin, region);
    if (result != VKB_UNSUPPORTED)
        return result;
    if (is_line(from) != is_line(to))
        return copy_by_buffer(command, from, from_origin, to, to_origin, region);
    struct vkb_enqueue enqueue;
    struct vkb_image_region copy = {.level = from->level, .dst_level = to->level};
    set3(copy.origin, from_origin);
    set3(copy.dst_origin, to_origin);
    set3(copy.extent, region);
    result = ocl_command_step(command, &enqueue);
    return result == VKB_SUCCESS ? vkb_cmd_copy_image(&enqueue, from->image, to->image, &copy) : result;
}

enum vkb_result ocl_texels_copy(struct ocl_command *command, const struct ocl_texels *from, const size_t from_origin[3],
                                const struct ocl_texels *to, const size_t to_origin[3], const size_t region[3])
{
    if (from->image && to->image)
        return copy_images(command, from, from_origin, to, to_origin, region);
    if (from->image ? from->format != NULL : to->format != NULL)
        return copy_converted(command, from, from_origin, to, to_origin, region);
    if (from->image || to->image)
        return copy_mixed(command, from, from_origin, to, to_origin, region);
    return copy_planes(command, from, from_origin, to, to_origin, region);
}

/* ---- host memory ---- */

static enum vkb_result read_rect(struct ocl_command *command, const struct ocl_texels *from, const size_t origin[3],
                                 const size_t region[3], void *host, const uint64_t pitch[2])
{
    struct vkb_enqueue enqueue;
    struct vkb_rect rect = rect_of(from, region);
    set_source(&rect, offset_of(from, origin), from->pitch);
    set_target(&rect, 0, pitch);
    enum vkb_result result = ocl_command_step(command, &enqueue);
    return result == VKB_SUCCESS ? vkb_cmd_read_rect(&enqueue, from->buffer, host, &rect) : result;
}

static enum vkb_result write_rect(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                  const size_t region[3], const void *host, const uint64_t pitch[2], bool stays_valid)
{
    struct vkb_enqueue enqueue;
    struct vkb_rect rect = rect_of(to, region);
    set_source(&rect, 0, pitch);
    set_target(&rect, offset_of(to, origin), to->pitch);
    enum vkb_result result = ocl_command_step(command, &enqueue);
    return result == VKB_SUCCESS ? vkb_cmd_write_rect(&enqueue, to->buffer, host, &rect, stays_valid) : result;
}

enum { SMALLEST_PIECE = 64 << 10, PIECE = 2 << 20, LARGE_PIECE = 64 << 20 };

/* A part of a region: some slices, or some rows of one. */
struct piece {
    size_t at[3], region[3]; /* from the region's origin */
};

static struct piece first_piece(const struct ocl_texels *texels, const size_t region[3], size_t most)
{
    struct piece piece = {{0, 0, 0}, {region[0], region[1], region[2]}};
    size_t row = row_bytes(texels, region[0]), slice = row * region[1];
    if (slice > most)
        piece.region[1] = u64_max(most / row, 1);
    piece.region[2] = slice > most ? 1 : u64_min(region[2], most / slice);
    return piece;
}

/* The first piece of a region, and a buffer for each in turn: of at most so many bytes, or fewer where memory is short. */
static enum vkb_result make_piece(struct ocl_command *command, const struct ocl_texels *image, const size_t region[3],
                                  size_t most, enum vkb_memory_kind kind, struct piece *piece,
                                  struct ocl_texels *packed)
{
    enum vkb_result result;
    do {
        *piece = first_piece(image, region, most);
        result = make_packed(command, image, piece->region, kind, packed);
        most /= 2;
    } while (result == VKB_OUT_OF_DEVICE_MEMORY && most >= SMALLEST_PIECE);
    return result;
}

/* Begins a transfer of the region between an image and host memory. */
static enum vkb_result begin_pieces(struct ocl_command *command, const struct ocl_texels *image, const size_t region[3],
                                    struct piece *piece, struct ocl_texels *packed)
{
    const struct vkb_caps *caps = command->queue->device->caps;
    bool apart = !(caps->unified_memory && caps->device_map) && bytes_of(image, region) > PIECE;
    return make_piece(command, image, region, apart ? LARGE_PIECE : PIECE, apart ? VKB_MEMORY_DEVICE : VKB_MEMORY_HOST,
                      piece, packed);
}

/* False behind the last one. step: the first piece's region. */
static bool next_piece(struct piece *piece, const size_t step[3], const size_t region[3])
{
    piece->at[1] += piece->region[1];
    if (piece->at[1] == region[1]) {
        piece->at[1] = 0;
        piece->at[2] += piece->region[2];
    }
    piece->region[1] = u64_min(step[1], region[1] - piece->at[1]);
    piece->region[2] = u64_min(step[2], region[2] - piece->at[2]);
    return piece->region[2] > 0;
}

static void set_piece_origin(size_t to[3], const size_t origin[3], const struct piece *piece)
{
    for (int i = 0; i < 3; i++)
        to[i] = origin[i] + piece->at[i];
}

/* What begin_pieces() does, for texels that the host converts. */
static enum vkb_result begin_both(struct ocl_command *command, const struct ocl_texels *image, const size_t region[3],
                                  struct piece *piece, struct ocl_texels *packed, struct ocl_texels *stored)
{
    enum vkb_result result;
    size_t most = PIECE;
    do {
        *piece = first_piece(image, region, most);
        result = make_both(command, image, piece->region, packed, stored);
        most /= 2;
    } while (result == VKB_OUT_OF_DEVICE_MEMORY && most >= SMALLEST_PIECE);
    return result;
}

/* The rows of a piece lie packed. */
static void set_rows(struct ocl_texels *packed, const struct piece *piece)
{
    packed->pitch[1] = packed->pitch[0] * piece->region[1];
}

static enum vkb_result read_converted(struct ocl_command *command, const struct ocl_texels *from,
                                      const size_t origin[3], const size_t region[3], void *host,
                                      const uint64_t pitch[2])
{
    struct ocl_texels packed, stored;
    struct piece piece;
    enum vkb_result result = begin_both(command, from, region, &piece, &packed, &stored);
    if (result != VKB_SUCCESS)
        return result;
    const size_t step[3] = {piece.region[0], piece.region[1], piece.region[2]};
    do {
        size_t at[3];
        char *rows = (char *)host + piece.at[2] * pitch[1] + piece.at[1] * pitch[0];
        set_piece_origin(at, origin, &piece);
        set_rows(&packed, &piece);
        set_rows(&stored, &piece);
        result = encode_from_image(command, &packed, &stored, from, at, piece.region);
        if (result == VKB_SUCCESS)
            result = read_rect(command, &packed, zero, piece.region, rows, pitch);
    } while (result == VKB_SUCCESS && next_piece(&piece, step, region));
    vkb_buffer_release(packed.buffer);
    vkb_buffer_release(stored.buffer);
    return result;
}

static enum vkb_result write_converted(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                       const size_t region[3], const void *host, const uint64_t pitch[2])
{
    struct ocl_texels packed, stored;
    struct piece piece;
    enum vkb_result result = begin_both(command, to, region, &piece, &packed, &stored);
    if (result != VKB_SUCCESS)
        return result;
    const size_t step[3] = {piece.region[0], piece.region[1], piece.region[2]};
    do {
        size_t at[3];
        const char *rows = (const char *)host + piece.at[2] * pitch[1] + piece.at[1] * pitch[0];
        set_piece_origin(at, origin, &piece);
        set_rows(&packed, &piece);
        set_rows(&stored, &piece);
        result = write_rect(command, &packed, zero, piece.region, rows, pitch, true);
        if (result == VKB_SUCCESS)
            result = decode_to_image(command, &packed, &stored, to, at, piece.region);
    } while (result == VKB_SUCCESS && next_piece(&piece, step, region));
    vkb_buffer_release(packed.buffer);
    vkb_buffer_release(stored.buffer);
    return result;
}

enum vkb_result ocl_texels_read(struct ocl_command *command, const struct ocl_texels *from, const size_t origin[3],
                                const size_t region[3], void *host, const uint64_t pitch[2])
{
    struct ocl_texels packed;
    if (!from->image)
        return read_rect(command, from, origin, region, host, pitch);
    if (from->format)
        return read_converted(command, from, origin, region, host, pitch);
    if (is_host_copy(from, region, pitch))
        return host_copy(command, from, origin, region, host, pitch, false, false);
    enum vkb_result result = ocl_texels_copy_now(command, from, origin, region, host, pitch, false);
    if (result != VKB_UNSUPPORTED)
        return result;
    struct piece piece;
    result = begin_pieces(command, from, region, &piece, &packed);
    if (result != VKB_SUCCESS)
        return result;
    const size_t step[3] = {piece.region[0], piece.region[1], piece.region[2]};
    do {
        size_t at[3];
        char *rows = (char *)host + piece.at[2] * pitch[1] + piece.at[1] * pitch[0];
        set_piece_origin(at, origin, &piece);
        set_rows(&packed, &piece);
        result = copy_aligned(command, from, at, &packed, 0, piece.region, false);
        if (result == VKB_SUCCESS)
            result = read_rect(command, &packed, zero, piece.region, rows, pitch);
    } while (result == VKB_SUCCESS && next_piece(&piece, step, region));
    vkb_buffer_release(packed.buffer);
    return result;
}

enum vkb_result ocl_texels_write(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                 const size_t region[3], const void *host, const uint64_t pitch[2])
{
    struct ocl_texels packed;
    if (!to->image)
        return write_rect(command, to, origin, region, host, pitch, true);
    if (to->format)
        return write_converted(command, to, origin, region, host, pitch);
    if (is_host_copy(to, region, pitch)) /* which only reads the host's memory */
        return host_copy(command, to, origin, region, (void *)(uintptr_t)host, pitch, true, false);
    enum vkb_result result = ocl_texels_copy_now(command, to, origin, region, (void *)(uintptr_t)host, pitch, true);
    if (result != VKB_UNSUPPORTED)
        return result;
    struct piece piece;
    result = begin_pieces(command, to, region, &piece, &packed);
    if (result != VKB_SUCCESS)
        return result;
    const size_t step[3] = {piece.region[0], piece.region[1], piece.region[2]};
    do {
        size_t at[3];
        const char *rows = (const char *)host + piece.at[2] * pitch[1] + piece.at[1] * pitch[0];
        set_piece_origin(at, origin, &piece);
        set_rows(&packed, &piece);
        result = write_rect(command, &packed, zero, piece.region, rows, pitch, true);
        if (result == VKB_SUCCESS)
            result = copy_aligned(command, to, at, &packed, 0, piece.region, true);
    } while (result == VKB_SUCCESS && next_piece(&piece, step, region));
    vkb_buffer_release(packed.buffer);
    return result;
}

/* The rows as the image has them, in a buffer that no command knows yet. */
static enum vkb_result take_rows(struct ocl_command *command, const struct ocl_texels *to, const size_t region[3],
                                 const char *host, const uint64_t pitch[2], struct ocl_texels *taken)
{
    const struct ocl_texels like = {.bits = to->format ? 8 * to->format->stored_size : to->bits};
    enum vkb_result result = make_packed(command, &like, region, VKB_MEMORY_HOST, taken);
    if (result != VKB_SUCCESS)
        return result;
    char *row = vkb_buffer_map(taken->buffer);
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++, row += taken->pitch[0]) {
            const char *from = host + z * pitch[1] + y * pitch[0];
            if (to->format)
                ocl_format_decode(to->format, from, row, region[0]);
            else
                memcpy(row, from, taken->pitch[0]);
        }
    }
    return VKB_SUCCESS;
}

enum vkb_result ocl_texels_take(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                const size_t region[3], const void *host, const uint64_t pitch[2])
{
    struct ocl_texels taken;
    if (!to->image)
        return write_rect(command, to, origin, region, host, pitch, false);
    enum vkb_result result = ocl_texels_copy_now(command, to, origin, region, (void *)(uintptr_t)host, pitch, true);
    if (result != VKB_UNSUPPORTED)
        return result;
    result = take_rows(command, to, region, host, pitch, &taken);
    if (result != VKB_SUCCESS)
        return result;
    result = copy_aligned(command, to, origin, &taken, 0, region, true);
    vkb_buffer_release(taken.buffer);
    return result;
}

/* ---- fills ---- */

/* The packed buffer is fresh: the host may write it at once. For texels that are no power of two. */
static void fill_by_host(const struct ocl_texels *packed, uint64_t bytes, const uint8_t *unit, uint32_t size)
{
    uint8_t *map = vkb_buffer_map(packed->buffer);
    for (uint64_t at = 0; at < bytes; at += size)
        memcpy(map + at, unit, size);
}

/* A small region by the host, if that is quicker. VKB_UNSUPPORTED: it is not. */
static enum vkb_result fill_now(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                const size_t region[3], const uint8_t *texel)
{
    uint8_t rows[FILLED_NOW];
    const uint64_t bytes = bytes_of(to, region), size = to->bits / 8;
    const uint64_t pitch[2] = {row_bytes(to, region[0]), row_bytes(to, region[0]) * region[1]};
    if (!to->image || to->format || bytes > sizeof(rows))
        return VKB_UNSUPPORTED;
    for (uint64_t at = 0; at < bytes; at += size)
        memcpy(rows + at, texel, size);
    return ocl_texels_copy_now(command, to, origin, region, rows, pitch, true);
}

/* texel: Y, U and V */
static enum vkb_result fill_planes(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                   const size_t region[3], const uint8_t *texel)
{
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t plane = 0; plane < 2 && result == VKB_SUCCESS; plane++) {
        struct ocl_texels one = plane_of(to, plane);
        size_t at[3], size[3];
        set_in_plane(at, origin, plane);
        set_in_plane(size, region, plane);
        result = ocl_texels_fill(command, &one, at, size, texel + plane);
    }
    return result;
}

enum vkb_result ocl_texels_fill(struct ocl_command *command, const struct ocl_texels *to, const size_t origin[3],
                                const size_t region[3], const uint8_t *texel)
{
    if (to->chroma)
        return fill_planes(command, to, origin, region, texel);
    enum vkb_result result = fill_now(command, to, origin, region, texel);
    if (result != VKB_UNSUPPORTED)
        return result;
    struct ocl_texels packed;
    struct vkb_enqueue enqueue;
    struct piece piece;
    uint32_t size = to->bits * (to->format ? to->format->unit : 1) / 8; /* of a unit */
    bool by_host = !is_power_of_two(size);
    result =
        make_piece(command, to, region, LARGE_PIECE, by_host ? VKB_MEMORY_HOST : VKB_MEMORY_DEVICE, &piece, &packed);
    if (result != VKB_SUCCESS)
        return result;
    const size_t step[3] = {piece.region[0], piece.region[1], piece.region[2]};
    uint64_t bytes = bytes_of(to, step);
    if (by_host) {
        fill_by_host(&packed, bytes, texel, size);
    } else {
        result = ocl_command_step(command, &enqueue);
        if (result == VKB_SUCCESS)
            result = vkb_cmd_fill(&enqueue, packed.buffer, 0, bytes, texel, size);
    }
    while (result == VKB_SUCCESS) {
        size_t at[3];
        set_piece_origin(at, origin, &piece);
        set_rows(&packed, &piece);
        result = ocl_texels_copy(command, &packed, zero, to, at, piece.region);
        if (!next_piece(&piece, step, region))
            break;
    }
    vkb_buffer_release(packed.buffer);
    return result;
}
