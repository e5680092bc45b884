/* What Pumice uses of POSIX, for Windows. The compiler reads this header before each C file (meson.build), so that the files themselves
 * say what they say elsewhere. platform_windows.c and files_windows.c have the functions.
 *
 * Text is UTF-8 everywhere in Pumice, paths and the environment included; the calls to Windows are those that take UTF-16. A path may have
 * either slash, and be as long as Windows allows. Files are read and written as they are, without other ends of lines. */
#ifndef BASE_WINDOWS_POSIX_H
#define BASE_WINDOWS_POSIX_H

#include <direct.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- descriptors and files ---- */

/* A file that another process reads may be replaced and removed meanwhile. With O_NOFOLLOW a link itself is opened, which fstat() says is
 * of no type. Those that are 0 are about devices that Windows has not. */
#define O_CLOEXEC  _O_NOINHERIT
#define O_NOFOLLOW 0x10000000
#define O_NONBLOCK 0
#define O_NOCTTY   0

#define S_ISLNK(mode)  false
#define S_ISSOCK(mode) false
#undef S_IWGRP
#undef S_IWOTH
#define S_IWGRP 020
#define S_IWOTH 02 /* windows_stat() says it of a folder in which others than its owner and administrators may write */

#undef stat
#undef fstat
#undef lstat
struct windows_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size;
    uint32_t st_mode, st_nlink, st_uid;
    struct timespec st_mtim;
};
#define stat  windows_stat
#define lstat windows_lstat
#define fstat windows_fstat
int windows_stat(const char *path, struct windows_stat *info);
int windows_lstat(const char *path, struct windows_stat *info); /* what is reached by a link is of no type */
int windows_fstat(int file, struct windows_stat *info);

#undef PATH_MAX /* see windows_wide_path() */
#define PATH_MAX 4096

#define open     windows_open
#define fopen    windows_fopen
#define mkdir    windows_mkdir
#define rmdir    windows_rmdir
#define unlink   windows_unlink
#define rename   windows_rename
#define access   windows_access
#define mkostemp windows_mkostemp
#define futimens windows_futimens
#define fsync    _commit
int windows_open(const char *path, int flags, ...);
FILE *windows_fopen(const char *path, const char *mode);
int windows_mkdir(const char *path, unsigned mode);
int windows_rmdir(const char *path);
int windows_unlink(const char *path);
int windows_rename(const char *from, const char *to);
int windows_access(const char *path, int mode);
int windows_mkostemp(char *path, int flags);
int windows_futimens(int file, const struct timespec times[2]); /* times is NULL: now */

/* At a place of the file; where the next read() or write() goes on is not defined afterwards. */
#define pread  windows_pread
#define pwrite windows_pwrite
ssize_t windows_pread(int file, void *data, size_t size, int64_t offset);
ssize_t windows_pwrite(int file, const void *data, size_t size, int64_t offset);

/* What is written is in *text and *size after fclose() alone. */
#define open_memstream windows_open_memstream
#define fclose         windows_fclose
FILE *windows_open_memstream(char **text, size_t *size);
int windows_fclose(FILE *file);

#undef DIR
#undef dirent
struct windows_dirent {
    char d_name[3 * 260 + 1];
};
#define dirent   windows_dirent
#define DIR      struct windows_dir
#define opendir  windows_opendir
#define readdir  windows_readdir
#define closedir windows_closedir
struct windows_dir;
struct windows_dir *windows_opendir(const char *path);
struct windows_dirent *windows_readdir(struct windows_dir *folder);
int windows_closedir(struct windows_dir *folder);

/* ---- processes and threads ---- */

static inline unsigned geteuid(void)
{
    return 0; /* what windows_stat() says of this user's folders, and of every file */
}

#define setenv   windows_setenv
#define unsetenv windows_unsetenv
int windows_setenv(const char *name, const char *value, int replace);
int windows_unsetenv(const char *name);

