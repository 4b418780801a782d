// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process vnpu-core, with the driver: it computes, reports what kernels do
 * wrong, and gives way to another process.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>
#include <sys/stat.h>

#include "library.h"

#define COUNT	(64 << 10)

static struct library library;

FIXTURE(core)
{
	struct library *l;
	struct stream s;
	__u64 *args;
};

FIXTURE_SETUP(core)
{
	self->l = &library;
	ASSERT_EQ(0, library_open(self->l, MIB(4)));
	ASSERT_EQ(0, stream_create(&self->s, &self->l->c, 0));
	self->args = ptr(AT);
	ASSERT_EQ(0, library_start(self->l, 0)) {
		TH_LOG("%s", self->l->ready_text);
	}
	ASSERT_EQ(0, library_image(self->l, 1));
}

FIXTURE_TEARDOWN(core)
{
	stream_destroy(&self->s);
	library_end(self->l);
}

TEST_F(core, computes)
{
	float *x = ptr(AT + MIB(1)), *y = ptr(AT + MIB(2));
	float *z = ptr(AT + MIB(3));

	self->args[0] = addr(x);
	self->args[1] = addr(y);
	self->args[2] = addr(z);
	self->args[3] = COUNT;
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 2 * i;
	}
	for (int blocks = 1; blocks <= 100; blocks += 33) {
		memset(z, 0, COUNT * sizeof(*z));
		ASSERT_EQ(0, stream_do(&self->s,
				       library_launch("add", blocks)));
		for (int i = 0; i < COUNT; i++)
			ASSERT_EQ(3 * i, z[i]);
	}
	EXPECT_EQ(0, self->l->exceptions);
}

TEST_F(core, runs_mixed_kernels)
{
	int *counts = ptr(AT + PAGE);

	self->args[0] = addr(counts);
	counts[0] = counts[1] = 0;
	ASSERT_EQ(0, stream_do(&self->s, library_launch("mixed", 30)));
	EXPECT_EQ(30, counts[0]);
	EXPECT_EQ(60, counts[1]);
}

TEST_F(core, runs_many_launches)
{
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 64; k++)
			stream_put(&self->s,
				   library_launch("nothing", k % 2 ? 1 : 48));
		ASSERT_EQ(0, stream_submit(&self->s));
		ASSERT_EQ(0, stream_wait(&self->s, 20000));
	}
	EXPECT_EQ(0, self->s.ring->errors);
}

TEST_F(core, prints_before_the_launch_ends)
{
	*(int *)self->args = 200;
	ASSERT_EQ(0, stream_do(&self->s, library_launch("print", 3)));
	library_receive(self->l, MSG_DONTWAIT);
	EXPECT_NE(NULL, strstr(self->l->output, "block 2 line 199\n"));
	EXPECT_EQ(3 * (10 * 15 + 90 * 16 + 100 * 17), self->l->output_length);
}

/* The places of both accesses, in lines that follow each other but one. */
static bool are_places(const char *text)
{
	const char *first = strstr(text, "kernels.asc:");
	const char *other = strstr(text, ", the other access is at ");
	int distance;

	other = other ? strstr(other, "kernels.asc:") : NULL;
	if (!first || !other || first == other)
		return false;
	distance = atoi(first + strlen("kernels.asc:")) -
		atoi(other + strlen("kernels.asc:"));
	return distance == 2 || distance == -2;
}

TEST_F(core, reports_races)
{
	struct library *l = self->l;

	self->args[0] = AT + PAGE;
	ASSERT_EQ(0, stream_do(&self->s, library_launch("race", 2)));
	library_receive(l, MSG_DONTWAIT);
	EXPECT_STREQ("", l->text);

	close(l->socket);
	library_wait(l);
	ASSERT_EQ(0, library_start(l, CORE_START_RACE));
	ASSERT_EQ(0, library_image(l, 1));
	ASSERT_EQ(0, stream_do(&self->s, library_launch("race", 2)));
	library_receive(l, MSG_DONTWAIT);
	TH_LOG("%s", l->text);
	EXPECT_EQ(0, l->exceptions);
	EXPECT_EQ(VNPU_FAULT_RACE, l->exception.kind);
	EXPECT_EQ(AT + PAGE + 12, l->exception.address);
	EXPECT_NE(NULL, strstr(l->text, " writes 4 bytes that block "));
	EXPECT_TRUE(are_places(l->text));
}

