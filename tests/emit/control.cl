// Every statement.
// expect: OpSwitch
// expect: OpLoopMerge
// expect: Unroll
// expect: DontUnroll
// expect: OpSelectionMerge

int early(int a)
{
    if (a > 3)
        return 1;
    else if (a > 2)
        return 2;
    for (;;) {
        if (a++ > 100)
            return a;
    }
}

int no_return(int a)
{
    if (a)
        return 3;
}

void nothing(void)
{
    return;
    early(3);
}

kernel void loops(global int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    for (int i = 0, j = n; i < j; i++, j--) {
        if (i == 3)
            continue;
        if (j == 7)
            break;
        sum += i * j;
    }
    while (sum > 100)
        sum -= 7;
    while (n && out[n]) {
        n--;
        while (1) {
            if (out[n] == 5)
                break;
            if (out[n] == 6)
                goto done;
            n--;
        }
    }
    do {
        sum++;
        if (sum == 77)
            continue;
        if (sum == 78)
            break;
    } while (sum < n);
    do {
        sum += 3;
    } while (0);
    do {
        if (sum == 4)
            break;
        sum += 3;
    } while (0);
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += out[i];
#pragma unroll 2
    for (int i = 0; i < 4; i++)
        sum += out[i];
    __attribute__((opencl_unroll_hint(1)))
    for (int i = 0; i < 4; i++)
        sum += out[i];
    for (;;) {
        sum += early(sum);
        if (sum > 1000)
            break;
    }
    while (0)
        sum++;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (j == i)
                continue;
            sum += out[i] & out[j];
        }
    }
done:
    nothing();
    out[0] = sum + no_return(sum);
}

kernel void switches(global int *out, int a, long l, uchar c)
{
    switch (a) {
    case 0:
        out[0] = 1;
        break;
    case 1:
    case 2:
        out[1] = 2;
    case 3:
        out[2] = 3;
        break;
    default:
        out[3] = 4;
        break;
    case -7:
        out[4] = 5;
    }
    switch (l) {
    case 0x100000000L:
        out[5] = 1;
        break;
    case -1:
        return;
    }
    switch (c) {
    case 'a' ... 'f':
        out[6] = 1;
        break;
    case 128 ... 255:
        out[7] = 1;
    }
    for (int i = 0; i < 10; i++) {
        switch (i & 3) {
        case 0:
            continue;
        case 1:
            break;
        default: {
            int x = out[i];
            if (x)
                break;
            out[i] = 3;
        }
        }
        out[i]++;
    }
    switch (a) {
    default:
        out[8] = 2;
    }
    switch (a)
    case 3:
        out[9] = 3;
    switch (a) {
        int hidden;
    case 1:
        hidden = 3;
        out[10] = hidden;
    }
    switch (a) {
    case 1:
        return;
    default:
        return;
    }
}

kernel void duff(global int *to, global const int *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
    case 7:
            *to++ = *from++;
    case 6:
            *to++ = *from++;
    case 5:
            *to++ = *from++;
    case 4:
            *to++ = *from++;
    case 3:
            *to++ = *from++;
    case 2:
            *to++ = *from++;
    case 1:
            *to++ = *from++;
        } while (--n > 0);
    }
}

kernel void gotos(global int *out, int n)
{
    int i = 0;
again:
    out[i] = i;
    if (++i < n)
        goto again;
    if (n > 4)
        goto inside;
    for (i = 0; i < 4; i++) {
    inside:
        out[i] += 2;
    }
    goto second;
first:
    out[0] = 1;
    return;
second:
    out[1] = 1;
    goto first;
    out[2] = 3;
unused:
    out[3] = 4;
}

kernel void dead(global int *out, int n)
{
    if (n) {
        out[0] = 1;
        return;
        out[1] = 2;
        while (n)
            n--;
    }
    while (1) {
        if (n++ > 4)
            return;
    }
    out[2] = 3;
}

kernel void empty(void) {}
