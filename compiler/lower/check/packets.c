/* Packets of pipes (check.h): indices beyond a reservation, reservations that were committed before, packets that are read
 * and were never written, and work-items that write the same one.
 *
 *     OpReservedReadPipe %p %r %i ...       ->   CheckFault (%i >= %r's count) site
 *                                                %j = CheckPacket %p %r %i how site
 *                                                OpReservedReadPipe %p %r %j ...
 *     %r = OpReserveWritePipePackets %p ...  ->  %r = ..., CheckReserved %p %r
 *     OpReadPipe %p ...                      ->  %r = OpReserveReadPipePackets %p 1 ...
 *                                                OpReservedReadPipe %p %r 0 ..., OpCommitReadPipe %p %r
 *
 * A packet that is read without a reservation may come from a writer's: so the read is made one of a reservation, which does
 * the same. Pipes have a note for each of their packets (src/object/pipe.c); lib/check_pipe.cl says what it tells. */
#include "compiler/lower/check/checking.h"

#include "base/util.h"

/* As lib/check_pipe.cl has them. */
enum { HOW_READS = 1, HOW_WRITES = 2, HOW_BOUNDS = 32, HOW_INIT = 64, HOW_RACES = 128 };

/* ---- check-sites ---- */

static bool looks_at_notes(const struct check_sites *s, uint32_t checks)
{
    return s->lower->watched & checks && s->lower->target->buffer_int64_atomics;
}

static spv_id widened(struct check_sites *s, spv_id number)
{
    spv_id u64 = spv_type_int(s->module, 64);
    return spv_value_type(s->module, number) == u64 ? number : spv_emitv(&s->b, SpvOpUConvert, u64, number);
}

/* OpenCL C 3.0, 6.15.18: the index is one of the reservation's packets. Pipes make reservations such that the number of
 * these stands above bit 32; 0: it was not made (lib/pipe.cl). */
static void mark_index(struct check_sites *s, const struct spv_inst *inst, spv_id site)
{
    spv_id u64 = spv_type_int(s->module, 64), high = spv_const_u64(s->module, 32), truth = spv_type_bool(s->module);
    spv_id index = widened(s, inst->words[2]), reservation = spv_emitv(&s->b, SpvOpBitcast, u64, inst->words[1]);
    spv_id count = spv_emitv(&s->b, SpvOpShiftRightLogical, u64, reservation, high);
    spv_id above = spv_emitv(&s->b, SpvOpShiftLeftLogical, u64, count, high);
    const spv_id args[] = {spv_emitv(&s->b, SpvOpUGreaterThanEqual, truth, index, count),
                           spv_emitv(&s->b, SpvOpBitwiseOr, u64, above, index), site, inst->words[0]};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(s->module), ARRAY_LENGTH(args), args);
}

static void reserve_read(struct check_sites *s, struct spv_inst *inst)
{
    spv_id pipe = inst->words[0], packet = inst->words[1], size = inst->words[2], align = inst->words[3];
    spv_id one = spv_const_u32(s->module, 1), none = spv_const_u32(s->module, 0);
    spv_id reservation =
        spv_emitv(&s->b, SpvOpReserveReadPipePackets, spv_type_int(s->module, 64), pipe, one, size, align);
    inst->op = SpvOpReservedReadPipe;
    spv_inst_set_words(s->module, inst, 6, (const uint32_t[]){pipe, reservation, none, packet, size, align});
    s->b.before = inst->next;
    spv_emitv_void(&s->b, SpvOpCommitReadPipe, pipe, reservation, size, align);
    s->b.before = inst;
}

void check_mark_packet(struct check_sites *s, struct spv_inst *inst)
{
    uint32_t watched = s->lower->watched;
    bool alone = inst->op == SpvOpReadPipe && inst->num_words == 4;
    bool notes = looks_at_notes(s, CLC_CHECK_INIT | CLC_CHECK_RACES);
    if (alone && looks_at_notes(s, CLC_CHECK_INIT))
        reserve_read(s, inst);
    bool reads = inst->op == SpvOpReservedReadPipe;
    if ((!reads && inst->op != SpvOpReservedWritePipe) || inst->num_words != 6 ||
        spv_value_type(s->module, inst->words[2]) != spv_type_int(s->module, 32) ||
        (!alone && spv_type_op(s->module, spv_value_type(s->module, inst->words[1])) != SpvOpTypeReserveId) ||
        (!(watched & CLC_CHECK_BOUNDS) && !notes))
        return;
    spv_id site = check_add_site(s, CLC_SITE_PACKET);
    s->lower->check_sites.data[s->lower->check_sites.length - 1].access = reads ? CLC_SITE_READS : CLC_SITE_WRITES;
    if (watched & CLC_CHECK_BOUNDS && !alone)
        mark_index(s, inst, site);
    uint32_t how = (reads ? HOW_READS : HOW_WRITES) | (watched & CLC_CHECK_BOUNDS ? HOW_BOUNDS : 0) |
                   (looks_at_notes(s, CLC_CHECK_INIT) ? HOW_INIT : 0) |
                   (looks_at_notes(s, CLC_CHECK_RACES) ? HOW_RACES : 0);
    const spv_id args[] = {inst->words[0], inst->words[1], inst->words[2], spv_const_u32(s->module, how), site};
    inst->words[2] =
        spv_emit_private(&s->b, SPV_PRIVATE_CHECK_PACKET, spv_type_int(s->module, 32), ARRAY_LENGTH(args), args);
}

void check_mark_reserved(struct check_sites *s, struct spv_inst *inst)
{
    uint32_t pipe = inst->op == SpvOpGroupReserveWritePipePackets ? 1 : 0;
    if (!looks_at_notes(s, CLC_CHECK_INIT) || inst->num_words != 4 + pipe)
        return;
    s->b.before = inst->next;
    const spv_id args[] = {inst->words[pipe], inst->id};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_RESERVED, spv_type_void(s->module), ARRAY_LENGTH(args), args);
}

/* ---- check ---- */

void check_lower_packet(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    if (c->lower->watched & CLC_CHECK_RACES)
        c->lower->check_tracks |= CLC_TRACKS; /* the launch gets a number */
    const spv_id args[] = {check_head(c),  inst->words[2], inst->words[3],      inst->words[4],
                           inst->words[5], inst->words[6], check_track_state(c)};
    spv_id call = check_call(c, &c->packet, "__pumice_check_packet", ARRAY_LENGTH(args), args);
    spv_replace(c->module, &c->replacements, inst->id, call);
    spv_inst_remove(c->module, inst);
}

void check_lower_reserved(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    const spv_id args[] = {inst->words[2], inst->words[3]};
    check_call(c, &c->reserved, "__pumice_check_reserved", ARRAY_LENGTH(args), args);
    spv_inst_remove(c->module, inst);
}
