/* The module: functions as calls reach them, kernels with their entry points and what the runtime must know of them,
 * program-scope variables.
 *
 * A kernel that other code calls is emitted a second time as an ordinary function, because SPIR-V forbids calls of
 * entry points (2.16.1). Everything that clGetKernelInfo and clGetKernelArgInfo ask for is in the module: execution
 * modes, names, and strings in the way of llvm-spirv ("kernel_arg_type.NAME.T1,T2,"), so that a module is all of a
 * program. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

#include <string.h>

#define IN_PROGRESS ((void *)(uintptr_t)UINT32_MAX)

static uint32_t language_version(const struct emit *e)
{
    uint32_t std = e->front->options.std;
    return std / 100 * 100000 + std % 100 * 100; /* 1.2: 102000 */
}

static uint64_t key_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* The lines of a file that code comes from, for reports of checked kernels. The file's name and the lines' numbers are those of line
 * directives. */
struct emit_text {
    spv_id string;
    VEC(const char *) lines; /* NULL: no code comes from it */
};
enum { MOST_LINES = 1 << 20 };

static struct emit_text *text_of(struct emit *e, const char *name)
{
    size_t length = strlen(name);
    struct emit_text *text = str_map_get(&e->texts, name, length);
    if (text)
        return text;
    text = arena_new(e->arena, struct emit_text);
    *text = (struct emit_text){.string = spv_add_string(e->module, name)};
    str_map_set(e->arena, &e->texts, name, length, text);
    vec_push(e->arena, &e->text_list, text);
    return text;
}

static void note_text(struct emit *e, struct emit_text *text, const struct src_position *position)
{
    if (!position->line || position->line > MOST_LINES)
        return;
    while (text->lines.length < position->line)
        vec_push(e->arena, &text->lines, (const char *)NULL);
    const char **line = &text->lines.data[position->line - 1];
    if (!*line)
        *line = arena_strndup(e->arena, position->line_text, position->line_length);
}

static void add_texts(struct emit *e)
{
    vec_foreach (struct emit_text *, each, &e->text_list) {
        struct str text;
        str_init(&text, e->arena);
        for (uint32_t i = 0; i < (*each)->lines.length; i++) {
            if ((*each)->lines.data[i])
                str_puts(&text, (*each)->lines.data[i]);
            str_putc(&text, '\n');
        }
        spv_add_source_text(e->module, (*each)->string, SpvSourceLanguageOpenCL_C, language_version(e),
                            str_text(&text));
    }
}

void emit_line_of(struct emit *e, src_loc loc)
{
    if (!loc || !e->b.block)
        return;
    struct src_position position = pp_source_position(e->front, pp_source_expansion(e->front, loc));
    /* Checks name columns, and look for a line in each block. */
    bool finely = e->front->target->checks;
    bool stays = position.line == e->line && (!finely || (position.column == e->column && e->b.block == e->line_block));
    if (!position.file || (e->file_string && stays && !strcmp(position.file, e->file_name)))
        return;
    if (!e->file_string || strcmp(position.file, e->file_name)) {
        e->file_string = finely ? text_of(e, position.file)->string : spv_add_string(e->module, position.file);
        e->file_name = position.file;
    }
    e->line = position.line;
    e->column = position.column;
    e->line_block = e->b.block;
    if (finely)
        note_text(e, text_of(e, position.file), &position);
    spv_emitv_void(&e->b, SpvOpLine, e->file_string, position.line, position.column);
}

spv_id emit_input(struct emit *e, SpvBuiltIn builtin, spv_id type)
{
    spv_id variable = (spv_id)(uintptr_t)u64_map_get(&e->inputs, builtin);
    uint32_t align = emit_natural_align(e, type);
    if (!variable) {
        const uint32_t word = builtin;
        variable = spv_global_variable(e->module, spv_type_pointer(e->module, SpvStorageClassInput, type),
                                       SpvStorageClassInput, 0);
        spv_decorate(e->module, variable, SpvDecorationBuiltIn, 1, &word);
        spv_decorate(e->module, variable, SpvDecorationConstant, 0, NULL);
        u64_map_set(e->arena, &e->inputs, builtin, (void *)(uintptr_t)variable);
        vec_push(e->arena, &e->interface, variable);
    }
    return spv_emitv(&e->b, SpvOpLoad, type, variable, SpvMemoryAccessAlignedMask, align);
}

