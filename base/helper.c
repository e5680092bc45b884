/* Programs that work for this process in the background. See platform.h. */
#include "platform.h"

#if defined(__ANDROID__) || defined(_WIN32) /* Android's applications have no programs beside them; Windows has no sh */

int platform_start_helper(const char *script, const char *argument)
{
    (void)script;
    (void)argument;
    return -1;
}

bool platform_send(int socket, const char *data, size_t size)
{
    (void)socket;
    (void)data;
    (void)size;
    return false;
}

size_t platform_receive(int socket, char *data, size_t room, int milliseconds)
{
    (void)socket;
    (void)data;
    (void)room;
    (void)milliseconds;
    return 0;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SOCK_CLOEXEC /* macOS: those that stay are copies that exec() closes */
#define SOCK_CLOEXEC 0
#endif

enum { HELPER_FILE = 3 };

static bool start_shell(const char *script, const char *argument, int socket, pid_t *child)
{
    char path[4096];
    const char *folders = platform_env("PATH");
    char *words[] = {(char *)"sh", (char *)"-c", (char *)script, (char *)"sh", (char *)argument, NULL};
    char *environment[] = {path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    if (!folders || snprintf(path, sizeof(path), "PATH=%s", folders) >= (int)sizeof(path))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, HELPER_FILE);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    sigemptyset(&all);
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawn(child, "/bin/sh", &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

/* Above the standard files, of which the process may have closed some, and above what the shell has it as. */
static bool open_sockets(int sockets[2])
{
    int low[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        sockets[i] = fcntl(low[i], F_DUPFD_CLOEXEC, HELPER_FILE + 1);
        close(low[i]);
    }
    return sockets[0] >= 0 && sockets[1] >= 0;
}

int platform_start_helper(const char *script, const char *argument)
{
    int sockets[2] = {-1, -1};
    pid_t child;
    bool started = open_sockets(sockets) && start_shell(script, argument, sockets[1], &child);
    while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (sockets[1] >= 0)
        close(sockets[1]);
    if (!started && sockets[0] >= 0)
        close(sockets[0]);
    return started ? sockets[0] : -1;
}

bool platform_send(int socket, const char *data, size_t size)
{
    while (size) {
        ssize_t done = send(socket, data, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        data += done;
        size -= (size_t)done;
    }
    return true;
}

size_t platform_receive(int socket, char *data, size_t room, int milliseconds)
{
    struct pollfd wanted = {.fd = socket, .events = POLLIN};
    int ready;
    while ((ready = poll(&wanted, 1, milliseconds)) < 0 && errno == EINTR)
        continue;
    ssize_t size = ready > 0 ? recv(socket, data, room, 0) : 0;
    return size > 0 ? (size_t)size : 0;
}

#endif
