/* Calls by function pointers get bodies, once all functions of the program are known. The reader has declared a function
 * for each type of such calls, whose first parameter is the pointer, and has given each function whose address is taken
 * an entrance of its own, with the pointer's number in its name (spv/function_pointers.c). A body is a switch over the
 * functions that such a call may lead to, by their types:
 *
 *     %call = OpFunction %int None %fn          %pointer, %a
 *             OpSwitch %number %none 1234 %first 5678 %second
 *     %first = OpLabel
 *     %r    = OpFunctionCall %int %entrance_1234 %a
 *             OpReturnValue %r
 *
 * Where there is but one, it is called whatever the pointer is: other pointers would be undefined. A function may be
 * among those that a call in itself leads to: bind_nested.c. */
#include "compiler/program/bind_calls.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

bool program_is_call_by_pointer(const char *import)
{
    return begins(import, SPV_CALL_NAME);
}

bool program_defines(const char *import)
{
    return program_is_call_by_pointer(import) || begins(import, "__pumice_");
}

/* ---- which there are ---- */

/* Notes what the decoration is about, which then has no linkage any more. */
static const char *note(struct binding *binding, struct spv_inst *linkage)
{
    const char *name = spv_string(linkage, 2, NULL);
    struct spv_function *function = spv_function_of(binding->module, linkage->words[0]);
    bool import = linkage->words[linkage->num_words - 1] == SpvLinkageTypeImport;
    if (!function)
        return NULL;
    if (import && !function->first_block && program_is_call_by_pointer(name)) {
        if (!function->params.length || !spv_type_is_int(binding->module, function->params.data[0]->type) ||
            spv_type_width(binding->module, function->params.data[0]->type) != 64)
            return "a call by a function pointer without a pointer";
        vec_push(binding->arena, &binding->calls, function);
        spv_inst_remove(binding->module, linkage);
    } else if (!import && function->first_block && begins(name, SPV_ADDRESS_NAME)) {
        uint32_t number = (uint32_t)strtoul(name + strlen(SPV_ADDRESS_NAME), NULL, 10);
        const struct entrance entrance = {number, function};
        vec_push(binding->arena, &binding->entrances, entrance);
        spv_inst_remove(binding->module, linkage);
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    const struct entrance *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* One name may be in several modules that are linked; the same function is behind it. */
static void sort(struct binding *binding)
{
    uint32_t kept = 0;
    struct entrance *all = binding->entrances.data;
    if (binding->entrances.length)
        qsort(all, binding->entrances.length, sizeof(*all), by_number);
    for (uint32_t i = 0; i < binding->entrances.length; i++) {
        if (!i || all[i].number != all[i - 1].number)
            all[kept++] = all[i];
    }
    binding->entrances.length = kept;
}

/* ---- bodies ---- */

/* Pointers of one storage class may differ by what they point to: compilers that do not tell such pointers apart give
 * a function other types than its calls. */
static bool fits(const struct spv_module *module, spv_id type, spv_id wanted)
{
    return type == wanted || (spv_type_is_pointer(module, type) && spv_type_is_pointer(module, wanted) &&
                              spv_pointer_storage(module, type) == spv_pointer_storage(module, wanted));
}

bool bind_may_call(const struct binding *binding, const struct spv_function *call, uint32_t entrance)
{
    const struct spv_module *module = binding->module;
    const struct spv_function *function = binding->entrances.data[entrance].function;
    const uint8_t *allowed = bind_allowed(binding, call);
    bool may = (!allowed || allowed[entrance]) && call->params.length == function->params.length + 1 &&
               fits(module, function->def->type, call->def->type);
    for (uint32_t i = 0; may && i < function->params.length; i++)
        may = fits(module, call->params.data[i + 1]->type, function->params.data[i]->type);
    return may;
}

static spv_id cast(struct spv_builder *b, spv_id value, spv_id type)
{
    return spv_value_type(b->module, value) == type ? value : spv_emitv(b, SpvOpBitcast, type, value);
}

static void return_call(struct binding *binding, struct spv_builder *b, const struct spv_function *function)
{
    const struct spv_function *call = b->function;
    uint32_t count = function->params.length;
    uint32_t *words = arena_array(binding->arena, uint32_t, count + 1);
    words[0] = function->def->id;
    for (uint32_t i = 0; i < count; i++)
        words[i + 1] = cast(b, call->params.data[i + 1]->id, function->params.data[i]->type);
    spv_id result = spv_emit(b, SpvOpFunctionCall, function->def->type, count + 1, words);
    if (spv_type_op(b->module, call->def->type) == SpvOpTypeVoid)
        spv_emit_void(b, SpvOpReturn, 0, NULL);
    else
        spv_emitv_void(b, SpvOpReturnValue, cast(b, result, call->def->type));
}

/* A pointer that is null or leads nowhere. */
static void return_nothing(struct spv_builder *b)
{
    if (spv_type_op(b->module, b->function->def->type) == SpvOpTypeVoid)
        spv_emit_void(b, SpvOpReturn, 0, NULL);
    else
        spv_emitv_void(b, SpvOpReturnValue, spv_undef(b->module, b->function->def->type));
}

static struct spv_builder append_block(struct spv_module *module, struct spv_function *function)
{
    struct spv_block *block = spv_block_create(function, module, 0);
    spv_block_append(function, block);
    return (struct spv_builder){.module = module, .function = function, .block = block};
}

static void say_recursion(struct spv_builder *b)
{
    static const char text[] = "Pumice: a call by a function pointer leads back into itself; OpenCL has no recursion\n";
    struct spv_module *module = b->module;
    spv_id character = spv_type_int(module, 8), letters[sizeof(text)];
    for (uint32_t i = 0; i < sizeof(text); i++)
        letters[i] = spv_const_bits(module, character, (unsigned char)text[i]);
    spv_id array = spv_type_array(module, character, sizeof(text));
    spv_id value = spv_const_composite(module, array, sizeof(text), letters);
    spv_id format = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassUniformConstant, array),
                                        SpvStorageClassUniformConstant, value);
    spv_decorate(module, format, SpvDecorationConstant, 0, NULL);
    spv_id first =
        spv_emitv(b, SpvOpInBoundsAccessChain, spv_type_pointer(module, SpvStorageClassUniformConstant, character),
                  format, spv_const_u32(module, 0));
    spv_id u32 = spv_type_int(module, 32), set = spv_import_ext_inst(module, "OpenCL.std");
    spv_emit_ext(b, u32, set, OpenCLstd_Printf, 1, &first);
}

