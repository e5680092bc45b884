/* The library as an ICD loader sees it: cl_khr_icd 1 (the dispatch table that objects begin with) and 2 (functions by
 * name, and a pointer of the loader's own in every object), and cl_khr_icd_unloadable. This program is the loader: it
 * opens the library that the file in OCL_ICD_VENDORS names, and links no OpenCL itself. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "check.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNLOADABLE   0x0921
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether the linker may put a zero there is the 32-bit tag's affair; these machines have 64. */
static const uint64_t tag = UINT64_C(0x4F50454E434C3331);

struct object {
    const cl_icd_dispatch *dispatch;
    void *data;
};

static void *library;
static cl_int (*get_platforms)(cl_uint, cl_platform_id *, cl_uint *);
static cl_int (*exported_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
static void *(*by_name)(cl_platform_id, const char *);
static cl_int (*set_data)(cl_platform_id, void *);
static void *(*extension)(const char *);

static bool open_library(void)
{
    char path[1024] = "";
    FILE *file = fopen(getenv("OCL_ICD_VENDORS") ? getenv("OCL_ICD_VENDORS") : "", "r");
    if (!file || !fgets(path, sizeof(path), file))
        return false;
    fclose(file);
    path[strcspn(path, "\n")] = 0;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *function;
    } table[] = {{"clIcdGetPlatformIDsKHR", &get_platforms},
                 {"clGetPlatformInfo", &exported_info},
                 {"clIcdGetFunctionAddressForPlatformKHR", &by_name},
                 {"clIcdSetPlatformDispatchDataKHR", &set_data},
                 {"clGetExtensionFunctionAddress", &extension}};
    for (size_t i = 0; library && i < COUNT(table); i++) {
        void *address = dlsym(library, table[i].name);
        if (!address)
            return false;
        memcpy(table[i].function, &address, sizeof(address));
    }
    return library != NULL;
}

static bool has_data(void *object, void *data)
{
    return object && ((struct object *)object)->data == data;
}

static bool vulkan_is_loaded(void)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        found |= strstr(line, "libvulkan") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

/* The names of the first list are all in the second. */
static bool is_part_of(const char *names, const char *all)
{
    char copy[8192], *rest = copy;
    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name; (name = strtok_r(rest, " ", &rest));) {
        size_t length = strlen(name);
        const char *at = strstr(all, name);
        while (at && at[length] != ' ' && at[length] != 0)
            at = strstr(at + 1, name);
        if (!at)
            return false;
    }
    return true;
}

/* The loader asks whether the platform has cl_khr_icd, and no Vulkan is needed for that. Applications get the whole
 * list: what all devices offer. */
static void test_extensions(cl_platform_id platform, const cl_icd_dispatch *table, cl_device_id *devices, cl_uint count)
{
    char of_loader[8192] = "", of_platform[8192] = "", of_device[8192] = "";
    cl_name_version versions[128];
    size_t size = 0;
    CHECK(exported_info(platform, CL_PLATFORM_EXTENSIONS, sizeof(of_loader), of_loader, NULL) == CL_SUCCESS);
    CHECK(table->clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof(of_platform), of_platform, NULL) ==
          CL_SUCCESS);
    CHECK(is_part_of("cl_khr_icd cl_khr_icd_unloadable cl_khr_byte_addressable_store", of_loader));
    CHECK(is_part_of(of_loader, of_platform));
    for (cl_uint i = 0; i < count; i++) {
        CHECK(table->clGetDeviceInfo(devices[i], CL_DEVICE_EXTENSIONS, sizeof(of_device), of_device, NULL) ==
              CL_SUCCESS);
        CHECK(is_part_of(of_platform, of_device));
        CHECK(count > 1 || is_part_of(of_device, of_platform));
    }
    CHECK(table->clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof(versions), versions, &size) ==
          CL_SUCCESS);
    size_t words = 1;
    for (const char *at = of_platform; (at = strchr(at, ' ')); at++)
        words++;
    CHECK(words == size / sizeof(versions[0]));
    for (size_t i = 0; i < size / sizeof(versions[0]); i++) {
        CHECK(is_part_of(versions[i].name, of_platform));
        CHECK(strcmp(versions[i].name, "cl_khr_icd") != 0 || CL_VERSION_MAJOR(versions[i].version) == 2);
    }
    cl_bool unloadable = CL_FALSE;
    CHECK(exported_info(platform, UNLOADABLE, sizeof(unloadable), &unloadable, NULL) == CL_SUCCESS && unloadable);
}

