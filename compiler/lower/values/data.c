/* Initialisers of program-scope variables become bytes. Addresses in them become relocations, since the device address
 * of a block is known only when the runtime has allocated it. Constant expressions on pointers (OpSpecConstantOp, as
 * clang emits them) are evaluated to a variable and an offset. */
#include "compiler/lower/values/data.h"

#include "base/util.h"

#include <string.h>

#define MAX_BLOCK ((uint64_t)1 << 30)

struct writer {
    struct arena *arena;
    const struct spv_module *module;
    struct spv_layouts layouts;
    struct lower_data *data;
    const struct lower_data *other; /* where variables that are not in data are, or NULL */
    uint8_t *bytes;
    VEC(struct clc_relocation) relocations;
    VEC(struct clc_data_variable) variables;
    uint32_t steps; /* shared subexpressions could make a small hostile module take for ever */
};

#define MAX_STEPS (1u << 25)

struct address {
    spv_id variable; /* 0: a plain number */
    uint64_t offset;
};

static bool evaluate(struct writer *w, spv_id id, struct address *address, uint32_t depth);

/* Adds the indices of an access chain that starts at words[first] to the address of a pointer to type. */
static bool evaluate_chain(struct writer *w, const struct spv_inst *inst, uint32_t first, bool element, spv_id type,
                           struct address *address, uint32_t depth)
{
    for (uint32_t i = first; i < inst->num_words; i++) {
        struct address index;
        if (!evaluate(w, inst->words[i], &index, depth) || index.variable)
            return false;
        if (element) {
            address->offset += index.offset * spv_layout_of(&w->layouts, type)->size;
            element = false;
            continue;
        }
        uint64_t count = spv_member_count(w->module, type), offset;
        if (!count || (spv_type_op(w->module, type) == SpvOpTypeStruct && index.offset >= count))
            return false;
        type = spv_layout_member(&w->layouts, type, index.offset, &offset);
        address->offset += offset;
    }
    return true;
}

static bool evaluate_op(struct writer *w, const struct spv_inst *inst, struct address *address, uint32_t depth)
{
    struct address right = {0};
    if (inst->num_words < 2 || !evaluate(w, inst->words[1], address, depth))
        return false;
    uint16_t op = (uint16_t)inst->words[0];
    if (spv_op_is_chain(op)) {
        spv_id type = spv_value_type(w->module, inst->words[1]);
        return spv_type_is_pointer(w->module, type) &&
               evaluate_chain(w, inst, 2, spv_op_is_by_element(op), spv_pointer_pointee(w->module, type), address,
                              depth);
    }
    switch (op) {
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpUConvert:
    case SpvOpCopyObject:
        return true;
    case SpvOpIAdd:
    case SpvOpISub:
        if (inst->num_words < 3 || !evaluate(w, inst->words[2], &right, depth))
            return false;
        if (inst->words[0] == SpvOpISub && right.variable)
            return false;
        if (right.variable && address->variable)
            return false;
        address->variable |= right.variable;
        address->offset += inst->words[0] == SpvOpIAdd ? right.offset : -right.offset;
        return true;
    default:
        return false;
    }
}

static bool evaluate(struct writer *w, spv_id id, struct address *address, uint32_t depth)
{
    const struct spv_inst *inst = spv_def(w->module, id);
    uint64_t bits;
    *address = (struct address){0};
    if (!inst || depth > 256 || w->steps++ > MAX_STEPS)
        return false;
    if (inst->op == SpvOpVariable) {
        address->variable = id;
        return true;
    }
    if (spv_const_value(w->module, id, &bits)) {
        address->offset = bits;
        return true;
    }
    if (inst->op == SpvOpConstantNull || inst->op == SpvOpUndef)
        return true;
    return inst->op == SpvOpSpecConstantOp && evaluate_op(w, inst, address, depth + 1);
}

