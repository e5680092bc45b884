/* Command buffers: recording of every command, finalising, enqueueing, updates of mutable kernels, remapping.
 *
 * The kernels that are recorded are those that may be launched. Handles of mutable commands are forgotten with their
 * buffer. */
#include "tests/fuzz/api/api.h"

#include <string.h>

struct buffer_functions api_cb;

/* Of a right length, but anything else. */
#define PROPERTIES_SIZE 7

static struct mutable_command {
    command_handle handle;
    void *buffer;
} commands[API_SLOTS];

void api_forget_commands(void *buffer)
{
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        if (commands[i].buffer == buffer)
            commands[i] = (struct mutable_command){0};
    }
}

static void keep_command(command_handle handle, void *buffer)
{
    if (handle)
        commands[api_byte() % API_SLOTS] = (struct mutable_command){handle, buffer};
}

/* Some command of the buffer; sometimes of another, or none. */
static command_handle some_command(void *buffer)
{
    uint8_t first = api_byte();
    for (uint32_t i = 0; i < API_SLOTS; i++) {
        struct mutable_command *command = &commands[(first + i) % API_SLOTS];
        if (command->handle && (command->buffer == buffer || first >= 240))
            return command->handle;
    }
    return NULL;
}

/* ---- creation ---- */

static void make_buffer(void)
{
    static const cl_ulong properties[][PROPERTIES_SIZE] = {
        {BUFFER_FLAGS, BUFFER_MUTABLE, 0},
        {BUFFER_FLAGS, BUFFER_SIMULTANEOUS, 0},
        {BUFFER_FLAGS, BUFFER_SIMULTANEOUS | BUFFER_MUTABLE, 0},
        {BUFFER_FLAGS, BUFFER_MUTABLE, BUFFER_ASSERTS, 1, 0},
        {BUFFER_FLAGS, BUFFER_DEVICE_SIDE_SYNC, 0},
        {0},
        {BUFFER_FLAGS, 0x7777, 0},
        {BUFFER_FLAGS, 0, BUFFER_FLAGS, 0, 0},
        {0x7777, 1, 0},
    };
    cl_command_queue queues[3] = {api_handle(QUEUE), api_handle(QUEUE), api_handle(QUEUE)};
    cl_uint count = api_chance(2) ? 1 : api_byte() % 4u;
    const cl_ulong *list = api_chance(3) ? NULL : API_PICK(properties);
    buffer_handle buffer;
    MAKE_BY(buffer, clCreateCommandBufferKHR, api_cb.create, count, api_chance(30) ? NULL : queues, list);
    api_put(COMMAND_BUFFER, buffer);
}

/* ---- recording ---- */

/* What every recording call ends with. The sync points are mostly such that there are. */
struct tail {
    cl_uint num_waits, waits[3], point;
    const cl_uint *wait_list;
    command_handle handle, *wanted;
};

static struct tail make_tail(bool kernel)
{
    struct tail tail = {.num_waits = api_chance(4) ? api_byte() % 4u : 0};
    for (uint32_t i = 0; i < 3; i++)
        tail.waits[i] = api_chance(30) ? api_byte() : 1 + api_byte() % 3u;
    tail.wanted = (kernel ? api_chance(2) : api_chance(40)) ? &tail.handle : NULL;
    return tail;
}

#define RECORD(name, function, ...)                                                                                    \
    do {                                                                                                               \
        struct tail tail_ = make_tail(false);                                                                          \
        DO_BY(name, api_cb.function, __VA_ARGS__, tail_.num_waits,                                                     \
              tail_.num_waits || api_chance(40) ? tail_.waits : NULL, api_chance(4) ? NULL : &tail_.point,             \
              tail_.wanted ? &tail_.handle : NULL);                                                                    \
    } while (0)

static const cl_ulong *some_properties(bool kernel)
{
    static const cl_ulong properties[][PROPERTIES_SIZE] = {{COMMAND_FIELDS, 31, 0},
                                                           {COMMAND_FIELDS, 8, 0},
                                                           {COMMAND_FIELDS, 31, COMMAND_ASSERTS, 1, 0},
                                                           {COMMAND_ASSERTS, 1, 0},
                                                           {COMMAND_FIELDS, 64, 0},
                                                           {COMMAND_FIELDS, 1, COMMAND_FIELDS, 1, 0},
                                                           {0x7777, 1, 0},
                                                           {0}};
    return (kernel ? api_chance(2) : api_chance(30)) ? API_PICK(properties) : NULL;
}

