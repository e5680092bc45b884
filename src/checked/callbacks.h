/* Callbacks of the application in wrappers, so that it is known what is called in them. */
#ifndef SRC_CHECKED_CALLBACKS_H
#define SRC_CHECKED_CALLBACKS_H

#include "src/device/object.h"

/* The function whose callback this thread is in, or NULL. */
const char *checked_callback(void);

typedef void(CL_CALLBACK *checked_function)(void);

/* A function of that type in place of the application's, and *data for it; without memory, both stay as they are. what:
 * whose callback it is. */
enum checked_callback_type {
    CHECKED_EVENT_CALLBACK,  /* (cl_event, cl_int, void *) */
    CHECKED_HANDLE_CALLBACK, /* (handle, void *), once */
    CHECKED_SVM_CALLBACK,    /* (cl_command_queue, cl_uint, void **, void *) */
};
checked_function checked_wrap(const char *what, enum checked_callback_type type, checked_function function,
                              void **data);
/* Where the call failed, nobody calls it. */
void checked_unwrap(void *data);

#endif
