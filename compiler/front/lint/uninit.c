/* -Wuninitialized, -Wsometimes-uninitialized: reads of scalar variables that no path, or not every path, has written.
 *
 * A function's body is walked in the order in which it runs, with two bits per variable: it may be unset here, it may
 * be set here. Where two paths meet and one of them surely leaves a variable unset while the other may set it, the
 * condition between them is remembered; a later read that always follows names it. Like clang, nothing is said where
 * only a loop's or a switch's paths disagree, about arrays and records, of vectors once a component was touched, and
 * once an address was taken. */
#include "compiler/front/lint/lint.h"

enum { MAX_VARIABLES = 64, MAX_ORIGINS = 4, MAX_DEPTH = 4 };

struct paths {
    uint64_t unset, set; /* by number of the variable */
    bool reached;
};

/* The condition that decides whether a variable is set. */
struct origin {
    src_loc loc, keyword;
    const char *what;  /* "if", "while"... */
    uint32_t branches; /* around the place where its paths meet, or what was left of them since */
    bool value, is_loop;
};

struct loop_paths {
    struct loop_paths *outer;
    struct paths breaks, goes_on;
    bool is_switch;
    struct paths entry; /* of a switch */
};

struct uninit {
    struct sema *s;
    const struct decl *variables[MAX_VARIABLES];
    struct origin origins[MAX_VARIABLES][MAX_ORIGINS];
    uint8_t num_origins[MAX_VARIABLES];
    uint32_t num_variables, depth; /* depth: of loops */
    uint32_t branches;             /* around what is walked */
    uint32_t silent;               /* > 0: a loop's first round */
    struct paths now;
    struct loop_paths *loops;
    const struct decl *own; /* the variable whose initialiser is walked */
};

static void visit(struct uninit *u, const struct expr *expr);
static void walk(struct uninit *u, const struct stmt *stmt);

static struct paths join(struct paths a, struct paths b)
{
    if (!a.reached)
        return b;
    if (!b.reached)
        return a;
    return (struct paths){a.unset | b.unset, a.set | b.set, true};
}

static void remember(struct uninit *u, struct paths leaves, struct paths other, struct origin origin)
{
    if (!leaves.reached || !other.reached)
        return;
    uint64_t bits = leaves.unset & ~leaves.set & other.set;
    origin.branches = u->branches;
    for (uint32_t i = 0; bits && i < u->num_variables; i++, bits >>= 1) {
        uint8_t count = u->num_origins[i];
        bool known = false;
        for (uint8_t k = 0; k < count; k++)
            known |= u->origins[i][k].loc == origin.loc && u->origins[i][k].value == origin.value;
        if ((bits & 1) && !known && count < MAX_ORIGINS)
            u->origins[i][u->num_origins[i]++] = origin;
    }
}

/* A branch ends: what was remembered in it now concerns the code behind it. */
static void leave_branch(struct uninit *u)
{
    u->branches--;
    for (uint32_t i = 0; i < u->num_variables; i++) {
        for (uint32_t k = 0; k < u->num_origins[i]; k++) {
            struct origin *origin = &u->origins[i][k];
            origin->branches = origin->branches < u->branches ? origin->branches : u->branches;
        }
    }
}

/* One of two paths does not go on: what was remembered may not lead to any later read. */
static void forget(struct uninit *u)
{
    memset(u->num_origins, 0, sizeof(u->num_origins));
}

/* Where the paths of a condition meet again. */
static struct paths meet(struct uninit *u, struct paths if_true, struct paths if_false, struct origin origin)
{
    if (if_true.reached != if_false.reached)
        forget(u);
    origin.value = false;
    remember(u, if_false, if_true, origin);
    origin.value = true;
    remember(u, if_true, if_false, origin);
    return join(if_true, if_false);
}

static int number_of(const struct uninit *u, const struct decl *variable)
{
    for (uint32_t i = 0; i < u->num_variables; i++) {
        if (u->variables[i] == variable)
            return (int)i;
    }
    return -1;
}

static const struct decl *variable_of(const struct expr *expr)
{
    return expr->kind == EXPR_DECL && expr->decl->kind == DECL_VARIABLE ? expr->decl : NULL;
}

