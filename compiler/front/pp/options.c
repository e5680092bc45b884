/* Build options (OpenCL 3.0 API, 5.8.6 and 5.8.7), split as a shell would: blanks separate, quotes and backslashes keep
 * them.
 *
 * Drivers differ in what else they take; programs written against them pass clang's -W and -O options, and those are
 * obeyed. Other vendors' options that are hints are dropped with a word in the log. Anything unknown is an error, as the
 * API says. */
#include "base/util.h"
#include "compiler/front/pp/front.h"
#include "compiler/front/pp/lex.h"
#include "compiler/front/pp/log.h"

#include <string.h>

struct parser {
    struct arena *arena;
    struct clc_options *options;
    VEC(const char *) words;
    uint32_t at;
    const char *message;
    struct str notes;
};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static void split(struct parser *parser, const char *text)
{
    for (;;) {
        struct str word;
        char quote = '\0';
        while (is_blank(*text))
            text++;
        if (!*text)
            return;
        str_init(&word, parser->arena);
        for (; *text && (quote || !is_blank(*text)); text++) {
            if (*text == quote) {
                quote = '\0';
            } else if (!quote && (*text == '"' || *text == '\'')) {
                quote = *text;
            } else if (*text == '\\' && quote != '\'' && text[1] &&
                       (text[1] == '"' || text[1] == '\\' || text[1] == '\'' || is_blank(text[1]))) {
                str_putc(&word, *++text);
            } else {
                str_putc(&word, *text);
            }
        }
        if (quote) {
            parser->message = "missing terminating quote in build options";
            return;
        }
        vec_push(parser->arena, &parser->words, str_text(&word));
    }
}

static void fail(struct parser *parser, const char *format, const char *word)
{
    struct str message;
    str_init(&message, parser->arena);
    str_puts(&message, format);
    str_printf(&message, " '%.200s'", word);
    parser->message = str_text(&message);
}

/* The value of -X: the rest of the word, else the next word. NULL when there is none. */
static const char *value_of(struct parser *parser, const char *word)
{
    if (word[2])
        return word + 2;
    if (parser->at < parser->words.length)
        return parser->words.data[parser->at++];
    fail(parser, "missing value after", word);
    return NULL;
}

/* ---- single options ---- */

/* How many characters of the text are an identifier. */
static size_t identifier_length(const char *text)
{
    size_t length = 0;
    if (clc_char_class[(unsigned char)text[0]] & CHAR_DIGIT)
        return 0;
    while (clc_char_class[(unsigned char)text[length]] & CHAR_IDENT)
        length++;
    return length;
}

/* NAME, NAME=value, NAME(parameters)=value; each becomes a line that the preprocessor reads. Anything else behind the
 * name begins the value, and the preprocessor warns of it, as clang does: programs make macros of devices' names, in
 * which they replace blanks but not commas. */
static void define(struct parser *parser, const char *text, bool undefine)
{
    size_t name = undefine ? strlen(text) : strcspn(text, "=");
    if (!identifier_length(text) || strcspn(text, "\n\r") < name) {
        fail(parser, "macro name must be an identifier in", text);
        return;
    }
    struct clc_option_define entry = {.name = arena_strndup(parser->arena, text, name)};
    if (!undefine)
        entry.value = text[name] ? arena_strndup(parser->arena, text + name + 1, strlen(text + name + 1)) : "1";
    vec_push(parser->arena, &parser->options->defines, entry);
}

static void language_version(struct parser *parser, const char *word)
{
    static const struct {
        const char *name;
        enum clc_std std;
    } versions[] = {
        {"CL1.0", CLC_STD_10}, {"CL1.1", CLC_STD_11}, {"CL1.2", CLC_STD_12}, {"CL2.0", CLC_STD_20},
        {"CL3.0", CLC_STD_30}, {"CL3.1", CLC_STD_31}, {"CL", CLC_STD_10},
    };
    const char *name = word + strlen("-cl-std=");
    for (size_t i = 0; i < ARRAY_LENGTH(versions); i++) {
        bool same = strlen(name) == strlen(versions[i].name);
        for (size_t j = 0; same && name[j]; j++)
            same = name[j] == versions[i].name[j] || (name[j] | 32) == (versions[i].name[j] | 32);
        if (same) {
            parser->options->std = versions[i].std;
            parser->options->std_given = true;
            return;
        }
    }
    fail(parser, "invalid value (use CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1) in", word);
}

