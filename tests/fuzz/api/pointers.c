/* Memory that is known by its address: SVM, USM, and commands on pointers.
 *
 * An allocation that a kernel, a command buffer or a buffer was given is kept until the end of the sequence. The others
 * are freed at any time, when what was enqueued has ended; or by a command. */
#include "tests/fuzz/api/api.h"

#include <stdlib.h>
#include <string.h>

#define EXTENSION(name, type) static type(*name)
EXTENSION(host_alloc, void *)(cl_context, const cl_mem_properties_intel *, size_t, cl_uint, cl_int *);
EXTENSION(device_alloc, void *)(cl_context, cl_device_id, const cl_mem_properties_intel *, size_t, cl_uint, cl_int *);
EXTENSION(shared_alloc, void *)(cl_context, cl_device_id, const cl_mem_properties_intel *, size_t, cl_uint, cl_int *);
EXTENSION(mem_free, cl_int)(cl_context, void *);
EXTENSION(blocking_free, cl_int)(cl_context, void *);
EXTENSION(alloc_info, cl_int)(cl_context, const void *, cl_uint, size_t, void *, size_t *);
EXTENSION(set_arg_pointer, cl_int)(cl_kernel, cl_uint, const void *);
EXTENSION(mem_fill, cl_int)
(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
EXTENSION(mem_copy, cl_int)
(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);
EXTENSION(mem_migrate, cl_int)
(cl_command_queue, const void *, size_t, cl_bitfield, cl_uint, const cl_event *, cl_event *);
EXTENSION(mem_advise, cl_int)(cl_command_queue, const void *, size_t, cl_uint, cl_uint, const cl_event *, cl_event *);

static bool find_functions(void)
{
    const struct {
        const char *name;
        void *function;
    } table[] = {
        {"clHostMemAllocINTEL", &host_alloc},
        {"clDeviceMemAllocINTEL", &device_alloc},
        {"clSharedMemAllocINTEL", &shared_alloc},
        {"clMemFreeINTEL", &mem_free},
        {"clMemBlockingFreeINTEL", &blocking_free},
        {"clGetMemAllocInfoINTEL", &alloc_info},
        {"clSetKernelArgMemPointerINTEL", &set_arg_pointer},
        {"clEnqueueMemFillINTEL", &mem_fill},
        {"clEnqueueMemcpyINTEL", &mem_copy},
        {"clEnqueueMigrateMemINTEL", &mem_migrate},
        {"clEnqueueMemAdviseINTEL", &mem_advise},
    };
    static int found = -1;
    for (size_t i = 0; found < 0 && i < ARRAY_LENGTH(table); i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(api_platform, table[i].name);
        if (!address)
            found = 0;
        memcpy(table[i].function, &address, sizeof(address));
    }
    if (found < 0)
        found = 1;
    return found;
}

/* ---- the allocations ---- */

static struct api_pointer pointers[API_SLOTS];

struct api_pointer *api_pointer(void)
{
    uint8_t first = api_byte();
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (pointers[(first + i) % API_SLOTS].start)
            return &pointers[(first + i) % API_SLOTS];
    }
    return NULL;
}

/* Every queue's work has ended. */
static void finish_all(void)
{
    api_settle();
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (api_run.slots[QUEUE][i].handle)
            DO(clFinish, api_run.slots[QUEUE][i].handle);
    }
}

static void forget(struct api_pointer *pointer)
{
    api_drop(CONTEXT, pointer->context);
    *pointer = (struct api_pointer){0};
}

static void free_now(struct api_pointer *pointer, bool blocking)
{
    cl_int code = CL_SUCCESS;
    if (pointer->svm)
        clSVMFree(pointer->context, pointer->start);
    else if (pointer->unified)
        code = api_free_unified(pointer->context, pointer->start);
    else if (blocking)
        code = DO_BY(clMemBlockingFreeINTEL, blocking_free, pointer->context, pointer->start);
    else
        code = DO_BY(clMemFreeINTEL, mem_free, pointer->context, pointer->start);
    if (code != CL_SUCCESS)
        fuzz_failed("clMemFreeINTEL", "of an allocation");
    forget(pointer);
}

