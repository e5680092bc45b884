/* C types to SPIR-V types.
 *
 * The layout of a SPIR-V struct in kernels is implied: natural alignment in order, or no padding at all with CPacked
 * (OpenCL SPIR-V environment, 2.1). A C record whose layout differs (aligned attributes, partly packed members) gets
 * explicit padding bytes; a union becomes a struct around an array of words of its alignment, and its members are
 * reached through pointer casts, as are flexible array members. So the layout that sema computed always comes out of
 * the rules. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

#define NO_MEMBER UINT32_MAX

struct emitted_type {
    spv_id value, memory;
    spv_id pointers[AS_GENERIC + 1]; /* to it in memory, once its type is made */
    uint32_t *members;               /* records: field -> member */
    bool building;
};

static struct emitted_type *emitted(struct emit *e, const struct type *type)
{
    if (!type->emit)
        ((struct type *)type)->emit = arena_new(e->arena, struct emitted_type);
    return type->emit;
}

static bool has_memory_form(const struct type *type)
{
    return type->kind == TYPE_BOOL || (type->kind == TYPE_VECTOR && type->vector.element->kind == TYPE_BOOL);
}

uint64_t emit_natural_size(struct emit *e, spv_id memory_type)
{
    return spv_layout_of(&e->layouts, memory_type)->size;
}

uint32_t emit_natural_align(struct emit *e, spv_id memory_type)
{
    return spv_layout_of(&e->layouts, memory_type)->align;
}

SpvStorageClass emit_storage_class(enum address_space space)
{
    switch (space) {
    case AS_GLOBAL:
        return SpvStorageClassCrossWorkgroup;
    case AS_CONSTANT:
        return SpvStorageClassUniformConstant;
    case AS_LOCAL:
        return SpvStorageClassWorkgroup;
    case AS_GENERIC:
        return SpvStorageClassGeneric;
    case AS_PRIVATE:
        break;
    }
    return SpvStorageClassFunction;
}

spv_id emit_pointer_to(struct emit *e, spv_id memory_type, enum address_space space)
{
    if (space == AS_GENERIC)
        emit_capability(e, SpvCapabilityGenericPointer);
    return spv_type_pointer(e->module, emit_storage_class(space), memory_type);
}

spv_id emit_int_type(struct emit *e, uint32_t width)
{
    if (width == 8)
        emit_capability(e, SpvCapabilityInt8);
    else if (width == 16)
        emit_capability(e, SpvCapabilityInt16);
    else if (width == 64)
        emit_capability(e, SpvCapabilityInt64);
    return spv_type_int(e->module, width);
}

static spv_id float_type(struct emit *e, uint32_t width)
{
    if (width == 16)
        emit_capability(e, SpvCapabilityFloat16);
    else if (width == 64)
        emit_capability(e, SpvCapabilityFloat64);
    return spv_type_float(e->module, width);
}

spv_id emit_pointer_type(struct emit *e, const struct type *pointee, enum address_space space)
{
    pointee = emit_canonical(pointee);
    struct emitted_type *known = pointee->emit;
    if (known && known->pointers[space])
        return known->pointers[space];
    bool bytes = pointee->kind == TYPE_VOID || pointee->kind == TYPE_FUNCTION || pointee->kind == TYPE_POISON ||
                 ((pointee->kind == TYPE_STRUCT || pointee->kind == TYPE_UNION) &&
                  (pointee->incomplete || emitted(e, pointee)->building));
    if (bytes)
        return emit_pointer_to(e, emit_int_type(e, 8), space);
    spv_id memory = emit_memory_type(e, pointee), pointer = emit_pointer_to(e, memory, space);
    known = emitted(e, pointee);
    if (memory == (has_memory_form(pointee) ? known->memory : known->value))
        known->pointers[space] = pointer;
    return pointer;
}

/* ---- records ---- */

/* Whether type is a pointer to a record that is still being made (struct list { struct list *next; }). Such a member
 * becomes a pointer to bytes, since SPIR-V types cannot be recursive without forward declarations. Reads of the
 * member cast it. */
static bool points_to_building(struct emit *e, const struct type *type)
{
    bool through_pointer = false;
    for (;;) {
        type = emit_canonical(type);
        if (type->kind == TYPE_POINTER) {
            through_pointer = true;
            type = type->pointer.pointee.type;
        } else if (type->kind == TYPE_ARRAY) {
            type = type->array.element.type;
        } else {
            break;
        }
    }
    return through_pointer && (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION) && emitted(e, type)->building;
}

static spv_id member_type(struct emit *e, const struct type *type)
{
    if (!points_to_building(e, type))
        return emit_memory_type(e, type);
    type = emit_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return spv_type_array(e->module, member_type(e, type->array.element.type),
                              (uint32_t)u64_max(type->array.count, 1));
    return emit_pointer_to(e, emit_int_type(e, 8), type->pointer.pointee.address_space);
}

