/* Marks indices of arrays that lie in something larger (check.h): a member of a structure, or a row of an array.
 *
 *     %p = OpInBoundsAccessChain %s 1 %i        CheckFault (%i >= 2) %i site        (struct { int a; char b[2]; })
 *     %v = OpLoad %char %p                 ->   %v = OpLoad %char %p
 *
 * C11, 6.5.6: p + i leads into the array that p leads into, or behind its last element. The access may well be inside of
 * the structure, so that nothing else would find it; it is reported and done.
 *
 * The front end says of a[i] alone that it is in bounds, and folding keeps this only where it sees that an index stays in
 * its array (opt/fold_chain.c). Other compilers mean the whole object by it, and put steps of pointers into indices: their
 * modules are not looked at. */
#include "compiler/lower/check/check.h"

static void mark_index(struct check_sites *s, spv_id index, uint64_t count)
{
    spv_id u64 = spv_type_int(s->module, 64);
    uint64_t value;
    if (spv_const_value(s->module, index, &value) && value < count)
        return;
    if (spv_type_width(s->module, spv_value_type(s->module, index)) < 64)
        index = spv_emitv(&s->b, SpvOpSConvert, u64, index);
    spv_id wrong =
        spv_emitv(&s->b, SpvOpUGreaterThanEqual, spv_type_bool(s->module), index, spv_const_u64(s->module, count));
    const spv_id args[] = {wrong, index, check_add_site(s, CLC_SITE_INDEX)};
    s->lower->check_sites.data[s->lower->check_sites.length - 1].size = (uint32_t)count;
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(s->module), 3, args);
}

/* Whether the type's length counts. An array of one element or none at a structure's end stands for as many as there is
 * memory for, unless a variable says how much that is. */
static bool has_end(const struct spv_module *module, spv_id type, bool is_last, bool in_variable)
{
    return spv_type_op(module, type) == SpvOpTypeArray &&
           (!is_last || in_variable || spv_array_length(module, type) > 1);
}

/* The indices of one chain, but that of a whole variable, which its size is held against. */
static void mark_chain(struct check_sites *s, const struct spv_inst *chain)
{
    const struct spv_inst *base = spv_def(s->module, chain->words[0]);
    bool in_variable = base && base->op == SpvOpVariable, is_last = false;
    spv_id type = spv_pointer_pointee(s->module, spv_value_type(s->module, chain->words[0]));
    uint32_t first = spv_op_is_by_element(chain->op) ? 2 : 1;
    for (uint32_t i = first; i < chain->num_words; i++) {
        uint64_t member = 0, at;
        bool in_struct = spv_type_op(s->module, type) == SpvOpTypeStruct;
        if (!spv_member_count(s->module, type) || (in_struct && !spv_const_value(s->module, chain->words[i], &member)))
            return;
        bool whole = i == first && in_variable && first == 1;
        if (!whole && has_end(s->module, type, is_last, in_variable))
            mark_index(s, chain->words[i], spv_array_length(s->module, type));
        is_last = in_struct && member + 1 == spv_member_count(s->module, type);
        type = spv_layout_member(&s->layouts, type, member, &at);
    }
}

void check_mark_indices(struct check_sites *s, spv_id pointer)
{
    const struct spv_inst *def = spv_def(s->module, pointer);
    if (!(s->lower->watched & CLC_CHECK_BOUNDS) || s->module->generator)
        return;
    for (uint32_t steps = 0; def && spv_op_leads_on(def->op) && steps < 64; steps++) {
        if (!spv_type_is_pointer(s->module, spv_value_type(s->module, def->words[0])))
            return;
        if (spv_op_is_in_bounds(def->op))
            mark_chain(s, def);
        if (spv_op_is_by_element(def->op))
            return; /* what it steps on from may lie behind its array */
        def = spv_def(s->module, def->words[0]);
    }
}
