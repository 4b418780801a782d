/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: the results, as a table or as JSON.
 */
#ifndef VNPU_BENCH_REPORT_H
#define VNPU_BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "../common/json.h"
#include "measure.h"

/**
 * struct figure - a result other than a time
 * @title: description
 * @unit: B or %
 * @value: value in this unit
 * @goal: limit on the value
 */
struct figure {
	const char *title;
	const char *unit;
	double value;
	double goal;
};

struct report {
	FILE *f;
	bool is_json;
	struct json json;
};

void report_begin(struct report *r, FILE *f, const struct options *opt);
void report_end(struct report *r);

/* Print the headline of a command, before its results. */
void report_command(struct report *r, const char *name, const char *headline);
void report_command_end(struct report *r);

void report_contest(struct report *r, const struct contest *contest);
void report_figure(struct report *r, const struct figure *figure);

/* Bytes as text like "64 KiB", if that is a whole number. */
struct size_text {
	char text[32];
};

struct size_text size_text(uint64_t bytes);

/* Check whether all output was written. */
bool report_is_written(const struct report *r);

#endif /* VNPU_BENCH_REPORT_H */
