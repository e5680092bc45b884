/* The memory pass: after it no pointers are left but those that an access makes for itself.
 *
 * Before: kernel SPIR-V; loads and stores move scalars, vectors and pointers (aggregates.c); control flow is
 * structured. After: pointers are integers (memory.h). Global memory is reached through PhysicalStorageBuffer, local
 * and private memory through arrays (region.c).
 *
 * 1. analyse (analyse.c): every pointer value becomes a sum, and pointers that flow together are united; 2. survey:
 * accesses are noted for each class of pointers: argument access flags, sizes for the regions; 3. regions are laid out;
 * 4. rewrite: block by block, each instruction that touches a pointer; phis last, when all numbers exist. */
#include "compiler/lower/memory/passes.h"
#include "compiler/lower/values/matrices.h"
#include "compiler/lower/memory/memory.h"

#include "compiler/opt/alias.h"
#include "compiler/opt/aligned.h"

/* ---- 2. survey ---- */

static void survey_access(struct memory *m, spv_id pointer, spv_id type, const struct lower_access *access, bool write)
{
    struct mem_ptr ptr = mem_ptr_of(m, pointer);
    struct mem_class *class = mem_class_of(m, &ptr);
    class->reads |= !write;
    class->writes |= write;
    spv_id scalar = spv_type_component(m->module, type);
    uint32_t size = (uint32_t)spv_layout_of(&m->layouts, scalar)->size;
    uint32_t align = access->align ? access->align : spv_layout_of(&m->layouts, type)->align;
    bool is_float = spv_type_is_float(m->module, scalar);
    uint32_t count = spv_type_is_vector(m->module, type) ? spv_type_count(m->module, type) : 1;
    if ((ptr.space == MEM_LOCAL || ptr.space == MEM_PRIVATE) && size < 4 && count * size % 4 == 0 && align >= 4) {
        mem_survey_words(m, &ptr, size);
        return;
    }
    mem_survey_access(m, &ptr, size, is_float, align < size ? align : size, false);
    mem_survey_vector(m, &ptr, size, count, align);
    if (count > 1 && align < size) /* components at odd offsets from an odd start */
        mem_survey_access(m, &ptr, size, is_float, 1, false);
}

/* Whether the atomic instruction leaves memory as it is: a way to load that is older than atomic loads. */
static bool is_atomic_load(const struct memory *m, const struct spv_inst *inst)
{
    uint64_t value;
    switch (inst->op) {
    case SpvOpAtomicLoad:
        return true;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return inst->words[4] == inst->words[5];
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicUMax:
        return spv_const_value(m->module, inst->words[3], &value) && value == 0;
    default:
        return false;
    }
}

/* Notes whether a loop could look in this way for what another work-group stores. */
static void survey_watching(struct memory *m, const struct spv_inst *inst, bool is_volatile)
{
    enum mem_space space = mem_ptr_of(m, inst->words[0]).space;
    if (space == MEM_GLOBAL || space == MEM_GENERIC)
        m->lower->out->watches_memory |= is_volatile || is_atomic_load(m, inst);
}

static void survey_inst(struct memory *m, const struct spv_inst *inst)
{
    struct lower_access access;
    switch (inst->op) {
    case SpvOpLoad:
        if (!mem_is_pointer(m, spv_value_type(m->module, inst->words[0])))
            return;
        access = lower_read_access(inst, 1);
        survey_access(m, inst->words[0], inst->type, &access, false);
        survey_watching(m, inst, access.is_volatile);
        break;
    case SpvOpStore:
        access = lower_read_access(inst, 2);
        survey_access(m, inst->words[0], spv_value_type(m->module, inst->words[1]), &access, true);
        break;
    case SpvOpCooperativeMatrixLoadKHR:
    case SpvOpCooperativeMatrixStoreKHR:
        mem_survey_matrix(m, inst);
        break;
    default:
        if (spv_op_is_copy(inst->op))
            mem_survey_copy(m, inst);
        else if (spv_op_is_atomic(inst->op) && mem_is_pointer(m, spv_value_type(m->module, inst->words[0]))) {
            mem_survey_atomic(m, inst);
            survey_watching(m, inst, false);
        }
        break;
    }
}

static void collect_objects(struct memory *m, struct spv_list *list)
{
    spv_foreach_inst (inst, list) {
        if (inst->op != SpvOpVariable || inst->id >= m->num_ids || !m->ptrs[inst->id])
            continue;
        struct mem_region *region = mem_region_of(m, m->ptrs[inst->id]);
        if (region)
            vec_push(m->arena, &region->objects, inst->id);
    }
}