/* What every recording call begins with: a buffer, and mostly the queue that it has by itself. */
struct head {
    void *buffer;
    cl_command_queue queue;
};

static struct head make_head(void)
{
    return (struct head){api_handle(COMMAND_BUFFER), api_chance(4) ? api_handle(QUEUE) : NULL};
}

static void record_buffers(struct head h)
{
    static const size_t patterns[] = {1, 2, 4, 8, 16, 128, 3, 0};
    const cl_ulong *p = some_properties(false);
    void *mem = api_handle(MEM), *other = api_handle(MEM);
    size_t from = api_number(), to = api_number(), size = api_number(), pattern = API_PICK(patterns);
    const size_t origins[2][3] = {{api_byte() % 8u, api_byte() % 4u, 0}, {api_byte() % 8u, 0, api_byte() % 2u}};
    const size_t extent[3] = {1 + api_byte() % 8u, api_byte() % 4u, 1};
    size_t pitch = api_chance(2) ? 0 : 32;
    switch (api_byte() % 3) {
    case 0:
        RECORD(clCommandCopyBufferKHR, copy, h.buffer, h.queue, p, mem, other, from, to, size);
        break;
    case 1:
        RECORD(clCommandCopyBufferRectKHR, copy_rect, h.buffer, h.queue, p, mem, other, origins[0], origins[1], extent,
               pitch, 0, pitch, 0);
        break;
    default:
        RECORD(clCommandFillBufferKHR, fill, h.buffer, h.queue, p, mem, api_chance(30) ? NULL : api_host[0], pattern,
               to, size);
    }
}

static void record_images(struct head h)
{
    const cl_ulong *p = some_properties(false);
    void *image = api_handle(IMAGE), *mem = api_handle(MEM), *other = api_chance(2) ? image : api_handle(IMAGE);
    struct api_region r = api_region(), to = api_region();
    size_t offset = api_number();
    if (api_share(image, mem) || api_share(image, other))
        return;
    switch (api_byte() % 4) {
    case 0:
        RECORD(clCommandCopyImageKHR, copy_image, h.buffer, h.queue, p, image, other, r.origin, to.origin, r.region);
        break;
    case 1:
        RECORD(clCommandCopyImageToBufferKHR, image_to_buffer, h.buffer, h.queue, p, image, mem, r.origin, r.region,
               offset);
        break;
    case 2:
        RECORD(clCommandCopyBufferToImageKHR, buffer_to_image, h.buffer, h.queue, p, mem, image, offset, r.origin,
               r.region);
        break;
    default:
        RECORD(clCommandFillImageKHR, fill_image, h.buffer, h.queue, p, image, api_chance(30) ? NULL : api_host[0],
               r.origin, r.region);
    }
}

static void record_pointers(struct head h)
{
    static const size_t sizes[] = {0, 1, 16, 128, 256, 512, SIZE_MAX}, patterns[] = {1, 4, 16, 128, 3, 0};
    const cl_ulong *p = some_properties(false);
    void *dst = api_pointer_to_keep(true), *src = api_pointer_to_keep(false);
    size_t size = sizes[api_byte() % (ARRAY_LENGTH(sizes) - 1)], pattern = API_PICK(patterns);
    if (api_chance(2))
        RECORD(clCommandSVMMemcpyKHR, svm_copy, h.buffer, h.queue, p, dst, src, size);
    else
        RECORD(clCommandSVMMemFillKHR, svm_fill, h.buffer, h.queue, p, dst, api_chance(30) ? NULL : api_host[0],
               pattern, size);
}

static void record_kernel(struct head h)
{
    const cl_ulong *p = some_properties(true);
    struct api_range range;
    cl_kernel kernel = api_kernel_to_launch();
    struct tail tail = make_tail(true);
    api_range(&range);
    if (api_chance(2)) /* sizes that any kernel but the fixed one takes */
        range = (struct api_range){.dims = 1, .global = {32, 1, 1}};
    if (!range.global_pointer && range.global[0] == 32)
        range.global_pointer = range.global;
    cl_int code = DO_BY(clCommandNDRangeKernelKHR, api_cb.launch, h.buffer, h.queue, p, kernel, range.dims,
                        range.offset_pointer, range.global_pointer, range.local_pointer, tail.num_waits,
                        tail.num_waits ? tail.waits : NULL, &tail.point, tail.wanted ? &tail.handle : NULL);
    if (code == CL_SUCCESS)
        keep_command(tail.handle, h.buffer);
}

