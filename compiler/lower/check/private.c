/* Private variables that are read before anything is stored there (check.h).
 *
 * Each variable gets a second one of the same shape, with a number for each scalar: whether that was written.
 *
 *     int2 v;                    %v = OpVariable %int2            %v' = OpVariable %uint2      OpStore %v' 0
 *     v.x = 1;                   %old = OpLoad %v                 %old' = OpLoad %v'
 *                                %new = OpCompositeInsert         %new' = OpCompositeInsert 1 %old' 0
 *                                          1 %old 0
 *                                OpStore %v %new                  OpStore %v' %new'
 *     f(v.y)                     %all = OpLoad %v                 %all' = OpLoad %v'
 *                                %y = OpCompositeExtract %all 1   CheckFault (%all'[1] == 0)
 *
 * Vectors and structures are moved with what is known of their parts, and only a use of a part is a read. What goes lane
 * by lane reads the lanes of its result that something uses (lanes.c). Passes behind
 * this one make values of both variables, and fold what is known. Whoever has the variable's address may have written
 * all of it. */
#include "compiler/lower/check/check.h"

#include "base/util.h"

enum { MOST_PARTS = 4096, MOST_AT_ONCE = 64, MOST_LANES = 16 };

/* A pointer into a variable that is followed. */
struct check_followed {
    spv_id variable; /* the program's */
    spv_id pointer;  /* into the second one */
    spv_id type;     /* what that points to */
};

/* ---- the second variable's shape ---- */

/* 0: the type has parts that are no numbers, or too many. */
static spv_id shape_of(struct check_sites *s, spv_id type, uint32_t *parts)
{
    struct spv_module *module = s->module;
    const struct spv_inst *def = spv_def(module, type);
    spv_id members[64], u32 = spv_type_int(module, 32);
    switch (def->op) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypePointer:
        ++*parts;
        return u32;
    case SpvOpTypeVector:
        *parts += def->words[1];
        return spv_type_vector(module, u32, def->words[1]);
    case SpvOpTypeArray: {
        uint32_t of_one = 0;
        uint64_t length = spv_array_length(module, type);
        spv_id element = shape_of(s, def->words[0], &of_one);
        if (!element || !length || length * of_one > MOST_PARTS)
            return 0;
        *parts += (uint32_t)length * of_one;
        return spv_type_array(module, element, (uint32_t)length);
    }
    case SpvOpTypeStruct: {
        if (!def->num_words || def->num_words > ARRAY_LENGTH(members))
            return 0;
        spv_id known = (spv_id)(uintptr_t)u64_map_get(&s->shapes, type);
        for (uint32_t i = 0; i < def->num_words; i++) {
            members[i] = shape_of(s, def->words[i], parts);
            if (!members[i])
                return 0;
        }
        if (!known) /* one for each type, so that what is known of one variable can be copied to another */
            known = spv_type_struct(module, def->num_words, members);
        u64_map_set(s->lower->arena, &s->shapes, type, (void *)(uintptr_t)known);
        return known;
    }
    default:
        return 0;
    }
}

