/* Which memory each command uses, and what markers, barriers and semaphores wait for. See hooks.c for the names. */
#include "checked_args.h"

#include "src/checked/model.h"
#include "src/object/image.h"
#include "src/object/kernel.h"
#include "src/object/queue.h"

#include "base/map.h"
#include "base/util.h"

#include <stdio.h>
#include <string.h>

#define READS(call, access)  checked_uses((call), (access), true, false)
#define WRITES(call, access) checked_uses((call), (access), false, true)

/* ---- buffers ---- */

void checked_does_clEnqueueReadBuffer(struct checked_call *call, struct clEnqueueReadBuffer_args *a)
{
    READS(call, checked_bytes(a->buffer, a->offset, a->size));
    WRITES(call, checked_host_memory(a->ptr, a->size));
}

void checked_does_clEnqueueWriteBuffer(struct checked_call *call, struct clEnqueueWriteBuffer_args *a)
{
    WRITES(call, checked_bytes(a->buffer, a->offset, a->size));
    READS(call, checked_host_memory(a->ptr, a->size));
}

void checked_does_clEnqueueReadBufferRect(struct checked_call *call, struct clEnqueueReadBufferRect_args *a)
{
    READS(call, checked_rows(a->buffer, NULL, a->buffer_origin, a->region, a->buffer_row_pitch, a->buffer_slice_pitch));
    WRITES(call, checked_rows(NULL, a->ptr, a->host_origin, a->region, a->host_row_pitch, a->host_slice_pitch));
}

void checked_does_clEnqueueWriteBufferRect(struct checked_call *call, struct clEnqueueWriteBufferRect_args *a)
{
    WRITES(call,
           checked_rows(a->buffer, NULL, a->buffer_origin, a->region, a->buffer_row_pitch, a->buffer_slice_pitch));
    READS(call, checked_rows(NULL, a->ptr, a->host_origin, a->region, a->host_row_pitch, a->host_slice_pitch));
}

void checked_does_clEnqueueCopyBuffer(struct checked_call *call, struct clEnqueueCopyBuffer_args *a)
{
    READS(call, checked_bytes(a->src_buffer, a->src_offset, a->size));
    WRITES(call, checked_bytes(a->dst_buffer, a->dst_offset, a->size));
}

void checked_does_clEnqueueCopyBufferRect(struct checked_call *call, struct clEnqueueCopyBufferRect_args *a)
{
    READS(call, checked_rows(a->src_buffer, NULL, a->src_origin, a->region, a->src_row_pitch, a->src_slice_pitch));
    WRITES(call, checked_rows(a->dst_buffer, NULL, a->dst_origin, a->region, a->dst_row_pitch, a->dst_slice_pitch));
}

void checked_does_clEnqueueFillBuffer(struct checked_call *call, struct clEnqueueFillBuffer_args *a)
{
    WRITES(call, checked_bytes(a->buffer, a->offset, a->size));
}

/* ---- images ---- */

static struct checked_access texels_at(cl_mem image, const void *pointer, const size_t region[3], size_t row_pitch,
                                       size_t slice_pitch)
{
    size_t bytes[3] = {region[0] * image->image->format.texel_size, region[1], region[2]};
    bool rows_are_layers = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    return checked_rows(NULL, pointer, NULL, bytes, rows_are_layers && slice_pitch ? slice_pitch : row_pitch,
                        slice_pitch);
}

void checked_does_clEnqueueReadImage(struct checked_call *call, struct clEnqueueReadImage_args *a)
{
    READS(call, checked_texels(a->image, a->origin, a->region));
    WRITES(call, texels_at(a->image, a->ptr, a->region, a->row_pitch, a->slice_pitch));
}

void checked_does_clEnqueueWriteImage(struct checked_call *call, struct clEnqueueWriteImage_args *a)
{
    WRITES(call, checked_texels(a->image, a->origin, a->region));
    READS(call, texels_at(a->image, a->ptr, a->region, a->row_pitch, a->slice_pitch));
}

void checked_does_clEnqueueFillImage(struct checked_call *call, struct clEnqueueFillImage_args *a)
{
    WRITES(call, checked_texels(a->image, a->origin, a->region));
}

void checked_does_clEnqueueCopyImage(struct checked_call *call, struct clEnqueueCopyImage_args *a)
{
    READS(call, checked_texels(a->src_image, a->src_origin, a->region));
    WRITES(call, checked_texels(a->dst_image, a->dst_origin, a->region));
}

