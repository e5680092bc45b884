/* For tests whose processes leave objects on purpose: in a build with AddressSanitizer nothing counts as leaked. */
#ifndef TESTS_API_NO_LEAKS_H
#define TESTS_API_NO_LEAKS_H

__attribute__((visibility("default"))) const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

#endif