struct record {
    const struct type *type;
    VEC(spv_id) members;
    uint32_t *map;
    uint64_t end;
};

static void pad_to(struct emit *e, struct record *record, uint64_t offset)
{
    if (record->end >= offset)
        return;
    uint64_t count = offset - record->end;
    spv_id byte = emit_int_type(e, 8);
    vec_push(e->arena, &record->members, spv_type_array(e->module, byte, (uint32_t)count));
    record->end = offset;
}

/* Lays the fields out at the offsets that sema gave them; false where natural alignment would move one. */
static bool lay_out(struct emit *e, struct record *record, const spv_id *types, bool packed)
{
    const struct type *type = record->type;
    uint32_t max_align = 1;
    record->members.length = 0;
    record->end = 0;
    for (uint32_t i = 0; i < type->record.num_fields; i++) {
        const struct field *field = &type->record.fields[i];
        record->map[i] = NO_MEMBER;
        if (!types[i])
            continue;
        uint64_t size = emit_natural_size(e, types[i]);
        uint32_t align = packed ? 1 : emit_natural_align(e, types[i]);
        if (field->offset % align || field->offset < record->end)
            return false;
        if (align_up(record->end, align) != field->offset)
            pad_to(e, record, field->offset);
        record->map[i] = record->members.length;
        vec_push(e->arena, &record->members, types[i]);
        record->end = field->offset + size;
        max_align = align > max_align ? align : max_align;
    }
    if (align_up(record->end, max_align) != type->size)
        pad_to(e, record, type->size);
    return align_up(record->end, max_align) == type->size;
}

static spv_id struct_type(struct emit *e, const struct type *type, struct emitted_type *out)
{
    uint32_t count = type->record.num_fields;
    spv_id *types = arena_array(e->arena, spv_id, count ? count : 1);
    struct record record = {.type = type, .map = arena_array(e->arena, uint32_t, count ? count : 1)};
    for (uint32_t i = 0; i < count; i++) {
        if (type->record.fields[i].type.type->size)
            types[i] = member_type(e, type->record.fields[i].type.type);
    }
    bool natural = lay_out(e, &record, types, false);
    bool packed = !natural && lay_out(e, &record, types, true);
    if (!natural && !packed) { /* overlapping fields: only bytes say it */
        for (uint32_t i = 0; i < count; i++)
            record.map[i] = NO_MEMBER;
        record.members.length = 0;
        record.end = 0;
        pad_to(e, &record, type->size);
    }
    out->members = record.map;
    spv_id id = spv_type_struct(e->module, record.members.length, record.members.data);
    if (packed)
        spv_decorate(e->module, id, SpvDecorationCPacked, 0, NULL);
    return id;
}

/* Words of the union's alignment leave no padding, so a copy of the struct copies every byte of every member. */
static spv_id union_type(struct emit *e, const struct type *type, struct emitted_type *out)
{
    uint32_t count = type->record.num_fields;
    out->members = arena_array(e->arena, uint32_t, count ? count : 1);
    for (uint32_t i = 0; i < count; i++)
        out->members[i] = NO_MEMBER;
    if (!type->size)
        return spv_type_struct(e->module, 0, NULL);
    uint32_t align = type->align ? type->align : 1;
    while (align > 1 && type->size % align)
        align /= 2;
    align = align > 64 ? 64 : align;
    uint32_t word = align > 4 ? (align == 8 ? 8 : 4) : align;
    uint32_t lanes = align / word;
    spv_id unit = emit_int_type(e, word * 8);
    if (lanes > 1) {
        if (lanes > 4)
            emit_capability(e, SpvCapabilityVector16);
        unit = spv_type_vector(e->module, unit, lanes);
    }
    unit = spv_type_array(e->module, unit, (uint32_t)(type->size / align));
    return spv_type_struct(e->module, 1, &unit);
}

static spv_id record_type(struct emit *e, const struct type *type, struct emitted_type *out)
{
    if (type->incomplete)
        return spv_type_struct(e->module, 0, NULL);
    out->building = true;
    spv_id id = type->kind == TYPE_UNION ? union_type(e, type, out) : struct_type(e, type, out);
    out->building = false;
    if (type->record.tag && type->record.tag->name) {
        const char *keyword = type->kind == TYPE_UNION ? "union" : "struct";
        spv_add_name(e->module, id, arena_printf(e->arena, "%s.%s", keyword, type->record.tag->name->name));
    }
    return id;
}

uint32_t emit_field_member(struct emit *e, const struct type *record, uint32_t field)
{
    emit_memory_type(e, record);
    const struct emitted_type *out = emitted(e, record);
    return out->members && field < record->record.num_fields ? out->members[field] : NO_MEMBER;
}

/* ---- opaque types ---- */

