/* The backend's threads: a pool for work that may block (waiting for the GPU, host commands, building pipelines, parts
 * of large copies) and one watcher that runs the application's callbacks, so that a slow callback delays callbacks
 * only.
 *
 * Threads are started when there is work and none is idle, are detached, and live until the process ends. At exit they
 * must be out of the driver before its own exit handlers run: vkb_pool_exit() lets nobody in any more and waits for
 * those inside. The watcher counts as inside while a callback runs, for callbacks may call OpenCL; one of them may even
 * call exit(). */
#include "vk/pool.h"

#include "base/thread.h"
#include "base/util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct task {
    void (*call)(void *data);
    void *data;
    struct task *next;
};

struct notice {
    void (*call)(void *data, int32_t status);
    void *data;
    int32_t status;
    struct notice *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, left;
    struct task *first, **last;
    uint32_t num_tasks, num_idle, num_threads;
    uint32_t in_driver;
    bool exiting;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

static _Thread_local bool is_watcher;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct notice *first, **last;
    bool started;
} watcher = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static void leave(void)
{
    pool.in_driver--;
    if (pool.exiting)
        pthread_cond_broadcast(&pool.left);
}

static void *pool_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.first || pool.exiting) {
            pool.num_idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.num_idle--;
        }
        struct task *task = pool.first;
        pool.first = task->next;
        pool.num_tasks--;
        pool.in_driver++;
        pthread_mutex_unlock(&pool.lock);
        task->call(task->data);
        free(task);
        pthread_mutex_lock(&pool.lock);
        leave();
    }
    return NULL;
}

bool vkb_pool_run(void (*call)(void *data), void *data)
{
    struct task *task = malloc(sizeof(*task));
    if (!task)
        return false;
    *task = (struct task){.call = call, .data = data};
    pthread_mutex_lock(&pool.lock);
    if (!pool.first)
        pool.last = &pool.first;
    *pool.last = task;
    pool.last = &task->next;
    pool.num_tasks++;
    bool ok = true;
    if (pool.num_tasks > pool.num_idle) {
        /* Without a new thread the task waits for one of the others, if there is any. */
        bool started = thread_start(NULL, pool_thread, NULL);
        pool.num_threads += started;
        if (!pool.num_threads) {
            pool.first = NULL;
            pool.num_tasks = 0;
            free(task);
            ok = false;
        }
    }
    pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    return ok;
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
    pool.in_driver++;
    pthread_mutex_unlock(&pool.lock);
}

void vkb_pool_exit(uint64_t deadline_ns)
{
    pthread_mutex_lock(&pool.lock);
    pool.exiting = true;
    while (pool.in_driver > is_watcher) {
        uint64_t now = time_ns();
        if (now >= deadline_ns)
            break;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        uint64_t ns = (uint64_t)until.tv_nsec + (deadline_ns - now);
        until.tv_sec += (time_t)(ns / 1000000000u);
        until.tv_nsec = (long)(ns % 1000000000u);
        pthread_cond_timedwait(&pool.left, &pool.lock, &until);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* ---- copying ---- */

enum { COPY_PART = 1 << 20 };

/* Parts are claimed one by one, by the caller too: it finishes even if no other thread comes. */
struct copy_job {
    char *dst;
    const char *src;
    uint64_t size;
    atomic_ullong next;
    atomic_ullong done;
    atomic_uint refs;
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
        count = processors >= 16 ? 6 : processors >= 4 ? 2 : 1;
        atomic_store_explicit(&known, count, memory_order_relaxed);
    }
    return count;
}

void vkb_pool_copy(void *dst, const void *src, uint64_t size)
{
    uint32_t threads = copy_threads();
    struct copy_job *job = threads > 1 && size >= 2 * COPY_PART ? malloc(sizeof(*job)) : NULL;
    if (!job) {
        memcpy(dst, src, size);
        return;
    }
    *job = (struct copy_job){.dst = dst, .src = src, .size = size};
    atomic_init(&job->refs, threads);
    for (uint32_t i = 1; i < threads; i++) {
        if (!vkb_pool_run(copy_task, job))
            copy_job_drop(job);
    }
    copy_parts(job);
    /* The others are in their last parts: some hundred microseconds at most. */
    while (atomic_load(&job->done) < size)
        sched_yield();
    copy_job_drop(job);
}

/* ---- callbacks ---- */

static void *watcher_thread(void *unused)
{
    (void)unused;
    is_watcher = true;
    pthread_mutex_lock(&watcher.lock);
    for (;;) {
        while (!watcher.first)
            pthread_cond_wait(&watcher.work, &watcher.lock);
        struct notice *notice = watcher.first;
        watcher.first = notice->next;
        pthread_mutex_unlock(&watcher.lock);
        vkb_pool_enter();
        notice->call(notice->data, notice->status);
        vkb_pool_leave();
        free(notice);
        pthread_mutex_lock(&watcher.lock);
    }
    return NULL;
}

bool vkb_watcher_start(void)
{
    pthread_mutex_lock(&watcher.lock);
    if (!watcher.started)
        watcher.started = thread_start(NULL, watcher_thread, NULL);
    bool ok = watcher.started;
    pthread_mutex_unlock(&watcher.lock);
    return ok;
}

void *vkb_watcher_notice(void (*call)(void *data, int32_t status), void *data)
{
    struct notice *notice = malloc(sizeof(*notice));
    if (notice)
        *notice = (struct notice){.call = call, .data = data};
    return notice;
}

void vkb_watcher_post(void *prepared, int32_t status)
{
    struct notice *notice = prepared;
    notice->status = status;
    pthread_mutex_lock(&watcher.lock);
    if (!watcher.first)
        watcher.last = &watcher.first;
    *watcher.last = notice;
    watcher.last = &notice->next;
    pthread_cond_signal(&watcher.work);
    pthread_mutex_unlock(&watcher.lock);
}
