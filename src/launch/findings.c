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

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
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
    ocl_name_argument(t->checked, t->checked->kernel, index, text, size);
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

/* The memory that something belongs to, which the text names. */
static void say_owner(struct telling *t, const char *of, const struct ocl_owner *owner)
{
    if (owner->reach)
        say_memory(t, of, owner->reach);
    else if (owner->variable || !say_known(t, of, NULL, owner->range.start))
        SAY(t->object, "%s of %" PRIu64 " bytes", of, owner->range.size);
}

/* What lies at the address; nothing where the address alone is known, as of what kernels give to those that they enqueue. */
static void say_place(struct telling *t, uint64_t address)
{
    struct ocl_owner owner;
    char of[192];
    if (!ocl_find_owner(t->checked, address, &owner) || !owner.holds)
        return;
    uint64_t distance = address - owner.range.start;
    ocl_name_owner(t->checked, &owner, of, sizeof(of));
    SAY(t->object, "%" PRIu64 " byte%s behind the start of ", distance, plural(distance));
    say_owner(t, of, &owner);
}

/* A pointer of which the compiler did not see what it leads to, and what is at the address or before it. */
static void tell_owner(struct telling *t, uint64_t address, const struct ocl_owner *owner)
{
    uint64_t distance = address - owner->range.start, size = owner->range.size;
    char of[192];
    ocl_name_owner(t->checked, owner, of, sizeof(of));
    if (owner->holds && t->record->size <= size - distance) {
        tell_denied(t, of, owner->range.denied);
        say_place(t, address);
        return;
    }
    bool near = distance < size + 4096;
    if (near)
        say_where(t, (int64_t)distance, size, of);
    else
        SAY(t->message, " where the context has no memory");
    if (owner->reach || owner->variable) {
        SAY(t->object, near ? "" : "before it: ");
        say_owner(t, of, owner);
    } else if (!say_known(t, "before it", NULL, owner->range.start)) {
        SAY(t->object, "the allocation before it has %" PRIu64 " bytes", size);
    }
}

static void tell_address(struct telling *t)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t address = t->record->value, start, size;
    struct ocl_owner owner;
    t->finding.has_address = true;
    t->finding.address = address;
    if (address < 4096) {
        SAY(t->message, " through a null pointer");
        return;
    }
    if (ocl_pointer_was_freed(checked->context, address, &start, &size) && !is_taken(checked, start, size)) {
        t->finding.kind = CHECK_KIND_FREED;
        SAY(t->message, " in memory that was freed");
        SAY(t->object, "%" PRIu64 " byte%s behind the start of what were %" PRIu64 " bytes", address - start,
            plural(address - start), size);
        return;
    }
    if (ocl_find_owner(checked, address, &owner))
        tell_owner(t, address, &owner);
    else
        SAY(t->message, " where the context has no memory");
}

static const struct clc_check_object *object_of(const struct telling *t, uint64_t number)
{
    const struct clc_lowered *l = t->checked->lowered;
    return number && number <= l->num_check_objects ? &l->check_objects[number - 1] : NULL;
}

static void name_object(const struct telling *t, const struct clc_check_object *object, char *text, size_t size)
{
    static const char *const kinds[] = {[CLC_OBJECT_LOCAL] = "local variable",
                                        [CLC_OBJECT_PRIVATE] = "private variable",
                                        [CLC_OBJECT_CONSTANT] = "constant variable",
                                        [CLC_OBJECT_GLOBAL] = "variable at program scope"};
    if (object->kind == CLC_OBJECT_ARGUMENT)
        name_argument(t, object->arg, text, size);
    else
        snprintf(text, size, object->name ? "%s '%.64s'" : "a %s", kinds[object->kind], object->name);
}

static void tell_variable(struct telling *t, const struct clc_check_object *object)
{
    char of[128];
    name_object(t, object, of, sizeof(of));
    SAY(t->object, "%s of %" PRIu64 " bytes", of, object->size);
    if (!say_where(t, (int64_t)t->record->value, object->size, of))
        tell_denied(t, of, CLC_SITE_WRITES);
}

/* ---- one of several objects ---- */

/* Where an object may lie that a pointer leads to. */
enum space { SPACE_GLOBAL = 1, SPACE_CONSTANT = 2, SPACE_LOCAL = 4, SPACE_PRIVATE = 8 };

static enum space space_of(const struct telling *t, const struct clc_check_object *object)
{
    switch (object->kind) {
    case CLC_OBJECT_ARGUMENT:
        return t->checked->args[object->arg].is_local ? SPACE_LOCAL : SPACE_GLOBAL;
    case CLC_OBJECT_LOCAL:
        return SPACE_LOCAL;
    case CLC_OBJECT_PRIVATE:
        return SPACE_PRIVATE;
    case CLC_OBJECT_CONSTANT:
        return SPACE_CONSTANT;
    default:
        return SPACE_GLOBAL;
    }
}

/* The access leads into none of the objects of the list, and the record has the pointer's number. What is global has an
 * address, and may lie just behind one of them; of others it is known by the pointer's tag, if at all, where they lie. */
