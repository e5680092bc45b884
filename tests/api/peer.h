/* Another API's program beside OpenCL: a Vulkan instance and device of its own in the test's process, found by the
 * UUIDs that OpenCL tells (cl_khr_device_uuid). It makes memory and semaphores, and exports and imports them. Failures
 * end the test. */
#ifndef TESTS_API_PEER_H
#define TESTS_API_PEER_H

#define VK_NO_PROTOTYPES
#ifdef _WIN32
#include <windows.h>
#endif
#include <volk.h>

#include <stdbool.h>
#include <stdint.h>

/* By which memory and semaphores are shared: a file descriptor, or a handle of Windows'. */
#ifdef _WIN32
typedef HANDLE peer_handle;
#else
typedef int peer_handle;
#endif

struct peer {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
    VkPhysicalDeviceMemoryProperties memory;
    bool semaphores; /* VK_KHR_external_semaphore_fd or _win32 */
    /* Memory is exported so: as an opaque descriptor or an NT handle, unless the test says otherwise. */
    VkExternalMemoryHandleTypeFlagBits kind;
#ifdef _WIN32
    LPCWSTR name; /* of the handle; or NULL */
#endif
};

/* False: there is no such device, or it cannot export memory. */
bool peer_open(struct peer *peer, const uint8_t device_uuid[VK_UUID_SIZE], const uint8_t driver_uuid[VK_UUID_SIZE]);
void peer_close(struct peer *peer);

/* A buffer with memory that is exported; *handle is a new one. */
struct peer_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t size;
};
void peer_buffer_make(const struct peer *peer, uint64_t size, struct peer_buffer *buffer, peer_handle *handle);
void peer_buffer_free(const struct peer *peer, struct peer_buffer *buffer);
/* Fills it with a word on the device, and gives it to the other API; takes it back and reads it. Both wait. */
void peer_buffer_fill(const struct peer *peer, const struct peer_buffer *buffer, uint32_t word);
void peer_buffer_read(const struct peer *peer, const struct peer_buffer *buffer, void *data);

/* An optimal 2D image of R8G8B8A8_UNORM, likewise. */
struct peer_image {
    VkImage handle;
    VkDeviceMemory memory;
    uint32_t width, height;
    size_t row_pitch; /* of texels in rows, else 0 */
};
/* false: the device has no such image with its texels in rows. */
bool peer_image_make(const struct peer *peer, uint32_t width, uint32_t height, bool in_rows, struct peer_image *image,
                     peer_handle *handle);
void peer_image_free(const struct peer *peer, struct peer_image *image);
void peer_image_clear(const struct peer *peer, const struct peer_image *image, const float colour[4]);
void peer_image_read(const struct peer *peer, const struct peer_image *image, uint32_t *texels);

/* A semaphore that can be exported as the type. */
VkSemaphore peer_semaphore_make(const struct peer *peer, VkExternalSemaphoreHandleTypeFlagBits type);
peer_handle peer_semaphore_export(const struct peer *peer, VkSemaphore semaphore,
                                  VkExternalSemaphoreHandleTypeFlagBits type);
void peer_semaphore_import(const struct peer *peer, VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits type,
                           peer_handle handle);
void peer_semaphore_free(const struct peer *peer, VkSemaphore semaphore);
/* A submission without work that waits for one semaphore and signals another; either may be NULL. Waits for its end if
 * wanted. */
void peer_submit(const struct peer *peer, VkSemaphore wait, VkSemaphore signal, bool finish);

#endif
