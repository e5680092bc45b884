/* Entry points and queries of cl_khr_unified_svm 0.9.0 (experimental): every kind of memory with an address that there
 * is, under one numbering. A type's number is the same for all devices, and what it can do is 0 on a device that does
 * not have it. */
#include "src/api/functions.h"
#include "src/api/queries.h"
#include "src/api/unified_svm.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/pointer.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    SINGLE_ADDRESS_SPACE = 1 << 0,
    SYSTEM_ALLOCATED = 1 << 1,
    DEVICE_OWNED = 1 << 2,
    DEVICE_UNASSOCIATED = 1 << 3,
    CONTEXT_ACCESS = 1 << 4,
    HOST_OWNED = 1 << 5,
    HOST_READ = 1 << 6,
    HOST_WRITE = 1 << 7,
    HOST_MAP = 1 << 8,
    DEVICE_READ = 1 << 9,
    DEVICE_WRITE = 1 << 10,
    DEVICE_ATOMIC_ACCESS = 1 << 11,
    CONCURRENT_ACCESS = 1 << 12,
    CONCURRENT_ATOMIC_ACCESS = 1 << 13,
    INDIRECT_ACCESS = 1 << 14,
    HOST_ACCESS = HOST_READ | HOST_WRITE,
    DEVICE_ACCESS = SINGLE_ADDRESS_SPACE | DEVICE_READ | DEVICE_WRITE | DEVICE_ATOMIC_ACCESS | INDIRECT_ACCESS,
    EVERYBODY = DEVICE_UNASSOCIATED | CONTEXT_ACCESS,
};
enum { PROPERTY_DEVICE = 0x2078, PROPERTY_ACCESS = 0x2079, PROPERTY_ALIGNMENT = 0x207A };
enum { ACCESS_FLAGS = 0x303 };
enum {
    INFO_TYPE = 0x2088,
    INFO_CAPABILITIES = 0x2089,
    INFO_PROPERTIES = 0x208A,
    INFO_ACCESS = 0x208B,
    INFO_BASE = 0x419B,
    INFO_SIZE = 0x419C,
    INFO_DEVICE = 0x419D
};

/* The types in the order of their numbers. */
enum type { TYPE_COARSE, TYPE_FINE, TYPE_DEVICE, TYPE_HOST, TYPE_SHARED, TYPE_SYSTEM, TYPES };

static const struct {
    cl_bitfield capabilities;          /* and CONCURRENT_ATOMIC_ACCESS where the device has SVM atomics */
    cl_device_svm_capabilities needed; /* of the device */
    bool atomics;
    enum ocl_pointer_kind kind;
    cl_bitfield flags; /* of an OCL_POINTER_SVM */
} types[TYPES] = {
    [TYPE_COARSE] = {DEVICE_ACCESS | EVERYBODY | HOST_MAP, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, false, OCL_POINTER_SVM,
                     CL_MEM_READ_WRITE},
    [TYPE_FINE] = {DEVICE_ACCESS | EVERYBODY | HOST_MAP | HOST_ACCESS | CONCURRENT_ACCESS,
                   CL_DEVICE_SVM_FINE_GRAIN_BUFFER, true, OCL_POINTER_SVM,
                   CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER},
    [TYPE_DEVICE] = {DEVICE_ACCESS | DEVICE_OWNED, 0, false, OCL_POINTER_DEVICE, 0},
    [TYPE_HOST] = {DEVICE_ACCESS | EVERYBODY | HOST_OWNED | HOST_ACCESS | CONCURRENT_ACCESS,
                   CL_DEVICE_SVM_FINE_GRAIN_BUFFER, true, OCL_POINTER_HOST, 0},
    [TYPE_SHARED] = {DEVICE_ACCESS | DEVICE_UNASSOCIATED | HOST_ACCESS | CONCURRENT_ACCESS,
                     CL_DEVICE_SVM_FINE_GRAIN_BUFFER, true, OCL_POINTER_SHARED, 0},
    [TYPE_SYSTEM] = {DEVICE_ACCESS | EVERYBODY | SYSTEM_ALLOCATED | HOST_MAP | HOST_ACCESS | CONCURRENT_ACCESS,
                     CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, true, OCL_POINTER_SVM,
                     CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER},
};

#define FAIL(code, ...) ocl_fail(context, function, (code), __VA_ARGS__)

static cl_bitfield device_type(cl_device_id device, uint32_t type)
{
    cl_device_svm_capabilities svm = ocl_device_svm(device);
    if ((svm & types[type].needed) != types[type].needed)
        return 0;
    return types[type].capabilities |
           (types[type].atomics && svm & CL_DEVICE_SVM_ATOMICS ? CONCURRENT_ATOMIC_ACCESS : 0);
}

/* What all devices have that have the type at all. */
static cl_bitfield common_type(cl_uint num_devices, const cl_device_id *devices, uint32_t type)
{
    cl_bitfield common = 0;
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_bitfield one = device_type(devices[i], type);
        common = !common ? one : one ? common & one : common;
    }
    return common;
}

