/* The probe of images: whether the device samples packed words and sRGB, and rounds what kernels write, as exactly as
 * OpenCL C 3.0, 8.3, asks; and for which types its linear filter will do.
 *
 * Vulkan 1.3, 3.10 (Fixed-Point Data Conversions) gives the same formulas but leaves open how exactly they are
 * computed; NVIDIA's texture units, for instance, take words of 565 through eight bits. A kernel reads every texel that
 * there is of such a format, or writes ties and what lies next to them. Where the device is off, kernels do the
 * arithmetic (compiler/lower/memory/texels.c).
 *
 * OpenCL C 3.0, 8.2, has formulas for linear filters and no bound. The conformance suite allows 2^-7 of the greatest
 * texel that takes part, and a step of 8 bits for those. GPUs have weights of eight bits, which err by as much of what
 * lies between the least texel and the greatest. So that is allowed here, too, where texels have both signs. */
#include "src/probe/own_kernel.h"
#include "src/probe/probe.h"

#include "base/log.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* VkFormat */
enum {
    R5G6B5_UNORM = 4,
    A1R5G5B5_UNORM = 8,
    R8G8B8A8_UNORM = 37,
    R8G8B8A8_SNORM = 38,
    R8G8B8A8_SRGB = 43,
    A2B10G10R10_UNORM = 64,
    R16_UNORM = 70,
    R16G16B16A16_UNORM = 91,
    R16G16B16A16_SNORM = 92,
    R16G16B16A16_SFLOAT = 97,
    R32G32B32A32_SFLOAT = 109,
};

enum { SIDE = 256, TEXELS = SIDE * SIDE, GROUP = 64, MAX_BINDINGS = 3 };

static const char source[] =
    "constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;"
    "constant sampler_t tiles = CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_TRUE;"
    "kernel void blend(read_only image2d_t image, global float4 *values)"
    "{ uint i = get_global_id(0); float2 at = values[i].xy;"
    "  values[i] = read_imagef(image, edge, at);"
    "  values[i + 65536] = read_imagef(image, tiles, at * (1.0f / 256.0f)); }"
    "kernel void take(read_only image2d_t image, global float4 *values)"
    "{ uint i = get_global_id(0); values[i] = read_imagef(image, (int2)(i & 255, i >> 8)); }"
    "kernel void put(write_only image2d_t image, global const float4 *values)"
    "{ uint i = get_global_id(0); write_imagef(image, (int2)(i & 255, i >> 8), values[i]); }";

struct images {
    struct vkb_device *device;
    struct vkb_queue *queue;
    struct clc_target target;
    struct clc_program *program;
    struct vkb_buffer *values, *texels; /* twice four floats and at most 16 bytes for each texel */
};

/* ---- running ---- */

struct pass {
    struct clc_lowered *lowered;
    struct vkb_shader *shader;
    uint32_t spec_values[CLC_SPEC_COUNT];
};

static bool make_pass(const struct images *p, const char *kernel, bool writes, struct pass *pass)
{
    enum vkb_descriptor_kind kinds[MAX_BINDINGS] = {VKB_DESCRIPTOR_SAMPLED_IMAGE};
    struct clc_lower_options options = {.target = &p->target};
    char *message = NULL;
    bool done = clc_lower(p->program, kernel, &options, &pass->lowered, &message) == CLC_SUCCESS;
    free(message);
    if (!done || pass->lowered->num_bindings > MAX_BINDINGS || pass->lowered->constants.size ||
        pass->lowered->scratch_size)
        return false;
    if (writes)
        kinds[0] = VKB_DESCRIPTOR_STORAGE_IMAGE;
    for (uint32_t i = 1; i < pass->lowered->num_bindings; i++) /* the two filters that blend has */
        kinds[i] = pass->lowered->bindings[i].level == CLC_FILTER_TEXELS ? VKB_DESCRIPTOR_FILTER_TEXELS
                                                                         : VKB_DESCRIPTOR_FILTER_REPEAT;
    for (uint32_t i = CLC_SPEC_LOCAL_SIZE_X; i <= CLC_SPEC_LOCAL_SIZE_Z; i++)
        pass->spec_values[i] = i == CLC_SPEC_LOCAL_SIZE_X ? GROUP : 1;
    pass->spec_values[CLC_SPEC_IMAGES] = pass->lowered->num_bindings > 1 ? CLC_IMAGES_FILTER : 0;
    return vkb_shader_create_with_images(p->device, pass->lowered->words, pass->lowered->num_words,
                                         own_kernel_push_size(pass->lowered), kinds, pass->lowered->num_bindings,
                                         &pass->shader) == VKB_SUCCESS;
}

