/* The program cache on disk lies in a directory of the run's own, and its files are changed: at random, or with the
 * checksum that makes them look right. What is built while a changed one lies there is not launched. */
#include "tests/fuzz/api/api.h"

#include "base/map.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char cache_directory[64];
bool api_cache_changed;

static void remove_cache(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", cache_directory);
    if (system(command) != 0)
        perror(cache_directory);
}

bool api_prepare_cache(void)
{
    strcpy(cache_directory, "/tmp/pumice-fuzz-api-XXXXXX");
    if (!mkdtemp(cache_directory))
        return false;
    setenv("PUMICE_CACHE", "1", 1);
    setenv("PUMICE_CACHE_DIR", cache_directory, 1);
    atexit(remove_cache);
    return true;
}

static void change_cache(void)
{
    DIR *directory = opendir(cache_directory);
    bool remove_all = api_chance(2), repair = api_chance(2);
    uint32_t wanted = api_byte();
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".pcc") != 0)
            continue;
        if (remove_all) {
            unlinkat(dirfd(directory), entry->d_name, 0);
            continue;
        }
        if (wanted--)
            continue;
        struct {
            uint32_t magic, num_codes;
            uint64_t total, key_size, program_size, log_size, checksum;
        } header;
        int fd = openat(dirfd(directory), entry->d_name, O_RDWR);
        struct stat info;
        uint8_t *data = NULL;
        if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > (off_t)sizeof(header) &&
            (data = malloc((size_t)info.st_size)) && read(fd, data, (size_t)info.st_size) == info.st_size) {
            size_t size = (size_t)info.st_size, from = sizeof(header);
            memcpy(&header, data, sizeof(header));
            /* Repaired: the program, or where the launch puts things. The driver's code is given to it as it is. */
            size_t room = size - from;
            if (repair && header.key_size < room && header.program_size < room - header.key_size) {
                from += (size_t)header.key_size;
                room = (size_t)header.program_size;
                if (api_chance(2)) {
                    from += room + (size_t)header.log_size + 8;
                    room = 64;
                }
            }
            for (uint32_t n = 1 + api_byte() % 4; n; n--) {
                size_t at = from + (api_byte() | (size_t)api_byte() << 8) % (room ? room : 1);
                if (at < size)
                    data[at] = api_byte();
            }
            if (repair)
                header.checksum = hash_bytes64(data + sizeof(header), size - sizeof(header), 1);
            memcpy(data, &header, sizeof(header));
            if (pwrite(fd, data, size, 0) == (ssize_t)size)
                api_cache_changed = true;
        }
        free(data);
        if (fd >= 0)
            close(fd);
        break;
    }
    if (directory)
        closedir(directory);
    if (remove_all)
        api_cache_changed = false;
}

static void (*const calls[])(void) = {change_cache};

const struct api_subject api_cache = API_SUBJECT(calls, NULL);
