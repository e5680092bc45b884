/* Shaders and their pipelines.
 *
 * A shader is one SPIR-V module, shared by all who create it from the same words (share.c). Each set of specialisation
 * constants and sub-group size makes one pipeline, kept as long as the shader. A driver may take seconds to build one.
 * So threads that ask for the same pipeline wait for the first of them, and pool threads can build ahead what will
 * probably be asked for. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/memory/formats.h"
#include "vk/shader/descriptor.h"
#include "vk/shader/shader.h"
#include "vk/shader/share.h"

#include "base/spirv.h"
#include "base/thread.h"
#include "base/trace.h"

#include <stdlib.h>
#include <string.h>

/* AHEAD: a pool thread will build it, unless a thread that needs it builds it first. */
enum variant_state { VARIANT_AHEAD, VARIANT_BUILDING, VARIANT_READY, VARIANT_FAILED };

struct vkb_pipeline {
    VkPipeline handle;
    enum variant_state state; /* under the shader's lock, as are result and users */
    enum vkb_result result;
    uint32_t users;      /* threads that look at it outside the list */
    bool is_guess;       /* nobody is known to need it */
    uint64_t built_ns;   /* what the driver took for it; once it is ready */
    atomic_bool is_used; /* vkb_pipeline_use() */
    atomic_ullong pace;  /* vkb_pipeline_pace() */
    atomic_ullong floor; /* vkb_pipeline_floor() */
    uint32_t subgroup_size, count;
    uint32_t *values;
    struct vkb_pipeline *next;
};

/* A shader with the formats of its storage images. */
struct formatted {
    struct vkb_shader *shader;
    struct formatted *next;
    uint32_t formats[]; /* SPIR-V's, per descriptor; 0 of what is no storage image */
};

struct vkb_shader {
    struct shared shared; /* the first member; its key is of make_key() */
    struct vkb_device *device;
    VkPipelineLayout layout;
    VkDescriptorSetLayout set_layout; /* of its images; none without */
    struct descriptor_cache *sets;    /* of that layout */
    enum vkb_descriptor_kind *descriptors;
    uint32_t num_descriptors;
    bool late_sets; /* UPDATE_AFTER_BIND, for more images than other sets may have */
    uint32_t push_size;
    char *entry;
    uint32_t spec_ids;          /* find_spec_ids() */
    _Atomic(const char *) name; /* for a trace, or NULL */
    bool wants_formats;         /* it is only what others are made of: it has no pipelines */
    struct formatted *formatted;
    pthread_mutex_t lock; /* guards the lists and the states */
    pthread_cond_t built;
    struct vkb_pipeline *pipelines;
    bool is_asked;       /* somebody has needed a pipeline */
    atomic_bool is_slow; /* one of its pipelines took the driver long (vkb_shader_stand_in()) */
    bool is_building;    /* one of the pipelines is being made */
    uint32_t num_urgent; /* threads that wait for their turn and need the pipeline */
};

enum { OP_ENTRY_POINT = 15, OP_FUNCTION = 54, OP_DECORATE = 71, MODEL_GL_COMPUTE = 5, DECORATION_SPEC_ID = 1 };

/* Pipelines that wait for a thread of the pool: no more than are made within a second or two. */
enum { MOST_AHEAD = 512 };

/* The name of the first GLCompute entry point, malloc'ed. */
static char *find_entry(const uint32_t *words, size_t num_words)
{
    struct spirv_walk walk = spirv_walk(words, num_words);
    while (spirv_next(&walk)) {
        if (walk.op == OP_ENTRY_POINT && walk.length >= 4 && walk.inst[1] == MODEL_GL_COMPUTE) {
            const char *name = (const char *)&walk.inst[3];
            return memchr(name, 0, (walk.length - 3) * 4) ? strdup(name) : NULL;
        }
    }
    return NULL;
}

/* The SpecIds below 32 that the module has, a bit each. */
static uint32_t find_spec_ids(const uint32_t *words, size_t num_words)
{
    uint32_t ids = 0;
    struct spirv_walk walk = spirv_walk(words, num_words);
    while (spirv_next(&walk) && walk.op != OP_FUNCTION) {
        if (walk.op == OP_DECORATE && walk.length >= 4 && walk.inst[2] == DECORATION_SPEC_ID && walk.inst[3] < 32)
            ids |= 1u << walk.inst[3];
    }
    return ids;
}