static void finish_pass(struct pass *pass)
{
    if (pass->shader)
        vkb_shader_release(pass->shader);
    clc_lowered_destroy(pass->lowered);
}

/* word: of a format that neither decodes nor is rounded here. */
static bool run_pass(const struct images *p, const struct pass *pass, struct vkb_image *image, bool writes)
{
    enum { CL_RGBA = 0x10B5, CL_FLOAT = 0x10DE };
    const uint32_t word = clc_image_word(CL_RGBA, CL_FLOAT);
    struct own_launch launch;
    struct vkb_image *const all[MAX_BINDINGS] = {image, image, image};
    struct vkb_shader *shader;
    if (vkb_shader_for_images(pass->shader, all, &shader) != VKB_SUCCESS ||
        !own_launch_init(&launch, pass->lowered, shader, pass->spec_values, 0, TEXELS / GROUP))
        return false;
    own_launch_arg(&launch, 0, &word, sizeof(word));
    own_launch_buffer(&launch, 1, p->values);
    const struct vkb_access accesses[] = {{.buffer = p->values, .reads = true, .writes = true},
                                          {.image = image, .reads = !writes, .writes = writes}};
    launch.dispatch.accesses = accesses;
    launch.dispatch.num_accesses = 2;
    launch.dispatch.images = all;
    const struct vkb_enqueue enqueue = {.queue = p->queue};
    return vkb_cmd_dispatch(&enqueue, &launch.dispatch) == VKB_SUCCESS;
}

static bool run(const struct images *p, const struct pass *pass, const struct vkb_image_info *info, bool writes)
{
    const struct vkb_image_region whole = {.extent = {SIDE, SIDE, 1}, .row_texels = SIDE, .slice_rows = SIDE};
    const struct vkb_enqueue enqueue = {.queue = p->queue};
    struct vkb_image *image;
    if (!vkb_image_supported(p->device, info) || vkb_image_create(p->device, info, &image) != VKB_SUCCESS)
        return false;
    bool done = writes || vkb_cmd_buffer_to_image(&enqueue, p->texels, image, &whole) == VKB_SUCCESS;
    done = done && run_pass(p, pass, image, writes);
    done = done && (!writes || vkb_cmd_image_to_buffer(&enqueue, image, p->texels, &whole) == VKB_SUCCESS);
    done = vkb_queue_wait(p->queue) == VKB_SUCCESS && done;
    vkb_image_release(image);
    return done;
}

static struct vkb_image_info info_of(uint32_t format, uint32_t sampled, uint32_t bytes)
{
    return (struct vkb_image_info){.kind = VKB_IMAGE_2D,
                                   .format = format,
                                   .sampled_format = sampled,
                                   .texel_size = bytes,
                                   .width = SIDE,
                                   .height = SIDE,
                                   .depth = 1,
                                   .layers = 1,
                                   .sampled = true,
                                   .storage = !sampled,
                                   .mapping = {0, 1, 2, 3}};
}

/* ---- reading ---- */

/* OpenCL C 3.0, 8.3.1.1: 1.5 ulp, and exact at both ends. */
static bool is_part(float got, uint32_t bits, uint32_t most)
{
    double right = (double)bits / most;
    if (bits == 0 || bits == most)
        return (double)got == right;
    return fabs((double)got - right) <= 1.5 * ldexp(1.0, ilogb(right) - 23);
}

