// Packets of reservations in checked kernels (compiler/lower/check/packets.c). A pipe that was made while this is looked for
// has a note of 64 bits for each slot, in front of the packets. It says that the packet of a reservation is yet to be written:
//
//     bits 32 to 63   its position
//     bits 0 to 12    all ones
//
// or who wrote what the slot holds, as check_tracks.cl has it, but for
//
//     bits 13 to 18   how often positions have gone round the slots
//
// What is written without a reservation has no note: it is always there.

#define PIPE_NOTES 6 // words from the header to the notes; 0: there are none
enum { PACKET_READS = 1, PACKET_WRITES = 2, PACKET_BOUNDS = 32, PACKET_INIT = 64, PACKET_RACES = 128 };
enum { PACKET_UNWRITTEN = 0x1fff, PACKET_UNINITIALISED = 1 << 17, PACKET_RACE = 2 << 17 };
#define PACKET_LAP (63UL << 13)

static volatile global ulong *packet_note(global uint *ring, uint at)
{
    return (volatile global ulong *)(ring + ring[PIPE_NOTES]) + (at & ring[PIPE_MASK]);
}

static ulong packet_lap(global uint *ring, uint at)
{
    return (ulong)(at / (ring[PIPE_MASK] + 1)) << 13 & PACKET_LAP;
}

static bool packet_is_unwritten(ulong note)
{
    return (note & PACKET_UNWRITTEN) == PACKET_UNWRITTEN;
}

// Behind a reservation of a writer's: its packets are yet to be written, unless another work-item of the group has written one.
__attribute__((noinline)) void __pumice_check_reserved(ulong address, ulong reservation)
{
    global uint *ring = (global uint *)address;
    uint count = ring[PIPE_NOTES] ? (uint)(reservation >> 32) : 0;
    for (uint i = 0; i < count; i++) {
        uint at = (uint)reservation + i;
        ulong wanted = (ulong)at << 32 | PACKET_UNWRITTEN, old = *packet_note(ring, at);
        bool is_written = old && !packet_is_unwritten(old) && (old & PACKET_LAP) == packet_lap(ring, at);
        if (old != wanted && !is_written)
            atom_cmpxchg(packet_note(ring, at), old, wanted);
    }
}

static bool packet_meets(ulong before, ulong now)
{
    return track_meets(before | TRACK_BYTES, now | TRACK_BYTES);
}

// In front of a read or write of a reservation's packet: the index to use, which is none once the reservation was committed.
__attribute__((noinline)) uint __pumice_check_packet(ulong head, ulong address, ulong reservation, uint index, uint how, uint site, ulong state)
{
    global uint *ring = (global uint *)address;
    uint count = (uint)(reservation >> 32), at = (uint)reservation + index;
    if (index >= count)
        return index;
    uint number = pipe_get(ring, PIPE_SLOTS + (at & ring[PIPE_MASK]));
    if (number - at != (how & PACKET_READS ? 1 : 0)) {
        if (!(how & PACKET_BOUNDS))
            return index;
        __pumice_check_report_two(head, site, 0, (ulong)count << 32 | index, 1, 0);
        return ~0u;
    }
    if (!ring[PIPE_NOTES] || !(how & (PACKET_INIT | PACKET_RACES)))
        return index;
    volatile global ulong *note = packet_note(ring, at);
    if (how & PACKET_READS) {
        if (how & PACKET_INIT && *note == ((ulong)at << 32 | PACKET_UNWRITTEN))
            __pumice_check_report_two(head, site, PACKET_UNINITIALISED, index, 0, 0);
        return index;
    }
    ulong now = (state & ~TRACK_STATES) | packet_lap(ring, at) | (site < 0x1ffe ? site + 1 : 0x1ffe), old = atom_xchg(note, now);
    bool same_lap = old && !packet_is_unwritten(old) && !((old ^ now) & PACKET_LAP);
    if (how & PACKET_RACES && state && !track_knows(old, now, state) && same_lap && packet_meets(old, now)) {
        ulong other = (old & 0x1fff) - 1 | (old >> 19 & 0x1fffff) << 32 | 1UL << 63;
        __pumice_check_report_two(head, site, PACKET_RACE, index, 0, other);
    }
    return index;
}
