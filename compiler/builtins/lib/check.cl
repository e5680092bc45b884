// What checked kernels call (compiler/lower/check/). The numbers are those of struct clc_check_head, clc_check_record and
// clc_check_range (compiler/clc.h).

// Counts what is wrong at the site, and makes a record if there are few of that yet. Counters may wrap: then there are more records than wanted, and no
// more than there is room for.
__attribute__((noinline)) void __pumice_check_report_two(ulong head, uint site, uint what, ulong value, uint size, ulong other)
{
    volatile __global uint *words = (volatile __global uint *)head;
    const __global ulong *fixed = (const __global ulong *)head;
    if (words[18] || atomic_inc(words + 24 + site * 8 + (what >> 17 & 7)) >= (uint)fixed[1])
        return;
    uint at = atomic_inc(words);
    if (at >= (uint)(fixed[0] >> 32))
        return;
    __global ulong2 *record = (__global ulong2 *)fixed[2] + at * 4;
    record[0] = (ulong2)(site | (ulong)what << 32, value);
    record[1] = (ulong2)(get_global_id(0), get_global_id(1));
    record[2] = (ulong2)(get_global_id(2), get_local_id(0) | get_local_id(1) << 32);
    record[3] = (ulong2)(get_local_id(2) | (ulong)size << 32, other);
}

__attribute__((noinline)) void __pumice_check_report(ulong head, uint site, uint what, ulong value, uint size)
{
    __pumice_check_report_two(head, site, what, value, size, 0);
}

// A loop has gone round as often as count - first says, and is looked at: when to look again, or 0 if it is to end. When one
// has ended so, the others of the launch end, too, and nothing is reported that may come of it.
__attribute__((noinline)) uint __pumice_check_round(ulong head, uint count, uint first, uint site)
{
    volatile __global uint *words = (volatile __global uint *)head;
    if (words[18])
        return 0;
    if (count - first < words[17])
        return (count + 4096) | 1;
    __pumice_check_report(head, site, 0, count - first, 0);
    words[18] = 1;
    return 0;
}

uint __pumice_check_loop(ulong head, uint count, uint next, uint first, uint site)
{
    return (int)(next - count) > 0 ? next : __pumice_check_round(head, count, first, site);
}

// One condition at each site, in place.
void __pumice_check(ulong head, uint site, uint what, ulong value, ulong size, uint wrong)
{
    if (wrong)
        __pumice_check_report(head, site, what, value, size >> 32 ? 0xffffffffu : (uint)size);
}

// The last one of a list that begins at the address or before, of three numbers each, the first of which is where it begins; 0: there is
// none.
static const __global ulong *__pumice_check_last_before(const __global ulong *list, uint count, ulong address)
{
    uint low = 0, high = count;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (list[middle * 3] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? list + (low - 1) * 3 : 0;
}

// Whether all bytes are in memory that may be accessed so. A generic pointer into local or private memory is right, for what
// can be told here, where how has bit 16 or 17.
__attribute__((noinline)) uint __pumice_check_find(ulong head, ulong address, ulong size, uint how)
{
    const __global uint *words = (const __global uint *)head;
    if (how >> 16 & 1 && address >> 32 == 0x7ff0001f)
        return 1;
    if (how >> 17 & 1 && address >> 32 == 0x7ff0002f)
        return 1;
    const __global ulong *range =
        __pumice_check_last_before((const __global ulong *)((const __global ulong *)head)[3], words[3], address);
    if (!range)
        return 0;
    ulong at = address - range[0];
    return at <= range[1] && size <= range[1] - at && !(range[2] & how);
}

// A string's bytes before its NUL or the first byte that may not be read, at most so many; UINT_MAX for a null pointer.
#define STRING(suffix, space)                                                                                          \
    uint __pumice_check_length_##suffix(ulong head, const space uchar *string, uint most)                              \
    {                                                                                                                  \
        uint length = 0;                                                                                               \
        if (!string)                                                                                                   \
            return UINT_MAX;                                                                                           \
        while (length < most && __pumice_check_find(head, (ulong)(string + length), 1, 0x30001) && string[length])     \
            length++;                                                                                                  \
        return length;                                                                                                 \
    }

STRING(constant, __constant)
STRING(generic, __generic)
