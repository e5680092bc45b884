/* What a process may do around OpenCL: end while objects are still used by what runs last, fork, become another
 * program, be signalled, use a small stack, call back into OpenCL from callbacks, end while a kernel runs on and on.
 * Each in a process of its own, which must end by itself, well, and soon. */
#include "api_test.h"
#include "no_leaks.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char source[] =
    "kernel void add(global int *io, int value) { io[get_global_id(0)] += value; }\n"
    "kernel void tell(global int *io) { if (!get_global_id(0)) printf(\".\"); io[get_global_id(0)]++; }\n"
    "kernel void long_way(global int *io, int n)\n"
    "{\n"
    "    int x = io[0];\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int j = 0; j < 1000000; j++)\n"
    "            x = x * 1103515245 + 12345 + (x >> 3);\n"
    "    io[get_global_id(0)] = x;\n"
    "}\n";

enum { ITEMS = 64 };

static cl_program program;
static cl_kernel add, tell, long_way;
static cl_mem buffer;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void make_objects(void)
{
    open_device(0);
    program = build(source, "");
    add = clCreateKernel(program, "add", NULL);
    tell = clCreateKernel(program, "tell", NULL);
    long_way = clCreateKernel(program, "long_way", NULL);
    NEED(add && tell && long_way);
    buffer = buffer_of(0, ITEMS * sizeof(cl_int), NULL);
    cl_int zero = 0;
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, ITEMS * sizeof(zero), 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(tell, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(long_way, 0, sizeof(buffer), &buffer));
}

static cl_int launch(cl_kernel kernel, size_t items)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

static cl_int add_value(cl_int value)
{
    cl_int error = clSetKernelArg(add, 1, sizeof(value), &value);
    return error == CL_SUCCESS ? launch(add, ITEMS) : error;
}

static cl_int read_first(void)
{
    cl_int data[ITEMS];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    return data[0];
}

static void release_all(void)
{
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(tell));
    OK(clReleaseKernel(long_way));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

/* ---- what runs last ---- */

/* As the destructor of a C++ program's static object, made before its first call to OpenCL: it runs when the driver's
 * own exit handlers have. Its launches may fail, but what they say succeeded must be so. */
static void last_wishes(void)
{
    cl_int data[ITEMS], error;
    if (!queue)
        return;          /* there was no device */
    OK(clFinish(queue)); /* nothing is left to do */
    cl_int set = add_value(5), told = launch(tell, ITEMS), finished = clFinish(queue);
    cl_int got = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL);
    CHECK(got != CL_SUCCESS || data[0] == 7 + (set == CL_SUCCESS ? 5 : 0) + (told == CL_SUCCESS));
    CHECK((set == CL_SUCCESS && told == CL_SUCCESS) || finished != CL_SUCCESS || got != CL_SUCCESS);
    void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof(data), 0, NULL, NULL, &error);
    CHECK((map != NULL) == (error == CL_SUCCESS));
    cl_mem late = clCreateBuffer(context, 0, 1 << 20, NULL, &error);
    CHECK((late != NULL) == (error == CL_SUCCESS));
    if (late)
        OK(clReleaseMemObject(late));
    cl_program late_program = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &error);
    if (late_program) {
        if (clBuildProgram(late_program, 0, NULL, "-DLATE", NULL, NULL) == CL_SUCCESS) {
            cl_kernel kernel = clCreateKernel(late_program, "tell", &error);
            CHECK((kernel != NULL) == (error == CL_SUCCESS));
            if (kernel)
                OK(clReleaseKernel(kernel));
        }
        OK(clReleaseProgram(late_program));
    }
    cl_event user = clCreateUserEvent(context, &error);
    if (user) {
        clSetUserEventStatus(user, CL_COMPLETE);
        OK(clReleaseEvent(user));
    }
    release_all();
    fflush(stdout);
    if (test_failures)
        _exit(1);
}

static int static_objects(void)
{
    atexit(last_wishes);
    make_objects();
    OK(add_value(7));
    CHECK(read_first() == 7);
    OK(launch(tell, 0));
    OK(clFinish(queue));
    exit(test_result());
}

/* The same with a printing kernel behind which nobody waited. */
static void last_release(void)
{
    if (!queue)
        return;
    clFinish(queue);
    release_all();
    if (test_failures)
        _exit(1);
}

