/* Atomics. Integer atomics map one to one. Floats are exchanged and compared as integers; they are added natively where
 * the device can, else by compare and exchange in a loop. An atomic on a generic pointer is done in a helper function
 * that handles each space. Private memory belongs to one work-item, so atomics there are plain reads and writes. Scopes
 * and semantics are left in OpenCL's form: legalise.c translates them for all instructions at once. OpenCL C 3.0,
 * 6.15.12; Vulkan allows 32-bit integers, and 64-bit ones by feature. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

struct atomic {
    uint16_t op;
    spv_id type; /* of the value in memory */
    uint32_t size;
    spv_id scope, semantics, failure_semantics;
    spv_id value, comparator; /* 0 where the operation has none */
};

static spv_id value_type(struct memory *m, const struct spv_inst *inst)
{
    if (inst->op == SpvOpAtomicFlagTestAndSet || inst->op == SpvOpAtomicFlagClear)
        return spv_type_int(m->module, 32);
    if (inst->op == SpvOpAtomicStore && inst->words[3] < m->num_ids && m->pointer_types[inst->words[3]])
        return m->pointer_types[inst->words[3]];
    if (inst->op == SpvOpAtomicStore)
        return spv_value_type(m->module, spv_replaced(&m->replacements, inst->words[3]));
    return inst->type;
}

static bool is_float_op(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_FLOAT_ATOMIC;
}

void mem_survey_atomic(struct memory *m, const struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    uint32_t size = (uint32_t)spv_layout_of(&m->layouts, value_type(m, inst))->size;
    bool only_float = inst->op == SpvOpAtomicFAddEXT && size == 4 && m->target->shared_float32_atomic_add;
    mem_survey_access(m, &ptr, size, only_float, size, true);
    struct mem_class *class = mem_class_of(m, &ptr);
    class->reads |= inst->op != SpvOpAtomicStore && inst->op != SpvOpAtomicFlagClear;
    class->writes |= inst->op != SpvOpAtomicLoad || mem_is_seq_cst(m, inst->words[2]);
}

/* The id of an operand with replacements applied, except that pointers keep their ids, since they are looked up by id.
 */
static spv_id plain_value(struct memory *m, spv_id id)
{
    return id < m->num_ids && m->pointer_types[id] ? id : spv_replaced(&m->replacements, id);
}

static struct atomic read_atomic(struct memory *m, const struct spv_inst *inst)
{
    struct atomic atomic = {.op = inst->op, .scope = inst->words[1], .semantics = inst->words[2]};
    spv_id last = inst->num_words > 3 ? plain_value(m, inst->words[inst->num_words - 1]) : 0;
    atomic.type = value_type(m, inst);
    atomic.size = (uint32_t)spv_layout_of(&m->layouts, atomic.type)->size;
    switch (inst->op) {
    case SpvOpAtomicFlagTestAndSet:
        atomic.op = SpvOpAtomicExchange;
        atomic.value = spv_const_u32(m->module, 1);
        break;
    case SpvOpAtomicFlagClear:
        atomic.op = SpvOpAtomicStore;
        atomic.value = spv_const_u32(m->module, 0);
        break;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        atomic.op = SpvOpAtomicCompareExchange;
        atomic.failure_semantics = inst->words[3];
        atomic.value = plain_value(m, inst->words[4]);
        atomic.comparator = last;
        break;
    default:
        atomic.value = last;
        break;
    }
    return atomic;
}

/* A value as bits. Pointers take the form that they have in memory. */
static spv_id value_bits(struct memory *m, struct spv_builder *b, spv_id value, spv_id type, spv_id bits_type)
{
    if (!value)
        return 0;
    if (!spv_type_is_pointer(m->module, type))
        return mem_bitcast(b, value, bits_type);
    struct mem_ptr ptr = mem_ptr_of(m, value);
    return mem_convert_number(m, b, mem_number(m, b, &ptr), mem_space_of(m->module, type), MEM_GENERIC, true);
}

/* ---- one space ---- */

