/* Macros whose value is computed at each use: __LINE__ and its kin (C99, 6.10.8), the _Pragma operator, and what #if
 * can ask
 * (__has_include and the like, as in clang).
 *
 * __DATE__ and __TIME__ are fixed: C99 allows any valid date where none is available, and a program must not depend on
 * when it was built, because built programs are cached. */
#include "base/util.h"
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

static void replace(struct pp *pp, struct pp_token *token, uint16_t kind, const char *text, size_t length)
{
    struct clc_front *front = pp->front;
    src_loc end = token->loc + token->length;
    src_loc spelled = pp_source_scratch(front, text, length, &text);
    token->loc = pp_source_map(front, SRC_EXPANSION, (uint32_t)length, spelled, token->loc, end);
    token->kind = kind;
    token->text = text;
    token->length = (uint32_t)length;
}

static void replace_by_number(struct pp *pp, struct pp_token *token, uint32_t value)
{
    const char *text = arena_printf(pp->front->arena, "%u", value);
    replace(pp, token, PP_NUMBER, text, strlen(text));
}

static void replace_by_string(struct pp *pp, struct pp_token *token, const char *value)
{
    struct str *text = &pp->scratch;
    text->length = 0;
    str_putc(text, '"');
    pp_macro_quote(text, value, strlen(value));
    str_putc(text, '"');
    replace(pp, token, TOKEN_STRING, str_text(text), text->length);
}

/* The line of the outermost call's end, as clang and gcc have it. */
static uint32_t line_of(struct pp *pp, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(pp->front, loc);
    if (entry && entry->kind != SRC_FILE)
        loc = pp_source_expansion_end(pp->front, loc) - 1;
    return pp_source_position(pp->front, loc).line;
}

bool pp_builtin_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro)
{
    switch ((enum macro_builtin)macro->builtin) {
    case MACRO_LINE:
        replace_by_number(pp, token, line_of(pp, token->loc));
        return true;
    case MACRO_FILE:
        replace_by_string(pp, token, pp_source_position(pp->front, pp_source_expansion(pp->front, token->loc)).file);
        return true;
    case MACRO_BASE_FILE:
        replace_by_string(pp, token, pp->main_file ? pp->main_file->name : "<command line>");
        return true;
    case MACRO_COUNTER:
        replace_by_number(pp, token, pp->counter++);
        return true;
    case MACRO_INCLUDE_LEVEL:
        replace_by_number(pp, token, pp->depth ? pp->depth - 1 : 0);
        return true;
    case MACRO_DATE:
        replace_by_string(pp, token, "Jan  1 1970");
        return true;
    case MACRO_TIME:
        replace_by_string(pp, token, "00:00:00");
        return true;
    case MACRO_TIMESTAMP:
        replace_by_string(pp, token, "Thu Jan  1 00:00:00 1970");
        return true;
    case MACRO_PRAGMA_OPERATOR:
        if (pp->argument_depth || pp->collecting || pp_lexer(pp)->in_directive)
            return false; /* when the arguments have been put in */
        if (!pp_pragma_operator(pp, token, token))
            token->kind = PP_PLACEMARKER;
        return true;
    default:
        if (!pp->in_condition)
            return false;
        replace_by_number(pp, token, (uint32_t)pp_builtin_macro_query(pp, token, (enum macro_builtin)macro->builtin));
        return true;
    }
}

/* ---- __has_...() ---- */

static const char *const attributes[] = {
    "aligned",
    "always_inline",
    "annotate",
    "cold",
    "const",
    "convergent",
    "deprecated",
    "endian",
    "enum_extensibility",
    "ext_vector_type",
    "fallthrough",
    "flatten",
    "format",
    "hot",
    "intel_reqd_sub_group_size",
    "kernel_exec",
    "malloc",
    "max_work_group_size",
    "may_alias",
    "mode",
    "naked",
    "noduplicate",
    "noinline",
    "nonnull",
    "noreturn",
    "nosvm",
    "nothrow",
    "opencl_unroll_hint",
    "overloadable",
    "packed",
    "pure",
    "qcom_reqd_sub_group_size",
    "reqd_work_group_size",
    "restrict",
    "returns_nonnull",
    "section",
    "unavailable",
    "unused",
    "used",
    "vec_type_hint",
    "vector_size",
    "visibility",
    "warn_unused_result",
    "weak",
    "work_group_size_hint",
};

