/* Names that OpenCL C declares before the first line: vector types, opaque types, sized integers, atomic types, and the
 * enumerators of memory orders and scopes, and of cooperative matrices. None is a keyword, so a program may use them for its own purposes in inner
 * scopes; each is declared when it is first looked up, so that a build pays only for what it uses. OpenCL C 3.0, 6.3.
 */
#include "compiler/front/sema/names.h"

enum name_kind { NAME_SCALAR, NAME_ATOMIC, NAME_IMAGE, NAME_OPAQUE, NAME_CONSTANT, NAME_ORDER };
enum guard { ANY, SINCE_20, IMAGES, MATRICES };

struct predeclared {
    const char *name;
    uint8_t kind, value, guard;
};

/* Sorted by name: found by bisection. */
static const struct predeclared names[] = {
    {"CLK_COOPERATIVE_MATRIX_A", NAME_CONSTANT, MATRIX_A, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_ACCUMULATOR", NAME_CONSTANT, MATRIX_ACCUMULATOR, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_B", NAME_CONSTANT, MATRIX_B, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR", NAME_CONSTANT, 1, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR", NAME_CONSTANT, 0, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_OPERAND_NONE", NAME_CONSTANT, 0, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION", NAME_CONSTANT, 16, MATRICES},
    {"CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP", NAME_CONSTANT, 3, MATRICES},
    {"atomic_double", NAME_ATOMIC, TYPE_DOUBLE, SINCE_20},
    {"atomic_flag", NAME_ATOMIC, TYPE_INT, SINCE_20},
    {"atomic_float", NAME_ATOMIC, TYPE_FLOAT, SINCE_20},
    {"atomic_half", NAME_ATOMIC, TYPE_HALF, SINCE_20},
    {"atomic_int", NAME_ATOMIC, TYPE_INT, SINCE_20},
    {"atomic_intptr_t", NAME_ATOMIC, TYPE_LONG, SINCE_20},
    {"atomic_long", NAME_ATOMIC, TYPE_LONG, SINCE_20},
    {"atomic_ptrdiff_t", NAME_ATOMIC, TYPE_LONG, SINCE_20},
    {"atomic_size_t", NAME_ATOMIC, TYPE_ULONG, SINCE_20},
    {"atomic_uint", NAME_ATOMIC, TYPE_UINT, SINCE_20},
    {"atomic_uintptr_t", NAME_ATOMIC, TYPE_ULONG, SINCE_20},
    {"atomic_ulong", NAME_ATOMIC, TYPE_ULONG, SINCE_20},
    {"cl_mem_fence_flags", NAME_SCALAR, TYPE_UINT, ANY},
    {"clk_event_t", NAME_OPAQUE, TYPE_CLK_EVENT, SINCE_20},
    {"clk_profiling_info", NAME_SCALAR, TYPE_INT, SINCE_20},
    {"coop_matrix_layout_t", NAME_SCALAR, TYPE_INT, MATRICES},
    {"coop_matrix_operands_t", NAME_SCALAR, TYPE_INT, MATRICES},
    {"coop_matrix_scope_t", NAME_SCALAR, TYPE_INT, MATRICES},
    {"coop_matrix_use_t", NAME_SCALAR, TYPE_INT, MATRICES},
    {"event_t", NAME_OPAQUE, TYPE_EVENT, ANY},
    {"image1d_array_t", NAME_IMAGE, IMAGE_1D_ARRAY, IMAGES},
    {"image1d_buffer_t", NAME_IMAGE, IMAGE_1D_BUFFER, IMAGES},
    {"image1d_t", NAME_IMAGE, IMAGE_1D, IMAGES},
    {"image2d_array_depth_t", NAME_IMAGE, IMAGE_2D_ARRAY_DEPTH, IMAGES},
    {"image2d_array_msaa_depth_t", NAME_IMAGE, IMAGE_2D_ARRAY_MSAA_DEPTH, IMAGES},
    {"image2d_array_msaa_t", NAME_IMAGE, IMAGE_2D_ARRAY_MSAA, IMAGES},
    {"image2d_array_t", NAME_IMAGE, IMAGE_2D_ARRAY, IMAGES},
    {"image2d_depth_t", NAME_IMAGE, IMAGE_2D_DEPTH, IMAGES},
    {"image2d_msaa_depth_t", NAME_IMAGE, IMAGE_2D_MSAA_DEPTH, IMAGES},
    {"image2d_msaa_t", NAME_IMAGE, IMAGE_2D_MSAA, IMAGES},
    {"image2d_t", NAME_IMAGE, IMAGE_2D, IMAGES},
    {"image3d_t", NAME_IMAGE, IMAGE_3D, IMAGES},
    {"intptr_t", NAME_SCALAR, TYPE_LONG, ANY},
    {"kernel_enqueue_flags_t", NAME_SCALAR, TYPE_INT, SINCE_20},
    {"memory_order", NAME_ORDER, 0, SINCE_20},
    {"memory_order_acq_rel", NAME_CONSTANT, 4, SINCE_20},
    {"memory_order_acquire", NAME_CONSTANT, 2, SINCE_20},
    {"memory_order_relaxed", NAME_CONSTANT, 0, SINCE_20},
    {"memory_order_release", NAME_CONSTANT, 3, SINCE_20},
    {"memory_order_seq_cst", NAME_CONSTANT, 5, SINCE_20},
    {"memory_scope", NAME_ORDER, 0, SINCE_20},
    {"memory_scope_all_devices", NAME_CONSTANT, 3, SINCE_20},
    {"memory_scope_all_svm_devices", NAME_CONSTANT, 3, SINCE_20},
    {"memory_scope_device", NAME_CONSTANT, 2, SINCE_20},
    {"memory_scope_sub_group", NAME_CONSTANT, 4, SINCE_20},
    {"memory_scope_work_group", NAME_CONSTANT, 1, SINCE_20},
    {"memory_scope_work_item", NAME_CONSTANT, 0, SINCE_20},
    {"ndrange_t", NAME_OPAQUE, TYPE_NDRANGE, SINCE_20},
    {"ptrdiff_t", NAME_SCALAR, TYPE_LONG, ANY},
    {"queue_t", NAME_OPAQUE, TYPE_QUEUE, SINCE_20},
    {"reserve_id_t", NAME_OPAQUE, TYPE_RESERVE_ID, SINCE_20},
    {"sampler_t", NAME_OPAQUE, TYPE_SAMPLER, ANY},
    {"size_t", NAME_SCALAR, TYPE_ULONG, ANY},
    {"uchar", NAME_SCALAR, TYPE_UCHAR, ANY},
    {"uint", NAME_SCALAR, TYPE_UINT, ANY},
    {"uintptr_t", NAME_SCALAR, TYPE_ULONG, ANY},
    {"ulong", NAME_SCALAR, TYPE_ULONG, ANY},
    {"ushort", NAME_SCALAR, TYPE_USHORT, ANY},
};

