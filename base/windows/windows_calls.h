/* What the files for Windows share. Only they see Windows' own header, whose macros take many names. */
#ifndef BASE_WINDOWS_CALLS_H
#define BASE_WINDOWS_CALLS_H

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <stdbool.h>

/* malloc'ed; NULL, and errno: no memory, or the text is no UTF-8. */
wchar_t *windows_wide(const char *text);
char *windows_utf8(const wchar_t *text);

/* The same for a path, in the form that may be longer than 259 characters where it is. */
wchar_t *windows_wide_path(const char *path);

/* -1, with errno as the last error of Windows says. */
int windows_fail(void);

#endif
