/* Step 2 of lowering: OpenCL's built-in functions, and those instructions whose OpenCL meaning Vulkan does not promise.
 *
 * OpenCL.std instructions are dispatched by the table that gen_builtins.py makes of builtins.def. They become
 * GLSL.std.450 where that is exact or where the device's probe says that it keeps the bound, or go to a handler, or
 * call a body of the embedded library. Core instructions are dispatched by opcode. What replaces an instruction is
 * walked again, library bodies too, until nothing is left to do. Afterwards the module is still kernel SPIR-V with
 * physical pointers, without OpenCL.std, events and Kernel-only arithmetic. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/builtins/passes.h"
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/values/launch.h"

#include "compiler/builtins/library.h"
#include "compiler/lower/builtins/bodies.h"

#include <assert.h>
#include <string.h>

enum lower_kind { LOWER_NONE, LOWER_LIB, LOWER_GLSL, LOWER_FAST, LOWER_LIKE, LOWER_FN };

struct lower_row {
    const char *name;
    lower_builtin_fn *fn;
    uint8_t kind, probe;
    uint16_t like, glsl;
    bool probed, out_pointer;
};

#include "builtins_lower.inc"

/* ---- helpers ---- */

spv_id lower_glsl(struct builtin_lowering *x, spv_id type, uint32_t number, uint32_t count, const spv_id *args)
{
    spv_id set = spv_import_ext_inst(x->module, "GLSL.std.450");
    return spv_emit_ext(&x->b, type, set, number, count, args);
}

spv_id lower_vector_type(struct builtin_lowering *x, spv_id component, uint32_t count)
{
    return spv_type_vector(x->module, component, count);
}

spv_id lower_bool_type(struct builtin_lowering *x, uint32_t lanes)
{
    return lower_vector_type(x, spv_type_bool(x->module), lanes);
}

spv_id lower_int_like(struct builtin_lowering *x, spv_id type, uint32_t width)
{
    return lower_vector_type(x, spv_type_int(x->module, width), spv_type_count(x->module, type));
}

spv_id lower_float_constant(struct builtin_lowering *x, spv_id type, double value)
{
    return lower_constant(x, type, float_to_bits(value, spv_type_width(x->module, type)));
}

spv_id lower_lane(struct builtin_lowering *x, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(x->module, value);
    if (!spv_type_is_vector(x->module, type))
        return value;
    const struct spv_inst *def = spv_def(x->module, value);
    if (def->op == SpvOpConstantComposite && lane < def->num_words)
        return def->words[lane];
    return spv_emitv(&x->b, SpvOpCompositeExtract, spv_type_component(x->module, type), value, lane);
}

spv_id lower_gather(struct builtin_lowering *x, spv_id component, uint32_t lanes, const spv_id *values)
{
    if (lanes == 1)
        return values[0];
    return spv_emit(&x->b, SpvOpCompositeConstruct, lower_vector_type(x, component, lanes), lanes, values);
}

spv_id lower_resize(struct builtin_lowering *x, spv_id type, spv_id value, bool is_signed)
{
    uint32_t from = spv_type_width(x->module, spv_value_type(x->module, value));
    if (from == spv_type_width(x->module, type))
        return value;
    return lower_op1(x, is_signed ? SpvOpSConvert : SpvOpUConvert, type, value);
}

spv_id lower_bits_of(struct builtin_lowering *x, spv_id value)
{
    spv_id type = spv_value_type(x->module, value);
    return lower_op1(x, SpvOpBitcast, lower_int_like(x, type, spv_type_width(x->module, type)), value);
}

bool lower_native(const struct builtin_lowering *x, enum clc_probe probe, uint32_t width)
{
    uint32_t index = width == 16 ? CLC_WIDTH_16 : width == 32 ? CLC_WIDTH_32 : CLC_WIDTH_64;
    return x->target->native[probe][index] >= CLC_NATIVE_BOUND;
}

bool lower_native_relaxed(const struct builtin_lowering *x, enum clc_probe probe)
{
    return x->target->native[probe][CLC_WIDTH_32] >= CLC_NATIVE_RELAXED;
}

