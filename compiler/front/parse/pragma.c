/* #pragma as the parser sees it: OPENCL EXTENSION, FP_CONTRACT, pack, and unrolling. A pragma is obeyed when its token
 * is fetched; what it says of the next loop waits in sema.pending_unroll until a loop takes it. OpenCL C 3.0, 6.12. */
#include "compiler/front/parse/parse.h"

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static bool pragma_word(const char **text, const char *word)
{
    const char *p = skip_blanks(*text);
    size_t length = strlen(word);
    if (strncmp(p, word, length) != 0)
        return false;
    if (is_word_char(p[length]) && word[0] != ':' && word[0] != '(')
        return false;
    *text = skip_blanks(p + length);
    return true;
}

/* ---- OPENCL, STDC ---- */

/* #pragma OPENCL EXTENSION name : behaviour. OpenCL C 3.0 extensions' specification, 1.1. */
static void pragma_extension(struct sema *s, const struct token *tok, const char *text)
{
    const char *name = text;
    size_t length = strcspn(text, " \t:");
    text += length;
    if (!length) {
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "expected identifier in '#pragma OPENCL' - ignored");
        return;
    }
    if (!pragma_word(&text, ":")) {
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "missing ':' after '%.*s' - ignoring", (int)length,
                   name);
        return;
    }
    bool enable = pragma_word(&text, "enable") || pragma_word(&text, "begin") || pragma_word(&text, "require");
    if (!enable && !pragma_word(&text, "disable") && !pragma_word(&text, "end")) {
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                   "expected 'enable', 'disable', 'begin' or 'end' - ignoring");
        return;
    }
    if (*text)
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                   "extra tokens at end of '#pragma OPENCL EXTENSION' - ignored");
    if (length == 3 && !strncmp(name, "all", 3)) {
        if (enable)
            pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "expected 'disable' - ignoring");
        else
            memset(&s->extensions, 0, sizeof(s->extensions));
    } else if (pp_word_in_list(s->front->target->extensions, name, length)) {
        str_map_set(s->arena, &s->extensions, arena_strndup(s->arena, name, length), length, enable ? s : NULL);
    } else if (enable) {
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "unsupported OpenCL extension '%.*s' - ignoring",
                   (int)length, name);
    }
    s->fp16 = clc_extension_enabled(s->front, "cl_khr_fp16");
}

static void pragma_contract(struct sema *s, const struct token *tok, const char *text)
{
    bool off = pragma_word(&text, "OFF");
    if (!off && !pragma_word(&text, "ON") && !pragma_word(&text, "DEFAULT")) {
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                   "expected 'ON' or 'OFF' or 'DEFAULT' in pragma - ignored");
        return;
    }
    if (*text)
        pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc,
                   "extra tokens at end of '#pragma OPENCL FP_CONTRACT' - ignored");
    s->fp_contract_off = off;
    if (s->fp_contract_off && !s->function)
        s->unit->fp_contract_off = true;
    if (s->fp_contract_off && s->function)
        s->function->decl->fn.flags |= FN_CONTRACT_OFF;
}

/* ---- counts ---- */

/* A constant expression in a pragma's text, macros replaced already: numbers, enumerators and constant variables with
 * C's operators, by precedence climbing. */
struct count_reader {
    struct sema *s;
    const char *at;
    uint32_t depth;
    bool bad;
};

static int64_t read_binary(struct count_reader *r, int lowest);

static int64_t read_number(struct count_reader *r)
{
    uint64_t value = 0;
    int base = 10;
    if (r->at[0] == '0' && (r->at[1] | 32) == 'x') {
        base = 16;
        r->at += 2;
    } else if (r->at[0] == '0') {
        base = 8;
    }
    for (;; r->at++) {
        char c = *r->at;
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
        if (digit >= base)
            break;
        value = value < UINT32_MAX ? value * (uint64_t)base + (uint64_t)digit : value;
    }
    while ((*r->at | 32) == 'u' || (*r->at | 32) == 'l')
        r->at++;
    r->bad |= is_word_char(*r->at) || *r->at == '.';
    return (int64_t)value;
}

static int64_t read_name(struct count_reader *r)
{
    const char *start = r->at;
    while (is_word_char(*r->at))
        r->at++;
    struct ident *name = pp_intern(r->s->front, start, (size_t)(r->at - start));
    struct decl *decl = sema_lookup(r->s, name);
    if (decl && decl->kind == DECL_ENUM_CONSTANT)
        return decl->enum_constant.value;
    if (decl && decl->kind == DECL_VARIABLE && !decl->invalid) {
        struct expr *value = clc_rvalue(r->s->front, expr_decl(r->s, decl, decl->loc, (struct src_range){0, 0}));
        if (value->is_constant && !value->float_value)
            return (int64_t)value->integer;
    }
    r->bad = true;
    return 0;
}