/* A shape's value where all is written. */
static spv_id ones(struct check_sites *s, spv_id shape)
{
    struct spv_module *module = s->module;
    const struct spv_inst *def = spv_def(module, shape);
    if (def->op == SpvOpTypeInt)
        return spv_const_u32(module, 1);
    bool structure = def->op == SpvOpTypeStruct;
    uint32_t count = def->op == SpvOpTypeArray ? (uint32_t)spv_array_length(module, shape)
                     : structure               ? def->num_words
                                               : def->words[1];
    spv_id *members = arena_array(s->lower->arena, spv_id, count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = structure || !i ? ones(s, def->words[structure ? i : 0]) : members[0];
    return spv_const_composite(module, shape, count, members);
}

static uint32_t align_of(struct check_sites *s, spv_id shape)
{
    return spv_layout_of(&s->layouts, shape)->align;
}

static spv_id load(struct check_sites *s, const struct check_followed *from)
{
    return spv_emitv(&s->b, SpvOpLoad, from->type, from->pointer, SpvMemoryAccessAlignedMask, align_of(s, from->type));
}

static void store(struct check_sites *s, const struct check_followed *to, spv_id written)
{
    spv_emitv_void(&s->b, SpvOpStore, to->pointer, written, SpvMemoryAccessAlignedMask, align_of(s, to->type));
}

/* ---- variables ---- */

static struct check_followed *followed(const struct check_sites *s, spv_id pointer)
{
    return u64_map_get(&s->followed, pointer);
}

static void follow(struct check_sites *s, spv_id id, struct check_followed value)
{
    struct check_followed *kept = arena_new(s->lower->arena, struct check_followed);
    *kept = value;
    u64_map_set(s->lower->arena, &s->followed, id, kept);
}

static void follow_variable(struct check_sites *s, struct spv_function *function, const struct spv_inst *variable)
{
    uint32_t parts = 0;
    spv_id shape = shape_of(s, spv_pointer_pointee(s->module, variable->type), &parts);
    struct spv_block *entry = function->first_block;
    if (!shape || parts > MOST_PARTS)
        return;
    s->b = (struct spv_builder){s->module, function, entry, entry->insts.first};
    struct check_followed value = {variable->id, spv_emit_variable(&s->b, shape), shape};
    s->b = (struct spv_builder){s->module, function, entry, entry->insts.first};
    while (s->b.before->op == SpvOpVariable)
        s->b.before = s->b.before->next;
    store(s, &value, spv_const_null(s->module, shape));
    follow(s, variable->id, value);
}

/* LLVM's modules cast a pointer where a structure is copied by its bytes. */
static bool is_cast(const struct spv_inst *inst)
{
    return inst->op == SpvOpBitcast;
}

/* The pointer that is followed, behind a cast of it. */
static spv_id behind_cast(const struct check_sites *s, spv_id pointer)
{
    const struct spv_inst *def = spv_def(s->module, pointer);
    return def && is_cast(def) && followed(s, def->words[0]) ? def->words[0] : pointer;
}

static spv_id pointee_of(const struct check_sites *s, spv_id pointer)
{
    return spv_pointer_pointee(s->module, spv_value_type(s->module, pointer));
}

/* Whether it moves all that both pointers lead to. */
static bool copies_whole(struct check_sites *s, const struct spv_inst *inst)
{
    uint64_t size = 0;
    spv_const_value(s->module, inst->words[2], &size);
    for (uint32_t i = 0; i < 2; i++) {
        spv_id pointer = behind_cast(s, inst->words[i]);
        if (followed(s, pointer) && spv_layout_of(&s->layouts, pointee_of(s, pointer))->size != size)
            return false;
    }
    return true;
}

/* Whether the instruction's operand is a pointer that is followed further, or read or written there. */
static bool keeps_track(struct check_sites *s, const struct spv_inst *inst, const uint32_t *word)
{
    uint32_t index = (uint32_t)(word - inst->words);
    if (behind_cast(s, *word) != *word && inst->op != SpvOpCopyMemorySized && !spv_op_is_lifetime(inst->op))
        return false;
    switch (inst->op) {
    case SpvOpBitcast: /* its uses are looked at */
        return spv_type_is_pointer(s->module, inst->type);
    case SpvOpCopyMemorySized:
        return index <= 1 && copies_whole(s, inst);
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return index == 0;
    case SpvOpCopyMemory:
        return index <= 1;
    default:
        return spv_op_is_lifetime(inst->op);
    }
}

/* A large variable whose address goes elsewhere is not followed at all. */
static void look_at_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check_sites *s = data;
    const struct spv_inst *def = spv_def(s->module, *word);
    for (uint32_t i = 0; def && (spv_op_is_chain(def->op) || is_cast(def)) && i < 64; i++)
        def = spv_def(s->module, def->words[0]);
    if (!def || def->op != SpvOpVariable || !followed(s, def->id) || keeps_track(s, inst, word))
        return;
    uint32_t parts = 0;
    shape_of(s, spv_pointer_pointee(s->module, def->type), &parts);
    if (parts > MOST_AT_ONCE)
        u64_map_set(s->lower->arena, &s->followed, def->id, NULL);
}

