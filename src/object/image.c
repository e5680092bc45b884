/* Images: their memory, and what is made of clCreateImage's descriptor.
 *
 * An image is one of three things. A root has a vkb_image of its own per device of the context. An image of an image
 * has a view of the root's. An image of a buffer has the buffer's texels: over its memory, always where they are a line
 * and a plane where the device allows; else in an image beside it, which commands keep equal (image_use.c). The buffer
 * may be one that the application does not know of. */
#include "src/device/device.h"
#include "src/object/contents.h"
#include "src/object/context.h"
#include "src/object/dma_buf.h"
#include "src/object/foreign.h"
#include "src/object/image.h"

#include "compiler/clc.h"

#include "base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static enum vkb_image_kind kind_of(cl_mem_object_type type)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return VKB_IMAGE_1D;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return VKB_IMAGE_1D_ARRAY;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return VKB_IMAGE_BUFFER;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return VKB_IMAGE_2D_ARRAY;
    case CL_MEM_OBJECT_IMAGE3D:
        return VKB_IMAGE_3D;
    default:
        return VKB_IMAGE_2D;
    }
}

void ocl_image_vk_info(const struct ocl_format *format, cl_mem_object_type type, cl_mem_flags flags,
                       struct vkb_image_info *info)
{
    uint32_t word = clc_image_word(format->cl.image_channel_order, format->cl.image_channel_data_type);
    /* An image of this image may be used otherwise (cl_intel_planar_yuv). */
    bool any = flags & CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL && !(flags & OCL_MEM_IMMUTABLE);
    *info = (struct vkb_image_info){
        .kind = kind_of(type),
        .format = format->format,
        .sampled_format = format->sampled_format,
        .other_format = format->other_format,
        .texel_size = format->stored_size,
        .width = 1,
        .height = 1,
        .depth = 1,
        .layers = 1,
        .sampled = any || !(flags & CL_MEM_WRITE_ONLY),
        .storage = any || !(flags & (CL_MEM_READ_ONLY | CL_MEM_NO_ACCESS_INTEL | OCL_MEM_IMMUTABLE)),
    };
    for (uint32_t c = 0; c < 4; c++)
        info->mapping[c] = (uint8_t)clc_image_component(word, c);
}

static void full_vk_info(const struct _cl_mem *mem, struct vkb_image_info *info)
{
    const struct ocl_image *image = mem->image;
    ocl_image_vk_info(&image->format, mem->type, mem->flags, info);
    info->width = (uint32_t)image->width;
    info->height = image->height ? (uint32_t)image->height : 1;
    info->depth = image->depth ? (uint32_t)image->depth : 1;
    info->layers = image->array_size ? (uint32_t)image->array_size : 1;
    if (image->samples) {
        info->kind = VKB_IMAGE_2D_ARRAY;
        info->layers *= image->samples;
    }
    info->levels = ocl_image_levels(image);
    info->sampled |= info->levels > 1; /* kernels that only write them ask how many there are */
}

void ocl_image_whole(const struct _cl_mem *mem, uint32_t level, struct vkb_image_region *region)
{
    uint32_t extent[3];
    ocl_image_extent(mem, level, extent);
    *region = (struct vkb_image_region){
        .extent = {extent[0], extent[1], extent[2]},
        .level = level,
        .buffer_offset = ocl_image_packed_offset(mem, level),
        .row_texels = extent[0],
        .slice_rows = extent[1],
    };
}

uint64_t ocl_image_packed_size(const struct _cl_mem *mem)
{
    const struct ocl_image *image = mem->image;
    if (image->num_levels > 1)
        return ocl_image_packed_offset(mem, image->num_levels);
    return (uint64_t)image->extent[0] * image->extent[1] * image->extent[2] * image->format.stored_size;
}

/* ---- what the descriptor says ---- */

static bool has_planes(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
}

