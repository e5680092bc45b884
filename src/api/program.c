/* Entry points of OpenCL 3.0 API, 5.8 (program objects). */
#include "src/build/build.h"
#include "src/build/structors.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/program.h"

#include "base/spirv.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

/* ---- creation ---- */

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                              const size_t *lengths, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (count == 0 || !strings)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "no strings");
    size_t size = 1;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i])
            OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "strings[%u] is NULL", i);
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        if (__builtin_add_overflow(size, length, &size))
            OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "the strings are too long");
    }
    char *source = malloc(size);
    cl_program program = source ? ocl_program_create(context, context->num_devices, context->devices) : NULL;
    if (!program) {
        free(source);
        OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "no memory for a program of %zu bytes", size);
    }
    char *end = source;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(end, strings[i], length);
        end += length;
    }
    *end = 0;
    program->source = source;
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return program;
}

/* Whether it is SPIR-V, in either byte order. Its content is checked by the build. */
static bool looks_like_spirv(const void *il, size_t length)
{
    uint32_t magic;
    if (length < 20 || length % 4)
        return false;
    memcpy(&magic, il, sizeof(magic));
    return magic == SPIRV_MAGIC || magic == __builtin_bswap32(SPIRV_MAGIC);
}

static bool takes_il(cl_context context)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (context->devices[i]->il)
            return true;
    }
    return false;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                                          cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (!takes_il(context))
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context takes an intermediate language");
    if (!il || length == 0 || !looks_like_spirv(il, length))
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "il is not a SPIR-V module");
    cl_program program = ocl_program_create(context, context->num_devices, context->devices);
    if (program)
        program->il = malloc(length);
    if (!program || !program->il) {
        if (program)
            ocl_program_release(program);
        OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "no memory for a program of %zu bytes", length);
    }
    memcpy(program->il, il, length);
    program->il_size = length;
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return program;
}

/* Whether the list has each device only once, and only devices of the context. */
static bool check_devices(cl_context context, cl_uint num_devices, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!ocl_is(devices[i], OCL_DEVICE) || ocl_context_device_index(context, devices[i]) < 0)
            return false;
        for (cl_uint before = 0; before < i; before++) {
            if (devices[before] == devices[i])
                return false;
        }
    }
    return true;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                                              const cl_device_id *device_list, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *binary_status,
                                                              cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (num_devices == 0 || !device_list)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "no devices");
    if (!check_devices(context, num_devices, device_list))
        OCL_RETURN_ERROR(context, CL_INVALID_DEVICE,
                         "device_list holds what is not a device of the context, or one twice");
    if (!lengths || !binaries)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "lengths or binaries is NULL");
    cl_int bad = CL_SUCCESS;
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_int status = binaries[i] && lengths[i] ? CL_SUCCESS : CL_INVALID_VALUE;
        if (binary_status)
            binary_status[i] = status;
        if (status != CL_SUCCESS)
            bad = status;
    }
    if (bad != CL_SUCCESS)
        OCL_RETURN_ERROR(context, bad, "a binary is NULL or empty");
    cl_program program = ocl_program_create(context, num_devices, device_list);
    if (!program)
        OCL_RETURN_ERROR(context, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_int status = ocl_program_load_binary(program, i, binaries[i], lengths[i]);
        if (binary_status)
            binary_status[i] = status;
        if (status != CL_SUCCESS)
            bad = status;
    }
    if (bad != CL_SUCCESS) {
        ocl_program_release(program);
        OCL_RETURN_ERROR(context, bad, "not a program binary of this version of Pumice");
    }
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                                      const cl_device_id *device_list,
                                                                      const char *kernel_names, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (num_devices == 0 || !device_list || !kernel_names)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "no devices or no names");
    if (!check_devices(context, num_devices, device_list))
        OCL_RETURN_ERROR(context, CL_INVALID_DEVICE,
                         "device_list holds what is not a device of the context, or one twice");
    OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "the devices have no built-in kernels (\"%s\")", kernel_names);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    ocl_program_retain(program);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    ocl_program_release(program);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program, program_notify pfn_notify,
                                                            void *user_data)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    if (!pfn_notify)
        return ocl_error(program->context, CL_INVALID_VALUE, "pfn_notify is NULL");
    /* OpenCL C has no destructors, so no device supports them for a program of its source. */
    if (program->source)
        return ocl_error(program->context, CL_INVALID_OPERATION, "OpenCL C has no destructors at program scope");
    struct ocl_release_callback *callback = malloc(sizeof(*callback));
    if (!callback)
        return ocl_error(program->context, CL_OUT_OF_HOST_MEMORY, "no memory for the callback");
    callback->call = pfn_notify;
    callback->data = user_data;
    ocl_program_call_at_end(program, callback);
    return CL_SUCCESS;
}

