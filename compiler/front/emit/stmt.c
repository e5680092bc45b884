/* Statements to structured control flow.
 *
 * Every if, loop and switch becomes a construct with its merge instruction. After a jump the current point is
 * unreachable: b.block is NULL, and what follows is dropped unless a label or case in it can be reached; the blocks
 * that turn out unreachable after all are removed when the function ends (emit.c). goto, and cases inside other
 * statements, become plain branches: the structuriser of lowering copes. */
#include "compiler/front/emit/emitter.h"

#include "base/util.h"

/* So many else-ifs are a nest of constructs; more are no construct. */
#define MAX_CHAIN 900
/* A GNU case range of up to this many values is listed; a larger one is tested before the switch. */
#define MAX_CASE_RANGE 64
/* SPIR-V 1.6, 2.17: an OpSwitch has at most 16,383 cases; more go to further ones. */
#define MAX_SWITCH_CASES 16000

/* What break and continue mean here. */
struct emit_jump {
    struct emit_jump *outer;
    spv_id break_label, continue_label; /* continue_label 0: a switch */
    bool break_used, continue_used;
};

static struct emit_jump *innermost_loop(struct emit *e)
{
    struct emit_jump *jump = e->jumps;
    while (jump && !jump->continue_label)
        jump = jump->outer;
    return jump;
}

/* ---- what a statement contains ---- */

enum { HAS_LABEL = 1, HAS_BREAK = 2, HAS_CONTINUE = 4 };

/* Labels and cases anywhere inside; breaks and continues that leave the statement. depth keeps the stack bounded. */
static uint32_t contents(const struct stmt *stmt, uint32_t depth)
{
    uint32_t found = 0;
    if (depth > EMIT_MAX_DEPTH)
        return HAS_LABEL | HAS_BREAK | HAS_CONTINUE;
    for (; stmt;) {
        switch (stmt->kind) {
        case STMT_BLOCK:
            for (const struct stmt *at = stmt->block.first; at; at = at->next)
                found |= contents(at, depth + 1);
            return found;
        case STMT_IF:
            found |= contents(stmt->branch.then_body, depth + 1);
            stmt = stmt->branch.else_body;
            continue;
        case STMT_WHILE:
        case STMT_DO:
        case STMT_FOR:
            return found | (contents(stmt->loop.body, depth + 1) & HAS_LABEL);
        case STMT_SWITCH:
            return found | (contents(stmt->select.body, depth + 1) & ~(uint32_t)HAS_BREAK);
        case STMT_CASE:
        case STMT_DEFAULT:
            found |= HAS_LABEL;
            stmt = stmt->label_case.body;
            continue;
        case STMT_LABEL:
            found |= HAS_LABEL;
            stmt = stmt->label.body;
            continue;
        case STMT_BREAK:
            return found | HAS_BREAK;
        case STMT_CONTINUE:
            return found | HAS_CONTINUE;
        default:
            return found;
        }
    }
    return found;
}

/* ---- declarations ---- */

void emit_local_decl(struct emit *e, struct decl *decl)
{
    if (decl->kind != DECL_VARIABLE || decl->invalid)
        return;
    struct expr *init = decl->var.init;
    if (decl->type.type->kind == TYPE_BLOCK) {
        if (init)
            emit_effects(e, init);
        return;
    }
    if (type_is_handle(decl->type.type)) {
        if (init && decl->type.type->kind != TYPE_SAMPLER)
            emit_bind_value(e, decl, emit_rvalue(e, init));
        return;
    }
    bool program_lifetime = decl->var.is_static_local || decl->type.address_space == AS_CONSTANT ||
                            decl->type.address_space == AS_LOCAL || decl->type.address_space == AS_GLOBAL ||
                            decl->storage == STORAGE_EXTERN;
    if (program_lifetime || !init)
        return;
    struct lvalue object = emit_variable(e, decl);
    object.is_volatile = object.is_volatile && !(decl->type.quals & QUAL_CONST);
    emit_initialise(e, &object, init);
}

