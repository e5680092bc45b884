/* Entry points of OpenCL 3.0 API, 4.1 (platform), 4.2 (devices), 4.3 (partitioning: no device can be partitioned). */
#include "src/api/queries.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/external.h"
#include "src/recorded/command_buffer.h"

#include "base/util.h"

#include <string.h>

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if (platforms && num_entries == 0)
        return ocl_error(NULL, CL_INVALID_VALUE, "num_entries is 0 but platforms is not NULL");
    if (!platforms && !num_platforms)
        return ocl_error(NULL, CL_INVALID_VALUE, "nothing is asked for: platforms and num_platforms are NULL");
    if (platforms)
        platforms[0] = &ocl_platform;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

#define OCL_PLATFORM_UNLOADABLE 0x0921 /* cl_khr_icd_unloadable, which most systems' headers lack */

cl_int ocl_platform_query(cl_platform_id platform, cl_platform_info name, bool look, const struct ocl_out *out)
{
    /* OpenCL 3.0 API, 4.1: platform can be NULL, with implementation-defined behaviour; here it means our platform. */
    if (platform && !ocl_is(platform, OCL_PLATFORM))
        return ocl_fail(NULL, out->function, CL_INVALID_PLATFORM, "not a platform of Pumice");
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return ocl_out_string(out, "FULL_PROFILE");
    /* Of the functions that there are. What a device can do, its own version says. */
    case CL_PLATFORM_VERSION:
        return ocl_out_string(out, "OpenCL 3.1 Pumice " PUMICE_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
        return OCL_OUT(out, cl_version, CL_MAKE_VERSION(3, 1, 0));
    case CL_PLATFORM_NAME:
        return ocl_out_string(out, "Pumice");
    case CL_PLATFORM_VENDOR:
        return ocl_out_string(out, "Pumice");
    case CL_PLATFORM_EXTENSIONS:
        return ocl_out_platform_extensions(out, look, false);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return ocl_out_platform_extensions(out, look, true);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return OCL_OUT(out, cl_ulong, 1);
    case OCL_PLATFORM_COMMAND_BUFFER_CAPABILITIES:
        return OCL_OUT(out, cl_bitfield, OCL_PLATFORM_REMAP_QUEUES | OCL_PLATFORM_AUTOMATIC_REMAP);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return ocl_out_string(out, "PUMICE");
    case OCL_PLATFORM_UNLOADABLE: /* the code stays where it is (-z nodelete): threads may sleep in it */
        return OCL_OUT(out, cl_bool, CL_TRUE);
    default:
        if (look && (ocl_external_platform_info(name, out) == CL_SUCCESS ||
                     ocl_unified_svm_platform_info(name, out) == CL_SUCCESS))
            return CL_SUCCESS;
        return ocl_fail(NULL, out->function, CL_INVALID_VALUE,
                        "unknown param_name 0x%x, or param_value_size is too small", name);
    }
}

cl_int CL_API_CALL ocl_get_platform_info(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                                         void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    out.function = "clGetPlatformInfo";
    return ocl_platform_query(platform, param_name, true, &out);
}

static bool device_matches(cl_uint index, cl_device_type type)
{
    if (type == CL_DEVICE_TYPE_ALL)
        return true;
    return (type & ocl_platform.devices[index]->type) || ((type & CL_DEVICE_TYPE_DEFAULT) && index == 0);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                                               cl_device_id *devices, cl_uint *num_devices)
{
    FLOAT_ENV_DEFAULT();
    /* Bindings of languages without unsigned numbers (JOCL, LWJGL) widen CL_DEVICE_TYPE_ALL with its sign. It is the
     * only value of a bit field that has the upper bit of 32. PoCL and Intel's driver take it as well. */
    if (device_type == (cl_device_type)-1)
        device_type = CL_DEVICE_TYPE_ALL;
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (platform && !ocl_is(platform, OCL_PLATFORM))
        return ocl_error(NULL, CL_INVALID_PLATFORM, "not a platform of Pumice");
    if (device_type != CL_DEVICE_TYPE_ALL && (!device_type || (device_type & ~known)))
        return ocl_error(NULL, CL_INVALID_DEVICE_TYPE, "unknown device_type 0x%llx", (unsigned long long)device_type);
    if (devices && num_entries == 0)
        return ocl_error(NULL, CL_INVALID_VALUE, "num_entries is 0 but devices is not NULL");
    if (!devices && !num_devices)
        return ocl_error(NULL, CL_INVALID_VALUE, "nothing is asked for: devices and num_devices are NULL");
    ocl_platform_find_devices();
    cl_uint found = 0;
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++) {
        if (!device_matches(i, device_type))
            continue;
        if (devices && found < num_entries)
            devices[found] = ocl_platform.devices[i];
        found++;
    }
    if (num_devices)
        *num_devices = found;
    if (!found)
        return ocl_error(NULL, CL_DEVICE_NOT_FOUND, "no Vulkan device of that type qualifies");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                                                void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(device, OCL_DEVICE))
        return ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
    cl_int result = ocl_device_info(device, param_name, &out);
    if (result != CL_SUCCESS)
        return ocl_error(NULL, result, "param_name 0x%x is not known, or param_value_size is too small", param_name);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id in_device,
                                                   const cl_device_partition_property *properties, cl_uint num_devices,
                                                   cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    (void)num_devices;
    (void)out_devices;
    (void)num_devices_ret;
    if (!ocl_is(in_device, OCL_DEVICE))
        return ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
    if (!properties)
        return ocl_error(NULL, CL_INVALID_VALUE, "properties is NULL");
    return ocl_error(NULL, CL_INVALID_VALUE, "the device supports no partition type");
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    /* OpenCL 3.0 API, 4.3: nothing happens for a root-level device. */
    return ocl_is(device, OCL_DEVICE) ? CL_SUCCESS : ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return ocl_is(device, OCL_DEVICE) ? CL_SUCCESS : ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                                                        cl_ulong *host_timestamp)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(device, OCL_DEVICE))
        return ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
    if (!device_timestamp || !host_timestamp)
        return ocl_error(NULL, CL_INVALID_VALUE, "a timestamp pointer is NULL");
    cl_int error = ocl_device_open(device);
    if (error != CL_SUCCESS)
        return ocl_error(NULL, CL_OUT_OF_RESOURCES, "the device cannot be opened");
    uint64_t device_ns, host_ns;
    enum vkb_result result = vkb_device_time(device->vk, &device_ns, &host_ns);
    if (result != VKB_SUCCESS)
        return ocl_error(NULL, ocl_from_vkb(result), "the device gives no time");
    *device_timestamp = device_ns;
    *host_timestamp = host_ns;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    if (!ocl_is(device, OCL_DEVICE))
        return ocl_error(NULL, CL_INVALID_DEVICE, "not a device of Pumice");
    if (!host_timestamp)
        return ocl_error(NULL, CL_INVALID_VALUE, "host_timestamp is NULL");
    *host_timestamp = time_ns();
    return CL_SUCCESS;
}
