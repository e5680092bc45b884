/* See platform.h: what systems like Unix have in common, or nearly so. Where bionic, FreeBSD or macOS lack a function that
 * glibc and musl have, its replacement is here; what is asked of the loaded objects is in platform_elf.c and
 * platform_macos.c. tests/unit/bionic.txt lists the functions that bionic has. */
#include "platform.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#elif defined(__FreeBSD__)
#include <sys/param.h>

#include <sys/cpuset.h>

#include <pthread_np.h>
#endif

/* ---- the process ---- */

#ifdef __ANDROID__

/* Applications need not have a HOME there; TMPDIR, if they have that, is a folder of their own. */
const char *platform_cache_home(void)
{
    const char *temporary = platform_env("TMPDIR");
    return temporary && temporary[0] == '/' ? temporary : NULL;
}

/* AT_SECURE would not do: it is also set by an exec() that changes the SELinux domain, and stays set in whatever the
 * process forks. So ids are compared, as issetugid() of the BSDs does. */
const char *platform_env(const char *name)
{
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
}

const char *platform_program_name(void)
{
    return getprogname();
}

#elif defined(__APPLE__) || defined(__FreeBSD__)

const char *platform_cache_home(void)
{
    return NULL;
}

const char *platform_env(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}

const char *platform_program_name(void)
{
    return getprogname();
}

#else

const char *platform_cache_home(void)
{
    return NULL;
}

const char *platform_env(const char *name)
{
    return secure_getenv(name);
}

const char *platform_program_name(void)
{
    return program_invocation_short_name;
}

#endif

#ifdef __FreeBSD__
extern char **environ; /* POSIX: no header has it */
#elif defined(__APPLE__)
#define environ (*_NSGetEnviron()) /* a library does not see the variable itself */
#endif

bool platform_env_name(uint32_t place, char *name, size_t size)
{
    char **all = environ;
    for (uint32_t i = 0; all && all[i]; i++) {
        if (i == place) {
            snprintf(name, size, "%.*s", (int)strcspn(all[i], "="), all[i]);
            return true;
        }
    }
    return false;
}

char **platform_arguments(int *argc, char **argv)
{
    (void)argc;
    return argv;
}

/* ---- names of files ---- */

const char *platform_last_slash(const char *path)
{
    return strrchr(path, '/');
}

bool platform_is_absolute(const char *path)
{
    return path[0] == '/';
}

/* ---- the process's end ---- */

#ifdef __GLIBC__

void platform_at_exit(void (*call)(int status, void *data))
{
    on_exit(call, NULL);
}

#else

static void (*exit_call)(int status, void *data);

static void call_at_exit(void)
{
    exit_call(-1, NULL);
}

void platform_at_exit(void (*call)(int status, void *data))
{
    exit_call = call;
    atexit(call_at_exit);
}

#endif

bool platform_is_ending(void)
{
    return false;
}

/* ---- threads ---- */

#ifdef __APPLE__

bool platform_stack(uintptr_t *low, uintptr_t *high)
{
    *high = (uintptr_t)pthread_get_stackaddr_np(pthread_self()); /* where it begins, which is its upper end */
    *low = *high - pthread_get_stacksize_np(pthread_self());
    return true;
}

#else

static bool get_attributes(pthread_attr_t *attributes)
{
#ifdef __FreeBSD__
    return pthread_attr_init(attributes) == 0 && pthread_attr_get_np(pthread_self(), attributes) == 0;
#else
    return pthread_getattr_np(pthread_self(), attributes) == 0;
#endif
}

bool platform_stack(uintptr_t *low, uintptr_t *high)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    if (!get_attributes(&attributes))
        return false;
    bool known = pthread_attr_getstack(&attributes, &address, &size) == 0;
    pthread_attr_destroy(&attributes);
    if (known) {
        *low = (uintptr_t)address;
        *high = *low + size;
    }
    return known;
}

#endif

uint32_t platform_count_processors(void)
{
#if defined(__APPLE__) /* no process is bound to some of them there */
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#elif defined(__FreeBSD__)
    cpuset_t set;
    int count = 0;
    if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_PID, -1, sizeof(set), &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE; i++)
            count += CPU_ISSET(i, &set) != 0;
    }
#else
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
#endif
    return count > 1 ? (uint32_t)count : 1;
}

uint32_t platform_thread(char *name, size_t size)
{
    name[0] = 0;
#if defined(__APPLE__)
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    pthread_getname_np(pthread_self(), name, size);
    return (uint32_t)number;
#elif defined(__FreeBSD__)
#if __FreeBSD_version >= 1200000
    pthread_get_name_np(pthread_self(), name, size);
#else
    (void)size;
#endif
    return (uint32_t)pthread_getthreadid_np();
#else
    pthread_getname_np(pthread_self(), name, size);
    return (uint32_t)gettid();
#endif
}

/* ---- memory ---- */

#if defined(__APPLE__)
#define MAP_FIXED_NOREPLACE 0 /* the address is a hint, which is followed where nothing lies there */
#elif defined(__FreeBSD__)
#define MAP_FIXED_NOREPLACE (MAP_FIXED | MAP_EXCL)
#elif !defined(MAP_FIXED_NOREPLACE)
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MAP_NORESERVE /* FreeBSD reserves no memory for pages that nobody has touched */
#define MAP_NORESERVE 0
#endif

