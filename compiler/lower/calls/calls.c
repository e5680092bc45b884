/* Decides which calls stay calls, and how kept functions pass values.
 *
 * Inlining everything gives the best code, since each pointer then shows what it points to; most kernels are small
 * enough for it. Where the whole would be large, a function that is called from several places stays one: a path
 * tracer's material code, a hash's transform. A function that is small or called once is inlined all the same. So is
 * one that must be: a value of an opaque type (an image, an event) has to be seen where it is used, and each call of a
 * function that makes named barriers makes others. The library's reads of images are decided last, when it can be seen
 * which image each one gets (reads.c). noinline is obeyed, except where kernels are checked: of a pointer into private or local memory that a kept
 * function is given nobody knows what it leads into (check/check.c).
 *
 * A kept function takes and returns scalars, vectors of up to four and pointers. Anything else goes through memory of
 * the caller:
 *
 *     %r = OpFunctionCall %S %f %s        OpStore %s' %s   OpFunctionCall %void %f %s' %r'   %r = OpLoad %S %r'
 *
 * arguments.c takes it from there to registers if it can. */
#include "compiler/lower/calls/calls.h"
#include "compiler/lower/calls/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/lower/values/launch.h"

#include "compiler/spv/layout.h"

#include <string.h>

enum {
    WHOLE = 20000, /* instructions of a kernel into which everything is inlined */
    LARGE = 400,   /* those of a function of plain values that always stays one: the library's slow paths, mostly */
    TINY = 24,     /* those of a function that is inlined wherever it is called from */
    SMALL = 60,    /* those of a function that may make the program grow by SMALL_GROWTH */
    SMALL_GROWTH = 4000,
    GROWTH = 600, /* by how much inlining any other function may make the program grow */
    MANY = 16,    /* calls of a function whose branches cost a large program more than what they save */
    CHEAP = 32,   /* instructions of an arm of such a branch, those of inner ones included */
};

struct facts {      /* of a function, while it is decided on */
    uint64_t own;   /* instructions */
    uint64_t whole; /* instructions with everything inlined */
    uint64_t size;  /* with what is to be inlined */
    uint32_t sites; /* calls in the program's text */
    bool is_library, makes_barriers, sizes_arrays, must_inline, is_read, keep;
    bool meets; /* where a lane runs several work-items: these meet in it, or it asks which it is */
};

struct policy {
    struct lower *lower;
    struct spv_module *module;
    struct u64_map facts; /* function id -> struct facts */
};

/* ---- types ---- */

static bool is_plain_value(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return spv_op_class(op) == SPV_CLASS_SCALAR_TYPE || op == SpvOpTypeVoid ||
           (op == SpvOpTypeVector && spv_type_count(module, type) <= 4);
}

static bool is_opaque(const struct spv_module *module, spv_id type, uint32_t depth)
{
    const struct spv_inst *def = spv_def(module, type);
    switch (def->op) {
    case SpvOpTypePointer:
        return depth < 16 && is_opaque(module, def->words[1], depth + 1);
    case SpvOpTypeArray:
        return depth < 16 && is_opaque(module, def->words[0], depth + 1);
    case SpvOpTypeStruct:
        for (uint32_t i = 0; depth < 16 && i < def->num_words; i++) {
            if (is_opaque(module, def->words[i], depth + 1))
                return true;
        }
        return false;
    case SpvOpTypeVoid:
    case SpvOpTypeVector:
        return false;
    default:
        return spv_op_class(def->op) != SPV_CLASS_SCALAR_TYPE;
    }
}

static bool is_library(const struct lower *lower, const struct spv_function *function)
{
    return u64_map_has(&lower->library_bodies, function->def->id);
}

/* ---- deciding ---- */

static struct facts *facts_of(struct policy *p, spv_id function)
{
    return u64_map_get(&p->facts, function);
}

static uint64_t add_sizes(uint64_t a, uint64_t b)
{
    return a + b < (uint64_t)1 << 40 ? a + b : (uint64_t)1 << 40;
}

/* A lane's work-items call functions one after the other, unless they meet there; and only the kernel has the ids of
 * all of them (lower/subgroups/turns.c). */
static bool takes_turns(const struct policy *p, const struct spv_inst *inst)
{
    SpvBuiltIn builtin;
    if (p->lower->subgroup_size <= p->lower->subgroup_lanes)
        return false;
    return spv_op_is_subgroup(inst->op) || inst->op == SpvOpControlBarrier ||
           (inst->op == SpvOpLoad && lower_builtin_of(p->module, inst->words[0], &builtin));
}

