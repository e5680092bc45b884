/* Which components of a vector that is read are used: reading v->x reads no more in OpenCL C, but loads the vector. What
 * goes lane by lane, or into a private variable, is followed to what it is used for. Of a variable that is stored to at
 * several places it is not known for which of them. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

enum { ALL_LANES = CHECK_ALL_LANES, PERHAPS = 16 /* from this bit on: lanes that may be used */ };

/* The walk over all instructions is repeated until nothing changes. */
struct walk {
    struct check_sites *s;
    bool changed;
    uint8_t *stores; /* by id of a variable: how many there are, 2 at most */
};

static void use(struct walk *w, spv_id id, uint32_t lanes)
{
    uint32_t *used = &w->s->used_lanes[id];
    if (lanes & ~*used) {
        *used |= lanes;
        w->changed = true;
    }
}

/* A pointer to v.y that goes elsewhere leads to all of v, for modules in which it may be stepped on. */
static void use_all(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct walk *w = data;
    const struct spv_inst *def = spv_def(w->s->module, *word);
    bool accessed = word == inst->words && (inst->op == SpvOpLoad || inst->op == SpvOpStore);
    use(w, *word, ALL_LANES);
    if (def && spv_op_is_chain(def->op) && !accessed)
        use(w, def->words[0], ALL_LANES);
}

static uint32_t lane(uint64_t number)
{
    return number < 16 ? 1u << number : ALL_LANES;
}

/* words: two vectors, and the lanes of both together that the result has. */
static void use_shuffled(struct walk *w, const struct spv_inst *inst)
{
    const struct spv_module *module = w->s->module;
    const uint32_t both = 1u | 1u << PERHAPS;
    uint32_t count = spv_type_count(module, spv_value_type(module, inst->words[0]));
    for (uint32_t i = 2; i < inst->num_words && i < 18; i++) {
        bool second = inst->words[i] >= count;
        uint32_t used = w->s->used_lanes[inst->id] >> (i - 2) & both;
        if (inst->words[i] != UINT32_MAX)
            use(w, inst->words[second], used * lane(inst->words[i] - (second ? count : 0)));
    }
}

/* A vector from numbers and vectors, one behind the other. */
static void use_joined(struct walk *w, const struct spv_inst *inst)
{
    const uint32_t both = 1u | 1u << PERHAPS;
    uint32_t at = 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        uint32_t count = spv_type_count(w->s->module, spv_value_type(w->s->module, inst->words[i]));
        for (uint32_t k = 0; k < count && at < PERHAPS; k++, at++)
            use(w, inst->words[i], (w->s->used_lanes[inst->id] >> at & both) * (1u << k));
    }
}

static bool is_vector(const struct walk *w, spv_id type)
{
    return type && spv_type_is_vector(w->s->module, type);
}

static bool is_variable(const struct walk *w, spv_id pointer)
{
    const struct spv_inst *def = spv_def(w->s->module, pointer);
    return def && def->op == SpvOpVariable && def->words[0] == SpvStorageClassFunction &&
           is_vector(w, spv_pointer_pointee(w->s->module, def->type));
}

/* v.y of a variable. */
static bool use_component(struct walk *w, const struct spv_inst *chain)
{
    uint64_t index;
    if ((chain->op != SpvOpAccessChain && chain->op != SpvOpInBoundsAccessChain) || chain->num_words != 2 ||
        !is_variable(w, chain->words[0]) || !spv_const_value(w->s->module, chain->words[1], &index))
        return false;
    use(w, chain->words[0], lane(index));
    return true;
}

/* OpenCL.std: those that take no pointer, but for what looks at all lanes together. */
static bool is_function_of_lanes(const struct spv_module *module, const struct spv_inst *inst)
{
    uint32_t number = inst->words[1];
    switch (number) {
    case OpenCLstd_Cross:
    case OpenCLstd_Normalize:
    case OpenCLstd_Fast_normalize:
        return false;
    default:
        break;
    }
    for (uint32_t i = 2; i < inst->num_words; i++) {
        if (spv_type_is_pointer(module, spv_value_type(module, inst->words[i])))
            return false;
    }
    return number < OpenCLstd_Vloadn || number == OpenCLstd_Bitselect || number == OpenCLstd_Select;
}

