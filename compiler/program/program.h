/* A program: kernel SPIR-V with what is derived from it. Internal to compiler/program. */
#ifndef COMPILER_PROGRAM_PROGRAM_H
#define COMPILER_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "base/str.h"
#include "compiler/clc.h"
#include "compiler/front/pp/front.h"
#include "compiler/program_flags.h"
#include "compiler/spv/spv.h"

#include <stdatomic.h>

struct lower_data;

/* Immutable once its creator returns, but for the count of references; everything but the struct itself is in its
 * arenas. Threads may read the module at the same time. */
struct clc_program {
    atomic_uint references;
    struct arena arena, code; /* code: the module and words of a program from source */
    enum clc_program_kind kind;
    uint32_t flags; /* PROGRAM_* */
    struct spv_module *module;
    const uint32_t *words;
    size_t num_words;
    struct clc_kernel_info *kernels; /* those of the application, then enqueued blocks */
    struct str_map by_name;          /* the kernels */
    uint32_t num_kernels, num_blocks;
    const spv_id *blocks; /* their functions */
    const struct lower_data *globals;
    const struct spv_entries *entries; /* of the module */
};

/* An empty program whose arena jumps to out_of_memory while it is being filled; NULL when out of memory. */
struct clc_program *program_create(jmp_buf *out_of_memory, size_t memory_limit);
/* Whether PUMICE_VALIDATE asks to validate all that is compiled and lowered. */
bool program_validates_output(void);
uint32_t program_flags(const struct clc_options *options);
/* Derives words, kernels and globals from the module. Returns NULL, or a message that says what is wrong with the
 * module. */
const char *program_derive(struct clc_program *program);

/* blocks.c: gives each enqueued function an entry point. NULL or a message in the arena. */
const char *program_name_blocks(struct arena *arena, struct spv_module *module);
/* Their functions, in the order of the entry points; *count of them. */
const spv_id *program_find_blocks(struct arena *arena, const struct spv_module *module, uint32_t *count);

/* info.c */
void program_find_kernels(struct clc_program *program);

/* check.c: what OpenCL forbids and lowering relies on: no recursion, kernels' signatures and sizes, 64-bit addressing.
 * NULL or a message in the arena. */
const char *program_check(struct arena *arena, struct spv_module *module);

/* declared.c: gives the built-in functions that a module from IL only declares, by their mangled names, a body. target:
 * NULL, or what the functions of the library are compiled for. *compiled is the caller's to release, where memory runs
 * out; else NULL. */
void program_define_declared(struct spv_module *module, const struct clc_target *target, struct clc_program **compiled);
/* declared_library.c: the same for one function, by the front end. false: it is none of OpenCL C's. */
bool program_define_by_library(struct spv_module *module, struct spv_function *function, const char *mangled,
                               const struct clc_target *target, struct clc_program **compiled);
/* bind_calls.c: gives the functions that call by function pointers a body. The program is whole: nothing else is missing.
 * NULL or a message in the arena. */
const char *program_bind_calls(struct arena *arena, struct spv_module *module);
/* Whether it is the name of such a function. */
bool program_is_call_by_pointer(const char *import);
/* Whether no module has to define it: it is such a function, or lowering takes it from our library. */
bool program_defines(const char *import);

/* capabilities.c: refuses IL that declares something which the target does not offer (target NULL: something that is
 * not known). NULL or a message in the arena. */
const char *program_check_capabilities(struct arena *arena, const struct spv_module *module,
                                       const struct clc_target *target);

/* specialise.c: makes spec constants ordinary constants, with the given values or their own. NULL or a message. */
const char *program_specialise(struct arena *arena, struct spv_module *module,
                               const struct clc_spec_constant *constants, uint32_t count);
/* Those with an id, each with its size: list has room for count of them; returns how many there are. */
uint32_t program_spec_constants(const struct spv_module *module, struct clc_spec_constant *list, uint32_t count);

/* pipe_storage.c: makes the pipes of a program variables in global memory. NULL or a message in the arena. */
const char *program_open_storage(struct arena *arena, struct spv_module *module);

#endif
