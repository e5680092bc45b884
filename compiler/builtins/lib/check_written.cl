// Which bytes were written (compiler/lower/check/written.c). The numbers are those of enum clc_site_access and struct
// clc_check_written (compiler/clc.h).

#define READS 1
#define WRITES 2
#define ATOMIC 4
#define WHOLE 16
#define ONES 0x01010101u

// Notes a write, and says whether a read is one of bytes that nobody wrote. One loop for words and bytes: drivers inline it at
// each access. Another group may have written the bytes, so that no cache is asked; atomic operations may be the first to meet
// at a place, and their bytes do then, too.
static uint __pumice_check_bytes(ulong bytes, ulong size, uint how)
{
    uint step = (bytes | size) & 3 ? 1 : 4, all = 1, some = 0;
    for (ulong at = bytes; at < bytes + size; at += step) {
        volatile __global uint *word = (volatile __global uint *)(at & ~3ul);
        uint ones = step == 4 ? ONES : 1u << (at & 3) * 8;
        uint old = how & ATOMIC ? atomic_or(word, how & WRITES ? ones : 0) : *word;
        all &= (old & ones) == ones;
        some |= (old & ones) != 0;
        if (!(how & WRITES) || how & ATOMIC || (old & ones) == ones)
            continue;
        if (step == 4)
            *word = ONES;
        else
            *(volatile __global uchar *)at = 1;
    }
    if (how & ATOMIC)
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (!(how & READS) || !size)
        return 0;
    return how & WHOLE ? !some : !all;
}

__attribute__((noinline)) uint __pumice_check_written(ulong bytes, ulong distance, ulong limit, ulong size, uint how)
{
    if (!bytes || distance > limit || size > limit - distance)
        return 0;
    return __pumice_check_bytes(bytes + distance, size, how);
}

__attribute__((noinline)) uint __pumice_check_written_at(ulong head, ulong address, ulong size, uint how)
{
    const __global ulong *list = __pumice_check_last_before((const __global ulong *)((const __global ulong *)head)[4],
                                                            ((const __global uint *)head)[10], address);
    if (!list)
        return 0;
    return __pumice_check_written(list[2], address - list[0], list[1], size, how);
}

// An access of a few bytes, to an address that is a multiple of as many. Without branches: what has no bytes is looked at in the
// page where wrong accesses go.
#define LOT(size, type, ones)                                                                            \
    uint __pumice_check_read_##size(ulong bytes, ulong distance, ulong limit, ulong page)                \
    {                                                                                                    \
        bool inside = (bytes != 0) & (limit >= size) & (distance <= limit - size);                       \
        return inside & NOT_ONES(*(volatile __global type *)(inside ? bytes + distance : page), ones);   \
    }                                                                                                    \
    uint __pumice_check_write_##size(ulong bytes, ulong distance, ulong limit, ulong page)               \
    {                                                                                                    \
        bool inside = (bytes != 0) & (limit >= size) & (distance <= limit - size);                       \
        *(volatile __global type *)(inside ? bytes + distance : page) = ones;                            \
        return 0;                                                                                        \
    }
#define NOT_ONES(value, ones) ((value) != (ones))
LOT(1, uchar, 1)
LOT(2, ushort, 0x0101)
LOT(4, uint, ONES)
LOT(8, ulong, ONES * 0x100000001ul)
#undef NOT_ONES
static bool not_ones(uint4 value)
{
    return (value.x & value.y & value.z & value.w) != ONES;
}
#define NOT_ONES(value, ones) not_ones(value)
LOT(16, uint4, (uint4)ONES)

// The group's bytes of local memory, of which the head tells as in check_local.cl; 0: it has none.
ulong __pumice_check_local_bytes(ulong head)
{
    const __global uint *words = (const __global uint *)head;
    ulong group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    return group < words[15] ? ((const __global ulong *)head)[6] + group * words[14] * 4 : 0;
}

ulong __pumice_check_local_limit(ulong head)
{
    return ((const __global uint *)head)[16];
}

__attribute__((noinline)) void __pumice_check_local_clear(ulong bytes, ulong limit)
{
    uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    uint item = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
    volatile __global uint4 *at = (volatile __global uint4 *)bytes;
    for (uint i = item; bytes && i < (limit + 15) / 16; i += items)
        at[i] = 0;
}

// How far a pointer leads into local memory; a generic one may lead elsewhere.
ulong __pumice_check_local_distance(ulong address, uint is_generic)
{
    bool elsewhere = (is_generic != 0) & (address >> 32 != 0x7ff0001f);
    return elsewhere ? ~0ul : (ulong)(uint)address - 128;
}
