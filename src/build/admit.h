/* The one check of a kernel's interface against its device. */
#ifndef SRC_BUILD_ADMIT_H
#define SRC_BUILD_ADMIT_H

#include "src/object/program.h"

enum { OCL_REASON_SIZE = 192 };

/* What stands between a build and its first launch. The build is an executable's, lowered; device is the one that it is
 * for. Calls refuse(data, kernel, reason) for each kernel that the device cannot run as it stands (kernel NULL: for the
 * program's variables), and says whether there was none. Thread-safe. */
bool ocl_admit(const struct ocl_build *build, const struct _cl_device_id *device,
               void (*refuse)(void *data, const char *kernel, const char *reason), void *data);
/* Whether the device can bind all the images that a kernel has. */
bool ocl_images_fit(const struct clc_lowered *lowered, const struct vkb_caps *caps);

#endif
