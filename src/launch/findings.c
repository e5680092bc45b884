/* What kernels that watch their accesses have found (checked.c), in words: records of the device's become findings. */
#include "src/launch/checked_state.h"

#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"

#include "base/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One finding while its words are put together. */
struct telling {
    const struct ocl_checked *checked;
    const struct clc_check_site *site;
    const struct clc_check_record *record;
    const struct clc_check_site *other; /* of a race, or NULL */
    bool is_others;                     /* the finding's place and work-item are the other access's */
    struct check_finding finding;
    char message[256], object[1024];
};

static void say(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}
#define SAY(text, ...) say(text, sizeof(text), __VA_ARGS__)

static const char *access_name(uint32_t access)
{
    bool both = (access & CLC_SITE_READS) && (access & CLC_SITE_WRITES);
    return access & CLC_SITE_ATOMIC  ? both                      ? "atomic operation on"
                                       : access & CLC_SITE_READS ? "atomic read of"
                                                                 : "atomic write of"
           : access & CLC_SITE_READS ? "read of"
                                     : "write of";
}

/* Where the access is, by an object's size; false: inside. */
static bool say_where(struct telling *t, int64_t distance, uint64_t size, const char *of)
{
    uint64_t bytes = t->record->size;
    if (distance < 0) {
        SAY(t->message, ", %" PRIu64 " byte%s before the start of %s", 0 - (uint64_t)distance,
            distance == -1 ? "" : "s", of);
    } else if ((uint64_t)distance >= size) {
        uint64_t behind = (uint64_t)distance - size;
        if (behind)
            SAY(t->message, ", %" PRIu64 " byte%s behind the end of %s", behind, behind == 1 ? "" : "s", of);
        else
            SAY(t->message, ", right behind the end of %s", of);
    } else if (bytes > size - (uint64_t)distance) {
        SAY(t->message, ", across the end of %s", of);
    } else {
        return false;
    }
    return true;
}

/* Which object it is and where the application made it, if that is known: mem, or the allocation at the address. */
static bool say_known(struct telling *t, const char *of, cl_mem mem, uint64_t address)
{
    char known[768];
    bool is_known = check_describe && check_describe(mem, (const void *)(uintptr_t)address, known, sizeof(known));
    if (is_known)
        SAY(t->object, "%s: %s", of, known);
    return is_known;
}

/* What the argument leads to. */
static void say_memory(struct telling *t, const char *of, const struct reach *reach)
{
    if (!reach->is_local && !reach->is_freed && say_known(t, of, reach->mem, reach->range.start))
        return;
    if (reach->range.size == UINT64_MAX) /* a kernel gave it to another that it enqueued */
        SAY(t->object, "%s: memory of which only the address is known", of);
    else
        SAY(t->object, "%s: %s of %" PRIu64 " bytes", of,
            reach->is_local     ? "local memory"
            : reach->is_pointer ? "an allocation"
                                : "a buffer",
            reach->range.size);
}

/* denied: what kernels may not do there, CLC_SITE_*. */
static void tell_denied(struct telling *t, const char *of, uint64_t denied)
{
    t->finding.kind = CHECK_KIND_FLAGS;
    SAY(t->message,
        t->site->access & CLC_SITE_WRITES & denied ? " to %s, which kernels may only read"
                                                   : " from %s, which kernels may only write",
        of);
}

static void name_argument(const struct telling *t, uint32_t index, char *text, size_t size)
{
    const struct clc_arg_info *info = &t->checked->kernel->info->args[index];
    if (info->name && *info->name)
        say(text, size, "argument '%.64s'", info->name);
    else
        say(text, size, "argument %u", index);
}

static void tell_argument(struct telling *t, uint32_t index)
{
    const struct reach *reach = &t->checked->args[index];
    char of[128] = "";
    name_argument(t, index, of, sizeof(of));
    if (!reach->is_local) {
        t->finding.has_address = true;
        t->finding.address = reach->range.start + t->record->value;
    }
    if (reach->is_null) {
        SAY(t->message, " through %s, which is NULL", of);
        return;
    }
    say_memory(t, of, reach);
    if (reach->is_freed) {
        t->finding.kind = CHECK_KIND_FREED;
        SAY(t->message, " through %s, whose memory was freed before the launch", of);
    } else if (!say_where(t, (int64_t)t->record->value, reach->range.size, of)) {
        tell_denied(t, of, reach->range.denied);
    }
}

