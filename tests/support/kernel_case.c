#include "kernel_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static bool check(bool good, const struct kernel_case *c, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", c->name, what);
        failures++;
    }
    return good;
}

/* ---- reading ---- */

void kernel_case_init(struct kernel_case *c, const char *name)
{
    memset(c, 0, sizeof(*c));
    snprintf(c->name, sizeof(c->name), "%s", name);
    c->size = 1;
}

static void read_numbers(struct kernel_case *c, const char *at, bool floats)
{
    c->floats = floats;
    for (char *end; c->count < CASE_NUMBERS; at = end) {
        float real = floats ? strtof(at, &end) : 0;
        cl_uint number = floats ? 0 : (cl_uint)strtoll(at, &end, 0);
        if (end == at)
            break;
        if (floats)
            memcpy(&number, &real, 4);
        c->numbers[c->count++] = number;
    }
}

static void read_object(struct kernel_case *c, enum case_object_kind kind, const char *line)
{
    struct case_object *o = &c->objects[c->num_objects];
    if (c->num_objects == CASE_OBJECTS)
        return;
    o->kind = kind;
    o->sizes[0] = o->sizes[1] = o->sizes[2] = 1;
    if (kind == CASE_IMAGE)
        sscanf(line, "%31s %31s %31s %31s %zu %zu %zu", o->name, o->words[0], o->words[1], o->words[2], &o->sizes[0],
               &o->sizes[1], &o->sizes[2]);
    else if (kind == CASE_SAMPLER)
        sscanf(line, "%31s %31s %31s %31s", o->name, o->words[0], o->words[1], o->words[2]);
    else
        sscanf(line, "%31s %zu %zu", o->name, &o->sizes[0], &o->sizes[1]);
    c->num_objects++;
}

static void read_run(struct kernel_case *c, const char *line)
{
    int used;
    if (c->num_runs == CASE_RUNS)
        return;
    for (int i = 0; i < CASE_WORDS - 1 && sscanf(line, " %31[^ \n]%n", c->runs[c->num_runs][i], &used) == 1; i++)
        line += used;
    c->num_runs++;
}

/* The rest of the line after a directive's name; NULL: it is another. */
static const char *after(const char *line, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(line, name, length) ? line + length : NULL;
}

bool kernel_case_read(struct kernel_case *c, const char *text)
{
    const char *rest;
    char line[2048];
    snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
    if ((rest = after(line, "expect:")))
        read_numbers(c, rest, false);
    else if ((rest = after(line, "expect-float:")))
        read_numbers(c, rest, true);
    else if ((rest = after(line, "image:")))
        read_object(c, CASE_IMAGE, rest);
    else if ((rest = after(line, "sampler:")))
        read_object(c, CASE_SAMPLER, rest);
    else if ((rest = after(line, "pipe:")))
        read_object(c, CASE_PIPE, rest);
    else if ((rest = after(line, "queue:")))
        read_object(c, CASE_QUEUE, rest);
    else if ((rest = after(line, "run:")))
        read_run(c, rest);
    else if ((rest = after(line, "finish:")))
        c->finish = true;
    else
        return sscanf(line, "begin: %i", (int *)&c->begin) == 1 || sscanf(line, "size: %zu", &c->size) == 1 ||
               sscanf(line, "global: %zu", &c->global) == 1 ||
               sscanf(line, "local: %zu %zu %zu", &c->local[0], &c->local[1], &c->local[2]) == 3 ||
               sscanf(line, "hint: %zu %zu %zu", &c->hint[0], &c->hint[1], &c->hint[2]) == 3 ||
               sscanf(line, "sub-groups: %zu", &c->sub_groups) == 1 ||
               sscanf(line, "spec: %u %u", &c->spec_id, &c->spec_value) == 2 ||
               sscanf(line, "refuse-build: %255[^\n]", c->refuse_build) == 1 ||
               sscanf(line, "extension: %63s", c->extension) == 1;
    return true;
}

/* ---- objects ---- */

/* A case that runs: its objects, and the buffer. */
struct running {
    const struct kernel_case *c;
    const struct test_device *opened;
    cl_mem out;
    void *objects[CASE_OBJECTS]; /* cl_mem, cl_sampler or cl_command_queue */
};

