// Structures and arrays that are copied whole, in every address space; C99 6.2.5, 6.5.16.1 and 6.7.2.1 (OpenCL C 3.0,
// 6.13.1 for packed and aligned). More of them: tests/diff/aggregates.py.

typedef struct __attribute__((packed)) { char a; int b; long d; uchar e; } packed_part;
typedef struct { char a; packed_part p[2]; long l; } of_packed;

// What is copied whole through local memory whose other accesses are vectors: each element arrives with all components.
#define COPIES(type, in, out) \
    typedef struct { type v[40]; int n; } part; \
    local part one[1], two[2]; \
    int i = get_local_id(0); \
    global const part *from = (global const part *)in; \
    if (i == 0) \
        one[0] = *from; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (i == 1) { \
        part copy = one[0]; \
        copy.v[from->n & 3] = copy.v[39]; \
        two[1] = copy; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE); \
    two[0].v[i] = two[1].v[i]; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (i == 2) \
        *(global part *)out = two[0]; \
    type want = from->v[i == (from->n & 3) ? 39 : i]; \
    barrier(CLK_GLOBAL_MEM_FENCE); \
    right[i] = all(two[0].v[i] == want) && all(((global part *)out)->v[i] == want) && all(one[0].v[i] == from->v[i]);

// Structures by value that are too large for push constants, and have too many members to be read one by one.
typedef struct { char first; uchar bytes[600]; short shorts[7]; int last; } large;
__attribute__((noinline)) int sum_large(large t, uint at) { t.bytes[at] += 1; return t.bytes[at] + t.shorts[at % 7] + t.last; }

//! test: packed_array_read
//! global: 4
//! buffer in uchar[40] = 0..39
//! buffer out uint[4] = 0
//! expect out = 0x05040302 0x13121110 0x05040302 0x13121110
kernel void packed_array_read(global const of_packed *in, global uint *out) {
    of_packed t = *in;
    out[get_global_id(0)] = t.p[get_global_id(0) & 1].b;
}

//! test: packed_array_written
//! global: 2
//! buffer in uchar[40] = 0..39
//! buffer out uchar[80] = 0
//! expect out = 0..13 99 15..28 _ _ _ 32..39 0..27 99 _ _ _ 32..39
kernel void packed_array_written(global const of_packed *in, global of_packed *out) {
    int i = get_global_id(0);
    of_packed t = *in;
    t.p[i & 1].e = 99;
    out[i] = t;
}

//! test: packed_member_by_pointer
//! global: 2
//! buffer in uchar[40] = 0..39
//! buffer out uint[4] = 0
//! expect out = 0x05040302 0x13121110 7 7
kernel void packed_member_by_pointer(global const of_packed *in, global uint *out) {
    int i = get_global_id(0);
    of_packed t = *in;
    int *p = &t.p[i & 1].b;
    out[i] = *p;
    *p = 7;
    out[2 + i] = t.p[i & 1].b;
}

//! test: aligned_variables
//! buffer n int[1] = 0
//! buffer out int[6] = 9
//! expect out = 0 0 0 0 42 43
kernel void aligned_variables(global const int *n, global int *out) {
    char odd[3] = {1, 2, 3};
    char bytes[8] __attribute__((aligned(8)));
    short shorts[5] __attribute__((aligned(128)));
    local char local_odd[3];
    local char local_bytes[8] __attribute__((aligned(64)));
    local float4 local_vectors[2] __attribute__((aligned(256)));
    local_odd[*n] = odd[*n + 1];
    out[0] = (size_t)bytes & 7;
    out[1] = (size_t)shorts & 127;
    out[2] = (size_t)local_bytes & 63;
    out[3] = ((size_t)local_vectors & 255) + (local_odd[*n] - 2) + (odd[*n] - 1);
    *(long *)bytes = 42 + *n;
    *(local long *)local_bytes = 43 + *n;
    out[4] = *(long *)bytes;
    out[5] = *(local long *)local_bytes;
}

//! test: local_copies_float4
//! global: 40
//! local: 40
//! buffer in float[164] = 0..163
//! buffer out float[164] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_float4(global const float *in, global float *out, global int *right) { COPIES(float4, in, out) }

