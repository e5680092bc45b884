/* SPIRV-Tools' validator behind our own interface, and text for dumps. */
#include "compiler/program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PUMICE_SPIRV_TOOLS
#include "compiler/program/validate_run.h"

#include <spirv-tools/libspirv.h>

/* Whether SPIRV-Tools' rules for OpenCL know the capability. They refuse what OpenCL extensions bring (half arithmetic,
 * 64-bit atomics...), so modules with other capabilities are checked by the universal rules. */
static bool is_core_capability(uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityAddresses:
    case SpvCapabilityDeviceEnqueue:
    case SpvCapabilityFloat16Buffer:
    case SpvCapabilityFloat64:
    case SpvCapabilityGenericPointer:
    case SpvCapabilityGroups:
    case SpvCapabilityImage1D:
    case SpvCapabilityImageBasic:
    case SpvCapabilityImageBuffer:
    case SpvCapabilityImageReadWrite:
    case SpvCapabilityInt16:
    case SpvCapabilityInt64:
    case SpvCapabilityInt8:
    case SpvCapabilityKernel:
    case SpvCapabilityLinkage:
    case SpvCapabilityLiteralSampler:
    case SpvCapabilityPipes:
    case SpvCapabilitySampled1D:
    case SpvCapabilitySampledBuffer:
    case SpvCapabilitySubgroupDispatch:
    case SpvCapabilityVector16:
        return true;
    default:
        return false;
    }
}

static bool is_core(const uint32_t *words, size_t num_words)
{
    for (size_t i = 5; i + 1 < num_words && words[i] == (2u << 16 | SpvOpCapability); i += 2) {
        if (!is_core_capability(words[i + 1]))
            return false;
    }
    return true;
}

/* cl_khr_gl_msaa_sharing, of which the rules for OpenCL know nothing either. */
static bool has_samples(const uint32_t *words, size_t num_words)
{
    for (size_t i = 5; i + 6 < num_words && words[i] >> 16; i += words[i] >> 16) {
        if ((words[i] & 0xffff) == SpvOpTypeImage && words[i + 6])
            return true;
    }
    return false;
}

static spv_target_env environment_of(const uint32_t *words, size_t num_words, const char *name)
{
    uint32_t version = num_words > 1 ? words[1] : 0;
    if (!strcmp(name, "vulkan"))
        return SPV_ENV_VULKAN_1_3;
    if (version <= 0x00010200)
        return is_core(words, num_words) && !has_samples(words, num_words) ? SPV_ENV_OPENCL_2_2 : SPV_ENV_UNIVERSAL_1_2;
    switch (version) {
    case 0x00010300:
        return SPV_ENV_UNIVERSAL_1_3;
    case 0x00010400:
        return SPV_ENV_UNIVERSAL_1_4;
    case 0x00010500:
        return SPV_ENV_UNIVERSAL_1_5;
    default:
        return SPV_ENV_UNIVERSAL_1_6;
    }
}

static bool has_capability(const uint32_t *words, size_t num_words, uint32_t capability)
{
    for (size_t i = 5; i + 1 < num_words && words[i] == (2u << 16 | SpvOpCapability); i += 2) {
        if (words[i + 1] == capability)
            return true;
    }
    return false;
}

/* Whether SPIRV-Tools may take a kernel module for a shader: before 2024 its grammar had ShaderClockKHR imply Shader,
 * and it then refuses WorkgroupSize on a variable. */
static bool is_taken_for_shader(const uint32_t *words, size_t num_words)
{
    return has_capability(words, num_words, SpvCapabilityShaderClockKHR) &&
           !has_capability(words, num_words, SpvCapabilityShader);
}

/* Another built-in of the same type takes WorkgroupSize's place. */
static void hide_workgroup_size(uint32_t *copy, size_t num_words)
{
    for (size_t i = 5; i + 3 < num_words && copy[i] >> 16; i += copy[i] >> 16) {
        if (copy[i] == (4u << 16 | SpvOpDecorate) && copy[i + 2] == SpvDecorationBuiltIn &&
            copy[i + 3] == SpvBuiltInWorkgroupSize)
            copy[i + 3] = SpvBuiltInEnqueuedWorkgroupSize;
    }
}

/* SPIRV-Tools' grammar knows levels of detail that are written (cl_khr_mipmap_image_writes) only by an extension of
 * AMD's: OpImageWrite loses the level, and gets two OpNop behind it. */
static void hide_written_levels(uint32_t *copy, size_t num_words)
{
    for (size_t i = 5; i + 5 < num_words && copy[i] >> 16; i += copy[i] >> 16) {
        if (copy[i] != (6u << 16 | SpvOpImageWrite) || copy[i + 4] != SpvImageOperandsLodMask)
            continue;
        copy[i] = 4u << 16 | SpvOpImageWrite;
        copy[i + 4] = copy[i + 5] = 1u << 16 | SpvOpNop;
    }
}

static bool is_no_contraction(const uint32_t *words)
{
    return words[0] == (3u << 16 | SpvOpDecorate) && words[2] == SpvDecorationNoContraction;
}

static bool has_no_contraction(const uint32_t *words, size_t num_words)
{
    for (size_t i = 5; i + 2 < num_words && words[i] >> 16; i += words[i] >> 16) {
        if (is_no_contraction(words + i))
            return true;
    }
    return false;
}

