// Pipes as rings in global memory (docs/pipes.md has the layout): OpenCL C 3.0, 6.15.18. Positions count up for ever, and
// position p lies in slot p & mask. A slot's number says whose turn it is: p when the slot is free for position p, p + 1 when it
// holds that packet. So readers and writers, of any number and in any kernels, claim positions by moving a counter, and
// nobody waits for anybody: a claim that finds a slot not ready fails. A reservation is its first position with the number of
// packets above bit 32; 0 is none.

#define PIPE_SIZE  0 // words of the header
#define PIPE_MAX   1
#define PIPE_MASK  2
#define PIPE_DATA  3 // bytes from the header to the packets
#define PIPE_HEAD  4 // the next position to be read
#define PIPE_TAIL  5 // the next one to be written
#define PIPE_SLOTS 8

static uint pipe_get(global uint *ring, uint word)
{
    return atomic_load_explicit((volatile global atomic_uint *)ring + word, memory_order_acquire, memory_scope_device);
}

static void pipe_set_slot(global uint *ring, uint at, uint value)
{
    atomic_store_explicit((volatile global atomic_uint *)ring + (PIPE_SLOTS + (at & ring[PIPE_MASK])), value,
                          memory_order_release, memory_scope_device);
}

static bool pipe_is_ready(global uint *ring, uint at, uint count, uint ahead)
{
    for (uint i = 0; i < count; i++)
        if (pipe_get(ring, PIPE_SLOTS + ((at + i) & ring[PIPE_MASK])) != at + i + ahead)
            return false;
    return true;
}

// A kernel whose packets have another size than the pipe's is told that its calls fail: it would leave the ring.
static bool pipe_fits(global uint *ring, uint size)
{
    return ring[PIPE_SIZE] == size;
}

// Slots may be more than the pipe's packets, so that writers look at the readers' counter too.
static ulong pipe_claim(global uint *ring, uint counter, uint count)
{
    bool writes = counter == PIPE_TAIL;
    if (count == 0 || count > ring[PIPE_MAX])
        return 0;
    for (;;) {
        uint at = pipe_get(ring, counter);
        bool room = !writes || at + count - pipe_get(ring, PIPE_HEAD) <= ring[PIPE_MAX];
        if (!room || !pipe_is_ready(ring, at, count, writes ? 0 : 1)) {
            if (pipe_get(ring, counter) == at)
                return 0;
            continue;
        }
        if (atomic_compare_exchange_strong_explicit((volatile global atomic_uint *)ring + counter, &at, at + count,
                                                    memory_order_acq_rel, memory_order_acquire, memory_scope_device))
            return (ulong)count << 32 | at;
    }
}

static global uchar *pipe_packet(global uint *ring, uint at, uint size)
{
    return (global uchar *)ring + ring[PIPE_DATA] + (ulong)(at & ring[PIPE_MASK]) * size;
}

static void pipe_fetch(uchar *to, const global uchar *from, uint size, uint align)
{
    if (align % 4 == 0) {
        for (uint i = 0; i < size / 4; i++)
            ((uint *)to)[i] = ((const global uint *)from)[i];
    } else {
        for (uint i = 0; i < size; i++)
            to[i] = from[i];
    }
}

static void pipe_put(global uchar *to, const uchar *from, uint size, uint align)
{
    if (align % 4 == 0) {
        for (uint i = 0; i < size / 4; i++)
            ((global uint *)to)[i] = ((const uint *)from)[i];
    } else {
        for (uint i = 0; i < size; i++)
            to[i] = from[i];
    }
}

static void pipe_finish_read(global uint *ring, ulong reservation)
{
    uint at = (uint)reservation, count = (uint)(reservation >> 32);
    for (uint i = 0; i < count; i++)
        pipe_set_slot(ring, at + i, at + i + ring[PIPE_MASK] + 1);
}

static void pipe_finish_write(global uint *ring, ulong reservation)
{
    uint at = (uint)reservation, count = (uint)(reservation >> 32);
    for (uint i = 0; i < count; i++)
        pipe_set_slot(ring, at + i, at + i + 1);
}