static void tell_variable(struct telling *t, const struct clc_check_object *object)
{
    static const char *const kinds[] = {[CLC_OBJECT_LOCAL] = "local variable",
                                        [CLC_OBJECT_PRIVATE] = "private variable",
                                        [CLC_OBJECT_CONSTANT] = "constant variable",
                                        [CLC_OBJECT_GLOBAL] = "variable at program scope"};
    char of[128] = "";
    SAY(of, object->name ? "%s '%.64s'" : "a %s", kinds[object->kind], object->name);
    SAY(t->object, "%s of %" PRIu64 " bytes", of, object->size);
    if (!say_where(t, (int64_t)t->record->value, object->size, of))
        tell_denied(t, of, CLC_SITE_WRITES);
}

/* Whether other memory lies by now where that was. */
static bool is_taken(const struct ocl_checked *checked, uint64_t start, uint64_t size)
{
    for (uint32_t i = 0; i < checked->num_ranges; i++) {
        const struct clc_check_range *range = &checked->ranges[i];
        if (range->start < start + size && start < range->start + range->size)
            return true;
    }
    return false;
}

/* A pointer of which the compiler did not see what it leads to. */
static void tell_address(struct telling *t)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t address = t->record->value, start, size;
    t->finding.has_address = true;
    t->finding.address = address;
    if (address < 4096) {
        SAY(t->message, " through a null pointer");
        return;
    }
    if (ocl_pointer_was_freed(checked->context, address, &start, &size) && !is_taken(checked, start, size)) {
        t->finding.kind = CHECK_KIND_FREED;
        SAY(t->message, " in memory that was freed");
        SAY(t->object, "%" PRIu64 " bytes behind the start of what were %" PRIu64 " bytes", address - start, size);
        return;
    }
    uint32_t i = 0;
    while (i < checked->num_ranges && checked->ranges[i].start <= address)
        i++;
    const struct clc_check_range *range = i ? &checked->ranges[i - 1] : NULL;
    if (range && address - range->start < range->size && t->record->size <= range->size - (address - range->start)) {
        tell_denied(t, "memory", range->denied);
        return;
    }
    if (range && address - range->start < range->size + 4096)
        say_where(t, (int64_t)(address - range->start), range->size, "an allocation");
    else
        SAY(t->message, " where the context has no memory");
    if (range && !say_known(t, "before it", NULL, range->start))
        SAY(t->object, "the allocation before it has %" PRIu64 " bytes", range->size);
}

/* What another work-item did, or whether anybody wrote what is read here. */
static void tell_local(struct telling *t)
{
    const struct clc_lowered *l = t->checked->lowered;
    uint32_t number = t->record->what & CLC_WHAT_OBJECT;
    const struct clc_check_object *object =
        number && number <= l->num_check_objects ? &l->check_objects[number - 1] : NULL;
    char of[128] = "local memory";
    if (object) {
        const char *name =
            object->kind == CLC_OBJECT_ARGUMENT ? t->checked->kernel->info->args[object->arg].name : object->name;
        uint64_t size = object->kind == CLC_OBJECT_ARGUMENT ? t->checked->args[object->arg].range.size : object->size;
        snprintf(of, sizeof(of), "%s '%.64s'", object->kind == CLC_OBJECT_ARGUMENT ? "argument" : "local variable",
                 name ? name : "?");
        SAY(t->object, "%" PRIu64 " bytes behind the start of %s of %" PRIu64 " bytes", t->record->value, of, size);
    }
    if ((t->record->what & CLC_WHAT_KIND) == (CLC_WHAT_LOCAL | CLC_WHAT_UNINITIALISED)) {
        t->finding.kind = CHECK_KIND_UNINITIALISED;
        SAY(t->message, " of %s, which no work-item of the group wrote", of);
        return;
    }
    t->finding.kind = CHECK_KIND_LOCAL_RACE;
    SAY(t->message, " of %s; another work-item of the group %s it, and no barrier is between", of,
        t->other && t->other->access & CLC_SITE_WRITES ? "writes" : "reads");
}

