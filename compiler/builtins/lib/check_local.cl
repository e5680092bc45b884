// What checked kernels note of local memory (compiler/lower/check/local.c): who touched it last. The head (struct clc_check_head)
// has where that is in its words 12 and 13. Each group has as many words there as word 14 says, for the granules that word 16
// counts; word 15 is the number of groups: those that come later are not looked at.
//
// A group has four words for each granule: who wrote it last and where, who read it last and where. A word for each of its
// work-items follows. A place is one more than a site, and in bits 0 to 11 the lowest ones of the number of barriers. All others are:
//
//     bits 18 to 31   barriers of the group that the work-item has passed; when there is no room for more it is not looked at
//     bits 14 to 17   barriers of the sub-group since
//     bits 2 to 13    the work-item; 4095: all of the group together
//     bit 1           a write: it was atomic; a read: others read, too; a work-item: it may know what others did before
//     bit 0           somebody was here; a work-item: it read something atomically

enum { LOCAL_READS = 1, LOCAL_WRITES = 2, LOCAL_ATOMIC = 4, LOCAL_GROUP = 8, LOCAL_WHOLE = 16, LOCAL_INIT = 32, LOCAL_RACES = 64, LOCAL_LOOSE = 128 };
enum { LOCAL_BEGIN, LOCAL_BARRIER, LOCAL_SUB_GROUP_BARRIER, LOCAL_ATOMIC_READ, LOCAL_ACQUIRE, LOCAL_FENCE };
enum { LOCAL_LAST = 0x3fff, LOCAL_BIAS = 128, LOCAL_UNINITIALISED = 1 << 17, LOCAL_RACE = 2 << 17 };

// The group's words, or 0.
static volatile __global uint *local_words(ulong head)
{
    const __global uint *words = (const __global uint *)head;
    ulong group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    if (group >= words[15])
        return 0;
    return (volatile __global uint *)((const __global ulong *)head)[6] + group * words[14];
}

static uint local_granules(ulong head)
{
    return ((const __global uint *)head)[16];
}

static uint local_item(void)
{
    return (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
}

// The work-item does something that orders what it does before and after.
__attribute__((noinline)) void __pumice_check_local_step(ulong head, uint what)
{
    volatile __global uint *words = local_words(head);
    if (!words)
        return;
    uint granules = local_granules(head), item = local_item();
    volatile __global uint *state = words + granules * 4 + item;
    if (what == LOCAL_BEGIN) {
        uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
        for (uint i = item; i < granules * 4; i += items)
            words[i] = 0;
        *state = item << 2;
        return;
    }
    uint now = *state, group = now >> 18, part = now >> 14 & 15, bits = now & 3;
    if (what == LOCAL_BARRIER) {
        group += group < LOCAL_LAST;
        part = 0;
        bits = 0;
    } else if (what == LOCAL_SUB_GROUP_BARRIER) {
        part += part < 15;
    } else if (what == LOCAL_ATOMIC_READ) {
        bits |= 1;
    } else if (what == LOCAL_ACQUIRE || bits & 1) {
        bits |= 2;
    }
    *state = group << 18 | part << 14 | item << 2 | bits;
}

// Whether nothing orders what another work-item did, of which a word tells, and what is done now. several: more than one did.
static bool local_meets(uint before, uint now, bool several, uint sub_group)
{
    uint differs = before ^ now, one = before >> 2 & 0xfff, two = now >> 2 & 0xfff;
    if (!before || differs >> 18 || now >> 18 == LOCAL_LAST)
        return false;
    if (differs & 0x3c000 || (now >> 14 & 15) == 15)
        return one / sub_group != two / sub_group;
    return one != two || several;
}

// What is wrong with an access: bits of a record's what, and the other access.
struct local_fault {
    uint what;
    ulong other;
};

// Work-items in step have not noted their places yet when they meet: then it is the same one.
static struct local_fault local_race(uint before, uint place, uint site)
{
    uint other = !place || (place ^ before >> 18) & 0xfff ? site : (place >> 12) - 1;
    struct local_fault fault = {LOCAL_RACE, other | (ulong)(before >> 2 & 0xfff) << 32 | 1UL << 63};
    return fault;
}

static struct local_fault local_granule(volatile __global uint *at, uint now, uint how, uint site, bool knows, uint sub_group)
{
    bool races = how & LOCAL_RACES && !knows, atomic = how & LOCAL_ATOMIC, writes = how & LOCAL_WRITES;
    bool lets = atomic && !writes; // an atomic load is in nobody's way but a write's that is none
    uint written = at[0], place = at[1], read = at[2], read_place = at[3], here = site + 1 << 12 | (now >> 18 & 0xfff);
    struct local_fault fault = {0, 0};
    if (writes) {
        written = atomic_xchg(at, now | (atomic ? 2 : 0));
        at[1] = here;
    } else if (!lets && (read & ~2U) != now) {
        uint before = atomic_xchg(at + 2, now);
        if (local_meets(before, now, before & 2, sub_group))
            atomic_or(at + 2, 2U);
        else
            at[3] = here;
    }
    if (how & LOCAL_READS && !written && (how & (LOCAL_INIT | LOCAL_WHOLE)) == LOCAL_INIT)
        fault.what = LOCAL_UNINITIALISED;
    else if (races && !(atomic && written & 2) && local_meets(written, now, false, sub_group))
        fault = local_race(written, place, site);
    else if (races && writes && local_meets(read, now, read & 2, sub_group))
        fault = local_race(read, read_place, site);
    return fault;
}

// An access to local memory: address is the pointer as a number, the granule has 1 << how / 256 bytes. A generic pointer may lead
// elsewhere. Of what all of the group do together each has its part. The access's first fault is reported.
__attribute__((noinline)) void __pumice_check_local(ulong head, uint site, uint what, ulong address, ulong size, uint how, ulong origin,
                                                    uint sub_group)
{
    if (address >> 32 && address >> 32 != 0x7ff0001f)
        return;
    volatile __global uint *words = local_words(head);
    uint granules = local_granules(head), shift = how >> 8, offset = (uint)address - LOCAL_BIAS;
    if (!words || !size)
        return;
    uint first = offset >> shift, last = (uint)((offset + size - 1) >> shift), step = 1, state = words[granules * 4 + local_item()];
    uint now = (state & ~3U) | 1;
    if (first >= granules || last >= granules || last < first)
        return;
    if (how & LOCAL_LOOSE) {
        if (how & LOCAL_READS)
            return;
        how &= ~LOCAL_RACES;
        now = LOCAL_LAST << 18 | 1;
    }
    if (how & LOCAL_GROUP) {
        step = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
        first += local_item();
        now |= how & LOCAL_LOOSE ? 0 : 0xfff << 2;
    }
    struct local_fault fault = {0, 0};
    for (uint i = first; i <= last; i += step) {
        struct local_fault one = local_granule(words + i * 4, now, how, site, state & 2, sub_group);
        fault = fault.what ? fault : one;
    }
    if (fault.what)
        __pumice_check_report_two(head, site, what | fault.what, address - origin, (uint)size, fault.other);
}
