/* Sequences of OpenCL calls. Each byte of the input decides something: which call, which of the objects made so far,
 * which argument. Objects are of every kind; handles are right ones, NULL, or of another kind (what C can express
 * without undefined behaviour); sources, binaries and IL are ours or ours with changes. What was built without changes
 * is launched, with small sizes: its kernels end, and stay within any buffer that is made here. Every answer must be in
 * the specification's list for the call (api_codes.def), and no query may write beyond the size that it was given.
 *
 * The OpenCL loader finds the library under test by OCL_ICD_VENDORS. The program cache lies in a directory of the run's
 * own, whose files are changed too; what is built while a changed one lies there is not launched. */
#include "tests/fuzz/fuzz.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "base/map.h"
#include "base/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_CALLS = 160,      /* of one sequence */
    LEAST_BUFFER = 256,   /* bytes: what the kernels below may touch */
    HOST_SIZE = 1 << 16,  /* bytes of the host's memory that commands read and write */
    MAX_SOURCE = 1 << 14, /* bytes */
    MAX_SOURCES = 64,
    SECONDS = 90, /* for one sequence */
};

/* ---- codes ---- */

struct call_codes {
    const char *name;
    cl_int codes[24];
};

enum call {
#define CALL(name, ...) CALL_##name,
#include "tests/fuzz/api_codes.def"
#undef CALL
};

static const struct call_codes call_codes[] = {
#define CALL(name, ...) {#name, {__VA_ARGS__}},
#include "tests/fuzz/api_codes.def"
#undef CALL
};

static unsigned long answers[ARRAY_LENGTH(call_codes)][2]; /* errors, successes */

static void print_answers(void)
{
    unsigned long all[2] = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(call_codes); i++) {
        if (getenv("FUZZ_API_ANSWERS"))
            printf("%-36s %8lu errors %8lu successes\n", call_codes[i].name, answers[i][0], answers[i][1]);
        all[0] += answers[i][0];
        all[1] += answers[i][1];
    }
    printf("%lu calls, %lu of them successful\n", all[0] + all[1], all[1]);
}

static cl_int answered(enum call call, cl_int code)
{
    answers[call][code == CL_SUCCESS]++;
    bool known = code == CL_SUCCESS || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; !known && i < ARRAY_LENGTH(call_codes[call].codes); i++)
        known = call_codes[call].codes[i] == code;
    if (!known) {
        char detail[16];
        snprintf(detail, sizeof(detail), "%d", code);
        fuzz_failed(call_codes[call].name, detail);
    }
    return code;
}

