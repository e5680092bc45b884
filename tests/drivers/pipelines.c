/* pipelines [OPTIONS] FILE...: has the Vulkan driver make a pipeline of every kernel.
 *
 * The kernels are compiled for the first device of the platform, as clBuildProgram() does. Nothing is executed, so
 * that the device may be one that a driver makes without hardware (tests/drivers/on.sh).
 *
 * A FILE is one of tests/cl (each paragraph is a program), any other OpenCL C, or SPIR-V of OpenCL. LIST has a line
 * for each further one: its path, a tab, build options. A program of those may be refused by the compiler, and so may
 * SPIR-V, a paragraph that requires something or fails everywhere, and anything on a weak device (-w). Everything
 * else has to be made. It is a failure if the driver crashes, refuses a kernel or takes longer than -s says, if the
 * module is invalid, or if the compiler crashes.
 *
 *     -c COMMAND has the module converted in the driver's place: `sh -c COMMAND` reads it as standard input, and ends
 *                with 0, or says on standard error why it could not. 77: this is no failure
 *     -e N       only each N-th program
 *     -l LIST    see above
 *     -o OPTIONS are the build options of each FILE that has no paragraphs
 *     -n         names the device, and ends
 *     -s SECONDS for each kernel (60)
 *     -w         the device lacks much
 *     -r REPORT  gets a line for each kernel, with tabs between: program, kernel, what became of it, ms of ours, ms of the
 *                driver, why, and what the driver says of it (NAME=NUMBER;...)
 *
 * A worker does the work and tells of each step. Where it dies, this process knows at which kernel, and starts another
 * one behind it. Vulkan is only called in workers, since it does not outlive fork(). */
#include "src/build/admit.h"
#include "src/device/device.h"
#include "tests/drivers/programs.h"
#include "vk/device/device.h"
#include "vk/memory/formats.h"

#include "base/util.h"
#include "src/probe/own_kernel.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict {
    MADE,
    REFUSED_BY_US,
    REFUSED_BY_DRIVER,
    CRASHED_US,
    CRASHED_DRIVER,
    SLOW,
    INVALID,
    UNKNOWN, /* to the converter */
    VERDICTS
};
static const char *const verdict_names[VERDICTS] = {
    "made",     "refused", "refused by the driver",    "our crash", "driver's crash",
    "too slow", "invalid", "unknown to the converter",
};

enum { LOCAL_ARGS = 256 }; /* bytes, of a kernel that has some */

enum step { STEP_DEVICE, STEP_COMPILE, STEP_DRIVER, STEP_END };

/* What a worker tells: written at once, since it is shorter than PIPE_BUF. */
struct note {
    enum step step;
    enum verdict verdict;         /* of END */
    uint32_t program, kernel;     /* kernel 0 before the program is compiled */
    double compile_ms, driver_ms; /* of END */
    char name[96], text[400];
    char statistics[2000]; /* of END */
};
static_assert(sizeof(struct note) <= PIPE_BUF, "it is written at once");

struct options {
    uint32_t every, seconds;
    const char *report, *build, *converter;
    bool names_device, is_weak;
};

/* ---- the worker ---- */

struct worker {
    cl_device_id device;
    const struct programs *programs;
    const char *converter; /* or NULL */
    int pipe;
    uint64_t began; /* the step */
};

static void tell(struct worker *worker, struct note *note)
{
    ssize_t written = write(worker->pipe, note, sizeof(*note));
    if (written != sizeof(*note))
        _exit(2);
    worker->began = time_ns();
}

static double passed_ms(const struct worker *worker)
{
    return (double)(time_ns() - worker->began) / 1e6;
}

/* Takes text, which is malloc'ed or NULL. */
static void end(struct worker *worker, struct note *note, enum verdict verdict, char *text)
{
    note->step = STEP_END;
    note->verdict = verdict;
    snprintf(note->text, sizeof(note->text), "%s", text ? text : "");
    free(text);
    for (char *at = note->text; *at; at++) {
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    }
    tell(worker, note);
}

static struct clc_program *compile(const struct clc_target *target, const struct program *program, char **log)
{
    struct clc_program *compiled = NULL;
    const char *source = program->text;
    const struct clc_compile_args args = {
        .strings = &source,
        .lengths = &program->size,
        .num_strings = 1,
        .options = program->options,
        .target = target,
        .file_name = program->name,
        .directory = program->directory,
    };
    if (program->is_il)
        clc_program_from_il(program->text, program->size, program->options, NULL, 0, target, false, &compiled, log);
    else
        clc_compile(&args, &compiled, log);
    return compiled;
}

