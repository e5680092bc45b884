/* The smallest test harness: CHECK counts failures and goes on, from any thread; test_result() is what main returns. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <stdatomic.h>
#include <stdio.h>

static atomic_int test_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

static inline int test_result(void)
{
    if (test_failures)
        fprintf(stderr, "%d checks failed\n", atomic_load(&test_failures));
    return test_failures != 0;
}

#endif
