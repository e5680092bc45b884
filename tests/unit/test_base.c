/* base/: arena, vectors, maps, strings, half conversions, packed bytes, files, waits. */
#include "base/arena.h"
#include "base/file.h"
#include "base/int128.h"
#include "base/log.h"
#include "base/lz.h"
#include "base/map.h"
#include "base/platform.h"
#include "base/programs.h"
#include "base/settings.h"
#include "base/spirv.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/util.h"
#include "base/vec.h"

#include "tests/support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_arena(struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    size_t reserved = arena->reserved;
    for (size_t align = 1; align <= 256; align *= 2) {
        char *memory = arena_alloc_aligned(arena, 3, align);
        CHECK((uintptr_t)memory % align == 0);
        CHECK(memory[0] == 0 && memory[2] == 0);
        memset(memory, 0xff, 3);
    }
    char *big = arena_alloc(arena, 3 << 20);
    CHECK(big[0] == 0 && big[(3 << 20) - 1] == 0);
    arena_rewind(arena, mark);
    CHECK(arena->reserved == reserved);
    char *again = arena_alloc(arena, 64);
    for (int i = 0; i < 64; i++)
        CHECK(again[i] == 0);
    char *grown = arena_grow(arena, again, 64, 128);
    CHECK(grown == again && grown[127] == 0);
    strcpy(grown, "kept");
    arena_alloc(arena, 1);
    char *moved = arena_grow(arena, grown, 128, 4096);
    CHECK(moved != grown && !strcmp(moved, "kept") && moved[4095] == 0);
    CHECK(!strcmp(arena_printf(arena, "%d %s", 42, "words"), "42 words"));
    CHECK(!strcmp(arena_strndup(arena, "abcdef", 3), "abc"));
}

/* Numbers with bits at the edges, by pairs: what is left of division, and what undoes multiplication and shifts. */
static void check_pair(struct int128 a, struct int128 b)
{
    struct int128 zero = {0, 0}, rest, quotient, product = int128_multiply(a, b);
    CHECK(int128_equal(int128_subtract(int128_add(a, b), b), a));
    CHECK(int128_equal(product, int128_multiply(int128_negate(a), int128_negate(b))));
    CHECK(int128_less_signed(a, b) + int128_less_signed(b, a) + int128_equal(a, b) == 1);
    CHECK(int128_less_unsigned(a, b) + int128_less_unsigned(b, a) + int128_equal(a, b) == 1);
    if (int128_is_zero(b))
        return;
    quotient = int128_divide_unsigned(a, b, &rest);
    CHECK(int128_equal(int128_add(int128_multiply(quotient, b), rest), a) && int128_less_unsigned(rest, b));
    quotient = int128_divide_signed(a, b, &rest);
    CHECK(int128_equal(int128_add(int128_multiply(quotient, b), rest), a));
    CHECK(int128_is_zero(rest) || int128_top_bit(rest) == int128_top_bit(a));
    CHECK(!int128_multiply_overflows(quotient, b) || int128_equal(b, int128_of_signed(-1)));
    /* The product does not overflow where division undoes it; the least number by -1 is the exception. */
    bool least = int128_top_bit(product) && int128_equal(product, int128_negate(product));
    if (!least && !int128_is_zero(a)) {
        bool undone = int128_equal(int128_divide_signed(product, b, &rest), a) && int128_equal(rest, zero);
        CHECK(int128_multiply_overflows(a, b) == !undone);
    }
#ifdef __SIZEOF_INT128__
    unsigned __int128 x = (unsigned __int128)a.high << 64 | a.low, y = (unsigned __int128)b.high << 64 | b.low;
    __int128 ignored;
    CHECK(product.low == (uint64_t)(x * y) && product.high == (uint64_t)(x * y >> 64));
    quotient = int128_divide_unsigned(a, b, &rest);
    CHECK(quotient.low == (uint64_t)(x / y) && quotient.high == (uint64_t)(x / y >> 64));
    CHECK(int128_less_signed(a, b) == ((__int128)x < (__int128)y) && int128_less_unsigned(a, b) == (x < y));
    CHECK(int128_multiply_overflows(a, b) == __builtin_mul_overflow((__int128)x, (__int128)y, &ignored));
    CHECK(int128_to_float(a, false) == (float)x && int128_to_float(a, true) == (float)(__int128)x);
    CHECK(int128_to_double(a, false) == (double)x && int128_to_double(a, true) == (double)(__int128)x);
#endif
}

