/* Makes the marks of check-sites code (check.h).
 *
 *     %q = Checked %p 4 site          %a = address of %p - address of what it leads into
 *     %v = OpLoad %int %q        ->   %ok = %a <= its size - 4
 *                                     __pumice_check(head, site, ..., !%ok)
 *                                     %q = OpSelect %ok %p %page
 *                                     %v = OpLoad %int %q
 *
 * So control flow stays as it is, a load that would be wrong gives zeros, and a store goes where nobody reads. A pointer
 * of which it cannot be seen what it leads into is looked up among the context's memory. What it can be seen to lead into
 * are arguments, whose sizes the launch tells, and variables. In robust mode nothing is reported. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/builtins/passes.h"
#include "compiler/lower/check/passes.h"
#include "compiler/lower/values/launch.h"

#include "compiler/opt/opt.h"

#include "base/map.h"
#include "base/util.h"

#include <string.h>

static spv_id op1(struct checking *c, SpvOp op, spv_id type, spv_id a)
{
    return spv_emitv(&c->b, op, type, a);
}

static spv_id select(struct checking *c, spv_id type, spv_id condition, spv_id yes, spv_id no)
{
    return spv_emitv(&c->b, SpvOpSelect, type, condition, yes, no);
}

static spv_id state(struct checking *c, uint64_t offset)
{
    spv_id start = lower_emit_launch_value(c->lower, &c->b, CLC_LAUNCH_CHECK, 0);
    return offset ? spv_emitv(&c->b, SpvOpIAdd, c->u64, start, spv_const_u64(c->module, offset)) : start;
}

spv_id check_head(struct checking *c)
{
    return state(c, 2 * (uint64_t)c->lower->check_page);
}

spv_id check_page(struct checking *c, bool writes)
{
    return state(c, writes ? c->lower->check_page : 0);
}

spv_id check_call(struct checking *c, spv_id *function, const char *name, uint32_t count, const spv_id *args)
{
    if (!*function)
        *function = lower_late_body(c->lower, name);
    if (!*function)
        return 0;
    uint32_t words[11] = {*function};
    memcpy(words + 1, args, count * sizeof(args[0]));
    return spv_emit(&c->b, SpvOpFunctionCall, spv_def(c->module, *function)->type, count + 1, words);
}

/* ---- what a pointer leads into ---- */

const char *check_name_of(const struct lower *lower, spv_id id)
{
    const struct spv_inst *name = spv_names(lower->module, id);
    while (name && name->op != SpvOpName)
        name = name->next_decoration;
    const char *text = name ? spv_string(name, 1, NULL) : NULL;
    return text && *text ? arena_printf(lower->arena, "%s", text) : NULL;
}

uint32_t check_param_number(const struct checking *c, spv_id id)
{
    uint32_t i = 0;
    while (i < c->lower->kernel->params.length && c->lower->kernel->params.data[i]->id != id)
        i++;
    return i;
}

SpvStorageClass check_storage_of(const struct checking *c, spv_id pointer)
{
    return spv_pointer_storage(c->module, spv_value_type(c->module, pointer));
}

/* A structure that is passed by value lies in the argument block. */
bool check_is_told(const struct checking *c, const struct spv_inst *root)
{
    return root->op == SpvOpFunctionParameter && check_storage_of(c, root->id) != SpvStorageClassFunction &&
           !c->lower->args[check_param_number(c, root->id)].by_place;
}

static uint64_t static_size(struct checking *c, const struct spv_inst *root)
{
    return spv_layout_of(&c->layouts, spv_pointer_pointee(c->module, root->type))->size;
}

/* One more than the object's number. */
uint32_t check_object_of(struct checking *c, const struct spv_inst *root)
{
    uint32_t known = (uint32_t)(uintptr_t)u64_map_get(&c->objects, root->id);
    if (known || c->lower->check_objects.length >= CLC_WHAT_OBJECT - 1)
        return known;
    struct clc_check_object object = {.name = check_name_of(c->lower, root->id), .kind = CLC_OBJECT_PRIVATE};
    SpvStorageClass storage = check_storage_of(c, root->id);
    if (root->op == SpvOpFunctionParameter) {
        object.kind = CLC_OBJECT_ARGUMENT;
        object.arg = check_param_number(c, root->id);
    }
    if (!check_is_told(c, root)) {
        object.kind = storage == SpvStorageClassWorkgroup         ? CLC_OBJECT_LOCAL
                      : storage == SpvStorageClassCrossWorkgroup  ? CLC_OBJECT_GLOBAL
                      : storage == SpvStorageClassUniformConstant ? CLC_OBJECT_CONSTANT
                                                                  : CLC_OBJECT_PRIVATE;
        object.size = static_size(c, root);
    }
    vec_push(c->lower->arena, &c->lower->check_objects, object);
    known = c->lower->check_objects.length;
    u64_map_set(c->lower->arena, &c->objects, root->id, (void *)(uintptr_t)known);
    return known;
}

