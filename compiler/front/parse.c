/* The parser's ground: tokens with a little look-ahead, scopes, pragmas, and the loop over a translation unit.
 *
 * One pass over the source, recursive descent, checks and tree at once. Scopes cost nothing to search: an identifier
 * points at its innermost declaration, and leaving a scope puts back what that one hid. Pragmas are obeyed as soon as
 * their token is fetched, so that they may stand anywhere. Depth of recursion is bounded by sema_enter(). */
#include "compiler/front/sema.h"

/* ---- tokens ---- */

static void obey_pragma(struct sema *s, const struct token *tok);

static void fetch(struct sema *s, struct token *tok)
{
    clc_pp_next(s->front, tok);
    while (tok->kind == TOKEN_PRAGMA) {
        obey_pragma(s, tok);
        clc_pp_next(s->front, tok);
    }
}

void sema_next(struct sema *s)
{
    s->prev_end = s->tok.end;
    if (!s->num_ahead) {
        fetch(s, &s->tok);
        return;
    }
    s->tok = s->ahead[0];
    s->num_ahead--;
    for (uint32_t i = 0; i < s->num_ahead; i++)
        s->ahead[i] = s->ahead[i + 1];
}

const struct token *sema_peek(struct sema *s, uint32_t distance)
{
    while (s->num_ahead < distance)
        fetch(s, &s->ahead[s->num_ahead++]);
    return &s->ahead[distance - 1];
}

bool sema_accept(struct sema *s, enum token_kind kind)
{
    if (s->tok.kind != kind)
        return false;
    sema_next(s);
    return true;
}

bool sema_expect(struct sema *s, enum token_kind kind, const char *what)
{
    if (sema_accept(s, kind))
        return true;
    /* like clang: what should follow is reported at the end of what stands before */
    bool after = (kind == TOKEN_SEMICOLON || kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET) && s->prev_end;
    clc_error(s->front, after && kind == TOKEN_SEMICOLON ? s->prev_end : s->tok.loc, "expected '%s'%s%s",
              clc_token_name(kind), what ? " " : "", what ? what : "");
    return false;
}

void sema_enter(struct sema *s, src_loc loc)
{
    if (++s->nesting > SEMA_MAX_NESTING)
        clc_fatal(s->front, loc, "bracket nesting level exceeded maximum of %d", SEMA_MAX_NESTING);
}

static enum token_kind closing(enum token_kind kind)
{
    return kind == TOKEN_LEFT_PAREN     ? TOKEN_RIGHT_PAREN
           : kind == TOKEN_LEFT_BRACKET ? TOKEN_RIGHT_BRACKET
           : kind == TOKEN_LEFT_BRACE   ? TOKEN_RIGHT_BRACE
                                        : TOKEN_END;
}

void sema_skip_until(struct sema *s, enum token_kind stop)
{
    uint32_t depth = 0;
    while (s->tok.kind != TOKEN_END) {
        if (!depth && (s->tok.kind == stop || s->tok.kind == TOKEN_SEMICOLON))
            return;
        /* after "f(int x {" and "if (x {" a body follows */
        if (!depth && s->tok.kind == TOKEN_LEFT_BRACE && (stop == TOKEN_RIGHT_PAREN || stop == TOKEN_RIGHT_BRACKET))
            return;
        if (closing(s->tok.kind) != TOKEN_END)
            depth++;
        else if (s->tok.kind == TOKEN_RIGHT_PAREN || s->tok.kind == TOKEN_RIGHT_BRACKET ||
                 s->tok.kind == TOKEN_RIGHT_BRACE) {
            if (!depth)
                return;
            depth--;
        }
        sema_next(s);
    }
}

void sema_skip_to_semicolon(struct sema *s)
{
    sema_skip_until(s, TOKEN_SEMICOLON);
}

const char *sema_token_text(struct sema *s, const struct token *tok)
{
    if (tok->ident)
        return tok->ident->name;
    (void)s;
    return clc_token_name(tok->kind);
}

/* ---- scopes ---- */

uint32_t sema_scope_push(struct sema *s)
{
    s->scope_depth++;
    return s->scope.length;
}

void sema_scope_pop(struct sema *s, uint32_t mark)
{
    s->scope_depth--;
    while (s->scope.length > mark) {
        struct scope_entry entry = vec_pop(&s->scope);
        if (entry.is_tag)
            entry.decl->name->tag = entry.decl->shadowed;
        else
            entry.decl->name->decl = entry.decl->shadowed;
    }
}

void sema_scope_add(struct sema *s, struct decl *decl)
{
    decl->scope_depth = s->scope_depth;
    if (!decl->name)
        return;
    decl->shadowed = decl->name->decl;
    decl->name->decl = decl;
    vec_push(s->arena, &s->scope, (struct scope_entry){decl, false});
}

void sema_scope_add_tag(struct sema *s, struct decl *decl)
{
    decl->scope_depth = s->scope_depth;
    if (!decl->name)
        return;
    decl->shadowed = decl->name->tag;
    decl->name->tag = decl;
    vec_push(s->arena, &s->scope, (struct scope_entry){decl, true});
}

