/* What pointers lead into. */
#include "compiler/lower/check/check.h"

/* ---- places that are known ---- */

static bool add_index(struct spv_layouts *layouts, spv_id index, uint64_t stride, int64_t *offset)
{
    const struct spv_module *module = layouts->module;
    uint64_t value;
    if (!spv_const_value(module, index, &value))
        return false;
    uint32_t width = spv_type_width(module, spv_value_type(module, index));
    int64_t number = width < 64 ? (int64_t)(value << (64 - width)) >> (64 - width) : (int64_t)value;
    return number <= INT32_MAX && number >= INT32_MIN && stride <= INT32_MAX &&
           !__builtin_add_overflow(*offset, number * (int64_t)stride, offset);
}

/* Adds what the chain's indices come to. */
static bool add_chain(struct spv_layouts *layouts, const struct spv_inst *chain, int64_t *offset)
{
    const struct spv_module *module = layouts->module;
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, chain->words[0]));
    bool element = spv_op_is_by_element(chain->op);
    for (uint32_t i = 1; i < chain->num_words; i++) {
        uint64_t member = 0, at = 0;
        if (element) {
            if (!add_index(layouts, chain->words[i], spv_layout_of(layouts, type)->size, offset))
                return false;
            element = false;
            continue;
        }
        if (spv_type_op(module, type) == SpvOpTypeStruct) {
            if (!spv_const_value(module, chain->words[i], &member) || member >= spv_member_count(module, type))
                return false;
            type = spv_layout_member(layouts, type, member, &at);
            if (__builtin_add_overflow(*offset, (int64_t)at, offset))
                return false;
            continue;
        }
        if (!spv_member_count(module, type))
            return false;
        type = spv_layout_member(layouts, type, 0, &at);
        if (!add_index(layouts, chain->words[i], spv_layout_of(layouts, type)->size, offset))
            return false;
    }
    return true;
}

static SpvStorageClass storage_of(const struct spv_module *module, spv_id pointer)
{
    return spv_pointer_storage(module, spv_value_type(module, pointer));
}

/* Whether an access by a pointer of that storage class reaches the root: a cast from a generic pointer may name another
 * one, where the same number is another place. */
static bool is_reached(const struct spv_module *module, spv_id root, SpvStorageClass storage)
{
    return storage == SpvStorageClassGeneric || storage == storage_of(module, root);
}

bool check_find_place(struct spv_layouts *layouts, spv_id pointer, struct check_place *place)
{
    const struct spv_module *module = layouts->module;
    const SpvStorageClass storage = storage_of(module, pointer);
    *place = (struct check_place){0};
    for (uint32_t steps = 0; steps < 64; steps++) {
        const struct spv_inst *def = spv_def(module, pointer);
        if (!def)
            return false;
        if (def->op == SpvOpVariable) {
            place->variable = def;
            place->size = spv_layout_of(layouts, spv_pointer_pointee(module, def->type))->size;
            return is_reached(module, def->id, storage);
        }
        if (spv_op_is_chain(def->op)) {
            if (!add_chain(layouts, def, &place->offset))
                return false;
        } else if (!spv_op_leads_on(def->op) && def->op != SpvOpPtrCastToGeneric && def->op != SpvOpGenericCastToPtr) {
            return false;
        }
        pointer = def->words[0];
        if (!spv_type_is_pointer(module, spv_value_type(module, pointer)))
            return false;
    }
    return false;
}

/* ---- alignment ---- */

static void align_to(uint32_t *align, uint64_t offset)
{
    uint64_t bit = offset & (0 - offset);
    if (bit && bit < *align)
        *align = (uint32_t)bit;
}

/* What an index adds: as many times the stride as it says. */
static void align_to_index(const struct spv_module *module, uint32_t *align, spv_id index, uint64_t stride)
{
    uint64_t value;
    align_to(align, spv_const_value(module, index, &value) ? value * stride : stride);
}

static void align_to_chain(struct spv_layouts *layouts, uint32_t *align, const struct spv_inst *chain)
{
    const struct spv_module *module = layouts->module;
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, chain->words[0]));
    bool element = spv_op_is_by_element(chain->op);
    for (uint32_t i = 1; i < chain->num_words; i++) {
        uint64_t member = 0, at = 0;
        bool in_struct = !element && spv_type_op(module, type) == SpvOpTypeStruct;
        if (in_struct &&
            !(spv_const_value(module, chain->words[i], &member) && member < spv_member_count(module, type)))
            return;
        if (!element && !in_struct && !spv_member_count(module, type))
            return;
        if (!element)
            type = spv_layout_member(layouts, type, member, &at);
        if (in_struct)
            align_to(align, at);
        else
            align_to_index(module, align, chain->words[i], spv_layout_of(layouts, type)->size);
        element = false;
    }
}

