/* Pointers as numbers: what the files of the memory pass share (memory.c, address.c, access.c, region.c, atomic.c,
 * copy.c).
 *
 * This is the only place that knows how a pointer is represented. A second lowering (for devices without buffer
 * addresses) would reimplement the functions marked "representation".
 *
 *   space     number  what it is
 *   global    u64     device address (constant memory too)
 *   local     u32     MEM_BIAS + byte offset into the work-group's memory, so that no object lies at 0
 *   private   u32     likewise, into the work-item's private regions
 *   generic   u64     global: the address; local and private: MEM_TAG_* in the upper half, the number in the lower;
 * null is 0
 *
 * In memory every pointer takes 8 bytes and has the generic form. */
#ifndef COMPILER_LOWER_MEMORY_MEMORY_H
#define COMPILER_LOWER_MEMORY_MEMORY_H

#include "compiler/lower/values/access.h"
#include "compiler/lower/values/data.h"
#include "compiler/spv/layout.h"
#include "compiler/lower/values/lower.h"

#define MEM_BIAS        128
#define MEM_TAG_LOCAL   ((uint32_t)CLC_TAG_LOCAL)
#define MEM_TAG_PRIVATE ((uint32_t)CLC_TAG_PRIVATE)

enum mem_space { MEM_NONE, MEM_GLOBAL, MEM_LOCAL, MEM_PRIVATE, MEM_GENERIC };

#define MEM_TERMS 4

/* Of private memory in the scratch buffer: what places there are multiples of. */
#define MEM_SCRATCH_ALIGN 16

struct mem_term {
    spv_id index; /* an integer of any width, sign-extended where it is narrower than the number */
    int64_t scale;
};

/* A pointer value as a sum, which is written out where it is used: base + the variable's place + terms + offset. */
struct mem_ptr {
    uint8_t space; /* enum mem_space */
    bool known;
    bool is_read_only;             /* nobody writes there while the kernel runs */
    spv_id base;                   /* a number, or 0 */
    spv_id variable;               /* OpVariable that it points into, or 0 */
    const struct lower_data *data; /* global: base is this block's address */
    uint32_t node;                 /* of the union-find over what pointers may point to; 0: none */
    uint32_t num_terms;
    struct mem_term terms[MEM_TERMS];
    int64_t offset;
};

/* A region is an array of one unit. It holds all the variables of local or private memory that one pointer may reach.
 */
struct mem_region {
    uint8_t space;
    bool is_float;                            /* all accesses are floats of the unit's size */
    bool args;                                /* the local arguments */
    bool views;                               /* explicit layout: the unit is the access's */
    bool scratch;                             /* private memory too large for the device: in a buffer */
    uint8_t unit;                             /* bytes: 1, 2, 4 or 8 */
    uint8_t sizes, float_sizes, atomic_sizes; /* masks of access sizes in bytes, from the survey */
    uint8_t word_parts; /* mask of the sizes of components of small vectors that fill whole words */
    bool words;         /* such vectors are moved as 32-bit words: nothing here is narrower */
    bool misaligned;
    bool scattered;      /* scalars are reached at what is not a constant place within 16 bytes */
    uint8_t copies;      /* mask of the chunks, in bytes, by which objects are copied whole */
    uint8_t vectors;     /* mask of the counts of aligned vectors that are moved whole: 2, 4 */
    uint8_t lanes;       /* local memory: units in an element of the array, 1, 2 or 4 */
    uint8_t matrices;    /* mask of the sizes of components of native matrices that are loaded or stored there */
    bool int_atomics;    /* floats' exchanges too, which go as integers */
    uint64_t base, size; /* numbers [base, base + size) */
    uint64_t scratch_offset;
    spv_id variable;     /* the array; 0 until used */
    spv_id element;      /* its element type */
    VEC(spv_id) objects; /* OpVariables */
};

struct mem_class { /* what a set of pointers may point to, and what is done through them */
    uint64_t args; /* kernel arguments, bit 63: any above */
    bool reads, writes;
    bool is_open; /* an argument without restrict leads here: others may write it, too */
    bool exists;
    struct mem_region *region; /* local and private */
};

/* Nodes of the union-find before those of pointers: */
enum { MEM_NODE_NONE, MEM_NODE_UNKNOWN, MEM_NODE_LOCAL, MEM_NODE_PRIVATE, MEM_NODE_LOCAL_ARGS, MEM_NODE_FIRST };

