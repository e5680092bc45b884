/* Memory for cse.c: which value is known to be at which address.
 *
 * alias.c divides memory into places. Each place has a version, and what is known of a place holds for one version
 * only. So everything is forgotten in constant time: a store gives its place a new version, a barrier or call does so
 * for all places that it concerns. Only what provably does not overlap the store (another member, another constant
 * index) is carried over to the new version.
 *
 * Where control flow joins, the walk forgets what the blocks between the immediate dominator and the join may write.
 * Each block's places are a mask of 64 bits. A walk finds the blocks in between; where there are many, it gives up, and
 * everything is forgotten.
 *
 * Stores with scopes (spv/scopes.c) leave what an access is known to have put there that they are apart from. The access
 * dominates the store, so that both are run in the same iteration of all loops around both.
 *
 * Volatile accesses always stay, and forget whatever they may touch. */
#include "compiler/opt/cse_memory.h"

#include "compiler/opt/chain.h"

#include <string.h>

enum { MAX_BETWEEN = 64, MAX_BESIDE = 12, MAX_SCOPED = 16 };

struct cse_content {
    spv_id pointer, value;
    uint32_t place, version;
    uint32_t older;          /* what known[pointer] was */
    uint32_t before;         /* what newest[place] was */
    struct spv_inst *access; /* that stored or loaded it */
    uint32_t block, reads;   /* of a store */
};

/* A store with scopes (spv/scopes.c). */
struct cse_scoped {
    const struct spv_inst *store;
    uint32_t place, next; /* 1 + index of the next one in the block */
};

struct cse_undo {
    uint32_t index; /* of a place, or ALIAS_PLACES + 1 + index of contents */
    uint32_t version;
};

static uint64_t written_by(struct cse_memory *m, const struct spv_inst *inst)
{
    switch (alias_effect(&m->alias, inst)) {
    case ALIAS_STORE:
    case ALIAS_COPY:
        return alias_overlapping(alias_place(&m->alias, inst->words[0]));
    case ALIAS_ALL:
        return ALIAS_SHARED;
    default:
        return 0;
    }
}

/* Whether inst is a store with scopes. These are not in the masks of their blocks, since they may leave what is known of
 * their places. */
static bool add_scoped(struct cse_memory *m, const struct spv_inst *inst)
{
    if (inst->op != SpvOpStore || !spv_row_of_scopes(inst) || alias_is_special(inst))
        return false;
    uint32_t *newest = &m->scoped_in[inst->block->index];
    const struct cse_scoped scoped = {inst, alias_place(&m->alias, inst->words[0]), *newest};
    vec_push(m->arena, &m->scoped, scoped);
    *newest = m->scoped.length;
    return true;
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
    alias_start(&m->alias, module, function, cfg);
    m->known = spv_borrow_table(module, uint32_t);
    m->writes = arena_array(m->arena, uint64_t, cfg->count);
    m->visited = arena_array(m->arena, uint32_t, cfg->count);
    m->scoped_in = arena_array(m->arena, uint32_t, cfg->count);
    for (uint32_t i = 0; i < m->alias.writers.length; i++) {
        const struct spv_inst *writer = m->alias.writers.data[i];
        if (!add_scoped(m, writer))
            m->writes[writer->block->index] |= written_by(m, writer);
    }
}

void cse_memory_finish(struct cse_memory *m)
{
    if (!m->used)
        return;
    spv_give_back_zeroed(m->module, m->known); /* cse_memory_leave() has undone all */
    alias_finish(&m->alias);
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

/* Stores with scopes between two blocks. */
struct between {
    uint32_t scoped[MAX_SCOPED], count; /* indices of cse_memory.scoped */
};

/* The places that are written on some way from the end of the immediate dominator to the start of block, but for some
 * stores with scopes. The walk follows predecessors; since the dominator dominates all blocks on these ways, it always
 * ends there. */
static uint64_t written_between(struct cse_memory *m, uint32_t block, struct between *between)
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
            for (uint32_t i = m->scoped_in[pred]; i; i = m->scoped.data[i - 1].next) {
                if (between->count < MAX_SCOPED)
                    between->scoped[between->count++] = i - 1;
                else
                    written |= alias_overlapping(m->scoped.data[i - 1].place);
            }
            work[length++] = pred;
        }
    }
    return written;
}

