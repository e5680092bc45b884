// Levels of detail of mip-mapped images (cl_khr_mipmap_image, cl_khr_mipmap_image_writes), behind image.cl, whose way of choosing
// texels this is at each level. A level is found as Vulkan 1.3, 16.7 (Level-of-Detail Operation) says, which is OpenGL's way.
//
// Bodies are __pumice_sample_level_<image>_<texel>_float, with the level behind the coordinate, and
// __pumice_sample_gradients_<image>_<texel>_float, with the two gradients there; __pumice_write_level_<image>_<texel>.

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable

#define MIP_LINEAR 0x40u

// The sampler's range of levels lies in its high bits (clc_sampler_levels()).
static float clamp_level(float level, uint sampler, int levels)
{
    float low = (float)(sampler >> 8 & 0xfffu) * 0x1p-8f, high = (float)(0xfffu - (sampler >> 20)) * 0x1p-8f;
    level = fmax(fmin(level, high), low);
    return fmax(fmin(level, (float)(levels - 1)), 0.0f);
}

static int nearest_level(float level)
{
    return (int)ceil(level + 0.5f) - 1;
}

static int level_size(int size, int level)
{
    return max(size >> level, 1);
}

static float level_of_gradients(float ax, float ay, float az, float bx, float by, float bz)
{
    return 0.5f * native_log2(fmax(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz));
}

#define LAYER_PARAMETER , int layer
#define LAYER           , layer
#define W_PARAMETER     , float w
#define W_LAYER         , layer_of_float(w, LAYERS(image))

// ---- a texel of a level, or the border ----

#define LEVEL_TEXEL_1D(name, suffix, type, image_type, fetch, border, layer_parameter, coordinate)                     \
    static type level_texel_##name##_##suffix(read_only image_type image, int level, uint sampler,                     \
                                              int i layer_parameter)                                                   \
    {                                                                                                                  \
        int w = level_size(get_image_width(image), level), x = address(i, w, sampler);                                 \
        type texel = fetch(image, coordinate, level), outside = border(image);                                         \
        return is_border(i, w, sampler) ? outside : texel;                                                             \
    }

#define LEVEL_TEXEL_2D(name, suffix, type, image_type, fetch, border, layer_parameter, coordinate)                     \
    static type level_texel_##name##_##suffix(read_only image_type image, int level, uint sampler, int i,              \
                                              int j layer_parameter)                                                   \
    {                                                                                                                  \
        int w = level_size(get_image_width(image), level), h = level_size(get_image_height(image), level);             \
        int x = address(i, w, sampler), y = address(j, h, sampler);                                                    \
        type texel = fetch(image, coordinate, level), outside = border(image);                                         \
        return is_border(i, w, sampler) | is_border(j, h, sampler) ? outside : texel;                                  \
    }

#define LEVEL_TEXEL_3D(suffix, type, fetch, border)                                                                    \
    static type level_texel_3d_##suffix(read_only image3d_t image, int level, uint sampler, int i, int j, int k)       \
    {                                                                                                                  \
        int w = level_size(get_image_width(image), level), h = level_size(get_image_height(image), level);             \
        int d = level_size(get_image_depth(image), level);                                                             \
        int4 at = (int4)(address(i, w, sampler), address(j, h, sampler), address(k, d, sampler), 0);                   \
        type texel = fetch(image, at, level), outside = border(image);                                                 \
        return is_border(i, w, sampler) | is_border(j, h, sampler) | is_border(k, d, sampler) ? outside : texel;       \
    }

// ---- a level, filtered; texels of integers have no linear filter ----

#define LEVEL_NEAREST_1D(name, suffix, type, image_type, layer_parameter, pass_layer)                                  \
    static type level_nearest_##name##_##suffix(read_only image_type image, uint sampler, int level,                   \
                                                float x layer_parameter)                                               \
    {                                                                                                                  \
        int i = nearest(x, level_size(get_image_width(image), level), sampler);                                        \
        return level_texel_##name##_##suffix(image, level, sampler, i pass_layer);                                     \
    }

