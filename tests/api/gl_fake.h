/* What stands in front of OpenGL in some tests (gl_exports.c, gl_forgets.c, gl_slow.c) has the last word. */
#ifndef TESTS_API_GL_FAKE_H
#define TESTS_API_GL_FAKE_H

/* The program's exit code, from the test's own: other than 0 where what was to be met was not. */
__attribute__((weak)) int test_gl_verdict(int result);

static inline int test_gl_end(int result)
{
    return test_gl_verdict ? test_gl_verdict(result) : result;
}

#endif
