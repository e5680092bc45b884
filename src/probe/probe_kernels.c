/* See probe_kernels.h. */
#include "src/probe/own_kernel.h"
#include "src/probe/probe_kernels.h"

#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 64, ROWS_OF_A_PART = 12, MAX_PARTS = CLC_WIDTH_COUNT * (PROBE_MAX_ROWS / ROWS_OF_A_PART + 1) };

/* One kernel: some rows of a width. */
struct part {
    enum clc_width width;
    uint64_t rows; /* bit by index */
    struct clc_lowered *lowered;
    struct vkb_shader *shader;
    bool taken;          /* some thread makes it, or has made it */
    const char *why_not; /* NULL: it was made */
};

_Static_assert(PROBE_MAX_ROWS <= 64, "part.rows has a bit for each");

struct probe_kernels {
    struct vkb_device *device;
    const struct clc_target *target;
    bool rounds_to_nearest32;
    struct part parts[MAX_PARTS];
    uint32_t num_parts;
    pthread_t *threads;
    uint32_t num_threads, max_threads; /* beside the caller's */

    pthread_mutex_t lock; /* guards what follows, and part.taken */
    pthread_cond_t made;
    uint32_t unmade[CLC_WIDTH_COUNT]; /* parts of the width */
};

bool probe_has_width(const struct clc_target *target, enum clc_width width)
{
    if (width == CLC_WIDTH_16)
        return target->float16 && target->storage16;
    return width == CLC_WIDTH_32 || target->float64;
}

bool probe_has_row(const struct clc_target *target, const struct probe_row *row, enum clc_width width)
{
    bool half =
        row->probe == PROBE_TO_HALF || row->probe == PROBE_TO_HALF_AND_BACK || row->probe == CLC_PROBE_DOUBLE_TO_HALF;
    return (row->widths & 1 << width) && (!half || probe_has_width(target, CLC_WIDTH_16));
}

/* ---- one kernel ---- */

struct text {
    char data[8192];
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) add_text(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->data + text->length, sizeof(text->data) - text->length, format, args);
    va_end(args);
    text->length += (size_t)length < sizeof(text->data) - text->length ? (size_t)length : 0;
}

static void write_source(struct text *text, const struct part *part)
{
    static const char *const types[] = {"half", "float", "double"};
    add_text(text,
             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
             "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
             "#define T %s\n"
             "kernel void probe(global const T *a, global T *r)\n"
             "{\n"
             "    uint i = get_global_id(0);\n"
             "    T x = a[i], y = a[%d + i], z = a[%d + i];\n",
             types[part->width], PROBE_CHUNK, 2 * PROBE_CHUNK);
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if (part->rows >> i & 1)
            add_text(text, "    r[%u + i] = %s;\n", i * PROBE_CHUNK, probe_rows[i].source);
    }
    add_text(text, "}\n");
}

/* A target for which lowering uses the device's own functions everywhere. */
static struct clc_target all_native(const struct probe_kernels *kernels)
{
    const struct clc_target *target = kernels->target;
    struct clc_target all = *target;
    all.rounds_to_nearest32 = kernels->rounds_to_nearest32;
    memset(all.native, CLC_NATIVE_EXACT, sizeof(all.native));
    all.extensions = probe_has_width(target, CLC_WIDTH_16)
                         ? probe_has_width(target, CLC_WIDTH_64) ? "cl_khr_fp16 cl_khr_fp64" : "cl_khr_fp16"
                     : probe_has_width(target, CLC_WIDTH_64) ? "cl_khr_fp64"
                                                             : "";
    all.features = probe_has_width(target, CLC_WIDTH_64) ? "__opencl_c_fp64 __opencl_c_int64" : "__opencl_c_int64";
    all.denorms_kept16 = true;
    return all;
}

static const uint32_t spec_values[CLC_SPEC_COUNT] = {GROUP, 1, 1, 0};

static void discard(struct part *part)
{
    if (part->shader)
        vkb_shader_release(part->shader);
    clc_lowered_destroy(part->lowered);
    part->shader = NULL;
    part->lowered = NULL;
}

