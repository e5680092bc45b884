/* Buffers and sub-buffers: transfers, copies, fills, maps of any memory object, migration. */
#include "tests/fuzz/api/api.h"

#include <pthread.h>
#include <string.h>

/* ---- creation ---- */

/* Buffers that are there have API_LEAST_BUFFER bytes. */
static size_t buffer_size(void)
{
    size_t size = api_number();
    return size && size < API_LEAST_BUFFER ? API_LEAST_BUFFER : size == 1u << 31 ? API_HOST_SIZE : size;
}

static void make_buffer(void)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_HOST_WRITE_ONLY,
                                         CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                         0x80000};
    cl_mem_flags chosen = API_PICK(flags);
    const cl_mem_properties properties[][3] = {{0}, {0x7777, 1, 0}};
    bool needs = chosen & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    size_t size = buffer_size();
    if (needs && size > API_HOST_SIZE) /* the memory would have to be there */
        size = API_HOST_SIZE;
    uint8_t *memory = needs != api_chance(20) ? api_host[0] : NULL;
    if (memory && (chosen & CL_MEM_USE_HOST_PTR))
        memory = api_lend();
    void *context = api_handle(CONTEXT);
    cl_mem mem;
    if (api_chance(4))
        MAKE(mem, clCreateBufferWithProperties, context, api_chance(2) ? NULL : API_PICK(properties), chosen, size,
             memory);
    else
        MAKE(mem, clCreateBuffer, context, chosen, size, memory);
    api_put(MEM, mem);
}

static void make_sub_buffer(void)
{
    static const size_t origins[] = {0, 128, 256, 1, 1024, SIZE_MAX - 127};
    static const cl_mem_flags flags[] = {
        0, 0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR, CL_MEM_HOST_NO_ACCESS};
    cl_buffer_region region = {API_PICK(origins), buffer_size()};
    void *parent = api_handle(MEM);
    cl_mem mem;
    MAKE(mem, clCreateSubBuffer, parent, API_PICK(flags), api_chance(30) ? 0 : CL_BUFFER_CREATE_TYPE_REGION,
         api_chance(30) ? NULL : &region);
    api_put(MEM, mem);
}

/* ---- several threads ---- */

struct together {
    cl_context context;
    cl_mem mem;
    cl_bool blocking;
    cl_event failed; /* what the thread's maps wait for, or NULL */
};

/* Maps one region for reading, as others do at the same time. The calls go by no log, which is one thread's. */
static void *map_often(void *data)
{
    const struct together *together = data;
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(together->context, api_devices[0], 0, &code);
    for (int i = 0; i < 16 && queue; i++) {
        const cl_event *waits = together->failed ? &together->failed : NULL;
        void *map = clEnqueueMapBuffer(queue, together->mem, together->blocking, CL_MAP_READ, 64, 128, waits != NULL,
                                       waits, NULL, &code);
        if (map && clEnqueueUnmapMemObject(queue, together->mem, map, 0, NULL, NULL) == CL_INVALID_VALUE)
            fuzz_failed("clEnqueueUnmapMemObject", "does not know a map");
        if (i % 4 == 3)
            clFinish(queue);
    }
    if (queue)
        clReleaseCommandQueue(queue);
    return NULL;
}

static void map_together(void)
{
    pthread_t threads[3];
    struct together together[ARRAY_LENGTH(threads)];
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, api_devices, NULL, NULL, &code);
    cl_mem mem = context ? clCreateBuffer(context, api_chance(2) ? CL_MEM_ALLOC_HOST_PTR : 0, 4096, NULL, &code) : NULL;
    cl_event failed = context ? clCreateUserEvent(context, &code) : NULL;
    uint32_t count = 0;
    cl_uint maps = 0;
    if (failed)
        clSetUserEventStatus(failed, -5);
    for (; mem && failed && count < ARRAY_LENGTH(threads); count++) {
        together[count] = (struct together){context, mem, api_chance(2), NULL};
        if (api_chance(3)) /* a map that is not blocking would be one nobody reads */
            together[count].blocking = CL_TRUE, together[count].failed = failed;
        if (pthread_create(&threads[count], NULL, map_often, &together[count]) != 0)
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (mem && clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(maps), &maps, NULL) == CL_SUCCESS && maps)
        fuzz_failed("clEnqueueMapBuffer", "leaves a map behind");
    if (mem)
        clReleaseMemObject(mem);
    if (failed)
        clReleaseEvent(failed);
    if (context)
        clReleaseContext(context);
}

