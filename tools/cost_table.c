/* What `pumice cost` found, as a table, as JSON, and beside another result. The names of the columns are the driver's:
 * no two makers count the same things. */
#include "cost.h"

#include "bench/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const result_names[] = {
    [COST_LOWERING] = "lowering", [COST_MAKING] = "making",   [COST_MADE] = "made", [COST_REFUSED] = "refused",
    [COST_REJECTED] = "rejected", [COST_CRASHED] = "crashed", [COST_LATE] = "late",
};

const char *cost_result_name(enum cost_result result)
{
    return result_names[result];
}

static const struct vkb_statistic *find(const struct cost_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->num_statistics; i++) {
        if (!strcmp(row->statistics[i].name, name))
            return &row->statistics[i];
    }
    return NULL;
}

static void format(const struct vkb_statistic *statistic, char *text, size_t size)
{
    if (!statistic)
        snprintf(text, size, "-");
    else if (statistic->is_whole)
        snprintf(text, size, "%.0f", statistic->value);
    else
        snprintf(text, size, "%.4g", statistic->value);
}

static void format_size(const struct cost_row *row, char *text, size_t size)
{
    snprintf(text, size, "%ux%ux%u", row->local[0], row->local[1], row->local[2]);
}

/* ---- the table ---- */

enum { MAX_COLUMNS = 64, MAX_LINES = 6 };

struct column {
    char name[96];
    int width;
    bool is_zero; /* in every row */
};

struct columns {
    struct column list[MAX_COLUMNS];
    uint32_t count;
};

/* Hashes say nothing in a table. */
static bool is_number(const char *name)
{
    return !strstr(name, "hash") && !strstr(name, "Hash");
}

static struct column *column_for(struct columns *columns, const char *name)
{
    for (uint32_t i = 0; i < columns->count; i++) {
        if (!strcmp(columns->list[i].name, name))
            return &columns->list[i];
    }
    if (columns->count == MAX_COLUMNS)
        return NULL;
    struct column *column = &columns->list[columns->count++];
    *column = (struct column){.is_zero = true};
    snprintf(column->name, sizeof(column->name), "%s", name);
    for (const char *word = name; *word; word += strspn(word, " ")) {
        int length = (int)strcspn(word, " ");
        column->width = length > column->width ? length : column->width;
        word += length;
    }
    return column;
}

static void find_columns(const struct cost_report *report, struct columns *columns)
{
    columns->count = 0;
    for (uint32_t i = 0; i < report->num_rows; i++) {
        const struct cost_row *row = &report->rows[i];
        for (uint32_t k = 0; k < row->num_statistics; k++) {
            struct column *column =
                is_number(row->statistics[k].name) ? column_for(columns, row->statistics[k].name) : NULL;
            char text[32];
            if (!column)
                continue;
            format(&row->statistics[k], text, sizeof(text));
            column->width = (int)strlen(text) > column->width ? (int)strlen(text) : column->width;
            column->is_zero = column->is_zero && row->statistics[k].value == 0.0;
        }
    }
}

/* The word of the name that stands in a line of the heading: the last word in the last line. */
static void heading_word(const struct column *column, int line, char *text, size_t size)
{
    int words = 0;
    const char *starts[MAX_LINES] = {0};
    for (const char *at = column->name; *at && words < MAX_LINES; at += strspn(at, " ")) {
        starts[words++] = at;
        at += strcspn(at, " ");
    }
    int index = line - (MAX_LINES - words);
    text[0] = '\0';
    if (index >= 0)
        snprintf(text, size, "%.*s", (int)strcspn(starts[index], " "), starts[index]);
}

