/* Runs the preprocessor's test files. A file is a source; at its top may stand
 *     // options: -DX=1          build options
 *     // header NAME             an embedded header, its lines following as "//| text"
 * and its end is what must come out:
 *     // expect:                 the preprocessed text, "// " before each line; blanks count as one, linemarkers are
 * left out
 *     // log:                    the build log, exactly
 *     // invalid options         instead of both: the options are refused
 * --bless writes the end anew. Each file is also compiled with too little memory, in steps, which must give
 * CLC_OUT_OF_MEMORY and nothing worse. */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADERS = 16, MAX_TEXT = 1 << 20 };

struct test {
    char *source; /* up to its end blocks */
    char options[1024];
    char *expect, *log; /* NULL: not given */
    bool invalid_options;
    struct clc_header headers[MAX_HEADERS];
    uint32_t num_headers;
};

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static const char *next_line(const char *line)
{
    const char *newline = strchr(line, '\n');
    return newline ? newline + 1 : line + strlen(line);
}

static bool is_end_block(const char *line)
{
    return begins(line, "// expect:") || begins(line, "// log:") || begins(line, "// invalid options");
}

/* Collects the lines that begin with prefix, without it. */
static const char *take_block(const char *line, const char *prefix, char **text)
{
    char *out = calloc(1, strlen(line) + 2);
    size_t length = 0;
    for (; (begins(line, prefix) || begins(line, "//\n")) && !is_end_block(line); line = next_line(line)) {
        const char *from = line + (begins(line, prefix) ? strlen(prefix) : 2), *to = next_line(line);
        memcpy(out + length, from, (size_t)(to - from));
        length += (size_t)(to - from);
    }
    *text = out;
    return line;
}

static void parse_test(const char *text, struct test *test)
{
    const char *line = text;
    *test = (struct test){0};
    while (*line && !is_end_block(line)) {
        if (begins(line, "// options: ")) {
            size_t length = (size_t)(strcspn(line, "\n") - strlen("// options: "));
            snprintf(test->options, sizeof(test->options), "%.*s", (int)length, line + strlen("// options: "));
        } else if (begins(line, "// header ") && test->num_headers < MAX_HEADERS) {
            struct clc_header *header = &test->headers[test->num_headers++];
            char *content;
            header->name = strndup(line + strlen("// header "), strcspn(line, "\n") - strlen("// header "));
            line = take_block(next_line(line), "//| ", &content);
            header->text = content;
            header->length = strlen(content);
            continue;
        }
        line = next_line(line);
    }
    test->source = strndup(text, (size_t)(line - text));
    while (*line) {
        if (begins(line, "// expect:"))
            line = take_block(next_line(line), "// ", &test->expect);
        else if (begins(line, "// log:"))
            line = take_block(next_line(line), "//  ", &test->log);
        else if (begins(line, "// invalid options"))
            test->invalid_options = true, line = next_line(line);
        else
            line = next_line(line);
    }
}

static void free_test(struct test *test)
{
    for (uint32_t i = 0; i < test->num_headers; i++) {
        free((char *)test->headers[i].name);
        free((char *)test->headers[i].text);
    }
    free(test->source);
    free(test->expect);
    free(test->log);
}

/* One blank for each run of blanks, linemarkers left out. */
static char *normalize(const char *text)
{
    char *out = calloc(1, strlen(text) + 2);
    size_t length = 0;
    bool line_start = true;
    for (const char *p = text; *p;) {
        if (line_start && p[0] == '#' && p[1] == ' ' && isdigit((unsigned char)p[2])) {
            p = next_line(p);
            continue;
        }
        line_start = *p == '\n';
        if (isspace((unsigned char)*p)) {
            if (length && out[length - 1] != ' ')
                out[length++] = ' ';
        } else {
            out[length++] = *p;
        }
        p++;
    }
    if (length && out[length - 1] == ' ')
        length--;
    out[length] = '\0';
    return out;
}

