/* Programs from sources, IL and binaries, ours and changed ones: compiled, built, linked, specialised. */
#include "tests/fuzz/api/api.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static const char *const options[] = {"",
                                      "-cl-std=CL3.0",
                                      "-cl-std=CL1.2 -cl-kernel-arg-info",
                                      "-cl-opt-disable",
                                      "-cl-fast-relaxed-math -DN=1",
                                      "-Werror -w",
                                      "-create-library",
                                      "-create-library -enable-link-options",
                                      "-I /nonexistent -D X",
                                      "-nonsense",
                                      "-cl-std=CL9.9",
                                      "-D"};

static const char *some_options(void)
{
    return options[api_chance(3) ? api_byte() % ARRAY_LENGTH(options) : api_byte() % 3];
}

/* SPIR-V of: kernel void seven(global int *out) { *out = 7; }, where the 7 is specialisation constant 5. */
static const uint32_t il[] = {
    0x7230203,  0x10000, 0,       9, 0,       0x20011, 4, 0x20011, 6,       0x3000e, 2, 2,       0x5000f, 6,      1,
    0x65766573, 0x6e,    0x30003, 3, 0x18e70, 0x40047, 2, 1,       5,       0x20013, 3, 0x40015, 4,       0x20,   0,
    0x40020,    5,       5,       4, 0x40021, 6,       3, 5,       0x40032, 4,       2, 7,       0x50036, 3,      1,
    0,          6,       0x30037, 5, 7,       0x200f8, 8, 0x5003e, 7,       2,       2, 4,       0x100fd, 0x10038};

/* ---- creation ---- */

static void make_source(void)
{
    static char text[API_MAX_SOURCE * 2];
    uint8_t choice = api_byte();
    uint32_t from = choice < 128 ? choice % api_num_safe : choice % api_num_sources;
    bool safe = api_sources[from].safe;
    size_t length = api_sources[from].length;
    memcpy(text, api_sources[from].text, length);
    for (uint32_t n = api_chance(3) ? api_byte() % 5 : 0; n; n--) {
        api_run.state += api_byte();
        length = fuzz_mutate_tokens((uint8_t *)text, length, sizeof(text) - 1, &api_run.state);
        safe = false;
    }
    text[length] = 0;
    const char *strings[2] = {text, text + length / 2};
    size_t lengths[2] = {length / 2, length - length / 2};
    void *context = api_handle(CONTEXT);
    cl_program program;
    bool whole = api_chance(2) || memchr(text, 0, length);
    MAKE(program, clCreateProgramWithSource, context, whole ? 1 : 2, strings, whole ? NULL : lengths);
    struct api_slot *place = api_put(PROGRAM, program);
    if (place)
        place->safe = safe;
}

static void make_il(void)
{
    static uint8_t words[4096];
    size_t size = sizeof(il);
    memcpy(words, il, size);
    for (uint32_t n = api_byte() % 4; n; n--) {
        api_run.state += api_byte();
        size = fuzz_mutate_spirv(words, size, sizeof(words), 0, &api_run.state);
    }
    void *context = api_handle(CONTEXT);
    cl_program program;
    MAKE(program, clCreateProgramWithIL, context, words, size);
    api_put(PROGRAM, program);
}

/* From the binaries of another program, with changes and without. */
static void make_binary(void)
{
    struct api_slot *from = api_filled(PROGRAM);
    size_t sizes[4] = {0};
    cl_uint count = 0;
    cl_device_id list[4];
    unsigned char *binaries[4] = {0};
    if (!from->handle ||
        DO(clGetProgramInfo, from->handle, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, NULL) != CL_SUCCESS ||
        DO(clGetProgramInfo, from->handle, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL) != CL_SUCCESS)
        return;
    DO(clGetProgramInfo, from->handle, CL_PROGRAM_DEVICES, sizeof(list), list, NULL);
    bool safe = from->safe;
    for (cl_uint i = 0; i < count; i++)
        binaries[i] = malloc(sizes[i] + 64);
    DO(clGetProgramInfo, from->handle, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL);
    size_t room = sizes[0] + 64;
    for (uint32_t n = api_chance(2) ? 1 + api_byte() % 3 : 0; n && count && sizes[0] > 40; n--) {
        api_run.state += api_byte();
        sizes[0] = fuzz_mutate_spirv(binaries[0], sizes[0], room, 40, &api_run.state);
        if (sizes[0] >= 40) { /* with the right checksum */
            uint64_t num_words = (sizes[0] - 40) / 4;
            uint32_t version;
            memcpy(binaries[0] + 24, &num_words, 8);
            memcpy(&version, binaries[0] + 8, 4);
            uint64_t seed = hash_bytes64(binaries[0], 32, version);
            uint64_t sum = hash_bytes64(binaries[0] + 40, (size_t)num_words * 4, seed);
            memcpy(binaries[0] + 32, &sum, 8);
        }
        safe = false;
    }
    if (api_chance(10))
        sizes[0] /= 2;
    if (api_chance(10))
        list[1] = list[0];
    void *context = api_handle(CONTEXT);
    cl_int status[4];
    cl_program program;
    MAKE(program, clCreateProgramWithBinary, context, api_chance(10) ? api_byte() % 5u % (count + 1) : count, list,
         sizes, (const unsigned char **)binaries, api_chance(2) ? NULL : status);
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
    struct api_slot *place = api_put(PROGRAM, program);
    if (place)
        place->safe = safe;
}

