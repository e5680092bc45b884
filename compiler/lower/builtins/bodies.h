/* Bodies of the library as modules, read once for all kernels of a program. Any thread may ask. */
#ifndef COMPILER_LOWER_BUILTINS_BODIES_H
#define COMPILER_LOWER_BUILTINS_BODIES_H

#include "compiler/builtins/library.h"
#include "compiler/spv/spv.h"

#include <pthread.h>
#include <stdatomic.h>

struct lower_bodies {
    pthread_mutex_t lock; /* guards what follows, but for held */
    struct arena arena;   /* owns the modules, which do not change */
    struct u64_map read;  /* number of the function in the library -> struct spv_module */
    atomic_size_t held;   /* bytes taken from the system */
};

void lower_bodies_init(struct lower_bodies *bodies);
void lower_bodies_finish(struct lower_bodies *bodies);

/* The module that holds a function: a shared one from bodies; or one read into the arena where bodies is NULL or full.
 */
const struct spv_module *lower_read_body(struct lower_bodies *bodies, struct arena *arena,
                                         const struct builtins_library_function *function);

#endif
