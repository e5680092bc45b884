/* Where this process keeps caches on disk, and the build id of this library, which the keys of entries hold. Without a
 * build id there is no cache: an entry of another build could be taken for one of ours. */
#include "src/device/cache_directory.h"
#include "src/probe/cache_folder.h"

#include "base/log.h"
#include "base/util.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

static struct {
    pthread_once_t once;
    char directory[sizeof(((struct cache_folder *)0)->path)]; /* "" when there is no cache */
    uint8_t build_id[32];
    size_t build_id_size;
} cache = {.once = PTHREAD_ONCE_INIT};

static void note_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * header)
{
    const char *at = (const char *)info->dlpi_addr + header->p_vaddr, *end = at + header->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof(*note), *data = name + align_up(note->n_namesz, 4);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->n_descsz <= sizeof(cache.build_id)) {
            memcpy(cache.build_id, data, note->n_descsz);
            cache.build_id_size = note->n_descsz;
            return;
        }
        at = data + align_up(note->n_descsz, 4);
    }
}

/* The build id of the object that this code lies in. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    uintptr_t here = (uintptr_t)&cache;
    bool ours = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        ours |= header->p_type == PT_LOAD && here >= start && here - start < header->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            note_build_id(info, &info->dlpi_phdr[i]);
    }
    return ours;
}

static void find_directory(void)
{
    struct cache_folder folder;
    dl_iterate_phdr(visit_object, NULL);
    if (cache_folder_find(&folder, true) && cache.build_id_size)
        strcpy(cache.directory, folder.path);
    else if (folder.path[0])
        log_at(folder.open_to_others ? LOG_WARN : LOG_INFO, "the cache folder %s is not used: %s", folder.path,
               folder.why_not);
}

const char *ocl_cache_directory(void)
{
    pthread_once(&cache.once, find_directory);
    return cache.directory[0] ? cache.directory : NULL;
}

const uint8_t *ocl_build_id(size_t *size)
{
    pthread_once(&cache.once, find_directory);
    *size = cache.build_id_size;
    return cache.build_id;
}
