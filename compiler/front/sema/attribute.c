/* Attributes: where each may stand, and what is deprecated or unavailable. OpenCL C 3.0, 6.13. */
#include "compiler/front/sema/declare.h"

void sema_merge_attributes(struct attributes *into, const struct attributes *from)
{
    into->flags |= from->flags;
    into->align = from->align > into->align ? from->align : into->align;
    into->packed |= from->packed;
    into->unused |= from->unused;
    into->nosvm |= from->nosvm;
    into->warn_unused |= from->warn_unused;
    if (from->availability)
        into->availability = from->availability;
    if (from->has_reqd) {
        into->has_reqd = true;
        memcpy(into->reqd, from->reqd, sizeof(into->reqd));
    }
    if (from->has_hint) {
        into->has_hint = true;
        memcpy(into->hint, from->hint, sizeof(into->hint));
    }
    if (from->reqd_subgroup)
        into->reqd_subgroup = from->reqd_subgroup;
    if (from->unroll)
        into->unroll = from->unroll;
    if (from->vector_lanes)
        into->vector_lanes = from->vector_lanes;
    if (from->vector_bytes)
        into->vector_bytes = from->vector_bytes;
    if (from->matrix_loc) {
        memcpy(into->matrix, from->matrix, sizeof(into->matrix));
        into->matrix_encoding = from->matrix_encoding;
        into->matrix_loc = from->matrix_loc;
    }
    if (from->mode) {
        into->mode = from->mode;
        into->mode_loc = from->mode_loc;
    }
    if (from->vec_type_hint.type)
        into->vec_type_hint = from->vec_type_hint;
    if (!into->loc)
        into->loc = from->loc;
}

/* ---- what they stand on ---- */

static void misplaced(struct sema *s, const struct attribute_use *use, bool error, const char *subject)
{
    if (error)
        pp_error(s->front, use->loc, "'%s' attribute only applies to %s", use->row->name, subject);
    else
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc, "'%s' attribute only applies to %s",
                   use->row->name, subject);
}

static void check_variable_attribute(struct sema *s, const struct attribute_use *use)
{
    if (s->front->options.std >= CLC_STD_20)
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc,
                   "'%s' attribute is deprecated and ignored in OpenCL C version 2.0", use->row->name);
}

static void check_result_attribute(struct sema *s, const struct attribute_use *use, enum attribute_subject on,
                                   struct qual_type type)
{
    if (on == SUBJECT_VARIABLE || on == SUBJECT_PARAMETER || on == SUBJECT_FIELD)
        misplaced(s, use, false, "functions, structs, unions, enums, and typedefs");
    else if (on == SUBJECT_FUNCTION && type.type->kind == TYPE_FUNCTION &&
             type.type->function.result.type->kind == TYPE_VOID)
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc,
                   "attribute '%s' cannot be applied to functions without return value", use->row->name);
}

void sema_check_attributes(struct sema *s, const struct attributes *attrs, enum attribute_subject on,
                           struct qual_type type)
{
    for (const struct attribute_use *use = attrs->uses; use; use = use->next) {
        switch ((enum attribute_rule)use->row->rule) {
        case RULE_FUNCTION:
        case RULE_FUNCTION_STRICT:
            if (on != SUBJECT_FUNCTION)
                misplaced(s, use, use->row->rule == RULE_FUNCTION_STRICT, "functions");
            break;
        case RULE_FUNCTION_STATEMENT:
            if (on != SUBJECT_FUNCTION)
                misplaced(s, use, false, "functions and statements");
            break;
        case RULE_FUNCTION_TYPE:
            if (on == SUBJECT_RECORD)
                misplaced(s, use, false, "functions");
            else if (on != SUBJECT_FUNCTION && type.type->kind != TYPE_FUNCTION && type.type->kind != TYPE_BLOCK &&
                     !is_poison(type.type))
                pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc,
                           "'%s' only applies to function types; type here is %s", use->row->name, type_quote(s, type));
            break;
        case RULE_RESULT:
            check_result_attribute(s, use, on, type);
            break;
        case RULE_RECORD:
            if (on != SUBJECT_RECORD && on != SUBJECT_FIELD)
                pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc, "'%s' attribute ignored", use->row->name);
            break;
        case RULE_VARIABLE:
            if (on != SUBJECT_VARIABLE && on != SUBJECT_PARAMETER)
                misplaced(s, use, false, "variables");
            else
                check_variable_attribute(s, use);
            break;
        case RULE_TYPED:
            if (on == SUBJECT_FUNCTION || on == SUBJECT_RECORD)
                misplaced(s, use, true, "variables, enums, typedefs, and non-static data members");
            break;
        case RULE_NUMBER:
            if (attrs->matrix_loc) /* else sema_apply_matrix() has taken it */
                misplaced(s, use, true, "types of numbers");
            break;
        case RULE_TYPEDEF:
            if (on != SUBJECT_TYPEDEF)
                misplaced(s, use, true, "typedefs");
            break;
        case RULE_LOOP:
            pp_error(s->front, use->loc, "'%s' attribute cannot be applied to a declaration", use->row->name);
            break;
        case RULE_ANY:
            break;
        }
    }
}

void sema_check_statement_attributes(struct sema *s, const struct attributes *attrs)
{
    for (const struct attribute_use *use = attrs->uses; use; use = use->next) {
        if (use->row->rule == RULE_FUNCTION_STATEMENT)
            pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, use->loc,
                       "attribute '%s' is ignored on this statement as it only applies to functions", use->row->name);
        else if (use->row->rule != RULE_LOOP)
            pp_error(s->front, use->loc, "'%s' attribute cannot be applied to a statement", use->row->name);
    }
}

/* ---- deprecated and unavailable ---- */

void sema_restrict(struct sema *s, const void *what, struct availability *availability)
{
    u64_map_set(s->arena, &s->availability, (uint64_t)(uintptr_t)what, availability);
}

void sema_warn_availability(struct sema *s, const void *what, const struct ident *ident, src_loc loc)
{
    const struct availability *availability = u64_map_get(&s->availability, (uint64_t)(uintptr_t)what);
    const char *name = ident ? ident->name : "block", *text = availability ? availability->text : NULL;
    if (!availability || (s->function && s->function->decl->first->restricted_use))
        return;
    const char *word = availability->unavailable ? "unavailable" : "deprecated";
    if (availability->unavailable)
        pp_error(s->front, loc, "'%s' is unavailable%s%s", name, text ? ": " : "", text ? text : "");
    else
        pp_warning(s->front, DIAG_GROUP_DEPRECATED_DECLARATIONS, loc, "'%s' is deprecated%s%s", name, text ? ": " : "",
                   text ? text : "");
    pp_note(s->front, availability->loc, "'%s' has been explicitly marked %s here", name, word);
}
