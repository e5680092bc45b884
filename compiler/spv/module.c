/* The module: ids, sections, instructions, annotations.
 *
 * Decorations and names hang on their target's id (module->decorations, module->names), not only on its definition,
 * because callers decorate ids that they emit later, and binaries hold all annotations before all definitions. */
#include "grammar.h"

#include <assert.h>
#include <string.h>

#define GENERATOR 0 /* SPIR-V's registry of generators reserves 0 for the unregistered */

struct spv_module *spv_module_create(struct arena *arena, uint32_t version)
{
    struct spv_module *module = arena_new(arena, struct spv_module);
    module->arena = arena;
    module->version = version;
    module->generator = GENERATOR;
    spv_reserve_ids(module, 1);
    return module;
}

/* ---- ids ---- */

static void *grow_table(struct arena *arena, void *table, uint32_t from, uint32_t to)
{
    return arena_grow(arena, table, from * sizeof(void *), to * sizeof(void *));
}

/* ---- borrowed memory ---- */

struct spv_spare {
    struct spv_spare *next;
    size_t size;  /* bytes of data[] */
    size_t dirty; /* of them, from the start: what may not be zero; while borrowed: what may be written */
    _Alignas(16) char data[];
};

/* One that is zero already, unless it is far too large, and then the smallest. */
static bool fits_better(const struct spv_spare *spare, const struct spv_spare *best, size_t size)
{
    bool clean = !spare->dirty && spare->size / 16 <= size, best_clean = !best->dirty && best->size / 16 <= size;
    return clean != best_clean ? clean : spare->size < best->size;
}

void *spv_borrow(struct spv_module *module, size_t size)
{
    struct spv_spare **best = NULL;
    for (struct spv_spare **at = &module->spares; *at; at = &(*at)->next) {
        if ((*at)->size >= size && (!best || fits_better(*at, *best, size)))
            best = at;
    }
    if (best) {
        struct spv_spare *spare = *best;
        *best = spare->next;
        memset(spare->data, 0, spare->dirty);
        spare->dirty = size;
        return spare->data;
    }
    size_t room = size + size / 4 + 64; /* the module may have grown a little by the next time */
    struct spv_spare *spare = arena_alloc_aligned(module->arena, sizeof(*spare) + room, 16);
    spare->size = room;
    spare->dirty = size;
    return spare->data;
}

static struct spv_spare *spare_of(void *memory)
{
    return (struct spv_spare *)(void *)((char *)memory - offsetof(struct spv_spare, data));
}

void spv_give_back(struct spv_module *module, void *memory)
{
    if (!memory)
        return;
    struct spv_spare *spare = spare_of(memory);
    spare->next = module->spares;
    module->spares = spare;
}

void spv_give_back_zeroed(struct spv_module *module, void *memory)
{
    if (!memory)
        return;
    struct spv_spare *spare = spare_of(memory);
#ifndef NDEBUG
    for (size_t i = 0; i < spare->dirty; i++)
        assert(!spare->data[i]);
#endif
    spare->dirty = 0;
    spv_give_back(module, memory);
}

void spv_reserve_ids(struct spv_module *module, uint32_t bound)
{
    if (bound <= module->bound)
        return;
    if (bound > module->capacity) {
        uint32_t old = module->capacity, capacity = old ? old : 256;
        while (capacity < bound) {
            if (capacity > UINT32_MAX / 4)
                arena_fail(module->arena);
            capacity *= 2;
        }
        module->defs = grow_table(module->arena, module->defs, old, capacity);
        module->constants = arena_grow(module->arena, module->constants, old, capacity);
        module->capacity = capacity;
    }
    module->bound = bound;
}

/* Ids of later passes hardly have any annotations, and names none at all. */
static struct spv_inst **reserve_annotation(struct arena *arena, struct spv_inst ***table, uint32_t *length, spv_id id)
{
    if (id >= *length) {
        uint32_t old = *length, capacity = old ? old : 256;
        while (capacity <= id)
            capacity *= 2;
        *table = grow_table(arena, *table, old, capacity);
        *length = capacity;
    }
    return &(*table)[id];
}

