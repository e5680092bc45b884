/* The Mandelbrot set with smooth colouring; one pixel a work-item, RGB bytes out. */
static float3 palette(float t)
{
    return 0.5f + 0.5f * cos(6.2831853f * (t + (float3)(0.0f, 0.33f, 0.67f)));
}

__kernel void mandelbrot(__global uchar *picture, int width, int height, float2 centre, float scale, int limit)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float2 c = centre + scale * ((float2)(x, y) - 0.5f * (float2)(width, height)) / (float)height;
    float2 z = 0.0f;
    int i = 0;
    while (i < limit && dot(z, z) < 256.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        i++;
    }
    float3 colour = 0.0f;
    if (i < limit)
        colour = palette(0.02f * ((float)i + 1.0f - log2(0.5f * log2(dot(z, z)))));
    vstore3(convert_uchar3_sat_rte(255.0f * colour), y * width + x, picture);
}
