/* Expressions: dispatch by node, conditions and short circuits, selections, vectors, calls.
 *
 * Branches that C asks for are made only where an operand has effects or may fault; otherwise both sides are computed
 * and selected, which costs less on every device that Vulkan knows. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

#define SIMPLE_NODE_LIMIT 12

/* ---- small helpers that the built-ins use too ---- */

spv_id emit_new_label(struct emit *e)
{
    return spv_new_id(e->module);
}

void emit_begin_block(struct emit *e, spv_id label)
{
    struct spv_block *block = spv_block_create(e->b.function, e->module, label);
    spv_block_append(e->b.function, block);
    e->b.block = block;
    e->b.before = NULL;
}

void emit_branch(struct emit *e, spv_id label)
{
    spv_emitv_void(&e->b, SpvOpBranch, label);
    e->b.block = NULL;
}

void emit_branch_if(struct emit *e, spv_id condition, spv_id then_label, spv_id else_label, spv_id merge_label)
{
    if (merge_label)
        spv_emitv_void(&e->b, SpvOpSelectionMerge, merge_label, SpvSelectionControlMaskNone);
    spv_emitv_void(&e->b, SpvOpBranchConditional, condition, then_label, else_label);
    e->b.block = NULL;
}

spv_id emit_ext(struct emit *e, spv_id type, uint32_t number, uint32_t count, const spv_id *args)
{
    return spv_emit_ext(&e->b, type, spv_import_ext_inst(e->module, "OpenCL.std"), number, count, args);
}

spv_id emit_relaxed(struct emit *e, spv_id id)
{
    if (e->fast_math)
        spv_decorate(e->module, id, SpvDecorationFPFastMathMode, 1, &e->fast_math);
    return id;
}

spv_id emit_select(struct emit *e, spv_id type, spv_id condition, spv_id yes, spv_id no)
{
    if (yes == no)
        return yes;
    uint32_t lanes = spv_type_count(e->module, type);
    if (lanes > 1 && spv_type_count(e->module, spv_value_type(e->module, condition)) == 1) {
        spv_id parts[16];
        for (uint32_t i = 0; i < lanes; i++)
            parts[i] = condition;
        spv_id mask = spv_type_vector(e->module, spv_type_bool(e->module), lanes);
        condition = spv_emit(&e->b, SpvOpCompositeConstruct, mask, lanes, parts);
    }
    return spv_emitv(&e->b, SpvOpSelect, type, condition, yes, no);
}

spv_id emit_extract(struct emit *e, spv_id type, spv_id composite, uint32_t index)
{
    const struct spv_inst *def = spv_def(e->module, composite);
    if (def && def->op == SpvOpConstantComposite && index < def->num_words)
        return def->words[index];
    return spv_emitv(&e->b, SpvOpCompositeExtract, type, composite, index);
}

spv_id emit_construct(struct emit *e, spv_id type, uint32_t count, const spv_id *parts)
{
    bool constant = spv_type_op(e->module, type) != SpvOpTypeVector || count == spv_type_count(e->module, type);
    for (uint32_t i = 0; i < count && constant; i++) {
        const struct spv_inst *def = spv_def(e->module, parts[i]);
        constant = def && !def->block && spv_op_is_constant(def->op) && def->op != SpvOpUndef;
    }
    if (constant)
        return spv_const_composite(e->module, type, count, parts);
    return spv_emit(&e->b, SpvOpCompositeConstruct, type, count, parts);
}

spv_id emit_splat(struct emit *e, const struct type *vector, spv_id scalar)
{
    uint32_t lanes = type_lanes(vector);
    spv_id parts[16];
    if (vector->kind == TYPE_MATRIX) { /* one value stands for all */
        spv_id type = emit_type(e, vector), component = emit_bitcast(e, emit_matrix_component(e, vector), scalar);
        return emit_construct(e, type, 1, &component);
    }
    for (uint32_t i = 0; i < lanes; i++)
        parts[i] = scalar;
    return lanes == 1 ? scalar : emit_construct(e, emit_type(e, vector), lanes, parts);
}

/* ---- what may be evaluated early ---- */

