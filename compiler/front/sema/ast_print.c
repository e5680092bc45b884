/* Prints the typed tree (`pumice compile --stage=ast`): one node a line, children indented, types as in messages,
 * folded values after
 * "=". For people; nothing reads it back. */
#include "compiler/front/sema/builtin_table.h"
#include "compiler/front/sema/sema.h"

struct printer {
    struct clc_front *front;
    struct str *out;
    uint32_t depth;
};

static void print_stmt(struct printer *p, const struct stmt *stmt);
static void print_expr(struct printer *p, const struct expr *expr);

static void line(struct printer *p)
{
    for (uint32_t i = 0; i < p->depth && i < 200; i++)
        str_puts(p->out, "  ");
}

static void put_position(struct printer *p, src_loc loc)
{
    if (!loc)
        return;
    struct src_position at = pp_source_position(p->front, loc);
    str_printf(p->out, " <%u:%u>", at.line, at.column);
}

static void put_type(struct printer *p, struct qual_type type)
{
    if (type.type)
        str_printf(p->out, " '%s'", clc_type_text(p->front, type));
}

static void put_value(struct printer *p, const struct expr *expr)
{
    if (expr->float_value)
        str_printf(p->out, " = %.17g", expr->floating);
    else
        str_printf(p->out, " = %lld", (long long)expr->integer);
}

static const char *name_of(const struct decl *decl)
{
    return decl && decl->name ? decl->name->name : "(unnamed)";
}

static void print_variable(struct printer *p, const struct decl *decl)
{
    line(p);
    str_printf(p->out, "variable %s", name_of(decl));
    put_type(p, decl->type);
    if (decl->storage != STORAGE_NONE)
        str_puts(p->out, decl->storage == STORAGE_STATIC ? " static" : " extern");
    if (decl->invalid)
        str_puts(p->out, " invalid");
    put_position(p, decl->loc);
    str_putc(p->out, '\n');
    if (decl->var.init) {
        p->depth++;
        print_expr(p, decl->var.init);
        p->depth--;
    }
}

static const char *const expr_names[EXPR_KIND_COUNT] = {
    [EXPR_POISON] = "poison",       [EXPR_INT] = "integer",         [EXPR_FLOAT] = "floating",
    [EXPR_STRING] = "string",       [EXPR_DECL] = "name",           [EXPR_UNARY] = "unary",
    [EXPR_BINARY] = "binary",       [EXPR_ASSIGN] = "assign",       [EXPR_COND] = "conditional",
    [EXPR_COMMA] = "comma",         [EXPR_CAST] = "cast",           [EXPR_CALL] = "call",
    [EXPR_BUILTIN] = "builtin",     [EXPR_INDEX] = "index",         [EXPR_MEMBER] = "member",
    [EXPR_SWIZZLE] = "swizzle",     [EXPR_VECTOR] = "vector",       [EXPR_COMPOUND] = "compound",
    [EXPR_INIT_LIST] = "list",      [EXPR_STATEMENT] = "statement", [EXPR_BLOCK] = "block-literal",
    [EXPR_INTRINSIC] = "intrinsic",
};
static const char *const unary_names[] = {"+", "-", "~", "!", "*", "&", "++x", "--x", "x++", "x--"};
static const char *const binary_names[] = {"*",  "/",  "%",  "+",  "-", "<<", ">>", "<",  ">",
                                           "<=", ">=", "==", "!=", "&", "^",  "|",  "&&", "||"};
static const char *const cast_names[] = {
    "load",  "nop",      "int",        "int-to-float", "float-to-int", "float",        "to-bool",
    "decay", "function", "to-pointer", "to-integer",   "to-generic",   "from-generic", "splat",
    "null",  "bitcast",  "void",       "mask",         "sampler",
};

static void print_children(struct printer *p, struct expr *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        print_expr(p, list[i]);
}

