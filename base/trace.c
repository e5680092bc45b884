/* The trace's writer. Each thread formats its events into a buffer of its own. A buffer goes to the file when it is
 * nearly full, when its oldest line has waited for a while, when the thread ends, and when the process does, so that a
 * process that is killed leaves nearly all that it did. The file is open for appending, so that lines of threads and
 * processes do not overwrite each other. */
#include "trace.h"

#include "platform.h"
#include "settings.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 32 << 10, LINE = 2048, DETAILS = 512, FLUSH_NS = 200000000 };
enum { LANES = 8, FIRST_TRACK = 1 << 24 }; /* tracks are numbered beyond all threads */

struct buffer {
    pthread_mutex_t lock; /* guards size and text: trace_flush() of another thread looks at them */
    uint32_t generation;  /* of the process that has it; fork() makes a new one */
    int thread;
    size_t size;
    uint64_t oldest_ns;
    struct buffer *next;
    char text[BUFFER];
};

struct name {
    struct name *next;
    char text[];
};

struct trace_track {
    uint32_t number; /* of its first lane */
    uint32_t named;  /* how many lanes the file knows */
    uint64_t busy_until[LANES];
    char name[];
};

atomic_int trace_state;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int output = -1, process;
static pthread_key_t key;                                /* of struct buffer; its destructor writes and frees it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static uint32_t generation;
static struct buffer *buffers;
static struct name *names[1024];
static atomic_uint num_tracks;
static atomic_ullong num_arrows;

static void write_all(const char *text, size_t size)
{
    while (size) {
        ssize_t done = write(output, text, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        text += done;
        size -= (size_t)done;
    }
}

static void flush(struct buffer *buffer)
{
    write_all(buffer->text, buffer->size);
    buffer->size = 0;
}

void trace_flush(void)
{
    if (!trace_enabled())
        return;
    pthread_mutex_lock(&lock);
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->next) {
        pthread_mutex_lock(&buffer->lock);
        flush(buffer);
        pthread_mutex_unlock(&buffer->lock);
    }
    pthread_mutex_unlock(&lock);
}

static void end_thread(void *data)
{
    struct buffer *buffer = data;
    pthread_mutex_lock(&lock);
    bool ours = buffer->generation == generation;
    for (struct buffer **at = &buffers; ours && *at; at = &(*at)->next) {
        if (*at == buffer) {
            *at = buffer->next;
            break;
        }
    }
    if (ours)
        flush(buffer);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&buffer->lock);
    free(buffer);
}

/* ---- JSON ---- */

/* Writes text as the inside of a JSON string, as much of it as there is room for, and returns its end. */
static char *escape(char *to, const char *end, const char *text)
{
    for (; *text && end - to > 8; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c < 0x20 || c == 0x7f) {
            to += sprintf(to, "\\u%04x", c);
        } else {
            *to++ = c < 0x80 ? (char)c : '?'; /* it may be no UTF-8, and JSON must be */
        }
    }
    *to = 0;
    return to;
}

static char *put(char *to, const char *end, const char *format, ...) __attribute__((format(printf, 3, 4)));
static char *put(char *to, const char *end, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to, (size_t)(end - to), format, args);
    va_end(args);
    return length < 0 || length >= end - to ? to : to + length;
}

/* ---- buffers ---- */

/* Appends a line, of at most LINE bytes. With the buffer's lock held. */
static void append(struct buffer *buffer, const char *line, size_t size)
{
    uint64_t now = time_ns();
    if (buffer->size + size > sizeof(buffer->text))
        flush(buffer);
    if (!buffer->size)
        buffer->oldest_ns = now;
    memcpy(buffer->text + buffer->size, line, size);
    buffer->size += size;
    if (now - buffer->oldest_ns > FLUSH_NS)
        flush(buffer);
}

static void append_name(struct buffer *buffer, const char *what, uint32_t track, const char *name, uint32_t lane)
{
    char line[LINE], *end = line + sizeof(line);
    char *at = put(line, end, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"", what,
                   process, track);
    at = escape(at, end - 64, name);
    if (lane)
        at = put(at, end, " (%u)", lane + 1);
    at = put(at, end, "\"}},\n");
    append(buffer, line, (size_t)(at - line));
}

