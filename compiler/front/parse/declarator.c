/* Declarators: the parts around a name, read from the name outwards, then applied to the base type. C99, 6.7.5; OpenCL
 * C 3.0, 6.7.
 *
 *   declarator = (("*" | "^") qualifiers)* (name | "(" declarator ")")? ("[" size "]" | "(" parameters ")")* */
#include "compiler/front/parse/parse.h"
#include "compiler/front/sema/names.h"

enum part_kind { PART_POINTER, PART_BLOCK, PART_ARRAY, PART_FUNCTION };

struct part {
    enum part_kind kind;
    src_loc loc;
    uint8_t quals;
    int address_space; /* of a pointer itself; -1: not said */
    /* array */
    uint64_t count;
    bool unknown_size, bad;
    /* function */
    struct decl *params;
    uint32_t num_params;
    bool variadic;
    struct attributes attrs;
};

struct part_list {
    VEC(struct part) parts; /* from the name outwards */
};

static void parse_parts(struct sema *s, struct part_list *list, struct declarator *d, bool allow_name);

/* qualifiers after "*" */
static void parse_pointer_quals(struct sema *s, struct part *part)
{
    for (;;) {
        switch (s->tok.kind) {
        case TOKEN_CONST:
            part->quals |= QUAL_CONST;
            break;
        case TOKEN_VOLATILE:
            part->quals |= QUAL_VOLATILE;
            break;
        case TOKEN_RESTRICT:
            part->quals |= QUAL_RESTRICT;
            break;
        case TOKEN_GLOBAL:
            part->address_space = AS_GLOBAL;
            break;
        case TOKEN_LOCAL:
            part->address_space = AS_LOCAL;
            break;
        case TOKEN_CONSTANT:
            part->address_space = AS_CONSTANT;
            break;
        case TOKEN_PRIVATE:
            part->address_space = AS_PRIVATE;
            break;
        case TOKEN_GENERIC:
            part->address_space = AS_GENERIC;
            break;
        case TOKEN_ATTRIBUTE:
            parse_attributes(s, &part->attrs);
            continue;
        default:
            return;
        }
        parse_next(s);
    }
}

static void parse_array(struct sema *s, struct part *part)
{
    struct expr *size;
    part->kind = PART_ARRAY;
    parse_next(s);
    while (s->tok.kind == TOKEN_STATIC || s->tok.kind == TOKEN_CONST || s->tok.kind == TOKEN_VOLATILE ||
           s->tok.kind == TOKEN_RESTRICT) {
        if (s->tok.kind == TOKEN_CONST)
            part->quals |= QUAL_CONST;
        else if (s->tok.kind == TOKEN_RESTRICT)
            part->quals |= QUAL_RESTRICT;
        parse_next(s);
    }
    if (s->tok.kind == TOKEN_RIGHT_BRACKET) {
        part->unknown_size = true;
        parse_next(s);
        return;
    }
    sema_enter(s, part->loc);
    size = parse_assignment(s);
    sema_leave(s);
    if (!expr_poison(size))
        size = clc_rvalue(s->front, size);
    if (expr_poison(size)) {
        part->bad = true;
    } else if (!type_is_integer(size->type.type)) {
        pp_error_range(s->front, size->loc, size->range, "size of array has non-integer type %s",
                       type_quote_expr(s, size));
        part->bad = true;
    } else if (!size->is_constant || size->float_value) {
        /* OpenCL C 3.0, 6.11.d */
        pp_error_range(s->front, size->loc, size->range, "variable length arrays are not supported in OpenCL");
        part->bad = true;
    } else if ((int64_t)size->integer < 0 && type_is_signed(size->type.type)) {
        pp_error_range(s->front, size->loc, size->range, "array declared with a negative size");
        part->bad = true;
    } else {
        part->count = size->integer;
    }
    part->bad |= parse_misses_closing(s, TOKEN_RIGHT_BRACKET, part->loc, size);
}

/* ---- parameters ---- */