/* With the program's mutex held. */
static cl_int find_constant(cl_program program, cl_uint spec_id, const struct clc_spec_constant **found)
{
    static const char function[] = "clSetProgramSpecializationConstant";
    if (!program->known_constants) {
        enum clc_result result =
            clc_spec_constants(program->il, program->il_size, &program->known_constants, &program->num_known_constants);
        if (result == CLC_OUT_OF_MEMORY)
            return ocl_fail(program->context, function, CL_OUT_OF_HOST_MEMORY, "no memory to read the module");
    }
    for (uint32_t i = 0; i < program->num_known_constants; i++) {
        *found = &program->known_constants[i];
        if ((*found)->id == spec_id)
            return CL_SUCCESS;
    }
    return ocl_fail(program->context, function, CL_INVALID_SPEC_ID, "the module has no such constant: %u", spec_id);
}

/* With the program's mutex held. */
static cl_int set_constant(cl_program program, const struct clc_spec_constant *known, const void *value)
{
    struct clc_spec_constant constant = *known;
    memcpy(&constant.value, value, known->size);
    uint32_t at = 0;
    while (at < program->num_spec_constants && program->spec_constants[at].id != known->id)
        at++;
    if (at == program->num_spec_constants) {
        struct clc_spec_constant *list = realloc(program->spec_constants, (at + 1) * sizeof(*list));
        if (!list)
            return CL_OUT_OF_HOST_MEMORY;
        program->spec_constants = list;
        program->num_spec_constants++;
    }
    program->spec_constants[at] = constant;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
                                                                   size_t spec_size, const void *spec_value)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    if (!takes_il(program->context))
        return ocl_error(program->context, CL_INVALID_OPERATION, "no device takes an intermediate language");
    if (!program->il)
        return ocl_error(program->context, CL_INVALID_PROGRAM, "not made from an intermediate language");
    if (!spec_value)
        return ocl_error(program->context, CL_INVALID_VALUE, "spec_value is NULL");
    const struct clc_spec_constant *known = NULL;
    ocl_lock(&program->mutex);
    cl_int error = find_constant(program, spec_id, &known);
    if (error == CL_SUCCESS && known->size != spec_size)
        error = ocl_error(program->context, CL_INVALID_VALUE, "constant %u has %u bytes, not %zu", spec_id, known->size,
                          spec_size);
    if (error == CL_SUCCESS)
        error = set_constant(program, known, spec_value);
    ocl_unlock(&program->mutex);
    return error;
}

/* ---- building ---- */

