/* SPIR-V's words as instructions, for code that looks at a module without reading it into the compiler's memory. A
 * module is a header of five words, then instructions: the first word of each has its length in words and its operation
 * (SPIR-V 1.6, 2.3). Lengths are not trusted: the words may come from a file, or from an application. */
#ifndef BASE_SPIRV_H
#define BASE_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIRV_MAGIC = 0x07230203, SPIRV_BOUND = 3 /* the word with it: ids are below */, SPIRV_HEADER = 5 };

/* One instruction after the other:
 *     struct spirv_walk walk = spirv_walk(words, count);
 *     while (spirv_next(&walk))
 *         if (walk.op == ... && walk.length > 2)
 *             ... walk.inst[2] ... */
struct spirv_walk {
    const uint32_t *inst; /* the instruction, of `length` words, all of which are there */
    uint32_t op, length;
    const uint32_t *next, *end;
};

/* words: NULL, or a module of count words with its header. */
static inline struct spirv_walk spirv_walk(const uint32_t *words, size_t count)
{
    struct spirv_walk walk = {0};
    if (words && count > SPIRV_HEADER) {
        walk.next = words + SPIRV_HEADER;
        walk.end = words + count;
    }
    return walk;
}

/* False at the end, and where the words are no whole instruction. */
static inline bool spirv_next(struct spirv_walk *walk)
{
    size_t left = walk->next ? (size_t)(walk->end - walk->next) : 0;
    uint32_t length = left ? walk->next[0] >> 16 : 0;
    if (!length || length > left)
        return false;
    walk->inst = walk->next;
    walk->op = walk->inst[0] & 0xffff;
    walk->length = length;
    walk->next += length;
    return true;
}

/* Whether the words are a header and whole instructions, one at least. */
static inline bool spirv_is_whole(const uint32_t *words, size_t count)
{
    struct spirv_walk walk = spirv_walk(words, count);
    if (!walk.next || words[0] != SPIRV_MAGIC)
        return false;
    while (spirv_next(&walk))
        continue;
    return walk.next == walk.end;
}

#endif