/* Computes a function's facts. Those of its callees are known by then. */
static void measure(struct policy *p, struct spv_function *function)
{
    struct facts *facts = arena_new(p->module->arena, struct facts);
    u64_map_set(p->module->arena, &p->facts, function->def->id, facts);
    facts->is_library = is_library(p->lower, function);
    facts->is_read = facts->is_library && !lower_keeps_code(p->lower) && lower_is_read_body(p->lower, function);
    facts->must_inline = is_opaque(p->module, function->def->type, 0);
    for (uint32_t i = 0; i < function->params.length; i++)
        facts->must_inline |= is_opaque(p->module, function->params.data[i]->type, 0);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            struct facts *callee = inst->op == SpvOpFunctionCall ? facts_of(p, inst->words[0]) : NULL;
            facts->own++;
            facts->makes_barriers |= inst->op == SpvOpNamedBarrierInitialize;
            facts->sizes_arrays |= inst->op == SpvOpVariableLengthArrayINTEL;
            facts->meets |= takes_turns(p, inst);
            if (!callee)
                continue;
            callee->sites++;
            facts->makes_barriers |= callee->makes_barriers;
            facts->sizes_arrays |= callee->sizes_arrays; /* the length may be an argument */
            facts->meets |= callee->meets;
            facts->whole = add_sizes(facts->whole, callee->whole);
        }
    }
    facts->whole = add_sizes(facts->whole, facts->own);
    facts->must_inline |= facts->makes_barriers || facts->sizes_arrays || facts->meets;
}

static void measure_all(struct policy *p, const struct opt_call_order *order)
{
    p->facts = (struct u64_map){0};
    for (uint32_t i = 0; i < order->functions.length; i++)
        measure(p, order->functions.data[i]);
}

static bool is_plain_function(const struct spv_module *module, const struct spv_function *function)
{
    if (!is_plain_value(module, function->def->type))
        return false;
    for (uint32_t i = 0; i < function->params.length; i++) {
        if (!is_plain_value(module, function->params.data[i]->type))
            return false;
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpVariable)
                return false; /* variables would be private memory of each call */
        }
    }
    return true;
}

/* Whether the kernel has nothing but a call of it: what translators from LLVM make of a kernel, which they may forbid to inline where
 * nothing is to be optimised. */
static bool is_all_of_kernel(struct policy *p, const struct spv_function *function)
{
    const struct spv_function *kernel = p->lower->kernel;
    uint32_t calls = 0;
    if (kernel->first_block->next || facts_of(p, function->def->id)->sites != 1)
        return false;
    spv_foreach_inst (inst, &kernel->first_block->insts) {
        bool is_call = inst->op == SpvOpFunctionCall && inst->words[0] == function->def->id;
        calls += is_call;
        if (!is_call && inst->op != SpvOpReturn && !spv_op_is_line(inst->op))
            return false;
    }
    return calls == 1;
}

/* Whether it hides from checks what its accesses lead into. */
static bool hides_memory(const struct policy *p, const struct spv_function *function)
{
    if (!lower_keeps_bounds(p->lower))
        return false;
    for (uint32_t i = 0; i < function->params.length; i++) {
        spv_id type = function->params.data[i]->type;
        if (!spv_type_is_pointer(p->module, type))
            continue;
        SpvStorageClass storage = spv_pointer_storage(p->module, type);
        if (storage == SpvStorageClassFunction || storage == SpvStorageClassWorkgroup ||
            storage == SpvStorageClassGeneric)
            return true;
    }
    return false;
}

static bool is_worth_keeping(struct policy *p, const struct spv_function *function, const struct facts *facts,
                             bool is_large)
{
    uint32_t control = function->def->words[0];
    if (facts->must_inline || facts->is_read)
        return facts->is_read;
    if (control & SpvFunctionControlDontInlineMask && !hides_memory(p, function))
        return !is_all_of_kernel(p, function);
    if (facts->size > LARGE && is_plain_function(p->module, function))
        return true;
    if (lower_keeps_code(p->lower))
        return !(control & SpvFunctionControlInlineMask);
    uint64_t growth = facts->sites > 1 ? facts->size * (facts->sites - 1) : 0;
    if (facts->is_library && facts->size > LOWER_LIBRARY && growth > LOWER_LIBRARY_GROWTH &&
        is_plain_function(p->module, function))
        return true;
    return is_large && facts->size > TINY && growth > (facts->size > SMALL ? GROWTH : SMALL_GROWTH);
}

