// Every function of cl_khr_subgroup_non_uniform_arithmetic, _clustered_reduce and the masks of _ballot, against a loop over
// the values of the sub-group's other work-items. OpenCL C 3.0, 6.15.20.1 to 6.15.20.3.

#define ADD(a, b)         ((a) + (b))
#define MUL(a, b)         ((a) * (b))
#define MIN(a, b)         ((a) < (b) ? (a) : (b))
#define MAX(a, b)         ((a) > (b) ? (a) : (b))
#define AND(a, b)         ((a) & (b))
#define OR(a, b)          ((a) | (b))
#define XOR(a, b)         ((a) ^ (b))
#define LOGICAL_AND(a, b) ((a) && (b))
#define LOGICAL_OR(a, b)  ((a) || (b))
#define LOGICAL_XOR(a, b) (!(a) != !(b))

// The work-items that take part.
#define TAKES_PART(lane) ((lane) % 3 != 1)

#define CHECK(slot, type, name, OP, identity)                                                                          \
    {                                                                                                                  \
        type all = identity, inclusive = identity, exclusive = identity;                                               \
        for (uint j = 0; j < get_sub_group_size(); j++) {                                                              \
            type other = (type)values[base + j];                                                                       \
            all = TAKES_PART(j) ? OP(all, other) : all;                                                                \
            inclusive = TAKES_PART(j) && j <= lane ? OP(inclusive, other) : inclusive;                                 \
            exclusive = TAKES_PART(j) && j < lane ? OP(exclusive, other) : exclusive;                                  \
        }                                                                                                              \
        bool right = sub_group_non_uniform_reduce_##name((type)values[base + lane]) == all;                            \
        right = sub_group_non_uniform_scan_inclusive_##name((type)values[base + lane]) == inclusive && right;          \
        right = sub_group_non_uniform_scan_exclusive_##name((type)values[base + lane]) == exclusive && right;          \
        if (!right)                                                                                                    \
            atomic_inc(&wrong[slot]);                                                                                  \
    }

