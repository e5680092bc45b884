/* Memory for cse.c: which value is known to be at which address.
 *
 * Memory is divided into a few dozen places. There is one place for each storage class, for pointers about which
 * nothing more is known. The rest are for variables and parameters that no other pointer can reach (private and local
 * variables whose address is only used for loads and stores, local and restrict parameters); a hash assigns them.
 *
 * Each place has a version, and what is known of a place holds for one version only. So everything is forgotten in
 * constant time: a store gives its place a new version, a barrier or call does so for all places that it concerns. Only
 * what provably does not overlap the store (another member, another constant index) is carried over to the new version.
 *
 * Where control flow joins, the walk forgets what the blocks between the immediate dominator and the join may write.
 * Each block's places are a mask of 64 bits. A walk finds the blocks in between; where there are many, it gives up, and
 * everything is forgotten.
 *
 * OpenCL C 3.0, 3.3 (the memory model of C11): a work-item sees stores of other work-items only after barriers, fences
 * and atomics; anything else would be a race. So barriers, fences, atomics and calls forget everything that is not
 * private, and stores of other work-items need no attention otherwise. Volatile accesses always stay, and forget
 * whatever they may touch. */
#include "compiler/opt/cse_memory.h"

#include "compiler/opt/chain.h"

#include <string.h>

enum {
    PLACE_GLOBAL,
    PLACE_LOCAL,
    PLACE_PRIVATE,
    PLACE_GENERIC,
    FIRST_OWN_PRIVATE,
    FIRST_OWN_LOCAL = 24,
    FIRST_OWN_GLOBAL = 44,
    MAX_BETWEEN = 64,
    MAX_BESIDE = 12,
    MAX_CHAINS = 4
};

#define SHARED_PLACES (UINT64_MAX << FIRST_OWN_LOCAL | 0xf)

struct cse_content {
    spv_id pointer, value;
    uint32_t place, version;
    uint32_t older;         /* what known[pointer] was */
    uint32_t before;        /* what newest[place] was */
    struct spv_inst *store; /* that put it there; NULL: it was loaded */
    uint32_t block, reads;  /* of the store */
};

struct cse_undo {
    uint32_t index; /* of a place, or CSE_PLACES + 1 + index of contents */
    uint32_t version;
};

enum { ESCAPES = 1, IS_WRITTEN = 2 }; /* roots */
enum { NEVER_INSIDE = UINT8_MAX };    /* chains */

/* True for most instructions: they take no pointer and have no effect. */
static bool is_arithmetic(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->op == SpvOpPhi || inst->op == SpvOpSelect)
        return !spv_type_is_pointer(module, inst->type);
    return spv_op_is_plain(inst->op);
}

/* ---- where pointers lead ---- */

static bool has_no_alias(const struct spv_module *module, const struct spv_inst *param)
{
    for (const struct spv_inst *d = spv_decorations(module, param->id); d; d = d->next_decoration) {
        if (d->op == SpvOpDecorate && d->num_words > 2 && d->words[1] == SpvDecorationFuncParamAttr &&
            d->words[2] == SpvFunctionParameterAttributeNoAlias)
            return true;
    }
    return false;
}

static bool may_be_root(const struct cse_memory *m, const struct spv_inst *inst)
{
    SpvStorageClass storage = spv_pointer_storage(m->module, inst->type);
    if (inst->op == SpvOpFunctionParameter)
        return (storage == SpvStorageClassWorkgroup && m->whole_program) ||
               (storage == SpvStorageClassCrossWorkgroup && has_no_alias(m->module, inst));
    return inst->op == SpvOpVariable &&
           (storage == SpvStorageClassFunction || (storage == SpvStorageClassWorkgroup && m->whole_program &&
                                                   !spv_find_decoration(m->module, inst->id, SpvDecorationAliased)));
}

static void set_root(struct cse_memory *m, spv_id pointer, spv_id root)
{
    m->root[pointer] = root;
    vec_push(m->arena, &m->noted, pointer);
}

static void find_root(struct cse_memory *m, const struct spv_inst *inst)
{
    if (spv_type_is_pointer(m->module, inst->type) && may_be_root(m, inst))
        set_root(m, inst->id, inst->id);
}