static void write_address(struct writer *w, uint64_t at, const struct address *address)
{
    uint32_t offset = 0;
    uint64_t value = address->offset;
    if (address->variable) {
        uint32_t block = CLC_BLOCK_GLOBALS;
        if (w->other) /* writing the constants block */
            block = lower_data_offset(w->data, address->variable, &offset) ? CLC_BLOCK_CONSTANTS : CLC_BLOCK_GLOBALS;
        if (!lower_data_offset(w->data, address->variable, &offset) &&
            !(w->other && lower_data_offset(w->other, address->variable, &offset)))
            w->data->error = "an initialiser holds the address of an object that is not in global or constant memory";
        value += offset;
        vec_push(w->arena, &w->relocations, (struct clc_relocation){.offset = (uint32_t)at, .block = block});
    }
    memcpy(w->bytes + at, &value, 8);
}

static void write_value(struct writer *w, spv_id id, uint64_t at)
{
    const struct spv_inst *inst = spv_def(w->module, id);
    if (!inst || inst->op == SpvOpConstantNull || inst->op == SpvOpUndef || w->steps++ > MAX_STEPS)
        return;
    if (inst->op == SpvOpConstantComposite || inst->op == SpvOpSpecConstantComposite) {
        uint64_t count = spv_member_count(w->module, inst->type);
        for (uint32_t i = 0; i < inst->num_words && i < count; i++) {
            uint64_t offset;
            spv_layout_member(&w->layouts, inst->type, i, &offset);
            write_value(w, inst->words[i], at + offset);
        }
        return;
    }
    uint64_t bits;
    const struct spv_layout *layout = spv_layout_of(&w->layouts, inst->type);
    struct address address;
    if (spv_const_value(w->module, id, &bits))
        memcpy(w->bytes + at, &bits, layout->size > 8 ? 8 : layout->size);
    else if (layout->size == 8 && evaluate(w, id, &address, 0))
        write_address(w, at, &address);
    else
        w->data->error = "an initialiser of a program-scope variable is no constant that can be placed in memory";
}

static spv_id initializer(const struct spv_inst *variable)
{
    return variable->num_words > 1 ? variable->words[1] : 0;
}

static void note_variable(struct writer *w, const struct spv_inst *variable, uint64_t offset, uint64_t size)
{
    const struct spv_inst *name = spv_names(w->module, variable->id);
    while (name && name->op != SpvOpName)
        name = name->next_decoration;
    const char *text = name ? spv_string(name, 1, NULL) : NULL;
    const struct clc_data_variable noted = {text && *text ? arena_printf(w->arena, "%s", text) : NULL, (uint32_t)offset,
                                            (uint32_t)size};
    if (offset <= MAX_BLOCK && size <= MAX_BLOCK)
        vec_push(w->arena, &w->variables, noted);
}

static uint64_t place(struct writer *w, const struct spv_inst *variable, uint64_t size)
{
    const struct spv_layout *layout = spv_layout_of(&w->layouts, spv_pointer_pointee(w->module, variable->type));
    const struct spv_inst *decoration = spv_find_decoration(w->module, variable->id, SpvDecorationAlignment);
    uint32_t align = layout->align;
    if (decoration && decoration->num_words > 2 && is_power_of_two(decoration->words[2]) &&
        decoration->words[2] > align && decoration->words[2] <= 4096)
        align = decoration->words[2];
    /* 16-byte vectors are copied whole from constant memory, so objects of 16 bytes and more start at multiples of 16.
     */
    align = align < 16 && layout->size >= 16 ? 16 : align;
    size = align_up(size, align);
    if (align > w->data->block.align)
        w->data->block.align = align;
    u64_map_set(w->arena, &w->data->offsets, variable->id, (void *)(uintptr_t)(size + 1));
    note_variable(w, variable, size, layout->size);
    return size + (layout->size ? layout->size : 1);
}

