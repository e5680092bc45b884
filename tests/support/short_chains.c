/* A Vulkan layer that plays a driver which computes the offset of an access chain into memory known by its address in 32 bits
 * without a sign, as NVIDIA's does (compiler/opt/elements.c): modules are rewritten so. One device at a time. */
#include "tests/support/layer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static PFN_vkCreateShaderModule next_create;

/* SPIR-V 1.6, 3.49 and 3.20 */
enum {
    OP_TYPE_INT = 21,
    OP_TYPE_RUNTIME_ARRAY = 29,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_FUNCTION = 54,
    OP_ACCESS_CHAIN = 65,
    OP_DECORATE = 71,
    OP_CONVERT_U_TO_PTR = 120,
    OP_U_CONVERT = 113,
    OP_SHIFT_RIGHT_LOGICAL = 194,
    OP_SHIFT_LEFT_LOGICAL = 196,
    ARRAY_STRIDE = 6,
    HEADER = 5,
    BOUND = 3,
    SHIFTS = 8,    /* strides up to 128 */
    NEW_WORDS = 18 /* of the instructions before a chain */
};

struct rewriting {
    const uint32_t *in;
    size_t num_in, num_out;
    uint32_t *out, bound, u32, u64, first_shift;
    const uint32_t **defs; /* id -> its instruction, of those that matter */
};

static uint32_t length_of(const uint32_t *inst)
{
    return inst[0] >> 16 ? inst[0] >> 16 : 1;
}

static void put(struct rewriting *r, uint32_t op, uint32_t count, const uint32_t *words)
{
    r->out[r->num_out++] = (count + 1) << 16 | op;
    memcpy(&r->out[r->num_out], words, count * sizeof(*words));
    r->num_out += count;
}

static void note(struct rewriting *r, const uint32_t *inst, uint32_t id)
{
    if (id < r->bound)
        r->defs[id] = inst;
}

static void find_defs(struct rewriting *r)
{
    for (size_t i = HEADER; i < r->num_in; i += length_of(&r->in[i])) {
        const uint32_t *inst = &r->in[i];
        switch (inst[0] & 0xffff) {
        case OP_TYPE_INT:
            *(inst[2] == 64 ? &r->u64 : inst[2] == 32 ? &r->u32 : &(uint32_t){0}) = inst[1];
            break;
        case OP_TYPE_RUNTIME_ARRAY:
        case OP_TYPE_STRUCT:
        case OP_TYPE_POINTER:
            note(r, inst, inst[1]);
            break;
        case OP_CONVERT_U_TO_PTR:
            note(r, inst, inst[2]);
            break;
        }
    }
}

static const uint32_t *def(const struct rewriting *r, uint32_t id, uint32_t op)
{
    const uint32_t *inst = id < r->bound ? r->defs[id] : NULL;
    return inst && (inst[0] & 0xffff) == op ? inst : NULL;
}

/* log2 of the stride of the array that a chain from a converted address indexes; SHIFTS: it is none. */
static uint32_t stride_of(const struct rewriting *r, const uint32_t *chain)
{
    const uint32_t *base = length_of(chain) == 6 ? def(r, chain[3], OP_CONVERT_U_TO_PTR) : NULL;
    const uint32_t *pointer = base ? def(r, base[1], OP_TYPE_POINTER) : NULL;
    const uint32_t *block = pointer ? def(r, pointer[3], OP_TYPE_STRUCT) : NULL;
    if (!block || !def(r, block[2], OP_TYPE_RUNTIME_ARRAY))
        return SHIFTS;
    for (size_t i = HEADER; i < r->num_in; i += length_of(&r->in[i])) {
        const uint32_t *inst = &r->in[i];
        if ((inst[0] & 0xffff) == OP_DECORATE && inst[1] == block[2] && inst[2] == ARRAY_STRIDE)
            return (uint32_t)__builtin_ctz(inst[3] | 1u << SHIFTS);
    }
    return SHIFTS;
}

/* The constants that shifts need, before the first function. */
static void put_shifts(struct rewriting *r)
{
    r->first_shift = r->bound;
    r->bound += SHIFTS;
    for (uint32_t i = 0; i < SHIFTS; i++)
        put(r, OP_CONSTANT, 4, (const uint32_t[]){r->u64, r->first_shift + i, i, 0});
}

static void put_chain(struct rewriting *r, const uint32_t *chain, uint32_t shift)
{
    uint32_t by = r->first_shift + shift, bytes = r->bound++, low = r->bound++, wide = r->bound++, index = r->bound++;
    put(r, OP_SHIFT_LEFT_LOGICAL, 4, (const uint32_t[]){r->u64, bytes, chain[5], by});
    put(r, OP_U_CONVERT, 3, (const uint32_t[]){r->u32, low, bytes});
    put(r, OP_U_CONVERT, 3, (const uint32_t[]){r->u64, wide, low});
    put(r, OP_SHIFT_RIGHT_LOGICAL, 4, (const uint32_t[]){r->u64, index, wide, by});
    put(r, OP_ACCESS_CHAIN, 5, (const uint32_t[]){chain[1], chain[2], chain[3], chain[4], index});
}

static void rewrite(struct rewriting *r)
{
    bool began = false;
    memcpy(r->out, r->in, HEADER * sizeof(*r->out));
    r->num_out = HEADER;
    find_defs(r);
    for (size_t i = HEADER; i < r->num_in; i += length_of(&r->in[i])) {
        const uint32_t *inst = &r->in[i];
        uint32_t op = inst[0] & 0xffff, shift = op == OP_ACCESS_CHAIN ? stride_of(r, inst) : SHIFTS;
        if (op == OP_FUNCTION && !began && r->u32 && r->u64)
            put_shifts(r);
        began |= op == OP_FUNCTION;
        if (shift < SHIFTS && r->first_shift)
            put_chain(r, inst, shift);
        else
            put(r, op, length_of(inst) - 1, inst + 1);
    }
    r->out[BOUND] = r->bound;
}

static VKAPI_ATTR VkResult VKAPI_CALL short_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkShaderModule *module)
{
    size_t words = info->codeSize / 4;
    struct rewriting r = {.in = info->pCode, .num_in = words, .bound = info->pCode[BOUND]};
    r.out = malloc((words + words / 6 * NEW_WORDS + 5 * SHIFTS) * sizeof(*r.out));
    r.defs = calloc(r.bound, sizeof(*r.defs));
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (r.out && r.defs) {
        rewrite(&r);
        VkShaderModuleCreateInfo other = *info;
        other.codeSize = r.num_out * 4;
        other.pCode = r.out;
        result = next_create(device, &other, allocator, module);
    }
    free(r.out);
    free(r.defs);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL short_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkResult result = layer_create_device(physical, info, allocator, handle);
    if (result == VK_SUCCESS)
        next_create = (PFN_vkCreateShaderModule)next_device_proc(*handle, "vkCreateShaderModule");
    return result;
}

static PFN_vkVoidFunction own_call(const char *name)
{
    static const struct layer_call own[] = {LAYER_ROW(short, CreateDevice), LAYER_ROW(short, CreateShaderModule)};
    return layer_find(own, sizeof(own) / sizeof(own[0]), name);
}

LAYER_EXPORT(true)
