/* Waits for a GPU whose turns take long, because other processes use it, too: played by a semaphore that another thread
 * signals some milliseconds later. */
#include "vk_test.h"

#include "vk/queue/wait.h"

#include <time.h>

enum { TURN_US = 3000, TURNS = 30, WARM = 10, BYTES = 256 };

static VkSemaphore gate;
static struct vkb_buffer *a, *b;

static void *open_gate(void *data)
{
    const VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = *(uint64_t *)data};
    usleep(TURN_US);
    CHECK(device->vk.vkSignalSemaphore(device->handle, &go) == VK_SUCCESS);
    return NULL;
}

static void close_gate(uint64_t value)
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
        .pWaitSemaphores = &gate,
        .pWaitDstStageMask = &stages,
    };
    CHECK(device->vk.vkQueueSubmit(device->queues[0].handle, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS);
}

static uint64_t ns_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Adds the processor's and the whole time of one wait. */
static void wait_turn(struct vkb_queue *queue, uint64_t value, uint64_t *worked, uint64_t *waited)
{
    pthread_t thread;
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    close_gate(value);
    OK(vkb_cmd_copy(&enqueue, a, 0, b, 0, BYTES));
    OK(vkb_queue_flush(queue));
    CHECK(pthread_create(&thread, NULL, open_gate, &value) == 0);
    uint64_t began = ns_of(CLOCK_MONOTONIC), cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
    OK(vkb_event_wait(event, UINT64_MAX));
    *worked += ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    *waited += ns_of(CLOCK_MONOTONIC) - began;
    pthread_join(thread, NULL);
    vkb_event_release(event);
}

static void test_crowd(void)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    uint64_t worked = 0, waited = 0, ignored = 0;
    CHECK(device->vk.vkCreateSemaphore(device->handle, &info, NULL, &gate) == VK_SUCCESS);
    struct vkb_queue *queue = make_queue(0);
    for (uint64_t i = 1; i <= TURNS; i++)
        wait_turn(queue, i, i > WARM ? &worked : &ignored, i > WARM ? &waited : &ignored);
    CHECK(atomic_load(&device->turn_ns) > TURN_US * 500);
    CHECK(worked < waited / 8);
    if (worked >= waited / 8)
        printf("%llu of %llu us\n", (unsigned long long)worked / 1000, (unsigned long long)waited / 1000);
    /* It is over as soon as the others are gone. */
    for (int i = 0; i < 16; i++)
        vkb_wait_note_turn(device, 20000);
    CHECK(atomic_load(&device->turn_ns) < 100000);
    vkb_queue_release(queue);
    device->vk.vkDestroySemaphore(device->handle, gate, NULL);
}

static void test_device(void)
{
    uint64_t spin_ns = device->spin_ns;
    uint32_t doze_us = device->caps.doze_us;
    device->spin_ns = 1000000; /* as on GPUs */
    device->caps.doze_us = 1000;
    a = make_buffer(BYTES, false);
    b = make_buffer(BYTES, false);
    test_crowd();
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    device->spin_ns = spin_ns;
    device->caps.doze_us = doze_us;
}

int main(void)
{
    return test_devices(test_device);
}