static bool is_simple(const struct expr *expr, uint32_t *budget)
{
    if (!(*budget)--) {
        *budget = 0;
        return false;
    }
    if (expr->is_constant)
        return true;
    switch (expr->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
        return true;
    case EXPR_DECL: {
        const struct decl *decl = expr->decl;
        return decl->kind == DECL_VARIABLE && decl->type.address_space == AS_PRIVATE && !decl->var.file_scope &&
               !decl->var.is_static_local && !(decl->type.quals & QUAL_VOLATILE) &&
               !type_is_aggregate(decl->type.type) && decl->type.type->kind != TYPE_BLOCK;
    }
    case EXPR_UNARY:
        return expr->unary.op <= UNARY_LOGICAL_NOT && is_simple(expr->unary.operand, budget);
    case EXPR_BINARY:
        if (expr->binary.op == BINARY_DIV || expr->binary.op == BINARY_REM)
            return false;
        return is_simple(expr->binary.left, budget) && is_simple(expr->binary.right, budget);
    case EXPR_CAST:
        return is_simple(expr->cast.operand, budget);
    case EXPR_SWIZZLE:
        return is_simple(expr->swizzle.base, budget);
    default:
        return false;
    }
}

/* No side effect, no load of volatile, cheap: may be evaluated though C would not. */
static bool is_cheap(const struct expr *expr)
{
    uint32_t budget = SIMPLE_NODE_LIMIT;
    return is_simple(expr, &budget) && budget;
}

/* ---- conditions ---- */

/* Left-leaning chains of one operator: value = a; then for each further operand a selection whose phi is the value. */
spv_id emit_logical(struct emit *e, struct expr *expr)
{
    enum binary_op op = expr->binary.op;
    bool is_and = op == BINARY_LOGICAL_AND;
    spv_id type = spv_type_bool(e->module);
    VEC(struct expr *) operands = {0};
    struct expr *at = expr;
    while (at->kind == EXPR_BINARY && at->binary.op == op && !at->is_constant &&
           emit_canonical(at->type.type)->kind != TYPE_VECTOR) {
        vec_push(e->arena, &operands, at->binary.right);
        at = at->binary.left;
        if (at->kind == EXPR_CAST && at->cast.cast == CAST_TO_BOOL && at->cast.operand->kind == EXPR_BINARY &&
            at->cast.operand->binary.op == op)
            at = at->cast.operand;
    }
    spv_id value = emit_condition(e, at);
    while (operands.length) {
        struct expr *next = vec_pop(&operands);
        if (!e->front->target->checks && is_cheap(next)) {
            spv_id right = emit_condition(e, next);
            value = spv_emitv(&e->b, is_and ? SpvOpLogicalAnd : SpvOpLogicalOr, type, value, right);
            continue;
        }
        spv_id more = emit_new_label(e), merge = emit_new_label(e), before = emit_current_label(e);
        emit_branch_if(e, value, is_and ? more : merge, is_and ? merge : more, merge);
        emit_begin_block(e, more);
        spv_id right = emit_condition(e, next);
        spv_id after = emit_current_label(e);
        emit_branch(e, merge);
        emit_begin_block(e, merge);
        spv_id known = spv_const_bool(e->module, !is_and);
        value = spv_emitv(&e->b, SpvOpPhi, type, known, before, right, after);
    }
    return value;
}

spv_id emit_condition(struct emit *e, struct expr *expr)
{
    bool invert = false;
    spv_id value;
    for (;;) {
        if (expr->is_constant)
            break;
        if (expr->kind == EXPR_CAST && expr->cast.cast == CAST_TO_BOOL)
            expr = expr->cast.operand;
        else if (expr->kind == EXPR_CAST && expr->cast.cast == CAST_INT &&
                 emit_canonical(expr->cast.operand->type.type)->kind == TYPE_BOOL)
            expr = expr->cast.operand;
        else if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_LOGICAL_NOT) {
            invert = !invert;
            expr = expr->unary.operand;
        } else
            break;
    }
    const struct type *type = emit_canonical(expr->type.type);
    bool binary = expr->kind == EXPR_BINARY && !expr->is_constant && type->kind != TYPE_VECTOR;
    if (expr->is_constant && !expr->float_value) {
        value = spv_const_bool(e->module, expr->integer != 0);
    } else if (binary && expr->binary.op >= BINARY_LOGICAL_AND) {
        value = emit_logical(e, expr);
    } else if (binary && expr->binary.op >= BINARY_LT && expr->binary.op <= BINARY_NE) {
        spv_id left = emit_rvalue(e, expr->binary.left), right = emit_rvalue(e, expr->binary.right);
        value = emit_compare(e, expr->binary.op, expr->binary.left->type.type, left, right);
    } else {
        value = emit_nonzero(e, type, emit_rvalue(e, expr));
    }
    uint64_t bits;
    if (!invert)
        return value;
    if (spv_const_value(e->module, value, &bits))
        return spv_const_bool(e->module, !bits);
    return spv_emitv(&e->b, SpvOpLogicalNot, spv_type_bool(e->module), value);
}

