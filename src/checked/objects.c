/* The application's objects: how many references it has, where it made the first and gave back the last. An object that
 * was released stays known for as long as its memory stays readable (ocl_object_free()). */
#include "src/checked/model.h"
#include "src/object/image.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_LISTS = 1 << 14, MAX_RELEASED = OCL_KEPT_OBJECTS };

static struct checked_object *lists[NUM_LISTS];
static const void *released[MAX_RELEASED]; /* a ring of handles, the oldest of which is forgotten */
static uint64_t num_released;

static struct checked_object **list_of(const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle;
    return &lists[(bits >> 4 ^ bits >> 18) % NUM_LISTS];
}

struct checked_object *checked_find(const void *handle)
{
    struct checked_object *object = handle ? *list_of(handle) : NULL;
    while (object && object->handle != handle)
        object = object->next;
    return object;
}

struct checked_object *checked_find_memory(const void *address)
{
    struct checked_object *best = NULL;
    for (uint32_t i = 0; i < NUM_LISTS; i++) {
        for (struct checked_object *object = lists[i]; object; object = object->next) {
            uint64_t start = (uint64_t)(uintptr_t)object->handle, at = (uint64_t)(uintptr_t)address;
            bool inside = object->kind == CHECKED_POINTER && at >= start && at - start < object->size;
            if (inside && (!best || object->refs >= best->refs))
                best = object;
        }
    }
    return best;
}

static void forget(const void *handle)
{
    for (struct checked_object **at = handle ? list_of(handle) : NULL; at && *at; at = &(*at)->next) {
        struct checked_object *object = *at;
        if (object->handle == handle && !object->refs) {
            *at = object->next;
            checked_command_drop(object->command);
            checked_forget_recorded(object);
            free(object);
            return;
        }
    }
}

/* ---- words ---- */

const char *checked_a_kind(const struct checked_object *object)
{
    static const char *const names[CHECKED_KIND_COUNT] = {
        [CHECKED_CONTEXT] = "a context",
        [CHECKED_QUEUE] = "a command queue",
        [CHECKED_MEM] = "a buffer",
        [CHECKED_PROGRAM] = "a program",
        [CHECKED_KERNEL] = "a kernel",
        [CHECKED_EVENT] = "an event",
        [CHECKED_SAMPLER] = "a sampler",
        [CHECKED_POINTER] = "memory",
        [CHECKED_COMMAND_BUFFER] = "a command buffer",
        [CHECKED_SEMAPHORE] = "a semaphore",
    };
    bool image = object->kind == CHECKED_MEM &&
                 (!strncmp(object->creator, "clCreateImage", 13) || !strncmp(object->creator, "clCreateFrom", 12));
    if (object->kind == CHECKED_MEM && !strcmp(object->creator, "clCreatePipe"))
        return "a pipe";
    return image ? "an image" : names[object->kind];
}

static const char *kind_name(const struct checked_object *object)
{
    const char *name = checked_a_kind(object), *space = strchr(name, ' ');
    return space ? space + 1 : name;
}

void checked_describe(const struct checked_object *object, char text[CHECKED_TEXT])
{
    char size[sizeof(object->extent)] = "", place[440] = "", gone[64] = "";
    struct check_where where;
    if (*object->extent)
        memcpy(size, object->extent, sizeof(size));
    else if (object->size)
        snprintf(size, sizeof(size), " of %zu bytes", object->size);
    if (!object->refs && object->released)
        snprintf(gone, sizeof(gone), ", released by %s, call %" PRIu64, object->releaser, object->released);
    check_locate(object->created_at, &where);
    if (where.line)
        snprintf(place, sizeof(place), ", at %s:%" PRIu32, where.file, where.line);
    else if (*where.text)
        snprintf(place, sizeof(place), ", at %s", where.text);
    snprintf(text, CHECKED_TEXT, "%s %p%s, created by %s, call %" PRIu64 "%s%s", kind_name(object), object->handle,
             size, object->creator, object->created, place, gone);
}

/* As far as it is known. The text is to be freed. */
static struct check_place place_of(const struct check_where *where)
{
    const char *file = where->line ? where->file : where->text;
    return (struct check_place){.file = *file ? file : NULL, .line = where->line, .text = check_source_line(where)};
}

void checked_report(const struct checked_call *call, enum check_kind kind, const struct checked_object *object,
                    const char *kernel, const void *other_at, const char *other_is, const char *format, ...)
{
    char message[2 * CHECKED_TEXT], description[CHECKED_TEXT];
    struct check_where where, other_where;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    check_locate(call->caller, &where);
    check_locate(other_at, &other_where);
    if (object)
        checked_describe(object, description);
    struct check_place place = place_of(&where), other = place_of(&other_where);
    check_found(&(struct check_finding){
        .kind = kind,
        .message = message,
        .kernel = kernel,
        .place = place,
        .other = other,
        .other_is = other_is,
        .object = object ? description : NULL,
        .caller = call->function,
        .times = 1,
    });
    free((char *)place.text);
    free((char *)other.text);
}

