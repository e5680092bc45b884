/* Files by UTF-8 paths, for Windows: see posix.h.
 *
 * Everything is opened so that others may read, replace and remove it meanwhile, which the C library's own functions
 * forbid. So a cache's entry can be replaced while another process reads it. */
#include "windows_calls.h"

#include "base/platform.h"

#include "sys/file.h"

#include <aclapi.h>

/* ---- text ---- */

wchar_t *windows_wide(const char *text)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = count > 0 ? malloc((size_t)count * sizeof(*wide)) : NULL;
    if (!wide) {
        errno = count > 0 ? ENOMEM : EILSEQ;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, count);
    return wide;
}

char *windows_utf8(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;
    if (!narrow) {
        errno = size > 0 ? ENOMEM : EILSEQ;
        return NULL;
    }
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    return narrow;
}

/* Only the form that begins with \\?\ may be longer than MAX_PATH, and it has to be whole and without slashes. */
wchar_t *windows_wide_path(const char *path)
{
    wchar_t *wide = windows_wide(path);
    if (!wide || wcslen(wide) < MAX_PATH - 12 || wcsncmp(wide, L"\\\\?\\", 4) == 0)
        return wide;
    DWORD count = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = count ? malloc((count + 8) * sizeof(*whole)) : NULL;
    if (whole) {
        GetFullPathNameW(wide, count, whole + 8, NULL);
        bool shared = whole[8] == L'\\' && whole[9] == L'\\'; /* \\machine\share\... */
        const wchar_t *prefix = shared ? L"\\\\?\\UNC" : L"\\\\?\\";
        const wchar_t *rest = whole + (shared ? 9 : 8);
        size_t length = wcslen(prefix);
        memcpy(whole, prefix, length * sizeof(*whole));
        memmove(whole + length, rest, (wcslen(rest) + 1) * sizeof(*whole));
    }
    free(wide);
    return whole;
}

int windows_fail(void)
{
    static const struct {
        DWORD error;
        int number;
    } rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},         {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},   {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_FILE_EXISTS, EEXIST},         {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},           {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},   {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_DIRECTORY, ENOTDIR},          {ERROR_INVALID_HANDLE, EBADF},
    };
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].error == error)
            errno = rows[i].number;
    }
    return -1;
}

/* ---- opening ---- */

#define ALL_SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Appending without the right to write elsewhere is one step, also where several processes do it. Whoever reads may
 * also tell that he did (windows_futimens()), unless he has no right to. */
static HANDLE open_handle(const wchar_t *path, int flags)
{
    DWORD right = flags & O_APPEND                          ? FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE
                  : (flags & (O_WRONLY | O_RDWR)) == O_RDWR ? GENERIC_READ | GENERIC_WRITE
                  : flags & O_WRONLY                        ? GENERIC_WRITE
                                                            : GENERIC_READ | FILE_WRITE_ATTRIBUTES;
    DWORD how = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)     ? CREATE_NEW
                : (flags & (O_CREAT | O_TRUNC)) == (O_CREAT | O_TRUNC) ? CREATE_ALWAYS
                : flags & O_CREAT                                      ? OPEN_ALWAYS
                : flags & O_TRUNC                                      ? TRUNCATE_EXISTING
                                                                       : OPEN_EXISTING;
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = !(flags & O_CLOEXEC)};
    DWORD kind = FILE_ATTRIBUTE_NORMAL | (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE file = CreateFileW(path, right, ALL_SHARE, &inherited, how, kind, NULL);
    if (file == INVALID_HANDLE_VALUE && right == (GENERIC_READ | FILE_WRITE_ATTRIBUTES) &&
        GetLastError() == ERROR_ACCESS_DENIED)
        file = CreateFileW(path, GENERIC_READ, ALL_SHARE, &inherited, how, kind, NULL);
    return file;
}

