/* Threads of our own. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Runs call(data) in a new thread, which is joined by the caller, or detached where thread is NULL. False: there is
 * none. The application's signals go to the application's threads, but for those that a thread causes itself. */
bool thread_start(pthread_t *thread, void *(*call)(void *data), void *data);

/* Processors that this process may use, at least 1. */
uint32_t thread_count_processors(void);

#endif