/* Likewise, where the access may lead into each of these. */
static uint32_t one_of(struct checking *c, const struct check_roots *roots)
{
    uint64_t key = 0;
    uint32_t numbers[CHECK_MOST_ROOTS];
    for (uint32_t i = 0; i < roots->count; i++) {
        numbers[i] = check_object_of(c, spv_def(c->module, roots->list[i]));
        key = hash_bytes64(&numbers[i], sizeof(numbers[i]), key);
    }
    uint32_t list = (uint32_t)(uintptr_t)u64_map_get(&c->lists, key);
    if (list || c->lower->check_objects.length + roots->count >= CLC_WHAT_OBJECT)
        return list;
    for (uint32_t i = roots->count; i-- > 0;) {
        const struct clc_check_object one = {.kind = CLC_OBJECT_ONE_OF, .arg = list, .size = numbers[i]};
        vec_push(c->lower->arena, &c->lower->check_objects, one);
        list = c->lower->check_objects.length;
    }
    u64_map_set(c->lower->arena, &c->lists, key, (void *)(uintptr_t)list);
    return list;
}

/* The number of a pointer, as pointers of another space have it where that is the generic one: there numbers of local and
 * private memory have a tag. */
spv_id check_number_of(struct checking *c, spv_id pointer, SpvStorageClass storage)
{
    spv_id type = spv_value_type(c->module, pointer);
    if (storage == SpvStorageClassGeneric && spv_pointer_storage(c->module, type) != storage) {
        type = spv_type_pointer(c->module, storage, spv_pointer_pointee(c->module, type));
        pointer = op1(c, SpvOpPtrCastToGeneric, type, pointer);
    }
    return op1(c, SpvOpConvertPtrToU, c->u64, pointer);
}

static bool constant_size(const struct checking *c, const struct mark *mark, uint64_t *size)
{
    return spv_const_value(c->module, mark->size, size);
}

/* distance + the access's size <= size of the object */
static spv_id fits(struct checking *c, const struct mark *mark, spv_id distance, spv_id size)
{
    spv_id last = spv_emitv(&c->b, SpvOpISub, c->u64, size, mark->size);
    spv_id near = spv_emitv(&c->b, SpvOpULessThanEqual, c->truth, distance, last);
    spv_id large = spv_emitv(&c->b, SpvOpUGreaterThanEqual, c->truth, size, mark->size);
    return spv_emitv(&c->b, SpvOpLogicalAnd, c->truth, near, large);
}

spv_id check_address_of(struct checking *c, struct mark *mark)
{
    if (!mark->address)
        mark->address = op1(c, SpvOpConvertPtrToU, c->u64, mark->pointer);
    return mark->address;
}

/* ---- distances ---- */

enum { MOST_CHAINS = 16 };

static spv_id add(struct checking *c, spv_id sum, spv_id term)
{
    return sum ? spv_emitv(&c->b, SpvOpIAdd, c->u64, sum, term) : term;
}

static spv_id add_index(struct checking *c, spv_id sum, spv_id index, uint64_t stride)
{
    spv_id type = spv_value_type(c->module, index);
    if (spv_type_width(c->module, type) < 64)
        index = op1(c, SpvOpSConvert, c->u64, index);
    return add(c, sum,
               stride == 1 ? index : spv_emitv(&c->b, SpvOpIMul, c->u64, index, spv_const_u64(c->module, stride)));
}

/* What a chain adds; sum may be 0. 0: it goes where no chain goes. */
static spv_id add_chain(struct checking *c, spv_id sum, const struct spv_inst *chain)
{
    spv_id type = spv_pointer_pointee(c->module, spv_value_type(c->module, chain->words[0]));
    bool element = spv_op_is_by_element(chain->op);
    for (uint32_t i = 1; i < chain->num_words; i++) {
        uint64_t member = 0, at = 0;
        if (!element && spv_type_op(c->module, type) == SpvOpTypeStruct) {
            if (!spv_const_value(c->module, chain->words[i], &member) || member >= spv_member_count(c->module, type))
                return 0;
            type = spv_layout_member(&c->layouts, type, member, &at);
            sum = add(c, sum, spv_const_u64(c->module, at));
            continue;
        }
        if (!element && !spv_member_count(c->module, type))
            return 0;
        if (!element)
            type = spv_layout_member(&c->layouts, type, 0, &at);
        sum = add_index(c, sum, chain->words[i], spv_layout_of(&c->layouts, type)->size);
        element = false;
    }
    return sum;
}

/* How far from the root the pointer leads, by chains and casts alone; 0: there is more on the way. As a sum of indices it is
 * known where these are, once loops are written out. */