int windows_open(const char *path, int flags, ...)
{
    wchar_t *wide = windows_wide_path(path);
    if (!wide)
        return -1;
    HANDLE handle = open_handle(wide, flags);
    int file =
        handle == INVALID_HANDLE_VALUE
            ? windows_fail()
            : _open_osfhandle((intptr_t)handle, (flags & (O_APPEND | O_CLOEXEC | O_WRONLY | O_RDWR)) | _O_BINARY);
    if (handle != INVALID_HANDLE_VALUE && file < 0)
        CloseHandle(handle);
    free(wide);
    return file;
}

FILE *windows_fopen(const char *path, const char *mode)
{
    bool more = strchr(mode, '+') != NULL;
    int flags = mode[0] == 'r' ? 0 : mode[0] == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    flags |= more ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    int fd = windows_open(path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0));
    const char plain[] = {mode[0], 'b', more ? '+' : 0, 0};
    FILE *file = fd < 0 ? NULL : _fdopen(fd, plain);
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

int windows_mkostemp(char *path, int flags)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789"; /* names differ in more than case */
    LARGE_INTEGER now;
    char *end = path + strlen(path) - 6;
    QueryPerformanceCounter(&now);
    uint64_t random =
        (uint64_t)now.QuadPart ^ (uint64_t)GetCurrentProcessId() << 32 ^ (uint64_t)GetCurrentThreadId() << 16;
    for (int attempt = 0; attempt < 100; attempt++) {
        for (int i = 0; i < 6; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            end[i] = letters[(random >> 33) % (sizeof(letters) - 1)];
        }
        int file = windows_open(path, flags | O_RDWR | O_CREAT | O_EXCL);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* ---- what is there ---- */

/* 100 ns since 1601, in seconds since 1970 and ns. */
static struct timespec time_of(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (struct timespec){.tv_sec = (time_t)(ticks / 10000000u) - 11644473600,
                             .tv_nsec = (long)(ticks % 10000000u) * 100};
}

static int describe(HANDLE handle, struct windows_stat *info)
{
    BY_HANDLE_FILE_INFORMATION file;
    *info = (struct windows_stat){.st_nlink = 1};
    switch (GetFileType(handle)) {
    case FILE_TYPE_DISK:
        break;
    case FILE_TYPE_PIPE:
        info->st_mode = S_IFIFO | S_IRUSR | S_IWUSR;
        return 0;
    default:
        info->st_mode = S_IFCHR | S_IRUSR | S_IWUSR;
        return 0;
    }
    if (!GetFileInformationByHandle(handle, &file))
        return windows_fail();
    bool folder = file.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY,
         fixed = file.dwFileAttributes & FILE_ATTRIBUTE_READONLY;
    info->st_dev = file.dwVolumeSerialNumber;
    info->st_ino = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow;
    info->st_size = (int64_t)((uint64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow);
    info->st_nlink = file.nNumberOfLinks;
    info->st_mode = file.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? 0 : folder ? S_IFDIR : S_IFREG;
    info->st_mode |= S_IRUSR | (fixed && !folder ? 0 : S_IWUSR);
    info->st_mtim = time_of(file.ftLastWriteTime);
    return 0;
}

/* ---- at a place ---- */

static OVERLAPPED at_place(int64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

ssize_t windows_pread(int file, void *data, size_t size, int64_t offset)
{
    OVERLAPPED place = at_place(offset);
    DWORD done = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(file), data, (DWORD)size, &done, &place) && GetLastError() != ERROR_HANDLE_EOF)
        return windows_fail();
    return done;
}

ssize_t windows_pwrite(int file, const void *data, size_t size, int64_t offset)
{
    OVERLAPPED place = at_place(offset);
    DWORD done = 0;
    return WriteFile((HANDLE)_get_osfhandle(file), data, (DWORD)size, &done, &place) ? (ssize_t)done : windows_fail();
}

/* Nobody else may read or write what is locked. So the lock is on a byte that no file has. */
int windows_flock(int file, int operation)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    OVERLAPPED place = at_place(INT64_MAX - 1);
    if (operation & LOCK_UN)
        return UnlockFileEx(handle, 0, 1, 0, &place) ? 0 : windows_fail();
    DWORD how = LOCKFILE_EXCLUSIVE_LOCK | (operation & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    if (LockFileEx(handle, how, 0, 1, 0, &place))
        return 0;
    windows_fail();
    if (GetLastError() == ERROR_LOCK_VIOLATION)
        errno = EWOULDBLOCK;
    return -1;
}

/* ---- files in memory ---- */

/* The text goes to a file without a name, and is read back at the end. */
struct stream {
    FILE *file;
    char **text;
    size_t *size;
    struct stream *next;
};

static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;

FILE *windows_open_memstream(char **text, size_t *size)
{
    struct stream *stream = malloc(sizeof(*stream));
    FILE *file = stream ? platform_temporary_file() : NULL;
    if (!file) {
        free(stream);
        return NULL;
    }
    *text = NULL;
    *size = 0;
    *stream = (struct stream){.file = file, .text = text, .size = size};
    pthread_mutex_lock(&streams_lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&streams_lock);
    return file;
}

static struct stream *take_stream(FILE *file)
{
    pthread_mutex_lock(&streams_lock);
    struct stream **at = &streams;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    struct stream *stream = *at;
    if (stream)
        *at = stream->next;
    pthread_mutex_unlock(&streams_lock);
    return stream;
}

#undef fclose

int windows_fclose(FILE *file)
{
    struct stream *stream = take_stream(file);
    if (!stream)
        return fclose(file);
    int64_t size = _ftelli64(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    bool whole = text && fread(text, 1, (size_t)size, file) == (size_t)size;
    if (whole) {
        text[size] = 0;
        *stream->text = text;
        *stream->size = (size_t)size;
    } else {
        free(text);
    }
    free(stream);
    return fclose(file) == 0 && whole ? 0 : EOF;
}

/* ---- whose folder ---- */

static bool is_known(PSID id, PSID user)
{
    static const WELL_KNOWN_SID_TYPE trusted[] = {WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerSid};
    bool known = EqualSid(id, user);
    for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
        known = known || IsWellKnownSid(id, trusted[i]);
    return known;
}

/* Whether somebody may write there who is neither the user nor trusted anyway. No list at all allows everybody everything. */
static bool is_writable(PACL list, PSID user)
{
    const ACCESS_MASK writing = FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY | FILE_DELETE_CHILD | WRITE_DAC | WRITE_OWNER |
                                GENERIC_WRITE | GENERIC_ALL;
    for (DWORD i = 0; list && i < list->AceCount; i++) {
        void *entry;
        if (!GetAce(list, i, &entry))
            return true;
        const ACE_HEADER *header = entry;
        ACCESS_ALLOWED_ACE *allowed = entry;
        if (header->AceType == ACCESS_ALLOWED_ACE_TYPE && !(header->AceFlags & INHERIT_ONLY_ACE) &&
            allowed->Mask & writing && !is_known((PSID)&allowed->SidStart, user))
            return true;
    }
    return !list;
}

/* As POSIX says it: another user's, or with write permission for others. Where it cannot be asked, the folder is another's. */
static void describe_owner(HANDLE folder, struct windows_stat *info)
{
    union {
        TOKEN_USER user;
        char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } token;
    HANDLE process;
    DWORD size;
    PSID owner;
    PACL list;
    PSECURITY_DESCRIPTOR all = NULL;
    info->st_uid = 1;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &process))
        return;
    bool ok = GetTokenInformation(process, TokenUser, &token, sizeof(token), &size) &&
              GetSecurityInfo(folder, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                              NULL, &list, NULL, &all) == ERROR_SUCCESS;
    CloseHandle(process);
    if (ok && is_known(owner, token.user.User.Sid)) {
        info->st_uid = 0;
        info->st_mode |= is_writable(list, token.user.User.Sid) ? S_IWOTH : 0;
    }
    LocalFree(all);
}

