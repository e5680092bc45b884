/* Device memory: blocks (memory.c, sparse.c), buffers as parts of them (pools.c), what of it is kept after its last use
 * (keep.c), and what is done when it is short (recover.c). */
#ifndef VK_MEMORY_MEMORY_H
#define VK_MEMORY_MEMORY_H

#include "vk/device/pool.h"
#include "vk/memory/images.h"
#include "vk/memory/kept.h"
#include "vk/memory/spans.h"

enum { MEMORY_KINDS = 5, MAX_CANDIDATES = 4 };

/* One VkDeviceMemory under one VkBuffer. */
struct memory_block {
    struct span_block part;   /* must be first; without spans where one buffer has the whole block */
    struct memory_pool *pool; /* NULL: dedicated or imported, and given back to the driver with its buffer */
    struct kept kept;         /* in the pool, while the block is without spans and unused */
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
    uint32_t heap;             /* that reserved is counted for */
    uint64_t used;             /* bytes, where one buffer or image has the block */
    bool lent;                 /* others have it between the batches that use it: vkb_buffer_lend() */
    uint32_t owner;            /* imported from a file: the queue family that stands for the others */
};

/* Small buffers have blocks of their own, so that one that stays does not hold a large block. Images do not share blocks
 * with buffers (bufferImageGranularity), nor with images that are aligned otherwise. */
enum {
    POOL_SMALL,
    POOL_MEDIUM,
    POOL_SIZES,
    BUFFER_POOLS = MEMORY_KINDS * POOL_SIZES,
    IMAGE_POOLS = 8,
    NUM_POOLS = BUFFER_POOLS + IMAGE_POOLS,
    IMAGE_LISTS = 32,
    IMAGE_SUPPORTS = 64,
    IMAGES_KEPT = 256
};

/* Where the sub-allocations of one kind of memory live, and blocks of its larger buffers that are gone. */
struct memory_pool {
    pthread_mutex_t
        growing; /* held by the thread that asks the driver for a block; those who need one too wait for it */
    struct span_pool spans;
    struct kept_list kept;
    uint64_t next_size, largest; /* of blocks for sub-allocation: the next one's, and the most */
    enum vkb_memory_kind kind;   /* of a buffers' pool */
    uint32_t type;               /* of an images' pool: the memory's, and what offsets are multiples of */
    uint64_t alignment;          /* 0: the pool is not used yet */
};

/* What the driver says of images of a format and usage. */
struct image_support {
    bool there; /* it has been asked */
    enum vkb_image_kind kind;
    uint32_t format, sampled_format, other_format;
    bool sampled, storage;
    bool supported;
    VkExtent3D most;
    uint32_t layers, levels;
    uint32_t raw; /* the VkFormat of whole numbers by which shaders may write it, too; or 0 */
};

/* A part of a block for something, or a whole block. */
struct memory_part {
    struct memory_block *block;
    struct span *span; /* NULL: the whole */
    uint64_t offset;
};

enum { SHARING_UNKNOWN, SHARING_YES, SHARING_NO };

struct memory {
    pthread_mutex_t lock;                 /* guards the pools and what follows; no call of Vulkan is made under it */
    struct memory_pool pools[NUM_POOLS];  /* of buffers, by kind and size, then of images */
    struct kept_list images[IMAGE_LISTS]; /* image.c: unused ones, by a hash of what they are */
    struct image_support supports[IMAGE_SUPPORTS]; /* by a hash of what they are about */
    pthread_cond_t overfull;                       /* more is unused than may be */
    bool has_keeper;                               /* the task below is posted or runs */
    struct pool_task keeper;
    uint64_t keeps_most; /* bytes of unused memory; does not change */
    struct memory_reading {
        uint64_t time_ns; /* 0: there was none */
        uint64_t available[VK_MAX_MEMORY_HEAPS], held[VK_MAX_MEMORY_HEAPS];
    } reading;                       /* what the driver said last, and what blocks held then */
    uint64_t promised[MEMORY_KINDS]; /* bytes of each kind: promise.c */
    pthread_mutex_t giving;          /* held while unused memory goes back to the driver */
    struct first_uses *first_uses;   /* first_use.c */

    atomic_ullong contents;                            /* bytes that wait to be copied into new objects (contents.c) */
    atomic_ullong held;                                /* bytes of the driver's memory in blocks, */
    atomic_ullong in_use;                              /* bytes of what has parts of them, or has them whole */
    atomic_ullong held_in[VK_MAX_MEMORY_HEAPS];        /* and in those of each heap */
    atomic_int shares, shadows, imports_in_place;      /* SHARING_*: what shared.c has found */
    uint32_t candidates[MEMORY_KINDS][MAX_CANDIDATES]; /* memory types in order of preference */
    uint32_t num_candidates[MEMORY_KINDS];
    uint64_t block_size;        /* the largest block for sub-allocation; larger buffers than a quarter have their own */
    atomic_uint num_large;      /* blocks of 4 GiB or more */
    atomic_ullong reserved;     /* bytes of device memory; counted where there is a heap_limit */
    atomic_ullong refused_size; /* the least size beyond max_single_allocation that the driver refused in one piece */
};

