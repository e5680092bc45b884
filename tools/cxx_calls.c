/* Calls of the functions that the headers declare and nobody defines (cl::__detail::pumice_...): each is an instruction
 * of SPIR-V, or two, whose operands are the call's arguments. The headers' own types of images and the like have become
 * SPIR-V's already (cxx_handles.c). */
#include "cxx_handles.h"

#include <string.h>

static uint32_t value_of(struct opener *o, uint32_t id)
{
    uint32_t value = handles_at(o, id)->value;
    return value ? value : id;
}

/* The type of a call's argument: a load's or parameter's. 0: neither. */
static uint32_t type_of(struct opener *o, uint32_t id)
{
    const uint32_t *def = module_def(&o->m, id);
    return def && words_result_at(op_of(def)) == 2 ? def[1] : 0;
}

static uint32_t sampled_type(struct opener *o, uint32_t image)
{
    for (uint32_t i = 0; i < o->num_sampled; i += 2) {
        if (o->sampled_image[i] == image)
            return o->sampled_image[i + 1];
    }
    if (o->num_sampled + 2 > sizeof(o->sampled_image) / sizeof(o->sampled_image[0])) {
        handles_fail(o, "too many types of images");
        return 0;
    }
    uint32_t id = module_new_id(&o->m);
    WORDS_PUT(&o->m.types, SpvOpTypeSampledImage, id, image);
    o->sampled_image[o->num_sampled++] = image;
    o->sampled_image[o->num_sampled++] = id;
    return id;
}

static uint32_t zero_float(struct opener *o)
{
    uint32_t type = 0;
    for (uint32_t id = 1; id < o->m.old_bound && !type; id++) {
        const uint32_t *def = module_def_of(&o->m, id, SpvOpTypeFloat);
        type = def && def[2] == 32 ? id : 0;
    }
    if (!o->zero_float) {
        if (!type)
            WORDS_PUT(&o->m.types, SpvOpTypeFloat, type = module_new_id(&o->m), 32);
        WORDS_PUT(&o->m.types, SpvOpConstant, type, o->zero_float = module_new_id(&o->m), 0);
    }
    return o->zero_float;
}

/* What a function of the headers is in SPIR-V. Its arguments are the instruction's operands. */
enum call_form {
    PLAIN,     /* with the result that the call has */
    NO_RESULT, /* the instruction has none */
    SAMPLE,    /* image, sampler and coordinate; then a level of detail, or two gradients */
    MS_READ,   /* OpImageRead with the operand Sample */
    LOD_WRITE, /* OpImageWrite with the operand Lod, without a result */
    LEVEL,     /* the level 0 is added */
    BOOLEAN,   /* the instruction's result is bool, the call's a number */
    DEFAULT,   /* has no operands */
    EVENT,     /* the first operand is an event, the call's first argument its address */
    NEW_EVENT, /* makes an event, which is stored where the call's argument points to */
    MARKER,    /* the last two are addresses of events */
    ENQUEUE,   /* OpEnqueueKernel: addresses of events in front of a pointer to a function */
    QUERY,     /* has a pointer to a function among its operands */
};