/* ---- ?: ---- */

static spv_id vector_cond(struct emit *e, struct expr *expr)
{
    struct expr *condition = expr->cond.condition;
    const struct type *mask = emit_canonical(condition->type.type);
    spv_id value = emit_rvalue(e, condition);
    spv_id bits = emit_type(e, mask), test;
    if (mask->vector.element->kind == TYPE_BOOL)
        test = value;
    else /* OpenCL C 3.0, 6.4.12: by the most significant bit */
        test =
            spv_emitv(&e->b, SpvOpSLessThan, spv_type_vector(e->module, spv_type_bool(e->module), mask->vector.count),
                      value, spv_const_splat(e->module, bits, 0));
    spv_id yes = expr->cond.then_value ? emit_rvalue(e, expr->cond.then_value) : value;
    spv_id no = emit_rvalue(e, expr->cond.else_value);
    return emit_select(e, emit_type(e, expr->type.type), test, yes, no);
}

/* then_value NULL (GNU a ?: b): the condition's own value, computed once. */
static spv_id gnu_cond(struct emit *e, struct expr *expr)
{
    struct expr *source = expr->cond.condition;
    while (source->kind == EXPR_CAST && source->cast.cast == CAST_TO_BOOL)
        source = source->cast.operand;
    struct lvalue result = emit_temporary(e, expr->type);
    spv_id value = emit_rvalue(e, source);
    spv_id otherwise = emit_new_label(e), merge = emit_new_label(e);
    emit_store(e, &result, emit_cast_value(e, CAST_NOP, source->type.type, expr->type.type, value));
    emit_branch_if(e, emit_nonzero(e, source->type.type, value), merge, otherwise, merge);
    emit_begin_block(e, otherwise);
    emit_store(e, &result, emit_rvalue(e, expr->cond.else_value));
    emit_branch(e, merge);
    emit_begin_block(e, merge);
    return emit_load(e, &result);
}

static spv_id branched_cond(struct emit *e, struct expr *expr, spv_id condition)
{
    const struct type *type = emit_canonical(expr->type.type);
    bool in_memory = type_is_aggregate(type), has_value = type->kind != TYPE_VOID;
    struct lvalue object = {0};
    if (in_memory)
        object = emit_temporary(e, expr->type);
    spv_id labels[2] = {emit_new_label(e), emit_new_label(e)}, merge = emit_new_label(e);
    spv_id values[2] = {0}, ends[2];
    emit_branch_if(e, condition, labels[0], labels[1], merge);
    for (uint32_t i = 0; i < 2; i++) {
        struct expr *arm = i ? expr->cond.else_value : expr->cond.then_value;
        emit_begin_block(e, labels[i]);
        if (in_memory)
            emit_store_expr(e, &object, arm);
        else
            values[i] = emit_rvalue(e, arm);
        ends[i] = emit_current_label(e);
        emit_branch(e, merge);
    }
    emit_begin_block(e, merge);
    if (in_memory)
        return emit_load(e, &object);
    if (!has_value || !values[0] || !values[1])
        return 0;
    return spv_emitv(&e->b, SpvOpPhi, emit_type(e, type), values[0], ends[0], values[1], ends[1]);
}

static spv_id conditional(struct emit *e, struct expr *expr)
{
    const struct type *type = emit_canonical(expr->type.type);
    if (emit_canonical(expr->cond.condition->type.type)->kind == TYPE_VECTOR)
        return vector_cond(e, expr);
    if (!expr->cond.then_value)
        return gnu_cond(e, expr);
    spv_id condition = emit_condition(e, expr->cond.condition);
    uint64_t known;
    if (spv_const_value(e->module, condition, &known))
        return emit_rvalue(e, known ? expr->cond.then_value : expr->cond.else_value);
    bool selectable = (type_is_scalar_arith(type) || type->kind == TYPE_VECTOR || type->kind == TYPE_POINTER);
    /* Where kernels are checked, what is not evaluated is not computed either. */
    selectable = selectable && !e->front->target->checks;
    if (selectable && is_cheap(expr->cond.then_value) && is_cheap(expr->cond.else_value)) {
        spv_id yes = emit_rvalue(e, expr->cond.then_value), no = emit_rvalue(e, expr->cond.else_value);
        return emit_select(e, emit_type(e, type), condition, yes, no);
    }
    return branched_cond(e, expr, condition);
}