/* Groups within groups, as clang has them: -Wno-parent speaks of its children too. */
static const struct {
    const char *parent, *child;
} subgroups[] = {
    {"conversion", "bitfield-constant-conversion"},
    {"conversion", "bool-conversion"},
    {"conversion", "constant-conversion"},
    {"conversion", "enum-conversion"},
    {"conversion", "float-conversion"},
    {"conversion", "implicit-const-int-float-conversion"},
    {"conversion", "int-conversion"},
    {"conversion", "literal-conversion"},
    {"conversion", "pointer-bool-conversion"},
    {"conversion", "sign-conversion"},
    {"deprecated", "deprecated-declarations"},
    {"deprecated", "deprecated-non-prototype"},
    {"format", "format-extra-args"},
    {"format", "format-insufficient-args"},
    {"format", "format-invalid-specifier"},
    {"implicit", "implicit-function-declaration"},
    {"implicit", "implicit-int"},
    {"incompatible-pointer-types", "incompatible-pointer-types-discards-qualifiers"},
    {"parentheses", "bitwise-conditional-parentheses"},
    {"parentheses", "bitwise-op-parentheses"},
    {"parentheses", "dangling-else"},
    {"parentheses", "logical-not-parentheses"},
    {"parentheses", "logical-op-parentheses"},
    {"parentheses", "parentheses-equality"},
    {"parentheses", "shift-op-parentheses"},
    {"pragmas", "ignored-pragmas"},
    {"pragmas", "unknown-pragmas"},
    {"tautological-compare", "tautological-bitwise-compare"},
    {"tautological-compare", "tautological-constant-compare"},
    {"tautological-compare", "tautological-constant-out-of-range-compare"},
    {"tautological-compare", "tautological-overlap-compare"},
    {"tautological-compare", "tautological-pointer-compare"},
    {"tautological-constant-compare", "tautological-constant-out-of-range-compare"},
    {"unused", "unused-but-set-variable"},
    {"unused", "unused-comparison"},
    {"unused", "unused-function"},
    {"unused", "unused-label"},
    {"unused", "unused-local-typedef"},
    {"unused", "unused-result"},
    {"unused", "unused-value"},
    {"unused", "unused-variable"},
    {"unused-value", "unused-comparison"},
    {"unused-value", "unused-result"},
    {"unused-variable", "unused-const-variable"},
};

static void set_group(struct clc_options *options, const char *name, int8_t state)
{
    enum diag_group group = pp_diag_group_find(name, strlen(name));
    if (group != DIAG_GROUP_NONE) /* like clang, other compilers' groups are let pass */
        options->group_state[group] = state;
    for (size_t i = 0; i < ARRAY_LENGTH(subgroups); i++) {
        if (strcmp(subgroups[i].parent, name) == 0)
            options->group_state[pp_diag_group_find(subgroups[i].child, strlen(subgroups[i].child))] = state;
    }
}

static void set_every_group(struct clc_options *options, int8_t state)
{
    for (int i = DIAG_GROUP_NONE + 1; i < DIAG_GROUP_COUNT; i++)
        options->group_state[i] = state;
}

/* -Wname, -Wno-name, -Werror=name, -Wno-error=name */
static void warning(struct parser *parser, const char *name)
{
    struct clc_options *options = parser->options;
    int8_t state = 1;
    if (strcmp(name, "error") == 0) {
        options->warnings_are_errors = true;
        return;
    }
    if (strcmp(name, "no-error") == 0) {
        options->warnings_are_errors = false;
        return;
    }
    if (strcmp(name, "all") == 0 || strcmp(name, "extra") == 0 || strcmp(name, "most") == 0 || strcmp(name, "") == 0) {
        options->all_warnings = true;
        options->extra_warnings = options->extra_warnings || strcmp(name, "extra") == 0 || !*name;
        return;
    }
    if (strcmp(name, "everything") == 0 || strcmp(name, "no-everything") == 0) {
        set_every_group(options, name[0] == 'n' ? -1 : 1);
        return;
    }
    if (strcmp(name, "no-all") == 0 || strcmp(name, "no-extra") == 0) {
        options->all_warnings = false;
        options->extra_warnings = false;
        return;
    }
    if (strncmp(name, "error=", 6) == 0) {
        state = 2;
        name += 6;
    } else if (strncmp(name, "no-error=", 9) == 0) {
        name += 9;
    } else if (strncmp(name, "no-", 3) == 0) {
        state = -1;
        name += 3;
    }
    set_group(options, name, state);
}

static void imply(struct clc_options *options)
{
    /* OpenCL 3.0 API, 5.8.6.3 */
    options->unsafe_math |= options->fast_relaxed_math;
    options->finite_math_only |= options->fast_relaxed_math;
    options->no_signed_zeros |= options->unsafe_math;
    options->mad_enable |= options->unsafe_math;
    /* cl_arm_non_uniform_work_group_size; who asks for both means the stricter one */
    options->uneven_work_groups &= !options->uniform_work_group_size;
}

