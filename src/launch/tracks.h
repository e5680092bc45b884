/* What a launch has to do with memory of which it is known who touched it (tracks.c). */
#ifndef SRC_LAUNCH_TRACKS_H
#define SRC_LAUNCH_TRACKS_H

#include "src/launch/written.h"

/* The buffers that a launch may write, with room to note who touches them, and its number, which is not 0. False:
 * no memory. Those for which there is no room are left out. */
bool ocl_tracks_find(struct ocl_written *tracks, const struct launch *launch, uint32_t *number);
/* The address of the words for the memory at this address; 0: there are none. */
uint64_t ocl_tracks_words(const struct ocl_written *tracks, uint64_t address);

#endif
