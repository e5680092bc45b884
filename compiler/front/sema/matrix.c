/* Cooperative matrices in OpenCL C: as clang's pull request 221328 of 2026 has them, for cl_khr_cooperative_matrix, with
 * casts beside (docs/matrices.md).
 *
 *     typedef half __attribute__((coop_mat(memory_scope_sub_group, 16, 16, CLK_COOPERATIVE_MATRIX_A))) a_t;
 *
 * All work-items of a sub-group hold such a matrix together, each a part of it that the device chooses. So it has no
 * layout in memory: it is in private variables of functions, arrays of them, parameters and results.
 *
 * coop_mat_load() and coop_mat_init() do not say of which type their matrix is. Their calls are of any_matrix, until
 * something converts them: an initialiser, an assignment, a parameter, a result, a cast. */
#include "compiler/front/sema/builtin_resolve.h"
#include "compiler/front/sema/declare.h"

/* The reader of SPIR-V takes no larger ones (spv/check_matrices.c). */
enum { MOST_LINES = 1024, MOST_ELEMENTS = 1 << 16 };
enum { SCOPE, ROWS, COLUMNS, USE };

static const char *const encodings[] = {[MATRIX_BFLOAT16] = "bfloat16", [MATRIX_E4M3] = "e4m3", [MATRIX_E5M2] = "e5m2"};
static const enum type_kind codes[] = {
    [MATRIX_BFLOAT16] = TYPE_USHORT, [MATRIX_E4M3] = TYPE_UCHAR, [MATRIX_E5M2] = TYPE_UCHAR};

bool sema_has_matrices(struct sema *s)
{
    static const char name[] = "cl_khr_cooperative_matrix";
    return pp_word_in_list(s->front->target->extensions, name, sizeof(name) - 1);
}

/* ---- types ---- */

static bool check_attribute(struct sema *s, const struct type *element, struct qual_type written,
                            const struct attributes *attrs)
{
    enum { SUB_GROUP = 4, SPIRV_SUB_GROUP = 3 }; /* memory_scope_sub_group, CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP */
    const uint32_t *matrix = attrs->matrix;
    src_loc loc = attrs->matrix_loc;
    if (!sema_has_matrices(s))
        pp_error(s->front, loc, "cooperative matrix types require cl_khr_cooperative_matrix");
    else if (!type_is_arith(element) || element->kind == TYPE_BOOL)
        pp_error(s->front, loc, "%s is invalid cooperative matrix element type", type_quote(s, written));
    else if (attrs->matrix_encoding && element->kind != codes[attrs->matrix_encoding])
        pp_error(s->front, loc, "%s is invalid element type of a matrix of %s: the codes are of type '%s'",
                 type_quote(s, written), encodings[attrs->matrix_encoding],
                 codes[attrs->matrix_encoding] == TYPE_USHORT ? "ushort" : "uchar");
    else if (matrix[SCOPE] != SUB_GROUP && matrix[SCOPE] != SPIRV_SUB_GROUP)
        pp_error(s->front, loc,
                 "invalid 'scope' argument of cooperative matrix attribute: it must be memory_scope_sub_group");
    else if (matrix[USE] > MATRIX_ACCUMULATOR)
        pp_error(s->front, loc, "invalid 'use' argument of cooperative matrix attribute");
    else if (!matrix[ROWS] || !matrix[COLUMNS] || matrix[ROWS] > MOST_LINES || matrix[COLUMNS] > MOST_LINES ||
             matrix[ROWS] * matrix[COLUMNS] > MOST_ELEMENTS)
        pp_error(s->front, loc,
                 "a cooperative matrix of %u rows and %u columns: 1 to %d of each are allowed, and %d "
                 "elements",
                 matrix[ROWS], matrix[COLUMNS], MOST_LINES, MOST_ELEMENTS);
    else
        return true;
    return false;
}