/* The call's answer, checked. MAKE: of calls that return an object and take &error last. */
#define DO(name, ...) answered(CALL_##name, name(__VA_ARGS__))
#define MAKE(object, name, ...)                                                                                        \
    do {                                                                                                               \
        cl_int error = 12345;                                                                                          \
        object = name(__VA_ARGS__, &error);                                                                            \
        answered(CALL_##name, error);                                                                                  \
        if ((object != NULL) != (error == CL_SUCCESS) && error != CL_LINK_PROGRAM_FAILURE)                             \
            fuzz_failed(#name, "its object and its code contradict each other");                                       \
    } while (0)

/* ---- what the sequence has ---- */

enum kind { CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, NUM_KINDS };
enum { SLOTS = 12 };

struct slot {
    void *handle;
    bool safe; /* PROGRAM, KERNEL: of our sources, unchanged */
    bool user; /* EVENT: a user event whose status is not set */
};

struct mapping {
    cl_mem mem;
    void *pointer;
};

static struct {
    const uint8_t *data, *end;
    struct slot slots[NUM_KINDS][SLOTS];
    struct mapping maps[SLOTS];
    uint64_t state;    /* of changes */
    uint32_t num_lent; /* pieces of memory */
} run;

static cl_platform_id platform;
static cl_device_id devices[4];
static cl_uint num_devices;
static uint8_t host[2][HOST_SIZE] __attribute__((aligned(4096)));
/* Memory for CL_MEM_USE_HOST_PTR, each piece for one buffer: what overlaps is the application's fault. */
static uint8_t lent[MAX_CALLS][HOST_SIZE] __attribute__((aligned(4096)));
static char cache_directory[64];
static bool cache_changed; /* until it is emptied */
static struct {
    char *text;
    size_t length;
    bool safe;
} sources[MAX_SOURCES];
static uint32_t num_sources;

static const char *const safe_sources[] = {
    "kernel void add(global int *o, int n) { if (o) o[get_global_id(0) & 15] += n; }\n"
    "kernel void sum(global int *o, local int *l, local int *m) {\n"
    "    if (get_local_id(0) == 0) { l[0] = 1; m[0] = 2; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (o) o[get_local_id(0) & 7] = l[0] + m[0];\n"
    "}\n",
    "struct pair { int a; char b; };\n"
    "constant int table[4] = {1, 2, 3, 4};\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *o, struct pair p, float4 v) {\n"
    "    if (o) o[get_global_id(1) & 7] = p.a + p.b + (int)v.x + table[get_global_id(0) & 3];\n"
    "}\n"
    "kernel __attribute__((work_group_size_hint(8, 1, 1))) void hinted(constant int *c, global uchar *o) {\n"
    "    if (c && o) o[get_global_id(0) & 31] = (uchar)c[get_global_id(0) & 7];\n"
    "}\n",
    "kernel void show(int a, global int *o) {\n"
    "    if (get_global_id(0) < 2) printf(\"%d %s %v2d\\n\", a, \"text\", (int2)(1, a));\n"
    "    if (o) atomic_add(o, 1);\n"
    "}\n"
    "kernel void late(global int *o, uint n) { if (o) for (uint i = 0; i < (n & 63); i++) o[i & 7] += (int)i; }\n",
    "#ifdef __opencl_c_pipes\n"
    "kernel void give(write_only pipe int p, int n) { write_pipe(p, &n); }\n"
    "kernel void take(read_only pipe int p, global int *o) {\n"
    "    reserve_id_t id = work_group_reserve_read_pipe(p, 2);\n"
    "    int n = 0;\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(p, id, get_local_id(0), &n);\n"
    "        work_group_commit_read_pipe(p, id);\n"
    "    } else {\n"
    "        read_pipe(p, &n);\n"
    "    }\n"
    "    if (o) o[n & 7] = n;\n"
    "}\n"
    "#else\n"
    "kernel void give(global int *o) { if (o) o[0] = 1; }\n"
    "#endif\n",
    "int inner(int x);\nkernel void outer(global int *o) { if (o) o[0] = inner(o[1]); }\n",
    "int inner(int x) { return x * 3; }\n",
};

static const char *const names[] = {"add",   "sum",   "fixed", "hinted", "show", "late",
                                    "outer", "inner", "",      "f",      "give", "take"};
static const char *const options[] = {"",
                                      "-cl-std=CL3.0",
                                      "-cl-std=CL1.2 -cl-kernel-arg-info",
                                      "-cl-opt-disable",
                                      "-cl-fast-relaxed-math -DN=1",
                                      "-Werror -w",
                                      "-create-library",
                                      "-create-library -enable-link-options",
                                      "-I /nonexistent -D X",
                                      "-nonsense",
                                      "-cl-std=CL9.9",
                                      "-D"};

/* SPIR-V of: kernel void seven(global int *out) { *out = 7; }, where the 7 is specialisation constant 5. */
static const uint32_t il[] = {
    0x7230203,  0x10000, 0,       9, 0,       0x20011, 4, 0x20011, 6,       0x3000e, 2, 2,       0x5000f, 6,      1,
    0x65766573, 0x6e,    0x30003, 3, 0x18e70, 0x40047, 2, 1,       5,       0x20013, 3, 0x40015, 4,       0x20,   0,
    0x40020,    5,       5,       4, 0x40021, 6,       3, 5,       0x40032, 4,       2, 7,       0x50036, 3,      1,
    0,          6,       0x30037, 5, 7,       0x200f8, 8, 0x5003e, 7,       2,       2, 4,       0x100fd, 0x10038};

/* ---- bytes ---- */

static uint8_t byte(void)
{
    return run.data < run.end ? *run.data++ : 0;
}

static bool chance(uint8_t of)
{
    return byte() % of == 0;
}

static size_t number(void)
{
    static const size_t numbers[] = {
        0, 1, 2, 4, 7, 16, 64, 128, 256, 1024, HOST_SIZE, 1u << 31, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, 12};
    return numbers[byte() % ARRAY_LENGTH(numbers)];
}

static struct slot *slot(enum kind kind)
{
    return &run.slots[kind][byte() % SLOTS];
}

/* Mostly a handle of the kind; sometimes NULL, sometimes of another kind. */
static void *handle(enum kind kind)
{
    uint8_t choice = byte();
    if (choice >= 250)
        return NULL;
    if (choice >= 244)
        return slot((enum kind)(byte() % NUM_KINDS))->handle;
    for (uint32_t i = 0; i < SLOTS; i++) { /* the next that is there */
        void *found = run.slots[kind][(choice + i) % SLOTS].handle;
        if (found)
            return found;
    }
    return NULL;
}

/* The next place that has something, if there is any. */
static struct slot *filled(enum kind kind)
{
    uint8_t first = byte();
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (run.slots[kind][(first + i) % SLOTS].handle)
            return &run.slots[kind][(first + i) % SLOTS];
    }
    return &run.slots[kind][first % SLOTS];
}

static cl_device_id device(void)
{
    uint8_t choice = byte();
    return choice >= 250 ? NULL : choice >= 246 ? slot(CONTEXT)->handle : devices[choice % num_devices];
}

static cl_int drop(enum kind kind, void *object)
{
    switch (kind) {
    case CONTEXT:
        return DO(clReleaseContext, object);
    case QUEUE:
        return DO(clReleaseCommandQueue, object);
    case MEM:
        return DO(clReleaseMemObject, object);
    case PROGRAM:
        return DO(clReleaseProgram, object);
    case KERNEL:
        return DO(clReleaseKernel, object);
    case EVENT:
    case NUM_KINDS:
        break;
    }
    return DO(clReleaseEvent, object);
}

static void set_user_event(struct slot *event, cl_int status)
{
    if (event->handle && event->user)
        DO(clSetUserEventStatus, event->handle, status);
    event->user = false;
}

/* Nothing that waits may do so for a user event that nobody will set. */
static void settle(void)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        set_user_event(&run.slots[EVENT][i], chance(6) ? -1 : CL_COMPLETE);
}

static void forget_maps(cl_mem mem)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (run.maps[i].mem == mem)
            run.maps[i] = (struct mapping){0};
    }
}

static void empty(enum kind kind, struct slot *place)
{
    if (!place->handle)
        return;
    if (kind == EVENT)
        set_user_event(place, CL_COMPLETE);
    if (kind == MEM)
        forget_maps(place->handle);
    void *object = place->handle;
    *place = (struct slot){0};
    if (drop(kind, object) != CL_SUCCESS)
        fuzz_failed("release", "of a live object");
}

static struct slot *put(enum kind kind, void *object)
{
    struct slot *place = slot(kind);
    if (!object)
        return NULL;
    empty(kind, place);
    place->handle = object;
    return place;
}

/* ---- wait lists and events ---- */

struct waits {
    cl_uint count;
    cl_event list[3];
    cl_event *pointer;
};

static struct waits *wait_list(void)
{
    static struct waits waits;
    uint8_t choice = byte();
    waits.count = choice < 160 ? 0 : choice % 4;
    for (cl_uint i = 0; i < waits.count; i++)
        waits.list[i] = handle(EVENT);
    waits.pointer = waits.count ? waits.list : NULL;
    if (choice == 255)
        waits.count = !waits.count; /* it contradicts the pointer */
    return &waits;
}

static void take_event(cl_event event, cl_int code)
{
    if (code == CL_SUCCESS && event)
        put(EVENT, event);
}

static void CL_CALLBACK event_called(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}

static void CL_CALLBACK mem_called(cl_mem mem, void *data)
{
    (void)mem, (void)data;
}

static void CL_CALLBACK context_called(cl_context context, void *data)
{
    (void)context, (void)data;
}

static void CL_CALLBACK program_called(cl_program program, void *data)
{
    (void)program, (void)data;
}

static void CL_CALLBACK context_error(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    if (!text || !*text)
        fuzz_failed("context callback", "without a text");
}

/* ---- queries ---- */