/* Finds the roots, which are variables and parameters. Pointers that are derived from them come later. */
static void find_roots(struct cse_memory *m, const struct spv_function *function)
{
    spv_foreach_inst (global, &m->module->sections[SPV_SECTION_GLOBAL]) {
        if (global->op == SpvOpVariable)
            find_root(m, global);
    }
    for (uint32_t i = 0; i < function->params.length; i++)
        find_root(m, function->params.data[i]);
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op == SpvOpVariable)
            find_root(m, inst);
    }
}

static void see_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct cse_memory *m = data;
    spv_id root = m->root[*word];
    uint32_t position = (uint32_t)(word - inst->words);
    if (!root)
        return;
    if (inst->op == SpvOpPhi && spv_type_is_pointer(m->module, inst->type)) {
        if (!m->root[inst->id]) /* see check_phis() */
            set_root(m, inst->id, root);
        return;
    }
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
        return;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpBitcast:
    case SpvOpCopyObject:
        if (position == 0 && spv_type_is_pointer(m->module, inst->type)) {
            set_root(m, inst->id, root);
            return;
        }
        break;
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        if (position == 0) {
            m->escapes[root] |= IS_WRITTEN;
            return;
        }
        if (position == 1 && inst->op != SpvOpStore)
            return;
        break;
    default:
        break;
    }
    m->escapes[root] |= ESCAPES;
}

/* A phi takes the root of its first operand that has one. Where its operands have different roots, all these roots
 * count as escaped, since the phi may point to any of them. */
static void check_phis(struct cse_memory *m, const struct spv_block *block)
{
    spv_foreach_inst (phi, &block->insts) {
        if (phi->op != SpvOpPhi)
            return;
        spv_id root = m->root[phi->id];
        bool pointer = spv_type_is_pointer(m->module, phi->type);
        for (uint32_t i = 0; pointer && i < phi->num_words; i += 2) {
            spv_id other = m->root[phi->words[i]];
            if (other == root)
                continue;
            m->escapes[root] |= ESCAPES;
            m->escapes[other] |= ESCAPES;
        }
    }
}

/* The place that a pointer points to. CSE_NEVER: memory that nobody writes while the kernel runs. */
static uint32_t place_of(struct cse_memory *m, spv_id pointer)
{
    spv_id root = m->root[pointer];
    SpvStorageClass storage = spv_pointer_storage(m->module, spv_value_type(m->module, pointer));
    bool own = root && !(m->escapes[root] & ESCAPES);
    uint32_t hash = root * 0x9e3779b1u >> 16;
    switch (storage) {
    case SpvStorageClassInput:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassUniform:
    case SpvStorageClassPushConstant:
        return CSE_NEVER;
    case SpvStorageClassFunction:
        return own ? FIRST_OWN_PRIVATE + hash % (FIRST_OWN_LOCAL - FIRST_OWN_PRIVATE) : (uint32_t)PLACE_PRIVATE;
    case SpvStorageClassPrivate:
        return PLACE_PRIVATE;
    case SpvStorageClassWorkgroup:
        return own ? FIRST_OWN_LOCAL + hash % (FIRST_OWN_GLOBAL - FIRST_OWN_LOCAL) : (uint32_t)PLACE_LOCAL;
    case SpvStorageClassGeneric:
        return PLACE_GENERIC;
    default:
        if (!own)
            return PLACE_GLOBAL;
        /* C11 6.7.3.1: nobody else may write it either */
        if (m->whole_program && !(m->escapes[root] & IS_WRITTEN))
            return CSE_NEVER;
        return FIRST_OWN_GLOBAL + hash % (CSE_PLACES - FIRST_OWN_GLOBAL);
    }
}

/* The places that share memory with a place. */
static uint64_t overlapping(uint32_t place)
{
    if (place == CSE_NEVER)
        return 0;
    if (place >= FIRST_OWN_PRIVATE)
        return (uint64_t)1 << place;
    return place == PLACE_GENERIC ? 0xf : (uint64_t)1 << place | 1u << PLACE_GENERIC;
}

/* ---- what instructions do ---- */

enum effect { EFFECT_NONE, EFFECT_LOAD, EFFECT_STORE, EFFECT_COPY, EFFECT_READ_ALL, EFFECT_ALL };

