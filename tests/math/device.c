#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t size, room;
};

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char line[512];
    int size = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (text->size + (size_t)size + 1 > text->room) {
        text->room = 2 * text->room + (size_t)size + 4096;
        text->bytes = realloc(text->bytes, text->room);
    }
    memcpy(text->bytes + text->size, line, (size_t)size + 1);
    text->size += (size_t)size;
}

static void append_features(struct device *device)
{
    cl_name_version features[256];
    size_t size = 0, used = strlen(device->extensions);
    if (clGetDeviceInfo(device->cl.id, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features, &size))
        return;
    for (size_t i = 0; i < size / sizeof(features[0]); i++)
        used += (size_t)snprintf(device->extensions + used, sizeof(device->extensions) - used, " %s", features[i].name);
}

bool device_open(struct device *device, const struct test_device *found)
{
    cl_device_id id = found->id;
    *device = (struct device){.cl = *found};
    size_t size = sizeof(cl_device_fp_config);
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(device->name), device->name, NULL);
    clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof(device->extensions) / 2, device->extensions, NULL);
    append_features(device);
    clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, size, &device->config[FORMAT_FLOAT], NULL);
    clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, size, &device->config[FORMAT_DOUBLE], NULL);
    if (device_has(device, "cl_khr_fp16"))
        clGetDeviceInfo(id, CL_DEVICE_HALF_FP_CONFIG, size, &device->config[FORMAT_HALF], NULL);
    return test_open_device(&device->cl);
}

void device_close(struct device *device)
{
    test_close_device(&device->cl);
}

bool device_has_type(const struct device *device, enum type type)
{
    return !type_is_float(type) || device->config[type - TYPE_HALF];
}

bool device_may_flush(const struct device *device, enum type type)
{
    return type_is_float(type) && !(device->config[type - TYPE_HALF] & CL_FP_DENORM);
}

bool device_has(const struct device *device, const char *guard)
{
    return strncmp(guard, "cl_", 3) && strncmp(guard, "__", 2) ? true : strstr(device->extensions, guard) != NULL;
}

uint32_t batch_stride(const struct batch *batch, uint32_t param)
{
    const struct param *p = &batch->tests[0]->params[param];
    uint32_t lanes = param_lanes(p, batch->width);
    return p->pointer && lanes == 3 ? 4 : lanes;
}

size_t batch_start(const struct batch *batch, uint32_t param, uint32_t test)
{
    return test * batch->items * batch_stride(batch, param);
}

void batch_init(struct batch *batch)
{
    for (uint32_t p = 0; p <= batch->tests[0]->num_params; p++) {
        batch->sizes[p] = batch_start(batch, p, batch->num_tests) * types[batch->tests[0]->params[p].type].size;
        batch->data[p] = calloc(1, batch->sizes[p]);
    }
}

void batch_finish(struct batch *batch)
{
    for (uint32_t p = 0; p <= MAX_PARAMS; p++)
        free(batch->data[p]);
}

static const char *vector_name(const struct batch *batch, uint32_t param, char *name, size_t size)
{
    const struct param *p = &batch->tests[0]->params[param];
    uint32_t lanes = param_lanes(p, batch->width);
    snprintf(name, size, lanes == 1 ? "%s" : "%s%u", types[p->type].name, lanes);
    return name;
}

static void append_name(struct text *text, const char *name, uint32_t width)
{
    for (const char *at = name; *at; at++) {
        if (*at != '#')
            append(text, "%c", *at);
        else if (width > 1)
            append(text, "%u", width);
    }
}