cl_int ocl_unified_svm_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    cl_bitfield list[TYPES];
    if (name != OCL_DEVICE_SVM_TYPE_CAPABILITIES)
        return CL_INVALID_VALUE;
    for (uint32_t i = 0; i < TYPES; i++)
        list[i] = device_type(device, i);
    return ocl_out_bytes(out, list, sizeof(list));
}

cl_int ocl_unified_svm_platform_info(cl_platform_info name, const struct ocl_out *out)
{
    cl_bitfield list[TYPES];
    if (name != OCL_PLATFORM_SVM_TYPE_CAPABILITIES)
        return CL_INVALID_VALUE;
    ocl_platform_find_devices();
    for (uint32_t i = 0; i < TYPES; i++)
        list[i] = common_type(ocl_platform.num_devices, ocl_platform.devices, i);
    return ocl_out_bytes(out, list, sizeof(list));
}

/* ---- allocation ---- */

struct request {
    cl_device_id device; /* NULL: none */
    cl_bitfield access;
    size_t alignment, num_properties; /* with the 0 at the end; 0: no list was given */
};

static cl_int read_properties(const char *function, cl_context context, const cl_properties *properties,
                              struct request *request)
{
    const cl_properties *at = properties;
    bool seen[3] = {false};
    *request = (struct request){.alignment = OCL_SVM_ALIGNMENT};
    for (; at && at[0]; at += 2) {
        cl_properties name = at[0], value = at[1];
        if (name < PROPERTY_DEVICE || name > PROPERTY_ALIGNMENT || seen[name - PROPERTY_DEVICE])
            return FAIL(CL_INVALID_PROPERTY, "unknown or repeated property 0x%llx", (unsigned long long)name);
        seen[name - PROPERTY_DEVICE] = true;
        if (name == PROPERTY_DEVICE) {
            request->device = (cl_device_id)(uintptr_t)value;
            if (request->device && ocl_context_device_index(context, request->device) < 0)
                return FAIL(CL_INVALID_DEVICE, "the associated device is none of the context's");
        } else if (name == PROPERTY_ACCESS) {
            request->access = value;
            if (value & ~(cl_bitfield)ACCESS_FLAGS)
                return FAIL(CL_INVALID_PROPERTY, "access flags 0x%llx", (unsigned long long)value);
        } else {
            if (value & (value - 1) || value > OCL_SVM_LARGEST_ALIGNMENT)
                return FAIL(CL_INVALID_PROPERTY, "alignment %llu", (unsigned long long)value);
            request->alignment = value > OCL_SVM_ALIGNMENT ? value : OCL_SVM_ALIGNMENT;
        }
    }
    request->num_properties = properties ? (size_t)(at - properties) + 1 : 0;
    return CL_SUCCESS;
}

static cl_int check_allocation(const char *function, cl_context context, const struct request *request, cl_uint type,
                               size_t size)
{
    if (type >= TYPES)
        return FAIL(CL_INVALID_VALUE, "there is no type %u", type);
    if (!request->device && !(types[type].capabilities & DEVICE_UNASSOCIATED))
        return FAIL(CL_INVALID_VALUE, "memory of type %u belongs to a device, and none is named", type);
    cl_device_id const *devices = request->device ? &request->device : context->devices;
    cl_uint count = request->device ? 1 : context->num_devices;
    if (!common_type(count, devices, type))
        return FAIL(request->device ? CL_INVALID_DEVICE : CL_INVALID_VALUE, "no such device has memory of type %u",
                    type);
    for (cl_uint i = 0; i < count; i++) {
        if (size > devices[i]->max_allocation)
            return FAIL(CL_INVALID_BUFFER_SIZE, "%zu bytes", size);
    }
    return CL_SUCCESS;
}

static void *allocate(const char *function, cl_context context, const cl_properties *properties,
                      const struct request *request, cl_uint type, size_t size, cl_int *error)
{
    size_t bytes = request->num_properties * sizeof(cl_properties);
    struct ocl_unified *unified = calloc(1, sizeof(*unified) + bytes);
    if (!unified) {
        *error = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the properties");
        return NULL;
    }
    unified->type = type;
    unified->access = request->access;
    unified->num_properties = request->num_properties;
    if (bytes)
        memcpy(unified->properties, properties, bytes);
    void *pointer = ocl_pointer_alloc(context, types[type].kind, types[type].flags, request->device, size,
                                      request->alignment, unified, error);
    if (!pointer)
        FAIL(*error, "no memory for %zu bytes", size);
    return pointer;
}

