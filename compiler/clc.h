/* The compiler's one public header: OpenCL C (or OpenCL SPIR-V) to a program; a program's kernel to Vulkan SPIR-V.
 *
 * Programs are immutable once made, reference-counted, and may be used from any thread. All functions are re-entrant,
 * take no lock, and keep no global state. Source, options, headers and binaries are untrusted. Running out of memory
 * gives CLC_OUT_OF_MEMORY, never an exit.
 *
 * OpenCL 3.0 API, 5.8 (program objects); OpenCL C 3.0. */
#ifndef COMPILER_CLC_H
#define COMPILER_CLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clc_result {
    CLC_SUCCESS,
    CLC_FAILED,          /* the source is wrong: the log says where (CL_BUILD_PROGRAM_FAILURE and its kin) */
    CLC_INVALID_OPTIONS, /* the log says which (CL_INVALID_BUILD_OPTIONS, _COMPILER_OPTIONS, _LINKER_OPTIONS) */
    CLC_INVALID_BINARY,  /* no SPIR-V, no Pumice binary, or a damaged one */
    CLC_OUT_OF_MEMORY,
};

/* ---- the target ---- */

/* What kernels are checked for. The bits are those of PUMICE_CHECK's groups (src/check/check.h). */
enum clc_check {
    CLC_CHECK_BOUNDS = 1,
    CLC_CHECK_INIT = 2,
    CLC_CHECK_RACES = 4,
    CLC_CHECK_BARRIERS = 8,
    CLC_CHECK_VALUES = 16,
    CLC_CHECK_FINITE = 32,
    CLC_CHECK_LOOPS = 128,
};

/* How exactly the device computes a function, from the probe; used per width by lowering. */
enum clc_native {
    CLC_NATIVE_NO,      /* missing or outside OpenCL's bound: a library body is used */
    CLC_NATIVE_RELAXED, /* a library body is used, but within the bound of unsafe math optimizations (the same) */
    CLC_NATIVE_BOUND,   /* within the bound of OpenCL C 3.0, 7.4 for every input, special values included */
    CLC_NATIVE_EXACT,   /* correctly rounded */
};

/* Functions whose native quality is probed. */
enum clc_probe {
    CLC_PROBE_FMA, /* GLSL.std.450 Fma is one rounding */
    CLC_PROBE_DIV,
    CLC_PROBE_RECIPROCAL, /* 1 / x */
    CLC_PROBE_DIV_LARGE,  /* x / y with both divided by 4 where |y| > 2^126: see lower_divide() */
    CLC_PROBE_DIV_SCALED, /* x / y with both multiplied by a power of two where y is extreme: see lower_divide() */
    CLC_PROBE_SQRT,
    CLC_PROBE_RSQRT,
    CLC_PROBE_EXP2,
    CLC_PROBE_LOG2,
    CLC_PROBE_EXP,
    CLC_PROBE_LOG,
    CLC_PROBE_POW,
    CLC_PROBE_SIN,
    CLC_PROBE_COS,
    CLC_PROBE_TAN,
    CLC_PROBE_ASIN,
    CLC_PROBE_ACOS,
    CLC_PROBE_ATAN,
    CLC_PROBE_SINH,
    CLC_PROBE_COSH,
    CLC_PROBE_TANH,
    CLC_PROBE_ASINH,
    CLC_PROBE_ACOSH,
    CLC_PROBE_ATANH,
    CLC_PROBE_FREM,
    CLC_PROBE_LDEXP,
    CLC_PROBE_FAST_BODIES,    /* what the library's fast bodies count on, besides an exact fma */
    CLC_PROBE_ROUND,          /* floor, ceil, trunc, rint */
    CLC_PROBE_FMIN_FMAX,      /* NMin/NMax keep OpenCL's NaN rule */
    CLC_PROBE_DOUBLE_TO_HALF, /* one rounding */
    CLC_PROBE_UINT_TO_FLOAT,  /* one rounding from 2^31 on, too */
    CLC_PROBE_ULONG_TO_FLOAT, /* one rounding, and not one to double before */
    CLC_PROBE_ZEROS, /* operations with a zero that is constant give what they should (compiler/lower/quirks) */
    /* Sums and differences that wrap, and counted bits, are what they are (likewise); of 64 bits only. */
    CLC_PROBE_PATTERNS,
    CLC_PROBE_LOOPS, /* a value of a loop is, behind it, what it was when the work-item left (compiler/lower/quirks) */
    CLC_PROBE_CONSTANTS, /* functions of constants alone keep their results (the same) */
    CLC_PROBE_COUNT
};

enum clc_width { CLC_WIDTH_16, CLC_WIDTH_32, CLC_WIDTH_64, CLC_WIDTH_COUNT };

#define CLC_FILTERS_SRGB (1u << 31)

enum { CLC_NAMED_BARRIER_SIZE = 8 }; /* bytes of local memory that each one takes, unless kernels are checked */

/* = cl_device_cooperative_matrix_component_type_khr */
enum clc_number {
    CLC_NUMBER_F16,
    CLC_NUMBER_F32,
    CLC_NUMBER_F64,
    CLC_NUMBER_S8,
    CLC_NUMBER_S16,
    CLC_NUMBER_S32,
    CLC_NUMBER_S64,
    CLC_NUMBER_U8,
    CLC_NUMBER_U16,
    CLC_NUMBER_U32,
    CLC_NUMBER_U64,
    CLC_NUMBER_BF16, /* this and those below are ours: the extension's draft has no number for them */
    CLC_NUMBER_E4M3,
    CLC_NUMBER_E5M2,
    CLC_NUMBER_COUNT
};

/* Result = A * B + C, where A has m rows and k columns, and B k rows and n columns. */
struct clc_matrix_variant {
    uint32_t m, n, k;
    enum clc_number a, b, c, result;
    bool saturating;
};
enum { CLC_MOST_MATRICES = 96 };

/* What the device is and can do: filled by src/ from vk/, by `pumice compile --device=` from a description. Plain data.
 */
struct clc_target {
    /* OpenCL C side: decides feature macros (OpenCL C 3.0, 6.2.1) and extension macros */
    uint32_t opencl_version; /* of the device, for __OPENCL_VERSION__: 300 */
    uint32_t max_std;        /* 300 or 310: the highest OpenCL C version that may be asked for */
    const char *extensions;  /* space-separated cl_* names: each becomes a macro and a known #pragma name */
    const char *features;    /* space-separated __opencl_c_* names: defined for CL3.0 and later */
    bool little_endian, images, profile_embedded;