static void test_int128(void)
{
    static const uint64_t words[] = {0,
                                     1,
                                     2,
                                     3,
                                     10,
                                     0x7fffffff,
                                     0xffffffff,
                                     0x100000001,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0xfedcba9876543210,
                                     0xfffffffffffffffe,
                                     ~(uint64_t)0};
    enum { WORDS = ARRAY_LENGTH(words) };
    for (size_t i = 0; i < WORDS * WORDS; i++) {
        struct int128 a = {words[i % WORDS], words[i / WORDS]};
        for (size_t j = 0; j < WORDS * WORDS; j++)
            check_pair(a, (struct int128){words[j % WORDS], words[j / WORDS]});
        for (unsigned count = 0; count < 128; count++) {
            struct int128 left = int128_shift_left(a, count), power = int128_shift_left(int128_of_unsigned(1), count);
            CHECK(int128_equal(left, int128_multiply(a, power)));
            CHECK(int128_equal(int128_shift_left(int128_shift_right(left, count), count), left));
            CHECK(int128_equal(int128_shift_left(int128_shift_right_signed(left, count), count), left));
            CHECK(int128_top_bit(int128_shift_right_signed(left, count)) == int128_top_bit(left));
        }
    }
    /* Halfway between two floats, and a little more: rounded once. */
    CHECK(int128_to_float((struct int128){0, 0x1000001}, false) == 0x1p88f);
    CHECK(int128_to_float((struct int128){1, 0x1000001}, false) == 0x1.000002p88f);
    CHECK(int128_to_double((struct int128){0x80, 1}, true) == 0x1p64);
    CHECK(int128_to_double(int128_of_signed(-3), true) == -3);
}

static void test_out_of_memory(void)
{
    jmp_buf out;
    struct arena arena;
    volatile int reached = 0;
    arena_init(&arena, &out, 1 << 20);
    if (!setjmp(out)) {
        for (;;) {
            arena_alloc(&arena, 1000);
            reached++;
        }
    }
    CHECK(reached > 500 && reached < 1100);
    arena_finish(&arena);
    arena_init(&arena, &out, 0);
    if (!setjmp(out)) {
        arena_alloc_array(&arena, SIZE_MAX / 2, 4);
        CHECK(!"an overflowing count was allocated");
    }
    arena_finish(&arena);
}

enum { BLOCKS = 600 };

/* Blocks of all sizes, each full of its number. */
static void fill_blocks(struct arena *arena, unsigned char **blocks, uint32_t round)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        size_t size = (size_t)1 << (i * 7 + round) % 17;
        blocks[i] = arena_alloc(arena, size);
        CHECK(!blocks[i][0] && !blocks[i][size - 1]);
        memset(blocks[i], (int)(i & 255), size);
    }
}

static void check_blocks(unsigned char **blocks, uint32_t round)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        size_t size = (size_t)1 << (i * 7 + round) % 17;
        CHECK(blocks[i][0] == (i & 255) && blocks[i][size / 2] == (i & 255) && blocks[i][size - 1] == (i & 255));
    }
}

/* Arenas that share a pool: nobody gets what another holds, and it does not become more and more. */
static void test_pool(void)
{
    jmp_buf out;
    struct arena_pool pool = {0};
    unsigned char *blocks[2][BLOCKS];
    volatile size_t most = 0; /* it outlives a longjmp */
    if (setjmp(out)) {
        CHECK(!"out of memory");
        return;
    }
    for (uint32_t round = 0; round < 20; round++) {
        struct arena arenas[2];
        for (int i = 0; i < 2; i++) {
            arena_init(&arenas[i], &out, 0);
            arenas[i].pool = &pool;
            fill_blocks(&arenas[i], blocks[i], round + (uint32_t)i);
        }
        struct arena_mark mark = arena_mark(&arenas[0]);
        size_t held = pool.held;
        arena_alloc(&arenas[0], 5 << 20);
        CHECK(pool.held >= held + (5 << 20));
        arena_rewind(&arenas[0], mark);
        CHECK(pool.held == held);
        check_blocks(blocks[0], round);
        arena_finish(&arenas[0]);
        check_blocks(blocks[1], round + 1);
        arena_finish(&arenas[1]);
        most = round ? most : pool.held;
        CHECK(pool.held <= most);
        if (round % 8 == 7)
            arena_pool_free(&pool);
    }
    arena_pool_free(&pool);
    CHECK(!pool.held && !pool.spare && !pool.slabs);
}

