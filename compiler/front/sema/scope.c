/* Scopes, and declarations made. Scopes cost nothing to search: an identifier points at its innermost declaration, and
 * leaving a scope puts back what that one hid. */
#include "compiler/front/sema/advice.h"
#include "compiler/front/sema/names.h"

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
        if (entry.is_tag) {
            entry.decl->name->tag = entry.decl->shadowed;
        } else {
            entry.decl->name->decl = entry.decl->shadowed;
            s->advice->unused_name(s, entry.decl);
        }
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

void sema_enter(struct sema *s, src_loc loc)
{
    if (++s->nesting > SEMA_MAX_NESTING)
        pp_fatal(s->front, loc, "bracket nesting level exceeded maximum of %d", SEMA_MAX_NESTING);
}
