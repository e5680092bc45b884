/* Reading binaries, which nobody vouches for. Three steps: each instruction is decoded against the grammar and put
 * where it belongs; annotations are tied to their targets; then the whole is checked (spv_check), on which everything
 * else relies.
 *
 * What is simplified on the way: decoration groups are spread over their targets (SPIR-V 1.6 deprecates them); debug
 * information and other non-semantic instructions are dropped, because no pass keeps them up, and lines between
 * functions, too; hints are dropped (extensions.c), and newer extensions' instructions become older ones (plain.c).
 * What translators are known to write wrong is repaired: settle(), settle_globals.c and repair.c. */
#include "cfg.h"
#include "check.h"

#include "base/util.h"

#include <string.h>

enum {
    MAX_BOUND = 4 << 20, /* SPIR-V 1.6, 2.17 guarantees 4,194,303 */
    SPARSE_BOUND =
        1 << 16 /* beyond it, ids are renumbered when most are unused: a small file must not take much memory */
};

struct reader {
    struct arena *arena;
    struct spv_module *module;
    const uint32_t *words;
    size_t count, at;
    bool own; /* private instructions are allowed */
    bool swap;
    uint32_t bound;
    bool renumber;
    struct u64_map new_ids;
    uint8_t *forward; /* ids that OpTypeForwardPointer announced */
    size_t num_forward;
    bool odd;                      /* some integers do not have 8, 16, 32 or 64 bits */
    bool encoded;                  /* some floats are not of IEEE 754, or bits are taken out */
    bool untyped;                  /* some pointer has no type */
    bool calls_pointers;           /* functions have addresses, or are called by them */
    bool unsorted;                 /* something of module scope is used before its definition */
    struct spv_function *function; /* open */
    struct spv_block *block;       /* open */
    VEC(struct spv_inst *) longer; /* instructions that others have continued */
    uint32_t room;                 /* words of the last of them */
    VEC(spv_id) dropped_sets;      /* imports whose instructions are left out */
    const char *error;
};

static bool fail(struct reader *reader, const char *what)
{
    if (!reader->error)
        reader->error = arena_printf(reader->arena, "word %zu: %s", reader->at, what);
    return false;
}

static uint32_t word_at(const struct reader *reader, size_t at)
{
    uint32_t word = reader->words[at];
    return reader->swap ? __builtin_bswap32(word) : word;
}

/* ---- ids ---- */

static spv_id take_id(struct reader *reader, uint32_t word)
{
    if (!word || word >= reader->bound) {
        fail(reader, "an id is 0 or not below the bound");
        return 0;
    }
    if (!reader->renumber)
        return word;
    void *known = u64_map_get(&reader->new_ids, word);
    if (known)
        return (spv_id)(uintptr_t)known;
    spv_id id = spv_new_id(reader->module);
    u64_map_set(reader->arena, &reader->new_ids, word, (void *)(uintptr_t)id);
    return id;
}

/* ---- one instruction ---- */

/* Sets whose instructions may be left out: debug information, and what SPV_KHR_non_semantic_info says of its sets. */
static bool says_only_more(const char *set)
{
    return !strcmp(set, "OpenCL.DebugInfo.100") || !strcmp(set, "SPIRV.debug") || !strcmp(set, "DebugInfo") ||
           !strncmp(set, "NonSemantic.", 12);
}

/* OpExtInst, or the same whose operands may be defined later: only debug information needs that. */
static bool is_extended(uint16_t op)
{
    return op == SpvOpExtInst || op == SpvOpExtInstWithForwardRefsKHR;
}

static bool is_dropped_set(const struct reader *reader, spv_id set)
{
    for (uint32_t i = 0; i < reader->dropped_sets.length; i++) {
        if (reader->dropped_sets.data[i] == set)
            return true;
    }
    return false;
}

