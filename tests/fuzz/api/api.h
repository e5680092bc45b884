/* What the files of the API's fuzzer share. A sequence of calls is read from bytes: each byte decides something, which
 * call, which of the objects made so far, which argument. sequence.c runs it; every other file has the calls of one
 * subject, and a table of them, struct api_subject. A new subject is a new file, a line in sequence.c's list, and rows
 * in codes.def, which says what each call may answer.
 *
 * Wrong arguments are what C can express without undefined behaviour: NULL, live handles of another kind, sizes that
 * are refused. What an application must never do is not done here: no freed handle, no host memory that is shorter than
 * it is said to be, no kernel that reaches beyond its buffers. */
#ifndef TESTS_FUZZ_API_H
#define TESTS_FUZZ_API_H

#include "tests/fuzz/fuzz.h"
#include "tests/support/command_buffers.h"

#include "base/util.h"

enum {
    API_MAX_CALLS = 160,      /* of one sequence */
    API_LEAST_BUFFER = 256,   /* bytes: what the kernels of sources.c may touch */
    API_HOST_SIZE = 1 << 16,  /* bytes of the host's memory that commands read and write */
    API_MAX_SOURCE = 1 << 14, /* bytes */
    API_MAX_SOURCES = 64,
    API_SLOTS = 12, /* objects of a kind */
};

/* ---- subjects ---- */

struct api_subject {
    void (*const *calls)(void); /* a call that is there twice comes twice as often */
    size_t num_calls;
    void (*end)(void); /* of a sequence, when its queues are idle and its objects still there; or NULL */
};

#define API_SUBJECT(calls, end)                                                                                        \
    {                                                                                                                  \
        calls, ARRAY_LENGTH(calls), end                                                                                \
    }

extern const struct api_subject api_contexts, api_events, api_buffers, api_pipes, api_images, api_pointers,
    api_programs, api_cache, api_kernels, api_command_buffers, api_queries, api_semaphores, api_device_queues,
    api_mipmaps, api_unified;

/* ---- answers ---- */

enum api_call {
#define CALL(name, ...) CALL_##name,
#include "tests/fuzz/api/codes.def"
#undef CALL
};

/* Checks that the specification names the code for the call, and gives it back. */
cl_int api_answered(enum api_call call, cl_int code);
void api_print_answers(void);