#define CLUSTER(slot, type, name, OP, identity, size)                                                                  \
    {                                                                                                                  \
        type all = identity;                                                                                           \
        for (uint j = lane / size * size; j < lane / size * size + size; j++)                                          \
            all = OP(all, (type)values[base + j]);                                                                     \
        if (sub_group_clustered_reduce_##name((type)values[base + lane], size) != all)                                 \
            atomic_inc(&wrong[slot]);                                                                                  \
    }

// Bits from first up to before last, of 128.
uint4 bits(int first, int last)
{
    uint words[4] = {0, 0, 0, 0};
    for (int i = first; i < last; i++)
        words[i / 32] |= 1u << i % 32;
    return (uint4)(words[0], words[1], words[2], words[3]);
}

#define UNIFORM(slot, form, name, OP, identity, taken)                                                                 \
    {                                                                                                                  \
        int expected = identity;                                                                                       \
        for (uint j = 0; j < get_sub_group_size(); j++)                                                                \
            expected = taken ? OP(expected, values[base + j]) : expected;                                              \
        if (sub_group_##form##_##name(values[base + lane]) != expected)                                                \
            atomic_inc(&wrong[slot]);                                                                                  \
    }

//! test: non_uniform_arithmetic
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_non_uniform_arithmetic
//! buffer wrong int[20] = 0
//! global: 120
//! local: 60
//! expect wrong = 0
kernel void non_uniform_arithmetic(global int *wrong)
{
    local int values[60];
    uint lane = get_sub_group_local_id(), base = get_sub_group_id() * get_max_sub_group_size();
    values[get_local_id(0)] = (int)(get_local_id(0) * 7 % 5) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (TAKES_PART(lane)) {
        CHECK(0, int, add, ADD, 0)
        CHECK(1, int, mul, MUL, 1)
        CHECK(2, int, min, MIN, INT_MAX)
        CHECK(3, int, max, MAX, INT_MIN)
        CHECK(4, int, and, AND, -1)
        CHECK(5, int, or, OR, 0)
        CHECK(6, int, xor, XOR, 0)
        CHECK(7, int, logical_and, LOGICAL_AND, 1)
        CHECK(8, int, logical_or, LOGICAL_OR, 0)
        CHECK(9, int, logical_xor, LOGICAL_XOR, 0)
        CHECK(10, float, add, ADD, 0.0f)
        CHECK(11, float, mul, MUL, 1.0f)
        CHECK(12, float, min, MIN, INFINITY)
        CHECK(13, float, max, MAX, -INFINITY)
        CHECK(14, uint, min, MIN, UINT_MAX)
        CHECK(15, uint, max, MAX, 0u)
        CHECK(16, long, min, MIN, LONG_MAX)
        CHECK(17, ulong, xor, XOR, 0ul)
        CHECK(18, char, max, MAX, CHAR_MIN)
        CHECK(19, ushort, and, AND, USHRT_MAX)
    }
}

//! test: clustered_reduce
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_clustered_reduce
//! buffer wrong int[15] = 0
//! global: 64
//! local: 64
//! expect wrong = 0
kernel void clustered_reduce(global int *wrong)
{
    local int values[64];
    uint lane = get_sub_group_local_id(), base = get_sub_group_id() * get_max_sub_group_size();
    values[get_local_id(0)] = (int)(get_local_id(0) * 7 % 5) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    CLUSTER(0, int, add, ADD, 0, 4)
    CLUSTER(1, int, mul, MUL, 1, 2)
    CLUSTER(2, int, min, MIN, INT_MAX, 4)
    CLUSTER(3, int, max, MAX, INT_MIN, 4)
    CLUSTER(4, int, and, AND, -1, 2)
    CLUSTER(5, int, or, OR, 0, 4)
    CLUSTER(6, int, xor, XOR, 0, 4)
    CLUSTER(7, int, logical_and, LOGICAL_AND, 1, 2)
    CLUSTER(8, int, logical_or, LOGICAL_OR, 0, 2)
    CLUSTER(9, int, logical_xor, LOGICAL_XOR, 0, 4)
    CLUSTER(10, float, min, MIN, INFINITY, 4)
    CLUSTER(11, float, mul, MUL, 1.0f, 4)
    CLUSTER(12, uchar, xor, XOR, 0, 4)
    CLUSTER(13, long, max, MAX, LONG_MIN, 4)
    CLUSTER(14, int, add, ADD, 0, 1)
}

//! test: masks
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_ballot
//! buffer wrong int[5] = 0
//! global: 64
//! local: 64
//! expect wrong = 0
kernel void masks(global int *wrong)
{
    int lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    if (any(get_sub_group_eq_mask() != bits(lane, lane + 1)))
        atomic_inc(&wrong[0]);
    if (any(get_sub_group_ge_mask() != bits(lane, size)))
        atomic_inc(&wrong[1]);
    if (any(get_sub_group_gt_mask() != bits(lane + 1, size)))
        atomic_inc(&wrong[2]);
    if (any(get_sub_group_le_mask() != bits(0, lane + 1)))
        atomic_inc(&wrong[3]);
    if (any(get_sub_group_lt_mask() != bits(0, lane)))
        atomic_inc(&wrong[4]);
}

//! test: uniform_arithmetic
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! buffer wrong int[9] = 0
//! global: 60
//! local: 60
//! expect wrong = 0
kernel void uniform_arithmetic(global int *wrong)
{
    local int values[60];
    uint lane = get_sub_group_local_id(), base = get_sub_group_id() * get_max_sub_group_size();
    values[get_local_id(0)] = (int)(get_local_id(0) * 7 % 5) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNIFORM(0, reduce, add, ADD, 0, true)
    UNIFORM(1, reduce, min, MIN, INT_MAX, true)
    UNIFORM(2, reduce, max, MAX, INT_MIN, true)
    UNIFORM(3, scan_inclusive, add, ADD, 0, j <= lane)
    UNIFORM(4, scan_inclusive, min, MIN, INT_MAX, j <= lane)
    UNIFORM(5, scan_inclusive, max, MAX, INT_MIN, j <= lane)
    UNIFORM(6, scan_exclusive, add, ADD, 0, j < lane)
    UNIFORM(7, scan_exclusive, min, MIN, INT_MAX, j < lane)
    UNIFORM(8, scan_exclusive, max, MAX, INT_MIN, j < lane)
}

//! test: in_every_version
//! require: __opencl_c_subgroups
//! buffer out int[3] = 0
//! global: 1
//! local: 1
//! expect out = 7 0 1
// Without -cl-std, where the extensions to them are named but cl_khr_subgroups may not be.
kernel void in_every_version(global int *out)
{
    out[0] = sub_group_reduce_add(out[0] + 7);
    out[1] = sub_group_scan_exclusive_add(3);
    out[2] = sub_group_all(get_sub_group_local_id() == 0) && get_sub_group_size() == 1;
}
