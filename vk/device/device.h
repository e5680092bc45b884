/* A device and what belongs to it; the instance. */
#ifndef VK_DEVICE_H
#define VK_DEVICE_H

#include "vk/device/clock.h"
#include "vk/device/pool.h"
#include "vk/device/win32.h"

#include <sys/types.h>

struct extensions {
    bool external_memory_host, calibrated_timestamps, shader_atomic_float, explicit_layout, shader_clock, sm_builtins,
        arm_core, amd_core, amd_core2, pci_bus_info, device_drm, memory_budget, subgroup_size_control, maintenance4,
        integer_dot_product, zero_initialize, executable_properties, portability_subset, map_memory2, map_placed,
        external_memory_fd, dma_buf, drm_modifiers, external_semaphore_fd, external_memory_win32,
        external_semaphore_win32, queue_family_foreign, host_image_copy, cooperative_matrix, bfloat16, float8;
    /* parts of Vulkan 1.2 */
    bool timeline_semaphore, buffer_device_address, storage8, float16_int8, memory_model, subgroup_extended_types,
        host_query_reset, scalar_layout, atomic_int64, spirv14, float_controls, driver_properties;
};

struct vulkan_queue {
    VkQueue handle;
    uint32_t family;
    pthread_mutex_t lock;     /* vkQueueSubmit is externally synchronised */
    uint32_t users;           /* backend queues mapped here; under the device's queues_lock */
    VkSemaphore first_done;   /* signalled behind first uses of objects; see memory/first_use.c, which guards these */
    uint64_t first_submitted; /* the greatest value that will be, */
    uint64_t first_reached;   /* and the last that was seen */
};

/* The Vulkan queues beside which kernels run (lane.c): one for uploads, one for downloads. */
enum { NUM_LANES = 2 };

struct vkb_queue;

/* What the device calls where all its queues are known (queue/devices.c). */
struct device_work {
    /* Ends finished batches of all queues, so that the memory that they held can be used again. */
    void (*reclaim)(struct vkb_device *device);
    /* Submits what is recorded and waits for it, until the deadline; then as reclaim. False: nothing was under way.
     * Called without locks of the backend. */
    bool (*drain)(struct vkb_device *device, uint64_t deadline_ns);
    /* Ends all work of a lost device: callbacks and held commands must end even if no thread waits for them. */
    void (*end_lost)(void *device);
    /* At the begin of the process's exit: submits what nobody has flushed. Destructors that run behind ours may wait for
     * it (clFinish), as they could where a driver submits at once. */
    void (*submit_last)(struct vkb_device *device, uint64_t deadline_ns);
    /* Waits a short time for running work and saves caches: all that must be done before the driver's own exit
     * handlers. */
    void (*exit)(struct vkb_device *device, uint64_t deadline_ns);
};

struct vkb_device {
    struct vkb_instance *instance;
    const struct device_work *work;
    VkPhysicalDevice physical;
    struct vkb_caps caps;
    struct extensions extensions;
    VkPhysicalDeviceMemoryProperties memory_properties;
    uint32_t memory_heap; /* that buffers come from */
    uint32_t family;
    uint32_t lane_family; /* its queues only copy; valid if num_lanes */

    pthread_mutex_t open_lock;
    VkSampler filters[4]; /* VKB_DESCRIPTOR_FILTER_*, made when first needed, under open_lock */
    atomic_bool open;
    enum vkb_result open_result; /* of the last attempt; under open_lock */
    bool open_tried;             /* and another would give the same */

    VkDevice handle;
    struct VolkDeviceTable vk;
    struct win32_calls win32;
    PFN_vkVoidFunction vk_map_memory2; /* vkMapMemory2KHR where maps can be placed (shared.c); else NULL */
    PFN_vkVoidFunction vk_copy_to_image, vk_copy_from_image, vk_transition_image; /* host_image.c */
    struct vulkan_queue queues[MAX_VULKAN_QUEUES], lanes[NUM_LANES];
    uint32_t num_lanes;          /* how many of them there are; 0: all transfers go where the kernels go */
    atomic_uint num_user_queues; /* live ones that are neither for events only nor lanes */
    atomic_bool lost;
    atomic_bool stuck;          /* vkb_device_stuck() */
    atomic_bool has_worked;     /* something that was submitted has ended */
    struct pool_task lost_task; /* ends the work of all queues */
    uint64_t spin_ns;           /* how long a wait spins before it blocks */
    atomic_ullong turn_ns;      /* what small transfers have lately taken the GPU (queue/wait.c) */
    atomic_ullong texel_ps;     /* what a byte has lately taken the host that it read from an image (host_image.c) */
    bool prompt;                /* the first kernel after a pause is submitted at once */
    atomic_bool made_ahead;     /* what a first launch needs is being made, or there (queue/ahead.c) */
    bool has_statistics;        /* of pipelines: asked for and there, once it is open */