static void test_vec(struct arena *arena)
{
    VEC(int) vec = {0};
    for (int i = 0; i < 1000; i++) {
        vec_push(arena, &vec, i);
        if (i % 7 == 0)
            arena_alloc(arena, 8);
    }
    CHECK(vec.length == 1000 && vec.data[999] == 999 && vec.data[0] == 0 && vec_last(&vec) == 999);
    CHECK(vec_pop(&vec) == 999 && vec.length == 999);
    int sum = 0;
    vec_foreach (int, it, &vec)
        sum += *it;
    CHECK(sum == 998 * 999 / 2);
}

static void test_maps(struct arena *arena)
{
    struct u64_map numbers = {0};
    struct str_map words = {0};
    CHECK(!u64_map_has(&numbers, 0) && !str_map_has(&words, "", 0));
    for (uint64_t i = 0; i < 5000; i++) {
        u64_map_set(arena, &numbers, i << 32, (void *)(uintptr_t)(i + 1));
        const char *key = arena_printf(arena, "key%d", (int)i);
        str_map_set(arena, &words, key, strlen(key), (void *)(uintptr_t)(i + 1));
    }
    CHECK(numbers.count == 5000 && words.count == 5000);
    for (uint64_t i = 0; i < 5000; i++) {
        CHECK(u64_map_get(&numbers, i << 32) == (void *)(uintptr_t)(i + 1));
        const char *key = arena_printf(arena, "key%d", (int)i);
        CHECK(str_map_get(&words, key, strlen(key)) == (void *)(uintptr_t)(i + 1));
    }
    u64_map_set(arena, &numbers, 0, NULL);
    CHECK(u64_map_has(&numbers, 0) && !u64_map_get(&numbers, 0) && numbers.count == 5000);
    CHECK(!u64_map_has(&numbers, 1) && !str_map_has(&words, "key", 3));
}

static void test_str(struct arena *arena)
{
    struct str str;
    str_init(&str, arena);
    CHECK(!strcmp(str_text(&str), ""));
    for (int i = 0; i < 300; i++)
        str_printf(&str, "%d,", i % 10);
    CHECK(str.length == 600 && strlen(str_text(&str)) == 600);
    str_putc(&str, 'x');
    str_puts(&str, "yz");
    CHECK(!strcmp(str_text(&str) + 598, "9,xyz"));
}

/* Rounds by search: the nearest of all halves, ties to even. */
static uint16_t nearest_half(double value)
{
    uint16_t low = 0, high = 0x7bff;
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high + 1) / 2);
        if (half_to_float(middle) <= value)
            low = middle;
        else
            high = (uint16_t)(middle - 1);
    }
    double above = low == 0x7bff ? 65536.0 : half_to_float((uint16_t)(low + 1));
    double down = value - half_to_float(low), up = above - value;
    return (uint16_t)(up < down || (up == down && low & 1) ? low + 1 : low);
}

static void test_half(void)
{
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        float value = half_to_float((uint16_t)bits);
        if (isnan(value))
            CHECK((half_from_float(value) & 0x7e00) == 0x7e00);
        else
            CHECK(half_from_float(value) == bits);
    }
    CHECK(half_to_float(0x3c00) == 1.0f && half_to_float(1) == 0x1p-24f && half_to_float(0xc000) == -2.0f);
    CHECK(half_from_double(65519.999) == 0x7bff && half_from_double(65520) == 0x7c00);
    CHECK(half_from_double(0x1p-25) == 0 && half_from_double(0x1.0001p-25) == 1 && half_from_double(1e-300) == 0);
    CHECK(half_from_double(-0.0) == 0x8000 && half_from_double(-HUGE_VAL) == 0xfc00);
    /* through float this would round twice */
    CHECK(half_from_double(1 + 0x1p-11 + 0x1p-40) == 0x3c01 && half_from_double(1 + 0x1p-11) == 0x3c00);
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = ldexp((double)(state >> 32), (int)(state >> 16 & 63) - 60);
        if (value < 65520)
            CHECK(half_from_double(value) == nearest_half(value));
    }
}

