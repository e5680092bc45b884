/* The driver's pipeline cache on disk.
 *
 * One file per device and driver, with our own header, because drivers check theirs to different degrees: magic,
 * version, length and a checksum. It is written whole to a temporary name and moved into place, so that a crash at any
 * moment leaves the old file or the new one. It is saved by a pool thread a second after the last pipeline was built,
 * and at exit. Other processes may have saved theirs since ours was loaded: under a lock on the folder, the file is
 * read again, and what it has is saved together with ours.
 *
 * A file may have grown to a hundred megabytes, which take longer to read than the rest of a process's start. So a
 * thread of the pool reads it, while the application goes on to make its context and build its programs. Only a
 * thread that makes a pipeline waits for that, and reads the file itself where none has begun. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/shader/shader.h"

#include "base/file.h"
#include "base/map.h"
#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cache_header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t size, checksum; /* of what follows */
    uint8_t uuid[16];        /* VkPhysicalDeviceProperties::pipelineCacheUUID */
};

/* A file never grows beyond CACHE_LIMIT. Nobody can tell a driver which pipelines to drop, so one that has come near to
 * it is not loaded but removed, and what is used from then on is kept anew. */
enum { CACHE_VERSION = 1, CACHE_LIMIT = 256 << 20, CACHE_FULL = CACHE_LIMIT / 4 * 3, DRIVER_HEADER = 32 };
#define LOCK_NS 1000000000u

static const char magic[8] = {'p', 'u', 'm', 'i', 'c', 'e', 'p', 'c'};

static struct cache_header header_for(const struct vkb_device *device, const void *data, uint64_t size)
{
    struct cache_header header = {.version = CACHE_VERSION, .header_size = sizeof(header), .size = size};
    memcpy(header.magic, magic, sizeof(magic));
    memcpy(header.uuid, device->caps.pipeline_cache_uuid, sizeof(header.uuid));
    header.checksum = hash_bytes64(data, size, CACHE_VERSION);
    return header;
}

/* The file's content, malloc'ed, or NULL when there is none or it is not what we wrote. */
static void *load(struct vkb_device *device, const char *path, uint64_t *size)
{
    uint64_t length;
    int file = file_open(path, &length);
    if (file < 0)
        return NULL;
    struct cache_header header;
    void *data = NULL;
    bool ok = file_read(file, &header, sizeof(header)) && header.size <= CACHE_LIMIT &&
              length == sizeof(header) + header.size && (data = malloc(header.size ? header.size : 1)) &&
              file_read(file, data, header.size);
    close(file);
    if (ok) {
        const struct cache_header expected = header_for(device, data, header.size);
        ok = memcmp(&header, &expected, sizeof(header)) == 0;
    }
    if (!ok) {
        log_info("%s is damaged or of another version: ignored", path);
        free(data);
        return NULL;
    }
    *size = header.size;
    return data;
}

static void store(struct vkb_device *device, const char *path, const void *data, uint64_t size)
{
    const struct cache_header header = header_for(device, data, size);
    const struct file_part parts[] = {{&header, sizeof(header)}, {data, size}};
    if (!file_replace(path, parts, ARRAY_LENGTH(parts), true))
        log_info("%s: %s", path, strerror(errno));
}

/* What the driver has in its cache, malloc'ed; NULL where that is nothing, too much, or the driver fails. */
static void *get_data(struct vkb_device *device, VkPipelineCache cache, uint64_t *size)
{
    size_t bytes = 0;
    if (device->vk.vkGetPipelineCacheData(device->handle, cache, &bytes, NULL) != VK_SUCCESS ||
        bytes <= DRIVER_HEADER || bytes > CACHE_LIMIT)
        return NULL;
    void *data = malloc(bytes);
    if (data && device->vk.vkGetPipelineCacheData(device->handle, cache, &bytes, data) != VK_SUCCESS) {
        free(data);
        return NULL;
    }
    *size = bytes;
    return data;
}

/* Our pipelines and those of a file, malloc'ed; NULL where that cannot be, or is too much. They meet in a cache of
 * their own, since nobody else may use the one that is merged into, and pipelines may be being built with the device's.
 */
static void *merge(struct vkb_device *device, const void *other, uint64_t other_size, uint64_t *size)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = other_size,
        .pInitialData = other,
    };
    VkPipelineCache both;
    void *data = NULL;
    if (CHECK(device, device->vk.vkCreatePipelineCache(device->handle, &info, NULL, &both)) != VKB_SUCCESS)
        return NULL;
    if (CHECK(device, device->vk.vkMergePipelineCaches(device->handle, both, 1, &device->pipeline_cache)) ==
        VKB_SUCCESS)
        data = get_data(device, both, size);
    device->vk.vkDestroyPipelineCache(device->handle, both, NULL);
    return data;
}

/* Without the lock (a process that holds it stands still, or the file system has none) it is done all the same: then
 * the last one's file stays. */
static void store_with_others(struct vkb_device *device, const char *path, const void *data, uint64_t size)
{
    int lock = file_lock_folder(path, LOCK_NS);
    uint64_t other_size = 0, both_size = 0;
    void *other = load(device, path, &other_size), *both = NULL;
    if (other && (other_size != size || memcmp(other, data, size) != 0))
        both = merge(device, other, other_size, &both_size);
    if (both && (both_size != other_size || memcmp(both, other, both_size) != 0))
        store(device, path, both, both_size);
    else if (!both && (!other || other_size != size || memcmp(other, data, size) != 0))
        store(device, path, data, size);
    free(both);
    free(other);
    if (lock >= 0)
        close(lock);
}