static cl_uint find(const char *word, const char *const *words)
{
    cl_uint i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static cl_mem make_image(const struct test_device *opened, const struct case_object *o, cl_int *error)
{
    static const char *const kinds[] = {"1d", "2d", "3d", "1d-array", "2d-array", "buffer", NULL};
    static const cl_mem_object_type object_types[] = {CL_MEM_OBJECT_IMAGE1D,
                                                      CL_MEM_OBJECT_IMAGE2D,
                                                      CL_MEM_OBJECT_IMAGE3D,
                                                      CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                                      CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                                      CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                                      0};
    static const char *const orders[] = {"rgba", "r", "depth", NULL};
    static const cl_channel_order cl_orders[] = {CL_RGBA, CL_R, CL_DEPTH, 0};
    static const char *const types[] = {"float", "int", "uint", "unorm8", NULL};
    static const cl_channel_type cl_types[] = {CL_FLOAT, CL_SIGNED_INT32, CL_UNSIGNED_INT32, CL_UNORM_INT8, 0};
    cl_uint kind = find(o->words[0], kinds), order = find(o->words[1], orders), type = find(o->words[2], types);
    const cl_image_format format = {cl_orders[order], cl_types[type]};
    size_t lanes = order == 0 ? 4 : 1, texels = o->sizes[0] * o->sizes[1] * o->sizes[2];
    union {
        cl_float real;
        cl_uint number;
        cl_uchar byte;
    } value;
    size_t size = type == 3 ? 1 : 4;
    unsigned char *bytes = calloc(texels * lanes, size);
    for (size_t i = 0; bytes && i < texels * lanes; i++) {
        if (type == 0)
            value.real = 0.25f * (float)(i / lanes * 4 + i % lanes);
        else if (type == 3)
            value.byte = (cl_uchar)i;
        else
            value.number = (cl_uint)(i / lanes * 4 + i % lanes) - (type == 1 ? 8 : 0);
        memcpy(bytes + i * size, &value, size);
    }
    cl_image_desc desc = {
        .image_type = object_types[kind],
        .image_width = o->sizes[0],
        .image_height = o->sizes[1],
        .image_depth = o->sizes[2],
        .image_array_size = kind == 3 ? o->sizes[1] : o->sizes[2],
    };
    cl_mem buffer = NULL, image = NULL;
    if (kind == 5)
        desc.buffer = buffer =
            clCreateBuffer(opened->context, CL_MEM_COPY_HOST_PTR, texels * lanes * size, bytes, error);
    image =
        clCreateImage(opened->context, buffer ? 0 : CL_MEM_COPY_HOST_PTR, &format, &desc, buffer ? NULL : bytes, error);
    if (buffer)
        clReleaseMemObject(buffer);
    free(bytes);
    return image;
}

static cl_sampler make_sampler(const struct test_device *opened, const struct case_object *o, cl_int *error)
{
    static const char *const addresses[] = {"none", "edge", "clamp", "repeat", "mirrored", NULL};
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE,   CL_ADDRESS_CLAMP_TO_EDGE,   CL_ADDRESS_CLAMP,
                                               CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT, 0};
    return clCreateSampler(opened->context, !strcmp(o->words[0], "normalized"), modes[find(o->words[1], addresses)],
                           !strcmp(o->words[2], "linear") ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, error);
}

static bool has_pipes(const struct test_device *opened)
{
    cl_bool pipes = CL_FALSE;
    return clGetDeviceInfo(opened->id, CL_DEVICE_PIPE_SUPPORT, sizeof(pipes), &pipes, NULL) == CL_SUCCESS && pipes;
}

static bool has_queues(const struct test_device *opened)
{
    cl_device_device_enqueue_capabilities able = 0;
    return clGetDeviceInfo(opened->id, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(able), &able, NULL) ==
               CL_SUCCESS &&
           able;
}

static cl_command_queue make_queue(const struct test_device *opened, cl_int *error)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
        0};
    return clCreateCommandQueueWithProperties(opened->context, opened->id, properties, error);
}

static bool has_images(const struct test_device *opened)
{
    cl_bool images = CL_FALSE;
    return clGetDeviceInfo(opened->id, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL) == CL_SUCCESS && images;
}

/* What the device does not have; NULL: nothing. */
static const char *missing(const struct kernel_case *c, const struct test_device *opened)
{
    for (size_t i = 0; i < c->num_objects; i++) {
        if (c->objects[i].kind == CASE_PIPE && !has_pipes(opened))
            return "pipes";
        if (c->objects[i].kind == CASE_QUEUE && !has_queues(opened))
            return "queues";
        bool image = c->objects[i].kind == CASE_IMAGE || c->objects[i].kind == CASE_SAMPLER;
        if (image && !has_images(opened))
            return "images";
    }
    return NULL;
}

