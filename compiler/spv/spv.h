/* The SPIR-V module in memory: the compiler's one intermediate representation (shared by the front end, which emits
 * OpenCL SPIR-V, the passes, and the back end, which ends with Vulkan SPIR-V).
 *
 * It is SPIR-V itself, word for word, kept as linked structures: an instruction is its opcode, type, result and operand
 * words in the order of SPIR-V 1.6, section 2.3. Nothing is lost by reading and writing a module. Everything lives in
 * the module's arena and is owned by one thread at a time. Functions here trust their callers (they assert); untrusted
 * words enter through spv_read() only, which checks all that the rest relies on. */
#ifndef COMPILER_SPV_SPV_H
#define COMPILER_SPV_SPV_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/spirv.h>

/* Newer than some installed headers. */
#define SpvCapabilityUntypedPointersKHR           4473
#define SpvCapabilityFloatControls2               6029
#define SpvCapabilityCooperativeMatrixKHR         6022
#define SpvCapabilityBFloat16TypeKHR              5116
#define SpvCapabilityBFloat16CooperativeMatrixKHR 5118
#define SpvCapabilityFloat8EXT                    4212
#define SpvCapabilityFloat8CooperativeMatrixEXT   4213

/* Encodings of OpTypeFloat, likewise. */
enum { SPV_FLOAT_BFLOAT16 = 0, SPV_FLOAT_E4M3 = 4214, SPV_FLOAT_E5M2 = 4215 };

/* SPV_KHR_cooperative_matrix, newer than some installed headers. */
#define SpvOpTypeCooperativeMatrixKHR   4456
#define SpvOpCooperativeMatrixLoadKHR   4457
#define SpvOpCooperativeMatrixStoreKHR  4458
#define SpvOpCooperativeMatrixMulAddKHR 4459
#define SpvOpCooperativeMatrixLengthKHR 4460
enum spv_matrix_operands {
    SPV_MATRIX_A_SIGNED = 1,
    SPV_MATRIX_B_SIGNED = 2,
    SPV_MATRIX_C_SIGNED = 4,
    SPV_MATRIX_RESULT_SIGNED = 8,
    SPV_MATRIX_SATURATING = 16,
};
/* Beside a matrix type's use: its components, integers, are codes of such floats (encoded_floats.c). */
enum spv_matrix_encoding {
    SPV_MATRIX_NUMBERS = 0,
    SPV_MATRIX_BFLOAT16 = 0x100,
    SPV_MATRIX_E4M3 = 0x200,
    SPV_MATRIX_E5M2 = 0x300,
    SPV_MATRIX_ENCODINGS = 0x300,
};

/* SPV_INTEL_subgroup_matrix_multiply_accumulate and _tensor_float32_conversion, likewise. */
#define SpvOpSubgroupMatrixMultiplyAccumulateINTEL 6237
#define SpvOpRoundFToTF32INTEL                     6426
enum spv_mad_operands {
    SPV_MAD_A_SIGNED = 0x1,
    SPV_MAD_B_SIGNED = 0x2,
    SPV_MAD_C_BFLOAT16 = 0x4,
    SPV_MAD_RESULT_BFLOAT16 = 0x8,
    SPV_MAD_A_INT8 = 0x10,
    SPV_MAD_B_INT8 = 0x20,
    SPV_MAD_A_INT4 = 0x40,
    SPV_MAD_B_INT4 = 0x80,
    SPV_MAD_A_TF32 = 0x100,
    SPV_MAD_B_TF32 = 0x200,
    SPV_MAD_A_FLOAT16 = 0x400,
    SPV_MAD_B_FLOAT16 = 0x800,
    SPV_MAD_A_BFLOAT16 = 0x1000,
    SPV_MAD_B_BFLOAT16 = 0x2000,
};

typedef uint32_t spv_id; /* 0 is no id */

enum spv_ext_set { SPV_EXT_SET_OTHER, SPV_EXT_SET_OPENCL, SPV_EXT_SET_GLSL, SPV_EXT_SET_PRIVATE };

/* The instructions of our own set, by their numbers in it. */
#define SPV_PRIVATE_SET "Pumice.private"
enum spv_private {
#define PRIVATE(name, printed, effect, operands) SPV_PRIVATE_##name,
#include "private.def"
#undef PRIVATE
};

enum { SPV_MAX_UNROLL = UINT16_MAX };

/* What an instruction says besides its words, each for the opcodes that it names; else 0. */
struct spv_hints {
    /* These follow from the words: spv_inst_create() and spv_inst_set_words() set them. */
    uint32_t literal_words : 2; /* OpSwitch: words of a literal */
    uint32_t ext_set : 2;       /* OpExtInst: enum spv_ext_set */
    /* These are set by others, and lost with new words. */
    uint32_t no_signed_wrap : 1; /* OpIAdd, OpISub, OpIMul: signed overflow is undefined; a decoration in the binary */
    uint32_t is_argument : 1;    /* OpLoad: the address that a kernel's argument gives */
    uint32_t is_read_only : 1;   /* Vulkan pointers: nobody writes there while the kernel runs */
    uint32_t is_id : 1;          /* any: an id or size of work-items; as an index it is not negative */
    uint32_t no_contraction : 1; /* arithmetic of floats: it must not be fused; a decoration in the binary */
    union {
        uint16_t unroll; /* OpLoopMerge: how often to unroll, 1: as the driver likes; the binary has no word for it
                            before SPIR-V 1.4 */
        uint16_t scopes; /* OpLoad, OpStore: see spv_take_scopes() */
    };
};

struct spv_inst {
    struct spv_inst *prev, *next; /* within its block or module section */
    struct spv_block *block;      /* NULL for module-level instructions and for OpFunction, OpFunctionParameter */
    uint16_t op;                  /* SpvOp */
    uint16_t flags;               /* SPV_INST_*: free for one pass at a time */
    uint32_t num_words;           /* of words[]: without the opcode, type and result words */
    spv_id type, id;              /* 0 where the opcode has none */
    uint32_t *words;              /* operands in binary order; strings packed as in the binary */
    union {
        struct {
            struct spv_hints hints;
            uint32_t user; /* free for one pass at a time */
        };
        struct spv_inst *next_decoration; /* decorations and names have no hint: the next one of the same target */
    };
};

