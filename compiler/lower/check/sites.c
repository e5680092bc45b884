/* Marks what is to be checked, before built-ins are lowered (check.h).
 *
 *     OpLine %file 7 5                     %q = Checked %p 4 site      (site 3: file, 7, 5, reads, aligned to 4)
 *     %v = OpLoad %int %p Aligned 4   ->   %v = OpLoad %int %q Aligned 4
 *
 * A vload or vstore is marked at the address that it comes to, with its index made 0. An asynchronous copy, and a copy of
 * a size that is not known, go on with no elements where they would be wrong. Library bodies come later, so they are no
 * sites. Line numbers are gone behind this pass. */
#include "compiler/lower/check/check.h"
#include "compiler/lower/check/passes.h"
#include "compiler/lower/values/access.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

#include <string.h>

enum { LEAST_PAGE = 256, LARGEST_BLOCK = CLC_MAX_SUBGROUP_SIZE * 16 * 8 }; /* bytes */

/* An access: what is marked, and what for. */
struct access {
    uint32_t how; /* CLC_SITE_* */
    uint32_t align;
    uint64_t bytes; /* 0: size tells */
    spv_id size;
    spv_id value;     /* what is read, where that has an id; else 0 */
    uint32_t to_load; /* of its lanes: those that are loaded one by one; 0: all of it is */
};

static spv_id u64_type(struct check_sites *s)
{
    return spv_type_int(s->module, 64);
}

/* ---- places in the source ---- */

/* The text of a file that the module has, by lines. */
struct check_text {
    VEC(const char *) lines; /* where they begin; each ends with a line break or the text */
};

static const struct check_text *text_of(struct check_sites *s, spv_id file)
{
    if (u64_map_has(&s->texts, file))
        return u64_map_get(&s->texts, file);
    const char *at = spv_source_text(s->module, file);
    struct check_text *text = at ? arena_new(s->lower->arena, struct check_text) : NULL;
    if (text)
        *text = (struct check_text){0};
    for (; at; at = at ? at + 1 : NULL) {
        vec_push(s->lower->arena, &text->lines, at);
        at = strchr(at, '\n');
    }
    u64_map_set(s->lower->arena, &s->texts, file, text);
    return text;
}

/* The line at hand; NULL: nobody knows. Most sites have that of the one before. */
static const char *line_text(struct check_sites *s)
{
    const struct clc_check_site *last =
        s->lower->check_sites.length ? &s->lower->check_sites.data[s->lower->check_sites.length - 1] : NULL;
    if (!s->text || !s->line || s->line > s->text->lines.length)
        return NULL;
    if (last && last->file == s->file && last->line == s->line && last->text)
        return last->text;
    const char *begin = s->text->lines.data[s->line - 1];
    size_t length = strcspn(begin, "\r\n");
    return length ? arena_strndup(s->lower->arena, begin, length) : NULL;
}

static void note_line(struct check_sites *s, const struct spv_inst *inst)
{
    if (inst->op == SpvOpNoLine) {
        s->line = s->column = 0;
        s->file = NULL;
        s->text = NULL;
        s->file_id = 0;
        return;
    }
    if (inst->words[0] != s->file_id) {
        const struct spv_inst *string = spv_def(s->module, inst->words[0]);
        const char *name = string && string->op == SpvOpString ? spv_string(string, 0, NULL) : NULL;
        s->file = name ? arena_printf(s->lower->arena, "%s", name) : NULL;
        s->text = text_of(s, inst->words[0]);
        s->file_id = inst->words[0];
    }
    s->line = inst->words[1];
    s->column = inst->words[2];
}

spv_id check_add_site(struct check_sites *s, enum clc_site_kind kind)
{
    struct clc_check_site site = {
        .file = s->file, .text = line_text(s), .line = s->line, .column = s->column, .kind = kind};
    vec_push(s->lower->arena, &s->lower->check_sites, site);
    return spv_const_u32(s->module, s->lower->check_sites.length - 1);
}

static spv_id add_access(struct check_sites *s, const struct access *access)
{
    spv_id number = check_add_site(s, CLC_SITE_ACCESS);
    struct clc_check_site *site = &s->lower->check_sites.data[s->lower->check_sites.length - 1];
    site->access = access->how;
    check_note_lanes(s, site, access->value, access->bytes);
    site->reached = access->to_load ? (uint16_t)access->to_load : site->reached;
    site->align = access->align;
    site->size = access->bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)access->bytes;
    if (site->size > s->lower->check_page)
        s->lower->check_page = (uint32_t)u64_min(align_up(site->size, 256), 1 << 20);
    return number;
}

/* ---- marks ---- */

static bool is_memory(const struct check_sites *s, spv_id pointer)
{
    spv_id type = spv_value_type(s->module, pointer);
    if (!type || !spv_type_is_pointer(s->module, type))
        return false;
    switch (spv_pointer_storage(s->module, type)) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassGeneric:
        break;
    default:
        return false;
    }
    enum spv_class pointee = spv_op_class(spv_type_op(s->module, spv_pointer_pointee(s->module, type)));
    return pointee != SPV_CLASS_IMAGE_TYPE && pointee != SPV_CLASS_OPAQUE_TYPE;
}

