/* The file of the driver's pipelines (vk/shader/cache.c), of many processes at once. Drivers that run on the CPU keep nothing
 * in their VkPipelineCache, so the device's functions for it are replaced by a driver's that is made here: its cache is
 * a set of numbers. Each process adds numbers and saves; the file must have all of them in the end. */
#include "vk/device/device.h"
#include "vk/shader/shader.h"
#include "vk/vk.h"

#undef CHECK
#include "tests/support/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 4096, HEADER = 32, PROCESSES = 8, ROUNDS = 6 };

struct fake {
    bool has[NUMBERS];
};

static struct vkb_device *device;
static char folder[] = "/tmp/pumice-pipelines-XXXXXX", path[256];

static struct fake *fake_of(VkPipelineCache cache)
{
    return (struct fake *)(uintptr_t)cache;
}

static VkResult VKAPI_CALL fake_create(VkDevice handle, const VkPipelineCacheCreateInfo *info,
                                       const VkAllocationCallbacks *allocator, VkPipelineCache *cache)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    (void)handle;
    (void)allocator;
    for (size_t at = HEADER; fake && at + 2 <= info->initialDataSize; at += 2) {
        uint16_t number;
        memcpy(&number, (const char *)info->pInitialData + at, 2);
        fake->has[number % NUMBERS] = true;
    }
    *cache = (VkPipelineCache)(uintptr_t)fake;
    return fake ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void VKAPI_CALL fake_destroy(VkDevice handle, VkPipelineCache cache, const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free(fake_of(cache));
}

static VkResult VKAPI_CALL fake_merge(VkDevice handle, VkPipelineCache into, uint32_t count,
                                      const VkPipelineCache *from)
{
    (void)handle;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(from[i] != into);
        for (int n = 0; n < NUMBERS; n++)
            fake_of(into)->has[n] |= fake_of(from[i])->has[n];
    }
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL fake_data(VkDevice handle, VkPipelineCache cache, size_t *size, void *data)
{
    size_t at = HEADER;
    (void)handle;
    if (data)
        memset(data, 'h', HEADER);
    for (int n = 0; n < NUMBERS; n++) {
        uint16_t number = (uint16_t)n;
        if (!fake_of(cache)->has[n])
            continue;
        if (data)
            memcpy((char *)data + at, &number, 2);
        at += 2;
    }
    *size = at;
    return VK_SUCCESS;
}

/* Opens the device in this process, with the file loaded into the cache of the driver that is made here. */
static bool begin(void)
{
    device = vkb_instance_device(vkb_instance_get(), 0);
    if (!device || vkb_device_open(device) != VKB_SUCCESS)
        return false;
    device->vk.vkCreatePipelineCache = fake_create;
    device->vk.vkDestroyPipelineCache = fake_destroy;
    device->vk.vkMergePipelineCaches = fake_merge;
    device->vk.vkGetPipelineCacheData = fake_data;
    device->pipeline_cache = (VkPipelineCache)(uintptr_t)calloc(1, sizeof(struct fake));
    vkb_cache_set_directory(device, folder);
    vkb_cache_await(device);
    snprintf(path, sizeof(path), "%s", device->cache_path);
    return true;
}

/* As after a pipeline was built. */
static void add(int number)
{
    fake_of(device->pipeline_cache)->has[number] = true;
    pthread_mutex_lock(&device->cache_lock);
    device->cache_dirty++;
    pthread_mutex_unlock(&device->cache_lock);
    vkb_cache_save(device);
}

/* How many of the numbers from first on the file has. The file must be whole. */
static int count_in_file(int first, int count)
{
    int found = 0;
    fake_destroy(VK_NULL_HANDLE, device->pipeline_cache, NULL);
    device->pipeline_cache = (VkPipelineCache)(uintptr_t)calloc(1, sizeof(struct fake));
    vkb_cache_set_directory(device, NULL);
    vkb_cache_set_directory(device, folder);
    vkb_cache_await(device);
    for (int i = first; i < first + count; i++)
        found += fake_of(device->pipeline_cache)->has[i];
    return found;
}

static pid_t start(int process, bool stays)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (!begin())
        _exit(77);
    for (int round = 0; round < ROUNDS; round++)
        add(process * ROUNDS + round);
    while (stays)
        add(NUMBERS / 2 + rand() % (NUMBERS / 2));
    _exit(test_failures != 0);
}

int main(void)
{
    pid_t children[PROCESSES];
    CHECK(mkdtemp(folder));
    /* all at once, and then all of it is there */
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start(i, false);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        waitpid(children[i], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
            fprintf(stderr, "skipped: there is no Vulkan device\n");
            return 77;
        }
        CHECK(status == 0);
    }
    /* writers that are killed at any moment hold nobody up, and damage nothing */
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start(PROCESSES + i, true);
    for (int i = 0; i < PROCESSES; i++) {
        usleep(100000);
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    CHECK(begin());
    CHECK(count_in_file(0, PROCESSES * ROUNDS) == PROCESSES * ROUNDS);
    /* the same folder again, as each context names it, is not read again */
    fake_of(device->pipeline_cache)->has[0] = false;
    vkb_cache_set_directory(device, folder);
    vkb_cache_await(device);
    CHECK(!fake_of(device->pipeline_cache)->has[0]);
    CHECK(count_in_file(0, 1) == 1);
    /* what is no cache is replaced, and what holds the lock for ever is not waited for long */
    int file = open(path, O_WRONLY | O_TRUNC);
    CHECK(file >= 0 && write(file, "nonsense", 8) == 8);
    close(file);
    int lock = open(folder, O_RDONLY | O_DIRECTORY);
    CHECK(lock >= 0 && flock(lock, LOCK_EX) == 0);
    add(NUMBERS / 2 - 1);
    CHECK(count_in_file(0, NUMBERS) >= PROCESSES * ROUNDS);
    close(lock);
    /* a file whose driver's header another version of the driver wrote is not merged */
    device->caps.pipeline_cache_uuid[0] ^= 1;
    vkb_cache_set_directory(device, folder);
    CHECK(strcmp(path, device->cache_path) != 0);
    vkb_cache_await(device);
    /* nothing new: the file stays as it is */
    struct stat before, after;
    device->caps.pipeline_cache_uuid[0] ^= 1;
    int all = count_in_file(0, NUMBERS);
    CHECK(all > 0 && stat(path, &before) == 0);
    add(7);
    CHECK(stat(path, &after) == 0 && before.st_ino == after.st_ino);
    char command[256];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    CHECK(system(command) == 0);
    _exit(test_result());
}
