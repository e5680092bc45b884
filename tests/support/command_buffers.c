/* Finds the functions of command buffers. */
#include "command_buffers.h"

#include <string.h>

bool find_buffer_functions(cl_platform_id platform, struct buffer_functions *f)
{
    const struct {
        const char *name;
        void *function;
    } table[] = {
        {"clCreateCommandBufferKHR", &f->create},
        {"clRetainCommandBufferKHR", &f->retain},
        {"clReleaseCommandBufferKHR", &f->release},
        {"clFinalizeCommandBufferKHR", &f->finalize},
        {"clEnqueueCommandBufferKHR", &f->enqueue},
        {"clGetCommandBufferInfoKHR", &f->info},
        {"clCommandBarrierWithWaitListKHR", &f->barrier},
        {"clCommandCopyBufferKHR", &f->copy},
        {"clCommandCopyBufferRectKHR", &f->copy_rect},
        {"clCommandFillBufferKHR", &f->fill},
        {"clCommandCopyImageKHR", &f->copy_image},
        {"clCommandCopyImageToBufferKHR", &f->image_to_buffer},
        {"clCommandCopyBufferToImageKHR", &f->buffer_to_image},
        {"clCommandFillImageKHR", &f->fill_image},
        {"clCommandSVMMemcpyKHR", &f->svm_copy},
        {"clCommandSVMMemFillKHR", &f->svm_fill},
        {"clCommandNDRangeKernelKHR", &f->launch},
        {"clUpdateMutableCommandsKHR", &f->update},
        {"clGetMutableCommandInfoKHR", &f->command_info},
        {"clRemapCommandBufferKHR", &f->remap},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(platform, table[i].name);
        if (!address)
            return false;
        memcpy(table[i].function, &address, sizeof(address));
    }
    return true;
}