/* Fits the words to the grammar and makes their ids ours. */
static bool decode_operands(struct reader *reader, struct spv_inst *inst)
{
    const struct spv_grammar_op *row = spv_grammar_op(inst->op);
    const uint32_t plain = SPV_OP_ALL_IDS | SPV_OP_FIXED;
    if (row && (row->flags & plain) == plain && inst->num_words == row->num_operands) {
        for (uint32_t i = 0; i < inst->num_words; i++)
            inst->words[i] = take_id(reader, inst->words[i]);
        return !reader->error;
    }
    /* LLVM 22's back end says the type of null events twice. */
    if (inst->op == SpvOpConstantNull && inst->num_words == 1 && take_id(reader, inst->words[0]) == inst->type)
        inst->num_words = 0;
    struct spv_operand_cursor cursor;
    struct spv_operand operand;
    spv_cursor_start(&cursor, inst);
    while (spv_cursor_next(&cursor, &operand)) {
        if (operand.category == SPV_CATEGORY_ID)
            inst->words[operand.word] = take_id(reader, inst->words[operand.word]);
    }
    if (cursor.error)
        return fail(reader, arena_printf(reader->arena, "%s: %s", spv_op_name(inst->op), cursor.error));
    return !reader->error;
}

/* The operands of these depend on what an earlier instruction says. */
static bool find_hint(struct reader *reader, struct spv_inst *inst)
{
    if (inst->op != SpvOpSwitch && inst->op != SpvOpExtInst)
        return true;
    if (inst->num_words < 2)
        return fail(reader, "too few operands");
    uint32_t original = inst->words[0];
    spv_id id = take_id(reader, original);
    if (reader->error || !spv_def(reader->module, id))
        return fail(reader, "the first operand of OpSwitch or OpExtInst is not defined before it");
    inst->words[0] = id;
    spv_set_hints(reader->module, inst);
    inst->words[0] = original;
    return true;
}

/* The instruction at reader->at, of length words. NULL: an error, or (when there is none) an instruction to pass over.
 */
static struct spv_inst *decode(struct reader *reader, uint16_t op, uint32_t length)
{
    size_t at = reader->at + 1, end = reader->at + length;
    spv_id type = 0, id = 0;
    if (length < 1u + spv_op_has_type(op) + spv_op_has_result(op)) {
        fail(reader, "an instruction is too short");
        return NULL;
    }
    if (spv_op_has_type(op))
        type = take_id(reader, word_at(reader, at++));
    if (spv_op_has_result(op))
        id = take_id(reader, word_at(reader, at++));
    if (reader->error)
        return NULL;
    if (is_extended(op) && at < end && is_dropped_set(reader, take_id(reader, word_at(reader, at))))
        return NULL;
    struct spv_inst *inst = arena_alloc(reader->arena, sizeof(*inst) + (end - at) * sizeof(uint32_t));
    inst->op = op;
    reader->untyped |= spv_is_untyped_op(op);
    reader->calls_pointers |= op == SpvOpConstantFunctionPointerINTEL || op == SpvOpFunctionPointerCallINTEL;
    inst->type = type;
    inst->words = (uint32_t *)(inst + 1);
    inst->num_words = (uint32_t)(end - at);
    for (uint32_t i = 0; i < inst->num_words; i++)
        inst->words[i] = word_at(reader, at + i);
    if (!find_hint(reader, inst) || !decode_operands(reader, inst))
        return NULL;
    reader->encoded |= (op == SpvOpTypeFloat && inst->num_words > 1) || op == SpvOpBitcastExtractEXT;
    if (op == SpvOpTypeInt)
        reader->odd |= inst->words[0] < 8 || inst->words[0] > 64 || !is_power_of_two(inst->words[0]);
    if (!id)
        return inst;
    if (reader->module->defs[id]) {
        fail(reader, arena_printf(reader->arena, "%%%u is defined twice", id));
        return NULL;
    }
    inst->id = id;
    spv_define(reader->module, inst);
    return inst;
}

/* ---- module scope ---- */

static void check_precedes(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct reader *reader = data;
    if (!spv_def(reader->module, *word) && !reader->forward[*word])
        reader->unsorted = true;
    /* spv_check trusts that types and constants do not contain themselves */
    else if (*word == inst->id && inst->id)
        fail(reader, arena_printf(reader->arena, "%%%u contains itself", *word));
}

static void place_global(struct reader *reader, struct spv_inst *inst)
{
    if (inst->op == SpvOpTypeForwardPointer) {
        reader->forward[inst->words[0]] = 1;
    } else if (inst->op != SpvOpExtInst && inst->op != SpvOpLine) {
        spv_visit_operand_ids(inst, check_precedes, reader);
        if (inst->type && (inst->type == inst->id || !spv_def(reader->module, inst->type)))
            reader->unsorted = true;
    }
}

