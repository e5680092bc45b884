/* Declarations: what a declarator means in its scope. Redeclarations, storage, address spaces of variables, functions
 * and their overloads, and the loops over declarations at file and block scope. OpenCL C 3.0, 6.7 (address spaces), 6.9
 * (functions), 6.11 (restrictions); C99, 6.7, 6.9. */
#include "compiler/front/sema/declare.h"

static void previous_here(struct sema *s, const struct decl *previous)
{
    if (previous->loc)
        pp_note(s->front, previous->loc, "previous %s is here",
                previous->kind == DECL_VARIABLE && previous->var.init ? "definition" : "declaration");
}

/* What this scope already knows under the name, or NULL. */
static struct decl *same_scope(struct sema *s, const struct ident *name)
{
    return name && name->decl && name->decl->scope_depth == s->scope_depth ? name->decl : NULL;
}

static bool different_kind(struct sema *s, const struct decl *previous, enum decl_kind kind, struct ident *name,
                           src_loc loc)
{
    if (!previous || previous->kind == kind || previous->invalid)
        return false;
    pp_error(s->front, loc, "redefinition of '%s' as different kind of symbol", name->name);
    previous_here(s, previous);
    return true;
}

/* ---- typedefs ---- */

static void restrict_use(struct sema *s, struct decl *decl, struct availability *availability)
{
    if (!availability)
        return;
    decl->restricted_use = true;
    sema_restrict(s, decl, availability);
}

static void check_attributes(struct sema *s, struct decl *decl, const struct decl_specs *specs,
                             const struct declarator *d, enum attribute_subject on)
{
    sema_check_attributes(s, &specs->attrs, on, decl->type);
    sema_check_attributes(s, &d->attrs, on, decl->type);
    restrict_use(s, decl, d->attrs.availability ? d->attrs.availability : specs->attrs.availability);
}

/* Whether a declaration is of the type that its specifiers name, or of arrays of it, and not of a pointer to it. */
static bool is_declared_type(const struct decl_specs *specs, const struct type *type)
{
    const struct type *base = specs->base.type.type;
    while (type != base && type->kind == TYPE_ARRAY)
        type = type->array.element.type;
    return type == base;
}

uint32_t sema_declared_align(const struct decl_specs *specs, const struct type *type)
{
    return specs->typedef_align && is_declared_type(specs, type) ? specs->typedef_align : type->align;
}

static struct decl *declare_typedef(struct sema *s, const struct decl_specs *specs, struct declarator *d)
{
    struct decl *previous = same_scope(s, d->name);
    struct decl *decl = sema_decl_new(s, DECL_TYPEDEF, d->name, d->type.type, d->loc);
    decl->alias.explicit_address_space = d->type.explicit_as;
    decl->alias.align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
    if (!decl->alias.align && is_declared_type(specs, d->type.type.type))
        decl->alias.align = specs->typedef_align;
    decl->invalid = is_poison(decl->type.type);
    decl->used = d->attrs.unused || specs->attrs.unused;
    check_attributes(s, decl, specs, d, SUBJECT_TYPEDEF);
    if (specs->is_kernel)
        pp_error(s->front, specs->kernel_loc, "'__kernel' attribute only applies to functions");
    /* an anonymous struct takes the name of its first typedef, for messages and argument types */
    if (different_kind(s, previous, DECL_TYPEDEF, d->name, d->loc))
        return decl;
    if (previous && !decl->invalid && !previous->invalid && !qual_type_same(previous->type, decl->type)) {
        pp_error(s->front, d->loc, "typedef redefinition with different types (%s vs %s)", type_quote(s, decl->type),
                 type_quote(s, previous->type));
        previous_here(s, previous);
        return decl;
    }
    if (previous && previous->loc && !decl->invalid && !previous->invalid) {
        pp_warning(s->front, DIAG_GROUP_TYPEDEF_REDEFINITION, d->loc, "redefinition of typedef '%s' is a C11 feature",
                   d->name->name);
        previous_here(s, previous);
    }
    sema_scope_add(s, decl);
    return decl;
}

