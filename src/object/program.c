/* Program objects: source, IL or binaries, and per device what was built from them. Building itself is in build.c. */
#include "src/check/check.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/ahead.h"
#include "src/object/contents.h"
#include "src/object/context.h"
#include "src/object/kernel.h"
#include "src/object/program.h"

#include "base/log.h"
#include "base/thread.h"
#include "base/trace.h"
#include "base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

cl_program ocl_program_create(cl_context context, cl_uint num_devices, const cl_device_id *devices)
{
    cl_program program = calloc(1, sizeof(*program));
    if (!program)
        return NULL;
    program->devices = malloc(num_devices * sizeof(cl_device_id));
    program->builds = calloc(num_devices, sizeof(program->builds[0]));
    if (!program->devices || !program->builds) {
        free(program->devices);
        free(program->builds);
        free(program);
        return NULL;
    }
    ocl_object_init(&program->object, OCL_PROGRAM);
    pthread_mutex_init(&program->mutex, NULL);
    pthread_mutex_init(&program->structors, NULL);
    program->context = context;
    program->num_devices = num_devices;
    memcpy(program->devices, devices, num_devices * sizeof(cl_device_id));
    for (cl_uint i = 0; i < num_devices; i++) {
        program->builds[i].status = CL_BUILD_NONE;
        program->builds[i].binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    ocl_context_retain(context);
    return program;
}

void ocl_program_retain(cl_program program)
{
    ocl_retain(&program->object);
}

void ocl_program_release(cl_program program)
{
    if (!ocl_release(&program->object))
        return;
    program->object.kind = OCL_DEAD;
    if (program->end && program->end(program))
        return;
    for (cl_uint i = 0; i < program->num_devices; i++) {
        clc_program_release(program->builds[i].loaded);
        program->builds[i].loaded = NULL;
        ocl_build_finish(&program->builds[i]);
    }
    ocl_context_release(program->context);
    pthread_mutex_destroy(&program->mutex);
    pthread_mutex_destroy(&program->structors);
    free(program->spec_constants);
    free(program->known_constants);
    free(program->builds);
    free(program->devices);
    free(program->source);
    free(program->il);
    ocl_object_free(&program->object);
}

int ocl_program_device_index(cl_program program, cl_device_id device)
{
    for (cl_uint i = 0; i < program->num_devices; i++) {
        if (program->devices[i] == device)
            return (int)i;
    }
    return -1;
}

bool ocl_program_begin_build(cl_program program)
{
    ocl_lock(&program->mutex);
    bool free_to_build = !program->building && program->num_kernels == 0;
    if (free_to_build)
        program->building = true;
    ocl_unlock(&program->mutex);
    return free_to_build;
}

void ocl_program_end_build(cl_program program)
{
    ocl_lock(&program->mutex);
    program->building = false;
    ocl_unlock(&program->mutex);
}

bool ocl_program_attach(cl_program program)
{
    ocl_lock(&program->mutex);
    bool attached = !program->building;
    program->num_kernels += attached;
    ocl_unlock(&program->mutex);
    if (attached)
        ocl_program_retain(program);
    return attached;
}

void ocl_program_detach(cl_program program)
{
    ocl_lock(&program->mutex);
    program->num_kernels--;
    ocl_unlock(&program->mutex);
    ocl_program_release(program);
}

bool ocl_program_has_binary(cl_program program)
{
    ocl_lock(&program->mutex);
    bool has = program->builds[0].loaded != NULL; /* as every other device's, and for good */
    ocl_unlock(&program->mutex);
    return has;
}

const struct ocl_build *ocl_program_executable(cl_program program)
{
    for (cl_uint i = 0; i < program->num_devices; i++) {
        const struct ocl_build *build = &program->builds[i];
        if (build->status == CL_BUILD_SUCCESS && build->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            return build;
    }
    return NULL;
}

static void code_finish(struct ocl_code *code)
{
    struct ocl_code *others[] = {atomic_load(&code->any_size), atomic_load(&code->unchecked)};
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        if (others[i])
            code_finish(others[i]);
        free(others[i]);
    }
    if (code->shader)
        vkb_shader_release(code->shader);
    if (code->constants)
        vkb_buffer_release(code->constants);
    if (code->cached)
        free(code->cached);
    else if (code->lowered)
        clc_lowered_destroy(code->lowered);
    pthread_mutex_destroy(&code->mutex);
}

/* Everything but `loaded`. */
void ocl_build_finish(struct ocl_build *build)
{
    struct clc_program *loaded = build->loaded;
    ocl_ahead_stop(build->ahead);
    for (uint32_t i = 0; i < build->num_codes; i++)
        code_finish(&build->codes[i]);
    free(build->codes);
    clc_program_release(build->program);
    if (build->globals)
        vkb_buffer_release(build->globals);
    free(build->options);
    free(build->log);
    free(build->binary);
    memset(build, 0, sizeof(*build));
    build->status = CL_BUILD_NONE;
    build->loaded = loaded;
}

cl_int ocl_program_binary(cl_program program, cl_uint device, void *to, size_t *size)
{
    struct ocl_build *build = &program->builds[device];
    cl_int error = CL_SUCCESS;
    ocl_lock(&program->mutex);
    struct clc_program *source = build->program ? build->program : build->loaded;
    if (!build->binary && source && build->status != CL_BUILD_ERROR &&
        clc_program_serialize(source, &build->binary, &build->binary_size) != CLC_SUCCESS) {
        build->binary = NULL;
        build->binary_size = 0;
        error = CL_OUT_OF_HOST_MEMORY;
    }
    *size = build->binary_size;
    if (to && build->binary)
        memcpy(to, build->binary, build->binary_size);
    ocl_unlock(&program->mutex);
    return error;
}

static cl_program_binary_type binary_type(const struct clc_program *program)
{
    switch (clc_program_kind(program)) {
    case CLC_PROGRAM_OBJECT:
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case CLC_PROGRAM_LIBRARY:
        return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    case CLC_PROGRAM_EXECUTABLE:
        break;
    }
    return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

struct load_task {
    const void *data;
    size_t size;
    struct clc_program **program;
    enum clc_result result;
};

static void load_task(void *data)
{
    struct load_task *task = data;
    task->result = clc_program_deserialize(task->data, task->size, task->program);
}

cl_int ocl_program_load_binary(cl_program program, cl_uint device, const void *data, size_t size)
{
    struct ocl_build *build = &program->builds[device];
    struct load_task task = {data, size, &build->loaded, CLC_OUT_OF_MEMORY};
    thread_run(load_task, &task); /* reading a module needs the compiler's stack */
    enum clc_result result = task.result;
    if (result != CLC_SUCCESS) {
        build->loaded = NULL;
        return result == CLC_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_BINARY;
    }
    build->binary_type = binary_type(build->loaded);
    return CL_SUCCESS;
}

/* ---- the device side of a kernel ---- */

/* Puts a data block into device memory, with its relocations done. A device that only compiles has no use for it. */
static cl_int make_block(cl_context context, cl_uint device, const struct clc_data_block *block, uint64_t globals,
                         struct vkb_buffer **result)
{
    struct vkb_buffer *buffer;
    if (context->devices[device]->caps->compile_only)
        return CL_SUCCESS;
    uint8_t *image = calloc(1, block->size);
    if (!image)
        return CL_OUT_OF_HOST_MEMORY;
    enum vkb_result error = vkb_buffer_create(context->devices[device]->vk, block->size, VKB_MEMORY_DEVICE, &buffer);
    if (error != VKB_SUCCESS) {
        free(image);
        return ocl_from_vkb(error);
    }
    if (block->init_size)
        memcpy(image, block->init, block->init_size);
    for (uint32_t i = 0; i < block->num_relocations; i++) {
        const struct clc_relocation *relocation = &block->relocations[i];
        assert(relocation->offset + 8 <= block->size);
        uint64_t word;
        memcpy(&word, image + relocation->offset, 8);
        word += relocation->block == CLC_BLOCK_GLOBALS && globals ? globals : vkb_buffer_address(buffer);
        memcpy(image + relocation->offset, &word, 8);
    }
    cl_int code = ocl_contents_fill(context, device, buffer, image, block->size);
    free(image);
    if (code == CL_SUCCESS)
        *result = buffer;
    else
        vkb_buffer_release(buffer);
    return code;
}

static cl_int make_globals(cl_program program, cl_uint device, struct ocl_build *build)
{
    const struct clc_data_block *block = clc_program_globals(build->program);
    if (!block || block->size == 0)
        return CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    ocl_lock(&program->mutex);
    if (!build->globals)
        error = make_block(program->context, device, block, 0, &build->globals);
    ocl_unlock(&program->mutex);
    return error;
}

static cl_int make_shader(cl_device_id device, const struct clc_lowered *lowered, struct vkb_shader **shader)
{
    static const enum vkb_descriptor_kind kinds[] = {
        [CLC_BINDING_SAMPLED_IMAGE] = VKB_DESCRIPTOR_SAMPLED_IMAGE,
        [CLC_BINDING_STORAGE_IMAGE] = VKB_DESCRIPTOR_STORAGE_IMAGE,
        [CLC_BINDING_SAMPLED_BUFFER] = VKB_DESCRIPTOR_SAMPLED_BUFFER,
        [CLC_BINDING_STORAGE_BUFFER] = VKB_DESCRIPTOR_STORAGE_BUFFER,
    };
    static const enum vkb_descriptor_kind filters[] = {
        [CLC_FILTER_EDGE] = VKB_DESCRIPTOR_FILTER_EDGE,
        [CLC_FILTER_REPEAT] = VKB_DESCRIPTOR_FILTER_REPEAT,
        [CLC_FILTER_MIRROR] = VKB_DESCRIPTOR_FILTER_MIRROR,
        [CLC_FILTER_TEXELS] = VKB_DESCRIPTOR_FILTER_TEXELS,
    };
    uint32_t push_size = lowered->block_in_push_constants ? lowered->block_size : 8;
    enum vkb_descriptor_kind *list = calloc(lowered->num_bindings + 1, sizeof(*list));
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < lowered->num_bindings; i++)
        list[i] = lowered->bindings[i].kind == CLC_BINDING_SAMPLER ? filters[lowered->bindings[i].level]
                                                                   : kinds[lowered->bindings[i].kind];
    enum vkb_result result = vkb_shader_create_with_images(device->vk, lowered->words, lowered->num_words, push_size,
                                                           list, lowered->num_bindings, shader);
    free(list);
    return ocl_from_vkb(result);
}

/* With the code's mutex held. */
static cl_int need_shader(struct ocl_code *code, cl_device_id device)
{
    if (code->shader)
        return CL_SUCCESS;
    cl_int error = make_shader(device, code->lowered, &code->shader);
    if (error == CL_SUCCESS && trace_enabled())
        vkb_shader_set_name(code->shader, trace_intern(code->info->name));
    return error;
}

cl_int ocl_code_shader(struct ocl_code *code, cl_device_id device)
{
    ocl_lock(&code->mutex);
    cl_int error = need_shader(code, device);
    ocl_unlock(&code->mutex);
    return error;
}

static cl_int prepare(cl_program program, cl_uint index, struct ocl_code *code)
{
    struct ocl_build *build = &program->builds[index];
    const struct clc_lowered *lowered = code->lowered;
    cl_device_id device = program->devices[index];
    cl_uint in_context = (cl_uint)ocl_context_device_index(program->context, device);
    cl_int error = make_globals(program, in_context, build);
    uint64_t globals = build->globals ? vkb_buffer_address(build->globals) : 0;
    if (error == CL_SUCCESS && lowered->constants.size && !code->constants)
        error = make_block(program->context, in_context, &lowered->constants, globals, &code->constants);
    return error == CL_SUCCESS ? need_shader(code, device) : error;
}

/* Where the driver may choose among several sub-group sizes, kernels that can tell get the one that the queries report.
 */
uint32_t ocl_code_lanes(const struct ocl_code *code, cl_device_id device)
{
    const struct vkb_caps *caps = device->caps;
    if (caps->min_subgroup_size == caps->max_subgroup_size)
        return 0;
    if (code->info->reqd_sub_group_size || code->lowered->uses_subgroups)
        return clc_subgroup_lanes(&device->target, ocl_code_subgroup_size(code, device));
    return 0;
}

uint32_t ocl_code_subgroup_size(const struct ocl_code *code, cl_device_id device)
{
    return code->info->reqd_sub_group_size ? code->info->reqd_sub_group_size : device->subgroup_size;
}

/* A sub-group may not have work-items of two groups. */
static bool has_whole_subgroups(const struct ocl_code *code, cl_device_id device, const uint32_t local[3])
{
    return !code->lowered->uses_subgroups ||
           (uint64_t)local[0] * local[1] * local[2] % ocl_code_subgroup_size(code, device) == 0;
}

uint32_t ocl_code_packs(const struct ocl_code *code, cl_device_id device, const uint32_t local[3])
{
    uint32_t items = local[0] * local[1] * local[2];
    if (!code->lowered->can_pack || items > device->pack_items / 2 || !has_whole_subgroups(code, device, local))
        return 1;
    return device->pack_items / items;
}

/* Where the kernel uses sub-groups, the device's group has one dimension. */
bool ocl_code_may_pack(const struct ocl_code *code, cl_device_id device, const uint32_t local[3],
                       const uint32_t more[3])
{
    const struct vkb_caps *caps = device->caps;
    uint64_t items = (uint64_t)local[0] * local[1] * local[2];
    if (!more[0] && !more[1] && !more[2])
        return true;
    for (int i = 0; i < 3; i++) {
        if (more[i] && (more[(i + 1) % 3] || more[(i + 2) % 3]))
            return false;
        if (size_product(local[i], (uint64_t)more[i] + 1) > caps->max_workgroup_size[i])
            return false;
        items = size_product(items, (uint64_t)more[i] + 1);
    }
    return code->lowered->can_pack && has_whole_subgroups(code, device, local) &&
           items <= caps->max_workgroup_invocations &&
           (!code->lowered->uses_subgroups || items <= caps->max_workgroup_size[0]);
}

uint32_t ocl_code_filters(const struct clc_lowered *lowered)
{
    for (uint32_t i = 0; i < lowered->num_bindings; i++) {
        if (lowered->bindings[i].kind == CLC_BINDING_SAMPLER)
            return CLC_IMAGES_FILTER;
    }
    return 0;
}

cl_int ocl_code_prepare(cl_program program, cl_uint device, struct ocl_code *code)
{
    if (atomic_load_explicit(&code->ready, memory_order_acquire))
        return CL_SUCCESS;
    ocl_lock(&code->mutex);
    bool was_ready = atomic_load_explicit(&code->ready, memory_order_relaxed);
    cl_int error = was_ready ? CL_SUCCESS : prepare(program, device, code);
    if (error == CL_SUCCESS)
        atomic_store_explicit(&code->ready, true, memory_order_release);
    ocl_unlock(&code->mutex);
    if (error == CL_SUCCESS && !was_ready)
        ocl_ahead_created(program->builds[device].ahead, code, program->devices[device]);
    return error;
}

/* ---- other code of the same kernel ---- */

struct clc_target ocl_program_target(cl_program program, cl_device_id device)
{
    struct clc_target target = *ocl_device_target(device);
    target.zero_local = program->context->zero_local && device->caps->zero_initialize_workgroup;
    /* What is undefined may be one number to a comparison and another one to the access. */
    target.zero_private = program->context->zero_private || program->context->robust;
    target.checks = check_groups & CHECK_KERNELS;
    if (check_on(CHECK_RACES) && !target.buffer_int64_atomics)
        check_races_unavailable();
    target.checks_kernel = target.checks ? check_wants_kernel : NULL;
    target.robust = program->context->robust;
    return target;
}

struct other_task {
    const struct clc_program *program;
    const char *kernel, *what;
    struct clc_target target;
    bool any_size;
    struct clc_lowered *lowered;
};

static void lower_other(void *data)
{
    struct other_task *task = data;
    const struct clc_lower_options options = {.target = &task->target, .any_size = task->any_size};
    char *message = NULL;
    clc_lower(task->program, task->kernel, &options, &task->lowered, &message);
    log_debug("kernel '%s' %s: %s", task->kernel, task->what,
              task->lowered ? "made"
              : message     ? message
                            : "out of memory");
    free(message);
}

static struct ocl_code *make_other(cl_program program, cl_uint device, const struct ocl_code *code,
                                   struct other_task *task)
{
    task->program = program->builds[device].program;
    task->kernel = code->info->name;
    if (!thread_run(lower_other, task) || !task->lowered)
        return NULL;
    struct ocl_code *made = calloc(1, sizeof(*made));
    if (!made) {
        clc_lowered_destroy(task->lowered);
        return NULL;
    }
    made->info = code->info;
    made->lowered = task->lowered;
    made->is_other = true;
    pthread_mutex_init(&made->mutex, NULL);
    if (!(task->any_size && task->lowered->scratch_size) && prepare(program, device, made) == CL_SUCCESS)
        return made;
    code_finish(made);
    free(made);
    return NULL;
}

static struct ocl_code *make_any_size(cl_program program, cl_uint device, const struct ocl_code *code)
{
    struct other_task task = {.what = "for work-groups of any size",
                              .target = ocl_program_target(program, program->devices[device]),
                              .any_size = true};
    return make_other(program, device, code, &task);
}

struct ocl_code *ocl_code_any_size(cl_program program, cl_uint device, struct ocl_code *code)
{
    struct ocl_code *made = atomic_load_explicit(&code->any_size, memory_order_acquire);
    if (made || atomic_load_explicit(&code->has_no_any_size, memory_order_relaxed))
        return made;
    ocl_lock(&code->mutex);
    made = atomic_load(&code->any_size);
    if (!made && !atomic_load(&code->has_no_any_size)) {
        made = make_any_size(program, device, code);
        atomic_store_explicit(&code->any_size, made, memory_order_release);
        atomic_store(&code->has_no_any_size, !made);
    }
    ocl_unlock(&code->mutex);
    return made;
}

static bool checks_none(const char *kernel)
{
    (void)kernel;
    return false;
}

struct ocl_code *ocl_code_unchecked(cl_program program, cl_uint device, struct ocl_code *code)
{
    struct ocl_code *made = atomic_load_explicit(&code->unchecked, memory_order_acquire);
    if (made)
        return made;
    ocl_lock(&code->mutex);
    made = atomic_load(&code->unchecked);
    if (!made) {
        struct other_task task = {.what = "without checks",
                                  .target = ocl_program_target(program, program->devices[device])};
        task.target.checks_kernel = checks_none; /* what it writes is not seen then */
        made = make_other(program, device, code, &task);
        if (made)
            log_warn("kernel '%s' is not checked: it leaves no local memory for that", code->info->name);
        atomic_store_explicit(&code->unchecked, made, memory_order_release);
    }
    ocl_unlock(&code->mutex);
    return made;
}
