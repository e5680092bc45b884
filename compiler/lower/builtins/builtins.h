/* Lowering of built-in functions: what its files share.
 *
 * The pass walks all instructions. One that Vulkan lacks, or that Vulkan does not do as OpenCL says, is replaced by
 * instructions inserted before it, and these are walked in turn (a smoothstep gives a division, which gives a call of
 * the library's division). Handlers work on whole vectors where SPIR-V's instructions do, and lane by lane where they
 * call a library body. */
#ifndef COMPILER_LOWER_BUILTINS_BUILTINS_H
#define COMPILER_LOWER_BUILTINS_BUILTINS_H

#include "builtins_enums.h"
#include "compiler/lower/values/lower.h"

#include "base/util.h"

/* Newer than some systems' headers. */
#define SpvOpGroupNonUniformRotateKHR 4431
#define SpvOpAtomicFMinEXT            5614
#define SpvOpAtomicFMaxEXT            5615
#define SpvOpAtomicFAddEXT            6035

/* The instruction that is being lowered, and where its replacement goes. */
struct builtin_lowering {
    struct lower *lower;
    struct spv_module *module;
    const struct clc_target *target;
    struct spv_builder b; /* just before inst */
    struct spv_inst *inst;
    uint16_t number;       /* of OpenCL.std; 0 for core instructions */
    spv_id type;           /* of the result */
    uint32_t lanes, width; /* of the result where it is a number */
    spv_id args[16];
    uint32_t num_args;
    struct spv_replacements replacements;
    struct u64_map rough;   /* quotients that stay as they are, whatever the device makes of them */
    struct u64_map only;    /* private variables that printf asked about -> the one value each ever has, or 0 */
    struct str_map library; /* names of library functions and variables -> ids in module */
    bool stays;             /* the instruction just handled was right as it is */
    bool in_library;        /* it is part of a library body */
};

/* Each handler returns the value that replaces the instruction's result (anything for void), or 0 after lower_fail().
 */
typedef spv_id lower_builtin_fn(struct builtin_lowering *x);

#define X(name) lower_builtin_fn lower_fn_##name;
BUILTIN_LOWERERS(X)
#undef X

/* ---- builtins.c ---- */

/* Calls the body __pumice_<name>_<f16|f32|f64> lane by lane. The width is that of the first float among result and
 * arguments. out_pointer: the last argument points to where a second result goes. */
spv_id lower_library_lanes(struct builtin_lowering *x, const char *name, bool out_pointer);
/* Whether the library's bodies are used that are for devices whose fma is exact: math_f32_fast_*.cl and
 * math_f64_fast*.cl. */
bool lower_has_fast_bodies(const struct builtin_lowering *x, uint32_t width);
/* Calls one library function by its full name. */
spv_id lower_library_call(struct builtin_lowering *x, const char *name, uint32_t count, const spv_id *args);
bool lower_library_has(const char *name);
/* Whether the device's own instruction keeps OpenCL's bound at this width. */
bool lower_native(const struct builtin_lowering *x, enum clc_probe probe, uint32_t width);
/* Whether it keeps at least the bound for programs that relax floats. */
bool lower_native_relaxed(const struct builtin_lowering *x, enum clc_probe probe);
/* Whether it is correctly rounded. */
bool lower_exact(const struct builtin_lowering *x, enum clc_probe probe, uint32_t width);

/* ---- relaxed.c ---- */

/* Whether the relaxed bounds hold for this instruction: it is program code, and the program was built with
 * -cl-unsafe-math-optimizations or -cl-fast-relaxed-math. */
bool lower_is_relaxed(const struct builtin_lowering *x);
/* Whether -cl-fp32-correctly-rounded-divide-sqrt concerns this width. */
bool lower_divides_correctly(const struct builtin_lowering *x, uint32_t width);
/* What replaces a function of OpenCL.std in relaxed code; 0 where it is no other than in strict code. */
spv_id lower_relaxed(struct builtin_lowering *x);

/* ---- instructions: on the result's type unless a type is given ---- */