static const char *compile(const struct probe_kernels *kernels, struct part *part)
{
    struct text *text = calloc(1, sizeof(*text));
    if (!text)
        return "out of memory";
    struct clc_target all = all_native(kernels);
    write_source(text, part);
    const char *strings[] = {text->data};
    struct clc_compile_args args = {
        .strings = strings, .num_strings = 1, .options = "-cl-std=CL1.2", .target = &all, .file_name = "probe"};
    struct clc_program *program = NULL;
    char *log = NULL, *message = NULL;
    bool done = clc_compile(&args, &program, &log) == CLC_SUCCESS;
    struct clc_lower_options options = {.target = &all};
    done = done && clc_lower(program, "probe", &options, &part->lowered, &message) == CLC_SUCCESS;
    if (!done)
        log_info("the probe's kernel does not compile: %s%s", log ? log : "", message ? message : "");
    clc_program_release(program);
    free(log);
    free(message);
    free(text);
    const struct clc_lowered *lowered = part->lowered;
    if (!done || lowered->constants.size || lowered->scratch_size || lowered->uses_local_args)
        return "its kernel does not compile";
    return NULL;
}

static const char *make(const struct probe_kernels *kernels, struct part *part)
{
    const char *why_not = compile(kernels, part);
    if (why_not)
        return why_not;
    const struct clc_lowered *lowered = part->lowered;
    struct vkb_pipeline *pipeline;
    if (vkb_shader_create(kernels->device, lowered->words, lowered->num_words, own_kernel_push_size(lowered),
                          &part->shader) != VKB_SUCCESS ||
        vkb_shader_pipeline(part->shader, spec_values, CLC_SPEC_COUNT, 0, &pipeline) != VKB_SUCCESS)
        return "the driver refuses its kernel";
    return NULL;
}

/* ---- all of them ---- */

/* With the lock held; NULL: all are taken. */
static struct part *take(struct probe_kernels *kernels)
{
    for (uint32_t i = 0; i < kernels->num_parts; i++) {
        struct part *part = &kernels->parts[i];
        if (!part->taken) {
            part->taken = true;
            return part;
        }
    }
    return NULL;
}

/* Makes a part that was taken. The lock is open meanwhile. */
static void make_taken(struct probe_kernels *kernels, struct part *part)
{
    pthread_mutex_unlock(&kernels->lock);
    const char *why_not = make(kernels, part);
    pthread_mutex_lock(&kernels->lock);
    part->why_not = why_not;
    kernels->unmade[part->width]--;
    pthread_cond_broadcast(&kernels->made);
}

static void *make_all(void *data)
{
    struct probe_kernels *kernels = data;
    struct part *part;
    pthread_mutex_lock(&kernels->lock);
    while ((part = take(kernels)))
        make_taken(kernels, part);
    pthread_mutex_unlock(&kernels->lock);
    return NULL;
}

static void start_threads(struct probe_kernels *kernels)
{
    while (kernels->num_threads < kernels->max_threads &&
           thread_start(&kernels->threads[kernels->num_threads], make_all, kernels))
        kernels->num_threads++;
}

static void join_threads(struct probe_kernels *kernels)
{
    for (uint32_t i = 0; i < kernels->num_threads; i++)
        pthread_join(kernels->threads[i], NULL);
    kernels->num_threads = 0;
}

/* Spreads the width's rows evenly. Neighbours in the table are alike, and so cost alike: they go to different parts. */
static void plan_width(struct probe_kernels *kernels, enum clc_width width)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < probe_num_rows; i++)
        count += probe_has_row(kernels->target, &probe_rows[i], width);
    uint32_t num_parts = (count + ROWS_OF_A_PART - 1) / ROWS_OF_A_PART;
    struct part *parts = &kernels->parts[kernels->num_parts];
    for (uint32_t i = 0; i < num_parts; i++)
        parts[i].width = width;
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if (probe_has_row(kernels->target, &probe_rows[i], width))
            parts[at++ % num_parts].rows |= UINT64_C(1) << i;
    }
    kernels->num_parts += num_parts;
    kernels->unmade[width] = num_parts;
}