struct spv_list {
    struct spv_inst *first, *last;
};

struct spv_block {
    struct spv_block *prev, *next; /* in the function's order; the first block is the entry */
    struct spv_function *function;
    struct spv_inst *label; /* the OpLabel */
    struct spv_list
        insts;      /* phis first; OpVariables first in the entry block; merge instruction just before the terminator */
    uint32_t index; /* reverse post-order number while an analysis is current */
    void *user;     /* free for one pass at a time */
};

struct spv_function {
    struct spv_function *prev, *next;
    struct spv_inst *def;          /* OpFunction: type = return type, words[0] = control, words[1] = function type */
    VEC(struct spv_inst *) params; /* OpFunctionParameter */
    struct spv_block *first_block, *last_block; /* NULL: a declaration (imported by linkage) */
    struct spv_kept_cfg *flow;                  /* spv_cfg_keep()'s */
    bool joined;                                /* cfg_join_blocks() has nothing to do until spv_cfg_forget() */
    uint8_t settled;                            /* lower.c: the passes that would find nothing to do */
    bool only_computes; /* lower.c: it uses neither pointers nor memory, and calls only such functions. Passes about
                           these skip it, and so does spv_apply_replacements() over the whole module */
    void *user;
};

/* Module-level sections in the order of SPIR-V 1.6, 2.4. */
enum spv_section {
    SPV_SECTION_CAPABILITY,
    SPV_SECTION_EXTENSION,
    SPV_SECTION_EXT_INST_IMPORT,
    SPV_SECTION_MEMORY_MODEL,
    SPV_SECTION_ENTRY_POINT,
    SPV_SECTION_EXECUTION_MODE,
    SPV_SECTION_DEBUG,      /* OpString, OpSource..., OpName, OpMemberName, OpModuleProcessed */
    SPV_SECTION_ANNOTATION, /* decorations */
    SPV_SECTION_GLOBAL,     /* types, constants, module-scope variables, OpUndef, OpLine */
    SPV_SECTION_COUNT
};

struct spv_module {
    struct arena *arena;
    uint32_t version; /* 0x00010400 and so on */
    uint32_t generator;
    struct spv_list sections[SPV_SECTION_COUNT];
    struct spv_function *first_function, *last_function;
    struct spv_inst **defs; /* id -> defining instruction (OpLabel for blocks); NULL where unused */
    uint8_t *constants;     /* id -> whether spv_is_constant() */
    struct spv_inst *
        *decorations;          /* id -> its first decoration, also before the id is defined; see spv_decorations() */
    struct spv_inst **names;   /* id -> its first OpName or OpMemberName */
    uint32_t decorated, named; /* these two have entries for ids below */
    struct u64_map functions;  /* OpFunction id -> struct spv_function; NULL once removed */
    uint32_t bound, capacity;  /* ids are below bound */
    struct u64_map unique;     /* hash of type or constant -> chain of such instructions */
    spv_id ext_opencl, ext_glsl, ext_private; /* OpExtInstImport ids; 0 until used */
    spv_id int_types[8];                      /* what spv_type_int() gave last */
    struct spv_spare *spares;                 /* what spv_give_back() took */
    struct arena *scratch;                    /* NULL, or another arena for what passes need for their own time */
    struct spv_scopes *scopes;                /* NULL: spv_take_scopes() found none. Clones share them */
};

/* ---- module ---- */

struct spv_module *spv_module_create(struct arena *arena, uint32_t version);

/* Zeroed memory for the time of a pass, mostly for tables by id. Passes run once per function: if each had a new table,
 * memory would grow with the square of the program's size. Memory that is given back serves the next pass; what is not
 * stays with the arena. */
void *spv_borrow(struct spv_module *module, size_t size);
void spv_give_back(struct spv_module *module, void *memory); /* NULL: nothing */
/* The same where the caller has put the zeros back: a table of which a pass used a few entries need not be cleared. */
void spv_give_back_zeroed(struct spv_module *module, void *memory);
#define spv_borrow_table(module, type) ((type *)spv_borrow(module, (size_t)(module)->bound * sizeof(type)))

/* Between begin and end a pass allocates from the scratch arena, where the module has one, and all of it is freed at
 * the end: memory that is used again stays in the caches. Pairs nest. */
static inline struct arena *spv_scratch(const struct spv_module *module)
{
    return module->scratch ? module->scratch : module->arena;
}
static inline struct arena_mark spv_scratch_begin(const struct spv_module *module)
{
    return module->scratch ? arena_mark(module->scratch) : (struct arena_mark){0};
}
static inline void spv_scratch_end(const struct spv_module *module, struct arena_mark mark)
{
    if (module->scratch)
        arena_rewind(module->scratch, mark);
}

/* Reads a binary of count words (either endianness). Untrusted: on a malformed binary returns NULL and sets *error to a
 * message in the arena. It guarantees: every id used is defined once, operand counts fit the grammar, blocks are well
 * formed (label, terminator), types referenced are types, phis name predecessors. Deeper validity is SPIRV-Tools'
 * business. */
struct spv_module *spv_read(struct arena *arena, const uint32_t *words, size_t count, const char **error);

/* The same for words that Pumice or a test made: they may have private instructions (private.def). */
struct spv_module *spv_read_own(struct arena *arena, const uint32_t *words, size_t count, const char **error);

/* The same without any checks: for spv_print() and nothing else. */
struct spv_module *spv_read_unchecked(struct arena *arena, const uint32_t *words, size_t count, const char **error);

/* What spv_write() has written, and spv_read() has taken, when Pumice was built, to import from: equal types and
 * constants are not looked for. The words must outlive the module. */
const struct spv_module *spv_read_embedded(struct arena *arena, const uint32_t *words, size_t count);