    /* Vulkan side */
    uint32_t spirv_version; /* 0x00010600 for Vulkan 1.3 */
#define ABILITIES_OF_KERNELS
#define ABILITY(name, vulkan, words, lines, without) bool name;
#include "base/abilities.def"
#undef ABILITIES_OF_KERNELS
    bool short_offsets; /* no object in global memory has 2 GiB, so that distances within one fit into 32 bits; for
                           devices without int64, where that is cheaper */
    bool inlines_calls; /* the driver inlines all functions, so that each call takes as much code as the body has */
    bool sub_groups_in_step;  /* work-items of a sub-group wait for each other at every instruction */
    bool computes_in_words;   /* the device's registers have 32 bits, and it makes several instructions of one on 64 */
    bool slow_branches;       /* the time that the driver takes grows faster than the number of branches */
    bool short_chains;        /* the driver's access chains into memory known by its address have offsets of 32 bits */
    bool miscounts_trips;     /* the driver gets wrong how often some loops go round */
    bool loses_lanes;         /* it gets wrong some loads of more than 16 bytes of which a part is used */
    bool rounds_to_nearest32; /* float arithmetic does without the execution mode, by the probe */
    bool denorms_kept16, denorms_kept32, denorms_kept64; /* what it does, by the probe */
    bool drops_half_rounding;                            /* it takes (float)(half)x for x, by the probe */
    bool subgroups, subgroup_vote, subgroup_shuffle, subgroup_arithmetic;
    bool srgb_writes;                  /* images written may be sRGB, to Vulkan linear ones: kernels encode */
    bool decodes_packed, decodes_srgb; /* kernels decode what they sample of such images (CLC_SPEC_IMAGES), which
                                          the device does not do exactly, by the probe */
    uint32_t filters;                  /* types of images that the device's linear filter will do for, by the
                                          probe: bits counted from CL_SNORM_INT8; CLC_FILTERS_SRGB */
    bool rounds_writes;                /* kernels round what they write to normalised numbers: the device does
                                          not to nearest, by the probe */
    bool pipes;                        /* the runtime makes them: docs/pipes.md */
    bool device_enqueue;               /* the runtime launches what kernels enqueue: docs/device-enqueue.md */
    bool zero_local, zero_private;     /* memory that nobody initialises is 0 when a kernel begins: of a context, not
                                          of the device (cl_khr_initialize_memory) */
    uint32_t subgroup_size;            /* fixed, or 0 when it varies */
    uint32_t usual_subgroup_size;      /* of kernels that ask for none and can tell; 0: not known */
    uint32_t min_subgroup_size, max_subgroup_size; /* that kernels may ask for; 0: nothing is known */
    bool
        subgroup_resizes; /* it has what sub-groups of other sizes are made from: shuffles, and reductions of clusters */
    uint32_t default_subgroup_size; /* of kernels that ask for none; 0: the device's */
    struct clc_matrix_variant
        matrices[CLC_MOST_MATRICES]; /* that the device's own sub-groups multiply, of any size that
                                                              it has */
    uint32_t num_matrices;
    uint32_t max_push_constants; /* bytes */
    uint32_t max_workgroup_size, max_workgroup_size_xyz[3], max_workgroup_count[3];
    uint32_t local_memory_size;
    uint32_t max_nesting; /* levels of conditions, and of loops, that the driver takes; early exits are conditions; 0:
                             any number */
    uint32_t max_private_array;                       /* bytes; larger private memory goes to scratch in a buffer */
    uint8_t native[CLC_PROBE_COUNT][CLC_WIDTH_COUNT]; /* enum clc_native */
    /* Of a program, not of the device: what its kernels look for while they run (enum clc_check; docs/check.md), and
     * whether no access of theirs leaves what the context owns. */
    uint32_t checks;
    bool (*checks_kernel)(const char *name); /* which of them; NULL: all */
    bool robust;
};

/* A description without any device: everything offered, nothing native beyond what Vulkan 1.3 promises. For offline use
 * and tests. */
void clc_target_default(struct clc_target *target);

/* The size of the device's own sub-groups in which those of a kernel run that asks for this size; 0: they cannot. It is
 * the size itself where the device has it. Smaller sub-groups share one of the device's smallest; for larger ones each
 * lane of its largest runs several work-items (compiler/lower/subgroups/). */
uint32_t clc_subgroup_lanes(const struct clc_target *target, uint32_t size);
enum { CLC_MAX_SUBGROUP_SIZE = 128 }; /* a ballot has no more bits */

/* ---- cooperative matrices (cl_khr_cooperative_matrix) ---- */

/* What kernels may multiply in sub-groups of this size: at most capacity of them; returns how many there are. 0 where
 * kernels cannot have such sub-groups. The first *num_native of all are the device's own, which kernels do best with. */
uint32_t clc_matrix_variants(const struct clc_target *target, uint32_t subgroup_size, struct clc_matrix_variant *list,
                             uint32_t capacity, uint32_t *num_native);
/* "16x16x16 f16*f16+f32", for people; text has room for CLC_MATRIX_NAME bytes. */
enum { CLC_MATRIX_NAME = 80 };
void clc_matrix_name(const struct clc_matrix_variant *variant, char text[CLC_MATRIX_NAME]);

/* ---- programs ---- */

struct clc_program;

struct clc_header { /* an embedded header of clCompileProgram, found by name before the file system */
    const char *name, *text;
    size_t length;
};

struct clc_compile_args {
    const char *const *strings; /* joined without anything between, as clCreateProgramWithSource says */
    const size_t *lengths;      /* NULL, or per string; 0: up to the NUL */
    uint32_t num_strings;
    const char *options; /* may be NULL */
    const struct clc_header *headers;
    uint32_t num_headers;
    const struct clc_target *target;
    const char *file_name;     /* in diagnostics; NULL: "<source>" */
    const char *directory;     /* where its #include "..." are looked for before -I; NULL: nowhere else */
    bool compile_only;         /* clCompileProgram: undefined functions are left for the linker */
    size_t memory_limit;       /* bytes; 0: 1 GiB */
    struct clc_timing *timing; /* NULL, or filled */
    size_t tree_limit;        /* bytes of syntax tree that are kept before functions are emitted early; 0: as is best */
    size_t kernel_tree_limit; /* the same for kernels alone */
};

