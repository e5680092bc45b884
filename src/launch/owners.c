/* What lies at an address of the device's: an argument of the launch's, or of the kernel's whose blocks were enqueued, a
 * variable at program scope, or other memory of the context's. Reports say it in words (findings.c). */
#include "src/launch/checked_state.h"

#include "src/object/program.h"

#include "base/util.h"

#include <stdio.h>

/* What holds the address is better than what ends before it, and of those what ends last. */
static void offer(struct ocl_owner *best, uint64_t address, const struct ocl_owner *one)
{
    uint64_t distance = address - one->range.start;
    if (one->range.start > address || !one->range.size || one->range.size == UINT64_MAX)
        return;
    bool later = one->range.start + one->range.size > best->range.start + best->range.size;
    if (best->range.size && (best->holds || !(distance < one->range.size || later)))
        return;
    *best = *one;
    best->holds = distance < one->range.size;
}

static void offer_args(struct ocl_owner *best, uint64_t address, cl_kernel kernel, const struct reach *args)
{
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        const struct ocl_owner one = {.range = args[i].range, .reach = &args[i], .kernel = kernel, .arg = i};
        bool is_pipe = kernel->info->args[i].kind == CLC_ARG_PIPE; /* only the library reaches its head */
        if (!args[i].is_local && !args[i].is_freed && !is_pipe)
            offer(best, address, &one);
    }
}

static void offer_variables(struct ocl_owner *best, uint64_t address, const struct ocl_checked *checked)
{
    const struct ocl_build *build = ocl_kernel_build(checked->kernel, checked->device);
    const struct clc_data_block *globals = build->globals ? clc_program_globals(build->program) : NULL;
    for (uint32_t i = 0; globals && i < globals->num_variables; i++) {
        const struct clc_data_variable *variable = &globals->variables[i];
        const struct ocl_owner one = {
            .range = {vkb_buffer_address(build->globals) + variable->offset, variable->size, 0}, .variable = variable};
        offer(best, address, &one);
    }
}

bool ocl_find_owner(const struct ocl_checked *checked, uint64_t address, struct ocl_owner *owner)
{
    *owner = (struct ocl_owner){.reach = NULL};
    offer_args(owner, address, checked->kernel, checked->args);
    if (checked->parent)
        offer_args(owner, address, checked->parent, checked->parent_args);
    offer_variables(owner, address, checked);
    for (uint32_t i = 0; i < checked->num_ranges; i++)
        offer(owner, address, &(struct ocl_owner){.range = checked->ranges[i]});
    return owner->range.size;
}

void ocl_name_argument(const struct ocl_checked *checked, cl_kernel kernel, uint32_t index, char *text, size_t size)
{
    const struct clc_kernel_info *info = kernel->info;
    const char *name = index < info->num_args && *info->args[index].name ? info->args[index].name : NULL;
    char of[96] = "", number[16];
    snprintf(number, sizeof(number), "%u", index);
    if (kernel != checked->kernel)
        snprintf(of, sizeof(of), " of kernel '%.64s'", info->name);
    if (info->role == CLC_KERNEL_BLOCK && index == 0)
        snprintf(text, size, "what the block captured");
    else
        snprintf(text, size, name ? "argument '%.64s'%s" : "argument %s%s", name ? name : number, of);
}

void ocl_name_owner(const struct ocl_checked *checked, const struct ocl_owner *owner, char *text, size_t size)
{
    const char *variable = owner->variable ? owner->variable->name : NULL;
    if (owner->reach)
        ocl_name_argument(checked, owner->kernel, owner->arg, text, size);
    else if (variable)
        snprintf(text, size, "variable at program scope '%.64s'", variable);
    else
        snprintf(text, size, "%s", owner->variable ? "a variable at program scope" : "an allocation");
}
