/* Entry points for a process that is traced (PUMICE_TRACE, base/trace.h): each writes a span and calls the ordinary
 * one. Objects of such a process begin with a dispatch table of these. Others never come here, so that a call costs no
 * test. Programs that are linked to libOpenCL.so as Pumice installs it call the ordinary functions directly: of their
 * calls the trace shows only what they lead to. */
#include "src/api/dispatch.h"
#include "src/api/functions.h"
#include "src/api/interop.h"
#include "src/api/queries.h"
#include "src/command/semaphore.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/recorded/command_buffer.h"

#include "base/trace.h"
#include "base/util.h"

#include <string.h>

#include "api_traced.h"

#define traced_clGetExtensionFunctionAddress            clGetExtensionFunctionAddress
#define traced_clGetExtensionFunctionAddressForPlatform clGetExtensionFunctionAddressForPlatform

const struct ocl_dispatch_table ocl_traced_dispatch = {
    .entries =
        {
#define TAG(name)                .name = (void *)OCL_ICD2_TAG,
#define ENTRY(name)              .name = traced_##name,
#define ENTRY_AS(name, function) .name = (void *)function,
#include "src/api/dispatch.def"
#ifdef OCL_HEADERS_HAVE_31
            .clGetKernelSuggestedLocalWorkSize = traced_clGetKernelSuggestedLocalWorkSize,
#endif
        },
#ifndef OCL_HEADERS_HAVE_31
    .clGetKernelSuggestedLocalWorkSize = traced_clGetKernelSuggestedLocalWorkSize,
#endif
};

void *ocl_find_wrapper(const struct wrapped_function *functions, size_t count, const char *name, void *address)
{
    for (size_t i = 0; i < count; i++) {
        const struct wrapped_function *function = &functions[i];
        if (function->address ? function->address == address : strcmp(function->name, name) == 0) {
            /* Threads that ask at the same time write the same. */
            if (!function->address)
                __atomic_store_n(function->original, address, __ATOMIC_RELAXED);
            return function->wrapper;
        }
    }
    return address;
}

void *ocl_traced_function(const char *name, void *address)
{
    return ocl_find_wrapper(traced_functions, ARRAY_LENGTH(traced_functions), name, address);
}
