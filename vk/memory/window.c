/* A load from device memory over the bus takes a microsecond, and the processor does one after the other. x86's
 * streaming loads (SSE4.1) are different where memory is write-combining, as drivers map theirs: they bring whole lines,
 * several at a time. On an H100, 1 KiB takes 1 us and 4 KiB 5 us, by ordinary loads 17 and 65; a submission is seen done
 * after 13 us. */
#include "vk/memory/window.h"

#include <stdbool.h>
#include <string.h>

enum { LOADS_BYTES = 128, STREAM_BYTES = 8192 };

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

enum { LINE = 64 };

static bool can_stream(void)
{
    return __builtin_cpu_supports("sse4.1");
}

/* src is aligned to a line; whole lines. */
__attribute__((target("sse4.1"))) static void stream(char *dst, const char *src, uint64_t size)
{
    _mm_mfence(); /* no loads of earlier contents */
    for (uint64_t at = 0; at < size; at += LINE) {
        __m128i *line = (__m128i *)(uintptr_t)(src + at), *to = (__m128i *)(void *)(dst + at);
        /* A line's parts without anything between them, or it is fetched again. */
        __m128i a = _mm_stream_load_si128(line), b = _mm_stream_load_si128(line + 1);
        __m128i c = _mm_stream_load_si128(line + 2), d = _mm_stream_load_si128(line + 3);
        _mm_storeu_si128(to, a);
        _mm_storeu_si128(to + 1, b);
        _mm_storeu_si128(to + 2, c);
        _mm_storeu_si128(to + 3, d);
    }
}
#else
enum { LINE = 1 };

static bool can_stream(void)
{
    return false;
}

static void stream(char *dst, const char *src, uint64_t size)
{
    memcpy(dst, src, size);
}
#endif

uint64_t vkb_window_bytes(void)
{
    return can_stream() ? STREAM_BYTES : LOADS_BYTES;
}

/* Part of a line. The rest of it is memory of the same page. */
static uint64_t copy_part(char *dst, const char *src, uint64_t size)
{
    char line[64];
    uint64_t skipped = (uintptr_t)src % LINE, most = LINE - skipped, count = size < most ? size : most;
    stream(line, src - skipped, LINE);
    memcpy(dst, line + skipped, count);
    return count;
}

void vkb_window_copy(void *dst, const void *src, uint64_t size)
{
    const char *from = src;
    char *to = dst;
    if (!can_stream()) {
        memcpy(to, from, size);
        return;
    }
    uint64_t done = size && (uintptr_t)from % LINE ? copy_part(to, from, size) : 0;
    uint64_t whole = (size - done) / LINE * LINE;
    stream(to + done, from + done, whole);
    done += whole;
    if (done < size)
        copy_part(to + done, from + done, size - done);
}
