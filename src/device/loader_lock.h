/* The dynamic loader's lock, which one thread holds while the constructors of a library run. */
#ifndef SRC_DEVICE_LOADER_LOCK_H
#define SRC_DEVICE_LOADER_LOCK_H

#include <stdbool.h>

/* Whether some thread holds the lock and keeps it, so that waiting for the work of other threads could last for ever.
 * A lock that nobody holds is found free at once; for one that is held this waits up to two seconds, and no more until
 * it was let go. True, too, where no thread can be started. Thread-safe. */
bool ocl_loader_lock_is_held(void);

#endif