static void adjust_parameter(struct sema *s, struct declarator *d, struct qual_type *type)
{
    if (type->type->kind == TYPE_ARRAY) {
        struct qual_type element = type_array_element(*type);
        if (sema_innermost(element.type)->kind == TYPE_MATRIX) {
            pp_error(s->front, d->loc, "pointer to type %s is invalid in OpenCL", type_quote(s, element));
            *type = s->poison->type;
            return;
        }
        if (!d->type.explicit_as)
            element.address_space = s->generic_as ? AS_GENERIC : AS_PRIVATE;
        *type = type_derived(element, clc_type_pointer(s->front, element));
        return;
    }
    if (type->type->kind == TYPE_FUNCTION) {
        if (!is_poison(type->type->function.result.type))
            pp_error(s->front, d->loc, "pointers to functions are not allowed");
        *type = s->poison->type;
    } else if (d->type.explicit_as && type->address_space != AS_PRIVATE) {
        pp_error(s->front, d->loc, "parameter may not be qualified with an address space");
        *type = s->poison->type;                 /* a '*' is missing, mostly */
    } else if (type->type->kind == TYPE_BLOCK) { /* 6.14.1 */
        pp_error(s->front, d->loc, "declaring function parameter of type %s is not allowed", type_quote(s, *type));
        *type = s->poison->type;
    } else if (type->type->kind == TYPE_VOID) {
        pp_error(s->front, d->loc, "argument may not have 'void' type");
        *type = s->poison->type;
    } else if (type_element(type->type)->kind == TYPE_HALF && type->type->kind == TYPE_HALF && !s->fp16) {
        pp_error(s->front, d->loc,
                 "declaring function parameter of type '__private half' is not allowed; did you forget * ?");
    }
    type->address_space = AS_PRIVATE;
}

static bool is_unknown_name(struct sema *s)
{
    enum token_kind next = parse_peek(s, 1)->kind;
    return s->tok.kind == TOKEN_IDENTIFIER && !parse_is_type_start(s, &s->tok) &&
           (next == TOKEN_COMMA || next == TOKEN_RIGHT_PAREN);
}

static struct decl *parse_parameter(struct sema *s, uint32_t index)
{
    struct decl_specs specs;
    struct declarator d = {0};
    if (is_unknown_name(s)) {
        struct suggestion near = sema_suggest(s, s->tok.ident, SUGGEST_TYPE);
        if (near.name) {
            parse_unknown_type(s, s->tok.ident, s->tok.loc);
            specs = (struct decl_specs){.loc = s->tok.loc, .base.type = s->poison->type};
            parse_next(s);
        } else {
            pp_warning(s->front, DIAG_GROUP_IMPLICIT_INT, s->tok.loc, "type specifier missing, defaults to 'int'");
            specs = (struct decl_specs){.loc = s->tok.loc, .base.type = qt(type_scalar(s, TYPE_INT)), .has_type = true};
        }
    } else {
        parse_decl_specs(s, &specs, false);
    }
    if (specs.is_typedef || specs.storage != STORAGE_NONE)
        pp_error(s->front, specs.storage_loc, "invalid storage class specifier in function declarator");
    if (specs.is_kernel)
        pp_error(s->front, specs.kernel_loc, "'__kernel' attribute only applies to functions");
    if (specs.is_inline)
        pp_error(s->front, specs.inline_loc, "'inline' can only appear on functions");
    parse_declarator(s, &specs, &d, false, true);
    parse_attributes(s, &d.attrs);
    parse_apply_mode(s, &d.type.type, &d.attrs);
    struct qual_type type = d.type.type;
    adjust_parameter(s, &d, &type);
    struct decl *param = sema_decl_new(s, DECL_VARIABLE, d.name, type, d.name ? d.loc : specs.loc);
    param->used = d.attrs.unused || specs.attrs.unused;
    param->var.num_refs = param->used;
    sema_check_attributes(s, &specs.attrs, SUBJECT_PARAMETER, type);
    sema_check_attributes(s, &d.attrs, SUBJECT_PARAMETER, type);
    param->var.is_param = true;
    param->var.param_index = index;
    param->var.align = type.type->align;
    if (d.type.type.type->kind == TYPE_ARRAY)
        u64_map_set(s->arena, &s->array_params, (uint64_t)(uintptr_t)param, (void *)d.type.type.type);
    else if (u64_map_get(&s->array_params, (uint64_t)(uintptr_t)param)) /* of one that was freed since */
        u64_map_set(s->arena, &s->array_params, (uint64_t)(uintptr_t)param, NULL);
    if (d.name && d.name->decl && d.name->decl->kind == DECL_VARIABLE && d.name->decl->scope_depth == s->scope_depth) {
        pp_error(s->front, d.loc, "redefinition of parameter '%s'", d.name->name);
        pp_note(s->front, d.name->decl->loc, "previous declaration is here");
        param->name = NULL;
    }
    param->invalid = is_poison(type.type);
    sema_scope_add(s, param);
    return param;
}