static void set(struct uninit *u, const struct decl *variable)
{
    int number = number_of(u, variable);
    if (number < 0)
        return;
    u->now.unset &= ~(1ull << number);
    u->now.set |= 1ull << number;
}

static void note_initialize(struct uninit *u, const struct decl *variable)
{
    pp_note(u->s->front, variable->loc, "initialize the variable '%s' to silence this warning", variable->name->name);
}

static bool report_sometimes(struct uninit *u, int number, src_loc use)
{
    struct clc_front *front = u->s->front;
    const struct decl *variable = u->variables[number];
    bool any = false;
    for (uint32_t i = 0; i < u->num_origins[number]; i++) {
        const struct origin *origin = &u->origins[number][i];
        if (origin->branches < u->branches) /* the read has a condition of its own */
            continue;
        any = true;
        pp_warning(front, DIAG_GROUP_SOMETIMES_UNINITIALIZED, origin->loc,
                   origin->is_loop ? "variable '%s' is used uninitialized whenever '%s' loop exits because its "
                                     "condition is %s"
                                   : "variable '%s' is used uninitialized whenever '%s' condition is %s",
                   variable->name->name, origin->what, origin->value ? "true" : "false");
        pp_note(front, use, "uninitialized use occurs here");
        const char *always = origin->value ? "false" : "true";
        if (origin->is_loop)
            pp_note(front, origin->keyword, "remove the condition if it is always %s", always);
        else
            pp_note(front, origin->keyword, "remove the '%s' if its condition is always %s", origin->what, always);
    }
    if (any)
        note_initialize(u, variable);
    return any;
}

static void use(struct uninit *u, const struct expr *expr)
{
    const struct decl *variable = variable_of(expr);
    int number = variable ? number_of(u, variable) : -1;
    if (number < 0 || !u->now.reached || !(u->now.unset >> number & 1))
        return;
    bool surely = !(u->now.set >> number & 1);
    if (!u->silent && surely) {
        bool own = variable == u->own;
        pp_warning(u->s->front, DIAG_GROUP_UNINITIALIZED, expr->loc, "variable '%s' is uninitialized when used %s",
                   variable->name->name, own ? "within its own initialization" : "here");
        if (!own)
            note_initialize(u, variable);
    } else if (!u->silent) {
        surely = report_sometimes(u, number, expr->loc);
    }
    if (!u->silent && surely)
        u->variables[number] = NULL; /* once is enough */
}

/* ---- expressions ---- */

static void visit_list(struct uninit *u, struct expr *const *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        visit(u, args[i]);
}

static const struct expr *condition_core(const struct expr *expr)
{
    while (expr->kind == EXPR_CAST && !expr->cast.explicit_cast &&
           (expr->cast.cast == CAST_TO_BOOL || expr->cast.cast == CAST_NOP || expr->cast.cast == CAST_INT) &&
           !expr->is_constant)
        expr = expr->cast.operand;
    return expr;
}

static void visit_condition(struct uninit *u, const struct expr *expr, struct paths *if_true, struct paths *if_false)
{
    expr = condition_core(expr);
    if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_LOGICAL_NOT && expr->type.type->kind != TYPE_VECTOR) {
        visit_condition(u, expr->unary.operand, if_false, if_true);
        return;
    }
    bool logical = expr->kind == EXPR_BINARY && expr->binary.op >= BINARY_LOGICAL_AND && !expr->is_constant &&
                   expr->type.type->kind != TYPE_VECTOR;
    if (logical) {
        bool is_and = expr->binary.op == BINARY_LOGICAL_AND;
        struct paths left_true, left_false, right_true, right_false;
        struct origin origin = {expr->binary.left->range.begin, expr->binary.left->range.begin, is_and ? "&&" : "||",
                                !is_and, false};
        visit_condition(u, expr->binary.left, &left_true, &left_false);
        u->now = is_and ? left_true : left_false;
        u->branches++;
        visit_condition(u, expr->binary.right, &right_true, &right_false);
        leave_branch(u);
        if (is_and)
            remember(u, left_false, right_false, origin);
        else
            remember(u, left_true, right_true, origin);
        *if_true = is_and ? right_true : join(left_true, right_true);
        *if_false = is_and ? join(left_false, right_false) : right_false;
        return;
    }
    visit(u, expr);
    *if_true = *if_false = u->now;
    if (expr->is_constant && !expr->folded && !expr->float_value)
        (expr->integer ? if_false : if_true)->reached = false;
}