static const struct call {
    const char *name;
    uint16_t op;
    uint8_t form;
} calls[] = {
    {"image_read", SpvOpImageRead, PLAIN},
    {"image_read_ms", SpvOpImageRead, MS_READ},
    {"image_write", SpvOpImageWrite, NO_RESULT},
    {"image_sample", SpvOpImageSampleExplicitLod, SAMPLE},
    {"image_write_lod", SpvOpImageWrite, LOD_WRITE},
    {"image_size_at", SpvOpImageQuerySizeLod, PLAIN},
    {"image_levels", SpvOpImageQueryLevels, PLAIN},
    {"image_size_lod", SpvOpImageQuerySizeLod, LEVEL},
    {"image_size", SpvOpImageQuerySize, PLAIN},
    {"image_format", SpvOpImageQueryFormat, PLAIN},
    {"image_order", SpvOpImageQueryOrder, PLAIN},
    {"image_samples", SpvOpImageQuerySamples, PLAIN},
    {"pipe_read", SpvOpReadPipe, PLAIN},
    {"pipe_write", SpvOpWritePipe, PLAIN},
    {"pipe_read_reserved", SpvOpReservedReadPipe, PLAIN},
    {"pipe_write_reserved", SpvOpReservedWritePipe, PLAIN},
    {"pipe_reserve_read", SpvOpReserveReadPipePackets, PLAIN},
    {"pipe_reserve_write", SpvOpReserveWritePipePackets, PLAIN},
    {"pipe_commit_read", SpvOpCommitReadPipe, NO_RESULT},
    {"pipe_commit_write", SpvOpCommitWritePipe, NO_RESULT},
    {"pipe_group_reserve_read", SpvOpGroupReserveReadPipePackets, PLAIN},
    {"pipe_group_reserve_write", SpvOpGroupReserveWritePipePackets, PLAIN},
    {"pipe_group_commit_read", SpvOpGroupCommitReadPipe, NO_RESULT},
    {"pipe_group_commit_write", SpvOpGroupCommitWritePipe, NO_RESULT},
    {"pipe_is_valid", SpvOpIsValidReserveId, BOOLEAN},
    {"pipe_num_packets", SpvOpGetNumPipePackets, PLAIN},
    {"pipe_max_packets", SpvOpGetMaxPipePackets, PLAIN},
    {"pipe_from_storage", SpvOpCreatePipeFromPipeStorage, PLAIN},
    {"queue_default", SpvOpGetDefaultQueue, DEFAULT},
    {"queue_kernel", SpvOpEnqueueKernel, ENQUEUE},
    {"queue_marker", SpvOpEnqueueMarker, MARKER},
    {"queue_group_size", SpvOpGetKernelWorkGroupSize, QUERY},
    {"queue_multiple", SpvOpGetKernelPreferredWorkGroupSizeMultiple, QUERY},
    {"queue_sub_groups", SpvOpGetKernelNDrangeSubGroupCount, QUERY},
    {"queue_sub_group_size", SpvOpGetKernelNDrangeMaxSubGroupSize, QUERY},
    {"queue_local_size", SpvOpGetKernelLocalSizeForSubgroupCount, QUERY},
    {"queue_max_sub_groups", SpvOpGetKernelMaxNumSubgroups, QUERY},
    {"event_create", SpvOpCreateUserEvent, NEW_EVENT},
    {"event_is_valid", SpvOpIsValidEvent, EVENT},
    {"event_retain", SpvOpRetainEvent, EVENT},
    {"event_release", SpvOpReleaseEvent, EVENT},
    {"event_set_status", SpvOpSetUserEventStatus, EVENT},
    {"event_profile", SpvOpCaptureEventProfilingInfo, EVENT},
    {"barrier_initialize", SpvOpNamedBarrierInitialize, PLAIN},
    {"barrier_wait", SpvOpMemoryNamedBarrier, NO_RESULT},
};

static const struct call *find_call(const char *mangled)
{
    size_t length;
    const char *name = handles_own_name(mangled, &length);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strlen(calls[i].name) == length && !strncmp(calls[i].name, name, length))
            return &calls[i];
    }
    return NULL;
}

static void put_start(struct words *out, uint32_t op, uint32_t count)
{
    const uint32_t head = (count + 1) << 16 | op;
    words_put(out, &head, 1);
}

static void put_sample(struct opener *o, struct words *out, const uint32_t *call)
{
    uint32_t count = length_of(call) - 4, image = call[4], type = type_of(o, image), pair = module_new_id(&o->m);
    if (count > 3)
        handles_need(o, SpvCapabilityImageMipmap);
    WORDS_PUT(out, SpvOpSampledImage, sampled_type(o, type), pair, value_of(o, image), value_of(o, call[5]));
    if (count == 5) {
        WORDS_PUT(out, SpvOpImageSampleExplicitLod, call[1], call[2], pair, call[6], SpvImageOperandsGradMask, call[7],
                  call[8]);
    } else {
        WORDS_PUT(out, SpvOpImageSampleExplicitLod, call[1], call[2], pair, call[6], SpvImageOperandsLodMask,
                  count == 4 ? call[7] : zero_float(o));
    }
}