/* Whether the images are more than ordinary descriptor sets may have. */
static bool wants_late_sets(const struct vkb_shader *shader)
{
    const struct vkb_caps *caps = &shader->device->caps;
    uint32_t storage = 0;
    for (uint32_t i = 0; i < shader->num_descriptors; i++)
        storage += shader->descriptors[i] == VKB_DESCRIPTOR_STORAGE_IMAGE ||
                   shader->descriptors[i] == VKB_DESCRIPTOR_STORAGE_BUFFER;
    return storage > caps->max_bound_storage_images ||
           shader->num_descriptors - storage > caps->max_bound_sampled_images ||
           shader->num_descriptors > caps->max_bound_images;
}

static enum vkb_result create_set_layout(struct vkb_shader *shader)
{
    struct vkb_device *device = shader->device;
    uint32_t count = shader->num_descriptors;
    VkDescriptorSetLayoutBinding *bindings = calloc(count, sizeof(*bindings) + sizeof(VkDescriptorBindingFlags));
    if (!bindings)
        return VKB_OUT_OF_HOST_MEMORY;
    VkDescriptorBindingFlags *flags = (VkDescriptorBindingFlags *)(bindings + count);
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t i = 0; i < count && result == VKB_SUCCESS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = vkb_descriptor_type(shader->descriptors[i]),
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
        bool filter = shader->descriptors[i] >= VKB_DESCRIPTOR_FILTER_EDGE;
        flags[i] = filter ? 0 : VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
        if (filter)
            result = vkb_device_filter(device, shader->descriptors[i], &bindings[i].pImmutableSamplers);
    }
    shader->late_sets = wants_late_sets(shader);
    const VkDescriptorSetLayoutBindingFlagsCreateInfo late = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags,
    };
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = shader->late_sets ? &late : NULL,
        .flags = shader->late_sets ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
        .bindingCount = count,
        .pBindings = bindings,
    };
    if (result == VKB_SUCCESS)
        result =
            CHECK(device, device->vk.vkCreateDescriptorSetLayout(device->handle, &info, NULL, &shader->set_layout));
    free(bindings);
    if (result == VKB_SUCCESS && !(shader->sets = vkb_descriptors_create()))
        result = VKB_OUT_OF_HOST_MEMORY;
    return result;
}

static enum vkb_result create_layout(struct vkb_shader *shader)
{
    struct vkb_device *device = shader->device;
    if (shader->wants_formats)
        return VKB_SUCCESS;
    enum vkb_result result = shader->num_descriptors ? create_set_layout(shader) : VKB_SUCCESS;
    if (result != VKB_SUCCESS)
        return result;
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = shader->push_size};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = shader->num_descriptors ? 1 : 0,
        .pSetLayouts = &shader->set_layout,
        .pushConstantRangeCount = shader->push_size ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    return CHECK(device, device->vk.vkCreatePipelineLayout(device->handle, &layout, NULL, &shader->layout));
}

static void variant_free(struct vkb_pipeline *pipeline)
{
    free(pipeline->values);
    free(pipeline);
}

static void shader_destroy(struct vkb_shader *shader)
{
    struct vkb_device *device = shader->device;
    for (struct vkb_pipeline *pipeline = shader->pipelines, *next; pipeline; pipeline = next) {
        next = pipeline->next;
        if (pipeline->handle)
            device->vk.vkDestroyPipeline(device->handle, pipeline->handle, NULL);
        variant_free(pipeline);
    }
    for (struct formatted *formatted = shader->formatted, *next; formatted; formatted = next) {
        next = formatted->next;
        vkb_shader_release(formatted->shader);
        free(formatted);
    }
    if (shader->layout)
        device->vk.vkDestroyPipelineLayout(device->handle, shader->layout, NULL);
    vkb_descriptors_destroy(device, shader->sets);
    if (shader->set_layout)
        device->vk.vkDestroyDescriptorSetLayout(device->handle, shader->set_layout, NULL);
    pthread_mutex_destroy(&shader->lock);
    pthread_cond_destroy(&shader->built);
    free(shader->entry);
    free(shader->descriptors);
    free(shader->shared.key);
    free(shader);
}

static bool copy_descriptors(struct vkb_shader *shader, const enum vkb_descriptor_kind *descriptors, uint32_t count)
{
    if (!count)
        return true;
    shader->descriptors = malloc(count * sizeof(*descriptors));
    if (!shader->descriptors)
        return false;
    memcpy(shader->descriptors, descriptors, count * sizeof(*descriptors));
    shader->num_descriptors = count;
    return true;
}

