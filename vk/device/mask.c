/* Makes a device play a weaker one: PUMICE_DISABLE names abilities (base/abilities.def) that are taken away,
 * PUMICE_LIMITS limits that are lowered, PUMICE_PLAY a whole device whose lacks and limits are both.
 *
 *     PUMICE_DISABLE=int64,fp64,subgroups PUMICE_LIMITS=workgroup=128,shared=16384 program
 *     PUMICE_PLAY=v3d program
 *
 * PUMICE_VULKAN=1.1 has every device count as one of that version, with the extensions that it offers.
 *
 * Everything above sees the masked abilities only, so that the compiler and the runtime do what they would do on such a
 * device. A limit is never raised. Misspelt names are reported in the log. */
#include "vk/device/device.h"

#include "base/settings.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct vkb_caps, member)

static const struct ability {
    const char *name, *words;
    size_t flag;
} abilities[] = {
#define ABILITY(name, vulkan, words, lines, without) {#name, words, AT(name)},
#include "base/abilities.def"
};

static const struct limit {
    const char *name;
    size_t limits[4]; /* of uint32_t; 0: the end */
} limits[] = {
    {"workgroup",
     {AT(max_workgroup_invocations), AT(max_workgroup_size[0]), AT(max_workgroup_size[1]), AT(max_workgroup_size[2])}},
    {"groups", {AT(max_workgroup_count[0]), AT(max_workgroup_count[1]), AT(max_workgroup_count[2])}},
    {"shared", {AT(shared_memory)}},
    {"nesting", {AT(max_nesting)}},
    {"slow_pipeline", {AT(slow_pipeline_us)}},
    {"doze", {AT(doze_us)}},
    {"push_constants", {AT(max_push_constants)}},
    {"image2d", {AT(max_image_2d)}},
    {"image3d", {AT(max_image_3d)}},
    {"layers", {AT(max_image_layers)}},
    {"texels", {AT(max_texel_buffer_elements)}},
    {"images", {AT(max_sampled_images), AT(max_storage_images), AT(max_images)}},
    {"bound_images", {AT(max_bound_sampled_images), AT(max_bound_storage_images), AT(max_bound_images)}},
};

/* Well-known devices: the version of Vulkan they are of (its minor number), what they lack, their limits.
 *
 * v3d: v3dv on a Raspberry Pi 4; adreno: turnip on an Adreno 660; mali: panvk on a Mali of the tenth architecture. These
 * three are what the drivers of Mesa 25.0.7 say (tests/drivers/played.py). powervr: Imagination's on Rogue cores, by the
 * sources of Mesa 25.3. moltenvk: Apple's GPUs, by MoltenVK's sources (1.4.3). swiftshader: Chromium's, as it says. */
static const struct player {
    const char *name;
    uint32_t minor;
    const char *lacks, *limits;
} players[] = {
    {"v3d", 3,
     "int8,int16,int64,fp16,fp64,float_atomics,subgroups,image_write_any,clock,sparse,import,map_placed,denorms",
     "workgroup=256,groups=65535,shared=16384,push_constants=128,image2d=4096,image3d=4096,allocation=1073741824"},
    {"powervr", 3,
     "int8,int16,int64,fp16,fp64,storage8,storage16,float_atomics,subgroups,subgroup_size_control,memory_model,"
     "explicit_layout,dot_product,clock,sparse,import,denorms",
     "workgroup=128,groups=65535,shared=16384,push_constants=128,image2d=4096,image3d=256,layers=256,texels=65536,"
     "allocation=1073741824"},
    {"adreno", 3, "fp64,storage8,push_narrow,int64_atomics,float_atomics,clock,import,sparse",
     "workgroup=1024,groups=65535,shared=32768,push_constants=256,image3d=2048,allocation=4294967295"},
    {"mali", 1,
     "fp16,fp64,push_narrow,int64_atomics,float_atomics,memory_model,explicit_layout,spirv14,subgroup_extended_types,"
     "subgroups,dot_product,clock,image_read_any,image_write_any,image_formats,float_controls,import,sparse,map_placed",
     "workgroup=1024,groups=65535,shared=32768,push_constants=128,image2d=16384,texels=65536"},
    {"moltenvk", 3,
     "fp64,int64_atomics,bare_atomics,explicit_layout,subgroups,subgroup_size_control,denorms,clock,sparse,map_placed",
     "workgroup=1024,shared=32768,image2d=16384,image3d=2048,layers=2048"},
    {"swiftshader", 3,
     "int8,int16,int64,fp16,fp64,storage8,storage16,float_atomics,explicit_layout,clock,sparse,map_placed,denorms",
     "workgroup=256,groups=65535,shared=32768,push_constants=128,allocation=1073741824"},
};

static bool is(const char *name, const char *word, size_t length)
{
    return strncmp(name, word, length) == 0 && !name[length];
}

static bool has_word(const char *words, const char *word, size_t length)
{
    while (*words) {
        size_t next = strcspn(words, " ");
        if (next == length && strncmp(words, word, length) == 0)
            return true;
        words += next + (words[next] == ' ');
    }
    return false;
}

/* What takes an ability away by saying that the device, or its driver, has a weakness. */
static const struct {
    const char *name;
    size_t flag; /* of struct vkb_caps */
} weaknesses[] = {
    {"long_chains", AT(short_chains)},         {"trip_counts", AT(miscounts_trips)},    {"wide_loads", AT(loses_lanes)},
    {"wide_registers", AT(computes_in_words)}, {"same_addresses", AT(other_addresses)},
};

