// Blocks of images' bytes (cl_intel_subgroups): a row of an image as bytes in memory, which the work-items of a sub-group share out.
//
// Texels come as colours, so their bytes are made of those again. That is exact for formats whose components have 8, 16 or 32 bits
// of their own; OpenCL C 3.0, 8.3.1 bounds the conversions so. Others (packed words, sRGB, YUV) have no bytes here, and give 0.

#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

// Types are counted from CL_SNORM_INT8, orders from CL_R.
#define T_SNORM8  0u
#define T_SNORM16 1u
#define T_UNORM8  2u
#define T_UNORM16 3u
#define T_HALF    13u

static int component_bytes(uint type)
{
    if (type > 14u || (type >= 4u && type <= 6u))
        return 0;
    return 0x485u >> type & 1u ? 1 : 0x290au >> type & 1u ? 2 : 4;
}

static int components(uint order)
{
    return 0x703u >> (order & 31u) & 1u ? 1 : 0x80cu >> (order & 31u) & 1u ? 2 : 4;
}

static bool is_integer(uint type)
{
    return type >= 7u && type <= 12u;
}

static float4 to_memory_f(float4 c, uint order)
{
    return order == 1u                   ? c.wxyz
           : order == 3u                 ? c.xwyz
           : order == 6u                 ? c.zyxw
           : order == 7u                 ? c.wxyz
           : order == 19u                ? c.wzyx
                                         : c;
}

static float4 to_colour_f(float4 m, uint order)
{
    return order == 1u || order == 7u ? m.yzwx : order == 3u ? m.xzwy : order == 6u ? m.zyxw : order == 19u ? m.wzyx : m;
}

// Through memory, for devices that compute no halfs.
static uint bits_of_half(float f)
{
    ushort bits;
    vstore_half_rte(f, 0, (__private half *)&bits);
    return bits;
}

static float half_of_bits(ushort bits)
{
    return vload_half(0, (__private half *)&bits);
}

static uint bits_of(float f, uint type)
{
    if (type == T_UNORM8 || type == T_UNORM16)
        return (uint)rint(f * (type == T_UNORM8 ? 255.0f : 65535.0f));
    if (type == T_SNORM8 || type == T_SNORM16)
        return (uint)(int)rint(f * (type == T_SNORM8 ? 127.0f : 32767.0f));
    return type == T_HALF ? bits_of_half(f) : as_uint(f);
}

// Products where quotients were exact: the device makes of either the number that is nearest, and that is the same.
static float float_of(uint bits, uint type)
{
    if (type == T_UNORM8 || type == T_UNORM16)
        return (float)bits * (type == T_UNORM8 ? 1.0f / 255.0f : 1.0f / 65535.0f);
    if (type == T_SNORM8)
        return (float)as_char((uchar)bits) * (1.0f / 127.0f);
    if (type == T_SNORM16)
        return (float)as_short((ushort)bits) * (1.0f / 32767.0f);
    return type == T_HALF ? half_of_bits((ushort)bits) : as_float(bits);
}

// Components as numbers to bytes, and back. Four components of 32 bits are the most.
static uint4 pack_texel(uint4 number, int bytes, int count)
{
    if (count < 4)
        number.zw = (uint2)(0, 0);
    if (count < 2)
        number.y = 0;
    if (bytes == 4)
        return number;
    if (bytes == 2)
        return (uint4)((number.x & 0xffff) | number.y << 16, (number.z & 0xffff) | number.w << 16, 0, 0);
    return (uint4)((number.x & 0xff) | (number.y & 0xff) << 8 | (number.z & 0xff) << 16 | number.w << 24, 0, 0, 0);
}

static uint4 unpack_texel(uint4 word, int bytes)
{
    if (bytes == 4)
        return word;
    if (bytes == 2)
        return (uint4)(word.x & 0xffff, word.x >> 16, word.y & 0xffff, word.y >> 16);
    return (uint4)(word.x & 0xff, word.x >> 8 & 0xff, word.x >> 16 & 0xff, word.x >> 24);
}

static uint word_of(uint4 words, int index)
{
    return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}

