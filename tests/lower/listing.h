/* A module as text that a person can check, and that changes only with the code it shows: functions line by line, ids
 * of their own numbered from 1 in order of appearance. Types and constants stand where they are used, as what they are:
 * u32, f32x4, u32*Workgroup (a pointer with its storage class), {u64@0 u32@8} (members with offsets), 7, true, spec3 (a
 * specialisation constant by its SpecId). Variables of the module go by their storage class and a number: Private1. */
#ifndef TESTS_LOWER_LISTING_H
#define TESTS_LOWER_LISTING_H

#include "compiler/spv/spv.h"

/* The module as it would be read back: ids in order. NULL with a message where it cannot be. */
struct spv_module *listing_renumbered(struct arena *arena, struct spv_module *module, const char **error);
/* The functions. */
void listing_print_functions(struct arena *arena, struct spv_module *module, struct str *out);
/* Before them, a line for each variable that they use: its type and its decorations. */
void listing_print_kernel(struct arena *arena, struct spv_module *module, struct str *out);
/* What the module says of itself: capabilities, extensions, memory model, execution modes. */
void listing_print_header(struct arena *arena, const struct spv_module *module, struct str *out);

#endif
