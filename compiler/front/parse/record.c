/* Structs, unions and enums: their tags, members and constants, and what attributes and pragmas say of their layout.
 * C99, 6.7.2.1 to 6.7.2.3. */
#include "compiler/front/parse/parse.h"

/* ---- members ---- */

static void check_field_type(struct sema *s, struct qual_type *type, const struct decl_specs *specs,
                             const struct declarator *d, bool last, bool is_union)
{
    const struct type *element = type->type;
    while (element->kind == TYPE_ARRAY && !element->incomplete)
        element = element->array.element.type;
    if (d->type.explicit_as) {
        pp_error(s->front, d->loc, "field may not be qualified with an address space");
    } else if (type->type->kind == TYPE_FUNCTION) {
        pp_error(s->front, d->loc, "field '%s' declared as a function", d->name ? d->name->name : "");
        *type = s->poison->type;
    } else if (type_is_opaque(element) || element->kind == TYPE_BLOCK || element->kind == TYPE_MATRIX) {
        /* OpenCL C 3.0, 6.11.b, 6.14.1; a matrix has no layout in memory */
        pp_error(s->front, d->loc, "the %s type cannot be used to declare a structure or union field",
                 type_quote(s, qt(element)));
        *type = s->poison->type;
    } else if (type->type->incomplete && !(type->type->kind == TYPE_ARRAY && last && !is_union)) {
        pp_error(s->front, d->loc, "field has incomplete type %s", type_quote(s, *type));
        *type = s->poison->type;
    }
    type->address_space = AS_PRIVATE;
    (void)specs;
}

struct field_list {
    VEC(struct field) fields;
    VEC(struct availability *) restricted; /* of the fields that are restricted_use, in order */
    struct u64_map names;
    bool flexible;
};

static void name_field(struct sema *s, struct field_list *list, const struct ident *name)
{
    u64_map_set(s->arena, &list->names, (uint64_t)(uintptr_t)name, (void *)(uintptr_t)(list->fields.length + 1));
}

/* C11, 6.7.2.1: an anonymous member's members are members of what it stands in. */
static void name_fields_of(struct sema *s, struct field_list *list, const struct type *record)
{
    for (uint32_t i = 0; i < record->record.num_fields; i++) {
        const struct field *field = &record->record.fields[i];
        if (!field->name && type_is_record(field->type.type))
            name_fields_of(s, list, field->type.type);
        else if (field->name && u64_map_has(&list->names, (uint64_t)(uintptr_t)field->name))
            pp_error(s->front, field->loc, "member of anonymous %s redeclares '%s'",
                     record->kind == TYPE_UNION ? "union" : "struct", field->name->name);
        else if (field->name)
            name_field(s, list, field->name);
    }
}

static void add_field(struct sema *s, struct field_list *list, const struct field *field)
{
    if (field->name && u64_map_has(&list->names, (uint64_t)(uintptr_t)field->name)) {
        pp_error(s->front, field->loc, "duplicate member '%s'", field->name->name);
        return;
    }
    if (field->name)
        name_field(s, list, field->name);
    else if (type_is_record(field->type.type))
        name_fields_of(s, list, field->type.type);
    vec_push(s->arena, &list->fields, *field);
}

/* The last field's. */
static void check_field_attributes(struct sema *s, struct field_list *list, const struct decl_specs *specs,
                                   const struct declarator *d)
{
    struct availability *availability = d->attrs.availability ? d->attrs.availability : specs->attrs.availability;
    sema_check_attributes(s, &specs->attrs, SUBJECT_FIELD, d->type.type);
    sema_check_attributes(s, &d->attrs, SUBJECT_FIELD, d->type.type);
    if (!availability || !list->fields.length)
        return;
    list->fields.data[list->fields.length - 1].restricted_use = true;
    vec_push(s->arena, &list->restricted, availability);
}

static void parse_bit_field(struct sema *s, src_loc loc)
{
    struct expr *width;
    parse_next(s);
    parse_constant(s, "bit-field width", &width);
    /* OpenCL C 3.0, 6.11.c */
    pp_error(s->front, loc, "bit-fields are not supported in OpenCL");
}

