/* compiler/spv/: building, text and binary round trips, hostile binaries, imports.
 *
 *   test_spv                 the tests of its own
 *   test_spv FILE.spv OUT    a foreign module: reads, checks, writes, prints, parses, clones, imports; leaves the
 * rewritten binary in OUT for spirv-val */
#include "base/util.h"
#include "compiler/spv/pack.h"
#include "compiler/spv/cfg.h"
#include "compiler/spv/layout.h"
#include "compiler/spv/spv.h"

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static const char sample[] =
    "; Version: 1.4\n"
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Float64\nOpCapability Float16\n"
    "%ocl = OpExtInstImport \"OpenCL.std\"\n"
    "OpMemoryModel Physical64 OpenCL\n"
    "OpEntryPoint Kernel %main \"main\" %gid\n"
    "OpExecutionMode %main LocalSize 8 1 1\n"
    "OpName %s \"struct.node\"\nOpMemberName %s 1 \"a \\\"quoted\\\" name\"\n"
    "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\n"
    "OpDecorate %main LinkageAttributes \"main\" Export\n"
    "OpMemberDecorate %s 0 Offset 0\n"
    "OpTypeForwardPointer %ps CrossWorkgroup\n"
    "%void = OpTypeVoid\n%u8 = OpTypeInt 8 0\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n%f16 = OpTypeFloat 16\n"
    "%f32 = OpTypeFloat 32\n%f64 = OpTypeFloat 64\n%bool = OpTypeBool\n%v3 = OpTypeVector %u64 3\n"
    "%v4f = OpTypeVector %f32 4\n"
    "%s = OpTypeStruct %u32 %ps\n%ps = OpTypePointer CrossWorkgroup %s\n"
    "%pv3 = OpTypePointer Input %v3\n%pf = OpTypePointer CrossWorkgroup %f32\n"
    "%fn = OpTypeFunction %void %pf %ps\n%helper_type = OpTypeFunction %f32 %f32\n"
    "%c1 = OpConstant %u32 1\n%c255 = OpConstant %u8 255\n%big = OpConstant %u64 0x123456789abcdef0\n"
    "%half = OpConstant %f16 -0x1.8p+3\n%pi = OpConstant %f32 0x1.921fb6p+1\n%nan = OpConstant %f32 0x1.8p+128\n"
    "%inf = OpConstant %f64 -0x1p+1024\n%tiny = OpConstant %f64 0x1p-1074\n%null = OpConstantNull %ps\n"
    "%vc = OpConstantComposite %v4f %pi %pi %nan %pi\n"
    "%gid = OpVariable %pv3 Input\n"
    "%helper = OpFunction %f32 Pure|Const %helper_type\n%x = OpFunctionParameter %f32\n%h0 = OpLabel\n"
    "%y = OpExtInst %f32 %ocl sin %x\n%z = OpExtInst %f32 %ocl fma %y %x %pi\nOpReturnValue %z\nOpFunctionEnd\n"
    "%main = OpFunction %void None %fn\n%out = OpFunctionParameter %pf\n%list = OpFunctionParameter %ps\n"
    "%entry = OpLabel\n%id3 = OpLoad %v3 %gid Aligned 32\n%i = OpCompositeExtract %u64 %id3 0\n"
    "OpSelectionMerge %done None\nOpSwitch %i %other 0 %zero 0x100000001 %zero\n"
    "%zero = OpLabel\nOpBranch %done\n%other = OpLabel\n%value = OpFunctionCall %f32 %helper %pi\nOpBranch %done\n"
    "%done = OpLabel\n%phi = OpPhi %f32 %pi %zero %value %other\n"
    "%q = OpInBoundsPtrAccessChain %pf %out %i\nOpStore %q %phi Aligned|Volatile 4\nOpReturn\nOpFunctionEnd\n";

static struct spv_module *parse(struct arena *arena, const char *text)
{
    const char *error;
    struct spv_module *module = spv_parse_text(arena, text, &error);
    if (!module)
        fprintf(stderr, "%s\n", error);
    return module;
}

