/* The state of a sequence: its bytes, its objects, and the check of what calls answer. */
#include "tests/fuzz/api/api.h"
#include "tests/support/held_locks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct api_run api_run;
uint8_t api_host[2][API_HOST_SIZE] __attribute__((aligned(4096)));
static uint8_t lent[API_MAX_CALLS * 2][API_HOST_SIZE] __attribute__((aligned(4096)));

uint8_t *api_lend(void)
{
    return lent[api_run.num_lent++ % ARRAY_LENGTH(lent)];
}

/* ---- answers ---- */

static const struct {
    const char *name;
    cl_int codes[28];
} call_codes[] = {
#define CALL(name, ...) {#name, {__VA_ARGS__}},
#include "tests/fuzz/api/codes.def"
#undef CALL
};

static atomic_ulong answers[ARRAY_LENGTH(call_codes)][2]; /* errors, successes */

void api_print_answers(void)
{
    unsigned long all[2] = {0}, never = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(call_codes); i++) {
        if (getenv("FUZZ_API_ANSWERS"))
            printf("%-36s %8lu errors %8lu successes\n", call_codes[i].name, answers[i][0], answers[i][1]);
        all[0] += answers[i][0];
        all[1] += answers[i][1];
        never += !answers[i][1];
    }
    printf("%lu calls of %zu functions, %lu of them successful; %lu functions never were\n", all[0] + all[1],
           ARRAY_LENGTH(call_codes), all[1], never);
}

/* cl_khr_terminate_context: all calls that create objects or enqueue commands, and those that take the context, queries
 * excepted, give CL_CONTEXT_TERMINATED_KHR once the context is terminated. */
static bool ends_with_context(const char *name)
{
    static const char *const beginnings[] = {
        "clCreate", "clClone",      "clEnqueue",          "clBuild", "clCompile", "clLink",      "clFlush",
        "clFinish", "clSetContext", "clSetDefaultDevice", "clSVM",   "clHostMem", "clDeviceMem", "clSharedMem",
        "clRemap",  "clTerminate"};
    for (size_t i = 0; i < ARRAY_LENGTH(beginnings); i++) {
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    }
    return false;
}

cl_int api_answered(enum api_call call, cl_int code)
{
    answers[call][code == CL_SUCCESS]++;
    bool known = code == CL_SUCCESS || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
    if (code == CL_CONTEXT_TERMINATED_KHR)
        known = api_run.terminated && ends_with_context(call_codes[call].name);
    for (size_t i = 0; !known && i < ARRAY_LENGTH(call_codes[call].codes); i++)
        known = call_codes[call].codes[i] == code;
    if (!known) {
        char detail[16];
        snprintf(detail, sizeof(detail), "%d", code);
        fuzz_failed(call_codes[call].name, detail);
    }
    if (held_locks())
        fuzz_failed(call_codes[call].name, "returned with a lock of ours");
    return code;
}

struct api_answer *api_new_answer(void)
{
    static struct api_answer answer;
    static const size_t sizes[] = {0, 1, 4, 8, 16, 24, 64, 4096};
    free(answer.value);
    answer.size = API_PICK(sizes);
    answer.value = answer.size ? calloc(1, answer.size) : NULL; /* CL_PROGRAM_BINARIES finds NULL pointers in it */
    answer.size_ret = 0;
    return &answer;
}

void api_check_answer(const struct api_answer *a, cl_int code, const char *name)
{
    if (code == CL_SUCCESS && a->value && a->size_ret > a->size)
        fuzz_failed(name, "an answer that is longer than its place");
}

void api_called_back(const char *which)
{
    if (held_locks())
        fuzz_failed(which, "called under a lock");
}

/* ---- bytes ---- */

uint8_t api_byte(void)
{
    return api_run.data < api_run.end ? *api_run.data++ : 0;
}

bool api_chance(uint8_t of)
{
    return api_byte() % of == 0;
}

size_t api_number(void)
{
    static const size_t
        small[] = {0, 0, 4, 16, 64, 128, 256, 12},
        numbers[] = {
            0, 1, 2, 4, 7, 16, 64, 128, 256, 1024, API_HOST_SIZE, 1u << 31, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, 12};
    uint8_t choice = api_byte();
    return choice < 160 ? small[choice % ARRAY_LENGTH(small)] : numbers[choice % ARRAY_LENGTH(numbers)];
}

struct api_slot *api_slot(enum api_kind kind)
{
    return &api_run.slots[kind][api_byte() % API_SLOTS];
}

