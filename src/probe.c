/* The probe: how exactly a device computes float functions, and whether it keeps subnormals.
 *
 * Vulkan 1.3, Precision and Operation of SPIR-V Instructions, promises less than OpenCL C 3.0, 7.4, asks. Most drivers
 * do better in some functions, and which ones differs by driver and version. So Pumice's own compiler compiles each
 * expression of probe_rows.c for a target that claims to do everything natively; the device runs it on samples, and the
 * results are compared with the host's. A function is used natively where the worst error stays well below OpenCL's
 * bound (the margin is for what the samples miss) and special values are right.
 *
 * A first round with special values and few random ones rules most functions out; only the rest is measured on many. So
 * the whole takes some tens of milliseconds, once per driver version. The result is kept in a file of the cache's
 * directory, named by a hash of the device's, driver's and Pumice's identity, written aside and renamed. With
 * PUMICE_PROBE=0 nothing is measured, and nothing counts as native. */
#include "src/probe.h"

#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/util.h"

#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBE_REVISION 13 /* of the rows, the samples and the way natives are lowered: older files are ignored */
#define CHUNK          8192
#define MARGIN         0.8f
#define RELAXED_MARGIN 0.9f
#define GROUP          64
#define MAX_ROWS       64

/* ---- the target ---- */

void probe_apply(const struct probe_report *report, struct clc_target *target)
{
    if (!report->done)
        return;
    memcpy(target->native, report->native, sizeof(target->native));
    target->rounds_to_nearest32 = report->rounds_to_nearest32;
    target->denorms_kept16 = report->denorms_kept[CLC_WIDTH_16];
    target->denorms_kept32 = report->denorms_kept[CLC_WIDTH_32];
    target->denorms_kept64 = report->denorms_kept[CLC_WIDTH_64];
}

static bool has_width(const struct clc_target *target, enum clc_width width)
{
    if (width == CLC_WIDTH_16)
        return target->float16 && target->storage16;
    return width == CLC_WIDTH_32 || (target->float64 && target->int64);
}

static bool has_row(const struct clc_target *target, const struct probe_row *row, enum clc_width width)
{
    bool half = row->probe == PROBE_TO_HALF || row->probe == CLC_PROBE_DOUBLE_TO_HALF;
    return (row->widths & 1 << width) && (!half || has_width(target, CLC_WIDTH_16));
}

/* ---- the kernel ---- */

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

/* All rows of a width in one kernel: one pipeline to create, and one dispatch per chunk. */
static void write_source(struct text *text, const struct clc_target *target, enum clc_width width)
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
             types[width], CHUNK, 2 * CHUNK);
    for (uint32_t i = 0; i < probe_num_rows; i++) {
        if (has_row(target, &probe_rows[i], width))
            add_text(text, "    r[%u + i] = %s;\n", i * CHUNK, probe_rows[i].source);
    }
    add_text(text, "}\n");
}

/* A target for which lowering uses the device's own functions everywhere. */
static struct clc_target all_native(const struct clc_target *target, bool rounds_to_nearest32)
{
    struct clc_target all = *target;
    all.rounds_to_nearest32 = rounds_to_nearest32;
    memset(all.native, CLC_NATIVE_EXACT, sizeof(all.native));
    all.extensions = has_width(target, CLC_WIDTH_16)
                         ? has_width(target, CLC_WIDTH_64) ? "cl_khr_fp16 cl_khr_fp64" : "cl_khr_fp16"
                     : has_width(target, CLC_WIDTH_64) ? "cl_khr_fp64"
                                                       : "";
    all.features = has_width(target, CLC_WIDTH_64) ? "__opencl_c_fp64 __opencl_c_int64" : "__opencl_c_int64";
    all.denorms_kept16 = true;
    return all;
}