/* ---- program-scope variables ---- */

static struct decl *definition_of(struct emit *e, struct decl *decl)
{
    struct decl *definition = u64_map_get(&e->definitions, key_of(decl->first ? decl->first : decl));
    return definition ? definition : decl;
}

static spv_id initial_value(struct emit *e, struct decl *decl, enum address_space space)
{
    if (space == AS_LOCAL)
        return 0;
    if (decl->var.init)
        return emit_static_initialiser(e, decl->type, decl->var.init);
    bool declared_only = decl->storage == STORAGE_EXTERN;
    if (space == AS_CONSTANT && !declared_only)
        return spv_const_null(e->module, emit_memory_type(e, decl->type.type));
    return 0;
}

spv_id emit_global_variable(struct emit *e, struct decl *decl)
{
    decl = definition_of(e, decl);
    void *known = u64_map_get(&e->globals, key_of(decl));
    enum address_space space = decl->type.address_space;
    if (space == AS_PRIVATE || space == AS_GENERIC)
        space = AS_CONSTANT;
    spv_id type = emit_pointer_type(e, decl->type.type, space);
    if (known == IN_PROGRESS) {
        pp_error(e->front, decl->loc, "initializer of '%s' depends on its own address",
                 decl->name ? decl->name->name : "");
        return spv_global_variable(e->module, type, emit_storage_class(space), 0);
    }
    if (known)
        return (spv_id)(uintptr_t)known;
    u64_map_set(e->arena, &e->globals, key_of(decl), IN_PROGRESS);
    spv_id id;
    if (decl->var.init && emit_is_oversized(decl->type.type)) {
        spv_id memory_type, init = emit_oversized_initialiser(e, decl->type, decl->var.init, &memory_type);
        id = spv_global_variable(e->module, emit_pointer_to(e, memory_type, space), emit_storage_class(space), init);
        id = spv_const_inst(e->module, SpvOpSpecConstantOp, type, 2, (const uint32_t[]){SpvOpBitcast, id});
    } else {
        id = spv_global_variable(e->module, type, emit_storage_class(space), initial_value(e, decl, space));
    }
    u64_map_set(e->arena, &e->globals, key_of(decl), (void *)(uintptr_t)id);
    if (decl->name)
        spv_add_name(e->module, id, decl->name->name);
    if (decl->var.align > emit_natural_align(e, emit_memory_type(e, decl->type.type)))
        spv_decorate(e->module, id, SpvDecorationAlignment, 1, &decl->var.align);
    if (space == AS_CONSTANT && !emit_is_oversized(decl->type.type))
        spv_decorate(e->module, id, SpvDecorationConstant, 0, NULL);
    bool undefined = decl->storage == STORAGE_EXTERN && !decl->var.init;
    if (undefined && !e->library)
        pp_error(e->front, decl->loc, "variable '%s' is declared but not defined", decl->name->name);
    else if (undefined)
        spv_decorate_linkage(e->module, id, decl->name->name, SpvLinkageTypeImport);
    else if (e->library && decl->var.file_scope && decl->storage != STORAGE_STATIC && decl->name)
        spv_decorate_linkage(e->module, id, decl->name->name, SpvLinkageTypeExport);
    return id;
}

/* ---- functions ---- */

static const char *link_name(const struct decl *decl)
{
    if (decl->fn.mangled)
        return decl->fn.mangled;
    return decl->name ? decl->name->name : "block";
}

static bool is_external(const struct decl *decl)
{
    return decl->storage != STORAGE_STATIC && !(decl->fn.flags & (FN_INLINE | FN_BLOCK)) && decl->name;
}

