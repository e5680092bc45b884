/* Pipelines that are made before they are asked for, by threads of the backend's pool.
 *
 * The driver takes 5 to 50 ms for one, or seconds, and a launch has to wait for its own. What it will need is known or
 * likely:
 * - from the build on, what earlier processes used of the same kernels (src/device/shapes.c), in that order;
 * - when a kernel object is made, the work-group size that the kernel requires or hints at, and one that was suggested;
 * - when a kernel is to be launched for the first time, the same size for the other kernel objects of the device, since
 *   most programs launch their kernels alike. These are guesses: a kernel that was launched with another size gets none,
 *   and there are few of them;
 * - where a program's kernel objects are made one after the other between launches, the same for its other kernels.
 *
 * A thread that needs a pipeline that none has begun yet makes it at once (vk/shader/shader.c), and one of a shader that
 * was released meanwhile is not made. */
#include "src/device/cache_directory.h"
#include "src/device/shapes.h"
#include "src/object/ahead.h"

#include "base/log.h"
#include "base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Guesses: for a build's kernels together, and for each. */
enum { MOST_REMEMBERED = 256, MOST_GUESSES = 128, MOST_FOR_ONE = 2 };

struct ocl_ahead {
    atomic_uint refs; /* the build's and the walkers' */
    cl_device_id device;
    /* The device's ahead_mutex guards what follows, and is held while the codes are looked at. Taken before a code's. */
    bool stopped;
    struct ocl_code *codes; /* the build's: gone once stopped */
    uint32_t num_codes, num_kernels;
    uint32_t num_guesses;
    bool was_launched, walks_rest;
    struct ocl_ahead *prev, *next; /* of the device's */
};

struct ocl_ahead *ocl_ahead_create(cl_device_id device, struct ocl_code *codes, uint32_t num_codes,
                                   uint32_t num_kernels)
{
    struct ocl_ahead *ahead = num_codes ? calloc(1, sizeof(*ahead)) : NULL;
    if (!ahead)
        return NULL;
    atomic_init(&ahead->refs, 1);
    ahead->device = device;
    ahead->codes = codes;
    ahead->num_codes = num_codes;
    ahead->num_kernels = num_kernels;
    ocl_lock(&device->ahead_mutex);
    ahead->next = device->aheads;
    if (ahead->next)
        ahead->next->prev = ahead;
    device->aheads = ahead;
    ocl_unlock(&device->ahead_mutex);
    return ahead;
}

static void drop(struct ocl_ahead *ahead)
{
    if (atomic_fetch_sub(&ahead->refs, 1) == 1)
        free(ahead);
}

void ocl_ahead_stop(struct ocl_ahead *ahead)
{
    if (!ahead)
        return;
    ocl_lock(&ahead->device->ahead_mutex);
    ahead->stopped = true;
    *(ahead->prev ? &ahead->prev->next : &ahead->device->aheads) = ahead->next;
    if (ahead->next)
        ahead->next->prev = ahead->prev;
    ocl_unlock(&ahead->device->ahead_mutex);
    drop(ahead);
}

/* Whether a pipeline with these values can be: they may come from a file. */
static bool is_fit(const struct ocl_code *code, cl_device_id device, const uint32_t values[CLC_SPEC_COUNT])
{
    const struct vkb_caps *caps = device->caps;
    const uint32_t *required = code->info->reqd_work_group_size;
    const struct clc_lowered *lowered = code->lowered;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (!values[i] || values[i] > caps->max_workgroup_size[i] || (required[0] && values[i] != required[i]))
            return false;
        items *= values[i];
    }
    uint32_t local = values[CLC_SPEC_LOCAL_ARGS_SIZE], bounds = values[CLC_SPEC_BOUNDS];
    return items <= caps->max_workgroup_invocations && (!local || lowered->uses_local_args) &&
           lowered->local_size <= caps->shared_memory && lowered->local_args_offset <= caps->shared_memory &&
           local <= caps->shared_memory - lowered->local_args_offset && (!lowered->uses_local_args || local) &&
           values[CLC_SPEC_IMAGES] < 16 && values[CLC_SPEC_REACH] <= CLC_REACH_ALL && bounds <= CLC_BOUNDS_TILED &&
           (!bounds || lowered->can_bound || (bounds == CLC_BOUNDS_CHECKED && lowered->can_pack)) &&
           (!lowered->full_subgroups || items % ocl_code_subgroup_size(code, device) == 0) &&
           ocl_code_may_pack(code, device, values, &values[CLC_SPEC_MORE_GROUPS_X]);
}

/* ---- what earlier processes used ---- */

struct memory {
    uint32_t code;
    struct ocl_shape shape;
};

static int by_order(const void *a, const void *b)
{
    const struct memory *left = a, *right = b;
    return left->shape.order < right->shape.order ? -1 : left->shape.order > right->shape.order;
}