static const char *print(struct arena *arena, const struct spv_module *module)
{
    struct str text;
    str_init(&text, arena);
    spv_print(module, &text);
    return str_text(&text);
}

/* The text of a module must give the module again, and so must its binary; the binary is a fixed point. */
static void round_trip(struct arena *arena, struct spv_module *module)
{
    const char *error = spv_check(module);
    CHECK(!error);
    if (error)
        fprintf(stderr, "%s\n", error);
    size_t count, count2, count3;
    uint32_t *words = spv_write(module, &count);
    struct spv_module *again = spv_read(arena, words, count, &error);
    CHECK(again);
    if (!again) {
        fprintf(stderr, "%s\n", error);
        return;
    }
    uint32_t *words2 = spv_write(again, &count2);
    CHECK(count == count2 && !memcmp(words, words2, count * sizeof(*words)));

    const char *text = print(arena, again);
    struct spv_module *parsed = parse(arena, text);
    CHECK(parsed);
    if (!parsed)
        return;
    CHECK(!strcmp(print(arena, parsed), text));
    uint32_t *words3 = spv_write(parsed, &count3);
    CHECK(count == count3);
    /* but for the generator */
    words3[2] = words[2];
    CHECK(count == count3 && !memcmp(words, words3, count * sizeof(*words)));

    CHECK(!strcmp(print(arena, spv_read_embedded(arena, words2, count2)), text));

    struct spv_module *clone = spv_clone(arena, again);
    CHECK(!spv_check(clone));
    CHECK(!strcmp(print(arena, clone), text));
}

static void test_sample(struct arena *arena)
{
    struct spv_module *module = parse(arena, sample);
    CHECK(module);
    if (!module)
        return;
    round_trip(arena, module);
    const struct spv_inst *entry = module->sections[SPV_SECTION_ENTRY_POINT].first;
    CHECK(!strcmp(spv_string(entry, 2, NULL), "main"));
    spv_id gid = entry->words[entry->num_words - 1];
    const struct spv_inst *builtin = spv_find_decoration(module, gid, SpvDecorationBuiltIn);
    CHECK(builtin && builtin->words[2] == SpvBuiltInGlobalInvocationId);
    CHECK(spv_find_decoration(module, gid, SpvDecorationConstant));
    CHECK(!spv_find_decoration(module, gid, SpvDecorationOffset));
    spv_id u64 = spv_type_int(module, 64);
    CHECK(spv_const_u64(module, 0x123456789abcdef0) < module->bound - 1);
    CHECK(spv_type_width(module, u64) == 64);
    uint64_t bits;
    CHECK(spv_const_value(module, spv_const_bits(module, spv_type_float(module, 32), 0x7fc00000), &bits));
    CHECK(bits == 0x7fc00000);
}

static void test_types(struct arena *arena)
{
    struct spv_module *module = spv_module_create(arena, 0x10400);
    spv_id f32 = spv_type_float(module, 32), v4 = spv_type_vector(module, f32, 4);
    CHECK(f32 == spv_type_float(module, 32) && f32 != spv_type_float(module, 16));
    CHECK(v4 == spv_type_vector(module, f32, 4) && spv_type_vector(module, f32, 1) == f32);
    CHECK(spv_type_count(module, v4) == 4 && spv_type_component(module, v4) == f32 && spv_type_is_float(module, v4));
    CHECK(spv_const_splat(module, v4, 0) == spv_const_splat(module, v4, 0));
    spv_id members[] = {f32, v4};
    CHECK(spv_type_struct(module, 2, members) != spv_type_struct(module, 2, members));
    spv_id array = spv_type_array(module, f32, 7);
    CHECK(array == spv_type_array(module, f32, 7) && spv_array_length(module, array) == 7);
    spv_decorate(module, array, SpvDecorationArrayStride, 1, (const uint32_t[]){16});
    CHECK(array != spv_type_array(module, f32, 7));
    CHECK(spv_const_bool(module, true) == spv_const_bool(module, true));
    spv_id i8 = spv_type_int(module, 8);
    CHECK(spv_const_bits(module, i8, 0x1ff) == spv_const_bits(module, i8, 0xff));
    CHECK(spv_undef(module, v4) == spv_undef(module, v4));
    CHECK(spv_import_ext_inst(module, "OpenCL.std") == module->ext_opencl);
    /* decorating before defining */
    spv_id early = spv_new_id(module);
    spv_decorate(module, early, SpvDecorationRestrict, 0, NULL);
    CHECK(spv_find_decoration(module, early, SpvDecorationRestrict));
    spv_remove_annotations(module, early);
    CHECK(!spv_find_decoration(module, early, SpvDecorationRestrict));
}

