/* The Vulkan backend's one public header. It knows no OpenCL type: devices, memory, pipelines, and queues whose
 * commands complete events. libvulkan is loaded on the first vkb_instance_get(); without it there are no devices, and
 * nothing fails.
 *
 * Every object is reference-counted with an atomic count. All functions are thread-safe unless they say otherwise.
 * Errors are enum vkb_result; the failing Vulkan expression is logged where it failed. A lost device stays lost: every
 * later call on it gives VKB_DEVICE_LOST, all its events end with that error, and nothing hangs. */
#ifndef VK_VK_H
#define VK_VK_H

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

/* ---- devices ---- */

enum vkb_device_type {
    VKB_DEVICE_OTHER,
    VKB_DEVICE_INTEGRATED,
    VKB_DEVICE_DISCRETE,
    VKB_DEVICE_VIRTUAL,
    VKB_DEVICE_CPU
};

enum { VKB_MAX_PUSH_CONSTANTS = 1024 }; /* bytes: what a command has room for, however much the device offers */

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

    uint64_t device_memory;         /* bytes of the heap that buffers come from */
    uint64_t max_allocation;        /* bytes; the largest single buffer that can be expected to work */
    uint64_t max_single_allocation; /* bytes that the driver promises in one piece; larger buffers may be sparse */
    uint64_t heap_limit;            /* of PUMICE_LIMITS: bytes that are taken from the device; 0: as many as it gives */
    uint64_t sparse_space;          /* bytes of addresses for sparse buffers; 0: there are none */
    uint32_t memory_exports;        /* VKB_HANDLE_*: how buffers of the device can be given to others */
    uint32_t memory_imports, image_imports; /* VKB_HANDLE_*: what memory of other APIs and processes can come by */
    uint32_t semaphore_imports, semaphore_exports; /* VKB_HANDLE_* */
    bool subgroups_progress; /* sub-groups of a work-group are known to run on while others wait in loops */
    bool inlines_calls;      /* the driver inlines all of a shader's functions */
    bool short_chains;       /* shaders' access chains into memory by address have offsets of 32 bits */
    bool unified_memory;     /* device-local memory is the host's */
    bool rebar;              /* all device-local memory is host-visible */
    bool device_map;         /* device memory that the host can see is mapped */
    bool map_placed;         /* VK_EXT_map_memory_placed: the host says where memory is mapped */
    uint64_t placed_map_align;
    bool shared_maps;     /* memory may be mapped at the device's address; false only by PUMICE_DISABLE */
    bool other_addresses; /* the host has nothing at the device's addresses; true only by PUMICE_DISABLE */
    bool import_host;     /* VK_EXT_external_memory_host */
    bool host_image_copy; /* VK_EXT_host_image_copy, where the host's memory is the device's */
    bool linear_images;   /* images that are to be mapped lie in rows in the host's memory, which is the device's */
    uint32_t import_align;
    uint32_t max_push_constants; /* bytes, at most VKB_MAX_PUSH_CONSTANTS */
    uint32_t max_workgroup_invocations, max_workgroup_size[3], max_workgroup_count[3], shared_memory;
    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    uint32_t subgroup_operations; /* VkSubgroupFeatureFlags */
    uint32_t storage_alignment, max_storage_range;
    uint32_t max_image_2d, max_image_3d, max_image_1d, max_image_layers, max_samplers, max_texel_buffer_elements;
    uint32_t texel_buffer_alignment;
    uint32_t max_sampled_images, max_storage_images; /* descriptors of one kernel; texel buffers count as images */
    uint32_t max_images;                             /* both together */
    /* the same for sets that are not UPDATE_AFTER_BIND, which may have fewer */
    uint32_t max_bound_sampled_images, max_bound_storage_images, max_bound_images;
    bool image_read_any, image_write_any;             /* storage images of unknown format */
    bool image_formats;                               /* ... and of any that is known: vkb_shader_for_images() */
    bool samples_packed, samples_srgb, rounds_texels; /* exactly, unless the probe above finds that it does not */
    bool filters;                                     /* likewise: linear filters are near enough to exact ones */
    uint32_t num_queues;                              /* compute-capable Vulkan queues that this backend uses */
    double timestamp_period;                          /* ns per tick; 0: no timestamps */
    uint32_t timestamp_bits;
    uint32_t compute_units, clock_mhz, warps_per_unit; /* 0: unknown */
    uint32_t cache_bytes, cache_line;                  /* 0: unknown */

    bool int8, int16, int64, float16, float64;
    bool storage8, storage16, push8, push16;
    bool buffer_address, capture_replay, explicit_layout, explicit_layout8, explicit_layout16;
    bool memory_model, device_scope, buffer_int64_atomics, shared_int64_atomics;
    bool float32_atomic_add, shared_float32_atomic_add, float64_atomic_add, shared_float64_atomic_add;
    bool spirv14; /* takes SPIR-V 1.4 at least */
    bool timeline, subgroup_size_control, full_subgroups, subgroup_extended_types, integer_dot_product, shader_clock,
        device_clock;
    bool dot_accelerated[2]
                        [6]; /* 4 x 8 bits, packed: signed, unsigned, mixed; the same, accumulating with saturation */
    bool denorm_preserve16, denorm_preserve32, denorm_preserve64, rte16, rte32, rte64, signed_zero16, signed_zero32,
        signed_zero64;
    bool scalar_block_layout, variable_pointers, zero_initialize_workgroup;
};