/* Places each variable that a constant expression mentions and that has no place yet. */
static uint64_t place_mentioned(struct writer *w, spv_id id, uint64_t size, uint32_t depth)
{
    const struct spv_inst *inst = spv_def(w->module, id);
    if (!inst || depth > 256 || w->steps++ > MAX_STEPS)
        return size;
    if (inst->op == SpvOpVariable) {
        if (u64_map_has(&w->data->offsets, id))
            return size;
        size = place(w, inst, size);
        return initializer(inst) ? place_mentioned(w, initializer(inst), size, depth + 1) : size;
    }
    uint32_t first = inst->op == SpvOpSpecConstantOp ? 1 : 0;
    if (inst->op != SpvOpConstantComposite && inst->op != SpvOpSpecConstantComposite && !first)
        return size;
    for (uint32_t i = first; i < inst->num_words; i++)
        size = place_mentioned(w, inst->words[i], size, depth + 1);
    return size;
}

static struct lower_data *finish(struct writer *w, uint64_t size)
{
    struct clc_data_block *block = &w->data->block;
    if (size > MAX_BLOCK) {
        w->data->error = "program-scope variables are too large";
        size = 0;
    }
    block->size = (uint32_t)align_up(size, 8);
    if (!block->size)
        return w->data;
    w->bytes = arena_alloc(w->arena, block->size);
    spv_foreach_inst (inst, &w->module->sections[SPV_SECTION_GLOBAL]) {
        uint32_t offset;
        if (inst->op == SpvOpVariable && initializer(inst) && lower_data_offset(w->data, inst->id, &offset))
            write_value(w, initializer(inst), offset);
    }
    block->init = w->bytes;
    block->init_size = block->size;
    while (block->init_size && !w->bytes[block->init_size - 1])
        block->init_size--;
    block->relocations = w->relocations.data;
    block->num_relocations = w->relocations.length;
    return w->data;
}

static void start(struct writer *w, struct arena *arena, const struct spv_module *module)
{
    *w = (struct writer){.arena = arena, .module = module, .layouts = {.arena = arena, .module = module}};
    w->data = arena_new(arena, struct lower_data);
    w->data->block.align = 16;
}

struct lower_data *lower_data_globals(struct arena *arena, const struct spv_module *module)
{
    struct writer w;
    uint64_t size = 0;
    start(&w, arena, module);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassCrossWorkgroup)
            size = place(&w, inst, size);
    }
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassCrossWorkgroup && initializer(inst))
            size = place_mentioned(&w, initializer(inst), size, 0);
        if (size > MAX_BLOCK)
            break;
    }
    w.data->block.variables = w.variables.data;
    w.data->block.num_variables = w.variables.length;
    return finish(&w, size);
}

struct lower_data *lower_data_constants(struct arena *arena, const struct spv_module *module,
                                        const struct lower_data *globals)
{
    struct writer w;
    uint64_t size = 0;
    start(&w, arena, module);
    w.other = globals;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        uint32_t offset;
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassUniformConstant &&
            spv_type_op(module, spv_pointer_pointee(module, inst->type)) != SpvOpTypeSampler &&
            !lower_data_offset(globals, inst->id, &offset) && size <= MAX_BLOCK)
            size = place(&w, inst, size);
    }
    return finish(&w, size);
}

bool lower_data_offset(const struct lower_data *data, spv_id variable, uint32_t *offset)
{
    void *found = data ? u64_map_get(&data->offsets, variable) : NULL;
    if (!found)
        return false;
    *offset = (uint32_t)((uintptr_t)found - 1);
    return true;
}

bool lower_data_bytes(const struct lower_data *data, uint64_t offset, uint32_t size, uint64_t *bits)
{
    const struct clc_data_block *block = &data->block;
    *bits = 0;
    if (offset > block->size || block->size - offset < size || size > 8)
        return false;
    for (uint32_t i = 0; i < block->num_relocations; i++) {
        uint64_t word = block->relocations[i].offset;
        if (offset < word + 8 && word < offset + size)
            return false;
    }
    memcpy(bits, block->init + offset, size);
    return true;
}