static spv_id function_type(struct emit *e, const struct decl *decl)
{
    VEC(spv_id) params = {0};
    const struct type *type = decl->type.type;
    for (uint32_t i = 0; i < type->function.num_params; i++)
        vec_push(e->arena, &params, emit_type(e, type->function.params[i].type));
    const struct block_captures *captures = decl->fn.captures;
    for (uint32_t i = 0; captures && i < captures->list.length; i++)
        vec_push(e->arena, &params, emit_type(e, captures->list.data[i].inner->type.type));
    return spv_type_function(e->module, emit_type(e, type->function.result.type), params.length, params.data);
}

static spv_id id_in(const struct u64_map *map, const struct decl *first)
{
    return (spv_id)(uintptr_t)u64_map_get(map, key_of(first));
}

spv_id emit_function_id(struct emit *e, struct decl *function)
{
    struct decl *first = function->first;
    spv_id id = id_in(&e->functions, first);
    if (id)
        return id;
    id = id_in(&e->bodies, first); /* a kernel that is emitted: its entry point will be a function that calls it */
    if (!id) {
        id = spv_new_id(e->module);
        vec_push(e->arena, &e->queue, first);
    }
    u64_map_set(e->arena, &e->functions, key_of(first), (void *)(uintptr_t)id);
    return id;
}

static uint32_t function_control(const struct decl *decl)
{
    uint32_t flags = decl->fn.flags, control = SpvFunctionControlMaskNone;
    if (flags & FN_NOINLINE)
        control |= SpvFunctionControlDontInlineMask;
    else if (flags & FN_ALWAYS_INLINE)
        control |= SpvFunctionControlInlineMask;
    if (flags & FN_CONST)
        control |= SpvFunctionControlConstMask;
    else if (flags & FN_PURE)
        control |= SpvFunctionControlPureMask;
    return control;
}

static void bind_param(struct emit *e, struct decl *decl, spv_id value)
{
    if (type_is_handle(decl->type.type)) {
        emit_bind_value(e, decl, value);
    } else if (decl->type.type->kind != TYPE_BLOCK) {
        struct lvalue object = emit_variable(e, decl);
        emit_store(e, &object, value);
    }
}

/* For lowering, as clang says it: memory reached through a restrict parameter is reached by no other way. */
static void decorate_param(struct emit *e, const struct decl *param, spv_id value)
{
    const uint32_t no_alias = SpvFunctionParameterAttributeNoAlias;
    if (param->type.type->kind == TYPE_POINTER && param->type.quals & QUAL_RESTRICT)
        spv_decorate(e->module, value, SpvDecorationFuncParamAttr, 1, &no_alias);
}

static void bind_params(struct emit *e, struct decl *decl, struct spv_function *function, bool name_all)
{
    uint32_t index = 0;
    for (struct decl *param = decl->fn.params; param && index < decl->fn.num_params; param = param->next, index++) {
        spv_id value = function->params.data[index]->id;
        if (param->name && name_all)
            spv_add_name(e->module, value, param->name->name);
        decorate_param(e, param, value);
        bind_param(e, param, value);
    }
    const struct block_captures *captures = decl->fn.captures;
    for (uint32_t i = 0; captures && i < captures->list.length && index < function->params.length; i++)
        bind_param(e, captures->list.data[i].inner, function->params.data[index++]->id);
}

/* ---- unreachable blocks ---- */

enum { BLOCK_REACHED = 1, BLOCK_KEPT = 2 };

static void mark_block(struct spv_block *block, uintptr_t mark)
{
    block->user = (void *)((uintptr_t)block->user | mark);
}

static bool is_marked(const struct spv_block *block, uintptr_t mark)
{
    return ((uintptr_t)block->user & mark) != 0;
}

static void mark_reachable(struct emit *e, struct spv_function *function)
{
    VEC(struct spv_block *) work = {0};
    VEC(spv_id) labels = {0};
    spv_foreach_block (block, function)
        block->user = NULL;
    mark_block(function->first_block, BLOCK_REACHED);
    vec_push(e->arena, &work, function->first_block);
    while (work.length) {
        struct spv_block *block = vec_pop(&work);
        uint32_t count = spv_successors(block, 0, NULL);
        vec_reserve(e->arena, &labels, count);
        spv_successors(block, count, labels.data);
        for (uint32_t i = 0; i < count; i++) {
            struct spv_block *next = spv_block_of(e->module, labels.data[i]);
            if (!next || is_marked(next, BLOCK_REACHED))
                continue;
            mark_block(next, BLOCK_REACHED);
            vec_push(e->arena, &work, next);
        }
    }
}

