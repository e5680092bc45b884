/* Link names of overloadable functions: Itanium's mangling as clang writes it for OpenCL, so that our objects and
 * clang's agree. Substitutions (S_, S0_, ...) stand for types seen before; built-in types are never substituted. */
#include "compiler/front/sema/sema.h"

struct mangler {
    struct clc_front *front;
    struct str out;
    VEC(struct qual_type) seen; /* what S_, S0_... stand for */
};

static bool same(struct qual_type a, struct qual_type b)
{
    return a.type == b.type && a.quals == b.quals && a.address_space == b.address_space;
}

static bool substitute(struct mangler *m, struct qual_type type)
{
    for (uint32_t i = 0; i < m->seen.length; i++) {
        if (!same(m->seen.data[i], type))
            continue;
        str_putc(&m->out, 'S');
        if (i) { /* base 36 of i - 1 */
            char digits[8];
            uint32_t n = 0, value = i - 1;
            do
                digits[n++] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % 36];
            while ((value /= 36) != 0);
            while (n)
                str_putc(&m->out, digits[--n]);
        }
        str_putc(&m->out, '_');
        return true;
    }
    return false;
}

static void remember(struct mangler *m, struct qual_type type)
{
    type.sugar = NULL;
    type.sugar_depth = 0;
    vec_push(m->front->arena, &m->seen, type);
}

static const char *builtin_code(enum type_kind kind)
{
    static const char *const codes[TYPE_DOUBLE + 1] = {
        [TYPE_VOID] = "v",   [TYPE_BOOL] = "b",  [TYPE_CHAR] = "c",   [TYPE_UCHAR] = "h", [TYPE_SHORT] = "s",
        [TYPE_USHORT] = "t", [TYPE_INT] = "i",   [TYPE_UINT] = "j",   [TYPE_LONG] = "l",  [TYPE_ULONG] = "m",
        [TYPE_HALF] = "Dh",  [TYPE_FLOAT] = "f", [TYPE_DOUBLE] = "d",
    };
    return kind <= TYPE_DOUBLE && codes[kind] ? codes[kind] : "v";
}

static void put_name(struct mangler *m, const char *name)
{
    str_printf(&m->out, "%u%s", (unsigned)strlen(name), name);
}

static void mangle_type(struct mangler *m, struct qual_type type, bool is_pointee, uint32_t depth);

static const char *image_code(struct mangler *m, const struct type *type)
{
    static const char *const names[IMAGE_3D + 1] = {
        [IMAGE_1D] = "image1d",
        [IMAGE_1D_ARRAY] = "image1d_array",
        [IMAGE_1D_BUFFER] = "image1d_buffer",
        [IMAGE_2D] = "image2d",
        [IMAGE_2D_ARRAY] = "image2d_array",
        [IMAGE_2D_DEPTH] = "image2d_depth",
        [IMAGE_2D_ARRAY_DEPTH] = "image2d_array_depth",
        [IMAGE_2D_MSAA] = "image2d_msaa",
        [IMAGE_2D_ARRAY_MSAA] = "image2d_array_msaa",
        [IMAGE_2D_MSAA_DEPTH] = "image2d_msaa_depth",
        [IMAGE_2D_ARRAY_MSAA_DEPTH] = "image2d_array_msaa_depth",
        [IMAGE_3D] = "image3d",
    };
    const char *access = type->image.access & QUAL_WRITE_ONLY   ? "wo"
                         : type->image.access & QUAL_READ_WRITE ? "rw"
                                                                : "ro";
    return arena_printf(m->front->arena, "ocl_%s_%s", names[type->image.dim], access);
}

