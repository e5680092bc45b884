/* The names that the language declares itself (names.c), and the name that was likely meant (suggest.c). */
#ifndef COMPILER_FRONT_SEMA_NAMES_H
#define COMPILER_FRONT_SEMA_NAMES_H

#include "compiler/front/sema/sema.h"

struct decl *sema_predeclared(struct sema *s, struct ident *name);
enum suggest { SUGGEST_VALUE, SUGGEST_FUNCTION, SUGGEST_TYPE };
struct suggestion {
    const char *name; /* NULL: none is near */
    const struct decl *decl;
    src_loc loc;
};
struct suggestion sema_suggest(struct sema *s, const struct ident *name, enum suggest what);
struct suggestion sema_suggest_field(const struct type *record, const struct ident *name);
/* "; did you mean '…'?" or "", and the note that goes with it */
const char *sema_suggestion_text(struct sema *s, const struct suggestion *suggestion);
void sema_suggestion_note(struct sema *s, const struct suggestion *suggestion);
/* The language's type names by number; NULL after the last */
const char *sema_predeclared_type(struct sema *s, uint32_t index);
const char *sema_vector_type_name(struct sema *s, uint32_t index);

#endif