static void tell_one_of(struct telling *t, const struct clc_check_object *list)
{
    const struct clc_check_object *one = list, *object;
    uint64_t tag = t->record->value >> 32;
    uint32_t spaces = tag == CLC_TAG_LOCAL ? SPACE_LOCAL : tag == CLC_TAG_PRIVATE ? SPACE_PRIVATE : ~0u, has = 0;
    struct ocl_owner owner;
    char of[128];
    for (; one && (object = object_of(t, one->size)); one = object_of(t, one->arg))
        has |= space_of(t, object);
    if (spaces & has & SPACE_GLOBAL) {
        bool found = ocl_find_owner(t->checked, t->record->value, &owner);
        if (!found || !owner.holds || owner.range.denied & t->site->access ||
            t->record->size > owner.range.size - (t->record->value - owner.range.start)) {
            tell_address(t);
            return;
        }
        t->finding.has_address = true;
        t->finding.address = t->record->value;
        say_place(t, t->record->value);
    }
    const char *word = ", outside of ";
    for (one = list; one && (object = object_of(t, one->size)); one = object_of(t, one->arg)) {
        if (!(spaces & space_of(t, object)))
            continue;
        name_object(t, object, of, sizeof(of));
        SAY(t->message, "%s%s", word, of);
        word = " and of ";
    }
}

/* What another work-item did, or whether anybody wrote what is read here. */
static void tell_local(struct telling *t)
{
    const struct clc_check_object *object = object_of(t, t->record->what & CLC_WHAT_OBJECT);
    char of[128] = "local memory";
    if (object) {
        uint64_t size = object->kind == CLC_OBJECT_ARGUMENT ? t->checked->args[object->arg].range.size : object->size;
        name_object(t, object, of, sizeof(of));
        SAY(t->object, "%" PRIu64 " byte%s behind the start of %s of %" PRIu64 " bytes", t->record->value,
            plural(t->record->value), of, size);
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
    char of[128], other[128];
    name_argument(t, t->record->what & CLC_WHAT_OBJECT, of, sizeof(of));
    name_argument(t, t->record->size, other, sizeof(other));
    t->finding.kind = CHECK_KIND_RESTRICT;
    t->finding.has_address = true;
    t->finding.address = t->record->value;
    SAY(t->message, "%s memory through %s that the work-item reached through %s: both are restrict",
        t->site->access & CLC_SITE_WRITES ? "write of" : "read of", of, other);
    say_place(t, t->record->value);
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
        SAY(t->message, ", %" PRIu64 " byte%s behind the start of %s", value, plural(value), of);
        say_memory(t, of, reach);
        return;
    }
    t->finding.address = value;
    say_place(t, value);
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
    say_place(t, address);
}

static void tell_bounds(struct telling *t, uint32_t number)
{
    const struct clc_check_object *object = object_of(t, number);
    if (!object)
        tell_address(t);
    else if (object->kind == CLC_OBJECT_ARGUMENT)
        tell_argument(t, object->arg);
    else if (object->kind == CLC_OBJECT_ONE_OF)
        tell_one_of(t, object);
    else
        tell_variable(t, object);
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
        say_place(t, t->record->value);
        break;
    default:
        tell_bounds(t, object);
        break;
    }
}

static void tell_unwritten(struct telling *t)
{
    const struct clc_check_object *object = object_of(t, t->record->value);
    SAY(t->message, "read of a private variable that was not written");
    if (object && object->name)
        SAY(t->message, ": '%.64s'", object->name);
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

/* Which image or pipe it is, where that is an argument. */
static void say_handle(struct telling *t, const char *what)
{
    const struct clc_check_object *object = object_of(t, t->record->what & CLC_WHAT_OBJECT);
    char of[128];
    if (!object || object->kind != CLC_OBJECT_ARGUMENT)
        return;
    name_argument(t, object->arg, of, sizeof(of));
    if (!say_known(t, of, t->checked->args[object->arg].mem, 0))
        SAY(t->object, "%s: %s", of, what);
}

static int64_t coordinate(uint64_t value, uint32_t count, uint32_t axis)
{
    uint32_t bits = count ? 64 / count : 64, used = bits < 32 ? bits : 32;
    return (int64_t)(value >> axis * bits << (64 - used)) >> (64 - used);
}

static void tell_image_write(struct telling *t)
{
    uint32_t count = t->site->size;
    t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
    SAY(t->message, "write to an image at (");
    for (uint32_t i = 0; i < count; i++)
        SAY(t->message, "%s%" PRId64, i ? ", " : "", coordinate(t->record->value, count, i));
    SAY(t->message, "), which is outside of it");
    say_handle(t, "an image");
}

/* Of a packet in a pipe, by way of a reservation (compiler/lower/check/packets.c). */
static void tell_packet(struct telling *t)
{
    uint32_t index = (uint32_t)t->record->value, count = (uint32_t)(t->record->value >> 32);
    say_handle(t, "a pipe");
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
        tell_image_write(t);
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
    t.finding.parent = checked->parent ? checked->parent->info->name : NULL;
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
