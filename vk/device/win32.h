/* What Vulkan has of Windows' handles, without <windows.h>, whose macros are words of ours: its header wants some types, of which none but
 * the first two matter. It is read on other systems as well, where no driver has the extensions. */
#ifndef VK_DEVICE_WIN32_H
#define VK_DEVICE_WIN32_H

#include <stdint.h>
#include <volk.h>

typedef void *HANDLE;
typedef const uint16_t *LPCWSTR;
typedef uint32_t DWORD;
typedef struct _SECURITY_ATTRIBUTES SECURITY_ATTRIBUTES;
typedef void *HINSTANCE, *HWND, *HMONITOR;

#include <vulkan/vulkan_win32.h>

/* Of an open device; NULL where it has not the extension. */
struct win32_calls {
    PFN_vkGetMemoryWin32HandleKHR vkGetMemoryWin32HandleKHR;
    PFN_vkImportSemaphoreWin32HandleKHR vkImportSemaphoreWin32HandleKHR;
    PFN_vkGetSemaphoreWin32HandleKHR vkGetSemaphoreWin32HandleKHR;
};

#endif
