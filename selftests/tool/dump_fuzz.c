// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of coredumps on damaged files: it accepts or refuses any file, and
 * leaks nothing.
 *
 * By default it damages a valid dump at random, and prints the seed; compiled
 * with FUZZING it is a target of libFuzzer. With --sample it prints the valid
 * dump.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dump.h"

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static bool parses(const char *text, size_t length, struct dump_fault *fault)
{
	struct dump dump;
	/*
	 * Exactly as large as the file, so that reads beyond the end are
	 * detected.
	 */
	char *copy = malloc(length + 1);
	char *exact = copy ? realloc(copy, length ? length : 1) : NULL;
	bool good;

	MUST(exact);
	memcpy(exact, text, length);
	good = dump_parse(&dump, exact, length, fault);
	if (good) {
		MUST(dump.engine_count == dump.end_engines);
		MUST(dump.stream_count == dump.end_streams);
		MUST(*dump.module && *dump.kernel && *dump.uuid);
	} else {
		MUST(fault->what && fault->line);
		MUST(memchr(fault->word, 0, sizeof(fault->word)));
	}
	dump_fini(&dump);
	free(exact);
	return good;
}

#ifdef FUZZING
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump_fault fault;

	parses(size ? (const char *)data : "", size, &fault);
	return 0;
}
#else
#define SEED_ENV	"SEED"
#define ROUNDS		200000
#define ROOM		4096

static const char good_dump[] =
"vnpu version=1 module=0.1.0 kernel=6.12.0-amd64\n"
"reset time=2026-11-20T10:11:12Z monotonic_ns=123456789 reason=hang\n"
"device id=3 uuid=76be1a3f-5c0d-4d8e-9a41-0f6ed273b803 resets=0 hangs=1\n"
"engine name=copy0 busy_ns=18446744073709551615 tasks=9 turn_ns=0\n"
"engine name=vector0 busy_ns=7 tasks=2 turn_ns=10 stream=1 client=2 task=3 op=3\n"
"engine name=vector1 busy_ns=7 tasks=2 turn_ns=10 stream=4 client=2\n"
"stream id=1 client=2 number=0 state=running class=vector priority=0 task=3 op=3 done=64 tail=9 taken=3 completed=2 ring_state=0x1 errors=0 cancelled=4294967295\n"
"stream id=4 client=2 number=1 state=ready class=copy priority=7 tail=1 taken=0 completed=0 ring_state=0 errors=0 cancelled=0\n"
"end engines=3 streams=2\n";

/**
 * struct edit - a change to the valid dump, and the expected error
 * @from: the first occurrence of this is replaced
 * @to: by this
 * @what: the error, or NULL if the dump is still valid
 */
static const struct edit {
	const char *from;
	const char *to;
	const char *what;
	const char *word;
} edits[] = {
	{ "", "", NULL, NULL },
	{ "tasks=9", "later=x tasks=9", NULL, NULL },
	{ "stream id=1", "newer a=b\nstream id=1", NULL, NULL },
	{ "vnpu ", "vnpu2 ", "is not from a vnpu dump", "" },
	{ "version=1", "version=2", "has an unknown version", "" },
	{ "version=1", "version=x", "has a wrong value of", "version" },
	{ " module=0.1.0", "", "lacks", "module" },
	{ "id=3", "id=4294967296", "has a wrong value of", "id" },
	{ "id=3", "id=-1", "has a wrong value of", "id" },
	{ "id=3", "id=", "has a wrong value of", "id" },
	{ "id=3", "id=3 id=3", "has twice", "id" },
	{ "id=3", "id", "has no KEY=VALUE in", "id" },
	{ "id=3", "=3", "has no KEY=VALUE in", "" },
	{ "id=3", " id=3", "has no KEY=VALUE in", "" },
	{ "551615", "551616", "has a wrong value of", "busy_ns" },
	{ "551615", "5516150", "has a wrong value of", "busy_ns" },
	{ " client=2 task", " task", "lacks", "client" },
	{ " op=3\n", "\n", "lacks", "op" },
	{ " done=64", "", "lacks", "done" },
	{ "0x1 ", "0x ", "has a wrong value of", "ring_state" },
	{ "0x1 ", "0x100000000 ", "has a wrong value of", "ring_state" },
	{ "0x1 ", "1 ", "has a wrong value of", "ring_state" },
	{ "4294967295", "4294967296", "has a wrong value of", "cancelled" },
	{ "state=ready", "state=\033[31m", "is not text", "" },
	{ "engines=3", "engines=2", "has a wrong count", "" },
	{ "streams=2", "streams=3", "has a wrong count", "" },
	{ "device", "reset time=a monotonic_ns=1 reason=b\ndevice",
	  "is repeated", "reset" },
	{ "device id", "devise id", "is truncated", "" },
	{ "streams=2\n", "streams=2\nend engines=3 streams=2\n",
	  "comes after the end", "" },
	{ "streams=2\n", "streams=2", "is truncated", "" },
};

