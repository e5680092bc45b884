/* Kernels compiled and lowered in a test, and run through vk/ without any OpenCL API. */
#ifndef TESTS_UNIT_RUN_KERNEL_H
#define TESTS_UNIT_RUN_KERNEL_H

#include "vk_test.h"

#include "compiler/clc.h"
#include "src/probe/probe.h"

enum { LOCAL = 32 };

/* The OpenCL numbers that a kernel can see. */
enum {
    ORDER_R = 0x10B0,
    ORDER_A,
    ORDER_RG,
    ORDER_RA,
    ORDER_RGBA = 0x10B5,
    ORDER_BGRA,
    ORDER_ARGB,
    ORDER_INTENSITY,
    ORDER_LUMINANCE,
    ORDER_DEPTH = 0x10BD,
    ORDER_ABGR = 0x10C3,
    TYPE_SNORM8 = 0x10D0,
    TYPE_SNORM16,
    TYPE_UNORM8,
    TYPE_UNORM16,
    TYPE_SIGNED8 = 0x10D7,
    TYPE_SIGNED16,
    TYPE_SIGNED32,
    TYPE_UNSIGNED8,
    TYPE_UNSIGNED16,
    TYPE_UNSIGNED32,
    TYPE_HALF,
    TYPE_FLOAT,
};

struct argument {
    struct vkb_buffer *buffer; /* a pointer, or */
    struct vkb_image *image;   /* with its word in number, or */
    uint32_t number;           /* a sampler or an int */
};

/* A kernel with its program. */
struct kernel {
    struct clc_program *program;
    struct clc_lowered *lowered;
    struct vkb_shader *shader;
    uint32_t local; /* work-items in a group */
};

static inline struct clc_target device_target(void)
{
    static const char features[] = "__opencl_c_int64 __opencl_c_images __opencl_c_3d_image_writes "
                                   "__opencl_c_read_write_images __opencl_c_generic_address_space __opencl_c_pipes "
                                   "__opencl_c_subgroups __opencl_c_work_group_collective_functions "
                                   "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device";
    struct clc_target target;
    target_from_caps(&target, vkb_device_caps(device), "cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images",
                     features);
    target.images = target.pipes = true;
    return target;
}

/* Takes the program, NULL where it did not build. */
static inline struct kernel lower_kernel(struct clc_program *program, const struct clc_target *target, const char *name)
{
    struct kernel kernel = {.program = program, .local = LOCAL};
    char *message = NULL;
    const struct clc_lower_options lower = {.target = target};
    if (!program || clc_lower(program, name, &lower, &kernel.lowered, &message) != CLC_SUCCESS) {
        printf("%s: %s\n", name, message ? message : "no program");
        CHECK(!"a kernel");
    } else {
        const struct clc_lowered *l = kernel.lowered;
        enum vkb_descriptor_kind kinds[16];
        char *invalid = clc_validate(l->words, l->num_words, "vulkan");
        if (invalid)
            printf("%s\n", invalid);
        CHECK(!invalid && !l->constants.size && l->num_bindings <= 16);
        free(invalid);
        for (uint32_t i = 0; i < l->num_bindings; i++)
            kinds[i] = (enum vkb_descriptor_kind)l->bindings[i].kind;
        uint32_t push = l->block_in_push_constants ? l->block_size : 8;
        OK(vkb_shader_create_with_images(device, l->words, l->num_words, push, kinds, l->num_bindings, &kernel.shader));
    }
    free(message);
    return kernel;
}

/* The kernel "k" of a source. */
static inline struct kernel make_kernel(const char *source, const char *options)
{
    struct clc_target target = device_target();
    struct clc_program *program = NULL;
    size_t length = strlen(source);
    char *log = NULL;
    const struct clc_compile_args args = {
        .strings = &source, .lengths = &length, .num_strings = 1, .options = options, .target = &target};
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS)
        printf("%s\n%s\n", options, log ? log : "");
    free(log);
    return lower_kernel(program, &target, "k");
}

