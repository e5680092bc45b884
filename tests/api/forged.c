/* Entries of the program cache that somebody has forged, checksum and all: whatever they say, the program is compiled
 * instead and the entry replaced. Each case is a process of its own, since the library reads its settings once. */
#include "api_test.h"

#include "base/map.h"
#include "compiler/clc.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* As src/build/cache.c and src/build/cache_lowered.c write them. */
struct entry_header {
    uint32_t magic, num_codes;
    uint64_t total, key_size, program_size, log_size, checksum;
};

struct fixed {
    uint32_t block_size, local_size, local_args_offset, scratch_size;
    int32_t launch_offset[CLC_LAUNCH_COUNT];
    uint32_t flags;
};

static char directory[64] = "/tmp/pumice-forged-test-XXXXXX";

static int child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_CACHE_DIR", directory, 1);
        setenv("PUMICE_CACHE", "1", 1);
        open_device(0);
        cl_program program = build("kernel void f(global int *o, local int *l, int n) { l[get_local_id(0)] = n;\n"
                                   "o[get_global_id(0)] = l[get_local_id(0)] + get_num_groups(0) - 1; }",
                                   "");
        cl_kernel kernel = clCreateKernel(program, "f", NULL);
        cl_mem out = buffer_of(0, 4, NULL);
        int back = -1, n = 42;
        clSetKernelArg(kernel, 0, sizeof(out), &out);
        clSetKernelArg(kernel, 1, 256, NULL);
        clSetKernelArg(kernel, 2, sizeof(n), &n);
        clEnqueueTask(queue, kernel, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL);
        _exit(back);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool find_entry(char path[512])
{
    DIR *dir = opendir(directory);
    bool found = false;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".pcc") != 0)
            continue;
        snprintf(path, 512, "%s/%s", directory, entry->d_name);
        found = true;
    }
    if (dir)
        closedir(dir);
    return found;
}

static uint8_t *read_entry(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    NEED(file && fstat(fileno(file), &st) == 0);
    *size = (size_t)st.st_size;
    uint8_t *data = malloc(*size);
    NEED(data && fread(data, 1, *size, file) == *size);
    fclose(file);
    return data;
}

static void write_entry(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    NEED(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void forge(struct fixed *fixed, uint32_t *words, int way)
{
    switch (way) {
    case 0: /* launch values: inside at their start, outside at their end */
        for (int i = 0; i < CLC_LAUNCH_COUNT; i++) {
            if (fixed->launch_offset[i] >= 0)
                fixed->launch_offset[i] = (int32_t)fixed->block_size - 4;
        }
        break;
    case 1:
        fixed->block_size += 2;
        break;
    case 2:
        fixed->block_size = 0x7ffffffc;
        break;
    case 3:
        fixed->block_size = 4;
        break;
    case 4:
        fixed->local_size = UINT32_MAX;
        break;
    case 5:
        fixed->local_args_offset = UINT32_MAX - 15;
        break;
    case 6: /* no local arguments after all */
        fixed->flags &= ~4u;
        break;
    case 7:
        words[0] = 0;
        break;
    case 8: /* without the launch values that this needs */
        fixed->flags |= 128;
        break;
    case 9: /* an instruction of no words */
        words[5] &= 0xffff;
        break;
    default:
        words[5] |= 0xffff0000;
    }
}

int main(void)
{
    enum { NUM_WAYS = 11 };
    NEED(mkdtemp(directory));
    int first = child();
    if (first == 77)
        return 77;
    char path[512];
    CHECK(first == 42);
    NEED(find_entry(path));
    size_t size, new_size;
    uint8_t *good = read_entry(path, &size), *bad = malloc(size);
    NEED(bad);
    for (int way = 0; way < NUM_WAYS; way++) {
        memcpy(bad, good, size);
        struct entry_header *header = (struct entry_header *)bad;
        uint8_t *code = bad + sizeof(*header) + header->key_size + header->program_size + header->log_size + 8;
        struct fixed fixed;
        memcpy(&fixed, code, sizeof(fixed));
        uint32_t words[6];
        memcpy(words, code + sizeof(fixed) + 4, sizeof(words));
        forge(&fixed, words, way);
        memcpy(code, &fixed, sizeof(fixed));
        memcpy(code + sizeof(fixed) + 4, words, sizeof(words));
        header->checksum = hash_bytes64(bad + sizeof(*header), size - sizeof(*header), 1);
        write_entry(path, bad, size);
        int result = child();
        uint8_t *now = read_entry(path, &new_size);
        if (result != 42 || new_size != size || memcmp(now, good, size) != 0) {
            printf("forged in way %d: %d, and the entry is%s the good one\n", way, result,
                   new_size == size && !memcmp(now, good, size) ? "" : " not");
            test_failures++;
        }
        free(now);
    }
    free(good);
    free(bad);
    unlink(path);
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    CHECK(system(command) == 0);
    return test_failures ? 1 : 0;
}
