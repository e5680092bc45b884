/* See settings.h. Values are parsed whenever they are read, which is seldom: nothing is kept but whether the warnings
 * were given. */
#include "settings.h"

#include "log.h"
#include "platform.h"
#include "programs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { SWITCH, NUMBER, CHOICE, TEXT };
enum audience { USERS, TESTS };

static const struct row {
    const char *name;
    enum kind kind;
    const char *values, *fallback;
    enum audience audience;
} rows[SETTING_COUNT] = {
#define SETTING(name, kind, values, fallback, audience, meaning) {"PUMICE_" #name, kind, values, fallback, audience},
#include "settings.def"
#undef SETTING
};

/* ---- one value ---- */

/* Where word is among words, which have blanks between; -1: nowhere. */
static int find_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int place = 0; *words; place++) {
        size_t next = strcspn(words, " ");
        if (next == length && strncasecmp(words, word, length) == 0)
            return place;
        words += next + (words[next] == ' ');
    }
    return -1;
}

/* The number that the whole text is, or 0. */
static uint32_t find_number(const char *text)
{
    char *end;
    if (text[0] < '1' || text[0] > '9')
        return 0;
    unsigned long number = strtoul(text, &end, 10);
    return *end ? 0 : number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static bool is_usable(const struct row *row, const char *value)
{
    switch (row->kind) {
    case SWITCH:
        return find_word("0 1", value) >= 0;
    case NUMBER:
        return find_number(value) != 0;
    case CHOICE:
        return find_word(row->values, value) >= 0;
    case TEXT:
        break;
    }
    return true;
}

static const char *read_environment(const struct row *row)
{
    const char *value = platform_env(row->name);
    return value && *value ? value : NULL;
}

static const char *read_value(const struct row *row)
{
    const char *value = read_environment(row), *off = read_environment(&rows[SETTING_PROGRAMS]);
    return value || (off && strcmp(off, "0") == 0) ? value : program_setting((enum setting)(row - rows));
}

/* ---- warnings ---- */

static void check_value(const struct row *row, void (*say)(const char *text))
{
    const char *value = read_environment(row);
    char text[512] = "";
    if (!value)
        return;
    if (!is_usable(row, value)) {
        if (row->kind == NUMBER)
            snprintf(text, sizeof(text), "%s=%s does not count: it takes a number from 1 to %s", row->name, value,
                     row->values);
        else
            snprintf(text, sizeof(text), "%s=%s does not count: it takes one of: %s", row->name, value,
                     row->kind == SWITCH ? "0 1" : row->values);
    } else if (row->kind == NUMBER && find_number(value) > find_number(row->values)) {
        snprintf(text, sizeof(text), "%s=%s counts as %s, which is the most", row->name, value, row->values);
    }
    if (text[0])
        say(text);
}

static void check_name(const char *name, void (*say)(const char *text))
{
    char text[512];
    for (int i = 0; i < SETTING_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return;
    snprintf(text, sizeof(text), "%s is no setting of Pumice's", name);
    say(text);
}

static void say_to_log(const char *text)
{
    log_warn("%s", text);
}

void settings_check(void (*say)(const char *text))
{
    static atomic_bool done;
    char name[64];
    if (atomic_exchange(&done, true))
        return;
    say = say ? say : say_to_log;
    for (int i = 0; i < SETTING_COUNT; i++)
        check_value(&rows[i], say);
    for (uint32_t i = 0; platform_env_name(i, name, sizeof(name)); i++)
        if (strncmp(name, "PUMICE_", 7) == 0 && strncmp(name, "PUMICE_TEST_", 12) != 0 && platform_env(name))
            check_name(name, say);
}

/* ---- reading ---- */

static const struct row *find_row(enum setting setting)
{
    /* The log asks for its own settings before it can write a line. */
    if (setting != SETTING_LOG && setting != SETTING_LOG_FILE)
        settings_check(NULL);
    return &rows[setting];
}

const char *setting_text(enum setting setting)
{
    return read_value(find_row(setting));
}

const char *setting_text_at_load(enum setting setting)
{
    return read_value(&rows[setting]);
}

bool setting_on(enum setting setting)
{
    const struct row *row = find_row(setting);
    const char *value = read_value(row);
    return strcmp(value && is_usable(row, value) ? value : row->fallback, "1") == 0;
}

uint32_t setting_number(enum setting setting)
{
    const struct row *row = find_row(setting);
    const char *value = read_value(row);
    uint32_t number = find_number(value && is_usable(row, value) ? value : row->fallback);
    uint32_t most = find_number(row->values);
    return number < most ? number : most;
}

int setting_choice(enum setting setting)
{
    const struct row *row = find_row(setting);
    const char *value = read_value(row);
    return find_word(row->values, value && is_usable(row, value) ? value : row->fallback);
}

const char *setting_name(enum setting setting)
{
    return rows[setting].name;
}

bool setting_is_for_tests(enum setting setting)
{
    return rows[setting].audience == TESTS;
}