static struct buffer *new_buffer(void)
{
    struct buffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return NULL;
    pthread_mutex_init(&buffer->lock, NULL);
    char name[32];
    buffer->thread = (int)platform_thread(name, sizeof(name));
    pthread_mutex_lock(&lock);
    buffer->generation = generation;
    buffer->next = buffers;
    buffers = buffer;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&buffer->lock);
    append_name(buffer, "process_name", (uint32_t)buffer->thread, platform_program_name(), 0);
    append_name(buffer, "thread_name", (uint32_t)buffer->thread, name, 0);
    pthread_mutex_unlock(&buffer->lock);
    return buffer;
}

/* The calling thread's buffer; NULL without memory, or when the thread has ended but for its destructors. */
static struct buffer *own_buffer(void)
{
    struct buffer *buffer = pthread_getspecific(key);
    if (buffer && buffer->generation == generation)
        return buffer;
    buffer = new_buffer(); /* the parent's is left behind */
    if (buffer)
        pthread_setspecific(key, buffer);
    return buffer;
}

static void emit(struct buffer *buffer, const char *line, const char *end)
{
    pthread_mutex_lock(&buffer->lock);
    append(buffer, line, (size_t)(end - line));
    pthread_mutex_unlock(&buffer->lock);
}

/* ---- life ---- */

static struct buffer *left_behind; /* of parents: their threads' memory may be in use by what does not exist here */

/* Other threads of the parent, which do not exist here, may have had any of these locks. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    generation++;
    struct buffer **end = &buffers;
    while (*end)
        end = &(*end)->next;
    *end = left_behind;
    left_behind = buffers;
    buffers = NULL;
    process = (int)getpid();
}

static void open_file(void)
{
    const char *path = setting_text(SETTING_TRACE);
    int state = TRACE_OFF;
    if (path) {
        output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (output >= 0)
            write_all("[\n", 2);
        else
            output = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    }
    process = (int)getpid();
    if (output >= 0 && pthread_key_create(&key, end_thread) == 0 && pthread_atfork(NULL, NULL, in_child) == 0)
        state = TRACE_ON;
    else if (path)
        fprintf(stderr, "pumice: error: PUMICE_TRACE=%s: %s\n", path, strerror(errno));
    atomic_store(&trace_state, state);
}

bool trace_find_state(void)
{
    pthread_once(&once, open_file);
    return atomic_load(&trace_state) == TRACE_ON;
}

__attribute__((destructor)) static void at_end(void)
{
    if (atomic_load(&trace_state) != TRACE_ON)
        return;
    if (!platform_is_ending()) {
        trace_flush();
        return;
    }
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->next)
        flush(buffer); /* no lock: one that a thread had is never given back */
}

/* ---- events ---- */

/* Times are in us. */
static char *put_span(char *at, const char *end, const char *category, const char *name, uint32_t track,
                      uint64_t began_ns, uint64_t ended_ns, const char *details)
{
    uint64_t duration = ended_ns > began_ns ? ended_ns - began_ns : 0;
    at = put(at, end,
             "{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%llu.%03u,\"dur\":%llu.%03u,\"name\":\"",
             category, process, track, (unsigned long long)(began_ns / 1000), (unsigned)(began_ns % 1000),
             (unsigned long long)(duration / 1000), (unsigned)(duration % 1000));
    at = escape(at, end - DETAILS - 64, name);
    return details ? put(at, end, "\",\"args\":{%s}},\n", details) : put(at, end, "\"},\n");
}

static const char *format_details(char *details, const char *format, va_list args)
{
    if (!format)
        return NULL;
    int length = vsnprintf(details, DETAILS, format, args);
    return length >= 0 && length < DETAILS ? details : NULL;
}

void trace_span(const char *category, const char *name, uint64_t began_ns, const char *format, ...)
{
    uint64_t now = time_ns();
    struct buffer *buffer = trace_enabled() ? own_buffer() : NULL;
    if (!buffer)
        return;
    char details[DETAILS], line[LINE];
    va_list args;
    va_start(args, format);
    const char *formatted = format_details(details, format, args);
    va_end(args);
    emit(buffer, line,
         put_span(line, line + sizeof(line), category, name, (uint32_t)buffer->thread, began_ns, now, formatted));
}