/* The binary; *count gets the number of words. In the module's arena. Drops ids nothing defines; renumbers densely. */
uint32_t *spv_write(struct spv_module *module, size_t *count);

/* Text in spirv-as syntax (for dumps and tests; without SPIRV-Tools). */
void spv_print(const struct spv_module *module, struct str *out);
void spv_print_inst(const struct spv_module *module, const struct spv_inst *inst, struct str *out);

/* Reads spirv-as text (tests, hand-written modules). NULL and *error on bad input. */
struct spv_module *spv_parse_text(struct arena *arena, const char *text, const char **error);
/* The same up to the binary, which the reader has not seen yet. */
uint32_t *spv_assemble(struct arena *arena, const char *text, size_t *count, const char **error);

/* The module's own invariants (def-before-use by dominance, list links, block shape, types of common operations); NULL
 * when they hold, else a message in the arena. Cheap enough for every pass in debug builds; no replacement for
 * spirv-val. */
const char *spv_check(struct spv_module *module);

/* A deep copy into another arena; ids keep their numbers. */
struct spv_module *spv_clone(struct arena *arena, const struct spv_module *module);

/* ---- facts from the grammar (generated from spirv.core.grammar.json) ---- */

const char *spv_op_name(uint16_t op); /* "OpIAdd"; NULL when unknown */
bool spv_op_known(uint16_t op);
const char *spv_capability_name(uint32_t capability); /* "Int64"; NULL when unknown */

enum spv_op_flags {
    SPV_OP_HAS_TYPE = 1,
    SPV_OP_HAS_RESULT = 2,
    SPV_OP_TYPE = 4,
    SPV_OP_CONSTANT = 8, /* OpConstant*, OpSpecConstant*; OpUndef counts too */
    SPV_OP_ALL_IDS = 16, /* its operands */
    SPV_OP_FIXED = 32,   /* it has each of its operands once */
    /* classes.def says of which opcodes these are true. */
    SPV_OP_TERMINATOR = 64,
    SPV_OP_DECORATION = 128,
    /* No side effect and no dependence on memory: may be removed when unused, moved and merged when operands are
     * equal. */
    SPV_OP_PURE = 256,
    SPV_OP_PLAIN = 512,        /* arithmetic and branches: it takes no pointer, and does nothing to memory */
    SPV_OP_READS_IMAGE = 1024, /* and does nothing else */
    SPV_OP_COMMUTATIVE = 2048,
    SPV_OP_ASSOCIATIVE = 4096,
    SPV_OP_SIGNED = 8192,
    SPV_OP_UNSIGNED = 16384,
    SPV_OP_UNORDERED = 32768,
    SPV_OP_IN_BOUNDS = 65536,
    SPV_OP_BY_ELEMENT = 131072,
    SPV_OP_LEADS_ON = 262144,
    SPV_OP_RELATION_SHIFT = 20, /* three bits: enum spv_relation */
    SPV_OP_CLASS_SHIFT = 24,    /* eight bits: enum spv_class */
};

/* What an operation is, as classes.def groups them. */
enum spv_class {
    SPV_CLASS_NONE,
#define CLASS(name, opcodes)    SPV_CLASS_##name,
#define RELATION(name, opcodes) /* below */
#define FACT(name, opcodes)     /* above */
#include "classes.def"
#undef CLASS
#undef RELATION
#undef FACT
    SPV_CLASS_COUNT
};

/* What a comparison asks of its operands. */
enum spv_relation {
    SPV_RELATION_NONE,
    SPV_RELATION_EQUAL,
    SPV_RELATION_UNEQUAL,
    SPV_RELATION_LESS,
    SPV_RELATION_LESS_EQUAL,
    SPV_RELATION_GREATER,
    SPV_RELATION_GREATER_EQUAL
};

/* Facts that passes ask for with every instruction, as tables for the opcodes that nearly all instructions have: flags,
 * and which operands are ids. */
enum { SPV_FAST_OPS = 512, SPV_IDS_AND_ACCESS = 0x80, SPV_IDS_ALL = 0xfe, SPV_IDS_BY_GRAMMAR = 0xff };
extern const uint32_t spv_fast_flags[SPV_FAST_OPS];
extern const uint8_t spv_fast_ids[SPV_FAST_OPS];

uint32_t spv_grammar_flags(uint16_t op);
static inline uint32_t spv_op_flags(uint16_t op)
{
    return op < SPV_FAST_OPS ? spv_fast_flags[op] : spv_grammar_flags(op);
}
static inline bool spv_op_has_type(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_HAS_TYPE;
}
static inline bool spv_op_has_result(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_HAS_RESULT;
}
static inline enum spv_class spv_op_class(uint16_t op)
{
    return (enum spv_class)(spv_op_flags(op) >> SPV_OP_CLASS_SHIFT);
}
static inline enum spv_relation spv_op_relation(uint16_t op)
{
    return (enum spv_relation)(spv_op_flags(op) >> SPV_OP_RELATION_SHIFT & 7);
}
/* The relation that holds exactly when the other does not, and the one of the operands in the other order. */
enum spv_relation spv_relation_inverse(enum spv_relation relation);
enum spv_relation spv_relation_mirrored(enum spv_relation relation);
/* The comparison that holds exactly when this one does not; 0: it is none. */
uint16_t spv_op_inverse(uint16_t op);
/* The first of the capabilities that the grammar names for it; SpvCapabilityMax: it needs none. */
SpvCapability spv_op_capability(uint16_t op);

