/* cl_khr_cooperative_matrix 1.0.0, as the working group's draft of March 2026 has it (OpenCL-Docs, pull request 1533): its
 * queries. Which matrices kernels may have is the compiler's affair (clc_matrix_variants()). */
#include "src/api/functions.h"
#include "src/api/queries.h"
#include "src/device/device.h"
#include "src/device/object.h"

#include "base/float_env.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* Newer than systems' headers. */
enum {
    DEFAULT_SUB_GROUP_VARIANTS = 0x1078,
    SUB_GROUP_VARIANTS = 0x1079,
    POINTER_ALIGNMENT = 0x107A,
    STRIDE_MULTIPLE = 0x107B,
};

struct variant { /* cl_device_cooperative_matrix_variant_khr */
    cl_uint m, n, k, a, b, c, result;
    cl_bool saturating;
};

/* The size of sub-groups of kernels that ask for none; the draft's are those of the default size. */
static cl_uint default_size(cl_device_id device)
{
    return device->subgroup_size;
}

/* The draft has no numbers for bfloat16 and floats of 8 bits, so such rows are left out; kernels may have them all the
 * same. */
static cl_int out_variants(cl_device_id device, cl_uint size, const struct ocl_out *out)
{
    uint32_t native, count = clc_matrix_variants(&device->target, size, NULL, 0, &native);
    struct clc_matrix_variant *known = calloc(count + 1u, sizeof(*known));
    struct variant *list = calloc(count + 1u, sizeof(*list));
    cl_int result = CL_OUT_OF_HOST_MEMORY;
    if (known && list) {
        clc_matrix_variants(&device->target, size, known, count, &native);
        uint32_t listed = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (known[i].a <= CLC_NUMBER_U64)
                list[listed++] = (struct variant){known[i].m, known[i].n, known[i].k,      known[i].a,
                                                  known[i].b, known[i].c, known[i].result, known[i].saturating};
        }
        result = ocl_out_bytes(out, list, listed * sizeof(*list));
    }
    free(known);
    free(list);
    return result;
}

static CL_API_ENTRY cl_int CL_API_CALL get_matrix_info(cl_device_id device, cl_uint param_name, size_t input_value_size,
                                                       const void *input_value, size_t param_value_size,
                                                       void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    static const char function[] = "clGetDeviceCooperativeMatrixInfoKHR";
    struct ocl_out out = {function, param_value_size, param_value, param_value_size_ret};
    if (!ocl_is(device, OCL_DEVICE))
        return ocl_fail(NULL, function, CL_INVALID_DEVICE, "not a device");
    if (!ocl_device_has_matrices(device))
        return ocl_fail(NULL, function, CL_INVALID_OPERATION, "the device has no cooperative matrices");
    switch (param_name) {
    case DEFAULT_SUB_GROUP_VARIANTS:
        return out_variants(device, default_size(device), &out);
    case SUB_GROUP_VARIANTS:
        if (!input_value || input_value_size != sizeof(cl_uint))
            return ocl_fail(NULL, function, CL_INVALID_VALUE, "the input is no size of sub-groups, a cl_uint");
        return out_variants(device, *(const cl_uint *)input_value, &out);
    default:
        return ocl_fail(NULL, function, CL_INVALID_VALUE, "unknown query 0x%x", param_name);
    }
}

/* Vulkan 1.4, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986: pointers and strides are multiples of 16 bytes, or of
 * a row's or column's size where that is less. What the library computes is loaded and stored component by component. */
cl_int ocl_cooperative_matrix_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    if (!ocl_device_has_matrices(device) || (name != POINTER_ALIGNMENT && name != STRIDE_MULTIPLE))
        return CL_INVALID_VALUE;
    return OCL_OUT(out, cl_uint, device->target.num_matrices ? 16 : 1);
}

void *ocl_cooperative_matrix_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clGetDeviceCooperativeMatrixInfoKHR", (void *)get_matrix_info},
    };
    return strcmp(functions[0].name, name) == 0 ? functions[0].address : NULL;
}
