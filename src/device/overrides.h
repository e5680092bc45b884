/* What the user wants programs to be told instead of the truth: PUMICE_DEVICE_NAME, PUMICE_DEVICE_VENDOR,
 * PUMICE_DEVICE_TYPE and PUMICE_EXTENSIONS. They change answers of queries (and for extensions taken away, the
 * compiler's macros), nothing else. Thread-safe as long as nobody changes the environment. */
#ifndef SRC_DEVICE_OVERRIDES_H
#define SRC_DEVICE_OVERRIDES_H

#include "base/settings.h"
#include "src/device/object.h"

#include <stdbool.h>
#include <stddef.h>

/* The setting, or the fact where it is not set. */
const char *ocl_override_text(enum setting setting, const char *fact);
/* What PUMICE_DEVICE_TYPE says, or the fact where it says nothing. */
cl_device_type ocl_override_type(cl_device_type fact);
/* Of sub-groups; 0: as the device has it. */
uint32_t ocl_override_subgroup_size(void);
/* Whether PUMICE_LIMITS has progress=1: sub-groups count as running beside each other, for tests. */
bool ocl_plays_progress(void);

/* Whether PUMICE_EXTENSIONS has -name. */
bool ocl_extension_is_hidden(const char *name);
/* The next +name at or after *position (which begins as 0); copies it to name and moves *position behind it. False: no
 * more. Names that are no identifiers, or longer than size - 1, are passed over. */
bool ocl_extension_added(size_t *position, char *name, size_t size);
/* Warns, once a process, of words of PUMICE_EXTENSIONS that are passed over. */
void ocl_extension_overrides_check(void);

#endif
