/* The compiler's view of a device, completed by the probe.
 *
 * Vulkan 1.3, Precision and Operation of SPIR-V Instructions, promises little: float add, subtract and multiply are
 * correctly rounded, most of the rest is looser than OpenCL C 3.0, 7.4 asks. So a function counts as CLC_NATIVE_NO, and
 * a library body is used, until the probe of this very driver has shown better.
 *
 * The probe runs when a program is first built for the device, or when somebody first asks whether it keeps subnormals
 * (CL_DEVICE_SINGLE_FP_CONFIG), unless an earlier process has left the answer. One query runs no kernel: kernels need
 * threads of ours and of the driver's, and a plug-in's constructor asks while it keeps them from going on. It is called
 * with the dynamic loader's lock, for which a new thread, or one that first calls a function of another library, waits.
 * It is told that subnormals may be flushed. What a process was told once stays: the probe that comes later changes
 * what the compiler does, and no answer. */
#include "src/device/cache_directory.h"
#include "src/device/device.h"
#include "src/device/loader_lock.h"
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

/* The device's probe_mutex is held. */
static void need_probe(cl_device_id device)
{
    if (atomic_load_explicit(&device->probed, memory_order_relaxed))
        return;
    thread_run(probe, device); /* it compiles; without a thread nothing is native */
    thread_run(look_for_progress, device);
    atomic_store_explicit(&device->probed, true, memory_order_release);
}

static void need_known(cl_device_id device)
{
    struct probe_report report;
    if (atomic_load_explicit(&device->probed, memory_order_relaxed) ||
        !probe_device_known(device->vk, ocl_cache_directory(), &report))
        return;
    probe_apply(&report, &device->target);
    atomic_store_explicit(&device->probed, true, memory_order_release);
}

const struct ocl_subnormals *ocl_device_subnormals(cl_device_id device)
{
    if (atomic_load_explicit(&device->knows_subnormals, memory_order_acquire))
        return &device->subnormals;
    ocl_device_look(device);
    ocl_lock(&device->probe_mutex);
    if (!atomic_load_explicit(&device->knows_subnormals, memory_order_relaxed)) {
        need_known(device);
        if (!atomic_load_explicit(&device->probed, memory_order_relaxed) && !ocl_loader_lock_is_held())
            need_probe(device);
        device->subnormals = (struct ocl_subnormals){device->target.denorms_kept16, device->target.denorms_kept32};
        atomic_store_explicit(&device->knows_subnormals, true, memory_order_release);
    }
    ocl_unlock(&device->probe_mutex);
    return &device->subnormals;
}

const struct clc_target *ocl_device_target(cl_device_id device)
{
    ocl_device_look(device);
    if (atomic_load_explicit(&device->probed, memory_order_acquire))
        return &device->target;
    ocl_lock(&device->probe_mutex);
    need_probe(device);
    ocl_unlock(&device->probe_mutex);
    return &device->target;
}

const struct clc_target *ocl_device_known_target(cl_device_id device)
{
    ocl_lock(&device->probe_mutex);
    need_known(device);
    ocl_unlock(&device->probe_mutex);
    return &device->target;
}
