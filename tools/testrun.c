/* Runs test files through the OpenCL API alone, so that the same file runs on any vendor's driver. */
#define CL_TARGET_OPENCL_VERSION 300
#include "testfile.h"

#include "base/platform.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED };

struct target {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue on_device; /* the default queue of kernels that enqueue kernels; NULL: the device has none */
    char platform[128], name[256], extensions[8192]; /* with the features of OpenCL C 3.0 behind */
    unsigned version;                                /* 300 for OpenCL C 3.0: the highest that the device compiles */
    size_t largest_group;                            /* work-items */
    bool images;
};

static void query_versions(struct target *target)
{
    char text[128] = "";
    unsigned major = 1, minor = 2;
    clGetDeviceInfo(target->device, CL_DEVICE_OPENCL_C_VERSION, sizeof(text), text, NULL);
    sscanf(text, "OpenCL C %u.%u", &major, &minor);
    target->version = major * 100 + minor * 10;
    cl_name_version versions[32];
    size_t size = 0;
    if (clGetDeviceInfo(target->device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(versions), versions, &size) !=
        CL_SUCCESS)
        return;
    for (size_t i = 0; i < size / sizeof(*versions); i++) {
        unsigned version = CL_VERSION_MAJOR(versions[i].version) * 100 + CL_VERSION_MINOR(versions[i].version) * 10;
        if (version > target->version)
            target->version = version;
    }
}

static void query_features(struct target *target)
{
    cl_name_version features[96];
    size_t size = 0, length = strlen(target->extensions);
    if (clGetDeviceInfo(target->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features, &size) != CL_SUCCESS)
        return;
    for (size_t i = 0; i < size / sizeof(*features) && length < sizeof(target->extensions); i++)
        length +=
            (size_t)snprintf(target->extensions + length, sizeof(target->extensions) - length, " %s", features[i].name);
}

static bool has_word(const char *list, const char *word);

/* So that get_default_queue() gives one. */
static void open_device_queue(struct target *target)
{
    cl_int code;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
                                              0};
    if (has_word(target->extensions, "__opencl_c_device_enqueue"))
        target->on_device = clCreateCommandQueueWithProperties(target->context, target->device, properties, &code);
}

static bool open_target(struct target *target, cl_platform_id platform, cl_device_id device)
{
    cl_int code;
    cl_bool images = CL_FALSE;
    target->device = device;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(target->platform), target->platform, NULL);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(target->name), target->name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(target->extensions), target->extensions, NULL);
    clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(target->largest_group), &target->largest_group, NULL);
    target->images = images;
    query_versions(target);
    query_features(target);
    target->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (!target->context)
        return false;
    target->queue = clCreateCommandQueueWithProperties(target->context, device, NULL, &code);
    open_device_queue(target);
    return target->queue != NULL;
}

