/* Tiles of any size up to CLC_TILE_ITEMS: a kernel divides by them with a multiplication. */
#include "compiler/clc.h"
#include "tests/support/check.h"

int main(void)
{
    for (uint32_t width = 1; width <= CLC_TILE_ITEMS; width++) {
        for (uint32_t height = 1; height <= CLC_TILE_ITEMS; height++) {
            const uint32_t local[2] = {width, height}, word = clc_tile_word(local);
            bool exact = true;
            for (uint32_t n = 0; n < CLC_TILE_ITEMS; n++)
                exact =
                    exact && n * ((word & 0xffff) + 1) >> 16 == n / width && n * ((word >> 16) + 1) >> 16 == n / height;
            CHECK(exact);
        }
    }
    return test_result();
}