static void reserve_table_like(struct arena *arena, struct spv_inst ***table, uint32_t *length,
                               struct spv_inst *const *from, uint32_t from_length)
{
    while (from_length && !from[from_length - 1])
        from_length--;
    if (!from_length)
        return;
    *table = grow_table(arena, NULL, 0, from_length);
    *length = from_length;
}

void spv_reserve_annotations_like(struct spv_module *module, const struct spv_module *from)
{
    reserve_table_like(module->arena, &module->decorations, &module->decorated, from->decorations, from->decorated);
    reserve_table_like(module->arena, &module->names, &module->named, from->names, from->named);
}

void spv_define(struct spv_module *module, struct spv_inst *inst)
{
    assert(inst->id && inst->id < module->bound);
    assert(!module->defs[inst->id] || module->defs[inst->id] == inst);
    module->defs[inst->id] = inst;
    module->constants[inst->id] = spv_op_is_constant(inst->op) && inst->op != SpvOpUndef;
}

/* ---- lists ---- */

void spv_list_append(struct spv_list *list, struct spv_inst *inst)
{
    inst->prev = list->last;
    inst->next = NULL;
    if (list->last)
        list->last->next = inst;
    else
        list->first = inst;
    list->last = inst;
}

void spv_list_insert(struct spv_list *list, struct spv_inst *inst, struct spv_inst *behind)
{
    inst->prev = behind;
    inst->next = behind->next;
    if (behind->next)
        behind->next->prev = inst;
    else
        list->last = inst;
    behind->next = inst;
}

void spv_list_remove(struct spv_list *list, struct spv_inst *inst)
{
    if (inst->prev)
        inst->prev->next = inst->next;
    else
        list->first = inst->next;
    if (inst->next)
        inst->next->prev = inst->prev;
    else
        list->last = inst->prev;
    inst->prev = inst->next = NULL;
}

enum spv_section spv_section_of(uint16_t op)
{
    switch (op) {
    case SpvOpCapability:
        return SPV_SECTION_CAPABILITY;
    case SpvOpExtension:
        return SPV_SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return SPV_SECTION_EXT_INST_IMPORT;
    case SpvOpMemoryModel:
        return SPV_SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return SPV_SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return SPV_SECTION_EXECUTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return SPV_SECTION_DEBUG;
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return SPV_SECTION_ANNOTATION;
    case SpvOpTypeForwardPointer:
    case SpvOpVariable:
    case SpvOpUntypedVariableKHR:
    case SpvOpUndef:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpExtInst:
    case SpvOpPoisonKHR:
    case SpvOpAliasDomainDeclINTEL:
    case SpvOpAliasScopeDeclINTEL:
    case SpvOpAliasScopeListDeclINTEL:
        return SPV_SECTION_GLOBAL;
    default:
        if (spv_op_is_decoration(op))
            return SPV_SECTION_ANNOTATION;
        if (spv_op_is_type(op) || spv_op_is_constant(op))
            return SPV_SECTION_GLOBAL;
        return SPV_SECTION_COUNT;
    }
}

/* ---- instructions ---- */

static uint32_t switch_literal_words(const struct spv_module *module, spv_id selector)
{
    const struct spv_inst *def = spv_def(module, selector);
    const struct spv_inst *type = def ? spv_def(module, def->type) : NULL;
    return type && type->op == SpvOpTypeInt && type->words[0] > 32 ? 2 : 1;
}

void spv_set_hints(const struct spv_module *module, struct spv_inst *inst)
{
    if (inst->op == SpvOpSwitch) {
        inst->hints.literal_words = switch_literal_words(module, inst->words[0]);
    } else if (inst->op == SpvOpExtInst && inst->words[0]) {
        inst->hints.ext_set = inst->words[0] == module->ext_opencl    ? SPV_EXT_SET_OPENCL
                              : inst->words[0] == module->ext_glsl    ? SPV_EXT_SET_GLSL
                              : inst->words[0] == module->ext_private ? SPV_EXT_SET_PRIVATE
                                                                      : SPV_EXT_SET_OTHER;
    }
}