static spv_id distance_by_chains(struct checking *c, spv_id pointer, spv_id root)
{
    const struct spv_inst *chains[MOST_CHAINS];
    uint32_t count = 0;
    while (pointer != root) {
        const struct spv_inst *def = spv_def(c->module, pointer);
        bool chain = def && spv_op_is_chain(def->op);
        if (!def || (chain && count == MOST_CHAINS) ||
            (!spv_op_leads_on(def->op) && def->op != SpvOpPtrCastToGeneric && def->op != SpvOpGenericCastToPtr))
            return 0;
        if (chain)
            chains[count++] = def;
        pointer = spv_replaced(&c->replacements, def->words[0]);
    }
    spv_id sum = spv_const_u64(c->module, 0);
    while (count && sum)
        sum = add_chain(c, sum, chains[--count]);
    return sum;
}

spv_id check_distance_from(struct checking *c, struct mark *mark, const struct spv_inst *root, bool alone)
{
    bool local = check_storage_of(c, root->id) == SpvStorageClassWorkgroup, told = check_is_told(c, root) && !local;
    spv_id sum = alone ? distance_by_chains(c, mark->pointer, root->id) : 0, start = 0;
    if (told)
        start = lower_emit_arg_limit(c->lower, &c->b, check_param_number(c, root->id), CLC_LIMIT_START);
    if (sum && !told)
        return sum;
    if (sum)
        return spv_emitv(&c->b, SpvOpIAdd, c->u64, sum,
                         spv_emitv(&c->b, SpvOpISub, c->u64, op1(c, SpvOpConvertPtrToU, c->u64, root->id), start));
    if (!told)
        start = check_number_of(c, root->id, mark->storage);
    return spv_emitv(&c->b, SpvOpISub, c->u64, check_address_of(c, mark), start);
}

/* What the distance of an access of so many bytes has to be below. Computed once, where the kernel begins. */
static spv_id limit_of(struct checking *c, struct mark *mark, uint32_t arg, uint64_t bytes)
{
    uint32_t how = mark->info->access & (CLC_SITE_READS | CLC_SITE_WRITES);
    uint64_t key = (uint64_t)arg << 34 | (uint64_t)how << 32 | bytes;
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&c->limits, key);
    if (known)
        return known;
    struct spv_builder here = c->b;
    struct spv_block *entry = c->lower->kernel->first_block;
    c->b = (struct spv_builder){c->module, c->lower->kernel, entry, entry->insts.first, NULL};
    while (c->b.before->op == SpvOpVariable)
        c->b.before = c->b.before->next;
    spv_id least = how & CLC_SITE_WRITES ? lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_WRITE) : 0;
    if (how & CLC_SITE_READS) {
        spv_id read = lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_READ);
        least = least ? select(c, c->u64, spv_emitv(&c->b, SpvOpULessThan, c->truth, read, least), read, least) : read;
    }
    spv_id fits_in = spv_emitv(&c->b, SpvOpUGreaterThanEqual, c->truth, least, spv_const_u64(c->module, bytes));
    spv_id limit = spv_emitv(&c->b, SpvOpISub, c->u64, least, spv_const_u64(c->module, bytes - 1));
    limit = select(c, c->u64, fits_in, limit, spv_const_u64(c->module, 0));
    c->b = here;
    u64_map_set(c->module->arena, &c->limits, key, (void *)(uintptr_t)limit);
    return limit;
}

/* Whether the access is in the object that root leads to; alone: it leads nowhere else. */
static spv_id is_in(struct checking *c, struct mark *mark, const struct spv_inst *root, bool alone)
{
    uint64_t bytes, size = 0;
    uint32_t arg = check_param_number(c, root->id);
    bool told = check_is_told(c, root);
    spv_id distance = check_part_at(c, check_distance_from(c, mark, root, alone), mark->first);
    mark->value = distance;
    mark->what = check_object_of(c, root);
    if (told && constant_size(c, mark, &bytes) && bytes && bytes <= UINT32_MAX && c->b.function == c->lower->kernel)
        return spv_emitv(&c->b, SpvOpULessThan, c->truth, distance, limit_of(c, mark, arg, bytes));
    if (told) {
        enum clc_arg_limit limit = mark->info->access & CLC_SITE_WRITES ? CLC_LIMIT_WRITE : CLC_LIMIT_READ;
        spv_id most = lower_emit_arg_limit(c->lower, &c->b, arg, limit);
        if ((mark->info->access & (CLC_SITE_READS | CLC_SITE_WRITES)) == (CLC_SITE_READS | CLC_SITE_WRITES)) {
            spv_id read = lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_READ);
            most = select(c, c->u64, spv_emitv(&c->b, SpvOpULessThan, c->truth, read, most), read, most);
        }
        return fits(c, mark, distance, most);
    }
    size = static_size(c, root);
    if (!constant_size(c, mark, &bytes))
        return fits(c, mark, distance, spv_const_u64(c->module, size));
    if (bytes > size)
        return spv_const_bool(c->module, false);
    return spv_emitv(&c->b, SpvOpULessThanEqual, c->truth, distance, spv_const_u64(c->module, size - bytes));
}

