/* Lowering of printf. Each call becomes a call of a function made for it. The function reserves a record in the
 * launch's printf buffer (atomically, by __pumice_printf_reserve of the library) and, if there was room, stores its
 * words:
 *
 *     u32 size of the record in bytes, u32 format, then the arguments, each a whole number of words
 *
 * See struct clc_printf_format for how arguments are stored, and printf_format.c for how the host reads them. Formats
 * are literals (OpenCL C 3.0, 6.15.14: "The format string must be resolvable at compile time"), or chosen from literals
 * by a condition or from a constant table. They stay on the host; the device only knows their numbers. So do strings
 * that are literals, or chosen from literals, as far as this pass sees. Other pointers have gone through variables, as
 * in code that nobody optimised, or point to memory: the function copies their strings to the record's end. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/launch.h"

#include "compiler/builtins/printf_format.h"

#include <string.h>

enum { MAX_WORDS = 240 };      /* SPIR-V: a function has at most 255 parameters */
enum { MAX_CHOICES = 32 };     /* between strings, of one call */
enum { MAX_COPIES = 10 };      /* strings that one call copies */
enum { MAX_COPIED = 1 << 27 }; /* bytes of one of them, so that the size of a record fits 32 bits */

/* A choice between pointers to strings, and that between their numbers as strings or as formats. */
struct string_choice {
    spv_id pointer, number;
    bool of_formats;
};

/* A string that is copied. Its argument is two words: where it is in the record, and its length. */
struct string_copy {
    spv_id pointer;
    uint32_t word; /* the first of the two */
    uint32_t most; /* bytes: the precision */
    bool constant; /* in constant memory; else the pointer is generic */
    spv_id length;
};

/* A literal that may be the format, or a string. */
struct printf_text {
    const char *text;
    size_t length;
    spv_id pointer;
};

struct printf_texts {
    struct printf_text list[MAX_CHOICES];
    uint32_t num;
};

struct printf_site {
    struct builtin_lowering *x;
    struct printf_texts formats;
    uint32_t numbers[MAX_CHOICES]; /* of the formats */
    spv_id format;                 /* the number of the one in use */
    bool chosen;                   /* it is known only when the kernel runs: the site's function takes it, too */
    uint32_t num_args;
    uint8_t *sizes;
    spv_id words[MAX_WORDS];
    uint32_t num_words;
    struct string_choice choices[MAX_CHOICES];
    uint32_t num_choices;
    struct string_copy copies[MAX_COPIES];
    uint32_t num_copies;
};

/* ---- literals ---- */

static bool is_zero(const struct spv_module *module, spv_id id)
{
    uint64_t value;
    return spv_const_value(module, id, &value) && !value;
}

/* The one value that a private variable ever has but null, where it is only loaded and stored; 0: none. */
static spv_id find_only_value(const struct spv_module *module, const struct spv_inst *variable)
{
    spv_id value = variable->num_words > 1 ? variable->words[1] : 0;
    const struct spv_function *function = variable->block ? variable->block->function : NULL;
    if (!function)
        return 0;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            bool store = inst->op == SpvOpStore;
            for (uint32_t i = 0; i < inst->num_words; i++) {
                if (inst->words[i] != variable->id || (inst->op == SpvOpLoad && !i))
                    continue;
                if (store && !i && spv_def(module, inst->words[1])->op == SpvOpConstantNull)
                    continue; /* before the program gives it one (opt/initialise.c) */
                if (!store || i || (value && value != inst->words[1]))
                    return 0;
                value = inst->words[1];
            }
        }
    }
    return value;
}

/* The same, looked for once. Code that nobody optimised keeps all its pointers in variables. */
static spv_id only_value(struct builtin_lowering *x, const struct spv_inst *variable)
{
    if (!u64_map_has(&x->only, variable->id))
        u64_map_set(x->lower->arena, &x->only, variable->id, (void *)(uintptr_t)find_only_value(x->module, variable));
    return (spv_id)(uintptr_t)u64_map_get(&x->only, variable->id);
}

