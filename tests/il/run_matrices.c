/* Cooperative matrices (cl_khr_cooperative_matrix): every multiplication that the device lists, and for one matrix of each
 * component and use what else is done with matrices, beside the same on the host. Numbers are such that floats are
 * exact, and integers use all their bits. */
#include "compiler/spv/spv.h"
#include "tests/support/check.h"
#include "tests/support/opencl.h"

#include "base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SUB_GROUP_VARIANTS = 0x1078, STRIDE_MULTIPLE = 0x107B, MOST_BYTES = 32 * (32 + 16) * 8 };
enum component {
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    BF16,
    E4M3,
    E5M2
}; /* BF16 and above: never listed */

struct variant {
    cl_uint m, n, k, a, b, c, result;
    cl_bool saturating;
};

typedef cl_int CL_API_CALL matrix_info(cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);

static const char *const names[] = {"f16", "f32", "f64", "i8",  "i16",  "i32",  "i64",
                                    "i8",  "i16", "i32", "i64", "bf16", "e4m3", "e5m2"};
static const uint32_t sizes[] = {2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 1, 1};

static bool is_float(uint32_t component)
{
    return component <= F64 || component >= BF16;
}

/* Whether its elements are codes, with which nobody computes. */
static bool is_encoded(uint32_t component)
{
    return component >= BF16;
}

static bool is_signed(uint32_t component)
{
    return component >= S8 && component <= S64;
}

/* ---- matrices on the host ---- */

struct matrix {
    uint32_t component, rows, columns;
    bool by_columns;
    union { /* by rows */
        double floats[32 * 32];
        int64_t ints[32 * 32]; /* as the component's bits are extended */
    };
};

static int64_t extend(uint32_t component, uint64_t bits)
{
    uint32_t shift = 64 - sizes[component] * 8;
    return is_signed(component) ? (int64_t)(bits << shift) >> shift : (int64_t)(bits << shift >> shift);
}

static uint64_t mix(uint64_t x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static void fill(struct matrix *matrix, uint32_t seed)
{
    for (uint32_t i = 0; i < matrix->rows * matrix->columns; i++) {
        uint64_t bits = mix(mix(seed) + i);
        if (is_float(matrix->component))
            matrix->floats[i] = ((double)(bits >> 40 & 7) - 3.5) / 2;
        else
            matrix->ints[i] = extend(matrix->component, bits >> 8);
    }
}

static cl_uint stride_multiple; /* bytes, of the device */

/* From the start of a row, or column, to that of the next one, which does not follow at once. */
static uint32_t stride(const struct matrix *matrix)
{
    uint32_t least = (matrix->by_columns ? matrix->rows : matrix->columns) + 1, size = sizes[matrix->component];
    uint32_t multiple = stride_multiple > size * 4 ? stride_multiple / size : 4;
    return (least + multiple - 1) / multiple * multiple;
}

/* The element's place in a buffer. */
static uint32_t place(const struct matrix *matrix, uint32_t row, uint32_t column)
{
    return matrix->by_columns ? column * stride(matrix) + row : row * stride(matrix) + column;
}

/* To the nearest. The numbers of the tests are neither subnormal nor too large. */
static uint64_t code_of(uint32_t component, double number)
{
    uint32_t fraction = component == BF16 ? 7 : component == E4M3 ? 3 : 2;
    uint32_t bias = component == BF16 ? 127 : component == E4M3 ? 7 : 15;
    uint32_t cut = 23 - fraction;
    uint64_t bits = float_to_bits(number, 32), magnitude = bits & 0x7fffffff;
    if (!magnitude)
        return 0;
    magnitude = (magnitude + (1u << (cut - 1)) - 1 + (magnitude >> cut & 1)) >> cut;
    return bits >> 31 << (sizes[component] * 8 - 1) | (magnitude - ((uint64_t)(127 - bias) << fraction));
}

static void put(uint32_t component, void *at, double number, int64_t bits)
{
    uint16_t half = (uint16_t)float_to_bits(number, 16);
    float single = (float)number;
    uint64_t code = is_encoded(component) ? code_of(component, number) : 0;
    const void *from = is_encoded(component) ? (void *)&code
                       : component == F16    ? (void *)&half
                       : component == F32    ? (void *)&single
                                             : (void *)&number;
    memcpy(at, is_float(component) ? from : (const void *)&bits, sizes[component]);
}

static void pack(const struct matrix *matrix, uint8_t *bytes)
{
    memset(bytes, 0x5a, MOST_BYTES);
    for (uint32_t i = 0; i < matrix->rows * matrix->columns; i++) {
        uint32_t at = place(matrix, i / matrix->columns, i % matrix->columns) * sizes[matrix->component];
        put(matrix->component, bytes + at, matrix->floats[i], matrix->ints[i]);
    }
}

/* ---- kernels ---- */

struct text {
    char bytes[16384];
    size_t length;
};

static void say(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->bytes + text->length, sizeof(text->bytes) - text->length, format, args);
    va_end(args);
    text->length += length > 0 ? (size_t)length : 0;
}

