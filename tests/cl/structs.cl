// Structures, unions, enums, typedefs and initialisers. C99 6.7; OpenCL C 3.0, 6.2.1, 6.3.5 (layout).

//! test: struct_layout
//! buffer out int[6] = 0
//! expect out = 0 4 8 16 32 48
typedef struct {
    char a;
    int b;
    uchar2 c;
    float3 d;
    short e;
} layout_t;
kernel void struct_layout(global int *out)
{
    global layout_t *p = 0;
    out[0] = (int)(ulong)&p->a;
    out[1] = (int)(ulong)&p->b;
    out[2] = (int)(ulong)&p->c;
    out[3] = (int)(ulong)&p->d;
    out[4] = (int)(ulong)&p->e;
    out[5] = sizeof(layout_t);
}

//! test: struct_array_in_global
//! buffer out int[3] = 0
//! buffer in int[6] = 1 10 2 20 3 30
//! global: 3
//! expect out = 11 22 33
struct pair {
    int a, b;
};
kernel void struct_array_in_global(global int *out, global const struct pair *in)
{
    struct pair p = in[get_global_id(0)];
    out[get_global_id(0)] = p.a + p.b;
}

//! test: struct_assignment
//! buffer out int[4] = 0
//! expect out = 1 2 1 5
struct inner {
    int x, y;
};
struct outer {
    struct inner in[2];
};
kernel void struct_assignment(global int *out)
{
    struct outer a = {{{1, 2}, {3, 4}}}, b;
    b = a;
    b.in[1] = a.in[0];
    b.in[1].y = 5;
    out[0] = b.in[0].x;
    out[1] = a.in[0].y;
    out[2] = b.in[1].x;
    out[3] = b.in[1].y;
}

//! test: struct_by_value_argument
//! buffer out int[3] = 0
//! value s int4 = 1 2 3 4
//! expect out = 1 2 7
struct four {
    int a, b;
    struct {
        int c, d;
    } rest;
};
kernel void struct_by_value_argument(global int *out, struct four s)
{
    out[0] = s.a;
    out[1] = s.b;
    out[2] = s.rest.c + s.rest.d;
}

//! test: struct_returned
//! buffer out int[2] = 0
//! value n int = 5
//! expect out = 25 125
struct powers {
    int square, cube;
};
struct powers powers(int n)
{
    struct powers p = {n * n};
    p.cube = p.square * n;
    return p;
}
kernel void struct_returned(global int *out, int n)
{
    out[0] = powers(n).square;
    out[1] = powers(n).cube;
}

//! test: union_pun
//! buffer out uint[3] = 0
//! value f float = 1
//! expect out = 0x3f800000 0x80 0x3f
kernel void union_pun(global uint *out, float f)
{
    union {
        float f;
        uint u;
        uchar b[4];
    } pun;
    pun.f = f;
    out[0] = pun.u;
    out[1] = pun.b[2];
    out[2] = pun.b[3];
}

//! test: union_in_global
//! buffer out uint[2] = 0
//! expect out = 0x40000000 0x11223344
union cell {
    float f;
    uint u;
    uchar4 c;
};
kernel void union_in_global(global union cell *out)
{
    out[0].f = 2.0f;
    out[1].c = (uchar4)(0x44, 0x33, 0x22, 0x11);
}

//! test: packed_struct
//! buffer out uint[3] = 0
//! buffer in uchar[12] = 1 2 3 4 5 6 7 8 9 10 11 12
//! expect out = 5 0x05040302 0x0a090807
struct __attribute__((packed)) packed {
    uchar tag;
    uint value;
};
kernel void packed_struct(global uint *out, global const struct packed *in)
{
    out[0] = sizeof(struct packed);
    out[1] = in[0].value;
    out[2] = in[1].value;
}

//! test: aligned_struct
//! buffer out uint[2] = 0
//! expect out = 16 32
struct __attribute__((aligned(16))) aligned {
    int a;
};
kernel void aligned_struct(global uint *out)
{
    out[0] = sizeof(struct aligned);
    out[1] = sizeof(struct aligned[2]);
}

