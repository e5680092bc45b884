/* Sub-groups larger than the device's (turns.c has the whole story): what its files share. */
#ifndef COMPILER_LOWER_SUBGROUPS_TURNS_H
#define COMPILER_LOWER_SUBGROUPS_TURNS_H

#include "compiler/lower/subgroups/subgroups.h"
#include "compiler/spv/cfg.h"

/* Levels of the tree, and of the code that is made of it: a list goes on one level further in behind what turns may have
 * left. */
enum { MAX_TURNS = 16, MAX_TURN_DEPTH = 400 };

/* ---- the kernel as a tree ---- */

enum turn_kind {
    TURN_CODE,  /* what a block does before its branch */
    TURN_WHOLE, /* a loop or a selection that nobody has to meet in: each turn runs it by itself */
    TURN_IF,
    TURN_SWITCH,
    TURN_LOOP,
    TURN_LEAVE
};

enum turn_leave { LEAVE_LOOP, LEAVE_ROUND /* continue */, LEAVE_SWITCH, LEAVE_CASE /* into the next */, LEAVE_KERNEL };

struct turn_node;
struct turn_list {
    VEC(struct turn_node *) nodes;
};

struct turn_node {
    enum turn_kind kind;
    struct spv_block *block;        /* CODE; the header of the others */
    spv_id merge, again;            /* labels: behind the construct; LOOP: the continue target */
    const struct spv_inst *hint;    /* the merge instruction of a construct, or NULL */
    VEC(struct spv_block *) blocks; /* WHOLE */
    struct turn_list
        *arms;       /* IF: two; SWITCH: one for each target; LOOP: its body and what comes before the next round */
    spv_id *targets; /* SWITCH: the cases' labels, in the order in which they may fall into each other */
    uint32_t num_arms;
    bool divergent;       /* turns of one lane may go different ways */
    bool leaves;          /* IF, SWITCH, LOOP: some turns may not come out at the end */
    enum turn_leave what; /* LEAVE */
    struct turn_node *of; /* ... which loop or switch */
    uint32_t arm;         /* ... into which case */
    /* While code is made: */
    spv_id new_merge, new_again;             /* LOOP that is not divergent */
    spv_id left[MAX_TURNS], back[MAX_TURNS]; /* variables: who has left it, who waits for the next round */
    spv_id (*fallen)[MAX_TURNS];             /* SWITCH: who comes from the case before */
};

struct turns {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    struct spv_cfg cfg;
    uint32_t count, lanes, size; /* of turns; of the device's sub-group; of the kernel's: count * lanes */
    bool any_size;               /* there is one turn, which some lanes have no work-item for; lanes and size are 0 */
    bool is_stuck;               /* ... and a barrier that these do not get to */
    struct u64_map merges;       /* label of a block -> its merge instruction, which is no longer in it */
    struct turn_list body;
    uint32_t bound;            /* of the ids that the kernel had */
    uint8_t *varying;          /* by id: turns may have different values; of a variable: each turn has its own */
    uint8_t *whole;            /* by id: a variable that is only loaded and stored as a whole */
    uint8_t *crosses;          /* by id: a value of the first block that others use */
    uint32_t *last_use;        /* by id: the place in the block that is being copied */
    spv_id *copies[MAX_TURNS]; /* by id */
    struct spv_builder b;      /* block NULL: the code that was made last does not go on */
    bool masked;               /* not all work-items of the group may be here: masks are in variables */
    spv_id top[MAX_TURNS];     /* else: whether the turn has a work-item at all; 0: it has */
    spv_id variables[MAX_TURNS];
    spv_id on[MAX_TURNS]; /* the masks' values in on_block */
    struct spv_block *on_block;
    uint32_t depth; /* of the code that is being made; more than MAX_TURN_DEPTH: it is not complete */
};

/* turns_tree.c: fills body. False: the control flow is not structured, or nests too deep. */
bool turns_parse(struct turns *t);
/* Whether work-items of a sub-group have to come to the instruction together. */
bool turns_meet(const struct spv_inst *inst);
/* turns_vary.c: finds out what varies between the turns of a lane, and which constructs are divergent. */
void turns_find_varying(struct turns *t);
bool turns_builtin_varies(SpvBuiltIn builtin);
/* Whether masked turns may do it, too. */
bool turns_is_safe(const struct turns *t, const struct spv_inst *inst);
bool turns_inst_varies(const struct turns *t, const struct spv_inst *inst);
/* turns_code.c: code without branches, and constructs that each turn runs by itself. */
void turns_emit_code(struct turns *t, const struct spv_block *block);
void turns_emit_whole(struct turns *t, const struct turn_node *node);
spv_id turns_copy(const struct turns *t, uint32_t turn, spv_id id); /* what id is for that turn */
spv_id turns_mask(struct turns *t, uint32_t turn);                  /* 0: always on */
struct spv_block *turns_new_block(struct turns *t);
void turns_enter(struct turns *t, struct spv_block *block);
/* Ends the open block; merge 0: none. */
void turns_branch(struct turns *t, spv_id target);
void turns_branch_if(struct turns *t, spv_id merge, spv_id condition, spv_id yes, spv_id no);
/* turns_meet.c: instructions of sub-groups, and barriers. */
void turns_emit_meeting(struct turns *t, const struct spv_inst *inst);
spv_id turns_self(struct turns *t, uint32_t turn); /* get_sub_group_local_id() */

#endif
