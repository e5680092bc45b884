/* Emission of image and pipe functions. OpenCL C 3.0, 6.15.15 and 6.15.18. */
#include "compiler/front/emit/builtins.h"

/* ---- images ---- */

static const struct type *image_type(const struct builtin_call *call)
{
    return call->args[0]->type.type;
}

static bool is_depth(enum image_kind dim)
{
    return dim == IMAGE_2D_DEPTH || dim == IMAGE_2D_ARRAY_DEPTH || dim == IMAGE_2D_MSAA_DEPTH ||
           dim == IMAGE_2D_ARRAY_MSAA_DEPTH;
}

/* SPIR-V samples four components always, of which depth images give the first; what it reads of those is one number. */
static spv_id texel_type(struct emit *e, const struct builtin_call *call)
{
    return spv_type_vector(e->module, emit_type(e, type_element(call->result)), 4);
}

static spv_id emit_texel(struct emit *e, const struct builtin_call *call, spv_id texel)
{
    return is_depth(image_type(call)->image.dim) ? emit_extract(e, call->type, texel, 0) : texel;
}

/* OpenCL's gradients of 3D images have four components. */
static spv_id gradient(struct emit *e, const struct builtin_call *call, spv_id value)
{
    if (image_type(call)->image.dim != IMAGE_3D || call->num_args < 5)
        return value;
    spv_id type = spv_type_vector(e->module, spv_type_float(e->module, 32), 3);
    return spv_emitv(&e->b, SpvOpVectorShuffle, type, value, value, 0, 1, 2);
}

/* Tells a read of a level, which may be 0, from one of an image without regard to its levels: both have a level in
 * SPIR-V, but the sampler's range of levels is the former's only. */
static spv_id no_offset(struct emit *e, const struct builtin_call *call)
{
    enum image_kind dim = image_type(call)->image.dim;
    uint32_t count = dim == IMAGE_3D ? 3 : dim <= IMAGE_1D_BUFFER ? 1 : 2;
    emit_capability(e, SpvCapabilityImageMipmap);
    return spv_const_null(e->module, spv_type_vector(e->module, spv_type_int(e->module, 32), count));
}

/* A read with a sampler names its level of detail: 0, or the fourth argument, or two gradients (cl_khr_mipmap_image).
 * */
spv_id emit_image_sample_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id image = emit_type(e, image_type(call));
    spv_id sampled_type = spv_type(e->module, SpvOpTypeSampledImage, 1, &image);
    spv_id sampled = spv_emitv(&e->b, SpvOpSampledImage, sampled_type, call->ids[0], call->ids[1]);
    uint32_t words[6] = {sampled, call->ids[2], SpvImageOperandsLodMask}, count = 3;
    if (call->num_args == 5)
        words[2] = SpvImageOperandsGradMask;
    if (call->num_args > 3)
        words[2] |= SpvImageOperandsConstOffsetMask;
    for (uint32_t i = 3; i < call->num_args; i++)
        words[count++] = gradient(e, call, call->ids[i]);
    if (count > 3)
        words[count++] = no_offset(e, call);
    else
        words[count++] = emit_const_float(e, e->front->types->scalars[TYPE_FLOAT], 0.0);
    spv_id texel = spv_emit(&e->b, SpvOpImageSampleExplicitLod, texel_type(e, call), count, words);
    return emit_texel(e, call, texel);
}

spv_id emit_image_read_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id type = is_depth(image_type(call)->image.dim) ? call->type : texel_type(e, call);
    return spv_emitv(&e->b, SpvOpImageRead, type, call->ids[0], call->ids[1]);
}

/* The library's reads of a level; depth images' give one number. */
spv_id emit_image_fetch_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id type = is_depth(image_type(call)->image.dim) ? call->type : texel_type(e, call);
    return spv_emitv(&e->b, SpvOpImageRead, type, call->ids[0], call->ids[1], SpvImageOperandsLodMask, call->ids[2]);
}

/* The library's own, which only lowering knows to do (spv/private.def). aux: 0 a filtered read, 1 may the device filter? */
spv_id emit_image_private_builtin(struct emit *e, const struct builtin_call *call)
{
    enum spv_private number = call->pattern->aux ? SPV_PRIVATE_DEVICE_FILTERS : SPV_PRIVATE_FILTERED_READ;
    bool colour = number == SPV_PRIVATE_FILTERED_READ && !is_depth(image_type(call)->image.dim);
    return spv_emit_private(&e->b, number, colour ? texel_type(e, call) : call->type, call->num_args, call->ids);
}

spv_id emit_image_read_sample_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id texel = spv_emitv(&e->b, SpvOpImageRead, texel_type(e, call), call->ids[0], call->ids[1],
                             SpvImageOperandsSampleMask, call->ids[2]);
    return emit_texel(e, call, texel);
}

spv_id emit_image_write_builtin(struct emit *e, const struct builtin_call *call)
{
    if (call->num_args == 4) { /* cl_khr_mipmap_image_writes */
        emit_capability(e, SpvCapabilityImageMipmap);
        spv_emitv_void(&e->b, SpvOpImageWrite, call->ids[0], call->ids[1], call->ids[3], SpvImageOperandsLodMask,
                       call->ids[2]);
    } else {
        spv_emitv_void(&e->b, SpvOpImageWrite, call->ids[0], call->ids[1], call->ids[2]);
    }
    return 0;
}

