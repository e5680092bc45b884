/* libva, opened when a display is named for the first time and then kept: programs without it pay nothing. The functions
 * are those that the process has already, and else the system's. */
#include "src/va/private.h"

#include "base/log.h"

#include <dlfcn.h>
#include <stdlib.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct va_functions functions; /* guarded by loading until they are loaded */

static void *find_symbol(void *library, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol || !library ? symbol : dlsym(library, name);
}

static bool load(void)
{
    void *library = dlopen("libva.so.2", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = true;
#define X(result, name, parameters)                                                                                    \
    *(void **)&functions.name = find_symbol(library, #name);                                                           \
    complete = complete && functions.name;
    VA_FUNCTIONS(X)
#undef X
    return complete;
}

static const struct va_functions *find_library(void)
{
    pthread_mutex_lock(&loading);
    if (!functions.loaded)
        functions.usable = load();
    functions.loaded = true;
    pthread_mutex_unlock(&loading);
    return functions.usable ? &functions : NULL;
}

cl_int ocl_va_open(const char *function, void *display, struct ocl_va **va)
{
    const struct va_functions *calls = display ? find_library() : NULL;
    if (!display)
        return ocl_fail(NULL, function, OCL_INVALID_VA_API_ADAPTER, "no VADisplay");
    if (!calls)
        return ocl_fail(NULL, function, OCL_INVALID_VA_API_ADAPTER, "there is no libva.so.2 that has all functions");
    if (!calls->vaDisplayIsValid(display))
        return ocl_fail(NULL, function, OCL_INVALID_VA_API_ADAPTER, "libva does not know the VADisplay");
    *va = calloc(1, sizeof(**va));
    if (!*va)
        return CL_OUT_OF_HOST_MEMORY;
    atomic_init(&(*va)->refs, 1);
    (*va)->display = display;
    (*va)->calls = calls;
    pthread_mutex_init(&(*va)->lock, NULL);
    return CL_SUCCESS;
}

struct ocl_va *ocl_va_retain(struct ocl_va *va)
{
    atomic_fetch_add_explicit(&va->refs, 1, memory_order_relaxed);
    return va;
}

void ocl_va_release(struct ocl_va *va)
{
    if (!va || atomic_fetch_sub(&va->refs, 1) != 1)
        return;
    pthread_mutex_destroy(&va->lock);
    free(va);
}

bool ocl_va_pci_id(struct ocl_va *va, uint32_t *vendor, uint32_t *device)
{
    struct va_display_attribute id = {.type = VA_PCI_ID};
    pthread_mutex_lock(&va->lock);
    int status = va->calls->vaGetDisplayAttributes(va->display, &id, 1);
    pthread_mutex_unlock(&va->lock);
    *vendor = (uint32_t)id.value >> 16 & 0xffff;
    *device = (uint32_t)id.value & 0xffff;
    return status == VA_SUCCESS && *vendor;
}
