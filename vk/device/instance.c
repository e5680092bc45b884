/* The process's Vulkan instance and the list of physical devices.
 *
 * One instance serves the whole process and is never destroyed: drivers cope badly with instances that go away while
 * threads of theirs live, and the process's end frees it anyway. It is made on the first use, not when the library is
 * loaded. */
#include "vk/device/device.h"
#include "vk/device/pool.h"

#include "base/float_env.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct vkb_instance *the_instance;

/* What work under way is given at exit, and what the driver's own exit handler is given where it is still not done. */
#define EXIT_NS        UINT64_C(2000000000)
#define EXIT_DRIVER_NS UINT64_C(4000000000)

enum phase { PHASE_ALIVE, PHASE_ENDED, PHASE_FORKED };
static atomic_int phase;

bool vkb_gone(void)
{
    return atomic_load_explicit(&phase, memory_order_relaxed) != PHASE_ALIVE;
}

bool vkb_forked(void)
{
    return atomic_load_explicit(&phase, memory_order_relaxed) == PHASE_FORKED;
}

static void end(enum phase reason)
{
    atomic_store(&phase, reason);
    for (uint32_t i = 0; i < the_instance->num_devices; i++)
        atomic_store(&the_instance->devices[i]->lost, true);
}

/* A child has the parent's memory, but neither its threads nor its device, and threads that do not exist in it may hold
 * locks. So nothing of ours works in a child, and its exit leaves everything alone. */
static void in_child(void)
{
    end(PHASE_FORKED);
}

/* In a child, drivers' exit handlers wait for threads that only the parent has: they crash or hang (seen with NVIDIA's
 * 580.159 each time, with lavapipe 25.0.7 now and then), and NVIDIA's talks to the device of the parent, whose results
 * were wrong then. So the child ends before them, and without the handlers that were registered before them. */
static void end_child(int status)
{
    if (status < 0) /* unknown: then the drivers' handlers are the lesser evil */
        return;
    fflush(NULL);
    _exit(status);
}

/* Vulkan is not called any more from here on. Destructors of the application's static objects may run after this, and
 * after the driver's own exit handlers. Their releases do nothing, and everything else answers as on a lost device. */
static void at_exit(int status, void *data)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    (void)data;
    if (atomic_flag_test_and_set(&done))
        return;
    if (vkb_forked()) {
        end_child(status);
        return;
    }
    FLOAT_ENV_DEFAULT();
    uint64_t deadline = time_ns() + EXIT_NS;
    for (uint32_t i = 0; i < the_instance->num_devices; i++)
        the_instance->devices[i]->work->submit_last(the_instance->devices[i], deadline - EXIT_NS / 2);
    vkb_pool_exit(deadline);
    for (uint32_t i = 0; i < the_instance->num_devices; i++)
        the_instance->devices[i]->work->exit(the_instance->devices[i], deadline);
    if (time_ns() >= deadline)
        vkb_exit_watch(status, EXIT_DRIVER_NS);
    end(PHASE_ENDED);
}

/* Drivers that compile on the CPU register exit handlers of their own, on one of their threads, when they compile their
 * first shader. Exit handlers run in the opposite order of their registration, and ours must run before the driver's.
 * So we register it again whenever pipelines were made since the last time: before a submission, behind it, because a
 * layer may make static objects of its own there (the validation layer does), and when a batch is retired, because the
 * driver may have compiled something by then. */
static atomic_uint pipelines_made, made_at[VKB_NUM_EXIT_MOMENTS];

void vkb_exit_pipeline_made(void)
{
    atomic_fetch_add(&pipelines_made, 1);
}

void vkb_exit_renew(enum vkb_exit_moment moment)
{
    uint32_t made = atomic_load_explicit(&pipelines_made, memory_order_relaxed);
    atomic_uint *last = &made_at[moment];
    if (atomic_load_explicit(last, memory_order_relaxed) != made && atomic_exchange(last, made) != made)
        thread_at_exit(at_exit);
}

