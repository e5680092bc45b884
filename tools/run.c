/* See run.h. */
#include "run.h"

#include "testfile.h"

#include <stdio.h>
#include <string.h>

static int usage(void)
{
    fputs("usage: pumice run [--platform=NAME] [--device=NAME] [--filter=TEST] [-v] FILE.cl...\n"
          "Runs the tests that the files' //! directives describe, on each OpenCL device whose platform and name "
          "match.\n",
          stderr);
    return 2;
}

int run_main(int argc, char **argv)
{
    struct run_options options = {0};
    struct test_totals totals = {0};
    bool any = false, bad = false;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strncmp(argv[first], "--platform=", 11))
            options.platform = argv[first] + 11;
        else if (!strncmp(argv[first], "--device=", 9))
            options.device = argv[first] + 9;
        else if (!strncmp(argv[first], "--filter=", 9))
            options.filter = argv[first] + 9;
        else if (!strcmp(argv[first], "-v"))
            options.verbose = true;
        else
            return usage();
    }
    if (first == argc)
        return usage();
    for (int i = first; i < argc; i++) {
        struct test_file file;
        if (!test_file_read(argv[i], &file)) {
            bad = true;
            continue;
        }
        any |= test_file_run(&file, argv[i], &options, &totals);
        test_file_free(&file);
    }
    if (!any && !bad)
        fputs("no OpenCL device to run on\n", stderr);
    printf("%u passed, %u failed, %u skipped, %u todo\n", totals.passed, totals.failed, totals.skipped, totals.todo);
    if (bad)
        return 2;
    if (totals.failed)
        return 1;
    return totals.passed + totals.todo ? 0 : 77;
}
