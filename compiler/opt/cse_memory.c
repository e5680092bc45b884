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
 * Volatile accesses always stay, and forget whatever they may touch. */
#include "compiler/opt/cse_memory.h"

#include "compiler/opt/chain.h"

#include <string.h>

enum { MAX_BETWEEN = 64, MAX_BESIDE = 12 };

struct cse_content {
    spv_id pointer, value;
    uint32_t place, version;
    uint32_t older;         /* what known[pointer] was */
    uint32_t before;        /* what newest[place] was */
    struct spv_inst *store; /* that put it there; NULL: it was loaded */
    uint32_t block, reads;  /* of the store */
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
    for (uint32_t i = 0; i < m->alias.writers.length; i++) {
        const struct spv_inst *writer = m->alias.writers.data[i];
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
    bool chain = spv_op_is_chain(spv_def(m->module, pointer)->op);
    uint32_t beside[MAX_BESIDE], count = 0, at = chain ? m->newest[place] : 0;
    for (uint32_t i = 0; i < MAX_BESIDE && at; i++, at = m->contents.data[at - 1].before) {
        const struct cse_content *content = &m->contents.data[at - 1];
        if (is_valid(m, content) && alias_beside(&m->alias, pointer, content->pointer))
            beside[count++] = at - 1;
    }
    forget(m, alias_overlapping(place));
    for (uint32_t i = 0; i < count; i++) {
        struct cse_content *content = &m->contents.data[beside[i]];
        vec_push(m->arena, &m->undo, (struct cse_undo){ALIAS_PLACES + 1 + beside[i], content->version});
        content->version = m->version[place];
    }
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
    add_content(m, pointer, inst->id, place, NULL);
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
