/* Attributes of OpenCL C++ (1.0, 2.8), of which clang knows none: it would leave out [[cl::...]] with a warning. They
 * become those of OpenCL C, which it knows:
 *
 *     struct [[cl::packed]] s { ... };                     ->   struct __attribute__((packed)) s { ... };
 *
 * but for sizes of work-groups, whose arguments may be specialisation constants. Those become objects, of which
 * cxx_sizes.c makes execution modes:
 *
 *     [[cl::required_work_group_size(c, 1, 1)]]            ->   extern "C" { ... pumice_required_k = { c, 1, 1 }; }
 *     kernel void k() { ... }                                   kernel void k() { ... }
 *
 * The text is that of clang -E -frewrite-includes: all files are in it, macros are not replaced. No line is added or
 * taken away, so that clang's messages name the right ones. */
#include "cxx_passes.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    size_t length, capacity;
    bool failed;
};

struct rewriter {
    const char *at, *end;
    struct text out;
    char *message;
    bool found;
};

static void put(struct text *text, const char *from, size_t length)
{
    if (text->length + length + 1 > text->capacity) {
        size_t capacity = (text->length + length + 1) * 2;
        char *grown = realloc(text->data, capacity);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, from, length);
    text->length += length;
    text->data[text->length] = '\0';
}

/* Source, without its line ends: they are put in afterwards. */
static void put_flat(struct text *text, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(text, from[i] == '\n' ? " " : from + i, 1);
}

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    text->failed |= length < 0 || (size_t)length >= sizeof(line);
    if (!text->failed)
        put(text, line, (size_t)length);
}

/* ---- tokens, as far as they matter ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool starts(const struct rewriter *r, const char *at, const char *text)
{
    return (size_t)(r->end - at) >= strlen(text) && !memcmp(at, text, strlen(text));
}

static const char *find(const struct rewriter *r, const char *at, const char *text)
{
    while (at < r->end && !starts(r, at, text))
        at++;
    return at;
}

static const char *skip_quoted(const struct rewriter *r, const char *at)
{
    char quote = *at++;
    while (at < r->end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < r->end ? 2 : 1;
    return at < r->end ? at + 1 : r->end;
}

/* R"x(...)x" */
static const char *skip_raw(const struct rewriter *r, const char *at)
{
    char end[20] = ")";
    size_t length = strcspn(at + 2, "(");
    if (length > 16)
        return at + 2;
    memcpy(end + 1, at + 2, length);
    end[1 + length] = '"';
    at = find(r, at, end);
    return at < r->end ? at + length + 2 : r->end;
}

/* Behind a comment, a literal or a word; where none of them begins: the next character. */
static const char *skip_token(const struct rewriter *r, const char *at)
{
    if (starts(r, at, "//"))
        return find(r, at, "\n");
    if (starts(r, at, "/*")) {
        at = find(r, at + 2, "*/");
        return at < r->end ? at + 2 : at;
    }
    if (starts(r, at, "R\""))
        return skip_raw(r, at);
    if (*at == '"' || *at == '\'')
        return skip_quoted(r, at);
    if (!is_word(*at))
        return at + 1;
    while (at < r->end && (is_word(*at) || (*at == '\'' && at + 1 < r->end && is_word(at[1]))))
        at++;
    return at;
}

static const char *skip_space(const struct rewriter *r, const char *at)
{
    while (at < r->end) {
        if (isspace((unsigned char)*at))
            at++;
        else if (starts(r, at, "//") || starts(r, at, "/*"))
            at = skip_token(r, at);
        else
            break;
    }
    return at;
}

/* Behind the bracket that closes the one at `at`. */
static const char *skip_brackets(const struct rewriter *r, const char *at)
{
    int depth = 0;
    while (at < r->end) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        at = skip_token(r, at);
        if (!depth)
            break;
    }
    return at;
}

/* ---- attributes ---- */

struct attribute {
    const char *name, *arguments; /* behind "cl::"; between the parentheses, or NULL */
    size_t name_length, length;
};

static bool is_named(const struct attribute *a, const char *name)
{
    return strlen(name) == a->name_length && !memcmp(a->name, name, a->name_length);
}

