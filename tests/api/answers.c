/* What a device says of itself stays the same: before anything is built, after kernels ran, and in whatever order it is
 * asked.
 *     answers down|up|events     the order; or asked first by an event's callback */
#include "api_test.h"

#include <unistd.h>

enum { MOST = 4096, ROOM = 65536 };

/* Ranges of all names that headers have given to queries of devices. */
static const struct {
    cl_device_info from, to;
} ranges[] = {{0x1000, 0x1100}, {0x4000, 0x4300}, {0x10000, 0x10060}};

/* These are true of a moment: CL_DEVICE_GLOBAL_FREE_MEMORY_AMD. */
static bool may_change(cl_device_info name)
{
    return name == 0x4039;
}

static struct answer {
    cl_device_info name;
    cl_int code;
    size_t size;
    void *bytes;
} answers[MOST];
static size_t num_answers;

static void list_names(bool down)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        for (cl_device_info name = ranges[i].from; name < ranges[i].to; name++)
            answers[num_answers++].name = name;
    }
    for (size_t i = 0; down && i < num_answers / 2; i++) {
        struct answer swapped = answers[i];
        answers[i] = answers[num_answers - 1 - i];
        answers[num_answers - 1 - i] = swapped;
    }
}

static void ask(const struct answer *about, struct answer *answer)
{
    static char room[ROOM];
    *answer = (struct answer){.name = about->name};
    answer->code = clGetDeviceInfo(device, about->name, sizeof(room), room, &answer->size);
    if (answer->code == CL_SUCCESS) {
        answer->bytes = malloc(answer->size + 1);
        memcpy(answer->bytes, room, answer->size);
    }
}

static void ask_first(void)
{
    size_t known = 0;
    for (size_t i = 0; i < num_answers; i++) {
        ask(&answers[i], &answers[i]);
        known += answers[i].code == CL_SUCCESS;
    }
    CHECK(known > 100);
}

static void ask_again(const char *when)
{
    for (size_t i = 0; i < num_answers; i++) {
        const struct answer *first = &answers[i];
        struct answer now;
        if (may_change(first->name))
            continue;
        ask(first, &now);
        bool same = now.code == first->code && now.size == first->size &&
                    (now.code != CL_SUCCESS || memcmp(now.bytes, first->bytes, now.size) == 0);
        if (!same)
            fprintf(stderr, "0x%x is answered otherwise %s: code %d, then %d; %zu bytes, then %zu\n", first->name, when,
                    first->code, now.code, first->size, now.size);
        CHECK(same);
        free(now.bytes);
    }
}

static void work(void)
{
    cl_program program =
        build("kernel void k(global float *a) { a[get_global_id(0)] = sqrt(a[get_global_id(0)]); }", "");
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    size_t size = 1024;
    OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void CL_CALLBACK ask_in_callback(cl_event event, cl_int status, void *asked)
{
    (void)event;
    (void)status;
    ask_first();
    OK(clSetUserEventStatus(asked, CL_COMPLETE));
}

/* The thread that calls back is the driver's own. */
static void ask_by_event(void)
{
    cl_int zero = 0;
    cl_event filled, asked = clCreateUserEvent(context, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, 4096, 0, NULL, &filled));
    OK(clSetEventCallback(filled, CL_COMPLETE, ask_in_callback, asked));
    OK(clFlush(queue));
    OK(clWaitForEvents(1, &asked));
    OK(clReleaseEvent(asked));
    OK(clReleaseEvent(filled));
    OK(clReleaseMemObject(buffer));
}

/* In a process for which nothing is known of the device yet. */
int main(int argc, char **argv)
{
    char folder[] = "/tmp/pumice-answers-XXXXXX";
    if (argc < 2 || !mkdtemp(folder))
        return 1;
    unsetenv("PUMICE_CACHE");
    unsetenv("PUMICE_PROBE");
    setenv("PUMICE_CACHE_DIR", folder, 1);
    open_device(0);
    list_names(strcmp(argv[1], "down") == 0);
    if (strcmp(argv[1], "events") == 0)
        ask_by_event();
    else
        ask_first();
    ask_again("a second time");
    work();
    ask_again("after a kernel ran");
    for (size_t i = 0; i < num_answers; i++)
        free(answers[i].bytes);
    int result = close_device();
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(system(command) == 0);
    return result ? result : test_result();
}