/* A kernel that fails, and the report to the library. */
static void expect(struct __test_metadata *_metadata,
		   FIXTURE_DATA(core) * self, const char *name, int error,
		   __u32 kind, const char *text, const char *where)
{
	struct library *l = self->l;

	l->exceptions = 0;
	EXPECT_EQ(-error, stream_do(&self->s, library_launch(name, 4)));
	library_receive(l, MSG_DONTWAIT);
	TH_LOG("%s", l->text);
	EXPECT_EQ(1, l->exceptions);
	EXPECT_EQ(kind, l->exception.kind);
	EXPECT_EQ(self->s.id, l->exception.stream);
	EXPECT_EQ(self->s.last, l->exception.seq);
	EXPECT_NE(NULL, strstr(l->text, name));
	EXPECT_NE(NULL, strstr(l->text, text)) TH_LOG("not in it: %s", text);
	EXPECT_NE(NULL, strstr(l->text, where)) TH_LOG("not in it: %s", where);
	EXPECT_EQ(CORE_EXIT_REPLACE, library_wait(l));
	/* Another core runs the next launch. */
	ASSERT_EQ(0, library_start(l, 0));
	ASSERT_EQ(0, library_image(l, 1));
	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 1)));
}

TEST_F(core, reports_wild_stores)
{
	self->args[0] = AT + MIB(100);
	self->args[1] = 1;
	expect(_metadata, self, "store", EFAULT, CORE_FAULT_ACCESS,
	       "kernel store, block 3, address 0x200006400000: write to memory that is not allocated",
	       "kernels.asc:");
	EXPECT_EQ(AT + MIB(100), self->l->exception.address);
	EXPECT_EQ(1, self->l->exception.is_write);
	EXPECT_EQ(3, self->l->exception.block);
	EXPECT_NE(0, self->l->exception.pc);
}

TEST_F(core, reports_the_host_s_memory)
{
	int here = 0;

	/* The program's own memory is not the core's. */
	self->args[0] = addr(&here);
	self->args[1] = 1;
	expect(_metadata, self, "store", EFAULT, CORE_FAULT_ACCESS,
	       "kernel store", "kernels.asc:");
	EXPECT_EQ(0, here);
}

TEST_F(core, reports_null_pointers)
{
	self->args[0] = 0;
	expect(_metadata, self, "store", EFAULT, CORE_FAULT_ACCESS,
	       "address 0x0: write to a null pointer", "kernels.asc:");
}

TEST_F(core, reports_the_core_of_mixed_kernels)
{
	self->args[0] = 0;
	self->args[1] = 1;
	expect(_metadata, self, "mixed_store", EFAULT, CORE_FAULT_ACCESS,
	       "kernel mixed_store, block 3, address 0x0 on a cube core: write to a null pointer",
	       "kernels.asc:");
	self->args[1] = 0;
	expect(_metadata, self, "mixed_store", EFAULT, CORE_FAULT_ACCESS,
	       "kernel mixed_store, block 3, address 0x0 on a vector core: write to a null pointer",
	       "kernels.asc:");
}

TEST_F(core, reports_assertions)
{
	self->args[0] = 0;
	self->args[1] = 0;
	expect(_metadata, self, "check", EIO, VNPU_FAULT_ASSERT,
	       "assertion 'value > 0' failed", "kernels.asc:");
}

TEST_F(core, reports_instructions)
{
	self->args[0] = AT + PAGE;
	expect(_metadata, self, "misaligned", EIO, VNPU_FAULT_ALIGN,
	       "DataCopy", "kernels.asc:");
}

TEST_F(core, reports_deadlocks)
{
	ASSERT_EQ(-EDEADLK, stream_do(&self->s, library_launch("deadlock", 4)));
	library_receive(self->l, MSG_DONTWAIT);
	EXPECT_NE(NULL, strstr(self->l->text,
			       "3 of 4 blocks wait in SyncAll"));
	/* Nothing is wrong with the process. */
	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 4)));
}

