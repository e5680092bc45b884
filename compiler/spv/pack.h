/* SPIR-V in a third of its size, for what is embedded in the library: numbers of seven bits to a byte, ids counted back
 * from the newest. */
#ifndef COMPILER_SPV_PACK_H
#define COMPILER_SPV_PACK_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that spv_pack() may need for so many words. */
static inline size_t spv_pack_bound(size_t num_words)
{
    return num_words * 6 + 5;
}
/* Packs a well-formed module in the host's byte order. Returns how many bytes it took. */
size_t spv_pack(const uint32_t *words, size_t num_words, uint8_t *bytes);
/* The words again. The bytes must be what spv_pack() made of num_words words: nothing is checked. */
void spv_unpack(const uint8_t *bytes, uint32_t *words, size_t num_words);

#endif