/* NoContraction is a shader's decoration, but says of kernels' operations, too, what the reader found out (an arithmetic
 * fence). The words without it; returns how many they are. */
static size_t drop_no_contraction(uint32_t *copy, size_t num_words)
{
    size_t end = 5;
    for (size_t i = 5, length; i < num_words; i += length) {
        length = copy[i] >> 16;
        if (!length || length > num_words - i)
            return num_words;
        if (length == 3 && is_no_contraction(copy + i))
            continue;
        memmove(copy + end, copy + i, length * sizeof(*copy));
        end += length;
    }
    return end;
}

/* SPIRV-Tools of 2023 wants the declarations of SPV_INTEL_memory_access_aliasing in a function. Whether one of its
 * instructions stays; an access loses its scopes. */
static bool cut_aliasing(uint32_t *inst)
{
    uint32_t length = inst[0] >> 16, op = inst[0] & 0xffff, count = length - 1, lists[2];
    if (spv_op_class((uint16_t)op) == SPV_CLASS_SCOPE)
        return false;
    if (op == SpvOpCapability)
        return inst[1] != SpvCapabilityMemoryAccessAliasingINTEL;
    uint32_t at = spv_access_operands((uint16_t)op);
    if (!at)
        return true;
    at += op == SpvOpLoad ? 2 : 0; /* the type and the result */
    spv_cut_scopes(inst + 1, spv_cut_scopes(inst + 1, at, &count, lists), &count, lists);
    inst[0] = (count + 1) << 16 | op;
    return true;
}

static size_t drop_aliasing(uint32_t *copy, size_t num_words)
{
    size_t end = 5;
    for (size_t i = 5, length; i < num_words; i += length) {
        length = copy[i] >> 16;
        if (!length || length > num_words - i)
            return num_words;
        if (!cut_aliasing(copy + i))
            continue;
        size_t kept = copy[i] >> 16;
        memmove(copy + end, copy + i, kept * sizeof(*copy));
        end += kept;
    }
    return end;
}

/* Cooperative matrices came with SPIRV-Tools 2023.4. Older ones refuse every module that has them; what passes rely on
 * the reader has checked (spv/check_matrices.c). */
static bool is_too_new(const uint32_t *words, size_t num_words)
{
    int year = 0, release = 0;
    if (!has_capability(words, num_words, SpvCapabilityCooperativeMatrixKHR))
        return false;
    return sscanf(validate_version(), "v%d.%d", &year, &release) != 2 || year < 2023 || (year == 2023 && release < 4);
}

enum clc_result clc_check_valid(const uint32_t *words, size_t num_words, const char *environment, char **message)
{
    uint32_t *copy = NULL;
    *message = NULL;
    if (is_too_new(words, num_words))
        return CLC_SUCCESS;
    bool shader = is_taken_for_shader(words, num_words),
         levels = has_capability(words, num_words, SpvCapabilityImageMipmap),
         contraction = has_capability(words, num_words, SpvCapabilityKernel) && has_no_contraction(words, num_words),
         aliasing = has_capability(words, num_words, SpvCapabilityMemoryAccessAliasingINTEL);
    if (shader || levels || contraction || aliasing) {
        copy = malloc(num_words * sizeof(uint32_t));
        if (!copy)
            return CLC_OUT_OF_MEMORY;
        memcpy(copy, words, num_words * sizeof(uint32_t));
    }
    if (shader)
        hide_workgroup_size(copy, num_words);
    if (levels)
        hide_written_levels(copy, num_words);
    if (contraction)
        num_words = drop_no_contraction(copy, num_words);
    if (aliasing)
        num_words = drop_aliasing(copy, num_words);
    struct validate_request request = {
        .environment = environment_of(words, num_words, environment),
        .scalar_layout = !strcmp(environment, "vulkan"),
        .words = copy ? copy : words,
        .num_words = num_words,
    };
    enum validate_outcome outcome = validate_run(&request, message);
    free(copy);
    switch (outcome) {
    case VALIDATE_VALID:
        return CLC_SUCCESS;
    case VALIDATE_INVALID:
        return CLC_INVALID_BINARY;
    case VALIDATE_NOT_RUN:
        break;
    }
    return CLC_OUT_OF_MEMORY;
}

#else

enum clc_result clc_check_valid(const uint32_t *words, size_t num_words, const char *environment, char **message)
{
    (void)words;
    (void)num_words;
    (void)environment;
    *message = NULL;
    return CLC_SUCCESS;
}

#endif

char *clc_validate(const uint32_t *words, size_t num_words, const char *environment)
{
    char *message;
    if (clc_check_valid(words, num_words, environment, &message) == CLC_OUT_OF_MEMORY)
        message = strdup("no memory to validate it");
    return message;
}

char *clc_disassemble(const uint32_t *words, size_t num_words)
{
    struct arena arena;
    jmp_buf out_of_memory;
    char *volatile text = NULL;
    arena_init(&arena, &out_of_memory, 0);
    if (!setjmp(out_of_memory)) {
        const char *error = NULL;
        const struct spv_module *module = spv_read_unchecked(&arena, words, num_words, &error);
        struct str out;
        str_init(&out, &arena);
        str_reserve(&out, num_words * 12); /* about what most modules need */
        if (module)
            spv_print(module, &out);
        else
            str_printf(&out, "; %s\n", error);
        text = strdup(str_text(&out));
    }
    arena_finish(&arena);
    return text;
}
