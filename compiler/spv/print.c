/* Text in the syntax of spirv-as (and close to spirv-dis in look): for dumps, tests and error messages, without
 * SPIRV-Tools. */
#include "grammar.h"

#include "base/util.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_quoted(struct str *out, const char *text)
{
    str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            str_putc(out, '\\');
        str_putc(out, *text);
    }
    str_putc(out, '"');
}

/* Most of a module's text is numbers, for which printf is slow: before, then the number, at the end of width columns.
 */
static void print_decimal(struct str *out, const char *before, uint64_t number, uint32_t width)
{
    char text[48];
    uint32_t at = sizeof(text), start = (uint32_t)strlen(before);
    do
        text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    at -= start;
    memcpy(text + at, before, start);
    while (sizeof(text) - at < width)
        text[--at] = ' ';
    str_append(out, text + at, sizeof(text) - at);
}

static uint64_t literal(const uint32_t *words, uint32_t count)
{
    return words[0] | (count > 1 ? (uint64_t)words[1] << 32 : 0);
}

/* spirv-as reads a number in a position of float type as the value, so the bits have to survive: hexadecimal floats do.
 * NaN and infinity have an exponent beyond the largest there. */
static void print_hex_float(struct str *out, uint64_t bits, int exponent_bits, int fraction_bits)
{
    uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    int biased = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    bool negative = bits >> (exponent_bits + fraction_bits) & 1;
    int exponent = biased - bias;
    if (!biased && fraction) {
        /* a subnormal, normalised */
        exponent = 1 - bias;
        while (!(fraction >> fraction_bits)) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= ((uint64_t)1 << fraction_bits) - 1;
    }
    int digits = (fraction_bits + 3) / 4;
    fraction <<= digits * 4 - fraction_bits;
    str_printf(out, "%s0x1", negative ? "-" : "");
    if (fraction)
        str_printf(out, ".%0*" PRIx64, digits, fraction);
    str_printf(out, "p%+d", exponent);
}

static void print_float(struct str *out, uint64_t bits, uint32_t width)
{
    double value;
    if (width == 64) {
        memcpy(&value, &bits, sizeof(value));
    } else if (width == 32) {
        float narrow;
        uint32_t word = (uint32_t)bits;
        memcpy(&narrow, &word, sizeof(narrow));
        value = narrow;
    } else {
        value = half_to_float((uint16_t)bits);
    }
    if (value == 0) {
        str_puts(out, signbit(value) ? "-0" : "0");
    } else if (isfinite(value) && fabs(value) < 1e6 && value == nearbyint(value)) {
        str_printf(out, "%.0f", value);
    } else if (width == 64) {
        print_hex_float(out, bits, 11, 52);
    } else if (width == 32) {
        print_hex_float(out, bits, 8, 23);
    } else {
        print_hex_float(out, bits, 5, 10);
    }
}

static void print_number(const struct spv_module *module, const struct spv_inst *type, const uint32_t *words,
                         uint32_t count, struct str *out)
{
    (void)module;
    uint64_t bits = literal(words, count);
    if (type && type->op == SpvOpTypeFloat)
        print_float(out, bits, type->words[0]);
    else if (type && type->op == SpvOpTypeInt && type->words[1] && count == 1)
        str_printf(out, "%" PRId32, (int32_t)bits);
    else if (type && type->op == SpvOpTypeInt && type->words[1])
        str_printf(out, "%" PRId64, (int64_t)bits);
    else
        print_decimal(out, "", bits, 0);
}

static void print_bits(uint8_t kind, uint32_t value, struct str *out)
{
    if (!value) {
        str_puts(out, "None");
        return;
    }
    const char *separator = "";
    for (uint32_t bit = 0; bit < 32; bit++) {
        if (!(value >> bit & 1))
            continue;
        const struct spv_grammar_enumerant *enumerant = spv_grammar_enumerant(kind, 1u << bit);
        str_printf(out, "%s%s", separator, enumerant ? enumerant->name : "?");
        separator = "|";
    }
}

