/* What the language has here: extensions and features by name, as the device offers them and the version or a pragma
 * turns them on. */
#include "compiler/front/sema/sema.h"

bool clc_extension_enabled(struct clc_front *front, const char *name)
{
    static const char *const core[] = {"cl_khr_fp64",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_3d_image_writes",
                                       "cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics"};
    size_t length = strlen(name);
    if (!pp_word_in_list(front->target->extensions, name, length))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(core); i++)
        if (!strcmp(core[i], name))
            return true;
    return front->sema && str_map_get(&front->sema->extensions, name, length);
}

/* OpenCL C 1.2 made double a part of the language, where the device has it; before that a pragma did. */
bool sema_double_constants(struct sema *s)
{
    return pp_std_at_least(s->front, CLC_STD_12) || str_map_get(&s->extensions, "cl_khr_fp64", 11);
}

bool clc_feature_enabled(struct clc_front *front, const char *name)
{
    /* Unlike __opencl_c_* macros, which OpenCL C 3.0 has, earlier versions fix the set: 2.0 has all of these, 1.x none.
     */
    static const char *const in_20[] = {"__opencl_c_generic_address_space",
                                        "__opencl_c_program_scope_global_variables",
                                        "__opencl_c_pipes",
                                        "__opencl_c_work_group_collective_functions",
                                        "__opencl_c_read_write_images",
                                        "__opencl_c_atomic_order_acq_rel",
                                        "__opencl_c_atomic_order_seq_cst",
                                        "__opencl_c_atomic_scope_device",
                                        "__opencl_c_atomic_scope_all_devices",
                                        "__opencl_c_3d_image_writes"};
    bool offered = pp_word_in_list(front->target->features, name, strlen(name));
    if (front->options.std >= CLC_STD_30)
        return offered;
    if (front->options.std < CLC_STD_20)
        return offered && (!strcmp(name, "__opencl_c_fp64") || !strcmp(name, "__opencl_c_images") ||
                           !strcmp(name, "__opencl_c_int64"));
    for (size_t i = 0; i < ARRAY_LENGTH(in_20); i++)
        if (!strcmp(in_20[i], name))
            return true;
    return offered;
}