//! test: designated_initialisers
//! buffer out int[8] = -1
//! expect out = 0 0 7 8 0 5 6 0
kernel void designated_initialisers(global int *out)
{
    int a[8] = {[5] = 5, 6, [2] = 7, 8};
    for (int i = 0; i < 8; i++)
        out[i] = a[i];
}

//! test: nested_designators
//! buffer out int[4] = 0
//! expect out = 0 3 9 0
struct node {
    int id;
    struct {
        int x, y;
    } at[2];
};
kernel void nested_designators(global int *out)
{
    struct node n = {.at[1].x = 9, .at[0] = {.y = 3}};
    out[0] = n.id + n.at[0].x;
    out[1] = n.at[0].y;
    out[2] = n.at[1].x;
    out[3] = n.at[1].y;
}

//! test: compound_literal
//! buffer out int[2] = 0
//! value n int = 4
//! expect out = 11 3
struct two {
    int a, b;
};
int add_two(struct two t)
{
    return t.a + t.b;
}
kernel void compound_literal(global int *out, int n)
{
    out[0] = add_two((struct two){n, 7});
    out[1] = ((struct two){1, 3}).b;
}

//! test: enums
//! buffer out int[4] = 0
//! expect out = 0 5 6 -1
enum colour { RED, GREEN = 5, BLUE, NONE = -1 };
kernel void enums(global int *out)
{
    enum colour c = BLUE;
    out[0] = RED;
    out[1] = GREEN;
    out[2] = c;
    out[3] = NONE;
}

//! test: array_in_struct_by_pointer
//! buffer out int[4] = 0
//! global: 4
//! expect out = 0 2 4 6
typedef struct {
    int n;
    int data[4];
} box_t;
void fill(box_t *b)
{
    for (b->n = 0; b->n < 4; b->n++)
        b->data[b->n] = 2 * b->n;
}
kernel void array_in_struct_by_pointer(global int *out)
{
    box_t b;
    fill(&b);
    out[get_global_id(0)] = b.data[get_global_id(0)];
}

//! test: anonymous_union_member
//! buffer out uint[2] = 0
//! expect out = 0x3f800000 3
typedef struct {
    int kind;
    union {
        float f;
        uint u;
    };
} variant_t;
kernel void anonymous_union_member(global uint *out)
{
    variant_t v;
    v.kind = 3;
    v.f = 1.0f;
    out[0] = v.u;
    out[1] = v.kind;
}

//! test: vector_in_struct
//! buffer out float[4] = 0
//! buffer in float[16] = 0..15
//! expect out = 4 5 6 12
typedef struct {
    float a;
    float3 b;
    float c[5];
} mixed_t;
kernel void vector_in_struct(global float *out, global mixed_t *in)
{
    out[0] = in->b.x;
    out[1] = in->b.y;
    out[2] = in->b.z;
    out[3] = in->c[4];
}

//! test: copied_then_indexed
//! buffer out int[4] = 0
//! buffer at int[2] = 2 1
//! expect out = 97 101 113 0
// Copied whole, then indexed by what is not known: the copy is of the array, and the array stays one.
constant uchar copied_letters[3][64] = {{'a', 'b'}, {'e', 'f'}, {'p', 'q'}};
struct copied_table {
    uchar rows[3][64];
    short counts[10];
};
kernel void copied_then_indexed(global int *out, global const int *at)
{
    uchar rows[3][64] = {{'a', 'b', 'c', 'd'}, {'e', 'f'}, {'p', 'q'}};
    struct copied_table from = {{{1}}, {2}}, to;
    from.rows[at[0]][at[1]] = 113;
    to = from;
    out[0] = rows[at[1] - 1][at[0] - 2];
    out[1] = rows[at[1]][0] + copied_letters[0][at[0]];
    out[2] = to.rows[at[0]][at[1]];
    out[3] = to.rows[at[1]][at[0]] + to.counts[at[1]];
}

