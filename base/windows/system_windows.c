/* Time, libraries, the machine and text, for Windows: see posix.h and dlfcn.h. */
#include "windows_calls.h"

#include "dlfcn.h"
#include "fnmatch.h"
#include "platform.h"

uint32_t platform_thread(char *name, size_t size)
{
    name[0] = 0;
    pthread_getname_np(pthread_self(), name, size);
    return GetCurrentThreadId();
}

void windows_exit(int status)
{
    TerminateProcess(GetCurrentProcess(), (UINT)status);
    abort();
}

#undef raise

int windows_raise(int number)
{
    if (number != SIGTRAP)
        return raise(number);
    DebugBreak();
    return 0;
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

/* ---- locks ---- */

int windows_mutex_lock(struct windows_mutex *mutex)
{
    AcquireSRWLockExclusive((SRWLOCK *)mutex);
    return 0;
}

int windows_mutex_trylock(struct windows_mutex *mutex)
{
    return TryAcquireSRWLockExclusive((SRWLOCK *)mutex) ? 0 : EBUSY;
}

int windows_mutex_unlock(struct windows_mutex *mutex)
{
    ReleaseSRWLockExclusive((SRWLOCK *)mutex);
    return 0;
}

int windows_cond_signal(struct windows_condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)condition);
    return 0;
}

int windows_cond_broadcast(struct windows_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
    return 0;
}

int windows_cond_wait(struct windows_condition *condition, struct windows_mutex *mutex)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, INFINITE, 0);
    return 0;
}

/* Whole ms are waited for, and not for longer than a day at once: whoever waits looks again. */
int windows_cond_timedwait(struct windows_condition *condition, struct windows_mutex *mutex,
                           const struct timespec *until)
{
    const int64_t day_ms = 86400000;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left_ns = ((int64_t)until->tv_sec - now.tv_sec) * 1000000000 + until->tv_nsec - now.tv_nsec;
    if (left_ns <= 0)
        return ETIMEDOUT;
    int64_t ms = (left_ns + 999999) / 1000000;
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, (DWORD)(ms < day_ms ? ms : day_ms), 0);
    return 0;
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
    void *address = library == RTLD_NEXT || library == RTLD_DEFAULT ? NULL : (void *)GetProcAddress(library, name);
    library_error = address ? 0 : GetLastError();
    return address;
}

int windows_dlclose(void *library)
{
    return FreeLibrary(library) ? 0 : -1;
}

int windows_dladdr(const void *address, Dl_info *info)
{
    static _Thread_local char name[3 * MAX_PATH];
    wchar_t path[MAX_PATH];
    HMODULE module;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            address, &module) ||
        !GetModuleFileNameW(module, path, MAX_PATH) ||
        !WideCharToMultiByte(CP_UTF8, 0, path, -1, name, sizeof(name), NULL, NULL))
        return 0;
    *info = (Dl_info){.dli_fname = name, .dli_fbase = module};
    return 1;
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

/* Whether the character is in the set that begins at the bracket; *end is behind it. A set without an end is a bracket. */
static bool in_set(const char *set, char c, const char **end)
{
    bool inverse = set[1] == '!' || set[1] == '^', found = false;
    const char *at = set + 1 + inverse, *begin = at;
    for (; *at && (*at != ']' || at == begin); at++) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            found |= c >= at[0] && c <= at[2];
            at += 2;
        } else {
            found |= c == *at;
        }
    }
    *end = *at ? at + 1 : set + 1;
    return *at ? found != inverse : c == '[';
}

/* A star that does not fit takes one more character. Only the last one need be tried again. */
int windows_fnmatch(const char *pattern, const char *text, int flags)
{
    const char *star = NULL, *after_star = NULL, *next;
    (void)flags;
    while (*text) {
        bool fits = false;
        next = pattern + 1;
        if (*pattern == '*') {
            star = pattern++;
            after_star = text;
            continue;
        }
        if (*pattern == '[')
            fits = in_set(pattern, *text, &next);
        else if (*pattern == '\\' && pattern[1])
            fits = *next++ == *text;
        else
            fits = *pattern == '?' || (*pattern && *pattern == *text);
        if (fits) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++after_star;
        } else {
            return 1;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern != 0;
}
