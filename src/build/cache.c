/* The on-disk cache of compiled programs: $PUMICE_CACHE_DIR, else $XDG_CACHE_HOME/pumice, else ~/.cache/pumice;
 * PUMICE_CACHE=0 turns it off. The directory must be the user's, and nobody else may write to it: what lies there is
 * given to the driver.
 *
 * An entry is one file: header with checksum, the whole key, and what the build made (the clc_program, its log, each
 * lowered kernel). The file's name is a hash of the key. The key itself is compared, so a collision is a miss and never
 * a wrong program. The key holds everything that decides the result: Pumice's version and the build id of this very
 * library, the device's target description, options, and the source. A source that includes files is keyed on its
 * preprocessed text, so that a changed header is a changed key. Entries are written aside and renamed: a reader sees a
 * whole file or none, and a writer that is killed leaves only a temporary file, which a later clean-up removes. No
 * failure here is an error: the program is compiled instead. */
#include "src/build/admit.h"
#include "src/build/cache.h"
#include "src/device/cache_directory.h"
#include "src/device/device.h"
#include "src/object/program.h"
#include "src/probe/cache_folder.h"

#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_MAGIC 0x31434350u /* "PCC1" */
#define ENTRY_LIMIT (64ull << 20)

struct entry_header {
    uint32_t magic, num_codes;
    uint64_t total; /* bytes of the file */
    uint64_t key_size, program_size, log_size;
    uint64_t checksum; /* of everything behind the header */
};

/* ---- keys ---- */

struct bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

