/* See base/platform.h. */
#include "windows_calls.h"

#include "base/platform.h"

#include "dlfcn.h"

#include <malloc.h>
#include <psapi.h>

/* ---- the environment ---- */

/* Values are given out as the texts of this process, which stay. So each that a variable ever had is kept once. */
struct value {
    char *name, *text;
    struct value *next;
};

static pthread_mutex_t values_lock = PTHREAD_MUTEX_INITIALIZER;
static struct value *values;

/* Takes the text. NULL: no memory. */
static const char *keep_value(const char *name, char *text)
{
    pthread_mutex_lock(&values_lock);
    struct value *value = values;
    while (value && (strcmp(value->name, name) != 0 || strcmp(value->text, text) != 0))
        value = value->next;
    if (value) {
        free(text);
    } else if ((value = malloc(sizeof(*value)))) {
        *value = (struct value){.name = strdup(name), .text = text, .next = values};
        if (value->name) {
            values = value;
        } else {
            free(value);
            value = NULL;
        }
    }
    const char *kept = value ? value->text : NULL;
    pthread_mutex_unlock(&values_lock);
    return kept;
}

/* Windows' own environment, not that of a C library: an application may have another one than we. */
const char *platform_env(const char *name)
{
    wchar_t *wide = windows_wide(name);
    DWORD count = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    wchar_t *value = count ? malloc(count * sizeof(*value)) : NULL;
    char *text = NULL;
    if (value && GetEnvironmentVariableW(wide, value, count) < count)
        text = windows_utf8(value);
    free(value);
    free(wide);
    return text ? keep_value(name, text) : NULL;
}

int windows_setenv(const char *name, const char *value, int replace)
{
    if (!replace && platform_env(name))
        return 0;
    wchar_t *wide = windows_wide(name), *text = wide ? windows_wide(value) : NULL;
    int result = text && _wputenv_s(wide, text) == 0 ? 0 : -1;
    free(text);
    free(wide);
    return result;
}

int windows_unsetenv(const char *name)
{
    return windows_setenv(name, "", 1);
}

bool platform_env_name(uint32_t place, char *name, size_t size)
{
    wchar_t *all = GetEnvironmentStringsW();
    wchar_t *at = all;
    for (uint32_t i = 0; at && *at && i < place; i++)
        at += wcslen(at) + 1;
    bool there = at && *at;
    char *text = there ? windows_utf8(at) : NULL;
    if (text)
        snprintf(name, size, "%.*s", (int)(strcspn(text + 1, "=") + 1), text); /* "=C:=C:\folder" is a variable, too */
    else if (there)
        name[0] = 0;
    free(text);
    FreeEnvironmentStringsW(all);
    return there;
}

/* ---- names of files ---- */

const char *platform_last_slash(const char *path)
{
    const char *last = strpbrk(path, "/\\");
    for (const char *next = last; next; next = strpbrk(next + 1, "/\\"))
        last = next;
    return last;
}

bool platform_is_absolute(const char *path)
{
    return platform_is_slash(path[0]) || (path[0] && path[1] == ':' && platform_is_slash(path[2]));
}

const char *platform_cache_home(void)
{
    const char *local = platform_env("LOCALAPPDATA");
    return local && platform_is_absolute(local) ? local : NULL;
}

/* ---- the process ---- */

static char program_name[256];

static void find_program_name(void)
{
    wchar_t path[1024];
    DWORD length = GetModuleFileNameW(NULL, path, ARRAYSIZE(path) - 1);
    path[length] = 0;
    wchar_t *slash = wcsrchr(path, L'\\'), *name = slash ? slash + 1 : path;
    size_t count = wcslen(name);
    if (count > 4 && _wcsicmp(name + count - 4, L".exe") == 0)
        name[count - 4] = 0;
    if (!WideCharToMultiByte(CP_UTF8, 0, name, -1, program_name, sizeof(program_name), NULL, NULL))
        program_name[0] = 0;
}

/* Without ".exe": programs have the same names elsewhere. */
const char *platform_program_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_program_name);
    return program_name;
}

static UINT console_page;

static void restore_console(void)
{
    SetConsoleOutputCP(console_page);
}