/* struct-declaration = specifiers (declarator ("," declarator)*)? ";" */
static void parse_fields(struct sema *s, struct field_list *list, bool is_union)
{
    struct decl_specs specs;
    if (s->tok.kind == TOKEN_STATIC_ASSERT) {
        parse_static_assert(s);
        return;
    }
    if (parse_accept(s, TOKEN_SEMICOLON))
        return;
    src_loc start = s->tok.loc;
    bool good = parse_decl_specs(s, &specs, true);
    if (specs.storage_loc)
        pp_error(s->front, specs.storage_loc, "type name does not allow storage class to be specified");
    if (s->tok.kind == TOKEN_SEMICOLON) {
        if (good && type_is_record(specs.base.type.type) && specs.defines_tag && (!specs.tag || !specs.tag->name))
            add_field(s, list,
                      &(struct field){.type = qual_type_unqualified(specs.base.type),
                                      .loc = specs.loc,
                                      .align = specs.attrs.align,
                                      .type_align = specs.base.type.type->align,
                                      .packed = specs.attrs.packed});
        else if (good)
            pp_warning(s->front, DIAG_GROUP_MISSING_DECLARATIONS, specs.loc, "declaration does not declare anything");
        parse_next(s);
        return;
    }
    do {
        struct declarator d = {.loc = s->tok.loc, .type = specs.base};
        if (s->tok.kind != TOKEN_COLON)
            parse_declarator(s, &specs, &d, true, true);
        if (s->tok.kind == TOKEN_COLON)
            parse_bit_field(s, d.loc);
        parse_attributes(s, &d.attrs);
        parse_apply_vector_attributes(s, &d.type.type, &d.attrs, d.loc);
        struct qual_type type = d.type.type;
        bool last = s->tok.kind == TOKEN_SEMICOLON && parse_peek(s, 1)->kind == TOKEN_RIGHT_BRACE;
        check_field_type(s, &type, &specs, &d, last, is_union);
        if (type.type->kind == TYPE_ARRAY && type.type->incomplete) {
            list->flexible = true;
            type.type = clc_type_array(s->front, type.type->array.element, 0);
        }
        struct field field = {.name = d.name, .type = type, .loc = d.loc};
        field.align = d.attrs.align > specs.attrs.align ? d.attrs.align : specs.attrs.align;
        field.type_align = sema_declared_align(&specs, type.type);
        field.packed = d.attrs.packed || specs.attrs.packed;
        if (d.name || is_poison(type.type))
            add_field(s, list, &field);
        check_field_attributes(s, list, &specs, &d);
    } while (parse_accept(s, TOKEN_COMMA));
    if (s->tok.kind == TOKEN_RIGHT_BRACE) {
        pp_warning(s->front, DIAG_GROUP_NONE, s->prev_end, "expected ';' at end of declaration list");
        return;
    }
    if (!parse_expect(s, TOKEN_SEMICOLON, "at end of declaration list")) {
        parse_skip_to_semicolon(s);
        if (!parse_accept(s, TOKEN_SEMICOLON) && s->tok.loc == start)
            parse_next(s);
    }
}

static void flexible_misplaced(struct sema *s, const struct field *field, enum type_kind kind)
{
    pp_error(s->front, field->loc, "flexible array member '%s' %s", field->name ? field->name->name : "",
             kind == TYPE_UNION ? "in a union is not allowed" : "not allowed in otherwise empty struct");
}

/* ---- tags ---- */

static struct decl *tag_declare(struct sema *s, enum type_kind kind, struct ident *name, src_loc loc)
{
    struct decl *tag = sema_decl_new(s, DECL_TAG, name, qt(NULL), loc);
    tag->tag.type = type_new_record(s, kind, tag);
    tag->tag.is_enum = kind == TYPE_ENUM;
    tag->type = qt(tag->tag.type);
    sema_scope_add_tag(s, tag);
    return tag;
}

