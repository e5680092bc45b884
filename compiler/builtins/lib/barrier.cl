// Named barriers (cl_khr_subgroup_named_barrier): two words in local memory. barrier[0] is how many sub-groups a phase takes;
// barrier[1] counts in its lower half those that have come, and in its upper half the phases. Both halves change at once: a
// sub-group that comes after the last one of a phase belongs to the next.

#define BARRIER_PHASE (1u << 16)

// For the whole sub-group, between two barriers of its own and fences (lower/builtins/barrier.c). One work-item waits for all.
void __pumice_named_barrier_wait(local uint *barrier)
{
    volatile local atomic_uint *state = (volatile local atomic_uint *)(barrier + 1);
    if (get_sub_group_local_id() != 0)
        return;
    uint last = barrier[0] - 1, next, seen = atomic_load_explicit(state, memory_order_relaxed, memory_scope_work_group);
    do {
        bool is_last = seen % BARRIER_PHASE == last;
        next = is_last ? seen - last + BARRIER_PHASE : seen + 1;
    } while (!atomic_compare_exchange_strong_explicit(state, &seen, next, memory_order_relaxed, memory_order_relaxed,
                                                      memory_scope_work_group));
    if (next % BARRIER_PHASE == 0)
        return;
    while (atomic_load_explicit(state, memory_order_relaxed, memory_scope_work_group) / BARRIER_PHASE == next / BARRIER_PHASE)
        ;
}