uint32_t check_known_align(struct spv_layouts *layouts, spv_id pointer)
{
    const struct spv_module *module = layouts->module;
    uint32_t align = UINT32_MAX;
    for (uint32_t steps = 0; steps < 64; steps++) {
        const struct spv_inst *def = spv_def(module, pointer);
        if (def && def->op == SpvOpVariable) {
            align_to(&align, spv_layout_of(layouts, spv_pointer_pointee(module, def->type))->align);
            return align;
        }
        if (def && spv_op_is_chain(def->op))
            align_to_chain(layouts, &align, def);
        else if (!def || (!spv_op_leads_on(def->op) && def->op != SpvOpPtrCastToGeneric))
            break;
        pointer = def->words[0];
        if (!spv_type_is_pointer(module, spv_value_type(module, pointer)))
            break;
    }
    return UINT32_MAX;
}

/* ---- roots ---- */

enum { MOST_SEEN = 64 };

struct search {
    const struct lower *lower;
    struct check_roots *roots;
    SpvStorageClass storage; /* of the access */
    spv_id seen[MOST_SEEN];  /* phis and choices */
    uint32_t num_seen;
};

static void add_root(struct search *s, spv_id id)
{
    struct check_roots *roots = s->roots;
    for (uint32_t i = 0; i < roots->count; i++) {
        if (roots->list[i] == id)
            return;
    }
    if (roots->count == CHECK_MOST_ROOTS || !is_reached(s->lower->module, id, s->storage))
        roots->unknown = true;
    else
        roots->list[roots->count++] = id;
}

static bool is_kernel_param(const struct lower *lower, spv_id id)
{
    for (uint32_t i = 0; i < lower->kernel->params.length; i++) {
        if (lower->kernel->params.data[i]->id == id)
            return true;
    }
    return false;
}

static bool see(struct search *s, spv_id id)
{
    for (uint32_t i = 0; i < s->num_seen; i++) {
        if (s->seen[i] == id)
            return false;
    }
    if (s->num_seen == MOST_SEEN) {
        s->roots->unknown = true;
        return false;
    }
    s->seen[s->num_seen++] = id;
    return true;
}

/* What a cast, chain or mark begins with; 0: it is none of them. */
static spv_id led_on_from(const struct spv_inst *def)
{
    if (spv_op_leads_on(def->op) || def->op == SpvOpPtrCastToGeneric || def->op == SpvOpGenericCastToPtr ||
        def->op == SpvOpGenericCastToPtrExplicit)
        return def->words[0];
    return spv_is_private(def, SPV_PRIVATE_CHECKED) ? def->words[2] : 0;
}

static void search(struct search *s, spv_id pointer, uint32_t depth)
{
    const struct spv_module *module = s->lower->module;
    const struct spv_inst *def = spv_def(module, pointer);
    for (spv_id from; def && (from = led_on_from(def)); def = spv_def(module, from)) {
        if (!spv_type_is_pointer(module, spv_value_type(module, from))) {
            s->roots->unknown = true;
            return;
        }
    }
    bool is_new = def && (def->op == SpvOpPhi || def->op == SpvOpSelect) && see(s, def->id);
    if (!def || depth > MOST_SEEN) {
        s->roots->unknown = true;
    } else if (def->op == SpvOpPhi || def->op == SpvOpSelect) {
        bool phi = def->op == SpvOpPhi;
        for (uint32_t i = phi ? 0 : 1; is_new && i < def->num_words; i += phi ? 2 : 1)
            search(s, def->words[i], depth + 1);
    } else if (def->op == SpvOpVariable || (def->op == SpvOpFunctionParameter && is_kernel_param(s->lower, def->id))) {
        add_root(s, def->id);
    } else if (def->op != SpvOpConstantNull && def->op != SpvOpUndef) {
        s->roots->unknown = true;
    }
}

void check_find_roots(const struct lower *lower, spv_id pointer, struct check_roots *roots)
{
    struct search s = {.lower = lower, .roots = roots, .storage = storage_of(lower->module, pointer)};
    *roots = (struct check_roots){0};
    search(&s, pointer, 0);
}
