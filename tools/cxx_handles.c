/* Images, samplers, pipes and other types of OpenCL that clang allows in no class. The headers hold each as a pointer
 * to a struct that nobody defines, by whose name it is known, and call functions that nobody defines:
 *
 *     %s = OpTypeOpaque "struct.cl::__detail::pumice_image_2d_ro"
 *     %p = OpTypePointer CrossWorkgroup %s                     ->   %p = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
 *     %r = OpFunctionCall %v4float %pumice_image_read %i %c    ->   %r = OpImageRead %v4float %i %c
 *
 * A handle lives in memory only as a kernel's parameter of its class, or as a sampler at program scope. Loads of those
 * become the parameter itself or the constant sampler. A load that neither explains is an error: it comes from what the
 * specification forbids (handles chosen by a condition, in arrays, in variables of program scope), or from a function
 * that must not be inlined. */
#include "cxx_handles.h"
#include "cxx_passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "cl::__detail::pumice_"

bool handles_fail(struct opener *o, const char *what)
{
    if (!o->failed)
        snprintf(o->message, CXX_MESSAGE, "%s", what);
    o->failed = true;
    return false;
}

struct handle *handles_at(struct opener *o, uint32_t id)
{
    static struct handle none;
    none = (struct handle){0};
    return id && id < o->m.old_bound ? &o->handles[id] : &none;
}

static bool is_handle(struct opener *o, uint32_t type)
{
    return handles_at(o, type)->type != 0;
}

/* ---- types ---- */

static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text && !strncmp(text, prefix, length) ? text + length : NULL;
}

/* The name of the handle that a pointer points to, without the prefix: "image_2d_ro". */
static const char *tag_of(const struct opener *o, uint32_t pointer_type)
{
    const uint32_t *pointer = module_def_of(&o->m, pointer_type, SpvOpTypePointer);
    const uint32_t *opaque = pointer ? module_def_of(&o->m, pointer[3], SpvOpTypeOpaque) : NULL;
    const char *tag = opaque ? after((const char *)(opaque + 2), "struct." PREFIX) : NULL;
    return tag ? tag : opaque ? after((const char *)(opaque + 2), "class." PREFIX) : NULL;
}

static uint32_t access_of(const char *tag)
{
    const char *end = strrchr(tag, '_');
    if (end && !strcmp(end, "_wo"))
        return SpvAccessQualifierWriteOnly;
    return end && !strcmp(end, "_rw") ? SpvAccessQualifierReadWrite : SpvAccessQualifierReadOnly;
}

void handles_need(struct opener *o, SpvCapability capability)
{
    if (!o->capabilities[capability])
        WORDS_PUT(&o->m.capabilities, SpvOpCapability, capability);
    o->capabilities[capability] = true;
}

static void put_image_type(struct opener *o, struct words *out, uint32_t id, const char *tag)
{
    uint32_t dim = SpvDim2D, access = access_of(tag);
    bool reads = access == SpvAccessQualifierReadOnly;
    handles_need(o, SpvCapabilityImageBasic);
    if (access == SpvAccessQualifierReadWrite)
        handles_need(o, SpvCapabilityImageReadWrite);
    if (strstr(tag, "buffer")) {
        dim = SpvDimBuffer;
        handles_need(o, reads ? SpvCapabilitySampledBuffer : SpvCapabilityImageBuffer);
    } else if (strstr(tag, "_1d")) {
        dim = SpvDim1D;
        handles_need(o, reads ? SpvCapabilitySampled1D : SpvCapabilityImage1D);
    } else if (strstr(tag, "_3d")) {
        dim = SpvDim3D;
    }
    WORDS_PUT(out, SpvOpTypeImage, id, o->m.void_type, dim, strstr(tag, "depth") != NULL, strstr(tag, "array") != NULL,
              strstr(tag, "_ms") != NULL, 0, SpvImageFormatUnknown, access);
}

