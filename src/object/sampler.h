/* Samplers: to kernels the 32 bits of the CLK_* macros (docs/images.md). */
#ifndef SRC_OBJECT_SAMPLER_H
#define SRC_OBJECT_SAMPLER_H

#include "src/device/object.h"

struct _cl_sampler {
    struct ocl_object object;
    cl_context context; /* retained */
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_filter_mode mip_filter; /* cl_khr_mipmap_image: between levels of detail */
    cl_float lod_min, lod_max;
    cl_sampler_properties properties[16]; /* as given, with the terminating 0 */
    size_t num_properties;                /* the 0 included; 0: made without an array */
};

/* The bits of the CLK_* macros are 0 to 5; clc_sampler_levels() has the others. */
uint32_t ocl_sampler_bits(const struct _cl_sampler *sampler);
/* wanted: all but object and context. NULL: no memory. */
cl_sampler ocl_sampler_create(cl_context context, const struct _cl_sampler *wanted);
void ocl_sampler_release(cl_sampler sampler);

#endif
