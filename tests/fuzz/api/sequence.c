/* Runs a sequence of calls from bytes: for libFuzzer, or for driver.c. api.h says what belongs where.
 *
 * The OpenCL loader finds the library under test by OCL_ICD_VENDORS. */
#include "tests/fuzz/api/api.h"
#include "tests/support/held_locks.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 90 /* for one sequence */, MOST_CALLS = 192 };

cl_platform_id api_platform;
cl_device_id api_devices[4];
cl_uint api_num_devices;

static const struct api_subject *const subjects[] = {
    &api_contexts, &api_events,     &api_buffers,       &api_pipes,   &api_images,
    &api_pointers, &api_programs,   &api_kernels,       &api_cache,   &api_command_buffers,
    &api_queries,  &api_semaphores, &api_device_queues, &api_mipmaps, &api_unified,
};

static void (*calls[MOST_CALLS])(void);
static size_t num_calls;

static void CL_CALLBACK quiet(const char *text, size_t length, size_t complete, void *data)
{
    (void)text, (void)length, (void)complete, (void)data;
    api_called_back("printf callback");
}

/* What most sequences need: a context whose printf goes nowhere, a queue, two buffers, an image, a sampler. */
static void begin_sequence(void)
{
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)quiet,
                                                CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    cl_sampler sampler;
    MAKE(context, clCreateContext, properties, api_num_devices, api_devices, api_context_error, NULL);
    if (!context)
        return;
    api_run.slots[CONTEXT][0].handle = context;
    MAKE(queue, clCreateCommandQueueWithProperties, context, api_devices[0], NULL);
    api_run.slots[QUEUE][0].handle = queue;
    for (uint32_t i = 0; i < 2; i++) {
        MAKE(mem, clCreateBuffer, context, 0, 1024, NULL);
        api_run.slots[MEM][i].handle = mem;
    }
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    MAKE(mem, clCreateImage, context, 0, &format, &desc, NULL);
    api_run.slots[IMAGE][0].handle = mem;
    MAKE(sampler, clCreateSampler, context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
    api_run.slots[SAMPLER][0].handle = sampler;
}

static void end_sequence(void)
{
    static const enum api_kind order[] = {EVENT, COMMAND_BUFFER, KERNEL, IMAGE, MEM, SAMPLER, PROGRAM, QUEUE, CONTEXT};
    api_run.data = api_run.end;
    for (uint32_t i = 0; i < API_SLOTS; i++)
        api_set_user_event(&api_run.slots[EVENT][i], CL_COMPLETE);
    api_settle_semaphores();
    for (uint32_t i = 0; i < API_SLOTS; i++)
        api_empty(SEMAPHORE, &api_run.slots[SEMAPHORE][i]);
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (api_run.slots[QUEUE][i].handle)
            DO(clFinish, api_run.slots[QUEUE][i].handle);
    }
    for (uint32_t i = 0; i < ARRAY_LENGTH(subjects); i++) {
        if (subjects[i]->end)
            subjects[i]->end();
    }
    for (uint32_t k = 0; k < ARRAY_LENGTH(order); k++) {
        for (uint32_t i = 0; i < API_SLOTS; i++)
            api_empty(order[k], &api_run.slots[order[k]][i]);
    }
}

static void find_device(void)
{
    cl_uint count = 0;
    cl_platform_id platforms[8];
    if (clGetPlatformIDs(ARRAY_LENGTH(platforms), platforms, &count) != CL_SUCCESS)
        count = 0;
    held_locks_watch();
    for (cl_uint i = 0; i < count && i < ARRAY_LENGTH(platforms); i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strcmp(name, "Pumice") == 0 && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, ARRAY_LENGTH(api_devices),
                                                          api_devices, &api_num_devices) == CL_SUCCESS)
            api_platform = platforms[i];
    }
    if (api_num_devices > ARRAY_LENGTH(api_devices))
        api_num_devices = ARRAY_LENGTH(api_devices);
}

static void prepare(void)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    for (size_t i = 0; i < ARRAY_LENGTH(subjects); i++) {
        for (size_t k = 0; k < subjects[i]->num_calls && num_calls < MOST_CALLS; k++)
            calls[num_calls++] = subjects[i]->calls[k];
    }
    api_prepare_sources();
    api_prepare_cache();
    atexit(api_print_answers);
    find_device();
    if (!api_num_devices || !find_buffer_functions(api_platform, &api_cb))
        exit(77);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    alarm(SECONDS);
    memset(&api_run, 0, sizeof(api_run));
    api_run.data = data;
    api_run.end = data + size;
    api_run.state = size;
    begin_sequence();
    for (uint32_t n = 0; n < API_MAX_CALLS && api_run.data < api_run.end; n++)
        calls[api_byte() % num_calls]();
    end_sequence();
    alarm(0);
    return 0;
}

/* Bytes that depend on the source, which is kept to be changed and compiled. */
static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    enum { SIZE = 1500 };
    uint64_t state = hash_bytes64(source, length, 1);
    uint8_t *bytes = malloc(SIZE);
    if (!bytes)
        return 0;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)fuzz_random(&state);
    api_add_source(source, length, false);
    *seed = bytes;
    return SIZE;
}

const struct fuzz_target fuzz_target = {.seed = seed_of, .code = FUZZ_BYTES};

bool api_find_functions(const char *const *names, size_t count, void *table)
{
    void *found[16];
    assert(count <= ARRAY_LENGTH(found));
    for (size_t i = 0; i < count; i++) {
        if (!(found[i] = clGetExtensionFunctionAddressForPlatform(api_platform, names[i])))
            return false;
    }
    memcpy(table, found, count * sizeof(found[0]));
    return true;
}