static int describe_path(const char *path, DWORD flags, struct windows_stat *info)
{
    wchar_t *wide = windows_wide_path(path);
    if (!wide)
        return -1;
    flags |= FILE_FLAG_BACKUP_SEMANTICS; /* folders, too */
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES | READ_CONTROL, ALL_SHARE, NULL, OPEN_EXISTING, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED)
        handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, ALL_SHARE, NULL, OPEN_EXISTING, flags, NULL);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return windows_fail();
    int result = describe(handle, info);
    if (result == 0 && S_ISDIR(info->st_mode))
        describe_owner(handle, info);
    CloseHandle(handle);
    return result;
}

int windows_stat(const char *path, struct windows_stat *info)
{
    return describe_path(path, 0, info);
}

int windows_lstat(const char *path, struct windows_stat *info)
{
    return describe_path(path, FILE_FLAG_OPEN_REPARSE_POINT, info);
}

int windows_fstat(int file, struct windows_stat *info)
{
    intptr_t handle = _get_osfhandle(file);
    return handle == -1 ? -1 : describe((HANDLE)handle, info);
}

/* Who may do what with a file is asked by doing it: only whether it is there, and may be written at all. */
int windows_access(const char *path, int mode)
{
    struct windows_stat info;
    if (windows_stat(path, &info) != 0)
        return -1;
    if (mode & W_OK && !(info.st_mode & S_IWUSR)) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

int windows_futimens(int file, const struct timespec times[2])
{
    FILETIME now;
    (void)times;
    GetSystemTimeAsFileTime(&now);
    return SetFileTime((HANDLE)_get_osfhandle(file), NULL, &now, &now) ? 0 : windows_fail();
}

/* ---- changes ---- */

static int change(const char *path, BOOL(WINAPI *call)(const wchar_t *path))
{
    wchar_t *wide = windows_wide_path(path);
    if (!wide)
        return -1;
    int result = call(wide) ? 0 : windows_fail();
    free(wide);
    return result;
}

/* Of "C:" Windows says that access is denied. */
static BOOL WINAPI make_folder(const wchar_t *path)
{
    if (CreateDirectoryW(path, NULL))
        return TRUE;
    DWORD error = GetLastError(), kind = GetFileAttributesW(path);
    bool there = kind != INVALID_FILE_ATTRIBUTES && kind & FILE_ATTRIBUTE_DIRECTORY;
    SetLastError(there ? ERROR_ALREADY_EXISTS : error);
    return FALSE;
}

int windows_mkdir(const char *path, unsigned mode)
{
    (void)mode; /* who may see it follows from the folder that it is in */
    return change(path, make_folder);
}

int windows_rmdir(const char *path)
{
    return change(path, RemoveDirectoryW);
}

int windows_unlink(const char *path)
{
    return change(path, DeleteFileW);
}

int windows_rename(const char *from, const char *to)
{
    wchar_t *old = windows_wide_path(from), *new = old ? windows_wide_path(to) : NULL;
    int result = -1;
    if (new)
        result = MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING) ? 0 : windows_fail();
    free(old);
    free(new);
    return result;
}