#define LEVEL_FILTER_1D(name, image_type, layer_parameter, pass_layer)                                                 \
    static float4 level_##name##_f(read_only image_type image, uint sampler, int level, float x layer_parameter)       \
    {                                                                                                                  \
        if (!(sampler & LINEAR))                                                                                       \
            return level_nearest_##name##_f(image, sampler, level, x pass_layer);                                      \
        float u = unnormalised(x, level_size(get_image_width(image), level), sampler) - 0.5f, a = u - floor(u);        \
        int i = (int)floor(u);                                                                                         \
        return (1.0f - a) * level_texel_##name##_f(image, level, sampler, i pass_layer) +                              \
               a * level_texel_##name##_f(image, level, sampler, i + 1 pass_layer);                                    \
    }

#define LEVEL_NEAREST_2D(name, suffix, type, image_type, layer_parameter, pass_layer)                                  \
    static type level_nearest_##name##_##suffix(read_only image_type image, uint sampler, int level, float x,          \
                                                float y layer_parameter)                                               \
    {                                                                                                                  \
        int i = nearest(x, level_size(get_image_width(image), level), sampler);                                        \
        int j = nearest(y, level_size(get_image_height(image), level), sampler);                                       \
        return level_texel_##name##_##suffix(image, level, sampler, i, j pass_layer);                                  \
    }

#define LEVEL_FILTER_2D(name, type, image_type, layer_parameter, pass_layer)                                           \
    static type level_##name##_f(read_only image_type image, uint sampler, int level, float x,                         \
                                 float y layer_parameter)                                                              \
    {                                                                                                                  \
        if (!(sampler & LINEAR))                                                                                       \
            return level_nearest_##name##_f(image, sampler, level, x, y pass_layer);                                   \
        float u = unnormalised(x, level_size(get_image_width(image), level), sampler) - 0.5f, a = u - floor(u);        \
        float v = unnormalised(y, level_size(get_image_height(image), level), sampler) - 0.5f, b = v - floor(v);       \
        int i = (int)floor(u), j = (int)floor(v);                                                                      \
        return (1.0f - a) * (1.0f - b) * level_texel_##name##_f(image, level, sampler, i, j pass_layer) +              \
               a * (1.0f - b) * level_texel_##name##_f(image, level, sampler, i + 1, j pass_layer) +                   \
               (1.0f - a) * b * level_texel_##name##_f(image, level, sampler, i, j + 1 pass_layer) +                   \
               a * b * level_texel_##name##_f(image, level, sampler, i + 1, j + 1 pass_layer);                         \
    }

LEVEL_TEXEL_1D(1d, f, float4, image1d_t, __pumice_fetchf, BORDER_F, , x)
LEVEL_TEXEL_1D(1d, i, int4, image1d_t, __pumice_fetchi, BORDER_I, , x)
LEVEL_TEXEL_1D(1d_array, f, float4, image1d_array_t, __pumice_fetchf, BORDER_F, LAYER_PARAMETER, (int2)(x, layer))
LEVEL_TEXEL_1D(1d_array, i, int4, image1d_array_t, __pumice_fetchi, BORDER_I, LAYER_PARAMETER, (int2)(x, layer))
LEVEL_TEXEL_2D(2d, f, float4, image2d_t, __pumice_fetchf, BORDER_F, , (int2)(x, y))
LEVEL_TEXEL_2D(2d, i, int4, image2d_t, __pumice_fetchi, BORDER_I, , (int2)(x, y))
LEVEL_TEXEL_2D(2d_depth, f, float, image2d_depth_t, __pumice_fetchf, BORDER_D, , (int2)(x, y))
LEVEL_TEXEL_2D(2d_array, f, float4, image2d_array_t, __pumice_fetchf, BORDER_F, LAYER_PARAMETER, (int4)(x, y, layer, 0))
LEVEL_TEXEL_2D(2d_array, i, int4, image2d_array_t, __pumice_fetchi, BORDER_I, LAYER_PARAMETER, (int4)(x, y, layer, 0))
LEVEL_TEXEL_2D(2d_array_depth, f, float, image2d_array_depth_t, __pumice_fetchf, BORDER_D, LAYER_PARAMETER,
               (int4)(x, y, layer, 0))
LEVEL_TEXEL_3D(f, float4, __pumice_fetchf, BORDER_F)
LEVEL_TEXEL_3D(i, int4, __pumice_fetchi, BORDER_I)

