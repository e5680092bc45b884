/* Copies between devices without the host: one device imports the other's memory by a file descriptor. Which pairs can
 * do it is found by trying. */
#ifndef SRC_OBJECT_PEER_H
#define SRC_OBJECT_PEER_H

#include "src/object/context.h"
#include "src/object/memory.h"

/* Finds what the context's devices can do with each other's memory; what was found before is known. Waits for the
 * devices, so the caller has no lock. */
void ocl_peers_find(cl_context context);
/* Memory of a root that other devices of the context can import. VKB_UNSUPPORTED: none could, or it is not worth it. */
enum vkb_result ocl_peer_allocate(cl_context context, cl_uint device, uint64_t size, struct vkb_buffer **buffer);
/* Whether the root's memory on one device was allocated so that the other can copy it. */
bool ocl_peer_reaches(cl_mem root, cl_uint from, cl_uint to);
/* Enqueues the copy from one device's memory to the other's, behind waits. *arrives is the end of the copy, *returned
 * when the first device has its memory back; both are NULL after a failure. With root->mutex held. */
enum vkb_result ocl_peer_move(cl_mem root, cl_uint from, cl_uint to, struct vkb_event *const *waits, uint32_t num_waits,
                              struct vkb_event **arrives, struct vkb_event **returned);
void ocl_peer_finish(cl_mem root);

#endif