static inline bool spv_op_is_type(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_TYPE;
}
static inline bool spv_op_is_constant(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_CONSTANT;
}
static inline bool spv_op_is_terminator(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_TERMINATOR;
}
static inline bool spv_op_is_decoration(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_DECORATION;
}
static inline bool spv_op_is_name(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_NAME;
}
static inline bool spv_op_is_line(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_LINE;
}
static inline bool spv_op_is_merge(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_MERGE;
}
static inline bool spv_op_is_chain(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_ACCESS_CHAIN;
}
/* Its first index counts elements at the pointer. */
static inline bool spv_op_is_by_element(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_BY_ELEMENT;
}
/* Its result, where it is a pointer, points into what its first operand points into. */
static inline bool spv_op_leads_on(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_LEADS_ON;
}
static inline bool spv_op_is_in_bounds(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_IN_BOUNDS;
}
/* OpCopyMemory, OpCopyMemorySized */
static inline bool spv_op_is_copy(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_COPY;
}
static inline bool spv_op_is_lifetime(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_LIFETIME;
}
static inline bool spv_op_is_atomic(uint16_t op)
{
    enum spv_class class = spv_op_class(op);
    return class == SPV_CLASS_ATOMIC || class == SPV_CLASS_FLOAT_ATOMIC;
}
/* One of kernels' that a whole work-group or sub-group meets at. */
static inline bool spv_op_is_group(uint16_t op)
{
    enum spv_class class = spv_op_class(op);
    return class >= SPV_CLASS_GROUP_VOTE && class <= SPV_CLASS_GROUP_LOGICAL;
}
/* One of Vulkan's of sub-groups. */
static inline bool spv_op_is_subgroup(uint16_t op)
{
    enum spv_class class = spv_op_class(op);
    return class >= SPV_CLASS_SUBGROUP_VOTE && class <= SPV_CLASS_SUBGROUP_LOGICAL;
}
/* OpUConvert, OpSConvert */
static inline bool spv_op_is_resize(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_INT_TO_INT;
}
/* A pass that follows pointers need not look at these. */
static inline bool spv_op_is_plain(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_PLAIN;
}
static inline bool spv_op_is_pure(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_PURE;
}
static inline bool spv_op_is_signed(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_SIGNED;
}
uint32_t spv_ext_inst_flags(const struct spv_inst *inst);
/* What a pass may do with an instruction that is not one of control flow, memory or calls, which each pass knows
 * itself. It knows extended instructions too, those of our own set by private.def. */
enum spv_effect {
    SPV_EFFECT_NONE,        /* see SPV_OP_PURE */
    SPV_EFFECT_READS_IMAGE, /* it may be removed when unused, but stays where it is */
    SPV_EFFECT_UNKNOWN
};
static inline enum spv_effect spv_inst_effect(const struct spv_inst *inst)
{
    uint32_t flags = inst->op == SpvOpExtInst ? spv_ext_inst_flags(inst) : spv_op_flags(inst->op);
    return flags & SPV_OP_PURE          ? SPV_EFFECT_NONE
           : flags & SPV_OP_READS_IMAGE ? SPV_EFFECT_READS_IMAGE
                                        : SPV_EFFECT_UNKNOWN;
}
static inline bool spv_inst_is_pure(const struct spv_inst *inst)
{
    return spv_inst_effect(inst) == SPV_EFFECT_NONE;
}
const char *spv_private_name(enum spv_private number); /* "Never" */
/* An instruction of our own set. Its operands start at words[2]. */
static inline bool spv_is_private(const struct spv_inst *inst, enum spv_private number)
{
    return inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_PRIVATE && inst->words[1] == number;
}

/* Whether overflow of the signed addition, subtraction or multiplication is undefined. */
static inline bool spv_op_may_wrap(uint16_t op)
{
    return op == SpvOpIAdd || op == SpvOpISub || op == SpvOpIMul;
}
static inline bool spv_no_signed_wrap(const struct spv_inst *inst)
{
    return inst->hints.no_signed_wrap && spv_op_may_wrap(inst->op);
}
static inline void spv_set_no_signed_wrap(struct spv_inst *inst, bool undefined)
{
    if (spv_op_may_wrap(inst->op))
        inst->hints.no_signed_wrap = undefined;
}

/* Arithmetic on floats and conversions from and to them: what NoContraction is said of, by no decoration in memory. */
static inline bool spv_op_is_float_arithmetic(uint16_t op)
{
    switch (spv_op_class(op)) {
    case SPV_CLASS_FLOAT_ARITHMETIC:
    case SPV_CLASS_FLOAT_TO_INT:
    case SPV_CLASS_INT_TO_FLOAT:
    case SPV_CLASS_FLOAT_TO_FLOAT:
        return true;
    default:
        return op == SpvOpDot || op == SpvOpVectorTimesScalar;
    }
}
static inline bool spv_no_contraction(const struct spv_inst *inst)
{
    return inst->hints.no_contraction && spv_op_is_float_arithmetic(inst->op);
}
static inline void spv_forbid_contraction(struct spv_inst *inst)
{
    if (spv_op_is_float_arithmetic(inst->op))
        inst->hints.no_contraction = true;
}
/* The decoration that the binary has for what the instruction says itself; SpvDecorationMax: none. */
static inline SpvDecoration spv_hinted_decoration(const struct spv_inst *inst)
{
    return spv_no_signed_wrap(inst)   ? SpvDecorationNoSignedWrap
           : spv_no_contraction(inst) ? SpvDecorationNoContraction
                                      : SpvDecorationMax;
}

/* Calls visit for every operand word of inst that is an id (the type is not an operand). The word may be replaced. */
typedef void (*spv_visit_id)(void *data, struct spv_inst *inst, uint32_t *word);
void spv_visit_by_grammar(struct spv_inst *inst, spv_visit_id visit, void *data);
/* The operand by which an instruction names a function that is, or may be, enqueued; NULL: it names none. */
uint32_t *spv_enqueued_function(struct spv_inst *inst);
/* Ids are so many operands at the front and no others; false: ask the grammar. */
static inline bool spv_leading_ids(const struct spv_inst *inst, uint32_t *count)
{
    uint32_t ids = inst->op < SPV_FAST_OPS ? spv_fast_ids[inst->op] : (uint32_t)SPV_IDS_BY_GRAMMAR;
    if (ids == SPV_IDS_ALL) {
        ids = inst->num_words;
    } else if (ids >= SPV_IDS_AND_ACCESS) {
        const uint32_t plain =
            SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask;
        uint32_t access = ids & (SPV_IDS_AND_ACCESS - 1);
        if (ids == SPV_IDS_BY_GRAMMAR || (access < inst->num_words && inst->words[access] & ~plain))
            return false;
        ids = access;
    }
    *count = ids;
    return true;
}
static inline void spv_visit_operand_ids(struct spv_inst *inst, spv_visit_id visit, void *data)
{
    uint32_t ids;
    if (!spv_leading_ids(inst, &ids)) {
        spv_visit_by_grammar(inst, visit, data);
        return;
    }
    for (uint32_t i = 0; i < ids; i++)
        visit(data, inst, &inst->words[i]);
}