/* The call's answer, checked. MAKE: of calls that return an object and take &error last. */
#define DO(name, ...)           api_answered(CALL_##name, name(__VA_ARGS__))
#define MAKE(object, name, ...) MAKE_BY(object, name, name, __VA_ARGS__)
/* The same for functions that are reached by a pointer. */
#define DO_BY(name, function, ...) api_answered(CALL_##name, function(__VA_ARGS__))
#define MAKE_BY(object, name, function, ...)                                                                           \
    do {                                                                                                               \
        cl_int error_ = 12345;                                                                                         \
        object = function(__VA_ARGS__, &error_);                                                                       \
        api_answered(CALL_##name, error_);                                                                             \
        if ((object != NULL) != (error_ == CL_SUCCESS))                                                                \
            fuzz_failed(#name, "its object and its code contradict each other");                                       \
    } while (0)

/* Where a query puts its answer: value has exactly the size that it is said to have, so that the sanitizer sees what
 * goes beyond. One at a time. */
struct api_answer {
    size_t size, size_ret;
    void *value;
};
struct api_answer *api_new_answer(void);
void api_check_answer(const struct api_answer *answer, cl_int code, const char *name);

/* A query without further arguments; ASK_BY: with what stands between the object and the size. */
#define ASK(name, object, param) ASK_BY(name, name, object, param)
#define ASK_BY(name, function, ...)                                                                                    \
    do {                                                                                                               \
        struct api_answer *a_ = api_new_answer();                                                                      \
        cl_int code_ = DO_BY(name, function, __VA_ARGS__, a_->size, a_->value, &a_->size_ret);                         \
        api_check_answer(a_, code_, #name);                                                                            \
    } while (0)

/* ---- bytes ---- */

uint8_t api_byte(void); /* 0 when there are no more */
bool api_chance(uint8_t of);
size_t api_number(void); /* small ones, powers of two, and what overflows */
#define API_PICK(table) ((table)[api_byte() % ARRAY_LENGTH(table)])

/* ---- what the sequence has ---- */

enum api_kind { CONTEXT, QUEUE, MEM, IMAGE, SAMPLER, PROGRAM, KERNEL, EVENT, COMMAND_BUFFER, SEMAPHORE, NUM_KINDS };

struct api_slot {
    void *handle;
    bool safe; /* PROGRAM, KERNEL: of our sources, unchanged, so that it may be launched */
    bool user; /* EVENT: a user event whose status is not set */
};

struct api_run {
    const uint8_t *data, *end;
    struct api_slot slots[NUM_KINDS][API_SLOTS];
    uint64_t state;    /* of changes of sources and binaries */
    uint32_t num_lent; /* pieces of memory */
    bool terminated;   /* some context was */
};

extern struct api_run api_run;
extern cl_platform_id api_platform;
/* Looks up count functions of extensions for a table of pointers to them. False: the platform lacks one of them, and
 * the table stays as it is. */
bool api_find_functions(const char *const *names, size_t count, void *table);
extern cl_device_id api_devices[4];
extern cl_uint api_num_devices;
extern struct buffer_functions api_cb;
/* The host's memory: [0] is read, [1] is written. */
extern uint8_t api_host[2][API_HOST_SIZE];

/* API_HOST_SIZE bytes for CL_MEM_USE_HOST_PTR, for one object of this sequence: what overlaps is the application's
 * fault. */
uint8_t *api_lend(void);

struct api_slot *api_slot(enum api_kind kind);
/* Mostly a handle of the kind; sometimes NULL, sometimes of another kind. */
void *api_handle(enum api_kind kind);
struct api_slot *api_filled(enum api_kind kind); /* the next place that has something, if there is any */
cl_device_id api_device(void);

/* Keeps a new object, in place of another of its kind; NULL for NULL. */
struct api_slot *api_put(enum api_kind kind, void *object);
void api_empty(enum api_kind kind, struct api_slot *place);
cl_int api_drop(enum api_kind kind, void *object); /* releases */
cl_int api_keep(enum api_kind kind, void *object); /* retains */

cl_int api_semaphore_drop(void *object);
cl_int api_semaphore_keep(void *object);

/* What other files must forget when an object goes. */
void api_forget_maps(cl_mem mem);
void api_forget_commands(void *buffer);

/* ---- events ---- */

struct api_waits {
    cl_uint count;
    cl_event list[3];
    cl_event *pointer;
};

struct api_waits *api_wait_list(void);
void api_set_user_event(struct api_slot *event, cl_int status);
/* Nothing that waits may do so for a user event that nobody will set. */
void api_settle(void);
void api_settle_semaphores(void); /* until all waits for semaphores have ended */
void api_take_event(cl_event event, cl_int code);

/* An enqueueing call: EVENTS ends its arguments, and the event that it gives is kept. */
#define ENQUEUE(name, ...) ENQUEUE_BY(name, name, __VA_ARGS__)
#define ENQUEUE_BY(name, function, ...)                                                                                \
    do {                                                                                                               \
        struct api_waits *waits_ = api_wait_list();                                                                    \
        cl_event event_ = NULL, *wanted_ = api_chance(2) ? &event_ : NULL;                                             \
        api_take_event(event_, DO_BY(name, function, __VA_ARGS__, waits_->count, waits_->pointer, wanted_));           \
    } while (0)

/* Every callback of the application's calls this: none comes under a lock of ours. */
void api_called_back(const char *which);
void CL_CALLBACK api_context_error(const char *text, const void *info, size_t size, void *data);
void CL_CALLBACK api_program_called(cl_program program, void *data);

/* ---- memory ---- */

size_t api_within_host(size_t size); /* or more than any buffer has */

/* An allocation with an address. */
struct api_pointer {
    char *start;
    size_t size;
    cl_context context; /* retained */
    bool svm, unified;  /* else USM */
    bool kept;          /* a kernel, a command buffer or a buffer has it: it is freed at the end */
    bool has_buffer;    /* a second one over the same memory would be undefined */
};
/* Keeps a new one, if start is not NULL; its context is retained here. */
void api_take_pointer(struct api_pointer pointer);
cl_int api_free_unified(cl_context context, void *start);
/* Some allocation, or NULL. */
struct api_pointer *api_pointer(void);
/* One that a kernel may be given: of the kernel's context, from then on kept; or NULL, or the host's memory. */
void *api_pointer_for(cl_kernel kernel);
/* One for a command buffer to copy from or to: kept, or the host's memory. */
void *api_pointer_to_keep(bool written);

/* Two objects, one of which is made of the other, or both of the same: copies between them are undefined. */
bool api_share(cl_mem first, cl_mem second);

/* A place in an image that may be right; what it needs of the host's memory is there. */
struct api_region {
    size_t origin[4], region[3], row_pitch, slice_pitch; /* the level of detail is one of origin */
};
struct api_region api_region(void);

/* ---- programs (sources.c) ---- */

struct api_source {
    char *text;
    size_t length;
    bool safe; /* its kernels end, and stay within any object that is made here */
};
extern struct api_source api_sources[API_MAX_SOURCES];
extern uint32_t api_num_sources;
/* The first sources are ours: so many with kernels, then an object and what calls it. */
extern const uint32_t api_num_whole, api_num_safe;
extern const uint32_t api_enqueues; /* which of them has the kernel "spawn" */

void api_add_source(const char *text, size_t length, bool safe);
void api_prepare_sources(void); /* puts ours in front */

extern bool api_cache_changed; /* some file of the program cache; until all were removed */
bool api_prepare_cache(void);

/* ---- kernels ---- */

/* A safe kernel, mostly; else NULL or something that is no kernel. */
cl_kernel api_kernel_to_launch(void);
void api_set_args(void); /* gives a kernel the arguments that it wants, as far as there are any */

struct api_range {
    cl_uint dims;
    size_t offset[3], global[3], local[3];
    const size_t *offset_pointer, *global_pointer, *local_pointer;
};
void api_range(struct api_range *range);

#endif
