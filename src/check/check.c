/* What was found, once for each kind and place: counted, printed when it comes first, summed up when the process ends.
 *
 * The end is this library's destructor, after the handlers of atexit() and the destructors of the application's static
 * objects: what those release is released. There the process's exit code becomes PUMICE_CHECK_EXIT where something was
 * found, as other sanitizers do it. A process that ends by a signal or by _exit() has printed and written all that it
 * found, but neither sums it up nor changes its code. A child that fork() made counts anew. */
#include "src/check/internal.h"

#include "base/log.h"
#include "base/map.h"
#include "base/platform.h"
#include "base/settings.h"
#include "base/util.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_EXIT = 66, MAX_FOUND = 1 << 16, NUM_LISTS = 1 << 10 };

const struct check_kind_row check_kinds[CHECK_KIND_COUNT] = {
#define CHECK_KIND(id, name, group, text) [CHECK_KIND_##id] = {name, text, CHECK_##group},
#include "src/check/kinds.def"
#undef CHECK_KIND
};

/* A kind at a place. */
struct found {
    struct found *next; /* of the same list */
    uint64_t key;
    enum check_kind kind;
    bool suppressed, printed;
    uint64_t times, printed_times;
    uint64_t json; /* where the file has its times; 0: nowhere */
    char *place;   /* or NULL */
};

uint32_t check_groups;
bool (*check_describe)(const void *handle, const void *address, char *text, size_t size);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct found *lists[NUM_LISTS];
static uint32_t num_found, num_printed[CHECK_KIND_COUNT];
static uint64_t num_lost; /* findings without memory, or beyond MAX_FOUND places */
static bool used, is_short, is_without_races;
static void (*end_hooks[4])(void);
static uint32_t num_end_hooks;

/* ---- what is known ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return text ? hash_bytes64(text, strlen(text), seed) : seed + 1;
}

/* Without a place in a source, the call, kernel and object tell findings apart. */
static uint64_t key_of(const struct check_finding *finding)
{
    const struct check_place *place = &finding->place;
    uint32_t numbers[3] = {(uint32_t)finding->kind, place->line, place->column};
    uint64_t key = hash_text(place->file, hash_bytes64(numbers, sizeof(numbers), 0));
    key = hash_text(place->text, key);
    if (!place->file)
        key = hash_text(finding->object, hash_text(finding->kernel, key));
    return hash_text(finding->caller, key);
}

static struct found *find(uint64_t key, enum check_kind kind)
{
    struct found **list = &lists[key % NUM_LISTS], *found = *list;
    while (found && found->key != key)
        found = found->next;
    if (found || num_found == MAX_FOUND || !(found = calloc(1, sizeof(*found))))
        return found;
    num_found++;
    found->key = key;
    found->kind = kind;
    found->next = *list;
    *list = found;
    return found;
}

static char *place_text(const struct check_finding *finding)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool known = check_write_place(out, &finding->place, finding->caller);
    if (fclose(out) == 0 && known) {
        check_clean(text);
        return text;
    }
    free(text);
    return NULL;
}

/* ---- reports ---- */

static uint32_t limit_of_kind(void)
{
    return setting_number(SETTING_CHECK_LIMIT);
}

static void print(const struct check_finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    check_write_text(out, finding);
    if (fclose(out) == 0) {
        check_clean(text);
        log_text(text, size);
    }
    free(text);
}

static void begin(struct found *found, const struct check_finding *finding)
{
    found->suppressed = check_is_suppressed(finding);
    check_log_complaints();
    if (found->suppressed)
        return;
    found->place = place_text(finding);
    found->json = check_json_append(finding);
    found->printed = num_printed[finding->kind]++ < limit_of_kind();
    found->printed_times = finding->times;
    if (found->printed)
        print(finding);
}

static int exit_code(void)
{
    const char *text = setting_text(SETTING_CHECK_EXIT);
    char *end = NULL;
    long code = text ? strtol(text, &end, 10) : DEFAULT_EXIT;
    return text && (end == text || *end || code < 0 || code > 255) ? DEFAULT_EXIT : (int)code;
}