static void begin(struct text *text, const struct test_device *device)
{
    bool half = test_has_extension(device, "cl_khr_fp16"), wide = test_has_extension(device, "cl_khr_fp64");
    text->length = 0;
    say(text,
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64\n");
    say(text, "%s%s", half ? "OpCapability Float16\n" : "", wide ? "OpCapability Float64\n" : "");
    say(text, "OpCapability CooperativeMatrixKHR\nOpCapability BFloat16TypeKHR\n"
              "OpCapability BFloat16CooperativeMatrixKHR\nOpCapability Float8EXT\n"
              "OpCapability Float8CooperativeMatrixEXT\nOpExtension \"SPV_KHR_bfloat16\"\n"
              "OpExtension \"SPV_EXT_float8\"\nOpExtension \"SPV_KHR_cooperative_matrix\"\n"
              "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%main \"main\" %%width\n"
              "OpDecorate %%width BuiltIn SubgroupMaxSize\n%%void = OpTypeVoid\n%%bool = OpTypeBool\n");
    say(text, "%%i8 = OpTypeInt 8 0\n%%i16 = OpTypeInt 16 0\n%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n");
    say(text,
        "%%bf16 = OpTypeFloat 16 0\n%%e4m3 = OpTypeFloat 8 4214\n%%e5m2 = OpTypeFloat 8 4215\n%s%%f32 = OpTypeFloat "
        "32\n%s",
        half ? "%f16 = OpTypeFloat 16\n" : "", wide ? "%f64 = OpTypeFloat 64\n" : "");
    say(text, "%%in = OpTypePointer Input %%i32\n%%width = OpVariable %%in Input\n");
    for (uint32_t i = 0; i <= 48; i++)
        say(text, "%%u%u = OpConstant %%i32 %u\n", i, i);
    say(text, "%%u1000 = OpConstant %%i32 1000\n%%order = OpConstant %%i32 0x118\n");
}

static void say_pointer(struct text *text, uint32_t component, char name)
{
    say(text, "%%p%c = OpTypePointer CrossWorkgroup %%%s\n", name, names[component]);
}

static void say_type(struct text *text, const char *name, const struct matrix *matrix, uint32_t use)
{
    say(text, "%%%s = OpTypeCooperativeMatrixKHR %%%s %%u3 %%u%u %%u%u %%u%u\n", name, names[matrix->component],
        matrix->rows, matrix->columns, use);
}

static void say_load(struct text *text, const char *name, const char *type, char pointer, const struct matrix *matrix)
{
    say(text, "%%%s = OpCooperativeMatrixLoadKHR %%%s %%%c %%u%u %%u%u\n", name, type, pointer, matrix->by_columns,
        stride(matrix));
}

static void say_store(struct text *text, const char *name, char pointer, const struct matrix *matrix)
{
    say(text, "OpCooperativeMatrixStoreKHR %%%c %%%s %%u%u %%u%u\n", pointer, name, matrix->by_columns, stride(matrix));
}

static cl_program build(const struct test_device *device, const struct text *text)
{
    jmp_buf out_of_memory;
    struct arena arena;
    const char *error = "no memory";
    size_t count = 0;
    cl_program volatile program = NULL;
    arena_init(&arena, &out_of_memory, 0);
    if (!setjmp(out_of_memory)) {
        uint32_t *words = spv_assemble(&arena, text->bytes, &count, &error);
        if (words)
            program = clCreateProgramWithIL(device->context, words, count * sizeof(*words), NULL);
        else
            fprintf(stderr, "%s\n", error);
    }
    arena_finish(&arena);
    return test_build_program(device, program, "", false);
}

/* cl_khr_cooperative_matrix: without full sub-groups behaviour is undefined. Where the device multiplies, which its strides
 * tell, that is an error. */
static bool answers_few(const struct test_device *device, cl_kernel kernel)
{
    const size_t few = 4;
    cl_int code = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &few, &few, 0, NULL, NULL);
    return clFinish(device->queue) == CL_SUCCESS &&
           (code == CL_SUCCESS || (stride_multiple > 1 && code == CL_INVALID_WORK_GROUP_SIZE));
}

