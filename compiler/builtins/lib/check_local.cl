// What checked kernels note of local memory (compiler/lower/check/local.c): who touched it last. The head (struct clc_check_head)
// has where that is in its words 12 and 13. Each group has as many words there as word 14 says, for the granules that word 16
// counts; word 15 is the number of groups: those that come later are not looked at.
//
// A group has four words for each granule: who wrote it last, who read it last, and where either was done. Those of one kind
// lie together, so that work-items side by side touch words side by side. A word for each of its work-items follows. A place
// is one more than a site, and in bits 0 to 11 the lowest ones of the number of barriers. All others are:
//
//     bits 18 to 31   barriers of the group that the work-item has passed; when there is no room for more it is not looked at
//     bits 14 to 17   barriers of the sub-group since
//     bits 2 to 13    the work-item; 4095: all of the group together
//     bit 1           a write: it was atomic; a read: others read, too; a work-item: it may know what others did before
//     bit 0           somebody was here; a work-item: it read something atomically

enum { LOCAL_READS = 1, LOCAL_WRITES = 2, LOCAL_ATOMIC = 4, LOCAL_GROUP = 8, LOCAL_WHOLE = 16, LOCAL_INIT = 32, LOCAL_RACES = 64, LOCAL_LOOSE = 128 };
enum { LOCAL_BEGIN, LOCAL_BARRIER, LOCAL_SUB_GROUP_BARRIER, LOCAL_ATOMIC_READ, LOCAL_ACQUIRE, LOCAL_FENCE };
enum { LOCAL_LAST = 0x3fff, LOCAL_BIAS = 128, LOCAL_UNINITIALISED = 1 << 17, LOCAL_RACE = 2 << 17 };

// Where the group's words lie, or 0.
__attribute__((noinline)) ulong __pumice_check_local_words(ulong head)
{
    const __global uint *words = (const __global uint *)head;
    ulong group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    return group < words[15] ? ((const __global ulong *)head)[6] + group * words[14] * 4 : 0;
}

__attribute__((noinline)) uint __pumice_check_local_granules(ulong head)
{
    return ((const __global uint *)head)[16];
}

static uint local_item(void)
{
    return (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
}

// The work-item does something that orders what it does before and after.
__attribute__((noinline)) void __pumice_check_local_step(ulong where, uint granules, uint what)
{
    volatile __global uint *words = (volatile __global uint *)where;
    if (!words)
        return;
    uint item = local_item();
    __global uint *state = (__global uint *)where + granules * 4 + item; // nobody else's
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

// What several have read is left as it is: one reader more makes no difference to who writes there.
static bool local_is_read(uint read, uint now)
{
    return (read & ~2U) == now || (read & 2 && read >> 14 == now >> 14);
}

// Readers use no atomic operation, since all of a sub-group that read one word would wait for each other there. A reader that
// finds another one's word behind its own says that there are several. When two sub-groups read a word at the same moment, one
// of the two readers may be forgotten. A write is an exchange, and never forgotten.
static void local_note_read(volatile __global uint *read, volatile __global uint *place, uint now, uint here, uint sub_group)
{
    uint before = *read;
    *read = now;
    uint after = *read;
    if ((after ^ now) & ~2U)
        before = after;
    if (local_meets(before, now, before & 2, sub_group))
        *read = now | 2;
    else
        *place = here;
}

// The granule's words are the one at `at` and every granules-th behind it.
static struct local_fault local_granule(volatile __global uint *at, uint granules, uint now, uint how, uint site, bool knows, uint sub_group)
{
    bool races = how & LOCAL_RACES && !knows, atomic = how & LOCAL_ATOMIC, writes = how & LOCAL_WRITES;
    bool lets = atomic && !writes; // an atomic load is in nobody's way but a write's that is none
    volatile __global uint *read_at = at + granules, *place_at = read_at + granules;
    uint written = at[0], read = read_at[0], place, here = site + 1 << 12 | (now >> 18 & 0xfff);
    struct local_fault fault = {0, 0};
    if (writes) {
        place = place_at[0];
        written = atomic_xchg(at, now | (atomic ? 2 : 0));
        place_at[0] = here;
    } else if (!lets && !local_is_read(read, now)) {
        local_note_read(read_at, place_at + granules, now, here, sub_group);
    }
    if (how & LOCAL_READS && !written && (how & (LOCAL_INIT | LOCAL_WHOLE)) == LOCAL_INIT)
        fault.what = LOCAL_UNINITIALISED;
    else if (races && !(atomic && written & 2) && local_meets(written, now, false, sub_group))
        fault = local_race(written, writes ? place : place_at[0], site);
    else if (races && writes && local_meets(read, now, read & 2, sub_group))
        fault = local_race(read, place_at[granules], site);
    return fault;
}

// Whether a read is as others before it, behind the same barrier, and nobody wrote there since: most are. The loads may come from
// caches, which show what the group itself has done; a word that is older than that at worst leaves a race unseen.
static bool local_is_quiet(ulong where, uint granules, uint first, uint last, uint state, uint how)
{
    const __global uint *written = (const __global uint *)where + first, *read = written + granules;
    for (uint i = 0; i <= last - first; i++) {
        if ((written[i] ^ state) >> 18 == 0 || (how & LOCAL_INIT && !written[i]) || !local_is_read(read[i], state | 1))
            return false;
    }
    return true;
}

static __attribute__((noinline)) void local_access(ulong head, ulong where, uint granules, uint site, uint what, uint first, uint last, uint state,
                                                   ulong value, ulong size, uint how, uint sub_group)
{
    uint now = (state & ~3U) | 1, step = 1;
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
        struct local_fault one = local_granule((volatile __global uint *)where + i, granules, now, how, site, state & 2, sub_group);
        fault = fault.what ? fault : one;
    }
    if (fault.what)
        __pumice_check_report_two(head, site, what | fault.what, value, (uint)size, fault.other);
}

// An access to local memory: address is the pointer as a number, the granule has 1 << how / 256 bytes. A generic pointer may lead
// elsewhere. Of what all of the group do together each has its part. The access's first fault is reported.
__attribute__((noinline)) void __pumice_check_local(ulong head, ulong where, uint granules, uint site, uint what, ulong address, ulong size,
                                                    uint how, ulong origin, uint sub_group)
{
    if (address >> 32 && address >> 32 != 0x7ff0001f)
        return;
    uint shift = how >> 8, offset = (uint)address - LOCAL_BIAS;
    if (!where || !size)
        return;
    uint first = offset >> shift, last = (uint)((offset + size - 1) >> shift);
    if (first >= granules || last >= granules || last < first)
        return;
    uint state = ((const __global uint *)where)[granules * 4 + local_item()];
    bool plain = (how & (LOCAL_READS | LOCAL_WRITES | LOCAL_ATOMIC | LOCAL_GROUP | LOCAL_LOOSE)) == LOCAL_READS;
    if (!plain || !local_is_quiet(where, granules, first, last, state & ~3U, how))
        local_access(head, where, granules, site, what, first, last, state, address - origin, size, how, sub_group);
}
