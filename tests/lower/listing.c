#include "tests/lower/listing.h"

#include <stdlib.h>
#include <string.h>

enum { NUM_STORAGES = SpvStorageClassStorageBuffer + 1, MAX_VARIABLES = 32 };

struct listing {
    const struct spv_module *module;
    uint32_t *numbers; /* of ids of functions, and of variables among those of their storage class; 0: none yet */
    uint32_t last, last_variable[NUM_STORAGES];
    spv_id variables[MAX_VARIABLES];
    uint32_t num_variables;
};

static const char *const storage_names[NUM_STORAGES] = {
    [SpvStorageClassUniformConstant] = "UniformConstant",
    [SpvStorageClassInput] = "Input",
    [SpvStorageClassUniform] = "Uniform",
    [SpvStorageClassWorkgroup] = "Workgroup",
    [SpvStorageClassCrossWorkgroup] = "CrossWorkgroup",
    [SpvStorageClassPrivate] = "Private",
    [SpvStorageClassGeneric] = "Generic",
    [SpvStorageClassFunction] = "Function",
    [SpvStorageClassPushConstant] = "PushConstant",
    [SpvStorageClassStorageBuffer] = "StorageBuffer",
};

static const char *storage_name(uint32_t storage)
{
    if (storage == SpvStorageClassPhysicalStorageBuffer)
        return "Physical";
    return storage < NUM_STORAGES && storage_names[storage] ? storage_names[storage] : "Other";
}

struct spv_module *listing_renumbered(struct arena *arena, struct spv_module *module, const char **error)
{
    size_t count;
    uint32_t *words = spv_write(module, &count);
    return spv_read_own(arena, words, count, error);
}

static void print_global(struct listing *listing, spv_id id, struct str *out);

static void print_spec_constant(const struct listing *listing, spv_id id, struct str *out)
{
    for (const struct spv_inst *at = spv_decorations(listing->module, id); at; at = at->next_decoration)
        if (at->op == SpvOpDecorate && at->words[1] == SpvDecorationSpecId)
            str_printf(out, "spec%u", at->words[2]);
}

static void print_offset(const struct listing *listing, spv_id type, uint32_t member, struct str *out)
{
    for (const struct spv_inst *at = spv_decorations(listing->module, type); at; at = at->next_decoration) {
        if (at->op == SpvOpMemberDecorate && at->words[1] == member && at->words[2] == SpvDecorationOffset)
            str_printf(out, "@%u", at->words[3]);
        if (at->op == SpvOpMemberDecorate && at->words[1] == member && at->words[2] == SpvDecorationNonWritable)
            str_puts(out, " NonWritable");
    }
}

static void print_members(struct listing *listing, const struct spv_inst *def, struct str *out)
{
    str_putc(out, '{');
    for (uint32_t i = 0; i < def->num_words; i++) {
        str_puts(out, i ? " " : "");
        print_global(listing, def->words[i], out);
        if (def->op == SpvOpTypeStruct)
            print_offset(listing, def->id, i, out);
    }
    str_putc(out, '}');
}

static void print_variable(struct listing *listing, spv_id id, struct str *out)
{
    uint32_t storage = spv_def(listing->module, id)->words[0];
    if (!listing->numbers[id]) {
        listing->numbers[id] = ++listing->last_variable[storage < NUM_STORAGES ? storage : 0];
        if (listing->num_variables < MAX_VARIABLES)
            listing->variables[listing->num_variables++] = id;
    }
    str_printf(out, "%s%u", storage_name(storage), listing->numbers[id]);
}

/* "(IAdd spec3 3)" */
static void print_spec_operation(struct listing *listing, const struct spv_inst *def, struct str *out)
{
    str_printf(out, "(%s", spv_op_name((uint16_t)def->words[0]) + strlen("Op"));
    for (uint32_t i = 1; i < def->num_words; i++) {
        str_putc(out, ' ');
        print_global(listing, def->words[i], out);
    }
    str_putc(out, ')');
}

