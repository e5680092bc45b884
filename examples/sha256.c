/* SHA-256 of many messages of every length from 0 to 199 bytes, compared with the same function on the host, which is
 * itself checked against the two vectors of FIPS 180-4. */
#include "common.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, LONGEST = 200 };

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes; computed, not
 * listed. */
static void make_constants(uint32_t k[64])
{
    int found = 0;
    for (uint64_t prime = 2; found < 64; prime++) {
        bool divides = false;
        for (uint64_t d = 2; d * d <= prime && !divides; d++)
            divides = prime % d == 0;
        if (divides)
            continue;
        unsigned __int128 target = (unsigned __int128)prime << 96, root = 0;
        for (int bit = 35; bit >= 0; bit--) {
            unsigned __int128 next = root | (unsigned __int128)1 << bit;
            if (next * next * next <= target)
                root = next;
        }
        k[found++] = (uint32_t)root;
    }
}

static void host_compress(uint32_t state[8], const uint8_t block[64], const uint32_t k[64])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(s, state, sizeof(s));
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + (rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        uint32_t t2 = (rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void host_sha256(const uint8_t *text, size_t length, uint8_t digest[32], const uint32_t k[64])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t blocks = (length + 9 + 63) / 64;
    uint8_t *padded = calloc(blocks, 64);
    if (!padded)
        exit(1);
    memcpy(padded, text, length);
    padded[length] = 0x80;
    for (int i = 0; i < 8; i++)
        padded[blocks * 64 - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    for (size_t i = 0; i < blocks; i++)
        host_compress(state, padded + 64 * i, k);
    free(padded);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static bool host_is_right(const uint32_t k[64])
{
    static const uint8_t abc[4] = {0xba, 0x78, 0x16, 0xbf}, two_blocks[4] = {0x24, 0x8d, 0x6a, 0x61};
    static const char *long_text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t digest[32];
    host_sha256((const uint8_t *)"abc", 3, digest, k);
    bool ok = !memcmp(digest, abc, 4);
    host_sha256((const uint8_t *)long_text, strlen(long_text), digest, k);
    return ok && !memcmp(digest, two_blocks, 4);
}

int main(void)
{
    struct {
        cl_uint offset, length;
    } messages[COUNT];
    static uint8_t bytes[COUNT * LONGEST], digests[COUNT][32];
    unsigned seed = 3;
    cl_uint used = 0;
    for (cl_uint i = 0; i < COUNT; i++) {
        messages[i].offset = used;
        messages[i].length = i % LONGEST;
        used += messages[i].length;
    }
    for (cl_uint i = 0; i < used; i++)
        bytes[i] = (uint8_t)(example_random(&seed) * 256.0f);
    uint32_t k[64];
    make_constants(k);
    if (!host_is_right(k))
        return example_result("sha256", false, "the host's own function fails the standard's vectors");

    struct example example;
    example_open(&example);
    example_build(&example, "sha256.cl", NULL);
    cl_mem buffers[3] = {example_buffer(&example, CL_MEM_READ_ONLY, sizeof(bytes), bytes),
                         example_buffer(&example, CL_MEM_READ_ONLY, sizeof(messages), messages),
                         example_buffer(&example, CL_MEM_WRITE_ONLY, sizeof(digests), NULL)};
    cl_kernel kernel = example_kernel(&example, "sha256");
    for (cl_uint i = 0; i < 3; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    cl_uint count = COUNT;
    CHECK(clSetKernelArg(kernel, 3, sizeof(count), &count));
    size_t global = (COUNT + 63) / 64 * 64;
    double seconds = example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, buffers[2], sizeof(digests), digests);

    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        uint8_t expected[32];
        host_sha256(bytes + messages[i].offset, messages[i].length, expected, k);
        wrong += memcmp(expected, digests[i], 32) != 0;
    }
    int exit_code =
        example_result("sha256", wrong == 0, "%d of %d digests differ; %.3f ms", wrong, COUNT, seconds * 1e3);
    CHECK(clReleaseKernel(kernel));
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(buffers[i]));
    example_close(&example);
    return exit_code;
}