/* Kinds of file descriptors by which other APIs and processes share memory and semaphores with us. */
enum vkb_handle {
    VKB_HANDLE_OPAQUE_FD = 1, /* of Vulkan, from the same driver and device */
    VKB_HANDLE_SYNC_FD = 2,   /* a Linux sync file: semaphores only */
    VKB_HANDLE_DMA_BUF = 4,   /* Linux dma_buf: memory only */
};

struct vkb_instance;
struct vkb_device;

/* The process's instance, made on the first call (and tried once: NULL where there is no Vulkan). Never destroyed
 * before exit. */
struct vkb_instance *vkb_instance_get(void);
/* Whether Vulkan is not called any more, because the process ends or is a child that fork() made. Releases then do
 * nothing, and everything else that needs a device answers VKB_DEVICE_LOST. What had ended before stays as it was. */
bool vkb_gone(void);
/* Whether this process is such a child. No other function of this header but these two may be called in it: locks may
 * be held for ever. */
bool vkb_forked(void);
uint32_t vkb_instance_num_devices(struct vkb_instance *instance); /* all physical devices; 0 for NULL */
/* Owned by the instance. Caps are known at once; the VkDevice is created by vkb_device_open(). */
struct vkb_device *vkb_instance_device(struct vkb_instance *instance, uint32_t index);
const struct vkb_caps *vkb_device_caps(const struct vkb_device *device);
enum vkb_result vkb_device_open(struct vkb_device *device); /* idempotent */
bool vkb_device_lost(const struct vkb_device *device);
/* Whether it executes nothing, or has stopped to: work of ours had not ended after VKB_PATIENCE_NS. It counts as lost
 * then, but pipelines are still made for it. */
#define VKB_PATIENCE_NS UINT64_C(20000000000)
bool vkb_device_stuck(const struct vkb_device *device);
/* Bytes of device memory that are free at this moment, and how large a buffer may be that is made of them. False: the
 * driver does not tell. */
bool vkb_device_memory(struct vkb_device *device, uint64_t *available, uint64_t *largest);
/* The device's clock now, in ns, on the timeline of event profiles; and the host's (CLOCK_MONOTONIC) at the same
 * moment. */
enum vkb_result vkb_device_time(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns);

/* ---- memory ---- */

enum vkb_memory_kind {
    VKB_MEMORY_DEVICE,   /* fastest for the device; mapped too where that costs nothing (unified memory) */
    VKB_MEMORY_UPLOAD,   /* the device's, written by the host through a mapping (ReBAR, else host memory) */
    VKB_MEMORY_HOST,     /* the host's, cached; the device reaches it over the bus (ALLOC_HOST_PTR, staging) */
    VKB_MEMORY_SHARED,   /* mapped at the device's own address: vkb_device_shares_addresses() */
    VKB_MEMORY_SHADOWED, /* the device's; the host has pages of its own at the device's address, and copies are left to
                            the caller: vkb_device_shadows() */
};

struct vkb_buffer;

/* Makes a buffer of size > 0 bytes; small ones are sub-allocated. The memory is not promised to be zero. Where memory
 * is short, the call waits for the GPU for some seconds, since finished work gives memory back. */