/* Whether the access is right, as far as can be told; 0: nothing can be told here. */
static spv_id is_right(struct checking *c, struct mark *mark)
{
    struct check_roots roots;
    check_find_roots(c->lower, mark->pointer, &roots);
    if (c->b.function != c->lower->kernel) { /* its arguments are not known to others */
        for (uint32_t i = 0; i < roots.count; i++)
            roots.unknown |= check_is_told(c, spv_def(c->module, roots.list[i])) &&
                             check_storage_of(c, roots.list[i]) == SpvStorageClassWorkgroup;
    }
    if (roots.unknown) {
        if (mark->storage != SpvStorageClassCrossWorkgroup && mark->storage != SpvStorageClassUniformConstant &&
            mark->storage != SpvStorageClassGeneric) {
            c->lower->check_leaves |= mark->storage == SpvStorageClassWorkgroup ? LOWER_TAG_LOCAL : LOWER_TAG_PRIVATE;
            return 0;
        }
        uint32_t how = mark->info->access & (CLC_SITE_READS | CLC_SITE_WRITES);
        how |= mark->storage == SpvStorageClassGeneric ? c->lower->check_tags : 0;
        mark->value = check_part_at(c, check_address_of(c, mark), mark->first);
        const spv_id args[] = {check_head(c), mark->value, mark->size, spv_const_u32(c->module, how)};
        c->lower->check_ranges = true;
        spv_id found = check_call(c, &c->find, "__pumice_check_find", ARRAY_LENGTH(args), args);
        return found ? spv_emitv(&c->b, SpvOpINotEqual, c->truth, found, spv_const_u32(c->module, 0)) : 0;
    }
    spv_id right = 0;
    for (uint32_t i = 0; i < roots.count; i++) {
        spv_id in = is_in(c, mark, spv_def(c->module, roots.list[i]), roots.count == 1);
        right = right ? spv_emitv(&c->b, SpvOpLogicalOr, c->truth, right, in) : in;
    }
    if (roots.count != 1) {
        mark->what = one_of(c, &roots);
        mark->value = check_part_at(c, check_address_of(c, mark), mark->first);
    }
    return right ? right : spv_const_bool(c->module, false);
}

/* ---- another place for wrong accesses ---- */

static spv_id spare_type(struct checking *c)
{
    return spv_type_array(c->module, c->u32, (c->spare_size + 3) / 4);
}

static spv_id spare_variable(struct checking *c, SpvStorageClass storage)
{
    if (storage == SpvStorageClassWorkgroup) {
        if (!c->local_spare) {
            spv_id type = spv_type_pointer(c->module, storage, spare_type(c));
            c->local_spare = spv_global_variable(c->module, type, storage, 0);
        }
        return c->local_spare;
    }
    if (!c->private_spare || c->private_function != c->b.function) {
        c->private_spare = spv_emit_variable(&c->b, spare_type(c));
        c->private_function = c->b.function;
    }
    return c->private_spare;
}

/* A pointer of the same type to where the access does no harm; 0: there is no such place. */
static spv_id spare(struct checking *c, const struct mark *mark)
{
    spv_id type = spv_value_type(c->module, mark->pointer);
    if (mark->storage == SpvStorageClassWorkgroup || mark->storage == SpvStorageClassFunction) {
        if (!mark->info->size || mark->info->size > c->spare_size)
            return 0;
        return op1(c, SpvOpBitcast, type, spare_variable(c, mark->storage));
    }
    if (mark->storage != SpvStorageClassCrossWorkgroup && mark->storage != SpvStorageClassUniformConstant &&
        mark->storage != SpvStorageClassGeneric)
        return 0;
    spv_id address = check_page(c, mark->info->access & CLC_SITE_WRITES);
    if (mark->storage != SpvStorageClassGeneric)
        return op1(c, SpvOpConvertUToPtr, type, address);
    spv_id global = spv_type_pointer(c->module, SpvStorageClassCrossWorkgroup, spv_pointer_pointee(c->module, type));
    return op1(c, SpvOpPtrCastToGeneric, type, op1(c, SpvOpConvertUToPtr, global, address));
}

/* ---- marks ---- */

