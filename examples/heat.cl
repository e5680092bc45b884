/* The heat equation on one rank's strip of the grid: rows of full width, with cold walls left and right. */

/* What a cell becomes in one step. The step is half of the longest stable one, 1/4. Both factors are powers of two, whose
 * products are exact, so that the result does not depend on whether the compiler fuses a product and a sum. */
static float after(float here, float left, float right, float above, float below)
{
    return here + 0.125f * (above + below + (left + right) - 4.0f * here);
}

/* The strip's first row (get_global_id(1) == 0) and its last one. Their outer neighbours are `received`, a row from above
 * and one from below; what the neighbouring ranks need is kept in `sent`, in the same order. */
kernel void step_border(global const float *old, global float *new, global const float *received, global float *sent,
                        uint rows)
{
    uint x = get_global_id(0), side = get_global_size(0), last = get_global_id(1);
    uint at = last * (rows - 1) * side + x;
    float left = x > 0 ? old[at - 1] : 0.0f, right = x < side - 1 ? old[at + 1] : 0.0f;
    float above = last ? old[at - side] : received[x], below = last ? received[side + x] : old[at + side];
    float result = after(old[at], left, right, above, below);
    new[at] = result;
    sent[last * side + x] = result;
}

/* All rows between these two. */
kernel void step_inner(global const float *old, global float *new)
{
    uint x = get_global_id(0), side = get_global_size(0), at = (get_global_id(1) + 1) * side + x;
    float left = x > 0 ? old[at - 1] : 0.0f, right = x < side - 1 ? old[at + 1] : 0.0f;
    new[at] = after(old[at], left, right, old[at - side], old[at + side]);
}
