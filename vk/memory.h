/* Device memory: blocks that buffers and images are parts of (memory.c), and mapped memory for transfers, which batches
 * take and give back (staging.c). */
#ifndef VK_MEMORY_H
#define VK_MEMORY_H

#include "vk/backend.h"

enum { MEMORY_KINDS = 5, MEMORY_CLASSES = 24 * 8, MAX_CANDIDATES = 4 };

/* One VkDeviceMemory under one VkBuffer. */
struct memory_block {
    struct memory_pool *pool; /* NULL: dedicated or imported */
    VkDeviceMemory memory;
    VkBuffer buffer;
    VkDeviceMemory *parts; /* of a sparse buffer, instead of memory; see sparse.c */
    uint32_t num_parts;
    uint64_t size, address;
    char *map;          /* NULL where the host cannot see it */
    uint64_t allocated; /* bytes of memory, where kind is VKB_MEMORY_SHARED */
    void *shadow;       /* of VKB_MEMORY_SHADOWED: the host's pages at the same address, or NULL */
    size_t shadow_size;
    bool cached;
    bool imported;
    uint32_t type;             /* the memory's */
    uint64_t reserved;         /* bytes: vkb_memory_reserve() */
    enum vkb_memory_kind kind; /* of reserved */
    bool lent;                 /* others have it between the batches that use it: vkb_buffer_lend() */
    uint32_t owner;            /* imported from a file: the queue family that stands for the others */
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
    pthread_mutex_t
        growing; /* held by the thread that asks the driver for a block; those who need one too wait for it */
    struct memory_block *blocks;
    struct memory_span *classes[MEMORY_CLASSES];
    uint64_t bitmap[MEMORY_CLASSES / 64];
    uint64_t next_size;  /* of the next block */
    uint32_t num_unused; /* blocks without allocations: one is kept */
};

enum { SHARING_UNKNOWN, SHARING_YES, SHARING_NO };

struct memory {
    pthread_mutex_t lock; /* guards the pools; no call of Vulkan is made under it */
    struct memory_pool pools[MEMORY_KINDS];
    atomic_int shares, shadows, imports_in_place;      /* SHARING_*: what shared.c has found */
    uint32_t candidates[MEMORY_KINDS][MAX_CANDIDATES]; /* memory types in order of preference */
    uint32_t num_candidates[MEMORY_KINDS];
    uint64_t block_size;        /* the largest block for sub-allocation */
    atomic_uint num_large;      /* blocks of 4 GiB or more */
    atomic_ullong reserved;     /* bytes of device memory; counted where there is a heap_limit */
    atomic_ullong refused_size; /* the least size beyond max_single_allocation that the driver refused in one piece */
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
    bool pinned; /* pinned.c knows it */
};

struct vkb_image {
    atomic_uint refs;
    struct vkb_device *device;
    uint64_t number; /* no other image of the process ever has it; not 0 */
    struct vkb_image_info info;
    VkImage handle; /* always in VK_IMAGE_LAYOUT_GENERAL */
    VkDeviceMemory memory;
    uint64_t reserved;            /* bytes: vkb_memory_reserve() */
    uint32_t owner;               /* of an imported one: the queue family that stands for the others */
    VkImageView sampled, storage; /* as far as info says */
    struct vkb_image *base;       /* whose texels these are too (vkb_image_create_view()), or NULL */
    struct vkb_buffer *buffer;    /* whose texels, from offset, or NULL */
    uint64_t offset;
    VkBufferView texels;
    bool filters;     /* linear filters work on the sampled view */
    bool host_copies; /* made for copies by the host (host_image.c) */
};

/* The beginning and the end of making one: with one reference and no memory, and, when it has its block and offset,
 * what follows from them. */
struct vkb_buffer *vkb_buffer_new(struct vkb_device *device, uint64_t size);
void vkb_buffer_complete(struct vkb_buffer *buffer);

enum vkb_result vkb_memory_init(struct vkb_device *device);
/* What memory is made from instead of fresh pages, or whom it is made for. */
struct memory_source {
    VkExternalMemoryHandleTypeFlagBits handle;
    void *pages;    /* the host's */
    int fd;         /* or a file descriptor */
    bool dedicated; /* the driver wants an allocation for one buffer or image */
    bool exports;   /* fresh pages, from which file descriptors of that kind are to be made */
};

/* The parts of vkb_buffer_allocate() that imports share (memory.c): block->buffer, and memory of the given type for it.
 * source may be NULL. */
enum vkb_result vkb_block_create_buffer(struct vkb_device *device, struct memory_block *block,
                                        VkBufferCreateFlags flags, const VkExternalMemoryBufferCreateInfo *external);
enum vkb_result vkb_block_bind(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind,
                               uint64_t size, uint32_t type, const struct memory_source *source);
void vkb_block_destroy(struct vkb_device *device, struct memory_block *block);
#define BLOCK_USAGE                                                                                                    \
    ((VkBufferUsageFlags)(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |                        \
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |              \
                          VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT))
