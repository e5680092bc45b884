/* vk/ when things go wrong: every Vulkan call that may fail fails in turn, with each error that the registry names; a
 * device that is lost; and a process that ends with work of every kind under way (argument: leave). */
#include "failing.h"

#include <sys/wait.h>

VkResult __real_volkInitialize(void);
VkResult __wrap_volkInitialize(void);
void __real_volkLoadInstanceOnly(VkInstance instance);
void __wrap_volkLoadInstanceOnly(VkInstance instance);

VkResult __wrap_volkInitialize(void)
{
    VkResult result = __real_volkInitialize();
    install_direct();
    return result;
}

void __wrap_volkLoadInstanceOnly(VkInstance instance)
{
    __real_volkLoadInstanceOnly(instance);
    install_direct();
}

/* ---- a bit of everything ---- */

enum { COUNT = 300000, TEXELS = 16, MAX_EVENTS = 24, SPARSE_SIZE = 150 << 20 };

struct task {
    struct vkb_queue *queue, *other;
    struct vkb_buffer *large, *buffer, *texels, *imported;
    struct vkb_image *image, *view;
    struct vkb_shader *shader;
    struct vkb_pipeline *pipeline;
    struct vkb_event *user, *events[MAX_EVENTS];
    uint32_t num_events;
    uint32_t *data, *pages;
    uint32_t small[250], texel_data[TEXELS];
    atomic_int host_calls, host_drops;
    struct call_record record;
    bool ok, called_back;
    struct vkb_buffer *sparse; /* where the device has such */
};

static void task_host(void *data, bool run)
{
    struct task *task = data;
    atomic_fetch_add(run ? &task->host_calls : &task->host_drops, 1);
}

/* Every call goes through this: what failed is remembered, and nothing depends on it. */
static void expect(struct task *task, enum vkb_result result)
{
    task->ok &= result == VKB_SUCCESS;
}

static struct vkb_enqueue behind(struct task *task, struct vkb_queue *queue, struct vkb_event *const *waits,
                                 uint32_t num_waits)
{
    return (struct vkb_enqueue){
        .queue = queue, .num_waits = num_waits, .waits = waits, .event = &task->events[task->num_events++]};
}

static bool make_objects(struct task *task)
{
    static const enum vkb_descriptor_kind kinds[] = {VKB_DESCRIPTOR_STORAGE_IMAGE, VKB_DESCRIPTOR_STORAGE_BUFFER};
    static atomic_uint number = 5000;
    struct vkb_image_info info = {.kind = VKB_IMAGE_2D,
                                  .format = VK_FORMAT_R32_UINT,
                                  .texel_size = 4,
                                  .width = 4,
                                  .height = 4,
                                  .depth = 1,
                                  .layers = 1,
                                  .sampled = true,
                                  .storage = true,
                                  .mapping = {0, 1, 2, 3}};
    uint32_t words[ARRAY_LENGTH(kernel_add)];
    memcpy(words, kernel_add, sizeof(words));
    words[2] = atomic_fetch_add(&number, 1); /* the tool's number: a module that nobody has made before */
    expect(task, vkb_queue_create(device, VKB_QUEUE_PROFILING, &task->queue));
    expect(task, vkb_queue_create(device, VKB_QUEUE_OUT_OF_ORDER, &task->other));
    expect(task, vkb_buffer_create(device, 20 << 20, VKB_MEMORY_DEVICE, &task->large));
    expect(task, vkb_buffer_create(device, COUNT * 4, VKB_MEMORY_DEVICE, &task->buffer));
    expect(task, vkb_buffer_create(device, 4096, VKB_MEMORY_DEVICE, &task->texels));
    if (device->caps.sparse_space)
        expect(task, vkb_buffer_create(device, SPARSE_SIZE, VKB_MEMORY_DEVICE, &task->sparse));
    expect(task, vkb_image_create(device, &info, &task->image));
    info = (struct vkb_image_info){.kind = VKB_IMAGE_BUFFER,
                                   .format = VK_FORMAT_R32_UINT,
                                   .texel_size = 4,
                                   .width = TEXELS,
                                   .height = 1,
                                   .depth = 1,
                                   .layers = 1,
                                   .storage = true};
    if (task->texels)
        expect(task, vkb_image_create_over(task->texels, 0, &info, &task->view));
    expect(task, vkb_shader_create_with_images(device, words, ARRAY_LENGTH(words), 24, kinds, 2, &task->shader));
    if (task->shader)
        expect(task, vkb_shader_pipeline(task->shader, &(uint32_t){64}, 1, 0, &task->pipeline));
    enum vkb_result imported = vkb_buffer_import(device, task->pages, 4096, &task->imported);
    task->ok &= imported == VKB_SUCCESS || imported == VKB_UNSUPPORTED;
    uint64_t device_ns, host_ns;
    expect(task, vkb_device_time(device, &device_ns, &host_ns));
    expect(task, vkb_event_create_user(&task->user));
    return task->queue && task->other && task->large && task->buffer && task->texels && task->image && task->view &&
           task->shader && task->pipeline && task->user;
}

