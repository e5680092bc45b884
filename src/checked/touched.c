/* Launches whose device noted which bytes they touch (src/object/touched.h): whether they meet others is known once they have ended. */
#include "src/checked/model.h"

#include "base/util.h"

enum {
    READS = 1 << CLC_TOUCHED_READS,
    WRITES = 1 << CLC_TOUCHED_WRITES,
    ATOMIC_READS = 1 << CLC_TOUCHED_ATOMIC_READS,
    ATOMIC_WRITES = 1 << CLC_TOUCHED_ATOMIC_WRITES
};

/* What one launch noted of an access. */
struct noted {
    const uint32_t *words;
    uint64_t begin, end; /* as the access has them */
    uint32_t shift;
};

static struct noted noted_of(const struct checked_access *access)
{
    const struct ocl_touched_arg *arg = &access->touched->args[access->arg];
    return (struct noted){ocl_touched_words(access->touched, access->arg), access->begin, access->end, arg->shift};
}

/* Bits where both touch and one of them writes, of four words each. Atomic operations are in no other one's way. */
static uint32_t conflicts(const uint32_t *a, const uint32_t *b)
{
    uint32_t any_a = a[0] | a[1] | a[2] | a[3], any_b = b[0] | b[1] | b[2] | b[3];
    return (a[CLC_TOUCHED_WRITES] & any_b) | (b[CLC_TOUCHED_WRITES] & any_a) |
           (a[CLC_TOUCHED_READS] & b[CLC_TOUCHED_ATOMIC_WRITES]) |
           (a[CLC_TOUCHED_ATOMIC_WRITES] & b[CLC_TOUCHED_READS]);
}

/* The words, with no bits but those of the bytes from begin to end (as the access has them). */
static bool cut(const struct noted *noted, uint64_t word, uint64_t begin, uint64_t end, uint32_t cut_words[4])
{
    uint64_t first = word * 32, from = (begin - noted->begin) >> noted->shift;
    uint64_t last = (end - 1 - noted->begin) >> noted->shift;
    uint32_t bits = UINT32_MAX, any = 0;
    if (from > first)
        bits &= UINT32_MAX << (from - first);
    if (last < first + 31)
        bits &= UINT32_MAX >> (first + 31 - last);
    for (uint32_t i = 0; i < CLC_TOUCHED_WORDS; i++) {
        cut_words[i] = noted->words[word * CLC_TOUCHED_WORDS + i] & bits;
        any |= cut_words[i];
    }
    return any;
}

/* Whether a launch meets a command that reads or writes the bytes from begin to end. Of four words of the command's. */
static bool meets_bytes(const struct noted *noted, uint64_t begin, uint64_t end, const uint32_t all[4], uint64_t *at)
{
    uint32_t words[4];
    begin = u64_max(begin, noted->begin);
    end = u64_min(end, noted->end);
    if (begin >= end)
        return false;
    uint64_t first = (begin - noted->begin) >> noted->shift >> 5, last = (end - 1 - noted->begin) >> noted->shift >> 5;
    for (uint64_t word = first; word <= last; word++) {
        uint32_t bits = cut(noted, word, begin, end, words) ? conflicts(words, all) : 0;
        if (!bits)
            continue;
        *at = u64_max(begin, noted->begin + ((word * 32 + (uint32_t)__builtin_ctz(bits)) << noted->shift));
        return true;
    }
    return false;
}

static bool meets_command(const struct checked_access *x, const struct checked_access *y, uint64_t *at)
{
    const struct noted noted = noted_of(x);
    const uint32_t all[4] = {y->reads ? UINT32_MAX : 0, y->writes ? UINT32_MAX : 0, 0, 0};
    if (y->shape == CHECKED_BYTES)
        return meets_bytes(&noted, y->begin, y->end, all, at);
    if (y->shape != CHECKED_ROWS)
        return meets_bytes(&noted, noted.begin, noted.end, all, at);
    for (uint64_t i = 0; i < y->rows * y->slices; i++) {
        uint64_t row = checked_row_begin(y, i);
        if (meets_bytes(&noted, row, row + y->row, all, at))
            return true;
    }
    return false;
}

/* Each granule of a that was touched, as a command that does the same. */
static bool meets_granules(const struct noted *a, uint64_t word, const struct noted *b, uint64_t *at)
{
    const uint32_t *words = &a->words[word * CLC_TOUCHED_WORDS];
    for (uint32_t any = words[0] | words[1] | words[2] | words[3]; any; any &= any - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(any), all[4];
        uint64_t begin = a->begin + ((word * 32 + bit) << a->shift);
        for (uint32_t i = 0; i < 4; i++)
            all[i] = words[i] >> bit & 1 ? UINT32_MAX : 0;
        if (meets_bytes(b, begin, u64_min(begin + (UINT64_C(1) << a->shift), a->end), all, at))
            return true;
    }
    return false;
}

static bool meets_launch(const struct checked_access *x, const struct checked_access *y, uint64_t *at)
{
    const struct noted a = noted_of(x), b = noted_of(y);
    uint64_t begin = u64_max(a.begin, b.begin), end = u64_min(a.end, b.end);
    bool alike = a.begin == b.begin && a.shift == b.shift;
    for (uint64_t word = (begin - a.begin) >> a.shift >> 5; word <= (end - 1 - a.begin) >> a.shift >> 5; word++) {
        if (alike) {
            uint32_t bits = conflicts(&a.words[word * 4], &b.words[word * 4]);
            *at = bits ? a.begin + ((word * 32 + (uint32_t)__builtin_ctz(bits)) << a.shift) : *at;
            if (bits)
                return true;
        } else if (meets_granules(&a, word, &b, at)) {
            return true;
        }
    }
    return false;
}

enum checked_meeting checked_meet(const struct checked_access *x, const struct checked_access *y, uint64_t *at)
{
    const struct ocl_touched *a = x->touched, *b = y->touched;
    if ((a && !a->complete) || (b && !b->complete))
        return CHECKED_OPEN;
    if ((a && !a->ran) || (b && !b->ran))
        return CHECKED_APART;
    bool meet = a && b ? meets_launch(x, y, at) : a ? meets_command(x, y, at) : meets_command(y, x, at);
    return meet ? CHECKED_MEET : CHECKED_APART;
}

void checked_access_touched(struct checked_access *access, struct ocl_touched *touched, uint32_t arg)
{
    uint64_t size = touched && arg < touched->num_args ? touched->args[arg].size : 0;
    if (!size || access->shape != CHECKED_BYTES || access->end - access->begin != size)
        return;
    access->touched = touched;
    access->arg = arg;
}
