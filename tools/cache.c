/* See cache.h. */
#include "cache.h"

#include "src/probe/cache_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(FILE *out)
{
    fputs(
        "usage: pumice cache [--trim BYTES | --clear]\n"
        "Shows where compiled programs and the driver's pipelines are kept on disk, how many, and how much they take.\n"
        "  --trim BYTES   removes the least recently used until the rest takes at most BYTES (K, M and G are known)\n"
        "  --clear        removes all of them\n",
        out);
    return out == stdout ? 0 : 2;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || errno || text[0] < '0' || text[0] > '9')
        return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    uint32_t shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
    if (*end && (!unit || end[1]))
        return false;
    if (value > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)value << shift;
    return true;
}

static void print_row(const char *name, const struct cache_usage *usage, const char *bound)
{
    printf("  %-22s %8" PRIu64 " files %10.1f MiB   %s\n", name, usage->files, (double)usage->bytes / (1 << 20), bound);
}

static int show(const struct cache_folder *folder)
{
    struct cache_usage usage[CACHE_KINDS];
    char programs[80], pipelines[80];
    if (!cache_folder_usage(folder->path, usage)) {
        fprintf(stderr, "pumice cache: %s: %s\n", folder->path, strerror(errno));
        return 1;
    }
    snprintf(programs, sizeof(programs), "at most %" PRIu64 " MiB: then the least recently used go",
             cache_folder_programs_limit() >> 20);
    snprintf(pipelines, sizeof(pipelines), "at most %llu MiB for each device and driver", CACHE_PIPELINES_LIMIT >> 20);
    printf("%s\n", folder->path);
    print_row("compiled programs", &usage[CACHE_PROGRAMS], programs);
    print_row("the drivers' pipelines", &usage[CACHE_PIPELINES], pipelines);
    print_row("probes of devices", &usage[CACHE_PROBES], "one for each device and driver");
    if (usage[CACHE_LEFT_OVER].files)
        print_row("being written", &usage[CACHE_LEFT_OVER], "removed after an hour");
    return 0;
}

int cache_main(int argc, char **argv)
{
    struct cache_folder folder;
    uint64_t bytes = 0;
    bool trim = argc == 3 && !strcmp(argv[1], "--trim"), clear = argc == 2 && !strcmp(argv[1], "--clear");
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return usage(stdout);
    if (argc > 1 && strcmp(argv[1], "--trim") != 0 && strcmp(argv[1], "--clear") != 0)
        fprintf(stderr, "pumice cache: unknown argument '%s'\n", argv[1]);
    if ((argc > 1 && !trim && !clear) || (trim && !read_bytes(argv[2], &bytes)))
        return usage(stderr);
    if (!cache_folder_find(&folder, false)) {
        if (folder.is_absent) {
            printf("%s\n  nothing is kept yet: the first program that compiles makes the folder\n", folder.path);
            return 0;
        }
        fprintf(stderr, "pumice cache: %s%sno cache is used: %s\n", folder.path, folder.path[0] ? ": " : "",
                folder.why_not);
        return 1;
    }
    if ((trim && !cache_folder_trim(folder.path, true, bytes, bytes)) || (clear && !cache_folder_clear(folder.path))) {
        fprintf(stderr, "pumice cache: %s: %s\n", folder.path, strerror(errno));
        return 1;
    }
    return show(&folder);
}