struct memory {
    struct lower *lower;
    struct arena *arena;
    struct spv_module *module;
    const struct clc_target *target;
    struct spv_layouts layouts;
    struct spv_replacements replacements;
    uint32_t num_ids;          /* ids that existed when the pass started */
    struct mem_ptr **ptrs;     /* by id; NULL for what is no pointer */
    spv_id *pointer_types;     /* by id of a pointer: its type, which has changed by the time that it is asked for */
    VEC(uint32_t) parent;      /* union-find: node -> one nearer to its representative */
    struct mem_class *classes; /* by representative node */
    VEC(struct mem_region *) regions;
    struct str_map helpers; /* name -> function id */
    uint32_t *depths;       /* id -> loops around its definition; NULL: there are none */
    struct u64_map places;  /* variable -> number where it starts */
    spv_id local_args_size; /* the specialisation constant; 0 until used */
    struct u64_map views;   /* element type -> variable: local memory through explicit layout */
    uint64_t local_end;     /* number after the last local object */
    bool from_integers;     /* pointers are made of integers or read from memory: where an address goes is not known */
    bool generic_local, generic_private; /* such pointers are cast to generic ones */
    bool generic_tags;                   /* either of them: generic pointers need a look at their tag */
    bool fences_known, has_fences;       /* of the whole program, for order.c */
    spv_id scratch_variable;             /* Private u64: the work-item's scratch address; 0 until used */
};

/* ---- analyse.c ---- */

/* Whether values of the type are pointers that the pass makes numbers. */
bool mem_is_pointer(const struct memory *m, spv_id type);
/* Fills ptrs and parent, and depths where there are loops. */
void mem_analyse(struct memory *m);

/* ---- address.c ---- */

/* The type that the pointer points to, or pointed to when the pass began. */
static inline spv_id mem_pointee(const struct memory *m, spv_id pointer)
{
    return spv_pointer_pointee(m->module, m->pointer_types[pointer]);
}

enum mem_space mem_space_of(const struct spv_module *module, spv_id pointer_type);
uint32_t mem_find(struct memory *m, uint32_t node);
void mem_unite(struct memory *m, uint32_t a, uint32_t b);
struct mem_class *mem_class_of(struct memory *m, const struct mem_ptr *ptr);
/* The sum of any id of pointer type. null and undef give a null pointer. */
struct mem_ptr mem_ptr_of(struct memory *m, spv_id id);
struct mem_ptr mem_ptr_from(enum mem_space space, uint32_t node, spv_id number);
/* ptr + index * scale. It may emit instructions at b, when there are too many terms. */
void mem_add_index(struct memory *m, struct spv_builder *b, struct mem_ptr *ptr, spv_id index, int64_t scale);
struct mem_ptr mem_ptr_at(const struct mem_ptr *ptr, int64_t offset);
/* Whether the sum's base is none, or a local argument, which the launch places at a multiple of 16. */
bool mem_begins_aligned(const struct memory *m, const struct mem_ptr *ptr);
/* The largest power of two that is known to divide the address. */
uint32_t mem_known_align(struct memory *m, const struct mem_ptr *ptr);

spv_id mem_number_type(struct memory *m, enum mem_space space);
spv_id mem_number(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr); /* representation */
/* (ptr - start) / unit as u32, for local and private pointers that are known to be multiples of unit. */
spv_id mem_element_index(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint64_t start,
                         uint32_t unit);
/* Converts a number of one space to another's (for casts, and for the form in memory, which is the generic one). */
spv_id mem_convert_number(struct memory *m, struct spv_builder *b, spv_id number, enum mem_space from,
                          enum mem_space to, bool maybe_null);
spv_id mem_int(struct spv_module *module, spv_id value_type, uint64_t bits);
/* An integer in another width, sign-extended if it was narrower. Looks through conversions. */
spv_id mem_resize_index(struct memory *m, struct spv_builder *b, spv_id index, uint32_t width);

/* ---- access.c ---- */

/* type: a scalar, vector, or pointer. align: 0 for the type's own. */
spv_id mem_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                const struct lower_access *access);
void mem_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type, spv_id value,
               const struct lower_access *access);
/* An unsigned integer of size bytes. */
spv_id mem_load_bits(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                     const struct lower_access *access);
void mem_store_bits(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                    const struct lower_access *access);
/* A Vulkan pointer to a whole scalar of that type (an int for atomics): global memory. representation */
spv_id mem_global_pointer(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type);
spv_id mem_bitcast(struct spv_builder *b, spv_id value, spv_id type);

/* ---- region.c ---- */