static void test_names(cl_platform_id platform, const cl_icd_dispatch *table)
{
    CHECK(by_name(platform, "clGetDeviceIDs") == (void *)table->clGetDeviceIDs);
    CHECK(by_name(platform, "clGetPlatformInfo") == (void *)table->clGetPlatformInfo);
    CHECK(by_name(platform, "clSetContextDestructorCallback") == (void *)table->clSetContextDestructorCallback);
    CHECK(by_name(platform, "clCreateFromD3D11BufferKHR") != NULL);
    CHECK(by_name(platform, "clCreateCommandBufferKHR") == extension("clCreateCommandBufferKHR"));
    CHECK(by_name(platform, "clGetPlatformIDs") && by_name(platform, "clUnloadCompiler"));
    CHECK(by_name(platform, "clNothing") == NULL);
    CHECK(by_name(platform, "") == NULL);
    CHECK(by_name(platform, NULL) == NULL);
    CHECK(by_name(NULL, "clGetDeviceIDs") == NULL);
    CHECK(set_data(NULL, platform) == CL_INVALID_PLATFORM);
    /* OpenCL 3.1: behind clSetContextDestructorCallback, whatever the headers know of it */
    void *const *last = (void *const *)&table->clSetContextDestructorCallback;
    CHECK(last[1] && last[1] == by_name(platform, "clGetKernelSuggestedLocalWorkSize"));
    const struct {
        uint64_t platforms, compiler;
    } tags = {(uintptr_t)(void *)table->clGetPlatformIDs, (uintptr_t)(void *)table->clUnloadCompiler};
    CHECK(tags.platforms == tag && tags.compiler == tag);
}

/* Objects of every kind carry what the loader gave to the platform. */
static void test_objects(const cl_icd_dispatch *table, cl_device_id device, void *data)
{
    const char *text = "kernel void f(global int *out) { out[0] = 1; }\n";
    const size_t one = 1;
    cl_int error = CL_SUCCESS;
    CHECK(has_data(device, data));
    cl_context context = table->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = table->clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_mem mem = table->clCreateBuffer(context, 0, 256, NULL, &error);
    const cl_buffer_region region = {0, 128};
    cl_mem part = table->clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_program program = table->clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK(table->clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = table->clCreateKernel(program, "f", &error);
    cl_kernel clone = table->clCloneKernel(kernel, &error);
    cl_event user = table->clCreateUserEvent(context, &error), event = NULL;
    CHECK(table->clSetKernelArg(kernel, 0, sizeof(mem), &mem) == CL_SUCCESS);
    size_t local = 0;
    cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    void *address = ((void *const *)&table->clSetContextDestructorCallback)[1];
    memcpy(&suggest, &address, sizeof(suggest));
    CHECK(suggest(queue, kernel, 1, NULL, &one, &local) == CL_SUCCESS && local == 1);
    CHECK(suggest(queue, kernel, 1, NULL, &one, NULL) == CL_INVALID_VALUE);
    CHECK(table->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event) == CL_SUCCESS);
    CHECK(table->clFinish(queue) == CL_SUCCESS);
    void *const objects[] = {context, queue, mem, part, program, kernel, clone, user, event};
    for (size_t i = 0; i < COUNT(objects); i++)
        CHECK(has_data(objects[i], data) && ((struct object *)objects[i])->dispatch == table);
    CHECK(table->clReleaseEvent(event) == CL_SUCCESS);
    CHECK(table->clReleaseEvent(user) == CL_SUCCESS);
    CHECK(table->clReleaseKernel(clone) == CL_SUCCESS);
    CHECK(table->clReleaseKernel(kernel) == CL_SUCCESS);
    CHECK(table->clReleaseProgram(program) == CL_SUCCESS);
    CHECK(table->clReleaseMemObject(part) == CL_SUCCESS);
    CHECK(table->clReleaseMemObject(mem) == CL_SUCCESS);
    CHECK(table->clReleaseCommandQueue(queue) == CL_SUCCESS);
    CHECK(table->clReleaseContext(context) == CL_SUCCESS);
}

/* A loader starts, is used, and ends: twice, as cl_khr_icd_unloadable allows. */
int main(void)
{
    static int datas[2];
    for (int round = 0; round < 2; round++) {
        cl_platform_id platform = NULL;
        cl_uint count = 0, num_devices = 0;
        cl_device_id devices[8];
        if (!open_library()) {
            fprintf(stderr, "OCL_ICD_VENDORS names no library of Pumice\n");
            return 1;
        }
        CHECK(get_platforms(1, &platform, &count) == CL_SUCCESS && count == 1);
        CHECK(set_data(platform, &datas[round]) == CL_SUCCESS);
        CHECK(has_data(platform, &datas[round]));
        const cl_icd_dispatch *table = ((struct object *)platform)->dispatch;
        char text[8192];
        for (cl_uint name = CL_PLATFORM_PROFILE; name <= CL_PLATFORM_NUMERIC_VERSION; name++)
            CHECK(exported_info(platform, name, sizeof(text), text, NULL) == CL_SUCCESS);
        CHECK(exported_info(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof(text), text, NULL) == CL_SUCCESS);
        CHECK(round > 0 || !vulkan_is_loaded());
        test_names(platform, table);
        if (table->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT(devices), devices, &num_devices) != CL_SUCCESS) {
            printf("no device\n");
            return 77;
        }
        num_devices = num_devices < COUNT(devices) ? num_devices : COUNT(devices);
        test_extensions(platform, table, devices, num_devices);
        test_objects(table, devices[0], &datas[round]);
        CHECK(dlclose(library) == 0);
    }
    return test_result();
}