static int64_t read_primary(struct count_reader *r)
{
    int64_t value = 0;
    r->at = skip_blanks(r->at);
    char c = *r->at;
    if (r->bad || ++r->depth > SEMA_MAX_NESTING) {
        r->bad = true;
        return 0;
    }
    if (c == '(') {
        r->at++;
        value = read_binary(r, 0);
        r->at = skip_blanks(r->at);
        r->bad |= *r->at != ')';
        r->at += *r->at == ')';
    } else if (c == '-' || c == '+' || c == '~' || c == '!') {
        r->at++;
        value = read_primary(r);
        value = c == '-' ? (int64_t) - (uint64_t)value : c == '~' ? ~value : c == '!' ? !value : value;
    } else if (c >= '0' && c <= '9') {
        value = read_number(r);
    } else if (is_word_char(c)) {
        value = read_name(r);
    } else {
        r->bad = true;
    }
    r->depth--;
    return value;
}

static int64_t apply(struct count_reader *r, const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op[0]) {
    case '*':
        return (int64_t)(x * y);
    case '/':
    case '%':
        if (!b || (a == INT64_MIN && b == -1)) {
            r->bad = true;
            return 0;
        }
        return op[0] == '/' ? a / b : a % b;
    case '+':
        return (int64_t)(x + y);
    case '-':
        return (int64_t)(x - y);
    case '<':
        return op[1] == '<' ? (int64_t)(x << (y & 63)) : op[1] == '=' ? a <= b : a < b;
    case '>':
        return op[1] == '>' ? a >> (y & 63) : op[1] == '=' ? a >= b : a > b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return op[1] == '&' ? a && b : (int64_t)(x & y);
    case '^':
        return (int64_t)(x ^ y);
    default:
        return op[1] == '|' ? a || b : (int64_t)(x | y);
    }
}

