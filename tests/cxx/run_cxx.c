/* Runs kernels of OpenCL C++ through `pumice c++` and the OpenCL API. usage: run_cxx PUMICE CASES.clcpp
 *
 * A file has cases, each from a line `//// NAME` to the next. What stands before the first is in front of each. The
 * case's kernel is called k unless it says otherwise. Comments say what should be (tests/support/kernel_case.h), and:
 *
 *     // options: WORD...     for pumice c++
 *     // refuse: WORDS        pumice c++ refuses it and says these words
 *     // warn: WORDS          it compiles, with a warning that has these words
 *     // compiles             no more than that
 *
 * Without clang everything is skipped. */
#include "tests/support/file.h"
#include "tests/support/kernel_case.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_WORDS = 16, MAX_DEVICES = 8, NO_CLANG = 77 };

struct test_case {
    struct kernel_case run;
    char refuse[256], warn[256], options[256];
    bool compiles;
};

static int failures, cases;
static char directory[] = "/tmp/run_cxx.XXXXXX";
static char source[64], binary[64], messages[64];

static bool check(bool good, const struct test_case *c, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", c->run.name, what);
        failures++;
    }
    return good;
}

static void read_directive(struct test_case *c, const char *line)
{
    if (strncmp(line, "// ", 3) != 0 || kernel_case_read(&c->run, line + 3))
        return;
    if (!strncmp(line, "// compiles", 11))
        c->compiles = true;
    sscanf(line, "// options: %255[^\n]", c->options);
    sscanf(line, "// refuse: %255[^\n]", c->refuse);
    sscanf(line, "// warn: %255[^\n]", c->warn);
}

/* Returns the exit status of `pumice c++`; what it prints is in the file `messages`. */
static int compile(const char *pumice, struct test_case *c)
{
    char *words[MAX_WORDS] = {(char *)pumice, "c++", source, "-o", binary};
    size_t count = 5;
    for (char *word = strtok(c->options, " "); word && count < MAX_WORDS - 1; word = strtok(NULL, " "))
        words[count++] = word;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawn(&child, pumice, &actions, NULL, words, environ) || waitpid(child, &status, 0) < 0)
        exit(2);
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void remove_files(void)
{
    unlink(source);
    unlink(binary);
    unlink(messages);
    rmdir(directory);
}

static void test_case(const char *pumice, struct test_case *c, const struct test_device *devices, cl_uint count)
{
    size_t size;
    cases++;
    int status = compile(pumice, c);
    if (status == NO_CLANG) {
        fprintf(stderr, "skipped: no clang and llvm-spirv here\n");
        remove_files();
        exit(TEST_SKIPPED);
    }
    char *text = test_need_file(messages, &size);
    if (*c->refuse) {
        if (!check(status == 1 && strstr(text, c->refuse), c, "clang should refuse it with these words"))
            fprintf(stderr, "%.*s\n", (int)size, text);
    } else if (!check(status == 0, c, "it does not compile")) {
        fprintf(stderr, "%.*s\n", (int)size, text);
    } else if (*c->warn && !check(strstr(text, c->warn) != NULL, c, "clang should warn with these words")) {
        fprintf(stderr, "%.*s\n", (int)size, text);
    } else if (!c->compiles) {
        char *il = test_need_file(binary, &size);
        check(c->run.count > 0 || *c->run.refuse_build, c, "the case expects nothing");
        for (cl_uint i = 0; i < count; i++)
            failures += kernel_case_test(&c->run, &devices[i], il, size, false);
        free(il);
    }
    free(text);
}

static void write_source(const char *front, size_t front_size, const char *text, size_t size)
{
    FILE *file = fopen(source, "w");
    if (!file || fwrite(front, 1, front_size, file) != front_size || fwrite(text, 1, size, file) != size ||
        fclose(file))
        exit(2);
}

static void test_file(const char *pumice, char *text, const struct test_device *devices, cl_uint count)
{
    char *start = strstr(text, "//// ");
    size_t front = start ? (size_t)(start - text) : 0;
    while (start) {
        static struct test_case c; /* large */
        char *next = strstr(start + 5, "\n//// ");
        size_t size = next ? (size_t)(next + 1 - start) : strlen(start);
        write_source(text, front, start, size);
        char name[128] = "";
        sscanf(start, "//// %127[^\n]", name);
        memset(&c, 0, sizeof(c));
        kernel_case_init(&c.run, name);
        for (char *line = start; line < start + size; line += strcspn(line, "\n") + 1)
            read_directive(&c, line);
        test_case(pumice, &c, devices, count);
        start = next ? next + 1 : NULL;
    }
}

int main(int argc, char **argv)
{
    struct test_device devices[MAX_DEVICES];
    size_t size;
    if (argc != 3)
        return 2;
    cl_uint count = test_find_devices(NULL, devices, MAX_DEVICES);
    if (!count)
        return TEST_SKIPPED;
    for (cl_uint i = 0; i < count; i++)
        if (test_open_device(&devices[i]))
            continue;
        else
            return 1;
    char *text = test_need_file(argv[2], &size);
    text = realloc(text, size + 1);
    if (!text || !mkdtemp(directory))
        return 2;
    text[size] = '\0';
    snprintf(source, sizeof(source), "%s/a.clcpp", directory);
    snprintf(binary, sizeof(binary), "%s/a.spv", directory);
    snprintf(messages, sizeof(messages), "%s/messages", directory);
    test_file(argv[1], text, devices, count);
    remove_files();
    free(text);
    for (cl_uint i = 0; i < count; i++)
        test_close_device(&devices[i]);
    printf("%d cases, %d failures\n", cases, failures);
    return failures != 0;
}
