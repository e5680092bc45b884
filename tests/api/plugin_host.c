/* Loads plugin.c's plug-in, with a cache that is empty, so that nothing is known of any device: no query may wait for
 * one of our threads or the driver's.
 *     plugin_host PLUGIN */
#include "api_test.h"

#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char folder[] = "/tmp/pumice-plugin-XXXXXX";
    if (argc < 2 || !mkdtemp(folder))
        return 1;
    unsetenv("PUMICE_CACHE");
    unsetenv("PUMICE_PROBE");
    setenv("PUMICE_CACHE_DIR", folder, 1);
    alarm(60); /* what hangs is killed, and seen */
    void *plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin)
        fprintf(stderr, "%s\n", dlerror());
    NEED(plugin);
    const int *asked = dlsym(plugin, "plugin_asked");
    NEED(asked);
    if (!*asked)
        return TEST_SKIPPED;
    open_device(0);
    /* afterwards all is as ever */
    cl_program program = build("kernel void k(global float *a) { a[0] = sqrt(a[0]); }", "");
    OK(clReleaseProgram(program));
    const cl_device_fp_config *told = dlsym(plugin, "plugin_config");
    cl_device_fp_config config = 0;
    NEED(told);
    OK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL));
    CHECK(config == *told); /* the device was measured since, and what was told once stays */
    int result = close_device();
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(system(command) == 0);
    return result ? result : test_result();
}
