/* Copies between buffers and images, and between images, by shaders of the backend's own (vk/queue/texels.c): every bit
 * of every format, of all kinds of images, for any region and pitches, beside the driver's copies, and in recordings.
 * The modules are valid. */
#include "vk_test.h"

#include "vk/queue/batch.h"
#include "vk/queue/texel_shader.h"

#include "compiler/clc.h"

enum { MOST = 256 << 10, ROUNDS = 8, NEVER = -1 };

static const struct {
    VkFormat format;
    uint32_t texel_size;
} formats[] = {
    {VK_FORMAT_R8_UNORM, 1},
    {VK_FORMAT_R8_SNORM, 1},
    {VK_FORMAT_R8_UINT, 1},
    {VK_FORMAT_R8G8_SNORM, 2},
    {VK_FORMAT_R16_UNORM, 2},
    {VK_FORMAT_R16_SFLOAT, 2},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, 2},
    {VK_FORMAT_R8G8B8A8_UNORM, 4},
    {VK_FORMAT_R8G8B8A8_SNORM, 4},
    {VK_FORMAT_R8G8B8A8_UINT, 4},
    {VK_FORMAT_R16G16_SFLOAT, 4},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
    {VK_FORMAT_R32_UINT, 4},
    {VK_FORMAT_R32_SFLOAT, 4},
    {VK_FORMAT_R16G16B16A16_SNORM, 8},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
    {VK_FORMAT_R32G32_SFLOAT, 8},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
    {VK_FORMAT_R32G32B32A32_UINT, 16},
};

static const struct vkb_image_info kinds[] = {
    {.kind = VKB_IMAGE_1D, .width = 700, .height = 1, .depth = 1, .layers = 1},
    {.kind = VKB_IMAGE_1D_ARRAY, .width = 301, .height = 1, .depth = 1, .layers = 7},
    {.kind = VKB_IMAGE_2D, .width = 67, .height = 45, .depth = 1, .layers = 1},
    {.kind = VKB_IMAGE_2D_ARRAY, .width = 37, .height = 21, .depth = 1, .layers = 5},
    {.kind = VKB_IMAGE_3D, .width = 35, .height = 19, .depth = 6, .layers = 1},
};

/* The driver's copies, counted. */
static struct VolkDeviceTable real;
static atomic_uint by_driver;

static void VKAPI_CALL count_to_image(VkCommandBuffer cmd, VkBuffer src, VkImage dst, VkImageLayout layout,
                                      uint32_t count, const VkBufferImageCopy *regions)
{
    atomic_fetch_add(&by_driver, 1);
    real.vkCmdCopyBufferToImage(cmd, src, dst, layout, count, regions);
}

static void VKAPI_CALL count_to_buffer(VkCommandBuffer cmd, VkImage src, VkImageLayout layout, VkBuffer dst,
                                       uint32_t count, const VkBufferImageCopy *regions)
{
    atomic_fetch_add(&by_driver, 1);
    real.vkCmdCopyImageToBuffer(cmd, src, layout, dst, count, regions);
}

static void VKAPI_CALL count_between(VkCommandBuffer cmd, VkImage src, VkImageLayout src_layout, VkImage dst,
                                     VkImageLayout dst_layout, uint32_t count, const VkImageCopy *regions)
{
    atomic_fetch_add(&by_driver, 1);
    real.vkCmdCopyImage(cmd, src, src_layout, dst, dst_layout, count, regions);
}

static enum vkb_result enqueue_copy(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer,
                                    struct vkb_image *image, const struct vkb_image_region *region, bool to_image)
{
    return to_image ? vkb_cmd_buffer_to_image(enqueue, buffer, image, region)
                    : vkb_cmd_image_to_buffer(enqueue, image, buffer, region);
}

/* A copy by a shader is done again until there is a pipeline for it. buffer NULL: from image to target. */
static void copy_any(struct vkb_queue *queue, struct vkb_buffer *buffer, struct vkb_image *image,
                     struct vkb_image *target, const struct vkb_image_region *region, bool to_image, bool by_shader)
{
    struct vkb_enqueue enqueue = on(queue);
    bool right = false;
    device->caps.texels_least = by_shader ? 1 : (uint32_t)NEVER;
    for (int i = 0; i < 5000 && !right; i++) {
        unsigned before = atomic_load(&by_driver);
        if (buffer)
            OK(enqueue_copy(&enqueue, buffer, image, region, to_image));
        else
            OK(vkb_cmd_copy_image(&enqueue, image, target, region));
        right = (atomic_load(&by_driver) == before) == by_shader;
        if (!right)
            usleep(1000);
    }
    CHECK(right);
}