/* ---- vectors and members ---- */

/* Parts that are vectors are taken apart: a constant of constants comes out whole, and passes meet scalars only. */
static spv_id emit_vector(struct emit *e, struct expr *expr)
{
    const struct type *type = emit_canonical(expr->type.type);
    spv_id lanes[16], element = emit_type(e, type->vector.element), last = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < expr->vector.num_args; i++) {
        struct expr *arg = expr->vector.args[i];
        uint32_t width = type_lanes(emit_canonical(arg->type.type));
        last = emit_rvalue(e, arg);
        if (expr->vector.num_args == 1 && width > 1)
            return last;
        for (uint32_t j = 0; j < width && count < 16; j++)
            lanes[count++] = width > 1 ? emit_extract(e, element, last, j) : last;
    }
    if (count == 1)
        return emit_splat(e, type, last);
    if (count != type->vector.count)
        return spv_undef(e->module, emit_type(e, type));
    return emit_construct(e, emit_type(e, type), count, lanes);
}

static spv_id emit_swizzle(struct emit *e, struct expr *expr)
{
    struct expr *base = expr->swizzle.base;
    if (base->lvalue) {
        struct lvalue part = emit_lvalue(e, expr);
        return emit_load(e, &part);
    }
    const struct type *vector = emit_canonical(base->type.type);
    spv_id value = emit_rvalue(e, base), type = emit_type(e, expr->type.type);
    uint32_t count = expr->swizzle.num_lanes, words[18] = {value, value};
    if (vector->kind != TYPE_VECTOR)
        return count == 1 ? value : emit_splat(e, emit_canonical(expr->type.type), value);
    if (count == 1)
        return expr->swizzle.lanes[0] < vector->vector.count ? emit_extract(e, type, value, expr->swizzle.lanes[0])
                                                             : spv_undef(e->module, type);
    for (uint32_t i = 0; i < count; i++)
        words[2 + i] = expr->swizzle.lanes[i] < vector->vector.count ? expr->swizzle.lanes[i] : UINT32_MAX;
    return spv_emit(&e->b, SpvOpVectorShuffle, type, 2 + count, words);
}

static spv_id emit_index(struct emit *e, struct expr *expr)
{
    struct expr *base = expr->index.base;
    if (base->type.type->kind == TYPE_VECTOR && !base->lvalue) {
        spv_id vector = emit_rvalue(e, base), index = emit_rvalue(e, expr->index.index);
        return spv_emitv(&e->b, SpvOpVectorExtractDynamic, emit_type(e, expr->type.type), vector, index);
    }
    struct lvalue part = emit_lvalue(e, expr);
    return emit_load(e, &part);
}

/* A member of an rvalue: straight out of the value where the layout has it as one, else through an object. */
static spv_id emit_member(struct emit *e, struct expr *expr)
{
    struct expr *base = expr->member.base;
    const struct type *record = emit_canonical(base->type.type);
    uint32_t member = emit_field_member(e, record, expr->member.field);
    if (base->lvalue || member == UINT32_MAX) {
        struct lvalue part = emit_lvalue(e, expr);
        return emit_load(e, &part);
    }
    spv_id type = spv_def(e->module, emit_memory_type(e, record))->words[member];
    spv_id value = emit_extract(e, type, emit_rvalue(e, base), member);
    return emit_from_memory(e, expr->type.type, value);
}

/* ---- dispatch ---- */

static spv_id emit_intrinsic(struct emit *e, struct expr *expr)
{
    if (expr->intrinsic.op != INTRINSIC_ASSUME) {
        spv_emit_void(&e->b, SpvOpUnreachable, 0, NULL);
        e->dead_blocks = true;
        emit_begin_block(e, emit_new_label(e));
    }
    return 0;
}

static spv_id emit_constant(struct emit *e, const struct expr *expr)
{
    const struct type *type = emit_canonical(expr->type.type);
    if (type_is_float_kind(type->kind))
        return emit_const_float(e, type, expr->float_value ? expr->floating : (double)(int64_t)expr->integer);
    return emit_const_int(e, type, expr->integer);
}

