/* The half of `pumice doctor` (doctor.h) between the OpenCL loader and a program.
 *
 * The loader is asked by a child process, because it loads every vendor's library, and one that crashes or hangs must
 * not end the report; it is even what has to be said. */
#include "doctor.h"
#include "start.h"

#include "base/platform.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

/* ---- the child ---- */

/* Writes "@" or, where the library is Pumice itself, "=", and the loader's path; then a line for each platform: the
 * number of its devices, a space, its name. Or "!" and why there is no loader. */
static void ask_loader(FILE *out)
{
    void *library = dlopen(OPENCL_LOADER, RTLD_LAZY | RTLD_LOCAL);
    cl_int (*get_platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
    cl_int (*get_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) = NULL;
    cl_int (*get_devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *) = NULL;
    if (library) {
        *(void **)&get_platforms = dlsym(library, "clGetPlatformIDs");
        *(void **)&get_info = dlsym(library, "clGetPlatformInfo");
        *(void **)&get_devices = dlsym(library, "clGetDeviceIDs");
    }
    if (!get_platforms || !get_info || !get_devices) {
        fprintf(out, "!%s\n", library ? OPENCL_LOADER " is no OpenCL loader" : dlerror());
        return;
    }
    Dl_info info;
    if (dladdr(*(void **)&get_platforms, &info) && info.dli_fname)
        fprintf(out, "%c%s\n", dlsym(library, "clIcdGetPlatformIDsKHR") ? '=' : '@', info.dli_fname);
    fflush(out); /* the next call loads other people's libraries */
    cl_platform_id platforms[64];
    cl_uint count = 0;
    if (get_platforms(64, platforms, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < 64; i++) {
        char name[256] = "";
        cl_uint devices = 0;
        get_info(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (get_devices(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) != CL_SUCCESS)
            devices = 0;
        fprintf(out, "%u %s\n", devices, name);
        fflush(out);
    }
}

void doctor_opencl_ask(struct opencl_answer *answer)
{
    int ends[2];
    *answer = (struct opencl_answer){.pipe = -1, .child = -1};
    if (!start_pipe(ends))
        return;
    fflush(stdout);
    answer->child = fork();
    if (answer->child == 0) {
        setenv("PUMICE_LOG", "error", 0); /* what there is to warn of, the parent says */
        FILE *out = fdopen(ends[1], "w");
        if (out) {
            ask_loader(out);
            fflush(out);
        }
        _exit(0); /* without the drivers' exit handlers: the answer is given */
    }
    close(ends[1]);
    answer->pipe = ends[0];
}

/* All that the child wrote, and how it ended. */
static void hear(struct opencl_answer *answer, char *text, size_t size)
{
    size_t length = 0;
    int status = 0;
    bool late = false;
    while (length + 1 < size) {
        struct pollfd wait = {.fd = answer->pipe, .events = POLLIN};
        int ready = poll(&wait, 1, PATIENCE_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        late = ready == 0;
        ssize_t got = ready > 0 ? read(answer->pipe, text + length, size - 1 - length) : 0;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = 0;
    if (late && answer->child > 0)
        kill(answer->child, SIGKILL);
    if (answer->child > 0)
        waitpid(answer->child, &status, 0);
    if (answer->pipe >= 0)
        close(answer->pipe);
    if (late)
        doctor_say(FINDING_BAD, "the OpenCL loader, or a driver that it loads, did not answer within a minute");
    else if (WIFSIGNALED(status))
        doctor_say(FINDING_BAD, "a program that lists the OpenCL platforms crashes (%s)", strsignal(WTERMSIG(status)));
    if (late || WIFSIGNALED(status))
        doctor_advise(
            "One of the libraries that the .icd files name is broken. OCL_ICD_VENDORS=FILE.icd tries one alone.");
}

/* ---- .icd files ---- */

struct icds {
    unsigned found, ours, ours_broken;
};

static bool is_ours(const char *library)
{
    const char *slash = strrchr(library, '/');
    return strstr(slash ? slash + 1 : library, "pumice") != NULL;
}

static void check_library(const char *library, const char *icd, struct icds *icds)
{
    bool ours = is_ours(library);
    const char *why = doctor_load(library);
    icds->found++;
    icds->ours += ours;
    if (!why) {
        if (ours)
            doctor_say(FINDING_GOOD, "%s names Pumice's library, and it can be loaded", icd);
        return;
    }
    icds->ours_broken += ours;
    doctor_say(ours ? FINDING_BAD : FINDING_NOTE, "%s names a library that cannot be loaded: %s", icd, why);
}

static void check_icd(const char *path, struct icds *icds)
{
    char line[PATH_MAX] = "";
    FILE *file = fopen(path, "re");
    if (!file) {
        doctor_say(FINDING_BAD, "%s cannot be read: %s", path, strerror(errno));
        return;
    }
    if (!fgets(line, sizeof(line), file))
        line[0] = 0;
    fclose(file);
    line[strcspn(line, "\r\n")] = 0;
    if (line[0])
        check_library(line, path, icds);
    else
        doctor_say(FINDING_BAD, "%s is empty: it should hold one line, the library's path", path);
}

static void check_icd_folder(const char *folder, struct icds *icds)
{
    char pattern[PATH_MAX + 16];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s/*.icd", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_icd(found.gl_pathv[i], icds);
    globfree(&found);
}

/* OCL_ICD_VENDORS: a folder, a file *.icd, or (ocl-icd) a library. */
static void check_vendors(const char *value, struct icds *icds)
{
    struct stat st;
    size_t length = strlen(value);
    bool is_icd = length > 4 && !strcmp(value + length - 4, ".icd");
    bool there = stat(value, &st) == 0;
    doctor_say(FINDING_NOTE, "OCL_ICD_VENDORS is set to %s: the OpenCL loader looks there and nowhere else", value);
    if (there && S_ISDIR(st.st_mode))
        check_icd_folder(value, icds);
    else if (is_icd && there)
        check_icd(value, icds);
    else if (!is_icd && *value && (there || !strchr(value, '/')))
        check_library(value, "OCL_ICD_VENDORS", icds);
    else {
        doctor_say(FINDING_BAD, "OCL_ICD_VENDORS names what is not there: '%s'", value);
        doctor_advise("Unset it, or let it name a folder with .icd files or one such file.");
    }
}

static void check_icds(struct icds *icds)
{
    const char *vendors = getenv("OCL_ICD_VENDORS"), *files = getenv("OCL_ICD_FILENAMES"),
               *other = getenv("OPENCL_VENDOR_PATH");
    if (vendors)
        check_vendors(vendors, icds);
    else
        check_icd_folder(other && *other ? other : "/etc/OpenCL/vendors", icds);
    if (!vendors && other && *other)
        doctor_say(FINDING_NOTE, "OPENCL_VENDOR_PATH is set to %s: .icd files are looked for there", other);
    if (files && *files) {
        doctor_say(FINDING_NOTE, "OCL_ICD_FILENAMES is set to %s: these libraries are loaded, too", files);
        char *copy = strdup(files), *rest = copy;
        for (char *word; copy && (word = strsep(&rest, ":"));) {
            if (*word)
                check_library(word, "OCL_ICD_FILENAMES", icds);
        }
        free(copy);
    }
}

/* An .icd of ours that the loader does not look at: in the build tree beside this program, or under another prefix. */
static void advise_icd(bool vendors_set)
{
    static const char *const beside[] = {"../pumice.icd", "../etc/OpenCL/vendors/pumice.icd",
                                         "../../etc/OpenCL/vendors/pumice.icd"};
    static const char *const usual[] = {"/etc/OpenCL/vendors/pumice.icd", "/usr/local/etc/OpenCL/vendors/pumice.icd",
                                        "/opt/pumice/etc/OpenCL/vendors/pumice.icd"};
    char self[PATH_MAX], path[PATH_MAX], real[PATH_MAX] = "";
    uint64_t inside;
    char *slash =
        platform_module((const void *)(uintptr_t)advise_icd, self, sizeof(self), &inside) ? strrchr(self, '/') : NULL;
    for (int i = 0; i < 3 && slash && !real[0]; i++) {
        if (snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - self), self, beside[i]) < PATH_MAX &&
            !realpath(path, real))
            real[0] = 0;
    }
    for (int i = 0; i < 3 && !real[0]; i++) {
        if (access(usual[i], R_OK) == 0)
            strcpy(real, usual[i]);
    }
    if (real[0] && vendors_set)
        doctor_advise("There is one at %s: set OCL_ICD_VENDORS to it.", real);
    else if (real[0])
        doctor_advise("There is one at %s: copy it to /etc/OpenCL/vendors, or export OCL_ICD_VENDORS=%s", real, real);
    else
        doctor_advise("Installing Pumice with --sysconfdir=/etc puts it into /etc/OpenCL/vendors.");
}

void doctor_opencl(struct opencl_answer *answer, uint32_t num_devices)
{
    char text[16384];
    struct icds icds = {0};
    unsigned ours = 0, devices = 0;
    check_icds(&icds);
    bool bad_icd = !icds.ours;
    hear(answer, text, sizeof(text));
    if (text[0] == '!') {
        text[strcspn(text, "\n")] = 0;
        doctor_say(FINDING_BAD, "there is no OpenCL loader: %s", text + 1);
        doctor_advise(
            "Install one (Debian: ocl-icd-libopencl1), or build Pumice with -Dopencl-lib=true, which needs none.");
        return;
    }
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char name[257] = "";
        unsigned count = 0;
        if (line[0] == '=')
            doctor_say(FINDING_NOTE, "%s is Pumice itself, not a loader: .icd files are not looked at", line + 1);
        else if (line[0] == '@')
            doctor_say(FINDING_GOOD, "the OpenCL loader is %s", line + 1);
        if (sscanf(line, "%u %256[^\n]", &count, name) < 1)
            continue;
        if (!strcmp(name, "Pumice")) {
            ours++;
            devices += count;
        } else
            doctor_say(FINDING_NOTE, "there is another OpenCL platform: %s, with %u device%s", name, count,
                       count == 1 ? "" : "s");
    }
    if (ours && devices) {
        doctor_say(FINDING_GOOD, "OpenCL programs see the platform Pumice with %u device%s", devices,
                   devices == 1 ? "" : "s");
        return;
    }
    if (ours)
        doctor_say(FINDING_BAD, "OpenCL programs see the platform Pumice, without devices%s",
                   num_devices ? ", though Vulkan has one that would do" : "");
    else
        doctor_say(FINDING_BAD, "OpenCL programs do not see Pumice: %s",
                   bad_icd            ? "no .icd file where the loader looks names libpumice.so"
                   : icds.ours_broken ? "its library cannot be loaded"
                                      : "the loader did not take it");
    if (!ours && bad_icd)
        advise_icd(getenv("OCL_ICD_VENDORS") != NULL);
}
