/* Particles on circles about the middle, the inner ones faster. state: radius, angle at the start, height, brightness.
 * What OpenGL draws: x, y, z and the brightness. */
kernel void move(global const float4 *state, global float4 *drawn, float time)
{
    size_t i = get_global_id(0);
    float4 s = state[i];
    float angle = s.y + time / (0.1f + s.x);
    drawn[i] = (float4)(s.x * cos(angle), s.x * sin(angle) * 0.5f + s.z, s.z, s.w);
}