/* Finds what is known of the build's kernels. False: it has ended. */
static bool recall(struct ocl_ahead *ahead, struct memory *memories, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; *count < MOST_REMEMBERED; i++) {
        ocl_lock(&ahead->device->ahead_mutex);
        bool goes_on = !ahead->stopped && i < ahead->num_codes, stopped = ahead->stopped;
        uint64_t kernel = goes_on ? ocl_shape_kernel(ahead->codes[i].lowered) : 0;
        ocl_unlock(&ahead->device->ahead_mutex);
        if (!goes_on)
            return !stopped;
        size_t known;
        const struct ocl_shape *shapes = ocl_shapes_find(ahead->device, kernel, &known);
        for (size_t k = 0; k < known && *count < MOST_REMEMBERED; k++)
            memories[(*count)++] = (struct memory){i, shapes[k]};
    }
    return true;
}

/* False: the build has ended. */
static bool make_remembered(struct ocl_ahead *ahead, const struct memory *memory)
{
    struct vkb_shader *shader = NULL;
    uint32_t lanes = 0;
    ocl_lock(&ahead->device->ahead_mutex);
    bool stopped = ahead->stopped;
    if (!stopped && is_fit(&ahead->codes[memory->code], ahead->device, memory->shape.values)) {
        struct ocl_code *code = &ahead->codes[memory->code];
        lanes = ocl_code_lanes(code, ahead->device);
        if (ocl_code_shader(code, ahead->device) == CL_SUCCESS)
            shader = vkb_shader_retain(code->shader);
    }
    ocl_unlock(&ahead->device->ahead_mutex);
    if (shader) {
        vkb_shader_prefetch(shader, memory->shape.values, CLC_SPEC_COUNT, lanes);
        vkb_shader_release(shader);
    }
    return !stopped;
}

static void walk(void *data)
{
    struct ocl_ahead *ahead = data;
    struct memory *memories = ocl_shapes_any(ahead->device) ? malloc(MOST_REMEMBERED * sizeof(*memories)) : NULL;
    uint32_t count = 0;
    if (memories && recall(ahead, memories, &count)) {
        qsort(memories, count, sizeof(memories[0]), by_order);
        for (uint32_t i = 0; i < count && !vkb_exiting() && make_remembered(ahead, &memories[i]); i++)
            ;
    }
    free(memories);
    drop(ahead);
}

void ocl_ahead_start(struct ocl_ahead *ahead)
{
    if (!ahead || !ocl_cache_directory())
        return;
    atomic_fetch_add(&ahead->refs, 1);
    if (!vkb_work_later(walk, ahead))
        drop(ahead);
}

/* ---- guesses ---- */

/* The pipeline of a kernel for a work-group size, as a launch would ask for it. false: not all of it can be told. */
static bool values_for(const struct ocl_code *code, cl_device_id device, const uint32_t size[3], enum clc_bounds bounds,
                       uint32_t values[CLC_SPEC_COUNT])
{
    memset(values, 0, CLC_SPEC_COUNT * sizeof(values[0]));
    memcpy(values, size, 3 * sizeof(values[0]));
    values[CLC_SPEC_IMAGES] = ocl_code_filters(code->lowered);
    values[CLC_SPEC_REACH] = vkb_device_has_large_buffers(device->vk) ? CLC_REACH_LARGE : 0;
    values[CLC_SPEC_BOUNDS] = bounds;
    return !code->lowered->uses_local_args && is_fit(code, device, values);
}

static bool is_packed(const uint32_t values[CLC_SPEC_COUNT])
{
    return values[CLC_SPEC_MORE_GROUPS_X] || values[CLC_SPEC_MORE_GROUPS_Y] || values[CLC_SPEC_MORE_GROUPS_Z];
}

/* With the mutex held; the code has its shader. */
static void guess(struct ocl_ahead *ahead, struct ocl_code *code, const uint32_t like[CLC_SPEC_COUNT])
{
    enum clc_bounds bounds = code->lowered->can_bound ? (enum clc_bounds)like[CLC_SPEC_BOUNDS] : CLC_BOUNDS_WHOLE;
    uint32_t values[CLC_SPEC_COUNT];
    bool tiled = like[CLC_SPEC_BOUNDS] == CLC_BOUNDS_TILED;
    if (code->info->reqd_work_group_size[0] || (tiled && bounds != CLC_BOUNDS_TILED) || atomic_load(&code->num_used) ||
        code->num_guesses == MOST_FOR_ONE || ahead->num_guesses == MOST_GUESSES ||
        !values_for(code, ahead->device, like, bounds, values))
        return;
    static_assert(CLC_SPEC_MORE_GROUPS_X == CLC_SPEC_BOUNDS + 1, "copied with the bounds");
    if (is_packed(like) && ocl_code_may_pack(code, ahead->device, like, &like[CLC_SPEC_MORE_GROUPS_X]))
        memcpy(&values[CLC_SPEC_BOUNDS], &like[CLC_SPEC_BOUNDS], 4 * sizeof(values[0]));
    ahead->num_guesses++;
    code->num_guesses++;
    vkb_shader_guess(code->shader, values, CLC_SPEC_COUNT, ocl_code_lanes(code, ahead->device));
}