static void check_alignment(struct checking *c, struct mark *mark)
{
    uint32_t align = mark->info->align;
    if (!(c->lower->watched & CLC_CHECK_VALUES) || align < 2 || !is_power_of_two(align))
        return;
    uint32_t known = check_known_align(&c->layouts, mark->pointer);
    if (known != UINT32_MAX && known >= align)
        return;
    spv_id rest =
        spv_emitv(&c->b, SpvOpBitwiseAnd, c->u64, check_address_of(c, mark), spv_const_u64(c->module, align - 1));
    spv_id wrong = spv_emitv(&c->b, SpvOpINotEqual, c->truth, rest, spv_const_u64(c->module, 0));
    struct mark whole = *mark;
    whole.value = mark->address;
    whole.size = mark->info->size ? spv_const_u64(c->module, mark->info->size) : mark->size;
    check_report(c, &whole, wrong, CLC_WHAT_MISALIGNED);
}

/* Whether the pointer leads to a place in a variable that is known and right. */
static bool is_known_right(struct checking *c, const struct mark *mark)
{
    struct check_place place;
    uint64_t size;
    if (!constant_size(c, mark, &size) || !check_find_place(&c->layouts, mark->pointer, &place))
        return false;
    place.offset += mark->first;
    return check_is_inside(&place, size) &&
           !(place.variable->words[0] == SpvStorageClassUniformConstant && mark->info->access & CLC_SITE_WRITES);
}

struct mark check_read_mark(struct checking *c, struct spv_inst *inst)
{
    uint64_t site = 0;
    struct mark mark = {.inst = inst, .pointer = inst->words[2], .size = inst->words[3], .site = inst->words[4]};
    mark.pointer = spv_replaced(&c->replacements, mark.pointer);
    spv_const_value(c->module, mark.site, &site);
    mark.info = &c->lower->check_sites.data[site];
    if (mark.info->size && !spv_is_private(inst, SPV_PRIVATE_CHECK_STORED)) {
        struct check_part reached = check_reached(mark.info);
        mark.first = reached.first;
        mark.size = reached.bytes < mark.info->size ? spv_const_u64(c->module, reached.bytes) : mark.size;
    }
    mark.storage = check_storage_of(c, mark.pointer);
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    return mark;
}

/* ---- what wraps ---- */

static void note_operand(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct checking *c = data;
    (void)inst;
    if (*word < c->num_wrapping && c->wrapping[*word])
        return;
    const struct spv_inst *def = spv_def(c->module, spv_replaced(&c->replacements, *word));
    if (*word >= c->num_wrapping || !def || (!def->block && def->op != SpvOpFunctionParameter))
        return;
    c->wrapping[*word] = 1;
    if (def->op == SpvOpPhi || spv_inst_is_pure(def) || spv_is_private(def, SPV_PRIVATE_CHECKED))
        vec_push(c->module->arena, &c->followed, def->id);
    else if (def->op != SpvOpVariable)
        c->follows_memory |= check_param_number(c, def->id) == c->lower->kernel->params.length;
}

/* Later passes may find what was stored, passed or returned where it is loaded or a parameter now. */
static void note_moved(struct checking *c)
{
    c->follows_memory = false;
    c->followed_memory = true;
    spv_foreach_function (function, c->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpStore || inst->op == SpvOpReturnValue || inst->op == SpvOpFunctionCall)
                    spv_visit_operand_ids(inst, note_operand, c);
            }
        }
    }
}

/* What is compared is the number that sums of ints come to, though their overflow is undefined: passes that take it for
 * none would have the access go elsewhere. */
static void let_wrap(struct checking *c, const struct mark *mark)
{
    c->followed.length = 0;
    note_operand(c, mark->inst, &(uint32_t){mark->pointer});
    for (;;) {
        if (!c->followed.length && c->follows_memory && !c->followed_memory)
            note_moved(c);
        if (!c->followed.length)
            return;
        struct spv_inst *inst = c->module->defs[c->followed.data[--c->followed.length]];
        if (spv_no_signed_wrap(inst))
            spv_set_no_signed_wrap(inst, false);
        spv_visit_operand_ids(inst, note_operand, c);
    }
}

/* The condition that the access is right; 0: it is, or nothing is known. */
static spv_id check_mark(struct checking *c, struct mark *mark)
{
    bool known = check_is_proven(c, mark->inst) || is_known_right(c, mark);
    if (!known && lower_keeps_bounds(c->lower))
        let_wrap(c, mark);
    if (known && !(c->lower->watched & CLC_CHECK_VALUES))
        return 0;
    check_alignment(c, mark);
    check_restrict(c, mark);
    return known || !lower_keeps_bounds(c->lower) ? 0 : is_right(c, mark);
}

