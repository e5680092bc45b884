/* Text under construction, in an arena. Always NUL-terminated. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "arena.h"

#include <stdarg.h>

struct str {
    struct arena *arena;
    char *data; /* NULL while nothing was appended */
    size_t length, capacity;
};

void str_init(struct str *str, struct arena *arena);
void str_reserve(struct str *str, size_t more); /* makes room for so much text behind that of now */
void str_append(struct str *str, const char *text, size_t length);
void str_puts(struct str *str, const char *text);
void str_putc(struct str *str, char c);
void str_printf(struct str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *str, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* The text so far; "" when empty. */
const char *str_text(const struct str *str);

#endif