/* The directory holds one file at the end: the last whole content, and nothing temporary. */
/* Bytes of which some repeat: one of `letters` letters, or a copy of up to `longest` bytes from before. */
static void fill_repetitive(uint8_t *bytes, size_t size, unsigned letters, size_t longest, uint32_t *seed)
{
    for (size_t at = 0; at < size;) {
        *seed = *seed * 1664525u + 1013904223u;
        size_t length = longest && at ? 1 + (*seed >> 8) % longest : 0, from = at ? (*seed >> 16) % at : 0;
        if (!length || *seed >> 31)
            bytes[at++] = (uint8_t)((*seed >> 12) % letters);
        for (; length > 0 && at < size; length--)
            bytes[at++] = bytes[from++];
    }
}

static void test_lz(void)
{
    static uint8_t bytes[LZ_MOST], packed[LZ_MOST + LZ_MOST / 255 + 2 + LZ_SLACK], back[LZ_MOST + LZ_SLACK];
    static const size_t sizes[] = {1, 2, 3, 17, 18, 19, 270, 400, 5000, LZ_MOST}, longest[] = {0, 4, 20, 700};
    uint32_t seed = 5;
    for (size_t i = 0; i < ARRAY_LENGTH(sizes) * 4 * 3; i++) {
        size_t size = sizes[i / 12];
        fill_repetitive(bytes, size, i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 256, longest[i / 3 % 4], &seed);
        size_t used = lz_pack(bytes, size, packed);
        CHECK(used > 0 && used <= lz_bound(size));
        CHECK(i % 3 || size < 400 || used < size / 50); /* of one letter */
        for (size_t part = size; part > 0; part = part * 2 / 3) {
            memset(back, 0xa5, sizeof(back));
            lz_unpack(packed, back, part);
            CHECK(!memcmp(back, bytes, part) && (part + LZ_SLACK >= LZ_MOST || back[part + LZ_SLACK] == 0xa5));
        }
    }
}

static void test_file(void)
{
    char directory[] = "/tmp/pumice-file-XXXXXX", path[64], missing[64], text[8] = "";
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof(path), "%s/name", directory);
    snprintf(missing, sizeof(missing), "%s/no/name", directory);
    CHECK(file_replace(path, &(struct file_part){"before", 6}, 1, false));
    CHECK(file_replace(path, (const struct file_part[]){{"af", 2}, {"", 0}, {"ter", 3}}, 3, true));
    CHECK(!file_replace(missing, &(struct file_part){"x", 1}, 1, false) && errno == ENOENT);
    int fd = open(path, O_RDONLY);
    CHECK(file_read(fd, text, 5) && strcmp(text, "after") == 0);
    CHECK(!file_read(fd, text, 1));
    CHECK(file_append(path, "wards", 5, 6));
    CHECK(!file_append(path, "x", 1, 10) && errno == EFBIG);
    CHECK(lseek(fd, 0, SEEK_END) == 10);
    close(fd);
    CHECK(unlink(path) == 0);
    CHECK(file_append(path, "new", 3, 10) && access(path, R_OK | W_OK) == 0);
    char link[80];
    snprintf(link, sizeof(link), "%s/link", directory);
    CHECK(symlink(path, link) == 0 && !file_append(link, "x", 1, 10));
    CHECK(!file_append(missing, "x", 1, 10) && errno == ENOENT);
    CHECK(unlink(link) == 0 && unlink(path) == 0 && rmdir(directory) == 0);
}

