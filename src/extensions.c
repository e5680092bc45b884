/* Which extensions and OpenCL C 3.0 features are offered, and on what condition: the one list that
 * CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_OPENCL_C_FEATURES and the compiler's macros come
 * from.
 *
 * An entry is here only when the compiler and the runtime both do it. OpenCL 3.0 API, 4.2.1 (device queries);
 * OpenCL C 3.0, 6.2.1 (features). */
#include "src/ocl.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static bool always(const struct _cl_device_id *device)
{
    (void)device;
    return true;
}

static bool has_fp64(const struct _cl_device_id *device)
{
    return device->fp64;
}

static bool has_fp16(const struct _cl_device_id *device)
{
    return device->fp16;
}

static bool has_int64_atomics(const struct _cl_device_id *device)
{
    return device->caps->buffer_int64_atomics && device->caps->shared_int64_atomics;
}

static bool has_pci(const struct _cl_device_id *device)
{
    return device->caps->pci_valid;
}

static bool has_il(const struct _cl_device_id *device)
{
    return device->il;
}

static bool has_int64(const struct _cl_device_id *device)
{
    return device->caps->int64;
}

struct offer {
    const char *name;
    cl_version version;
    bool (*offered)(const struct _cl_device_id *device);
    bool platform; /* also an extension of the platform as a whole */
};

#define V(major, minor, patch) CL_MAKE_VERSION(major, minor, patch)

static const struct offer extensions[] = {
    {"cl_khr_byte_addressable_store", V(1, 0, 0), always, false},
    {"cl_khr_global_int32_base_atomics", V(1, 0, 0), always, false},
    {"cl_khr_global_int32_extended_atomics", V(1, 0, 0), always, false},
    {"cl_khr_local_int32_base_atomics", V(1, 0, 0), always, false},
    {"cl_khr_local_int32_extended_atomics", V(1, 0, 0), always, false},
    {"cl_khr_int64_base_atomics", V(1, 0, 0), has_int64_atomics, false},
    {"cl_khr_int64_extended_atomics", V(1, 0, 0), has_int64_atomics, false},
    {"cl_khr_fp16", V(1, 0, 0), has_fp16, false},
    {"cl_khr_fp64", V(1, 0, 0), has_fp64, false},
    {"cl_khr_icd", V(1, 0, 0), always, true},
    {"cl_khr_extended_versioning", V(1, 0, 0), always, true},
    {"cl_khr_create_command_queue", V(1, 0, 0), always, false},
    {"cl_khr_priority_hints", V(1, 0, 0), always, false},
    {"cl_khr_suggested_local_work_size", V(1, 0, 0), always, false},
    {"cl_khr_device_uuid", V(1, 0, 0), always, false},
    {"cl_khr_pci_bus_info", V(1, 0, 0), has_pci, false},
    {"cl_khr_il_program", V(1, 0, 0), has_il, false},
    {"cl_arm_printf", V(1, 0, 0), always, false},
};

/* The optional features of OpenCL C 3.0, 6.2.1 (table of feature macros). */
static const struct offer features[] = {
    {"__opencl_c_int64", V(3, 0, 0), has_int64, false},
    {"__opencl_c_fp64", V(3, 0, 0), has_fp64, false},
};

static char *join(const struct offer *offers, size_t count, const struct _cl_device_id *device)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(offers[i].name) + 1;
    char *text = calloc(1, size);
    if (!text)
        return NULL;
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        if (!offers[i].offered(device))
            continue;
        if (end != text)
            *end++ = ' ';
        end = stpcpy(end, offers[i].name);
    }
    return text;
}

char *ocl_extensions_string(const struct _cl_device_id *device)
{
    return join(extensions, ARRAY_LENGTH(extensions), device);
}

char *ocl_features_string(const struct _cl_device_id *device)
{
    return join(features, ARRAY_LENGTH(features), device);
}

const char *ocl_platform_extensions(void)
{
    return "cl_khr_icd cl_khr_extended_versioning";
}

/* device NULL: the platform's entries. */
static cl_int out_versions(const struct ocl_out *out, const struct offer *offers, size_t count,
                           const struct _cl_device_id *device)
{
    cl_name_version list[ARRAY_LENGTH(extensions) + ARRAY_LENGTH(features)];
    size_t length = 0;
    memset(list, 0, sizeof(list));
    for (size_t i = 0; i < count; i++) {
        if (device ? !offers[i].offered(device) : !offers[i].platform)
            continue;
        list[length].version = offers[i].version;
        strcpy(list[length++].name, offers[i].name);
    }
    return ocl_out_bytes(out, list, length * sizeof(list[0]));
}

cl_int ocl_out_extensions(const struct ocl_out *out, cl_device_id device)
{
    return out_versions(out, extensions, ARRAY_LENGTH(extensions), device);
}

cl_int ocl_out_features(const struct ocl_out *out, cl_device_id device)
{
    return out_versions(out, features, ARRAY_LENGTH(features), device);
}
