/* See json.h. */
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

char json_peek(struct json_reader *reader)
{
    while (*reader->at && strchr(" \t\r\n", *reader->at))
        reader->at++;
    return *reader->at;
}

bool json_take(struct json_reader *reader, char wanted)
{
    if (reader->failed || json_peek(reader) != wanted)
        return false;
    reader->at++;
    return true;
}

void json_need(struct json_reader *reader, char wanted)
{
    if (!json_take(reader, wanted))
        reader->failed = true;
}

void json_text(struct json_reader *reader, char *out, size_t size)
{
    size_t length = 0;
    json_need(reader, '"');
    while (!reader->failed && *reader->at != '"') {
        char c = *reader->at++;
        if (c == '\\' && *reader->at) {
            c = *reader->at++;
            for (int i = 0; c == 'u' && i < 4 && *reader->at && *reader->at != '"'; i++)
                reader->at++;
            c = c == 'u' ? '?' : c;
        }
        if (!c) {
            reader->failed = true;
            break;
        }
        if (length + 1 < size)
            out[length++] = c;
    }
    if (size)
        out[length] = 0;
    json_need(reader, '"');
}

static void skip(struct json_reader *reader, int depth)
{
    char c = json_peek(reader), close = c == '{' ? '}' : ']';
    if (depth > MAX_DEPTH)
        reader->failed = true;
    else if (c == '"')
        json_text(reader, NULL, 0);
    else if (c == '{' || c == '[') {
        json_need(reader, c);
        while (!reader->failed && json_peek(reader) != close) {
            if (c == '{') {
                json_text(reader, NULL, 0);
                json_need(reader, ':');
            }
            skip(reader, depth + 1);
            if (!json_take(reader, ','))
                break;
        }
        json_need(reader, close);
    } else {
        size_t length = strcspn(reader->at, ",]} \t\r\n");
        reader->failed |= !length;
        reader->at += length;
    }
}

void json_skip(struct json_reader *reader)
{
    skip(reader, 0);
}

double json_number(struct json_reader *reader)
{
    char *end;
    json_peek(reader);
    double value = strtod(reader->at, &end);
    bool number = end != reader->at && isfinite(value);
    json_skip(reader);
    return number ? value : -1.0;
}

void json_each_pair(struct json_reader *reader, void *data,
                    void (*read)(struct json_reader *reader, void *data, const char *key))
{
    json_need(reader, '{');
    while (!reader->failed && json_peek(reader) != '}') {
        char key[128];
        json_text(reader, key, sizeof(key));
        json_need(reader, ':');
        if (!reader->failed)
            read(reader, data, key);
        if (!json_take(reader, ','))
            break;
    }
    json_need(reader, '}');
}

void json_each(struct json_reader *reader, void *data, void (*read)(struct json_reader *reader, void *data))
{
    json_need(reader, '[');
    while (!reader->failed && json_peek(reader) != ']') {
        read(reader, data);
        if (!json_take(reader, ','))
            break;
    }
    json_need(reader, ']');
}

char *json_file(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    size_t capacity = 65536, size = 0, got;
    char *text = malloc(capacity + 1);
    while (text && (got = fread(text + size, 1, capacity - size, file)) > 0 && (size += got) < JSON_MAX_FILE) {
        char *grown = size == capacity ? realloc(text, (capacity *= 2) + 1) : text;
        if (!grown)
            free(text);
        text = grown;
    }
    bool failed = ferror(file);
    int error = errno;
    fclose(file);
    if (text)
        text[size] = 0;
    else
        error = ENOMEM;
    if (failed) {
        free(text);
        text = NULL;
    }
    errno = error;
    return text;
}

void json_put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}