/* Makes generic pointers plain addresses where no local or private pointer was ever cast to a generic one. */
static void drop_generic(struct memory *m)
{
    if (m->generic_tags)
        return;
    for (uint32_t id = 0; id < m->num_ids; id++) {
        if (m->ptrs[id] && m->ptrs[id]->space == MEM_GENERIC)
            m->ptrs[id]->space = MEM_GLOBAL;
    }
}

static bool survey(struct memory *m)
{
    m->classes = arena_array(m->arena, struct mem_class, m->parent.length);
    drop_generic(m);
    collect_objects(m, &m->module->sections[SPV_SECTION_GLOBAL]);
    struct spv_function *kernel = m->lower->kernel;
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        struct mem_ptr *ptr = m->ptrs[kernel->params.data[i]->id];
        if (ptr) {
            struct mem_class *class = mem_class_of(m, ptr);
            class->args |= (uint64_t)1 << (i < 63 ? i : 63);
            class->is_open |= !alias_is_restrict(m->module, kernel->params.data[i]);
        }
        if (ptr && ptr->space == MEM_LOCAL)
            mem_region_of(m, ptr);
    }
    spv_foreach_function (function, m->module) {
        if (function->only_computes)
            continue;
        if (function->first_block)
            collect_objects(m, &function->first_block->insts);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (!spv_op_is_plain(inst->op))
                    survey_inst(m, inst);
            }
        }
    }
    return true;
}

static void report_access(struct memory *m)
{
    struct clc_lowered *out = m->lower->out;
    uint8_t *access = arena_array(m->lower->arena, uint8_t, m->lower->num_args + 1u);
    const struct mem_class *unknown = &m->classes[mem_find(m, MEM_NODE_UNKNOWN)];
    struct spv_function *kernel = m->lower->kernel;
    for (uint32_t i = 0; i < m->lower->num_args && i < kernel->params.length; i++) {
        struct mem_ptr *ptr = m->ptrs[kernel->params.data[i]->id];
        if (!ptr || ptr->space == MEM_LOCAL)
            continue;
        const struct mem_class *class = mem_class_of(m, ptr);
        access[i] = class == unknown ? 3 : (uint8_t)((class->reads ? 1 : 0) | (class->writes ? 2 : 0));
    }
    out->arg_access = access;
    out->pointers_from_memory = m->from_integers && (unknown->reads || unknown->writes);
}

/* ---- 4. rewrite ---- */

static spv_id resolved(struct memory *m, spv_id id)
{
    return spv_replaced(&m->replacements, id);
}

/* The number of a pointer operand in the form of another space. */
static spv_id number_as(struct memory *m, struct spv_builder *b, spv_id pointer, enum mem_space space)
{
    struct mem_ptr ptr = mem_ptr_of(m, pointer);
    spv_id number = mem_number(m, b, &ptr);
    return mem_convert_number(m, b, number, ptr.space, space, !ptr.variable);
}

/* Replaces the instruction's pointer by its number. */
static void define_number(struct memory *m, struct spv_inst *inst, spv_id number)
{
    struct mem_ptr *ptr = m->ptrs[inst->id];
    spv_replace(m->module, &m->replacements, inst->id, number); /* for the sums that start here */
    ptr->base = number;
    ptr->variable = 0;
    ptr->data = NULL;
    ptr->num_terms = 0;
    ptr->offset = 0;
    spv_inst_remove(m->module, inst);
}

/* Casts to a named space: pointers of that space pass, others become null. */
static spv_id explicit_cast(struct memory *m, struct spv_builder *b, spv_id number, enum mem_space space)
{
    spv_id u32 = spv_type_int(m->module, 32), u64 = spv_type_int(m->module, 64), bool_type = spv_type_bool(m->module);
    spv_id shifted = spv_emitv(b, SpvOpShiftRightLogical, u64, number, spv_const_u32(m->module, 32));
    spv_id upper = spv_emitv(b, SpvOpUConvert, u32, shifted);
    spv_id local = spv_emitv(b, SpvOpIEqual, bool_type, upper, spv_const_u32(m->module, MEM_TAG_LOCAL));
    spv_id private = spv_emitv(b, SpvOpIEqual, bool_type, upper, spv_const_u32(m->module, MEM_TAG_PRIVATE));
    if (space == MEM_GLOBAL) {
        spv_id other = spv_emitv(b, SpvOpLogicalOr, bool_type, local, private);
        return spv_emitv(b, SpvOpSelect, u64, other, spv_const_u64(m->module, 0), number);
    }
    spv_id small = spv_emitv(b, SpvOpUConvert, u32, number);
    return spv_emitv(b, SpvOpSelect, u32, space == MEM_LOCAL ? local : private, small, spv_const_u32(m->module, 0));
}

