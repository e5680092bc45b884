/* Where this process keeps caches on disk, and the build id of this library, which the keys of entries hold. Without a
 * build id there is no cache: an entry of another build could be taken for one of ours. */
#include "src/device/cache_directory.h"
#include "src/probe/cache_folder.h"

#include "base/log.h"
#include "base/platform.h"

#include <pthread.h>
#include <string.h>

static struct {
    pthread_once_t once;
    char directory[sizeof(((struct cache_folder *)0)->path)]; /* "" when there is no cache */
    uint8_t build_id[32];
    size_t build_id_size;
} cache = {.once = PTHREAD_ONCE_INIT};

static void find_directory(void)
{
    struct cache_folder folder;
    cache.build_id_size = platform_build_id(&cache, cache.build_id, sizeof(cache.build_id));
    if (cache_folder_find(&folder, true) && cache.build_id_size)
        strcpy(cache.directory, folder.path);
    else if (folder.path[0])
        log_at(folder.open_to_others ? LOG_WARN : LOG_INFO, "the cache folder %s is not used: %s", folder.path,
               folder.why_not);
}

const char *ocl_cache_directory(void)
{
    pthread_once(&cache.once, find_directory);
    return cache.directory[0] ? cache.directory : NULL;
}

const uint8_t *ocl_build_id(size_t *size)
{
    pthread_once(&cache.once, find_directory);
    *size = cache.build_id_size;
    return cache.build_id;
}
