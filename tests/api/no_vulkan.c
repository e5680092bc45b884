/* Machines without Vulkan, or with a broken one: the platform is there, has no device, and nothing crashes. And asking
 * for platforms alone never touches Vulkan (but for the platform's extensions, which are what all devices offer): many
 * programs list platforms that they do not use. Loader and driver read the environment when they start, so each case is
 * this program again, with an argument. */
#include "api_test.h"

#include <sys/wait.h>
#include <unistd.h>

static char directory[64] = "/tmp/pumice-no-vulkan-XXXXXX";

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

static void find_platform(void)
{
    platform = test_find_platform("Pumice");
    NEED(platform);
}

static void only_platform(void)
{
    static const cl_platform_info names[] = {
        CL_PLATFORM_PROFILE,
        CL_PLATFORM_VERSION,
        CL_PLATFORM_NAME,
        CL_PLATFORM_VENDOR,
        CL_PLATFORM_ICD_SUFFIX_KHR,
        CL_PLATFORM_NUMERIC_VERSION,
        CL_PLATFORM_HOST_TIMER_RESOLUTION,
    };
    char value[4096];
    find_platform();
    for (size_t i = 0; i < COUNT(names); i++)
        OK(clGetPlatformInfo(platform, names[i], sizeof(value), value, NULL));
    CHECK(!vulkan_is_loaded());
}

static void no_devices(void)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU,
                                           CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR};
    cl_uint count;
    cl_device_id found;
    find_platform();
    for (size_t i = 0; i < COUNT(types); i++) {
        cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
        CODE(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, types[i], 0, NULL, &count));
        CODE(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, types[i], 1, &found, NULL));
        NO_OBJECT(CL_DEVICE_NOT_FOUND, clCreateContextFromType(properties, types[i], NULL, NULL, &error));
    }
    char extensions[4096];
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof(extensions), extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_icd") != NULL);
    OK(clUnloadPlatformCompiler(platform));
}

/* This program again, with an argument and one variable set. */
static int again(const char *argument, const char *variable, const char *value)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        unsetenv("VK_DRIVER_FILES"); /* it would come before VK_ICD_FILENAMES */
        setenv(variable, value, 1);
        execl("/proc/self/exe", "no_vulkan", argument, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status))
        printf("%s with %s=%s: signal %d\n", argument, variable, value, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *write_file(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    NEED(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        if (strcmp(argv[1], "platform") == 0)
            only_platform();
        else
            no_devices();
        return test_result();
    }
    NEED(mkdtemp(directory));
    CHECK(again("platform", "PUMICE_CACHE", "0") == 0);
    CHECK(again("devices", "VK_ICD_FILENAMES", "/nonexistent") == 0);
    CHECK(again("devices", "VK_ICD_FILENAMES", write_file("text.json", "{ no manifest")) == 0);
    CHECK(again("devices", "VK_ICD_FILENAMES",
                write_file("missing.json", "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
                                           "\"/nonexistent.so\", \"api_version\": \"1.3.0\"}}")) == 0);
    /* a loader that is none */
    write_file("libvulkan.so.1", "");
    write_file("libvulkan.so", "");
    CHECK(again("devices", "LD_LIBRARY_PATH", directory) == 0);
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    CHECK(system(command) == 0);
    return test_result();
}
