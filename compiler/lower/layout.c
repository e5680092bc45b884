/* Types to bytes. Kernel SPIR-V carries no offsets: they follow from OpenCL's rules (natural alignment, three-component
 * vectors as wide as four) or from CPacked, so that the same numbers come out for our own modules and for foreign IL.
 * Results are cached per type; hostile nesting ends at MAX_NESTING. */
#include "compiler/lower/layout.h"

#include "base/util.h"

#define MAX_NESTING 60

static uint64_t clamp(uint64_t size)
{
    return size > LAYOUT_HUGE ? LAYOUT_HUGE : size;
}

static void add_leaves(struct layout *layout, uint64_t leaves)
{
    uint64_t sum = layout->leaves + leaves;
    layout->leaves = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

static void lay_struct(struct layout_cache *cache, const struct spv_inst *type, struct layout *layout)
{
    bool packed = spv_find_decoration(cache->module, type->id, SpvDecorationCPacked) != NULL;
    layout->offsets = arena_array(cache->arena, uint64_t, type->num_words + 1u);
    layout->align = 1;
    for (uint32_t i = 0; i < type->num_words; i++) {
        const struct layout *member = layout_of(cache, type->words[i]);
        uint32_t align = packed ? 1 : member->align;
        layout->size = align_up(layout->size, align);
        layout->offsets[i] = layout->size;
        layout->size = clamp(layout->size + member->size);
        layout->align = align > layout->align ? align : layout->align;
        add_leaves(layout, member->leaves);
    }
    layout->size = align_up(layout->size, layout->align);
}

static void lay_scalar(struct layout *layout, uint32_t bytes)
{
    *layout = (struct layout){.size = bytes, .align = bytes, .leaves = 1};
}

const struct layout *layout_of(struct layout_cache *cache, spv_id type)
{
    struct layout *layout = u64_map_get(&cache->types, type);
    if (layout)
        return layout;
    layout = arena_new(cache->arena, struct layout);
    if (cache->depth > MAX_NESTING) { /* refused for its size where it is used */
        *layout = (struct layout){.size = LAYOUT_HUGE, .align = 1, .leaves = UINT32_MAX};
        return layout;
    }
    cache->depth++;
    const struct spv_inst *def = spv_def(cache->module, type);
    switch (def ? def->op : SpvOpNop) {
    case SpvOpTypeBool:
        lay_scalar(layout, 1);
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        lay_scalar(layout, def->words[0] < 8 ? 1 : def->words[0] / 8);
        break;
    case SpvOpTypeVector: {
        const struct layout *component = layout_of(cache, def->words[0]);
        uint32_t count = def->words[1] == 3 ? 4 : def->words[1];
        lay_scalar(layout, (uint32_t)component->size * count);
        break;
    }
    case SpvOpTypeArray: {
        const struct layout *element = layout_of(cache, def->words[0]);
        uint64_t length = spv_array_length(cache->module, type);
        length = length > LAYOUT_HUGE ? LAYOUT_HUGE : length;
        layout->align = element->align;
        layout->size = element->size && length > LAYOUT_HUGE / element->size ? LAYOUT_HUGE : element->size * length;
        add_leaves(layout, length > UINT32_MAX ? UINT32_MAX : length * element->leaves);
        break;
    }
    case SpvOpTypeStruct:
        lay_struct(cache, def, layout);
        break;
    default:
        lay_scalar(layout, 8);
        break;
    }
    cache->depth--;
    u64_map_set(cache->arena, &cache->types, type, layout);
    return layout;
}

spv_id layout_member(struct layout_cache *cache, spv_id type, uint64_t index, uint64_t *offset)
{
    const struct spv_inst *def = spv_def(cache->module, type);
    if (def->op == SpvOpTypeStruct) {
        *offset = layout_of(cache, type)->offsets[index];
        return def->words[index];
    }
    *offset = layout_of(cache, def->words[0])->size * index;
    return def->words[0];
}

uint64_t layout_member_count(const struct spv_module *module, spv_id type)
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

bool layout_is_aggregate(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return op == SpvOpTypeStruct || op == SpvOpTypeArray;
}
