/* Objects: what an lvalue expression designates, loads and stores, members and elements.
 *
 * A selection of vector components is kept as the whole vector and the lanes. Reading loads the vector and shuffles.
 * Writing rewrites a private vector as a whole, which SSA construction likes, but stores to other memory lane by lane:
 * a neighbouring lane may belong to another work-item. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

#include <string.h>

/* Aggregates beyond this many bytes are copied in memory rather than loaded as one value. */
#define MAX_AGGREGATE_VALUE 128

/* What a local variable, parameter or handle became in the function with this serial number. */
struct emitted_variable {
    spv_id pointer, value;
    uint32_t function_serial;
};

static uint32_t offset_align(uint32_t align, uint64_t offset)
{
    if (!offset)
        return align;
    uint64_t lowest = offset & (0 - offset);
    return lowest < align ? (uint32_t)lowest : align;
}

static uint32_t type_align(const struct type *type)
{
    return type->align ? type->align : 1;
}

/* ---- values and their memory form ---- */

spv_id emit_bitcast(struct emit *e, spv_id to_type, spv_id value)
{
    spv_id from = spv_value_type(e->module, value);
    return from == to_type ? value : spv_emitv(&e->b, SpvOpBitcast, to_type, value);
}

static bool is_bool(const struct type *type)
{
    return type->kind == TYPE_BOOL || (type->kind == TYPE_VECTOR && type->vector.element->kind == TYPE_BOOL);
}

spv_id emit_to_memory(struct emit *e, const struct type *type, spv_id value)
{
    type = emit_canonical(type);
    if (!is_bool(type))
        return value;
    spv_id memory = emit_memory_type(e, type);
    spv_id one = spv_const_splat(e->module, memory, 1), zero = spv_const_splat(e->module, memory, 0);
    return emit_select(e, memory, value, one, zero);
}

spv_id emit_from_memory(struct emit *e, const struct type *type, spv_id value)
{
    type = emit_canonical(type);
    if (!is_bool(type)) {
        if (type->kind == TYPE_POINTER)
            return emit_bitcast(e, emit_type(e, type), value);
        return value;
    }
    spv_id zero = spv_const_splat(e->module, emit_memory_type(e, type), 0);
    return spv_emitv(&e->b, SpvOpINotEqual, emit_type(e, type), value, zero);
}

static void memory_operands(const struct lvalue *object, uint32_t align, uint32_t *words)
{
    words[0] = SpvMemoryAccessAlignedMask | (object->is_volatile ? SpvMemoryAccessVolatileMask : 0);
    words[1] = align ? align : 1;
}

static spv_id load_memory(struct emit *e, const struct lvalue *from, spv_id pointer, spv_id type, uint32_t align)
{
    uint32_t words[3] = {pointer};
    memory_operands(from, align, words + 1);
    return spv_emit(&e->b, SpvOpLoad, type, 3, words);
}

static void store_memory(struct emit *e, const struct lvalue *to, spv_id pointer, spv_id value, uint32_t align)
{
    uint32_t words[4] = {pointer, value};
    memory_operands(to, align, words + 2);
    spv_emit_void(&e->b, SpvOpStore, 4, words);
}

/* ---- lanes ---- */

static spv_id lane_pointer(struct emit *e, const struct lvalue *vector, spv_id index)
{
    const struct type *element = vector->vector->vector.element;
    spv_id type = emit_pointer_type(e, element, vector->space);
    return spv_emitv(&e->b, SpvOpInBoundsAccessChain, type, vector->pointer, index);
}

static uint32_t lane_align(const struct lvalue *vector, uint32_t lane)
{
    return offset_align(vector->align, lane * vector->vector->vector.element->size);
}

