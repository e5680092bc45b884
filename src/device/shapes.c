/* Which pipelines kernels were launched with, one file for each device and driver in the folder of the caches. The next
 * process that builds the same kernel has its pipelines made before they are asked for.
 *
 * The file is records one after the other, each with its own checksum, in the order in which pipelines were first used.
 * A process appends a record with one write(), so that several may write at once. What a crash left of a record is
 * skipped. A process reads the file once, before its first build is over or its first kernel is launched. A file that
 * has come near to its bound is begun anew.
 *
 * The reader trusts nothing: a record has a checksum, but that does not prove that Pumice wrote it. A wrong one costs a
 * pipeline that nobody uses; whether its values are fit for the driver is asked by ahead.c. */
#include "src/device/cache_directory.h"
#include "src/device/object.h"
#include "src/device/shapes.h"

#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/util.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHAPES_VERSION = 1, FILE_LIMIT = 1 << 20, FILE_FULL = FILE_LIMIT / 4 * 3 };

struct record {
    uint64_t kernel;
    uint32_t values[CLC_SPEC_COUNT], check;
};

struct ocl_shapes {
    char path[PATH_MAX];
    uint64_t seed;          /* of the records' checksums: the device, its driver and the form of records */
    struct ocl_shape *list; /* by kernel and order */
    size_t count;
};

static uint64_t device_seed(cl_device_id device)
{
    const struct vkb_caps *caps = device->caps;
    uint32_t numbers[] = {SHAPES_VERSION, CLC_SPEC_COUNT, caps->vendor_id, caps->device_id, caps->driver_version};
    uint64_t seed = hash_bytes64(caps->pipeline_cache_uuid, sizeof(caps->pipeline_cache_uuid), 0);
    return hash_bytes64(numbers, sizeof(numbers), seed);
}

static uint32_t checksum(const struct record *record, uint64_t seed)
{
    return (uint32_t)hash_bytes64(record, offsetof(struct record, check), seed);
}

/* ---- reading ---- */

static int by_kernel(const void *a, const void *b)
{
    const struct ocl_shape *left = a, *right = b;
    if (left->kernel != right->kernel)
        return left->kernel < right->kernel ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static void parse(struct ocl_shapes *shapes, const uint8_t *data, size_t size)
{
    struct record record;
    for (size_t at = 0; at + sizeof(record) <= size;) {
        memcpy(&record, data + at, sizeof(record));
        if (record.check != checksum(&record, shapes->seed)) {
            at++; /* the rest of a record that was never written whole */
            continue;
        }
        struct ocl_shape *shape = &shapes->list[shapes->count];
        *shape = (struct ocl_shape){.kernel = record.kernel, .order = (uint32_t)shapes->count++};
        memcpy(shape->values, record.values, sizeof(shape->values));
        at += sizeof(record);
    }
    qsort(shapes->list, shapes->count, sizeof(shapes->list[0]), by_kernel);
}

static void load(struct ocl_shapes *shapes)
{
    uint64_t size;
    int fd = file_open(shapes->path, &size);
    if (fd < 0)
        return;
    uint8_t *data = size <= FILE_LIMIT ? malloc(size + 1) : NULL;
    shapes->list = malloc((size / sizeof(struct record) + 1) * sizeof(shapes->list[0]));
    if (data && shapes->list && file_read(fd, data, size))
        parse(shapes, data, size);
    if (size > FILE_FULL) {
        log_info("%s has come near to its bound: begun anew", shapes->path);
        unlink(shapes->path);
    }
    free(data);
    close(fd);
}

/* NULL: there is no cache, or no memory. */
static const struct ocl_shapes *shapes_of(cl_device_id device)
{
    const char *directory = ocl_cache_directory();
    if (!directory)
        return NULL;
    ocl_lock(&device->shapes_mutex);
    struct ocl_shapes *shapes = device->shapes;
    if (!shapes && (shapes = calloc(1, sizeof(*shapes)))) {
        shapes->seed = device_seed(device);
        snprintf(shapes->path, sizeof(shapes->path), "%s/shapes-%016llx", directory, (unsigned long long)shapes->seed);
        load(shapes);
        device->shapes = shapes;
    }
    ocl_unlock(&device->shapes_mutex);
    return shapes;
}

uint64_t ocl_shape_kernel(const struct clc_lowered *lowered)
{
    return hash_bytes64(lowered->words, lowered->num_words * sizeof(lowered->words[0]), SHAPES_VERSION);
}

const struct ocl_shape *ocl_shapes_find(cl_device_id device, uint64_t kernel, size_t *count)
{
    const struct ocl_shapes *shapes = shapes_of(device);
    size_t low = 0, high = shapes ? shapes->count : 0, end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (shapes->list[middle].kernel < kernel)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (*count < OCL_MOST_SHAPES && low + *count < end && shapes->list[low + *count].kernel == kernel)
        ++*count;
    return *count ? &shapes->list[low] : NULL;
}

bool ocl_shapes_any(cl_device_id device)
{
    const struct ocl_shapes *shapes = shapes_of(device);
    return shapes && shapes->count;
}

/* ---- writing ---- */

void ocl_shapes_remember(cl_device_id device, const struct clc_lowered *lowered, const uint32_t values[CLC_SPEC_COUNT])
{
    const struct ocl_shapes *shapes = shapes_of(device);
    if (!shapes)
        return;
    struct record record = {.kernel = ocl_shape_kernel(lowered)};
    size_t count;
    const struct ocl_shape *known = ocl_shapes_find(device, record.kernel, &count);
    if (count == OCL_MOST_SHAPES)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!memcmp(known[i].values, values, sizeof(known[i].values)))
            return;
    }
    memcpy(record.values, values, sizeof(record.values));
    record.check = checksum(&record, shapes->seed);
    if (!file_append(shapes->path, &record, sizeof(record), FILE_LIMIT))
        log_debug("%s: %s", shapes->path, strerror(errno));
}
