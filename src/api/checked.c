/* Entry points for a process whose calls are checked (PUMICE_CHECK, src/checked/): each tells what is called, calls the
 * ordinary one, and tells what came of it. Objects of such a process begin with a dispatch table of these, as those of a
 * process that is traced do (traced.c); a process that is both is checked and not traced. */
#include "src/api/dispatch.h"
#include "src/api/functions.h"
#include "src/api/interop.h"
#include "src/api/queries.h"
#include "src/checked/checked.h"
#include "src/command/semaphore.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/recorded/command_buffer.h"

#include "base/util.h"

#include "checked_args.h"

#include "api_checked.h"

#define checked_clGetExtensionFunctionAddress            clGetExtensionFunctionAddress
#define checked_clGetExtensionFunctionAddressForPlatform clGetExtensionFunctionAddressForPlatform

const struct ocl_dispatch_table ocl_checked_dispatch = {
    .entries =
        {
#define TAG(name)                .name = (void *)OCL_ICD2_TAG,
#define ENTRY(name)              .name = checked_##name,
#define ENTRY_AS(name, function) .name = (void *)function,
#include "src/api/dispatch.def"
#ifdef OCL_HEADERS_HAVE_31
            .clGetKernelSuggestedLocalWorkSize = checked_clGetKernelSuggestedLocalWorkSize,
#endif
        },
#ifndef OCL_HEADERS_HAVE_31
    .clGetKernelSuggestedLocalWorkSize = checked_clGetKernelSuggestedLocalWorkSize,
#endif
};

void *ocl_checked_function(const char *name, void *address)
{
    return ocl_find_wrapper(checked_functions, ARRAY_LENGTH(checked_functions), name, address);
}