/* ---- if ---- */

/* SPIR-V 1.6, 2.17: constructs nest to a depth of 1,023. */
static bool is_long_chain(const struct stmt *stmt)
{
    uint32_t length = 0;
    while (stmt && stmt->kind == STMT_IF && length++ < MAX_CHAIN)
        stmt = stmt->branch.else_body;
    return length > MAX_CHAIN;
}

/* A chain of else-if is emitted as branches one after the other, all to the same end and without merge instructions.
 * The structuriser finds a form for it that is not nested. */
static void emit_chain(struct emit *e, struct stmt *stmt)
{
    spv_id end = emit_new_label(e);
    bool end_used = false;
    for (; stmt && stmt->kind == STMT_IF; stmt = stmt->branch.else_body) {
        emit_line(e, stmt->loc);
        spv_id condition = emit_condition(e, stmt->branch.condition), yes = emit_new_label(e), no = emit_new_label(e);
        emit_branch_if(e, condition, yes, no, 0);
        emit_begin_block(e, yes);
        emit_stmt(e, stmt->branch.then_body);
        if (e->b.block) {
            emit_branch(e, end);
            end_used = true;
        }
        emit_begin_block(e, no);
    }
    emit_stmt(e, stmt);
    if (e->b.block) {
        emit_branch(e, end);
        end_used = true;
    }
    if (end_used)
        emit_begin_block(e, end);
}

static void emit_if(struct emit *e, struct stmt *stmt)
{
    if (is_long_chain(stmt)) {
        emit_chain(e, stmt);
        return;
    }
    spv_id condition = emit_condition(e, stmt->branch.condition);
    struct stmt *then_body = stmt->branch.then_body, *else_body = stmt->branch.else_body;
    uint64_t known;
    if (spv_const_value(e->module, condition, &known)) {
        struct stmt *taken = known ? then_body : else_body, *dropped = known ? else_body : then_body;
        if (!dropped || !(contents(dropped, 0) & HAS_LABEL)) {
            if (taken)
                emit_stmt(e, taken);
            return;
        }
    }
    spv_id yes = emit_new_label(e), merge = emit_new_label(e), no = else_body ? emit_new_label(e) : merge;
    bool merge_used = !else_body;
    emit_branch_if(e, condition, yes, no, merge);
    emit_begin_block(e, yes);
    emit_stmt(e, then_body);
    if (e->b.block) {
        emit_branch(e, merge);
        merge_used = true;
    }
    if (else_body) {
        emit_begin_block(e, no);
        emit_stmt(e, else_body);
        if (e->b.block) {
            emit_branch(e, merge);
            merge_used = true;
        }
    }
    emit_begin_block(e, merge);
    if (!merge_used) {
        spv_emit_void(&e->b, SpvOpUnreachable, 0, NULL);
        e->b.block = NULL;
    }
}

/* ---- loops ---- */

static void loop_merge(struct emit *e, const struct stmt *stmt, spv_id merge, spv_id next)
{
    uint32_t control = stmt->loop.unroll == 1  ? SpvLoopControlDontUnrollMask
                       : stmt->loop.unroll > 1 ? SpvLoopControlUnrollMask
                                               : SpvLoopControlMaskNone;
    struct spv_inst *inst = spv_emitv_void(&e->b, SpvOpLoopMerge, merge, next, control);
    /* SPIR-V 1.2 knows no factor */
    if (stmt->loop.unroll > 1 && stmt->loop.unroll != UINT32_MAX)
        inst->hints.unroll = (uint16_t)u64_min(stmt->loop.unroll, SPV_MAX_UNROLL);
}