static void print_operand(const struct spv_module *module, const struct spv_inst *inst,
                          const struct spv_operand *operand, struct str *out)
{
    const uint32_t *words = inst->words + operand->word;
    switch (operand->category) {
    case SPV_CATEGORY_ID:
        print_decimal(out, "%", words[0], 0);
        break;
    case SPV_CATEGORY_STRING:
        print_quoted(out, (const char *)words);
        break;
    case SPV_CATEGORY_NUMBER:
        print_number(module, spv_def(module, inst->type), words, operand->count, out);
        break;
    case SPV_CATEGORY_SWITCH_LITERAL: {
        const struct spv_inst *selector = spv_def(module, inst->words[0]);
        print_number(module, selector ? spv_def(module, selector->type) : NULL, words, operand->count, out);
        break;
    }
    case SPV_CATEGORY_EXT_INST: {
        const struct spv_grammar_op *row = spv_grammar_ext(inst->hints.ext_set, words[0]);
        if (row)
            str_puts(out, row->name);
        else
            str_printf(out, "%u", words[0]);
        break;
    }
    case SPV_CATEGORY_SPEC_OP:
        str_puts(out, spv_grammar_op(words[0])->name + 2);
        break;
    case SPV_CATEGORY_VALUE_ENUM: {
        const struct spv_grammar_enumerant *enumerant = spv_grammar_enumerant(operand->kind, words[0]);
        str_puts(out, enumerant ? enumerant->name : "?");
        break;
    }
    case SPV_CATEGORY_BIT_ENUM:
        print_bits(operand->kind, words[0], out);
        break;
    default:
        print_decimal(out, "", words[0], 0);
        break;
    }
}

void spv_print_inst(const struct spv_module *module, const struct spv_inst *inst, struct str *out)
{
    const char *name = spv_op_name(inst->op);
    if (inst->id) {
        print_decimal(out, "%", inst->id, 10);
        str_append(out, " = ", 3);
    } else {
        str_append(out, "             ", 13);
    }
    str_puts(out, name ? name : "OpUnknown");
    if (inst->type)
        print_decimal(out, " %", inst->type, 0);
    if (spv_op_flags(inst->op) & SPV_OP_ALL_IDS) {
        for (uint32_t i = 0; i < inst->num_words; i++)
            print_decimal(out, " %", inst->words[i], 0);
        str_putc(out, '\n');
        return;
    }
    struct spv_operand_cursor cursor;
    struct spv_operand operand;
    spv_cursor_start(&cursor, inst);
    while (spv_cursor_next(&cursor, &operand)) {
        str_putc(out, ' ');
        print_operand(module, inst, &operand, out);
    }
    if (cursor.error)
        str_printf(out, " ; %s", cursor.error);
    str_putc(out, '\n');
}

static void print_function(const struct spv_module *module, const struct spv_function *function, struct str *out)
{
    str_putc(out, '\n');
    spv_print_inst(module, function->def, out);
    for (uint32_t i = 0; i < function->params.length; i++)
        spv_print_inst(module, function->params.data[i], out);
    spv_foreach_block (block, function) {
        spv_print_inst(module, block->label, out);
        spv_foreach_inst (inst, &block->insts)
            spv_print_inst(module, inst, out);
    }
    spv_print_inst(module, &(struct spv_inst){.op = SpvOpFunctionEnd}, out);
}

static void print_hints(const struct spv_module *module, struct str *out)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t words[] = {inst->id, spv_hinted_decoration(inst)};
                if (words[1] != SpvDecorationMax)
                    spv_print_inst(module, &(struct spv_inst){.op = SpvOpDecorate, .num_words = 2, .words = words},
                                   out);
            }
        }
    }
}

void spv_print(const struct spv_module *module, struct str *out)
{
    str_printf(out, "; SPIR-V\n; Version: %u.%u\n; Bound: %u\n", module->version >> 16 & 0xff,
               module->version >> 8 & 0xff, module->bound);
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        spv_foreach_inst (inst, &module->sections[section])
            spv_print_inst(module, inst, out);
        if (section == SPV_SECTION_ANNOTATION)
            print_hints(module, out);
    }
    spv_foreach_function (declaration, module) {
        if (!declaration->first_block)
            print_function(module, declaration, out);
    }
    spv_foreach_function (function, module) {
        if (function->first_block)
            print_function(module, function, out);
    }
}
