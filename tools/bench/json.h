/* Reading and writing JSON, as the tool's own files need it. */
#ifndef TOOLS_BENCH_JSON_H
#define TOOLS_BENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { JSON_MAX_FILE = 64 << 20 };

/* A text that is read from its begin to its end. Once something is not what was expected, it has failed, and whatever
 * is read then is nothing. */
struct json_reader {
    const char *at;
    bool failed;
};

char json_peek(struct json_reader *reader); /* the next character that is no white space */
/* Whether it was the wanted one, which is read then. */
bool json_take(struct json_reader *reader, char wanted);
void json_need(struct json_reader *reader, char wanted);
/* A string; what does not fit is cut. An escape \uXXXX becomes a '?'. */
void json_text(struct json_reader *reader, char *out, size_t size);
/* A number, or -1 where there is something else, which is passed over. */
double json_number(struct json_reader *reader);
void json_skip(struct json_reader *reader); /* a value */
/* Calls read for each pair of an object, with the key; it has to read the value. */
void json_each_pair(struct json_reader *reader, void *data,
                    void (*read)(struct json_reader *reader, void *data, const char *key));
/* Calls read for each element of an array; it has to read the element. */
void json_each(struct json_reader *reader, void *data, void (*read)(struct json_reader *reader, void *data));

/* A whole file, ended by a NUL, for free(); NULL: errno says why not. */
char *json_file(const char *path);

void json_put_text(FILE *out, const char *text);

#endif
