/* An instruction's opcode and length make one number; then follow its words. Most of them are ids, mostly of what was
 * defined shortly before. So each word is written either as it is or as its distance from the newest id, whichever is
 * shorter, with a bit that says which. A word that is one above the newest id is the new one. */
#include "pack.h"

#include <stdbool.h>

enum { HEADER_WORDS = 5, LENGTH_BITS = 3, LONG = (1 << LENGTH_BITS) - 1 };

static uint8_t *put(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

static uint64_t take(const uint8_t **at)
{
    uint64_t number = 0;
    uint32_t shift = 0;
    do
        number |= (uint64_t)(**at & 0x7f) << shift;
    while (shift += 7, *(*at)++ & 0x80);
    return number;
}

size_t spv_pack(const uint32_t *words, size_t num_words, uint8_t *bytes)
{
    uint8_t *at = bytes;
    uint32_t newest = 0;
    for (size_t i = 0; i < HEADER_WORDS; i++)
        at = put(at, words[i]);
    for (size_t i = HEADER_WORDS; i < num_words;) {
        uint32_t length = (words[i] >> 16) - 1, op = words[i] & 0xffff;
        at = put(at, op << LENGTH_BITS | (length < LONG ? length : (uint32_t)LONG));
        if (length >= LONG)
            at = put(at, length);
        for (i++; length > 0; length--, i++) {
            uint64_t plain = (uint64_t)words[i] << 1, back = (uint64_t)newest + 1 - words[i];
            bool is_near = words[i] <= newest + 1 && (back << 1 | 1) < plain;
            at = put(at, is_near ? back << 1 | 1 : plain);
            newest += words[i] == newest + 1;
        }
    }
    return (size_t)(at - bytes);
}

void spv_unpack(const uint8_t *bytes, uint32_t *words, size_t num_words)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < HEADER_WORDS; i++)
        words[i] = (uint32_t)take(&bytes);
    for (size_t i = HEADER_WORDS; i < num_words;) {
        uint32_t first = (uint32_t)take(&bytes), length = first & LONG;
        if (length == LONG)
            length = (uint32_t)take(&bytes);
        words[i++] = (length + 1) << 16 | first >> LENGTH_BITS;
        for (; length > 0; length--, i++) {
            uint64_t number = take(&bytes);
            words[i] = number & 1 ? newest + 1 - (uint32_t)(number >> 1) : (uint32_t)(number >> 1);
            newest += words[i] == newest + 1;
        }
    }
}