LEVEL_NEAREST_1D(1d, f, float4, image1d_t, , )
LEVEL_NEAREST_1D(1d, i, int4, image1d_t, , )
LEVEL_NEAREST_1D(1d_array, f, float4, image1d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_NEAREST_1D(1d_array, i, int4, image1d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_FILTER_1D(1d, image1d_t, , )
LEVEL_FILTER_1D(1d_array, image1d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_NEAREST_2D(2d, f, float4, image2d_t, , )
LEVEL_NEAREST_2D(2d, i, int4, image2d_t, , )
LEVEL_NEAREST_2D(2d_depth, f, float, image2d_depth_t, , )
LEVEL_NEAREST_2D(2d_array, f, float4, image2d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_NEAREST_2D(2d_array, i, int4, image2d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_NEAREST_2D(2d_array_depth, f, float, image2d_array_depth_t, LAYER_PARAMETER, LAYER)
LEVEL_FILTER_2D(2d, float4, image2d_t, , )
LEVEL_FILTER_2D(2d_depth, float, image2d_depth_t, , )
LEVEL_FILTER_2D(2d_array, float4, image2d_array_t, LAYER_PARAMETER, LAYER)
LEVEL_FILTER_2D(2d_array_depth, float, image2d_array_depth_t, LAYER_PARAMETER, LAYER)

#define LEVEL_NEAREST_3D(suffix, type)                                                                                 \
    static type level_nearest_3d_##suffix(read_only image3d_t image, uint sampler, int level, float x, float y,        \
                                          float z)                                                                     \
    {                                                                                                                  \
        int i = nearest(x, level_size(get_image_width(image), level), sampler);                                        \
        int j = nearest(y, level_size(get_image_height(image), level), sampler);                                       \
        int k = nearest(z, level_size(get_image_depth(image), level), sampler);                                        \
        return level_texel_3d_##suffix(image, level, sampler, i, j, k);                                                \
    }

LEVEL_NEAREST_3D(f, float4)
LEVEL_NEAREST_3D(i, int4)

static float4 level_3d_f(read_only image3d_t image, uint sampler, int level, float x, float y, float z)
{
    if (!(sampler & LINEAR))
        return level_nearest_3d_f(image, sampler, level, x, y, z);
    float u = unnormalised(x, level_size(get_image_width(image), level), sampler) - 0.5f, a = u - floor(u);
    float v = unnormalised(y, level_size(get_image_height(image), level), sampler) - 0.5f, b = v - floor(v);
    float w = unnormalised(z, level_size(get_image_depth(image), level), sampler) - 0.5f, c = w - floor(w);
    int i = (int)floor(u), j = (int)floor(v), k = (int)floor(w);
    return (1.0f - a) * (1.0f - b) * (1.0f - c) * level_texel_3d_f(image, level, sampler, i, j, k) +
           a * (1.0f - b) * (1.0f - c) * level_texel_3d_f(image, level, sampler, i + 1, j, k) +
           (1.0f - a) * b * (1.0f - c) * level_texel_3d_f(image, level, sampler, i, j + 1, k) +
           a * b * (1.0f - c) * level_texel_3d_f(image, level, sampler, i + 1, j + 1, k) +
           (1.0f - a) * (1.0f - b) * c * level_texel_3d_f(image, level, sampler, i, j, k + 1) +
           a * (1.0f - b) * c * level_texel_3d_f(image, level, sampler, i + 1, j, k + 1) +
           (1.0f - a) * b * c * level_texel_3d_f(image, level, sampler, i, j + 1, k + 1) +
           a * b * c * level_texel_3d_f(image, level, sampler, i + 1, j + 1, k + 1);
}

// ---- the bodies ----

#define BETWEEN_LEVELS(type, filter, image, sampler, level, ...)                                                       \
    level = clamp_level(level, sampler, get_image_num_mip_levels(image));                                              \
    float fraction = level - floor(level);                                                                             \
    bool blends = (sampler & MIP_LINEAR) && fraction > 0.0f;                                                           \
    int first = sampler & MIP_LINEAR ? (int)floor(level) : nearest_level(level);                                       \
    type texel = filter(image, sampler, first, __VA_ARGS__);                                                           \
    if (blends)                                                                                                        \
        texel = (1.0f - fraction) * texel + fraction * filter(image, sampler, first + 1, __VA_ARGS__);

#define FLOATS_1D(name, image_type, w_parameter, w_layer, pass_w)                                                      \
    float4 __pumice_sample_level_##name##_f_float(read_only image_type image, uint sampler, float x w_parameter,       \
                                                  float level)                                                         \
    {                                                                                                                  \
        BETWEEN_LEVELS(float4, level_##name##_f, image, sampler, level, x w_layer)                                     \
        return texel;                                                                                                  \
    }                                                                                                                  \
    float4 __pumice_sample_gradients_##name##_f_float(read_only image_type image, uint sampler, float x w_parameter,   \
                                                      float ax, float bx)                                              \
    {                                                                                                                  \
        float width = (float)get_image_width(image);                                                                   \
        float level = level_of_gradients(ax * width, 0.0f, 0.0f, bx * width, 0.0f, 0.0f);                              \
        return __pumice_sample_level_##name##_f_float(image, sampler, x pass_w, level);                                \
    }

#define INTEGERS_1D(name, image_type, w_parameter, w_layer, pass_w)                                                    \
    int4 __pumice_sample_level_##name##_i_float(read_only image_type image, uint sampler, float x w_parameter,         \
                                                float level)                                                           \
    {                                                                                                                  \
        int at = nearest_level(clamp_level(level, sampler, get_image_num_mip_levels(image)));                          \
        return level_nearest_##name##_i(image, sampler, at, x w_layer);                                                \
    }                                                                                                                  \
    int4 __pumice_sample_gradients_##name##_i_float(read_only image_type image, uint sampler, float x w_parameter,     \
                                                    float ax, float bx)                                                \
    {                                                                                                                  \
        float width = (float)get_image_width(image);                                                                   \
        float level = level_of_gradients(ax * width, 0.0f, 0.0f, bx * width, 0.0f, 0.0f);                              \
        return __pumice_sample_level_##name##_i_float(image, sampler, x pass_w, level);                                \
    }

#define PASS_W , w

FLOATS_1D(1d, image1d_t, , , )
FLOATS_1D(1d_array, image1d_array_t, W_PARAMETER, W_LAYER, PASS_W)
INTEGERS_1D(1d, image1d_t, , , )
INTEGERS_1D(1d_array, image1d_array_t, W_PARAMETER, W_LAYER, PASS_W)

#define FLOATS_2D(name, type, image_type, finish, w_parameter, w_layer, pass_w)                                        \
    float4 __pumice_sample_level_##name##_f_float(read_only image_type image, uint sampler, float x,                   \
                                                  float y w_parameter, float level)                                    \
    {                                                                                                                  \
        BETWEEN_LEVELS(type, level_##name##_f, image, sampler, level, x, y w_layer)                                    \
        return finish(texel);                                                                                          \
    }                                                                                                                  \
    float4 __pumice_sample_gradients_##name##_f_float(read_only image_type image, uint sampler, float x,               \
                                                      float y w_parameter, float ax, float ay, float bx, float by)     \
    {                                                                                                                  \
        float width = (float)get_image_width(image), height = (float)get_image_height(image);                          \
        float level = level_of_gradients(ax * width, ay * height, 0.0f, bx * width, by * height, 0.0f);                \
        return __pumice_sample_level_##name##_f_float(image, sampler, x, y pass_w, level);                             \
    }

