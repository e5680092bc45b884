/* SPV_KHR_untyped_pointers: modules whose pointers do not say what they point to become modules whose pointers do, when
 * they are read. Neither the passes nor older validators know of the extension then. A pointer without a type becomes a
 * pointer to bytes, and each instruction that gives memory a type casts it:
 *
 *     %p = OpTypeUntypedPointerKHR CrossWorkgroup     ->   %p = OpTypePointer CrossWorkgroup %uchar
 *     %c = OpUntypedPtrAccessChainKHR %p %uint %b %i       %1 = OpBitcast %uint_ptr %b
 *                                                          %2 = OpPtrAccessChain %uint_ptr %1 %i
 *                                                          %c = OpBitcast %p %2
 *     %v = OpLoad %float %c                                %3 = OpBitcast %float_ptr %c
 *                                                          %v = OpLoad %float %3
 *
 * A variable gets a pointer to its data for its type; uses of it as a pointer without a type get a cast of it, made
 * once at the start of the function. Folding removes what casts cancel out.
 *
 * Nothing is known of the module but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

#include <string.h>

struct untyped {
    struct spv_module *module;
    const char *error;
    spv_id byte, event, device_event; /* types; 0: the module has none such */
    spv_id *was;            /* by id, of variables that had no type: the pointer's type that they had; 0: others */
    uint8_t *types;         /* by id: 1 for types that had no pointee */
    uint32_t bound;         /* of both */
    spv_id *casts;          /* by id, of such variables: the cast of this function */
    VEC(spv_id) with_casts; /* the variables that have one */
    struct spv_function *function;
    struct spv_inst *start; /* what casts of variables come before */
    uint64_t typed;         /* words of the instruction at hand that are cast already */
};

static spv_id fail(struct untyped *u, const char *what)
{
    if (!u->error)
        u->error = what;
    return 0;
}

bool spv_is_untyped_op(uint16_t op)
{
    return spv_op_class(op) == SPV_CLASS_UNTYPED;
}

/* ---- types ---- */

static const struct spv_inst *pointer_type(const struct untyped *u, spv_id type)
{
    const struct spv_inst *def = spv_def(u->module, type);
    return def && def->op == SpvOpTypePointer ? def : NULL;
}

/* The pointer's type as the module had it; 0: the id is no value. */
static spv_id type_of(const struct untyped *u, spv_id value)
{
    const struct spv_inst *def = spv_def(u->module, value);
    return value < u->bound && u->was[value] ? u->was[value] : def ? def->type : 0;
}

static bool is_untyped(const struct untyped *u, spv_id value)
{
    spv_id type = type_of(u, value);
    return type && type < u->bound && u->types[type];
}

static void type_pointers(struct untyped *u)
{
    struct spv_module *module = u->module;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpTypeInt && inst->words[0] == 8 && !u->byte)
            u->byte = inst->id;
        else if (inst->op == SpvOpTypeEvent)
            u->event = inst->id;
        else if (inst->op == SpvOpTypeDeviceEvent)
            u->device_event = inst->id;
    }
    if (!u->byte)
        u->byte = spv_type_int(module, 8);
    spv_add_capability(module, SpvCapabilityInt8);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpTypeUntypedPointerKHR)
            continue;
        const uint32_t words[] = {inst->words[0], u->byte};
        inst->op = SpvOpTypePointer;
        spv_inst_set_words(module, inst, 2, words);
        u->types[inst->id] = 1;
    }
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL])
        spv_unique_enter(module, inst);
}

/* Whether the id is a known integer. A constant's type may be anything here. */
static bool integer(const struct untyped *u, spv_id id, uint64_t *value)
{
    return spv_type_op(u->module, type_of(u, id)) == SpvOpTypeInt && spv_const_value(u->module, id, value);
}

/* What the chain's indices, from word `first` on, lead to. */
static spv_id walk(struct untyped *u, const struct spv_inst *inst, spv_id type, uint32_t first)
{
    for (uint32_t i = first; i < inst->num_words && type; i++) {
        const struct spv_inst *def = spv_def(u->module, type);
        uint64_t index;
        switch (def ? def->op : SpvOpNop) {
        case SpvOpTypeStruct:
            if (!integer(u, inst->words[i], &index) || index >= def->num_words)
                return fail(u, "an index into a struct that is no constant, or too large");
            type = def->words[index];
            break;
        case SpvOpTypeArray:
        case SpvOpTypeRuntimeArray:
        case SpvOpTypeVector:
            type = def->words[0];
            break;
        default:
            return fail(u, "an index into what is no composite");
        }
    }
    return type;
}