static void keep_empty(struct emit *e, struct spv_block *block, SpvOp op, spv_id target)
{
    if (!block || is_marked(block, BLOCK_REACHED) || is_marked(block, BLOCK_KEPT))
        return;
    mark_block(block, BLOCK_KEPT);
    while (block->insts.last)
        spv_inst_remove(e->module, block->insts.last);
    struct spv_builder builder = {e->module, block->function, block, NULL};
    spv_emit_void(&builder, op, op == SpvOpBranch ? 1 : 0, &target);
}

static void drop_phi_sources(struct emit *e, struct spv_block *block)
{
    spv_foreach_inst_safe (inst, &block->insts) {
        uint32_t count = 0;
        uint32_t *words;
        if (inst->op != SpvOpPhi)
            break;
        words = arena_array(e->arena, uint32_t, inst->num_words + 1);
        for (uint32_t i = 0; i + 1 < inst->num_words; i += 2) {
            const struct spv_block *from = spv_block_of(e->module, inst->words[i + 1]);
            if (!from || !is_marked(from, BLOCK_REACHED))
                continue;
            words[count++] = inst->words[i];
            words[count++] = inst->words[i + 1];
        }
        if (count != inst->num_words)
            spv_inst_set_words(e->module, inst, count, words);
    }
}

/* Unreachable blocks go, but for merge blocks and continue targets of reachable constructs: these are emptied. */
static void prune(struct emit *e, struct spv_function *function)
{
    mark_reachable(e, function);
    spv_foreach_block (block, function) {
        const struct spv_inst *merge = is_marked(block, BLOCK_REACHED) ? spv_merge_inst(block) : NULL;
        if (!merge)
            continue;
        if (merge->op == SpvOpLoopMerge)
            keep_empty(e, spv_block_of(e->module, merge->words[1]), SpvOpBranch, block->label->id);
        keep_empty(e, spv_block_of(e->module, merge->words[0]), SpvOpUnreachable, 0);
    }
    for (struct spv_block *block = function->first_block, *next; block; block = next) {
        next = block->next;
        if (is_marked(block, BLOCK_REACHED))
            drop_phi_sources(e, block);
    }
    for (struct spv_block *block = function->first_block, *next; block; block = next) {
        next = block->next;
        if (!block->user)
            spv_block_remove(e->module, block);
    }
    spv_foreach_block (block, function)
        block->user = NULL;
}

/* A goto into a statement that was never emitted (inside an expression that was dropped). */
static void check_labels(struct emit *e, const struct decl *decl)
{
    for (uint32_t i = 0; i < e->labels.capacity; i++) {
        const struct u64_map_slot *slot = &e->labels.slots[i];
        if (slot->used && !spv_block_of(e->module, (spv_id)(uintptr_t)slot->value)) {
            const struct stmt *label = (const struct stmt *)(uintptr_t)slot->key;
            pp_error(e->front, label->loc ? label->loc : decl->loc, "cannot jump to this label");
        }
    }
}

static void begin_body(struct emit *e, struct decl *decl, spv_id id, bool name_params)
{
    struct spv_function *function = spv_function_create(e->module, id, function_type(e, decl), function_control(decl));
    e->b = (struct spv_builder){.module = e->module, .function = function};
    e->function = decl;
    e->function_serial = ++e->num_serials;
    e->jumps = NULL;
    e->dead_blocks = false;
    e->labels = (struct u64_map){0};
    e->line = 0;
    spv_add_name(e->module, id, link_name(decl));
    emit_begin_block(e, emit_new_label(e));
    bind_params(e, decl, function, name_params || emit_tells_lines(e));
}

static void end_body(struct emit *e)
{
    struct decl *decl = e->function;
    emit_stmt(e, decl->fn.body);
    if (e->b.block) {
        const struct type *result = decl->type.type->function.result.type;
        if (result->kind == TYPE_VOID)
            spv_emit_void(&e->b, SpvOpReturn, 0, NULL);
        else /* falling off the end is allowed while nobody uses the value */
            spv_emitv_void(&e->b, SpvOpReturnValue, spv_undef(e->module, emit_type(e, result)));
        e->b.block = NULL;
    }
    check_labels(e, decl);
    if (!e->front->num_errors)
        prune(e, e->b.function);
}

