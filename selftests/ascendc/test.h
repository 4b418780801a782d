/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TAP of the tests of Ascend C, and random numbers that do not change.
 */
#ifndef ASCENDC_TEST_H
#define ASCENDC_TEST_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "harness.h"

static int test_count, test_failures;

__attribute__((format(printf, 2, 3)))
static bool ok(bool is_ok, const char *format, ...)
{
	va_list args;

	fprintf(stdout, "%sok %d ", is_ok ? "" : "not ", ++test_count);
	va_start(args, format);
	vfprintf(stdout, format, args);
	va_end(args);
	fputc('\n', stdout);
	test_failures += !is_ok;
	if (!is_ok && harness_report.text[0])
		fprintf(stdout, "# reported: %s\n", harness_report.text);
	if (!is_ok && harness_report.findings)
		fprintf(stdout, "# found: %s\n", harness_report.finding);
	return is_ok;
}

static inline int test_end()
{
	fprintf(stdout, "1..%d\n", test_count);
	return test_failures ? 1 : 0;
}

/* A launch that ends well, and finds nothing wrong. */
static inline bool is_well(uint32_t result)
{
	return result == HARNESS_OK && !harness_report.findings;
}

/* A launch that ends with an exception of this kind, whose text has @text. */
static inline bool is_fault(uint32_t result, uint32_t kind, const char *text)
{
	return result == HARNESS_EXCEPTION && harness_report.kind == kind &&
		strstr(harness_report.text, text);
}

static uint64_t test_seed = 0x9e3779b97f4a7c15ULL;

static inline uint32_t random_bits()
{
	test_seed ^= test_seed << 13;
	test_seed ^= test_seed >> 7;
	test_seed ^= test_seed << 17;
	return test_seed >> 32;
}

/* From 0 to below 1. */
static inline double random_unit()
{
	return random_bits() / 4294967296.0;
}

#endif /* ASCENDC_TEST_H */
