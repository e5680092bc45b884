/* The names of capabilities and extensions that a module declares, by extensions.def: what is refused by name, and what
 * the reader drops, since it is a hint. A hint that nobody drops would reach passes, which do not know it, and
 * validators, which may be older than the extension. */
#include "check.h"

#include "base/util.h"

#include <string.h>

#define NONE UINT32_MAX

enum decision { DECIDED_TAKEN, DECIDED_MADE, DECIDED_HINT, DECIDED_REFUSED };

struct row {
    uint32_t capability;
    enum decision decision;
    const char *name, *extension, *why;
};

static const struct row rows[] = {
#define TAKEN(value, name, extension, offered, word)  {value, DECIDED_TAKEN, #name, extension, NULL},
#define MADE(value, name, extension, what)            {value, DECIDED_MADE, #name, extension, what},
#define MADE_WITH(value, name, extension, word, what) {value, DECIDED_MADE, #name, extension, what},
#define HINT(value, name, extension, why)             {value, DECIDED_HINT, #name, extension, why},
#define REFUSED(value, name, extension, why)          {value, DECIDED_REFUSED, #name, extension, why},
#include "extensions.def"
#undef TAKEN
#undef MADE
#undef MADE_WITH
#undef HINT
#undef REFUSED
};

/* ---- what is refused ---- */

/* The capability is named where there is one: a module may have the extension for another capability of it. */
static const char *refuse(const struct spv_module *module, const struct row *row)
{
    if (row->capability == NONE || !spv_has_capability(module, (SpvCapability)row->capability))
        return arena_printf(module->arena, "the module needs extension %s, which is not supported: %s", row->extension,
                            row->why);
    return arena_printf(module->arena, "the module needs capability %s of %s, which is not supported: %s", row->name,
                        row->extension, row->why);
}

/* SPV_INTEL_float_controls2: what is not as arithmetic is anyway. Whether subnormals are kept is the device's matter. */
static const char *find_refused_modes(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op != SpvOpDecorate || inst->num_words < 4)
            continue;
        if (inst->words[1] == SpvDecorationFunctionRoundingModeINTEL && inst->words[3] != SpvFPRoundingModeRTE)
            return "a function's arithmetic is to round otherwise than to the nearest, which is not supported";
        if (inst->words[1] == SpvDecorationFunctionFloatingPointModeINTEL && inst->words[3] != SpvFPOperationModeIEEE)
            return "a function's arithmetic is to be another than IEEE 754's, which is not supported";
    }
    return NULL;
}

/* All that the extension brings is refused. */
static bool is_refused(const char *extension)
{
    bool refused = false;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (!rows[i].extension || strcmp(rows[i].extension, extension) != 0)
            continue;
        if (rows[i].decision != DECIDED_REFUSED)
            return false;
        refused = true;
    }
    return refused;
}

static bool declares(const struct spv_module *module, const char *extension)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXTENSION]) {
        if (!strcmp(spv_string(inst, 0, NULL), extension))
            return true;
    }
    return false;
}

/* The capability that is refused; of two names that of the extension which the module declares. */
static const struct row *find_refused_capability(const struct spv_module *module)
{
    const struct row *found = NULL;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].decision != DECIDED_REFUSED || rows[i].capability == NONE ||
            !spv_has_capability(module, (SpvCapability)rows[i].capability))
            continue;
        if (declares(module, rows[i].extension))
            return &rows[i];
        found = found ? found : &rows[i];
    }
    return found;
}

const char *spv_find_refused(const struct spv_module *module)
{
    if (!spv_has_capability(module, SpvCapabilityKernel))
        return NULL;
    const struct row *capability = find_refused_capability(module);
    if (capability)
        return refuse(module, capability);
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].extension && declares(module, rows[i].extension) && is_refused(rows[i].extension))
            return refuse(module, &rows[i]);
    }
    return find_refused_modes(module);
}

/* ---- declarations ---- */

/* An extension stays where a capability of it stays. */
static bool is_dropped(const char *extension)
{
    bool known = false;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (!rows[i].extension || strcmp(rows[i].extension, extension) != 0)
            continue;
        if (rows[i].decision == DECIDED_TAKEN || rows[i].decision == DECIDED_REFUSED)
            return false;
        known = true;
    }
    return known;
}

static bool is_dropped_capability(uint32_t capability)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].capability == capability)
            return rows[i].decision == DECIDED_MADE || rows[i].decision == DECIDED_HINT;
    }
    return false;
}

/* Two extensions may bring one capability, and validators may know only one of them. llvm-spirv 15 declares
 * FPFastMathModeINTEL without its extension. */
static void name_all(struct spv_module *module)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (rows[i].decision == DECIDED_TAKEN && rows[i].capability != NONE && rows[i].extension &&
            spv_has_capability(module, (SpvCapability)rows[i].capability))
            spv_add_extension(module, rows[i].extension);
    }
}

static void drop_declarations(struct spv_module *module)
{
    name_all(module);
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_CAPABILITY]) {
        if (is_dropped_capability(inst->words[0]))
            spv_inst_remove(module, inst);
    }
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_EXTENSION]) {
        if (is_dropped(spv_string(inst, 0, NULL)))
            spv_inst_remove(module, inst);
    }
}

/* ---- decorations and execution modes ---- */