/* Types and constants come behind what they use, or the module is refused: spv_check trusts that none contains itself.
 */
static void settle_globals(struct reader *reader)
{
    bool lifted = spv_lift_initialisers(reader->module), wrapped = spv_wrap_addresses(reader->module);
    spv_id wrong = 0;
    if (lifted || wrapped || reader->unsorted)
        wrong = spv_sort_globals(reader->module, reader->forward, reader->num_forward);
    if (wrong)
        fail(reader, arena_printf(reader->arena, "%%%u is used before its definition", wrong));
    else
        spv_list_initialisers(reader->module);
}

static void place_import(struct reader *reader, struct spv_inst *inst)
{
    struct spv_module *module = reader->module;
    const char *set = spv_string(inst, 0, NULL);
    if (!strcmp(set, SPV_PRIVATE_SET) && !reader->own)
        fail(reader, "the set of extended instructions \"" SPV_PRIVATE_SET "\" is what Pumice's passes say to each "
                     "other; no program may use it");
    else if (!spv_note_ext_set(module, set, inst->id) && !says_only_more(set))
        fail(reader, arena_printf(reader->arena, "unknown set of extended instructions \"%s\"", set));
}

/* SPV_INTEL_long_composites: more operands of the instruction before, which can have 65,535 words. */
static bool is_continued(uint16_t op)
{
    return op == SpvOpTypeStructContinuedINTEL || op == SpvOpConstantCompositeContinuedINTEL ||
           op == SpvOpSpecConstantCompositeContinuedINTEL || op == SpvOpCompositeConstructContinuedINTEL;
}

static bool continues(uint16_t op, uint16_t first)
{
    switch (op) {
    case SpvOpTypeStructContinuedINTEL:
        return first == SpvOpTypeStruct;
    case SpvOpConstantCompositeContinuedINTEL:
        return first == SpvOpConstantComposite;
    case SpvOpSpecConstantCompositeContinuedINTEL:
        return first == SpvOpSpecConstantComposite;
    default:
        return first == SpvOpCompositeConstruct;
    }
}

static void append_words(struct reader *reader, struct spv_inst *first, const struct spv_inst *rest)
{
    if (!first || !continues(rest->op, first->op)) {
        fail(reader, arena_printf(reader->arena, "%s continues nothing", spv_op_name(rest->op)));
        return;
    }
    if (spv_op_is_constant(first->op) || spv_op_is_type(first->op))
        spv_visit_operand_ids((struct spv_inst *)rest, check_precedes, reader);
    bool again = reader->longer.length && reader->longer.data[reader->longer.length - 1] == first;
    uint32_t count = first->num_words + rest->num_words, room = again ? reader->room : first->num_words;
    if (count > room) { /* doubled, since a small module may have very many */
        uint32_t *words = arena_array(reader->arena, uint32_t, 2 * (size_t)count);
        memcpy(words, first->words, first->num_words * sizeof(*words));
        first->words = words;
        reader->room = 2 * count;
    }
    memcpy(first->words + first->num_words, rest->words, rest->num_words * sizeof(*rest->words));
    first->num_words = count;
    if (!again)
        vec_push(reader->arena, &reader->longer, first);
}

static void place_in_section(struct reader *reader, struct spv_inst *inst, enum spv_section section)
{
    if (is_continued(inst->op)) {
        append_words(reader, reader->module->sections[section].last, inst);
        return;
    }
    if (section == SPV_SECTION_EXT_INST_IMPORT) {
        place_import(reader, inst);
        if (says_only_more(spv_string(inst, 0, NULL))) {
            vec_push(reader->arena, &reader->dropped_sets, inst->id);
            reader->module->defs[inst->id] = NULL;
            return;
        }
    } else if (section == SPV_SECTION_GLOBAL) {
        place_global(reader, inst);
    }
    spv_list_append(&reader->module->sections[section], inst);
}

/* ---- functions ---- */

