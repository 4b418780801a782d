// SPDX-License-Identifier: GPL-2.0-only
/* The process of a core, as the program that launches kernels sees it. */
#include "launch.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Find the core, by its arguments. */
static pid_t find_core(void)
{
	char path[64], found_args[64], args[64];
	pid_t found = -1;
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int length;

	length = snprintf(args, sizeof(args), "vnpu-core%c[client %d]", 0,
			  getpid());
	while (proc && (entry = readdir(proc))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%.20s/cmdline",
			 entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fread(found_args, 1, sizeof(found_args), file) ==
		    (size_t)length + 1 && !memcmp(found_args, args, length))
			found = atoi(entry->d_name);
		fclose(file);
	}
	if (proc)
		closedir(proc);
	return found;
}

TEST_F_TIMEOUT(launch, core_that_is_killed_is_replaced, 120)
{
	pid_t first, second;

	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	first = find_core();
	ASSERT_LT(0, first);

	/* With a launch that runs, and one that waits. */
	OK(launch_on(FUNC("loops"), 1, self->stream, self->x + 1000));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	usleep(100000);
	kill(first, SIGKILL);
	aclGetRecentErrMsg();
	ASSERT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	{
		const char *message = recent();

		EXPECT_NE(NULL, strstr(message, "signal 9"))
			TH_LOG("%s", message);
	}
	GET(4);
	EXPECT_EQ(23, self->host[0]);
	second = find_core();
	EXPECT_LT(0, second);
	EXPECT_NE(first, second);
}

static atomic_int ended_children;

static void on_child(int number)
{
	(void)number;
	atomic_fetch_add(&ended_children, 1);
}

/* Wait until a process is gone, its exit status included. */
static bool is_gone(pid_t pid)
{
	uint64_t end = now_ms() + 20000;

	while (!kill(pid, 0) && now_ms() < end)
		usleep(1000);
	return kill(pid, 0) && errno == ESRCH;
}

/* A program may wait for all of its children, and count their ends. */
TEST_F_TIMEOUT(launch, core_is_no_child_of_the_program, 120)
{
	pid_t core, child;

	OK(aclInit(NULL));
	signal(SIGCHLD, on_child);
	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	core = find_core();
	ASSERT_LT(0, core);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(0);
	EXPECT_EQ(child, wait(NULL));
	EXPECT_EQ(-1, wait(NULL));
	EXPECT_EQ(ECHILD, errno);
	EXPECT_EQ(-1, waitpid(-1, NULL, __WALL));
	EXPECT_EQ(ECHILD, errno);
	EXPECT_EQ(core, find_core());

	kill(core, SIGKILL);
	EXPECT_TRUE(is_gone(core));
	OK(launch_on(FUNC("traps"), 4, self->stream, self->x));
	EXPECT_NE(0, aclrtSynchronizeStream(self->stream));
	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	core = find_core();
	OK(aclFinalize());
	EXPECT_TRUE(is_gone(core));
	EXPECT_EQ(-1, wait(NULL));
	EXPECT_EQ(1, ended_children);
}

