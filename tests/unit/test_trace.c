/* The trace's file: whole lines of JSON from threads and from processes, whatever the names are; nothing twice after a
 * fork; spans that overlap on a track beside it. */
#include "base/trace.h"
#include "base/util.h"
#include "tests/support/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SPANS = 2000 };

static void *work(void *data)
{
    for (int i = 0; i < SPANS; i++)
        trace_span("kind", data, time_ns(), "\"number\":%d", i);
    return NULL;
}

/* Whether the line is one object, with strings that are closed and nothing that JSON forbids in them. */
static bool is_object(const char *line)
{
    int depth = 0;
    bool inside = false;
    for (const char *at = line; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c >= 0x7f)
            return false;
        if (inside && c == '\\')
            at++;
        else if (c == '"')
            inside = !inside;
        else if (!inside)
            depth += (c == '{') - (c == '}');
        if (depth == 0 && !inside)
            return !strcmp(at, "},");
    }
    return false;
}

struct found {
    int lines, bad, spans, shared, names, second_lanes, arrows, in_child;
};

static struct found read_back(const char *path, int child)
{
    struct found found = {0};
    FILE *file = fopen(path, "r");
    char line[8192], of_child[32];
    snprintf(of_child, sizeof(of_child), "\"pid\":%d,", child);
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = 0;
        if (!found.lines++ && !strcmp(line, "["))
            continue;
        found.bad += !is_object(line);
        found.spans += strstr(line, "\"cat\":\"kind\"") != NULL;
        found.shared += strstr(line, "before the fork") != NULL;
        found.names += strstr(line, "a \\\"quoted\\\" \\\\ name\\u000a?") != NULL;
        found.second_lanes += strstr(line, "a queue (2)") != NULL;
        found.arrows += strstr(line, "\"ph\":\"s\"") || strstr(line, "\"ph\":\"f\"");
        found.in_child += strstr(line, of_child) && strstr(line, "\"cat\":\"kind\"");
    }
    if (file)
        fclose(file);
    return found;
}

int main(void)
{
    char path[] = "/tmp/pumice-trace-XXXXXX", name[] = "a \"quoted\" \\ name\n\xc3", *endless = malloc(100001);
    int file = mkstemp(path);
    CHECK(file >= 0 && endless);
    close(file);
    unlink(path);
    setenv("PUMICE_TRACE", path, 1);
    CHECK(trace_enabled());

    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, name) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    memset(endless, '"', 100000);
    endless[100000] = 0;
    trace_span("long", endless, time_ns(), "\"details\":\"%s\"", "x");
    trace_span("long", "details", time_ns(), "\"details\":\"%s\"", endless);
    trace_instant("long", endless, endless);
    struct trace_track *track = trace_track_create("a queue");
    uint64_t arrow = trace_arrow();
    trace_track_span(track, "queue", "first", 1000, 3000, arrow, NULL);
    trace_track_span(track, "queue", "beside it", 2000, 2500, 0, NULL);
    trace_track_span(track, "queue", "behind it", 3000, 4000, 0, NULL);
    for (int i = 0; i < 20; i++)
        trace_track_span(track, "queue", endless, 0, 1000000, arrow, "\"bytes\":%d", i);
    trace_track_span(NULL, "queue", "nowhere", 1, 2, 0, NULL);
    trace_track_destroy(track);
    CHECK(trace_intern(name) != name && trace_intern(name) == trace_intern(name));

    free(endless); /* the child ends by exit(), and its leaks are counted */

    trace_span("other", "before the fork", time_ns(), NULL);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            trace_span("kind", "child", time_ns(), NULL);
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    trace_flush();
    struct found found = read_back(path, child);
    CHECK(found.bad == 0);
    CHECK(found.spans == THREADS * SPANS + 3);
    CHECK(found.names == THREADS * SPANS);
    CHECK(found.shared == 1);
    CHECK(found.in_child == 3);
    CHECK(found.second_lanes == 1);
    CHECK(found.arrows == 22);
    unlink(path);
    return test_result();
}