static void emit_body(struct emit *e, struct decl *decl, spv_id id, bool name_params)
{
    begin_body(e, decl, id, name_params);
    end_body(e);
}

static void emit_ordinary(struct emit *e, struct decl *decl, spv_id id)
{
    emit_body(e, decl, id, false);
    if (e->library && is_external(decl) && !(decl->fn.flags & FN_KERNEL))
        spv_decorate_linkage(e->module, id, link_name(decl), SpvLinkageTypeExport);
}

static void emit_queued(struct emit *e)
{
    for (uint32_t i = 0; i < e->queue.length; i++) {
        struct decl *first = e->queue.data[i], *decl = first->fn.definition ? first->fn.definition : first;
        spv_id id = id_in(&e->functions, first);
        if (id_in(&e->bodies, first))
            continue;
        if (decl->fn.body) {
            emit_ordinary(e, decl, id);
            continue;
        }
        spv_function_create(e->module, id, function_type(e, decl), function_control(decl));
        spv_add_name(e->module, id, link_name(decl));
        if (e->library)
            spv_decorate_linkage(e->module, id, link_name(decl), SpvLinkageTypeImport);
        else if (!e->streamed) /* else the caller may be unreached; the call graph has been checked */
            pp_error(e->front, decl->loc, "function '%s' is called but not defined", link_name(decl));
    }
}

/* ---- before the unit's end ---- */

static spv_id begin_streamed(struct emit *e, struct decl *function)
{
    struct decl *first = function->first;
    spv_id id = id_in(&e->functions, first);
    bool is_kernel = function->fn.flags & FN_KERNEL;
    if (!id)
        id = is_kernel ? spv_new_id(e->module) : emit_function_id(e, function);
    u64_map_set(e->arena, &e->bodies, key_of(first), (void *)(uintptr_t)id);
    e->streamed = true;
    return id;
}

static void resume(struct emit *e)
{
    e->b = e->open.b;
    e->function = e->open.function;
    e->function_serial = e->open.serial;
    e->dead_blocks = e->open.dead_blocks;
    e->jumps = NULL;
    e->labels = (struct u64_map){0};
    e->line = 0;
}

void emit_statements(struct emit *e, struct decl *function, struct stmt *first)
{
    bool is_kernel = function->fn.flags & FN_KERNEL;
    if (e->open.function)
        resume(e);
    else
        begin_body(e, function, begin_streamed(e, function), is_kernel);
    for (struct stmt *stmt = first; stmt; stmt = stmt->next)
        emit_stmt(e, stmt);
    e->open = (struct emit_open){function, e->b, e->function_serial, e->dead_blocks};
}

void emit_function(struct emit *e, struct decl *function)
{
    bool is_kernel = function->fn.flags & FN_KERNEL;
    if (e->open.function == function) {
        resume(e);
        e->open.function = NULL;
        end_body(e);
        if (e->library && is_external(function) && !is_kernel)
            spv_decorate_linkage(e->module, id_in(&e->bodies, function->first), link_name(function),
                                 SpvLinkageTypeExport);
    } else if (is_kernel) {
        emit_body(e, function, begin_streamed(e, function), true);
    } else {
        emit_ordinary(e, function, begin_streamed(e, function));
    }
}

/* ---- kernels ---- */

static void append_comma_list(struct str *text, const uint32_t values[3])
{
    str_printf(text, "(%u,%u,%u)", values[0], values[1], values[2]);
}