bool lower_exact(const struct builtin_lowering *x, enum clc_probe probe, uint32_t width)
{
    uint32_t index = width == 16 ? CLC_WIDTH_16 : width == 32 ? CLC_WIDTH_32 : CLC_WIDTH_64;
    return x->target->native[probe][index] == CLC_NATIVE_EXACT;
}

/* ---- the embedded library ---- */

static const struct builtins_library_function *find_body(const char *name)
{
    uint32_t low = 0, high = builtins_library_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strcmp(builtins_library_names + builtins_library[middle].name, name);
        if (!order)
            return &builtins_library[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool lower_library_has(const char *name)
{
    return find_body(name) != NULL;
}

static const char *name_of(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *name = spv_names(module, id);
    return name && name->op == SpvOpName ? spv_string(name, 1, NULL) : NULL;
}

static spv_id import_body(struct builtin_lowering *x, const char *name);

/* The library function of that name, if the module has it already. Where fma is exact, the versions that use it stand
 * for those without. */
static spv_id known_function(struct builtin_lowering *x, const char *name)
{
    spv_id known = (spv_id)(uintptr_t)str_map_get(&x->library, name, strlen(name));
    const struct builtins_library_function *body = known ? NULL : find_body(name);
    if (body && body->fused_width && lower_exact(x, CLC_PROBE_FMA, body->fused_width)) {
        known = import_body(x, builtins_library_names + body->fused);
        str_map_set(x->module->arena, &x->library, builtins_library_names + body->name, strlen(name),
                    (void *)(uintptr_t)known);
    }
    return known;
}

/* Functions and tables that an earlier body brought along, and the variables of the work-item, are shared and not
 * copied again. */
static void share_known(struct builtin_lowering *x, struct spv_import *import)
{
    const struct spv_module *from = import->from;
    for (spv_id id = 1; id < from->bound; id++) {
        const struct spv_inst *def = from->defs[id];
        if (!def || (def->op != SpvOpFunction && (def->op != SpvOpVariable || def->block)))
            continue;
        const struct spv_inst *builtin = spv_find_decoration(from, id, SpvDecorationBuiltIn);
        const char *name = name_of(from, id);
        spv_id known = 0;
        if (builtin)
            known = lower_builtin_variable(x->lower, (SpvBuiltIn)builtin->words[2]);
        else if (name)
            known = known_function(x, name);
        if (known)
            spv_set_imported(import, id, known);
    }
}

static void remember_imported(struct builtin_lowering *x, struct spv_import *import)
{
    const struct spv_module *from = import->from;
    for (spv_id id = 1; id < from->bound; id++) {
        const struct spv_inst *def = from->defs[id];
        const char *name = def ? name_of(from, id) : NULL;
        spv_id to = name ? spv_imported(import, id) : 0;
        if (!to || (def->op != SpvOpFunction && def->op != SpvOpVariable))
            continue;
        char *key = arena_strndup(x->module->arena, name, strlen(name));
        str_map_set(x->module->arena, &x->library, key, strlen(key), (void *)(uintptr_t)to);
    }
}

/* Marks the library's operations as not to be fused, but for those that were fused here. */
static void forbid_contraction(struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpFAdd || inst->op == SpvOpFSub || inst->op == SpvOpFMul || inst->op == SpvOpFDiv)
                spv_forbid_contraction(inst);
        }
    }
}

static void note_body(struct builtin_lowering *x, const struct spv_function *function)
{
    const char *name = name_of(x->module, function->def->id);
    const struct builtins_library_function *body = name ? find_body(name) : NULL;
    uintptr_t kind = body && body->is_read ? LOWER_BODY_READ : LOWER_BODY_PLAIN;
    if (body)
        u64_map_set(x->lower->arena, &x->lower->library_bodies, function->def->id, (void *)kind);
}

/* Brings a function into the module; 0 after an error. */
static spv_id import_body(struct builtin_lowering *x, const char *name)
{
    const struct builtins_library_function *body = find_body(name);
    if (!body) {
        lower_fail(x->lower, "the library has no body for %s", name);
        return 0;
    }
    struct spv_import import = {.to = x->module};
    import.from = lower_read_body(x->lower->bodies, x->module->arena, body);
    spv_id source = 0;
    spv_foreach_function (function, import.from) {
        const char *function_name = name_of(import.from, function->def->id);
        if (function_name && !strcmp(function_name, name))
            source = function->def->id;
    }
    if (!source) {
        lower_fail(x->lower, "the library's %s is damaged: it does not contain itself", name);
        return 0;
    }
    share_known(x, &import);
    struct spv_function *last = x->module->last_function;
    spv_id id = spv_import_function(&import, source);
    remember_imported(x, &import);
    for (struct spv_function *function = last ? last->next : x->module->first_function; function;
         function = function->next) {
        lower_contract_library(x->lower, x->module, function);
        forbid_contraction(function);
        note_body(x, function);
    }
    return id;
}