/* ---- variables ---- */

void sema_note_forward(struct sema *s, const struct type *type)
{
    const struct decl *tag = type_is_record(type) ? type->record.tag : NULL;
    if (tag && tag->name && tag->loc)
        pp_note(s->front, tag->loc, "forward declaration of %s", type_quote(s, qt(type)));
}

static bool check_variable_type(struct sema *s, struct decl *variable, bool file_scope)
{
    const struct type *type = variable->type.type, *element = sema_innermost(type);
    bool incomplete = type->incomplete && type->kind != TYPE_ARRAY && variable->storage != STORAGE_EXTERN;
    if (type->kind == TYPE_VOID || incomplete) {
        pp_error(s->front, variable->loc, "variable has incomplete type %s", type_quote(s, variable->type));
        sema_note_forward(s, type);
        return false;
    }
    if (element->kind == TYPE_IMAGE || element->kind == TYPE_PIPE) {
        pp_error(s->front, variable->loc, "type %s can only be used as a function parameter in OpenCL",
                 type_quote(s, qt(element)));
        return false;
    }
    if (element->kind == TYPE_HALF && !s->fp16) {
        pp_error(s->front, variable->loc, "declaring variable of type '%s%s' is not allowed",
                 variable->type.address_space == AS_PRIVATE ? "__private " : "",
                 clc_type_text(s->front, variable->type));
        return false;
    }
    if (element->kind == TYPE_MATRIX && !sema_check_matrix_variable(s, variable, element, file_scope))
        return false;
    bool event_like = element->kind == TYPE_EVENT || element->kind == TYPE_QUEUE || element->kind == TYPE_CLK_EVENT ||
                      element->kind == TYPE_RESERVE_ID;
    if (file_scope && event_like) {
        pp_error(s->front, variable->loc, "the %s type cannot be used to declare a program scope variable",
                 type_quote(s, qt(element)));
        return false;
    }
    bool is_shared = variable->type.address_space != AS_PRIVATE || variable->storage != STORAGE_NONE;
    if (type->kind == TYPE_EVENT && is_shared) {
        pp_error(s->front, variable->loc, "the event_t type can only be used with __private address space qualifier");
        return false;
    }
    bool is_written = variable->type.address_space == AS_LOCAL || variable->type.address_space == AS_GLOBAL;
    if (element->kind == TYPE_SAMPLER && is_written) { /* OpenCL C 3.0, 6.15.15.1: constant, as what it is */
        pp_error(s->front, variable->loc,
                 "sampler type cannot be used with the __local and __global address space qualifiers");
        return false;
    }
    return true;
}

static void bad_space(struct sema *s, const struct decl *variable, const char *what, const char *allowed)
{
    pp_error(s->front, variable->loc, "%s variable must reside in %s address space", what, allowed);
}

/* OpenCL C 3.0, 6.7.1-6.7.4: program scope, static and extern. */
static bool static_space(struct sema *s, struct decl *variable, bool explicit_as, const char *what)
{
    struct qual_type *type = &variable->type;
    bool sampler = sema_innermost(type->type)->kind == TYPE_SAMPLER;
    const char *allowed = s->program_scope_global ? "global or constant" : "constant";
    if (sampler) {
        if (!(type->quals & QUAL_CONST) && !(explicit_as && type->address_space == AS_CONSTANT)) {
            pp_error(s->front, variable->loc, "global sampler requires a const or constant address space qualifier");
            return false;
        }
        type->address_space = AS_CONSTANT;
        return true;
    }
    if (!explicit_as) {
        if (!s->program_scope_global) {
            bad_space(s, variable, what, allowed);
            return false;
        }
        type->address_space = AS_GLOBAL;
        return true;
    }
    if (type->address_space == AS_CONSTANT || (type->address_space == AS_GLOBAL && s->program_scope_global))
        return true;
    bad_space(s, variable, what, allowed);
    return false;
}