    /* Made when the device is opened, by the room that each is of. */
    struct memory *memory;
    struct staging *staging;
    struct pinned *pinned;
    struct share_table *shaders;
    struct bulk *bulk;
    struct texels *texels;
    atomic_uint num_imports;     /* live imported buffers */
    atomic_ullong watched_bytes; /* of buffers of which it is known what was written */
    atomic_uint num_ahead;       /* pipelines that threads of the pool are to make */

    pthread_mutex_t queues_lock;
    struct vkb_queue *first_queue; /* all queues; under queues_lock */

    pthread_mutex_t clock_lock;
    struct device_clock clock;     /* under clock_lock */
    atomic_ullong clock_deviation; /* ns, of the most exact one; 0: there was none */

    VkPipelineCache pipeline_cache;
    pthread_mutex_t cache_lock; /* guards what follows */
    char *cache_path;
    uint64_t cache_dirty; /* pipelines made since the last save */
    uint64_t cache_size;  /* of what the file holds, as far as known */
    bool cache_saver;     /* a save is scheduled */
    enum cache_load { CACHE_LOADED, CACHE_WAITS, CACHE_LOADING } cache_load; /* how far the file's content is */
    pthread_cond_t cache_loaded;
    struct pool_task saver_task;
};

/* VkPhysicalDeviceMapMemoryPlacedFeaturesEXT, which is newer than some systems' headers. */
struct map_placed_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 memoryMapPlaced, memoryMapRangePlaced, memoryUnmapReserve;
};

/* VkPhysicalDeviceHostImageCopyFeaturesEXT, likewise. */
struct host_image_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 hostImageCopy;
};

/* VkPhysicalDeviceCooperativeMatrixFeaturesKHR, likewise. */
struct matrix_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrix, cooperativeMatrixRobustBufferAccess;
};

/* VkPhysicalDeviceShaderBfloat16FeaturesKHR, likewise. */
struct bfloat16_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderBFloat16Type, shaderBFloat16DotProduct, shaderBFloat16CooperativeMatrix;
};

/* VkPhysicalDeviceShaderFloat8FeaturesEXT, likewise. */
struct float8_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderFloat8, shaderFloat8CooperativeMatrix;
};

/* What Vulkan 1.1 and its extensions have in place of VkPhysicalDeviceVulkan11Features and ...12Features. */
struct khr_features {
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDeviceVariablePointersFeatures variable_pointers;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    VkPhysicalDeviceBufferDeviceAddressFeatures buffer_address;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types;
    VkPhysicalDeviceHostQueryResetFeatures host_query_reset;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout;
    VkPhysicalDeviceShaderAtomicInt64Features atomic_int64;
};

/* All features that may be enabled, chained from core. On a device of Vulkan 1.1, v11 and v12 are not in the chain but
 * hold what those of khr say. */
struct vkb_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    struct khr_features khr;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout;
    VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
    struct map_placed_features map_placed;
    struct host_image_features host_image;
    struct matrix_features matrix;
    struct float8_features float8;
    struct bfloat16_features bfloat16;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
};

struct vkb_instance {
    VkInstance handle;
    const struct device_work *work;
    uint32_t api_version;
    struct vkb_device **devices;
    uint32_t num_devices;
    pid_t process; /* that made it */
};

/* Before a device is opened: has the process's end and its forks watched from now on. False: this is the child of a
 * process that had looked for devices, and drivers' instances work in the process that made them. */
bool vkb_instance_open(struct vkb_instance *instance);

/* What every VkBuffer of buffers may be used for. */
#define BLOCK_USAGE                                                                                                    \
    ((VkBufferUsageFlags)(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |                        \
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |              \
                          VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT))

/* Logs a failing call and gives its meaning for the caller. VK_ERROR_DEVICE_LOST marks the device as lost. */
enum vkb_result vkb_check(struct vkb_device *device, VkResult result, const char *call);
#define CHECK(device, call) vkb_check((device), (call), #call)

/* Fills in what the device can import and export (handles.c). */
void vkb_handles_query(struct vkb_device *device);
/* What it does with memory of others for our buffers. */
VkExternalMemoryFeatureFlags vkb_handles_of_buffer(const struct vkb_device *device,
                                                   VkExternalMemoryHandleTypeFlagBits handle);
/* What the device does with an image whose memory others own; false: nothing. chain: what the query is to know beside
 * create and the handle's kind. */
bool vkb_handles_of_image(const struct vkb_device *device, const VkImageCreateInfo *create,
                          VkExternalMemoryHandleTypeFlagBits handle, const void *chain,
                          VkExternalMemoryFeatureFlags *features);