/* ---- variables and constants ---- */

static void type_variable(struct untyped *u, struct spv_inst *variable)
{
    const struct spv_inst *type = pointer_type(u, variable->type);
    if (!type || variable->type >= u->bound || !u->types[variable->type] || type->words[0] != variable->words[0]) {
        fail(u, "OpUntypedVariableKHR of a type that is none of OpTypeUntypedPointerKHR in its storage class");
        return;
    }
    if (variable->num_words < 2 || !spv_op_is_type(spv_type_op(u->module, variable->words[1]))) {
        fail(u, "OpUntypedVariableKHR without the type of its data");
        return;
    }
    const uint32_t words[] = {variable->words[0], variable->num_words > 2 ? variable->words[2] : 0};
    u->was[variable->id] = variable->type;
    variable->op = SpvOpVariable;
    variable->type = spv_type_pointer(u->module, (SpvStorageClass)words[0], variable->words[1]);
    spv_inst_set_words(u->module, variable, variable->num_words > 2 ? 2 : 1, words);
}

static spv_id constant(struct untyped *u, SpvOp op, spv_id type, spv_id operand)
{
    const uint32_t words[] = {op, operand};
    return spv_const_inst(u->module, SpvOpSpecConstantOp, type, 2, words);
}

/* A constant expression's pointer as one of `type`. */
static spv_id constant_cast(struct untyped *u, spv_id pointer, spv_id type)
{
    return spv_value_type(u->module, pointer) == type ? pointer : constant(u, SpvOpBitcast, type, pointer);
}

static uint16_t typed_chain(uint32_t op)
{
    switch (op) {
    case SpvOpUntypedAccessChainKHR:
        return SpvOpAccessChain;
    case SpvOpUntypedInBoundsAccessChainKHR:
        return SpvOpInBoundsAccessChain;
    case SpvOpUntypedPtrAccessChainKHR:
        return SpvOpPtrAccessChain;
    case SpvOpUntypedInBoundsPtrAccessChainKHR:
        return SpvOpInBoundsPtrAccessChain;
    default:
        return 0;
    }
}

struct chain {
    uint16_t op;
    spv_id base, result; /* types of pointers to the base and to what the chain leads to */
    uint32_t first;      /* index behind the base */
};

/* at: the word with the base's type */
static bool find_chain(struct untyped *u, const struct spv_inst *inst, uint32_t op, uint32_t at, struct chain *chain)
{
    bool element = op == SpvOpUntypedPtrAccessChainKHR || op == SpvOpUntypedInBoundsPtrAccessChainKHR;
    const struct spv_inst *result = pointer_type(u, inst->type);
    if (inst->num_words < at + 2 + element)
        return fail(u, "an access chain without a base");
    const struct spv_inst *from = pointer_type(u, type_of(u, inst->words[at + 1]));
    if (!result || inst->type >= u->bound || !u->types[inst->type] || !from || from->words[0] != result->words[0])
        return fail(u, "an untyped access chain whose pointers are not of one storage class");
    if (!spv_op_is_type(spv_type_op(u->module, inst->words[at])))
        return fail(u, "an untyped access chain without the type of its base");
    spv_id leaf = walk(u, inst, inst->words[at], at + 2 + element);
    if (!leaf)
        return false;
    SpvStorageClass storage = (SpvStorageClass)from->words[0];
    chain->op = typed_chain(op);
    chain->base = spv_type_pointer(u->module, storage, inst->words[at]);
    chain->result = spv_type_pointer(u->module, storage, leaf);
    chain->first = at + 2;
    return true;
}

static void type_constant_chain(struct untyped *u, struct spv_inst *inst)
{
    struct chain chain;
    if (!find_chain(u, inst, inst->words[0], 1, &chain))
        return;
    spv_id base = constant_cast(u, inst->words[2], chain.base);
    if (chain.first < inst->num_words) {
        inst->words[1] = chain.op;
        inst->words[2] = base;
        base = spv_const_inst(u->module, SpvOpSpecConstantOp, chain.result, inst->num_words - 1, inst->words + 1);
    }
    const uint32_t words[] = {SpvOpBitcast, base};
    spv_inst_set_words(u->module, inst, 2, words);
}