static cl_int check_build(const char *function, cl_program program, cl_uint num_devices, const cl_device_id *devices,
                          program_notify notify, const void *user_data)
{
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_fail(NULL, function, CL_INVALID_PROGRAM, "not a program");
    cl_context context = program->context;
    if (ocl_context_is_terminated(context))
        return ocl_context_fail_terminated(context, function);
    /* OpenCL 3.0 API, 5.8.2: no list means all devices of the program; half a list is CL_INVALID_VALUE. */
    if (!num_devices != !devices)
        return ocl_fail(context, function, CL_INVALID_VALUE, "num_devices and device_list contradict each other");
    if (!notify && user_data)
        return ocl_fail(context, function, CL_INVALID_VALUE, "user_data without pfn_notify");
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!ocl_is(devices[i], OCL_DEVICE) || ocl_program_device_index(program, devices[i]) < 0)
            return ocl_fail(context, function, CL_INVALID_DEVICE, "device_list[%u] is no device of the program", i);
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                                               const char *options, program_notify pfn_notify, void *user_data)
{
    FLOAT_ENV_DEFAULT();
    cl_int error = check_build(__func__, program, num_devices, device_list, pfn_notify, user_data);
    if (error != CL_SUCCESS)
        return error;
    if (!program->source && !program->il && !ocl_program_has_binary(program))
        return ocl_error(program->context, CL_INVALID_OPERATION, "the program was linked, and has nothing to build");
    /* OpenCL 3.0 API, 5.8.2: CL_INVALID_OPERATION "if there are kernel objects attached to program", and where an
     * earlier build for one of the devices has not completed. */
    if (!ocl_program_begin_build(program))
        return ocl_error(program->context, CL_INVALID_OPERATION, "kernels are attached, or a build is in progress");
    struct ocl_build_request request = {.options = options ? options : ""};
    error = ocl_program_build(program, num_devices, device_list, &request);
    ocl_program_end_build(program);
    if (error != CL_SUCCESS)
        ocl_error(program->context, error, "see CL_PROGRAM_BUILD_LOG");
    if (pfn_notify)
        FLOAT_ENV_CALL(pfn_notify(program, user_data));
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint num_devices,
                                                 const cl_device_id *device_list, const char *options,
                                                 cl_uint num_input_headers, const cl_program *input_headers,
                                                 const char **header_include_names, program_notify pfn_notify,
                                                 void *user_data)
{
    FLOAT_ENV_DEFAULT();
    cl_int error = check_build(__func__, program, num_devices, device_list, pfn_notify, user_data);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = program->context;
    if (!num_input_headers != !input_headers || !num_input_headers != !header_include_names)
        return ocl_error(context, CL_INVALID_VALUE, "headers, their names and their number contradict each other");
    for (cl_uint i = 0; i < num_input_headers; i++) {
        if (!ocl_is(input_headers[i], OCL_PROGRAM) || !input_headers[i]->source)
            return ocl_error(context, CL_INVALID_VALUE, "input_headers[%u] is no program with source", i);
        if (input_headers[i]->context != context)
            return ocl_error(context, CL_INVALID_CONTEXT, "input_headers[%u] is of another context", i);
        if (!header_include_names[i])
            return ocl_error(context, CL_INVALID_VALUE, "header_include_names[%u] is NULL", i);
    }
    if (!program->source && !program->il)
        return ocl_error(context, CL_INVALID_OPERATION, "the program has neither source nor IL");
    if (!ocl_program_begin_build(program))
        return ocl_error(context, CL_INVALID_OPERATION, "kernels are attached, or a build is in progress");
    struct ocl_build_request request = {.options = options ? options : "",
                                        .compile_only = true,
                                        .num_headers = num_input_headers,
                                        .headers = input_headers,
                                        .header_names = header_include_names};
    error = ocl_program_build(program, num_devices, device_list, &request);
    ocl_program_end_build(program);
    if (error != CL_SUCCESS)
        ocl_error(context, error, "see CL_PROGRAM_BUILD_LOG");
    if (pfn_notify)
        FLOAT_ENV_CALL(pfn_notify(program, user_data));
    return error;
}

