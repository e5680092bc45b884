/* Copies of images with layers, below any OpenCL API: between images and buffers by the device, and by the host. Each texel is
 * compared with a model in host memory. */
#include "image_reference.h"

/* ---- copies ---- */

static void test_copies(struct vkb_queue *queue)
{
    const struct format *format = &formats[18];
    struct picture from, to;
    struct vkb_enqueue enqueue = on(queue);
    CHECK(make_picture(queue, &from, &shapes[3], format, false)); /* layers to slices */
    CHECK(make_picture(queue, &to, &shapes[4], format, false));
    struct vkb_image_region region = {.origin = {1, 0, 1}, .dst_origin = {0, 2, 0}, .extent = {3, 2, 2}};
    OK(vkb_cmd_copy_image(&enqueue, from.image, to.image, &region));
    for (uint32_t z = 0; z < 2; z++) {
        for (uint32_t y = 0; y < 2; y++)
            memcpy(to.bytes + (((z + 0) * to.rows + y + 2) * 5 + 0) * 4,
                   from.bytes + (((z + 1) * from.rows + y + 0) * 5 + 1) * 4, 12);
    }
    uint32_t size = num_texels(&to) * 4;
    uint8_t *got = malloc(size);
    struct vkb_buffer *buffer = make_buffer(size, false);
    region = whole(&to);
    OK(vkb_cmd_image_to_buffer(&enqueue, to.image, buffer, &region));
    read_now(queue, buffer, 0, got, size);
    CHECK(memcmp(got, to.bytes, size) == 0);
    region.extent[0]++;
    CHECK(vkb_cmd_image_to_buffer(&enqueue, to.image, buffer, &region) == VKB_UNSUPPORTED);
    region = whole(&to);
    region.buffer_offset = 4;
    CHECK(vkb_cmd_buffer_to_image(&enqueue, buffer, to.image, &region) == VKB_UNSUPPORTED);
    region.dst_origin[1] = 1;
    CHECK(vkb_cmd_copy_image(&enqueue, from.image, to.image, &region) == VKB_UNSUPPORTED);
    free(got);
    vkb_buffer_release(buffer);
    free_picture(&from);
    free_picture(&to);
}

/* Held behind an event of the application's, the objects stay alive; then everything in its order. */
static void test_held(struct vkb_queue *queue)
{
    struct picture picture;
    struct vkb_event *gate = NULL, *done = NULL;
    CHECK(make_picture(queue, &picture, &shapes[2], &formats[18], true));
    uint32_t size = num_texels(&picture) * 4;
    uint8_t got[7 * 5 * 4] = {0};
    struct vkb_buffer *zero = make_buffer(size, false);
    write_now(queue, zero, 0, got, size);
    OK(vkb_event_create_user(&gate));
    struct vkb_enqueue held = {.queue = queue, .num_waits = 1, .waits = &gate}, last = {.queue = queue, .event = &done};
    struct vkb_image_region region = whole(&picture);
    OK(vkb_cmd_image_to_buffer(&held, picture.image, zero, &region));
    OK(vkb_cmd_read(&last, zero, 0, size, got));
    vkb_image_release(picture.image);
    vkb_buffer_release(zero);
    vkb_event_set_user(gate, 0);
    OK(vkb_event_wait(done, UINT64_MAX));
    CHECK(memcmp(got, picture.bytes, size) == 0);
    vkb_event_release(gate);
    vkb_event_release(done);
    free(picture.bytes);
}

/* ---- copies by the host ---- */