/* param_value has exactly the size that it is said to have: the sanitizer sees what goes beyond. */
struct answer {
    size_t size, size_ret;
    void *value;
};

static struct answer *answer(void)
{
    static struct answer answer;
    static const size_t sizes[] = {0, 1, 4, 8, 16, 24, 64, 4096};
    free(answer.value);
    answer.size = sizes[byte() % ARRAY_LENGTH(sizes)];
    answer.value = answer.size ? calloc(1, answer.size) : NULL; /* CL_PROGRAM_BINARIES finds NULL pointers in it */
    answer.size_ret = 0;
    return &answer;
}

static void check_answer(const struct answer *a, cl_int code, const char *name)
{
    if (code == CL_SUCCESS && a->value && a->size_ret > a->size)
        fuzz_failed(name, "an answer that is longer than its place");
}

#define ASK(name, object, param)                                                                                       \
    do {                                                                                                               \
        struct answer *a_ = answer();                                                                                  \
        void *object_ = object;                                                                                        \
        cl_int code_ = DO(name, object_, param, a_->size, a_->value, &a_->size_ret);                                   \
        check_answer(a_, code_, #name);                                                                                \
    } while (0)

static void query(void)
{
    cl_uint more = byte() % 32;
    void *object;
    struct answer *a;
    switch (byte() % 15) {
    case 0:
        ASK(clGetDeviceInfo, device(), CL_DEVICE_TYPE + byte() % 0x80u);
        break;
    case 1:
        ASK(clGetPlatformInfo, chance(4) ? NULL : platform, CL_PLATFORM_PROFILE + byte() % 10u);
        break;
    case 2:
        ASK(clGetContextInfo, handle(CONTEXT), CL_CONTEXT_REFERENCE_COUNT + byte() % 6u);
        break;
    case 3:
        ASK(clGetCommandQueueInfo, handle(QUEUE), CL_QUEUE_CONTEXT + byte() % 12u);
        break;
    case 4:
        ASK(clGetMemObjectInfo, handle(MEM), CL_MEM_TYPE + byte() % 14u);
        break;
    case 5:
        ASK(clGetProgramInfo, handle(PROGRAM), CL_PROGRAM_REFERENCE_COUNT + byte() % 14u);
        break;
    case 6:
        object = handle(PROGRAM);
        a = answer();
        check_answer(a,
                     DO(clGetProgramBuildInfo, object, device(), CL_PROGRAM_BUILD_STATUS + more % 8, a->size, a->value,
                        &a->size_ret),
                     "clGetProgramBuildInfo");
        break;
    case 7:
        ASK(clGetKernelInfo, handle(KERNEL), CL_KERNEL_FUNCTION_NAME + byte() % 8u);
        break;
    case 8:
        object = handle(KERNEL);
        a = answer();
        check_answer(a,
                     DO(clGetKernelArgInfo, object, byte() % 5u, CL_KERNEL_ARG_ADDRESS_QUALIFIER + more % 6, a->size,
                        a->value, &a->size_ret),
                     "clGetKernelArgInfo");
        break;
    case 9:
        object = handle(KERNEL);
        a = answer();
        check_answer(a,
                     DO(clGetKernelWorkGroupInfo, object, device(), CL_KERNEL_WORK_GROUP_SIZE + more % 8, a->size,
                        a->value, &a->size_ret),
                     "clGetKernelWorkGroupInfo");
        break;
    case 10: {
        size_t input[3] = {number(), number(), number()}, size = number() % 5 * 8;
        static const cl_kernel_sub_group_info params[] = {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, CL_KERNEL_MAX_NUM_SUB_GROUPS,
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS,         0};
        object = handle(KERNEL);
        a = answer();
        check_answer(a,
                     DO(clGetKernelSubGroupInfo, object, device(), params[more % 6], size > 24 ? 24 : size,
                        chance(8) ? NULL : input, a->size, a->value, &a->size_ret),
                     "clGetKernelSubGroupInfo");
        break;
    }
    case 11:
        ASK(clGetEventInfo, handle(EVENT), CL_EVENT_COMMAND_QUEUE + byte() % 6u);
        break;
    case 12:
        ASK(clGetEventProfilingInfo, handle(EVENT), CL_PROFILING_COMMAND_QUEUED + byte() % 6u);
        break;
    case 13:
        ASK(clGetPipeInfo, handle(MEM), CL_PIPE_PACKET_SIZE + byte() % 4u);
        break;
    default: {
        cl_device_id found[2];
        cl_uint count;
        static const cl_device_type types[] = {
            CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, 0, 0x8000};
        DO(clGetDeviceIDs, platform, types[more % 6], more % 3, chance(4) ? NULL : found, chance(4) ? NULL : &count);
    }
    }
}

/* ---- contexts, queues, buffers ---- */

static void make_context(void)
{
    cl_context context;
    if (!chance(4)) /* objects of many contexts seldom fit each other */
        return;
    const cl_context_properties properties[][5] = {
        {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0},
        {CL_PRINTF_BUFFERSIZE_ARM, 64, 0},
        {CL_PRINTF_BUFFERSIZE_ARM, 1, 0},
        {CL_CONTEXT_PLATFORM, 0, 0},
        {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0},
        {0x7777, 1, 0},
    };
    uint8_t choice = byte();
    const cl_context_properties *list = choice < 100 ? NULL : properties[choice % ARRAY_LENGTH(properties)];
    cl_device_id chosen[3] = {devices[byte() % num_devices], device(), device()};
    if (chance(8))
        MAKE(context, clCreateContextFromType, list, chance(2) ? CL_DEVICE_TYPE_ALL : byte(), NULL, NULL);
    else
        MAKE(context, clCreateContext, list, byte() % 3u, chance(20) ? NULL : chosen, chance(3) ? context_error : NULL,
             NULL);
    put(CONTEXT, context);
}

static void make_queue(void)
{
    cl_command_queue queue;
    const cl_queue_properties properties[][5] = {
        {CL_QUEUE_PROPERTIES, 0, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE, 1 << 16, 0},
        {CL_QUEUE_PROPERTIES, 0x100, 0},
        {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, 0},
        {0x7777, 1, 0},
        {CL_QUEUE_SIZE, 1 << 16, 0},
    };
    uint8_t choice = byte();
    void *context = handle(CONTEXT);
    MAKE(queue, clCreateCommandQueueWithProperties, context, device(),
         choice % 3 ? properties[choice % ARRAY_LENGTH(properties)] : NULL);
    put(QUEUE, queue);
}

/* Buffers that are there have LEAST_BUFFER bytes. */
static size_t buffer_size(void)
{
    size_t size = number();
    return size && size < LEAST_BUFFER ? LEAST_BUFFER : size == 1u << 31 ? HOST_SIZE : size;
}

static void make_buffer(void)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_HOST_WRITE_ONLY,
                                         CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                         0x80000};
    cl_mem_flags chosen = flags[byte() % ARRAY_LENGTH(flags)];
    const cl_mem_properties properties[][3] = {{0}, {0x7777, 1, 0}};
    bool needs = chosen & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    size_t size = buffer_size();
    if (needs && size > HOST_SIZE) /* the memory would have to be there */
        size = HOST_SIZE;
    uint8_t *memory = needs != chance(20) ? host[0] : NULL;
    if (memory && (chosen & CL_MEM_USE_HOST_PTR))
        memory = lent[run.num_lent++];
    void *context = handle(CONTEXT);
    cl_mem mem;
    if (chance(4))
        MAKE(mem, clCreateBufferWithProperties, context, chance(2) ? NULL : properties[byte() % 2], chosen, size,
             memory);
    else
        MAKE(mem, clCreateBuffer, context, chosen, size, memory);
    put(MEM, mem);
}

