/* Global arrays that are indexed by arithmetic on addresses are accessed by access chains instead:
 *
 *     %s = OpIAdd %ulong %base (%i << 2)            =>    %a = OpConvertUToPtr %floats %base
 *     %p = OpConvertUToPtr %pointer %s                    %p = OpAccessChain %pointer %a %0 %i
 *
 * where %floats points to a block with a runtime array of floats. The address is the same, a sum of 64 bits, but
 * drivers compute it better: on NVIDIA's driver a matrix product runs 4 and a sort 11 percent faster. This pass runs
 * after those that move address arithmetic (hoist.c, strength.c).
 *
 * NVIDIA's driver (580) computes the chain's offset in 32 bits without a sign, which may be why it is fast, and is wrong
 * from 4 GiB on, and for indices below 0 (the address is 4 GiB too high, and the kernel never ends). For such drivers
 * a chain begins at an address that is inside of an object, and its index is not negative: it is known not to be, or
 * the base is what a kernel's argument points to, with nothing before it. Where the base is itself a sum, of an argument
 * and a distance that may be negative, it may lie outside of every object, and then the index is as much larger. So the
 * chain begins at the argument there, and its index is the sum of the distance and the index. A specialisation
 * constant, which the pipeline's compiler knows, says where there may be more:
 *
 *     %b = OpSelect %ulong %far %s %base
 *     %k = OpSelect %ulong %far %0 %i                     (and %p as above, from %b and %k)
 */
#include "compiler/opt/opt.h"

struct elements {
    struct spv_module *module;
    spv_id *blocks;       /* element type -> pointer to a block with an array of them */
    VEC(spv_id) elements; /* that have one */
    bool short_chains;
    spv_id large, far; /* opt_reaches_far(); 0: not asked for yet */
};

/* The size of a type in memory where an array of it has no gaps; 0 otherwise. */
static uint32_t size_of(const struct spv_module *module, spv_id type)
{
    uint32_t count = spv_type_count(module, type);
    bool number = spv_type_is_int(module, type) || spv_type_is_float(module, type);
    return number && count != 3 ? count * spv_type_width(module, type) / 8 : 0;
}

static spv_id make_block(struct spv_module *module, spv_id array, uint32_t stride)
{
    spv_decorate(module, array, SpvDecorationArrayStride, 1, &stride);
    spv_id block = spv_type_struct(module, 1, &array);
    spv_decorate(module, block, SpvDecorationBlock, 0, NULL);
    spv_decorate_member(module, block, 0, SpvDecorationOffset, 1, (const uint32_t[]){0});
    return block;
}

spv_id opt_elements_pointer(struct spv_module *module, spv_id element, uint32_t stride)
{
    spv_id array = spv_type(module, SpvOpTypeRuntimeArray, 1, &element), block = 0;
    if (spv_find_decoration(module, array, SpvDecorationArrayStride)) { /* another function's */
        spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL])
            block = inst->op == SpvOpTypeStruct && inst->num_words == 1 && inst->words[0] == array ? inst->id : block;
    } else {
        block = make_block(module, array, stride);
    }
    return spv_type_pointer(module, SpvStorageClassPhysicalStorageBuffer, block);
}

static spv_id block_of(struct elements *e, spv_id element, uint32_t stride)
{
    if (e->blocks[element])
        return e->blocks[element];
    vec_push(e->module->arena, &e->elements, element);
    return e->blocks[element] = opt_elements_pointer(e->module, element, stride);
}

/* The index that a summand scales by size, as %i in (%i << 2) where size is 4; 0: the summand is not of that form. */
static spv_id index_of(const struct spv_module *module, spv_id summand, uint32_t size)
{
    const struct spv_inst *def = spv_def(module, summand);
    uint64_t bits;
    if (!def->block || def->op != SpvOpShiftLeftLogical || !spv_const_value(module, def->words[1], &bits) || bits > 4 ||
        1u << bits != size)
        return 0;
    return def->words[0];
}

/* Whether the pipeline's chains may not do, since objects may be large or, for indices that may be negative from where
 * an argument points, since that may be inside an object. */
static spv_id is_far(struct elements *e, bool may_be_negative)
{
    spv_id *known = may_be_negative ? &e->far : &e->large;
    if (!*known)
        *known = opt_reaches_far(e->module, may_be_negative);
    return *known;
}

