/* Pipes that live in a program (SPIR-V 1.1, PipeStorage): each constant of a pipe storage becomes a variable in global
 * memory that holds an empty ring (docs/pipes.md), and the type of storages a pointer to it:
 *
 *     %t = OpTypePipeStorage                       ->   %t = OpTypePointer CrossWorkgroup %uint
 *     %c = OpConstantPipeStorage %t 4 4 100        ->   %v = OpVariable ... %ring
 *                                                       %c = OpSpecConstantOp %t Bitcast %v
 *
 * OpCreatePipeFromPipeStorage, which now takes a pointer, is lowered with the other instructions of pipes. The module
 * has been read, and nothing else is known of it. */
#include "compiler/program/program.h"

#include "base/util.h"

/* Bytes from the ring to its packets are a multiple of PACKET_ALIGN. An instruction has at most 65535 words, so slots
 * are an array of arrays of CHUNK. */
enum { HEADER = 8, PACKET_ALIGN = 128, CHUNK = 4096, MAX_PACKETS = 1 << 20, MAX_RING = 64 << 20 };

static spv_id array_of(struct spv_module *module, spv_id element, uint32_t count, const spv_id *members)
{
    spv_id type = spv_type_array(module, element, count);
    return members ? spv_const_composite(module, type, count, members) : spv_const_null(module, type);
}

static spv_id value_type(const struct spv_module *module, spv_id constant)
{
    return spv_def(module, constant)->type;
}

/* The numbers of the slots: slot i has i. */
static spv_id slot_numbers(struct arena *arena, struct spv_module *module, uint32_t slots)
{
    spv_id u32 = spv_type_int(module, 32);
    uint32_t length = slots < CHUNK ? slots : CHUNK, chunks = slots / length;
    spv_id *numbers = arena_array(arena, spv_id, length), *parts = arena_array(arena, spv_id, chunks);
    for (uint32_t i = 0; i < chunks; i++) {
        for (uint32_t k = 0; k < length; k++)
            numbers[k] = spv_const_u32(module, i * length + k);
        parts[i] = array_of(module, u32, length, numbers);
    }
    return array_of(module, value_type(module, parts[0]), chunks, parts);
}

static spv_id make_ring(struct arena *arena, struct spv_module *module, uint32_t size, uint32_t capacity)
{
    spv_id u32 = spv_type_int(module, 32);
    uint32_t slots = 1;
    while (slots < capacity)
        slots *= 2;
    uint32_t data = (uint32_t)align_up((HEADER + slots) * 4ull, PACKET_ALIGN), gap = data / 4 - HEADER - slots;
    const uint32_t words[HEADER] = {size, capacity, slots - 1, data};
    spv_id header[HEADER], members[4], types[4];
    for (int i = 0; i < HEADER; i++)
        header[i] = spv_const_u32(module, words[i]);
    uint32_t count = 0;
    members[count++] = array_of(module, u32, HEADER, header);
    members[count++] = slot_numbers(arena, module, slots);
    if (gap)
        members[count++] = array_of(module, u32, gap, NULL);
    members[count++] = array_of(module, u32, (uint32_t)(align_up((uint64_t)slots * size, 4) / 4), NULL);
    for (uint32_t i = 0; i < count; i++)
        types[i] = value_type(module, members[i]);
    spv_id type = spv_type_struct(module, count, types);
    spv_id ring = spv_const_composite(module, type, count, members);
    spv_id pointer = spv_type_pointer(module, SpvStorageClassCrossWorkgroup, type);
    spv_id variable = spv_global_variable(module, pointer, SpvStorageClassCrossWorkgroup, ring);
    const uint32_t alignment = PACKET_ALIGN;
    spv_decorate(module, variable, SpvDecorationAlignment, 1, &alignment);
    return variable;
}

static const char *check_storage(struct arena *arena, const struct spv_inst *storage)
{
    uint32_t size = storage->words[0], align = storage->words[1], capacity = storage->words[2];
    if (!size || !is_power_of_two(align) || align > PACKET_ALIGN || size % align)
        return arena_printf(arena, "a pipe storage of packets of %u bytes, aligned to %u", size, align);
    if (!capacity || capacity > MAX_PACKETS || (uint64_t)capacity * 2 * size > MAX_RING)
        return arena_printf(arena, "a pipe storage of %u packets of %u bytes", capacity, size);
    return NULL;
}

const char *program_open_storage(struct arena *arena, struct spv_module *module)
{
    struct spv_replacements replacements = {0};
    struct spv_inst *type = NULL;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        const char *message = inst->op == SpvOpConstantPipeStorage ? check_storage(arena, inst) : NULL;
        if (message)
            return message;
        if (inst->op == SpvOpTypePipeStorage)
            type = inst;
    }
    if (!type)
        return NULL;
    spv_id pointer = spv_type_pointer(module, SpvStorageClassCrossWorkgroup, spv_type_int(module, 32));
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpConstantPipeStorage)
            continue;
        const uint32_t words[] = {SpvOpBitcast, make_ring(arena, module, inst->words[0], inst->words[2])};
        spv_id cast = spv_const_inst(module, SpvOpSpecConstantOp, pointer, 2, words);
        spv_replace(module, &replacements, inst->id, cast);
        spv_remove_annotations(module, inst->id);
        spv_inst_remove(module, inst);
    }
    spv_replace(module, &replacements, type->id, pointer);
    spv_remove_annotations(module, type->id);
    spv_apply_replacements(module, &replacements, NULL);
    spv_inst_remove(module, type);
    return NULL;
}