static void make_sub_buffer(void)
{
    static const size_t origins[] = {0, 128, 256, 1, 1024, SIZE_MAX - 127};
    static const cl_mem_flags flags[] = {
        0, 0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR, CL_MEM_HOST_NO_ACCESS};
    cl_buffer_region region = {origins[byte() % ARRAY_LENGTH(origins)], buffer_size()};
    void *parent = handle(MEM);
    cl_mem mem;
    MAKE(mem, clCreateSubBuffer, parent, flags[byte() % ARRAY_LENGTH(flags)],
         chance(30) ? 0 : CL_BUFFER_CREATE_TYPE_REGION, chance(30) ? NULL : &region);
    put(MEM, mem);
}

static void make_pipe(void)
{
    static const cl_mem_flags flags[] = {0, 0, CL_MEM_READ_WRITE, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_ONLY, 0x80000};
    static const cl_uint sizes[] = {4, 4, 4, 1, 16, 0, 1024, UINT32_MAX}, counts[] = {8, 1, 3, 1000, 0, UINT32_MAX};
    const cl_pipe_properties properties[] = {0};
    void *context = handle(CONTEXT);
    cl_mem pipe;
    MAKE(pipe, clCreatePipe, context, flags[byte() % ARRAY_LENGTH(flags)], sizes[byte() % ARRAY_LENGTH(sizes)],
         counts[byte() % ARRAY_LENGTH(counts)], chance(30) ? properties : NULL);
    put(MEM, pipe);
}

/* ---- commands on buffers ---- */

static size_t within_host(size_t size)
{
    return size > HOST_SIZE ? HOST_SIZE + 1 : size; /* refused by a buffer that is not larger */
}

static void transfer(void)
{
    void *queue = handle(QUEUE), *mem = handle(MEM);
    size_t offset = number(), size = within_host(number());
    cl_bool blocking = chance(3);
    size = size > HOST_SIZE ? (offset < LEAST_BUFFER ? SIZE_MAX : size) : size;
    if (size > HOST_SIZE && size != SIZE_MAX)
        size = 0;
    if (blocking)
        settle();
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    cl_int code;
    uint8_t choice = byte() % 5;
    if (choice < 2) {
        code = DO(clEnqueueReadBuffer, queue, mem, blocking, offset, size, chance(30) ? NULL : host[1], waits->count,
                  waits->pointer, wanted);
    } else if (choice < 4) {
        code = DO(clEnqueueWriteBuffer, queue, mem, blocking, offset, size, chance(30) ? NULL : host[0], waits->count,
                  waits->pointer, wanted);
    } else { /* the host's side is at most 16 x 8 x 4 rows of pitches that fit */
        size_t origin[3] = {byte() % 32u, byte() % 4u, 0}, host_origin[3] = {byte() % 32u, 0, 0},
               extent[3] = {byte() % 16u, byte() % 8u, byte() % 4u};
        size_t row = chance(4) ? byte() : 0, slice = chance(4) ? byte() * 8u : 0;
        code = DO(clEnqueueReadBufferRect, queue, mem, blocking, origin, host_origin, extent, row, slice,
                  chance(2) ? 0 : 64, 0, chance(30) ? NULL : host[1], waits->count, waits->pointer, wanted);
    }
    take_event(event, code);
}

static void copy_or_fill(void)
{
    void *queue = handle(QUEUE), *mem = handle(MEM), *other = handle(MEM);
    size_t offset = number(), other_offset = number(), size = number();
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    cl_int code;
    if (chance(2)) {
        code = DO(clEnqueueCopyBuffer, queue, mem, other, offset, other_offset, size, waits->count, waits->pointer,
                  wanted);
    } else {
        static const size_t patterns[] = {1, 2, 4, 8, 16, 128, 3, 0, 256};
        code = DO(clEnqueueFillBuffer, queue, mem, chance(30) ? NULL : host[0],
                  patterns[byte() % ARRAY_LENGTH(patterns)], offset, size, waits->count, waits->pointer, wanted);
    }
    take_event(event, code);
}

