/* Pointer parameters to private memory become values. Where a function only loads and stores what such a parameter
 * points to, at known places, it takes the values at these places instead, and returns those that it may have changed:
 *
 *     OpFunctionCall %void %f %p     =>     %a = OpLoad %p.0    %b = OpLoad %p.1
 *                                           %r = OpFunctionCall %struct %f %a %b
 *                                           OpStore %p.1 (OpCompositeExtract %r 0)
 *
 * Inside the function a variable stands for the object. In the caller the object's address is no longer taken. So SROA
 * and opt_mem2reg() can take both to registers: for instance a hash's state, or the structs of calls.c.
 *
 * 1. Every pointer is followed from the variable or parameter where it starts (struct object) to the leaves that it may
 * point to (struct place). Any use but loads, stores and calls makes the object escape. 2. A parameter stays a pointer
 * when the argument of some call is not known to be as large as what is accessed, when the argument's variable escapes
 * (the function might reach it by another way), or when two arguments overlap and one of them is written. 3. Bodies are
 * rewritten, then calls. */
#include "compiler/lower/calls/calls.h"
#include "compiler/lower/calls/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/layout.h"

#include "base/util.h"

#include <string.h>

enum { MAX_LEAVES = 64, MAX_VALUES = 96, MAX_DEPTH = 16 };

struct leaf {
    spv_id type;
    uint64_t offset;
    uint32_t depth, path[MAX_DEPTH];
};

struct object { /* a private variable, or what a parameter points to */
    struct spv_inst *def;
    spv_id type;
    uint32_t leaves;        /* of the type */
    bool is_param, escapes; /* of a parameter: it stays a pointer */
    uint64_t read, written; /* parameters: leaves, counted on over what follows in memory as from an array */
};

struct place { /* of a pointer */
    struct object *object;
    spv_id type;
    uint32_t first, count; /* leaves of the object among which it points: those of the type when it is exact */
    uint32_t room;         /* objects of the type from here on */
};

struct argument {
    struct spv_inst *call;
    struct object *param;
    struct place place; /* object NULL: not known */
};

struct changed { /* how a function looks after the pass */
    struct spv_function *function;
    spv_id old_result, result; /* types */
    uint32_t num_params;
    struct object **objects; /* by old parameter; NULL: stays */
    VEC(spv_id) values;      /* parts of the result; the old one first, unless it was void */
};

struct arguments {
    struct lower *lower;
    struct arena *arena;
    struct spv_module *module;
    struct spv_layouts layouts;
    struct opt_call_order order;
    struct place **places; /* by id */
    uint32_t num_ids;
    VEC(struct argument) arguments; /* callees of callers first, one call's next to each other */
    struct u64_map changed;         /* function id -> struct changed */
};

/* ---- following pointers ---- */

static bool is_private_pointer(const struct spv_module *module, spv_id type)
{
    return type && spv_type_is_pointer(module, type) && spv_pointer_storage(module, type) == SpvStorageClassFunction;
}

static struct place *place_of(struct arguments *a, spv_id id)
{
    return id < a->num_ids ? a->places[id] : NULL;
}

static void add_object(struct arguments *a, struct spv_inst *def, bool is_param)
{
    struct object *object = arena_new(a->arena, struct object);
    struct place *place = arena_new(a->arena, struct place);
    object->def = def;
    object->type = spv_pointer_pointee(a->module, def->type);
    object->is_param = is_param;
    object->leaves = spv_layout_of(&a->layouts, object->type)->leaves;
    object->escapes = is_param && !object->leaves;
    *place = (struct place){object, object->type, 0, object->leaves, is_param ? UINT32_MAX : 1};
    a->places[def->id] = place;
}

static bool small_constant(const struct spv_module *module, spv_id id, uint32_t *value)
{
    uint64_t bits;
    if (!spv_const_value(module, id, &bits) || bits > 1 << 20)
        return false;
    *value = (uint32_t)bits;
    return true;
}

/* Notes that the pointer may point anywhere into its object. False where that is a parameter, whose size is not known.
 */
static bool blur(struct place *place)
{
    place->first = 0;
    place->count = place->object->leaves;
    place->room = 1;
    return !place->object->is_param;
}

