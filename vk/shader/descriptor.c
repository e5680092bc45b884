/* Descriptor sets of dispatches that use images. Each shader keeps those that it was given, by the images in them: a
 * kernel that meets the same images again binds the set it had, and a launch neither allocates nor writes one.
 *
 * An image is known by its number, which no other image ever has, so a set whose images are gone is never found again;
 * it stays until its turn comes to be written anew. A set that is bound by a batch belongs to that batch until the
 * batch has ended; only what no batch has is rewritten. Beyond KEPT sets the one that was not used for longest is
 * rewritten; where batches have all of the oldest, there will be more sets. */
#include "vk/device/device.h"
#include "vk/memory/image.h"
#include "vk/shader/descriptor.h"
#include "vk/shader/shader.h"

#include "base/float_env.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 64, FIRST_POOL = 4, LARGEST_POOL = 256, TRIED = 8, KINDS = VKB_DESCRIPTOR_FILTER_TEXELS + 1 };

static const VkDescriptorType types[KINDS] = {
    [VKB_DESCRIPTOR_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    [VKB_DESCRIPTOR_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    [VKB_DESCRIPTOR_SAMPLED_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    [VKB_DESCRIPTOR_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    [VKB_DESCRIPTOR_FILTER_EDGE] = VK_DESCRIPTOR_TYPE_SAMPLER,
    [VKB_DESCRIPTOR_FILTER_REPEAT] = VK_DESCRIPTOR_TYPE_SAMPLER,
    [VKB_DESCRIPTOR_FILTER_MIRROR] = VK_DESCRIPTOR_TYPE_SAMPLER,
    [VKB_DESCRIPTOR_FILTER_TEXELS] = VK_DESCRIPTOR_TYPE_SAMPLER,
};

struct descriptor_set {
    VkDescriptorSet handle;
    struct vkb_shader *shader;
    atomic_uint users; /* batches that have it; from 0 it rises only under the cache's lock */
    uint64_t hash;
    struct descriptor_set *chain;         /* the next of the same bucket */
    struct descriptor_set *newer, *older; /* by the last use */
    uint64_t numbers[];                   /* of the images, per binding */
};

struct descriptor_cache {
    pthread_mutex_t lock; /* guards everything */
    struct descriptor_set **buckets;
    uint32_t num_buckets, num_sets, num_pools, left; /* left: sets that the last pool can still give */
    struct descriptor_set *newest, *oldest;
    VkDescriptorPool *pools;
    uint32_t cap_pools;
};

VkDescriptorType vkb_descriptor_type(enum vkb_descriptor_kind kind)
{
    return types[kind];
}

/* Lengths and levels do not matter: the images have one level, and reads name it. */
static enum vkb_result create_filter(struct vkb_device *device, enum vkb_descriptor_kind kind, VkSampler *filter)
{
    const VkSamplerAddressMode mode = kind == VKB_DESCRIPTOR_FILTER_REPEAT   ? VK_SAMPLER_ADDRESS_MODE_REPEAT
                                      : kind == VKB_DESCRIPTOR_FILTER_MIRROR ? VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT
                                                                             : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = mode,
        .addressModeV = mode,
        .addressModeW = mode,
        .unnormalizedCoordinates = kind == VKB_DESCRIPTOR_FILTER_TEXELS,
    };
    FLOAT_ENV_DEFAULT();
    return CHECK(device, device->vk.vkCreateSampler(device->handle, &info, NULL, filter));
}

enum vkb_result vkb_device_filter(struct vkb_device *device, enum vkb_descriptor_kind kind, const VkSampler **filter)
{
    VkSampler *known = &device->filters[kind - VKB_DESCRIPTOR_FILTER_EDGE];
    enum vkb_result result = VKB_SUCCESS;
    pthread_mutex_lock(&device->open_lock);
    if (!*known)
        result = create_filter(device, kind, known);
    pthread_mutex_unlock(&device->open_lock);
    *filter = known;
    return result;
}

/* ---- the cache of a shader ---- */

struct descriptor_cache *vkb_descriptors_create(void)
{
    struct descriptor_cache *cache = calloc(1, sizeof(*cache));
    if (cache)
        pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void vkb_descriptors_destroy(struct vkb_device *device, struct descriptor_cache *cache)
{
    if (!cache)
        return;
    for (uint32_t i = 0; i < cache->num_pools; i++)
        device->vk.vkDestroyDescriptorPool(device->handle, cache->pools[i], NULL);
    for (struct descriptor_set *set = cache->newest, *older; set; set = older) {
        older = set->older;
        free(set);
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache->pools);
    free(cache->buckets);
    free(cache);
}

static void unlink_use(struct descriptor_cache *cache, struct descriptor_set *set)
{
    *(set->newer ? &set->newer->older : &cache->newest) = set->older;
    *(set->older ? &set->older->newer : &cache->oldest) = set->newer;
}

static void link_newest(struct descriptor_cache *cache, struct descriptor_set *set)
{
    set->newer = NULL;
    set->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = set;
    cache->newest = set;
}

static struct descriptor_set **bucket_of(struct descriptor_cache *cache, uint64_t hash)
{
    return &cache->buckets[hash & (cache->num_buckets - 1)];
}

static void unlink_bucket(struct descriptor_cache *cache, struct descriptor_set *set)
{
    struct descriptor_set **at = bucket_of(cache, set->hash);
    while (*at != set)
        at = &(*at)->chain;
    *at = set->chain;
}

static void link_bucket(struct descriptor_cache *cache, struct descriptor_set *set)
{
    struct descriptor_set **at = bucket_of(cache, set->hash);
    set->chain = *at;
    *at = set;
}

static enum vkb_result reserve_bucket(struct descriptor_cache *cache)
{
    if (cache->num_sets < cache->num_buckets)
        return VKB_SUCCESS;
    uint32_t count = cache->num_buckets ? cache->num_buckets * 2 : FIRST_POOL;
    struct descriptor_set **buckets = calloc(count, sizeof(*buckets));
    if (!buckets)
        return VKB_OUT_OF_HOST_MEMORY;
    free(cache->buckets);
    cache->buckets = buckets;
    cache->num_buckets = count;
    for (struct descriptor_set *set = cache->newest; set; set = set->older)
        link_bucket(cache, set);
    return VKB_SUCCESS;
}

static enum vkb_result add_pool(struct vkb_device *device, struct descriptor_cache *cache,
                                const struct vkb_shader *shader)
{
    enum vkb_result result =
        vkb_grow((void **)&cache->pools, &cache->cap_pools, cache->num_pools + 1, sizeof(*cache->pools));
    if (result != VKB_SUCCESS)
        return result;
    uint32_t sets = cache->num_sets < FIRST_POOL ? FIRST_POOL : cache->num_sets;
    sets = sets < LARGEST_POOL ? sets : LARGEST_POOL;
    uint32_t counts[KINDS] = {0}, num_sizes = 0;
    for (uint32_t i = 0; i < vkb_shader_num_descriptors(shader); i++)
        counts[vkb_shader_descriptor(shader, i)] += sets;
    VkDescriptorPoolSize sizes[KINDS];
    for (uint32_t i = 0; i < KINDS; i++) {
        if (counts[i])
            sizes[num_sizes++] = (VkDescriptorPoolSize){types[i], counts[i]};
    }
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = vkb_shader_late_sets(shader) ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
        .maxSets = sets,
        .poolSizeCount = num_sizes,
        .pPoolSizes = sizes,
    };
    result =
        CHECK(device, device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, &cache->pools[cache->num_pools]));
    if (result == VKB_SUCCESS) {
        cache->num_pools++;
        cache->left = sets;
    }
    return result;
}

/* A set that is in no list yet, in *out. */
static enum vkb_result allocate_set(struct vkb_device *device, struct descriptor_cache *cache,
                                    struct vkb_shader *shader, struct descriptor_set **out)
{
    enum vkb_result result = cache->left ? VKB_SUCCESS : add_pool(device, cache, shader);
    if (result != VKB_SUCCESS)
        return result;
    struct descriptor_set *set = calloc(1, sizeof(*set) + vkb_shader_num_descriptors(shader) * sizeof(set->numbers[0]));
    if (!set)
        return VKB_OUT_OF_HOST_MEMORY;
    const VkDescriptorSetLayout layout = vkb_shader_set_layout(shader);
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = cache->pools[cache->num_pools - 1],
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    result = CHECK(device, device->vk.vkAllocateDescriptorSets(device->handle, &info, &set->handle));
    if (result != VKB_SUCCESS) {
        free(set);
        return result;
    }
    cache->left--;
    set->shader = shader;
    *out = set;
    return VKB_SUCCESS;
}

static enum vkb_result write_set(struct vkb_device *device, struct descriptor_set *set, struct vkb_image *const *images)
{
    uint32_t count = vkb_shader_num_descriptors(set->shader), num_writes = 0;
    VkWriteDescriptorSet *writes = malloc(count * (sizeof(VkWriteDescriptorSet) + sizeof(VkDescriptorImageInfo)));
    if (!writes)
        return VKB_OUT_OF_HOST_MEMORY;
    VkDescriptorImageInfo *infos = (VkDescriptorImageInfo *)(writes + count);
    for (uint32_t i = 0; i < count; i++) {
        enum vkb_descriptor_kind kind = vkb_shader_descriptor(set->shader, i);
        bool sampled = kind == VKB_DESCRIPTOR_SAMPLED_IMAGE;
        set->numbers[i] = images[i]->number;
        if (kind >= VKB_DESCRIPTOR_FILTER_EDGE) /* the layout has it */
            continue;
        infos[i] = (VkDescriptorImageInfo){
            .imageView = sampled ? images[i]->sampled : images[i]->storage,
            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        };
        writes[num_writes++] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set->handle,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = types[kind],
            .pImageInfo = &infos[i],
            .pTexelBufferView = &images[i]->texels,
        };
    }
    device->vk.vkUpdateDescriptorSets(device->handle, num_writes, writes, 0, NULL);
    free(writes);
    return VKB_SUCCESS;
}

static struct descriptor_set *find(struct descriptor_cache *cache, uint64_t hash, const uint64_t *numbers,
                                   uint32_t count)
{
    struct descriptor_set *set = cache->num_buckets ? *bucket_of(cache, hash) : NULL;
    while (set && (set->hash != hash || memcmp(set->numbers, numbers, count * sizeof(*numbers)) != 0))
        set = set->chain;
    return set;
}

/* The oldest set that no batch has, out of all lists; NULL where there are few sets yet, or none of the oldest is free.
 */
static struct descriptor_set *take_oldest(struct descriptor_cache *cache)
{
    struct descriptor_set *set = cache->num_sets >= KEPT ? cache->oldest : NULL;
    for (uint32_t i = 0; set && i < TRIED && atomic_load_explicit(&set->users, memory_order_acquire); i++)
        set = set->newer;
    if (!set || atomic_load_explicit(&set->users, memory_order_acquire))
        return NULL;
    unlink_use(cache, set);
    unlink_bucket(cache, set);
    cache->num_sets--;
    return set;
}

enum vkb_result vkb_descriptors_take(struct vkb_device *device, struct vkb_shader *shader,
                                     struct vkb_image *const *images, const uint64_t *numbers,
                                     struct descriptor_set **out)
{
    struct descriptor_cache *cache = vkb_shader_descriptors(shader);
    uint32_t count = vkb_shader_num_descriptors(shader);
    uint64_t hash = hash_bytes64(numbers, count * sizeof(*numbers), 0);
    enum vkb_result result = VKB_SUCCESS;
    pthread_mutex_lock(&cache->lock);
    struct descriptor_set *set = find(cache, hash, numbers, count);
    if (set) {
        unlink_use(cache, set);
    } else {
        result = reserve_bucket(cache);
        if (result == VKB_SUCCESS && !(set = take_oldest(cache)))
            result = allocate_set(device, cache, shader, &set);
        /* A set that could not be written is in the lists without images: it will be found as the oldest. */
        if (set) {
            set->hash = hash;
            memset(set->numbers, 0, count * sizeof(*numbers));
            result = write_set(device, set, images);
            link_bucket(cache, set);
            cache->num_sets++;
        }
    }
    if (set) {
        link_newest(cache, set);
        atomic_fetch_add_explicit(&set->users, result == VKB_SUCCESS, memory_order_relaxed);
    }
    pthread_mutex_unlock(&cache->lock);
    if (result == VKB_SUCCESS)
        vkb_shader_retain(shader);
    *out = set;
    return result;
}

void vkb_descriptors_release(struct descriptor_set *set)
{
    struct vkb_shader *shader = set->shader;
    atomic_fetch_sub_explicit(&set->users, 1, memory_order_release);
    vkb_shader_release(shader);
}

bool vkb_descriptors_have(const struct descriptor_set *set, const struct vkb_shader *shader, const uint64_t *numbers,
                          uint32_t count)
{
    return set->shader == shader && memcmp(set->numbers, numbers, count * sizeof(*numbers)) == 0;
}

VkDescriptorSet vkb_descriptors_handle(const struct descriptor_set *set)
{
    return set->handle;
}