/* What may be done to find memory. */
enum memory_effort {
    EFFORT_TRIM, /* free what is kept for later; the caller may have a queue's lock */
    EFFORT_WAIT, /* and wait for the GPU; the caller has no lock of the backend */
};
/* Chooses block, span and offset for a buffer of buffer->size bytes. */
enum vkb_result vkb_buffer_allocate(struct vkb_device *device, enum vkb_memory_kind kind, enum memory_effort effort,
                                    struct vkb_buffer *buffer);
/* vkb_buffer_create() for callers that have a queue's lock: it does not wait. */
enum vkb_result vkb_buffer_create_now(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                      struct vkb_buffer **buffer);
/* True: something was done, and the allocation should be tried again. EFFORT_WAIT only waits where work is under way.
 */
bool vkb_memory_recover(struct vkb_device *device, enum memory_effort effort);
void vkb_memory_trim(struct vkb_device *device);  /* frees blocks that nothing uses */
void vkb_staging_trim(struct vkb_device *device); /* the same with staging memory */
/* Whether so much may be taken: before every allocation, and taken back when it is freed. */
bool vkb_memory_reserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);
void vkb_memory_unreserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);
/* Of the heap that buffers come from, in bytes; false: unknown. */
bool vkb_memory_budget(struct vkb_device *device, uint64_t *budget, uint64_t *available);
enum vkb_result vkb_buffer_allocate_import(struct vkb_device *device, void *pages, uint64_t size,
                                           struct vkb_buffer *buffer);
enum vkb_result vkb_buffer_allocate_fd(struct vkb_device *device, enum vkb_handle kind, int fd, uint64_t size,
                                       struct vkb_buffer *buffer);
/* Memory of the buffer's own, for vkb_buffer_export() (external.c has what it is made from). */
enum vkb_result vkb_buffer_allocate_exported(struct vkb_device *device, const struct memory_source *source,
                                             struct vkb_buffer *buffer);
/* The chain that imports source, or exports, with an allocation for one image or buffer (external.c). */
struct memory_chain {
    VkImportMemoryHostPointerInfoEXT pages;
    VkImportMemoryFdInfoKHR fd;
    VkExportMemoryAllocateInfo exported;
    VkMemoryDedicatedAllocateInfo dedicated;
};
const void *vkb_source_chain(const struct memory_source *source, VkBuffer buffer, VkImage image,
                             struct memory_chain *chain);
/* The source that a file descriptor of an image is, and its owner; false: the device cannot import such images. */
bool vkb_source_of_image(struct vkb_device *device, const VkImageCreateInfo *create, int fd,
                         struct memory_source *source);
void vkb_buffer_free(struct vkb_buffer *buffer);
/* Maps block->memory at the address that the device uses for it, block->address (shared.c). */
enum vkb_result vkb_shared_map(struct vkb_device *device, struct memory_block *block);
/* Gives the host pages at block->address, which the block owns from then on. VKB_UNSUPPORTED: something else of the
 * process is there. */
enum vkb_result vkb_shadow_reserve(struct vkb_device *device, struct memory_block *block);
void vkb_shadow_release(struct memory_block *block);
/* Gives memory to block->buffer, which has sparse binding, and fills in parts and address (sparse.c). After a failure
 * the block owns what was allocated. */
enum vkb_result vkb_sparse_back(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind);

/* ---- staging (staging.c) ---- */

enum staging_kind { STAGING_UPLOAD, STAGING_DOWNLOAD };
enum { STAGING_KINDS = 2, STAGING_CHUNK = 1 << 20, STAGING_LARGEST = STAGING_CHUNK / 4, TRANSFER_SLOT = 8 << 20 };

/* A mapped buffer that is handed out from its start to its end. Batches that use it hold references; with the last one
 * the chunk returns to the device. */
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

/* ---- the host's memory that the device reaches (pinned.c) ---- */

/* The smallest buffer that is remembered, in bytes. */
enum { PINNED_LEAST = 64 << 10 };

/* Buffers in cached host memory, in the order of where the host sees them. They do not overlap. */
struct pinned {
    pthread_mutex_t lock; /* guards what follows */
    struct vkb_buffer **list;
    size_t count, capacity;
};

/* Remembers a buffer that is complete. Where there is no memory for that, its pages are treated as any others. */
void vkb_pinned_add(struct vkb_buffer *buffer);
/* Forgets it: called when its last reference is gone, before its memory is freed. */
void vkb_pinned_remove(struct vkb_buffer *buffer);
/* The buffer that all these bytes of the host lie in, with a reference; or NULL. */
struct vkb_buffer *vkb_pinned_find(struct vkb_device *device, const void *data, uint64_t size);
/* Whether any of the bytes lie in such a buffer. */
bool vkb_pinned_overlaps(struct vkb_device *device, const void *data, uint64_t size);

struct batch;
enum vkb_result vkb_staging_take(struct vkb_queue *queue, struct batch *batch, enum staging_kind kind, uint64_t size,
                                 struct staging_slice *slice);
void vkb_staging_chunk_release(struct vkb_device *device, struct staging_chunk *chunk);
enum vkb_result vkb_staging_slot(struct vkb_device *device, struct vkb_buffer **slot);
void vkb_staging_slot_return(struct vkb_device *device, struct vkb_buffer *slot);

#endif