/* The key of a shader: everything that it is made from, the sizes, the descriptors and the words; malloc'ed. */
static void *make_key(const uint32_t *words, size_t num_words, uint32_t push_size,
                      const enum vkb_descriptor_kind *descriptors, uint32_t num_descriptors, size_t *size)
{
    *size = (2 + num_descriptors + num_words) * sizeof(uint32_t);
    uint32_t *key = malloc(*size), *at = key;
    if (!key)
        return NULL;
    *at++ = push_size;
    *at++ = num_descriptors;
    for (uint32_t i = 0; i < num_descriptors; i++)
        *at++ = descriptors[i];
    memcpy(at, words, num_words * sizeof(*words));
    return key;
}

static const uint32_t *words_of(const struct vkb_shader *shader, size_t *num_words)
{
    size_t before = 2 + shader->num_descriptors;
    *num_words = shader->shared.key_size / sizeof(uint32_t) - before;
    return (const uint32_t *)shader->shared.key + before;
}

/* Takes the key. */
static struct vkb_shader *shader_new(struct vkb_device *device, void *key, size_t key_size)
{
    struct vkb_shader *shader = calloc(1, sizeof(*shader));
    if (!shader) {
        free(key);
        return NULL;
    }
    atomic_init(&shader->shared.refs, 1);
    shader->shared.key = key;
    shader->shared.key_size = key_size;
    shader->device = device;
    pthread_mutex_init(&shader->lock, NULL);
    pthread_cond_init(&shader->built, NULL);
    return shader;
}

enum vkb_result vkb_shaders_init(struct vkb_device *device)
{
    if (!device->shaders && (device->shaders = calloc(1, sizeof(*device->shaders))))
        pthread_mutex_init(&device->shaders->lock, NULL);
    return device->shaders ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
}

enum vkb_result vkb_shader_create(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                  uint32_t push_size, struct vkb_shader **out)
{
    return vkb_shader_create_with_images(device, words, num_words, push_size, NULL, 0, out);
}

enum vkb_result vkb_shader_create_with_images(struct vkb_device *device, const uint32_t *words, size_t num_words,
                                              uint32_t push_size, const enum vkb_descriptor_kind *descriptors,
                                              uint32_t num_descriptors, struct vkb_shader **out)
{
    if (!device->handle)
        return VKB_UNSUPPORTED;
    if (vkb_device_is_useless(device))
        return VKB_DEVICE_LOST;
    push_size = (uint32_t)align_up(push_size, 4);
    if (num_words <= SPIRV_HEADER || words[0] != SPIRV_MAGIC || push_size > device->caps.max_push_constants)
        return VKB_PIPELINE_FAILED;
    size_t key_size;
    void *key = make_key(words, num_words, push_size, descriptors, num_descriptors, &key_size);
    if (!key)
        return VKB_OUT_OF_HOST_MEMORY;
    *out = (struct vkb_shader *)vkb_share_find(device->shaders, key, key_size);
    if (*out) {
        free(key);
        return VKB_SUCCESS;
    }
    struct vkb_shader *shader = shader_new(device, key, key_size);
    if (!shader)
        return VKB_OUT_OF_HOST_MEMORY;
    shader->push_size = push_size;
    shader->wants_formats = num_descriptors && vkb_words_want_formats(&device->caps, words, num_words);
    shader->entry = find_entry(words, num_words);
    shader->spec_ids = find_spec_ids(words, num_words);
    enum vkb_result result = shader->entry ? VKB_SUCCESS : VKB_PIPELINE_FAILED;
    if (result == VKB_SUCCESS && !copy_descriptors(shader, descriptors, num_descriptors))
        result = VKB_OUT_OF_HOST_MEMORY;
    if (result == VKB_SUCCESS)
        result = create_layout(shader);
    if (result == VKB_SUCCESS)
        *out = (struct vkb_shader *)vkb_share_add(device->shaders, &shader->shared);
    /* Another thread may have been faster. */
    if (*out != shader)
        shader_destroy(shader);
    return result;
}

void vkb_shader_set_name(struct vkb_shader *shader, const char *name)
{
    atomic_store(&shader->name, name);
}