static void map(void)
{
    static const cl_map_flags flags[] = {
        CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, 0x100, 0};
    void *queue = handle(QUEUE), *mem = handle(MEM), *pointer;
    size_t offset = number(), size = number();
    cl_bool blocking = chance(2);
    if (blocking)
        settle();
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    cl_map_flags chosen = flags[byte() % ARRAY_LENGTH(flags)];
    cl_int error = 12345;
    pointer =
        clEnqueueMapBuffer(queue, mem, blocking, chosen, offset, size, waits->count, waits->pointer, wanted, &error);
    answered(CALL_clEnqueueMapBuffer, error);
    if (error != CL_SUCCESS)
        return;
    if (blocking && (chosen & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
        memset(pointer, 7, size); /* the whole region is the host's now */
    struct mapping *mapping = &run.maps[byte() % SLOTS];
    *mapping = (struct mapping){mem, pointer};
    take_event(event, error);
}

static void unmap(void)
{
    struct mapping *mapping = &run.maps[byte() % SLOTS];
    for (uint32_t i = 0; i < SLOTS && !mapping->mem; i++)
        mapping = &run.maps[i];
    void *queue = handle(QUEUE), *mem = chance(8) ? handle(MEM) : mapping->mem;
    void *pointer = chance(20) ? host[1] : mapping->pointer;
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    cl_int code = DO(clEnqueueUnmapMemObject, queue, mem, pointer, waits->count, waits->pointer, wanted);
    take_event(event, code);
}

static void migrate(void)
{
    void *queue = handle(QUEUE);
    cl_mem list[2] = {handle(MEM), handle(MEM)};
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    take_event(event, DO(clEnqueueMigrateMemObjects, queue, byte() % 3u, list, byte() % 5u, waits->count,
                         waits->pointer, wanted));
}

/* ---- programs ---- */

static void make_source(void)
{
    static char text[MAX_SOURCE * 2];
    uint8_t choice = byte();
    uint32_t from = choice < 128 ? choice % ARRAY_LENGTH(safe_sources) : choice % num_sources;
    bool safe = sources[from].safe;
    size_t length = sources[from].length;
    memcpy(text, sources[from].text, length);
    for (uint32_t n = chance(3) ? byte() % 5 : 0; n; n--) {
        run.state += byte();
        length = fuzz_mutate_tokens((uint8_t *)text, length, sizeof(text) - 1, &run.state);
        safe = false;
    }
    text[length] = 0;
    const char *strings[2] = {text, text + length / 2};
    size_t lengths[2] = {length / 2, length - length / 2};
    void *context = handle(CONTEXT);
    cl_program program;
    bool whole = chance(2) || memchr(text, 0, length);
    MAKE(program, clCreateProgramWithSource, context, whole ? 1 : 2, strings, whole ? NULL : lengths);
    struct slot *place = put(PROGRAM, program);
    if (place)
        place->safe = safe;
}

static void make_il(void)
{
    static uint8_t words[4096];
    size_t size = sizeof(il);
    memcpy(words, il, size);
    for (uint32_t n = byte() % 4; n; n--) {
        run.state += byte();
        size = fuzz_mutate_spirv(words, size, sizeof(words), 0, &run.state);
    }
    void *context = handle(CONTEXT);
    cl_program program;
    MAKE(program, clCreateProgramWithIL, context, words, size);
    put(PROGRAM, program);
}

/* From the binaries of another program, with changes and without. */
static void make_binary(void)
{
    struct slot *from = filled(PROGRAM);
    size_t sizes[4] = {0};
    cl_uint count = 0;
    cl_device_id list[4];
    unsigned char *binaries[4] = {0};
    if (!from->handle ||
        DO(clGetProgramInfo, from->handle, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, NULL) != CL_SUCCESS ||
        DO(clGetProgramInfo, from->handle, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL) != CL_SUCCESS)
        return;
    DO(clGetProgramInfo, from->handle, CL_PROGRAM_DEVICES, sizeof(list), list, NULL);
    bool safe = from->safe;
    for (cl_uint i = 0; i < count; i++)
        binaries[i] = malloc(sizes[i] + 64);
    DO(clGetProgramInfo, from->handle, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL);
    size_t room = sizes[0] + 64;
    for (uint32_t n = chance(2) ? 1 + byte() % 3 : 0; n && count && sizes[0] > 40; n--) {
        run.state += byte();
        sizes[0] = fuzz_mutate_spirv(binaries[0], sizes[0], room, 40, &run.state);
        if (sizes[0] >= 40) { /* with the right checksum */
            uint64_t num_words = (sizes[0] - 40) / 4;
            uint32_t version;
            memcpy(binaries[0] + 24, &num_words, 8);
            memcpy(&version, binaries[0] + 8, 4);
            uint64_t seed = hash_bytes64(binaries[0], 32, version);
            uint64_t sum = hash_bytes64(binaries[0] + 40, (size_t)num_words * 4, seed);
            memcpy(binaries[0] + 32, &sum, 8);
        }
        safe = false;
    }
    if (chance(10))
        sizes[0] /= 2;
    if (chance(10))
        list[1] = list[0];
    void *context = handle(CONTEXT);
    cl_int status[4];
    cl_program program;
    MAKE(program, clCreateProgramWithBinary, context, chance(10) ? byte() % 5u % (count + 1) : count, list, sizes,
         (const unsigned char **)binaries, chance(2) ? NULL : status);
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
    struct slot *place = put(PROGRAM, program);
    if (place)
        place->safe = safe;
}

static void build(void)
{
    struct slot *place = filled(PROGRAM);
    void *object = chance(20) ? handle(PROGRAM) : place->handle;
    const char *text = chance(20) ? NULL : options[chance(3) ? byte() % ARRAY_LENGTH(options) : byte() % 3];
    cl_device_id list[2] = {devices[byte() % num_devices], device()};
    cl_uint count = chance(4) ? byte() % 3u : 0;
    place->safe &= !cache_changed;
    DO(clBuildProgram, object, count, count || chance(40) ? list : NULL, text, chance(3) ? program_called : NULL, NULL);
}

static void compile(void)
{
    struct slot *place = filled(PROGRAM);
    void *object = chance(20) ? handle(PROGRAM) : place->handle;
    cl_program headers[2] = {handle(PROGRAM), handle(PROGRAM)};
    const char *header_names[2] = {"a.h", "b/c.h"};
    cl_uint count = chance(4) ? byte() % 3u : 0;
    place->safe &= !cache_changed;
    DO(clCompileProgram, object, 0, NULL, options[chance(3) ? byte() % ARRAY_LENGTH(options) : byte() % 3], count,
       count ? headers : NULL, count ? header_names : NULL, chance(3) ? program_called : NULL, NULL);
}

static void link_programs(void)
{
    struct slot *inputs[3] = {filled(PROGRAM), filled(PROGRAM), filled(PROGRAM)};
    cl_program list[3];
    cl_uint count = byte() % 4u;
    bool safe = true;
    for (cl_uint i = 0; i < 3; i++) {
        list[i] = inputs[i]->handle;
        safe &= i >= count || inputs[i]->safe;
    }
    void *context = handle(CONTEXT);
    cl_int error = 12345;
    cl_program program = clLinkProgram(context, 0, NULL, options[chance(2) ? byte() % ARRAY_LENGTH(options) : 0], count,
                                       count ? list : NULL, chance(3) ? program_called : NULL, NULL, &error);
    answered(CALL_clLinkProgram, error);
    struct slot *place = put(PROGRAM, program);
    if (place)
        place->safe = safe;
}

static void specialise(void)
{
    uint64_t value = byte();
    void *program = handle(PROGRAM);
    DO(clSetProgramSpecializationConstant, program, byte() % 8u, number() % 9, chance(10) ? NULL : &value);
}

/* ---- the cache on disk ---- */

static void change_cache(void)
{
    DIR *directory = opendir(cache_directory);
    bool remove_all = chance(2), repair = chance(2);
    uint32_t wanted = byte();
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".pcc") != 0)
            continue;
        if (remove_all) {
            unlinkat(dirfd(directory), entry->d_name, 0);
            continue;
        }
        if (wanted--)
            continue;
        struct {
            uint32_t magic, num_codes;
            uint64_t total, key_size, program_size, log_size, checksum;
        } header;
        int fd = openat(dirfd(directory), entry->d_name, O_RDWR);
        struct stat info;
        uint8_t *data = NULL;
        if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > (off_t)sizeof(header) &&
            (data = malloc((size_t)info.st_size)) && read(fd, data, (size_t)info.st_size) == info.st_size) {
            size_t size = (size_t)info.st_size, from = sizeof(header);
            memcpy(&header, data, sizeof(header));
            /* Repaired: the program, or where the launch puts things. The driver's code is given to it as it is. */
            size_t room = size - from;
            if (repair && header.key_size < room && header.program_size < room - header.key_size) {
                from += (size_t)header.key_size;
                room = (size_t)header.program_size;
                if (chance(2)) {
                    from += room + (size_t)header.log_size + 8;
                    room = 64;
                }
            }
            for (uint32_t n = 1 + byte() % 4; n; n--) {
                size_t at = from + (byte() | (size_t)byte() << 8) % (room ? room : 1);
                if (at < size)
                    data[at] = byte();
            }
            if (repair)
                header.checksum = hash_bytes64(data + sizeof(header), size - sizeof(header), 1);
            memcpy(data, &header, sizeof(header));
            if (pwrite(fd, data, size, 0) == (ssize_t)size)
                cache_changed = true;
        }
        free(data);
        if (fd >= 0)
            close(fd);
        break;
    }
    if (directory)
        closedir(directory);
    if (remove_all)
        cache_changed = false;
}

