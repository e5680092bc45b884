/* What advice remembers, and which the checks get. */
#include "compiler/front/lint/lint.h"
#include "compiler/front/sema/advice.h"

static void change(struct sema *s)
{
    s->lint->num_changes++;
}

static const struct advice advice = {
    .binary = lint_binary,
    .complement = lint_not,
    .conditional = lint_conditional,
    .condition = lint_condition,
    .to_bool = lint_to_bool,
    .pointer_to_bool = lint_pointer_to_bool,
    .assign = lint_assign,
    .enum_conversion = lint_enum_conversion,
    .null_dereference = lint_null_dereference,
    .string_plus = lint_string_plus,
    .overflow = lint_overflow,
    .address = lint_address,
    .cast = lint_cast,
    .printf_call = lint_printf,
    .change = change,
    .full_expression = lint_full_expression,
    .sequence = lint_sequence,
    .unused_name = lint_unused_name,
    .unused_in_unit = lint_unused_in_unit,
    .statements_go = lint_statements_go,
};

void lint_begin(struct sema *s)
{
    s->advice = &advice;
    s->lint = arena_new(s->arena, struct lint);
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
