/* Builds every OpenCL C program of a process by clang and llvm-spirv instead of the driver's own compiler: a library
 * for LD_PRELOAD, which turns the programs of clCreateProgramWithSource() into ones of clCreateProgramWithIL().
 * CLANG_IL_OWN=22 takes clang 22 and its own back end for SPIR-V in place of clang 15 and llvm-spirv 15.
 *
 * What clang or llvm-spirv refuse is built from its source, as are programs that are compiled and linked in two steps.
 * CLANG_IL_OPTIONS has options of clang beside the program's own.
 *
 * CLANG_IL_REPORT names a file that gets a line for each program built: "il", "refused: the first line of why" or
 * "failed: error" where the driver does not build the IL. CLANG_IL_LEVEL is the level of optimisation (2). With
 * CLANG_IL_KEEP, a directory, sources and modules stay there. One thread at a time may build. */
#pragma GCC visibility push(default) /* the process finds these functions before the loader's */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A program of the application's, and what stands for it once it was built. */
struct twin {
    struct twin *next;
    cl_program source, il;
    cl_context context;
    char *text;
    int users;
};

static struct twin *twins;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static struct twin *find(cl_program program)
{
    pthread_mutex_lock(&lock);
    struct twin *twin = twins;
    while (twin && twin->source != program)
        twin = twin->next;
    pthread_mutex_unlock(&lock);
    return twin;
}

static cl_program built(cl_program program)
{
    struct twin *twin = find(program);
    return twin && twin->il ? twin->il : program;
}

static void report(const char *what, const char *more)
{
    const char *path = getenv("CLANG_IL_REPORT");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s%.*s\n", what, (int)strcspn(more, "\n"), more);
    fclose(file);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        data = calloc(*size + 1, 1);
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    if (file)
        fclose(file);
    return data;
}

/* ---- clang ---- */

/* The device's extensions, for -cl-ext. */
static void list_extensions(cl_device_id device, char *list, size_t size)
{
    char text[8192] = "", *save;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL);
    size_t length = (size_t)snprintf(list, size, "-all");
    for (char *word = strtok_r(text, " ", &save); word && length < size; word = strtok_r(NULL, " ", &save))
        length += (size_t)snprintf(list + length, size - length, ",+%s", word);
    cl_name_version features[96];
    size_t bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features, &bytes);
    for (size_t i = 0; i < bytes / sizeof(features[0]) && length < size; i++)
        length += (size_t)snprintf(list + length, size - length, ",+%s", features[i].name);
}

/* Runs the shell's command; its messages go to the file. */
static int run(const char *command, const char *messages)
{
    char line[32768];
    snprintf(line, sizeof(line), "env -u LD_PRELOAD %s >%s 2>&1", command, messages);
    return system(line);
}

/* The module of the source at base.cl, with these options; NULL: refused. */
static char *translate(const char *base, const char *options, const char *extensions, size_t *size)
{
    char command[30000], path[512], messages[512], why[600] = "";
    const char *level = getenv("CLANG_IL_LEVEL"), *quiet = strstr(options, "-cl-std") ? "" : "-cl-std=CL1.2";
    const char *version = getenv("CLANG_IL_OWN"); /* the clang that needs no llvm-spirv */
    const char *more = getenv("CLANG_IL_OPTIONS");
    snprintf(messages, sizeof(messages), "%s.log", base);
    snprintf(path, sizeof(path), "%s.spv", base);
    snprintf(command, sizeof(command),
             "clang-%s -target %s -O%s -c %s -w -ffp-contract=off -Xclang -finclude-default-header "
             "-Xclang -cl-ext=%s %s %s %s %s.cl -o %s.%s",
             version ? version : "15", version ? "spirv64" : "spir64", level ? level : "2",
             version ? "-mllvm -spirv-ext=all" : "-emit-llvm", extensions, quiet, options, more ? more : "", base, base,
             version ? "spv" : "bc");
    int failed = run(command, messages);
    if (!failed && !version) {
        snprintf(command, sizeof(command), "llvm-spirv-15 --spirv-ext=+SPV_INTEL_memory_access_aliasing %s.bc -o %s",
                 base, path);
        failed = run(command, messages);
    }
    if (failed) {
        size_t length = 0;
        char *log = read_all(messages, &length);
        const char *error = log ? strstr(log, "error:") : NULL;
        snprintf(why, sizeof(why), "%s", error ? error : log ? log : "");
        report("refused: ", why);
        free(log);
        return NULL;
    }
    return read_all(path, size);
}

