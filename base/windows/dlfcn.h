/* Libraries by name, for Windows. */
#ifndef BASE_WINDOWS_DLFCN_H
#define BASE_WINDOWS_DLFCN_H

#define RTLD_LAZY     0
#define RTLD_NOW      0
#define RTLD_LOCAL    0
#define RTLD_NODELETE 0

/* Names belong to their libraries there: none is found. */
#define RTLD_NEXT    ((void *)-1)
#define RTLD_DEFAULT ((void *)-2)

#define dlopen  windows_dlopen
#define dlsym   windows_dlsym
#define dlclose windows_dlclose
#define dlerror windows_dlerror
void *windows_dlopen(const char *name, int flags);
void *windows_dlsym(void *library, const char *name);
int windows_dlclose(void *library);
const char *windows_dlerror(void);

#endif
