/* What the backend's files share. Nothing outside vk/ includes this.
 *
 * How a command travels: vkb_cmd_*() fills a struct command; vkb_enqueue() (enqueue.c) looks at its waits. When all of
 * them are expressible to the GPU, the command is recorded at once into its queue's open batch (record.c), which is
 * submitted when it is full, flushed or waited for (batch.c). Otherwise, or when the command's work is the host's, a
 * copy of it is held (held.c) until whatever it waits for has been submitted or has ended.
 *
 * An event's state only moves forward: HELD, RECORDED (in an open batch), SUBMITTED (its batch signals value on its
 * queue's timeline), DONE. A batch is retired, and its events become DONE, by whichever thread looks next: a waiter, an
 * enqueuing thread, or a pool thread when somebody has shown interest (callbacks, commands that depend on it, a
 * released queue).
 *
 * Locks, outermost first: a queue's lock; a shader's; an event's; memory's, staging's, the pool's, a VkQueue's, the
 * table of shared objects'. No
 * thread holds the locks of two queues. No lock is held while waiting for the GPU or while running the application's
 * code. */
#ifndef VK_BACKEND_H
#define VK_BACKEND_H

#include "base/log.h"
#include "base/util.h"
#include "vk/vk.h"

#define VK_NO_PROTOTYPES
#include <volk.h>

#include <pthread.h>
#include <stdatomic.h>

#define MAX_VULKAN_QUEUES 16

/* The statuses that events end with; numbers of OpenCL's errors. */
enum {
    STATUS_MEMORY = -4,       /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
    STATUS_RESOURCES = -5,    /* CL_OUT_OF_RESOURCES: the device was lost */
    STATUS_HOST_MEMORY = -6,  /* CL_OUT_OF_HOST_MEMORY */
    STATUS_WAIT_FAILED = -14, /* CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST */
};

/* ---- memory (memory.c) ---- */

enum { MEMORY_KINDS = 3, MEMORY_CLASSES = 24 * 8, MAX_CANDIDATES = 4 };

/* One VkDeviceMemory under one VkBuffer. */
struct memory_block {
    struct memory_pool *pool; /* NULL: dedicated or imported */
    VkDeviceMemory memory;
    VkBuffer buffer;
    uint64_t size, address;
    char *map; /* NULL where the host cannot see it */
    bool cached;
    struct memory_span *spans; /* in address order; NULL for dedicated blocks */
    struct memory_block *next, *prev;
};

/* A part of a block, free or not. Neighbouring spans are never both free. */
struct memory_span {
    struct memory_block *block;
    uint64_t offset, size;
    bool is_free;
    struct memory_span *next, *prev;           /* by address */
    struct memory_span *next_free, *prev_free; /* in its class */
};

/* Where the sub-allocations of one kind of memory live: a two-level segregated fit over its blocks. */
struct memory_pool {
    struct memory_block *blocks;
    struct memory_span *classes[MEMORY_CLASSES];
    uint64_t bitmap[MEMORY_CLASSES / 64];
    uint64_t next_size;  /* of the next block */
    uint32_t num_unused; /* blocks without allocations: one is kept */
};

struct memory {
    pthread_mutex_t lock; /* guards the pools */
    struct memory_pool pools[MEMORY_KINDS];
    uint32_t candidates[MEMORY_KINDS][MAX_CANDIDATES]; /* memory types in order of preference */
    uint32_t num_candidates[MEMORY_KINDS];
    uint64_t block_size; /* the largest block for sub-allocation */
};

struct vkb_buffer {
    atomic_uint refs;
    struct vkb_device *device;
    struct memory_block *block;
    struct memory_span *span; /* NULL: the block is this buffer's own */
    uint64_t offset;          /* in the block */
    uint64_t size, address;
    char *map;
    bool cached;
    bool imported;
};

