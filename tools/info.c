/* See info.h. It asks the backend, not the OpenCL API, so that devices which do not qualify are shown too, with the
 * reason. */
#include "info.h"

#ifndef _WIN32 /* info_gl.c has not been written for it */
#include "info_gl.h"
#else
struct gl_answer {
    int none;
};
#define info_gl_ask(answer)         (void)(answer)
#define info_gl_print(answer, caps) (void)(answer)
#define info_gl_end(answer)         (void)(answer)
#endif

#include "base/util.h"
#include "src/probe/probe.h"
#include "vk/vk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(enum vkb_device_type type)
{
    switch (type) {
    case VKB_DEVICE_INTEGRATED:
        return "integrated GPU";
    case VKB_DEVICE_DISCRETE:
        return "discrete GPU";
    case VKB_DEVICE_VIRTUAL:
        return "virtual GPU";
    case VKB_DEVICE_CPU:
        return "CPU";
    default:
        return "other";
    }
}

static void print_size(const char *label, uint64_t bytes)
{
    if (bytes >= 1u << 30)
        printf("  %-26s %.1f GiB\n", label, (double)bytes / (1u << 30));
    else if (bytes >= 1u << 20)
        printf("  %-26s %.1f MiB\n", label, (double)bytes / (1u << 20));
    else
        printf("  %-26s %.1f KiB\n", label, (double)bytes / (1u << 10));
}

static void print_unknown(const char *label, uint32_t value, const char *unit)
{
    if (value)
        printf("  %-26s %u%s\n", label, value, unit);
    else
        printf("  %-26s unknown (the driver does not say)\n", label);
}

static void print_limits(const struct vkb_caps *caps)
{
    print_size("memory", caps->device_memory);
    print_size("largest buffer", caps->max_allocation);
    printf("  %-26s %s%s\n", "kind of memory", caps->unified_memory ? "shared with the host" : "the device's own",
           caps->rebar && !caps->unified_memory ? ", all of it visible to the host" : "");
    print_size("local memory", caps->shared_memory);
    printf("  %-26s %u (%u x %u x %u)\n", "work-group size", caps->max_workgroup_invocations,
           caps->max_workgroup_size[0], caps->max_workgroup_size[1], caps->max_workgroup_size[2]);
    if (caps->min_subgroup_size != caps->max_subgroup_size)
        printf("  %-26s %u (%u to %u)\n", "sub-group size", caps->subgroup_size, caps->min_subgroup_size,
               caps->max_subgroup_size);
    else
        printf("  %-26s %u\n", "sub-group size", caps->subgroup_size);
    print_unknown("compute units", caps->compute_units, "");
    print_unknown("clock", caps->clock_mhz, " MHz");
    printf("  %-26s %u\n", "queues", caps->num_queues);
}

struct ability {
    bool present;
    const char *vulkan, *lines, *without;
};

/* Whether lines, which have | between, has the line. */
static bool has_line(const char *lines, const char *line, size_t length)
{
    while (*lines) {
        size_t next = strcspn(lines, "|");
        if (next == length && strncmp(lines, line, length) == 0)
            return true;
        lines += next + (lines[next] == '|');
    }
    return false;
}

/* The line of an ability: yes where all are present that share it. */
static void print_ability(const struct ability *abilities, size_t count, const struct ability *ability)
{
    size_t length = strcspn(ability->lines, "|");
    bool present = true;
    for (size_t i = 0; i < count; i++) {
        if (abilities[i].present || !has_line(abilities[i].lines, ability->lines, length))
            continue;
        if (present)
            printf("  %-26.*s no    needs ", (int)length, ability->lines);
        printf("%s%s", present ? "" : ", ", abilities[i].vulkan);
        present = false;
    }
    if (present)
        printf("  %-26.*s yes\n", (int)length, ability->lines);
    else
        printf(": %s\n", ability->without);
}

static void print_abilities(const struct vkb_caps *caps)
{
    const struct ability abilities[] = {
#define ABILITY(name, vulkan, words, lines, without) {caps->name, vulkan, lines, without},
#include "base/abilities.def"
        {caps->timestamp_period > 0.0, "timestampPeriod", "profiling",
         "no CL_QUEUE_PROFILING_ENABLE times from the device"},
    };
    printf("\n  %-26s %-5s %s\n", "ability", "", "where it is missing: what it needs, and what happens without");
    for (size_t i = 0; i < ARRAY_LENGTH(abilities); i++) {
        if (abilities[i].without[0])
            print_ability(abilities, ARRAY_LENGTH(abilities), &abilities[i]);
    }
}

/* Those that kernels multiply in sub-groups of the usual size without the library. */
static void print_matrices(const struct vkb_caps *caps)
{
    struct clc_target target;
    struct clc_matrix_variant list[CLC_MOST_MATRICES];
    uint32_t native;
    target_from_caps(&target, caps, "", "");
    clc_matrix_variants(&target, caps->subgroup_size, list, CLC_MOST_MATRICES, &native);
    for (uint32_t i = 0; i < native && i < CLC_MOST_MATRICES; i++) {
        char name[CLC_MATRIX_NAME];
        clc_matrix_name(&list[i], name);
        printf("%s%s", i == 0 ? "\n  matrices of the device's own: " : i % 4 == 0 ? ",\n    " : ", ", name);
    }
    if (native)
        putchar('\n');
}