/* OpenCL C 3.0, 6.3.5. */
static void test_layout(struct arena *arena)
{
    struct spv_module *module = spv_module_create(arena, 0x10400);
    struct spv_layouts layouts = {.module = module, .arena = arena};
    spv_id i8 = spv_type_int(module, 8), i32 = spv_type_int(module, 32);
    spv_id v3 = spv_type_vector(module, spv_type_float(module, 32), 3);
    const spv_id members[] = {i8, v3, i8, i32};
    spv_id plain = spv_type_struct(module, 4, members), packed = spv_type_struct(module, 4, members);
    spv_decorate(module, packed, SpvDecorationCPacked, 0, NULL);
    const struct spv_layout *layout = spv_layout_of(&layouts, plain);
    CHECK(layout->size == 48 && layout->align == 16 && layout->leaves == 4 && layout->nesting == 1);
    CHECK(layout->offsets[0] == 0 && layout->offsets[1] == 16 && layout->offsets[2] == 32 && layout->offsets[3] == 36);
    layout = spv_layout_of(&layouts, packed);
    CHECK(layout->size == 22 && layout->align == 1);
    CHECK(layout->offsets[1] == 1 && layout->offsets[2] == 17 && layout->offsets[3] == 18);
    CHECK(spv_layout_of(&layouts, spv_type_bool(module))->size == 1);
    CHECK(spv_layout_of(&layouts, spv_type_pointer(module, SpvStorageClassWorkgroup, i8))->size == 8);

    uint64_t offset;
    spv_id array = spv_type_array(module, plain, 5);
    CHECK(spv_layout_member(&layouts, array, 3, &offset) == plain && offset == 3 * 48 &&
          spv_member_count(module, array) == 5);
    CHECK(spv_layout_member(&layouts, plain, 1, &offset) == v3 && offset == 16);
    CHECK(spv_type_is_aggregate(module, array) && !spv_type_is_aggregate(module, v3));
    layout = spv_layout_of(&layouts, array);
    CHECK(layout->size == 240 && layout->align == 16 && layout->leaves == 20 && layout->nesting == 2);
}

/* What no program has: numbers saturate, and do so whichever type is asked for first. */
static void test_layout_limits(struct arena *arena)
{
    struct spv_module *module = spv_module_create(arena, 0x10400);
    struct spv_layouts inner_first = {.module = module, .arena = arena}, outer_first = inner_first;
    spv_id types[300] = {spv_type_int(module, 8)};
    const struct spv_layout *layout = NULL;
    for (uint32_t i = 1; i < 300; i++) {
        types[i] = spv_type_struct(module, 1, &types[i - 1]);
        layout = spv_layout_of(&inner_first, types[i]);
        CHECK(layout->size == 1 && layout->nesting == i);
        CHECK(layout->leaves == (i > SPV_LAYOUT_MAX_NESTING ? UINT32_MAX : 1));
    }
    CHECK(spv_layout_of(&outer_first, types[299])->leaves == UINT32_MAX);
    CHECK(spv_layout_of(&outer_first, types[200])->leaves == 1);

    spv_id array = spv_type_array(module, spv_type_int(module, 64), UINT32_MAX);
    for (uint32_t i = 0; i < 8; i++) {
        spv_id pair[] = {array, array};
        array = spv_type_array(module, spv_type_struct(module, 2, pair), UINT32_MAX);
        layout = spv_layout_of(&inner_first, array);
        CHECK(layout->size == SPV_LAYOUT_HUGE && layout->leaves == UINT32_MAX);
    }
}