/* OpGenericPtrMemSemantics: the kind of memory that a generic pointer points to, for get_fence(). */
static void rewrite_semantics(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    spv_id none = spv_const_u32(m->module, 0), u32 = inst->type;
    spv_id local = spv_const_u32(m->module, SpvMemorySemanticsWorkgroupMemoryMask);
    spv_id result = spv_const_u32(m->module, SpvMemorySemanticsCrossWorkgroupMemoryMask);
    if (ptr.space == MEM_LOCAL || ptr.space == MEM_PRIVATE) {
        result = ptr.space == MEM_LOCAL ? local : none;
    } else if (ptr.space == MEM_GENERIC && m->generic_tags) {
        spv_id shifted = spv_emitv(b, SpvOpShiftRightLogical, spv_type_int(m->module, 64), mem_number(m, b, &ptr),
                                   spv_const_u32(m->module, 32));
        spv_id upper = spv_emitv(b, SpvOpUConvert, u32, shifted), bool_type = spv_type_bool(m->module);
        spv_id is = spv_emitv(b, SpvOpIEqual, bool_type, upper, spv_const_u32(m->module, MEM_TAG_LOCAL));
        result = spv_emitv(b, SpvOpSelect, u32, is, local, result);
        is = spv_emitv(b, SpvOpIEqual, bool_type, upper, spv_const_u32(m->module, MEM_TAG_PRIVATE));
        result = spv_emitv(b, SpvOpSelect, u32, is, none, result);
    }
    spv_replace(m->module, &m->replacements, inst->id, result);
    spv_inst_remove(m->module, inst);
}

static void rewrite_cast(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr *ptr = m->ptrs[inst->id];
    enum mem_space space = ptr->space;
    if (ptr->base != inst->id) { /* the sum of its source, see analyse_cast */
        spv_inst_remove(m->module, inst);
        return;
    }
    spv_id source = inst->words[0], number;
    if (source < m->num_ids && m->pointer_types[source]) {
        struct mem_ptr from = mem_ptr_of(m, source);
        number = mem_number(m, b, &from);
        if (inst->op == SpvOpGenericCastToPtrExplicit && from.space == MEM_GENERIC)
            number = explicit_cast(m, b, number, space);
        else if (inst->op == SpvOpGenericCastToPtrExplicit && from.space != space) /* generic was always global */
            number = mem_int(m->module, mem_number_type(m, space), 0);
        else
            number = mem_convert_number(m, b, number, from.space, space, !from.variable);
    } else { /* from an integer */
        spv_id type = mem_number_type(m, space);
        source = resolved(m, source);
        if (spv_type_is_vector(m->module, spv_value_type(m->module, source)))
            source = spv_emitv(b, SpvOpBitcast, spv_type_int(m->module, 64), source);
        uint32_t have = spv_type_width(m->module, spv_value_type(m->module, source));
        number = have == spv_type_width(m->module, type) ? source : spv_emitv(b, SpvOpUConvert, type, source);
    }
    define_number(m, inst, number);
}

static void rewrite_to_integer(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    spv_id number = mem_number(m, b, &ptr);
    if (m->generic_tags)
        number = mem_convert_number(m, b, number, ptr.space, MEM_GENERIC, !ptr.variable);
    uint32_t have = spv_type_width(m->module, spv_value_type(m->module, number));
    if (spv_type_is_vector(m->module, inst->type)) {
        number = have == 64 ? number : spv_emitv(b, SpvOpUConvert, spv_type_int(m->module, 64), number);
        number = spv_emitv(b, SpvOpBitcast, inst->type, number);
    } else if (have != spv_type_width(m->module, inst->type)) {
        number = spv_emitv(b, SpvOpUConvert, inst->type, number);
    }
    spv_replace(m->module, &m->replacements, inst->id, number);
    spv_inst_remove(m->module, inst);
}

