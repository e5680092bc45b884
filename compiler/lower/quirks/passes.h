/* The passes that go around drivers' faults. */
#ifndef COMPILER_LOWER_QUIRKS_PASSES_H
#define COMPILER_LOWER_QUIRKS_PASSES_H

#include "compiler/lower/values/lower.h"

bool lower_halves(struct lower *lower); /* halves.c: the driver cannot drop the rounding of a float to half */
bool lower_hide(struct lower *lower);   /* hide.c: zeros that only the driver would find are kept from it */
bool lower_zeros(struct lower *lower); /* zeros.c: float operations with a constant zero as drivers cannot spoil them */
bool lower_patterns(struct lower *lower); /* patterns.c: integer operations that drivers take for others */
bool lower_trips(struct lower *lower);    /* trips.c: loops whose rounds drivers miscount */
bool lower_lanes(struct lower *lower);    /* lanes.c: long vectors of which a part is used are loaded by component */
bool lower_nesting(struct lower *lower);  /* nesting.c: control flow that is too deep for the driver; once structured */
bool lower_waits(struct lower *lower);    /* waits.c: loads that a loop repeats until another work-item stores */
bool lower_volatiles(struct lower *lower); /* volatiles.c: volatile stores to local memory stay where they are */
bool lower_steps(struct lower *lower);     /* steps.c: barriers of sub-groups that run in step are fences */
bool lower_ballots(struct lower *lower);   /* ballots.c: ballots that are seen to be the same for all work-items */
bool lower_atomics(struct lower *lower);   /* atomics.c: atomics at addresses, for drivers that convert to Metal */
bool lower_exchanges(struct lower *lower); /* exchanges.c: exchanged numbers of 64 bits differ between work-items */
bool lower_packs(struct lower *lower);     /* packs.c: four values of 16 bits that become one of 64 */
/* loops.c: values of loops are used behind them through phis, where the driver may lose them otherwise. The last but
 * one, since others take such a phi for a copy. */
bool lower_loops(struct lower *lower);
/* reveal.c: writes conditions and zeros that no driver may know as Vulkan has them. The last of this room's passes. */
bool lower_reveal(struct lower *lower);

#endif
