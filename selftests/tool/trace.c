// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of streams, read by tracefs in an instance of its own, as any
 * process with access can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "kselftest_harness.h"

#include "stream.h"
#include "trouble.h"
#include "util.h"

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/vnpu-selftest"

static int put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : 0;

	if (!ret && write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Return how many lines of the trace are of @event and contain @part. */
static int count(const char *event, const char *part)
{
	FILE *f = fopen(INSTANCE "/trace", "re");
	char line[1024], name[64];
	int found = 0;

	if (!f)
		return -errno;
	snprintf(name, sizeof(name), ": %s: ", event);
	while (fgets(line, sizeof(line), f))
		found += strstr(line, name) && strstr(line, part);
	fclose(f);
	return found;
}

FIXTURE(trace) {
	struct client c;
	struct stream s;
	__u64 va;
};

FIXTURE_SETUP(trace)
{
	if (access(TRACEFS "/instances", F_OK))
		mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	if (access(TRACEFS "/instances", F_OK))
		SKIP(return, "tracefs is missing");
	rmdir(INSTANCE);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, put_file(INSTANCE "/events/vnpu/enable", "1"));
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(16), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(trace)
{
	stream_destroy(&self->s);
	client_close(&self->c);
	put_file(INSTANCE "/events/vnpu/enable", "0");
	EXPECT_EQ(0, rmdir(INSTANCE));
}

TEST_F(trace, tasks)
{
	char part[64];

	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	ASSERT_EQ(0, stream_do(&self->s, task_fill(self->va, MIB(16), 0, 8)));
	ASSERT_EQ(-EFAULT, stream_do(&self->s, task_copy(self->va + MIB(32),
							 self->va, 4096)));
	ASSERT_EQ(-EINVAL, stream_do(&self->s,
				     (struct vnpu_task){ .op = 200 }));

	EXPECT_EQ(4, count("vnpu_task_start", "device=0 client="));
	EXPECT_EQ(4, count("vnpu_task_finish", "device=0 client="));
	snprintf(part, sizeof(part), " stream=%llu number=%u seq=1 op=nop ",
		 self->s.id, self->s.number);
	EXPECT_EQ(1, count("vnpu_task_start", part));
	EXPECT_EQ(1, count("vnpu_task_finish", part));
	/* A task that does not wait has no timeline. */
	EXPECT_EQ(1, count("vnpu_task_start",
			   "seq=2 op=fill length=16777216 timeline=0 value=0\n"));
	EXPECT_EQ(1, count("vnpu_task_finish",
			   "seq=2 op=fill length=16777216 result=0 ns="));
	EXPECT_EQ(1, count("vnpu_task_finish",
			   "seq=3 op=copy length=4096 result=-14 ns="));
	EXPECT_EQ(1, count("vnpu_task_finish", "seq=4 op=0xc8 "));
	/*
	 * A reader that has traced from the start can compute how long it took.
	 */
	EXPECT_EQ(0, count("vnpu_task_finish", " ns=0\n"));
	/* In many turns. */
	EXPECT_LT(10, count("vnpu_engine_turn", "device=0 class=vector "));
	EXPECT_LT(0, count("vnpu_engine_turn", "device=0 class=copy "));
	EXPECT_LE(1, count("vnpu_doorbell", " tail=1\n"));
}

TEST_F(trace, signals_and_waits)
{
	char part[80];
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(-ETIMEDOUT, wait_point(&self->c, id, 7, in_ms(10)));
	ASSERT_EQ(0, stream_do(&self->s, task_signal(id, 5, VNPU_SIGNAL_ADVANCE)));
	ASSERT_EQ(0, timeline_signal(&self->c, id, 9, VNPU_SIGNAL_ADVANCE));
	ASSERT_EQ(0, wait_point(&self->c, id, 7, in_ms(1000)));

	snprintf(part, sizeof(part), " timeline=%llu value=7 count=1 all=0\n", id);
	EXPECT_EQ(2, count("vnpu_wait_begin", part));
	EXPECT_EQ(1, count("vnpu_wait_end", " result=-110\n"));
	EXPECT_EQ(count("vnpu_wait_begin", ""), count("vnpu_wait_end", ""));
	snprintf(part, sizeof(part),
		 " stream=%llu timeline=%llu mode=advance value=5\n",
		 self->s.id, id);
	EXPECT_EQ(1, count("vnpu_timeline_signal", part));
	snprintf(part, sizeof(part),
		 " stream=0 timeline=%llu mode=advance value=9\n", id);
	EXPECT_EQ(1, count("vnpu_timeline_signal", part));
}

/* A blocked stream has begun its task and not ended it. */
TEST_F(trace, a_waiting_task)
{
	char part[80];
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, stream_run(&self->s, task_wait(id, 1)));
	snprintf(part, sizeof(part),
		 "seq=1 op=wait length=0 timeline=%llu value=1\n", id);
	while (!count("vnpu_task_start", part))
		usleep(1000);
	usleep(20000);
	EXPECT_EQ(1, count("vnpu_task_start", part));
	EXPECT_EQ(0, count("vnpu_task_finish", "seq=1 "));
	ASSERT_EQ(0, timeline_signal(&self->c, id, 1, VNPU_SIGNAL_ADVANCE));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(1, count("vnpu_task_finish", "seq=1 op=wait "));
}

/* Injected faults are reported like other ones. */
TEST_F(trace, faults)
{
	struct fault f = {
		.kind = VNPU_INJECT_KIND_ACCESS_FAULT,
		.client = client_id(&self->c),
		.class = ANY_CLASS,
		.nth = 1,
		.addr = self->va + 17,
	};
	char part[96];

	ASSERT_EQ(0, fault_change(&f, false));
	ASSERT_EQ(-EFAULT, stream_do(&self->s, task_fill(self->va, 64, 0, 8)));
	f.kind = VNPU_INJECT_KIND_ECC_UNCORRECTED;
	ASSERT_EQ(0, fault_change(&f, false));
	ASSERT_EQ(-EIO, stream_do(&self->s, task_fill(self->va, 64, 0, 8)));
	snprintf(part, sizeof(part),
		 " stream=%llu number=%u seq=1 va=0x%llx result=-14\n",
		 self->s.id, self->s.number, f.addr);
	EXPECT_EQ(1, count("vnpu_task_fault", part));
	snprintf(part, sizeof(part),
		 " stream=%llu number=%u seq=2 va=0x%llx result=-5\n",
		 self->s.id, self->s.number, f.addr);
	EXPECT_EQ(1, count("vnpu_task_fault", part));
	EXPECT_EQ(1, count("vnpu_inject", " kind=access-fault "));
	EXPECT_EQ(1, count("vnpu_inject", " kind=ecc-uncorrected "));
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, device_reset(0));
}

TEST_F(trace, disabled)
{
	ASSERT_EQ(0, put_file(INSTANCE "/events/vnpu/enable", "0"));
	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	EXPECT_EQ(0, count("vnpu_task_start", ""));
	/* A task that began while tracing was off. */
	stream_put(&self->s, task_fill(self->va, MIB(16), 0, 8));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, put_file(INSTANCE "/events/vnpu/enable", "1"));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_LE(count("vnpu_task_finish", "seq=2 "), 1);
}

TEST_HARNESS_MAIN
