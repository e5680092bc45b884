// Which bytes a launch touches of what an argument leads to (compiler/lower/check/tracks.c): a bit for each granule, where the host may
// ask for it. The numbers are those of CLC_LIMIT_TOUCHED and enum clc_site_access (compiler/clc.h).

// Most bits are set already when a work-item comes by, so that few atomic operations are made.
__attribute__((noinline)) void __pumice_check_touch_bits(ulong touched, ulong first, ulong last, uint kind)
{
    volatile __global uint *words = (volatile __global uint *)(touched & ~63ul) + kind;
    for (ulong word = first >> 5; word <= last >> 5; word++) {
        uint bits = ~0u;
        if (word == first >> 5)
            bits &= ~0u << (first & 31);
        if (word == last >> 5)
            bits &= ~0u >> (31 - (last & 31));
        if ((words[word * 4] & bits) != bits)
            atomic_or(words + word * 4, bits);
    }
}

void __pumice_check_touch(ulong touched, ulong distance, ulong limit, ulong size, uint how)
{
    bool inside = (size != 0) & (distance <= limit) & (size <= limit - distance);
    if (!touched || !inside || (how & 8 && get_local_id(0) | get_local_id(1) | get_local_id(2)))
        return;
    uint shift = (uint)touched & 63, kind = (how & 4) >> 1;
    ulong first = distance >> shift, last = (distance + size - 1) >> shift;
    if (how & 1)
        __pumice_check_touch_bits(touched, first, last, kind);
    if (how & 2)
        __pumice_check_touch_bits(touched, first, last, kind + 1);
}