/* Whether all indices of a chain are 0. */
static bool stays_at_start(const struct spv_module *module, const struct spv_inst *chain)
{
    for (uint32_t i = 1; i < chain->num_words; i++) {
        if (!is_zero(module, chain->words[i]))
            return false;
    }
    return true;
}

/* The variable whose start a pointer points to, looking through casts and zero indices; NULL: unknown. */
static const struct spv_inst *string_variable(struct builtin_lowering *x, spv_id pointer)
{
    const struct spv_module *module = x->module;
    for (uint32_t steps = 0; steps < 64; steps++) {
        const struct spv_inst *def = spv_def(module, pointer);
        if (def && spv_op_leads_on(def->op)) {
            if (spv_op_is_chain(def->op) && !stays_at_start(module, def))
                return NULL;
            pointer = def->words[0];
            continue;
        }
        switch (def ? def->op : SpvOpNop) {
        case SpvOpVariable:
            return def->num_words > 1 ? def : NULL;
        case SpvOpPtrCastToGeneric:
        case SpvOpGenericCastToPtr:
            break;
        case SpvOpLoad: {
            const struct spv_inst *variable = spv_def(module, def->words[0]);
            pointer = variable->op == SpvOpVariable ? only_value(x, variable) : 0;
            if (!pointer)
                return NULL;
            continue;
        }
        case SpvOpSpecConstantOp:
            if (def->num_words < 2 || (def->words[0] != SpvOpBitcast && !spv_op_is_chain((uint16_t)def->words[0])))
                return NULL;
            pointer = def->words[1];
            continue;
        default:
            return NULL;
        }
        pointer = def->words[0];
    }
    return NULL;
}

/* The bytes up to the first NUL of a constant char array. */
static const char *literal(struct builtin_lowering *x, spv_id pointer, size_t *length)
{
    const struct spv_inst *variable = string_variable(x, pointer);
    const struct spv_inst *init = variable ? spv_def(x->module, variable->words[1]) : NULL;
    struct str text;
    str_init(&text, x->lower->arena);
    *length = 0;
    if (init && init->op == SpvOpConstantNull)
        return "";
    if (!init || init->op != SpvOpConstantComposite)
        return NULL;
    for (uint32_t i = 0; i < init->num_words; i++) {
        uint64_t byte;
        if (!spv_const_value(x->module, init->words[i], &byte))
            return NULL;
        if (!byte)
            break;
        str_putc(&text, (char)byte);
    }
    *length = text.length;
    return str_text(&text);
}

/* ---- arguments ---- */

static void push_word(struct printf_site *site, spv_id value)
{
    if (site->num_words < MAX_WORDS)
        site->words[site->num_words] = value;
    site->num_words++;
}

/* Adds a scalar as words. Returns its size in bytes. */
static uint32_t push_scalar(struct printf_site *site, spv_id value)
{
    struct builtin_lowering *x = site->x;
    spv_id type = spv_value_type(x->module, value), u32 = spv_type_int(x->module, 32),
           u64 = spv_type_int(x->module, 64);
    if (spv_type_is_bool(x->module, type)) {
        push_word(site,
                  lower_op3(x, SpvOpSelect, u32, value, spv_const_u32(x->module, 1), spv_const_u32(x->module, 0)));
        return 4;
    }
    if (spv_type_is_pointer(x->module, type))
        value = lower_op1(x, SpvOpConvertPtrToU, u64, value);
    else if (spv_type_is_float(x->module, type) && spv_type_width(x->module, type) == 16)
        value = lower_op1(x, SpvOpFConvert, spv_type_float(x->module, 32), value);
    if (spv_type_is_float(x->module, type))
        value = lower_bits_of(x, value);
    type = spv_value_type(x->module, value);
    if (spv_type_width(x->module, type) < 64) {
        push_word(site, lower_resize(x, u32, value, false));
        return 4;
    }
    push_word(site, lower_op1(x, SpvOpUConvert, u32, value));
    spv_id high = lower_op2(x, SpvOpShiftRightLogical, u64, value, spv_const_u64(x->module, 32));
    push_word(site, lower_op1(x, SpvOpUConvert, u32, high));
    return 8;
}

