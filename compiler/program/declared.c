/* Built-in functions that a module from IL only declares, by their mangled names, get bodies. LLVM's own back end makes
 * instructions of most of OpenCL's functions, but not of these of OpenCL C 1.x:
 *
 *     atomic_inc, atomic_dec, atomic_xchg, atomic_min, atomic_max and the atom_ ones, for integers and floats
 *     mem_fence, read_mem_fence, write_mem_fence, sub_group_barrier
 *
 * C++ compilers declare what their tables of virtual functions lead to and no program uses: what stands for a function
 * that has no body, what frees an object that `new` has made, the tables of the classes that describe types.
 *
 * The name tells the function (OpenCL C 3.0, 6.15.12.7: the legacy atomics), the last letter of its parameters whether it
 * is about unsigned integers. The types are the declaration's. Other functions of OpenCL C are the front end's
 * (declared_library.c). What does not fit stays undefined, and the build says so. */
#include "compiler/program/program.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    ORDERS = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask |
             SpvMemorySemanticsCrossWorkgroupMemoryMask
};

struct row {
    const char *name; /* behind atomic_ or atom_ */
    SpvOp op, of_unsigned;
    uint32_t params;
};

static const struct row atomics[] = {
    {"inc", SpvOpAtomicIIncrement, SpvOpAtomicIIncrement, 1},
    {"dec", SpvOpAtomicIDecrement, SpvOpAtomicIDecrement, 1},
    {"xchg", SpvOpAtomicExchange, SpvOpAtomicExchange, 2},
    {"min", SpvOpAtomicSMin, SpvOpAtomicUMin, 2},
    {"max", SpvOpAtomicSMax, SpvOpAtomicUMax, 2},
    {"add", SpvOpAtomicIAdd, SpvOpAtomicIAdd, 2},
    {"sub", SpvOpAtomicISub, SpvOpAtomicISub, 2},
    {"and", SpvOpAtomicAnd, SpvOpAtomicAnd, 2},
    {"or", SpvOpAtomicOr, SpvOpAtomicOr, 2},
    {"xor", SpvOpAtomicXor, SpvOpAtomicXor, 2},
};

/* ---- names ---- */

/* What is behind the word in a name of that length; NULL: it does not begin so. */
static const char *behind(const char *name, size_t length, const char *word, size_t *left)
{
    size_t size = strlen(word);
    if (length < size || strncmp(name, word, size) != 0)
        return NULL;
    *left = length - size;
    return name + size;
}

static const struct row *find_atomic(const char *name, size_t length)
{
    size_t left;
    const char *rest = behind(name, length, "atomic_", &left);
    rest = rest ? rest : behind(name, length, "atom_", &left);
    for (uint32_t i = 0; rest && i < ARRAY_LENGTH(atomics); i++) {
        if (strlen(atomics[i].name) == left && !strncmp(rest, atomics[i].name, left))
            return &atomics[i];
    }
    return NULL;
}

static bool is_one_of(const char *name, size_t length, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == length && !strncmp(name, *words, length))
            return true;
    }
    return false;
}

/* ---- bodies ---- */

static struct spv_builder begin(struct spv_module *module, struct spv_function *function)
{
    struct spv_block *block = spv_block_create(function, module, 0);
    spv_block_append(function, block);
    return (struct spv_builder){.module = module, .function = function, .block = block};
}

static bool define_atomic(struct spv_module *module, struct spv_function *function, const struct row *row, char letter)
{
    spv_id type = function->def->type, pointer = function->params.length ? function->params.data[0]->type : 0;
    uint32_t width =
        spv_type_is_int(module, type) || spv_type_is_float(module, type) ? spv_type_width(module, type) : 0;
    bool fits = function->params.length == row->params && spv_type_is_pointer(module, pointer) &&
                !spv_type_is_vector(module, type) && (width == 32 || width == 64) &&
                (spv_type_is_int(module, type) || row->op == SpvOpAtomicExchange) &&
                (row->params == 1 || function->params.data[1]->type == type);
    if (!fits)
        return false;
    struct spv_builder b = begin(module, function);
    spv_id wanted = spv_type_pointer(module, spv_pointer_storage(module, pointer), type);
    spv_id place = function->params.data[0]->id;
    uint32_t words[4] = {wanted == pointer ? place : spv_emitv(&b, SpvOpBitcast, wanted, place),
                         spv_const_u32(module, SpvScopeDevice), spv_const_u32(module, SpvMemorySemanticsMaskNone),
                         row->params == 2 ? function->params.data[1]->id : 0};
    if (width == 64)
        spv_add_capability(module, SpvCapabilityInt64Atomics);
    SpvOp op = letter == 'j' || letter == 'm' ? row->of_unsigned : row->op;
    spv_emitv_void(&b, SpvOpReturnValue, spv_emit(&b, op, type, 2 + row->params, words));
    return true;
}