static inline enum effect effect_of(const struct cse_memory *m, const struct spv_inst *inst)
{
    if (spv_op_is_pure(inst->op))
        return EFFECT_NONE;
    switch (inst->op) {
    case SpvOpLoad:
        return EFFECT_LOAD;
    case SpvOpStore:
        return EFFECT_STORE;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return EFFECT_COPY;
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpVariable:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpImageRead:
    case SpvOpImageFetch:
    case SpvOpImageSampleExplicitLod:
        return EFFECT_NONE;
    case SpvOpFunctionCall: {
        const struct spv_function *callee = spv_function_of(m->module, inst->words[0]);
        uint32_t control = callee ? callee->def->words[0] : 0;
        return control & SpvFunctionControlConstMask  ? EFFECT_NONE
               : control & SpvFunctionControlPureMask ? EFFECT_READ_ALL
                                                      : EFFECT_ALL;
    }
    default:
        return spv_inst_is_pure(inst) ? EFFECT_NONE : EFFECT_ALL;
    }
}

/* Whether an access does more than read or write memory for this work-item: it is volatile, or makes memory available
 * or visible to others. */
static bool is_special(const struct spv_inst *inst)
{
    uint32_t first = inst->op == SpvOpLoad ? 1 : 2;
    uint32_t mask = inst->num_words > first ? inst->words[first] : 0;
    return mask & ~(uint32_t)(SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask |
                              SpvMemoryAccessNonPrivatePointerMask);
}

static uint64_t written_by(struct cse_memory *m, const struct spv_inst *inst)
{
    switch (effect_of(m, inst)) {
    case EFFECT_STORE:
    case EFFECT_COPY:
        return overlapping(place_of(m, inst->words[0]));
    case EFFECT_ALL:
        return SHARED_PLACES;
    default:
        return 0;
    }
}

static bool is_entry_point(const struct spv_module *module, spv_id function)
{
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->words[1] == function)
            return true;
    }
    return false;
}

void cse_memory_start(struct cse_memory *m, struct spv_module *module, struct spv_function *function,
                      const struct spv_cfg *cfg)
{
    *m = (struct cse_memory){.module = module, .arena = spv_scratch(module), .cfg = cfg};
    for (uint32_t i = 0; i < cfg->count && !m->used; i++) {
        spv_foreach_inst (inst, &cfg->blocks[i]->insts)
            m->used = m->used || inst->op == SpvOpLoad;
    }
    if (!m->used)
        return;
    m->whole_program = is_entry_point(module, function->def->id);
    m->root = spv_borrow_table(module, spv_id);
    m->escapes = spv_borrow_table(module, uint8_t);
    m->known = spv_borrow_table(module, uint32_t);
    m->writes = arena_array(m->arena, uint64_t, cfg->count);
    m->visited = arena_array(m->arena, uint32_t, cfg->count);
    find_roots(m, function);
    VEC(const struct spv_inst *) writers = {0};
    for (uint32_t i = 0; i < cfg->count; i++) {
        spv_foreach_inst (inst, &cfg->blocks[i]->insts) {
            if (is_arithmetic(module, inst))
                continue;
            spv_visit_operand_ids(inst, see_operand, m);
            if (effect_of(m, inst) > EFFECT_LOAD)
                vec_push(m->arena, &writers, inst);
        }
    }
    for (uint32_t i = 0; i < cfg->count; i++)
        check_phis(m, cfg->blocks[i]);
    for (uint32_t i = 0; i < writers.length; i++)
        m->writes[writers.data[i]->block->index] |= written_by(m, writers.data[i]);
}

void cse_memory_finish(struct cse_memory *m)
{
    if (!m->used)
        return;
    spv_give_back_zeroed(m->module, m->known); /* cse_memory_leave() has undone all */
    for (uint32_t i = 0; i < m->noted.length; i++)
        m->root[m->noted.data[i]] = m->escapes[m->noted.data[i]] = 0;
    m->escapes[0] = 0;
    spv_give_back_zeroed(m->module, m->escapes);
    spv_give_back_zeroed(m->module, m->root);
}

/* ---- the walk ---- */

static void forget(struct cse_memory *m, uint64_t places)
{
    for (; places; places &= places - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(places);
        if (!m->newest[place])
            continue;
        vec_push(m->arena, &m->undo, (struct cse_undo){place, m->version[place]});
        m->version[place] = ++m->last_version;
    }
}

static void note_read(struct cse_memory *m, uint64_t places)
{
    for (; places; places &= places - 1)
        m->reads[__builtin_ctzll(places)]++;
}

/* The places that are written on some way from the end of the immediate dominator to the start of block. The walk
 * follows predecessors; since the dominator dominates all blocks on these ways, it always ends there. */