static uint32_t number_of_literal(struct lower *lower, const char *text)
{
    for (uint32_t i = 0; i < lower->printf_strings.length; i++) {
        if (!strcmp(lower->printf_strings.data[i], text))
            return i;
    }
    vec_push(lower->arena, &lower->printf_strings, text);
    return lower->printf_strings.length - 1;
}

static bool is_choice(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->op == SpvOpPhi)
        return inst->num_words <= 2 * MAX_CHOICES;
    return inst->op == SpvOpSelect && spv_type_is_bool(module, spv_value_type(module, inst->words[0]));
}

static struct spv_inst *uncast(const struct spv_module *module, spv_id value)
{
    struct spv_inst *inst = spv_def(module, value);
    while (inst && (inst->op == SpvOpBitcast || inst->op == SpvOpCopyObject || inst->op == SpvOpPtrCastToGeneric))
        inst = spv_def(module, inst->words[0]);
    return inst;
}

static bool add_text(struct printf_texts *texts, const char *text, size_t length, spv_id pointer)
{
    for (uint32_t i = 0; i < texts->num; i++) {
        if (texts->list[i].pointer == pointer)
            return true;
    }
    if (texts->num == MAX_CHOICES)
        return false;
    texts->list[texts->num++] = (struct printf_text){text, length, pointer};
    return true;
}

/* The literals that a constant's parts point to. */
static bool add_texts_of(struct builtin_lowering *x, spv_id constant, struct printf_texts *texts)
{
    const struct spv_inst *inst = spv_def(x->module, constant);
    if (inst->op == SpvOpConstantComposite) {
        for (uint32_t i = 0; i < inst->num_words; i++) {
            if (!add_texts_of(x, inst->words[i], texts))
                return false;
        }
        return true;
    }
    size_t length;
    bool is_pointer = spv_type_is_pointer(x->module, spv_value_type(x->module, constant));
    const char *text = is_pointer ? literal(x, constant, &length) : NULL;
    return !text || add_text(texts, text, length, constant);
}

/* The literals that a pointer may point to which is read from a constant variable; false: it is not. */
static bool table_texts(struct builtin_lowering *x, const struct spv_inst *load, struct printf_texts *texts)
{
    const struct spv_inst *base = load->op == SpvOpLoad ? spv_def(x->module, load->words[0]) : NULL;
    while (base && (spv_op_leads_on(base->op) || spv_is_private(base, SPV_PRIVATE_CHECKED)))
        base = spv_def(x->module, base->words[base->op == SpvOpExtInst ? 2 : 0]);
    bool constant =
        base && base->op == SpvOpVariable && base->num_words > 1 && base->words[0] == SpvStorageClassUniformConstant;
    uint32_t before = texts->num;
    return constant && add_texts_of(x, base->words[1], texts) && texts->num > before;
}

/* Whether a pointer is that of a literal, a null pointer, or chosen from such. The choices on the way go to `seen`, as
 * many as one call may have. texts, where they are wanted: the literals, also those of constant tables. */
