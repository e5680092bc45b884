/* What C libraries do not have in common (glibc, musl, Android's bionic). */
#ifndef BASE_PLATFORM_H
#define BASE_PLATFORM_H

/* The variable of the environment, or NULL; also NULL where the process has rights that whoever started it may not
 * have (a setuid program), since then a stranger chose the value. */
const char *platform_env(const char *name);

/* The program's name without its folder. */
const char *platform_program_name(void);

#endif
