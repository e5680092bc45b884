/* Lowers every kernel of an OpenCL SPIR-V binary (foreign IL: what clang and llvm-spirv made) for several kinds of
 * device, and checks the results with SPIRV-Tools' validator. usage: run_kernels FILE.spv... */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lower_one(const struct clc_program *program, const char *kernel, const struct clc_target *target,
                      const char *path, const char *device)
{
    struct clc_lower_options options = {.target = target};
    struct clc_lowered *lowered = NULL;
    char *message = NULL, *wrong = NULL;
    enum clc_result result = clc_lower(program, kernel, &options, &lowered, &message);
    if (!result)
        wrong = clc_validate(lowered->words, lowered->num_words, "vulkan");
    bool passed = !result && !wrong;
    if (!passed)
        fprintf(stderr, "%s: %s on %s: %s\n", path, kernel, device, wrong ? wrong : message ? message : "failed");
    free(wrong);
    free(message);
    clc_lowered_destroy(lowered);
    return passed;
}

static bool lower_all(const struct clc_program *program, const char *path)
{
    bool passed = true;
    struct clc_target plain, views, narrow, tight;
    clc_target_default(&plain);
    plain.explicit_layout = plain.explicit_layout8 = plain.explicit_layout16 = false;
    views = narrow = tight = plain;
    views.explicit_layout = views.explicit_layout8 = views.explicit_layout16 = true;
    narrow.storage8 = narrow.storage16 = narrow.push_constant8 = narrow.push_constant16 = false;
    tight.max_push_constants = 8;
    tight.max_private_array = 16;
    tight.memory_model = false;
    for (uint32_t i = 0; i < clc_program_num_kernels(program); i++) {
        const char *kernel = clc_program_kernel(program, i)->name;
        passed &= lower_one(program, kernel, &plain, path, "plain");
        passed &= lower_one(program, kernel, &views, path, "explicit layout");
        passed &= lower_one(program, kernel, &narrow, path, "narrow access");
        passed &= lower_one(program, kernel, &tight, path, "tight limits");
    }
    return passed;
}

int main(int argc, char **argv)
{
    bool passed = true;
    for (int i = 1; i < argc; i++) {
        size_t size;
        char *il = test_need_file(argv[i], &size);
        struct clc_target target;
        struct clc_program *program = NULL;
        char *log = NULL;
        clc_target_default(&target);
        if (clc_program_from_il(il, size, "", NULL, 0, &target, false, &program, &log)) {
            fprintf(stderr, "%s: %s\n", argv[i], log ? log : "out of memory");
            passed = false;
        } else {
            passed &= lower_all(program, argv[i]);
        }
        clc_program_release(program);
        free(log);
        free(il);
    }
    return passed ? 0 : 1;
}
