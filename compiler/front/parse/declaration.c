/* Declarations at file scope and in blocks: specifiers, then declarators with their initialisers or a function's body.
 * What each declares is checked by sema/decl.c. */
#include "compiler/front/parse/parse.h"

static bool name_missing(struct sema *s, const struct declarator *d)
{
    if (d->name)
        return false;
    parse_skip_to_semicolon(s);
    return true;
}

static void declares_nothing(struct sema *s, const struct decl_specs *specs)
{
    bool has_tag = specs->tag && (specs->tag->name || specs->tag->tag.is_enum || specs->tag->invalid);
    if (specs->has_type && !has_tag && !is_poison(specs->base.type.type))
        pp_warning(s->front, DIAG_GROUP_MISSING_DECLARATIONS, specs->loc, "declaration does not declare anything");
}

static void warn_struct_attributes(struct sema *s, const struct decl_specs *specs)
{
    if (specs->is_kernel)
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, specs->kernel_loc,
                   "'__kernel' attribute only applies to functions");
    if (specs->is_typedef)
        pp_warning(s->front, DIAG_GROUP_MISSING_DECLARATIONS, specs->storage_loc, "typedef requires a name");
    else if (specs->storage_loc)
        pp_warning(s->front, DIAG_GROUP_MISSING_DECLARATIONS, specs->storage_loc, "'%s' ignored on this declaration",
                   specs->storage == STORAGE_STATIC ? "static" : "extern");
}

/* ("=" initializer)? for a declared variable */
static void parse_variable_rest(struct sema *s, struct decl *decl)
{
    bool initialized = s->tok.kind == TOKEN_EQUAL;
    if (initialized) {
        src_loc loc = s->tok.loc;
        parse_next(s);
        if (decl->kind == DECL_VARIABLE && sema_is_lasting(decl)) {
            struct lasting lasting = sema_begin_lasting(s);
            struct expr *raw = parse_initializer(s);
            sema_initialize_lasting(s, &lasting, decl, raw, loc);
        } else {
            struct expr *raw = parse_initializer(s);
            if (decl->kind == DECL_VARIABLE)
                sema_initialize(s, decl, raw, loc);
            else
                pp_error(s->front, loc, "illegal initializer (only variables can be initialized)");
        }
    }
    if (decl->kind == DECL_VARIABLE)
        sema_variable_complete(s, decl, initialized);
}

/* __auto_type name = initialiser: declares it once the type is known. NULL: there is none to declare. */
static struct decl *deduce_variable(struct sema *s, const struct decl_specs *specs, const struct decl *previous)
{
    struct declarator d = {.name = s->tok.ident, .loc = s->tok.loc, .type = specs->base};
    if (s->tok.kind != TOKEN_IDENTIFIER || parse_peek(s, 1)->kind != TOKEN_EQUAL) {
        enum token_kind next = s->tok.kind == TOKEN_IDENTIFIER ? parse_peek(s, 1)->kind : s->tok.kind;
        if (next == TOKEN_SEMICOLON || next == TOKEN_COMMA)
            pp_error(s->front, d.loc,
                     "declaration of variable '%s' with deduced type '__auto_type' requires an initializer",
                     d.name ? d.name->name : "");
        else
            pp_error(s->front, d.loc, "'__auto_type' is for a plain name with an initializer");
        parse_skip_to_semicolon(s);
        return NULL;
    }
    parse_next(s);
    src_loc loc = s->tok.loc;
    parse_next(s);
    struct expr *value = parse_initializer(s);
    if (value->kind == EXPR_INIT_LIST) {
        pp_error_range(s->front, value->loc, value->range, "cannot use __auto_type with initializer list in C");
        value = s->poison;
    }
    value = expr_poison(value) ? value : clc_rvalue(s->front, value);
    const struct type *type = value->type.type;
    if (previous && !is_poison(type) && !is_poison(previous->type.type) && !clc_type_equal(previous->type.type, type))
        pp_error(s->front, specs->deduced_loc,
                 "'__auto_type' deduced as %s in declaration of '%s' and deduced as %s in declaration of '%s'",
                 type_quote(s, qt(previous->type.type)), previous->name->name, type_quote_expr(s, value), d.name->name);
    d.type.type.type = type;
    d.type.type.sugar = value->type.sugar;
    d.type.type.sugar_depth = value->type.sugar_depth;
    struct decl *variable = sema_declare(s, specs, &d);
    sema_initialize(s, variable, value, loc);
    sema_variable_complete(s, variable, true);
    return variable;
}

