// Who touched global memory last (compiler/lower/check/tracks.c). Beside memory that the launch may write lie two words for each of
// its words of four bytes: who wrote there last, and who read. They are
//
//     bits 52 to 63   the launch
//     bits 43 to 51   barriers of the group that the work-item has passed; when there is no room for more it is not looked at
//     bits 40 to 42   barriers of the sub-group since
//     bits 30 to 39   the group, or a hash where there are more
//     bits 19 to 29   the work-item in it; 2047: all of the group together
//     bits 15 to 18   which of the four bytes
//     bit 14          a write: it was atomic
//     bit 13          others did the same to all of these bytes: reads, or atomic writes
//     bits 0 to 12    one more than the site
//
// The kernel keeps the upper half of it as the work-item's state, with
//
//     bit 0    it has read something that others may have meant to tell it
//     bit 1    it may know what others did before
//     bit 2    it may know what other groups did before
//     bit 3    other groups may have the same number

enum { TRACK_READS = 1, TRACK_WRITES = 2, TRACK_ATOMIC = 4, TRACK_GROUP = 8, TRACK_RACE = 2 << 17 };
enum { TRACK_BARRIER = 0x100, TRACK_SUB_GROUP_BARRIER, TRACK_NAMED_BARRIER, TRACK_READ, TRACK_ACQUIRE, TRACK_FENCE, TRACK_LONE = 0x10 };
#define TRACK_HAS_READ 1UL
#define TRACK_KNOWS 2UL
#define TRACK_KNOWS_GROUPS 4UL
#define TRACK_HASHED 8UL
#define TRACK_STATES 15UL
#define TRACK_IS_ATOMIC (1UL << 14)
#define TRACK_SEVERAL (1UL << 13)
#define TRACK_BYTES (15UL << 15)
#define TRACK_ITEM (0x7ffUL << 19)
#define TRACK_PART (7UL << 40)
#define TRACK_BARRIERS (0x1ffUL << 43)

__attribute__((noinline)) ulong __pumice_check_track_begin(ulong head)
{
    ulong group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    ulong item = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    ulong launch = ((const __global uint *)head)[11], hashed = 0;
    if (get_num_groups(0) * get_num_groups(1) * get_num_groups(2) > 1024) {
        group = (uint)group * 0x9e3779b1u >> 22;
        hashed = TRACK_HASHED;
    }
    return hashed | launch << 52 | (group & 0x3ff) << 30 | (item & 0x7ff) << 19;
}

// Who read what others have written may know all that they did before. Behind the next barrier all of its group may know what
// other groups did, unless nothing in the kernel reads so (TRACK_LONE); what the group itself does from there on it does not
// know. A barrier of which it is not known who comes to it leaves nothing
// to compare within the group.
__attribute__((noinline)) ulong __pumice_check_track_step(ulong state, uint what)
{
    ulong knows = what & TRACK_LONE ? 0 : TRACK_KNOWS;
    switch (what & ~(uint)TRACK_LONE) {
    case TRACK_BARRIER:
        if ((state & TRACK_BARRIERS) != TRACK_BARRIERS)
            state += 1UL << 43;
        return state & ~(TRACK_PART | TRACK_HAS_READ | TRACK_KNOWS) | (knows ? TRACK_KNOWS_GROUPS : 0);
    case TRACK_SUB_GROUP_BARRIER:
        if ((state & TRACK_PART) != TRACK_PART)
            state += 1UL << 40;
        return state | knows;
    case TRACK_NAMED_BARRIER:
        return state | TRACK_BARRIERS | knows;
    case TRACK_READ:
        return state | TRACK_HAS_READ;
    case TRACK_FENCE:
        return state & TRACK_HAS_READ ? state | TRACK_KNOWS : state;
    default:
        return state | TRACK_KNOWS;
    }
}