static bool make_objects(struct running *r)
{
    const struct kernel_case *c = r->c;
    cl_uint first[CASE_NUMBERS];
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < CASE_NUMBERS; i++)
        first[i] = c->begin;
    r->out = test_buffer_of(r->opened, sizeof(first), first);
    for (size_t i = 0; i < c->num_objects; i++) {
        const struct case_object *o = &c->objects[i];
        if (o->kind == CASE_IMAGE)
            r->objects[i] = make_image(r->opened, o, &error);
        else if (o->kind == CASE_SAMPLER)
            r->objects[i] = make_sampler(r->opened, o, &error);
        else if (o->kind == CASE_QUEUE)
            r->objects[i] = make_queue(r->opened, &error);
        else
            r->objects[i] =
                clCreatePipe(r->opened->context, 0, (cl_uint)o->sizes[0], (cl_uint)o->sizes[1], NULL, &error);
        if (!check(r->objects[i] != NULL, c, "an image, sampler, pipe or queue cannot be made"))
            return false;
    }
    return true;
}

static void release_objects(struct running *r)
{
    for (size_t i = 0; i < r->c->num_objects; i++) {
        if (r->objects[i] && r->c->objects[i].kind == CASE_SAMPLER)
            clReleaseSampler(r->objects[i]);
        else if (r->objects[i] && r->c->objects[i].kind == CASE_QUEUE)
            clReleaseCommandQueue(r->objects[i]);
        else if (r->objects[i])
            clReleaseMemObject(r->objects[i]);
    }
    clReleaseMemObject(r->out);
}

/* ---- running ---- */

static bool is_wanted(const struct kernel_case *c, cl_uint got, cl_uint wanted)
{
    float a, b;
    memcpy(&a, &got, 4);
    memcpy(&b, &wanted, 4);
    return got == wanted || (c->floats && fabsf(a - b) <= 4e-6f * fabsf(b));
}

/* The sizes that a kernel says itself. Gives those to run it with. */
static void check_sizes(const struct running *r, cl_kernel kernel, size_t global[3], size_t local[3])
{
    const struct kernel_case *c = r->c;
    size_t required[3] = {0}, sub_groups = 0;
    char attributes[512] = "", hint[64];
    clGetKernelWorkGroupInfo(kernel, r->opened->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required), required,
                             NULL);
    check(!memcmp(required, c->local, sizeof(required)), c, "another required work-group size");
    global[0] = c->global ? c->global : c->size;
    local[0] = c->size;
    global[1] = global[2] = local[1] = local[2] = 1;
    if (c->hint[0]) {
        snprintf(hint, sizeof(hint), "work_group_size_hint(%zu,%zu,%zu)", c->hint[0], c->hint[1], c->hint[2]);
        clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(attributes), attributes, NULL);
        check(strstr(attributes, hint) != NULL, c, "another hint");
    }
    if (c->sub_groups) {
        clGetKernelSubGroupInfo(kernel, r->opened->id, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof(sub_groups),
                                &sub_groups, NULL);
        check(sub_groups == c->sub_groups, c, "another number of sub-groups");
        clGetKernelSubGroupInfo(kernel, r->opened->id, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(sub_groups),
                                &sub_groups, sizeof(size_t), global, NULL);
        local[0] = global[0];
    }
    for (int i = 0; i < 3 && c->local[0]; i++) {
        local[i] = c->local[i];
        global[i] = i || !c->global ? c->local[i] : c->global;
    }
}

static void set_argument(const struct running *r, cl_kernel kernel, cl_uint index, const char *name)
{
    const void *value = !strcmp(name, "out") ? &r->out : NULL;
    for (size_t i = 0; i < r->c->num_objects && !value; i++) {
        if (!strcmp(r->c->objects[i].name, name))
            value = &r->objects[i];
    }
    if (check(value != NULL, r->c, "an argument has no object"))
        check(clSetKernelArg(kernel, index, sizeof(void *), value) == CL_SUCCESS, r->c,
              "the kernel does not take an argument");
}