static bool is_known(struct printf_site *site, spv_id value, spv_id seen[MAX_CHOICES], uint32_t *num_seen,
                     struct printf_texts *texts)
{
    const struct spv_module *module = site->x->module;
    size_t length;
    const char *text = literal(site->x, value, &length);
    if (text)
        return !texts || add_text(texts, text, length, value);
    const struct spv_inst *inst = uncast(module, value);
    if (!inst || inst->op == SpvOpConstantNull || inst->op == SpvOpUndef)
        return inst != NULL;
    for (uint32_t i = 0; i < *num_seen; i++) {
        if (seen[i] == inst->id)
            return true; /* asked already: its operands tell */
    }
    if (texts && table_texts(site->x, inst, texts))
        return true;
    if (!is_choice(module, inst) || *num_seen + site->num_choices >= MAX_CHOICES)
        return false;
    seen[(*num_seen)++] = inst->id;
    bool phi = inst->op == SpvOpPhi;
    for (uint32_t i = phi ? 0 : 1; i < inst->num_words; i += phi ? 2 : 1) {
        if (!is_known(site, inst->words[i], seen, num_seen, texts))
            return false;
    }
    return true;
}

/* The number of the format with this text: one of those that were found in advance. */
static uint32_t number_of_format(const struct printf_site *site, const char *text, size_t length)
{
    for (uint32_t i = 0; i < site->formats.num; i++) {
        const struct printf_text *format = &site->formats.list[i];
        if (format->length == length && !memcmp(format->text, text, length))
            return site->numbers[i];
    }
    return site->numbers[0];
}

/* The number of the format that a pointer from a table is, by comparing it with all that it may be. */
static spv_id number_of_read(struct printf_site *site, struct spv_inst *load)
{
    struct builtin_lowering *x = site->x;
    struct printf_texts texts = {.num = 0};
    if (!table_texts(x, load, &texts))
        return spv_const_u32(x->module, site->numbers[0]);
    struct spv_builder b = {x->module, load->block->function, load->block, load->next};
    spv_id u32 = spv_type_int(x->module, 32), u64 = spv_type_int(x->module, 64), is_bool = spv_type_bool(x->module);
    spv_id bytes = spv_type_pointer(x->module, SpvStorageClassUniformConstant, spv_type_int(x->module, 8));
    spv_id address = texts.num > 1 ? spv_emitv(&b, SpvOpConvertPtrToU, u64, load->id) : 0, number = 0;
    for (uint32_t i = 0; i < texts.num; i++) {
        const struct printf_text *text = &texts.list[i];
        spv_id own = spv_const_u32(x->module, number_of_format(site, text->text, text->length));
        if (!number) {
            number = own;
            continue;
        }
        spv_id start = spv_emitv(&b, SpvOpInBoundsAccessChain, bytes, string_variable(x, text->pointer)->id,
                                 spv_const_u32(x->module, 0));
        spv_id other = spv_emitv(&b, SpvOpConvertPtrToU, u64, start);
        spv_id same = spv_emitv(&b, SpvOpIEqual, is_bool, address, other);
        number = spv_emitv(&b, SpvOpSelect, u32, same, own, number);
    }
    return number;
}

/* The number of a string literal, or UINT32_MAX for what is no literal; of_formats: of a format. A choice between
 * literals becomes a choice between their numbers, made where that between the pointers is. */
static spv_id string_number(struct printf_site *site, spv_id value, bool of_formats)
{
    struct builtin_lowering *x = site->x;
    spv_id none = spv_const_u32(x->module, of_formats ? site->numbers[0] : UINT32_MAX);
    size_t length;
    const char *text = literal(x, value, &length);
    if (text)
        return spv_const_u32(x->module,
                             of_formats ? number_of_format(site, text, length) : number_of_literal(x->lower, text));
    struct spv_inst *inst = uncast(x->module, value);
    if (inst && of_formats && inst->op == SpvOpLoad)
        return number_of_read(site, inst);
    if (!inst || !is_choice(x->module, inst))
        return none;
    for (uint32_t i = 0; i < site->num_choices; i++) {
        if (site->choices[i].pointer == inst->id && site->choices[i].of_formats == of_formats)
            return site->choices[i].number;
    }
    if (site->num_choices == MAX_CHOICES)
        return none;
    /* Loops lead back here, so the choice is known before its operands are. */
    uint32_t words[2 * MAX_CHOICES], step = inst->op == SpvOpPhi ? 2 : 1, first = inst->op == SpvOpPhi ? 0 : 1;
    memcpy(words, inst->words, inst->num_words * sizeof(*words));
    for (uint32_t i = first; i < inst->num_words; i += step)
        words[i] = none;
    struct spv_builder builder = {x->module, inst->block->function, inst->block, inst};
    spv_id number = spv_emit(&builder, (SpvOp)inst->op, spv_type_int(x->module, 32), inst->num_words, words);
    site->choices[site->num_choices++] = (struct string_choice){inst->id, number, of_formats};
    for (uint32_t i = first; i < inst->num_words; i += step) {
        spv_id one = string_number(site, inst->words[i], of_formats);
        spv_def(x->module, number)->words[i] = one;
    }
    return number;
}