// Whether nothing orders what a word tells of and what is done now.
static bool track_meets(ulong before, ulong now)
{
    ulong differs = before ^ now;
    if (!before || differs >> 52 || !(before & now & TRACK_BYTES))
        return false;
    if (differs >> 30 & 0x3ff)
        return true;
    if (differs & (TRACK_PART | TRACK_BARRIERS) || (now & TRACK_BARRIERS) == TRACK_BARRIERS || (now & TRACK_PART) == TRACK_PART)
        return false;
    return differs & TRACK_ITEM || before & TRACK_SEVERAL;
}

// Whether the work-item may know what a word tells of.
static bool track_knows(ulong before, ulong now, ulong state)
{
    bool groups = (before ^ now) >> 30 & 0x3ff || state & TRACK_HASHED;
    return state & (groups ? TRACK_KNOWS | TRACK_KNOWS_GROUPS : TRACK_KNOWS);
}

// Whether others did the same to all bytes of it before.
static bool track_repeats(ulong before, ulong now)
{
    return track_meets(before, now) && !(now & ~before & TRACK_BYTES);
}

// A write that was not atomic is worth more than an atomic one behind it: it stays as a read, which is in the way of fewer.
static void track_atomic(volatile __global ulong *at, ulong written, ulong now)
{
    if (written & TRACK_IS_ATOMIC) {
        if (track_repeats(written, now))
            atom_cmpxchg(at, now, now | TRACK_SEVERAL);
    } else if (written >> 52 == now >> 52 && at[1] >> 52 != now >> 52) {
        at[1] = written;
    }
}

// What the access meets in a word, or 0.
static ulong track_word(volatile __global ulong *at, ulong now, uint how, ulong state)
{
    bool atomic = how & TRACK_ATOMIC, writes = how & TRACK_WRITES;
    now |= atomic ? TRACK_IS_ATOMIC : 0;
    ulong written = writes ? atom_xchg(at, now) : at[0];
    bool both_atomic = atomic && written & TRACK_IS_ATOMIC;
    ulong met = !both_atomic && track_meets(written, now) && !track_knows(written, now, state) ? written : 0;
    if (atomic && !writes)
        return met;
    if (atomic && !met)
        track_atomic(at, written, now);
    ulong read = at[1];
    if (writes)
        return met ? met : track_meets(read, now) && !track_knows(read, now, state) ? read : 0;
    if ((read & ~TRACK_SEVERAL) == now)
        return met;
    read = atom_xchg(at + 1, now);
    if (track_repeats(read, now))
        at[1] = now | TRACK_SEVERAL;
    return met;
}

// An access at a distance from where the memory begins that `words` stand beside. The first race of it is reported.
__attribute__((noinline)) void __pumice_check_track(ulong head, uint site, uint what, ulong words, ulong distance, ulong limit, ulong size, uint how,
                                                    ulong state, ulong value)
{
    if (!words || !size || distance > limit || size > limit - distance)
        return;
    ulong end = distance + size, now = (state & ~TRACK_STATES) | (site < 0x1fff ? site + 1 : 0);
    if (how & TRACK_GROUP) {
        if (get_local_id(0) | get_local_id(1) | get_local_id(2))
            return;
        now |= TRACK_ITEM;
    }
    for (ulong word = distance >> 2; word * 4 < end; word++) {
        uint bytes = 15;
        if (word * 4 < distance)
            bytes &= 15u << (distance - word * 4);
        if (word * 4 + 4 > end)
            bytes &= 15u >> (word * 4 + 4 - end);
        ulong met = track_word((volatile __global ulong *)words + word * 2, now | (ulong)bytes << 15, how, state);
        if (met) {
            ulong other = met & 0x1fff;
            other = other ? other - 1 | (met >> 19 & 0x1fffff) << 32 | 1UL << 63 : 0;
            __pumice_check_report_two(head, site, what | TRACK_RACE, value, (uint)size, other);
            return;
        }
    }
}

__attribute__((noinline)) void __pumice_check_track_at(ulong head, uint site, ulong address, ulong size, uint how, ulong state)
{
    const __global ulong *list = __pumice_check_last_before(((const __global ulong * const __global *)head)[10],
                                                            ((const __global uint *)head)[19], address);
    if (!list)
        return;
    __pumice_check_track(head, site, 0, list[2], address - list[0], list[1], size, how, state, address);
}
