/* Checks what the front end says about a file of cases against what the file says it should.
 *
 *   // case: name [-options]            starts a case; it is compiled alone (up to its syntax and types), behind what the
 *                                       file has before its first case
 *   code // error: text                 a message on this line that contains the text; warning: and note: likewise, and
 *        // error: text // note: text   several, in any order
 *
 *        // hint: text        the line below a caret, which shows what should be written there
 *
 * Every error and warning must be announced, and every announcement must come true; notes and hints may stay unannounced. With
 * --accept only whether each case is accepted is printed, for comparison with another compiler. */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGES = 256 };

struct message {
    unsigned line;
    const char *severity; /* into the text */
    size_t severity_length;
    const char *text;
    size_t length;
    bool matched;
};

struct messages {
    struct message list[MAX_MESSAGES];
    size_t count;
};

enum { NUM_SEVERITIES = 4, HINT = 3 };
static const char *const severities[NUM_SEVERITIES] = {"error", "warning", "note", "hint"};

static void add(struct messages *messages, unsigned line, const char *severity, const char *text, size_t length)
{
    if (messages->count < MAX_MESSAGES)
        messages->list[messages->count++] = (struct message){line, severity, strlen(severity), text, length, false};
}

static const char *trim(const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\r'))
        end--;
    return end;
}

/* "// error: ..." comments of one case */
static void collect_expected(struct messages *expected, const char *text, const char *end)
{
    unsigned line = 1;
    for (const char *p = text; p < end; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        for (const char *at = p; at + 3 < stop; at++) {
            if (memcmp(at, "// ", 3) != 0)
                continue;
            for (size_t i = 0; i < NUM_SEVERITIES; i++) {
                size_t length = strlen(severities[i]);
                if ((size_t)(stop - at) < length + 4 || memcmp(at + 3, severities[i], length) != 0 ||
                    at[3 + length] != ':')
                    continue;
                const char *start = at + 3 + length + 1;
                const char *finish = start;
                while (finish < stop && !(stop - finish >= 3 && !memcmp(finish, "// ", 3)))
                    finish++;
                while (start < finish && *start == ' ')
                    start++;
                finish = trim(start, finish);
                add(expected, line, severities[i], start, (size_t)(finish - start));
            }
        }
        p = stop + 1;
    }
}

/* "case:LINE:COLUMN: error: ..." lines of a log. The source line, the caret, and maybe a hint follow each. */
static void collect_actual(struct messages *actual, const char *log)
{
    unsigned at = 0, since = 0;
    for (const char *p = log; *p; since++) {
        const char *stop = strchr(p, '\n');
        stop = stop ? stop : p + strlen(p);
        unsigned line, column;
        int used = 0;
        if (sscanf(p, "case:%u:%u: %n", &line, &column, &used) == 2 && used) {
            at = line;
            since = 0;
            for (size_t i = 0; i < 3; i++) {
                size_t length = strlen(severities[i]);
                if (strncmp(p + used, severities[i], length) == 0 && p[used + (int)length] == ':')
                    add(actual, line, severities[i], p + used + length + 2, (size_t)(stop - (p + used + length + 2)));
                if (!strncmp(p + used, "fatal error:", 12) && i == 0)
                    add(actual, line, severities[0], p + used + 13, (size_t)(stop - (p + used + 13)));
            }
        }
        if (at && since == 3 && *p == ' ') {
            const char *start = p + strspn(p, " ");
            add(actual, at, severities[HINT], start, (size_t)(stop - start));
        }
        p = *stop ? stop + 1 : stop;
    }
}

static bool contains(const struct message *whole, const struct message *part)
{
    if (part->length > whole->length)
        return false;
    for (size_t i = 0; i + part->length <= whole->length; i++)
        if (!memcmp(whole->text + i, part->text, part->length))
            return true;
    return false;
}

static void match(struct messages *expected, struct messages *actual)
{
    for (size_t i = 0; i < expected->count; i++) {
        struct message *want = &expected->list[i];
        for (size_t n = 0; n < actual->count && !want->matched; n++) {
            struct message *have = &actual->list[n];
            if (!have->matched && have->line == want->line && have->severity == want->severity && contains(have, want))
                have->matched = want->matched = true;
        }
    }
}

static bool report(const char *file, const char *name, const char *what, const struct messages *messages, unsigned base,
                   bool notes)
{
    bool good = true;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *m = &messages->list[i];
        if (m->matched || (!notes && (m->severity == severities[2] || m->severity == severities[HINT])))
            continue;
        printf("%s:%u: case %s: %s %s: %.*s\n", file, base + m->line, name, what, m->severity, (int)m->length, m->text);
        good = false;
    }
    return good;
}

/* What stands before the first case. */
struct common {
    const char *text;
    size_t length;
};

static bool run_case(const char *file, const char *name, const char *options, struct common common, const char *text,
                     const char *end, unsigned base, const struct clc_target *target, bool only_accept)
{
    static struct messages expected, actual;
    static const char first_line[] = "\n#line 1\n";
    const char *strings[] = {common.text, first_line, text};
    size_t lengths[] = {common.length, sizeof(first_line) - 1, (size_t)(end - text)};
    size_t skipped = common.length ? 0 : 1; /* a length of 0 is none */
    struct clc_compile_args args = {
        .strings = strings + skipped,
        .lengths = lengths + skipped,
        .num_strings = 3 - skipped,
        .options = options,
        .target = target,
        .file_name = "case",
    };
    char *listing = NULL, *log = NULL;
    enum clc_result result = clc_print_ast(&args, &listing, &log);
    bool good = true;
    if (only_accept) {
        printf("%s %s\n", name, result == CLC_SUCCESS ? "accepts" : "refuses");
    } else {
        expected.count = actual.count = 0;
        collect_expected(&expected, text, end);
        collect_actual(&actual, log ? log : "");
        match(&expected, &actual);
        good = report(file, name, "unexpected", &actual, base, false);
        good = report(file, name, "missing", &expected, base, true) && good;
        bool refused = false;
        for (size_t i = 0; i < actual.count; i++)
            refused |= actual.list[i].severity == severities[0];
        if (refused != (result == CLC_FAILED)) {
            printf("%s:%u: case %s: result %d does not go with the log:\n%s", file, base, name, (int)result,
                   log ? log : "");
            good = false;
        }
    }
    free(listing);
    free(log);
    return good;
}

int main(int argc, char **argv)
{
    bool only_accept = argc > 2 && !strcmp(argv[1], "--accept");
    const char *file = argv[argc - 1];
    size_t size = 0;
    char *text = argc > 1 ? test_read_file(file, &size) : NULL;
    struct clc_target target;
    bool good = true;
    unsigned cases = 0;
    if (!text)
        return 99;
    clc_target_default(&target);
    char *first = strstr(text, "// case: ");
    struct common common = {text, first ? (size_t)(first - text) : 0};
    for (char *at = first; at; cases++) {
        char *line_end = strchr(at, '\n');
        if (!line_end)
            break;
        char *next = strstr(line_end, "\n// case: ");
        unsigned base = 1;
        for (const char *p = text; p < line_end; p++)
            base += *p == '\n';
        char head[384], name[128] = "", options[256] = "";
        snprintf(head, sizeof(head), "%.*s", (int)(line_end - at), at);
        sscanf(head, "// case: %127s %255[^\n]", name, options);
        good = run_case(file, name, options, common, line_end + 1, next ? next + 1 : text + size, base, &target,
                        only_accept) &&
               good;
        at = next ? next + 1 : NULL;
    }
    free(text);
    if (!cases)
        printf("%s: no cases\n", file);
    return good && cases ? 0 : 1;
}