/* ---- kernels ---- */

static void make_kernels(void)
{
    struct slot *from = filled(PROGRAM);
    void *program = chance(20) ? handle(PROGRAM) : from->handle;
    cl_kernel kernels[4] = {0};
    cl_uint count = 0;
    bool safe = from->safe && program == from->handle;
    if (chance(2)) {
        if (DO(clCreateKernelsInProgram, program, chance(4) ? byte() % 4u : 4, chance(10) ? NULL : kernels, &count) !=
            CL_SUCCESS)
            memset(kernels, 0, sizeof(kernels));
    } else {
        MAKE(kernels[0], clCreateKernel, program, chance(30) ? NULL : names[byte() % ARRAY_LENGTH(names)]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct slot *place = put(KERNEL, kernels[i]);
        if (place)
            place->safe = safe;
    }
}

static void clone(void)
{
    struct slot *from = filled(KERNEL);
    cl_kernel kernel;
    bool safe = from->safe;
    MAKE(kernel, clCloneKernel, from->handle);
    struct slot *place = put(KERNEL, kernel);
    if (place)
        place->safe = safe;
}

static void set_arg(void)
{
    void *kernel = handle(KERNEL), *mem = handle(MEM);
    uint64_t value[4] = {0, byte(), byte(), byte()}; /* as a handle it is NULL */
    cl_uint index = byte() % 4u;
    switch (byte() % 5) {
    case 0:
    case 1:
        DO(clSetKernelArg, kernel, index, sizeof(cl_mem), chance(20) ? NULL : (void *)&mem);
        break;
    case 2:
        DO(clSetKernelArg, kernel, index, number(), NULL);
        break;
    default: {
        static const size_t sizes[] = {4, 8, 16, 1, 2, 12, 0, 32};
        DO(clSetKernelArg, kernel, index, sizes[byte() % ARRAY_LENGTH(sizes)], value);
    }
    }
}

/* Gives a kernel the arguments that it wants, as far as there are any. */
static void set_args(void)
{
    struct slot *place = filled(KERNEL);
    cl_uint count = 0;
    uint64_t value[4] = {0, byte(), 0, 0}; /* as a handle it is NULL */
    if (!place->handle || DO(clGetKernelInfo, place->handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL))
        return;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_mem mem = handle(MEM);
        cl_int code = DO(clSetKernelArg, place->handle, i, sizeof(mem), &mem);
        static const size_t sizes[] = {4, 8, 16};
        for (uint32_t k = 0; k < ARRAY_LENGTH(sizes) && code != CL_SUCCESS; k++)
            code = DO(clSetKernelArg, place->handle, i, sizes[k], value);
        if (code != CL_SUCCESS)
            DO(clSetKernelArg, place->handle, i, 64, NULL);
    }
}

