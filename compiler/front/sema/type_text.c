/* Types as text: as clang writes them in messages ("__global float4 *"), and as clGetKernelArgInfo reports them
 * ("float4*").
 *
 * C's declarators wrap around a name, so a type is written in two halves: what stands before the name and what follows
 * it. */
#include "compiler/front/sema/sema.h"

static const char *const scalar_names[TYPE_DOUBLE + 1] = {
    [TYPE_POISON] = "<error type>", [TYPE_VOID] = "void",     [TYPE_BOOL] = "bool",     [TYPE_CHAR] = "char",
    [TYPE_UCHAR] = "uchar",         [TYPE_SHORT] = "short",   [TYPE_USHORT] = "ushort", [TYPE_INT] = "int",
    [TYPE_UINT] = "uint",           [TYPE_LONG] = "long",     [TYPE_ULONG] = "ulong",   [TYPE_HALF] = "half",
    [TYPE_FLOAT] = "float",         [TYPE_DOUBLE] = "double",
};

static const char *const long_names[TYPE_DOUBLE + 1] = {
    [TYPE_UCHAR] = "unsigned char",
    [TYPE_USHORT] = "unsigned short",
    [TYPE_UINT] = "unsigned int",
    [TYPE_ULONG] = "unsigned long",
};

static const char *const image_names[IMAGE_3D + 1] = {
    [IMAGE_1D] = "image1d_t",
    [IMAGE_1D_ARRAY] = "image1d_array_t",
    [IMAGE_1D_BUFFER] = "image1d_buffer_t",
    [IMAGE_2D] = "image2d_t",
    [IMAGE_2D_ARRAY] = "image2d_array_t",
    [IMAGE_2D_DEPTH] = "image2d_depth_t",
    [IMAGE_2D_ARRAY_DEPTH] = "image2d_array_depth_t",
    [IMAGE_2D_MSAA] = "image2d_msaa_t",
    [IMAGE_2D_ARRAY_MSAA] = "image2d_array_msaa_t",
    [IMAGE_2D_MSAA_DEPTH] = "image2d_msaa_depth_t",
    [IMAGE_2D_ARRAY_MSAA_DEPTH] = "image2d_array_msaa_depth_t",
    [IMAGE_3D] = "image3d_t",
};

struct style {
    bool info;  /* for clGetKernelArgInfo: no qualifiers, no blanks before '*' */
    bool sugar; /* typedef names where they are known */
};

const char *address_space_name(uint32_t space)
{
    static const char *const names[] = {"__private", "__global", "__constant", "__local", "__generic"};
    return space <= AS_GENERIC ? names[space] : "__private";
}

static void put_qualifiers(struct str *out, struct qual_type type, bool with_private)
{
    if (type.quals & QUAL_CONST)
        str_puts(out, "const ");
    if (type.quals & QUAL_VOLATILE)
        str_puts(out, "volatile ");
    if (type.type->kind != TYPE_FUNCTION && (type.address_space != AS_PRIVATE || with_private)) {
        str_puts(out, address_space_name(type.address_space));
        str_putc(out, ' ');
    }
}

static void put_tag(struct str *out, const char *keyword, const struct decl *tag, bool anonymous_keyword)
{
    if (tag && tag->name)
        str_printf(out, "%s %s", keyword, tag->name->name);
    else
        str_printf(out, "%s%s", anonymous_keyword ? "" : keyword, anonymous_keyword ? keyword : " (anonymous)");
}

static void put_access(struct str *out, uint8_t access)
{
    str_puts(out, access & QUAL_WRITE_ONLY   ? "__write_only "
                  : access & QUAL_READ_WRITE ? "__read_write "
                                             : "__read_only ");
}

