// Device-side enqueue: OpenCL C 3.0, 6.15.19. A kernel appends records to memory that it shares with its descendants; the host
// reads them when the kernel has ended (docs/device-enqueue.md; compiler/clc.h has the layout). queue_t is the number of a
// queue, clk_event_t the generation and number of an event.

#define ENQUEUE_USED           0
#define ENQUEUE_CAPACITY       1
#define ENQUEUE_NUM_QUEUES     2
#define ENQUEUE_DEFAULT_QUEUE  3
#define ENQUEUE_EVENTS_TAKEN   4
#define ENQUEUE_EVENTS_LEFT    5
#define ENQUEUE_EVENTS_LISTED  6
#define ENQUEUE_EVENTS_FRESH   7
#define ENQUEUE_MAX_EVENTS     8
#define ENQUEUE_MAX_ITEMS      9
#define ENQUEUE_MAX_SIZE       10
#define ENQUEUE_SUBGROUP       13
#define ENQUEUE_RECORDS        14 // addresses of 64 bits
#define ENQUEUE_EVENTS         16
#define ENQUEUE_LIST           18
#define ENQUEUE_QUEUES         20

// words of an event
#define EVENT_WORDS      12
#define EVENT_GENERATION 0
#define EVENT_REFERENCES 1
#define EVENT_STATUS     2
#define EVENT_IS_USER    3
#define EVENT_PROFILE    4
#define EVENT_TIMES      6 // two of 64 bits
#define EVENT_COMPLETE   10

#define RECORD_WORDS      4
#define RECORD_OFFSET     4 // bits of a shape
#define RECORD_LOCAL      8
#define RECORD_WIDE       16
#define RECORD_MOST_BYTES 0x20000

#define ENQUEUE_FAILURE         (-101)
#define ENQUEUE_BAD_QUEUE       (-102)
#define ENQUEUE_BAD_NDRANGE     (-160)
#define ENQUEUE_BAD_WAIT_LIST   (-57)
#define ENQUEUE_QUEUE_FULL      (-161)
#define ENQUEUE_BAD_ARG_SIZE    (-51)
#define ENQUEUE_NO_EVENT        (-100)
#define ENQUEUE_NO_RESOURCES    (-5)

#define EVENT_SUBMITTED 2

static uint enqueue_add(global uint *memory, uint word, uint value)
{
    return atomic_fetch_add_explicit((volatile global atomic_uint *)memory + word, value, memory_order_relaxed,
                                     memory_scope_device);
}

static uint enqueue_load(global uint *memory, uint word)
{
    return atomic_load_explicit((volatile global atomic_uint *)memory + word, memory_order_relaxed, memory_scope_device);
}

// What the header's two words are the address of.
static global uint *enqueue_part(global uint *memory, uint word)
{
    return (global uint *)*(global ulong *)(memory + word);
}

// ---- events ----

static global uint *enqueue_event(global uint *memory, uint number)
{
    return enqueue_part(memory, ENQUEUE_EVENTS) + number * EVENT_WORDS;
}

// The event; null where there is no such.
static global uint *enqueue_find_event(global uint *memory, ulong event)
{
    uint number = (uint)event - 1, generation = (uint)(event >> 32);
    if (number >= memory[ENQUEUE_MAX_EVENTS] ||
        number >= memory[ENQUEUE_EVENTS_FRESH] + enqueue_load(memory, ENQUEUE_EVENTS_TAKEN)) // never used
        return 0;
    global uint *found = enqueue_event(memory, number);
    return found[EVENT_GENERATION] == generation && enqueue_load(found, EVENT_REFERENCES) ? found : 0;
}

