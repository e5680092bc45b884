/* Constructors and destructors of objects at program scope. SPIR-V has them as entry points of their own: initialisers,
 * which run on a device before its first kernel of the program does, and finalisers, which run when the program is
 * released (SPIR-V 1.6, 3.6; OpenCL C++ 1.0, 2.5.2).
 *
 * Initialisers run when the first kernel object is made. A program in which none ever was made has nothing to finalise.
 * The last reference to a program may go while commands that use its variables are still on their way, and these may
 * wait for an event that the releasing thread will set. So nothing waits there: the program keeps a reference until the
 * context's commands have ended; then finalisers run, after them the callbacks of clSetProgramReleaseCallback(), the
 * newest first, and the program is destroyed. */
#include "src/build/structors.h"
#include "src/command/command.h"
#include "src/launch/launch.h"
#include "src/object/context.h"
#include "src/object/kernel.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

bool ocl_build_has_role(const struct ocl_build *build, enum clc_kernel_role role)
{
    for (uint32_t i = build->num_kernels; i < build->num_codes; i++) {
        if (build->codes[i].info->role == role)
            return true;
    }
    return false;
}

/* Runs one work-group (of the size that the kernel asks for, else of one work-item) and waits for it. */
static cl_int run_on(cl_command_queue queue, cl_kernel kernel)
{
    const uint32_t *required = kernel->info->reqd_work_group_size;
    struct ocl_range range = {.dims = 3, .global = {1, 1, 1}, .local = {1, 1, 1}};
    for (int i = 0; i < 3 && required[0]; i++)
        range.global[i] = range.local[i] = required[i];
    struct ocl_call call = {
        .function = "a program's initialisation or finalisation",
        .queue = queue,
        .type = CL_COMMAND_NDRANGE_KERNEL,
    };
    struct ocl_command command;
    cl_int error = ocl_command_begin(&command, &call);
    if (error == CL_SUCCESS)
        error = ocl_launch(&command, kernel, &range);
    if (error == CL_SUCCESS)
        error = ocl_from_vkb(vkb_queue_wait(queue->vk));
    return error;
}

static cl_int run_code(cl_program program, cl_uint device, cl_command_queue queue, struct ocl_code *code)
{
    cl_kernel kernel;
    cl_int error = ocl_kernel_create_of(program, device, code, &kernel);
    if (error != CL_SUCCESS)
        return error;
    error = run_on(queue, kernel);
    ocl_kernel_release(kernel);
    return error;
}

static cl_int run_role(cl_program program, cl_uint device, enum clc_kernel_role role)
{
    struct ocl_build *build = &program->builds[device];
    cl_uint in_context = (cl_uint)ocl_context_device_index(program->context, program->devices[device]);
    cl_command_queue queue;
    cl_int error = ocl_queue_create(program->context, in_context, 0, 0, NULL, 0, &queue);
    if (error != CL_SUCCESS)
        return error;
    for (uint32_t i = build->num_kernels; i < build->num_codes && error == CL_SUCCESS; i++) {
        if (build->codes[i].info->role == role)
            error = run_code(program, device, queue, &build->codes[i]);
    }
    ocl_queue_release(queue);
    return error;
}

/* The context's commands have ended. Their failures change nothing for the callbacks. */
static void finalise(void *data)
{
    cl_program program = data;
    for (cl_uint i = 0; i < program->num_devices; i++) {
        cl_int error = program->builds[i].initialised ? run_role(program, i, CLC_KERNEL_FINALIZER) : CL_SUCCESS;
        if (error != CL_SUCCESS)
            log_warn("destructors at program scope failed: %s", ocl_error_name(error));
    }
    while (program->release_callbacks) {
        struct ocl_release_callback *callback = program->release_callbacks;
        program->release_callbacks = callback->next;
        FLOAT_ENV_CALL(callback->call(program, callback->data));
        free(callback);
    }
    program->end = NULL;
    ocl_program_release(program);
}

/* Whether something has to run before the program may be destroyed. It does when the context's commands have ended. */
static bool end(cl_program program)
{
    bool has = program->release_callbacks != NULL;
    for (cl_uint i = 0; i < program->num_devices; i++)
        has |= program->builds[i].initialised && ocl_build_has_role(&program->builds[i], CLC_KERNEL_FINALIZER);
    if (!has)
        return false;
    ocl_retain(&program->object);
    ocl_context_when_idle(program->context, VKB_WATCHER, finalise, program);
    return true;
}

cl_int ocl_program_initialise(cl_program program, cl_uint device)
{
    struct ocl_build *build = &program->builds[device];
    cl_int error = CL_SUCCESS;
    if (build->num_kernels == build->num_codes)
        return CL_SUCCESS;
    ocl_lock(&program->structors);
    if (!build->initialised && ocl_build_has_role(build, CLC_KERNEL_INITIALIZER))
        error = run_role(program, device, CLC_KERNEL_INITIALIZER);
    if (error == CL_SUCCESS) {
        ocl_lock(&program->mutex);
        build->initialised = true;
        program->end = end;
        ocl_unlock(&program->mutex);
    }
    ocl_unlock(&program->structors);
    return error;
}

void ocl_program_call_at_end(cl_program program, struct ocl_release_callback *callback)
{
    ocl_lock(&program->mutex);
    callback->next = program->release_callbacks;
    program->release_callbacks = callback;
    program->end = end;
    ocl_unlock(&program->mutex);
}

void ocl_build_retire(cl_context context, cl_device_id device, struct ocl_build *build)
{
    cl_program keeper = ocl_program_create(context, 1, &device);
    if (!keeper) { /* no memory: its destructors do not run */
        ocl_build_finish(build);
        return;
    }
    keeper->builds[0] = *build;
    keeper->end = end;
    ocl_program_release(keeper);
}