static unsigned int count;
static unsigned int failed;

static void report(bool good, const char *name)
{
	printf("%sok %u %s\n", good ? "" : "not ", ++count, name);
	failed += !good;
}

static void test_edits(void)
{
	char text[ROOM], name[128];
	struct dump_fault fault;
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		const struct edit *e = &edits[i];
		const char *at = strstr(good_dump, e->from);
		bool good;

		MUST(at);
		snprintf(text, sizeof(text), "%.*s%s%s",
			 (int)(at - good_dump), good_dump, e->to,
			 at + strlen(e->from));
		good = parses(text, strlen(text), &fault);
		if (!good)
			printf("# line %zu %s %s\n", fault.line, fault.what,
			       fault.word);
		good = e->what ? !good && !strcmp(e->what, fault.what) &&
				 !strcmp(e->word, fault.word) : good;
		snprintf(name, sizeof(name), "change %zu is %s", i,
			 e->what ? "refused" : "taken");
		report(good, name);
	}
}

static void test_cuts(void)
{
	struct dump_fault fault;
	size_t length;
	bool good = true;

	for (length = 0; length < sizeof(good_dump) - 1; length++)
		good = good && !parses(good_dump, length, &fault);
	report(good, "every truncated dump is refused");
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Change a byte, or remove or double a piece. */
static size_t damage(char *text, size_t length, uint64_t *state)
{
	size_t at = next(state) % length, n = next(state) % 64;

	if (n > length - at)
		n = length - at;
	switch (next(state) % 3) {
	case 0:
		text[at] = (char)next(state);
		return length;
	case 1:
		memmove(text + at, text + at + n, length - at - n);
		return length - n ? length - n : length;
	default:
		if (length + n > ROOM)
			return length;
		memmove(text + at + n, text + at, length - at);
		return length + n;
	}
}

static void test_random(void)
{
	const char *given = getenv(SEED_ENV);
	uint64_t seed = given ? strtoull(given, NULL, 0) :
			(uint64_t)time(NULL);
	uint64_t state = seed * 2 + 1;
	struct dump_fault fault;
	unsigned int taken = 0;
	char text[ROOM];
	int i;

	printf("# " SEED_ENV "=%" PRIu64 "\n", seed);
	for (i = 0; i < ROUNDS; i++) {
		size_t length = sizeof(good_dump) - 1;
		unsigned int times = 1 + next(&state) % 4;

		memcpy(text, good_dump, length);
		while (times--)
			length = damage(text, length, &state);
		taken += parses(text, length, &fault);
	}
	printf("# %u of %d were accepted\n", taken, ROUNDS);
	report(taken && taken < ROUNDS / 2, "damaged dumps do no harm");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--sample")) {
		fputs(good_dump, stdout);
		return 0;
	}
	puts("TAP version 13");
	test_edits();
	test_cuts();
	test_random();
	printf("1..%u\n", count);
	return failed > 0;
}
#endif