/* Lanes of a vector value; a lane beyond it (v.hi of a three-component vector) is undefined. */
static spv_id select_lanes(struct emit *e, spv_id vector, const struct type *vector_type, const struct type *to,
                           const uint8_t *lanes, uint32_t count)
{
    spv_id type = emit_type(e, to);
    if (count == 1) {
        if (lanes[0] >= vector_type->vector.count)
            return spv_undef(e->module, type);
        return emit_extract(e, type, vector, lanes[0]);
    }
    uint32_t words[18] = {vector, vector};
    bool identity = count == vector_type->vector.count;
    for (uint32_t i = 0; i < count; i++) {
        words[2 + i] = lanes[i] < vector_type->vector.count ? lanes[i] : UINT32_MAX;
        identity = identity && lanes[i] == i;
    }
    return identity ? vector : spv_emit(&e->b, SpvOpVectorShuffle, type, 2 + count, words);
}

static spv_id load_lanes(struct emit *e, const struct lvalue *from)
{
    spv_id vector = load_memory(e, from, from->pointer, emit_memory_type(e, from->vector), from->align);
    if (from->lane_index) {
        spv_id type = emit_memory_type(e, from->vector->vector.element);
        return spv_emitv(&e->b, SpvOpVectorExtractDynamic, type, vector, from->lane_index);
    }
    return select_lanes(e, vector, from->vector, from->type.type, from->lanes, from->num_lanes);
}

static void store_private_lanes(struct emit *e, const struct lvalue *to, spv_id value)
{
    uint32_t count = to->vector->vector.count;
    spv_id type = emit_memory_type(e, to->vector);
    spv_id vector = load_memory(e, to, to->pointer, type, to->align);
    if (to->lane_index) {
        vector = spv_emitv(&e->b, SpvOpVectorInsertDynamic, type, vector, value, to->lane_index);
    } else if (to->num_lanes == 1) {
        if (to->lanes[0] < count)
            vector = spv_emitv(&e->b, SpvOpCompositeInsert, type, value, vector, to->lanes[0]);
    } else {
        uint32_t words[18] = {vector, value};
        for (uint32_t i = 0; i < count; i++)
            words[2 + i] = i;
        for (uint32_t i = 0; i < to->num_lanes; i++) {
            if (to->lanes[i] < count)
                words[2 + to->lanes[i]] = count + i;
        }
        vector = spv_emit(&e->b, SpvOpVectorShuffle, type, 2 + count, words);
    }
    store_memory(e, to, to->pointer, vector, to->align);
}

/* Whether the vector is one of a variable, by what the expression says alone. Another may lie across its end, and what
 * stands behind the components that are named is not the program's to write. */
static bool is_in_variable(const struct emit *e, const struct lvalue *to)
{
    const struct spv_inst *def = spv_def(e->module, to->pointer);
    while (def && (def->op == SpvOpAccessChain || def->op == SpvOpInBoundsAccessChain))
        def = spv_def(e->module, def->words[0]);
    return def && def->op == SpvOpVariable;
}

static void store_lanes(struct emit *e, const struct lvalue *to, spv_id value)
{
    if (to->space == AS_PRIVATE && is_in_variable(e, to)) {
        store_private_lanes(e, to, value);
        return;
    }
    const struct type *element = to->vector->vector.element;
    if (to->lane_index) {
        store_memory(e, to, lane_pointer(e, to, to->lane_index), value, offset_align(to->align, element->size));
        return;
    }
    for (uint32_t i = 0; i < to->num_lanes; i++) {
        if (to->lanes[i] >= to->vector->vector.count)
            continue;
        spv_id part = to->num_lanes == 1 ? value : emit_extract(e, emit_memory_type(e, element), value, i);
        spv_id pointer = lane_pointer(e, to, emit_const_u32(e, to->lanes[i]));
        store_memory(e, to, pointer, part, lane_align(to, to->lanes[i]));
    }
}

/* ---- loads and stores ---- */

spv_id emit_load(struct emit *e, const struct lvalue *from)
{
    const struct type *type = emit_canonical(from->type.type);
    if (from->num_lanes || from->lane_index)
        return emit_from_memory(e, type, load_lanes(e, from));
    spv_id value = load_memory(e, from, from->pointer, emit_memory_type(e, type), from->align);
    return emit_from_memory(e, type, value);
}