// 0: there is none left.
static ulong enqueue_new_event(global uint *memory, uint is_user)
{
    uint taken = enqueue_add(memory, ENQUEUE_EVENTS_TAKEN, 1);
    if (taken >= memory[ENQUEUE_EVENTS_LEFT]) {
        enqueue_add(memory, ENQUEUE_EVENTS_TAKEN, -1u);
        return 0;
    }
    uint listed = memory[ENQUEUE_EVENTS_LISTED];
    uint number = taken < listed ? enqueue_part(memory, ENQUEUE_LIST)[taken]
                                 : memory[ENQUEUE_EVENTS_FRESH] + taken - listed;
    global uint *event = enqueue_event(memory, number);
    event[EVENT_STATUS] = EVENT_SUBMITTED;
    event[EVENT_IS_USER] = is_user;
    event[EVENT_PROFILE] = 0;
    event[EVENT_PROFILE + 1] = 0;
    event[EVENT_COMPLETE] = 0;
    atomic_store_explicit((volatile global atomic_uint *)event + EVENT_REFERENCES, 1, memory_order_relaxed,
                          memory_scope_device);
    return (ulong)event[EVENT_GENERATION] << 32 | (number + 1);
}

ulong __pumice_enqueue_create_user_event(global uint *memory)
{
    return enqueue_new_event(memory, 1);
}

int __pumice_enqueue_is_valid_event(global uint *memory, ulong event)
{
    return enqueue_find_event(memory, event) != 0;
}

void __pumice_enqueue_retain_event(global uint *memory, ulong event)
{
    global uint *found = enqueue_find_event(memory, event);
    if (found)
        enqueue_add(found, EVENT_REFERENCES, 1);
}

void __pumice_enqueue_release_event(global uint *memory, ulong event)
{
    global uint *found = enqueue_find_event(memory, event);
    if (found)
        enqueue_add(found, EVENT_REFERENCES, -1u);
}

void __pumice_enqueue_set_user_event_status(global uint *memory, ulong event, int status)
{
    global uint *found = enqueue_find_event(memory, event);
    if (found && found[EVENT_IS_USER] && status <= 0)
        atomic_store_explicit((volatile global atomic_int *)found + EVENT_STATUS, status, memory_order_relaxed,
                              memory_scope_device);
}

void __pumice_enqueue_capture_profiling(global uint *memory, ulong event, ulong address)
{
    global uint *found = enqueue_find_event(memory, event);
    if (!found)
        return;
    if (found[EVENT_COMPLETE]) {
        ((global ulong *)address)[0] = ((global ulong *)(found + EVENT_TIMES))[0];
        ((global ulong *)address)[1] = ((global ulong *)(found + EVENT_TIMES))[1];
        return;
    }
    found[EVENT_PROFILE] = (uint)address;
    found[EVENT_PROFILE + 1] = (uint)(address >> 32);
}

// ---- queues ----

ulong __pumice_enqueue_default_queue(global uint *memory)
{
    return memory[ENQUEUE_DEFAULT_QUEUE];
}

// Whether the events of a wait list can be waited for.
static bool enqueue_waits_fit(global uint *memory, uint count, const ulong *waits)
{
    if (!waits != !count)
        return false;
    for (uint i = 0; i < count; i++)
        if (!enqueue_find_event(memory, waits[i]))
            return false;
    return true;
}

// Takes size bytes for a record. *at is where it begins; the result is 0 or an error.
static int enqueue_reserve(global uint *memory, uint queue, uint size, uint *at)
{
    global uint *room = memory + ENQUEUE_QUEUES + 2 * (queue - 1);
    if (size > room[0] || size > RECORD_MOST_BYTES)
        return ENQUEUE_NO_RESOURCES;
    if (enqueue_add(room, 1, size) > room[0] - size) {
        enqueue_add(room, 1, -size);
        return ENQUEUE_QUEUE_FULL;
    }
    *at = enqueue_add(memory, ENQUEUE_USED, size);
    if (size > memory[ENQUEUE_CAPACITY] || *at > memory[ENQUEUE_CAPACITY] - size) {
        enqueue_add(memory, ENQUEUE_USED, -size);
        enqueue_add(room, 1, -size);
        return ENQUEUE_QUEUE_FULL;
    }
    return 0;
}

