/* Time, libraries, the machine and text, for Windows: see posix.h and dlfcn.h. */
#include "windows_calls.h"

#include "dlfcn.h"

int windows_thread(void)
{
    return (int)GetCurrentThreadId();
}

/* ---- time ---- */

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

/* One for each thread would have to be closed at its end. Making one takes some us, of the 60 or more that a sleep takes. */
int windows_usleep(uint64_t us)
{
    const LARGE_INTEGER due = {.QuadPart = -(int64_t)(us * 10)};
    HANDLE timer =
        us < 20000 ? CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS) : NULL;
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep((DWORD)((us + 999) / 1000));
    if (timer)
        CloseHandle(timer);
    return 0;
}

int windows_nanosleep(const struct timespec *time, struct timespec *rest)
{
    (void)rest; /* no signal ends it early */
    return windows_usleep((uint64_t)time->tv_sec * 1000000 + ((uint64_t)time->tv_nsec + 999) / 1000);
}

#undef pthread_cond_timedwait

/* The clock of the day may be set meanwhile. So nobody waits for more than a second at once by it. Whole ms are waited for. */
int windows_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    enum { SECOND = 1000000000, SLACK = 1000000 };
    struct timespec now, day;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = ((int64_t)until->tv_sec - now.tv_sec) * SECOND + until->tv_nsec - now.tv_nsec;
    if (left <= 0)
        return ETIMEDOUT;
    clock_gettime(CLOCK_REALTIME, &day);
    bool in_parts = left > SECOND - SLACK;
    int64_t end = day.tv_nsec + (in_parts ? SECOND - SLACK : left) + SLACK;
    day.tv_sec += (time_t)(end / SECOND);
    day.tv_nsec = (long)(end % SECOND);
    int result = pthread_cond_timedwait(condition, lock, &day);
    if (result != ETIMEDOUT || in_parts)
        return result == ETIMEDOUT ? 0 : result;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec) ? ETIMEDOUT : 0;
}

/* ---- the machine ---- */

long windows_sysconf(int name)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (long)(name == _SC_PAGESIZE ? info.dwPageSize : GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

/* ---- libraries ---- */

static _Thread_local DWORD library_error;

void *windows_dlopen(const char *name, int flags)
{
    wchar_t *wide = windows_wide(name);
    (void)flags;
    HMODULE library = wide ? LoadLibraryW(wide) : NULL;
    library_error = library ? 0 : GetLastError();
    free(wide);
    return library;
}

void *windows_dlsym(void *library, const char *name)
{
    void *address = library == RTLD_NEXT ? NULL : (void *)GetProcAddress(library, name);
    library_error = address ? 0 : GetLastError();
    return address;
}

int windows_dlclose(void *library)
{
    return FreeLibrary(library) ? 0 : -1;
}

const char *windows_dlerror(void)
{
    static _Thread_local char text[64];
    if (!library_error)
        return NULL;
    snprintf(text, sizeof(text), "error %lu of Windows", (unsigned long)library_error);
    library_error = 0;
    return text;
}

/* ---- text ---- */

char *stpcpy(char *to, const char *from)
{
    size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

char *strndup(const char *text, size_t length)
{
    size_t own = strnlen(text, length);
    char *copy = malloc(own + 1);
    if (copy) {
        memcpy(copy, text, own);
        copy[own] = 0;
    }
    return copy;
}

ssize_t getline(char **line, size_t *capacity, FILE *file)
{
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF;) {
        if (!*line || length + 2 > *capacity) {
            size_t grown = length + 2 > 128 ? 2 * length : 128;
            char *text = realloc(*line, grown);
            if (!text)
                return -1;
            *line = text;
            *capacity = grown;
        }
        (*line)[length++] = (char)c;
        if (c == '\n')
            break;
    }
    if (!length)
        return -1;
    (*line)[length] = 0;
    return (ssize_t)length;
}