/* The kernel's arguments are buffers of these bytes; the last one is read back. One work-group of full sub-groups. */
static bool run(const struct test_device *device, const struct text *text, uint8_t (*bytes)[MOST_BYTES], uint32_t count)
{
    cl_mem buffers[8] = {0};
    const size_t size = 128;
    cl_program program = build(device, text);
    cl_kernel kernel = program ? clCreateKernel(program, "main", NULL) : NULL;
    bool ran = kernel != NULL;
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = test_buffer_of(device, MOST_BYTES, bytes[i]);
        ran = ran && clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]) == CL_SUCCESS;
    }
    ran = ran && answers_few(device, kernel);
    ran = ran && clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL) == CL_SUCCESS &&
          clEnqueueReadBuffer(device->queue, buffers[count - 1], CL_TRUE, 0, MOST_BYTES, bytes[count - 1], 0, NULL,
                              NULL) == CL_SUCCESS;
    test_release_buffers(buffers, count);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    return ran;
}

static uint8_t bytes[8][MOST_BYTES], expected[MOST_BYTES];

static bool compare(const char *what, const struct matrix *wanted, const uint8_t *got)
{
    pack(wanted, expected);
    for (uint32_t i = 0; i < MOST_BYTES; i++) {
        if (got[i] == expected[i])
            continue;
        fprintf(stderr, "%s: byte %u is 0x%02x, not 0x%02x\n", what, i, got[i], expected[i]);
        return false;
    }
    return true;
}

/* ---- multiplication ---- */

static void multiply(const struct variant *v, const struct matrix *a, const struct matrix *b, const struct matrix *c,
                     struct matrix *result)
{
    for (uint32_t i = 0; i < v->m * v->n; i++) {
        double sum = 0;
        uint64_t bits = 0;
        for (uint32_t k = 0; k < v->k; k++) {
            uint32_t left = i / v->n * v->k + k, right = k * v->n + i % v->n;
            if (is_float(v->a))
                sum += a->floats[left] * b->floats[right];
            else
                bits += (uint64_t)a->ints[left] * (uint64_t)b->ints[right];
        }
        if (is_float(v->c)) {
            result->floats[i] = sum + c->floats[i];
            continue;
        }
        int64_t all = (int64_t)(bits + (uint64_t)c->ints[i]), least = v->result == S32 ? INT32_MIN : 0;
        int64_t most = v->result == S32 ? INT32_MAX : UINT32_MAX;
        if (v->saturating)
            all = all < least ? least : all > most ? most : all;
        result->ints[i] = extend(v->result, (uint64_t)all);
    }
}