void api_take_pointer(struct api_pointer pointer)
{
    struct api_pointer *place = &pointers[api_byte() % API_SLOTS];
    if (!pointer.start)
        return;
    api_keep(CONTEXT, pointer.context);
    if (place->start && place->kept) { /* the new one goes, since that one may not */
        free_now(&pointer, false);
        return;
    }
    if (place->start) {
        finish_all();
        free_now(place, false);
    }
    *place = pointer;
}

static void make_svm(void)
{
    static const size_t sizes[] = {512, 4096, 65536, 1000, 4096, 0, SIZE_MAX};
    static const cl_uint alignments[] = {0, 0, 16, 128, 4096, 3, 1u << 20};
    static const cl_svm_mem_flags flags[] = {0,
                                             CL_MEM_READ_WRITE,
                                             CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                             CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                                             CL_MEM_SVM_ATOMICS,
                                             CL_MEM_READ_ONLY,
                                             CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                             0x80000};
    void *context = api_handle(CONTEXT);
    size_t size = API_PICK(sizes);
    void *start = clSVMAlloc(context, API_PICK(flags), size, API_PICK(alignments));
    api_answered(CALL_clSVMAlloc, start ? CL_SUCCESS : CL_INVALID_VALUE);
    api_take_pointer((struct api_pointer){.start = start, .size = size, .context = context, .svm = true});
}

static void make_usm(void)
{
    static const size_t sizes[] = {512, 4096, 65536, 1000, 4096, 0, SIZE_MAX};
    static const cl_uint alignments[] = {0, 0, 16, 128, 4096, 3, 1u << 20};
    static const cl_mem_properties_intel properties[][5] = {
        {0},
        {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0},
        {CL_MEM_ALLOC_FLAGS_INTEL, 0x7777, 0},
        {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0},
        {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0},
        {0x7777, 1, 0},
        {CL_MEM_ALLOC_FLAGS_INTEL,
         CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0},
    };
    void *context = api_handle(CONTEXT), *start = NULL;
    const cl_mem_properties_intel *list = api_chance(2) ? NULL : API_PICK(properties);
    size_t size = API_PICK(sizes);
    cl_uint alignment = API_PICK(alignments);
    if (!find_functions())
        return;
    switch (api_byte() % 3) {
    case 0:
        MAKE_BY(start, clHostMemAllocINTEL, host_alloc, context, list, size, alignment);
        break;
    case 1:
        MAKE_BY(start, clDeviceMemAllocINTEL, device_alloc, context, api_device(), list, size, alignment);
        break;
    default:
        MAKE_BY(start, clSharedMemAllocINTEL, shared_alloc, context, api_chance(2) ? NULL : api_device(), list, size,
                alignment);
    }
    api_take_pointer((struct api_pointer){.start = start, .size = size, .context = context});
}

static void free_one(void)
{
    struct api_pointer *pointer = api_pointer();
    if (!pointer || pointer->kept || !find_functions())
        return;
    if (api_chance(3)) { /* not by this function, or not there */
        if (pointer->svm && DO_BY(clMemFreeINTEL, mem_free, pointer->context, pointer->start) == CL_SUCCESS)
            fuzz_failed("clMemFreeINTEL", "of SVM");
        if (DO_BY(clMemBlockingFreeINTEL, blocking_free, pointer->context, pointer->start + 16) == CL_SUCCESS)
            fuzz_failed("clMemBlockingFreeINTEL", "of the middle of an allocation");
        clSVMFree(pointer->context, pointer->start + 16);
        clSVMFree(pointer->context, NULL);
        return;
    }
    finish_all();
    free_now(pointer, api_chance(2));
}

static void CL_CALLBACK free_called(cl_command_queue queue, cl_uint count, void *list[], void *data)
{
    cl_context context;
    (void)data;
    api_called_back("callback of clEnqueueSVMFree");
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL) != CL_SUCCESS)
        fuzz_failed("clGetCommandQueueInfo", "of the queue of a callback");
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, list[i]);
}

/* Nobody asks for it any more; what was enqueued before may still use it. If the command does not run, the context
 * frees it. */