/* The parent of all orphans, as the first process of a container is. */
TEST_F_TIMEOUT(launch, subreaper_has_no_zombies, 120)
{
	pid_t core;

	OK(aclInit(NULL));
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	core = find_core();
	ASSERT_LT(0, core);
	kill(core, SIGTERM);
	EXPECT_TRUE(is_gone(core));
	OK(launch_on(FUNC("keyed_23"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	core = find_core();
	OK(aclFinalize());
	EXPECT_TRUE(is_gone(core));
}

/* A program with one kernel. */
struct program {
	aclrtStream stream;
	aclrtFuncHandle func;
	void *x;
};

static void prepare(struct program *program, const char *kernel)
{
	char path[PATH_MAX];
	aclrtBinHandle bin;

	kernels_path(path, sizeof(path));
	if (aclrtSetDevice(0) || aclrtCreateStream(&program->stream) ||
	    aclrtBinaryLoadFromFile(path, NULL, &bin) ||
	    aclrtMalloc(&program->x, 4096, ACL_MEM_MALLOC_NORMAL_ONLY) ||
	    aclrtMemset(program->x, 4096, 0, 4096) ||
	    aclrtBinaryGetFunction(bin, kernel, &program->func))
		_exit(1);
}

static aclError run(const struct program *program)
{
	return launch_on(program->func, 1, program->stream, program->x);
}

/* A program whose kernel never ends, in a core whose number it writes. */
static void run_endlessly(int to)
{
	struct program program;
	pid_t core;

	prepare(&program, "loops");
	if (run(&program))
		_exit(1);
	core = find_core();
	if (write(to, &core, sizeof(core)) == sizeof(core))
		for (;;)
			pause();
	_exit(1);
}

/* A test whose child has the library to itself. */
FIXTURE(program) {
	int pipes[2];
};

FIXTURE_SETUP(program)
{
	ASSERT_EQ(0, pipe(self->pipes));
}

FIXTURE_TEARDOWN(program)
{
	close(self->pipes[0]);
}

TEST_F_TIMEOUT(program, core_ends_when_it_is_killed, 120)
{
	pid_t child, core = 0;

	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		run_endlessly(self->pipes[1]);
	close(self->pipes[1]);
	ASSERT_EQ(sizeof(core), read(self->pipes[0], &core, sizeof(core)));
	ASSERT_LT(0, core);
	EXPECT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_TRUE(is_gone(core));
}

static _Atomic pid_t cancelled_in;
static atomic_int cancelled;

static void on_cancel(void *arg)
{
	(void)arg;
	cancelled_in = getpid();
	atomic_fetch_add(&cancelled, 1);
}

static void *run_cancelled(void *arg)
{
	struct program program;
	int state;

	(void)arg;
	pthread_cleanup_push(on_cancel, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	prepare(&program, "who");
	pthread_cancel(pthread_self());
	pthread_setcancelstate(state, NULL);
	run(&program);
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

/* The process that starts the core shares the state of the thread. */
TEST_F_TIMEOUT(program, thread_is_cancelled_in_its_first_launch, 60)
{
	pthread_t thread;
	void *result;

	ASSERT_EQ(0, pthread_create(&thread, NULL, run_cancelled, NULL));
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(PTHREAD_CANCELED, result);
	EXPECT_EQ(1, cancelled);
	EXPECT_EQ(getpid(), cancelled_in);
}

/* A core would be the first process of the new namespace, and end it. */
TEST_F_TIMEOUT(program, has_left_its_pid_namespace, 60)
{
	struct program program;
	pid_t child;

	prepare(&program, "who");
	if (unshare(CLONE_NEWPID))
		SKIP(return, "no right to unshare(CLONE_NEWPID)");
	aclGetRecentErrMsg();
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR, run(&program));
	EXPECT_NE(NULL, strstr(recent(), "PID namespace"));
	/* The first process of the new namespace. */
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		for (;;)
			pause();
	aclGetRecentErrMsg();
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR, run(&program));
	EXPECT_NE(NULL, strstr(recent(), "PID namespace"));
	EXPECT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(child, waitpid(child, NULL, 0));
}

TEST_F(launch, child_cannot_launch)
{
	int status;
	pid_t child;

	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(launch_on(FUNC("who"), 4, self->stream, self->x) ==
		      ACL_ERROR_RT_NO_PERMISSION ? 0 : 1);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4);
	EXPECT_EQ(23, self->host[0]);
}

TEST_F(launch, program_that_is_missing)
{
	setenv("VNPU_CORE_PATH", "/none", 1);
	aclGetRecentErrMsg();
	ASSERT_EQ(ACL_ERROR_RT_INTERNAL_ERROR,
		  launch_on(FUNC("who"), 1, self->stream, self->x));
	EXPECT_NE(NULL, strstr(recent(), "VNPU_CORE_PATH"));
	setenv("VNPU_CORE_PATH", "/bin/false", 1);
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR,
		   launch_on(FUNC("who"), 1, self->stream, self->x));
	unsetenv("VNPU_CORE_PATH");
	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
}

static uint64_t processor_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* poll() of two files fails then; the library reads messages nevertheless. */
TEST_F(launch, watching_without_room_for_files)
{
	const uint32_t number = 7;
	struct rlimit limit, one;
	uint64_t before;

	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	one = limit;
	one.rlim_cur = 1;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &one));
	OK(launch(FUNC("prints"), 1, self->stream, &number,
		  sizeof(number)));
	OK(aclrtSynchronizeStream(self->stream));
	before = processor_ns();
	usleep(500000);
	EXPECT_GT(250000000, processor_ns() - before);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
}

