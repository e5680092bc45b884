/* The memory that commands use, and whether two of them use the same. Rows are compared byte by byte as far as that is
 * quick: what is beyond counts as apart. */
#include "src/checked/model.h"
#include "src/object/image.h"

#include "base/util.h"

enum { MAX_ROWS = 1 << 14 };

static bool bytes_overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
    return a < b_end && b < a_end;
}

uint64_t checked_row_begin(const struct checked_access *access, uint64_t row)
{
    return access->begin + row / access->rows * access->slice_pitch + row % access->rows * access->row_pitch;
}

/* Whether rows of a and the bytes overlap. */
static bool rows_overlap_bytes(const struct checked_access *a, uint64_t begin, uint64_t end)
{
    uint64_t count = a->rows * a->slices;
    if (!bytes_overlap(a->begin, a->end, begin, end) || count > MAX_ROWS)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = checked_row_begin(a, i);
        if (bytes_overlap(row, row + a->row, begin, end))
            return true;
    }
    return false;
}

static bool rows_overlap(const struct checked_access *a, const struct checked_access *b)
{
    uint64_t count = b->rows * b->slices;
    if (!bytes_overlap(a->begin, a->end, b->begin, b->end) || size_product(count, a->rows * a->slices) > MAX_ROWS * 64)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = checked_row_begin(b, i);
        if (rows_overlap_bytes(a, row, row + b->row))
            return true;
    }
    return false;
}

static bool boxes_overlap(const struct checked_access *a, const struct checked_access *b)
{
    for (int i = 0; i < 3; i++) {
        if (!bytes_overlap(a->origin[i], a->origin[i] + a->region[i], b->origin[i], b->origin[i] + b->region[i]))
            return false;
    }
    return a->mem == b->mem; /* two views of the same memory may count texels in different ways */
}

bool checked_overlap(const struct checked_access *a, const struct checked_access *b)
{
    if (a->root != b->root)
        return false;
    if (a->shape == CHECKED_ALL || b->shape == CHECKED_ALL)
        return true;
    if (a->shape == CHECKED_BOX || b->shape == CHECKED_BOX)
        return a->shape == b->shape && boxes_overlap(a, b);
    if (a->shape == CHECKED_BYTES && b->shape == CHECKED_BYTES)
        return bytes_overlap(a->begin, a->end, b->begin, b->end);
    if (a->shape == CHECKED_ROWS && b->shape == CHECKED_ROWS)
        return rows_overlap(a, b);
    return a->shape == CHECKED_ROWS ? rows_overlap_bytes(a, b->begin, b->end) : rows_overlap_bytes(b, a->begin, a->end);
}

static struct checked_access of_mem(cl_mem mem)
{
    return (struct checked_access){.root = ocl_mem_root(mem), .mem = mem};
}

struct checked_access checked_bytes(cl_mem mem, uint64_t offset, uint64_t size)
{
    struct checked_access access = of_mem(mem);
    access.shape = CHECKED_BYTES;
    access.begin = mem->origin + offset;
    access.end = access.begin + size;
    return access;
}

struct checked_access checked_memory(const void *pointer, uint64_t size)
{
    uint64_t begin = (uint64_t)(uintptr_t)pointer;
    return (struct checked_access){.shape = CHECKED_BYTES, .begin = begin, .end = begin + size};
}

struct checked_access checked_host_memory(const void *pointer, uint64_t size)
{
    struct checked_access access = checked_memory(pointer, size);
    access.by_host = true;
    return access;
}

/* Of a buffer, or of the host's memory where mem is NULL. */
struct checked_access checked_rows(cl_mem mem, const void *pointer, const size_t origin[3], const size_t region[3],
                                   size_t row_pitch, size_t slice_pitch)
{
    static const size_t none[3];
    struct checked_access access = mem ? of_mem(mem) : (struct checked_access){.by_host = true};
    const size_t *from = origin ? origin : none;
    access.shape = CHECKED_ROWS;
    access.row = region[0];
    access.rows = region[1];
    access.slices = region[2];
    access.row_pitch = row_pitch ? row_pitch : region[0];
    access.slice_pitch = slice_pitch ? slice_pitch : access.row_pitch * region[1];
    access.begin = (mem ? mem->origin : (uint64_t)(uintptr_t)pointer) + from[0] + from[1] * access.row_pitch +
                   from[2] * access.slice_pitch;
    access.end =
        access.begin + (access.slices - 1) * access.slice_pitch + (access.rows - 1) * access.row_pitch + access.row;
    return access;
}

/* Of an image with levels of detail, an origin may have more than three numbers: those count as apart. */
struct checked_access checked_texels(cl_mem image, const size_t origin[3], const size_t region[3])
{
    struct checked_access access = of_mem(image);
    access.shape = CHECKED_BOX;
    for (int i = 0; i < 3; i++) {
        access.origin[i] = origin[i];
        access.region[i] = image->image->num_levels > 1 ? 0 : region[i];
    }
    return access;
}
