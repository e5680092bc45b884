/* `pumice cost`: its arguments, and what becomes of the report. cost_run.c has the processes, cost_worker.c what they
 * do, cost_table.c what is printed. */
#include "cost.h"

#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_MADE, EXIT_NOT_MADE, EXIT_USAGE };

static const char help[] =
    "usage: pumice cost FILE [OPTIONS]\n"
    "       pumice cost --compare A.json B.json\n"
    "\n"
    "Compiles the kernels of FILE (OpenCL C, kernel SPIR-V, or - for standard input) for a device, has the device's\n"
    "driver make their pipelines, and prints what the driver says of them: registers, spills, instructions, and the\n"
    "time that its compiler took. Nothing is run, except that a device is measured the first time.\n"
    "\n"
    "  --device=NAME    whose name contains this, or the number that 'pumice info' gives it (default: the first that\n"
    "                   OpenCL programs see). Twice: the second beside the first\n"
    "  --kernel=NAME    only this kernel\n"
    "  --local=X,Y,Z    the work-group size, 64 or 16,16 or 8,8,4; may be given several times (default: what the\n"
    "                   kernel requires or hints at, else 256)\n"
    "  --local-args=N   bytes of local memory that arguments have together (default: 256)\n"
    "  --limit=SECONDS  for each pipeline, after which the driver counts as hung (default: 60)\n"
    "  --json=FILE      writes the result; - for standard output, in place of the table\n"
    "  --compare        two such results side by side\n"
    "\n"
    "Everything else is a build option as clBuildProgram takes it: -D, -I, -cl-std=CL3.0, -cl-fast-relaxed-math...\n"
    "Exit code: 0 every kernel has its pipelines, 1 the source is wrong or a kernel has not, 2 bad usage, file or "
    "device.\n";

struct arguments {
    struct cost_request request;
    struct input input;
    const char *devices[2], *json;
    uint32_t num_devices;
    const char *compared[2];
    uint32_t num_compared;
    bool compares;
};

static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool read_number(const char *text, uint32_t most, uint32_t *number, const char **rest)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    *rest = end;
    return *text >= '0' && *text <= '9' && value > 0 && value <= most;
}

static bool read_whole(const char *text, uint32_t most, uint32_t *number)
{
    const char *rest;
    return read_number(text, most, number, &rest) && !*rest;
}

static bool read_size(struct cost_request *request, const char *text)
{
    if (request->num_sizes == COST_MAX_SIZES)
        return false;
    uint32_t *size = request->sizes[request->num_sizes++];
    size[0] = size[1] = size[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!read_number(text, 1u << 30, &size[i], &text))
            return false;
        if (!*text)
            return true;
        if (*text != ',' && *text != 'x')
            return false;
        text++;
    }
    return false;
}

enum taken { TAKEN, UNKNOWN, WRONG };

static enum taken own_option(struct arguments *args, const char *argument)
{
    struct cost_request *request = &args->request;
    const char *value;
    bool good = true;
    if ((value = value_of(argument, "--kernel")))
        request->kernel = value;
    else if ((value = value_of(argument, "--json")))
        args->json = value;
    else if ((value = value_of(argument, "--local")))
        good = read_size(request, value);
    else if ((value = value_of(argument, "--local-args")))
        good = read_whole(value, 1u << 30, &request->local_args);
    else if ((value = value_of(argument, "--limit")))
        good = read_whole(value, 86400, &request->limit_s);
    else if ((value = value_of(argument, "--device"))) {
        good = args->num_devices < 2;
        if (good)
            args->devices[args->num_devices++] = value;
    } else if (!strcmp(argument, "--compare"))
        args->compares = true;
    else
        return UNKNOWN;
    return good ? TAKEN : WRONG;
}