static bool set_flag(const char *word, struct clc_options *options, bool link)
{
    const struct {
        const char *name;
        bool *flag;
        bool compile, link;
    } flags[] = {
        {"-cl-single-precision-constant", &options->single_precision_constant, true, false},
        {"-cl-denorms-are-zero", &options->denorms_are_zero, true, true},
        {"-cl-fp32-correctly-rounded-divide-sqrt", &options->fp32_correctly_rounded_divide_sqrt, true, false},
        {"-cl-opt-disable", &options->opt_disable, true, false},
        {"-O0", &options->opt_disable, true, false},
        {"-cl-mad-enable", &options->mad_enable, true, false},
        {"-cl-no-signed-zeros", &options->no_signed_zeros, true, true},
        {"-cl-unsafe-math-optimizations", &options->unsafe_math, true, true},
        {"-cl-finite-math-only", &options->finite_math_only, true, true},
        {"-cl-fast-relaxed-math", &options->fast_relaxed_math, true, true},
        {"-cl-uniform-work-group-size", &options->uniform_work_group_size, true, false},
        {"-cl-arm-non-uniform-work-group-size", &options->uneven_work_groups, true, false},
        {"-cl-no-subgroup-ifp", &options->no_subgroup_ifp, true, true},
        {"-cl-kernel-arg-info", &options->kernel_arg_info, true, false},
        {"-g", &options->debug_info, true, false},
        {"-w", &options->no_warnings, true, false},
        {"-create-library", &options->create_library, false, true},
        {"-enable-link-options", &options->enable_link_options, false, true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++) {
        if ((link ? flags[i].link : flags[i].compile) && strcmp(word, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

/* Options that programs pass and that change nothing here: optimisation levels, those of the SPIR consumer, the strict
 * aliasing of OpenCL 1.0. */
static bool is_ignored(const char *word)
{
    static const char *const words[] = {"-O", "-O1", "-O2", "-O3", "-Os", "-cl-strict-aliasing", "-pedantic", "-x"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return strncmp(word, "-spir-std=", 10) == 0 || strncmp(word, "-fdiagnostics-", 14) == 0;
}

/* Options of other vendors' compilers that ask for no other results: how many registers, which optimisations, what to
 * print, which files to keep. */
static const struct hint {
    const char *name;
    enum { WHOLE, BEGINNING, WITH_VALUE } form; /* WITH_VALUE: the next word belongs to it */
} hints[] = {
    {"-cl-intel-", BEGINNING},
    {"-ze-opt-", BEGINNING},
    {"-ze-kernel-scheduling-hint", WHOLE},
    {"-cl-nv-verbose", WHOLE},
    {"-cl-nv-arch", WITH_VALUE},
    {"-cl-nv-maxrregcount", WITH_VALUE},
    {"-cl-nv-opt-level", WITH_VALUE},
    {"-cl-nv-", BEGINNING},
    {"-nv-", BEGINNING},
    {"-qcom-", BEGINNING},
    {"-save-temps", BEGINNING},
    {"-fbin-", BEGINNING},
    {"-fno-bin-", BEGINNING},
    {"-auto-prefetch-level=", BEGINNING},
    {"-profiling", WHOLE},
};

static bool is_hint(struct parser *parser, const char *word)
{
    for (size_t i = 0; i < ARRAY_LENGTH(hints); i++) {
        size_t length = strlen(hints[i].name);
        if (strncmp(word, hints[i].name, length) != 0 || (hints[i].form != BEGINNING && word[length]))
            continue;
        if (hints[i].form == WITH_VALUE && parser->at < parser->words.length)
            parser->at++;
        str_printf(&parser->notes, "warning: build option '%.200s' is another vendor's hint, and is ignored\n", word);
        return true;
    }
    return false;
}

static void parse_word(struct parser *parser, const char *word, bool link)
{
    const char *value;
    if (set_flag(word, parser->options, link))
        return;
    if (!link && strncmp(word, "-cl-std=", 8) == 0) {
        language_version(parser, word);
    } else if (!link && (strncmp(word, "-D", 2) == 0 || strncmp(word, "-U", 2) == 0)) {
        value = value_of(parser, word);
        if (value)
            define(parser, value, word[1] == 'U');
    } else if (!link && strncmp(word, "-I", 2) == 0) {
        value = value_of(parser, word);
        if (value)
            vec_push(parser->arena, &parser->options->include_dirs, value);
    } else if (!link && strncmp(word, "-W", 2) == 0) {
        warning(parser, word + 2);
    } else if (!link && is_ignored(word)) {
        if (strcmp(word, "-x") == 0)
            value_of(parser, word);
    } else if (!is_hint(parser, word)) {
        fail(parser, "unknown build option", word);
    }
}

const char *pp_options_parse(struct arena *arena, const char *text, bool link, struct clc_options *options)
{
    struct parser parser = {.arena = arena, .options = options};
    *options = (struct clc_options){.std = CLC_STD_12};
    str_init(&parser.notes, arena);
    split(&parser, text ? text : "");
    while (!parser.message && parser.at < parser.words.length) {
        const char *word = parser.words.data[parser.at++];
        parse_word(&parser, word, link);
    }
    imply(options);
    options->notes = options->no_warnings ? "" : str_text(&parser.notes);
    if (!parser.message && link && options->enable_link_options && !options->create_library)
        parser.message = "-enable-link-options requires -create-library";
    return parser.message;
}