enum vkb_result vkb_buffer_create(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                  struct vkb_buffer **buffer);
/* Whether there can be memory with one address for host and device. It is tried once, when first asked. The device is
 * open. */
bool vkb_device_shares_addresses(struct vkb_device *device);
/* Whether device memory can have pages of the host at its address. Tried once, as above. */
bool vkb_device_shadows(struct vkb_device *device);
/* Whether a buffer of the device's has 4 GiB or more at this moment. */
bool vkb_device_has_large_buffers(const struct vkb_device *device);
/* Whether imported pages have the same address on the device as on the host. */
bool vkb_device_imports_in_place(struct vkb_device *device);
/* Uses the host's pages at pointer in place. VKB_UNSUPPORTED where the driver cannot (alignment, kind of memory); the
 * caller then copies. The pages must outlive the buffer. */
enum vkb_result vkb_buffer_import(struct vkb_device *device, void *pointer, uint64_t size, struct vkb_buffer **buffer);
/* The memory behind a file descriptor of the given kind, from its start. After success the descriptor is the driver's;
 * after a failure it is still the caller's. VKB_UNSUPPORTED: the device cannot import it, or it is no such descriptor.
 * Its contents belong to others until vkb_cmd_ownership() acquires it. */
enum vkb_result vkb_buffer_import_fd(struct vkb_device *device, enum vkb_handle kind, int fd, uint64_t size,
                                     struct vkb_buffer **buffer);
/* Has the commands that use an imported buffer take it from its owners and give it back, without
 * vkb_cmd_ownership(): for owners who only look at whether commands have ended. Called before any command uses it. */
void vkb_buffer_lend(struct vkb_buffer *buffer);
/* A buffer of device memory that other devices and processes can import; there is no more than one such buffer in an
 * allocation of the driver's. It is the device's until vkb_cmd_ownership() gives it to others. VKB_UNSUPPORTED: the
 * device exports no such descriptors. It does not wait for memory. */
enum vkb_result vkb_buffer_create_exported(struct vkb_device *device, uint64_t size, enum vkb_handle kind,
                                           struct vkb_buffer **buffer);
/* A file descriptor of its memory, which is the caller's; -1: the driver gives none. */
int vkb_buffer_export(struct vkb_buffer *buffer, enum vkb_handle kind);
struct vkb_buffer *vkb_buffer_retain(struct vkb_buffer *buffer);
/* The memory is freed once no command that was enqueued with it is running any more. */
void vkb_buffer_release(struct vkb_buffer *buffer);
uint64_t vkb_buffer_address(const struct vkb_buffer *buffer); /* device address */
uint64_t vkb_buffer_size(const struct vkb_buffer *buffer);
void *vkb_buffer_map(
    const struct vkb_buffer *buffer); /* persistent host address, or NULL; reads may be slow: see fast_read */
bool vkb_buffer_fast_read(const struct vkb_buffer *buffer); /* the mapping is cached host memory */

/* ---- images ---- */

enum vkb_image_kind {
    VKB_IMAGE_1D,
    VKB_IMAGE_1D_ARRAY,
    VKB_IMAGE_2D,
    VKB_IMAGE_2D_ARRAY,
    VKB_IMAGE_3D,
    VKB_IMAGE_BUFFER, /* a line of texels in a buffer */
};

struct vkb_image_info {
    enum vkb_image_kind kind;
    uint32_t format;                       /* VkFormat, of colours */
    uint32_t texel_size;                   /* bytes */
    uint32_t width, height, depth, layers; /* 1 where the kind has none */
    bool sampled, storage;                 /* what kernels do with it */
    uint8_t mapping[4]; /* of sampled images: where a colour's component comes from: 0-3 the texel's, 4 zero, 5 one */
    uint32_t sampled_format; /* VkFormat of what kernels sample, of the same size; 0: format */
    uint64_t row_pitch;      /* bytes; of vkb_image_create_over() */
    uint32_t levels;         /* of detail, each half as large as the one before; 0: one */
    uint32_t first_level;    /* of vkb_image_create_view(): the base's that is the view's first */
    uint32_t other_format;   /* another that views of this image may have; 0: none */
};

struct vkb_image;