static spv_id combine(struct memory *m, struct spv_builder *b, const struct atomic *a, spv_id old)
{
    spv_id bool_type = spv_type_bool(m->module), less;
    spv_id bits = spv_type_int(m->module, a->size * 8);
    switch (a->op) {
    case SpvOpAtomicFAddEXT:
        old = mem_bitcast(b, old, a->type);
        return mem_bitcast(b, spv_emitv(b, SpvOpFAdd, a->type, old, a->value), bits);
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        old = mem_bitcast(b, old, a->type);
        less = spv_emitv(b, a->op == SpvOpAtomicFMinEXT ? SpvOpFOrdLessThan : SpvOpFOrdGreaterThan, bool_type, a->value,
                         old);
        less = spv_emitv(b, SpvOpLogicalOr, bool_type, less, spv_emitv(b, SpvOpIsNan, bool_type, old));
        return mem_bitcast(b, spv_emitv(b, SpvOpSelect, a->type, less, a->value, old), bits);
    case SpvOpAtomicIIncrement:
        return spv_emitv(b, SpvOpIAdd, bits, old, mem_int(m->module, bits, 1));
    case SpvOpAtomicIDecrement:
        return spv_emitv(b, SpvOpISub, bits, old, mem_int(m->module, bits, 1));
    case SpvOpAtomicIAdd:
        return spv_emitv(b, SpvOpIAdd, bits, old, a->value);
    case SpvOpAtomicISub:
        return spv_emitv(b, SpvOpISub, bits, old, a->value);
    case SpvOpAtomicAnd:
        return spv_emitv(b, SpvOpBitwiseAnd, bits, old, a->value);
    case SpvOpAtomicOr:
        return spv_emitv(b, SpvOpBitwiseOr, bits, old, a->value);
    case SpvOpAtomicXor:
        return spv_emitv(b, SpvOpBitwiseXor, bits, old, a->value);
    case SpvOpAtomicSMin:
        less = spv_emitv(b, SpvOpSLessThan, bool_type, a->value, old);
        return spv_emitv(b, SpvOpSelect, bits, less, a->value, old);
    case SpvOpAtomicSMax:
        less = spv_emitv(b, SpvOpSGreaterThan, bool_type, a->value, old);
        return spv_emitv(b, SpvOpSelect, bits, less, a->value, old);
    case SpvOpAtomicUMin:
        less = spv_emitv(b, SpvOpULessThan, bool_type, a->value, old);
        return spv_emitv(b, SpvOpSelect, bits, less, a->value, old);
    case SpvOpAtomicUMax:
        less = spv_emitv(b, SpvOpUGreaterThan, bool_type, a->value, old);
        return spv_emitv(b, SpvOpSelect, bits, less, a->value, old);
    case SpvOpAtomicCompareExchange:
        less = spv_emitv(b, SpvOpIEqual, bool_type, old, a->comparator);
        return spv_emitv(b, SpvOpSelect, bits, less, a->value, old);
    default: /* exchange, store */
        return a->value;
    }
}

static spv_id private_atomic(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, const struct atomic *a)
{
    struct lower_access access = {.align = a->size};
    spv_id old = a->op == SpvOpAtomicStore ? 0 : mem_load_bits(m, b, ptr, a->size, &access);
    if (a->op != SpvOpAtomicLoad)
        mem_store_bits(m, b, ptr, a->size, combine(m, b, a, old), &access);
    return old;
}

static spv_id vulkan_pointer(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                             spv_id type)
{
    if (ptr->space == MEM_GLOBAL)
        return mem_global_pointer(m, b, ptr, type);
    return mem_region_element(m, b, ptr, size);
}