static void visit_conditional(struct uninit *u, const struct expr *expr)
{
    struct paths if_true, if_false;
    if (expr->cond.condition->type.type->kind == TYPE_VECTOR) {
        visit(u, expr->cond.condition);
        if (expr->cond.then_value)
            visit(u, expr->cond.then_value);
        visit(u, expr->cond.else_value);
        return;
    }
    visit_condition(u, expr->cond.condition, &if_true, &if_false);
    src_loc loc = expr->cond.condition->range.begin;
    u->now = if_true;
    u->branches++;
    if (expr->cond.then_value)
        visit(u, expr->cond.then_value);
    if_true = u->now;
    u->now = if_false;
    visit(u, expr->cond.else_value);
    leave_branch(u);
    u->now = meet(u, if_true, u->now, (struct origin){.loc = loc, .keyword = loc, .what = "?:"});
}

static void visit_cast(struct uninit *u, const struct expr *expr)
{
    const struct expr *operand = expr->cast.operand;
    if (expr->cast.cast == CAST_VOID) {
        while (operand->kind == EXPR_CAST && operand->cast.cast == CAST_LVALUE_TO_RVALUE)
            operand = operand->cast.operand;
        if (variable_of(operand))
            return;
    }
    if (expr->cast.cast == CAST_LVALUE_TO_RVALUE && variable_of(operand))
        use(u, operand);
    else
        visit(u, operand);
}

static void visit_assign(struct uninit *u, const struct expr *expr)
{
    const struct decl *variable = variable_of(expr->assign.left);
    if (!variable)
        visit(u, expr->assign.left);
    visit(u, expr->assign.right);
    if (variable && expr->assign.compound)
        use(u, expr->assign.left);
    if (variable)
        set(u, variable);
}

static void visit_unary(struct uninit *u, const struct expr *expr)
{
    const struct decl *variable = variable_of(expr->unary.operand);
    if (!variable) {
        visit(u, expr->unary.operand);
        return;
    }
    if (expr->unary.op >= UNARY_PRE_INC)
        use(u, expr->unary.operand);
    set(u, variable); /* & of it too: code that has its address may write it */
}

/* 0 && x, 1 || x */
static bool skips_right(const struct expr *expr)
{
    const struct expr *left = expr->binary.left;
    if (expr->binary.op < BINARY_LOGICAL_AND || expr->type.type->kind == TYPE_VECTOR || !left->is_constant)
        return false;
    bool value = left->float_value ? left->floating != 0 : left->integer != 0;
    return value == (expr->binary.op == BINARY_LOGICAL_OR);
}

static void visit(struct uninit *u, const struct expr *expr)
{
    if (!expr)
        return;
    switch (expr->kind) {
    case EXPR_CAST:
        visit_cast(u, expr);
        break;
    case EXPR_UNARY:
        visit_unary(u, expr);
        break;
    case EXPR_BINARY:
        if (expr->binary.op >= BINARY_LOGICAL_AND && expr->type.type->kind != TYPE_VECTOR && !expr->is_constant) {
            struct paths if_true, if_false;
            visit_condition(u, expr, &if_true, &if_false);
            u->now = join(if_true, if_false);
        } else {
            visit(u, expr->binary.left);
            if (!skips_right(expr))
                visit(u, expr->binary.right);
        }
        break;
    case EXPR_ASSIGN:
        visit_assign(u, expr);
        break;
    case EXPR_COND:
        visit_conditional(u, expr);
        break;
    case EXPR_COMMA:
        visit(u, expr->comma.left);
        visit(u, expr->comma.right);
        break;
    case EXPR_CALL:
        visit(u, expr->call.callee);
        visit_list(u, expr->call.args, expr->call.num_args);
        if (expr->call.function && expr->call.function->fn.flags & FN_NORETURN)
            u->now.reached = false;
        break;
    case EXPR_BUILTIN:
        visit_list(u, expr->builtin.args, expr->builtin.num_args);
        break;
    case EXPR_VECTOR:
        visit_list(u, expr->vector.args, expr->vector.num_args);
        break;
    case EXPR_INTRINSIC:
        if (expr->intrinsic.op != INTRINSIC_ASSUME)
            u->now.reached = false;
        break;
    case EXPR_INDEX:
        if (variable_of(expr->index.base) && expr->index.base->type.type->kind == TYPE_VECTOR)
            set(u, variable_of(expr->index.base));
        else
            visit(u, expr->index.base);
        visit(u, expr->index.index);
        break;
    case EXPR_MEMBER:
        visit(u, expr->member.base);
        break;
    case EXPR_SWIZZLE: /* which components are set is not followed */
        if (variable_of(expr->swizzle.base))
            set(u, variable_of(expr->swizzle.base));
        else
            visit(u, expr->swizzle.base);
        break;
    case EXPR_COMPOUND:
        visit(u, expr->compound.variable->var.init);
        break;
    case EXPR_INIT_LIST:
        for (uint32_t i = 0; i < expr->init.num_entries; i++)
            visit(u, expr->init.entries[i].value);
        break;
    case EXPR_STATEMENT:
        walk(u, expr->statement.body);
        break;
    case EXPR_BLOCK: /* its captures are not looked at */
        u->now.set |= u->now.unset;
        u->now.unset = 0;
        break;
    default:
        break;
    }
}

