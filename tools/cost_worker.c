/* The process in which `pumice cost` compiles. Drivers' compilers crash and loop, so the tool itself never calls one:
 * this child does, and says before each kernel what it is about to do.
 *
 * It goes by the same parts that OpenCL programs use: the device's own target with the probe's results, the check that
 * stands behind every build, the shader that launches would make. */
#include "cost.h"

#include "base/log.h"
#include "base/util.h"
#include "compiler/clc.h"
#include "src/build/admit.h"
#include "src/device/cache_directory.h"
#include "src/device/device.h"
#include "src/object/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct worker {
    const struct cost_request *request;
    int out;
    uint32_t first, next; /* rows: the first one to do, and the number of the next */
    cl_device_id device;
    struct clc_program *program;
};

static void say(const struct worker *worker, const struct cost_message *message)
{
    const char *at = (const char *)message;
    for (size_t left = sizeof(*message); left;) {
        ssize_t written = write(worker->out, at, left);
        if (written <= 0)
            _exit(EXIT_FAILURE); /* nobody listens any more */
        at += written;
        left -= (size_t)written;
    }
}

/* Without exit handlers: drivers' own may crash, too, and there is nothing to save. */
static _Noreturn void end(const struct worker *worker, int code)
{
    const struct cost_message message = {.kind = COST_SAYS_END, .code = code};
    say(worker, &message);
    _exit(EXIT_SUCCESS);
}

static void say_row(const struct worker *worker, const struct cost_row *row)
{
    struct cost_message message = {.kind = COST_SAYS_ROW};
    message.row = *row;
    say(worker, &message);
}

/* ---- the device ---- */

static cl_device_id device_of(const struct vkb_device *vk)
{
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++) {
        if (ocl_platform.devices[i]->vk == vk)
            return ocl_platform.devices[i];
    }
    return NULL;
}

/* By the number that `pumice info` gives it. */
static cl_device_id device_by_number(const char *wanted)
{
    char *rest;
    unsigned long number = strtoul(wanted, &rest, 10);
    if (rest == wanted || *rest || number > UINT32_MAX)
        return NULL;
    return device_of(vkb_instance_device(vkb_instance_get(), (uint32_t)number));
}

static cl_device_id find_device(const char *wanted)
{
    if (!wanted)
        return ocl_platform.num_devices ? ocl_platform.devices[0] : NULL;
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++) {
        if (strstr(ocl_platform.devices[i]->caps->name, wanted))
            return ocl_platform.devices[i];
    }
    return device_by_number(wanted);
}

static void open_device(struct worker *worker)
{
    ocl_platform_find_devices();
    const char *wanted = worker->request->device;
    cl_device_id device = worker->device = find_device(wanted);
    if (!device) {
        if (!worker->first && wanted)
            fprintf(stderr, "pumice cost: no device is or is called '%s': see 'pumice info'\n", wanted);
        else if (!worker->first)
            fprintf(stderr, "pumice cost: there is no device: see 'pumice info'\n");
        end(worker, 2);
    }
    vkb_device_want_statistics(device->vk);
    if (ocl_device_open(device) != CL_SUCCESS) {
        fprintf(stderr, "pumice cost: %s cannot be opened (PUMICE_COMPILE_ONLY=1 opens devices that only compile)\n",
                device->caps->name);
        end(worker, 2);
    }
    struct probe_report report;
    ocl_device_target(device); /* has it probed */
    bool known = probe_device_known(device->vk, ocl_cache_directory(), &report);
    struct cost_message message = {.kind = COST_SAYS_DEVICE};
    snprintf(message.device.name, sizeof(message.device.name), "%s", device->caps->name);
    snprintf(message.device.driver, sizeof(message.device.driver), "%.200s %.200s", device->caps->driver_name,
             device->caps->driver_info);
    snprintf(message.device.probe, sizeof(message.device.probe), "%.120s", known ? report.why_not : "");
    message.device.has_statistics = vkb_device_has_statistics(device->vk);
    say(worker, &message);
}

/* ---- the program ---- */

static void make_program(struct worker *worker)
{
    const struct cost_request *request = worker->request;
    const struct clc_target *target = ocl_device_target(worker->device);
    const char *text = request->size ? request->text : "";
    const struct clc_compile_args args = {.strings = &text,
                                          .lengths = &request->size,
                                          .num_strings = 1,
                                          .options = request->options,
                                          .target = target,
                                          .file_name = request->path,
                                          .directory = request->directory};
    char *log = NULL;
    enum clc_result result = request->is_il ? clc_program_from_il(request->text, request->size, request->options, NULL,
                                                                  0, target, false, &worker->program, &log)
                                            : clc_compile(&args, &worker->program, &log);
    if (log && !worker->first)
        fputs(log, stderr);
    free(log);
    if (result != CLC_SUCCESS)
        end(worker, 1);
}

