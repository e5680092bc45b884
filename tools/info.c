/* See info.h. It asks the backend, not the OpenCL API, so that devices which do not qualify are shown too, with the
 * reason. */
#include "info.h"

#include "base/util.h"
#include "src/probe/probe.h"
#include "vk/vk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One line of the table of abilities: what OpenCL gets from a Vulkan feature, and what the lack of it means. */
struct ability {
    const char *name;
    bool present;
    const char *needs, *without;
};

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

static void print_abilities(const struct vkb_caps *caps)
{
    const struct ability abilities[] = {
        {"raw pointers", caps->buffer_address, "bufferDeviceAddress", "the device cannot be used"},
        {"events, queues", caps->timeline, "timelineSemaphore", "the device cannot be used"},
        {"char", caps->int8 && caps->storage8, "shaderInt8, storageBuffer8BitAccess",
         "bytes are put together from words: slower"},
        {"short", caps->int16 && caps->storage16, "shaderInt16, storageBuffer16BitAccess",
         "emulated in 32 bits: slower"},
        {"long", caps->int64, "shaderInt64", "made of two words: slower; no 64-bit atomics"},
        {"half (cl_khr_fp16)", caps->float16 && caps->storage16, "shaderFloat16",
         "half only in memory, by vload_half and vstore_half"},
        {"double (cl_khr_fp64)", caps->float64, "shaderFloat64", "no double"},
        {"64-bit atomics", caps->buffer_int64_atomics, "shaderBufferInt64Atomics", "no cl_khr_int64_base_atomics"},
        {"64-bit local atomics", caps->shared_int64_atomics, "shaderSharedInt64Atomics",
         "no cl_khr_int64_base_atomics"},
        {"float atomic add", caps->float32_atomic_add, "VK_EXT_shader_atomic_float", "done by compare and exchange"},
        {"memory model", caps->memory_model, "vulkanMemoryModel",
         "acquire and release order is stronger than asked for: slower"},
        {"local memory as bytes", caps->explicit_layout && caps->explicit_layout8,
         "VK_KHR_workgroup_memory_explicit_layout", "local memory that is accessed in several widths is slower"},
        {"profiling", caps->timestamp_period > 0.0, "timestampPeriod",
         "no CL_QUEUE_PROFILING_ENABLE times from the device"},
        {"host memory in place", caps->import_host, "VK_EXT_external_memory_host",
         "CL_MEM_USE_HOST_PTR copies at map and unmap"},
        {"sub-groups of one size", caps->subgroup_size_control, "subgroupSizeControl",
         "intel_reqd_sub_group_size is refused"},
    };
    printf("\n  %-26s %-5s %s\n", "ability", "", "where it is missing: what it needs, and what happens without");
    for (size_t i = 0; i < ARRAY_LENGTH(abilities); i++) {
        const struct ability *ability = &abilities[i];
        if (ability->present)
            printf("  %-26s yes\n", ability->name);
        else
            printf("  %-26s no    needs %s: %s\n", ability->name, ability->needs, ability->without);
    }
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

static void print_device(struct vkb_device *device, uint32_t index)
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
    print_probe(device);
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
        print_device(vkb_instance_device(instance, i), i);
    }
    return 0;
}
