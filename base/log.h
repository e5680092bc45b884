/* Logging, governed by PUMICE_LOG: error, warn (the default), info, debug; off says nothing. Thread-safe; lines are
 * whole. PUMICE_LOG_FILE names a file to append to; standard error otherwise. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

bool log_enabled(enum log_level level);
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes whole lines as they are, where the log goes, at every level. */
void log_text(const char *text, size_t length);

#define log_error(...) log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)
#define log_at(level, ...)                                                                                             \
    do {                                                                                                               \
        if (log_enabled(level))                                                                                        \
            log_write((level), __VA_ARGS__);                                                                           \
    } while (0)

#endif