struct vkb_shader *vkb_shader_retain(struct vkb_shader *shader)
{
    atomic_fetch_add_explicit(&shader->shared.refs, 1, memory_order_relaxed);
    return shader;
}

void vkb_shader_release(struct vkb_shader *shader)
{
    struct shared *unused = shader && !vkb_gone() ? vkb_share_drop(shader->device->shaders, &shader->shared) : NULL;
    for (struct shared *next; unused; unused = next) {
        next = unused->next;
        shader_destroy((struct vkb_shader *)unused);
    }
}

struct vkb_device *vkb_shader_device(const struct vkb_shader *shader)
{
    return shader->device;
}

bool vkb_shader_wants_formats(const struct vkb_shader *shader)
{
    return shader->wants_formats;
}

VkPipelineLayout vkb_shader_layout(const struct vkb_shader *shader)
{
    return shader->layout;
}

VkDescriptorSetLayout vkb_shader_set_layout(const struct vkb_shader *shader)
{
    return shader->set_layout;
}

struct descriptor_cache *vkb_shader_descriptors(const struct vkb_shader *shader)
{
    return shader->sets;
}

bool vkb_shader_late_sets(const struct vkb_shader *shader)
{
    return shader->late_sets;
}

uint32_t vkb_shader_num_descriptors(const struct vkb_shader *shader)
{
    return shader->num_descriptors;
}

enum vkb_descriptor_kind vkb_shader_descriptor(const struct vkb_shader *shader, uint32_t binding)
{
    return shader->descriptors[binding];
}

uint32_t vkb_shader_push_size(const struct vkb_shader *shader)
{
    return shader->push_size;
}

VkPipeline vkb_pipeline_handle(const struct vkb_pipeline *pipeline)
{
    return pipeline->handle;
}

/* ---- formats of images ---- */

static uint32_t format_of(const struct vkb_shader *shader, struct vkb_image *const *images, uint32_t descriptor)
{
    enum vkb_descriptor_kind kind = shader->descriptors[descriptor];
    bool storage = kind == VKB_DESCRIPTOR_STORAGE_IMAGE || kind == VKB_DESCRIPTOR_STORAGE_BUFFER;
    return storage ? vkb_spirv_format(vkb_image_info(images[descriptor])->format) : 0;
}

static bool has_formats_of(const struct vkb_shader *shader, const struct formatted *formatted,
                           struct vkb_image *const *images)
{
    for (uint32_t i = 0; i < shader->num_descriptors; i++) {
        if (formatted->formats[i] != format_of(shader, images, i))
            return false;
    }
    return true;
}

/* The copy for the images' formats, or NULL. With the shader's lock held. */
static struct formatted *find_formatted(const struct vkb_shader *shader, struct vkb_image *const *images)
{
    struct formatted *formatted = shader->formatted;
    while (formatted && !has_formats_of(shader, formatted, images))
        formatted = formatted->next;
    return formatted;
}

/* A shader of its own. formats: SPIR-V's. Without the shader's lock, since this calls the driver. */
static enum vkb_result with_formats(struct vkb_shader *shader, const uint32_t *formats, struct vkb_shader **out)
{
    uint32_t count = shader->num_descriptors;
    size_t num_words, num_copied;
    const uint32_t *words = words_of(shader, &num_words);
    uint32_t *copy = vkb_words_with_formats(words, num_words, formats, count, &num_copied);
    enum vkb_result result = VKB_OUT_OF_HOST_MEMORY;
    if (copy)
        result = vkb_shader_create_with_images(shader->device, copy, num_copied, shader->push_size, shader->descriptors,
                                               count, out);
    free(copy);
    if (result == VKB_SUCCESS)
        vkb_shader_set_name(*out, atomic_load(&shader->name));
    return result;
}

static enum vkb_result make_formatted(struct vkb_shader *shader, struct vkb_image *const *images,
                                      struct formatted **out)
{
    uint32_t count = shader->num_descriptors;
    struct formatted *formatted = malloc(sizeof(*formatted) + count * sizeof(formatted->formats[0]));
    if (!formatted)
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        formatted->formats[i] = format_of(shader, images, i);
    enum vkb_result result = with_formats(shader, formatted->formats, &formatted->shader);
    if (result != VKB_SUCCESS) {
        free(formatted);
        return result;
    }
    *out = formatted;
    return VKB_SUCCESS;
}

