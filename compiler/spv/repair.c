/* Repairs of functions and of the module's head, for the reader: what translators from LLVM write wrong in modules that
 * other drivers take. llvm-spirv 15 and 16 write
 *
 * - OpCompositeExtract %uint %id 3 for get_global_id(3), which OpenCL C 3.0, 6.15.1 defines: 0, or 1 for sizes;
 * - OpSelect of vectors by one bool, which SPIR-V has since 1.4, in modules that say they are of 1.0;
 * - types twice, OpTypeSampler for one, where SPIR-V 1.6, 2.8 allows one of each kind;
 * - a predecessor as many times in OpPhi as a switch has cases that lead here;
 * - OpBitcast between a vector of bools and numbers with a bit for each, where LLVM asks for all of them at once;
 * - OpAll and OpAny of integers for OpenCL's all() and any(), which ask for their signs (LLVM 22's own back end);
 * - OpAtomicCompareExchange and OpIEqual of floats, which are about their bits (the same);
 * - OpUConvert and OpSConvert to the width that the value has (the same);
 * - OpReadClockKHR of a work-group, which SPIR-V lets nobody ask for: the device's clock does (the same);
 * - an array of characters as the format of a printf, not a pointer to the first (the same);
 * - OpPtrEqual and its like of pointers to different types (the same);
 * - variables of a function's outside of all functions, for tables that LLVM makes of switches and of initialisers;
 * - built-in variables as those of the program or as constants, for what a C++ compiler declared as a plain external
 *   constant. Lowering reads them as it reads other inputs (lower/ends/inputs.c);
 * - entry points without the variables that they use;
 * - in modules of 1.4, OpAtomicCompareExchangeWeak, which that version dropped;
 * - the capabilities Matrix and Shader beside Kernel, for the bit instructions, which have a capability of their own.
 *   The others that would need Shader are refused later.
 *
 * Of the module's scope it is known that types are types and numbers have their sizes (spv_check_scope()). Of functions
 * nothing is known but that operands are there: ids may be undefined, and types wrong. */
#include "check.h"

#include <string.h>

static bool is(const struct spv_inst *inst, SpvOp op)
{
    return inst && inst->op == op;
}

/* ---- instructions ---- */

/* How many components the vector type has; 0: it is no vector type. */
static uint32_t vector_size(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    return is(def, SpvOpTypeVector) ? def->words[1] : 0;
}

static bool is_size(uint32_t builtin)
{
    return builtin == SpvBuiltInWorkgroupSize || builtin == SpvBuiltInEnqueuedWorkgroupSize ||
           builtin == SpvBuiltInGlobalSize || builtin == SpvBuiltInNumWorkgroups;
}

/* What the extraction of a component that a built-in variable does not have gives; 0: it is none. */
static spv_id missing_component(struct spv_module *module, const struct spv_inst *extract)
{
    const struct spv_inst *load = extract->num_words == 2 ? spv_def(module, extract->words[0]) : NULL;
    if (!is(load, SpvOpLoad) || !is(spv_def(module, extract->type), SpvOpTypeInt))
        return 0;
    uint32_t size = vector_size(module, load->type);
    if (!size || extract->words[1] < size || spv_def(module, load->type)->words[0] != extract->type)
        return 0;
    const struct spv_inst *builtin = spv_find_decoration(module, load->words[0], SpvDecorationBuiltIn);
    return builtin ? spv_const_bits(module, extract->type, is_size(builtin->words[2])) : 0;
}

/* One condition becomes one for each lane. */
static void widen_condition(struct spv_builder *builder, struct spv_inst *select)
{
    struct spv_module *module = builder->module;
    const struct spv_inst *condition = spv_def(module, select->words[0]);
    uint32_t size = vector_size(module, select->type);
    if (!size || size > 16 || !condition || !is(spv_def(module, condition->type), SpvOpTypeBool))
        return;
    spv_id lanes[16];
    for (uint32_t i = 0; i < size; i++)
        lanes[i] = condition->id;
    const spv_id words[3] = {
        spv_emit(builder, SpvOpCompositeConstruct, spv_type_vector(module, condition->type, size), size, lanes),
        select->words[1], select->words[2]};
    spv_inst_set_words(module, select, 3, words);
}