static enum vkb_result launch(const struct vkb_enqueue *enqueue, struct task *task, struct vkb_buffer *src,
                              struct vkb_buffer *dst, uint32_t count, uint32_t value)
{
    const struct block block = {vkb_buffer_address(src), vkb_buffer_address(dst), count, value, {0}, 0};
    const struct vkb_grid grid = {.pipeline = task->pipeline, .groups = {(count + 63) / 64, 1, 1}};
    const struct vkb_access accesses[] = {{.buffer = src, .reads = true}, {.buffer = dst, .writes = true}};
    struct vkb_image *const images[] = {task->image, task->view};
    const struct vkb_dispatch dispatch = {
        .shader = task->shader,
        .block = &block,
        .block_size = 24,
        .block_in_push_constants = true,
        .group_base_offset = -1,
        .grids = &grid,
        .num_grids = 1,
        .accesses = accesses,
        .num_accesses = 2,
        .images = images,
    };
    return vkb_cmd_dispatch(enqueue, &dispatch);
}

/* A buffer whose mapping is hidden takes the ways of a discrete GPU. */
static void hide(struct vkb_buffer *buffer)
{
    buffer->map = NULL;
    buffer->cached = false;
}

static void enqueue_all(struct task *task)
{
    const struct vkb_image_region region = {.extent = {4, 4, 1}, .row_texels = 4, .slice_rows = 4};
    struct vkb_enqueue enqueue;
    hide(task->buffer);
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_write(&enqueue, task->buffer, 0, COUNT * 4, task->data, true));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_fill(&enqueue, task->large, 0, 4096, "12345678", 8));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, launch(&enqueue, task, task->buffer, task->large, 250, 1));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, launch(&enqueue, task, task->large, task->large, 250, 1));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_copy(&enqueue, task->large, 0, task->buffer, 0, 1000));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_copy(&enqueue, task->buffer, 0, task->buffer, 4, 800)); /* overlapping */
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_read(&enqueue, task->buffer, 0, sizeof(task->small), task->small));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_buffer_to_image(&enqueue, task->large, task->image, &region));
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_image_to_buffer(&enqueue, task->image, task->texels, &region));
    struct vkb_event *last = task->events[task->num_events - 1];
    /* held behind the user event, on another queue, with a callback at the end */
    struct vkb_event *waits[] = {task->user, last};
    enqueue = behind(task, task->other, waits, last ? 2 : 1);
    expect(task, vkb_cmd_read(&enqueue, task->texels, 0, sizeof(task->texel_data), task->texel_data));
    enqueue = behind(task, task->other, &task->user, 1);
    expect(task, vkb_cmd_host(&enqueue, task_host, task));
    if (task->events[task->num_events - 1]) {
        task->called_back = vkb_event_on_status(task->events[task->num_events - 1], VKB_COMPLETE, on_call,
                                                &task->record) == VKB_SUCCESS;
        task->ok &= task->called_back;
    }
    enqueue = behind(task, task->queue, NULL, 0);
    expect(task, vkb_cmd_read(&enqueue, task->buffer, 0, COUNT * 4, task->data));
    /* more than a batch holds, so that it is submitted in the middle of a call */
    for (uint32_t i = 0; i < 70; i++) {
        enqueue = (struct vkb_enqueue){.queue = task->queue};
        expect(task, launch(&enqueue, task, task->large, task->large, 250, 1));
    }
}