/* value / size for a value that size divides, as it does the distance of two elements of an array (C99, 6.5.6): a
 * shift, and a product with what is 1 / odd modulo 2^64. Each step of Newton's makes twice as many of its bits right.
 */
static spv_id divide_exactly(struct memory *m, struct spv_builder *b, spv_id value, uint64_t size)
{
    spv_id type = spv_value_type(m->module, value);
    uint32_t shift = (uint32_t)__builtin_ctzll(size);
    uint64_t odd = size >> shift, inverse = odd; /* right in 3 bits */
    for (uint32_t bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    if (shift)
        value = spv_emitv(b, SpvOpShiftRightArithmetic, type, value, spv_const_u32(m->module, shift));
    return odd == 1 ? value : spv_emitv(b, SpvOpIMul, type, value, mem_int(m->module, type, inverse));
}

static void rewrite_compare(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr left = mem_ptr_of(m, inst->words[0]), right = mem_ptr_of(m, inst->words[1]);
    enum mem_space space = left.space == right.space ? left.space : MEM_GENERIC;
    if (inst->op == SpvOpPtrDiff && left.space == right.space && left.base == right.base &&
        left.variable == right.variable && left.data == right.data)
        left.base = right.base = left.variable = right.variable = 0, left.data = right.data = NULL;
    spv_id one = mem_convert_number(m, b, mem_number(m, b, &left), left.space, space, !left.variable);
    spv_id two = mem_convert_number(m, b, mem_number(m, b, &right), right.space, space, !right.variable), result;
    if (inst->op != SpvOpPtrDiff) {
        result = spv_emitv(b, inst->op == SpvOpPtrEqual ? SpvOpIEqual : SpvOpINotEqual, inst->type, one, two);
    } else {
        spv_id number_type = spv_value_type(m->module, one);
        const struct spv_layout *layout = spv_layout_of(&m->layouts, mem_pointee(m, inst->words[0]));
        result = spv_emitv(b, SpvOpISub, number_type, one, two);
        if (layout->size > 1 && !m->target->int64 && spv_type_width(m->module, number_type) == 64)
            result = divide_exactly(m, b, result, layout->size);
        else if (layout->size > 1)
            result = spv_emitv(b, SpvOpSDiv, number_type, result, mem_int(m->module, number_type, layout->size));
        result = mem_resize_index(m, b, result, spv_type_width(m->module, inst->type));
    }
    spv_replace(m->module, &m->replacements, inst->id, result);
    spv_inst_remove(m->module, inst);
}

static void rewrite_select(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    enum mem_space space = m->ptrs[inst->id]->space;
    spv_id yes = number_as(m, b, inst->words[1], space), no = number_as(m, b, inst->words[2], space);
    define_number(m, inst, spv_emitv(b, SpvOpSelect, mem_number_type(m, space), resolved(m, inst->words[0]), yes, no));
}

/* Whether memory stays as it is while the kernel runs. OpenCL C 3.0, 6.7.2: what is constant, does. C99, 6.7.3.1p4: so
 * does what is reached by restrict arguments and not written by way of them. */
static bool is_read_only(struct memory *m, spv_id pointer, const struct mem_ptr *ptr)
{
    SpvStorageClass storage = spv_pointer_storage(m->module, m->pointer_types[pointer]);
    const struct mem_class *class = mem_class_of(m, ptr);
    return storage == SpvStorageClassUniformConstant ||
           (storage == SpvStorageClassCrossWorkgroup && class->args && !class->writes && !class->is_open &&
            class != &m->classes[mem_find(m, MEM_NODE_UNKNOWN)]);
}

static void rewrite_load(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    struct lower_access access = lower_read_access(inst, 1);
    ptr.is_read_only = !access.is_volatile && is_read_only(m, inst->words[0], &ptr);
    spv_id value = mem_load(m, b, &ptr, inst->type, &access);
    if (inst->id < m->num_ids && m->ptrs[inst->id]) {
        define_number(m, inst, value);
        return;
    }
    spv_replace(m->module, &m->replacements, inst->id, value);
    spv_inst_remove(m->module, inst);
}

static void rewrite_store(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    struct mem_ptr ptr = mem_ptr_of(m, inst->words[0]);
    struct lower_access access = lower_read_access(inst, 2);
    spv_id value = inst->words[1];
    if (value < m->num_ids && m->pointer_types[value]) {
        mem_store(m, b, &ptr, m->pointer_types[value], value, &access);
    } else {
        value = resolved(m, value);
        mem_store(m, b, &ptr, spv_value_type(m->module, value), value, &access);
    }
    spv_inst_remove(m->module, inst);
}

static void rewrite_call(struct memory *m, struct spv_builder *b, struct spv_inst *call)
{
    const struct spv_function *callee = spv_function_of(m->module, call->words[0]);
    for (uint32_t i = 0; i < callee->params.length; i++) {
        spv_id param = callee->params.data[i]->id;
        if (param < m->num_ids && m->ptrs[param])
            call->words[i + 1] = number_as(m, b, call->words[i + 1], m->ptrs[param]->space);
    }
}

static void rewrite_return(struct memory *m, struct spv_builder *b, struct spv_inst *inst)
{
    spv_id function = b->function->def->id;
    if (function < m->num_ids && m->ptrs[function])
        inst->words[0] = number_as(m, b, inst->words[0], m->ptrs[function]->space);
}

/* Instructions that are the only ones of their kind. is_ptr: the result is a pointer; on_ptr: the first operand is. */
static void rewrite_other(struct memory *m, struct spv_builder *b, struct spv_inst *inst, bool is_ptr, bool on_ptr)
{
    switch (inst->op) {
    case SpvOpVariable:
        if (is_ptr)
            spv_inst_remove(m->module, inst);
        break;
    case SpvOpBitcast:
        if (is_ptr)
            rewrite_cast(m, b, inst);
        else if (on_ptr)
            rewrite_to_integer(m, b, inst);
        break;
    case SpvOpCopyObject:
    case SpvOpConvertUToPtr:
        if (is_ptr)
            rewrite_cast(m, b, inst);
        break;
    case SpvOpConvertPtrToU:
        rewrite_to_integer(m, b, inst);
        break;
    case SpvOpGenericPtrMemSemantics:
        rewrite_semantics(m, b, inst);
        break;
    case SpvOpSelect:
        if (is_ptr)
            rewrite_select(m, b, inst);
        break;
    case SpvOpLoad:
        if (on_ptr)
            rewrite_load(m, b, inst);
        break;
    case SpvOpStore:
        if (on_ptr)
            rewrite_store(m, b, inst);
        break;
    case SpvOpFunctionCall:
        rewrite_call(m, b, inst);
        break;
    case SpvOpReturnValue:
        rewrite_return(m, b, inst);
        break;
    case SpvOpMemoryBarrier:
        mem_lower_fence(m, inst);
        break;
    case SpvOpCooperativeMatrixLoadKHR:
    case SpvOpCooperativeMatrixStoreKHR:
        mem_lower_matrix(m, inst);
        break;
    default:
        if (on_ptr && spv_op_is_atomic(inst->op))
            mem_lower_atomic(m, inst);
        break;
    }
}

static void rewrite_inst(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder builder = {m->module, inst->block->function, inst->block, inst}, *b = &builder;
    bool is_ptr = inst->id && inst->id < m->num_ids && m->ptrs[inst->id];
    bool on_ptr = inst->num_words && inst->words[0] < m->num_ids && m->pointer_types[inst->words[0]];
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_ACCESS_CHAIN:
        if (is_ptr)
            spv_inst_remove(m->module, inst);
        return;
    case SPV_CLASS_POINTER_CAST:
        if (is_ptr)
            rewrite_cast(m, b, inst);
        return;
    case SPV_CLASS_POINTER_COMPARISON:
        rewrite_compare(m, b, inst);
        return;
    case SPV_CLASS_COPY:
        mem_lower_copy(m, inst);
        return;
    default:
        rewrite_other(m, b, inst, is_ptr, on_ptr);
        return;
    }
}

