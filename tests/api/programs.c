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
    return close_device();
}
