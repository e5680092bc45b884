/* See platform.h: what is asked of the objects that the process has loaded, where they are ELF. */
#include "platform.h"

#include "util.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __FreeBSD__
#include <sys/types.h>

#include <sys/sysctl.h>
#ifndef ElfW
#define ElfW(type) __ElfN(type)
#endif
#endif

static int begins_so(struct dl_phdr_info *info, size_t size, void *prefix)
{
    const char *folder = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = folder ? folder + 1 : info->dlpi_name ? info->dlpi_name : "";
    (void)size;
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool platform_has_library(const char *prefix)
{
    return dl_iterate_phdr(begins_so, (void *)(uintptr_t)prefix) != 0;
}

struct note {
    uint32_t name_size, data_size, type; /* the name and the data follow, each at a multiple of 4 */
};

enum { NOTE_BUILD_ID = 3 };

struct build_id {
    uintptr_t address; /* in the object that is asked for */
    uint8_t *id;
    size_t room, size;
};

static void read_notes(const struct dl_phdr_info *info, const ElfW(Phdr) * header, struct build_id *wanted)
{
    const char *at = (const char *)info->dlpi_addr + header->p_vaddr, *end = at + header->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(struct note)) {
        const struct note *note = (const struct note *)at;
        const char *name = at + sizeof(*note), *data = name + align_up(note->name_size, 4);
        if (note->type == NOTE_BUILD_ID && note->name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->data_size <= wanted->room) {
            memcpy(wanted->id, data, note->data_size);
            wanted->size = note->data_size;
            return;
        }
        at = data + align_up(note->data_size, 4);
    }
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct build_id *wanted = data;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        ours |= header->p_type == PT_LOAD && wanted->address >= start && wanted->address - start < header->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes(info, &info->dlpi_phdr[i], wanted);
    }
    return ours;
}

struct module {
    uintptr_t address, inside;
    char *path;
    size_t size;
    bool found;
};

static void program_path(char *path, size_t size)
{
#ifdef __FreeBSD__
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1};
    if (sysctl(name, ARRAY_LENGTH(name), path, &size, NULL, 0) != 0)
        *path = 0;
#else
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = 0;
#endif
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module *wanted = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !wanted->found; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        wanted->found = info->dlpi_phdr[i].p_type == PT_LOAD && wanted->address >= start &&
                        wanted->address - start < info->dlpi_phdr[i].p_memsz;
    }
    if (!wanted->found)
        return 0;
    wanted->inside = wanted->address - info->dlpi_addr;
    if (info->dlpi_name && *info->dlpi_name) {
        snprintf(wanted->path, wanted->size, "%s", info->dlpi_name);
    } else { /* the program has no name there */
        program_path(wanted->path, wanted->size);
    }
    return 1;
}

bool platform_module(const void *address, char *path, size_t size, uint64_t *inside)
{
    struct module wanted = {.address = (uintptr_t)address, .path = path, .size = size};
    dl_iterate_phdr(visit_module, &wanted);
    *inside = wanted.inside;
    return wanted.found && *path;
}

size_t platform_build_id(const void *address, uint8_t *id, size_t room)
{
    struct build_id wanted = {.address = (uintptr_t)address, .id = id, .room = room};
    dl_iterate_phdr(visit_object, &wanted);
    return wanted.size;
}
