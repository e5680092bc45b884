/* Lowering of built-ins that touch memory or move lanes: vload and vstore (OpenCL C 3.0, 6.15.7), shuffle (6.15.13),
 * asynchronous copies (6.15.11), and atomics that Vulkan does not have.
 *
 * vloadn only promises the alignment of an element, and a vector access with less than its own alignment corrupts data
 * on real GPUs. So it goes element by element, and the memory pass joins those accesses that it can prove to be
 * aligned. */
#include "compiler/lower/builtins/builtins.h"

#include "compiler/program_flags.h"

#include <stdio.h>
#include <string.h>

/* ---- vload, vstore ---- */

/* A pointer to element 0 of the access: p + offset * stride. */
static spv_id element_base(struct builtin_lowering *x, spv_id pointer, spv_id offset, uint32_t stride, spv_id element)
{
    spv_id type = spv_value_type(x->module, pointer), offset_type = spv_value_type(x->module, offset);
    spv_id wanted = spv_type_pointer(x->module, spv_pointer_storage(x->module, type), element);
    if (wanted != type)
        pointer = lower_op1(x, SpvOpBitcast, wanted, pointer);
    if (stride != 1)
        offset = lower_op2(x, SpvOpIMul, offset_type, offset, lower_constant(x, offset_type, stride));
    return lower_op2(x, SpvOpPtrAccessChain, wanted, pointer, offset);
}

static spv_id element_pointer(struct builtin_lowering *x, spv_id base, uint32_t index)
{
    if (!index)
        return base;
    return lower_op2(x, SpvOpPtrAccessChain, spv_value_type(x->module, base), base, spv_const_u64(x->module, index));
}

static spv_id load_elements(struct builtin_lowering *x, spv_id base, spv_id element, uint32_t count)
{
    spv_id values[16];
    uint32_t align = spv_type_width(x->module, element) / 8;
    for (uint32_t i = 0; i < count; i++)
        values[i] =
            spv_emitv(&x->b, SpvOpLoad, element, element_pointer(x, base, i), SpvMemoryAccessAlignedMask, align);
    return lower_gather(x, element, count, values);
}

static void store_elements(struct builtin_lowering *x, spv_id base, spv_id element, uint32_t count, spv_id value)
{
    uint32_t align = spv_type_width(x->module, element) / 8;
    for (uint32_t i = 0; i < count; i++)
        spv_emitv_void(&x->b, SpvOpStore, element_pointer(x, base, i), lower_lane(x, value, i),
                       SpvMemoryAccessAlignedMask, align);
}

/* A pointer to a vector, from one to its first element. It is used for vloada_halfn, which is aligned to the whole
 * vector. */
static spv_id vector_pointer(struct builtin_lowering *x, spv_id base, spv_id vector)
{
    spv_id type = spv_value_type(x->module, base);
    return lower_op1(x, SpvOpBitcast, spv_type_pointer(x->module, spv_pointer_storage(x->module, type), vector), base);
}

static bool is_pointer(struct builtin_lowering *x, uint32_t arg)
{
    return arg < x->num_args && spv_type_is_pointer(x->module, spv_value_type(x->module, x->args[arg]));
}

static bool is_number(struct builtin_lowering *x, uint32_t arg)
{
    spv_id type = arg < x->num_args ? spv_value_type(x->module, x->args[arg]) : 0;
    return type && spv_type_is_int(x->module, type) && spv_type_count(x->module, type) == 1;
}

/* Vloadn, Vload_halfn, Vloada_halfn: offset, pointer, literal n; Vload_half: offset, pointer */
spv_id lower_fn_vload(struct builtin_lowering *x)
{
    bool half = x->number != OpenCLstd_Vloadn, aligned = x->number == OpenCLstd_Vloada_halfn;
    uint32_t count = x->lanes;
    if (!is_pointer(x, 1)) {
        lower_fail(x->lower, "vload needs a pointer");
        return 0;
    }
    spv_id element = half ? spv_type_int(x->module, 16) : spv_type_component(x->module, x->type);
    uint32_t stride = aligned && count == 3 ? 4 : count;
    spv_id base = element_base(x, x->args[1], x->args[0], stride, element);
    if (!half)
        return load_elements(x, base, element, count);
    if (!aligned || count == 1)
        return lower_from_half_bits(x, load_elements(x, base, element, count));
    spv_id vector = lower_vector_type(x, element, count);
    spv_id bits =
        spv_emitv(&x->b, SpvOpLoad, vector, vector_pointer(x, base, vector), SpvMemoryAccessAlignedMask, 2 * stride);
    return lower_from_half_bits(x, bits);
}

