/* Helper functions. An access that needs control flow (which space is this generic pointer in? did the compare-exchange
 * win?) is put into a small function of its own, whose parameters and result are numbers. So the caller's structured
 * control flow needs no change, equal accesses share their code, and drivers inline it anyway. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

#include <string.h>

struct mem_helper mem_helper(struct memory *m, const char *name, spv_id result, uint32_t count, const spv_id *types)
{
    struct mem_helper helper = {.builder = {.module = m->module}};
    size_t length = strlen(name);
    struct spv_function *function = str_map_get(&m->helpers, name, length);
    if (!function) {
        helper.is_new = true;
        spv_id id = spv_new_id(m->module);
        function = spv_function_create(m->module, id, spv_type_function(m->module, result, count, types), 0);
        char *copy = arena_strndup(m->arena, name, length);
        str_map_set(m->arena, &m->helpers, copy, length, function);
        spv_add_name(m->module, function->def->id, copy);
        spv_block_append(function, spv_block_create(function, m->module, 0));
    }
    helper.function = function->def->id;
    helper.builder.function = function;
    helper.builder.block = function->first_block;
    for (uint32_t i = 0; i < count && i < ARRAY_LENGTH(helper.params); i++)
        helper.params[i] = function->params.data[i]->id;
    return helper;
}

void mem_return_if(struct memory *m, struct spv_builder *b, spv_id condition, mem_emit_arm then, void *data)
{
    struct spv_block *yes = spv_block_create(b->function, m->module, 0);
    struct spv_block *no = spv_block_create(b->function, m->module, 0);
    struct spv_block *merge = spv_block_create(b->function, m->module, 0);
    spv_emitv_void(b, SpvOpSelectionMerge, merge->label->id, SpvSelectionControlMaskNone);
    spv_emitv_void(b, SpvOpBranchConditional, condition, yes->label->id, no->label->id);
    struct spv_builder arm = {m->module, b->function, yes, NULL};
    spv_block_append(b->function, yes);
    then(m, &arm, data);
    spv_block_append(b->function, merge);
    struct spv_builder end = {m->module, b->function, merge, NULL};
    spv_emit_void(&end, SpvOpUnreachable, 0, NULL);
    spv_block_append(b->function, no);
    b->block = no;
    b->before = NULL;
}

/* ---- generic pointers ---- */

struct space_arm {
    mem_emit_space emit;
    struct mem_ptr ptr;
    void *data;
};

static void emit_space_arm(struct memory *m, struct spv_builder *b, void *data)
{
    struct space_arm *arm = data;
    arm->emit(m, b, &arm->ptr, arm->data);
}

static void try_space(struct memory *m, struct spv_builder *b, spv_id number, spv_id upper, uint32_t tag,
                      enum mem_space space, uint32_t node, struct space_arm *arm)
{
    spv_id u32 = spv_type_int(m->module, 32);
    if (!m->classes[mem_find(m, node)].region)
        return;
    spv_id is = spv_emitv(b, SpvOpIEqual, spv_type_bool(m->module), upper, spv_const_u32(m->module, tag));
    arm->ptr = mem_ptr_from(space, node, 0);
    arm->ptr.base = spv_emitv(b, SpvOpUConvert, u32, number);
    mem_return_if(m, b, is, emit_space_arm, arm);
}

void mem_switch_space(struct memory *m, struct spv_builder *b, spv_id number, mem_emit_space emit, void *data)
{
    spv_id u32 = spv_type_int(m->module, 32), u64 = spv_type_int(m->module, 64);
    spv_id shifted = spv_emitv(b, SpvOpShiftRightLogical, u64, number, spv_const_u32(m->module, 32));
    spv_id upper = spv_emitv(b, SpvOpUConvert, u32, shifted);
    struct space_arm arm = {.emit = emit, .data = data};
    if (m->generic_local)
        try_space(m, b, number, upper, MEM_TAG_LOCAL, MEM_LOCAL, MEM_NODE_LOCAL, &arm);
    if (m->generic_private)
        try_space(m, b, number, upper, MEM_TAG_PRIVATE, MEM_PRIVATE, MEM_NODE_PRIVATE, &arm);
    struct mem_ptr global = mem_ptr_from(MEM_GLOBAL, MEM_NODE_UNKNOWN, number);
    emit(m, b, &global, data);
}

struct generic_access {
    uint32_t size;
    struct lower_access access;
    spv_id value; /* stores */
};

static void load_arm(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, void *data)
{
    const struct generic_access *generic = data;
    spv_emitv_void(b, SpvOpReturnValue, mem_load_bits(m, b, ptr, generic->size, &generic->access));
}

static void store_arm(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, void *data)
{
    const struct generic_access *generic = data;
    mem_store_bits(m, b, ptr, generic->size, generic->value, &generic->access);
    spv_emit_void(b, SpvOpReturn, 0, NULL);
}

static const char *access_name(struct memory *m, const char *what, uint32_t size, const struct lower_access *access)
{
    return arena_printf(m->arena, "generic_%s_%u_%u%s", what, size * 8, access->align * 8,
                        access->is_volatile ? "_volatile" : "");
}

spv_id mem_generic_load(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                        const struct lower_access *access)
{
    spv_id type = spv_type_int(m->module, size * 8), u64 = spv_type_int(m->module, 64);
    struct generic_access generic = {.size = size, .access = *access};
    struct mem_helper helper = mem_helper(m, access_name(m, "load", size, access), type, 1, &u64);
    if (helper.is_new)
        mem_switch_space(m, &helper.builder, helper.params[0], load_arm, &generic);
    return spv_emitv(b, SpvOpFunctionCall, type, helper.function, mem_number(m, b, ptr));
}

void mem_generic_store(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size, spv_id value,
                       const struct lower_access *access)
{
    spv_id void_type = spv_type_void(m->module);
    const spv_id types[] = {spv_type_int(m->module, 64), spv_type_int(m->module, size * 8)};
    struct generic_access generic = {.size = size, .access = *access};
    struct mem_helper helper = mem_helper(m, access_name(m, "store", size, access), void_type, 2, types);
    generic.value = helper.params[1];
    if (helper.is_new)
        mem_switch_space(m, &helper.builder, helper.params[0], store_arm, &generic);
    spv_emitv(b, SpvOpFunctionCall, void_type, helper.function, mem_number(m, b, ptr), value);
}
