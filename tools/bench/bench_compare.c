/* `pumice bench --compare`: the JSON of two runs, of two drivers or of two versions of one. The reader takes any JSON
 * that has the two lists of bench_table_write_json(), in any order and with more beside them, and refuses the rest. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 16 << 20, MAX_DEPTH = 32 };

struct reader {
    const char *at;
    bool failed;
};

static char peek(struct reader *reader)
{
    while (*reader->at && strchr(" \t\r\n", *reader->at))
        reader->at++;
    return *reader->at;
}

static bool take(struct reader *reader, char wanted)
{
    if (reader->failed || peek(reader) != wanted)
        return false;
    reader->at++;
    return true;
}

static void need(struct reader *reader, char wanted)
{
    if (!take(reader, wanted))
        reader->failed = true;
}

/* A string; what does not fit is cut. An escape \uXXXX becomes a '?'. */
static void read_text(struct reader *reader, char *out, size_t size)
{
    size_t length = 0;
    need(reader, '"');
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
    need(reader, '"');
}

static void skip(struct reader *reader, int depth)
{
    char c = peek(reader), close = c == '{' ? '}' : ']';
    if (depth > MAX_DEPTH)
        reader->failed = true;
    else if (c == '"')
        read_text(reader, NULL, 0);
    else if (c == '{' || c == '[') {
        need(reader, c);
        while (!reader->failed && peek(reader) != close) {
            if (c == '{') {
                read_text(reader, NULL, 0);
                need(reader, ':');
            }
            skip(reader, depth + 1);
            if (!take(reader, ','))
                break;
        }
        need(reader, close);
    } else {
        size_t length = strcspn(reader->at, ",]} \t\r\n");
        reader->failed |= !length;
        reader->at += length;
    }
}

/* Calls read for each pair of an object, with the key; read takes the value. */
static void each_pair(struct reader *reader, struct bench_table *table, void *data,
                      void (*read)(struct reader *, struct bench_table *, void *, const char *))
{
    need(reader, '{');
    while (!reader->failed && peek(reader) != '}') {
        char key[32];
        read_text(reader, key, sizeof(key));
        need(reader, ':');
        if (!reader->failed)
            read(reader, table, data, key);
        if (!take(reader, ','))
            break;
    }
    need(reader, '}');
}

static void read_column(struct reader *reader, struct bench_table *table, void *data, const char *key)
{
    struct bench_column *column = data;
    (void)table;
    if (!strcmp(key, "platform"))
        read_text(reader, column->platform, sizeof(column->platform));
    else if (!strcmp(key, "device"))
        read_text(reader, column->device, sizeof(column->device));
    else if (!strcmp(key, "driver"))
        read_text(reader, column->driver, sizeof(column->driver));
    else if (!strcmp(key, "version"))
        read_text(reader, column->version, sizeof(column->version));
    else
        skip(reader, 0);
}

static void read_row(struct reader *reader, struct bench_table *table, void *data, const char *key)
{
    struct bench_row *row = data;
    (void)table;
    if (!strcmp(key, "suite"))
        read_text(reader, row->suite, sizeof(row->suite));
    else if (!strcmp(key, "name"))
        read_text(reader, row->name, sizeof(row->name));
    else if (!strcmp(key, "values")) {
        need(reader, '[');
        for (int i = 0; !reader->failed && peek(reader) != ']'; i++) {
            char *end;
            double value = strtod(reader->at, &end);
            bool number = end != reader->at && isfinite(value) && value > 0.0;
            if (i < MAX_DEVICES)
                row->values[i] = number ? value : -1.0;
            skip(reader, 0); /* the number, or null */
            if (!take(reader, ','))
                break;
        }
        need(reader, ']');
    } else
        skip(reader, 0);
}

static void read_top(struct reader *reader, struct bench_table *table, void *data, const char *key)
{
    bool devices = !strcmp(key, "devices"), rows = !strcmp(key, "rows");
    (void)data;
    if (!devices && !rows) {
        skip(reader, 0);
        return;
    }
    need(reader, '[');
    while (!reader->failed && peek(reader) != ']') {
        struct bench_row row = {0};
        struct bench_column column = {0};
        for (int i = 0; i < MAX_DEVICES; i++)
            row.values[i] = -1.0;
        if (devices)
            each_pair(reader, table, &column, read_column);
        else
            each_pair(reader, table, &row, read_row);
        if (devices && table->num_columns < MAX_DEVICES)
            table->columns[table->num_columns++] = column;
        for (int i = 0; rows && !reader->failed && i < MAX_DEVICES; i++)
            reader->failed |= !bench_table_put(table, row.suite, row.name, i, row.values[i]);
        if (!take(reader, ','))
            break;
    }
    need(reader, ']');
}

bool bench_table_read_json(struct bench_table *table, const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(MAX_FILE + 1) : NULL;
    bool good = false;
    if (text) {
        size_t size = fread(text, 1, MAX_FILE, file);
        text[size] = 0;
        struct reader reader = {.at = text};
        each_pair(&reader, table, NULL, read_top);
        good = !reader.failed && table->num_columns > 0;
        if (!good)
            fprintf(stderr, "pumice bench: %s is no result of 'pumice bench --json' (at byte %td)\n", path,
                    reader.at - text);
    } else
        fprintf(stderr, "pumice bench: %s: %s\n", path, strerror(errno));
    free(text);
    if (file)
        fclose(file);
    return good;
}

static const struct bench_row *find_row(const struct bench_table *table, const struct bench_row *wanted)
{
    for (int i = 0; i < table->num_rows; i++) {
        if (!strcmp(table->rows[i].name, wanted->name) && !strcmp(table->rows[i].suite, wanted->suite))
            return &table->rows[i];
    }
    return NULL;
}

static void compare_column(const struct bench_table *a, const struct bench_table *b, int column, FILE *out)
{
    double logs = 0.0;
    int count = 0;
    fprintf(out, "A  %s: %s (driver %s)\nB  %s: %s (driver %s)\n", a->columns[column].platform,
            a->columns[column].device, a->columns[column].driver, b->columns[column].platform,
            b->columns[column].device, b->columns[column].driver);
    fprintf(out, "%-48s  %12s  %12s  %s\n", "", "A", "B", "how many times as good B is");
    for (int i = 0; i < a->num_rows; i++) {
        const struct bench_row *row = &a->rows[i], *other = find_row(b, row);
        if (!other || row->values[column] <= 0.0 || other->values[column] <= 0.0)
            continue;
        double ratio = other->values[column] / row->values[column];
        ratio = bench_lower_is_better(row) ? 1.0 / ratio : ratio;
        logs += log(ratio);
        count++;
        fprintf(out, "%-48s  %12.3f  %12.3f  %6.2fx\n", row->name, row->values[column], other->values[column], ratio);
    }
    if (count)
        fprintf(out, "%-48s  %12s  %12s  %6.2fx\n", "  geometric mean", "", "", exp(logs / count));
    else
        fputs("  no row is in both\n", out);
    fputc('\n', out);
}

void bench_table_compare(const struct bench_table *a, const struct bench_table *b, FILE *out)
{
    for (int i = 0; i < a->num_columns && i < b->num_columns; i++)
        compare_column(a, b, i, out);
}
