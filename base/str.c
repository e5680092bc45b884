/* Growing text. One byte more than length is always kept for the NUL. */
#include "str.h"

#include <stdio.h>
#include <string.h>

void str_init(struct str *str, struct arena *arena)
{
    *str = (struct str){.arena = arena};
}

void str_reserve(struct str *str, size_t more)
{
    if (more > SIZE_MAX / 4 - str->length)
        arena_fail(str->arena);
    size_t need = str->length + more + 1;
    if (need <= str->capacity)
        return;
    size_t capacity = str->capacity ? str->capacity : 64;
    while (capacity < need)
        capacity *= 2;
    str->data = arena_grow_uncleared(str->arena, str->data, str->capacity, capacity);
    str->data[str->length] = '\0';
    str->capacity = capacity;
}

void str_append(struct str *str, const char *text, size_t length)
{
    str_reserve(str, length);
    if (length)
        memcpy(str->data + str->length, text, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void str_puts(struct str *str, const char *text)
{
    str_append(str, text, strlen(text));
}

void str_putc(struct str *str, char c)
{
    str_append(str, &c, 1);
}

void str_vprintf(struct str *str, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    str_reserve(str, 0);
    size_t room = str->capacity - str->length;
    int length = vsnprintf(str->data + str->length, room, format, args);
    if (length < 0) {
        va_end(again);
        arena_fail(str->arena);
    }
    if ((size_t)length >= room) {
        str_reserve(str, (size_t)length);
        vsnprintf(str->data + str->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    str->length += (size_t)length;
}

void str_printf(struct str *str, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vprintf(str, format, args);
    va_end(args);
}

const char *str_text(const struct str *str)
{
    return str->data ? str->data : "";
}