static void test_platform(void)
{
    CHECK(strcmp(platform_program_name(), "test_base") == 0);
    CHECK(setenv("PUMICE_TEST_BASE", "value", 1) == 0);
    const char *value = platform_env("PUMICE_TEST_BASE");
    CHECK(value && strcmp(value, "value") == 0);
    unsetenv("PUMICE_TEST_BASE");
    CHECK(!platform_env("PUMICE_TEST_BASE"));
}

static unsigned num_said;
static char said[4][512];

static void hear(const char *text)
{
    if (num_said < ARRAY_LENGTH(said))
        snprintf(said[num_said], sizeof(said[0]), "%s", text);
    num_said++;
}

static void test_settings(void)
{
    CHECK(!setting_on(SETTING_VALIDATE) && setting_on(SETTING_CACHE) && setting_number(SETTING_QUEUES) == 0);
    CHECK(setting_choice(SETTING_LOG) == LOG_WARN && setting_choice(SETTING_DEVICE_TYPE) == -1);
    setenv("PUMICE_VALIDATE", "1", 1);
    setenv("PUMICE_CACHE", "no", 1);
    setenv("PUMICE_QUEUES", "99", 1);
    setenv("PUMICE_PROBE_THREADS", "3x", 1);
    setenv("PUMICE_DEVICE_TYPE", "Accelerator", 1);
    setenv("PUMICE_LOG", "", 1);
    CHECK(setting_on(SETTING_VALIDATE) && setting_on(SETTING_CACHE) && setting_number(SETTING_QUEUES) == 16);
    CHECK(setting_number(SETTING_PROBE_THREADS) == 0 && setting_choice(SETTING_DEVICE_TYPE) == 2);
    CHECK(setting_choice(SETTING_LOG) == LOG_WARN && !setting_text(SETTING_LOG));
    for (int i = 0; i < SETTING_COUNT; i++)
        unsetenv(setting_name((enum setting)i));
}

/* Before any other setting is read, since the warnings come once a process. */
static void test_setting_warnings(void)
{
    setenv("PUMICE_CASH", "0", 1);
    setenv("PUMICE_TEST_BASE", "0", 1);
    setenv("PUMICE_VULKAN", "1.9", 1);
    setenv("PUMICE_QUEUES", "99", 1);
    settings_check(hear);
    settings_check(hear);
    CHECK(num_said == 3);
    CHECK(strcmp(said[0], "PUMICE_QUEUES=99 counts as 16, which is the most") == 0);
    CHECK(strcmp(said[1], "PUMICE_VULKAN=1.9 does not count: it takes one of: 1.1 1.2 1.3 1.4") == 0);
    CHECK(strcmp(said[2], "PUMICE_CASH is no setting of Pumice's") == 0);
    unsetenv("PUMICE_CASH");
    unsetenv("PUMICE_TEST_BASE");
    unsetenv("PUMICE_VULKAN");
    unsetenv("PUMICE_QUEUES");
}

static const char *library; /* the one that is loaded */

static bool has_library(const char *prefix)
{
    return strncmp(library, prefix, strlen(prefix)) == 0;
}

static int count_program_settings(const char *executable, const char *loaded)
{
    int count = 0;
    library = loaded;
    for (int i = 0; i < SETTING_COUNT; i++)
        count += program_setting_of((enum setting)i, executable, has_library) != NULL;
    return count;
}

static void test_programs(void)
{
    const int settings = count_program_settings("llama-bench", "libc.so.6");
    CHECK(settings == 3);
    CHECK(count_program_settings("python3", "libggml-opencl.so.0") == settings);
    CHECK(count_program_settings("test-backend-ops", "") == settings);
    CHECK(count_program_settings("python3", "libc.so.6") == 0);
    CHECK(count_program_settings("llama", "libggml.so") == 0);
    CHECK(count_program_settings("matrix", "libCHIP.so") == 1 && count_program_settings("", "libchip.so") == 0);
    CHECK(count_program_settings("sycl_tests", "libacpp-rt.so") == 1);
    CHECK(count_program_settings("test-backend-ops2", "my-libggml-opencl.so") == 0);
}

