/* What C libraries do not have in common (glibc, musl, Android's bionic). */
#ifndef BASE_PLATFORM_H
#define BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The variable of the environment, or NULL; also NULL where the process has rights that the user who started it may
 * not have (a setuid program), since then a stranger chose the value. */
const char *platform_env(const char *name);

/* Copies the name of the variable at that place of the environment, cut where size is too little. False: there are no
 * more. */
bool platform_env_name(uint32_t place, char *name, size_t size);

/* The program's name without its folder. */
const char *platform_program_name(void);

/* Whether the process has loaded a library whose file's name, without its folder, begins so. */
bool platform_has_library(const char *prefix);

#endif