static bool block_space(struct sema *s, struct decl *variable)
{
    struct decl *function = s->function->decl;
    uint8_t space = variable->type.address_space;
    if (space == AS_PRIVATE)
        return true;
    if (space == AS_GLOBAL || space == AS_GENERIC) {
        pp_error(s->front, variable->loc, "function scope variable cannot be declared in %s address space",
                 space == AS_GLOBAL ? "global" : "generic");
        return false;
    }
    const char *name = space == AS_LOCAL ? "local" : "constant";
    if (!(function->fn.flags & FN_KERNEL)) {
        pp_error(s->front, variable->loc, "non-kernel function variable cannot be declared in %s address space", name);
        return false;
    }
    /* clang refuses inner scopes; the specification only asks for kernels, so it is a warning here */
    if (s->scope_depth != s->function->scope_depth)
        pp_warning(s->front, DIAG_GROUP_PEDANTIC, variable->loc,
                   "variables in the %s address space can only be declared in the outermost scope of a kernel function",
                   name);
    return true;
}

static bool place_variable(struct sema *s, struct decl *variable, const struct declarator *d)
{
    bool file_scope = !s->function, is_static = variable->storage == STORAGE_STATIC;
    if (file_scope)
        return static_space(s, variable, d->type.explicit_as, "program scope");
    if (variable->storage == STORAGE_EXTERN)
        return static_space(s, variable, d->type.explicit_as, "extern");
    if (is_static) {
        variable->var.is_static_local = true;
        if (!pp_std_at_least(s->front, CLC_STD_20)) { /* OpenCL C 1.2, 6.8.g: functions and program scope only */
            pp_error(s->front, variable->loc, "variables in function scope cannot be declared static");
            return false;
        }
        return static_space(s, variable, d->type.explicit_as, "static local");
    }
    if (!block_space(s, variable))
        return false;
    if (variable->type.address_space == AS_CONSTANT)
        variable->var.is_static_local = true;
    if (variable->type.address_space == AS_LOCAL)
        vec_push(s->arena, &s->function->decl->fn.locals, variable);
    return true;
}

static void merge_variable(struct sema *s, struct decl *variable, struct decl *previous)
{
    struct decl *first = previous->first;
    if (!variable->var.file_scope && variable->storage != STORAGE_EXTERN) {
        bool same = qual_type_same(variable->type, first->type);
        pp_error(s->front, variable->loc, "redefinition of '%s'%s%s%s%s", variable->name->name,
                 same ? "" : " with a different type: ", same ? "" : type_quote(s, variable->type), same ? "" : " vs ",
                 same ? "" : type_quote(s, first->type));
        previous_here(s, previous);
        variable->invalid = true;
        return;
    }
    if (!qual_type_same(variable->type, first->type)) {
        pp_error(s->front, variable->loc, "redefinition of '%s' with a different type: %s vs %s", variable->name->name,
                 type_quote(s, variable->type), type_quote(s, first->type));
        previous_here(s, previous);
        return;
    }
    if (first->type.type->incomplete)
        first->type.type = variable->type.type;
    else if (variable->type.type->incomplete)
        variable->type.type = first->type.type;
    if (variable->storage != STORAGE_EXTERN && first->storage == STORAGE_EXTERN)
        first->storage = variable->storage;
    variable->first = first;
    variable->used = first->used;
}