static void print_heading(const struct columns *columns, int name_width, FILE *out)
{
    char text[96];
    for (int line = 0; line < MAX_LINES; line++) {
        bool is_last = line == MAX_LINES - 1, is_first_of_2 = line == MAX_LINES - 2, is_empty = !is_last;
        for (uint32_t i = 0; i < columns->count && is_empty; i++) {
            heading_word(&columns->list[i], line, text, sizeof(text));
            is_empty = columns->list[i].is_zero || !text[0];
        }
        if (is_empty && !is_first_of_2)
            continue;
        fprintf(out, "%-*s  %11s  %9s  %7s", name_width, is_last ? "kernel" : "", is_last ? "local" : "",
                is_last         ? "ms"
                : is_first_of_2 ? "driver"
                                : "",
                is_last         ? "bytes"
                : is_first_of_2 ? "SPIR-V"
                                : "");
        for (uint32_t i = 0; i < columns->count; i++) {
            heading_word(&columns->list[i], line, text, sizeof(text));
            if (!columns->list[i].is_zero)
                fprintf(out, "  %*s", columns->list[i].width, text);
        }
        fputc('\n', out);
    }
}

static void print_row(const struct columns *columns, const struct cost_row *row, int name_width, FILE *out)
{
    char text[64];
    format_size(row, text, sizeof(text));
    fprintf(out, "%-*s  %11s", name_width, row->kernel, text);
    if (row->result != COST_MADE) {
        bool says_all = row->result == COST_CRASHED || row->result == COST_LATE;
        fprintf(out, "  %s%s%s\n", says_all ? "" : cost_result_name(row->result), says_all ? "" : ": ", row->reason);
        return;
    }
    fprintf(out, "  %9.1f  %7u", row->driver_ms, row->spirv_bytes);
    for (uint32_t i = 0; i < columns->count; i++) {
        format(find(row, columns->list[i].name), text, sizeof(text));
        if (!columns->list[i].is_zero)
            fprintf(out, "  %*s", columns->list[i].width, text);
    }
    fputc('\n', out);
}

static void print_zeros(const struct columns *columns, FILE *out)
{
    bool first = true;
    for (uint32_t i = 0; i < columns->count; i++) {
        if (columns->list[i].is_zero)
            fprintf(out, "%s%s", first ? "0 everywhere: " : ", ", columns->list[i].name);
        first = first && !columns->list[i].is_zero;
    }
    if (!first)
        fputc('\n', out);
}

void cost_print(const struct cost_report *report, FILE *out)
{
    struct columns columns;
    int name_width = 6;
    find_columns(report, &columns);
    for (uint32_t i = 0; i < report->num_rows; i++) {
        int length = (int)strlen(report->rows[i].kernel);
        name_width = length > name_width ? length : name_width;
    }
    fprintf(out, "%s (%s)\n", report->device, report->driver);
    if (report->probe[0])
        fprintf(out, "The device was not measured (%s): functions have Pumice's bodies, not its own.\n", report->probe);
    if (!report->has_statistics)
        fputs("The driver tells nothing of its pipelines (VK_KHR_pipeline_executable_properties).\n", out);
    if (!report->num_rows) {
        fputs("There is no kernel.\n", out);
        return;
    }
    fputc('\n', out);
    print_heading(&columns, name_width, out);
    for (uint32_t i = 0; i < report->num_rows; i++)
        print_row(&columns, &report->rows[i], name_width, out);
    print_zeros(&columns, out);
}

/* ---- two of them ---- */

static const struct cost_row *find_row(const struct cost_report *report, const struct cost_row *wanted)
{
    const struct cost_row *only = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->num_rows; i++) {
        const struct cost_row *row = &report->rows[i];
        if (strcmp(row->kernel, wanted->kernel) != 0)
            continue;
        if (!memcmp(row->local, wanted->local, sizeof(row->local)))
            return row;
        only = row;
        count++;
    }
    return count == 1 ? only : NULL; /* the usual size differs between devices */
}

static void print_pair(const struct vkb_statistic *a, const struct vkb_statistic *b, FILE *out)
{
    char left[32], right[32];
    format(a, left, sizeof(left));
    format(b, right, sizeof(right));
    fprintf(out, "  %-40s  %14s  %14s", a->name, left, right);
    if (a->value > 0.0 && b->value > 0.0)
        fprintf(out, "  %7.2fx", b->value / a->value);
    fputc('\n', out);
}