/* ---- commands ---- */

/* No buffer is as large as what this makes of more than the host has. */
size_t api_within_host(size_t size)
{
    return size > API_HOST_SIZE ? SIZE_MAX : size;
}

static void transfer(void)
{
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM);
    size_t offset = api_number(), size = api_within_host(api_number());
    cl_bool blocking = api_chance(3);
    if (blocking)
        api_settle();
    if (api_chance(2))
        ENQUEUE(clEnqueueReadBuffer, queue, mem, blocking, offset, size, api_chance(30) ? NULL : api_host[1]);
    else
        ENQUEUE(clEnqueueWriteBuffer, queue, mem, blocking, offset, size, api_chance(30) ? NULL : api_host[0]);
}

/* The host's side is at most 16 x 8 x 4 rows of pitches that fit. */
static void transfer_rect(void)
{
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM);
    size_t origin[3] = {api_byte() % 32u, api_byte() % 4u, 0}, host_origin[3] = {api_byte() % 32u, 0, 0},
           extent[3] = {api_byte() % 16u, api_byte() % 8u, api_byte() % 4u};
    size_t row = api_chance(4) ? api_byte() : 0, slice = api_chance(4) ? api_byte() * 8u : 0;
    size_t host_row = api_chance(2) ? 0 : 64;
    if (api_chance(10))
        row = slice = (size_t)1 << (48 + api_byte() % 16u);
    cl_bool blocking = api_chance(3);
    if (blocking)
        api_settle();
    if (api_chance(2))
        ENQUEUE(clEnqueueReadBufferRect, queue, mem, blocking, origin, host_origin, extent, row, slice, host_row, 0,
                api_chance(30) ? NULL : api_host[1]);
    else
        ENQUEUE(clEnqueueWriteBufferRect, queue, mem, blocking, origin, host_origin, extent, row, slice, host_row, 0,
                api_chance(30) ? NULL : api_host[0]);
}

static void copy(void)
{
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM), *other = api_handle(MEM);
    size_t offset = api_number(), other_offset = api_number(), size = api_number();
    ENQUEUE(clEnqueueCopyBuffer, queue, mem, other, offset, other_offset, size);
}

static void copy_rect(void)
{
    static const size_t numbers[] = {0, 1, 2, 4, 16, 64, 0, SIZE_MAX, SIZE_MAX / 2, 1u << 31};
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM), *other = api_handle(MEM);
    size_t from[3], to[3], extent[3], pitches[4];
    bool wild = api_chance(4);
    for (int i = 0; i < 3; i++) {
        from[i] = wild ? API_PICK(numbers) : api_byte() % 4u;
        to[i] = wild ? API_PICK(numbers) : api_byte() % 4u;
        extent[i] = wild ? API_PICK(numbers) : 1 + api_byte() % 4u;
    }
    for (int i = 0; i < 4; i++)
        pitches[i] = wild ? API_PICK(numbers) : api_chance(2) ? 0 : 32u << i % 2 * 2;
    ENQUEUE(clEnqueueCopyBufferRect, queue, mem, other, from, to, extent, pitches[0], pitches[1], pitches[2],
            pitches[3]);
}

static void fill(void)
{
    static const size_t patterns[] = {1, 2, 4, 8, 16, 128, 3, 0, 256};
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM);
    size_t pattern = API_PICK(patterns), offset = api_number(), size = api_number();
    ENQUEUE(clEnqueueFillBuffer, queue, mem, api_chance(30) ? NULL : api_host[0], pattern, offset, size);
}

