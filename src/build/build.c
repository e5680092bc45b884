/* Building programs: source, IL or binaries go through the compiler for each device. Then every kernel is lowered at
 * once, so that what the device cannot do fails the build, with a log, and is no surprise at the launch.
 *
 * A build is made aside and put into the program when it is complete: other threads see CL_BUILD_IN_PROGRESS or the
 * result, never something in between. */
#include "src/build/admit.h"
#include "src/build/build.h"
#include "src/build/cache.h"
#include "src/build/structors.h"
#include "src/device/device.h"
#include "src/object/ahead.h"
#include "src/object/context.h"
#include "src/object/program.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/spirv.h"
#include "base/thread.h"
#include "base/trace.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum action { BUILD, COMPILE, LINK };

/* What a program's log says where the compiler had no memory left for one. */
static const char out_of_memory_log[] = "fatal error: out of memory\n";

static cl_int error_code(enum clc_result result, enum action action)
{
    static const cl_int failure[] = {CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_LINK_PROGRAM_FAILURE};
    static const cl_int options[] = {CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS, CL_INVALID_LINKER_OPTIONS};
    switch (result) {
    case CLC_SUCCESS:
        return CL_SUCCESS;
    case CLC_INVALID_OPTIONS:
        return options[action];
    case CLC_OUT_OF_MEMORY:
        return CL_OUT_OF_HOST_MEMORY;
    case CLC_FAILED:
    case CLC_INVALID_BINARY:
        break;
    }
    return failure[action];
}

/* kernel NULL: of the program's variables. */
static void append_log(struct ocl_build *build, const char *kernel, const char *message)
{
    size_t old = build->log ? strlen(build->log) : 0;
    size_t size = old + (kernel ? strlen(kernel) : 0) + strlen(message) + 40;
    char *log = realloc(build->log, size);
    if (!log)
        return;
    char *end = stpcpy(log + old, kernel ? "error: kernel '" : "error: the program's variables");
    end = stpcpy(end, kernel ? kernel : "");
    end = stpcpy(end, kernel ? "': " : ": ");
    end = stpcpy(end, message);
    stpcpy(end, "\n");
    build->log = log;
}

/* SPIR-V 1.6, 2.3 and 3.52: the language version is in OpSource, which comes before the first function. */
static void scan_module(struct ocl_build *build)
{
    enum { OP_SOURCE = 3, OP_FUNCTION = 54, OPENCL_C = 3 };
    size_t count;
    const uint32_t *words = clc_program_spirv(build->program, &count);
    uint32_t version = 200000;
    struct spirv_walk walk = spirv_walk(words, count);
    while (spirv_next(&walk) && walk.op != OP_FUNCTION) {
        if (walk.op == OP_SOURCE && walk.length >= 3)
            version = walk.inst[1] == OPENCL_C ? walk.inst[2] : 200000;
    }
    build->uniform_groups = version < 200000 || clc_program_wants_uniform_groups(build->program);
}

static void count_kernels(struct ocl_build *build)
{
    while (build->num_kernels < build->num_codes && build->codes[build->num_kernels].info->role == CLC_KERNEL_ORDINARY)
        build->num_kernels++;
}

static struct ocl_code *make_codes(const struct clc_program *program, uint32_t *count)
{
    *count = clc_program_num_kernels(program);
    struct ocl_code *codes = calloc(*count ? *count : 1, sizeof(*codes));
    if (!codes)
        *count = 0;
    for (uint32_t i = 0; i < *count; i++) {
        codes[i].info = clc_program_kernel(program, i);
        pthread_mutex_init(&codes[i].mutex, NULL);
        atomic_init(&codes[i].ready, false);
    }
    return codes;
}

/* Takes the results of lowering. kernels: those that the cache did not have, in the same order. Returns the first
 * result that is no success. */
static enum clc_result take_lowered(struct ocl_build *build, struct clc_lowering *kernels)
{
    enum clc_result result = CLC_SUCCESS;
    for (uint32_t i = 0; i < build->num_codes; i++) {
        struct ocl_code *code = &build->codes[i];
        if (code->lowered)
            continue;
        code->lowered = kernels->lowered;
        if (!code->lowered)
            append_log(build, code->info->name, kernels->message ? kernels->message : "cannot be lowered");
        if (result == CLC_SUCCESS)
            result = kernels->result;
        free(kernels->message);
        kernels++;
    }
    return result;
}

static void log_refusal(void *data, const char *kernel, const char *reason)
{
    append_log(data, kernel, reason);
}

