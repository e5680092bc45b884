/* What a trace says, in numbers (trace.h). It reads the lines that base/trace.c writes, one event each, whose members
 * come in a known order, and what is no such line it passes over. Rows of one category and name are added up. The
 * device's work is kept as intervals, too: together they say how long it was busy, and how long it had nothing to do.
 */
#include "trace.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TRACK = 1 << 24 }; /* tracks beyond are queues of a device */

struct row {
    const char *category, *name;
    uint64_t times, bytes;
    double total, longest; /* us */
};

struct interval {
    double began, ended; /* us */
};

struct device {
    const char *name;
    VEC(struct interval) work;
};

struct summary {
    struct arena arena;
    struct str_map rows; /* by category and name */
    VEC(struct row *) list;
    struct str_map devices; /* by name */
    VEC(struct device *) device_list;
    struct u64_map tracks; /* of a device's queues: by process and track */
    struct u64_map processes;
    uint64_t events;
    double first, last; /* us */
};

/* ---- reading ---- */

/* The value of a member, of which a line has at most one of that name; NULL: it has none. */
static const char *member(const char *line, const char *name)
{
    char wanted[32];
    snprintf(wanted, sizeof(wanted), "\"%s\":", name);
    const char *at = strstr(line, wanted);
    return at ? at + strlen(wanted) : NULL;
}

static double number(const char *line, const char *name)
{
    const char *at = member(line, name);
    return at ? strtod(at, NULL) : 0.0;
}

/* A string member, without its escapes, in the arena; "" where there is none. */
static const char *string(struct summary *s, const char *line, const char *name)
{
    const char *at = member(line, name);
    if (!at || *at++ != '"')
        return "";
    char *text = arena_alloc(&s->arena, strlen(at) + 1), *to = text;
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++;
        *to++ = *at;
    }
    *to = 0;
    return text;
}

static struct row *row_of(struct summary *s, const char *category, const char *name)
{
    size_t length = strlen(category) + 1 + strlen(name);
    char *key = arena_alloc(&s->arena, length + 1);
    snprintf(key, length + 1, "%s %s", category, name);
    struct row *row = str_map_get(&s->rows, key, length);
    if (row)
        return row;
    row = arena_alloc(&s->arena, sizeof(*row));
    *row = (struct row){.category = category, .name = name};
    str_map_set(&s->arena, &s->rows, key, length, row);
    vec_push(&s->arena, &s->list, row);
    return row;
}

static uint64_t track_key(const char *line)
{
    return (uint64_t)number(line, "pid") << 32 | (uint64_t)number(line, "tid");
}

/* A queue's name is "queue 1: DEVICE", and " (2)" behind it for the tracks beside it. */
static void add_track(struct summary *s, const char *line)
{
    const char *args = strstr(line, "\"args\":");
    const char *name = args ? string(s, args, "name") : "", *colon = strstr(name, ": ");
    if (number(line, "tid") < FIRST_TRACK || !colon)
        return;
    name = colon + 2;
    size_t length = strlen(name);
    if (length > 4 && !strncmp(name + length - 4, " (", 2) && name[length - 1] == ')')
        length -= 4;
    struct device *device = str_map_get(&s->devices, name, length);
    if (!device) {
        char *copy = arena_alloc(&s->arena, length + 1);
        memcpy(copy, name, length);
        copy[length] = 0;
        device = arena_alloc(&s->arena, sizeof(*device));
        *device = (struct device){.name = copy};
        str_map_set(&s->arena, &s->devices, copy, length, device);
        vec_push(&s->arena, &s->device_list, device);
    }
    u64_map_set(&s->arena, &s->tracks, track_key(line), device);
}

static void add_span(struct summary *s, const char *line)
{
    double began = number(line, "ts"), duration = number(line, "dur");
    struct row *row = row_of(s, string(s, line, "cat"), string(s, line, "name"));
    row->times++;
    row->total += duration;
    row->bytes += (uint64_t)number(line, "bytes");
    row->longest = duration > row->longest ? duration : row->longest;
    s->first = s->events && s->first < began ? s->first : began;
    s->last = s->last > began + duration ? s->last : began + duration;
    s->events++;
    u64_map_set(&s->arena, &s->processes, (uint64_t)number(line, "pid"), NULL);
    struct device *device = u64_map_get(&s->tracks, track_key(line));
    if (device)
        vec_push(&s->arena, &device->work, (struct interval){began, began + duration});
}

static void read_line(struct summary *s, const char *line)
{
    const char *phase = member(line, "ph");
    if (!phase)
        return;
    if (!strncmp(phase, "\"X\"", 3))
        add_span(s, line);
    else if (!strncmp(phase, "\"M\"", 3) && strstr(line, "\"thread_name\""))
        add_track(s, line);
    else if (!strncmp(phase, "\"i\"", 3))
        row_of(s, string(s, line, "cat"), string(s, line, "text"))->times++;
}