struct clc_pass_timing {
    const char *name; /* NULL: it did not run */
    bool inner;       /* a part of other rows, in all of its runs */
    uint64_t time;
    size_t memory; /* the most that was held when it ended */
};

/* Rows of passes.def. */
enum {
    CLC_PASS_COUNT = 0
#define WHOLE_PASS(...) +1
#define EACH_PASS(...)  +1
#define PART(...)       +1
#include "compiler/passes.def"
};

struct clc_timing {                                    /* nanoseconds; bytes */
    uint64_t preprocess_parse, emit, lower, write;     /* of all threads together */
    uint64_t lower_elapsed;                            /* lower and write, from beginning to end */
    size_t front_memory, program_memory, lower_memory; /* the most that was held at a time; the program stays */
    size_t compile_memory;                             /* the most of front end and program together */
    struct clc_pass_timing passes[CLC_PASS_COUNT];
};

/* Compiles and, unless compile_only, links. *log (malloc'ed, never NULL unless out of memory, maybe "") gets the build
 * log. */
enum clc_result clc_compile(const struct clc_compile_args *args, struct clc_program **program, char **log);
/* clLinkProgram: all of programs' functions, one definition each. */
enum clc_result clc_link(struct clc_program *const *programs, uint32_t count, const char *options,
                         const struct clc_target *target, struct clc_program **program, char **log);
/* clCreateProgramWithIL followed by a build with these options, or by clCompileProgram with compile_only.
 * Specialisation constants: ids and raw values. */
struct clc_spec_constant {
    uint32_t id, size;
    uint64_t value;
};
/* The specialisation constants that the module has, with the sizes of their values: *list (malloc'ed) of *count. */
enum clc_result clc_spec_constants(const void *il, size_t size, struct clc_spec_constant **list, uint32_t *count);
enum clc_result clc_program_from_il(const void *il, size_t size, const char *options,
                                    const struct clc_spec_constant *constants, uint32_t num_constants,
                                    const struct clc_target *target, bool compile_only, struct clc_program **program,
                                    char **log);
/* What that accepts on a device: SPIR-V's capabilities and names of its extensions, at most capacity of them; returns
 * how many. OpenCL 3.1 API, table 5: CL_DEVICE_SPIRV_CAPABILITIES, CL_DEVICE_SPIRV_EXTENSIONS. */
uint32_t clc_spirv_capabilities(const struct clc_target *target, uint32_t *values, uint32_t capacity);
uint32_t clc_spirv_extensions(const struct clc_target *target, const char **names, uint32_t capacity);
enum { CLC_MAX_SPIRV_ITEMS = 192 }; /* there are never more of either */

/* Parses an options string only; *message is malloc'ed when the result is no success. link: for clLinkProgram. */
enum clc_result clc_check_options(const char *options, bool link, char **message);

/* Only the preprocessor: malloc'ed text in *text (--stage=tokens). */
enum clc_result clc_preprocess(const struct clc_compile_args *args, char **text, char **log);
/* Only the parser: a malloc'ed print of the tree (--stage=ast). */
enum clc_result clc_print_ast(const struct clc_compile_args *args, char **text, char **log);

struct clc_program *clc_program_retain(struct clc_program *program);
void clc_program_release(struct clc_program *program); /* NULL is fine */

enum clc_program_kind { CLC_PROGRAM_OBJECT, CLC_PROGRAM_LIBRARY, CLC_PROGRAM_EXECUTABLE };
enum clc_program_kind clc_program_kind(const struct clc_program *program);

/* Program binaries: a header with version and checksum, then the kernel SPIR-V and its metadata. malloc'ed. */
enum clc_result clc_program_serialize(const struct clc_program *program, void **data, size_t *size);
enum clc_result clc_program_deserialize(const void *data, size_t size, struct clc_program **program);
/* Whether an NDRange must consist of equal work-groups, by the options that the program was compiled with. */
bool clc_program_wants_uniform_groups(const struct clc_program *program);
/* The OpenCL SPIR-V; owned by the program. */
const uint32_t *clc_program_spirv(const struct clc_program *program, size_t *num_words);

/* ---- a program's kernels ---- */

enum clc_arg_kind {
    CLC_ARG_VALUE,  /* size bytes copied */
    CLC_ARG_GLOBAL, /* pointer to global or constant memory: cl_mem, SVM pointer or NULL; an 8-byte address */
    CLC_ARG_CONSTANT,
    CLC_ARG_LOCAL, /* a size from clSetKernelArg(NULL); the block holds a 4-byte offset into the work-group's memory */
    CLC_ARG_IMAGE,
    CLC_ARG_SAMPLER,
    CLC_ARG_PIPE,
    CLC_ARG_QUEUE,
};
enum clc_address_qualifier { CLC_ADDRESS_PRIVATE, CLC_ADDRESS_GLOBAL, CLC_ADDRESS_CONSTANT, CLC_ADDRESS_LOCAL };
enum clc_access_qualifier { CLC_ACCESS_NONE, CLC_ACCESS_READ_ONLY, CLC_ACCESS_WRITE_ONLY, CLC_ACCESS_READ_WRITE };
enum {
    CLC_TYPE_CONST = 1,
    CLC_TYPE_RESTRICT = 2,
    CLC_TYPE_VOLATILE = 4,
    CLC_TYPE_PIPE = 8
}; /* = cl_kernel_arg_type_qualifier */

enum clc_image_kind {
    CLC_IMAGE_NONE,
    CLC_IMAGE_1D,
    CLC_IMAGE_1D_ARRAY,
    CLC_IMAGE_1D_BUFFER,
    CLC_IMAGE_2D,
    CLC_IMAGE_2D_ARRAY,
    CLC_IMAGE_3D,
    CLC_IMAGE_2D_SAMPLES, /* multisampled */
    CLC_IMAGE_2D_ARRAY_SAMPLES,
};

