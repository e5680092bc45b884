/* Unified SVM: allocations of every type, with properties; queries of pointers, suggestions. What is allocated here is
 * used by the commands of pointers.c. */
#include "tests/fuzz/api/api.h"

#include <string.h>

enum { PROPERTY_DEVICE = 0x2078, PROPERTY_ACCESS = 0x2079, PROPERTY_ALIGNMENT = 0x207A };
enum { FIRST_INFO = 0x2088, SECOND_INFO = 0x419B };

static struct {
    void *(*alloc)(cl_context, const cl_ulong *, cl_uint, size_t, cl_int *);
    cl_int (*free)(cl_context, const cl_ulong *, cl_ulong, void *);
    cl_int (*info)(cl_context, cl_device_id, const void *, cl_uint, size_t, void *, size_t *);
    cl_int (*suggest)(cl_context, cl_ulong, cl_ulong, const cl_ulong *, size_t, cl_uint *);
} cl;

static bool find_functions(void)
{
    static const char *const names[] = {"clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR",
                                        "clGetSVMPointerInfoKHR", "clGetSVMSuggestedTypeIndexKHR"};
    return cl.alloc || api_find_functions(names, ARRAY_LENGTH(names), &cl);
}

cl_int api_free_unified(cl_context context, void *start)
{
    return DO_BY(clSVMFreeWithPropertiesKHR, cl.free, context, NULL, 0, start);
}

static const cl_ulong *some_properties(void)
{
    static cl_ulong list[7];
    const cl_ulong device = (uintptr_t)api_device();
    const cl_ulong properties[][7] = {
        {0},
        {PROPERTY_DEVICE, (uintptr_t)api_devices[0], 0},
        {PROPERTY_DEVICE, (uintptr_t)api_devices[0], PROPERTY_ALIGNMENT, 4096, PROPERTY_ACCESS, 0x303, 0},
        {PROPERTY_DEVICE, device, 0},
        {PROPERTY_ALIGNMENT, 3, 0},
        {PROPERTY_ALIGNMENT, 1ull << 63, 0},
        {PROPERTY_ACCESS, 0x7777, 0},
        {PROPERTY_ALIGNMENT, 64, PROPERTY_ALIGNMENT, 64, 0},
        {0x7777, 1, 0},
    };
    memcpy(list, api_chance(3) ? API_PICK(properties) : properties[api_byte() % 3], sizeof(list));
    return api_chance(6) ? NULL : list;
}

static void make_unified(void)
{
    static const size_t sizes[] = {512, 4096, 65536, 1000, 4096, 0, SIZE_MAX};
    void *context = api_handle(CONTEXT), *start;
    const cl_ulong *properties = some_properties();
    size_t size = API_PICK(sizes);
    cl_uint type = api_chance(20) ? UINT32_MAX : api_byte() % 7u;
    if (!find_functions())
        return;
    if (size == 0) { /* which is no memory, and no error by itself */
        cl_int error = 12345;
        if (cl.alloc(context, properties, type, 0, &error))
            fuzz_failed("clSVMAllocWithPropertiesKHR", "gives memory of no bytes");
        api_answered(CALL_clSVMAllocWithPropertiesKHR, error);
        return;
    }
    MAKE_BY(start, clSVMAllocWithPropertiesKHR, cl.alloc, context, properties, type, size);
    api_take_pointer(
        (struct api_pointer){.start = start, .size = size, .context = context, .unified = true, .has_buffer = true});
}

static void free_wrongly(void)
{
    static const cl_ulong unknown[] = {0x7777, 1, 0};
    struct api_pointer *pointer = api_pointer();
    void *context = api_handle(CONTEXT);
    if (!pointer || !find_functions())
        return;
    if (DO_BY(clSVMFreeWithPropertiesKHR, cl.free, context, NULL, 0, pointer->start + 16) == CL_SUCCESS)
        fuzz_failed("clSVMFreeWithPropertiesKHR", "of the middle of an allocation");
    if (DO_BY(clSVMFreeWithPropertiesKHR, cl.free, pointer->context, unknown, 0, pointer->start) == CL_SUCCESS ||
        DO_BY(clSVMFreeWithPropertiesKHR, cl.free, pointer->context, NULL, 1, pointer->start) == CL_SUCCESS)
        fuzz_failed("clSVMFreeWithPropertiesKHR", "with a property or flag that nobody knows");
}

static void ask(void)
{
    struct api_pointer *pointer = api_pointer();
    void *context = api_chance(4) || !pointer ? api_handle(CONTEXT) : pointer->context;
    cl_device_id device = api_chance(2) ? NULL : api_device();
    const char *start = pointer ? pointer->start + (api_chance(2) ? 17 : 0) : NULL;
    cl_uint number = api_byte() % 8u;
    if (find_functions())
        ASK_BY(clGetSVMPointerInfoKHR, cl.info, context, device, start,
               number < 4 ? FIRST_INFO + number : SECOND_INFO + number - 4);
}

static void suggest(void)
{
    void *context = api_handle(CONTEXT);
    const cl_ulong *properties = some_properties();
    cl_ulong required = api_chance(2) ? 0 : 1u << api_byte() % 16u, desired = api_byte() * 129u;
    cl_uint type;
    if (find_functions())
        DO_BY(clGetSVMSuggestedTypeIndexKHR, cl.suggest, context, required, desired, properties, api_number(),
              api_chance(20) ? NULL : &type);
}

static void (*const calls[])(void) = {make_unified, make_unified, free_wrongly, ask, suggest};

const struct api_subject api_unified = API_SUBJECT(calls, NULL);
