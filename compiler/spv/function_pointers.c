/* SPV_INTEL_function_pointers: modules that take addresses of functions, and call what these lead to, become modules
 * without, when they are read. A pointer to a function is a number of 64 bits then; 0 is the null pointer.
 *
 *     %t = OpTypePointer Function %fn                     ->   %t = OpTypeInt 64 0
 *     %p = OpConstantFunctionPointerINTEL %t %f                %p = OpConstant %t NUMBER
 *     %g = OpPtrCastToGeneric %generic_char %p                 %g = OpConvertUToPtr %generic_char %p
 *     %r = OpFunctionPointerCallINTEL %int %p %a               %r = OpFunctionCall %int %call %p %a
 *
 * %call is a declaration with the import name "pumice.call.N", one for each type of calls. For each function whose
 * address is taken there is another one, which does nothing but call it, with the export name
 * "pumice.address.NUMBER". What the calls may lead to is known once a program is whole: then program/bind_calls.c gives
 * the declarations bodies. Functions that are known by name to other modules have the same number in each of them.
 * Numbers have 32 bits, since pointers to private memory keep no more.
 *
 * Of the module's scope it is known that types are types and numbers have their sizes (spv_check_scope()). Of functions
 * nothing is known but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

#include <string.h>

struct pointers {
    struct spv_module *module;
    const char *error;
    uint8_t *types; /* by id: 1 for pointers to functions */
    uint32_t bound; /* of it */
    spv_id ulong;
    uint64_t seed;          /* of the numbers of functions that no other module knows */
    struct u64_map numbers; /* function -> number */
    struct u64_map taken;   /* number -> not NULL */
    struct u64_map calls;   /* type -> declaration */
    uint32_t num_calls;
};

static void fail(struct pointers *p, const char *what)
{
    if (!p->error)
        p->error = what;
}

static bool is_pointer_type(const struct pointers *p, spv_id type)
{
    return type < p->bound && p->types[type];
}

static bool is_pointer(const struct pointers *p, spv_id value)
{
    return is_pointer_type(p, spv_value_type(p->module, value));
}

static void become(struct pointers *p, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words)
{
    inst->op = (uint16_t)op;
    spv_inst_set_words(p->module, inst, count, words);
}

/* ---- types ---- */

static bool leads_to_function(const struct spv_module *module, const struct spv_inst *type)
{
    return type->op == SpvOpTypePointer && (type->words[0] == SpvStorageClassCodeSectionINTEL ||
                                            spv_type_op(module, type->words[1]) == SpvOpTypeFunction);
}

/* They are integers as others are, which the repairs make one type. */
static void find_types(struct pointers *p)
{
    static const uint32_t ulong[] = {64, 0};
    struct spv_list *globals = &p->module->sections[SPV_SECTION_GLOBAL];
    spv_foreach_inst (inst, globals) {
        if (leads_to_function(p->module, inst))
            p->types[inst->id] = 1;
    }
    spv_foreach_inst_safe (forward, globals) {
        if (forward->op == SpvOpTypeForwardPointer && is_pointer_type(p, forward->words[0]))
            spv_inst_remove(p->module, forward);
    }
    spv_foreach_inst (inst, globals) {
        if (inst->id < p->bound && p->types[inst->id])
            become(p, inst, SpvOpTypeInt, 2, ulong);
    }
    p->ulong = spv_type_int(p->module, 64);
    spv_add_capability(p->module, SpvCapabilityInt64);
}

/* ---- numbers ---- */

/* The name by which other modules know the function, or NULL. */
static const char *name_of(const struct spv_module *module, spv_id function)
{
    const struct spv_inst *linkage = spv_find_decoration(module, function, SpvDecorationLinkageAttributes);
    return linkage && linkage->num_words > 3 ? spv_string(linkage, 2, NULL) : NULL;
}