/* The kernel keeps no status of children that end. */
TEST_F(launch, ends_of_children_are_ignored)
{
	signal(SIGCHLD, SIG_IGN);
	setenv("VNPU_CORE_PATH", "/bin/false", 1);
	for (int i = 0; i < 10; i++) {
		aclGetRecentErrMsg();
		EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR,
			   launch_on(FUNC("who"), 1, self->stream, self->x));
		EXPECT_NE(NULL, strstr(recent(), "before it was ready"));
	}
	unsetenv("VNPU_CORE_PATH");
	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
}

/* Then it may not send signals to the core. */
TEST_F_TIMEOUT(launch, program_drops_its_rights, 60)
{
	OK(aclInit(NULL));
	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	ASSERT_LT(0, find_core());
	if (setresuid(65534, 65534, 65534))
		SKIP(return, "no right to change the user");
	OK(aclFinalize());
	EXPECT_EQ(-1, find_core());
}

TEST_F_TIMEOUT(launch, finalize_ends_the_core, 120)
{
	pid_t core;

	OK(aclInit(NULL));
	OK(launch_on(FUNC("who"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	core = find_core();
	ASSERT_LT(0, core);
	OK(aclFinalize());
	EXPECT_EQ(-1, find_core());
	OK(launch_on(FUNC("keyed_1"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_LT(0, find_core());
}

#define ORDERED	16

/*
 * Run blocks one after another by a new core, and get how many began before each of
 * them.
 */
static void begin_order(struct __test_metadata *_metadata,
			FIXTURE_DATA(launch) * self, const char *order,
			uint32_t *before)
{
	ASSERT_EQ(0, setenv("VNPU_CORE_ORDER", order, 1));
	OK(aclInit(NULL));
	OK(aclrtMemset(self->x, 4 + 4 * ORDERED, 0, 4 + 4 * ORDERED));
	OK(launch_on(FUNC("orders"), ORDERED, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4 + 4 * ORDERED);
	EXPECT_EQ(ORDERED, self->host[0]);
	memcpy(before, self->host + 1, 4 * ORDERED);
	OK(aclFinalize());
}

TEST_F_TIMEOUT(launch, order_of_blocks_is_chosen, 120)
{
	uint32_t before[ORDERED], seeded[3][ORDERED];
	uint32_t seen = 0;

	OK(aclrtSetStreamResLimit(self->stream, ACL_RT_DEV_RES_VECTOR_CORE, 1));
	begin_order(_metadata, self, "forward", before);
	for (uint32_t i = 0; i < ORDERED; i++)
		EXPECT_EQ(i, before[i]);
	begin_order(_metadata, self, "backward", before);
	for (uint32_t i = 0; i < ORDERED; i++)
		EXPECT_EQ(ORDERED - 1 - i, before[i]);
	begin_order(_metadata, self, "7", seeded[0]);
	begin_order(_metadata, self, "7", seeded[1]);
	begin_order(_metadata, self, "8", seeded[2]);
	for (uint32_t i = 0; i < ORDERED; i++)
		seen |= 1U << seeded[0][i];
	EXPECT_EQ((1U << ORDERED) - 1, seen);
	EXPECT_EQ(0, memcmp(seeded[0], seeded[1], sizeof(before)));
	EXPECT_NE(0, memcmp(seeded[0], seeded[2], sizeof(before)));
	EXPECT_NE(0, memcmp(seeded[0], before, sizeof(before)));
}

TEST_HARNESS_MAIN
