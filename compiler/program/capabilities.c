/* Which capabilities and extensions of SPIR-V a module may use, by extensions.def, each with what a device must offer
 * for it. So what a build accepts and what the device's queries list is the same. The validator makes sure that a
 * module declares what it uses. */
#include "compiler/program/program.h"

#include "base/util.h"

#include <string.h>

static bool always(const struct clc_target *target)
{
    (void)target;
    return true;
}

static bool has_float16(const struct clc_target *target)
{
    return target->float16;
}

static bool has_float64(const struct clc_target *target)
{
    return target->float64 && target->int64; /* doubles are converted to and from long */
}

static bool has_int64_atomics(const struct clc_target *target)
{
    return target->buffer_int64_atomics;
}

static bool has_subgroups(const struct clc_target *target)
{
    return target->subgroups;
}

static bool has_images(const struct clc_target *target)
{
    return target->images;
}

static bool has_pipes(const struct clc_target *target)
{
    return target->pipes;
}

static bool has_device_enqueue(const struct clc_target *target)
{
    return target->device_enqueue;
}

struct row {
    uint32_t capability; /* UINT32_MAX: an extension that comes without one */
    const char *name;
    const char *extension;                            /* of SPIR-V, that brings it; NULL: the core */
    bool (*offered)(const struct clc_target *target); /* NULL: word decides */
    const char *word; /* of the device's extensions or features, that must be there too; NULL: none */
};

/* What is refused has no row: the reader has named it. */
static const struct row rows[] = {
#define NONE                                          UINT32_MAX
#define TAKEN(value, name, extension, offered, word)  {value, #name, extension, offered, word},
#define MADE(value, name, extension, what)            {value, #name, extension, always, NULL},
#define MADE_WITH(value, name, extension, word, what) {value, #name, extension, NULL, word},
#define HINT(value, name, extension, why)             {value, #name, extension, always, NULL},
#define REFUSED(value, name, extension, why)
#include "compiler/spv/extensions.def"
#undef TAKEN
#undef MADE
#undef MADE_WITH
#undef HINT
#undef REFUSED
};

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length) {
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

/* Whether the device offers it. Without a target, for offline use, everything is offered. */
static bool is_offered(const struct row *row, const struct clc_target *target)
{
    if (!target)
        return true;
    if (row->offered && !row->offered(target))
        return false;
    return !row->word || has_word(target->extensions, row->word) || has_word(target->features, row->word);
}

static const char *check_capability(struct arena *arena, uint32_t capability, const struct clc_target *target)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].capability != capability)
            continue;
        if (is_offered(&rows[i], target))
            return NULL;
        return arena_printf(arena, "the module needs capability %s, which the device does not offer", rows[i].name);
    }
    const char *name = spv_capability_name(capability);
    return arena_printf(arena, "the module needs capability %s (%u), which is not supported", name ? name : "unknown",
                        capability);
}

static const char *check_extension(struct arena *arena, const char *extension, const struct clc_target *target)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].extension && !strcmp(rows[i].extension, extension) && is_offered(&rows[i], target))
            return NULL;
    }
    return arena_printf(arena, "the module needs extension %s, which is not supported", extension);
}

const char *program_check_capabilities(struct arena *arena, const struct spv_module *module,
                                       const struct clc_target *target)
{
    const char *message = NULL;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_CAPABILITY])
        message = message ? message : check_capability(arena, inst->words[0], target);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXTENSION])
        message = message ? message : check_extension(arena, spv_string(inst, 0, NULL), target);
    return message;
}

uint32_t clc_spirv_capabilities(const struct clc_target *target, uint32_t *values, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows) && count < capacity; i++) {
        bool known = rows[i].capability == NONE || !is_offered(&rows[i], target);
        for (uint32_t k = 0; k < count && !known; k++)
            known = values[k] == rows[i].capability;
        if (!known)
            values[count++] = rows[i].capability;
    }
    return count;
}

uint32_t clc_spirv_extensions(const struct clc_target *target, const char **names, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows) && count < capacity; i++) {
        bool known = !rows[i].extension || !is_offered(&rows[i], target);
        for (uint32_t k = 0; k < count && !known; k++)
            known = !strcmp(names[k], rows[i].extension);
        if (!known)
            names[count++] = rows[i].extension;
    }
    return count;
}