static bool is_void_list(struct sema *s)
{
    return s->tok.kind == TOKEN_VOID && parse_peek(s, 1)->kind == TOKEN_RIGHT_PAREN;
}

/* ---- definitions without a prototype (C99, 6.9.1): f(a, b) int a; float b; { } ---- */

static struct decl *named_parameter(const struct part *part, const struct ident *name)
{
    struct decl *param = part->params;
    while (param && param->name != name)
        param = param->next;
    return param;
}

/* specifiers declarator ("," declarator)* ";" of the declarations between ")" and "{" */
static void parse_parameter_types(struct sema *s, const struct part *part)
{
    struct decl_specs specs;
    parse_decl_specs(s, &specs, false);
    do {
        struct declarator d = {0};
        parse_declarator(s, &specs, &d, true, true);
        parse_attributes(s, &d.attrs);
        struct decl *param = d.name ? named_parameter(part, d.name) : NULL;
        if (!param && d.name)
            pp_error(s->front, d.loc, "parameter named '%s' is missing", d.name->name);
        if (!param)
            continue;
        if (param->type.type)
            pp_error(s->front, d.loc, "redefinition of parameter '%s'", d.name->name);
        param->type = d.type.type;
        adjust_parameter(s, &d, &param->type);
        param->loc = d.loc;
    } while (parse_accept(s, TOKEN_COMMA));
    if (!parse_expect(s, TOKEN_SEMICOLON, "at end of declaration")) {
        parse_skip_to_semicolon(s);
        parse_accept(s, TOKEN_SEMICOLON);
    }
}

/* s->tok is the first name. */
static void parse_identifier_list(struct sema *s, struct part *part)
{
    struct decl **last = &part->params;
    do {
        if (s->tok.kind != TOKEN_IDENTIFIER) {
            pp_error(s->front, s->tok.loc, "expected identifier");
            parse_skip_until(s, TOKEN_RIGHT_PAREN);
            part->bad = true;
            break;
        }
        if (named_parameter(part, s->tok.ident))
            pp_error(s->front, s->tok.loc, "redefinition of parameter '%s'", s->tok.ident->name);
        struct decl *param = sema_decl_new(s, DECL_VARIABLE, s->tok.ident, qt(NULL), s->tok.loc);
        param->var.is_param = true;
        param->var.param_index = part->num_params;
        *last = param;
        last = &param->next;
        if (++part->num_params > SEMA_MAX_PARAMS)
            pp_fatal(s->front, s->tok.loc, "function with more than %d parameters", SEMA_MAX_PARAMS);
        parse_next(s);
    } while (parse_accept(s, TOKEN_COMMA));
    if (!parse_expect(s, TOKEN_RIGHT_PAREN, NULL)) {
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
        parse_accept(s, TOKEN_RIGHT_PAREN);
        part->bad = true;
    }
    bool defines = !s->function && (s->tok.kind == TOKEN_LEFT_BRACE || parse_is_type_start(s, &s->tok));
    if (defines)
        pp_warning(s->front, DIAG_GROUP_DEPRECATED_NON_PROTOTYPE, part->loc,
                   "a function definition without a prototype is deprecated in all versions of C");
    else if (!part->bad)
        pp_error(s->front, part->loc, "a parameter list without types is only allowed in a function definition");
    while (defines && parse_is_type_start(s, &s->tok))
        parse_parameter_types(s, part);
    for (struct decl *param = part->params; param; param = param->next) {
        if (!param->type.type && defines)
            pp_warning(s->front, DIAG_GROUP_IMPLICIT_INT, param->loc,
                       "parameter '%s' was not declared, defaults to 'int'", param->name->name);
        if (!param->type.type)
            param->type = qt(type_scalar(s, TYPE_INT));
        param->invalid = is_poison(param->type.type);
        param->var.align = param->type.type->align;
    }
}