static void launch(void)
{
    static const size_t globals[] = {1, 16, 64, 8, 0, 7, 2, 32},
                        locals[] = {1, 4, 8, 2, 0, 1024, 7, SIZE_MAX, 1u << 31},
                        offsets[] = {0, 0, 0, 1, SIZE_MAX, 1u << 31};
    void *queue = handle(QUEUE), *kernel;
    struct slot *place = filled(KERNEL);
    for (uint32_t i = 0; i < SLOTS && !(place->handle && place->safe); i++)
        place = &run.slots[KERNEL][i];
    kernel = place->handle && place->safe ? place->handle : NULL;
    if (chance(40)) /* no kernel */
        kernel = slot(MEM)->handle;
    size_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = offsets[byte() % ARRAY_LENGTH(offsets)];
        global[i] = globals[byte() % ARRAY_LENGTH(globals)];
        local[i] = locals[byte() % ARRAY_LENGTH(locals)];
    }
    if (chance(8))
        memcpy(local, (size_t[3]){4, 2, 1}, sizeof(local));
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    uint8_t how = byte();
    cl_int code;
    if (how % 8 == 0)
        code = DO(clEnqueueTask, queue, kernel, waits->count, waits->pointer, wanted);
    else
        code = DO(clEnqueueNDRangeKernel, queue, kernel, how < 240 ? 1 + how % 3u : how % 8u, how % 5 ? NULL : offset,
                  how == 239 ? NULL : global, how % 3 ? NULL : local, waits->count, waits->pointer, wanted);
    take_event(event, code);
}

static void CL_CALLBACK native_function(void *data)
{
    uint8_t **buffer = data;
    if (buffer && *buffer)
        (*buffer)[0]++;
}

static void native(void)
{
    void *queue = handle(QUEUE);
    uint8_t *args[2] = {0};
    cl_mem mems[2] = {chance(8) ? NULL : handle(MEM), handle(MEM)};
    const void *places[2] = {chance(20) ? host : (void *)&args[0], &args[1]};
    cl_uint count = byte() % 3u;
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    take_event(event, DO(clEnqueueNativeKernel, queue, chance(20) ? NULL : native_function, chance(20) ? NULL : args,
                         chance(8) ? byte() % 2u * 8 : sizeof(args), count, count ? mems : NULL, count ? places : NULL,
                         waits->count, waits->pointer, wanted));
}

/* From a source to a launch, since chance alone seldom gets so far. */
static void whole(void)
{
    uint32_t from = byte() % 4;
    struct slot *context = &run.slots[CONTEXT][0];
    const char *text = sources[from].text;
    cl_program program;
    if (!context->handle)
        return;
    MAKE(program, clCreateProgramWithSource, context->handle, 1, &text, NULL);
    struct slot *place = put(PROGRAM, program);
    if (!place)
        return;
    cl_int code = DO(clBuildProgram, program, 0, NULL, options[byte() % 5], NULL, NULL);
    if (code != CL_SUCCESS)
        fuzz_failed("clBuildProgram", text);
    place->safe = !cache_changed;
    cl_kernel kernels[2] = {0};
    if (code != CL_SUCCESS || DO(clCreateKernelsInProgram, program, 2, kernels, NULL) != CL_SUCCESS)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        struct slot *kernel = put(KERNEL, kernels[i]);
        if (kernel)
            kernel->safe = place->safe;
    }
    for (uint32_t n = 3; n; n--) {
        set_args();
        launch();
    }
}

/* An object and what uses it: compiled twice, linked, taken for a kernel. */
static void link_pair(void)
{
    struct slot *context = &run.slots[CONTEXT][0];
    cl_program programs[2] = {0};
    for (uint32_t i = 0; context->handle && i < 2; i++) {
        const char *text = sources[4 + i].text;
        MAKE(programs[i], clCreateProgramWithSource, context->handle, 1, &text, NULL);
        if (programs[i])
            DO(clCompileProgram, programs[i], 0, NULL, options[byte() % 5], 0, NULL, NULL, NULL, NULL);
    }
    if (programs[0] && programs[1]) {
        cl_int error = 12345;
        cl_program program = clLinkProgram(context->handle, 0, NULL, options[chance(4) ? 6 + byte() % 2 : 0],
                                           chance(6) ? 1 : 2, programs, NULL, NULL, &error);
        answered(CALL_clLinkProgram, error);
        struct slot *place = put(PROGRAM, program);
        if (place)
            place->safe = !cache_changed;
    }
    for (uint32_t i = 0; i < 2; i++)
        put(PROGRAM, programs[i]);
}

/* ---- events and queues ---- */

static void make_user_event(void)
{
    cl_event event;
    void *context = handle(CONTEXT);
    cl_int error = 12345;
    event = clCreateUserEvent(context, &error);
    answered(CALL_clCreateUserEvent, error);
    struct slot *place = put(EVENT, event);
    if (place)
        place->user = true;
}

static void set_event(void)
{
    struct slot *place = slot(EVENT);
    if (chance(3)) {
        static const cl_int wrong[] = {1, 2, 3, CL_COMPLETE};
        DO(clSetUserEventStatus, place->user ? NULL : place->handle, wrong[byte() % 4]);
    } else {
        set_user_event(place, chance(4) ? -byte() - 1 : CL_COMPLETE);
    }
}

static void on_event(void)
{
    void *event = handle(EVENT);
    static const cl_int at[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED, 7, -1};
    DO(clSetEventCallback, event, at[byte() % ARRAY_LENGTH(at)], chance(20) ? NULL : event_called, NULL);
}

static void wait_for(void)
{
    settle();
    struct waits *waits = wait_list();
    DO(clWaitForEvents, waits->count, waits->pointer);
}

static void marker(void)
{
    void *queue = handle(QUEUE);
    struct waits *waits = wait_list();
    cl_event event = NULL, *wanted = chance(2) ? &event : NULL;
    cl_int code = chance(2) ? DO(clEnqueueMarkerWithWaitList, queue, waits->count, waits->pointer, wanted)
                            : DO(clEnqueueBarrierWithWaitList, queue, waits->count, waits->pointer, wanted);
    take_event(event, code);
}

static void flush(void)
{
    void *queue = handle(QUEUE);
    DO(clFlush, queue);
}

static void finish(void)
{
    settle();
    void *queue = handle(QUEUE);
    DO(clFinish, queue);
}

static void callbacks(void)
{
    void *mem = handle(MEM), *context = handle(CONTEXT);
    if (chance(2))
        DO(clSetMemObjectDestructorCallback, mem, chance(20) ? NULL : mem_called, NULL);
    else
        DO(clSetContextDestructorCallback, context, chance(20) ? NULL : context_called, NULL);
}

