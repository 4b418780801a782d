// SPDX-License-Identifier: GPL-2.0-only
/* Many launches leave nothing. VNPU_STORM multiplies them. */
#include "launch.h"

#include <dirent.h>
#include <sys/prctl.h>

#define BATCH	1000

/* Resources of a process, of which launches must not leave more. */
struct holdings {
	long kib;		/* in memory */
	int files;
	int threads;
	size_t device_bytes;	/* that are free */
};

static int count_entries(const char *path)
{
	DIR *folder = opendir(path);
	int count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

/* Other files of /proc count pages inexactly. */
static long memory_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kib = -1;

	while (file && kib < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Rss: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

static void look(struct holdings *holdings)
{
	size_t all;

	holdings->kib = memory_kib();
	holdings->files = count_entries("/proc/self/fd");
	holdings->threads = count_entries("/proc/self/task");
	if (aclrtGetMemInfo(ACL_HBM_MEM, &holdings->device_bytes, &all))
		holdings->device_bytes = 0;
}

static int strength(void)
{
	const char *storm = getenv("VNPU_STORM");
	int times = storm ? atoi(storm) : 1;

	return times > 0 ? times : 1;
}

/*
 * Batches of kernels that add 1 to a word, which counts them: 10^5, or 10^6 at
 * ten times the strength.
 */
TEST_F_TIMEOUT(launch, many_launches_leave_nothing, 3600)
{
	struct add_args args = { self->x, self->x, 1, 1 };
	aclrtFuncHandle func = FUNC("add");
	/* A debug kernel is ten times as slow. */
	int rounds = access("/sys/kernel/debug/kmemleak", F_OK) ? 100 : 20;
	struct holdings before, after;

	rounds *= strength();
	/* A single byte would take 2 MiB. */
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	for (int round = 0; round < rounds; round++) {
		/* By then, all that is kept exists. */
		if (round == rounds / 10)
			look(&before);
		for (int i = 0; i < BATCH; i++)
			OK(launch(func, 1, self->stream, &args, sizeof(args)));
		/* Not after each batch: they may overtake the core. */
		if (round % 10 == 9)
			OK(aclrtSynchronizeStream(self->stream));
	}
	look(&after);
	TH_LOG("%ld KiB more", after.kib - before.kib);
	EXPECT_LT(0, before.kib);
	EXPECT_GT(1024, after.kib - before.kib);
	EXPECT_EQ(before.files, after.files);
	EXPECT_EQ(before.threads, after.threads);
	EXPECT_NE(0, after.device_bytes);
	EXPECT_EQ(before.device_bytes, after.device_bytes);
	GET(8);
	EXPECT_EQ(rounds * BATCH, self->host[0]);
	EXPECT_EQ(0, self->host[1]);
}

TEST_HARNESS_MAIN
