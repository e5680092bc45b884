/* Kernels of a program, lowered by as many threads as have something to do: lower_kernels().
 *
 * A worker takes one kernel after the other, large ones first, and keeps the memory of the one for the next: taking it
 * from the system and giving it back is a good part of the time that small kernels take. What all hold together is
 * bounded: a kernel is begun where what it may need is left, and a thread that meets the bound all the same waits between
 * two passes, unless its kernel began first. */
#include "compiler/lower/builtins/bodies.h"
#include "compiler/lower/kernels.h"
#include "compiler/lower/run.h"
#include "compiler/opt/opt.h"

#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread of its own is worth its start from so many words of the program's SPIR-V on. */
enum { MAX_WORKERS = 16, WORDS_FOR_THREAD = 1280, NOTHING = UINT32_MAX };

/* Bytes: of program and lowering together, and what a kernel may need, with so much for each of its instructions when
 * all is inlined; and of one so large that most functions stay functions, at most. Kernels that need more are known,
 * but in programs that leave little for a second one. */
static const size_t enough_memory = (size_t)56 << 20, least_memory = (size_t)2 << 20, inst_memory = 2500,
                    most_memory = (size_t)26 << 20;

/* Bytes that all kernels at work may hold together; beyond, they fail. */
static const size_t limit_memory = (size_t)1 << 30;
enum { LARGE_KERNEL = 25000 }; /* instructions, likewise */

struct team;

struct job {
    uint32_t kernel, size; /* in instructions */
    bool taken;
};

struct worker {
    struct team *team;
    pthread_t thread;
    uint32_t turn;          /* of the kernel that is being lowered, from 0 on; NOTHING: there is none */
    size_t held, expected;  /* bytes, when last asked, and at most as far as can be known */
    struct arena_pool pool; /* of the heaps; what one kernel leaves the next one uses */
    struct clc_timing timing;
    struct clc_lower_options options; /* with that timing */
};

struct team {
    pthread_mutex_t lock;
    pthread_mutex_t done_lock; /* held while done() runs, which may take its time */
    pthread_cond_t less;       /* is held, or another kernel is the first */
    const struct lower_program *program;
    struct clc_lowering *kernels;
    struct job *jobs; /* the kernels, largest first; the thread that takes one marks it */
    uint32_t num_kernels, turns;
    uint32_t taken; /* jobs from the first on, without a gap */
    clc_lowering_done *done;
    void *data;
    size_t most_held, enough;
    struct arena_budget budget; /* of all kernels at work */
    struct lower_bodies bodies; /* of the library, that kernels have in common */
    uint32_t num_workers;
    struct worker workers[MAX_WORKERS];
};

/* ---- one kernel ---- */

/* What owns a clc_lowered: the arena holds all that it points to. */
struct storage {
    struct clc_lowered lowered;
    struct arena arena;
};

void clc_lowered_destroy(struct clc_lowered *lowered)
{
    if (!lowered)
        return;
    struct storage *storage = lowered->storage;
    arena_finish(&storage->arena);
    free(storage);
}

static void *keep(struct arena *arena, const void *data, size_t size)
{
    return data && size ? memcpy(arena_alloc_uncleared(arena, size, _Alignof(max_align_t)), data, size) : NULL;
}

static void copy_checks(struct arena *to, struct clc_lowered *out, uint32_t num_args)
{
    struct clc_check_site *sites = keep(to, out->check_sites, out->num_check_sites * sizeof(*sites));
    for (uint32_t i = 0; i < out->num_check_sites; i++) {
        bool same = i && sites[i].file && out->check_sites[i - 1].file == sites[i].file;
        if (sites[i].file)
            sites[i].file = same ? sites[i - 1].file : arena_strndup(to, sites[i].file, strlen(sites[i].file));
        bool alike = i && sites[i].text && out->check_sites[i - 1].text == sites[i].text;
        if (sites[i].text)
            sites[i].text = alike ? sites[i - 1].text : arena_strndup(to, sites[i].text, strlen(sites[i].text));
    }
    struct clc_check_object *objects = keep(to, out->check_objects, out->num_check_objects * sizeof(*objects));
    for (uint32_t i = 0; i < out->num_check_objects; i++) {
        if (objects[i].name)
            objects[i].name = arena_strndup(to, objects[i].name, strlen(objects[i].name));
    }
    out->check_sites = sites;
    out->check_objects = objects;
    if (out->check_access)
        out->check_access = keep(to, out->check_access, num_args + 1);
    if (out->arg_limit)
        out->arg_limit = keep(to, out->arg_limit, num_args * CLC_LIMIT_COUNT * sizeof(out->arg_limit[0]));
}