static void remove_files(const char *base)
{
    static const char *const suffixes[] = {".cl", ".bc", ".spv", ".log"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s%s", base, suffixes[i]);
        unlink(path);
    }
}

/* Makes twin->il, not built yet. */
static void make_il(struct twin *twin, cl_device_id device, const char *options)
{
    char base[400], path[512], extensions[8192];
    const char *kept = getenv("CLANG_IL_KEEP");
    snprintf(base, sizeof(base), "%s/clang-il-%d-%d", kept ? kept : "/tmp", (int)getpid(), count++);
    snprintf(path, sizeof(path), "%s.cl", base);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fputs(twin->text, file);
    fclose(file);
    list_extensions(device, extensions, sizeof(extensions));
    size_t size = 0;
    char *module = translate(base, options, extensions, &size);
    if (!kept)
        remove_files(base);
    cl_int code;
    if (module)
        twin->il = clCreateProgramWithIL(twin->context, module, size, &code);
    if (module && !twin->il)
        report("failed: ", "clCreateProgramWithIL");
    free(module);
}

/* ---- the API ---- */

cl_program clCreateProgramWithSource(cl_context context, cl_uint num, const char **strings, const size_t *lengths,
                                     cl_int *error)
{
    cl_program program = REAL(clCreateProgramWithSource)(context, num, strings, lengths, error);
    size_t size = 1;
    for (cl_uint i = 0; program && i < num; i++)
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    struct twin *twin = program ? calloc(1, sizeof(*twin)) : NULL;
    if (!twin)
        return program;
    *twin = (struct twin){.source = program, .context = context, .text = calloc(size, 1), .users = 1};
    char *end = twin->text;
    for (cl_uint i = 0; end && i < num; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        end = (char *)memcpy(end, strings[i], length) + length;
    }
    pthread_mutex_lock(&lock);
    twin->next = twins;
    twins = twin;
    pthread_mutex_unlock(&lock);
    return program;
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    struct twin *twin = find(program);
    cl_device_id device = num_devices && devices ? devices[0] : NULL;
    if (twin && !device)
        clGetProgramInfo(twin->source, CL_PROGRAM_DEVICES, sizeof(device), &device, NULL);
    if (twin && !notify && !twin->il)
        make_il(twin, device, options ? options : "");
    if (twin && twin->il) {
        const char *relaxed = options && strstr(options, "-cl-fast-relaxed-math") ? "-cl-fast-relaxed-math" : "";
        cl_int code = REAL(clBuildProgram)(twin->il, num_devices, devices, relaxed, NULL, NULL);
        char text[64];
        snprintf(text, sizeof(text), "clBuildProgram %d", code);
        report(code == CL_SUCCESS ? "il" : "failed: ", code == CL_SUCCESS ? "" : text);
        return code;
    }
    return REAL(clBuildProgram)(program, num_devices, devices, options, notify, data);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    return REAL(clCreateKernel)(built(program), name, error);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels, cl_uint *num_ret)
{
    return REAL(clCreateKernelsInProgram)(built(program), num, kernels, num_ret);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    return REAL(clGetProgramInfo)(name == CL_PROGRAM_SOURCE ? program : built(program), name, size, value, size_ret);
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name, size_t size,
                             void *value, size_t *size_ret)
{
    return REAL(clGetProgramBuildInfo)(built(program), device, name, size, value, size_ret);
}

cl_int clRetainProgram(cl_program program)
{
    struct twin *twin = find(program);
    if (twin)
        twin->users++;
    return REAL(clRetainProgram)(program);
}

cl_int clReleaseProgram(cl_program program)
{
    struct twin *twin = find(program);
    if (twin && --twin->users == 0) {
        pthread_mutex_lock(&lock);
        struct twin **link = &twins;
        while (*link != twin)
            link = &(*link)->next;
        *link = twin->next;
        pthread_mutex_unlock(&lock);
        if (twin->il)
            REAL(clReleaseProgram)(twin->il);
        free(twin->text);
        free(twin);
    }
    return REAL(clReleaseProgram)(program);
}
