/* A program that refuses devices by their name is told another (base/programs.def): as soon as its library is loaded,
 * unless the environment says otherwise.
 *     api_programs LIBRARY */
#include "api_test.h"

#include <dlfcn.h>

static const char *name(void)
{
    static char text[512];
    text[0] = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text), text, NULL));
    return text;
}

static cl_int build_code(const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK(program && error == CL_SUCCESS);
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    clReleaseProgram(program);
    return code;
}

/* PUMICE_BUILD_OPTIONS come behind the application's own, and are not told as its options. */
static void options(void)
{
    static const char wants[] = "#if ONE != 1 || TWO != 2\n#error\n#endif\nkernel void k() {}\n";
    setenv("PUMICE_BUILD_OPTIONS", "-DTWO=2", 1);
    CHECK(build_code(wants, "-DONE=1") == CL_SUCCESS);
    CHECK(build_code(wants, NULL) == CL_BUILD_PROGRAM_FAILURE);
    setenv("PUMICE_BUILD_OPTIONS", "-no-option-of-ours", 1);
    CHECK(build_code(wants, "-DONE=1") == CL_INVALID_BUILD_OPTIONS);
    unsetenv("PUMICE_BUILD_OPTIONS");
    CHECK(build_code(wants, "-DONE=1") == CL_BUILD_PROGRAM_FAILURE);
}

int main(int count, char **args)
{
    char fact[256], told[300];
    size_t size = 0;
    if (count < 2)
        return 2;
    unsetenv("PUMICE_DEVICE_NAME");
    unsetenv("PUMICE_PROGRAMS");
    open_device(0);
    snprintf(fact, sizeof(fact), "%s", name());
    snprintf(told, sizeof(told), "%s as Intel", fact);
    CHECK(!strstr(fact, " as Intel"));

    void *library = dlopen(args[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CHECK(!strcmp(name(), told));
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, &size));
    CHECK(size == strlen(told) + 1);
    setenv("PUMICE_PROGRAMS", "0", 1);
    CHECK(!strcmp(name(), fact));
    unsetenv("PUMICE_PROGRAMS");

    setenv("PUMICE_DEVICE_NAME", "Mine", 1);
    CHECK(!strcmp(name(), "Mine"));
    setenv("PUMICE_DEVICE_NAME", "<*>", 1);
    snprintf(told, sizeof(told), "<%s>", fact);
    CHECK(!strcmp(name(), told));
    unsetenv("PUMICE_DEVICE_NAME");

    dlclose(library);
    CHECK(!strcmp(name(), fact));
    options();
    return close_device();
}