static uint32_t store_mode(const struct builtin_lowering *x)
{
    bool explicit_mode = x->number == OpenCLstd_Vstore_half_r || x->number == OpenCLstd_Vstore_halfn_r ||
                         x->number == OpenCLstd_Vstorea_halfn_r;
    if (!explicit_mode || x->inst->num_words < 6)
        return LOWER_ROUND_DEFAULT;
    switch (x->inst->words[5]) {
    case SpvFPRoundingModeRTZ:
        return LOWER_ROUND_RTZ;
    case SpvFPRoundingModeRTP:
        return LOWER_ROUND_RTP;
    case SpvFPRoundingModeRTN:
        return LOWER_ROUND_RTN;
    default:
        return LOWER_ROUND_RTE;
    }
}

/* All forms: data, offset, pointer; the _r ones with a literal rounding mode */
spv_id lower_fn_vstore(struct builtin_lowering *x)
{
    bool half = x->number != OpenCLstd_Vstoren;
    bool aligned = x->number == OpenCLstd_Vstorea_halfn || x->number == OpenCLstd_Vstorea_halfn_r;
    if (!is_pointer(x, 2)) {
        lower_fail(x->lower, "vstore needs a pointer");
        return 0;
    }
    spv_id data = x->args[0], type = spv_value_type(x->module, data), done = x->args[0];
    if (!spv_type_is_float(x->module, type) && (half || !spv_type_is_int(x->module, type))) {
        lower_fail(x->lower, "vstore needs numbers");
        return 0;
    }
    uint32_t count = spv_type_count(x->module, type), stride = aligned && count == 3 ? 4 : count;
    spv_id element = half ? spv_type_int(x->module, 16) : spv_type_component(x->module, type);
    spv_id base = element_base(x, x->args[2], x->args[1], stride, element);
    if (half)
        data = lower_to_half_bits(x, data, store_mode(x));
    if (!data)
        return 0;
    if (!aligned || count == 1) {
        store_elements(x, base, element, count, data);
        return done;
    }
    spv_id vector = lower_vector_type(x, element, count);
    spv_emitv_void(&x->b, SpvOpStore, vector_pointer(x, base, vector), data, SpvMemoryAccessAlignedMask, 2 * stride);
    return done;
}

/* A hint, for which Vulkan has no instruction. */
spv_id lower_fn_prefetch(struct builtin_lowering *x)
{
    return x->args[0];
}

/* ---- shuffle ---- */

static bool constant_lane(const struct builtin_lowering *x, spv_id mask, uint32_t lane, uint64_t *value)
{
    const struct spv_inst *def = spv_def(x->module, mask);
    *value = 0;
    if (def->op == SpvOpConstantNull)
        return true;
    bool composite = def->op == SpvOpConstantComposite || def->op == SpvOpCompositeConstruct;
    return composite && lane < def->num_words && spv_const_value(x->module, def->words[lane], value);
}

static spv_id extract_dynamic(struct builtin_lowering *x, spv_id vector, spv_id index)
{
    spv_id component = spv_type_component(x->module, spv_value_type(x->module, vector));
    return lower_op2(x, SpvOpVectorExtractDynamic, component, vector, index);
}

/* OpenCL C 3.0, 6.15.13: of a mask's lane only the lowest bits count, as many as are needed to number the input lanes.
 */
static spv_id shuffle_lanes(struct builtin_lowering *x, spv_id a, spv_id b)
{
    spv_id mask = x->args[x->num_args - 1], u32 = spv_type_int(x->module, 32), values[16];
    uint32_t lanes = spv_type_count(x->module, spv_value_type(x->module, a)), size = lanes == 3 ? 4 : lanes;
    uint64_t value;
    bool constant = true;
    uint32_t words[18] = {a, b ? b : a};
    for (uint32_t i = 0; i < x->lanes && constant; i++) {
        constant = constant_lane(x, mask, i, &value);
        uint32_t index = (uint32_t)value & (b ? 2 * size - 1 : size - 1);
        words[2 + i] = index < size ? index : index - size + lanes;
        constant = constant && index % size < lanes;
    }
    if (constant)
        return spv_emit(&x->b, SpvOpVectorShuffle, x->type, 2 + x->lanes, words);
    for (uint32_t i = 0; i < x->lanes; i++) {
        spv_id index = lower_resize(x, u32, lower_lane(x, mask, i), false);
        spv_id low = lower_op2(x, SpvOpBitwiseAnd, u32, index, spv_const_u32(x->module, size - 1));
        values[i] = extract_dynamic(x, a, low);
        if (!b)
            continue;
        spv_id bit = lower_op2(x, SpvOpBitwiseAnd, u32, index, spv_const_u32(x->module, size));
        spv_id second = lower_op2(x, SpvOpINotEqual, spv_type_bool(x->module), bit, spv_const_u32(x->module, 0));
        values[i] = lower_op3(x, SpvOpSelect, spv_type_component(x->module, x->type), second,
                              extract_dynamic(x, b, low), values[i]);
    }
    return lower_gather(x, spv_type_component(x->module, x->type), x->lanes, values);
}