static void test_build(struct arena *arena)
{
    struct spv_module *module = spv_module_create(arena, 0x10400);
    spv_add_capability(module, SpvCapabilityKernel);
    spv_add_capability(module, SpvCapabilityKernel);
    spv_add_capability(module, SpvCapabilityAddresses);
    spv_add_capability(module, SpvCapabilityLinkage);
    spv_set_memory_model(module, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    spv_id u32 = spv_type_int(module, 32);
    spv_id params[] = {u32, u32};
    struct spv_function *function = spv_function_create(module, 0, spv_type_function(module, u32, 2, params), 0);
    struct spv_block *block = spv_block_create(function, module, 0);
    spv_block_append(function, block);
    struct spv_builder b = {module, function, block, NULL};
    spv_id sum = spv_emitv(&b, SpvOpIAdd, u32, function->params.data[0]->id, function->params.data[1]->id);
    spv_id variable = spv_emit_variable(&b, u32);
    spv_emitv_void(&b, SpvOpStore, variable, sum);
    spv_id twice = spv_emitv(&b, SpvOpIAdd, u32, sum, sum);
    spv_emitv_void(&b, SpvOpReturnValue, twice);
    CHECK(!spv_check(module));
    CHECK(block->insts.first->op == SpvOpVariable);
    round_trip(arena, module);

    struct spv_replacements replacements = {0};
    spv_id chain = function->params.data[0]->id;
    spv_replace(module, &replacements, sum, twice + 1000);
    spv_replace(module, &replacements, twice + 1000, chain);
    spv_apply_replacements(module, &replacements, function);
    CHECK(spv_def(module, twice)->words[0] == chain && spv_def(module, twice)->words[1] == chain);

    /* a use before its definition */
    struct spv_inst *def = spv_def(module, twice);
    spv_inst_unlink(def);
    b.before = NULL;
    spv_inst_insert(&b, def);
    CHECK(spv_check(module));
    spv_function_remove(module, function);
    CHECK(!module->first_function && !spv_check(module));
}

/* Every prefix of a good binary, and many damaged ones: never accepted with a broken invariant, never a crash. */
static void test_hostile(struct arena *arena)
{
    struct spv_module *module = parse(arena, sample);
    size_t count;
    if (!module)
        return;
    uint32_t *words = spv_write(module, &count);
    const char *error;
    for (size_t length = 0; length < count; length++) {
        struct arena_mark mark = arena_mark(arena);
        struct spv_module *cut = spv_read(arena, words, length, &error);
        CHECK(cut || error);
        arena_rewind(arena, mark);
    }
    uint64_t state = 7;
    uint32_t accepted = 0;
    uint32_t *damaged = arena_array(arena, uint32_t, count);
    for (int i = 0; i < 20000; i++) {
        struct arena_mark mark = arena_mark(arena);
        memcpy(damaged, words, count * sizeof(*words));
        for (int j = 0; j < 1 + i % 3; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint32_t *word = &damaged[(state >> 33) % count];
            uint32_t kind = state >> 20 & 3;
            *word = kind == 0   ? (uint32_t)(state >> 24 & 0xff)
                    : kind == 1 ? *word ^ 1u << (state >> 25 & 31)
                    : kind == 2 ? *word + 1
                                : (uint32_t)(state >> 13);
        }
        struct spv_module *other = spv_read(arena, damaged, count, &error);
        CHECK(other || error);
        if (other) {
            accepted++;
            size_t size;
            print(arena, other);
            spv_write(other, &size);
            CHECK(!spv_check(other));
        }
        arena_rewind(arena, mark);
    }
    CHECK(accepted > 100 && accepted < 19000);
    for (size_t i = 0; i < count; i++)
        damaged[i] = __builtin_bswap32(words[i]);
    CHECK(spv_read(arena, damaged, count, &error));
    words[3] = 4 << 20;
    CHECK(spv_read(arena, words, count, &error));
    words[3] = (4 << 20) + 1;
    CHECK(!spv_read(arena, words, count, &error));
}

/* Puts value into a word of each instruction with this opcode. */
static void patch(uint32_t *words, size_t count, uint16_t op, uint32_t word, uint32_t value)
{
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == op)
            words[at + word] = value;
    }
}

