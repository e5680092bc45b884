/* What kernels print goes to stdout when their launch has ended (OpenCL C 3.0, 6.15.14).
 *
 * An application may hold stdout's lock (by flockfile(), to write several parts in a row) and wait for the kernel
 * meanwhile. So a thread that others wait for never waits for that lock. Text is pending until a thread gets the lock
 * without waiting: the thread that has formatted the text, or one that has waited for commands, which may be the thread
 * that holds the lock already. If none gets it, a thread of our own waits for it. The thread that writes takes the
 * pending text with stdout's lock held, so the order stays. */
#include "src/launch/printed.h"

#include "base/log.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /* guards text and waited_for; a thread that holds it does not wait for stdout's */
    struct printed_text text;
    bool waited_for; /* by our own thread */
    atomic_bool any;
} pending = {.lock = PTHREAD_MUTEX_INITIALIZER};

void printed_append(struct printed_text *text, const char *bytes, size_t size)
{
    if (text->size + size > text->capacity) {
        size_t capacity = (text->size + size) * 2;
        char *grown = realloc(text->bytes, capacity);
        if (!grown) {
            log_warn("printf: no memory for %zu bytes, which are dropped", size);
            return;
        }
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* With stdout's lock, which is given back. */
static void write_pending(void)
{
    pthread_mutex_lock(&pending.lock);
    struct printed_text text = pending.text;
    pending.text = (struct printed_text){0};
    atomic_store(&pending.any, false);
    pthread_mutex_unlock(&pending.lock);
    if (text.size)
        fwrite(text.bytes, 1, text.size, stdout);
    fflush(stdout);
    funlockfile(stdout);
    free(text.bytes);
}

static void *await_stdout(void *unused)
{
    flockfile(stdout);
    pthread_mutex_lock(&pending.lock);
    pending.waited_for = false;
    pthread_mutex_unlock(&pending.lock);
    write_pending();
    return unused;
}

bool printed_deliver(void)
{
    if (!atomic_load_explicit(&pending.any, memory_order_acquire))
        return true;
    if (ftrylockfile(stdout) != 0)
        return false;
    write_pending();
    return true;
}

void printed_hand_over(struct printed_text *text)
{
    pthread_mutex_lock(&pending.lock);
    if (pending.text.size) {
        printed_append(&pending.text, text->bytes, text->size);
        free(text->bytes);
    } else {
        free(pending.text.bytes);
        pending.text = *text;
    }
    atomic_store(&pending.any, true);
    pthread_mutex_unlock(&pending.lock);
    if (printed_deliver())
        return;
    pthread_mutex_lock(&pending.lock);
    bool start = !pending.waited_for;
    pending.waited_for = true;
    pthread_mutex_unlock(&pending.lock);
    if (start && !thread_start(NULL, await_stdout, NULL)) {
        pthread_mutex_lock(&pending.lock);
        pending.waited_for = false; /* written with the next text, or by the next thread that waits for commands */
        pthread_mutex_unlock(&pending.lock);
    }
}