/* Macros, as spv_emitv() is: their arguments emit in turn. */
#define lower_op1(x, op, type, value)             spv_emitv(&(x)->b, op, type, value)
#define lower_op2(x, op, type, left, right)       spv_emitv(&(x)->b, op, type, left, right)
#define lower_op3(x, op, type, first, next, last) spv_emitv(&(x)->b, op, type, first, next, last)
static inline spv_id lower_constant(struct builtin_lowering *x, spv_id type, uint64_t bits)
{
    return spv_const_splat(x->module, type, bits);
}
spv_id lower_glsl(struct builtin_lowering *x, spv_id type, uint32_t number, uint32_t count, const spv_id *args);
static inline spv_id lower_glsl1(struct builtin_lowering *x, spv_id type, uint32_t number, spv_id a)
{
    return lower_glsl(x, type, number, 1, &a);
}
static inline spv_id lower_glsl2(struct builtin_lowering *x, spv_id type, uint32_t number, spv_id a, spv_id b)
{
    return lower_glsl(x, type, number, 2, (const spv_id[]){a, b});
}
/* A float constant of type's width in every lane. */
spv_id lower_float_constant(struct builtin_lowering *x, spv_id type, double value);
/* A vector of count components; the component type itself if count is 1. */
spv_id lower_vector_type(struct builtin_lowering *x, spv_id component, uint32_t count);
spv_id lower_bool_type(struct builtin_lowering *x, uint32_t lanes);
/* The type of integers of that width with as many lanes as type has. */
spv_id lower_int_like(struct builtin_lowering *x, spv_id type, uint32_t width);
spv_id lower_lane(struct builtin_lowering *x, spv_id value, uint32_t lane);
spv_id lower_gather(struct builtin_lowering *x, spv_id component, uint32_t lanes, const spv_id *values);
/* Widens or narrows an integer to another type; emits nothing where they are equal. */
spv_id lower_resize(struct builtin_lowering *x, spv_id type, spv_id value, bool is_signed);
spv_id lower_bits_of(struct builtin_lowering *x, spv_id value); /* a float's bits as integers */

/* ---- float.c: core instructions on floats ---- */
/* An OpFDiv that the walk leaves alone: within Vulkan's 2.5 ULP, for divisors that are not extreme. */
spv_id lower_rough_quotient(struct builtin_lowering *x, spv_id a, spv_id b);
spv_id lower_core_float(struct builtin_lowering *x);
/* ---- int.c ---- */
spv_id lower_core_int(struct builtin_lowering *x);
/* ---- long.c: 64-bit integers on devices that have none; other instructions stay ---- */
spv_id lower_long_division(struct builtin_lowering *x);
spv_id lower_long_from_float(struct builtin_lowering *x);
spv_id lower_float_from_long(struct builtin_lowering *x);
spv_id lower_long_collective(struct builtin_lowering *x);
/* ---- convert.c ---- */
spv_id lower_core_convert(struct builtin_lowering *x);
enum { LOWER_ROUND_RTE, LOWER_ROUND_RTZ, LOWER_ROUND_RTP, LOWER_ROUND_RTN, LOWER_ROUND_DEFAULT = 0 };
/* floor, ceil, trunc or rint of a float: GLSL.std.450's Floor, Ceil, Trunc or RoundEven where the probe saw it right.
 */
spv_id lower_to_whole(struct builtin_lowering *x, uint32_t number, spv_id value);
/* Converts f32 or f64 to the bits of a half (u16) and back, on whole vectors. */
spv_id lower_to_half_bits(struct builtin_lowering *x, spv_id value, uint32_t mode);
spv_id lower_from_half_bits(struct builtin_lowering *x, spv_id bits);
/* ---- memory.c ---- */
spv_id lower_core_memory(struct builtin_lowering *x);
/* ---- group.c ---- */
spv_id lower_core_group(struct builtin_lowering *x);
/* ---- intel.c ---- */
spv_id lower_core_intel(struct builtin_lowering *x);
spv_id lower_core_intel_image(struct builtin_lowering *x);
/* ---- image.c ---- */
spv_id lower_core_image(struct builtin_lowering *x);
spv_id lower_private(struct builtin_lowering *x); /* of the library's own instructions (spv/private.def) */
bool lower_writes_level(const struct builtin_lowering *x, const struct spv_inst *inst);
bool lower_encodes_write(const struct builtin_lowering *x, const struct spv_inst *inst);
spv_id lower_core_image_write(struct builtin_lowering *x);
uint32_t lower_sampler_value(const struct spv_inst *constant); /* of an OpConstantSampler */
void lower_drop_sampled_images(struct spv_module *module);     /* after the walk: their reads are lowered */
/* ---- pipe.c ---- */
spv_id lower_core_pipe(struct builtin_lowering *x);
spv_id lower_core_enqueue(struct builtin_lowering *x); /* enqueue.c */
spv_id lower_core_barrier(struct builtin_lowering *x); /* barrier.c */
spv_id lower_core_matrix(struct builtin_lowering *x);  /* matrix.c */
void lower_replace_handles(struct spv_module *module); /* handles.c */

#endif