static struct decl *declare_variable(struct sema *s, const struct decl_specs *specs, struct declarator *d)
{
    struct decl *variable = sema_decl_new(s, DECL_VARIABLE, d->name, d->type.type, d->loc);
    variable->storage = specs->storage;
    variable->var.file_scope = !s->function || specs->storage == STORAGE_EXTERN;
    variable->var.align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
    if (is_declared_type(specs, d->type.type.type) && variable->var.align < specs->typedef_align)
        variable->var.align = specs->typedef_align;
    if (specs->is_kernel)
        pp_error(s->front, specs->kernel_loc, "'__kernel' attribute only applies to functions");
    if (specs->is_inline)
        pp_error(s->front, specs->inline_loc, "'inline' can only appear on functions");
    variable->used = d->attrs.unused || specs->attrs.unused;
    variable->var.num_refs = variable->used;
    check_attributes(s, variable, specs, d, SUBJECT_VARIABLE);
    variable->invalid = is_poison(variable->type.type);
    if (!variable->invalid && (!check_variable_type(s, variable, !s->function) || !place_variable(s, variable, d)))
        variable->invalid = true;
    struct decl *previous = same_scope(s, d->name);
    if (different_kind(s, previous, DECL_VARIABLE, d->name, d->loc))
        return variable;
    if (previous && !previous->invalid && !variable->invalid)
        merge_variable(s, variable, previous);
    if (variable->first == variable)
        sema_scope_add(s, variable);
    return variable;
}

/* After its initialiser: sizes are known now. */
void sema_variable_complete(struct sema *s, struct decl *variable, bool initialized)
{
    struct decl *first = variable->first;
    if (variable->invalid)
        return;
    if (variable->var.file_scope && !first->var.init)
        s->keep_tree = true;
    const struct type *type = variable->type.type;
    if (type->kind == TYPE_ARRAY && type->incomplete && variable->storage != STORAGE_EXTERN) {
        if (variable->var.file_scope) { /* C99, 6.9.2: one element, unless a later declaration says more */
            variable->type.type = clc_type_array(s->front, type->array.element, 1);
            if (first->type.type->incomplete)
                first->type.type = variable->type.type;
        } else {
            pp_error(s->front, variable->loc,
                     "definition of variable with array type needs an explicit size or an initializer");
            variable->invalid = true;
            return;
        }
    }
    if (!variable->var.align || variable->var.align < variable->type.type->align)
        variable->var.align = variable->type.type->align;
    first->var.align = first->var.align > variable->var.align ? first->var.align : variable->var.align;
    bool needs_init = variable->type.address_space == AS_CONSTANT && variable->storage != STORAGE_EXTERN &&
                      !variable->var.init && !first->var.init;
    if (needs_init)
        pp_error(s->front, variable->loc, "variable in constant address space must be initialized");
    if (variable->var.init && variable->type.quals & QUAL_ATOMIC && variable->type.address_space != AS_GLOBAL)
        pp_error(s->front, variable->loc,
                 "atomic variable can be initialized to a variable only in global address space");
    if (variable->type.type->kind == TYPE_SAMPLER && !variable->var.init && !initialized && !variable->var.file_scope)
        pp_error(s->front, variable->loc, "sampler_t variable must be initialized");
    if (variable->type.type->kind == TYPE_BLOCK && !variable->var.init && !initialized)
        pp_error(s->front, variable->loc, "invalid block variable declaration - must be initialized");
    if (variable->var.is_static_local)
        vec_push(s->arena, &s->unit->globals, variable);
}

/* ---- functions ---- */

/* OpenCL C 3.0, 6.13.3: hints and sizes are a kernel's. */
static void check_kernel_attributes(struct sema *s, const struct attributes *attrs)
{
    const char *name = attrs->has_reqd             ? "reqd_work_group_size"
                       : attrs->has_hint           ? "work_group_size_hint"
                       : attrs->vec_type_hint.type ? "vec_type_hint"
                       : attrs->reqd_subgroup      ? "intel_reqd_sub_group_size"
                                                   : NULL;
    if (name)
        pp_error(s->front, attrs->loc, "attribute '%s' can only be applied to an OpenCL kernel function", name);
}