bool vkb_image_supported(struct vkb_device *device, const struct vkb_image_info *info);
/* Makes an image with undefined contents. VKB_UNSUPPORTED for what vkb_image_supported() denies. Waits for the device
 * for a short time. */
enum vkb_result vkb_image_create(struct vkb_device *device, const struct vkb_image_info *info,
                                 struct vkb_image **image);
/* VKB_IMAGE_BUFFER: width texels from offset, which is a multiple of texel_buffer_alignment. VKB_IMAGE_2D: height rows
 * of them, where the device lays images out so that rows are info's row_pitch apart. Keeps the buffer alive. What is
 * not to be had is VKB_UNSUPPORTED. No command may be writing the buffer. */
enum vkb_result vkb_image_create_over(struct vkb_buffer *buffer, uint64_t offset, const struct vkb_image_info *info,
                                      struct vkb_image **image);
/* The same texels, in another format or with another mapping: base's format, or what base's info named as
 * other_format. The view has info's levels of base's from first_level on; its sizes are base's. Kernels write its first
 * level. Keeps base alive. */
enum vkb_result vkb_image_create_view(struct vkb_image *base, const struct vkb_image_info *info,
                                      struct vkb_image **image);
/* The image of another API behind a VKB_HANDLE_OPAQUE_FD, which was made with what info says: optimal tiling, no mip
 * levels, usage for transfers and for what info has. It is in the layout GENERAL whenever it changes hands. Descriptors
 * and failures are as with vkb_buffer_import_fd(). */
enum vkb_result vkb_image_import_fd(struct vkb_device *device, const struct vkb_image_info *info, int fd,
                                    struct vkb_image **image);
struct vkb_image *vkb_image_retain(struct vkb_image *image);
/* The image is freed once no command that was enqueued with it is running any more. */
void vkb_image_release(struct vkb_image *image);
const struct vkb_image_info *vkb_image_info(const struct vkb_image *image);
bool vkb_image_filters(const struct vkb_image *image); /* the device has linear filters for its sampled view */
/* A size (of an axis that levels halve) at a level of detail. */
static inline uint32_t vkb_level_size(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}
/* Whether the device would do with a plane over a buffer's memory (vkb_image_create_over()) all that it does with an
 * image of its own, where its memory is the host's. *pitch: bytes from row to row, as the device
 * lays them; *size: bytes that the buffer must have. */
bool vkb_image_fits_rows(struct vkb_device *device, const struct vkb_image_info *info, uint64_t *pitch, uint64_t *size);
bool vkb_image_is_over(const struct vkb_image *image);     /* a buffer's memory */
bool vkb_image_host_copies(const struct vkb_image *image); /* vkb_cmd_read_image() and vkb_cmd_write_image() work */

/* ---- pipelines ---- */

struct vkb_shader;   /* one SPIR-V module with its layout */
struct vkb_pipeline; /* a shader with specialisation constants; owned by the shader */

/* words are copied. push_size: bytes of push constants. */
enum vkb_result vkb_shader_create(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                  uint32_t push_size, struct vkb_shader **shader);
/* The same for one that uses images: descriptor set 0 has binding i of kind descriptors[i]. */
enum vkb_descriptor_kind {
    VKB_DESCRIPTOR_SAMPLED_IMAGE,
    VKB_DESCRIPTOR_STORAGE_IMAGE,
    VKB_DESCRIPTOR_SAMPLED_BUFFER,
    VKB_DESCRIPTOR_STORAGE_BUFFER,
    /* linear filters: to the edge, repeating, mirroring, and to the edge by unnormalised coordinates; of images that
     * have one level. The image given for such a descriptor is any. */
    VKB_DESCRIPTOR_FILTER_EDGE,
    VKB_DESCRIPTOR_FILTER_REPEAT,
    VKB_DESCRIPTOR_FILTER_MIRROR,
    VKB_DESCRIPTOR_FILTER_TEXELS,
};
enum vkb_result vkb_shader_create_with_images(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                              uint32_t push_size, const enum vkb_descriptor_kind *descriptors,
                                              uint32_t num_descriptors, struct vkb_shader **shader);
/* The shader for these images, one for each of its descriptors: another one where the device wants to know the formats
 * of those that are written, else the shader itself. It belongs to the shader. */
enum vkb_result vkb_shader_for_images(struct vkb_shader *shader, struct vkb_image *const *images,
                                      struct vkb_shader **out);
