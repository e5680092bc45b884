/* Execution modes of the objects that cxx_attributes.c made of attributes: "pumice_required_k" and its like, which hold
 * numbers or the addresses of specialisation constants:
 *
 *     %o = OpVariable ... %c              ->   OpExecutionModeId %k LocalSizeId %s %one %one
 *
 * It comes behind cxx_complete_module(), which made constants with a SpecId of the objects of spec_constant. */
#include "cxx_passes.h"
#include "cxx_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    const char *prefix;
    uint32_t mode, mode_id, count; /* with numbers, with ids of constants; how many */
} kinds[] = {
    {"pumice_required_", SpvExecutionModeLocalSize, SpvExecutionModeLocalSizeId, 3},
    {"pumice_hint_", SpvExecutionModeLocalSizeHint, SpvExecutionModeLocalSizeHintId, 3},
    {"pumice_subgroups_", SpvExecutionModeSubgroupsPerWorkgroup, SpvExecutionModeSubgroupsPerWorkgroupId, 1},
};

struct sizes {
    struct module m;
    char *message;
    bool by_id;
};

static uint32_t kernel_called(const struct module *m, const char *name)
{
    for (size_t at = SPIRV_HEADER; at < m->count; at += length_of(m->in + at)) {
        const uint32_t *inst = m->in + at;
        if (op_of(inst) == SpvOpEntryPoint && !strcmp((const char *)(inst + 3), name))
            return inst[2];
    }
    return 0;
}

/* The specialisation constant at an address: the first member of the object's value. 0: the address is null. */
static uint32_t constant_at(const struct module *m, uint32_t address)
{
    const uint32_t *def = module_def(m, address);
    while (def && (op_of(def) == SpvOpSpecConstantOp || op_of(def) == SpvOpBitcast))
        def = module_def(m, def[op_of(def) == SpvOpSpecConstantOp ? 4 : 3]);
    if (!def || op_of(def) != SpvOpVariable || length_of(def) < 5)
        return 0;
    const uint32_t *value = module_def(m, def[4]);
    return value && op_of(value) == SpvOpSpecConstantComposite ? value[3] : 0;
}

static uint32_t number(const struct module *m, uint32_t id)
{
    const uint32_t *def = module_def_of(m, id, SpvOpConstant);
    return def ? def[3] : 0;
}

/* One argument of the attribute: a constant's id, or a number. */
static bool read_argument(struct sizes *s, const uint32_t *arguments, uint32_t index, uint32_t *id, uint32_t *value)
{
    const uint32_t *pair = length_of(arguments) > 3 + index ? module_def(&s->m, arguments[3 + index]) : NULL;
    *id = *value = 0;
    if (!pair || op_of(pair) != SpvOpConstantComposite || length_of(pair) < 5)
        return false;
    *id = constant_at(&s->m, pair[3]);
    *value = number(&s->m, pair[4]);
    return *id || *value;
}

static bool put_mode(struct sizes *s, const struct kind *kind, const uint32_t *variable, const char *name)
{
    uint32_t kernel = kernel_called(&s->m, name + strlen(kind->prefix));
    const uint32_t *object = length_of(variable) > 4 ? module_def(&s->m, variable[4]) : NULL;
    const uint32_t *arguments = object && op_of(object) == SpvOpConstantComposite ? module_def(&s->m, object[3]) : NULL;
    uint32_t ids[3], values[3];
    bool by_id = false;
    for (uint32_t i = 0; i < kind->count; i++) {
        if (!arguments || !kernel || !read_argument(s, arguments, i, &ids[i], &values[i])) {
            snprintf(s->message, CXX_MESSAGE, "the size in an attribute of the kernel '%.200s' is 0 or no number",
                     name + strlen(kind->prefix));
            return false;
        }
        by_id |= ids[i] != 0;
    }
    for (uint32_t i = 0; by_id && i < kind->count; i++)
        values[i] = ids[i] ? ids[i] : module_uint_constant(&s->m, values[i]);
    const uint32_t head[] = {(3 + kind->count) << 16 | (by_id ? SpvOpExecutionModeId : SpvOpExecutionMode), kernel,
                             by_id ? kind->mode_id : kind->mode};
    words_put(&s->m.modes, head, 3);
    words_put(&s->m.modes, values, kind->count);
    if (kind->count == 1)
        WORDS_PUT(&s->m.capabilities, SpvOpCapability, SpvCapabilitySubgroupDispatch);
    s->by_id |= by_id || kind->count == 1;
    return true;
}

static bool read_variable(struct sizes *s, const uint32_t *variable)
{
    struct module_id *id = module_id(&s->m, variable[2]);
    for (size_t i = 0; id && id->name && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(id->name, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
            continue;
        id->dropped = true;
        return put_mode(s, &kinds[i], variable, id->name);
    }
    return true;
}

uint32_t *cxx_set_sizes(const uint32_t *words, size_t *count, char message[CXX_MESSAGE])
{
    enum { SPIRV_1_2 = 0x00010200 };
    struct sizes s = {.message = message};
    uint32_t *result = NULL;
    bool good = module_open(&s.m, words, *count);
    for (size_t at = SPIRV_HEADER; good && at < s.m.count; at += length_of(s.m.in + at)) {
        if (op_of(s.m.in + at) == SpvOpVariable)
            good = read_variable(&s, s.m.in + at);
    }
    if (good)
        result = module_write(&s.m, NULL, NULL, count);
    if (result && s.by_id && result[1] < SPIRV_1_2)
        result[1] = SPIRV_1_2;
    module_close(&s.m);
    return result;
}