/* Mostly a handle of the kind; sometimes NULL, sometimes of another kind. */
void *api_handle(enum api_kind kind)
{
    uint8_t choice = api_byte();
    if (choice >= 250)
        return NULL;
    if (choice >= 244)
        return api_slot((enum api_kind)(api_byte() % NUM_KINDS))->handle;
    for (uint32_t i = 0; i < API_SLOTS; i++) { /* the next that is there */
        void *found = api_run.slots[kind][(choice + i) % API_SLOTS].handle;
        if (found)
            return found;
    }
    return NULL;
}

/* The next place that has something, if there is any. */
struct api_slot *api_filled(enum api_kind kind)
{
    uint8_t first = api_byte();
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (api_run.slots[kind][(first + i) % API_SLOTS].handle)
            return &api_run.slots[kind][(first + i) % API_SLOTS];
    }
    return &api_run.slots[kind][first % API_SLOTS];
}

cl_device_id api_device(void)
{
    uint8_t choice = api_byte();
    return choice >= 250 ? NULL : choice >= 246 ? api_slot(CONTEXT)->handle : api_devices[choice % api_num_devices];
}

/* ---- references ---- */

cl_int api_drop(enum api_kind kind, void *object)
{
    switch (kind) {
    case CONTEXT:
        return DO(clReleaseContext, object);
    case QUEUE:
        return DO(clReleaseCommandQueue, object);
    case MEM:
    case IMAGE:
        return DO(clReleaseMemObject, object);
    case SAMPLER:
        return DO(clReleaseSampler, object);
    case PROGRAM:
        return DO(clReleaseProgram, object);
    case KERNEL:
        return DO(clReleaseKernel, object);
    case COMMAND_BUFFER:
        return DO_BY(clReleaseCommandBufferKHR, api_cb.release, object);
    case SEMAPHORE:
        return api_semaphore_drop(object);
    case EVENT:
    case NUM_KINDS:
        break;
    }
    return DO(clReleaseEvent, object);
}

cl_int api_keep(enum api_kind kind, void *object)
{
    switch (kind) {
    case CONTEXT:
        return DO(clRetainContext, object);
    case QUEUE:
        return DO(clRetainCommandQueue, object);
    case MEM:
    case IMAGE:
        return DO(clRetainMemObject, object);
    case SAMPLER:
        return DO(clRetainSampler, object);
    case PROGRAM:
        return DO(clRetainProgram, object);
    case KERNEL:
        return DO(clRetainKernel, object);
    case COMMAND_BUFFER:
        return DO_BY(clRetainCommandBufferKHR, api_cb.retain, object);
    case SEMAPHORE:
        return api_semaphore_keep(object);
    case EVENT:
    case NUM_KINDS:
        break;
    }
    return DO(clRetainEvent, object);
}

void api_set_user_event(struct api_slot *event, cl_int status)
{
    if (event->handle && event->user)
        DO(clSetUserEventStatus, event->handle, status);
    event->user = false;
}

/* Nothing that waits may do so for a user event that nobody will set. */
void api_settle(void)
{
    for (uint32_t i = 0; i < API_SLOTS; i++)
        api_set_user_event(&api_run.slots[EVENT][i], api_chance(6) ? -1 : CL_COMPLETE);
    api_settle_semaphores();
}

void api_empty(enum api_kind kind, struct api_slot *place)
{
    if (!place->handle)
        return;
    if (kind == EVENT)
        api_set_user_event(place, CL_COMPLETE);
    if (kind == MEM || kind == IMAGE)
        api_forget_maps(place->handle);
    if (kind == COMMAND_BUFFER)
        api_forget_commands(place->handle);
    void *object = place->handle;
    *place = (struct api_slot){0};
    if (api_drop(kind, object) != CL_SUCCESS)
        fuzz_failed("release", "of a live object");
}

struct api_slot *api_put(enum api_kind kind, void *object)
{
    struct api_slot *place = api_slot(kind);
    if (!object)
        return NULL;
    api_empty(kind, place);
    place->handle = object;
    return place;
}

/* ---- wait lists and events ---- */

struct api_waits *api_wait_list(void)
{
    static struct api_waits waits;
    uint8_t choice = api_byte();
    waits.count = choice < 160 ? 0 : choice % 4;
    for (cl_uint i = 0; i < waits.count; i++)
        waits.list[i] = api_handle(EVENT);
    waits.pointer = waits.count ? waits.list : NULL;
    if (choice == 255)
        waits.count = !waits.count; /* it contradicts the pointer */
    return &waits;
}

void api_take_event(cl_event event, cl_int code)
{
    if (code == CL_SUCCESS && event)
        api_put(EVENT, event);
}