static void put_type(struct opener *o, struct words *out, uint32_t id, const char *tag)
{
    if (!strncmp(tag, "image_", 6)) {
        put_image_type(o, out, id, tag);
    } else if (!strcmp(tag, "sampler")) {
        WORDS_PUT(out, SpvOpTypeSampler, id);
    } else if (!strncmp(tag, "pipe_", 5)) {
        handles_need(o, SpvCapabilityPipes);
        WORDS_PUT(out, SpvOpTypePipe, id, access_of(tag));
    } else if (!strcmp(tag, "queue")) {
        handles_need(o, SpvCapabilityDeviceEnqueue);
        WORDS_PUT(out, SpvOpTypeQueue, id);
    } else if (!strcmp(tag, "reserve_id")) {
        handles_need(o, SpvCapabilityPipes);
        WORDS_PUT(out, SpvOpTypeReserveId, id);
    } else if (!strcmp(tag, "named_barrier")) {
        handles_need(o, SpvCapabilityNamedBarrier);
        WORDS_PUT(out, SpvOpTypeNamedBarrier, id);
    } else {
        handles_fail(o, "the headers have a type that this pumice does not know");
    }
}

static void find_types(struct opener *o)
{
    for (uint32_t id = 1; id < o->m.old_bound; id++) {
        if (tag_of(o, id)) {
            o->handles[id].type = id;
            o->m.ids[module_def(&o->m, id)[3]].dropped = true;
        }
    }
}

/* ---- mangled names ---- */

/* "read" in "_ZN2cl8__detail17pumice_image_read..." is "image_read"; NULL: no name of ours. */
const char *handles_own_name(const char *mangled, size_t *length)
{
    const char *at = after(mangled, "_ZN2cl8__detail");
    char *end = NULL;
    unsigned long size = at ? strtoul(at, &end, 10) : 0;
    if (!size || strlen(end) < size || strncmp(end, "pumice_", 7) != 0)
        return NULL;
    *length = size - 7;
    return end + 7;
}

/* Of a template's arguments that are numbers, the one of this index: "...ILj5ELj7E" has 5 and 7. */
static uint32_t template_number(const char *mangled, int index)
{
    size_t length;
    const char *at = handles_own_name(mangled, &length);
    for (at += length; (at = strstr(at, "Lj")); at += 2) {
        if (index-- == 0)
            return (uint32_t)strtoul(at + 2, NULL, 10);
    }
    return 0;
}

/* ---- objects that stand for constants ---- */

static void put_sampler(struct opener *o, struct words *out, const uint32_t *variable)
{
    uint32_t bits = template_number(o->m.ids[variable[2]].import, 0);
    handles_need(o, SpvCapabilityLiteralSampler);
    /* addressing in the lowest three bits, then normalised, then linear: make_sampler() of <opencl_image> */
    WORDS_PUT(out, SpvOpConstantSampler, variable[1], variable[2], bits & 7, bits >> 3 & 1, bits >> 4 & 1);
}

static bool is_constant_handle(struct opener *o, uint32_t id)
{
    const uint32_t *variable = module_def_of(&o->m, id, SpvOpVariable);
    return variable && is_handle(o, variable[1]) && o->m.ids[id].import;
}

/* Types of structs and arrays that hold handles, however deep, the pointers to them, and constants and variables of
 * them: they go, for nothing loads from them any more. */
static bool holds_handle(struct opener *o, uint32_t type, int depth)
{
    const uint32_t *def = module_def(&o->m, type);
    if (is_handle(o, type))
        return true;
    if (!def || depth > 8)
        return false;
    if (op_of(def) == SpvOpTypeArray)
        return holds_handle(o, def[2], depth + 1);
    for (uint32_t i = 2; op_of(def) == SpvOpTypeStruct && i < length_of(def); i++) {
        if (holds_handle(o, def[i], depth + 1))
            return true;
    }
    return false;
}