int __pumice_pipe_read(global uint *ring, uchar *packet, uint size, uint align)
{
    ulong claim = pipe_fits(ring, size) ? pipe_claim(ring, PIPE_HEAD, 1) : 0;
    if (!claim)
        return -1;
    pipe_fetch(packet, pipe_packet(ring, (uint)claim, size), size, align);
    pipe_finish_read(ring, claim);
    return 0;
}

int __pumice_pipe_write(global uint *ring, const uchar *packet, uint size, uint align)
{
    ulong claim = pipe_fits(ring, size) ? pipe_claim(ring, PIPE_TAIL, 1) : 0;
    if (!claim)
        return -1;
    pipe_put(pipe_packet(ring, (uint)claim, size), packet, size, align);
    pipe_finish_write(ring, claim);
    return 0;
}

int __pumice_pipe_read_reserved(global uint *ring, ulong reservation, uint index, uchar *packet, uint size, uint align)
{
    if (index >= (uint)(reservation >> 32) || !pipe_fits(ring, size))
        return -1;
    pipe_fetch(packet, pipe_packet(ring, (uint)reservation + index, size), size, align);
    return 0;
}

int __pumice_pipe_write_reserved(global uint *ring, ulong reservation, uint index, const uchar *packet, uint size,
                                 uint align)
{
    if (index >= (uint)(reservation >> 32) || !pipe_fits(ring, size))
        return -1;
    pipe_put(pipe_packet(ring, (uint)reservation + index, size), packet, size, align);
    return 0;
}

ulong __pumice_pipe_reserve_read(global uint *ring, uint count)
{
    return pipe_claim(ring, PIPE_HEAD, count);
}

ulong __pumice_pipe_reserve_write(global uint *ring, uint count)
{
    return pipe_claim(ring, PIPE_TAIL, count);
}

void __pumice_pipe_commit_read(global uint *ring, ulong reservation)
{
    pipe_finish_read(ring, reservation);
}

void __pumice_pipe_commit_write(global uint *ring, ulong reservation)
{
    pipe_finish_write(ring, reservation);
}

// For the whole group: its first work-item does it, and all know the result.
#define GROUP_RESERVE(scope, what, counter, is_first, broadcast)                                                       \
    ulong __pumice_pipe_##scope##_reserve_##what(global uint *ring, uint count)                                        \
    {                                                                                                                  \
        ulong reservation = 0;                                                                                         \
        if (is_first)                                                                                                  \
            reservation = pipe_claim(ring, counter, count);                                                            \
        return broadcast;                                                                                              \
    }

#define GROUP_COMMIT(scope, what, is_first, all_are_there)                                                             \
    void __pumice_pipe_##scope##_commit_##what(global uint *ring, ulong reservation)                                   \
    {                                                                                                                  \
        all_are_there;                                                                                                 \
        if (is_first)                                                                                                  \
            pipe_finish_##what(ring, reservation);                                                                     \
    }

GROUP_RESERVE(group, read, PIPE_HEAD, get_local_linear_id() == 0, work_group_broadcast(reservation, 0, 0, 0))
GROUP_RESERVE(group, write, PIPE_TAIL, get_local_linear_id() == 0, work_group_broadcast(reservation, 0, 0, 0))
GROUP_RESERVE(subgroup, read, PIPE_HEAD, get_sub_group_local_id() == 0, sub_group_broadcast(reservation, 0))
GROUP_RESERVE(subgroup, write, PIPE_TAIL, get_sub_group_local_id() == 0, sub_group_broadcast(reservation, 0))
GROUP_COMMIT(group, read, get_local_linear_id() == 0, work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device))
GROUP_COMMIT(group, write, get_local_linear_id() == 0, work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device))
GROUP_COMMIT(subgroup, read, get_sub_group_local_id() == 0, sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device))
GROUP_COMMIT(subgroup, write, get_sub_group_local_id() == 0, sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device))

uint __pumice_pipe_num_packets(global uint *ring)
{
    uint head = pipe_get(ring, PIPE_HEAD), tail = pipe_get(ring, PIPE_TAIL);
    return tail - head;
}

uint __pumice_pipe_max_packets(global uint *ring)
{
    return ring[PIPE_MAX];
}