/* The tag that "struct name" means here; defining: a definition follows. */
static struct decl *tag_reference(struct sema *s, enum type_kind kind, struct ident *name, src_loc loc, bool defining)
{
    struct decl *tag = name ? name->tag : NULL;
    bool only = s->tok.kind == TOKEN_SEMICOLON; /* "struct name;" declares anew in this scope */
    if (tag && (defining || only) && tag->scope_depth != s->scope_depth)
        tag = NULL;
    if (tag && tag->tag.type->kind != kind) {
        pp_error(s->front, loc, "use of '%s' with tag type that does not match previous declaration", name->name);
        if (tag->loc)
            pp_note(s->front, tag->loc, "previous use is here");
        if (!defining)
            return NULL;
        tag = NULL;
    }
    if (tag && defining && tag->tag.defined) {
        pp_error(s->front, loc, "redefinition of '%s'", name->name);
        pp_note(s->front, tag->loc, "previous definition is here");
        struct decl *other = tag_declare(s, kind, NULL, loc);
        other->invalid = true;
        return other;
    }
    if (!tag && name && s->in_parameters && !defining)
        pp_warning(s->front, DIAG_GROUP_VISIBILITY, loc,
                   "declaration of '%s %s' will not be visible outside of this function",
                   kind == TYPE_ENUM    ? "enum"
                   : kind == TYPE_UNION ? "union"
                                        : "struct",
                   name->name);
    return tag ? tag : tag_declare(s, kind, name, loc);
}

/* After the "}" of a struct or enum: is it plain that a new declaration starts here? A qualifier or storage class may
 * also stand behind the type, but hardly with another type after it. */
static bool starts_anew(struct sema *s)
{
    const struct token *next = parse_peek(s, 1);
    switch (s->tok.kind) {
    case TOKEN_END:
    case TOKEN_RIGHT_BRACE:
    case TOKEN_KERNEL:
    case TOKEN_TYPEDEF:
    case TOKEN_INLINE:
    case TOKEN_STATIC_ASSERT:
        return true;
    case TOKEN_CONST:
    case TOKEN_VOLATILE:
    case TOKEN_RESTRICT:
    case TOKEN_GLOBAL:
    case TOKEN_LOCAL:
    case TOKEN_CONSTANT:
    case TOKEN_PRIVATE:
    case TOKEN_GENERIC:
    case TOKEN_STATIC:
    case TOKEN_EXTERN:
        return next->kind != TOKEN_IDENTIFIER
                   ? parse_is_type_start(s, next)
                   : parse_is_type_start(s, next) && parse_peek(s, 2)->kind == TOKEN_IDENTIFIER;
    case TOKEN_IDENTIFIER: /* a typedef's name: float4 x */
        return parse_is_type_start(s, &s->tok) && next->kind == TOKEN_IDENTIFIER;
    default:
        return parse_is_type_start(s, &s->tok);
    }
}

static void require_semicolon(struct sema *s, const struct decl_specs *specs, const char *what)
{
    if (specs->type_only || s->in_parameters || specs->is_typedef || !starts_anew(s))
        return;
    pp_error(s->front, s->prev_end, "expected ';' after %s", what);
    parse_insert_semicolon(s);
}

/* keyword attributes name?; NULL: there is none. *loc: of the name, or of what stands in its place. */
static struct ident *parse_tag_name(struct sema *s, struct attributes *attrs, src_loc *loc)
{
    struct ident *name = NULL;
    parse_next(s);
    parse_attributes(s, attrs);
    *loc = s->tok.loc;
    if (s->tok.kind == TOKEN_IDENTIFIER) {
        name = s->tok.ident;
        parse_next(s);
    }
    return name;
}