/* The bools of a vector and the bits of a number, the first one the lowest; 0: the cast is another one. */
static spv_id bits_of_bools(struct spv_builder *builder, const struct spv_inst *cast)
{
    const struct spv_module *module = builder->module;
    spv_id from = spv_value_type(module, cast->words[0]);
    bool bools = spv_type_is_bool(module, from) || spv_type_is_bool(module, cast->type);
    return bools && from != cast->type ? spv_emit_bit_cast(builder, cast->words[0], 0, cast->type, 0) : 0;
}

/* OpenCL C 3.0, 6.15.6: all() and any() ask for the most significant bits of integers. They become bools. */
static void ask_for_signs(struct spv_builder *builder, struct spv_inst *question)
{
    struct spv_module *module = builder->module;
    const struct spv_inst *value = question->num_words == 1 ? spv_def(module, question->words[0]) : NULL;
    if (!value || !spv_type_is_int(module, value->type) || !is(spv_def(module, question->type), SpvOpTypeBool))
        return;
    spv_id words[2] = {value->id, spv_const_null(module, value->type)};
    if (spv_type_is_vector(module, value->type)) {
        spv_id bools = spv_type_vector(module, question->type, spv_type_count(module, value->type));
        words[0] = spv_emit(builder, SpvOpSLessThan, bools, 2, words);
    } else {
        question->op = SpvOpSLessThan;
    }
    spv_inst_set_words(module, question, question->op == SpvOpSLessThan ? 2 : 1, words);
}

static spv_id as_bits(struct spv_builder *builder, spv_id value)
{
    struct spv_module *module = builder->module;
    uint32_t width = spv_type_width(module, spv_value_type(module, value));
    return spv_emitv(builder, SpvOpBitcast, spv_type_int(module, width), value);
}

static bool is_float(const struct spv_module *module, spv_id value)
{
    const struct spv_inst *type = spv_def(module, spv_value_type(module, value));
    return is(type, SpvOpTypeFloat);
}

static void compare_bits(struct spv_builder *builder, struct spv_inst *inst)
{
    if (!is_float(builder->module, inst->words[0]) || !is_float(builder->module, inst->words[1]))
        return;
    for (uint32_t i = 0; i < 2; i++)
        inst->words[i] = as_bits(builder, inst->words[i]);
}

/* words: pointer, scope, semantics twice, value, comparator */
static void exchange_bits(struct spv_builder *builder, struct spv_inst *inst)
{
    struct spv_module *module = builder->module;
    spv_id pointer = spv_value_type(module, inst->words[0]);
    if (inst->num_words != 6 || !is(spv_def(module, inst->type), SpvOpTypeFloat) ||
        !spv_type_is_pointer(module, pointer) || !is_float(module, inst->words[4]) || !is_float(module, inst->words[5]))
        return;
    spv_id bits = spv_type_int(module, spv_type_width(module, inst->type));
    spv_id place = spv_type_pointer(module, spv_pointer_storage(module, pointer), bits);
    const uint32_t words[] = {spv_emitv(builder, SpvOpBitcast, place, inst->words[0]),
                              inst->words[1],
                              inst->words[2],
                              inst->words[3],
                              as_bits(builder, inst->words[4]),
                              as_bits(builder, inst->words[5])};
    spv_id old = spv_emit(builder, SpvOpAtomicCompareExchange, bits, 6, words);
    inst->op = SpvOpBitcast;
    spv_inst_set_words(module, inst, 1, &old);
}

static void keep_width(const struct spv_module *module, struct spv_inst *inst)
{
    spv_id from = spv_value_type(module, inst->words[0]);
    if (spv_type_is_int(module, from) && spv_type_is_int(module, inst->type) &&
        spv_type_width(module, from) == spv_type_width(module, inst->type))
        inst->op = from == inst->type ? SpvOpCopyObject : SpvOpBitcast;
}