#define INTEGERS_2D(name, image_type, w_parameter, w_layer, pass_w)                                                    \
    int4 __pumice_sample_level_##name##_i_float(read_only image_type image, uint sampler, float x,                     \
                                                float y w_parameter, float level)                                      \
    {                                                                                                                  \
        int at = nearest_level(clamp_level(level, sampler, get_image_num_mip_levels(image)));                          \
        return level_nearest_##name##_i(image, sampler, at, x, y w_layer);                                             \
    }                                                                                                                  \
    int4 __pumice_sample_gradients_##name##_i_float(read_only image_type image, uint sampler, float x,                 \
                                                    float y w_parameter, float ax, float ay, float bx, float by)       \
    {                                                                                                                  \
        float width = (float)get_image_width(image), height = (float)get_image_height(image);                          \
        float level = level_of_gradients(ax * width, ay * height, 0.0f, bx * width, by * height, 0.0f);                \
        return __pumice_sample_level_##name##_i_float(image, sampler, x, y pass_w, level);                             \
    }

FLOATS_2D(2d, float4, image2d_t, FOUR, , , )
FLOATS_2D(2d_depth, float, image2d_depth_t, FIRST, , , )
FLOATS_2D(2d_array, float4, image2d_array_t, FOUR, W_PARAMETER, W_LAYER, PASS_W)
FLOATS_2D(2d_array_depth, float, image2d_array_depth_t, FIRST, W_PARAMETER, W_LAYER, PASS_W)
INTEGERS_2D(2d, image2d_t, , , )
INTEGERS_2D(2d_array, image2d_array_t, W_PARAMETER, W_LAYER, PASS_W)

