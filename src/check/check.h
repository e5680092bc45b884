/* `pumice check`, PUMICE_CHECK: faults of the application, found while it runs. What is found is reported once for each
 * kind and place, with how often it came; the program goes on. docs/check.md is the users' page.
 *
 * Where checks are off, check_on() is a load and a test. All functions may be called from any thread; none calls OpenCL
 * or Vulkan. */
#ifndef SRC_CHECK_CHECK_H
#define SRC_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_group {
    CHECK_BOUNDS = 1u << 0,
    CHECK_INIT = 1u << 1,
    CHECK_RACES = 1u << 2,
    CHECK_BARRIERS = 1u << 3,
    CHECK_VALUES = 1u << 4,
    CHECK_FINITE = 1u << 5, /* not among "all": many programs count on infinities */
    CHECK_HOST = 1u << 6,
    CHECK_LOOPS = 1u << 7,
    CHECK_ALL = CHECK_BOUNDS | CHECK_INIT | CHECK_RACES | CHECK_BARRIERS | CHECK_VALUES | CHECK_LOOPS | CHECK_HOST,
    CHECK_CALLS = CHECK_RACES | CHECK_HOST, /* what looks at calls of the API */
    CHECK_KERNELS =
        CHECK_BOUNDS | CHECK_INIT | CHECK_RACES | CHECK_BARRIERS | CHECK_VALUES | CHECK_FINITE | CHECK_LOOPS,
};

enum check_kind {
#define CHECK_KIND(id, name, group, text) CHECK_KIND_##id,
#include "src/check/kinds.def"
#undef CHECK_KIND
    CHECK_KIND_COUNT
};

/* Those of enum check_group that PUMICE_CHECK names; set before the library's first call returns, and never changed. */
extern uint32_t check_groups;
static inline bool check_on(uint32_t groups)
{
    return check_groups & groups;
}

/* The groups that a word of PUMICE_CHECK stands for; false: it is none. */
bool check_find_group(const char *word, size_t length, uint32_t *groups);

/* Whether kernels of this name are to be checked (PUMICE_CHECK_KERNELS, patterns as of a shell). */
bool check_wants_kernel(const char *name);
/* A kernel of the application's is launched. The process's end names the patterns of PUMICE_CHECK_KERNELS that none had. */
void check_ran(const char *kernel);

/* Where in the source. All strings are the caller's, and copied. */
struct check_place {
    const char *file;      /* or NULL: nothing is known */
    uint32_t line, column; /* from 1; 0: not known */
    const char *text;      /* that line of the source, or NULL */
};

/* Where an address of the application's code is. */
struct check_where {
    char file[384]; /* as its debug information has it; "": there is none */
    uint32_t line;
    char text[160]; /* "solver+0x6ab3 (main)", or "" */
};
void check_locate(const void *address, struct check_where *where);
/* The line without its end, to be freed; NULL: it is empty or cannot be read. */
char *check_source_line(const struct check_where *where);

struct check_finding {
    enum check_kind kind;
    const char *message; /* one line: "write of 4 bytes, 8 bytes behind the end of a buffer of 1024 bytes" */
    const char *kernel;  /* or NULL: a call of the host */
    const char *parent;  /* of a block that was enqueued: the kernel that the application launched; or NULL */
    struct check_place place;
    struct check_place other; /* of two accesses, the earlier one; or where the object was created */
    const char *other_is;     /* what `other` is, in words: "other access", "created here"; or NULL */
    bool has_item;            /* the next three */
    uint64_t global_id[3];
    uint64_t group[3];
    uint64_t local_id[3];
    bool has_address;
    uint64_t address;
    const char *
        object; /* which object, in words ("buffer 0x... of 1024 bytes, created by clCreateBuffer, call 12"); or NULL */
    uint64_t times;     /* how often, at least 1 */
    const char *caller; /* host kinds: the function of the API, or NULL */
};

/* Counts the finding, and prints it if it is the first one of its kind and place, and not suppressed. With --break the
 * process ends here. */
void check_found(const struct check_finding *finding);

/* The device has no atomic operations of 64 bits, which races of global memory need: the process's log says so, once. */
void check_races_unavailable(void);
/* What is known of an object of the application's, or of the allocation at an address where handle is NULL: "buffer 0x... of
 * 1024 bytes, created by clCreateBuffer, call 12, at main.c:7". False: nothing. NULL: nobody knows any; src/checked sets it
 * before the library's first call returns. */
extern bool (*check_describe)(const void *handle, const void *address, char *text, size_t size);

/* The process does something that could be checked: it warns of what is wrong in the settings, and says at its end that
 * nothing was found where that is so. */
void check_used(void);
/* Memory to note who wrote what is short: the process's log says so, once. */
void check_memory_short(void);
/* Has call() called before the process's end is summed up; it may call check_found(). Four at most; a child that fork()
 * made has none. */
void check_at_end(void (*call)(void));

#endif
