// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps of algorithms, played by all ranks at once; and the text that chooses
 * algorithms.  Under sanitizers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"
#include "kind.h"

static unsigned int tests, failures;

static void check(bool is_ok, const char *name)
{
	printf("%sok %u %s\n", is_ok ? "" : "not ", ++tests, name);
	failures += !is_ok;
}

/* A number that is a sum of distinct ranks, or the parts that a rank has. */
struct set {
	bool has[HCCL_RANKS_MAX];
};

static unsigned int step_count(enum hccl_algorithm algorithm,
			       unsigned int ranks)
{
	struct hccl_step step;
	unsigned int count = 0;

	while (hccl_step_get(algorithm, ranks, 0, count, &step))
		count++;
	return count;
}

/* A rank reads from one that knows it, what that one has and it lacks. */
static bool play(enum hccl_algorithm algorithm, unsigned int ranks,
		 unsigned int number, struct set state[])
{
	static struct set before[HCCL_RANKS_MAX];

	memcpy(before, state, ranks * sizeof(*state));
	for (unsigned int r = 0; r < ranks; r++) {
		struct hccl_step step, other;

		if (!hccl_step_get(algorithm, ranks, r, number, &step))
			return false;
		if (step.to != HCCL_RANKS_MAX &&
		    (!hccl_step_get(algorithm, ranks, step.to, number,
				    &other) || other.from != r))
			return false;
		if (step.from == HCCL_RANKS_MAX) {
			if (step.count)
				return false;
			continue;
		}
		if (!hccl_step_get(algorithm, ranks, step.from, number,
				   &other) || other.to != r)
			return false;
		for (unsigned int i = 0; i < step.count; i++) {
			unsigned int part = step.parts[i];

			if (part >= ranks || !before[step.from].has[part] ||
			    state[r].has[part])
				return false;
			state[r].has[part] = true;
		}
	}
	return true;
}

static bool distributes(enum hccl_algorithm algorithm, unsigned int ranks)
{
	static struct set state[HCCL_RANKS_MAX];
	unsigned int steps = step_count(algorithm, ranks);

	memset(state, 0, sizeof(state));
	for (unsigned int r = 0; r < ranks; r++)
		state[r].has[r] = true;
	for (unsigned int i = 0; i < steps; i++)
		if (!play(algorithm, ranks, i, state))
			return false;
	for (unsigned int r = 0; r < ranks; r++)
		for (unsigned int part = 0; part < ranks; part++)
			if (!state[r].has[part])
				return false;
	return true;
}

/* Ranks whose values are in the sum that a rank has of one part. */
static bool reduces(enum hccl_algorithm algorithm, unsigned int ranks,
		    unsigned int part)
{
	static struct set state[HCCL_RANKS_MAX], before[HCCL_RANKS_MAX];
	struct hccl_step step;

	memset(state, 0, sizeof(state));
	for (unsigned int r = 0; r < ranks; r++)
		state[r].has[r] = true;
	for (unsigned int i = step_count(algorithm, ranks); i-- > 0;) {
		memcpy(before, state, sizeof(state));
		for (unsigned int r = 0; r < ranks; r++) {
			hccl_step_get(algorithm, ranks, r, i, &step);
			for (unsigned int j = 0; j < step.count; j++)
				for (unsigned int k = 0; k < ranks &&
				     step.parts[j] == part; k++) {
					struct set *sum = &state[step.from];

					if (sum->has[k] && before[r].has[k])
						return false;
					sum->has[k] |= before[r].has[k];
				}
		}
	}
	for (unsigned int r = 0; r < ranks; r++)
		if (!state[part].has[r])
			return false;
	return true;
}

static void test_steps(enum hccl_algorithm algorithm)
{
	static const unsigned int sizes[] = { 31, 32, 100, 127, 128 };
	bool is_fine = true;
	char name[96];

	for (unsigned int ranks = 1; ranks <= 20; ranks++) {
		is_fine &= distributes(algorithm, ranks);
		for (unsigned int part = 0; part < ranks; part++)
			is_fine &= reduces(algorithm, ranks, part);
	}
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		is_fine &= distributes(algorithm, sizes[i]) &&
			   reduces(algorithm, sizes[i], sizes[i] / 3);
	snprintf(name, sizeof(name),
		 "%s: all parts get to all ranks once, and back as sums",
		 hccl_algorithm_name(algorithm));
	check(is_fine, name);
}