static bool step_elements(struct arguments *a, struct place *place, spv_id index)
{
    uint32_t element, leaves = spv_layout_of(&a->layouts, place->type)->leaves;
    if (!small_constant(a->module, index, &element))
        return blur(place);
    if (!element)
        return true;
    if (place->count != leaves || element >= place->room || element > MAX_LEAVES)
        return blur(place);
    place->first += element * leaves;
    place->room -= place->room == UINT32_MAX ? 0 : element;
    return true;
}

/* Steps into a member. With an index that is not constant, the pointer may point anywhere into the array. */
static bool step_into(struct arguments *a, struct place *place, spv_id index)
{
    uint16_t op = spv_type_op(a->module, place->type);
    uint64_t count = spv_member_count(a->module, place->type), offset;
    uint32_t member = 0, whole = spv_layout_of(&a->layouts, place->type)->leaves;
    bool known = small_constant(a->module, index, &member), exact = place->count == whole;
    if (!count || (known && member >= count) || (op == SpvOpTypeStruct && !known))
        return false;
    spv_id type = spv_layout_member(&a->layouts, place->type, known ? member : 0, &offset);
    uint32_t leaves = spv_layout_of(&a->layouts, type)->leaves;
    if (op == SpvOpTypeVector) {
        place->room = 1;
    } else if (op == SpvOpTypeArray) {
        if (exact && known) {
            place->first += member * leaves;
            place->count = leaves;
        }
        place->room = exact && known ? (uint32_t)count - member : 1;
    } else {
        for (uint32_t i = 0; exact && i < member; i++)
            place->first += spv_layout_of(&a->layouts, spv_layout_member(&a->layouts, place->type, i, &offset))->leaves;
        place->count = exact ? leaves : place->count;
        place->room = 1;
    }
    place->type = type;
    return true;
}

static bool follow_chain(struct arguments *a, const struct spv_inst *chain, struct place *place)
{
    uint32_t i = 1;
    if (spv_op_is_by_element(chain->op)) {
        if (!step_elements(a, place, chain->words[i++]))
            return false;
    }
    for (; i < chain->num_words; i++) {
        if (!step_into(a, place, chain->words[i]))
            return false;
    }
    return true;
}

/* ---- uses ---- */

static uint64_t leaf_mask(uint32_t first, uint32_t count)
{
    uint64_t ones = count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    return ones << first;
}

static void note_access(const struct place *place, spv_id type, bool read, bool write)
{
    struct object *object = place->object;
    if (!object->is_param)
        return;
    if (place->first + (uint64_t)place->count > MAX_LEAVES || place->type != type) {
        object->escapes = true;
        return;
    }
    uint64_t mask = leaf_mask(place->first, place->count);
    object->read |= read ? mask : 0;
    object->written |= write ? mask : 0;
}

static bool is_volatile(const struct spv_inst *inst, uint32_t word)
{
    return inst->num_words > word && inst->words[word] & SpvMemoryAccessVolatileMask;
}

static void define_place(struct arguments *a, const struct spv_inst *inst, const struct place *from)
{
    struct place *place = arena_new(a->arena, struct place);
    *place = *from;
    if (inst->op == SpvOpBitcast || inst->op == SpvOpCopyObject) {
        if (inst->type != spv_value_type(a->module, inst->words[0])) {
            from->object->escapes = true;
            return;
        }
    } else if (!follow_chain(a, inst, place)) {
        from->object->escapes = true;
        return;
    }
    a->places[inst->id] = place;
}

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct arguments *a = data;
    struct place *place = place_of(a, *word);
    bool address = word == inst->words;
    if (!place)
        return;
    switch (inst->op) {
    case SpvOpLoad:
        note_access(place, inst->type, true, false);
        if (!is_volatile(inst, 1))
            return;
        break;
    case SpvOpStore:
        note_access(place, spv_value_type(a->module, inst->words[1]), false, true);
        if (address && !is_volatile(inst, 2))
            return;
        break;
    case SpvOpCopyMemory:
        note_access(place, spv_pointer_pointee(a->module, spv_value_type(a->module, *word)), !address, address);
        if (!is_volatile(inst, 2))
            return;
        break;
    case SpvOpFunctionCall: /* the arguments know */
        return;
    default:
        if (!spv_op_leads_on(inst->op))
            break;
        define_place(a, inst, place);
        return;
    }
    place->object->escapes = true;
}