static void put_details(struct printer *p, const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_UNARY:
        str_printf(p->out, " %s", unary_names[expr->unary.op]);
        break;
    case EXPR_BINARY:
        str_printf(p->out, " %s", binary_names[expr->binary.op]);
        break;
    case EXPR_ASSIGN:
        str_printf(p->out, " %s=", expr->assign.compound ? binary_names[expr->assign.op] : "");
        break;
    case EXPR_CAST:
        str_printf(p->out, " %s%s", cast_names[expr->cast.cast], expr->cast.explicit_cast ? " (explicit)" : "");
        break;
    case EXPR_DECL:
        str_printf(p->out, " %s", name_of(expr->decl));
        break;
    case EXPR_CALL:
        str_printf(p->out, " %s", name_of(expr->call.function));
        break;
    case EXPR_BUILTIN:
        str_printf(p->out, " %s", expr->builtin.builtin->name);
        break;
    case EXPR_MEMBER: {
        const struct ident *name = expr->member.base->type.type->record.fields[expr->member.field].name;
        str_printf(p->out, " .%s", name ? name->name : "(unnamed)");
        break;
    }
    case EXPR_SWIZZLE:
        str_puts(p->out, " .s");
        for (uint32_t i = 0; i < expr->swizzle.num_lanes; i++)
            str_putc(p->out, expr->swizzle.lanes[i] < 16 ? "0123456789abcdef"[expr->swizzle.lanes[i]] : '?');
        break;
    case EXPR_STRING:
        str_printf(p->out, " \"%.*s\"", (int)(expr->string.length < 60 ? expr->string.length : 60), expr->string.bytes);
        break;
    default:
        break;
    }
}

static void print_operands(struct printer *p, const struct expr *expr)
{
    switch (expr->kind) {
    case EXPR_UNARY:
        print_expr(p, expr->unary.operand);
        break;
    case EXPR_BINARY:
        print_expr(p, expr->binary.left);
        print_expr(p, expr->binary.right);
        break;
    case EXPR_ASSIGN:
        print_expr(p, expr->assign.left);
        print_expr(p, expr->assign.right);
        break;
    case EXPR_COND:
        print_expr(p, expr->cond.condition);
        print_expr(p, expr->cond.then_value);
        print_expr(p, expr->cond.else_value);
        break;
    case EXPR_COMMA:
        print_expr(p, expr->comma.left);
        print_expr(p, expr->comma.right);
        break;
    case EXPR_CAST:
        print_expr(p, expr->cast.operand);
        break;
    case EXPR_CALL:
        print_children(p, expr->call.args, expr->call.num_args);
        break;
    case EXPR_BUILTIN:
        print_children(p, expr->builtin.args, expr->builtin.num_args);
        break;
    case EXPR_INDEX:
        print_expr(p, expr->index.base);
        print_expr(p, expr->index.index);
        break;
    case EXPR_MEMBER:
        print_expr(p, expr->member.base);
        break;
    case EXPR_SWIZZLE:
        print_expr(p, expr->swizzle.base);
        break;
    case EXPR_VECTOR:
        print_children(p, expr->vector.args, expr->vector.num_args);
        break;
    case EXPR_INTRINSIC:
        print_children(p, expr->intrinsic.args, expr->intrinsic.num_args);
        break;
    case EXPR_COMPOUND:
        print_variable(p, expr->compound.variable);
        break;
    case EXPR_STATEMENT:
        print_stmt(p, expr->statement.body);
        break;
    case EXPR_BLOCK:
        print_stmt(p, expr->decl->fn.body);
        break;
    case EXPR_INIT_LIST:
        for (uint32_t i = 0; i < expr->init.num_entries; i++) {
            line(p);
            str_printf(p->out, "[%llu]\n", (unsigned long long)expr->init.entries[i].index);
            print_expr(p, expr->init.entries[i].value);
        }
        break;
    default:
        break;
    }
}

static void print_expr(struct printer *p, const struct expr *expr)
{
    line(p);
    if (!expr) {
        str_puts(p->out, "none\n");
        return;
    }
    str_puts(p->out, expr_names[expr->kind]);
    put_details(p, expr);
    put_type(p, expr->type);
    if (expr->lvalue)
        str_puts(p->out, " lvalue");
    if (expr->is_constant)
        put_value(p, expr);
    put_position(p, expr->loc);
    str_putc(p->out, '\n');
    p->depth++;
    print_operands(p, expr);
    p->depth--;
}

static const char *const stmt_names[] = {
    [STMT_EMPTY] = "empty",   [STMT_EXPR] = "expression", [STMT_DECL] = "declaration",
    [STMT_BLOCK] = "block",   [STMT_IF] = "if",           [STMT_WHILE] = "while",
    [STMT_DO] = "do",         [STMT_FOR] = "for",         [STMT_SWITCH] = "switch",
    [STMT_CASE] = "case",     [STMT_DEFAULT] = "default", [STMT_LABEL] = "label",
    [STMT_GOTO] = "goto",     [STMT_BREAK] = "break",     [STMT_CONTINUE] = "continue",
    [STMT_RETURN] = "return",
};