/* Whether every index that is known is inside of its array, and the chain leads to a number or vector. */
static bool can_clamp(struct checking *c, const struct mark *mark, const struct spv_inst *chain)
{
    bool plain = chain && (chain->op == SpvOpAccessChain || chain->op == SpvOpInBoundsAccessChain);
    const struct spv_inst *variable = plain ? spv_def(c->module, chain->words[0]) : NULL;
    if (!variable || variable->op != SpvOpVariable || mark->storage != SpvStorageClassFunction ||
        mark->inst->id >= c->num_ids || c->other_use[mark->inst->id])
        return false;
    spv_id type = spv_pointer_pointee(c->module, variable->type);
    for (uint32_t i = 1; i < chain->num_words; i++) {
        uint64_t index = 0, at,
                 count = spv_type_op(c->module, type) == SpvOpTypeArray ? spv_array_length(c->module, type)
                                                                        : spv_member_count(c->module, type);
        if (spv_const_value(c->module, chain->words[i], &index) ? index >= count : !count)
            return false;
        type = spv_layout_member(&c->layouts, type, index, &at);
    }
    return !spv_type_is_aggregate(c->module, type) && !spv_type_is_pointer(c->module, type) &&
           spv_type_count(c->module, type) <= 16;
}

/* The chain with indices of 0 where the access would be wrong: passes that make values of arrays know what it leads to. */
static spv_id clamp(struct checking *c, const struct spv_inst *chain, spv_id right)
{
    uint32_t *words = arena_array(c->module->arena, uint32_t, chain->num_words);
    uint64_t known;
    memcpy(words, chain->words, chain->num_words * sizeof(*words));
    for (uint32_t i = 1; i < chain->num_words; i++) {
        spv_id type = spv_value_type(c->module, words[i]);
        if (!spv_const_value(c->module, words[i], &known))
            words[i] = select(c, type, right, words[i], spv_const_bits(c->module, type, 0));
    }
    return spv_emit(&c->b, (SpvOp)chain->op, chain->type, chain->num_words, words);
}

static bool only_reads(const struct mark *mark)
{
    return (mark->info->access & ~CLC_SITE_WHOLE) == CLC_SITE_READS;
}

/* The pointer to use: another one where the access would be wrong. */
static spv_id guard(struct checking *c, struct mark *mark, spv_id right)
{
    const struct spv_inst *chain = spv_def(c->module, mark->pointer);
    void *condition = (void *)(uintptr_t)right;
    if (can_clamp(c, mark, chain)) {
        spv_id pointer = clamp(c, chain, right);
        u64_map_set(c->module->arena, only_reads(mark) ? &c->checked : &c->clamped, pointer, condition);
        return pointer;
    }
    spv_id other = spare(c, mark), type = spv_value_type(c->module, mark->pointer);
    bool in_variable = mark->storage == SpvStorageClassWorkgroup || mark->storage == SpvStorageClassFunction;
    if (!other && !in_variable)
        return mark->pointer;
    if (!other)
        other = spv_const_null(c->module, type); /* memory/region.c keeps what comes from there in the region */
    spv_id pointer = select(c, type, right, mark->pointer, other);
    if (in_variable && only_reads(mark))
        u64_map_set(c->module->arena, &c->checked, pointer, condition);
    return pointer;
}

/* What the program does with its arguments: behind this pass wrong accesses go elsewhere, by all pointers alike. */
static void note_access(struct checking *c, const struct mark *mark)
{
    struct check_roots roots;
    check_find_roots(c->lower, mark->pointer, &roots);
    for (uint32_t i = 0; i < roots.count; i++) {
        uint32_t number = check_param_number(c, roots.list[i]);
        if (number < c->lower->num_args)
            c->lower->check_access[number] |= mark->info->access & (CLC_SITE_READS | CLC_SITE_WRITES);
    }
}

static void lower_checked(struct checking *c, struct spv_inst *inst)
{
    struct mark mark = check_read_mark(c, inst);
    note_access(c, &mark);
    spv_id right = check_mark(c, &mark), pointer = mark.pointer;
    check_local(c, &mark);
    check_written(c, &mark);
    check_tracks(c, &mark);
    if (right) {
        check_report(c, &mark, op1(c, SpvOpLogicalNot, c->truth, right), mark.what);
        pointer = guard(c, &mark, right);
    }
    spv_replace(c->module, &c->replacements, inst->id, pointer);
    spv_inst_remove(c->module, inst);
}

static void lower_checked_size(struct checking *c, struct spv_inst *inst)
{
    struct mark mark = check_read_mark(c, inst);
    note_access(c, &mark);
    spv_id none = spv_const_u64(c->module, 0), right = check_mark(c, &mark), size = mark.size;
    check_local(c, &mark);
    check_written(c, &mark);
    check_tracks(c, &mark);
    if (right) {
        right =
            spv_emitv(&c->b, SpvOpLogicalOr, c->truth, right, spv_emitv(&c->b, SpvOpIEqual, c->truth, mark.size, none));
        check_report(c, &mark, op1(c, SpvOpLogicalNot, c->truth, right), mark.what);
        size = select(c, c->u64, right, size, none);
    }
    spv_replace(c->module, &c->replacements, inst->id, size);
    spv_inst_remove(c->module, inst);
}

