/* Atomics at addresses name a member of a structure, for drivers that are no whole ones of Vulkan: MoltenVK converts to
 * Metal's language, and writes `&` before the pointer's expression. That of a number is no object, and Metal's compiler
 * says "cannot take the address of an rvalue" (SPIRV-Cross before July 2026).
 *
 *     %p = OpConvertUToPtr %ptr_uint %n          %q = OpConvertUToPtr %ptr_struct %n
 *     %x = OpAtomicIAdd %uint %p ...       ->    %m = OpAccessChain %ptr_uint %q %0
 *                                                %x = OpAtomicIAdd %uint %m ... */
#include "compiler/lower/quirks/passes.h"

enum { NUM_TYPES = 8 }; /* of what atomics work on: ints, uints and floats of 16, 32 and 64 bits at most */

struct atomics {
    struct spv_module *module;
    struct {
        spv_id value, pointer; /* a type, and that of pointers to a structure of one such member */
    } known[NUM_TYPES];
    uint32_t num_known;
};

/* 0: there is no room to remember another type. */
static spv_id pointer_to_structure(struct atomics *a, spv_id value)
{
    struct spv_module *module = a->module;
    for (uint32_t i = 0; i < a->num_known; i++) {
        if (a->known[i].value == value)
            return a->known[i].pointer;
    }
    if (a->num_known == NUM_TYPES)
        return 0;
    spv_id block = spv_type_struct(module, 1, &value);
    spv_decorate(module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(module, block, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    spv_id pointer = spv_type_pointer(module, SpvStorageClassPhysicalStorageBuffer, block);
    a->known[a->num_known].value = value;
    a->known[a->num_known++].pointer = pointer;
    return pointer;
}

static void name_member(struct atomics *a, struct spv_builder *b, struct spv_inst *atomic)
{
    struct spv_module *module = a->module;
    const struct spv_inst *def = spv_def(module, atomic->words[0]);
    if (!def->block || (def->op != SpvOpConvertUToPtr && def->op != SpvOpBitcast) ||
        spv_pointer_storage(module, def->type) != SpvStorageClassPhysicalStorageBuffer)
        return;
    spv_id structure = pointer_to_structure(a, spv_pointer_pointee(module, def->type));
    if (!structure)
        return;
    spv_id whole = spv_emitv(b, def->op, structure, def->words[0]);
    atomic->words[0] = spv_emitv(b, SpvOpAccessChain, def->type, whole, spv_const_u32(module, 0));
}

bool lower_atomics(struct lower *lower)
{
    struct atomics atomics = {.module = lower->module};
    if (lower->target->bare_atomics) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                struct spv_builder b = {lower->module, function, block, inst, NULL};
                if (spv_op_is_atomic(inst->op))
                    name_member(&atomics, &b, inst);
            }
        }
    }
    return true;
}