/* ---- ids and definitions ---- */

void spv_reserve_ids(struct spv_module *module, uint32_t bound); /* makes ids below bound valid */
static inline spv_id spv_new_id(struct spv_module *module)
{
    if (module->bound == module->capacity) {
        spv_reserve_ids(module, module->bound + 1);
        return module->bound - 1;
    }
    return module->bound++;
}
static inline struct spv_inst *spv_def(const struct spv_module *module, spv_id id)
{
    return id < module->bound ? module->defs[id] : NULL;
}
/* Whether id is a constant: OpConstant*, OpSpecConstant*, not OpUndef. It looks into a table and not at the definition,
 * since passes ask it of nearly every operand. */
static inline bool spv_is_constant(const struct spv_module *module, spv_id id)
{
    return id < module->bound && module->constants[id];
}
/* The first decoration of an id, and the first name. */
static inline struct spv_inst *spv_decorations(const struct spv_module *module, spv_id id)
{
    return id < module->decorated ? module->decorations[id] : NULL;
}
static inline struct spv_inst *spv_names(const struct spv_module *module, spv_id id)
{
    return id < module->named ? module->names[id] : NULL;
}
static inline struct spv_block *spv_block_of(const struct spv_module *module, spv_id label)
{
    const struct spv_inst *def = spv_def(module, label);
    return def && def->op == SpvOpLabel ? def->block : NULL;
}

/* ---- building: module level. Types and constants are unique: the same request gives the same id. ---- */

void spv_add_capability(struct spv_module *module, SpvCapability capability); /* once each */
bool spv_has_capability(const struct spv_module *module, SpvCapability capability);
void spv_add_extension(struct spv_module *module, const char *name);    /* once each */
spv_id spv_import_ext_inst(struct spv_module *module, const char *set); /* once each; sets ext_opencl and its kin */
void spv_set_memory_model(struct spv_module *module, SpvAddressingModel addressing, SpvMemoryModel memory);
void spv_add_entry_point(struct spv_module *module, SpvExecutionModel model, spv_id function, const char *name,
                         uint32_t num_interface, const spv_id *interface);
void spv_add_execution_mode(struct spv_module *module, SpvOp op, spv_id function, SpvExecutionMode mode, uint32_t count,
                            const uint32_t *words);
void spv_add_name(struct spv_module *module, spv_id id, const char *name);
spv_id spv_add_string(struct spv_module *module, const char *text);
/* The text of a file, of which an OpString is the name: OpSource, and OpSourceContinued where it is long. Behind the OpString. */
void spv_add_source_text(struct spv_module *module, spv_id file, uint32_t language, uint32_t version, const char *text);
/* That text, in the module's arena; NULL: there is none. */
const char *spv_source_text(struct spv_module *module, spv_id file);
void spv_decorate(struct spv_module *module, spv_id id, SpvDecoration decoration, uint32_t count,
                  const uint32_t *words);
/* Of a function or variable; LinkOnceODR has SPV_KHR_linkonce_odr, which the caller declares. */
void spv_decorate_linkage(struct spv_module *module, spv_id id, const char *name, SpvLinkageType linkage);
void spv_decorate_member(struct spv_module *module, spv_id type, uint32_t member, SpvDecoration decoration,
                         uint32_t count, const uint32_t *words);
/* The numbers of an OpExecutionMode or OpExecutionModeId, at most count of them; false where there are fewer, or they
 * are ids of no integer constants. */
bool spv_mode_numbers(const struct spv_module *module, const struct spv_inst *mode, uint32_t count, uint32_t *numbers);
/* The decoration's instruction, or NULL. words = target, decoration, operands... */
struct spv_inst *spv_find_decoration(const struct spv_module *module, spv_id id, SpvDecoration decoration);
/* Whether two lists of decorations (spv_decorations()) say the same, in any order. They may be of two modules. */
bool spv_equal_decorations(const struct spv_inst *a, const struct spv_inst *b);
/* Removes all decorations and names of an id. */
void spv_remove_annotations(struct spv_module *module, spv_id id);

spv_id spv_type_void(struct spv_module *module);
spv_id spv_type_bool(struct spv_module *module);
spv_id spv_type_int(struct spv_module *module, uint32_t width); /* signedness 0, as OpenCL SPIR-V wants */
spv_id spv_type_float(struct spv_module *module, uint32_t width);
spv_id spv_type_vector(struct spv_module *module, spv_id component, uint32_t count); /* count 1 gives the component */
spv_id spv_type_array(struct spv_module *module, spv_id element, uint32_t length);   /* not decorated */
spv_id spv_type_pointer(struct spv_module *module, SpvStorageClass storage, spv_id pointee);
/* A new one each time, which OpTypeForwardPointer declares. */
spv_id spv_type_forward_pointer(struct spv_module *module, SpvStorageClass storage, spv_id pointee);
spv_id spv_type_function(struct spv_module *module, spv_id result, uint32_t count, const spv_id *params);
/* A new one each time: structs may differ by decoration only. */
spv_id spv_type_struct(struct spv_module *module, uint32_t count, const spv_id *members);
/* Any other type by opcode and operand words, unique by them. */
spv_id spv_type(struct spv_module *module, SpvOp op, uint32_t count, const uint32_t *words);