bool check_goes_by_lane(const struct spv_module *module, const struct spv_inst *inst)
{
    if (!inst->type || !spv_type_is_vector(module, inst->type))
        return false;
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_ARITHMETIC:
    case SPV_CLASS_INT_DIVISION:
    case SPV_CLASS_BITWISE:
    case SPV_CLASS_SHIFT:
    case SPV_CLASS_FLOAT_ARITHMETIC:
    case SPV_CLASS_LOGICAL:
    case SPV_CLASS_INT_COMPARISON:
    case SPV_CLASS_FLOAT_COMPARISON:
    case SPV_CLASS_FLOAT_TEST:
    case SPV_CLASS_FLOAT_TO_INT:
    case SPV_CLASS_INT_TO_FLOAT:
    case SPV_CLASS_INT_TO_INT:
    case SPV_CLASS_INT_SATURATED:
    case SPV_CLASS_FLOAT_TO_FLOAT:
        return true;
    default:
        break;
    }
    switch (inst->op) {
    case SpvOpExtInst:
        return inst->hints.ext_set == SPV_EXT_SET_OPENCL && is_function_of_lanes(module, inst);
    case SpvOpBitcast: {
        spv_id from = spv_value_type(module, inst->words[0]);
        return spv_type_count(module, from) == spv_type_count(module, inst->type);
    }
    case SpvOpSelect:
    case SpvOpVectorTimesScalar:
        return true;
    default:
        return false;
    }
}

static uint32_t stored_lanes(const struct walk *w, spv_id variable)
{
    uint32_t used = w->s->used_lanes[variable];
    return w->stores[variable] > 1 ? (used | used << PERHAPS) & ~(uint32_t)ALL_LANES : used;
}

static void use_operands(struct walk *w, struct spv_inst *inst)
{
    uint32_t *used = w->s->used_lanes;
    if (inst->op == SpvOpCompositeExtract && inst->num_words == 2 &&
        is_vector(w, spv_value_type(w->s->module, inst->words[0]))) {
        if (used[inst->id] & ALL_LANES)
            use(w, inst->words[0], lane(inst->words[1]));
        else if (used[inst->id])
            use(w, inst->words[0], lane(inst->words[1]) << PERHAPS);
    } else if (inst->op == SpvOpCompositeInsert && inst->num_words == 3 && is_vector(w, inst->type)) {
        uint32_t into = inst->words[2] < PERHAPS ? (1u | 1u << PERHAPS) << inst->words[2] : 0;
        use(w, inst->words[0], (used[inst->id] & into) >> inst->words[2] % PERHAPS);
        use(w, inst->words[1], used[inst->id] & ~into);
    } else if (inst->op == SpvOpVectorExtractDynamic) { /* v[n]: one of them */
        w->s->by_number[inst->words[0]] = 1;
        use(w, inst->words[0], used[inst->id] ? (uint32_t)ALL_LANES << PERHAPS : 0);
        use(w, inst->words[1], used[inst->id] ? ALL_LANES : 0);
    } else if (inst->op == SpvOpVectorInsertDynamic) { /* all others, that is */
        w->s->by_number[inst->words[0]] = 1;
        use(w, inst->words[0], (used[inst->id] | used[inst->id] << PERHAPS) & ~(uint32_t)ALL_LANES);
        use(w, inst->words[1], used[inst->id] ? ALL_LANES : 0);
        use(w, inst->words[2], used[inst->id] ? ALL_LANES : 0);
    } else if (inst->op == SpvOpVectorShuffle) {
        use_shuffled(w, inst);
    } else if (inst->op == SpvOpCompositeConstruct && is_vector(w, inst->type)) {
        use_joined(w, inst);
    } else if (inst->op == SpvOpPhi && is_vector(w, inst->type)) {
        for (uint32_t i = 0; i < inst->num_words; i += 2)
            use(w, inst->words[i], used[inst->id]);
    } else if (check_goes_by_lane(w->s->module, inst)) {
        for (uint32_t i = inst->op == SpvOpExtInst ? 2 : 0; i < inst->num_words; i++)
            use(w, inst->words[i], used[inst->id]);
    } else if (inst->op == SpvOpLoad && is_variable(w, inst->words[0])) {
        use(w, inst->words[0], used[inst->id]);
    } else if (inst->op == SpvOpStore && is_variable(w, inst->words[0])) {
        use(w, inst->words[1], stored_lanes(w, inst->words[0]));
    } else if (!use_component(w, inst)) {
        spv_visit_operand_ids(inst, use_all, w);
    }
}

