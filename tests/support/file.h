/* Files that test programs are given. */
#ifndef TESTS_SUPPORT_FILE_H
#define TESTS_SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The whole file, with a zero byte after its end; the caller frees it. NULL where it cannot be read, which stderr then
 * says. length, in bytes and without that zero, may be NULL. */
char *test_read_file(const char *path, size_t *length);
/* The same, but ends the test where the file cannot be read. */
char *test_need_file(const char *path, size_t *length);
bool test_file_exists(const char *path);

#endif