/* ("struct" | "union") attributes name? ("{" fields "}" attributes)? */
const struct type *parse_record(struct sema *s, struct decl_specs *specs)
{
    enum type_kind kind = s->tok.kind == TOKEN_UNION ? TYPE_UNION : TYPE_STRUCT;
    struct attributes attrs = {0};
    struct field_list list = {0};
    src_loc loc;
    struct ident *name = parse_tag_name(s, &attrs, &loc);
    bool defining = s->tok.kind == TOKEN_LEFT_BRACE;
    if (!name && !defining) {
        pp_error(s->front, s->tok.loc, "declaration of anonymous %s must be a definition",
                 kind == TYPE_UNION ? "union" : "struct");
        return s->poison->type.type;
    }
    struct decl *tag = tag_reference(s, kind, name, loc, defining);
    if (!tag)
        return s->poison->type.type;
    specs->tag = tag;
    if (!defining)
        return tag->tag.type;
    struct type *type = (struct type *)tag->tag.type;
    uint32_t pack = s->pack_align; /* a pragma between the braces is for others */
    specs->defines_tag = true;
    tag->tag.defined = true;
    tag->loc = loc;
    sema_enter(s, loc);
    parse_next(s);
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END)
        parse_fields(s, &list, kind == TYPE_UNION);
    sema_leave(s);
    parse_expect(s, TOKEN_RIGHT_BRACE, NULL);
    parse_attributes(s, &attrs);
    type->record.fields = list.fields.data;
    struct u64_map *names = arena_new(s->arena, struct u64_map);
    *names = list.names;
    type->record.names = names;
    type->record.num_fields = list.fields.length;
    type->record.packed = attrs.packed;
    sema_check_attributes(s, &attrs, SUBJECT_RECORD, qt(type));
    for (uint32_t i = 0, n = 0; n < list.restricted.length; i++)
        if (list.fields.data[i].restricted_use)
            sema_restrict(s, &list.fields.data[i], list.restricted.data[n++]);
    type->record.has_flexible = list.flexible;
    if (list.flexible && (list.fields.length == 1 || kind == TYPE_UNION))
        flexible_misplaced(s, &list.fields.data[list.fields.length - 1], kind);
    type_layout_record(s, type, attrs.align ? attrs.align : 1, pack);
    require_semicolon(s, specs, kind == TYPE_UNION ? "union" : "struct");
    return type;
}

/* ---- enums ---- */

static void add_enumerator(struct sema *s, struct ident *name, src_loc loc, int64_t value, bool is_unsigned,
                           struct type *type, struct decl **last)
{
    struct decl *decl = sema_decl_new(s, DECL_ENUM_CONSTANT, name, qt(type), loc);
    if (value < INT32_MIN || value > INT32_MAX || (is_unsigned && value < 0)) {
        enum type_kind kind = is_unsigned ? TYPE_ULONG : TYPE_LONG;
        if (value >= 0 && value <= UINT32_MAX)
            kind = TYPE_UINT;
        decl->type = qt(type_scalar(s, kind));
    } else {
        decl->type = qt(type_scalar(s, TYPE_INT));
    }
    decl->enum_constant.value = value;
    decl->enum_constant.of = type;
    if (name->decl && name->decl->scope_depth == s->scope_depth && name->decl->loc) {
        pp_error(s->front, loc,
                 name->decl->kind == DECL_ENUM_CONSTANT ? "redefinition of enumerator '%s'"
                                                        : "redefinition of '%s' as different kind of symbol",
                 name->name);
        pp_note(s->front, name->decl->loc, "previous definition is here");
        return;
    }
    sema_scope_add(s, decl);
    if (*last)
        (*last)->next = decl;
    else
        type->enumeration.constants = decl;
    *last = decl;
}

static void set_underlying(struct sema *s, struct type *type, enum type_kind kind)
{
    type->enumeration.underlying = type_scalar(s, kind);
    type->size = type->enumeration.underlying->size;
    type->align = type->enumeration.underlying->align;
    type->incomplete = false;
}