/* Ends the process without the ends of its libraries, whose drivers may be stuck. */
#define _exit windows_exit
void windows_exit(int status) __attribute__((noreturn));

/* SIGTRAP goes to the debugger. */
#define raise windows_raise
int windows_raise(int number);

/* Windows sends threads no signals, and copies no process. */
typedef int sigset_t;
enum { SIGTRAP = 5, SIGBUS = 7, SIGSYS = 12 };
#undef SIG_SETMASK
#define SIG_SETMASK 2
#undef pthread_sigmask
#undef pthread_atfork

static inline void sigfillset(sigset_t *set)
{
    *set = 0;
}

static inline void sigdelset(sigset_t *set, int number)
{
    (void)set;
    (void)number;
}

static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how;
    (void)set;
    (void)old;
    return 0;
}

static inline int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    (void)before;
    (void)parent;
    (void)child;
    return 0;
}

/* Nobody can try to lock a FILE. fwrite() does by itself what matters. */
static inline int ftrylockfile(FILE *file)
{
    (void)file;
    return 0;
}

static inline void flockfile(FILE *file)
{
    (void)file;
}

static inline void funlockfile(FILE *file)
{
    (void)file;
}

/* Windows' own locks and conditions. Those of the library for threads are objects of the kernel's, and each event of ours has some; its
 * waits end by the clock of the day, these by CLOCK_MONOTONIC. */
struct windows_mutex {
    void *state; /* an SRWLOCK */
};

struct windows_condition {
    void *state; /* a CONDITION_VARIABLE */
};

#undef PTHREAD_MUTEX_INITIALIZER
#undef PTHREAD_COND_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER                                                                                      \
    {                                                                                                                  \
        NULL                                                                                                           \
    }
#define PTHREAD_COND_INITIALIZER                                                                                       \
    {                                                                                                                  \
        NULL                                                                                                           \
    }
#define pthread_mutex_t                              struct windows_mutex
#define pthread_cond_t                               struct windows_condition
#define pthread_mutex_init(mutex, attributes)        ((mutex)->state = NULL, (void)(attributes))
#define pthread_mutex_destroy(mutex)                 ((void)(mutex))
#define pthread_mutex_lock                           windows_mutex_lock
#define pthread_mutex_trylock                        windows_mutex_trylock
#define pthread_mutex_unlock                         windows_mutex_unlock
#define pthread_cond_init(condition, attributes)     ((condition)->state = NULL, (void)(attributes))
#define pthread_cond_destroy(condition)              ((void)(condition))
#define pthread_cond_signal                          windows_cond_signal
#define pthread_cond_broadcast                       windows_cond_broadcast
#define pthread_cond_wait                            windows_cond_wait
#define pthread_cond_timedwait                       windows_cond_timedwait
#define pthread_condattr_setclock(attributes, clock) ((void)(attributes))
int windows_mutex_lock(struct windows_mutex *mutex);
int windows_mutex_trylock(struct windows_mutex *mutex);
int windows_mutex_unlock(struct windows_mutex *mutex);
int windows_cond_signal(struct windows_condition *condition);
int windows_cond_broadcast(struct windows_condition *condition);
int windows_cond_wait(struct windows_condition *condition, struct windows_mutex *mutex);
int windows_cond_timedwait(struct windows_condition *condition, struct windows_mutex *mutex,
                           const struct timespec *until);

/* To the microsecond where Windows can (10 1803), else to its tick, but never shorter. */
#define usleep windows_usleep
int windows_usleep(uint64_t us);
#define nanosleep windows_nanosleep
int windows_nanosleep(const struct timespec *time, struct timespec *rest);

enum { _SC_NPROCESSORS_ONLN, _SC_PAGESIZE };
#define sysconf windows_sysconf
long windows_sysconf(int name);

/* ---- text ---- */

char *stpcpy(char *to, const char *from);
char *strndup(const char *text, size_t length);
ssize_t getline(char **line, size_t *capacity, FILE *file);

#endif
