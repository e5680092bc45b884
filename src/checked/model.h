/* What the files of this room share. Functions are called with checked_lock() held, where nothing else is said. */
#ifndef SRC_CHECKED_MODEL_H
#define SRC_CHECKED_MODEL_H

#include "src/checked/checked.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/touched.h"

enum { CHECKED_TEXT = 768 };

/* ---- objects.c ---- */

/* An object as the application knows it. */
struct checked_object {
    struct checked_object *next; /* of the same list */
    const void *handle;
    enum checked_kind kind;
    uint32_t refs;              /* the application's */
    bool borrowed;              /* without a reference of the application's, it asked another object for the handle */
    uint32_t lent;              /* to callbacks that run */
    size_t size;                /* bytes, of memory */
    char extent[112];           /* how large a memory object is, in words; or "" */
    uint64_t created, released; /* calls; released: 0 while there are references */
    const char *creator, *releaser;
    const void *created_at, *released_at;
    struct checked_command
        *command; /* an event's; a queue's last one, or its last barrier where it is out of order; the
                                        end of a command buffer that was enqueued */
    struct checked_recorded *recorded; /* the calls that recorded a command buffer's commands; or NULL */
    uint32_t num_recorded;
    uint64_t order; /* when it was released, among all */
};

struct checked_object *checked_find(const void *handle); /* NULL: not known */
static inline bool checked_is_gone(const struct checked_object *object)
{
    return !object->refs && !object->borrowed && !object->lent;
}
/* The allocation that the address lies in; NULL: none that is known. */
struct checked_object *checked_find_memory(const void *address);
/* "buffer 0x... of 16 bytes, created by clCreateBuffer, call 3". Of an image, a pipe and a part of a buffer it says
 * what that has for a size. */
void checked_describe(const struct checked_object *object, char text[CHECKED_TEXT]);
const char *checked_a_kind(const struct checked_object *object); /* "an event" */
void checked_report_released(struct checked_call *call, const struct checked_object *object, const char *how);
void checked_report_leaks(void);

/* Reports a finding of the call's. message is formatted. object may be NULL; other_at: an address, or NULL. */
void checked_report(const struct checked_call *call, enum check_kind kind, const struct checked_object *object,
                    const char *kernel, const void *other_at, const char *other_is, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* The memory at the address is given back when the commands that use it have ended. Takes the lock. */
void checked_gone(struct checked_call *call, const void *pointer);

/* ---- access.c ---- */

enum checked_shape { CHECKED_ALL, CHECKED_BYTES, CHECKED_ROWS, CHECKED_BOX };

/* Memory that a command uses. */
struct checked_access {
    cl_mem root, mem; /* the object and whose memory it is; NULL: memory known by its address */
    bool reads, writes;
    bool by_host; /* it is the host's side of a transfer, for which it may well be mapped */
    enum checked_shape shape;
    uint64_t begin, end;                                /* BYTES and ROWS: bytes of the root, or addresses */
    uint64_t row, rows, row_pitch, slices, slice_pitch; /* ROWS: from begin on */
    size_t origin[3], region[3];                        /* BOX: of texels of mem */
    struct ocl_touched *touched;                        /* BYTES: which of them, by the device; or NULL */
    uint32_t arg;                                       /* as whose they are noted there */
};

uint64_t checked_row_begin(const struct checked_access *access, uint64_t row);
bool checked_overlap(const struct checked_access *a, const struct checked_access *b);
struct checked_access checked_bytes(cl_mem mem, uint64_t offset, uint64_t size);
struct checked_access checked_memory(const void *pointer, uint64_t size);
struct checked_access checked_host_memory(const void *pointer, uint64_t size);
struct checked_access checked_rows(cl_mem mem, const void *pointer, const size_t origin[3], const size_t region[3],
                                   size_t row_pitch, size_t slice_pitch);
struct checked_access checked_texels(cl_mem image, const size_t origin[3], const size_t region[3]);

/* ---- touched.c ---- */

enum checked_meeting { CHECKED_APART, CHECKED_MEET, CHECKED_OPEN /* until the launches have ended */ };

/* Of two accesses that overlap and may conflict, one of which at least is noted; where they meet, *at is the first byte. */
enum checked_meeting checked_meet(const struct checked_access *x, const struct checked_access *y, uint64_t *at);
/* The launch noted what it touches of this, if it did; the access's command has a reference to touched. */
void checked_access_touched(struct checked_access *access, struct ocl_touched *touched, uint32_t arg);

/* ---- order.c ---- */

uint64_t checked_serial(void); /* of the next command; takes the lock */

struct checked_launch {
    char kernel[64];
    uint64_t offset[3], size[3]; /* of the global range */
    uint64_t values;             /* a hash of the numbers among its arguments */
};

void checked_uses(struct checked_call *call, struct checked_access access, bool reads, bool writes);
/* touched: what it notes, or NULL; the reference is the command's from here on. */
void checked_launches(struct checked_call *call, const struct checked_launch *launch, struct ocl_touched *touched);
/* commands.c: the command under way launches the kernel over this range; its name and numbers go to *launch. */
void checked_launches_kernel(struct checked_call *call, cl_command_queue queue, cl_kernel kernel,
                             struct checked_launch *launch, struct ocl_touched *touched);
/* Hears of launches that have ended. */
void checked_hear_of_launches(void);
/* A command of a command buffer that is enqueued, as the call that recorded it. It is call->command until
 * checked_end_part() gives the reference to it away. */
void checked_part(struct checked_call *call, cl_command_queue queue, cl_uint num_waits, const cl_event *waits,
                  const void *buffer);
void checked_comes_after(struct checked_call *call, struct checked_command *other);
struct checked_command *checked_end_part(struct checked_call *call);
void checked_after_all(struct checked_call *call);                       /* it waits for all that the queue has */
void checked_is_barrier(struct checked_call *call);                      /* what follows in the queue waits for it */
void checked_is_last(struct checked_call *call, cl_command_queue queue); /* likewise, if the queue is in order */
void checked_signals(struct checked_call *call, const void *semaphore);
void checked_takes(struct checked_call *call, const void *semaphore);
/* Somebody saw the command end, and with it all that it came after. */
void checked_saw(struct checked_command *command);
void checked_saw_queue(cl_command_queue queue, uint64_t serial);
/* A command that ends when the application says so. */
struct checked_command *checked_user_command(struct checked_call *call);
void checked_set_user(struct checked_command *command);
void checked_follow(struct checked_command *command);       /* something asks for it */
void checked_command_drop(struct checked_command *command); /* an event's reference */
struct checked_command *checked_command_keep(struct checked_command *command);
/* A command under way uses memory that goes. */
void checked_frees(struct checked_call *call, const struct checked_object *object);
void checked_report_unwaited(void);

/* ---- hooks.c ---- */

/* Arguments that were never set, unless the launch may lack them, and memory that was released since. keeps: that the
 * kernel has memory objects of its own. */
void checked_arguments(struct checked_call *call, cl_kernel kernel, bool may_lack, bool keeps);

/* ---- recorded.c ---- */

void checked_forget_recorded(struct checked_object *object);

/* ---- maps.c ---- */

void checked_mapped(struct checked_call *call, struct checked_access access, const void *pointer, bool writes);
/* The map's memory, taken out of the list; false: there is no such map. */
bool checked_unmapped(cl_mem mem, const void *pointer, struct checked_access *access);
/* The command under way uses memory that is mapped. */
void checked_against_maps(struct checked_call *call, const struct checked_access *access, const char *kernel);
void checked_report_maps(struct checked_call *call, const struct checked_object *object); /* NULL: all, at the end */

#endif
