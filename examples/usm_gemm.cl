// One product for each slice of the range, found through a table of pointers.
struct product {
    global const float *a, *b;
    global float *c;
    int n, padding;
};

kernel void gemm(global const struct product *table)
{
    struct product p = table[get_global_id(2)];
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= p.n || y >= p.n)
        return;
    float sum = 0;
    for (int k = 0; k < p.n; k++)
        sum += p.a[y * p.n + k] * p.b[k * p.n + x];
    p.c[y * p.n + x] = sum;
}
