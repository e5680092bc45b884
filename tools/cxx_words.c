/* Modules as words: reading, adding, and writing what is left. */
#include "cxx_words.h"

#include <stdlib.h>
#include <string.h>

void words_put(struct words *to, const uint32_t *from, size_t count)
{
    if (to->count + count > to->capacity) {
        size_t capacity = (to->count + count) * 2;
        uint32_t *grown = realloc(to->data, capacity * 4);
        if (!grown) {
            to->failed = true;
            return;
        }
        to->data = grown;
        to->capacity = capacity;
    }
    if (count)
        memcpy(to->data + to->count, from, count * 4);
    to->count += count;
}

void words_put_all(struct words *to, const struct words *from)
{
    to->failed |= from->failed;
    words_put(to, from->data, from->count);
}

void words_free(struct words *words)
{
    free(words->data);
    *words = (struct words){0};
}

uint32_t words_result_at(uint32_t op)
{
    if (op >= SpvOpTypeVoid && op <= SpvOpTypePipe)
        return 1;
    if (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp)
        return 2;
    switch (op) {
    case SpvOpTypeNamedBarrier:
    case SpvOpTypePipeStorage:
    case SpvOpExtInstImport:
    case SpvOpString:
        return 1;
    case SpvOpConstantFunctionPointerINTEL:
    case SpvOpConstantPipeStorage:
    case SpvOpUndef:
    case SpvOpVariable:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionCall:
    case SpvOpLoad:
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpGenericCastToPtrExplicit:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpCopyObject:
    case SpvOpConvertUToPtr:
        return 2;
    default:
        return 0;
    }
}

bool words_is_global(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
           (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) || op == SpvOpUndef || op == SpvOpTypeNamedBarrier ||
           op == SpvOpTypePipeStorage || op == SpvOpConstantPipeStorage || op == SpvOpConstantFunctionPointerINTEL ||
           op == SpvOpVariable;
}

uint32_t words_target(const uint32_t *inst)
{
    switch (op_of(inst)) {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return length_of(inst) > 1 ? inst[1] : 0;
    case SpvOpEntryPoint:
        return length_of(inst) > 2 ? inst[2] : 0;
    default:
        return 0;
    }
}

static void note_target(struct module *m, const uint32_t *inst)
{
    uint32_t op = op_of(inst), length = length_of(inst);
    struct module_id *id = module_id(m, words_target(inst));
    if (!id)
        return;
    if (op == SpvOpName && length > 2)
        id->name = (const char *)(inst + 2);
    if (op == SpvOpDecorate && length > 4 && inst[2] == SpvDecorationLinkageAttributes &&
        inst[length - 1] == SpvLinkageTypeImport)
        id->import = (const char *)(inst + 3);
}

bool module_open(struct module *m, const uint32_t *words, size_t count)
{
    *m = (struct module){.in = words, .count = count};
    if (count < SPIRV_HEADER || words[0] != SpvMagicNumber || !words[3] || words[3] > 1u << 24)
        return false;
    m->old_bound = m->bound = words[3];
    m->ids = calloc(m->old_bound, sizeof(*m->ids));
    if (!m->ids)
        return false;
    struct spirv_walk walk = spirv_walk(words, count);
    while (spirv_next(&walk)) {
        const uint32_t *inst = walk.inst;
        uint32_t result = words_result_at(walk.op);
        if (result && result < walk.length && module_id(m, inst[result]))
            m->ids[inst[result]].def = inst;
        if (walk.op == SpvOpTypeVoid && walk.length > 1)
            m->void_type = inst[1];
        if (walk.op == SpvOpTypeInt && walk.length > 2 && inst[2] == 32)
            m->uint_type = inst[1];
        note_target(m, inst);
    }
    return walk.next == walk.end;
}

void module_close(struct module *m)
{
    words_free(&m->capabilities);
    words_free(&m->entries);
    words_free(&m->modes);
    words_free(&m->annotations);
    words_free(&m->types);
    words_free(&m->functions);
    free(m->ids);
}

struct module_id *module_id(struct module *m, uint32_t id)
{
    return id && id < m->old_bound ? &m->ids[id] : NULL;
}