/* ---- a kernel ---- */

/* The work-group size of launches that leave the choice to us, where their ranges are large. */
static void usual_size(const struct worker *worker, const struct clc_kernel_info *info, uint32_t size[3])
{
    const struct vkb_caps *caps = worker->device->caps;
    const uint32_t *hint = info->work_group_size_hint;
    size[0] = (uint32_t)u64_min(u64_min(caps->max_workgroup_invocations, 256), caps->max_workgroup_size[0]);
    size[1] = size[2] = 1;
    if (hint[0])
        memcpy(size, hint, 3 * sizeof(size[0]));
}

static bool fits(const struct worker *worker, struct cost_row *row)
{
    const struct vkb_caps *caps = worker->device->caps;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++)
        items = size_product(items, row->local[i]);
    if (items <= caps->max_workgroup_invocations && row->local[0] <= caps->max_workgroup_size[0] &&
        row->local[1] <= caps->max_workgroup_size[1] && row->local[2] <= caps->max_workgroup_size[2])
        return true;
    snprintf(row->reason, sizeof(row->reason), "the device's work-groups have at most %u work-items (%u x %u x %u)",
             caps->max_workgroup_invocations, caps->max_workgroup_size[0], caps->max_workgroup_size[1],
             caps->max_workgroup_size[2]);
    return false;
}

/* The values as a launch with this size has them, whose range is a multiple of it, and large: several small work-groups
 * share one of the device's. */
static bool spec_values(const struct worker *worker, const struct ocl_code *code, struct cost_row *row,
                        uint32_t values[CLC_SPEC_COUNT])
{
    const struct clc_lowered *lowered = code->lowered;
    memset(values, 0, CLC_SPEC_COUNT * sizeof(values[0]));
    memcpy(values, row->local, sizeof(row->local));
    values[CLC_SPEC_IMAGES] = ocl_code_filters(lowered);
    const uint32_t more[3] = {ocl_code_packs(code, worker->device, row->local) - 1};
    if (ocl_code_may_pack(code, worker->device, row->local, more))
        memcpy(&values[CLC_SPEC_MORE_GROUPS_X], more, sizeof(more));
    if (!lowered->uses_local_args)
        return fits(worker, row);
    uint32_t left = worker->device->caps->shared_memory - lowered->local_args_offset;
    values[CLC_SPEC_LOCAL_ARGS_SIZE] = worker->request->local_args;
    if (worker->request->local_args <= left)
        return fits(worker, row);
    snprintf(row->reason, sizeof(row->reason), "its arguments may have %u bytes of local memory, not %u", left,
             worker->request->local_args);
    return false;
}

static void refuse(void *data, const char *kernel, const char *reason)
{
    struct cost_row *row = data;
    snprintf(row->reason, sizeof(row->reason), "%s%s", kernel ? "" : "the program's variables: ", reason);
}

/* Fills in the code's lowered kernel. False: the row has the reason. */
static bool lower(struct worker *worker, struct ocl_code *code, struct cost_row *row)
{
    const struct clc_lower_options options = {.target = ocl_device_target(worker->device)};
    const struct ocl_build build = {.program = worker->program, .num_codes = 1, .codes = code};
    char *message = NULL;
    uint64_t began = time_ns();
    enum clc_result result = clc_lower(worker->program, code->info->name, &options, &code->lowered, &message);
    row->lowering_ms = (double)(time_ns() - began) * 1e-6;
    if (result != CLC_SUCCESS)
        snprintf(row->reason, sizeof(row->reason), "%s", message ? message : "out of memory");
    free(message);
    if (result != CLC_SUCCESS)
        return false;
    row->spirv_bytes = (uint32_t)(code->lowered->num_words * 4);
    return ocl_admit(&build, worker->device, refuse, row);
}

static const char *reason_of(enum vkb_result result)
{
    switch (result) {
    case VKB_OUT_OF_HOST_MEMORY:
        return "the driver is out of memory";
    case VKB_OUT_OF_DEVICE_MEMORY:
        return "the driver says that the device is out of memory";
    case VKB_DEVICE_LOST:
        return "the driver says that the device is lost";
    default:
        return "the driver does not take the module";
    }
}

