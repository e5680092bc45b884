/* The parent's half of `pumice cost`: it starts workers, listens to them, and ends those that take too long. When one
 * dies over a kernel, that kernel has crashed its driver, and the next worker goes on behind it. The parent calls
 * neither Vulkan nor the compiler, so that a child begins with neither. */
#include "cost.h"
#include "start.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opening a device may take its probe's time, and compiling a large program some. */
enum { PREPARING_S = 300 };

struct conversation {
    const struct cost_request *request;
    struct cost_report *report;
    pid_t child;
    int in;
    struct cost_row row; /* that it is busy with, if is_busy */
    bool is_busy, has_ended, is_late;
};

bool cost_add(struct cost_report *report, const struct cost_row *row)
{
    if (report->num_rows == report->capacity) {
        uint32_t capacity = report->capacity ? report->capacity * 2 : 16;
        struct cost_row *rows = realloc(report->rows, capacity * sizeof(*rows));
        if (!rows)
            return false;
        report->rows = rows;
        report->capacity = capacity;
    }
    report->rows[report->num_rows++] = *row;
    return true;
}

void cost_finish(struct cost_report *report)
{
    free(report->rows);
}

/* Whether the whole message came before the time was over. */
static bool hear(struct conversation *talk, struct cost_message *message)
{
    uint64_t seconds = talk->is_busy ? talk->request->limit_s : PREPARING_S;
    uint64_t deadline = time_ns() + seconds * 1000000000u;
    char *at = (char *)message;
    for (size_t left = sizeof(*message); left;) {
        uint64_t now = time_ns();
        struct pollfd file = {.fd = talk->in, .events = POLLIN};
        int ready = now < deadline ? poll(&file, 1, (int)((deadline - now) / 1000000u + 1)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        talk->is_late = ready == 0;
        ssize_t got = ready > 0 ? read(talk->in, at, left) : 0;
        if (got <= 0)
            return false;
        at += got;
        left -= (size_t)got;
    }
    return true;
}

static bool take_row(struct conversation *talk, const struct cost_row *row)
{
    talk->row = *row;
    talk->is_busy = row->result == COST_LOWERING || row->result == COST_MAKING;
    return talk->is_busy || cost_add(talk->report, row);
}

static bool take(struct conversation *talk, const struct cost_message *message)
{
    struct cost_report *report = talk->report;
    switch (message->kind) {
    case COST_SAYS_DEVICE:
        memcpy(report->device, message->device.name, sizeof(report->device));
        memcpy(report->driver, message->device.driver, sizeof(report->driver));
        memcpy(report->probe, message->device.probe, sizeof(report->probe));
        report->has_statistics = message->device.has_statistics;
        return true;
    case COST_SAYS_ROW:
        return take_row(talk, &message->row);
    case COST_SAYS_END:
        talk->has_ended = true;
        report->code = message->code;
        return true;
    }
    return false;
}

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGABRT:
        return "SIGABRT";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    case SIGKILL:
        return "SIGKILL";
    case SIGTRAP:
        return "SIGTRAP";
    default:
        return "a signal";
    }
}

/* "crashed: SIGSEGV" and the like. */
static void describe_end(const struct conversation *talk, int status, char *text, size_t size)
{
    const char *who = talk->is_busy && talk->row.result == COST_LOWERING ? "Pumice's compiler" : "the driver";
    if (talk->is_late)
        snprintf(text, size, "%s was not done after %u s", who, talk->is_busy ? talk->request->limit_s : PREPARING_S);
    else if (WIFSIGNALED(status))
        snprintf(text, size, "%s crashed: %s", who, signal_name(WTERMSIG(status)));
    else
        snprintf(text, size, "%s ended the process with exit code %d", who, WEXITSTATUS(status));
}

/* The worker is gone, or it is too late: what it was busy with becomes a row. False: it was busy with none. */
static bool bury(struct conversation *talk)
{
    int status = 0;
    char text[200];
    if (talk->is_late)
        kill(talk->child, SIGKILL);
    while (waitpid(talk->child, &status, 0) < 0 && errno == EINTR)
        continue;
    close(talk->in);
    if (talk->has_ended)
        return true;
    describe_end(talk, status, text, sizeof(text));
    if (!talk->is_busy) {
        fprintf(stderr, "pumice cost: %s while the device was opened or the program compiled\n", text);
        return false;
    }
    snprintf(talk->row.reason, sizeof(talk->row.reason), "%s", text);
    talk->row.result = talk->is_late ? COST_LATE : COST_CRASHED;
    return cost_add(talk->report, &talk->row);
}

static bool start(struct conversation *talk)
{
    int ends[2];
    if (!start_pipe(ends))
        return false;
    fflush(NULL);
    talk->child = fork();
    if (talk->child == 0) {
        close(ends[0]);
        cost_work(talk->request, talk->report->num_rows, ends[1]);
    }
    close(ends[1]);
    talk->in = ends[0];
    if (talk->child < 0)
        close(ends[0]);
    return talk->child > 0;
}

bool cost_run(const struct cost_request *request, struct cost_report *report)
{
    snprintf(report->file, sizeof(report->file), "%s", request->path);
    snprintf(report->options, sizeof(report->options), "%s", request->options ? request->options : "");
    struct cost_message *message = calloc(1, sizeof(*message));
    bool goes_on = message != NULL, has_ended = false;
    while (goes_on && !has_ended) {
        struct conversation talk = {.request = request, .report = report};
        if (!start(&talk)) {
            fprintf(stderr, "pumice cost: no process for the driver: %s\n", strerror(errno));
            break;
        }
        while (!talk.has_ended && hear(&talk, message) && take(&talk, message))
            continue;
        goes_on = bury(&talk);
        has_ended = talk.has_ended;
    }
    free(message);
    for (uint32_t i = 0; i < report->num_rows && !report->code; i++)
        report->code = report->rows[i].result != COST_MADE;
    return has_ended && report->code < 2 && report->device[0];
}