static void record_one(struct head h)
{
    const cl_ulong *p = NULL;
    switch (api_byte() % 8) {
    case 0:
        p = some_properties(false);
        RECORD(clCommandBarrierWithWaitListKHR, barrier, h.buffer, h.queue, p);
        break;
    case 1:
    case 2:
        record_buffers(h);
        break;
    case 3:
        record_images(h);
        break;
    case 4:
        record_pointers(h);
        break;
    default:
        record_kernel(h);
    }
}

static void record(void)
{
    record_one(make_head());
}

static void finalize(void)
{
    void *buffer = api_handle(COMMAND_BUFFER);
    DO_BY(clFinalizeCommandBufferKHR, api_cb.finalize, buffer);
}

/* ---- what recorded buffers are for ---- */

static void enqueue(void)
{
    void *buffer = api_handle(COMMAND_BUFFER);
    cl_command_queue queues[3] = {api_handle(QUEUE), api_handle(QUEUE), api_handle(QUEUE)};
    cl_uint count = api_chance(3) ? api_byte() % 4u : 0;
    struct api_waits *waits = api_wait_list();
    cl_event event = NULL, *wanted = api_chance(2) ? &event : NULL;
    api_take_event(event, DO_BY(clEnqueueCommandBufferKHR, api_cb.enqueue, count,
                                count || api_chance(40) ? queues : NULL, buffer, waits->count, waits->pointer, wanted));
}

/* What an update refers to, for one command. */
struct update {
    struct buffer_update config;
    struct buffer_arg args[3], svm_args[2];
    struct buffer_exec_info info;
    struct api_range range;
    uint64_t values[3];
    const void *list[2];
};

static void make_update(struct update *u, void *buffer)
{
    static const size_t sizes[] = {4, 8, 16, 1, 0};
    command_handle command = some_command(buffer);
    cl_kernel kernel = NULL;
    if (command)
        api_cb.command_info(command, 0x12A3, sizeof(kernel), &kernel, NULL); /* CL_MUTABLE_DISPATCH_KERNEL_KHR */
    memset(u, 0, sizeof(*u));
    for (uint32_t i = 0; i < 3; i++) {
        void *object = api_handle(api_chance(4) ? IMAGE : MEM);
        bool object_wanted = api_chance(2);
        memcpy(&u->values[i], &object, sizeof(object));
        if (!object_wanted)
            u->values[i] = (uint64_t)api_byte() << 32; /* as a handle it is NULL where it is 0, and else too short */
        u->args[i] = (struct buffer_arg){api_byte() % 4u, object_wanted ? sizeof(object) : API_PICK(sizes),
                                         api_chance(8) ? NULL : &u->values[i]};
        if (!object_wanted && u->args[i].size == sizeof(object))
            u->args[i].size = 4;
    }
    for (uint32_t i = 0; i < 2; i++) {
        u->list[i] = api_pointer_for(kernel);
        u->svm_args[i] = (struct buffer_arg){api_byte() % 4u, sizeof(void *), u->list[i]};
    }
    u->info = (struct buffer_exec_info){api_chance(10) ? 0x7777 : CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(u->list),
                                        api_chance(10) ? NULL : u->list};
    api_range(&u->range);
    uint8_t parts = api_byte();
    u->config = (struct buffer_update){
        .command = command,
        .num_args = parts & 1 ? api_byte() % 4u : 0,
        .num_svm_args = parts & 2 ? api_byte() % 3u : 0,
        .num_exec_infos = parts & 4 ? 1 : 0,
        .work_dim = parts & 8 ? u->range.dims : 0,
        .offset = parts & 16 ? u->range.offset_pointer : NULL,
        .global = parts & 32 ? u->range.global_pointer : NULL,
        .local = parts & 64 ? u->range.local_pointer : NULL,
    };
    if (api_chance(2)) { /* what most kernels take: another buffer, another size */
        u->args[0].index = 0;
        u->config.num_args = u->config.num_args > 0;
        u->config.num_svm_args = u->config.work_dim = 0;
        u->config.offset = u->config.local = NULL;
    }
    bool wrong = api_chance(40);
    u->config.args = u->config.num_args || wrong ? u->args : NULL;
    u->config.svm_args = u->config.num_svm_args || wrong ? u->svm_args : NULL;
    u->config.exec_infos = u->config.num_exec_infos || wrong ? &u->info : NULL;
}

