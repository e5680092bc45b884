/* The probe: how exactly a device computes float functions, and whether it keeps subnormals.
 *
 * Vulkan 1.3, Precision and Operation of SPIR-V Instructions, promises less than OpenCL C 3.0, 7.4, asks. Most drivers
 * do better in some functions, and which ones differs by driver and version. So Pumice's own compiler compiles each
 * expression of probe_rows.c for a target that claims to do everything natively; the device runs it on samples, and the
 * results are compared with the host's. A function is used natively where the worst error stays well below OpenCL's
 * bound (the margin is for what the samples miss) and special values are right.
 *
 * A first round with special values and few random ones rules most functions out; only the rest is measured on many. So
 * the whole takes some tens of milliseconds, once per driver version: the result is kept (probe_file.h). With
 * PUMICE_PROBE=0 nothing is measured, and nothing counts as native. PUMICE_PROBE_THREADS says how many threads may work
 * at the same time; the result is the same with any number. */
#include "src/probe/probe.h"
#include "src/probe/probe_file.h"
#include "src/probe/probe_kernels.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/thread.h"
#include "base/util.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_REVISION 24 /* of the rows, the samples and the way natives are lowered: older files are ignored */
#define MARGIN         0.8f
#define RELAXED_MARGIN 0.9f
#define MAX_THREADS    16

/* ---- the target ---- */

void probe_apply(const struct probe_report *report, struct clc_target *target)
{
    target->decodes_packed |= !report->images.samples_packed;
    target->decodes_srgb |= !report->images.samples_srgb;
    target->rounds_writes |= !report->images.rounds_texels;
    target->filters &= report->images.filters;
    if (!report->done)
        return;
    memcpy(target->native, report->native, sizeof(target->native));
    target->rounds_to_nearest32 = report->rounds_to_nearest32;
    target->denorms_kept16 = report->denorms_kept[CLC_WIDTH_16];
    target->denorms_kept32 = report->denorms_kept[CLC_WIDTH_32];
    target->denorms_kept64 = report->denorms_kept[CLC_WIDTH_64];
    target->drops_half_rounding = report->drops_half_rounding;
}

/* ---- running ---- */

struct probe {
    const struct clc_target *target;
    struct vkb_device *device;
    struct vkb_queue *queue;
    struct vkb_buffer *input, *output;
    struct probe_report *report;
    struct probe_kernels *kernels;
    uint32_t threads;              /* that may work at the same time */
    uint8_t state[PROBE_MAX_ROWS]; /* enum clc_native of each row at the width at hand, so far */
};

static bool fail(struct probe *probe, const char *what)
{
    if (!probe->report->why_not[0])
        snprintf(probe->report->why_not, sizeof(probe->report->why_not), "%s", what);
    return false;
}

static double read_number(const void *data, enum clc_width width, size_t i)
{
    if (width == CLC_WIDTH_16)
        return (double)half_to_float(((const uint16_t *)data)[i]);
    return width == CLC_WIDTH_32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void write_number(void *data, enum clc_width width, size_t i, double value)
{
    if (width == CLC_WIDTH_16)
        ((uint16_t *)data)[i] = half_from_double(value);
    else if (width == CLC_WIDTH_32)
        ((float *)data)[i] = (float)value;
    else
        ((double *)data)[i] = value;
}

static void fill_input(struct probe *probe, enum clc_width width, uint32_t chunk, struct probe_args *samples)
{
    void *data = vkb_buffer_map(probe->input);
    for (uint32_t i = 0; i < PROBE_CHUNK; i++) {
        probe_sample(width, chunk * PROBE_CHUNK + i, &samples[i]);
        write_number(data, width, i, samples[i].x);
        write_number(data, width, PROBE_CHUNK + i, samples[i].y);
        write_number(data, width, 2 * PROBE_CHUNK + i, samples[i].z);
    }
}

/* ---- judging ---- */

struct verdict {
    bool exact, relaxed;
    float worst;
    uint32_t worst_at; /* its sample, or where it was first not exact */
    double worst_value;
};

static struct verdict judge_row(struct probe *probe, const struct probe_judge *judge, uint32_t row,
                                const struct probe_args *samples)
{
    const void *data = vkb_buffer_map(probe->output);
    const struct probe_row *r = &probe_rows[row];
    const struct probe_judge lenient = {.width = judge->width, .flush = true};
    struct verdict verdict = {.exact = true, .relaxed = r->relaxed != NULL};
    for (uint32_t i = 0; i < PROBE_CHUNK; i++) {
        bool exact, ignored;
        double got = read_number(data, judge->width, (size_t)row * PROBE_CHUNK + i);
        float error = probe_error(judge, r, &samples[i], got, &exact);
        if (!exact && verdict.relaxed)
            verdict.relaxed =
                probe_error(&lenient, r, &samples[i], got, &ignored) <= r->relaxed(samples[i].x) * RELAXED_MARGIN;
        if ((verdict.exact && !exact) || error > verdict.worst) {
            verdict.worst_at = i;
            verdict.worst_value = got;
        }
        verdict.exact &= exact;
        verdict.worst = error > verdict.worst ? error : verdict.worst;
    }
    return verdict;
}

static bool are_exact(struct probe *probe, const struct probe_judge *judge, int which, const struct probe_args *samples)
{
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if (probe_rows[i].probe == which && !judge_row(probe, judge, i, samples).exact)
            return false;
    }
    return true;
}