/* LLVM's modules have a first index of 0 for the variable itself. */
static void drop_first_index(struct check_sites *s, struct spv_inst *inst)
{
    uint64_t first = 1;
    bool by_element = inst->op == SpvOpPtrAccessChain || inst->op == SpvOpInBoundsPtrAccessChain;
    if (!by_element || inst->num_words < 3 || !spv_const_value(s->module, inst->words[1], &first) || first ||
        spv_pointer_storage(s->module, inst->type) != SpvStorageClassFunction)
        return;
    inst->op = inst->op == SpvOpPtrAccessChain ? SpvOpAccessChain : SpvOpInBoundsAccessChain;
    for (uint32_t i = 1; i + 1 < inst->num_words; i++)
        inst->words[i] = inst->words[i + 1];
    inst->num_words--;
}

void check_begin_private(struct check_sites *s, struct spv_function *function)
{
    const struct spv_inst *variables[256];
    uint32_t count = 0;
    if (!(s->lower->watched & CLC_CHECK_INIT))
        return;
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op == SpvOpVariable && count < ARRAY_LENGTH(variables))
            variables[count++] = inst;
    }
    for (uint32_t i = 0; i < count; i++)
        follow_variable(s, function, variables[i]);
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            drop_first_index(s, inst);
            spv_visit_operand_ids(inst, look_at_use, s);
        }
    }
}

/* ---- reads ---- */

static spv_id known_of(const struct check_sites *s, spv_id value)
{
    return (spv_id)(uintptr_t)u64_map_get(&s->known, value);
}

static void note_known(struct check_sites *s, spv_id value, spv_id known)
{
    u64_map_set(s->lower->arena, &s->known, value, (void *)(uintptr_t)known);
}

/* The number of the program's variable among the objects. */
static uint32_t object_of(struct check_sites *s, spv_id variable)
{
    struct lower *lower = s->lower;
    uint32_t known = (uint32_t)(uintptr_t)u64_map_get(&s->private_objects, variable);
    if (known || lower->check_objects.length >= CLC_WHAT_OBJECT - 1)
        return known;
    spv_id type = spv_pointer_pointee(s->module, spv_def(s->module, variable)->type);
    struct clc_check_object object = {.name = check_name_of(lower, variable),
                                      .kind = CLC_OBJECT_PRIVATE,
                                      .size = spv_layout_of(&s->layouts, type)->size};
    vec_push(lower->arena, &lower->check_objects, object);
    known = lower->check_objects.length;
    u64_map_set(lower->arena, &s->private_objects, variable, (void *)(uintptr_t)known);
    return known;
}

/* Reports where one of these lanes of a vector is not written, or the number. */
static void read_lanes(struct check_sites *s, spv_id known, uint32_t lanes, spv_id variable)
{
    struct spv_module *module = s->module;
    spv_id u32 = spv_type_int(module, 32), truth = spv_type_bool(module), all = 0;
    uint32_t count = spv_type_count(module, spv_value_type(module, known));
    for (uint32_t i = 0; i < count; i++) {
        if (!(lanes >> i & 1))
            continue;
        spv_id one = count > 1 ? spv_emitv(&s->b, SpvOpCompositeExtract, u32, known, i) : known;
        all = all ? spv_emitv(&s->b, SpvOpBitwiseAnd, u32, all, one) : one;
    }
    if (!all)
        return;
    const spv_id args[] = {spv_emitv(&s->b, SpvOpIEqual, truth, all, spv_const_u32(module, 0)),
                           spv_const_u64(module, object_of(s, variable)), check_add_site(s, CLC_SITE_UNWRITTEN)};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(module), 3, args);
}