/* Puts the copy into the list, unless another thread was faster: then that one's is *formatted, and this one goes. */
static void link_formatted(struct vkb_shader *shader, struct vkb_image *const *images, struct formatted **formatted)
{
    struct formatted *made = *formatted;
    pthread_mutex_lock(&shader->lock);
    struct formatted *other = find_formatted(shader, images);
    if (!other) {
        made->next = shader->formatted;
        shader->formatted = made;
    }
    pthread_mutex_unlock(&shader->lock);
    if (!other)
        return;
    *formatted = other;
    vkb_shader_release(made->shader);
    free(made);
}

enum vkb_result vkb_shader_for_images(struct vkb_shader *shader, struct vkb_image *const *images,
                                      struct vkb_shader **out)
{
    *out = shader;
    if (!shader->wants_formats)
        return VKB_SUCCESS;
    pthread_mutex_lock(&shader->lock);
    struct formatted *formatted = find_formatted(shader, images);
    pthread_mutex_unlock(&shader->lock);
    if (!formatted) {
        enum vkb_result result = make_formatted(shader, images, &formatted);
        if (result != VKB_SUCCESS)
            return result;
        link_formatted(shader, images, &formatted);
    }
    *out = formatted->shader;
    return VKB_SUCCESS;
}

enum vkb_result vkb_shader_for_formats(struct vkb_shader *shader, const uint32_t *formats, struct vkb_shader **out)
{
    if (!shader->wants_formats) {
        *out = vkb_shader_retain(shader);
        return VKB_SUCCESS;
    }
    uint32_t *names = calloc(shader->num_descriptors, sizeof(*names));
    if (!names)
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < shader->num_descriptors; i++)
        names[i] = vkb_spirv_format(formats[i]);
    enum vkb_result result = with_formats(shader, names, out);
    free(names);
    return result;
}

/* ---- pipelines ---- */

struct creation {
    struct vkb_shader *shader;
    VkPipelineCache cache;
    VkComputePipelineCreateInfo *info;
    VkPipeline *handle;
    enum vkb_result result;
};

/* The module lives no longer than this: making one takes drivers some 50 us, which kernels that are never launched need
 * not pay, and most have one pipeline. */
static void create_pipeline(void *data)
{
    struct creation *c = data;
    struct vkb_device *device = c->shader->device;
    VkShaderModule *module = &c->info->stage.module;
    size_t num_words;
    const uint32_t *words = words_of(c->shader, &num_words);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = num_words * 4,
        .pCode = words,
    };
    c->result = CHECK(device, device->vk.vkCreateShaderModule(device->handle, &info, NULL, module));
    if (c->result != VKB_SUCCESS)
        return;
    c->result =
        CHECK(device, device->vk.vkCreateComputePipelines(device->handle, c->cache, 1, c->info, NULL, c->handle));
    device->vk.vkDestroyShaderModule(device->handle, *module, NULL);
}

enum vkb_result vkb_shader_make(struct vkb_shader *shader, const struct pipeline_request *request, VkPipeline *handle)
{
    uint32_t count = request->count;
    VkSpecializationMapEntry *entries = calloc(count ? count : 1, sizeof(*entries));
    if (!entries)
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (VkSpecializationMapEntry){.constantID = i, .offset = i * 4, .size = 4};
    const VkSpecializationInfo specialization = {
        .mapEntryCount = count,
        .pMapEntries = entries,
        .dataSize = count * 4,
        .pData = request->values,
    };
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = request->subgroup_size,
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = request->flags,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = request->subgroup_size ? &subgroup : NULL,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .pName = shader->entry,
                .pSpecializationInfo = count ? &specialization : NULL,
            },
        .layout = shader->layout,
    };
    struct creation creation = {shader, request->cache, &info, handle, VKB_OUT_OF_HOST_MEMORY};
    thread_run(create_pipeline,
               &creation); /* a driver's compiler wants more stack than some applications' threads have */
    free(entries);
    return creation.result == VKB_UNSUPPORTED ? VKB_PIPELINE_FAILED : creation.result;
}