/* A pointer that the library's functions take: to bytes, constant or generic. */
static spv_id byte_pointer(struct builtin_lowering *x, spv_id pointer, bool *constant)
{
    spv_id u8 = spv_type_int(x->module, 8), type = spv_value_type(x->module, pointer);
    SpvStorageClass storage = spv_pointer_storage(x->module, type);
    *constant = storage == SpvStorageClassUniformConstant;
    if (spv_pointer_pointee(x->module, type) != u8)
        pointer = lower_op1(x, SpvOpBitcast, spv_type_pointer(x->module, storage, u8), pointer);
    if (!*constant && storage != SpvStorageClassGeneric)
        pointer = lower_op1(x, SpvOpPtrCastToGeneric, spv_type_pointer(x->module, SpvStorageClassGeneric, u8), pointer);
    return pointer;
}

static uint32_t push_string(struct printf_site *site, spv_id value, const struct printf_spec *spec)
{
    spv_id seen[MAX_CHOICES];
    uint32_t num_seen = 0;
    if (is_known(site, value, seen, &num_seen, NULL) || site->num_copies == MAX_COPIES) {
        push_word(site, string_number(site, value, false));
        return 4;
    }
    struct string_copy *copy = &site->copies[site->num_copies++];
    *copy = (struct string_copy){
        .word = site->num_words,
        .most = spec->precision < 0 || spec->precision > MAX_COPIED ? MAX_COPIED : (uint32_t)spec->precision};
    copy->pointer = byte_pointer(site->x, value, &copy->constant);
    for (uint32_t i = 0; i < 2; i++)
        push_word(site, spv_const_u32(site->x->module, 0));
    return 8;
}

static bool push_arg(struct printf_site *site, uint32_t index, spv_id value, const struct printf_spec *spec)
{
    struct builtin_lowering *x = site->x;
    spv_id type = spv_value_type(x->module, value);
    uint32_t size = 0;
    if (spv_type_is_vector(x->module, type)) {
        for (uint32_t i = 0; i < spv_type_count(x->module, type); i++)
            size += push_scalar(site, lower_lane(x, value, i));
    } else if (spec->conversion == 's' && spv_type_is_pointer(x->module, type)) {
        size = push_string(site, value, spec);
    } else if (spv_type_is_pointer(x->module, type) || spv_type_is_bool(x->module, type) ||
               spv_type_is_float(x->module, type) || spv_type_is_int(x->module, type)) {
        size = push_scalar(site, value);
    } else {
        return lower_fail(x->lower, "printf cannot print an argument of this type");
    }
    site->sizes[index] = (uint8_t)size;
    return true;
}

/* The conversions in the order of the arguments; one of no character where none is left. */
static struct printf_spec next_conversion(const struct printf_text *format, size_t *at)
{
    struct printf_spec spec;
    while (printf_next_spec(format->text, format->length, at, &spec)) {
        if (spec.conversion && spec.conversion != '%')
            return spec;
    }
    return (struct printf_spec){.precision = -1};
}

/* The next argument's conversion. Formats of one call agree about which arguments are strings: those are stored
 * otherwise. false: they do not. at: where each format is read. */