/* Private variables and constants that are accessed inside of themselves need no mark: nobody else is there. */
static bool needs_none(struct check_sites *s, spv_id pointer, const struct access *access)
{
    struct check_place place;
    if (!access->bytes || !check_find_place(&s->layouts, pointer, &place) || !check_is_inside(&place, access->bytes))
        return false;
    SpvStorageClass storage = (SpvStorageClass)place.variable->words[0];
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate ||
           (storage == SpvStorageClassUniformConstant && !(access->how & CLC_SITE_WRITES));
}

static spv_id size_of(struct check_sites *s, const struct access *access)
{
    return access->bytes ? spv_const_u64(s->module, access->bytes) : access->size;
}

/* The pointer that the access goes to. The mark stands before a cast to a generic pointer, so that later passes see the
 * cast. */
static spv_id mark(struct check_sites *s, spv_id pointer, const struct access *access)
{
    const struct spv_inst *def = spv_def(s->module, pointer);
    spv_id type = spv_value_type(s->module, pointer);
    if (!is_memory(s, pointer) || needs_none(s, pointer, access))
        return pointer;
    bool cast = def->op == SpvOpPtrCastToGeneric;
    check_note_local(s, pointer, access->align, access->bytes);
    spv_id inner = cast ? def->words[0] : pointer;
    const spv_id args[] = {inner, size_of(s, access), add_access(s, access)};
    spv_id marked = spv_emit_private(&s->b, SPV_PRIVATE_CHECKED, spv_value_type(s->module, inner), 3, args);
    return cast ? spv_emitv(&s->b, SpvOpPtrCastToGeneric, type, marked) : marked;
}

static void mark_operand(struct check_sites *s, struct spv_inst *inst, uint32_t word, const struct access *access)
{
    inst->words[word] = mark(s, inst->words[word], access);
}

/* Of what cannot be sent elsewhere: whether it may be done. */
static spv_id mark_size(struct check_sites *s, spv_id pointer, const struct access *access)
{
    spv_id size = size_of(s, access), truth = spv_type_bool(s->module);
    if (!is_memory(s, pointer))
        return spv_emitv(&s->b, SpvOpIEqual, truth, size, size);
    check_note_local(s, pointer, access->align, access->bytes);
    const spv_id args[] = {pointer, size, add_access(s, access)};
    spv_id left = spv_emit_private(&s->b, SPV_PRIVATE_CHECKED_SIZE, u64_type(s), 3, args);
    return spv_emitv(&s->b, SpvOpIEqual, truth, left, size);
}

/* ---- accesses ---- */

/* OpenCL C 3.0, 6.3.5: a vector of three has the size of four, but its fourth component is nobody's. */
static uint64_t bytes_of(struct check_sites *s, spv_id type)
{
    uint64_t size = spv_layout_of(&s->layouts, type)->size;
    return spv_type_is_vector(s->module, type) && spv_type_count(s->module, type) == 3 ? size / 4 * 3 : size;
}

/* An access may promise more than its pointer keeps, as that of an int does which is a packed member. Later passes would
 * see it by the chain; behind a mark they see none. */
static void weaken_align(struct check_sites *s, struct spv_inst *inst, uint32_t first)
{
    uint32_t align = lower_read_access(inst, first).align, known = check_known_align(&s->layouts, inst->words[0]);
    if (known < align)
        inst->words[first + 1] = known;
}

/* A structure is moved with bytes that nobody wrote. */
static uint32_t whole(const struct check_sites *s, spv_id type)
{
    return spv_type_is_aggregate(s->module, type) ? CLC_SITE_WHOLE : 0;
}

static void mark_copy(struct check_sites *s, struct spv_inst *inst);

/* Whether the access goes to local or private memory, and is too large for another place there. */
static bool has_no_spare(struct check_sites *s, spv_id pointer, const struct access *access)
{
    SpvStorageClass storage = spv_pointer_storage(s->module, spv_value_type(s->module, pointer));
    return access->bytes > CHECK_LARGEST_SPARE &&
           (storage == SpvStorageClassWorkgroup || storage == SpvStorageClassFunction ||
            storage == SpvStorageClassGeneric) &&
           !needs_none(s, pointer, access);
}

/* A structure or array without another place for it goes by way of a variable: where the access would be wrong, nothing is
 * copied. */
