/* Repairs of module scope, for the reader: what translators from LLVM write for the initialisers of program-scope
 * objects, although SPIR-V 1.6 does not allow it.
 *
 * - Constants that are used before they are defined (2.4: operands are declared before they are used). llvm-spirv 15
 *   writes them for integers that hold addresses. The section is sorted: each instruction comes behind what it uses,
 * and otherwise where it was.
 * - Variables as constituents of OpConstantComposite (which takes constants): structs and arrays of pointers have them.
 *   Each becomes a constant expression that is the variable's address.
 * - Pointers in composites and of variables that point to another type than the member's (LLVM's pointers have none). Each becomes a
 *   constant cast. A null of another type becomes one of the member's.
 * - Null integers as indices of members, which are to be OpConstant. They become 0.
 * - Addresses at some byte of an object that count its parts: LLVM 22's back end writes
 *   OpSpecConstantOp %ptr_uchar InBoundsPtrAccessChain %object %0 %4 for the fourth byte, whatever the object is. The
 *   result's type shows what is meant. Where nothing needs a pointer to bytes, it leaves out the %0 as well, and gives
 *   the result the object's type.
 * - Initialisers that are computed in a function: LLVM 22's back end writes what takes the address of a variable as a
 *   number where it writes its first function. They become constant expressions.
 * - Entry points that do not list what is reached only by the initialisers of the variables that they do list (2.4 and
 *   OpEntryPoint, from SPIR-V 1.4 on). */
#include "check.h"

#include "base/util.h"

#include <string.h>

/* ---- addresses in composites ---- */

/* The pointer as a constant of the type, at the section's end; the section is sorted afterwards. */
static spv_id address_of(struct spv_module *module, spv_id pointer, spv_id type)
{
    if (spv_def(module, pointer)->op == SpvOpConstantNull)
        return spv_const_null(module, type);
    const uint32_t words[] = {SpvOpBitcast, pointer};
    return spv_const_inst(module, SpvOpSpecConstantOp, type, 2, words);
}

/* The type that this operand must have: a member of a composite, or a variable's initialiser; 0: it may be any. */
static spv_id type_of_place(const struct spv_module *module, const struct spv_inst *inst, uint32_t word)
{
    const struct spv_inst *type = spv_def(module, inst->type);
    if (!type)
        return 0;
    if (inst->op == SpvOpVariable)
        return type->op == SpvOpTypePointer ? type->words[1] : 0;
    if (type->op == SpvOpTypeStruct && word < type->num_words)
        return type->words[word];
    return type->op == SpvOpTypeArray ? type->words[0] : 0;
}

/* The type that the pointer or null must be made one of; 0: it fits, or nothing makes it fit. */
static spv_id wanted_type(const struct spv_module *module, const struct spv_inst *inst, uint32_t word)
{
    const struct spv_inst *def = spv_def(module, inst->words[word]);
    bool null = def && def->op == SpvOpConstantNull;
    if (!def || (!null && !spv_type_is_pointer(module, def->type)))
        return 0;
    spv_id wanted = type_of_place(module, inst, word);
    bool other = wanted != def->type && spv_type_is_pointer(module, wanted) &&
                 (null || spv_pointer_storage(module, wanted) == spv_pointer_storage(module, def->type));
    if (other)
        return wanted;
    return inst->op != SpvOpVariable && def->op == SpvOpVariable && !def->block ? def->type : 0;
}

static bool is_byte(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) && !spv_type_is_vector(module, type) && spv_type_width(module, type) == 8;
}

/* What the index leads to in an object; 0: it has no parts, or not so many. */
static spv_id part_of(const struct spv_module *module, spv_id object, spv_id index)
{
    const struct spv_inst *type = spv_def(module, object);
    uint64_t member;
    if (!type || !type->num_words)
        return 0;
    if (type->op == SpvOpTypeArray || type->op == SpvOpTypeVector)
        return type->words[0];
    bool known = type->op == SpvOpTypeStruct && spv_const_value(module, index, &member) && member < type->num_words;
    return known ? type->words[member] : 0;
}

/* A pointer to bytes where the other one points to; 0: the module has no such type. */
static spv_id byte_pointer(const struct spv_module *module, spv_id pointer)
{
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        if (type->op == SpvOpTypePointer && type->words[0] == spv_pointer_storage(module, pointer) &&
            is_byte(module, type->words[1]))
            return type->id;
    }
    return 0;
}

/* Steps from a variable over more than one object like it leave the variable, which InBounds rules out: they are
 * bytes. */
static bool count_steps(struct spv_module *module, struct spv_inst *inst, const struct spv_inst *base)
{
    uint64_t steps;
    spv_id type = base->op == SpvOpVariable && base->type == inst->type ? byte_pointer(module, base->type) : 0;
    if (!type || type == inst->type || !spv_const_value(module, inst->words[2], &steps) || steps < 2)
        return false;
    const uint32_t chain[] = {SpvOpInBoundsPtrAccessChain, address_of(module, base->id, type), inst->words[2]};
    const uint32_t cast[] = {SpvOpBitcast, spv_const_inst(module, SpvOpSpecConstantOp, type, 3, chain)};
    spv_inst_set_words(module, inst, 2, cast);
    return true;
}

