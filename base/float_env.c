/* See float_env.h. */
#include "float_env.h"

#if defined(__x86_64__)

/* The x87's state is loaded in one piece: with flags and traps set one after the other, the next instruction of the
 * x87 would trap. */
void float_env_set(const struct float_env *env)
{
    static const struct float_env standard = {.mxcsr = FLOAT_ENV_MXCSR, .control = FLOAT_ENV_CONTROL};
    struct {
        uint16_t control, unused0, status, unused1, tags, unused2;
        uint32_t rest[4];
    } x87;
    if (!env)
        env = &standard;
    __asm__ volatile("fnstenv %0" : "=m"(x87) : : "memory");
    x87.control = env->control;
    x87.status = (uint16_t)((x87.status & ~(FLOAT_ENV_FLAGS | 0x80)) | (env->status & (FLOAT_ENV_FLAGS | 0x80)));
    __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(x87), "m"(env->mxcsr) : "memory");
}

#elif defined(__aarch64__)

void float_env_set(const struct float_env *env)
{
    uint64_t fpcr = env ? env->fpcr : 0, fpsr = env ? env->fpsr : 0;
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(fpcr), "r"(fpsr) : "memory");
}

#else

void float_env_set(const struct float_env *env)
{
    fesetenv(env ? &env->all : FE_DFL_ENV);
}

#endif