void spv_take_hinted_decorations(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op != SpvOpDecorate)
            continue;
        bool wraps = inst->words[1] == SpvDecorationNoSignedWrap;
        struct spv_inst *def =
            wraps || inst->words[1] == SpvDecorationNoContraction ? spv_def(module, inst->words[0]) : NULL;
        if (!def || !def->block || !(wraps ? spv_op_may_wrap(def->op) : spv_op_is_float_arithmetic(def->op)))
            continue;
        if (wraps)
            spv_set_no_signed_wrap(def, true);
        else
            spv_forbid_contraction(def);
        for (struct spv_inst **at = &module->decorations[def->id]; *at; at = &(*at)->next_decoration) {
            if (*at != inst)
                continue;
            *at = inst->next_decoration;
            break;
        }
        spv_inst_remove(module, inst);
    }
}

struct spv_inst *spv_inst_create(struct spv_module *module, SpvOp op, spv_id type, spv_id id, uint32_t count,
                                 const uint32_t *words)
{
    struct spv_inst *inst = arena_alloc_uncleared(module->arena, sizeof(*inst) + count * sizeof(*words), 8);
    uint32_t *own = (uint32_t *)(inst + 1);
    *inst = (struct spv_inst){.op = (uint16_t)op, .type = type, .id = id, .num_words = count, .words = own};
    for (uint32_t i = 0; i < count; i++) /* few */
        own[i] = words[i];
    spv_set_hints(module, inst);
    if (id)
        spv_define(module, inst);
    return inst;
}

struct spv_inst *spv_inst_copy(struct spv_module *module, const struct spv_inst *inst, spv_id id)
{
    uint32_t count = inst->num_words;
    struct spv_inst *copy = arena_alloc_uncleared(module->arena, sizeof(*copy) + count * sizeof(*inst->words), 8);
    uint32_t *own = (uint32_t *)(copy + 1);
    *copy = (struct spv_inst){
        .op = inst->op, .num_words = count, .type = inst->type, .id = id, .words = own, .hints = inst->hints};
    if (spv_row_of_scopes(copy))
        copy->hints.scopes = 0;
    for (uint32_t i = 0; i < count; i++) /* few */
        own[i] = inst->words[i];
    if (id) {
        module->defs[id] = copy;
        module->constants[id] = 0;
    }
    return copy;
}

void spv_inst_set_words(struct spv_module *module, struct spv_inst *inst, uint32_t count, const uint32_t *words)
{
    if (count > inst->num_words) {
        uint32_t *grown = arena_alloc_aligned(module->arena, count * sizeof(*words), _Alignof(uint32_t));
        memcpy(grown, words, count * sizeof(*words));
        inst->words = grown;
    } else if (count) {
        memmove(inst->words, words, count * sizeof(*words));
    }
    inst->num_words = count;
    if (spv_op_is_decoration(inst->op) || spv_op_is_name(inst->op)) /* the place is next_decoration's */
        return;
    inst->hints = (struct spv_hints){0};
    spv_set_hints(module, inst);
}

void spv_inst_insert(struct spv_builder *builder, struct spv_inst *inst)
{
    struct spv_inst *before = builder->before;
    inst->block = builder->block;
    if (inst->id && !builder->module->defs[inst->id])
        spv_define(builder->module, inst);
    if (!before) {
        spv_list_append(&builder->block->insts, inst);
        return;
    }
    assert(before->block == builder->block);
    inst->prev = before->prev;
    inst->next = before;
    if (before->prev)
        before->prev->next = inst;
    else
        builder->block->insts.first = inst;
    before->prev = inst;
}

void spv_inst_unlink(struct spv_inst *inst)
{
    assert(inst->block);
    spv_list_remove(&inst->block->insts, inst);
    inst->block = NULL;
}

static void detach_annotation(struct spv_module *module, struct spv_inst *inst)
{
    if (!spv_op_is_name(inst->op) && !spv_op_is_decoration(inst->op))
        return;
    spv_id target = inst->words[0];
    if (target >= (spv_op_is_name(inst->op) ? module->named : module->decorated))
        return;
    struct spv_inst **link = spv_op_is_name(inst->op) ? &module->names[target] : &module->decorations[target];
    while (*link && *link != inst)
        link = &(*link)->next_decoration;
    if (*link)
        *link = inst->next_decoration;
}

