/* The folder of the caches on disk: where it is, what lies in it, and how it stays small. Shared with the tool
 * `pumice`. It knows neither OpenCL nor Vulkan. */
#ifndef SRC_PROBE_CACHE_FOLDER_H
#define SRC_PROBE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_PIPELINES_LIMIT (256ull << 20) /* bytes of each device's file: CACHE_LIMIT of vk/shader/cache.c */

struct cache_folder {
    char
        path[4096 - 64]; /* where the environment says that it is; "" when there is none by intent or no place for it */
    char why_not[256];   /* "" when it can be used; otherwise the reason in plain words */
    bool open_to_others; /* this is the reason */
    bool is_absent;      /* this is, and nothing else is known to be wrong */
};

/* How many bytes all compiled programs together may take: PUMICE_CACHE_SIZE. */
uint64_t cache_folder_programs_limit(void);
/* $PUMICE_CACHE_DIR, else $XDG_CACHE_HOME/pumice, else ~/.cache/pumice; PUMICE_CACHE=0 turns it off. create: makes the
 * folder where it is missing (else that is a reason, too). True when it can be used: it is this user's, nobody else may
 * write to it, and we may. */
bool cache_folder_find(struct cache_folder *folder, bool create);

enum cache_kind {
    CACHE_PROGRAMS,  /* *.pcc: compiled programs */
    CACHE_PIPELINES, /* pipelines-*.bin: what the Vulkan driver made of them, a file per device and driver; shapes-*:
                        with which pipelines kernels were launched, likewise */
    CACHE_PROBES,    /* probe-*: how exact a driver's functions are */
    CACHE_LEFT_OVER, /* what a writer that was killed left */
    CACHE_KINDS
};

struct cache_usage {
    uint64_t files, bytes;
};

/* What lies in the folder, by kind. Files that are not ours are not counted. False when it cannot be read. */
bool cache_folder_usage(const char *path, struct cache_usage usage[CACHE_KINDS]);

/* Removes left-over files that are older than an hour, and where programs take more than limit bytes, the least
 * recently used of them until they take at most target bytes. Any number of processes may do this at once. False when
 * the folder cannot be read. */
bool cache_folder_trim(const char *path, bool pipelines, uint64_t limit, uint64_t target);

/* Removes all that is ours. False when a file cannot be removed (errno). */
bool cache_folder_clear(const char *path);

#endif