static CL_API_ENTRY void *CL_API_CALL svm_alloc(cl_context context, const cl_properties *properties,
                                                cl_uint svm_type_index, size_t size, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clSVMAllocWithPropertiesKHR";
    struct request request;
    void *pointer = NULL;
    cl_int error = ocl_context_check(function, context);
    if (error == CL_SUCCESS)
        error = read_properties(function, context, properties, &request);
    if (error == CL_SUCCESS)
        error = check_allocation(function, context, &request, svm_type_index, size);
    if (error == CL_SUCCESS && size) /* for no bytes the draft wants NULL, and success */
        pointer = allocate(function, context, properties, &request, svm_type_index, size, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return pointer;
}

static CL_API_ENTRY cl_int CL_API_CALL svm_free(cl_context context, const cl_properties *properties, cl_bitfield flags,
                                                void *ptr)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clSVMFreeWithPropertiesKHR";
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, function, CL_INVALID_CONTEXT, "not a context");
    if (properties && properties[0])
        return FAIL(CL_INVALID_PROPERTY, "unknown property 0x%llx", (unsigned long long)properties[0]);
    if (flags)
        return FAIL(CL_INVALID_VALUE, "unknown flags 0x%llx", (unsigned long long)flags);
    if (ptr && !ocl_pointer_free(context, ptr, true))
        return FAIL(CL_INVALID_VALUE, "%p is no allocation of this context", ptr);
    return CL_SUCCESS;
}

/* ---- queries ---- */

static enum type type_of(const struct ocl_place *place)
{
    if (place->unified)
        return (enum type)place->unified->type;
    switch (place->kind) {
    case OCL_POINTER_HOST:
        return TYPE_HOST;
    case OCL_POINTER_DEVICE:
        return TYPE_DEVICE;
    case OCL_POINTER_SHARED:
        return TYPE_SHARED;
    default:
        return place->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? TYPE_FINE : TYPE_COARSE;
    }
}

static CL_API_ENTRY cl_int CL_API_CALL svm_pointer_info(cl_context context, cl_device_id device, const void *ptr,
                                                        cl_uint param_name, size_t param_value_size, void *param_value,
                                                        size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_out out = {"clGetSVMPointerInfoKHR", param_value_size, param_value, param_value_size_ret};
    const char *function = out.function;
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, function, CL_INVALID_CONTEXT, "not a context");
    if (device && ocl_context_device_index(context, device) < 0)
        return FAIL(CL_INVALID_DEVICE, "not a device of this context");
    struct ocl_place place = {0};
    bool found = ocl_pointer_find(context, (uintptr_t)ptr, 0, &place);
    if (found)
        vkb_buffer_release(place.buffer);
    if (found && place.in_mem) { /* a buffer's address is the buffer's own */
        found = false;
        place = (struct ocl_place){0};
    }
    const struct ocl_unified *unified = place.unified;
    enum type type = type_of(&place);
    switch (param_name) {
    case INFO_TYPE:
        return OCL_OUT(&out, cl_uint, found ? (cl_uint)type : CL_UINT_MAX);
    case INFO_CAPABILITIES:
        return OCL_OUT(&out, cl_bitfield,
                       !found   ? 0
                       : device ? device_type(device, type)
                                : common_type(context->num_devices, context->devices, type));
    case INFO_PROPERTIES:
        return ocl_out_bytes(&out, unified ? unified->properties : NULL,
                             unified ? unified->num_properties * sizeof(cl_properties) : 0);
    case INFO_ACCESS:
        return OCL_OUT(&out, cl_bitfield, unified ? unified->access : 0);
    case INFO_BASE:
        return OCL_OUT(&out, void *, (void *)(uintptr_t)place.start);
    case INFO_SIZE:
        return OCL_OUT(&out, size_t, place.size);
    case INFO_DEVICE:
        return OCL_OUT(&out, cl_device_id, place.device);
    default:
        return FAIL(CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* The first type that has all that is required, and of those most of what is desired. Memory of the system comes last:
 * the C library gives it, too. */
static CL_API_ENTRY cl_int CL_API_CALL suggest_type(cl_context context, cl_bitfield required_capabilities,
                                                    cl_bitfield desired_capabilities, const cl_properties *properties,
                                                    size_t size, cl_uint *suggested_svm_type_index)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clGetSVMSuggestedTypeIndexKHR";
    struct request request;
    int best = -1;
    (void)size;
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_fail(NULL, function, CL_INVALID_CONTEXT, "not a context");
    cl_int error = read_properties(function, context, properties, &request);
    if (error == CL_SUCCESS && !suggested_svm_type_index)
        error = FAIL(CL_INVALID_VALUE, "suggested_svm_type_index is NULL");
    if (error != CL_SUCCESS)
        return error;
    *suggested_svm_type_index = CL_UINT_MAX;
    for (uint32_t i = 0; i < TYPES; i++) {
        cl_bitfield has = common_type(request.device ? 1 : context->num_devices,
                                      request.device ? &request.device : context->devices, i);
        int score = __builtin_popcountll(has & desired_capabilities);
        if (!has || (has & required_capabilities) != required_capabilities || score <= best ||
            (i == TYPE_SYSTEM && best >= 0))
            continue;
        best = score;
        *suggested_svm_type_index = i;
    }
    return CL_SUCCESS;
}

void *ocl_unified_svm_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clSVMAllocWithPropertiesKHR", (void *)svm_alloc},
        {"clSVMFreeWithPropertiesKHR", (void *)svm_free},
        {"clGetSVMPointerInfoKHR", (void *)svm_pointer_info},
        {"clGetSVMSuggestedTypeIndexKHR", (void *)suggest_type},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}
