/* The meta-loader, compiled once: libvulkan is dlopened, so that Pumice loads where there is no Vulkan. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define VOLK_IMPLEMENTATION
#define VK_NO_PROTOTYPES
#include <volk.h>
