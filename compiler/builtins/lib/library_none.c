/* The library while it is being made: gen_library links this instead. */
#include "compiler/builtins/library.h"

const struct builtins_library_function builtins_library[] = {{0}};
const uint32_t builtins_library_count = 0;
const char builtins_library_names[] = "";
const uint8_t builtins_library_bytes[] = {0};
