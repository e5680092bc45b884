/* Finds what it is told to, for check_report.py: check_found CASE */
#include "src/check/check.h"

#include "base/util.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 500 };

static struct check_finding in_kernel(const char *kernel, uint32_t line, uint64_t times)
{
    return (struct check_finding){
        .kind = CHECK_KIND_OUT_OF_BOUNDS,
        .message = "read of 4 bytes, 8 bytes behind the end",
        .kernel = kernel,
        .place = {"sum.cl", line, 14, "\ttotal += in[\"\xc3\xa9\"];"},
        .other = {"sum.cl", 2, 1, "__kernel void sum(void)"},
        .other_is = "other access",
        .has_item = true,
        .global_id = {255, 1, 0},
        .group = {3, 1, 0},
        .local_id = {63, 0, 0},
        .has_address = true,
        .address = 0x7f00,
        .object = "buffer 0x1 of 1024 bytes",
        .times = times,
    };
}

static void find_in_kernel(const char *kernel, uint32_t line, uint64_t times)
{
    struct check_finding finding = in_kernel(kernel, line, times);
    check_found(&finding);
}

static void find_leak(const char *object)
{
    check_found(&(struct check_finding){
        .kind = CHECK_KIND_LEAK, .message = "never released", .object = object, .caller = "clCreateBuffer"});
}

static void *work(void *data)
{
    for (uint32_t i = 0; i < ROUNDS; i++)
        find_in_kernel("sum", 1 + i % 50, 1);
    return data;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void leave_one(void)
{
    find_leak("buffer 0x3");
}

/* The child finds something else, or nothing. */
static int run_fork(bool finds)
{
    find_in_kernel("sum", 7, 1);
    pid_t child = fork();
    if (child == 0) {
        if (finds)
            find_in_kernel("sum", 8, 1);
        exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fprintf(stderr, "child: %d\n", WEXITSTATUS(status));
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    printf("some output"); /* stays in the buffer until the end */
    if (!strcmp(name, "nothing")) {
        check_used();
        return 5;
    } else if (!strcmp(name, "kernel")) {
        find_in_kernel("sum", 7, 3);
        find_in_kernel("sum", 7, 2);
        find_in_kernel("other", 9, 1);
    } else if (!strcmp(name, "leaks")) {
        find_leak("buffer 0x1");
        find_leak("buffer 0x2");
        check_at_end(leave_one);
    } else if (!strcmp(name, "threads")) {
        run_threads();
    } else if (!strcmp(name, "killed")) {
        find_in_kernel("sum", 7, 1);
        abort();
    } else if (!strcmp(name, "fork finds") || !strcmp(name, "fork")) {
        return run_fork(name[4]);
    } else if (!strcmp(name, "strange")) {
        find_in_kernel("\xff\x1b[2J", 7, 1);
    } else if (!strcmp(name, "wants")) {
        printf(":%d%d\n", check_wants_kernel("sum_rows"), check_wants_kernel("scan"));
    } else if (!strcmp(name, "ran") || !strcmp(name, "ran not")) {
        check_used();
        for (int i = 0; i < 2 && !name[3]; i++)
            check_ran(i ? "sum_rows" : "scan");
    }
    return 0;
}
