/* Which components of a vector that is read are used: reading v->x reads no more in OpenCL C, but loads the vector. What
 * goes lane by lane, or into a private variable, is followed to what it is used for. Of a variable that is stored to at
 * several places it is not known for which of them. */
#include "compiler/lower/check/check.h"

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

static void use_all(void *data, struct spv_inst *inst, uint32_t *word)
{
    (void)inst;
    use(data, *word, ALL_LANES);
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
                spv_foreach_inst (inst, &block->insts)
                    use_operands(&w, inst);
            }
        }
    }
}

bool check_used_bytes(const struct check_sites *s, spv_id value, uint64_t bytes, uint32_t *first, uint32_t *used)
{
    spv_id type = spv_value_type(s->module, value);
    uint32_t all = value < s->num_ids ? s->used_lanes[value] : ALL_LANES, lanes = all & ALL_LANES;
    uint32_t count = spv_type_count(s->module, type);
    *first = 0;
    *used = (uint32_t)bytes;
    if (!lanes && all)
        return false;
    if (lanes == ALL_LANES || !spv_type_is_vector(s->module, type) || bytes % count)
        return true;
    uint32_t size = (uint32_t)bytes / count, low = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    lanes >>= low;
    *first = low * size;
    *used = lanes ? (32 - (uint32_t)__builtin_clz(lanes)) * size : 0;
    return !(lanes & (lanes + 1));
}

bool check_leaves_lanes_out(const struct check_sites *s, spv_id value)
{
    uint32_t used = value < s->num_ids ? s->used_lanes[value] : ALL_LANES, lanes = (used | used >> PERHAPS) & ALL_LANES;
    if (!(used & ALL_LANES) && value < s->num_ids && s->by_number[value])
        return true;
    lanes >>= lanes ? __builtin_ctz(lanes) : 0;
    return lanes & (lanes + 1);
}