static bool points_to_holder(struct opener *o, uint32_t type)
{
    const uint32_t *pointer = module_def_of(&o->m, type, SpvOpTypePointer);
    return pointer && !is_handle(o, type) && holds_handle(o, pointer[3], 0);
}

/* ---- loads ---- */

/* What an address in a function leads to: a variable of the module, or a parameter. */
uint32_t handles_root(struct opener *o, uint32_t id)
{
    const uint32_t *def;
    while ((def = module_def(&o->m, id))) {
        switch (op_of(def)) {
        case SpvOpBitcast:
        case SpvOpPtrCastToGeneric:
        case SpvOpGenericCastToPtr:
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpPtrAccessChain:
        case SpvOpInBoundsPtrAccessChain:
        case SpvOpCopyObject:
            id = def[3];
            continue;
        default:
            return id;
        }
    }
    return id;
}

/* The first handle inside of a constant. */
static uint32_t first_handle(struct opener *o, uint32_t constant)
{
    const uint32_t *def;
    while ((def = module_def_of(&o->m, constant, SpvOpConstantComposite)) && length_of(def) > 3)
        constant = def[3];
    return is_constant_handle(o, constant) ? constant : 0;
}

/* The handle type inside of a class that holds nothing else; 0: it is no such class. */
static uint32_t held_handle(struct opener *o, uint32_t pointer_type)
{
    const uint32_t *pointer = module_def_of(&o->m, pointer_type, SpvOpTypePointer);
    uint32_t type = pointer && pointer[2] == SpvStorageClassFunction ? pointer[3] : 0;
    const uint32_t *object;
    while ((object = module_def_of(&o->m, type, SpvOpTypeStruct)) && length_of(object) == 3)
        type = object[2];
    return is_handle(o, type) ? type : 0;
}

static void find_parameters(struct opener *o)
{
    for (uint32_t id = 1; id < o->m.old_bound; id++) {
        const uint32_t *param = module_def_of(&o->m, id, SpvOpFunctionParameter);
        if (param && held_handle(o, param[1]))
            o->handles[id].param = module_new_id(&o->m);
    }
}

/* The handle at an address; 0: nobody knows. */
static uint32_t loaded_handle(struct opener *o, uint32_t address)
{
    uint32_t root = handles_root(o, address);
    const uint32_t *variable = module_def_of(&o->m, root, SpvOpVariable);
    uint32_t value = handles_at(o, root)->param;
    if (!value && variable && length_of(variable) > 4)
        value = first_handle(o, variable[4]);
    return value;
}

/* A handle that was copied with its class may be loaded as a number, which is converted to the handle afterwards. */
static uint32_t converted_handle(struct opener *o, uint32_t number)
{
    const uint32_t *load = module_def_of(&o->m, number, SpvOpLoad);
    return load ? loaded_handle(o, load[3]) : 0;
}

static void resolve(struct opener *o, const uint32_t *inst)
{
    uint32_t value = op_of(inst) == SpvOpLoad ? loaded_handle(o, inst[3]) : converted_handle(o, inst[3]);
    if (!value) {
        handles_fail(
            o, "an image, sampler or pipe is neither a kernel's parameter nor made where it is used: it may not be "
               "chosen by a condition, be in an array, or go to a function that is not inlined");
        return;
    }
    o->handles[inst[2]].value = value;
    if (op_of(inst) == SpvOpConvertUToPtr)
        o->handles[inst[3]].goes = true;
}

/* ---- functions that nobody calls ---- */

static bool takes_holder(struct opener *o, uint32_t type_id)
{
    const uint32_t *type = module_def_of(&o->m, type_id, SpvOpTypeFunction);
    for (uint32_t i = 3; type && i < length_of(type); i++) {
        if (points_to_holder(o, type[i]))
            return true;
    }
    return false;
}

