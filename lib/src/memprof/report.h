/* SPDX-License-Identifier: MIT */
/*
 * The memory held by sites, and its text.
 */
#ifndef VNPU_LIB_PROFILE_REPORT_H
#define VNPU_LIB_PROFILE_REPORT_H

#include <stdio.h>

#include "record.h"
#include "symbol.h"

struct vnpu_holding {
	const struct vnpu_site *site;
	uint64_t blocks;
	uint64_t bytes;
};

struct vnpu_holdings {
	struct vnpu_holding *each;	/* the most bytes first */
	size_t count;
	uint64_t blocks;		/* total over all sites */
	uint64_t bytes;
};

/*
 * Sum records by site, @with_reset also blocks that ended with their device.
 * The profiler's lock is held; false without memory.
 */
bool vnpu_holdings_init(struct vnpu_holdings *holdings,
			const struct vnpu_record *records, size_t count,
			bool with_reset);
void vnpu_holdings_fini(struct vnpu_holdings *holdings);

/* Print the sums.  The lock is not held. */
void vnpu_holdings_print(const struct vnpu_holdings *holdings,
			 struct vnpu_symbols *symbols, FILE *file);

/* Print the events of records as JSON, see timeline.c; false without memory. */
bool vnpu_timeline_print(const struct vnpu_record *records, size_t count,
			 FILE *file);

#endif /* VNPU_LIB_PROFILE_REPORT_H */
