/* SPDX-License-Identifier: MIT */
/*
 * What sites hold, and its text.
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
	uint64_t blocks;		/* of all of them */
	uint64_t bytes;
};

/*
 * Sum records by site, @with_reset also what ended with its device.  Under the
 * profiler's lock; false without memory.
 */
bool vnpu_holdings_make(struct vnpu_holdings *holdings,
			const struct vnpu_record *records, size_t count,
			bool with_reset);
void vnpu_holdings_free(struct vnpu_holdings *holdings);

/* Not under the lock. */
void vnpu_holdings_print(const struct vnpu_holdings *holdings,
			 struct vnpu_symbols *symbols, FILE *file);

/* Events of records as JSON, see timeline.c; false without memory. */
bool vnpu_timeline_print(const struct vnpu_record *records, size_t count,
			 FILE *file);

/* A text as a JSON string, with its quotes; what is not UTF-8 as Latin-1. */
void vnpu_json_print_string(FILE *file, const char *text);

#endif /* VNPU_LIB_PROFILE_REPORT_H */