static bool take_file(struct arguments *args, const char *path)
{
    if (args->compares && args->num_compared < 2) {
        args->compared[args->num_compared++] = path;
        return true;
    }
    if (!args->compares && !args->request.path) {
        args->request.path = path;
        return true;
    }
    fprintf(stderr, "pumice cost: one file too many: '%s'\n", path);
    return false;
}

static bool parse_argument(struct arguments *args, int argc, char **argv, int *i)
{
    const char *argument = argv[*i];
    enum taken taken = own_option(args, argument);
    if (taken == TAKEN)
        return true;
    if (taken == WRONG || !strncmp(argument, "--", 2)) {
        fprintf(stderr, "pumice cost: %s '%s'\n", taken == WRONG ? "cannot make sense of" : "unknown option", argument);
        return false;
    }
    if (argument[0] != '-' || !argument[1])
        return take_file(args, argument);
    return input_add_option(&args->request.options, argument) &&
           (!input_takes_value(argument) || *i + 1 >= argc || input_add_option(&args->request.options, argv[++*i]));
}

static bool parse(struct arguments *args, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!parse_argument(args, argc, argv, &i))
            return false;
    }
    bool complete = args->compares ? args->num_compared == 2 : args->request.path != NULL;
    if (!complete)
        fputs(help, stderr);
    return complete;
}

/* ---- what is to be done ---- */

static int compare_files(const struct arguments *args)
{
    struct cost_report a = {0}, b = {0};
    bool good = cost_read_json(&a, args->compared[0]) && cost_read_json(&b, args->compared[1]);
    if (good)
        cost_compare(&a, &b, stdout);
    cost_finish(&a);
    cost_finish(&b);
    return good ? EXIT_MADE : EXIT_USAGE;
}

static bool write_json(const struct cost_report *report, const char *path)
{
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdout : fopen(path, "we");
    bool good = file && cost_write_json(report, file);
    if (file && !standard)
        good = !fclose(file) && good;
    if (!good)
        fprintf(stderr, "pumice cost: cannot write '%s': %s\n", path, strerror(errno));
    return good;
}

static int measure_one(const struct arguments *args, struct cost_report *report)
{
    if (!cost_run(&args->request, report))
        return report->code ? report->code : EXIT_USAGE;
    if (args->json && !write_json(report, args->json))
        return EXIT_USAGE;
    /* what is wrong with a source was said already */
    if (args->num_devices < 2 && !(args->json && !strcmp(args->json, "-")) && (report->num_rows || !report->code))
        cost_print(report, stdout);
    return report->code;
}

static int measure(struct arguments *args)
{
    struct cost_report reports[2] = {0};
    args->request.device = args->devices[0];
    int code = measure_one(args, &reports[0]);
    if (args->num_devices == 2 && code != EXIT_USAGE) {
        args->request.device = args->devices[1];
        args->json = NULL; /* the file is the first one's */
        int other = measure_one(args, &reports[1]);
        code = other > code ? other : code;
        if (other != EXIT_USAGE)
            cost_compare(&reports[0], &reports[1], stdout);
    }
    cost_finish(&reports[0]);
    cost_finish(&reports[1]);
    return code;
}

int cost_main(int argc, char **argv)
{
    struct arguments args = {.request = {.local_args = 256, .limit_s = 60}};
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        printf("%s", help);
        return EXIT_MADE;
    }
    int code = EXIT_USAGE;
    bool parsed = parse(&args, argc, argv);
    if (parsed && args.compares) {
        code = compare_files(&args);
    } else if (parsed && input_read("cost", &args.input, args.request.path)) {
        args.request.text = args.input.text;
        args.request.size = args.input.size;
        args.request.directory = args.input.directory;
        args.request.is_il = input_is_il(&args.input);
        /* Drivers keep what they compiled, and would take no time for it. */
        setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
        setenv("__GL_SHADER_DISK_CACHE", "0", 0);
        code = measure(&args);
    }
    free(args.request.options);
    input_finish(&args.input);
    return code;
}
