/* Copies through the window, of all alignments and sizes around a line. */
#include "vk/memory/window.h"

#include "tests/support/check.h"

#include <string.h>

enum { SIZE = 1024 };

int main(void)
{
    static _Alignas(64) unsigned char memory[SIZE];
    for (int i = 0; i < SIZE; i++)
        memory[i] = (unsigned char)(i * 7 + i / 256);
    for (uint64_t from = 0; from < 130; from++) {
        for (uint64_t size = 0; size < 400; size++) {
            unsigned char got[512];
            memset(got, 0xee, sizeof(got));
            vkb_window_copy(got + 1, memory + from, size);
            CHECK(got[0] == 0xee && got[1 + size] == 0xee);
            CHECK(!memcmp(got + 1, memory + from, size));
        }
    }
    CHECK(vkb_window_bytes() >= 128);
    return test_result();
}