void spv_inst_remove(struct spv_module *module, struct spv_inst *inst)
{
    if (inst->block) {
        spv_inst_unlink(inst);
    } else {
        enum spv_section section = spv_section_of(inst->op);
        assert(section != SPV_SECTION_COUNT);
        if (section == SPV_SECTION_DEBUG || section == SPV_SECTION_ANNOTATION)
            detach_annotation(module, inst);
        spv_list_remove(&module->sections[section], inst);
    }
    if (inst->id && module->defs[inst->id] == inst) {
        module->defs[inst->id] = NULL;
        module->constants[inst->id] = 0;
    }
}

/* Creates an instruction at the end of its section. */
static struct spv_inst *append(struct spv_module *module, SpvOp op, spv_id type, spv_id id, uint32_t count,
                               const uint32_t *words)
{
    struct spv_inst *inst = spv_inst_create(module, op, type, id, count, words);
    spv_list_append(&module->sections[spv_section_of((uint16_t)op)], inst);
    return inst;
}

/* ---- strings ---- */

/* SPIR-V 1.6, 2.2.1: UTF-8 bytes, four to a word, the first in the lowest bits, with a NUL and zeros to the word's end.
 */
static uint32_t pack_string(const char *text, uint32_t *words)
{
    uint32_t length = (uint32_t)strlen(text);
    if (words) {
        memset(words, 0, (length / 4 + 1) * sizeof(*words));
        for (uint32_t i = 0; i < length; i++)
            words[i / 4] |= (uint32_t)(unsigned char)text[i] << i % 4 * 8;
    }
    return length / 4 + 1;
}

/* The words of: first (num_first words), text, then more (num_more words). */
static uint32_t *words_with_string(struct spv_module *module, uint32_t num_first, const uint32_t *first,
                                   const char *text, uint32_t num_more, const uint32_t *more, uint32_t *count)
{
    uint32_t num_text = pack_string(text, NULL);
    *count = num_first + num_text + num_more;
    uint32_t *words = arena_array(module->arena, uint32_t, *count);
    if (num_first)
        memcpy(words, first, num_first * sizeof(*words));
    pack_string(text, words + num_first);
    if (num_more)
        memcpy(words + num_first + num_text, more, num_more * sizeof(*words));
    return words;
}

/* Little-endian machines have the text in place; anything else would need a copy, and the interface gives it no arena.
 */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "strings are read in place");

const char *spv_string(const struct spv_inst *inst, uint32_t word, uint32_t *next_word)
{
    const char *text = (const char *)(inst->words + word);
    if (next_word)
        *next_word = word + (uint32_t)strlen(text) / 4 + 1;
    return text;
}

/* ---- module-level instructions ---- */

bool spv_has_capability(const struct spv_module *module, SpvCapability capability)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_CAPABILITY]) {
        if (inst->words[0] == (uint32_t)capability)
            return true;
    }
    return false;
}

void spv_add_capability(struct spv_module *module, SpvCapability capability)
{
    if (!spv_has_capability(module, capability))
        append(module, SpvOpCapability, 0, 0, 1, (const uint32_t[]){(uint32_t)capability});
}

void spv_add_extension(struct spv_module *module, const char *name)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXTENSION]) {
        if (!strcmp(spv_string(inst, 0, NULL), name))
            return;
    }
    uint32_t count;
    uint32_t *words = words_with_string(module, 0, NULL, name, 0, NULL, &count);
    append(module, SpvOpExtension, 0, 0, count, words);
}

bool spv_note_ext_set(struct spv_module *module, const char *set, spv_id id)
{
    spv_id *known = !strcmp(set, "OpenCL.std")      ? &module->ext_opencl
                    : !strcmp(set, "GLSL.std.450")  ? &module->ext_glsl
                    : !strcmp(set, SPV_PRIVATE_SET) ? &module->ext_private
                                                    : NULL;
    if (known)
        *known = id;
    return known;
}

spv_id spv_import_ext_inst(struct spv_module *module, const char *set)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_EXT_INST_IMPORT]) {
        if (!strcmp(spv_string(inst, 0, NULL), set))
            return inst->id;
    }
    uint32_t count;
    uint32_t *words = words_with_string(module, 0, NULL, set, 0, NULL, &count);
    spv_id id = spv_new_id(module);
    append(module, SpvOpExtInstImport, 0, id, count, words);
    spv_note_ext_set(module, set, id);
    return id;
}

