/* cl_khr_external_semaphore with opaque descriptors and sync files: between two contexts, with a Vulkan program, and
 * between two processes.
 *
 * usage: api_semaphore_fd [handles | signal FD | wait FD]
 *
 * Without an argument the test is skipped where the device has no such semaphores. With "handles" it runs under
 * tests/support/handles.c, and the lack of them is a failure. The last two are what its second process does. */
#include "peer.h"
#include "share_test.h"

#include <unistd.h>

static const struct kind {
    cl_uint type;
    VkExternalSemaphoreHandleTypeFlagBits vulkan;
} kinds[] = {
    {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT},
    {CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT},
};

static cl_semaphore_khr export_semaphore(cl_uint type)
{
    const properties_t properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, type, 0, 0};
    cl_int error;
    cl_semaphore_khr semaphore = cl.create(context, properties, &error);
    NEED(error == CL_SUCCESS);
    return semaphore;
}

static int handle_of(cl_semaphore_khr semaphore, cl_uint type)
{
    int fd = -5;
    size_t size = 0;
    OK(cl.handle(semaphore, device, type, sizeof(fd), &fd, &size));
    CHECK(size == sizeof(fd));
    return fd;
}

static cl_semaphore_khr import_semaphore(cl_context into, cl_uint type, int fd, cl_int *error)
{
    const properties_t properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, type, (properties_t)fd, 0};
    return cl.create(into, properties, error);
}

