/* What the entry points of command buffers' three files know of each other. */
#ifndef SRC_API_COMMAND_BUFFER_H
#define SRC_API_COMMAND_BUFFER_H

#include "src/recorded/command_buffer.h"

struct ocl_named_function {
    const char *name;
    void *address;
};

void *ocl_command_record_function(const char *name); /* api/command_record.c: clCommand* */
void *ocl_command_update_function(const char *name); /* api/command_update.c: mutable commands */

#endif