/* ---- statements ---- */

static bool is_watched(const struct decl *decl)
{
    const struct type *type = decl->type.type;
    return decl->name && !decl->invalid && (type_is_arith(type_element(type)) || type->kind == TYPE_POINTER) &&
           !(decl->type.quals & QUAL_VOLATILE) && decl->type.address_space == AS_PRIVATE &&
           !decl->var.is_static_local && !decl->var.file_scope && decl->storage == STORAGE_NONE;
}

static void declare(struct uninit *u, const struct decl *decl)
{
    int number = -1;
    if (is_watched(decl)) {
        number = number_of(u, decl);
        if (number < 0 && u->num_variables < MAX_VARIABLES)
            u->variables[number = (int)u->num_variables++] = decl;
    }
    if (number >= 0) {
        u->now.unset |= 1ull << number;
        u->now.set &= ~(1ull << number);
    }
    if (decl->var.init) {
        u->own = decl;
        visit(u, decl->var.init);
        u->own = NULL;
        set(u, decl);
    }
}

/* Chains of else-if may be long: no recursion over them. */
static void walk_if(struct uninit *u, const struct stmt *stmt)
{
    struct branch {
        struct paths if_true;
        const struct stmt *stmt;
    };
    VEC(struct branch) chain = {0};
    const struct stmt *rest = stmt;
    while (rest && rest->kind == STMT_IF) {
        struct paths if_true, if_false;
        visit_condition(u, rest->branch.condition, &if_true, &if_false);
        u->now = if_true;
        u->branches++;
        walk(u, rest->branch.then_body);
        vec_push(u->s->arena, &chain, (struct branch){u->now, rest});
        u->now = if_false;
        rest = rest->branch.else_body;
    }
    walk(u, rest);
    while (chain.length) {
        struct branch one = vec_pop(&chain);
        struct origin origin = {.loc = one.stmt->branch.condition->range.begin, .keyword = one.stmt->loc, .what = "if"};
        leave_branch(u);
        u->now = meet(u, one.if_true, u->now, origin);
    }
}

/* One round; gives what comes to the next one's start. */
static struct paths walk_round(struct uninit *u, const struct stmt *stmt, struct loop_paths *loop, struct paths *leaves)
{
    struct paths if_true = u->now, if_false = {0};
    bool is_do = stmt->kind == STMT_DO;
    if (!is_do && stmt->loop.condition)
        visit_condition(u, stmt->loop.condition, &if_true, &if_false);
    u->now = if_true;
    u->branches += !is_do;
    walk(u, stmt->loop.body);
    u->now = join(u->now, loop->goes_on);
    if (stmt->kind == STMT_FOR)
        visit(u, stmt->loop.step);
    if (!is_do)
        leave_branch(u);
    struct paths back = u->now;
    if (is_do) {
        visit_condition(u, stmt->loop.condition, &if_true, &if_false);
        back = if_true;
    }
    *leaves = if_false;
    return back;
}

