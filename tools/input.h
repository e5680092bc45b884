/* What commands that compile a file have in common: the file, and the build options among the arguments. */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
    char *text; /* not ended by a NUL */
    size_t size;
    char *directory; /* of the file: quoted includes are looked for there */
};

/* Reads the file, or standard input where it is "-". False, after a message of that command: it cannot be read. */
bool input_read(const char *command, struct input *input, const char *path);
void input_finish(struct input *input);
/* Whether it is kernel SPIR-V, not a text. */
bool input_is_il(const struct input *input);
/* Adds an argument to the text of build options, which is for free(); NULL is an empty one. False: out of memory. */
bool input_add_option(char **options, const char *word);
/* Whether the next argument belongs to this one: -D NAME. */
bool input_takes_value(const char *argument);

#endif