static int static_objects_and_work(void)
{
    atexit(last_release);
    make_objects();
    for (int i = 0; i < 50; i++) {
        OK(launch(tell, ITEMS));
        OK(clFlush(queue));
    }
    exit(test_result());
}

/* The same with work that nobody has flushed, as a launch of HIP or SYCL leaves it: it is done, and the wait for it in the
 * exit handler says so. */
static cl_int unflushed[ITEMS];

static void last_wait(void)
{
    if (!queue)
        return;
    OK(clFlush(queue));
    OK(clFinish(queue));
    CHECK(unflushed[0] == 7 && unflushed[ITEMS - 1] == 7);
    release_all();
    if (test_failures)
        _exit(1);
}

static int unflushed_work(void)
{
    atexit(last_wait);
    make_objects();
    OK(add_value(3));
    OK(clFinish(queue)); /* the pipelines and what else the first launch makes */
    OK(add_value(4));
    OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(unflushed), unflushed, 0, NULL, NULL));
    exit(test_result());
}

/* And with the very first launch, and one that prints. */
static int unflushed_first(void)
{
    atexit(last_wait);
    make_objects();
    OK(add_value(6));
    OK(launch(tell, ITEMS)); /* what it prints is the host's work */
    OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(unflushed), unflushed, 0, NULL, NULL));
    exit(test_result());
}

/* And behind kernels that keep the device for some time, here 0.3 s: what is held behind them begins no sooner. */
static int unflushed_behind(void)
{
    atexit(last_wait);
    make_objects();
    cl_int zero = 0, n = 1;
    double took = 0;
    for (; took < 0.02; n *= 2) {
        double began = seconds();
        OK(clSetKernelArg(long_way, 1, sizeof(n), &n));
        OK(launch(long_way, 1));
        OK(clFinish(queue));
        took = seconds() - began;
    }
    n = (cl_int)(n / 2 * 0.3 / took) + 1;
    OK(clSetKernelArg(long_way, 1, sizeof(n), &n));
    OK(launch(long_way, 1));
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, ITEMS * sizeof(zero), 0, NULL, NULL));
    OK(add_value(5));
    OK(launch(tell, ITEMS));
    OK(launch(tell, ITEMS));
    OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(unflushed), unflushed, 0, NULL, NULL));
    exit(test_result());
}

/* ---- fork ---- */

static atomic_bool stop;

static void *keep_busy(void *data)
{
    (void)data;
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "tell", NULL);
    cl_mem memory = buffer_of(0, ITEMS * sizeof(cl_int), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(memory), &memory));
    while (!atomic_load(&stop)) {
        size_t items = ITEMS;
        cl_mem more = buffer_of(0, 100000, NULL);
        OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clFinish(own));
        OK(clReleaseMemObject(more));
    }
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

/* The child has neither the parent's threads nor its device, and locks of theirs may be locked for ever. */
static void be_child(cl_event event)
{
    cl_int error, status;
    cl_int data[ITEMS];
    CHECK(launch(add, ITEMS) != CL_SUCCESS);
    CHECK(clFinish(queue) != CL_SUCCESS && clFlush(queue) != CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL) != CL_SUCCESS);
    CHECK(clWaitForEvents(1, &event) != CL_SUCCESS);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL) != CL_SUCCESS);
    CHECK(!clCreateBuffer(context, 0, 100, NULL, &error) && error != CL_SUCCESS);
    CHECK(!clCreateContext(NULL, 1, &device, NULL, NULL, &error) && error != CL_SUCCESS);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
    clReleaseKernel(add);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    exit(test_result());
}

static int fork_and_go_on(void)
{
    pthread_t threads[3];
    make_objects();
    freopen("/dev/null", "w", stdout); /* half a line in stdio's buffer would be written twice */
    for (size_t i = 0; i < COUNT(threads); i++)
        NEED(pthread_create(&threads[i], NULL, keep_busy, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        cl_event event;
        size_t items = ITEMS;
        cl_int value = 1;
        OK(clSetKernelArg(add, 1, sizeof(value), &value));
        OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, &event));
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            be_child(event);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        if (status)
            fprintf(stderr, "the child ended with 0x%x\n", status);
        CHECK(status == 0);
        OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
        CHECK(read_first() == i + 1);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    release_all();
    return test_result();
}