// Outside, the edge's texels.
static uint4 texel_words(read_only image2d_t image, int x, int y)
{
    uint type = get_image_channel_data_type(image) - 0x10d0, order = get_image_channel_order(image) - 0x10b0;
    int2 at = (int2)(clamp(x, 0, get_image_width(image) - 1), clamp(y, 0, get_image_height(image) - 1));
    uint4 number;
    if (is_integer(type)) {
        int4 texel = read_imagei(image, at);
        number = as_uint4(to_memory_f(as_float4(texel), order));
    } else {
        float4 texel = to_memory_f(read_imagef(image, at), order);
        number = (uint4)(bits_of(texel.x, type), bits_of(texel.y, type), bits_of(texel.z, type), bits_of(texel.w, type));
    }
    return pack_texel(number, component_bytes(type), components(order));
}

// bytes: 1, 2 or 4, from column x of bytes.
uint __pumice_block_read(read_only image2d_t image, int x, int y, int bytes)
{
    uint type = get_image_channel_data_type(image) - 0x10d0, order = get_image_channel_order(image) - 0x10b0;
    int size = component_bytes(type) * components(order);
    uint result = 0;
    if (size == 0)
        return 0;
    for (int got = 0; got < bytes; got += size) {
        int at = x + got, texel = (int)floor((float)at / (float)size), inside = at - texel * size;
        uint4 words = texel_words(image, texel, y);
        result |= word_of(words, inside / 4) >> (8 * (inside & 3)) << (8 * got);
    }
    return bytes == 4 ? result : result & ((1u << (8 * bytes)) - 1);
}

static void store_texel(write_only image2d_t image, int x, int y, uint4 words)
{
    uint type = get_image_channel_data_type(image) - 0x10d0, order = get_image_channel_order(image) - 0x10b0;
    if (x < 0 || y < 0 || x >= get_image_width(image) || y >= get_image_height(image))
        return;
    uint4 number = unpack_texel(words, component_bytes(type));
    if (is_integer(type)) {
        // of signed numbers the sign
        if (type == 7u)
            number = as_uint4(convert_int4(as_char4(convert_uchar4(number))));
        if (type == 8u)
            number = as_uint4(convert_int4(as_short4(convert_ushort4(number))));
        write_imagei(image, (int2)(x, y), as_int4(to_colour_f(as_float4(number), order)));
    } else {
        float4 memory = (float4)(float_of(number.x, type), float_of(number.y, type), float_of(number.z, type),
                                 float_of(number.w, type));
        write_imagef(image, (int2)(x, y), to_colour_f(memory, order));
    }
}

// bytes: 1, 2, 4 or 8, which each work-item has in low and high. Where a texel is more than these, the items that have its parts
// bring them together, and the first of them writes.
void __pumice_block_write(write_only image2d_t image, int x, int y, int bytes, uint low, uint high)
{
    uint type = get_image_channel_data_type(image) - 0x10d0, order = get_image_channel_order(image) - 0x10b0;
    int size = component_bytes(type) * components(order);
    uint self = get_sub_group_local_id();
    if (size == 0)
        return;
    if (size <= bytes) {
        for (int done = 0; done < bytes; done += size) {
            uint first = (done < 4 ? low : high) >> (8 * (done & 3));
            store_texel(image, (x + done) / size, y, (uint4)(first, high, 0, 0));
        }
        return;
    }
    uint4 words = (uint4)(0, 0, 0, 0);
    int items = size / bytes;
    if (items > (int)get_max_sub_group_size()) // nobody has such a texel
        return;
    for (int i = 0; i < items; i++) {
        uint a = sub_group_shuffle(low, self + i), b = sub_group_shuffle(high, self + i);
        int at = i * bytes;
        uint part = bytes >= 4 ? a : a << (8 * (at & 3));
        if (at / 4 == 0)
            words.x |= part;
        if (at / 4 == 1)
            words.y |= part;
        if (at / 4 == 2)
            words.z |= part;
        if (at / 4 == 3)
            words.w |= part;
        if (bytes == 8 && i == 0)
            words.y = b;
        if (bytes == 8 && i == 1)
            words.w = b;
    }
    if (self % items == 0)
        store_texel(image, x / size, y, words);
}