static uint64_t texel_bytes(cl_mem image, const size_t region[3])
{
    return (uint64_t)image->image->format.texel_size * region[0] * region[1] * region[2];
}

void checked_does_clEnqueueCopyImageToBuffer(struct checked_call *call, struct clEnqueueCopyImageToBuffer_args *a)
{
    READS(call, checked_texels(a->src_image, a->src_origin, a->region));
    WRITES(call, checked_bytes(a->dst_buffer, a->dst_offset, texel_bytes(a->src_image, a->region)));
}

void checked_does_clEnqueueCopyBufferToImage(struct checked_call *call, struct clEnqueueCopyBufferToImage_args *a)
{
    READS(call, checked_bytes(a->src_buffer, a->src_offset, texel_bytes(a->dst_image, a->region)));
    WRITES(call, checked_texels(a->dst_image, a->dst_origin, a->region));
}

/* ---- maps ---- */

static void maps_memory(struct checked_call *call, struct checked_access access, const void *pointer,
                        cl_map_flags flags)
{
    bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    checked_uses(call, access, !writes || flags & CL_MAP_READ, writes);
    checked_mapped(call, access, pointer, writes);
}

static void unmaps_memory(struct checked_call *call, cl_mem mem, const void *pointer)
{
    struct checked_access access;
    if (checked_unmapped(mem, pointer, &access) && access.writes)
        WRITES(call, access);
}

void checked_does_clEnqueueMapBuffer(struct checked_call *call, struct clEnqueueMapBuffer_args *a)
{
    maps_memory(call, checked_bytes(a->buffer, a->offset, a->size), call->result, a->map_flags);
}

void checked_does_clEnqueueMapImage(struct checked_call *call, struct clEnqueueMapImage_args *a)
{
    maps_memory(call, checked_texels(a->image, a->origin, a->region), call->result, a->map_flags);
}

void checked_does_clEnqueueUnmapMemObject(struct checked_call *call, struct clEnqueueUnmapMemObject_args *a)
{
    unmaps_memory(call, a->mem, a->mapped_ptr);
}

void checked_does_clEnqueueSVMMap(struct checked_call *call, struct clEnqueueSVMMap_args *a)
{
    maps_memory(call, checked_memory(a->svm_ptr, a->size), a->svm_ptr, a->flags);
}

void checked_does_clEnqueueSVMUnmap(struct checked_call *call, struct clEnqueueSVMUnmap_args *a)
{
    unmaps_memory(call, NULL, a->svm_ptr);
}

/* ---- memory known by its address ---- */

static void copies(struct checked_call *call, void *to, const void *from, size_t size)
{
    READS(call, checked_memory(from, size));
    WRITES(call, checked_memory(to, size));
}

void checked_does_clEnqueueSVMMemcpy(struct checked_call *call, struct clEnqueueSVMMemcpy_args *a)
{
    copies(call, a->dst_ptr, a->src_ptr, a->size);
}

void checked_does_clEnqueueMemcpyINTEL(struct checked_call *call, struct clEnqueueMemcpyINTEL_args *a)
{
    copies(call, a->dst_ptr, a->src_ptr, a->size);
}

void checked_does_clEnqueueSVMMemFill(struct checked_call *call, struct clEnqueueSVMMemFill_args *a)
{
    WRITES(call, checked_memory(a->svm_ptr, a->size));
}

void checked_does_clEnqueueMemFillINTEL(struct checked_call *call, struct clEnqueueMemFillINTEL_args *a)
{
    WRITES(call, checked_memory(a->dst_ptr, a->size));
}

/* ---- kernels ---- */

/* What is known of a pointer that is an argument: the whole allocation. */
static bool find_pointer(const struct ocl_arg *arg, struct checked_access *access)
{
    const struct checked_object *object = checked_find_memory((const void *)(uintptr_t)arg->pointer);
    bool known = object && object->refs;
    if (known)
        *access = checked_memory(object->handle, object->size);
    return known;
}

static bool find_argument(const struct clc_arg_info *info, const struct ocl_arg *arg, struct checked_access *access)
{
    if (info->kind != CLC_ARG_GLOBAL && info->kind != CLC_ARG_CONSTANT && info->kind != CLC_ARG_IMAGE)
        return false;
    if (arg->is_pointer)
        return find_pointer(arg, access);
    if (!arg->mem)
        return false;
    *access = checked_bytes(arg->mem, 0, arg->mem->size);
    if (info->kind == CLC_ARG_IMAGE)
        access->shape = CHECKED_ALL;
    return true;
}

