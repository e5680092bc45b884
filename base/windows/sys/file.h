/* Locks of whole files, for Windows. */
#ifndef BASE_WINDOWS_SYS_FILE_H
#define BASE_WINDOWS_SYS_FILE_H

#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

#define flock windows_flock
int windows_flock(int file, int operation);

#endif