/* A server that looks at the devices and forks its workers: what these do at their end is theirs. */
static int exit_pipe[2];

static void tell_exit(void)
{
    if (write(exit_pipe[1], "x", 1) != 1)
        _exit(1);
}

static int fork_after_list(void)
{
    char text[2];
    cl_int error;
    NEED(pipe(exit_pipe) == 0);
    atexit(tell_exit); /* before the driver is there */
    find_device();
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        /* Vulkan's drivers are of no use in a child, and say so. */
        CHECK(!clCreateContext(NULL, 1, &device, NULL, NULL, &error) && error != CL_SUCCESS);
        exit(test_result());
    }
    close(exit_pipe[1]);
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK(status == 0);
    CHECK(read(exit_pipe[0], text, sizeof(text)) == 1);
    _exit(test_result());
}

/* ---- exec ---- */

static const char after_exec_name[] = "after exec";

/* Becomes another program while kernels run and threads are busy. */
static int exec_at_work(void)
{
    pthread_t threads[3];
    make_objects();
    for (size_t i = 0; i < COUNT(threads); i++)
        NEED(pthread_create(&threads[i], NULL, keep_busy, NULL) == 0);
    for (int i = 0; i < 20; i++)
        OK(add_value(1));
    OK(clFlush(queue));
    execl("/proc/self/exe", "api_life", after_exec_name, (char *)NULL);
    return 1;
}

/* That program: it has nothing of the first but its limit of time, and finds everything in order. */
static int after_exec(void)
{
    make_objects();
    OK(add_value(7));
    CHECK(read_first() == 7);
    release_all();
    return test_result();
}

/* ---- signals ---- */

static atomic_uint signals;

static void on_alarm(int number)
{
    (void)number;
    signals++;
}

/* A user event that this thread does not set. */
static void *set_later(void *event)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); /* signals are for the thread that waits */
    usleep(30000);
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

/* Waits by every call that does, for what only another thread lets go on. */
static void wait_signalled(int how)
{
    cl_event user = user_event(), behind;
    pthread_t thread;
    cl_int data[ITEMS], error;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &behind));
    NEED(pthread_create(&thread, NULL, set_later, user) == 0);
    unsigned before = signals;
    switch (how) {
    case 0:
        OK(clWaitForEvents(1, &behind));
        break;
    case 1:
        OK(clFinish(queue));
        break;
    case 2:
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
        break;
    default: {
        void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
        OK(error);
        OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    }
    }
    CHECK(event_status(behind) == CL_COMPLETE && event_status(user) == CL_COMPLETE);
    CHECK(signals > before);
    pthread_join(thread, NULL);
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(behind));
}

static int signalled(void)
{
    const struct itimerval every = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}};
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
    make_objects();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    cl_int rounds = 200;
    OK(clSetKernelArg(long_way, 1, sizeof(rounds), &rounds));
    for (int i = 0; i < 3; i++) {
        OK(launch(long_way, 1));
        OK(clFinish(queue));
        OK(add_value(1));
        read_first();
        cl_program another = build(source, i ? "-DI=1" : "-DI=2");
        cl_kernel kernel = clCreateKernel(another, "tell", NULL);
        CHECK(kernel != NULL);
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(another));
    }
    CHECK(signals > 20);
    for (int i = 0; i < 4; i++)
        wait_signalled(i);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    release_all();
    return test_result();
}

/* ---- a small stack ---- */

static void *on_small_stack(void *data)
{
    (void)data;
    make_objects();
    OK(add_value(3));
    OK(launch(tell, ITEMS));
    CHECK(read_first() == 4);
    release_all();
    return NULL;
}