void checked_report_released(struct checked_call *call, const struct checked_object *object, const char *how)
{
    if (check_on(CHECK_HOST))
        checked_report(call, CHECK_KIND_RELEASED, object, NULL, object->released_at, "released here",
                       "call %" PRIu64 " %s %s after its last release", call->number, how, checked_a_kind(object));
}

/* ---- references ---- */

/* When it is made: what the object has of it may be gone when a report asks. */
static void note_extent(struct checked_object *object)
{
    const struct _cl_mem *mem = object->kind == CHECKED_MEM ? object->handle : NULL;
    const struct ocl_image *image = mem ? mem->image : NULL;
    char *text = object->extent;
    size_t room = sizeof(object->extent);
    if (image && image->depth)
        snprintf(text, room, " of %zu x %zu x %zu texels", image->width, image->height, image->depth);
    else if (image && image->height)
        snprintf(text, room, " of %zu x %zu texels", image->width, image->height);
    else if (image)
        snprintf(text, room, " of %zu texels", image->width);
    else if (mem && mem->type == CL_MEM_OBJECT_PIPE)
        snprintf(text, room, " of %u packets of %u bytes", mem->max_packets, mem->packet_size);
    else if (mem && mem->parent)
        snprintf(text, room, " of %zu bytes, from byte %zu of buffer %p on", mem->size, mem->origin,
                 (void *)mem->parent);
    else if (mem && mem->size)
        snprintf(text, room, " of %zu bytes", mem->size);
    size_t length = strlen(text);
    if (image && image->array_size)
        snprintf(text + length, room - length, " in %zu layers", image->array_size);
}

void checked_created(struct checked_call *call, enum checked_kind kind, const void *handle, size_t size)
{
    if (call->off || !handle)
        return;
    checked_lock();
    struct checked_object *object = checked_find(handle);
    if (object && object->refs && object->kind == kind) {
        object->refs++; /* the device's default queue, for example */
        checked_unlock();
        return;
    }
    if (!object && (object = calloc(1, sizeof(*object)))) {
        object->next = *list_of(handle);
        *list_of(handle) = object;
    }
    if (object) {
        checked_command_drop(object->command);
        checked_forget_recorded(object);
        struct checked_object *next = object->next;
        *object = (struct checked_object){next,
                                          handle,
                                          kind,
                                          1,
                                          .size = size,
                                          .created = call->number,
                                          .creator = call->function,
                                          .created_at = call->caller};
        note_extent(object);
    }
    checked_unlock();
}

void checked_retained(struct checked_call *call, const void *handle)
{
    if (call->off)
        return;
    checked_lock();
    struct checked_object *object = checked_find(handle);
    if (object && !call->failed)
        object->refs++;
    checked_unlock();
}

static void note_release(struct checked_call *call, struct checked_object *object)
{
    const void **slot = &released[num_released % MAX_RELEASED];
    if (*slot != object->handle)
        forget(*slot);
    *slot = object->handle;
    object->order = ++num_released;
    object->released = call->number;
    object->releaser = call->function;
    object->released_at = call->caller;
}

void checked_releases(struct checked_call *call, enum checked_kind kind, const void *handle)
{
    if (call->off)
        return;
    checked_lock();
    struct checked_object *object = checked_find(handle);
    if (object && object->kind == kind && object->refs && --object->refs == 0) {
        object->borrowed = false;
        note_release(call, object);
        if (kind == CHECKED_MEM || kind == CHECKED_POINTER)
            checked_report_maps(call, object);
        if (kind == CHECKED_POINTER)
            checked_frees(call, object);
    }
    checked_unlock();
}

void checked_gone(struct checked_call *call, const void *pointer)
{
    if (call->off)
        return;
    checked_lock();
    struct checked_object *object = checked_find(pointer);
    if (object && object->kind == CHECKED_POINTER && object->refs) {
        object->refs = 0;
        note_release(call, object);
        checked_report_maps(call, object);
    }
    checked_unlock();
}

/* ---- the end ---- */

void checked_report_leaks(void)
{
    for (uint32_t i = 0; i < NUM_LISTS; i++) {
        for (const struct checked_object *object = lists[i]; object; object = object->next) {
            const struct checked_call call = {.function = object->creator, .caller = object->created_at};
            if (object->refs)
                checked_report(&call, CHECK_KIND_LEAK, object, NULL, NULL, NULL,
                               "%s is never released: the program ends with %" PRIu32 " reference%s to it",
                               checked_a_kind(object), object->refs, object->refs == 1 ? "" : "s");
        }
    }
}