/* ---- printing ---- */

static int by_time(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    if (x->times != y->times)
        return x->times < y->times ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int by_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->began > y->began) - (x->began < y->began);
}

static void print_device(struct device *device, FILE *out)
{
    double busy = 0.0, longest = 0.0, end = 0.0;
    uint32_t count = device->work.length;
    if (!count)
        return;
    qsort(device->work.data, count, sizeof(*device->work.data), by_begin);
    double first = end = device->work.data[0].began;
    vec_foreach (struct interval, work, &device->work) {
        if (work->began > end) {
            longest = work->began - end > longest ? work->began - end : longest;
            end = work->began;
        }
        if (work->ended > end) {
            busy += work->ended - end;
            end = work->ended;
        }
    }
    double whole = end - first;
    fprintf(out,
            "\n%s: %u commands in %.3f ms from the first's begin to the last's end\n"
            "  busy %.3f ms (%.1f %%), idle %.3f ms, the longest pause %.3f ms\n",
            device->name, count, whole / 1e3, busy / 1e3, whole > 0.0 ? 100.0 * busy / whole : 100.0,
            (whole - busy) / 1e3, longest / 1e3);
}

struct section {
    const char *category, *title;
    bool bytes;
};

static const struct section sections[] = {
    {"kernel", "kernels on the device", false},
    {"replay", "command buffers on the device", false},
    {"copy", "copies on the device", true},
    {"transfer", "copies by the host", true},
    {"build", "builds", false},
    {"stage", "stages of builds", false},
    {"pipeline", "pipelines, by the driver", false},
    {"make", "memory and command buffers, by the driver", false},
    {"submit", "submissions to the driver", false},
    {"call", "calls of the program", false},
};

static void print_section(const struct summary *s, const struct section *section, uint32_t limit, FILE *out)
{
    double total = 0.0;
    uint32_t printed = 0, rest = 0;
    vec_foreach (struct row *, row, &s->list)
        total += strcmp((*row)->category, section->category) == 0 ? (*row)->total : 0.0;
    vec_foreach (struct row *, at, &s->list) {
        const struct row *row = *at;
        if (strcmp(row->category, section->category) != 0)
            continue;
        if (printed == limit) {
            rest++;
            continue;
        }
        if (printed++ == 0)
            fprintf(out, "\n%-44s %8s %12s %10s %10s %7s%s\n", section->title, "times", "total, ms", "mean, us",
                    "longest", "share", section->bytes ? "        MiB     GB/s" : "");
        fprintf(out, "  %-42.42s %8llu %12.3f %10.2f %10.2f %6.1f%%", row->name, (unsigned long long)row->times,
                row->total / 1e3, row->total / (double)row->times, row->longest,
                total > 0.0 ? 100.0 * row->total / total : 0.0);
        if (section->bytes)
            fprintf(out, " %10.2f %8.2f", (double)row->bytes / (1 << 20),
                    row->total > 0.0 ? (double)row->bytes / row->total / 1e3 : 0.0);
        fputc('\n', out);
    }
    if (rest)
        fprintf(out, "  and %u more\n", rest);
}

static void print_errors(const struct summary *s, uint32_t limit, FILE *out)
{
    uint32_t printed = 0;
    vec_foreach (struct row *, row, &s->list) {
        if (strcmp((*row)->category, "error") != 0 || printed == limit)
            continue;
        if (printed++ == 0)
            fputs("\ncalls that failed\n", out);
        fprintf(out, "  %6llu times %s\n", (unsigned long long)(*row)->times, (*row)->name);
    }
}

static void print(struct summary *s, uint32_t limit, FILE *out)
{
    if (!s->events)
        return;
    if (s->list.length)
        qsort(s->list.data, s->list.length, sizeof(*s->list.data), by_time);
    fprintf(out, "%llu events in %.3f ms of %u process%s\n", (unsigned long long)s->events, (s->last - s->first) / 1e3,
            s->processes.count, s->processes.count == 1 ? "" : "es");
    vec_foreach (struct device *, device, &s->device_list)
        print_device(*device, out);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        print_section(s, &sections[i], limit, out);
    print_errors(s, limit, out);
}

bool trace_summary(const char *path, uint32_t rows, FILE *out, uint64_t *events)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    struct summary s = {0};
    jmp_buf out_of_memory;
    if (!file) {
        fprintf(stderr, "pumice trace: %s: %s\n", path, strerror(errno));
        return false;
    }
    volatile bool ok = false;
    if (setjmp(out_of_memory) == 0) {
        arena_init(&s.arena, &out_of_memory, 0);
        while (getline(&line, &capacity, file) > 0)
            read_line(&s, line);
        print(&s, rows, out);
        *events = s.events;
        ok = true;
    } else {
        fputs("pumice trace: out of memory\n", stderr);
    }
    arena_finish(&s.arena);
    free(line);
    fclose(file);
    return ok;
}
