/* printf's format string, taken apart: what the lowering and the host's formatting share. OpenCL C 3.0, 6.15.14.2. */
#ifndef COMPILER_BUILTINS_PRINTF_FORMAT_H
#define COMPILER_BUILTINS_PRINTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum printf_length { PRINTF_LENGTH_NONE, PRINTF_LENGTH_HH, PRINTF_LENGTH_H, PRINTF_LENGTH_HL, PRINTF_LENGTH_L };

struct printf_spec {
    size_t begin, end; /* of the text "%...c" in the format */
    bool minus, plus, space, sharp, zero;
    int width, precision; /* -1: none */
    uint32_t lanes;       /* of %v; 0: scalar */
    enum printf_length length;
    char conversion; /* 0: the specification is broken */
};

/* The next conversion specification from *at on; "%%" is one, with conversion '%'. false: none is left. *at goes after
 * it. */
bool printf_next_spec(const char *format, size_t length, size_t *at, struct printf_spec *spec);

#endif