/* What the callee does through its parameter counts as done to the place that the caller passes. */
static void inherit(struct arguments *a, const struct argument *argument)
{
    const struct place *place = &argument->place;
    struct object *object = place->object;
    uint64_t read = argument->param->read, written = argument->param->written, used = read | written;
    if (!object || !object->is_param)
        return;
    uint32_t top = used ? 64 - (uint32_t)__builtin_clzll(used) : 0;
    bool exact = place->count == spv_layout_of(&a->layouts, place->type)->leaves;
    if (place->type != argument->param->type || place->first + (uint64_t)(exact ? top : place->count) > MAX_LEAVES) {
        object->escapes = true;
    } else if (exact) {
        object->read |= read << place->first;
        object->written |= written << place->first;
    } else {
        object->read |= read ? leaf_mask(place->first, place->count) : 0;
        object->written |= written ? leaf_mask(place->first, place->count) : 0;
    }
}

static void note_arguments(struct arguments *a, struct spv_inst *call)
{
    const struct spv_function *callee = spv_function_of(a->module, call->words[0]);
    for (uint32_t i = 0; callee && i < callee->params.length; i++) {
        const struct place *param = place_of(a, callee->params.data[i]->id);
        const struct place *place = place_of(a, call->words[i + 1]);
        if (!param) {
            if (place)
                place->object->escapes = true;
            continue;
        }
        struct argument argument = {.call = call, .param = param->object};
        if (place)
            argument.place = *place;
        inherit(a, &argument);
        vec_push(a->arena, &a->arguments, argument);
    }
}

/* Looks at the operands of phis after everything else, since a phi may use a pointer that is defined further down. */
static void note_phis(struct arguments *a, const struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        for (uint32_t i = 0; inst->op == SpvOpPhi && i < inst->num_words; i += 2) {
            if (place_of(a, inst->words[i]))
                place_of(a, inst->words[i])->object->escapes = true;
        }
    }
}

static void follow_function(struct arguments *a, struct spv_function *function)
{
    for (uint32_t i = 0; function != a->lower->kernel && i < function->params.length; i++) {
        if (is_private_pointer(a->module, function->params.data[i]->type))
            add_object(a, function->params.data[i], true);
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpVariable)
                add_object(a, inst, false);
            spv_visit_operand_ids(inst, note_use, a);
            if (inst->op == SpvOpFunctionCall)
                note_arguments(a, inst);
        }
    }
    spv_foreach_block (each, function)
        note_phis(a, each);
}

/* ---- which parameters change ---- */

static bool lose(struct object *object)
{
    bool changed = !object->escapes;
    object->escapes = true;
    return changed;
}

static uint32_t accessed_leaves(const struct object *param)
{
    uint64_t used = param->read | param->written;
    return used ? 64 - (uint32_t)__builtin_clzll(used) : 0;
}

/* Whether the argument is known to be as large as what the function may access. */
static bool has_room(struct arguments *a, const struct argument *argument)
{
    const struct place *place = &argument->place;
    if (!place->object || place->object->escapes || place->type != argument->param->type)
        return false;
    return accessed_leaves(argument->param) <= (uint64_t)place->room * spv_layout_of(&a->layouts, place->type)->leaves;
}

static bool overlap(struct arguments *a, const struct argument *one, const struct argument *two)
{
    uint64_t end[2];
    const struct argument *both[2] = {one, two};
    if (one->place.object != two->place.object || !(one->param->written || two->param->written))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct place *place = &both[i]->place;
        bool exact = place->count == spv_layout_of(&a->layouts, place->type)->leaves;
        end[i] = place->first + (uint64_t)(exact ? accessed_leaves(both[i]->param) : place->count);
    }
    return one->place.first < end[1] && two->place.first < end[0];
}

static bool check_argument(struct arguments *a, uint32_t index)
{
    struct argument *argument = &a->arguments.data[index];
    bool changed = false;
    if (!argument->param->escapes && !has_room(a, argument))
        changed |= lose(argument->param);
    if (argument->param->escapes && argument->place.object)
        changed |= lose(argument->place.object);
    for (uint32_t i = index + 1; i < a->arguments.length && a->arguments.data[i].call == argument->call; i++) {
        struct argument *other = &a->arguments.data[i];
        if (!argument->param->escapes && !other->param->escapes && overlap(a, argument, other)) {
            changed |= lose(argument->param);
            changed |= lose(other->param);
        }
    }
    return changed;
}