static void test_refusals(cl_uint type)
{
    const properties_t both[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, type, 0, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, type, 0, 0};
    const properties_t twice[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, type, 0, type, 0, 0};
    const properties_t two[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, type, type, 0, 0};
    NO_OBJECT(CL_INVALID_OPERATION, cl.create(context, both, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, cl.create(context, twice, &error));
    NO_OBJECT(CL_INVALID_VALUE, cl.create(context, two, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import_semaphore(context, type, 987654, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import_semaphore(context, type, -2, &error));
    cl_semaphore_khr semaphore = export_semaphore(type);
    cl_uint found = 0;
    size_t size = 0;
    int fd = -5;
    cl_bool exportable = CL_FALSE;
    OK(cl.info(semaphore, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof(found), &found, &size));
    CHECK(found == type && size == sizeof(found));
    OK(cl.info(semaphore, SEMAPHORE_EXPORTABLE, sizeof(exportable), &exportable, NULL));
    CHECK(exportable);
    CODE(CL_INVALID_VALUE, cl.handle(semaphore, device, type, 2, &fd, NULL));
    CODE(CL_INVALID_VALUE, cl.handle(semaphore, device, 12345, sizeof(fd), &fd, NULL));
    OK(cl.handle(semaphore, device, type, 0, NULL, &size));
    CHECK(size == sizeof(fd) && fd == -5);
    CODE(CL_INVALID_SEMAPHORE_KHR, cl.reimport(semaphore, NULL, -1));
    if (type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR) /* nothing signals it */
        CODE(CL_INVALID_OPERATION, cl.handle(semaphore, device, type, sizeof(fd), &fd, NULL));
    OK(cl.release(semaphore));
}

/* One context signals, another one waits. */
static void test_contexts(cl_uint type)
{
    cl_int error;
    cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    cl_command_queue waiting = clCreateCommandQueue(second, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OK(error);
    cl_semaphore_khr ours = export_semaphore(type), theirs = NULL;
    cl_event done;
    for (int round = 0; round < 3; round++) {
        OK(cl.signal(queue, 1, &ours, NULL, 0, NULL, NULL));
        if (!theirs || type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR) {
            int fd = handle_of(ours, type);
            CHECK(type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR || fd >= 0);
            if (theirs)
                OK(cl.reimport(theirs, NULL, fd));
            else
                theirs = import_semaphore(second, type, fd, &error);
            NEED(theirs);
            CHECK(payload(theirs) == (type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR));
        }
        OK(cl.wait(waiting, 1, &theirs, NULL, 0, NULL, &done));
        OK(clWaitForEvents(1, &done));
        CHECK(event_status(done) == CL_COMPLETE && payload(theirs) == 0);
        clReleaseEvent(done);
    }
    if (type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR) {
        properties_t unknown[] = {5, 6, 0};
        CODE(CL_INVALID_VALUE, cl.reimport(theirs, unknown, -1));
        CODE(CL_INVALID_VALUE, cl.reimport(theirs, NULL, 987654));
        CODE(CL_INVALID_VALUE, cl.reimport(theirs, NULL, -7));
        OK(cl.reimport(theirs, NULL, -1)); /* signalled */
        OK(cl.wait(waiting, 1, &theirs, NULL, 0, NULL, NULL));
        OK(clFinish(waiting));
    }
    OK(cl.release(ours));
    OK(cl.release(theirs));
    clReleaseCommandQueue(waiting);
    clReleaseContext(second);
}

/* Our signal is held back by a user event; its wait in the same process is submitted only after it. */
static void test_gate(cl_uint type)
{
    cl_semaphore_khr semaphore = export_semaphore(type);
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_event gate = user_event(), done;
    OK(cl.signal(queue, 1, &semaphore, NULL, 1, &gate, NULL));
    OK(cl.wait(second, 1, &semaphore, NULL, 0, NULL, &done));
    OK(clFlush(second));
    CHECK(event_status(done) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    OK(clFinish(queue));
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseCommandQueue(second);
    OK(cl.release(semaphore));
}

/* Vulkan signals and OpenCL waits, and the other way round. */
static void test_vulkan(const struct peer *peer, const struct kind *kind)
{
    cl_int error;
    VkSemaphore out = peer_semaphore_make(peer, kind->vulkan), in = peer_semaphore_make(peer, kind->vulkan);
    peer_submit(peer, VK_NULL_HANDLE, out, true);
    cl_semaphore_khr imported =
        import_semaphore(context, kind->type, peer_semaphore_export(peer, out, kind->vulkan), &error);
    OK(error);
    cl_event done;
    OK(cl.wait(queue, 1, &imported, NULL, 0, NULL, &done));
    OK(clWaitForEvents(1, &done));
    clReleaseEvent(done);
    cl_semaphore_khr exported = export_semaphore(kind->type);
    OK(cl.signal(queue, 1, &exported, NULL, 0, NULL, NULL));
    peer_semaphore_import(peer, in, kind->vulkan, handle_of(exported, kind->type));
    peer_submit(peer, in, VK_NULL_HANDLE, true);
    if (kind->type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR) { /* by reference: again and again */
        for (int round = 0; round < 3; round++) {
            peer_submit(peer, VK_NULL_HANDLE, out, false);
            OK(cl.wait(queue, 1, &imported, NULL, 0, NULL, NULL));
            OK(cl.signal(queue, 1, &exported, NULL, 0, NULL, NULL));
            peer_submit(peer, in, VK_NULL_HANDLE, true);
        }
    }
    OK(clFinish(queue));
    OK(cl.release(imported));
    OK(cl.release(exported));
    peer_semaphore_free(peer, out);
    peer_semaphore_free(peer, in);
}

/* The second process signals what this one waits for, and waits for what this one signals. */
static void test_processes(void)
{
    const cl_uint type = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    cl_semaphore_khr semaphore = export_semaphore(type);
    int fd = dup(handle_of(semaphore, type)); /* inherited, as the original is not */
    NEED(fd >= 0);
    pid_t child = start_child("signal", fd);
    OK(cl.wait(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    end_child(child);
    OK(cl.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    child = start_child("wait", fd);
    end_child(child);
    OK(clFinish(queue));
    close(fd);
    OK(cl.release(semaphore));
}

static int second_process(const char *what, int fd)
{
    cl_int error;
    cl_semaphore_khr semaphore = import_semaphore(context, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd, &error);
    OK(error);
    cl_event done;
    OK((strcmp(what, "signal") ? cl.wait : cl.signal)(queue, 1, &semaphore, NULL, 0, NULL, &done));
    OK(clWaitForEvents(1, &done));
    clReleaseEvent(done);
    OK(cl.release(semaphore));
    return close_device();
}

static bool is_swiftshader(void)
{
    char name[256] = "";
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    return strstr(name, "SwiftShader") != NULL;
}

int main(int argc, char **argv)
{
    open_device(0);
    load_functions();
    if (argc == 3)
        return second_process(argv[1], atoi(argv[2]));
    bool any = has_extension("cl_khr_external_semaphore");
    if (!any && argc < 2) {
        printf("the device shares no semaphores\n");
        close_device();
        return TEST_SKIPPED;
    }
    CHECK(any);
    struct peer peer;
    uint8_t device_uuid[CL_UUID_SIZE_KHR], driver_uuid[CL_UUID_SIZE_KHR];
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(device_uuid), device_uuid, NULL));
    OK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof(driver_uuid), driver_uuid, NULL));
    bool has_peer = peer_open(&peer, device_uuid, driver_uuid);
    CHECK(has_peer);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        cl_uint type = kinds[i].type;
        bool imports = lists(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, type);
        if (!imports || !lists(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, type))
            continue;
        test_refusals(type);
        test_contexts(type);
        test_gate(type);
        if (has_peer)
            test_vulkan(&peer, &kinds[i]);
        if (type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR && is_swiftshader())
            printf("not between processes: SwiftShader waits for signals that were given\n");
        else if (type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
            test_processes();
    }
    if (has_peer)
        peer_close(&peer);
    return close_device();
}