static spv_id source_of(const struct check_sites *s, spv_id value)
{
    return (spv_id)(uintptr_t)u64_map_get(&s->sources, value);
}

/* What is known of a part goes with it. One that is a number is read, unless it only becomes a lane that nobody uses, as
 * far as is known. */
static void take(struct check_sites *s, const struct spv_inst *inst, spv_id known, spv_id variable)
{
    const struct spv_inst *shape = spv_def(s->module, spv_value_type(s->module, known));
    if (shape->op == SpvOpTypeInt && (inst->id >= s->num_ids || s->used_lanes[inst->id] & CHECK_ALL_LANES)) {
        read_lanes(s, known, 1, variable);
        return;
    }
    note_known(s, inst->id, known);
    u64_map_set(s->lower->arena, &s->sources, inst->id, (void *)(uintptr_t)variable);
}

static spv_id known_or_ones(struct check_sites *s, spv_id value)
{
    spv_id known = known_of(s, value);
    uint32_t parts = 0;
    spv_id shape = known ? 0 : shape_of(s, spv_value_type(s->module, value), &parts);
    return known ? known : shape && parts <= MOST_PARTS ? ones(s, shape) : 0;
}

/* ---- instructions ---- */

/* The second chain, whose indices stay inside: whether those of the first do is looked at elsewhere. */
static void follow_chain(struct check_sites *s, const struct spv_inst *chain, const struct check_followed *from)
{
    struct spv_module *module = s->module;
    spv_id type = from->type, truth = spv_type_bool(module);
    uint32_t *words = arena_array(s->lower->arena, uint32_t, chain->num_words);
    words[0] = from->pointer;
    for (uint32_t i = 1; i < chain->num_words; i++) {
        const struct spv_inst *def = spv_def(module, type);
        uint64_t index = 0, at;
        uint64_t count = def->op == SpvOpTypeArray ? spv_array_length(module, type) : spv_member_count(module, type);
        bool constant = spv_const_value(module, chain->words[i], &index);
        words[i] = chain->words[i];
        if (!constant || index >= count) {
            spv_id of = spv_value_type(module, words[i]), zero = spv_const_bits(module, of, 0);
            if (def->op == SpvOpTypeStruct)
                return;
            spv_id inside = spv_emitv(&s->b, SpvOpULessThan, truth, words[i], spv_const_bits(module, of, count));
            words[i] = spv_emitv(&s->b, SpvOpSelect, of, inside, words[i], zero);
            index = 0;
        }
        type = spv_layout_member(&s->layouts, type, index, &at);
    }
    spv_id pointer = spv_type_pointer(module, SpvStorageClassFunction, type);
    follow(s, chain->id,
           (struct check_followed){from->variable, spv_emit(&s->b, (SpvOp)chain->op, pointer, chain->num_words, words),
                                   type});
}

static void mark_store(struct check_sites *s, const struct spv_inst *inst, const struct check_followed *to)
{
    spv_id known = known_of(s, inst->words[1]);
    store(s, to, known ? known : ones(s, to->type));
}

static void mark_copy(struct check_sites *s, const struct spv_inst *inst)
{
    const struct check_followed *to = followed(s, behind_cast(s, inst->words[0]));
    const struct check_followed *from = followed(s, behind_cast(s, inst->words[1]));
    if (to)
        store(s, to, from && from->type == to->type ? load(s, from) : ones(s, to->type));
}

static void mark_insert(struct check_sites *s, const struct spv_inst *inst)
{
    if (!known_of(s, inst->words[0]) && !known_of(s, inst->words[1]))
        return;
    spv_id part = known_or_ones(s, inst->words[0]), whole = known_or_ones(s, inst->words[1]);
    if (!part || !whole)
        return;
    uint32_t *words = arena_array(s->lower->arena, uint32_t, inst->num_words);
    for (uint32_t i = 0; i < inst->num_words; i++)
        words[i] = i == 0 ? part : i == 1 ? whole : inst->words[i];
    spv_id source = source_of(s, inst->words[1]), other = source_of(s, inst->words[0]);
    take(s, inst, spv_emit(&s->b, SpvOpCompositeInsert, spv_value_type(s->module, whole), inst->num_words, words),
         source ? source : other);
}