struct clc_arg_info {
    const char *name, *type_name; /* as clGetKernelArgInfo gives them: "float4*" */
    enum clc_arg_kind kind;
    enum clc_address_qualifier address;
    enum clc_access_qualifier access;
    enum clc_image_kind image; /* of IMAGE */
    bool image_depth;          /* ... which is of depths */
    uint32_t type_qualifiers;
    uint32_t size;  /* bytes that clSetKernelArg must pass: the type's size; 8 for pointers; 0 for local (any) */
    uint32_t least; /* VALUE: bytes that it may pass instead, up to size: in foreign SPIR-V that does not say of which
                       type of OpenCL C it is, a struct may come without what is behind its last member */
    uint32_t align; /* bytes, of the type; for LOCAL of the pointee */
};

/* SPIR-V 1.6, 3.6: what an entry point is for. INITIALIZER and FINALIZER run the constructors and destructors of
 * objects at program scope; they have no arguments, and applications do not see them. */
enum clc_kernel_role {
    CLC_KERNEL_ORDINARY,
    CLC_KERNEL_INITIALIZER,
    CLC_KERNEL_FINALIZER,
    CLC_KERNEL_BLOCK, /* what kernels enqueue, in the order of its numbers (docs/device-enqueue.md): its arguments are
                         the address of what it captured, and local memory */
};

struct clc_kernel_info {
    const char *name;
    enum clc_kernel_role role;
    uint32_t num_args;
    const struct clc_arg_info *args;
    bool has_arg_info;                /* names and type names are known */
    uint32_t reqd_work_group_size[3]; /* 0,0,0: none */
    uint32_t work_group_size_hint[3];
    const char *vec_type_hint;    /* "" when none */
    uint32_t reqd_sub_group_size; /* intel_reqd_sub_group_size; 0: none */
    uint32_t num_sub_groups;      /* of a work-group, as IL may ask for (SubgroupsPerWorkgroup); 0: any */
    const char *attributes;       /* CL_KERNEL_ATTRIBUTES: space separated, as clGetKernelInfo says */
    uint32_t local_size;   /* bytes of local variables declared in the kernel and its callees (arguments excluded) */
    uint32_t private_size; /* bytes of private memory estimated */
};

uint32_t clc_program_num_kernels(const struct clc_program *program); /* of every role; the ordinary ones come first */
uint32_t clc_program_num_blocks(const struct clc_program *program);  /* of CLC_KERNEL_BLOCK */
const struct clc_kernel_info *clc_program_kernel(const struct clc_program *program, uint32_t index);
/* The index of the kernel of that name; clc_program_num_kernels() where there is none. */
uint32_t clc_program_find_kernel(const struct clc_program *program, const char *name);

/* Program-scope variables in global memory (OpenCL C 3.0, 6.7.1 and __opencl_c_program_scope_global_variables): one
 * block per program and device, shared by its kernels. The runtime allocates size bytes, copies init (the rest is
 * zero), then adds the block's device address to each 64-bit word named by relocations. size 0: none. Owned by the
 * program. */
struct clc_data_block {
    uint32_t size, align, init_size;
    const uint8_t *init;
    uint32_t num_relocations;
    const struct clc_relocation {
        uint32_t offset; /* of the 64-bit word in this block */
        uint32_t block;  /* CLC_BLOCK_*: whose address is added */
    } * relocations;
    uint32_t num_variables;
    const struct clc_data_variable { /* of a program's globals: which they are, by their offsets */
        const char *name;            /* NULL: it has none */
        uint32_t offset, size;
    } * variables;
};
enum { CLC_BLOCK_GLOBALS, CLC_BLOCK_CONSTANTS };
const struct clc_data_block *clc_program_globals(const struct clc_program *program);

/* ---- lowering: one kernel to one Vulkan module ---- */

/* Values that the launch writes into the argument block besides the kernel's arguments. Each has an offset in the
 * block, or -1 when the kernel does not use it. Three-component values are stored as consecutive x, y, z of the given
 * width. */
enum clc_launch_value {
    /* 3 x u64: get_global_id is this + (group id * enqueued local size + local id), whose sum in brackets has 32 bits.
     * It is get_global_offset and, in the parts of a range of more than 2^32 work-items, a multiple of 2^32. */
    CLC_LAUNCH_GLOBAL_OFFSET,
    CLC_LAUNCH_GLOBAL_SIZE, /* 3 x u64 get_global_size */
    CLC_LAUNCH_NUM_GROUPS,  /* 3 x u32 get_num_groups of the whole NDRange */
    CLC_LAUNCH_GROUP_BASE,  /* 3 x u32 added to Vulkan's WorkgroupId: a large grid is split, remainders of non-uniform
                               ranges are dispatches of their own */
    CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, /* 3 x u32 get_enqueued_local_size */
    CLC_LAUNCH_WORK_DIM,            /* u32 */
    CLC_LAUNCH_PRINTF,              /* u64 address of the printf buffer; see clc_printf_* */
    CLC_LAUNCH_GLOBALS,             /* u64 address of the program's globals block */
    CLC_LAUNCH_CONSTANTS,           /* u64 address of this kernel's constants block */
    CLC_LAUNCH_SCRATCH, /* u64 address of private memory scratch: scratch_size bytes per work-item, indexed by linear
                           work-item in the dispatch */
    CLC_LAUNCH_ORDER,   /* u64 address of a word of the context's on the device, through which fences and accesses of
                           memory_order_seq_cst are ordered; nothing reads it */
    CLC_LAUNCH_ENQUEUE, /* u64 address of the memory through which the kernel enqueues others: docs/device-enqueue.md */
    CLC_LAUNCH_ENQUEUE_PARENT, /* u32 number by which its records name this launch */
    CLC_LAUNCH_QUERIED_OFFSET, /* 3 x u64 get_global_offset */
    CLC_LAUNCH_BOUND,          /* 3 x u32 get_global_size, for CLC_SPEC_BOUNDS */
    CLC_LAUNCH_TILE,           /* u32 clc_tile_word() of the enqueued local size, for CLC_BOUNDS_TILED */
    CLC_LAUNCH_CHECK,          /* u64 address of what a checked or robust kernel needs: struct clc_check_head */
    CLC_LAUNCH_COUNT
};

/* How a tiled kernel divides its number within the group, which is below CLC_TILE_ITEMS, by the first two sizes:
 * n / size is n * (half of the word + 1) >> 16. */
enum { CLC_TILE_ITEMS = 256 };
static inline uint32_t clc_tile_word(const uint32_t local[2])
{
    return ((65536 + local[0] - 1) / local[0] - 1) | ((65536 + local[1] - 1) / local[1] - 1) << 16;
}

