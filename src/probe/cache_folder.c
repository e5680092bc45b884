/* See cache_folder.h. Files of other programs in the folder are left alone: PUMICE_CACHE_DIR may name any folder. */
#include "cache_folder.h"

#include "base/file.h"
#include "base/platform.h"
#include "base/settings.h"
#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEFT_OVER_AGE = 3600 }; /* seconds after which a temporary file belongs to nobody */

/* ---- where ---- */

static bool make_directories(char *path)
{
    for (char *p = path + 1; *p; p++) {
        char slash = *p;
        if (!platform_is_slash(slash))
            continue;
        *p = 0;
        int failed = mkdir(path, 0700) && errno != EEXIST;
        *p = slash;
        if (failed)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool refuse(struct cache_folder *folder, const char *why, const char *detail)
{
    snprintf(folder->why_not, sizeof(folder->why_not), "%s%s%s", why, detail ? ": " : "", detail ? detail : "");
    return false;
}

uint64_t cache_folder_programs_limit(void)
{
    return (uint64_t)setting_number(SETTING_CACHE_SIZE) << 20;
}

bool cache_folder_find(struct cache_folder *folder, bool create)
{
    const char *own = setting_text(SETTING_CACHE_DIR), *xdg = platform_env("XDG_CACHE_HOME"),
               *home = platform_env("HOME"), *system = platform_cache_home();
    size_t size = sizeof(folder->path);
    int length = -1;
    *folder = (struct cache_folder){0};
    if (!setting_on(SETTING_CACHE))
        return refuse(folder, "PUMICE_CACHE=0 turns it off", NULL);
    if (own)
        length = snprintf(folder->path, size, "%s", own);
    else if (xdg && xdg[0] == '/')
        length = snprintf(folder->path, size, "%s/pumice", xdg);
    else if (home && home[0] == '/' && access(home, X_OK) != 0) /* Debian's users of services have /nonexistent */
        return refuse(folder, "HOME is no folder that is there", strerror(errno));
    else if (home && home[0] == '/')
        length = snprintf(folder->path, size, "%s/.cache/pumice", home);
    if (length < 0 && system)
        length = snprintf(folder->path, size, "%s/pumice", system);
    if (length < 0)
        return refuse(folder, "none of PUMICE_CACHE_DIR, XDG_CACHE_HOME and HOME says where it is", NULL);
    if ((size_t)length >= size) {
        folder->path[0] = 0;
        return refuse(folder, "its path is too long", NULL);
    }
    if (create && !make_directories(folder->path))
        return refuse(folder, "it cannot be made", strerror(errno));
    if (!create && access(folder->path, F_OK) != 0 && errno == ENOENT) {
        folder->is_absent = true;
        return refuse(folder, "nothing was kept yet", NULL);
    }
    if (access(folder->path, R_OK | W_OK | X_OK) != 0)
        return refuse(folder, "it cannot be read and written", strerror(errno));
    if (!file_is_private_directory(folder->path)) {
        folder->open_to_others = true;
        return refuse(folder, "it is no folder, another user's, or others may write to it (chmod go-w mends that)",
                      NULL);
    }
    return true;
}

/* ---- what lies in it ---- */

struct cache_file {
    char name[128];
    enum cache_kind kind;
    uint64_t size;
    struct timespec used;
};

struct file_list {
    struct cache_file *files;
    size_t count, capacity;
};

/* What files of ours are called, and nothing else may be: # is a hexadecimal digit, in lower case; * is up to four more
 * (a vendor's number may have eight digits); ? is a letter or digit of mkstemp()'s. The names are made in cache.c,
 * shapes.c, probe_file.c, vk/shader/cache.c and base/file.c. */
static const struct {
    const char *name;
    enum cache_kind kind;
} patterns[] = {
    {"################################.pcc", CACHE_PROGRAMS},
    {"pipelines-####*-####*-################################.bin", CACHE_PIPELINES},
    {"shapes-################", CACHE_PIPELINES},
    {"probe-################", CACHE_PROBES},
    {"probe-progress-################", CACHE_PROBES},
    {"probe-sharing-################", CACHE_PROBES},
};

static bool is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the name goes on behind the pattern; NULL: it is another name. */
static const char *match(const char *pattern, const char *name)
{
    for (; *pattern; pattern++) {
        if (*pattern == '*') {
            for (int i = 0; i < 4 && is_hexadecimal(*name); i++)
                name++;
        } else if (*pattern == '#'   ? !is_hexadecimal(*name)
                   : *pattern == '?' ? !is_letter_or_digit(*name)
                                     : *pattern != *name) {
            return NULL;
        } else {
            name++;
        }
    }
    return name;
}

/* CACHE_KINDS: not ours. */
static enum cache_kind kind_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++) {
        const char *end = match(patterns[i].name, name);
        if (end && !*end)
            return patterns[i].kind;
        end = end ? match(FILE_TEMPORARY_SUFFIX "??????", end) : NULL;
        if (end && !*end)
            return CACHE_LEFT_OVER;
    }
    return CACHE_KINDS;
}