static void mark_extract(struct check_sites *s, const struct spv_inst *inst)
{
    spv_id known = known_of(s, inst->words[0]);
    uint32_t parts = 0;
    spv_id shape = known ? shape_of(s, inst->type, &parts) : 0;
    if (!shape)
        return;
    uint32_t *words = arena_array(s->lower->arena, uint32_t, inst->num_words);
    for (uint32_t i = 0; i < inst->num_words; i++)
        words[i] = i ? inst->words[i] : known;
    take(s, inst, spv_emit(&s->b, SpvOpCompositeExtract, shape, inst->num_words, words), source_of(s, inst->words[0]));
}

/* v[n] of a value, and the vector with another v[n]. */
static void mark_by_number(struct check_sites *s, const struct spv_inst *inst)
{
    bool inserts = inst->op == SpvOpVectorInsertDynamic;
    spv_id known = known_of(s, inst->words[0]), type = known ? spv_value_type(s->module, known) : 0;
    if (!known || !spv_type_is_vector(s->module, type))
        return;
    if (inserts) {
        spv_id one = known_or_ones(s, inst->words[1]);
        take(s, inst, spv_emitv(&s->b, inst->op, type, known, one, inst->words[2]), source_of(s, inst->words[0]));
    } else {
        take(s, inst, spv_emitv(&s->b, inst->op, spv_type_int(s->module, 32), known, inst->words[1]),
             source_of(s, inst->words[0]));
    }
}

static void mark_shuffle(struct check_sites *s, const struct spv_inst *inst)
{
    bool first = known_of(s, inst->words[0]), second = known_of(s, inst->words[1]);
    uint32_t words[2 + MOST_LANES];
    if ((!first && !second) || inst->num_words > ARRAY_LENGTH(words))
        return;
    words[0] = known_or_ones(s, inst->words[0]);
    words[1] = known_or_ones(s, inst->words[1]);
    uint32_t count = inst->num_words - 2, no_lane = 0;
    spv_id u32 = spv_type_int(s->module, 32), type = spv_type_vector(s->module, u32, count), lanes[MOST_LANES];
    for (uint32_t i = 0; i < count; i++) {
        bool none = inst->words[2 + i] == UINT32_MAX; /* nobody cares what this lane is: it counts as written */
        words[2 + i] = none ? 0 : inst->words[2 + i];
        lanes[i] = spv_const_u32(s->module, none);
        no_lane |= none;
    }
    spv_id known = spv_emit(&s->b, SpvOpVectorShuffle, type, inst->num_words, words);
    if (no_lane)
        known = spv_emitv(&s->b, SpvOpBitwiseOr, type, known, spv_const_composite(s->module, type, count, lanes));
    take(s, inst, known, source_of(s, inst->words[first ? 0 : 1]));
}

/* A vector of numbers and vectors. Numbers of which nothing is known are written, or were reported. */
static void mark_joined(struct check_sites *s, const struct spv_inst *inst)
{
    struct spv_module *module = s->module;
    spv_id source = 0, words[MOST_LANES];
    if (inst->num_words > MOST_LANES)
        return;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        words[i] = known_or_ones(s, inst->words[i]);
        if (!words[i])
            return;
        source = source ? source : source_of(s, inst->words[i]);
    }
    spv_id type = spv_type_vector(module, spv_type_int(module, 32), spv_type_count(module, inst->type));
    if (source)
        take(s, inst, spv_emit(&s->b, SpvOpCompositeConstruct, type, inst->num_words, words), source);
}

/* Lane by lane: the lanes of the result that something uses are read here. Of the others, and of those that may be used,
 * the result knows what the operands know. */