static void read_device_clock(struct spv_module *module, struct spv_inst *inst)
{
    uint64_t scope;
    if (spv_const_value(module, inst->words[0], &scope) && scope == SpvScopeWorkgroup)
        inst->words[0] = spv_const_u32(module, SpvScopeDevice);
}

static void point_to_first_character(struct spv_builder *builder, struct spv_inst *call)
{
    struct spv_module *module = builder->module;
    bool prints =
        call->hints.ext_set == SPV_EXT_SET_OPENCL && call->words[1] == OpenCLstd_Printf && call->num_words > 2;
    spv_id type = prints ? spv_value_type(module, call->words[2]) : 0;
    if (!type || !spv_type_is_pointer(module, type))
        return;
    const struct spv_inst *array = spv_def(module, spv_def(module, type)->words[1]);
    if (!is(array, SpvOpTypeArray))
        return;
    spv_id first = spv_type_pointer(module, spv_pointer_storage(module, type), array->words[0]);
    call->words[2] = spv_emitv(builder, SpvOpBitcast, first, call->words[2]);
}

/* Pointers that are compared get one type: the first one's. */
static void compare_alike(struct spv_builder *builder, struct spv_inst *inst)
{
    struct spv_module *module = builder->module;
    spv_id first = spv_value_type(module, inst->words[0]), second = spv_value_type(module, inst->words[1]);
    if (first && second && first != second && spv_type_is_pointer(module, first) &&
        spv_type_is_pointer(module, second) &&
        spv_pointer_storage(module, first) == spv_pointer_storage(module, second))
        inst->words[1] = spv_emitv(builder, SpvOpBitcast, first, inst->words[1]);
}

static bool is_repeated(const struct spv_inst *phi, uint32_t pair)
{
    for (uint32_t i = 0; i < pair; i++) {
        if (!memcmp(&phi->words[2 * i], &phi->words[2 * pair], 2 * sizeof(*phi->words)))
            return true;
    }
    return false;
}

/* Each pair of value and predecessor stays once. What differs by its value stays, too, and is refused later. */
static void drop_repeated_pairs(struct spv_module *module, struct spv_inst *phi)
{
    uint32_t count = phi->num_words / 2, kept = 0;
    uint32_t *words = NULL;
    if (phi->num_words % 2 || count > 4096) /* no translator's */
        return;
    for (uint32_t i = 0; i < count; i++) {
        bool repeated = is_repeated(phi, i);
        if (repeated && !words) {
            words = arena_array(module->arena, uint32_t, phi->num_words);
            memcpy(words, phi->words, 2 * i * sizeof(*words));
        }
        if (!repeated && words)
            memcpy(words + 2 * kept, &phi->words[2 * i], 2 * sizeof(*words));
        kept += !repeated;
    }
    if (words)
        spv_inst_set_words(module, phi, 2 * kept, words);
}

