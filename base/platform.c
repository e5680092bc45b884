/* Where bionic lacks a function that glibc and musl have, its replacement is here. tests/unit/bionic.txt lists the
 * functions that bionic has. */
#include "platform.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __ANDROID__

/* AT_SECURE would not do: it is also set by an exec() that changes the SELinux domain, and stays set in whatever the
 * process forks. So ids are compared, as issetugid() of the BSDs does. */
const char *platform_env(const char *name)
{
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
}

const char *platform_program_name(void)
{
    return getprogname();
}

#else

const char *platform_env(const char *name)
{
    return secure_getenv(name);
}

const char *platform_program_name(void)
{
    return program_invocation_short_name;
}

#endif

bool platform_env_name(uint32_t place, char *name, size_t size)
{
    for (uint32_t i = 0; environ && environ[i]; i++) {
        if (i == place) {
            snprintf(name, size, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
            return true;
        }
    }
    return false;
}

static int begins_so(struct dl_phdr_info *info, size_t size, void *prefix)
{
    const char *folder = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = folder ? folder + 1 : info->dlpi_name ? info->dlpi_name : "";
    (void)size;
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool platform_has_library(const char *prefix)
{
    return dl_iterate_phdr(begins_so, (void *)(uintptr_t)prefix) != 0;
}
