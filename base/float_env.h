/* The floating-point environment of a thread: rounding mode, flushing of subnormals, traps and sticky flags.
 *
 * Applications set it as they like: -ffast-math flushes, Free Pascal and Delphi trap, interval arithmetic rounds
 * upward. What we and the drivers compute must not depend on that, nor leave flags behind. So code of ours
 * that computes on a thread of the application's, or calls a driver that does, has the default environment meanwhile:
 *
 *     FLOAT_ENV_DEFAULT(); // until the end of the block
 *
 * This takes some 40 ns, most of which the processor needs to tell its state.
 *
 * The application's code gets the default environment without any sticky flag: traps that it turns on would else come
 * for a flag that a driver left, with the x87's next instruction. What it leaves behind ends with the call:
 *
 *     FLOAT_ENV_CALL(notify(program, data)); */
#ifndef BASE_FLOAT_ENV_H
#define BASE_FLOAT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

/* The C library's fegetenv() does more: it also stores what describes the last exception, which takes far longer. */
struct float_env {
    uint32_t mxcsr;
    uint16_t control, status; /* of the x87, which long double is computed with */
};

enum { FLOAT_ENV_FLAGS = 0x3f, FLOAT_ENV_MXCSR = 0x1f80, FLOAT_ENV_CONTROL = 0x37f };

static inline struct float_env float_env_read(void)
{
    struct float_env env;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                     : "=m"(env.mxcsr), "=m"(env.control), "=m"(env.status)
                     :
                     : "memory");
    return env;
}

static inline bool float_env_is_default(const struct float_env *env)
{
    return (env->mxcsr & ~(uint32_t)FLOAT_ENV_FLAGS) == FLOAT_ENV_MXCSR && env->control == FLOAT_ENV_CONTROL;
}

static inline bool float_env_is_same(const struct float_env *a, const struct float_env *b)
{
    return a->mxcsr == b->mxcsr && a->control == b->control && !((a->status ^ b->status) & FLOAT_ENV_FLAGS);
}

#elif defined(__aarch64__)

struct float_env {
    uint64_t fpcr, fpsr;
};

static inline struct float_env float_env_read(void)
{
    struct float_env env;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(env.fpcr), "=r"(env.fpsr) : : "memory");
    return env;
}

static inline bool float_env_is_default(const struct float_env *env)
{
    return !env->fpcr;
}

static inline bool float_env_is_same(const struct float_env *a, const struct float_env *b)
{
    return a->fpcr == b->fpcr && a->fpsr == b->fpsr;
}

#else

#include <fenv.h>

struct float_env {
    fenv_t all;
};

static inline struct float_env float_env_read(void)
{
    struct float_env env;
    fegetenv(&env.all);
    return env;
}

/* Nothing tells: it is always set. */
static inline bool float_env_is_default(const struct float_env *env)
{
    (void)env;
    return false;
}

static inline bool float_env_is_same(const struct float_env *a, const struct float_env *b)
{
    (void)a;
    (void)b;
    return false;
}

#endif

void float_env_set(const struct float_env *env); /* NULL: the default one, without flags */

static inline struct float_env float_env_enter(void)
{
    struct float_env before = float_env_read();
    if (!float_env_is_default(&before))
        float_env_set(NULL);
    return before;
}

static inline void float_env_leave(struct float_env *before)
{
    struct float_env now = float_env_read();
    if (!float_env_is_same(&now, before))
        float_env_set(before);
}

static inline struct float_env float_env_enter_clean(void)
{
    struct float_env before = float_env_read();
    float_env_set(NULL);
    return before;
}

#define FLOAT_ENV_DEFAULT()                                                                                            \
    struct float_env float_env_ __attribute__((cleanup(float_env_leave))) = float_env_enter();                         \
    (void)float_env_

/* As FLOAT_ENV_DEFAULT(), and without flags. */
#define FLOAT_ENV_CLEAN()                                                                                              \
    struct float_env float_env_clean_ __attribute__((cleanup(float_env_leave))) = float_env_enter_clean();             \
    (void)float_env_clean_

#define FLOAT_ENV_CALL(...)                                                                                            \
    do {                                                                                                               \
        FLOAT_ENV_CLEAN();                                                                                             \
        __VA_ARGS__;                                                                                                   \
    } while (0)

#endif