void spv_set_memory_model(struct spv_module *module, SpvAddressingModel addressing, SpvMemoryModel memory)
{
    const uint32_t words[] = {(uint32_t)addressing, (uint32_t)memory};
    struct spv_inst *inst = module->sections[SPV_SECTION_MEMORY_MODEL].first;
    if (inst)
        spv_inst_set_words(module, inst, 2, words);
    else
        append(module, SpvOpMemoryModel, 0, 0, 2, words);
}

void spv_add_entry_point(struct spv_module *module, SpvExecutionModel model, spv_id function, const char *name,
                         uint32_t num_interface, const spv_id *interface)
{
    uint32_t count;
    const uint32_t first[] = {(uint32_t)model, function};
    uint32_t *words = words_with_string(module, 2, first, name, num_interface, interface, &count);
    append(module, SpvOpEntryPoint, 0, 0, count, words);
}

void spv_add_execution_mode(struct spv_module *module, SpvOp op, spv_id function, SpvExecutionMode mode, uint32_t count,
                            const uint32_t *words)
{
    uint32_t *all = arena_array(module->arena, uint32_t, count + 2);
    all[0] = function;
    all[1] = (uint32_t)mode;
    if (count)
        memcpy(all + 2, words, count * sizeof(*words));
    append(module, op, 0, 0, count + 2, all);
}

/* SPIR-V 1.6, 2.4, 7: strings and sources come before names. They are entered at the front, which is one step. */
spv_id spv_add_string(struct spv_module *module, const char *text)
{
    uint32_t count;
    uint32_t *words = words_with_string(module, 0, NULL, text, 0, NULL, &count);
    struct spv_inst *inst = spv_inst_create(module, SpvOpString, 0, spv_new_id(module), count, words);
    struct spv_list *list = &module->sections[SPV_SECTION_DEBUG];
    inst->next = list->first;
    if (list->first)
        list->first->prev = inst;
    else
        list->last = inst;
    list->first = inst;
    return inst->id;
}

/* ---- sources ---- */

enum { SOURCE_CHUNK = 240000 }; /* bytes: an instruction has up to 65,535 words */

static struct spv_inst *insert_behind(struct spv_module *module, struct spv_inst *before, struct spv_inst *inst)
{
    inst->prev = before;
    inst->next = before->next;
    if (before->next)
        before->next->prev = inst;
    else
        module->sections[SPV_SECTION_DEBUG].last = inst;
    before->next = inst;
    return inst;
}

void spv_add_source_text(struct spv_module *module, spv_id file, uint32_t language, uint32_t version, const char *text)
{
    const uint32_t first[] = {language, version, file};
    struct spv_inst *at = spv_def(module, file);
    size_t length = strlen(text);
    for (size_t from = 0; from < length; from += SOURCE_CHUNK) {
        size_t rest = length - from;
        const char *part = arena_strndup(module->arena, text + from, rest < SOURCE_CHUNK ? rest : SOURCE_CHUNK);
        uint32_t count, num_first = from ? 0 : 3;
        uint32_t *words = words_with_string(module, num_first, first, part, 0, NULL, &count);
        SpvOp op = from ? SpvOpSourceContinued : SpvOpSource;
        at = insert_behind(module, at, spv_inst_create(module, op, 0, 0, count, words));
    }
}

const char *spv_source_text(struct spv_module *module, spv_id file)
{
    struct str text;
    str_init(&text, module->arena);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_DEBUG]) {
        if (inst->op != SpvOpSource || inst->num_words < 4 || inst->words[2] != file)
            continue;
        str_puts(&text, spv_string(inst, 3, NULL));
        for (const struct spv_inst *more = inst->next; more && more->op == SpvOpSourceContinued; more = more->next)
            str_puts(&text, spv_string(more, 0, NULL));
        return str_text(&text);
    }
    return NULL;
}

/* ---- annotations ---- */

void spv_attach_annotation(struct spv_module *module, struct spv_inst *inst)
{
    spv_id target = inst->words[0];
    struct spv_inst **head = spv_op_is_name(inst->op)
                                 ? reserve_annotation(module->arena, &module->names, &module->named, target)
                                 : reserve_annotation(module->arena, &module->decorations, &module->decorated, target);
    inst->next_decoration = *head;
    *head = inst;
}

void spv_add_name(struct spv_module *module, spv_id id, const char *name)
{
    uint32_t count;
    uint32_t *words = words_with_string(module, 1, &id, name, 0, NULL, &count);
    spv_attach_annotation(module, append(module, SpvOpName, 0, 0, count, words));
}