/* "(" ("void" | parameter ("," parameter)* ("," "...")?)? ")" */
static void parse_parameters(struct sema *s, struct part *part)
{
    struct decl *last = NULL;
    part->kind = PART_FUNCTION;
    sema_enter(s, part->loc);
    parse_next(s);
    if (is_unknown_name(s)) {
        parse_identifier_list(s, part);
        sema_leave(s);
        return;
    }
    uint32_t mark = sema_scope_push(s);
    if (is_void_list(s))
        parse_next(s);
    while (s->tok.kind != TOKEN_RIGHT_PAREN && s->tok.kind != TOKEN_END) {
        if (parse_accept(s, TOKEN_ELLIPSIS)) {
            part->variadic = true;
            break;
        }
        if (s->tok.kind != TOKEN_ATTRIBUTE && !parse_is_type_start(s, &s->tok) && s->tok.kind != TOKEN_IDENTIFIER) {
            pp_error(s->front, s->tok.loc, "expected parameter declarator");
            part->bad = true;
            if (parse_accept(s, TOKEN_COMMA)) /* int a, , int b */
                continue;
            parse_skip_until(s, TOKEN_RIGHT_PAREN);
            break;
        }
        s->in_parameters++;
        struct decl *param = parse_parameter(s, part->num_params);
        s->in_parameters--;
        if (last)
            last->next = param;
        else
            part->params = param;
        last = param;
        if (++part->num_params > SEMA_MAX_PARAMS)
            pp_fatal(s->front, s->tok.loc, "function with more than %d parameters", SEMA_MAX_PARAMS);
        /* int a; int b: meant as a comma */
        if (s->tok.kind == TOKEN_SEMICOLON && !parse_peek(s, 1)->at_line_start &&
            parse_is_type_start(s, parse_peek(s, 1))) {
            pp_error(s->front, s->tok.loc, "expected ')'");
            pp_note(s->front, part->loc, "to match this '('");
            part->bad = true;
            parse_next(s);
            continue;
        }
        if (!parse_accept(s, TOKEN_COMMA))
            break;
        if (s->tok.kind == TOKEN_RIGHT_PAREN)
            pp_error(s->front, s->tok.loc, "expected parameter declarator");
    }
    sema_scope_pop(s, mark);
    sema_leave(s);
    if (!parse_expect(s, TOKEN_RIGHT_PAREN, NULL)) {
        pp_note(s->front, part->loc, "to match this '('");
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
        parse_accept(s, TOKEN_RIGHT_PAREN);
        part->bad = true;
    }
}

/* ---- the parts ---- */

static bool is_nested(struct sema *s, bool allow_name)
{
    const struct token *next = parse_peek(s, 1);
    if (next->kind == TOKEN_STAR || next->kind == TOKEN_CARET || next->kind == TOKEN_LEFT_PAREN ||
        next->kind == TOKEN_LEFT_BRACKET)
        return true;
    if (next->kind == TOKEN_RIGHT_PAREN || parse_is_type_start(s, next))
        return false;
    return allow_name && (next->kind == TOKEN_IDENTIFIER || next->kind == TOKEN_ATTRIBUTE);
}

static void parse_suffixes(struct sema *s, struct part_list *list)
{
    for (;;) {
        struct part part = {.loc = s->tok.loc, .address_space = -1};
        if (s->tok.kind == TOKEN_LEFT_BRACKET)
            parse_array(s, &part);
        else if (s->tok.kind == TOKEN_LEFT_PAREN)
            parse_parameters(s, &part);
        else
            return;
        vec_push(s->arena, &list->parts, part);
    }
}

static void parse_parts(struct sema *s, struct part_list *list, struct declarator *d, bool allow_name)
{
    VEC(struct part) pointers = {0};
    while (s->tok.kind == TOKEN_STAR || s->tok.kind == TOKEN_CARET) {
        struct part part = {.kind = s->tok.kind == TOKEN_STAR ? PART_POINTER : PART_BLOCK, .loc = s->tok.loc};
        part.address_space = -1;
        parse_next(s);
        parse_pointer_quals(s, &part);
        vec_push(s->arena, &pointers, part);
        if (pointers.length > SEMA_MAX_NESTING)
            pp_fatal(s->front, part.loc, "pointer nesting level exceeded maximum of %d", SEMA_MAX_NESTING);
    }
    parse_attributes(s, &d->attrs);
    d->loc = s->tok.loc;
    if (s->tok.kind == TOKEN_LEFT_PAREN && !d->name && is_nested(s, allow_name)) {
        src_loc open = s->tok.loc;
        sema_enter(s, open);
        parse_next(s);
        parse_parts(s, list, d, allow_name);
        sema_leave(s);
        if (!parse_expect(s, TOKEN_RIGHT_PAREN, NULL))
            pp_note(s->front, open, "to match this '('");
    } else if (s->tok.kind == TOKEN_IDENTIFIER && allow_name) {
        d->name = s->tok.ident;
        parse_next(s);
    }
    parse_suffixes(s, list);
    while (pointers.length)
        vec_push(s->arena, &list->parts, vec_pop(&pointers));
}