static int64_t read_binary(struct count_reader *r, int lowest)
{
    static const struct {
        char op[3];
        int precedence;
    } operators[] = {
        {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&&", 2}, {"||", 1}, {"*", 10},
        {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3},
    };
    int64_t left = read_primary(r);
    while (!r->bad) {
        size_t i = 0;
        r->at = skip_blanks(r->at);
        while (i < ARRAY_LENGTH(operators) && strncmp(r->at, operators[i].op, strlen(operators[i].op)) != 0)
            i++;
        if (i == ARRAY_LENGTH(operators) || operators[i].precedence <= lowest)
            break;
        r->at += strlen(operators[i].op);
        int64_t right = read_binary(r, operators[i].precedence);
        left = apply(r, operators[i].op, left, right);
    }
    return left;
}

/* ---- pack ---- */

static void pack_warning(struct sema *s, const struct token *tok, const char *message)
{
    pp_warning(s->front, DIAG_GROUP_IGNORED_PRAGMAS, tok->loc, "%s", message);
}

static bool pack_number(struct sema *s, const char **text, int64_t *value)
{
    struct count_reader reader = {.s = s, .at = *text};
    if (**text < '0' || **text > '9')
        return false;
    *value = read_number(&reader);
    while (is_word_char(*reader.at) || *reader.at == '.') /* the rest of one that is no integer */
        reader.at++;
    *value = reader.bad ? -1 : *value;
    *text = skip_blanks(reader.at);
    return true;
}

/* The innermost entry of that name, or just the innermost where it has none, goes with all that is above it. */
static void pop_pack(struct sema *s, const char *name, size_t length)
{
    uint32_t at = s->packs.length;
    while (at && length &&
           (s->packs.data[at - 1].length != length || strncmp(s->packs.data[at - 1].name, name, length)))
        at--;
    if (!at)
        return;
    s->pack_align = s->packs.data[at - 1].align;
    s->packs.length = at - 1;
}

/* "(" number? ")" | "(" "show" ")" | "(" ("push" | "pop") ("," name)? ("," number)? ")" */
static void pragma_pack(struct sema *s, const struct token *tok, const char *text)
{
    if (!pragma_word(&text, "(")) {
        pack_warning(s, tok, "missing '(' after '#pragma pack' - ignoring");
        return;
    }
    const char *name = "";
    size_t length = 0;
    int64_t value = 0;
    bool sets = pack_number(s, &text, &value), resets = !sets && *text == ')', push = false, pop = false, show = false;
    if (!sets && is_word_char(*text)) {
        push = pragma_word(&text, "push");
        pop = !push && pragma_word(&text, "pop");
        show = !push && !pop && pragma_word(&text, "show");
        if (!push && !pop && !show) {
            pack_warning(s, tok, "unknown action for '#pragma pack' - ignored");
            return;
        }
        bool comma = !show && *text == ',';
        text = comma ? skip_blanks(text + 1) : text;
        sets = comma && pack_number(s, &text, &value);
        if (comma && !sets) {
            for (name = text; is_word_char(text[length]); length++)
                continue;
            text = skip_blanks(text + length);
            comma = *text == ',';
            text = comma ? skip_blanks(text + 1) : text;
            sets = comma && pack_number(s, &text, &value);
            if (!length || comma != sets) {
                pack_warning(s, tok, "expected integer or identifier in '#pragma pack' - ignored");
                return;
            }
        }
    }
    if (*text != ')') {
        pack_warning(s, tok, "missing ')' after '#pragma pack' - ignoring");
        return;
    }
    if (*skip_blanks(text + 1)) {
        pack_warning(s, tok, "extra tokens at end of '#pragma pack' - ignored");
        return;
    }
    if (sets && (value < 0 || value > 16 || (value & (value - 1)))) {
        pack_warning(s, tok, "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'");
        return;
    }
    if (show)
        pp_warning(s->front, DIAG_GROUP_NONE, tok->loc, "value of #pragma pack(show) == %u",
                   s->pack_align ? s->pack_align : 8); /* clang's 8 for no bound */
    if (push && s->packs.length == SEMA_MAX_NESTING)   /* each pop by name looks at them all */
        pp_fatal(s->front, tok->loc, "#pragma pack(push, ...) nested too deeply");
    if (push)
        vec_push(s->arena, &s->packs, ((struct pack_slot){name, (uint32_t)length, s->pack_align, tok->loc}));
    if (pop && sets && length)
        pp_warning(s->front, DIAG_GROUP_NONE, tok->loc, "specifying both a name and alignment to 'pop' is undefined");
    if (pop && !s->packs.length)
        pack_warning(s, tok, "#pragma pack(pop, ...) failed: stack empty");
    if (pop)
        pop_pack(s, name, length);
    if (sets || resets)
        s->pack_align = (uint32_t)value; /* pack(0) is pack() */
}

void parse_check_packs(struct sema *s)
{
    for (uint32_t i = s->packs.length; i > 0; i--)
        pp_warning(s->front, DIAG_GROUP_PRAGMA_PACK, s->packs.data[i - 1].loc,
                   "unterminated '#pragma pack (push, ...)' at end of file");
}

/* ---- loops ---- */

static void pragma_count(struct sema *s, const struct token *tok, const char *text)
{
    struct count_reader reader = {.s = s, .at = text};
    int64_t count = read_binary(&reader, 0);
    s->pending_unroll = 0;
    if (reader.bad || *skip_blanks(reader.at))
        pp_error(s->front, tok->loc, "expression '%s' is not an integer constant expression", text);
    else if (count <= 0)
        pp_error(s->front, tok->loc, "invalid value '%lld'; must be positive", (long long)count);
    else
        s->pending_unroll = (uint32_t)u64_min((uint64_t)count, UINT32_MAX - 1);
}

static void pragma_clang_loop(struct sema *s, const struct token *tok, const char *text)
{
    while (*text) {
        if (pragma_word(&text, "unroll_count")) {
            size_t length = strcspn(text, ")");
            pragma_count(s, tok, arena_strndup(s->arena, text, length + (text[length] == ')')));
        } else if (pragma_word(&text, "unroll")) {
            s->pending_unroll = pragma_word(&text, "(disable") ? 1 : UINT32_MAX;
        }
        text += strcspn(text, ")");
        text = skip_blanks(text + (*text == ')'));
    }
}

static bool pragma_loop(struct sema *s, const struct token *tok, const char *text)
{
    const char *spelled = NULL;
    bool gcc = pragma_word(&text, "GCC"), clang = !gcc && pragma_word(&text, "clang");
    if (!gcc && !clang && pragma_word(&text, "nounroll")) {
        s->pending_unroll = 1;
        spelled = "nounroll";
    } else if (!clang && pragma_word(&text, "unroll")) {
        s->pending_unroll = UINT32_MAX;
        if (*text)
            pragma_count(s, tok, text);
        spelled = "unroll";
    } else if (clang && pragma_word(&text, "loop")) {
        pragma_clang_loop(s, tok, text);
        spelled = "clang loop";
    }
    if (!spelled)
        return false;
    s->unroll_pragma = spelled;
    s->unroll_loc = tok->loc;
    if (!s->function && !s->scope_depth && s->skipping) {
        s->pending_unroll = 0;
    } else if (!s->function && !s->scope_depth) {
        pp_error(s->front, tok->loc, "expected a for, while, or do-while loop to follow '#pragma %s'", spelled);
        s->pending_unroll = 0;
    }
    return true;
}

void parse_check_unroll(struct sema *s)
{
    enum token_kind kind = s->tok.kind;
    if (!s->pending_unroll || !s->unroll_pragma || kind == TOKEN_FOR || kind == TOKEN_WHILE || kind == TOKEN_DO ||
        kind == TOKEN_ATTRIBUTE)
        return;
    pp_error(s->front, s->unroll_loc, "expected a for, while, or do-while loop to follow '#pragma %s'",
             s->unroll_pragma);
    s->pending_unroll = 0;
}

void parse_pragma(struct sema *s, const struct token *tok)
{
    const char *text = tok->text ? tok->text : "";
    if (pragma_word(&text, "OPENCL") || pragma_word(&text, "STDC")) {
        if (pragma_word(&text, "EXTENSION"))
            pragma_extension(s, tok, text);
        else if (pragma_word(&text, "FP_CONTRACT"))
            pragma_contract(s, tok, text);
    } else if (!pragma_loop(s, tok, text) && pragma_word(&text, "pack")) {
        pragma_pack(s, tok, text);
    }
}
