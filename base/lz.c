/* Packing finds the cheapest way from the end to the start: for each place, what the bytes from there on cost if a
 * literal comes next, or a match of each length with each size of distance. */
#include "base/lz.h"

#include "base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 3, NEAR = 128, HALF = 15, LONGEST = 1024, TRIES = 512 };

/* What comes next at a place: a match, or a literal, whose length is 0. */
struct step {
    uint32_t cost; /* bytes from here to the end */
    uint16_t length, distance;
};

static uint32_t match_cost(uint32_t length, uint32_t distance)
{
    return 2u + (distance >= NEAR) + (length >= SHORTEST + HALF ? 1 + (length - SHORTEST - HALF) / 255 : 0);
}

static void try_match(struct step *steps, size_t at, uint32_t longest, uint32_t distance)
{
    struct step *step = &steps[at];
    for (uint32_t length = longest; length >= SHORTEST; length--) {
        uint32_t cost = match_cost(length, distance) + steps[at + length].cost;
        if (cost < step->cost)
            *step = (struct step){cost, (uint16_t)length, (uint16_t)distance};
    }
}

/* previous[i]: one more than the last place before i whose three bytes have the same hash, 0 if there is none. */
static void find_step(const uint8_t *bytes, size_t size, const uint16_t *previous, struct step *steps, size_t at)
{
    uint32_t most = (uint32_t)u64_min(size - at, LONGEST), longest[2] = {0}, distances[2] = {0};
    steps[at] = (struct step){.cost = steps[at + 1].cost + 1};
    if (most < SHORTEST)
        return;
    uint32_t tries = 0;
    for (size_t from = previous[at]; from && tries < TRIES && longest[0] < most; from = previous[from - 1], tries++) {
        uint32_t distance = (uint32_t)(at - (from - 1)), length = 0;
        bool is_far = distance >= NEAR;
        if (longest[is_far] == most || bytes[from - 1 + longest[is_far]] != bytes[at + longest[is_far]])
            continue; /* not longer than what was found */
        while (length < most && bytes[from - 1 + length] == bytes[at + length])
            length++;
        if (length >= SHORTEST && length > longest[is_far]) {
            longest[is_far] = length;
            distances[is_far] = distance;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (longest[i])
            try_match(steps, at, longest[i], distances[i]);
    }
}

static uint8_t *put_more(uint8_t *at, size_t number)
{
    if (number < HALF)
        return at;
    for (number -= HALF; number >= 255; number -= 255)
        *at++ = 255;
    *at++ = (uint8_t)number;
    return at;
}

static size_t write_steps(const uint8_t *bytes, size_t size, const struct step *steps, uint8_t *packed)
{
    uint8_t *out = packed;
    for (size_t at = 0; at < size;) {
        size_t start = at;
        while (at < size && !steps[at].length)
            at++;
        size_t literals = at - start, rest = at < size ? steps[at].length - (size_t)SHORTEST : 0;
        *out++ = (uint8_t)(u64_min(literals, HALF) << 4 | u64_min(rest, HALF));
        out = put_more(out, literals);
        memcpy(out, bytes + start, literals);
        out += literals;
        if (at == size)
            break;
        uint32_t distance = steps[at].distance;
        *out++ = (uint8_t)(distance < NEAR ? distance : (distance & 0x7f) | 0x80);
        if (distance >= NEAR)
            *out++ = (uint8_t)(distance >> 7);
        out = put_more(out, rest);
        at += steps[at].length;
    }
    return (size_t)(out - packed);
}

size_t lz_pack(const uint8_t *bytes, size_t size, uint8_t *packed)
{
    struct step *steps = calloc(size + 1, sizeof(*steps));
    uint16_t *previous = calloc(size + 1, sizeof(*previous)), *last = calloc(1 << 16, sizeof(*last));
    size_t used = 0;
    if (steps && previous && last) {
        for (size_t i = 0; i + SHORTEST <= size; i++) {
            uint16_t hash = (uint16_t)((bytes[i] | (uint32_t)bytes[i + 1] << 8) ^ bytes[i + 2] * 0x9e3du);
            previous[i] = last[hash];
            last[hash] = (uint16_t)(i + 1);
        }
        for (size_t at = size; at-- > 0;)
            find_step(bytes, size, previous, steps, at);
        used = write_steps(bytes, size, steps, packed);
    }
    free(steps);
    free(previous);
    free(last);
    return used;
}

static inline size_t take_number(const uint8_t **packed, size_t half)
{
    size_t number = half;
    if (half == HALF) {
        uint8_t more;
        do
            number += more = *(*packed)++;
        while (more == 255);
    }
    return number;
}

/* Eight bytes at a time, and so up to seven too many. */
static inline void copy(uint8_t *to, const uint8_t *from, size_t length)
{
    for (size_t i = 0; i < length; i += 8)
        memcpy(to + i, from + i, 8);
}

void lz_unpack(const uint8_t *packed, uint8_t *bytes, size_t size)
{
    uint8_t *at = bytes, *end = bytes + size;
    for (;;) {
        uint8_t halves = *packed++;
        size_t literals = u64_min(take_number(&packed, halves >> 4), (size_t)(end - at));
        copy(at, packed, literals);
        packed += literals;
        at += literals;
        if (at == end)
            return;
        size_t distance = *packed++;
        if (distance >= NEAR)
            distance = (distance & 0x7f) | (size_t)*packed++ << 7;
        size_t length = u64_min(take_number(&packed, halves & HALF) + SHORTEST, (size_t)(end - at));
        const uint8_t *from = at - distance;
        if (distance >= 8) {
            copy(at, from, length);
        } else {
            for (size_t i = 0; i < length; i++)
                at[i] = from[i];
        }
        at += length;
        if (at == end)
            return;
    }
}