/* Kernels read and write, or only write, storage images. */
static inline bool vkb_caps_image_reads(const struct vkb_caps *caps)
{
    return caps->image_read_any || caps->image_formats;
}
static inline bool vkb_caps_image_writes(const struct vkb_caps *caps)
{
    return caps->image_write_any || caps->image_formats;
}
/* For a trace, before its first pipeline: lives as long as the process. */
void vkb_shader_set_name(struct vkb_shader *shader, const char *name);
struct vkb_shader *vkb_shader_retain(struct vkb_shader *shader);
void vkb_shader_release(struct vkb_shader *shader);
/* The pipeline with these values for SpecId 0..count-1 (u32 each) and, if it is not 0, that required sub-group size. It
 * comes from the shader's cache, or is created now; this blocks, and concurrent requests for one share the work. */
enum vkb_result vkb_shader_pipeline(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                                    uint32_t subgroup_size, struct vkb_pipeline **pipeline);
/* Starts creation on a background thread; no result. */
void vkb_shader_prefetch(struct vkb_shader *shader, const uint32_t *spec_values, uint32_t count,
                         uint32_t subgroup_size);
/* The VkPipelineCache's content is kept under this directory (NULL: nowhere), written atomically; damaged files are
 * ignored. */
void vkb_cache_set_directory(struct vkb_device *device, const char *directory);

/* ---- events ---- */

struct vkb_event;
struct vkb_recording;

enum vkb_status {
    VKB_COMPLETE = 0,
    VKB_RUNNING = 1,
    VKB_SUBMITTED = 2,
    VKB_QUEUED = 3
}; /* negative: an error; the values of OpenCL */

struct vkb_profile {
    uint64_t queued, submitted, start, end;
}; /* ns on the device's clock; 0 unless the queue profiles */

struct vkb_event *vkb_event_retain(struct vkb_event *event);
void vkb_event_release(struct vkb_event *event);
int32_t vkb_event_status(struct vkb_event *event);
/* The same for who may do nothing but ask again: submits the command first if that has not been done. */
int32_t vkb_event_poll(struct vkb_event *event);
/* VKB_TIMEOUT after timeout_ns (UINT64_MAX: for ever); VKB_WAIT_FAILED when the event ended with an error. Flushes the
 * event's own queue; spins for a short time, then blocks. Must not be called from a callback. */
enum vkb_result vkb_event_wait(struct vkb_event *event, uint64_t timeout_ns);
struct vkb_profile vkb_event_profile(struct vkb_event *event); /* valid when complete */
/* Without making any progress: whether the event has ended, and then with which status; whether its command is neither
 * recorded nor ended, so that something on the host must happen first. A user event is held until it is set. */
bool vkb_event_has_ended(const struct vkb_event *event, int32_t *status);
bool vkb_event_is_held(const struct vkb_event *event);
/* Completed by vkb_event_set_user(); status 0 or negative, once. What waits for it sees all memory that commands had
 * written which ended before that. */
enum vkb_result vkb_event_create_user(struct vkb_event **event);
/* One that is complete, and that nothing came before. */
enum vkb_result vkb_event_create_past(struct vkb_event **event);
void vkb_event_set_user(struct vkb_event *event, int32_t status);
/* Which thread makes a call. The watcher calls the application, which may take for ever and wait for anything there.
 * Nothing else may depend on that, so our own calls are the steward's. They are short, wait for nobody, and never lead
 * to the application's code. */
enum vkb_caller { VKB_WATCHER, VKB_STEWARD };
/* Has the watcher make the call once, when the event's status is at or below the given one (or an error), with the
 * status that it has reached. Callbacks of one event come in order of registration. */
enum vkb_result vkb_event_on_status(struct vkb_event *event, int32_t status, void (*call)(void *data, int32_t status),
                                    void *data);
/* The same in two steps, for callers that must not fail once a command is enqueued. What needs memory is done first:
 * NULL without it. vkb_event_tell() takes the callback over; while the process exits it drops it without a call. */