static spv_id image_type(struct emit *e, const struct type *type)
{
    static const struct {
        uint8_t dim, depth, arrayed, ms;
    } facts[] = {
        [IMAGE_1D] = {SpvDim1D, 0, 0, 0},
        [IMAGE_1D_ARRAY] = {SpvDim1D, 0, 1, 0},
        [IMAGE_1D_BUFFER] = {SpvDimBuffer, 0, 0, 0},
        [IMAGE_2D] = {SpvDim2D, 0, 0, 0},
        [IMAGE_2D_ARRAY] = {SpvDim2D, 0, 1, 0},
        [IMAGE_2D_DEPTH] = {SpvDim2D, 1, 0, 0},
        [IMAGE_2D_ARRAY_DEPTH] = {SpvDim2D, 1, 1, 0},
        [IMAGE_2D_MSAA] = {SpvDim2D, 0, 0, 1},
        [IMAGE_2D_ARRAY_MSAA] = {SpvDim2D, 0, 1, 1},
        [IMAGE_2D_MSAA_DEPTH] = {SpvDim2D, 1, 0, 1},
        [IMAGE_2D_ARRAY_MSAA_DEPTH] = {SpvDim2D, 1, 1, 1},
        [IMAGE_3D] = {SpvDim3D, 0, 0, 0},
    };
    uint32_t dim = facts[type->image.dim].dim;
    uint32_t access = type->image.access & QUAL_READ_WRITE   ? SpvAccessQualifierReadWrite
                      : type->image.access & QUAL_WRITE_ONLY ? SpvAccessQualifierWriteOnly
                                                             : SpvAccessQualifierReadOnly;
    emit_capability(e, SpvCapabilityImageBasic);
    if (dim == SpvDim1D)
        emit_capability(e, SpvCapabilitySampled1D);
    if (dim == SpvDimBuffer)
        emit_capability(e, SpvCapabilitySampledBuffer);
    if (access == SpvAccessQualifierReadWrite)
        emit_capability(e, SpvCapabilityImageReadWrite);
    const uint32_t words[] = {
        spv_type_void(e->module),  dim, facts[type->image.dim].depth, facts[type->image.dim].arrayed,
        facts[type->image.dim].ms, 0,   SpvImageFormatUnknown,        access};
    return spv_type(e->module, SpvOpTypeImage, ARRAY_LENGTH(words), words);
}

static spv_id opaque_type(struct emit *e, const struct type *type)
{
    switch (type->kind) {
    case TYPE_IMAGE:
        return image_type(e, type);
    case TYPE_SAMPLER:
        return spv_type(e->module, SpvOpTypeSampler, 0, NULL);
    case TYPE_EVENT:
        return spv_type(e->module, SpvOpTypeEvent, 0, NULL);
    case TYPE_QUEUE:
        emit_capability(e, SpvCapabilityDeviceEnqueue);
        return spv_type(e->module, SpvOpTypeQueue, 0, NULL);
    case TYPE_CLK_EVENT:
        emit_capability(e, SpvCapabilityDeviceEnqueue);
        return spv_type(e->module, SpvOpTypeDeviceEvent, 0, NULL);
    case TYPE_RESERVE_ID:
        emit_capability(e, SpvCapabilityPipes);
        return spv_type(e->module, SpvOpTypeReserveId, 0, NULL);
    case TYPE_PIPE: {
        emit_capability(e, SpvCapabilityPipes);
        uint32_t access =
            type->pipe.access & QUAL_WRITE_ONLY ? SpvAccessQualifierWriteOnly : SpvAccessQualifierReadOnly;
        return spv_type(e->module, SpvOpTypePipe, 1, &access);
    }
    case TYPE_NDRANGE: {
        spv_id sizes = spv_type_array(e->module, emit_int_type(e, 64), 3);
        return spv_type_struct(e->module, 4, (const spv_id[]){emit_int_type(e, 32), sizes, sizes, sizes});
    }
    default:
        return spv_type_void(e->module);
    }
}

spv_id emit_matrix_component(struct emit *e, const struct type *matrix)
{
    static const struct {
        uint32_t type[2]; /* the width and the encoding */
        const char *extension;
        uint32_t capabilities[2];
    } encodings[] = {
        [MATRIX_BFLOAT16] = {{16, SPV_FLOAT_BFLOAT16},
                             "SPV_KHR_bfloat16",
                             {SpvCapabilityBFloat16TypeKHR, SpvCapabilityBFloat16CooperativeMatrixKHR}},
        [MATRIX_E4M3] = {{8, SPV_FLOAT_E4M3},
                         "SPV_EXT_float8",
                         {SpvCapabilityFloat8EXT, SpvCapabilityFloat8CooperativeMatrixEXT}},
        [MATRIX_E5M2] = {{8, SPV_FLOAT_E5M2},
                         "SPV_EXT_float8",
                         {SpvCapabilityFloat8EXT, SpvCapabilityFloat8CooperativeMatrixEXT}},
    };
    enum matrix_encoding i = matrix->matrix.encoding;
    if (!i)
        return emit_type(e, matrix->matrix.element);
    spv_add_extension(e->module, encodings[i].extension);
    emit_capability(e, (SpvCapability)encodings[i].capabilities[0]);
    emit_capability(e, (SpvCapability)encodings[i].capabilities[1]);
    return spv_type(e->module, SpvOpTypeFloat, ARRAY_LENGTH(encodings[i].type), encodings[i].type);
}