/* What all calls said was done is done. */
static bool data_is_right(const struct task *task)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 250; i++) {
        uint32_t from = i == 0 ? 0 : i <= 200 ? i - 1 : i;
        wrong += task->small[i] != from + 2 || task->data[i] != from + 2;
    }
    for (uint32_t i = 250; i < COUNT; i++)
        wrong += task->data[i] != i;
    for (uint32_t i = 0; i < TEXELS; i++)
        wrong += task->texel_data[i] != i + 2;
    return !wrong && atomic_load(&task->host_calls) == 1;
}

/* True when all of it went well. Whatever happens, every event ends, and no wrong data counts as right. */
static bool run_task(void)
{
    const uint64_t limit_ns = 60000000000u;
    struct task *task = calloc(1, sizeof(*task));
    task->ok = true;
    task->data = calloc(COUNT, 4);
    task->pages = aligned_alloc(4096, 8192);
    for (uint32_t i = 0; i < COUNT; i++)
        task->data[i] = i;
    bool made = make_objects(task), enqueued_host = false;
    if (made)
        enqueue_all(task);
    if (task->user)
        vkb_event_set_user(task->user, 0);
    for (uint32_t i = 0; i < task->num_events; i++) {
        struct vkb_event *event = task->events[i];
        if (!event)
            continue;
        enum vkb_result result = vkb_event_wait(event, limit_ns);
        CHECK(result != VKB_TIMEOUT);
        CHECK(result == VKB_SUCCESS ? vkb_event_ask(event) == VKB_COMPLETE : vkb_event_ask(event) < 0);
        expect(task, result);
        enqueued_host |= i == 10;
        vkb_event_release(event);
    }
    if (task->queue)
        expect(task, vkb_queue_wait(task->queue));
    if (task->other)
        expect(task, vkb_queue_wait(task->other));
    CHECK(!task->called_back || called(&task->record));
    bool ok = task->ok;
    CHECK(!ok || data_is_right(task));
    vkb_event_release(task->user);
    vkb_shader_release(task->shader);
    vkb_image_release(task->image);
    vkb_image_release(task->view);
    vkb_buffer_release(task->large);
    vkb_buffer_release(task->buffer);
    vkb_buffer_release(task->texels);
    vkb_buffer_release(task->sparse);
    vkb_buffer_release(task->imported);
    vkb_queue_release(task->queue);
    vkb_queue_release(task->other);
    CHECK(queues_are_gone());
    CHECK(atomic_load(&task->host_calls) + atomic_load(&task->host_drops) == enqueued_host);
    free(task->data);
    free(task->pages);
    free(task);
    return ok;
}

/* ---- one call after the other ---- */

static char cache_directory[] = "/tmp/pumice-faults-XXXXXX";

/* The task, with the driver's cache read before and written behind it. */
static bool cached_task(void)
{
    vkb_memory_trim(device); /* all memory comes from the driver, and goes back to it */
    vkb_cache_set_directory(device, NULL);
    vkb_cache_set_directory(device, cache_directory);
    vkb_cache_await(device);
    bool ok = run_task();
    vkb_cache_save(device);
    return ok;
}

/* Drivers that keep nothing in their cache answer with its head alone, which is not worth a file. */
static VKAPI_ATTR VkResult VKAPI_CALL padded_cache_data(VkDevice handle, VkPipelineCache cache, size_t *size,
                                                        void *data)
{
    enum { PADDING = 64 };
    size_t room = data && *size > PADDING ? *size - PADDING : 0;
    VkResult result = twin_vkGetPipelineCacheData(handle, cache, data ? &room : size, data);
    if (data)
        memset((char *)data + room, 0, PADDING);
    *size = data ? room + PADDING : *size + PADDING;
    return result;
}

static void read_live(int live[NUM_LIVE])
{
    vkb_memory_trim(device);
    for (int i = 0; i < NUM_LIVE; i++)
        live[i] = atomic_load(&call_live[i]);
}