struct vkb_callback *vkb_callback_create(enum vkb_caller caller, void (*call)(void *data, int32_t status), void *data);
void vkb_callback_destroy(struct vkb_callback *callback); /* one that was not told of any event; or NULL */
void vkb_event_tell(struct vkb_event *event, int32_t status, struct vkb_callback *callback);
void vkb_callback_post(struct vkb_callback *callback, int32_t status); /* has the call made now; takes it over */
bool vkb_is_steward(void); /* whether this thread is the steward, which must leave the application to the watcher */

/* ---- semaphores that others signal or wait for ---- */

struct vkb_semaphore;

/* A binary semaphore, not signalled. exports: VKB_HANDLE_* that it can be exported as, one at most. */
enum vkb_result vkb_semaphore_create(struct vkb_device *device, uint32_t exports, struct vkb_semaphore **semaphore);
/* Replaces what the semaphore stands for: by the payload itself (opaque) or by a copy of it that the next wait uses up
 * (sync; -1: one that is signalled). After success the descriptor is the driver's. No command that uses the semaphore
 * is under way. VKB_UNSUPPORTED: no such descriptor. */
enum vkb_result vkb_semaphore_import(struct vkb_semaphore *semaphore, enum vkb_handle kind, int fd);
/* A new descriptor (sync: perhaps -1, signalled), the caller's. Exporting a sync file uses up the signal, as a wait
 * would, and the signal must have been submitted. */
enum vkb_result vkb_semaphore_export(struct vkb_semaphore *semaphore, enum vkb_handle kind, int *fd);
struct vkb_semaphore *vkb_semaphore_retain(struct vkb_semaphore *semaphore);
void vkb_semaphore_release(struct vkb_semaphore *semaphore); /* destroyed once no command uses it any more */

/* ---- queues ---- */

struct vkb_queue;

enum {
    VKB_QUEUE_OUT_OF_ORDER = 1,
    VKB_QUEUE_PROFILING = 2,
    VKB_QUEUE_HIGH_PRIORITY = 4,
    VKB_QUEUE_LOW_PRIORITY = 8,
    VKB_QUEUE_EVENTS_ONLY = 16,
    VKB_QUEUE_LANE = 32,       /* the backend's own: lane.c */
    VKB_QUEUE_TERMINABLE = 64, /* vkb_queue_stop() and vkb_queue_terminate() may be called */
    VKB_QUEUE_LANE_DOWN = 128,
    VKB_QUEUE_BOUNDED =
        256, /* for kernels of our own, which end soon: a wait of VKB_PATIENCE_NS finds the device stuck */
};

enum vkb_result vkb_queue_create(struct vkb_device *device, uint32_t flags, struct vkb_queue **queue);
struct vkb_queue *vkb_queue_retain(struct vkb_queue *queue);
void vkb_queue_release(struct vkb_queue *queue); /* the last release flushes; commands still run to their end */
enum vkb_result vkb_queue_flush(struct vkb_queue *queue);  /* submits what was recorded, as far as its waits allow */
enum vkb_result vkb_queue_finish(struct vkb_queue *queue); /* waits until all commands enqueued so far have ended */

/* Ends all commands with the status, and those that come later, too. What the GPU has not been given does not run. What
 * it works on goes on and keeps what it uses until it has ended, but events do not wait for it and nothing of it
 * reaches the host. Only work that the host itself does just now is waited for, by its event and by those of commands
 * behind it. Threads in vkb_event_wait() and vkb_queue_finish() return. Commands with after_failure go on: they tell
 * when the GPU's work has ended. */
void vkb_queue_terminate(struct vkb_queue *queue, int32_t status);
/* Its first half: from here on the queue begins nothing. Commands of several queues wait for each other, so all queues
 * are stopped before the first one is terminated, and no command fails because of what it waited for. Runs nothing of
 * the application's. */
void vkb_queue_stop(struct vkb_queue *queue, int32_t status);
/* Whether all that was enqueued has ended. */
bool vkb_queue_is_idle(struct vkb_queue *queue);
/* Waits until the GPU has ended what it was given, of a queue that was terminated, too. */
enum vkb_result vkb_queue_drain(struct vkb_queue *queue);

/* When a submission fails, its commands never run: their events end with the error, and so do those of commands that
 * are held. The queue remembers the error: vkb_queue_flush() and all commands answer with it until vkb_queue_finish()
 * has done so, too. A queue of VKB_QUEUE_EVENTS_ONLY does not, since its user looks at each command's event. */