static void test_variant(const struct test_device *device, const struct variant *v, uint32_t layouts)
{
    static struct matrix a, b, c, result;
    static struct text text;
    char what[80];
    a = (struct matrix){.component = v->a, .rows = v->m, .columns = v->k, .by_columns = layouts & 1};
    b = (struct matrix){.component = v->b, .rows = v->k, .columns = v->n, .by_columns = layouts & 2};
    c = (struct matrix){.component = v->c, .rows = v->m, .columns = v->n, .by_columns = layouts & 4};
    result = (struct matrix){.component = v->result, .rows = v->m, .columns = v->n, .by_columns = layouts & 8};
    fill(&a, 1), fill(&b, 2), fill(&c, 3);
    multiply(v, &a, &b, &c, &result);
    pack(&a, bytes[0]), pack(&b, bytes[1]), pack(&c, bytes[2]);
    memset(bytes[3], 0x5a, MOST_BYTES);
    begin(&text, device);
    const struct matrix *all[] = {&a, &b, &c, &result};
    for (uint32_t i = 0; i < 4; i++)
        say_pointer(&text, all[i]->component, (char)('a' + i));
    say_type(&text, "A", &a, 0), say_type(&text, "B", &b, 1), say_type(&text, "C", &c, 2);
    say(&text, "%%ft = OpTypeFunction %%void %%pa %%pb %%pc %%pd\n%%main = OpFunction %%void None %%ft\n");
    for (uint32_t i = 0; i < 4; i++)
        say(&text, "%%%c = OpFunctionParameter %%p%c\n", 'a' + i, 'a' + i);
    say(&text, "%%l = OpLabel\n");
    say_load(&text, "x", "A", 'a', &a), say_load(&text, "y", "B", 'b', &b), say_load(&text, "z", "C", 'c', &c);
    say(&text, "%%r = OpCooperativeMatrixMulAddKHR %%C %%x %%y %%z NoneKHR%s%s%s%s%s\n",
        is_signed(v->a) ? "|MatrixASignedComponentsKHR" : "", is_signed(v->b) ? "|MatrixBSignedComponentsKHR" : "",
        is_signed(v->c) ? "|MatrixCSignedComponentsKHR" : "",
        is_signed(v->result) ? "|MatrixResultSignedComponentsKHR" : "",
        v->saturating ? "|SaturatingAccumulationKHR" : "");
    say_store(&text, "r", 'd', &result);
    say(&text, "OpReturn\nOpFunctionEnd\n");
    snprintf(what, sizeof(what), "%ux%ux%u of types %u %u %u, saturating %u, layouts %u", v->m, v->n, v->k, v->a, v->b,
             v->c, v->saturating, layouts);
    CHECK(run(device, &text, bytes, 4) && compare(what, &result, bytes[3]));
}

/* ---- what else is done with matrices ---- */

enum operation { ADD, SUB, MUL, DIV, NEGATE, SCALE, LOCAL, LOOP, CALL, CHOOSE, INSERT, VECTORS, OPERATIONS };