/* C11, 6.7.3.1: what is reached by one of two such pointers and written is not reached by the other. */
static void tell_restrict(struct telling *t)
{
    const struct clc_kernel_info *info = t->checked->kernel->info;
    const char *name[2];
    uint32_t number[2] = {t->record->what & CLC_WHAT_OBJECT, t->record->size};
    for (int i = 0; i < 2; i++)
        name[i] = number[i] < info->num_args && info->args[number[i]].name ? info->args[number[i]].name : "";
    t->finding.kind = CHECK_KIND_RESTRICT;
    t->finding.has_address = true;
    t->finding.address = t->record->value;
    SAY(t->message,
        "%s memory through argument %u%s%.64s that the work-item reached through argument %u%s%.64s: both are restrict",
        t->site->access & CLC_SITE_WRITES ? "write of" : "read of", number[0], *name[0] ? " " : "", name[0], number[1],
        *name[1] ? " " : "", name[1]);
}

/* The allocation at the address; nothing where the address alone is known, as of what kernels give to those that they enqueue. */
static void say_allocation(struct telling *t, uint64_t address)
{
    for (uint32_t i = 0; i < t->checked->num_ranges; i++) {
        const struct clc_check_range *range = &t->checked->ranges[i];
        if (range->size != UINT64_MAX && address - range->start < range->size)
            SAY(t->object, "%" PRIu64 " bytes behind the start of an allocation of %" PRIu64 " bytes",
                address - range->start, range->size);
    }
}

static void tell_uninitialised(struct telling *t, uint32_t object)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t value = t->record->value;
    t->finding.kind = CHECK_KIND_UNINITIALISED;
    t->finding.has_address = true;
    if (t->record->size == 1 || t->site->access & CLC_SITE_WHOLE)
        SAY(t->message, " that nobody wrote");
    else
        SAY(t->message, ", some or all of which nobody wrote");
    if (object) {
        char of[128] = "";
        uint32_t arg = checked->lowered->check_objects[object - 1].arg;
        const struct reach *reach = &checked->args[arg];
        name_argument(t, arg, of, sizeof(of));
        t->finding.address = reach->range.start + value;
        SAY(t->message, ", %" PRIu64 " byte%s behind the start of %s", value, value == 1 ? "" : "s", of);
        say_memory(t, of, reach);
        return;
    }
    t->finding.address = value;
    if (!say_known(t, "in", NULL, value))
        say_allocation(t, value);
}

/* What lies at the address: an argument's memory, or other. */
static void tell_object(struct telling *t, uint64_t address)
{
    const struct ocl_checked *checked = t->checked;
    for (uint32_t i = 0; i < checked->kernel->info->num_args; i++) {
        const struct reach *reach = &checked->args[i];
        if (reach->is_local || reach->range.size == UINT64_MAX || address - reach->range.start >= reach->range.size)
            continue;
        SAY(t->object, "%" PRIu64 " bytes behind the start of ", address - reach->range.start);
        name_argument(t, i, t->object, sizeof(t->object));
        SAY(t->object, ": %s of %" PRIu64 " bytes", reach->is_pointer ? "an allocation" : "a buffer",
            reach->range.size);
        return;
    }
    say_allocation(t, address);
}

static void tell_global_race(struct telling *t, uint32_t object)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t address = t->record->value;
    if (object && object <= checked->lowered->num_check_objects)
        address += checked->args[checked->lowered->check_objects[object - 1].arg].range.start;
    t->finding.kind = CHECK_KIND_GLOBAL_RACE;
    t->finding.has_address = true;
    t->finding.address = address;
    SAY(t->message, " of global memory; another work-item %s it, and nothing orders the two",
        !t->other                            ? "touches"
        : t->other->access & CLC_SITE_WRITES ? "writes"
                                             : "reads");
    tell_object(t, address);
}

static void tell_bounds(struct telling *t, uint32_t object)
{
    const struct clc_lowered *l = t->checked->lowered;
    if (!object || object > l->num_check_objects)
        tell_address(t);
    else if (l->check_objects[object - 1].kind == CLC_OBJECT_ARGUMENT)
        tell_argument(t, l->check_objects[object - 1].arg);
    else
        tell_variable(t, &l->check_objects[object - 1]);
}

