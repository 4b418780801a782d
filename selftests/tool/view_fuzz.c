// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of communicators on files that a process has written at will: whatever
 * they contain, the result can be printed.
 *
 * By default it damages a valid file at random, and prints the seed; compiled with
 * FUZZING it is a target of libFuzzer. With --sample it prints the valid file.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "communicator.h"

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static int make_file(void)
{
	int file = memfd_create(HCCL_VIEW_FILE, MFD_CLOEXEC);

	MUST(file >= 0);
	return file;
}

static void check_rank(const struct communicator_rank *rank, uint32_t ranks)
{
	const char *name = rank->view.name;

	MUST(memchr(name, 0, sizeof(rank->view.name)));
	for (size_t i = 0; name[i]; i++)
		MUST(isprint((unsigned char)name[i]));
	MUST(rank->view.pid);
	MUST(rank->state && *rank->state);
	MUST(!rank->is_waiting || rank->is_active);
	MUST(!rank->operation || rank->is_active);
	MUST(rank->waits_for < ranks);
}

/* Read a file of these bytes; returns the ranks that it shows. */
static unsigned int read_all(int file, const void *data, size_t size)
{
	struct communicator_rank rank;
	unsigned int count = 0;
	uint32_t ranks;

	MUST(!ftruncate(file, 0));
	MUST(pwrite(file, data, size, 0) == (ssize_t)size);
	ranks = communicator_ranks(file);
	MUST(ranks <= HCCL_VIEW_RANKS);
	for (uint32_t r = 0; r < ranks; r++) {
		if (!communicator_read(file, ranks, r, &rank))
			continue;
		check_rank(&rank, ranks);
		count++;
	}
	return count;
}

#ifdef FUZZING
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;

	if (file < 0)
		file = make_file();
	read_all(file, data, size);
	return 0;
}
#else
#define SEED_ENV	"SEED"
#define ROUNDS		100000
#define RANKS		4

struct sample {
	struct hccl_view_head head;
	struct hccl_view views[RANKS];
};

static void sample_make(struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	sample->head = (struct hccl_view_head){ HCCL_VIEW_MAGIC, RANKS, 0 };
	for (uint32_t r = 0; r < RANKS; r++) {
		sample->views[r].pid = 100 + r;
		sample->views[r].device = r;
		sample->views[r].kind = r;
		sample->views[r].waits_for = r;
		strcpy(sample->views[r].name, "world");
	}
}

static unsigned int tests, failed;

static void report(bool good, const char *name)
{
	printf("%sok %u %s\n", good ? "" : "not ", ++tests, name);
	failed += !good;
}

static void test_valid(int file)
{
	struct communicator_rank rank;
	struct sample sample;

	sample_make(&sample);
	report(read_all(file, &sample, sizeof(sample)) == RANKS,
	       "a valid file shows all ranks");
	report(communicator_read(file, RANKS, 3, &rank) &&
	       !strcmp(rank.state, "waiting") && rank.waits_for == 2 &&
	       !strcmp(rank.operation, "ReduceScatter"),
	       "a rank waits for another one");
	report(communicator_read(file, RANKS, 0, &rank) &&
	       !strcmp(rank.state, "idle") && !rank.operation,
	       "a rank is idle");
}

/* A value that no rank writes. */
static void test_wrong(int file)
{
	struct communicator_rank rank;
	struct sample sample;

	sample_make(&sample);
	sample.head.magic++;
	report(!read_all(file, &sample, sizeof(sample)),
	       "a file of another kind shows nothing");
	sample_make(&sample);
	sample.head.ranks = HCCL_VIEW_RANKS + 1;
	report(!read_all(file, &sample, sizeof(sample)),
	       "too many ranks show nothing");
	sample_make(&sample);
	sample.views[3].waits_for = RANKS + 1;
	sample.views[3].kind = UINT32_MAX;
	memset(sample.views[3].name, '\033', sizeof(sample.views[3].name));
	read_all(file, &sample, sizeof(sample));
	report(communicator_read(file, RANKS, 3, &rank) && !rank.is_waiting &&
	       !rank.operation && !strcmp(rank.state, "running"),
	       "unknown numbers are not shown");
}

static void test_cuts(int file)
{
	struct sample sample;
	bool good = true;

	sample_make(&sample);
	for (size_t size = 0; size < sizeof(sample); size++) {
		size_t views = size < sizeof(sample.head) ? 0 :
			       (size - sizeof(sample.head)) /
			       sizeof(sample.views[0]);

		good = good && read_all(file, &sample, size) == views;
	}
	report(good, "a file that is cut shows the ranks before the cut");
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void test_random(int file)
{
	const char *given = getenv(SEED_ENV);
	uint64_t seed = given ? strtoull(given, NULL, 0) :
			(uint64_t)time(NULL);
	uint64_t state = seed * 2 + 1;
	unsigned int shown = 0;

	printf("# " SEED_ENV "=%" PRIu64 "\n", seed);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned int times = 1 + next(&state) % 16;
		struct sample sample;

		sample_make(&sample);
		while (times--)
			((uint8_t *)&sample)[next(&state) % sizeof(sample)] =
				(uint8_t)next(&state);
		shown += read_all(file, &sample,
				  sizeof(sample) - next(&state) % 64);
	}
	printf("# %u ranks were shown\n", shown);
	report(shown, "damaged files do no harm");
}

int main(int argc, char **argv)
{
	int file = make_file();

	if (argc == 2 && !strcmp(argv[1], "--sample")) {
		struct sample sample;

		sample_make(&sample);
		return fwrite(&sample, sizeof(sample), 1, stdout) != 1;
	}
	puts("TAP version 13");
	test_valid(file);
	test_wrong(file);
	test_cuts(file);
	test_random(file);
	printf("1..%u\n", tests);
	return failed > 0;
}
#endif