/* A null constant that says its type twice, as LLVM 22 writes it, is read; one that says another type is refused. */
static void test_repeated_type(struct arena *arena)
{
    struct spv_module *module = parse(arena, sample);
    size_t count, at = 5;
    const char *error;
    const uint32_t *words = module ? spv_write(module, &count) : NULL;
    if (!words)
        return;
    while ((words[at] & 0xffff) != SpvOpConstantNull)
        at += words[at] >> 16;
    uint32_t *longer = arena_array(arena, uint32_t, count + 1);
    memcpy(longer, words, (at + 3) * sizeof(*words));
    memcpy(longer + at + 4, words + at + 3, (count - at - 3) * sizeof(*words));
    longer[at] = 4 << 16 | SpvOpConstantNull;
    longer[at + 3] = words[at + 1];
    CHECK(spv_read(arena, longer, count + 1, &error));
    longer[at + 3] = words[at + 1] + 1;
    CHECK(!spv_read(arena, longer, count + 1, &error));
}

static void refuse(struct arena *arena, const uint32_t *words, size_t count, const char *expected)
{
    const char *error = NULL;
    CHECK(!spv_read(arena, words, count, &error) && error && strstr(error, expected));
    if (error && !strstr(error, expected))
        fprintf(stderr, "%s\n", error);
}

/* Modules that SPIRV-Tools would refuse, and that a build without it and program binaries bring here: repairs and
 * lowering relied on what was checked later, or nowhere. */
static void test_crafted(struct arena *arena)
{
    static const char text[] =
        "OpCapability Kernel\nOpCapability Linkage\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n"
        "OpDecorate %id BuiltIn GlobalSize\n"
        "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%v3 = OpTypeVector %u32 3\n"
        "%ptr = OpTypePointer Input %v3\n%id = OpVariable %ptr Input\n"
        "%f = OpFunction %void None %fn\n%l = OpLabel\n%v = OpLoad %v3 %id\n"
        "%x = OpCompositeExtract %u32 %v 2\nOpReturn\nOpFunctionEnd\n";
    size_t count;
    struct spv_module *module = parse(arena, text);
    CHECK(module);
    if (!module)
        return;
    const uint32_t *good = spv_write(module, &count);
    uint32_t *words = arena_array(arena, uint32_t, count);
    /* a function's variable outside of all functions */
    memcpy(words, good, count * sizeof(*words));
    patch(words, count, SpvOpTypePointer, 2, SpvStorageClassFunction);
    patch(words, count, SpvOpVariable, 3, SpvStorageClassFunction);
    refuse(arena, words, count, "outside of all functions");
    /* get_global_size(3) of integers without a width, which a repair made a number */
    memcpy(words, good, count * sizeof(*words));
    patch(words, count, SpvOpTypeInt, 2, 0);
    patch(words, count, SpvOpCompositeExtract, 4, 3);
    refuse(arena, words, count, "unknown width");
    /* the same of integers with one, which is repaired */
    patch(words, count, SpvOpTypeInt, 2, 32);
    const char *error;
    CHECK(spv_read(arena, words, count, &error));
}

static void test_groups(struct arena *arena)
{
    struct spv_module *module =
        parse(arena, "OpCapability Kernel\nOpCapability Linkage\nOpCapability Addresses\n"
                     "OpMemoryModel Physical64 OpenCL\n"
                     "OpDecorate %g Constant\nOpDecorate %g Alignment 4\n%g = OpDecorationGroup\n"
                     "OpGroupDecorate %g %a %b\n"
                     "%u = OpTypeInt 32 0\n%p = OpTypePointer CrossWorkgroup %u\n"
                     "%a = OpVariable %p CrossWorkgroup\n%b = OpVariable %p CrossWorkgroup\n");
    CHECK(module);
    if (!module)
        return;
    int variables = 0;
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpVariable)
            continue;
        variables++;
        const struct spv_inst *alignment = spv_find_decoration(module, inst->id, SpvDecorationAlignment);
        CHECK(alignment && alignment->words[2] == 4);
        CHECK(spv_find_decoration(module, inst->id, SpvDecorationConstant));
    }
    CHECK(variables == 2);
    round_trip(arena, module);
}

