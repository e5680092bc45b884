/* Reads of images with a sampler: decides which of them stay calls of the library's body (lib/image.cl). The body has
 * several hundred instructions where the sampler is an argument.
 *
 * When everything else is inlined, each call in the kernel shows which of the kernel's arguments its image is, and
 * often a constant sampler. Calls of one body that agree in both share a copy of it:
 *
 *     %r = OpFunctionCall %v4float %sample_2d %image %sampler %x %y
 *                                                        ->  %r = OpFunctionCall %v4float %copy %image %sampler %x %y
 *     %copy = OpFunction ...                                 the body, folded for a constant sampler
 *
 * Copies that turn out small are inlined. So an image is a parameter only of functions that get the same image from
 * every call. images.c relies on that to find its descriptor. */
#include "compiler/lower/calls/calls.h"

struct read_copy {
    spv_id body, image, sampler; /* sampler: a constant, or 0 */
    uint32_t calls;
    struct spv_function *function; /* NULL: each call takes the body */
    bool keep;
};

struct reads {
    const struct lower *lower;
    struct spv_module *module;
    opt_call_policy policy; /* of other functions */
    void *data;
    VEC(struct read_copy) copies;
    bool decided;
};

bool lower_is_read_body(const struct lower *lower, const struct spv_function *function)
{
    return (uintptr_t)u64_map_get(&lower->library_bodies, function->def->id) == LOWER_BODY_READ;
}

/* The kernel's parameter that the image is; 0 where it is not known to be one. */
static spv_id image_of(const struct spv_module *module, spv_id image)
{
    const struct spv_inst *def = spv_def(module, image);
    while (def && def->op == SpvOpCopyObject)
        def = spv_def(module, def->words[0]);
    return def && def->op == SpvOpFunctionParameter ? def->id : 0;
}

static struct read_copy *copy_for(struct reads *r, const struct spv_inst *call)
{
    uint64_t bits;
    struct read_copy key = {.body = call->words[0], .image = image_of(r->module, call->words[1])};
    if (spv_const_value(r->module, call->words[2], &bits))
        key.sampler = spv_const_u32(r->module, (uint32_t)bits); /* a module may have equal constants */
    vec_foreach (struct read_copy, copy, &r->copies) {
        if (copy->body == key.body && copy->image == key.image && copy->sampler == key.sampler)
            return copy;
    }
    vec_push(r->module->arena, &r->copies, key);
    return &vec_last(&r->copies);
}

typedef void (*visit_read)(struct reads *r, struct read_copy *copy, struct spv_inst *call);

static void visit_reads(struct reads *r, struct spv_function *kernel, visit_read visit)
{
    spv_foreach_block (block, kernel) {
        spv_foreach_inst (inst, &block->insts) {
            const struct spv_function *callee =
                inst->op == SpvOpFunctionCall ? spv_function_of(r->module, inst->words[0]) : NULL;
            if (callee && callee->first_block && lower_is_read_body(r->lower, callee))
                visit(r, copy_for(r, inst), inst);
        }
    }
}

static void count_call(struct reads *r, struct read_copy *copy, struct spv_inst *call)
{
    (void)r;
    (void)call;
    copy->calls++;
}

static void redirect_call(struct reads *r, struct read_copy *copy, struct spv_inst *call)
{
    (void)r;
    if (copy->function)
        call->words[0] = copy->function->def->id;
}

/* Makes a function that only calls the body; the body is inlined into it later. */
static struct spv_function *make_copy(struct reads *r, const struct read_copy *copy)
{
    struct spv_module *module = r->module;
    const struct spv_inst *body = spv_function_of(module, copy->body)->def;
    struct spv_function *function = spv_function_create(module, spv_new_id(module), body->words[1], body->words[0]);
    spv_block_append(function, spv_block_create(function, module, 0));
    struct spv_builder b = {module, function, function->first_block, NULL};
    uint32_t count = function->params.length;
    uint32_t *words = arena_array(module->arena, uint32_t, count + 1u);
    words[0] = copy->body;
    for (uint32_t i = 0; i < count; i++)
        words[1 + i] = function->params.data[i]->id;
    if (copy->sampler)
        words[2] = copy->sampler;
    spv_emitv_void(&b, SpvOpReturnValue, spv_emit(&b, SpvOpFunctionCall, body->type, count + 1, words));
    return function;
}

static uint64_t size_of(const struct spv_function *function)
{
    uint64_t size = 0;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            size++;
    }
    return size;
}

static void decide(struct reads *r)
{
    vec_foreach (struct read_copy, copy, &r->copies) {
        if (!copy->function)
            continue;
        if (copy->sampler) {
            opt_fold(r->module, copy->function);
            opt_dce(r->module, copy->function);
        }
        uint64_t size = size_of(copy->function);
        copy->keep = size > LOWER_LIBRARY && size * (copy->calls - 1) > LOWER_LIBRARY_GROWTH;
    }
    r->decided = true;
}

static enum opt_call_fate keep_read(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    const struct reads *r = data;
    vec_foreach (struct read_copy, copy, &r->copies) {
        if (copy->function == callee)
            return copy->keep || !r->decided ? OPT_CALL_STAYS : OPT_CALL_READY;
    }
    return lower_is_read_body(r->lower, callee) ? OPT_CALL_READY : r->policy(r->data, module, callee);
}

bool lower_share_reads(struct lower *lower, opt_call_policy policy, void *data, const char **error)
{
    struct reads reads = {.lower = lower, .module = lower->module, .policy = policy, .data = data};
    visit_reads(&reads, lower->kernel, count_call);
    if (!reads.copies.length)
        return true;
    bool any = false;
    vec_foreach (struct read_copy, copy, &reads.copies) {
        if (copy->calls > 1 && copy->image)
            copy->function = make_copy(&reads, copy);
        any |= copy->function != NULL;
    }
    if (any) {
        visit_reads(&reads, lower->kernel, redirect_call);
        /* inlines the bodies into their copies, which can be measured then */
        if (!opt_inline_calls(lower->module, lower->kernel, keep_read, &reads, error))
            return false;
    }
    decide(&reads);
    return opt_inline_calls(lower->module, lower->kernel, keep_read, &reads, error);
}
