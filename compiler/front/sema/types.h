/* Questions about types, and the types that only the checks make (type.c, type_text.c, mangle.c). */
#ifndef COMPILER_FRONT_SEMA_TYPES_H
#define COMPILER_FRONT_SEMA_TYPES_H

#include "base/util.h"
#include "compiler/front/sema/ast.h"

struct sema;

static inline struct qual_type qt(const struct type *type)
{
    return (struct qual_type){.type = type};
}
static inline bool is_poison(const struct type *type)
{
    return type->kind == TYPE_POISON;
}
static inline bool expr_poison(const struct expr *expr)
{
    return expr->type.type->kind == TYPE_POISON;
}
const struct type *type_scalar(struct sema *s, enum type_kind kind);
/* The arithmetic type underneath an enumeration; others unchanged. */
static inline const struct type *type_strip_enum(const struct type *type)
{
    return type->kind == TYPE_ENUM ? type->enumeration.underlying : type;
}
static inline bool type_is_integer(const struct type *type)
{
    return type_is_integer_kind(type->kind) || type->kind == TYPE_ENUM;
}
static inline bool type_is_float(const struct type *type)
{
    return type_is_float_kind(type->kind);
}
static inline bool type_is_arith(const struct type *type)
{
    return type_is_integer(type) || type_is_float(type);
}
/* Of an array, what it has in the end. */
static inline const struct type *sema_innermost(const struct type *type)
{
    while (type->kind == TYPE_ARRAY)
        type = type->array.element.type;
    return type;
}
static inline bool type_is_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER;
}
static inline bool type_is_record(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}
static inline bool type_is_scalar(const struct type *type)
{
    return type_is_arith(type) || type->kind == TYPE_POINTER || type->kind == TYPE_BLOCK;
}
static inline bool type_is_opaque(const struct type *type)
{
    return type->kind >= TYPE_IMAGE && type->kind <= TYPE_PIPE && type->kind != TYPE_NDRANGE;
}
bool type_is_signed(const struct type *type);
/* An array's element as the object in it: the array's address space and qualifiers added. */
struct qual_type type_array_element(struct qual_type array);
struct qual_type qual_type_unqualified(struct qual_type type);
bool qual_type_same(struct qual_type a, struct qual_type b); /* compatible with equal qualifiers and address space */
struct qual_type type_derived(struct qual_type from, const struct type *derived); /* carries the sugar */
struct qual_type type_undo(struct qual_type from, struct qual_type inner);        /* ...back */
const struct type *type_block(struct sema *s, const struct type *function);
const struct type *type_pipe(struct sema *s, struct qual_type packet, uint8_t access);
const struct type *type_image(struct sema *s, enum image_kind kind, uint8_t access);
struct type *type_new_record(struct sema *s, enum type_kind kind, struct decl *tag);
void type_layout_record(struct sema *s, struct type *type, uint32_t min_align, uint32_t max_align);
/* "'float4'", or "'foo' (aka 'struct bar')" for messages. */
const char *type_quote(struct sema *s, struct qual_type type);
const char *type_quote_expr(struct sema *s, const struct expr *expr);
const char *address_space_name(uint32_t space);
const char *clc_mangle(struct clc_front *front, struct ident *name, const struct type *function);

#endif