static spv_id library_function(struct builtin_lowering *x, const char *name)
{
    spv_id known = known_function(x, name);
    return known ? known : import_body(x, name);
}

spv_id lower_library_call(struct builtin_lowering *x, const char *name, uint32_t count, const spv_id *args)
{
    spv_id function = library_function(x, name);
    if (!function)
        return 0;
    const struct spv_inst *def = spv_def(x->module, function), *type = spv_def(x->module, def->words[1]);
    if (type->num_words != count + 1) {
        lower_fail(x->lower, "the library's %s takes %u parameters, not %u", name, type->num_words - 1, count);
        return 0;
    }
    uint32_t words[25] = {function};
    assert(count < ARRAY_LENGTH(words));
    memcpy(words + 1, args, count * sizeof(args[0]));
    return spv_emit(&x->b, SpvOpFunctionCall, def->type, 1 + count, words);
}

/* The width of the floats that a function works on. */
static uint32_t float_width(const struct builtin_lowering *x)
{
    if (spv_type_is_float(x->module, x->type))
        return spv_type_width(x->module, x->type);
    for (uint32_t i = 0; i < x->num_args; i++) {
        spv_id type = spv_value_type(x->module, x->args[i]);
        if (spv_type_is_float(x->module, type))
            return spv_type_width(x->module, type);
    }
    return 32;
}

struct lanes_call {
    char name[64];
    uint32_t width;      /* of the function's floats */
    bool widen;          /* halfs go through f32 */
    spv_id out_pointer;  /* the built-in's; 0: none */
    spv_id out_variable; /* private, of the body's type */
    spv_id out_argument; /* it, as the body takes it: the library is compiled with generic pointers */
    spv_id out_type;
};

static spv_id widen_half(struct builtin_lowering *x, spv_id value)
{
    spv_id type = spv_value_type(x->module, value);
    if (!spv_type_is_float(x->module, type) || spv_type_width(x->module, type) != 16)
        return value;
    return lower_op1(x, SpvOpFConvert, spv_type_float(x->module, 32), value);
}

bool lower_has_fast_bodies(const struct builtin_lowering *x, uint32_t width)
{
    return lower_exact(x, CLC_PROBE_FMA, width) && (width == 64 || lower_native(x, CLC_PROBE_FAST_BODIES, 32));
}

/* Builds the name, as __pumice_NAME_f32, by hand: printf() would take as long as the import of a small body. */
static void name_body(struct lanes_call *call, const char *name, const char *kind, uint32_t width)
{
    const char *const parts[] = {"__pumice_", name, kind, width == 16 ? "_f16" : width == 32 ? "_f32" : "_f64"};
    char *at = call->name, *end = call->name + sizeof(call->name) - 1;
    for (uint32_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        for (const char *from = parts[i]; *from && at < end; from++)
            *at++ = *from;
    }
    *at = 0;
}

static void choose_body(const struct builtin_lowering *x, struct lanes_call *call, const char *name, uint32_t width)
{
    name_body(call, name, "", width);
    call->widen = width == 16 && !lower_library_has(call->name);
    if (call->widen)
        width = 32;
    if (width >= 32 && lower_has_fast_bodies(x, width)) {
        name_body(call, name, "_fast", width);
        if (lower_library_has(call->name))
            return;
    }
    name_body(call, name, "", width);
}

/* Whether the caller's pointer points to the second results of all lanes. */
static bool points_at(const struct builtin_lowering *x, spv_id pointer, const struct lanes_call *call)
{
    spv_id type = spv_value_type(x->module, pointer);
    if (!spv_type_is_pointer(x->module, type))
        return false;
    spv_id pointee = spv_pointer_pointee(x->module, type), made = call->out_type;
    bool is_float = spv_type_is_float(x->module, made);
    if (!(is_float ? spv_type_is_float(x->module, pointee) : spv_type_is_int(x->module, pointee)))
        return false;
    uint32_t width = call->widen && is_float ? 16 : spv_type_width(x->module, made);
    return spv_type_width(x->module, pointee) == width &&
           spv_type_count(x->module, pointee) == spv_type_count(x->module, x->type);
}

