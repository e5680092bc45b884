/* Instructions that extensions bring become older ones when a module is read, so that neither passes nor validators
 * need to know the extension (extensions.def has the list). Before and after:
 *
 *     %r = OpFmaKHR %float %a %b %c            %r = OpExtInst %float %opencl fma %a %b %c
 *     %r = OpFreezeKHR %int %a                 %a takes its place
 *     %r = OpArithmeticFenceEXT %float %a      %a takes its place, and what computes it is NoContraction
 *     %r = OpConvertFToBF16INTEL %ushort %a    integer arithmetic on its bits
 *     %r = OpRoundFToTF32INTEL %float %a       a call of the library, which works on its bits
 *     %r = OpSubgroupMatrixMultiplyAccumulateINTEL ...    matrix_mad.c
 *     %p = OpPtrCastToCrossWorkgroupINTEL      %p = OpBitcast
 *
 * Of the module's scope it is known that types are types and numbers have their sizes (spv_check_scope()). Of functions
 * nothing is known but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

struct plain {
    struct spv_module *module;
    struct spv_replacements replacements;
    const char *error;
};

static void fail(struct plain *p, const char *what)
{
    if (!p->error)
        p->error = what;
}

static void become(struct plain *p, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words)
{
    inst->op = (uint16_t)op;
    spv_inst_set_words(p->module, inst, count, words);
}

/* ---- values that stay what they are ---- */

static bool is_without_value(const struct spv_inst *def)
{
    return def && (def->op == SpvOpUndef || def->op == SpvOpPoisonKHR);
}

/* Undefined values are the same at every use here, but for constants without a value, which each use might take for
 * another number. */
static void freeze(struct plain *p, struct spv_inst *inst)
{
    const struct spv_inst *value = spv_def(p->module, inst->words[0]);
    spv_id same = is_without_value(value) ? spv_const_null(p->module, inst->type) : inst->words[0];
    spv_replace(p->module, &p->replacements, inst->id, same);
}

/* Nothing regroups or fuses a NoContraction operation with what uses it. A fence of what is computed elsewhere (loaded,
 * chosen) has nothing to forbid here: no pass looks through these. */
static void fence(struct plain *p, struct spv_inst *inst)
{
    struct spv_inst *value = spv_def(p->module, inst->words[0]);
    if (value && value->block)
        spv_forbid_contraction(value);
    spv_replace(p->module, &p->replacements, inst->id, inst->words[0]);
}

/* ---- composites of one value ---- */

static uint32_t length_of(const struct plain *p, spv_id type)
{
    const struct spv_inst *def = spv_def(p->module, type);
    switch (def ? def->op : SpvOpNop) {
    case SpvOpTypeVector:
        return def->words[1];
    case SpvOpTypeArray: {
        uint64_t length = spv_array_length(p->module, type);
        return length <= UINT16_MAX ? (uint32_t)length : 0;
    }
    case SpvOpTypeStruct:
        return def->num_words;
    case SpvOpTypeCooperativeMatrixKHR: /* one value stands for all */
        return 1;
    default:
        return 0;
    }
}

