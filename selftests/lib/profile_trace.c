// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiler started by the environment: this program runs again, with an
 * argument that selects its leaks, and checks what is written when it ends.
 */
#include "profile.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define PAIRS	300
#define WARM_UP	100
#define MANY	5000

/*
 * Run this program with an argument, and with the environment variable if
 * requested.
 */
static int run_self(const char *how, bool is_traced, const char *path,
		    const char *err)
{
	pid_t pid;
	int fd;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (is_traced)
			setenv("ASCEND_MEMORY_TRACE", "1", 1);
		if (path)
			setenv("ASCEND_MEMORY_LOG_PATH", path, 1);
		fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, STDERR_FILENO);
		execl("/proc/self/exe", "profile_trace", how, NULL);
		_exit(127);
	}
	return child_wait(pid);
}

static int run_traced(const char *how, const char *path, const char *err)
{
	return run_self(how, true, path, err);
}

TEST(leaks_are_reported_at_exit)
{
	const char *path = file_name();
	char *text, *at;

	ASSERT_EQ(0, run_traced("--leak", NULL, path));
	text = file_read(path);
	at = strstr(text, ": 1572864 bytes in 3 blocks\n");
	ASSERT_NE(NULL, at);
	/* Two were freed by the reset, one was not freed. */
	ASSERT_NE(NULL, strstr(at, "\n1048576 bytes in 2 blocks, tag early\n"));
	ASSERT_NE(NULL, strstr(at, "\n524288 bytes in 1 block\n"));
	EXPECT_NE(NULL, strstr(at, "\n    leaky+"));
	EXPECT_NE(NULL, strstr(at, "addr2line"));
	free(text);
}

TEST(no_leak_no_names)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--no-leak", NULL, path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 0 bytes in 0 blocks\n"));
	EXPECT_EQ(NULL, strstr(text, "leaky"));
	free(text);
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	while ((text = strstr(text, what))) {
		text++;
		count++;
	}
	return count;
}

TEST(every_event_is_in_the_file)
{
	const char *path = file_name();
	char pattern[96], file[96], *text;
	pid_t pid;

	/* %p is the process; the file belongs to its user and group. */
	snprintf(pattern, sizeof(pattern), "%s-%%p", path);
	ASSERT_EQ(0, run_traced("--leak", pattern, path));
	text = file_read(path);
	EXPECT_EQ(0, text[0]);
	free(text);
	text = calloc(1, 256);
	snprintf(text, 256, "ls %s-* >%s", path, path);
	ASSERT_EQ(0, system(text));
	free(text);
	text = file_read(path);
	ASSERT_EQ(1, sscanf(text, "%95s", file));
	free(text);
	pid = atoi(file + strlen(path) + 1);
	text = file_read(file);
	unlink(file);
	EXPECT_EQ(pid, atoi(text + strlen("process ")));
	EXPECT_EQ(103, count_of(text, " alloc 0x"));
	EXPECT_EQ(100, count_of(text, " free 0x"));
	EXPECT_EQ(2, count_of(text, " reset 0x"));
	EXPECT_EQ(1, count_of(text, "\nsite 1 \"\" aclrtMalloc+"));
	EXPECT_NE(NULL, strstr(text, " < leaky+"));
	EXPECT_EQ(1, count_of(text, ": 1572864 bytes in 3 blocks\n"));
	free(text);
}

/* If there is no memory for the leaks, all events are written nevertheless. */
TEST(no_memory_for_the_leaks)
{
	char *text, file[96];

	snprintf(file, sizeof(file), "%s-events", file_name());
	ASSERT_EQ(0, run_traced("--no-memory", file, "/dev/null"));
	text = file_read(file);
	unlink(file);
	EXPECT_EQ(MANY, count_of(text, " alloc 0x"));
	EXPECT_EQ(NULL, strstr(text, "leaks of"));
	free(text);
}

/* The program's own profile, while the environment has it traced. */
TEST(traced_and_profiled)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--both", NULL, path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 1048576 bytes in 2 blocks\n"))
		TH_LOG("%s", text);
	free(text);
}

