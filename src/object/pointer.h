/* Memory that programs know by its address: SVM (OpenCL 3.0 API, 5.6), USM (cl_intel_unified_shared_memory) and buffers
 * with a device address (cl_ext_buffer_device_address). */
#ifndef SRC_OBJECT_POINTER_H
#define SRC_OBJECT_POINTER_H

#include "src/device/object.h"

#include "compiler/clc.h"

/* What some systems' headers lack. */
#define OCL_MEM_DEVICE_PRIVATE_ADDRESS   0x5000
#define OCL_MEM_DEVICE_ADDRESS           0x5001
#define OCL_KERNEL_EXEC_INFO_DEVICE_PTRS 0x5002
#define OCL_SVM_ALIGNMENT                128u /* bytes, where the application names none: sizeof(long16) */
#define OCL_SVM_LARGEST_ALIGNMENT        (1u << 16)

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_ulong arg_value);

enum ocl_pointer_kind {
    OCL_POINTER_SVM,
    OCL_POINTER_HOST,   /* USM of the host: every device reaches it */
    OCL_POINTER_DEVICE, /* USM of one device: the host does not reach it */
    OCL_POINTER_SHARED, /* USM of the host and devices */
    OCL_POINTER_BUFFER, /* a buffer with a device address: one entry for each device */
};

/* What an allocation of cl_khr_unified_svm was asked for with. */
struct ocl_unified {
    cl_uint type;
    cl_bitfield access;
    size_t num_properties; /* with the 0 at the end; 0: there was no list */
    cl_properties properties[];
};

/* A part of shadowed memory that is mapped. */
struct ocl_pointer_map {
    uintptr_t start;
    size_t size;
    bool writes;
    struct ocl_pointer_map *next;
};

/* One allocation. The context's list owns it. A device's address has 64 bits on every host. */
struct ocl_pointer {
    uint64_t start;
    size_t size;
    enum ocl_pointer_kind kind;
    cl_bitfield flags;                /* cl_svm_mem_flags, or cl_mem_alloc_flags_intel */
    cl_device_id device;              /* USM; NULL: none in particular */
    bool shadowed;                    /* the host sees a copy of its own at this address, between map and unmap */
    struct ocl_pointer_map *maps;     /* of shadowed memory, newest first */
    struct vkb_buffer **buffers;      /* per device of the context; NULL where it does not reach the memory */
    uint64_t offset;                  /* of start in them */
    struct ocl_unified *unified;      /* owned; NULL: of another API */
    cl_mem mem;                       /* OCL_POINTER_BUFFER: whose entry it is; it goes before the buffer does */
    cl_context context;               /* a reference, while it is to be destroyed when the context is idle */
    struct ocl_pointer *next_removed; /* of those that are no longer in the list and about to be destroyed */
};

/* The allocations of a context, sorted by start; under the context's mutex. */
struct ocl_pointers {
    struct ocl_pointer **list;
    size_t count, capacity;
    struct clc_check_range *freed; /* of a checked process: the last that are gone; NULL: none */
    size_t num_freed;              /* so far */
};

/* What is known of a pointer into an allocation. */
struct ocl_place {
    struct vkb_buffer *buffer; /* a reference; NULL where the device does not reach it */
    uint64_t offset;           /* in the buffer */
    size_t left;               /* bytes from the pointer to the allocation's end */
    uint64_t start;
    size_t size;
    enum ocl_pointer_kind kind;
    cl_bitfield flags;
    cl_device_id device;
    bool shadowed;
    const struct ocl_unified *unified; /* or NULL; lives as long as the allocation */
    bool in_mem;                       /* it is a memory object's: ocl_pointer_retain_mem() */
};

/* CL_DEVICE_SVM_CAPABILITIES. Opens the device. */
cl_device_svm_capabilities ocl_device_svm(cl_device_id device);
bool ocl_context_has_svm(cl_context context, cl_device_svm_capabilities wanted); /* some device has all of them */

/* size > 0; alignment: a power of two up to OCL_SVM_LARGEST_ALIGNMENT. NULL and *error: out of memory, or the device
 * cannot do it. device: of OCL_POINTER_DEVICE; for other kinds, what queries answer. unified: malloc'ed and taken
 * over, also after a failure; or NULL. */
void *ocl_pointer_alloc(cl_context context, enum ocl_pointer_kind kind, cl_bitfield flags, cl_device_id device,
                        size_t size, size_t alignment, struct ocl_unified *unified, cl_int *error);
/* Whether the context's commands can use shared virtual memory: its devices have some, or there is some already. */
bool ocl_context_uses_svm(cl_context context);
/* False: no allocation starts there, or it belongs to the other API (svm: whether SVM's function asks). Memory that
 * commands still use is kept until they have ended, as far as they name it. Kernels that reach it by an address are the
 * application's to wait for. In a context that was terminated it cannot, so there the memory is kept for them too. */
bool ocl_pointer_free(cl_context context, const void *pointer, bool svm);
/* Finds the allocation that an address leads into, for the given device of the context; false: there is none. Release
 * the place's buffer. */
bool ocl_pointer_find(cl_context context, uint64_t address, cl_uint device, struct ocl_place *place);
/* Where kernels are checked or robust: the allocations that kernels may reach by their addresses, malloc'ed; NULL: no
 * memory. And those that are gone: whether the address leads into one of the last (and into none that is there). */
struct clc_check_range *ocl_pointer_ranges(cl_context context, size_t *count);
bool ocl_pointer_was_freed(cl_context context, uint64_t address, uint64_t *start, uint64_t *size);
/* Their buffers, with a reference to each; watched: of those alone whose writes are noted (vkb_buffer_watch()). */
struct vkb_buffer **ocl_pointer_buffers(cl_context context, cl_uint device, bool watched, size_t *count);
/* Notes that one is gone. */
void ocl_pointer_note_freed(cl_context context, uint64_t start, uint64_t size);
/* The memory object whose address this is, with a reference; NULL: it is none's, or of one that is being destroyed. */
cl_mem ocl_pointer_retain_mem(cl_context context, uint64_t address);
/* Notes that a part of a shadowed allocation is mapped; takes the map over unless the allocation is gone (false). */
bool ocl_pointer_remember_map(cl_context context, struct ocl_pointer_map *map);
/* Takes a map that starts there out of the list: wanted, if it is there, or else the newest. Two maps may start at one
 * address, and an unmap of the other one, on another thread, may have taken this one for it. NULL: there is none. It is
 * the caller's to free. */
struct ocl_pointer_map *ocl_pointer_forget_map(cl_context context, const struct ocl_pointer_map *wanted,
                                               const void *pointer);
/* Adds a root to the memory that is known by its address, on all devices of its context; and removes it. */
cl_int ocl_pointer_add_mem(cl_mem root);
void ocl_pointer_remove_mem(cl_mem root);
void ocl_pointers_finish(cl_context context);

#endif