static void lower_stored(struct checking *c, struct spv_inst *inst)
{
    struct mark mark = check_read_mark(c, inst);
    mark.stored = true;
    check_local(c, &mark);
    check_tracks(c, &mark);
    spv_inst_remove(c->module, inst);
}

/* One more than the number of an argument that is an image or a pipe; 0: it is none of this function's. */
static uint32_t object_of_handle(struct checking *c, spv_id handle)
{
    const struct clc_check_object object = {.kind = CLC_OBJECT_ARGUMENT, .arg = check_param_number(c, handle)};
    uint32_t known = (uint32_t)(uintptr_t)u64_map_get(&c->objects, handle);
    if (known || object.arg == c->lower->kernel->params.length || c->lower->check_objects.length >= CLC_WHAT_OBJECT - 1)
        return known;
    vec_push(c->lower->arena, &c->lower->check_objects, object);
    known = c->lower->check_objects.length;
    u64_map_set(c->lower->arena, &c->objects, handle, (void *)(uintptr_t)known);
    return known;
}

static void lower_fault(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    const struct mark mark = {.value = inst->words[3], .size = spv_const_u64(c->module, 0), .site = inst->words[4]};
    uint32_t what = inst->num_words > 5 ? object_of_handle(c, inst->words[5]) : 0;
    uint64_t wrong = 1;
    bool right = check_is_proven(c, inst) || check_flag_is_set(c, inst->words[2]);
    if (!right && (!spv_const_value(c->module, inst->words[2], &wrong) || wrong))
        check_report(c, &mark, inst->words[2], what);
    spv_inst_remove(c->module, inst);
}

static void lower_loop(struct checking *c, struct spv_inst *inst)
{
    if (check_drop_look(c, inst))
        return;
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    const spv_id args[] = {check_head(c), inst->words[2], inst->words[3], inst->words[4], inst->words[5]};
    spv_replace(c->module, &c->replacements, inst->id,
                check_call(c, &c->loop, "__pumice_check_loop", ARRAY_LENGTH(args), args));
    spv_inst_remove(c->module, inst);
}

static void lower_step(struct checking *c, struct spv_inst *inst)
{
    if (!check_lower_tracks_step(c, inst))
        check_lower_step(c, inst);
}

static void lower_inst(struct checking *c, struct spv_inst *inst)
{
    if (spv_is_private(inst, SPV_PRIVATE_CHECKED))
        lower_checked(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECKED_SIZE))
        lower_checked_size(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_STORED))
        lower_stored(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_FAULT))
        lower_fault(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_LOOP))
        lower_loop(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_STEP))
        lower_step(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_NAMED))
        check_lower_named(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_PLACE))
        check_lower_place(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_PACKET))
        check_lower_packet(c, inst);
    else if (spv_is_private(inst, SPV_PRIVATE_CHECK_RESERVED))
        check_lower_reserved(c, inst);
}

/* ---- loads from local and private memory ---- */

/* The condition in as many lanes as the type has; 0: there is no choice between values of it. */
static spv_id spread(struct checking *c, spv_id condition, spv_id type)
{
    spv_id lanes[16];
    uint32_t count = spv_type_count(c->module, type);
    if (spv_type_is_aggregate(c->module, type) || count > 16)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        lanes[i] = condition;
    return count == 1
               ? condition
               : spv_emit(&c->b, SpvOpCompositeConstruct, spv_type_vector(c->module, c->truth, count), count, lanes);
}

/* What lies in the spare variable is no zero: the load's value becomes one. */
static void zero_load(struct checking *c, struct spv_inst *load, spv_id right)
{
    c->b = (struct spv_builder){c->module, load->block->function, load->block, load};
    spv_id condition = spread(c, right, load->type);
    if (!condition)
        return;
    struct spv_inst *copy = spv_inst_copy(c->module, load, spv_new_id(c->module));
    spv_inst_insert(&c->b, copy);
    load->op = SpvOpSelect;
    load->hints = (struct spv_hints){0};
    spv_inst_set_words(c->module, load, 3,
                       (const uint32_t[]){condition, copy->id, spv_const_null(c->module, load->type)});
}

/* A store that would be wrong writes what is there: nobody else sees private memory. */
static void keep_stored(struct checking *c, struct spv_inst *store, spv_id right)
{
    spv_id type = spv_value_type(c->module, store->words[1]);
    uint32_t words[4] = {store->words[0]}, count = store->num_words - 1;
    c->b = (struct spv_builder){c->module, store->block->function, store->block, store};
    for (uint32_t i = 1; i < count && i < 4; i++)
        words[i] = store->words[i + 1];
    spv_id old = spv_emit(&c->b, SpvOpLoad, type, count < 4 ? count : 1, words);
    store->words[1] = select(c, type, spread(c, right, type), store->words[1], old);
}

