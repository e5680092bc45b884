/* Kernels: made, cloned, given arguments, launched. Only what was built of unchanged sources of ours is launched. */
#include "tests/fuzz/api/api.h"

#include <string.h>

static const char *const names[] = {"add",  "sum",  "fixed", "hinted", "show",  "late", "paint",
                                    "look", "deep", "line",  "outer",  "inner", "",     "f",
                                    "give", "take", "spawn", "tree",   "level"};

/* ---- creation ---- */

static void keep_kernels(cl_kernel *kernels, uint32_t count, bool safe)
{
    for (uint32_t i = 0; i < count; i++) {
        struct api_slot *place = api_put(KERNEL, kernels[i]);
        if (place)
            place->safe = safe;
    }
}

static void make_kernels(void)
{
    struct api_slot *from = api_filled(PROGRAM);
    void *program = api_chance(20) ? api_handle(PROGRAM) : from->handle;
    cl_kernel kernels[4] = {0};
    cl_uint count = 0;
    bool safe = from->safe && program == from->handle;
    if (api_chance(2)) {
        cl_uint room = api_chance(4) ? api_byte() % 4u : 4;
        if (DO(clCreateKernelsInProgram, program, room, api_chance(10) ? NULL : kernels, &count) != CL_SUCCESS)
            memset(kernels, 0, sizeof(kernels));
    } else {
        MAKE(kernels[0], clCreateKernel, program, api_chance(30) ? NULL : API_PICK(names));
    }
    keep_kernels(kernels, ARRAY_LENGTH(kernels), safe);
}

static void clone(void)
{
    struct api_slot *from = api_filled(KERNEL);
    cl_kernel kernel;
    bool safe = from->safe;
    MAKE(kernel, clCloneKernel, from->handle);
    keep_kernels(&kernel, 1, safe);
}

/* ---- arguments ---- */

static void set_arg(void)
{
    static const size_t sizes[] = {4, 8, 16, 1, 2, 12, 0, 32};
    static const enum api_kind kinds[] = {MEM, MEM, IMAGE, SAMPLER};
    void *kernel = api_handle(KERNEL), *object = api_handle(API_PICK(kinds));
    uint64_t value[4] = {0, api_byte(), api_byte(), api_byte()}; /* as a handle it is NULL */
    cl_uint index = api_byte() % 4u;
    switch (api_byte() % 5) {
    case 0:
    case 1:
        DO(clSetKernelArg, kernel, index, sizeof(object), api_chance(20) ? NULL : (void *)&object);
        break;
    case 2:
        DO(clSetKernelArg, kernel, index, api_number(), NULL);
        break;
    default:
        DO(clSetKernelArg, kernel, index, API_PICK(sizes), value);
    }
}

static bool set_object(cl_kernel kernel, cl_uint index, enum api_kind kind)
{
    void *object = api_handle(kind);
    return DO(clSetKernelArg, kernel, index, sizeof(object), &object) == CL_SUCCESS;
}

/* Images are of many types: each is tried. */
static bool set_image(cl_kernel kernel, cl_uint index)
{
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        void *image = api_run.slots[IMAGE][i].handle;
        if (image && DO(clSetKernelArg, kernel, index, sizeof(image), &image) == CL_SUCCESS)
            return true;
    }
    return false;
}

void api_set_args(void)
{
    struct api_slot *place = api_filled(KERNEL);
    cl_uint count = 0;
    uint64_t value[4] = {0, api_byte(), 0, 0}; /* as a handle it is NULL */
    if (!place->handle || DO(clGetKernelInfo, place->handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL))
        return;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        static const size_t sizes[] = {4, 8, 16};
        bool set = set_object(place->handle, i, MEM) || set_object(place->handle, i, SAMPLER) ||
                   set_object(place->handle, i, QUEUE);
        for (uint32_t k = 0; k < ARRAY_LENGTH(sizes) && !set; k++)
            set = DO(clSetKernelArg, place->handle, i, sizes[k], value) == CL_SUCCESS;
        if (!set && !set_image(place->handle, i))
            DO(clSetKernelArg, place->handle, i, 64, NULL);
    }
}

/* ---- launches ---- */

cl_kernel api_kernel_to_launch(void)
{
    struct api_slot *place = api_filled(KERNEL);
    for (uint32_t i = 0; i < API_SLOTS && !(place->handle && place->safe); i++)
        place = &api_run.slots[KERNEL][i];
    if (api_chance(40)) /* no kernel */
        return api_slot(MEM)->handle;
    return place->handle && place->safe ? place->handle : NULL;
}