static bool samples_words(const struct images *p, const struct pass *pass, bool is_565)
{
    const struct vkb_image_info info = info_of(R16_UNORM, is_565 ? R5G6B5_UNORM : A1R5G5B5_UNORM, 2);
    uint16_t *words = vkb_buffer_map(p->texels);
    const float(*values)[4] = vkb_buffer_map(p->values);
    for (uint32_t i = 0; i < TEXELS; i++)
        words[i] = (uint16_t)i;
    if (!run(p, pass, &info, false))
        return false;
    for (uint32_t i = 0; i < TEXELS; i++) {
        uint32_t r = i >> (is_565 ? 11 : 10) & 31, g = i >> 5 & (is_565 ? 63 : 31), b = i & 31;
        if (!is_part(values[i][0], r, 31) || !is_part(values[i][1], g, is_565 ? 63 : 31) ||
            !is_part(values[i][2], b, 31)) {
            log_debug("probe: sampling the packed word 0x%04x gives %g %g %g", i, (double)values[i][0],
                      (double)values[i][1], (double)values[i][2]);
            return false;
        }
    }
    return true;
}

/* OpenCL C 3.0, 8.3.5: converted back, without rounding, within half a step; here with some room. */
static bool is_linear(float got, uint32_t byte)
{
    double c = (double)got, back = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    if (byte == 0 || byte == 255)
        return (double)got == (byte ? 1.0 : 0.0);
    return fabs(back * 255.0 - byte) <= 0.4;
}

static bool samples_srgb(const struct images *p, const struct pass *pass)
{
    const struct vkb_image_info info = info_of(R8G8B8A8_UNORM, R8G8B8A8_SRGB, 4);
    uint8_t(*bytes)[4] = vkb_buffer_map(p->texels);
    const float(*values)[4] = vkb_buffer_map(p->values);
    for (uint32_t i = 0; i < TEXELS; i++)
        memset(bytes[i], (int)(i & 255), 4);
    if (!run(p, pass, &info, false))
        return false;
    for (uint32_t i = 0; i < 256; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            if (c < 3 ? !is_linear(values[i][c], i) : !is_part(values[i][c], i, 255)) {
                log_debug("probe: sampling the sRGB byte %u gives %g", i, (double)values[i][c]);
                return false;
            }
        }
    }
    return true;
}

/* ---- writing ---- */

/* OpenCL C 3.0, 8.3.1.2: rounding to even is preferred; 0.6 off what is not rounded is allowed. Here with some room. */
static bool is_rounded(int32_t got, float value, uint32_t bits, bool is_signed)
{
    double most = (double)((1u << (bits - is_signed)) - 1);
    return fabs(fmin(fmax((double)value, is_signed ? -1.0 : 0.0), 1.0) * most - got) <= 0.55;
}

/* Ties and what lies next to them, for every number that the component can be. */
static float value_at(uint32_t i, uint32_t bits, bool is_signed)
{
    uint32_t most = (1u << (bits - is_signed)) - 1;
    double tie = ((double)(i / 3 % most) + 0.5) / most;
    float value = (float)tie;
    value = i % 3 == 0 ? value : nextafterf(value, i % 3 == 1 ? 0.0f : 1.0f);
    return is_signed && i & 1 ? -value : value;
}

static int32_t component(const uint8_t *texel, uint32_t c, uint32_t bits, bool is_signed)
{
    uint32_t word;
    uint16_t half;
    memcpy(&word, texel, sizeof(word));
    memcpy(&half, texel + 2 * c, sizeof(half));
    if (bits == 10)
        return (int32_t)(word >> 10 * c & 1023);
    if (bits == 16)
        return is_signed ? (int16_t)half : half;
    return is_signed ? (int8_t)texel[c] : texel[c];
}