/* Every command: what it waits for and where its event goes. It may wait for events of any queue and for user events. A
 * wait for another queue is a semaphore wait on the GPU. A command behind an unset user event is held back on the host.
 * If one of its waits ends in error, it does not run, and ends with VKB_WAIT_FAILED's status
 * (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14).
 *
 * In an in-order queue a command starts after those before it have ended; in an out-of-order queue only waits and
 * vkb_cmd_barrier() order commands. A command keeps references to all that it uses until it has ended. */
struct vkb_enqueue {
    struct vkb_queue *queue;
    uint32_t num_waits;
    struct vkb_event *const *waits;
    struct vkb_event **event;        /* NULL, or gets a new reference */
    bool after_failure;              /* also where a submission has failed: to learn when what does run has ended */
    bool unheld;                     /* VKB_UNSUPPORTED, and nothing is enqueued, where the host must act first */
    struct vkb_recording *recording; /* NULL, or what gets the command instead of the queue */
};

/* Commands that are recorded once and run many times (recording.c). A vkb_cmd_* whose enqueue names a recording adds
 * its command there: the queue and the waits count for nothing and no event is given; each command comes after those
 * before it as in an in-order queue. Dispatches, copies and fills of buffers and images, and markers can be recorded;
 * any other command makes the recording unfit, and a host's call is made at once with run false. A recording keeps all
 * that it uses. Until vkb_recording_end() one thread at a time uses it; then it does not change any more. */
enum {
    VKB_RECORDING_COMMANDS = 64
}; /* more should be several recordings: one is submitted as a whole, and work that
      takes a GPU too long at a time makes it count as hung */
enum vkb_result vkb_recording_create(struct vkb_device *device, struct vkb_recording **recording);
/* VKB_UNSUPPORTED: it is unfit, and can only be released. */
enum vkb_result vkb_recording_end(struct vkb_recording *recording);
struct vkb_recording *vkb_recording_retain(struct vkb_recording *recording);
void vkb_recording_release(struct vkb_recording *recording); /* NULL is fine */

struct vkb_rect { /* bytes and rows, as clEnqueueCopyBufferRect; pitches are never 0 here */
    uint64_t src_offset, src_row_pitch, src_slice_pitch;
    uint64_t dst_offset, dst_row_pitch, dst_slice_pitch;
    uint64_t width, height, depth; /* width in bytes */
};

enum vkb_result vkb_cmd_copy(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t src_offset,
                             struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size);
enum vkb_result vkb_cmd_copy_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, struct vkb_buffer *dst,
                                  const struct vkb_rect *rect);
/* pattern_size is a power of two up to 128. offset and size are multiples of it, and need no other alignment. */
enum vkb_result vkb_cmd_fill(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                             const void *pattern, uint32_t pattern_size);
/* Whether commands of the queue may still write to these bytes of the host. A write of them must not take them now. */
bool vkb_queue_brings(struct vkb_queue *queue, const void *data, uint64_t size);
/* Host to buffer. If data_stays_valid is false, the bytes are taken before the call returns (a blocking or small write
 * may even be complete then). If it is true, data stays valid until the event completes, and large transfers need not
 * copy twice. */
enum vkb_result vkb_cmd_write(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                              const void *data, bool data_stays_valid);
/* Buffer to host: data is filled when the event completes. */
enum vkb_result vkb_cmd_read(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, uint64_t offset, uint64_t size,
                             void *data);
/* Rectangles between host memory and a buffer: the host side's offsets are relative to data. */
enum vkb_result vkb_cmd_write_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *dst, const void *data,
                                   const struct vkb_rect *rect, bool data_stays_valid);
enum vkb_result vkb_cmd_read_rect(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, void *data,
                                  const struct vkb_rect *rect);
/* Texels of an image, as OpenCL counts them: a 1D array's layer is y, a 2D array's z; extents are at least 1. */
struct vkb_image_region {
    uint32_t origin[3], dst_origin[3], extent[3]; /* dst_origin: between images */
    uint32_t level, dst_level;                    /* of detail; origins and extents are texels of these */
    uint64_t buffer_offset;                       /* bytes, a multiple of the texel's size and of 4 */
    uint32_t row_texels, slice_rows;              /* the buffer's pitches */
};