static bool has_debugger(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[128];
    int tracer = 0;
    while (file && fgets(line, sizeof(line), file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
        continue;
    if (file)
        fclose(file);
    return tracer;
}

/* PUMICE_CHECK_BREAK: a debugger gets the process as it is, else it ends. Its other threads may be anywhere, so that no
 * handler of exit() runs; what it wrote to standard output is not lost. */
static void stop_here(void)
{
    if (has_debugger()) {
        raise(SIGTRAP);
        return;
    }
    if (ftrylockfile(stdout) == 0)
        fflush(stdout);
    _exit(exit_code());
}

void check_found(const struct check_finding *finding)
{
    struct check_finding copy = *finding;
    copy.times = u64_max(copy.times, 1);
    uint64_t key = key_of(&copy);
    pthread_mutex_lock(&lock);
    struct found *found = find(key, copy.kind);
    bool first = found && !found->times, stops = false;
    if (first)
        begin(found, &copy);
    if (found)
        found->times += copy.times;
    else
        num_lost += copy.times;
    stops = first && !found->suppressed && setting_on(SETTING_CHECK_BREAK);
    pthread_mutex_unlock(&lock);
    if (stops)
        stop_here();
}

void check_used(void)
{
    pthread_mutex_lock(&lock);
    check_log_complaints();
    used = check_groups;
    if (used)
        check_json_open();
    pthread_mutex_unlock(&lock);
}

void check_memory_short(void)
{
    pthread_mutex_lock(&lock);
    bool first = !is_short;
    is_short = true;
    pthread_mutex_unlock(&lock);
    if (first)
        log_warn(
            "pumice check: no more memory to note who writes what (PUMICE_CHECK_MEMORY): some reads of memory that "
            "nobody wrote, and some races, are not found");
}

void check_races_unavailable(void)
{
    pthread_mutex_lock(&lock);
    bool first = !is_without_races;
    is_without_races = true;
    pthread_mutex_unlock(&lock);
    if (first)
        log_warn("pumice check: the device has no atomic operations of 64 bits: races of work-items on global memory "
                 "are not found");
}

void check_at_end(void (*call)(void))
{
    pthread_mutex_lock(&lock);
    if (num_end_hooks < ARRAY_LENGTH(end_hooks))
        end_hooks[num_end_hooks++] = call;
    pthread_mutex_unlock(&lock);
}

/* ---- the end ---- */

struct sum {
    uint64_t places, times, suppressed;
    uint64_t kind_places[CHECK_KIND_COUNT], kind_times[CHECK_KIND_COUNT];
};

static struct sum sum_up(void)
{
    struct sum sum = {0};
    for (uint32_t i = 0; i < NUM_LISTS; i++) {
        for (const struct found *found = lists[i]; found; found = found->next) {
            sum.suppressed += found->suppressed ? found->times : 0;
            if (found->suppressed)
                continue;
            sum.places++;
            sum.times += found->times;
            sum.kind_places[found->kind]++;
            sum.kind_times[found->kind] += found->times;
            if (found->times > found->printed_times)
                check_json_set_times(found->json, found->times);
        }
    }
    return sum;
}

/* What came again after it was printed. */
static void write_repeated(FILE *out)
{
    for (uint32_t i = 0; i < NUM_LISTS; i++) {
        for (const struct found *found = lists[i]; found; found = found->next) {
            if (found->printed && found->times > found->printed_times)
                fprintf(out, "%s: %s: and %" PRIu64 " more\n", found->place ? found->place : "pumice",
                        check_kinds[found->kind].name, found->times - found->printed_times);
        }
    }
}

static void write_kinds(FILE *out, const struct sum *sum)
{
    for (int i = 0; i < CHECK_KIND_COUNT; i++) {
        uint64_t places = sum->kind_places[i], unseen = places > limit_of_kind() ? places - limit_of_kind() : 0;
        if (!places)
            continue;
        fprintf(out, "  %-20s %" PRIu64 " %s, %" PRIu64 " %s", check_kinds[i].name, places,
                places == 1 ? "place" : "places", sum->kind_times[i], sum->kind_times[i] == 1 ? "time" : "times");
        if (unseen)
            fprintf(out, " (%" PRIu64 " not shown: PUMICE_CHECK_LIMIT)", unseen);
        fputc('\n', out);
    }
}

static void write_summary(FILE *out, const struct sum *sum)
{
    write_repeated(out);
    fprintf(out, "pumice check: %s (%ld): ", platform_program_name(), (long)getpid());
    if (sum->places)
        fprintf(out, "%" PRIu64 " %s at %" PRIu64 " %s", sum->times, sum->times == 1 ? "fault" : "faults", sum->places,
                sum->places == 1 ? "place" : "places");
    else
        fputs("no faults found", out);
    if (sum->suppressed)
        fprintf(out, ", %" PRIu64 " suppressed", sum->suppressed);
    fputc('\n', out);
    write_kinds(out, sum);
    if (num_lost)
        fprintf(out, "  %" PRIu64 " more were counted nowhere: there are too many places\n", num_lost);
    check_write_unmatched(out);
}

static void run_end_hooks(void)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(end_hooks); i++) {
        pthread_mutex_lock(&lock);
        void (*call)(void) = i < num_end_hooks ? end_hooks[i] : NULL;
        pthread_mutex_unlock(&lock);
        if (call)
            call();
    }
}

static void print_summary(const struct sum *sum)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = used || sum->places || sum->suppressed ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    write_summary(out, sum);
    if (fclose(out) == 0)
        log_text(text, size);
    free(text);
}

/* glibc's exit() goes on where it is when a handler calls it, with the new code; of other C libraries only _exit() is
 * known to do no harm here. */
static void leave(int code)
{
#ifdef __GLIBC__
    exit(code);
#else
    fflush(NULL);
    _exit(code);
#endif
}

__attribute__((destructor(101))) static void at_end(void)
{
    static bool was_here;
    if (!check_groups || was_here)
        return;
    was_here = true;
    bool alone = platform_is_ending(); /* a lock that a thread had is never given back */
    if (!alone) {
        run_end_hooks();
        pthread_mutex_lock(&lock);
    }
    struct sum sum = sum_up();
    print_summary(&sum);
    bool found = sum.places || num_lost;
    if (!alone)
        pthread_mutex_unlock(&lock);
    if (found && exit_code())
        leave(exit_code());
}

/* ---- the beginning ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* What the parent found the parent reports. */
static void in_child(void)
{
    for (uint32_t i = 0; i < NUM_LISTS; i++) {
        for (struct found *found; (found = lists[i]);) {
            lists[i] = found->next;
            free(found->place);
            free(found);
        }
    }
    num_found = num_end_hooks = 0;
    num_lost = 0;
    used = false;
    check_json_forget();
    check_filters_forget();
    check_places_in_child();
    memset(num_printed, 0, sizeof(num_printed));
    pthread_mutex_unlock(&lock);
}

/* Before the library's other constructors, which ask check_on(). */
__attribute__((constructor(101))) static void at_begin(void)
{
    check_groups = check_read_filters();
    if (!check_groups)
        return;
    pthread_atfork(before_fork, after_fork, in_child);
}