static void note_by_number(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct walk *w = data;
    (void)inst;
    w->changed |= !w->s->by_number[*word];
    w->s->by_number[*word] = 1;
}

/* What a vector is made of is used by number where the vector is. */
static void spread_by_number(struct walk *w, struct spv_inst *inst)
{
    if (inst->op == SpvOpStore && is_variable(w, inst->words[0]) && w->s->by_number[inst->words[0]])
        note_by_number(w, inst, &inst->words[1]);
    else if (inst->id && w->s->by_number[inst->id])
        spv_visit_operand_ids(inst, note_by_number, w);
}

static void count_stores(struct walk *w)
{
    w->stores = arena_array(w->s->module->arena, uint8_t, w->s->num_ids);
    spv_foreach_function (function, w->s->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpStore && w->stores[inst->words[0]] < 2)
                    w->stores[inst->words[0]]++;
            }
        }
    }
}

void check_find_lanes(struct check_sites *s)
{
    struct walk w = {.s = s, .changed = true};
    s->num_ids = s->module->bound;
    s->used_lanes = arena_array(s->module->arena, uint32_t, s->num_ids);
    s->by_number = arena_array(s->module->arena, uint8_t, s->num_ids);
    count_stores(&w);
    while (w.changed) {
        w.changed = false;
        spv_foreach_function (function, s->module) {
            spv_foreach_block (block, function) {
                spv_foreach_inst (inst, &block->insts) {
                    use_operands(&w, inst);
                    spread_by_number(&w, inst);
                }
            }
        }
    }
}

static uint32_t all_of(uint32_t count)
{
    return (1u << count) - 1;
}

void check_note_lanes(const struct check_sites *s, struct clc_check_site *site, spv_id value, uint64_t bytes)
{
    spv_id type = value ? spv_value_type(s->module, value) : 0;
    uint32_t count = type && spv_type_is_vector(s->module, type) ? spv_type_count(s->module, type) : 1;
    bool known = count > 1 && count <= PERHAPS && bytes % count == 0 && value < s->num_ids;
    site->num_lanes = known ? count : 1;
    site->lanes = site->reached = (uint16_t)all_of(site->num_lanes);
    if (!known)
        return;
    site->lanes = s->used_lanes[value] & all_of(count);
    site->perhaps = (s->used_lanes[value] >> PERHAPS & all_of(count)) & ~(uint32_t)site->lanes;
    site->by_number = s->by_number[value];
    site->access |= !site->lanes && site->perhaps ? CLC_SITE_WHOLE : 0; /* one that is not written tells nothing */
}

uint32_t check_lanes_that_count(const struct check_sites *s, const struct spv_inst *inst)
{
    uint32_t used = inst->id < s->num_ids ? s->used_lanes[inst->id] : 0;
    used = (used | used >> PERHAPS) & ALL_LANES;
    return used && spv_type_is_vector(s->module, inst->type) ? used : ALL_LANES;
}

/* ---- loads of components ---- */

/* Whether a part of what the pointer leads to may lie in an object and another part outside. Not so in a variable that
 * consists of as many bytes again and again, at multiples of them. */
static bool may_cross(struct check_sites *s, spv_id pointer, uint64_t size)
{
    const struct spv_inst *def = spv_def(s->module, pointer);
    if (check_known_align(&s->layouts, pointer) < size)
        return true;
    for (uint32_t steps = 0; def && def->op != SpvOpVariable && steps < 64; steps++)
        def = spv_op_leads_on(def->op) || def->op == SpvOpPtrCastToGeneric ? spv_def(s->module, def->words[0]) : NULL;
    return !def || def->op != SpvOpVariable ||
           spv_layout_of(&s->layouts, spv_pointer_pointee(s->module, def->type))->size % size != 0;
}

uint32_t check_lanes_to_load(struct check_sites *s, spv_id value, spv_id pointer, uint64_t size)
{
    spv_id type = spv_value_type(s->module, value);
    uint32_t count = spv_type_is_vector(s->module, type) ? spv_type_count(s->module, type) : 1;
    uint32_t used = value < s->num_ids ? s->used_lanes[value] : 0;
    used = (used | used >> PERHAPS) & all_of(count);
    bool some = count > 1 && used && used != all_of(count) && lower_keeps_bounds(s->lower);
    return some && may_cross(s, pointer, size) ? used : 0;
}