static const char *const builtins[] = {
    "__builtin_addc",
    "__builtin_assume",
    "__builtin_astype",
    "__builtin_bitreverse32",
    "__builtin_bitreverse64",
    "__builtin_bswap16",
    "__builtin_bswap32",
    "__builtin_bswap64",
    "__builtin_clz",
    "__builtin_clzl",
    "__builtin_clzll",
    "__builtin_constant_p",
    "__builtin_convertvector",
    "__builtin_ctz",
    "__builtin_ctzl",
    "__builtin_ctzll",
    "__builtin_debugtrap",
    "__builtin_expect",
    "__builtin_ffs",
    "__builtin_huge_val",
    "__builtin_huge_valf",
    "__builtin_inf",
    "__builtin_inff",
    "__builtin_nan",
    "__builtin_nanf",
    "__builtin_nontemporal_load",
    "__builtin_nontemporal_store",
    "__builtin_offsetof",
    "__builtin_parity",
    "__builtin_popcount",
    "__builtin_popcountl",
    "__builtin_popcountll",
    "__builtin_prefetch",
    "__builtin_rotateleft32",
    "__builtin_rotateleft64",
    "__builtin_rotateright32",
    "__builtin_rotateright64",
    "__builtin_shufflevector",
    "__builtin_subc",
    "__builtin_trap",
    "__builtin_types_compatible_p",
    "__builtin_unpredictable",
    "__builtin_unreachable",
};

static const char *const features[] = {
    "attribute_deprecated_with_message",
    "attribute_ext_vector_type",
    "attribute_overloadable",
    "attribute_unavailable",
    "c_alignas",
    "c_alignof",
    "c_generic_selections",
    "c_static_assert",
    "enumerator_attributes",
    "overloadable_unmarked",
};

static bool is_listed(const char *const *names, size_t count, const char *name, uint32_t length)
{
    if (length > 4 && memcmp(name, "__", 2) == 0 && memcmp(name + length - 2, "__", 2) == 0 && names != builtins) {
        name += 2; /* __packed__ is packed */
        length -= 4;
    }
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    }
    return false;
}

static uint64_t query_include(struct pp *pp, const struct pp_token *name, bool next)
{
    struct lexer *lexer = pp_lexer(pp);
    struct pp_token token;
    const char *header;
    size_t length;
    bool angled;
    pp_raw(pp, &token);
    if (token.kind != TOKEN_LEFT_PAREN) {
        pp_error(pp->front, token.loc, "missing '(' after '%s'", name->ident->name);
        return 0;
    }
    if (vec_last(&pp->stack).lexer != lexer || !pp_lex_header_name(pp, lexer, &token))
        pp_expanded(pp, &token);
    if (!pp_include_name(pp, &token, &header, &length, &angled))
        return 0;
    pp_expanded(pp, &token);
    if (token.kind != TOKEN_RIGHT_PAREN) {
        pp_error(pp->front, token.loc, "missing ')' after '%s'", name->ident->name);
        return 0;
    }
    return pp_include_exists(pp, header, length, angled, next);
}

static uint64_t query_name(const struct pp_token *token, enum macro_builtin which)
{
    if (which == MACRO_HAS_WARNING)
        return token->kind == TOKEN_STRING && token->length > 4 && memcmp(token->text, "\"-W", 3) == 0 &&
               pp_diag_group_find(token->text + 3, token->length - 4) != DIAG_GROUP_NONE;
    if (token->kind != TOKEN_IDENTIFIER)
        return 0;
    const char *name = token->ident->name;
    uint32_t length = token->ident->length;
    switch (which) {
    case MACRO_HAS_ATTRIBUTE:
        return is_listed(attributes, ARRAY_LENGTH(attributes), name, length);
    case MACRO_HAS_BUILTIN:
        return is_listed(builtins, ARRAY_LENGTH(builtins), name, length);
    case MACRO_IS_IDENTIFIER:
        return !token->ident->keyword;
    default:
        return is_listed(features, ARRAY_LENGTH(features), name, length);
    }
}

uint64_t pp_builtin_macro_query(struct pp *pp, const struct pp_token *name, enum macro_builtin which)
{
    struct pp_token token, argument;
    if (which == MACRO_HAS_INCLUDE || which == MACRO_HAS_INCLUDE_NEXT)
        return query_include(pp, name, which == MACRO_HAS_INCLUDE_NEXT);
    pp_raw(pp, &token);
    if (token.kind != TOKEN_LEFT_PAREN) {
        pp_error(pp->front, token.loc, "missing '(' after '%s'", name->ident->name);
        return 0;
    }
    pp_raw(pp, &argument);
    if (argument.kind != TOKEN_IDENTIFIER && !(which == MACRO_HAS_WARNING && argument.kind == TOKEN_STRING)) {
        pp_error(pp->front, argument.loc, "builtin feature check macro requires a parenthesized identifier");
        return 0;
    }
    pp_raw(pp, &token);
    if (token.kind != TOKEN_RIGHT_PAREN) {
        pp_error(pp->front, token.loc, "missing ')' after '%s'", name->ident->name);
        return 0;
    }
    return query_name(&argument, which);
}