static void open_function(struct reader *reader, struct spv_inst *inst)
{
    if (reader->function) {
        fail(reader, "a function inside a function");
        return;
    }
    reader->function = arena_new(reader->arena, struct spv_function);
    reader->function->def = inst;
    spv_link_function(reader->module, reader->function);
}

static void open_block(struct reader *reader, struct spv_inst *inst)
{
    if (reader->block) {
        fail(reader, "a block does not end with a terminator");
        return;
    }
    struct spv_block *block = arena_new(reader->arena, struct spv_block);
    block->label = inst;
    inst->block = block;
    spv_block_append(reader->function, block);
    reader->block = block;
}

static void place_in_block(struct reader *reader, struct spv_inst *inst)
{
    if (spv_op_is_line(inst->op)) {
        if (!reader->block)
            return;
    } else if (!reader->block) {
        fail(reader, "an instruction outside a block");
        return;
    }
    if (is_continued(inst->op)) {
        append_words(reader, reader->block->insts.last, inst);
        return;
    }
    inst->block = reader->block;
    spv_list_append(&reader->block->insts, inst);
    if (spv_op_is_terminator(inst->op))
        reader->block = NULL;
}

static void place_in_function(struct reader *reader, struct spv_inst *inst)
{
    struct spv_function *function = reader->function;
    switch (inst->op) {
    case SpvOpFunction:
        open_function(reader, inst);
        break;
    case SpvOpFunctionParameter:
        if (function->first_block)
            fail(reader, "a parameter after a block");
        vec_push(reader->arena, &function->params, inst);
        break;
    case SpvOpLabel:
        open_block(reader, inst);
        break;
    case SpvOpFunctionEnd:
        if (reader->block)
            fail(reader, "a block does not end with a terminator");
        reader->function = NULL;
        break;
    default:
        place_in_block(reader, inst);
        break;
    }
}

static void place(struct reader *reader, struct spv_inst *inst)
{
    enum spv_section section = spv_section_of(inst->op);
    if (reader->function || inst->op == SpvOpFunction)
        place_in_function(reader, inst);
    else if (spv_op_is_line(inst->op) && reader->module->first_function)
        return;
    else if (section == SPV_SECTION_COUNT)
        fail(reader, arena_printf(reader->arena, "%s outside a function", spv_op_name(inst->op)));
    else if (reader->module->first_function && section != SPV_SECTION_GLOBAL)
        fail(reader, arena_printf(reader->arena, "%s after the first function", spv_op_name(inst->op)));
    else
        place_in_section(reader, inst, section);
}

/* ---- annotations ---- */