static void copy(struct vkb_queue *queue, struct vkb_buffer *buffer, struct vkb_image *image,
                 const struct vkb_image_region *region, bool to_image, bool by_shader)
{
    copy_any(queue, buffer, image, NULL, region, to_image, by_shader);
}

static uint32_t below(uint32_t bound)
{
    return next_random() % bound;
}

/* Where a texel of the region lies in the buffer, and in the image's texels one behind the other. */
static uint64_t in_buffer(const struct vkb_image_region *r, uint32_t size, const uint32_t at[3])
{
    return r->buffer_offset + (((uint64_t)at[2] * r->slice_rows + at[1]) * r->row_texels + at[0]) * size;
}

static uint64_t in_image(const struct vkb_image_region *whole, const struct vkb_image_region *r, uint32_t size,
                         const uint32_t at[3])
{
    uint64_t row = (uint64_t)(at[2] + r->origin[2]) * whole->extent[1] + at[1] + r->origin[1];
    return (row * whole->extent[0] + at[0] + r->origin[0]) * size;
}

static void model(uint8_t *buffer, uint8_t *image, const struct vkb_image_region *whole,
                  const struct vkb_image_region *r, uint32_t size, bool to_image)
{
    uint32_t at[3];
    for (at[2] = 0; at[2] < r->extent[2]; at[2]++)
        for (at[1] = 0; at[1] < r->extent[1]; at[1]++)
            for (at[0] = 0; at[0] < r->extent[0]; at[0]++) {
                uint8_t *b = buffer + in_buffer(r, size, at), *i = image + in_image(whole, r, size, at);
                memcpy(to_image ? i : b, to_image ? b : i, size);
            }
}

static void choose_region(const struct vkb_image_region *whole, uint32_t size, struct vkb_image_region *region)
{
    bool all = below(4) == 0;
    *region = *whole;
    for (int i = 0; i < 3 && !all; i++) {
        region->origin[i] = below(whole->extent[i]);
        region->extent[i] = 1 + below(whole->extent[i] - region->origin[i]);
    }
    region->row_texels = region->extent[0] + below(5);
    region->slice_rows = region->extent[1] + below(3);
    region->buffer_offset = (uint64_t)below(9) * (size < 4 ? 4 : size);
}

struct rig {
    struct vkb_queue *queue;
    struct vkb_buffer *buffer;
    uint8_t *bytes, *texels, *got;
};

static void check_image(const struct rig *rig, struct vkb_image *image, const struct vkb_image_region *whole,
                        uint64_t size)
{
    copy(rig->queue, rig->buffer, image, whole, false, false);
    read_now(rig->queue, rig->buffer, 0, rig->got, size);
    CHECK(memcmp(rig->got, rig->texels, size) == 0);
}

static void test_image(const struct rig *rig, const struct vkb_image_info *info, struct vkb_image *image)
{
    uint32_t size = info->texel_size;
    struct vkb_image_region whole, region;
    vkb_image_whole(image, &whole);
    uint64_t bytes = (uint64_t)whole.extent[0] * whole.extent[1] * whole.extent[2] * size;
    fill_random(rig->texels, bytes);
    write_now(rig->queue, rig->buffer, 0, rig->texels, bytes);
    copy(rig->queue, rig->buffer, image, &whole, true, below(2));
    check_image(rig, image, &whole, bytes);
    for (int round = 0; round < ROUNDS; round++) {
        bool to_image = round & 1, by_shader = round & 2 || round >= 4;
        choose_region(&whole, size, &region);
        fill_random(rig->bytes, MOST);
        write_now(rig->queue, rig->buffer, 0, rig->bytes, MOST);
        copy(rig->queue, rig->buffer, image, &region, to_image, by_shader);
        model(rig->bytes, rig->texels, &whole, &region, size, to_image);
        read_now(rig->queue, rig->buffer, 0, rig->got, MOST);
        CHECK(memcmp(rig->got, rig->bytes, MOST) == 0);
        check_image(rig, image, &whole, bytes);
    }
}