spv_id spv_const_bool(struct spv_module *module, bool value);
spv_id spv_const_u32(struct spv_module *module, uint32_t value);
spv_id spv_const_u64(struct spv_module *module, uint64_t value);
/* An integer or float scalar of the given type, from its bits (as the binary holds them: narrow integers
 * zero-extended). */
spv_id spv_const_bits(struct spv_module *module, spv_id type, uint64_t bits);
/* The value in every component where type is a vector. */
spv_id spv_const_splat(struct spv_module *module, spv_id type, uint64_t bits);
spv_id spv_const_composite(struct spv_module *module, spv_id type, uint32_t count, const spv_id *members);
spv_id spv_const_null(struct spv_module *module, spv_id type);
spv_id spv_undef(struct spv_module *module, spv_id type); /* module level, unique per type */
/* Any other module-level constant instruction (OpSpecConstant, OpSpecConstantOp, OpConstantSampler): a new one each
 * time. */
spv_id spv_const_inst(struct spv_module *module, SpvOp op, spv_id type, uint32_t count, const uint32_t *words);
/* A module-scope OpVariable; initializer may be 0. */
spv_id spv_global_variable(struct spv_module *module, spv_id pointer_type, SpvStorageClass storage, spv_id initializer);

/* ---- reading types and constants ---- */

static inline uint16_t spv_type_op(const struct spv_module *module, spv_id type) /* OpTypeInt... */
{
    const struct spv_inst *def = spv_def(module, type);
    return def ? def->op : (uint16_t)SpvOpNop;
}
/* Of a vector its component's type, else the type itself. */
static inline const struct spv_inst *spv_type_component_def(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    return def && def->op == SpvOpTypeVector ? spv_def(module, def->words[0]) : def;
}
uint32_t spv_type_width(const struct spv_module *module,
                        spv_id type); /* bits of an int or float (or of a vector's component) */
static inline spv_id spv_type_component(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_type_component_def(module, type);
    return def ? def->id : 0;
}
static inline uint32_t spv_type_count(const struct spv_module *module, spv_id type) /* 1 for a scalar */
{
    const struct spv_inst *def = spv_def(module, type);
    return def && def->op == SpvOpTypeVector ? def->words[1] : 1;
}
static inline bool spv_type_is_vector(const struct spv_module *module, spv_id type)
{
    return spv_type_op(module, type) == SpvOpTypeVector;
}
/* These three of a scalar or vector; bool is no int. */
static inline bool spv_type_is_float(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_type_component_def(module, type);
    return def && def->op == SpvOpTypeFloat;
}
static inline bool spv_type_is_int(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_type_component_def(module, type);
    return def && def->op == SpvOpTypeInt;
}
static inline bool spv_type_is_bool(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_type_component_def(module, type);
    return def && def->op == SpvOpTypeBool;
}
/* A float that is not IEEE 754's, which only matrices have (lower/ends/native_matrices.c). */
static inline bool spv_is_encoded_float(const struct spv_module *module, spv_id type)
{
    return spv_type_op(module, type) == SpvOpTypeFloat && spv_def(module, type)->num_words > 1;
}
static inline bool spv_type_is_matrix(const struct spv_module *module, spv_id type) /* a cooperative one */
{
    return spv_type_op(module, type) == SpvOpTypeCooperativeMatrixKHR;
}
static inline bool spv_type_is_pointer(const struct spv_module *module, spv_id type)
{
    return spv_type_op(module, type) == SpvOpTypePointer;
}
SpvStorageClass spv_pointer_storage(const struct spv_module *module, spv_id type);
spv_id spv_pointer_pointee(const struct spv_module *module, spv_id type);
/* OpenCL's type of a built-in variable where addresses have 64 bits: unsigned integers. */
struct spv_builtin_type {
    uint32_t width, lanes;
};
struct spv_builtin_type spv_builtin_type(SpvBuiltIn builtin);
uint64_t spv_array_length(const struct spv_module *module, spv_id type);
static inline spv_id spv_value_type(const struct spv_module *module, spv_id value)
{
    const struct spv_inst *def = spv_def(module, value);
    return def ? def->type : 0;
}
/* A scalar int/float/bool constant's bits (OpConstantNull gives 0); false where it is none. Spec constants are none. */
bool spv_const_value_of(const struct spv_module *module, const struct spv_inst *def, uint64_t *bits);
static inline bool spv_const_value(const struct spv_module *module, spv_id id, uint64_t *bits)
{
    *bits = 0;
    return spv_is_constant(module, id) && spv_const_value_of(module, module->defs[id], bits);
}
/* A string operand that starts at word index of inst; *next_word gets the index after it. */
const char *spv_string(const struct spv_inst *inst, uint32_t word, uint32_t *next_word);

/* ---- building: functions and blocks ---- */

struct spv_function *spv_function_create(struct spv_module *module, spv_id id, spv_id type,
                                         uint32_t control); /* appended; makes the parameters */
void spv_function_remove(struct spv_module *module,
                         struct spv_function *function); /* with its definitions, names and decorations */
struct spv_function *spv_function_of(const struct spv_module *module, spv_id id); /* NULL when id is no function */
struct spv_block *spv_block_create(struct spv_function *function, struct spv_module *module,
                                   spv_id label); /* label 0: a new id; not yet in the function */
