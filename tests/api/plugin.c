/* A plug-in that asks for the devices and all that they offer while it is loaded, as static objects of C++ do: its
 * constructor runs under the dynamic loader's lock, for which every new thread may wait. plugin_host.c loads it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>

__attribute__((visibility("default"))) int plugin_asked;
__attribute__((visibility("default"))) cl_device_fp_config plugin_config; /* of the first device that was asked */

static void ask(cl_device_id device)
{
    static char text[65536];
    for (cl_device_info name = CL_DEVICE_TYPE; name < CL_DEVICE_TYPE + 0x80; name++)
        clGetDeviceInfo(device, name, sizeof(text), text, NULL);
    for (cl_device_info name = 0x4000; name < 0x4300; name++)
        clGetDeviceInfo(device, name, sizeof(text), text, NULL);
    if (!plugin_asked)
        clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(plugin_config), &plugin_config, NULL);
    plugin_asked += clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL) == CL_SUCCESS;
}

__attribute__((constructor)) static void load(void)
{
    static char text[65536];
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint num_platforms = 0, num_devices;
    clGetPlatformIDs(16, platforms, &num_platforms);
    for (cl_uint i = 0; i < num_platforms && i < 16; i++) {
        num_devices = 0;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_EXTENSIONS, sizeof(text), text, NULL);
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices, &num_devices);
        for (cl_uint k = 0; k < num_devices && k < 16; k++) {
            cl_image_format formats[256];
            cl_uint count;
            ask(devices[k]);
            cl_context context = clCreateContext(NULL, 1, &devices[k], NULL, NULL, NULL);
            if (!context)
                continue;
            clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count);
            clReleaseContext(context);
        }
    }
}
