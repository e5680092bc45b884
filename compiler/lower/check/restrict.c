/* Finds restrict arguments that lie. C11, 6.7.3.1: what is reached by way of such a pointer and written by anybody is
 * reached by way of that pointer alone, as long as the function runs: that of one work-item.
 *
 *     x = p[i];             read_p = address;   CheckFault address is written_q or ..., of each other argument q
 *     q[i] = x;       ->    written_q = address; CheckFault address is read_p or written_p or ...
 *
 * A work-item knows the address that it read last by way of each argument, and the one that it wrote last. So what is
 * found is found for certain: arguments may lead to halves of one buffer, or to it in turn, and other work-items may do
 * as they like. What lies further back than the last access is not seen. */
#include "compiler/lower/check/checking.h"

#include "compiler/opt/alias.h"

enum { READ, WRITTEN };

struct check_restrict {
    spv_id param;
    uint32_t number;
    bool reads, writes;
    spv_id last[2]; /* variables; 0: it is never read, or written */
};

static struct check_restrict *find(struct checking *c, spv_id pointer)
{
    struct check_roots roots;
    check_find_roots(c->lower, pointer, &roots);
    for (uint32_t i = 0; i < c->num_restricts && roots.count == 1 && !roots.unknown; i++) {
        if (c->restricts[i].param == roots.list[0])
            return &c->restricts[i];
    }
    return NULL;
}

/* The kernel's arguments that are so, if there are several. */
static void list_arguments(struct checking *c)
{
    const struct spv_function *kernel = c->lower->kernel;
    c->restricts = arena_array(c->module->arena, struct check_restrict, kernel->params.length);
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        const struct spv_inst *param = kernel->params.data[i];
        if (spv_type_is_pointer(c->module, param->type) && alias_is_restrict(c->module, param) &&
            spv_pointer_storage(c->module, param->type) == SpvStorageClassCrossWorkgroup)
            c->restricts[c->num_restricts++] = (struct check_restrict){.param = param->id, .number = i};
    }
}

static void note_access(struct checking *c, const struct spv_inst *inst)
{
    uint64_t site = 0;
    if (!spv_is_private(inst, SPV_PRIVATE_CHECKED) || !spv_const_value(c->module, inst->words[4], &site))
        return;
    uint32_t access = c->lower->check_sites.data[site].access;
    struct check_restrict *argument = find(c, inst->words[2]);
    if (!argument)
        return;
    argument->reads |= access & CLC_SITE_READS;
    argument->writes |= access & CLC_SITE_WRITES;
}

static spv_id variable(struct checking *c)
{
    spv_id variable = spv_emit_variable(&c->b, c->u64);
    spv_emitv_void(&c->b, SpvOpStore, variable, spv_const_u64(c->module, 0), SpvMemoryAccessAlignedMask, 8);
    return variable;
}

void check_begin_restrict(struct checking *c)
{
    struct spv_function *kernel = c->lower->kernel;
    bool any_writes = false;
    if (!(c->lower->watched & CLC_CHECK_VALUES))
        return;
    list_arguments(c);
    spv_foreach_block (block, kernel) {
        spv_foreach_inst (inst, &block->insts) {
            if (c->num_restricts > 1)
                note_access(c, inst);
        }
    }
    for (uint32_t i = 0; i < c->num_restricts; i++)
        any_writes |= c->restricts[i].writes;
    if (!any_writes || c->num_restricts < 2) {
        c->num_restricts = 0;
        return;
    }
    c->b = (struct spv_builder){c->module, kernel, kernel->first_block, kernel->first_block->insts.first};
    while (c->b.before->op == SpvOpVariable)
        c->b.before = c->b.before->next;
    for (uint32_t i = 0; i < c->num_restricts; i++) {
        struct check_restrict *argument = &c->restricts[i];
        argument->last[READ] = argument->reads ? variable(c) : 0;
        argument->last[WRITTEN] = argument->writes ? variable(c) : 0;
    }
}

/* Whether the other argument's last access of that kind began within these bytes; *who: its number, if so. */
static spv_id meets(struct checking *c, spv_id so_far, spv_id *who, const struct check_restrict *other, int kind,
                    const struct mark *mark, spv_id place)
{
    if (!other->last[kind])
        return so_far;
    spv_id last = spv_emitv(&c->b, SpvOpLoad, c->u64, other->last[kind], SpvMemoryAccessAlignedMask, 8);
    spv_id meets =
        spv_emitv(&c->b, SpvOpULessThan, c->truth, spv_emitv(&c->b, SpvOpISub, c->u64, last, place), mark->size);
    *who = spv_emitv(&c->b, SpvOpSelect, c->u64, meets, spv_const_u64(c->module, other->number), *who);
    return so_far ? spv_emitv(&c->b, SpvOpLogicalOr, c->truth, so_far, meets) : meets;
}

void check_restrict(struct checking *c, struct mark *mark)
{
    struct check_restrict *own = c->num_restricts && c->b.function == c->lower->kernel ? find(c, mark->pointer) : NULL;
    spv_id wrong = 0, who;
    bool writes = mark->info->access & CLC_SITE_WRITES;
    if (!own)
        return;
    who = spv_const_u64(c->module, own->number);
    spv_id place = check_part_at(c, check_address_of(c, mark), mark->first);
    for (uint32_t i = 0; i < c->num_restricts; i++) {
        const struct check_restrict *other = &c->restricts[i];
        if (other == own)
            continue;
        wrong = meets(c, wrong, &who, other, WRITTEN, mark, place);
        if (writes)
            wrong = meets(c, wrong, &who, other, READ, mark, place);
    }
    if (wrong) {
        struct mark copy = *mark;
        copy.value = place;
        copy.size = who;
        check_report(c, &copy, wrong, CLC_WHAT_RESTRICT | own->number);
    }
    for (int kind = READ; kind <= WRITTEN; kind++) {
        uint32_t how = kind == READ ? CLC_SITE_READS : CLC_SITE_WRITES;
        if (mark->info->access & how && own->last[kind])
            spv_emitv_void(&c->b, SpvOpStore, own->last[kind], place, SpvMemoryAccessAlignedMask, 8);
    }
}
