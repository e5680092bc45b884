/* The backend's threads: a pool for work that may block (waiting for the GPU, host commands, building pipelines, parts
 * of large copies), and two that make calls one after the other. The watcher runs the application's callbacks. Such a
 * callback may take as long as it likes and wait for anything, so nothing else is done there. The steward makes our own
 * calls, which are short and wait for nobody.
 *
 * There are two sorts of tasks. A task that may block for any time gets a thread of its own; the
 * poster of such tasks bounds their number (a queue has a few). Work of the processor, such as building pipelines,
 * waits until a thread is free of as many as there are processors, less one for the application's, so that a thousand
 * kernels do not start a thousand threads. The poster owns a task's memory, so that posting allocates nothing and cannot
 * fail.
 *
 * Threads are started when there is work and none is idle. They are detached, and end when nothing came for a while;
 * the first one stays. At exit they must be out of the driver before its own exit handlers run: vkb_pool_exit() lets no
 * thread in any more and waits for those inside. The watcher and the steward count as inside while they make a call,
 * since callbacks may call OpenCL; one of them may even call exit(). */
#include "vk/device/pool.h"

#include "base/float_env.h"
#include "base/thread.h"
#include "base/util.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MOST = 16 };

static const uint64_t IDLE_NS = 5000000000;

struct notice {
    enum vkb_caller caller;
    void (*call)(void *data, int32_t status);
    void *data;
    int32_t status;
    struct notice *next;
};

struct task_list {
    struct pool_task *first, **last;
    uint32_t count;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, left;
    struct task_list urgent, work_list;
    uint32_t num_idle, num_threads;
    uint32_t num_starting;             /* threads that were made and have not looked for work yet */
    uint32_t num_working, max_working; /* tasks of the processor's work: running, and how many may */
    uint32_t in_driver;
    bool has_conditions; /* whose waits may end, by make_conditions() */
    bool exiting;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

static _Thread_local bool is_inside; /* this thread is counted in in_driver */

/* The watcher and the steward. */
static struct caller {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct notice *first, **last;
    bool started;
} callers[] = {
    [VKB_WATCHER] = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER},
    [VKB_STEWARD] = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER},
};

static _Thread_local bool is_steward;

static void enter(void)
{
    pool.in_driver++;
    is_inside = true;
}

static void leave(void)
{
    is_inside = false;
    pool.in_driver--;
    if (pool.exiting)
        pthread_cond_broadcast(&pool.left);
}

static void list_append(struct task_list *list, struct pool_task *task)
{
    task->next = NULL;
    if (!list->first)
        list->last = &list->first;
    *list->last = task;
    list->last = &task->next;
    list->count++;
}

static struct pool_task *list_take(struct task_list *list)
{
    struct pool_task *task = list->first;
    list->first = task->next;
    list->count--;
    return task;
}

/* How many tasks could run if there were threads for them. */
static uint32_t num_startable(void)
{
    uint32_t free_workers = pool.max_working > pool.num_working ? pool.max_working - pool.num_working : 0;
    return pool.urgent.count + (pool.work_list.count < free_workers ? pool.work_list.count : free_workers);
}

/* Waits for work; false when none came for long and the thread may end. */
static bool await_work(void)
{
    uint64_t until_ns = time_ns() + IDLE_NS;
    bool early = true;
    pool.num_idle++;
    while ((pool.exiting || !num_startable()) && (pool.exiting || early || pool.num_threads == 1)) {
        /* The only thread stays in any case, so it does not wait with a time limit. */
        if (pool.exiting || pool.num_threads == 1)
            pthread_cond_wait(&pool.work, &pool.lock);
        else
            early = thread_cond_wait_until(&pool.work, &pool.lock, until_ns);
    }
    pool.num_idle--;
    return !pool.exiting && num_startable();
}

/* Flags that a task has raised, and a driver's change of the environment, do not reach the next task. */
static void run_task(void (*call)(void *data), void *data)
{
    FLOAT_ENV_DEFAULT();
    call(data);
}

/* Work of the processor that can wait for its turn must not put the application's threads off theirs, where there are
 * more threads than processors: a thread of SCHED_BATCH does not preempt the one that woke it. It gets its share of
 * time all the same, since somebody may be waiting for its pipeline by now. */
