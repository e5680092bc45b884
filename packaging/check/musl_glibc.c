/* What SwiftShader of Debian's Chromium takes of glibc, of ld-linux and of libgcc_s, and musl lacks. musl takes itself for libc.so.6 and
 * libm.so.6; this is the rest, so that a Vulkan driver runs in a process of musl's, and in no package. Nothing throws there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    return n <= room ? memcpy(to, from, n) : (abort(), NULL);
}

int __vasprintf_chk(char **text, int flag, const char *format, va_list list)
{
    (void)flag;
    return vasprintf(text, format, list);
}

int __vfprintf_chk(FILE *out, int flag, const char *format, va_list list)
{
    (void)flag;
    return vfprintf(out, format, list);
}

int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, va_list list)
{
    (void)flag;
    return size <= room ? vsnprintf(text, size, format, list) : (abort(), -1);
}

int fcntl64(int file, int command, void *argument)
{
    return fcntl(file, command, argument);
}

#define NEVER_CALLED(NAME)                                                                                             \
    void NAME(void)                                                                                                    \
    {                                                                                                                  \
        abort();                                                                                                       \
    }
NEVER_CALLED(_Unwind_DeleteException)
NEVER_CALLED(_Unwind_GetIP)
NEVER_CALLED(_Unwind_GetLanguageSpecificData)
NEVER_CALLED(_Unwind_GetRegionStart)
NEVER_CALLED(_Unwind_RaiseException)
NEVER_CALLED(_Unwind_Resume)
NEVER_CALLED(_Unwind_SetGR)
NEVER_CALLED(_Unwind_SetIP)
