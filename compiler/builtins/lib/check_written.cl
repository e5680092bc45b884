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
    const __global ulong *list = (const __global ulong *)((const __global ulong *)head)[4];
    uint low = 0, high = ((const __global uint *)head)[10];
    while (low < high) {
        uint middle = (low + high) / 2;
        if (list[middle * 3] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    list += (low - 1) * 3;
    return __pumice_check_written(list[2], address - list[0], list[1], size, how);
}