static void enqueue_give_back(global uint *memory, ulong event)
{
    enqueue_add(enqueue_event(memory, (uint)event - 1), EVENT_REFERENCES, -1u);
}

// Each size is at most the device's, and so is their product; none is 0 where one is given.
static bool enqueue_local_fits(global uint *memory, uint dims, const ulong *sizes)
{
    ulong items = 1;
    bool given = sizes[0] != 0;
    for (uint i = 0; i < dims; i++) {
        if ((sizes[i] != 0) != given || sizes[i] > memory[ENQUEUE_MAX_SIZE + i])
            return false;
        items *= given ? sizes[i] : 1;
    }
    return items <= memory[ENQUEUE_MAX_ITEMS];
}

// range: offsets, global sizes and local sizes, three each
static bool enqueue_range_fits(global uint *memory, uint dims, const ulong *range, uint even)
{
    if (dims < 1 || dims > 3 || !enqueue_local_fits(memory, dims, range + 6))
        return false;
    for (uint i = 0; i < dims; i++)
        if (even && range[6 + i] && range[3 + i] % range[6 + i])
            return false;
    return true;
}

static void enqueue_copy(global uint *to, const uchar *from, uint size, uint align)
{
    if (align % 4 == 0 && size % 4 == 0) {
        for (uint i = 0; i < size / 4; i++)
            to[i] = ((const uint *)from)[i];
    } else {
        for (uint i = 0; i < size; i++)
            ((global uchar *)to)[i] = from[i];
    }
}

// Which of a range's values a record needs; compiler/clc.h has the record.
static uint enqueue_shape(uint dims, const ulong *range)
{
    ulong offsets = 0, locals = 0, all = 0;
    for (uint i = 0; i < dims; i++) {
        offsets |= range[i];
        locals |= range[6 + i];
        all |= range[i] | range[3 + i] | range[6 + i];
    }
    return dims | (offsets ? RECORD_OFFSET : 0) | (locals ? RECORD_LOCAL : 0) | (all >> 32 ? RECORD_WIDE : 0);
}

static uint enqueue_shape_values(uint shape)
{
    return (shape & 3) * (1 + (shape & RECORD_OFFSET ? 1 : 0) + (shape & RECORD_LOCAL ? 1 : 0));
}

// Returns what follows the values.
static global uint *enqueue_put_range(global uint *to, uint shape, const ulong *range)
{
    uint dims = shape & 3, count = enqueue_shape_values(shape), at = 0;
    for (uint i = 0; i < 3; i++) {
        if ((i == 0 && !(shape & RECORD_OFFSET)) || (i == 2 && !(shape & RECORD_LOCAL)))
            continue;
        for (uint k = 0; k < dims; k++, at++) {
            to[at] = (uint)range[3 * i + k];
            if (shape & RECORD_WIDE)
                to[count + at] = (uint)(range[3 * i + k] >> 32);
        }
    }
    return to + (shape & RECORD_WIDE ? 2 : 1) * count;
}

static int enqueue_record(global uint *memory, uint parent, ulong queue, uint block, uint dims, const ulong *range,
                          uint num_waits, const ulong *waits, ulong *event, const uchar *captured, uint size, uint align,
                          uint num_locals, const uint *locals)
{
    if (queue - 1 >= memory[ENQUEUE_NUM_QUEUES])
        return ENQUEUE_BAD_QUEUE;
    for (uint i = 0; i < num_locals; i++)
        if (!locals[i])
            return ENQUEUE_BAD_ARG_SIZE;
    if (num_waits > 0xffff || size > RECORD_MOST_BYTES)
        return ENQUEUE_NO_RESOURCES;
    uint at, shape = enqueue_shape(dims, range), values = enqueue_shape_values(shape) * (shape & RECORD_WIDE ? 2 : 1);
    uint bytes = 4 * (RECORD_WORDS + values + num_waits + num_locals) + ((size + 3) & ~3u);
    ulong made = 0;
    if (event) {
        made = enqueue_new_event(memory, 0);
        if (!made)
            return ENQUEUE_NO_EVENT;
    }
    int error = enqueue_reserve(memory, (uint)queue, bytes, &at);
    if (error) {
        if (made)
            enqueue_give_back(memory, made);
        return error;
    }
    global uint *record = enqueue_part(memory, ENQUEUE_RECORDS) + at / 4;
    record[0] = bytes | (align ? 31 - clz(align) : 0) << 24;
    record[1] = parent | (uint)queue << 8 | num_locals << 16 | shape << 24;
    record[2] = block | num_waits << 16;
    record[3] = (uint)made;
    global uint *next = enqueue_put_range(record + RECORD_WORDS, shape, range);
    for (uint i = 0; i < num_waits; i++)
        next[i] = (uint)waits[i];
    for (uint i = 0; i < num_locals; i++)
        next[num_waits + i] = locals[i];
    enqueue_copy(next + num_waits + num_locals, captured, size, align);
    if (event)
        *event = made;
    return 0;
}