/* The call fails the first few times that the task makes it, one after the other. */
static uint32_t fail_call(int call, VkResult error, uint32_t calls)
{
    uint32_t failed = 0, tried = calls < 6 ? calls : 6;
    for (uint32_t i = 1; i <= tried; i++) {
        /* the first three, and as many from the rest */
        uint32_t after = i <= 3 || calls < 8 ? i : calls - (tried - i) * (calls / 8);
        inject(call, (int)after, error);
        failed += !cached_task();
        injected();
        recover();
        CHECK(cached_task());
    }
    return failed;
}

static void test_failing_calls(void)
{
    int before[NUM_LIVE], after[NUM_LIVE];
    uint32_t num_failures = 0, num_told = 0, counts[NUM_TABLE_CALLS], covered = 0;
    CHECK(mkdtemp(cache_directory) != NULL);
    /* until what is kept for later has come to be */
    for (int i = 0; i < 70; i++)
        CHECK(cached_task());
    for (int call = 0; call < NUM_TABLE_CALLS; call++)
        counts[call] = atomic_load(&call_counts[call]);
    CHECK(cached_task());
    for (int call = 0; call < NUM_TABLE_CALLS; call++)
        counts[call] = atomic_load(&call_counts[call]) - counts[call];
    read_live(before);
    for (int call = 0; call < NUM_TABLE_CALLS; call++) {
        uint32_t told = 0, failures = 0;
        for (const VkResult *error = call_errors[call]; *error != VK_SUCCESS; error++) {
            told += fail_call(call, *error, counts[call]);
            failures += counts[call] < 6 ? counts[call] : 6;
        }
        covered += counts[call] > 0;
        printf("%s: %u calls, failed %u times, %u told\n", call_names[call], counts[call], failures, told);
        num_failures += failures;
        num_told += told;
        device->memory->refused_size = SPARSE_SIZE;
    }
    for (int i = 0; i < 70; i++)
        CHECK(cached_task());
    read_live(after);
    for (int i = 0; i < NUM_LIVE; i++) {
        if (after[i] > before[i])
            printf("%s: %d were alive, now %d\n", live_names[i], before[i], after[i]);
        CHECK(after[i] <= before[i]);
    }
    printf("%d functions that may fail, %u of them called; %u failures, %u told\n", NUM_TABLE_CALLS, covered,
           num_failures, num_told);
    CHECK(num_told > 0);
}

/* ---- what is called before there is a device ---- */

/* In a process of its own: whatever fails, there are devices or none, and a second attempt to open one works. */
static void fail_before_devices(int call, int after, VkResult error)
{
    inject(call, after, error);
    struct vkb_instance *instance = vkb_instance_get();
    for (uint32_t i = 0; i < vkb_instance_num_devices(instance); i++) {
        device = vkb_instance_device(instance, i);
        if (!vkb_device_caps(device)->qualifies)
            continue;
        bool opened = vkb_device_open(device) == VKB_SUCCESS;
        bool done = injected();
        CHECK(opened || done);
        recover();
        if (!opened && error != VK_ERROR_DEVICE_LOST)
            OK(vkb_device_open(device));
        if (vkb_device_open(device) == VKB_SUCCESS)
            CHECK(run_task());
    }
    exit(test_result());
}

static void test_before_devices(void)
{
    uint32_t tried = 0;
    for (int call = NUM_TABLE_CALLS; call < NUM_CALLS; call++) {
        for (const VkResult *error = call_errors[call]; *error != VK_SUCCESS; error++) {
            for (int after = 1; after <= 2; after++, tried++) {
                fflush(stdout);
                pid_t pid = fork();
                if (!pid)
                    fail_before_devices(call, after, *error);
                int status = -1;
                waitpid(pid, &status, 0);
                if (status)
                    printf("%s, call %d, VkResult %d: status 0x%x\n", call_names[call], after, *error, status);
                CHECK(status == 0);
            }
        }
    }
    printf("%d functions before there is a device; %u failures\n", NUM_CALLS - NUM_TABLE_CALLS, tried);
}

