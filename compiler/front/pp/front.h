/* One compilation: the state that all of the front end shares. Everything lives in the compilation's arena; a
 * compilation belongs to one thread. Implemented by pp/compilation.c. */
#ifndef COMPILER_FRONT_FRONT_H
#define COMPILER_FRONT_FRONT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "compiler/clc.h"
#include "compiler/front/pp/diag.h"
#include "compiler/front/pp/options.h"
#include "compiler/front/pp/source.h"
#include "compiler/front/pp/token.h"

struct type_table; /* type.h: common types */
struct sema;       /* parser's state */
struct decl;
struct stmt;

/* What takes functions' bodies over while the unit is still being read, so that their tree can go (sema/stream.c). Asked
 * only while there are no errors. */
struct tree_taker {
    size_t limit, kernel_limit; /* bytes of tree before it is asked; kernel_limit: for kernels */
    void *data;
    /* The body, or what is left of it after its first statements were taken. */
    void (*function)(void *data, struct decl *function);
    /* The first statements of the function that is being read: a list. */
    void (*statements)(void *data, struct decl *function, struct stmt *first);
};

struct clc_front {
    struct arena *arena;
    struct arena *tree;             /* statements and expressions of functions' bodies */
    struct arena *nodes;            /* where nodes go now: tree, or arena */
    const struct tree_taker *taker; /* NULL: the tree stays */
    size_t tree_peak;               /* the most that it took */
    struct arena *initials;         /* initialisers of what lasts as long as the program, while they are read */
    const struct clc_compile_args *args;
    struct clc_options options;
    const struct clc_target *target;
    struct str log; /* diagnostics so far */
    uint32_t num_errors, num_warnings;
    jmp_buf fatal;                  /* pp_fatal(), and the arena's out of memory */
    struct source_manager *sources; /* pp/source.c */
    struct diag_state *diag;
    struct pp *pp;
    struct ident **ident_slots; /* pp_intern()'s table */
    uint32_t num_idents, ident_capacity;
    struct type_table *types;
    struct sema *sema;
    uint32_t const_steps; /* sema/const_eval.c: to the value at hand */
    uint8_t
        guards[256]; /* of built-in functions, once asked for: 1 they are not met, 2 they are (sema/builtin_find.c) */
};

/* Runs work() on a fresh front whose preprocessor has begun on args' source. Owns the arena and the jump point: work()
 * may leave by pp_fatal() or by running out of memory, so what it allocates elsewhere must be reachable through data,
 * for the caller to free. Returns CLC_FAILED when there were errors. *log is malloc'ed (NULL when out of memory); log
 * may be NULL. */
enum clc_result pp_front_run(const struct clc_compile_args *args, void (*work)(struct clc_front *front, void *data),
                             void *data, char **log);

/* What the tree took since mark is free again; all of it has been emitted. */
void pp_front_free_tree(struct clc_front *front, struct arena_mark mark);

/* keyword conditions for tokens.def and the pp's feature macros */
static inline bool pp_std_at_least(const struct clc_front *front, enum clc_std std)
{
    return front->options.std >= std;
}

/* Whether the blank-separated list, as the target's extensions, has the word. */
bool pp_word_in_list(const char *list, const char *word, size_t length);

#endif
