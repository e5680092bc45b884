/* Memory objects. */
#ifndef SRC_OBJECT_MEMORY_H
#define SRC_OBJECT_MEMORY_H

#include "src/device/object.h"
#include "src/object/external.h"

struct ocl_foreign;   /* src/object/foreign.h */
struct ocl_gl_object; /* src/gl/gl.h */
struct ocl_va_origin; /* src/object/va_memory.h */

struct ocl_map {
    void *pointer;
    size_t offset, size;         /* bytes, in the memory object that was mapped */
    size_t origin[3], region[3]; /* texels, where that is an image */
    uint32_t level;              /* ... and of this level of detail */
    cl_map_flags flags;
    struct ocl_map *next;
};

struct ocl_mem_callback {
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *data;
    struct ocl_mem_callback *next;
};

/* A buffer, a sub-buffer, an image or a pipe. The memory is the root's: one vkb_buffer or vkb_image per device of the
 * context, made when first used there, or at once where contents are given. In a context of one device it has been
 * promised since the object was created. In a context of several devices `valid`
 * says whose copy is up to date, and commands move it over (command.c). An image of another object has its own
 * vkb_image over the root's memory, or beside it (image_use.c). */
struct _cl_mem {
    struct ocl_object object;
    atomic_uint weak; /* the struct itself: 1 for all references, 1 per kernel argument */
    cl_context context;
    cl_mem_object_type type;
    struct ocl_image *image; /* NULL: a buffer or a pipe */
    cl_mem parent;           /* retained; NULL for a root */
    bool hides_parent; /* an imported image, one of planes, or one that is mapped in place: the buffer whose texels
                          these are is nobody's but the image's */
    size_t origin;     /* in the root */
    cl_mem_flags flags;
    size_t size;
    cl_uint packet_size, max_packets; /* of a pipe; packet_size in bytes */
    void *host_ptr;                   /* USE_HOST_PTR: the application's; else NULL */
    cl_mem_properties *properties;
    size_t num_properties;
    struct ocl_gl_object *gl;     /* the object of OpenGL that it was made from, a reference; or NULL */
    struct vkb_buffer *gl_shared; /* memory that both devices copy its contents by (gl_shared.c), or NULL */
    bool gl_in_place;             /* its memory is OpenGL's as well, and changes hands */
    struct ocl_va_origin *va;     /* the surface that it was made from (va_memory.h), or NULL */
    struct ocl_foreign *foreign;  /* contents that the host fetches and brings back, a reference; or NULL */
    atomic_ullong acquired_stamp; /* ocl_mem_stamp() when either was acquired; 0: it is not */

    pthread_mutex_t mutex;              /* guards what follows */
    struct ocl_mem_callback *callbacks; /* newest first */
    struct vkb_callback *farewell;      /* calls them, where the steward lets the object go; or NULL */
    struct ocl_map *maps;               /* newest first */
    cl_uint map_count;

    /* the root's */
    atomic_bool placed; /* context of one device: there is memory, and storage[0].buffer or .image does not change */
    bool is_placing;    /* a thread allocates it (ocl_mem_place_late()) */
    atomic_bool for_kernels; /* before that: see ocl_mem_lean() */
    uint64_t promised;       /* bytes: vkb_memory_promise(), until there is */
    bool has_address;        /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: the context knows it by its address */
    uint64_t imports;        /* bits of the devices whose storage is one memory, imported from a file descriptor */
    atomic_bool has_images;  /* kernels may write it as an image's texels */
    bool lent;     /* ... and that every command takes from its owners and gives back (cl_arm_import_memory) */
    bool in_place; /* kernels work on what lies at host_ptr, not on a copy */
    bool uses_svm; /* host_ptr lies in shared virtual memory, whose buffers these are */
    struct vkb_contents *contents; /* of an image that is promised: its texels; or NULL */
    /* ... and of images */
    struct ocl_storage {
        struct vkb_buffer *buffer;
        uint64_t offset;           /* of the root in it: not 0 in memory that is known by its address */
        bool zero_copy;            /* the host reads and writes the memory in place */
        bool exported;             /* other devices can import the buffer's memory (peer.c) */
        struct vkb_buffer **peers; /* ... which they have as these, per device; NULL until they do */
        struct vkb_event *arrives; /* several devices: NULL, or the transfer that makes this copy up to date */
        struct vkb_image *image;
        struct vkb_image *bits;    /* image's texels in its format's bits_format, or NULL; made when first used */
        struct vkb_image **levels; /* of a mip-mapped image that kernels write, or NULL; each made when first used */
        uint64_t copied;           /* image beside a buffer: ocl_mem_stamp() of what it was copied from; 0: nothing */
        struct vkb_event *copies;  /* ... and the event after which it has been, or NULL */
    } * storage;                   /* per device of the context */
    atomic_ullong writes;          /* commands that were enqueued to write it, and one */
    void *shadow;                  /* what maps point to where nothing is zero-copy: host_ptr, or size bytes of ours */
    struct vkb_buffer *shadow_buffer; /* the shadow's memory where the device reaches it, too; or NULL */
    uint64_t shadow_stamp;            /* ocl_mem_stamp() when the shadow had all of the root's contents; or 0 (map.c) */
    bool deferred;                    /* commands may read the shadow: freed only when the queues have passed them */
    uint64_t valid; /* several devices: bit per device whose copy is up to date, as soon as last_write and its
                       `arrives` have happened; 0: nobody wrote yet */
    struct vkb_event *last_write;
};

