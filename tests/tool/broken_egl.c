/* An EGL that crashes or hangs, as TEST_EGL says: for `pumice info`. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
VISIBLE void *eglGetProcAddress(const char *name);
VISIBLE void *eglGetDisplay(void *native);
VISIBLE unsigned eglInitialize(void *display, int *major, int *minor);

void *eglGetProcAddress(const char *name)
{
    (void)name;
    return NULL;
}

void *eglGetDisplay(void *native)
{
    (void)native;
    const char *what = getenv("TEST_EGL");
    if (what && !strcmp(what, "crash"))
        abort();
    if (what && !strcmp(what, "hang"))
        pause();
    return NULL;
}

unsigned eglInitialize(void *display, int *major, int *minor)
{
    (void)display;
    (void)major;
    (void)minor;
    return 0;
}
