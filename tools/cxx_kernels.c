/* Kernels as OpenCL has them. llvm-spirv makes a second function of each kernel, because a kernel may be called, too:
 *
 *     OpEntryPoint Kernel %wrapper "k"                      ->   OpEntryPoint Kernel %k "k"
 *     %k = OpFunction ...                                        %k = OpFunction ...
 *     %wrapper = OpFunction ...
 *     %c = OpFunctionCall %void %k %p
 *
 * OpenCL C++ forbids such calls, so the wrapper goes, and what is said of it is said of the kernel (2.6.2). */
#include "cxx_passes.h"
#include "cxx_words.h"

#include <stdlib.h>

struct wrapper {
    struct module m;
    uint32_t *inner; /* by the wrapper's id: the function that it calls, 0: it is no wrapper */
    uint32_t *calls; /* by a function's id: how often it is called */
    bool *is_inner;
};

static const uint32_t *next(const uint32_t *inst)
{
    return inst + length_of(inst);
}

/* A body that calls a function with the wrapper's own parameters, and nothing else. */
static uint32_t called_by(const uint32_t *function)
{
    const uint32_t *first = next(function), *inst = first;
    uint32_t count = 0;
    for (; op_of(inst) == SpvOpFunctionParameter; inst = next(inst))
        count++;
    if (op_of(inst) != SpvOpLabel)
        return 0;
    inst = next(inst);
    if (op_of(inst) != SpvOpFunctionCall || length_of(inst) != 4 + count || op_of(next(inst)) != SpvOpReturn)
        return 0;
    for (uint32_t i = 0; i < count; i++, first = next(first)) {
        if (inst[4 + i] != first[2])
            return 0;
    }
    return inst[3];
}

static void count_calls(struct wrapper *w)
{
    for (size_t at = SPIRV_HEADER; at < w->m.count; at += length_of(w->m.in + at)) {
        const uint32_t *inst = w->m.in + at;
        if (op_of(inst) == SpvOpFunctionCall && inst[3] < w->m.old_bound)
            w->calls[inst[3]]++;
    }
}

static void find_wrappers(struct wrapper *w)
{
    for (size_t at = SPIRV_HEADER; at < w->m.count; at += length_of(w->m.in + at)) {
        const uint32_t *inst = w->m.in + at;
        const uint32_t *function = op_of(inst) == SpvOpEntryPoint ? module_def_of(&w->m, inst[2], SpvOpFunction) : NULL;
        uint32_t inner = function ? called_by(function) : 0;
        if (!inner || inner >= w->m.old_bound || w->calls[inner] != 1)
            continue;
        w->inner[inst[2]] = inner;
        w->is_inner[inner] = true;
        w->m.ids[inst[2]].dropped = true;
        for (const uint32_t *param = next(function); op_of(param) == SpvOpFunctionParameter; param = next(param))
            w->m.ids[param[2]].dropped = true; /* what is said of them */
    }
}

static bool change_wrapper(void *data, struct words *out, const uint32_t *inst)
{
    const struct wrapper *w = data;
    uint32_t target = words_target(inst), op = op_of(inst);
    uint32_t inner = target && target < w->m.old_bound ? w->inner[target] : 0;
    if (op == SpvOpDecorate && target < w->m.old_bound && w->is_inner[target] &&
        inst[2] == SpvDecorationLinkageAttributes)
        return true; /* SPIR-V 1.6, 2.16.1: an entry point has none */
    if (!inner || (op != SpvOpEntryPoint && op != SpvOpExecutionMode && op != SpvOpExecutionModeId))
        return false;
    uint32_t before = op == SpvOpEntryPoint ? 2 : 1;
    words_put(out, inst, before);
    words_put(out, &inner, 1);
    words_put(out, inst + before + 1, length_of(inst) - before - 1);
    return true;
}

uint32_t *cxx_unwrap_kernels(const uint32_t *words, size_t *count, char message[CXX_MESSAGE])
{
    (void)message;
    struct wrapper w;
    uint32_t *result = NULL;
    bool open = module_open(&w.m, words, *count);
    w.inner = calloc(w.m.old_bound + 1, sizeof(*w.inner));
    w.calls = calloc(w.m.old_bound + 1, sizeof(*w.calls));
    w.is_inner = calloc(w.m.old_bound + 1, sizeof(*w.is_inner));
    if (open && w.inner && w.calls && w.is_inner) {
        count_calls(&w);
        find_wrappers(&w);
        result = module_write(&w.m, change_wrapper, &w, count);
    }
    free(w.is_inner);
    free(w.calls);
    free(w.inner);
    module_close(&w.m);
    return result;
}