static struct vkb_device *device_create(struct vkb_instance *instance, VkPhysicalDevice physical)
{
    struct vkb_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    device->instance = instance;
    device->physical = physical;
    pthread_mutex_init(&device->open_lock, NULL);
    pthread_mutex_init(&device->queues_lock, NULL);
    pthread_mutex_init(&device->clock_lock, NULL);
    pthread_mutex_init(&device->cache_lock, NULL);
    pthread_cond_init(&device->cache_loaded, NULL);
    device->work = instance->work;
    device->lost_task = (struct pool_task){.call = device->work->end_lost, .data = device};
    vkb_caps_query(device, instance->api_version);
    return device;
}

/* Devices that are not whole Vulkan ones (MoltenVK's) are listed only if they are asked for. Loaders before 1.3.208 do
 * not know the extension. Creating the instance finds that out; asking for the extensions first would have the loader
 * load all drivers, forget them and load them again, which is half of the time that a process takes to start. */
static VkResult instance_make(struct vkb_instance *instance, bool portability)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pEngineName = "Pumice",
        .apiVersion = instance->api_version,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .flags = portability ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
        .enabledExtensionCount = portability ? 1 : 0,
        .ppEnabledExtensionNames = &(const char *){"VK_KHR_portability_enumeration"},
    };
    return vkCreateInstance(&info, NULL, &instance->handle);
}

static bool instance_init(struct vkb_instance *instance)
{
    if (volkInitialize() != VK_SUCCESS) {
        log_info("libvulkan is not there: no devices");
        return false;
    }
    uint32_t version = volkGetInstanceVersion();
    if (version < VK_API_VERSION_1_1) {
        log_warn("the Vulkan loader is too old (1.0): no devices");
        return false;
    }
    instance->api_version = version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3;
    VkResult result = instance_make(instance, true);
    if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
        result = instance_make(instance, false);
    if (result != VK_SUCCESS) {
        log_info("vkCreateInstance: VkResult %d: no devices", result);
        return false;
    }
    /* Functions of a device are loaded into its own table. */
    volkLoadInstanceOnly(instance->handle);
    return true;
}

static void enumerate(struct vkb_instance *instance)
{
    uint32_t count = 0;
    if (vkEnumeratePhysicalDevices(instance->handle, &count, NULL) != VK_SUCCESS || !count)
        return;
    VkPhysicalDevice *physical = calloc(count, sizeof(*physical));
    instance->devices = calloc(count, sizeof(struct vkb_device *));
    if (physical && instance->devices && vkEnumeratePhysicalDevices(instance->handle, &count, physical) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            struct vkb_device *device = device_create(instance, physical[i]);
            if (device)
                instance->devices[instance->num_devices++] = device;
        }
    }
    free(physical);
}

struct vkb_instance *vkb_instance_create(const struct device_work *work)
{
    struct vkb_instance *instance = calloc(1, sizeof(*instance));
    if (!instance)
        return NULL;
    instance->work = work;
    vkb_exit_watch_prepare();
    if (!instance_init(instance)) {
        free(instance);
        return NULL;
    }
    enumerate(instance);
    instance->process = getpid();
    the_instance = instance;
    return instance;
}

/* A process that has opened no device has nothing to end, and neither have its children: they run their destructors and
 * exit handlers as if we were not there. */
static void watch_process(void)
{
    pthread_atfork(NULL, NULL, in_child);
    thread_at_exit(at_exit);
}

bool vkb_instance_open(struct vkb_instance *instance)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    if (getpid() != instance->process)
        return false;
    pthread_once(&watched, watch_process);
    return true;
}

uint32_t vkb_instance_num_devices(struct vkb_instance *instance)
{
    return instance ? instance->num_devices : 0;
}

struct vkb_device *vkb_instance_device(struct vkb_instance *instance, uint32_t index)
{
    return instance && index < instance->num_devices ? instance->devices[index] : NULL;
}
