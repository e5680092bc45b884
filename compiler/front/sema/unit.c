/* Kernels and the end of the translation unit: restrictions on kernel parameters, undefined functions, recursion, and
 * the lists that emission starts from. OpenCL C 3.0, 6.9.1 (kernels), 6.11 (restrictions). */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"

static bool forbidden_name(const struct decl *sugar)
{
    static const char *const names[] = {"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"};
    for (; sugar && sugar->name; sugar = sugar->type.sugar)
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            if (!strcmp(sugar->name->name, names[i]))
                return true;
    return false;
}

/* The first field, however deep, that a kernel parameter's record may not have. */
static const struct field *forbidden_field(struct sema *s, const struct type *record, bool *is_pointer)
{
    for (uint32_t i = 0; i < record->record.num_fields; i++) {
        const struct field *field = &record->record.fields[i];
        const struct type *type = field->type.type;
        while (type->kind == TYPE_ARRAY)
            type = type->array.element.type;
        /* OpenCL C 1.2, 6.9.p. From 2.0 on a structure may bring addresses that host and device share. */
        *is_pointer = type->kind == TYPE_POINTER;
        if (*is_pointer && s->front->options.std >= CLC_STD_20 && !type_is_opaque(type->pointer.pointee.type) &&
            (type->pointer.pointee.address_space == AS_GLOBAL || type->pointer.pointee.address_space == AS_CONSTANT ||
             type->pointer.pointee.address_space == AS_GENERIC)) {
            *is_pointer = false;
            continue;
        }
        bool bad =
            type->kind == TYPE_BOOL || (type->kind == TYPE_HALF && !s->fp16) || type_is_opaque(type) || *is_pointer;
        if (bad || (!field->type.sugar_depth && forbidden_name(field->type.sugar)))
            return field;
        if (type_is_record(type)) {
            const struct field *inner = forbidden_field(s, type, is_pointer);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static void check_pointer_parameter(struct sema *s, const struct decl *param)
{
    struct qual_type target = param->type.type->pointer.pointee;
    if (target.address_space == AS_PRIVATE || target.address_space == AS_GENERIC) {
        pp_error(
            s->front, param->loc,
            "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space");
        return;
    }
    /* 6.11.a: from 2.0 on pointers to pointers are allowed */
    if (target.type->kind == TYPE_POINTER) {
        struct qual_type inner = target.type->pointer.pointee;
        if (s->front->options.std < CLC_STD_20)
            pp_error(s->front, param->loc, "kernel parameter cannot be declared as a pointer to a pointer");
        else if (inner.address_space == AS_PRIVATE || inner.address_space == AS_GENERIC)
            pp_error(
                s->front, param->loc,
                "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address "
                "space");
    }
}

static void check_record_parameter(struct sema *s, const struct decl *param)
{
    bool is_pointer = false;
    const struct field *field = forbidden_field(s, param->type.type, &is_pointer);
    if (!field)
        return;
    if (is_pointer)
        pp_error(s->front, param->loc, "%s parameters may not contain pointers",
                 param->type.type->kind == TYPE_UNION ? "union kernel" : "struct kernel");
    else
        pp_error(s->front, param->loc, "%s cannot be used as the type of a kernel parameter",
                 type_quote(s, param->type));
    pp_note(s->front, field->loc, "field of illegal type %s declared here", type_quote(s, field->type));
}

static void check_parameter(struct sema *s, const struct decl *param)
{
    const struct type *type = param->type.type;
    if (type->kind == TYPE_POINTER) {
        check_pointer_parameter(s, param);
        return;
    }
    bool bad = type->kind == TYPE_BOOL || type->kind == TYPE_EVENT || type->kind == TYPE_CLK_EVENT ||
               type->kind == TYPE_RESERVE_ID || type->kind == TYPE_NDRANGE || type->kind == TYPE_BLOCK ||
               type->kind == TYPE_MATRIX || (!param->type.sugar_depth && forbidden_name(param->type.sugar));
    if (bad)
        pp_error(s->front, param->loc, "%s cannot be used as the type of a kernel parameter",
                 type_quote(s, param->type));
    else if (type_is_record(type))
        check_record_parameter(s, param);
}

void sema_check_kernel(struct sema *s, struct decl *function)
{
    const struct type *result = function->type.type->function.result.type;
    if (result->kind != TYPE_VOID && !is_poison(result))
        pp_error(s->front, function->loc, "kernel must have void return type");
    if (function->storage == STORAGE_STATIC)
        pp_error(s->front, function->loc, "kernel functions cannot be declared static");
    if (function->first == function)
        for (const struct decl *param = function->fn.params; param; param = param->next)
            if (!param->invalid)
                check_parameter(s, param);
}

/* ---- the call graph ---- */

struct frame {
    struct decl *function;
    uint32_t next; /* callee to visit */
};

static struct decl *definition_of(const struct decl *function)
{
    return function->first->fn.definition;
}

typedef VEC(struct decl *) decl_list;

/* Depth first without recursion of our own: 6.11.i forbids the program's. Blocks that the functions make are pushed on
 * made: an enqueued block starts a kernel of its own, so that it may enqueue itself. */
static void walk_calls(struct sema *s, struct decl *root, decl_list *made)
{
    VEC(struct frame) path = {0};
    vec_push(s->arena, &path, (struct frame){root, 0});
    root->fn.reach = ON_PATH;
    while (path.length) {
        struct frame *frame = &vec_last(&path);
        if (frame->next >= frame->function->fn.callees.length) {
            frame->function->fn.reach = DONE;
            for (uint32_t i = 0; i < frame->function->fn.blocks.length; i++)
                vec_push(s->arena, made, frame->function->fn.blocks.data[i]);
            path.length--;
            continue;
        }
        struct decl *called = frame->function->fn.callees.data[frame->next++], *callee = definition_of(called);
        if (called->fn.flags & FN_BLOCK)
            callee = called;
        if (!callee)
            continue;
        if (callee->fn.reach == ON_PATH) {
            pp_error(s->front, callee->loc, "recursion is not supported in OpenCL: '%s' calls itself%s",
                     callee->name ? callee->name->name : "block",
                     callee == frame->function ? "" : " through other functions");
            if (callee != frame->function)
                pp_note(s->front, frame->function->loc, "called from '%s'",
                        frame->function->name ? frame->function->name->name : "block");
            callee->fn.reach = DONE;
        } else if (callee->fn.reach == UNSEEN) {
            callee->fn.reach = ON_PATH;
            vec_push(s->arena, &path, (struct frame){callee, 0});
        }
    }
}

static void walk(struct sema *s, struct decl *root)
{
    decl_list work = {0};
    vec_push(s->arena, &work, root);
    while (work.length) {
        struct decl *next = vec_pop(&work);
        if (next->fn.reach == UNSEEN)
            walk_calls(s, next, &work);
    }
}

static struct stmt *new_statement(struct sema *s, enum stmt_kind kind, struct expr *expr)
{
    struct stmt *stmt = arena_new(s->arena, struct stmt);
    stmt->kind = kind;
    stmt->loc = expr ? expr->loc : 0;
    stmt->expr = expr;
    return stmt;
}

/* float sin(float); in a program repeats the prototype of a built-in function. Where the program has no body for it, it
 * gets the body return sin(x);. Returns false when no built-in function has these types. */
static bool define_by_builtin(struct sema *s, struct decl *function)
{
    const struct builtin *builtin = clc_builtin_find(s->front, function->name);
    const struct type *type = function->type.type, *result = type->function.result.type;
    uint32_t num_args = 0;
    struct expr *args[8];
    struct src_range range = {function->loc, function->loc};
    if (!builtin || type->function.variadic || type->function.num_params > ARRAY_LENGTH(args))
        return false;
    struct arena *nodes = s->front->nodes;
    s->front->nodes = s->arena;
    for (struct decl *param = function->fn.params; param && num_args < type->function.num_params; param = param->next)
        args[num_args++] = clc_rvalue(s->front, expr_decl(s, param, function->loc, range));
    struct expr *call = NULL;
    if (num_args == type->function.num_params && clc_builtin_fits_exactly(s->front, builtin, args, num_args))
        call = clc_builtin_call(s->front, builtin, function->loc, range, args, num_args);
    s->front->nodes = nodes;
    if (!call || expr_poison(call) || !clc_type_equal(call->type.type, result))
        return false;
    struct stmt *body = new_statement(s, STMT_BLOCK, NULL);
    body->block.first = new_statement(s, result->kind == TYPE_VOID ? STMT_EXPR : STMT_RETURN, call);
    function->fn.body = body;
    function->fn.definition = function->first->fn.definition = function;
    function->storage = STORAGE_STATIC; /* nobody else's: other programs have the library themselves */
    return true;
}

static void check_undefined(struct sema *s)
{
    bool compile_only = s->front->args && s->front->args->compile_only;
    for (uint32_t i = 0; i < s->definitions.length; i++) {
        const struct decl *function = s->definitions.data[i];
        if (function->fn.reach == UNSEEN)
            continue;
        for (uint32_t n = 0; n < function->fn.callees.length; n++) {
            struct decl *callee = function->fn.callees.data[n];
            if (definition_of(callee) || callee->fn.flags & FN_BLOCK || callee->referenced_deep)
                continue;
            /* other programs may define it, but not by the name of the library's own */
            if (compile_only && !(callee->fn.flags & FN_OVERLOADABLE))
                continue;
            if (define_by_builtin(s, callee) || compile_only)
                continue;
            callee->referenced_deep = true;
            pp_error(s->front, callee->loc, "undefined reference to '%s': it is called but not defined",
                     callee->name->name);
        }
    }
}

static void collect_globals(struct sema *s)
{
    for (struct decl *decl = s->unit->first; decl; decl = decl->next) {
        bool first = decl->kind == DECL_VARIABLE && decl->first == decl && decl->var.file_scope && !decl->invalid;
        /* a library may be asked for what it does not use itself */
        if (first && (decl->used || (s->front->args && s->front->args->compile_only)))
            vec_push(s->arena, &s->unit->globals, decl);
    }
}

void sema_end_unit(struct sema *s)
{
    s->advice->unused_in_unit(s);
    for (uint32_t i = 0; i < s->unit->kernels.length; i++)
        if (s->unit->kernels.data[i]->fn.reach == UNSEEN)
            walk(s, s->unit->kernels.data[i]);
    for (uint32_t i = 0; i < s->definitions.length && s->front->args && s->front->args->compile_only; i++)
        if (s->definitions.data[i]->fn.reach == UNSEEN)
            walk(s, s->definitions.data[i]);
    check_undefined(s);
    collect_globals(s);
    sema_stream_rest(s);
}