static void mark_by_copy(struct check_sites *s, struct spv_inst *inst, spv_id type, uint32_t align)
{
    bool load = inst->op == SpvOpLoad;
    spv_id variable = spv_emit_variable(&s->b, type),
           size = spv_const_u64(s->module, spv_layout_of(&s->layouts, type)->size);
    spv_id to = load ? variable : inst->words[0], from = load ? inst->words[0] : variable;
    spv_emitv_void(&s->b, SpvOpStore, variable, load ? spv_const_null(s->module, type) : inst->words[1]);
    const uint32_t words[] = {to, from, size, SpvMemoryAccessAlignedMask, align};
    struct spv_inst *copy = inst;
    if (load) {
        copy = spv_inst_create(s->module, SpvOpCopyMemorySized, 0, 0, ARRAY_LENGTH(words), words);
        spv_inst_insert(&s->b, copy);
        spv_inst_set_words(s->module, inst, 1, &variable);
    } else {
        inst->op = SpvOpCopyMemorySized;
        spv_inst_set_words(s->module, inst, ARRAY_LENGTH(words), words);
    }
    s->b.before = copy;
    mark_copy(s, copy);
}

static void mark_plain(struct check_sites *s, struct spv_inst *inst)
{
    bool load = inst->op == SpvOpLoad;
    spv_id type = load ? inst->type : spv_value_type(s->module, inst->words[1]);
    const struct lower_access said = lower_read_access(inst, load ? 1 : 2);
    const spv_id pointer = inst->words[0];
    struct access access = {.how = (load ? CLC_SITE_READS : CLC_SITE_WRITES) | whole(s, type),
                            .align = said.align,
                            .bytes = bytes_of(s, type),
                            .value = load ? inst->id : 0};
    if (load && !said.is_volatile && is_memory(s, pointer))
        access.to_load = check_lanes_to_load(s, inst->id, pointer, spv_layout_of(&s->layouts, type)->size);
    weaken_align(s, inst, load ? 1 : 2);
    check_mark_indices(s, inst->words[0]);
    if (is_memory(s, inst->words[0]) && whole(s, type) && has_no_spare(s, inst->words[0], &access))
        mark_by_copy(s, inst, type, access.align ? access.align : spv_layout_of(&s->layouts, type)->align);
    else
        mark_operand(s, inst, 0, &access);
    if (access.to_load && inst->words[0] != pointer)
        check_load_lanes(s, inst, access.to_load);
}

static void mark_atomic(struct check_sites *s, struct spv_inst *inst)
{
    if (!is_memory(s, inst->words[0]))
        return;
    uint64_t size = bytes_of(s, spv_pointer_pointee(s->module, spv_value_type(s->module, inst->words[0])));
    uint32_t how = inst->op == SpvOpAtomicLoad ? CLC_SITE_READS
                   : inst->op == SpvOpAtomicStore || inst->op == SpvOpAtomicFlagClear
                       ? CLC_SITE_WRITES
                       : CLC_SITE_READS | CLC_SITE_WRITES;
    check_mark_indices(s, inst->words[0]);
    mark_operand(s, inst, 0, &(struct access){.how = how | CLC_SITE_ATOMIC, .align = (uint32_t)size, .bytes = size});
}

/* OpenCL C 3.0, 6.15.12.7.4: one that fails is a read. Behind the instruction it is known which it was. */
static void mark_stored(struct check_sites *s, const struct spv_inst *inst)
{
    bool compares = inst->op == SpvOpAtomicCompareExchange || inst->op == SpvOpAtomicCompareExchangeWeak;
    const struct spv_inst *mark = compares ? spv_def(s->module, inst->words[0]) : NULL;
    uint64_t site = 0;
    if (mark && mark->op == SpvOpPtrCastToGeneric)
        mark = spv_def(s->module, mark->words[0]);
    if (!mark || !spv_is_private(mark, SPV_PRIVATE_CHECKED) || !(s->lower->watched & CLC_CHECK_RACES) ||
        !spv_const_value(s->module, mark->words[4], &site))
        return;
    s->lower->check_sites.data[site].compares = true;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst->next};
    spv_id same = spv_emitv(&s->b, SpvOpIEqual, spv_type_bool(s->module), inst->id, inst->words[5]);
    spv_id size = spv_emitv(&s->b, SpvOpSelect, u64_type(s), same, mark->words[3], spv_const_u64(s->module, 0));
    const spv_id args[] = {mark->words[2], size, mark->words[4]};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_STORED, spv_type_void(s->module), 3, args);
}

static spv_id widened(struct check_sites *s, spv_id number)
{
    uint32_t width = spv_type_width(s->module, spv_value_type(s->module, number));
    return width == 64 ? number : spv_emitv(&s->b, SpvOpUConvert, u64_type(s), number);
}

static spv_id chosen(struct check_sites *s, spv_id good, spv_id number)
{
    spv_id type = spv_value_type(s->module, number);
    return spv_emitv(&s->b, SpvOpSelect, type, good, number, spv_const_bits(s->module, type, 0));
}

static void become_sized(struct check_sites *s, struct spv_inst *copy, uint64_t bytes)
{
    uint32_t words[8] = {copy->words[0], copy->words[1], spv_const_u64(s->module, bytes)}, count = 3;
    for (uint32_t i = 2; i < copy->num_words && count < ARRAY_LENGTH(words); i++)
        words[count++] = copy->words[i];
    copy->op = SpvOpCopyMemorySized;
    spv_inst_set_words(s->module, copy, count, words);
}

