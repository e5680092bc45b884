/* Large transfers take staging memory for their parts, small slots where these are small. */
#include "vk_test.h"

#include "vk/memory/staging.h"

enum { LARGEST = 40 << 20 };

static uint32_t num_slots(int size)
{
    pthread_mutex_lock(&device->staging->lock);
    uint32_t count = device->staging->num_slots[size];
    pthread_mutex_unlock(&device->staging->lock);
    return count;
}

/* A transfer that goes by way of slots, there and back. */
static void transfer(struct vkb_queue *queue, uint64_t size)
{
    static uint8_t data[LARGEST], got[LARGEST];
    struct vkb_buffer *buffer = make_buffer(size, true);
    struct vkb_enqueue enqueue = on(queue);
    fill_random(data, size);
    OK(vkb_cmd_write(&enqueue, buffer, 0, size, data, true));
    read_now(queue, buffer, 0, got, size);
    CHECK(memcmp(data, got, size) == 0);
    vkb_buffer_release(buffer);
}

static void test_slots(void)
{
    struct vkb_queue *queue = make_queue(0);
    vkb_staging_trim(device);
    transfer(queue, (1 << 20) + 1);
    CHECK(num_slots(0) >= 2 && num_slots(0) <= 4 && !num_slots(1) && !num_slots(2));
    transfer(queue, 4 << 20);
    CHECK(num_slots(0) == 4 && !num_slots(1) && !num_slots(2));
    transfer(queue, 8 << 20);
    CHECK(num_slots(0) == 4 && num_slots(1) == 4 && !num_slots(2));
    transfer(queue, LARGEST);
    CHECK(num_slots(0) == 4 && num_slots(1) == 4 && num_slots(2) == 4);
    transfer(queue, 3 << 20);
    CHECK(num_slots(0) == 4 && num_slots(1) == 4 && num_slots(2) == 4);
    vkb_staging_trim(device);
    CHECK(!num_slots(0) && !num_slots(1) && !num_slots(2));
    vkb_queue_release(queue);
}

int main(void)
{
    return test_devices(test_slots);
}