struct probe {
    const struct clc_target *target;
    struct vkb_device *device;
    struct vkb_queue *queue;
    struct vkb_buffer *input, *output;
    struct probe_report *report;
    struct clc_lowered *lowered[CLC_WIDTH_COUNT];
    struct vkb_shader *shaders[CLC_WIDTH_COUNT];
    uint8_t state[MAX_ROWS]; /* enum clc_native of each row at the width at hand, so far */
};

static bool fail(struct probe *probe, const char *what)
{
    if (!probe->report->why_not[0])
        snprintf(probe->report->why_not, sizeof(probe->report->why_not), "%s", what);
    return false;
}

static void discard(struct probe *probe, enum clc_width width)
{
    if (probe->shaders[width])
        vkb_shader_release(probe->shaders[width]);
    clc_lowered_destroy(probe->lowered[width]);
    probe->shaders[width] = NULL;
    probe->lowered[width] = NULL;
}

static bool compile(struct probe *probe, enum clc_width width)
{
    struct text *text = calloc(1, sizeof(*text));
    if (!text)
        return fail(probe, "out of memory");
    struct clc_target all = all_native(probe->target, probe->report->rounds_to_nearest32);
    write_source(text, probe->target, width);
    const char *strings[] = {text->data};
    struct clc_compile_args args = {
        .strings = strings, .num_strings = 1, .options = "-cl-std=CL1.2", .target = &all, .file_name = "probe"};
    struct clc_program *program = NULL;
    char *log = NULL, *message = NULL;
    bool done = clc_compile(&args, &program, &log) == CLC_SUCCESS;
    struct clc_lower_options options = {.target = &all};
    done = done && clc_lower(program, "probe", &options, &probe->lowered[width], &message) == CLC_SUCCESS;
    if (!done)
        log_info("the probe's kernel does not compile: %s%s", log ? log : "", message ? message : "");
    clc_program_release(program);
    free(log);
    free(message);
    free(text);
    const struct clc_lowered *lowered = probe->lowered[width];
    if (!done || lowered->constants.size || lowered->scratch_size || lowered->uses_local_args)
        return fail(probe, "its kernel does not compile");
    uint32_t push = lowered->block_in_push_constants ? lowered->block_size : 8;
    if (vkb_shader_create(probe->device, lowered->words, lowered->num_words, push, &probe->shaders[width]) !=
        VKB_SUCCESS)
        return fail(probe, "the driver refuses its kernel");
    return true;
}

/* ---- running ---- */

static const uint32_t spec_values[CLC_SPEC_COUNT] = {GROUP, 1, 1, 0};

static void put(uint8_t *block, const struct clc_lowered *lowered, int32_t offset, const void *data, size_t size)
{
    if (offset >= 0 && (size_t)offset + size <= lowered->block_size)
        memcpy(block + offset, data, size);
}