static bool rounds(const struct images *p, const struct pass *pass, uint32_t format, uint32_t bits, bool is_signed)
{
    uint32_t bytes = bits == 16 ? 8 : 4, components = bits == 10 ? 3 : 4;
    const struct vkb_image_info info = info_of(format, 0, bytes);
    const uint8_t *texels = vkb_buffer_map(p->texels);
    float(*values)[4] = vkb_buffer_map(p->values);
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4; c++)
            values[i][c] = value_at(4 * i + c, bits, is_signed);
    }
    if (!run(p, pass, &info, true))
        return false;
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < components; c++) {
            int32_t got = component(texels + (size_t)i * bytes, c, bits, is_signed);
            if (!is_rounded(got, values[i][c], bits, is_signed)) {
                log_debug("probe: writing %a to %s%u bits gives %d", (double)values[i][c], is_signed ? "signed " : "",
                          bits, got);
                return false;
            }
        }
    }
    return true;
}

/* ---- filters ---- */

static const struct filtered {
    uint32_t types; /* bits of clc_target.filters */
    uint32_t format, sampled_format, bytes;
    bool half, real, eight; /* eight bits, or fewer */
} filtered[] = {
    {1u << 2, R8G8B8A8_UNORM, 0, 4, false, false, true},
    {CLC_FILTERS_SRGB, R8G8B8A8_UNORM, R8G8B8A8_SRGB, 4, false, false, true},
    {1u << 0, R8G8B8A8_SNORM, 0, 4, false, false, true},
    {1u << 3, R16G16B16A16_UNORM, 0, 8, false, false, false},
    {1u << 1, R16G16B16A16_SNORM, 0, 8, false, false, false},
    {1u << 13, R16G16B16A16_SFLOAT, 0, 8, true, false, false},
    {1u << 14, R32G32B32A32_SFLOAT, 0, 16, false, true, false},
    {1u << 6 | 1u << 16 | 1u << 21, A2B10G10R10_UNORM, 0, 4, false, false, false},
    {1u << 4, R16_UNORM, R5G6B5_UNORM, 2, false, false, true},
    {1u << 5, R16_UNORM, A1R5G5B5_UNORM, 2, false, false, true},
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void fill_texels(const struct images *p, const struct filtered *row)
{
    uint8_t *texels = vkb_buffer_map(p->texels);
    uint32_t seed = 1;
    for (size_t at = 0; at < (size_t)TEXELS * row->bytes; at += row->real ? 4 : 2) {
        float value = (float)next_random(&seed) * 0x1p-23f - 1.0f;
        uint16_t bits = row->half ? half_from_double((double)value) : (uint16_t)next_random(&seed);
        if (row->real)
            memcpy(texels + at, &value, sizeof(value));
        else
            memcpy(texels + at, &bits, sizeof(bits));
    }
}

static void fill_coordinates(float (*values)[4])
{
    uint32_t seed = 2;
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 2; c++)
            values[i][c] = (float)next_random(&seed) * (260.0f / 0x1p24f) - 2.0f;
    }
}

static int32_t wrap(int32_t at, bool repeats)
{
    return repeats ? at & (SIDE - 1) : at < 0 ? 0 : at >= SIDE ? SIDE - 1 : at;
}

/* Whether a colour is what 8.2 says for the coordinate. */
static bool is_blend(const struct filtered *row, const float (*texels)[4], const float at[2], bool repeats,
                     const float got[4])
{
    float u = at[0] - 0.5f, v = at[1] - 0.5f;
    double a = (double)(u - floorf(u)), b = (double)(v - floorf(v));
    int32_t i = (int32_t)floorf(u), j = (int32_t)floorf(v);
    const int32_t x[2] = {wrap(i, repeats), wrap(i + 1, repeats)},
                  y[2] = {wrap(j, repeats) * SIDE, wrap(j + 1, repeats) * SIDE};
    for (uint32_t c = 0; c < 4; c++) {
        double t[4] = {(double)texels[y[0] + x[0]][c], (double)texels[y[0] + x[1]][c], (double)texels[y[1] + x[0]][c],
                       (double)texels[y[1] + x[1]][c]};
        double right = (1 - a) * (1 - b) * t[0] + a * (1 - b) * t[1] + (1 - a) * b * t[2] + a * b * t[3];
        double greatest = fmax(fmax(t[0], t[1]), fmax(t[2], t[3])), least = fmin(fmin(t[0], t[1]), fmin(t[2], t[3]));
        double most = fmax(fmax(fabs(greatest), fabs(least)), greatest - least);
        if (!(fabs((double)got[c] - right) <= fmax(0x1p-7 * most, row->eight ? 1.0 / 255.0 : 0.0))) {
            log_debug("probe: a linear filter of format %u at (%g, %g) gives %g, not %g", row->format, (double)at[0],
                      (double)at[1], (double)got[c], right);
            return false;
        }
    }
    return true;
}