static void guess_all_sizes(struct ocl_ahead *ahead, struct ocl_code *code)
{
    for (uint32_t i = 0; i < ahead->device->num_ahead_sizes; i++)
        guess(ahead, code, ahead->device->ahead_sizes[i]);
}

/* Guesses for a kernel that has no object yet. False: there is no more to be done. */
static bool guess_early(struct ocl_ahead *ahead, uint32_t index)
{
    ocl_lock(&ahead->device->ahead_mutex);
    bool goes_on = !ahead->stopped && ahead->num_guesses < MOST_GUESSES;
    struct ocl_code *code = goes_on ? &ahead->codes[index] : NULL;
    if (goes_on && !atomic_load_explicit(&code->ready, memory_order_acquire) &&
        ocl_code_shader(code, ahead->device) == CL_SUCCESS)
        guess_all_sizes(ahead, code);
    ocl_unlock(&ahead->device->ahead_mutex);
    return goes_on && !vkb_exiting();
}

static void walk_rest(void *data)
{
    struct ocl_ahead *ahead = data;
    for (uint32_t i = 0; i < ahead->num_kernels && guess_early(ahead, i); i++)
        ;
    drop(ahead);
}

void ocl_ahead_created(struct ocl_ahead *ahead, struct ocl_code *code, cl_device_id device)
{
    const uint32_t *required = code->info->reqd_work_group_size, *hint = code->info->work_group_size_hint;
    uint32_t values[CLC_SPEC_COUNT], lanes = ocl_code_lanes(code, device);
    if (required[0] && values_for(code, device, required, CLC_BOUNDS_WHOLE, values))
        vkb_shader_prefetch(code->shader, values, CLC_SPEC_COUNT, lanes);
    else if (hint[0] && values_for(code, device, hint, CLC_BOUNDS_WHOLE, values))
        vkb_shader_guess(code->shader, values, CLC_SPEC_COUNT, lanes);
    if (!ahead)
        return;
    ocl_lock(&device->ahead_mutex);
    guess_all_sizes(ahead, code);
    bool walks = ahead->was_launched && device->num_ahead_sizes && !ahead->walks_rest;
    ahead->walks_rest |= walks;
    ocl_unlock(&device->ahead_mutex);
    if (!walks)
        return;
    atomic_fetch_add(&ahead->refs, 1);
    if (!vkb_work_later(walk_rest, ahead))
        drop(ahead);
}

void ocl_ahead_suggested(const struct ocl_code *code, cl_device_id device, const uint32_t size[3])
{
    uint32_t values[CLC_SPEC_COUNT];
    if (values_for(code, device, size, CLC_BOUNDS_WHOLE, values))
        vkb_shader_guess(code->shader, values, CLC_SPEC_COUNT, ocl_code_lanes(code, device));
}

/* Notes the size among the device's. False: it is there already, or says nothing: a single work-item of a single kernel
 * is a task like no other. With the mutex held. */
static bool note_size(cl_device_id device, const uint32_t values[CLC_SPEC_COUNT], bool is_task)
{
    if (is_task && !device->has_ahead_task) {
        device->has_ahead_task = true;
        return false;
    }
    for (uint32_t i = 0; i < device->num_ahead_sizes; i++) {
        if (!memcmp(device->ahead_sizes[i], values, 3 * sizeof(values[0])))
            return false;
    }
    memcpy(device->ahead_sizes[device->next_ahead_size], values, sizeof(device->ahead_sizes[0]));
    device->next_ahead_size = (device->next_ahead_size + 1) % OCL_AHEAD_SIZES;
    if (device->num_ahead_sizes < OCL_AHEAD_SIZES)
        device->num_ahead_sizes++;
    return true;
}

void ocl_ahead_needed(struct ocl_ahead *ahead, const struct ocl_code *code, cl_device_id device,
                      const uint32_t values[CLC_SPEC_COUNT], bool is_task)
{
    if (!ahead || code->is_other || atomic_load_explicit(&code->num_used, memory_order_relaxed))
        return;
    ocl_lock(&device->ahead_mutex);
    ahead->was_launched = true;
    bool is_new = note_size(device, values, is_task);
    for (struct ocl_ahead *other = device->aheads; is_new && other; other = other->next) {
        for (uint32_t i = 0; i < other->num_kernels; i++) {
            struct ocl_code *sibling = &other->codes[i];
            if (sibling != code && atomic_load_explicit(&sibling->ready, memory_order_acquire))
                guess(other, sibling, values);
        }
    }
    ocl_unlock(&device->ahead_mutex);
}

void ocl_ahead_used(struct ocl_code *code, cl_device_id device, const uint32_t values[CLC_SPEC_COUNT])
{
    if (atomic_fetch_add(&code->num_used, 1) < OCL_MOST_SHAPES && !code->is_other)
        ocl_shapes_remember(device, code->lowered, values);
}
