/* What stands in front of OpenGL in some tests (gl_exports.c, gl_forgets.c, gl_orphans.c, gl_slow.c) has the last word. */
#ifndef TESTS_API_GL_FAKE_H
#define TESTS_API_GL_FAKE_H

#include <stdbool.h>

/* The program's exit code, from the test's own: other than 0 where what was to be met was not. */
__attribute__((weak)) int test_gl_verdict(int result);

/* Whether its images of EGL's are such as OpenCL must refuse. */
__attribute__((weak)) bool test_gl_refuses_images(void);

static inline int test_gl_end(int result)
{
    return test_gl_verdict ? test_gl_verdict(result) : result;
}

#endif