/* Between copies of the device's, each in its turn. */
static void host_copies_in_order(struct vkb_queue *queue, struct picture *picture, struct vkb_buffer *buffer)
{
    uint32_t size = num_texels(picture) * 4;
    uint8_t *got = calloc(2, size), *given = malloc(size);
    struct vkb_enqueue plain = on(queue);
    struct vkb_image_region region = whole(picture);
    fill_random(given, size);
    write_now(queue, buffer, 0, given, size);
    OK(vkb_cmd_buffer_to_image(&plain, buffer, picture->image, &region));
    OK(vkb_cmd_read_image(&plain, picture->image, got, &region));
    OK(vkb_cmd_write_image(&plain, picture->image, picture->bytes, &region));
    OK(vkb_cmd_image_to_buffer(&plain, picture->image, buffer, &region));
    read_now(queue, buffer, 0, got + size, size);
    CHECK(memcmp(got, given, size) == 0);
    CHECK(memcmp(got + size, picture->bytes, size) == 0);
    free(got);
    free(given);
}

/* In an out-of-order queue: behind what it waits for, and what waits for it behind it. */
static void host_copies_by_events(struct picture *picture, struct vkb_buffer *buffer)
{
    struct vkb_queue *queue = make_queue(VKB_QUEUE_OUT_OF_ORDER);
    uint32_t size = num_texels(picture) * 4;
    uint8_t *got = calloc(1, size), *given = malloc(size);
    struct vkb_event *gate, *uploaded, *read, *written, *downloaded;
    struct vkb_image_region region = whole(picture);
    fill_random(given, size);
    write_now(queue, buffer, 0, given, size);
    OK(vkb_event_create_user(&gate));
    struct vkb_enqueue enqueue = {.queue = queue, .num_waits = 1, .waits = &gate, .event = &uploaded};
    OK(vkb_cmd_buffer_to_image(&enqueue, buffer, picture->image, &region));
    enqueue.waits = &uploaded, enqueue.event = &read;
    OK(vkb_cmd_read_image(&enqueue, picture->image, got, &region));
    enqueue.waits = &read, enqueue.event = &written;
    OK(vkb_cmd_write_image(&enqueue, picture->image, picture->bytes, &region));
    enqueue.waits = &written, enqueue.event = &downloaded;
    OK(vkb_cmd_image_to_buffer(&enqueue, picture->image, buffer, &region));
    CHECK(vkb_event_ask(read) > 0 && vkb_event_ask(written) > 0);
    vkb_event_set_user(gate, 0);
    OK(vkb_event_wait(downloaded, UINT64_MAX));
    CHECK(memcmp(got, given, size) == 0);
    read_now(queue, buffer, 0, got, size);
    CHECK(memcmp(got, picture->bytes, size) == 0);
    struct vkb_event *events[] = {gate, uploaded, read, written, downloaded};
    for (size_t i = 0; i < ARRAY_LENGTH(events); i++)
        vkb_event_release(events[i]);
    vkb_queue_release(queue);
    free(got);
    free(given);
}

static VkResult fail_copy(VkDevice handle, const void *info)
{
    (void)handle;
    (void)info;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* What Vulkan answers becomes the event's status, done at once or held, and nothing worse. */
static void host_copies_that_fail(struct vkb_queue *queue, struct picture *picture)
{
    PFN_vkVoidFunction to = device->vk_copy_to_image;
    struct vkb_image_region region = whole(picture);
    struct vkb_event *done, *gate;
    OK(vkb_queue_wait(queue));
    device->vk_copy_to_image = (PFN_vkVoidFunction)fail_copy;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &done};
    OK(vkb_cmd_write_image(&enqueue, picture->image, picture->bytes, &region));
    CHECK(vkb_event_ask(done) == STATUS_HOST_MEMORY);
    vkb_event_release(done);
    OK(vkb_event_create_user(&gate));
    enqueue.num_waits = 1;
    enqueue.waits = &gate;
    OK(vkb_cmd_write_image(&enqueue, picture->image, picture->bytes, &region));
    vkb_event_set_user(gate, 0);
    CHECK(vkb_event_wait(done, UINT64_MAX) != VKB_SUCCESS && vkb_event_ask(done) == STATUS_HOST_MEMORY);
    device->vk_copy_to_image = to;
    vkb_event_release(done);
    vkb_event_release(gate);
}