/* Whether the input has a compiled object or library for the device. */
static bool linkable(cl_program input, cl_device_id device)
{
    int index = ocl_program_device_index(input, device);
    if (index < 0)
        return false;
    ocl_lock(&input->mutex);
    cl_program_binary_type type = input->builds[index].binary_type;
    ocl_unlock(&input->mutex);
    return type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

/* OpenCL 3.0 API, 5.8.4: for each device, either all inputs or none must be there. *devices gets the devices that have
 * all. */
static cl_int link_devices(const char *function, cl_context context, cl_uint num_inputs, const cl_program *inputs,
                           cl_uint num_devices, const cl_device_id *list, cl_device_id *devices, cl_uint *count)
{
    *count = 0;
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_uint have = 0;
        for (cl_uint k = 0; k < num_inputs; k++)
            have += linkable(inputs[k], list[i]);
        if (have == num_inputs)
            devices[(*count)++] = list[i];
        else if (have)
            return ocl_fail(context, function, CL_INVALID_OPERATION, "%u of %u inputs are compiled for %s", have,
                            num_inputs, list[i]->caps->name);
    }
    if (*count == 0)
        return ocl_fail(context, function, CL_INVALID_OPERATION, "the inputs are compiled for no device");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint num_devices,
                                                  const cl_device_id *device_list, const char *options,
                                                  cl_uint num_input_programs, const cl_program *input_programs,
                                                  program_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (!num_devices != !device_list)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "num_devices and device_list contradict each other");
    if (num_input_programs == 0 || !input_programs)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "no input programs");
    for (cl_uint i = 0; i < num_input_programs; i++) {
        if (!ocl_is(input_programs[i], OCL_PROGRAM))
            OCL_RETURN_ERROR(context, CL_INVALID_PROGRAM, "input_programs[%u] is no program", i);
        if (input_programs[i]->context != context)
            OCL_RETURN_ERROR(context, CL_INVALID_CONTEXT, "input_programs[%u] is of another context", i);
    }
    if (!pfn_notify && user_data)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "user_data without pfn_notify");
    if (num_devices > context->num_devices || !check_devices(context, num_devices, device_list))
        OCL_RETURN_ERROR(context, CL_INVALID_DEVICE,
                         "device_list holds what is not a device of the context, or one twice");
    const char *text = options ? options : "";
    char *message = NULL;
    enum clc_result checked = clc_check_options(text, true, &message);
    free(message);
    if (checked != CLC_SUCCESS)
        OCL_RETURN_ERROR(context, checked == CLC_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_LINKER_OPTIONS,
                         "options \"%s\"", text);
    cl_device_id devices[64];
    cl_uint count;
    cl_int error = link_devices(__func__, context, num_input_programs, input_programs,
                                num_devices ? num_devices : context->num_devices,
                                num_devices ? device_list : context->devices, devices, &count);
    cl_program program = error == CL_SUCCESS ? ocl_program_create(context, count, devices) : NULL;
    if (error == CL_SUCCESS && !program)
        error = ocl_error(context, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
    if (program) {
        /* A program that failed to link is still returned, for its log. */
        error = ocl_program_link(program, text, num_input_programs, input_programs);
        if (error == CL_INVALID_OPERATION) {
            ocl_error(context, error, "an input was built anew while it was to be linked");
            ocl_program_release(program);
            program = NULL;
        } else if (error != CL_SUCCESS) {
            ocl_error(context, error, "see CL_PROGRAM_BUILD_LOG");
        }
        if (pfn_notify && program)
            FLOAT_ENV_CALL(pfn_notify(program, user_data));
    }
    if (errcode_ret)
        *errcode_ret = error;
    return program;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return ocl_is(platform, OCL_PLATFORM) ? CL_SUCCESS
                                          : ocl_error(NULL, CL_INVALID_PLATFORM, "not a platform of Pumice");
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- queries ---- */

static cl_int out_binary_sizes(cl_program program, const struct ocl_out *out)
{
    size_t sizes[64];
    cl_uint count = program->num_devices < 64 ? program->num_devices : 64;
    for (cl_uint i = 0; i < count; i++) {
        cl_int error = ocl_program_binary(program, i, NULL, &sizes[i]);
        if (error != CL_SUCCESS)
            return ocl_fail(program->context, out->function, error, "no memory for the binary");
    }
    return ocl_out_bytes(out, sizes, count * sizeof(sizes[0]));
}

/* param_value is an array of pointers to memory for each binary; NULL pointers are skipped. */
static cl_int out_binaries(cl_program program, const struct ocl_out *out)
{
    size_t size = program->num_devices * sizeof(unsigned char *);
    if (out->value) {
        if (out->capacity < size)
            return ocl_fail(program->context, out->function, CL_INVALID_VALUE, "param_value_size is too small");
        unsigned char **targets = out->value;
        for (cl_uint i = 0; i < program->num_devices; i++) {
            size_t bytes;
            cl_int error = ocl_program_binary(program, i, targets[i], &bytes);
            if (error != CL_SUCCESS)
                return ocl_fail(program->context, out->function, error, "no memory for the binary");
        }
    }
    if (out->size_ret)
        *out->size_ret = size;
    return CL_SUCCESS;
}

static cl_int out_kernel_names(const struct ocl_build *build, const struct ocl_out *out)
{
    size_t size = 1;
    for (uint32_t i = 0; i < build->num_kernels; i++)
        size += strlen(build->codes[i].info->name) + 1;
    char *text = calloc(1, size), *end = text;
    if (!text)
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < build->num_kernels; i++) {
        if (i > 0)
            *end++ = ';';
        end = stpcpy(end, build->codes[i].info->name);
    }
    cl_int error = ocl_out_string(out, text);
    free(text);
    return error;
}