/* The value becomes one of the numbers; the others are 1, with which no operation goes wrong. */
static void become_vector(struct check_sites *s, struct spv_inst *inst, const spv_id *numbers)
{
    struct spv_module *module = s->module;
    spv_id words[PERHAPS], component = spv_type_component(module, inst->type);
    uint32_t count = spv_type_count(module, inst->type), width = spv_type_width(module, component);
    uint64_t one = spv_type_is_float(module, component) ? float_to_bits(1, width) : 1;
    for (uint32_t i = 0; i < count; i++)
        words[i] = numbers[i] ? numbers[i] : spv_const_bits(module, component, one);
    inst->op = SpvOpCompositeConstruct;
    inst->hints = (struct spv_hints){0};
    spv_inst_set_words(module, inst, count, words);
}

void check_load_lanes(struct check_sites *s, struct spv_inst *load, uint32_t lanes)
{
    struct spv_module *module = s->module;
    spv_id component = spv_type_component(module, load->type), numbers[PERHAPS] = {0};
    SpvStorageClass storage = spv_pointer_storage(module, spv_value_type(module, load->words[0]));
    spv_id to = spv_type_pointer(module, storage, component);
    uint32_t size = spv_type_width(module, component) / 8, align = lower_read_access(load, 1).align;
    for (uint32_t i = 0; i < spv_type_count(module, load->type); i++) {
        if (!(lanes >> i & 1))
            continue;
        uint32_t offset = i * size, at = (offset | align) & (0 - (offset | align));
        spv_id pointer = spv_emitv(&s->b, SpvOpInBoundsAccessChain, to, load->words[0], spv_const_u32(module, i));
        numbers[i] = spv_emitv(&s->b, SpvOpLoad, component, pointer, SpvMemoryAccessAlignedMask, at ? at : size);
    }
    become_vector(s, load, numbers);
}

void check_vload_lanes(struct check_sites *s, struct spv_inst *inst, uint32_t lanes)
{
    struct spv_module *module = s->module;
    spv_id component = spv_type_component(module, inst->type), numbers[PERHAPS] = {0}, pointer = inst->words[3];
    spv_id type = spv_value_type(module, pointer), none = inst->words[2];
    uint32_t set = inst->words[0], align = spv_type_width(module, component) / 8;
    bool whole = inst->words[1] == OpenCLstd_Vloadn;
    for (uint32_t i = 0; i < spv_type_count(module, inst->type); i++) {
        if (!(lanes >> i & 1))
            continue;
        spv_id at = spv_emitv(&s->b, SpvOpPtrAccessChain, type, pointer, spv_const_u32(module, i));
        numbers[i] = whole ? spv_emitv(&s->b, SpvOpLoad, component, at, SpvMemoryAccessAlignedMask, align)
                           : spv_emitv(&s->b, SpvOpExtInst, component, set, OpenCLstd_Vload_half, none, at);
    }
    become_vector(s, inst, numbers);
}

/* ---- check ---- */

uint32_t check_parts_of(struct checking *c, const struct mark *mark, uint32_t lanes,
                        struct check_part parts[CHECK_MOST_PARTS])
{
    const struct clc_check_site *info = mark->info;
    uint32_t count = 0, size = info->size / info->num_lanes;
    if (!info->size || mark->stored) {
        parts[0] = (struct check_part){.size = mark->size};
        return 1;
    }
    for (uint32_t i = 0; lanes >> i; i++) {
        if (!(lanes >> i & 1))
            continue;
        if (!count || parts[count - 1].first + parts[count - 1].bytes != i * size)
            parts[count++] = (struct check_part){.first = i * size};
        parts[count - 1].bytes += size;
    }
    for (uint32_t i = 0; i < count; i++)
        parts[i].size = spv_const_u64(c->module, parts[i].bytes);
    return count;
}

struct check_part check_reached(const struct clc_check_site *info)
{
    uint32_t size = info->size / info->num_lanes, low = (uint32_t)__builtin_ctz(info->reached);
    uint32_t count = 32 - (uint32_t)__builtin_clz(info->reached) - low;
    if (info->num_lanes == 1)
        return (struct check_part){.bytes = info->size};
    return (struct check_part){.first = low * size, .bytes = count * size};
}

spv_id check_part_at(struct checking *c, spv_id place, uint32_t first)
{
    return first ? spv_emitv(&c->b, SpvOpIAdd, c->u64, place, spv_const_u64(c->module, first)) : place;
}