float4 __pumice_sample_level_3d_f_float(read_only image3d_t image, uint sampler, float x, float y, float z, float level)
{
    BETWEEN_LEVELS(float4, level_3d_f, image, sampler, level, x, y, z)
    return texel;
}

int4 __pumice_sample_level_3d_i_float(read_only image3d_t image, uint sampler, float x, float y, float z, float level)
{
    int at = nearest_level(clamp_level(level, sampler, get_image_num_mip_levels(image)));
    return level_nearest_3d_i(image, sampler, at, x, y, z);
}

#define GRADIENTS_3D(suffix, type)                                                                                     \
    type __pumice_sample_gradients_3d_##suffix##_float(read_only image3d_t image, uint sampler, float x, float y,      \
                                                       float z, float ax, float ay, float az, float bx, float by,      \
                                                       float bz)                                                       \
    {                                                                                                                  \
        float w = (float)get_image_width(image), h = (float)get_image_height(image), d = (float)get_image_depth(image); \
        float level = level_of_gradients(ax * w, ay * h, az * d, bx * w, by * h, bz * d);                              \
        return __pumice_sample_level_3d_##suffix##_float(image, sampler, x, y, z, level);                              \
    }

GRADIENTS_3D(f, float4)
GRADIENTS_3D(i, int4)

// ---- writes: a descriptor is of one level, and which it is must be known ----

#define AT_LEVEL(write, image, coordinate, number, texel)                                                              \
    if (level == number)                                                                                               \
        write(image, coordinate, number, texel);

#define WRITE_LEVEL(name, suffix, type, image_type, write, coordinate_type)                                            \
    void __pumice_write_level_##name##_##suffix(write_only image_type image, coordinate_type coordinate, int level,    \
                                                type texel)                                                            \
    {                                                                                                                  \
        AT_LEVEL(write, image, coordinate, 0, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 1, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 2, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 3, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 4, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 5, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 6, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 7, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 8, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 9, texel)                                                                   \
        AT_LEVEL(write, image, coordinate, 10, texel)                                                                  \
        AT_LEVEL(write, image, coordinate, 11, texel)                                                                  \
        AT_LEVEL(write, image, coordinate, 12, texel)                                                                  \
        AT_LEVEL(write, image, coordinate, 13, texel)                                                                  \
        AT_LEVEL(write, image, coordinate, 14, texel)                                                                  \
        AT_LEVEL(write, image, coordinate, 15, texel)                                                                  \
    }

WRITE_LEVEL(1d, f, float4, image1d_t, write_imagef, int)
WRITE_LEVEL(1d, i, int4, image1d_t, write_imagei, int)
WRITE_LEVEL(1d_array, f, float4, image1d_array_t, write_imagef, int2)
WRITE_LEVEL(1d_array, i, int4, image1d_array_t, write_imagei, int2)
WRITE_LEVEL(2d, f, float4, image2d_t, write_imagef, int2)
WRITE_LEVEL(2d, i, int4, image2d_t, write_imagei, int2)
WRITE_LEVEL(2d_array, f, float4, image2d_array_t, write_imagef, int4)
WRITE_LEVEL(2d_array, i, int4, image2d_array_t, write_imagei, int4)
WRITE_LEVEL(3d, f, float4, image3d_t, write_imagef, int4)
WRITE_LEVEL(3d, i, int4, image3d_t, write_imagei, int4)