const uint32_t *module_def(const struct module *m, uint32_t id)
{
    return id && id < m->old_bound ? m->ids[id].def : NULL;
}

const uint32_t *module_def_of(const struct module *m, uint32_t id, uint32_t op)
{
    const uint32_t *inst = module_def(m, id);
    return inst && op_of(inst) == op ? inst : NULL;
}

uint32_t module_new_id(struct module *m)
{
    return m->bound++;
}

bool module_is_dropped(const struct module *m, uint32_t id)
{
    return id && id < m->old_bound && m->ids[id].dropped;
}

/* A type or constant that has these words but for its id at `at`; 0: there is none. */
static uint32_t find_equal(const struct module *m, const uint32_t *wanted, uint32_t at)
{
    for (uint32_t id = 1; id < m->bound; id++) {
        const uint32_t *def = module_def(m, id);
        if (def && !m->ids[id].dropped && def[0] == wanted[0] && !memcmp(def + 1, wanted + 1, (at - 1) * 4) &&
            !memcmp(def + at + 1, wanted + at + 1, (length_of(wanted) - at - 1) * 4))
            return id;
    }
    for (size_t i = 0; i < m->types.count; i += length_of(m->types.data + i)) {
        const uint32_t *def = m->types.data + i;
        if (def[0] == wanted[0] && !memcmp(def + 1, wanted + 1, (at - 1) * 4) &&
            !memcmp(def + at + 1, wanted + at + 1, (length_of(wanted) - at - 1) * 4))
            return def[at];
    }
    return 0;
}

static uint32_t unique(struct module *m, uint32_t *wanted, uint32_t at)
{
    uint32_t id = find_equal(m, wanted, at);
    if (id)
        return id;
    wanted[at] = module_new_id(m);
    words_put(&m->types, wanted, length_of(wanted));
    return wanted[at];
}

uint32_t module_pointer_type(struct module *m, uint32_t storage, uint32_t pointee)
{
    uint32_t wanted[] = {4u << 16 | SpvOpTypePointer, 0, storage, pointee};
    return unique(m, wanted, 1);
}

uint32_t module_function_type(struct module *m, uint32_t result, const uint32_t *params, uint32_t count)
{
    uint32_t *wanted = malloc((count + 3) * sizeof(*wanted));
    if (!wanted) {
        m->types.failed = true;
        return 0;
    }
    wanted[0] = (count + 3) << 16 | SpvOpTypeFunction;
    wanted[2] = result;
    for (uint32_t i = 0; i < count; i++)
        wanted[3 + i] = params[i];
    uint32_t id = unique(m, wanted, 1);
    free(wanted);
    return id;
}

uint32_t module_uint_constant(struct module *m, uint32_t value)
{
    if (!m->uint_type) {
        m->uint_type = module_new_id(m);
        WORDS_PUT(&m->types, SpvOpTypeInt, m->uint_type, 32, 0);
    }
    uint32_t wanted[] = {4u << 16 | SpvOpConstant, m->uint_type, 0, value};
    return unique(m, wanted, 2);
}

/* The sections whose ends are places for additions, in a module's order. */
enum section { CAPABILITIES, PREAMBLE, ENTRIES, MODES, DEBUG, ANNOTATIONS, GLOBALS, FUNCTIONS };

static enum section section_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
        return CAPABILITIES;
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
        return PREAMBLE;
    case SpvOpEntryPoint:
        return ENTRIES;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return MODES;
    case SpvOpString:
    case SpvOpSourceExtension:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return DEBUG;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpDecorateId:
        return ANNOTATIONS;
    case SpvOpFunction:
        return FUNCTIONS;
    default:
        return GLOBALS;
    }
}

struct writer {
    struct module *m;
    bool (*change)(void *data, struct words *out, const uint32_t *inst);
    void *data;
};

static void put_inst(const struct writer *w, struct words *out, const uint32_t *inst)
{
    uint32_t result = words_result_at(op_of(inst));
    bool leaves = module_is_dropped(w->m, words_target(inst)) || (result && module_is_dropped(w->m, inst[result]));
    if ((!w->change || !w->change(w->data, out, inst)) && !leaves)
        words_put(out, inst, length_of(inst));
}

