/* Loads and stores of the device's own cooperative matrices (lower/ends/native_matrices.c): their pointers become Vulkan's,
 * into arrays of components, and strides count these.
 *
 *     %m = OpCooperativeMatrixLoadKHR %matrix %p %layout %stride
 * ->  %a = OpConvertUToPtr %halfs_ptr %number                      (a block with a runtime array of components)
 *     %q = OpAccessChain %half_ptr %a %0 %0
 *     %m = OpCooperativeMatrixLoadKHR %matrix %q %layout %stride Aligned 16
 *
 * In local memory %q goes into a view of it (region.c). cl_khr_cooperative_matrix: a pointer is a multiple of what the
 * device says, which is 16, and so is a stride; Vulkan is content with less where a row has less. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/matrices.h"
#include "compiler/opt/opt.h"

#include "base/util.h"

enum { ALIGN = 16 };

static spv_id matrix_type(const struct memory *m, const struct spv_inst *inst)
{
    return inst->type ? inst->type : spv_value_type(m->module, inst->words[1]);
}

static spv_id component_of(const struct memory *m, spv_id matrix)
{
    return spv_def(m->module, matrix)->words[0];
}

static uint32_t size_of(const struct memory *m, spv_id type)
{
    return spv_type_count(m->module, type) * spv_type_width(m->module, type) / 8;
}

void mem_survey_matrix(struct memory *m, const struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    struct mem_class *class = mem_class_of(m, &ptr);
    struct mem_region *region = mem_region_of(m, &ptr);
    class->reads |= inst->type != 0;
    class->writes |= !inst->type;
    if (region)
        region->matrices |= (uint8_t)size_of(m, component_of(m, matrix_type(m, inst)));
    else if (ptr.space != MEM_GLOBAL)
        lower_refuse_native_matrices(m->lower);
}

/* ---- pointers ---- */

static spv_id global_pointer(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, spv_id component)
{
    spv_id zero = spv_const_u32(m->module, 0);
    spv_id array = opt_elements_pointer(m->module, component, size_of(m, component));
    spv_id block = spv_emitv(b, SpvOpConvertUToPtr, array, mem_number(m, b, ptr));
    spv_id type = spv_type_pointer(m->module, SpvStorageClassPhysicalStorageBuffer, component);
    return spv_emitv(b, SpvOpAccessChain, type, block, zero, zero);
}

/* The stride in components; it counts what the pointer points to. */
static spv_id stride_of(struct memory *m, struct spv_builder *b, spv_id stride, uint32_t pointee, uint32_t component)
{
    spv_id u32 = spv_type_int(m->module, 32);
    stride = spv_replaced(&m->replacements, stride);
    stride = mem_resize_index(m, b, stride, 32);
    if (pointee > component)
        return spv_emitv(b, SpvOpIMul, u32, stride, spv_const_u32(m->module, pointee / component));
    if (pointee < component)
        return spv_emitv(b, SpvOpUDiv, u32, stride, spv_const_u32(m->module, component / pointee));
    return stride;
}

/* Of a row, or of a column where these follow each other. */
static uint32_t align_of(const struct memory *m, spv_id matrix, spv_id layout)
{
    const struct spv_inst *def = spv_def(m->module, matrix);
    uint64_t by_columns = 0, length = 0;
    spv_const_value(m->module, layout, &by_columns);
    spv_const_value(m->module, def->words[by_columns ? 2 : 3], &length);
    uint64_t size = length * size_of(m, def->words[0]);
    return size < ALIGN ? (uint32_t)(size & -size) : ALIGN;
}

void mem_lower_matrix(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    uint32_t words[6], count = 0, at = inst->type ? 1 : 2; /* at: the layout */
    spv_id matrix = matrix_type(m, inst), component = component_of(m, matrix), layout = inst->words[at];
    uint32_t pointee = size_of(m, mem_pointee(m, inst->words[0])), size = size_of(m, component);
    struct lower_access access = lower_read_access(inst, at + 2);
    words[count++] =
        ptr.space == MEM_LOCAL ? mem_region_view(m, &b, &ptr, component) : global_pointer(m, &b, &ptr, component);
    if (!inst->type)
        words[count++] = inst->words[1];
    words[count++] = layout;
    words[count++] = stride_of(m, &b, inst->words[at + 1], pointee, size);
    if (ptr.space == MEM_LOCAL && !access.is_volatile) {
        spv_inst_set_words(m->module, inst, count, words);
        return;
    }
    words[count++] = (ptr.space == MEM_LOCAL ? 0u : (uint32_t)SpvMemoryAccessAlignedMask) |
                     (access.is_volatile ? (uint32_t)SpvMemoryAccessVolatileMask : 0u);
    if (ptr.space != MEM_LOCAL)
        words[count++] = align_of(m, matrix, layout);
    spv_inst_set_words(m->module, inst, count, words);
}
