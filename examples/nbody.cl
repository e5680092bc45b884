/* One leapfrog step of gravitating bodies: position.w is the mass. */
__kernel void advance(__global const float4 *restrict old_position, __global float4 *restrict new_position, __global float4 *velocity,
                   uint count, float time_step, float softening2, __local float4 *tile)
{
    uint i = get_global_id(0), lane = get_local_id(0), lanes = get_local_size(0);
    float4 mine = old_position[min(i, count - 1)];
    float3 acceleration = (float3)(0.0f);
    for (uint start = 0; start < count; start += lanes) {
        tile[lane] = start + lane < count ? old_position[start + lane] : (float4)(0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < lanes; k++) {
            float4 other = tile[k];
            float3 away = other.xyz - mine.xyz;
            float distance2 = dot(away, away) + softening2;
            float inverse = rsqrt(distance2);
            acceleration += away * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i >= count)
        return;
    float4 v = velocity[i];
    v.xyz += acceleration * time_step;
    velocity[i] = v;
    new_position[i] = (float4)(mine.xyz + v.xyz * time_step, mine.w);
}