void api_range(struct api_range *range)
{
    static const size_t globals[] = {1, 16, 64, 8, 0, 7, 2, 32},
                        locals[] = {1, 4, 8, 2, 0, 1024, 7, SIZE_MAX, 1u << 31},
                        offsets[] = {0, 0, 0, 1, SIZE_MAX, 1u << 31};
    for (int i = 0; i < 3; i++) {
        range->offset[i] = API_PICK(offsets);
        range->global[i] = API_PICK(globals);
        range->local[i] = API_PICK(locals);
    }
    if (api_chance(8))
        memcpy(range->local, (size_t[3]){4, 2, 1}, sizeof(range->local));
    uint8_t how = api_byte();
    range->dims = how < 240 ? 1 + how % 3u : how % 8u;
    range->offset_pointer = how % 5 ? NULL : range->offset;
    range->global_pointer = how == 239 ? NULL : range->global;
    range->local_pointer = api_chance(3) ? range->local : NULL;
}

static void launch(void)
{
    void *queue = api_handle(QUEUE);
    cl_kernel kernel = api_kernel_to_launch();
    struct api_range range;
    api_range(&range);
    if (api_chance(8))
        ENQUEUE(clEnqueueTask, queue, kernel);
    else
        ENQUEUE(clEnqueueNDRangeKernel, queue, kernel, range.dims, range.offset_pointer, range.global_pointer,
                range.local_pointer);
}

static void CL_CALLBACK native_function(void *data)
{
    uint8_t **buffer = data;
    if (buffer && *buffer)
        (*buffer)[0]++;
}

static void launch_native(void)
{
    void *queue = api_handle(QUEUE);
    uint8_t *args[2] = {0};
    cl_mem mems[2] = {api_chance(8) ? NULL : api_handle(MEM), api_handle(MEM)};
    const void *places[2] = {api_chance(20) ? api_host[0] : (void *)&args[0], &args[1]};
    cl_uint count = api_byte() % 3u;
    ENQUEUE(clEnqueueNativeKernel, queue, api_chance(20) ? NULL : native_function, api_chance(20) ? NULL : args,
            api_chance(8) ? api_byte() % 2u * 8 : sizeof(args), count, count ? mems : NULL, count ? places : NULL);
}

static void suggest(void)
{
    static cl_int (*ask)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    void *queue = api_handle(QUEUE);
    cl_kernel kernel = api_kernel_to_launch();
    struct api_range range;
    size_t suggested[3];
    api_range(&range);
    void *address = clGetExtensionFunctionAddressForPlatform(api_platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    memcpy(&ask, &address, sizeof(address));
    if (ask)
        DO_BY(clGetKernelSuggestedLocalWorkSizeKHR, ask, queue, kernel, range.dims, range.offset_pointer,
              range.global_pointer, api_chance(20) ? NULL : suggested);
}

/* From a source to a launch, since chance alone seldom gets so far. */
static void whole(void)
{
    static const char *const options[] = {"", "-cl-std=CL3.0", "-cl-std=CL1.2 -cl-kernel-arg-info", "-cl-opt-disable",
                                          "-cl-fast-relaxed-math -DN=1"};
    struct api_slot *context = &api_run.slots[CONTEXT][0];
    const char *text = api_sources[api_byte() % api_num_whole].text;
    cl_program program;
    if (!context->handle)
        return;
    MAKE(program, clCreateProgramWithSource, context->handle, 1, &text, NULL);
    struct api_slot *place = api_put(PROGRAM, program);
    if (!place)
        return;
    cl_int code = DO(clBuildProgram, program, 0, NULL, API_PICK(options), NULL, NULL);
    if (code != CL_SUCCESS)
        fuzz_failed("clBuildProgram", text);
    place->safe = !api_cache_changed;
    cl_kernel kernels[4] = {0};
    if (code != CL_SUCCESS || DO(clCreateKernelsInProgram, program, 4, kernels, NULL) != CL_SUCCESS)
        return;
    keep_kernels(kernels, ARRAY_LENGTH(kernels), place->safe);
    for (uint32_t n = 3; n; n--) {
        api_set_args();
        launch();
    }
}

static void (*const calls[])(void) = {whole,   whole,        make_kernels,  make_kernels, make_kernels, clone,
                                      set_arg, api_set_args, api_set_args,  api_set_args, launch,       launch,
                                      launch,  launch,       launch_native, suggest};

const struct api_subject api_kernels = API_SUBJECT(calls, NULL);