/* Whether sums and products are right with subnormals. If not, they must be right with flushing. A device whose fma
 * flushes counts as one that flushes, so that its fma can be used. */
static bool judge_arithmetic(struct probe *probe, struct probe_judge *judge, const struct probe_args *samples)
{
    const struct probe_judge lenient = {.width = judge->width, .flush = true};
    judge->flush =
        !are_exact(probe, judge, PROBE_ARITHMETIC, samples) ||
        (!are_exact(probe, judge, CLC_PROBE_FMA, samples) && are_exact(probe, &lenient, CLC_PROBE_FMA, samples));
    return are_exact(probe, judge, PROBE_ARITHMETIC, samples);
}

/* The rows of one chunk, judged by several threads: the host's functions take longer than the device's. */
struct judging {
    struct probe *probe;
    const struct probe_judge *judge;
    const struct probe_args *samples;
    atomic_uint next; /* row that nobody has taken */
    struct verdict verdicts[PROBE_MAX_ROWS];
};

static bool is_judged(const struct probe *probe, const struct probe_judge *judge, uint32_t row)
{
    return probe_has_row(probe->target, &probe_rows[row], judge->width) && probe->state[row] != CLC_NATIVE_NO;
}

static void *judge_some(void *data)
{
    struct judging *judging = data;
    for (uint32_t row; (row = atomic_fetch_add(&judging->next, 1)) < probe_num_rows;) {
        if (is_judged(judging->probe, judging->judge, row))
            judging->verdicts[row] = judge_row(judging->probe, judging->judge, row, judging->samples);
    }
    return NULL;
}

static void judge_rows(struct judging *judging)
{
    pthread_t threads[MAX_THREADS];
    uint32_t count = 0, wanted = judging->probe->threads;
    while (count + 1 < wanted && thread_start(&threads[count], judge_some, judging))
        count++;
    judge_some(judging);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void judge_function(struct probe *probe, const struct probe_judge *judge, uint32_t row,
                           const struct probe_args *samples, struct verdict verdict)
{
    const struct probe_row *r = &probe_rows[row];
    uint8_t state = CLC_NATIVE_NO;
    if (verdict.exact)
        state = CLC_NATIVE_EXACT;
    else if (verdict.worst <= r->bound[judge->width] * MARGIN)
        state = CLC_NATIVE_BOUND;
    else if (verdict.relaxed)
        state = CLC_NATIVE_RELAXED;
    if (state < probe->state[row]) {
        const struct probe_args *at = &samples[verdict.worst_at];
        log_debug("probe: %s of width %u for (%a, %a, %a) gives %a, which is %g ulp off", r->source,
                  16u << judge->width, at->x, at->y, at->z, verdict.worst_value, (double)verdict.worst);
        probe->state[row] = state;
    }
    float *worst = r->probe < CLC_PROBE_COUNT ? &probe->report->worst[r->probe][judge->width] : NULL;
    if (worst && verdict.worst > *worst)
        *worst = verdict.worst;
}

/* Combines several rows of one function: the worst counts. */
static void conclude(struct probe *probe, const struct probe_judge *judge)
{
    bool seen[CLC_PROBE_COUNT] = {false};
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        const struct probe_row *row = &probe_rows[i];
        if (!probe_has_row(probe->target, row, judge->width))
            continue;
        if (row->probe == PROBE_TO_HALF && probe->state[i] != CLC_NATIVE_EXACT)
            probe->report->denorms_kept[CLC_WIDTH_16] = false;
        if (row->probe == PROBE_TO_HALF_AND_BACK && probe->state[i] != CLC_NATIVE_EXACT)
            probe->report->drops_half_rounding = true;
        if (row->probe >= CLC_PROBE_COUNT)
            continue;
        uint8_t *native = &probe->report->native[row->probe][judge->width];
        if (!seen[row->probe] || probe->state[i] < *native)
            *native = probe->state[i];
        seen[row->probe] = true;
    }
}