static uint64_t written_between(struct cse_memory *m, uint32_t block)
{
    const struct spv_cfg *cfg = m->cfg;
    uint32_t work[MAX_BETWEEN], length = 1, seen = 1;
    uint64_t written = 0;
    work[0] = block;
    m->mark++;
    m->visited[cfg->idom[block]] = m->mark;
    while (length) {
        uint32_t at = work[--length];
        for (uint32_t e = cfg->pred_start[at]; e < cfg->pred_start[at + 1]; e++) {
            uint32_t pred = cfg->preds[e];
            if (m->visited[pred] == m->mark)
                continue;
            if (seen++ == MAX_BETWEEN)
                return UINT64_MAX;
            m->visited[pred] = m->mark;
            written |= m->writes[pred];
            work[length++] = pred;
        }
    }
    return written;
}

struct cse_memory_scope cse_memory_enter(struct cse_memory *m, uint32_t block)
{
    struct cse_memory_scope scope = {m->contents.length, m->undo.length};
    if (!m->used)
        return scope;
    m->block = block;
    uint32_t first = m->cfg->pred_start[block], end = m->cfg->pred_start[block + 1];
    if (m->contents.length && (end - first != 1 || m->cfg->preds[first] != m->cfg->idom[block]))
        forget(m, written_between(m, block));
    return scope;
}

void cse_memory_leave(struct cse_memory *m, struct cse_memory_scope scope)
{
    while (m->undo.length > scope.undo) {
        struct cse_undo undo = vec_pop(&m->undo);
        if (undo.index < CSE_PLACES)
            m->version[undo.index] = undo.version;
        else
            m->contents.data[undo.index - CSE_PLACES - 1].version = undo.version;
    }
    while (m->contents.length > scope.contents) {
        struct cse_content content = vec_pop(&m->contents);
        m->known[content.pointer] = content.older;
        m->newest[content.place] = content.before;
    }
}

static bool is_valid(const struct cse_memory *m, const struct cse_content *content)
{
    return content->version == m->version[content->place];
}

static bool differ(const struct spv_module *module, spv_id a, spv_id b)
{
    int64_t one, two;
    if (a == b || !spv_is_constant(module, a) || !spv_is_constant(module, b))
        return false;
    const struct spv_inst *first = spv_def(module, a), *second = spv_def(module, b);
    if (first->op == SpvOpConstant && second->op == SpvOpConstant && first->type == second->type) {
        if (first->num_words == 2)
            return first->words[0] != second->words[0] || first->words[1] != second->words[1];
        if (spv_type_width(module, first->type) == 32)
            return first->words[0] != second->words[0];
    }
    return chain_constant(module, a, &one) && chain_constant(module, b, &two) && one != two;
}

static uint8_t find_inside(struct cse_memory *m, const struct spv_inst *chain)
{
    uint32_t i = 1;
    while (i <= chain->num_words && i < NEVER_INSIDE && !chain_stays_inside(m->module, chain, i, false))
        i++;
    vec_push(m->arena, &m->noted, chain->id);
    return m->escapes[chain->id] = i <= chain->num_words && i < NEVER_INSIDE ? (uint8_t)i : NEVER_INSIDE;
}

/* The first operand from which on the chain stays inside (chain_stays_inside()) is found once per chain and kept: if
 * the chain stays inside from one operand on, it does from every later one. */
static inline bool stays_inside(struct cse_memory *m, const struct spv_inst *chain, uint32_t first)
{
    uint8_t from = m->escapes[chain->id];
    if (!from)
        from = find_inside(m, chain);
    return from != NEVER_INSIDE && from <= first;
}

/* Whether two chains from the same pointer lead to memory that cannot overlap: they differ in a member or a constant
 * index, and neither leaves the part that this index chose. */
static bool are_beside(struct cse_memory *m, const struct spv_inst *one, const struct spv_inst *two, uint32_t depth)
{
    uint32_t i = 1;
    if (one->op != two->op || !chain_is(one->op))
        return false;
    bool parted = one->words[0] != two->words[0];
    if (parted && (depth == MAX_CHAINS ||
                   !are_beside(m, spv_def(m->module, one->words[0]), spv_def(m->module, two->words[0]), depth + 1)))
        return false;
    while (!parted && i < one->num_words && i < two->num_words && one->words[i] == two->words[i])
        i++;
    if (!parted && (i >= one->num_words || i >= two->num_words || !differ(m->module, one->words[i], two->words[i])))
        return false;
    uint32_t inside = parted ? 1 : i + 1;
    return stays_inside(m, one, inside) && stays_inside(m, two, inside);
}

