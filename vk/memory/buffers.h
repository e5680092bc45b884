/* Buffers as users of the backend see them. */
#ifndef VK_MEMORY_BUFFERS_H
#define VK_MEMORY_BUFFERS_H

#include "vk/device/devices.h"

enum vkb_memory_kind {
    VKB_MEMORY_DEVICE,   /* fastest for the device; mapped too where that costs nothing (unified memory) */
    VKB_MEMORY_UPLOAD,   /* the device's, written by the host through a mapping (ReBAR, else host memory) */
    VKB_MEMORY_HOST,     /* the host's, cached; the device reaches it over the bus (ALLOC_HOST_PTR, staging) */
    VKB_MEMORY_SHARED,   /* mapped at the device's own address: vkb_device_shares_addresses() */
    VKB_MEMORY_SHADOWED, /* the device's; the host has pages of its own at the device's address, and copies are left to
                            the caller: vkb_device_shadows() */
};

struct vkb_buffer;

/* Bytes of device memory that are free at this moment and promised to nobody, and how large a buffer may be that is made of them. False: the
 * driver does not tell. */
bool vkb_device_memory(struct vkb_device *device, uint64_t *available, uint64_t *largest);

enum vkb_promise {
    VKB_PROMISE_MADE,
    VKB_PROMISE_OPEN,    /* nothing is promised to anybody: whether there is so much an allocation will show */
    VKB_PROMISE_REFUSED, /* what is left is promised to others */
};

/* Promises memory that vkb_buffer_create() or vkb_image_create() will be asked for later; the promise is to be taken
 * back then. The driver is asked only now and then. Before it refuses, the call waits for the GPU as vkb_buffer_create()
 * does. */
enum vkb_promise vkb_memory_promise(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);
void vkb_memory_take_back(struct vkb_device *device, enum vkb_memory_kind kind, uint64_t size);

/* Makes a buffer of size > 0 bytes; small ones are sub-allocated. The memory is not promised to be zero. Where memory
 * is short, the call waits for the GPU for some seconds, since finished work gives memory back. */
enum vkb_result vkb_buffer_create(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
                                  struct vkb_buffer **buffer);
/* The same, of memory that is promised to nobody. */
enum vkb_result vkb_buffer_create_unpromised(struct vkb_device *device, uint64_t size, enum vkb_memory_kind kind,
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
/* The memory behind a handle of the given kind, from its start. After success it is the driver's if vkb_handle_is_taken();
 * after a failure it is still the caller's. VKB_UNSUPPORTED: the device cannot import it, or it is no such handle. Its
 * contents belong to others until vkb_cmd_ownership() acquires it. */
enum vkb_result vkb_buffer_import_handle(struct vkb_device *device, enum vkb_handle kind, intptr_t handle,
                                         uint64_t size, struct vkb_buffer **buffer);
/* Has the commands that use an imported buffer take it from its owners and give it back, without
 * vkb_cmd_ownership(): for owners who only look at whether commands have ended. Called before any command uses it. */
void vkb_buffer_lend(struct vkb_buffer *buffer);
/* A buffer of device memory that other devices and processes can import; there is no more than one such buffer in an
 * allocation of the driver's. It is the device's until vkb_cmd_ownership() gives it to others. VKB_UNSUPPORTED: the
 * device exports no such handles. It does not wait for memory. */
enum vkb_result vkb_buffer_create_exported(struct vkb_device *device, uint64_t size, enum vkb_handle kind,
                                           struct vkb_buffer **buffer);
/* What an API that imports its memory must be told: bytes of the allocation, and whether it is the buffer's alone. */
void vkb_buffer_export_size(const struct vkb_buffer *buffer, uint64_t *size, bool *dedicated);
/* A handle of its memory, which is the caller's; -1: the driver gives none. */
intptr_t vkb_buffer_export(struct vkb_buffer *buffer, enum vkb_handle kind);
struct vkb_buffer *vkb_buffer_retain(struct vkb_buffer *buffer);
/* The memory is freed once no command that was enqueued with it is running any more. */
void vkb_buffer_release(struct vkb_buffer *buffer);
uint64_t vkb_buffer_address(const struct vkb_buffer *buffer); /* device address */
uint64_t vkb_buffer_size(const struct vkb_buffer *buffer);
void *vkb_buffer_map(
    const struct vkb_buffer *buffer); /* persistent host address, or NULL; reads may be slow: see fast_read */
bool vkb_buffer_fast_read(const struct vkb_buffer *buffer); /* the mapping is cached host memory */

/* For a process that looks for reads of memory that nobody wrote: from now on it is known which bytes of the buffer were
 * written. A second buffer has a byte for each, which is 1 where it was; the caller fills it with zeros. Called before any
 * command uses the buffer. Commands that copy, fill and write keep it up; for kernels and the host's own writes that is
 * left to the caller (vkb_cmd_written()). VKB_OUT_OF_DEVICE_MEMORY, too, where all such buffers of the device would have
 * more than `most` bytes. */
enum vkb_result vkb_buffer_watch(struct vkb_buffer *buffer, uint64_t most);
void vkb_buffer_unwatch(struct vkb_buffer *buffer);
struct vkb_buffer *vkb_buffer_written(const struct vkb_buffer *buffer); /* NULL: not watched */

/* Makes room to note who touched the buffer: 16 bytes for each word of four. The caller keeps others from doing so, too. */
enum vkb_result vkb_buffer_track(struct vkb_buffer *buffer, uint64_t most);
struct vkb_buffer *vkb_buffer_tracks(const struct vkb_buffer *buffer); /* NULL: there is none */
/* Whether that is to be cleared, since it was last in another round, or never. */
bool vkb_buffer_tracks_age(struct vkb_buffer *buffer, uint32_t round);

/* Bytes that a new buffer or image is filled with. The device copies them before the first command that uses the
 * object, and nobody waits for that; it does nothing where there is no such command. */
struct vkb_contents;
/* Memory for them, which the host sees. They are counted as long as they wait: VKB_OUT_OF_DEVICE_MEMORY where it is too
 * much, and the device has not made room within some seconds. */
enum vkb_result vkb_contents_create(struct vkb_device *device, uint64_t size, struct vkb_contents **contents);
/* The bytes of a buffer that the device reads, which must not change until they were copied. NULL: out of memory. */
struct vkb_contents *vkb_contents_of(struct vkb_buffer *buffer);
void *vkb_contents_map(const struct vkb_contents *contents);
void vkb_contents_release(struct vkb_contents *contents);
/* Whether there is room for more of them to wait for commands that may never come. If not, the object is to be made
 * ready at once (vkb_cmd_first_use()). */
bool vkb_contents_may_wait(const struct vkb_device *device);
/* Has a buffer that no command was enqueued with filled from its first byte on. The reference is the buffer's. */
void vkb_buffer_give(struct vkb_buffer *buffer, struct vkb_contents *contents);

#endif
