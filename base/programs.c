/* See programs.h. */
#include "programs.h"

#include "log.h"
#include "platform.h"
#include "util.h"

#include <stdatomic.h>
#include <string.h>

enum program {
#define PROGRAM(name, library, executables)   PROGRAM_##name,
#define PROGRAM_SETTING(name, setting, value)
#include "programs.def"
#undef PROGRAM
#undef PROGRAM_SETTING
    PROGRAM_COUNT
};

static const struct {
    const char *library, *executables;
} programs[PROGRAM_COUNT] = {
#define PROGRAM(name, library, executables)   {library, executables},
#define PROGRAM_SETTING(name, setting, value)
#include "programs.def"
#undef PROGRAM
#undef PROGRAM_SETTING
};

static const struct row {
    enum program program;
    enum setting setting;
    const char *value;
} rows[] = {
#define PROGRAM(name, library, executables)
#define PROGRAM_SETTING(name, setting, value) {PROGRAM_##name, SETTING_##setting, value},
#include "programs.def"
#undef PROGRAM
#undef PROGRAM_SETTING
};

/* Whether the name is one of the patterns, which have blanks between. */
static bool is_among(const char *name, const char *patterns)
{
    size_t length = strlen(name);
    for (size_t next; *patterns; patterns += next + (patterns[next] == ' ')) {
        next = strcspn(patterns, " ");
        if (patterns[next - 1] == '*' ? strncmp(name, patterns, next - 1) == 0
                                      : length == next && strncmp(name, patterns, next) == 0)
            return true;
    }
    return false;
}

static const struct row *find_row(enum setting setting, const char *executable, bool (*has_library)(const char *prefix))
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].setting == setting && (is_among(executable, programs[rows[i].program].executables) ||
                                           has_library(programs[rows[i].program].library)))
            return &rows[i];
    }
    return NULL;
}

const char *program_setting_of(enum setting setting, const char *executable, bool (*has_library)(const char *prefix))
{
    const struct row *row = find_row(setting, executable, has_library);
    return row ? row->value : NULL;
}

const char *program_setting(enum setting setting)
{
    static atomic_bool told[ARRAY_LENGTH(rows)];
    const struct row *row = find_row(setting, platform_program_name(), platform_has_library);
    if (!row)
        return NULL;
    if (!atomic_exchange(&told[row - rows], true))
        log_info("for this program %s is '%s' (PUMICE_PROGRAMS=0: unset)", setting_name(setting), row->value);
    return row->value;
}
