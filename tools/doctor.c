/* See doctor.h. It goes the way that a device takes to a program: the Vulkan loader, its drivers, their devices, what
 * Pumice refuses of them, the cache, the OpenCL loader, and what a program gets from it (doctor_opencl.c). At each step
 * it says what is there, and where something is missing, what to do. */
#include "doctor.h"

#include "base/settings.h"
#include "src/probe/cache_folder.h"
#include "vk/vk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESA_WANTED = 25 }; /* the version that Pumice is tested with */

static unsigned num_bad;

void doctor_say(enum finding finding, const char *format, ...)
{
    static const char *const marks[] = {"good", "note", "BAD "};
    va_list args;
    va_start(args, format);
    printf("%s  ", marks[finding]);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    num_bad += finding == FINDING_BAD;
}

void doctor_advise(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("      ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

const char *doctor_load(const char *library)
{
    /* It stays loaded: drivers have threads and exit handlers that do not survive an unloading. */
    return dlopen(library, RTLD_LAZY | RTLD_LOCAL) ? NULL : dlerror();
}

/* ---- Vulkan's loader and drivers ---- */

static bool check_vulkan_loader(void)
{
    const char *why = doctor_load("libvulkan.so.1");
    if (why && !doctor_load("libvulkan.so"))
        why = NULL;
    if (why) {
        doctor_say(FINDING_BAD, "there is no Vulkan loader: %s", why);
        doctor_advise("Install it (Debian: libvulkan1), and a driver (Debian: mesa-vulkan-drivers, or the vendor's).");
        return false;
    }
    doctor_say(FINDING_GOOD, "the Vulkan loader is there");
    return true;
}

/* The value of "library_path" in a driver's manifest, which is JSON. */
static bool manifest_library(const char *path, char library[PATH_MAX])
{
    char text[8192];
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[size] = 0;
    char *at = strstr(text, "\"library_path\"");
    at = at ? strchr(at, ':') : NULL;
    at = at ? strchr(at, '"') : NULL;
    char *end = at ? strchr(at + 1, '"') : NULL;
    if (!end)
        return errno = EINVAL, false;
    *end = 0;
    const char *slash = strrchr(path, '/');
    if (at[1] != '/' && strchr(at + 1, '/') && slash)
        snprintf(library, PATH_MAX, "%.*s/%s", (int)(slash - path), path, at + 1);
    else
        snprintf(library, PATH_MAX, "%s", at + 1);
    return true;
}

struct drivers {
    unsigned found, usable;
    char first_why[PATH_MAX + 512];
};

static void check_manifest(const char *path, bool named, struct drivers *drivers)
{
    char library[PATH_MAX];
    const char *why = NULL;
    drivers->found++;
    errno = 0;
    if (!manifest_library(path, library)) {
        why = errno == EINVAL ? "it names no library_path" : strerror(errno);
        doctor_say(named ? FINDING_BAD : FINDING_NOTE, "the Vulkan driver's manifest %s cannot be used: %s", path, why);
    } else {
        why = doctor_load(library);
        /* The loader skips drivers for other processors, which systems with 32-bit programs have. */
        bool other = why && strstr(why, "wrong ELF class");
        if (why && !other)
            doctor_say(named ? FINDING_BAD : FINDING_NOTE, "the Vulkan driver of %s cannot be loaded: %s", path, why);
        drivers->usable += !why;
    }
}

/* Each *.json of a folder. */
static void check_manifest_folder(const char *folder, bool named, struct drivers *drivers)
{
    char pattern[PATH_MAX + 16];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s/*.json", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_manifest(found.gl_pathv[i], named, drivers);
    globfree(&found);
}

static void each_path(const char *list, const char *suffix, bool named, struct drivers *drivers)
{
    char *copy = strdup(list), *rest = copy;
    for (char *word; copy && (word = strsep(&rest, ":"));) {
        char path[PATH_MAX];
        if (!*word)
            continue;
        snprintf(path, sizeof(path), "%s%s", word, suffix);
        size_t length = strlen(path);
        if (!*suffix && length > 5 && !strcmp(path + length - 5, ".json"))
            check_manifest(path, named, drivers);
        else
            check_manifest_folder(path, named, drivers);
    }
    free(copy);
}

/* Where the loader looks (Vulkan-Loader, LoaderDriverInterface.md, "Linux Driver Discovery"). */
static void check_drivers(void)
{
    static const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}, *const filters[] = {
                                                                                    "VK_LOADER_DRIVERS_SELECT",
                                                                                    "VK_LOADER_DRIVERS_DISABLE",
                                                                                    "VK_LOADER_LAYERS_ENABLE",
                                                                                    "VK_INSTANCE_LAYERS"};
    struct drivers drivers = {0};
    const char *named = NULL;
    for (int i = 0; i < 2 && !named; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        named = names[i];
        doctor_say(FINDING_NOTE, "%s is set to %s: the Vulkan loader uses these drivers and no others", named, value);
        each_path(value, "", true, &drivers);
    }
    if (!named) {
        const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME"), *data = getenv("XDG_DATA_HOME"),
                   *config_dirs = getenv("XDG_CONFIG_DIRS"), *data_dirs = getenv("XDG_DATA_DIRS"),
                   *more = getenv("VK_ADD_DRIVER_FILES");
        char own[PATH_MAX];
        if (more)
            each_path(more, "", true, &drivers);
        snprintf(own, sizeof(own), "%s/.config", home ? home : "");
        each_path(config && *config ? config : own, "/vulkan/icd.d", false, &drivers);
        each_path(config_dirs && *config_dirs ? config_dirs : "/etc/xdg", "/vulkan/icd.d", false, &drivers);
        each_path("/usr/local/etc:/etc", "/vulkan/icd.d", false, &drivers);
        snprintf(own, sizeof(own), "%s/.local/share", home ? home : "");
        each_path(data && *data ? data : own, "/vulkan/icd.d", false, &drivers);
        each_path(data_dirs && *data_dirs ? data_dirs : "/usr/local/share:/usr/share", "/vulkan/icd.d", false,
                  &drivers);
    }
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        if (getenv(filters[i]))
            doctor_say(FINDING_NOTE, "%s is set to %s", filters[i], getenv(filters[i]));
    }
    if (drivers.usable) {
        doctor_say(FINDING_GOOD, "%u Vulkan driver%s can be loaded", drivers.usable, drivers.usable == 1 ? "" : "s");
        return;
    }
    doctor_say(FINDING_BAD, drivers.found ? "no Vulkan driver can be loaded" : "no Vulkan driver is installed");
    if (named)
        doctor_advise("Unset %s, or name a driver's .json file that exists.", named);
    else
        doctor_advise("Install one (Debian: mesa-vulkan-drivers, or the GPU vendor's).");
}

/* GPUs whose device file this user may not open do not show up in Vulkan. */
static void check_render_nodes(void)
{
    glob_t found;
    if (glob("/dev/dri/renderD*", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (access(found.gl_pathv[i], R_OK | W_OK) != 0) {
            doctor_say(FINDING_BAD, "a GPU cannot be opened: %s: %s", found.gl_pathv[i], strerror(errno));
            doctor_advise(
                "Add the user to the group that owns it (on most systems: render or video), and log in again.");
        }
    }
    globfree(&found);
}

/* ---- devices ---- */

/* Mesa's major version; 0: another driver. */
static int mesa_version(const struct vkb_caps *caps)
{
    int version = 0;
    const char *at = strstr(caps->driver_info, "Mesa ");
    return at && sscanf(at, "Mesa %d.", &version) == 1 ? version : 0;
}

static bool check_device(struct vkb_device *device)
{
    const struct vkb_caps *caps = vkb_device_caps(device);
    int mesa = mesa_version(caps);
    if (!caps->qualifies) {
        doctor_say(FINDING_NOTE, "%s (%s %s) is not offered: %s", caps->name, caps->driver_name, caps->driver_info,
                   caps->why_not);
        return false;
    }
    enum vkb_result result = vkb_device_open(device);
    if (result != VKB_SUCCESS) {
        doctor_say(FINDING_BAD, "%s (%s %s) cannot be opened (error %d)", caps->name, caps->driver_name,
                   caps->driver_info, result);
        doctor_advise("PUMICE_LOG=info says which call of Vulkan's failed.");
        return false;
    }
    if (caps->warning[0]) {
        doctor_say(FINDING_BAD, "%s (%s %s): %s", caps->name, caps->driver_name, caps->driver_info, caps->warning);
        return true;
    }
    doctor_say(FINDING_GOOD, "%s (%s %s)", caps->name, caps->driver_name, caps->driver_info);
    if (mesa && mesa < MESA_WANTED)
        doctor_say(FINDING_NOTE, "%s: Mesa %d is older than %d, which Pumice is tested with", caps->name, mesa,
                   MESA_WANTED);
    return true;
}

static void say_setting(const char *text)
{
    doctor_say(FINDING_NOTE, "%s", text);
}

/* Says which settings there are, and which of them do not count. */
static void check_settings(void)
{
    settings_check(say_setting);
    for (int i = 0; i < SETTING_COUNT; i++) {
        const char *value = setting_text((enum setting)i);
        if (value)
            doctor_say(FINDING_NOTE, "%s is set to %s%s", setting_name((enum setting)i), value,
                       setting_is_for_tests((enum setting)i) ? ", which is for tests" : "");
    }
}

/* How many can be offered. */
static uint32_t check_devices(void)
{
    uint32_t offered = 0;
    struct vkb_instance *instance = vkb_instance_get();
    uint32_t count = vkb_instance_num_devices(instance);
    for (uint32_t i = 0; i < count; i++)
        offered += check_device(vkb_instance_device(instance, i));
    if (!instance) {
        doctor_say(FINDING_BAD, "the Vulkan loader makes no instance: it is older than 1.1, or no driver works");
        doctor_advise("VK_LOADER_DEBUG=all pumice info says what it tries.");
    } else if (!count) {
        doctor_say(FINDING_BAD, "Vulkan has no device");
        doctor_advise(
            "Is a driver installed for this GPU? VK_LOADER_DEBUG=all pumice info says what the loader tries.");
    } else if (!offered) {
        doctor_say(FINDING_BAD, "Pumice can use none of the Vulkan devices");
    }
    return offered;
}

static void check_cache(void)
{
    struct cache_folder folder;
    if (cache_folder_find(&folder, true))
        doctor_say(FINDING_GOOD, "compiled programs are kept in %s", folder.path);
    else if (!setting_on(SETTING_CACHE))
        doctor_say(FINDING_NOTE, "compiled programs are not kept: %s", folder.why_not);
    else {
        doctor_say(FINDING_BAD, "compiled programs cannot be kept%s%s: %s", folder.path[0] ? " in " : "", folder.path,
                   folder.why_not);
        doctor_advise("Every start of a program compiles anew. PUMICE_CACHE_DIR names another folder.");
    }
}

int doctor_main(int argc, char **argv)
{
    struct opencl_answer answer;
    uint32_t num_devices = 0;
    if (argc > 1) {
        bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
        if (!help)
            fprintf(stderr, "pumice doctor: unknown argument '%s'\n", argv[1]);
        fputs("usage: pumice doctor\nSays whether OpenCL programs see a device of Pumice's, and if not, why.\n"
              "It ends with 0 when all is well, and with 1 when something is to be mended.\n",
              help ? stdout : stderr);
        return help ? 0 : 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    doctor_opencl_ask(&answer);
    check_settings();
    if (check_vulkan_loader()) {
        check_drivers();
        check_render_nodes();
        num_devices = check_devices();
    }
    check_cache();
    doctor_opencl(&answer, num_devices);
    if (num_bad)
        printf("\n%u thing%s to mend.\n", num_bad, num_bad == 1 ? "" : "s");
    else
        puts("\nAll is well.");
    return num_bad ? 1 : 0;
}
