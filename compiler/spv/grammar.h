/* SPIR-V's grammar as tables, and the one walk over an instruction's operands that reading, printing, parsing and
 * visiting share. Internal to compiler/spv. */
#ifndef COMPILER_SPV_GRAMMAR_H
#define COMPILER_SPV_GRAMMAR_H

#include "spv.h"

/* Newer than some installed headers. */
#define SpvOpBitcastExtractEXT                 4195
#define SpvOpTypeUntypedPointerKHR             4417
#define SpvOpUntypedVariableKHR                4418
#define SpvOpUntypedAccessChainKHR             4419
#define SpvOpUntypedInBoundsAccessChainKHR     4420
#define SpvOpUntypedPtrAccessChainKHR          4423
#define SpvOpUntypedInBoundsPtrAccessChainKHR  4424
#define SpvOpUntypedArrayLengthKHR             4425
#define SpvOpUntypedPrefetchKHR                4426
#define SpvOpFmaKHR                            4427
#define SpvOpExtInstWithForwardRefsKHR         4433
#define SpvOpUntypedGroupAsyncCopyKHR          4434
#define SpvOpConstantCompositeReplicateEXT     4461
#define SpvOpSpecConstantCompositeReplicateEXT 4462
#define SpvOpCompositeConstructReplicateEXT    4463
#define SpvOpPoisonKHR                         5158
#define SpvOpFreezeKHR                         5159
#define SpvOpCompositeConstructContinuedINTEL  6096
#define SpvOpConvertFToBF16INTEL               6116
#define SpvOpConvertBF16ToFINTEL               6117
#define SpvOpArithmeticFenceEXT                6145

enum spv_operand_category {
    SPV_CATEGORY_NONE,
    SPV_CATEGORY_ID,
    SPV_CATEGORY_LITERAL,        /* one word */
    SPV_CATEGORY_STRING,         /* up to and with the word that holds the NUL */
    SPV_CATEGORY_NUMBER,         /* a literal of the result type: all words that are left */
    SPV_CATEGORY_EXT_INST,       /* the number of an extended instruction: decides what follows */
    SPV_CATEGORY_SPEC_OP,        /* the opcode of OpSpecConstantOp: decides what follows */
    SPV_CATEGORY_SWITCH_LITERAL, /* a literal of the selector's type */
    SPV_CATEGORY_VALUE_ENUM,
    SPV_CATEGORY_BIT_ENUM,
};

enum spv_operand_quantifier { SPV_ONE, SPV_OPTIONAL, SPV_ANY_NUMBER };

struct spv_grammar_operand {
    uint8_t kind, second_kind; /* second_kind: of a pair, else 0 */
    uint8_t quantifier;
};

struct spv_grammar_enumerant {
    const char *name;
    uint32_t value;
    uint16_t first_operand, num_operands; /* its parameters */
};

struct spv_grammar_kind {
    const char *name;
    uint8_t category;
    uint16_t first_enumerant, num_enumerants; /* by rising value */
};

struct spv_grammar_op {
    const char *name;
    uint32_t flags;                       /* see spv_op_flags() */
    uint16_t op;                          /* or the number in its extended set */
    uint16_t first_operand, num_operands; /* without result type and result */
    uint16_t inverse;                     /* see spv_op_inverse() */
    uint32_t capability;                  /* see spv_op_capability() */
};

struct spv_grammar_alias {
    const char *name;
    uint16_t op;
};

const struct spv_grammar_op *spv_grammar_op(uint32_t op); /* NULL when unknown */
const struct spv_grammar_op *spv_grammar_op_by_name(const char *name, size_t length);
const struct spv_grammar_op *spv_grammar_ext(uint32_t set, uint32_t number); /* set: EXT_SET_* */
const struct spv_grammar_op *spv_grammar_ext_by_name(uint32_t set, const char *name, size_t length);
const struct spv_grammar_enumerant *spv_grammar_enumerant(uint8_t kind, uint32_t value);
const struct spv_grammar_enumerant *spv_grammar_enumerant_by_name(uint8_t kind, const char *name, size_t length);
enum spv_operand_category spv_grammar_category(uint8_t kind);

/* The walk over operands. Each step expects one operand of a kind. The caller passes the operand's words (from a binary
 * or from text), since they decide what follows. */
struct spv_operand_walk {
    const struct spv_grammar_operand *next;
    uint32_t num_next;
    bool second;          /* the second half of next[0]'s pair is due */
    bool any_ids;         /* when the grammar is done: any number of ids */
    uint32_t num_pending; /* parameters of enumerants, due before next[0]; pending[num_pending - 1] comes first */
    uint8_t pending[32];
};

void spv_walk_start(struct spv_operand_walk *walk, const struct spv_grammar_op *op);
/* The kind that is due, 0 at the end; *required tells whether the instruction may end before it. */
uint8_t spv_walk_kind(const struct spv_operand_walk *walk, bool *required);
/* Takes the due operand, whose first word is value. set: of an OpExtInst. False when value is not in the grammar or
 * nests too deep. */
bool spv_walk_take(struct spv_operand_walk *walk, uint32_t value, uint32_t ext_set);

/* The walk over an instruction that is in memory. */
struct spv_operand {
    uint8_t kind;
    enum spv_operand_category category;
    uint32_t word, count;
};
struct spv_operand_cursor {
    const struct spv_inst *inst;
    struct spv_operand_walk walk;
    uint32_t word;
    const char *error; /* set when the words do not fit the grammar */
};
void spv_cursor_start(struct spv_operand_cursor *cursor, const struct spv_inst *inst);
bool spv_cursor_next(struct spv_operand_cursor *cursor, struct spv_operand *operand);

/* module.c: the hints that follow from the operands that inst has. */
void spv_set_hints(const struct spv_module *module, struct spv_inst *inst);
/* Decorations NoSignedWrap and NoContraction become what the instructions themselves say. */
void spv_take_hinted_decorations(struct spv_module *module);
/* module.c: that id is the import of a set that we know; false: we do not. */
bool spv_note_ext_set(struct spv_module *module, const char *set, spv_id id);
/* module.c: enters inst's id, with the decorations that it already has. */
void spv_define(struct spv_module *module, struct spv_inst *inst);
/* build.c: the new last function of the module. */
void spv_link_function(struct spv_module *module, struct spv_function *function);
void spv_list_append(struct spv_list *list, struct spv_inst *inst);
void spv_list_insert(struct spv_list *list, struct spv_inst *inst, struct spv_inst *behind);
void spv_list_remove(struct spv_list *list, struct spv_inst *inst);
/* Chains a decoration or name to its target. */
void spv_attach_annotation(struct spv_module *module, struct spv_inst *inst);
/* Room for those of another module's ids, no more, in one that has none. */
void spv_reserve_annotations_like(struct spv_module *module, const struct spv_module *from);
/* types.c: enters a type or constant that came from elsewhere, unless an equal one is there. */
void spv_unique_enter(struct spv_module *module, struct spv_inst *inst);
/* types.c: the type or constant without decorations; a new one has an id from the old bound on. */
struct spv_inst *spv_unique_get(struct spv_module *module, uint16_t op, spv_id type, uint32_t count,
                                const uint32_t *words);
/* A type with these operands and the decorations of like, which may be another module's. */
struct spv_inst *spv_unique_find_like(const struct spv_module *module, const struct spv_module *from,
                                      const struct spv_inst *like, uint32_t count, const uint32_t *words);
bool spv_unique_op(uint16_t op);
enum spv_section spv_section_of(uint16_t op); /* module.c; SPV_SECTION_COUNT when it belongs in functions */

#endif
