/* See check.h. The library looks and reports: PUMICE_CHECK and its like tell it what (src/check/). This command sets them,
 * runs the program, and knows from the file of findings whether there were any, however the program ended. */
#include "check.h"
#include "start.h"

#include "src/check/check.h"

#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_EXIT = 66, WORDS = 128, EMPTY = 4 /* bytes of an array without anything */ };

static int usage(FILE *out)
{
    fputs("usage: pumice check [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
          "Runs a program and reports its faults with OpenCL, in kernels and in calls, on standard error. Ends with 66 "
          "where\nthere were any, else as the program does. docs/check.md says what is found, and what it costs.\n"
          "  --all            everything but --finite (the default)\n"
          "  --bounds         accesses beyond memory, or to what was released\n"
          "  --init           reads of memory that nobody wrote\n"
          "  --races          work-items, commands and the host at the same memory, without an order\n"
          "  --barriers       barriers that not all work-items reach\n"
          "  --values         misaligned accesses, divisions by zero, conversions out of range\n"
          "  --loops          loops that do not end\n"
          "  --finite         infinities and NaNs that come of finite numbers\n"
          "  --host           objects used after their release, leaks, arguments never set\n"
          "  --kernel PATTERN only kernels of that name, as a shell's pattern; more than once: any of them\n"
          "  --suppress FILE  what is not to be reported: lines of KIND [KERNEL OR FUNCTION [FILE]]\n"
          "  --json FILE      writes the findings there, too\n"
          "  --limit N        how many places of each kind are shown (default: 10)\n"
          "  --break          stops at the first fault: in the debugger if the program runs in one, else it ends\n"
          "  --exit CODE      in place of 66, from 0 to 255; 0: the program's own\n",
          out);
    return out == stdout ? 0 : 2;
}

struct options {
    char groups[WORDS];                  /* as PUMICE_CHECK has them */
    char *kernels;                       /* as PUMICE_CHECK_KERNELS has them, or NULL; malloc'ed */
    const char *suppress, *json, *limit; /* or NULL */
    bool stops;
    int exit;
};

/* ---- files ---- */

static bool fail(const char *path, const char *reason)
{
    fprintf(stderr, "pumice check: %s: %s\n", path, reason);
    return false;
}

/* Whether an array may take the file's place: a slip of the hand must not cost anybody a source. */
static bool may_replace(int file)
{
    char first = 0;
    ssize_t got = pread(file, &first, 1, 0);
    return got == 0 || (got == 1 && first == '[');
}

/* The file for the findings, empty, by a name that holds in every folder; NULL: there is none, which was said. */
static char *make_json(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct stat status;
    const char *reason = NULL;
    char *whole = file >= 0 ? realpath(path, NULL) : NULL;
    if (!whole || fstat(file, &status) != 0)
        reason = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        reason = "this is no file";
    else if (!may_replace(file))
        reason = "this file holds something else, and stays as it is";
    else if (ftruncate(file, 0) != 0)
        reason = strerror(errno);
    if (file >= 0)
        close(file);
    if (!reason)
        return whole;
    fail(path, reason);
    free(whole);
    return NULL;
}

/* Without --json: findings go through a file all the same, which tells of them. */
static char *make_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/pumice-check-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return NULL;
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) {
        close(file);
        return path;
    }
    fail(path, strerror(errno));
    free(path);
    return NULL;
}

/* How large the file is; a file that nobody wrote into becomes an array. */
static off_t finish_json(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return 0;
    FILE *file = status.st_size == 0 ? fopen(path, "w") : NULL;
    if (file) {
        fputs("[\n]\n", file);
        fclose(file);
    }
    return status.st_size;
}

/* ---- the program ---- */

static bool set(enum setting setting, const char *value)
{
    int error = value ? setenv(setting_name(setting), value, 1) : unsetenv(setting_name(setting));
    return error == 0 || fail(setting_name(setting), strerror(errno));
}