/* CL_KERNEL_ATTRIBUTES (OpenCL 3.0 API, 5.9.3): the attributes as written, separated by spaces. */
static void add_attributes(struct emit *e, const struct decl *kernel, const char *name)
{
    struct str text;
    str_init(&text, e->arena);
    str_printf(&text, "kernel_attributes.%s.", name);
    size_t empty = text.length;
    if (kernel->fn.has_reqd) {
        str_puts(&text, "reqd_work_group_size");
        append_comma_list(&text, kernel->fn.reqd_work_group_size);
    }
    if (kernel->fn.has_hint) {
        str_puts(&text, text.length > empty ? " work_group_size_hint" : "work_group_size_hint");
        append_comma_list(&text, kernel->fn.work_group_size_hint);
    }
    if (kernel->fn.vec_type_hint.type)
        str_printf(&text, "%svec_type_hint(%s)", text.length > empty ? " " : "",
                   clc_type_text_info(e->front, kernel->fn.vec_type_hint));
    if (kernel->fn.reqd_sub_group_size)
        str_printf(&text, "%sintel_reqd_sub_group_size(%u)", text.length > empty ? " " : "",
                   kernel->fn.reqd_sub_group_size);
    if (text.length > empty)
        spv_add_string(e->module, str_text(&text));
}

static void add_argument_strings(struct emit *e, const struct decl *kernel, const char *name)
{
    struct str types, quals;
    str_init(&types, e->arena);
    str_init(&quals, e->arena);
    str_printf(&types, "kernel_arg_type.%s.", name);
    str_printf(&quals, "kernel_arg_type_qual.%s.", name);
    uint32_t index = 0;
    for (const struct decl *param = kernel->fn.params; param && index++ < kernel->fn.num_params; param = param->next) {
        const struct type *type = param->type.type;
        str_printf(&types, "%s,", clc_type_text_info(e->front, param->type));
        const char *separator = "";
        uint32_t flags = 0;
        if (type->kind == TYPE_POINTER) {
            flags = type->pointer.pointee.quals & (QUAL_CONST | QUAL_VOLATILE);
            flags |= param->type.quals & QUAL_RESTRICT;
            if (type->pointer.pointee.address_space == AS_CONSTANT)
                flags |= QUAL_CONST;
        }
        static const struct {
            uint32_t flag;
            const char *text;
        } words[] = {{QUAL_RESTRICT, "restrict"}, {QUAL_CONST, "const"}, {QUAL_VOLATILE, "volatile"}};
        for (uint32_t i = 0; i < ARRAY_LENGTH(words); i++) {
            if (flags & words[i].flag) {
                str_printf(&quals, "%s%s", separator, words[i].text);
                separator = " ";
            }
        }
        if (type->kind == TYPE_PIPE)
            str_puts(&quals, "pipe");
        str_putc(&quals, ',');
    }
    /* clGetKernelArgInfo() answers where the types are known; the qualifiers are for Pumice itself, too. */
    if (e->front->options.kernel_arg_info)
        spv_add_string(e->module, str_text(&types));
    spv_add_string(e->module, str_text(&quals));
}

/* SPIR-V 1.6, 3.6, VecTypeHint: the number of components in the high half, the data type in the low one. */
static uint32_t vector_hint(const struct type *type)
{
    static const uint8_t codes[TYPE_DOUBLE + 1] = {
        [TYPE_SHORT] = 1, [TYPE_USHORT] = 1, [TYPE_INT] = 2,   [TYPE_UINT] = 2,  [TYPE_LONG] = 3,
        [TYPE_ULONG] = 3, [TYPE_HALF] = 4,   [TYPE_FLOAT] = 5, [TYPE_DOUBLE] = 6};
    const struct type *element = emit_canonical(type_element(emit_canonical(type)));
    uint32_t code = element->kind <= TYPE_DOUBLE ? codes[element->kind] : 2;
    return type_lanes(emit_canonical(type)) << 16 | code;
}

static bool contraction_off(struct emit *e, const struct decl *kernel)
{
    VEC(const struct decl *) work = {0};
    struct u64_map seen = {0};
    vec_push(e->arena, &work, kernel);
    while (work.length) {
        const struct decl *decl = vec_pop(&work);
        if (decl->fn.flags & FN_CONTRACT_OFF)
            return true;
        uint32_t num_callees = decl->fn.callees.length;
        for (uint32_t i = 0; i < num_callees + decl->fn.blocks.length; i++) {
            const struct decl *callee =
                i < num_callees ? decl->fn.callees.data[i] : decl->fn.blocks.data[i - num_callees];
            callee = callee->fn.definition ? callee->fn.definition : callee;
            if (u64_map_has(&seen, key_of(callee)))
                continue;
            u64_map_set(e->arena, &seen, key_of(callee), NULL);
            vec_push(e->arena, &work, callee);
        }
    }
    return false;
}