static void replicate(struct plain *p, struct spv_inst *inst, SpvOp op)
{
    uint32_t count = length_of(p, inst->type);
    if (!count) {
        fail(p, "a replicated composite of a type that is none, or too long");
        return;
    }
    uint32_t *words = arena_array(p->module->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        words[i] = inst->words[0];
    become(p, inst, op, count, words);
}

/* ---- bfloat16 ---- */

/* Whether one is a float and the other an integer of 16 bits, with as many lanes. */
static bool fits_bfloat16(const struct plain *p, spv_id floats, spv_id ints)
{
    return spv_type_is_float(p->module, floats) && spv_type_width(p->module, floats) == 32 &&
           spv_type_is_int(p->module, ints) && spv_type_width(p->module, ints) == 16 &&
           spv_type_count(p->module, floats) == spv_type_count(p->module, ints);
}

static void convert_bfloat16(struct plain *p, struct spv_builder builder, struct spv_inst *inst)
{
    spv_id from = spv_value_type(p->module, inst->words[0]);
    bool narrows = inst->op == SpvOpConvertFToBF16INTEL;
    if (narrows ? fits_bfloat16(p, from, inst->type) : fits_bfloat16(p, inst->type, from)) {
        spv_id value = narrows ? spv_emit_bfloat16(&builder, inst->words[0], inst->type)
                               : spv_emit_from_bfloat16(&builder, inst->words[0]);
        become(p, inst, SpvOpCopyObject, 1, &value);
    } else {
        fail(p, "a conversion between floats and bfloat16 of other types");
    }
}

/* ---- tf32, and matrices of a sub-group ---- */

static void round_tf32(struct plain *p, struct spv_builder builder, struct spv_inst *inst)
{
    spv_id value = inst->words[0], component = spv_type_float(p->module, 32), lanes[16];
    uint32_t count = spv_type_is_float(p->module, inst->type) ? spv_type_count(p->module, inst->type) : 0;
    if (spv_value_type(p->module, value) != inst->type || count > ARRAY_LENGTH(lanes) ||
        spv_type_width(p->module, inst->type) != 32) {
        fail(p, "a conversion to tf32 of other types than floats");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        spv_id lane = count > 1 ? spv_emitv(&builder, SpvOpCompositeExtract, component, value, i) : value;
        lanes[i] = spv_emit_import_call(&builder, "__pumice_tfloat32_from_float", component, 1, &lane);
    }
    if (count > 1)
        become(p, inst, SpvOpCompositeConstruct, count, lanes);
    else
        become(p, inst, SpvOpCopyObject, 1, lanes);
}

/* What A and B consist of tells K, too, so that nothing depends on a specialisation constant. */
static void multiply_matrices(struct plain *p, struct spv_builder builder, struct spv_inst *inst)
{
    const struct spv_inst *k = spv_def(p->module, inst->words[0]);
    uint32_t said = k && k->op == SpvOpConstant && k->num_words == 1 ? k->words[0] : 0;
    struct spv_matrix_mad mad = {inst->type,     inst->words[1], inst->words[2],
                                 inst->words[3], said,           inst->num_words > 4 ? inst->words[4] : 0};
    spv_id product = said || (k && k->op == SpvOpSpecConstant) ? spv_emit_matrix_mad(&builder, &mad) : 0;
    if (!product) {
        fail(p, "a sub-group's product of matrices whose types, size or operands are not those of "
                "cl_intel_subgroup_matrix_multiply_accumulate");
        return;
    }
    spv_add_capability(p->module, SpvCapabilityGroupNonUniform);
    spv_add_capability(p->module, SpvCapabilityGroupNonUniformShuffle);
    become(p, inst, SpvOpCopyObject, 1, &product);
}

/* ---- formats of printf ---- */

/* What the operand of a chain, cast or copy is; in a constant expression it stands behind the opcode. */
static const struct spv_inst *behind(const struct plain *p, const struct spv_inst *pointer)
{
    bool constant = pointer->op == SpvOpSpecConstantOp;
    uint16_t op = constant ? (uint16_t)pointer->words[0] : pointer->op;
    uint32_t base = constant ? 1 : 0;
    bool leads = spv_op_leads_on(op) || op == SpvOpPtrCastToGeneric;
    for (uint32_t i = base + 1; leads && i < pointer->num_words; i++) {
        uint64_t index;
        leads = spv_const_value(p->module, pointer->words[i], &index) && !index;
    }
    return leads && base < pointer->num_words ? spv_def(p->module, pointer->words[base]) : NULL;
}

/* The program's array of characters at whose start the pointer leads; NULL: none that is known. */
static const struct spv_inst *find_format(const struct plain *p, spv_id id)
{
    const struct spv_inst *at = spv_def(p->module, id);
    for (uint32_t steps = 0; at && at->op != SpvOpVariable && steps < p->module->bound; steps++)
        at = behind(p, at);
    bool known = at && at->op == SpvOpVariable && !at->block && at->words[0] == SpvStorageClassCrossWorkgroup &&
                 at->num_words > 1;
    const struct spv_inst *value = known ? spv_def(p->module, at->words[1]) : NULL;
    const struct spv_inst *type = value ? spv_def(p->module, value->type) : NULL;
    bool characters = type && type->op == SpvOpTypeArray && spv_type_is_int(p->module, type->words[0]) &&
                      spv_type_width(p->module, type->words[0]) == 8;
    return characters ? at : NULL;
}

/* SPV_EXT_relaxed_printf_string_address_space: the format is in another address space than OpenCL's constant one. Nobody
 * writes to it, so printf gets a copy in that one. */
static void move_format(struct plain *p, struct spv_builder builder, struct spv_inst *inst)
{
    spv_id type = spv_value_type(p->module, inst->words[2]);
    if (!spv_type_is_pointer(p->module, type) || spv_pointer_storage(p->module, type) == SpvStorageClassUniformConstant)
        return;
    const struct spv_inst *variable = find_format(p, inst->words[2]);
    if (!variable) {
        fail(p, "the format of a printf is neither in the constant address space nor known");
        return;
    }
    struct spv_module *module = p->module;
    spv_id array = spv_value_type(module, variable->words[1]);
    spv_id copy = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassUniformConstant, array),
                                      SpvStorageClassUniformConstant, variable->words[1]);
    spv_decorate(module, copy, SpvDecorationConstant, 0, NULL);
    spv_id character = spv_def(module, array)->words[0];
    inst->words[2] =
        spv_emitv(&builder, SpvOpInBoundsAccessChain,
                  spv_type_pointer(module, SpvStorageClassUniformConstant, character), copy, spv_const_u32(module, 0));
}

