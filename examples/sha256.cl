/* SHA-256 (FIPS 180-4) of many messages, one work-item each. Messages lie packed in one byte buffer; the kernel reads them through byte
 * pointers, pads in private memory, and writes the digest through a pointer cast. */
typedef struct {
    uint offset, length; /* bytes */
} message_t;

__constant uint k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))

static uint big_endian(uint x)
{
    return as_uint(as_uchar4(x).wzyx);
}

static void compress(uint *state, const uint *block)
{
    uint w[64];
    for (int i = 0; i < 16; i++)
        w[i] = block[i];
    for (int i = 16; i < 64; i++) {
        uint s0 = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint s1 = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint t1 = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + bitselect(g, f, e) + k[i] + w[i];
        uint t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

__kernel void sha256(__global const uchar *bytes, __global const message_t *messages, __global uchar *digests, uint count)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    __global const uchar *text = bytes + messages[i].offset;
    uint length = messages[i].length;
    uint state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint blocks = (length + 9 + 63) / 64;
    for (uint b = 0; b < blocks; b++) {
        uint block[16];
        uchar *out = (uchar *)block;
        for (uint j = 0; j < 64; j++) {
            uint at = b * 64 + j;
            out[j] = at < length ? text[at] : at == length ? 0x80 : 0;
        }
        for (int j = 0; j < 16; j++)
            block[j] = big_endian(block[j]);
        if (b == blocks - 1) {
            block[14] = length >> 29;
            block[15] = length << 3;
        }
        compress(state, block);
    }
    __global uint *digest = (__global uint *)(digests + 32 * i);
    for (int j = 0; j < 8; j++)
        digest[j] = big_endian(state[j]);
}