static bool collect_leaves(struct arguments *a, spv_id type, struct leaf *at, struct leaf *leaves, uint32_t *count)
{
    if (!spv_type_is_aggregate(a->module, type)) {
        at->type = type;
        leaves[(*count)++] = *at;
        return true;
    }
    uint64_t members = spv_member_count(a->module, type);
    struct leaf below = *at;
    if (at->depth == MAX_DEPTH)
        return false;
    for (uint32_t i = 0; i < members; i++) {
        uint64_t offset;
        spv_id member = spv_layout_member(&a->layouts, type, i, &offset);
        if (!spv_layout_of(&a->layouts, member)->leaves)
            continue;
        below.depth = at->depth + 1;
        below.path[at->depth] = i;
        below.offset = at->offset + offset;
        if (!collect_leaves(a, member, &below, leaves, count))
            return false;
    }
    return true;
}

/* Finds the leaves of the parameter's type. Returns their number, or 0 where they cannot be values. */
static uint32_t leaves_of(struct arguments *a, const struct object *param, struct leaf leaves[MAX_LEAVES])
{
    uint32_t count = 0;
    struct leaf top = {0};
    if (param->leaves > MAX_LEAVES || !collect_leaves(a, param->type, &top, leaves, &count))
        return 0;
    return count;
}

/* The number of values that a leaf is passed as: vectors of 8 and 16 are passed as vectors of four. */
static uint32_t num_parts(const struct spv_module *module, spv_id type)
{
    uint32_t count = spv_type_is_vector(module, type) ? spv_type_count(module, type) : 1;
    return count > 4 ? count / 4 : 1;
}

static uint32_t count_values(struct arguments *a, const struct object *param, const struct leaf *leaves,
                             uint32_t num_leaves, bool *pointers)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < accessed_leaves(param); i++) {
        spv_id type = leaves[i % num_leaves].type;
        if (!((param->read | param->written) >> i & 1))
            continue;
        values += num_parts(a->module, type);
        *pointers |= param->written >> i & 1 && spv_type_is_pointer(a->module, type);
    }
    return values;
}

/* Checks what can be checked without looking at the function's calls. */
static bool check_function(struct arguments *a, const struct spv_function *function)
{
    uint32_t values = 0, others = function->params.length;
    bool changed = false, returns_pointer = spv_type_is_pointer(a->module, function->def->type);
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct place *place = place_of(a, function->params.data[i]->id);
        struct leaf leaves[MAX_LEAVES];
        if (!place || place->object->escapes)
            continue;
        struct object *param = place->object;
        uint32_t count = leaves_of(a, param, leaves);
        bool pointers = false;
        uint32_t more = count ? count_values(a, param, leaves, count, &pointers) : 0;
        if (!count || pointers || (returns_pointer && param->written) || values + more > MAX_VALUES || others > 128)
            changed |= lose(param);
        else
            values += more;
    }
    return changed;
}

static void decide(struct arguments *a)
{
    for (uint32_t i = 0; i < a->order.functions.length; i++)
        check_function(a, a->order.functions.data[i]);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < a->arguments.length; i++)
            again |= check_argument(a, i);
    }
}

/* ---- values of leaves ---- */

static bool is_passed(const struct object *param, uint32_t leaf)
{
    return (param->read | param->written) >> leaf & 1;
}

static bool is_returned(const struct object *param, uint32_t leaf)
{
    return param->written >> leaf & 1;
}

static spv_id part_type(struct spv_module *module, spv_id type)
{
    return num_parts(module, type) > 1 ? spv_type_vector(module, spv_type_component(module, type), 4) : type;
}

/* A pointer to a leaf of the object that pointer points to. Leaves are counted on into the objects that follow it, as
 * in an array. */