static void apply_function_attributes(struct sema *s, struct decl *function, const struct decl_specs *specs,
                                      const struct declarator *d)
{
    struct attributes all = specs->attrs;
    sema_merge_attributes(&all, &d->attrs);
    if (!specs->is_kernel)
        check_kernel_attributes(s, &all);
    function->fn.flags |= all.flags;
    if (specs->is_kernel)
        function->fn.flags |= FN_KERNEL;
    if (specs->is_inline)
        function->fn.flags |= FN_INLINE;
    if (all.has_reqd) {
        function->fn.has_reqd = true;
        memcpy(function->fn.reqd_work_group_size, all.reqd, sizeof(all.reqd));
    }
    if (all.has_hint) {
        function->fn.has_hint = true;
        memcpy(function->fn.work_group_size_hint, all.hint, sizeof(all.hint));
    }
    if (all.reqd_subgroup)
        function->fn.reqd_sub_group_size = all.reqd_subgroup;
    if (all.vec_type_hint.type)
        function->fn.vec_type_hint = all.vec_type_hint;
    function->used |= all.unused;
    function->fn.nosvm |= all.nosvm;
    function->fn.warn_unused |= all.warn_unused;
    restrict_use(s, function, all.availability);
    sema_check_attributes(s, &specs->attrs, SUBJECT_FUNCTION, function->type);
    sema_check_attributes(s, &d->attrs, SUBJECT_FUNCTION, function->type);
}

static void inherit(struct decl *function, struct decl *from)
{
    function->fn.flags |= from->fn.flags & ~(uint32_t)FN_CONTRACT_OFF;
    from->fn.flags |= function->fn.flags;
    if (from->fn.has_reqd && !function->fn.has_reqd) {
        function->fn.has_reqd = true;
        memcpy(function->fn.reqd_work_group_size, from->fn.reqd_work_group_size, sizeof(from->fn.reqd_work_group_size));
    }
    if (from->fn.has_hint && !function->fn.has_hint) {
        function->fn.has_hint = true;
        memcpy(function->fn.work_group_size_hint, from->fn.work_group_size_hint, sizeof(from->fn.work_group_size_hint));
    }
    if (!function->fn.reqd_sub_group_size)
        function->fn.reqd_sub_group_size = from->fn.reqd_sub_group_size;
    if (!function->fn.vec_type_hint.type)
        function->fn.vec_type_hint = from->fn.vec_type_hint;
    function->fn.nosvm |= from->fn.nosvm;
    function->fn.warn_unused |= from->fn.warn_unused;
    function->restricted_use |= from->restricted_use;
    function->used |= from->used;
    function->fn.definition = from->fn.definition;
    if (from->storage == STORAGE_STATIC)
        function->storage = STORAGE_STATIC;
}

static bool same_parameters(const struct type *a, const struct type *b)
{
    if (a->function.num_params != b->function.num_params || a->function.variadic != b->function.variadic)
        return false;
    for (uint32_t i = 0; i < a->function.num_params; i++)
        if (!clc_type_equal(a->function.params[i].type, b->function.params[i].type))
            return false;
    return true;
}

static void conflicting(struct sema *s, struct decl *function, struct decl *previous, const char *text)
{
    pp_error(s->front, function->loc, text, function->name->name);
    previous_here(s, previous);
    function->invalid = true;
}

/* Links a function to what its name already means. */
static void merge_function(struct sema *s, struct decl *function, struct decl *previous)
{
    bool overloadable = (function->fn.flags | previous->fn.flags) & FN_OVERLOADABLE;
    struct decl *same = NULL;
    for (struct decl *f = previous; f && !same; f = f->overload)
        if (same_parameters(f->type.type, function->type.type))
            same = f;
    if (!same && overloadable) {
        /* like clang: one of a set may lack the attribute */
        struct decl *unmarked = NULL;
        for (struct decl *f = previous; f && !unmarked && !(function->fn.flags & FN_OVERLOADABLE); f = f->overload)
            unmarked = f->fn.flags & FN_OVERLOADABLE ? NULL : f;
        if (unmarked) {
            pp_error(s->front, function->loc,
                     "at most one overload for a given name may lack the 'overloadable' attribute");
            pp_note(s->front, unmarked->loc, "previous unmarked overload of function is here");
        }
        function->overload = previous;
        sema_scope_add(s, function);
        return;
    }
    if (!same || !clc_type_equal(same->type.type->function.result.type, function->type.type->function.result.type)) {
        conflicting(s, function, same ? same : previous,
                    overloadable && same ? "functions '%s' that differ only in their return type cannot be overloaded"
                                         : "conflicting types for '%s'");
        return;
    }
    struct decl *first = same->first;
    if ((function->fn.flags & FN_OVERLOADABLE) && !(first->fn.flags & FN_OVERLOADABLE) && first->fn.body) {
        conflicting(s, function, first, "redeclaration of '%s' must not have the 'overloadable' attribute");
        return;
    }
    inherit(function, first);
    function->first = first;
}