static bool file_path(const char *folder, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static int remove_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return file_path(folder, name, path) ? unlink(path) : -1;
}

/* Our regular files in the folder, which is open. Where memory runs out, the list is shorter. */
static bool list_files(DIR *directory, const char *folder, struct file_list *list)
{
    for (struct dirent *entry; (entry = readdir(directory));) {
        struct stat st;
        char path[PATH_MAX];
        enum cache_kind kind = kind_of(entry->d_name);
        if (kind == CACHE_KINDS || strlen(entry->d_name) >= sizeof(list->files->name) ||
            !file_path(folder, entry->d_name, path) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (list->count == list->capacity) {
            size_t capacity = list->capacity ? list->capacity * 2 : 256;
            struct cache_file *grown = realloc(list->files, capacity * sizeof(*grown));
            if (!grown)
                return false;
            list->files = grown;
            list->capacity = capacity;
        }
        struct cache_file *file = &list->files[list->count++];
        strcpy(file->name, entry->d_name);
        file->kind = kind;
        file->size = (uint64_t)st.st_size;
#ifdef __APPLE__
        file->used = st.st_mtimespec;
#else
        file->used = st.st_mtim;
#endif
    }
    return true;
}

bool cache_folder_usage(const char *path, struct cache_usage usage[CACHE_KINDS])
{
    struct file_list list = {0};
    DIR *directory = opendir(path);
    memset(usage, 0, CACHE_KINDS * sizeof(usage[0]));
    if (!directory)
        return false;
    bool all = list_files(directory, path, &list);
    for (size_t i = 0; i < list.count; i++) {
        usage[list.files[i].kind].files++;
        usage[list.files[i].kind].bytes += list.files[i].size;
    }
    free(list.files);
    closedir(directory);
    return all;
}

/* ---- less of it ---- */

static int older_first(const void *a, const void *b)
{
    const struct cache_file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static bool is_counted(const struct cache_file *file, bool pipelines)
{
    return file->kind == CACHE_PROGRAMS || (pipelines && file->kind == CACHE_PIPELINES);
}

bool cache_folder_trim(const char *path, bool pipelines, uint64_t limit, uint64_t target)
{
    struct file_list list = {0};
    uint64_t total = 0;
    time_t now = time(NULL);
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    list_files(directory, path, &list);
    qsort(list.files, list.count, sizeof(*list.files), older_first);
    for (size_t i = 0; i < list.count; i++) {
        if (is_counted(&list.files[i], pipelines))
            total += list.files[i].size;
    }
    bool over = total > limit;
    for (size_t i = 0; i < list.count; i++) {
        const struct cache_file *file = &list.files[i];
        if (file->kind == CACHE_LEFT_OVER && now - file->used.tv_sec > LEFT_OVER_AGE)
            remove_file(path, file->name);
        if (is_counted(file, pipelines) && over && total > target) {
            remove_file(path, file->name);
            total -= file->size;
        }
    }
    free(list.files);
    closedir(directory);
    return true;
}

bool cache_folder_clear(const char *path)
{
    struct file_list list = {0};
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    bool all = list_files(directory, path, &list);
    int failed = all ? 0 : ENOMEM;
    for (size_t i = 0; i < list.count; i++) {
        if (remove_file(path, list.files[i].name) != 0 && errno != ENOENT)
            failed = errno;
    }
    free(list.files);
    closedir(directory);
    errno = failed;
    return !failed;
}