static void import_all(struct arena *arena, const struct spv_module *from)
{
    struct spv_module *to = spv_module_create(arena, from->version);
    spv_foreach_inst (capability, &from->sections[SPV_SECTION_CAPABILITY])
        spv_add_capability(to, (SpvCapability)capability->words[0]);
    const struct spv_inst *model = from->sections[SPV_SECTION_MEMORY_MODEL].first;
    spv_set_memory_model(to, (SpvAddressingModel)model->words[0], (SpvMemoryModel)model->words[1]);
    struct spv_import import = {.to = to, .from = from};
    spv_foreach_function (function, from) {
        spv_id id = spv_import_function(&import, function->def->id);
        CHECK(id && id == spv_import_function(&import, function->def->id));
    }
    round_trip(arena, to);
    /* what is equal merges: a second import adds functions only */
    uint32_t globals = 0, globals_again = 0;
    spv_foreach_inst (one, &to->sections[SPV_SECTION_GLOBAL])
        globals += one->op != SpvOpVariable;
    struct spv_import second = {.to = to, .from = from};
    spv_foreach_function (each, from)
        spv_import_function(&second, each->def->id);
    spv_foreach_inst (two, &to->sections[SPV_SECTION_GLOBAL])
        globals_again += two->op != SpvOpVariable;
    bool recursive = false;
    spv_foreach_inst (three, &to->sections[SPV_SECTION_GLOBAL])
        recursive = recursive || three->op == SpvOpTypeForwardPointer;
    CHECK(recursive || globals == globals_again);
    CHECK(!spv_check(to));
}

static void test_file(struct arena *arena, const char *path, const char *out)
{
    FILE *file = fopen(path, "rb");
    CHECK(file);
    if (!file)
        return;
    uint32_t *words = arena_array(arena, uint32_t, 4 << 20);
    size_t count = fread(words, sizeof(*words), 4 << 20, file);
    fclose(file);
    const char *error;
    struct spv_module *module = spv_read(arena, words, count, &error);
    CHECK(module);
    if (!module) {
        fprintf(stderr, "%s: %s\n", path, error);
        return;
    }
    round_trip(arena, module);
    import_all(arena, module);
    uint32_t *written = spv_write(module, &count);
    file = fopen(out, "wb");
    CHECK(file && fwrite(written, sizeof(*written), count, file) == count);
    if (file)
        fclose(file);
}

/* The dominators of random graphs against their definition: a dominates b when b is unreachable without a. */
static void test_dominators(struct arena *arena)
{
    uint32_t state = 12345;
    for (int round = 0; round < 300; round++) {
        struct arena_mark mark = arena_mark(arena);
        uint32_t n = 2 + round % 12, succ_start[16] = {0}, succs[64], pred_start[16] = {0}, preds[64], m = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t degree = (state = state * 1103515245 + 12345) >> 16 & 3;
            for (uint32_t j = 0; j < degree; j++) {
                succs[m] = ((state = state * 1103515245 + 12345) >> 16) % n;
                pred_start[succs[m++] + 1]++;
            }
            succ_start[i + 1] = m;
        }
        for (uint32_t i = 0; i < n; i++)
            pred_start[i + 1] += pred_start[i];
        uint32_t fill[16] = {0}, idom[16];
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t e = succ_start[i]; e < succ_start[i + 1]; e++)
                preds[pred_start[succs[e]] + fill[succs[e]]++] = i;
        }
        struct spv_graph graph = {n, succ_start, succs, pred_start, preds};
        spv_graph_dominators(arena, &graph, idom);
        for (uint32_t without = 0; without <= n; without++) {
            uint32_t reached = without == 0 ? 0 : 1;
            for (uint32_t step = 0; step < n; step++) {
                for (uint32_t i = 0; i < n; i++) {
                    for (uint32_t e = succ_start[i]; reached >> i & 1 && e < succ_start[i + 1]; e++)
                        reached |= succs[e] == without ? 0 : 1u << succs[e];
                }
            }
            for (uint32_t b = 0; b < n; b++) {
                if (without == n) {
                    CHECK((idom[b] != SPV_UNREACHABLE) == (reached >> b & 1));
                    continue;
                }
                if (idom[b] == SPV_UNREACHABLE)
                    continue;
                bool dominates = b == without;
                for (uint32_t a = b; !dominates && a; a = idom[a])
                    dominates = idom[a] == without;
                CHECK(dominates == !(reached >> b & 1));
            }
        }
        arena_rewind(arena, mark);
    }
}