/* As ocl_code_lanes() has it. */
static uint32_t lanes_of(const struct worker *worker, const struct clc_kernel_info *info,
                         const struct clc_lowered *lowered)
{
    const struct vkb_caps *caps = worker->device->caps;
    if (caps->min_subgroup_size == caps->max_subgroup_size || !(info->reqd_sub_group_size || lowered->uses_subgroups))
        return 0;
    uint32_t size = info->reqd_sub_group_size ? info->reqd_sub_group_size : worker->device->subgroup_size;
    return clc_subgroup_lanes(&worker->device->target, size);
}

/* Values as launches choose them, of a usual work-group. */
static void values_of(const struct worker *worker, const struct clc_kernel_info *info,
                      const struct clc_lowered *lowered, uint32_t values[CLC_SPEC_COUNT])
{
    memset(values, 0, CLC_SPEC_COUNT * sizeof(values[0]));
    const uint32_t usual[3] = {(uint32_t)u64_min(64, worker->device->caps->max_workgroup_invocations), 1, 1};
    memcpy(values, info->reqd_work_group_size[0] ? info->reqd_work_group_size : usual, sizeof(usual));
    values[CLC_SPEC_LOCAL_ARGS_SIZE] = lowered->uses_local_args ? LOCAL_ARGS : 0;
}

/* On devices that want to know them, the formats are those of images of four floats or ints. */
static uint32_t *words_with_formats(const struct worker *worker, const struct clc_lowered *lowered, size_t *num_words)
{
    enum { RGBA32F = 1, RGBA32UI = 30 };
    if (!lowered->num_bindings || !vkb_words_want_formats(worker->device->caps, lowered->words, lowered->num_words))
        return NULL;
    uint32_t *formats = calloc(lowered->num_bindings, sizeof(*formats));
    for (uint32_t i = 0; formats && i < lowered->num_bindings; i++) {
        const struct clc_binding *binding = &lowered->bindings[i];
        if (binding->kind == CLC_BINDING_STORAGE_IMAGE || binding->kind == CLC_BINDING_STORAGE_BUFFER)
            formats[i] = binding->class == CLC_BINDING_FLOAT ? RGBA32F : RGBA32UI;
    }
    uint32_t *words =
        formats ? vkb_words_with_formats(lowered->words, lowered->num_words, formats, lowered->num_bindings, num_words)
                : NULL;
    free(formats);
    return words;
}

/* In the order in which the driver has them, as far as there is room. */
static void put_statistics(const struct vkb_measured *measured, struct note *note)
{
    size_t at = 0;
    for (uint32_t i = 0; i < measured->count && at < sizeof(note->statistics); i++) {
        const struct vkb_statistic *statistic = &measured->statistics[i];
        int length = snprintf(note->statistics + at, sizeof(note->statistics) - at, "%s%s=%.0f", i ? ";" : "",
                              statistic->name, statistic->value);
        at += length > 0 ? (size_t)length : 0;
    }
}

static enum vkb_result make(struct worker *worker, const struct clc_kernel_info *info,
                            const struct clc_lowered *lowered, struct note *note)
{
    static const enum vkb_descriptor_kind kinds[] = {
        [CLC_BINDING_SAMPLED_IMAGE] = VKB_DESCRIPTOR_SAMPLED_IMAGE,
        [CLC_BINDING_STORAGE_IMAGE] = VKB_DESCRIPTOR_STORAGE_IMAGE,
        [CLC_BINDING_SAMPLED_BUFFER] = VKB_DESCRIPTOR_SAMPLED_BUFFER,
        [CLC_BINDING_STORAGE_BUFFER] = VKB_DESCRIPTOR_STORAGE_BUFFER,
        [CLC_BINDING_SAMPLER] = VKB_DESCRIPTOR_FILTER_EDGE,
    };
    uint32_t values[CLC_SPEC_COUNT];
    size_t num_words = lowered->num_words;
    struct vkb_shader *shader = NULL;
    struct vkb_measured measured = {0};
    enum vkb_descriptor_kind *descriptors = calloc(lowered->num_bindings + 1, sizeof(*descriptors));
    uint32_t *words = words_with_formats(worker, lowered, &num_words);
    enum vkb_result result = descriptors ? VKB_SUCCESS : VKB_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; descriptors && i < lowered->num_bindings; i++) {
        const struct clc_binding *binding = &lowered->bindings[i];
        descriptors[i] = kinds[binding->kind] + (binding->kind == CLC_BINDING_SAMPLER ? binding->level : 0);
    }
    if (result == VKB_SUCCESS)
        result =
            vkb_shader_create_with_images(worker->device->vk, words ? words : lowered->words, num_words,
                                          own_kernel_push_size(lowered), descriptors, lowered->num_bindings, &shader);
    values_of(worker, info, lowered, values);
    if (result == VKB_SUCCESS)
        result = vkb_shader_measure(shader, values, CLC_SPEC_COUNT, lanes_of(worker, info, lowered), &measured);
    put_statistics(&measured, note);
    vkb_shader_release(shader);
    free(words);
    free(descriptors);
    return result;
}

