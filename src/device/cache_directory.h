/* The folder of the caches on disk, as this process found it, and the build id that their entries are for. */
#ifndef SRC_DEVICE_CACHE_DIRECTORY_H
#define SRC_DEVICE_CACHE_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

const char *ocl_cache_directory(void);     /* NULL: no cache */
const uint8_t *ocl_build_id(size_t *size); /* of the object that this code lies in */

#endif
