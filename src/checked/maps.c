/* Memory that is mapped. OpenCL 3.0 API, 5.4.5: while it is mapped for writing, no command may read or write it; while it
 * is mapped for reading, none may write it; and no part may be mapped for writing twice. */
#include "src/checked/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_map {
    struct open_map *next;
    struct checked_access access;
    const void *pointer, *caller;
    const char *function;
    uint64_t number;
    bool writes;
};

static struct open_map *maps;

static const struct checked_object *object_of(const struct checked_access *access)
{
    return access->root ? checked_find(access->mem) : checked_find_memory((const void *)(uintptr_t)access->begin);
}

void checked_mapped(struct checked_call *call, struct checked_access access, const void *pointer, bool writes)
{
    struct open_map *map = pointer ? calloc(1, sizeof(*map)) : NULL;
    for (const struct open_map *other = maps; map && other; other = other->next) {
        if (writes && other->writes && checked_overlap(&access, &other->access) && check_on(CHECK_HOST)) {
            checked_report(call, CHECK_KIND_OPEN_MAP, object_of(&access), NULL, other->caller, "the other map",
                           "call %" PRIu64
                           " maps memory for writing that is mapped for writing since %s, call %" PRIu64,
                           call->number, other->function, other->number);
            break;
        }
    }
    if (!map)
        return;
    *map = (struct open_map){maps, access, pointer, call->caller, call->function, call->number, writes};
    maps = map;
}

bool checked_unmapped(cl_mem mem, const void *pointer, struct checked_access *access)
{
    for (struct open_map **at = &maps; *at; at = &(*at)->next) {
        struct open_map *map = *at;
        if (map->access.mem != mem || map->pointer != pointer)
            continue;
        *access = map->access;
        access->writes = map->writes;
        *at = map->next;
        free(map);
        return true;
    }
    return false;
}

static bool is_of(const struct open_map *map, const struct checked_object *object)
{
    if (object->kind == CHECKED_MEM)
        return map->access.mem == object->handle;
    uint64_t start = (uint64_t)(uintptr_t)object->handle;
    return !map->access.root && map->access.begin >= start && map->access.begin < start + object->size;
}

static bool changes_maps(const char *function)
{
    return strstr(function, "Map") || strstr(function, "Unmap");
}

void checked_against_maps(struct checked_call *call, const struct checked_access *access, const char *kernel)
{
    char name[128];
    for (const struct open_map *map = maps; map && check_on(CHECK_HOST); map = map->next) {
        bool conflict = (access->writes || map->writes) && !changes_maps(call->function);
        if (!conflict || access->by_host || map->number == call->number || !checked_overlap(access, &map->access))
            continue;
        snprintf(name, sizeof(name), kernel ? "kernel '%s'" : "%s", kernel ? kernel : call->function);
        checked_report(call, CHECK_KIND_OPEN_MAP, object_of(access), kernel, map->caller, "mapped here",
                       "%s (call %" PRIu64 ") %s memory that is mapped for %s since %s, call %" PRIu64, name,
                       call->number, access->writes ? "writes" : "reads", map->writes ? "writing" : "reading",
                       map->function, map->number);
        return;
    }
}

void checked_report_maps(struct checked_call *call, const struct checked_object *object)
{
    for (struct open_map **at = &maps; *at && check_on(CHECK_HOST);) {
        struct open_map *map = *at;
        if (object && !is_of(map, object)) {
            at = &map->next;
            continue;
        }
        const struct checked_call mapping = {.function = map->function, .caller = map->caller};
        if (object)
            checked_report(call, CHECK_KIND_OPEN_MAP, object, NULL, map->caller, "mapped here",
                           "call %" PRIu64 " gives the last reference to memory back that %s, call %" PRIu64
                           ", mapped and nobody unmapped",
                           call->number, map->function, map->number);
        else
            checked_report(&mapping, CHECK_KIND_OPEN_MAP, object_of(&map->access), NULL, NULL, NULL,
                           "what call %" PRIu64 " mapped is never unmapped", map->number);
        *at = map->next;
        free(map);
    }
}