enum vkb_result vkb_memory_init(struct vkb_device *device);

struct memory_source;

/* The parts of vkb_buffer_allocate() that imports share (memory.c): block->buffer, and memory of the given type for it.
 * source may be NULL. */
enum vkb_result vkb_block_create_buffer(struct vkb_device *device, struct memory_block *block,
                                        VkBufferCreateFlags flags, const VkExternalMemoryBufferCreateInfo *external);
enum vkb_result vkb_block_bind(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind,
                               uint64_t size, uint32_t type, const struct memory_source *source);
void vkb_block_destroy(struct vkb_device *device, struct memory_block *block);
/* A block for buffers of that kind. */
enum vkb_result vkb_block_create(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size,
                                 struct memory_block **block);
/* A block without a buffer, of a memory type. next: of VkMemoryAllocateInfo. */
enum vkb_result vkb_block_create_plain(struct vkb_device *device, uint32_t type, uint64_t size, const void *next,
                                       struct memory_block **block);
/* A block that others can import. */
enum vkb_result vkb_block_create_exported(struct vkb_device *device, uint64_t size, const struct memory_source *source,
                                          struct memory_block **block);
/* Whether it counts as a buffer of 4 GiB or more (vkb_device_has_large_buffers()), if it is as large. */
void vkb_block_count_large(struct vkb_device *device, const struct memory_block *block, bool counts);

/* What may be done to find memory. */
enum memory_effort {
    EFFORT_TRIM, /* free what is kept for later; the caller may have a queue's lock */
    EFFORT_WAIT, /* and wait for the GPU; the caller has no lock of the backend */
};
/* Chooses block, span and offset for a buffer of buffer->size bytes. */
enum vkb_result vkb_buffer_allocate(struct vkb_device *device, enum vkb_memory_kind kind, enum memory_effort effort,
                                    struct vkb_buffer *buffer);
void vkb_buffer_free(struct vkb_buffer *buffer);

/* Memory of a type for an image, and the end of it. */
enum vkb_result vkb_part_allocate(struct vkb_device *device, uint32_t type, uint64_t size, uint64_t alignment,
                                  struct memory_part *part);
/* The same by an allocation of its own. next: of VkMemoryAllocateInfo. */
enum vkb_result vkb_part_allocate_alone(struct vkb_device *device, uint32_t type, uint64_t size, const void *next,
                                        struct memory_part *part);
void vkb_part_free(struct vkb_device *device, const struct memory_part *part);

/* Memory of the buffer's own, for vkb_buffer_export() (external.c has what it is made from). */
enum vkb_result vkb_buffer_allocate_exported(struct vkb_device *device, const struct memory_source *source,
                                             struct vkb_buffer *buffer);

/* True: something was done, and the allocation should be tried again. EFFORT_WAIT only waits where work is under way.
 */
bool vkb_memory_recover(struct vkb_device *device, enum memory_effort effort);
/* The heap that blocks of the kind come from, as a rule. */
uint32_t vkb_memory_heap(const struct vkb_device *device, enum vkb_memory_kind kind);
/* Bytes of a heap, or of what heap_limit counts, that nothing uses, though they are not the driver's. With memory's lock
 * held. */
uint64_t vkb_keep_unused(const struct vkb_device *device, uint32_t heap);
uint64_t vkb_keep_unused_limited(const struct vkb_device *device);

/* ---- keep.c ---- */

void vkb_keep_init(struct vkb_device *device);
/* A block whose last buffer is gone: it stays for a while. */
void vkb_keep_block(struct vkb_device *device, struct memory_block *block);
/* An image whose last user is gone, if it may stay for a while; else false. */
bool vkb_keep_image(struct vkb_image *image);
/* A kept block of a pool of at least and at most so many bytes, or NULL. With memory's lock held. */
struct memory_block *vkb_keep_take(struct vkb_device *device, struct memory_pool *pool, uint64_t least, uint64_t most);
/* Something has become unused: called with memory's lock held. True: vkb_keep_start() is to be called without it. */
bool vkb_keep_noted(struct vkb_device *device);
void vkb_keep_start(struct vkb_device *device);
void vkb_memory_trim(struct vkb_device *device); /* frees all that nothing uses */

/* ---- recover.c ---- */

/* Whether so much may be taken: asked before every allocation, and taken back when it is freed. */
bool vkb_memory_reserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);
void vkb_memory_unreserve(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);
bool vkb_memory_is_limited(const struct vkb_device *device, enum vkb_memory_kind kind); /* by heap_limit */

/* ---- promise.c ---- */

/* Of the heap that buffers come from, in bytes; false: unknown. It asks the driver. */
bool vkb_memory_budget(struct vkb_device *device, uint64_t *budget, uint64_t *available);

/* Gives memory to block->buffer, which has sparse binding, and fills in parts and address (sparse.c). After a failure
 * the block owns what was allocated. */
enum vkb_result vkb_sparse_back(struct vkb_device *device, struct memory_block *block, enum vkb_memory_kind kind);

#endif
