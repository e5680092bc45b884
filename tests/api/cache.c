/* The on-disk cache of programs: hits, misses on every ingredient of the key, damaged entries, a writer killed at any
 * moment, a directory that cannot be used. The library reads its settings once, so each case is a process of its own.
 */
#include "api_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64] = "/tmp/pumice-cache-test-XXXXXX";

/* Builds and runs in a child with the cache there; the child's exit code. */
static int child(const char *cache, const char *value, bool kill_it)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_CACHE_DIR", cache, 1);
        setenv("PUMICE_CACHE", "1", 1);
        char source[512];
        snprintf(source, sizeof(source),
                 "#ifdef INCLUDED\n#include \"value.h\"\n#endif\n"
                 "kernel void f(global int *o) { printf(\"%%d\\n\", o[0]); o[0] = %s; }",
                 value);
        open_device(0);
        cl_program program = build(source, strcmp(value, "VALUE") == 0 ? "-DINCLUDED -I ." : "");
        cl_kernel kernel = clCreateKernel(program, "f", NULL);
        cl_mem out = buffer_of(0, 4, NULL);
        int back = -1;
        clSetKernelArg(kernel, 0, sizeof(out), &out);
        clEnqueueTask(queue, kernel, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL);
        _exit(back);
    }
    int status = 0;
    if (kill_it) {
        usleep((useconds_t)(rand() % 60000));
        kill(pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The programs' entries; with damage, each has a byte changed or is cut. */
static int entries(int damage)
{
    DIR *dir = opendir(directory);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".pcc") != 0)
            continue;
        count++;
        if (!damage)
            continue;
        int fd = openat(dirfd(dir), entry->d_name, O_RDWR);
        struct stat st;
        NEED(fd >= 0 && fstat(fd, &st) == 0);
        if (damage == 1) {
            NEED(ftruncate(fd, st.st_size * 2 / 3) == 0);
        } else {
            char byte;
            NEED(pread(fd, &byte, 1, st.st_size / damage) == 1);
            byte ^= 1;
            NEED(pwrite(fd, &byte, 1, st.st_size / damage) == 1);
        }
        close(fd);
    }
    if (dir)
        closedir(dir);
    return count;
}

static void write_header(int value)
{
    FILE *file = fopen("value.h", "w");
    NEED(file);
    fprintf(file, "#define VALUE %d\n", value);
    fclose(file);
}

int main(void)
{
    NEED(freopen("/dev/null", "w", stdout) || true);
    NEED(mkdtemp(directory) && chdir(directory) == 0);
    int first = child(directory, "3", false);
    if (first == 77)
        return 77;
    CHECK(first == 3 && entries(0) == 1);
    CHECK(child(directory, "3", false) == 3 && entries(0) == 1);
    CHECK(child(directory, "4", false) == 4 && entries(0) == 2);
    for (int damage = 1; damage < 6; damage++) {
        entries(damage);
        CHECK(child(directory, "3", false) == 3);
        CHECK(child(directory, "4", false) == 4);
    }
    write_header(5);
    CHECK(child(directory, "VALUE", false) == 5);
    write_header(6);
    CHECK(child(directory, "VALUE", false) == 6);
    srand(1);
    for (int i = 10; i < 30; i++) {
        char value[8];
        snprintf(value, sizeof(value), "%d", i);
        child(directory, value, true);
        CHECK(child(directory, value, false) == i);
    }
    CHECK(child("/proc/nowhere", "8", false) == 8);
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    CHECK(chdir("/") == 0 && system(command) == 0);
    return test_result();
}