void trace_instant(const char *category, const char *name, const char *text)
{
    uint64_t now = time_ns();
    struct buffer *buffer = trace_enabled() ? own_buffer() : NULL;
    if (!buffer)
        return;
    char line[LINE], *end = line + sizeof(line);
    char *at =
        put(line, end, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%llu.%03u,\"name\":\"",
            category, process, buffer->thread, (unsigned long long)(now / 1000), (unsigned)(now % 1000));
    at = escape(at, line + LINE / 2, name);
    at = put(at, end, "\",\"args\":{\"text\":\"");
    at = escape(at, end - 16, text);
    emit(buffer, line, put(at, end, "\"}},\n"));
}

/* The Trace Event Format's flow events: "s" begins one, "f" ends it. */
static char *put_arrow(char *at, const char *end, char phase, uint64_t arrow, uint32_t track, uint64_t ns)
{
    return put(
        at, end,
        "{\"ph\":\"%c\",\"bp\":\"e\",\"cat\":\"arrow\",\"name\":\"runs\",\"id\":\"%d.%llu\",\"pid\":%d,\"tid\":%u,"
        "\"ts\":%llu.%03u},\n",
        phase, process, (unsigned long long)arrow, process, track, (unsigned long long)(ns / 1000),
        (unsigned)(ns % 1000));
}

uint64_t trace_arrow(void)
{
    uint64_t now = time_ns();
    struct buffer *buffer = trace_enabled() ? own_buffer() : NULL;
    if (!buffer)
        return 0;
    uint64_t arrow = atomic_fetch_add(&num_arrows, 1) + 1;
    char line[LINE];
    emit(buffer, line, put_arrow(line, line + sizeof(line), 's', arrow, (uint32_t)buffer->thread, now));
    return arrow;
}

const char *trace_intern(const char *text)
{
    uint32_t hash = 2166136261u;
    size_t size = strlen(text) + 1;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    struct name **list = &names[hash % ARRAY_LENGTH(names)];
    pthread_mutex_lock(&lock);
    struct name *name = *list;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (!name && (name = malloc(sizeof(*name) + size))) {
        memcpy(name->text, text, size);
        name->next = *list;
        *list = name;
    }
    pthread_mutex_unlock(&lock);
    return name ? name->text : NULL;
}

/* ---- tracks ---- */

struct trace_track *trace_track_create(const char *name)
{
    size_t size = strlen(name) + 1;
    struct trace_track *track = calloc(1, sizeof(*track) + size);
    if (!track)
        return NULL;
    memcpy(track->name, name, size);
    track->number = FIRST_TRACK + LANES * atomic_fetch_add(&num_tracks, 1);
    return track;
}

void trace_track_destroy(struct trace_track *track)
{
    free(track);
}

/* The first lane that is free at that time; where none is, the one that is free first. */
static uint32_t choose_lane(const struct trace_track *track, uint64_t began_ns)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        if (track->busy_until[i] <= began_ns)
            return i;
        if (track->busy_until[i] < track->busy_until[best])
            best = i;
    }
    return best;
}

void trace_track_span(struct trace_track *track, const char *category, const char *name, uint64_t began_ns,
                      uint64_t ended_ns, uint64_t arrow, const char *format, ...)
{
    struct buffer *buffer = track && trace_enabled() ? own_buffer() : NULL;
    if (!buffer)
        return;
    char details[DETAILS], line[LINE], *end = line + sizeof(line);
    va_list args;
    va_start(args, format);
    const char *formatted = format_details(details, format, args);
    va_end(args);
    uint32_t lane = choose_lane(track, began_ns), number = track->number + lane;
    track->busy_until[lane] = u64_max(track->busy_until[lane], ended_ns);
    pthread_mutex_lock(&buffer->lock);
    for (; track->named <= lane; track->named++)
        append_name(buffer, "thread_name", track->number + track->named, track->name, track->named);
    char *at = put_span(line, end, category, name, number, began_ns, ended_ns, formatted);
    append(buffer, line, (size_t)(at - line));
    if (arrow) {
        at = put_arrow(line, end, 'f', arrow, number, began_ns);
        append(buffer, line, (size_t)(at - line));
    }
    pthread_mutex_unlock(&buffer->lock);
}