/* A function of n blocks with two branches each, those of targets; block 0 is only entered at the start. */
static struct spv_function *make_graph(struct spv_module *module, uint32_t n, const uint32_t (*targets)[2])
{
    spv_id type = spv_type_function(module, spv_type_void(module), 0, NULL), condition = spv_const_bool(module, true);
    struct spv_function *function = spv_function_create(module, 0, type, 0);
    struct spv_block **blocks = arena_array(module->arena, struct spv_block *, n);
    for (uint32_t i = 0; i < n; i++) {
        blocks[i] = spv_block_create(function, module, 0);
        spv_block_append(function, blocks[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct spv_builder at = {.module = module, .function = function, .block = blocks[i]};
        spv_emitv_void(&at, SpvOpBranchConditional, condition, blocks[targets[i][0]]->label->id,
                       blocks[targets[i][1]]->label->id);
    }
    return function;
}

/* Those of a function's graph are found in another way first, which gives up on some graphs. */
static void test_function_dominators(struct arena *arena)
{
    uint32_t state = 54321;
    for (uint32_t round = 0; round < 200; round++) {
        struct arena_mark mark = arena_mark(arena);
        uint32_t n = round < 190 ? 2 + round % 40 : 500, (*targets)[2] = arena_alloc(arena, n * sizeof(*targets));
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < 2; k++)
                targets[i][k] = 1 + ((state = state * 1103515245 + 12345) >> 16) % (n - 1);
            if (round >= 190) { /* two ways along a chain: each round of the simple one finds a block's dominator */
                targets[i][0] = i + 1 < n ? i + 1 : i;
                targets[i][1] = i > 1 ? i - 1 : n - 1 - round % 3;
            }
        }
        struct spv_module *module = spv_module_create(arena, 0x00010400);
        struct spv_cfg cfg;
        spv_cfg_compute(arena, module, make_graph(module, n, (const uint32_t(*)[2])targets), &cfg);
        uint32_t *idom = arena_array(arena, uint32_t, n);
        struct spv_graph graph = {cfg.count, cfg.succ_start, cfg.succs, cfg.pred_start, cfg.preds};
        spv_graph_dominators(arena, &graph, idom);
        CHECK(!memcmp(idom, cfg.idom, cfg.count * sizeof(*idom)));
        arena_rewind(arena, mark);
    }
}

/* What is borrowed is zero, whoever had it before. */
/* Words come back from their packed form, and take less. */
static void test_pack(struct arena *arena)
{
    struct spv_module *module = parse(arena, sample);
    size_t count;
    uint32_t *words = spv_write(module, &count);
    /* ids that are far from the newest, numbers of all sizes, an instruction of many words */
    uint32_t odd[] = {SpvMagicNumber,
                      0x10600,
                      0xffffffff,
                      9,
                      0,
                      2 << 16 | SpvOpNop,
                      0xffffffff,
                      3 << 16 | 0xffff,
                      1,
                      3,
                      1 << 16 | 5,
                      10 << 16 | SpvOpName,
                      2,
                      0,
                      0x80000000,
                      127,
                      128,
                      0x7fffffff,
                      1,
                      4,
                      3};
    const struct {
        const uint32_t *words;
        size_t count;
    } modules[] = {{words, count}, {odd, sizeof(odd) / sizeof(odd[0])}};
    for (size_t i = 0; i < 2; i++) {
        uint8_t *bytes = arena_array(arena, uint8_t, spv_pack_bound(modules[i].count));
        uint32_t *back = arena_array(arena, uint32_t, modules[i].count);
        size_t size = spv_pack(modules[i].words, modules[i].count, bytes);
        CHECK(size <= spv_pack_bound(modules[i].count) && (i || size < count * 2));
        spv_unpack(bytes, back, modules[i].count);
        CHECK(!memcmp(back, modules[i].words, modules[i].count * sizeof(*back)));
    }
}

