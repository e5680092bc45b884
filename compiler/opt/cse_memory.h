/* What cse.c knows about memory while it walks the dominator tree: which loads give what an earlier load gave or what a
 * store left there, and which stores nobody reads. */
#ifndef COMPILER_OPT_CSE_MEMORY_H
#define COMPILER_OPT_CSE_MEMORY_H

#include "compiler/opt/alias.h"
#include "compiler/opt/cfg/cfg.h"

struct cse_content;
struct cse_scoped;
struct cse_undo;

struct cse_memory {
    struct spv_module *module;
    struct arena *arena;
    const struct spv_cfg *cfg;
    bool used; /* whether the function has anything to do here */
    struct alias alias;
    uint64_t *writes;    /* by block: the places whose content it may change, but for scoped */
    uint32_t *scoped_in; /* by block: 1 + index of its newest of scoped */
    uint32_t *known;     /* pointer -> 1 + index of the newest of contents */
    uint32_t *visited;   /* by block: a mark of cse_memory_enter() */
    uint32_t mark;
    VEC(struct cse_scoped) scoped; /* the function's stores with scopes */
    VEC(struct cse_content) contents;
    VEC(struct cse_undo) undo;
    uint32_t version[ALIAS_PLACES + 1]; /* of each place; contents of an older one are not known any more */
    uint32_t reads[ALIAS_PLACES + 1];   /* counts what may have read the place in this block */
    uint32_t newest[ALIAS_PLACES + 1];  /* 1 + index of the newest of contents there */
    uint32_t last_version, block;
};

/* A state of the walk, for cse_memory_leave() to return to. */
struct cse_memory_scope {
    uint32_t contents, undo;
};

void cse_memory_start(struct cse_memory *m, struct spv_module *module, struct spv_function *function,
                      const struct spv_cfg *cfg);
void cse_memory_finish(struct cse_memory *m);

/* Enters a block, coming from the end of its immediate dominator. */
struct cse_memory_scope cse_memory_enter(struct cse_memory *m, uint32_t block);
void cse_memory_leave(struct cse_memory *m, struct cse_memory_scope scope);

enum cse_verdict {
    CSE_KEEP,
    CSE_KNOWN,  /* a load of *value */
    CSE_NOTHING /* a store of what is there already */
};
/* To be called for every instruction in order, after its operands were rewritten. *dead: an earlier store that this one
 * overwrites before anything could read it; NULL: there is none. */
enum cse_verdict cse_memory_visit(struct cse_memory *m, struct spv_inst *inst, spv_id *value, struct spv_inst **dead);

#endif