/* Left-leaning chains of any length. */
static spv_id emit_comma(struct emit *e, struct expr *expr)
{
    VEC(struct expr *) rights = {0};
    struct expr *at = expr;
    while (at->kind == EXPR_COMMA || (at->kind == EXPR_CAST && at->cast.cast == CAST_VOID)) {
        if (at->kind == EXPR_COMMA)
            vec_push(e->arena, &rights, at->comma.right);
        at = at->kind == EXPR_COMMA ? at->comma.left : at->cast.operand;
    }
    emit_effects(e, at);
    while (rights.length > 1)
        emit_effects(e, vec_pop(&rights));
    return emit_rvalue(e, rights.data[0]);
}

static spv_id rvalue(struct emit *e, struct expr *expr)
{
    const struct type *type = emit_canonical(expr->type.type);
    if (type_is_scalar_arith(type) && (expr->is_constant || expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT))
        return emit_constant(e, expr);
    switch (expr->kind) {
    case EXPR_DECL:
        if (type_is_handle(type))
            return emit_handle(e, expr->decl);
        if (expr->decl->kind == DECL_FUNCTION || type->kind == TYPE_BLOCK)
            return 0;
        break;
    case EXPR_UNARY:
        return emit_unary(e, expr);
    case EXPR_BINARY:
        return emit_binary(e, expr);
    case EXPR_ASSIGN:
        if (type_is_aggregate(type)) {
            struct lvalue object = emit_lvalue(e, expr->assign.left);
            emit_store_expr(e, &object, expr->assign.right);
            return emit_load(e, &object);
        }
        return emit_assign(e, expr);
    case EXPR_COND:
        return conditional(e, expr);
    case EXPR_COMMA:
        return emit_comma(e, expr);
    case EXPR_CAST:
        switch (expr->cast.cast) {
        case CAST_INT:
        case CAST_INT_TO_FLOAT:
        case CAST_FLOAT_TO_INT:
        case CAST_FLOAT:
        case CAST_SPLAT:
        case CAST_MASK:
            if (expr->cast.operand->kind == EXPR_BINARY || expr->cast.operand->kind == EXPR_CAST)
                return emit_binary_chain(e, expr);
            break;
        default:
            break;
        }
        return emit_cast(e, expr);
    case EXPR_CALL:
        return emit_call(e, expr);
    case EXPR_BUILTIN:
        return emit_builtin(e, expr);
    case EXPR_INDEX:
        return emit_index(e, expr);
    case EXPR_MEMBER:
        return emit_member(e, expr);
    case EXPR_SWIZZLE:
        return emit_swizzle(e, expr);
    case EXPR_VECTOR:
        return emit_vector(e, expr);
    case EXPR_INIT_LIST:
        return emit_init_value(e, expr);
    case EXPR_STATEMENT:
        return emit_block_value(e, expr->statement.body, expr->statement.value);
    case EXPR_BLOCK:
        emit_block_literal(e, expr);
        return 0;
    case EXPR_INTRINSIC:
        return emit_intrinsic(e, expr);
    case EXPR_POISON: /* the parser has said why, or should have */
        pp_fatal(e->front, expr->loc, "an invalid expression is in the way");
    default:
        break;
    }
    if (!expr->lvalue)
        return spv_undef(e->module, emit_type(e, type));
    struct lvalue object = emit_lvalue(e, expr);
    emit_checked_line(e, expr->loc);
    return emit_load(e, &object);
}

spv_id emit_rvalue(struct emit *e, struct expr *expr)
{
    if (++e->depth > EMIT_MAX_DEPTH)
        pp_fatal(e->front, expr->loc, "expression is nested too deeply");
    emit_line(e, expr->loc);
    spv_id value = rvalue(e, expr);
    e->depth--;
    return value;
}

void emit_effects(struct emit *e, struct expr *expr)
{
    while (expr->kind == EXPR_CAST && (expr->cast.cast == CAST_VOID || expr->cast.cast == CAST_NOP))
        expr = expr->cast.operand;
    if (expr->is_constant)
        return;
    if (expr->kind == EXPR_DECL && !(expr->type.quals & QUAL_VOLATILE))
        return;
    if (expr->kind == EXPR_ASSIGN)
        emit_assign(e, expr);
    else
        emit_rvalue(e, expr);
}
