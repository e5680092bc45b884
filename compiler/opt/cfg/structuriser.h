/* The state of structurise.c, for its files. */
#ifndef COMPILER_OPT_CFG_STRUCTURISER_H
#define COMPILER_OPT_CFG_STRUCTURISER_H

#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/cfg/pending.h"
#include "compiler/opt/cfg/structurise.h"

enum { NONE = UINT32_MAX };

/* How a piece of code ends: the block at whose end it is still open (NULL: its end is never reached), and the targets
 * that it has to go to. */
struct flow {
    struct spv_block *end;
    struct pending pending;
};

enum place {
    INLINE, /* at the branch that leads to it, the only one */
    CHILD,  /* after the code of its dominator */
    AFTER,  /* after the loop that it leaves */
};

struct node {
    struct spv_block *block;
    uint8_t place;
    bool is_header;
    uint32_t loop; /* the header of the loop in whose code it stands, NONE for none; a header stands outside its own */
    spv_id header_label, continue_label, merge_label; /* of a header */
    VEC(uint32_t) children, after;                    /* of a header: after its loop */
    struct pending exits;                             /* of a header: where its loop is left to */
    uint32_t need; /* levels that its code takes at least: for what is in its loop, its branch, what it calls */
    bool raised;   /* it stands further out than its dominator's code */
};

enum phase { START, ARMS, CHILDREN };

struct frame {
    uint32_t node;
    enum phase phase;
    VEC(uint32_t) arms;            /* to be placed between branch and merge */
    uint32_t next_arm, arm_levels; /* of nesting that the selection adds */
    uint32_t level;                /* of nesting at which the node's children are placed */
    struct spv_block *merge;       /* of the selection that is open */
    uint32_t tail;                 /* follows the selection; NONE mostly */
    struct flow flow;              /* so far */
    uint32_t next_child;
    bool in_after;           /* placing what comes after the loop */
    struct spv_block *guard; /* merge block of the guard around the child that is being placed */
    uint32_t guarded;
};

struct structuriser {
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    struct node *nodes;
    spv_id next;               /* the variable */
    struct u64_map loop_hints; /* label -> OpLoopMerge that was there */
    struct u64_map selection_hints;
    bool free_exit;                /* the one block that returns stands at the end, outside of everything */
    const struct cfg_bound *bound; /* NULL: there is none */
    VEC(struct frame) stack;
    uint32_t nest, deepest;
    struct flow result; /* of the frame that was popped last */
};

/* structurise_place.c: gives every node its place, among the children of another or after a loop. */
void structurise_place(struct structuriser *s);

#endif