static void print_loop(struct printer *p, const struct stmt *stmt)
{
    if (stmt->kind == STMT_FOR)
        print_stmt(p, stmt->loop.init);
    print_expr(p, stmt->loop.condition);
    if (stmt->kind == STMT_FOR)
        print_expr(p, stmt->loop.step);
    print_stmt(p, stmt->loop.body);
}

static void print_parts(struct printer *p, const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_EXPR:
    case STMT_RETURN:
        print_expr(p, stmt->expr);
        break;
    case STMT_DECL:
        for (const struct decl *decl = stmt->decls; decl && decl != stmt->decls_end; decl = decl->next)
            print_variable(p, decl);
        break;
    case STMT_BLOCK:
        for (const struct stmt *inner = stmt->block.first; inner; inner = inner->next)
            print_stmt(p, inner);
        break;
    case STMT_IF:
        print_expr(p, stmt->branch.condition);
        print_stmt(p, stmt->branch.then_body);
        if (stmt->branch.else_body)
            print_stmt(p, stmt->branch.else_body);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        print_loop(p, stmt);
        break;
    case STMT_SWITCH:
        print_expr(p, stmt->select.value);
        print_stmt(p, stmt->select.body);
        break;
    case STMT_CASE:
    case STMT_DEFAULT:
        print_stmt(p, stmt->label_case.body);
        break;
    case STMT_LABEL:
        print_stmt(p, stmt->label.body);
        break;
    default:
        break;
    }
}

static void print_stmt(struct printer *p, const struct stmt *stmt)
{
    line(p);
    if (!stmt) {
        str_puts(p->out, "none\n");
        return;
    }
    str_puts(p->out, stmt_names[stmt->kind]);
    if (stmt->kind == STMT_CASE)
        str_printf(p->out, " %lld ... %lld", (long long)stmt->label_case.low, (long long)stmt->label_case.high);
    else if (stmt->kind == STMT_LABEL || stmt->kind == STMT_GOTO)
        str_printf(p->out, " %s", stmt->kind == STMT_LABEL ? stmt->label.name->name : stmt->jump.name->name);
    else if ((stmt->kind == STMT_WHILE || stmt->kind == STMT_DO || stmt->kind == STMT_FOR) && stmt->loop.unroll)
        str_printf(p->out, " unroll %u", stmt->loop.unroll);
    put_position(p, stmt->loc);
    str_putc(p->out, '\n');
    p->depth++;
    print_parts(p, stmt);
    p->depth--;
}

static void print_function(struct printer *p, const struct decl *function)
{
    str_printf(p->out, "function %s", name_of(function));
    put_type(p, function->type);
    if (function->fn.flags & FN_KERNEL)
        str_puts(p->out, " kernel");
    if (function->fn.has_reqd)
        str_printf(p->out, " reqd_work_group_size(%u,%u,%u)", function->fn.reqd_work_group_size[0],
                   function->fn.reqd_work_group_size[1], function->fn.reqd_work_group_size[2]);
    if (function->fn.mangled && strcmp(function->fn.mangled, name_of(function)) != 0)
        str_printf(p->out, " as %s", function->fn.mangled);
    put_position(p, function->loc);
    str_putc(p->out, '\n');
    p->depth++;
    for (const struct decl *param = function->fn.params; param; param = param->next)
        print_variable(p, param);
    if (function->fn.body)
        print_stmt(p, function->fn.body);
    p->depth--;
}

void clc_ast_print(struct clc_front *front, const struct translation_unit *unit, struct str *out)
{
    struct printer p = {.front = front, .out = out};
    for (const struct decl *decl = unit->first; decl; decl = decl->next) {
        if (decl->kind == DECL_FUNCTION) {
            print_function(&p, decl);
        } else if (decl->kind == DECL_VARIABLE) {
            print_variable(&p, decl);
        } else if (decl->kind == DECL_TYPEDEF) {
            str_printf(out, "typedef %s", name_of(decl));
            put_type(&p, decl->type);
            str_putc(out, '\n');
        }
    }
}
