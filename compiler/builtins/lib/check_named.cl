// Waits at named barriers in checked kernels (compiler/lower/check/named.c). Beside the barrier's own words, which are laid out
// otherwise than those of barrier.cl, the group has words that tell who waits or has ended. A lock guards both, except for what
// work-items do at barriers of the whole group and at their end: they count themselves in and out with others at once.
//
// Who waits at a named barrier counts as stuck, and so do work-items at a barrier of the group and those that have ended. Once
// all of the group are stuck nobody can come any more. The last one of a barrier takes the waiting ones out before it lets
// them go, so that they are not counted too long.

enum { NAMED_TAKES, NAMED_COME, NAMED_PHASE, NAMED_ITEMS };                           // of a barrier
enum { GROUP_LOCK, GROUP_NAMED, GROUP_AT_BARRIERS, GROUP_ENDED, GROUP_GAVE_UP, GROUP_PLACES }; // of the group
enum { NAMED_PLACES = 64, NAMED_FEW_ROUNDS = 64 };

static uint named_get(local uint *words, uint word)
{
    return atomic_load_explicit((volatile local atomic_uint *)words + word, memory_order_relaxed, memory_scope_work_group);
}

static void named_set(local uint *words, uint word, uint value)
{
    atomic_store_explicit((volatile local atomic_uint *)words + word, value, memory_order_relaxed, memory_scope_work_group);
}

static void named_lock(local uint *group)
{
    while (atomic_exchange_explicit((volatile local atomic_uint *)group + GROUP_LOCK, 1, memory_order_acquire,
                                    memory_scope_work_group))
        ;
}

static void named_unlock(local uint *group)
{
    atomic_store_explicit((volatile local atomic_uint *)group + GROUP_LOCK, 0, memory_order_release, memory_scope_work_group);
}

static uint named_stuck(local uint *group)
{
    return named_get(group, GROUP_NAMED) + named_get(group, GROUP_AT_BARRIERS) + named_get(group, GROUP_ENDED);
}

// Where work-items wait that are elsewhere: a record's other.
static ulong named_other(local uint *group, uint site)
{
    for (uint i = 0; i < NAMED_PLACES; i++) {
        uint place = named_get(group, GROUP_PLACES + i);
        if (place && place != site + 1)
            return place - 1 | 1UL << 63;
    }
    return 0;
}

// The work-items of a sub-group wait at a barrier of the group from here on, or at nothing (0).
void __pumice_check_named_place(local uint *group, uint place)
{
    if (get_sub_group_id() < NAMED_PLACES)
        named_set(group, GROUP_PLACES + get_sub_group_id(), place);
}

// For the whole sub-group, as __pumice_named_barrier_wait(). One work-item waits for all: until enough have come, or nobody can
// come any more, or it has asked too often, which it would for ever where sub-groups do not run beside each other.
void __pumice_check_named_wait(ulong head, local uint *barrier, local uint *group, uint items, uint site)
{
    volatile __global uint *words = (volatile __global uint *)head;
    if (get_sub_group_local_id() != 0 || words[18])
        return;
    uint own = get_sub_group_size();
    named_lock(group);
    uint phase = named_get(barrier, NAMED_PHASE), come = named_get(barrier, NAMED_COME) + 1;
    bool last = come == named_get(barrier, NAMED_TAKES);
    uint waiting = named_get(barrier, NAMED_ITEMS);
    named_set(barrier, NAMED_COME, last ? 0 : come);
    named_set(barrier, NAMED_ITEMS, last ? 0 : waiting + own);
    named_set(barrier, NAMED_PHASE, last ? phase + 1 : phase);
    named_set(group, GROUP_NAMED, named_get(group, GROUP_NAMED) + (last ? 0 - waiting : own));
    if (!last)
        __pumice_check_named_place(group, site + 1);
    uint most = named_get(group, GROUP_GAVE_UP) ? NAMED_FEW_ROUNDS : words[17];
    named_unlock(group);
    bool waits = !last;
    for (uint round = 0; waits; round++) {
        bool gives_up = round >= most || words[18];
        if (!gives_up && named_get(barrier, NAMED_PHASE) == phase && named_stuck(group) != items)
            continue;
        named_lock(group);
        bool is_stuck = named_stuck(group) == items;
        waits = named_get(barrier, NAMED_PHASE) == phase;
        if (waits && (is_stuck || gives_up)) {
            ulong ended = named_get(group, GROUP_ENDED), elsewhere = named_stuck(group) - ended - named_get(barrier, NAMED_ITEMS);
            ulong value = named_get(barrier, NAMED_COME) & 0xffff | (ulong)(named_get(barrier, NAMED_TAKES) & 0xffff) << 16 |
                          (ended & 0xffff) << 32 | (elsewhere & 0x7fff) << 48 | (is_stuck ? 0 : 1UL << 63);
            named_set(barrier, NAMED_ITEMS, named_get(barrier, NAMED_ITEMS) - own);
            named_set(group, GROUP_NAMED, named_get(group, GROUP_NAMED) - own);
            if (!is_stuck)
                named_set(group, GROUP_GAVE_UP, 1);
            __pumice_check_report_two(head, site, 0, value, 0, named_other(group, site));
            waits = false;
        }
        if (!waits)
            __pumice_check_named_place(group, 0);
        named_unlock(group);
    }
}
