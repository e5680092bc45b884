/* `pumice bench --compare`: the JSON of two runs, of two drivers or of two versions of one. The reader takes any JSON
 * that has the two lists of bench_table_write_json(), in any order and with more beside them, and refuses the rest. */
#include "bench.h"
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_column(struct json_reader *reader, void *data, const char *key)
{
    struct bench_column *column = data;
    if (!strcmp(key, "platform"))
        json_text(reader, column->platform, sizeof(column->platform));
    else if (!strcmp(key, "device"))
        json_text(reader, column->device, sizeof(column->device));
    else if (!strcmp(key, "driver"))
        json_text(reader, column->driver, sizeof(column->driver));
    else if (!strcmp(key, "version"))
        json_text(reader, column->version, sizeof(column->version));
    else
        json_skip(reader);
}

static void read_row(struct json_reader *reader, void *data, const char *key)
{
    struct bench_row *row = data;
    if (!strcmp(key, "suite"))
        json_text(reader, row->suite, sizeof(row->suite));
    else if (!strcmp(key, "name"))
        json_text(reader, row->name, sizeof(row->name));
    else if (!strcmp(key, "values")) {
        json_need(reader, '[');
        for (int i = 0; !reader->failed && json_peek(reader) != ']'; i++) {
            double value = json_number(reader);
            if (i < MAX_DEVICES)
                row->values[i] = value > 0.0 ? value : -1.0;
            if (!json_take(reader, ','))
                break;
        }
        json_need(reader, ']');
    } else
        json_skip(reader);
}

static void read_device(struct json_reader *reader, void *data)
{
    struct bench_table *table = data;
    struct bench_column column = {0};
    json_each_pair(reader, &column, read_column);
    if (table->num_columns < MAX_DEVICES)
        table->columns[table->num_columns++] = column;
}

static void read_values(struct json_reader *reader, void *data)
{
    struct bench_table *table = data;
    struct bench_row row = {0};
    for (int i = 0; i < MAX_DEVICES; i++)
        row.values[i] = -1.0;
    json_each_pair(reader, &row, read_row);
    for (int i = 0; !reader->failed && i < MAX_DEVICES; i++)
        reader->failed |= !bench_table_put(table, row.suite, row.name, i, row.values[i]);
}

static void read_top(struct json_reader *reader, void *data, const char *key)
{
    if (!strcmp(key, "devices"))
        json_each(reader, data, read_device);
    else if (!strcmp(key, "rows"))
        json_each(reader, data, read_values);
    else
        json_skip(reader);
}

bool bench_table_read_json(struct bench_table *table, const char *path)
{
    char *text = json_file(path);
    bool good = false;
    if (text) {
        struct json_reader reader = {.at = text};
        json_each_pair(&reader, table, read_top);
        good = !reader.failed && table->num_columns > 0;
        if (!good)
            fprintf(stderr, "pumice bench: %s is no result of 'pumice bench --json' (at byte %td)\n", path,
                    reader.at - text);
    } else
        fprintf(stderr, "pumice bench: %s: %s\n", path, strerror(errno));
    free(text);
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