/* Copied by a recording, which is run several times, as often as the buffer changes. */
static void test_recording(const struct rig *rig, const struct vkb_image_info *info, struct vkb_image *image)
{
    struct vkb_recording *recording = NULL;
    struct vkb_image_region whole, region;
    struct vkb_enqueue enqueue = on(rig->queue);
    vkb_image_whole(image, &whole);
    choose_region(&whole, info->texel_size, &region);
    uint64_t bytes = (uint64_t)whole.extent[0] * whole.extent[1] * whole.extent[2] * info->texel_size;
    write_now(rig->queue, rig->buffer, 0, rig->texels, bytes);
    copy(rig->queue, rig->buffer, image, &whole, true, true); /* there is a pipeline from here on */
    OK(vkb_recording_create(device, &recording));
    struct vkb_enqueue record = {.queue = rig->queue, .recording = recording};
    unsigned before = atomic_load(&by_driver);
    OK(enqueue_copy(&record, rig->buffer, image, &region, true));
    OK(vkb_recording_end(recording));
    CHECK(atomic_load(&by_driver) == before);
    for (int i = 0; i < 3; i++) {
        fill_random(rig->bytes, MOST);
        write_now(rig->queue, rig->buffer, 0, rig->bytes, MOST);
        OK(vkb_cmd_replay(&enqueue, recording));
        model(rig->bytes, rig->texels, &whole, &region, info->texel_size, true);
        check_image(rig, image, &whole, bytes);
    }
    vkb_recording_release(recording);
}

/* Returns whether the device has such images, and copies them so. */
static bool test_format(const struct rig *rig, const struct vkb_image_info *kind, size_t f)
{
    struct vkb_image_info info = *kind;
    struct vkb_image *image = NULL, *plain = NULL;
    info.format = (uint32_t)formats[f].format;
    info.texel_size = formats[f].texel_size;
    info.sampled = true;
    info.storage = false;
    device->caps.texels_least = 1; /* before the device is asked */
    if (!vkb_image_supported(device, &info))
        return false;
    OK(vkb_image_create(device, &info, &image));
    bool raw = vkb_image_raw(image) != NULL;
    CHECK(vkb_image_raw(image) == vkb_image_raw(image));
    if (raw) {
        test_image(rig, &info, image);
        test_recording(rig, &info, image);
    }
    /* a view of the image has the same texels */
    OK(vkb_image_create_view(image, &info, &plain));
    CHECK(vkb_image_raw(plain) == vkb_image_raw(image));
    vkb_image_release(plain);
    vkb_image_release(image);
    return raw;
}

static struct vkb_image *make_image(const struct rig *rig, const struct vkb_image_info *kind, size_t f, uint8_t *texels)
{
    struct vkb_image_info info = *kind;
    struct vkb_image *image = NULL;
    struct vkb_image_region whole;
    info.format = (uint32_t)formats[f].format;
    info.texel_size = formats[f].texel_size;
    info.sampled = true;
    device->caps.texels_least = 1;
    OK(vkb_image_create(device, &info, &image));
    vkb_image_whole(image, &whole);
    uint64_t bytes = (uint64_t)whole.extent[0] * whole.extent[1] * whole.extent[2] * info.texel_size;
    fill_random(texels, bytes);
    write_now(rig->queue, rig->buffer, 0, texels, bytes);
    copy(rig->queue, rig->buffer, image, &whole, true, false);
    return image;
}

static void choose_both(const struct vkb_image_region *from, const struct vkb_image_region *to,
                        struct vkb_image_region *region)
{
    *region = (struct vkb_image_region){0};
    for (int i = 0; i < 3; i++) {
        uint32_t most = from->extent[i] < to->extent[i] ? from->extent[i] : to->extent[i];
        region->extent[i] = 1 + below(most);
        region->origin[i] = below(from->extent[i] - region->extent[i] + 1);
        region->dst_origin[i] = below(to->extent[i] - region->extent[i] + 1);
    }
}

/* One slice or line is left to the driver. */
static bool is_by_shader(const struct vkb_image_info *from, const struct vkb_image_region *region)
{
    bool lines = from->kind == VKB_IMAGE_1D || from->kind == VKB_IMAGE_1D_ARRAY;
    return region->extent[2] > 1 || (lines && region->extent[1] > 1);
}