static enum vkb_result build(struct vkb_shader *shader, struct vkb_pipeline *pipeline)
{
    struct vkb_device *device = shader->device;
    const struct pipeline_request request = {
        .values = pipeline->values,
        .count = pipeline->count,
        .subgroup_size = pipeline->subgroup_size,
        .cache = device->pipeline_cache,
    };
    vkb_cache_await(device);
    uint64_t began = time_ns();
    enum vkb_result result = vkb_shader_make(shader, &request, &pipeline->handle);
    if (trace_enabled()) {
        const char *name = atomic_load(&shader->name);
        trace_span("pipeline", name ? name : "(Pumice's own)", began, NULL);
    }
    log_debug("pipeline built in %.3f ms", (double)(time_ns() - began) * 1e-6);
    vkb_exit_pipeline_made();
    if (result == VKB_SUCCESS)
        vkb_cache_touch(device);
    return result;
}

bool vkb_pipeline_use(struct vkb_pipeline *pipeline)
{
    return !atomic_load_explicit(&pipeline->is_used, memory_order_relaxed) &&
           !atomic_exchange(&pipeline->is_used, true);
}

uint64_t vkb_pipeline_pace(struct vkb_pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->pace, memory_order_relaxed);
}

void vkb_pipeline_set_pace(struct vkb_pipeline *pipeline, uint64_t pace)
{
    atomic_store_explicit(&pipeline->pace, pace, memory_order_relaxed);
}

uint64_t vkb_pipeline_floor(struct vkb_pipeline *pipeline)
{
    return atomic_load_explicit(&pipeline->floor, memory_order_relaxed);
}

void vkb_pipeline_set_floor(struct vkb_pipeline *pipeline, uint64_t floor)
{
    atomic_store_explicit(&pipeline->floor, floor, memory_order_relaxed);
}

/* The values with 0 for constants that the shader does not have, so that pipelines do not differ in those. Room is for
 * 32. */
static const uint32_t *known_values(const struct vkb_shader *shader, const uint32_t *values, uint32_t count,
                                    uint32_t known[32])
{
    if (count > 32)
        return values;
    for (uint32_t i = 0; i < count; i++)
        known[i] = shader->spec_ids >> i & 1 ? values[i] : 0;
    return known;
}

static struct vkb_pipeline *find(struct vkb_shader *shader, const uint32_t *values, uint32_t count,
                                 uint32_t subgroup_size)
{
    struct vkb_pipeline *pipeline = shader->pipelines;
    while (pipeline && (pipeline->count != count || pipeline->subgroup_size != subgroup_size ||
                        (count && memcmp(pipeline->values, values, count * sizeof(*values)) != 0)))
        pipeline = pipeline->next;
    return pipeline;
}

static struct vkb_pipeline *variant_new(struct vkb_shader *shader, const uint32_t *values, uint32_t count,
                                        uint32_t subgroup_size)
{
    struct vkb_pipeline *pipeline = calloc(1, sizeof(*pipeline));
    uint32_t *copy = malloc((count ? count : 1) * sizeof(*copy));
    if (!pipeline || !copy) {
        free(pipeline);
        free(copy);
        return NULL;
    }
    if (count)
        memcpy(copy, values, count * sizeof(*copy));
    pipeline->values = copy;
    pipeline->count = count;
    pipeline->subgroup_size = subgroup_size;
    pipeline->state = VARIANT_AHEAD;
    pipeline->next = shader->pipelines;
    shader->pipelines = pipeline;
    return pipeline;
}

/* Takes a variant out of the list, so that the next one who asks for it tries anew. With the shader's lock held. */
static void unlist_variant(struct vkb_shader *shader, struct vkb_pipeline *pipeline)
{
    struct vkb_pipeline **at = &shader->pipelines;
    while (*at != pipeline)
        at = &(*at)->next;
    *at = pipeline->next;
    pipeline->state = VARIANT_FAILED;
}

/* Builds a variant that is in the list. If that fails, the variant leaves the list, since there may be memory by the
 * time that somebody asks again. Called with the shader's lock held, which is open while the driver builds. */
static void build_variant(struct vkb_shader *shader, struct vkb_pipeline *pipeline)
{
    pipeline->state = VARIANT_BUILDING;
    shader->is_building = true;
    pthread_mutex_unlock(&shader->lock);
    uint64_t began = time_ns();
    enum vkb_result result = build(shader, pipeline);
    uint64_t built_ns = time_ns() - began;
    pthread_mutex_lock(&shader->lock);
    pipeline->built_ns = built_ns;
    if (built_ns / 1000 >= shader->device->caps.slow_pipeline_us)
        atomic_store(&shader->is_slow, true);
    shader->is_building = false;
    pipeline->result = result;
    pipeline->state = VARIANT_READY;
    if (result != VKB_SUCCESS)
        unlist_variant(shader, pipeline);
    pthread_cond_broadcast(&shader->built);
}

