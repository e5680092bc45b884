/* Initialisers of local objects.
 *
 * The constant leaves, and zero for all that is left out, are stored at once: as one constant, or for large objects by
 * a copy from a constant variable. Then the other leaves are computed and stored one by one, in order. */
#include "compiler/front/emit/emitter.h"

/* Objects up to this many bytes are initialised by a store of a constant. */
#define MAX_STORED 256
/* Parts of initialisers that are computed, in a whole program. A range of designators makes millions of one line. */
#define MAX_COMPUTED (1 << 17)

struct initialiser {
    struct emit *e;
    expr_list dynamic; /* leaves that are no constants, in order */
    uint32_t next;
};

static struct lvalue lane_object(const struct lvalue *vector, uint64_t lane)
{
    struct lvalue part = *vector;
    part.vector = emit_canonical(vector->type.type);
    part.type = (struct qual_type){.type = part.vector->vector.element};
    part.num_lanes = 1;
    part.lanes[0] = (uint8_t)lane;
    return part;
}

/* Visits the leaves in the order that emit_partial_initialiser() did. */
static void store_dynamic(struct initialiser *state, const struct lvalue *object, struct expr *init)
{
    struct emit *e = state->e;
    const struct type *type = emit_canonical(object->type.type);
    if (state->next == state->dynamic.length)
        return;
    if (init->kind != EXPR_INIT_LIST) {
        if (state->dynamic.data[state->next] == init) {
            state->next++;
            emit_store_expr(e, object, init);
        }
        return;
    }
    for (uint32_t i = 0; i < init->init.num_entries; i++) {
        const struct init_entry *entry = &init->init.entries[i];
        bool leaf = entry->value->kind != EXPR_INIT_LIST;
        if (state->next == state->dynamic.length)
            return;
        if (leaf && state->dynamic.data[state->next] != entry->value)
            continue;
        struct lvalue part = *object;
        if (type->kind == TYPE_ARRAY)
            part = emit_element(e, object, emit_const_u64(e, entry->index));
        else if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION)
            part = emit_field(e, object, (uint32_t)entry->index);
        else if (type->kind == TYPE_VECTOR)
            part = lane_object(object, entry->index);
        store_dynamic(state, &part, entry->value);
    }
}

static uint64_t count_leaves(const struct expr *init)
{
    if (init->kind != EXPR_INIT_LIST)
        return 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < init->init.num_entries; i++)
        count += count_leaves(init->init.entries[i].value);
    return count;
}

static uint64_t count_scalars(const struct type *type)
{
    type = emit_canonical(type);
    uint64_t count = 0;
    switch (type->kind) {
    case TYPE_ARRAY:
        return type->array.count * count_scalars(type->array.element.type);
    case TYPE_STRUCT:
        for (uint32_t i = 0; i < type->record.num_fields; i++)
            count += count_scalars(type->record.fields[i].type.type);
        return count;
    default:
        return 1;
    }
}

static void store_constant(struct emit *e, const struct lvalue *object, spv_id constant, bool all_zero)
{
    const struct type *type = object->type.type;
    if (all_zero || type->size <= MAX_STORED) {
        const uint32_t words[] = {object->pointer, constant, SpvMemoryAccessAlignedMask, object->align};
        spv_emit_void(&e->b, SpvOpStore, 4, words);
        return;
    }
    spv_id memory = emit_memory_type(e, type), bytes = emit_int_type(e, 8);
    spv_id variable = spv_global_variable(e->module, emit_pointer_to(e, memory, AS_CONSTANT),
                                          SpvStorageClassUniformConstant, constant);
    spv_decorate(e->module, variable, SpvDecorationAlignment, 1, &object->align);
    const uint32_t words[] = {emit_bitcast(e, emit_pointer_to(e, bytes, object->space), object->pointer),
                              emit_bitcast(e, emit_pointer_to(e, bytes, AS_CONSTANT), variable),
                              emit_const_u64(e, type->size), SpvMemoryAccessAlignedMask, object->align};
    spv_emit_void(&e->b, SpvOpCopyMemorySized, 5, words);
}

void emit_initialise(struct emit *e, const struct lvalue *object, struct expr *init)
{
    const struct type *type = emit_canonical(object->type.type);
    bool list = init->kind == EXPR_INIT_LIST || (init->kind == EXPR_STRING && type->kind == TYPE_ARRAY);
    if (!list) {
        emit_store_expr(e, object, init);
        return;
    }
    if (!type->size)
        return;
    struct initialiser state = {.e = e};
    bool all_zero = false;
    spv_id constant = emit_partial_initialiser(e, object->type, init, &state.dynamic, &all_zero);
    e->num_stored += (uint32_t)state.dynamic.length; /* SEMA_MAX_INIT bounds all of them */
    if (e->num_stored > MAX_COMPUTED)
        pp_fatal(e->front, init->loc, "initializers with more than %d elements that are not constant", MAX_COMPUTED);
    bool complete = all_zero && type->kind != TYPE_UNION && init->kind == EXPR_INIT_LIST &&
                    state.dynamic.length == count_leaves(init) && count_leaves(init) == count_scalars(type);
    if (!complete)
        store_constant(e, object, constant, all_zero);
    store_dynamic(&state, object, init);
}

spv_id emit_init_value(struct emit *e, struct expr *init)
{
    const struct type *type = emit_canonical(init->type.type);
    if (!type_is_aggregate(type) && type->kind != TYPE_VECTOR)
        return init->init.num_entries ? emit_rvalue(e, init->init.entries[0].value) : emit_null(e, type);
    struct lvalue object = emit_temporary(e, init->type);
    emit_initialise(e, &object, init);
    return emit_load(e, &object);
}