/* Rewrites phis of pointers. Their results are numbers by now; the operands are written out at the end of each
 * predecessor. */
static void rewrite_phis(struct memory *m, struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        if (inst->op != SpvOpPhi)
            break;
        if (inst->id >= m->num_ids || !m->ptrs[inst->id])
            continue;
        enum mem_space space = m->ptrs[inst->id]->space;
        for (uint32_t i = 0; i < inst->num_words; i += 2) {
            struct spv_block *from = spv_block_of(m->module, inst->words[i + 1]);
            struct spv_inst *end = spv_merge_inst(from);
            struct spv_builder b = {m->module, from->function, from, end ? end : spv_terminator(from)};
            inst->words[i] = number_as(m, &b, inst->words[i], space);
        }
    }
}

/* Gives the results of pointer phis and calls, and parameters, the type of their numbers. This comes before anything
 * asks for their types. */
static void retype_values(struct memory *m, struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts) {
        if (inst->id && (inst->op == SpvOpPhi || inst->op == SpvOpFunctionCall) && inst->id < m->num_ids &&
            m->ptrs[inst->id])
            inst->type = mem_number_type(m, m->ptrs[inst->id]->space);
    }
}

static void retype_function(struct memory *m, struct spv_function *function)
{
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct spv_inst *param = function->params.data[i];
        if (!m->ptrs[param->id])
            continue;
        if (function == m->lower->kernel && m->ptrs[param->id]->space == MEM_LOCAL)
            m->lower->out->uses_local_args = true;
        param->type = mem_number_type(m, m->ptrs[param->id]->space);
    }
    if (m->ptrs[function->def->id])
        function->def->type = mem_number_type(m, m->ptrs[function->def->id]->space);
    lower_update_function_type(m->module, function);
    spv_foreach_block (block, function)
        retype_values(m, block);
}