static void enqueue_free(void)
{
    struct api_pointer *pointer = api_pointer();
    void *queue = api_handle(QUEUE), *list[1] = {pointer ? pointer->start : NULL};
    cl_context context = NULL;
    if (!pointer || pointer->kept || !pointer->svm)
        return;
    if (!queue || clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL) != CL_SUCCESS ||
        context != pointer->context) {
        ENQUEUE(clEnqueueSVMFree, NULL, 1, list, NULL, NULL);
        return;
    }
    cl_uint count = !api_chance(8);
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL;
    cl_int code = DO(clEnqueueSVMFree, queue, count, api_chance(10) ? NULL : list, api_chance(2) ? free_called : NULL,
                     NULL, waits->count, waits->pointer, &event);
    if (code == CL_SUCCESS && count)
        forget(pointer);
    api_take_event(event, code);
}

/* ---- commands ---- */

/* A pointer and how much there is behind it, more or less. */
static char *some_place(bool written, size_t *size)
{
    static const size_t offsets[] = {0, 0, 0, 16, 128, 1, 511};
    struct api_pointer *pointer = api_chance(3) ? NULL : api_pointer();
    if (!pointer) {
        *size = API_HOST_SIZE;
        return api_chance(20) ? NULL : (char *)api_host[written];
    }
    size_t offset = API_PICK(offsets);
    *size = pointer->size > offset ? pointer->size - offset : 0;
    return pointer->start + (offset < pointer->size ? offset : 0);
}

/* Up to what both have; or more, which is refused where the allocation is known. */
static size_t some_size(size_t first, size_t second)
{
    size_t most = first < second ? first : second, wanted = api_number();
    return wanted > most ? most : wanted;
}

static void copy_pointers(void)
{
    void *queue = api_handle(QUEUE);
    size_t dst_size, src_size;
    char *dst = some_place(true, &dst_size), *src = some_place(false, &src_size);
    size_t size = some_size(dst_size, src_size);
    cl_bool blocking = api_chance(3);
    if (blocking)
        api_settle();
    if (api_chance(2) || !find_functions())
        ENQUEUE(clEnqueueSVMMemcpy, queue, blocking, dst, src, size);
    else
        ENQUEUE_BY(clEnqueueMemcpyINTEL, mem_copy, queue, blocking, dst, src, size);
}

static void fill_pointer(void)
{
    static const size_t patterns[] = {1, 2, 4, 8, 16, 128, 3, 0, 256};
    void *queue = api_handle(QUEUE);
    size_t size, pattern = API_PICK(patterns);
    char *dst = some_place(true, &size);
    size = some_size(size, size);
    if (api_chance(2) || !find_functions())
        ENQUEUE(clEnqueueSVMMemFill, queue, dst, api_chance(30) ? NULL : api_host[0], pattern, size);
    else
        ENQUEUE_BY(clEnqueueMemFillINTEL, mem_fill, queue, dst, api_chance(30) ? NULL : api_host[0], pattern, size);
}

static void map_pointer(void)
{
    static const cl_map_flags flags[] = {
        CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 0x100, 0};
    void *queue = api_handle(QUEUE);
    size_t size;
    char *start = some_place(true, &size);
    cl_map_flags chosen = API_PICK(flags);
    cl_bool blocking = api_chance(2);
    size = some_size(size, size);
    if (blocking)
        api_settle();
    if (api_chance(2))
        ENQUEUE(clEnqueueSVMMap, queue, blocking, chosen, start, size);
    else
        ENQUEUE(clEnqueueSVMUnmap, queue, start);
}

static void hint(void)
{
    void *queue = api_handle(QUEUE);
    size_t sizes[2];
    const void *list[2] = {some_place(true, &sizes[0]), some_place(true, &sizes[1])};
    cl_uint count = api_byte() % 3u, flags = api_byte() % 5u;
    if (api_chance(2) || !find_functions())
        ENQUEUE(clEnqueueSVMMigrateMem, queue, count, api_chance(20) ? NULL : list, api_chance(2) ? NULL : sizes,
                flags);
    else if (api_chance(2))
        ENQUEUE_BY(clEnqueueMigrateMemINTEL, mem_migrate, queue, list[0], api_chance(10) ? 0 : sizes[0], flags);
    else
        ENQUEUE_BY(clEnqueueMemAdviseINTEL, mem_advise, queue, list[0], api_chance(10) ? 0 : sizes[0], flags);
}