/* The code's shader; where the device wants to know the formats of images, for such with four components of 8 bits. */
static enum vkb_result find_shader(const struct worker *worker, struct ocl_code *code, struct vkb_shader **shader)
{
    enum { R8G8B8A8_UNORM = 37, R8G8B8A8_UINT = 41 }; /* VkFormat */
    const struct clc_lowered *lowered = code->lowered;
    if (ocl_code_shader(code, worker->device) != CL_SUCCESS)
        return VKB_PIPELINE_FAILED;
    uint32_t *formats = calloc(lowered->num_bindings + 1, sizeof(*formats));
    if (!formats)
        return VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < lowered->num_bindings; i++) {
        const struct clc_binding *binding = &lowered->bindings[i];
        if (binding->kind == CLC_BINDING_STORAGE_IMAGE || binding->kind == CLC_BINDING_STORAGE_BUFFER)
            formats[i] = binding->class == CLC_BINDING_INTEGER ? R8G8B8A8_UINT : R8G8B8A8_UNORM;
    }
    enum vkb_result result = vkb_shader_for_formats(code->shader, formats, shader);
    free(formats);
    return result;
}

static void make(struct worker *worker, struct ocl_code *code, struct cost_row *row)
{
    uint32_t values[CLC_SPEC_COUNT];
    struct vkb_measured measured = {0};
    row->result = COST_REFUSED;
    if (!spec_values(worker, code, row, values))
        return;
    row->result = COST_MAKING;
    say_row(worker, row);
    struct vkb_shader *shader = NULL;
    enum vkb_result result = find_shader(worker, code, &shader);
    if (result == VKB_SUCCESS)
        result = vkb_shader_measure(shader, values, CLC_SPEC_COUNT, ocl_code_lanes(code, worker->device), &measured);
    vkb_shader_release(shader);
    row->driver_ms = (double)measured.time_ns * 1e-6;
    row->subgroup_size = measured.subgroup_size;
    row->num_statistics = measured.count;
    memcpy(row->statistics, measured.statistics, sizeof(row->statistics));
    row->result = result == VKB_SUCCESS ? COST_MADE : COST_REJECTED;
    if (result != VKB_SUCCESS)
        snprintf(row->reason, sizeof(row->reason), "%s", reason_of(result));
}

/* The rows of one kernel, which are as many as it has sizes. */
static void do_kernel(struct worker *worker, const struct clc_kernel_info *info)
{
    const struct cost_request *request = worker->request;
    struct ocl_code code = {.info = info};
    bool required = info->reqd_work_group_size[0], is_lowered = false;
    struct cost_row start = {.result = COST_LOWERING};
    pthread_mutex_init(&code.mutex, NULL);
    snprintf(start.kernel, sizeof(start.kernel), "%.127s", info->name);
    for (uint32_t i = 0; i < (required || !request->num_sizes ? 1 : request->num_sizes); i++) {
        if (worker->next++ < worker->first)
            continue;
        struct cost_row row = start;
        if (required)
            memcpy(row.local, info->reqd_work_group_size, sizeof(row.local));
        else if (request->num_sizes)
            memcpy(row.local, request->sizes[i], sizeof(row.local));
        else
            usual_size(worker, info, row.local);
        say_row(worker, &row);
        if (!is_lowered)
            is_lowered = lower(worker, &code, &row);
        start.lowering_ms = row.lowering_ms;
        start.spirv_bytes = row.spirv_bytes;
        if (is_lowered)
            make(worker, &code, &row);
        else
            row.result = COST_REFUSED;
        say_row(worker, &row);
    }
    vkb_shader_release(code.shader);
    clc_lowered_destroy(code.lowered);
    pthread_mutex_destroy(&code.mutex);
}

_Noreturn void cost_work(const struct cost_request *request, uint32_t first, int out)
{
    struct worker worker = {.request = request, .out = out, .first = first};
    bool found = false;
    setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0}); /* a driver's crash is reported, not kept */
    open_device(&worker);
    make_program(&worker);
    for (uint32_t i = 0; i < clc_program_num_kernels(worker.program); i++) {
        const struct clc_kernel_info *info = clc_program_kernel(worker.program, i);
        if (info->role != CLC_KERNEL_ORDINARY || (request->kernel && strcmp(request->kernel, info->name) != 0))
            continue;
        found = true;
        do_kernel(&worker, info);
    }
    if (!found && request->kernel)
        fprintf(stderr, "pumice cost: there is no kernel '%s'\n", request->kernel);
    end(&worker, !found && request->kernel ? 2 : 0);
}
