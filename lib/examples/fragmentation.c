/* SPDX-License-Identifier: MIT */
/*
 * Fragmentation, and how the driver's compaction removes it.
 *
 *	fragmentation [--wait] [MIB]
 *
 * The program allocates all memory of a device in pieces of 1 MiB, and frees
 * every second one: half of the memory is free then, and no two free pieces are
 * neighbours.  It then requests one run of MIB MiB (default 256).  Without
 * compaction this must fail.  With compaction it must succeed, and the other
 * pieces must keep their addresses and contents.
 *
 * With --wait it pauses after each step, so that the user can run vnpu-smi, and
 * continues when it reads a line from stdin.
 *
 * AscendCL has no call for memory in one run; vnpu.h adds it.
 */
#include "acl/acl.h"
#include "vnpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "try.h"

#define MIB		((size_t)1 << 20)
#define PIECE_WORDS	(MIB / sizeof(uint64_t))

/* The memory of the device; freed pieces are NULL. */
struct pieces {
	void **address;
	size_t count;
};

static size_t free_mib(void)
{
	size_t free_bytes, total;

	TRY(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	return free_bytes / MIB;
}

/* Fill piece @i with numbers that no other piece has. */
static void pattern(uint64_t *words, size_t i)
{
	size_t k;

	for (k = 0; k < PIECE_WORDS; k++)
		words[k] = (uint64_t)i << 32 | k;
}

static void pieces_take(struct pieces *p, uint64_t *words)
{
	size_t i;

	p->count = free_mib();
	p->address = calloc(p->count, sizeof(*p->address));
	if (!p->address)
		exit(1);
	for (i = 0; i < p->count; i++) {
		TRY(vnpu_malloc(&p->address[i], MIB, 0));
		pattern(words, i);
		TRY(aclrtMemcpy(p->address[i], MIB, words, MIB,
				ACL_MEMCPY_HOST_TO_DEVICE));
	}
}

static void pieces_give_every_second(struct pieces *p)
{
	size_t i;

	for (i = 0; i < p->count; i += 2) {
		TRY(aclrtFree(p->address[i]));
		p->address[i] = NULL;
	}
}

static void pieces_give_all(struct pieces *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->address[i])
			TRY(aclrtFree(p->address[i]));
	free(p->address);
}

/* Count the pieces, and check the contents of each. */
static size_t pieces_verify(const struct pieces *p, uint64_t *words,
			    uint64_t *expected)
{
	size_t i, count = 0;

	for (i = 0; i < p->count; i++) {
		if (!p->address[i])
			continue;
		pattern(expected, i);
		TRY(aclrtMemcpy(words, MIB, p->address[i], MIB,
				ACL_MEMCPY_DEVICE_TO_HOST));
		if (memcmp(words, expected, MIB)) {
			fprintf(stderr, "piece %zu has changed\n", i);
			exit(1);
		}
		count++;
	}
	return count;
}

/* Print a marker for scripts, and continue at a line from stdin. */
static void pause_here(bool wait, const char *where)
{
	char line[80];

	if (!wait)
		return;
	printf("paused: %s\n", where);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* Check whether it was refused, for lack of memory. */
static bool is_refused(size_t size)
{
	const char *why;
	aclError err;
	void *run;

	err = vnpu_malloc(&run, size, VNPU_MALLOC_CONTIGUOUS |
				      VNPU_MALLOC_NO_COMPACT);
	if (err == ACL_SUCCESS) {
		TRY(aclrtFree(run));
		return false;
	}
	if (err != ACL_ERROR_RT_MEMORY_ALLOCATION)
		fail("vnpu_malloc", err);
	why = aclGetRecentErrMsg();
	printf("      error %d, because\n%s\n", err, why ? why : "");
	return true;
}

static void show(size_t mib, bool wait)
{
	static uint64_t words[PIECE_WORDS], expected[PIECE_WORDS];
	struct pieces pieces;
	void *run;

	printf("[1/5] %zu MiB are free; taking all of them in pieces of 1 MiB\n",
	       free_mib());
	pieces_take(&pieces, words);
	pieces_give_every_second(&pieces);
	printf("[2/5] every second piece is given back: %zu MiB are free\n",
	       free_mib());
	pause_here(wait, "in pieces");

	printf("[3/5] %zu MiB in one run, with compaction off\n", mib);
	if (!is_refused(mib * MIB)) {
		fprintf(stderr, "there was such a run\n");
		exit(1);
	}
	printf("[4/5] %zu MiB in one run, with compaction on\n", mib);
	TRY(vnpu_malloc(&run, mib * MIB, VNPU_MALLOC_CONTIGUOUS));
	printf("      here it is, at %p; %zu MiB are free\n", run, free_mib());
	TRY(aclrtMemset(run, mib * MIB, 0xff, mib * MIB));
	printf("      %zu pieces are where they were and hold what they held\n",
	       pieces_verify(&pieces, words, expected));
	pause_here(wait, "with the run");

	TRY(aclrtFree(run));
	pieces_give_all(&pieces);
	printf("[5/5] all memory given back: %zu MiB are free\n", free_mib());
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "--wait");
	char **rest = argv + 1 + wait;
	char *end = "";
	unsigned long mib = 256;

	if (*rest)
		mib = strtoul(*rest++, &end, 10);
	if (*rest || *end || !mib || mib > SIZE_MAX / MIB) {
		fprintf(stderr, "usage: %s [--wait] [MIB]\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);

	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	show(mib, wait);
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return 0;
}
