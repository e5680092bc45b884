/* Patterns of names, for Windows. */
#ifndef BASE_WINDOWS_FNMATCH_H
#define BASE_WINDOWS_FNMATCH_H

/* 0: the text is such. flags is 0. */
#define fnmatch windows_fnmatch
int windows_fnmatch(const char *pattern, const char *text, int flags);

#endif