/* Ends the loop after its body: the continue block with the back edge, then the merge block. */
static void end_loop(struct emit *e, struct stmt *stmt, struct emit_jump *jump, spv_id header, bool exits)
{
    bool post_test = stmt->kind == STMT_DO;
    if (e->b.block) {
        jump->continue_used = true;
        emit_branch(e, jump->continue_label);
    }
    emit_begin_block(e, jump->continue_label);
    if (!jump->continue_used) {
        e->dead_blocks = true;
        emit_branch(e, header);
    } else if (post_test) {
        spv_id again = emit_condition(e, stmt->loop.condition);
        uint64_t known;
        exits = !spv_const_value(e->module, again, &known) || !known;
        if (exits)
            spv_emitv_void(&e->b, SpvOpBranchConditional, again, header, jump->break_label);
        else
            spv_emitv_void(&e->b, SpvOpBranch, header);
        e->b.block = NULL;
    } else {
        if (stmt->loop.step)
            emit_effects(e, stmt->loop.step);
        emit_branch(e, header);
    }
    e->jumps = jump->outer;
    emit_begin_block(e, jump->break_label);
    if (!exits && !jump->break_used) {
        spv_emit_void(&e->b, SpvOpUnreachable, 0, NULL);
        e->b.block = NULL;
    }
}

static void emit_loop(struct emit *e, struct stmt *stmt)
{
    bool post_test = stmt->kind == STMT_DO, exits = false;
    if (stmt->kind == STMT_FOR && stmt->loop.init)
        emit_stmt(e, stmt->loop.init);
    if (!e->b.block)
        return;
    struct expr *condition = stmt->loop.condition;
    uint64_t known = 1;
    bool constant = condition && condition->is_constant && !condition->float_value;
    if (constant)
        known = condition->integer;
    uint32_t inside = contents(stmt->loop.body, 0);
    if (post_test && constant && !known && !(inside & (HAS_BREAK | HAS_CONTINUE))) {
        emit_stmt(e, stmt->loop.body); /* do { } while (0) */
        return;
    }
    if (!post_test && constant && !known && !(inside & HAS_LABEL))
        return;
    struct emit_jump jump = {e->jumps, emit_new_label(e), emit_new_label(e), false, false};
    spv_id header = emit_new_label(e), body = emit_new_label(e);
    emit_branch(e, header);
    emit_begin_block(e, header);
    loop_merge(e, stmt, jump.break_label, jump.continue_label);
    if (!post_test && condition && !(constant && known)) {
        spv_id check = emit_new_label(e);
        emit_branch(e, check);
        emit_begin_block(e, check);
        spv_emitv_void(&e->b, SpvOpBranchConditional, emit_condition(e, condition), body, jump.break_label);
        exits = true;
    } else {
        spv_emitv_void(&e->b, SpvOpBranch, body);
    }
    e->b.block = NULL;
    e->jumps = &jump;
    emit_begin_block(e, body);
    emit_stmt(e, stmt->loop.body);
    end_loop(e, stmt, &jump, header, exits);
}

/* ---- switch ---- */

static bool is_top_level_case(const struct stmt *body, const struct stmt *wanted)
{
    const struct stmt *at = body->kind == STMT_BLOCK ? body->block.first : body;
    for (; at; at = body->kind == STMT_BLOCK ? at->next : NULL) {
        const struct stmt *inner = at;
        while (inner && (inner->kind == STMT_CASE || inner->kind == STMT_DEFAULT || inner->kind == STMT_LABEL)) {
            if (inner == wanted)
                return true;
            inner = inner->kind == STMT_LABEL ? inner->label.body : inner->label_case.body;
        }
    }
    return false;
}

struct switch_targets {
    VEC(uint32_t) words;
    const struct type *type;
    spv_id selector;
};

static void push_case(struct emit *e, struct switch_targets *targets, uint64_t value, spv_id label)
{
    if (targets->type->size < 4)
        value &= (1u << targets->type->size * 8) - 1;
    vec_push(e->arena, &targets->words, (uint32_t)value);
    if (targets->type->size == 8)
        vec_push(e->arena, &targets->words, (uint32_t)(value >> 32));
    vec_push(e->arena, &targets->words, label);
}