struct probe_kernels *probe_kernels_create(struct vkb_device *device, const struct clc_target *target, uint32_t threads)
{
    struct probe_kernels *kernels = calloc(1, sizeof(*kernels));
    if (!kernels)
        return NULL;
    kernels->device = device;
    kernels->target = target;
    kernels->rounds_to_nearest32 = true; /* until seen otherwise */
    pthread_mutex_init(&kernels->lock, NULL);
    pthread_cond_init(&kernels->made, NULL);
    /* Those that are measured first are made first. */
    for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++) {
        enum clc_width order[] = {CLC_WIDTH_16, CLC_WIDTH_64, CLC_WIDTH_32};
        if (probe_has_width(target, order[width]))
            plan_width(kernels, order[width]);
    }
    kernels->threads = threads > 1 ? calloc(threads - 1, sizeof(*kernels->threads)) : NULL;
    kernels->max_threads = kernels->threads ? threads - 1 : 0;
    start_threads(kernels);
    return kernels;
}

void probe_kernels_destroy(struct probe_kernels *kernels)
{
    if (!kernels)
        return;
    pthread_mutex_lock(&kernels->lock);
    while (take(kernels)) /* what is not begun is not needed any more */
        ;
    pthread_mutex_unlock(&kernels->lock);
    join_threads(kernels);
    for (uint32_t i = 0; i < kernels->num_parts; i++)
        discard(&kernels->parts[i]);
    pthread_mutex_destroy(&kernels->lock);
    pthread_cond_destroy(&kernels->made);
    free(kernels->threads);
    free(kernels);
}

const char *probe_kernels_await(struct probe_kernels *kernels, enum clc_width width)
{
    const char *why_not = NULL;
    pthread_mutex_lock(&kernels->lock);
    while (kernels->unmade[width]) {
        struct part *part = take(kernels);
        if (part)
            make_taken(kernels, part);
        else
            pthread_cond_wait(&kernels->made, &kernels->lock);
    }
    for (uint32_t i = 0; i < kernels->num_parts && !why_not; i++)
        why_not = kernels->parts[i].width == width ? kernels->parts[i].why_not : NULL;
    pthread_mutex_unlock(&kernels->lock);
    return why_not;
}

const char *probe_kernels_again(struct probe_kernels *kernels, enum clc_width width, bool rounds_to_nearest32)
{
    join_threads(kernels);
    kernels->rounds_to_nearest32 = rounds_to_nearest32;
    for (uint32_t i = 0; i < kernels->num_parts; i++) {
        struct part *part = &kernels->parts[i];
        if (part->width != width)
            continue;
        discard(part);
        part->taken = false;
        kernels->unmade[width]++;
    }
    start_threads(kernels);
    return probe_kernels_await(kernels, width);
}

static bool run_part(const struct part *part, struct vkb_queue *queue, struct vkb_buffer *input,
                     struct vkb_buffer *output)
{
    struct own_launch launch;
    if (!own_launch_init(&launch, part->lowered, part->shader, spec_values, 0, PROBE_CHUNK / GROUP))
        return false;
    own_launch_buffer(&launch, 0, input);
    own_launch_buffer(&launch, 1, output);
    const struct vkb_access accesses[] = {{input, true, false}, {output, false, true}};
    launch.dispatch.name = "(Pumice's probe)";
    launch.dispatch.accesses = accesses;
    launch.dispatch.num_accesses = 2;
    const struct vkb_enqueue enqueue = {.queue = queue};
    return vkb_cmd_dispatch(&enqueue, &launch.dispatch) == VKB_SUCCESS;
}

static bool is_wanted(const struct part *part, const bool *wanted)
{
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if ((part->rows >> i & 1) && wanted[i])
            return true;
    }
    return false;
}

bool probe_kernels_run(struct probe_kernels *kernels, enum clc_width width, struct vkb_queue *queue,
                       struct vkb_buffer *input, struct vkb_buffer *output, const bool wanted[PROBE_MAX_ROWS])
{
    bool done = true;
    for (uint32_t i = 0; i < kernels->num_parts && done; i++) {
        const struct part *part = &kernels->parts[i];
        if (part->width == width && is_wanted(part, wanted))
            done = run_part(part, queue, input, output);
    }
    return vkb_queue_wait(queue) == VKB_SUCCESS && done;
}
