/* Contexts and queues, references of every kind, callbacks at the end of objects. */
#include "tests/fuzz/api/api.h"

static void make_context(void)
{
    cl_context context;
    if (!api_chance(4)) /* objects of many contexts seldom fit each other */
        return;
    const cl_context_properties properties[][5] = {
        {CL_CONTEXT_PLATFORM, (cl_context_properties)api_platform, 0},
        {CL_PRINTF_BUFFERSIZE_ARM, 64, 0},
        {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0},
        {CL_CONTEXT_TERMINATE_KHR, 2, 0},
        {CL_PRINTF_BUFFERSIZE_ARM, 1, 0},
        {CL_CONTEXT_PLATFORM, 0, 0},
        {CL_CONTEXT_PLATFORM, (cl_context_properties)api_platform, CL_CONTEXT_PLATFORM,
         (cl_context_properties)api_platform, 0},
        {0x7777, 1, 0},
    };
    uint8_t choice = api_byte();
    const cl_context_properties *list = choice < 100 ? NULL : properties[choice % ARRAY_LENGTH(properties)];
    cl_device_id chosen[3] = {api_devices[api_byte() % api_num_devices], api_device(), api_device()};
    if (api_chance(8))
        MAKE(context, clCreateContextFromType, list, api_chance(2) ? CL_DEVICE_TYPE_ALL : api_byte(), NULL, NULL);
    else
        MAKE(context, clCreateContext, list, api_byte() % 3u, api_chance(20) ? NULL : chosen,
             api_chance(3) ? api_context_error : NULL, NULL);
    api_put(CONTEXT, context);
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
    uint8_t choice = api_byte();
    void *context = api_handle(CONTEXT);
    if (api_chance(8))
        MAKE(queue, clCreateCommandQueue, context, api_device(), choice % 5u);
    else
        MAKE(queue, clCreateCommandQueueWithProperties, context, api_device(),
             choice % 3 ? properties[choice % ARRAY_LENGTH(properties)] : NULL);
    api_put(QUEUE, queue);
}

static void CL_CALLBACK mem_called(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    api_called_back("destructor callback of a memory object");
}

static void CL_CALLBACK context_called(cl_context context, void *data)
{
    (void)context, (void)data;
    api_called_back("destructor callback of a context");
}

void CL_CALLBACK api_context_error(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    api_called_back("context callback");
    if (!text || !*text)
        fuzz_failed("context callback", "without a text");
}

static void callbacks(void)
{
    void *mem = api_handle(api_chance(3) ? IMAGE : MEM), *context = api_handle(CONTEXT);
    if (api_chance(2))
        DO(clSetMemObjectDestructorCallback, mem, api_chance(20) ? NULL : mem_called, NULL);
    else
        DO(clSetContextDestructorCallback, context, api_chance(20) ? NULL : context_called, NULL);
}

/* Seldom: the rest of the sequence has little to do then. A context that was terminated stays so. */
static void terminate(void)
{
    static struct {
        cl_int(CL_API_CALL *terminate)(cl_context context);
    } cl;
    static const char *const names[] = {"clTerminateContextKHR"};
    if (!api_chance(6) || (!cl.terminate && !api_find_functions(names, 1, &cl)))
        return;
    void *context = api_handle(CONTEXT);
    if (DO_BY(clTerminateContextKHR, cl.terminate, context) != CL_SUCCESS)
        return;
    api_run.terminated = true;
    if (DO_BY(clTerminateContextKHR, cl.terminate, context) != CL_CONTEXT_TERMINATED_KHR)
        fuzz_failed("clTerminateContextKHR", "terminated a context twice");
}

/* Retained and released, or released for good. */
static void count_references(void)
{
    enum api_kind kind = (enum api_kind)(api_byte() % NUM_KINDS);
    struct api_slot *place = api_slot(kind);
    void *object = place->handle;
    if (api_chance(2) || !object)
        api_empty(kind, place);
    else if (api_keep(kind, object) == CL_SUCCESS)
        api_drop(kind, object);
}

/* The wrong kind, or nothing. */
static void wrong_references(void)
{
    enum api_kind kind = (enum api_kind)(api_byte() % NUM_KINDS), other = (enum api_kind)(api_byte() % NUM_KINDS);
    void *object = api_slot(other)->handle;
    bool same = kind == other || (kind == MEM && other == IMAGE) || (kind == IMAGE && other == MEM);
    if (!same && (api_chance(2) ? api_keep(kind, object) : api_drop(kind, object)) == CL_SUCCESS)
        fuzz_failed("a reference", "of an object of another kind");
}

static void (*const calls[])(void) = {make_context,     make_queue,       make_queue, callbacks,
                                      count_references, wrong_references, terminate};

const struct api_subject api_contexts = API_SUBJECT(calls, NULL);