/* Specialisation constants of the Vulkan module (all u32). A pipeline is keyed on their values. */
enum clc_spec_id {
    CLC_SPEC_LOCAL_SIZE_X,
    CLC_SPEC_LOCAL_SIZE_Y,
    CLC_SPEC_LOCAL_SIZE_Z,    /* of this dispatch */
    CLC_SPEC_LOCAL_ARGS_SIZE, /* bytes of local memory for arguments, at local_args_offset; round up to few buckets */
    CLC_SPEC_IMAGES,          /* CLC_IMAGES_*: of those that are read */
    CLC_SPEC_REACH,           /* CLC_REACH_*, where addresses have distances of 32 bits */
    CLC_SPEC_BOUNDS,          /* enum clc_bounds, where the kernel can_bound or can_pack; else 0 */
    /* How many work-groups beside one the device's group holds, where the kernel can_pack; else 0. They follow one
     * another in this dimension. Of the three one at most is not 0. Where the kernel uses sub-groups, these divide the
     * work-group. */
    CLC_SPEC_MORE_GROUPS_X,
    CLC_SPEC_MORE_GROUPS_Y,
    CLC_SPEC_MORE_GROUPS_Z,
    CLC_SPEC_COUNT
};

/* What a pipeline's accesses to global memory may meet. */
enum {
    CLC_REACH_LARGE = 1, /* objects of 4 GiB or more */
    CLC_REACH_INNER = 2, /* arguments that point into an object, not to where it begins */
    CLC_REACH_ALL = 3,
};

/* What becomes of a group at the end of a range that the local size does not divide. */
enum clc_bounds {
    CLC_BOUNDS_WHOLE,   /* there is none in this dispatch, or all its groups are such remainders */
    CLC_BOUNDS_CHECKED, /* work-items beyond the global size return at once; of kernels that cannot bound, those of
                           work-groups beyond the last one, which the device's last group has room for */
    CLC_BOUNDS_TILED,   /* so they do; and the local size is the enqueued one, of at most CLC_TILE_ITEMS work-items. The
                           specialised one is N x 1 x 1, and has as many or more */
};

enum {
    CLC_IMAGES_PACKED = 1, /* CL_UNORM_SHORT_565 and _555, viewed as one number of 16 bits, normalised */
    CLC_IMAGES_SRGB = 2,   /* viewed as linear: the kernel decodes these, too */
    CLC_IMAGES_HIGH = 8,   /* CL_UNORM_INT10X6_EXT and its kin, viewed as normalised numbers of 16 bits */
    CLC_IMAGES_FILTER = 4, /* the device's linear filter will do for all of them, which have one level */
};

/* How one printf call site is written: the GPU appends records {u32 size in bytes with header, u32 format index,
 * arguments...} after the buffer's first two u32 words: bytes used so far (past the capacity: records were dropped, how
 * many bytes of them is not known), and capacity in bytes after these two words. Each argument is stored at 4-byte
 * alignment, vectors component by component; 8/16-bit integers widened to 32, half and float widened to double when the
 * format's length modifier is none; strings (%s) as u32 index into strings where they are known when the kernel is
 * compiled. Others are copied to the record's end: the argument is u32 offset in the record, u32 bytes (UINT32_MAX: a
 * null pointer). */
struct clc_printf_format {
    const char *format; /* the unescaped text; may hold NULs: length counts */
    uint32_t length;
    uint32_t num_args;
    const uint8_t *arg_sizes; /* bytes stored for each argument in the record */
};

/* How an image argument reaches the kernel: as one descriptor, or two, of set 0 (docs/images.md). The view's format is
 * one of floats or of unsigned integers: an image of signed integers is viewed (or made) as unsigned ones of the same
 * width, and the kernel extends the sign. Where both classes are bound for one argument, the kernel uses the one that
 * fits the image's word; the other descriptor must be valid but is not used. */
enum clc_binding_kind {
    CLC_BINDING_SAMPLED_IMAGE, /* VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE: read only; the view's component mapping is the image
                                  order's (clc_image_component()) */
    CLC_BINDING_STORAGE_IMAGE, /* VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, identity mapping: written, or read and written */
    CLC_BINDING_SAMPLED_BUFFER, /* image1d_buffer_t: the uniform and storage texel buffers; no mapping */
    CLC_BINDING_STORAGE_BUFFER,
    CLC_BINDING_SAMPLER, /* VK_DESCRIPTOR_TYPE_SAMPLER: a linear filter of enum clc_filter, which is level */
};
enum clc_binding_class { CLC_BINDING_FLOAT, CLC_BINDING_INTEGER };
/* How a device's sampler addresses: to the edge by normalised coordinates, repeating, mirroring, to the edge by texels.
 */
enum clc_filter { CLC_FILTER_EDGE, CLC_FILTER_REPEAT, CLC_FILTER_MIRROR, CLC_FILTER_TEXELS, CLC_FILTER_COUNT };

enum { CLC_MAX_LEVELS = 16 }; /* of detail: those of images of 32768 texels on an axis */
struct clc_binding {          /* of number binding in set 0, which is its place in clc_lowered.bindings */
    uint32_t arg;             /* the kernel's argument */
    enum clc_binding_kind kind;
    enum clc_binding_class class;
    uint32_t level; /* of a storage image: the level of detail; where the image has none such, any image will do */
};

/* The word of an image argument in the argument block, from its cl_channel_order and cl_channel_type: what queries
 * give, how integers are extended and saturated, and which component of a texel holds which of the colour's, since
 * Vulkan maps components for sampled images only. */
uint32_t clc_image_word(uint32_t channel_order, uint32_t channel_type);
/* The same of a multisampled image, whose samples are layers: sample s of layer l is layer l * samples + s. */
uint32_t clc_image_word_samples(uint32_t word, uint32_t samples);
enum clc_component {
    CLC_COMPONENT_R,
    CLC_COMPONENT_G,
    CLC_COMPONENT_B,
    CLC_COMPONENT_A,
    CLC_COMPONENT_0,
    CLC_COMPONENT_1
};
/* The texel's component (as Vulkan's format names them) that component 0 to 3 of the colour is read from. */
enum clc_component clc_image_component(uint32_t word, uint32_t component);

/* The bits of a sampler that the CLK_* macros do not set: the filter between levels of detail, and the range that these
 * are clamped to, in steps of 1/256. None are set for the defaults: nearest, 0, FLT_MAX. */