static void set_extent(size_t extent[3], cl_mem_object_type type, const cl_image_desc *desc)
{
    extent[0] = desc->image_width;
    extent[1] = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? desc->image_array_size
                : has_planes(type)                  ? desc->image_height
                                                    : 1;
    extent[2] = type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? desc->image_array_size
                : type == CL_MEM_OBJECT_IMAGE3D     ? desc->image_depth
                                                    : 1;
}

static void set_pitches(cl_mem_object_type type, const size_t region[3], const struct ocl_format *format,
                        size_t row_pitch, size_t slice_pitch, uint64_t pitch[2])
{
    bool lines = type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
         slices = lines || type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    pitch[0] = row_pitch ? row_pitch : ocl_format_row(format, region[0]);
    /* OpenCL 3.0 API, 5.3.1.2: the slices of a 1D array are its layers, which are rows to us. */
    if (lines && slice_pitch)
        pitch[0] = slice_pitch;
    pitch[1] = slices && !lines && slice_pitch ? slice_pitch : size_product(pitch[0], region[1]);
}

void ocl_image_pitches(const struct _cl_mem *mem, const size_t region[3], size_t row_pitch, size_t slice_pitch,
                       uint64_t pitch[2])
{
    set_pitches(mem->type, region, &mem->image->format, row_pitch, slice_pitch, pitch);
}

/* The chroma behind the luma has half as many rows, which are as long. */
static size_t whole_size(const struct ocl_format *format, const uint64_t pitch[2], size_t depth)
{
    if (format->conversion == OCL_NV12)
        return size_sum(pitch[1], pitch[1] / 2);
    return size_product(pitch[1], depth);
}

size_t ocl_image_size(cl_mem_object_type type, const cl_image_desc *desc, const struct ocl_format *format)
{
    size_t extent[3];
    uint64_t pitch[2];
    set_extent(extent, type, desc);
    set_pitches(type, extent, format, desc->image_row_pitch, desc->image_slice_pitch, pitch);
    return whole_size(format, pitch, extent[2]);
}

uint64_t ocl_image_chroma(const struct _cl_mem *mem)
{
    return mem->image->chroma;
}