static void fail(struct rewriter *r, const struct attribute *a, const char *what)
{
    if (!*r->message)
        snprintf(r->message, CXX_MESSAGE, "the attribute cl::%.*s %s", (int)(a->name_length < 64 ? a->name_length : 64),
                 a->name, what);
}

/* The name of the kernel that is declared behind the attributes; *length 0: there is none. */
static const char *kernel_name(const struct rewriter *r, const char *at, size_t *length)
{
    bool kernel = false;
    *length = 0;
    while ((at = skip_space(r, at)) < r->end) {
        const char *end = skip_token(r, at);
        size_t size = (size_t)(end - at);
        if (*at == '[' || *at == '(') {
            end = skip_brackets(r, at);
        } else if (!is_word(*at)) {
            return NULL;
        } else if ((size == 6 && !memcmp(at, "kernel", 6)) || (size == 8 && !memcmp(at, "__kernel", 8))) {
            kernel = true;
        } else if (*skip_space(r, end) == '(' && !(size == 13 && !memcmp(at, "__attribute__", 13))) {
            *length = kernel ? size : 0;
            return at;
        }
        at = end;
    }
    return NULL;
}

static unsigned count_arguments(const struct rewriter *r, const struct attribute *a)
{
    unsigned count = a->arguments && a->length ? 1 : 0;
    for (const char *at = a->arguments; count && at < a->arguments + a->length;) {
        count += *at == ',';
        at = *at == '(' || *at == '[' || *at == '{' ? skip_brackets(r, at) : skip_token(r, at);
    }
    return count;
}

/* Puts each argument into a call of size_of(). */
static void put_sizes(struct rewriter *r, const struct attribute *a)
{
    const char *begin = a->arguments, *end = a->arguments + a->length;
    for (const char *at = begin; at <= end;) {
        if (at == end || *at == ',') {
            put(&r->out, "cl::__detail::__size_of(", 24);
            put_flat(&r->out, begin, (size_t)(at - begin));
            put(&r->out, at == end ? ")" : "), ", at == end ? 1 : 3);
            begin = ++at;
        } else {
            at = *at == '(' || *at == '[' || *at == '{' ? skip_brackets(r, at) : skip_token(r, at);
        }
    }
}

static void put_size(struct rewriter *r, const struct attribute *a, const char *kind, unsigned wanted,
                     const char *after)
{
    size_t length;
    const char *kernel = kernel_name(r, after, &length);
    if (count_arguments(r, a) != wanted) {
        fail(r, a, wanted == 3 ? "takes three arguments" : "takes one argument");
        return;
    }
    if (!kernel || !length || length > 256) {
        fail(r, a, "does not stand in front of a kernel");
        return;
    }
    print(&r->out,
          "extern \"C\" { __attribute__((require_constant_initialization)) __global cl::__detail::__size_attribute "
          "pumice_%s_%.*s = {{",
          kind, (int)length, kernel);
    put_sizes(r, a);
    put(&r->out, "}}; } ", 6);
}

/* Those that OpenCL C has too. */
static const struct {
    const char *name, *own;
} plain[] = {
    {"aligned", "aligned"},
    {"packed", "packed"},
    {"vec_type_hint", "vec_type_hint"},
    {"unroll_hint", "opencl_unroll_hint"},
};

static void put_attribute(struct rewriter *r, struct text *own, const struct attribute *a, const char *after)
{
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (!is_named(a, plain[i].name))
            continue;
        print(own, "__attribute__((%s", plain[i].own);
        if (a->arguments) {
            put(own, "(", 1);
            put_flat(own, a->arguments, a->length);
            put(own, ")", 1);
        }
        put(own, ")) ", 3);
        return;
    }
    if (is_named(a, "required_work_group_size"))
        put_size(r, a, "required", 3, after);
    else if (is_named(a, "work_group_size_hint"))
        put_size(r, a, "hint", 3, after);
    else if (is_named(a, "required_num_sub_groups"))
        put_size(r, a, "subgroups", 1, after);
    else if (is_named(a, "ivdep")) { /* a hint that clang has nothing for */
        if (a->arguments && a->length && *skip_space(r, a->arguments) == '-')
            fail(r, a, "takes a positive number");
    } else if (!is_named(a, "max_size")) /* a limit that nothing here needs to know */
        fail(r, a, "is not one of OpenCL C++");
}