static void put_boolean(struct opener *o, struct words *out, uint32_t op, const uint32_t *call, uint32_t operand)
{
    uint32_t boolean = 0, number = module_new_id(&o->m);
    for (uint32_t id = 1; id < o->m.old_bound && !boolean; id++)
        boolean = module_def_of(&o->m, id, SpvOpTypeBool) ? id : 0;
    for (size_t at = 0; at < o->m.types.count && !boolean; at += length_of(o->m.types.data + at)) {
        if (op_of(o->m.types.data + at) == SpvOpTypeBool)
            boolean = o->m.types.data[at + 1];
    }
    if (!boolean)
        WORDS_PUT(&o->m.types, SpvOpTypeBool, boolean = module_new_id(&o->m));
    WORDS_PUT(out, op, boolean, number, operand);
    WORDS_PUT(out, SpvOpSelect, call[1], call[2], number, module_uint_constant(&o->m, 1),
              module_uint_constant(&o->m, 0));
}

/* ---- device queues ---- */

static uint32_t event_type(struct opener *o)
{
    if (!o->event_type) {
        WORDS_PUT(&o->m.types, SpvOpTypeDeviceEvent, o->event_type = module_new_id(&o->m));
        o->event_pointer = module_pointer_type(&o->m, SpvStorageClassGeneric, o->event_type);
    }
    return o->event_type;
}

/* The address of an event, which the headers have as one of anything; null stays null. */
static uint32_t event_address(struct opener *o, struct words *out, uint32_t address)
{
    const uint32_t *def = module_def(&o->m, address);
    uint32_t id = module_new_id(&o->m);
    event_type(o);
    if (def && op_of(def) == SpvOpConstantNull)
        WORDS_PUT(&o->m.types, SpvOpConstantNull, o->event_pointer, id);
    else
        WORDS_PUT(out, SpvOpBitcast, o->event_pointer, id, address);
    return id;
}

static uint32_t function_at(struct opener *o, uint32_t pointer)
{
    const uint32_t *def;
    while ((def = module_def(&o->m, pointer)) && op_of(def) == SpvOpBitcast)
        pointer = def[3];
    if (!def || op_of(def) != SpvOpConstantFunctionPointerINTEL)
        return 0;
    return def[3];
}

/* Puts the instruction with the call's arguments, of which those from `first_event` to `last_event` are addresses of
 * events, and one may be a function. */
static void put_enqueue(struct opener *o, struct words *out, const uint32_t *call, uint32_t op, uint32_t first_event,
                        uint32_t last_event)
{
    enum { MAX_OPERANDS = 24 };
    uint32_t operands[MAX_OPERANDS], count = length_of(call) - 4;
    if (count > MAX_OPERANDS) {
        handles_fail(o, "too many arguments are enqueued");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t function = function_at(o, call[4 + i]);
        operands[i] = function ? function : value_of(o, call[4 + i]);
        if (i >= first_event && i <= last_event)
            operands[i] = event_address(o, out, call[4 + i]);
    }
    put_start(out, op, 2 + count);
    words_put(out, call + 1, 2);
    words_put(out, operands, count);
}

static void put_event_call(struct opener *o, struct words *out, const uint32_t *call, uint32_t op)
{
    uint32_t event = module_new_id(&o->m), count = length_of(call) - 4, type = event_type(o);
    uint32_t address = event_address(o, out, call[4]);
    WORDS_PUT(out, SpvOpLoad, type, event, address, SpvMemoryAccessAlignedMask, 8);
    if (op == SpvOpIsValidEvent) {
        put_boolean(o, out, op, call, event);
        return;
    }
    put_start(out, op, count);
    words_put(out, &event, 1);
    words_put(out, call + 5, count - 1);
}