/* for (old = *p; !compare_exchange(p, &old, op(old)); ); in a function (number, value) that returns the old bits */
static spv_id float_loop(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, const struct atomic *a)
{
    spv_id bits = spv_type_int(m->module, a->size * 8), number_type = mem_number_type(m, ptr->space);
    spv_id node_name = mem_find(m, ptr->node);
    const char *name = arena_printf(m->arena, "atomic_%u_%u_%u_%u_%u_%u", a->op, a->size * 8, ptr->space,
                                    ptr->space == MEM_LOCAL ? node_name : 0, a->scope, a->semantics);
    const spv_id types[] = {number_type, a->type};
    struct mem_helper helper = mem_helper(m, name, bits, 2, types);
    spv_id number = mem_number(m, b, ptr);
    if (!helper.is_new)
        return spv_emitv(b, SpvOpFunctionCall, bits, helper.function, number, a->value);
    struct spv_function *function = helper.builder.function;
    struct spv_builder h = helper.builder;
    struct mem_ptr inner = mem_ptr_from(ptr->space, ptr->node, helper.params[0]);
    struct atomic in = *a;
    in.value = helper.params[1];
    spv_id pointer = vulkan_pointer(m, &h, &inner, a->size, bits), relaxed = spv_const_u32(m->module, 0);
    if (!pointer)
        return 0;
    spv_id first = spv_emitv(&h, SpvOpAtomicLoad, bits, pointer, a->scope, relaxed);
    struct spv_block *entry = h.block, *loop = spv_block_create(function, m->module, 0),
                     *again = spv_block_create(function, m->module, 0),
                     *merge = spv_block_create(function, m->module, 0);
    spv_emitv_void(&h, SpvOpBranch, loop->label->id);
    spv_block_append(function, loop);
    spv_block_append(function, again);
    spv_block_append(function, merge);
    h.block = loop;
    spv_id seen = spv_new_id(m->module);
    spv_id old = spv_emitv(&h, SpvOpPhi, bits, first, entry->label->id, seen, again->label->id);
    spv_id desired = combine(m, &h, &in, old);
    const uint32_t words[] = {pointer, a->scope, a->semantics, relaxed, desired, old};
    spv_inst_insert(&h, spv_inst_create(m->module, SpvOpAtomicCompareExchange, bits, seen, 6, words));
    spv_id done = spv_emitv(&h, SpvOpIEqual, spv_type_bool(m->module), seen, old);
    spv_emitv_void(&h, SpvOpLoopMerge, merge->label->id, again->label->id, SpvLoopControlMaskNone);
    spv_emitv_void(&h, SpvOpBranchConditional, done, merge->label->id, again->label->id);
    h.block = again;
    spv_emitv_void(&h, SpvOpBranch, loop->label->id);
    h.block = merge;
    spv_emitv_void(&h, SpvOpReturnValue, seen);
    return spv_emitv(b, SpvOpFunctionCall, bits, helper.function, number, a->value);
}

static bool native_float_add(const struct memory *m, const struct mem_ptr *ptr, uint32_t size)
{
    const struct clc_target *target = m->target;
    if (ptr->space == MEM_GLOBAL)
        return size == 4 ? target->float32_atomic_add : size == 8 && target->float64_atomic_add;
    return size == 4 && target->shared_float32_atomic_add;
}

/* Emits the operation. Returns the old value as bits, or 0 for a store (or after an error). Values are given as bits
 * but for float operations. */
static spv_id space_atomic(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, const struct atomic *a)
{
    spv_id bits = spv_type_int(m->module, a->size * 8);
    if (ptr->space == MEM_PRIVATE)
        return private_atomic(m, b, ptr, a);
    if (is_float_op(a->op)) {
        struct mem_region *region = mem_region_of(m, ptr);
        bool typed = ptr->space == MEM_GLOBAL || (region && region->is_float && !region->views);
        if (a->op != SpvOpAtomicFAddEXT || !native_float_add(m, ptr, a->size) || !typed)
            return float_loop(m, b, ptr, a);
        spv_id pointer = vulkan_pointer(m, b, ptr, a->size, a->type);
        return mem_bitcast(b, spv_emitv(b, SpvOpAtomicFAddEXT, a->type, pointer, a->scope, a->semantics, a->value),
                           bits);
    }
    bool total = mem_is_seq_cst(m, a->semantics);
    if (total && a->op == SpvOpAtomicCompareExchange && mem_is_seq_cst(m, a->failure_semantics)) {
        const struct mem_exchange exchange = {a->scope, a->semantics, a->failure_semantics, a->value, a->comparator};
        return mem_order_compare_exchange(m, b, ptr, a->size, vulkan_pointer, &exchange);
    }
    spv_id pointer = vulkan_pointer(m, b, ptr, a->size, bits);
    if (!pointer) {
        lower_fail(m->lower, "64-bit and 32-bit atomics on the same local memory");
        return 0;
    }
    switch (a->op) {
    case SpvOpAtomicStore:
        if (total)
            spv_emitv(b, SpvOpAtomicExchange, bits, pointer, a->scope, a->semantics, a->value);
        else
            spv_emitv_void(b, SpvOpAtomicStore, pointer, a->scope, a->semantics, a->value);
        return 0;
    case SpvOpAtomicLoad:
        if (total)
            return spv_emitv(b, SpvOpAtomicOr, bits, pointer, a->scope, a->semantics, mem_int(m->module, bits, 0));
        return spv_emitv(b, SpvOpAtomicLoad, bits, pointer, a->scope, a->semantics);
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
        return spv_emitv(b, (SpvOp)a->op, bits, pointer, a->scope, a->semantics);
    case SpvOpAtomicCompareExchange:
        return spv_emitv(b, SpvOpAtomicCompareExchange, bits, pointer, a->scope, a->semantics, a->failure_semantics,
                         a->value, a->comparator);
    default:
        return spv_emitv(b, (SpvOp)a->op, bits, pointer, a->scope, a->semantics, a->value);
    }
}

