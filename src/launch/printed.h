/* What kernels print, on its way to stdout. Thread-safe. */
#ifndef SRC_LAUNCH_PRINTED_H
#define SRC_LAUNCH_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

struct printed_text {
    char *bytes; /* malloc'ed */
    size_t size, capacity;
};

/* What there is no memory for is dropped, with a warning. */
void printed_append(struct printed_text *text, const char *bytes, size_t size);
/* Takes the text: it is written to stdout now, or when the thread that holds stdout's lock gives it back. */
void printed_hand_over(struct printed_text *text);
/* Writes what other threads left, where this thread can have stdout's lock at once. False: it cannot. */
bool printed_deliver(void);

#endif