static void describe(cl_mem mem, const struct ocl_image_request *request)
{
    const cl_image_desc *desc = &request->desc;
    struct ocl_image *image = mem->image;
    cl_mem_object_type type = request->type;
    bool array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size_t extent[3];
    image->format = request->format;
    image->width = desc->image_width;
    image->height = has_planes(type) ? desc->image_height : 0;
    image->depth = type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth : 0;
    image->array_size = array ? desc->image_array_size : 0;
    set_extent(extent, type, desc);
    image->samples = request->samples;
    extent[2] *= image->samples ? image->samples : 1;
    for (int i = 0; i < 3; i++)
        image->extent[i] = (uint32_t)extent[i];
    ocl_image_pitches(mem, extent, desc->image_row_pitch, desc->image_slice_pitch, image->pitch);
    image->chroma = image->pitch[1];
    image->row_pitch = desc->image_row_pitch ? desc->image_row_pitch : ocl_format_row(&image->format, image->width);
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        image->slice_pitch = image->pitch[0];
    else if (type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        image->slice_pitch = image->pitch[1];
    image->num_levels = desc->num_mip_levels;
    mem->size = image->num_levels > 1 ? ocl_image_level_offset(mem, image->num_levels)
                                      : whole_size(&image->format, image->pitch, image->extent[2]);
}

/* ---- memory ---- */

/* Texels of both signs. With three dimensions three weights are multiplied, and the errors of eight bits in each add up
 * to more than the conformance suite allows of the greatest texel, where texels of one sign balance those of the other.
 */
static bool is_signed(const struct ocl_format *format)
{
    switch (format->cl.image_channel_data_type) {
    case CL_SNORM_INT8:
    case CL_SNORM_INT16:
    case CL_HALF_FLOAT:
    case CL_FLOAT:
        return true;
    default:
        return false;
    }
}

bool ocl_format_filters(const struct ocl_format *format, bool three, cl_device_id device)
{
    if (three && is_signed(format))
        return false;
    const struct clc_target *target = ocl_device_target(device);
    bool srgb = format->sampled_format && format->cl.image_channel_data_type == CL_UNORM_INT8;
    cl_channel_type type =
        format->cl.image_channel_data_type == CL_UNORM_INT24 ? CL_FLOAT : format->cl.image_channel_data_type;
    uint32_t bit = 1u << (type - CL_SNORM_INT8);
    return !ocl_image_decodes(format, device) && target->filters & (srgb ? CLC_FILTERS_SRGB : bit);
}

uint32_t ocl_image_decodes(const struct ocl_format *format, cl_device_id device)
{
    if (format->high_bits)
        return CLC_IMAGES_HIGH;
    if (!format->sampled_format)
        return 0;
    const struct clc_target *target = ocl_device_target(device);
    bool packed = format->cl.image_channel_data_type != CL_UNORM_INT8;
    return packed ? (target->decodes_packed ? CLC_IMAGES_PACKED : 0) : target->decodes_srgb ? CLC_IMAGES_SRGB : 0;
}

static enum vkb_result place_root(cl_mem mem, cl_uint device, const struct vkb_image_info *info)
{
    return vkb_image_create(mem->context->devices[device]->vk, info, &mem->storage[device].image);
}

static enum vkb_result place_view(cl_mem mem, cl_uint device, struct vkb_image_info *info)
{
    struct vkb_image *base = ocl_mem_root(mem)->storage[device].image;
    info->format = vkb_image_info(base)->format;
    return vkb_image_create_view(base, info, &mem->storage[device].image);
}

/* Over the buffer's memory, or where the device cannot do that, beside it. */
static enum vkb_result place_over(cl_mem mem, cl_uint device, struct vkb_image_info *info)
{
    const struct ocl_storage *root = &ocl_mem_root(mem)->storage[device];
    info->row_pitch = mem->image->pitch[0];
    uint32_t other_format = info->other_format;
    info->other_format = 0;
    enum vkb_result result = VKB_UNSUPPORTED;
    if (!mem->image->format.conversion)
        result = vkb_image_create_over(root->buffer, root->offset + mem->origin, info, &mem->storage[device].image);
    info->other_format = other_format;
    if (result == VKB_UNSUPPORTED && mem->type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        result = place_root(mem, device, info);
    return result;
}

void ocl_image_shared_info(cl_context context, const struct ocl_image_request *request, struct vkb_image_info *info)
{
    ocl_image_vk_info(&request->format, request->type, CL_MEM_READ_WRITE, info);
    info->width = (uint32_t)request->desc.image_width;
    info->height = (uint32_t)request->desc.image_height;
    if (request->format.bits_format) /* it is made without another format */
        info->other_format = 0;
    if (ocl_image_decodes(&request->format, context->devices[0]))
        info->sampled_format = 0;
}

/* What the device makes of it: without the other format for samplers where kernels decode themselves. */
static void device_info(const struct _cl_mem *mem, cl_uint device, struct vkb_image_info *info)
{
    full_vk_info(mem, info);
    if (ocl_image_decodes(&mem->image->format, mem->context->devices[device]))
        info->sampled_format = 0;
}

static cl_int code_of(enum vkb_result result)
{
    return result == VKB_SUCCESS              ? CL_SUCCESS
           : result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY
                                              : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int ocl_image_allocate(cl_mem root, cl_uint device, struct vkb_image **image)
{
    struct vkb_image_info info;
    device_info(root, device, &info);
    enum vkb_result result = vkb_image_create(root->context->devices[device]->vk, &info, image);
    if (result != VKB_SUCCESS)
        *image = NULL;
    return code_of(result);
}

cl_int ocl_image_place(cl_mem mem, cl_uint device)
{
    struct vkb_image_info info;
    cl_mem root = ocl_mem_root(mem);
    enum vkb_result result;
    assert(!mem->storage[device].image);
    device_info(mem, device, &info);
    if (root->image && root != mem)
        result = place_view(mem, device, &info);
    else if (!root->image)
        result = place_over(mem, device, &info);
    else
        result = place_root(mem, device, &info);
    if (result != VKB_SUCCESS)
        mem->storage[device].image = NULL;
    else if (root == mem)
        atomic_store(&mem->placed, true);
    return code_of(result);
}

static void pack(const struct ocl_image *image, const char *host, char *packed)
{
    size_t row = (size_t)image->extent[0] * image->format.stored_size;
    for (uint32_t z = 0; z < image->extent[2]; z++) {
        for (uint32_t y = 0; y < image->extent[1]; y++, packed += row)
            ocl_format_decode(&image->format, host + z * image->pitch[1] + y * image->pitch[0], packed,
                              image->extent[0]);
    }
}

/* The texels as the image has them. */
static cl_int take_contents(cl_mem root, const char *host, struct vkb_contents **contents)
{
    uint64_t size = align_up(ocl_image_packed_size(root), 4);
    enum vkb_result result = vkb_contents_create(root->context->devices[0]->vk, size, contents);
    if (result == VKB_SUCCESS)
        pack(root->image, host, vkb_contents_map(*contents));
    return code_of(result);
}

static cl_int upload(cl_mem root, const char *host)
{
    struct vkb_contents *contents;
    cl_int error = take_contents(root, host, &contents);
    return error == CL_SUCCESS ? ocl_contents_give_image(root->context, 0, root->storage[0].image, contents) : error;
}

cl_int ocl_image_allocate_filled(cl_mem root, struct vkb_image **image)
{
    cl_int error = ocl_image_allocate(root, 0, image);
    if (error != CL_SUCCESS || !root->contents)
        return error;
    enum vkb_result result = vkb_image_give(*image, root->contents);
    if (result == VKB_SUCCESS) {
        root->contents = NULL;
        return CL_SUCCESS;
    }
    vkb_image_release(*image);
    *image = NULL;
    return ocl_from_vkb(result);
}

/* An image of its own in a context of one device. It is made when it is first used; what the device does not do is found
 * out now. Contents wait for that, unless too many do. */
static cl_int initialise_root(cl_mem mem, const void *host_ptr)
{
    struct vkb_image_info info;
    device_info(mem, 0, &info);
    enum vkb_promise promise = VKB_PROMISE_OPEN;
    uint64_t size = ocl_image_packed_size(mem), padding = size / 16; /* drivers pad rows and tiles */
    if (vkb_image_supported(mem->context->devices[0]->vk, &info))
        promise = ocl_mem_promise(mem, size + padding);
    if (promise == VKB_PROMISE_REFUSED)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (promise == VKB_PROMISE_MADE && !host_ptr)
        return CL_SUCCESS;
    if (promise == VKB_PROMISE_MADE && vkb_contents_may_wait(mem->context->devices[0]->vk) &&
        take_contents(mem, host_ptr, &mem->contents) == CL_SUCCESS)
        return CL_SUCCESS;
    cl_int error = ocl_image_place(mem, 0);
    ocl_mem_unpromise(mem);
    if (error != CL_SUCCESS || !host_ptr)
        return error;
    mem->valid = 1;
    return upload(mem, host_ptr);
}

static cl_int initialise(cl_mem mem, const void *host_ptr)
{
    bool root = !mem->parent, alone = mem->context->num_devices == 1;
    if (!host_ptr && !alone)
        return CL_SUCCESS; /* where it is first used */
    if (ocl_image_is_planar(mem) && mem->flags & CL_MEM_NO_ACCESS_INTEL)
        return CL_SUCCESS; /* which is nowhere */
    if (root && alone)
        return initialise_root(mem, host_ptr);
    cl_int error = alone ? ocl_mem_ready(ocl_mem_root(mem)) : CL_SUCCESS;
    if (error == CL_SUCCESS)
        error = ocl_image_place(mem, 0);
    if (error != CL_SUCCESS || !host_ptr || !root)
        return error;
    mem->valid = 1;
    return upload(mem, host_ptr);
}

/* ---- from handles ---- */

static enum vkb_result import_image(cl_mem root, cl_uint device, const struct ocl_mem_properties *read, intptr_t handle)
{
    struct vkb_image_info info;
    full_vk_info(root, &info);
    if (root->image->format.bits_format) /* it was made without another format */
        info.other_format = 0;
    return vkb_image_import_handle(root->context->devices[device]->vk, &info, (enum vkb_handle)read->kind, handle,
                                   &root->storage[device].image);
}

/* The same with the texels in rows. */
static enum vkb_result import_rows(cl_mem root, cl_uint device, const struct ocl_mem_properties *read, intptr_t handle)
{
    struct vkb_image_info info;
    full_vk_info(root, &info);
    info.row_pitch = root->image->pitch[0];
    info.slice_pitch = root->image->pitch[1];
    if (root->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        info.slice_pitch = root->image->pitch[0];
    if (root->image->format.bits_format)
        info.other_format = 0;
    return vkb_image_import_handle(root->context->devices[device]->vk, &info, (enum vkb_handle)read->kind, handle,
                                   &root->storage[device].image);
}

/* The image's texels lie in a buffer that nobody else knows. */
static cl_int make_hidden(cl_mem mem, const struct ocl_image_request *request, cl_mem_flags flags, size_t size)
{
    struct ocl_mem_properties buffer = request->external;
    buffer.count = 0;
    buffer.may_copy = false;
    cl_int error = ocl_mem_create(mem->context, flags, size, request->host_ptr, NULL, &buffer, &mem->parent);
    mem->hides_parent = error == CL_SUCCESS;
    return error;
}

/* The device takes the texels as they lie, in whatever order the modifier says. */
static enum vkb_result import_dma_buf(cl_mem root, cl_uint device, const struct ocl_mem_properties *read,
                                      intptr_t handle)
{
    const struct ocl_dma_buf_layout *layout = &read->layout;
    struct vkb_image_info info;
    struct vkb_dma_buf from = {
        .fd = (int)handle,
        .modifier = layout->modifier,
        .num_planes = layout->num_planes ? layout->num_planes : 1,
    };
    memcpy(from.offset, layout->offset, sizeof(from.offset));
    memcpy(from.pitch, layout->pitch, sizeof(from.pitch));
    from.pitch[0] = root->image->pitch[0];
    device_info(root, device, &info);
    info.other_format = 0;
    return vkb_image_import_dma_buf(root->context->devices[device]->vk, &info, &from, &root->storage[device].image);
}

/* Where rows lie in the dma_buf: those of the image, or of its planes. */
static uint32_t find_parts(const struct _cl_mem *mem, const struct ocl_dma_buf_layout *layout,
                           struct ocl_dma_buf_part parts[OCL_DMA_BUF_PARTS])
{
    const struct ocl_image *image = mem->image;
    uint64_t row = ocl_format_row(&image->format, image->width);
    bool planar = ocl_image_is_planar(mem);
    parts[0] = (struct ocl_dma_buf_part){
        .offset = layout->offset[0],
        .pitch = image->pitch[0],
        .row = row,
        .packed = planar ? image->pitch[0] : row, /* in the buffer that images of planes are over */
        .rows = (uint32_t)image->height,
    };
    parts[1] = parts[0];
    parts[1].offset += image->chroma;
    parts[1].rows /= 2;
    return planar ? 2 : 1;
}

/* The host copies rows when the image changes hands. */
static cl_int copy_dma_buf(cl_mem mem, const struct ocl_image_request *request)
{
    struct ocl_dma_buf_part parts[OCL_DMA_BUF_PARTS];
    uint32_t count = find_parts(mem, &request->external.layout, parts);
    cl_int error = ocl_dma_buf_open((int)request->external.handle, parts, count, &mem->foreign);
    if (error != CL_SUCCESS)
        return error;
    mem->image->chroma = mem->image->pitch[1];
    if (!ocl_image_is_planar(mem))
        return CL_SUCCESS;
    struct ocl_image_request own = {0};
    return make_hidden(mem, &own, CL_MEM_READ_WRITE, (size_t)mem->foreign->size);
}

/* Bytes of the dma_buf from its beginning on in which the image lies, where that is in rows. */
static uint64_t end_of_rows(const struct _cl_mem *mem, const struct ocl_dma_buf_layout *layout)
{
    struct ocl_dma_buf_part parts[OCL_DMA_BUF_PARTS];
    uint64_t end = 0;
    for (uint32_t i = find_parts(mem, layout, parts); i-- > 0;)
        end = u64_max(end, parts[i].offset + (uint64_t)(parts[i].rows - 1) * parts[i].pitch + parts[i].row);
    return end;
}

/* Two dimensions in a dma_buf. A device that knows modifiers has an image in that memory. Others take it for a buffer,
 * over which or beside which the image lies, as that of a buffer's, if its texels are in rows. The host copies what no
 * device takes in. */
static cl_int import_layout(cl_mem mem, const struct ocl_image_request *request)
{
    const struct ocl_dma_buf_layout *layout = &request->external.layout;
    cl_int error = CL_INVALID_PROPERTY;
    if (layout->num_planes > 1 && ocl_image_is_planar(mem))
        mem->image->chroma = layout->offset[1] - layout->offset[0];
    if (!mem->image->format.conversion)
        error = ocl_mem_import(mem, &request->external, import_dma_buf);
    if (error != CL_INVALID_PROPERTY || layout->modifier)
        return error;
    error = make_hidden(mem, request, CL_MEM_READ_WRITE, (size_t)end_of_rows(mem, layout));
    mem->origin = (size_t)layout->offset[0];
    if (error != CL_INVALID_PROPERTY)
        return error;
    mem->origin = 0;
    return copy_dma_buf(mem, request);
}

/* An opaque handle's texels lie in rows where the application gives a pitch, else as the device likes. A dma_buf's are in
 * rows, unless a modifier says otherwise. */
static cl_int import(cl_mem mem, const struct ocl_image_request *request)
{
    const struct ocl_mem_properties *external = &request->external;
    if (external->kind == VKB_HANDLE_DMA_BUF && mem->type == CL_MEM_OBJECT_IMAGE2D)
        return import_layout(mem, request);
    bool in_rows = request->desc.image_row_pitch || request->desc.image_slice_pitch;
    if (external->kind != VKB_HANDLE_DMA_BUF && !ocl_image_is_planar(mem)) {
        cl_int error = ocl_mem_import(mem, external, in_rows ? import_rows : import_image);
        if (error != CL_INVALID_PROPERTY || !in_rows)
            return error;
    }
    return make_hidden(mem, request, CL_MEM_READ_WRITE, mem->size);
}

/* ---- mapped in place ---- */

static void copy_rows(char *to, uint64_t to_pitch, const char *from, uint64_t from_pitch, size_t row, uint32_t rows)
{
    for (uint32_t y = 0; y < rows; y++)
        memcpy(to + y * to_pitch, from + y * from_pitch, row);
}

/* Where the device's memory is the host's, a plane that the application wants to map lies in a buffer, in rows with the
 * device's pitch, so that a map of it is its address. False: this image does not, and nothing has changed. */
static bool lie_in_rows(cl_mem mem, const struct ocl_image_request *request)
{
    struct ocl_image *image = mem->image;
    cl_device_id device = mem->context->devices[0];
    if (!(request->flags & CL_MEM_ALLOC_HOST_PTR) || mem->context->num_devices > 1 || image->format.conversion)
        return false;
    struct vkb_image_info info;
    uint64_t size, given[2] = {image->pitch[0], image->pitch[1]};
    device_info(mem, 0, &info);
    info.other_format = 0;
    if (!vkb_image_fits_rows(device->vk, &info, image->pitch, &size) ||
        make_hidden(mem, request, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size) != CL_SUCCESS) {
        memcpy(image->pitch, given, sizeof(given));
        return false;
    }
    const struct ocl_storage *storage = &mem->parent->storage[0];
    image->pitch[1] = image->pitch[0] * image->extent[1];
    if (ocl_mem_ready(mem->parent) == CL_SUCCESS && storage->zero_copy && ocl_image_place(mem, 0) == CL_SUCCESS &&
        vkb_image_is_over(mem->storage[0].image)) {
        if (request->host_ptr)
            copy_rows(vkb_buffer_map(storage->buffer), image->pitch[0], request->host_ptr, given[0],
                      ocl_format_row(&image->format, image->width), image->extent[1]);
        return true;
    }
    vkb_image_release(mem->storage[0].image);
    mem->storage[0].image = NULL;
    ocl_mem_release(mem->parent);
    mem->parent = NULL;
    mem->hides_parent = false;
    memcpy(image->pitch, given, sizeof(given));
    return false;
}

/* Where an image's texels are in its parent. */
static uint64_t offset_in(const struct _cl_mem *parent, const struct ocl_image_request *request)
{
    return ocl_image_is_planar(parent) && request->desc.image_depth ? ocl_image_chroma(parent) : 0;
}

cl_int ocl_image_create(cl_context context, const struct ocl_image_request *request, cl_mem *result)
{
    cl_mem mem = ocl_mem_allocate(context, request->type, request->flags, 0);
    if (!mem)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    mem->image = calloc(1, sizeof(*mem->image));
    mem->storage = calloc(context->num_devices, sizeof(mem->storage[0]));
    if (!mem->image || !mem->storage ||
        ocl_mem_set_properties(mem, request->properties, request->external.count) != CL_SUCCESS)
        goto fail;
    describe(mem, request);
    if (request->given) {
        mem->storage[0].image = vkb_image_retain(request->given);
        atomic_store(&mem->placed, true);
    } else if (request->external.kind) {
        error = import(mem, request);
        if (error != CL_SUCCESS)
            goto fail;
    } else if (request->parent) {
        mem->parent = request->parent;
        atomic_store(&ocl_mem_root(mem)->has_images, true);
        mem->origin = request->parent->origin + offset_in(request->parent, request);
        if (request->parent->image && !ocl_image_is_planar(request->parent))
            memcpy(mem->image->pitch, request->parent->image->pitch, sizeof(mem->image->pitch));
        mem->host_ptr = request->parent->host_ptr;
        if (mem->host_ptr)
            mem->host_ptr = (char *)mem->host_ptr + offset_in(request->parent, request);
    } else if (ocl_image_is_planar(mem)) {
        error = make_hidden(mem, request, CL_MEM_READ_WRITE | (request->flags & OCL_HOST_POINTER), mem->size);
        if (error != CL_SUCCESS)
            goto fail;
    }
    if (!request->parent && request->flags & CL_MEM_USE_HOST_PTR)
        mem->host_ptr = request->host_ptr;
    bool has_memory = mem->imports || request->given,
         placed = !has_memory && !mem->parent && lie_in_rows(mem, request);
    if (has_memory || placed)
        error = CL_SUCCESS;
    else
        error = initialise(mem, request->parent ? NULL : request->host_ptr);
    if (error != CL_SUCCESS)
        goto fail;
    if (mem->host_ptr)
        ocl_mem_defer(mem);
    if (request->parent)
        ocl_mem_retain(mem->parent);
    ocl_context_retain(context);
    *result = mem;
    return CL_SUCCESS;

fail:
    for (cl_uint i = 0; mem->storage && i < context->num_devices; i++)
        vkb_image_release(mem->storage[i].image);
    if (mem->hides_parent)
        ocl_mem_release(mem->parent);
    ocl_foreign_release(mem->foreign);
    ocl_mem_destroy_struct(mem);
    return error;
}
