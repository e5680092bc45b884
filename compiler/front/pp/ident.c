/* Interned names. The lexer hashes a name while it scans it; equal names become one struct ident, so that everything
 * after compares pointers and hangs what it knows about the name (macro, keyword, declaration) on it.
 *
 * A name is looked up among keywords and predefined macros once, when it is first met: a build pays for the names it
 * uses, not for the hundreds that the language predefines. */
#include "base/util.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

enum keyword_condition { always, since_20 };

struct keyword {
    const char *spelling;
    uint8_t length, condition;
    uint16_t kind;
};

static const struct keyword keywords[] = {
#define KEYWORD(id, spelling, condition)       {spelling, sizeof(spelling) - 1, condition, TOKEN_##id},
#define KEYWORD_ALIAS(id, spelling, condition) {spelling, sizeof(spelling) - 1, condition, TOKEN_##id},
#include "compiler/front/pp/tokens.def"
};

static const char *const kind_names[TOKEN_COUNT] = {
#define TOKEN(id, spelling)              [TOKEN_##id] = spelling,
#define KEYWORD(id, spelling, condition) [TOKEN_##id] = spelling,
#include "compiler/front/pp/tokens.def"
    [TOKEN_END] = "end of file",
    [TOKEN_IDENTIFIER] = "identifier",
    [TOKEN_INTEGER] = "integer constant",
    [TOKEN_FLOATING] = "floating constant",
    [TOKEN_CHARACTER] = "character constant",
    [TOKEN_STRING] = "string literal",
    [TOKEN_PRAGMA] = "pragma",
    [TOKEN_UNKNOWN] = "unknown token",
};

const char *pp_token_name(enum token_kind kind)
{
    return (unsigned)kind < TOKEN_COUNT && kind_names[kind] ? kind_names[kind] : "token";
}

uint32_t pp_ident_hash(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static void grow(struct clc_front *front)
{
    uint32_t capacity = front->ident_capacity * 2;
    if (!capacity)
        arena_fail(front->arena);
    struct ident **slots = arena_array(front->arena, struct ident *, capacity);
    for (uint32_t i = 0; i < front->ident_capacity; i++) {
        struct ident *ident = front->ident_slots[i];
        if (!ident)
            continue;
        uint32_t at = (ident->hash ^ ident->hash >> 15) & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = ident;
    }
    front->ident_slots = slots;
    front->ident_capacity = capacity;
}

struct ident *pp_intern_hashed(struct clc_front *front, const char *name, uint32_t length, uint32_t hash)
{
    uint32_t mask = front->ident_capacity - 1, at = (hash ^ hash >> 15) & mask;
    struct ident *ident;
    while ((ident = front->ident_slots[at])) {
        if (ident->hash == hash && ident->length == length && memcmp(ident->name, name, length) == 0)
            return ident;
        at = (at + 1) & mask;
    }
    ident = arena_new(front->arena, struct ident);
    ident->name = arena_strndup(front->arena, name, length);
    ident->length = length;
    ident->hash = hash;
    front->ident_slots[at] = ident;
    if (++front->num_idents > front->ident_capacity / 2)
        grow(front);
    if (front->pp)
        ident->macro = pp_predefined_find(front->pp, ident);
    return ident;
}

struct ident *pp_intern(struct clc_front *front, const char *name, size_t length)
{
    if (length >= PP_MAX_TOKEN)
        pp_fatal(front, 0, "identifier is too long");
    return pp_intern_hashed(front, name, (uint32_t)length, pp_ident_hash(name, length));
}

void pp_ident_init(struct clc_front *front)
{
    front->ident_capacity = 1024;
    front->ident_slots = arena_array(front->arena, struct ident *, front->ident_capacity);
    for (size_t i = 0; i < ARRAY_LENGTH(keywords); i++) {
        const struct keyword *keyword = &keywords[i];
        if (keyword->condition == since_20 && !pp_std_at_least(front, CLC_STD_20))
            continue;
        pp_intern(front, keyword->spelling, keyword->length)->keyword = keyword->kind;
    }
}
