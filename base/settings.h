/* The settings of settings.def, read from the environment: the only way to any variable that begins with PUMICE_.
 * A program with raised rights has none set (platform_env()). Where a variable is unset, certain programs get a value
 * all the same (programs.h). Thread-safe as long as nobody changes the environment.
 *
 * The first reading behind the beginning of main() also warns, in the log, of every PUMICE_ variable that is no setting
 * and of every value that its setting does not take. Such a value counts as none. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum setting {
#define SETTING(name, kind, values, fallback, audience, meaning) SETTING_##name,
#include "settings.def"
#undef SETTING
    SETTING_COUNT
};

/* The value, or NULL where there is none. */
const char *setting_text(enum setting setting);
/* Likewise, before main() and where a library is loaded; warns of nothing. */
const char *setting_text_at_load(enum setting setting);
/* Of a SWITCH. */
bool setting_on(enum setting setting);
/* Of a NUMBER: 1 to its bound; 0 where it is not set and the row has no default. */
uint32_t setting_number(enum setting setting);
/* Of a CHOICE: the place of the word among the row's, from 0; -1 where it is not set and the row has no default. */
int setting_choice(enum setting setting);

/* PUMICE_..., and whether it is for tests. */
const char *setting_name(enum setting setting);
bool setting_is_for_tests(enum setting setting);
/* Has say() told what is to be warned of, a line each, instead of the log (NULL). Does nothing where that was done before. */
void settings_check(void (*say)(const char *text));

#endif