static void ask_pointer(void)
{
    size_t size;
    void *context = api_handle(CONTEXT);
    const char *start = some_place(true, &size);
    if (find_functions())
        ASK_BY(clGetMemAllocInfoINTEL, alloc_info, context, start, CL_MEM_ALLOC_TYPE_INTEL + api_byte() % 6u);
}

/* A buffer in the memory of an allocation. */
static void make_buffer_over(void)
{
    struct api_pointer *pointer = api_pointer();
    cl_mem mem;
    if (!pointer || !pointer->svm || pointer->has_buffer)
        return;
    MAKE(mem, clCreateBuffer, pointer->context, CL_MEM_USE_HOST_PTR, api_chance(8) ? SIZE_MAX : pointer->size,
         pointer->start);
    pointer->has_buffer = mem != NULL;
    pointer->kept |= mem != NULL;
    api_put(MEM, mem);
}

/* ---- what keeps pointers ---- */

void *api_pointer_for(cl_kernel kernel)
{
    struct api_pointer *pointer = api_chance(4) ? NULL : api_pointer();
    cl_context context = NULL;
    if (!pointer)
        return api_chance(2) ? NULL : api_host[1];
    if (!kernel || clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL) != CL_SUCCESS ||
        context != pointer->context)
        return NULL;
    pointer->kept = true;
    return pointer->start + (api_chance(2) ? 0 : 128);
}

void *api_pointer_to_keep(bool written)
{
    struct api_pointer *pointer = api_chance(4) ? NULL : api_pointer();
    if (!pointer)
        return api_chance(20) ? NULL : api_host[written];
    pointer->kept = true;
    return pointer->start;
}

static void set_pointer(void)
{
    struct api_slot *place = api_filled(KERNEL);
    void *kernel = api_chance(20) ? api_handle(KERNEL) : place->handle;
    void *pointer = kernel == place->handle ? api_pointer_for(kernel) : NULL;
    cl_uint index = api_byte() % 4u;
    if (api_chance(2) || !find_functions())
        DO(clSetKernelArgSVMPointer, kernel, index, pointer);
    else
        DO_BY(clSetKernelArgMemPointerINTEL, set_arg_pointer, kernel, index, pointer);
}

static void set_exec_info(void)
{
    static const cl_kernel_exec_info names[] = {CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                                CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                                CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                                CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
                                                0x5002,
                                                0x7777};
    struct api_slot *place = api_filled(KERNEL);
    void *kernel = api_chance(20) ? api_handle(KERNEL) : place->handle;
    bool same = kernel == place->handle;
    const void *list[2] = {same ? api_pointer_for(kernel) : NULL, same ? api_pointer_for(kernel) : NULL};
    const cl_bool flag = api_chance(2);
    cl_kernel_exec_info name = API_PICK(names);
    if (api_chance(2))
        DO(clSetKernelExecInfo, kernel, name, sizeof(flag), api_chance(20) ? NULL : &flag);
    else
        DO(clSetKernelExecInfo, kernel, name, api_byte() % 3u * sizeof(list[0]) + api_chance(20),
           api_chance(20) ? NULL : (const void *)list);
}

/* The queues are idle, and only what still is there uses the memory. */
static void free_all(void)
{
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (pointers[i].start && !pointers[i].kept)
            free_now(&pointers[i], false);
        else if (pointers[i].start)
            forget(&pointers[i]); /* the context frees it when everything is gone */
    }
}

static void (*const calls[])(void) = {make_svm,         make_svm,      make_usm,     free_one,    enqueue_free,
                                      copy_pointers,    copy_pointers, fill_pointer, map_pointer, hint,
                                      make_buffer_over, set_pointer,   set_pointer,  ask_pointer, set_exec_info};

const struct api_subject api_pointers = API_SUBJECT(calls, free_all);