static bool filters(const struct images *p, const struct pass *take, const struct pass *blend,
                    const struct filtered *row)
{
    struct vkb_image_info info = info_of(row->format, row->sampled_format, row->bytes);
    float(*values)[4] = vkb_buffer_map(p->values);
    float(*texels)[4] = malloc(TEXELS * sizeof(*texels)), (*at)[4] = calloc(TEXELS, sizeof(*at));
    bool done = texels && at;
    info.storage = false;
    fill_texels(p, row);
    done = done && run(p, take, &info, false);
    if (done) {
        memcpy(texels, values, TEXELS * sizeof(*texels));
        fill_coordinates(at);
        memcpy(values, at, TEXELS * sizeof(*at));
        done = run(p, blend, &info, false);
    }
    for (uint32_t i = 0; i < TEXELS && done; i += 7)
        done = is_blend(row, (const float(*)[4])texels, at[i], false, values[i]) &&
               is_blend(row, (const float(*)[4])texels, at[i], true, values[TEXELS + i]);
    free(texels);
    free(at);
    return done;
}

/* ---- the whole ---- */

static bool prepare(struct images *p, struct pass *take, struct pass *put_pass, struct pass *blend)
{
    const char *strings[] = {source};
    struct clc_compile_args args = {
        .strings = strings, .num_strings = 1, .options = "-cl-std=CL1.2", .target = &p->target, .file_name = "probe"};
    char *log = NULL;
    bool done = clc_compile(&args, &p->program, &log) == CLC_SUCCESS;
    free(log);
    return done && make_pass(p, "take", false, take) && make_pass(p, "put", true, put_pass) &&
           make_pass(p, "blend", false, blend) &&
           vkb_buffer_create(p->device, TEXELS * 32, VKB_MEMORY_HOST, &p->values) == VKB_SUCCESS &&
           vkb_buffer_create(p->device, TEXELS * 16, VKB_MEMORY_HOST, &p->texels) == VKB_SUCCESS &&
           vkb_buffer_map(p->values) && vkb_buffer_map(p->texels);
}

void probe_images(struct vkb_device *device, struct vkb_queue *queue, const struct clc_target *target,
                  struct probe_images *report)
{
    struct images p = {.device = device, .queue = queue, .target = *target};
    struct pass take = {0}, put_pass = {0}, blend = {0};
    p.target.images = true;
    p.target.filters = ~0u;
    p.target.srgb_writes = p.target.decodes_packed = p.target.decodes_srgb = p.target.rounds_writes = false;
    *report = (struct probe_images){0};
    if (prepare(&p, &take, &put_pass, &blend)) {
        for (size_t i = 0; i < ARRAY_LENGTH(filtered); i++)
            report->filters |= filters(&p, &take, &blend, &filtered[i]) ? filtered[i].types : 0;
        report->samples_packed = samples_words(&p, &take, true) && samples_words(&p, &take, false);
        report->samples_srgb = samples_srgb(&p, &take);
        report->rounds_texels =
            rounds(&p, &put_pass, R8G8B8A8_UNORM, 8, false) && rounds(&p, &put_pass, R8G8B8A8_SNORM, 8, true) &&
            rounds(&p, &put_pass, R16G16B16A16_UNORM, 16, false) &&
            rounds(&p, &put_pass, R16G16B16A16_SNORM, 16, true) && rounds(&p, &put_pass, A2B10G10R10_UNORM, 10, false);
    }
    finish_pass(&take);
    finish_pass(&put_pass);
    finish_pass(&blend);
    clc_program_release(p.program);
    vkb_buffer_release(p.values);
    vkb_buffer_release(p.texels);
}