/* Lowers the program's kernels, and asks whether the device can run them. */
static enum clc_result lower_kernels(cl_program program, struct ocl_build *build, cl_device_id device,
                                     struct clc_timing *timing)
{
    const struct clc_target target = ocl_program_target(program, device);
    if (!build->codes)
        build->codes = make_codes(build->program, &build->num_codes);
    if (!build->codes)
        return CLC_OUT_OF_MEMORY;
    struct clc_lower_options options = {
        .target = &target,
        .timing = timing,
    };
    struct clc_lowering *kernels = calloc(build->num_codes ? build->num_codes : 1, sizeof(*kernels));
    if (!kernels)
        return CLC_OUT_OF_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < build->num_codes; i++) {
        if (!build->codes[i].lowered)
            kernels[count++].kernel = build->codes[i].info->name;
    }
    uint64_t begin = time_ns();
    clc_lower_kernels(build->program, kernels, count, &options, NULL, NULL);
    if (trace_enabled())
        trace_span("stage", "lower", begin, "\"kernels\":%u", count);
    enum clc_result result = take_lowered(build, kernels);
    free(kernels);
    if (result == CLC_SUCCESS && !ocl_admit(build, device, log_refusal, build))
        result = CLC_FAILED;
    return result;
}

static void log_times(const struct ocl_build *build, cl_device_id device, const struct clc_timing *timing,
                      uint64_t total, bool cached)
{
    enum clc_program_kind kind = clc_program_kind(build->program);
    if (kind != CLC_PROGRAM_EXECUTABLE) {
        log_info("%s for %s in %.3f ms%s (parse %.3f, emit %.3f)",
                 kind == CLC_PROGRAM_LIBRARY ? "made a library" : "compiled a program to be linked", device->caps->name,
                 (double)total / 1e6, cached ? " from the cache" : "", (double)timing->preprocess_parse / 1e6,
                 (double)timing->emit / 1e6);
        return;
    }
    log_info("built %u kernels for %s in %.3f ms%s (parse %.3f, emit %.3f, lower and write %.3f, which took all "
             "threads %.3f)",
             build->num_codes, device->caps->name, (double)total / 1e6, cached ? " from the cache" : "",
             (double)timing->preprocess_parse / 1e6, (double)timing->emit / 1e6, (double)timing->lower_elapsed / 1e6,
             (double)(timing->lower + timing->write) / 1e6);
}

/* Sets status and type, and makes the build the program's. */
static void publish(cl_program program, cl_uint index, struct ocl_build *build, enum clc_result result)
{
    build->status = result == CLC_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    count_kernels(build);
    if (result != CLC_SUCCESS) {
        build->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    } else if (clc_program_kind(build->program) == CLC_PROGRAM_EXECUTABLE) {
        build->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    } else {
        build->binary_type = clc_program_kind(build->program) == CLC_PROGRAM_LIBRARY
                                 ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                 : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    }
    if (result == CLC_SUCCESS)
        build->ahead = ocl_ahead_create(program->devices[index], build->codes, build->num_codes, build->num_kernels);
    ocl_lock(&program->mutex);
    build->loaded = program->builds[index].loaded;
    struct ocl_build old = program->builds[index];
    program->builds[index] = *build;
    ocl_unlock(&program->mutex);
    ocl_ahead_start(build->ahead);
    old.loaded = NULL;
    if (old.initialised)
        ocl_build_retire(program->context, program->devices[index], &old);
    else
        ocl_build_finish(&old);
}

/* The options with those of PUMICE_BUILD_OPTIONS behind them, for free(); NULL: out of memory. */
static char *all_options(const char *options)
{
    const char *more = setting_text(SETTING_BUILD_OPTIONS);
    if (!more)
        return strdup(options);
    size_t size = strlen(options) + strlen(more) + 2;
    char *all = malloc(size);
    if (all)
        snprintf(all, size, "%s %s", options, more);
    return all;
}