static void mark_by_lane(struct check_sites *s, const struct spv_inst *inst)
{
    struct spv_module *module = s->module;
    uint32_t count = spv_type_count(module, inst->type), all = (1u << count) - 1;
    uint32_t used = inst->id < s->num_ids ? s->used_lanes[inst->id] & all : all;
    spv_id source = 0, result = 0, one = spv_const_u32(module, 1), zero = spv_const_u32(module, 0), lanes[MOST_LANES];
    spv_id type = spv_type_vector(module, spv_type_int(module, 32), count);
    for (uint32_t i = inst->op == SpvOpExtInst ? 2 : 0; i < inst->num_words; i++) {
        spv_id known = known_of(s, inst->words[i]);
        if (!known || spv_value_type(module, known) != type)
            continue;
        read_lanes(s, known, used, source_of(s, inst->words[i]));
        source = source ? source : source_of(s, inst->words[i]);
        result = result ? spv_emitv(&s->b, SpvOpBitwiseAnd, type, result, known) : known;
    }
    if (!result || used == all)
        return;
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = used >> i & 1 ? one : zero;
    if (used)
        result = spv_emitv(&s->b, SpvOpBitwiseOr, type, result, spv_const_composite(module, type, count, lanes));
    take(s, inst, result, source);
}

/* Any other use of a vector reads all of it; a structure is only moved on. */
static void look_at_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check_sites *s = data;
    spv_id known = known_of(s, *word);
    (void)inst;
    if (known && spv_type_is_vector(s->module, spv_value_type(s->module, known)))
        read_lanes(s, known, UINT32_MAX, source_of(s, *word));
}

/* The address goes elsewhere: the variable counts as written from there on. */
static void look_at_address(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check_sites *s = data;
    const struct check_followed *at = followed(s, behind_cast(s, *word));
    if (!at || keeps_track(s, inst, word))
        return;
    const struct check_followed *whole = followed(s, at->variable);
    if (whole)
        store(s, whole, ones(s, whole->type));
}

static void mark_access(struct check_sites *s, struct spv_inst *inst)
{
    const struct check_followed *at = inst->num_words ? followed(s, inst->words[0]) : NULL;
    spv_visit_operand_ids(inst, look_at_address, s);
    switch (inst->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        if (at)
            follow_chain(s, inst, at);
        break;
    case SpvOpLoad:
        if (at)
            take(s, inst, load(s, at), at->variable);
        break;
    case SpvOpStore:
        if (at)
            mark_store(s, inst, at);
        else
            spv_visit_operand_ids(inst, look_at_operand, s);
        break;
    case SpvOpCopyMemory:
        mark_copy(s, inst);
        break;
    case SpvOpCopyMemorySized:
        if (copies_whole(s, inst))
            mark_copy(s, inst);
        break;
    case SpvOpCompositeInsert:
        mark_insert(s, inst);
        break;
    case SpvOpCompositeExtract:
        mark_extract(s, inst);
        break;
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        mark_by_number(s, inst);
        break;
    case SpvOpVectorShuffle:
        mark_shuffle(s, inst);
        break;
    case SpvOpCompositeConstruct:
        if (spv_type_is_vector(s->module, inst->type))
            mark_joined(s, inst);
        else
            spv_visit_operand_ids(inst, look_at_operand, s);
        break;
    case SpvOpPhi:
        break;
    default:
        if (check_goes_by_lane(s->module, inst))
            mark_by_lane(s, inst);
        else
            spv_visit_operand_ids(inst, look_at_operand, s);
        break;
    }
}

void check_mark_private(struct check_sites *s, struct spv_inst *inst)
{
    if (!(s->lower->watched & CLC_CHECK_INIT) || inst->op == SpvOpVariable || spv_op_is_lifetime(inst->op))
        return;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (spv_op_is_terminator(inst->op) && spv_merge_inst(inst->block))
        s->b.before = spv_merge_inst(inst->block);
    while (s->b.before->op == SpvOpPhi)
        s->b.before = s->b.before->next;
    mark_access(s, inst);
}