/* The result without the memory that the passes used. */
static void copy_result(struct arena *to, struct clc_lowered *out, uint32_t num_args)
{
    out->words = keep(to, out->words, out->num_words * sizeof(uint32_t));
    out->arg_offset = keep(to, out->arg_offset, (num_args + 1) * sizeof(uint32_t));
    out->arg_access = keep(to, out->arg_access, num_args + 1);
    out->constants.init = keep(to, out->constants.init, out->constants.init_size);
    out->constants.relocations =
        keep(to, out->constants.relocations, out->constants.num_relocations * sizeof(struct clc_relocation));
    struct clc_printf_format *formats =
        keep(to, out->printf_formats, out->num_printf_formats * sizeof(struct clc_printf_format));
    for (uint32_t i = 0; i < out->num_printf_formats; i++) {
        formats[i].format = arena_strndup(to, formats[i].format, formats[i].length);
        formats[i].arg_sizes = keep(to, formats[i].arg_sizes, formats[i].num_args);
    }
    out->printf_formats = formats;
    out->bindings = keep(to, out->bindings, out->num_bindings * sizeof(struct clc_binding));
    const char **strings = keep(to, out->printf_strings, out->num_printf_strings * sizeof(char *));
    for (uint32_t i = 0; i < out->num_printf_strings; i++)
        strings[i] = arena_strndup(to, strings[i], strlen(strings[i]));
    out->printf_strings = strings;
    copy_checks(to, out, num_args);
}

/* What one kernel's lowering allocates: what lasts until its end, and the module, now in one heap and now in the other
 * (see compact() in lower.c). */
struct work {
    struct arena facts, heaps[2], scratch;
};

static void work_init(struct work *work, struct worker *worker, jmp_buf *out_of_memory)
{
    arena_init(&work->facts, out_of_memory, (size_t)2 << 30);
    arena_init(&work->heaps[0], out_of_memory, (size_t)2 << 30);
    arena_init(&work->heaps[1], out_of_memory, (size_t)2 << 30);
    arena_init(&work->scratch, out_of_memory, (size_t)2 << 30);
    struct arena_budget *budget = &worker->team->budget;
    work->facts.budget = work->heaps[0].budget = work->heaps[1].budget = work->scratch.budget = budget;
    work->heaps[0].pool = work->heaps[1].pool = work->scratch.pool = &worker->pool;
}

static void work_finish(struct work *work)
{
    arena_finish(&work->facts);
    arena_finish(&work->heaps[0]);
    arena_finish(&work->heaps[1]);
    arena_finish(&work->scratch);
}

static void share_memory(struct lower *lower);

static bool run_passes(struct storage *storage, struct work *work, struct worker *worker, const char *kernel,
                       const char **error)
{
    struct team *team = worker->team;
    const struct lower_program *program = team->program;
    struct clc_timing *timing = worker->options.timing;
    struct lower lower = {.arena = &work->facts,
                          .heaps = work->heaps,
                          .scratch = &work->scratch,
                          .program = program->module,
                          .program_globals = program->globals,
                          .entries = program->entries,
                          .blocks = program->blocks,
                          .num_blocks = program->num_blocks,
                          .bodies = team->num_kernels > 1 ? &team->bodies : NULL,
                          .kernel_name = kernel,
                          .options = &worker->options,
                          .target = worker->options.target,
                          .program_flags = program->flags,
                          .out = &storage->lowered,
                          .between_passes = share_memory,
                          .worker = worker};
    uint64_t start = time_ns(), written = timing ? timing->write : 0;
    struct lower again = lower;
    bool done = lower_run(&lower);
    if (!done && lower.native_matrices) { /* values/matrices.h */
        log_debug("%s", lower.error);
        arena_finish(&work->heaps[0]);
        arena_finish(&work->heaps[1]);
        storage->lowered = (struct clc_lowered){.storage = storage};
        lower = again;
        lower.software_matrices = true;
        done = lower_run(&lower);
    }
    *error = lower.error;
    if (done)
        copy_result(&storage->arena, &storage->lowered, lower.num_args);
    if (timing)
        timing->lower += time_ns() - start - (timing->write - written);
    return done;
}