spv_id lower_fn_shuffle(struct builtin_lowering *x)
{
    return shuffle_lanes(x, x->args[0], 0);
}

spv_id lower_fn_shuffle2(struct builtin_lowering *x)
{
    return shuffle_lanes(x, x->args[0], x->args[1]);
}

/* ---- asynchronous copies ---- */

/* The items of the work-group copy in strides. Elements larger than 16 bytes are copied in several units. */
static spv_id lower_async_copy(struct builtin_lowering *x)
{
    spv_id destination = x->args[1], source = x->args[2], types[2];
    spv_id pointee = is_pointer(x, 1) ? spv_pointer_pointee(x->module, spv_value_type(x->module, destination)) : 0;
    if (!pointee || !is_pointer(x, 2) ||
        !(spv_type_is_float(x->module, pointee) || spv_type_is_int(x->module, pointee))) {
        lower_fail(x->lower, "asynchronous copies are for scalars and vectors");
        return 0;
    }
    if (!is_number(x, 3) || !is_number(x, 4)) {
        lower_fail(x->lower, "an asynchronous copy's number of elements or stride is no integer");
        return 0;
    }
    uint32_t lanes = spv_type_count(x->module, pointee);
    uint32_t size = spv_type_width(x->module, pointee) / 8 * (lanes == 3 ? 4 : lanes), unit = size < 16 ? size : 16;
    spv_id unit_type =
        unit == 16 ? lower_vector_type(x, spv_type_int(x->module, 32), 4) : spv_type_int(x->module, unit * 8);
    SpvStorageClass storage[2];
    for (uint32_t i = 0; i < 2; i++) {
        storage[i] = spv_pointer_storage(x->module, spv_value_type(x->module, x->args[1 + i]));
        types[i] = spv_type_pointer(x->module, storage[i], unit_type);
    }
    const char *way = storage[0] == SpvStorageClassWorkgroup && storage[1] == SpvStorageClassCrossWorkgroup   ? "g2l"
                      : storage[0] == SpvStorageClassCrossWorkgroup && storage[1] == SpvStorageClassWorkgroup ? "l2g"
                                                                                                              : NULL;
    if (!way) {
        lower_fail(x->lower, "asynchronous copies go between global and local memory");
        return 0;
    }
    spv_id u64 = spv_type_int(x->module, 64);
    const spv_id args[] = {
        types[0] == spv_value_type(x->module, destination) ? destination
                                                           : lower_op1(x, SpvOpBitcast, types[0], destination),
        types[1] == spv_value_type(x->module, source) ? source : lower_op1(x, SpvOpBitcast, types[1], source),
        lower_resize(x, u64, x->args[3], false), lower_resize(x, u64, x->args[4], false),
        spv_const_u32(x->module, size / unit)};
    char name[64];
    snprintf(name, sizeof(name), "__pumice_async_copy_%s_%u", way, unit);
    return lower_library_call(x, name, ARRAY_LENGTH(args), args) ? x->args[5] : 0;
}

/* The group's own items do the copies, so waiting for them is a barrier. */
static spv_id lower_wait_events(struct builtin_lowering *x)
{
    spv_id scope = spv_const_u32(x->module, SpvScopeWorkgroup);
    spv_id semantics =
        spv_const_u32(x->module, SpvMemorySemanticsSequentiallyConsistentMask | SpvMemorySemanticsWorkgroupMemoryMask |
                                     SpvMemorySemanticsCrossWorkgroupMemoryMask);
    spv_emitv_void(&x->b, SpvOpControlBarrier, scope, scope, semantics);
    return scope;
}

/* ---- atomics ---- */

static spv_id lower_flag(struct builtin_lowering *x)
{
    spv_id u32 = spv_type_int(x->module, 32), zero = spv_const_u32(x->module, 0);
    if (x->inst->op == SpvOpAtomicFlagClear) {
        spv_emitv_void(&x->b, SpvOpAtomicStore, x->args[0], x->args[1], x->args[2], zero);
        return zero;
    }
    spv_id old =
        spv_emitv(&x->b, SpvOpAtomicExchange, u32, x->args[0], x->args[1], x->args[2], spv_const_u32(x->module, 1));
    return lower_op2(x, SpvOpINotEqual, x->type, old, zero);
}