static bool is_called(const struct opener *o, uint32_t function)
{
    bool inside = false; /* a function that was dropped */
    for (size_t at = SPIRV_HEADER; at < o->m.count; at += length_of(o->m.in + at)) {
        const uint32_t *inst = o->m.in + at;
        if (op_of(inst) == SpvOpFunction)
            inside = module_is_dropped(&o->m, inst[2]);
        if (op_of(inst) == SpvOpEntryPoint && inst[2] == function)
            return true;
        if (!inside && op_of(inst) == SpvOpFunctionCall && inst[3] == function)
            return true;
    }
    return false;
}

static void drop_function(struct opener *o, const uint32_t *inst)
{
    for (; op_of(inst) != SpvOpFunctionEnd; inst += length_of(inst)) {
        uint32_t result = words_result_at(op_of(inst));
        if (result && module_def(&o->m, inst[result]) == inst)
            o->m.ids[inst[result]].dropped = true;
    }
}

/* Functions of the source that take images and the like. They were inlined where they were called. */
static void drop_uncalled(struct opener *o)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t id = 1; id < o->m.old_bound; id++) {
            const uint32_t *function = module_def_of(&o->m, id, SpvOpFunction);
            if (!function || o->m.ids[id].dropped || !takes_holder(o, function[4]) || is_called(o, id))
                continue;
            drop_function(o, function);
            changed = true;
        }
    }
}

static void find_loads(struct opener *o)
{
    for (size_t at = SPIRV_HEADER; at < o->m.count && !o->failed; at += length_of(o->m.in + at)) {
        const uint32_t *inst = o->m.in + at;
        uint32_t op = op_of(inst), result = words_result_at(op);
        if (result && module_is_dropped(&o->m, inst[result]))
            continue;
        if ((op == SpvOpLoad || op == SpvOpConvertUToPtr) && is_handle(o, inst[1]))
            resolve(o, inst);
        if (result != 2 || words_is_global(op) || op == SpvOpFunctionParameter)
            continue;
        uint32_t root = handles_root(o, inst[2]);
        if (root != inst[2] && (handles_at(o, root)->param || (module_def_of(&o->m, root, SpvOpVariable) &&
                                                               points_to_holder(o, module_def(&o->m, root)[1]))))
            o->handles[inst[2]].goes = true;
    }
}

/* ---- calls ---- */

static void find_functions(struct opener *o)
{
    for (uint32_t id = 1; id < o->m.old_bound; id++) {
        size_t length;
        const uint32_t *function = module_def_of(&o->m, id, SpvOpFunction);
        if (!function || !o->m.ids[id].import || !handles_own_name(o->m.ids[id].import, &length) ||
            strstr(o->m.ids[id].import, "pumice_nothing")) /* cxx_structors.c's */
            continue;
        o->handles[id].call = o->m.ids[id].import;
        drop_function(o, function);
    }
}

/* ---- writing ---- */

/* Another type with the handles that come in place of their classes; 0: there are none. */
static uint32_t opened_type(struct opener *o, uint32_t id)
{
    const uint32_t *type = module_def_of(&o->m, id, SpvOpTypeFunction);
    uint32_t count = type ? length_of(type) - 3 : 0, changed = 0;
    uint32_t *params = malloc((count + 1) * sizeof(*params));
    for (uint32_t i = 0; params && i < count; i++) {
        uint32_t held = held_handle(o, type[3 + i]);
        changed |= held;
        params[i] = held ? held : type[3 + i];
    }
    uint32_t opened = params && changed ? module_function_type(&o->m, type[2], params, count) : 0;
    o->m.types.failed |= !params;
    free(params);
    return opened;
}