/* Gives target what a decoration group has; with_member: for one member of target. */
static void apply_group(struct reader *reader, const struct spv_inst *group_decorate, spv_id target, bool with_member,
                        uint32_t member)
{
    struct spv_module *module = reader->module;
    const struct spv_inst *group = spv_def(module, group_decorate->words[0]);
    if (!group || group->op != SpvOpDecorationGroup) {
        fail(reader, "OpGroupDecorate without a group");
        return;
    }
    for (const struct spv_inst *d = spv_decorations(module, group->id); d; d = d->next_decoration) {
        if (d->op != SpvOpDecorate && d->op != SpvOpDecorateId)
            continue;
        if (with_member)
            spv_decorate_member(module, target, member, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
        else
            spv_decorate(module, target, (SpvDecoration)d->words[1], d->num_words - 2, d->words + 2);
    }
}

static void spread_groups(struct reader *reader)
{
    struct spv_list *list = &reader->module->sections[SPV_SECTION_ANNOTATION];
    struct spv_inst *last = list->last;
    bool found = false;
    for (struct spv_inst *inst = list->first; inst && !reader->error; inst = inst == last ? NULL : inst->next) {
        bool members = inst->op == SpvOpGroupMemberDecorate;
        found = found || inst->op == SpvOpDecorationGroup;
        if (!members && inst->op != SpvOpGroupDecorate)
            continue;
        for (uint32_t i = 1; i < inst->num_words; i += 1 + members)
            apply_group(reader, inst, inst->words[i], members, members ? inst->words[i + 1] : 0);
    }
    if (!found || reader->error)
        return;
    spv_foreach_inst_safe (each, list) {
        const struct spv_inst *target = each->num_words ? spv_def(reader->module, each->words[0]) : NULL;
        bool of_group = target && target->op == SpvOpDecorationGroup;
        if (of_group || each->op == SpvOpDecorationGroup)
            spv_list_remove(list, each);
    }
}

/* Decorations that are dropped: hints, any of the type of a number (it would count as another type), and Constant on
 * what is no variable (older modules have it on the parameters of kernels). */
static bool says_nothing(const struct spv_module *module, const struct spv_inst *decoration)
{
    const struct spv_inst *target = spv_def(module, decoration->words[0]);
    uint32_t place = decoration->op == SpvOpMemberDecorate || decoration->op == SpvOpMemberDecorateString ? 2 : 1;
    if (spv_is_hint_decoration(decoration->words[place]))
        return true;
    if (decoration->op == SpvOpDecorate && decoration->words[1] == SpvDecorationFuncParamAttr &&
        decoration->words[2] == SpvFunctionParameterAttributeRuntimeAlignedINTEL)
        return true;
    if (decoration->op == SpvOpDecorate && decoration->words[1] == SpvDecorationConstant)
        return target && target->op != SpvOpVariable;
    uint16_t type = spv_type_op(module, decoration->words[0]);
    return spv_op_class(type) == SPV_CLASS_SCALAR_TYPE || type == SpvOpTypeVector || type == SpvOpTypeVoid ||
           type == SpvOpTypeFunction;
}

static void tie_annotations(struct reader *reader)
{
    struct spv_module *module = reader->module;
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (spv_op_is_decoration(inst->op))
            spv_attach_annotation(module, inst);
    }
    spread_groups(reader);
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (spv_op_is_decoration(inst->op) && says_nothing(module, inst))
            spv_inst_remove(module, inst);
    }
    spv_foreach_inst_safe (name, &module->sections[SPV_SECTION_DEBUG]) {
        bool is_name = spv_op_is_name(name->op);
        const struct spv_inst *named = is_name ? spv_def(module, name->words[0]) : NULL;
        if (is_name && (!named || spv_op_class(named->op) == SPV_CLASS_SCOPE))
            spv_list_remove(&module->sections[SPV_SECTION_DEBUG], name);
        else if (is_name)
            spv_attach_annotation(module, name);
    }
    spv_foreach_inst (global, &module->sections[SPV_SECTION_GLOBAL])
        spv_unique_enter(module, global);
}

/* Repairs of what llvm-spirv 15 and 16 write for optimised code: instructions between OpLoopMerge and the branch,
 * OpLoopMerge many times, with one block in both its roles or before an OpSwitch, OpVariable after other instructions
 * of the entry block or in another one, blocks before those that dominate them, one merge block of many headers. Merges say nothing that lowering needs.
 */
static bool may_merge(uint16_t merge, const struct spv_inst *end)
{
    if (end->op == SpvOpBranchConditional)
        return true;
    return end->op == (merge == SpvOpLoopMerge ? SpvOpBranch : SpvOpSwitch);
}

static void settle_merge(struct spv_module *module, struct spv_function *function, struct spv_block *block)
{
    struct spv_inst *merge = NULL;
    spv_foreach_inst_safe (inst, &block->insts) {
        if (inst->op != SpvOpSelectionMerge && inst->op != SpvOpLoopMerge)
            continue;
        if (merge || (inst->op == SpvOpLoopMerge && inst->words[0] == inst->words[1]) ||
            !may_merge(inst->op, block->insts.last))
            spv_inst_remove(module, inst);
        else
            merge = inst;
    }
    if (!merge || !merge->next->next)
        return;
    struct spv_builder end = {module, function, block, block->insts.last};
    spv_inst_unlink(merge);
    spv_inst_insert(&end, merge);
}

/* llvm-spirv 15 writes the hint of a loop that LLVM has unrolled into each block that stands before one of the loop's
 * headers by now, with the same merge block for all. SPIR-V 1.6, 2.11.2: it may be that of one header. */
static void settle_shared(struct spv_module *module, struct spv_function *function, uint8_t *claimed)
{
    spv_foreach_block (block, function) {
        struct spv_inst *merge = spv_merge_inst(block);
        if (!merge || merge->words[0] >= module->bound)
            continue;
        if (claimed[merge->words[0]])
            spv_inst_remove(module, merge);
        else
            claimed[merge->words[0]] = 1;
    }
}