uint32_t clc_sampler_levels(bool linear, float lod_min, float lod_max);

/* ---- checks ---- */

/* A place in the source that a checked kernel looks at. */
enum clc_site_kind {
    CLC_SITE_ACCESS,
    CLC_SITE_INDEX, /* of an array inside of something; its size is the array's length */
    CLC_SITE_IMAGE_WRITE,
    CLC_SITE_DIVISION,
    CLC_SITE_SHIFT,
    CLC_SITE_FLOAT_TO_INT,
    CLC_SITE_NOT_FINITE,
    CLC_SITE_BARRIER,
    CLC_SITE_SUB_GROUP,
    CLC_SITE_COPY, /* an asynchronous one, that was not awaited */
    CLC_SITE_COPIES_DIFFER,
    CLC_SITE_LOOP,
    CLC_SITE_UNWRITTEN, /* a private variable is read */
    CLC_SITE_PACKET,    /* of a reservation in a pipe */
    CLC_SITE_NAMED_BARRIER,
};
enum clc_site_access {
    CLC_SITE_READS = 1,
    CLC_SITE_WRITES = 2,
    CLC_SITE_ATOMIC = 4,
    CLC_SITE_GROUP = 8,  /* all work-items of the group do it together */
    CLC_SITE_WHOLE = 16, /* of a structure or an array: it moves padding and members that nobody asks for, too */
};
struct clc_check_site {
    const char *file;      /* NULL: the module does not say */
    const char *text;      /* that line of the source; NULL: likewise */
    uint32_t line, column; /* from 1; 0: not known */
    uint32_t kind;         /* enum clc_site_kind */
    uint32_t access;       /* CLC_SITE_*, of an access */
    uint32_t align;        /* bytes: what it counts on; 0: nothing */
    uint32_t size;         /* bytes; 0: only the kernel knows. Of CLC_SITE_IMAGE_WRITE: how many coordinates share the
                              record's value, as many bits each */
    uint32_t num_lanes;    /* equal parts of these: the components of a vector that is read, else 1 */
    uint16_t lanes;        /* of them, a bit each: what is used for certain, */
    uint16_t perhaps;      /* what may be used besides, */
    uint16_t reached;      /* and what the kernel loads: all others, or some more */
    bool by_number;        /* of what may be used one is, and only the kernel knows which: v[n] */
    bool compares;         /* it writes only where it finds what it expects */
};

/* Something that accesses lead into. */
enum clc_object_kind {
    CLC_OBJECT_ARGUMENT, /* what a pointer argument points to: its size is known when the kernel is launched */
    CLC_OBJECT_LOCAL,
    CLC_OBJECT_PRIVATE,
    CLC_OBJECT_CONSTANT, /* at program scope, as the next one */
    CLC_OBJECT_GLOBAL,
    CLC_OBJECT_ONE_OF, /* an access may lead into several */
};
struct clc_check_object {
    const char *name; /* NULL: it has none */
    uint32_t kind;    /* enum clc_object_kind */
    uint32_t
        arg; /* which, of an argument. Of CLC_OBJECT_ONE_OF: one more than the number of the next of the list; or 0 */
    uint64_t size; /* bytes, of others; of CLC_OBJECT_ONE_OF one more than the number of the object itself */
};
/* Upper words of generic pointers into local and private memory. No device gives out such addresses: they are not canonical on any
 * known GPU. */
enum { CLC_TAG_LOCAL = 0x7ff0001f, CLC_TAG_PRIVATE = 0x7ff0002f };

/* What CLC_LAUNCH_CHECK leads to: two pages of check_page bytes, of zeros for loads and of anything for stores that have
 * no place of their own, then this, then CLC_CHECK_COUNTERS words for each site that count how often it was wrong. The
 * library's check.cl has the same numbers. */
struct clc_check_head {
    uint32_t used, capacity; /* of the records; used may be more */
    uint32_t most;           /* records of one site and counter */
    uint32_t num_ranges;
    uint64_t records, ranges; /* addresses: struct clc_check_record, and struct clc_check_range sorted by start */
    uint64_t written;         /* address: struct clc_check_written sorted by start */
    uint32_t num_written;
    uint32_t launch; /* its number among those with tracks, of 12 bits; not 0 */
    uint64_t local;  /* where the device notes who touched local memory (src/launch/checked_local.c) */
    uint32_t local_words, local_groups, local_granules;
    uint32_t most_rounds; /* of a loop */
    uint32_t loops_end;   /* by the device: one had more */
    uint32_t num_tracks;
    uint64_t tracks; /* address: struct clc_check_tracks sorted by start */
    uint32_t unused[2];
};
struct clc_check_written { /* memory of which it is known what was written */
    uint64_t start, size;
    uint64_t bytes; /* address: 1 for each that was */
};
struct clc_check_tracks { /* memory of which it is known who touched it */
    uint64_t start, size;
    uint64_t words; /* address: two of 64 bits for each word of 4 bytes */
};
struct clc_check_range { /* memory that a kernel may reach */
    uint64_t start, size;
    uint64_t denied; /* CLC_SITE_READS, CLC_SITE_WRITES */
};
enum {
    CLC_WHAT_OBJECT = 0xffff,
    CLC_WHAT_KIND = 7 << 17, /* 0: it is out of bounds, or what the site says */
    CLC_WHAT_UNINITIALISED = 1 << 17,
    CLC_WHAT_RACE = 2 << 17,
    CLC_WHAT_MISALIGNED = 3 << 17,
    CLC_WHAT_LOCAL = 4 << 17,    /* with the first two: the distance is in local memory */
    CLC_WHAT_RESTRICT = 7 << 17, /* the lower half is the argument's number, and the size the other argument's */
};
/* Of a site's counters the one for what a record tells. So faults of one kind do not take the place of another's. */
enum { CLC_CHECK_COUNTERS = 8 };
static inline uint32_t clc_check_counter(uint32_t what)
{
    return (what & CLC_WHAT_KIND) / CLC_WHAT_UNINITIALISED;
}
#define CLC_OTHER_KNOWN (UINT64_C(1) << 63)
struct clc_check_record {
    uint32_t site;
    uint32_t what;  /* in its lower half 0, or one more than the number of the object; CLC_WHAT_* */
    uint64_t value; /* of an access the distance from where the object begins, or the address where there is none */
    uint64_t global_id[3];
    uint32_t local_id[3];
    uint32_t size;  /* bytes */
    uint64_t other; /* of a race: the other access's site, in local memory its work-item from bit 32 on, and
                       CLC_OTHER_KNOWN; of a named barrier: the site of another wait, likewise; else 0 */
};
/* In global memory that is the work-item in 11 bits, 2047: all of the group together, and then the group in 10, where there are no
 * more than 1024. */
