/* SPIR-V's words as the passes of `pumice c++` see them: what defines each id, and text that grows. llvm-spirv's output
 * is trusted to be SPIR-V, but every length is checked. */
#ifndef TOOLS_CXX_WORDS_H
#define TOOLS_CXX_WORDS_H

#include "base/spirv.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions one after the other; all that is put in is copied. */
struct words {
    uint32_t *data; /* malloc'ed */
    size_t count, capacity;
    bool failed; /* out of memory: what was put in last is not there */
};

void words_put(struct words *to, const uint32_t *from, size_t count);
void words_put_all(struct words *to, const struct words *from);
void words_free(struct words *words);

/* An instruction of its operands. */
#define WORDS_PUT(to, op, ...)                                                                                         \
    do {                                                                                                               \
        const uint32_t operands_[] = {__VA_ARGS__};                                                                    \
        const uint32_t head_ = (uint32_t)(sizeof(operands_) / 4 + 1) << 16 | (uint32_t)(op);                           \
        words_put((to), &head_, 1);                                                                                    \
        words_put((to), operands_, sizeof(operands_) / 4);                                                             \
    } while (0)

static inline uint32_t op_of(const uint32_t *inst)
{
    return inst[0] & 0xffff;
}

static inline uint32_t length_of(const uint32_t *inst)
{
    return inst[0] >> 16;
}

/* Where an instruction has its result; 0: it has none that the passes ask for. */
uint32_t words_result_at(uint32_t op);
/* Of the section of types, constants and variables. */
bool words_is_global(uint32_t op);
/* The id that a name, a decoration, an entry point or an execution mode is about; 0: the instruction is none. */
uint32_t words_target(const uint32_t *inst);

struct module_id {
    const uint32_t *def; /* the instruction that makes the id, or NULL */
    const char *name;    /* OpName's, or NULL */
    const char *import;  /* the name under which it is imported, or NULL */
    bool dropped;        /* module_write() leaves it out */
};

/* A module that a pass reads, and what it writes. Not thread-safe; the words must outlive it. */
struct module {
    const uint32_t *in;
    size_t count;
    uint32_t old_bound, bound;                                                /* of in; with the ids that were added */
    struct module_id *ids;                                                    /* old_bound of them */
    struct words capabilities, entries, modes, annotations, types, functions; /* what is added to each section */
    uint32_t void_type, uint_type;                                            /* 0: not there */
};

/* false: it cannot be read, or there is no memory. module_close() in any case. */
bool module_open(struct module *module, const uint32_t *words, size_t count);
void module_close(struct module *module);
const uint32_t *module_def(const struct module *module, uint32_t id);
/* Its definition if that is this instruction; else NULL. */
const uint32_t *module_def_of(const struct module *module, uint32_t id, uint32_t op);
struct module_id *module_id(struct module *module, uint32_t id); /* NULL: no old id */
uint32_t module_new_id(struct module *module);
bool module_is_dropped(const struct module *module, uint32_t id);
/* Of types that may be declared once only: the one that is there, or a new one. */
uint32_t module_pointer_type(struct module *module, uint32_t storage, uint32_t pointee);
uint32_t module_function_type(struct module *module, uint32_t result, const uint32_t *params, uint32_t count);
uint32_t module_uint_constant(struct module *module, uint32_t value);
/* Writes the module: all of `in` but what was dropped, with the additions in their places. Names, decorations, entry
 * points and modes of what was dropped go, too. change (or NULL) gets each instruction that is not inside a dropped
 * function, and returns true where it has written something in its place, or nothing. NULL: no memory. */
uint32_t *module_write(struct module *module, bool (*change)(void *data, struct words *out, const uint32_t *inst),
                       void *data, size_t *count);

#endif