static void apply_late_attributes(struct sema *s, struct declarator *d)
{
    parse_attributes(s, &d->attrs);
    if (d->type.type.type->kind != TYPE_FUNCTION)
        parse_apply_vector_attributes(s, &d->type.type, &d->attrs, d->attrs.loc);
}

static void parse_definition(struct sema *s, struct decl *function, struct declarator *d)
{
    struct decl *previous = function->first->fn.definition;
    if (previous) {
        pp_error(s->front, function->loc, "redefinition of '%s'", function->name->name);
        pp_note(s->front, previous->loc, "previous definition is here");
    }
    function->fn.definition = function->first->fn.definition = function;
    (void)d;
    uint32_t errors = s->front->num_errors;
    struct arena *nodes = s->front->nodes;
    s->front->nodes = s->front->tree;
    if (!s->function)
        s->body_mark = arena_mark(s->front->tree);
    parse_function_body(s, function);
    s->front->nodes = nodes;
    sema_unit_add(s, function);
    vec_push(s->arena, &s->definitions, function);
    vec_push(s->arena, &s->marks, s->body_mark);
    if ((function->fn.flags & FN_KERNEL) && errors == s->front->num_errors)
        vec_push(s->arena, &s->unit->kernels, function);
    sema_stream_functions(s, function);
}

/* After an error at file scope: past the ';' or the body that ends what was meant, so that no part of it is taken for
 * the next declaration. */
static void skip_malformed(struct sema *s)
{
    while (s->tok.kind != TOKEN_END && (s->tok.kind != TOKEN_RIGHT_BRACE || !s->tok.at_line_start)) {
        enum token_kind kind = s->tok.kind;
        parse_next(s);
        if (kind == TOKEN_SEMICOLON)
            return;
        enum token_kind close = kind == TOKEN_LEFT_PAREN     ? TOKEN_RIGHT_PAREN
                                : kind == TOKEN_LEFT_BRACKET ? TOKEN_RIGHT_BRACKET
                                                             : TOKEN_RIGHT_BRACE;
        if (kind == TOKEN_LEFT_BRACE) {
            while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END) {
                parse_skip_to_semicolon(s);
                if (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END)
                    parse_next(s);
            }
            parse_accept(s, TOKEN_RIGHT_BRACE);
            parse_accept(s, TOKEN_SEMICOLON);
            return;
        }
        if (kind == TOKEN_LEFT_PAREN || kind == TOKEN_LEFT_BRACKET) {
            parse_skip_until(s, close);
            parse_accept(s, close);
        }
    }
}

/* extern "C" { ... }: C++'s, met in headers for both. What it holds is declared all the same. */
static void parse_linkage(struct sema *s)
{
    pp_error(s->front, s->tok.loc, "'extern \"C\"' is not part of OpenCL C");
    parse_next(s);
    parse_next(s);
    if (!parse_accept(s, TOKEN_LEFT_BRACE))
        return;
    sema_enter(s, s->tok.loc);
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END)
        parse_external_declaration(s);
    sema_leave(s);
    parse_expect(s, TOKEN_RIGHT_BRACE, NULL);
}

