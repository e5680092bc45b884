/* Settings that certain programs get where the environment does not say (programs.def).
 *
 * Thread-safe. Every question looks at the process anew, because it may load a program's library at any time. */
#ifndef BASE_PROGRAMS_H
#define BASE_PROGRAMS_H

#include "settings.h"

/* The value that this process's program gets for the setting, or NULL. The log tells of each once, at `info`. */
const char *program_setting(enum setting setting);

/* The same of a program whose executable has that name, and that has loaded a library whose file's name begins with
 * what has_library() is asked for. */
const char *program_setting_of(enum setting setting, const char *executable, bool (*has_library)(const char *prefix));

#endif