static bool common_conversion(const struct printf_site *site, size_t at[MAX_CHOICES], struct printf_spec *common)
{
    *common = (struct printf_spec){.precision = -1};
    for (uint32_t i = 0; i < site->formats.num; i++) {
        struct printf_spec spec = next_conversion(&site->formats.list[i], &at[i]);
        if (!spec.conversion)
            continue;
        if (common->conversion && (common->conversion == 's') != (spec.conversion == 's'))
            return false;
        bool bounded = spec.precision >= 0 && (!common->conversion || common->precision >= 0);
        if (!bounded || spec.precision < common->precision)
            spec.precision = bounded ? common->precision : -1;
        *common = spec;
    }
    return true;
}

static uint32_t format_number(struct printf_site *site, const struct printf_text *format)
{
    struct lower *lower = site->x->lower;
    for (uint32_t i = 0; i < lower->printf_formats.length; i++) {
        const struct clc_printf_format *known = &lower->printf_formats.data[i];
        if (known->length == format->length && known->num_args == site->num_args &&
            !memcmp(known->format, format->text, format->length) &&
            !memcmp(known->arg_sizes, site->sizes, site->num_args))
            return i;
    }
    vec_push(lower->arena, &lower->printf_formats,
             (struct clc_printf_format){.format = format->text,
                                        .length = (uint32_t)format->length,
                                        .num_args = site->num_args,
                                        .arg_sizes = site->sizes});
    return lower->printf_formats.length - 1;
}

/* ---- the site's function ---- */

static struct spv_builder append_block(struct builtin_lowering *x, struct spv_function *function, spv_id *label)
{
    struct spv_block *block = spv_block_create(function, x->module, 0);
    spv_block_append(function, block);
    *label = block->label->id;
    return (struct spv_builder){.module = x->module, .function = function, .block = block};
}

static void store_word(struct builtin_lowering *x, spv_id address, uint32_t offset, spv_id value)
{
    spv_id u64 = spv_type_int(x->module, 64), u32 = spv_type_int(x->module, 32);
    spv_id at = offset ? lower_op2(x, SpvOpIAdd, u64, address, spv_const_u64(x->module, offset)) : address;
    spv_id pointer =
        lower_op1(x, SpvOpConvertUToPtr, spv_type_pointer(x->module, SpvStorageClassCrossWorkgroup, u32), at);
    spv_emitv_void(&x->b, SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask, 4);
}

/* What is copied. Checked and robust kernels end a string where the memory ends that they may read. */
static spv_id length_of(struct builtin_lowering *x, const struct string_copy *copy, spv_id pointer)
{
    struct lower *lower = x->lower;
    spv_id u64 = spv_type_int(x->module, 64), most = spv_const_u32(x->module, copy->most);
    if (!lower_keeps_bounds(lower))
        return lower_library_call(x,
                                  copy->constant ? "__pumice_printf_length_constant" : "__pumice_printf_length_generic",
                                  2, (const spv_id[]){pointer, most});
    spv_id state = lower_emit_launch_value(lower, &x->b, CLC_LAUNCH_CHECK, 0);
    spv_id head = lower_op2(x, SpvOpIAdd, u64, state, spv_const_u64(x->module, 2 * (uint64_t)lower->check_page));
    lower->check_ranges = true;
    lower->check_tags |= LOWER_TAG_LOCAL | LOWER_TAG_PRIVATE;
    return lower_library_call(x, copy->constant ? "__pumice_check_length_constant" : "__pumice_check_length_generic", 3,
                              (const spv_id[]){head, pointer, most});
}

/* The function takes the words, then the pointers to strings that it copies, then the format's number where that is
 * chosen.
 */
