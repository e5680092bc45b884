/* Which matrices the device's sub-groups multiply (VK_KHR_cooperative_matrix, which is newer than some systems'
 * headers). */
#include "vk/device/backend.h"
#include "vk/device/device.h"

#include "base/util.h"

#include <stdlib.h>

enum { MATRICES = 1000506001, MATRIX_PROPERTIES = 1000506002, SCOPE_SUBGROUP = 3 };
enum { BFLOAT16 = 1000141000, E4M3 = 1000491002, E5M2 = 1000491003 }; /* VkComponentTypeKHR */

/* VkCooperativeMatrixPropertiesKHR */
struct matrices {
    VkStructureType sType;
    void *pNext;
    uint32_t MSize, NSize, KSize, AType, BType, CType, ResultType;
    VkBool32 saturatingAccumulation;
    uint32_t scope;
};

/* VkPhysicalDeviceCooperativeMatrixPropertiesKHR */
struct matrix_properties {
    VkStructureType sType;
    void *pNext;
    VkShaderStageFlags cooperativeMatrixSupportedStages;
};

typedef VkResult(VKAPI_PTR *get_matrices)(VkPhysicalDevice device, uint32_t *count, struct matrices *list);

static bool in_kernels(const struct vkb_device *device)
{
    struct matrix_properties matrix = {.sType = (VkStructureType)MATRIX_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &matrix};
    vkGetPhysicalDeviceProperties2(device->physical, &all);
    return matrix.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
}

static bool is_enabled(const struct vkb_caps *caps, uint32_t number)
{
    return number == BFLOAT16 ? caps->bfloat16_matrix : number == E4M3 || number == E5M2 ? caps->float8_matrix : true;
}

static void take(struct vkb_caps *caps, const struct matrices *m)
{
    if (m->scope != SCOPE_SUBGROUP || caps->num_matrices == VKB_MOST_MATRICES || !is_enabled(caps, m->AType) ||
        !is_enabled(caps, m->BType) || !is_enabled(caps, m->CType) || !is_enabled(caps, m->ResultType))
        return;
    caps->matrices[caps->num_matrices++] = (struct vkb_matrices){
        m->MSize, m->NSize, m->KSize, m->AType, m->BType, m->CType, m->ResultType, m->saturatingAccumulation};
}

void vkb_matrices_query(struct vkb_device *device)
{
    struct vkb_caps *caps = &device->caps;
    uint32_t count = 0;
    get_matrices get = (get_matrices)vkGetInstanceProcAddr(device->instance->handle,
                                                           "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    if (get && in_kernels(device) && get(device->physical, &count, NULL) == VK_SUCCESS && count) {
        struct matrices *list = calloc(count, sizeof(*list));
        for (uint32_t i = 0; list && i < count; i++)
            list[i].sType = (VkStructureType)MATRICES;
        if (list && get(device->physical, &count, list) >= VK_SUCCESS) {
            for (uint32_t i = 0; i < count; i++)
                take(caps, &list[i]);
        }
        free(list);
    }
    caps->cooperative_matrix = caps->num_matrices != 0;
}
