/* A finding as people read it, in the form of the compiler's diagnostics:
 *
 *   sum.cl:7:12: out-of-bounds: read of 4 bytes, 4 bytes behind the end of a buffer of 1024 bytes
 *       total += in[i + 1];
 *                ^
 *     in kernel 'sum', work-item (255, 0, 0), group (3, 0, 0), in the group (63, 0, 0)
 *     at 0x7f3c00001400: buffer 0x55d0c1a2b3f0 of 1024 bytes, created by clCreateBuffer, call 12
 *     and 123 more here */
#include "src/check/internal.h"

#include <inttypes.h>
#include <string.h>

enum { LONGEST_LINE = 512 };

static void write_source(FILE *out, const struct check_place *place)
{
    size_t length = place->text ? strcspn(place->text, "\r\n") : 0;
    if (!length || length > LONGEST_LINE)
        return;
    fwrite(place->text, 1, length, out);
    fputc('\n', out);
    if (!place->column || place->column > length + 1)
        return;
    for (size_t i = 0; i + 1 < place->column; i++) {
        if (((unsigned char)place->text[i] & 0xc0) != 0x80) /* a character of UTF-8 is one column */
            fputc(place->text[i] == '\t' ? '\t' : ' ', out);
    }
    fputs("^\n", out);
}

bool check_write_place(FILE *out, const struct check_place *place, const char *caller)
{
    if (!place->file) {
        if (caller)
            fputs(caller, out);
        return caller;
    }
    fputs(place->file, out);
    if (place->line)
        fprintf(out, ":%u", place->line);
    if (place->line && place->column)
        fprintf(out, ":%u", place->column);
    return true;
}

static void write_item(FILE *out, const struct check_finding *finding)
{
    const uint64_t *global = finding->global_id, *group = finding->group, *local = finding->local_id;
    fprintf(out,
            "work-item (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), group (%" PRIu64 ", %" PRIu64 ", %" PRIu64
            "), in the group (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")\n",
            global[0], global[1], global[2], group[0], group[1], group[2], local[0], local[1], local[2]);
}

static void write_details(FILE *out, const struct check_finding *finding)
{
    if (finding->kernel)
        fprintf(out, "  in kernel '%s'", finding->kernel);
    if (finding->kernel && finding->parent)
        fprintf(out, ", a block of kernel '%s'", finding->parent);
    if (finding->kernel)
        fputs(finding->has_item ? ", " : "\n", out);
    else if (finding->has_item)
        fputs("  in ", out);
    if (finding->has_item)
        write_item(out, finding);
    if (finding->caller && finding->place.file)
        fprintf(out, "  in %s\n", finding->caller);
    if (finding->has_address)
        fprintf(out, "  at 0x%" PRIx64 "%s", finding->address, finding->object ? ": " : "\n");
    else if (finding->object)
        fputs("  ", out);
    if (finding->object)
        fprintf(out, "%s\n", finding->object);
}

void check_write_text(FILE *out, const struct check_finding *finding)
{
    if (!check_write_place(out, &finding->place, finding->caller))
        fputs("pumice", out);
    fprintf(out, ": %s: %s\n", check_kinds[finding->kind].name, finding->message ? finding->message : "");
    write_source(out, &finding->place);
    write_details(out, finding);
    if (finding->other_is && finding->other.file) {
        check_write_place(out, &finding->other, NULL);
        fprintf(out, ": note: %s\n", finding->other_is);
        write_source(out, &finding->other);
    }
    if (finding->times > 1)
        fprintf(out, "  and %" PRIu64 " more here\n", finding->times - 1);
}

/* Names and lines of source may have anything in them, and terminals do what control characters say. */
void check_clean(char *text)
{
    for (; *text; text++) {
        if (((unsigned char)*text < 0x20 && *text != '\t' && *text != '\n') || *text == 0x7f)
            *text = ' ';
    }
}