struct vkb_image {
    atomic_uint refs;
    struct vkb_device *device;
    struct vkb_image_info info;
    VkImage handle; /* always in VK_IMAGE_LAYOUT_GENERAL */
    VkDeviceMemory memory;
    VkImageView sampled, storage; /* as far as info says */
    struct vkb_buffer *buffer;    /* VKB_IMAGE_BUFFER: whose texels, from offset */
    uint64_t offset;
    VkBufferView texels;
};

enum vkb_result vkb_memory_init(struct vkb_device *device);
/* Fill in block, span and offset for a buffer of buffer->size bytes. */
enum vkb_result vkb_buffer_allocate(struct vkb_device *device, enum vkb_memory_kind kind, struct vkb_buffer *buffer);
enum vkb_result vkb_buffer_allocate_import(struct vkb_device *device, void *pages, uint64_t size,
                                           struct vkb_buffer *buffer);
void vkb_buffer_free(struct vkb_buffer *buffer);

/* ---- staging (staging.c) ---- */

enum staging_kind { STAGING_UPLOAD, STAGING_DOWNLOAD };
enum { STAGING_KINDS = 2, STAGING_CHUNK = 1 << 20, STAGING_LARGEST = STAGING_CHUNK / 4, TRANSFER_SLOT = 8 << 20 };

/* A mapped buffer handed out linearly. Batches that use it hold references; with the last it returns to the device. */
struct staging_chunk {
    atomic_uint refs;
    struct vkb_buffer *buffer;
    enum staging_kind kind;
    uint64_t used;
    struct staging_chunk *next;
};

struct staging {
    pthread_mutex_t lock; /* guards what follows */
    struct staging_chunk *unused[STAGING_KINDS];
    uint32_t num_unused[STAGING_KINDS];
    struct vkb_buffer *slots[8]; /* of TRANSFER_SLOT bytes, for large transfers */
    uint32_t num_slots;
};

/* Mapped memory that lives as long as the batch it was taken for. */
struct staging_slice {
    struct vkb_buffer *buffer;
    uint64_t offset;
    char *map;
    uint64_t address;
};

struct batch;
enum vkb_result vkb_staging_take(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                                 struct staging_slice *slice);
void vkb_staging_chunk_release(struct vkb_device *device, struct staging_chunk *chunk);
enum vkb_result vkb_staging_slot(struct vkb_device *device, struct vkb_buffer **slot);
void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot);

/* ---- objects in common (share.c) ---- */

/* The head of an object that is found by its key: bytes that say all that it was made from. */
struct shared {
    atomic_uint refs;
    uint64_t hash;
    void *key; /* the object's */
    size_t key_size;
    struct shared *next, *idle_prev, *idle_next;
    bool listed; /* under the table's lock, like the links */
};

enum { SHARE_BUCKETS = 256 };

struct share_table {
    pthread_mutex_t lock; /* guards what follows */
    struct shared *buckets[SHARE_BUCKETS];
    struct shared *idle_first, *idle_last; /* those without references, the oldest first */
    uint32_t num_idle;
    uint64_t idle_bytes; /* of their keys */
};

/* A new reference to the object with this key, or NULL. */
struct shared *vkb_share_find(struct share_table *table, const void *key, size_t key_size);
/* Adds an object with one reference. Returns it, or a new reference to one that was there before: then the caller
 * destroys its own. */
struct shared *vkb_share_add(struct share_table *table, struct shared *object);
/* Nobody finds it any more. */
void vkb_share_forget(struct share_table *table, struct shared *object);
/* Drops a reference. Returns the objects that are to be destroyed now, linked by next. */
struct shared *vkb_share_drop(struct share_table *table, struct shared *object);

/* ---- devices ---- */

struct extensions {
    bool external_memory_host, calibrated_timestamps, shader_atomic_float, explicit_layout, shader_clock, sm_builtins,
        amd_core, amd_core2, pci_bus_info, memory_budget, subgroup_size_control, maintenance4, integer_dot_product,
        zero_initialize, portability_subset;
};