static void test_borrow(struct arena *arena)
{
    struct spv_module *module = spv_module_create(arena, 0x00010400);
    for (uint32_t round = 0; round < 64; round++) {
        size_t size = 100 + round * 37 % 900;
        uint8_t *memory = spv_borrow(module, size), *other = spv_borrow(module, 50);
        bool zero = true;
        for (size_t i = 0; i < size; i++)
            zero = zero && !memory[i];
        CHECK(zero);
        memset(other, 1, 50);
        if (round % 3) {
            memset(memory, 0xff, size);
            spv_give_back(module, memory);
        } else {
            memory[size / 2] = 1;
            memory[size / 2] = 0;
            spv_give_back_zeroed(module, memory);
        }
        spv_give_back(module, other);
    }
}

/* classes.def: an inverse holds exactly where the comparison does not, so that it is its inverse's inverse. */
static void test_classes(void)
{
    uint32_t comparisons = 0;
    for (uint32_t i = 0; i < UINT16_MAX; i++) {
        uint16_t op = (uint16_t)i, inverse = spv_op_inverse(op);
        CHECK(!inverse == !spv_op_relation(op));
        if (!inverse)
            continue;
        bool floats = spv_op_class(op) == SPV_CLASS_FLOAT_COMPARISON;
        comparisons++;
        CHECK(inverse != op && spv_op_inverse(inverse) == op);
        CHECK(spv_op_class(inverse) == spv_op_class(op));
        CHECK(spv_op_relation(inverse) == spv_relation_inverse(spv_op_relation(op)));
        CHECK(spv_op_is_signed(inverse) == spv_op_is_signed(op));
        CHECK(((spv_op_flags(inverse) ^ spv_op_flags(op)) & SPV_OP_UNORDERED) == (floats ? SPV_OP_UNORDERED : 0u));
    }
    CHECK(comparisons == 24);
    CHECK(spv_op_class(SpvOpIAdd) == SPV_CLASS_INT_ARITHMETIC && !spv_op_class(SpvOpBitCount));
    CHECK(spv_op_inverse(SpvOpFOrdLessThan) == SpvOpFUnordGreaterThanEqual);
    CHECK(spv_relation_mirrored(SPV_RELATION_LESS_EQUAL) == SPV_RELATION_GREATER_EQUAL);
    CHECK(spv_op_is_subgroup(SpvOpGroupNonUniformQuadSwap) && !spv_op_is_subgroup(SpvOpGroupIAdd));
    CHECK(spv_op_capability(SpvOpGroupNonUniformShuffleUp) == SpvCapabilityGroupNonUniformShuffleRelative);
    CHECK(spv_op_is_atomic(6035) && spv_op_is_atomic(SpvOpAtomicFlagClear) && !spv_op_is_atomic(SpvOpLoad));
}

int main(int argc, char **argv)
{
    jmp_buf out_of_memory;
    struct arena arena;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        return 1;
    if (argc == 3) {
        test_file(&arena, argv[1], argv[2]);
    } else {
        test_sample(&arena);
        test_types(&arena);
        test_layout(&arena);
        test_layout_limits(&arena);
        test_build(&arena);
        test_groups(&arena);
        test_crafted(&arena);
        struct spv_module *module = parse(&arena, sample);
        if (module)
            import_all(&arena, module);
        test_dominators(&arena);
        test_function_dominators(&arena);
        test_borrow(&arena);
        test_pack(&arena);
        test_classes();
        test_hostile(&arena);
    test_repeated_type(&arena);
    }
    arena_finish(&arena);
    return test_result();
}