static void decide(struct policy *p, struct spv_function *function, bool is_large)
{
    struct facts *facts = facts_of(p, function->def->id);
    facts->size = facts->own;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            struct facts *callee = inst->op == SpvOpFunctionCall ? facts_of(p, inst->words[0]) : NULL;
            if (callee && !callee->keep)
                facts->size = add_sizes(facts->size, callee->size);
        }
    }
    facts->keep = function != p->lower->kernel && is_worth_keeping(p, function, facts, is_large);
}

/* A small function that a large program calls hundreds of times brings its branches to each place, here or in the
 * driver's compiler, which takes minutes for thousands of blocks and a moment for as many selects: hashcat's
 * hc_bytealign_be_S, called 1,584 times for one choice among four. */
static bool flatten_small(struct policy *p, const struct opt_call_order *order)
{
    bool changed = false;
    for (uint32_t i = 0; i < order->functions.length && !lower_keeps_code(p->lower); i++) {
        struct spv_function *function = order->functions.data[i];
        const struct facts *facts = facts_of(p, function->def->id);
        if (facts->sites >= MANY && facts->own <= SMALL * 2 && !facts->is_library)
            changed |= lower_flatten_ifs(p->module, function, CHEAP);
    }
    return changed;
}

static enum opt_call_fate fate_of_call(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    const struct policy *p = data;
    const struct facts *facts = facts_of(data, callee->def->id);
    (void)module;
    if (facts && facts->keep)
        return OPT_CALL_STAYS;
    if (p->lower->library && callee->def->id >= p->lower->library)
        return OPT_CALL_READY; /* gen_library.c has prepared it */
    return lower_keeps_code(p->lower) ? OPT_CALL_INLINED : OPT_CALL_CLEANED;
}

/* ---- signatures ---- */

static bool fits(const struct spv_module *module, spv_id type)
{
    return is_plain_value(module, type) || spv_type_is_pointer(module, type) ||
           spv_type_op(module, type) == SpvOpTypeImage;
}

struct signatures {
    struct spv_module *module;
    struct spv_layouts layouts;
    struct u64_map by_memory; /* id of a function whose result goes through memory */
};

static spv_id private_pointer(struct spv_module *module, spv_id type)
{
    return spv_type_pointer(module, SpvStorageClassFunction, type);
}

static struct spv_inst *memory_inst(struct signatures *s, SpvOp op, spv_id object_type, spv_id id, uint32_t count,
                                    const spv_id *ids)
{
    uint32_t words[4] = {ids[0], count > 1 ? ids[1] : 0};
    words[count] = SpvMemoryAccessAlignedMask;
    words[count + 1] = spv_layout_of(&s->layouts, object_type)->align;
    return spv_inst_create(s->module, op, id ? object_type : 0, id, count + 2, words);
}

/* Makes parameters that cannot be passed as they are pointers. The function loads them at its start. */
static bool change_params(struct signatures *s, struct spv_function *function)
{
    struct spv_module *module = s->module;
    struct spv_replacements values = {0};
    struct spv_builder start = {module, function, function->first_block, function->first_block->insts.first};
    bool changed = false;
    while (start.before->op == SpvOpVariable)
        start.before = start.before->next;
    for (uint32_t i = 0; i < function->params.length; i++) {
        if (fits(module, function->params.data[i]->type))
            continue;
        spv_replace(module, &values, function->params.data[i]->id, spv_new_id(module));
        changed = true;
    }
    if (!changed)
        return false;
    spv_apply_replacements(module, &values, function);
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct spv_inst *param = function->params.data[i];
        if (fits(module, param->type))
            continue;
        spv_id value = spv_replaced(&values, param->id);
        spv_inst_insert(&start, memory_inst(s, SpvOpLoad, param->type, value, 1, &param->id));
        param->type = private_pointer(module, param->type);
        spv_remove_annotations(module, param->id);
    }
    spv_finish_replacements(module, &values);
    return true;
}

static bool change_result(struct signatures *s, struct spv_function *function)
{
    struct spv_module *module = s->module;
    spv_id type = function->def->type;
    if (fits(module, type))
        return false;
    spv_id pointer = spv_new_id(module);
    vec_push(module->arena, &function->params,
             spv_inst_create(module, SpvOpFunctionParameter, private_pointer(module, type), pointer, 0, NULL));
    spv_foreach_block (block, function) {
        struct spv_inst *end = spv_terminator(block);
        if (end->op != SpvOpReturnValue)
            continue;
        struct spv_builder at = {module, function, block, end};
        spv_inst_insert(&at, memory_inst(s, SpvOpStore, type, 0, 2, (const spv_id[]){pointer, end->words[0]}));
        spv_emit_void(&at, SpvOpReturn, 0, NULL);
        spv_inst_remove(module, end);
    }
    function->def->type = spv_type_void(module);
    function->def->words[0] &= ~(uint32_t)(SpvFunctionControlPureMask | SpvFunctionControlConstMask);
    u64_map_set(module->arena, &s->by_memory, function->def->id, (void *)(uintptr_t)type);
    return true;
}

