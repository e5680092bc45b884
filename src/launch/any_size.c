/* A kernel that is launched with ever new local sizes would wait for a pipeline each time, which takes the driver 5 to 50
 * ms. After a few it runs in one for groups of any size (clc_lower_options.any_size), unless there is its own: of 64,
 * 256 and 1024 lanes, or as many as the device has, so that few are idle. */
#include "src/launch/any_size.h"

#include "src/device/device.h"
#include "src/object/program.h"

#include "base/util.h"

/* Larger ranges take the device longer in a pipeline with idle lanes than one of their own takes the driver. */
enum { LARGE = 1 << 20 };

bool ocl_may_have_any_size(const struct ocl_code *code, cl_device_id device, const struct ocl_range *range)
{
    const struct clc_lowered *lowered = code->lowered;
    return atomic_load_explicit(&code->num_used, memory_order_relaxed) + 1 >= device->own_sizes &&
           !lowered->num_bindings && !lowered->uses_subgroups && !lowered->scratch_size &&
           lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0 && !code->info->reqd_work_group_size[0] &&
           !code->info->reqd_sub_group_size && ocl_range_is_even(range) && !ocl_range_is_vast(range) &&
           size_product(size_product(range->global[0], range->global[1]), range->global[2]) < LARGE &&
           ocl_any_size_lanes(range, device);
}

uint32_t ocl_any_size_lanes(const struct ocl_range *range, cl_device_id device)
{
    const struct vkb_caps *caps = device->caps;
    uint32_t items = range->local[0] * range->local[1] * range->local[2];
    uint32_t most = (uint32_t)u64_min(caps->max_workgroup_invocations, caps->max_workgroup_size[0]);
    for (uint32_t lanes = 64; lanes < most; lanes *= 4) {
        if (lanes >= items)
            return lanes;
    }
    return most >= items ? most : 0;
}

struct ocl_code *ocl_choose_any_size(cl_kernel kernel, struct ocl_code *code, cl_device_id device,
                                     const uint32_t values[CLC_SPEC_COUNT])
{
    cl_uint index = (cl_uint)ocl_program_device_index(kernel->program, device);
    struct ocl_code *any_size = ocl_code_any_size(kernel->program, index, code);
    bool is_ready = any_size && vkb_shader_is_ready(code->shader, values, CLC_SPEC_COUNT, ocl_code_lanes(code, device));
    return is_ready ? NULL : any_size;
}