/* NVIDIA's driver (580, H100 and H200) may answer with code of another pipeline when two of one module are made at the
 * same time, although with other constants: docs/measured/robustness.md. There a pipeline waits until the others of its
 * shader are made, first those that a thread needs. With the shader's lock held. */
static void await_turn(struct vkb_shader *shader, const struct vkb_pipeline *pipeline, bool is_urgent)
{
    if (!shader->device->caps.variants_in_turn)
        return;
    shader->num_urgent += is_urgent;
    while (pipeline->state == VARIANT_AHEAD && (shader->is_building || (!is_urgent && shader->num_urgent)))
        pthread_cond_wait(&shader->built, &shader->lock);
    shader->num_urgent -= is_urgent;
    if (is_urgent)
        pthread_cond_broadcast(&shader->built);
}

/* With the shader's lock held. */
static void drop_variant(struct vkb_pipeline *pipeline)
{
    if (--pipeline->users == 0 && pipeline->state == VARIANT_FAILED)
        variant_free(pipeline);
}

enum vkb_result vkb_shader_pipeline(struct vkb_shader *shader, const uint32_t *values, uint32_t count,
                                    uint32_t subgroup_size, struct vkb_pipeline **out)
{
    if (vkb_device_is_useless(shader->device))
        return VKB_DEVICE_LOST;
    if ((subgroup_size && !shader->device->caps.subgroup_size_control) || shader->wants_formats)
        return VKB_UNSUPPORTED;
    uint32_t known[32];
    values = known_values(shader, values, count, known);
    pthread_mutex_lock(&shader->lock);
    shader->is_asked = true;
    struct vkb_pipeline *pipeline = find(shader, values, count, subgroup_size);
    if (!pipeline)
        pipeline = variant_new(shader, values, count, subgroup_size);
    if (!pipeline) {
        pthread_mutex_unlock(&shader->lock);
        return VKB_OUT_OF_HOST_MEMORY;
    }
    pipeline->users++;
    await_turn(shader, pipeline, true);
    if (pipeline->state == VARIANT_AHEAD)
        build_variant(shader, pipeline);
    while (pipeline->state == VARIANT_BUILDING)
        pthread_cond_wait(&shader->built, &shader->lock);
    enum vkb_result result = pipeline->result;
    *out = result == VKB_SUCCESS ? pipeline : NULL;
    drop_variant(pipeline);
    pthread_mutex_unlock(&shader->lock);
    return result;
}

struct prefetch {
    struct pool_task task;
    struct vkb_shader *shader;
    struct vkb_pipeline *pipeline;
};

/* Nobody else has the shader any more, or it turned out that others of its pipelines are needed. */
static bool is_in_vain(const struct prefetch *prefetch)
{
    struct vkb_shader *shader = prefetch->shader;
    return atomic_load(&shader->shared.refs) == 1 || (prefetch->pipeline->is_guess && shader->is_asked) ||
           vkb_device_is_useless(shader->device);
}

static void prefetch_task(void *data)
{
    struct prefetch *prefetch = data;
    struct vkb_shader *shader = prefetch->shader;
    pthread_mutex_lock(&shader->lock);
    await_turn(shader, prefetch->pipeline, false);
    if (prefetch->pipeline->state == VARIANT_AHEAD && is_in_vain(prefetch))
        unlist_variant(shader, prefetch->pipeline);
    else if (prefetch->pipeline->state == VARIANT_AHEAD)
        build_variant(shader, prefetch->pipeline);
    drop_variant(prefetch->pipeline);
    pthread_mutex_unlock(&shader->lock);
    atomic_fetch_sub(&shader->device->num_ahead, 1);
    vkb_shader_release(shader);
    free(prefetch);
}

/* Whether a pipeline of the shader is needed or known to be. With the shader's lock held. */
static bool knows_needs(const struct vkb_shader *shader)
{
    const struct vkb_pipeline *pipeline = shader->pipelines;
    while (pipeline && pipeline->is_guess)
        pipeline = pipeline->next;
    return shader->is_asked || pipeline;
}

