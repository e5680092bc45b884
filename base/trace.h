/* A trace of what the process does, in the Trace Event Format that Perfetto and chrome://tracing read. PUMICE_TRACE
 * names the file; without it nothing is recorded, and asking costs one load. Several processes may share the file: each
 * line is an event, and lines leave whole, appended. The file is a JSON array that nobody closes; readers accept that,
 * and `pumice trace` closes it.
 *
 * Times are ns of time_ns(). A thread is a track of its own; trace_track_create() makes others, for what runs
 * elsewhere. All functions are thread-safe. A child that fork() made goes on with a track of its own and without what
 * its parent had not written yet. Without memory, events are lost and nothing else. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum trace_state { TRACE_UNKNOWN, TRACE_OFF, TRACE_ON };
extern atomic_int trace_state;
bool trace_find_state(void);

static inline bool trace_enabled(void)
{
    int state = atomic_load_explicit(&trace_state, memory_order_relaxed);
    return state == TRACE_UNKNOWN ? trace_find_state() : state == TRACE_ON;
}

/* The calling thread did name from began until now. category is a plain word, name any text. format gives the event's
 * details as members of a JSON object ("\"bytes\": 4"), or is NULL. */
void trace_span(const char *category, const char *name, uint64_t began_ns, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Something happened now on the calling thread: name, and any text about it. */
void trace_instant(const char *category, const char *name, const char *text);
/* An arrow begins now at what the calling thread is doing. Where it ends, trace_track_span() says by this number. */
uint64_t trace_arrow(void);
/* The same text for as long as the process lives; NULL without memory. */
const char *trace_intern(const char *text);
/* Writes what the threads have buffered. */
void trace_flush(void);

/* A track for something that is no thread, such as a queue on a device. Spans may overlap in time: those that do are
 * shown on tracks beside it. Spans of one track are given by one thread at a time. NULL without memory; the other
 * functions accept that and do nothing. */
struct trace_track;
struct trace_track *trace_track_create(const char *name);
void trace_track_destroy(struct trace_track *track);
/* arrow: of trace_arrow(), or 0. */
void trace_track_span(struct trace_track *track, const char *category, const char *name, uint64_t began_ns,
                      uint64_t ended_ns, uint64_t arrow, const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
