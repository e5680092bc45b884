/* Whether sub-groups of one work-group make progress independently of each other: OpenCL 3.0 API, table 5,
 * CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS. Vulkan does not tell.
 *
 * In the largest work-groups that there are, all sub-groups hand a token round, first in the order of their numbers,
 * then in the reverse one, and so on. A sub-group that waits for it reads it again and again, but only so many times. Where some
 * sub-group runs only after another one has ended or waits at a barrier, one of the two orders ends with a reader out
 * of patience, which tells the others to stop. So the kernel ends in any case, within a fraction of a second. */
#include "src/probe/own_kernel.h"
#include "src/probe/probe.h"
#include "src/probe/probe_file.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROGRESS_REVISION = 1,
    GROUPS = 64,        /* more than run at once on small devices */
    TURNS = 16,         /* times that the token passes every sub-group */
    PATIENCE = 1 << 17, /* reads without the token */
};

/* results: work-groups that kept the token going, and one that did not. */
static const char source[] =
    "#define LOAD(a) atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group)\n"
    "#define STORE(a, value) atomic_store_explicit(a, value, memory_order_relaxed, memory_scope_work_group)\n"
    "kernel void progress(volatile global atomic_uint *results, uint turns, uint patience)\n"
    "{\n"
    "    local atomic_uint token, failed;\n"
    "    uint me = get_sub_group_id(), all = get_num_sub_groups();\n"
    "    if (get_local_id(0) == 0) {\n"
    "        STORE(&token, 0);\n"
    "        STORE(&failed, all < 2 || atomic_load_explicit(results + 1, memory_order_relaxed, memory_scope_device));\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint turn = 0; turn < turns && get_sub_group_local_id() == 0 && !LOAD(&failed); turn++) {\n"
    "        uint mine = turn * all + (turn & 1 ? all - 1 - me : me), left = patience;\n"
    "        while (left && LOAD(&token) != mine)\n"
    "            left = LOAD(&failed) ? 0 : left - 1;\n"
    "        if (left)\n"
    "            STORE(&token, mine + 1);\n"
    "        else\n"
    "            STORE(&failed, 1);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0)\n"
    "        atomic_fetch_add_explicit(results + (LOAD(&failed) ? 1 : 0), 1, memory_order_relaxed, "
    "memory_scope_device);\n"
    "}\n";

struct progress {
    struct vkb_device *device;
    struct clc_lowered *lowered;
    struct vkb_shader *shader;
    struct vkb_queue *queue;
    struct vkb_buffer *results;
};

static bool compile(struct progress *p, const struct clc_target *target)
{
    const char *strings[] = {source};
    const struct clc_compile_args args = {
        .strings = strings, .num_strings = 1, .options = "-cl-std=CL3.0", .target = target, .file_name = "progress"};
    const struct clc_lower_options options = {.target = target};
    struct clc_program *program = NULL;
    char *log = NULL, *message = NULL;
    bool done = clc_compile(&args, &program, &log) == CLC_SUCCESS &&
                clc_lower(program, "progress", &options, &p->lowered, &message) == CLC_SUCCESS;
    if (!done)
        log_info("the kernel that looks for forward progress does not compile: %s%s", log ? log : "",
                 message ? message : "");
    clc_program_release(program);
    free(log);
    free(message);
    if (!done || p->lowered->constants.size || p->lowered->scratch_size)
        return false;
    return vkb_shader_create(p->device, p->lowered->words, p->lowered->num_words, own_kernel_push_size(p->lowered),
                             &p->shader) == VKB_SUCCESS;
}

static bool run(struct progress *p)
{
    const struct vkb_caps *caps = vkb_device_caps(p->device);
    const uint32_t spec_values[CLC_SPEC_COUNT] = {caps->max_workgroup_invocations, 1, 1, 0}, turns = TURNS,
                   patience = PATIENCE;
    uint32_t width = caps->min_subgroup_size == caps->max_subgroup_size ? 0 : caps->subgroup_size;
    struct own_launch launch;
    if (!own_launch_init(&launch, p->lowered, p->shader, spec_values, width, GROUPS))
        return false;
    own_launch_buffer(&launch, 0, p->results);
    own_launch_arg(&launch, 1, &turns, sizeof(turns));
    own_launch_arg(&launch, 2, &patience, sizeof(patience));
    const struct vkb_access accesses[] = {{p->results, true, true}};
    launch.dispatch.accesses = accesses;
    launch.dispatch.num_accesses = 1;
    const struct vkb_enqueue enqueue = {.queue = p->queue};
    return vkb_cmd_dispatch(&enqueue, &launch.dispatch) == VKB_SUCCESS && vkb_queue_wait(p->queue) == VKB_SUCCESS;
}

/* True: the kernel ran, and *seen is what it found. */
static bool measure(struct progress *p, const struct clc_target *target, bool *seen)
{
    if (vkb_device_open(p->device) != VKB_SUCCESS ||
        vkb_queue_create(p->device, VKB_QUEUE_BOUNDED, &p->queue) != VKB_SUCCESS ||
        vkb_buffer_create(p->device, 2 * sizeof(uint32_t), VKB_MEMORY_HOST, &p->results) != VKB_SUCCESS)
        return false;
    uint32_t *results = vkb_buffer_map(p->results);
    if (!results || !compile(p, target))
        return false;
    results[0] = results[1] = 0;
    if (!run(p))
        return false;
    *seen = results[0] == GROUPS;
    return true;
}

static struct probe_file kept_file(struct vkb_device *device, const char *directory)
{
    return (struct probe_file){directory, "probe-progress", PROGRESS_REVISION, vkb_device_caps(device)};
}

bool probe_progress_known(struct vkb_device *device, const char *directory, bool *seen)
{
    const struct probe_file file = kept_file(device, directory);
    uint8_t kept = 0;
    bool known = !setting_on(SETTING_PROBE) || probe_file_load(&file, &kept, sizeof(kept));
    *seen = known && kept;
    return known;
}

bool probe_progress(struct vkb_device *device, const struct clc_target *target, const char *directory)
{
    uint64_t start = time_ns();
    bool seen = false;
    struct progress p = {.device = device};
    bool done = measure(&p, target, &seen);
    vkb_queue_release(p.queue);
    vkb_buffer_release(p.results);
    if (p.shader)
        vkb_shader_release(p.shader);
    clc_lowered_destroy(p.lowered);
    log_info("sub-groups of %s %s (%.1f ms)", vkb_device_caps(device)->name,
             !done  ? "could not be asked whether they wait for each other"
             : seen ? "make progress independently"
                    : "may wait for each other",
             (double)(time_ns() - start) / 1e6);
    const struct probe_file file = kept_file(device, directory);
    const uint8_t kept = seen;
    if (done)
        probe_file_store(&file, &kept, sizeof(kept));
    return seen;
}