static void test_step_counts(void)
{
	check(step_count(HCCL_RING, 8) == 7 && step_count(HCCL_NB, 8) == 3 &&
	      step_count(HCCL_NHR, 8) == 3 && step_count(HCCL_HALVING, 8) == 3,
	      "eight ranks need three steps, around a ring seven");
	check(step_count(HCCL_NB, 5) == 3 && step_count(HCCL_NHR, 5) == 3 &&
	      step_count(HCCL_HALVING, 5) == 4 && step_count(HCCL_RING, 1) == 0,
	      "five ranks need two more steps by halving and doubling");
	check(!step_count(HCCL_MESH, 8), "a mesh has no steps");
}

/* Other processes cannot read buffers below a page, whatever the number of ranks. */
static void test_parts(void)
{
	bool is_fine = true;

	for (unsigned int ranks = 2; ranks <= HCCL_RANKS_MAX; ranks++)
		for (uint64_t bytes = 0; bytes < HCCL_SHARED_MIN; bytes++)
			is_fine &= !hccl_has_parts(ranks, bytes);
	check(is_fine, "arrays below a page are not divided");
	check(!hccl_has_parts(4, 32 << 10) && hccl_has_parts(4, (32 << 10) + 1) &&
	      hccl_has_parts(64, HCCL_SHARED_MIN), "larger arrays are divided");
}

static bool reads(const char *text, enum hccl_kind kind,
		  enum hccl_algorithm algorithm)
{
	uint8_t algorithms[HCCL_KINDS] = { 0 };

	return !hccl_algorithms_read(text, algorithms) &&
	       algorithms[kind] == algorithm;
}

static void test_texts(void)
{
	const char *each = "allreduce=level0:NA;level1:NB/allgather=level1:H-D_R";
	uint8_t algorithms[HCCL_KINDS] = { 0 };
	static const char *const bad[] = {
		"", "ring", "level1", "level1:", "level1:rings", "level3:ring",
		"level1:ring;", ";level1:ring", "level0:NA;level1:ring ",
		"allreduce=", "allreduce=ring", "sum=level1:ring", "/",
		"allreduce=level1:ring/", "allreduce=level1:ring/level1:NB",
		"level1:ring/allreduce=level1:ring", "level1:NHR_V",
	};
	bool is_fine = true;

	check(reads("level0:NA;level1:ring", HCCL_ALLREDUCE, HCCL_RING) &&
	      reads("level0:NA;level1:NHR;level2:ring", HCCL_BROADCAST,
		    HCCL_NHR) &&
	      reads("level0:ring", HCCL_ALLGATHER, HCCL_RING) &&
	      reads("level1:pipeline", HCCL_ALLREDUCE, HCCL_MESH),
	      "an algorithm for all operations");
	check(reads(each, HCCL_ALLREDUCE, HCCL_NB) &&
	      reads(each, HCCL_ALLGATHERV, HCCL_HALVING) &&
	      reads(each, HCCL_BROADCAST, HCCL_MESH),
	      "an algorithm for each operation");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* A copy without anything behind it. */
		char *copy = strdup(bad[i]);
		const char *at = hccl_algorithms_read(copy, algorithms);

		if (!at || at < copy || at > copy + strlen(copy)) {
			printf("# \"%s\" is read\n", copy);
			is_fine = false;
		}
		free(copy);
	}
	check(is_fine, "texts that are not valid");
}

/* Any text is read, or refused at a place inside of it. */
static void test_random_texts(void)
{
	static const char *const words[] = {
		"level0:", "level1:", "level2:", "ring", "NB", "H-D_R", ";",
		"/", "=", "allreduce", "allgather", "NA", " ", "x",
	};
	uint8_t algorithms[HCCL_KINDS];
	bool is_fine = true;

	srand(7);
	for (int i = 0; i < 20000; i++) {
		char text[128] = "";
		const char *bad;
		char *copy;

		for (int n = rand() % 10; n > 0; n--)
			strcat(text, words[rand() % (int)(sizeof(words) /
							  sizeof(words[0]))]);
		copy = strdup(text);
		bad = hccl_algorithms_read(copy, algorithms);
		is_fine &= !bad || (bad >= copy && bad <= copy + strlen(copy));
		free(copy);
	}
	check(is_fine, "random texts");
}

int main(void)
{
	for (int i = HCCL_MESH + 1; i < HCCL_ALGORITHMS; i++)
		test_steps((enum hccl_algorithm)i);
	test_step_counts();
	test_parts();
	test_texts();
	test_random_texts();
	printf("1..%u\n", tests);
	return failures != 0;
}