void cse_memory_leave(struct cse_memory *m, struct cse_memory_scope scope)
{
    while (m->undo.length > scope.undo) {
        struct cse_undo undo = vec_pop(&m->undo);
        if (undo.index < ALIAS_PLACES)
            m->version[undo.index] = undo.version;
        else
            m->contents.data[undo.index - ALIAS_PLACES - 1].version = undo.version;
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

static void add_content(struct cse_memory *m, spv_id pointer, spv_id value, uint32_t place, struct spv_inst *access)
{
    const struct cse_content content = {.pointer = pointer,
                                        .value = value,
                                        .place = place,
                                        .version = m->version[place],
                                        .older = m->known[pointer],
                                        .before = m->newest[place],
                                        .access = access,
                                        .block = m->block,
                                        .reads = m->reads[place]};
    vec_push(m->arena, &m->contents, content);
    m->known[pointer] = m->newest[place] = m->contents.length;
}

/* A store makes what is known of its place invalid, but for those of the newest few contents that it leaves: they lie
 * beside it (if that may be asked), or it is apart from them. */
static void overwrite(struct cse_memory *m, const struct spv_inst *store, uint32_t place, bool beside)
{
    uint32_t left[MAX_BESIDE], count = 0, at = beside || spv_row_of_scopes(store) ? m->newest[place] : 0;
    for (uint32_t i = 0; i < MAX_BESIDE && at; i++, at = m->contents.data[at - 1].before) {
        const struct cse_content *content = &m->contents.data[at - 1];
        if (is_valid(m, content) && ((beside && alias_beside(&m->alias, store->words[0], content->pointer)) ||
                                     spv_are_apart(m->module, content->access, store)))
            left[count++] = at - 1;
    }
    forget(m, alias_overlapping(place));
    for (uint32_t i = 0; i < count; i++) {
        struct cse_content *content = &m->contents.data[left[i]];
        vec_push(m->arena, &m->undo, (struct cse_undo){ALIAS_PLACES + 1 + left[i], content->version});
        content->version = m->version[place];
    }
}

/* What control flow joins at block: the pointers of stores in between may be gone, but their places are known. */
static void forget_between(struct cse_memory *m, uint32_t block)
{
    struct between between = {.count = 0};
    forget(m, written_between(m, block, &between));
    for (uint32_t i = 0; i < between.count; i++) {
        const struct cse_scoped *scoped = &m->scoped.data[between.scoped[i]];
        overwrite(m, scoped->store, scoped->place, false);
    }
}

struct cse_memory_scope cse_memory_enter(struct cse_memory *m, uint32_t block)
{
    struct cse_memory_scope scope = {m->contents.length, m->undo.length};
    if (!m->used)
        return scope;
    m->block = block;
    uint32_t first = m->cfg->pred_start[block], end = m->cfg->pred_start[block + 1];
    if (m->contents.length && (end - first != 1 || m->cfg->preds[first] != m->cfg->idom[block]))
        forget_between(m, block);
    return scope;
}

static enum cse_verdict visit_load(struct cse_memory *m, struct spv_inst *inst, spv_id *value)
{
    spv_id pointer = inst->words[0];
    uint32_t place = alias_place(&m->alias, pointer), known = m->known[pointer];
    if (alias_is_special(inst)) {
        forget(m, alias_overlapping(place));
        note_read(m, alias_overlapping(place));
        return CSE_KEEP;
    }
    if (known && is_valid(m, &m->contents.data[known - 1])) {
        *value = m->contents.data[known - 1].value;
        if (spv_value_type(m->module, *value) == inst->type)
            return CSE_KNOWN;
    }
    note_read(m, alias_overlapping(place));
    add_content(m, pointer, inst->id, place, inst);
    return CSE_KEEP;
}

static enum cse_verdict visit_store(struct cse_memory *m, struct spv_inst *inst, struct spv_inst **dead)
{
    spv_id pointer = inst->words[0];
    uint32_t place = alias_place(&m->alias, pointer), known = m->known[pointer];
    if (alias_is_special(inst) || place == ALIAS_NEVER) {
        forget(m, alias_overlapping(place));
        note_read(m, alias_overlapping(place));
        return CSE_KEEP;
    }
    if (known) {
        struct cse_content *content = &m->contents.data[known - 1];
        if (is_valid(m, content) && content->value == inst->words[1])
            return CSE_NOTHING;
        if (content->access->op == SpvOpStore && content->block == m->block && content->reads == m->reads[place])
            *dead = content->access;
    }
    overwrite(m, inst, place, spv_op_is_chain(spv_def(m->module, pointer)->op));
    add_content(m, pointer, inst->words[1], place, inst);
    return CSE_KEEP;
}

enum cse_verdict cse_memory_visit(struct cse_memory *m, struct spv_inst *inst, spv_id *value, struct spv_inst **dead)
{
    *dead = NULL;
    if (!m->used)
        return CSE_KEEP;
    switch (alias_effect(&m->alias, inst)) {
    case ALIAS_LOAD:
        return visit_load(m, inst, value);
    case ALIAS_STORE:
        return visit_store(m, inst, dead);
    case ALIAS_COPY:
        note_read(m, alias_overlapping(alias_place(&m->alias, inst->words[1])) |
                         alias_overlapping(alias_place(&m->alias, inst->words[0])));
        forget(m, alias_overlapping(alias_place(&m->alias, inst->words[0])));
        return CSE_KEEP;
    case ALIAS_READ_ALL:
        note_read(m, ALIAS_SHARED);
        return CSE_KEEP;
    case ALIAS_ALL:
        note_read(m, ALIAS_SHARED);
        forget(m, ALIAS_SHARED);
        return CSE_KEEP;
    default:
        return CSE_KEEP;
    }
}
