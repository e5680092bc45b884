/* Between which numbers a value of the kernel lies: from constants alone, or as numbers that are computed in front of a
 * loop for all of its rounds (spans.c). */
#ifndef COMPILER_LOWER_CHECK_SPANS_H
#define COMPILER_LOWER_CHECK_SPANS_H

#include "compiler/lower/check/check.h"

#include "compiler/opt/cfg/cfg.h"

/* From low to high, as signed numbers. A value of fewer bits than 64 is congruent to one of them, unless it was said that
 * it fits. least and most always hold. The ids are of 64 bits; 0: that number is least, or most. */
struct check_span {
    spv_id low, high;
    int64_t least, most;
};

/* What is asked, and of whom. */
struct check_spans {
    struct lower *lower;
    struct spv_module *module;
    struct spv_layouts *layouts;
    const struct spv_cfg *cfg;
    const struct cfg_loops *loops;
    uint32_t at;           /* the block in which the value is used */
    struct spv_builder *b; /* in front of a loop; NULL: constants only */
    const bool *region;    /* by block: of that loop */
    spv_id condition;      /* what has to hold besides; 0: nothing */
    uint32_t steps;        /* of this question so far */
};

/* False: nothing is known. Of an integer of at most 64 bits. as_signed: how a number that is computed from nothing known
 * is read. */
bool check_span_of(struct check_spans *s, spv_id value, bool as_signed, uint32_t depth, struct check_span *span);
/* Has it that the value is the number itself, and not only congruent. False: it may not be. */
bool check_span_fits(struct check_spans *s, struct check_span *span, uint32_t width, bool as_signed);
/* How many bytes the pointer leads from the root. False where it is no sum of indices, or one may be anything. */
bool check_span_of_distance(struct check_spans *s, spv_id pointer, spv_id root, struct check_span *span);
/* Adds to the conditions. */
void check_require(struct check_spans *s, spv_id condition);
/* The numbers as ids. */
spv_id check_low(struct check_spans *s, const struct check_span *span);
spv_id check_high(struct check_spans *s, const struct check_span *span);

/* Of an operand, as the number itself. */
bool check_span_exactly(struct check_spans *s, spv_id value, bool as_signed, uint32_t depth, struct check_span *span);
struct check_span check_span_known(int64_t least, int64_t most);
/* Has it that the span lies between the two numbers. False: it cannot be had. */
bool check_span_keep(struct check_spans *s, struct check_span *span, int64_t least, int64_t most);
bool check_span_add(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                    struct check_span *sum);
bool check_span_subtract(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                         struct check_span *sum);
/* The lesser of each two ends, or the greater. */
struct check_span check_span_choose(struct check_spans *s, const struct check_span *a, const struct check_span *b,
                                    bool low_larger, bool high_larger);

/* counters.c: the numbers that a loop's phi has where the loop has gone on. */
bool check_span_of_counter(struct check_spans *s, const struct spv_inst *phi, bool as_signed, uint32_t depth,
                           struct check_span *span);

#endif