static bool prepare_lanes(struct builtin_lowering *x, struct lanes_call *call, const char *name, bool out_pointer)
{
    choose_body(x, call, name, float_width(x));
    if (!out_pointer)
        return true;
    spv_id function = library_function(x, call->name);
    if (!function)
        return false;
    const struct spv_inst *type = spv_def(x->module, spv_def(x->module, function)->words[1]);
    spv_id pointer = type->num_words ? type->words[type->num_words - 1] : 0;
    if (!spv_type_is_pointer(x->module, pointer)) {
        lower_fail(x->lower, "the library's %s has no pointer parameter", call->name);
        return false;
    }
    call->out_type = spv_pointer_pointee(x->module, pointer);
    call->out_pointer = x->num_args ? x->args[x->num_args - 1] : 0;
    if (!call->out_pointer || !points_at(x, call->out_pointer, call)) {
        lower_fail(x->lower, "the pointer of OpenCL.std instruction %u is none to its second result", x->number);
        return false;
    }
    call->out_variable = call->out_argument = spv_emit_variable(&x->b, call->out_type);
    if (spv_pointer_storage(x->module, pointer) == SpvStorageClassGeneric)
        call->out_argument = lower_op1(x, SpvOpPtrCastToGeneric, pointer, call->out_variable);
    return true;
}

static uint32_t natural_align(const struct builtin_lowering *x, spv_id type)
{
    uint32_t lanes = spv_type_count(x->module, type);
    return spv_type_width(x->module, type) / 8 * (lanes == 3 ? 4 : lanes);
}

/* Stores the second results of all lanes where the caller's pointer says. */
static void store_second(struct builtin_lowering *x, const struct lanes_call *call, uint32_t lanes,
                         const spv_id *seconds)
{
    spv_id pointee = spv_pointer_pointee(x->module, spv_value_type(x->module, call->out_pointer));
    spv_id component = spv_type_component(x->module, call->out_type);
    spv_id value = lower_gather(x, component, lanes, seconds);
    if (call->widen && spv_type_is_float(x->module, component))
        value = lower_op1(x, SpvOpFConvert, lower_vector_type(x, spv_type_float(x->module, 16), lanes), value);
    spv_emitv_void(&x->b, SpvOpStore, call->out_pointer, value, SpvMemoryAccessAlignedMask, natural_align(x, pointee));
}

spv_id lower_library_lanes(struct builtin_lowering *x, const char *name, bool out_pointer)
{
    struct lanes_call call = {0};
    if (!prepare_lanes(x, &call, name, out_pointer))
        return 0;
    uint32_t lanes = spv_type_count(x->module, x->type), count = x->num_args;
    spv_id results[16], seconds[16];
    for (uint32_t lane = 0; lane < lanes; lane++) {
        spv_id args[16];
        for (uint32_t i = 0; i < count; i++) {
            bool out = out_pointer && i == count - 1;
            args[i] = out ? call.out_argument : lower_lane(x, x->args[i], lane);
            if (call.widen && !out)
                args[i] = widen_half(x, args[i]);
        }
        results[lane] = lower_library_call(x, call.name, count, args);
        if (!results[lane])
            return 0;
        if (out_pointer)
            seconds[lane] = spv_emitv(&x->b, SpvOpLoad, call.out_type, call.out_variable, SpvMemoryAccessAlignedMask,
                                      natural_align(x, call.out_type));
    }
    if (out_pointer)
        store_second(x, &call, lanes, seconds);
    spv_id component = spv_type_component(x->module, x->type);
    spv_id made = spv_type_component(x->module, spv_value_type(x->module, results[0]));
    spv_id value = lower_gather(x, made, lanes, results);
    return made == component ? value : lower_op1(x, SpvOpFConvert, x->type, value);
}

/* ---- OpenCL.std ---- */