void spv_block_append(struct spv_function *function, struct spv_block *block);
void spv_block_prepend(struct spv_function *function, struct spv_block *block); /* the new entry */
void spv_block_insert_after(struct spv_block *position, struct spv_block *block);
void spv_block_remove(struct spv_module *module, struct spv_block *block); /* with its instructions */
void spv_block_unlink(struct spv_block *block);                            /* to be appended or inserted elsewhere */
static inline struct spv_inst *spv_terminator(const struct spv_block *block)
{
    return block->insts.last;
}
static inline struct spv_inst *spv_merge_inst(const struct spv_block *block) /* Op*Merge, or NULL */
{
    struct spv_inst *inst = block->insts.last ? block->insts.last->prev : NULL;
    return inst && spv_op_is_merge(inst->op) ? inst : NULL;
}
/* The labels that the terminator can go to, duplicates included: first[i * step]. */
struct spv_targets {
    const spv_id *first;
    uint32_t count, step;
};
static inline struct spv_targets spv_targets(const struct spv_block *block)
{
    const struct spv_inst *inst = block->insts.last;
    switch (inst ? inst->op : SpvOpNop) {
    case SpvOpBranch:
        return (struct spv_targets){inst->words, 1, 1};
    case SpvOpBranchConditional:
        return (struct spv_targets){inst->words + 1, 2, 1};
    case SpvOpSwitch: {
        uint32_t step = inst->hints.literal_words + 1;
        return (struct spv_targets){inst->words + 1, 1 + (inst->num_words - 2) / step, step};
    }
    default:
        return (struct spv_targets){NULL, 0, 1};
    }
}
/* The same, copied; count returned. labels may be NULL. */
uint32_t spv_successors(const struct spv_block *block, uint32_t capacity, spv_id *labels);

/* An insertion point: after everything in block, or before an instruction of it. */
struct spv_builder {
    struct spv_module *module;
    struct spv_function *function;
    struct spv_block *block;
    struct spv_inst *before;        /* NULL: at the block's end */
    struct spv_inst *last_variable; /* where spv_emit_variable() put the last one, which must stay; NULL is fine */
};

/* A detached instruction; id 0 gives none. spv_new_id() first where there is a result. */
struct spv_inst *spv_inst_create(struct spv_module *module, SpvOp op, spv_id type, spv_id id, uint32_t count,
                                 const uint32_t *words);
/* A detached copy, with its hints but for scopes, of an instruction that a block holds. It takes over the definition of
 * id at once (0: it has none). Its operands are those of inst. */
struct spv_inst *spv_inst_copy(struct spv_module *module, const struct spv_inst *inst, spv_id id);
void spv_inst_insert(struct spv_builder *builder, struct spv_inst *inst);
void spv_inst_remove(struct spv_module *module, struct spv_inst *inst); /* unlinks; its id becomes undefined */
/* Unlinks without undefining, to be inserted elsewhere. */
void spv_inst_unlink(struct spv_inst *inst);
void spv_inst_set_words(struct spv_module *module, struct spv_inst *inst, uint32_t count, const uint32_t *words);

/* Emits an instruction with a result, returns its id. */
spv_id spv_emit(struct spv_builder *builder, SpvOp op, spv_id type, uint32_t count, const uint32_t *words);
/* Emits one without a result. */
struct spv_inst *spv_emit_void(struct spv_builder *builder, SpvOp op, uint32_t count, const uint32_t *words);
/* The same with the type as the first of the words. */
static inline spv_id spv_emit_words(struct spv_builder *builder, SpvOp op, uint32_t count, const uint32_t *words)
{
    return spv_emit(builder, op, words[0], count - 1, words + 1);
}
/* spv_emitv(&b, SpvOpIAdd, type, left, right). What its arguments emit is in their order. C leaves open in which order
 * the arguments of a function are computed (GCC's depends on the processor), and a module must not be another one on
 * another machine. Here they are items of one initialiser, which GCC and clang compute in turn. */
#define spv_emitv(builder, op, ...)                                                                                    \
    spv_emit_words((builder), (op), (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)),            \
                   (const uint32_t[]){__VA_ARGS__})
#define spv_emitv_void(builder, op, ...)                                                                               \
    spv_emit_void((builder), (op), (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)),             \
                  (const uint32_t[]){__VA_ARGS__})
/* A call of a function by name, declared with import linkage. Of the library's (__pumice_*) lowering finds the body. */
spv_id spv_emit_import_call(struct spv_builder *builder, const char *name, spv_id result, uint32_t count,
                            const spv_id *args);
spv_id spv_emit_ext(struct spv_builder *builder, spv_id type, spv_id set, uint32_t number, uint32_t count,
                    const spv_id *args);
/* A product of matrices that a sub-group holds together, plus c. k: the columns of A, 0: as many as
 * the operands say; operands: enum spv_mad_operands. */
struct spv_matrix_mad {
    spv_id type, a, b, c;
    uint32_t k, operands;
};
/* By calls of the library; 0: there is no such product (matrix_mad.c). */
spv_id spv_emit_matrix_mad(struct spv_builder *builder, const struct spv_matrix_mad *mad);
/* An instruction of our own set, which becomes part of the module. */
spv_id spv_emit_private(struct spv_builder *builder, enum spv_private number, spv_id type, uint32_t count,
                        const spv_id *args);
/* A Function-storage OpVariable in the entry block of the builder's function. */
spv_id spv_emit_variable(struct spv_builder *builder, spv_id pointee);

/* ---- replacing ---- */

/* bfloat16.c: a float as bfloat16, of a type of integers of 16 bits, and back; vectors, too. */
spv_id spv_emit_bfloat16(struct spv_builder *b, spv_id value, spv_id type);
spv_id spv_emit_from_bfloat16(struct spv_builder *b, spv_id value);
/* encoded_floats.c: how a conversion rounds to codes and whether it saturates, as library bodies take it
 * (builtins/lib/small_float.cl). What becomes another instruction loses decorations that only conversions and arithmetic
 * have. */
uint32_t spv_encoding_how(const struct spv_module *module, const struct spv_inst *conversion);
void spv_drop_arithmetic_decorations(struct spv_module *module, spv_id id);

/* Records that every use of old is to become new; spv_apply_replacements() rewrites the function (or with NULL the
 * whole module) in one walk. Chains are followed. */
struct spv_replacements {
    spv_id *to; /* by old id; 0: itself */
    uint32_t capacity;
    VEC(spv_id) replaced; /* the old ids */
};
void spv_replace(struct spv_module *module, struct spv_replacements *replacements, spv_id old, spv_id new_id);
spv_id spv_follow_replacements(const struct spv_replacements *replacements, spv_id id);
static inline spv_id spv_replaced(const struct spv_replacements *replacements, spv_id id) /* the end of id's chain */
{
    return id < replacements->capacity && replacements->to[id] ? spv_follow_replacements(replacements, id) : id;
}
void spv_apply_replacements(struct spv_module *module, struct spv_replacements *replacements,
                            struct spv_function *function);