/* One of bulk.c's. */
struct bulk_shader {
    struct vkb_shader *shader;
    VkPipeline pipeline;
};

struct vulkan_queue {
    VkQueue handle;
    pthread_mutex_t lock; /* vkQueueSubmit is externally synchronised */
    uint32_t users;       /* backend queues mapped here; under the device's queues_lock */
};

struct vkb_device {
    struct vkb_instance *instance;
    VkPhysicalDevice physical;
    struct vkb_caps caps;
    struct extensions extensions;
    VkPhysicalDeviceMemoryProperties memory_properties;
    uint32_t family;
    bool host_query_reset;

    pthread_mutex_t open_lock;
    atomic_bool open;
    enum vkb_result open_result; /* of the one attempt; under open_lock */
    bool open_tried;

    VkDevice handle;
    struct VolkDeviceTable vk;
    struct vulkan_queue queues[MAX_VULKAN_QUEUES];
    atomic_bool lost;
    uint64_t spin_ns; /* how long a wait spins before it blocks */

    struct memory memory;
    struct staging staging;
    atomic_uint num_imports; /* live imported buffers */

    pthread_mutex_t queues_lock;
    struct vkb_queue *first_queue; /* all queues; under queues_lock */

    pthread_mutex_t clock_lock;
    int64_t clock_offset; /* device ns - host ns; under clock_lock */
    uint64_t clock_taken; /* host ns of the last calibration */

    struct {
        atomic_uint state; /* decides whether the rest may be used */
        struct bulk_shader copy, fill;
    } bulk;

    struct share_table shaders;
    VkPipelineCache pipeline_cache;
    pthread_mutex_t cache_lock; /* guards what follows */
    char *cache_path;
    uint64_t cache_dirty; /* pipelines made since the last save */
    uint64_t cache_size;  /* of what the file holds, as far as known */
    bool cache_saver;     /* a save is scheduled */
};

/* All that may be enabled, chained from core. */
struct vkb_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout;
    VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
};

struct vkb_instance {
    VkInstance handle;
    uint32_t api_version;
    struct vkb_device **devices;
    uint32_t num_devices;
};

/* Logs a failing call and says what it means for the caller; VK_ERROR_DEVICE_LOST marks the device. */
enum vkb_result vkb_check(struct vkb_device *device, VkResult result, const char *call);
#define CHECK(device, call) vkb_check((device), (call), #call)

void vkb_caps_query(struct vkb_device *device, uint32_t instance_version);
/* What the device supports of it. */
void vkb_features_query(struct vkb_device *device, struct vkb_features *features);
void vkb_device_mark_lost(struct vkb_device *device);
/* Ends finished batches of all queues, so that memory they held can be used. */
void vkb_device_reclaim(struct vkb_device *device);
uint64_t vkb_device_ns_from_host(struct vkb_device *device, uint64_t host_ns);
uint64_t vkb_device_ns_from_ticks(const struct vkb_device *device, uint64_t ticks);
void vkb_device_calibrate(struct vkb_device *device);
/* Waits shortly for running work, saves caches: what must be done before the driver's own exit handlers. */
void vkb_device_exit(struct vkb_device *device, uint64_t deadline_ns);
/* Keep the process's exit behind the driver's own exit handlers; see instance.c. */
void vkb_exit_pipeline_made(void);
void vkb_exit_renew(bool retired);

/* Writes the pipeline cache if it has grown (cache.c). */
void vkb_cache_save(struct vkb_device *device);
/* A pipeline was made: have the cache saved soon. */
void vkb_cache_touch(struct vkb_device *device);

VkPipelineLayout vkb_shader_layout(const struct vkb_shader *shader);
VkDescriptorSetLayout vkb_shader_set_layout(const struct vkb_shader *shader);
uint32_t vkb_shader_num_descriptors(const struct vkb_shader *shader);
enum vkb_descriptor_kind vkb_shader_descriptor(const struct vkb_shader *shader, uint32_t binding);
uint32_t vkb_shader_push_size(const struct vkb_shader *shader);
VkPipeline vkb_pipeline_handle(const struct vkb_pipeline *pipeline);