/* Has the converter read the module. *why: what it said, malloc'ed, or NULL. */
static enum verdict convert(const struct worker *worker, const struct clc_lowered *lowered, char **why)
{
    char path[] = "/tmp/pumice-module-XXXXXX", errors[sizeof(path) + 8], command[1024];
    char text[sizeof(((struct note *)NULL)->text)] = "it cannot be given to the converter";
    int file = mkstemp(path);
    size_t size = lowered->num_words * sizeof(uint32_t);
    bool written = file >= 0 && write(file, lowered->words, size) == (ssize_t)size;
    if (file >= 0)
        close(file);
    snprintf(errors, sizeof(errors), "%s.errors", path);
    snprintf(command, sizeof(command), "(%s) <%s >/dev/null 2>%s", worker->converter, path, errors);
    int status = written ? system(command) : -1;
    FILE *said = status ? fopen(errors, "r") : NULL;
    if (said) {
        text[fread(text, 1, sizeof(text) - 1, said)] = '\0';
        fclose(said);
    }
    unlink(path);
    unlink(errors);
    *why = status ? strdup(text) : NULL;
    return status == 0 ? MADE : status > 0 && WEXITSTATUS(status) == 77 ? UNKNOWN : REFUSED_BY_DRIVER;
}

/* What ocl_admit() says of it, as far as it concerns drivers; malloc'ed, or NULL. */
static char *too_much(const struct worker *worker, const struct clc_kernel_info *info,
                      const struct clc_lowered *lowered)
{
    const struct vkb_caps *caps = worker->device->caps;
    const uint32_t *size = info->reqd_work_group_size, most = caps->max_workgroup_invocations;
    char text[128] = "";
    if (lowered->local_size + (lowered->uses_local_args ? LOCAL_ARGS : 0) > caps->shared_memory)
        snprintf(text, sizeof(text), "%u bytes of local memory, the device has %u", lowered->local_size,
                 caps->shared_memory);
    if ((uint64_t)size[0] * size[1] * size[2] > most)
        snprintf(text, sizeof(text), "work-groups of %u x %u x %u, the device has %u items", size[0], size[1], size[2],
                 most);
    if (!ocl_images_fit(lowered, caps))
        snprintf(text, sizeof(text), "more images than the device has: %u are read, %u written, %u together",
                 caps->max_sampled_images, caps->max_storage_images, caps->max_images);
    return text[0] ? strdup(text) : NULL;
}

static void do_kernel(struct worker *worker, const struct clc_program *compiled, struct note *note)
{
    const struct clc_kernel_info *info = clc_program_kernel(compiled, note->kernel);
    struct clc_lower_options options = {.target = &worker->device->target, .max_threads = 1};
    struct clc_lowered *lowered = NULL;
    char *message = NULL;
    snprintf(note->name, sizeof(note->name), "%s", info->name);
    note->step = STEP_COMPILE;
    note->driver_ms = 0;
    note->statistics[0] = '\0';
    tell(worker, note);
    if (clc_lower(compiled, info->name, &options, &lowered, &message) != CLC_SUCCESS) {
        end(worker, note, REFUSED_BY_US, message);
        return;
    }
    note->compile_ms = passed_ms(worker);
    if ((message = too_much(worker, info, lowered))) {
        end(worker, note, REFUSED_BY_US, message);
    } else if ((message = clc_validate(lowered->words, lowered->num_words, "vulkan"))) {
        end(worker, note, INVALID, message);
    } else if (worker->converter) {
        enum verdict verdict = convert(worker, lowered, &message);
        note->driver_ms = passed_ms(worker);
        end(worker, note, verdict, message);
    } else {
        note->step = STEP_DRIVER;
        tell(worker, note);
        enum vkb_result result = make(worker, info, lowered, note);
        note->driver_ms = passed_ms(worker);
        end(worker, note, result == VKB_SUCCESS ? MADE : REFUSED_BY_DRIVER, NULL);
    }
    clc_lowered_destroy(lowered);
}

