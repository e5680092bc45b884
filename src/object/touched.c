/* What launches have touched (touched.h). */
#include "src/object/touched.h"

#include "src/device/device.h"

#include <stdlib.h>

void (*ocl_touched_complete)(struct ocl_touched *touched, bool ran);

static _Thread_local struct ocl_touched *noted;
static _Atomic uint64_t bytes; /* of all that are counted */

struct ocl_touched *ocl_touched_retain(struct ocl_touched *touched)
{
    if (touched)
        atomic_fetch_add(&touched->refs, 1);
    return touched;
}

void ocl_touched_release(struct ocl_touched *touched)
{
    if (!touched || atomic_fetch_sub(&touched->refs, 1) != 1)
        return;
    if (touched->counted)
        atomic_fetch_sub(&bytes, touched->size);
    if (touched->copy)
        vkb_buffer_release(touched->copy);
    if (touched->buffer)
        vkb_buffer_release(touched->buffer);
    free(touched);
}

void ocl_touched_note(struct ocl_touched *touched)
{
    struct ocl_touched **end = &noted;
    while (*end)
        end = &(*end)->next;
    touched->next = NULL;
    *end = ocl_touched_retain(touched);
}

struct ocl_touched *ocl_touched_take(const void *kernel)
{
    struct ocl_touched *touched = noted;
    if (!touched || touched->kernel != kernel)
        return NULL;
    noted = touched->next;
    return touched;
}

void ocl_touched_forget(void)
{
    while (noted) {
        struct ocl_touched *touched = noted;
        noted = touched->next;
        ocl_touched_release(touched);
    }
}

bool ocl_touched_count(struct ocl_touched *touched, uint64_t most)
{
    touched->counted = true;
    return atomic_fetch_add(&bytes, touched->size) + touched->size <= most;
}

const uint32_t *ocl_touched_words(const struct ocl_touched *touched, uint32_t arg)
{
    const uint8_t *map = vkb_buffer_map(touched->copy);
    return (const uint32_t *)(const void *)(map + touched->args[arg].words);
}