TEST_F(core, reports_unknown_kernels)
{
	struct vnpu_task task = library_launch("nothing", 1);

	task.arg0 = CORE_FUNCTION(7, 0);
	EXPECT_EQ(-ENOENT, stream_do(&self->s, task));
	library_receive(self->l, MSG_DONTWAIT);
	EXPECT_EQ(CORE_FAULT_FUNCTION, self->l->exception.kind);
	EXPECT_NE(NULL, strstr(self->l->text, "no such image"));
	task.arg0 = CORE_FUNCTION(1, 99);
	EXPECT_EQ(-ENOENT, stream_do(&self->s, task));
	task = library_launch("add", 1);
	task.length = 8;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, task));
	library_receive(self->l, MSG_DONTWAIT);
	EXPECT_NE(NULL, strstr(self->l->text, "takes 32 bytes"));
	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 1)));
}

TEST_F(core, unloads_images)
{
	const struct core_image image = { .id = 1 };

	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 1)));
	ASSERT_EQ(0, library_send(self->l, CORE_UNLOAD, &image, sizeof(image),
				  "", -1));
	/* The messages may be read later than the launch. */
	while (!stream_do(&self->s, library_launch("nothing", 1)))
		usleep(1000);
	ASSERT_EQ(0, library_image(self->l, 1));
	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 1)));
}

TEST_F(core, stops_endless_loops)
{
	volatile int *begun = ptr(AT + PAGE);
	__u64 start;

	*begun = 0;
	self->args[0] = addr((void *)begun);
	ASSERT_EQ(0, stream_run(&self->s, library_launch("loop", 100)));
	while (!*begun)
		usleep(1000);
	start = now_ns();
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	TH_LOG("stopped after %llu us", (now_ns() - start) / 1000);
	EXPECT_EQ(CORE_EXIT_REPLACE, library_wait(self->l));
	EXPECT_NE(NULL, strstr(self->l->text, "kernel loop, block "));
	EXPECT_NE(NULL, strstr(self->l->text, "kernels.asc:"));
}

TEST_F(core, finishes_what_runs_beside_an_exception)
{
	volatile int *flags = ptr(AT + PAGE);
	struct vnpu_task task = library_launch("store", 1);
	struct stream other;

	ASSERT_EQ(0, stream_create(&other, &self->l->c, 0));
	flags[0] = flags[1] = 0;
	self->args[0] = addr((void *)flags);
	ASSERT_EQ(0, stream_run(&other, library_launch("wait", 3)));
	while (!flags[0])
		usleep(1000);
	/* Blocks of the first launch may not have read theirs. */
	task.src = AT + 512;
	self->args[64] = 0;
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task));
	usleep(50000);
	EXPECT_LT(stream_completed(&other), other.last) {
		TH_LOG("error %d", other.ring->error);
	}
	flags[1] = 1;
	EXPECT_EQ(0, stream_wait(&other, 10000));
	EXPECT_EQ(0, other.ring->errors);
	EXPECT_EQ(CORE_EXIT_REPLACE, library_wait(self->l));
	stream_destroy(&other);
}

TEST_F(core, gives_up_its_rights)
{
	char path[64], text[4096] = "", *at;
	struct stat status;
	FILE *file;

	/* It has closed the descriptors that core_exec() left open. */
	snprintf(path, sizeof(path), "/proc/%d/fd/10", self->l->pid);
	EXPECT_EQ(-1, lstat(path, &status));
	snprintf(path, sizeof(path), "/proc/%d/cmdline", self->l->pid);
	file = fopen(path, "r");
	ASSERT_NE(NULL, file);
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	EXPECT_STREQ("vnpu-core", text);
	snprintf(path, sizeof(path), "/proc/%d/status", self->l->pid);
	file = fopen(path, "r");
	ASSERT_NE(NULL, file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	EXPECT_NE(NULL, strstr(text, "NoNewPrivs:\t1"));
	/* Kernels without filters do not have the line. */
	at = strstr(text, "Seccomp:\t");
	if (prctl(PR_GET_SECCOMP) < 0 && errno == EINVAL)
		SKIP(return, "the kernel has no seccomp");
	ASSERT_NE(NULL, at);
	EXPECT_EQ('2', at[9]);
}

TEST_F(core, sleeps_while_there_is_nothing)
{
	struct timespec time;
	clockid_t clock;
	__u64 ns[2];

	EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 48)));
	usleep(100000);
	/* The time of all threads. */
	ASSERT_EQ(0, clock_getcpuclockid(self->l->pid, &clock));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, clock_gettime(clock, &time));
		ns[i] = time.tv_sec * 1000000000ULL + time.tv_nsec;
		usleep(500000);
	}
	EXPECT_GT(5000000, ns[1] - ns[0]);
}

