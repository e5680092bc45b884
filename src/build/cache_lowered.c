/* A lowered kernel (struct clc_lowered) as a run of bytes and back.
 *
 * The reader trusts nothing: an entry has a checksum, but that does not prove that Pumice wrote it. Every count is
 * checked against the bytes that are left before anything is allocated from it. Whether what was read makes sense on
 * the device is asked by ocl_admit(), like of every kernel. What is read lies in one block (the struct, its arrays, and
 * the text), so one free() ends it. */
#include "src/build/cache.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

struct writer {
    uint8_t *data; /* malloc'ed */
    size_t size, capacity;
    bool failed;
};

static void put(struct writer *w, const void *data, size_t size)
{
    if (w->failed || size == 0)
        return;
    if (size > w->capacity - w->size) {
        size_t capacity = (w->capacity + size) * 2;
        uint8_t *grown = realloc(w->data, capacity);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->data = grown;
        w->capacity = capacity;
    }
    memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void put_u32(struct writer *w, uint32_t value)
{
    put(w, &value, sizeof(value));
}

/* Everything of fixed size, as one record; pointers and counts are written by themselves. */
struct fixed {
    uint32_t block_size, local_size, local_args_offset, scratch_size;
    int32_t launch_offset[CLC_LAUNCH_COUNT];
    uint32_t flags;
};

enum {
    IN_PUSH_CONSTANTS = 1,
    POINTERS_FROM_MEMORY = 2,
    USES_LOCAL_ARGS = 4,
    USES_PRINTF = 8,
    USES_BARRIER = 16,
    USES_SUBGROUPS = 32,
    READS_LOCAL_SIZE = 64,
    CAN_BOUND = 128,
    SEES_GROUPS = 256,
    WATCHES_MEMORY = 512,
    CAN_PACK = 1024,
    FULL_SUBGROUPS = 2048,
};

static struct fixed fixed_part(const struct clc_lowered *l)
{
    struct fixed fixed = {.block_size = l->block_size,
                          .local_size = l->local_size,
                          .local_args_offset = l->local_args_offset,
                          .scratch_size = l->scratch_size};
    memcpy(fixed.launch_offset, l->launch_offset, sizeof(fixed.launch_offset));
    fixed.flags = (l->block_in_push_constants ? IN_PUSH_CONSTANTS : 0) |
                  (l->pointers_from_memory ? POINTERS_FROM_MEMORY : 0) | (l->uses_local_args ? USES_LOCAL_ARGS : 0) |
                  (l->uses_printf ? USES_PRINTF : 0) | (l->uses_barrier ? USES_BARRIER : 0) |
                  (l->uses_subgroups ? USES_SUBGROUPS : 0) | (l->reads_local_size ? READS_LOCAL_SIZE : 0) |
                  (l->can_bound ? CAN_BOUND : 0) | (l->sees_groups ? SEES_GROUPS : 0) |
                  (l->watches_memory ? WATCHES_MEMORY : 0) | (l->can_pack ? CAN_PACK : 0) |
                  (l->full_subgroups ? FULL_SUBGROUPS : 0);
    return fixed;
}

bool ocl_lowered_write(const struct clc_lowered *l, uint32_t num_args, uint8_t **data, size_t *size)
{
    struct writer w = {0};
    struct fixed fixed = fixed_part(l);
    put(&w, &fixed, sizeof(fixed));
    put_u32(&w, (uint32_t)l->num_words);
    put(&w, l->words, l->num_words * 4);
    put(&w, l->arg_offset, num_args * sizeof(l->arg_offset[0]));
    put(&w, l->arg_access, num_args);
    put_u32(&w, l->constants.size);
    put_u32(&w, l->constants.align);
    put_u32(&w, l->constants.init_size);
    put(&w, l->constants.init, l->constants.init_size);
    put_u32(&w, l->constants.num_relocations);
    put(&w, l->constants.relocations, l->constants.num_relocations * sizeof(l->constants.relocations[0]));
    put_u32(&w, l->num_bindings);
    put(&w, l->bindings, l->num_bindings * sizeof(l->bindings[0]));
    put_u32(&w, l->num_printf_formats);
    for (uint32_t i = 0; i < l->num_printf_formats; i++) {
        const struct clc_printf_format *format = &l->printf_formats[i];
        put_u32(&w, format->length);
        put(&w, format->format, format->length);
        put_u32(&w, format->num_args);
        put(&w, format->arg_sizes, format->num_args);
    }
    put_u32(&w, l->num_printf_strings);
    for (uint32_t i = 0; i < l->num_printf_strings; i++) {
        uint32_t length = (uint32_t)strlen(l->printf_strings[i]);
        put_u32(&w, length);
        put(&w, l->printf_strings[i], length);
    }
    if (w.failed) {
        free(w.data);
        return false;
    }
    *data = w.data;
    *size = w.size;
    return true;
}

/* ---- reading ---- */

struct reader {
    const uint8_t *at, *end;
    char *out, *out_end; /* the free part of the block */
    bool failed;
};

static const uint8_t *take(struct reader *r, uint64_t size)
{
    if (r->failed || size > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *data = r->at;
    r->at += size;
    return data;
}

static uint32_t take_u32(struct reader *r)
{
    uint32_t value = 0;
    const uint8_t *data = take(r, 4);
    if (data)
        memcpy(&value, data, 4);
    return value;
}

/* size bytes of the block, zeroed and aligned. */
static void *place(struct reader *r, uint64_t size)
{
    uint64_t aligned = align_up(size, 8);
    if (r->failed || aligned < size || aligned > (uint64_t)(r->out_end - r->out)) {
        r->failed = true;
        return NULL;
    }
    void *data = r->out;
    r->out += aligned;
    return data;
}

static void *take_copy(struct reader *r, uint64_t count, size_t size, size_t extra)
{
    const uint8_t *from = take(r, count * size);
    void *to = place(r, count * size + extra);
    if (!from || !to)
        return NULL;
    memcpy(to, from, count * size);
    return to;
}

static void read_printf(struct reader *r, struct clc_lowered *l)
{
    l->num_printf_formats = take_u32(r);
    struct clc_printf_format *formats = place(r, (uint64_t)l->num_printf_formats * sizeof(*formats));
    for (uint32_t i = 0; !r->failed && i < l->num_printf_formats; i++) {
        formats[i].length = take_u32(r);
        formats[i].format = take_copy(r, formats[i].length, 1, 1);
        formats[i].num_args = take_u32(r);
        formats[i].arg_sizes = take_copy(r, formats[i].num_args, 1, 0);
    }
    l->printf_formats = formats;
    l->num_printf_strings = take_u32(r);
    const char **strings = place(r, (uint64_t)l->num_printf_strings * sizeof(*strings));
    for (uint32_t i = 0; !r->failed && i < l->num_printf_strings; i++) {
        uint32_t length = take_u32(r);
        strings[i] = take_copy(r, length, 1, 1);
    }
    l->printf_strings = strings;
}

struct clc_lowered *ocl_lowered_read(const uint8_t *data, size_t size, uint32_t num_args, void **block)
{
    /* An empty printf format takes 8 bytes in the file and 32 here; nothing else grows as much. */
    size_t capacity = sizeof(struct clc_lowered) + size * 6 + 4096;
    *block = calloc(1, capacity);
    if (!*block)
        return NULL;
    struct reader r = {.at = data, .end = data + size, .out = *block, .out_end = (char *)*block + capacity};
    struct clc_lowered *l = place(&r, sizeof(*l));
    struct fixed fixed = {0};
    const uint8_t *start = take(&r, sizeof(fixed));
    if (start)
        memcpy(&fixed, start, sizeof(fixed));
    l->block_size = fixed.block_size;
    l->local_size = fixed.local_size;
    l->local_args_offset = fixed.local_args_offset;
    l->scratch_size = fixed.scratch_size;
    memcpy(l->launch_offset, fixed.launch_offset, sizeof(l->launch_offset));
    l->block_in_push_constants = fixed.flags & IN_PUSH_CONSTANTS;
    l->pointers_from_memory = fixed.flags & POINTERS_FROM_MEMORY;
    l->uses_local_args = fixed.flags & USES_LOCAL_ARGS;
    l->uses_printf = fixed.flags & USES_PRINTF;
    l->uses_barrier = fixed.flags & USES_BARRIER;
    l->uses_subgroups = fixed.flags & USES_SUBGROUPS;
    l->reads_local_size = fixed.flags & READS_LOCAL_SIZE;
    l->can_bound = fixed.flags & CAN_BOUND;
    l->sees_groups = fixed.flags & SEES_GROUPS;
    l->watches_memory = fixed.flags & WATCHES_MEMORY;
    l->can_pack = fixed.flags & CAN_PACK;
    l->full_subgroups = fixed.flags & FULL_SUBGROUPS;
    l->num_words = take_u32(&r);
    l->words = take_copy(&r, l->num_words, 4, 0);
    l->arg_offset = take_copy(&r, num_args, sizeof(l->arg_offset[0]), 0);
    l->arg_access = take_copy(&r, num_args, 1, 0);
    l->constants.size = take_u32(&r);
    l->constants.align = take_u32(&r);
    l->constants.init_size = take_u32(&r);
    l->constants.init = take_copy(&r, l->constants.init_size, 1, 0);
    l->constants.num_relocations = take_u32(&r);
    l->constants.relocations = take_copy(&r, l->constants.num_relocations, sizeof(struct clc_relocation), 0);
    l->num_bindings = take_u32(&r);
    l->bindings = take_copy(&r, l->num_bindings, sizeof(struct clc_binding), 0);
    read_printf(&r, l);
    if (r.failed || r.at != r.end) {
        free(*block);
        *block = NULL;
        return NULL;
    }
    return l;
}