/* The last test of a device: it is lost with work of every kind under way. */
static void test_lost(void)
{
    struct vkb_queue *queue = make_lone_queue(0), *other = make_lone_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct vkb_buffer *a = make_buffer(4096, true), *b = make_buffer(4096, true), *none = NULL;
    struct vkb_event *user = NULL, *ran = NULL, *held = NULL, *recorded = NULL;
    struct call_record record = {0};
    uint32_t data[16];
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue, .event = &ran};
    OK(add(&enqueue, a, b, 100, 1, false));
    enqueue = (struct vkb_enqueue){.queue = other, .num_waits = 1, .waits = &user, .event = &held};
    OK(vkb_cmd_read(&enqueue, a, 0, sizeof(data), data));
    enqueue = (struct vkb_enqueue){.queue = other, .event = &recorded};
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_event_on_status(held, VKB_COMPLETE, on_call, &record));
    /* the device is not lost really: what it still ran would be freed under its hands */
    device->vk.vkDeviceWaitIdle(device->handle);
    inject(CALL_vkQueueSubmit, 1, VK_ERROR_DEVICE_LOST);
    CHECK(vkb_event_wait(ran, UINT64_MAX) == VKB_DEVICE_LOST);
    CHECK(vkb_device_lost(device));
    vkb_event_wait(recorded, UINT64_MAX);
    vkb_event_set_user(user, 0);
    CHECK(vkb_event_wait(held, UINT64_MAX) == VKB_DEVICE_LOST);
    CHECK(vkb_event_ask(held) < 0 && vkb_event_ask(ran) < 0);
    CHECK(called(&record) && record.status < 0);
    CHECK(vkb_cmd_read(&enqueue, a, 0, 4, data) == VKB_DEVICE_LOST);
    CHECK(vkb_buffer_create(device, 100, VKB_MEMORY_DEVICE, &none) == VKB_DEVICE_LOST);
    CHECK(vkb_queue_wait(queue) == VKB_DEVICE_LOST && vkb_queue_flush(other) == VKB_DEVICE_LOST);
    struct vkb_event *all[] = {user, ran, held, recorded};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        vkb_event_release(all[i]);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

static void sleep_long(void *data, bool run)
{
    (void)data;
    if (run)
        sleep(100);
}

/* Leaves everything as it is: the process must end soon and well. */
static void leave_in_the_middle(void)
{
    enum { MANY = 2 << 20 };
    static struct call_record record;
    struct vkb_queue *queue = make_queue(VKB_QUEUE_PROFILING), *other = make_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct vkb_buffer *a = make_buffer(MANY * 4, false), *b = make_buffer(MANY * 4, true);
    struct vkb_event *user = NULL, *event = NULL;
    uint32_t *data = calloc(MANY, 4);
    make_shaders();
    OK(vkb_event_create_user(&user));
    for (uint32_t size = 1; size <= 16; size++)
        vkb_shader_prefetch(add_shader, &size, 1, 0);
    struct vkb_enqueue enqueue = {.queue = other, .num_waits = 1, .waits = &user};
    OK(vkb_cmd_read(&enqueue, a, 0, 100, data));
    enqueue = on(other);
    OK(vkb_cmd_host(&enqueue, sleep_long, NULL));
    OK(vkb_queue_flush(other));
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &event};
    for (int i = 0; i < 20; i++)
        OK(add(&enqueue, i % 2 ? a : b, i % 2 ? b : a, MANY, 1, false));
    OK(vkb_event_on_status(event, VKB_COMPLETE, on_call, &record));
    OK(vkb_cmd_read(&enqueue, b, 0, MANY * 4, data));
    OK(vkb_queue_flush(queue));
    vkb_queue_release(queue);
}

static void test_faults(void)
{
    install_table(&device->vk);
    device->vk.vkGetPipelineCacheData = padded_cache_data;
    /* what is larger is made of parts */
    device->caps.max_single_allocation = 100 << 20;
    device->memory->refused_size = SPARSE_SIZE;
    test_failing_calls();
    make_shaders();
    test_lost();
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool leave = argc > 1 && !strcmp(argv[1], "leave");
    if (!leave)
        test_before_devices();
    return test_devices(leave ? leave_in_the_middle : test_faults);
}
