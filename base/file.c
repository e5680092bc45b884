/* Whole-file replacement by a temporary file and rename(), and reads that do not stop early. */
#include "file.h"

#include "platform.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_is_private_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

int file_open(const char *path, uint64_t *size)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    if (size)
        *size = (uint64_t)info.st_size;
    return fd;
}

bool file_read(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, (char *)data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_part(int fd, const struct file_part *part)
{
    for (size_t done = 0; done < part->size;) {
        ssize_t put = write(fd, (const char *)part->data + done, part->size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

bool file_replace(const char *path, const struct file_part *parts, size_t num_parts, bool durable)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof(temporary), "%s" FILE_TEMPORARY_SUFFIX "XXXXXX", path) >= (int)sizeof(temporary)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    bool written = true;
    for (size_t i = 0; i < num_parts && written; i++)
        written = write_part(fd, &parts[i]);
    /* before rename(): else a power cut may leave the new name with no content */
    written = written && (!durable || fsync(fd) == 0);
    int error = written ? 0 : errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    errno = error;
    return !error;
}

bool file_append(const char *path, const void *data, size_t size, uint64_t limit)
{
    struct stat info;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd < 0)
        return false;
    int error = 0;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
        error = EPERM;
    else if ((uint64_t)info.st_size >= limit)
        error = EFBIG;
    else if (write(fd, data, size) != (ssize_t)size)
        error = errno ? errno : EIO;
    close(fd);
    errno = error;
    return !error;
}

int file_lock_folder(const char *path, uint64_t wait_ns)
{
    const char *end = platform_last_slash(path);
    char folder[PATH_MAX];
    uint64_t began = time_ns();
    if (snprintf(folder, sizeof(folder), "%.*s", end ? (int)(end - path) : 1, end ? path : ".") >= (int)sizeof(folder))
        return -1;
    for (;;) {
        int fd = platform_lock_folder(folder);
        if (fd >= 0)
            return fd;
        if ((errno != EWOULDBLOCK && errno != EINTR) || time_ns() - began >= wait_ns)
            return -1;
        usleep(2000);
    }
}
