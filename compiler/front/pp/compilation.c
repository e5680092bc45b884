/* The life of one compilation: an arena, a jump point, options, the preprocessor; then whatever the caller wants done;
 * then the log. All that the front end allocates is freed here, on every way out. */
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t default_memory_limit = (size_t)1 << 30;
/* What a larger tree takes goes back to the system when functions are emitted, and not to the pool: it is freed while
 * the code grows, which has no use for the pool. */
static const size_t most_pooled_tree = (size_t)2 << 20;

struct run {
    struct arena arena, tree, initials;
    struct arena_budget budget;
    struct arena_pool pool; /* of these */
    struct clc_front front;
    const struct clc_compile_args *args;
    void (*work)(struct clc_front *front, void *data);
    void *data;
    enum clc_result result;
};

/* OpenCL 3.0 API, 5.8.6.5: a version above the device's is an error. */
static const char *check_version(struct clc_front *front)
{
    uint32_t std = (uint32_t)front->options.std;
    if (std <= front->target->max_std)
        return NULL;
    return arena_printf(front->arena, "-cl-std=CL%u.%u: the device supports OpenCL C %u.%u at most", std / 100,
                        std / 10 % 10, front->target->max_std / 100, front->target->max_std / 10 % 10);
}

static void work_through(struct run *run)
{
    struct clc_front *front = &run->front;
    front->arena = front->nodes = &run->arena;
    front->tree = &run->tree;
    front->initials = &run->initials;
    front->args = run->args;
    front->target = run->args->target;
    pp_diag_init(front);
    const char *message = pp_options_parse(&run->arena, run->args->options, false, &front->options);
    if (!message)
        message = check_version(front);
    if (message) {
        str_printf(&front->log, "error: %s\n", message);
        run->result = CLC_INVALID_OPTIONS;
        return;
    }
    str_puts(&front->log, front->options.notes);
    pp_source_init(front);
    pp_begin(front);
    run->work(front, run->data);
}

static char *copy_log(const struct str *log)
{
    char *copy = malloc(log->length + 1);
    if (!copy)
        return NULL;
    if (log->length)
        memcpy(copy, log->data, log->length);
    copy[log->length] = '\0';
    return copy;
}

void pp_front_free_tree(struct clc_front *front, struct arena_mark mark)
{
    if (front->tree_peak < front->tree->reserved)
        front->tree_peak = front->tree->reserved;
    arena_rewind(front->tree, mark);
}

static char *limit_message(size_t limit)
{
    char *message;
    int length = asprintf(
        &message, "error: the program takes more than %zu MB of memory to compile, which is the limit\n", limit >> 20);
    return length < 0 ? NULL : message;
}

/* Programs that work begins have a share in the memory that run->budget counts. */
enum clc_result pp_front_run(const struct clc_compile_args *args, void (*work)(struct clc_front *front, void *data),
                             void *data, char **log)
{
    if (log)
        *log = NULL;
    struct run *run = calloc(1, sizeof(*run));
    if (!run)
        return CLC_OUT_OF_MEMORY;
    run->args = args;
    run->work = work;
    run->data = data;
    size_t limit = args->memory_limit ? args->memory_limit : default_memory_limit;
    arena_init(&run->arena, &run->front.fatal, limit);
    arena_init(&run->tree, &run->front.fatal, limit);
    arena_init(&run->initials, &run->front.fatal, limit);
    run->budget.limit = limit;
    run->arena.budget = run->tree.budget = run->initials.budget = &run->budget;
    run->arena.pool = run->initials.pool = run->tree.pool = &run->pool;
    run->tree.most_pooled = most_pooled_tree;
    int jumped = setjmp(run->front.fatal);
    if (!jumped) {
        work_through(run);
        if (run->front.num_errors)
            run->result = CLC_FAILED;
    } else {
        run->result = jumped == 2 ? CLC_FAILED : CLC_OUT_OF_MEMORY;
    }
    /* the summary may itself run out of memory */
    if (run->result != CLC_OUT_OF_MEMORY && setjmp(run->front.fatal) == 0)
        pp_diag_summary(&run->front);
    enum clc_result result = run->result;
    if (log && result != CLC_OUT_OF_MEMORY) {
        *log = copy_log(&run->front.log);
        if (!*log)
            result = CLC_OUT_OF_MEMORY;
    } else if (log && atomic_load(&run->budget.exceeded)) {
        *log = limit_message(limit);
    }
    if (run->front.tree)
        pp_front_free_tree(&run->front, (struct arena_mark){0});
    if (args->timing)
        args->timing->front_memory = run->arena.reserved + run->initials.reserved + run->front.tree_peak;
    arena_finish(&run->initials);
    arena_finish(&run->tree);
    arena_finish(&run->arena);
    arena_pool_free(&run->pool);
    free(run);
    return result;
}
