/* What a driver's compiler made of a shader: registers, spills, instructions and whatever else the driver counts
 * (VK_KHR_pipeline_executable_properties). A pipeline may consist of several executables, such as one for each width of
 * vectors; then each one's numbers have its name before theirs. */
#include "vk/device/device.h"
#include "vk/shader/shader.h"

#include <stdio.h>
#include <stdlib.h>

static double number_of(const VkPipelineExecutableStatisticKHR *from)
{
    switch (from->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return from->value.b32 ? 1.0 : 0.0;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)from->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)from->value.u64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
        return from->value.f64;
    default:
        return 0.0;
    }
}

/* prefix: "" or the executable's name. */
static void add(struct vkb_measured *measured, const char *prefix, const VkPipelineExecutableStatisticKHR *from)
{
    if (measured->count == VKB_MAX_STATISTICS)
        return;
    struct vkb_statistic *to = &measured->statistics[measured->count++];
    snprintf(to->name, sizeof(to->name), "%.40s%s%.52s", prefix, prefix[0] ? ": " : "", from->name);
    to->is_whole = from->format != VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
    to->value = number_of(from);
}

static void ask_executable(struct vkb_device *device, VkPipeline handle, uint32_t index, const char *prefix,
                           struct vkb_measured *measured)
{
    const VkPipelineExecutableInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = handle,
        .executableIndex = index,
    };
    uint32_t count = VKB_MAX_STATISTICS;
    VkPipelineExecutableStatisticKHR *list = calloc(count, sizeof(*list));
    for (uint32_t i = 0; list && i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    /* VK_INCOMPLETE: there are more than anybody reads */
    if (list && device->vk.vkGetPipelineExecutableStatisticsKHR(device->handle, &which, &count, list) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++)
            add(measured, prefix, &list[i]);
    }
    free(list);
}

static void ask(struct vkb_device *device, VkPipeline handle, struct vkb_measured *measured)
{
    enum { MOST = 8 };
    const VkPipelineInfoKHR pipeline = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = handle};
    VkPipelineExecutablePropertiesKHR *list = calloc(MOST, sizeof(*list));
    uint32_t count = MOST;
    for (uint32_t i = 0; list && i < MOST; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    if (list &&
        device->vk.vkGetPipelineExecutablePropertiesKHR(device->handle, &pipeline, &count, list) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++)
            ask_executable(device, handle, i, count > 1 ? list[i].name : "", measured);
        measured->subgroup_size = count ? list[0].subgroupSize : 0;
    }
    free(list);
}

enum vkb_result vkb_shader_measure(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                                   uint32_t subgroup_size, struct vkb_measured *measured)
{
    struct vkb_device *device = vkb_shader_device(shader);
    const struct pipeline_request request = {
        .values = spec_values,
        .count = count,
        .subgroup_size = subgroup_size,
        .flags = device->has_statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
    };
    VkPipeline handle = VK_NULL_HANDLE;
    *measured = (struct vkb_measured){0};
    if (vkb_device_is_useless(device))
        return VKB_DEVICE_LOST;
    if ((subgroup_size && !device->caps.subgroup_size_control) || vkb_shader_wants_formats(shader))
        return VKB_UNSUPPORTED;
    uint64_t began = time_ns();
    enum vkb_result result = vkb_shader_make(shader, &request, &handle);
    measured->time_ns = time_ns() - began;
    vkb_exit_pipeline_made();
    if (result != VKB_SUCCESS)
        return result;
    if (device->has_statistics)
        ask(device, handle, measured);
    device->vk.vkDestroyPipeline(device->handle, handle, NULL);
    return VKB_SUCCESS;
}