/* The address at a byte is counted from a pointer to bytes. Whether that had to be mended. */
static bool count_bytes(struct spv_module *module, struct spv_inst *inst)
{
    if (inst->op != SpvOpSpecConstantOp || inst->num_words < 3 || inst->words[0] != SpvOpInBoundsPtrAccessChain)
        return false;
    const struct spv_inst *base = spv_def(module, inst->words[1]);
    uint64_t first;
    if (!base || !spv_type_is_pointer(module, base->type) || !spv_type_is_pointer(module, inst->type))
        return false;
    if (inst->num_words == 3)
        return count_steps(module, inst, base);
    if (inst->num_words > 4 || !spv_const_value(module, inst->words[2], &first) || first)
        return false;
    spv_id object = spv_def(module, base->type)->words[1], byte = spv_def(module, inst->type)->words[1];
    if (!is_byte(module, byte) || part_of(module, object, inst->words[3]) == byte)
        return false;
    const uint32_t words[] = {SpvOpInBoundsPtrAccessChain, address_of(module, base->id, inst->type), inst->words[3]};
    spv_inst_set_words(module, inst, 3, words);
    return true;
}

/* A null integer becomes the constant 0, which chains want for the members of structures. */
static void spell_zeros(struct spv_module *module)
{
    static const uint32_t zeros[2];
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        const struct spv_inst *type = inst->op == SpvOpConstantNull ? spv_def(module, inst->type) : NULL;
        if (!type || type->op != SpvOpTypeInt || type->words[0] > 64)
            continue;
        inst->op = SpvOpConstant;
        spv_inst_set_words(module, inst, type->words[0] > 32 ? 2 : 1, zeros);
    }
}

bool spv_wrap_addresses(struct spv_module *module)
{
    struct u64_map wrapped = {0}; /* by pointer and type */
    bool found = false;
    struct spv_inst *last = module->sections[SPV_SECTION_GLOBAL].last;
    for (struct spv_inst *inst = module->sections[SPV_SECTION_GLOBAL].first; inst;
         inst = inst == last ? NULL : inst->next) {
        found = count_bytes(module, inst) || found;
        bool composite = inst->op == SpvOpConstantComposite || inst->op == SpvOpSpecConstantComposite;
        for (uint32_t i = !composite; i < inst->num_words && (composite || inst->op == SpvOpVariable); i++) {
            spv_id pointer = inst->words[i], type = wanted_type(module, inst, i);
            uint64_t key = (uint64_t)type << 32 | pointer;
            if (!type)
                continue;
            if (!u64_map_has(&wrapped, key))
                u64_map_set(module->arena, &wrapped, key, (void *)(uintptr_t)address_of(module, pointer, type));
            inst->words[i] = (spv_id)(uintptr_t)u64_map_get(&wrapped, key);
            found = true;
        }
    }
    spell_zeros(module);
    return found;
}

/* ---- initialisers in functions ---- */

enum { MAX_LIFTED = 64 }; /* operands deep */

static bool lift(struct spv_module *module, spv_id id, uint32_t depth);

struct lifting {
    struct spv_module *module;
    uint32_t depth;
    bool good;
};

static void lift_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct lifting *l = data;
    (void)inst;
    l->good = l->good && lift(l->module, *word, l->depth);
}

/* Makes an instruction of a function that computes with constants an OpSpecConstantOp. False where it is no such
 * instruction; true also for what is at module scope already. */
static bool lift(struct spv_module *module, spv_id id, uint32_t depth)
{
    struct spv_inst *inst = spv_def(module, id);
    if (!inst || !inst->block)
        return inst && (inst->op == SpvOpVariable || spv_op_is_constant(inst->op));
    if (depth == MAX_LIFTED || !inst->type || inst->op == SpvOpExtInst || inst->op == SpvOpUndef ||
        !spv_op_is_pure(inst->op))
        return false;
    struct lifting l = {module, depth + 1, true};
    spv_visit_operand_ids(inst, lift_operand, &l);
    if (!l.good)
        return false;
    uint32_t *words = arena_array(module->arena, uint32_t, inst->num_words + 1u);
    words[0] = inst->op;
    memcpy(words + 1, inst->words, inst->num_words * sizeof(*words));
    spv_inst_remove(module, inst);
    spv_list_append(&module->sections[SPV_SECTION_GLOBAL],
                    spv_inst_create(module, SpvOpSpecConstantOp, inst->type, id, inst->num_words + 1u, words));
    return true;
}

bool spv_lift_initialisers(struct spv_module *module)
{
    bool found = false;
    struct spv_inst *last = module->sections[SPV_SECTION_GLOBAL].last;
    for (struct spv_inst *inst = module->sections[SPV_SECTION_GLOBAL].first; inst;
         inst = inst == last ? NULL : inst->next) {
        bool composite = inst->op == SpvOpConstantComposite || inst->op == SpvOpSpecConstantComposite;
        for (uint32_t i = !composite; i < inst->num_words && (composite || inst->op == SpvOpVariable); i++) {
            const struct spv_inst *def = spv_def(module, inst->words[i]);
            found = (def && def->block && lift(module, inst->words[i], 0)) || found;
        }
    }
    return found;
}