//! test: local_copies_float2
//! global: 40
//! local: 40
//! buffer in float[82] = 0..81
//! buffer out float[82] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_float2(global const float *in, global float *out, global int *right) { COPIES(float2, in, out) }

//! test: local_copies_int8
//! global: 40
//! local: 40
//! buffer in int[328] = 0..327
//! buffer out int[328] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_int8(global const int *in, global int *out, global int *right) { COPIES(int8, in, out) }

//! test: local_copies_uchar4
//! global: 40
//! local: 40
//! buffer in uchar[172] = 0..120
//! buffer out uchar[164] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_uchar4(global const uchar *in, global uchar *out, global int *right) { COPIES(uchar4, in, out) }

//! test: local_copies_short2
//! global: 40
//! local: 40
//! buffer in short[82] = 0..81
//! buffer out short[82] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_short2(global const short *in, global short *out, global int *right) { COPIES(short2, in, out) }

//! test: local_copies_long2
//! global: 40
//! local: 40
//! buffer in long[82] = 0..81
//! buffer out long[82] = 0
//! buffer right int[40] = 0
//! expect right = 1*40
kernel void local_copies_long2(global const long *in, global long *out, global int *right) { COPIES(long2, in, out) }

//! test: packed_enumerations
//! buffer in int[2] = 1 0
//! buffer out int[10] = 0
//! expect out = 1 2 4 1 2 4 -1 299 1 8
enum __attribute__((packed)) packed_byte { BYTE_A, BYTE_B };
enum packed_short { SHORT_A = 300, SHORT_B } __attribute__((packed));
enum __attribute__((packed)) packed_signed { SIGNED_A = -1, SIGNED_B = 127 };
enum __attribute__((packed)) packed_wide { WIDE_A = -1, WIDE_B = 128 };
enum __attribute__((packed)) packed_int { INT_A = 65536 };
enum __attribute__((aligned(8))) aligned_enum { ALIGNED_A };
struct of_enums {
    enum packed_byte a, b;
    uchar c, d;
};
kernel void packed_enumerations(global const int *in, global int *out) {
    enum packed_signed minus[2] = {SIGNED_A, SIGNED_B};
    enum packed_short large[3] = {SHORT_A, SHORT_B, SHORT_A};
    struct of_enums s = {BYTE_A, BYTE_B, 3, 4};
    out[0] = sizeof(enum packed_byte);
    out[1] = sizeof(enum packed_short);
    out[2] = sizeof(struct of_enums);
    out[3] = sizeof(enum packed_signed);
    out[4] = sizeof(enum packed_wide);
    out[5] = sizeof(enum packed_int);
    out[6] = minus[in[1]];
    out[7] = large[in[0] + 1] - 1;
    out[8] = s.b;
    out[9] = __alignof__(enum aligned_enum);
}

//! test: packed_and_aligned_members
//! buffer in uchar[24] = 0..23
//! buffer out int[9] = 0
//! expect out = 5 1 1 4 16 6 2 0x04030201 0x07060504
typedef int aligned_int __attribute__((aligned(16)));
typedef int loose_int __attribute__((aligned(2)));
struct __attribute__((packed)) packed_typedef { char c; aligned_int a; };
struct packed_typedef_member { char c; aligned_int a __attribute__((packed)); };
struct packed_aligned_member { char c; long a __attribute__((packed, aligned(4))); };
struct aligned_pointer { char c; aligned_int *p; };
struct loose_member { char c; loose_int a; };
kernel void packed_and_aligned_members(global const uchar *in, global int *out) {
    out[0] = sizeof(struct packed_typedef);
    out[1] = __builtin_offsetof(struct packed_typedef, a);
    out[2] = __builtin_offsetof(struct packed_typedef_member, a);
    out[3] = __builtin_offsetof(struct packed_aligned_member, a);
    out[4] = sizeof(struct aligned_pointer);
    out[5] = sizeof(struct loose_member);
    out[6] = __builtin_offsetof(struct loose_member, a);
    out[7] = ((global const struct packed_typedef *)in)->a;
    struct packed_aligned_member copy = *(global const struct packed_aligned_member *)in;
    out[8] = copy.a;
}