/* A function that other modules see, too, and that does nothing but call this one. */
static void make_entrance(struct pointers *p, const struct spv_inst *def, uint64_t number, bool shared)
{
    struct spv_module *module = p->module;
    struct spv_function *entrance = spv_function_create(module, 0, def->words[1], SpvFunctionControlMaskNone);
    struct spv_block *block = spv_block_create(entrance, module, 0);
    spv_block_append(entrance, block);
    struct spv_builder b = {.module = module, .function = entrance, .block = block};
    uint32_t count = entrance->params.length;
    uint32_t *words = arena_array(module->arena, uint32_t, count + 1);
    words[0] = def->id;
    for (uint32_t i = 0; i < count; i++)
        words[i + 1] = entrance->params.data[i]->id;
    spv_id result = spv_emit(&b, SpvOpFunctionCall, def->type, count + 1, words);
    if (spv_type_op(module, def->type) == SpvOpTypeVoid)
        spv_emit_void(&b, SpvOpReturn, 0, NULL);
    else
        spv_emitv_void(&b, SpvOpReturnValue, result);
    spv_decorate_linkage(module, entrance->def->id,
                         arena_printf(module->arena, SPV_ADDRESS_NAME "%u", (unsigned)number),
                         shared ? SpvLinkageTypeLinkOnceODR : SpvLinkageTypeExport);
    if (shared)
        spv_add_extension(module, "SPV_KHR_linkonce_odr");
}

static uint64_t number_of(struct pointers *p, spv_id function)
{
    const struct spv_inst *def = spv_def(p->module, function);
    uint64_t number = (uint64_t)(uintptr_t)u64_map_get(&p->numbers, function);
    if (number)
        return number;
    if (!def || def->op != SpvOpFunction || spv_type_op(p->module, def->words[1]) != SpvOpTypeFunction ||
        spv_def(p->module, def->words[1])->words[0] != def->type) {
        fail(p, "OpConstantFunctionPointerINTEL of what is no function");
        return 0;
    }
    const char *name = name_of(p->module, function);
    uint64_t hash = name ? hash_bytes64(name, strlen(name), 0) : hash_bytes64(&function, sizeof(function), p->seed);
    for (number = (uint32_t)hash | 1; u64_map_has(&p->taken, number); number = (uint32_t)(number + 2)) {
        if (name) { /* another module would not know the next one */
            fail(p, "two functions whose addresses are taken have names of the same hash");
            return 0;
        }
    }
    u64_map_set(p->module->arena, &p->taken, number, p);
    u64_map_set(p->module->arena, &p->numbers, function, (void *)(uintptr_t)number);
    make_entrance(p, def, number, name);
    return number;
}

static void take_address(struct pointers *p, struct spv_inst *inst)
{
    uint64_t number = number_of(p, inst->words[0]);
    const uint32_t words[] = {(uint32_t)number, 0}, cast[] = {SpvOpConvertUToPtr, spv_const_u64(p->module, number)};
    if (is_pointer_type(p, inst->type))
        become(p, inst, SpvOpConstant, 2, words);
    else if (spv_type_is_pointer(p->module, inst->type))
        become(p, inst, SpvOpSpecConstantOp, 2, cast);
    else
        fail(p, "OpConstantFunctionPointerINTEL of a type that is none of pointers");
}

/* ---- casts ---- */

static bool is_cast(uint32_t op)
{
    switch (op) {
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpGenericCastToPtrExplicit:
        return true;
    default:
        return false;
    }
}

/* What the cast of a value of one type to another is, if one of them is a pointer to a function; CopyObject: the value
 * stays what it is; Nop: no pointer to a function, or no cast. */
static SpvOp cast_of(const struct pointers *p, spv_id from, spv_id to)
{
    const struct spv_module *module = p->module;
    bool pointer = spv_type_is_pointer(module, from);
    if (!is_pointer_type(p, from) && !is_pointer_type(p, to))
        return SpvOpNop;
    if (spv_type_is_pointer(module, to))
        return pointer ? SpvOpNop : SpvOpConvertUToPtr;
    if (pointer)
        return SpvOpConvertPtrToU;
    if (spv_type_op(module, from) != SpvOpTypeInt || spv_type_op(module, to) != SpvOpTypeInt)
        return SpvOpNop;
    return spv_type_width(module, from) == spv_type_width(module, to) ? SpvOpCopyObject : SpvOpUConvert;
}

static void change_cast(struct pointers *p, struct spv_inst *inst)
{
    SpvOp op = cast_of(p, spv_value_type(p->module, inst->words[0]), inst->type);
    if (op != SpvOpNop)
        become(p, inst, op, 1, inst->words);
}

/* A constant expression is the number itself where that is all that it is. */
static void change_constant(struct pointers *p, struct spv_inst *inst)
{
    const struct spv_inst *operand = inst->num_words > 1 ? spv_def(p->module, inst->words[1]) : NULL;
    SpvOp op = operand && is_cast(inst->words[0]) ? cast_of(p, operand->type, inst->type) : SpvOpNop;
    if (op == SpvOpCopyObject && (operand->op == SpvOpConstant || operand->op == SpvOpConstantNull)) {
        become(p, inst, (SpvOp)operand->op, operand->num_words, operand->words);
    } else if (op == SpvOpCopyObject) {
        fail(p, "a constant expression of pointers to functions that is none of a function's address");
    } else if (op != SpvOpNop) {
        const uint32_t words[] = {op, operand->id};
        become(p, inst, SpvOpSpecConstantOp, 2, words);
    }
}

