/* See platform.h: what is asked of the objects that the process has loaded, on macOS. */
#include "platform.h"

#include <dlfcn.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool platform_has_library(const char *prefix)
{
    for (uint32_t i = 0; i < _dyld_image_count(); i++) {
        const char *path = _dyld_get_image_name(i); /* NULL: it has been unloaded meanwhile */
        const char *slash = path ? strrchr(path, '/') : NULL;
        if (path && strncmp(slash ? slash + 1 : path, prefix, strlen(prefix)) == 0)
            return true;
    }
    return false;
}

/* The header of the object in which the address lies, or NULL. */
static const struct mach_header_64 *find_header(const void *address, const char **path)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fbase)
        return NULL;
    *path = info.dli_fname;
    return info.dli_fbase;
}

/* The first command of that kind, if it is a segment the one of that name; NULL: there is none. */
static const struct load_command *find_command(const struct mach_header_64 *header, uint32_t kind, const char *segment)
{
    const char *at = (const char *)(header + 1), *end = at + header->sizeofcmds;
    for (uint32_t i = 0; i < header->ncmds && at + sizeof(struct load_command) <= end; i++) {
        const struct load_command *command = (const struct load_command *)at;
        if (command->cmd == kind &&
            (!segment || strncmp(((const struct segment_command_64 *)at)->segname, segment, 16) == 0))
            return command;
        at += command->cmdsize;
    }
    return NULL;
}

bool platform_module(const void *address, char *path, size_t size, uint64_t *inside)
{
    const char *name = NULL;
    const struct mach_header_64 *header = find_header(address, &name);
    *path = 0;
    *inside = 0;
    if (!header || !name)
        return false;
    const struct load_command *text = find_command(header, LC_SEGMENT_64, SEG_TEXT);
    uint64_t start = text ? ((const struct segment_command_64 *)text)->vmaddr : 0; /* where the file wants its header */
    *inside = (uint64_t)((uintptr_t)address - (uintptr_t)header) + start;
    char full[PATH_MAX]; /* the program's name may be the one that it was started by */
    snprintf(path, size, "%s", realpath(name, full) ? full : name);
    return *path;
}

size_t platform_build_id(const void *address, uint8_t *id, size_t room)
{
    const char *name;
    const struct mach_header_64 *header = find_header(address, &name);
    const struct load_command *command = header ? find_command(header, LC_UUID, NULL) : NULL;
    const struct uuid_command *uuid = (const struct uuid_command *)command;
    if (!uuid || sizeof(uuid->uuid) > room)
        return 0;
    memcpy(id, uuid->uuid, sizeof(uuid->uuid));
    return sizeof(uuid->uuid);
}