static void compare_rows(const struct cost_row *a, const struct cost_row *b, FILE *out)
{
    char left[64], right[64];
    format_size(a, left, sizeof(left));
    format_size(b, right, sizeof(right));
    fprintf(out, "\n%-42s  %14s  %14s\n", a->kernel, left, right);
    if (a->result != COST_MADE || b->result != COST_MADE) {
        fprintf(out, "  A: %s%s%s\n", cost_result_name(a->result), a->reason[0] ? ": " : "", a->reason);
        fprintf(out, "  B: %s%s%s\n", cost_result_name(b->result), b->reason[0] ? ": " : "", b->reason);
        return;
    }
    print_pair(&(struct vkb_statistic){"driver ms", false, a->driver_ms},
               &(struct vkb_statistic){"driver ms", false, b->driver_ms}, out);
    if (a->spirv_bytes != b->spirv_bytes)
        print_pair(&(struct vkb_statistic){"SPIR-V bytes", true, a->spirv_bytes},
                   &(struct vkb_statistic){"SPIR-V bytes", true, b->spirv_bytes}, out);
    for (uint32_t i = 0; i < a->num_statistics; i++) {
        const struct vkb_statistic *other = find(b, a->statistics[i].name);
        if (other && is_number(other->name) && other->value != a->statistics[i].value)
            print_pair(&a->statistics[i], other, out);
    }
}

void cost_compare(const struct cost_report *a, const struct cost_report *b, FILE *out)
{
    fprintf(out, "A  %s (%s): %s %s\nB  %s (%s): %s %s\n", a->device, a->driver, a->file, a->options, b->device,
            b->driver, b->file, b->options);
    fprintf(out, "Numbers that both have, and that differ; then how many times A's B's is.\n");
    for (uint32_t i = 0; i < a->num_rows; i++) {
        const struct cost_row *other = find_row(b, &a->rows[i]);
        if (other)
            compare_rows(&a->rows[i], other, out);
        else
            fprintf(out, "\n%s: only in A\n", a->rows[i].kernel);
    }
    for (uint32_t i = 0; i < b->num_rows; i++) {
        if (!find_row(a, &b->rows[i]))
            fprintf(out, "\n%s: only in B\n", b->rows[i].kernel);
    }
}

/* ---- JSON ---- */

static void put_pair(FILE *out, const char *before, const char *key, const char *value)
{
    fputs(before, out);
    json_put_text(out, key);
    fputs(": ", out);
    json_put_text(out, value);
}

static void write_row(const struct cost_row *row, FILE *out)
{
    put_pair(out, "{", "kernel", row->kernel);
    fprintf(out, ", \"local\": [%u, %u, %u]", row->local[0], row->local[1], row->local[2]);
    put_pair(out, ", ", "result", cost_result_name(row->result));
    put_pair(out, ", ", "reason", row->reason);
    fprintf(out, ", \"lowering_ms\": %.3f, \"spirv_bytes\": %u, \"driver_ms\": %.3f, \"subgroup_size\": %u,\n",
            row->lowering_ms, row->spirv_bytes, row->driver_ms, row->subgroup_size);
    fputs("     \"statistics\": {", out);
    for (uint32_t i = 0; i < row->num_statistics; i++) {
        fputs(i ? ", " : "", out);
        json_put_text(out, row->statistics[i].name);
        fprintf(out, row->statistics[i].is_whole ? ": %.0f" : ": %.9g", row->statistics[i].value);
    }
    fputs("}}", out);
}

