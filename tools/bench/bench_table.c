/* The table of `pumice bench` (bench.h): rows by name, a column for each device; as text and as JSON. */
#include "bench.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool bench_lower_is_better(const struct bench_row *row)
{
    const char *comma = strrchr(row->name, ',');
    return comma && (!strncmp(comma, ", us", 4) || !strncmp(comma, ", ms", 4) || !strncmp(comma, ", ns", 4));
}

double bench_ratio(const struct bench_row *row, int column)
{
    double first = row->values[0], value = row->values[column];
    if (!(first > 0.0) || !(value > 0.0))
        return -1.0;
    return bench_lower_is_better(row) ? first / value : value / first;
}

bool bench_table_put(struct bench_table *table, const char *suite, const char *name, int column, double value)
{
    int row = 0;
    if (column < 0 || column >= MAX_DEVICES)
        return false;
    while (row < table->num_rows &&
           (strcmp(table->rows[row].name, name) != 0 || strcmp(table->rows[row].suite, suite) != 0))
        row++;
    if (row == MAX_ROWS)
        return false;
    if (row == table->capacity) {
        int capacity = table->capacity ? 2 * table->capacity : 64;
        struct bench_row *grown = realloc(table->rows, (size_t)capacity * sizeof(*grown));
        if (!grown)
            return false;
        table->rows = grown;
        table->capacity = capacity;
    }
    if (row == table->num_rows) {
        struct bench_row *made = &table->rows[table->num_rows++];
        snprintf(made->suite, sizeof(made->suite), "%s", suite);
        snprintf(made->name, sizeof(made->name), "%s", name);
        for (int i = 0; i < MAX_DEVICES; i++)
            made->values[i] = -1.0;
    }
    table->rows[row].values[column] = isfinite(value) ? value : -1.0;
    return true;
}

void bench_table_finish(struct bench_table *table)
{
    free(table->rows);
    *table = (struct bench_table){0};
}

static void print_mean(const struct bench_table *table, const char *suite, FILE *out)
{
    fprintf(out, "%-48s  %12s", "  geometric mean", "");
    for (int i = 1; i < table->num_columns; i++) {
        double logs = 0.0;
        int count = 0;
        for (int row = 0; row < table->num_rows; row++) {
            double ratio = bench_ratio(&table->rows[row], i);
            if (strcmp(table->rows[row].suite, suite) != 0 || ratio <= 0.0)
                continue;
            logs += log(ratio);
            count++;
        }
        if (count)
            fprintf(out, "  %12s %6.2fx", "", exp(logs / count));
        else
            fprintf(out, "  %12s %7s", "", "");
    }
    fputc('\n', out);
}

void bench_table_print(const struct bench_table *table, FILE *out)
{
    for (int i = 0; i < table->num_columns; i++) {
        const struct bench_column *column = &table->columns[i];
        fprintf(out, "%c  %s: %s (driver %s, %s)\n", 'A' + i, column->platform, column->device, column->driver,
                column->version);
    }
    if (table->num_columns > 1)
        fputs("An 'x' says how many times as good as A's a value is.\n", out);
    for (int row = 0; row < table->num_rows; row++) {
        const struct bench_row *this = &table->rows[row];
        if (!row || strcmp(this->suite, table->rows[row - 1].suite) != 0) {
            fprintf(out, "\n%-48s", this->suite);
            for (int i = 0; i < table->num_columns; i++)
                fprintf(out, i ? "  %12c        " : "  %12c", 'A' + i);
            fputc('\n', out);
        }
        fprintf(out, "%-48s", this->name);
        for (int i = 0; i < table->num_columns; i++) {
            double ratio = i ? bench_ratio(this, i) : -1.0;
            if (this->values[i] < 0.0)
                fprintf(out, "  %12s", "-");
            else
                fprintf(out, "  %12.*f", this->values[i] < 100.0 ? 3 : 1, this->values[i]);
            if (i && ratio > 0.0)
                fprintf(out, " %6.2fx", ratio);
            else if (i)
                fprintf(out, " %7s", "");
        }
        fputc('\n', out);
        bool last = row + 1 == table->num_rows || strcmp(this->suite, table->rows[row + 1].suite) != 0;
        if (last && table->num_columns > 1)
            print_mean(table, this->suite, out);
    }
}

/* ---- JSON ---- */

bool bench_table_write_json(const struct bench_table *table, FILE *out)
{
    fputs("{\n  \"pumice_bench\": 1,\n  \"devices\": [", out);
    for (int i = 0; i < table->num_columns; i++) {
        const struct bench_column *column = &table->columns[i];
        const char *const keys[] = {"platform", "device", "driver", "version"};
        const char *const values[] = {column->platform, column->device, column->driver, column->version};
        fputs(i ? ",\n    {" : "\n    {", out);
        for (int k = 0; k < 4; k++) {
            fprintf(out, "%s\"%s\": ", k ? ", " : "", keys[k]);
            json_put_text(out, values[k]);
        }
        fputc('}', out);
    }
    fputs("\n  ],\n  \"rows\": [", out);
    for (int row = 0; row < table->num_rows; row++) {
        const struct bench_row *this = &table->rows[row];
        fputs(row ? ",\n    {\"suite\": " : "\n    {\"suite\": ", out);
        json_put_text(out, this->suite);
        fputs(", \"name\": ", out);
        json_put_text(out, this->name);
        fprintf(out, ", \"lower_is_better\": %s, \"values\": [", bench_lower_is_better(this) ? "true" : "false");
        for (int i = 0; i < table->num_columns; i++) {
            if (this->values[i] < 0.0)
                fputs(i ? ", null" : "null", out);
            else
                fprintf(out, "%s%.9g", i ? ", " : "", this->values[i]);
        }
        fputs("]}", out);
    }
    fputs("\n  ]\n}\n", out);
    return !ferror(out);
}