/* read: what the properties say; its file descriptor stays the caller's. CL_INVALID_PROPERTY: it cannot be imported. */
cl_int ocl_mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      const cl_mem_properties *properties, const struct ocl_mem_properties *read, cl_mem *mem);
/* Calls import_one for each device that is to import, with a copy of the file descriptor, which the call takes over
 * when it succeeds, or with Windows' handle itself, which it leaves. After a failure the root has no memory. */
cl_int ocl_mem_import(cl_mem root, const struct ocl_mem_properties *read,
                      enum vkb_result (*import_one)(cl_mem root, cl_uint device, const struct ocl_mem_properties *read,
                                                    intptr_t handle));
static inline bool ocl_mem_is_imported(const struct _cl_mem *mem)
{
    return mem->foreign || (mem->hides_parent ? mem->parent->imports : !mem->parent && mem->imports && !mem->lent);
}
cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *mem);
/* Allocates the root's memory on a device of the context. Called with its mutex held, or before anybody else knows it.
 */
cl_int ocl_mem_place(cl_mem root, cl_uint device);
/* Context of one device: has the root's memory promised; then it need not be allocated before ocl_mem_ready() is
 * called, and the promise is taken back with the memory or with ocl_mem_unpromise(). */
enum vkb_promise ocl_mem_promise(cl_mem root, uint64_t size);
void ocl_mem_unpromise(cl_mem root);
cl_int ocl_mem_place_late(cl_mem root);
/* Context of one device, and before any use of the root's storage: allocates its memory unless that has been done. */
static inline cl_int ocl_mem_ready(cl_mem root)
{
    return atomic_load_explicit(&root->placed, memory_order_acquire) ? CL_SUCCESS : ocl_mem_place_late(root);
}
/* Called before ocl_mem_ready() by commands whose first use of a buffer says that kernels will work on it: kernels, and
 * writes of other commands than maps. */
static inline void ocl_mem_lean(cl_mem root)
{
    if (!atomic_load_explicit(&root->placed, memory_order_relaxed))
        atomic_store(&root->for_kernels, true);
}
/* The same on any device of any context. */
cl_int ocl_mem_place_on(cl_mem root, cl_uint device);
/* Writes the first bytes of memory that was just placed, before commands use it. */
cl_int ocl_mem_upload(cl_mem root, cl_uint device, const void *data, size_t size);
void ocl_mem_retain(cl_mem mem);
void ocl_mem_release(cl_mem mem);
void ocl_mem_retain_weak(cl_mem mem);
void ocl_mem_release_weak(cl_mem mem);
static inline cl_mem ocl_mem_root(cl_mem mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}
bool ocl_is_buffer(cl_mem mem); /* false for what is no memory object, too */
/* The struct, with neither memory nor context yet. */
cl_mem ocl_mem_allocate(cl_context context, cl_mem_object_type type, cl_mem_flags flags, size_t size);
cl_int ocl_mem_set_properties(cl_mem mem, const cl_mem_properties *properties, size_t num_properties);
void ocl_mem_destroy_struct(cl_mem mem); /* of one that was never handed out */
/* Commands may read the host's memory: it is freed only when the queues have passed them. */
void ocl_mem_defer(cl_mem mem);
/* Before a destructor callback is added, with the mutex held. False: out of memory. */
bool ocl_mem_prepare_farewell(cl_mem mem);
/* Changes whenever a command that may write the root is enqueued; never 0. */
uint64_t ocl_mem_stamp(cl_mem root);

#define OCL_DEVICE_ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_NO_ACCESS_INTEL)
#define OCL_MEM_IMMUTABLE ((cl_mem_flags)1 << 6) /* CL_MEM_IMMUTABLE_EXT, which some systems' headers lack */
#define OCL_HOST_ACCESS   (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define OCL_HOST_POINTER  (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

#endif