static void mark_copy(struct check_sites *s, struct spv_inst *inst)
{
    bool sized = inst->op == SpvOpCopyMemorySized;
    uint64_t bytes = 0;
    if (!is_memory(s, inst->words[0]) || !is_memory(s, inst->words[1]))
        return;
    if (!sized)
        bytes = bytes_of(s, spv_pointer_pointee(s->module, spv_value_type(s->module, inst->words[0])));
    else
        spv_const_value(s->module, inst->words[2], &bytes);
    uint32_t align = lower_read_access(inst, sized ? 3 : 2).align;
    struct access write = {.how = CLC_SITE_WRITES | CLC_SITE_WHOLE, .align = align, .bytes = bytes};
    struct access read = {.how = CLC_SITE_READS | CLC_SITE_WHOLE, .align = align, .bytes = bytes};
    if (bytes && !has_no_spare(s, inst->words[0], &write) && !has_no_spare(s, inst->words[1], &read)) {
        mark_operand(s, inst, 0, &write);
        mark_operand(s, inst, 1, &read);
        return;
    }
    if (!sized)
        become_sized(s, inst, bytes);
    if (!bytes)
        read.size = write.size = widened(s, inst->words[2]);
    spv_id to = mark_size(s, inst->words[0], &write), from = mark_size(s, inst->words[1], &read);
    spv_id good = spv_emitv(&s->b, SpvOpLogicalAnd, spv_type_bool(s->module), to, from);
    inst->words[2] = chosen(s, good, inst->words[2]);
}

/* a * b, or the largest number where that has more than 64 bits. */
static spv_id product(struct check_sites *s, spv_id a, spv_id b)
{
    spv_id u64 = u64_type(s), truth = spv_type_bool(s->module), zero = spv_const_u64(s->module, 0);
    spv_id half = spv_const_u64(s->module, 32), low = spv_const_u64(s->module, UINT32_MAX);
    spv_id a_high = spv_emitv(&s->b, SpvOpShiftRightLogical, u64, a, half),
           a_low = spv_emitv(&s->b, SpvOpBitwiseAnd, u64, a, low);
    spv_id b_high = spv_emitv(&s->b, SpvOpShiftRightLogical, u64, b, half),
           b_low = spv_emitv(&s->b, SpvOpBitwiseAnd, u64, b, low);
    spv_id both = spv_emitv(&s->b, SpvOpLogicalAnd, truth, spv_emitv(&s->b, SpvOpINotEqual, truth, a_high, zero),
                            spv_emitv(&s->b, SpvOpINotEqual, truth, b_high, zero));
    spv_id middle = spv_emitv(&s->b, SpvOpIAdd, u64, spv_emitv(&s->b, SpvOpIMul, u64, a_high, b_low),
                              spv_emitv(&s->b, SpvOpIMul, u64, a_low, b_high));
    spv_id carry = spv_emitv(&s->b, SpvOpShiftRightLogical, u64, spv_emitv(&s->b, SpvOpIMul, u64, a_low, b_low), half);
    middle = spv_emitv(&s->b, SpvOpIAdd, u64, middle,
                       carry); /* of one factor's high half at most, so that it has no more bits */
    spv_id large = spv_emitv(&s->b, SpvOpUGreaterThan, truth, middle, low);
    large = spv_emitv(&s->b, SpvOpLogicalOr, truth, both, large);
    return spv_emitv(&s->b, SpvOpSelect, u64, large, spv_const_u64(s->module, UINT64_MAX),
                     spv_emitv(&s->b, SpvOpIMul, u64, a, b));
}

static spv_id sum(struct check_sites *s, spv_id a, spv_id b)
{
    spv_id all = spv_emitv(&s->b, SpvOpIAdd, u64_type(s), a, b);
    spv_id wraps = spv_emitv(&s->b, SpvOpULessThan, spv_type_bool(s->module), all, a);
    return spv_emitv(&s->b, SpvOpSelect, u64_type(s), wraps, spv_const_u64(s->module, UINT64_MAX), all);
}

