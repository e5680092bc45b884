/* Results of probes, kept from process to process. */
#ifndef SRC_PROBE_PROBE_FILE_H
#define SRC_PROBE_PROBE_FILE_H

#include "vk/vk.h"

struct probe_file {
    const char *directory; /* the cache's; NULL: nothing is kept */
    const char *kind;      /* "probe": the beginning of the file's name */
    uint32_t revision;     /* of the probe: files of others are not read */
    const struct vkb_caps *caps;
};

/* What an earlier process stored for this device, driver, Pumice and revision. False: nothing, or a damaged file, and
 * result holds anything. Thread-safe. */
bool probe_file_load(const struct probe_file *file, void *result, size_t size);
void probe_file_store(const struct probe_file *file, const void *result, size_t size);

#endif