/* ---- folders ---- */

struct windows_dir {
    HANDLE search;
    bool begun;
    WIN32_FIND_DATAW found;
    struct windows_dirent entry;
};

struct windows_dir *windows_opendir(const char *path)
{
    struct windows_dir *folder = malloc(sizeof(*folder));
    char *all = malloc(strlen(path) + 3);
    wchar_t *wide = NULL;
    if (folder && all) {
        strcpy(stpcpy(all, path), "/*");
        wide = windows_wide_path(all);
    }
    free(all);
    if (!wide) {
        free(folder);
        return NULL;
    }
    folder->begun = false;
    folder->search = FindFirstFileW(wide, &folder->found);
    free(wide);
    if (folder->search == INVALID_HANDLE_VALUE) {
        windows_fail();
        free(folder);
        return NULL;
    }
    return folder;
}

struct windows_dirent *windows_readdir(struct windows_dir *folder)
{
    if (folder->begun && !FindNextFileW(folder->search, &folder->found))
        return NULL;
    folder->begun = true;
    if (!WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->entry.d_name,
                             sizeof(folder->entry.d_name), NULL, NULL))
        folder->entry.d_name[0] = 0;
    return &folder->entry;
}

int windows_closedir(struct windows_dir *folder)
{
    FindClose(folder->search);
    free(folder);
    return 0;
}
