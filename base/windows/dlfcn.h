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

/* Where an address lies: Windows tells the library alone. */
typedef struct windows_place {
    const char *dli_fname, *dli_sname;
    void *dli_fbase, *dli_saddr;
} Dl_info;
#define dladdr windows_dladdr
int windows_dladdr(const void *address, Dl_info *info); /* 0: it lies in none */

#define dlopen  windows_dlopen
#define dlsym   windows_dlsym
#define dlclose windows_dlclose
#define dlerror windows_dlerror
void *windows_dlopen(const char *name, int flags);
void *windows_dlsym(void *library, const char *name);
int windows_dlclose(void *library);
const char *windows_dlerror(void);

#endif