static void retype_constant(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct untyped *u = data;
    (void)inst;
    if (*word < u->bound && u->was[*word])
        *word = constant_cast(u, *word, u->was[*word]);
}

static void type_globals(struct untyped *u)
{
    struct spv_list *list = &u->module->sections[SPV_SECTION_GLOBAL];
    spv_foreach_inst (inst, list) {
        if (inst->op == SpvOpUntypedVariableKHR)
            type_variable(u, inst);
    }
    struct spv_inst *last = list->last; /* what comes behind is made here */
    for (struct spv_inst *inst = list->first; inst && !u->error; inst = inst == last ? NULL : inst->next) {
        if (inst->op == SpvOpSpecConstantOp && inst->num_words > 1 && typed_chain(inst->words[0]))
            type_constant_chain(u, inst);
        else if (inst->op == SpvOpVariable || inst->op == SpvOpSpecConstantOp || spv_op_is_constant(inst->op))
            spv_visit_operand_ids(inst, retype_constant, u);
    }
}

/* ---- functions ---- */

static spv_id cast(struct untyped *u, struct spv_builder *builder, spv_id value, spv_id type)
{
    const struct spv_inst *def = spv_def(u->module, value);
    if (!def || def->type == type)
        return value;
    const struct spv_inst *from = def->op == SpvOpBitcast ? spv_def(u->module, def->words[0]) : NULL;
    if (from && from->type == type)
        return from->id;
    return spv_emit(builder, SpvOpBitcast, type, 1, &value);
}

/* Makes the operand, if it is a pointer without a type, one to `pointee`. */
static void want(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst, uint32_t word, spv_id pointee)
{
    if (word >= inst->num_words || !is_untyped(u, inst->words[word]) || !pointee)
        return;
    const struct spv_inst *from = pointer_type(u, type_of(u, inst->words[word]));
    spv_id type = spv_type_pointer(u->module, (SpvStorageClass)from->words[0], pointee);
    inst->words[word] = cast(u, builder, inst->words[word], type);
    u->typed |= (uint64_t)1 << word;
}

static spv_id component(const struct untyped *u, spv_id type)
{
    const struct spv_inst *def = spv_def(u->module, type);
    return def && def->op == SpvOpTypeVector ? def->words[0] : type;
}

/* As many integers of 32 bits as the type has components. */
static spv_id ints_like(const struct untyped *u, spv_id type)
{
    const struct spv_inst *def = spv_def(u->module, type);
    spv_id u32 = spv_type_int(u->module, 32);
    return def && def->op == SpvOpTypeVector ? spv_type_vector(u->module, u32, def->words[1]) : u32;
}

static void type_ext_inst(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst)
{
    if (inst->words[0] != u->module->ext_opencl || inst->num_words < 3)
        return;
    switch (inst->words[1]) {
    case OpenCLstd_Fract:
    case OpenCLstd_Modf:
    case OpenCLstd_Sincos:
        want(u, builder, inst, 3, inst->type);
        break;
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
        want(u, builder, inst, 3, ints_like(u, inst->type));
        break;
    case OpenCLstd_Remquo:
        want(u, builder, inst, 4, ints_like(u, inst->type));
        break;
    case OpenCLstd_Vloadn:
        want(u, builder, inst, 3, component(u, inst->type));
        break;
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
        want(u, builder, inst, 3, spv_type_float(u->module, 16));
        spv_add_capability(u->module, SpvCapabilityFloat16Buffer);
        break;
    case OpenCLstd_Vstoren:
        want(u, builder, inst, 4, component(u, type_of(u, inst->words[2])));
        break;
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        want(u, builder, inst, 4, spv_type_float(u->module, 16));
        spv_add_capability(u->module, SpvCapabilityFloat16Buffer);
        break;
    default:
        break;
    }
}

static void type_copy(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst)
{
    bool target = is_untyped(u, inst->words[0]), source = is_untyped(u, inst->words[1]);
    const struct spv_inst *type = pointer_type(u, type_of(u, inst->words[target]));
    if (target && source)
        fail(u, "OpCopyMemory of two pointers without a type");
    else if (type)
        want(u, builder, inst, source, type->words[1]);
}

/* The type of a number of elements that are copied as they are: OpGroupAsyncCopy has no untyped elements. Bytes and
 * words need no capability that the module may lack. */