/* Computes a half function with the device's f32 instruction: rounding twice stays within the bound. */
static spv_id glsl_by_f32(struct builtin_lowering *x, uint32_t number)
{
    spv_id args[16], wide = lower_vector_type(x, spv_type_float(x->module, 32), x->lanes);
    for (uint32_t i = 0; i < x->num_args; i++)
        args[i] = lower_op1(x, SpvOpFConvert, wide, x->args[i]);
    return lower_op1(x, SpvOpFConvert, x->type, lower_glsl(x, wide, number, x->num_args, args));
}

/* Whether a half function may be computed in float. The square root of a half is correctly rounded if that of the float
 * is, since 24 >= 2 * 11 + 2; the others have bounds. */
static bool half_by_f32(const struct builtin_lowering *x, enum clc_probe probe)
{
    if (probe == CLC_PROBE_FMA)
        return false;
    return probe == CLC_PROBE_SQRT ? lower_exact(x, probe, 32) : lower_native(x, probe, 32);
}

static bool is_good_enough(const struct builtin_lowering *x, enum clc_probe probe, uint32_t width)
{
    bool correct = probe == CLC_PROBE_SQRT && lower_divides_correctly(x, width);
    return correct ? lower_exact(x, probe, width) : lower_native(x, probe, width);
}

static spv_id lower_by_row(struct builtin_lowering *x, const struct lower_row *row)
{
    uint32_t width = float_width(x);
    switch (row->kind) {
    case LOWER_GLSL:
        return lower_glsl(x, x->type, row->glsl, x->num_args, x->args);
    case LOWER_FAST:
        if (width == 64)
            return lower_by_row(x, &lower_rows[row->like]);
        return lower_glsl(x, x->type, row->glsl, x->num_args, x->args);
    case LOWER_LIKE:
        return lower_by_row(x, &lower_rows[row->like]);
    case LOWER_LIB:
        /* The root of a double by the library's steps takes NVIDIA's driver less than its own, which is as exact. */
        if (row->probe == CLC_PROBE_SQRT && width == 64 && lower_has_fast_bodies(x, 64))
            return lower_library_lanes(x, row->name, row->out_pointer);
        if (row->probed && is_good_enough(x, row->probe, width))
            return lower_glsl(x, x->type, row->glsl, x->num_args, x->args);
        if (row->probed && width == 16 && half_by_f32(x, row->probe))
            return glsl_by_f32(x, row->glsl);
        if (row->probed && row->probe == CLC_PROBE_FMA && width == 32 && x->target->float64)
            return lower_library_lanes(x, "fma_wide", false);
        return lower_library_lanes(x, row->name, row->out_pointer);
    case LOWER_FN:
        return row->fn(x);
    default:
        lower_fail(x->lower, "OpenCL.std instruction %u is not supported", x->number);
        return 0;
    }
}

static spv_id lower_ext(struct builtin_lowering *x)
{
    static const struct lower_row none = {0};
    bool is_void = spv_type_op(x->module, x->type) == SpvOpTypeVoid;
    x->number = (uint16_t)x->inst->words[1];
    if (!is_void && !spv_type_is_float(x->module, x->type) && !spv_type_is_int(x->module, x->type)) {
        lower_fail(x->lower, "OpenCL.std instruction %u gives no number", x->number);
        return 0;
    }
    spv_id relaxed = lower_is_relaxed(x) ? lower_relaxed(x) : 0;
    if (relaxed)
        return relaxed;
    return lower_by_row(x, x->number < ARRAY_LENGTH(lower_rows) ? &lower_rows[x->number] : &none);
}

/* cl_khr_expect_assume: a hint, for which Vulkan has no instruction. */
static spv_id lower_expect(struct builtin_lowering *x)
{
    return x->args[0];
}

/* ---- the walk ---- */

static bool is_half_atomic(const struct builtin_lowering *x, const struct spv_inst *inst)
{
    spv_id type = spv_pointer_pointee(x->module, spv_value_type(x->module, inst->words[0]));
    return spv_type_is_float(x->module, type) && spv_type_width(x->module, type) == 16;
}

