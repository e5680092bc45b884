/* See run.h. */
#include "run.h"

#include "testfile.h"

#include <stdio.h>
#include <string.h>

static int usage(FILE *out)
{
    fputs("usage: pumice run [--platform=NAME] [--device=NAME] [--filter=TEXT | --test=NAME] [-v] FILE.cl...\n"
          "       pumice run --list FILE.cl...\n"
          "Runs the tests that the files' //! directives describe, on each OpenCL device whose platform and name "
          "match:\n"
          "all of them, those whose name contains TEXT, or that one. --list prints their names.\n",
          out);
    return out == stdout ? 0 : 2;
}

/* Says why no test ran: devices and tests are chosen by texts that may match nothing. */
static void explain(const struct run_options *options, bool any)
{
    const char *platform = options->platform, *device = options->device;
    if (any && options->filter)
        fprintf(stderr, "pumice run: no test's name %s '%s'\n", options->whole_name ? "is" : "contains",
                options->filter);
    else if (!any && (platform || device))
        fprintf(stderr, "pumice run: no OpenCL device whose %s%s%s%s%s%s\n",
                platform ? "platform's name contains '" : "", platform ? platform : "",
                platform && device ? "' and whose "
                : platform         ? "'"
                                   : "",
                device ? "name contains '" : "", device ? device : "", device ? "'" : "");
    else if (!any)
        fputs("pumice run: no OpenCL device to run on\n", stderr);
}

/* One name a line, for scripts that start a process for each test. */
static void list_tests(const struct test_file *file)
{
    for (uint32_t i = 0; i < file->num_cases; i++)
        puts(file->cases[i].name);
}

int run_main(int argc, char **argv)
{
    struct run_options options = {0};
    struct test_totals totals = {0};
    bool any = false, bad = false, list = false;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strncmp(argv[first], "--platform=", 11))
            options.platform = argv[first] + 11;
        else if (!strncmp(argv[first], "--device=", 9))
            options.device = argv[first] + 9;
        else if (!strncmp(argv[first], "--filter=", 9) || !strncmp(argv[first], "--test=", 7)) {
            options.filter = strchr(argv[first], '=') + 1;
            options.whole_name = argv[first][2] == 't';
        } else if (!strcmp(argv[first], "--list"))
            list = true;
        else if (!strcmp(argv[first], "-v"))
            options.verbose = true;
        else if (!strcmp(argv[first], "--help") || !strcmp(argv[first], "-h"))
            return usage(stdout);
        else {
            fprintf(stderr, "pumice run: unknown option '%s'\n", argv[first]);
            return usage(stderr);
        }
    }
    if (first == argc)
        return usage(stderr);
    for (int i = first; i < argc; i++) {
        struct test_file file;
        if (!test_file_read(argv[i], &file)) {
            bad = true;
            continue;
        }
        if (list)
            list_tests(&file);
        else
            any |= test_file_run(&file, argv[i], &options, &totals);
        test_file_free(&file);
    }
    if (list)
        return bad ? 2 : 0;
    if (!bad && !(totals.passed + totals.failed + totals.skipped + totals.todo))
        explain(&options, any);
    printf("%u passed, %u failed, %u skipped, %u todo\n", totals.passed, totals.failed, totals.skipped, totals.todo);
    if (bad)
        return 2;
    if (totals.failed)
        return 1;
    return totals.passed + totals.todo ? 0 : 77;
}