static struct checked_launch range_of(cl_uint dims, const size_t *offset, const size_t *size)
{
    struct checked_launch launch = {.offset = {0}};
    for (cl_uint i = 0; i < 3; i++) {
        launch.offset[i] = i < dims && offset ? offset[i] : 0;
        launch.size[i] = i >= dims ? 1 : size ? size[i] : 0; /* OpenCL 3.0 API, 5.10: no size is one of 0 */
    }
    return launch;
}

void checked_launches_kernel(struct checked_call *call, cl_command_queue queue, cl_kernel kernel,
                             struct checked_launch *launch, struct ocl_touched *touched)
{
    const struct ocl_code *code = ocl_kernel_code(kernel, queue->device);
    const struct clc_lowered *lowered = code ? code->lowered : NULL;
    snprintf(launch->kernel, sizeof(launch->kernel), "%s", kernel->info->name);
    launch->values = hash_bytes64(kernel->values, kernel->values_size, 0);
    checked_launches(call, launch, touched);
    if (!launch->size[0] || !launch->size[1] || !launch->size[2])
        return; /* no work-item runs */
    for (uint32_t i = 0; lowered && i < kernel->info->num_args; i++) {
        struct checked_access access;
        bool checked = lowered->check_access && kernel->info->args[i].kind != CLC_ARG_IMAGE;
        uint8_t bits = checked ? lowered->check_access[i] : lowered->arg_access[i];
        bool used = lowered->arg_offset[i] != UINT32_MAX || kernel->info->args[i].kind == CLC_ARG_IMAGE;
        if (!used || !bits || !find_argument(&kernel->info->args[i], &kernel->args[i], &access))
            continue;
        checked_access_touched(&access, touched, i);
        checked_uses(call, access, bits & 1, bits & 2);
    }
}

void checked_does_clEnqueueNDRangeKernel(struct checked_call *call, struct clEnqueueNDRangeKernel_args *a)
{
    struct checked_launch launch = range_of(a->work_dim, a->global_work_offset, a->global_work_size);
    checked_launches_kernel(call, a->queue, a->kernel, &launch, ocl_touched_take(a->kernel));
}

void checked_does_clEnqueueTask(struct checked_call *call, struct clEnqueueTask_args *a)
{
    struct checked_launch launch = range_of(0, NULL, NULL);
    checked_launches_kernel(call, a->queue, a->kernel, &launch, ocl_touched_take(a->kernel));
}

/* ---- order ---- */

/* OpenCL 3.0 API, 5.12: without a wait list they wait for everything that was enqueued before. */
void checked_does_clEnqueueMarkerWithWaitList(struct checked_call *call, struct clEnqueueMarkerWithWaitList_args *a)
{
    if (!a->num_events_in_wait_list)
        checked_after_all(call);
}

void checked_does_clEnqueueBarrierWithWaitList(struct checked_call *call, struct clEnqueueBarrierWithWaitList_args *a)
{
    if (!a->num_events_in_wait_list)
        checked_after_all(call);
    checked_is_barrier(call);
}

void checked_does_clEnqueueMarker(struct checked_call *call, struct clEnqueueMarker_args *a)
{
    (void)a;
    checked_after_all(call);
}

void checked_does_clEnqueueBarrier(struct checked_call *call, struct clEnqueueBarrier_args *a)
{
    (void)a;
    checked_after_all(call);
    checked_is_barrier(call);
}

void checked_does_clEnqueueWaitForEvents(struct checked_call *call, struct clEnqueueWaitForEvents_args *a)
{
    (void)a;
    checked_is_barrier(call);
}

void checked_does_clEnqueueSignalSemaphoresKHR(struct checked_call *call, struct clEnqueueSignalSemaphoresKHR_args *a)
{
    for (cl_uint i = 0; i < a->num_sema_objects; i++)
        checked_signals(call, a->sema_objects[i]);
}

void checked_does_clEnqueueWaitSemaphoresKHR(struct checked_call *call, struct clEnqueueWaitSemaphoresKHR_args *a)
{
    for (cl_uint i = 0; i < a->num_sema_objects; i++)
        checked_takes(call, a->sema_objects[i]);
}
