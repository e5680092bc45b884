/* The compiler's view of a device, completed by the probe.
 *
 * Vulkan 1.3, Precision and Operation of SPIR-V Instructions, promises little: float add, subtract and multiply are
 * correctly rounded, most of the rest is looser than OpenCL C 3.0, 7.4 asks. So a function counts as CLC_NATIVE_NO, and
 * a library body is used, until the probe of this very driver has shown better.
 *
 * The probe runs when a program is first built for the device, and never for a query: kernels need threads of ours and
 * of the driver's, and an application may ask while it keeps all of them from going on. A plug-in's constructor is
 * called with the dynamic loader's lock, for which a new thread, or one that first calls a function of another library,
 * waits. So until then queries answer what earlier processes have found, and otherwise what the driver promises. */
#include "src/device/cache_directory.h"
#include "src/device/device.h"
#include "src/probe/probe.h"

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

/* For later processes: this one has perhaps told the application already. */
static void look_for_progress(void *data)
{
    cl_device_id device = data;
    bool known, seen;
    known = !device->subgroups || device->caps->compile_only ||
            probe_progress_known(device->vk, ocl_cache_directory(), &seen);
    if (known)
        return;
    struct clc_target own = device->target;
    own.default_subgroup_size = 0; /* what is remembered is of the device's sub-groups */
    probe_progress(device->vk, &own, ocl_cache_directory());
}

/* The device's probe_mutex is held. */
static void find_sharing(cl_device_id device)
{
    if (!atomic_load_explicit(&device->knows_sharing, memory_order_relaxed) &&
        probe_sharing(device->vk, ocl_cache_directory(), &device->sharing))
        atomic_store_explicit(&device->knows_sharing, true, memory_order_release);
}

const struct probe_sharing *ocl_device_sharing(cl_device_id device)
{
    static const struct probe_sharing none;
    if (!atomic_load_explicit(&device->knows_sharing, memory_order_acquire)) {
        ocl_lock(&device->probe_mutex);
        find_sharing(device);
        ocl_unlock(&device->probe_mutex);
    }
    return atomic_load_explicit(&device->knows_sharing, memory_order_acquire) ? &device->sharing : &none;
}

/* No query has read the strings that were made before all was known: queries come by ocl_device_look(). Those offer
 * less, and stay where there is no memory for others. */
static void list_again(cl_device_id device)
{
    char *extensions = ocl_extensions_string(device), *macros = ocl_extension_macros(device);
    bool made = extensions && macros;
    free(made ? device->extensions : extensions);
    free(made ? device->macros : macros);
    if (made) {
        device->extensions = extensions;
        device->target.extensions = device->macros = macros;
    }
}

void ocl_device_look(cl_device_id device)
{
    if (atomic_load_explicit(&device->looked, memory_order_acquire))
        return;
    ocl_lock(&device->probe_mutex);
    if (!atomic_load_explicit(&device->looked, memory_order_relaxed)) {
        find_sharing(device);
        list_again(device);
        atomic_store_explicit(&device->looked, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
}

const struct clc_target *ocl_device_known_target(cl_device_id device)
{
    if (atomic_load_explicit(&device->probed, memory_order_acquire))
        return &device->target;
    ocl_lock(&device->probe_mutex);
    struct probe_report report;
    if (!atomic_load_explicit(&device->probed, memory_order_relaxed) &&
        probe_device_known(device->vk, ocl_cache_directory(), &report)) {
        probe_apply(&report, &device->target);
        atomic_store_explicit(&device->probed, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
    return &device->target;
}

const struct clc_target *ocl_device_target(cl_device_id device)
{
    ocl_device_look(device);
    if (atomic_load_explicit(&device->probed, memory_order_acquire))
        return &device->target;
    ocl_lock(&device->probe_mutex);
    if (!atomic_load_explicit(&device->probed, memory_order_relaxed)) {
        thread_run(probe, device); /* it compiles; without a thread nothing is native */
        thread_run(look_for_progress, device);
        atomic_store_explicit(&device->probed, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
    return &device->target;
}
