/* Texels of formats that Vulkan has nothing like: in an image they are those of another format with the same values,
 * and transfers convert them.
 *
 *     CL_UNORM_INT_101010_2        the word, turned so that the two bits of alpha are on top, as Vulkan wants them
 *     CL_YUYV_INTEL ...            red is V, green Y and blue U, as the kernel reads them (cl_intel_packed_yuv)
 *     CL_NV12_INTEL                the same, of two planes (cl_intel_planar_yuv)
 *     CL_UNSIGNED_INT_RAW10_EXT,   the integer of 16 bits (cl_ext_image_raw10_raw12)
 *     _RAW12_EXT
 *
 * So kernels read and filter them as any other image, and only transfers pay. They do so on the host: such texels come
 * from cameras and video decoders and are moved there once. */
#include "src/object/image.h"

#include <stdlib.h>
#include <string.h>

/* Where in its four bytes a pair of texels has the first Y, the second, U and V. */
static const uint8_t *places_of(const struct ocl_format *format)
{
    static const uint8_t places[4][4] = {{0, 2, 1, 3}, {1, 3, 0, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    return places[(format->cl.image_channel_order - OCL_YUYV) & 3];
}

static void decode_pair(const uint8_t *place, const uint8_t from[4], uint8_t to[8])
{
    for (int i = 0; i < 2; i++, to += 4) {
        to[0] = from[place[3]];
        to[1] = from[place[i]];
        to[2] = from[place[2]];
        to[3] = 255;
    }
}

/* Nothing writes such an image but transfers, so that both texels of a pair have one colour. */
static void encode_pair(const uint8_t *place, const uint8_t from[8], uint8_t to[4])
{
    to[place[0]] = from[1];
    to[place[1]] = from[5];
    to[place[2]] = from[2];
    to[place[3]] = from[0];
}

/* cl_ext_image_raw10_raw12: the high eight bits of each texel of a unit, then a byte of all their low ones, the first
 * texel's lowest. */
static void decode_raw(const struct ocl_format *format, const uint8_t *from, uint16_t *to)
{
    uint32_t low = format->bits - 8, mask = (1u << low) - 1;
    for (uint32_t i = 0; i < format->unit; i++)
        to[i] = (uint16_t)((uint32_t)from[i] << low | (from[format->unit] >> low * i & mask));
}

static void encode_raw(const struct ocl_format *format, const uint16_t *from, uint8_t *to)
{
    uint32_t low = format->bits - 8, mask = (1u << low) - 1, rest = 0;
    for (uint32_t i = 0; i < format->unit; i++) {
        to[i] = (uint8_t)(from[i] >> low);
        rest |= (from[i] & mask) << low * i;
    }
    to[format->unit] = (uint8_t)rest;
}

static void decode_row(const struct ocl_format *format, const uint8_t *from, uint8_t *to, size_t texels)
{
    for (size_t i = 0; format->conversion == OCL_TURNED && i < texels; i++) {
        uint32_t word;
        memcpy(&word, from + 4 * i, 4);
        word = word >> 2 | word << 30;
        memcpy(to + 4 * i, &word, 4);
    }
    for (size_t i = 0; format->conversion == OCL_YUV && i < texels / 2; i++)
        decode_pair(places_of(format), from + 4 * i, to + 8 * i);
    for (size_t i = 0; format->conversion == OCL_RAW && i < texels / format->unit; i++) {
        uint16_t unit[4];
        decode_raw(format, from + i * (format->unit + 1), unit);
        memcpy(to + 2 * i * format->unit, unit, 2 * format->unit);
    }
}

static void encode_row(const struct ocl_format *format, const uint8_t *from, uint8_t *to, size_t texels)
{
    for (size_t i = 0; format->conversion == OCL_TURNED && i < texels; i++) {
        uint32_t word;
        memcpy(&word, from + 4 * i, 4);
        word = word << 2 | word >> 30;
        memcpy(to + 4 * i, &word, 4);
    }
    for (size_t i = 0; format->conversion == OCL_YUV && i < texels / 2; i++)
        encode_pair(places_of(format), from + 8 * i, to + 4 * i);
    for (size_t i = 0; format->conversion == OCL_RAW && i < texels / format->unit; i++) {
        uint16_t unit[4];
        memcpy(unit, from + 2 * i * format->unit, 2 * format->unit);
        encode_raw(format, unit, to + i * (format->unit + 1));
    }
}

void ocl_format_decode(const struct ocl_format *format, const void *from, void *to, size_t texels)
{
    if (format->conversion == OCL_AS_IT_IS)
        memcpy(to, from, ocl_format_bytes(format, texels));
    else
        decode_row(format, from, to, texels);
}

void ocl_format_pack_unit(const struct ocl_format *format, const uint8_t texel[4], uint8_t unit[8])
{
    const uint8_t pair[8] = {texel[0], texel[1], texel[2], 255, texel[0], texel[1], texel[2], 255};
    uint16_t number;
    memcpy(&number, texel, sizeof(number));
    const uint16_t numbers[4] = {number, number, number, number};
    const uint8_t planes[3] = {texel[1], texel[2], texel[0]};
    if (format->conversion == OCL_RAW)
        encode_raw(format, numbers, unit);
    else if (format->conversion == OCL_NV12)
        memcpy(unit, planes, sizeof(planes));
    else
        encode_pair(places_of(format), pair, unit);
}

/* Each four texels share their colour. Nothing but transfers of planes writes such an image, so that none is encoded.
 */
static void decode_planes(const uint8_t *from, uint8_t *to, size_t width, size_t height)
{
    const uint8_t *chroma = from + width * height;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++, to += 4) {
            const uint8_t *both = chroma + y / 2 * width + x / 2 * 2;
            to[0] = both[1];
            to[1] = from[y * width + x];
            to[2] = both[0];
            to[3] = 255;
        }
    }
}

/* ---- as a step of a command ---- */

struct conversion {
    struct ocl_format format;
    struct vkb_buffer *from, *to;
    size_t width, rows;
    bool decodes;
};

static void convert(void *data, bool run)
{
    struct conversion *c = data;
    if (run && c->format.conversion == OCL_NV12)
        decode_planes(vkb_buffer_map(c->from), vkb_buffer_map(c->to), c->width, c->rows);
    else if (run && c->decodes)
        decode_row(&c->format, vkb_buffer_map(c->from), vkb_buffer_map(c->to), c->width * c->rows);
    else if (run)
        encode_row(&c->format, vkb_buffer_map(c->from), vkb_buffer_map(c->to), c->width * c->rows);
    vkb_buffer_release(c->from);
    vkb_buffer_release(c->to);
    free(c);
}

enum vkb_result ocl_texels_convert(struct vkb_enqueue *enqueue, const struct ocl_format *format,
                                   struct vkb_buffer *from, struct vkb_buffer *to, const size_t region[3], bool decodes)
{
    struct conversion *c = malloc(sizeof(*c));
    if (!c)
        return VKB_OUT_OF_HOST_MEMORY;
    *c = (struct conversion){*format,   vkb_buffer_retain(from), vkb_buffer_retain(to),
                             region[0], region[1] * region[2],   decodes};
    enum vkb_result result = vkb_cmd_host(enqueue, convert, c);
    if (result != VKB_SUCCESS)
        convert(c, false); /* nobody else will */
    return result;
}