/* A new variant, unless nobody needs to make it. */
static struct vkb_pipeline *variant_ahead(struct vkb_shader *shader, const uint32_t *values, uint32_t count,
                                          uint32_t subgroup_size, bool is_guess)
{
    struct vkb_pipeline *pipeline = NULL;
    pthread_mutex_lock(&shader->lock);
    if (!(is_guess && knows_needs(shader)) && !find(shader, values, count, subgroup_size))
        pipeline = variant_new(shader, values, count, subgroup_size);
    if (pipeline) {
        pipeline->users++;
        pipeline->is_guess = is_guess;
    }
    pthread_mutex_unlock(&shader->lock);
    return pipeline;
}

static void build_ahead(struct vkb_shader *shader, const uint32_t *values, uint32_t count, uint32_t subgroup_size,
                        bool is_guess)
{
    if (vkb_device_is_useless(shader->device) || shader->wants_formats ||
        (subgroup_size && !shader->device->caps.subgroup_size_control) ||
        atomic_load(&shader->device->num_ahead) >= MOST_AHEAD || !vkb_pool_start())
        return;
    uint32_t known[32];
    values = known_values(shader, values, count, known);
    struct vkb_pipeline *pipeline = variant_ahead(shader, values, count, subgroup_size, is_guess);
    if (!pipeline)
        return;
    struct prefetch *prefetch = malloc(sizeof(*prefetch));
    if (!prefetch) {
        pthread_mutex_lock(&shader->lock);
        if (pipeline->state == VARIANT_AHEAD)
            unlist_variant(shader, pipeline);
        drop_variant(pipeline);
        pthread_mutex_unlock(&shader->lock);
        return;
    }
    *prefetch = (struct prefetch){
        .task = {.call = prefetch_task, .data = prefetch},
        .shader = vkb_shader_retain(shader),
        .pipeline = pipeline,
    };
    atomic_fetch_add(&shader->device->num_ahead, 1);
    vkb_pool_work(&prefetch->task);
}

void vkb_shader_prefetch(struct vkb_shader *shader, const uint32_t *values, uint32_t count, uint32_t subgroup_size)
{
    build_ahead(shader, values, count, subgroup_size, false);
}

void vkb_shader_guess(struct vkb_shader *shader, const uint32_t *values, uint32_t count, uint32_t subgroup_size)
{
    build_ahead(shader, values, count, subgroup_size, true);
}

bool vkb_shader_is_ready(struct vkb_shader *shader, const uint32_t *values, uint32_t count, uint32_t subgroup_size)
{
    uint32_t known[32];
    pthread_mutex_lock(&shader->lock);
    const struct vkb_pipeline *own = find(shader, known_values(shader, values, count, known), count, subgroup_size);
    bool ready = own && own->state == VARIANT_READY, begins = !own;
    pthread_mutex_unlock(&shader->lock);
    if (begins)
        vkb_shader_prefetch(shader, values, count, subgroup_size);
    return ready;
}

/* ---- stand-ins ---- */

/* With the shader's lock held. */
static bool stands_in(const struct vkb_shader *shader, const struct vkb_pipeline *pipeline, const uint32_t *wanted,
                      const struct vkb_stand_in *args)
{
    if (pipeline->state != VARIANT_READY || pipeline->result != VKB_SUCCESS || pipeline->count != args->count ||
        pipeline->subgroup_size != args->subgroup_size ||
        pipeline->built_ns / 1000 < shader->device->caps.slow_pipeline_us)
        return false;
    for (uint32_t i = 0; i < args->count; i++) {
        if (pipeline->values[i] != wanted[i] && !(args->may_differ >> i & 1))
            return false;
    }
    return args->fits(args->data, pipeline->values);
}

bool vkb_shader_stand_in(struct vkb_shader *shader, const struct vkb_stand_in *args, uint32_t *values)
{
    uint32_t known[32];
    const uint32_t *wanted = known_values(shader, args->wanted, args->count, known);
    bool found = false;
    if (!atomic_load_explicit(&shader->is_slow, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&shader->lock);
    const struct vkb_pipeline *own = find(shader, wanted, args->count, args->subgroup_size);
    if (!own || own->state != VARIANT_READY) {
        for (const struct vkb_pipeline *other = shader->pipelines; other && !found; other = other->next) {
            found = other != own && stands_in(shader, other, wanted, args);
            if (found)
                memcpy(values, other->values, args->count * sizeof(*values));
        }
    }
    pthread_mutex_unlock(&shader->lock);
    if (found && !own)
        vkb_shader_prefetch(shader, args->wanted, args->count, args->subgroup_size);
    return found;
}
