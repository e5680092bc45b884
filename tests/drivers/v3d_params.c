/* For LD_PRELOAD, before Mesa's noop shim of V3D: answers the parameters of DRM_IOCTL_V3D_GET_PARAM that the shim of
 * Mesa 25.0 does not know, without which V3DV shows no device: several queues in a submission, the processor's queue,
 * and how many performance counters there are (none). */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>

enum { DRM_TYPE = 'd', V3D_GET_PARAM = 0x44, SUPPORTS_MULTISYNC = 11, SUPPORTS_CPU_QUEUE = 12, MAX_COUNTERS = 13 };

struct get_param { /* struct drm_v3d_get_param */
    uint32_t param, padding;
    uint64_t value;
};

__attribute__((visibility("default"))) int ioctl(int descriptor, unsigned long request, ...);

int ioctl(int descriptor, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *data = va_arg(list, void *);
    va_end(list);
    struct get_param *get = data;
    if ((request >> 8 & 0xff) == DRM_TYPE && (request & 0xff) == V3D_GET_PARAM &&
        (request >> 16 & 0x3fff) == sizeof(*get) && get->param >= SUPPORTS_MULTISYNC && get->param <= MAX_COUNTERS) {
        get->value = get->param != MAX_COUNTERS;
        return 0;
    }
    int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    return next(descriptor, request, data);
}
