/* SPV_INTEL_memory_access_aliasing: what an access says about other accesses.
 *
 * A module declares scopes, in domains, and lists of scopes. An access may be in the scopes of one list (AliasScope),
 * and may say of another list (NoAlias) that it touches nothing that accesses in these scopes touch. As in LLVM, where
 * such lists come from: where one access is in scopes of a domain, and all of these are in the other's NoAlias list, the
 * two touch different memory.
 *
 * LLVM makes a scope for each restrict pointer of a function that it inlines. So what a scope says holds for one run of
 * that function's body, which may stand in a loop: of accesses in different iterations it says nothing. Whoever asks
 * spv_are_apart() must know that the two accesses are run in the same iteration of all loops around both.
 *
 * Modules keep the words as they are. Lowering takes them from its own module: an access then has the number of a row
 * in its hints. Code that is copied loses its rows, so that nothing is said of accesses in different copies. Inlining
 * and unrolling give the accesses of one copy rows of that copy, and what was said of two of them before holds again. */
#include "spv.h"

#include <string.h>

enum { MAX_ROWS = UINT16_MAX, MAX_LIST = 256 };

/* One scope of a list. */
struct member {
    spv_id domain, scope;
};

struct list {
    struct member *members; /* those of a domain stand together */
    uint32_t count;
};

struct row {
    uint32_t within, apart; /* lists: AliasScope and NoAlias; 0: none */
    uint32_t origin, copy;  /* the row that this one is a copy of, and when that was copied; 0: it is in the words */
};

struct spv_scopes {
    struct arena *arena;
    VEC(struct list) lists;  /* the first is empty */
    VEC(struct row) rows;    /* the first says nothing */
    struct u64_map by_id;    /* OpAliasScopeListDeclINTEL -> its index in lists */
    struct u64_map by_lists; /* within and apart -> a row that is in the words */
    uint32_t copies;
};

/* ---- from words ---- */

uint32_t spv_access_operands(uint16_t op)
{
    switch (op) {
    case SpvOpLoad:
        return 1;
    case SpvOpStore:
    case SpvOpCopyMemory:
        return 2;
    case SpvOpCopyMemorySized:
        return 3;
    default:
        return 0;
    }
}

uint32_t spv_cut_scopes(uint32_t *words, uint32_t at, uint32_t *count, uint32_t lists[2])
{
    const uint32_t scopes = SpvMemoryAccessAliasScopeINTELMaskMask | SpvMemoryAccessNoAliasINTELMaskMask;
    const uint32_t with_word =
        SpvMemoryAccessAlignedMask | SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask;
    lists[0] = lists[1] = 0;
    if (at >= *count)
        return at;
    uint32_t cut = (uint32_t)__builtin_popcount(words[at] & scopes);
    uint32_t next = at + 1 + (uint32_t)__builtin_popcount(words[at] & with_word);
    if (!cut || next + cut > *count)
        return next + cut;
    bool within = words[at] & SpvMemoryAccessAliasScopeINTELMaskMask;
    if (within)
        lists[0] = words[next];
    if (words[at] & SpvMemoryAccessNoAliasINTELMaskMask)
        lists[1] = words[next + within];
    words[at] &= ~scopes;
    memmove(words + next, words + next + cut, (*count - next - cut) * sizeof(*words));
    *count -= cut;
    return next;
}

/* A list is as good as empty where something in it is no scope, or where it is too long: then nothing is said by it. */
static struct list read_list(const struct spv_scopes *scopes, const struct spv_module *module,
                             const struct spv_inst *inst)
{
    struct list list = {arena_array(scopes->arena, struct member, inst->num_words), 0};
    for (uint32_t i = 0; i < inst->num_words && inst->num_words <= MAX_LIST; i++) {
        const struct spv_inst *scope = spv_def(module, inst->words[i]);
        if (!scope || scope->op != SpvOpAliasScopeDeclINTEL || !scope->num_words)
            return (struct list){0};
        const struct member member = {scope->words[0], scope->id};
        uint32_t at = list.count++;
        for (; at && list.members[at - 1].domain > member.domain; at--)
            list.members[at] = list.members[at - 1];
        list.members[at] = member;
    }
    return list;
}