static void add_execution_modes(struct emit *e, const struct decl *kernel, spv_id id)
{
    if (kernel->fn.has_reqd)
        spv_add_execution_mode(e->module, SpvOpExecutionMode, id, SpvExecutionModeLocalSize, 3,
                               kernel->fn.reqd_work_group_size);
    if (kernel->fn.has_hint)
        spv_add_execution_mode(e->module, SpvOpExecutionMode, id, SpvExecutionModeLocalSizeHint, 3,
                               kernel->fn.work_group_size_hint);
    if (kernel->fn.vec_type_hint.type) {
        const uint32_t hint = vector_hint(kernel->fn.vec_type_hint.type);
        spv_add_execution_mode(e->module, SpvOpExecutionMode, id, SpvExecutionModeVecTypeHint, 1, &hint);
    }
    if (kernel->fn.reqd_sub_group_size) {
        emit_capability(e, SpvCapabilitySubgroupDispatch);
        spv_add_execution_mode(e->module, SpvOpExecutionMode, id, SpvExecutionModeSubgroupSize, 1,
                               &kernel->fn.reqd_sub_group_size);
    }
    if (e->unit->fp_contract_off || contraction_off(e, kernel))
        spv_add_execution_mode(e->module, SpvOpExecutionMode, id, SpvExecutionModeContractionOff, 0, NULL);
}

/* A kernel that other code calls and whose tree is gone: the entry point calls it too. */
static spv_id emit_entry(struct emit *e, const struct decl *kernel, spv_id body)
{
    struct spv_function *function = spv_function_create(e->module, 0, function_type(e, kernel), 0);
    spv_id id = function->def->id, void_type = spv_type_void(e->module);
    e->b = (struct spv_builder){.module = e->module, .function = function};
    spv_add_name(e->module, id, kernel->name->name);
    emit_begin_block(e, emit_new_label(e));
    VEC(uint32_t) words = {0};
    vec_push(e->arena, &words, body);
    const struct decl *param = kernel->fn.params;
    for (uint32_t i = 0; i < function->params.length; i++, param = param->next) {
        spv_id value = function->params.data[i]->id;
        if (param->name)
            spv_add_name(e->module, value, param->name->name);
        decorate_param(e, param, value);
        vec_push(e->arena, &words, value);
    }
    spv_emit(&e->b, SpvOpFunctionCall, void_type, words.length, words.data);
    spv_emit_void(&e->b, SpvOpReturn, 0, NULL);
    return id;
}

static spv_id emit_kernel(struct emit *e, struct decl *kernel)
{
    spv_id id = id_in(&e->bodies, kernel->first);
    const char *name = kernel->name->name;
    if (!id) {
        id = spv_new_id(e->module);
        emit_body(e, kernel, id, true);
    } else if (id_in(&e->functions, kernel->first)) {
        id = emit_entry(e, kernel, id);
    }
    add_execution_modes(e, kernel, id);
    add_argument_strings(e, kernel, name);
    add_attributes(e, kernel, name);
    return id;
}

/* ---- the unit ---- */

static void find_definitions(struct emit *e)
{
    for (struct decl *decl = e->unit->first; decl; decl = decl->next) {
        if (decl->kind != DECL_VARIABLE || decl->invalid)
            continue;
        uint64_t key = key_of(decl->first ? decl->first : decl);
        const struct decl *known = u64_map_get(&e->definitions, key);
        bool better = !known || decl->var.init || (known->storage == STORAGE_EXTERN && decl->storage != STORAGE_EXTERN);
        if (better && !(known && known->var.init))
            u64_map_set(e->arena, &e->definitions, key, decl);
    }
}

