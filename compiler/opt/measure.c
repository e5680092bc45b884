/* How large functions would be with all calls inlined, and whether one calls itself. */
#include "compiler/opt/opt.h"

#include "base/util.h"

struct frame {
    struct spv_function *function;
    struct spv_block *block;
    struct spv_inst *inst;
    uint32_t size; /* instructions so far, and those of functions that were called */
};

static const char *function_name(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *name = spv_names(module, id);
    return name && name->op == SpvOpName ? spv_string(name, 1, NULL) : "a function";
}

/* The next call at or after the frame's position; 0 at the function's end. */
static spv_id next_call(struct frame *frame)
{
    while (frame->block) {
        while (frame->inst) {
            struct spv_inst *inst = frame->inst;
            frame->inst = inst->next;
            frame->size++;
            if (inst->op == SpvOpFunctionCall)
                return inst->words[0];
        }
        frame->block = frame->block->next;
        frame->inst = frame->block ? frame->block->insts.first : NULL;
    }
    return 0;
}

static struct frame frame_of(struct spv_function *function)
{
    struct spv_block *block = function->first_block;
    return (struct frame){function, block, block ? block->insts.first : NULL, 0};
}

enum { ON_PATH = 1, DONE = 2, MAX_SIZE = INT32_MAX }; /* in the map of sizes: a function's is kept as DONE + size */

static void add_size(struct frame *frame, uintptr_t state)
{
    frame->size = (uint32_t)u64_min((uint64_t)frame->size + state - DONE, MAX_SIZE);
}

/* Measures a function with all calls inlined. The walk keeps its own stack, since chains of calls may be long. */
static const char *measure(struct arena *arena, const struct spv_module *module, struct spv_function *root,
                           struct u64_map *sizes)
{
    VEC(struct frame) stack = {0};
    if (u64_map_has(sizes, root->def->id))
        return NULL;
    u64_map_set(arena, sizes, root->def->id, (void *)ON_PATH);
    vec_push(arena, &stack, frame_of(root));
    while (stack.length) {
        spv_id callee = next_call(&vec_last(&stack));
        if (!callee) {
            struct frame done = vec_pop(&stack);
            uintptr_t state = DONE + (uintptr_t)done.size;
            u64_map_set(arena, sizes, done.function->def->id, (void *)state);
            if (stack.length)
                add_size(&vec_last(&stack), state);
            continue;
        }
        struct spv_function *function = spv_function_of(module, callee);
        if (!function)
            return "a call of what is no function";
        uintptr_t state = (uintptr_t)u64_map_get(sizes, callee);
        if (state == ON_PATH)
            return arena_printf(arena, "recursion is not supported in OpenCL: '%s' calls itself",
                                function_name(module, callee));
        if (state) {
            add_size(&vec_last(&stack), state);
            continue;
        }
        u64_map_set(arena, sizes, callee, (void *)ON_PATH);
        vec_push(arena, &stack, frame_of(function));
    }
    return NULL;
}

uint32_t opt_inlined_size(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                          struct u64_map *sizes, const char **error)
{
    *error = measure(arena, module, function, sizes);
    return *error ? 0 : (uint32_t)((uintptr_t)u64_map_get(sizes, function->def->id) - DONE);
}