/* Moves the lists out of the module; false: it has none. */
static bool take_lists(struct spv_scopes *scopes, struct spv_module *module)
{
    struct spv_list *globals = &module->sections[SPV_SECTION_GLOBAL];
    vec_push(scopes->arena, &scopes->lists, (struct list){0});
    spv_foreach_inst (inst, globals) {
        if (inst->op != SpvOpAliasScopeListDeclINTEL)
            continue;
        u64_map_set(scopes->arena, &scopes->by_id, inst->id, (void *)(uintptr_t)scopes->lists.length);
        vec_push(scopes->arena, &scopes->lists, read_list(scopes, module, inst));
    }
    if (scopes->lists.length == 1)
        return false;
    spv_foreach_inst_safe (inst, globals) {
        if (spv_op_class(inst->op) == SPV_CLASS_SCOPE)
            spv_inst_remove(module, inst);
    }
    return true;
}

/* The number of a new row; 0: there are too many. */
static uint32_t add_row(struct spv_scopes *scopes, struct row row)
{
    if (scopes->rows.length > MAX_ROWS)
        return 0;
    vec_push(scopes->arena, &scopes->rows, row);
    return scopes->rows.length - 1;
}

static uint32_t row_of(struct spv_scopes *scopes, const uint32_t lists[2])
{
    struct row row = {.within = (uint32_t)(uintptr_t)u64_map_get(&scopes->by_id, lists[0]),
                      .apart = (uint32_t)(uintptr_t)u64_map_get(&scopes->by_id, lists[1])};
    uint64_t key = (uint64_t)row.within << 32 | row.apart;
    uint32_t known = (uint32_t)(uintptr_t)u64_map_get(&scopes->by_lists, key);
    if (!key || known)
        return known;
    known = add_row(scopes, row);
    u64_map_set(scopes->arena, &scopes->by_lists, key, (void *)(uintptr_t)known);
    return known;
}

static void take_access(struct spv_scopes *scopes, struct spv_module *module, struct spv_inst *inst)
{
    uint32_t count = inst->num_words, lists[2], others[2], at = spv_access_operands(inst->op);
    if (!at)
        return;
    spv_cut_scopes(inst->words, spv_cut_scopes(inst->words, at, &count, lists), &count, others);
    if (count == inst->num_words)
        return;
    spv_inst_set_words(module, inst, count, inst->words);
    if (inst->op == SpvOpLoad || inst->op == SpvOpStore)
        inst->hints.scopes = row_of(scopes, lists) & MAX_ROWS;
}

void spv_take_scopes(struct spv_module *module, struct arena *arena)
{
    struct spv_scopes *scopes = arena_new(arena, struct spv_scopes);
    scopes->arena = arena;
    if (!take_lists(scopes, module))
        return;
    add_row(scopes, (struct row){0});
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                take_access(scopes, module, inst);
        }
    }
    module->scopes = scopes;
}

/* ---- copies ---- */

uint32_t spv_begin_scopes(struct spv_module *module)
{
    return module->scopes ? ++module->scopes->copies : 0;
}

void spv_copy_scopes(struct spv_module *module, const struct spv_inst *from, struct spv_inst *to, uint32_t copy)
{
    struct spv_scopes *scopes = module->scopes;
    uint32_t origin = spv_row_of_scopes(from), row = scopes ? scopes->rows.length : 0;
    if (!origin || !copy || to->op != from->op)
        return;
    while (--row && scopes->rows.data[row].copy == copy) {
        if (scopes->rows.data[row].origin == origin) {
            to->hints.scopes = row & MAX_ROWS;
            return;
        }
    }
    to->hints.scopes = add_row(scopes, (struct row){.origin = origin, .copy = copy}) & MAX_ROWS;
}

/* ---- what is said ---- */

static bool has_member(const struct list *list, spv_id scope)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->members[i].scope == scope)
            return true;
    }
    return false;
}

/* Whether all that the first list has of one domain is in the second. */
static bool covers(const struct spv_scopes *scopes, uint32_t within, uint32_t apart)
{
    const struct list *list = &scopes->lists.data[within], *other = &scopes->lists.data[apart];
    bool covered = false;
    for (uint32_t i = 0; i < list->count; i++) {
        bool begins = !i || list->members[i].domain != list->members[i - 1].domain;
        if (begins && covered)
            return true;
        covered = (begins || covered) && has_member(other, list->members[i].scope);
    }
    return covered;
}

bool spv_are_apart(const struct spv_module *module, const struct spv_inst *one, const struct spv_inst *two)
{
    const struct spv_scopes *scopes = module->scopes;
    uint32_t i = spv_row_of_scopes(one), k = spv_row_of_scopes(two);
    if (!scopes || !i || !k)
        return false;
    const struct row *rows = scopes->rows.data;
    for (; rows[i].copy || rows[k].copy; i = rows[i].origin, k = rows[k].origin) {
        if (rows[i].copy != rows[k].copy)
            return false;
    }
    return covers(scopes, rows[i].within, rows[k].apart) || covers(scopes, rows[k].within, rows[i].apart);
}