static void print_function(const struct probe_report *report, enum clc_probe probe)
{
    static const char *const verdicts[] = {"library", "relaxed", "native", "exact"};
    bool measured = false;
    for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++)
        measured |= report->worst[probe][width] >= 0.0f;
    if (!measured)
        return;
    printf("  %-26s", probe_name(probe));
    for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++) {
        float worst = report->worst[probe][width];
        char text[32];
        if (worst < 0.0f)
            strcpy(text, "");
        else if (report->native[probe][width] == CLC_NATIVE_EXACT)
            strcpy(text, "exact");
        else if (isinf(worst))
            snprintf(text, sizeof(text), "%s (special)", verdicts[report->native[probe][width]]);
        else
            snprintf(text, sizeof(text), "%s (%.3g ulp)", verdicts[report->native[probe][width]], (double)worst);
        printf(" %-21s", text);
    }
    putchar('\n');
}

static void print_images(const struct probe_images *images)
{
    const struct {
        const char *name;
        bool native;
    } rows[] = {{"sampling 565 and 555", images->samples_packed},
                {"sampling sRGB", images->samples_srgb},
                {"rounding what is written", images->rounds_texels}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        printf("  %-26s %s\n", rows[i].name, rows[i].native ? "exact" : "library");
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {
        {"unorm8", 1 << 2}, {"sRGB", CLC_FILTERS_SRGB}, {"snorm8", 1 << 0}, {"unorm16", 1 << 3}, {"snorm16", 1 << 1},
        {"half", 1 << 13},  {"float", 1 << 14},         {"101010", 1 << 6}, {"565", 1 << 4},     {"555", 1 << 5}};
    printf("  %-26s", "linear filters of");
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        printf("%s%s", images->filters & types[i].type ? " " : "",
               images->filters & types[i].type ? types[i].name : "");
    putchar('\n');
}

/* What the probe of this driver says. It runs anew: the cache keeps no errors. */
static void print_probe(struct vkb_device *device)
{
    struct clc_target target;
    struct probe_report report;
    target_from_caps(&target, vkb_device_caps(device), "", "");
    probe_device(device, &target, NULL, &report);
    if (!report.done) {
        printf("\n  functions: all by the library (no probe: %s)\n", report.why_not);
        return;
    }
    printf("\n  functions, measured in %-3.0f ms %-21s %-21s %s\n", (double)report.time / 1e6, "half", "float",
           "double");
    for (uint32_t i = 0; i < CLC_PROBE_COUNT; i++)
        print_function(&report, (enum clc_probe)i);
    printf("  %-26s", "subnormals");
    for (uint32_t width = 0; width < CLC_WIDTH_COUNT; width++)
        printf(" %-21s", report.denorms_kept[width] ? "kept" : "flushed");
    putchar('\n');
    if (vkb_caps_image_writes(vkb_device_caps(device)))
        print_images(&report.images);
    puts("\n  exact, native: the device's own is used; library: Pumice's (errors, or wrong special values, of the "
         "device's);\n  relaxed: the device's own with -cl-fast-relaxed-math");
}

static void print_device(struct vkb_device *device, uint32_t index, struct gl_answer *gl)
{
    const struct vkb_caps *caps = vkb_device_caps(device);
    printf("%u: %s\n", index, caps->name);
    printf("  %-26s %s %s\n", "driver", caps->driver_name, caps->driver_info);
    printf("  %-26s %u.%u.%u\n", "Vulkan", caps->api_version >> 22 & 0x7f, caps->api_version >> 12 & 0x3ff,
           caps->api_version & 0xfff);
    printf("  %-26s %s, vendor 0x%04x, device 0x%04x\n", "kind", type_name(caps->type), caps->vendor_id,
           caps->device_id);
    if (caps->warning[0])
        printf("  WARNING: %s\n", caps->warning);
    if (!caps->qualifies) {
        printf("  NOT OFFERED to OpenCL programs: %s\n", caps->why_not);
        return;
    }
    print_limits(caps);
    print_abilities(caps);
    print_matrices(caps);
    print_probe(device);
    info_gl_print(gl, caps);
}

int info_main(int argc, char **argv)
{
    if (argc > 1) {
        bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
        if (!help)
            fprintf(stderr, "pumice info: unknown argument '%s'\n", argv[1]);
        fputs("usage: pumice info\nLists the Vulkan devices and what each can do for OpenCL programs.\n",
              help ? stdout : stderr);
        return help ? 0 : 2;
    }
    struct gl_answer gl;
    info_gl_ask(&gl);
    struct vkb_instance *instance = vkb_instance_get();
    uint32_t count = vkb_instance_num_devices(instance);
    if (!instance)
        puts("No Vulkan here: libvulkan.so.1 is missing or cannot make an instance.\n"
             "OpenCL programs will see the platform Pumice without devices.");
    else if (!count)
        puts("Vulkan is here, but has no device: is a driver installed (mesa-vulkan-drivers, or the vendor's)?");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            putchar('\n');
        print_device(vkb_instance_device(instance, i), i, &gl);
    }
    info_gl_end(&gl);
    return 0;
}