/* Where a chain of a driver with short ones begins, and by which index it reaches what base and index reach. */
struct start {
    spv_id base, index;
    bool from_argument; /* the index may be negative, if the argument points into an object */
};

/* Whether a value is an address that the program has computed, so that it is inside of an object or at its end: not a
 * sum, which passes put in order, nor the phi of an address that opt_strength() advances. */
static bool is_program_pointer(const struct spv_inst *def)
{
    return def->op != SpvOpIAdd && def->op != SpvOpISub && def->op != SpvOpPhi;
}

/* Of an argument and a distance. New instructions go to at. */
static bool start_at_argument(struct spv_builder *at, const struct spv_inst *sum, spv_id index, uint32_t size,
                              bool index_may_be_negative, struct start *start)
{
    struct spv_module *module = at->module;
    for (uint32_t i = 0; sum->op == SpvOpIAdd && i < 2; i++) {
        spv_id argument = sum->words[!i], scaled = index_of(module, sum->words[i], size);
        if (!spv_def(module, argument)->hints.is_argument)
            continue;
        if (!index_may_be_negative && opt_never_negative(module, sum->words[i])) {
            *start = (struct start){.base = sum->id, .index = index};
            return true;
        }
        if (!scaled || spv_value_type(module, scaled) != spv_value_type(module, index))
            return false;
        index = spv_emitv(at, SpvOpIAdd, spv_value_type(module, index), scaled, index);
        *start = (struct start){.base = argument, .index = index, .from_argument = true};
        return true;
    }
    return false;
}

static bool find_start(struct spv_builder *at, spv_id base, spv_id index, uint32_t size, struct start *start)
{
    const struct spv_inst *def = spv_def(at->module, base);
    bool may_be_negative = !opt_never_negative(at->module, index);
    if (!def->hints.is_argument && !is_program_pointer(def))
        return start_at_argument(at, def, index, size, may_be_negative, start);
    *start = (struct start){.base = base, .index = index, .from_argument = may_be_negative};
    return !may_be_negative || def->hints.is_argument;
}

static bool rewrite(struct elements *e, struct spv_inst *pointer)
{
    struct spv_module *module = e->module;
    const struct spv_inst *sum = spv_def(module, pointer->words[0]);
    spv_id element = spv_pointer_pointee(module, pointer->type);
    uint32_t size = size_of(module, element);
    if (!size || !sum->block || sum->op != SpvOpIAdd)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        spv_id index = index_of(module, sum->words[i], size), base = sum->words[!i];
        if (!index || spv_op_is_constant(spv_def(module, base)->op))
            continue;
        struct spv_builder at = {module, pointer->block->function, pointer->block, pointer};
        if (e->short_chains) {
            struct start start;
            if (!find_start(&at, base, index, size, &start))
                continue;
            spv_id type = spv_value_type(module, index), far = is_far(e, start.from_argument);
            base = spv_emitv(&at, SpvOpSelect, sum->type, far, sum->id, start.base);
            index = spv_emitv(&at, SpvOpSelect, type, far, spv_const_bits(module, type, 0), start.index);
        }
        spv_id array = spv_emitv(&at, SpvOpConvertUToPtr, block_of(e, element, size), base);
        bool is_read_only = pointer->hints.is_read_only;
        pointer->op = SpvOpAccessChain;
        spv_inst_set_words(module, pointer, 3, (const uint32_t[]){array, spv_const_u32(module, 0), index});
        pointer->hints.is_read_only = is_read_only;
        return true;
    }
    return false;
}

static bool run(struct spv_module *module, struct spv_function *function, bool short_chains)
{
    struct elements e = {.module = module, .blocks = spv_borrow_table(module, spv_id), .short_chains = short_chains};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpConvertUToPtr)
                changed |= rewrite(&e, inst);
        }
    }
    for (uint32_t i = 0; i < e.elements.length; i++)
        e.blocks[e.elements.data[i]] = 0;
    spv_give_back_zeroed(module, e.blocks);
    return changed;
}

bool opt_elements(struct spv_module *module, struct spv_function *function)
{
    return run(module, function, false);
}

bool opt_elements_short(struct spv_module *module, struct spv_function *function)
{
    return run(module, function, true);
}