TEST(an_impossible_file)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--leak", "/none/x", path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 1572864 bytes in 3 blocks\n"));
	free(text);
	ASSERT_EQ(0, run_traced("--leak", "/dev/full", path));
}

/* The best of some runs, as other processes use the machine. */
static double time_of(const char *how, bool is_traced)
{
	const char *path = file_name();
	double best = 1e12, took;
	char *text;

	for (int i = 0; i < 4; i++) {
		if (run_self(how, is_traced, is_traced ? "/dev/null" : NULL,
			     path))
			return 0;
		text = file_read(path);
		took = atof(text);
		best = took < best ? took : best;
		free(text);
	}
	return best;
}

FIXTURE(cost) {
};

FIXTURE_SETUP(cost)
{
}

FIXTURE_TEARDOWN(cost)
{
}

/* Times of blocks of 1 MiB; the limit holds on a busy machine. */
TEST_F_TIMEOUT(cost, tracing_is_cheap, 200)
{
	static const char *const hows[] = { "--pairs", "--used-pairs" };

	for (int i = 0; i < 2; i++) {
		double plain = time_of(hows[i], false);
		double traced = time_of(hows[i], true);

		ASSERT_LT(0, plain);
		TH_LOG("%s: %.0f ns, %.0f ns traced: %+.1f %%", hows[i], plain,
		       traced, (traced / plain - 1) * 100);
		EXPECT_LT(traced, 10 * plain);
	}
}

/* The other process of those tests. */
static int leak(bool leaks)
{
	void *p;

	if (aclrtSetDevice(0))
		return 1;
	for (int i = 0; i < 100; i++)
		if (!(p = leaky(100)) || aclrtFree(p))
			return 2;
	if (!leaks)
		return 0;
	if (vnpu_profile_push_tag("early"))
		return 3;
	for (volatile int i = 0; i < 2; i++)	/* one call, not unrolled */
		if (!leaky(MIB / 2))
			return 4;
	if (vnpu_profile_pop_tag() || aclrtResetDeviceForce(0) ||
	    aclrtSetDevice(0))
		return 5;
	return !wrapper(MIB / 2);
}

static int time_pairs(bool uses)
{
	struct timespec start = { 0 }, end;
	void *p;

	if (aclrtSetDevice(0))
		return 1;
	for (int i = -WARM_UP; i < PAIRS; i++) {
		if (!i)
			clock_gettime(CLOCK_MONOTONIC, &start);
		if (aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_FIRST) ||
		    (uses && aclrtMemset(p, MIB, 0, MIB)) || aclrtFree(p))
			return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%.1f\n", ((end.tv_sec - start.tv_sec) * 1e9 +
		end.tv_nsec - start.tv_nsec) / PAIRS);
	return 0;
}

static int leak_all_memory(void)
{
	const struct rlimit none = { 0 };

	if (aclrtSetDevice(0))
		return 1;
	for (volatile int i = 0; i < MANY; i++)
		if (!leaky(64))
			return 2;
	return setrlimit(RLIMIT_AS, &none) ? 3 : 0;
}

static int trace_both(void)
{
	if (aclrtSetDevice(0) || !leaky(MIB / 2) ||
	    vnpu_profile_start(0) || stats().live_blocks != 1 ||
	    !leaky(MIB / 2) || vnpu_profile_stop() ||
	    stats().live_blocks != 2)
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--leak"))
		return leak(true);
	if (argc == 2 && !strcmp(argv[1], "--no-leak"))
		return leak(false);
	if (argc == 2 && !strcmp(argv[1], "--pairs"))
		return time_pairs(false);
	if (argc == 2 && !strcmp(argv[1], "--used-pairs"))
		return time_pairs(true);
	if (argc == 2 && !strcmp(argv[1], "--both"))
		return trace_both();
	if (argc == 2 && !strcmp(argv[1], "--no-memory"))
		return leak_all_memory();
	return test_harness_run(argc, argv);
}