/* words: scope, destination, source, number of elements, stride, event. The stride is of the side in global memory. */
static void mark_async_copy(struct check_sites *s, struct spv_inst *inst)
{
    spv_id u64 = u64_type(s), truth = spv_type_bool(s->module), good = 0;
    if (inst->num_words < 6 || !is_memory(s, inst->words[1]) || !is_memory(s, inst->words[2]))
        return;
    spv_id pointee = spv_pointer_pointee(s->module, spv_value_type(s->module, inst->words[1]));
    uint64_t size = spv_layout_of(&s->layouts, pointee)->size;
    uint64_t step = 0;
    bool close = spv_const_value(s->module, inst->words[4], &step) && step == 1;
    /* Nobody writes what stands behind the third component, on either side. */
    uint32_t padding = spv_type_count(s->module, pointee) == 3 ? CLC_SITE_WHOLE : 0;
    uint32_t gaps = close ? padding : CLC_SITE_WHOLE;
    spv_id count = widened(s, inst->words[3]), stride = widened(s, inst->words[4]), one = spv_const_u64(s->module, 1);
    spv_id last = product(s, spv_emitv(&s->b, SpvOpISub, u64, count, one), stride);
    spv_id none = spv_emitv(&s->b, SpvOpIEqual, truth, count, spv_const_u64(s->module, 0));
    spv_id spread = spv_emitv(&s->b, SpvOpSelect, u64, none, count, sum(s, last, one));
    for (uint32_t i = 1; i <= 2; i++) {
        bool global =
            spv_pointer_storage(s->module, spv_value_type(s->module, inst->words[i])) == SpvStorageClassCrossWorkgroup;
        struct access access = {.how = CLC_SITE_GROUP | (global ? gaps : padding) |
                                       (i == 1 ? CLC_SITE_WRITES : CLC_SITE_READS),
                                .align = (uint32_t)size};
        access.size = product(s, global ? spread : count, spv_const_u64(s->module, size));
        spv_id right = mark_size(s, inst->words[i], &access);
        good = good ? spv_emitv(&s->b, SpvOpLogicalAnd, truth, good, right) : right;
    }
    inst->words[3] = chosen(s, good, inst->words[3]);
}

/* One side of a copy of lines and planes: whether all that lies between its first and last byte may be accessed. words: the
 * pointer and its offset, then the lengths of a line and a plane with all that is between two. */
static spv_id mark_planes(struct check_sites *s, struct spv_inst *inst, const uint32_t words[4], uint32_t how)
{
    spv_id u64 = u64_type(s), truth = spv_type_bool(s->module), one = spv_const_u64(s->module, 1), none = 0;
    const uint32_t *args = inst->words + 1;
    bool planes = words[3];
    spv_id last = args[5], bytes = args[4];
    for (uint32_t i = 0; i < (planes ? 2u : 1u); i++) {
        spv_id steps = spv_emitv(&s->b, SpvOpISub, u64, args[6 + i], one);
        last = sum(s, last, product(s, steps, args[words[2 + i]]));
    }
    for (uint32_t i = 5; i <= (planes ? 7u : 6u); i++) {
        spv_id empty = spv_emitv(&s->b, SpvOpIEqual, truth, args[i], spv_const_u64(s->module, 0));
        none = none ? spv_emitv(&s->b, SpvOpLogicalOr, truth, none, empty) : empty;
    }
    struct access access = {.how = how | CLC_SITE_GROUP | CHECK_LOOSE, .align = 1};
    access.size = product(s, last, bytes);
    access.size = spv_emitv(&s->b, SpvOpSelect, u64, none, spv_const_u64(s->module, 0), access.size);
    spv_id offset = spv_emitv(&s->b, SpvOpIMul, u64, args[words[1]], bytes);
    spv_id pointer =
        spv_emitv(&s->b, SpvOpPtrAccessChain, spv_value_type(s->module, args[words[0]]), args[words[0]], offset);
    return mark_size(s, pointer, &access);
}

/* cl_khr_extended_async_copies: to, its offset, from, its offset, bytes of an element, elements of a line, lines, (planes,)
 * from's line, (plane,) to's line (, plane). A copy that would be wrong has no lines. */
static void mark_async_planes(struct check_sites *s, struct spv_inst *inst)
{
    const char *name = check_name_of(s->lower, inst->words[0]);
    uint32_t planes = name && !strncmp(name, "__pumice_async_copy_3d_", 23) ? 1 : 0;
    if (!planes && (!name || strncmp(name, "__pumice_async_copy_2d_", 23) != 0))
        return;
    const uint32_t from[] = {2, 3, 7 + planes, planes ? 9 : 0}, to[] = {0, 1, planes ? 10 : 8, planes ? 11 : 0};
    spv_id right = spv_emitv(&s->b, SpvOpLogicalAnd, spv_type_bool(s->module),
                             mark_planes(s, inst, from, CLC_SITE_READS), mark_planes(s, inst, to, CLC_SITE_WRITES));
    inst->words[7] = chosen(s, right, inst->words[7]);
}

/* A packet goes to a pipe, or comes from there. Operands: pipe, with a reservation and an index behind it or none, packet,
 * its size and alignment. */
static void mark_packet(struct check_sites *s, struct spv_inst *inst, bool reads_pipe)
{
    check_mark_packet(s, inst);
    uint32_t packet = inst->num_words == 6 ? 3 : 1;
    uint64_t bytes = 0, align = 0;
    if (inst->num_words < packet + 3 || !is_memory(s, inst->words[packet]) ||
        !spv_const_value(s->module, inst->words[packet + 1], &bytes) ||
        !spv_const_value(s->module, inst->words[packet + 2], &align))
        return;
    mark_operand(s, inst, packet,
                 &(struct access){.how = (reads_pipe ? CLC_SITE_WRITES : CLC_SITE_READS) | CLC_SITE_WHOLE,
                                  .align = (uint32_t)align,
                                  .bytes = bytes});
}