static void repair_block(struct spv_module *module, struct spv_function *function, struct spv_block *block,
                         struct spv_replacements *replacements)
{
    spv_foreach_inst_safe (inst, &block->insts) {
        if (inst->op == SpvOpCompositeExtract) {
            spv_id missing = missing_component(module, inst);
            if (missing)
                spv_replace(module, replacements, inst->id, missing);
        } else if (inst->op == SpvOpPhi) {
            drop_repeated_pairs(module, inst);
        } else if (inst->op == SpvOpBitcast) {
            struct spv_builder builder = {module, function, block, inst};
            spv_id bits = bits_of_bools(&builder, inst);
            if (bits)
                spv_replace(module, replacements, inst->id, bits);
        } else if (inst->op == SpvOpAll || inst->op == SpvOpAny) {
            struct spv_builder builder = {module, function, block, inst};
            ask_for_signs(&builder, inst);
        } else if (inst->op == SpvOpExtInst) {
            struct spv_builder builder = {module, function, block, inst};
            point_to_first_character(&builder, inst);
        } else if (inst->op == SpvOpPtrEqual || inst->op == SpvOpPtrNotEqual) {
            struct spv_builder builder = {module, function, block, inst};
            compare_alike(&builder, inst);
        } else if (inst->op == SpvOpSelect && inst->num_words == 3 && module->version < 0x00010400) {
            struct spv_builder builder = {module, function, block, inst};
            widen_condition(&builder, inst);
        } else if (inst->op == SpvOpIEqual || inst->op == SpvOpINotEqual) {
            struct spv_builder builder = {module, function, block, inst};
            compare_bits(&builder, inst);
        } else if (inst->op == SpvOpAtomicCompareExchange) {
            struct spv_builder builder = {module, function, block, inst};
            exchange_bits(&builder, inst);
        } else if (inst->op == SpvOpUConvert || inst->op == SpvOpSConvert) {
            keep_width(module, inst);
        } else if (inst->op == SpvOpReadClockKHR) {
            read_device_clock(module, inst);
        } else if (inst->op == SpvOpAtomicCompareExchangeWeak && module->version >= 0x00010400) {
            inst->op = SpvOpAtomicCompareExchange; /* which may fail as seldom as it likes, too */
        }
    }
}

/* ---- types ---- */

static bool is_unique_type(uint16_t op)
{
    switch (op) {
    case SpvOpTypeVoid:
    case SpvOpTypeVector:
    case SpvOpTypeFunction:
    case SpvOpTypePointer: /* may be there twice, but those that differ by a type that was must become one */
        return true;
    case SpvOpTypeOpaque: /* with a name */
        return false;
    default:
        break;
    }
    switch (spv_op_class(op)) {
    case SPV_CLASS_SCALAR_TYPE:
    case SPV_CLASS_IMAGE_TYPE:
    case SPV_CLASS_OPAQUE_TYPE:
        return true;
    default:
        return false;
    }
}

static bool are_same(const struct spv_inst *a, const struct spv_inst *b)
{
    return a->op == b->op && a->num_words == b->num_words && !memcmp(a->words, b->words, a->num_words * 4);
}

/* Puts the replacements into all uses, and removes what has none any more. */
static void remove_replaced(struct spv_module *module, struct spv_replacements *replacements)
{
    if (replacements->replaced.length)
        spv_apply_replacements(module, replacements, NULL);
    for (uint32_t i = 0; i < replacements->replaced.length; i++) {
        struct spv_inst *inst = module->defs[replacements->replaced.data[i]];
        spv_remove_annotations(module, inst->id);
        spv_inst_remove(module, inst);
    }
    spv_finish_replacements(module, replacements);
}

/* Each type goes where an equal one came before it. Pointers only if there is another duplicate, too. */
static void merge_types(struct spv_module *module)
{
    struct spv_replacements replacements = {0};
    struct u64_map types = {0}; /* by a hash of what they are, or the next number that is free */
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (!is_unique_type(inst->op))
            continue;
        spv_rewrite_operands(&replacements, inst);
        uint64_t key = hash_bytes64(inst->words, inst->num_words * sizeof(*inst->words), inst->op);
        struct spv_inst *same = u64_map_get(&types, key);
        while (same && !are_same(same, inst))
            same = u64_map_get(&types, ++key);
        if (!same)
            u64_map_set(module->arena, &types, key, inst);
        else if (inst->op != SpvOpTypePointer || replacements.replaced.length)
            spv_replace(module, &replacements, inst->id, same->id);
    }
    remove_replaced(module, &replacements);
}

/* ---- tables ---- */

struct table {
    struct spv_module *module;
    struct spv_function *function;
    const struct spv_inst *global;
    spv_id own; /* the function's variable; 0 until it is needed */
};