/* ---- threads (pool.c) ---- */

/* Runs call on some thread of the process's pool; false without memory or threads. Such a thread counts as inside the
 * driver. */
bool vkb_pool_run(void (*call)(void *data), void *data);
/* For pool threads around code of the application's, which must not hold up the process's exit. */
void vkb_pool_leave(void);
void vkb_pool_enter(void);
bool vkb_pool_exiting(void);
void vkb_pool_exit(uint64_t deadline_ns);
/* memcpy by several threads where that is faster. */
void vkb_pool_copy(void *dst, const void *src, uint64_t size);
/* Callbacks run one after the other on the watcher thread, which counts as inside the driver meanwhile. What can fail
 * happens when they are registered. */
bool vkb_watcher_start(void);
void *vkb_watcher_notice(void (*call)(void *data, int32_t status), void *data); /* malloc'ed; NULL without memory */
void vkb_watcher_post(void *notice, int32_t status);                            /* takes it over */

/* ---- events (event.c) ---- */

enum event_state { EVENT_HELD, EVENT_RECORDED, EVENT_SUBMITTED, EVENT_DONE };

struct callback {
    int32_t status;
    void *notice;
    struct callback *next;
};

/* A held command's interest in an event's reaching a state. Part of the held command. */
struct link {
    struct held *held;
    enum event_state level;
    struct link *next;
};

struct vkb_event {
    atomic_uint refs;
    atomic_int state;
    int32_t status;          /* 0 or an error once DONE */
    struct vkb_queue *queue; /* kept alive; NULL for user events */
    uint64_t value;          /* the batch that it is in; set before state becomes RECORDED */
    uint64_t position;       /* among the queue's commands, likewise */
    bool host_part;          /* its batch's end is followed by a copy on the host */
    uint32_t query;          /* of its first timestamp, or NO_QUERY */
    struct vkb_profile profile;
    pthread_mutex_t lock; /* guards what follows, and the changes of state */
    pthread_cond_t changed;
    uint32_t waiters;
    struct callback *callbacks;
    struct link *links;
};

#define NO_QUERY UINT32_MAX

enum vkb_result vkb_event_create(struct vkb_queue *queue, struct vkb_event **event);
/* To RECORDED or SUBMITTED. */
void vkb_event_advance(struct vkb_event *event, enum event_state state);
void vkb_event_finish(struct vkb_event *event, int32_t status);
/* True: link will fire when the event reaches the level; false: it has already. */
bool vkb_event_link(struct vkb_event *event, struct link *link);

/* ---- commands ---- */

enum command_kind {
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_DISPATCH,
    COMMAND_MARKER,
    COMMAND_WRITE,
    COMMAND_READ,
    COMMAND_IMAGE,
    COMMAND_HOST
};

struct command {
    enum command_kind kind;
    bool all;                                /* MARKER: waits for all before it */
    bool barrier;                            /* MARKER: later commands of an out-of-order queue wait for it */
    bool data_stays_valid;                   /* WRITE */
    struct vkb_buffer *src, *dst;            /* COPY; WRITE has dst only, READ src only, FILL dst only */
    struct vkb_image *src_image, *dst_image; /* IMAGE: with src or dst, or both */
    struct vkb_image_region region;
    void *data;               /* READ, WRITE: the host's side; HOST: call's argument */
    void (*call)(void *data); /* HOST */
    struct vkb_rect rect;     /* COPY, READ, WRITE (of bytes: one row); FILL uses dst_offset and width */
    uint8_t pattern[128];
    uint32_t pattern_size;
    struct vkb_dispatch dispatch;
};

