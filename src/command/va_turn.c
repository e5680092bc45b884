/* Surfaces of VA-API change hands: as memory of others does, and in order with what VA-API does. That has no fences which
 * OpenCL could wait for or give, so the host waits at each turn (cl_intel_va_api_media_sharing: "any VA API calls ... made
 * before clEnqueueAcquireVA_APIMediaSurfacesINTEL"). */
#include "src/command/va_turn.h"

#include "src/command/external_turn.h"
#include "src/object/context.h"
#include "src/object/queue.h"
#include "src/object/va_memory.h"

#include <stdlib.h>

struct turn_wait {
    struct ocl_va *va; /* a reference */
    uint32_t surface;
};

static int32_t wait_for(void *data, bool run)
{
    struct turn_wait *wait = data;
    cl_int status = run ? ocl_va_sync(wait->va, wait->surface) : CL_SUCCESS;
    ocl_va_release(wait->va);
    free(wait);
    return status;
}

static enum vkb_result enqueue_wait(struct ocl_command *command, const struct ocl_va_origin *origin)
{
    struct vkb_enqueue step;
    struct turn_wait *wait = malloc(sizeof(*wait));
    enum vkb_result result = wait ? ocl_command_step(command, &step) : VKB_OUT_OF_HOST_MEMORY;
    if (result != VKB_SUCCESS) {
        free(wait);
        return result;
    }
    *wait = (struct turn_wait){ocl_va_retain(origin->va), origin->surface};
    result = vkb_cmd_host_status(&step, wait_for, wait);
    if (result != VKB_SUCCESS)
        wait_for(wait, false);
    return result;
}

/* Planes of one surface follow each other in most lists. */
static enum vkb_result enqueue_waits(struct ocl_command *command, cl_uint count, const cl_mem *mems)
{
    enum vkb_result result = VKB_SUCCESS;
    for (cl_uint i = 0; i < count && result == VKB_SUCCESS; i++) {
        if (!i || mems[i]->va->surface != mems[i - 1]->va->surface)
            result = enqueue_wait(command, mems[i]->va);
    }
    return result;
}

cl_int ocl_va_turn(struct ocl_command *command, cl_uint count, const cl_mem *mems, bool acquire)
{
    bool waits = !command->queue->context->user_sync;
    if (waits && acquire) {
        enum vkb_result result = enqueue_waits(command, count, mems);
        if (result != VKB_SUCCESS)
            return ocl_command_fail(command, ocl_from_vkb(result));
    }
    return ocl_external_turn(command, count, mems, acquire, waits && !acquire);
}
