/* OpenCL's memory layout of SPIR-V types: see layout.h. */
#include "layout.h"

#include "base/util.h"

static uint32_t add_leaves(uint32_t leaves, uint64_t more)
{
    return (uint32_t)u64_min(leaves + u64_min(more, UINT32_MAX), UINT32_MAX);
}

static void nest(struct spv_layout *layout, const struct spv_layout *member)
{
    layout->nesting = member->nesting >= layout->nesting ? member->nesting + 1 : layout->nesting;
}

static void lay_scalar(struct spv_layout *layout, uint32_t bytes)
{
    layout->size = layout->align = bytes;
    layout->leaves = 1;
}

static void lay_vector(struct spv_layouts *layouts, const struct spv_inst *type, struct spv_layout *layout)
{
    uint32_t lanes = type->words[1] == 3 ? 4 : type->words[1];
    lay_scalar(layout, (uint32_t)spv_layout_of(layouts, type->words[0])->size * lanes);
}

static void lay_array(struct spv_layouts *layouts, const struct spv_inst *type, struct spv_layout *layout)
{
    const struct spv_layout *element = spv_layout_of(layouts, type->words[0]);
    uint64_t length = u64_min(spv_array_length(layouts->module, type->id), SPV_LAYOUT_HUGE);
    bool huge = element->size && length > SPV_LAYOUT_HUGE / element->size;
    layout->size = huge ? SPV_LAYOUT_HUGE : element->size * length;
    layout->align = element->align;
    layout->leaves = add_leaves(0, u64_min(length, UINT32_MAX) * element->leaves);
    nest(layout, element);
}

static void lay_struct(struct spv_layouts *layouts, const struct spv_inst *type, struct spv_layout *layout)
{
    bool packed = spv_find_decoration(layouts->module, type->id, SpvDecorationCPacked) != NULL;
    uint64_t *offsets = arena_array(layouts->arena, uint64_t, type->num_words + 1u);
    layout->offsets = offsets;
    layout->align = 1;
    layout->nesting = 1;
    for (uint32_t i = 0; i < type->num_words; i++) {
        const struct spv_layout *member = spv_layout_of(layouts, type->words[i]);
        uint32_t align = packed ? 1 : member->align;
        offsets[i] = align_up(layout->size, align);
        layout->size = u64_min(offsets[i] + member->size, SPV_LAYOUT_HUGE);
        layout->align = align > layout->align ? align : layout->align;
        layout->leaves = add_leaves(layout->leaves, member->leaves);
        nest(layout, member);
    }
    layout->size = align_up(layout->size, layout->align);
}

const struct spv_layout *spv_layout_of(struct spv_layouts *layouts, spv_id type)
{
    struct spv_layout *layout = u64_map_get(&layouts->known, type);
    if (layout)
        return layout;
    layout = arena_new(layouts->arena, struct spv_layout);
    const struct spv_inst *def = spv_def(layouts->module, type);
    switch (def ? def->op : SpvOpNop) {
    case SpvOpTypeBool:
        lay_scalar(layout, 1);
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        lay_scalar(layout, def->words[0] < 8 ? 1 : def->words[0] / 8);
        break;
    case SpvOpTypeVector:
        lay_vector(layouts, def, layout);
        break;
    case SpvOpTypeArray:
        lay_array(layouts, def, layout);
        break;
    case SpvOpTypeStruct:
        lay_struct(layouts, def, layout);
        break;
    default:
        lay_scalar(layout, 8);
        break;
    }
    if (layout->nesting > SPV_LAYOUT_MAX_NESTING)
        layout->leaves = UINT32_MAX;
    u64_map_set(layouts->arena, &layouts->known, type, layout);
    return layout;
}

spv_id spv_layout_member(struct spv_layouts *layouts, spv_id type, uint64_t index, uint64_t *offset)
{
    const struct spv_inst *def = spv_def(layouts->module, type);
    if (def->op == SpvOpTypeStruct) {
        *offset = spv_layout_of(layouts, type)->offsets[index];
        return def->words[index];
    }
    *offset = spv_layout_of(layouts, def->words[0])->size * index;
    return def->words[0];
}

uint64_t spv_member_count(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    switch (def ? def->op : SpvOpNop) {
    case SpvOpTypeStruct:
        return def->num_words;
    case SpvOpTypeArray:
        return spv_array_length(module, type);
    case SpvOpTypeVector:
        return def->words[1];
    default:
        return 0;
    }
}

bool spv_type_is_aggregate(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return spv_op_class(op) == SPV_CLASS_AGGREGATE_TYPE;
}