/* case low ... high for many values: selector - low <= high - low, tested before the switch. */
static void test_range(struct emit *e, struct switch_targets *targets, const struct stmt *stmt, spv_id label)
{
    const struct type *type = targets->type;
    spv_id id = emit_type(e, type), next = emit_new_label(e);
    spv_id low = emit_const_int(e, type, stmt->label_case.low);
    spv_id span = emit_const_int(e, type, stmt->label_case.high - stmt->label_case.low);
    spv_id from = spv_emitv(&e->b, SpvOpISub, id, targets->selector, low);
    spv_id inside = spv_emitv(&e->b, SpvOpULessThanEqual, spv_type_bool(e->module), from, span);
    emit_branch_if(e, inside, label, next, 0);
    emit_begin_block(e, next);
}

static void emit_switch_ops(struct emit *e, struct switch_targets *targets, uint32_t limit)
{
    uint32_t *words = targets->words.data, left = targets->words.length - 2;
    spv_id fallback = words[1];
    while (left > limit) {
        spv_id next = emit_new_label(e);
        words[0] = targets->selector;
        words[1] = next;
        spv_emit_void(&e->b, SpvOpSwitch, 2 + limit, words);
        emit_begin_block(e, next);
        words += limit;
        left -= limit;
    }
    words[0] = targets->selector;
    words[1] = fallback;
    spv_emit_void(&e->b, SpvOpSwitch, 2 + left, words);
    e->b.block = NULL;
}

static spv_id label_of(struct emit *e, struct stmt *label);

static void emit_switch(struct emit *e, struct stmt *stmt)
{
    struct switch_targets targets = {.type = emit_canonical(stmt->select.value->type.type)};
    struct emit_jump jump = {e->jumps, emit_new_label(e), 0, false, false};
    bool structured = true;
    targets.selector = emit_rvalue(e, stmt->select.value);
    vec_push(e->arena, &targets.words, targets.selector);
    vec_push(e->arena, &targets.words, jump.break_label);
    /* cases know their labels before the body is emitted */
    for (uint32_t i = 0; i < stmt->select.cases.length; i++) {
        struct stmt *label = stmt->select.cases.data[i];
        spv_id id = label_of(e, label);
        structured = structured && (stmt->select.cases.length > 5000 || is_top_level_case(stmt->select.body, label));
        if (label->kind == STMT_DEFAULT)
            continue;
        uint64_t span = label->label_case.high - label->label_case.low;
        if (span >= MAX_CASE_RANGE) {
            structured = false;
            test_range(e, &targets, label, id);
            continue;
        }
        for (uint64_t value = 0; value <= span; value++)
            push_case(e, &targets, label->label_case.low + value, id);
    }
    struct stmt *fallback = stmt->select.default_case;
    if (fallback)
        targets.words.data[1] = label_of(e, fallback);
    jump.break_used = !fallback;
    uint32_t case_words = targets.type->size == 8 ? 3 : 2, limit = MAX_SWITCH_CASES * case_words;
    structured = structured && targets.words.length <= limit + 2;
    if (structured)
        spv_emitv_void(&e->b, SpvOpSelectionMerge, jump.break_label, SpvSelectionControlMaskNone);
    emit_switch_ops(e, &targets, limit);
    e->jumps = &jump;
    emit_stmt(e, stmt->select.body);
    e->jumps = jump.outer;
    if (e->b.block) {
        jump.break_used = true;
        emit_branch(e, jump.break_label);
    }
    if (!jump.break_used && !structured)
        return;
    emit_begin_block(e, jump.break_label);
    if (!jump.break_used) {
        spv_emit_void(&e->b, SpvOpUnreachable, 0, NULL);
        e->b.block = NULL;
    }
}

/* ---- labels and jumps ---- */

/* Labels are made where they are met first, at a goto or at the label itself. */
static spv_id label_of(struct emit *e, struct stmt *label)
{
    uint64_t key = (uint64_t)(uintptr_t)label;
    spv_id id = (spv_id)(uintptr_t)u64_map_get(&e->labels, key);
    if (!id) {
        id = emit_new_label(e);
        u64_map_set(e->arena, &e->labels, key, (void *)(uintptr_t)id);
    }
    return id;
}