/* aux: 0 width, 1 height, 2 depth, 3 get_image_dim, 4 array size. The query gives a vector whose last component is the
 * size of the array. The capability ImageQuery is not added: with Kernel queries are allowed without it, and it would
 * bring the capability Shader. */
spv_id emit_image_size_builtin(struct emit *e, const struct builtin_call *call)
{
    enum image_kind dim = image_type(call)->image.dim;
    bool array = dim == IMAGE_1D_ARRAY || dim == IMAGE_2D_ARRAY || dim == IMAGE_2D_ARRAY_DEPTH ||
                 dim == IMAGE_2D_ARRAY_MSAA || dim == IMAGE_2D_ARRAY_MSAA_DEPTH;
    bool levels = dim != IMAGE_1D_BUFFER && dim < IMAGE_2D_MSAA;
    levels = levels || dim == IMAGE_3D;
    uint32_t spatial = dim == IMAGE_3D ? 3 : dim <= IMAGE_1D_BUFFER ? 1 : 2, which = call->pattern->aux;
    spv_id u32 = spv_type_int(e->module, 32), vector = spv_type_vector(e->module, u32, spatial + array);
    const uint32_t words[] = {call->ids[0], levels ? emit_const_u32(e, 0) : 0};
    spv_id size = spv_emit(&e->b, levels ? SpvOpImageQuerySizeLod : SpvOpImageQuerySize, vector, levels ? 2 : 1, words);
    if (spatial + array == 1)
        return size;
    if (which < 3)
        return emit_extract(e, u32, size, which);
    if (which == 4)
        return spv_emitv(&e->b, SpvOpUConvert, call->type, emit_extract(e, u32, size, spatial));
    spv_id parts[4] = {0, 0, emit_const_u32(e, 0), emit_const_u32(e, 0)};
    for (uint32_t i = 0; i < spatial; i++)
        parts[i] = emit_extract(e, u32, size, i);
    return emit_construct(e, call->type, type_lanes(call->result), parts);
}

/* SPIR-V numbers channel types and orders from 0. OpenCL counts types from CLK_SNORM_INT8 = 0x10D0 and orders from
 * CLK_R = 0x10B0. */
spv_id emit_image_query_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id value = spv_emitv(&e->b, (SpvOp)call->op, call->type, call->ids[0]);
    if (call->op != SpvOpImageQueryFormat && call->op != SpvOpImageQueryOrder)
        return value;
    return spv_emitv(&e->b, SpvOpIAdd, call->type, value,
                     emit_const_u32(e, call->op == SpvOpImageQueryFormat ? 0x10D0 : 0x10B0));
}

/* ---- pipes ---- */

/* aux: see enum in sema/builtin_custom.c: 0 read, 1 write, then reserve and commit for the work-item, group and
 * sub-group */
spv_id emit_pipe_builtin(struct emit *e, const struct builtin_call *call)
{
    static const SpvOp ops[] = {SpvOpReadPipe,
                                SpvOpWritePipe,
                                SpvOpReserveReadPipePackets,
                                SpvOpReserveWritePipePackets,
                                SpvOpCommitReadPipe,
                                SpvOpCommitWritePipe,
                                SpvOpGroupReserveReadPipePackets,
                                SpvOpGroupReserveWritePipePackets,
                                SpvOpGroupCommitReadPipe,
                                SpvOpGroupCommitWritePipe,
                                SpvOpGroupReserveReadPipePackets,
                                SpvOpGroupReserveWritePipePackets,
                                SpvOpGroupCommitReadPipe,
                                SpvOpGroupCommitWritePipe,
                                SpvOpGetNumPipePackets,
                                SpvOpGetMaxPipePackets};
    const struct type *packet = call->expr->builtin.gentype;
    uint32_t which = call->pattern->aux, words[8], count = 0;
    SpvOp op = ops[which];
    emit_capability(e, SpvCapabilityPipes);
    if (which >= 6 && which < 14)
        words[count++] = emit_const_u32(e, which < 10 ? SpvScopeWorkgroup : SpvScopeSubgroup);
    if (which < 2 && call->num_args == 4)
        op = which ? SpvOpReservedWritePipe : SpvOpReservedReadPipe;
    for (uint32_t i = 0; i < call->num_args; i++)
        words[count++] = call->ids[i];
    words[count++] = emit_const_u32(e, (uint32_t)packet->size);
    words[count++] = emit_const_u32(e, packet->align);
    if (op == SpvOpCommitReadPipe || op == SpvOpCommitWritePipe || op == SpvOpGroupCommitReadPipe ||
        op == SpvOpGroupCommitWritePipe) {
        spv_emit_void(&e->b, op, count, words);
        return 0;
    }
    return spv_emit(&e->b, op, call->type, count, words);
}

spv_id emit_reserve_id_builtin(struct emit *e, const struct builtin_call *call)
{
    emit_capability(e, SpvCapabilityPipes);
    return spv_emitv(&e->b, SpvOpIsValidReserveId, call->type, call->ids[0]);
}