static enum clc_result from_source(cl_program program, cl_device_id device, const struct ocl_build_request *request,
                                   struct ocl_build *build, struct clc_timing *timing, bool *cached)
{
    char *options = all_options(request->options);
    struct clc_header *headers = calloc(request->num_headers ? request->num_headers : 1, sizeof(*headers));
    if (!options || !headers) {
        free(options);
        free(headers);
        return CLC_OUT_OF_MEMORY;
    }
    for (cl_uint i = 0; i < request->num_headers; i++) {
        const char *text = request->headers[i]->source;
        headers[i] = (struct clc_header){request->header_names[i], text, strlen(text)};
    }
    const char *strings[] = {program->source};
    const struct clc_target target = ocl_program_target(program, device);
    struct clc_compile_args args = {
        .strings = strings,
        .num_strings = 1,
        .options = options,
        .headers = headers,
        .num_headers = request->num_headers,
        .target = &target,
        .compile_only = request->compile_only,
        .timing = timing,
    };
    struct ocl_cache_key key;
    bool cacheable = ocl_cache_key_init(&key, &args);
    enum clc_result result = CLC_SUCCESS;
    *cached = cacheable && ocl_cache_load(&key, device, build);
    if (!*cached) {
        uint64_t begin = time_ns();
        result = clc_compile(&args, &build->program, &build->log);
        if (trace_enabled())
            trace_span("stage", "compile", begin, "\"parse us\":%.1f,\"emit us\":%.1f",
                       (double)timing->preprocess_parse / 1e3, (double)timing->emit / 1e3);
        if (result == CLC_SUCCESS && clc_program_kind(build->program) == CLC_PROGRAM_EXECUTABLE)
            result = lower_kernels(program, build, device, timing);
        if (result == CLC_SUCCESS && cacheable)
            ocl_cache_store(&key, build);
    }
    ocl_cache_key_finish(&key);
    free(headers);
    free(options);
    return result;
}

static enum clc_result from_loaded(cl_program program, struct clc_program *loaded, cl_device_id device,
                                   const char *options, struct ocl_build *build, struct clc_timing *timing)
{
    enum clc_result result = CLC_SUCCESS;
    char *message = NULL;
    if (clc_check_options(options, false, &message) != CLC_SUCCESS) {
        build->log = message;
        return CLC_INVALID_OPTIONS;
    }
    free(message);
    if (clc_program_kind(loaded) == CLC_PROGRAM_OBJECT)
        result = clc_link(&loaded, 1, "", ocl_device_target(device), &build->program, &build->log);
    else
        build->program = clc_program_retain(loaded);
    if (result == CLC_SUCCESS && clc_program_kind(build->program) == CLC_PROGRAM_EXECUTABLE)
        result = lower_kernels(program, build, device, timing);
    return result;
}

static enum clc_result from_il(cl_program program, cl_device_id device, const struct ocl_build_request *request,
                               struct ocl_build *build, struct clc_timing *timing)
{
    ocl_lock(&program->mutex);
    uint32_t count = program->num_spec_constants;
    struct clc_spec_constant *constants = malloc((count + 1) * sizeof(*constants));
    if (constants && count)
        memcpy(constants, program->spec_constants, count * sizeof(*constants));
    ocl_unlock(&program->mutex);
    if (!constants)
        return CLC_OUT_OF_MEMORY;
    enum clc_result result =
        clc_program_from_il(program->il, program->il_size, request->options, constants, count,
                            ocl_device_target(device), request->compile_only, &build->program, &build->log);
    free(constants);
    if (result == CLC_SUCCESS && clc_program_kind(build->program) == CLC_PROGRAM_EXECUTABLE)
        result = lower_kernels(program, build, device, timing);
    return result;
}

static void set_in_progress(cl_program program, cl_uint index)
{
    ocl_lock(&program->mutex);
    program->builds[index].status = CL_BUILD_IN_PROGRESS;
    ocl_unlock(&program->mutex);
}

static cl_int build_for(cl_program program, cl_uint index, const struct ocl_build_request *request)
{
    enum action action = request->compile_only ? COMPILE : BUILD;
    cl_device_id device = program->devices[index];
    struct ocl_build build = {.options = strdup(request->options)};
    struct clc_timing timing = {0};
    bool cached = false;
    uint64_t begin = time_ns();
    set_in_progress(program, index);
    enum clc_result result;
    if (!build.options)
        result = CLC_OUT_OF_MEMORY;
    else if (program->source)
        result = from_source(program, device, request, &build, &timing, &cached);
    else if (program->il)
        result = from_il(program, device, request, &build, &timing);
    else
        result = from_loaded(program, program->builds[index].loaded, device, request->options, &build, &timing);
    if (!build.log)
        build.log = strdup(result == CLC_OUT_OF_MEMORY ? out_of_memory_log : "");
    if (trace_enabled())
        trace_span("build",
                   request->compile_only ? "compile"
                   : cached              ? "build, from the cache"
                                         : "build",
                   begin, "\"kernels\":%u", build.num_codes);
    if (result == CLC_SUCCESS) {
        scan_module(&build);
        log_times(&build, device, &timing, time_ns() - begin, cached);
    } else {
        log_info("the build for %s failed:\n%s", device->caps->name, build.log ? build.log : "");
    }
    publish(program, index, &build, result);
    return error_code(result, action);
}

