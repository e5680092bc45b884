/* Frames of video: luma, and half as large in both directions both chromas (NV12), to red, green and blue. The right of
 * the picture is drawn as a cartoon: few shades, with lines where the luma changes. */

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* ITU-R BT.601, limited range. */
static float3 colour(float luma, float2 chroma)
{
    float y = 1.164384f * (luma - 16.0f / 255.0f), u = chroma.x - 128.0f / 255.0f, v = chroma.y - 128.0f / 255.0f;
    return (float3)(y + 1.596027f * v, y - 0.391762f * u - 0.812968f * v, y + 2.017232f * u);
}

static float at(read_only image2d_t luma, int2 place, int x, int y)
{
    return read_imagef(luma, nearest, place + (int2)(x, y)).x;
}

/* Sobel: how much the luma changes. */
static float edge(read_only image2d_t luma, int2 p)
{
    float x = at(luma, p, 1, -1) + 2.0f * at(luma, p, 1, 0) + at(luma, p, 1, 1) - at(luma, p, -1, -1) -
              2.0f * at(luma, p, -1, 0) - at(luma, p, -1, 1);
    float y = at(luma, p, -1, 1) + 2.0f * at(luma, p, 0, 1) + at(luma, p, 1, 1) - at(luma, p, -1, -1) -
              2.0f * at(luma, p, 0, -1) - at(luma, p, 1, -1);
    return hypot(x, y);
}

kernel void cartoon(read_only image2d_t luma, read_only image2d_t chroma, global uchar *rgb, int first_drawn)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float y = at(luma, p, 0, 0);
    if (p.x >= first_drawn) {
        y = (floor(y * 5.0f) + 0.5f) / 5.0f;
        y = mix(y, 16.0f / 255.0f, smoothstep(0.3f, 0.6f, edge(luma, p)));
    }
    float3 c = colour(y, read_imagef(chroma, nearest, p / 2).xy);
    if (p.x == first_drawn)
        c = (float3)(1.0f);
    vstore3(convert_uchar3_sat_rte(c * 255.0f), p.y * get_global_size(0) + p.x, rgb);
}
