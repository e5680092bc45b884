/* Every name of extensions.def, by a module that declares nothing else: it is taken, or refused by that name with a word
 * on what to do. A module that declares what the table does not have is refused, too. */
#include "compiler/clc.h"
#include "compiler/spv/spv.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct name {
    uint32_t capability;
    bool refused;
    const char *name, *extension;
};

static const struct name names[] = {
#define TAKEN(value, name, extension, offered, word)  {value, false, #name, extension},
#define MADE(value, name, extension, what)            {value, false, #name, extension},
#define MADE_WITH(value, name, extension, word, what) {value, false, #name, extension},
#define HINT(value, name, extension, why)             {value, false, #name, extension},
#define REFUSED(value, name, extension, why)          {value, true, #name, extension},
#include "compiler/spv/extensions.def"
#undef TAKEN
#undef MADE
#undef MADE_WITH
#undef HINT
#undef REFUSED
};

/* SPIR-V 1.6 may have all capabilities of the core. */
static uint32_t *assemble(struct arena *arena, const struct name *name, size_t *count)
{
    struct str text;
    const char *error = NULL;
    str_init(&text, arena);
    str_printf(&text, "; Version: 1.6\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n");
    if (name->capability != NONE)
        str_printf(&text, "OpCapability %s\n", name->name);
    if (name->extension)
        str_printf(&text, "OpExtension \"%s\"\n", name->extension);
    str_printf(&text, "OpMemoryModel Physical64 OpenCL\n"
                      "OpEntryPoint Kernel %%main \"main\"\n"
                      "%%void = OpTypeVoid\n"
                      "%%uint = OpTypeInt 32 0\n"
                      "%%ptr = OpTypePointer CrossWorkgroup %%uint\n"
                      "%%fn_type = OpTypeFunction %%void %%ptr\n"
                      "%%42 = OpConstant %%uint 42\n"
                      "%%main = OpFunction %%void None %%fn_type\n"
                      "%%out = OpFunctionParameter %%ptr\n"
                      "%%entry = OpLabel\n"
                      "OpStore %%out %%42 Aligned 4\n"
                      "OpReturn\n"
                      "OpFunctionEnd\n");
    uint32_t *words = spv_assemble(arena, str_text(&text), count, &error);
    if (!words)
        printf("%s: %s\n", name->name, error);
    CHECK(words);
    return words;
}

static void test_words(const struct name *name, const uint32_t *words, size_t count)
{
    struct clc_program *program = NULL;
    char *log = NULL;
    const char *said = name->capability == NONE ? name->extension : name->name;
    enum clc_result result = clc_program_from_il(words, count * 4, "", NULL, 0, NULL, false, &program, &log);
    bool as_said = (result == CLC_SUCCESS) != name->refused && (!name->refused || (log && strstr(log, said)));
    if (!as_said)
        printf("%s %s: %s\n", name->name, name->extension ? name->extension : "", log ? log : "");
    CHECK(as_said);
    free(log);
    clc_program_release(program);
}

static void test_name(const struct name *name)
{
    jmp_buf out_of_memory;
    struct arena arena;
    size_t count;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory)) {
        CHECK(false);
    } else {
        const uint32_t *words = assemble(&arena, name, &count);
        if (words)
            test_words(name, words, count);
    }
    arena_finish(&arena);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        test_name(&names[i]);
    /* an extension alone of which all is refused */
    test_name(&(struct name){NONE, true, "", "SPV_INTEL_media_block_io"});
    test_name(&(struct name){NONE, true, "", "SPV_INTEL_inline_assembly"});
    test_name(&(struct name){NONE, true, "", "SPV_VENDOR_nobody_knows_it"});
    test_name(&(struct name){SpvCapabilityTessellation, true, "Tessellation", NULL});
    return test_result();
}