/* One attribute; gives what is behind it. Those that are not OpenCL's are collected for a list of their own. */
static const char *rewrite_one(struct rewriter *r, const char *at, const char *end, const char *after, struct text *own,
                               struct text *others)
{
    struct attribute a = {0};
    const char *begin = at;
    if (!starts(r, at, "cl::")) {
        while (at < end && *at != ',')
            at = *at == '(' ? skip_brackets(r, at) : skip_token(r, at);
        if (others->length)
            put(others, ", ", 2);
        put_flat(others, begin, (size_t)(at - begin));
        return at;
    }
    a.name = skip_space(r, at + 4);
    at = skip_token(r, a.name);
    a.name_length = (size_t)(at - a.name);
    at = skip_space(r, at);
    if (*at == '(') {
        const char *close = skip_brackets(r, at);
        a.arguments = at + 1;
        a.length = (size_t)(close - 1 - a.arguments);
        at = close;
    }
    put_attribute(r, own, &a, after);
    return at;
}

/* Behind all lists of attributes that follow each other from `at`; *cl: one of them has an attribute of ours. */
static const char *skip_lists(const struct rewriter *r, const char *at, bool *cl)
{
    const char *end = at;
    for (*cl = false; starts(r, at, "[["); at = skip_space(r, end)) {
        end = skip_brackets(r, at);
        *cl |= end - at > 4 && find(r, at, "cl::") < end;
    }
    return end;
}

/* The lists from r->at to `after`. Attributes of C++ stand in front of those of GNU, which belong to the declaration.
 */
static void rewrite_lists(struct rewriter *r, const char *after)
{
    struct text own = {0}, others = {0};
    for (const char *at = r->at; at < after; at = skip_space(r, at)) {
        const char *end = skip_brackets(r, at) - 2;
        for (at = skip_space(r, at + 2); at < end; at = skip_space(r, at)) {
            at = skip_space(r, rewrite_one(r, at, end, after, &own, &others));
            at += at < end && *at == ',';
        }
        at = end + 2;
    }
    if (others.length) {
        put(&r->out, "[[", 2);
        put(&r->out, others.data, others.length);
        put(&r->out, "]] ", 3);
    }
    if (own.length)
        put(&r->out, own.data, own.length);
    for (const char *at = r->at; at < after; at++) { /* the lines behind keep their numbers */
        if (*at == '\n')
            put(&r->out, "\n", 1);
    }
    r->out.failed |= others.failed | own.failed;
    free(others.data);
    free(own.data);
    r->found = true;
}

static void rewrite(struct rewriter *r)
{
    while (r->at < r->end && !*r->message && !r->out.failed) {
        const char *next = skip_token(r, r->at);
        if (starts(r, r->at, "[[")) {
            bool own;
            next = skip_lists(r, r->at, &own);
            if (own) {
                rewrite_lists(r, next);
                r->at = next;
                continue;
            }
        }
        put(&r->out, r->at, (size_t)(next - r->at));
        r->at = next;
    }
}

/* The end of a line and of those that it is continued on. */
static const char *line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at : end;
}

/* A directive is by itself: what a macro stands in front of is not known here. */
char *cxx_rewrite_attributes(const char *text, size_t size, char message[CXX_MESSAGE])
{
    const char *end = text + size;
    struct rewriter r = {.at = text, .message = message};
    while (r.at < end && !*message && !r.out.failed) {
        const char *begin = r.at;
        while (begin < end && (*begin == ' ' || *begin == '\t'))
            begin++;
        if (begin < end && *begin == '#') {
            r.end = line_end(begin, end);
        } else {
            r.end = begin;
            do
                r.end = line_end(r.end, end) + 1;
            while (r.end < end && r.end[strspn(r.end, " \t")] != '#');
            r.end = r.end < end ? r.end : end;
        }
        rewrite(&r);
    }
    if (*message || r.out.failed || !r.found) {
        free(r.out.data);
        return NULL;
    }
    return r.out.data;
}
