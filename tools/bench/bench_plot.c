/* `pumice bench --plot`: for each row and each device but the first, a bar that begins at the first device's value. To
 * the right is better, on a logarithmic scale, so that twice as good and half as good are equally long. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 340, RIGHT = 110, SCALE = 560, BAR = 14, GAP = 6, HEADING = 34, LINE = 18, TOP = 24 };

static const char *const colours[] = {"#2f6db3", "#d9822b", "#3c9d5b", "#a94a8c", "#7a6a53"};

static void put_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, out);
    }
    fputs("</text>\n", out);
}

static int bars_of(const struct bench_table *table, const struct bench_row *row)
{
    int bars = 0;
    for (int i = 1; i < table->num_columns; i++)
        bars += bench_ratio(row, i) > 0.0;
    return bars;
}

static bool same_suite(const struct bench_row *a, const struct bench_row *b)
{
    return a && !strcmp(a->suite, b->suite);
}

/* The largest power of two that a ratio, or its inverse, reaches: at least 2, at most 1024. */
static double find_extent(const struct bench_table *table)
{
    double extent = 1.0;
    for (int row = 0; row < table->num_rows; row++) {
        for (int i = 1; i < table->num_columns; i++) {
            double ratio = bench_ratio(&table->rows[row], i);
            if (ratio > 0.0)
                extent = fmax(extent, fabs(log2(ratio)));
        }
    }
    return fmin(ceil(extent), 10.0);
}

static double put_legend(const struct bench_table *table, FILE *out)
{
    double y = TOP;
    for (int i = 0; i < table->num_columns; i++) {
        char line[512];
        const struct bench_column *column = &table->columns[i];
        snprintf(line, sizeof(line), i ? "%s: %s (%s)" : "1.0 is %s: %s (%s)", column->platform, column->device,
                 column->driver);
        if (i)
            fprintf(out, "<rect x=\"20\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", y - 10,
                    colours[(i - 1) % 5]);
        put_text(out, 40, y, "class=\"legend\"", line);
        y += LINE;
    }
    put_text(out, 40, y, "class=\"note\"", "To the right is better. The scale is logarithmic.");
    return y + LINE;
}

static void put_grid(FILE *out, double from, double to, double extent)
{
    for (int k = -(int)extent; k <= (int)extent; k++) {
        double x = LEFT + SCALE * (k + extent) / (2 * extent);
        char label[32];
        if (extent > 5 && k % 2)
            continue;
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, from, x, to,
                k ? "#dddddd" : "#444444");
        snprintf(label, sizeof(label), k < 0 ? "1/%d" : "%d", 1 << abs(k));
        put_text(out, x, from - 4, "class=\"grid\"", label);
    }
}

static double put_row(const struct bench_table *table, const struct bench_row *row, FILE *out, double y, double extent)
{
    double centre = LEFT + SCALE / 2.0, first = y;
    for (int i = 1; i < table->num_columns; i++) {
        double ratio = bench_ratio(row, i);
        char label[32];
        if (ratio <= 0.0)
            continue;
        bool beyond = fabs(log2(ratio)) > extent; /* the bar ends before its value, and the label says it */
        double length = fmax(-extent, fmin(extent, log2(ratio))) * SCALE / (2 * extent);
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                length < 0 ? centre + length : centre, y, fmax(fabs(length), 1.0), BAR - 2, colours[(i - 1) % 5]);
        snprintf(label, sizeof(label), "%s%.*g",
                 !beyond       ? ""
                 : ratio < 1.0 ? "\u2190 "
                               : "\u2192 ",
                 ratio < 1000.0 ? 3 : 6, ratio);
        put_text(out, length < 0 ? centre + 4 : centre + length + 4, y + BAR - 4, "class=\"value\"", label);
        y += BAR;
    }
    put_text(out, LEFT - 12, (first + y) / 2 + 3, "class=\"name\"", row->name);
    return y + GAP;
}

bool bench_table_plot(const struct bench_table *table, FILE *out)
{
    const struct bench_row *last = NULL;
    double extent = find_extent(table), y = TOP + LINE * (table->num_columns + 2) + LINE, top = y;
    for (int i = 0; i < table->num_rows; i++) {
        const struct bench_row *row = &table->rows[i];
        int bars = bars_of(table, row);
        if (!bars)
            continue;
        y += (same_suite(last, row) ? 0 : HEADING) + bars * BAR + GAP;
        last = row;
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\">\n"
            "<style>.legend{font-size:13px}.note{font-size:12px;fill:#555}.grid{font-size:11px;fill:#555;text-anchor:"
            "middle}.name{font-size:12px;text-anchor:end}.value{font-size:10px;fill:#333}.suite{font-size:15px;"
            "font-weight:bold}</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + SCALE + RIGHT, y + TOP);
    put_legend(table, out);
    put_grid(out, top, y, extent);
    last = NULL;
    y = top;
    for (int i = 0; i < table->num_rows; i++) {
        const struct bench_row *row = &table->rows[i];
        if (!bars_of(table, row))
            continue;
        if (!same_suite(last, row)) {
            put_text(out, 20, y + 22, "class=\"suite\"", row->suite);
            y += HEADING;
        }
        y = put_row(table, row, out, y, extent);
        last = row;
    }
    if (!last)
        put_text(out, 40, y, "class=\"note\"", "There is nothing to compare: one device, or no row that two have.");
    fputs("</svg>\n", out);
    return !ferror(out);
}
