/* The library's wait at a named barrier (compiler/builtins/lib/barrier.cl), compiled as C, with a thread for each
 * sub-group: a phase ends when as many have come as the barrier is for, no sooner and for no more of them. */
#include "tests/support/check.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#undef atomic_load_explicit
#undef atomic_compare_exchange_strong_explicit
#define local
#define atomic_uint                                uint
#define memory_order_relaxed                       __ATOMIC_RELAXED
#define memory_scope_work_group                    0
#define atomic_load_explicit(object, order, scope) (sched_yield(), __atomic_load_n(object, order))
#define atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure, scope)                    \
    __atomic_compare_exchange_n(object, expected, desired, false, success, failure)

typedef unsigned uint;

static uint get_sub_group_local_id(void)
{
    return 0;
}

void __pumice_named_barrier_wait(uint *barrier);

#include "compiler/builtins/lib/barrier.cl"

enum { SUB_GROUPS = 6, ROUNDS = 500 };

/* Words as OpNamedBarrierInitialize leaves them. The first barrier's phases soon overflow. */
static uint everybody[2] = {SUB_GROUPS, 0xfff00000}, pairs[SUB_GROUPS / 2][2] = {{2, 0}, {2, 0}, {2, 0}},
            any_two[2] = {2, 0};
static uint rounds[SUB_GROUPS], waits, ended;

static void wait_at(uint *barrier)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as the sub-group's barriers beside the call */
    __pumice_named_barrier_wait(barrier);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static uint load(const uint *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* All at one barrier, and then pairs of them that do not wait for the others. */
static void *run_rounds(void *data)
{
    uint me = (uint)(uintptr_t)data, wrong = 0;
    for (uint i = 0; i < ROUNDS; i++) {
        __atomic_store_n(&rounds[me], i, __ATOMIC_RELAXED);
        wait_at(everybody);
        for (uint k = 0; k < SUB_GROUPS; k++)
            wrong += load(&rounds[k]) != i;
        wait_at(everybody);
    }
    for (uint i = 0; i < (me / 2 + 1) * ROUNDS; i++) {
        __atomic_store_n(&rounds[me], i, __ATOMIC_RELAXED);
        wait_at(pairs[me / 2]);
        wrong += load(&rounds[me ^ 1]) != i;
        wait_at(pairs[me / 2]);
    }
    return (void *)(uintptr_t)wrong;
}

/* More sub-groups than the barrier is for: any two that meet go on, and in the end all have met another. */
static void *run_any_two(void *data)
{
    (void)data;
    while (__atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED) < SUB_GROUPS * ROUNDS)
        wait_at(any_two);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
    return NULL;
}

static uint run_threads(void *(*run)(void *))
{
    pthread_t threads[SUB_GROUPS];
    uint wrong = 0;
    for (uintptr_t i = 0; i < SUB_GROUPS; i++)
        CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < SUB_GROUPS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        wrong += (uint)(uintptr_t)result;
    }
    return wrong;
}

int main(void)
{
    CHECK(run_threads(run_rounds) == 0);
    CHECK(everybody[0] == SUB_GROUPS && everybody[1] == 0xfff00000u + (2 * ROUNDS << 16));
    for (uint i = 0; i < SUB_GROUPS / 2; i++)
        CHECK(pairs[i][1] == (uint)((i + 1) * 2 * ROUNDS) << 16);
    run_threads(run_any_two);
    CHECK(ended == SUB_GROUPS && any_two[1] == (uint)(SUB_GROUPS * ROUNDS / 2) << 16);
    return test_result();
}
