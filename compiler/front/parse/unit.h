/* The parser's entrance. */
#ifndef COMPILER_FRONT_PARSE_UNIT_H
#define COMPILER_FRONT_PARSE_UNIT_H

struct clc_front;
struct translation_unit;

/* The whole translation unit, or errors in the log (front->num_errors). Bodies of functions that no kernel reaches are
 * parsed and checked too (errors there count), but cheaply. */
struct translation_unit *clc_parse(struct clc_front *front);

#endif
