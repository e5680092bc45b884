/* What a launch of a kernel that watches its accesses has for it (checked.h). */
#ifndef SRC_LAUNCH_CHECKED_STATE_H
#define SRC_LAUNCH_CHECKED_STATE_H

#include "src/launch/checked.h"
#include "src/object/touched.h"
#include "src/object/written.h"

#include "compiler/clc.h"

/* What an argument leads to. */
struct reach {
    struct clc_check_range range; /* local memory: from the offset 0 on */
    bool is_null, is_freed, is_pointer, is_local;
    uint64_t address; /* the argument's own */
    cl_mem mem;       /* whose address it is, or an image; the application's, which may be gone by now */
};

struct ocl_checked {
    cl_kernel kernel; /* retained: keeps lowered and the source */
    cl_context context;
    const struct clc_lowered *lowered;
    struct ocl_range range;
    struct vkb_buffer *buffer;
    struct vkb_buffer *local; /* what is noted of local memory, or NULL */
    uint8_t *map;
    uint32_t num_records;
    uint32_t num_ranges;
    struct clc_check_range *ranges; /* sorted, apart from each other */
    struct ocl_written written, tracks;
    cl_device_id device;
    cl_kernel parent; /* of what a kernel enqueued: the application's kernel that it comes of; retained. Or NULL */
    struct reach *parent_args;   /* what that was given */
    uint32_t launch;             /* its number among those that have tracks */
    struct ocl_touched *touched; /* for the host to compare, or NULL */
    bool ran;
    struct reach args[];
};

/* The head of the buffer, behind its two pages; the counters and the records of what was wrong follow. */
static inline struct clc_check_head *checked_head(const struct ocl_checked *checked)
{
    return (struct clc_check_head *)(void *)(checked->map + 2 * (size_t)checked->lowered->check_page);
}

/* What an address belongs to. */
struct ocl_owner {
    struct clc_check_range range; /* a size of 0: nothing */
    bool holds;                   /* the address is in it, not behind its end */
    const struct reach *reach;    /* of the kernel's argument `arg`; or NULL */
    cl_kernel kernel;
    uint32_t arg;
    const struct clc_data_variable *variable; /* or NULL */
};
/* False: there is no memory before the address. */
bool ocl_find_owner(const struct ocl_checked *checked, uint64_t address, struct ocl_owner *owner);
/* "argument 'in'", "variable at program scope 'table'", "an allocation". */
void ocl_name_owner(const struct ocl_checked *checked, const struct ocl_owner *owner, char *text, size_t size);
void ocl_name_argument(const struct ocl_checked *checked, cl_kernel kernel, uint32_t index, char *text, size_t size);

/* findings.c: tells what the records have. */
void ocl_checked_tell(const struct ocl_checked *checked);

#endif