static char *limit_message(void)
{
    char *message;
    int length =
        asprintf(&message, "it takes more than %zu MB of memory to lower, which is the limit", limit_memory >> 20);
    return length < 0 ? NULL : message;
}

static void lower_kernel(struct worker *worker, struct clc_lowering *kernel)
{
    kernel->lowered = NULL;
    kernel->message = NULL;
    kernel->result = CLC_OUT_OF_MEMORY;
    struct storage *storage = calloc(1, sizeof(*storage));
    if (!storage)
        return;
    jmp_buf out_of_memory;
    struct work work;
    arena_init(&storage->arena, &out_of_memory, 0);
    work_init(&work, worker, &out_of_memory);
    if (setjmp(out_of_memory)) {
        work_finish(&work);
        arena_finish(&storage->arena);
        free(storage);
        if (atomic_load(&worker->team->budget.exceeded))
            kernel->message = limit_message();
        return;
    }
    const char *error = NULL;
    storage->lowered.storage = storage;
    if (run_passes(storage, &work, worker, kernel->kernel, &error)) {
        kernel->lowered = &storage->lowered;
        kernel->result = CLC_SUCCESS;
    } else {
        kernel->result = CLC_FAILED;
        log_info("lowering %s: %s", kernel->kernel, error ? error : "failed");
        kernel->message = strdup(error ? error : "lowering failed");
        arena_finish(&storage->arena);
        free(storage);
    }
    work_finish(&work);
}

/* ---- many ---- */

static size_t held_by_all(struct team *team)
{
    size_t held = atomic_load(&team->bodies.held);
    for (uint32_t i = 0; i < team->num_workers; i++)
        held += team->workers[i].held;
    return held;
}

/* Which of the workers that have a kernel began first? */
static bool was_first(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->team->num_workers; i++) {
        if (worker->team->workers[i].turn < worker->turn)
            return false;
    }
    return true;
}