//! test: null_reservations
//! options: -cl-std=CL3.0
//! require: __opencl_c_pipes
//! buffer n int[1] = 1
//! buffer out int[4] = 9
//! expect out = 0 0 0 0
reserve_id_t same_reservation(reserve_id_t id) { return id; }
kernel void null_reservations(global const int *n, global int *out) {
    reserve_id_t ids[3] = {CLK_NULL_RESERVE_ID, CLK_NULL_RESERVE_ID, CLK_NULL_RESERVE_ID}, rows[2][2], *at = &ids[*n + 1];
    *at = ids[*n];
    rows[1][0] = rows[*n - 1][1] = *at;
    out[0] = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
    out[1] = is_valid_reserve_id(ids[*n + 1]);
    out[2] = is_valid_reserve_id(rows[*n][0]);
    out[3] = is_valid_reserve_id(same_reservation(rows[0][*n]));
}

//! test: large_argument_read
//! global: 4
//! value t uchar[620] = 0..249
//! value m int = 1
//! buffer out int[4] = 0
//! expect out = 2 9 16 23
kernel void large_argument_read(large t, int m, global int *out) {
    int i = get_global_id(0);
    out[i] = t.bytes[(i * 7 + m) % 600];
}

//! test: large_argument_written
//! global: 4
//! value m int = 1
//! value t uchar[620] = 0..249
//! buffer out int[8] = 0
//! expect out = 77 77 77 77 1 1 1 1
kernel void large_argument_written(int m, const large t, global int *out) {
    int i = get_global_id(0);
    large copy = t;
    copy.bytes[(i * 7 + m) % 600] = 77;
    out[i] = copy.bytes[(i * 7 + m) % 600];
    out[4 + i] = copy.first == t.first && copy.last == t.last && copy.shorts[i] == t.shorts[i] && t.bytes[i + 1] == i + 2;
}

//! test: large_arguments_passed_on
//! global: 4
//! value a uchar[620] = 3
//! value m int = 1
//! value b uchar[620] = 5
//! buffer out int[4] = 0
//! expect out = 84216336 84216336 84216336 50529802
kernel void large_arguments_passed_on(large a, int m, large b, global int *out) {
    int i = get_global_id(0);
    large t = i == 3 ? a : b;
    out[i] = sum_large(t, (i + m) * 30);
}

//! test: packed_by_bytes_and_parts
//! global: 4
//! local: 4
//! buffer shorts uchar[256] = 0
//! buffer out short[4] = 0
//! expect out = 1284 5396 9508 13620
// Local memory of one size of access that is copied whole by narrower pieces: never by atomics of that size.
struct __attribute__((packed)) by_short { short a[9]; int unread[11]; uchar end[2]; };
kernel void packed_by_bytes_and_parts(global struct by_short *shorts, global short *out)
{
    local struct by_short l[4];
    uint i = get_local_id(0);
    global uchar *bytes = (global uchar *)(shorts + i);
    for (uint k = 0; k < 64; k++)
        bytes[k] = (uchar)(k + i * 16);
    l[i] = shorts[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    shorts[i] = l[i];
    out[i] = l[i].a[2 + i % 1];
}

//! test: packed_by_words
//! require: fp64
//! global: 4
//! local: 4
//! buffer doubles uchar[144] = 0
//! buffer out short[4] = 0
//! expect out = 1798 5910 10022 14134
// The same for doubles, which are copied as words.
struct __attribute__((packed)) by_double { double a[4]; uint b; };
kernel void packed_by_words(global struct by_double *doubles, global short *out)
{
    local struct by_double d[4];
    uint i = get_local_id(0);
    global uchar *bytes = (global uchar *)(doubles + i);
    for (uint k = 0; k < 36; k++)
        bytes[k] = (uchar)(k + i * 16);
    d[i] = doubles[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (short)(as_ulong(d[i].a[i % 1]) >> 48);
}
