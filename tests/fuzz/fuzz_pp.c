/* libFuzzer: options on the first line, the source after it. The source is also a header, so that #include can be
 * tried, and it must preprocess twice to the same text. */
#include "compiler/clc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum clc_result preprocess(const char *options, const char *source, size_t length, char **text)
{
    struct clc_target target;
    struct clc_header header = {"h", source, length};
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source,
        .lengths = &length,
        .num_strings = length > 0,
        .options = options,
        .headers = &header,
        .num_headers = length > 0,
        .target = &target,
        .memory_limit = (size_t)64 << 20,
    };
    char *log;
    enum clc_result result = clc_preprocess(&args, text, &log);
    if ((result == CLC_OUT_OF_MEMORY) != (log == NULL))
        abort();
    free(log);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t first = newline ? (size_t)(newline - data) : 0, from = newline ? first + 1 : 0;
    char *options = strndup((const char *)data, first), *source = malloc(size - from + 1);
    if (size > from)
        memcpy(source, data + from, size - from);
    source[size - from] = '\0';
    char *once, *twice;
    enum clc_result result = preprocess(options, source, size - from, &once);
    if (preprocess(options, source, size - from, &twice) != result || !once != !twice ||
        (once && strcmp(once, twice) != 0))
        abort();
    free(once);
    free(twice);
    free(options);
    free(source);
    return 0;
}