/* ---- order ---- */

enum state { WAITS, OPEN, PLACED }; /* OPEN: what it uses is being placed */

struct sorting {
    struct arena *arena;
    struct spv_module *module;
    const uint8_t *forward; /* by id, the first num_forward */
    size_t num_forward;
    uint8_t *states; /* by id */
    VEC(struct spv_inst *) stack;
    struct spv_list sorted;
    spv_id wrong; /* used, and neither defined at module scope nor outside of a circle */
};

static void need(struct sorting *s, spv_id id)
{
    struct spv_inst *def = spv_def(s->module, id);
    if (def && spv_section_of(def->op) != SPV_SECTION_GLOBAL) /* a set of instructions, a string */
        return;
    if ((id < s->num_forward && s->forward[id]) || s->states[id] == PLACED)
        return;
    if (!def || def->block || s->states[id] == OPEN)
        s->wrong = id;
    else
        vec_push(s->arena, &s->stack, def);
}

static void need_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    (void)inst;
    need(data, *word);
}

/* The instruction is on the stack. It goes into the list when it comes up for the second time, with all that it uses
 * placed in between. */
static void step(struct sorting *s)
{
    struct spv_inst *inst = s->stack.data[s->stack.length - 1];
    if (inst->id && s->states[inst->id] == PLACED) {
        s->stack.length--;
    } else if (!inst->id || s->states[inst->id] == OPEN) {
        s->stack.length--;
        if (inst->id)
            s->states[inst->id] = PLACED;
        inst->prev = inst->next = NULL;
        spv_list_append(&s->sorted, inst);
    } else {
        s->states[inst->id] = OPEN;
        if (inst->type)
            need(s, inst->type);
        if (inst->op != SpvOpExtInst) /* of a set that means nothing */
            spv_visit_operand_ids(inst, need_operand, s);
    }
}

spv_id spv_sort_globals(struct spv_module *module, const uint8_t *forward, size_t num_forward)
{
    struct sorting s = {.arena = module->arena, .module = module, .forward = forward, .num_forward = num_forward};
    VEC(struct spv_inst *) all = {0};
    s.states = arena_alloc(module->arena, module->bound);
    struct spv_list *list = &module->sections[SPV_SECTION_GLOBAL];
    spv_foreach_inst (inst, list)
        vec_push(s.arena, &all, inst);
    for (uint32_t i = 0; i < all.length && !s.wrong; i++) {
        vec_push(s.arena, &s.stack, all.data[i]);
        while (s.stack.length && !s.wrong)
            step(&s);
    }
    if (!s.wrong)
        *list = s.sorted;
    return s.wrong;
}

/* ---- interfaces ---- */

#define MAX_STEPS (1u << 24) /* many entry points could share much that each of them reaches */

struct reaching {
    struct arena *arena;
    const struct spv_module *module;
    uint32_t *seen; /* by id: the number of the entry point that reached it last */
    uint32_t entry, steps;
    VEC(struct spv_inst *) stack;
    VEC(spv_id) missing; /* variables that the entry point at hand does not list */
};

static void reach(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct reaching *r = data;
    struct spv_inst *def = spv_def(r->module, *word);
    (void)inst;
    r->steps++;
    if (!def || def->block || r->seen[*word] == r->entry || spv_section_of(def->op) != SPV_SECTION_GLOBAL)
        return;
    r->seen[*word] = r->entry;
    if (def->op == SpvOpVariable)
        vec_push(r->arena, &r->missing, *word);
    if (def->op == SpvOpVariable || spv_op_is_constant(def->op))
        vec_push(r->arena, &r->stack, def);
}

static void add_missing(struct reaching *r, struct spv_module *module, struct spv_inst *entry)
{
    uint32_t count = entry->num_words + r->missing.length;
    uint32_t *words = arena_array(r->arena, uint32_t, count);
    memcpy(words, entry->words, entry->num_words * sizeof(*words));
    memcpy(words + entry->num_words, r->missing.data, r->missing.length * sizeof(*words));
    spv_inst_set_words(module, entry, count, words);
}

void spv_list_initialisers(struct spv_module *module)
{
    struct reaching r = {.arena = module->arena, .module = module};
    if (module->version < 0x00010400)
        return;
    r.seen = arena_array(module->arena, uint32_t, module->bound);
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        uint32_t first;
        spv_string(entry, 2, &first);
        r.entry++;
        for (uint32_t i = first; i < entry->num_words; i++)
            reach(&r, entry, &entry->words[i]);
        r.missing.length = 0; /* these are listed */
        while (r.stack.length && r.steps < MAX_STEPS) {
            struct spv_inst *inst = r.stack.data[--r.stack.length];
            spv_visit_operand_ids(inst, reach, &r);
        }
        r.stack.length = 0;
        if (r.missing.length)
            add_missing(&r, module, entry);
    }
}