bool spv_is_hint_decoration(uint32_t decoration)
{
    switch (decoration) {
    case SpvDecorationReferencedIndirectlyINTEL:
    case SpvDecorationFunctionRoundingModeINTEL:
    case SpvDecorationFunctionDenormModeINTEL:
    case SpvDecorationFunctionFloatingPointModeINTEL:
    case SpvDecorationBurstCoalesceINTEL:
    case SpvDecorationCacheSizeINTEL:
    case SpvDecorationDontStaticallyCoalesceINTEL:
    case SpvDecorationPrefetchINTEL:
    case SpvDecorationStallEnableINTEL:
    case SpvDecorationFuseLoopsInFunctionINTEL:
    case SpvDecorationMathOpDSPModeINTEL:
    case SpvDecorationAliasScopeINTEL:
    case SpvDecorationNoAliasINTEL:
    case SpvDecorationBufferLocationINTEL:
    case 6147: /* HostAccess, InitMode and ImplementInCSR of SPV_INTEL_global_variable_decorations */
    case 6148:
    case 6149:
    case 6151: /* StallFree */
    case 6170: /* FPMaxError */
    case 6188: /* HostAccess */
    case 6190: /* InitMode */
    case 6191: /* ImplementInRegisterMap */
    case 6409: /* ArgumentAttribute */
    case 6442: /* CacheControlLoad */
    case 6443: /* CacheControlStore */
        return true;
    default: /* of SPV_INTEL_fpga_memory_attributes, _invocation_pipelining_attributes, _latency_control and
                _argument_interfaces */
        return (decoration >= SpvDecorationRegisterINTEL && decoration <= SpvDecorationForcePow2DepthINTEL) ||
               (decoration >= 5883 && decoration <= 5885) || (decoration >= 5917 && decoration <= 5919) ||
               (decoration >= 6172 && decoration <= 6183);
    }
}

static bool is_hint_mode(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeFloatingPointModeIEEEINTEL:
    case SpvExecutionModeMaxWorkgroupSizeINTEL:
    case SpvExecutionModeMaxWorkDimINTEL:
    case SpvExecutionModeNoGlobalOffsetINTEL:
    case SpvExecutionModeNumSIMDWorkitemsINTEL:
    case SpvExecutionModeSchedulerTargetFmaxMhzINTEL:
    case 6154: /* StreamingInterface */
    case 6160: /* RegisterMapInterface */
    case 6446: /* NamedSubgroupSize */
    case 6461: /* MaximumRegisters, by a number, an id or a name */
    case 6462:
    case 6463:
        return true;
    default:
        return false;
    }
}

static void drop_modes(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (inst->num_words > 1 && is_hint_mode(inst->words[1]))
            spv_inst_remove(module, inst);
    }
}

/* ---- instructions ---- */

/* SPIR-V 1.6, 3.23, and SPV_INTEL_fpga_loop_controls: each control but the first three, and NoFusion, has a number, in
 * the order of their bits. What a program asks for becomes what the front end makes of "#pragma unroll 4". */
static void drop_loop_controls(struct spv_module *module, struct spv_inst *merge)
{
    const uint32_t plain = SpvLoopControlUnrollMask | SpvLoopControlDontUnrollMask, kept = merge->words[2];
    const uint32_t numbered = (uint32_t)SpvLoopControlPartialCountMask - 8; /* before it */
    uint32_t place = 3 + (uint32_t)__builtin_popcount(kept & numbered), factor = 0;
    if (kept & SpvLoopControlPartialCountMask && place < merge->num_words)
        factor = (uint32_t)u64_min(merge->words[place], SPV_MAX_UNROLL);
    merge->words[2] = (kept & plain) | (factor > 1 ? SpvLoopControlUnrollMask : 0);
    if (merge->num_words > 3)
        spv_inst_set_words(module, merge, 3, merge->words);
    merge->hints.unroll = (uint16_t)(factor > 1 ? factor : 0);
}

/* SPV_INTEL_usm_storage_classes: global memory of the device, or of the host, only. */
static void join_storage(struct spv_inst *inst)
{
    uint32_t place = inst->op == SpvOpTypeForwardPointer || inst->op == SpvOpGenericCastToPtrExplicit ? 1 : 0;
    bool names_storage = place || inst->op == SpvOpTypePointer || inst->op == SpvOpVariable;
    if (names_storage &&
        (inst->words[place] == SpvStorageClassDeviceOnlyINTEL || inst->words[place] == SpvStorageClassHostOnlyINTEL))
        inst->words[place] = SpvStorageClassCrossWorkgroup;
}

/* SPV_INTEL_memory_access_aliasing: the last operand of domains and scopes, which they may have. */
static void drop_name(struct spv_module *module, struct spv_inst *inst)
{
    uint32_t least = inst->op == SpvOpAliasDomainDeclINTEL ? 0 : inst->op == SpvOpAliasScopeDeclINTEL ? 1 : UINT32_MAX;
    if (inst->num_words > least)
        spv_inst_set_words(module, inst, least, inst->words);
}

void spv_drop_hints(struct spv_module *module)
{
    if (!spv_has_capability(module, SpvCapabilityKernel))
        return;
    drop_declarations(module);
    drop_modes(module);
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        join_storage(inst);
        if (spv_op_class(inst->op) == SPV_CLASS_DROPPED)
            spv_inst_remove(module, inst);
        else if (spv_op_class(inst->op) == SPV_CLASS_SCOPE)
            drop_name(module, inst);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                join_storage(inst);
                if (spv_op_class(inst->op) == SPV_CLASS_DROPPED)
                    spv_inst_remove(module, inst);
                else if (inst->op == SpvOpLoopMerge && inst->num_words > 2)
                    drop_loop_controls(module, inst);
            }
        }
    }
}
