/* A VADisplay of the driver in va_driver.c, which libva loads from LIBVA_DRIVERS_PATH. */
#ifndef TESTS_SUPPORT_VA_DISPLAY_H
#define TESTS_SUPPORT_VA_DISPLAY_H

#include <va/va.h>

VADisplay test_va_open(void); /* NULL: libva did not find the driver */
void test_va_close(VADisplay display);

#endif