static void do_program(struct worker *worker, uint32_t index, uint32_t kernel)
{
    struct note note = {.step = STEP_COMPILE, .program = index};
    char *log = NULL;
    tell(worker, &note);
    struct clc_program *compiled = compile(&worker->device->target, &worker->programs->list[index], &log);
    uint32_t count = compiled ? clc_program_num_kernels(compiled) : 0;
    if (!compiled) {
        end(worker, &note, REFUSED_BY_US, log);
        return;
    }
    free(log);
    for (note.kernel = kernel; note.kernel < count; note.kernel++)
        do_kernel(worker, compiled, &note);
    clc_program_release(compiled);
}

static bool open_device(struct worker *worker)
{
    struct note note = {.step = STEP_DEVICE};
    ocl_platform_find_devices();
    if (!ocl_platform.num_devices)
        return false;
    worker->device = ocl_platform.devices[0];
    ocl_device_known_target(worker->device);
    vkb_device_want_statistics(worker->device->vk);
    if (vkb_device_open(worker->device->vk) != VKB_SUCCESS)
        return false;
    const struct vkb_caps *caps = worker->device->caps;
    snprintf(note.text, sizeof(note.text), "%.150s (%.60s %.100s)", caps->name, caps->driver_name, caps->driver_info);
    tell(worker, &note);
    return true;
}

/* Works from this kernel of this program on. Ends with 77 without a device. */
static int work(struct worker *worker, const struct note *from, const struct options *options)
{
    if (!open_device(worker))
        return 77;
    if (options->names_device)
        return 0;
    for (uint32_t i = from->program; i < worker->programs->count; i++)
        do_program(worker, i, i == from->program ? from->kernel : 0);
    return 0;
}

/* ---- the process that watches it ---- */

struct watch {
    const struct options *options;
    const struct programs *programs;
    char device[400];
    FILE *report;
    uint32_t counts[VERDICTS], failures, num_times, max_times;
    double *times, worst;
    char worst_name[200];
};

static void add_time(struct watch *watch, const struct note *note)
{
    if (watch->num_times == watch->max_times) {
        watch->max_times = watch->max_times ? watch->max_times * 2 : 256;
        watch->times = realloc(watch->times, watch->max_times * sizeof(*watch->times));
        if (!watch->times)
            exit(1);
    }
    watch->times[watch->num_times++] = note->driver_ms;
    if (note->driver_ms <= watch->worst)
        return;
    watch->worst = note->driver_ms;
    snprintf(watch->worst_name, sizeof(watch->worst_name), "%.90s, %.90s", watch->programs->list[note->program].name,
             note->name);
}

static void count(struct watch *watch, const struct note *note)
{
    const struct program *program = &watch->programs->list[note->program];
    bool fails = note->verdict != MADE && note->verdict != UNKNOWN &&
                 !(note->verdict == REFUSED_BY_US && (program->may_be_refused || watch->options->is_weak));
    watch->counts[note->verdict]++;
    watch->failures += fails;
    if (note->verdict == MADE)
        add_time(watch, note);
    if (fails)
        printf("%s, %s: %s %s\n", program->name, note->name, verdict_names[note->verdict], note->text);
    if (watch->report) {
        fprintf(watch->report, "%s\t%s\t%s\t%.1f\t%.1f\t%s\t%s\n", program->name, note->name,
                verdict_names[note->verdict], note->compile_ms, note->driver_ms, note->text, note->statistics);
        fflush(watch->report);
    }
}

/* Reads what the worker tells until it ends, or does not get on. *last: what it told last. */
static bool listen(struct watch *watch, int pipe, struct note *last)
{
    struct pollfd wait = {.fd = pipe, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, (int)watch->options->seconds * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return false;
        if (read(pipe, last, sizeof(*last)) != sizeof(*last))
            return true;
        if (last->step == STEP_DEVICE && !watch->device[0]) {
            memcpy(watch->device, last->text, sizeof(watch->device));
            printf("%s\n", watch->device);
        }
        if (last->step == STEP_END)
            count(watch, last);
        fflush(stdout);
    }
}

