/* What launches have touched (touched.h). */
#include "src/object/touched.h"

#include "src/device/device.h"

#include <stdlib.h>

void (*ocl_touched_complete)(struct ocl_touched *touched, bool ran);

static _Thread_local struct ocl_touched *last;
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

void ocl_touched_set_last(struct ocl_touched *touched)
{
    ocl_touched_release(last);
    last = ocl_touched_retain(touched);
}

struct ocl_touched *ocl_touched_take_last(void)
{
    struct ocl_touched *touched = last;
    last = NULL;
    return touched;
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