/* A command that cannot be given to the GPU yet, or whose work is the host's. */
struct held {
    struct command command; /* keeps references to its objects; the dispatch's arrays follow in the same allocation */
    struct vkb_event *event;
    struct vkb_queue *queue; /* alive through event */
    atomic_uint pending;     /* links that have not fired, and 1 while it is being set up */
    bool host;               /* its work is the host's */
    bool running;
    bool need_known;
    uint64_t need; /* value of this queue's timeline that the host's work needs */
    void *owned;   /* freed at the end: bytes of a write that were taken early */
    struct held *next, *prev;
    uint32_t num_waits, num_extra; /* what it was told to wait for, and what its place in the queue adds */
    struct vkb_event **waits;      /* kept; first the former */
    struct link *links;
};

/* ---- hazards (hazard.c) ---- */

enum { HAZARD_SLOTS = 64 };

/* Which bytes were read and written since the last barrier in a queue. Of images, all or none. */
struct hazard_entry {
    const void *object;
    uint64_t generation, read_begin, read_end, write_begin, write_end;
};
struct hazards {
    struct hazard_entry entries[HAZARD_SLOTS];
    uint64_t generation;
    uint32_t count;
    bool any;                    /* something was used that is not in entries */
    VkPipelineStageFlags stages; /* that worked since */
};

struct hazard_access {
    const void *object; /* a vkb_buffer or vkb_image */
    bool host_reads;    /* the host may read what is written */
    uint64_t begin, end;
    bool reads, writes;
};

void vkb_hazards_clear(struct hazards *hazards);
bool vkb_hazards_conflict(const struct hazards *hazards, const struct hazard_access *access);
void vkb_hazards_add(struct hazards *hazards, const struct hazard_access *access);

/* ---- batches (batch.c) ---- */

enum {
    BATCH_COMMANDS = 64,
    BATCH_EAGER = 16,
    BATCH_IDLE = 4,
    BATCHES_IN_FLIGHT = 64,
    BATCH_QUERIES = 2 * BATCH_COMMANDS
};

enum ref_kind { REF_BUFFER, REF_IMAGE, REF_SHADER, REF_EVENT, REF_CHUNK };
struct batch_ref {
    enum ref_kind kind;
    void *object;
};

struct batch_wait {
    VkSemaphore semaphore; /* alive through an event in refs */
    uint64_t value;
};

/* The host's part of a staged read: done when the batch is retired. */
struct batch_copy {
    void *data;
    const char *staging;
    struct vkb_rect rect; /* the host's side is dst */
};

struct batch {
    struct vkb_device *device;
    uint64_t value; /* on the queue's timeline */
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkQueryPool queries; /* only in profiling queues */
    uint32_t num_queries, num_commands;
    VkPipeline pipeline; /* bound */
    bool host_reads;     /* memory that the host may read was written */
    uint64_t submitted_ns;
    struct vkb_event **events;
    struct batch_ref *refs;
    struct batch_wait *waits;
    struct batch_copy *copies;
    uint32_t num_events, num_refs, num_waits, num_copies;
    uint32_t cap_events, cap_refs, cap_waits, cap_copies;
    VkDescriptorPool *pools; /* the first used_pools are full */
    uint32_t num_pools, used_pools, cap_pools;
    struct batch *next;
};

struct vkb_queue {
    atomic_uint refs;  /* the application's */
    atomic_uint holds; /* of events, of tasks, and one while refs > 0 */
    struct vkb_device *device;
    uint32_t flags;
    struct vulkan_queue *vulkan;
    VkSemaphore timeline;
    struct vkb_queue *next_queue, *prev_queue; /* of the device */

    /* Progress in the background. */
    atomic_ullong interest; /* batches up to this value are retired without anybody asking */
    atomic_uint wait_active, progress_active;