static void apply_pointer(struct sema *s, struct spec_type *type, const struct part *part)
{
    struct qual_type target = type->type;
    const struct type *pointee = target.type;
    if (!type->explicit_as)
        target.address_space = pointee->kind != TYPE_FUNCTION && s->generic_as ? AS_GENERIC : AS_PRIVATE;
    const struct type *element = pointee;
    while (element->kind == TYPE_ARRAY)
        element = element->array.element.type;
    struct qual_type result = s->poison->type;
    if (pointee->kind == TYPE_FUNCTION && part->kind == PART_POINTER) {
        if (!is_poison(pointee->function.result.type)) /* else something was said of it */
            pp_error(s->front, part->loc, "pointers to functions are not allowed");
    } else if (part->kind == PART_BLOCK && pointee->kind == TYPE_FUNCTION) {
        sema_check_blocks(s, part->loc);
        if (pointee->function.variadic)
            pp_error(s->front, part->loc, "invalid block prototype, variadic arguments are not allowed in OpenCL");
        result = qt(type_block(s, pointee));
    } else if (part->kind == PART_BLOCK)
        pp_error(s->front, part->loc, "block pointer to non-function type is invalid");
    else if (element->kind == TYPE_IMAGE || element->kind == TYPE_SAMPLER || element->kind == TYPE_PIPE ||
             element->kind == TYPE_BLOCK || element->kind == TYPE_MATRIX)
        /* OpenCL C 3.0, 6.11.b, 6.14.1 */
        pp_error(s->front, part->loc, "pointer to type %s is invalid in OpenCL", type_quote(s, qt(element)));
    else
        result = type_derived(target, clc_type_pointer(s->front, target));
    result.quals = part->quals;
    type->explicit_as = part->address_space >= 0;
    result.address_space = type->explicit_as ? (uint8_t)part->address_space : (uint8_t)AS_PRIVATE;
    type->type = result;
}

static void apply_array(struct sema *s, struct spec_type *type, const struct part *part)
{
    struct qual_type element = type->type, array = s->poison->type;
    if (element.type->kind == TYPE_FUNCTION) {
        pp_error(s->front, part->loc, "array of functions is not allowed");
    } else if (element.type->incomplete) {
        pp_error(s->front, part->loc, "array has incomplete element type %s", type_quote(s, element));
    } else if (element.type->kind == TYPE_IMAGE || element.type->kind == TYPE_SAMPLER ||
               element.type->kind == TYPE_PIPE || element.type->kind == TYPE_BLOCK) {
        pp_error(s->front, part->loc, "array of %s type is invalid in OpenCL", type_quote(s, element));
    } else if (!part->bad && part->unknown_size) {
        struct type *unknown = arena_new(s->arena, struct type);
        *unknown = (struct type){.kind = TYPE_ARRAY, .incomplete = true, .align = element.type->align};
        unknown->array.element = element;
        unknown->array.element.address_space = AS_PRIVATE;
        unknown->array.element.sugar = NULL;
        array = type_derived(element, unknown);
    } else if (!part->bad) {
        array = type_derived(element, clc_type_array(s->front, element, part->count));
        if (is_poison(array.type))
            pp_error(s->front, part->loc, "array is too large (%llu elements)", (unsigned long long)part->count);
    }
    array.address_space = element.address_space;
    array.quals = 0;
    type->type = array;
}

static void warn_qualified_result(struct sema *s, uint8_t quals, src_loc loc)
{
    static const struct {
        uint8_t bit;
        const char *name;
    } names[] = {{QUAL_CONST, "const"}, {QUAL_VOLATILE, "volatile"}, {QUAL_RESTRICT, "restrict"}};
    char text[32] = "";
    uint32_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (!(quals & names[i].bit))
            continue;
        strcat(strcat(text, count++ ? " " : ""), names[i].name);
    }
    if (count)
        pp_warning(s->front, DIAG_GROUP_IGNORED_QUALIFIERS, loc, "'%s' type qualifier%s on return type ha%s no effect",
                   text, count > 1 ? "s" : "", count > 1 ? "ve" : "s");
}