static void say_operation(struct text *text, uint32_t operation, const struct matrix *x)
{
    char kind = is_float(x->component) ? 'F' : 'I', sign = is_float(x->component) ? 'F' : 'S';
    char division = is_float(x->component) ? 'F' : is_signed(x->component) ? 'S' : 'U';
    switch (operation) {
    case ADD:
        say(text, "%%r = Op%cAdd %%M %%x %%y\n", kind);
        break;
    case SUB:
        say(text, "%%r = Op%cSub %%M %%x %%y\n", kind);
        break;
    case MUL:
        say(text, "%%r = Op%cMul %%M %%x %%y\n", kind);
        break;
    case DIV: /* by a power of two, which is exact */
        say(text, "%%two = OpCompositeConstruct %%M %%c2\n%%r = Op%cDiv %%M %%x %%two\n", division);
        break;
    case NEGATE:
        say(text, "%%r = Op%cNegate %%M %%x\n", sign);
        break;
    case SCALE:
        say(text, "%%r = OpMatrixTimesScalar %%M %%x %%c2\n");
        break;
    case LOCAL: /* there by columns, back by rows: transposed if it is square */
        say(text,
            "%%at = OpInBoundsAccessChain %%local %%memory %%u0\n"
            "OpCooperativeMatrixStoreKHR %%at %%x %%u1 %%u%u\nOpControlBarrier %%u2 %%u2 %%order\n"
            "%%r = OpCooperativeMatrixLoadKHR %%M %%at %%u1 %%u%u\n",
            stride(x), stride(x));
        break;
    case LOOP: /* 2 is added to each component, by a chain into an array of matrices */
        say(text,
            "%%start = OpCompositeConstruct %%pair %%seven %%x\nOpStore %%variable %%start\n"
            "%%length = OpCooperativeMatrixLengthKHR %%i32 %%M\nOpBranch %%head\n%%head = OpLabel\n"
            "%%i = OpPhi %%i32 %%u0 %%entry %%next %%body\n%%more = OpULessThan %%bool %%i %%length\n"
            "OpLoopMerge %%done %%body None\nOpBranchConditional %%more %%body %%done\n%%body = OpLabel\n"
            "%%element = OpInBoundsAccessChain %%private %%variable %%u1 %%i\n"
            "%%old = OpLoad %%%s %%element\n%%new = Op%cAdd %%%s %%old %%c2\nOpStore %%element %%new\n"
            "%%next = OpIAdd %%i32 %%i %%u1\nOpBranch %%head\n%%done = OpLabel\n"
            "%%which = OpInBoundsAccessChain %%pm %%variable %%u1\n%%r = OpLoad %%M %%which\n",
            names[x->component], kind, names[x->component]);
        break;
    case CALL:
        say(text, "%%r = OpFunctionCall %%M %%sum %%x %%y\n");
        break;
    case CHOOSE: /* by a branch, then by a selection */
        say(text,
            "%%size = OpLoad %%i32 %%width\n%%few = OpULessThan %%bool %%size %%u4\nOpSelectionMerge %%joined None\n"
            "OpBranchConditional %%few %%then %%joined\n%%then = OpLabel\nOpBranch %%joined\n%%joined = OpLabel\n"
            "%%first = OpPhi %%M %%y %%entry %%seven %%then\n%%r = OpSelect %%M %%few %%seven %%first\n");
        break;
    case INSERT: /* what the indices say that no work-item has may not be looked at */
        say(text,
            "%%e = OpCompositeExtract %%%s %%y 0\n%%i = OpCompositeInsert %%M %%c2 %%x 0\n"
            "%%back = OpCompositeExtract %%%s %%x 0\n%%j = OpCompositeInsert %%M %%back %%i 0\n"
            "%%beyond = OpCompositeInsert %%M %%e %%j %u\n%%r = OpCopyObject %%M %%beyond\n",
            names[x->component], names[x->component], x->rows * x->columns - 1);
        break;
    default: /* loaded through a pointer to vectors, whose size counts the stride */
        say(text,
            "%%va = OpBitcast %%pv %%a\n%%r = OpCooperativeMatrixLoadKHR %%M %%va %%u%u %%u%u Volatile|Aligned %u\n",
            x->by_columns, stride(x) / 4, sizes[x->component]);
        break;
    }
}

static void apply(uint32_t operation, const struct matrix *x, const struct matrix *y, struct matrix *r)
{
    for (uint32_t i = 0; i < x->rows * x->columns; i++) {
        double f = x->floats[i], g = y->floats[i];
        uint64_t a = (uint64_t)x->ints[i], b = (uint64_t)y->ints[i];
        const double floats[] = {f + g, f - g, f * g, f / 2, -f, f * 2, f, f + 2, f + g, g, f, f};
        const int64_t half = x->component >= U8 ? (int64_t)(a / 2) : x->ints[i] / 2;
        const uint64_t ints[] = {a + b, a - b, a * b, (uint64_t)half, 0 - a, a * 2, a, a + 2, a + b, b, a, a};
        if (is_float(x->component))
            r->floats[i] = floats[operation];
        else
            r->ints[i] = extend(x->component, ints[operation]);
    }
}