static void mangle_unqualified(struct mangler *m, const struct type *type, uint32_t depth)
{
    switch (type->kind) {
    case TYPE_VECTOR:
        str_printf(&m->out, "Dv%u_%s", type->vector.count, builtin_code(type->vector.element->kind));
        break;
    case TYPE_MATRIX: { /* a vendor's type: the ABI has none */
        static const char *const codes[] = {[MATRIX_BFLOAT16] = "bf16", [MATRIX_E4M3] = "e4m3", [MATRIX_E5M2] = "e5m2"};
        const char *code = codes[type->matrix.encoding];
        str_putc(&m->out, 'u');
        put_name(m, arena_printf(m->front->arena, "coop_mat_%s_%u_%u_%u",
                                 code ? code : builtin_code(type->matrix.element->kind), type->matrix.rows,
                                 type->matrix.columns, (unsigned)type->matrix.use));
        break;
    }
    case TYPE_POINTER:
        str_putc(&m->out, 'P');
        mangle_type(m, type->pointer.pointee, true, depth);
        break;
    case TYPE_BLOCK:
        str_puts(&m->out, "U13block_pointer");
        mangle_type(m, type->pointer.pointee, false, depth);
        break;
    case TYPE_ARRAY:
        str_printf(&m->out, "A%llu_", (unsigned long long)type->array.count);
        mangle_type(m, type->array.element, false, depth);
        break;
    case TYPE_FUNCTION:
        str_putc(&m->out, 'F');
        mangle_type(m, type->function.result, false, depth);
        for (uint32_t i = 0; i < type->function.num_params; i++)
            mangle_type(m, type->function.params[i], false, depth);
        if (!type->function.num_params)
            str_putc(&m->out, 'v');
        str_putc(&m->out, 'E');
        break;
    case TYPE_STRUCT:
    case TYPE_UNION:
        put_name(m, type->record.tag && type->record.tag->name ? type->record.tag->name->name : "$_0");
        break;
    case TYPE_ENUM:
        put_name(m, type->enumeration.tag && type->enumeration.tag->name ? type->enumeration.tag->name->name : "$_0");
        break;
    case TYPE_IMAGE:
        put_name(m, image_code(m, type));
        break;
    case TYPE_SAMPLER:
        put_name(m, "ocl_sampler");
        break;
    case TYPE_EVENT:
        put_name(m, "ocl_event");
        break;
    case TYPE_QUEUE:
        put_name(m, "ocl_queue");
        break;
    case TYPE_NDRANGE:
        put_name(m, "ndrange_t");
        break;
    case TYPE_CLK_EVENT:
        put_name(m, "ocl_clkevent");
        break;
    case TYPE_RESERVE_ID:
        put_name(m, "ocl_reserveid");
        break;
    case TYPE_PIPE:
        put_name(m, "ocl_pipe");
        break;
    default:
        str_puts(&m->out, builtin_code(type->kind));
        break;
    }
}

/* Qualifiers in clang's order: vendor ones (the address space) before r, V, K. A qualified type is one substitution and
 * its unqualified type another. */
static void mangle_type(struct mangler *m, struct qual_type type, bool is_pointee, uint32_t depth)
{
    enum { PRIVATE_POINTEE = 128 }; /* beside the QUAL_* */
    type.quals &= QUAL_CONST | QUAL_VOLATILE | QUAL_RESTRICT | QUAL_ATOMIC;
    if (is_pointee && type.address_space == AS_PRIVATE && type.type->kind != TYPE_FUNCTION)
        type.quals |= PRIVATE_POINTEE;
    struct qual_type plain = qt(type.type);
    bool qualified = type.quals || type.address_space != AS_PRIVATE;
    bool basic = type.type->kind <= TYPE_DOUBLE;
    if (depth > SEMA_MAX_NESTING || ((qualified || !basic) && substitute(m, type)))
        return;
    if (qualified) {
        if (type.address_space != AS_PRIVATE)
            str_printf(&m->out, "U3AS%u", type.address_space);
        if (type.quals & QUAL_RESTRICT)
            str_putc(&m->out, 'r');
        if (type.quals & QUAL_VOLATILE)
            str_putc(&m->out, 'V');
        if (type.quals & QUAL_CONST)
            str_putc(&m->out, 'K');
        if (type.quals & QUAL_ATOMIC) {
            str_puts(&m->out, "U7_Atomic");
            mangle_type(m, plain, false, depth + 1);
            struct qual_type atomic = plain;
            atomic.quals = QUAL_ATOMIC;
            if (type.quals != QUAL_ATOMIC || type.address_space != AS_PRIVATE)
                remember(m, atomic);
        } else {
            mangle_type(m, plain, false, depth + 1);
        }
        remember(m, type);
        return;
    }
    mangle_unqualified(m, type.type, depth + 1);
    if (!basic)
        remember(m, plain);
}

const char *clc_mangle(struct clc_front *front, struct ident *name, const struct type *function)
{
    struct mangler m = {.front = front};
    str_init(&m.out, front->arena);
    str_puts(&m.out, "_Z");
    put_name(&m, name->name);
    for (uint32_t i = 0; i < function->function.num_params; i++)
        mangle_type(&m, function->function.params[i], false, 0);
    if (!function->function.num_params)
        str_putc(&m.out, 'v');
    return str_text(&m.out);
}