/* ---- kernels that are enqueued ---- */

/* Memory that an instruction reads or writes where it is given any; the pointer becomes null where that would be wrong. */
static void mark_given(struct check_sites *s, struct spv_inst *inst, uint32_t word, uint32_t how, spv_id size)
{
    spv_id type = spv_value_type(s->module, inst->words[word]), u64 = u64_type(s), none = spv_const_u64(s->module, 0);
    if (!is_memory(s, inst->words[word]) || spv_def(s->module, inst->words[word])->op == SpvOpConstantNull)
        return;
    spv_id number = spv_emitv(&s->b, SpvOpConvertPtrToU, u64, inst->words[word]);
    spv_id given = spv_emitv(&s->b, SpvOpINotEqual, spv_type_bool(s->module), number, none);
    struct access access = {.how = how | CLC_SITE_WHOLE, .align = 1};
    access.size = spv_emitv(&s->b, SpvOpSelect, u64, given, size, none);
    spv_id right = mark_size(s, inst->words[word], &access);
    inst->words[word] = spv_emitv(&s->b, SpvOpSelect, type, right, inst->words[word], spv_const_null(s->module, type));
}

/* Whether the operand is a number or range of sizes, for which translators from LLVM may give a pointer to it. */
static bool is_number(SpvOp op, uint32_t word)
{
    switch (op) {
    case SpvOpEnqueueKernel:
        return word != 4 && word != 5 && word != 7;
    case SpvOpEnqueueMarker:
    case SpvOpSetUserEventStatus:
        return word < 2;
    default:
        return word == 0;
    }
}

static void load_numbers(struct check_sites *s, struct spv_inst *inst)
{
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (!is_number(inst->op, i) || !is_memory(s, inst->words[i]))
            continue;
        spv_id pointee = spv_pointer_pointee(s->module, spv_value_type(s->module, inst->words[i]));
        struct access access = {.how = CLC_SITE_READS | whole(s, pointee),
                                .align = spv_layout_of(&s->layouts, pointee)->align,
                                .bytes = bytes_of(s, pointee)};
        spv_id pointer = mark(s, inst->words[i], &access);
        inst->words[i] = spv_emitv(&s->b, SpvOpLoad, pointee, pointer, SpvMemoryAccessAlignedMask, access.align);
    }
}

/* OpenCL C 3.0, 6.15.19: the list of events and the event that is made. A list that is null though it has events is refused,
 * as is what a block captured, which has no size then. */
static void mark_enqueue(struct check_sites *s, struct spv_inst *inst)
{
    bool marker = inst->op == SpvOpEnqueueMarker;
    uint32_t count = marker ? 1 : 3;
    if (inst->num_words < (marker ? 4u : 10u) ||
        spv_type_op(s->module, spv_value_type(s->module, inst->words[count])) != SpvOpTypeInt)
        return;
    spv_id event = spv_const_u64(s->module, 8);
    mark_given(s, inst, count + 1, CLC_SITE_READS, product(s, widened(s, inst->words[count]), event));
    mark_given(s, inst, count + 2, CLC_SITE_WRITES, event);
    if (marker || spv_type_op(s->module, spv_value_type(s->module, inst->words[8])) != SpvOpTypeInt)
        return;
    uint64_t bytes = 0;
    spv_const_value(s->module, inst->words[8], &bytes);
    const struct access whole = {.how = CLC_SITE_READS, .bytes = bytes};
    if (!is_memory(s, inst->words[7]) || needs_none(s, inst->words[7], &whole))
        return;
    struct access captured = {.how = CLC_SITE_READS | CLC_SITE_WHOLE, .align = 1, .size = widened(s, inst->words[8])};
    inst->words[8] = chosen(s, mark_size(s, inst->words[7], &captured), inst->words[8]);
}

/* OpCaptureEventProfilingInfo: two numbers of 64 bits. */
static void mark_profile(struct check_sites *s, struct spv_inst *inst)
{
    if (inst->num_words == 3 && is_memory(s, inst->words[2]))
        mark_operand(s, inst, 2, &(struct access){.how = CLC_SITE_WRITES, .align = 8, .bytes = 16});
}

/* ---- built-ins ---- */

/* A pointer to the element with this index, which is an operand of the instruction and becomes 0. */
static spv_id take_index(struct check_sites *s, struct spv_inst *inst, uint32_t index, spv_id pointer, uint64_t stride)
{
    spv_id number = inst->words[index], type = spv_value_type(s->module, number);
    if (stride != 1)
        number = spv_emitv(&s->b, SpvOpIMul, type, number, spv_const_bits(s->module, type, stride));
    inst->words[index] = spv_const_bits(s->module, type, 0);
    return spv_emitv(&s->b, SpvOpPtrAccessChain, spv_value_type(s->module, pointer), pointer, number);
}