/* A variable gets its first value where it stood, each time that control comes by. */
static void store_initializer(struct spv_module *module, struct spv_function *function, struct spv_block *block,
                              struct spv_inst *variable)
{
    struct spv_builder here = {module, function, block, variable};
    if (variable->num_words > 1 && block != function->first_block) {
        const uint32_t words[] = {variable->id, variable->words[1]};
        spv_inst_insert(&here, spv_inst_create(module, SpvOpStore, 0, 0, 2, words));
        spv_inst_set_words(module, variable, 1, variable->words);
    }
}

static void settle_variables(struct spv_module *module, struct spv_function *function)
{
    struct spv_builder start = {module, function, function->first_block, function->first_block->insts.first};
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (inst->op != SpvOpVariable)
                continue;
            if (inst == start.before) {
                start.before = inst->next;
                continue;
            }
            store_initializer(module, function, block, inst);
            spv_inst_unlink(inst);
            spv_inst_insert(&start, inst);
        }
    }
}

/* SPIR-V 1.6, 2.4: a block comes before all that it dominates. */
static void settle_order(struct arena *arena, struct spv_module *module, struct spv_function *function)
{
    struct spv_cfg cfg;
    uint32_t position = 0;
    bool ordered = true;
    spv_cfg_compute(arena, module, function, &cfg);
    uint32_t *positions = arena_array(arena, uint32_t, cfg.count + 1u);
    spv_foreach_block (block, function) {
        if (block->index != SPV_UNREACHABLE)
            positions[block->index] = position++;
    }
    for (uint32_t i = 1; i < cfg.count; i++)
        ordered &= positions[cfg.idom[i]] < positions[i];
    if (ordered)
        return;
    struct spv_block *last = cfg.blocks[0];
    for (uint32_t i = 1; i < cfg.count; i++) {
        spv_block_unlink(cfg.blocks[i]);
        spv_block_insert_after(last, cfg.blocks[i]);
        last = cfg.blocks[i];
    }
}

static void settle(struct spv_module *module)
{
    uint8_t *claimed = spv_borrow_table(module, uint8_t);
    spv_foreach_function (function, module) {
        if (!function->first_block)
            continue;
        settle_variables(module, function);
        spv_foreach_block (block, function)
            settle_merge(module, function, block);
        settle_shared(module, function, claimed);
    }
    spv_give_back(module, claimed);
}

static void check_forwards(struct reader *reader)
{
    spv_foreach_inst (inst, &reader->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpTypeForwardPointer && !spv_type_is_pointer(reader->module, inst->words[0]))
            fail(reader, "OpTypeForwardPointer of what is no pointer");
    }
}

/* ---- the whole ---- */

static bool read_header(struct reader *reader)
{
    if (reader->count < 5)
        return fail(reader, "shorter than a header");
    uint32_t magic = reader->words[0];
    reader->swap = magic == __builtin_bswap32(SpvMagicNumber);
    if (!reader->swap && magic != SpvMagicNumber)
        return fail(reader, "not a SPIR-V binary");
    uint32_t version = word_at(reader, 1);
    if (version & 0xff0000ff || version >> 16 != 1 || (version >> 8 & 0xff) > 6)
        return fail(reader, "an unknown version of SPIR-V");
    reader->bound = word_at(reader, 3);
    if (!reader->bound || reader->bound > MAX_BOUND)
        return fail(reader, "the bound of ids is out of range");
    reader->renumber = reader->bound > SPARSE_BOUND && reader->bound > reader->count;
    reader->module = spv_module_create(reader->arena, version);
    reader->module->generator = word_at(reader, 2);
    if (!reader->renumber)
        spv_reserve_ids(reader->module, reader->bound);
    /* renumbered ids are fewer than words */
    reader->num_forward = u64_max(reader->count, reader->bound) + 1;
    reader->forward = arena_array(reader->arena, uint8_t, reader->num_forward);
    return true;
}