static spv_id matrix_type(struct emit *e, const struct type *type)
{
    if (!type->matrix.rows)
        pp_fatal(e->front, 0, "a cooperative matrix is of no type");
    spv_add_extension(e->module, "SPV_KHR_cooperative_matrix");
    emit_capability(e, (SpvCapability)SpvCapabilityCooperativeMatrixKHR);
    const uint32_t words[] = {emit_matrix_component(e, type), emit_const_u32(e, SpvScopeSubgroup),
                              emit_const_u32(e, type->matrix.rows), emit_const_u32(e, type->matrix.columns),
                              emit_const_u32(e, type->matrix.use)};
    return spv_type(e->module, SpvOpTypeCooperativeMatrixKHR, ARRAY_LENGTH(words), words);
}

/* ---- all types ---- */

static spv_id scalar_type(struct emit *e, const struct type *type, bool memory)
{
    switch (type->kind) {
    case TYPE_BOOL:
        return memory ? emit_int_type(e, 8) : spv_type_bool(e->module);
    case TYPE_HALF:
        return float_type(e, 16);
    case TYPE_FLOAT:
        return float_type(e, 32);
    case TYPE_DOUBLE:
        return float_type(e, 64);
    default:
        return emit_int_type(e, (uint32_t)type->size * 8);
    }
}

static spv_id array_type(struct emit *e, const struct type *type)
{
    uint64_t count = type->array.count;
    if (count > UINT32_MAX)
        pp_fatal(e->front, 0, "array of %llu elements is too large", (unsigned long long)count);
    return spv_type_array(e->module, emit_memory_type(e, type->array.element.type), count ? (uint32_t)count : 1);
}

static spv_id make_type(struct emit *e, const struct type *type, struct emitted_type *out, bool memory)
{
    switch (type->kind) {
    case TYPE_POISON:
    case TYPE_VOID:
        return spv_type_void(e->module);
    case TYPE_VECTOR:
        if (type->vector.count > 4)
            emit_capability(e, SpvCapabilityVector16);
        return spv_type_vector(e->module, scalar_type(e, emit_canonical(type->vector.element), memory),
                               type->vector.count);
    case TYPE_MATRIX:
        return matrix_type(e, type);
    case TYPE_POINTER:
    case TYPE_BLOCK:
        return emit_pointer_type(e, type->pointer.pointee.type, type->pointer.pointee.address_space);
    case TYPE_ARRAY:
        return array_type(e, type);
    case TYPE_FUNCTION: {
        VEC(spv_id) params = {0};
        for (uint32_t i = 0; i < type->function.num_params; i++)
            vec_push(e->arena, &params, emit_type(e, type->function.params[i].type));
        return spv_type_function(e->module, emit_type(e, type->function.result.type), params.length, params.data);
    }
    case TYPE_STRUCT:
    case TYPE_UNION:
        return record_type(e, type, out);
    default:
        return type->kind <= TYPE_DOUBLE ? scalar_type(e, type, memory) : opaque_type(e, type);
    }
}

static spv_id cached_type(struct emit *e, const struct type *type, bool memory)
{
    struct emitted_type *out = emitted(e, type);
    spv_id *slot = memory && has_memory_form(type) ? &out->memory : &out->value;
    if (!*slot) {
        if (++e->type_depth > EMIT_MAX_TYPE_DEPTH)
            pp_fatal(e->front, 0, "types are nested too deeply");
        spv_id id = make_type(e, type, out, memory);
        e->type_depth--;
        /* while a record is in the making, a pointer to it is a byte pointer, which is not its type later */
        if (type->kind == TYPE_POINTER && points_to_building(e, type))
            return id;
        *slot = id;
    }
    return *slot;
}

spv_id emit_type(struct emit *e, const struct type *type)
{
    type = emit_canonical(type);
    const struct emitted_type *known = type->emit;
    if (known && known->value)
        return known->value;
    return cached_type(e, type, false);
}

spv_id emit_memory_type(struct emit *e, const struct type *type)
{
    type = emit_canonical(type);
    const struct emitted_type *known = type->emit;
    if (known && known->value && !has_memory_form(type))
        return known->value;
    return cached_type(e, type, true);
}
