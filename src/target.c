/* The compiler's view of a device, completed by the probe.
 *
 * Vulkan 1.3, Precision and Operation of SPIR-V Instructions, promises little: float add, subtract and multiply are
 * correctly rounded, most of the rest is looser than OpenCL C 3.0, 7.4 asks. So a function counts as CLC_NATIVE_NO, and
 * a library body is used, until the probe of this very driver has shown better. The probe runs when a program is first
 * built for the device, or when a query depends on its results. */
#include "src/cache.h"
#include "src/device.h"
#include "src/probe.h"

#include "base/thread.h"
#include "base/trace.h"
#include "base/util.h"

#include <stdlib.h>

static void probe(void *data)
{
    cl_device_id device = data;
    struct probe_report report;
    uint64_t began = time_ns();
    probe_device(device->vk, &device->target, ocl_cache_directory(), &report);
    if (trace_enabled())
        trace_span("stage", "probe of the device", began, NULL);
    probe_apply(&report, &device->target);
}

static void look(void *data)
{
    cl_device_id device = data;
    device->progress = probe_progress(device->vk, &device->target, ocl_cache_directory());
}

void ocl_device_look(cl_device_id device)
{
    if (atomic_load_explicit(&device->knows_progress, memory_order_acquire))
        return;
    ocl_lock(&device->probe_mutex);
    if (!atomic_load_explicit(&device->knows_progress, memory_order_relaxed)) {
        thread_run(look, device);
        char *extensions = device->progress ? ocl_extensions_string(device) : NULL;
        char *macros = device->progress ? ocl_extension_macros(device) : NULL;
        device->progress = extensions && macros;
        if (device->progress) { /* nobody has read the old ones: who does comes by here */
            free(device->extensions);
            free(device->macros);
            device->extensions = extensions;
            device->target.extensions = device->macros = macros;
        } else {
            free(extensions);
            free(macros);
        }
        atomic_store_explicit(&device->knows_progress, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
}

const struct clc_target *ocl_device_target(cl_device_id device)
{
    ocl_device_look(device);
    if (atomic_load_explicit(&device->probed, memory_order_acquire))
        return &device->target;
    ocl_lock(&device->probe_mutex);
    if (!atomic_load_explicit(&device->probed, memory_order_relaxed)) {
        thread_run(probe, device); /* it compiles; without a thread nothing is native */
        atomic_store_explicit(&device->probed, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
    return &device->target;
}
