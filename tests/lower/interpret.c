/* An access chain into a local variable is a place of its own: programs have one chain for each. Values are by id; each
 * may be undefined, which spreads, and is an error only where it decides something. */
#include "interpret.h"

#include <string.h>

enum { MAX_STEPS = 200000 };

/* A scalar; or a vector of up to four, in lanes. */
struct value {
    uint32_t bits;
    bool defined;
    struct {
        uint32_t bits;
        bool defined;
    } lanes[4];
};

struct machine {
    const struct spv_module *module;
    struct value *values;  /* by id */
    struct u64_map memory; /* place -> struct value */
    struct arena *arena;
    uint32_t input, steps;
    struct run *run;
};

static struct value run_function(struct machine *m, const struct spv_function *function);

static struct value value_of(struct machine *m, spv_id id)
{
    const struct spv_inst *def = spv_def(m->module, id);
    uint64_t bits;
    if (def && !def->block && spv_const_value(m->module, id, &bits))
        return (struct value){(uint32_t)bits, true};
    if (def && def->op == SpvOpUndef)
        return (struct value){0, false};
    return m->values[id];
}

static void fail(struct machine *m, const char *what)
{
    if (!m->run->error)
        m->run->error = what;
}

static struct value compute(struct machine *m, const struct spv_inst *inst)
{
    struct value v[3] = {{0, true}, {0, true}, {0, true}};
    for (uint32_t i = 0; i < inst->num_words && i < 3; i++)
        v[i] = value_of(m, inst->words[i]);
    uint32_t a = v[0].bits, b = v[1].bits, bits = 0;
    bool defined = v[0].defined && v[1].defined;
    switch (inst->op) {
    case SpvOpIAdd:
        bits = a + b;
        break;
    case SpvOpISub:
        bits = a - b;
        break;
    case SpvOpIMul:
        bits = a * b;
        break;
    case SpvOpBitwiseAnd:
        bits = a & b;
        break;
    case SpvOpBitwiseOr:
        bits = a | b;
        break;
    case SpvOpBitwiseXor:
        bits = a ^ b;
        break;
    case SpvOpShiftRightLogical:
        bits = b < 32 ? a >> b : 0;
        break;
    case SpvOpShiftLeftLogical:
        bits = b < 32 ? a << b : 0;
        break;
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        bits = a == b;
        break;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        bits = a != b;
        break;
    case SpvOpUGreaterThanEqual:
        bits = a >= b;
        break;
    case SpvOpULessThan:
        bits = a < b;
        break;
    case SpvOpLogicalNot:
        bits = !a;
        break;
    case SpvOpLogicalAnd:
        bits = a & b;
        break;
    case SpvOpLogicalOr:
        bits = a | b;
        break;
    case SpvOpCopyObject:
        return v[0];
    case SpvOpSelect:
        return v[0].defined ? (a ? v[1] : v[2]) : (struct value){0, false};
    default:
        fail(m, spv_op_name(inst->op));
        break;
    }
    return (struct value){bits, defined};
}

static bool is_local(const struct machine *m, spv_id pointer)
{
    const struct spv_inst *def = spv_def(m->module, pointer);
    while (def && def->op == SpvOpAccessChain)
        def = spv_def(m->module, def->words[0]);
    return def && def->op == SpvOpVariable && def->block;
}

/* What a pointer to local memory points to; a part of a variable is a place of its own. */
static struct value *place(struct machine *m, spv_id pointer)
{
    uint64_t key = 0, index;
    const struct spv_inst *def = spv_def(m->module, pointer);
    for (; def->op == SpvOpAccessChain; def = spv_def(m->module, def->words[0])) {
        for (uint32_t i = def->num_words; i-- > 1;)
            key = key * 1000003 + (spv_const_value(m->module, def->words[i], &index)
                                       ? index + 1
                                       : value_of(m, def->words[i]).bits + (uint64_t)1);
    }
    key = key << 32 | def->id;
    struct value *value = u64_map_get(&m->memory, key);
    if (!value) {
        value = arena_new(m->arena, struct value);
        u64_map_set(m->arena, &m->memory, key, value);
    }
    return value;
}

static void store(struct machine *m, const struct spv_inst *inst)
{
    struct value value = value_of(m, inst->words[1]);
    if (is_local(m, inst->words[0])) {
        *place(m, inst->words[0]) = value;
        return;
    }
    if (!value.defined)
        fail(m, "an undefined value is stored");
    m->run->events[m->run->num_events++] = value.bits;
}

