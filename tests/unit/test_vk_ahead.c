/* What a first launch and a first read need is made when there is a queue, once for a device. */
#include "vk_test.h"

#include "vk/memory/staging.h"
#include "vk/queue/batch.h"

enum { COUNT = 1000 };

static uint32_t num_unused(struct vkb_queue *queue)
{
    uint32_t count = 0;
    pthread_mutex_lock(&queue->unused_lock);
    for (const struct batch *batch = queue->unused; batch; batch = batch->next)
        count++;
    pthread_mutex_unlock(&queue->unused_lock);
    return count;
}

static bool is_ready(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool ready = queue->ready != NULL;
    vkb_queue_unlock(queue);
    return ready && num_unused(queue) >= 2;
}

static uint32_t num_chunks(enum staging_kind kind)
{
    pthread_mutex_lock(&device->staging->lock);
    uint32_t count = device->staging->num_unused[kind];
    pthread_mutex_unlock(&device->staging->lock);
    return count;
}

/* A launch whose result is read. */
static void use(struct vkb_queue *queue)
{
    struct vkb_buffer *a = make_buffer(COUNT * 4, true), *b = make_buffer(COUNT * 4, true);
    struct vkb_enqueue enqueue = on(queue);
    uint32_t in[COUNT], out[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i * 7;
    write_now(queue, a, 0, in, sizeof(in));
    OK(add(&enqueue, a, b, COUNT, 5, false));
    read_now(queue, b, 0, out, sizeof(out));
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == in[i] + 5);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
}

static void test_ahead(void)
{
    bool prompt = device->prompt;
    /* without it, as where the driver is quick */
    device->prompt = false;
    atomic_store(&device->made_ahead, false);
    struct vkb_queue *late = make_queue(0);
    CHECK(!atomic_load(&device->made_ahead));
    device->prompt = true;
    struct vkb_queue *first = make_queue(VKB_QUEUE_PROFILING), *second = make_queue(0);
    for (int i = 0; i < 5000 && !(is_ready(first) && num_chunks(STAGING_DOWNLOAD)); i++)
        usleep(1000);
    CHECK(is_ready(first) && num_unused(first) == 2);
    CHECK(num_chunks(STAGING_DOWNLOAD) == 1);
    CHECK(!is_ready(late) && !is_ready(second));
    const struct batch *made = first->ready;
    struct batch *batch;
    pthread_mutex_lock(&first->lock);
    OK(vkb_batch_open(first, &batch));
    CHECK(batch == made);
    vkb_queue_unlock(first);
    use(first);
    use(second);
    use(late);
    vkb_queue_release(first);
    vkb_queue_release(second);
    vkb_queue_release(late);
    device->prompt = prompt;
}

/* A queue that is used, or given up, while the thread is at it. */
static void test_at_once(void)
{
    bool prompt = device->prompt;
    device->prompt = true;
    for (int i = 0; i < 200; i++) {
        atomic_store(&device->made_ahead, false);
        struct vkb_queue *queue = make_queue(0);
        for (int k = 0; k < i % 4; k++)
            use(queue);
        vkb_queue_release(queue);
    }
    device->prompt = prompt;
}

static void test_device(void)
{
    make_shaders();
    test_ahead();
    test_at_once();
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    return test_devices(test_device);
}