static void close_target(struct target *target)
{
    if (target->on_device)
        clReleaseCommandQueue(target->on_device);
    if (target->queue)
        clReleaseCommandQueue(target->queue);
    if (target->context)
        clReleaseContext(target->context);
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

/* The first requirement that the device lacks, or NULL. */
static const char *missing(const struct target *target, char *require)
{
    char *save;
    for (char *word = strtok_r(require, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        bool met;
        unsigned major, minor;
        if (sscanf(word, ">=%u.%u", &major, &minor) == 2)
            met = target->version >= major * 100 + minor * 10;
        else if (!strcmp(word, "images"))
            met = target->images;
        else if (!strcmp(word, "fp64"))
            met = has_word(target->extensions, "cl_khr_fp64");
        else if (!strcmp(word, "fp16"))
            met = has_word(target->extensions, "cl_khr_fp16");
        else
            met = has_word(target->extensions, word);
        if (!met)
            return word;
    }
    return NULL;
}

static bool fail(const char *what, cl_int code)
{
    printf("    %s: error %d\n", what, code);
    return false;
}

static char *build_log(const struct target *target, cl_program program)
{
    size_t size = 0;
    clGetProgramBuildInfo(program, target->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log)
        clGetProgramBuildInfo(program, target->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

/* Compiles; *program is NULL when that failed, as it should or not. */
static bool build(const struct target *target, const struct test_case *test, cl_program *program)
{
    cl_int code;
    const char *source = test->source;
    *program = clCreateProgramWithSource(target->context, 1, &source, NULL, &code);
    if (!*program)
        return fail("clCreateProgramWithSource", code);
    code = clBuildProgram(*program, 1, &target->device, test->options, NULL, NULL);
    if (code == CL_SUCCESS && !test->build_fails)
        return true;
    char *log = build_log(target, *program);
    bool ok = test->build_fails && code == CL_BUILD_PROGRAM_FAILURE && log && strstr(log, test->log_part);
    if (!ok && code == CL_SUCCESS)
        printf("    builds, but should not\n");
    else if (!ok)
        printf("    build: error %d\n%s\n", code, log ? log : "");
    free(log);
    clReleaseProgram(*program);
    *program = NULL;
    return ok;
}

static bool is_empty(const struct test_data *data)
{
    bool empty = false;
    for (size_t i = 0; i < data->count; i++)
        empty |= data->any[i];
    return empty;
}

/* Writes what has values, one piece after another. */
static cl_int write_pieces(const struct target *target, const struct test_data *data, cl_mem buffer)
{
    size_t size = scalar_size(data->scalar);
    cl_int code = CL_SUCCESS;
    for (size_t begin = 0, end; begin < data->count && code == CL_SUCCESS; begin = end) {
        for (end = begin; end < data->count && data->any[end] == data->any[begin]; end++)
            continue;
        if (!data->any[begin])
            code = clEnqueueWriteBuffer(target->queue, buffer, CL_TRUE, begin * size, (end - begin) * size,
                                        data->bytes + begin * size, 0, NULL, NULL);
    }
    return code;
}

static cl_mem make_buffer(const struct target *target, const struct test_data *data, cl_int *code)
{
    size_t bytes = data->count * scalar_size(data->scalar);
    bool empty = is_empty(data);
    cl_mem_flags flags = CL_MEM_READ_WRITE | (empty ? 0 : CL_MEM_COPY_HOST_PTR);
    cl_mem buffer = clCreateBuffer(target->context, flags, bytes, empty ? NULL : data->bytes, code);
    if (*code == CL_SUCCESS && empty)
        *code = write_pieces(target, data, buffer);
    return buffer;
}

static bool set_args(const struct target *target, const struct test_case *test, cl_kernel kernel, cl_mem *buffers)
{
    for (uint32_t i = 0; i < test->num_args; i++) {
        const struct test_arg *arg = &test->args[i];
        size_t bytes = arg->data.count * scalar_size(arg->data.scalar);
        cl_int code = CL_SUCCESS;
        if (arg->kind == TEST_ARG_BUFFER) {
            buffers[i] = make_buffer(target, &arg->data, &code);
            if (code == CL_SUCCESS)
                code = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
        } else if (arg->kind == TEST_ARG_VALUE) {
            code = clSetKernelArg(kernel, i, bytes, arg->data.bytes);
        } else if (arg->kind == TEST_ARG_LOCAL) {
            code = clSetKernelArg(kernel, i, arg->local_bytes, NULL);
        } else {
            code = clSetKernelArg(kernel, i, sizeof(cl_mem), NULL);
        }
        if (code != CL_SUCCESS)
            return fail(arg->name, code);
    }
    return true;
}

static bool check_buffers(const struct target *target, const struct test_case *test, cl_mem *buffers)
{
    bool ok = true;
    for (uint32_t i = 0; i < test->num_args; i++) {
        const struct test_arg *arg = &test->args[i];
        if (!arg->expected)
            continue;
        size_t bytes = arg->data.count * scalar_size(arg->data.scalar);
        uint8_t *actual = malloc(bytes ? bytes : 1);
        cl_int code = actual ? clEnqueueReadBuffer(target->queue, buffers[i], CL_TRUE, 0, bytes, actual, 0, NULL, NULL)
                             : CL_OUT_OF_HOST_MEMORY;
        ok = code == CL_SUCCESS ? !test_data_compare(arg, actual, "    ") && ok : fail("clEnqueueReadBuffer", code);
        free(actual);
    }
    return ok;
}

/* Standard output goes to a file while a printing kernel runs. */
static int capture_begin(FILE *file)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    return saved;
}

static bool capture_end(FILE *file, int saved, const char *expected)
{
    char text[4096];
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    if (!strcmp(text, expected))
        return true;
    printf("    printed \"%s\", expected \"%s\"\n", text, expected);
    return false;
}

static bool launch(const struct target *target, const struct test_case *test, cl_kernel kernel)
{
    FILE *file = test->has_print ? platform_temporary_file() : NULL;
    int saved = file ? capture_begin(file) : -1;
    cl_int code =
        clEnqueueNDRangeKernel(target->queue, kernel, test->dimensions, test->has_offset ? test->offset : NULL,
                               test->global, test->has_local ? test->local : NULL, 0, NULL, NULL);
    cl_int finished = code == CL_SUCCESS ? clFinish(target->queue) : CL_SUCCESS;
    bool ok = !file || capture_end(file, saved, test->print);
    if (file)
        fclose(file);
    if (code != CL_SUCCESS)
        return fail("clEnqueueNDRangeKernel", code);
    return finished == CL_SUCCESS ? ok : fail("clFinish", finished);
}

static bool run_built(const struct target *target, const struct test_case *test, cl_program program)
{
    cl_int code;
    cl_mem buffers[MAX_TEST_ARGS] = {0};
    cl_kernel kernel = clCreateKernel(program, test->kernel, &code);
    if (!kernel)
        return fail("clCreateKernel", code);
    bool ok =
        set_args(target, test, kernel, buffers) && launch(target, test, kernel) && check_buffers(target, test, buffers);
    for (uint32_t i = 0; i < test->num_args; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    }
    clReleaseKernel(kernel);
    return ok;
}

static enum outcome run_case(const struct target *target, const struct test_case *test, char *reason,
                             size_t reason_size)
{
    char require[sizeof(test->require)];
    memcpy(require, test->require, sizeof(require));
    const char *lacks = missing(target, require);
    if (lacks) {
        snprintf(reason, reason_size, "no %s", lacks);
        return OUTCOME_SKIPPED;
    }
    size_t group = test->local[0] * test->local[1] * test->local[2];
    if (group > target->largest_group) {
        snprintf(reason, reason_size, "no work-groups of %zu work-items", group);
        return OUTCOME_SKIPPED;
    }
    cl_program program;
    bool ok = build(target, test, &program);
    if (ok && program)
        ok = run_built(target, test, program);
    if (program)
        clReleaseProgram(program);
    return ok ? OUTCOME_PASSED : OUTCOME_FAILED;
}

static bool is_todo(const struct target *target, const struct test_case *test)
{
    char word[64] = "";
    return sscanf(test->todo, "%63s", word) == 1 && (strstr(target->name, word) || strstr(target->platform, word));
}

static void run_on(const struct target *target, const struct test_file *file, const char *path,
                   const struct run_options *options, struct test_totals *totals)
{
    for (uint32_t i = 0; i < file->num_cases; i++) {
        const struct test_case *test = &file->cases[i];
        char reason[600] = "";
        if (options->filter &&
            (options->whole_name ? strcmp(test->name, options->filter) != 0 : !strstr(test->name, options->filter)))
            continue;
        enum outcome outcome = run_case(target, test, reason, sizeof(reason));
        bool todo = is_todo(target, test);
        if (outcome == OUTCOME_SKIPPED) {
            totals->skipped++;
            printf("skip %s:%u %s: %s\n", path, test->line, test->name, reason);
        } else if (todo && outcome == OUTCOME_FAILED) {
            totals->todo++;
            printf("todo %s:%u %s: %s\n", path, test->line, test->name, test->todo);
        } else if (todo) {
            totals->failed++;
            printf("FAIL %s:%u %s: passes although marked todo: %s\n", path, test->line, test->name, test->todo);
        } else if (outcome == OUTCOME_FAILED) {
            totals->failed++;
            printf("FAIL %s:%u %s\n", path, test->line, test->name);
        } else {
            totals->passed++;
            if (options->verbose)
                printf("pass %s:%u %s\n", path, test->line, test->name);
        }
        fflush(stdout);
    }
}

bool test_file_run(const struct test_file *file, const char *path, const struct run_options *options,
                   struct test_totals *totals)
{
    cl_platform_id platforms[16];
    cl_uint num_platforms = 0;
    bool any = false;
    clGetPlatformIDs(16, platforms, &num_platforms);
    for (cl_uint p = 0; p < num_platforms && p < 16; p++) {
        char name[128] = "";
        cl_device_id devices[16];
        cl_uint num_devices = 0;
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (options->platform && !strstr(name, options->platform))
            continue;
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &num_devices);
        for (cl_uint d = 0; d < num_devices && d < 16; d++) {
            struct target target = {0};
            if (open_target(&target, platforms[p], devices[d]) &&
                (!options->device || strstr(target.name, options->device))) {
                any = true;
                run_on(&target, file, path, options, totals);
            }
            close_target(&target);
        }
    }
    return any;
}