/* Between two images of kinds that may be copied to one another, and within one. */
static void test_between(const struct rig *rig, const struct vkb_image_info *from, const struct vkb_image_info *to,
                         size_t f)
{
    uint32_t size = formats[f].texel_size;
    struct vkb_image *src = make_image(rig, from, f, rig->bytes), *dst = make_image(rig, to, f, rig->texels);
    struct vkb_image_region src_whole, dst_whole, region;
    vkb_image_whole(src, &src_whole);
    vkb_image_whole(dst, &dst_whole);
    uint64_t bytes = (uint64_t)dst_whole.extent[0] * dst_whole.extent[1] * dst_whole.extent[2] * size;
    bool raw = vkb_image_raw(src) != NULL;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t at[3];
        choose_both(&src_whole, &dst_whole, &region);
        copy_any(rig->queue, NULL, src, dst, &region, false, raw && round && is_by_shader(from, &region));
        struct vkb_image_region there = region;
        memcpy(there.origin, region.dst_origin, sizeof(there.origin));
        for (at[2] = 0; at[2] < region.extent[2]; at[2]++)
            for (at[1] = 0; at[1] < region.extent[1]; at[1]++)
                for (at[0] = 0; at[0] < region.extent[0]; at[0]++)
                    memcpy(rig->texels + in_image(&dst_whole, &there, size, at),
                           rig->bytes + in_image(&src_whole, &region, size, at), size);
        check_image(rig, dst, &dst_whole, bytes);
    }
    /* the first texel of each line to its end */
    region = (struct vkb_image_region){.extent = {1, dst_whole.extent[1], dst_whole.extent[2]}};
    region.dst_origin[0] = dst_whole.extent[0] - 1;
    copy_any(rig->queue, NULL, dst, dst, &region, false, raw && is_by_shader(to, &region));
    for (uint64_t row = 0; row < bytes; row += (uint64_t)dst_whole.extent[0] * size)
        memcpy(rig->texels + row + (uint64_t)region.dst_origin[0] * size, rig->texels + row, size);
    check_image(rig, dst, &dst_whole, bytes);
    vkb_image_release(src);
    vkb_image_release(dst);
}

static void test_pairs(const struct rig *rig)
{
    static const size_t some[] = {0, 4, 7, 14, 17}; /* formats, one of each size */
    for (size_t f = 0; f < ARRAY_LENGTH(some); f++)
        for (size_t from = 0; from < ARRAY_LENGTH(kinds); from++)
            for (size_t to = 0; to < ARRAY_LENGTH(kinds); to++) {
                if ((from < 2) == (to < 2)) /* lines are copied to lines */
                    test_between(rig, &kinds[from], &kinds[to], some[f]);
            }
}

/* Small images, and those of several levels, are made as ever. */
static void test_others(void)
{
    struct vkb_image_info info = kinds[2];
    struct vkb_image *image = NULL;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.texel_size = 4;
    info.sampled = true;
    info.width++; /* no image that was kept */
    device->caps.texels_least = info.width * info.height * 4 + 1;
    OK(vkb_image_create(device, &info, &image));
    CHECK(!vkb_image_raw(image));
    vkb_image_release(image);
    info.levels = 3;
    device->caps.texels_least = 1;
    OK(vkb_image_create(device, &info, &image));
    CHECK(!vkb_image_raw(image));
    vkb_image_release(image);
}

static void test_device(void)
{
    struct rig rig = {.queue = make_queue(0), .buffer = make_buffer(MOST, true)};
    const struct vkb_caps *caps = vkb_device_caps(device);
    uint32_t tested = 0, least = device->caps.texels_least;
    rig.bytes = malloc(MOST);
    rig.texels = malloc(MOST);
    rig.got = malloc(MOST);
    real = device->vk;
    device->vk.vkCmdCopyBufferToImage = count_to_image;
    device->vk.vkCmdCopyImageToBuffer = count_to_buffer;
    device->vk.vkCmdCopyImage = count_between;
    for (size_t k = 0; k < ARRAY_LENGTH(kinds); k++)
        for (size_t f = 0; f < ARRAY_LENGTH(formats); f++)
            tested += test_format(&rig, &kinds[k], f);
    test_pairs(&rig);
    test_others();
    device->vk = real;
    device->caps.texels_least = least;
    printf("%u of %zu kinds and formats\n", tested, ARRAY_LENGTH(kinds) * ARRAY_LENGTH(formats));
    CHECK(tested > 60 || !caps->image_read_any || !caps->image_write_any);
    free(rig.bytes);
    free(rig.texels);
    free(rig.got);
    vkb_buffer_release(rig.buffer);
    vkb_queue_release(rig.queue);
}

static void test_module(const struct texel_shader *shader)
{
    uint32_t words[TEXEL_WORDS];
    char *message = clc_validate(words, vkb_texel_shader(shader, words), "vulkan");
    CHECK(!message);
    if (message)
        printf("%s\n", message);
    free(message);
}

static void test_modules(void)
{
    for (int view = 0; view < TEXEL_VIEWS; view++)
        for (int target = 0; target < TEXEL_VIEWS; target++)
            for (int way = 0; way < TEXEL_WAYS; way++)
                for (uint32_t size = 1; size <= 16; size *= 2) {
                    const struct texel_shader shader = {(enum texel_way)way, (enum texel_view)view,
                                                        (enum texel_view)target, size};
                    if ((view == TEXELS_LINES) == (target == TEXELS_LINES))
                        test_module(&shader);
                }
}

int main(void)
{
    test_modules();
    return test_devices(test_device);
}
