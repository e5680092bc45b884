/* Expressions: the node for each, with its type, its conversions and its folded value. */
#ifndef COMPILER_FRONT_SEMA_CHECK_H
#define COMPILER_FRONT_SEMA_CHECK_H

#include "compiler/front/sema/sema.h"

/* ---- expr.c, conditional.c, member.c, call.c ---- */

struct expr *expr_new(struct sema *s, enum expr_kind kind, struct qual_type type, src_loc loc, struct src_range range);
struct expr *expr_int(struct sema *s, const struct type *type, uint64_t value, src_loc loc, struct src_range range);
struct expr *expr_decl(struct sema *s, struct decl *decl, src_loc loc, struct src_range range);
struct expr *expr_cast(struct sema *s, enum cast_kind kind, struct expr *operand, const struct type *to);
static inline struct src_range range_join(struct src_range a, struct src_range b)
{
    return (struct src_range){a.begin, b.end};
}
struct expr *sema_unary(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc);
struct expr *sema_binary(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc);
struct expr *sema_assign(struct sema *s, struct expr *left, struct expr *right, bool compound, enum binary_op op,
                         src_loc loc);
struct expr *sema_conditional(struct sema *s, struct expr *condition, struct expr *then_value, struct expr *else_value,
                              src_loc loc);
/* What operators on pointers share: the index as a number of 64 bits; whether the two may point to the same memory; both
 * into one address space (generic where they differ), keeping what they point to. */
struct expr *sema_index_to_64(struct sema *s, struct expr *index);
bool sema_spaces_overlap(const struct expr *left, const struct expr *right);
void sema_common_space(struct sema *s, struct expr **left, struct expr **right);
struct expr *sema_comma(struct sema *s, struct expr *left, struct expr *right, src_loc loc);
struct expr *sema_explicit_cast(struct sema *s, struct qual_type to, struct expr *operand, src_loc loc,
                                struct src_range range);
struct expr *sema_vector_literal(struct sema *s, const struct type *type, struct expr **args, uint32_t num_args,
                                 src_loc loc, struct src_range range);
struct expr *sema_index(struct sema *s, struct expr *base, struct expr *index, src_loc loc);
struct expr *sema_member(struct sema *s, struct expr *base, struct ident *name, src_loc name_loc, bool arrow,
                         src_loc loc);
/* Finds a member, anonymous records searched; path gets the field numbers from outside in. */
bool sema_find_field(const struct type *record, const struct ident *name, uint32_t *path, uint32_t max_path,
                     uint32_t *length);
struct expr *sema_call(struct sema *s, struct expr *callee, struct expr **args, uint32_t num_args, src_loc loc,
                       src_loc end);
struct expr *sema_call_name(struct sema *s, struct ident *name, struct expr **args, uint32_t num_args, src_loc loc,
                            src_loc end);
bool sema_check_half_value(struct sema *s, const struct expr *expr);
/* The declaration that an expression's name leads to, through parentheses and casts; or NULL. */
struct decl *expr_base_decl(const struct expr *expr);
struct expr *sema_shuffle_lanes(struct sema *s, struct expr *base, const uint8_t *lanes, uint32_t count, src_loc loc);

/* ---- cooperative matrices (matrix.c) ---- */

/* Whether it is one of a known type: any_matrix is what a call gives whose type is not known yet. */
static inline bool sema_is_matrix(const struct expr *expr)
{
    return expr->type.type->kind == TYPE_MATRIX && expr->type.type->matrix.rows;
}
/* Gives such a call the type that it is converted to; poison where that is no matrix. */
struct expr *sema_type_matrix(struct sema *s, struct expr *expr, struct qual_type to, src_loc loc);
/* One operand at least is a matrix. Converts the other one to its type; false: reported. */
bool sema_check_matrix_numbers(struct sema *s, const struct expr *matrix,
                               src_loc loc); /* others are no concern of it */
