/* Program binaries: a header with version and checksum, then the module's words. The checksum finds damage, not malice:
 * the words are checked as those of any foreign module are. Binaries are little-endian, like every host with Vulkan. */
#include "compiler/program/program.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define BINARY_VERSION 1

static const char magic[8] = {'P', 'u', 'm', 'i', 'c', 'e', '\r', '\n'};

struct header {
    char magic[8];
    uint32_t version, kind, flags, reserved;
    uint64_t num_words, checksum; /* of the words, seeded with the fields before */
};

static uint64_t checksum(const struct header *header, const void *words)
{
    uint64_t seed = hash_bytes64(header, offsetof(struct header, checksum), BINARY_VERSION);
    return hash_bytes64(words, (size_t)header->num_words * 4, seed);
}

enum clc_result clc_program_serialize(const struct clc_program *program, void **data, size_t *size)
{
    struct header header = {.version = BINARY_VERSION,
                            .kind = (uint32_t)program->kind,
                            .flags = program->flags,
                            .num_words = program->num_words};
    memcpy(header.magic, magic, sizeof(magic));
    header.checksum = checksum(&header, program->words);
    *size = sizeof(header) + program->num_words * 4;
    char *bytes = malloc(*size);
    *data = bytes;
    if (!bytes)
        return CLC_OUT_OF_MEMORY;
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + sizeof(header), program->words, program->num_words * 4);
    return CLC_SUCCESS;
}

static bool read_header(const void *data, size_t size, struct header *header)
{
    if (size < sizeof(*header))
        return false;
    memcpy(header, data, sizeof(*header));
    return !memcmp(header->magic, magic, sizeof(magic)) && header->version == BINARY_VERSION &&
           header->kind <= CLC_PROGRAM_EXECUTABLE && !(header->flags & ~(uint32_t)PROGRAM_ALL_FLAGS) &&
           header->num_words == (size - sizeof(*header)) / 4 && (size - sizeof(*header)) % 4 == 0;
}

static bool load(struct clc_program *program, const struct header *header, const void *data)
{
    uint32_t *words = arena_array(&program->arena, uint32_t, header->num_words);
    memcpy(words, (const char *)data + sizeof(*header), header->num_words * 4);
    if (checksum(header, words) != header->checksum)
        return false;
    const char *error = NULL;
    program->kind = (enum clc_program_kind)header->kind;
    program->flags = header->flags;
    program->module = spv_read(&program->arena, words, header->num_words, &error);
    if (!program->module || spv_check(program->module) || program_check(&program->arena, program->module) ||
        program_derive(program))
        return false;
    program->words = words; /* saved again as they were, not as the reader has simplified the module */
    program->num_words = header->num_words;
    return true;
}

enum clc_result clc_program_deserialize(const void *data, size_t size, struct clc_program **program)
{
    struct header header;
    jmp_buf out_of_memory;
    *program = NULL;
    if (!data || !read_header(data, size, &header))
        return CLC_INVALID_BINARY;
    struct clc_program *made = program_create(&out_of_memory, (size_t)1 << 30);
    if (!made)
        return CLC_OUT_OF_MEMORY;
    if (setjmp(out_of_memory)) {
        clc_program_release(made);
        return CLC_OUT_OF_MEMORY;
    }
    if (!load(made, &header, data)) {
        clc_program_release(made);
        return CLC_INVALID_BINARY;
    }
    made->arena.out_of_memory = NULL;
    *program = made;
    return CLC_SUCCESS;
}