void mem_survey_access(struct memory *m, const struct mem_ptr *ptr, uint32_t size, bool is_float, uint32_t align,
                       bool atomic);
/* Notes an access to a vector of count such scalars, or a scalar if count is 1; align is that of the whole. */
void mem_survey_vector(struct memory *m, const struct mem_ptr *ptr, uint32_t size, uint32_t count, uint32_t align);
/* Notes a copy of an object from or to ptr, chunk bytes at a time. */
void mem_survey_words(struct memory *m, const struct mem_ptr *ptr, uint32_t size);
void mem_survey_chunks(struct memory *m, const struct mem_ptr *ptr, uint32_t chunk);
bool mem_lay_out_regions(struct memory *m);
struct mem_region *mem_region_of(struct memory *m, const struct mem_ptr *ptr);
uint32_t mem_variable_align(struct memory *m, spv_id variable);
/* The number at which a variable starts. */
uint64_t mem_variable_number(struct memory *m, spv_id variable);
spv_id mem_region_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id type,
                       bool is_volatile);
void mem_region_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                      bool is_volatile);
/* How many components of a local vector of scalars of size bytes are moved at once: 1, 2 or 4. */
uint32_t mem_region_step(struct memory *m, const struct mem_ptr *ptr, uint32_t count, uint32_t size, uint32_t align);
spv_id mem_region_load_vector(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id type,
                              bool is_volatile);
void mem_region_store_vector(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id value,
                             bool is_volatile);
/* A pointer to one element, for atomics. The type must have the unit's size (the survey has made sure of that). 0 where
 * that cannot be. */
spv_id mem_region_element(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size);
/* A pointer to one element of that type in local memory with an explicit layout, whatever other accesses there are. */
spv_id mem_region_view(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id element);
/* For private memory that was moved to the scratch buffer: the same pointer as a global one. */
struct mem_ptr mem_scratch_ptr(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr);

/* ---- helper.c: functions that hold the control flow which an access needs ---- */

struct mem_helper {
    struct spv_builder builder; /* at the end of the function's only block so far */
    spv_id function;
    bool is_new; /* the body is to be written */
    spv_id params[4];
};
/* The function of this name, which is made if it is missing. */
struct mem_helper mem_helper(struct memory *m, const char *name, spv_id result, uint32_t count, const spv_id *types);
/* Emits an if, with then as one arm. Both arms must return from the function. The builder ends up in the else arm. */
typedef void (*mem_emit_arm)(struct memory *m, struct spv_builder *b, void *data);
void mem_return_if(struct memory *m, struct spv_builder *b, spv_id condition, mem_emit_arm then, void *data);

spv_id mem_generic_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                        const struct lower_access *access);
void mem_generic_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                       const struct lower_access *access);
/* Branches on the tag of a generic pointer: for each space that it can have, calls emit with the pointer of that space.
 * emit ends the block with a return. */
typedef void (*mem_emit_space)(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, void *data);
void mem_switch_space(struct memory *m, struct spv_builder *b, spv_id number, mem_emit_space emit, void *data);

/* ---- atomic.c, copy.c, matrices.c ---- */

void mem_survey_atomic(struct memory *m, const struct spv_inst *inst);
void mem_lower_atomic(struct memory *m, struct spv_inst *inst);
void mem_survey_copy(struct memory *m, const struct spv_inst *inst);
void mem_lower_copy(struct memory *m, struct spv_inst *inst);
void mem_survey_matrix(struct memory *m, const struct spv_inst *inst);
void mem_lower_matrix(struct memory *m, struct spv_inst *inst);

/* ---- order.c: memory_order_seq_cst ---- */

bool mem_is_seq_cst(const struct memory *m, spv_id semantics);
/* Emitted before a seq_cst atomic access: orders it with the program's fences, if there are any. */
void mem_order_access(struct memory *m, struct spv_builder *b);
/* Lowers an OpMemoryBarrier that is seq_cst; others stay as they are. */
void mem_lower_fence(struct memory *m, struct spv_inst *inst);
/* A compare and exchange on bits that is seq_cst also if it fails. Returns what was there, 0 after an error. pointer_of
 * makes the Vulkan pointer. */
struct mem_exchange {
    spv_id scope, semantics, failure_semantics, value, comparator;
};
typedef spv_id (*mem_emit_pointer)(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                                   spv_id type);
spv_id mem_order_compare_exchange(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                                  mem_emit_pointer pointer_of, const struct mem_exchange *exchange);

#endif
