/* The cache of compiled programs on disk. */
#ifndef SRC_BUILD_CACHE_H
#define SRC_BUILD_CACHE_H

#include "src/object/program.h"

struct ocl_cache_key {
    uint8_t *data; /* malloc'ed: everything that decides the result; stored in the entry and compared */
    size_t size;
    uint64_t hash[2];
};

/* False: this cannot be cached (headers, __DATE__, no cache). Free the key with ocl_cache_key_finish() in either case.
 */
bool ocl_cache_key_init(struct ocl_cache_key *key, const struct clc_compile_args *args);
void ocl_cache_key_finish(struct ocl_cache_key *key);
bool ocl_cache_load(const struct ocl_cache_key *key, cl_device_id device, struct ocl_build *build);
void ocl_cache_store(const struct ocl_cache_key *key, const struct ocl_build *build);

/* A lowered kernel as bytes and back (cache_lowered.c). */
bool ocl_lowered_write(const struct clc_lowered *lowered, uint32_t num_args, uint8_t **data, size_t *size);
struct clc_lowered *ocl_lowered_read(const uint8_t *data, size_t size, uint32_t num_args, void **block);

#endif