static int small_stack(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    NEED(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    NEED(pthread_create(&thread, &attributes, on_small_stack, NULL) == 0);
    pthread_join(thread, NULL);
    return test_result();
}

/* ---- callbacks ---- */

static atomic_int num_called;

static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *data)
{
    int left = (int)(intptr_t)data;
    cl_event next;
    size_t items = ITEMS;
    CHECK(status == CL_COMPLETE && event_status(event) == CL_COMPLETE);
    num_called++;
    if (!left) {
        OK(clFinish(queue)); /* not wise, but nothing forbids it to end */
        return;
    }
    OK(clEnqueueNDRangeKernel(queue, left % 2 ? tell : add, 1, NULL, &items, NULL, 0, NULL, &next));
    OK(clSetEventCallback(next, CL_COMPLETE, enqueue_more, (void *)(intptr_t)(left - 1)));
    OK(clFlush(queue));
    OK(clReleaseEvent(next));
    OK(clRetainMemObject(buffer));
    OK(clReleaseMemObject(buffer));
}

static void CL_CALLBACK memory_gone(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    cl_mem other = buffer_of(CL_MEM_USE_HOST_PTR, 64, data);
    OK(clReleaseMemObject(other));
    num_called++;
}

static int call_back(void)
{
    static char memory[64] __attribute__((aligned(64)));
    cl_event first;
    size_t items = ITEMS;
    make_objects();
    OK(add_value(1));
    OK(clEnqueueNDRangeKernel(queue, tell, 1, NULL, &items, NULL, 0, NULL, &first));
    OK(clSetEventCallback(first, CL_COMPLETE, enqueue_more, (void *)20));
    OK(clReleaseEvent(first));
    OK(clFlush(queue));
    cl_mem mem = buffer_of(CL_MEM_USE_HOST_PTR, 64, memory);
    OK(clSetMemObjectDestructorCallback(mem, memory_gone, memory));
    OK(clReleaseMemObject(mem));
    for (int i = 0; i < 10000 && num_called < 22; i++)
        usleep(1000);
    CHECK(num_called == 22);
    OK(clFinish(queue));
    CHECK(read_first() == 1 + 1 + 20 / 2 + 20 / 2);
    release_all();
    return test_result();
}

/* ---- a kernel that does not end ---- */

static double *exit_began; /* shared with the process that runs a test */

static int endless(bool print)
{
    make_objects();
    if (print) { /* lavapipe makes no pipeline while a kernel runs */
        OK(launch(tell, ITEMS));
        OK(clFinish(queue));
    }
    cl_int rounds = 180000; /* three minutes at least, on anything */
    OK(clSetKernelArg(long_way, 1, sizeof(rounds), &rounds));
    OK(launch(long_way, 1));
    if (print)
        OK(launch(tell, ITEMS));
    OK(clFlush(queue));
    release_all();
    *exit_began = seconds();
    exit(test_result());
}

/* ---- each by itself ---- */

static int run(int which)
{
    switch (which) {
    case 0:
        return static_objects();
    case 1:
        return static_objects_and_work();
    case 2:
        return fork_and_go_on();
    case 3:
        return signalled();
    case 4:
        return small_stack();
    case 5:
        return call_back();
    case 6:
        return exec_at_work();
    case 7:
        return fork_after_list();
    case 8:
        return unflushed_work();
    case 9:
        return unflushed_first();
    case 10:
        return unflushed_behind();
    case 11:
        return endless(false);
    default:
        return endless(true);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"static objects",
                                        "static objects and work",
                                        "fork",
                                        "signals",
                                        "small stack",
                                        "callbacks",
                                        "exec",
                                        "fork after a list",
                                        "unflushed work",
                                        "unflushed first",
                                        "unflushed behind",
                                        "endless",
                                        "endless and printf"};
    enum { LIMIT = 150, SOON = 60, FIRST_ENDLESS = 11 };
    if (argc > 1 && strcmp(argv[1], after_exec_name) == 0)
        return after_exec();
    exit_began = mmap(NULL, sizeof(*exit_began), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NEED(exit_began != MAP_FAILED);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < (int)COUNT(names); i++) {
        if (argc > 1 && strcmp(argv[1], names[i]) != 0)
            continue;
        double began = seconds();
        pid_t pid = fork();
        if (pid == 0) {
            test_failures = 0;
            alarm(LIMIT); /* what hangs is killed, and seen */
            exit(run(i));
        }
        int status = -1;
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
        printf("%s: status 0x%x after %.1f s\n", names[i], status, seconds() - began);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (i >= FIRST_ENDLESS)
            CHECK(seconds() - *exit_began < SOON);
    }
    return test_result();
}
