/* Memory objects and how they are mapped. */
#ifndef SRC_MEMORY_H
#define SRC_MEMORY_H

#include "src/object.h"

struct ocl_map {
    void *pointer;
    size_t offset, size; /* bytes, in the memory object that was mapped */
    cl_map_flags flags;
    struct ocl_map *next;
};

struct ocl_mem_callback {
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *data;
    struct ocl_mem_callback *next;
};

/* A buffer or sub-buffer. The memory is the root's: one vkb_buffer per device of the context, made when first used
 * there (at once in a context of one device). In a context of several devices `valid` says whose copy is up to date,
 * and commands move it over (memory.c). */
struct _cl_mem {
    struct ocl_object object;
    atomic_uint weak; /* the struct itself: 1 for all references, 1 per kernel argument */
    cl_context context;
    cl_mem parent; /* retained; NULL for a root */
    size_t origin; /* in the parent */
    cl_mem_flags flags;
    size_t size;
    void *host_ptr; /* USE_HOST_PTR: the application's; else NULL */
    cl_mem_properties *properties;
    size_t num_properties;

    pthread_mutex_t mutex;              /* guards what follows */
    struct ocl_mem_callback *callbacks; /* newest first */
    struct ocl_map *maps;               /* newest first */
    cl_uint map_count;

    /* the root's */
    bool has_address; /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: the context knows it by its address */
    bool uses_svm;    /* host_ptr lies in shared virtual memory, whose buffers these are */
    struct ocl_storage {
        struct vkb_buffer *buffer;
        uint64_t offset; /* of the root in it: not 0 in memory that is known by its address */
        bool zero_copy; /* the host reads and writes the memory in place */
    } * storage;        /* per device of the context */
    void *shadow;       /* what maps point to where nothing is zero-copy: host_ptr, or size bytes of ours */
    bool deferred;      /* commands may read the shadow: freed only when the queues have passed them */
    uint64_t valid;     /* several devices: bit per device; 0: nobody wrote yet */
    struct vkb_event *last_write;
};

struct ocl_command;

cl_int ocl_mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      const cl_mem_properties *properties, size_t num_properties, cl_mem *mem);
cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *mem);
/* Makes the root's memory on a device of the context (its mutex held, or nobody else knows it yet). */
cl_int ocl_mem_place(cl_mem root, cl_uint device);
void ocl_mem_retain(cl_mem mem);
void ocl_mem_release(cl_mem mem);
void ocl_mem_retain_weak(cl_mem mem);
void ocl_mem_release_weak(cl_mem mem);
static inline cl_mem ocl_mem_root(cl_mem mem)
{
    return mem->parent ? mem->parent : mem;
}

/* map.c */
cl_int ocl_mem_map(struct ocl_command *command, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                   bool blocking, void **pointer);
cl_int ocl_mem_unmap(struct ocl_command *command, cl_mem mem, void *pointer);
bool ocl_mem_is_mapped_at(cl_mem mem, const void *pointer);

#endif
