/* What waits.c and volatiles.c have in common. */
#ifndef COMPILER_LOWER_QUIRKS_FENCE_H
#define COMPILER_LOWER_QUIRKS_FENCE_H

#include "compiler/spv/spv.h"

/* Behind it, a fence of the work-group for local memory. */
static inline void lower_fence_behind(struct spv_module *module, struct spv_inst *inst)
{
    struct spv_builder b = {module, inst->block->function, inst->block, inst->next};
    spv_emitv_void(&b, SpvOpMemoryBarrier, spv_const_u32(module, SpvScopeWorkgroup),
                   spv_const_u32(module, SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask));
}

static inline bool lower_is_in_local(const struct spv_module *module, spv_id pointer)
{
    return spv_pointer_storage(module, spv_value_type(module, pointer)) == SpvStorageClassWorkgroup;
}

#endif