void bind_body(struct binding *binding, struct spv_function *call, const uint8_t *left_out)
{
    struct spv_module *module = binding->module;
    VEC(struct entrance) choices = {0};
    for (uint32_t i = 0; i < binding->entrances.length; i++) {
        const struct spv_function *function = binding->entrances.data[i].function;
        if (bind_may_call(binding, call, i) && !(left_out && left_out[function->def->id]))
            vec_push(binding->arena, &choices, binding->entrances.data[i]);
    }
    struct spv_builder b = append_block(module, call);
    if (choices.length == 1 && !left_out) {
        return_call(binding, &b, choices.data[0].function);
        return;
    }
    struct spv_builder none = b;
    if (choices.length)
        none = append_block(module, call);
    if (left_out)
        say_recursion(&none);
    return_nothing(&none);
    if (!choices.length)
        return;
    VEC(uint32_t) words = {0};
    vec_push(binding->arena, &words, spv_emitv(&b, SpvOpUConvert, spv_type_int(module, 32), call->params.data[0]->id));
    vec_push(binding->arena, &words, none.block->label->id);
    for (uint32_t i = 0; i < choices.length; i++) {
        struct spv_builder choice = append_block(module, call);
        return_call(binding, &choice, choices.data[i].function);
        vec_push(binding->arena, &words, choices.data[i].number);
        vec_push(binding->arena, &words, choice.block->label->id);
    }
    spv_emit_void(&b, SpvOpSwitch, words.length, words.data);
}

const char *program_bind_calls(struct arena *arena, struct spv_module *module)
{
    struct binding binding = {.arena = arena, .module = module};
    const char *message = NULL;
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (!message && inst->op == SpvOpDecorate && inst->num_words > 3 &&
            inst->words[1] == SpvDecorationLinkageAttributes)
            message = note(&binding, inst);
    }
    sort(&binding);
    if (!message && binding.calls.length)
        bind_split(&binding);
    for (uint32_t i = 0; i < binding.calls.length && !message; i++)
        bind_body(&binding, binding.calls.data[i], NULL);
    return message || !binding.calls.length ? message : bind_nested(&binding);
}