static void emit_externals(struct emit *e)
{
    for (struct decl *decl = e->unit->first; decl; decl = decl->next) {
        if (decl->invalid)
            continue;
        if (decl->kind == DECL_FUNCTION && decl->fn.body && is_external(decl) && !(decl->fn.flags & FN_KERNEL))
            emit_function_id(e, decl);
        if (decl->kind == DECL_VARIABLE && decl->storage == STORAGE_NONE && definition_of(e, decl) == decl &&
            !type_is_handle(decl->type.type) && decl->type.type->kind != TYPE_BLOCK)
            emit_global_variable(e, decl);
    }
}

/* The bits of FPFastMathMode that the options allow (OpenCL 3.0 API, 5.8.6.3). */
static uint32_t fast_math_bits(const struct clc_options *options)
{
    uint32_t bits = 0;
    if (options->finite_math_only || options->fast_relaxed_math)
        bits |= SpvFPFastMathModeNotNaNMask | SpvFPFastMathModeNotInfMask;
    if (options->no_signed_zeros || options->unsafe_math || options->fast_relaxed_math)
        bits |= SpvFPFastMathModeNSZMask;
    if (options->unsafe_math || options->fast_relaxed_math)
        bits |= SpvFPFastMathModeAllowRecipMask;
    if (options->fast_relaxed_math)
        bits |= SpvFPFastMathModeFastMask;
    return bits;
}

static void add_source(struct emit *e)
{
    const char *name = e->front->args->file_name ? e->front->args->file_name : "<source>";
    spv_id file = spv_add_string(e->module, name);
    const uint32_t words[] = {SpvSourceLanguageOpenCL_C, language_version(e), file};
    struct spv_inst *string = spv_def(e->module, file);
    struct spv_inst *source = spv_inst_create(e->module, SpvOpSource, 0, 0, 3, words);
    source->prev = string;
    source->next = string->next;
    if (string->next)
        string->next->prev = source;
    else
        e->module->sections[SPV_SECTION_DEBUG].last = source;
    string->next = source;
}

/* Constants make types too, by ways that know no capabilities. */
static void add_width_capabilities(struct emit *e)
{
    bool int64 = false, int16 = false, int8 = false;
    spv_foreach_inst (inst, &e->module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpTypeInt)
            continue;
        int64 = int64 || inst->words[0] == 64;
        int16 = int16 || inst->words[0] == 16;
        int8 = int8 || inst->words[0] == 8;
    }
    if (int64)
        emit_capability(e, SpvCapabilityInt64);
    if (int16)
        emit_capability(e, SpvCapabilityInt16);
    if (int8)
        emit_capability(e, SpvCapabilityInt8);
}

struct emit *emit_begin(struct clc_front *front, struct spv_module *module, bool compile_only)
{
    struct emit *e = arena_new(front->arena, struct emit);
    *e = (struct emit){.front = front, .arena = front->arena, .module = module, .library = compile_only};
    e->layouts = (struct spv_layouts){.module = module, .arena = front->arena};
    e->fast_math = fast_math_bits(&front->options);
    emit_capability(e, SpvCapabilityAddresses);
    emit_capability(e, SpvCapabilityKernel);
    spv_import_ext_inst(module, "OpenCL.std");
    spv_set_memory_model(module, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    if (front->options.debug_info)
        add_source(e);
    return e;
}

bool emit_end(struct emit *e, const struct translation_unit *unit)
{
    e->unit = unit;
    find_definitions(e);
    if (e->open.function)
        emit_function(e, e->open.function);
    VEC(spv_id) ids = {0};
    for (uint32_t i = 0; i < unit->kernels.length; i++)
        vec_push(e->arena, &ids, emit_kernel(e, unit->kernels.data[i]));
    if (e->library)
        emit_externals(e);
    if (!unit->kernels.length) /* a module without entry points is a library to SPIR-V */
        emit_capability(e, SpvCapabilityLinkage);
    emit_queued(e);
    emit_block_kernels(e);
    add_width_capabilities(e);
    for (uint32_t i = 0; i < unit->kernels.length; i++)
        spv_add_entry_point(e->module, SpvExecutionModelKernel, ids.data[i], unit->kernels.data[i]->name->name,
                            e->interface.length, e->interface.data);
    emit_block_entries(e);
    add_texts(e);
    return e->streamed;
}
