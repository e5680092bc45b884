// Initialisers of program-scope variables (OpenCL C 3.0, 6.7.1 and 6.7.4; C99, 6.6 and 6.7.8): numbers, records, addresses of variables, of
// elements and members, as numbers, through casts and chains, in constant and in global memory.

//! test: initialisers
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables __opencl_c_generic_address_space __opencl_c_int64 fp64
//! buffer out long[64] = 0
//! expect out = 5 0 30 21 55 2 4 40 5 3 4 2 30 1 1 2 1 4 5 511 6 321 2 0 1 200 8 111 111 111 300 120 2 7 -2 1 121 8 7 4 1 951 41 75 37 -5000000000 1 5 1 5 99 4003 1 1 21 5 300 6 5 6 77 5 40 18
typedef struct pair { int a; int b; } pair;
typedef struct node { global struct node *next; int value; } node;
typedef struct mixed { char c; global int *p; constant pair *q; short s[3]; union { int i; float f; } u; } mixed;
typedef struct { uchar a; pair in[2]; int4 v; } nest;
enum { THREE = 3 };

global int plain = 5;
global int zero;
global int array[4] = {1, 2, 3};
global int sized[] = {7, 8, 9};
global int designated[6] = {[4] = 44, [1] = 11};
global pair first = {1, 2}, second = {.b = 4};
global pair pairs[2] = {{10, 20}, {30, 40}};
global int *to_plain = &plain;
global int *to_element = &array[2];
global int *to_end = array + 4;
global int *to_member = &first.b;
global int *to_nested = &pairs[1].a;
global int *null_pointer = 0;
global int *null_cast = (global int *)0;
global uchar *as_bytes = (global uchar *)&array[1];
global uchar *inside = (global uchar *)&plain + 1;
global void *as_void = &second;
global int *global *indirect = &to_plain;
global int *list[3] = {&plain, 0, &array[3]};
global struct { global int *p; int n; } described = {array, 4};
global node last = {0, 3}, middle = {&last, 2}, head = {&middle, 1};
global ulong number = (ulong)&array[1];
global ulong number_plus = (ulong)&array[1] + 8;
global intptr_t signed_number = (intptr_t)(array + 1) - 4;
constant int table[3] = {100, 200, 300};
constant int *constant from_constant = table + 1;
constant pair consts[2] = {{5, 6}, {7, 8}};
constant int *constant into_pair = &consts[1].b;
constant char text[] = "hello";
constant char *constant words[3] = {"one", "two", text};
constant int *global from_global = &table[2];
constant mixed everything = {'x', &array[0], &consts[1], {1, -2, 3}, {0x3f800000}};
global mixed everywhere = {'y', &sized[1], consts, {4, 5}, {.f = 2.0f}};
global nest nested = {1, {{2, 3}, {4, 5}}, (int4)(6, 7, 8, 9)};
global float4 vector = (float4)(1, 2, 3, 4);
global float3 three = (float3)(5, 6, 7);
global float2 vectors[2] = {(float2)(1, 2), (float2)(3.5f)};
global long wide = -5000000000L;
global bool flag = true;
global bool flags[3] = {true, false, true};
global float real = 1.0f / 3;
global double dbl = 2.5;
global char chars[8] = "abc";
global uint folded = sizeof(mixed) * 100 + THREE;
global int *chosen = sizeof(int) == 4 ? &array[1] : &plain;
global int *back = &array[3] - 2;
global struct { union { long l; int i[2]; } u; } with_union = {{0x100000002L}};
global struct bits { uint low; uint high; int after; } bits = {5, 300, 6};
global int two[2][3] = {{1, 2, 3}, {4, 5, 6}};
global int (*row)[3] = &two[1];
global int *cell = &two[1][2];
static global int hidden = 77;
global int *to_hidden = &hidden;
int *generic_pointer = &plain;
global int *self_offset = (global int *)((global char *)&pairs[0] + 12);
kernel void initialisers(global long *o)
{
    static global int counter = 9;
    static global int *to_counter = &counter;
    int n = 0;
    o[n++] = plain; o[n++] = zero; o[n++] = array[2] * 10 + array[3]; o[n++] = sized[2] + sizeof(sized);
    o[n++] = designated[4] + designated[1] + designated[0]; o[n++] = first.b; o[n++] = second.a * 10 + second.b;
    o[n++] = pairs[1].b; o[n++] = *to_plain; o[n++] = *to_element; o[n++] = to_end - array; o[n++] = *to_member;
    o[n++] = *to_nested; o[n++] = null_pointer == 0; o[n++] = null_cast == 0; o[n++] = as_bytes[0];
    o[n++] = inside - (global uchar *)&plain; o[n++] = ((global pair *)as_void)->b; o[n++] = **indirect;
    o[n++] = *list[0] * 100 + (list[1] == 0) * 10 + (list[2] == &array[3]); o[n++] = described.p[1] + described.n;
    o[n++] = head.next->next->value * 100 + head.next->value * 10 + head.value; o[n++] = *(global int *)number;
    o[n++] = *(global int *)number_plus; o[n++] = *(global int *)signed_number; o[n++] = *from_constant; o[n++] = *into_pair;
    o[n++] = words[0][0]; o[n++] = words[1][2]; o[n++] = words[2][4]; o[n++] = *from_global; o[n++] = everything.c;
    o[n++] = everything.p[1]; o[n++] = everything.q->a; o[n++] = everything.s[1]; o[n++] = everything.u.f == 1.0f;
    o[n++] = everywhere.c; o[n++] = *everywhere.p; o[n++] = everywhere.q[1].a; o[n++] = everywhere.s[0] + everywhere.s[2];
    o[n++] = everywhere.u.i == 0x40000000; o[n++] = nested.a + nested.in[1].b * 10 + nested.v.w * 100; o[n++] = (long)(vector.x + vector.w * 10);
    o[n++] = (long)(three.x + three.z * 10); o[n++] = (long)(vectors[0].y + vectors[1].y * 10); o[n++] = wide; o[n++] = flag;
    o[n++] = flags[0] + flags[1] * 2 + flags[2] * 4; o[n++] = real == 1.0f / 3; o[n++] = (long)(dbl * 2); o[n++] = chars[2] + chars[3] + chars[7];
    o[n++] = folded; o[n++] = chosen == &array[1]; o[n++] = back - array; o[n++] = with_union.u.i[0] * 10 + with_union.u.i[1];
    o[n++] = bits.low; o[n++] = bits.high; o[n++] = bits.after; o[n++] = (*row)[1]; o[n++] = *cell;  o[n++] = *to_hidden;
    o[n++] = *generic_pointer; o[n++] = *self_offset; o[n++] = *to_counter + counter;
}