/* Operands: offset, pointer; a store has its data before them. */
static void mark_vector(struct check_sites *s, struct spv_inst *inst, bool store, bool half, bool aligned)
{
    uint32_t first = store ? 3 : 2;
    if (inst->num_words < first + 2 || !is_memory(s, inst->words[first + 1]))
        return;
    spv_id pointer = inst->words[first + 1], data = store ? spv_value_type(s->module, inst->words[2]) : inst->type;
    spv_id pointee = spv_pointer_pointee(s->module, spv_value_type(s->module, pointer));
    uint32_t count = spv_type_count(s->module, data);
    uint64_t element = half ? 2 : spv_type_width(s->module, data) / 8;
    if (spv_layout_of(&s->layouts, pointee)->size != element)
        return; /* refused when it is lowered */
    uint32_t lanes = aligned && count == 3 ? 4 : count;
    const struct access access = {.how = store ? CLC_SITE_WRITES : CLC_SITE_READS,
                                  .align = (uint32_t)element * (aligned ? lanes : 1),
                                  .bytes = element * count,
                                  .value = store ? 0 : inst->id,
                                  .to_load = store ? 0 : check_lanes_to_load(s, inst->id, pointer, element * lanes)};
    const struct spv_inst *def = spv_def(s->module, pointer);
    spv_id type = spv_value_type(s->module, pointer);
    bool cast = def->op == SpvOpPtrCastToGeneric;
    pointer = mark(s, take_index(s, inst, first, cast ? def->words[0] : pointer, lanes), &access);
    inst->words[first + 1] = cast ? spv_emitv(&s->b, SpvOpPtrCastToGeneric, type, pointer) : pointer;
    if (access.to_load)
        check_vload_lanes(s, inst, access.to_load);
}

/* The last operand points to where a second result goes. */
static void mark_second_result(struct check_sites *s, struct spv_inst *inst)
{
    uint32_t last = inst->num_words - 1;
    if (!is_memory(s, inst->words[last]))
        return;
    spv_id pointee = spv_pointer_pointee(s->module, spv_value_type(s->module, inst->words[last]));
    mark_operand(s, inst, last,
                 &(struct access){.how = CLC_SITE_WRITES,
                                  .align = spv_layout_of(&s->layouts, pointee)->align,
                                  .bytes = bytes_of(s, pointee)});
}

static void mark_builtin(struct check_sites *s, struct spv_inst *inst)
{
    if (inst->hints.ext_set != SPV_EXT_SET_OPENCL)
        return;
    switch (inst->words[1]) {
    case OpenCLstd_Vloadn:
        mark_vector(s, inst, false, false, false);
        break;
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
        mark_vector(s, inst, false, true, false);
        break;
    case OpenCLstd_Vloada_halfn:
        mark_vector(s, inst, false, true, true);
        break;
    case OpenCLstd_Vstoren:
        mark_vector(s, inst, true, false, false);
        break;
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
        mark_vector(s, inst, true, true, false);
        break;
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        mark_vector(s, inst, true, true, true);
        break;
    case OpenCLstd_Fract:
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
    case OpenCLstd_Modf:
    case OpenCLstd_Remquo:
    case OpenCLstd_Sincos:
        mark_second_result(s, inst);
        break;
    default:
        break;
    }
}