/* ---- calls ---- */

/* The declaration of calls of this type, whose first parameter is the number. */
static spv_id declaration_of(struct pointers *p, spv_id type)
{
    spv_id declaration = (spv_id)(uintptr_t)u64_map_get(&p->calls, type);
    if (declaration)
        return declaration;
    declaration = spv_function_create(p->module, 0, type, SpvFunctionControlMaskNone)->def->id;
    spv_decorate_linkage(p->module, declaration, arena_printf(p->module->arena, SPV_CALL_NAME "%u", p->num_calls++),
                         SpvLinkageTypeImport);
    u64_map_set(p->module->arena, &p->calls, type, (void *)(uintptr_t)declaration);
    return declaration;
}

static void change_call(struct pointers *p, struct spv_builder builder, struct spv_inst *inst)
{
    struct spv_module *module = p->module;
    uint32_t count = inst->num_words;
    if (!count) {
        fail(p, "OpFunctionPointerCallINTEL of nothing");
        return;
    }
    spv_id *types = arena_array(module->arena, spv_id, count);
    uint32_t *words = arena_array(module->arena, uint32_t, count + 1);
    memcpy(words + 1, inst->words, count * sizeof(*words));
    if (!is_pointer(p, words[1]))
        words[1] = spv_emitv(&builder, SpvOpConvertPtrToU, p->ulong, words[1]);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = spv_value_type(module, words[i + 1]);
        if (!types[i] || !spv_op_is_type(spv_type_op(module, types[i]))) {
            fail(p, "OpFunctionPointerCallINTEL of what is no value");
            return;
        }
    }
    words[0] = declaration_of(p, spv_type_function(module, inst->type, count, types));
    become(p, inst, SpvOpFunctionCall, count + 1, words);
}

/* ---- the whole ---- */

static void compare(struct pointers *p, struct spv_builder builder, struct spv_inst *inst)
{
    if (!is_pointer(p, inst->words[0]) && !is_pointer(p, inst->words[1]))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        if (spv_type_is_pointer(p->module, spv_value_type(p->module, inst->words[i])))
            inst->words[i] = spv_emitv(&builder, SpvOpConvertPtrToU, p->ulong, inst->words[i]);
    }
    inst->op = inst->op == SpvOpPtrEqual ? SpvOpIEqual : SpvOpINotEqual;
}

static void change(struct pointers *p, struct spv_builder builder, struct spv_inst *inst)
{
    if (inst->op == SpvOpFunctionPointerCallINTEL)
        change_call(p, builder, inst);
    else if (is_cast(inst->op))
        change_cast(p, inst);
    else if (inst->op == SpvOpPtrEqual || inst->op == SpvOpPtrNotEqual)
        compare(p, builder, inst);
    else if ((inst->op == SpvOpLoad || inst->op == SpvOpStore || spv_op_is_chain(inst->op)) &&
             is_pointer(p, inst->words[0]))
        fail(p, "a function's code as memory");
}

/* The section is sorted, so an operand has changed before what casts it. */
static void change_globals(struct pointers *p)
{
    struct spv_list *globals = &p->module->sections[SPV_SECTION_GLOBAL];
    spv_foreach_inst (inst, globals) {
        if (inst->op == SpvOpConstantFunctionPointerINTEL)
            take_address(p, inst);
    }
    spv_foreach_inst (inst, globals) {
        if (inst->op == SpvOpSpecConstantOp)
            change_constant(p, inst);
    }
}

const char *spv_take_function_pointers(struct spv_module *module, uint64_t seed)
{
    struct pointers p = {.module = module, .bound = module->bound, .seed = seed};
    p.types = arena_array(module->arena, uint8_t, p.bound);
    struct spv_function *last = module->last_function; /* what comes behind is made here */
    find_types(&p);
    change_globals(&p);
    for (struct spv_function *function = module->first_function; function && !p.error;
         function = function == last ? NULL : function->next) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                struct spv_builder builder = {module, function, block, inst};
                change(&p, builder, inst);
            }
        }
    }
    return p.error;
}
