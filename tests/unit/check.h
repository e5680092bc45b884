/* The smallest test harness: CHECK counts failures and goes on; test_result() is what main returns. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <stdio.h>

static int test_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

static inline int test_result(void)
{
    return test_failures != 0;
}

#endif