static spv_id site_type(struct printf_site *site)
{
    struct builtin_lowering *x = site->x;
    spv_id u32 = spv_type_int(x->module, 32), params[MAX_WORDS + MAX_COPIES + 1];
    for (uint32_t i = 0; i < site->num_words; i++)
        params[i] = u32;
    for (uint32_t i = 0; i < site->num_copies; i++)
        params[site->num_words + i] = spv_value_type(x->module, site->copies[i].pointer);
    params[site->num_words + site->num_copies] = u32;
    return spv_type_function(x->module, u32, site->num_words + site->num_copies + site->chosen, params);
}

/* The lengths of the strings to copy, and the size of the record: that of the words, and each string's in whole words.
 * 0: failed. */
static spv_id measure(struct printf_site *site, const struct spv_function *function)
{
    struct builtin_lowering *x = site->x;
    spv_id u32 = spv_type_int(x->module, 32), size = spv_const_u32(x->module, 8 + 4 * site->num_words);
    for (uint32_t i = 0; i < site->num_copies; i++) {
        struct string_copy *copy = &site->copies[i];
        copy->length = length_of(x, copy, function->params.data[site->num_words + i]->id);
        if (!copy->length)
            return 0;
        /* A null pointer's length of UINT32_MAX adds nothing. */
        spv_id up = lower_op2(x, SpvOpIAdd, u32, copy->length, spv_const_u32(x->module, 3));
        size =
            lower_op2(x, SpvOpIAdd, u32, size, lower_op2(x, SpvOpBitwiseAnd, u32, up, spv_const_u32(x->module, ~3u)));
    }
    return size;
}

/* Copies the strings to the end of the record, and stores where they are. */
static bool copy_strings(struct printf_site *site, const struct spv_function *function, spv_id address)
{
    struct builtin_lowering *x = site->x;
    spv_id u32 = spv_type_int(x->module, 32), u64 = spv_type_int(x->module, 64);
    spv_id end = lower_op2(x, SpvOpIAdd, u64, address, spv_const_u64(x->module, 8 + 4 * site->num_words));
    for (uint32_t i = 0; i < site->num_copies; i++) {
        const struct string_copy *copy = &site->copies[i];
        spv_id offset = lower_op1(x, SpvOpUConvert, u32, lower_op2(x, SpvOpISub, u64, end, address));
        store_word(x, address, 8 + 4 * copy->word, offset);
        store_word(x, address, 12 + 4 * copy->word, copy->length);
        const spv_id args[] = {end, function->params.data[site->num_words + i]->id, copy->length};
        end = lower_library_call(x, copy->constant ? "__pumice_printf_copy_constant" : "__pumice_printf_copy_generic",
                                 3, args);
        if (!end)
            return false;
    }
    return true;
}

static bool fill_record(struct printf_site *site, const struct spv_function *function, spv_id size, spv_id address)
{
    struct builtin_lowering *x = site->x;
    store_word(x, address, 0, size);
    store_word(x, address, 4,
               site->chosen ? function->params.data[site->num_words + site->num_copies]->id : site->format);
    for (uint32_t i = 0, next = 0; i < site->num_words; i++) {
        if (next < site->num_copies && site->copies[next].word == i) {
            next++;
            i++;
        } else {
            store_word(x, address, 8 + 4 * i, function->params.data[i]->id);
        }
    }
    return copy_strings(site, function, address);
}