static void decorate(struct spv_module *module, SpvOp op, uint32_t num_first, const uint32_t *first, uint32_t count,
                     const uint32_t *words)
{
    struct spv_inst *inst = spv_inst_create(module, op, 0, 0, 0, NULL);
    inst->num_words = num_first + count;
    inst->words = arena_array(module->arena, uint32_t, inst->num_words);
    memcpy(inst->words, first, num_first * sizeof(*first));
    if (count)
        memcpy(inst->words + num_first, words, count * sizeof(*words));
    spv_list_append(&module->sections[SPV_SECTION_ANNOTATION], inst);
    spv_attach_annotation(module, inst);
}

/* SPIR-V 1.6, 3.20: decorations whose operands are ids are applied by OpDecorateId. */
static bool takes_ids(SpvDecoration decoration)
{
    return decoration == SpvDecorationUniformId || decoration == SpvDecorationAlignmentId ||
           decoration == SpvDecorationMaxByteOffsetId || decoration == SpvDecorationCounterBuffer;
}

static bool takes_string(SpvDecoration decoration)
{
    return decoration == SpvDecorationUserSemantic || decoration == SpvDecorationUserTypeGOOGLE;
}

void spv_decorate(struct spv_module *module, spv_id id, SpvDecoration decoration, uint32_t count, const uint32_t *words)
{
    SpvOp op = takes_ids(decoration) ? SpvOpDecorateId : takes_string(decoration) ? SpvOpDecorateString : SpvOpDecorate;
    const uint32_t first[] = {id, (uint32_t)decoration};
    decorate(module, op, 2, first, count, words);
}

void spv_decorate_linkage(struct spv_module *module, spv_id id, const char *name, SpvLinkageType linkage)
{
    uint32_t count;
    const uint32_t type = linkage;
    const uint32_t *words = words_with_string(module, 0, NULL, name, 1, &type, &count);
    spv_decorate(module, id, SpvDecorationLinkageAttributes, count, words);
    spv_add_capability(module, SpvCapabilityLinkage);
}

void spv_decorate_member(struct spv_module *module, spv_id type, uint32_t member, SpvDecoration decoration,
                         uint32_t count, const uint32_t *words)
{
    SpvOp op = takes_string(decoration) ? SpvOpMemberDecorateString : SpvOpMemberDecorate;
    const uint32_t first[] = {type, member, (uint32_t)decoration};
    decorate(module, op, 3, first, count, words);
}

static bool is_member_decoration(const struct spv_inst *inst)
{
    return inst->op == SpvOpMemberDecorate || inst->op == SpvOpMemberDecorateString;
}

bool spv_mode_numbers(const struct spv_module *module, const struct spv_inst *mode, uint32_t count, uint32_t *numbers)
{
    if (mode->num_words < 2 + count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = mode->words[2 + i];
        if (mode->op == SpvOpExecutionModeId && !spv_const_value(module, mode->words[2 + i], &bits))
            return false;
        numbers[i] = (uint32_t)bits;
    }
    return true;
}

struct spv_inst *spv_find_decoration(const struct spv_module *module, spv_id id, SpvDecoration decoration)
{
    struct spv_inst *inst = spv_decorations(module, id);
    while (inst && (is_member_decoration(inst) || inst->words[1] != (uint32_t)decoration))
        inst = inst->next_decoration;
    return inst;
}

void spv_remove_annotations(struct spv_module *module, spv_id id)
{
    while (spv_decorations(module, id))
        spv_inst_remove(module, module->decorations[id]);
    while (spv_names(module, id))
        spv_inst_remove(module, module->names[id]);
}

/* SPIR-V 1.6, 3.52.21 (device-side enqueue): the operand Invoke. */
uint32_t *spv_enqueued_function(struct spv_inst *inst)
{
    uint32_t index;
    switch (inst->op) {
    case SpvOpEnqueueKernel:
        index = 6;
        break;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelLocalSizeForSubgroupCount:
        index = 1;
        break;
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelMaxNumSubgroups:
        index = 0;
        break;
    default:
        return NULL;
    }
    return index < inst->num_words ? &inst->words[index] : NULL;
}