static bool is_early(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) || op == SpvOpTypeNamedBarrier ||
           op == SpvOpTypePipeStorage || op == SpvOpConstantTrue || op == SpvOpConstantFalse || op == SpvOpConstant;
}

/* Types and numbers come first, since they need nothing else; then what is added, which may need any of them; then
 * the rest in its order. Void is first of all: additions that replace a type in its place may need it. */
static void put_globals(const struct writer *w, struct words *out, size_t begin, size_t end)
{
    struct module *m = w->m;
    if (m->void_type)
        words_put(out, m->ids[m->void_type].def, 2);
    for (int late = 0; late < 2; late++) {
        for (size_t at = begin; at < end; at += length_of(m->in + at)) {
            uint32_t op = op_of(m->in + at);
            if (is_early(op) != late && op != SpvOpTypeVoid)
                put_inst(w, out, m->in + at);
        }
        if (!late)
            words_put_all(out, &m->types);
    }
}

/* Declarations come first (SPIR-V 1.6, 2.4), then what <opencl_device_queue> enqueues: validators do not know that all
 * instructions which enqueue may name a function that comes later. */
static int rank(const struct module *m, uint32_t function)
{
    const struct module_id *id = function < m->old_bound ? &m->ids[function] : NULL;
    if (id && id->import)
        return 0;
    return id && id->name && strstr(id->name, "13__run_closure") ? 1 : 2;
}

static void put_functions_of(const struct writer *w, struct words *out, size_t begin, int wanted)
{
    const struct module *m = w->m;
    bool leaves = false;
    for (size_t at = begin; at < m->count; at += length_of(m->in + at)) {
        const uint32_t *inst = m->in + at;
        leaves |= op_of(inst) == SpvOpFunction && (module_is_dropped(m, inst[2]) || rank(m, inst[2]) != wanted);
        if (!leaves)
            put_inst(w, out, inst);
        leaves &= op_of(inst) != SpvOpFunctionEnd;
    }
}

static void put_functions(const struct writer *w, struct words *out, size_t begin)
{
    for (int wanted = 0; wanted < 3; wanted++)
        put_functions_of(w, out, begin, wanted);
    words_put_all(out, &w->m->functions);
}

/* All before the types. Each section ends with what is added to it, whether it is there or not. */
static void put_head(const struct writer *w, struct words *out, size_t end)
{
    struct module *m = w->m;
    const struct words *const added[GLOBALS] = {
        [CAPABILITIES] = &m->capabilities,
        [ENTRIES] = &m->entries,
        [MODES] = &m->modes,
        [ANNOTATIONS] = &m->annotations,
    };
    enum section section = CAPABILITIES;
    for (size_t at = SPIRV_HEADER; at < end; at += length_of(m->in + at)) {
        for (; section < section_of(op_of(m->in + at)); section++) {
            if (added[section])
                words_put_all(out, added[section]);
        }
        put_inst(w, out, m->in + at);
    }
    for (; section < GLOBALS; section++) {
        if (added[section])
            words_put_all(out, added[section]);
    }
}

/* The last comes first: what is written may add to the sections before. */
uint32_t *module_write(struct module *m, bool (*change)(void *data, struct words *out, const uint32_t *inst),
                       void *data, size_t *count)
{
    const struct writer w = {m, change, data};
    struct words out = {0}, globals = {0}, functions = {0};
    size_t begin = SPIRV_HEADER, end;
    while (begin < m->count && section_of(op_of(m->in + begin)) < GLOBALS)
        begin += length_of(m->in + begin);
    for (end = begin; end < m->count && op_of(m->in + end) != SpvOpFunction;)
        end += length_of(m->in + end);
    put_functions(&w, &functions, end);
    put_globals(&w, &globals, begin, end);
    words_put(&out, m->in, SPIRV_HEADER);
    put_head(&w, &out, begin);
    words_put_all(&out, &globals);
    words_put_all(&out, &functions);
    words_free(&globals);
    words_free(&functions);
    if (out.failed) {
        words_free(&out);
        return NULL;
    }
    out.data[3] = m->bound;
    *count = out.count;
    return out.data;
}