void sema_apply_matrix(struct sema *s, struct qual_type *type, struct attributes *attrs)
{
    if (!attrs->matrix_loc)
        return;
    const struct type *element = type_strip_enum(type->type);
    if (!is_poison(element))
        type->type = check_attribute(s, element, *type, attrs)
                         ? clc_type_matrix(s->front, element, attrs->matrix[ROWS], attrs->matrix[COLUMNS],
                                           (enum matrix_use)attrs->matrix[USE], attrs->matrix_encoding)
                         : s->poison->type.type;
    type->sugar = NULL;
    attrs->matrix_loc = 0;
}

bool sema_check_matrix_variable(struct sema *s, const struct decl *variable, const struct type *matrix, bool file_scope)
{
    bool is_private = variable->type.address_space == AS_PRIVATE && variable->storage == STORAGE_NONE && !file_scope;
    if (is_private && matrix->matrix.rows)
        return true;
    pp_error(s->front, variable->loc,
             is_private ? "variable of type %s: which one it is cannot be told"
                        : "variable of type %s must reside in the private address space of a function",
             type_quote(s, qt(matrix)));
    return false;
}

/* ---- calls of no type ---- */

static bool is_untyped(const struct expr *expr)
{
    return expr->type.type->kind == TYPE_MATRIX && !expr->type.type->matrix.rows;
}

struct expr *sema_check_typed(struct sema *s, struct expr *expr)
{
    return is_untyped(expr) ? sema_type_matrix(s, expr, qt(type_scalar(s, TYPE_VOID)), expr->loc) : expr;
}

/* A matrix is loaded and stored by pointers to its elements, or to vectors of them; integers' signs do not count. */
static bool points_to_elements(const struct type *pointer, const struct type *matrix)
{
    const struct type *from = type_strip_enum(type_element(pointer->pointer.pointee.type));
    const struct type *element = matrix->matrix.element;
    return from == element || (type_is_integer(from) && type_is_integer(element) && from->kind != TYPE_BOOL &&
                               from->size == element->size);
}

static bool check_elements(struct sema *s, const struct expr *pointer, const struct type *matrix)
{
    if (points_to_elements(pointer->type.type, matrix))
        return true;
    pp_error_range(s->front, pointer->loc, pointer->range,
                   "inconsistent between cooperative matrix element type %s and buffer pointer type %s",
                   type_quote(s, qt(matrix->matrix.element)), type_quote_expr(s, pointer));
    return false;
}

struct expr *sema_type_matrix(struct sema *s, struct expr *expr, struct qual_type to, src_loc loc)
{
    const struct type *matrix = to.type;
    if (is_poison(matrix))
        return s->poison;
    if (matrix->kind != TYPE_MATRIX || !matrix->matrix.rows || expr->kind != EXPR_BUILTIN) {
        pp_error_range(s->front, loc, expr->range,
                       "builtin return value should be assigned to cooperative matrix type variable");
        return s->poison;
    }
    struct expr **arg = &expr->builtin.args[0];
    if (expr->builtin.builtin->patterns[expr->builtin.pattern].aux == MATRIX_INIT)
        *arg = sema_convert(s, *arg, qt(matrix->matrix.element), CONVERT_BUILTIN, (*arg)->loc);
    else if (!check_elements(s, *arg, matrix))
        return s->poison;
    expr->type = to;
    expr->type.quals = 0;
    expr->type.address_space = AS_PRIVATE;
    return expr_poison(*arg) ? s->poison : expr;
}

/* ---- operators ---- */

static bool refuse(struct sema *s, const char *what, const struct expr *left, const struct expr *right, src_loc loc)
{
    pp_error_range(s->front, loc, range_join(left->range, right->range), "%s (%s and %s)", what,
                   type_quote_expr(s, left), type_quote_expr(s, right));
    return false;
}

static enum matrix_encoding encoding_of(const struct expr *expr)
{
    return sema_is_matrix(expr) ? expr->type.type->matrix.encoding : MATRIX_NUMBERS;
}