static spv_id copied_type(struct untyped *u, uint64_t size)
{
    uint32_t width = size == 128 ? 64 : size >= 4 ? 32 : 8;
    uint64_t count = size * 8 / width;
    if (!is_power_of_two(size) || size > 128)
        return fail(u, "OpUntypedGroupAsyncCopyKHR of elements whose size is none of a vector's");
    spv_id type = spv_type_int(u->module, width);
    if (width == 64)
        spv_add_capability(u->module, SpvCapabilityInt64);
    if (count > 4)
        spv_add_capability(u->module, SpvCapabilityVector16);
    return count > 1 ? spv_type_vector(u->module, type, (uint32_t)count) : type;
}

static void type_async_copy(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst)
{
    uint64_t size;
    if (!integer(u, inst->words[3], &size)) {
        fail(u, "OpUntypedGroupAsyncCopyKHR with a size of elements that is no constant");
        return;
    }
    spv_id type = copied_type(u, size);
    if (!type)
        return;
    want(u, builder, inst, 1, type);
    want(u, builder, inst, 2, type);
    const uint32_t words[] = {inst->words[0], inst->words[1], inst->words[2],
                              inst->words[4], inst->words[5], inst->words[6]};
    inst->op = SpvOpGroupAsyncCopy;
    spv_inst_set_words(u->module, inst, 6, words);
}

static void type_chain(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst)
{
    struct chain chain;
    if (!find_chain(u, inst, inst->op, 0, &chain))
        return;
    inst->words[1] = cast(u, builder, inst->words[1], chain.base);
    u->typed = 1;
    if (chain.first == inst->num_words)
        inst->op = SpvOpBitcast;
    else if (chain.result == inst->type)
        inst->op = chain.op;
    spv_inst_set_words(u->module, inst, inst->num_words - 1, inst->words + 1);
    if (!spv_is_untyped_op(inst->op))
        return;
    spv_id result = spv_emit(builder, (SpvOp)chain.op, chain.result, inst->num_words, inst->words);
    inst->op = SpvOpBitcast;
    spv_inst_set_words(u->module, inst, 1, &result);
}

/* The first count operands, where they are pointers, become pointers to `pointee`: both sides of a comparison or a
 * difference, or what a conversion takes, which points to what its result points to. */
static void type_same(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst, uint32_t count,
                      spv_id pointee)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_inst *from = pointer_type(u, type_of(u, inst->words[i]));
        if (!from)
            continue;
        spv_id type = spv_type_pointer(u->module, (SpvStorageClass)from->words[0], pointee);
        inst->words[i] = cast(u, builder, inst->words[i], type);
        u->typed |= (uint64_t)1 << i;
    }
}

/* Gives the instruction's operands the types that it needs. */
static void type_operands(struct untyped *u, struct spv_builder *builder, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpUntypedVariableKHR:
        type_variable(u, inst);
        break;
    case SpvOpUntypedAccessChainKHR:
    case SpvOpUntypedInBoundsAccessChainKHR:
    case SpvOpUntypedPtrAccessChainKHR:
    case SpvOpUntypedInBoundsPtrAccessChainKHR:
        type_chain(u, builder, inst);
        break;
    case SpvOpUntypedArrayLengthKHR:
        fail(u, "OpUntypedArrayLengthKHR, which is none of kernels'");
        break;
    case SpvOpUntypedGroupAsyncCopyKHR:
        type_async_copy(u, builder, inst);
        break;
    case SpvOpLoad:
        want(u, builder, inst, 0, inst->type);
        break;
    case SpvOpStore:
        want(u, builder, inst, 0, type_of(u, inst->words[1]));
        break;
    case SpvOpCopyMemory:
        type_copy(u, builder, inst);
        break;
    case SpvOpExtInst:
        type_ext_inst(u, builder, inst);
        break;
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
        if (is_untyped(u, inst->words[0]) || is_untyped(u, inst->words[1]))
            type_same(u, builder, inst, 2, u->byte);
        break;
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpGenericCastToPtrExplicit: {
        const struct spv_inst *type = pointer_type(u, inst->type);
        if (type && (is_untyped(u, inst->words[0]) || u->types[inst->type]))
            type_same(u, builder, inst, 1, type->words[1]);
        break;
    }
    case SpvOpGroupAsyncCopy:
        if (is_untyped(u, inst->words[1]) || is_untyped(u, inst->words[2]))
            fail(u, "OpGroupAsyncCopy of pointers without a type");
        break;
    case SpvOpGroupWaitEvents:
        want(u, builder, inst, 2, u->event);
        break;
    case SpvOpEnqueueMarker:
        want(u, builder, inst, 2, u->device_event);
        want(u, builder, inst, 3, u->device_event);
        break;
    case SpvOpEnqueueKernel:
        want(u, builder, inst, 4, u->device_event);
        want(u, builder, inst, 5, u->device_event);
        break;
    case SpvOpSubgroupBlockReadINTEL:
        want(u, builder, inst, 0, component(u, inst->type));
        break;
    case SpvOpSubgroupBlockWriteINTEL:
        want(u, builder, inst, 0, component(u, type_of(u, inst->words[1])));
        break;
    case SpvOpAtomicStore:
        want(u, builder, inst, 0, type_of(u, inst->words[3]));
        break;
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
        want(u, builder, inst, 0, spv_type_int(u->module, 32));
        break;
    default:
        if (spv_op_is_atomic(inst->op))
            want(u, builder, inst, 0, inst->type);
    }
}