static bool run_chunk(struct probe *probe, enum clc_width width)
{
    const struct clc_lowered *lowered = probe->lowered[width];
    const uint32_t groups[3] = {CHUNK / GROUP, 1, 1}, local[3] = {GROUP, 1, 1}, dims = 1;
    const uint64_t size[3] = {CHUNK, 1, 1};
    const uint64_t addresses[2] = {vkb_buffer_address(probe->input), vkb_buffer_address(probe->output)};
    uint8_t block[1024] = {0};
    if (lowered->block_size > sizeof(block))
        return fail(probe, "its kernel's arguments do not fit");
    put(block, lowered, lowered->launch_offset[CLC_LAUNCH_GLOBAL_SIZE], size, sizeof(size));
    put(block, lowered, lowered->launch_offset[CLC_LAUNCH_NUM_GROUPS], groups, sizeof(groups));
    put(block, lowered, lowered->launch_offset[CLC_LAUNCH_ENQUEUED_LOCAL_SIZE], local, sizeof(local));
    put(block, lowered, lowered->launch_offset[CLC_LAUNCH_WORK_DIM], &dims, sizeof(dims));
    for (uint32_t i = 0; i < 2; i++)
        put(block, lowered, (int32_t)lowered->arg_offset[i], &addresses[i], sizeof(addresses[i]));

    struct vkb_grid grid = {.groups = {groups[0], 1, 1}};
    if (vkb_shader_pipeline(probe->shaders[width], spec_values, CLC_SPEC_COUNT, 0, &grid.pipeline) != VKB_SUCCESS)
        return fail(probe, "the driver refuses its kernel");
    const struct vkb_access accesses[] = {{probe->input, true, false}, {probe->output, false, true}};
    const struct vkb_dispatch dispatch = {
        .shader = probe->shaders[width],
        .block = block,
        .block_size = lowered->block_size,
        .block_in_push_constants = lowered->block_in_push_constants,
        .group_base_offset = lowered->launch_offset[CLC_LAUNCH_GROUP_BASE],
        .grids = &grid,
        .num_grids = 1,
        .accesses = accesses,
        .num_accesses = 2,
    };
    const struct vkb_enqueue enqueue = {.queue = probe->queue};
    if (vkb_cmd_dispatch(&enqueue, &dispatch) != VKB_SUCCESS || vkb_queue_finish(probe->queue) != VKB_SUCCESS)
        return fail(probe, "running its kernel failed");
    return true;
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
    for (uint32_t i = 0; i < CHUNK; i++) {
        probe_sample(width, chunk * CHUNK + i, &samples[i]);
        write_number(data, width, i, samples[i].x);
        write_number(data, width, CHUNK + i, samples[i].y);
        write_number(data, width, 2 * CHUNK + i, samples[i].z);
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
    for (uint32_t i = 0; i < CHUNK; i++) {
        bool exact, ignored;
        double got = read_number(data, judge->width, (size_t)row * CHUNK + i);
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

static void judge_function(struct probe *probe, const struct probe_judge *judge, uint32_t row,
                           const struct probe_args *samples)
{
    const struct probe_row *r = &probe_rows[row];
    struct verdict verdict = judge_row(probe, judge, row, samples);
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
        if (!has_row(probe->target, row, judge->width))
            continue;
        if (row->probe == PROBE_TO_HALF && probe->state[i] != CLC_NATIVE_EXACT)
            probe->report->denorms_kept[CLC_WIDTH_16] = false;
        if (row->probe >= CLC_PROBE_COUNT)
            continue;
        uint8_t *native = &probe->report->native[row->probe][judge->width];
        if (!seen[row->probe] || probe->state[i] < *native)
            *native = probe->state[i];
        seen[row->probe] = true;
    }
}

static bool probe_width(struct probe *probe, enum clc_width width, struct probe_args *samples)
{
    /* The first chunk is for all rows, the others for those that are still good. */
    static const uint32_t num_chunks[] = {[CLC_WIDTH_16] = 6, [CLC_WIDTH_32] = 16, [CLC_WIDTH_64] = 8};
    struct probe_judge judge = {.width = width};
    memset(probe->state, CLC_NATIVE_EXACT, sizeof(probe->state));
    for (uint32_t chunk = 0; chunk < num_chunks[width]; chunk++) {
        fill_input(probe, width, chunk, samples);
        if (!run_chunk(probe, width))
            return false;
        if (chunk == 0 && !judge_arithmetic(probe, &judge, samples)) {
            if (width == CLC_WIDTH_32 && probe->report->rounds_to_nearest32 && probe->target->float_controls_rte32) {
                probe->report->rounds_to_nearest32 = false;
                discard(probe, width);
                return compile(probe, width) && probe_width(probe, width, samples);
            }
            log_info("the device's %s arithmetic is not IEEE 754's; no function of it is used",
                     width == CLC_WIDTH_16   ? "half"
                     : width == CLC_WIDTH_32 ? "float"
                                             : "double");
            return true;
        }
        for (uint32_t i = 0; i < probe_num_rows; i++) {
            if (has_row(probe->target, &probe_rows[i], width) && probe->state[i] != CLC_NATIVE_NO)
                judge_function(probe, &judge, i, samples);
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

static bool measure(struct probe *probe)
{
    if (vkb_device_open(probe->device) != VKB_SUCCESS ||
        vkb_queue_create(probe->device, 0, &probe->queue) != VKB_SUCCESS)
        return fail(probe, "the device cannot be opened");
    uint64_t output = (uint64_t)probe_num_rows * CHUNK * sizeof(double);
    if (vkb_buffer_create(probe->device, 3 * CHUNK * sizeof(double), VKB_MEMORY_HOST, &probe->input) != VKB_SUCCESS ||
        vkb_buffer_create(probe->device, output, VKB_MEMORY_HOST, &probe->output) != VKB_SUCCESS ||
        !vkb_buffer_map(probe->input) || !vkb_buffer_map(probe->output))
        return fail(probe, "there is no memory for it");
    struct probe_args *samples = calloc(CHUNK, sizeof(*samples));
    if (!samples)
        return fail(probe, "out of memory");
    /* The kernel for float is compiled first, since the driver takes longest for it, and measured last. So float also
     * decides last on denorms_kept16, which conversions from float need as well. */
    static const enum clc_width order[] = {CLC_WIDTH_16, CLC_WIDTH_64, CLC_WIDTH_32};
    bool done = true;
    probe->report->rounds_to_nearest32 = true; /* until seen otherwise */
    for (uint32_t i = ARRAY_LENGTH(order); i-- > 0 && done;) {
        if (!has_width(probe->target, order[i]))
            continue;
        done = compile(probe, order[i]);
        if (done)
            vkb_shader_prefetch(probe->shaders[order[i]], spec_values, CLC_SPEC_COUNT, 0);
    }
    for (uint32_t i = 0; i < ARRAY_LENGTH(order) && done; i++) {
        if (has_width(probe->target, order[i]))
            done = probe_width(probe, order[i], samples);
    }
    free(samples);
    return done;
}

static void finish(struct probe *probe)
{
    vkb_queue_release(probe->queue);
    vkb_buffer_release(probe->input);
    vkb_buffer_release(probe->output);
    for (uint32_t i = 0; i < CLC_WIDTH_COUNT; i++)
        discard(probe, (enum clc_width)i);
}

/* ---- the file ---- */

/* Everything that may change the result. The file is named by its bytes, so padding has to be zero. */
struct identity {
    char pumice[32];
    uint32_t revision, vendor, device, driver, driver_version, api_version;
    uint8_t device_uuid[16], driver_uuid[16], pipeline_uuid[16];
    char driver_info[256];
    uint64_t processor; /* of a driver that computes on the host; else 0 */
};

struct file {
    uint64_t checksum; /* of what follows */
    struct identity identity;
    uint8_t native[CLC_PROBE_COUNT][CLC_WIDTH_COUNT], denorms_kept[CLC_WIDTH_COUNT], rounds_to_nearest32;
};

/* A hash of the first processor's model as /proc/cpuinfo has it. llvmpipe's code depends on it (on some processors it
 * rounds doubles wrongly, on others not), and one home directory may serve several hosts. */
static uint64_t processor_hash(void)
{
    static const char *const kinds[] = {"model name", "flags", "CPU implementer", "CPU part", "Features",
                                        "isa",        "uarch"};
    bool seen[ARRAY_LENGTH(kinds)] = {false};
    uint64_t hash = 1;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        for (uint32_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
            if (!seen[i] && strncmp(line, kinds[i], strlen(kinds[i])) == 0) {
                seen[i] = true;
                hash = hash_bytes64(line, (size_t)length, hash);
            }
        }
    }
    free(line);
    if (file)
        fclose(file);
    return hash;
}

static void identify(const struct vkb_caps *caps, struct identity *identity)
{
    memset(identity, 0, sizeof(*identity));
    snprintf(identity->pumice, sizeof(identity->pumice), "%s", PUMICE_VERSION);
    identity->revision = PROBE_REVISION;
    identity->vendor = caps->vendor_id;
    identity->device = caps->device_id;
    identity->driver = caps->driver_id;
    identity->driver_version = caps->driver_version;
    identity->api_version = caps->api_version;
    memcpy(identity->device_uuid, caps->device_uuid, sizeof(identity->device_uuid));
    memcpy(identity->driver_uuid, caps->driver_uuid, sizeof(identity->driver_uuid));
    memcpy(identity->pipeline_uuid, caps->pipeline_cache_uuid, sizeof(identity->pipeline_uuid));
    snprintf(identity->driver_info, sizeof(identity->driver_info), "%s", caps->driver_info);
    if (caps->type == VKB_DEVICE_CPU)
        identity->processor = processor_hash();
}

static uint64_t checksum_of(const struct file *file)
{
    return hash_bytes64((const uint8_t *)file + sizeof(file->checksum), sizeof(*file) - sizeof(file->checksum), 1);
}

static bool file_path(const char *directory, const struct identity *identity, char path[PATH_MAX])
{
    uint64_t hash = hash_bytes64(identity, sizeof(*identity), 1);
    return snprintf(path, PATH_MAX, "%s/probe-%016llx", directory, (unsigned long long)hash) < PATH_MAX - 8;
}

static bool load(const char *path, const struct identity *identity, struct probe_report *report)
{
    struct file file;
    int fd = file_open(path, NULL);
    if (fd < 0)
        return false;
    bool whole = file_read(fd, &file, sizeof(file));
    close(fd);
    if (!whole || file.checksum != checksum_of(&file) || memcmp(&file.identity, identity, sizeof(*identity)) != 0)
        return false;
    memcpy(report->native, file.native, sizeof(file.native));
    for (uint32_t i = 0; i < CLC_WIDTH_COUNT; i++)
        report->denorms_kept[i] = file.denorms_kept[i];
    report->rounds_to_nearest32 = file.rounds_to_nearest32;
    return report->cached = report->done = true;
}

static void store(const char *path, const struct identity *identity, const struct probe_report *report)
{
    struct file file;
    memset(&file, 0, sizeof(file));
    file.identity = *identity;
    memcpy(file.native, report->native, sizeof(file.native));
    for (uint32_t i = 0; i < CLC_WIDTH_COUNT; i++)
        file.denorms_kept[i] = report->denorms_kept[i];
    file.rounds_to_nearest32 = report->rounds_to_nearest32;
    file.checksum = checksum_of(&file);
    file_replace(path, &(struct file_part){&file, sizeof(file)}, 1, false);
}

/* ---- the whole ---- */

void probe_device(struct vkb_device *device, const struct clc_target *target, const char *directory,
                  struct probe_report *report)
{
    const char *off = secure_getenv("PUMICE_PROBE");
    uint64_t start = time_ns();
    struct identity identity;
    char path[PATH_MAX];
    memset(report, 0, sizeof(*report));
    for (uint32_t i = 0; i < CLC_PROBE_COUNT; i++) {
        for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++)
            report->worst[i][width] = -1.0f;
    }
    if (off && strcmp(off, "0") == 0) {
        snprintf(report->why_not, sizeof(report->why_not), "PUMICE_PROBE=0");
        return;
    }
    identify(vkb_device_caps(device), &identity);
    bool file = directory && file_path(directory, &identity, path);
    if (file && load(path, &identity, report))
        return;
    /* The application may have set a rounding or flushing mode of its own. */
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    struct probe probe = {.target = target, .device = device, .report = report};
    report->done = measure(&probe);
    finish(&probe);
    fesetenv(&environment);
    if (!report->done) {
        memset(report->native, CLC_NATIVE_NO, sizeof(report->native));
        memset(report->denorms_kept, 0, sizeof(report->denorms_kept));
        report->rounds_to_nearest32 = false;
    }
    report->time = time_ns() - start;
    log_info("probed %s in %.1f ms%s%s", vkb_device_caps(device)->name, (double)report->time / 1e6,
             report->done ? "" : ": it failed, nothing is native: ", report->why_not);
    if (report->done && file)
        store(path, &identity, report);
}