static void update(void)
{
    static struct update updates[3];
    void *buffer = api_handle(COMMAND_BUFFER);
    cl_uint types[3], count = api_byte() % 4u;
    const void *configs[3];
    for (uint32_t i = 0; i < 3; i++) {
        make_update(&updates[i], buffer);
        types[i] = api_chance(40) ? 7 : 0;
        configs[i] = api_chance(40) ? NULL : &updates[i].config;
    }
    DO_BY(clUpdateMutableCommandsKHR, api_cb.update, buffer, count, count || api_chance(40) ? types : NULL,
          count || api_chance(40) ? configs : NULL);
}

static void remap(void)
{
    void *buffer = api_handle(COMMAND_BUFFER);
    cl_command_queue queues[3] = {api_handle(QUEUE), api_handle(QUEUE), api_handle(QUEUE)};
    cl_uint count = api_chance(2) ? 1 : api_byte() % 4u, num_handles = api_byte() % 3u;
    const command_handle handles[2] = {some_command(buffer), some_command(buffer)};
    command_handle found[2] = {NULL, NULL};
    cl_bool automatic = api_chance(2);
    buffer_handle remapped;
    MAKE_BY(remapped, clRemapCommandBufferKHR, api_cb.remap, buffer, automatic, count, api_chance(30) ? NULL : queues,
            num_handles, num_handles || api_chance(40) ? handles : NULL, num_handles || api_chance(40) ? found : NULL);
    if (api_put(COMMAND_BUFFER, remapped)) {
        keep_command(found[0], remapped);
        keep_command(num_handles > 1 ? found[1] : NULL, remapped);
    }
}

static void ask(void)
{
    void *buffer = api_handle(COMMAND_BUFFER);
    command_handle command = some_command(buffer);
    if (api_chance(2))
        ASK_BY(clGetCommandBufferInfoKHR, api_cb.info, buffer, BUFFER_INFO_QUEUES + api_byte() % 8u);
    else
        ASK_BY(clGetMutableCommandInfoKHR, api_cb.command_info, command, COMMAND_INFO_QUEUE + api_byte() % 16u);
}

/* From a queue to a buffer that ran, was changed and ran again. */
static void whole(void)
{
    struct api_slot *queue = api_filled(QUEUE);
    static const cl_ulong properties[] = {BUFFER_FLAGS, BUFFER_MUTABLE, 0};
    buffer_handle buffer;
    cl_command_queue on = queue->handle;
    if (!on)
        return;
    MAKE_BY(buffer, clCreateCommandBufferKHR, api_cb.create, 1, &on, properties);
    struct api_slot *place = api_put(COMMAND_BUFFER, buffer);
    if (!place)
        return;
    for (uint32_t n = 2 + api_byte() % 6; n; n--) {
        if (api_chance(2))
            api_set_args();
        record_one((struct head){buffer, NULL});
    }
    DO_BY(clFinalizeCommandBufferKHR, api_cb.finalize, buffer);
    for (uint32_t n = 2; n; n--) {
        static struct update change;
        const void *config = &change.config;
        DO_BY(clEnqueueCommandBufferKHR, api_cb.enqueue, 0, NULL, buffer, 0, NULL, NULL);
        make_update(&change, buffer);
        DO_BY(clUpdateMutableCommandsKHR, api_cb.update, buffer, 1, &(cl_uint){0}, &config);
    }
    DO_BY(clEnqueueCommandBufferKHR, api_cb.enqueue, 0, NULL, buffer, 0, NULL, NULL);
}

static void (*const calls[])(void) = {make_buffer, record, record, record, record, finalize, enqueue,
                                      enqueue,     update, update, remap,  ask,    whole,    whole};

static void forget_all(void)
{
    memset(commands, 0, sizeof(commands));
}

const struct api_subject api_command_buffers = API_SUBJECT(calls, forget_all);