/* An address of a handle that something else than loads uses: a call that was not inlined, a store. */
static void check_use(struct opener *o, const uint32_t *inst)
{
    uint32_t op = op_of(inst);
    uint32_t first = op == SpvOpFunctionCall ? 4 : op == SpvOpStore || op == SpvOpCopyMemorySized ? 1 : UINT32_MAX;
    uint32_t last = op == SpvOpFunctionCall ? length_of(inst) : 3;
    for (uint32_t i = first; i < last && i < length_of(inst); i++) {
        if (handles_at(o, inst[i])->goes || handles_at(o, inst[i])->param)
            handles_fail(o, "an image, sampler or pipe goes to a function that is not inlined, or is copied");
    }
}

static bool change_global(struct opener *o, struct words *out, const uint32_t *inst)
{
    switch (op_of(inst)) {
    case SpvOpTypePointer:
        if (is_handle(o, inst[1]))
            put_type(o, out, inst[1], tag_of(o, inst[1]));
        return is_handle(o, inst[1]) || points_to_holder(o, inst[1]);
    case SpvOpTypeStruct:
    case SpvOpTypeArray:
        return holds_handle(o, inst[1], 0);
    case SpvOpTypeFunction:
        return takes_holder(o, inst[1]);
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
    case SpvOpUndef:
        return holds_handle(o, inst[1], 0);
    case SpvOpVariable:
        if (is_constant_handle(o, inst[2]))
            put_sampler(o, out, inst);
        return is_handle(o, inst[1]) || points_to_holder(o, inst[1]);
    default:
        return false;
    }
}

static bool change(void *data, struct words *out, const uint32_t *inst)
{
    struct opener *o = data;
    uint32_t op = op_of(inst), result = words_result_at(op);
    const struct handle *h = handles_at(o, result == 2 ? inst[2] : 0);
    check_use(o, inst);
    if (op == SpvOpDecorate || op == SpvOpName) {
        const uint32_t *def = module_def(&o->m, inst[1]);
        bool variable = def && op_of(def) == SpvOpVariable && (is_handle(o, def[1]) || points_to_holder(o, def[1]));
        return handles_at(o, inst[1])->param || handles_at(o, inst[1])->goes || variable || holds_handle(o, inst[1], 0);
    }
    if (op == SpvOpMemberName || op == SpvOpMemberDecorate)
        return holds_handle(o, inst[1], 0);
    if (op == SpvOpFunction) {
        uint32_t type = opened_type(o, inst[4]);
        if (type)
            WORDS_PUT(out, SpvOpFunction, inst[1], inst[2], inst[3], type);
        return type != 0;
    }
    if (op == SpvOpFunctionParameter && h->param) {
        WORDS_PUT(out, SpvOpFunctionParameter, held_handle(o, inst[1]), h->param);
        return true;
    }
    if (op == SpvOpFunctionCall && handles_at(o, inst[3])->call) {
        handles_put_call(o, out, inst, handles_at(o, inst[3])->call);
        return true;
    }
    if (words_is_global(op))
        return change_global(o, out, inst);
    return h->value || h->goes;
}

uint32_t *cxx_open_handles(const uint32_t *words, size_t *count, char message[CXX_MESSAGE])
{
    enum { SPIRV_1_1 = 0x00010100 };
    static struct opener o; /* large */
    uint32_t *result = NULL;
    memset(&o, 0, sizeof(o));
    o.message = message;
    if (module_open(&o.m, words, *count) && (o.handles = calloc(o.m.old_bound, sizeof(*o.handles)))) {
        find_types(&o);
        find_parameters(&o);
        drop_uncalled(&o);
        find_functions(&o);
        find_loads(&o);
        result = o.failed ? NULL : module_write(&o.m, change, &o, count);
    }
    if (result &&
        (o.capabilities[SpvCapabilityPipeStorage] || o.capabilities[SpvCapabilitySubgroupDispatch] ||
         o.capabilities[SpvCapabilityNamedBarrier]) &&
        result[1] < SPIRV_1_1)
        result[1] = SPIRV_1_1;
    if (o.failed) {
        free(result);
        result = NULL;
    }
    free(o.handles);
    module_close(&o.m);
    return result;
}