static bool run_chunk(struct probe *probe, const struct probe_judge *judge)
{
    bool wanted[PROBE_MAX_ROWS];
    for (uint32_t i = 0; i < probe_num_rows; i++)
        wanted[i] = is_judged(probe, judge, i);
    return probe_kernels_run(probe->kernels, judge->width, probe->queue, probe->input, probe->output, wanted) ||
           fail(probe, "running its kernel failed");
}

static bool probe_width(struct probe *probe, enum clc_width width, struct probe_args *samples)
{
    /* The first chunk is for all rows, the others for those that are still good. */
    static const uint32_t num_chunks[] = {[CLC_WIDTH_16] = 6, [CLC_WIDTH_32] = 16, [CLC_WIDTH_64] = 8};
    struct probe_judge judge = {.width = width};
    memset(probe->state, CLC_NATIVE_EXACT, sizeof(probe->state));
    for (uint32_t chunk = 0; chunk < num_chunks[width]; chunk++) {
        fill_input(probe, width, chunk, samples);
        if (!run_chunk(probe, &judge))
            return false;
        if (chunk == 0 && !judge_arithmetic(probe, &judge, samples)) {
            if (width == CLC_WIDTH_32 && probe->report->rounds_to_nearest32 && probe->target->rte32) {
                probe->report->rounds_to_nearest32 = false;
                const char *why_not = probe_kernels_again(probe->kernels, width, false);
                return why_not ? fail(probe, why_not) : probe_width(probe, width, samples);
            }
            log_info("the device's %s arithmetic is not IEEE 754's; no function of it is used",
                     width == CLC_WIDTH_16   ? "half"
                     : width == CLC_WIDTH_32 ? "float"
                                             : "double");
            return true;
        }
        struct judging judging = {.probe = probe, .judge = &judge, .samples = samples};
        judge_rows(&judging);
        for (uint32_t i = 0; i < probe_num_rows; i++) {
            if (is_judged(probe, &judge, i))
                judge_function(probe, &judge, i, samples, judging.verdicts[i]);
        }
    }
    probe->report->denorms_kept[width] = !judge.flush;
    for (uint32_t i = 0; i < probe_num_rows; i++) { /* right in the first round, wrong later */
        if (probe_rows[i].probe == PROBE_ARITHMETIC && probe->state[i] != CLC_NATIVE_EXACT)
            return true;
    }
    conclude(probe, &judge);
    return true;
}

/* Images are measured at the same time, in a queue of their own. */
static void *measure_images(void *data)
{
    const struct probe *probe = data;
    struct vkb_queue *queue;
    if (vkb_queue_create(probe->device, VKB_QUEUE_BOUNDED, &queue) != VKB_SUCCESS)
        return NULL;
    probe_images(probe->device, queue, probe->target, &probe->report->images);
    vkb_queue_release(queue);
    return NULL;
}

static bool measure(struct probe *probe)
{
    if (vkb_device_open(probe->device) != VKB_SUCCESS ||
        vkb_queue_create(probe->device, VKB_QUEUE_BOUNDED, &probe->queue) != VKB_SUCCESS)
        return fail(probe, "the device cannot be opened");
    uint64_t output = (uint64_t)probe_num_rows * PROBE_CHUNK * sizeof(double);
    if (vkb_buffer_create(probe->device, 3 * PROBE_CHUNK * sizeof(double), VKB_MEMORY_HOST, &probe->input) !=
            VKB_SUCCESS ||
        vkb_buffer_create(probe->device, output, VKB_MEMORY_HOST, &probe->output) != VKB_SUCCESS ||
        !vkb_buffer_map(probe->input) || !vkb_buffer_map(probe->output))
        return fail(probe, "there is no memory for it");
    struct probe_args *samples = calloc(PROBE_CHUNK, sizeof(*samples));
    probe->kernels = probe_kernels_create(probe->device, probe->target, probe->threads);
    probe->report->rounds_to_nearest32 = true; /* until seen otherwise */
    pthread_t images;
    bool done = samples && probe->kernels, has_images = done && probe->target->image_write_any;
    bool started = has_images && probe->threads > 1 && thread_start(&images, measure_images, probe);
    /* Float comes last: the driver takes longest for it, and it decides on denorms_kept16 after half, since conversions
     * from float need that as well. */
    static const enum clc_width order[] = {CLC_WIDTH_16, CLC_WIDTH_64, CLC_WIDTH_32};
    for (uint32_t i = 0; i < ARRAY_LENGTH(order) && done; i++) {
        if (!probe_has_width(probe->target, order[i]))
            continue;
        const char *why_not = probe_kernels_await(probe->kernels, order[i]);
        done = why_not ? fail(probe, why_not) : probe_width(probe, order[i], samples);
    }
    if (!samples || !probe->kernels)
        fail(probe, "out of memory");
    free(samples);
    if (started)
        pthread_join(images, NULL);
    else if (has_images && done)
        measure_images(probe);
    return done;
}