static cl_int out_of_executable(cl_program program, cl_program_info name, const struct ocl_out *out)
{
    cl_int error = CL_INVALID_PROGRAM_EXECUTABLE;
    ocl_lock(&program->mutex);
    const struct ocl_build *build = ocl_program_executable(program);
    if (build) {
        switch (name) {
        case CL_PROGRAM_NUM_KERNELS:
            error = OCL_OUT(out, size_t, build->num_kernels);
            break;
        case CL_PROGRAM_KERNEL_NAMES:
            error = out_kernel_names(build, out);
            break;
        case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
            error = OCL_OUT(out, cl_bool, ocl_build_has_role(build, CLC_KERNEL_INITIALIZER));
            break;
        default:
            error = OCL_OUT(out, cl_bool, ocl_build_has_role(build, CLC_KERNEL_FINALIZER));
            break;
        }
    }
    ocl_unlock(&program->mutex);
    if (error == CL_INVALID_PROGRAM_EXECUTABLE)
        return ocl_fail(program->context, out->function, error, "no executable was built");
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&program->object.refs));
    case CL_PROGRAM_CONTEXT:
        return OCL_OUT(&out, cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return OCL_OUT(&out, cl_uint, program->num_devices);
    case CL_PROGRAM_DEVICES:
        return ocl_out_bytes(&out, program->devices, program->num_devices * sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE:
        return ocl_out_string(&out, program->source ? program->source : "");
    case CL_PROGRAM_IL:
        return ocl_out_bytes(&out, program->il, program->il_size);
    case CL_PROGRAM_BINARY_SIZES:
        return out_binary_sizes(program, &out);
    case CL_PROGRAM_BINARIES:
        return out_binaries(program, &out);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return out_of_executable(program, param_name, &out);
    default:
        return ocl_error(program->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

static cl_int out_build(const struct ocl_build *build, cl_program_build_info name, const struct ocl_out *out)
{
    const struct clc_data_block *globals;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return OCL_OUT(out, cl_build_status, build->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return ocl_out_string(out, build->options ? build->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return ocl_out_string(out, build->log ? build->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        return OCL_OUT(out, cl_program_binary_type, build->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        globals = build->program ? clc_program_globals(build->program) : NULL;
        return OCL_OUT(out, size_t, globals ? globals->size : 0);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info param_name, size_t param_value_size,
                                                      void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    int index = ocl_is(device, OCL_DEVICE) ? ocl_program_device_index(program, device) : -1;
    if (index < 0)
        return ocl_error(program->context, CL_INVALID_DEVICE, "not a device of the program");
    ocl_lock(&program->mutex);
    cl_int error = out_build(&program->builds[index], param_name, &out);
    ocl_unlock(&program->mutex);
    if (error != CL_SUCCESS)
        return ocl_error(program->context, error, "param_name 0x%x", param_name);
    return CL_SUCCESS;
}