static bool set_all(const struct options *options, const char *json, const char *suppress)
{
    char exit_code[16];
    snprintf(exit_code, sizeof(exit_code), "%d", options->exit);
    return set(SETTING_CHECK, options->groups) && set(SETTING_CHECK_KERNELS, options->kernels) &&
           set(SETTING_CHECK_SUPPRESS, suppress) && set(SETTING_CHECK_JSON, json) &&
           set(SETTING_CHECK_LIMIT, options->limit) && set(SETTING_CHECK_BREAK, options->stops ? "1" : NULL) &&
           set(SETTING_CHECK_EXIT, exit_code);
}

static int run(const struct options *options, const char *json, const char *suppress, char **argv)
{
    if (!set_all(options, json, suppress))
        return 1;
    int code = start_program("check", argv);
    off_t size = finish_json(json);
    if (code == START_FAILED)
        return code;
    if (size == 0)
        fputs("pumice check: the program made no context with Pumice, so no kernel was checked. 'pumice doctor' says "
              "what programs see.\n",
              stderr);
    bool ended_itself = code < 128 || code == options->exit;
    return size > EMPTY && ended_itself && options->exit ? options->exit : code;
}

static int check_program(const struct options *options, char **argv)
{
    char *suppress = options->suppress ? realpath(options->suppress, NULL) : NULL;
    if (options->suppress && (!suppress || access(suppress, R_OK) != 0)) {
        fail(options->suppress, strerror(errno));
        free(suppress);
        return 1;
    }
    char *json = options->json ? make_json(options->json) : make_temporary();
    int code = json ? run(options, json, suppress, argv) : 1;
    if (json && !options->json)
        unlink(json);
    free(json);
    free(suppress);
    return code;
}

/* ---- the command line ---- */

static bool add_group(struct options *options, const char *word)
{
    uint32_t groups;
    size_t used = strlen(options->groups);
    if (!check_find_group(word, strlen(word), &groups))
        return false;
    if (!strstr(options->groups, word) && used + strlen(word) + 2 < sizeof(options->groups))
        snprintf(options->groups + used, sizeof(options->groups) - used, "%s%s", used ? "," : "", word);
    return true;
}

static bool add_kernel(struct options *options, const char *pattern)
{
    char *longer = NULL;
    const char *before = options->kernels ? options->kernels : "";
    if (!*pattern || asprintf(&longer, "%s%s%s", before, *before ? "," : "", pattern) < 0)
        return false;
    free(options->kernels);
    options->kernels = longer;
    return true;
}

static bool is_number(const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && value >= least && value <= most;
}

/* An option with its value. False: it does not take that. */
static bool take_value(struct options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--kernel"))
        return add_kernel(options, value);
    if (!strcmp(name, "--suppress"))
        options->suppress = value;
    else if (!strcmp(name, "--json"))
        options->json = value;
    else if (!strcmp(name, "--limit") && is_number(value, 1, 1000000))
        options->limit = value;
    else if (!strcmp(name, "--exit") && is_number(value, 0, 255))
        options->exit = (int)strtol(value, NULL, 10);
    else
        return false;
    return true;
}

static bool wants_value(const char *name)
{
    static const char *const names[] = {"--kernel", "--suppress", "--json", "--limit", "--exit"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    return false;
}

/* Reads the options. Where the program stands among the arguments; 0: something is wrong, which was said. */
static int read_options(struct options *options, int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        const char *name = argv[at];
        if (name[0] != '-')
            return at;
        if (!strcmp(name, "--"))
            return at + 1;
        if (!strcmp(name, "--break")) {
            options->stops = true;
        } else if (wants_value(name)) {
            bool missing = ++at >= argc || !strcmp(argv[at], "--");
            if (missing || !take_value(options, name, argv[at])) {
                fprintf(stderr, "pumice check: %s wants %s value\n", name, missing ? "a" : "another");
                return 0;
            }
        } else if (strncmp(name, "--", 2) != 0 || !add_group(options, name + 2)) {
            fprintf(stderr, "pumice check: unknown option '%s'\n", name);
            return 0;
        }
    }
    return argc;
}

int check_main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return usage(stdout);
    struct options options = {.exit = DEFAULT_EXIT};
    int at = read_options(&options, argc, argv);
    if (!options.groups[0])
        add_group(&options, "all");
    int code = at == 0 || at >= argc ? usage(stderr) : check_program(&options, argv + at);
    free(options.kernels);
    return code;
}
