// SPDX-License-Identifier: GPL-2.0-only
/* The tests of the graph engine. Prints TAP; ONLY= names tests. */
#include "test.h"

int main(void)
{
	const struct test *const groups[] = {
		conformance_tests, network_tests, file_tests, error_tests,
		om_tests,
	};
	const char *only = getenv("ONLY");
	unsigned int i, number = 0, failed = 0;
	const struct test *t;

	printf("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (t = groups[i]; t->name; t++) {
			bool passed;

			if (only && !strstr(t->name, only))
				continue;
			passed = t->run();
			failed += !passed;
			printf("%sok %u %s\n", passed ? "" : "not ", ++number,
			       t->name);
			fflush(stdout);
		}
	}
	printf("1..%u\n", number);
	return failed != 0;
}