/* The same for a pass that has rewritten each instruction on its way, definitions first. What is left are phis, and the
 * blocks that the pass did not see, whose index is SPV_UNREACHABLE. */
void spv_apply_rest_of_replacements(struct spv_module *module, struct spv_replacements *replacements,
                                    struct spv_function *function);
static inline void spv_rewrite_word(void *replacements, struct spv_inst *inst, uint32_t *word)
{
    const struct spv_replacements *known = (const struct spv_replacements *)replacements;
    (void)inst;
    if (*word < known->capacity && known->to[*word]) /* most are not, and are not written then */
        *word = spv_follow_replacements(known, *word);
}
static inline void spv_rewrite_operands(const struct spv_replacements *replacements, struct spv_inst *inst)
{
    if (replacements->replaced.length)
        spv_visit_operand_ids(inst, spv_rewrite_word, (void *)replacements);
}
void spv_finish_replacements(struct spv_module *module, struct spv_replacements *replacements); /* empty again */

/* ---- scopes (SPV_INTEL_memory_access_aliasing) ---- */

/* Takes what accesses say about each other out of the words of loads and stores; of other accesses it is dropped. The
 * arena must outlive the module and its clones. */
void spv_take_scopes(struct spv_module *module, struct arena *arena);
/* Whether two loads or stores touch different memory by their scopes, if they are run in the same iteration of every
 * loop around both of them (an access before a loop and one in it are; see scopes.c). */
bool spv_are_apart(const struct spv_module *module, const struct spv_inst *one, const struct spv_inst *two);
/* For code that is copied: the copy's number, and what one of its accesses says about others of the same copy. Without
 * these a copy says nothing. Of what is copied from the inside of a loop, each iteration must be a copy of its own. */
uint32_t spv_begin_scopes(struct spv_module *module);
void spv_copy_scopes(struct spv_module *module, const struct spv_inst *from, struct spv_inst *to, uint32_t copy);
/* 0: it says nothing. */
static inline uint32_t spv_row_of_scopes(const struct spv_inst *inst)
{
    return inst->op == SpvOpLoad || inst->op == SpvOpStore ? inst->hints.scopes : 0;
}
/* The first word of an access's memory operands; 0: the opcode has none. */
uint32_t spv_access_operands(uint16_t op);
/* Cuts the scopes out of the memory operands at word `at`, and returns the first word behind them. lists: the ids of
 * AliasScope and NoAlias; 0: there was none. */
uint32_t spv_cut_scopes(uint32_t *words, uint32_t at, uint32_t *count, uint32_t lists[2]);

/* ---- entry points ---- */

/* A module's entry points and execution modes by their functions, and its kernels by name: looking through all of
 * them for each of many kernels would take time that grows with the square of the kernels. */
struct spv_entry {
    const struct spv_inst *inst;  /* OpEntryPoint, OpExecutionMode or OpExecutionModeId */
    const struct spv_entry *next; /* of the same function, in the module's order */
};
struct spv_entries {
    struct u64_map by_function;               /* its id -> the first struct spv_entry */
    struct str_map kernels;                   /* name -> the first OpEntryPoint of a kernel */
    struct u64_map forwards;                  /* ids that OpTypeForwardPointer announces */
    VEC(struct spv_inst *) opaque, variables; /* types of queues, device events, named barriers; of module scope */
};
const struct spv_entries *spv_find_entries(struct arena *arena, const struct spv_module *module);

/* ---- linking ---- */

/* How the reader names the functions that call by a pointer, and those whose address is taken: a number follows
 * (spv/function_pointers.c). */
#define SPV_CALL_NAME    "pumice.call."
#define SPV_ADDRESS_NAME "pumice.address."

/* Copies functions, with all that they reach (types, constants, variables, decorations, names, called functions), from
 * one module to another; types and constants merge with equal ones. Reuse it for later calls with the same pair of
 * modules. */
struct spv_import {
    struct spv_module *to;
    const struct spv_module *from;     /* does not change meanwhile */
    const struct spv_entries *entries; /* of from; NULL: found by the import */
    /* the rest is the import's own */
    spv_id **ids;           /* of from -> of to, in pages that are NULL before their first; NULL before the first */
    struct u64_map reaches; /* structs of from -> not NULL where they hold a forward pointer */
    bool busy;
    VEC(const struct spv_function *) pending;
};
enum { SPV_IMPORT_PAGE = 512 }; /* ids: few of a program with many kernels are reached by one of them */
/* What an id has become, or what it is to be (0: nothing yet). */
static inline spv_id spv_imported(const struct spv_import *import, spv_id id)
{
    const spv_id *page = import->ids && id < import->from->bound ? import->ids[id / SPV_IMPORT_PAGE] : NULL;
    return page ? page[id % SPV_IMPORT_PAGE] : 0;
}
void spv_set_imported(struct spv_import *import, spv_id id, spv_id to);
/* The id in the target. Kernels bring their entry point and execution modes. */
spv_id spv_import_function(struct spv_import *import, spv_id function);
spv_id spv_import_id(struct spv_import *import, spv_id id); /* a type, constant or module-scope variable */

#define spv_foreach_function(fn, module) for (struct spv_function *fn = (module)->first_function; fn; fn = fn->next)
#define spv_foreach_block(block, fn)     for (struct spv_block *block = (fn)->first_block; block; block = block->next)
#define spv_foreach_inst(inst, list)     for (struct spv_inst *inst = (list)->first; inst; inst = inst->next)
#define spv_foreach_inst_safe(inst, list)                                                                              \
    for (struct spv_inst *inst = (list)->first, *inst##_next = inst ? inst->next : NULL; inst;                         \
         inst = inst##_next, inst##_next = inst ? inst->next : NULL)

#endif
