/* Where probes keep what they found: a file in the cache's folder, named by a hash of the device's, driver's and
 * Pumice's identity, written aside and renamed. */
#include "src/probe/probe_file.h"

#include "base/file.h"
#include "base/map.h"
#include "base/util.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything that may change the result. The file is named by its bytes, so padding has to be zero. */
struct identity {
    char pumice[32];
    uint32_t revision, vendor, device, driver, driver_version, api_version;
    uint8_t device_uuid[16], driver_uuid[16], pipeline_uuid[16];
    char driver_info[256];
    uint64_t processor; /* of a driver that computes on the host; else 0 */
};

struct head {
    uint64_t checksum; /* of the identity and of what follows it */
    struct identity identity;
};

/* A hash of the first processor's model as /proc/cpuinfo has it. llvmpipe's code depends on it (on some processors it
 * rounds doubles wrongly, on others not), and one home directory may serve several hosts. */
static uint64_t processor_hash(void)
{
    static const char *const kinds[] = {"model name", "flags", "CPU implementer", "CPU part", "Features",
                                        "isa",        "uarch"};
    bool seen[ARRAY_LENGTH(kinds)] = {false};
    uint64_t hash = 1;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        for (uint32_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
            if (!seen[i] && strncmp(line, kinds[i], strlen(kinds[i])) == 0) {
                seen[i] = true;
                hash = hash_bytes64(line, (size_t)length, hash);
            }
        }
    }
    free(line);
    if (file)
        fclose(file);
    return hash;
}

static void identify(const struct vkb_caps *caps, uint32_t revision, struct identity *identity)
{
    memset(identity, 0, sizeof(*identity));
    snprintf(identity->pumice, sizeof(identity->pumice), "%s", PUMICE_VERSION);
    identity->revision = revision;
    identity->vendor = caps->vendor_id;
    identity->device = caps->device_id;
    identity->driver = caps->driver_id;
    identity->driver_version = caps->driver_version;
    identity->api_version = caps->api_version;
    memcpy(identity->device_uuid, caps->device_uuid, sizeof(identity->device_uuid));
    memcpy(identity->driver_uuid, caps->driver_uuid, sizeof(identity->driver_uuid));
    memcpy(identity->pipeline_uuid, caps->pipeline_cache_uuid, sizeof(identity->pipeline_uuid));
    snprintf(identity->driver_info, sizeof(identity->driver_info), "%s", caps->driver_info);
    if (caps->type == VKB_DEVICE_CPU)
        identity->processor = processor_hash();
}

static uint64_t checksum_of(const struct head *head, const void *result, size_t size)
{
    return hash_bytes64(result, size, hash_bytes64(&head->identity, sizeof(head->identity), 1));
}

/* False: there is no folder. */
static bool find(const struct probe_file *file, struct head *head, char path[PATH_MAX])
{
    if (!file->directory)
        return false;
    memset(head, 0, sizeof(*head));
    identify(file->caps, file->revision, &head->identity);
    uint64_t hash = hash_bytes64(&head->identity, sizeof(head->identity), 1);
    return snprintf(path, PATH_MAX, "%s/%s-%016llx", file->directory, file->kind, (unsigned long long)hash) <
           PATH_MAX - 8;
}

bool probe_file_load(const struct probe_file *file, void *result, size_t size)
{
    struct head head, found;
    char path[PATH_MAX];
    if (!find(file, &head, path))
        return false;
    int fd = file_open(path, NULL);
    if (fd < 0)
        return false;
    bool whole = file_read(fd, &found, sizeof(found)) && file_read(fd, result, size);
    close(fd);
    return whole && memcmp(&found.identity, &head.identity, sizeof(head.identity)) == 0 &&
           found.checksum == checksum_of(&found, result, size);
}

void probe_file_store(const struct probe_file *file, const void *result, size_t size)
{
    struct head head;
    char path[PATH_MAX];
    if (!find(file, &head, path))
        return;
    head.checksum = checksum_of(&head, result, size);
    file_replace(path, (const struct file_part[]){{&head, sizeof(head)}, {result, size}}, 2, false);
}
