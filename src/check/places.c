/* Where in the application a call was made: an address becomes a file and a line, by the program's debug information.
 *
 * That is read by LLVM's addr2line, or by binutils', of which 2.40 takes headers of DWARF 5 for the file that includes
 * them. As other sanitizers do it, there is one process for each program or library,
 * which is started when the first report needs it and asked by a socket. A shell starts it and ends, so that it is no
 * child of the application, which may wait for children of its own. Whatever goes wrong, an answer that takes too long
 * included, the place stays what is known without: the file's name, an offset and the function. */
#include "src/check/internal.h"

#include "base/map.h"
#include "base/platform.h"
#include "base/util.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_READERS = 16, NUM_KNOWN = 1 << 10, LONGEST_ANSWER = 1 << 14, PATIENCE = 5000 /* ms */ };

/* A process that reads the debug information of a program or library. */
struct reader {
    char *path; /* of that; NULL: no more readers */
    int socket; /* -1: there is none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct reader readers[MAX_READERS];
/* Addresses that were asked for lately: each hides another of the same place in the table. */
static struct known {
    const void *address;
    struct check_where where;
} known[NUM_KNOWN];

static const char script[] = "for tool in llvm-addr2line addr2line; do command -v $tool >/dev/null && "
                             "{ $tool -aie \"$1\" <&3 >&3 2>/dev/null 3>&- & exit; }; done";

/* ---- readers ---- */

static void end_reader(struct reader *reader)
{
    if (reader->socket >= 0)
        platform_handle_close(reader->socket);
    reader->socket = -1;
}

static struct reader *find_reader(const char *path)
{
    for (uint32_t i = 0; i < MAX_READERS; i++) {
        struct reader *reader = &readers[i];
        if (!reader->path && (reader->path = strdup(path)))
            reader->socket = platform_start_helper(script, path);
        if (reader->path && strcmp(reader->path, path) == 0)
            return reader;
    }
    return NULL;
}

/* What it says of the address, to behind the answer for the address 0, which has none. */
static bool ask(struct reader *reader, uint64_t address, char text[LONGEST_ANSWER])
{
    char question[64];
    size_t length = 0;
    int size = snprintf(question, sizeof(question), "0x%" PRIx64 "\n0x0\n", address);
    bool asked = reader->socket >= 0 && platform_send(reader->socket, question, (size_t)size);
    while (asked) {
        size_t more = platform_receive(reader->socket, text + length, LONGEST_ANSWER - 1 - length, PATIENCE);
        length += more;
        text[length] = 0;
        const char *zero = strstr(text, "\n0x0");
        zero = zero ? zero + 2 + strspn(zero + 2, "x0") : NULL; /* 0x0, or with 16 digits */
        if (zero && *zero == '\n' && strchr(zero + 1, '\n'))
            return true;
        if (!more)
            break;
    }
    end_reader(reader);
    return false;
}

/* ---- answers ---- */

/* Wrappers of the API in C++ are not where the application's call stands. */
static bool is_wrapper(const char *path)
{
    static const char *const names[] = {"opencl.hpp", "cl2.hpp", "cl.hpp"};
    const char *slash = platform_last_slash(path), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Lines "file:line", what was inlined before what it was inlined into. */
static bool read_answer(char *text, struct check_where *where)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *colon = strrchr(line, ':');
        if (strncmp(line, "0x", 2) == 0 || !colon || line[0] == '?')
            continue;
        unsigned long number = strtoul(colon + 1, NULL, 10);
        *colon = 0;
        if (!number || number > UINT32_MAX || strlen(line) >= sizeof(where->file))
            continue;
        memcpy(where->file, line, strlen(line) + 1);
        where->line = (uint32_t)number;
        if (!is_wrapper(line))
            return true;
    }
    return where->line;
}

static void find(const void *address, struct check_where *where)
{
    char path[1024];
    uint64_t inside;
    Dl_info info = {0};
    if (!platform_module(address, path, sizeof(path), &inside))
        return;
    const char *slash = platform_last_slash(path), *name = slash ? slash + 1 : path;
    bool named = dladdr(address, &info) && info.dli_sname;
    snprintf(where->text, sizeof(where->text), named ? "%s+0x%" PRIx64 " (%s)" : "%s+0x%" PRIx64, name, inside,
             named ? info.dli_sname : "");
    char *answer = malloc(LONGEST_ANSWER);
    struct reader *reader = answer ? find_reader(path) : NULL;
    if (reader && ask(reader, inside, answer))
        read_answer(answer, where);
    free(answer);
}

void check_locate(const void *address, struct check_where *where)
{
    *where = (struct check_where){.text = ""};
    if (!address)
        return;
    struct known *entry = &known[hash_bytes64(&address, sizeof(address), 0) % NUM_KNOWN];
    pthread_mutex_lock(&lock);
    if (entry->address != address) {
        find(address, where);
        *entry = (struct known){address, *where};
    }
    *where = entry->where;
    pthread_mutex_unlock(&lock);
}

/* ---- the source ---- */

char *check_source_line(const struct check_where *where)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = where->line ? fopen(where->file, "re") : NULL;
    if (!file)
        return NULL;
    ssize_t length = 0;
    for (uint32_t i = 0; i < where->line && length >= 0; i++)
        length = getline(&text, &room, file);
    fclose(file);
    if (length >= 0)
        text[strcspn(text, "\r\n")] = 0;
    if (length < 0 || !*text) {
        free(text);
        return NULL;
    }
    return text;
}

/* The parent's readers answer the parent. */
void check_places_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    for (uint32_t i = 0; i < MAX_READERS && readers[i].path; i++) {
        end_reader(&readers[i]);
        free(readers[i].path);
        readers[i].path = NULL;
    }
}