/* Bytes that a warning adds to the file while that is descriptor 2. */
static long long warn_into(const char *path, int flags)
{
    struct stat before, after;
    int kept = dup(2), file = open(path, flags, 0600);
    dup3(file, 2, flags & O_CLOEXEC);
    fstat(file, &before);
    log_warn("a warning of the test's");
    fstat(file, &after);
    dup2(kept, 2);
    close(kept);
    close(file);
    return (long long)(after.st_size - before.st_size);
}

/* The second descriptor may be a file of the application's; then no line of the log lands there. */
static void test_log_descriptor(void)
{
    char path[] = "/tmp/pumice-log-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    if (log_enabled(LOG_WARN)) {
        CHECK(warn_into(path, O_RDWR) == 0);
        CHECK(warn_into(path, O_RDWR | O_TRUNC) == 0);
        CHECK(warn_into(path, O_WRONLY | O_CLOEXEC) == 0);
        /* what shells and testers make of standard error */
        CHECK(warn_into(path, O_WRONLY) > 0);
        CHECK(warn_into(path, O_RDWR | O_APPEND) > 0);
        CHECK(warn_into("/tmp", O_RDWR | O_TMPFILE) > 0);
    }
    close(file);
    unlink(path);
}

/* How many instructions are walked; whole: whether these are all that there is. */
static unsigned count_instructions(const uint32_t *words, size_t count, bool *whole)
{
    /* at the end of a block of its own, so that a sanitizer sees what is read beyond it */
    uint32_t *copy = malloc(count * sizeof(*copy) + 1);
    unsigned num = 0;
    if (count)
        memcpy(copy, words, count * sizeof(*copy));
    struct spirv_walk walk = spirv_walk(copy, count);
    while (spirv_next(&walk)) {
        CHECK(walk.inst + walk.length <= copy + count);
        num++;
    }
    *whole = spirv_is_whole(copy, count);
    free(copy);
    return num;
}

static void test_spirv(void)
{
    enum { NAME = 5, NOP = 1 };
    uint32_t words[] = {SPIRV_MAGIC, 0x10000, 0, 9, 0, 3u << 16 | NAME, 1, 0, 1u << 16 | NOP, 2u << 16 | NAME, 2};
    bool whole;
    for (size_t count = 0; count <= ARRAY_LENGTH(words); count++) {
        unsigned num = count_instructions(words, count, &whole);
        CHECK(num == 0u + (count >= 8) + (count >= 9) + (count >= 11));
        CHECK(whole == (count == 8 || count == 9 || count == 11));
    }
    words[8] = NOP; /* an instruction without words: nothing comes after it */
    CHECK(count_instructions(words, ARRAY_LENGTH(words), &whole) == 1 && !whole);
    words[8] = 0xffffu << 16 | NOP;
    CHECK(count_instructions(words, ARRAY_LENGTH(words), &whole) == 1 && !whole);
    words[8] = 1u << 16 | NOP;
    words[0] = 0;
    CHECK(count_instructions(words, ARRAY_LENGTH(words), &whole) == 3 && !whole);
    struct spirv_walk none = spirv_walk(NULL, 100);
    CHECK(!spirv_next(&none));
}

/* A wait ends when time_ns() says so, and not before. */
static void test_condition(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    thread_cond_init(&condition);
    pthread_mutex_lock(&lock);
    uint64_t deadline_ns = time_ns() + 20000000;
    while (thread_cond_wait_until(&condition, &lock, deadline_ns))
        CHECK(time_ns() < deadline_ns + 5000000000u);
    CHECK(time_ns() >= deadline_ns);
    CHECK(!thread_cond_wait_until(&condition, &lock, deadline_ns));
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&condition);
}

int main(void)
{
    jmp_buf out_of_memory;
    struct arena arena;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        return 1;
    test_arena(&arena);
    test_out_of_memory();
    test_pool();
    test_vec(&arena);
    test_maps(&arena);
    test_str(&arena);
    test_half();
    test_int128();
    test_lz();
    test_spirv();
    test_file();
    test_setting_warnings();
    test_settings();
    test_programs();
    test_platform();
    test_condition();
    test_log_descriptor();
    uint64_t start = time_ns();
    CHECK(time_ns() >= start);
    CHECK(!log_enabled(LOG_OFF));
    arena_finish(&arena);
    return test_result();
}