bool sema_check_matrix_numbers(struct sema *s, const struct expr *matrix, src_loc loc)
{
    if (!encoding_of(matrix))
        return true;
    pp_error_range(s->front, loc, matrix->range,
                   "%s is a matrix of %s, which has neither elements nor arithmetic: convert it before",
                   type_quote_expr(s, matrix), encodings[encoding_of(matrix)]);
    return false;
}

bool sema_matrix_operands(struct sema *s, enum binary_op op, struct expr **left, struct expr **right, src_loc loc)
{
    if (is_untyped(*left) || is_untyped(*right))
        return !expr_poison(sema_check_typed(s, is_untyped(*left) ? *left : *right));
    if (!sema_check_matrix_numbers(s, *left, loc) || !sema_check_matrix_numbers(s, *right, loc))
        return false;
    if (sema_is_matrix(*left) && sema_is_matrix(*right)) {
        if (op != BINARY_ADD && op != BINARY_SUB && op != BINARY_MUL && op != BINARY_DIV)
            return refuse(s, "unsupported cooperative matrix binary operator", *left, *right, loc);
        return (*left)->type.type == (*right)->type.type ||
               refuse(s, "incompatible cooperative matrix types", *left, *right, loc);
    }
    struct expr **scalar = sema_is_matrix(*left) ? right : left, *matrix = scalar == right ? *left : *right;
    const struct type *type = matrix->type.type, *from = (*scalar)->type.type;
    bool fits = type_is_arith(from) && (type_is_float(type->matrix.element) || !type_is_float(from));
    if (op != BINARY_MUL || !fits)
        return refuse(s, "unsupported cooperative matrix scalar operator", *left, *right, loc);
    *scalar = sema_convert(s, *scalar, qt(type->matrix.element), CONVERT_BUILTIN, loc);
    if (expr_poison(*scalar))
        return false;
    *scalar = expr_cast(s, CAST_SPLAT, *scalar, type);
    return true;
}

/* ---- functions ---- */

static struct expr *wrong(struct sema *s, const struct builtin_call_site *site, const struct expr *arg,
                          const char *expected)
{
    pp_error_range(s->front, arg ? arg->loc : site->loc, arg ? arg->range : site->range,
                   "invalid argument of built-in function '%s': expected %s", site->builtin->name, expected);
    return NULL;
}

static bool check_count(struct sema *s, const struct builtin_call_site *site, uint32_t least, uint32_t most)
{
    bool fits = site->num_args >= least && site->num_args <= most;
    if (!fits)
        pp_error_range(s->front, site->loc, site->range,
                       "too %s arguments to built-in function '%s', expected %u, have %u",
                       site->num_args < least ? "few" : "many", site->builtin->name,
                       site->num_args < least ? least : most, site->num_args);
    return fits;
}

/* A pointer, and behind `first` a layout and a stride. */
static bool check_access(struct sema *s, const struct builtin_call_site *site, uint32_t first)
{
    const struct expr *pointer = site->args[0], *layout = site->args[first];
    struct expr **stride = &site->args[first + 1];
    bool points = pointer->type.type->kind == TYPE_POINTER;
    const struct type *element = points ? type_element(pointer->type.type->pointer.pointee.type) : NULL;
    if (!points || !type_is_arith(element) || element->kind == TYPE_BOOL)
        return wrong(s, site, pointer, "a pointer to numbers or vectors of them");
    if (pointer->type.type->pointer.pointee.address_space == AS_PRIVATE)
        return wrong(s, site, pointer, "a pointer to global, local or constant memory");
    if (!layout->is_constant || !type_is_integer(layout->type.type) || layout->integer > 1)
        return wrong(s, site, layout,
                     "CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR");
    if (!type_is_integer((*stride)->type.type))
        return wrong(s, site, *stride, "a stride of type size_t");
    *stride = sema_convert(s, *stride, qt(type_scalar(s, TYPE_ULONG)), CONVERT_BUILTIN, (*stride)->loc);
    return !expr_poison(*stride);
}