static void tell_access(struct telling *t)
{
    uint32_t object = t->record->what & CLC_WHAT_OBJECT, kind = t->record->what & CLC_WHAT_KIND;
    if (kind == CLC_WHAT_RESTRICT) {
        tell_restrict(t);
        return;
    }
    t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
    uint32_t size = t->is_others && t->site->size ? t->site->size : t->record->size;
    SAY(t->message, "%s %u byte%s", access_name(t->site->access), size, size == 1 ? "" : "s");
    switch (kind) {
    case CLC_WHAT_LOCAL | CLC_WHAT_UNINITIALISED:
    case CLC_WHAT_LOCAL | CLC_WHAT_RACE:
        tell_local(t);
        break;
    case CLC_WHAT_RACE:
        tell_global_race(t, object);
        break;
    case CLC_WHAT_UNINITIALISED:
        tell_uninitialised(t, object);
        break;
    case CLC_WHAT_MISALIGNED:
        t->finding.kind = CHECK_KIND_MISALIGNED;
        t->finding.has_address = true;
        t->finding.address = t->record->value;
        SAY(t->message, " at an address that is no multiple of %u", t->site->align);
        break;
    default:
        tell_bounds(t, object);
        break;
    }
}

static void tell_unwritten(struct telling *t)
{
    const struct clc_lowered *l = t->checked->lowered;
    uint64_t number = t->record->value;
    const char *name = number && number <= l->num_check_objects ? l->check_objects[number - 1].name : NULL;
    SAY(t->message, "read of a private variable that was not written");
    if (name)
        SAY(t->message, ": '%.64s'", name);
}

/* lib/check_named.cl has what the value is made of. */
static void tell_named_barrier(struct telling *t)
{
    uint64_t value = t->record->value;
    uint32_t come = value & 0xffff, takes = value >> 16 & 0xffff, ended = value >> 32 & 0xffff,
             elsewhere = value >> 48 & 0x7fff;
    SAY(t->message, "%u of the %u sub-groups come that this named barrier waits for", come, takes);
    if (ended)
        SAY(t->message, "; %u of the group's work-items have ended", ended);
    if (elsewhere)
        SAY(t->message, "%s %u of the group's work-items wait elsewhere", ended ? " and" : ";", elsewhere);
    if (value >> 63)
        SAY(t->message, "; the sub-group has looked too often");
}

/* Of a packet in a pipe, by way of a reservation (compiler/lower/check/packets.c). */
static void tell_packet(struct telling *t)
{
    uint32_t index = (uint32_t)t->record->value, count = (uint32_t)(t->record->value >> 32);
    switch (t->record->what & CLC_WHAT_KIND) {
    case CLC_WHAT_UNINITIALISED:
        t->finding.kind = CHECK_KIND_UNINITIALISED;
        SAY(t->message, "read of packet %u of a reservation, which was committed without being written", index);
        break;
    case CLC_WHAT_RACE:
        t->finding.kind = CHECK_KIND_GLOBAL_RACE;
        SAY(t->message, "write of packet %u of a reservation; another work-item writes it, and nothing orders the two",
            index);
        break;
    default:
        t->finding.kind = t->record->size ? CHECK_KIND_FREED : CHECK_KIND_OUT_OF_BOUNDS;
        if (!count)
            SAY(t->message, "packet %u of a reservation that is none", index);
        else if (!t->record->size)
            SAY(t->message, "packet %u of a reservation of %u", index, count);
        else
            SAY(t->message, "%s packet %u by a reservation that was committed before, or is not for that",
                t->site->access & CLC_SITE_READS ? "read of" : "write of", index);
        break;
    }
}