/* Parts of all shapes: rows and slices with gaps between them, which stay as they are. */
static void host_copies_of_parts(struct vkb_queue *queue, const struct shape *shape)
{
    struct picture picture;
    struct vkb_event *done;
    CHECK(make_picture(queue, &picture, shape, &formats[18], true));
    uint32_t w = shape->width, rows = picture.rows, slices = picture.slices, pitch = w + 3, slice = pitch * (rows + 2);
    struct vkb_image_region part = {
        .origin = {w > 2, rows > 2, slices > 2},
        .extent = {w > 2 ? w - 2 : w, rows > 2 ? rows - 2 : rows, slices > 2 ? slices - 2 : slices},
        .row_texels = pitch,
        .slice_rows = rows + 2,
    };
    uint32_t size = slice * slices * 4;
    uint8_t *got = malloc(size), *expected = malloc(size);
    memset(got, 0xa5, size);
    memset(expected, 0xa5, size);
    for (uint32_t z = 0; z < part.extent[2]; z++) {
        for (uint32_t y = 0; y < part.extent[1]; y++) {
            uint32_t from = ((z + part.origin[2]) * rows + y + part.origin[1]) * w + part.origin[0];
            memcpy(expected + (z * slice + y * pitch) * 4, picture.bytes + from * 4, part.extent[0] * 4);
        }
    }
    struct vkb_enqueue enqueue = {.queue = queue, .event = &done};
    OK(vkb_cmd_read_image(&enqueue, picture.image, got, &part));
    OK(vkb_event_wait(done, UINT64_MAX));
    CHECK(memcmp(got, expected, size) == 0);
    vkb_event_release(done);
    for (uint32_t i = 0; i < size; i++)
        got[i] ^= 0xff;
    for (uint32_t i = 0; i < num_texels(&picture) * 4; i++)
        expected[i] = picture.bytes[i];
    for (uint32_t z = 0; z < part.extent[2]; z++) {
        for (uint32_t y = 0; y < part.extent[1]; y++) {
            uint32_t to = ((z + part.origin[2]) * rows + y + part.origin[1]) * w + part.origin[0];
            memcpy(expected + to * 4, got + (z * slice + y * pitch) * 4, part.extent[0] * 4);
        }
    }
    struct vkb_enqueue plain = on(queue);
    OK(vkb_cmd_write_image(&plain, picture.image, got, &part));
    part = whole(&picture);
    uint8_t *all = malloc(num_texels(&picture) * 4);
    OK(vkb_cmd_read_image(&enqueue, picture.image, all, &part));
    OK(vkb_event_wait(done, UINT64_MAX));
    CHECK(memcmp(all, expected, num_texels(&picture) * 4) == 0);
    vkb_event_release(done);
    part.extent[0]++;
    CHECK(vkb_cmd_read_image(&plain, picture.image, all, &part) == VKB_UNSUPPORTED);
    free(all);
    free(got);
    free(expected);
    free_picture(&picture);
}

