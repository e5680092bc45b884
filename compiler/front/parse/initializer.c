/* Initialisers as they are written: lists and designators, laid over a type later (sema/init.c). */
#include "compiler/front/parse/parse.h"

static bool parse_designator(struct sema *s, struct designator *d)
{
    struct expr *expr;
    d->loc = s->tok.loc;
    if (parse_accept(s, TOKEN_PERIOD)) {
        if (!s->tok.ident) {
            pp_error(s->front, s->tok.loc, "expected a field designator, such as '.field = 4'");
            return false;
        }
        d->field = s->tok.ident;
        parse_next(s);
        return true;
    }
    parse_next(s); /* [ */
    bool good = parse_constant(s, "array designator", &expr);
    d->low = d->high = good ? expr->integer : 0;
    if (parse_accept(s, TOKEN_ELLIPSIS)) {
        good &= parse_constant(s, "array designator", &expr);
        d->high = good ? expr->integer : d->low;
    }
    if (good && (int64_t)d->low < 0) {
        pp_error(s->front, d->loc, "array designator value '%lld' is negative", (long long)d->low);
        good = false;
    }
    if (good && d->high < d->low) {
        pp_error(s->front, d->loc, "array designator range [%llu, %llu] is empty", (unsigned long long)d->low,
                 (unsigned long long)d->high);
        good = false;
    }
    return parse_expect(s, TOKEN_RIGHT_BRACKET, NULL) && good;
}

static bool parse_designators(struct sema *s, struct designator **list)
{
    struct designator **link = list;
    bool good = true, any = false;
    if (s->tok.kind == TOKEN_IDENTIFIER && parse_peek(s, 1)->kind == TOKEN_COLON) { /* GNU's old field: value */
        struct designator *d = arena_new(s->front->nodes, struct designator);
        d->field = s->tok.ident;
        d->loc = s->tok.loc;
        pp_warning(s->front, DIAG_GROUP_GNU_DESIGNATOR, d->loc, "use of GNU old-style field designator extension");
        *list = d;
        parse_next(s);
        parse_next(s);
        return true;
    }
    while (good && (s->tok.kind == TOKEN_PERIOD || s->tok.kind == TOKEN_LEFT_BRACKET)) {
        struct designator *d = arena_new(s->front->nodes, struct designator);
        good = parse_designator(s, d);
        *link = d;
        link = &d->next;
        any = true;
    }
    if (any && !parse_accept(s, TOKEN_EQUAL) && good) {
        bool single = *list && !(*list)->next && !(*list)->field;
        if (single)
            pp_warning(s->front, DIAG_GROUP_GNU_DESIGNATOR, s->tok.loc,
                       "use of GNU 'missing =' extension in designator");
        else
            good = parse_expect(s, TOKEN_EQUAL, "or another designator");
    }
    return good;
}

/* initializer = assignment | "{" (designators? initializer ("," ...)* ","?)? "}" */
struct expr *parse_initializer(struct sema *s)
{
    if (s->tok.kind != TOKEN_LEFT_BRACE)
        return parse_assignment(s);
    VEC(struct init_entry) entries = {0};
    src_loc open = s->tok.loc;
    sema_enter(s, open);
    parse_next(s);
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END) {
        struct designator *designators = NULL;
        bool good = s->tok.kind == TOKEN_INTEGER || parse_designators(s, &designators);
        struct expr *value = parse_initializer(s);
        if (good)
            vec_push(s->front->nodes, &entries,
                     (struct init_entry){.index = (uint64_t)(uintptr_t)designators, .value = value});
        if (!parse_accept(s, TOKEN_COMMA))
            break;
    }
    sema_leave(s);
    if (!parse_expect(s, TOKEN_RIGHT_BRACE, NULL)) {
        pp_note(s->front, open, "to match this '{'");
        parse_skip_until(s, TOKEN_RIGHT_BRACE);
        parse_accept(s, TOKEN_RIGHT_BRACE);
    }
    struct expr *list =
        expr_new(s, EXPR_INIT_LIST, qt(type_scalar(s, TYPE_VOID)), open, (struct src_range){open, s->prev_end});
    list->init.entries = entries.data;
    list->init.num_entries = entries.length;
    return list;
}