/* What Vulkan calls the kind; 0: there is no such memory, or are no such semaphores. */
VkExternalMemoryHandleTypeFlagBits vkb_memory_handle(enum vkb_handle kind);
VkExternalSemaphoreHandleTypeFlagBits vkb_semaphore_handle_type(enum vkb_handle kind);
/* host_copies.c: whether images can be copied by the host in the layout that they always have. The device has the
 * extension and its feature. */
bool vkb_host_copies_query(struct vkb_device *device);
/* matrices.c: fills in which matrices the device multiplies. It has the extension and its feature. */
void vkb_matrices_query(struct vkb_device *device);
/* Loads the functions of such copies. */
void vkb_host_copies_load(struct vkb_device *device);
/* Removes the abilities that PUMICE_DISABLE and PUMICE_LIMITS take away (mask.c). */
void vkb_caps_mask(struct vkb_caps *caps);
/* The version of Vulkan that a device is to play: at most this one. */
uint32_t vkb_mask_version(uint32_t version);
void vkb_caps_query(struct vkb_device *device, uint32_t instance_version);
/* features.c: asks which of the features the device supports. */
void vkb_features_query(struct vkb_device *device, struct vkb_features *features);
/* Makes the chain of those in features that are to be enabled. */
void vkb_features_enable(const struct vkb_device *device, struct vkb_features *features);
/* Asks a device of Vulkan 1.1 for what VkPhysicalDeviceVulkan11Properties and ...12Properties have on others. */
void vkb_properties_query_11(const struct vkb_device *device, VkPhysicalDeviceVulkan11Properties *v11,
                             VkPhysicalDeviceVulkan12Properties *v12);
static inline bool vkb_is_core12(const struct vkb_device *device)
{
    return device->caps.api_version >= VK_API_VERSION_1_2;
}
static inline bool vkb_is_core13(const struct vkb_device *device)
{
    return device->caps.api_version >= VK_API_VERSION_1_3;
}
/* Waits until the device has signalled the fence, or is lost. It must not be given up earlier, since what the device
 * still works with must not be destroyed. When the limit passes, the device counts as lost. */
enum vkb_result vkb_device_await(struct vkb_device *device, VkFence fence, uint64_t limit_ns);
/* The same for a timeline's value, but VKB_TIMEOUT when the limit passes. */
enum vkb_result vkb_device_await_timeline(struct vkb_device *device, VkSemaphore timeline, uint64_t value,
                                          uint64_t limit_ns);
/* Makes the VkDevice, its table of functions and its queues. Called once, with open_lock. */
enum vkb_result vkb_device_create_handle(struct vkb_device *device);
void vkb_device_mark_lost(struct vkb_device *device);
void vkb_device_mark_stuck(struct vkb_device *device);
/* For PUMICE_COMPILE_ONLY: as if it was found stuck, from the beginning. */
void vkb_device_set_compile_only(struct vkb_device *device);
/* How long work may take that is done at once on a device which has nothing else to do. One that has worked before is
 * no device that only plays one: it may be held by another process's kernels. */
static inline uint64_t vkb_device_patience_ns(const struct vkb_device *device)
{
    return atomic_load_explicit(&device->has_worked, memory_order_relaxed) ? VKB_LONG_PATIENCE_NS : VKB_PATIENCE_NS;
}
/* How long a submission may take (watchdog.c); 0: as long as it likes. */
uint32_t vkb_watchdog_ms(const struct vkb_caps *caps);
/* No pipelines are made for it. */
bool vkb_device_is_useless(const struct vkb_device *device);

/* ---- timestamps.c ---- */

uint64_t vkb_device_ns_from_host(struct vkb_device *device, uint64_t host_ns);
uint64_t vkb_device_ns_from_ticks(const struct vkb_device *device, uint64_t ticks);
/* Both clocks at one moment, from the driver; false where it does not tell. */
bool vkb_device_calibrated(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns);
/* Takes in a reading of both. */
void vkb_device_set_clock(struct vkb_device *device, uint64_t device_ns, uint64_t host_ns);

/* ---- exit_watch.c ---- */

/* To be called before the driver is loaded. */
void vkb_exit_watch_prepare(void);
/* Called by an exit handler: ends the process with the status if the driver's own exit handlers take longer than ns. */
void vkb_exit_watch(int status, uint64_t ns);

/* instance.c: makes the instance and its devices; NULL where there is no Vulkan. Called once in a process. */
struct vkb_instance *vkb_instance_create(const struct device_work *work);

/* These two keep our exit handler running before the driver's own ones; see instance.c. */
enum vkb_exit_moment { VKB_BEFORE_SUBMISSION, VKB_BEHIND_SUBMISSION, VKB_BATCH_RETIRED, VKB_NUM_EXIT_MOMENTS };
void vkb_exit_pipeline_made(void);
void vkb_exit_renew(enum vkb_exit_moment moment);

#endif