static void change_call(struct signatures *s, struct spv_inst *call)
{
    struct spv_module *module = s->module;
    struct spv_builder b = {module, call->block->function, call->block, call};
    spv_id result = (spv_id)(uintptr_t)u64_map_get(&s->by_memory, call->words[0]);
    uint32_t count = call->num_words;
    uint32_t *words = arena_array(module->arena, uint32_t, count + 1u);
    bool changed = result != 0;
    memcpy(words, call->words, count * sizeof(*words));
    for (uint32_t i = 1; i < count; i++) {
        spv_id type = spv_value_type(module, words[i]);
        if (fits(module, type))
            continue;
        spv_id copy = spv_emit_variable(&b, type);
        spv_inst_insert(&b, memory_inst(s, SpvOpStore, type, 0, 2, (const spv_id[]){copy, words[i]}));
        words[i] = copy;
        changed = true;
    }
    if (!changed)
        return;
    if (!result) {
        spv_inst_set_words(module, call, count, words);
        return;
    }
    words[count] = spv_emit_variable(&b, result);
    spv_emit(&b, SpvOpFunctionCall, spv_type_void(module), count + 1, words);
    module->defs[call->id] = NULL; /* the load takes its place */
    spv_inst_insert(&b, memory_inst(s, SpvOpLoad, result, call->id, 1, &words[count]));
    spv_inst_unlink(call);
}

static void change_signatures(struct lower *lower, const struct opt_call_order *order)
{
    struct spv_module *module = lower->module;
    struct signatures s = {.module = module, .layouts = {.arena = module->arena, .module = module}};
    bool changed = false;
    for (uint32_t i = 0; i < order->functions.length; i++) {
        struct spv_function *function = order->functions.data[i];
        if (function == lower->kernel)
            continue;
        bool params = change_params(&s, function), result = change_result(&s, function);
        changed |= params || result;
        if (params || result)
            lower_update_function_type(module, function);
    }
    if (!changed)
        return;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (inst->op == SpvOpFunctionCall && spv_function_of(module, inst->words[0])->first_block)
                    change_call(&s, inst);
            }
        }
    }
}

/* ---- the pass ---- */

/* The result of a library function depends on every single rounding. So its operations are marked as not to be fused,
 * before they are inlined anywhere. */
static void protect_library(struct lower *lower)
{
    struct spv_module *module = lower->module;
    spv_foreach_function (function, module) {
        if (!is_library(lower, function))
            continue;
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (spv_op_class(inst->op) == SPV_CLASS_FLOAT_ARITHMETIC || inst->op == SpvOpDot)
                    spv_forbid_contraction(inst);
            }
        }
    }
}

/* Removes the functions that the kernel no longer calls. What only they used is removed later with other dead things.
 */
static void remove_functions(struct spv_module *module, const struct opt_call_order *called)
{
    struct u64_map ids = {0};
    for (uint32_t i = 0; i < called->functions.length; i++)
        u64_map_set(module->arena, &ids, called->functions.data[i]->def->id, module);
    for (struct spv_function *function = module->first_function, *next; function; function = next) {
        next = function->next;
        if (function->first_block && !u64_map_has(&ids, function->def->id))
            spv_function_remove(module, function);
    }
}

bool lower_inline(struct lower *lower)
{
    struct policy policy = {.lower = lower, .module = lower->module};
    struct opt_call_order order = {0};
    const char *error = NULL;
    protect_library(lower);
    if (!opt_order_calls(lower->module, lower->kernel, &order, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error);
    measure_all(&policy, &order);
    if (facts_of(&policy, lower->kernel->def->id)->whole > WHOLE && flatten_small(&policy, &order))
        measure_all(&policy, &order);
    bool is_large = facts_of(&policy, lower->kernel->def->id)->whole > WHOLE;
    for (uint32_t i = 0; i < order.functions.length; i++)
        decide(&policy, order.functions.data[i], is_large);
    if (!opt_inline_calls(lower->module, lower->kernel, fate_of_call, &policy, &error) ||
        !lower_share_reads(lower, fate_of_call, &policy, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error ? error : "a call cannot be inlined");
    order.functions.length = 0;
    if (!opt_order_calls(lower->module, lower->kernel, &order, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error);
    remove_functions(lower->module, &order);
    change_signatures(lower, &order);
    return true;
}