/* A sub-group's block: the work-item's elements are its place and every further one by as many as the sub-group has. */
static void mark_block(struct check_sites *s, struct spv_inst *inst)
{
    bool write = inst->op == SpvOpSubgroupBlockWriteINTEL;
    if (inst->num_words < (write ? 2u : 1u) || !is_memory(s, inst->words[0]))
        return;
    spv_id data = write ? spv_value_type(s->module, inst->words[1]) : inst->type, u32 = spv_type_int(s->module, 32);
    spv_id place = lower_emit_builtin(s->lower, &s->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id size = lower_emit_builtin(s->lower, &s->b, SpvBuiltInSubgroupMaxSize, 0);
    uint32_t count = spv_type_count(s->module, data), element = spv_type_width(s->module, data) / 8;
    spv_id blocks = spv_emitv(&s->b, SpvOpIMul, u32, size, spv_const_u32(s->module, count - 1));
    spv_id items =
        spv_emitv(&s->b, SpvOpIAdd, u32, spv_emitv(&s->b, SpvOpIAdd, u32, place, blocks), spv_const_u32(s->module, 1));
    struct access access = {.how = (write ? CLC_SITE_WRITES : CLC_SITE_READS) | count << CHECK_BLOCK_SHIFT, .align = 4};
    access.size = spv_emitv(&s->b, SpvOpIMul, u64_type(s), widened(s, items), spv_const_u64(s->module, element));
    if (s->lower->check_page < LARGEST_BLOCK)
        s->lower->check_page = LARGEST_BLOCK;
    mark_operand(s, inst, 0, &access);
}

/* ---- what is not seen ---- */

static void note_pointer(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct check_sites *s = data;
    spv_id type = spv_value_type(s->module, *word);
    (void)inst;
    if (!type || !spv_type_is_pointer(s->module, type))
        return;
    SpvStorageClass storage = spv_pointer_storage(s->module, type);
    s->lower->unseen_writes |= storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassGeneric;
}

/* Other instructions that are given a pointer, and functions of the library, may write where it leads. */
static void note_unseen(struct check_sites *s, struct spv_inst *inst)
{
    if (!(s->lower->watched & CLC_CHECK_INIT) || spv_op_is_chain(inst->op) || spv_op_leads_on(inst->op))
        return;
    switch (inst->op) {
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpGenericCastToPtrExplicit:
    case SpvOpGenericPtrMemSemantics:
    case SpvOpConvertPtrToU:
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
    case SpvOpReturnValue:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
        return;
    case SpvOpFunctionCall: {
        const struct spv_function *callee = spv_function_of(s->module, inst->words[0]);
        if (callee && callee->first_block)
            return;
        break;
    }
    default:
        break;
    }
    spv_visit_operand_ids(inst, note_pointer, s);
}

/* ---- the pass ---- */

static void mark_inst(struct check_sites *s, struct spv_inst *inst)
{
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (spv_op_is_atomic(inst->op)) {
        mark_atomic(s, inst);
        return;
    }
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
        mark_plain(s, inst);
        break;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        mark_copy(s, inst);
        break;
    case SpvOpGroupAsyncCopy:
        mark_async_copy(s, inst);
        break;
    case SpvOpReadPipe:
    case SpvOpReservedReadPipe:
    case SpvOpWritePipe:
    case SpvOpReservedWritePipe:
        mark_packet(s, inst, inst->op == SpvOpReadPipe || inst->op == SpvOpReservedReadPipe);
        break;
    case SpvOpReserveWritePipePackets:
    case SpvOpGroupReserveWritePipePackets:
        check_mark_reserved(s, inst);
        break;
    case SpvOpFunctionCall:
        mark_async_planes(s, inst);
        break;
    case SpvOpSubgroupBlockReadINTEL:
    case SpvOpSubgroupBlockWriteINTEL:
        mark_block(s, inst);
        break;
    case SpvOpEnqueueKernel:
    case SpvOpEnqueueMarker:
        load_numbers(s, inst);
        mark_enqueue(s, inst);
        break;
    case SpvOpCaptureEventProfilingInfo:
        load_numbers(s, inst);
        mark_profile(s, inst);
        break;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelLocalSizeForSubgroupCount:
    case SpvOpRetainEvent:
    case SpvOpReleaseEvent:
    case SpvOpIsValidEvent:
    case SpvOpSetUserEventStatus:
        load_numbers(s, inst);
        break;
    case SpvOpExtInst:
        mark_builtin(s, inst);
        break;
    default:
        note_unseen(s, inst);
        break;
    }
}

static void mark_function(struct check_sites *s, struct spv_function *function)
{
    check_begin_private(s, function);
    spv_foreach_block (block, function) {
        check_note_loop(s, block);
        spv_foreach_inst_safe (inst, &block->insts) {
            if (!spv_op_is_line(inst->op)) {
                check_mark_private(s, inst);
                mark_inst(s, inst);
                check_mark_value(s, inst);
                check_mark_meeting(s, inst);
                check_mark_order(s, inst);
                check_mark_tracks(s, inst);
                mark_stored(s, inst);
                check_mark_named(s, inst);
                continue;
            }
            note_line(s, inst);
            spv_inst_remove(s->module, inst);
        }
    }
    check_count_loops(s, function);
}

/* Once all else is marked. */
static void mark_ends(struct check_sites *s)
{
    spv_foreach_block (block, s->lower->kernel) {
        struct spv_inst *last = spv_terminator(block);
        if (last->op != SpvOpReturn)
            continue;
        s->b = (struct spv_builder){s->module, s->lower->kernel, block, last};
        check_end_copies(s);
        check_end_named(s);
        check_end_barriers(s);
    }
}

bool lower_check_sites(struct lower *lower)
{
    lower->idle = !lower_watches(lower);
    if (lower->idle)
        return true;
    struct check_sites s = {.lower = lower, .module = lower->module};
    s.layouts = (struct spv_layouts){.arena = lower->module->arena, .module = lower->module};
    lower->check_page = LEAST_PAGE;
    check_begin_copies(&s);
    check_begin_named(&s);
    check_find_lanes(&s);
    check_begin_local(&s);
    spv_foreach_function (function, lower->module) {
        if (function->first_block)
            mark_function(&s, function);
    }
    mark_ends(&s);
    check_begin_barriers(&s);
    check_clear_local(&s);
    return true;
}