/* ---- generic ---- */

static void atomic_arm(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, void *data)
{
    const struct atomic *a = data;
    spv_id old = space_atomic(m, b, ptr, a);
    if (!old)
        old = mem_int(m->module, spv_type_int(m->module, a->size * 8), 0);
    spv_emitv_void(b, SpvOpReturnValue, old);
}

static spv_id generic_atomic(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, const struct atomic *a)
{
    spv_id bits = spv_type_int(m->module, a->size * 8), types[3] = {spv_type_int(m->module, 64)};
    uint32_t count = 1;
    spv_id args[4] = {0, mem_number(m, b, ptr)};
    if (a->value) {
        args[count + 1] = a->value;
        types[count++] = spv_value_type(m->module, a->value);
    }
    if (a->comparator) {
        args[count + 1] = a->comparator;
        types[count++] = bits;
    }
    const char *name = arena_printf(m->arena, "generic_atomic_%u_%u_%u_%u", a->op, a->type, a->scope, a->semantics);
    struct mem_helper helper = mem_helper(m, name, bits, count, types);
    if (helper.is_new) {
        struct atomic in = *a;
        in.value = a->value ? helper.params[1] : 0;
        in.comparator = a->comparator ? helper.params[2] : 0;
        mem_switch_space(m, &helper.builder, helper.params[0], atomic_arm, &in);
    }
    args[0] = helper.function;
    return spv_emit(b, SpvOpFunctionCall, bits, count + 1, args);
}

static bool supported(struct memory *m, const struct mem_ptr *ptr, const struct atomic *a)
{
    if (a->size == 4)
        return true;
    if (a->size != 8)
        return lower_fail(m->lower, "atomics on %u-bit values", a->size * 8);
    if ((ptr->space != MEM_LOCAL && !m->target->buffer_int64_atomics) ||
        ((ptr->space == MEM_LOCAL || ptr->space == MEM_GENERIC) && !m->target->shared_int64_atomics))
        return lower_fail(m->lower, "the device has no 64-bit atomics");
    return true;
}

void mem_lower_atomic(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder builder = {m->module, inst->block->function, inst->block, inst}, *b = &builder;
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    struct atomic atomic = read_atomic(m, inst);
    spv_id bits = spv_type_int(m->module, atomic.size * 8);
    if (!supported(m, &ptr, &atomic))
        return;
    if (mem_is_seq_cst(m, atomic.semantics) && ptr.space != MEM_PRIVATE)
        mem_order_access(m, b);
    if (!is_float_op(atomic.op)) {
        atomic.value = value_bits(m, b, atomic.value, atomic.type, bits);
        atomic.comparator = value_bits(m, b, atomic.comparator, atomic.type, bits);
    }
    spv_id old = ptr.space == MEM_GENERIC ? generic_atomic(m, b, &ptr, &atomic) : space_atomic(m, b, &ptr, &atomic);
    if (inst->id && old) {
        spv_id result;
        if (inst->op == SpvOpAtomicFlagTestAndSet)
            result = spv_emitv(b, SpvOpINotEqual, spv_type_bool(m->module), old, spv_const_u32(m->module, 0));
        else if (spv_type_is_pointer(m->module, atomic.type))
            result = mem_convert_number(m, b, old, MEM_GENERIC, mem_space_of(m->module, atomic.type), true);
        else
            result = mem_bitcast(b, old, atomic.type);
        spv_replace(m->module, &m->replacements, inst->id, result);
        if (inst->id < m->num_ids && m->ptrs[inst->id])
            m->ptrs[inst->id]->base = result;
    }
    spv_inst_remove(m->module, inst);
}
