/* What the files of this room share. */
#ifndef SRC_CHECK_INTERNAL_H
#define SRC_CHECK_INTERNAL_H

#include "src/check/check.h"

#include <stdio.h>

struct check_kind_row {
    const char *name, *text;
    uint32_t group;
};
extern const struct check_kind_row check_kinds[CHECK_KIND_COUNT];

/* ---- filters.c: PUMICE_CHECK, PUMICE_CHECK_KERNELS, PUMICE_CHECK_SUPPRESS ---- */

/* Reads the settings, before main(). Returns the groups. */
uint32_t check_read_filters(void);
/* Warns of what was unusable in them, the first time. The caller has a lock. */
void check_log_complaints(void);
/* The word for a single group. */
const char *check_group_name(uint32_t group);
bool check_is_suppressed(const struct check_finding *finding);
/* A line for each pattern of PUMICE_CHECK_KERNELS that no kernel matches of those that ran; nothing if none ran. */
void check_write_unmatched(FILE *out);
void check_filters_forget(void); /* which kernels ran: in a child that fork() made */

/* ---- text.c ---- */

void check_write_text(FILE *out, const struct check_finding *finding);
/* "file:line:column", or what is known of it; or the function of the API. False: nothing is known. */
bool check_write_place(FILE *out, const struct check_place *place, const char *caller);
/* Leaves no control characters but tabs and ends of lines. */
void check_clean(char *text);

/* ---- places.c ---- */

void check_places_in_child(void); /* that fork() made */

/* ---- json.c: PUMICE_CHECK_JSON ---- */

/* The caller of these has a lock. */
void check_json_open(void);
void check_json_forget(void); /* in a child that fork() made */
/* Appends the finding. Returns where in the file its number of times stands, or 0. */
uint64_t check_json_append(const struct check_finding *finding);
void check_json_set_times(uint64_t where, uint64_t times);

#endif