/* Pointers lead to private memory, global memory or local memory, by the width. */
static void append_call(struct text *text, const struct batch *batch, uint32_t index)
{
    const struct test_case *test = batch->tests[index];
    enum {
        PRIVATE,
        GLOBAL,
        LOCAL
    } space = batch->width == 2 || batch->width == 8    ? GLOBAL
              : batch->width == 3 || batch->width == 16 ? LOCAL
                                                        : PRIVATE;
    uint32_t lanes = param_lanes(&test->params[0], batch->width);
    append(text, "    ");
    if (lanes == 1)
        append(text, "r[i + %zu] = ", batch_start(batch, 0, index));
    else
        append(text, "vstore%u(", lanes);
    append_name(text, test->name, batch->width);
    for (uint32_t p = 1; p <= test->num_params; p++) {
        const char *before = p == 1 ? "(" : ", ";
        uint32_t in_lanes = param_lanes(&test->params[p], batch->width);
        size_t start = batch_start(batch, p, index);
        char type[32];
        if (test->params[p].pointer && space == GLOBAL)
            append(text, "%s(global %s *)(p%u + %zu) + i", before, vector_name(batch, p, type, sizeof(type)), p, start);
        else if (test->params[p].pointer)
            append(text, "%s&q%u%s", before, p, space == LOCAL ? "[get_local_id(0)]" : "");
        else if (in_lanes == 1)
            append(text, "%sp%u[i + %zu]", before, p, start);
        else
            append(text, "%svload%u(i, p%u + %zu)", before, in_lanes, p, start);
    }
    if (lanes == 1)
        append(text, ");\n");
    else
        append(text, "), i, r + %zu);\n", batch_start(batch, 0, index));
    for (uint32_t p = 1; p <= test->num_params; p++) {
        char type[32];
        if (test->params[p].pointer && space != GLOBAL)
            append(text, "    ((global %s *)(p%u + %zu))[i] = q%u%s;\n", vector_name(batch, p, type, sizeof(type)), p,
                   batch_start(batch, p, index), p, space == LOCAL ? "[get_local_id(0)]" : "");
    }
}

static void append_kernel(struct text *text, const struct device *device, const struct batch *batch)
{
    const struct test_case *test = batch->tests[0];
    append(text,
           "%s"
           "kernel __attribute__((reqd_work_group_size(%d, 1, 1)))\n"
           "void run(global %s *r",
           device_has_type(device, TYPE_HALF) ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "", GROUP_ITEMS,
           types[test->params[0].type].name);
    for (uint32_t p = 1; p <= test->num_params; p++)
        append(text, ", global %s%s *p%u", test->params[p].pointer ? "" : "const ", types[test->params[p].type].name,
               p);
    append(text, ")\n{\n    size_t i = get_global_id(0);\n");
    bool local = batch->width == 3 || batch->width == 16;
    for (uint32_t p = 1; p <= test->num_params; p++) {
        char type[32];
        if (test->params[p].pointer && local)
            append(text, "    local %s q%u[%d];\n", vector_name(batch, p, type, sizeof(type)), p, GROUP_ITEMS);
        else if (test->params[p].pointer)
            append(text, "    %s q%u;\n", vector_name(batch, p, type, sizeof(type)), p);
    }
    for (uint32_t i = 0; i < batch->num_tests; i++)
        append_call(text, batch, i);
    append(text, "}\n");
}

static bool launch(const struct device *device, struct batch *batch, cl_kernel kernel, cl_mem *buffers)
{
    uint32_t num = 1 + batch->tests[0]->num_params;
    cl_int error = 0;
    for (uint32_t i = 0; i < num && !error; i++) {
        buffers[i] = test_buffer_of(&device->cl, batch->sizes[i], batch->data[i]);
        error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    }
    size_t local = GROUP_ITEMS;
    if (!error)
        error = clEnqueueNDRangeKernel(device->cl.queue, kernel, 1, NULL, &batch->items, &local, 0, NULL, NULL);
    for (uint32_t i = 0; i < num && !error; i++)
        if (i == 0 || batch->tests[0]->params[i].pointer)
            error = clEnqueueReadBuffer(device->cl.queue, buffers[i], CL_TRUE, 0, batch->sizes[i], batch->data[i], 0,
                                        NULL, NULL);
    if (error)
        fprintf(stderr, "running %s gives error %d\n", batch->tests[0]->name, error);
    return !error;
}

bool device_run(struct device *device, struct batch *batch)
{
    struct text source = {0};
    append_kernel(&source, device, batch);
    cl_program program = test_build_source(&device->cl, source.bytes, "-cl-std=CL3.0");
    if (!program)
        fprintf(stderr, "%s\n", source.bytes);
    cl_kernel kernel = program ? clCreateKernel(program, "run", NULL) : NULL;
    cl_mem buffers[1 + MAX_PARAMS] = {0};
    bool good = kernel && launch(device, batch, kernel, buffers);
    test_release_buffers(buffers, 1 + MAX_PARAMS);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    free(source.bytes);
    device->kernels++;
    return good;
}
