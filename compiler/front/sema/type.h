/* The types of OpenCL C. Made by sema/type.c; every room of the front end from sema on reads them. */
#ifndef COMPILER_FRONT_TYPE_H
#define COMPILER_FRONT_TYPE_H

#include "compiler/front/pp/front.h"

struct decl;

enum type_kind {
    TYPE_POISON,
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_CHAR,
    TYPE_UCHAR,
    TYPE_SHORT,
    TYPE_USHORT,
    TYPE_INT,
    TYPE_UINT,
    TYPE_LONG,
    TYPE_ULONG, /* in rank order; signed, unsigned */
    TYPE_HALF,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_VECTOR,
    TYPE_MATRIX, /* cooperative; without rows: of whatever type it is converted to (sema/matrix.c) */
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_FUNCTION,
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ENUM,
    TYPE_BLOCK, /* pointer to a block literal's function: pointee is a function type */
    TYPE_IMAGE,
    TYPE_SAMPLER,
    TYPE_EVENT,
    TYPE_QUEUE,
    TYPE_NDRANGE,
    TYPE_CLK_EVENT,
    TYPE_RESERVE_ID,
    TYPE_PIPE, /* opaque */
    TYPE_KIND_COUNT
};

enum address_space { AS_PRIVATE, AS_GLOBAL, AS_CONSTANT, AS_LOCAL, AS_GENERIC };
enum {
    QUAL_CONST = 1,
    QUAL_VOLATILE = 2,
    QUAL_RESTRICT = 4,
    QUAL_ATOMIC = 8,
    QUAL_READ_ONLY = 16,
    QUAL_WRITE_ONLY = 32,
    QUAL_READ_WRITE = 64
};
enum matrix_use { MATRIX_A, MATRIX_B, MATRIX_ACCUMULATOR };
/* What the elements are codes of. */
enum matrix_encoding { MATRIX_NUMBERS, MATRIX_BFLOAT16, MATRIX_E4M3, MATRIX_E5M2 };
enum image_kind {
    IMAGE_1D,
    IMAGE_1D_ARRAY,
    IMAGE_1D_BUFFER,
    IMAGE_2D,
    IMAGE_2D_ARRAY,
    IMAGE_2D_DEPTH,
    IMAGE_2D_ARRAY_DEPTH,
    IMAGE_2D_MSAA,
    IMAGE_2D_ARRAY_MSAA,
    IMAGE_2D_MSAA_DEPTH,
    IMAGE_2D_ARRAY_MSAA_DEPTH,
    IMAGE_3D
};

/* A type with qualifiers and the address space that the object lives in. Passed by value. */
struct qual_type {
    const struct type *type;
    uint8_t quals;            /* QUAL_* */
    uint8_t address_space;    /* of the object itself; for a pointer's target: type->pointee.address_space */
    uint8_t sugar_depth;      /* how many pointers and arrays were derived from the sugar's type since */
    const struct decl *sugar; /* the typedef or enum it was written as, for messages; or NULL */
};

struct field {
    struct ident *name; /* NULL: anonymous struct/union member or padding bit-field */
    struct qual_type type;
    uint64_t offset; /* bytes */
    src_loc loc;
    uint32_t align;      /* aligned attribute of its own; 0: none */
    uint32_t type_align; /* what its type asks for, an aligned typedef included */
    bool packed;         /* attribute of its own */
    bool restricted_use; /* deprecated or unavailable */
};

