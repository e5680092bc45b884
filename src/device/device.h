/* The platform and its devices; the limits that all of them state. */
#ifndef SRC_DEVICE_DEVICE_H
#define SRC_DEVICE_DEVICE_H

#include "src/device/object.h"
#include "src/probe/probe.h"
#include "compiler/clc.h"

#define OCL_PRINTF_BUFFER_SIZE   (1u << 20) /* bytes that each launch has; CL_DEVICE_PRINTF_BUFFER_SIZE */
#define OCL_MAX_PARAMETER_SIZE   4096u
#define OCL_MAX_GLOBAL_VARIABLES (64u << 20) /* bytes of one program's */
#define OCL_AHEAD_SIZES          2u          /* that pipelines are guessed for: ahead.c */
#define OCL_BASE_ALIGN           128u        /* bytes: sizeof(long16), the least that OpenCL 3.0, table 5 allows */

struct _cl_platform_id {
    struct ocl_object object;
    pthread_once_t once;           /* finds the devices, on the first question about them */
    _Atomic(void *) dispatch_data; /* cl_khr_icd 2: what objects are given */
    cl_uint num_devices;
    cl_device_id *devices; /* discrete GPUs first, CPUs last */
};

/* Whether sums, products and fma of a width keep subnormals. */
struct ocl_subnormals {
    bool kept16, kept32;
};

struct _cl_device_id {
    struct ocl_object object; /* root devices: never freed, retain and release do nothing */
    struct vkb_device *vk;
    const struct vkb_caps *caps;
    cl_device_type type;
    struct clc_target target;          /* ocl_device_target(); its strings are the last two below */
    pthread_mutex_t probe_mutex;       /* guards the probe, which completes target, and what follows */
    struct clc_lowered *store_lowered; /* profile_store.c: made when first needed, and kept */
    struct vkb_shader *store_shader;
    pthread_mutex_t shapes_mutex; /* guards the next until it is set, for good: shapes.c */
    struct ocl_shapes *shapes;
    pthread_mutex_t ahead_mutex; /* guards what follows: ahead.c */
    struct ocl_ahead *aheads;
    uint32_t ahead_sizes[OCL_AHEAD_SIZES][CLC_SPEC_COUNT]; /* that kernels were launched with first, lately */
    uint32_t num_ahead_sizes, next_ahead_size;
    bool has_ahead_task; /* a kernel was launched for one work-item */
    atomic_bool probed;
    atomic_ullong peers_tried, peers_right; /* peer.c: bits of the platform's devices that were tried as readers of this
                                               one's memory, and that read it right */
    bool progress;                          /* sub-groups make progress independently, as far as is known */
    atomic_bool knows_sharing;              /* sharing is final */
    struct probe_sharing sharing;           /* ocl_device_sharing() */
    atomic_bool knows_subnormals;           /* subnormals is final */
    struct ocl_subnormals subnormals;       /* ocl_device_subnormals() */
    atomic_bool looked;                     /* what the first two strings say of sharing is final */
    char *extensions;                       /* CL_DEVICE_EXTENSIONS; owned */
    char *macros;                           /* the same and what only the compiler tells; owned */
    char *features;                         /* __opencl_c_* names with spaces between; owned */
    cl_ulong global_size, max_allocation;
    uint32_t subgroup_size; /* of kernels that ask for none: PUMICE_SUB_GROUP_SIZE, or the device's; at least 1 */
    uint32_t own_sizes;     /* PUMICE_OWN_SIZES */
    uint32_t pack_items;    /* PUMICE_PACK */
    uint32_t pack_least;    /* PUMICE_PACK_LEAST */
    bool fp16, fp64, subgroups, il, images;
    unsigned version; /* of OpenCL: 300 or 310 */
};

extern struct _cl_platform_id ocl_platform;

void ocl_platform_find_devices(void);
/* cl_khr_icd 2. The loader calls this before it hands the platform to anybody, and once more if it starts again. */
void ocl_platform_set_dispatch_data(void *data);
/* VKB_HANDLE_* of memory that the device imports, or whose contents the host copies. */
static inline uint32_t ocl_device_memory_handles(const struct _cl_device_id *device)
{
    return device->caps->memory_imports | (device->caps->maps_dma_bufs ? VKB_HANDLE_DMA_BUF : 0);
}

/* cl_intel_va_api_media_sharing, likewise; libva is there where dma_bufs are. */
static inline bool ocl_device_shares_va(const struct _cl_device_id *device)
{
    return device->images && device->caps->maps_dma_bufs;
}

/* cl_khr_gl_sharing: by way of the host's memory, which is all that it takes beside images. */
static inline bool ocl_device_shares_gl(const struct _cl_device_id *device)
{
    return device->images;
}
/* Bytes: where sub-buffers may begin, images of them included. A power of two. */
cl_uint ocl_device_base_align(cl_device_id device);

cl_int ocl_device_open(cl_device_id device);
/* The target with the probe's results. The probe runs now if nothing has needed it before (target.c). */
const struct clc_target *ocl_device_target(cl_device_id device);
/* The target as far as it is known without the probe, which runs kernels. */
const struct clc_target *ocl_device_known_target(cl_device_id device);
/* What applications are told: the same for the whole process. The probe runs now if nothing has needed it before; while
 * the dynamic loader's lock is held it does not, and nothing is kept for all that is known. Thread-safe. */
const struct ocl_subnormals *ocl_device_subnormals(cl_device_id device);

/* Finds out what can only be seen of an open device and decides what is offered, unless it is known: to be called
 * before extensions and macros are read (target.c). No kernel runs. */
void ocl_device_look(cl_device_id device);
/* The memory that the device shares with the host, tried now if nobody knows (target.c). All false where the device
 * cannot be opened. */
const struct probe_sharing *ocl_device_sharing(cl_device_id device);

/* The tables of what is offered (extensions.c). Strings are malloc'ed. */
char *ocl_extensions_string(const struct _cl_device_id *device);
char *ocl_extension_macros(const struct _cl_device_id *device);
char *ocl_features_string(const struct _cl_device_id *device);
bool ocl_has_feature(const struct _cl_device_id *device, const char *name); /* "__opencl_c_subgroups" */
bool ocl_device_has_matrices(const struct _cl_device_id *device);           /* cl_khr_cooperative_matrix */
cl_int ocl_out_extensions(const struct ocl_out *out, cl_device_id device);
cl_int ocl_out_features(const struct ocl_out *out, cl_device_id device);
/* What all devices offer, as a string or with versions. look: find the devices first; else what any device would. */
cl_int ocl_out_platform_extensions(const struct ocl_out *out, bool look, bool versions);

#endif