static enum clc_result run(const struct test *test, size_t memory_limit, char **text, char **log)
{
    struct clc_target target;
    clc_target_default(&target);
    const char *source = test->source;
    struct clc_compile_args args = {
        .strings = &source,
        .num_strings = 1,
        .options = test->options,
        .headers = test->headers,
        .num_headers = test->num_headers,
        .target = &target,
        .file_name = "test.cl",
        .memory_limit = memory_limit,
    };
    return clc_preprocess(&args, text, log);
}

static bool differs(const char *path, const char *what, const char *wanted, const char *got)
{
    if (strcmp(wanted, got) == 0)
        return false;
    printf("%s: %s differs\n--- wanted\n%s\n--- got\n%s\n", path, what, wanted, got);
    return true;
}

static bool check(const char *path, const struct test *test)
{
    char *text, *log;
    bool failed = false;
    enum clc_result result = run(test, 0, &text, &log);
    if (test->invalid_options) {
        failed = result != CLC_INVALID_OPTIONS;
        if (failed)
            printf("%s: result %d where invalid options were wanted\n", path, result);
    } else {
        if ((result == CLC_SUCCESS) == (log && strstr(log, "error: ") != NULL)) {
            printf("%s: result %d does not fit the log\n", path, result);
            failed = true;
        }
        if (test->expect) {
            char *wanted = normalize(test->expect), *got = normalize(text ? text : "");
            failed |= differs(path, "text", wanted, got);
            free(wanted);
            free(got);
        }
        failed |= differs(path, "log", test->log ? test->log : "", log ? log : "(none)");
    }
    free(text);
    free(log);
    return !failed;
}

/* Every limit up to what suffices. */
static bool check_memory(const char *path, const struct test *test)
{
    char *text, *log;
    enum clc_result wanted = run(test, 0, &text, &log);
    free(text);
    free(log);
    for (size_t limit = 1; limit < (size_t)64 << 20; limit += limit < 40000 ? 4099 : limit / 8) {
        enum clc_result result = run(test, limit, &text, &log);
        bool had_log = log != NULL;
        free(text);
        free(log);
        if (result == wanted)
            return true;
        if (result != CLC_OUT_OF_MEMORY || had_log) {
            printf("%s: result %d with %zu bytes\n", path, result, limit);
            return false;
        }
    }
    return true;
}

static void put_block(FILE *out, const char *title, const char *prefix, const char *text)
{
    fprintf(out, "%s\n", title);
    for (const char *line = text; *line; line = next_line(line)) {
        int length = (int)strcspn(line, "\n");
        fprintf(out, "%s%.*s\n", length ? prefix : "//", length, line);
    }
}

/* The text without linemarkers and empty lines. */
static char *without_markers(const char *text)
{
    char *out = calloc(1, strlen(text) + 2);
    for (const char *line = text; *line; line = next_line(line)) {
        if (*line != '\n' && !(line[0] == '#' && line[1] == ' ' && isdigit((unsigned char)line[2])))
            strncat(out, line, strcspn(line, "\n") + 1);
    }
    return out;
}

static bool bless(const char *path, const struct test *test)
{
    char *text, *log;
    enum clc_result result = run(test, 0, &text, &log);
    FILE *out = fopen(path, "wb");
    if (!out)
        return false;
    fputs(test->source, out);
    if (result == CLC_INVALID_OPTIONS) {
        fputs("// invalid options\n", out);
    } else {
        char *bare = without_markers(text ? text : "");
        if (*bare)
            put_block(out, "// expect:", "// ", bare);
        if (log && *log)
            put_block(out, "// log:", "//  ", log);
        free(bare);
    }
    fclose(out);
    free(text);
    free(log);
    return true;
}

int main(int argc, char **argv)
{
    bool blessing = argc > 1 && strcmp(argv[1], "--bless") == 0, right = true;
    for (int i = 1 + blessing; i < argc; i++) {
        struct test test;
        char *text = test_need_file(argv[i], NULL);
        parse_test(text, &test);
        right &= blessing ? bless(argv[i], &test) : check(argv[i], &test) && check_memory(argv[i], &test);
        free_test(&test);
        free(text);
    }
    return right ? 0 : 1;
}
