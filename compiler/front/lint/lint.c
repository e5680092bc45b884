/* What advice remembers. */
#include "compiler/front/lint/lint.h"

struct lint *lint_new(struct sema *s)
{
    return arena_new(s->arena, struct lint);
}

void lint_change(struct sema *s)
{
    s->lint->num_changes++;
}

uint32_t lint_changes(const struct sema *s)
{
    return s->lint->num_changes;
}

bool lint_drop_changes(struct sema *s, uint32_t since)
{
    bool any = s->lint->num_changes != since;
    s->lint->num_changes = since;
    return any;
}