static bool may_be_variadic(const struct ident *name)
{
    return !strcmp(name->name, "printf");
}

/* What it is was not understood: nothing to compare with. */
static bool is_doubtful(const struct decl *function)
{
    const struct type *type = function->type.type;
    bool doubtful = function->invalid || type->kind != TYPE_FUNCTION;
    for (uint32_t i = 0; !doubtful && i < type->function.num_params; i++)
        doubtful = is_poison(type->function.params[i].type);
    return doubtful;
}

static struct decl *declare_function(struct sema *s, const struct decl_specs *specs, struct declarator *d)
{
    struct decl *function = sema_decl_new(s, DECL_FUNCTION, d->name, d->type.type, d->loc);
    struct decl *previous = d->name->decl;
    function->storage = specs->storage;
    function->fn.params = d->params;
    function->fn.num_params = d->num_params;
    apply_function_attributes(s, function, specs, d);
    if (function->type.type->function.variadic && !may_be_variadic(d->name))
        pp_error(s->front, d->loc, "invalid prototype, variadic arguments are not allowed in OpenCL");
    if (is_poison(function->type.type->function.result.type))
        function->invalid = true;
    if (d->type.explicit_as) /* by a typedef; else it belongs to what the function returns */
        pp_error(s->front, d->loc, "function type may not be qualified with an address space");
    if (specs->is_kernel && s->function)
        pp_error(s->front, specs->kernel_loc, "kernel functions can only be declared at file scope");
    if (!strcmp(d->name->name, "main"))
        pp_error(s->front, d->loc, "%s cannot be called 'main'", specs->is_kernel ? "kernel" : "function");
    if (specs->storage == STORAGE_STATIC && s->function)
        pp_error(s->front, specs->storage_loc, "function declared in block scope cannot have 'static' storage class");
    if (previous && previous->kind != DECL_FUNCTION && previous->scope_depth == s->scope_depth) {
        different_kind(s, previous, DECL_FUNCTION, d->name, d->loc);
        function->invalid = true;
        return function;
    }
    bool undeclared = previous && is_poison(previous->type.type); /* a call put it there, see call_undeclared() */
    bool doubtful = is_doubtful(function) || (previous && previous->kind == DECL_FUNCTION && is_doubtful(previous));
    if (previous && previous->kind == DECL_FUNCTION && !undeclared && !doubtful)
        merge_function(s, function, previous);
    else
        sema_scope_add(s, function);
    if (function->first == function && !function->invalid && !function->overload && function->name->decl != function)
        sema_scope_add(s, function);
    function->fn.mangled =
        (function->fn.flags & FN_OVERLOADABLE) ? clc_mangle(s->front, d->name, function->type.type) : d->name->name;
    function->first->fn.mangled = function->fn.mangled;
    if (function->fn.flags & FN_KERNEL)
        sema_check_kernel(s, function);
    return function;
}

struct decl *sema_declare(struct sema *s, const struct decl_specs *specs, struct declarator *d)
{
    if (!specs->is_typedef && d->type.type.type->kind == TYPE_FUNCTION)
        return declare_function(s, specs, d);
    return specs->is_typedef ? declare_typedef(s, specs, d) : declare_variable(s, specs, d);
}
