/* Memory that nothing uses: buffers and images that come and go find what was freed before, and little more is held than
 * what is there. And the first layout of images, which is submitted when they are first used. */
#include "vk_test.h"

#include "vk/memory/first_use.h"

static bool is_held(uint64_t bytes)
{
    return atomic_load(&device->memory->held) >= bytes;
}

/* What was freed serves again, and goes back to the driver when it is too much, is asked for, or was idle. */
static void test_kept(void)
{
    enum { MIB = 1 << 20 };
    vkb_memory_trim(device);
    uint64_t before = atomic_load(&device->memory->held), most = device->memory->keeps_most;
    struct vkb_buffer *buffer = make_buffer(39 * MIB, false), *other = make_buffer(17 * MIB, false);
    const struct memory_block *block = buffer->block;
    vkb_buffer_release(buffer);
    vkb_buffer_release(other);
    buffer = make_buffer(37 * MIB, false);
    other = make_buffer(30 * MIB, false); /* neither is near that size */
    CHECK(buffer->block == block && other->block != block && other->block->size < 34 * MIB);
    vkb_buffer_release(buffer);
    vkb_buffer_release(other);
    CHECK(is_held(before + 80 * MIB));
    vkb_memory_trim(device);
    CHECK(!is_held(before + MIB));
    set_keeps_most(50 * MIB);
    for (int i = 0; i < 10; i++) {
        buffer = make_buffer((40 + 2 * i) * MIB, false);
        vkb_buffer_release(buffer);
    }
    for (int i = 0; i < 1000 && is_held(before + 80 * MIB); i++)
        usleep(5000);
    CHECK(!is_held(before + 80 * MIB));
    set_keeps_most(most);
    buffer = make_buffer(100 * MIB, false);
    vkb_buffer_release(buffer);
    for (int i = 0; i < 1000 && is_held(before + 64 * MIB); i++)
        usleep(5000);
    CHECK(!is_held(before + 64 * MIB));
}

/* After buffers of all sizes have come and gone, little more is held than what those that stay need. */
static void test_soak(void)
{
    enum { BUFFERS = 48, STEPS = 3000, KIB = 1 << 10, MIB = 1 << 20 };
    struct vkb_buffer *buffers[BUFFERS] = {0};
    vkb_memory_trim(device);
    uint64_t before = atomic_load(&device->memory->held), live = 0;
    for (int i = 0; i < STEPS; i++) {
        struct vkb_buffer **buffer = &buffers[next_random() % BUFFERS];
        vkb_buffer_release(*buffer);
        *buffer = make_buffer(1 + next_random() % (next_random() % 3   ? 2 * MIB
                                                   : next_random() % 2 ? KIB
                                                                       : 48 * MIB),
                              false);
    }
    for (int i = 0; i < BUFFERS; i++)
        live += buffers[i] ? vkb_buffer_size(buffers[i]) : 0;
    uint64_t most = before + live + live / 2 + 64 * MIB;
    for (int i = 0; i < 1000 && is_held(most); i++)
        usleep(5000);
    CHECK(!is_held(most));
    for (int i = 0; i < BUFFERS; i++)
        vkb_buffer_release(buffers[i]);
    vkb_memory_trim(device);
    CHECK(!is_held(before + 1));
}

/* ---- images ---- */

static struct vkb_image *make_image(uint32_t width, uint32_t height)
{
    const struct vkb_image_info info = {.kind = VKB_IMAGE_2D,
                                        .format = VK_FORMAT_R32_UINT,
                                        .texel_size = 4,
                                        .width = width,
                                        .height = height,
                                        .depth = 1,
                                        .layers = 1,
                                        .sampled = true,
                                        .storage = true,
                                        .mapping = {0, 1, 2, 3}};
    struct vkb_image *image = NULL;
    OK(vkb_image_create(device, &info, &image));
    return image;
}