    pthread_mutex_t lock;        /* guards all that follows */
    uint64_t submitted;          /* value of the last submitted batch */
    uint64_t completed;          /* last seen value of the timeline */
    struct batch *open;          /* being recorded, or NULL */
    struct batch *first, **last; /* in flight, oldest first */
    uint32_t num_in_flight;
    struct batch *unused;
    struct staging_chunk *staging[STAGING_KINDS];
    struct hazards hazards;
    bool full_barrier;         /* the next command needs one: something happened outside this queue */
    uint64_t position;         /* of the last recorded command */
    uint64_t barrier_position; /* commands up to here are ordered before whatever is recorded next */
    uint64_t barrier_value;    /* batch of the last explicit barrier */
    struct held *held_first, *held_last;
    bool demand; /* held commands must go on without anybody waiting */
};

/* The open batch, opened if there is none. */
enum vkb_result vkb_batch_open(struct vkb_queue *queue, struct batch **batch);
/* Ends and submits the open batch, if there is one with commands. */
enum vkb_result vkb_batch_submit(struct vkb_queue *queue);
/* Ends finished batches. */
void vkb_batch_retire(struct vkb_queue *queue);
void vkb_batch_destroy(struct vkb_queue *queue, struct batch *batch);
enum vkb_result vkb_batch_add_ref(struct batch *batch, enum ref_kind kind, void *object); /* takes the reference over */
enum vkb_result vkb_batch_use_buffer(struct batch *batch, struct vkb_buffer *buffer);     /* adds a reference */
enum vkb_result vkb_batch_use_image(struct batch *batch, struct vkb_image *image);
enum vkb_result vkb_batch_add_event(struct batch *batch, struct vkb_event *event);
enum vkb_result vkb_batch_add_wait(struct batch *batch, struct vkb_event *event);
enum vkb_result vkb_batch_add_copy(struct batch *batch, const struct batch_copy *copy);
/* Whether the bytes at data will be written by a read's host part that has not run yet. */
bool vkb_batch_pending_copy(const struct vkb_queue *queue, const void *data, uint64_t size);

/* Submits what must be, and waits until the queue's timeline has reached value (as far as it could be submitted).
 * Called without locks. */
enum vkb_result vkb_queue_wait_value(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns);
void vkb_queue_hold(struct vkb_queue *queue);
void vkb_queue_drop(struct vkb_queue *queue);
/* Somebody wants batches up to value retired in the background. */
void vkb_queue_attend(struct vkb_queue *queue, uint64_t value);
/* Held commands must go on without anybody waiting. */
void vkb_queue_demand(struct vkb_queue *queue);
bool vkb_queue_is_oldest(struct vkb_queue *queue, uint64_t value);
/* Has a pool thread make progress with held commands. */
void vkb_queue_kick(struct vkb_queue *queue);

/* ---- recording (record.c): with the queue's lock held ---- */

/* What a command must wait for, in terms of this queue. */
struct order {
    bool held;      /* some wait is not expressible yet */
    bool failed;    /* some wait ended with an error */
    bool barrier;   /* something outside hazard tracking comes before it */
    bool unsettled; /* data given by the host may change until a wait is over */
    bool pending;   /* some wait is not over */
    bool foreign;   /* ... and is of another queue */
    uint64_t need;  /* value of this queue's timeline that a command of the host needs */
};

enum vkb_result vkb_record(struct vkb_queue *queue, const struct command *command, struct vkb_event *const *waits,
                           uint32_t num_waits, const struct order *order, struct vkb_event *event);
/* Copies between a buffer and staging in packed order: the packed bytes [begin, end) of rect. */
enum vkb_result vkb_record_staged(struct vkb_queue *queue, struct vkb_buffer *buffer, const struct vkb_rect *rect,
                                  uint64_t begin, uint64_t end, struct vkb_buffer *staging, uint64_t staging_offset,
                                  bool write, bool barrier);

/* A copy to or from an image (image.c). */
enum vkb_result vkb_record_image(struct batch *batch, const struct command *command);

/* ---- descriptors (descriptor.c) ---- */

VkDescriptorType vkb_descriptor_type(enum vkb_descriptor_kind kind);
/* Binds the dispatch's images, if its shader has any. */
enum vkb_result vkb_descriptors_bind(struct batch *batch, const struct vkb_dispatch *dispatch);
void vkb_descriptors_recycle(struct batch *batch);
void vkb_descriptors_destroy(struct batch *batch);

