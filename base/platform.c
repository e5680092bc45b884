/* See platform.h. Where bionic lacks a function that glibc and musl have, its replacement is here. tests/unit/bionic.txt
 * lists the functions that bionic has. */
#include "platform.h"

#include "util.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
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

bool platform_env_name(uint32_t place, char *name, size_t size)
{
    for (uint32_t i = 0; environ && environ[i]; i++) {
        if (i == place) {
            snprintf(name, size, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
            return true;
        }
    }
    return false;
}

static int begins_so(struct dl_phdr_info *info, size_t size, void *prefix)
{
    const char *folder = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = folder ? folder + 1 : info->dlpi_name ? info->dlpi_name : "";
    (void)size;
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool platform_has_library(const char *prefix)
{
    return dl_iterate_phdr(begins_so, (void *)(uintptr_t)prefix) != 0;
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

/* ---- build ids ---- */

struct build_id {
    uintptr_t address; /* in the object that is asked for */
    uint8_t *id;
    size_t room, size;
};

static void read_notes(const struct dl_phdr_info *info, const ElfW(Phdr) * header, struct build_id *wanted)
{
    const char *at = (const char *)info->dlpi_addr + header->p_vaddr, *end = at + header->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof(*note), *data = name + align_up(note->n_namesz, 4);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->n_descsz <= wanted->room) {
            memcpy(wanted->id, data, note->n_descsz);
            wanted->size = note->n_descsz;
            return;
        }
        at = data + align_up(note->n_descsz, 4);
    }
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct build_id *wanted = data;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        ours |= header->p_type == PT_LOAD && wanted->address >= start && wanted->address - start < header->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes(info, &info->dlpi_phdr[i], wanted);
    }
    return ours;
}

struct module {
    uintptr_t address, inside;
    char *path;
    size_t size;
    bool found;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module *wanted = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !wanted->found; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        wanted->found = info->dlpi_phdr[i].p_type == PT_LOAD && wanted->address >= start &&
                        wanted->address - start < info->dlpi_phdr[i].p_memsz;
    }
    if (!wanted->found)
        return 0;
    wanted->inside = wanted->address - info->dlpi_addr;
    if (info->dlpi_name && *info->dlpi_name) {
        snprintf(wanted->path, wanted->size, "%s", info->dlpi_name);
    } else { /* the program has no name there */
        ssize_t length = readlink("/proc/self/exe", wanted->path, wanted->size - 1);
        wanted->path[length < 0 ? 0 : length] = 0;
    }
    return 1;
}

bool platform_module(const void *address, char *path, size_t size, uint64_t *inside)
{
    struct module wanted = {.address = (uintptr_t)address, .path = path, .size = size};
    dl_iterate_phdr(visit_module, &wanted);
    *inside = wanted.inside;
    return wanted.found && *path;
}

size_t platform_build_id(const void *address, uint8_t *id, size_t room)
{
    struct build_id wanted = {.address = (uintptr_t)address, .id = id, .room = room};
    dl_iterate_phdr(visit_object, &wanted);
    return wanted.size;
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

bool platform_stack(uintptr_t *low, uintptr_t *high)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    bool known = pthread_attr_getstack(&attributes, &address, &size) == 0;
    pthread_attr_destroy(&attributes);
    if (known) {
        *low = (uintptr_t)address;
        *high = *low + size;
    }
    return known;
}

uint32_t platform_count_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 1 ? (uint32_t)count : 1;
}

/* ---- memory ---- */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

void *platform_pages(size_t size, size_t align)
{
    char *memory = mmap(NULL, size + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)memory & (align - 1);
    if (before)
        munmap(memory, before);
    munmap(memory + before + size, align - before);
    madvise(memory + before, size, MADV_HUGEPAGE);
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
        madvise(memory, size & ~(page - 1), MADV_HUGEPAGE);
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