struct decl *sema_lookup(struct sema *s, struct ident *name)
{
    return name->decl ? name->decl : sema_predeclared(s, name);
}

struct decl *sema_decl_new(struct sema *s, enum decl_kind kind, struct ident *name, struct qual_type type, src_loc loc)
{
    struct decl *decl = arena_new(s->arena, struct decl);
    decl->kind = kind;
    decl->name = name;
    decl->type = type;
    decl->loc = loc;
    decl->first = decl;
    decl->scope_depth = s->scope_depth;
    return decl;
}

void sema_unit_add(struct sema *s, struct decl *decl)
{
    if (s->unit->last)
        s->unit->last->next = decl;
    else
        s->unit->first = decl;
    s->unit->last = decl;
}

/* Damerau-Levenshtein's simple cousin, cut off at limit. */
uint32_t sema_edit_distance(const char *a, uint32_t a_len, const char *b, uint32_t b_len, uint32_t limit)
{
    uint32_t row[65], previous, diagonal;
    if (a_len > 64 || b_len > 64 || a_len > b_len + limit || b_len > a_len + limit)
        return limit + 1;
    for (uint32_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= a_len; i++) {
        diagonal = row[0];
        row[0] = i;
        uint32_t best = i;
        for (uint32_t j = 1; j <= b_len; j++) {
            previous = row[j];
            uint32_t cost = diagonal + (a[i - 1] != b[j - 1]);
            cost = cost < row[j - 1] + 1 ? cost : row[j - 1] + 1;
            row[j] = cost < previous + 1 ? cost : previous + 1;
            diagonal = previous;
            best = best < row[j] ? best : row[j];
        }
        if (best > limit)
            return limit + 1;
    }
    return row[b_len];
}

enum suggest { SUGGEST_ANY, SUGGEST_FUNCTION, SUGGEST_TYPE };

static const char *suggest(struct sema *s, struct ident *name, enum suggest what)
{
    uint32_t limit = (name->length + 2) / 3, best = limit + 1;
    const char *found = NULL;
    for (uint32_t i = 0; i < s->front->ident_capacity && name->length > 2; i++) {
        const struct ident *other = s->front->ident_slots[i];
        if (!other || other == name || (!other->decl && !other->builtin))
            continue;
        if (what == SUGGEST_FUNCTION && other->decl && other->decl->kind != DECL_FUNCTION)
            continue;
        if (what == SUGGEST_TYPE && (!other->decl || other->decl->kind != DECL_TYPEDEF))
            continue;
        uint32_t distance = sema_edit_distance(name->name, name->length, other->name, other->length, limit);
        if (distance < best) {
            best = distance;
            found = other->name;
        }
    }
    return found;
}

const char *sema_suggest(struct sema *s, struct ident *name, bool functions_only)
{
    return suggest(s, name, functions_only ? SUGGEST_FUNCTION : SUGGEST_ANY);
}

const char *sema_suggest_type(struct sema *s, struct ident *name)
{
    return suggest(s, name, SUGGEST_TYPE);
}

/* ---- pragmas ---- */

static bool pragma_word(const char **text, const char *word)
{
    const char *p = *text;
    while (*p == ' ' || *p == '\t')
        p++;
    size_t length = strlen(word);
    if (strncmp(p, word, length) != 0)
        return false;
    char after = p[length];
    bool ends = !((after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z') || (after >= '0' && after <= '9') ||
                  after == '_');
    if (!ends && word[0] != ':' && word[0] != '(')
        return false;
    p += length;
    while (*p == ' ' || *p == '\t')
        p++;
    *text = p;
    return true;
}

static bool in_word_list(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length && at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

bool clc_extension_enabled(struct clc_front *front, const char *name)
{
    static const char *const core[] = {"cl_khr_fp64",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_3d_image_writes",
                                       "cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics"};
    size_t length = strlen(name);
    if (!in_word_list(front->target->extensions, name, length))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(core); i++)
        if (!strcmp(core[i], name))
            return true;
    return front->sema && str_map_get(&front->sema->extensions, name, length);
}

bool clc_feature_enabled(struct clc_front *front, const char *name)
{
    /* Unlike __opencl_c_* macros, which OpenCL C 3.0 has, earlier versions fix the set: 2.0 has all of these, 1.x none.
     */
    static const char *const in_20[] = {"__opencl_c_generic_address_space",
                                        "__opencl_c_program_scope_global_variables",
                                        "__opencl_c_pipes",
                                        "__opencl_c_device_enqueue",
                                        "__opencl_c_work_group_collective_functions",
                                        "__opencl_c_read_write_images",
                                        "__opencl_c_atomic_order_acq_rel",
                                        "__opencl_c_atomic_order_seq_cst",
                                        "__opencl_c_atomic_scope_device",
                                        "__opencl_c_atomic_scope_all_devices",
                                        "__opencl_c_3d_image_writes"};
    bool offered = in_word_list(front->target->features, name, strlen(name));
    if (front->options.std >= CLC_STD_30)
        return offered;
    if (front->options.std < CLC_STD_20)
        return offered && (!strcmp(name, "__opencl_c_fp64") || !strcmp(name, "__opencl_c_images") ||
                           !strcmp(name, "__opencl_c_int64"));
    for (size_t i = 0; i < ARRAY_LENGTH(in_20); i++)
        if (!strcmp(in_20[i], name))
            return true;
    return offered;
}

/* #pragma OPENCL EXTENSION name : behaviour. OpenCL C 3.0 extensions' specification, 1.1. */
static void pragma_extension(struct sema *s, const struct token *tok, const char *text)
{
    const char *name = text;
    size_t length = strcspn(text, " \t:");
    text += length;
    if (!pragma_word(&text, ":")) {
        clc_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "missing ':' after '%.*s' - ignoring", (int)length,
                    name);
        return;
    }
    bool enable = pragma_word(&text, "enable") || pragma_word(&text, "begin") || pragma_word(&text, "require");
    if (!enable && !pragma_word(&text, "disable") && !pragma_word(&text, "end")) {
        clc_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                    "expected 'enable', 'disable', 'begin' or 'end' - ignoring");
        return;
    }
    if (length == 3 && !strncmp(name, "all", 3)) {
        if (enable)
            clc_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "expected 'disable' - ignoring");
        else
            memset(&s->extensions, 0, sizeof(s->extensions));
    } else if (in_word_list(s->front->target->extensions, arena_strndup(s->arena, name, length), length)) {
        str_map_set(s->arena, &s->extensions, arena_strndup(s->arena, name, length), length, enable ? s : NULL);
    } else if (enable) {
        clc_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "unsupported OpenCL extension '%.*s' - ignoring",
                    (int)length, name);
    }
    s->fp16 = clc_extension_enabled(s->front, "cl_khr_fp16");
}