// details: the error's own code instead of CLK_ENQUEUE_FAILURE (-g)
int __pumice_enqueue_kernel(global uint *memory, uint parent, ulong queue, uint flags, uint dims, const ulong *range,
                            uint num_waits, const ulong *waits, ulong *event, uint block, const uchar *captured, uint size,
                            uint align, uint num_locals, const uint *locals, uint even, uint details)
{
    int error = 0;
    if (!enqueue_range_fits(memory, dims, range, even))
        error = ENQUEUE_BAD_NDRANGE;
    else if (!enqueue_waits_fit(memory, num_waits, waits))
        error = ENQUEUE_BAD_WAIT_LIST;
    else
        error = enqueue_record(memory, parent, queue, block, dims, range, num_waits, waits, event, captured, size, align,
                               num_locals, locals);
    return error && !details ? ENQUEUE_FAILURE : error;
}

int __pumice_enqueue_marker(global uint *memory, uint parent, ulong queue, uint num_waits, const ulong *waits,
                            ulong *event, uint details)
{
    int error = 0;
    ulong range[9] = {0};
    if (!num_waits || !enqueue_waits_fit(memory, num_waits, waits))
        error = ENQUEUE_BAD_WAIT_LIST;
    else if (event)
        error = enqueue_record(memory, parent, queue, 0, 0, range, num_waits, waits, event, 0, 0, 4, 0, 0);
    return error && !details ? ENQUEUE_FAILURE : error;
}

// ---- queries ----

uint __pumice_enqueue_work_group_size(global uint *memory)
{
    return memory[ENQUEUE_MAX_ITEMS];
}

uint __pumice_enqueue_subgroup_size(global uint *memory)
{
    return memory[ENQUEUE_SUBGROUP];
}

// OpenCL C 3.0, 6.15.20. Where no local size is given, that of the largest work-group.
uint __pumice_enqueue_subgroup_count(global uint *memory, uint dims, const ulong *range)
{
    ulong items = 1, largest = 1, size = memory[ENQUEUE_SUBGROUP];
    for (uint i = 0; i < min(dims, 3u); i++) {
        items *= range[6 + i];
        largest = min(largest * range[3 + i], (ulong)memory[ENQUEUE_MAX_ITEMS]);
    }
    if (!items)
        items = largest;
    return (uint)((items + size - 1) / size);
}

// SPIR-V's OpGetKernelLocalSizeForSubgroupCount: the size of a work-group in one dimension; 0: there is none so large.
uint __pumice_enqueue_local_size(global uint *memory, uint count)
{
    ulong items = (ulong)count * memory[ENQUEUE_SUBGROUP];
    return items <= min(memory[ENQUEUE_MAX_ITEMS], memory[ENQUEUE_MAX_SIZE]) ? (uint)items : 0;
}

uint __pumice_enqueue_max_subgroups(global uint *memory)
{
    return (memory[ENQUEUE_MAX_ITEMS] + memory[ENQUEUE_SUBGROUP] - 1) / memory[ENQUEUE_SUBGROUP];
}