static void tell_operation(struct telling *t)
{
    const uint32_t *local = t->checked->range.local;
    uint64_t items = (uint64_t)local[0] * local[1] * local[2];
    switch (t->site->kind) {
    case CLC_SITE_INDEX:
        t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
        SAY(t->message, "index %" PRId64 " of an array of %u", (int64_t)t->record->value, t->site->size);
        break;
    case CLC_SITE_IMAGE_WRITE:
        t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
        SAY(t->message, "write to an image at coordinates outside of it");
        break;
    case CLC_SITE_DIVISION:
        t->finding.kind = CHECK_KIND_DIVISION;
        SAY(t->message, "division by zero, or of the least number by -1");
        break;
    case CLC_SITE_SHIFT:
        t->finding.kind = CHECK_KIND_SHIFT;
        SAY(t->message, "shift by as many bits as the value has, or more");
        break;
    case CLC_SITE_FLOAT_TO_INT:
        t->finding.kind = CHECK_KIND_FLOAT_TO_INT;
        SAY(t->message, "the integer cannot hold the number that is converted to it");
        break;
    case CLC_SITE_NOT_FINITE:
        t->finding.kind = CHECK_KIND_NOT_FINITE;
        SAY(t->message, "an infinity or NaN that comes of finite numbers");
        break;
    case CLC_SITE_BARRIER:
        t->finding.kind = CHECK_KIND_BARRIER;
        if (t->record->value)
            SAY(t->message, "%" PRIu64 " of the group's work-items reach this barrier together; it has %" PRIu64,
                t->record->value, items);
        else
            SAY(t->message, "some of the group's work-items end without this barrier, and others reach it");
        break;
    case CLC_SITE_NAMED_BARRIER:
        t->finding.kind = CHECK_KIND_BARRIER;
        tell_named_barrier(t);
        break;
    case CLC_SITE_COPY:
        t->finding.kind = CHECK_KIND_COPY;
        SAY(t->message, "the work-item ends without waiting for this copy, or for another");
        break;
    case CLC_SITE_COPIES_DIFFER:
        t->finding.kind = CHECK_KIND_COPY;
        SAY(t->message, "the group's work-items do not all make the copies before this wait, with the same arguments");
        break;
    case CLC_SITE_LOOP:
        t->finding.kind = CHECK_KIND_ENDLESS;
        SAY(t->message, "the work-item went round this loop %" PRIu64 " times; all loops of the launch were ended",
            t->record->value);
        break;
    case CLC_SITE_PACKET:
        tell_packet(t);
        break;
    case CLC_SITE_UNWRITTEN:
        t->finding.kind = CHECK_KIND_UNINITIALISED;
        tell_unwritten(t);
        break;
    default:
        t->finding.kind = CHECK_KIND_SUB_GROUP;
        SAY(t->message, "%" PRIu64 " of the sub-group's work-items take part, which are not all", t->record->value);
        break;
    }
}

static void place_item(struct telling *t)
{
    const struct ocl_range *range = &t->checked->range;
    bool is_global = (t->record->what & CLC_WHAT_KIND) == CLC_WHAT_RACE;
    uint64_t other = t->record->other, item = other >> 32 & (is_global ? CLC_OTHER_ITEM : CLC_OTHER_GROUP);
    uint64_t groups[3], in_groups = 1, in_items = 1;
    item = is_global && item == CLC_OTHER_ITEM ? 0 : item; /* it acted for all */
    for (uint32_t i = 0; i < 3; i++)
        groups[i] = (range->global[i] + range->local[i] - 1) / range->local[i];
    t->finding.has_item = !(t->is_others && is_global && groups[0] * groups[1] * groups[2] > CLC_OTHER_GROUPS);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t local = t->record->local_id[i], global = t->record->global_id[i];
        if (t->is_others) {
            uint64_t others = item / in_items % range->local[i];
            global += others - local;
            local = others;
        }
        if (t->is_others && is_global) {
            uint64_t group = (other >> CLC_OTHER_GROUP_SHIFT & (CLC_OTHER_GROUPS - 1)) / in_groups % groups[i];
            global = range->offset[i] + group * range->local[i] + local;
        }
        in_items *= range->local[i];
        in_groups *= groups[i];
        t->finding.global_id[i] = global;
        t->finding.local_id[i] = local;
        t->finding.group[i] = (global - range->offset[i] - local) / (range->local[i] ? range->local[i] : 1);
    }
}

static struct check_place place_of(const struct clc_check_site *site)
{
    return (struct check_place){.file = site->file, .line = site->line, .column = site->column, .text = site->text};
}

/* Which of two work-items notices a race depends on which came first. So that it is told once, and always at the same place, the
 * place is that of the write, or of the later one in the source where both write. */