static void test_operation(const struct test_device *device, const struct matrix *type, uint32_t use,
                           uint32_t operation)
{
    static struct matrix x, y, r;
    static struct text text;
    char what[80];
    const char *component = names[type->component];
    x = y = r = *type;
    x.by_columns = operation & 1;
    r.by_columns = operation & 2;
    fill(&x, 4 + operation), fill(&y, 40 + operation);
    apply(operation, &x, &y, &r);
    pack(&x, bytes[0]), pack(&y, bytes[1]);
    memset(bytes[2], 0x5a, MOST_BYTES);
    begin(&text, device);
    say_pointer(&text, type->component, 'a');
    say_type(&text, "M", type, use);
    bool encoded = is_encoded(type->component);
    char two[16] = "2", seven[16] = "7";
    if (encoded) {
        snprintf(two, sizeof(two), "%u", (unsigned)code_of(type->component, 2));
        snprintf(seven, sizeof(seven), "%u", (unsigned)code_of(type->component, 7));
    }
    say(&text, "%%c2 = OpConstant %%%s %s\n%%c7 = OpConstant %%%s %s\n%%seven = OpConstantComposite %%M %%c7\n",
        component, two, component, seven);
    say(&text,
        "%%pair = OpTypeArray %%M %%u2\n%%pp = OpTypePointer Function %%pair\n%%pm = OpTypePointer Function %%M\n"
        "%%private = OpTypePointer Function %%%s\n%%space = OpTypeArray %%%s %%u1000\n"
        "%%pspace = OpTypePointer Workgroup %%space\n%%local = OpTypePointer Workgroup %%%s\n"
        "%%memory = OpVariable %%pspace Workgroup\n%%vector = OpTypeVector %%%s 4\n"
        "%%pv = OpTypePointer CrossWorkgroup %%vector\n",
        component, component, component, component);
    say(&text,
        "%%ft = OpTypeFunction %%void %%pa %%pa %%pa\n%%st = OpTypeFunction %%M %%M %%M\n"
        "%%sum = OpFunction %%M None %%st\n%%left = OpFunctionParameter %%M\n%%right = OpFunctionParameter %%M\n"
        "%%inside = OpLabel\n%%added = Op%s\nOpReturnValue %%added\nOpFunctionEnd\n",
        encoded                     ? "CopyObject %M %left"
        : is_float(type->component) ? "FAdd %M %left %right"
                                    : "IAdd %M %left %right");
    say(&text, "%%main = OpFunction %%void None %%ft\n%%a = OpFunctionParameter %%pa\n%%b = OpFunctionParameter %%pa\n"
               "%%c = OpFunctionParameter %%pa\n%%entry = OpLabel\n"
               "%%variable = OpVariable %%pp Function\n");
    say_load(&text, "x", "M", 'a', &x), say_load(&text, "y", "M", 'b', &y);
    say_operation(&text, operation, &x);
    say_store(&text, "r", 'c', &r);
    say(&text, "OpReturn\nOpFunctionEnd\n");
    snprintf(what, sizeof(what), "operation %u on %ux%u of type %u, use %u", operation, type->rows, type->columns,
             type->component, use);
    CHECK(run(device, &text, bytes, 3) && compare(what, &r, bytes[2]));
}

/* ---- conversions ---- */

static void convert(const struct matrix *x, struct matrix *r)
{
    for (uint32_t i = 0; i < x->rows * x->columns; i++) {
        double number = is_float(x->component) ? x->floats[i] : (double)x->ints[i];
        if (is_float(r->component))
            r->floats[i] = number;
        else
            r->ints[i] = is_float(x->component) ? (int64_t)number : extend(r->component, (uint64_t)x->ints[i]);
    }
}

static const char *conversion(const struct matrix *x, const struct matrix *r)
{
    if (is_float(x->component))
        return is_float(r->component) ? "FConvert" : is_signed(r->component) ? "ConvertFToS" : "ConvertFToU";
    if (is_float(r->component))
        return is_signed(x->component) ? "ConvertSToF" : "ConvertUToF";
    if (sizes[x->component] == sizes[r->component])
        return "Bitcast";
    return is_signed(x->component) ? "SConvert" : "UConvert";
}

