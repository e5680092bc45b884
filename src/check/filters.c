/* What is looked for and what is reported: the words of PUMICE_CHECK, the kernels of PUMICE_CHECK_KERNELS, and the file
 * of PUMICE_CHECK_SUPPRESS, whose lines are
 *
 *   KIND [WHERE [FILE]]      # comment
 *
 * each word a pattern as of a shell. WHERE is the kernel's name or the function of the API, FILE the source's name. */
#include "src/check/internal.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/util.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t groups;
} words[] = {
    {"bounds", CHECK_BOUNDS},     {"init", CHECK_INIT},     {"races", CHECK_RACES},
    {"barriers", CHECK_BARRIERS}, {"values", CHECK_VALUES}, {"loops", CHECK_LOOPS},
    {"finite", CHECK_FINITE},     {"host", CHECK_HOST},     {"all", CHECK_ALL},
};

struct suppression {
    char *kind, *where, *file; /* patterns; the last two may be NULL */
};

static struct suppression *suppressions;
static size_t num_suppressions;

/* What is unusable in the settings. `pumice` has this code and loads a library that has it, too: who uses it says so. */
struct complaint {
    struct complaint *next;
    enum log_level level;
    char text[]; /* a line */
};

static struct complaint *complaints, **end_of_complaints = &complaints;

enum { MOST_NOTED = 63, ANY_RAN = 63 };
/* Bits: which of the first patterns of PUMICE_CHECK_KERNELS a kernel had that ran, and whether any ran. */
static _Atomic(uint64_t) ran;

static void complain(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(enum log_level level, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    struct complaint *complaint = malloc(sizeof(*complaint) + size);
    if (complaint) {
        vsnprintf(complaint->text, size, format, again);
        complaint->level = level;
        complaint->next = NULL;
        *end_of_complaints = complaint;
        end_of_complaints = &complaint->next;
    }
    va_end(again);
    va_end(args);
}

void check_log_complaints(void)
{
    for (struct complaint *complaint; (complaint = complaints);) {
        complaints = complaint->next;
        log_at(complaint->level, "%s", complaint->text);
        free(complaint);
    }
    end_of_complaints = &complaints;
}

/* The next of the words that commas or blanks are between; NULL: there is none. */
static const char *next_word(const char **at, size_t *length)
{
    static const char between[] = ", \t\r\n";
    const char *word = *at + strspn(*at, between);
    *length = strcspn(word, between);
    *at = word + *length;
    return *length ? word : NULL;
}

bool check_find_group(const char *word, size_t length, uint32_t *groups)
{
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        if (strlen(words[i].name) == length && memcmp(words[i].name, word, length) == 0) {
            *groups = words[i].groups;
            return true;
        }
    }
    return false;
}

const char *check_group_name(uint32_t group)
{
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        if (words[i].groups == group)
            return words[i].name;
    }
    return "";
}

static uint32_t read_groups(const char *text)
{
    uint32_t groups = 0, more;
    size_t length;
    for (const char *word; (word = next_word(&text, &length)); groups |= more) {
        more = 0;
        if (!check_find_group(word, length, &more))
            complain(LOG_WARN,
                     "PUMICE_CHECK: there is no '%.*s'; the words are bounds, init, races, barriers, values, loops, "
                     "finite, host and all",
                     (int)length, word);
    }
    return groups;
}

static bool is_named(const char *name, const char *word, size_t length)
{
    char *pattern = strndup(word, length);
    bool named = !pattern || fnmatch(pattern, name, 0) == 0;
    free(pattern);
    return named;
}

bool check_wants_kernel(const char *name)
{
    const char *text = setting_text(SETTING_CHECK_KERNELS);
    size_t length;
    if (!text)
        return true;
    for (const char *word; (word = next_word(&text, &length));) {
        if (is_named(name, word, length))
            return true;
    }
    return false;
}

void check_ran(const char *kernel)
{
    const char *text = setting_text(SETTING_CHECK_KERNELS), *word;
    uint64_t bits = 1ull << ANY_RAN;
    size_t length;
    if (!text)
        return;
    for (uint32_t i = 0; i < MOST_NOTED && (word = next_word(&text, &length)); i++)
        bits |= (uint64_t)is_named(kernel, word, length) << i;
    atomic_fetch_or_explicit(&ran, bits, memory_order_relaxed);
}

void check_write_unmatched(FILE *out)
{
    const char *text = setting_text(SETTING_CHECK_KERNELS), *word;
    uint64_t bits = atomic_load_explicit(&ran, memory_order_relaxed);
    size_t length;
    if (!text || !bits)
        return;
    for (uint32_t i = 0; i < MOST_NOTED && (word = next_word(&text, &length)); i++) {
        if (!(bits >> i & 1))
            fprintf(out, "  no kernel that ran is named '%.*s' (PUMICE_CHECK_KERNELS)\n", (int)length, word);
    }
}

void check_filters_forget(void)
{
    atomic_store(&ran, 0);
}

/* ---- suppressions ---- */

static bool is_kind(const char *pattern)
{
    for (int i = 0; i < CHECK_KIND_COUNT; i++) {
        if (fnmatch(pattern, check_kinds[i].name, 0) == 0)
            return true;
    }
    return false;
}

static void add_suppression(const char *line, const char *path, unsigned number)
{
    const char *word;
    char *parts[3] = {NULL};
    size_t length, count = 0;
    bool too_many = false;
    while ((word = next_word(&line, &length)) && *word != '#' && !too_many) {
        too_many = count == ARRAY_LENGTH(parts);
        if (!too_many)
            parts[count++] = strndup(word, length);
    }
    if (!count)
        return;
    void *more = NULL;
    if (too_many)
        complain(LOG_WARN, "%s:%u: a suppression is KIND [KERNEL OR FUNCTION [FILE]], and this has more", path, number);
    else if (parts[0] && !is_kind(parts[0]))
        complain(LOG_WARN,
                 "%s:%u: a suppression is KIND [KERNEL OR FUNCTION [FILE]], and no kind is named '%s': docs/check.md "
                 "lists them under \"Kinds of faults\"",
                 path, number, parts[0]);
    else if (parts[0])
        more = realloc(suppressions, (num_suppressions + 1) * sizeof(*suppressions));
    if (more) {
        suppressions = more;
        suppressions[num_suppressions++] = (struct suppression){parts[0], parts[1], parts[2]};
        return;
    }
    for (size_t i = 0; i < count; i++)
        free(parts[i]);
}

static void read_suppressions(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    errno = file ? 0 : errno;
    while (file && getline(&line, &room, file) >= 0)
        add_suppression(line, path, ++number);
    if (!file || ferror(file))
        complain(LOG_ERROR, "PUMICE_CHECK_SUPPRESS: %s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    free(line);
}

static bool matches(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text ? text : "", 0) == 0;
}

bool check_is_suppressed(const struct check_finding *finding)
{
    for (size_t i = 0; i < num_suppressions; i++) {
        const struct suppression *one = &suppressions[i];
        bool where = matches(one->where, finding->kernel) || (finding->caller && matches(one->where, finding->caller));
        if (where && matches(one->kind, check_kinds[finding->kind].name) && matches(one->file, finding->place.file))
            return true;
    }
    return false;
}

uint32_t check_read_filters(void)
{
    const char *text = setting_text_at_load(SETTING_CHECK), *path = setting_text_at_load(SETTING_CHECK_SUPPRESS);
    uint32_t groups = text ? read_groups(text) : 0;
    if (groups && path)
        read_suppressions(path);
    return groups;
}
