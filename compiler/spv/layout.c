/* OpenCL's memory layout of SPIR-V types: see layout.h. */
#include "layout.h"

#include "base/util.h"

/* SPIR-V 1.6, 2.17: structures nest 255 deep at most; deeper types come from hostile modules only. */
#define MAX_DEPTH 512

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > SPV_LAYOUT_MAX_SIZE ? SPV_LAYOUT_MAX_SIZE : product;
}

static void layout_struct(struct spv_layouts *layouts, const struct spv_inst *inst, struct spv_layout *layout)
{
    bool packed = spv_find_decoration(layouts->module, inst->id, SpvDecorationCPacked) != NULL;
    uint64_t *offsets = arena_array(layouts->arena, uint64_t, inst->num_words);
    uint64_t end = 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        const struct spv_layout *member = spv_layout_of(layouts, inst->words[i]);
        if (!packed) {
            end = align_up(end, member->align);
            layout->align = member->align > layout->align ? member->align : layout->align;
        }
        offsets[i] = end;
        end = u64_min(end + member->size, SPV_LAYOUT_MAX_SIZE);
    }
    layout->size = align_up(end, layout->align);
    layout->offsets = offsets;
}

static void layout_type(struct spv_layouts *layouts, const struct spv_inst *inst, struct spv_layout *layout)
{
    switch (inst->op) {
    case SpvOpTypeBool:
        layout->size = 1;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        layout->size = layout->align = inst->words[0] / 8 ? inst->words[0] / 8 : 1;
        break;
    case SpvOpTypePointer:
    case SpvOpTypeEvent:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
    case SpvOpTypeSampler:
        layout->size = layout->align = 8;
        break;
    case SpvOpTypeVector: {
        uint32_t lanes = inst->words[1] == 3 ? 4 : inst->words[1];
        layout->size = spv_layout_of(layouts, inst->words[0])->size * lanes;
        layout->align = is_power_of_two(layout->size) ? (uint32_t)layout->size : 1;
        break;
    }
    case SpvOpTypeArray: {
        const struct spv_layout *element = spv_layout_of(layouts, inst->words[0]);
        layout->size = saturating_mul(element->size, spv_array_length(layouts->module, inst->id));
        layout->align = element->align;
        break;
    }
    case SpvOpTypeStruct:
        layout_struct(layouts, inst, layout);
        break;
    default:
        break;
    }
    if (!is_power_of_two(layout->align))
        layout->align = 1;
}

const struct spv_layout *spv_layout_of(struct spv_layouts *layouts, spv_id type)
{
    struct spv_layout *layout = u64_map_get(&layouts->known, type);
    if (layout)
        return layout;
    layout = arena_new(layouts->arena, struct spv_layout);
    layout->align = 1;
    const struct spv_inst *inst = spv_def(layouts->module, type);
    if (inst && layouts->depth < MAX_DEPTH) {
        layouts->depth++;
        layout_type(layouts, inst, layout);
        layouts->depth--;
    }
    u64_map_set(layouts->arena, &layouts->known, type, layout);
    return layout;
}
