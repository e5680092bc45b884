/* Devices as users of the backend see them: what each can do, and what became of it. Opening one is in queues.h. */
#ifndef VK_DEVICE_DEVICES_H
#define VK_DEVICE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vkb_result {
    VKB_SUCCESS = 0,
    VKB_OUT_OF_HOST_MEMORY = -1,
    VKB_OUT_OF_DEVICE_MEMORY = -2,
    VKB_DEVICE_LOST = -3,
    VKB_UNSUPPORTED = -4,
    VKB_PIPELINE_FAILED = -5, /* the driver refused the shader */
    VKB_TIMEOUT = -6,
    VKB_WAIT_FAILED = -7, /* an event waited for ended with an error */
};

enum vkb_device_type {
    VKB_DEVICE_OTHER,
    VKB_DEVICE_INTEGRATED,
    VKB_DEVICE_DISCRETE,
    VKB_DEVICE_VIRTUAL,
    VKB_DEVICE_CPU
};

enum { VKB_MAX_PUSH_CONSTANTS = 1024 }; /* bytes: what a command has room for, however much the device offers */

/* VkCooperativeMatrixPropertiesKHR: result = a * b + c, where a has m rows and k columns, and b k rows and n columns. The
 * types are of VkComponentTypeKHR. */
struct vkb_matrices {
    uint32_t m, n, k, a, b, c, result;
    bool saturating;
};
enum { VKB_MOST_MATRICES = 96 };

struct vkb_caps {
    char name[256], driver_name[256], driver_info[256];
    uint32_t api_version, driver_version, driver_id; /* VkDriverId */
    uint32_t vendor_id, device_id;                   /* PCI */
    uint8_t device_uuid[16], driver_uuid[16], pipeline_cache_uuid[16], luid[8];
    bool luid_valid;
    uint32_t node_mask;
    bool pci_valid;
    uint32_t pci_domain, pci_bus, pci_device, pci_function;
    enum vkb_device_type type;

    bool qualifies; /* may be offered; otherwise why_not says what is missing */
    char why_not[256];
    char warning[512]; /* "" or a plain warning: the driver is known to compute wrongly (lavapipe before Mesa 23: loops
                          cut short) */

    bool compile_only; /* PUMICE_COMPILE_ONLY: pipelines are made, and nothing is allocated or submitted */

    uint64_t device_memory;         /* bytes of the heap that buffers come from */
    uint64_t max_allocation;        /* bytes; the largest single buffer that can be expected to work */
    uint64_t max_single_allocation; /* bytes that the driver promises in one piece; larger buffers may be sparse */
    uint64_t heap_limit;            /* of PUMICE_LIMITS: bytes that are taken from the device; 0: as many as it gives */
    uint64_t sparse_space;          /* bytes of addresses for sparse buffers; 0: there are none */
    uint32_t memory_exports;        /* VKB_HANDLE_*: how buffers of the device can be given to others */
    uint32_t memory_imports, image_imports; /* VKB_HANDLE_*: what memory of other APIs and processes can come by */
    bool modifiers;                         /* images of dma_bufs whose texels lie as a modifier says */
    bool maps_dma_bufs; /* the host reaches dma_bufs, so their contents can be copied where the device does not */
    uint32_t semaphore_imports, semaphore_exports; /* VKB_HANDLE_* */
    bool subgroups_progress; /* sub-groups of a work-group are known to run on while others wait in loops */
    bool subgroups_in_step;  /* a sub-group is one thread of SIMD instructions, with no other way to wait */
    bool inlines_calls;      /* the driver inlines all of a shader's functions */
    bool variants_in_turn;   /* pipelines of one module must not be made at the same time */
    bool computes_in_words;  /* registers have 32 bits */
    bool short_chains;       /* shaders' access chains into memory by address have offsets of 32 bits */
    bool miscounts_trips;    /* the driver gets wrong how often some loops go round */
    bool loses_lanes;        /* the driver gets wrong some loads of more than 16 bytes of which a part is used */
    bool unified_memory;     /* device-local memory is the host's */
    uint64_t placed_map_align;
    bool
        other_addresses; /* the host has nothing at the device's addresses; true by PUMICE_DISABLE, and on 32-bit hosts */
    uint32_t import_align;
    uint32_t max_push_constants; /* bytes, at most VKB_MAX_PUSH_CONSTANTS */
    uint32_t max_workgroup_invocations, max_workgroup_size[3], max_workgroup_count[3], shared_memory;
    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    uint32_t subgroup_operations; /* VkSubgroupFeatureFlags */
    uint32_t storage_alignment, max_storage_range;
    uint32_t max_nesting;      /* levels of control flow that shaders may have */
    uint32_t doze_us;          /* waits nap before they block, from this time on; UINT32_MAX: they do not */
    uint32_t watchdog_ms;      /* no submission should take longer; 0: there is no watchdog */
    uint32_t slow_pipeline_us; /* a pipeline that took longer may stand in for one that is not there yet */
    /* From so many bytes on shaders of the backend's own copy and fill memory, and copy texels; UINT32_MAX: never. */
    uint32_t bulk_least, texels_least;
    uint32_t max_image_2d, max_image_3d, max_image_1d, max_image_layers, max_samplers, max_texel_buffer_elements;
    uint32_t texel_buffer_alignment;
    uint32_t max_sampled_images, max_storage_images; /* descriptors of one kernel; texel buffers count as images */
    uint32_t max_images;                             /* both together */
    /* the same for sets that are not UPDATE_AFTER_BIND, which may have fewer */
    uint32_t max_bound_sampled_images, max_bound_storage_images, max_bound_images;
    uint32_t num_queues;     /* compute-capable Vulkan queues that this backend uses */
    double timestamp_period; /* ns per tick; 0: no timestamps */
    uint32_t timestamp_bits;
    uint32_t compute_units, clock_mhz, warps_per_unit; /* 0: unknown */
    uint32_t cache_bytes, cache_line;                  /* 0: unknown */
    struct vkb_matrices matrices[VKB_MOST_MATRICES];   /* that its sub-groups multiply */
    uint32_t num_matrices;

#define ABILITY(name, vulkan, words, lines, without) bool name;
#include "base/abilities.def"
    bool dot_accelerated[2]
                        [6]; /* 4 x 8 bits, packed: signed, unsigned, mixed; the same, accumulating with saturation */
};

