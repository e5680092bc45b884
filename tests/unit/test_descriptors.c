/* Descriptor sets: a launch that meets images that its kernel has met finds its set, another one gets a set of its own,
 * and none is written anew that a launch under way still reads. */
#include "run_kernel.h"

enum { MANY = 300, TEXELS_WIDE = 4 };

static atomic_uint written, allocated, bound;
static struct VolkDeviceTable real;

static void VKAPI_CALL count_write(VkDevice handle, uint32_t num_writes, const VkWriteDescriptorSet *writes,
                                   uint32_t num_copies, const VkCopyDescriptorSet *copies)
{
    atomic_fetch_add(&written, 1);
    real.vkUpdateDescriptorSets(handle, num_writes, writes, num_copies, copies);
}

static VkResult VKAPI_CALL count_allocate(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                          VkDescriptorSet *sets)
{
    atomic_fetch_add(&allocated, 1);
    return real.vkAllocateDescriptorSets(handle, info, sets);
}

static void VKAPI_CALL count_bind(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipelineLayout layout,
                                  uint32_t first, uint32_t num_sets, const VkDescriptorSet *sets, uint32_t num_offsets,
                                  const uint32_t *offsets)
{
    atomic_fetch_add(&bound, 1);
    real.vkCmdBindDescriptorSets(cmd, point, layout, first, num_sets, sets, num_offsets, offsets);
}

static void forget(void)
{
    atomic_store(&written, 0);
    atomic_store(&allocated, 0);
    atomic_store(&bound, 0);
}

static const char add_source[] = "kernel void k(read_only image1d_t in, global uint *out, uint at) {\n"
                                 "    uint i = get_global_id(0);\n"
                                 "    if (i < 4) out[4 * at + i] = out[4 * at + i] * 7 + read_imageui(in, i).x; }\n";

/* Four texels, which are all value. */
static struct vkb_image *make_texels(struct vkb_queue *queue, uint32_t value)
{
    const struct vkb_image_info info = {.kind = VKB_IMAGE_1D,
                                        .format = VK_FORMAT_R32_UINT,
                                        .texel_size = 4,
                                        .width = TEXELS_WIDE,
                                        .height = 1,
                                        .depth = 1,
                                        .layers = 1,
                                        .sampled = true};
    const uint32_t texels[TEXELS_WIDE] = {value, value, value, value};
    const struct vkb_image_region region = {.extent = {TEXELS_WIDE, 1, 1}, .row_texels = TEXELS_WIDE, .slice_rows = 1};
    struct vkb_buffer *buffer = make_buffer(sizeof(texels), false);
    struct vkb_image *image = NULL;
    struct vkb_enqueue enqueue = on(queue);
    OK(vkb_image_create(device, &info, &image));
    write_now(queue, buffer, 0, texels, sizeof(texels));
    OK(vkb_cmd_buffer_to_image(&enqueue, buffer, image, &region));
    OK(vkb_queue_wait(queue));
    vkb_buffer_release(buffer);
    return image;
}

static void launch(struct vkb_queue *queue, const struct kernel *kernel, struct vkb_image *image,
                   struct vkb_buffer *out, uint32_t at)
{
    const struct argument args[] = {
        {.image = image, .number = clc_image_word(ORDER_R, TYPE_UNSIGNED32)}, {.buffer = out}, {.number = at}};
    run_kernel(queue, kernel, args, 3, LOCAL, NULL, true);
}

static struct vkb_buffer *zeros(struct vkb_queue *queue, uint32_t slots)
{
    uint32_t *data = calloc(slots, 16);
    struct vkb_buffer *buffer = make_buffer(slots * 16, false);
    write_now(queue, buffer, 0, data, slots * 16);
    free(data);
    return buffer;
}