static void migrate(void)
{
    void *queue = api_handle(QUEUE);
    cl_mem list[2] = {api_handle(MEM), api_handle(api_chance(2) ? IMAGE : MEM)};
    cl_uint count = api_byte() % 3u, flags = api_byte() % 5u;
    ENQUEUE(clEnqueueMigrateMemObjects, queue, count, list, flags);
}

/* ---- maps ---- */

static struct mapping {
    cl_mem mem;
    void *pointer;
} maps[API_SLOTS];

void api_forget_maps(cl_mem mem)
{
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (maps[i].mem == mem)
            maps[i] = (struct mapping){0};
    }
}

static const cl_map_flags map_flags[] = {
    CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 0x100, 0};
#define MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

/* What is written is the host's from the end of a blocking map on. */
static void map(void)
{
    void *queue = api_handle(QUEUE), *mem = api_handle(MEM), *pointer;
    size_t offset = api_number(), size = api_number();
    cl_bool blocking = api_chance(2);
    cl_map_flags flags = API_PICK(map_flags);
    if (blocking)
        api_settle();
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL, *wanted = api_chance(2) ? &event : NULL;
    MAKE(pointer, clEnqueueMapBuffer, queue, mem, blocking, flags, offset, size, waits->count, waits->pointer, wanted);
    if (!pointer)
        return;
    if (blocking && (flags & MAP_WRITES))
        memset(pointer, 7, size);
    maps[api_byte() % API_SLOTS] = (struct mapping){mem, pointer};
    api_take_event(event, CL_SUCCESS);
}

static void map_image(void)
{
    void *queue = api_handle(QUEUE), *mem = api_handle(IMAGE), *pointer;
    struct api_region r = api_region();
    cl_bool blocking = api_chance(2);
    cl_map_flags flags = API_PICK(map_flags);
    size_t row = 0, slice = 0, texel = 0;
    bool no_row = api_chance(30), no_slice = api_chance(8);
    if (blocking)
        api_settle();
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL, *wanted = api_chance(2) ? &event : NULL;
    MAKE(pointer, clEnqueueMapImage, queue, mem, blocking, flags, r.origin, r.region, no_row ? NULL : &row,
         no_slice ? NULL : &slice, waits->count, waits->pointer, wanted);
    if (!pointer)
        return;
    if (DO(clGetImageInfo, mem, CL_IMAGE_ELEMENT_SIZE, sizeof(texel), &texel, NULL) != CL_SUCCESS ||
        row < texel * r.region[0])
        fuzz_failed("clEnqueueMapImage", "a row pitch that is less than a row");
    if (blocking && (flags & MAP_WRITES))
        memset(pointer, 7, texel * r.region[0]);
    maps[api_byte() % API_SLOTS] = (struct mapping){mem, pointer};
    api_take_event(event, CL_SUCCESS);
}

static void unmap(void)
{
    struct mapping *mapping = &maps[api_byte() % API_SLOTS];
    for (uint32_t i = 0; i < API_SLOTS && !mapping->mem; i++)
        mapping = &maps[i];
    void *queue = api_handle(QUEUE), *mem = api_chance(8) ? api_handle(MEM) : mapping->mem;
    void *pointer = api_chance(20) ? api_host[1] : mapping->pointer;
    ENQUEUE(clEnqueueUnmapMemObject, queue, mem, pointer);
}

static void forget_all(void)
{
    memset(maps, 0, sizeof(maps));
}

static void (*const calls[])(void) = {
    make_buffer, make_buffer, make_buffer, make_sub_buffer, transfer, transfer, transfer_rect, copy,
    copy_rect,   fill,        map,         map_image,       unmap,    unmap,    migrate,       map_together};

const struct api_subject api_buffers = API_SUBJECT(calls, forget_all);