/* Numbers that both types have exactly, and that a conversion to integers rounds to nothing else. */
static void fill_common(struct matrix *x, const struct matrix *r)
{
    bool positive =
        !is_float(x->component) ? !is_signed(x->component) : !is_float(r->component) && !is_signed(r->component);
    bool e5m2 = x->component == E5M2 || r->component == E5M2, e4m3 = x->component == E4M3 || r->component == E4M3;
    int64_t most = e5m2 ? 7 : e4m3 ? 15 : 63;
    for (uint32_t i = 0; i < x->rows * x->columns; i++) {
        int64_t number = (int64_t)(mix(i) >> 40 & (uint64_t)most) - (positive ? 0 : most / 2);
        if (is_float(x->component))
            x->floats[i] = (double)number;
        else
            x->ints[i] = number;
    }
}

static void test_conversion(const struct test_device *device, const struct matrix *from, const struct matrix *to,
                            uint32_t use)
{
    static struct matrix x, r;
    static struct text text;
    char what[80];
    x = *from, r = *to;
    fill_common(&x, &r);
    convert(&x, &r);
    pack(&x, bytes[0]);
    memset(bytes[1], 0x5a, MOST_BYTES);
    begin(&text, device);
    bool same = !strcmp(names[from->component], names[to->component]);
    say_pointer(&text, from->component, 'a');
    if (!same)
        say_pointer(&text, to->component, 'b');
    say_type(&text, "X", &x, use);
    if (!same)
        say_type(&text, "R", &r, use);
    say(&text,
        "%%ft = OpTypeFunction %%void %%pa %%p%c\n%%main = OpFunction %%void None %%ft\n"
        "%%a = OpFunctionParameter %%pa\n%%b = OpFunctionParameter %%p%c\n%%l = OpLabel\n",
        same ? 'a' : 'b', same ? 'a' : 'b');
    say_load(&text, "x", "X", 'a', &x);
    say(&text, "%%r = Op%s %%%c %%x\n", same ? "CopyObject" : conversion(&x, &r), same ? 'X' : 'R');
    say_store(&text, "r", 'b', &r);
    say(&text, "OpReturn\nOpFunctionEnd\n");
    snprintf(what, sizeof(what), "conversion of type %u to %u, use %u", from->component, to->component, use);
    CHECK(run(device, &text, bytes, 2) && compare(what, &r, bytes[1]));
}

/* Matrices of codes are converted, and what else needs no arithmetic. */
static void test_codes(const struct test_device *device, uint32_t component)
{
    static const uint32_t others[] = {F16, S8, U8, BF16, E4M3}, operations[] = {LOCAL, CHOOSE, INSERT, VECTORS};
    for (uint32_t use = 0; use < 2; use++) {
        struct matrix type = {.component = component, .rows = 16, .columns = 16};
        for (uint32_t i = 0; i < ARRAY_LENGTH(others); i++) {
            struct matrix other = {.component = others[i], .rows = 16, .columns = 16};
            if (others[i] == component)
                continue;
            test_conversion(device, &type, &other, use);
            test_conversion(device, &other, &type, use);
        }
        for (uint32_t i = 0; i < ARRAY_LENGTH(operations); i++)
            test_operation(device, &type, use, operations[i]);
    }
}

/* ---- all ---- */