static void launch(const struct running *r, cl_program program, const char (*words)[CASE_WORD])
{
    cl_int error;
    size_t global[3], local[3];
    cl_kernel kernel = NULL;
    if (words)
        kernel = clCreateKernel(program, words[0], &error);
    else
        clCreateKernelsInProgram(program, 1, &kernel, NULL);
    if (!check(kernel != NULL, r->c, "there is no such kernel, or not exactly one"))
        return;
    check_sizes(r, kernel, global, local);
    for (cl_uint i = 0; words && *words[1 + i]; i++)
        set_argument(r, kernel, i, words[1 + i]);
    if (!words)
        set_argument(r, kernel, 0, "out");
    cl_uint dims = global[1] * global[2] > 1 ? 3 : 1;
    error = clEnqueueNDRangeKernel(r->opened->queue, kernel, dims, NULL, global, local, 0, NULL, NULL);
    check(error == CL_SUCCESS, r->c, "the launch failed");
    clReleaseKernel(kernel);
}

static bool holds_wanted(const struct running *r, cl_uint got[CASE_NUMBERS], bool say)
{
    bool all = true;
    cl_int error = clEnqueueReadBuffer(r->opened->queue, r->out, CL_TRUE, 0, CASE_NUMBERS * 4, got, 0, NULL, NULL);
    check(error == CL_SUCCESS, r->c, "the read failed");
    for (size_t i = 0; i < r->c->count; i++) {
        if (is_wanted(r->c, got[i], r->c->numbers[i]))
            continue;
        all = false;
        if (say)
            fprintf(stderr, "    [%zu] is 0x%x, not 0x%x\n", i, got[i], r->c->numbers[i]);
    }
    return all;
}

/* Takes the program. */
static void run(const struct kernel_case *c, const struct test_device *opened, cl_program program)
{
    struct running r = {.c = c, .opened = opened};
    cl_uint got[CASE_NUMBERS];
    if (make_objects(&r)) {
        for (size_t i = 0; i < c->num_runs; i++)
            launch(&r, program, (const char(*)[CASE_WORD])c->runs[i]);
        if (!c->num_runs)
            launch(&r, program, NULL);
        if (c->finish) { /* destructors may run on another thread */
            clReleaseProgram(program);
            program = NULL;
            for (int i = 0; i < 10000 && !holds_wanted(&r, got, false); i++)
                usleep(1000);
        }
        check(holds_wanted(&r, got, true), c, "a wrong number");
    }
    release_objects(&r);
    if (program)
        clReleaseProgram(program);
}

static cl_program create(const struct kernel_case *c, const struct test_device *opened, const void *il, size_t size)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(opened->context, il, size, &error);
    if (check(program != NULL, c, "clCreateProgramWithIL failed") && c->spec_id)
        check(clSetProgramSpecializationConstant(program, c->spec_id, 4, &c->spec_value) == CL_SUCCESS, c,
              "no such specialisation constant");
    return program;
}

static bool log_has(cl_program program, const struct test_device *opened, const char *words)
{
    char log[4096] = "";
    clGetProgramBuildInfo(program, opened->id, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    if (!words || !strstr(log, words))
        fprintf(stderr, "%s\n", log);
    return words && strstr(log, words);
}

static void run_linked(const struct kernel_case *c, const struct test_device *opened, const void *il, size_t size)
{
    cl_int error;
    cl_program object = create(c, opened, il, size);
    error = clCompileProgram(object, 1, &opened->id, "", 0, NULL, NULL, NULL, NULL);
    check(error == CL_SUCCESS, c, "compiling failed");
    cl_program linked = clLinkProgram(opened->context, 1, &opened->id, "", 1, &object, NULL, NULL, &error);
    if (check(error == CL_SUCCESS, c, "linking failed"))
        run(c, opened, linked);
    else if (linked)
        log_has(linked, opened, NULL);
    clReleaseProgram(object);
}

int kernel_case_test(const struct kernel_case *c, const struct test_device *opened, const void *il, size_t size,
                     bool relink)
{
    failures = 0;
    const char *lacks = missing(c, opened);
    if (lacks) {
        fprintf(stderr, "%s: skipped: the device has no %s\n", c->name, lacks);
        return 0;
    }
    cl_program program = create(c, opened, il, size);
    if (!program)
        return failures;
    cl_int error = clBuildProgram(program, 1, &opened->id, "", NULL, NULL);
    if (*c->refuse_build && !(*c->extension && test_has_extension(opened, c->extension))) {
        check(error == CL_BUILD_PROGRAM_FAILURE, c, "the build should fail");
        check(log_has(program, opened, c->refuse_build), c, "the log should say why");
        clReleaseProgram(program);
    } else if (!check(error == CL_SUCCESS, c, "the build failed")) {
        log_has(program, opened, NULL);
        clReleaseProgram(program);
    } else {
        run(c, opened, program);
        if (relink)
            run_linked(c, opened, il, size);
    }
    return failures;
}
