/* Surroundings that are not kind: a thread with a small stack, and a cache directory in which others have put things.
 * The library reads its settings once, so each case is a process of its own. */
#include "api_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 60 }; /* seconds for a child that should take a fraction of one */

/* An expression that nests as deeply as the compiler lets it. */
static const char *nested(void)
{
    static char text[4096];
    strcpy(text, "kernel void f(global int *o) { o[0] = ");
    for (int i = 0; i < 200; i++)
        strcat(text, "(1 + ");
    strcat(text, "o[0]");
    for (int i = 0; i < 200; i++)
        strcat(text, ")");
    strcat(text, "; printf(\"\"); }");
    return text;
}

static void run_kernel(cl_program program, int start, int expected)
{
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    NEED(kernel);
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(start), &start);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(start), &start, 0, NULL, NULL));
    CHECK(start == expected);
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
}

static void *everything(void *data)
{
    (void)data;
    open_device(0);
    cl_program program = build(nested(), "-cl-std=CL3.0");
    run_kernel(program, 5, 205);
    size_t size = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    clReleaseProgram(program);
    cl_int error;
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    run_kernel(program, 7, 207);
    clReleaseProgram(program);
    free(binary);
    const char *text = nested();
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &error);
    OK(error);
    run_kernel(linked, 9, 209);
    clReleaseProgram(linked);
    clReleaseProgram(program);
    return NULL;
}

static int small_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    NEED(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    NEED(pthread_create(&thread, &attributes, everything, NULL) == 0);
    pthread_join(thread, NULL);
    return close_device();
}

static int with_cache(void)
{
    open_device(0);
    cl_program program = build("kernel void f(global int *o) { o[0] = sin((float)o[0]) + 42; }", "");
    int value = 0;
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    CHECK(value == 42);
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return close_device();
}

/* The exit code, 128 and the signal, or 77. directory NULL: no cache. */
static int child(int (*run)(void), const char *directory)
{
    pid_t pid = fork();
    if (pid == 0) {
        test_failures = 0;
        setenv("PUMICE_CACHE", directory ? "1" : "0", 1);
        if (directory)
            setenv("PUMICE_CACHE_DIR", directory, 1);
        alarm(LIMIT);
        exit(run());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum change { COUNT_ONLY, TO_PIPES, TO_LINKS, REMOVE };

/* Files of the library's in the directory; each becomes something else. */
static int files(const char *directory, enum change change)
{
    static const char *const others[] = {"probe-", "pipelines-"};
    DIR *dir = opendir(directory);
    int count = 0;
    NEED(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *suffix = strrchr(entry->d_name, '.');
        bool ours = suffix && strcmp(suffix, ".pcc") == 0;
        for (size_t i = 0; i < COUNT(others); i++)
            ours |= strncmp(entry->d_name, others[i], strlen(others[i])) == 0;
        struct stat info;
        NEED(fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0);
        if (!ours || (change == COUNT_ONLY && !S_ISREG(info.st_mode)))
            continue;
        count++;
        if (change == COUNT_ONLY)
            continue;
        char other[512];
        snprintf(other, sizeof(other), "moved%d", count);
        if (change == TO_LINKS)
            NEED(renameat(dirfd(dir), entry->d_name, dirfd(dir), other) == 0 &&
                 symlinkat(other, dirfd(dir), entry->d_name) == 0);
        else
            NEED(unlinkat(dirfd(dir), entry->d_name, 0) == 0);
        if (change == TO_PIPES)
            NEED(mkfifoat(dirfd(dir), entry->d_name, 0600) == 0);
    }
    closedir(dir);
    return count;
}

int main(void)
{
    char directory[64] = "/tmp/pumice-hardened-test-XXXXXX", command[128];
    int result = child(small_stack, NULL);
    if (result == 77)
        return 77;
    CHECK(result == 0);
    NEED(mkdtemp(directory));
    CHECK(child(with_cache, directory) == 0);
    int count = files(directory, COUNT_ONLY);
    CHECK(count >= 2); /* the program and the probe */
    /* nobody waits for somebody who writes into a pipe, and files take their place again */
    CHECK(files(directory, TO_PIPES) == count);
    CHECK(child(with_cache, directory) == 0);
    CHECK(files(directory, COUNT_ONLY) == count);
    /* links are not followed, but replaced */
    CHECK(files(directory, TO_LINKS) == count);
    CHECK(child(with_cache, directory) == 0);
    CHECK(files(directory, COUNT_ONLY) == count);
    /* a directory that others may write to, or that is somebody else's */
    files(directory, REMOVE);
    NEED(chmod(directory, 0777) == 0);
    CHECK(child(with_cache, directory) == 0 && files(directory, COUNT_ONLY) == 0);
    NEED(chmod(directory, 0700) == 0);
    if (geteuid() == 0) {
        NEED(chown(directory, 1, 1) == 0);
        CHECK(child(with_cache, directory) == 0 && files(directory, COUNT_ONLY) == 0);
        NEED(chown(directory, 0, 0) == 0);
    }
    CHECK(child(with_cache, directory) == 0 && files(directory, COUNT_ONLY) == count);
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    CHECK(system(command) == 0);
    if (test_failures)
        printf("%d checks failed\n", atomic_load(&test_failures));
    return test_failures ? 1 : 0;
}