enum { CLC_OTHER_ITEM = 0x7ff, CLC_OTHER_GROUP_SHIFT = 43, CLC_OTHER_GROUPS = 1024 };
enum { CLC_OTHER_GROUP = 0xfff }; /* such a work-item: all of the group together */

/* What a kernel notes of who touches global memory. */
enum {
    CLC_TRACKS = 1,
    CLC_TRACKS_ADDRESSES = 2, /* also by addresses: it asks where memory is */
    CLC_TRACKS_GLOBALS = 4,   /* variables at program scope */
    CLC_TRACKS_ALL = 8,       /* it writes where nobody knows */
};

/* What the launch tells of an argument that is a pointer: 64-bit numbers in the block. */
enum clc_arg_limit {
    CLC_LIMIT_START,  /* the address where the object begins, or offset in local memory */
    CLC_LIMIT_READ,   /* bytes from there that may be read */
    CLC_LIMIT_WRITE,  /* ... and written */
    CLC_LIMIT_TRACKS, /* the address of the words that tell who touched it; 0: nobody notes it */
    CLC_LIMIT_TOUCHED, /* the address of bits that tell what the launch touched, and how coarse they are; 0: nobody notes it */
    CLC_LIMIT_WRITTEN, /* the address of bytes that are 1 where the object's were written; 0: nothing is known */
    CLC_LIMIT_COUNT
};

/* Which bytes a launch touches of what an argument leads to: a bit for each granule of 1, 2, 4... bytes, in words of 32. Four words
 * stand together: who reads, writes, reads atomically and writes so. CLC_LIMIT_TOUCHED is their address, a multiple of
 * 64, and in the bits below it the logarithm of the granule. */
enum { CLC_TOUCHED_READS, CLC_TOUCHED_WRITES, CLC_TOUCHED_ATOMIC_READS, CLC_TOUCHED_ATOMIC_WRITES, CLC_TOUCHED_WORDS };

struct clc_lowered {
    const uint32_t *words; /* Vulkan SPIR-V, entry point "main", GLCompute */
    size_t num_words;
    bool block_in_push_constants; /* the argument block is the push constant range [0, block_size); else push constants
                                     hold its u64 address */
    uint32_t block_size;          /* bytes, multiple of 4 */
    int32_t launch_offset[CLC_LAUNCH_COUNT];
    const uint32_t
        *arg_offset; /* per kernel argument: where its value goes in the block; UINT32_MAX: unused by the kernel. Of an
                        image its clc_image_word(), of a sampler the bits of the CLK_* macros; both 4 bytes */
    const uint8_t *arg_access;   /* per argument: bit 0 read, bit 1 written through this pointer or image; both where
                                   unknown */
    const uint8_t *check_access; /* likewise of pointers, by what the program itself does, where a kernel is checked or
                                    robust; what it does in functions that stay functions is left out. NULL: it is not */
    bool pointers_from_memory;   /* may reach buffers that are no argument (pointers loaded from memory, or cast from
                                   integers) */
    uint32_t local_size;         /* bytes of the kernel's own local variables */
    uint32_t local_args_offset;  /* where local arguments start */
    bool uses_local_args;
    uint32_t scratch_size; /* bytes per work-item; 0: none */
    struct clc_data_block
        constants; /* program-scope constants reached, library tables; no relocation to another kernel's block */
    bool uses_printf, uses_barrier, uses_subgroups;
    bool full_subgroups;   /* all its sub-groups must be full: it has the device's own cooperative matrices */
    bool reads_local_size; /* get_local_size() or get_local_linear_id() */
    bool sees_groups;      /* any of the ids and sizes of groups, or a work-item's place in its group */
    bool can_bound;        /* work-items of a group have nothing to do with each other: CLC_SPEC_BOUNDS has an effect */
    bool can_pack;         /* work-items of a group meet in its sub-groups at most, and wait for no other group:
                              CLC_SPEC_MORE_GROUPS_* have an effect */
    bool watches_memory; /* it may wait for what groups that come later store: it has atomic or volatile loads of global
                              memory */
    const struct clc_printf_format *printf_formats;
    uint32_t num_printf_formats;
    const char *const *printf_strings; /* for %s */
    uint32_t num_printf_strings;
    const struct clc_binding *bindings; /* descriptor set 0; the set is not there without any */
    uint32_t num_bindings;
    /* Of a checked or robust kernel; else 0 and NULL. */
    uint32_t check_page;    /* bytes */
    bool check_ranges;      /* it asks where memory is */
    uint8_t check_tracks;   /* CLC_TRACKS_* */
    bool check_touches;     /* it notes which bytes of what its arguments lead to it touches: all of them */
    bool check_written;     /* ... and what was written there, of memory that no argument leads to */
    bool unseen_writes;     /* it may write memory without noting that, in a process that looks for what was written */
    uint32_t check_granule; /* bytes: no access to local memory has a part of that many; 0: it is not looked at */
    bool check_local_bytes; /* instead, for each byte of it, whether it was written */
    const int32_t *arg_limit; /* CLC_LIMIT_COUNT for each argument: where these go in the block; -1: unused */
    const struct clc_check_site *check_sites;
    uint32_t num_check_sites;
    const struct clc_check_object *check_objects;
    uint32_t num_check_objects;
    void *storage; /* owns all of it */
};

struct clc_lower_options {
    const struct clc_target *target;
    bool any_size; /* one pipeline is to run work-groups of all sizes up to its own, which is N x 1 x 1: their size is
                      CLC_LAUNCH_ENQUEUED_LOCAL_SIZE, and the other lanes do nothing. All groups of a range are equal.
                      It fails for kernels that have to know their size, or of which it cannot be told that all lanes
                      get to each barrier; they run in pipelines of one size as ever */
    const char *dump_passes;   /* NULL, or "all", or a pass name: prints the module after it to standard error */
    struct clc_timing *timing; /* NULL, or times are added to its lower, write and passes; memory is the most of any */
    uint32_t max_threads;      /* 0: as many as the processors that this process may use */
    size_t enough_memory;      /* bytes; kernels that together hold more wait for each other. 0: what the program
                                  leaves of 56 MB */
};

