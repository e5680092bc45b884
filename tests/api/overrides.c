/* PUMICE_DEVICE_NAME, PUMICE_DEVICE_VENDOR, PUMICE_DEVICE_TYPE and PUMICE_EXTENSIONS change what queries answer, and nothing else. They are
 * set before the driver is asked for anything. */
#include "api_test.h"

static bool has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

static cl_uint count_versions(const cl_name_version *versions, size_t count, const char *name)
{
    cl_uint found = 0;
    for (size_t i = 0; i < count; i++)
        found += !strcmp(versions[i].name, name);
    return found;
}

static void lists(void)
{
    static char text[16384];
    static cl_name_version versions[512];
    size_t size = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL) == CL_SUCCESS);
    CHECK(has(text, "cl_test_added"));
    CHECK(has(text, "cl_khr_byte_addressable_store"));
    CHECK(!has(text, "cl_khr_il_program"));
    CHECK(!strstr(text, "not-a-name") && !strstr(text, "unsigned_word"));
    /* listed anyway: not twice */
    CHECK(!strstr(strstr(text, "cl_khr_byte_addressable_store") + 1, "cl_khr_byte_addressable_store"));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof(versions), versions, &size) == CL_SUCCESS);
    CHECK(count_versions(versions, size / sizeof(versions[0]), "cl_test_added") == 1);
    CHECK(count_versions(versions, size / sizeof(versions[0]), "cl_khr_byte_addressable_store") == 1);
    CHECK(count_versions(versions, size / sizeof(versions[0]), "cl_khr_il_program") == 0);
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof(text), text, NULL) == CL_SUCCESS);
    CHECK(has(text, "cl_test_added") && !has(text, "cl_khr_il_program"));
}

static void macros(void)
{
    static const char source[] =
        "#ifdef cl_test_added\n#error added\n#endif\n#ifdef cl_khr_il_program\n#error hidden\n#endif\n"
        "#ifndef cl_khr_byte_addressable_store\n#error lost\n#endif\nkernel void k() {}\n";
    const char *text = source;
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code == CL_SUCCESS);
    CHECK(clBuildProgram(program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS);
    clReleaseProgram(program);
}

/* An accelerator is what no device of the tests is by itself. */
static void types(void)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_device_type type = 0;
    cl_uint all = 0, count = 0;
    cl_int code;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_DEVICE_TYPE_ACCELERATOR);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 0, NULL, &count));
    CHECK(count == all);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count));
    CODE(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, 0, NULL, &count));
    cl_context made = clCreateContextFromType(properties, CL_DEVICE_TYPE_ACCELERATOR, NULL, NULL, &code);
    CHECK(made && code == CL_SUCCESS);
    clReleaseContext(made);
    NO_OBJECT(CL_DEVICE_NOT_FOUND, clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &error));
}

int main(void)
{
    char text[256];
    setenv("PUMICE_DEVICE_NAME", "Test Device 9000", 1);
    setenv("PUMICE_DEVICE_VENDOR", "Test Corporation", 1);
    setenv("PUMICE_EXTENSIONS",
           "+cl_test_added, -cl_khr_il_program,unsigned_word,+not-a-name,+,,+cl_khr_byte_addressable_store", 1);
    setenv("PUMICE_DEVICE_TYPE", "Accelerator", 1);
    setenv("PUMICE_LOG", "off", 1);
    open_device(0);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text), text, NULL) == CL_SUCCESS);
    CHECK(!strcmp(text, "Test Device 9000"));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof(text), text, NULL) == CL_SUCCESS);
    CHECK(!strcmp(text, "Test Corporation"));
    types();
    lists();
    macros();
    return close_device();
}