static void put_queue_call(struct opener *o, struct words *out, const uint32_t *call, uint32_t op, uint32_t form)
{
    uint32_t made, address;
    handles_need(o, SpvCapabilityDeviceEnqueue);
    switch (form) {
    case EVENT:
        put_event_call(o, out, call, op);
        break;
    case NEW_EVENT:
        made = module_new_id(&o->m);
        address = event_address(o, out, call[4]);
        WORDS_PUT(out, op, event_type(o), made);
        WORDS_PUT(out, SpvOpStore, address, made, SpvMemoryAccessAlignedMask, 8);
        break;
    case MARKER:
        put_enqueue(o, out, call, op, 2, 3);
        break;
    case ENQUEUE:
        put_enqueue(o, out, call, op, 4, 5);
        break;
    case QUERY:
        if (op == SpvOpGetKernelLocalSizeForSubgroupCount || op == SpvOpGetKernelMaxNumSubgroups)
            handles_need(o, SpvCapabilitySubgroupDispatch);
        put_enqueue(o, out, call, op, UINT32_MAX, 0);
        break;
    default: /* DEFAULT */
        WORDS_PUT(out, op, call[1], call[2]);
        break;
    }
}

/* The storage whose object's address this is: packet size, alignment and number, in <opencl_pipe>. */
static uint32_t storage_at(struct opener *o, uint32_t address)
{
    const uint32_t *variable = module_def_of(&o->m, handles_root(o, address), SpvOpVariable);
    const uint32_t *value =
        variable && length_of(variable) > 4 ? module_def_of(&o->m, variable[4], SpvOpConstantComposite) : NULL;
    uint32_t numbers[3];
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t *number =
            value && length_of(value) > 3 + i ? module_def_of(&o->m, value[3 + i], SpvOpConstant) : NULL;
        if (!number) {
            handles_fail(o, "a pipe_storage is not an object at program scope or a static one");
            return 0;
        }
        numbers[i] = number[3];
    }
    struct handle *h = handles_at(o, variable[2]);
    if (!o->storage_type) {
        handles_need(o, SpvCapabilityPipes);
        handles_need(o, SpvCapabilityPipeStorage);
        WORDS_PUT(&o->m.types, SpvOpTypePipeStorage, o->storage_type = module_new_id(&o->m));
    }
    if (!h->storage)
        WORDS_PUT(&o->m.types, SpvOpConstantPipeStorage, o->storage_type, h->storage = module_new_id(&o->m), numbers[0],
                  numbers[1], numbers[2]);
    return h->storage;
}

void handles_put_call(struct opener *o, struct words *out, const uint32_t *call, const char *mangled)
{
    const struct call *c = find_call(mangled);
    if (c && c->form >= DEFAULT) {
        put_queue_call(o, out, call, c->op, c->form);
        return;
    }
    uint32_t count = length_of(call) - 4, fixed = 2, extra = 0, operands[2] = {0};
    if (!c || count < 1) {
        handles_fail(o, "the headers call a function that this pumice does not know");
        return;
    }
    if (c->op == SpvOpCreatePipeFromPipeStorage) {
        WORDS_PUT(out, c->op, call[1], call[2], storage_at(o, call[4]));
        return;
    }
    if (c->form == SAMPLE || c->form == BOOLEAN) {
        if (c->form == SAMPLE)
            put_sample(o, out, call);
        else
            put_boolean(o, out, c->op, call, value_of(o, call[4]));
        return;
    }
    if (c->form == NO_RESULT || c->form == LOD_WRITE)
        fixed = 0;
    if (c->form == MS_READ || c->form == LOD_WRITE) {
        extra = 1;
        operands[0] = c->form == MS_READ ? SpvImageOperandsSampleMask : SpvImageOperandsLodMask;
    }
    if (c->form == LOD_WRITE || !strcmp(c->name, "image_size_at") || !strcmp(c->name, "image_levels"))
        handles_need(o, SpvCapabilityImageMipmap);
    if (c->form == LEVEL) {
        extra = 1;
        operands[0] = module_uint_constant(&o->m, 0);
    }
    put_start(out, c->op, fixed + count + extra);
    words_put(out, call + 1, fixed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = value_of(o, call[4 + i]);
        if ((c->form == MS_READ || c->form == LOD_WRITE) && i + 1 == count)
            words_put(out, operands, 1);
        words_put(out, &value, 1);
    }
    if (c->form == LEVEL)
        words_put(out, operands, 1);
}