static struct variant *list_variants(const struct test_device *device, size_t *count)
{
    size_t size = 0;
    matrix_info *info;
    *(void **)&info = clGetExtensionFunctionAddressForPlatform(device->platform, "clGetDeviceCooperativeMatrixInfoKHR");
    if (!info || info(device->id, DEFAULT_SUB_GROUP_VARIANTS, 0, NULL, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    struct variant *list = malloc(size + 1);
    if (list && info(device->id, DEFAULT_SUB_GROUP_VARIANTS, 0, NULL, size, list, NULL) != CL_SUCCESS)
        size = 0;
    *count = size / sizeof(*list);
    return list;
}

/* The components that matrices of the shape have in this use. */
static uint32_t components_of(const struct variant *list, size_t count, const struct variant *shape, uint32_t use,
                              uint32_t *components)
{
    uint32_t found = 0;
    for (uint32_t component = F16; component <= U64; component++) {
        bool has = false;
        for (size_t i = 0; i < count; i++) {
            uint32_t own = use == 0 ? list[i].a : use == 1 ? list[i].b : list[i].c;
            has = has || (own == component && list[i].m == shape->m && list[i].n == shape->n && list[i].k == shape->k);
        }
        if (has)
            components[found++] = component;
    }
    return found;
}

static void test_use(const struct test_device *device, const struct variant *list, size_t count,
                     const struct variant *shape, uint32_t use)
{
    uint32_t components[U64 + 1], found = components_of(list, count, shape, use, components);
    uint32_t rows = use == 1 ? shape->k : shape->m, columns = use == 0 ? shape->k : shape->n;
    for (uint32_t i = 0; i < found; i++) {
        struct matrix type = {.component = components[i], .rows = rows, .columns = columns};
        for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
            if (use == 2 || (operation + i) % 2 == use) /* A and B are alike here */
                test_operation(device, &type, use, operation);
        }
        for (uint32_t k = 0; k < found; k++) {
            struct matrix other = {.component = components[k], .rows = rows, .columns = columns};
            if (use == 2 || (i + k) % 2 == use)
                test_conversion(device, &type, &other, use);
        }
    }
}

int main(void)
{
    struct test_device device;
    size_t count = 0;
    if (!test_find_devices(NULL, &device, 1) || !test_open_device(&device) ||
        !test_has_extension(&device, "cl_khr_cooperative_matrix")) {
        printf("no device with cl_khr_cooperative_matrix\n");
        return TEST_SKIPPED;
    }
    CHECK(clGetDeviceInfo(device.id, STRIDE_MULTIPLE, sizeof(stride_multiple), &stride_multiple, NULL) == CL_SUCCESS);
    struct variant *list = list_variants(&device, &count);
    CHECK(list && count > 0);
    for (size_t i = 0; list && i < count; i++) {
        if (list[i].m * list[i].n * list[i].k <= 8 * 8 * 16 || i % 5 == 0) /* the large ones take drivers long */
            test_variant(&device, &list[i], (uint32_t)(i + i / 16) & 15);
    }
    /* not listed, but taken */
    static const struct variant mixed[] = {
        {16, 16, 16, BF16, BF16, F32, F32, CL_FALSE}, {16, 8, 16, BF16, BF16, F32, F32, CL_FALSE},
        {8, 8, 8, BF16, BF16, F32, F32, CL_FALSE},    {16, 16, 32, E4M3, E4M3, F32, F32, CL_FALSE},
        {8, 8, 16, E4M3, E4M3, F32, F32, CL_FALSE},   {16, 16, 16, E5M2, E5M2, F32, F32, CL_FALSE},
        {8, 8, 16, S8, U8, S32, S32, CL_FALSE},       {8, 8, 16, U8, S8, S32, S32, CL_TRUE},
        {8, 8, 8, U16, S16, S32, S32, CL_FALSE}};
    for (uint32_t i = 0; list && i < ARRAY_LENGTH(mixed); i++)
        test_variant(&device, &mixed[i], i);
    for (uint32_t component = BF16; component <= E5M2; component++)
        test_codes(&device, component);
    /* The device's own, if it has any, come first. */
    static const struct variant usual = {.m = 16, .n = 16, .k = 16};
    for (uint32_t use = 0; list && use < 3; use++) {
        test_use(&device, list, count, &usual, use);
        if (list[0].m != 16 || list[0].n != 16 || list[0].k != 16)
            test_use(&device, list, count, &list[0], use);
    }
    printf("%zu multiplications\n", count);
    free(list);
    test_close_device(&device);
    return test_result();
}
