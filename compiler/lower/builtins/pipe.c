/* Lowering of pipes: OpenCL C 3.0, 6.15.18. A pipe is the address of a ring in global memory (docs/pipes.md), a
 * reservation a number; both are u64, and every instruction is a call of a body in lib/pipe.cl. */
#include "compiler/lower/builtins/builtins.h"

#include <stdio.h>

static spv_id pipe_pointer(struct builtin_lowering *x, spv_id pipe)
{
    spv_id type = spv_type_pointer(x->module, SpvStorageClassCrossWorkgroup, spv_type_int(x->module, 32));
    return lower_op1(x, SpvOpConvertUToPtr, type, pipe);
}

/* The packet's place as a generic pointer to bytes. */
static spv_id packet_pointer(struct builtin_lowering *x, spv_id packet)
{
    spv_id type = spv_value_type(x->module, packet), u8 = spv_type_int(x->module, 8);
    if (!spv_type_is_pointer(x->module, type)) {
        lower_fail(x->lower, "a pipe's packet is not where a pointer points to");
        return 0;
    }
    if (spv_pointer_storage(x->module, type) != SpvStorageClassGeneric) {
        type = spv_type_pointer(x->module, SpvStorageClassGeneric, spv_pointer_pointee(x->module, type));
        packet = lower_op1(x, SpvOpPtrCastToGeneric, type, packet);
    }
    spv_id bytes = spv_type_pointer(x->module, SpvStorageClassGeneric, u8);
    return bytes == type ? packet : lower_op1(x, SpvOpBitcast, bytes, packet);
}

/* "group" or "subgroup"; NULL for another scope. */
static const char *group_name(struct builtin_lowering *x, spv_id scope)
{
    uint64_t value;
    if (!spv_const_value(x->module, scope, &value))
        return NULL;
    return value == SpvScopeWorkgroup ? "group" : value == SpvScopeSubgroup ? "subgroup" : NULL;
}

/* Operands: [scope] pipe [reservation [index]] [packet] [count] size alignment, in the order that each instruction has.
 */
static const struct pipe_op {
    const char *body;
    uint16_t op;
    uint8_t operands; /* in all */
    uint8_t packet;   /* which of them is a pointer to a packet; 0: none */
    bool group;       /* the first is a scope */
    bool sized;       /* the body takes size and alignment */
} ops[] = {
    {"read", SpvOpReadPipe, 4, 1, false, true},
    {"write", SpvOpWritePipe, 4, 1, false, true},
    {"read_reserved", SpvOpReservedReadPipe, 6, 3, false, true},
    {"write_reserved", SpvOpReservedWritePipe, 6, 3, false, true},
    {"reserve_read", SpvOpReserveReadPipePackets, 4, 0, false, false},
    {"reserve_write", SpvOpReserveWritePipePackets, 4, 0, false, false},
    {"commit_read", SpvOpCommitReadPipe, 4, 0, false, false},
    {"commit_write", SpvOpCommitWritePipe, 4, 0, false, false},
    {"reserve_read", SpvOpGroupReserveReadPipePackets, 5, 0, true, false},
    {"reserve_write", SpvOpGroupReserveWritePipePackets, 5, 0, true, false},
    {"commit_read", SpvOpGroupCommitReadPipe, 5, 0, true, false},
    {"commit_write", SpvOpGroupCommitWritePipe, 5, 0, true, false},
    {"num_packets", SpvOpGetNumPipePackets, 3, 0, false, false},
    {"max_packets", SpvOpGetMaxPipePackets, 3, 0, false, false},
};

static const struct pipe_op *find_op(uint16_t op)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(ops); i++) {
        if (ops[i].op == op)
            return &ops[i];
    }
    return NULL;
}

static bool has_type(const struct builtin_lowering *x, spv_id value, SpvOp op)
{
    return spv_type_op(x->module, spv_value_type(x->module, value)) == op;
}

/* Whether the types are equal, or one is a reservation's, which becomes u64 later. */
static bool is_like(const struct builtin_lowering *x, spv_id type, spv_id body_type)
{
    bool reservation = spv_type_op(x->module, type) == SpvOpTypeReserveId;
    return type == body_type || (reservation && body_type == spv_type_int(x->module, 64));
}

/* Checks the types of a call's arguments, since validators do not look at the operands' types of pipe instructions. */
static bool fits_body(const struct builtin_lowering *x, spv_id call)
{
    const struct spv_inst *inst = spv_def(x->module, call);
    const struct spv_inst *type = spv_def(x->module, spv_def(x->module, inst->words[0])->words[1]);
    bool fits = x->type ? is_like(x, x->type, type->words[0]) : type->words[0] == spv_type_void(x->module);
    for (uint32_t i = 1; i < inst->num_words; i++)
        fits = fits && is_like(x, spv_value_type(x->module, inst->words[i]), type->words[i]);
    return fits;
}

static spv_id wrong_operands(struct builtin_lowering *x)
{
    lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op));
    return 0;
}

static spv_id is_valid_reservation(struct builtin_lowering *x)
{
    spv_id word = spv_type_int(x->module, 64); /* already, where a body has made it */
    if (x->num_args != 1 || !is_like(x, spv_value_type(x->module, x->args[0]), word) ||
        spv_type_op(x->module, x->type) != SpvOpTypeBool)
        return wrong_operands(x);
    return lower_op2(x, SpvOpINotEqual, x->type, x->args[0], spv_const_u64(x->module, 0));
}

/* SPIR-V 1.1, 3.32.23: what a program's pipe storage is, is the address of its ring (program/pipe_storage.c). The type
 * of the result becomes u64 with all pipes'. */
static spv_id pipe_of_storage(struct builtin_lowering *x)
{
    spv_id type = x->num_args == 1 ? spv_value_type(x->module, x->args[0]) : 0;
    if (!type || !spv_type_is_pointer(x->module, type) ||
        spv_pointer_storage(x->module, type) != SpvStorageClassCrossWorkgroup ||
        spv_type_op(x->module, x->type) != SpvOpTypePipe)
        return wrong_operands(x);
    return lower_op1(x, SpvOpConvertPtrToU, x->type, x->args[0]);
}

spv_id lower_core_pipe(struct builtin_lowering *x)
{
    if (x->inst->op == SpvOpCreatePipeFromPipeStorage)
        return pipe_of_storage(x);
    if (x->inst->op == SpvOpIsValidReserveId)
        return is_valid_reservation(x);
    const struct pipe_op *op = find_op(x->inst->op);
    const char *group = op->group ? group_name(x, x->args[0]) : "";
    uint32_t first = op->group ? 1 : 0, count = op->operands - (op->sized ? 0u : 2u);
    if (x->num_args != op->operands || !group || !has_type(x, x->args[first], SpvOpTypePipe))
        return wrong_operands(x);
    spv_id args[8] = {pipe_pointer(x, x->args[first])};
    for (uint32_t i = first + 1; i < count; i++)
        args[i - first] = x->args[i];
    if (op->packet)
        args[op->packet] = packet_pointer(x, args[op->packet]);
    if (x->lower->error)
        return 0;
    char name[64];
    snprintf(name, sizeof(name), "__pumice_pipe_%s%s%s", group, *group ? "_" : "", op->body);
    spv_id call = lower_library_call(x, name, count - first, args);
    return call && !fits_body(x, call) ? wrong_operands(x) : call;
}