/* ---- builds ---- */

void CL_CALLBACK api_program_called(cl_program program, void *data)
{
    (void)program, (void)data;
    api_called_back("callback of a build");
}

static void build(void)
{
    struct api_slot *place = api_filled(PROGRAM);
    void *object = api_chance(20) ? api_handle(PROGRAM) : place->handle;
    const char *text = api_chance(20) ? NULL : some_options();
    cl_device_id list[2] = {api_devices[api_byte() % api_num_devices], api_device()};
    cl_uint count = api_chance(4) ? api_byte() % 3u : 0;
    place->safe &= !api_cache_changed;
    DO(clBuildProgram, object, count, count || api_chance(40) ? list : NULL, text,
       api_chance(3) ? api_program_called : NULL, NULL);
}

static void compile(void)
{
    struct api_slot *place = api_filled(PROGRAM);
    void *object = api_chance(20) ? api_handle(PROGRAM) : place->handle;
    cl_program headers[2] = {api_handle(PROGRAM), api_handle(PROGRAM)};
    const char *header_names[2] = {"a.h", "b/c.h"};
    cl_uint count = api_chance(4) ? api_byte() % 3u : 0;
    place->safe &= !api_cache_changed;
    DO(clCompileProgram, object, 0, NULL, some_options(), count, count ? headers : NULL, count ? header_names : NULL,
       api_chance(3) ? api_program_called : NULL, NULL);
}

/* A program may come back although linking it failed: its log says why. */
static cl_program linked(void *context, const char *text, cl_uint count, const cl_program *list)
{
    cl_int error = 12345;
    cl_program program =
        clLinkProgram(context, 0, NULL, text, count, list, api_chance(3) ? api_program_called : NULL, NULL, &error);
    api_answered(CALL_clLinkProgram, error);
    if (!program && error == CL_SUCCESS)
        fuzz_failed("clLinkProgram", "no program, and no error");
    return program;
}

static void link_programs(void)
{
    struct api_slot *inputs[3] = {api_filled(PROGRAM), api_filled(PROGRAM), api_filled(PROGRAM)};
    cl_program list[3];
    cl_uint count = api_byte() % 4u;
    bool safe = true;
    for (cl_uint i = 0; i < 3; i++) {
        list[i] = inputs[i]->handle;
        safe &= i >= count || inputs[i]->safe;
    }
    void *context = api_handle(CONTEXT);
    const char *text = api_chance(2) ? API_PICK(options) : "";
    struct api_slot *place = api_put(PROGRAM, linked(context, text, count, count ? list : NULL));
    if (place)
        place->safe = safe;
}

static void specialise(void)
{
    uint64_t value = api_byte();
    void *program = api_handle(PROGRAM);
    DO(clSetProgramSpecializationConstant, program, api_byte() % 8u, api_number() % 9, api_chance(10) ? NULL : &value);
}

/* An object and what uses it: compiled twice, linked, taken for a kernel. */
static void link_pair(void)
{
    struct api_slot *context = &api_run.slots[CONTEXT][0];
    cl_program programs[2] = {0};
    for (uint32_t i = 0; context->handle && i < 2; i++) {
        const char *text = api_sources[api_num_whole + i].text;
        MAKE(programs[i], clCreateProgramWithSource, context->handle, 1, &text, NULL);
        if (programs[i])
            DO(clCompileProgram, programs[i], 0, NULL, options[api_byte() % 5], 0, NULL, NULL, NULL, NULL);
    }
    if (programs[0] && programs[1]) {
        struct api_slot *place =
            api_put(PROGRAM, linked(context->handle, options[api_chance(4) ? 6 + api_byte() % 2 : 0],
                                    api_chance(6) ? 1 : 2, programs));
        if (place)
            place->safe = !api_cache_changed;
    }
    for (uint32_t i = 0; i < 2; i++)
        api_put(PROGRAM, programs[i]);
}

static void (*const calls[])(void) = {make_source, make_source, make_il, make_binary, build,         build,
                                      build,       compile,     compile, link_pair,   link_programs, specialise};

const struct api_subject api_programs = API_SUBJECT(calls, NULL);