static uint32_t pragma_count(const char *text)
{
    uint64_t value = 0;
    while (*text == ' ' || *text == '\t' || *text == '(')
        text++;
    for (; *text >= '0' && *text <= '9' && value < UINT32_MAX; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    return (uint32_t)u64_min(value, UINT32_MAX);
}

static void pragma_unroll(struct sema *s, const char *text)
{
    s->pending_unroll = *text ? pragma_count(text) : UINT32_MAX;
    if (!s->pending_unroll)
        s->pending_unroll = *text >= '0' && *text <= '9' ? 1 : UINT32_MAX;
}

static void pragma_clang_loop(struct sema *s, const char *text)
{
    if (pragma_word(&text, "unroll_count"))
        pragma_unroll(s, text);
    else if (pragma_word(&text, "unroll"))
        s->pending_unroll = pragma_word(&text, "(disable") ? 1 : UINT32_MAX;
}

static void obey_pragma(struct sema *s, const struct token *tok)
{
    const char *text = tok->text ? tok->text : "";
    if (pragma_word(&text, "OPENCL") || pragma_word(&text, "STDC")) {
        if (pragma_word(&text, "EXTENSION"))
            pragma_extension(s, tok, text);
        else if (pragma_word(&text, "FP_CONTRACT")) {
            s->fp_contract_off = pragma_word(&text, "OFF");
            if (s->fp_contract_off && !s->function)
                s->unit->fp_contract_off = true;
            if (s->fp_contract_off && s->function)
                s->function->decl->fn.flags |= FN_CONTRACT_OFF;
        }
    } else if (pragma_word(&text, "unroll")) {
        pragma_unroll(s, text);
    } else if (pragma_word(&text, "nounroll")) {
        s->pending_unroll = 1;
    } else if (pragma_word(&text, "clang")) {
        if (pragma_word(&text, "loop"))
            pragma_clang_loop(s, text);
    } else if (pragma_word(&text, "GCC")) {
        if (pragma_word(&text, "unroll"))
            pragma_unroll(s, text);
    } else if (pragma_word(&text, "pack")) {
        clc_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                    "'#pragma pack' is ignored; use __attribute__((packed))");
    }
}

/* ---- the translation unit ---- */

static void init(struct sema *s, struct clc_front *front)
{
    s->front = front;
    s->arena = front->arena;
    s->unit = arena_new(s->arena, struct translation_unit);
    front->sema = s;
    if (!front->types)
        clc_types_init(front);
    s->generic_as = clc_feature_enabled(front, "__opencl_c_generic_address_space");
    s->program_scope_global = clc_feature_enabled(front, "__opencl_c_program_scope_global_variables");
    s->fp64 = clc_extension_enabled(front, "cl_khr_fp64") || clc_feature_enabled(front, "__opencl_c_fp64");
    s->images = front->target->images;
    s->poison = arena_new(s->arena, struct expr);
    s->poison->kind = EXPR_POISON;
    s->poison->type = qt(type_scalar(s, TYPE_POISON));
}

/* translation-unit = (external-declaration)* */
struct translation_unit *clc_parse(struct clc_front *front)
{
    struct sema *s = arena_new(front->arena, struct sema);
    init(s, front);
    sema_next(s);
    while (s->tok.kind != TOKEN_END)
        parse_external_declaration(s);
    if (!front->num_errors)
        sema_finish_unit(s);
    return s->unit;
}