/* ---- the whole ---- */

static void make_fma(struct plain *p, struct spv_inst *inst)
{
    const uint32_t words[] = {spv_import_ext_inst(p->module, "OpenCL.std"), OpenCLstd_Fma, inst->words[0],
                              inst->words[1], inst->words[2]};
    become(p, inst, SpvOpExtInst, 5, words);
}

static void make_plain(struct plain *p, struct spv_builder builder, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpExtInst:
        if (inst->hints.ext_set == SPV_EXT_SET_OPENCL && inst->words[1] == OpenCLstd_Printf && inst->num_words > 2)
            move_format(p, builder, inst);
        break;
    case SpvOpFmaKHR:
        make_fma(p, inst);
        break;
    case SpvOpPoisonKHR:
        inst->op = SpvOpUndef;
        break;
    case SpvOpFreezeKHR:
        freeze(p, inst);
        break;
    case SpvOpArithmeticFenceEXT:
        fence(p, inst);
        break;
    case SpvOpFPGARegINTEL:
        spv_replace(p->module, &p->replacements, inst->id, inst->words[0]);
        break;
    case SpvOpCompositeConstructReplicateEXT:
        replicate(p, inst, SpvOpCompositeConstruct);
        break;
    case SpvOpConvertFToBF16INTEL:
    case SpvOpConvertBF16ToFINTEL:
        convert_bfloat16(p, builder, inst);
        break;
    case SpvOpRoundFToTF32INTEL:
        round_tf32(p, builder, inst);
        break;
    case SpvOpSubgroupMatrixMultiplyAccumulateINTEL:
        multiply_matrices(p, builder, inst);
        break;
    case SpvOpPtrCastToCrossWorkgroupINTEL:
    case SpvOpCrossWorkgroupCastToPtrINTEL:
        inst->op = SpvOpBitcast;
        break;
    default:
        break;
    }
}

static void make_global_plain(struct plain *p, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpPoisonKHR:
        inst->op = SpvOpUndef;
        break;
    case SpvOpConstantCompositeReplicateEXT:
        replicate(p, inst, SpvOpConstantComposite);
        break;
    case SpvOpSpecConstantCompositeReplicateEXT:
        replicate(p, inst, SpvOpSpecConstantComposite);
        break;
    case SpvOpSpecConstantOp:
        if (inst->words[0] == SpvOpPtrCastToCrossWorkgroupINTEL || inst->words[0] == SpvOpCrossWorkgroupCastToPtrINTEL)
            inst->words[0] = SpvOpBitcast;
        break;
    default:
        break;
    }
}

/* What was replaced goes. */
static void remove_replaced(struct plain *p)
{
    if (!p->replacements.replaced.length)
        return;
    spv_apply_replacements(p->module, &p->replacements, NULL);
    for (uint32_t i = 0; i < p->replacements.replaced.length; i++) {
        struct spv_inst *inst = p->module->defs[p->replacements.replaced.data[i]];
        spv_remove_annotations(p->module, inst->id);
        spv_inst_remove(p->module, inst);
    }
    spv_finish_replacements(p->module, &p->replacements);
}

const char *spv_make_plain(struct spv_module *module)
{
    struct plain p = {.module = module};
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL])
        make_global_plain(&p, inst);
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                struct spv_builder builder = {module, function, block, inst};
                make_plain(&p, builder, inst);
            }
        }
    }
    remove_replaced(&p);
    return p.error;
}
