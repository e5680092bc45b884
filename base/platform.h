/* What systems and C libraries do not have in common. platform.c is for Linux and other systems like Unix (glibc, musl,
 * Android's bionic, FreeBSD, macOS), with platform_elf.c or platform_macos.c; windows/platform_windows.c is for Windows,
 * where windows/posix.h has those functions of POSIX that are called by their own names. */
#ifndef BASE_PLATFORM_H
#define BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the process ---- */

/* The variable of the environment, or NULL; also NULL where the process has rights that the user who started it may
 * not have (a setuid program), since then a stranger chose the value. */
const char *platform_env(const char *name);

/* Copies the name of the variable at that place of the environment, cut where size is too little. False: there are no
 * more. */
bool platform_env_name(uint32_t place, char *name, size_t size);

/* The program's name without its folder. */
const char *platform_program_name(void);

/* Whether the process has loaded a library whose file's name, without its folder, begins so. */
bool platform_has_library(const char *prefix);

/* Copies the build id of the program or library in which the address lies. Its size in bytes; 0: it has none, or one that is larger. */
size_t platform_build_id(const void *address, uint8_t *id, size_t room);

/* Copies the path of the program or library in which the address lies; *inside: the address as that file has it. */
bool platform_module(const void *address, char *path, size_t size, uint64_t *inside);

/* ---- helpers (helper.c) ---- */

/* Starts a script of the shell, whose argument it has as $1 and whose file 3 is the other end of a socket. Nothing that it
 * starts in the background is a child of this process; what it writes to its other files goes nowhere. -1: there is no
 * shell here, or the process has rights that the user who started it may not have. */
int platform_start_helper(const char *script, const char *argument);
bool platform_send(int socket, const char *data, size_t size);
/* How many bytes came; 0: none for so long, or the other end is gone. */
size_t platform_receive(int socket, char *data, size_t room, int milliseconds);

/* ---- the process's end ---- */

/* Has call(status, NULL) called at exit(): see thread_at_exit(). */
void platform_at_exit(void (*call)(int status, void *data));

/* Whether the process is ending and its other threads are gone, wherever they were: what they had locked stays locked. Windows ends them
 * before it tells libraries of the process's end. */
bool platform_is_ending(void);

/* The program's arguments in UTF-8: main() calls this first. Text that it prints is UTF-8 as well, also in a console of Windows. */
char **platform_arguments(int *argc, char **argv);

/* ---- names of files ---- */

/* Both slashes lead into a folder on Windows. */
static inline bool platform_is_slash(char c)
{
#ifdef _WIN32
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

/* The last slash of a path, or NULL. */
const char *platform_last_slash(const char *path);

/* Whether the path says all, and nothing depends on the current folder. */
bool platform_is_absolute(const char *path);

/* The folder in which users' caches lie where neither XDG_CACHE_HOME nor HOME says it; NULL: there is none. */
const char *platform_cache_home(void);

/* ---- threads ---- */

/* Where the calling thread's stack lies; false: the system does not say. */
bool platform_stack(uintptr_t *low, uintptr_t *high);

/* The calling thread's number in the system, and its name ("": it has none). */
uint32_t platform_thread(char *name, size_t size);

/* Processors that this process may use, at least 1. */
uint32_t platform_count_processors(void);

/* ---- memory ---- */

/* Zeroed pages at a multiple of align, which is a power of two and divides size. The system is asked to have them as large pages. NULL:
 * no memory. */
void *platform_pages(size_t size, size_t align);
void platform_pages_free(void *pages, size_t size);

/* Memory for free(), with large pages where the system has such of that size. NULL: no memory, or malloc() does as well. */
void *platform_malloc_large(size_t page, size_t size);

/* Takes this range of addresses for the process, with pages of zeros where usable, unless something lies there: false. */
bool platform_take_range(void *start, size_t size, bool usable);
void platform_free_range(void *start, size_t size);

/* Memory that is not zeroed, at a multiple of align. */
void *platform_aligned(size_t align, size_t size);
void platform_aligned_free(void *memory);

/* ---- files and handles ---- */

/* Whether STDERR_FILENO is what the process writes its errors to, and no file of its own. */
bool platform_has_standard_error(void);

/* A new file without a name, to write and to read; NULL: there is no room for one. */
FILE *platform_temporary_file(void);

/* Locks a folder without waiting; close() unlocks it. -1 and errno: EWOULDBLOCK where somebody else has locked it. */
int platform_lock_folder(const char *path);

/* The numbers by which processes and interfaces share things of the kernel's: file descriptors, on Windows handles. */
bool platform_handle_is_open(intptr_t handle);
intptr_t platform_handle_copy(intptr_t handle); /* -1: it is not open, or there are too many */
void platform_handle_close(intptr_t handle);
/* Whether both are the same file; false where one is none. */
bool platform_handle_is_same(int a, int b);
/* Bytes of the file or dma_buf; 0: it has no size. */
uint64_t platform_handle_size(int handle);

/* A dma_buf of Linux, or a file in memory that cannot shrink, in the host's memory; platform_pages_free() ends it. NULL:
 * it is neither, or the host does not reach it. */
void *platform_dma_buf_map(int handle, size_t *size);
/* The host begins to read or to write it, or has ended. */
void platform_dma_buf_turn(int handle, bool begins, bool writes);
/* Whether there are dma_bufs. */
bool platform_has_dma_bufs(void);

#endif