static spv_id leaf_pointer(struct arguments *a, struct spv_builder *b, spv_id pointer, const struct leaf *leaf,
                           uint32_t element)
{
    uint32_t words[MAX_DEPTH + 2] = {pointer}, count = 1;
    if (element)
        words[count++] = spv_const_u32(a->module, element);
    for (uint32_t i = 0; i < leaf->depth; i++)
        words[count++] = spv_const_u32(a->module, leaf->path[i]);
    if (count == 1)
        return pointer;
    return spv_emit(b, element ? SpvOpInBoundsPtrAccessChain : SpvOpInBoundsAccessChain,
                    spv_type_pointer(a->module, SpvStorageClassFunction, leaf->type), count, words);
}

static uint32_t leaf_align(struct arguments *a, const struct object *param, const struct leaf *leaf)
{
    uint64_t both = spv_layout_of(&a->layouts, param->type)->align | leaf->offset;
    uint64_t align = both & -both;
    return (uint32_t)u64_min(align, spv_layout_of(&a->layouts, leaf->type)->align);
}

struct access { /* to a leaf of an object behind a pointer */
    const struct object *param;
    const struct leaf *leaf;
    spv_id pointer;
    uint32_t element;
};

/* Loads a leaf as parts. Returns their number. */
static uint32_t load_parts(struct arguments *a, struct spv_builder *b, const struct access *access, spv_id parts[4])
{
    spv_id type = access->leaf->type, part = part_type(a->module, type);
    spv_id value = spv_emitv(b, SpvOpLoad, type, leaf_pointer(a, b, access->pointer, access->leaf, access->element),
                             SpvMemoryAccessAlignedMask, leaf_align(a, access->param, access->leaf));
    uint32_t count = num_parts(a->module, type);
    parts[0] = value;
    for (uint32_t i = 0; count > 1 && i < count; i++)
        parts[i] = spv_emitv(b, SpvOpVectorShuffle, part, value, value, i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 3);
    return count;
}

static uint32_t store_parts(struct arguments *a, struct spv_builder *b, const struct access *access,
                            const spv_id *parts)
{
    uint32_t count = num_parts(a->module, access->leaf->type);
    spv_id value = count == 1 ? parts[0] : spv_emit(b, SpvOpCompositeConstruct, access->leaf->type, count, parts);
    spv_emitv_void(b, SpvOpStore, leaf_pointer(a, b, access->pointer, access->leaf, access->element), value,
                   SpvMemoryAccessAlignedMask, leaf_align(a, access->param, access->leaf));
    return count;
}

/* ---- bodies ---- */

static struct changed *plan(struct arguments *a, struct spv_function *function)
{
    struct changed *changed = arena_new(a->arena, struct changed);
    bool any = false;
    changed->function = function;
    changed->num_params = function->params.length;
    changed->old_result = changed->result = function->def->type;
    changed->objects = arena_array(a->arena, struct object *, function->params.length + 1u);
    if (spv_type_op(a->module, function->def->type) != SpvOpTypeVoid)
        vec_push(a->arena, &changed->values, function->def->type);
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct leaf leaves[MAX_LEAVES];
        struct place *place = place_of(a, function->params.data[i]->id);
        if (!place || place->object->escapes)
            continue;
        any = true;
        changed->objects[i] = place->object;
        uint32_t count = leaves_of(a, place->object, leaves);
        for (uint32_t k = 0; k < accessed_leaves(place->object); k++) {
            spv_id type = leaves[k % count].type;
            for (uint32_t p = 0; is_returned(place->object, k) && p < num_parts(a->module, type); p++)
                vec_push(a->arena, &changed->values, part_type(a->module, type));
        }
    }
    if (changed->values.length == 1)
        changed->result = changed->values.data[0];
    else if (changed->values.length > 1)
        changed->result = spv_type_struct(a->module, changed->values.length, changed->values.data);
    return any ? changed : NULL;
}