void emit_store(struct emit *e, const struct lvalue *to, spv_id value)
{
    const struct type *type = emit_canonical(to->type.type);
    value = emit_to_memory(e, type, value);
    if (to->num_lanes || to->lane_index)
        store_lanes(e, to, value);
    else
        store_memory(e, to, to->pointer, value, to->align);
}

static void copy_memory(struct emit *e, const struct lvalue *to, const struct lvalue *from)
{
    uint64_t size = to->type.type->size;
    uint32_t words[5] = {to->pointer, from->pointer, spv_const_u64(e->module, size)};
    words[3] = SpvMemoryAccessAlignedMask | (to->is_volatile || from->is_volatile ? SpvMemoryAccessVolatileMask : 0);
    words[4] = to->align < from->align ? to->align : from->align;
    spv_id bytes = emit_int_type(e, 8);
    emit_capability(e, SpvCapabilityAddresses);
    words[0] = emit_bitcast(e, emit_pointer_to(e, bytes, to->space), to->pointer);
    words[1] = emit_bitcast(e, emit_pointer_to(e, bytes, from->space), from->pointer);
    spv_emit_void(&e->b, SpvOpCopyMemorySized, 5, words);
}

void emit_store_expr(struct emit *e, const struct lvalue *to, struct expr *value)
{
    const struct type *type = to->type.type;
    if (type_is_aggregate(type) && type->size > MAX_AGGREGATE_VALUE) {
        struct expr *source = value;
        while (source->kind == EXPR_CAST &&
               (source->cast.cast == CAST_LVALUE_TO_RVALUE || source->cast.cast == CAST_NOP))
            source = source->cast.operand;
        if (source != value && source->lvalue) {
            struct lvalue from = emit_lvalue(e, source);
            copy_memory(e, to, &from);
            return;
        }
    }
    emit_store(e, to, emit_rvalue(e, value));
}

/* ---- parts of objects ---- */

struct lvalue emit_deref(struct emit *e, spv_id pointer, const struct type *pointer_type)
{
    (void)e;
    struct qual_type target = pointer_type->pointer.pointee;
    return (struct lvalue){.pointer = pointer,
                           .type = target,
                           .space = target.address_space,
                           .align = type_align(target.type),
                           .is_volatile = (target.quals & QUAL_VOLATILE) != 0};
}

struct lvalue emit_field(struct emit *e, const struct lvalue *record, uint32_t field)
{
    const struct type *type = record->type.type;
    const struct field *facts = &type->record.fields[field];
    struct lvalue part = *record;
    part.type = facts->type;
    part.align = offset_align(record->align, facts->offset);
    part.is_volatile = record->is_volatile || (facts->type.quals & QUAL_VOLATILE);
    spv_id target = emit_pointer_type(e, facts->type.type, record->space);
    uint32_t member = emit_field_member(e, type, field);
    if (member != UINT32_MAX) {
        spv_id member_type = spv_def(e->module, emit_memory_type(e, type))->words[member];
        spv_id chain = emit_pointer_to(e, member_type, record->space);
        part.pointer = spv_emitv(&e->b, SpvOpInBoundsAccessChain, chain, record->pointer, emit_const_u32(e, member));
    } else if (facts->offset) {
        spv_id bytes = emit_pointer_to(e, emit_int_type(e, 8), record->space);
        part.pointer = emit_bitcast(e, bytes, record->pointer);
        part.pointer =
            spv_emitv(&e->b, SpvOpInBoundsPtrAccessChain, bytes, part.pointer, emit_const_u64(e, facts->offset));
    }
    part.pointer = emit_bitcast(e, target, part.pointer);
    return part;
}

struct lvalue emit_element(struct emit *e, const struct lvalue *array, spv_id index64)
{
    struct qual_type element = array->type.type->array.element;
    struct lvalue part = *array;
    uint64_t known = 0;
    bool constant = spv_const_value(e->module, index64, &known);
    part.type = element;
    part.align = offset_align(array->align, constant ? known * element.type->size : element.type->size);
    part.is_volatile = array->is_volatile || (element.quals & QUAL_VOLATILE);
    part.pointer = spv_emitv(&e->b, SpvOpInBoundsAccessChain, emit_pointer_type(e, element.type, array->space),
                             array->pointer, index64);
    return part;
}

