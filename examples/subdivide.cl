/* The Mandelbrot set by subdivision (Mariani and Silver): where the whole border of a square is inside the set, so is all
 * of the square. A square whose border is not all alike enqueues its four quarters; a small one computes its pixels. The
 * host launches the first squares and nothing else. */

int iterations(float2 c, int limit)
{
    float2 z = 0;
    int count = 0;
    while (count < limit && z.x * z.x + z.y * z.y < 4.0f) {
        z = (float2)(z.x * z.x - z.y * z.y + c.x, 2.0f * z.x * z.y + c.y);
        count++;
    }
    return count;
}

float2 place(int x, int y, int width)
{
    return (float2)(-2.2f + 3.2f * (float)x / (float)width, -1.6f + 3.2f * (float)y / (float)width);
}

kernel void direct(global int *out, int width, int limit)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = iterations(place(x, y, width), limit);
}

/* The i-th pixel of a square's border, i from 0 to 4 * (size - 1). */
int2 border(int i, int size)
{
    int side = i / (size - 1), along = i % (size - 1);
    if (side == 0)
        return (int2)(along, 0);
    if (side == 1)
        return (int2)(size - 1, along);
    if (side == 2)
        return (int2)(size - 1 - along, size - 1);
    return (int2)(0, size - 1 - along);
}

/* One work-group looks at the border, and its first work-item decides what happens to the square. */
void square(global int *out, global int *stats, int x, int y, int size, int width, int limit, local int *outside)
{
    int item = get_local_id(0), pixels = 4 * (size - 1), some = 0;
    if (item == 0)
        *outside = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < pixels; i += get_local_size(0)) {
        int2 at = border(i, size) + (int2)(x, y);
        some |= iterations(place(at.x, at.y, width), limit) < limit;
    }
    if (some)
        atomic_or(outside, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0)
        return;
    queue_t queue = get_default_queue();
    size_t sizes[2] = {size, size};
    int failed = 0, half_size = size / 2;
    if (!*outside) {
        atomic_add(&stats[1], size * size);
        failed = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(sizes), ^{
            out[(y + get_global_id(1)) * width + x + get_global_id(0)] = limit;
        });
    } else if (size <= 32) {
        failed = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(sizes), ^{
            int px = x + get_global_id(0), py = y + get_global_id(1);
            out[py * width + px] = iterations(place(px, py, width), limit);
        });
    } else {
        for (int i = 0; i < 4; i++) {
            int left = x + (i & 1) * half_size, top = y + (i >> 1) * half_size;
            failed |= enqueue_kernel(
                queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(32, 32),
                ^(local void *word) { square(out, stats, left, top, half_size, width, limit, (local int *)word); },
                (uint)sizeof(int));
        }
    }
    atomic_inc(&stats[0]);
    if (failed)
        atomic_inc(&stats[2]);
}

kernel void subdivide(global int *out, global int *stats, int size, int width, int limit)
{
    local int outside;
    square(out, stats, get_group_id(0) * size, get_group_id(1) * size, size, width, limit, &outside);
}