/* Makes a variable for the object and stores the new parameters to it. */
static spv_id receive(struct arguments *a, struct spv_builder *b, const struct object *param, void *new_params)
{
    struct leaf leaves[MAX_LEAVES];
    VEC(struct spv_inst *) *params = new_params;
    uint32_t count = leaves_of(a, param, leaves), accessed = accessed_leaves(param);
    uint32_t elements = (accessed + count - 1) / count;
    spv_id type = elements > 1 ? spv_type_array(a->module, param->type, elements) : param->type;
    spv_id object = spv_emit_variable(b, type);
    if (elements > 1)
        object =
            spv_emitv(b, SpvOpInBoundsAccessChain, spv_type_pointer(a->module, SpvStorageClassFunction, param->type),
                      object, spv_const_u32(a->module, 0));
    for (uint32_t i = 0; i < accessed; i++) {
        const struct leaf *leaf = &leaves[i % count];
        struct access access = {param, leaf, object, i / count};
        spv_id parts[4];
        for (uint32_t p = 0; is_passed(param, i) && p < num_parts(a->module, leaf->type); p++) {
            parts[p] = spv_new_id(a->module);
            vec_push(a->module->arena, params,
                     spv_inst_create(a->module, SpvOpFunctionParameter, part_type(a->module, leaf->type), parts[p], 0,
                                     NULL));
        }
        if (is_passed(param, i))
            store_parts(a, b, &access, parts);
    }
    return object;
}

static void give_back(struct arguments *a, const struct changed *changed, const spv_id *objects, struct spv_inst *end)
{
    struct spv_builder b = {a->module, changed->function, end->block, end};
    spv_id *values = arena_array(a->arena, spv_id, changed->values.length + 4u);
    uint32_t count = 0;
    if (end->op == SpvOpReturnValue)
        values[count++] = end->words[0];
    for (uint32_t i = 0; i < changed->num_params; i++) {
        struct leaf leaves[MAX_LEAVES];
        const struct object *param = changed->objects[i];
        uint32_t num_leaves = param ? leaves_of(a, param, leaves) : 0;
        for (uint32_t k = 0; param && k < accessed_leaves(param); k++) {
            struct access access = {param, &leaves[k % num_leaves], objects[i], k / num_leaves};
            if (is_returned(param, k))
                count += load_parts(a, &b, &access, values + count);
        }
    }
    if (!count)
        return;
    spv_id value = count == 1 ? values[0] : spv_emit(&b, SpvOpCompositeConstruct, changed->result, count, values);
    spv_emitv_void(&b, SpvOpReturnValue, value);
    spv_inst_remove(a->module, end);
}

static void change_body(struct arguments *a, struct changed *changed)
{
    struct spv_function *function = changed->function;
    struct spv_module *module = a->module;
    struct spv_builder b = {module, function, function->first_block, function->first_block->insts.first};
    struct spv_replacements replacements = {0};
    VEC(struct spv_inst *) params = {0};
    spv_id *objects = arena_array(a->arena, spv_id, changed->num_params + 1u);
    while (b.before->op == SpvOpVariable)
        b.before = b.before->next;
    for (uint32_t i = 0; i < changed->num_params; i++) {
        struct spv_inst *param = function->params.data[i];
        if (!changed->objects[i]) {
            vec_push(module->arena, &params, param);
            continue;
        }
        objects[i] = receive(a, &b, changed->objects[i], &params);
        spv_replace(module, &replacements, param->id, objects[i]);
    }
    spv_apply_replacements(module, &replacements, function);
    spv_finish_replacements(module, &replacements);
    for (uint32_t i = 0; i < changed->num_params; i++) {
        spv_id id = function->params.data[i]->id;
        if (!changed->objects[i])
            continue;
        spv_remove_annotations(module, id);
        module->defs[id] = NULL;
    }
    memcpy(&function->params, &params, sizeof(params));
    spv_foreach_block (block, function) {
        struct spv_inst *end = spv_terminator(block);
        if (end->op == SpvOpReturn || end->op == SpvOpReturnValue)
            give_back(a, changed, objects, end);
    }
    function->def->type = changed->result;
    lower_update_function_type(module, function);
}

/* ---- calls ---- */