void vkb_cache_save(struct vkb_device *device)
{
    pthread_mutex_lock(&device->cache_lock);
    char *path = device->cache_dirty && device->cache_path ? strdup(device->cache_path) : NULL;
    device->cache_dirty = 0;
    uint64_t known = device->cache_size;
    pthread_mutex_unlock(&device->cache_lock);
    uint64_t size = 0;
    void *data = path ? get_data(device, device->pipeline_cache, &size) : NULL;
    if (data && size != known) {
        store_with_others(device, path, data, size);
        pthread_mutex_lock(&device->cache_lock);
        device->cache_size = size;
        pthread_mutex_unlock(&device->cache_lock);
    }
    free(data);
    free(path);
}

static void saver_task(void *data)
{
    struct vkb_device *device = data;
    uint64_t seen = 0;
    for (;;) {
        /* Not inside the driver: the process may exit meanwhile. */
        vkb_pool_leave();
        usleep(1000000);
        vkb_pool_enter();
        pthread_mutex_lock(&device->cache_lock);
        bool quiet = device->cache_dirty == seen;
        seen = device->cache_dirty;
        if (quiet)
            device->cache_saver = false;
        pthread_mutex_unlock(&device->cache_lock);
        if (quiet)
            break;
    }
    vkb_cache_save(device);
}

void vkb_cache_touch(struct vkb_device *device)
{
    pthread_mutex_lock(&device->cache_lock);
    bool start = false;
    if (device->cache_path) {
        device->cache_dirty++;
        start = !device->cache_saver;
        device->cache_saver = true;
    }
    pthread_mutex_unlock(&device->cache_lock);
    if (start && vkb_pool_start()) {
        device->saver_task = (struct pool_task){.call = saver_task, .data = device};
        vkb_pool_run(&device->saver_task);
    } else if (start) {
        pthread_mutex_lock(&device->cache_lock);
        device->cache_saver = false;
        pthread_mutex_unlock(&device->cache_lock);
    }
}

static char *path_for(const struct vkb_device *device, const char *directory)
{
    char *path = NULL, uuid[33];
    for (int i = 0; i < 16; i++)
        snprintf(uuid + 2 * i, 3, "%02x", device->caps.pipeline_cache_uuid[i]);
    int length = asprintf(&path, "%s/pipelines-%04x-%04x-%s.bin", directory, device->caps.vendor_id,
                          device->caps.device_id, uuid);
    return length < 0 ? NULL : path;
}

/* Reads the file into the device's cache. Nobody uses that meanwhile: see vkb_cache_await(). */
static void load_cache(struct vkb_device *device, const char *path)
{
    uint64_t size = 0;
    void *data = load(device, path, &size);
    if (size > CACHE_FULL) {
        log_info("%s has come near to its bound: begun anew", path);
        unlink(path);
        free(data);
        data = NULL;
    }
    if (!data)
        return;
    pthread_mutex_lock(&device->cache_lock);
    device->cache_size = size;
    pthread_mutex_unlock(&device->cache_lock);
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = data,
    };
    VkPipelineCache loaded;
    if (CHECK(device, device->vk.vkCreatePipelineCache(device->handle, &info, NULL, &loaded)) == VKB_SUCCESS) {
        CHECK(device, device->vk.vkMergePipelineCaches(device->handle, device->pipeline_cache, 1, &loaded));
        device->vk.vkDestroyPipelineCache(device->handle, loaded, NULL);
    }
    free(data);
}

void vkb_cache_await(struct vkb_device *device)
{
    pthread_mutex_lock(&device->cache_lock);
    if (device->cache_load == CACHE_WAITS) {
        device->cache_load = CACHE_LOADING;
        const char *path = device->cache_path; /* it stays until the load is over */
        pthread_mutex_unlock(&device->cache_lock);
        load_cache(device, path);
        pthread_mutex_lock(&device->cache_lock);
        device->cache_load = CACHE_LOADED;
        pthread_cond_broadcast(&device->cache_loaded);
    }
    while (device->cache_load == CACHE_LOADING)
        pthread_cond_wait(&device->cache_loaded, &device->cache_lock);
    pthread_mutex_unlock(&device->cache_lock);
}

static void load_task(void *device)
{
    vkb_cache_await(device);
}

/* Takes the path; false if it is the device's already. */
static bool set_path(struct vkb_device *device, char *path)
{
    pthread_mutex_lock(&device->cache_lock);
    while (device->cache_load == CACHE_LOADING)
        pthread_cond_wait(&device->cache_loaded, &device->cache_lock);
    bool same = path && device->cache_path && !strcmp(path, device->cache_path);
    char *old = same ? path : device->cache_path;
    if (!same) {
        device->cache_path = path;
        device->cache_size = 0;
        device->cache_load = path ? CACHE_WAITS : CACHE_LOADED;
    }
    pthread_mutex_unlock(&device->cache_lock);
    free(old);
    return !same;
}

void vkb_cache_set_directory(struct vkb_device *device, const char *directory)
{
    if (vkb_device_lost(device))
        return;
    char *path = directory ? path_for(device, directory) : NULL;
    if (set_path(device, path) && path)
        vkb_work_later(load_task, device); /* else the thread that makes the first pipeline does it */
}