/* The compiler needs a stack that applications' threads may not have: builds and links go through thread_run(). */
struct build_task {
    cl_program program;
    cl_uint num_devices;
    const cl_device_id *devices;
    const struct ocl_build_request *request;
    cl_int error;
};

static void build_task(void *data)
{
    struct build_task *task = data;
    cl_program program = task->program;
    task->error = CL_SUCCESS;
    for (cl_uint i = 0; i < program->num_devices; i++) {
        bool wanted = task->num_devices == 0;
        for (cl_uint k = 0; k < task->num_devices; k++)
            wanted |= task->devices[k] == program->devices[i];
        cl_int one = wanted ? build_for(program, i, task->request) : CL_SUCCESS;
        if (one != CL_SUCCESS && task->error == CL_SUCCESS)
            task->error = one;
    }
}

cl_int ocl_program_build(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                         const struct ocl_build_request *request)
{
    struct build_task task = {program, num_devices, devices, request, CL_OUT_OF_HOST_MEMORY};
    return thread_run(build_task, &task) ? task.error : CL_OUT_OF_HOST_MEMORY;
}

/* ---- linking ---- */

/* What an input brings for a device: what was compiled, or the binary it was made from. A reference; NULL where another
 * thread has built the input anew since it was looked at, and it can no longer be linked. */
static struct clc_program *link_input(cl_program input, cl_device_id device)
{
    int index = ocl_program_device_index(input, device);
    if (index < 0)
        return NULL;
    ocl_lock(&input->mutex);
    struct ocl_build *build = &input->builds[index];
    struct clc_program *program = build->program ? build->program : build->loaded;
    if (program && clc_program_kind(program) != CLC_PROGRAM_EXECUTABLE)
        clc_program_retain(program);
    else
        program = NULL;
    ocl_unlock(&input->mutex);
    return program;
}

static cl_int link_for(cl_program program, cl_uint index, const char *options, cl_uint num_inputs,
                       const cl_program *inputs)
{
    cl_device_id device = program->devices[index];
    struct ocl_build build = {.options = strdup(options)};
    struct clc_timing timing = {0};
    struct clc_program **list = calloc(num_inputs, sizeof(*list));
    enum clc_result result = build.options && list ? CLC_SUCCESS : CLC_OUT_OF_MEMORY;
    uint64_t begin = time_ns();
    set_in_progress(program, index);
    bool gone = false;
    for (cl_uint i = 0; result == CLC_SUCCESS && i < num_inputs; i++) {
        list[i] = link_input(inputs[i], device);
        gone = !list[i];
        if (gone)
            result = CLC_FAILED;
    }
    if (result == CLC_SUCCESS)
        result = clc_link(list, num_inputs, options, ocl_device_target(device), &build.program, &build.log);
    for (cl_uint i = 0; list && i < num_inputs; i++)
        clc_program_release(list[i]);
    free(list);
    if (result == CLC_SUCCESS && clc_program_kind(build.program) == CLC_PROGRAM_EXECUTABLE)
        result = lower_kernels(program, &build, device, &timing);
    if (!build.log)
        build.log = strdup(result == CLC_OUT_OF_MEMORY ? out_of_memory_log : "");
    if (trace_enabled())
        trace_span("build", "link", begin, "\"kernels\":%u", build.num_codes);
    if (result == CLC_SUCCESS) {
        scan_module(&build);
        log_times(&build, device, &timing, time_ns() - begin, false);
    }
    publish(program, index, &build, result);
    return gone ? CL_INVALID_OPERATION : error_code(result, LINK);
}

struct link_task {
    cl_program program;
    const char *options;
    cl_uint num_inputs;
    const cl_program *inputs;
    cl_int error;
};

static void link_task(void *data)
{
    struct link_task *task = data;
    task->error = CL_SUCCESS;
    for (cl_uint i = 0; i < task->program->num_devices; i++) {
        cl_int one = link_for(task->program, i, task->options, task->num_inputs, task->inputs);
        if (one != CL_SUCCESS && task->error == CL_SUCCESS)
            task->error = one;
    }
}

cl_int ocl_program_link(cl_program program, const char *options, cl_uint num_inputs, const cl_program *inputs)
{
    struct link_task task = {program, options, num_inputs, inputs, CL_OUT_OF_HOST_MEMORY};
    return thread_run(link_task, &task) ? task.error : CL_OUT_OF_HOST_MEMORY;
}
