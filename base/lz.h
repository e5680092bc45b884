/* Bytes without what they repeat, for tables that are embedded in the library and read a piece at a time: unpacking is
 * a copy of a few bytes after the other, at about 1 GB/s.
 *
 * Sequences of
 *
 *     literals << 4 | length - 3, [more of the literals' number], literals, distance, [more of the length]
 *
 * where 15 in a half of the first byte means that bytes follow which are added, up to one below 255. A distance below
 * 128 takes a byte, others two: the low seven bits with 0x80, and the rest. */
#ifndef BASE_LZ_H
#define BASE_LZ_H

#include <stddef.h>
#include <stdint.h>

/* LZ_SLACK: bytes behind the packed ones that may be read, and behind the unpacked ones that may be written. */
enum { LZ_MOST = 1 << 15, LZ_SLACK = 8 };

/* Bytes that lz_pack() may need. */
static inline size_t lz_bound(size_t size)
{
    return size + size / 255 + 2;
}
/* Packs at most LZ_MOST bytes as small as this format allows; slow. Returns how many bytes it took; 0: out of memory.
 */
size_t lz_pack(const uint8_t *bytes, size_t size, uint8_t *packed);
/* The first `size` bytes again. Packed must be what lz_pack() made of as many or more: nothing is checked. */
void lz_unpack(const uint8_t *packed, uint8_t *bytes, size_t size);

#endif