static void call(struct machine *m, const struct spv_inst *inst)
{
    const struct spv_function *callee = spv_function_of(m->module, inst->words[0]);
    for (uint32_t i = 0; i < callee->params.length; i++)
        m->values[callee->params.data[i]->id] = value_of(m, inst->words[i + 1]);
    m->values[inst->id] = run_function(m, callee);
}

/* Loads outside Function storage give the input. */
static void execute(struct machine *m, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpVariable:
        *place(m, inst->id) = inst->num_words > 1 ? value_of(m, inst->words[1]) : (struct value){0, false};
        break;
    case SpvOpLoad:
        m->values[inst->id] = is_local(m, inst->words[0]) ? *place(m, inst->words[0]) : (struct value){m->input, true};
        break;
    case SpvOpStore:
        store(m, inst);
        break;
    case SpvOpFunctionCall:
        call(m, inst);
        break;
    case SpvOpAccessChain:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpPhi:
        break;
    case SpvOpCompositeExtract: {
        struct value whole = value_of(m, inst->words[0]);
        uint32_t lane = inst->words[1] & 3;
        m->values[inst->id] = (struct value){whole.lanes[lane].bits, whole.lanes[lane].defined};
        break;
    }
    case SpvOpCompositeInsert: {
        struct value part = value_of(m, inst->words[0]), whole = value_of(m, inst->words[1]);
        whole.lanes[inst->words[2] & 3].bits = part.bits;
        whole.lanes[inst->words[2] & 3].defined = part.defined;
        m->values[inst->id] = whole;
        break;
    }
    default:
        m->values[inst->id] = compute(m, inst);
        break;
    }
}

static void take_phis(struct machine *m, const struct spv_block *block, spv_id from)
{
    struct value incoming[256];
    uint32_t count = 0;
    for (const struct spv_inst *phi = block->insts.first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        incoming[count] = (struct value){0, false};
        for (uint32_t i = 0; i < phi->num_words; i += 2) {
            if (phi->words[i + 1] == from)
                incoming[count] = value_of(m, phi->words[i]);
        }
        if (++count == 256) {
            fail(m, "too many phis");
            return;
        }
    }
    count = 0;
    for (const struct spv_inst *phi = block->insts.first; phi && phi->op == SpvOpPhi; phi = phi->next)
        m->values[phi->id] = incoming[count++];
}

static spv_id next_label(struct machine *m, const struct spv_inst *end)
{
    struct value value;
    switch (end->op) {
    case SpvOpBranch:
        return end->words[0];
    case SpvOpBranchConditional:
        value = value_of(m, end->words[0]);
        if (!value.defined)
            fail(m, "an undefined condition");
        return end->words[value.bits ? 1 : 2];
    case SpvOpSwitch:
        value = value_of(m, end->words[0]);
        if (!value.defined && end->num_words > 2)
            fail(m, "an undefined selector");
        for (uint32_t i = 2; i < end->num_words; i += 2) {
            if (end->words[i] == value.bits)
                return end->words[i + 1];
        }
        return end->words[1];
    case SpvOpReturn:
    case SpvOpReturnValue:
        return 0;
    default:
        fail(m, spv_op_name(end->op));
        return 0;
    }
}

/* Runs have ended when an error, the number of steps or of events ends them; then everything returns. */
static bool ended(struct machine *m)
{
    struct run *run = m->run;
    if (m->steps > MAX_STEPS)
        run->out_of_steps = true;
    return run->error || run->out_of_steps || run->num_events == run->max_events;
}

static struct value run_function(struct machine *m, const struct spv_function *function)
{
    struct value nothing = {0, false};
    for (const struct spv_block *block = function->first_block; block;) {
        const struct spv_inst *inst = block->insts.first;
        for (; inst->next; inst = inst->next) {
            execute(m, inst);
            m->steps++;
            if (ended(m))
                return nothing;
        }
        m->steps++;
        if (inst->op == SpvOpReturnValue)
            return value_of(m, inst->words[0]);
        spv_id label = next_label(m, inst);
        if (ended(m))
            return nothing;
        const struct spv_block *next = label ? spv_block_of(m->module, label) : NULL;
        if (next)
            take_phis(m, next, block->label->id);
        block = next;
    }
    return nothing;
}

void interpret(struct arena *arena, const struct spv_module *module, const struct spv_function *function,
               uint32_t input, struct run *run)
{
    struct arena_mark mark = arena_mark(arena);
    struct machine m = {.module = module, .input = input, .run = run};
    m.values = arena_array(arena, struct value, module->bound);
    m.arena = arena;
    run_function(&m, function);
    run->returned = !ended(&m);
    arena_rewind(arena, mark);
}