static void take_results(struct arguments *a, const struct changed *changed, const struct spv_inst *call,
                         struct spv_builder *b, spv_id result)
{
    uint32_t next = 0, count = changed->values.length;
    spv_id *values = arena_array(a->arena, spv_id, count + 1u);
    bool had_result = spv_type_op(a->module, changed->old_result) != SpvOpTypeVoid;
    if (had_result)
        a->module->defs[call->id] = NULL; /* an extraction takes its place */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t words[] = {result, i};
        if (count == 1)
            values[i] = result;
        else if (i || !had_result)
            values[i] = spv_emit(b, SpvOpCompositeExtract, changed->values.data[i], 2, words);
        else
            spv_inst_insert(b, spv_inst_create(a->module, SpvOpCompositeExtract, call->type, call->id, 2, words));
    }
    next = had_result;
    for (uint32_t i = 0; i < changed->num_params; i++) {
        struct leaf leaves[MAX_LEAVES];
        const struct object *param = changed->objects[i];
        uint32_t num_leaves = param ? leaves_of(a, param, leaves) : 0;
        for (uint32_t k = 0; param && k < accessed_leaves(param); k++) {
            struct access access = {param, &leaves[k % num_leaves], call->words[i + 1], k / num_leaves};
            if (is_returned(param, k))
                next += store_parts(a, b, &access, values + next);
        }
    }
}

static void change_call(struct arguments *a, const struct changed *changed, struct spv_inst *call)
{
    struct spv_module *module = a->module;
    struct spv_builder b = {module, call->block->function, call->block, call};
    VEC(uint32_t) words = {0};
    vec_push(a->arena, &words, call->words[0]);
    for (uint32_t i = 0; i < changed->num_params; i++) {
        struct leaf leaves[MAX_LEAVES];
        const struct object *param = changed->objects[i];
        if (!param) {
            vec_push(a->arena, &words, call->words[i + 1]);
            continue;
        }
        uint32_t num_leaves = leaves_of(a, param, leaves);
        for (uint32_t k = 0; k < accessed_leaves(param); k++) {
            struct access access = {param, &leaves[k % num_leaves], call->words[i + 1], k / num_leaves};
            spv_id parts[4];
            uint32_t count = is_passed(param, k) ? load_parts(a, &b, &access, parts) : 0;
            for (uint32_t p = 0; p < count; p++)
                vec_push(a->arena, &words, parts[p]);
        }
    }
    if (changed->result == changed->old_result && changed->values.length <= 1 &&
        (changed->values.length == 0) == (spv_type_op(module, changed->old_result) == SpvOpTypeVoid)) {
        spv_inst_set_words(module, call, words.length, words.data);
        return;
    }
    spv_id result = spv_emit(&b, SpvOpFunctionCall, changed->result, words.length, words.data);
    b.before = call->next;
    spv_inst_remove(module, call); /* its id is the first result's now */
    take_results(a, changed, call, &b, result);
}

/* ---- the pass ---- */

static void rewrite(struct arguments *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->order.functions.length; i++) {
        struct spv_function *function = a->order.functions.data[i];
        struct changed *changed = plan(a, function);
        if (!changed)
            continue;
        u64_map_set(a->arena, &a->changed, function->def->id, changed);
        change_body(a, changed);
        any = true;
    }
    for (uint32_t i = 0; any && i < a->order.functions.length; i++) {
        spv_foreach_block (block, a->order.functions.data[i]) {
            spv_foreach_inst_safe (inst, &block->insts) {
                struct changed *changed =
                    inst->op == SpvOpFunctionCall ? u64_map_get(&a->changed, inst->words[0]) : NULL;
                if (changed)
                    change_call(a, changed, inst);
            }
        }
    }
}

static bool takes_private(const struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        for (uint32_t i = 0; function != lower->kernel && i < function->params.length; i++) {
            if (is_private_pointer(lower->module, function->params.data[i]->type))
                return true;
        }
    }
    return false;
}

bool lower_arguments(struct lower *lower)
{
    struct arguments a = {.lower = lower, .arena = lower->module->arena, .module = lower->module};
    const char *error = NULL;
    lower->idle = lower_keeps_code(lower) || (!lower->thorough && !takes_private(lower));
    if (lower->idle)
        return true;
    if (!opt_order_calls(lower->module, lower->kernel, &a.order, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error);
    a.layouts = (struct spv_layouts){.arena = a.arena, .module = lower->module};
    a.num_ids = lower->module->bound;
    a.places = spv_borrow_table(lower->module, struct place *);
    for (uint32_t i = 0; i < a.order.functions.length; i++)
        follow_function(&a, a.order.functions.data[i]);
    decide(&a);
    rewrite(&a);
    spv_give_back(lower->module, a.places);
    return true;
}