static void take_own(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct table *table = data;
    struct spv_block *entry = table->function->first_block;
    (void)inst;
    if (*word != table->global->id)
        return;
    if (!table->own) {
        struct spv_builder builder = {table->module, table->function, entry, entry->insts.first};
        table->own = spv_new_id(table->module);
        spv_inst_insert(&builder, spv_inst_create(table->module, SpvOpVariable, table->global->type, table->own,
                                                  table->global->num_words, table->global->words));
        const struct spv_inst *align = spv_find_decoration(table->module, table->global->id, SpvDecorationAlignment);
        if (align)
            spv_decorate(table->module, table->own, SpvDecorationAlignment, 1, &align->words[2]);
    }
    *word = table->own;
}

/* Entry points may name the table in their interface, as if it were one of the module's. */
static void forget_table(struct spv_module *module, spv_id id)
{
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        uint32_t first;
        VEC(uint32_t) words = {0};
        if (entry->op != SpvOpEntryPoint)
            continue;
        spv_string(entry, 2, &first);
        for (uint32_t i = 0; i < entry->num_words; i++) {
            if (i < first || entry->words[i] != id)
                vec_push(module->arena, &words, entry->words[i]);
        }
        if (words.length < entry->num_words)
            spv_inst_set_words(module, entry, words.length, words.data);
    }
}

/* Each function that uses the table gets a variable with these values. Nobody writes to it: OpenCL C has no private
 * variables outside of functions. */
static void move_table(struct spv_module *module, struct spv_inst *global)
{
    spv_foreach_function (function, module) {
        struct table table = {module, function, global, 0};
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, take_own, &table);
        }
    }
    forget_table(module, global->id);
    spv_remove_annotations(module, global->id);
    spv_inst_remove(module, global);
}

struct leak {
    struct u64_map pointers; /* ids that lead into the table */
    bool found;
};

static void see_pointer(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct leak *leak = data;
    leak->found |= u64_map_has(&leak->pointers, *word) && !(inst->op == SpvOpLoad || spv_op_is_lifetime(inst->op)) &&
                   !(spv_op_is_copy(inst->op) && word == &inst->words[1]);
}

/* Whether a function keeps the table's address, or gives it to another one: an object's table of virtual functions. */
static bool is_leaked(struct spv_module *module, const struct spv_inst *global)
{
    struct leak leak = {0};
    u64_map_set(module->arena, &leak.pointers, global->id, NULL);
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                bool leads = (spv_op_leads_on(inst->op) || inst->op == SpvOpPtrCastToGeneric) && inst->num_words;
                if (!leads)
                    spv_visit_operand_ids(inst, see_pointer, &leak);
                else if (u64_map_has(&leak.pointers, inst->words[0]))
                    u64_map_set(module->arena, &leak.pointers, inst->id, NULL);
            }
        }
    }
    return leak.found;
}

/* A function's own copy of a table goes with its frame. So no function stays where an address might be used later. */
static void inline_all(struct spv_module *module)
{
    spv_foreach_function (function, module) {
        if (function->def->num_words)
            function->def->words[0] &=
                ~(uint32_t)(SpvFunctionControlDontInlineMask | SpvFunctionControlOptNoneINTELMask);
    }
}

static void move_tables(struct spv_module *module)
{
    bool leaked = false;
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpVariable || inst->words[0] != SpvStorageClassFunction || inst->num_words < 2)
            continue;
        leaked = leaked || is_leaked(module, inst);
        move_table(module, inst);
    }
    if (leaked)
        inline_all(module);
}

/* ---- built-in variables ---- */

static const struct spv_inst *pointer_type(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    return is(def, SpvOpTypePointer) ? def : NULL;
}

static bool is_program_storage(uint32_t storage)
{
    return storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassUniformConstant;
}

/* Makes the instruction's type one of pointers to Input. That type goes right behind what it points to, so that it
 * comes before all that may have it. */