/* Classes that a handler takes as a whole. */
static lower_builtin_fn *const handlers[SPV_CLASS_COUNT] = {
    [SPV_CLASS_SHIFT] = lower_core_int,
    [SPV_CLASS_BIT_FIELD] = lower_core_int,
    [SPV_CLASS_INT_EXTENDED] = lower_core_int,
    [SPV_CLASS_INT_DOT] = lower_core_int,
    [SPV_CLASS_FLOAT_TEST] = lower_core_float,
    [SPV_CLASS_FLOAT_TO_INT] = lower_core_convert,
    [SPV_CLASS_INT_TO_FLOAT] = lower_core_convert,
    [SPV_CLASS_INT_TO_INT] = lower_core_convert,
    [SPV_CLASS_INT_SATURATED] = lower_core_convert,
    [SPV_CLASS_FLOAT_TO_FLOAT] = lower_core_convert,
    [SPV_CLASS_FLOAT_ATOMIC] = lower_core_memory,
    [SPV_CLASS_PIPE] = lower_core_pipe,
    [SPV_CLASS_ENQUEUE] = lower_core_enqueue,
    [SPV_CLASS_KERNEL_QUERY] = lower_core_enqueue,
    [SPV_CLASS_GROUP_VOTE] = lower_core_group,
    [SPV_CLASS_GROUP_INT] = lower_core_group,
    [SPV_CLASS_GROUP_FLOAT] = lower_core_group,
    [SPV_CLASS_GROUP_LOGICAL] = lower_core_group,
    [SPV_CLASS_INTEL_SHUFFLE] = lower_core_intel,
    [SPV_CLASS_INTEL_BLOCK] = lower_core_intel,
    [SPV_CLASS_SPLIT_BARRIER] = lower_core_intel,
    [SPV_CLASS_INTEL_IMAGE_BLOCK] = lower_core_intel_image,
};

/* Of opcodes that go by themselves. */
static lower_builtin_fn *other_handler(const struct builtin_lowering *x, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpExtInst:
        return inst->hints.ext_set == SPV_EXT_SET_OPENCL    ? lower_ext
               : inst->hints.ext_set == SPV_EXT_SET_PRIVATE ? lower_private
                                                            : NULL;
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpDot:
        return lower_core_float;
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpBitCount:
    case SpvOpBitReverse:
        return lower_core_int;
    case SpvOpGroupAsyncCopy:
    case SpvOpGroupWaitEvents:
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
    case SpvOpAtomicCompareExchangeWeak:
    case SpvOpFunctionCall:
        return lower_core_memory;
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
        return is_half_atomic(x, inst) ? lower_core_memory : NULL;
    case SpvOpExpectKHR:
        return lower_expect;
    case SpvOpImageSampleExplicitLod:
        return lower_core_image;
    case SpvOpImageWrite:
        return lower_encodes_write(x, inst) || lower_writes_level(x, inst) ? lower_core_image_write : NULL;
    case SpvOpMemoryNamedBarrier:
        return lower_core_barrier;
    case SpvOpCooperativeMatrixMulAddKHR:
        return x->lower->native_matrices ? NULL : lower_core_matrix;
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformRotateKHR:
        return lower_core_group;
    default:
        return NULL;
    }
}

/* What lowers an instruction; NULL: nothing, it is right as it is. */
static lower_builtin_fn *handler_of(const struct builtin_lowering *x, const struct spv_inst *inst)
{
    enum spv_class class = spv_op_class(inst->op);
    if (handlers[class])
        return handlers[class];
    if (!x->target->int64 && class == SPV_CLASS_SUBGROUP_ARITHMETIC)
        return lower_long_collective;
    if (!x->target->int64 && class == SPV_CLASS_INT_DIVISION && inst->op != SpvOpSRem && inst->op != SpvOpSMod)
        return lower_long_division;
    return other_handler(x, inst);
}