TEST_F(core, ends_with_its_client)
{
	int ret;

	/* A mapped ring keeps the file. */
	stream_destroy(&self->s);
	client_close(&self->l->c);
	ret = library_wait(self->l);
	/* The driver makes sure. */
	EXPECT_TRUE(ret == CORE_EXIT_DONE || ret == 256 + SIGKILL);
	ASSERT_EQ(0, library_open(self->l, MIB(4)));
	ASSERT_EQ(0, stream_create(&self->s, &self->l->c, 0));
}

TEST_F(core, ends_with_the_socket)
{
	close(self->l->socket);
	EXPECT_EQ(CORE_EXIT_DONE, child_wait(self->l->pid));
	self->l->pid = 0;
}

/* The last message of a core that a signal ends. */
TEST_F(core, reports_signals)
{
	static const int signals[] = {
		SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGUSR1, SIGPIPE, 40,
	};
	struct library *l = self->l;

	for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++) {
		l->end.signal = 0;
		ASSERT_EQ(0, kill(l->pid, signals[i]));
		EXPECT_EQ(256 + signals[i], library_wait(l));
		EXPECT_EQ(signals[i], l->end.signal);
		EXPECT_EQ(0, l->end.address);
		ASSERT_EQ(0, library_start(l, 0));
		ASSERT_EQ(0, library_image(l, 1));
		EXPECT_EQ(0, stream_do(&self->s, library_launch("nothing", 1)));
	}
}

TEST_F(core, reports_its_status)
{
	struct library *l = self->l;

	self->args[0] = 0;
	l->end.status = 0;
	EXPECT_EQ(-EFAULT, stream_do(&self->s, library_launch("store", 1)));
	EXPECT_EQ(CORE_EXIT_REPLACE, library_wait(l));
	EXPECT_EQ(CORE_EXIT_REPLACE, l->end.status);
	EXPECT_EQ(0, l->end.signal);
	/* Nothing can report this one. */
	ASSERT_EQ(0, library_start(l, 0));
	l->end.status = 77;
	ASSERT_EQ(0, kill(l->pid, SIGKILL));
	EXPECT_EQ(256 + SIGKILL, library_wait(l));
	EXPECT_EQ(77, l->end.status);
}

TEST(reports_what_is_in_the_way)
{
	/* Below the libraries of this process, where those of the core are. */
	struct library *l = &library;
	int ret, tries = 0;

	memset(l, 0, sizeof(*l));
	ASSERT_EQ(0, client_open_only(&l->c));
	ASSERT_EQ(0, window_map(&l->c, 1ULL << 42, PROT_NONE));
	do {
		ret = library_start(l, 0);
		if (!ret)
			kill(l->pid, SIGKILL);
		EXPECT_EQ(ret ? CORE_EXIT_START : 256 + SIGKILL,
			  child_wait(l->pid));
		close(l->socket);
	} while (!ret && tries++ < 30);
	EXPECT_EQ(-EEXIST, ret);
	EXPECT_NE(NULL, strstr(l->ready_text, "cannot be mapped"));
	TH_LOG("%s", l->ready_text);
	l->pid = 0;
	client_close(&l->c);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');

	snprintf(tests_dir, sizeof(tests_dir), "%.*s",
		 slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	return test_harness_run(argc, argv);
}