bool sema_matrix_operands(struct sema *s, enum binary_op op, struct expr **left, struct expr **right, src_loc loc);
/* An expression that nothing converts any more. */
struct expr *sema_check_typed(struct sema *s, struct expr *expr);

/* ---- conversions (convert.c) ---- */

/* The conversion of one number to another. */
enum cast_kind sema_arith_cast(const struct type *from, const struct type *to);

enum convert_context { CONVERT_ASSIGN, CONVERT_INIT, CONVERT_PASS, CONVERT_RETURN, CONVERT_BUILTIN };
/* Assignment conversion with its messages; param: the parameter for CONVERT_PASS. Poison when impossible. */
struct expr *sema_convert(struct sema *s, struct expr *expr, struct qual_type to, enum convert_context context,
                          src_loc loc);
struct expr *sema_condition(struct sema *s, struct expr *expr); /* rvalue, to bool; messages for non-scalars */
struct expr *sema_promote(struct sema *s, struct expr *expr);   /* rvalue with integer promotions */
struct expr *sema_widened_bool(struct sema *s, struct expr *expr);
struct expr *sema_to_arith(struct sema *s, struct expr *expr, const struct type *to); /* no checks */
/* Usual arithmetic conversions on both; false: reported. vectors allowed. */
bool sema_usual(struct sema *s, struct expr **left, struct expr **right, src_loc loc, bool compound_left);
bool sema_is_null_constant(const struct expr *expr);
struct expr *clc_rvalue(struct clc_front *front, struct expr *expr); /* lvalue-to-rvalue, array and function decay */
/* For the resolution of built-in functions: inserts the conversion as if by assignment, and reports a mismatch. */
struct expr *clc_convert(struct clc_front *front, struct expr *expr, struct qual_type to);
enum pointer_match {
    POINTER_SAME,
    POINTER_QUALIFIERS,   /* discards some */
    POINTER_SIGN,         /* differs in the sign of integers only */
    POINTER_INCOMPATIBLE, /* warned */
    POINTER_NESTED_SPACE, /* inner pointers differ in address space: error */
    POINTER_SPACE         /* error */
};
enum pointer_match sema_pointer_match(const struct type *to, const struct type *from);
/* 0 exact, 1 promotion, 2 conversion, 3 one that only C has; -1 none. For overloads. */
int sema_conversion_rank(struct sema *s, struct expr *arg, struct qual_type to);
bool address_space_encloses(uint32_t outer, uint32_t inner);

/* ---- blocks (block.c) ---- */

bool clc_is_null_constant(const struct expr *expr);
/* For built-in functions that take a block: its body is reached by whatever reaches the call. False with an error where
 * what it captures cannot be given to another kernel. */
bool clc_note_block(struct clc_front *front, const struct expr *block);

/* ---- constants of 128 bits (wide.c) ---- */

/* The value of any integer constant. */
struct wide_int expr_wide_value(const struct expr *expr);
struct expr *expr_wide(struct sema *s, struct wide_int value, src_loc loc, struct src_range range);
/* + - ~ of such a constant. */
struct expr *sema_wide_unary(struct sema *s, enum unary_op op, struct expr *operand, src_loc loc);
/* One operand at least is such a constant. NULL: it is an operation of 64 bits. */
struct expr *sema_wide_binary(struct sema *s, enum binary_op op, struct expr *left, struct expr *right, src_loc loc);

/* ---- constants (const_eval.c) ---- */

void const_fold(struct sema *s, struct expr *expr); /* sets is_constant and value where possible; operands are done */
bool const_is_initializer(struct sema *s, struct expr *expr, struct expr **culprit);
uint64_t const_truncate(const struct type *type, uint64_t value); /* to the width, extended by signedness */
double const_round(const struct type *type, double value);
/* A wide constant as a number of the floating type. */
double const_wide_to_float(const struct expr *wide, const struct type *to);
bool const_cast_value(const struct type *from, const struct type *to, const struct const_value *in,
                      struct const_value *out);

#endif
