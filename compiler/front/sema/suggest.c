/* "did you mean …?" for names that nobody declared: the nearest of the program's visible names, of the built-in
 * functions that this compilation has, and of the language's own type names. */
#include "compiler/front/sema/builtin.h"
#include "compiler/front/sema/names.h"

/* Insertions, deletions, replacements and swaps of neighbours; limit + 1 when it takes more than limit. */
static uint32_t edit_distance(const char *a, uint32_t a_len, const char *b, uint32_t b_len, uint32_t limit)
{
    enum { MAX = 64 };
    uint32_t rows[3][MAX + 1];
    if (a_len > MAX || b_len > MAX || a_len > b_len + limit || b_len > a_len + limit)
        return limit + 1;
    for (uint32_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_len; i++) {
        const uint32_t *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        uint32_t *row = rows[i % 3], best = i;
        row[0] = i;
        for (uint32_t j = 1; j <= b_len; j++) {
            uint32_t cost = above[j - 1] + (a[i - 1] != b[j - 1]);
            cost = cost < row[j - 1] + 1 ? cost : row[j - 1] + 1;
            cost = cost < above[j] + 1 ? cost : above[j] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < cost)
                cost = before[j - 2] + 1;
            row[j] = cost;
            best = best < cost ? best : cost;
        }
        if (best > limit)
            return limit + 1;
    }
    return rows[a_len % 3][b_len];
}

struct search {
    const struct ident *wanted;
    uint32_t best;
    struct suggestion found;
};

static void try_name(struct search *search, const char *name, const struct decl *decl)
{
    uint32_t limit = search->best - 1; /* nearer than what there is */
    uint32_t distance =
        edit_distance(search->wanted->name, search->wanted->length, name, (uint32_t)strlen(name), limit);
    if (distance > limit || !distance)
        return;
    search->best = distance;
    search->found = (struct suggestion){.name = name, .decl = decl};
}

static void try_visible(struct sema *s, struct search *search, enum suggest what)
{
    for (uint32_t i = 0; i < s->front->ident_capacity && search->best > 1; i++) {
        const struct ident *other = s->front->ident_slots[i];
        const struct decl *decl = other ? other->decl : NULL;
        if (!decl || decl->invalid)
            continue;
        bool fits = what == SUGGEST_FUNCTION ? decl->kind == DECL_FUNCTION
                    : what == SUGGEST_TYPE   ? decl->kind == DECL_TYPEDEF
                                             : decl->kind == DECL_VARIABLE || decl->kind == DECL_FUNCTION ||
                                                 decl->kind == DECL_ENUM_CONSTANT;
        if (fits)
            try_name(search, other->name, decl);
    }
}

static void try_types(struct sema *s, struct search *search)
{
    static const char *const keywords[] = {"void",     "char",     "short",    "int",        "long",    "float",
                                           "double",   "half",     "bool",     "signed",     "struct",  "union",
                                           "unsigned", "enum",     "kernel",   "__kernel",   "global",  "__global",
                                           "local",    "__local",  "constant", "__constant", "private", "__private",
                                           "const",    "volatile", "static",   "inline",     "typedef"};
    for (size_t i = 0; i < ARRAY_LENGTH(keywords); i++)
        try_name(search, keywords[i], NULL);
    const char *name;
    for (uint32_t i = 0; (name = sema_predeclared_type(s, i)); i++)
        try_name(search, name, NULL);
    for (uint32_t i = 0; (name = sema_vector_type_name(s, i)); i++)
        try_name(search, name, NULL);
}

struct suggestion sema_suggest(struct sema *s, const struct ident *name, enum suggest what)
{
    struct search search = {.wanted = name, .best = (name->length + 2) / 3 + 1};
    const char *builtin;
    if (name->length < 3)
        return search.found;
    try_visible(s, &search, what);
    for (uint32_t i = 0; what != SUGGEST_TYPE && (builtin = clc_builtin_name(s->front, i)); i++)
        if (*builtin)
            try_name(&search, builtin, NULL);
    if (what == SUGGEST_TYPE)
        try_types(s, &search);
    return search.found;
}

struct suggestion sema_suggest_field(const struct type *record, const struct ident *name)
{
    struct search search = {.wanted = name, .best = (name->length + 2) / 3 + 1};
    for (uint32_t i = 0; i < record->record.num_fields && name->length > 1; i++) {
        const struct field *field = &record->record.fields[i];
        struct suggestion before = search.found;
        if (field->name)
            try_name(&search, field->name->name, NULL);
        if (search.found.name != before.name)
            search.found.loc = field->loc;
    }
    return search.found;
}

const char *sema_suggestion_text(struct sema *s, const struct suggestion *suggestion)
{
    return suggestion->name ? arena_printf(s->arena, "; did you mean '%s'?", suggestion->name) : "";
}

void sema_suggestion_note(struct sema *s, const struct suggestion *suggestion)
{
    src_loc loc = suggestion->decl ? suggestion->decl->loc : suggestion->loc;
    if (loc)
        pp_note(s->front, loc, "'%s' declared here", suggestion->name);
}
