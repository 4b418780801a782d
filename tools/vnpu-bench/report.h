/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: what was measured, as a table for people or as JSON.
 */
#ifndef VNPU_BENCH_REPORT_H
#define VNPU_BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "../common/json.h"
#include "measure.h"

/**
 * struct figure - what is no time
 * @title: what it is
 * @unit: B or %
 * @value: in that
 * @goal: what it is to be at most
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

/* The figures of a command, under a headline that says what they are. */
void report_command(struct report *r, const char *name, const char *headline);
void report_command_end(struct report *r);

void report_contest(struct report *r, const struct contest *contest);
void report_figure(struct report *r, const struct figure *figure);

/* Bytes as "64 KiB", where that is a whole number. */
struct size_text {
	char text[32];
};

struct size_text size_text(uint64_t bytes);

/* Whether all of it reached its destination. */
bool report_is_written(const struct report *r);

#endif /* VNPU_BENCH_REPORT_H */
