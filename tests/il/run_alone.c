/* Named barriers in work-groups of one sub-group, which never waits for another: so their kernels run on devices that
 * do not offer them, too. usage: run_alone named_barrier.spv
 *
 * Below any OpenCL API. The module is named_barrier.spvasm's, which says what is where in the buffer. Its kernel `pair`
 * is left out, since that is about two sub-groups. */
#include "tests/unit/run_kernel.h"

#include "tests/support/file.h"

enum { GROUPS = 16, WORDS = 64, FIRST_WORD = 8 };

static const char *path;

static struct clc_program *build(const struct clc_target *target, const char *options, bool links)
{
    struct clc_program *program = NULL, *linked = NULL;
    char *log = NULL;
    size_t size;
    void *il = test_need_file(path, &size);
    bool built = clc_program_from_il(il, size, options, NULL, 0, target, links, &program, &log) == CLC_SUCCESS;
    free(il);
    if (built && links) {
        free(log);
        built = clc_link(&program, 1, options, target, &linked, &log) == CLC_SUCCESS;
        clc_program_release(program);
        program = linked;
    }
    if (!built)
        printf("%s\n", log ? log : "");
    free(log);
    return program;
}

static void test_kernel(struct vkb_queue *queue, const char *name, uint32_t finished, const char *options, bool links)
{
    uint32_t words[WORDS] = {0}, items = GROUPS * device->caps.subgroup_size;
    struct clc_target target = device_target();
    target.extensions = "cl_khr_subgroup_named_barrier";
    struct clc_program *program = build(&target, options, links);
    struct kernel kernel = lower_kernel(program, &target, name);
    kernel.local = device->caps.subgroup_size;
    struct vkb_buffer *out = make_buffer(sizeof(words), false);
    write_now(queue, out, 0, words, sizeof(words));
    const struct argument argument = {.buffer = out};
    run_kernel(queue, &kernel, &argument, 1, items, NULL, false);
    read_now(queue, out, 0, words, sizeof(words));
    CHECK(words[0] == 0 && words[finished] == items);
    for (uint32_t i = 0; i < GROUPS && !strcmp(name, "everybody"); i++)
        CHECK(words[FIRST_WORD + i] == 1000);
    free_kernel(&kernel);
    vkb_buffer_release(out);
}

static void test_all(void)
{
    struct vkb_queue *queue = make_queue(0);
    bool sub_groups = device->caps.subgroup_size > 1 && device->caps.subgroup_operations;
    for (int i = 0; i < 3 && sub_groups; i++) {
        const char *options = i == 1 ? "-cl-opt-disable" : "";
        test_kernel(queue, "halves", 1, options, i == 2);
        test_kernel(queue, "everybody", 3, options, i == 2);
        test_kernel(queue, "places", 4, options, i == 2);
    }
    vkb_queue_release(queue);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    path = argv[1];
    return test_devices(test_all);
}
