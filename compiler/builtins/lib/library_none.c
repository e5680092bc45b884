/* The library while it is being made: gen_library links this instead. */
#include "compiler/builtins/library.h"

#include <stddef.h>

const struct builtins_library_function builtins_library[] = {{NULL}};
const uint32_t builtins_library_count = 0;
