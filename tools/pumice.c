/* `pumice`: the command line program. Each subcommand is a file of its own. */
#include "bench/bench.h"
#include "cache.h"
#include "check.h"
#include "compile.h"
#include "cost.h"
#include "cxx.h"
#include "doctor.h"
#include "info.h"
#include "run.h"
#include "trace.h"

#include "base/platform.h"
#include "base/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct subcommand {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    bool warns; /* of wrong settings; of others the library does so that this one or its program loads */
};

static const struct subcommand subcommands[] = {
    {"info", "what each Vulkan device here can do for OpenCL", info_main, true},
    {"cache", "what is kept on disk: shows, trims, clears", cache_main, true},
    {"compile", "compile OpenCL C or SPIR-V, without any device", compile_main, true},
#ifndef _WIN32 /* These start other programs, or look where Linux has its drivers. */
    {"doctor", "why programs see no device, in plain words", doctor_main},
    {"trace", "run a program, and show what it does with OpenCL and when", trace_main},
    {"check", "run a program, and report its faults in kernels and calls", check_main},
    {"cost", "what a device's own compiler makes of kernels", cost_main, true},
    {"c++", "compile OpenCL C++ to SPIR-V, with the system's clang", cxx_main, true},
    {"bench", "measure every OpenCL device of the machine, side by side", bench_main},
#endif
    {"run", "run test files through the OpenCL API", run_main},
};

static void usage(FILE *out)
{
    fprintf(out, "usage: pumice COMMAND [ARGUMENTS]\n\n");
    for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
        fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].summary);
    fprintf(out, "\n'pumice COMMAND --help' says more.\n");
}

int main(int argc, char **argv)
{
    argv = platform_arguments(&argc, argv);
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("pumice %s\n", PUMICE_VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++) {
        if (strcmp(argv[1], subcommands[i].name))
            continue;
        if (subcommands[i].warns)
            settings_check(NULL);
        return subcommands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "pumice: unknown command '%s'\n", argv[1]);
    usage(stderr);
    return 2;
}