/* Equal types are one object, but for records, enumerations and arrays completed later: see clc_type_equal(). */
struct type {
    enum type_kind kind;
    uint64_t size; /* bytes; 0 where incomplete or a function */
    uint32_t align;
    bool incomplete;
    union {
        struct {
            const struct type *element;
            uint32_t count;
        } vector; /* count 2, 3, 4, 8, 16; element bool: result type of internal compares only */
        struct {
            const struct type *element;
            uint32_t rows, columns, use;   /* use: enum matrix_use */
            enum matrix_encoding encoding; /* not of MATRIX_NUMBERS: the element is a ushort or uchar */
        } matrix;
        struct {
            struct qual_type pointee;
        } pointer; /* also blocks */
        struct {
            struct qual_type element;
            uint64_t count;
        } array;
        struct {
            struct qual_type result;
            struct qual_type *params;
            uint32_t num_params;
            bool variadic, no_prototype;
        } function;
        struct {
            struct decl *tag;
            struct field *fields;
            const struct u64_map *names; /* ident -> 1 + index of its field, or of the anonymous member that has it */
            uint32_t num_fields;
            bool packed;
            bool has_flexible;
        } record;
        struct {
            struct decl *tag;
            const struct type *underlying;
            const struct decl *constants; /* by decl->next */
        } enumeration;
        struct {
            enum image_kind dim;
            uint8_t access;
        } image; /* access: QUAL_READ_ONLY... */
        struct {
            struct qual_type packet;
            uint8_t access;
        } pipe;
    };
    const struct type *unique_next;   /* type table: next of the same hash */
    const struct type *pointer_to[5]; /* cache: unqualified pointer to this type in each address space */
    void *emit;                       /* emission's: SPIR-V ids of this type (see emit.h) */
};

struct type_table {
    const struct type *scalars[TYPE_DOUBLE + 1];    /* by kind, poison and void included */
    const struct type *vectors[TYPE_DOUBLE + 1][5]; /* by element kind and index of 2, 3, 4, 8, 16 */
    const struct type *any_matrix;
    const struct type *sampler, *event, *queue, *ndrange, *clk_event, *reserve_id;
    const struct type *images[IMAGE_3D + 1][3]; /* by access read, write, read_write */
    struct u64_map unique;                      /* hash -> pointers, arrays, functions */
};

/* ---- sema/type.c, sema/type_text.c ---- */
void clc_types_init(struct clc_front *front);
const struct type *clc_type_vector(struct clc_front *front, const struct type *element,
                                   uint32_t count); /* count 1: the element */
const struct type *clc_type_matrix(struct clc_front *front, const struct type *element, uint32_t rows, uint32_t columns,
                                   enum matrix_use use, enum matrix_encoding encoding);
const struct type *clc_type_pointer(struct clc_front *front, struct qual_type pointee);
const struct type *clc_type_array(struct clc_front *front, struct qual_type element, uint64_t count);
const struct type *clc_type_function(struct clc_front *front, struct qual_type result, const struct qual_type *params,
                                     uint32_t num_params, bool variadic);
bool clc_type_equal(const struct type *a, const struct type *b); /* compatible, qualifiers of the top level ignored */
const char *clc_type_text(struct clc_front *front, struct qual_type type); /* as clang writes it: "__global float4 *" */
const char *clc_type_text_info(struct clc_front *front,
                               struct qual_type type); /* as CL_KERNEL_ARG_TYPE_NAME: "float4*" */
static inline bool type_is_integer_kind(enum type_kind kind)
{
    return kind >= TYPE_BOOL && kind <= TYPE_ULONG;
}
static inline bool type_is_float_kind(enum type_kind kind)
{
    return kind >= TYPE_HALF && kind <= TYPE_DOUBLE;
}
static inline bool type_is_scalar_arith(const struct type *type)
{
    return type->kind >= TYPE_BOOL && type->kind <= TYPE_DOUBLE;
}
static inline const struct type *type_element(const struct type *type)
{
    return type->kind == TYPE_VECTOR ? type->vector.element : type;
}
/* Of a matrix, too. */
static inline const struct type *type_component(const struct type *type)
{
    return type->kind == TYPE_MATRIX ? type->matrix.element : type_element(type);
}
static inline uint32_t type_lanes(const struct type *type)
{
    return type->kind == TYPE_VECTOR ? type->vector.count : 1;
}
static inline bool type_is_signed_kind(enum type_kind kind)
{
    return kind == TYPE_CHAR || kind == TYPE_SHORT || kind == TYPE_INT || kind == TYPE_LONG;
}

#endif
