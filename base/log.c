/* The log. Each line is formatted whole and leaves by one write(), so that threads need no lock and a fork leaves none
 * held. */
#include "log.h"

#include "platform.h"
#include "settings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum log_level threshold;
static int output;

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

static void configure(void)
{
    const char *path = setting_text(SETTING_LOG_FILE);
    threshold = (enum log_level)setting_choice(SETTING_LOG); /* whose words are in this order */
    output = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
    if (output < 0)
        output = STDERR_FILENO;
}

bool log_enabled(enum log_level level)
{
    pthread_once(&once, configure);
    return level <= threshold && level != LOG_OFF;
}

static void write_all(const char *text, size_t length)
{
    if (output == STDERR_FILENO && !platform_has_standard_error())
        return;
    while (length) {
        ssize_t done = write(output, text, length);
        if (done <= 0)
            return;
        text += done;
        length -= (size_t)done;
    }
}

void log_text(const char *text, size_t length)
{
    pthread_once(&once, configure);
    write_all(text, length);
}

void log_write(enum log_level level, const char *format, ...)
{
    pthread_once(&once, configure);
    char small[1024];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t prefix = (size_t)snprintf(small, sizeof(small), "pumice: %s: ", level_names[level]);
    int length = vsnprintf(small + prefix, sizeof(small) - prefix - 1, format, args);
    va_end(args);
    char *line = small;
    size_t total = prefix + (length > 0 ? (size_t)length : 0);
    if (total + 2 > sizeof(small)) {
        line = malloc(total + 2);
        if (line) {
            memcpy(line, small, prefix);
            vsnprintf(line + prefix, total - prefix + 1, format, again);
        } else {
            line = small;
            total = sizeof(small) - 2;
        }
    }
    va_end(again);
    if (line[total - 1] != '\n')
        line[total++] = '\n';
    write_all(line, total);
    if (line != small)
        free(line);
}