static inline void free_kernel(struct kernel *kernel)
{
    vkb_shader_release(kernel->shader);
    clc_lowered_destroy(kernel->lowered);
    clc_program_release(kernel->program);
}

static inline void put_launch(uint8_t *block, const struct kernel *kernel, uint32_t groups)
{
    const struct clc_lowered *l = kernel->lowered;
    const uint64_t global[3] = {(uint64_t)groups * kernel->local, 1, 1};
    const uint32_t counts[3] = {groups, 1, 1}, local[3] = {kernel->local, 1, 1}, one = 1;
    const struct {
        enum clc_launch_value value;
        const void *data;
        size_t size;
    } values[] = {
        {CLC_LAUNCH_GLOBAL_SIZE, global, sizeof(global)},
        {CLC_LAUNCH_NUM_GROUPS, counts, sizeof(counts)},
        {CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, local, sizeof(local)},
        {CLC_LAUNCH_WORK_DIM, &one, sizeof(one)},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        if (l->launch_offset[values[i].value] >= 0)
            memcpy(block + l->launch_offset[values[i].value], values[i].data, values[i].size);
    }
}

/* Runs items work-items. An image of the wrong class for a binding is replaced by other. */
static inline void run_kernel(struct vkb_queue *queue, const struct kernel *kernel, const struct argument *args,
                              uint32_t num_args, uint32_t items, struct vkb_image *const other[2], bool is_integer)
{
    const struct clc_lowered *l = kernel->lowered;
    uint8_t block[512] = {0};
    struct vkb_access accesses[16];
    struct vkb_image *images[16];
    const struct vkb_caps *caps = &device->caps;
    const uint32_t spec[CLC_SPEC_COUNT] = {kernel->local, 1, 1, 0};
    const uint32_t width =
        l && l->uses_subgroups && caps->min_subgroup_size != caps->max_subgroup_size ? caps->subgroup_size : 0;
    struct vkb_grid grid = {.groups = {(items + kernel->local - 1) / kernel->local, 1, 1}};
    if (!kernel->shader)
        return;
    OK(vkb_shader_pipeline(kernel->shader, spec, CLC_SPEC_COUNT, width, &grid.pipeline));
    put_launch(block, kernel, grid.groups[0]);
    for (uint32_t i = 0; i < num_args; i++) {
        uint64_t address = args[i].buffer ? vkb_buffer_address(args[i].buffer) : 0;
        accesses[i] = (struct vkb_access){.buffer = args[i].buffer,
                                          .image = args[i].image,
                                          .reads = l->arg_access[i] & 1,
                                          .writes = l->arg_access[i] & 2};
        if (l->arg_offset[i] == UINT32_MAX)
            continue;
        if (address)
            memcpy(block + l->arg_offset[i], &address, 8);
        else
            memcpy(block + l->arg_offset[i], &args[i].number, 4);
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < num_args; i++) {
        if (args[i].buffer || args[i].image)
            accesses[used++] = accesses[i];
    }
    for (uint32_t i = 0; i < l->num_bindings; i++) {
        const struct clc_binding *binding = &l->bindings[i];
        bool fits = (binding->class == CLC_BINDING_INTEGER) == is_integer;
        images[i] = fits || !other ? args[binding->arg].image : other[binding->class];
    }
    const struct vkb_dispatch dispatch = {
        .shader = kernel->shader,
        .block = block,
        .block_size = l->block_size,
        .block_in_push_constants = l->block_in_push_constants,
        .group_base_offset = l->launch_offset[CLC_LAUNCH_GROUP_BASE],
        .grids = &grid,
        .num_grids = 1,
        .accesses = accesses,
        .num_accesses = used,
        .images = images,
    };
    struct vkb_enqueue enqueue = on(queue);
    OK(vkb_cmd_dispatch(&enqueue, &dispatch));
}

#endif