/* Says what this kernel holds, and waits until others hold less where that is too much. One goes on always. */
static void share_memory(struct lower *lower)
{
    struct worker *worker = lower->worker;
    struct team *team = worker->team;
    if (team->num_workers == 1)
        return;
    pthread_mutex_lock(&team->lock);
    size_t held = lower_memory_used(lower);
    if (held < worker->held)
        pthread_cond_broadcast(&team->less);
    worker->held = held;
    if (held_by_all(team) > team->most_held)
        team->most_held = held_by_all(team);
    while (held_by_all(team) > team->enough && !was_first(worker))
        pthread_cond_wait(&team->less, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static size_t expected_memory(const struct job *job)
{
    return job->size > LARGE_KERNEL ? most_memory : least_memory + job->size * inst_memory;
}

/* What may still be taken by one of them, which has no kernel; false: nobody is at work, so anything may. */
static bool memory_left(const struct worker *taker, size_t *left)
{
    struct team *team = taker->team;
    bool any = false;
    size_t bodies = atomic_load(&team->bodies.held);
    *left = team->enough > bodies ? team->enough - bodies : 0;
    for (uint32_t i = 0; i < team->num_workers; i++) {
        const struct worker *worker = &team->workers[i];
        size_t needs = worker->turn == NOTHING || worker->held > worker->expected ? worker->held : worker->expected;
        any |= worker->turn != NOTHING;
        if (worker != taker)
            *left -= needs < *left ? needs : *left;
    }
    return any;
}

/* The largest kernel that nobody has taken and that may be begun now, or NULL. *more: there are others. */
static struct job *find_job(const struct worker *worker, bool *more)
{
    struct team *team = worker->team;
    size_t left;
    bool limited = memory_left(worker, &left);
    while (team->taken < team->num_kernels && team->jobs[team->taken].taken)
        team->taken++;
    *more = team->taken < team->num_kernels;
    for (uint32_t i = team->taken; i < team->num_kernels; i++) {
        struct job *job = &team->jobs[i];
        if (!job->taken && (!limited || expected_memory(job) <= left))
            return job;
    }
    return NULL;
}

/* The memory of the kernel before goes back to the system where there is no next kernel, or where it is more than that
 * will need and others may need it. */
static void keep_memory(struct worker *worker, size_t expected)
{
    struct team *team = worker->team;
    worker->held = worker->pool.held;
    bool scarce = team->num_workers > 1 && held_by_all(team) > team->enough / 2;
    if (!worker->held || (expected && (!scarce || worker->held <= expected)))
        return;
    arena_pool_free(&worker->pool);
    worker->held = 0;
    pthread_cond_broadcast(&team->less);
}

/* Takes the next kernel; hands in the one that is done. False: there is none left. */
static bool next_kernel(struct worker *worker, struct clc_lowering **kernel)
{
    struct team *team = worker->team;
    struct job *job;
    bool more;
    if (*kernel && team->done) {
        pthread_mutex_lock(&team->done_lock);
        team->done(team->data, *kernel);
        pthread_mutex_unlock(&team->done_lock);
    }
    pthread_mutex_lock(&team->lock);
    worker->turn = NOTHING;
    pthread_cond_broadcast(&team->less);
    while (!(job = find_job(worker, &more)) && more) {
        keep_memory(worker, 0);
        pthread_cond_wait(&team->less, &team->lock);
    }
    if (job) {
        job->taken = true;
        worker->turn = team->turns++;
        worker->expected = expected_memory(job);
        *kernel = &team->kernels[job->kernel];
    }
    keep_memory(worker, job ? worker->expected : 0);
    pthread_mutex_unlock(&team->lock);
    return job != NULL;
}

static void *work_on(void *data)
{
    struct worker *worker = data;
    struct clc_lowering *kernel = NULL;
    while (next_kernel(worker, &kernel))
        lower_kernel(worker, kernel);
    return NULL;
}

/* One thread is the caller's. */
static void start_workers(struct team *team, uint32_t wanted)
{
    pthread_mutex_lock(&team->lock); /* they begin when it is known how many there are */
    for (struct worker *next; team->num_workers < wanted; team->num_workers++) {
        next = &team->workers[team->num_workers];
        if (!thread_start(&next->thread, work_on, next))
            break;
    }
    pthread_mutex_unlock(&team->lock);
}

static uint32_t how_many(const struct team *team, const struct clc_lower_options *options)
{
    if (team->num_kernels < 2 || options->dump_passes)
        return 1;
    uint64_t most = u64_min(team->num_kernels, 1 + team->program->num_words / WORDS_FOR_THREAD);
    most = u64_min(most, options->max_threads ? options->max_threads : MAX_WORKERS);
    return most < 2 ? 1 : (uint32_t)u64_min(u64_min(most, MAX_WORKERS), thread_count_processors());
}

static void add_pass(struct clc_pass_timing *to, const struct clc_pass_timing *from)
{
    if (!from->name)
        return;
    to->name = from->name;
    to->inner = from->inner;
    to->time += from->time;
    to->memory = from->memory > to->memory ? from->memory : to->memory;
}

static void add_timing(struct clc_timing *to, const struct clc_timing *from)
{
    to->lower += from->lower;
    to->write += from->write;
    to->lower_memory = from->lower_memory > to->lower_memory ? from->lower_memory : to->lower_memory;
    for (uint32_t i = 0; i < CLC_PASS_COUNT; i++)
        add_pass(&to->passes[i], &from->passes[i]);
}

static int larger_first(const void *a, const void *b)
{
    const struct job *first = a, *second = b;
    if (first->size != second->size)
        return first->size > second->size ? -1 : 1;
    return first->kernel < second->kernel ? -1 : 1;
}

/* The kernels' sizes; all 0, and so in the program's order, where one thread does all. */
static void measure_jobs(struct team *team)
{
    const struct spv_module *module = team->program->module;
    struct arena arena;
    jmp_buf out_of_memory;
    struct str_map kernels = {0};
    struct u64_map sizes = {0};
    arena_init(&arena, &out_of_memory, 0);
    if (!setjmp(out_of_memory)) {
        for (uint32_t i = 0; i < team->num_kernels; i++)
            str_map_set(&arena, &kernels, team->kernels[i].kernel, strlen(team->kernels[i].kernel), &team->jobs[i]);
        spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
            const char *name = spv_string(entry, 2, NULL);
            struct job *job = str_map_get(&kernels, name, strlen(name));
            const char *error;
            if (job)
                job->size = opt_inlined_size(&arena, module, spv_function_of(module, entry->words[1]), &sizes, &error);
        }
    }
    arena_finish(&arena);
    qsort(team->jobs, team->num_kernels, sizeof(*team->jobs), larger_first);
}

static void run_team(struct team *team, const struct clc_lower_options *options)
{
    team->budget.limit = limit_memory;
    for (uint32_t i = 0; i < MAX_WORKERS; i++) {
        struct worker *worker = &team->workers[i];
        worker->team = team;
        worker->turn = NOTHING;
        worker->options = *options;
        worker->options.timing = options->timing ? &worker->timing : NULL;
    }
    uint32_t wanted = how_many(team, options);
    if (wanted > 1)
        measure_jobs(team);
    team->num_workers = 1;
    start_workers(team, wanted);
    work_on(&team->workers[0]);
    for (uint32_t i = 1; i < team->num_workers; i++)
        pthread_join(team->workers[i].thread, NULL);
    if (options->timing) {
        for (uint32_t i = 0; i < team->num_workers; i++)
            add_timing(options->timing, &team->workers[i].timing);
        if (team->num_workers == 1)
            options->timing->lower_memory += atomic_load(&team->bodies.held);
        if (team->most_held > options->timing->lower_memory)
            options->timing->lower_memory = team->most_held;
    }
}

static struct team *make_team(const struct lower_program *program, struct clc_lowering *kernels, uint32_t count,
                              const struct clc_lower_options *options)
{
    struct team *team = calloc(1, sizeof(*team));
    struct job *jobs = calloc(count + (size_t)1, sizeof(*jobs));
    if (!team || !jobs) {
        free(team);
        free(jobs);
        return NULL;
    }
    team->program = program;
    team->kernels = kernels;
    team->num_kernels = count;
    team->jobs = jobs;
    team->enough = options->enough_memory            ? options->enough_memory
                   : program->memory < enough_memory ? enough_memory - program->memory
                                                     : 0;
    for (uint32_t i = 0; i < count; i++)
        jobs[i].kernel = i;
    pthread_mutex_init(&team->lock, NULL);
    pthread_mutex_init(&team->done_lock, NULL);
    pthread_cond_init(&team->less, NULL);
    lower_bodies_init(&team->bodies);
    return team;
}

void lower_kernels(const struct lower_program *program, struct clc_lowering *kernels, uint32_t count,
                   const struct clc_lower_options *options, clc_lowering_done *done, void *data)
{
    struct team *team = make_team(program, kernels, count, options);
    if (!team) {
        for (uint32_t i = 0; i < count; i++) {
            kernels[i] = (struct clc_lowering){.kernel = kernels[i].kernel, .result = CLC_OUT_OF_MEMORY};
            if (done)
                done(data, &kernels[i]);
        }
        return;
    }
    uint64_t start = time_ns();
    team->done = done;
    team->data = data;
    run_team(team, options);
    if (options->timing)
        options->timing->lower_elapsed += time_ns() - start;
    lower_bodies_finish(&team->bodies);
    pthread_cond_destroy(&team->less);
    pthread_mutex_destroy(&team->done_lock);
    pthread_mutex_destroy(&team->lock);
    free(team->jobs);
    free(team);
}