/* The C library's own reading of the command line, which also puts the names of files for patterns, since shells do not. */
char **platform_arguments(int *argc, char **argv)
{
    int __cdecl __wgetmainargs(int *count, wchar_t ***arguments, wchar_t ***environment, int patterns, int *new_mode);
    wchar_t **wide, **environment;
    int count, new_mode = 0;
    console_page = GetConsoleOutputCP();
    if (console_page && console_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_console);
    _setmode(STDIN_FILENO, _O_BINARY);
    _setmode(STDOUT_FILENO, _O_BINARY);
    __wgetmainargs(&count, &wide, &environment, 1, &new_mode);
    char **list = calloc((size_t)count + 1, sizeof(*list));
    for (int i = 0; list && i < count; i++) {
        if (!(list[i] = windows_utf8(wide[i])))
            return argv;
    }
    if (!list)
        return argv;
    *argc = count;
    return list;
}

bool platform_has_library(const char *prefix)
{
    HMODULE modules[1024];
    DWORD bytes = 0;
    char name[MAX_PATH];
    bool found = false;
    if (!EnumProcessModules(GetCurrentProcess(), modules, sizeof(modules), &bytes))
        return false;
    if (bytes > sizeof(modules))
        bytes = sizeof(modules);
    for (DWORD i = 0; i < bytes / sizeof(modules[0]) && !found; i++)
        found = GetModuleBaseNameA(GetCurrentProcess(), modules[i], name, sizeof(name)) &&
                _strnicmp(name, prefix, strlen(prefix)) == 0;
    return found;
}

bool platform_module(const void *address, char *path, size_t size, uint64_t *inside)
{
    Dl_info info;
    if (!windows_dladdr(address, &info))
        return false;
    snprintf(path, size, "%s", info.dli_fname);
    *inside = (uint64_t)((const char *)address - (const char *)info.dli_fbase);
    return true;
}

/* The linker's --build-id goes where Visual Studio's debugger looks for its own: a directory of the image has a record
 * "RSDS" and 16 bytes. */
size_t platform_build_id(const void *address, uint8_t *id, size_t room)
{
    enum { SIGNATURE = 4, SIZE = 16 };
    HMODULE module;
    if (room < SIZE ||
        !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            address, &module))
        return 0;
    const char *base = (const char *)module;
    const IMAGE_NT_HEADERS *headers = (const void *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *place = &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_DEBUG];
    const IMAGE_DEBUG_DIRECTORY *entries = (const void *)(base + place->VirtualAddress);
    for (DWORD i = 0; i < place->Size / sizeof(*entries); i++) {
        const char *record = base + entries[i].AddressOfRawData;
        if (entries[i].Type == IMAGE_DEBUG_TYPE_CODEVIEW && entries[i].SizeOfData >= SIGNATURE + SIZE &&
            memcmp(record, "RSDS", SIGNATURE) == 0) {
            memcpy(id, record + SIGNATURE, SIZE);
            return SIZE;
        }
    }
    return 0;
}

/* ---- the process's end ---- */

bool platform_is_ending(void)
{
    BOOLEAN(NTAPI * is_ending)(void);
    is_ending = (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "RtlDllShutdownInProgress");
    return is_ending && is_ending();
}

static void (*exit_call)(int status, void *data);
static LONG exit_called;

/* A C library that the program does not use calls this when it is unloaded with the process. */
static void call_at_exit(void)
{
    if (!platform_is_ending() && !InterlockedExchange(&exit_called, 1))
        exit_call(-1, NULL);
}

static int __cdecl call_from_library(void)
{
    call_at_exit();
    return 0;
}

/* atexit() of a library is called when Windows unloads it, when other threads are gone and a driver cannot be called
 * any more. So the exit handlers of the C libraries that programs use are asked: exit() calls those first. A program
 * with a C library of its own inside ends without us. */
void platform_at_exit(void (*call)(int status, void *data))
{
    HMODULE newer = GetModuleHandleA("ucrtbase.dll"), old = GetModuleHandleA("msvcrt.dll");
    exit_call = call;
    int(__cdecl * universal)(void (*)(void)) = newer ? (void *)GetProcAddress(newer, "_crt_atexit") : NULL;
    int(__cdecl * (__cdecl * older)(int(__cdecl *)(void)))(void) = old ? (void *)GetProcAddress(old, "_onexit") : NULL;
    if (universal)
        universal(call_at_exit);
    if (older)
        older(call_from_library);
}

/* Threads of ours may sleep in this code when somebody unloads the library, and exit handlers point to it. */
__attribute__((constructor)) static void stay(void)
{
    HMODULE module;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (const void *)&values,
                       &module);
}

/* ---- threads ---- */

bool platform_stack(uintptr_t *low, uintptr_t *high)
{
    ULONG_PTR from, to;
    GetCurrentThreadStackLimits(&from, &to);
    *low = from;
    *high = to;
    return true;
}

uint32_t platform_count_processors(void)
{
    DWORD_PTR own, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || !own) /* 0: in several groups of processors */
        return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return (uint32_t)__builtin_popcountll(own);
}