/* Lowers an instruction. A core handler returns the result's own id if the instruction stays. */
static bool lower_inst(struct builtin_lowering *x, struct spv_inst *inst, lower_builtin_fn *handler)
{
    bool ext = inst->op == SpvOpExtInst;
    uint32_t first = ext ? 2 : 0;
    x->inst = inst;
    x->number = 0;
    x->b = (struct spv_builder){x->module, inst->block->function, inst->block, inst};
    x->type = inst->type;
    x->num_args = inst->num_words - first;
    if (x->num_args > ARRAY_LENGTH(x->args)) {
        if (inst->op == SpvOpFunctionCall || (ext && inst->words[1] == OpenCLstd_Printf))
            x->num_args = ARRAY_LENGTH(x->args);
        else
            return lower_fail(x->lower, "%s has too many operands", spv_op_name(inst->op));
    }
    for (uint32_t i = 0; i < x->num_args; i++)
        x->args[i] = spv_replaced(&x->replacements, inst->words[first + i]);
    bool number = x->type && (spv_type_is_float(x->module, x->type) || spv_type_is_int(x->module, x->type) ||
                              spv_type_is_bool(x->module, x->type));
    x->lanes = number ? spv_type_count(x->module, x->type) : 1;
    x->width = number && !spv_type_is_bool(x->module, x->type) ? spv_type_width(x->module, x->type) : 0;
    spv_id value = handler(x);
    if (!value)
        return !x->lower->error ? lower_fail(x->lower, "%s cannot be lowered", spv_op_name(inst->op)) : false;
    x->stays = inst->id && value == inst->id;
    if (x->stays)
        return true;
    if (inst->id && x->type && spv_type_op(x->module, x->type) != SpvOpTypeVoid)
        spv_replace(x->module, &x->replacements, inst->id, value);
    spv_inst_remove(x->module, inst);
    return true;
}

/* SPIR-V 1.6, 3.14: that an access to an image is nontemporal is a hint. Here it is dropped, so that the handlers need
 * not know it. The bit has no operand. */
static void drop_image_hint(struct spv_module *module, struct spv_inst *inst)
{
    const uint32_t nontemporal = 0x4000;
    uint32_t at = inst->op == SpvOpImageWrite ? 3 : 2;
    bool image = inst->op == SpvOpImageWrite || inst->op == SpvOpImageRead || inst->op == SpvOpImageFetch ||
                 inst->op == SpvOpImageSampleExplicitLod;
    if (!image || inst->num_words <= at || !(inst->words[at] & nontemporal))
        return;
    inst->words[at] &= ~nontemporal;
    if (!inst->words[at])
        spv_inst_set_words(module, inst, at, inst->words);
}

static bool lower_block(struct builtin_lowering *x, struct spv_block *block)
{
    struct spv_inst *inst = block->insts.first;
    while (inst) {
        drop_image_hint(x->module, inst);
        lower_builtin_fn *handler = handler_of(x, inst);
        if (!handler) {
            inst = inst->next;
            continue;
        }
        /* What was inserted is walked next. An instruction that stays is passed over. */
        struct spv_inst *before = inst->prev;
        if (!lower_inst(x, inst, handler))
            return false;
        inst = x->stays ? inst->next : before ? before->next : block->insts.first;
    }
    return true;
}

/* ---- after the walk ---- */

static void drop_opencl_set(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_EXT_INST_IMPORT]) {
        if (inst->id == module->ext_opencl)
            spv_inst_remove(module, inst);
    }
    module->ext_opencl = 0;
}

/* Those behind `last`, and what is added meanwhile. */
static bool lower_functions_behind(struct builtin_lowering *x, const struct spv_function *last)
{
    for (struct spv_function *function = last->next; function; function = function->next) {
        spv_foreach_block (block, function) {
            if (!lower_block(x, block))
                return false;
        }
    }
    return true;
}

spv_id lower_late_body(struct lower *lower, const char *name)
{
    struct builtin_lowering x = {.lower = lower, .module = lower->module, .target = lower->target, .in_library = true};
    const struct spv_function *last = lower->module->last_function;
    spv_id function = import_body(&x, name);
    if (!function || !lower_functions_behind(&x, last))
        return 0;
    spv_apply_replacements(lower->module, &x.replacements, NULL);
    drop_opencl_set(lower->module);
    return function;
}

bool lower_builtins(struct lower *lower)
{
    struct builtin_lowering x = {.lower = lower, .module = lower->module, .target = lower->target};
    lower->library = lower->module->bound;
    const struct spv_function *last = lower->module->last_function; /* behind it: what comes from the library */
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            if (!lower_block(&x, block))
                return false;
        }
        x.in_library |= function == last;
    }
    spv_apply_replacements(lower->module, &x.replacements, NULL);
    lower_drop_sampled_images(lower->module);
    lower_replace_handles(lower->module);
    drop_opencl_set(lower->module);
    return true;
}
