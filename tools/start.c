/* See start.h. */
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool start_pipe(int ends[2])
{
#ifdef __APPLE__ /* which lacks pipe2(); the tool has no other thread that would start programs meanwhile */
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
#else
    return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

static volatile sig_atomic_t child_process;

static void pass_on(int number)
{
    if (child_process > 0)
        kill((pid_t)child_process, number);
}

int start_program(const char *command, char **argv)
{
    pid_t child;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int error = posix_spawnp(&child, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (error == 0) {
        child_process = (sig_atomic_t)child;
        signal(SIGTERM, pass_on);
        signal(SIGHUP, pass_on);
    } else {
        fprintf(stderr, "pumice %s: %s: %s\n", command, argv[0], strerror(error));
        return START_FAILED;
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "pumice %s: %s was ended by signal %d\n", command, argv[0], WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}
