/* Files that other processes may read, write and damage at the same time: the caches'. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* While a file is written, its name ends in this and six random letters. A clean-up may delete such files once they are
 * old. */
#define FILE_TEMPORARY_SUFFIX ".tmp-"

/* Whether path is a directory of this process's user (the effective one), in which nobody else may write. */
bool file_is_private_directory(const char *path);

/* A descriptor for reading a regular file of this process's user, else -1: no link is followed, and neither a pipe nor
 * a device makes anybody wait. *size may be NULL. */
int file_open(const char *path, uint64_t *size);

/* size bytes from the descriptor; false when there are fewer or reading fails. */
bool file_read(int fd, void *data, size_t size);

struct file_part {
    const void *data;
    size_t size; /* bytes */
};

/* Replaces the content of the file at path by these parts, all at once: a reader sees the old file or the new one,
 * never a part, and a writer that is killed leaves only a temporary file. durable: the same holds after a power cut, at
 * the price of an fsync. False, and errno, when it could not be done; the old file is then as it was. Thread-safe. */
bool file_replace(const char *path, const struct file_part *parts, size_t num_parts, bool durable);

/* Puts the bytes behind the file's end with one write(), and makes the file where there is none: so several processes
 * may append at once. False, and errno, when it could not be done, or the file had limit bytes or more (EFBIG). */
bool file_append(const char *path, const void *data, size_t size, uint64_t limit);

/* Waits until no other process, nor another call in this one, has locked the folder in which path lies, and locks
 * it: for a caller that reads a file there and replaces it by what it made of that. The lock is advice: readers need none. It ends with
 * close() of what is returned, and with the process. -1 when that takes longer than wait_ns, or there is no lock to be
 * had on that file system. */
int file_lock_folder(const char *path, uint64_t wait_ns);

#endif