/* int site(u32 words..., pointers...[, u32 format]): 0, or -1 where the buffer is full */
static spv_id make_function(struct printf_site *site)
{
    struct builtin_lowering *x = site->x;
    spv_id u32 = spv_type_int(x->module, 32), u64 = spv_type_int(x->module, 64), then_label, end_label;
    struct spv_function *function = spv_function_create(x->module, 0, site_type(site), 0);
    struct spv_builder outside = x->b, entry;
    spv_id entry_label;
    entry = append_block(x, function, &entry_label);
    struct spv_builder then_builder = append_block(x, function, &then_label);
    struct spv_builder end = append_block(x, function, &end_label);
    x->b = entry;
    spv_id size = measure(site, function), address = 0;
    if (size) {
        const spv_id reserve[] = {lower_emit_launch_value(x->lower, &x->b, CLC_LAUNCH_PRINTF, 0), size};
        address = lower_library_call(x, "__pumice_printf_reserve", 2, reserve);
    }
    if (!address) {
        x->b = outside;
        return 0;
    }
    spv_id fits = lower_op2(x, SpvOpINotEqual, spv_type_bool(x->module), address, lower_constant(x, u64, 0));
    spv_emitv_void(&x->b, SpvOpSelectionMerge, end_label, SpvSelectionControlMaskNone);
    spv_emitv_void(&x->b, SpvOpBranchConditional, fits, then_label, end_label);
    x->b = then_builder;
    bool filled = fill_record(site, function, size, address);
    spv_emitv_void(&x->b, SpvOpBranch, end_label);
    x->b = end;
    spv_id result =
        lower_op3(x, SpvOpSelect, u32, fits, spv_const_u32(x->module, 0), spv_const_u32(x->module, UINT32_MAX));
    spv_emitv_void(&x->b, SpvOpReturnValue, result);
    x->b = outside;
    return filled ? function->def->id : 0;
}

/* The formats that the call may have. */
static bool find_formats(struct printf_site *site, spv_id pointer)
{
    spv_id seen[MAX_CHOICES];
    uint32_t num_seen = 0;
    if (is_known(site, pointer, seen, &num_seen, &site->formats) && site->formats.num)
        return true;
    return lower_fail(site->x->lower, "printf's format must be a string literal, or chosen from at most %d of them",
                      MAX_CHOICES);
}

/* Numbers the formats, when the arguments' sizes are known. */
static void number_formats(struct printf_site *site, spv_id pointer)
{
    for (uint32_t i = 0; i < site->formats.num; i++)
        site->numbers[i] = format_number(site, &site->formats.list[i]);
    site->format = string_number(site, pointer, true);
    uint64_t known;
    site->chosen = !spv_const_value(site->x->module, site->format, &known);
}

static bool lower_site(struct builtin_lowering *x, spv_id *result)
{
    const struct spv_inst *inst = x->inst;
    struct printf_site site = {.x = x};
    if (inst->num_words < 3)
        return lower_fail(x->lower, "printf needs a format");
    spv_id format = spv_replaced(&x->replacements, inst->words[2]);
    if (!find_formats(&site, format))
        return false;
    site.num_args = inst->num_words - 3;
    site.sizes = arena_array(x->lower->arena, uint8_t, site.num_args + 1);
    size_t at[MAX_CHOICES] = {0};
    for (uint32_t i = 0; i < site.num_args; i++) {
        spv_id value = spv_replaced(&x->replacements, inst->words[3 + i]);
        struct printf_spec spec;
        if (!common_conversion(&site, at, &spec))
            return lower_fail(x->lower, "printf's formats disagree whether argument %u is a string", i + 1);
        if (!push_arg(&site, i, value, &spec))
            return false;
    }
    if (site.num_words > MAX_WORDS)
        return lower_fail(x->lower, "printf has too many arguments: %u words, the limit is %d", site.num_words,
                          MAX_WORDS);
    number_formats(&site, format);
    spv_id function = make_function(&site);
    if (!function)
        return false;
    uint32_t words[1 + MAX_WORDS + MAX_COPIES + 1] = {function};
    memcpy(words + 1, site.words, site.num_words * sizeof(*words));
    for (uint32_t i = 0; i < site.num_copies; i++)
        words[1 + site.num_words + i] = site.copies[i].pointer;
    words[1 + site.num_words + site.num_copies] = site.format;
    *result = spv_emit(&x->b, SpvOpFunctionCall, x->type, 1 + site.num_words + site.num_copies + site.chosen, words);
    return true;
}

spv_id lower_fn_printf(struct builtin_lowering *x)
{
    spv_id result = 0;
    return lower_site(x, &result) ? result : 0;
}