static void read_instructions(struct reader *reader)
{
    reader->at = 5;
    while (reader->at < reader->count && !reader->error) {
        uint32_t first = word_at(reader, reader->at), length = first >> 16;
        if (!length || length > reader->count - reader->at) {
            fail(reader, "an instruction runs over the end");
        } else if (!spv_op_known((uint16_t)first)) {
            fail(reader, arena_printf(reader->arena, "unknown instruction %u", first & 0xffff));
        } else {
            struct spv_inst *inst = decode(reader, (uint16_t)first, length);
            if (inst)
                place(reader, inst);
            reader->at += length;
        }
    }
    if (!reader->error && reader->function)
        fail(reader, "the last function does not end");
}

/* Makes types older that spv_check_scope() would refuse, and then, when the module's scope is known to be sound, what
 * depends on it. */
static void make_older(struct reader *reader)
{
    struct spv_module *module = reader->module;
    uint8_t *widths = NULL, *encoded = NULL;
    uint32_t bound = module->bound;
    if (reader->encoded)
        reader->error = spv_take_encoded_types(module, &encoded);
    if (!reader->error && reader->odd)
        reader->error = spv_widen_odd_types(module, &widths);
    if (!reader->error)
        reader->error = spv_check_scope(module);
    if (!reader->error && widths)
        reader->error = spv_check_matrix_numbers(module, widths, bound);
    if (!reader->error && encoded)
        reader->error = spv_check_matrix_numbers(module, encoded, bound);
    if (!reader->error && widths)
        reader->error = spv_widen_odd_integers(module, widths, bound);
    if (!reader->error && encoded)
        reader->error = spv_take_encoded_floats(module, encoded, bound);
    if (!reader->error && reader->longer.length)
        reader->error = spv_split_composites(module, reader->longer.data, reader->longer.length);
    if (!reader->error && reader->calls_pointers)
        reader->error =
            spv_take_function_pointers(module, hash_bytes64(reader->words, reader->count * sizeof(uint32_t), 0));
}

/* What the module says becomes what passes know; check: all of it, else what printing needs. */
static void simplify(struct reader *reader, bool check)
{
    struct spv_module *module = reader->module;
    bool controls = spv_has_float_controls(module);
    if (reader->untyped) {
        reader->error = spv_type_untyped(module);
        reader->unsorted = true;
    }
    if (!reader->error && check)
        spv_drop_hints(module);
    if (!reader->error)
        settle_globals(reader);
    if (!reader->error)
        check_forwards(reader);
    if (!reader->error)
        tie_annotations(reader);
    if (!reader->error && check)
        make_older(reader);
    if (!reader->error)
        spv_take_hinted_decorations(module);
    if (!reader->error && check && controls)
        spv_take_float_controls(module);
    if (!reader->error)
        settle(module);
    if (!reader->error && check)
        reader->error = spv_make_plain(module);
    if (!reader->error && check)
        spv_repair(module);
}

static struct spv_module *read_module(struct arena *arena, const uint32_t *words, size_t count, bool own, bool check,
                                      const char **error)
{
    struct reader reader = {.arena = arena, .words = words, .count = count, .own = own};
    if (!read_header(&reader)) {
        *error = reader.error;
        return NULL;
    }
    read_instructions(&reader);
    /* Behind instructions that may be unknown for the same reason, since this is the better message. */
    const char *refused = check ? spv_find_refused(reader.module) : NULL;
    reader.error = refused ? refused : reader.error;
    if (!reader.error)
        simplify(&reader, check);
    *error = reader.error ? reader.error : check ? spv_check(reader.module) : NULL;
    if (!*error && check)
        *error = spv_check_matrix_places(reader.module);
    if (*error)
        return NULL;
    if (!check)
        return reader.module;
    spv_foreach_function (function, reader.module) {
        if (function->first_block)
            settle_order(arena, reader.module, function);
    }
    return reader.module;
}

struct spv_module *spv_read(struct arena *arena, const uint32_t *words, size_t count, const char **error)
{
    return read_module(arena, words, count, false, true, error);
}

struct spv_module *spv_read_own(struct arena *arena, const uint32_t *words, size_t count, const char **error)
{
    return read_module(arena, words, count, true, true, error);
}

struct spv_module *spv_read_unchecked(struct arena *arena, const uint32_t *words, size_t count, const char **error)
{
    return read_module(arena, words, count, true, false, error);
}