struct lvalue emit_temporary(struct emit *e, struct qual_type type)
{
    return (struct lvalue){.pointer = spv_emit_variable(&e->b, emit_memory_type(e, type.type)),
                           .type = {.type = type.type},
                           .space = AS_PRIVATE,
                           .align = type_align(type.type)};
}

/* ---- variables ---- */

static struct emitted_variable *local_variable(struct emit *e, struct decl *decl)
{
    struct emitted_variable *variable = decl->emit;
    if (!variable || variable->function_serial != e->function_serial) {
        variable = arena_new(e->arena, struct emitted_variable);
        variable->function_serial = e->function_serial;
        decl->emit = variable;
    }
    return variable;
}

static bool is_program_scope(const struct decl *decl)
{
    if (decl->var.is_param)
        return false;
    return decl->var.file_scope || decl->var.is_static_local || decl->type.address_space == AS_LOCAL ||
           decl->type.address_space == AS_CONSTANT || decl->type.address_space == AS_GLOBAL;
}

void emit_bind_value(struct emit *e, struct decl *decl, spv_id value)
{
    local_variable(e, decl)->value = value;
}

spv_id emit_handle(struct emit *e, struct decl *decl)
{
    if (decl->kind != DECL_VARIABLE || !type_is_handle(decl->type.type))
        return 0;
    if (decl->type.type->kind == TYPE_SAMPLER && !decl->var.is_param) {
        if (decl->var.init)
            return emit_sampler(e, decl->var.init);
    }
    struct emitted_variable *variable = local_variable(e, decl);
    if (!variable->value)
        variable->value = spv_undef(e->module, emit_type(e, decl->type.type));
    return variable->value;
}

struct lvalue emit_variable(struct emit *e, struct decl *decl)
{
    struct lvalue object = {.type = decl->type,
                            .space = decl->type.address_space,
                            .align = decl->var.align ? decl->var.align : type_align(decl->type.type),
                            .is_volatile = (decl->type.quals & QUAL_VOLATILE) != 0};
    if (is_program_scope(decl)) {
        if (object.space == AS_PRIVATE || object.space == AS_GENERIC)
            object.space = AS_CONSTANT;
        object.pointer = emit_global_variable(e, decl);
        return object;
    }
    object.space = AS_PRIVATE;
    struct emitted_variable *variable = local_variable(e, decl);
    if (!variable->pointer) {
        variable->pointer = spv_emit_variable(&e->b, emit_memory_type(e, decl->type.type));
        if (decl->var.align > type_align(decl->type.type))
            spv_decorate(e->module, variable->pointer, SpvDecorationAlignment, 1, &decl->var.align);
        if (emit_tells_lines(e) && decl->name)
            spv_add_name(e->module, variable->pointer, decl->name->name);
    }
    object.pointer = variable->pointer;
    return object;
}

/* ---- lvalue expressions ---- */

/* An rvalue that a member or element is taken of gets an object for the time being. */
static struct lvalue spilled(struct emit *e, struct expr *expr)
{
    struct lvalue object = emit_temporary(e, expr->type);
    emit_store_expr(e, &object, expr);
    return object;
}

static struct lvalue swizzle_lvalue(struct emit *e, struct expr *expr)
{
    struct lvalue base = emit_lvalue(e, expr->swizzle.base);
    struct lvalue part = base;
    part.type = expr->type;
    part.num_lanes = (uint8_t)expr->swizzle.num_lanes;
    part.vector = base.num_lanes ? base.vector : emit_canonical(base.type.type);
    for (uint32_t i = 0; i < expr->swizzle.num_lanes; i++) {
        uint8_t lane = expr->swizzle.lanes[i];
        part.lanes[i] = !base.num_lanes ? lane : lane < base.num_lanes ? base.lanes[lane] : UINT8_MAX;
    }
    return part;
}

/* typedef int loose __attribute__((aligned(1))): an object reached through a pointer to such a type has that alignment,
 * lower or higher than its type's. OpenCL C 3.0, 6.11.1. */