/* A variable that is used as a pointer without a type. */
static void retype(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct untyped *u = data;
    ptrdiff_t place = word - inst->words;
    if (*word >= u->bound || !u->was[*word] || (place < 64 && u->typed >> place & 1))
        return;
    if (!u->casts[*word]) {
        struct spv_builder builder = {u->module, u->function, u->function->first_block, u->start};
        u->casts[*word] = spv_emit(&builder, SpvOpBitcast, u->was[*word], 1, word);
        vec_push(u->module->arena, &u->with_casts, *word);
    }
    *word = u->casts[*word];
}

static void type_function(struct untyped *u, struct spv_function *function)
{
    u->function = function;
    u->start = function->first_block->insts.first;
    while (u->start && (u->start->op == SpvOpVariable || u->start->op == SpvOpUntypedVariableKHR))
        u->start = u->start->next;
    while (u->with_casts.length)
        u->casts[u->with_casts.data[--u->with_casts.length]] = 0;
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            struct spv_builder builder = {u->module, function, block, inst};
            if (inst->op == SpvOpUntypedPrefetchKHR) {
                u->start = u->start == inst ? inst->next : u->start;
                spv_inst_remove(u->module, inst);
                continue;
            }
            u->typed = 0;
            type_operands(u, &builder, inst);
            if (u->error)
                return;
            spv_visit_operand_ids(inst, inst->op == SpvOpVariable ? retype_constant : retype, u);
        }
    }
}

/* ---- the whole ---- */

static bool is_group(const struct untyped *u, spv_id target)
{
    const struct spv_inst *def = spv_def(u->module, target);
    return def && def->op == SpvOpDecorationGroup;
}

/* A kernel's argument by value has the size of what its pointer points to. A group's targets are not known yet, so that
 * none may say it. */
static void check_values(struct untyped *u)
{
    spv_foreach_inst (inst, &u->module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op == SpvOpDecorate && inst->num_words > 2 && inst->words[1] == SpvDecorationFuncParamAttr &&
            inst->words[2] == SpvFunctionParameterAttributeByVal &&
            (is_untyped(u, inst->words[0]) || is_group(u, inst->words[0])))
            fail(u, "a parameter by value whose pointer has no type");
    }
}

static bool drop_declarations(struct spv_module *module)
{
    bool extension = false, capability = false;
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_EXTENSION]) {
        if (strcmp(spv_string(inst, 0, NULL), "SPV_KHR_untyped_pointers") != 0)
            continue;
        extension = true;
        spv_inst_remove(module, inst);
    }
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_CAPABILITY]) {
        if (inst->words[0] != SpvCapabilityUntypedPointersKHR)
            continue;
        capability = true;
        spv_inst_remove(module, inst);
    }
    return extension && capability;
}

const char *spv_type_untyped(struct spv_module *module)
{
    struct untyped u = {.module = module, .bound = module->bound};
    if (!drop_declarations(module))
        return "untyped pointers need capability UntypedPointersKHR and SPV_KHR_untyped_pointers";
    u.was = arena_array(module->arena, spv_id, u.bound);
    u.casts = arena_array(module->arena, spv_id, u.bound);
    u.types = arena_array(module->arena, uint8_t, u.bound);
    type_pointers(&u);
    type_globals(&u);
    spv_foreach_function (function, module) {
        if (function->first_block && !u.error)
            type_function(&u, function);
    }
    check_values(&u);
    return u.error;
}
