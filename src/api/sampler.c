/* Entry points of OpenCL 3.0 API, 5.7 (sampler objects). */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/sampler.h"

#include "base/util.h"

#include <float.h>
#include <string.h>

/* OpenCL 3.0 API, 5.7.1: CL_INVALID_VALUE if a value is not valid, or their combination: repeating modes are for
 * normalized coordinates. */
static cl_int check(const char *function, cl_context context, const struct _cl_sampler *sampler)
{
    bool addressing = sampler->addressing >= CL_ADDRESS_NONE && sampler->addressing <= CL_ADDRESS_MIRRORED_REPEAT;
    bool filter = sampler->filter == CL_FILTER_NEAREST || sampler->filter == CL_FILTER_LINEAR;
    if (!addressing || !filter || sampler->normalized > CL_TRUE)
        return ocl_fail(context, function, CL_INVALID_VALUE, "addressing mode 0x%x, filter 0x%x, normalized %u",
                        sampler->addressing, sampler->filter, sampler->normalized);
    if (sampler->mip_filter != CL_FILTER_NEAREST && sampler->mip_filter != CL_FILTER_LINEAR)
        return ocl_fail(context, function, CL_INVALID_VALUE, "mip filter 0x%x", sampler->mip_filter);
    if (!(sampler->lod_min <= sampler->lod_max))
        return ocl_fail(context, function, CL_INVALID_VALUE, "levels of detail from %g to %g", (double)sampler->lod_min,
                        (double)sampler->lod_max);
    if (!sampler->normalized && sampler->addressing >= CL_ADDRESS_REPEAT)
        return ocl_fail(context, function, CL_INVALID_VALUE, "repeating needs normalized coordinates");
    return CL_SUCCESS;
}

static cl_sampler create(const char *function, cl_context context, const struct _cl_sampler *wanted,
                         cl_int *errcode_ret)
{
    cl_int error = check(function, context, wanted);
    cl_sampler sampler = NULL;
    if (error == CL_SUCCESS && !(sampler = ocl_sampler_create(context, wanted)))
        error = ocl_fail(context, function, CL_OUT_OF_HOST_MEMORY, "no memory for a sampler");
    if (errcode_ret)
        *errcode_ret = error;
    return sampler;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                                    cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                                    cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct _cl_sampler wanted = {.normalized = normalized_coords,
                                       .addressing = addressing_mode,
                                       .filter = filter_mode,
                                       .mip_filter = CL_FILTER_NEAREST,
                                       .lod_max = FLT_MAX};
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (!ocl_context_has_images(context))
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context supports images");
    return create(__func__, context, &wanted, errcode_ret);
}

/* A float lies in the low bytes of its property. */
static cl_float float_of(cl_sampler_properties property)
{
    uint32_t bits = (uint32_t)property;
    cl_float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* False for a property that is unknown or given twice. OpenCL 3.0 API, 5.7.1: CL_INVALID_VALUE also "if the same property
 * name is specified more than once". */
static bool take_property(struct _cl_sampler *wanted, const cl_sampler_properties property[2], uint32_t *seen)
{
    uint32_t bit = 1u << (property[0] & 31); /* other for each */
    bool known = true;
    switch (property[0]) {
    case CL_SAMPLER_NORMALIZED_COORDS:
        wanted->normalized = property[1] > CL_TRUE ? ~0u : (cl_bool)property[1];
        break;
    case CL_SAMPLER_ADDRESSING_MODE:
        wanted->addressing = (cl_addressing_mode)u64_min(property[1], UINT32_MAX);
        break;
    case CL_SAMPLER_FILTER_MODE:
        wanted->filter = (cl_filter_mode)u64_min(property[1], UINT32_MAX);
        break;
    case CL_SAMPLER_MIP_FILTER_MODE:
        wanted->mip_filter = (cl_filter_mode)u64_min(property[1], UINT32_MAX);
        break;
    case CL_SAMPLER_LOD_MIN:
        wanted->lod_min = float_of(property[1]);
        break;
    case CL_SAMPLER_LOD_MAX:
        wanted->lod_max = float_of(property[1]);
        break;
    default:
        known = false;
    }
    known = known && !(*seen & bit);
    *seen |= bit;
    return known;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct _cl_sampler wanted = {.normalized = CL_TRUE,
                                 .addressing = CL_ADDRESS_CLAMP,
                                 .filter = CL_FILTER_NEAREST,
                                 .mip_filter = CL_FILTER_NEAREST,
                                 .lod_max = FLT_MAX};
    uint32_t seen = 0;
    size_t count = 0;
    if (!ocl_is(context, OCL_CONTEXT))
        OCL_RETURN_ERROR(NULL, CL_INVALID_CONTEXT, "not a context");
    OCL_RETURN_IF_TERMINATED(context);
    if (!ocl_context_has_images(context))
        OCL_RETURN_ERROR(context, CL_INVALID_OPERATION, "no device of the context supports images");
    for (; properties && properties[count]; count += 2) {
        if (!take_property(&wanted, properties + count, &seen))
            OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "property 0x%llx is unknown or there twice",
                             (unsigned long long)properties[count]);
    }
    wanted.num_properties = properties ? count + 1 : 0;
    if (properties)
        memcpy(wanted.properties, properties, wanted.num_properties * sizeof(properties[0]));
    return create(__func__, context, &wanted, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    if (!ocl_is(sampler, OCL_SAMPLER))
        return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
    ocl_retain(&sampler->object);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(sampler, OCL_SAMPLER))
        return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
    ocl_sampler_release(sampler);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(sampler, OCL_SAMPLER))
        return ocl_error(NULL, CL_INVALID_SAMPLER, "not a sampler");
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&sampler->object.refs));
    case CL_SAMPLER_CONTEXT:
        return OCL_OUT(&out, cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return OCL_OUT(&out, cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return OCL_OUT(&out, cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return OCL_OUT(&out, cl_filter_mode, sampler->filter);
    case CL_SAMPLER_MIP_FILTER_MODE:
        return OCL_OUT(&out, cl_filter_mode, sampler->mip_filter);
    case CL_SAMPLER_LOD_MIN:
        return OCL_OUT(&out, cl_float, sampler->lod_min);
    case CL_SAMPLER_LOD_MAX:
        return OCL_OUT(&out, cl_float, sampler->lod_max);
    case CL_SAMPLER_PROPERTIES:
        return ocl_out_bytes(&out, sampler->properties, sampler->num_properties * sizeof(sampler->properties[0]));
    default:
        return ocl_error(sampler->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