static void put(struct bytes *bytes, const void *data, size_t size)
{
    if (bytes->failed || size == 0)
        return;
    if (size > bytes->capacity - bytes->size) {
        size_t capacity = (bytes->capacity + size) * 2;
        uint8_t *grown = realloc(bytes->data, capacity);
        if (!grown) {
            bytes->failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_text(struct bytes *bytes, const char *text)
{
    uint64_t length = strlen(text);
    put(bytes, &length, sizeof(length));
    put(bytes, text, length);
}

/* Adds the target without its pointers, and then what these point to. */
static void put_target(struct bytes *bytes, const struct clc_target *target)
{
    struct clc_target plain;
    memcpy(&plain, target, sizeof(plain));
    plain.extensions = plain.features = NULL;
    put(bytes, &plain, sizeof(plain));
    put_text(bytes, target->extensions);
    put_text(bytes, target->features);
}

/* Whether the text may include files. In doubt it says yes: a line splice or trigraph could hide the word. */
static bool may_include(const char *text)
{
    return strstr(text, "include") || strstr(text, "\\\n") || strstr(text, "\\\r") || strstr(text, "\?\?");
}

static bool depends_on_time(const char *text)
{
    return strstr(text, "__DATE__") || strstr(text, "__TIME");
}

bool ocl_cache_key_init(struct ocl_cache_key *key, const struct clc_compile_args *args)
{
    *key = (struct ocl_cache_key){0};
    const char *source = args->strings[0];
    /* Checked kernels have much that is not kept. */
    if (!ocl_cache_directory() || args->target->checks || args->target->robust || depends_on_time(source) ||
        depends_on_time(args->options))
        return false;
    struct bytes bytes = {0};
    put_text(&bytes, PUMICE_VERSION);
    size_t id_size;
    const uint8_t *id = ocl_build_id(&id_size);
    put(&bytes, id, id_size);
    put_text(&bytes, args->compile_only ? "compile" : "build");
    put_target(&bytes, args->target);
    put_text(&bytes, args->options);
    bool includes = args->num_headers > 0 || may_include(source);
    if (includes) {
        char *text = NULL, *log = NULL;
        struct clc_compile_args plain = *args;
        plain.timing = NULL;
        bool fine = clc_preprocess(&plain, &text, &log) == CLC_SUCCESS && text && !depends_on_time(text);
        if (fine)
            put_text(&bytes, text);
        free(text);
        free(log);
        bytes.failed |= !fine;
    } else {
        put_text(&bytes, source);
    }
    if (bytes.failed) {
        free(bytes.data);
        return false;
    }
    key->data = bytes.data;
    key->size = bytes.size;
    key->hash[0] = hash_bytes64(key->data, key->size, 0x9e3779b97f4a7c15u);
    key->hash[1] = hash_bytes64(key->data, key->size, 0xc2b2ae3d27d4eb4fu);
    return true;
}

void ocl_cache_key_finish(struct ocl_cache_key *key)
{
    free(key->data);
    key->data = NULL;
}

static void entry_path(const struct ocl_cache_key *key, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%016llx%016llx.pcc", ocl_cache_directory(), (unsigned long long)key->hash[0],
             (unsigned long long)key->hash[1]);
}

/* ---- reading ---- */

static uint8_t *read_file(const char *path, size_t *size)
{
    uint64_t length;
    int fd = file_open(path, &length);
    if (fd < 0)
        return NULL;
    uint8_t *data = NULL;
    if (length >= sizeof(struct entry_header) && length <= ENTRY_LIMIT) {
        *size = (size_t)length;
        data = malloc(*size);
        if (data && !file_read(fd, data, *size)) {
            free(data);
            data = NULL;
        }
    }
    if (data)
        futimens(fd, NULL); /* recently used: the clean-up takes it last */
    close(fd);
    return data;
}

/* The kernels of an entry, each a size and its bytes; they must fit the program's kernels in number and arguments. */
static bool read_codes(const uint8_t *at, const uint8_t *end, uint32_t count, struct ocl_build *build)
{
    if (count != clc_program_num_kernels(build->program))
        return false;
    build->codes = calloc(count ? count : 1, sizeof(build->codes[0]));
    if (!build->codes)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size;
        if (end - at < (ptrdiff_t)sizeof(size))
            return false;
        memcpy(&size, at, sizeof(size));
        at += sizeof(size);
        if (size > (uint64_t)(end - at))
            return false;
        struct ocl_code *code = &build->codes[i];
        code->info = clc_program_kernel(build->program, i);
        code->lowered = ocl_lowered_read(at, size, code->info->num_args, &code->cached);
        if (!code->lowered)
            return false;
        pthread_mutex_init(&code->mutex, NULL);
        atomic_init(&code->ready, false);
        build->num_codes = i + 1;
        at += size;
    }
    return at == end;
}

static bool parse_entry(const struct ocl_cache_key *key, const uint8_t *data, size_t size, struct ocl_build *build)
{
    struct entry_header header;
    memcpy(&header, data, sizeof(header));
    const uint8_t *at = data + sizeof(header), *end = data + size;
    uint64_t left = size - sizeof(header);
    if (header.magic != CACHE_MAGIC || header.total != size || header.key_size != key->size || header.key_size > left ||
        header.program_size > left - header.key_size ||
        header.log_size > left - header.key_size - header.program_size || header.checksum != hash_bytes64(at, left, 1))
        return false;
    if (memcmp(at, key->data, key->size) != 0)
        return false;
    at += key->size;
    if (clc_program_deserialize(at, header.program_size, &build->program) != CLC_SUCCESS) {
        build->program = NULL;
        return false;
    }
    at += header.program_size;
    build->log = strndup((const char *)at, header.log_size);
    at += header.log_size;
    bool executable = clc_program_kind(build->program) == CLC_PROGRAM_EXECUTABLE;
    return build->log && (executable ? read_codes(at, end, header.num_codes, build) : at == end);
}

static void log_refusal(void *data, const char *kernel, const char *reason)
{
    (void)data;
    log_info("cache: %s: %s", kernel ? kernel : "the program's variables", reason);
}

bool ocl_cache_load(const struct ocl_cache_key *key, cl_device_id device, struct ocl_build *build)
{
    char path[PATH_MAX];
    entry_path(key, path);
    size_t size;
    uint8_t *data = read_file(path, &size);
    if (!data)
        return false;
    char *options = build->options;
    bool loaded = parse_entry(key, data, size, build) && ocl_admit(build, device, log_refusal, NULL);
    if (!loaded) {
        log_info("cache: %s is damaged or of another program; it will be replaced", path);
        build->options = NULL;
        ocl_build_finish(build);
        build->options = options;
    }
    free(data);
    return loaded;
}

/* ---- writing ---- */

void ocl_cache_store(const struct ocl_cache_key *key, const struct ocl_build *build)
{
    static atomic_uint stores;
    void *program;
    struct entry_header header = {.magic = CACHE_MAGIC, .num_codes = build->num_codes, .key_size = key->size};
    size_t program_size;
    if (clc_program_serialize(build->program, &program, &program_size) != CLC_SUCCESS)
        return;
    header.program_size = program_size;
    header.log_size = build->log ? strlen(build->log) : 0;
    struct bytes bytes = {0};
    put(&bytes, &header, sizeof(header));
    put(&bytes, key->data, key->size);
    put(&bytes, program, program_size);
    put(&bytes, build->log, header.log_size);
    free(program);
    for (uint32_t i = 0; i < build->num_codes && !bytes.failed; i++) {
        uint8_t *lowered;
        size_t size;
        if (!ocl_lowered_write(build->codes[i].lowered, build->codes[i].info->num_args, &lowered, &size)) {
            bytes.failed = true;
            break;
        }
        uint64_t size64 = size;
        put(&bytes, &size64, sizeof(size64));
        put(&bytes, lowered, size);
        free(lowered);
    }
    if (!bytes.failed && bytes.size <= ENTRY_LIMIT) {
        header.total = bytes.size;
        header.checksum = hash_bytes64(bytes.data + sizeof(header), bytes.size - sizeof(header), 1);
        memcpy(bytes.data, &header, sizeof(header));
        char path[PATH_MAX];
        entry_path(key, path);
        file_replace(path, &(struct file_part){bytes.data, bytes.size}, 1, false);
        const uint64_t limit = cache_folder_programs_limit();
        if (atomic_fetch_add(&stores, 1) % 64 == 0)
            cache_folder_trim(ocl_cache_directory(), false, limit, limit / 4 * 3);
    }
    free(bytes.data);
}
