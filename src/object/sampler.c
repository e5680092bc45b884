/* Samplers. They are nothing on the device: kernels get their bits. */
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/sampler.h"

#include "compiler/clc.h"

#include <stdlib.h>

uint32_t ocl_sampler_bits(const struct _cl_sampler *sampler)
{
    enum { NORMALIZED = 1, NEAREST = 0x10, LINEAR = 0x20 };
    return (sampler->normalized ? NORMALIZED : 0) | (sampler->addressing - CL_ADDRESS_NONE) << 1 |
           (sampler->filter == CL_FILTER_LINEAR ? LINEAR : NEAREST) |
           clc_sampler_levels(sampler->mip_filter == CL_FILTER_LINEAR, sampler->lod_min, sampler->lod_max);
}

cl_sampler ocl_sampler_create(cl_context context, const struct _cl_sampler *wanted)
{
    cl_sampler sampler = malloc(sizeof(*sampler));
    if (!sampler)
        return NULL;
    *sampler = *wanted;
    ocl_object_init(&sampler->object, OCL_SAMPLER);
    sampler->context = context;
    ocl_context_retain(context);
    return sampler;
}

void ocl_sampler_release(cl_sampler sampler)
{
    if (!ocl_release(&sampler->object))
        return;
    sampler->object.kind = OCL_DEAD;
    ocl_context_release(sampler->context);
    ocl_object_free(&sampler->object);
}