static struct lvalue with_typedef_align(struct lvalue object, const struct expr *expr)
{
    struct qual_type type = expr->type;
    for (uint32_t depth = 0; depth < 64 && type.sugar && !type.sugar_depth && type.sugar->kind == DECL_TYPEDEF;
         depth++) {
        if (type.sugar->alias.align) {
            object.align = type.sugar->alias.align;
            break;
        }
        type = type.sugar->type;
    }
    return object;
}

static struct lvalue index_lvalue(struct emit *e, struct expr *expr)
{
    struct expr *base = expr->index.base, *index = expr->index.index;
    if (base->type.type->kind == TYPE_VECTOR) {
        struct lvalue part = emit_lvalue(e, base);
        if (part.num_lanes) { /* an element of a selection: through a copy */
            struct lvalue copy = emit_temporary(e, base->type);
            emit_store(e, &copy, emit_load(e, &part));
            part = copy;
        }
        part.vector = emit_canonical(base->type.type);
        part.type = expr->type;
        part.lane_index = emit_rvalue(e, index);
        return part;
    }
    struct lvalue part;
    if (base->type.type->kind == TYPE_MATRIX) {
        part = emit_lvalue(e, base);
        spv_id at = emit_index64(e, index->type.type, emit_rvalue(e, index));
        spv_id type = emit_pointer_type(e, expr->type.type, part.space);
        part.pointer = spv_emitv(&e->b, SpvOpInBoundsAccessChain, type, part.pointer, at);
        part.type = expr->type;
    } else if (base->kind == EXPR_CAST && base->cast.cast == CAST_ARRAY_TO_POINTER) {
        struct lvalue array = emit_lvalue(e, base->cast.operand);
        spv_id at = emit_index64(e, index->type.type, emit_rvalue(e, index));
        part = emit_element(e, &array, at);
    } else {
        spv_id pointer = emit_rvalue(e, base);
        spv_id at = emit_rvalue(e, index);
        const struct type *type = emit_canonical(base->type.type);
        part = with_typedef_align(emit_deref(e, emit_pointer_add(e, pointer, type, at, index->type.type, false), type),
                                  expr);
    }
    return part;
}

static struct lvalue plain_lvalue(struct emit *e, struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_DECL:
        return emit_variable(e, expr->decl);
    case EXPR_STRING:
        return (struct lvalue){.pointer = emit_string(e, expr), .type = expr->type, .space = AS_CONSTANT, .align = 1};
    case EXPR_UNARY:
        if (expr->unary.op == UNARY_DEREF)
            return with_typedef_align(
                emit_deref(e, emit_rvalue(e, expr->unary.operand), emit_canonical(expr->unary.operand->type.type)),
                expr);
        break;
    case EXPR_MEMBER: {
        struct lvalue base = emit_lvalue(e, expr->member.base);
        return emit_field(e, &base, expr->member.field);
    }
    case EXPR_INDEX:
        return index_lvalue(e, expr);
    case EXPR_SWIZZLE:
        return swizzle_lvalue(e, expr);
    case EXPR_COMPOUND: {
        struct decl *variable = expr->compound.variable;
        if (!is_program_scope(variable))
            emit_local_decl(e, variable);
        return emit_variable(e, variable);
    }
    case EXPR_CAST:
        if (expr->cast.cast == CAST_NOP && expr->cast.operand->lvalue)
            return emit_lvalue(e, expr->cast.operand);
        break;
    case EXPR_ASSIGN:
        if (expr->lvalue) {
            emit_effects(e, expr);
            return emit_lvalue(e, expr->assign.left);
        }
        break;
    case EXPR_COMMA:
        emit_effects(e, expr->comma.left);
        return emit_lvalue(e, expr->comma.right);
    default:
        break;
    }
    return spilled(e, expr);
}

struct lvalue emit_lvalue(struct emit *e, struct expr *expr)
{
    if (++e->depth > EMIT_MAX_DEPTH)
        pp_fatal(e->front, expr->loc, "expression is nested too deeply");
    struct lvalue object = plain_lvalue(e, expr);
    e->depth--;
    return object;
}