/* The flags say which memory; it is all memory here, which is more than is asked for. */
static bool define_fence(struct spv_module *module, struct spv_function *function, bool is_barrier)
{
    if (function->params.length != 1 || spv_type_op(module, function->def->type) != SpvOpTypeVoid)
        return false;
    struct spv_builder b = begin(module, function);
    spv_id orders = spv_const_u32(module, ORDERS);
    spv_id scope = spv_const_u32(module, is_barrier ? SpvScopeSubgroup : SpvScopeWorkgroup);
    if (is_barrier)
        spv_emitv_void(&b, SpvOpControlBarrier, scope, scope, orders);
    else
        spv_emitv_void(&b, SpvOpMemoryBarrier, scope, orders);
    spv_emit_void(&b, SpvOpReturn, 0, NULL);
    return true;
}

static bool define(struct spv_module *module, struct spv_function *function, const char *mangled)
{
    static const char *const fences[] = {"mem_fence", "read_mem_fence", "write_mem_fence", NULL};
    static const char *const barriers[] = {"sub_group_barrier", NULL};
    char *name;
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    size_t length = strtoul(mangled + 2, &name, 10), left = strlen(name);
    if (!length || length >= left)
        return false;
    const struct row *atomic = find_atomic(name, length);
    if (atomic)
        return define_atomic(module, function, atomic, name[left - 1]);
    bool is_barrier = is_one_of(name, length, barriers);
    return (is_barrier || is_one_of(name, length, fences)) && define_fence(module, function, is_barrier);
}

/* OpenCL C 3.0, 6.15.5: the functions of address spaces have the names that clang gives them. */
static bool define_to_space(struct spv_module *module, struct spv_function *function, const char *name)
{
    static const struct {
        const char *name;
        SpvStorageClass storage;
    } spaces[] = {{"__to_global", SpvStorageClassCrossWorkgroup},
                  {"__to_local", SpvStorageClassWorkgroup},
                  {"__to_private", SpvStorageClassFunction}};
    spv_id type = function->def->type, from = function->params.length == 1 ? function->params.data[0]->type : 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(spaces); i++) {
        if (strcmp(name, spaces[i].name) != 0)
            continue;
        if (!spv_type_is_pointer(module, type) || spv_pointer_storage(module, type) != spaces[i].storage ||
            !spv_type_is_pointer(module, from) || spv_pointer_storage(module, from) != SpvStorageClassGeneric)
            return false;
        struct spv_builder b = begin(module, function);
        spv_id wanted = spv_type_pointer(module, SpvStorageClassGeneric, spv_pointer_pointee(module, type));
        spv_id value = function->params.data[0]->id;
        value = wanted == from ? value : spv_emitv(&b, SpvOpBitcast, wanted, value);
        spv_emitv_void(&b, SpvOpReturnValue,
                       spv_emitv(&b, SpvOpGenericCastToPtrExplicit, type, value, spaces[i].storage));
        return true;
    }
    return false;
}

/* ---- C++ ---- */

static bool begins_with(const char *name, const char *word)
{
    return !strncmp(name, word, strlen(word));
}

/* Nobody calls such a function: a class that has one has no objects, and kernels have no `new`. */
static bool define_unused(struct spv_module *module, struct spv_function *function, const char *name)
{
    if ((strcmp(name, "__cxa_pure_virtual") != 0 && strcmp(name, "__cxa_deleted_virtual") != 0 &&
         !begins_with(name, "_ZdlPv")) ||
        spv_type_op(module, function->def->type) != SpvOpTypeVoid)
        return false;
    struct spv_builder b = begin(module, function);
    spv_emit_void(&b, SpvOpReturn, 0, NULL);
    return true;
}

/* Descriptions of types lead to the tables of their own classes, which are asked for nothing. */
static bool define_table(struct spv_module *module, struct spv_inst *variable, const char *name)
{
    if (variable->op != SpvOpVariable || variable->num_words != 1 || !begins_with(name, "_ZTVN10__cxxabiv1"))
        return false;
    const uint32_t words[] = {variable->words[0], spv_const_null(module, spv_pointer_pointee(module, variable->type))};
    spv_inst_set_words(module, variable, 2, words);
    return true;
}

/* ---- the whole ---- */

static bool define_import(struct spv_module *module, struct spv_inst *linkage, const struct clc_target *target,
                          struct clc_program **compiled)
{
    const char *name = spv_string(linkage, 2, NULL);
    struct spv_function *function = spv_function_of(module, linkage->words[0]);
    struct spv_inst *def = spv_def(module, linkage->words[0]);
    if (!function)
        return def && define_table(module, def, name);
    return !function->first_block && (define(module, function, name) || define_to_space(module, function, name) ||
                                      define_unused(module, function, name) ||
                                      program_define_by_library(module, function, name, target, compiled));
}

void program_define_declared(struct spv_module *module, const struct clc_target *target, struct clc_program **compiled)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op != SpvOpDecorate || inst->num_words < 4 || inst->words[1] != SpvDecorationLinkageAttributes ||
            inst->words[inst->num_words - 1] != SpvLinkageTypeImport)
            continue;
        if (define_import(module, inst, target, compiled))
            spv_inst_remove(module, inst);
    }
}