static void put_matrix(struct str *out, const struct type *type)
{
    static const char *const uses[] = {[MATRIX_A] = "A", [MATRIX_B] = "B", [MATRIX_ACCUMULATOR] = "ACCUMULATOR"};
    static const char *const attributes[] = {[MATRIX_NUMBERS] = "coop_mat",
                                             [MATRIX_BFLOAT16] = "pumice_coop_mat_bfloat16",
                                             [MATRIX_E4M3] = "pumice_coop_mat_e4m3",
                                             [MATRIX_E5M2] = "pumice_coop_mat_e5m2"};
    if (!type->matrix.rows)
        str_puts(out, "cooperative matrix");
    else
        str_printf(out, "__attribute__((%s(memory_scope_sub_group, %u, %u, CLK_COOPERATIVE_MATRIX_%s))) %s",
                   attributes[type->matrix.encoding], type->matrix.rows, type->matrix.columns, uses[type->matrix.use],
                   scalar_names[type->matrix.element->kind]);
}

static void put_base(struct str *out, struct qual_type type, struct style style)
{
    const struct type *t = type.type;
    switch (t->kind) {
    case TYPE_VECTOR:
        if (t->vector.element->kind <= TYPE_DOUBLE)
            str_printf(out, "%s%u", scalar_names[t->vector.element->kind], t->vector.count);
        break;
    case TYPE_MATRIX:
        put_matrix(out, t);
        break;
    case TYPE_STRUCT:
        put_tag(out, "struct", t->record.tag, style.info);
        break;
    case TYPE_UNION:
        put_tag(out, "union", t->record.tag, style.info);
        break;
    case TYPE_ENUM:
        put_tag(out, "enum", t->enumeration.tag, style.info);
        break;
    case TYPE_IMAGE:
        if (!style.info)
            put_access(out, t->image.access);
        str_puts(out, image_names[t->image.dim]);
        break;
    case TYPE_SAMPLER:
        str_puts(out, "sampler_t");
        break;
    case TYPE_EVENT:
        str_puts(out, "event_t");
        break;
    case TYPE_QUEUE:
        str_puts(out, "queue_t");
        break;
    case TYPE_NDRANGE:
        str_puts(out, "ndrange_t");
        break;
    case TYPE_CLK_EVENT:
        str_puts(out, "clk_event_t");
        break;
    case TYPE_RESERVE_ID:
        str_puts(out, "reserve_id_t");
        break;
    default:
        if (t->kind <= TYPE_DOUBLE)
            str_puts(out, !style.info && long_names[t->kind] ? long_names[t->kind] : scalar_names[t->kind]);
        break;
    }
}

static void put_before(struct str *out, struct qual_type type, struct style style, bool is_pointee);
static void put_after(struct str *out, struct qual_type type, struct style style);

static bool shows_sugar(struct qual_type type, struct style style)
{
    return style.sugar && type.sugar && type.sugar->name && !type.sugar_depth;
}

static bool needs_parens(struct qual_type pointee, struct style style)
{
    return !shows_sugar(pointee, style) && (pointee.type->kind == TYPE_ARRAY || pointee.type->kind == TYPE_FUNCTION);
}

static void put_pointer(struct str *out, struct qual_type type, struct style style)
{
    struct qual_type pointee = type_undo(type, type.type->pointer.pointee);
    put_before(out, pointee, style, true);
    if (needs_parens(pointee, style))
        str_puts(out, style.info ? "(" : " (");
    else if (!style.info && out->length && out->data[out->length - 1] != '*')
        str_putc(out, ' ');
    str_putc(out, type.type->kind == TYPE_BLOCK ? '^' : '*');
    if (style.info)
        return;
    if (type.quals & QUAL_CONST)
        str_puts(out, "const");
    if (type.quals & QUAL_VOLATILE)
        str_puts(out, type.quals & QUAL_CONST ? " volatile" : "volatile");
    if (type.quals & QUAL_RESTRICT)
        str_puts(out, type.quals & (QUAL_CONST | QUAL_VOLATILE) ? " restrict" : "restrict");
    if (type.address_space != AS_PRIVATE)
        str_printf(out, "%s%s", type.quals ? " " : "", address_space_name(type.address_space));
}