//! test: packed_struct_argument
//! buffer out int[3] = 0
//! value s uchar8 = 9 4 3 2 1 6 5 8
//! expect out = 9 16909060 525574
struct __attribute__((packed)) packed_argument {
    char a;
    int b;
    short c;
    uchar d;
};
kernel void packed_struct_argument(global int *out, struct packed_argument s)
{
    out[0] = s.a;
    out[1] = s.b;
    out[2] = s.c | s.d << 16;
}

//! test: packed_struct_argument_in_memory
//! options: -cl-opt-disable
//! buffer out int[3] = 0
//! value s uchar8 = 9 4 3 2 1 6 5 8
//! expect out = 9 16909060 525574
struct __attribute__((packed)) packed_in_memory {
    char a;
    int b;
    short c;
    uchar d;
};
kernel void packed_struct_argument_in_memory(global int *out, struct packed_in_memory s)
{
    out[0] = s.a;
    out[1] = s.b;
    out[2] = s.c | s.d << 16;
}

//! test: struct_pragma_pack
//! buffer out int[12] = 0
//! buffer io uchar[48] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48
//! expect out = 41 1 5 21 23 31 0x05040302 0x09080706 0x15141312 0x1716 0x29282726 41
//! expect io = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 3 4 5 6 14 12
#pragma pack(push, 1)
struct row {
    char a;
    int b;
    int4 c;
    short d;
    struct {
        long x;
        char y;
    } inner[1];
    char e;
    int2 f;
};
struct tail {
    uchar a;
    uint b;
    ushort c;
};
#pragma pack(pop)
struct usual {
    char a;
    int b;
};
kernel void struct_pragma_pack(global int *out, global uchar *io)
{
    global struct row *p = (global struct row *)io;
    struct row own = *p;
    out[0] = sizeof(struct row);
    out[1] = (int)((global uchar *)&p->b - io);
    out[2] = (int)((global uchar *)&p->c - io);
    out[3] = (int)((global uchar *)&p->d - io);
    out[4] = (int)((global uchar *)&p->inner[0] - io);
    out[5] = (int)((global uchar *)&p->inner[0].y - io) + sizeof(struct usual) - 8;
    out[6] = p->b;
    out[7] = own.c.x;
    out[8] = own.c.w;
    out[9] = p->d;
    out[10] = own.f.y;
    out[11] = io[40];
    global struct tail *t = (global struct tail *)(io + 41);
    struct tail change = {t->a, 0x06050403, 0x0c0e};
    *t = change;
}

//! test: struct_pragma_pack_lanes
//! options: -cl-std=CL3.0
//! buffer io uchar[36] = 0
//! buffer in int[2] = 2 1
//! expect io = 9 0 0 0 0 0 0 0 0 7 8 9 10 0 0 0 0 4 0 0 0 5 0 0 0 6 0 0 0 3 0 0 0 0 0 0
#pragma pack(1)
struct lanes {
    char a;
    int4 b;
    int3 c;
};
kernel void struct_pragma_pack_lanes(global uchar *io, global const int *in)
{
    global struct lanes *p = (global struct lanes *)io;
    p->b[in[0]] = 0x0a090807;
    p->c.yx = (int2)(5, 4);
    p->c.z = 6;
    p->a = 9;
    io[29] = in[1] + 2;
}

// Copies by value, of a shallow struct first: the layout of its types is known when the deep one is looked at.
//! test: deep_structs
//! buffer out int[4] = 0
//! buffer in int[4] = 1 2 3 4
//! expect out = 3 4 1 2
#define NEST4(a, b) struct a##1 { struct a in; }; struct a##2 { struct a##1 in; }; struct a##3 { struct a##2 in; }; struct b { struct a##3 in; };
#define NEST16(a, b) NEST4(a, b##x) NEST4(b##x, b##y) NEST4(b##y, b##z) NEST4(b##z, b)
struct n0 {
    int a, b;
};
NEST16(n0, n16)
NEST16(n16, n32)
NEST16(n32, n48)
NEST16(n48, n64)
NEST16(n64, n80)
kernel void deep_structs(global struct n48 *out, global struct n48 *in)
{
    struct n48 shallow = in[0];
    global struct n80 *to = (global struct n80 *)out, *from = (global struct n80 *)in;
    struct n80 deep = from[1];
    out[1] = shallow;
    to[0] = deep;
}