static void walk_loop(struct uninit *u, const struct stmt *stmt)
{
    struct loop_paths loop = {.outer = u->loops};
    struct paths leaves;
    if (stmt->kind == STMT_FOR)
        walk(u, stmt->loop.init);
    struct paths entry = u->now;
    uint8_t before[MAX_VARIABLES];
    memcpy(before, u->num_origins, sizeof(before));
    u->loops = &loop;
    u->depth++;
    if (u->depth <= MAX_DEPTH) {
        u->silent++;
        struct paths back = walk_round(u, stmt, &loop, &leaves);
        u->silent--;
        loop.breaks = loop.goes_on = (struct paths){0};
        u->now = join(entry, back);
    } else { /* deep nests are walked once: whatever may be set later may be set now */
        u->now.set |= u->now.unset;
    }
    walk_round(u, stmt, &loop, &leaves);
    u->depth--;
    u->loops = loop.outer;
    for (uint32_t i = 0; i < u->num_variables; i++) /* a later round may set what an earlier one left */
        u->num_origins[i] = u->num_origins[i] < before[i] ? u->num_origins[i] : before[i];
    const struct expr *condition = stmt->loop.condition;
    if (condition)
        remember(u, leaves, loop.breaks,
                 (struct origin){.loc = condition->range.begin,
                                 .keyword = condition->range.begin,
                                 .what = stmt->kind == STMT_DO    ? "do"
                                         : stmt->kind == STMT_FOR ? "for"
                                                                  : "while",
                                 .is_loop = true});
    u->now = join(leaves, loop.breaks);
}

static void walk_switch(struct uninit *u, const struct stmt *stmt)
{
    struct loop_paths loop = {.outer = u->loops, .is_switch = true};
    visit(u, stmt->select.value);
    loop.entry = u->now;
    u->loops = &loop;
    u->now.reached = false;
    u->branches++;
    walk(u, stmt->select.body);
    leave_branch(u);
    u->loops = loop.outer;
    u->now = join(u->now, loop.breaks);
    if (!stmt->select.default_case) /* clang, too, takes all cases for written */
        u->now = u->now.reached ? u->now : loop.entry;
}

static void walk_jump(struct uninit *u, bool is_break)
{
    struct loop_paths *loop = u->loops;
    while (loop && loop->is_switch && !is_break)
        loop = loop->outer;
    if (loop && is_break)
        loop->breaks = join(loop->breaks, u->now);
    else if (loop)
        loop->goes_on = join(loop->goes_on, u->now);
    u->now.reached = false;
}

static void walk_case(struct uninit *u)
{
    struct loop_paths *loop = u->loops;
    while (loop && !loop->is_switch)
        loop = loop->outer;
    if (loop)
        u->now = join(u->now, loop->entry);
}

static void walk_one(struct uninit *u, const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_EXPR:
        visit(u, stmt->expr);
        break;
    case STMT_RETURN:
        visit(u, stmt->expr);
        u->now.reached = false;
        break;
    case STMT_DECL:
        for (const struct decl *decl = stmt->decls; decl && decl != stmt->decls_end; decl = decl->next) {
            if (decl->kind == DECL_VARIABLE)
                declare(u, decl);
        }
        break;
    case STMT_BLOCK:
        walk(u, stmt->block.first);
        break;
    case STMT_IF:
        walk_if(u, stmt);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        walk_loop(u, stmt);
        break;
    case STMT_SWITCH:
        walk_switch(u, stmt);
        break;
    case STMT_CASE:
    case STMT_DEFAULT:
        walk_case(u);
        walk(u, stmt->label_case.body);
        break;
    case STMT_LABEL: /* jumps come from anywhere */
        u->now = (struct paths){.set = ~0ull, .reached = true};
        walk(u, stmt->label.body);
        break;
    case STMT_GOTO:
        u->now.reached = false;
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        walk_jump(u, stmt->kind == STMT_BREAK);
        break;
    default:
        break;
    }
}

static void walk(struct uninit *u, const struct stmt *stmt)
{
    for (; stmt; stmt = stmt->next)
        walk_one(u, stmt);
}

void lint_uninitialized(struct sema *s, const struct decl *function)
{
    if (s->front->num_errors || (!pp_warning_enabled(s->front, DIAG_GROUP_UNINITIALIZED) &&
                                 !pp_warning_enabled(s->front, DIAG_GROUP_SOMETIMES_UNINITIALIZED)))
        return;
    struct uninit u = {.s = s, .now.reached = true};
    walk(&u, function->fn.body);
}