static void put_before(struct str *out, struct qual_type type, struct style style, bool is_pointee)
{
    const struct type *t = type.type;
    if (shows_sugar(type, style)) {
        if (!style.info)
            put_qualifiers(out, type, is_pointee);
        str_puts(out, type.sugar->name->name);
        return;
    }
    switch (t->kind) {
    case TYPE_POINTER:
    case TYPE_BLOCK:
        put_pointer(out, type, style);
        return;
    case TYPE_ARRAY: {
        struct qual_type element = type_array_element(type);
        put_before(out, element, style, is_pointee);
        return;
    }
    case TYPE_FUNCTION:
        put_before(out, type_undo(type, t->function.result), style, false);
        return;
    case TYPE_PIPE:
        if (!style.info) {
            put_access(out, t->pipe.access);
            str_puts(out, "pipe ");
        }
        put_before(out, t->pipe.packet, style, false);
        return;
    default:
        break;
    }
    if (!style.info)
        put_qualifiers(out, type, is_pointee);
    if (type.quals & QUAL_ATOMIC) {
        str_puts(out, style.info ? "atomic_" : "_Atomic(");
        put_base(out, type, style);
        str_puts(out, style.info ? "" : ")");
        return;
    }
    put_base(out, type, style);
}

static void put_after(struct str *out, struct qual_type type, struct style style)
{
    const struct type *t = type.type;
    if (shows_sugar(type, style))
        return;
    if (t->kind == TYPE_POINTER || t->kind == TYPE_BLOCK) {
        struct qual_type pointee = type_undo(type, t->pointer.pointee);
        if (needs_parens(pointee, style))
            str_putc(out, ')');
        put_after(out, pointee, style);
    } else if (t->kind == TYPE_ARRAY) {
        if (t->incomplete)
            str_puts(out, "[]");
        else
            str_printf(out, "[%llu]", (unsigned long long)t->array.count);
        put_after(out, type_array_element(type), style);
    } else if (t->kind == TYPE_FUNCTION) {
        str_putc(out, '(');
        for (uint32_t i = 0; i < t->function.num_params; i++) {
            if (i)
                str_puts(out, ", ");
            put_before(out, t->function.params[i], style, false);
            put_after(out, t->function.params[i], style);
        }
        if (t->function.variadic)
            str_puts(out, t->function.num_params ? ", ..." : "...");
        else if (!t->function.num_params)
            str_puts(out, "void");
        str_putc(out, ')');
        put_after(out, type_undo(type, t->function.result), style);
    }
}

static const char *text_of(struct clc_front *front, struct qual_type type, struct style style)
{
    struct str out;
    str_init(&out, front->arena);
    put_before(&out, type, style, false);
    if (!style.info && type.type->kind == TYPE_FUNCTION && !shows_sugar(type, style))
        str_putc(&out, ' ');
    put_after(&out, type, style);
    return str_text(&out);
}

const char *clc_type_text(struct clc_front *front, struct qual_type type)
{
    return text_of(front, type, (struct style){.sugar = true});
}

const char *clc_type_text_info(struct clc_front *front, struct qual_type type)
{
    return text_of(front, type, (struct style){.sugar = true, .info = true});
}

const char *type_quote(struct sema *s, struct qual_type type)
{
    const char *written = clc_type_text(s->front, type);
    const char *meant = type.sugar ? text_of(s->front, type, (struct style){0}) : written;
    if (type.type->kind == TYPE_VECTOR)
        return arena_printf(s->arena, "'%s' (vector of %u '%s' values)", written, type.type->vector.count,
                            scalar_names[type.type->vector.element->kind]);
    if (!strcmp(written, meant))
        return arena_printf(s->arena, "'%s'", written);
    return arena_printf(s->arena, "'%s' (aka '%s')", written, meant);
}

const char *type_quote_expr(struct sema *s, const struct expr *expr)
{
    if (expr->wide)
        return expr->wide_part.is_unsigned ? "'unsigned long long'" : "'long long'";
    return type_quote(s, expr->type);
}
