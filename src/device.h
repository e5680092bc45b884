/* The platform and its devices; the limits that all of them state. */
#ifndef SRC_DEVICE_H
#define SRC_DEVICE_H

#include "src/object.h"
#include "compiler/clc.h"

#define OCL_PRINTF_BUFFER_SIZE   (1u << 20) /* bytes; CL_DEVICE_PRINTF_BUFFER_SIZE */
#define OCL_MAX_PARAMETER_SIZE   4096u
#define OCL_MAX_GLOBAL_VARIABLES (64u << 20) /* bytes of one program's */
#define OCL_BASE_ALIGN           128u        /* bytes: sizeof(long16), the least that OpenCL 3.0, table 5 allows */

struct _cl_platform_id {
    struct ocl_object object;
    pthread_once_t once; /* finds the devices, on the first question about them */
    cl_uint num_devices;
    cl_device_id *devices; /* discrete GPUs first, CPUs last */
};

struct _cl_device_id {
    struct ocl_object object; /* root devices: never freed, retain and release do nothing */
    struct vkb_device *vk;
    const struct vkb_caps *caps;
    cl_device_type type;
    struct clc_target target;    /* ocl_device_target(); its strings are the last two below */
    pthread_mutex_t probe_mutex; /* guards the probe, which completes target */
    atomic_bool probed;
    char *extensions; /* CL_DEVICE_EXTENSIONS; owned */
    char *macros;     /* the same and what only the compiler tells; owned */
    char *features;   /* __opencl_c_* names with spaces between; owned */
    cl_ulong global_size, max_allocation;
    bool fp16, fp64, subgroups, il, images;
};

extern struct _cl_platform_id ocl_platform;

void ocl_platform_find_devices(void);
void ocl_device_init(cl_device_id device, struct vkb_device *vk);
cl_int ocl_device_open(cl_device_id device);
cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
/* The target with the probe's results. The probe runs now if nothing has needed it before (target.c). */
const struct clc_target *ocl_device_target(cl_device_id device);

/* The tables of what is offered (extensions.c). Strings are malloc'ed. */
char *ocl_extensions_string(const struct _cl_device_id *device);
char *ocl_extension_macros(const struct _cl_device_id *device);
char *ocl_features_string(const struct _cl_device_id *device);
bool ocl_has_feature(const struct _cl_device_id *device, const char *name); /* "__opencl_c_subgroups" */
cl_int ocl_out_extensions(const struct ocl_out *out, cl_device_id device);  /* device NULL: the platform's */
cl_int ocl_out_features(const struct ocl_out *out, cl_device_id device);
const char *ocl_platform_extensions(void);

#endif