/* Adds half of an atomic's order as a fence before or after the library's loop, which itself is relaxed. */
static void fence_beside(struct builtin_lowering *x, SpvStorageClass storage, SpvMemorySemanticsMask half)
{
    uint64_t semantics = SpvMemorySemanticsSequentiallyConsistentMask;
    spv_const_value(x->module, x->args[2], &semantics);
    uint32_t orders = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask | half;
    uint32_t memory = (storage != SpvStorageClassCrossWorkgroup ? SpvMemorySemanticsWorkgroupMemoryMask : 0u) |
                      (storage != SpvStorageClassWorkgroup ? SpvMemorySemanticsCrossWorkgroupMemoryMask : 0u);
    if (semantics & orders)
        spv_emitv_void(&x->b, SpvOpMemoryBarrier, x->args[1], spv_const_u32(x->module, half | memory));
}

static const char *float_atomic_name(uint16_t op)
{
    switch (op) {
    case SpvOpAtomicLoad:
        return "load";
    case SpvOpAtomicStore:
        return "store";
    case SpvOpAtomicExchange:
        return "exchange";
    case SpvOpAtomicFAddEXT:
        return "add";
    case SpvOpAtomicFMinEXT:
        return "min";
    default:
        return "max";
    }
}

static const char *space_name(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassWorkgroup:
        return "local";
    case SpvStorageClassGeneric:
        return "generic";
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        return "private";
    default:
        return "global";
    }
}

static bool adds_natively(const struct builtin_lowering *x, SpvStorageClass storage, uint32_t width)
{
    if (x->inst->op != SpvOpAtomicFAddEXT || width == 16 || storage == SpvStorageClassGeneric ||
        storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate)
        return false;
    bool local = storage == SpvStorageClassWorkgroup;
    if (width == 64)
        return local ? x->target->shared_float64_atomic_add : x->target->float64_atomic_add;
    /* NVIDIA's flush subnormals, whatever the mode */
    bool flushes =
        x->target->denorms_kept32 && !(x->lower->program_flags & (PROGRAM_DENORMS_ARE_ZERO | PROGRAM_FAST_RELAXED));
    return !flushes && (local ? x->target->shared_float32_atomic_add : x->target->float32_atomic_add);
}

/* The device's instruction, or a loop around compare and exchange. */
static spv_id lower_float_atomic(struct builtin_lowering *x)
{
    const struct spv_inst *cast = spv_def(x->module, x->args[0]);
    spv_id object = cast && cast->op == SpvOpPtrCastToGeneric ? cast->words[0] : x->args[0];
    spv_id pointer = spv_value_type(x->module, object);
    SpvStorageClass storage = spv_pointer_storage(x->module, pointer);
    uint32_t width = spv_type_width(x->module, spv_pointer_pointee(x->module, pointer));
    if (adds_natively(x, storage, width))
        return x->inst->id;
    char name[64];
    snprintf(name, sizeof(name), "__pumice_atomic_%s_f%u_%s", float_atomic_name(x->inst->op), width,
             space_name(storage));
    const spv_id args[] = {object, x->inst->op == SpvOpAtomicLoad ? 0 : x->args[3]};
    fence_beside(x, storage, SpvMemorySemanticsReleaseMask);
    spv_id old = lower_library_call(x, name, x->inst->op == SpvOpAtomicLoad ? 1 : 2, args);
    fence_beside(x, storage, SpvMemorySemanticsAcquireMask);
    return old;
}

/* ---- calls of the library that the front end made ---- */

static spv_id lower_call(struct builtin_lowering *x)
{
    const struct spv_function *callee = spv_function_of(x->module, x->args[0]);
    const struct spv_inst *label = callee && !callee->first_block ? spv_names(x->module, x->args[0]) : NULL;
    const char *name = label && label->op == SpvOpName ? spv_string(label, 1, NULL) : NULL;
    if (!name || !lower_library_has(name))
        return x->inst->id;
    return lower_library_call(x, name, x->num_args - 1, x->args + 1);
}

spv_id lower_core_memory(struct builtin_lowering *x)
{
    switch (x->inst->op) {
    case SpvOpGroupAsyncCopy:
        return lower_async_copy(x);
    case SpvOpGroupWaitEvents:
        return lower_wait_events(x);
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
        return lower_flag(x);
    case SpvOpAtomicCompareExchangeWeak:
        return spv_emit(&x->b, SpvOpAtomicCompareExchange, x->type, x->num_args, x->args);
    case SpvOpFunctionCall:
        return lower_call(x);
    default:
        return lower_float_atomic(x);
    }
}