/* ---- large copies and fills (bulk.c) ---- */

enum { BULK_PUSH_SIZE = 32 };

/* Record as much of a copy or fill as shaders do best, from its start; return how many bytes that was, maybe 0. It is
 * compute work for barriers. */
uint64_t vkb_bulk_copy(struct batch *batch, const struct vkb_buffer *src, uint64_t src_offset,
                       const struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size);
uint64_t vkb_bulk_fill(struct batch *batch, const struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                       const uint8_t pattern[16]);

/* ---- rectangles (rect.c) ---- */

void vkb_rect_normalise(struct vkb_rect *rect);
struct vkb_rect vkb_rect_bytes(uint64_t src_offset, uint64_t dst_offset, uint64_t size);
uint64_t vkb_rect_total(const struct vkb_rect *rect);
/* One past the last byte touched on either side. */
uint64_t vkb_rect_src_end(const struct vkb_rect *rect);
uint64_t vkb_rect_dst_end(const struct vkb_rect *rect);
/* Copies on the host; either side may be packed staging memory holding the packed bytes [begin, end). */
void vkb_rect_copy_host(void *dst, const void *src, const struct vkb_rect *rect);
void vkb_rect_pack(void *staging, const void *src, const struct vkb_rect *rect, uint64_t begin, uint64_t end);
void vkb_rect_unpack(void *dst, const void *staging, const struct vkb_rect *rect, uint64_t begin, uint64_t end);

/* A walk over the contiguous pieces of a rectangle's packed bytes [at, end). */
struct rect_walk {
    const struct vkb_rect *rect;
    uint64_t at, end;
    uint64_t src, dst, packed, size; /* the piece: offsets on both sides, in packed order, and its length */
};
bool vkb_rect_next(struct rect_walk *walk);

/* ---- enqueueing and held commands (enqueue.c, held.c) ---- */

enum vkb_result vkb_enqueue(const struct vkb_enqueue *enqueue, const struct command *command);
void vkb_order(struct vkb_queue *queue, struct vkb_event *const *waits, uint32_t num_waits, bool host,
               struct order *order);
int32_t vkb_status_of(enum vkb_result result);

/* What a thread that makes progress may do. */
enum progress {
    PROGRESS_POLL,    /* no work of the host */
    PROGRESS_HELP,    /* transfers: a thread that waits anyway */
    PROGRESS_BACKEND, /* everything */
};
/* Takes owned over when it succeeds. With the queue's lock held. */
enum vkb_result vkb_held_add(struct vkb_queue *queue, const struct command *command, const struct vkb_enqueue *enqueue,
                             void *owned, struct vkb_event *event);
bool vkb_held_blocks(const struct vkb_queue *queue,
                     const struct command *command); /* whether a new command is behind held ones */
void vkb_queue_progress(struct vkb_queue *queue, enum progress mode);
/* The timeline value that a thread waiting for the event can wait for itself, or 0. */
uint64_t vkb_held_need(struct vkb_queue *queue, struct vkb_event *event);
void vkb_held_fire(struct link *link);

/* ---- transfers (transfer.c) ---- */

enum { TRANSFER_INLINE = 256 << 10, TRANSFER_STAGED = 1 << 20 };

/* Does a held READ or WRITE; called without locks. idle: nothing that came before it in the queue still runs. */
enum vkb_result vkb_transfer_run(struct vkb_queue *queue, const struct command *command, bool idle);
/* The same at once, in mapped memory. */
void vkb_transfer_direct(const struct command *command);
/* Whether the host can move the bytes itself at a good speed. */
bool vkb_transfer_is_direct(const struct command *command);

/* Grows a malloc'ed array to hold count elements. */
enum vkb_result vkb_grow(void **data, uint32_t *capacity, uint32_t count, size_t size);

#endif