static void yield_to_others(bool *yields, bool wanted)
{
#ifdef SCHED_BATCH
    const struct sched_param none = {0};
    if (*yields == wanted || sched_getscheduler(0) != (wanted ? SCHED_OTHER : SCHED_BATCH)) /* or it is the user's */
        return;
    if (sched_setscheduler(0, wanted ? SCHED_BATCH : SCHED_OTHER, &none) == 0)
        *yields = wanted;
#else
    (void)yields;
    (void)wanted;
#endif
}

static void *pool_thread(void *unused)
{
    bool yields = false;
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    pool.num_starting--;
    while (await_work()) {
        bool urgent = pool.urgent.count;
        struct pool_task *task = list_take(urgent ? &pool.urgent : &pool.work_list);
        void (*call)(void *data) = task->call;
        void *data = task->data;
        pool.num_working += !urgent;
        enter();
        pthread_mutex_unlock(&pool.lock);
        yield_to_others(&yields, !urgent);
        run_task(call, data); /* the task may be gone from here on */
        pthread_mutex_lock(&pool.lock);
        leave();
        pool.num_working -= !urgent;
    }
    pool.num_threads--;
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* With the lock held. Nobody waits for either before there is a thread, or the exit has begun. */
static void make_conditions(void)
{
    if (pool.has_conditions)
        return;
    thread_cond_init(&pool.work);
    thread_cond_init(&pool.left);
    pool.has_conditions = true;
}

/* With the lock held. */
static bool add_thread(void)
{
    make_conditions();
    if (!thread_start(NULL, pool_thread, NULL))
        return false;
    pool.num_threads++;
    pool.num_starting++;
    return true;
}

bool vkb_pool_start(void)
{
    pthread_mutex_lock(&pool.lock);
    if (!pool.max_working) {
        uint32_t processors = thread_count_processors();
        pool.max_working = processors > WORKERS_MOST ? WORKERS_MOST : processors > 1 ? processors - 1 : 1;
    }
    bool ok = pool.num_threads || add_thread();
    pthread_mutex_unlock(&pool.lock);
    return ok;
}

static void post(struct task_list *list, struct pool_task *task)
{
    pthread_mutex_lock(&pool.lock);
    list_append(list, task);
    /* If no thread can be started, the task waits for one of the others. */
    if (num_startable() > pool.num_idle + pool.num_starting)
        add_thread();
    pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

void vkb_pool_run(struct pool_task *task)
{
    post(&pool.urgent, task);
}

void vkb_pool_work(struct pool_task *task)
{
    post(&pool.work_list, task);
}

struct later {
    struct pool_task task;
    void (*call)(void *data);
    void *data;
};

static void later_task(void *data)
{
    struct later later = *(struct later *)data;
    free(data);
    later.call(later.data);
}

bool vkb_work_later(void (*call)(void *data), void *data)
{
    struct later *later = vkb_pool_start() ? malloc(sizeof(*later)) : NULL;
    if (!later)
        return false;
    *later = (struct later){.task = {.call = later_task, .data = later}, .call = call, .data = data};
    vkb_pool_work(&later->task);
    return true;
}

uint32_t vkb_pool_num_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    uint32_t count = pool.num_threads;
    pthread_mutex_unlock(&pool.lock);
    return count;
}

bool vkb_pool_exiting(void)
{
    pthread_mutex_lock(&pool.lock);
    bool exiting = pool.exiting;
    pthread_mutex_unlock(&pool.lock);
    return exiting;
}

void vkb_pool_leave(void)
{
    pthread_mutex_lock(&pool.lock);
    leave();
    pthread_mutex_unlock(&pool.lock);
}

void vkb_pool_enter(void)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.exiting)
        pthread_cond_wait(&pool.work, &pool.lock);
    enter();
    pthread_mutex_unlock(&pool.lock);
}