struct search {
    struct memory *m;
    bool found;
};

static void find_undefined(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct search *search = data;
    (void)inst;
    search->found |= !spv_def(search->m->module, *word);
}

/* Removes variables and the constants that mention them. Their initialisers are in data blocks now. */
static void remove_variables(struct memory *m)
{
    spv_foreach_inst_safe (inst, &m->module->sections[SPV_SECTION_GLOBAL]) {
        struct search search = {m, false};
        if (inst->op == SpvOpSpecConstantOp || inst->op == SpvOpConstantComposite)
            spv_visit_operand_ids(inst, find_undefined, &search);
        if (search.found || (inst->op == SpvOpVariable && inst->id < m->num_ids && m->ptrs[inst->id])) {
            spv_remove_annotations(m->module, inst->id);
            spv_inst_remove(m->module, inst);
        }
    }
}

static bool rewrite(struct memory *m)
{
    VEC(struct spv_function *) functions = {0}; /* helper functions that this makes are done already */
    spv_foreach_function (function, m->module) {
        if (function->only_computes)
            continue;
        vec_push(m->arena, &functions, function);
        retype_function(m, function);
    }
    for (uint32_t f = 0; f < functions.length; f++) {
        spv_foreach_block (block, functions.data[f]) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (spv_op_is_plain(inst->op))
                    continue;
                rewrite_inst(m, inst);
                if (m->lower->error)
                    return false;
            }
        }
        spv_foreach_block (block, functions.data[f])
            rewrite_phis(m, block);
    }
    spv_apply_replacements(m->module, &m->replacements, NULL);
    spv_finish_replacements(m->module, &m->replacements);
    remove_variables(m);
    return true;
}

static bool run(struct lower *lower, struct arena *arena)
{
    struct memory m = {.lower = lower, .arena = arena, .module = lower->module, .target = lower->target};
    m.layouts = (struct spv_layouts){.arena = arena, .module = lower->module};
    m.generic_local = lower->check_tags & LOWER_TAG_LOCAL;
    m.generic_private = lower->check_tags & LOWER_TAG_PRIVATE;
    m.generic_tags = m.generic_local || m.generic_private;
    m.num_ids = lower->module->bound;
    m.ptrs = arena_array(arena, struct mem_ptr *, m.num_ids);
    m.pointer_types = arena_array(arena, spv_id, m.num_ids);
    for (uint32_t i = 0; i < MEM_NODE_FIRST; i++)
        vec_push(arena, &m.parent, i);
    lower->constants = lower_data_constants(lower->arena, lower->module, lower->globals);
    if (lower->constants->error)
        return lower_fail(lower, "%s", lower->constants->error);
    spv_foreach_function (function, lower->module) {
        if (!function->only_computes) /* a program may state what its own layout contradicts */
            opt_align_accesses(lower->module, function);
    }
    if (!lower_matrices_are_settled(lower))
        return false;
    mem_analyse(&m);
    if (lower->error || !survey(&m) || lower->error)
        return false;
    report_access(&m);
    if (!mem_lay_out_regions(&m))
        return false;
    return rewrite(&m);
}

bool lower_memory(struct lower *lower)
{
    struct arena_mark mark = spv_scratch_begin(lower->module);
    bool done = run(lower, spv_scratch(lower->module));
    spv_scratch_end(lower->module, mark);
    return done;
}