/* FreeBSD makes large pages by itself, macOS has none for this. */
static void ask_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    madvise(memory, size, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}

void *platform_pages(size_t size, size_t align)
{
    char *memory = mmap(NULL, size + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)memory & (align - 1);
    if (before)
        munmap(memory, before);
    munmap(memory + before + size, align - before);
    ask_large_pages(memory + before, size);
    return memory + before;
}

void platform_pages_free(void *pages, size_t size)
{
    munmap(pages, size);
}

void *platform_malloc_large(size_t page, size_t size)
{
    void *memory = platform_aligned(page, size);
    if (memory)
        ask_large_pages(memory, size & ~(page - 1));
    return memory;
}

bool platform_take_range(void *start, size_t size, bool usable)
{
    void *got = mmap(start, size, usable ? PROT_READ | PROT_WRITE : PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == start)
        return true;
    if (got != MAP_FAILED) /* a kernel before Linux 4.17, which takes the address for a hint */
        munmap(got, size);
    return false;
}

void platform_free_range(void *start, size_t size)
{
    munmap(start, size);
}

void *platform_aligned(size_t align, size_t size)
{
    void *memory;
    return posix_memalign(&memory, align, size) == 0 ? memory : NULL;
}

void platform_aligned_free(void *memory)
{
    free(memory);
}

/* ---- files and handles ---- */

/* A daemon that has closed its standard descriptors gets the second for a file of its own, where no line of ours may
 * land. Only the way in which it was opened tells that it is not standard error: shells open a file to be written
 * alone, testers capture in one without a name, and neither has the descriptor closed by exec(). */
bool platform_has_standard_error(void)
{
    struct stat st;
    int flags = fcntl(STDERR_FILENO, F_GETFD), mode = fcntl(STDERR_FILENO, F_GETFL);
    if (flags < 0 || mode < 0 || fstat(STDERR_FILENO, &st) != 0 || flags & FD_CLOEXEC)
        return false;
    return !S_ISREG(st.st_mode) || !st.st_nlink || (mode & O_ACCMODE) != O_RDWR || mode & O_APPEND;
}

FILE *platform_temporary_file(void)
{
    return tmpfile();
}

int platform_lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

bool platform_handle_is_open(intptr_t handle)
{
    return fcntl((int)handle, F_GETFD) >= 0;
}

intptr_t platform_handle_copy(intptr_t handle)
{
    return fcntl((int)handle, F_DUPFD_CLOEXEC, 0);
}

void platform_handle_close(intptr_t handle)
{
    close((int)handle);
}

bool platform_handle_is_same(int a, int b)
{
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

uint64_t platform_handle_size(int handle)
{
    struct stat st;
    if (fstat(handle, &st) == 0 && st.st_size > 0)
        return (uint64_t)st.st_size;
    /* Linux before 5.3 tells a dma_buf's size by this call alone. */
    off_t end = S_ISREG(st.st_mode) ? 0 : lseek(handle, 0, SEEK_END);
    return end > 0 ? (uint64_t)end : 0;
}

#ifdef __linux__

/* linux/dma-buf.h, which not all systems have. */
enum { SYNC_READ = 1, SYNC_WRITE = 2, SYNC_END = 4 };
#define DMA_BUF_SYNC _IOW('b', 0, uint64_t)

/* fcntl.h, where _GNU_SOURCE is defined */
enum { GET_SEALS = 1034, SEALED_SHRINK = 2 };

static bool sync_dma_buf(int handle, uint64_t flags)
{
    int result;
    do {
        result = ioctl(handle, DMA_BUF_SYNC, &flags);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    return result == 0;
}

void platform_dma_buf_turn(int handle, bool begins, bool writes)
{
    sync_dma_buf(handle, (begins ? 0 : SYNC_END) | SYNC_READ | (writes ? SYNC_WRITE : 0));
}

/* Memory that could shrink would end the process where it is read beyond its end. */
static bool keeps_its_size(int handle)
{
    if (sync_dma_buf(handle, SYNC_READ)) {
        sync_dma_buf(handle, SYNC_READ | SYNC_END);
        return true;
    }
    int seals = fcntl(handle, GET_SEALS);
    return seals >= 0 && seals & SEALED_SHRINK;
}

void *platform_dma_buf_map(int handle, size_t *size)
{
    uint64_t bytes = platform_handle_size(handle);
    if (!bytes || bytes > SIZE_MAX / 2 || !keeps_its_size(handle))
        return NULL;
    void *map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    *size = (size_t)bytes;
    return map == MAP_FAILED ? NULL : map;
}

bool platform_has_dma_bufs(void)
{
    return true;
}

#else

void platform_dma_buf_turn(int handle, bool begins, bool writes)
{
    (void)handle, (void)begins, (void)writes;
}

void *platform_dma_buf_map(int handle, size_t *size)
{
    (void)handle, (void)size;
    return NULL;
}

bool platform_has_dma_bufs(void)
{
    return false;
}

#endif