void vkb_pool_exit(uint64_t deadline_ns)
{
    bool early = true;
    pthread_mutex_lock(&pool.lock);
    make_conditions();
    pool.exiting = true;
    /* Threads that were about to end are kept, since their end might free something of the driver's. */
    pthread_cond_broadcast(&pool.work);
    while (early && pool.in_driver > is_inside)
        early = thread_cond_wait_until(&pool.left, &pool.lock, deadline_ns);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- copying ---- */

enum { COPY_PART = 1 << 20, COPY_THREADS = 6 };

/* Parts of a copy are claimed one by one. The caller claims parts as well, so it finishes even if no other thread
 * comes. */
struct copy_job {
    char *dst;
    const char *src;
    uint64_t size;
    atomic_ullong next;
    atomic_ullong done;
    atomic_uint refs;
    struct pool_task tasks[COPY_THREADS];
};

static void copy_parts(struct copy_job *job)
{
    for (;;) {
        uint64_t begin = atomic_fetch_add(&job->next, COPY_PART);
        if (begin >= job->size)
            return;
        uint64_t size = u64_min(COPY_PART, job->size - begin);
        memcpy(job->dst + begin, job->src + begin, size);
        atomic_fetch_add(&job->done, size);
    }
}

static void copy_job_drop(struct copy_job *job)
{
    if (atomic_fetch_sub(&job->refs, 1) == 1)
        free(job);
}

static void copy_task(void *data)
{
    copy_parts(data);
    copy_job_drop(data);
}

static uint32_t copy_threads(void)
{
    static atomic_uint known;
    uint32_t count = atomic_load_explicit(&known, memory_order_relaxed);
    if (!count) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        count = processors >= 16 ? COPY_THREADS : processors >= 4 ? 2 : 1;
        atomic_store_explicit(&known, count, memory_order_relaxed);
    }
    return count;
}

void vkb_pool_copy(void *dst, const void *src, uint64_t size)
{
    uint32_t threads = copy_threads();
    struct copy_job *job = threads > 1 && size >= 2 * COPY_PART ? malloc(sizeof(*job)) : NULL;
    if (!job || !vkb_pool_start()) {
        free(job);
        memcpy(dst, src, size);
        return;
    }
    *job = (struct copy_job){.dst = dst, .src = src, .size = size};
    atomic_init(&job->refs, threads);
    for (uint32_t i = 1; i < threads; i++) {
        job->tasks[i] = (struct pool_task){.call = copy_task, .data = job};
        vkb_pool_run(&job->tasks[i]);
    }
    copy_parts(job);
    /* The other threads are at their last parts, which take some hundred microseconds at most. */
    while (atomic_load(&job->done) < size)
        sched_yield();
    copy_job_drop(job);
}

/* ---- calls ---- */

static void run_notice(const struct notice *notice)
{
    FLOAT_ENV_DEFAULT();
    notice->call(notice->data, notice->status);
}

static void *caller_thread(void *data)
{
    struct caller *caller = data;
    is_steward = caller == &callers[VKB_STEWARD];
    pthread_mutex_lock(&caller->lock);
    for (;;) {
        while (!caller->first)
            pthread_cond_wait(&caller->work, &caller->lock);
        struct notice *notice = caller->first;
        caller->first = notice->next;
        pthread_mutex_unlock(&caller->lock);
        vkb_pool_enter();
        run_notice(notice);
        vkb_pool_leave();
        free(notice);
        pthread_mutex_lock(&caller->lock);
    }
    return NULL;
}

static bool start(struct caller *caller)
{
    pthread_mutex_lock(&caller->lock);
    if (!caller->started)
        caller->started = thread_start(NULL, caller_thread, caller);
    bool ok = caller->started;
    pthread_mutex_unlock(&caller->lock);
    return ok;
}

void *vkb_notice_create(enum vkb_caller caller, void (*call)(void *data, int32_t status), void *data)
{
    struct notice *notice = start(&callers[caller]) ? malloc(sizeof(*notice)) : NULL;
    if (notice)
        *notice = (struct notice){.caller = caller, .call = call, .data = data};
    return notice;
}

void vkb_notice_post(void *prepared, int32_t status)
{
    struct notice *notice = prepared;
    struct caller *caller = &callers[notice->caller];
    notice->next = NULL;
    notice->status = status;
    pthread_mutex_lock(&caller->lock);
    if (!caller->first)
        caller->last = &caller->first;
    *caller->last = notice;
    caller->last = &notice->next;
    pthread_cond_signal(&caller->work);
    pthread_mutex_unlock(&caller->lock);
}

bool vkb_is_steward(void)
{
    return is_steward;
}

bool vkb_exiting(void)
{
    return vkb_gone() || vkb_pool_exiting();
}