/* external-declaration = specifiers (";" | function-definition | init-declarator ("," init-declarator)* ";") */
void parse_external_declaration(struct sema *s)
{
    struct decl_specs specs;
    src_loc start = s->tok.loc;
    if (parse_accept(s, TOKEN_SEMICOLON))
        return;
    if (s->tok.kind == TOKEN_STATIC_ASSERT) {
        parse_static_assert(s);
        return;
    }
    if (s->tok.kind == TOKEN_ASM) {
        pp_error(s->front, s->tok.loc, "inline assembly is not supported in OpenCL");
        parse_skip_to_semicolon(s);
        parse_accept(s, TOKEN_SEMICOLON);
        return;
    }
    if (s->tok.kind == TOKEN_EXTERN && parse_peek(s, 1)->kind == TOKEN_STRING) {
        parse_linkage(s);
        return;
    }
    bool plain_name = s->tok.kind == TOKEN_IDENTIFIER && parse_peek(s, 1)->kind == TOKEN_LEFT_PAREN &&
                      !parse_is_type_start(s, &s->tok);
    if (!plain_name && !parse_is_type_start(s, &s->tok) && s->tok.kind != TOKEN_ATTRIBUTE &&
        s->tok.kind != TOKEN_EXTENSION && s->tok.kind != TOKEN_IDENTIFIER) {
        pp_error(s->front, s->tok.loc,
                 s->tok.kind == TOKEN_RIGHT_BRACE ? "extraneous closing brace ('}')" : "expected external declaration");
        if (s->tok.kind == TOKEN_RIGHT_BRACE) {
            parse_next(s);
            return;
        }
        goto recover;
    }
    if (plain_name) { /* f() { ... }: C89 */
        specs = (struct decl_specs){.loc = s->tok.loc, .base.type = qt(type_scalar(s, TYPE_INT)), .has_type = true};
        pp_warning(s->front, DIAG_GROUP_IMPLICIT_INT, s->tok.loc, "type specifier missing, defaults to 'int'");
    } else {
        s->may_deduce = true;
        parse_decl_specs(s, &specs, false);
    }
    if (parse_accept(s, TOKEN_SEMICOLON)) {
        declares_nothing(s, &specs);
        warn_struct_attributes(s, &specs);
        return;
    }
    struct decl *last = NULL;
    for (bool first = true;; first = false) {
        struct declarator d;
        if (specs.deduced) {
            last = deduce_variable(s, &specs, last);
            if (!last)
                break;
            sema_unit_add(s, last);
            if (!parse_accept(s, TOKEN_COMMA))
                break;
            continue;
        }
        parse_declarator(s, &specs, &d, true, true);
        apply_late_attributes(s, &d);
        if (name_missing(s, &d))
            goto recover;
        struct decl *decl = sema_declare(s, &specs, &d);
        if (first && d.is_function && decl->kind == DECL_FUNCTION && s->tok.kind == TOKEN_LEFT_BRACE) {
            parse_definition(s, decl, &d);
            return;
        }
        if (decl->kind != DECL_FUNCTION && s->tok.kind == TOKEN_LEFT_BRACE && decl->invalid)
            goto recover;
        parse_variable_rest(s, decl);
        sema_unit_add(s, decl);
        if (!parse_accept(s, TOKEN_COMMA))
            break;
    }
    if (s->tok.kind == TOKEN_SEMICOLON) {
        parse_next(s);
        return;
    }
    parse_expect(s, TOKEN_SEMICOLON, "after top level declarator");
    if (s->tok.at_line_start && parse_is_type_start(s, &s->tok))
        return;
recover:
    s->skipping = true;
    skip_malformed(s);
    s->skipping = false;
    if (s->tok.loc == start)
        parse_next(s);
}

struct stmt *parse_declaration_statement(struct sema *s, const struct attributes *before)
{
    struct decl_specs specs;
    struct decl *last = NULL;
    struct stmt *stmt = arena_new(s->front->nodes, struct stmt);
    uint32_t errors = s->front->num_errors;
    stmt->kind = STMT_DECL;
    stmt->loc = s->tok.loc;
    s->may_deduce = true;
    parse_decl_specs(s, &specs, false);
    if (before) {
        sema_merge_attributes(&specs.attrs, before);
        struct attribute_use **end = &specs.attrs.uses;
        while (*end)
            end = &(*end)->next;
        *end = before->uses;
    }
    if (s->tok.kind == TOKEN_SEMICOLON) {
        declares_nothing(s, &specs);
        warn_struct_attributes(s, &specs);
        parse_next(s);
        return stmt;
    }
    do {
        struct declarator d;
        struct decl *decl;
        if (specs.deduced) {
            decl = deduce_variable(s, &specs, last);
            if (!decl)
                break;
        } else {
            parse_declarator(s, &specs, &d, true, true);
            apply_late_attributes(s, &d);
            if (name_missing(s, &d))
                break;
            decl = sema_declare(s, &specs, &d);
            if (decl->kind == DECL_FUNCTION && s->tok.kind == TOKEN_LEFT_BRACE) {
                pp_error(s->front, s->tok.loc, "function definition is not allowed here");
                parse_definition(s, decl, &d);
                return stmt;
            }
            parse_variable_rest(s, decl);
        }
        if (decl->kind != DECL_VARIABLE)
            continue;
        if (last)
            last->next = decl;
        else
            stmt->decls = decl;
        last = decl;
    } while (parse_accept(s, TOKEN_COMMA));
    if (parse_accept(s, TOKEN_SEMICOLON))
        return stmt;
    /* what was wrong inside has been said */
    bool good = errors == s->front->num_errors;
    parse_skip_stray_brace(s);
    if (good && parse_expect_semicolon(s, "at end of declaration"))
        return stmt;
    if (!s->tok.at_line_start && !(good && parse_is_type_start(s, &s->tok))) {
        parse_skip_to_semicolon(s);
        parse_accept(s, TOKEN_SEMICOLON);
    }
    return stmt;
}