/* *message (malloc'ed) when it fails: a feature the target lacks, for instance, which the runtime logs and answers with
 * CL_BUILD_PROGRAM_FAILURE or CL_INVALID_KERNEL. */
enum clc_result clc_lower(const struct clc_program *program, const char *kernel,
                          const struct clc_lower_options *options, struct clc_lowered **lowered, char **message);
void clc_lowered_destroy(struct clc_lowered *lowered);

/* ---- device-side enqueue ---- */

/* The header at CLC_LAUNCH_ENQUEUE, in 32-bit words: what a kernel and all its descendants share, and where the rest of
 * it lies (docs/device-enqueue.md). The library's enqueue.cl has the same numbers. */
enum clc_enqueue_word {
    CLC_ENQUEUE_USED,          /* bytes of records so far; kernels add to it */
    CLC_ENQUEUE_CAPACITY,      /* bytes of records at most */
    CLC_ENQUEUE_NUM_QUEUES,    /* queue_t is a number from 1 to this one; 0 is CLK_NULL_QUEUE */
    CLC_ENQUEUE_DEFAULT_QUEUE, /* the one of get_default_queue(), or 0 */
    CLC_ENQUEUE_EVENTS_TAKEN,  /* numbers of events taken so far; kernels add to it */
    CLC_ENQUEUE_EVENTS_LEFT,   /* how many may be */
    CLC_ENQUEUE_EVENTS_LISTED, /* how many of these are on the list of free numbers */
    CLC_ENQUEUE_EVENTS_FRESH,  /* the first number behind those of the list */
    CLC_ENQUEUE_MAX_EVENTS,    /* numbers of events in all */
    CLC_ENQUEUE_MAX_ITEMS,     /* of a work-group */
    CLC_ENQUEUE_MAX_SIZE,      /* three words: the same in each dimension */
    CLC_ENQUEUE_SUBGROUP = 13, /* the size of a sub-group */
    CLC_ENQUEUE_RECORDS,       /* two words: the device's address of the first record */
    CLC_ENQUEUE_EVENTS = 16,   /* two words: the address of the events */
    CLC_ENQUEUE_LIST = 18,     /* two words: the address of the list of free numbers */
    CLC_ENQUEUE_QUEUES = 20,   /* two words for each queue: bytes of its records at most, and bytes so far */
    CLC_ENQUEUE_MAX_QUEUES = 64
};

/* An event: clk_event_t is its generation above bit 32 and its number + 1 below. */
struct clc_enqueue_event {
    uint32_t generation, references;
    int32_t status; /* of user events: CL_SUBMITTED until it is set */
    uint32_t is_user;
    uint64_t profile;  /* address to which capture_event_profiling_info() wants the two times; 0: none */
    uint64_t times[2]; /* ns: of the command, and with its descendants; once it is_complete */
    uint32_t is_complete, unused;
};

/* A record: what one call of enqueue_kernel() or enqueue_marker() left, in as few 32-bit words as its values take. Its
 * first words are
 * - its bytes in all (a multiple of 4), and from bit CLC_RECORD_ALIGN_SHIFT on log2 of the captured values' alignment;
 * - CLC_LAUNCH_ENQUEUE_PARENT of the launch that wrote it, from bit 8 on the queue, from bit 16 on the number of local
 *   arguments, from bit 24 on the shape;
 * - the block, and from bit 16 on the number of events that it waits for;
 * - its event's number + 1, or 0.
 *
 * Behind them are the offsets, global sizes and local sizes in each dimension, as far as the shape says that they are
 * there (missing offsets are 0, missing local sizes are not given; first the low halves of all of them, then the high
 * ones where the shape says so), the numbers + 1 of the events, the bytes of the local arguments, and what the block
 * captured, which is padded with up to 3 bytes. */
enum clc_record {
    CLC_RECORD_WORDS = 4,
    CLC_RECORD_ALIGN_SHIFT = 24,
    CLC_RECORD_DIMS = 3, /* the bits of a shape: the dimensions, 0 for a marker */
    CLC_RECORD_OFFSET = 4,
    CLC_RECORD_LOCAL = 8,
    CLC_RECORD_WIDE = 16,              /* sizes have 64 bits */
    CLC_RECORD_MOST_BYTES = 128 << 10, /* of one record */
};

struct clc_lowering {
    const char *kernel;
    /* Filled: */
    struct clc_lowered *lowered; /* the caller's to destroy; NULL where it failed */
    char *message;               /* malloc'ed, as above */
    enum clc_result result;
};
typedef void clc_lowering_done(void *data, struct clc_lowering *kernel);
/* The same for several kernels of a program, by several threads where there is enough to do; they have ended when it
 * returns. done (or NULL) is told each kernel as soon as it is filled: in any order and by any of the threads, but
 * never by two at once. */
void clc_lower_kernels(const struct clc_program *program, struct clc_lowering *kernels, uint32_t count,
                       const struct clc_lower_options *options, clc_lowering_done *done, void *data);

/* Formats the records of a printf buffer (words after the two header words, used bytes) to text; writes through the
 * callback. Tolerates a damaged buffer. OpenCL C 3.0, 6.15.14. */
void clc_printf_write(const struct clc_printf_format *formats, uint32_t num_formats, const char *const *strings,
                      uint32_t num_strings, const void *records, size_t size,
                      void (*write)(void *data, const char *text, size_t length), void *data);

/* Turns a module to text (spirv-as syntax); malloc'ed. For `pumice compile` and dumps. */
char *clc_disassemble(const uint32_t *words, size_t num_words);

/* Runs SPIRV-Tools' validator, where built with it. environment: "opencl" or "vulkan". CLC_SUCCESS: valid (or not built
 * in); CLC_INVALID_BINARY: *message (malloc'ed) says why; CLC_OUT_OF_MEMORY: nobody knows. */
enum clc_result clc_check_valid(const uint32_t *words, size_t num_words, const char *environment, char **message);
/* The same for tests and tools: NULL when valid, else a malloc'ed message. */
char *clc_validate(const uint32_t *words, size_t num_words, const char *environment);

#endif