//! test: address_arithmetic
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables __opencl_c_int64
//! buffer out long[12] = 0
//! expect out = 2 1 0 1 16 1 33 1 4 1 20 3
typedef struct item { int a; long b; int c[4]; } item;
global int places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
global item items[3];
global long distance = &places[3] - &places[1];
global int is_there = &places[0] != 0, is_null = !places, same = &places[4] - 4 == places;
global uint member = (uint)(ulong)&((global item *)0)->c;
global bool truth = &items[1];
global long scaled = (&items[2].a - &items[1].a) * 4 + 1;
global int *chosen = sizeof(long) == 8 ? &places[1] : &places[0];
global int *sum = 1 + &places[3];
global int *other = &items != 0 ? places + 1 : 0;
global ulong bytes = (ulong)(&items[1].c[1]) - (ulong)&items[0].c[4];
global int *far = (global int *)((ulong)places + 2 * sizeof(int)) + 1;
kernel void address_arithmetic(global long *o)
{
    o[0] = distance;
    o[1] = is_there;
    o[2] = is_null;
    o[3] = same;
    o[4] = member;
    o[5] = truth;
    o[6] = scaled;
    o[7] = *chosen;
    o[8] = *sum;
    o[9] = *other;
    o[10] = bytes;
    o[11] = *far;
}

//! test: addresses_of_two
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! build: fails "initializer element is not a compile-time constant"
global int one, two;
global long nonsense = &one - &two;
kernel void addresses_of_two(global long *o)
{
    o[0] = nonsense;
}