static bool is_guarded(struct sema *s, enum guard guard)
{
    return (guard == SINCE_20 && !pp_std_at_least(s->front, CLC_STD_20)) ||
           (guard == MATRICES && !sema_has_matrices(s));
}

static const struct predeclared *find(const char *name)
{
    size_t low = 0, high = ARRAY_LENGTH(names);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, names[middle].name);
        if (!order)
            return &names[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const struct {
    const char *name;
    enum type_kind kind;
} vector_elements[] = {
    {"char", TYPE_CHAR},   {"uchar", TYPE_UCHAR}, {"short", TYPE_SHORT},   {"ushort", TYPE_USHORT},
    {"int", TYPE_INT},     {"uint", TYPE_UINT},   {"long", TYPE_LONG},     {"ulong", TYPE_ULONG},
    {"float", TYPE_FLOAT}, {"half", TYPE_HALF},   {"double", TYPE_DOUBLE},
};

/* charn ... doublen */
static const struct type *vector_name(struct sema *s, const struct ident *name)
{
    const char *text = name->name;
    uint32_t length = name->length;
    if (length < 4 || length > 8)
        return NULL;
    uint32_t lanes = (uint32_t)(text[length - 1] - '0');
    uint32_t stem = length - 1;
    if (lanes == 6 && text[length - 2] == '1') {
        lanes = 16;
        stem--;
    }
    if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(vector_elements); i++)
        if (strlen(vector_elements[i].name) == stem && !memcmp(vector_elements[i].name, text, stem))
            return clc_type_vector(s->front, type_scalar(s, vector_elements[i].kind), lanes);
    return NULL;
}

const char *sema_vector_type_name(struct sema *s, uint32_t index)
{
    static const uint8_t lanes[] = {2, 3, 4, 8, 16};
    if (index >= ARRAY_LENGTH(vector_elements) * ARRAY_LENGTH(lanes))
        return NULL;
    return arena_printf(s->arena, "%s%d", vector_elements[index / ARRAY_LENGTH(lanes)].name,
                        lanes[index % ARRAY_LENGTH(lanes)]);
}

static struct decl *declare(struct sema *s, enum decl_kind kind, struct ident *name, struct qual_type type)
{
    struct decl *decl = sema_decl_new(s, kind, name, type, 0);
    decl->scope_depth = 0;
    name->decl = decl;
    return decl;
}

static const struct type *opaque(struct sema *s, uint8_t kind)
{
    const struct type_table *types = s->front->types;
    switch (kind) {
    case TYPE_SAMPLER:
        return types->sampler;
    case TYPE_EVENT:
        return types->event;
    case TYPE_QUEUE:
        return types->queue;
    case TYPE_NDRANGE:
        return types->ndrange;
    case TYPE_CLK_EVENT:
        return types->clk_event;
    default:
        return types->reserve_id;
    }
}

const char *sema_predeclared_type(struct sema *s, uint32_t index)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(names); i++) {
        bool hidden = names[i].kind == NAME_CONSTANT || is_guarded(s, (enum guard)names[i].guard);
        if (!hidden && !index--)
            return names[i].name;
    }
    return NULL;
}

struct decl *sema_predeclared(struct sema *s, struct ident *name)
{
    if (name->not_predeclared)
        return NULL;
    const struct type *vector = vector_name(s, name);
    if (vector)
        return declare(s, DECL_TYPEDEF, name, qt(vector));
    const struct predeclared *found = find(name->name);
    if (!found || is_guarded(s, (enum guard)found->guard)) {
        name->not_predeclared = true;
        return NULL;
    }
    struct qual_type type = qt(NULL);
    switch (found->kind) {
    case NAME_SCALAR:
        type.type = type_scalar(s, (enum type_kind)found->value);
        break;
    case NAME_ATOMIC:
        type.type = type_scalar(s, (enum type_kind)found->value);
        type.quals = QUAL_ATOMIC;
        break;
    case NAME_IMAGE:
        type.type = type_image(s, (enum image_kind)found->value, 0);
        break;
    case NAME_OPAQUE:
        type.type = opaque(s, found->value);
        break;
    case NAME_ORDER:
        type.type = type_scalar(s, TYPE_INT);
        break;
    case NAME_CONSTANT: {
        struct decl *constant = declare(s, DECL_ENUM_CONSTANT, name, qt(type_scalar(s, TYPE_INT)));
        constant->enum_constant.value = found->value;
        return constant;
    }
    }
    return declare(s, DECL_TYPEDEF, name, type);
}