static bool check_use(struct sema *s, const struct builtin_call_site *site, uint32_t index, enum matrix_use use)
{
    static const char *const uses[] = {"a cooperative matrix of CLK_COOPERATIVE_MATRIX_A use",
                                       "a cooperative matrix of CLK_COOPERATIVE_MATRIX_B use",
                                       "a cooperative matrix of CLK_COOPERATIVE_MATRIX_ACCUMULATOR use"};
    const struct expr *arg = site->args[index];
    return (sema_is_matrix(arg) && arg->type.type->matrix.use == use) || wrong(s, site, arg, uses[use]);
}

static bool has_floats(const struct type *matrix)
{
    return matrix->matrix.encoding || type_is_float(matrix->matrix.element);
}

static const struct type *check_product(struct sema *s, const struct builtin_call_site *site)
{
    if (!check_count(s, site, 3, 4) || !check_use(s, site, 0, MATRIX_A) || !check_use(s, site, 1, MATRIX_B) ||
        !check_use(s, site, 2, MATRIX_ACCUMULATOR))
        return NULL;
    const struct type *a = site->args[0]->type.type, *b = site->args[1]->type.type, *c = site->args[2]->type.type;
    bool floats = has_floats(a);
    if (a->matrix.columns != b->matrix.rows || a->matrix.rows != c->matrix.rows ||
        b->matrix.columns != c->matrix.columns)
        pp_error_range(s->front, site->loc, site->range,
                       "cooperative matrices with incompatible shapes: %ux%u times %ux%u plus %ux%u", a->matrix.rows,
                       a->matrix.columns, b->matrix.rows, b->matrix.columns, c->matrix.rows, c->matrix.columns);
    else if (floats != has_floats(b) || floats != has_floats(c))
        pp_error_range(s->front, site->loc, site->range,
                       "inconsistent cooperative matrix element types (%s, %s and %s)",
                       type_quote(s, qt(a->matrix.element)), type_quote(s, qt(b->matrix.element)),
                       type_quote(s, qt(c->matrix.element)));
    else if (site->num_args > 3 && (!site->args[3]->is_constant || !type_is_integer(site->args[3]->type.type)))
        wrong(s, site, site->args[3], "constant operands, as CLK_COOPERATIVE_MATRIX_OPERAND_NONE");
    else
        return c;
    return NULL;
}

static const struct type *result_of(struct sema *s, const struct builtin_call_site *site, enum matrix_function which)
{
    const struct type *any = s->front->types->any_matrix;
    switch (which) {
    case MATRIX_LOAD:
        return check_count(s, site, 3, 3) && check_access(s, site, 1) ? any : NULL;
    case MATRIX_STORE:
        if (!check_count(s, site, 4, 4))
            return NULL;
        if (!sema_is_matrix(site->args[1])) {
            wrong(s, site, site->args[1], "a cooperative matrix");
            return NULL;
        }
        return check_access(s, site, 2) && check_elements(s, site->args[0], site->args[1]->type.type)
                   ? type_scalar(s, TYPE_VOID)
                   : NULL;
    case MATRIX_MULTIPLY:
        return check_product(s, site);
    case MATRIX_INIT:
        if (!check_count(s, site, 1, 1))
            return NULL;
        return type_is_arith(site->args[0]->type.type) || wrong(s, site, site->args[0], "a number") ? any : NULL;
    case MATRIX_LENGTH:
        break;
    }
    if (!check_count(s, site, 1, 1))
        return NULL;
    return sema_is_matrix(site->args[0]) || wrong(s, site, site->args[0], "a cooperative matrix")
               ? type_scalar(s, TYPE_UINT)
               : NULL;
}

struct expr *builtin_call_matrix(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern)
{
    enum matrix_function which = (enum matrix_function)site->builtin->patterns[pattern].aux;
    const struct type *result = result_of(front->sema, site, which);
    return result ? builtin_make_call(front, site, pattern, qt(result), NULL) : builtin_poison(front, site);
}