static void enter_label(struct emit *e, struct stmt *stmt)
{
    spv_id label = label_of(e, stmt);
    if (e->b.block)
        emit_branch(e, label);
    emit_begin_block(e, label);
}

static void jump_to(struct emit *e, struct emit_jump *jump, bool is_continue)
{
    if (!jump)
        return;
    if (is_continue)
        jump->continue_used = true;
    else
        jump->break_used = true;
    emit_branch(e, is_continue ? jump->continue_label : jump->break_label);
}

static void emit_return(struct emit *e, struct stmt *stmt)
{
    const struct type *result = e->function->type.type->function.result.type;
    if (!stmt->expr) {
        spv_emit_void(&e->b, SpvOpReturn, 0, NULL);
    } else if (result->kind == TYPE_VOID) {
        emit_effects(e, stmt->expr);
        spv_emit_void(&e->b, SpvOpReturn, 0, NULL);
    } else {
        spv_emitv_void(&e->b, SpvOpReturnValue, emit_rvalue(e, stmt->expr));
    }
    e->b.block = NULL;
}

/* ---- dispatch ---- */

static void reachable_stmt(struct emit *e, struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_EMPTY:
        break;
    case STMT_EXPR:
        if (stmt->expr)
            emit_effects(e, stmt->expr);
        break;
    case STMT_DECL:
        for (struct decl *decl = stmt->decls; decl && decl != stmt->decls_end; decl = decl->next)
            emit_local_decl(e, decl);
        break;
    case STMT_BLOCK:
        for (struct stmt *at = stmt->block.first; at; at = at->next)
            emit_stmt(e, at);
        break;
    case STMT_IF:
        emit_if(e, stmt);
        break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
        emit_loop(e, stmt);
        break;
    case STMT_SWITCH:
        emit_switch(e, stmt);
        break;
    case STMT_CASE:
    case STMT_DEFAULT:
        enter_label(e, stmt);
        emit_stmt(e, stmt->label_case.body);
        break;
    case STMT_LABEL:
        enter_label(e, stmt);
        emit_stmt(e, stmt->label.body);
        break;
    case STMT_GOTO:
        emit_branch(e, label_of(e, stmt->jump.target));
        break;
    case STMT_BREAK:
        jump_to(e, e->jumps, false);
        break;
    case STMT_CONTINUE:
        jump_to(e, innermost_loop(e), true);
        break;
    case STMT_RETURN:
        emit_return(e, stmt);
        break;
    }
}

void emit_stmt(struct emit *e, struct stmt *stmt)
{
    if (!stmt)
        return;
    if (++e->depth > EMIT_MAX_DEPTH)
        pp_fatal(e->front, stmt->loc, "statements are nested too deeply");
    bool enters = stmt->kind == STMT_CASE || stmt->kind == STMT_DEFAULT || stmt->kind == STMT_LABEL;
    bool list = stmt->kind == STMT_BLOCK;
    if (!e->b.block && !enters && !list) {
        if (!(contents(stmt, 0) & HAS_LABEL)) {
            e->depth--;
            return;
        }
        e->dead_blocks = true;
        emit_begin_block(e, emit_new_label(e));
    }
    emit_line(e, stmt->loc);
    reachable_stmt(e, stmt);
    e->depth--;
}

spv_id emit_block_value(struct emit *e, struct stmt *body, struct expr *value)
{
    spv_id result = 0;
    bool done = !value;
    for (struct stmt *at = body->kind == STMT_BLOCK ? body->block.first : body; at;
         at = body->kind == STMT_BLOCK ? at->next : NULL) {
        if (!done && at->kind == STMT_EXPR && at->expr == value && e->b.block) {
            result = emit_rvalue(e, value);
            done = true;
        } else {
            emit_stmt(e, at);
        }
    }
    if (!e->b.block) { /* the value is never used, but the expression around it goes on */
        e->dead_blocks = true;
        emit_begin_block(e, emit_new_label(e));
    }
    if (!done)
        result = emit_rvalue(e, value);
    return result;
}