/* ---- memory ---- */

/* Part of a range cannot be given back. So a range of twice the size is asked for to find a place, and given back. */
void *platform_pages(size_t size, size_t align)
{
    for (int attempt = 0; attempt < 8; attempt++) {
        char *place = VirtualAlloc(NULL, size + align, MEM_RESERVE, PAGE_NOACCESS);
        if (!place)
            return NULL;
        VirtualFree(place, 0, MEM_RELEASE);
        void *aligned = place + (-(uintptr_t)place & (align - 1));
        void *pages = VirtualAlloc(aligned, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        if (pages)
            return pages;
    }
    return NULL;
}

void platform_pages_free(void *pages, size_t size)
{
    (void)size;
    VirtualFree(pages, 0, MEM_RELEASE);
}

void *platform_malloc_large(size_t page, size_t size)
{
    (void)page;
    (void)size;
    return NULL; /* large pages take a right that users do not have */
}

bool platform_take_range(void *start, size_t size, bool usable)
{
    return VirtualAlloc(start, size, usable ? MEM_RESERVE | MEM_COMMIT : MEM_RESERVE,
                        usable ? PAGE_READWRITE : PAGE_NOACCESS) != NULL;
}

void platform_free_range(void *start, size_t size)
{
    (void)size;
    VirtualFree(start, 0, MEM_RELEASE);
}

void *platform_aligned(size_t align, size_t size)
{
    return _aligned_malloc(size, align);
}

void platform_aligned_free(void *memory)
{
    _aligned_free(memory);
}

/* ---- files and handles ---- */

/* Programs without a console have none. A file that is opened then gets a number by the C library, and not Windows' place for it. */
bool platform_has_standard_error(void)
{
    HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
    intptr_t file = _get_osfhandle(STDERR_FILENO);
    return file >= 0 && error && error != INVALID_HANDLE_VALUE;
}

/* The C library's tmpfile() wants to write in the root of the disk. */
FILE *platform_temporary_file(void)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    if (!GetTempPathW(ARRAYSIZE(folder), folder) || !GetTempFileNameW(folder, L"pum", 0, path))
        return NULL;
    HANDLE handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    int fd = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, _O_RDWR | _O_BINARY);
    FILE *file = fd < 0 ? NULL : _fdopen(fd, "w+b");
    if (fd >= 0 && !file)
        close(fd);
    else if (fd < 0 && handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    return file;
}

/* A folder has no lock of its own, so a file stands for it that one process may have open, and that goes with it. */
int platform_lock_folder(const char *path)
{
    char *name = malloc(strlen(path) + 6);
    wchar_t *wide = NULL;
    if (name) {
        strcpy(stpcpy(name, path), "/lock");
        wide = windows_wide_path(name);
    }
    free(name);
    if (!wide)
        return -1;
    HANDLE handle = CreateFileW(wide, GENERIC_WRITE, 0, NULL, OPEN_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    DWORD error = handle == INVALID_HANDLE_VALUE ? GetLastError() : 0;
    int file = error ? windows_fail() : _open_osfhandle((intptr_t)handle, _O_BINARY);
    if (error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED) /* the latter while it is going */
        errno = EWOULDBLOCK;
    else if (!error && file < 0)
        CloseHandle(handle);
    free(wide);
    return file;
}

/* What stands for the process or the thread itself (-1, -2 ...) is nothing to share. */
bool platform_handle_is_open(intptr_t handle)
{
    DWORD flags;
    return handle > 0 && GetHandleInformation((HANDLE)handle, &flags);
}

intptr_t platform_handle_copy(intptr_t handle)
{
    HANDLE copy;
    if (handle <= 0 || !DuplicateHandle(GetCurrentProcess(), (HANDLE)handle, GetCurrentProcess(), &copy, 0, FALSE,
                                        DUPLICATE_SAME_ACCESS))
        return -1;
    return (intptr_t)copy;
}

void platform_handle_close(intptr_t handle)
{
    CloseHandle((HANDLE)handle);
}

/* There are no dma_bufs, which alone ask these. */
bool platform_handle_is_same(int a, int b)
{
    return a == b;
}

uint64_t platform_handle_size(int handle)
{
    (void)handle;
    return 0;
}

void *platform_dma_buf_map(int handle, size_t *size)
{
    (void)handle, (void)size;
    return NULL;
}

void platform_dma_buf_turn(int handle, bool begins, bool writes)
{
    (void)handle, (void)begins, (void)writes;
}

bool platform_has_dma_bufs(void)
{
    return false;
}