// Bytes of private numbers, arrays, vectors and unions at constant places, against the same in global memory.
//! test: views
//! buffer io uint[16] = 0x03020100 0x87868584 0x0b0a0908 0x8f8e8d8c 0x13121110 0x97969594 0x3f800000 0xc0000000 0x23222120 0xa7a6a5a4 0x2b2a2928 0xafaeadac 0x33323130 0xb7b6b5b4 0x3b3a3938 0xbfbebdbc
//! buffer out uint[4] = 1
//! value v ulong = 0xfedcba9876543210
//! expect out = 0 0 0 0
typedef struct __attribute__((packed)) {
    uchar head;
    ulong far;
    ushort near;
    uint last;
} packed_view;
typedef union {
    uint words[16];
    ulong longs[8];
    uchar bytes[64];
    short shorts[32];
    float floats[16];
    uchar4 fours[16];
    int3 threes[4];
    packed_view packed[4];
} all_views;
#define VIEWS(p, sum)                                                                                                  \
    (p)->bytes[3] = (uchar)v;                                                                                          \
    (p)->shorts[3] = (short)(v >> 8);                                                                                  \
    sum += (p)->longs[0] + (p)->shorts[2] * 3;                                                                         \
    (p)->packed[0].far = v * 5;                                                                                        \
    sum ^= (p)->words[1] * 7ul + (p)->packed[1].far;                                                                   \
    (p)->packed[1].near = (ushort)(v >> 16);                                                                           \
    (p)->packed[2].last = (uint)v + (p)->packed[1].last;                                                               \
    (p)->floats[6] += (p)->floats[7];                                                                                  \
    sum += (ulong)(long)((p)->floats[6] * 16);                                                                         \
    (p)->fours[11].zx = (p)->fours[10].yw;                                                                             \
    sum = sum * 3 + (p)->bytes[44] + (p)->shorts[22];                                                                  \
    (p)->threes[3] = (p)->threes[2].zxy + (int3)((int)sum, 1, 2);                                                      \
    (p)->longs[7] -= (p)->longs[5];                                                                                    \
    for (int i = 0; i < 8; i++)                                                                                        \
        (p)->bytes[16 + i] ^= (p)->bytes[(i ^ 7) + 8];
kernel void views_test(global all_views *io, global uint *out, ulong v)
{
    all_views mine = *io;
    ulong array[2] = {v, ~v}, one = 1, other = 1;
    uint number = (uint)v;
    ushort4 vector = as_ushort4(v);
    VIEWS(&mine, one)
    VIEWS(io, other)
    uint wrong = 0;
    for (int i = 0; i < 16; i++)
        wrong += mine.words[i] != io->words[i];
    out[0] = wrong;
    out[1] = one != other;
    ((uchar *)array)[9] = ((uchar *)array)[2];
    ((uint *)array)[1] = 5;
    out[2] = array[0] != 0x576543210ul || array[1] != 0x0123456789ab54eful;
    ((uchar *)&number)[1] = 0xaa;
    ((uchar *)&vector)[5] = ((uchar *)&number)[1];
    out[3] = number != 0x7654aa10 || as_ulong(vector) != 0xfedcaa9876543210ul;
}
//! kernel: views_test

// Cast pointers that take turns: each is at a constant place, but what is read is one or the other.
//! test: views_in_turn
//! buffer out uint[2] = 0
//! value n int = 3
//! expect out = 0x342211 0x04650202
kernel void views_in_turn(global uint *out, int n)
{
    uint x = 0x44332211, y = 0x04030201;
    uchar *p = (uchar *)&x;
    uint sum = 0;
    for (int i = 0; i < n; i++) {
        sum |= (uint)*p << (i * 8);
        p = i ? (uchar *)&y + 2 : (uchar *)&x + 1;
        *p += i ? 0x31 : 0;
    }
    ((uchar *)&y)[0] += 1;
    out[0] = sum;
    out[1] = y;
}