static bool point_to_input(struct spv_module *module, struct spv_inst *inst)
{
    struct spv_list *list = &module->sections[SPV_SECTION_GLOBAL];
    const struct spv_inst *from = pointer_type(module, inst->type);
    struct spv_inst *pointee = from && is_program_storage(from->words[0]) ? spv_def(module, from->words[1]) : NULL;
    if (!pointee || !spv_op_is_type(pointee->op))
        return false;
    inst->type = spv_type_pointer(module, SpvStorageClassInput, pointee->id);
    struct spv_inst *type = spv_def(module, inst->type);
    spv_list_remove(list, type);
    spv_list_insert(list, type, pointee);
    return true;
}

/* Whether the result points into what words[first] points to. */
static bool points_into(const struct spv_inst *inst, uint32_t *first)
{
    *first = inst->op == SpvOpSpecConstantOp ? 1 : 0;
    uint16_t op = *first && inst->num_words ? (uint16_t)inst->words[0] : inst->op;
    return spv_op_leads_on(op) && inst->num_words > *first;
}

static void follow_input(struct spv_module *module, struct spv_inst *inst)
{
    uint32_t first;
    const struct spv_inst *base = points_into(inst, &first) ? spv_def(module, inst->words[first]) : NULL;
    const struct spv_inst *type = base ? pointer_type(module, base->type) : NULL;
    if (type && type->words[0] == SpvStorageClassInput)
        point_to_input(module, inst);
}

/* SPIR-V 1.6, 3.21: only variables of Input can be built-in ones of kernels. Pointers into them follow. */
static void make_inputs(struct spv_module *module)
{
    bool any = false;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (any && inst->op == SpvOpSpecConstantOp)
            follow_input(module, inst);
        if (inst->op != SpvOpVariable || inst->num_words != 1 || !is_program_storage(inst->words[0]) ||
            !spv_find_decoration(module, inst->id, SpvDecorationBuiltIn) || !point_to_input(module, inst))
            continue;
        inst->words[0] = SpvStorageClassInput;
        any = true;
    }
    if (!any)
        return;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                follow_input(module, inst);
        }
    }
}

/* ---- the head ---- */

static void drop_capabilities(struct spv_module *module)
{
    if (!spv_has_capability(module, SpvCapabilityKernel) || !spv_has_capability(module, SpvCapabilityShader))
        return;
    spv_add_capability(module, SpvCapabilityBitInstructions);
    spv_add_extension(module, "SPV_KHR_bit_instructions");
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_CAPABILITY]) {
        if (inst->words[0] == SpvCapabilityMatrix || inst->words[0] == SpvCapabilityShader)
            spv_inst_remove(module, inst);
    }
}

static bool lists(const struct spv_inst *entry, uint32_t first, spv_id id)
{
    for (uint32_t i = first; i < entry->num_words; i++) {
        if (entry->words[i] == id)
            return true;
    }
    return false;
}

/* SPIR-V 1.4 wants all variables that an entry point reaches in its interface, earlier versions those of Input; more do
 * no harm. */
static void list_variables(struct spv_module *module, struct spv_inst *entry)
{
    uint32_t first;
    spv_string(entry, 2, &first);
    VEC(uint32_t) words = {0};
    for (uint32_t i = 0; i < entry->num_words; i++)
        vec_push(module->arena, &words, entry->words[i]);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        bool wanted =
            inst->op == SpvOpVariable && (module->version >= 0x00010400 || inst->words[0] == SpvStorageClassInput);
        if (wanted && !lists(entry, first, inst->id))
            vec_push(module->arena, &words, inst->id);
    }
    if (words.length > entry->num_words && words.length < 0xffff)
        spv_inst_set_words(module, entry, words.length, words.data);
}

void spv_repair(struct spv_module *module)
{
    struct spv_replacements replacements = {0};
    drop_capabilities(module);
    merge_types(module);
    move_tables(module);
    make_inputs(module);
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->op == SpvOpEntryPoint)
            list_variables(module, entry);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function)
            repair_block(module, function, block, &replacements);
    }
    remove_replaced(module, &replacements); /* the extractions and casts */
}
