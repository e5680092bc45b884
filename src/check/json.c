/* PUMICE_CHECK_JSON: an array of objects, one a line. The file is a whole array after every finding, whatever becomes of
 * the process: a finding goes over the bracket at the end, with a new bracket behind it, by one write. How often it came
 * is known at the process's end only; that number has room to grow and is written where it stands. Several processes may
 * write the same file: each locks it to append, and what is there never moves. */
#include "src/check/internal.h"

#include "base/log.h"
#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { DIGITS = 20 };

static int output = -1;
static bool opened; /* or it could not be */

/* ---- the text ---- */

/* How many bytes the character of UTF-8 has that begins here; 0: it is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 : (*text & 0xf0) == 0xe0 ? 3 : 0;
    if (*text >= 0xf0 && *text < 0xf5)
        length = 4;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    bool beyond = (*text == 0xed && text[1] > 0x9f) || (*text == 0xf4 && text[1] > 0x8f);
    return length > 2 && (overlong || beyond) ? 0 : length;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (size_t length; *text; text += length ? length : 1) {
        length = utf8_length((const unsigned char *)text);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else if (length)
            fwrite(text, 1, length, out);
        else
            fputs("\\ufffd", out);
    }
    fputc('"', out);
}

static void put_member(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, ",\"%s\":", name);
    put_string(out, text);
}

static void put_place(FILE *out, const struct check_place *place)
{
    put_member(out, "file", place->file);
    if (place->file && place->line)
        fprintf(out, ",\"line\":%u", place->line);
    if (place->file && place->line && place->column)
        fprintf(out, ",\"column\":%u", place->column);
    put_member(out, "text", place->text);
}

static void put_ids(FILE *out, const char *name, const uint64_t ids[3])
{
    fprintf(out, ",\"%s\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", name, ids[0], ids[1], ids[2]);
}

/* Returns where in the text the number of times begins. */
static long put_finding(FILE *out, const struct check_finding *finding)
{
    fprintf(out, "{\"times\":");
    long where = ftell(out);
    fprintf(out, "%-*" PRIu64, DIGITS, finding->times);
    fprintf(out, ",\"kind\":\"%s\",\"group\":\"%s\"", check_kinds[finding->kind].name,
            check_group_name(check_kinds[finding->kind].group));
    put_member(out, "message", finding->message);
    put_place(out, &finding->place);
    put_member(out, "kernel", finding->kernel);
    put_member(out, "parent", finding->parent);
    put_member(out, "function", finding->caller);
    if (finding->has_item) {
        put_ids(out, "global_id", finding->global_id);
        put_ids(out, "group_id", finding->group);
        put_ids(out, "local_id", finding->local_id);
    }
    if (finding->has_address)
        fprintf(out, ",\"address\":\"0x%" PRIx64 "\"", finding->address);
    put_member(out, "object", finding->object);
    if (finding->other_is && finding->other.file) {
        fputs(",\"other\":{\"is\":", out);
        put_string(out, finding->other_is);
        put_place(out, &finding->other);
        fputc('}', out);
    }
    fprintf(out, ",\"process\":%ld}\n]\n", (long)getpid());
    return where;
}

/* ---- the file ---- */

static void give_up(const char *reason)
{
    log_error("PUMICE_CHECK_JSON: %s: %s", setting_text(SETTING_CHECK_JSON), reason);
    close(output);
    output = -1;
}

static bool write_at(const char *text, size_t size, off_t offset)
{
    while (size) {
        ssize_t done = pwrite(output, text, size, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        text += done;
        size -= (size_t)done;
        offset += done;
    }
    return true;
}

static void lock_file(void)
{
    while (flock(output, LOCK_EX) != 0 && errno == EINTR)
        continue;
}

/* Where the array's closing bracket stands; -1: what is there is no array of ours. *empty: nothing is in it. */
static off_t find_end(bool *empty)
{
    char tail[5] = "";
    off_t size = lseek(output, 0, SEEK_END);
    if (size < 4 || pread(output, tail, 4, size - 4) != 4 || strcmp(tail + 1, "\n]\n") != 0)
        return -1;
    *empty = tail[0] == '[';
    return size - 2;
}

/* Two processes that share an open file share its locks. */
void check_json_forget(void)
{
    if (output >= 0)
        close(output);
    output = -1;
    opened = false;
}

void check_json_open(void)
{
    const char *path = setting_text(SETTING_CHECK_JSON);
    bool empty;
    if (!path || opened)
        return;
    opened = true;
    output = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (output < 0) {
        log_error("PUMICE_CHECK_JSON: %s: %s", path, strerror(errno));
        return;
    }
    lock_file();
    const char *reason = NULL;
    off_t size = lseek(output, 0, SEEK_END);
    if (size < 0)
        reason = strerror(errno); /* a pipe, a terminal */
    else if (size == 0 && !write_at("[\n]\n", 4, 0))
        reason = strerror(errno);
    else if (find_end(&empty) < 0)
        reason = "this file holds something else, and stays as it is";
    flock(output, LOCK_UN);
    if (reason)
        give_up(reason);
}

uint64_t check_json_append(const struct check_finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    check_json_open();
    FILE *out = output >= 0 ? open_memstream(&text, &size) : NULL;
    if (!out)
        return 0;
    fputs(",\n", out); /* in place of the newline before the bracket */
    long where = put_finding(out, finding);
    uint64_t found = 0;
    if (fclose(out) == 0) {
        bool empty = false;
        lock_file();
        off_t end = find_end(&empty);
        const char *begin = empty ? text + 2 : text;
        off_t offset = empty ? end : end - 1;
        if (end < 0)
            give_up("somebody else wrote into this file");
        else if (!write_at(begin, size - (size_t)(begin - text), offset))
            give_up(strerror(errno));
        else
            found = (uint64_t)(offset + where - (begin - text));
        if (output >= 0)
            flock(output, LOCK_UN);
    }
    free(text);
    return found;
}

void check_json_set_times(uint64_t where, uint64_t times)
{
    char digits[DIGITS + 1];
    snprintf(digits, sizeof(digits), "%-*" PRIu64, DIGITS, times);
    if (output >= 0 && where)
        write_at(digits, DIGITS, (off_t)where);
}