/* Kinds of handles by which other APIs and processes share memory and semaphores with us: file descriptors, and on Windows
 * what Windows calls handles. */
enum vkb_handle {
    VKB_HANDLE_OPAQUE_FD = 1,   /* of Vulkan, from the same driver and device */
    VKB_HANDLE_SYNC_FD = 2,     /* a Linux sync file: semaphores only */
    VKB_HANDLE_DMA_BUF = 4,     /* Linux dma_buf: memory only */
    VKB_HANDLE_WIN32 = 8,       /* opaque as the first; an NT handle */
    VKB_HANDLE_WIN32_KMT = 16,  /* the same by a number that holds nothing and that Windows does not know */
    VKB_HANDLE_WIN32_NAME = 32, /* to import what the pointer's UTF-16 text names */
};

/* Whether the driver takes such a handle with a successful import. Windows' stay with whoever has them. */
static inline bool vkb_handle_is_taken(enum vkb_handle kind)
{
    return kind & (VKB_HANDLE_OPAQUE_FD | VKB_HANDLE_SYNC_FD | VKB_HANDLE_DMA_BUF);
}

/* Which thread makes a call. The watcher calls the application, which may take for ever and wait for anything there.
 * Nothing else may depend on that, so our own calls are the steward's. They are short, wait for nobody, and never lead
 * to the application's code. */
enum vkb_caller { VKB_WATCHER, VKB_STEWARD };
bool vkb_is_steward(void); /* whether this thread is the steward, which must leave the application to the watcher */

struct vkb_instance;
struct vkb_device;

/* Has a thread of the pool make the call when one is free of those for the processor's work. False, and no call: there
 * is no memory or no thread. A call that has not begun when the process ends is not made. */
bool vkb_work_later(void (*call)(void *data), void *data);

/* Whether Vulkan is not called any more, because the process ends or is a child that fork() made. Releases then do
 * nothing, and everything else that needs a device answers VKB_DEVICE_LOST. What had ended before stays as it was. */
bool vkb_gone(void);
/* Whether the process is about to end: work of the host that takes long should stop, and returns soon. */
bool vkb_exiting(void);
/* Whether this process is such a child. No function of the backend but these two may be called in it: locks may
 * be held for ever. */
bool vkb_forked(void);
uint32_t vkb_instance_num_devices(struct vkb_instance *instance); /* all physical devices; 0 for NULL */
/* Owned by the instance. Caps are known at once; the VkDevice is created by vkb_device_open(). */
struct vkb_device *vkb_instance_device(struct vkb_instance *instance, uint32_t index);
const struct vkb_caps *vkb_device_caps(const struct vkb_device *device);
bool vkb_device_lost(const struct vkb_device *device);
/* Whether it executes nothing, or has stopped to: work of ours had not ended after VKB_PATIENCE_NS, or VKB_LONG_PATIENCE_NS
 * where the device has done some before. It counts as lost then, but pipelines are still made for it. */
#define VKB_PATIENCE_NS      UINT64_C(20000000000)
#define VKB_LONG_PATIENCE_NS UINT64_C(600000000000)
bool vkb_device_stuck(const struct vkb_device *device);
/* Has the device opened so that vkb_shader_measure() can tell what the driver says of pipelines. To be called before it
 * is opened, by the only thread that has it. */
void vkb_device_want_statistics(struct vkb_device *device);
bool vkb_device_has_statistics(const struct vkb_device *device); /* once it is open */

#endif