/* What became of the kernel that a worker was at when it died. */
static void count_death(struct watch *watch, struct note *last, bool in_time, int status)
{
    bool driver = last->step == STEP_DRIVER;
    last->verdict = !in_time ? SLOW : driver ? CRASHED_DRIVER : CRASHED_US;
    last->step = STEP_END;
    if (in_time)
        snprintf(last->text, sizeof(last->text), "signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    else
        snprintf(last->text, sizeof(last->text), "%s had more than %u s", driver ? "the driver" : "the compiler",
                 watch->options->seconds);
    count(watch, last);
}

/* Runs one worker from `next` on, and says in it where another one has to go on. -1: it is not needed; else a status to
 * end with. */
static int run_worker(struct watch *watch, struct note *next)
{
    int ends[2], status = 0;
    struct note last = {.step = STEP_DEVICE};
    fflush(NULL);
    if (pipe(ends))
        return 1;
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (!child) {
        close(ends[0]);
        struct worker worker = {
            .programs = watch->programs, .converter = watch->options->converter, .pipe = ends[1], .began = time_ns()};
        _exit(work(&worker, next, watch->options));
    }
    close(ends[1]);
    last.program = UINT32_MAX;
    bool in_time = listen(watch, ends[0], &last);
    close(ends[0]);
    if (!in_time)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (in_time && WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77))
        return WEXITSTATUS(status) == 77 ? 77 : 0;
    if (last.program == UINT32_MAX || last.step == STEP_DEVICE) {
        printf("the device cannot be opened: %s %d\n", in_time ? "signal" : "no answer",
               WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        return 1;
    }
    bool whole = last.step == STEP_COMPILE && !last.name[0];
    if (last.step != STEP_END)
        count_death(watch, &last, in_time, status);
    next->program = whole ? last.program + 1 : last.program;
    next->kernel = whole ? 0 : last.kernel + 1;
    return -1;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_sums(struct watch *watch)
{
    uint32_t tried = 0;
    for (int i = 0; i < VERDICTS; i++)
        tried += watch->counts[i];
    printf("%u tried", tried);
    for (int i = 0; i < VERDICTS; i++)
        printf(", %u %s", watch->counts[i], verdict_names[i]);
    if (watch->num_times) {
        qsort(watch->times, watch->num_times, sizeof(*watch->times), compare_times);
        printf("; the driver took %.1f ms (median), %.0f ms for %s", watch->times[watch->num_times / 2], watch->worst,
               watch->worst_name);
    }
    printf("\n");
}

static int watch_all(const struct options *options, const struct programs *programs)
{
    struct watch watch = {.options = options, .programs = programs};
    struct note next = {.program = 0};
    int result = -1;
    if (options->report && !(watch.report = fopen(options->report, "w"))) {
        perror(options->report);
        return 1;
    }
    while (result < 0 && (next.program < programs->count || options->names_device))
        result = run_worker(&watch, &next);
    if (result == 77 || !watch.device[0])
        printf("skipped: no device can be opened\n");
    else if (!options->names_device)
        print_sums(&watch);
    if (watch.report)
        fclose(watch.report);
    free(watch.times);
    return result > 0 ? result : watch.failures != 0;
}

int main(int argc, char **argv)
{
    struct options options = {.every = 1, .seconds = 60, .build = ""};
    struct programs programs = {0};
    int option;
    bool fine = true;
    while ((option = getopt(argc, argv, "c:e:nl:o:r:s:w")) != -1) {
        if (option == 'e')
            options.every = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 's')
            options.seconds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'n')
            options.names_device = true;
        else if (option == 'c')
            options.converter = optarg;
        else if (option == 'w')
            options.is_weak = true;
        else if (option == 'o')
            options.build = optarg;
        else if (option == 'r')
            options.report = optarg;
        else
            fine = option == 'l' && programs_add_list(&programs, optarg) && fine;
    }
    for (int i = optind; i < argc; i++)
        fine = programs_add(&programs, argv[i], options.build, false) && fine;
    fine = fine && options.every && options.seconds;
    if (fine)
        programs_thin(&programs, options.every);
    int result = fine ? watch_all(&options, &programs) : 2;
    programs_finish(&programs);
    return result;
}