/* Over a bus, which is played: while nothing is under way, and as much as the way to the device and back is worth. */
static void test_far_copies(struct vkb_queue *queue)
{
    enum { SIDE = 16, BYTES = SIDE * SIDE * 4 };
    bool device_map = device->caps.device_map;
    struct vkb_image_info info = {
        .kind = VKB_IMAGE_2D,
        .format = VK_FORMAT_R8G8B8A8_UINT,
        .texel_size = 4,
        .width = SIDE,
        .height = SIDE,
        .depth = 1,
        .layers = 1,
        .sampled = true,
        .mapping = {0, 1, 2, 3},
    };
    const struct vkb_image_region region = {.extent = {SIDE, SIDE, 1}, .row_texels = SIDE, .slice_rows = SIDE};
    struct vkb_image *image, *large;
    uint8_t given[BYTES], got[BYTES] = {0};
    fill_random(given, sizeof(given));
    device->caps.device_map = false;
    OK(vkb_image_create(device, &info, &image));
    info.width = info.height = 256;
    OK(vkb_image_create(device, &info, &large));
    CHECK(!vkb_image_host_is_quick(large, 4, true));
    if (vkb_image_host_is_quick(image, BYTES, true)) {
        struct vkb_event *gate;
        OK(vkb_event_create_user(&gate));
        const struct vkb_enqueue at_once = {.queue = queue, .unheld = true},
                                 held = {.queue = queue, .num_waits = 1, .waits = &gate};
        OK(vkb_queue_wait(queue));
        uint64_t submitted = queue->submitted;
        CHECK(!vkb_image_host_copies(image) && !vkb_image_host_is_quick(image, 1 << 20, true));
        OK(vkb_cmd_write_image(&at_once, image, given, &region));
        OK(vkb_cmd_read_image(&at_once, image, got, &region));
        CHECK(memcmp(got, given, sizeof(got)) == 0 && queue->submitted == submitted);
        /* slow reads are worth it only in a crowd */
        atomic_store(&device->texel_ps, 1000000);
        atomic_store(&device->turn_ns, 0);
        CHECK(!vkb_image_host_is_quick(image, BYTES, false) && vkb_image_host_is_quick(image, 4, false));
        atomic_store(&device->turn_ns, 5000000);
        CHECK(vkb_image_host_is_quick(image, BYTES, false));
        OK(vkb_cmd_marker(&held, false));
        CHECK(vkb_cmd_write_image(&at_once, image, got, &region) == VKB_UNSUPPORTED);
        vkb_event_set_user(gate, 0);
        OK(vkb_queue_wait(queue));
        vkb_event_release(gate);
        atomic_store(&device->texel_ps, 0);
        atomic_store(&device->turn_ns, 0);
    }
    vkb_image_release(image);
    vkb_image_release(large);
    vkb_memory_trim(device);
    device->caps.device_map = device_map;
}

static void test_host_copies(struct vkb_queue *queue)
{
    struct picture picture;
    struct vkb_event *done = NULL;
    CHECK(make_picture(queue, &picture, &shapes[4], &formats[18], true));
    OK(vkb_queue_wait(queue));
    uint32_t size = num_texels(&picture) * 4;
    uint8_t *got = calloc(1, size);
    struct vkb_enqueue enqueue = {.queue = queue, .event = &done};
    struct vkb_image_region region = whole(&picture);
    bool can = vkb_image_host_is_quick(picture.image, 1, true);
    CHECK(can || !device->caps.host_image_copy);
    if (!can) {
        CHECK(vkb_cmd_read_image(&enqueue, picture.image, got, &region) == VKB_UNSUPPORTED);
        CHECK(vkb_cmd_write_image(&enqueue, picture.image, got, &region) == VKB_UNSUPPORTED);
        printf("no copies of images by the host\n");
    } else {
        /* nothing uses the image: done at once */
        OK(vkb_cmd_read_image(&enqueue, picture.image, got, &region));
        CHECK(vkb_event_ask(done) == 0);
        CHECK(memcmp(got, picture.bytes, size) == 0);
        vkb_event_release(done);
        struct vkb_buffer *buffer = make_buffer(size, false);
        host_copies_in_order(queue, &picture, buffer);
        host_copies_by_events(&picture, buffer);
        host_copies_that_fail(queue, &picture);
        vkb_buffer_release(buffer);
        for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++)
            host_copies_of_parts(queue, &shapes[i]);
    }
    free(got);
    free_picture(&picture);
}

static void test_all(void)
{
    struct vkb_queue *queue = make_queue(0);
    if (!device->caps.image_read_any || !device->caps.image_write_any) {
        printf("no storage images of unknown format: not tested\n");
        vkb_queue_release(queue);
        return;
    }
    test_copies(queue);
    test_held(queue);
    test_host_copies(queue);
    test_far_copies(queue);
    vkb_queue_release(queue);
}

int main(void)
{
    return test_devices(test_all);
}