static void zero_loads(struct checking *c, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            spv_id kept = inst->op == SpvOpStore ? (spv_id)(uintptr_t)u64_map_get(&c->clamped, inst->words[0]) : 0;
            if (kept)
                keep_stored(c, inst, kept);
            bool leads = spv_op_leads_on(inst->op) || inst->op == SpvOpPtrCastToGeneric;
            if (!leads && inst->op != SpvOpLoad)
                continue;
            spv_id right = (spv_id)(uintptr_t)u64_map_get(&c->checked, inst->words[0]);
            if (right && leads)
                u64_map_set(c->module->arena, &c->checked, inst->id, (void *)(uintptr_t)right);
            else if (right)
                zero_load(c, inst, right);
        }
    }
}

/* ---- the pass ---- */

static enum opt_call_fate fate_of_call(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    const struct checking *c = data;
    (void)module;
    /* Only the kernel knows the ids where a lane runs several work-items (lower/subgroups/turns.c). */
    bool turns = c->lower->subgroup_size > c->lower->subgroup_lanes;
    bool short_one = callee->def->id == c->check || callee->def->id == c->loop ||
                     callee->def->id == c->local_distance || callee->def->id == c->local ||
                     callee->def->id == c->named_wait || callee->def->id == c->named_place;
    for (uint32_t i = 0; i < ARRAY_LENGTH(c->lots[0]); i++)
        short_one |= callee->def->id == c->lots[0][i] || callee->def->id == c->lots[1][i];
    return short_one || turns ? OPT_CALL_READY : OPT_CALL_STAYS;
}

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct checking *c = data;
    bool plain = (inst->op == SpvOpLoad || inst->op == SpvOpStore) && word == inst->words;
    if (!plain)
        c->other_use[*word] = 1;
}

/* What generic pointers are made of. One with a tag that no pointer can have is a number that a kernel made up. */
static void find_tags(struct checking *c)
{
    spv_foreach_function (function, c->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op != SpvOpPtrCastToGeneric)
                    continue;
                SpvStorageClass from = check_storage_of(c, inst->words[0]);
                c->lower->check_tags |= from == SpvStorageClassWorkgroup  ? LOWER_TAG_LOCAL
                                        : from == SpvStorageClassFunction ? LOWER_TAG_PRIVATE
                                                                          : 0;
            }
        }
    }
}

static void find_uses(struct checking *c)
{
    c->num_ids = c->module->bound;
    c->other_use = arena_array(c->module->arena, uint8_t, c->num_ids);
    spv_foreach_function (function, c->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, note_use, c);
        }
    }
}

static void measure_spare(struct checking *c)
{
    c->spare_size = 16;
    vec_foreach (struct clc_check_site, site, &c->lower->check_sites) {
        if (site->size > c->spare_size && site->size <= CHECK_LARGEST_SPARE)
            c->spare_size = site->size;
    }
}

bool lower_check(struct lower *lower)
{
    lower->idle = !lower_watches(lower) || !lower->module->ext_private;
    if (lower->idle)
        return true;
    lower->check_access = arena_array(lower->arena, uint8_t, lower->num_args + 1u);
    struct checking c = {.lower = lower, .module = lower->module, .reports = lower->watched};
    const struct spv_function *last = lower->module->last_function;
    const char *error = NULL;
    c.layouts = (struct spv_layouts){.arena = lower->module->arena, .module = lower->module};
    c.truth = spv_type_bool(c.module);
    c.u32 = spv_type_int(c.module, 32);
    c.u64 = spv_type_int(c.module, 64);
    measure_spare(&c);
    for (struct spv_function *function = c.module->first_function; function && lower_keeps_bounds(lower);
         function = function->next)
        check_prove(&c, function);
    find_uses(&c);
    find_tags(&c);
    c.num_wrapping = c.module->bound;
    c.wrapping = arena_array(c.module->arena, uint8_t, c.num_wrapping);
    check_begin_restrict(&c);
    check_begin_tracks(&c);
    check_join_ends(&c, lower->kernel);
    check_plan_queue(&c);
    for (struct spv_function *function = c.module->first_function; function; function = function->next) {
        check_find_written(&c, function);
        check_find_ending(&c, function);
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                check_hold_reports(&c, inst);
                lower_inst(&c, inst);
            }
            check_make_reports(&c, block);
        }
        if (function == last)
            break;
    }
    check_make_queue(&c);
    if (lower->error)
        return false;
    spv_apply_replacements(c.module, &c.replacements, NULL);
    spv_foreach_function (function, c.module)
        zero_loads(&c, function);
    if (lower->module->last_function != last && !opt_inline_calls(c.module, lower->kernel, fate_of_call, &c, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error);
    return true;
}