static void test_found_again(struct vkb_queue *queue, const struct kernel *kernel)
{
    struct vkb_image *images[] = {make_texels(queue, 3), make_texels(queue, 5)};
    struct vkb_buffer *out = zeros(queue, 2);
    uint32_t got[8], want[2] = {0};
    forget();
    for (int i = 0; i < 20; i++) {
        launch(queue, kernel, images[0], out, 0);
        want[0] = want[0] * 7 + 3;
    }
    CHECK(atomic_load(&written) == 1 && atomic_load(&bound) <= 4); /* once in each batch */
    for (int i = 0; i < 20; i++) {
        launch(queue, kernel, images[i % 2], out, 1);
        want[1] = want[1] * 7 + (i % 2 ? 5 : 3);
        if (i % 5 == 0)
            OK(vkb_queue_wait(queue));
    }
    CHECK(atomic_load(&written) == 2 && atomic_load(&allocated) == 2);
    read_now(queue, out, 0, got, sizeof(got));
    for (int i = 0; i < 8; i++)
        CHECK(got[i] == want[i / 4]);
    vkb_image_release(images[0]);
    vkb_image_release(images[1]);
    vkb_buffer_release(out);
}

/* Releases the image when no batch has it any more. */
static void release_last(struct vkb_queue *queue, struct vkb_image *image)
{
    OK(vkb_queue_wait(queue));
    while (atomic_load(&image->refs) > 1)
        usleep(100); /* another thread is about to let go of it */
    vkb_image_release(image);
}

/* More images than sets are kept, all in launches of one moment, and gone before these have ended. */
static void test_many(struct vkb_queue *queue, const struct kernel *kernel)
{
    struct vkb_image *images[MANY];
    struct vkb_buffer *out = zeros(queue, MANY);
    uint32_t *got = calloc(MANY, 16), wrong = 0;
    for (uint32_t i = 0; i < MANY; i++)
        images[i] = make_texels(queue, i + 1);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++)
            launch(queue, kernel, images[i], out, i);
    }
    for (uint32_t i = 0; i < MANY; i++)
        vkb_image_release(images[i]);
    read_now(queue, out, 0, got, MANY * 16);
    for (uint32_t i = 0; i < MANY * 4; i++)
        wrong += got[i] != (i / 4 + 1) * 8;
    CHECK(!wrong);
    vkb_memory_trim(device);
    /* What was kept serves again: one image after the other needs no new set, and all but those that survived the
     * trim, of which there are few, are written; */
    forget();
    for (uint32_t i = 0; i < MANY; i++) {
        struct vkb_image *image = make_texels(queue, i);
        launch(queue, kernel, image, out, i);
        release_last(queue, image);
        vkb_memory_trim(device);
    }
    CHECK(atomic_load(&written) >= MANY - MANY / 100 && atomic_load(&written) <= MANY && atomic_load(&allocated) == 0);
    /* and one that is kept itself still has its set. */
    forget();
    for (uint32_t i = 0; i < MANY; i++) {
        struct vkb_image *image = make_texels(queue, i);
        launch(queue, kernel, image, out, 0);
        release_last(queue, image);
    }
    CHECK(atomic_load(&written) == 1);
    vkb_memory_trim(device);
    vkb_buffer_release(out);
    free(got);
}

/* Two queues and two kernels of one source share their shader, and so its sets. */
static void test_shared(struct vkb_queue *queue, const struct kernel *kernel)
{
    struct vkb_queue *other = make_queue(0);
    struct kernel twin = make_kernel(add_source, "-cl-std=CL3.0");
    struct vkb_image *image = make_texels(queue, 9);
    struct vkb_buffer *out = zeros(queue, 2);
    uint32_t got[8];
    forget();
    launch(queue, kernel, image, out, 0);
    launch(other, &twin, image, out, 1);
    OK(vkb_queue_wait(queue));
    OK(vkb_queue_wait(other));
    CHECK(atomic_load(&written) == 1);
    read_now(queue, out, 0, got, sizeof(got));
    CHECK(got[0] == 9 && got[7] == 9);
    free_kernel(&twin);
    vkb_queue_release(other);
    vkb_image_release(image);
    vkb_buffer_release(out);
}

static void test_all(void)
{
    struct vkb_queue *queue = make_queue(0);
    struct kernel kernel = make_kernel(add_source, "-cl-std=CL3.0");
    real = device->vk;
    device->vk.vkUpdateDescriptorSets = count_write;
    device->vk.vkAllocateDescriptorSets = count_allocate;
    device->vk.vkCmdBindDescriptorSets = count_bind;
    test_found_again(queue, &kernel);
    test_many(queue, &kernel);
    test_shared(queue, &kernel);
    device->vk = real;
    free_kernel(&kernel);
    vkb_queue_release(queue);
}

int main(void)
{
    return test_devices(test_all);
}