/* Images share memory, and one that is gone serves whoever wants the like of it. */
static void test_kept_images(void)
{
    enum { IMAGES = 40 };
    struct vkb_image *images[IMAGES];
    vkb_memory_trim(device);
    uint64_t before = atomic_load(&device->memory->held);
    for (uint32_t i = 0; i < IMAGES; i++)
        images[i] = make_image(16 + i, 16);
    CHECK(is_held(before + 1) && !is_held(before + (16 << 20)));
    const struct vkb_image *first = images[0], *last = images[IMAGES - 1];
    VkImageView view = first->sampled;
    for (uint32_t i = 0; i < IMAGES; i++)
        vkb_image_release(images[i]);
    images[0] = make_image(16, 16);
    images[1] = make_image(16, 16);
    images[2] = make_image(16 + IMAGES - 1, 16);
    CHECK(images[0] == first && images[0]->sampled == view && images[1] != first && images[2] == last);
    for (uint32_t i = 0; i < 3; i++)
        vkb_image_release(images[i]);
    for (uint32_t i = 0; i < 2 * IMAGES_KEPT; i++)
        vkb_image_release(make_image(1 + i, 8));
    uint32_t kept = UINT32_MAX;
    for (int tries = 0; tries < 1000 && kept > IMAGES_KEPT; tries++) {
        usleep(5000);
        pthread_mutex_lock(&device->memory->lock);
        kept = 0;
        for (int i = 0; i < IMAGE_LISTS; i++)
            kept += device->memory->images[i].count;
        pthread_mutex_unlock(&device->memory->lock);
    }
    CHECK(kept && kept <= IMAGES_KEPT);
    /* Too many unused blocks are no reason to let images go. */
    struct vkb_image *image = make_image(20, 20);
    first = image;
    vkb_image_release(image);
    uint64_t most = device->memory->keeps_most;
    set_keeps_most(30 << 20);
    vkb_buffer_release(make_buffer(40 << 20, false));
    for (int tries = 0; tries < 1000 && is_held(before + (40 << 20)); tries++)
        usleep(5000);
    CHECK(!is_held(before + (40 << 20)));
    image = make_image(20, 20);
    CHECK(image == first);
    vkb_image_release(image);
    set_keeps_most(most);
    vkb_memory_trim(device);
    CHECK(!is_held(before + 1));
}

/* A VkQueue that does nothing until the semaphore has that value. */
static void stop_queue(VkSemaphore semaphore, uint64_t value)
{
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &semaphore,
        .pWaitDstStageMask = &stages,
    };
    CHECK(device->vk.vkQueueSubmit(device->queues[0].handle, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS);
}

/* Submits what the image needs for the queue, as a batch would. */
static void use_first(struct vkb_image *image, struct vulkan_queue *queue, struct first_duty *duty)
{
    struct first_batch batch;
    enum vkb_result result;
    vkb_first_begin(device, queue, &batch);
    OK(vkb_first_add_image(&batch, image, duty));
    bool submits = vkb_first_close(&batch, &result);
    OK(result);
    if (submits)
        OK(vkb_first_submit(&batch));
    vkb_first_end(&batch, submits);
}

/* An image gets its layout on the VkQueue that uses it first. Others wait for that, but only until it has happened. */
static void test_first_use(void)
{
    bool host_copies = device->caps.host_image_copy;
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    CHECK(device->vk.vkCreateSemaphore(device->handle, &info, NULL, &semaphore) == VK_SUCCESS);
    vkb_memory_trim(device);
    device->caps.host_image_copy = false; /* the host would do it */
    struct vkb_image *image = make_image(50, 20), *other = make_image(51, 20);
    struct vulkan_queue second = {.family = device->family}; /* never submitted to */
    struct first_duty duty;
    CHECK(atomic_load(&image->first.state) == FIRST_WAITS);
    stop_queue(semaphore, 1);
    use_first(image, &device->queues[0], &duty);
    CHECK(!duty.semaphore && atomic_load(&image->first.state) == FIRST_SUBMITTED);
    use_first(image, &device->queues[0], &duty);
    CHECK(!duty.semaphore);
    use_first(image, &second, &duty);
    CHECK(duty.semaphore == device->queues[0].first_done && duty.value == image->first.value);
    const VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = 1};
    CHECK(device->vk.vkSignalSemaphore(device->handle, &go) == VK_SUCCESS);
    OK(vkb_first_settle(other));
    use_first(image, &second, &duty);
    CHECK(!duty.semaphore && vkb_first_is_over(&image->first));
    vkb_image_release(image);
    vkb_image_release(other);
    vkb_memory_trim(device);
    device->caps.host_image_copy = host_copies;
    device->vk.vkDestroySemaphore(device->handle, semaphore, NULL);
}

static void test_device(void)
{
    test_kept();
    test_soak();
    test_kept_images();
    test_first_use();
}

int main(void)
{
    return test_devices(test_device);
}
