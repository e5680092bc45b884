/* Programs: what was built for each device. */
#ifndef SRC_OBJECT_PROGRAM_H
#define SRC_OBJECT_PROGRAM_H

#include "src/device/object.h"
#include "compiler/clc.h"

struct ocl_ahead;

/* One kernel on one device: made by the build, completed (shader, constants) when a kernel object first needs it. */
struct ocl_code {
    const struct clc_kernel_info *info; /* the clc_program's */
    struct clc_lowered *lowered;
    void *cached; /* NULL, or the block that lowered lies in when it came from the cache */
    pthread_mutex_t mutex;
    atomic_bool ready;
    struct vkb_shader *shader;
    struct vkb_buffer *constants;
    /* Work-group sizes that were chosen for ranges without one: range.c. 0: none yet; else the sizes, 10 bits each. */
    _Atomic uint32_t shapes[2];
    atomic_uint num_used; /* pipelines that launches have used */
    uint32_t num_guesses; /* pipelines that were guessed: ahead.c */
    /* The same kernel for work-groups of any size: ocl_code_any_size(). NULL: not needed yet, or it cannot be. */
    _Atomic(struct ocl_code *) any_size;
    atomic_bool has_no_any_size;
    /* The same kernel without what PUMICE_CHECK looks for: ocl_code_unchecked(). NULL: not needed yet. */
    _Atomic(struct ocl_code *) unchecked;
    bool is_other; /* it is one of these two */
};

/* What clBuildProgram and the like made for one device. */
struct ocl_build {
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *options, *log; /* never NULL once built */
    struct clc_program *program;
    struct clc_program *loaded; /* what clCreateProgramWithBinary brought; outlives rebuilding */
    uint32_t num_codes;
    struct ocl_code *codes;  /* for executables, in the order of clc_program_kernel */
    uint32_t num_kernels;    /* the first of codes, which applications see: the others are of other roles */
    bool initialised;        /* guarded by the program's structors: its initialisers have run */
    bool uniform_groups;     /* work-groups must be uniform: OpenCL C before 2.0, or asked for */
    struct ocl_ahead *ahead; /* pipelines of its kernels that are made ahead; or NULL */
    struct vkb_buffer *globals;
    void *binary;
    size_t binary_size;
};

struct _cl_program {
    struct ocl_object object;
    cl_context context;
    cl_uint num_devices;
    cl_device_id *devices;
    char *source; /* NULL unless made from source */
    void *il;     /* NULL unless made from IL */
    size_t il_size;
    pthread_mutex_t structors; /* held while initialisers run; taken before mutex */
    pthread_mutex_t mutex;     /* guards what follows */
    bool building;
    cl_uint num_kernels;      /* kernel objects attached */
    struct ocl_build *builds; /* per device; stable while kernels are attached */
    struct clc_spec_constant *spec_constants;
    uint32_t num_spec_constants;
    /* Those that the IL has, once a call has asked; the values mean nothing. */
    struct clc_spec_constant *known_constants;
    uint32_t num_known_constants;
    struct ocl_release_callback *release_callbacks; /* newest first */
    /* NULL, or called by the last ocl_program_release(). True: something has to run before the program may be
     * destroyed. It has taken a reference, which it releases when that has run. */
    bool (*end)(cl_program program);
};

struct ocl_release_callback {
    void(CL_CALLBACK *call)(cl_program, void *);
    void *data;
    struct ocl_release_callback *next;
};

cl_program ocl_program_create(cl_context context, cl_uint num_devices, const cl_device_id *devices);
void ocl_program_retain(cl_program program);
void ocl_program_release(cl_program program);
int ocl_program_device_index(cl_program program, cl_device_id device);
/* Begins a build. False if another build runs, or if kernels are attached. */
bool ocl_program_begin_build(cl_program program);
void ocl_program_end_build(cl_program program);
cl_int ocl_program_load_binary(cl_program program, cl_uint device, const void *data, size_t size);
bool ocl_program_has_binary(cl_program program); /* made by clCreateProgramWithBinary */
/* Any device's, or NULL. It stays only while the caller holds the program's mutex or has it attached. */
const struct ocl_build *ocl_program_executable(cl_program program);
/* No build may begin between these two, so that what was built can be read without the mutex. False: one has begun. */
bool ocl_program_attach(cl_program program);
void ocl_program_detach(cl_program program);
/* The device's build as a binary, which is kept with it: *size always, its bytes where `to` is not NULL. */
cl_int ocl_program_binary(cl_program program, cl_uint device, void *to, size_t *size);
void ocl_build_finish(struct ocl_build *build);
/* CLC_IMAGES_FILTER where the kernel uses linear filters of the device, else 0. */
uint32_t ocl_code_filters(const struct clc_lowered *lowered);
/* The sub-group size that code's pipelines must have; 0: any. */
uint32_t ocl_code_lanes(const struct ocl_code *code, cl_device_id device);
/* How many work-groups of this size may share one of the device's (CLC_SPEC_MORE_GROUPS_X); 1: none. */
uint32_t ocl_code_packs(const struct ocl_code *code, cl_device_id device, const uint32_t local[3]);
/* Whether a pipeline can be that has these groups more in each dimension. */
bool ocl_code_may_pack(const struct ocl_code *code, cl_device_id device, const uint32_t local[3],
                       const uint32_t more[3]);
/* What the kernel's own sub-groups have at most, which is what queries report. */
uint32_t ocl_code_subgroup_size(const struct ocl_code *code, cl_device_id device);
/* The device as the program's context wants its kernels made. */
struct clc_target ocl_program_target(cl_program program, cl_device_id device);
/* The code of which one pipeline runs groups of all sizes up to its own (clc_lower_options.any_size), made when first
 * asked for and kept by the code. NULL: the kernel has none. */
struct ocl_code *ocl_code_any_size(cl_program program, cl_uint device, struct ocl_code *code);
/* The code of a checked kernel without the checks, which take local memory that a launch may not leave them. Made when
 * first asked for; NULL: it cannot be. */
struct ocl_code *ocl_code_unchecked(cl_program program, cl_uint device, struct ocl_code *code);
/* Makes the code's shader if it has none yet. */
cl_int ocl_code_shader(struct ocl_code *code, cl_device_id device);
cl_int ocl_code_prepare(cl_program program, cl_uint device, struct ocl_code *code);

#endif