/* Retained and released, or released for good. */
static void count_references(void)
{
    enum kind kind = (enum kind)(byte() % NUM_KINDS);
    struct slot *place = slot(kind);
    void *object = place->handle;
    if (chance(2) || !object) {
        empty(kind, place);
        return;
    }
    cl_int code = CL_SUCCESS;
    switch (kind) {
    case CONTEXT:
        code = DO(clRetainContext, object);
        break;
    case QUEUE:
        code = DO(clRetainCommandQueue, object);
        break;
    case MEM:
        code = DO(clRetainMemObject, object);
        break;
    case PROGRAM:
        code = DO(clRetainProgram, object);
        break;
    case KERNEL:
        code = DO(clRetainKernel, object);
        break;
    case EVENT:
    case NUM_KINDS:
        code = DO(clRetainEvent, object);
    }
    if (code == CL_SUCCESS)
        drop(kind, object);
}

/* ---- a sequence ---- */

static void one_call(void)
{
    static void (*const calls[])(void) = {
        query,
        query,
        whole,
        whole,
        link_pair,
        make_context,
        make_queue,
        make_queue,
        make_buffer,
        make_buffer,
        make_buffer,
        make_sub_buffer,
        make_pipe,
        transfer,
        transfer,
        copy_or_fill,
        map,
        unmap,
        migrate,
        make_source,
        make_source,
        make_il,
        make_binary,
        build,
        build,
        build,
        compile,
        compile,
        link_programs,
        specialise,
        change_cache,
        make_kernels,
        make_kernels,
        make_kernels,
        clone,
        set_arg,
        set_args,
        set_args,
        set_args,
        native,
        launch,
        launch,
        launch,
        launch,
        make_user_event,
        set_event,
        on_event,
        wait_for,
        marker,
        flush,
        finish,
        callbacks,
        count_references,
    };
    calls[byte() % ARRAY_LENGTH(calls)]();
}

static void CL_CALLBACK quiet(const char *text, size_t length, size_t complete, void *data)
{
    (void)text, (void)length, (void)complete, (void)data;
}

/* What most sequences need: a context whose printf goes nowhere, a queue, two buffers. */
static void begin_sequence(void)
{
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)quiet, 0};
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    MAKE(context, clCreateContext, properties, num_devices, devices, NULL, NULL);
    if (!context)
        return;
    run.slots[CONTEXT][0].handle = context;
    MAKE(queue, clCreateCommandQueueWithProperties, context, devices[0], NULL);
    run.slots[QUEUE][0].handle = queue;
    for (uint32_t i = 0; i < 2; i++) {
        MAKE(mem, clCreateBuffer, context, 0, 1024, NULL);
        run.slots[MEM][i].handle = mem;
    }
}

static void end_sequence(void)
{
    static const enum kind order[] = {EVENT, KERNEL, MEM, PROGRAM, QUEUE, CONTEXT};
    run.data = run.end;
    for (uint32_t i = 0; i < SLOTS; i++)
        set_user_event(&run.slots[EVENT][i], CL_COMPLETE);
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (run.slots[QUEUE][i].handle)
            DO(clFinish, run.slots[QUEUE][i].handle);
    }
    for (uint32_t k = 0; k < ARRAY_LENGTH(order); k++) {
        for (uint32_t i = 0; i < SLOTS; i++)
            empty(order[k], &run.slots[order[k]][i]);
    }
}

static void add_source(const char *text, size_t length, bool safe)
{
    if (num_sources == MAX_SOURCES || length >= MAX_SOURCE)
        return;
    char *copy = malloc(length + 1);
    if (!copy)
        return;
    memcpy(copy, text, length);
    copy[length] = 0;
    sources[num_sources].text = copy;
    sources[num_sources].length = length;
    sources[num_sources++].safe = safe;
}

static void remove_cache(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", cache_directory);
    if (system(command) != 0)
        perror(cache_directory);
}

static bool prepare(void)
{
    static bool prepared;
    cl_uint count = 0;
    cl_platform_id platforms[8];
    if (prepared)
        return num_devices > 0;
    prepared = true;
    for (uint32_t i = 0; i < ARRAY_LENGTH(safe_sources) && num_sources < MAX_SOURCES; i++)
        add_source(safe_sources[i], strlen(safe_sources[i]), true);
    /* those come first */
    if (num_sources > ARRAY_LENGTH(safe_sources)) {
        uint32_t others = num_sources - ARRAY_LENGTH(safe_sources);
        for (uint32_t i = 0; i < ARRAY_LENGTH(safe_sources); i++) {
            uint32_t at = others + i;
            __typeof__(sources[0]) moved = sources[at];
            memmove(&sources[i + 1], &sources[i], (at - i) * sizeof(sources[0]));
            sources[i] = moved;
        }
    }
    strcpy(cache_directory, "/tmp/pumice-fuzz-api-XXXXXX");
    if (mkdtemp(cache_directory)) {
        setenv("PUMICE_CACHE", "1", 1);
        setenv("PUMICE_CACHE_DIR", cache_directory, 1);
        atexit(remove_cache);
    }
    atexit(print_answers);
    if (clGetPlatformIDs(ARRAY_LENGTH(platforms), platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < ARRAY_LENGTH(platforms); i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strcmp(name, "Pumice") == 0 && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, ARRAY_LENGTH(devices),
                                                          devices, &num_devices) == CL_SUCCESS)
            platform = platforms[i];
    }
    if (num_devices > ARRAY_LENGTH(devices))
        num_devices = ARRAY_LENGTH(devices);
    if (!num_devices)
        exit(77);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!prepare())
        return 0;
    alarm(SECONDS);
    memset(&run, 0, sizeof(run));
    run.data = data;
    run.end = data + size;
    run.state = size;
    begin_sequence();
    for (uint32_t n = 0; n < MAX_CALLS && run.data < run.end; n++)
        one_call();
    end_sequence();
    alarm(0);
    return 0;
}

/* Bytes that depend on the source, which is kept to be changed and compiled. */
static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    enum { SIZE = 1500 };
    uint64_t state = hash_bytes64(source, length, 1);
    uint8_t *bytes = malloc(SIZE);
    if (!bytes)
        return 0;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)fuzz_random(&state);
    if (num_sources < MAX_SOURCES - ARRAY_LENGTH(safe_sources))
        add_source(source, length, false);
    *seed = bytes;
    return SIZE;
}

const struct fuzz_target fuzz_target = {.seed = seed_of, .code = FUZZ_BYTES};
