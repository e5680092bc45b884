/* Threads of our own. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Runs call(data) in a new thread. The caller joins it, or it is detached where thread is NULL. False: no thread could
 * be started. The thread blocks the application's signals, but for those that it causes itself. */
bool thread_start(pthread_t *thread, void *(*call)(void *data), void *data);

/* Runs call(data) where there is stack for the compiler and for drivers: on the caller's thread where enough of its
 * stack is left, else on one of our own, and waits for its end. False: there is no thread for it, and nothing was run.
 */
bool thread_run(void (*call)(void *data), void *data);

/* A condition whose waits may have an end, in ns of time_ns(): setting the system's clock moves none. */
void thread_cond_init(pthread_cond_t *condition);

/* Waits for the condition, as pthread_cond_wait() does, but not longer than that. False: it is later. */
bool thread_cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ns);

/* Has call(status, NULL) called when the process ends by exit(), before all that was registered earlier. status is what
 * exit() was given; where the C library does not tell it, -1. Only one function may be given, but more than
 * once. */
void thread_at_exit(void (*call)(int status, void *data));

/* Processors that this process may use, at least 1. */
uint32_t thread_count_processors(void);

#endif
