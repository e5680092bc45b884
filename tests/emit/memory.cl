// Objects of every kind: arrays, structs, unions, packed, pointers, address spaces, initialisers.
// expect: CPacked
// expect: Workgroup
// expect: OpCopyMemorySized
// expect: OpConstantComposite

typedef struct { int a; float4 v; char c; } plain;
typedef struct __attribute__((packed)) { char c; int i; short s; double d; } packed;
typedef struct { char c; int i __attribute__((aligned(16))); } aligned_member;
typedef union { int i; float f; char bytes[8]; short2 s; } pun;
typedef struct { pun u; int tag; struct { int x, y; }; union { int p; float q; }; } nested;
struct list { int value; global struct list *next; };
struct matrix { float m[16][4]; int3 row; bool flag; };
enum color { RED, GREEN = 5, BLUE };

constant float table[8] = {1, 2, 3, 4, 5};
constant int matrix2[2][3] = {{1, 2, 3}, {4, 5, 6}};
constant plain constant_plain = {1, (float4)(1, 2, 3, 4), 'x'};
constant plain plains[3] = {[1] = {.c = 3}, [2].v = (float4)(2.0f)};
constant pun constant_pun = {.f = 1.5f};
constant packed constant_packed = {1, 2, 3, 4.0};
constant char text[] = "hello";
constant char *constant text_pointer = "world";
constant int *constant inside = &matrix2[1][1];
constant struct { constant float *p; int n; constant char *s; } pointers = {table + 3, 3, "abc"};
constant char words[2][6] = {"one", "two"};
constant int4 vectors[2] = {(int4)(1, 2, 3, 4), (int4)(7)};
constant bool flags[3] = {true, false, 1};
constant uchar3 threes[2] = {(uchar3)(1, 2, 3), (uchar3)(4, 5, 6)};
constant enum color colors[] = {RED, GREEN, BLUE};
constant int computed = 3 * 4 + (RED ? 1 : 2) + sizeof(plain);

plain make(int a, float f)
{
    plain p = {.a = a, .v = (float4)(f)};
    return p;
}

void by_pointer(plain *p, local int *l, constant float *c, global float *g)
{
    p->v.x += c[2] + g[1];
    p->a = l[0];
}

kernel void objects(global int *out, global plain *plains_out, global packed *pk, global nested *n, global struct list *list,
                    global struct matrix *matrices, local int *scratch, plain value, int k)
{
    private plain p = make(k, 2.0f), q;
    q = p;
    q.v.yz = p.v.xy;
    plains_out[0] = q;
    plains_out[1] = constant_plain;
    plains_out[2].v.w = 3.0f;
    plains_out[3] = value;
    plains_out[4] = make(3, 4.0f);
    out[0] = make(1, 1.0f).a + value.c;
    out[1] = (k ? p : q).a;
    out[2] = plains[k].c;
    pk[0].i = 3;
    pk[1] = pk[0];
    pk[1].d += 1.0;
    packed local_packed = constant_packed;
    local_packed.s++;
    pk[2] = local_packed;
    n[0].u.f = 1.5f;
    out[3] = n[0].u.i + n[0].u.bytes[k] + n[0].x + n[0].p;
    nested m = n[1];
    m.u.s.y = 3;
    m.q = 2.0f;
    m.y = m.tag;
    n[2] = m;
    pun u = {3};
    u.f = 2.0f;
    out[4] = u.i + constant_pun.i;
    out[5] = list->next->next->value;
    list->next = list;
    struct list node = {3, list};
    out[6] = node.next->value;
    matrices[1].m[2][3] = matrices[0].m[k][1];
    matrices[0] = matrices[1];
    matrices[0].row.y = 3;
    matrices[0].flag = k > 3;
    struct matrix big = matrices[2];
    big.m[1][k] = 2.0f;
    matrices[3] = big;
    aligned_member am = {1, 2};
    out[7] = am.i;
    local int shared[64] __attribute__((aligned(16)));
    local plain shared_plain;
    local float3 *lp = (local float3 *)shared;
    shared[k] = k;
    shared_plain.a = 3;
    scratch[k] = shared[0] + shared_plain.a;
    lp[1] = (float3)(1, 2, 3);
    by_pointer(&q, scratch, table, (global float *)out);
    out[8] = q.a;
    out[9] = (int)(table[k] + matrix2[1][k] + text[k] + text_pointer[k] + *inside + pointers.p[1] + pointers.s[0]);
    out[10] = words[1][k] + vectors[k].y + flags[k] + threes[1].z + colors[2] + computed;
    out[11] = "literal"[k];
}

kernel void initialisers(global int *out, int k)
{
    int zeros[16] = {0};
    int some[8] = {1, 2, 3};
    int dynamic[4] = {k, k + 1, out[0], 4};
    int designated[8] = {[2] = k, [5] = 6, 7};
    float big[100] = {1.0f, 2.0f, [50] = 3.0f, [99] = 4.0f};
    char string[8] = "abc";
    plain list[2] = {{1, (float4)(1.0f), 2}, {k}};
    int grid[2][2] = {{1, k}, {3, 4}};
    struct { int a; struct { int b, c; } d; int e[2]; } deep = {1, {k, 3}, {4, k}};
    float4 vector = (float4)(k, 1, 2, 3);
    union { int i; float f; } un = {.f = 2.0f};
    union { int i; float f; } dyn = {k};
    const float constants[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    int *pointers[2] = {&zeros[1], dynamic};
    bool flags[3] = {k, 1, 0};
    plain *compound = &(plain){.a = k, .c = 4};
    out[0] = zeros[k] + some[k] + dynamic[k] + designated[k] + big[k] + string[k] + list[k].a + grid[k][0];
    out[1] = deep.d.b + deep.e[1] + vector.y + un.i + dyn.i + constants[k] + pointers[k][0] + flags[k] + compound->a;
    out[2] = ((int[]){1, 2, 3})[k];
    out[3] = (int)((float2){1.0f, 2.0f}).y;
}

kernel void pointers_(global int *g, local int *l, constant int *c, int k, global ulong *u)
{
    global int *p = g + k;
    p++;
    --p;
    p += 3;
    p -= k;
    *p++ = *(g + 1);
    p[-1] = k[g];
    g[0] = p - g;
    g[1] = p > g;
    g[2] = p == 0;
    g[3] = !p;
    g[4] = p && l;
    u[0] = (ulong)p;
    u[1] = (uint)(size_t)l;
    global char *bytes = (global char *)p;
    bytes[3] = 'a';
    global float4 *f = (global float4 *)(bytes + 16);
    *f = (float4)(1.0f);
    global void *v = f;
    *(global short *)v = 3;
    p = (global int *)u[2];
    *p = 3;
    int array[4][3];
    int (*row)[3] = array + 1;
    row[1][2] = 5;
    int *flat = &array[0][0];
    g[5] = flat[11] + *(*(array + 3) + 2);
    int **pp = &flat;
    (*pp)[1] = 7;
    volatile global int *vol = g;
    *vol = *vol + 1;
    g[6] = c[k] + l[k];
    p = k ? g : g + 1;
    *p = k ? 1 : 2;
}