/* Neither works on a VKB_IMAGE_BUFFER; its buffer can be copied instead. */
enum vkb_result vkb_cmd_buffer_to_image(const struct vkb_enqueue *enqueue, struct vkb_buffer *src,
                                        struct vkb_image *dst, const struct vkb_image_region *region);
enum vkb_result vkb_cmd_image_to_buffer(const struct vkb_enqueue *enqueue, struct vkb_image *src,
                                        struct vkb_buffer *dst, const struct vkb_image_region *region);
/* The same with the host's memory, where vkb_image_host_copies(). The region's first texel is at data; its
 * buffer_offset is not regarded. data stays valid until the command has ended. */
enum vkb_result vkb_cmd_read_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, void *data,
                                   const struct vkb_image_region *region);
enum vkb_result vkb_cmd_write_image(const struct vkb_enqueue *enqueue, struct vkb_image *dst, const void *data,
                                    const struct vkb_image_region *region);
/* Of one format, and both 1D (or arrays of that) or neither; within one image the regions do not overlap. */
enum vkb_result vkb_cmd_copy_image(const struct vkb_enqueue *enqueue, struct vkb_image *src, struct vkb_image *dst,
                                   const struct vkb_image_region *region);
/* A command that only waits: for all before it in the queue where num_waits is 0. barrier: later commands of an
 * out-of-order queue wait for it. */
enum vkb_result vkb_cmd_marker(const struct vkb_enqueue *enqueue, bool barrier);
/* Runs all commands of a recording that was ended well, as one command: the recording's waits and hazards are those of
 * all of them together. It may be under way any number of times, in any queues of its device. */
enum vkb_result vkb_cmd_replay(const struct vkb_enqueue *enqueue, struct vkb_recording *recording);
/* Makes the call once, on a backend thread, at its place in the queue; later commands wait for it. If the command ends
 * with an error instead, the call is made too, at its turn or earlier, and run is false: then it only frees data. */
enum vkb_result vkb_cmd_host(const struct vkb_enqueue *enqueue, void (*call)(void *data, bool run), void *data);

/* Waits for the semaphore, or signals it when everything before in the queue has ended. Unless it is held, the command
 * is submitted when this returns. Later work on the same hardware queue waits as well. */
enum vkb_result vkb_cmd_semaphore(const struct vkb_enqueue *enqueue, struct vkb_semaphore *semaphore, bool signals);
/* Takes imported memory over from the others that share it (acquire), or gives it back: a buffer or an image. */
enum vkb_result vkb_cmd_ownership(const struct vkb_enqueue *enqueue, struct vkb_buffer *buffer, struct vkb_image *image,
                                  bool acquire);
/* The same for work that may fail: the event ends with the status that the call returns, 0 or negative. */
enum vkb_result vkb_cmd_host_status(const struct vkb_enqueue *enqueue, int32_t (*call)(void *data, bool run),
                                    void *data);
/* Whether the process is about to end: work of the host that takes long should stop, and returns soon. */
bool vkb_exiting(void);

struct vkb_access {
    struct vkb_buffer *buffer;
    bool reads, writes;
    struct vkb_image *image; /* instead of a buffer */
};

/* One dispatch of a (possibly split) grid. */
struct vkb_grid {
    struct vkb_pipeline *pipeline;
    uint32_t groups[3];     /* each >= 1 and within the device's limit */
    uint32_t group_base[3]; /* written to the block at group_base_offset where that is >= 0 */
};

struct vkb_dispatch {
    const char *name; /* for a trace: lives as long as the process; or NULL */
    struct vkb_shader *shader;
    const void
        *block; /* the argument block, copied; the push constants themselves or spilled to memory reached by address */
    uint32_t block_size;
    bool block_in_push_constants;
    int32_t group_base_offset; /* in the block, or -1 */
    const struct vkb_grid *grids;
    uint32_t num_grids;                /* 0: nothing runs, the event completes in its turn */
    const struct vkb_access *accesses; /* buffers and images reached through arguments; kept alive */
    uint32_t num_accesses;
    struct vkb_image *const *images; /* per descriptor of the shader; among accesses too, but for those not touched */
    bool reaches_any;                /* may also reach memory through stored pointers: ordered conservatively */
};

enum vkb_result vkb_cmd_dispatch(const struct vkb_enqueue *enqueue, const struct vkb_dispatch *dispatch);

#endif