static void add_content(struct cse_memory *m, spv_id pointer, spv_id value, uint32_t place, struct spv_inst *store)
{
    const struct cse_content content = {.pointer = pointer,
                                        .value = value,
                                        .place = place,
                                        .version = m->version[place],
                                        .older = m->known[pointer],
                                        .before = m->newest[place],
                                        .store = store,
                                        .block = m->block,
                                        .reads = m->reads[place]};
    vec_push(m->arena, &m->contents, content);
    m->known[pointer] = m->newest[place] = m->contents.length;
}

/* A store through pointer makes what is known of its place invalid, but for the newest few contents that lie beside it.
 */
static void overwrite(struct cse_memory *m, spv_id pointer, uint32_t place)
{
    const struct spv_inst *chain = spv_def(m->module, pointer);
    uint32_t beside[MAX_BESIDE], count = 0, at = chain_is(chain->op) ? m->newest[place] : 0;
    for (uint32_t i = 0; i < MAX_BESIDE && at; i++, at = m->contents.data[at - 1].before) {
        const struct cse_content *content = &m->contents.data[at - 1];
        if (is_valid(m, content) && are_beside(m, chain, spv_def(m->module, content->pointer), 1))
            beside[count++] = at - 1;
    }
    forget(m, overlapping(place));
    for (uint32_t i = 0; i < count; i++) {
        struct cse_content *content = &m->contents.data[beside[i]];
        vec_push(m->arena, &m->undo, (struct cse_undo){CSE_PLACES + 1 + beside[i], content->version});
        content->version = m->version[place];
    }
}

static enum cse_verdict visit_load(struct cse_memory *m, struct spv_inst *inst, spv_id *value)
{
    spv_id pointer = inst->words[0];
    uint32_t place = place_of(m, pointer), known = m->known[pointer];
    if (is_special(inst)) {
        forget(m, overlapping(place));
        note_read(m, overlapping(place));
        return CSE_KEEP;
    }
    if (known && is_valid(m, &m->contents.data[known - 1])) {
        *value = m->contents.data[known - 1].value;
        if (spv_value_type(m->module, *value) == inst->type)
            return CSE_KNOWN;
    }
    note_read(m, overlapping(place));
    add_content(m, pointer, inst->id, place, NULL);
    return CSE_KEEP;
}

static enum cse_verdict visit_store(struct cse_memory *m, struct spv_inst *inst, struct spv_inst **dead)
{
    spv_id pointer = inst->words[0];
    uint32_t place = place_of(m, pointer), known = m->known[pointer];
    if (is_special(inst) || place == CSE_NEVER) {
        forget(m, overlapping(place));
        note_read(m, overlapping(place));
        return CSE_KEEP;
    }
    if (known) {
        struct cse_content *content = &m->contents.data[known - 1];
        if (is_valid(m, content) && content->value == inst->words[1])
            return CSE_NOTHING;
        if (content->store && content->block == m->block && content->reads == m->reads[place])
            *dead = content->store;
    }
    overwrite(m, pointer, place);
    add_content(m, pointer, inst->words[1], place, inst);
    return CSE_KEEP;
}

enum cse_verdict cse_memory_visit(struct cse_memory *m, struct spv_inst *inst, spv_id *value, struct spv_inst **dead)
{
    *dead = NULL;
    if (!m->used)
        return CSE_KEEP;
    switch (effect_of(m, inst)) {
    case EFFECT_LOAD:
        return visit_load(m, inst, value);
    case EFFECT_STORE:
        return visit_store(m, inst, dead);
    case EFFECT_COPY:
        note_read(m, overlapping(place_of(m, inst->words[1])) | overlapping(place_of(m, inst->words[0])));
        forget(m, overlapping(place_of(m, inst->words[0])));
        return CSE_KEEP;
    case EFFECT_READ_ALL:
        note_read(m, SHARED_PLACES);
        return CSE_KEEP;
    case EFFECT_ALL:
        note_read(m, SHARED_PLACES);
        forget(m, SHARED_PLACES);
        return CSE_KEEP;
    default:
        return CSE_KEEP;
    }
}
