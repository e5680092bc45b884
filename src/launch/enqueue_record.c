/* Reading the records that kernels leave when they enqueue others. Every word is read once, and nothing that is read is
 * trusted: a kernel may write anywhere. */
#include "src/launch/enqueue_record.h"

#include "compiler/clc.h"

#include <string.h>

static const uint64_t no_sizes[3];

/* The low halves of all values lie before all high halves, so that a value is high_at words apart. */
static void read_sizes(const uint32_t *words, uint32_t dims, uint32_t high_at, uint64_t sizes[3])
{
    for (uint32_t i = 0; i < dims; i++)
        sizes[i] = words[i] | (high_at ? (uint64_t)words[high_at + i] << 32 : 0);
}

static void read_range(const uint32_t *words, uint32_t shape, uint32_t count, struct ocl_enqueue_record *record)
{
    uint32_t high_at = shape & CLC_RECORD_WIDE ? count : 0, dims = record->dims;
    memcpy(record->offset, no_sizes, sizeof(no_sizes));
    memcpy(record->global, no_sizes, sizeof(no_sizes));
    memcpy(record->local, no_sizes, sizeof(no_sizes));
    if (shape & CLC_RECORD_OFFSET) {
        read_sizes(words, dims, high_at, record->offset);
        words += dims;
    }
    read_sizes(words, dims, high_at, record->global);
    if (shape & CLC_RECORD_LOCAL)
        read_sizes(words + dims, dims, high_at, record->local);
}

bool ocl_enqueue_record_read(const void *memory, uint64_t available, struct ocl_enqueue_record *record)
{
    enum { MOST_VALUES = 9 };
    uint32_t words[CLC_RECORD_WORDS + 2 * MOST_VALUES];
    if (available < 4 * CLC_RECORD_WORDS)
        return false;
    memcpy(words, memory, 4 * CLC_RECORD_WORDS);
    uint32_t shape = words[1] >> 24, align = words[0] >> CLC_RECORD_ALIGN_SHIFT;
    *record = (struct ocl_enqueue_record){.size = words[0] & ((1u << CLC_RECORD_ALIGN_SHIFT) - 1),
                                          .parent = words[1] & 0xff,
                                          .queue = words[1] >> 8 & 0xff,
                                          .num_locals = words[1] >> 16 & 0xff,
                                          .block = words[2] & 0xffff,
                                          .num_waits = words[2] >> 16,
                                          .event = words[3],
                                          .dims = shape & CLC_RECORD_DIMS};
    record->is_marker = record->dims == 0;
    uint32_t parts = 1 + !!(shape & CLC_RECORD_OFFSET) + !!(shape & CLC_RECORD_LOCAL), count = record->dims * parts;
    uint32_t values = shape & CLC_RECORD_WIDE ? 2 * count : count;
    record->lists_at = 4 * (CLC_RECORD_WORDS + values);
    uint32_t captured_at = record->lists_at + 4 * (record->num_waits + record->num_locals);
    if (record->size % 4 || record->size > available || captured_at > record->size || align > 7)
        return false;
    memcpy(words + CLC_RECORD_WORDS, (const char *)memory + 4 * CLC_RECORD_WORDS, 4 * values);
    read_range(words + CLC_RECORD_WORDS, shape, count, record);
    record->captured_size = record->size - captured_at;
    record->captured_align = 1u << align;
    return true;
}