static bool disable(struct vkb_caps *caps, const char *word, size_t length)
{
    char *base = (char *)caps;
    bool known = false;
    for (size_t i = 0; i < ARRAY_LENGTH(abilities); i++) {
        if (is(abilities[i].name, word, length) || has_word(abilities[i].words, word, length)) {
            known = true;
            *(bool *)(base + abilities[i].flag) = false;
        }
    }
    for (size_t i = 0; i < ARRAY_LENGTH(weaknesses); i++) {
        if (is(weaknesses[i].name, word, length)) {
            known = true;
            *(bool *)(base + weaknesses[i].flag) = true;
        }
    }
    if (is("float_controls", word, length)) {
        known = true;
        caps->rte16 = caps->rte32 = caps->rte64 = false;
        caps->signed_zero16 = caps->signed_zero32 = caps->signed_zero64 = false;
        caps->denorm_preserve16 = caps->denorm_preserve32 = caps->denorm_preserve64 = false;
    }
    if (is("subgroups", word, length)) {
        known = true;
        caps->subgroup_operations = 0;
    }
    if (is("external", word, length)) {
        known = true;
        caps->memory_exports = caps->memory_imports = caps->image_imports = caps->semaphore_imports =
            caps->semaphore_exports = 0;
        caps->modifiers = caps->maps_dma_bufs = false;
    }
    if (is("dma_buf", word, length)) {
        known = true;
        caps->memory_exports &= ~(uint32_t)VKB_HANDLE_DMA_BUF;
        caps->memory_imports &= ~(uint32_t)VKB_HANDLE_DMA_BUF;
        caps->image_imports &= ~(uint32_t)VKB_HANDLE_DMA_BUF;
        caps->modifiers = false;
    }
    if (is("sparse", word, length)) {
        known = true;
        caps->sparse_space = 0;
        caps->max_allocation = caps->max_single_allocation;
    }
    return known;
}

static bool lower_limit(struct vkb_caps *caps, const char *word, size_t length)
{
    char *base = (char *)caps;
    const char *equals = memchr(word, '=', length);
    char *end = NULL;
    errno = 0;
    unsigned long long value = equals ? strtoull(equals + 1, &end, 0) : 0;
    bool known = false;
    if (!equals || end != word + length || !value || errno)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(limits); i++) {
        if (!is(limits[i].name, word, (size_t)(equals - word)))
            continue;
        known = true;
        for (size_t k = 0; k < ARRAY_LENGTH(limits[i].limits) && limits[i].limits[k]; k++) {
            uint32_t *limit = (uint32_t *)(base + limits[i].limits[k]);
            *limit = (uint32_t)u64_min(*limit, value);
        }
    }
    if (is("allocation", word, (size_t)(equals - word))) {
        known = true;
        caps->max_allocation = u64_min(caps->max_allocation, value);
        caps->max_single_allocation = u64_min(caps->max_single_allocation, value);
    }
    if (is("progress", word, (size_t)(equals - word))) /* src/device/overrides.c */
        known = true;
    if (is("heap", word, (size_t)(equals - word))) {
        known = true;
        caps->heap_limit = value;
    }
    return known;
}

/* setting: whose words these are, for the warning of one that call() does not know; SETTING_COUNT: none is given. */
static void each_word(struct vkb_caps *caps, const char *list, enum setting setting,
                      bool (*call)(struct vkb_caps *caps, const char *word, size_t length))
{
    while (list && *list) {
        size_t length = strcspn(list, ", ");
        if (length && !call(caps, list, length) && setting != SETTING_COUNT)
            log_warn("%s: '%.*s' does not count: it is unknown", setting_name(setting), (int)length, list);
        list += length + (list[length] != 0);
    }
}

static bool play(struct vkb_caps *caps, const char *word, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(players); i++) {
        if (!is(players[i].name, word, length))
            continue;
        each_word(caps, players[i].lacks, SETTING_COUNT, disable);
        each_word(caps, players[i].limits, SETTING_COUNT, lower_limit);
        return true;
    }
    return false;
}

/* The version of a played device, else the newest. */
static uint32_t played_version(void)
{
    const char *name = setting_text(SETTING_PLAY);
    for (size_t i = 0; name && i < ARRAY_LENGTH(players); i++) {
        if (!strcmp(players[i].name, name))
            return VK_MAKE_API_VERSION(0, 1, players[i].minor, 0);
    }
    return UINT32_MAX;
}

uint32_t vkb_mask_version(uint32_t version)
{
    int place = setting_choice(SETTING_VULKAN); /* 0: 1.1 */
    uint32_t most = played_version();
    if (place >= 0 && VK_MAKE_API_VERSION(0, 1, place + 1, 0) < most)
        most = VK_MAKE_API_VERSION(0, 1, place + 1, 0);
    return version < most ? version : most;
}

void vkb_caps_mask(struct vkb_caps *caps)
{
    static atomic_bool warned; /* of the words, which are the same for all devices */
    bool quiet = atomic_exchange(&warned, true);
    each_word(caps, setting_text(SETTING_PLAY), quiet ? SETTING_COUNT : SETTING_PLAY, play);
    each_word(caps, setting_text(SETTING_DISABLE), quiet ? SETTING_COUNT : SETTING_DISABLE, disable);
    each_word(caps, setting_text(SETTING_LIMITS), quiet ? SETTING_COUNT : SETTING_LIMITS, lower_limit);
}