static void print_global(struct listing *listing, spv_id id, struct str *out)
{
    const struct spv_module *module = listing->module;
    const struct spv_inst *def = spv_def(module, id);
    uint64_t bits;
    if (spv_const_value(module, id, &bits) && def->op != SpvOpConstantNull) {
        if (def->op == SpvOpConstant)
            str_printf(out, spv_type_is_float(module, def->type) ? "0x%llx" : "%llu", (unsigned long long)bits);
        else
            str_puts(out, bits ? "true" : "false");
        return;
    }
    switch (def->op) {
    case SpvOpTypeVoid:
        str_puts(out, "void");
        return;
    case SpvOpTypeBool:
        str_puts(out, "bool");
        return;
    case SpvOpTypeInt:
        str_printf(out, "u%u", def->words[0]);
        return;
    case SpvOpTypeFloat:
        str_printf(out, "f%u", def->words[0]);
        return;
    case SpvOpTypeVector:
        print_global(listing, def->words[0], out);
        str_printf(out, "x%u", def->words[1]);
        return;
    case SpvOpTypePointer:
        print_global(listing, def->words[1], out);
        str_printf(out, "*%s", storage_name(def->words[0]));
        return;
    case SpvOpUndef:
        str_puts(out, "undef");
        return;
    case SpvOpConstantNull:
        str_puts(out, "null");
        return;
    case SpvOpTypeArray:
        print_global(listing, def->words[0], out);
        str_putc(out, '[');
        print_global(listing, def->words[1], out);
        str_putc(out, ']');
        return;
    case SpvOpTypeRuntimeArray:
        print_global(listing, def->words[0], out);
        str_puts(out, "[]");
        return;
    case SpvOpTypeImage: /* dimension, depth, arrayed, multisampled, 1 sampled or 2 storage, format */
        str_puts(out, "image<");
        print_global(listing, def->words[0], out);
        for (uint32_t i = 1; i < 7; i++)
            str_printf(out, " %u", def->words[i]);
        str_putc(out, '>');
        return;
    case SpvOpSpecConstant:
        print_spec_constant(listing, id, out);
        return;
    case SpvOpSpecConstantOp:
        print_spec_operation(listing, def, out);
        return;
    case SpvOpTypeStruct:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        print_members(listing, def, out);
        return;
    case SpvOpVariable:
        print_variable(listing, id, out);
        return;
    default:
        str_printf(out, "@%s", spv_op_name(def->op));
        return;
    }
}

static bool is_global(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *def = spv_def(module, id);
    return def && !def->block && def->op != SpvOpFunction && def->op != SpvOpFunctionParameter;
}

static void print_id(struct listing *listing, spv_id id, struct str *out)
{
    if (is_global(listing->module, id)) {
        print_global(listing, id, out);
        return;
    }
    if (!listing->numbers[id])
        listing->numbers[id] = ++listing->last;
    str_printf(out, "%%%u", listing->numbers[id]);
}

static void listing_init(struct listing *listing, struct arena *arena, const struct spv_module *module)
{
    *listing = (struct listing){.module = module, .numbers = arena_array(arena, uint32_t, module->bound)};
}

/* From spv_print()'s text of the whole module, so that operands are spelled as everywhere. */
static void print_functions(struct listing *listing, struct arena *arena, struct str *out)
{
    struct str all;
    str_init(&all, arena);
    spv_print(listing->module, &all);
    const char *text = strstr(str_text(&all), "OpFunction ");
    while (text && text > all.data && text[-1] != '\n')
        text--;
    bool line_starts = true;
    spv_id result = 0; /* of the line */
    for (; text && *text; text++) {
        if (line_starts && (*text == ' ' || *text == '\n'))
            continue;
        if (*text == '\n' && result && spv_no_signed_wrap(spv_def(listing->module, result)))
            str_puts(out, " NoSignedWrap");
        if (line_starts)
            result = *text == '%' ? (spv_id)strtoul(text + 1, NULL, 10) : 0;
        line_starts = *text == '\n';
        if (*text != '%') {
            str_putc(out, *text);
            continue;
        }
        char *end;
        print_id(listing, (spv_id)strtoul(text + 1, &end, 10), out);
        text = end - 1;
    }
}

void listing_print_functions(struct arena *arena, struct spv_module *module, struct str *out)
{
    struct listing listing;
    listing_init(&listing, arena, module);
    print_functions(&listing, arena, out);
}

/* A line of spv_print_inst() without its first words. */
static void print_words_from(const struct spv_module *module, struct arena *arena, const struct spv_inst *inst,
                             uint32_t first, struct str *out)
{
    struct str line;
    str_init(&line, arena);
    spv_print_inst(module, inst, &line);
    const char *at = str_text(&line);
    at += strspn(at, " ");
    for (; first && *at; first--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    str_append(out, at, strcspn(at, "\n"));
}

void listing_print_kernel(struct arena *arena, struct spv_module *module, struct str *out)
{
    struct listing listing;
    struct str functions;
    listing_init(&listing, arena, module);
    str_init(&functions, arena);
    print_functions(&listing, arena, &functions);
    for (uint32_t i = 0; i < listing.num_variables; i++) {
        spv_id id = listing.variables[i];
        print_variable(&listing, id, out);
        str_puts(out, ": ");
        print_global(&listing, spv_def(module, spv_def(module, id)->type)->words[1], out);
        for (const struct spv_inst *at = spv_decorations(module, id); at; at = at->next_decoration) {
            if (at->op != SpvOpDecorate)
                continue;
            str_puts(out, ", ");
            print_words_from(module, arena, at, 2, out); /* without OpDecorate and its target */
        }
        str_putc(out, '\n');
    }
    str_puts(out, str_text(&functions));
}

void listing_print_header(struct arena *arena, const struct spv_module *module, struct str *out)
{
    static const enum spv_section shown[] = {SPV_SECTION_CAPABILITY, SPV_SECTION_EXTENSION, SPV_SECTION_MEMORY_MODEL,
                                             SPV_SECTION_EXECUTION_MODE};
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        for (const struct spv_inst *inst = module->sections[shown[i]].first; inst; inst = inst->next) {
            print_words_from(module, arena, inst, 0, out);
            str_putc(out, '\n');
        }
    }
}
