/* A Vulkan layer that plays a watchdog: a submission that takes longer than PUMICE_TEST_WATCHDOG_MS loses the device, as
 * the driver of a desktop's or a phone's GPU has it. It waits for each submission, so that nothing of a lost device runs
 * on. With PUMICE_TEST_WATCHDOG_SILENT=1 waits do not tell that before a submission has, as NVIDIA's driver has it: they
 * time out. Another device that is made afterwards works again. Nothing of it is installed. One instance and one device at a
 * time. */
#include "tests/support/layer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static VkDevice device;
static PFN_vkQueueSubmit next_submit;
static PFN_vkCreateFence next_create_fence;
static PFN_vkDestroyFence next_destroy_fence;
static PFN_vkWaitForFences next_wait;
static PFN_vkWaitSemaphores next_wait_semaphores;
static PFN_vkGetSemaphoreCounterValue next_value;
static atomic_bool lost, told;

static uint64_t limit_ns(void)
{
    const char *text = getenv("PUMICE_TEST_WATCHDOG_MS");
    return text ? strtoull(text, NULL, 10) * 1000000 : UINT64_MAX;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                           VkFence given)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    if (lost) {
        told = true;
        return VK_ERROR_DEVICE_LOST;
    }
    VkResult result = next_submit(queue, count, infos, given);
    if (result != VK_SUCCESS || next_create_fence(device, &info, NULL, &fence) != VK_SUCCESS)
        return result;
    if (next_submit(queue, 0, NULL, fence) == VK_SUCCESS &&
        next_wait(device, 1, &fence, VK_TRUE, limit_ns()) == VK_TIMEOUT) {
        lost = true;
        next_wait(device, 1, &fence, VK_TRUE, UINT64_MAX);
    }
    next_destroy_fence(device, fence, NULL);
    return VK_SUCCESS;
}

static bool is_silent(void)
{
    const char *text = getenv("PUMICE_TEST_WATCHDOG_SILENT");
    return !told && text && !strcmp(text, "1");
}

/* What a wait on a lost device returns. */
static VkResult wait_in_vain(uint64_t timeout_ns)
{
    const struct timespec time = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    if (!is_silent())
        return VK_ERROR_DEVICE_LOST;
    nanosleep(&time, NULL);
    return VK_TIMEOUT;
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                             VkBool32 all, uint64_t timeout)
{
    return lost ? wait_in_vain(timeout) : next_wait(handle, count, fences, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                              uint64_t timeout)
{
    return lost ? wait_in_vain(timeout) : next_wait_semaphores(handle, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                                        uint64_t *value)
{
    if (lost && is_silent()) {
        *value = 0;
        return VK_SUCCESS;
    }
    return lost ? VK_ERROR_DEVICE_LOST : next_value(handle, semaphore, value);
}

static VKAPI_ATTR VkResult VKAPI_CALL watchdog_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkResult result = layer_create_device(physical, info, allocator, handle);
    if (result != VK_SUCCESS)
        return result;
    device = *handle;
    lost = told = false;
    next_submit = (PFN_vkQueueSubmit)next_device_proc(device, "vkQueueSubmit");
    next_create_fence = (PFN_vkCreateFence)next_device_proc(device, "vkCreateFence");
    next_destroy_fence = (PFN_vkDestroyFence)next_device_proc(device, "vkDestroyFence");
    next_wait = (PFN_vkWaitForFences)next_device_proc(device, "vkWaitForFences");
    next_wait_semaphores = (PFN_vkWaitSemaphores)next_device_proc(device, "vkWaitSemaphores");
    next_value = (PFN_vkGetSemaphoreCounterValue)next_device_proc(device, "vkGetSemaphoreCounterValue");
    return result;
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {
        LAYER_ROW(watchdog, CreateDevice),
        LAYER_ROW(watchdog, QueueSubmit),
        LAYER_ROW(watchdog, WaitForFences),
        LAYER_ROW(watchdog, WaitSemaphores),
        LAYER_ROW(watchdog, GetSemaphoreCounterValue),
        {"vkWaitSemaphoresKHR", (PFN_vkVoidFunction)watchdog_WaitSemaphores},
        {"vkGetSemaphoreCounterValueKHR", (PFN_vkVoidFunction)watchdog_GetSemaphoreCounterValue}};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(true)