static void finish(struct probe *probe)
{
    probe_kernels_destroy(probe->kernels);
    vkb_queue_release(probe->queue);
    vkb_buffer_release(probe->input);
    vkb_buffer_release(probe->output);
}

static uint32_t count_threads(void)
{
    uint32_t wanted = setting_number(SETTING_PROBE_THREADS);
    return (uint32_t)u64_min(wanted ? wanted : thread_count_processors(), MAX_THREADS);
}

/* ---- the file ---- */

struct result {
    uint8_t native[CLC_PROBE_COUNT][CLC_WIDTH_COUNT], denorms_kept[CLC_WIDTH_COUNT], rounds_to_nearest32,
        drops_half_rounding;
    uint8_t samples_packed, samples_srgb, rounds_texels;
    uint32_t filters;
};

static bool load(const struct probe_file *file, struct probe_report *report)
{
    struct result result;
    if (!probe_file_load(file, &result, sizeof(result)))
        return false;
    memcpy(report->native, result.native, sizeof(result.native));
    for (uint32_t i = 0; i < CLC_WIDTH_COUNT; i++)
        report->denorms_kept[i] = result.denorms_kept[i];
    report->rounds_to_nearest32 = result.rounds_to_nearest32;
    report->images =
        (struct probe_images){result.samples_packed, result.samples_srgb, result.rounds_texels, result.filters};
    report->drops_half_rounding = result.drops_half_rounding;
    return report->cached = report->done = true;
}

static void store(const struct probe_file *file, const struct probe_report *report)
{
    struct result result;
    memset(&result, 0, sizeof(result));
    memcpy(result.native, report->native, sizeof(result.native));
    for (uint32_t i = 0; i < CLC_WIDTH_COUNT; i++)
        result.denorms_kept[i] = report->denorms_kept[i];
    result.rounds_to_nearest32 = report->rounds_to_nearest32;
    result.drops_half_rounding = report->drops_half_rounding;
    result.samples_packed = report->images.samples_packed;
    result.samples_srgb = report->images.samples_srgb;
    result.rounds_texels = report->images.rounds_texels;
    result.filters = report->images.filters;
    probe_file_store(file, &result, sizeof(result));
}

/* ---- the whole ---- */

static struct probe_file kept_file(struct vkb_device *device, const char *directory)
{
    return (struct probe_file){directory, "probe", PROBE_REVISION, vkb_device_caps(device)};
}

bool probe_device_known(struct vkb_device *device, const char *directory, struct probe_report *report)
{
    const struct probe_file file = kept_file(device, directory);
    memset(report, 0, sizeof(*report));
    for (uint32_t i = 0; i < CLC_PROBE_COUNT; i++) {
        for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++)
            report->worst[i][width] = -1.0f;
    }
    if (!setting_on(SETTING_PROBE)) {
        snprintf(report->why_not, sizeof(report->why_not), "PUMICE_PROBE=0");
        return true;
    }
    if (load(&file, report))
        return true;
    if (vkb_device_caps(device)->compile_only)
        snprintf(report->why_not, sizeof(report->why_not), "PUMICE_COMPILE_ONLY=1");
    return vkb_device_caps(device)->compile_only;
}

void probe_device(struct vkb_device *device, const struct clc_target *target, const char *directory,
                  struct probe_report *report)
{
    uint64_t start = time_ns();
    const struct probe_file file = kept_file(device, directory);
    if (probe_device_known(device, directory, report))
        return;
    struct probe probe = {.target = target, .device = device, .report = report, .threads = count_threads()};
    report->done = measure(&probe);
    finish(&probe);
    if (vkb_device_stuck(device))
        snprintf(report->why_not, sizeof(report->why_not),
                 "the device executes nothing: it is opened for pipelines only, and commands fail");
    if (!report->done) {
        memset(report->native, CLC_NATIVE_NO, sizeof(report->native));
        memset(report->denorms_kept, 0, sizeof(report->denorms_kept));
        report->rounds_to_nearest32 = report->drops_half_rounding = false;
        report->images = (struct probe_images){0};
    }
    report->time = time_ns() - start;
    log_info("probed %s in %.1f ms%s%s", vkb_device_caps(device)->name, (double)report->time / 1e6,
             report->done ? "" : ": it failed, nothing is native: ", report->why_not);
    if (report->done)
        store(&file, report);
}
