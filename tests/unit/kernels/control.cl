/* Every statement: loops, switch with fall-through, goto into the middle, early returns. */
int helper(int a, long b)
{
    if (a > 3)
        return a;
    switch (b + a) {
    case 0:
        a++;
    case 0x100000000L:
        a += 2;
        break;
    default:
        return 7;
    }
    return a * 2;
}

kernel void control(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    for (int j = 0; j < n; j++) {
        if (in[j] < 0)
            continue;
        if (in[j] > 1000)
            break;
        sum += helper(in[j], ((long)in[j] << 32) + get_global_id(0));
    }
    if (i & 1)
        goto middle;
    while (sum < 100) {
        sum *= 3;
    middle:
        sum += 5;
        if (sum == 77)
            goto out;
    }
    do {
        sum--;
    } while (sum > 50);
out:
    out[i] = sum;
}