static void find_other(struct telling *t)
{
    const struct clc_check_site *sites = t->checked->lowered->check_sites;
    uint32_t number = (uint32_t)t->record->other;
    if (!(t->record->other & CLC_OTHER_KNOWN) || number >= t->checked->lowered->num_check_sites)
        return;
    if (t->site->kind == CLC_SITE_NAMED_BARRIER) {
        t->other = &sites[number];
        return;
    }
    bool writes = t->site->access & CLC_SITE_WRITES, other_writes = sites[number].access & CLC_SITE_WRITES;
    t->other = &sites[number];
    t->is_others = writes == other_writes ? number > t->record->site : other_writes;
    if (t->is_others) {
        t->other = t->site;
        t->site = &sites[number];
    }
}

/* Puts the record into words. */
static struct telling telling_of(const struct ocl_checked *checked, const struct clc_check_record *record)
{
    struct telling t = {.checked = checked, .record = record, .site = &checked->lowered->check_sites[record->site]};
    find_other(&t);
    t.finding.kernel = checked->kernel->info->name;
    t.finding.place = place_of(t.site);
    if (t.other) {
        t.finding.other = place_of(t.other);
        t.finding.other_is =
            t.site->kind == CLC_SITE_NAMED_BARRIER ? "where others of the group wait" : "the other access";
    }
    place_item(&t);
    switch (t.site->kind) {
    case CLC_SITE_ACCESS:
        tell_access(&t);
        break;
    default:
        tell_operation(&t);
        break;
    }
    return t;
}

static void tell_finding(struct telling *t, uint64_t times)
{
    t->finding.times = times;
    t->finding.message = t->message;
    t->finding.object = *t->object ? t->object : NULL;
    check_found(&t->finding);
}

/* Whether none before is of the same place and kind. One counter stands for all that is out of bounds, freed or against
 * flags. */
static bool is_first(const struct clc_check_record *records, const enum check_kind *kinds, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (records[i].site == records[index].site && records[i].what == records[index].what &&
            kinds[i] == kinds[index])
            return false;
    }
    return true;
}

static size_t counter_of(const struct clc_check_record *record)
{
    return (size_t)record->site * CLC_CHECK_COUNTERS + clc_check_counter(record->what);
}

static uint32_t *counters_of(const struct ocl_checked *checked)
{
    return (uint32_t *)(checked_head(checked) + 1);
}

static const struct clc_check_record *records_of(const struct ocl_checked *checked)
{
    uint64_t offset = checked_head(checked)->records - vkb_buffer_address(checked->buffer);
    return (const struct clc_check_record *)(const void *)(checked->map + offset);
}

/* Of those that are of one place and kind the first one is told. The first of a site and counter
 * stands for all that made no record. */
void ocl_checked_tell(const struct ocl_checked *checked)
{
    struct clc_check_head *head = checked_head(checked);
    const uint32_t *counters = counters_of(checked), num_sites = checked->lowered->num_check_sites;
    uint32_t count = (uint32_t)u64_min(head->used, checked->num_records);
    const struct clc_check_record *records = records_of(checked);
    size_t num_counters = (size_t)num_sites * CLC_CHECK_COUNTERS;
    uint32_t *others = calloc(num_counters + 1, sizeof(*others));
    enum check_kind *kinds = calloc((size_t)count + 1, sizeof(*kinds));
    bool *first = calloc((size_t)count + 1, sizeof(*first));
    bool has_room = others && kinds && first;
    if (has_room)
        memcpy(others, counters, num_counters * sizeof(*others));
    for (uint32_t i = 0; has_room && i < count; i++) {
        kinds[i] = records[i].site < num_sites ? telling_of(checked, &records[i]).finding.kind : CHECK_KIND_COUNT;
        first[i] = records[i].site < num_sites && is_first(records, kinds, i);
        if (first[i] && others[counter_of(&records[i])])
            others[counter_of(&records[i])]--;
    }
    for (uint32_t i = 0; has_room && i < count; i++) {
        if (first[i]) {
            struct telling t = telling_of(checked, &records[i]);
            tell_finding(&t, 1 + (uint64_t)others[counter_of(&records[i])]);
            others[counter_of(&records[i])] = 0;
        }
    }
    free(others);
    free(kinds);
    free(first);
}
