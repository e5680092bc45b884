/* Counts the mutexes that Pumice's code holds. The program that links held_locks.c has a pthread_mutex_lock() of its
 * own, which the loaded library finds before libc's; calls from other libraries are only passed on. With it a callback
 * can say whether it was called under a lock of ours, where calling back in would hang. */
#ifndef TESTS_SUPPORT_HELD_LOCKS_H
#define TESTS_SUPPORT_HELD_LOCKS_H

#include <stdbool.h>

/* Call it when the library is loaded, before any of its threads run. false: it is not loaded, or this
 * is a build with ThreadSanitizer; nothing is counted then. */
bool held_locks_watch(void);
/* How many locks Pumice holds on this thread. */
unsigned held_locks(void);
/* How often any lock was taken so far: more than none, or the watch does not work. */
unsigned long held_locks_seen(void);

#endif