bool cost_write_json(const struct cost_report *report, FILE *out)
{
    fputs("{\n  \"pumice_cost\": 1", out);
    put_pair(out, ",\n  ", "file", report->file);
    put_pair(out, ",\n  ", "options", report->options);
    put_pair(out, ",\n  ", "device", report->device);
    put_pair(out, ",\n  ", "driver", report->driver);
    put_pair(out, ",\n  ", "not_measured", report->probe);
    fprintf(out, ",\n  \"has_statistics\": %s", report->has_statistics ? "true" : "false");
    fprintf(out, ",\n  \"exit_code\": %d,\n  \"rows\": [", report->code);
    for (uint32_t i = 0; i < report->num_rows; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        write_row(&report->rows[i], out);
    }
    fputs("\n  ]\n}\n", out);
    return !ferror(out);
}

static void read_local(struct json_reader *reader, struct cost_row *row)
{
    json_need(reader, '[');
    for (int i = 0; i < 3; i++) {
        double value = json_number(reader);
        row->local[i] = value >= 0.0 && value <= UINT32_MAX ? (uint32_t)value : 0;
        if (i < 2)
            json_need(reader, ',');
    }
    json_need(reader, ']');
}

static void read_statistic(struct json_reader *reader, void *data, const char *key)
{
    struct cost_row *row = data;
    double value = json_number(reader);
    if (row->num_statistics == VKB_MAX_STATISTICS)
        return;
    struct vkb_statistic *statistic = &row->statistics[row->num_statistics++];
    snprintf(statistic->name, sizeof(statistic->name), "%.95s", key);
    statistic->value = value;
    statistic->is_whole = value == (double)(int64_t)(value > -9e18 && value < 9e18 ? value : 0.5);
}

static void read_row(struct json_reader *reader, void *data, const char *key)
{
    struct cost_row *row = data;
    char text[16];
    if (!strcmp(key, "kernel"))
        json_text(reader, row->kernel, sizeof(row->kernel));
    else if (!strcmp(key, "reason"))
        json_text(reader, row->reason, sizeof(row->reason));
    else if (!strcmp(key, "local"))
        read_local(reader, row);
    else if (!strcmp(key, "driver_ms"))
        row->driver_ms = json_number(reader);
    else if (!strcmp(key, "spirv_bytes"))
        row->spirv_bytes = (uint32_t)(int64_t)json_number(reader);
    else if (!strcmp(key, "statistics"))
        json_each_pair(reader, row, read_statistic);
    else if (!strcmp(key, "result")) {
        json_text(reader, text, sizeof(text));
        for (size_t i = 0; i < sizeof(result_names) / sizeof(result_names[0]); i++) {
            if (!strcmp(text, result_names[i]))
                row->result = (enum cost_result)i;
        }
    } else
        json_skip(reader);
}

static void read_rows(struct json_reader *reader, void *data)
{
    struct cost_row row = {.result = COST_REJECTED};
    json_each_pair(reader, &row, read_row);
    reader->failed = reader->failed || !cost_add(data, &row);
}

static void read_top(struct json_reader *reader, void *data, const char *key)
{
    struct cost_report *report = data;
    if (!strcmp(key, "file"))
        json_text(reader, report->file, sizeof(report->file));
    else if (!strcmp(key, "options"))
        json_text(reader, report->options, sizeof(report->options));
    else if (!strcmp(key, "device"))
        json_text(reader, report->device, sizeof(report->device));
    else if (!strcmp(key, "driver"))
        json_text(reader, report->driver, sizeof(report->driver));
    else if (!strcmp(key, "rows"))
        json_each(reader, report, read_rows);
    else
        json_skip(reader);
}

bool cost_read_json(struct cost_report *report, const char *path)
{
    char *text = json_file(path);
    if (!text) {
        fprintf(stderr, "pumice cost: %s: %s\n", path, strerror(errno));
        return false;
    }
    struct json_reader reader = {.at = text};
    json_each_pair(&reader, report, read_top);
    bool good = !reader.failed && report->device[0];
    if (!good)
        fprintf(stderr, "pumice cost: %s is no result of 'pumice cost --json' (at byte %td)\n", path, reader.at - text);
    free(text);
    return good;
}