/* "{" name ("=" constant)? ("," ...)* ","? "}" */
static void parse_enumerators(struct sema *s, struct type *type)
{
    int64_t value = -1;
    struct decl *last = NULL;
    bool negative = false, wide = false, is_unsigned = false, needs_unsigned = false;
    parse_next(s);
    if (s->tok.kind == TOKEN_RIGHT_BRACE)
        pp_error(s->front, s->tok.loc, "use of empty enum");
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END) {
        struct ident *name = s->tok.ident;
        src_loc loc = s->tok.loc;
        struct expr *expr;
        if (s->tok.kind != TOKEN_IDENTIFIER) {
            pp_error(s->front, loc, "expected identifier");
            parse_skip_until(s, TOKEN_RIGHT_BRACE);
            break;
        }
        parse_next(s);
        struct attributes attrs = {0};
        parse_attributes(s, &attrs);
        value = (int64_t)((uint64_t)value + 1);
        src_loc value_loc = s->tok.kind == TOKEN_EQUAL ? 0 : loc;
        if (parse_accept(s, TOKEN_EQUAL) && parse_constant(s, "enumerator value", &expr)) {
            value = (int64_t)expr->integer;
            is_unsigned = !type_is_signed(expr->type.type);
        }
        if (value_loc && last && last->enum_constant.value == INT32_MAX)
            pp_warning(s->front, DIAG_GROUP_NONE, value_loc, "overflow in enumeration value");
        negative |= value < 0 && !is_unsigned;
        wide |= value < INT32_MIN || value > UINT32_MAX || (value < 0 && is_unsigned);
        needs_unsigned |= value > INT32_MAX;
        add_enumerator(s, name, loc, value, is_unsigned, type, &last);
        if (attrs.availability && last && last->name == name) {
            last->restricted_use = true;
            sema_restrict(s, last, attrs.availability);
        }
        if (!parse_accept(s, TOKEN_COMMA) && s->tok.kind != TOKEN_RIGHT_BRACE) {
            pp_error(s->front, s->tok.loc, "expected ',' or '}'");
            parse_skip_until(s, TOKEN_RIGHT_BRACE);
            break;
        }
    }
    parse_expect(s, TOKEN_RIGHT_BRACE, NULL);
    wide |= negative && needs_unsigned;
    enum type_kind kind = wide ? (negative ? TYPE_LONG : TYPE_ULONG) : negative ? TYPE_INT : TYPE_UINT;
    set_underlying(s, type, kind);
}

/* OpenCL C 3.0, 6.13.1: a packed enumeration has the smallest integer type that holds its constants. An aligned one has
 * that alignment, be it lower. */
static void apply_enum_attributes(struct sema *s, struct type *type, const struct attributes *attrs)
{
    static const enum type_kind signed_kinds[] = {TYPE_CHAR, TYPE_SHORT, TYPE_INT, TYPE_LONG};
    static const enum type_kind unsigned_kinds[] = {TYPE_UCHAR, TYPE_USHORT, TYPE_UINT, TYPE_ULONG};
    bool is_signed = type_is_signed(type->enumeration.underlying);
    int64_t least = 0, most = 0;
    for (const struct decl *it = type->enumeration.constants; it; it = it->next) {
        least = it->enum_constant.value < least ? it->enum_constant.value : least;
        most = it->enum_constant.value > most ? it->enum_constant.value : most;
    }
    for (uint32_t i = 0; attrs->packed && i < 3 && type->enumeration.underlying->size > 1u << i; i++) {
        int64_t end = (int64_t)1 << ((8u << i) - is_signed);
        if (most < end && (!is_signed || least >= -end) && (is_signed || least >= 0)) {
            set_underlying(s, type, is_signed ? signed_kinds[i] : unsigned_kinds[i]);
            break;
        }
    }
    if (attrs->align)
        type->align = attrs->align;
}

const struct type *parse_enum(struct sema *s, struct decl_specs *specs)
{
    struct attributes attrs = {0};
    src_loc loc;
    struct ident *name = parse_tag_name(s, &attrs, &loc);
    bool defining = s->tok.kind == TOKEN_LEFT_BRACE;
    if (!name && !defining) {
        pp_error(s->front, s->tok.loc, "expected identifier or '{'");
        return s->poison->type.type;
    }
    struct decl *tag = tag_reference(s, TYPE_ENUM, name, loc, defining);
    if (!tag)
        return s->poison->type.type;
    struct type *type = (struct type *)tag->tag.type;
    specs->tag = tag;
    if (!type->enumeration.underlying)
        type->enumeration.underlying = type_scalar(s, TYPE_UINT);
    if (defining) {
        specs->defines_tag = true;
        tag->tag.defined = true;
        parse_enumerators(s, type);
        parse_attributes(s, &attrs);
        apply_enum_attributes(s, type, &attrs);
        require_semicolon(s, specs, "enum");
    } else if (!tag->tag.defined && type->incomplete) {
        type->size = type->align = 4;
    }
    return type;
}