/* of_block: a block pointer to this function follows. */
static void apply_function(struct sema *s, struct spec_type *type, const struct part *part, src_loc result_loc,
                           bool of_block)
{
    struct qual_type result = type->type;
    if (result.type->kind == TYPE_VOID && result.quals & (QUAL_CONST | QUAL_VOLATILE))
        pp_warning(s->front, DIAG_GROUP_QUALIFIED_VOID_RETURN_TYPE, result_loc,
                   "function cannot return qualified void type %s", type_quote(s, result));
    else if (result.type->kind != TYPE_VOID && !is_poison(result.type))
        warn_qualified_result(s, result.quals, result_loc);
    struct qual_type *params = arena_array(s->arena, struct qual_type, part->num_params + 1u);
    bool bad = part->bad;
    uint32_t n = 0;
    for (struct decl *param = part->params; param; param = param->next) {
        params[n] = param->type;
        params[n].quals &= QUAL_ATOMIC; /* a parameter's own qualifiers are no part of the function's type */
        n++;
    }
    if (result.type->kind == TYPE_FUNCTION || result.type->kind == TYPE_ARRAY) {
        pp_error(s->front, part->loc, "function cannot return %s type %s",
                 result.type->kind == TYPE_ARRAY ? "array" : "function", type_quote(s, result));
        bad = true;
    } else if (result.type->kind == TYPE_BLOCK || result.type->kind == TYPE_IMAGE ||
               result.type->kind == TYPE_SAMPLER || result.type->kind == TYPE_PIPE) {
        pp_error(s->front, part->loc, "declaring function return value of type %s is not allowed",
                 type_quote(s, result));
        bad = true;
    } else if (result.type->kind == TYPE_HALF && !s->fp16) {
        pp_error(s->front, part->loc,
                 "declaring function return value of type 'half' is not allowed ; did you forget * ?");
    } else if (type->explicit_as && !(of_block && result.address_space == AS_PRIVATE) && !bad) {
        pp_error(s->front, part->loc, "return value cannot be qualified with address space");
    }
    if (bad)
        result = s->poison->type;
    result.address_space = AS_PRIVATE;
    result.quals &= QUAL_ATOMIC;
    const struct type *function = clc_type_function(s->front, result, params, n, part->variadic);
    type->type = type_derived(result, function);
    type->explicit_as = false;
}

void parse_declarator(struct sema *s, const struct decl_specs *specs, struct declarator *d, bool need_name,
                      bool allow_name)
{
    struct part_list list = {0};
    *d = (struct declarator){.loc = s->tok.loc, .type = specs->base};
    sema_enter(s, s->tok.loc);
    parse_parts(s, &list, d, allow_name);
    sema_leave(s);
    parse_attributes(s, &d->attrs);
    if (need_name && !d->name && allow_name) {
        pp_error(s->front, d->loc, "expected identifier or '('");
        d->type.type = s->poison->type;
    }
    if (list.parts.length > SEMA_MAX_NESTING)
        pp_fatal(s->front, d->loc, "declarator nesting level exceeded maximum of %d", SEMA_MAX_NESTING);
    for (uint32_t i = list.parts.length; i-- > 0;) {
        const struct part *part = &list.parts.data[i];
        if (is_poison(d->type.type.type) && part->kind != PART_FUNCTION) {
            d->type.type = s->poison->type;
            continue;
        }
        switch (part->kind) {
        case PART_POINTER:
        case PART_BLOCK:
            apply_pointer(s, &d->type, part);
            break;
        case PART_ARRAY:
            apply_array(s, &d->type, part);
            break;
        case PART_FUNCTION:
            apply_function(s, &d->type, part, i + 1 < list.parts.length ? list.parts.data[i + 1].loc : specs->loc,
                           i && list.parts.data[i - 1].kind == PART_BLOCK);
            break;
        }
    }
    if (list.parts.length && list.parts.data[0].kind == PART_FUNCTION) {
        d->is_function = d->type.type.type->kind == TYPE_FUNCTION;
        d->params = list.parts.data[0].params;
        d->num_params = list.parts.data[0].num_params;
    }
}
