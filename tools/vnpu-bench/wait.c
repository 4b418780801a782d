// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench wait: the latency of the end of a task, for the host and for
 * another stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"
#include "undo.h"

/* The time that an engine polls for tasks before it sleeps, in microseconds. */
#define POLL_US		"/sys/module/vnpu/parameters/poll_us"

static int task_round_trip(void *arg, uint64_t *ns)
{
	aclrtStream *stream = arg;
	aclError err = aclrtResetOverflowStatus(*stream);

	(void)ns;
	return npu_errno(err ? err : aclrtSynchronizeStream(*stream));
}

static int futex_round_trip(void *arg, uint64_t *ns)
{
	(void)arg;
	(void)ns;
	return peer_futex_round_trip();
}

static int empty_calls(void *arg, uint64_t *ns)
{
	(void)arg;
	(void)ns;
	return peer_empty_calls();
}

static void round_trip(const struct options *opt, struct report *report,
		       const char *title, double goal)
{
	struct contest contest = { .title = title };
	aclrtStream stream;

	NPU_MUST(aclrtCreateStream(&stream));
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = task_round_trip, .arg = &stream,
	};
	*contest_add(&contest) = (struct subject){
		.name = "futex", .run = futex_round_trip, .goal = goal,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	NPU_MUST(aclrtDestroyStream(stream));
}

#define POLL_US_SIZE	16

static int write_poll_us(const char *text)
{
	int fd = open(POLL_US, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -EIO : 0;
}

static void restore_poll_us(void *poll_us)
{
	if (*(char *)poll_us)
		write_poll_us(poll_us);
}

/* Let engines sleep as soon as they are idle; needs root. */
static int let_sleep(struct undo *undo)
{
	char before[POLL_US_SIZE];
	FILE *f = fopen(POLL_US, "re");
	bool is_known;
	int ret;

	if (!f)
		return -errno;
	is_known = fgets(before, sizeof(before), f);
	fclose(f);
	if (!is_known)
		return -EIO;
	ret = undo_begin(undo, sizeof(before), restore_poll_us);
	if (ret)
		return ret;
	memcpy(undo->what, before, sizeof(before));
	ret = write_poll_us("0");
	if (ret)
		undo_end(undo);
	return ret;
}

static void round_trip_asleep(const struct options *opt, struct report *report)
{
	struct undo undo;
	int ret = let_sleep(&undo);

	if (ret) {
		warn("wait: cannot make engines sleep: %s: %s", POLL_US,
		     strerror(-ret));
		return;
	}
	round_trip(opt, report, "a task, by an engine that sleeps", 1.5);
	undo_end(&undo);
}

/* A stream that records, one that waits, and their times. */
struct relay {
	aclrtStream first, second;
	aclrtEvent recorded, waited;
	char *memory;		/* of the device: twice RELAY_BYTES */
};

/*
 * Length of a task before the record, so that the other stream already waits.
 */
#define RELAY_BYTES	MIB

static aclError relay_submit(const struct relay *relay)
{
	aclError err = aclrtMemcpyAsync(relay->memory, RELAY_BYTES,
					relay->memory + RELAY_BYTES,
					RELAY_BYTES,
					ACL_MEMCPY_DEVICE_TO_DEVICE,
					relay->first);

	if (!err)
		err = aclrtRecordEvent(relay->recorded, relay->first);
	if (!err)
		err = aclrtStreamWaitEvent(relay->second, relay->recorded);
	if (!err)
		err = aclrtRecordEvent(relay->waited, relay->second);
	return err ? err : aclrtSynchronizeStream(relay->second);
}

/* The result is the time between the two records, by the device's clock. */
static int relay_run(void *arg, uint64_t *ns)
{
	const struct relay *relay = arg;
	aclError err = relay_submit(relay);
	float ms = 0;

	if (!err)
		err = aclrtEventElapsedTime(&ms, relay->recorded,
					    relay->waited);
	*ns = ms > 0 ? (uint64_t)((double)ms * 1e6) : 1;
	return npu_errno(err);
}

static void relay(const struct options *opt, struct report *report)
{
	const uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
	struct contest contest = {
		.title = "an event, until the stream that waits goes on",
	};
	struct relay r;
	void *memory;

	NPU_MUST(aclrtCreateStream(&r.first));
	NPU_MUST(aclrtCreateStream(&r.second));
	NPU_MUST(aclrtCreateEventExWithFlag(&r.recorded, flags));
	NPU_MUST(aclrtCreateEventExWithFlag(&r.waited, flags));
	NPU_MUST(aclrtMallocAlign32(&memory, 2 * RELAY_BYTES,
				    ACL_MEM_MALLOC_HUGE_FIRST));
	r.memory = memory;
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = relay_run, .arg = &r,
	};
	*contest_add(&contest) = (struct subject){
		.name = "10 calls", .run = empty_calls, .goal = 1,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	NPU_MUST(aclrtDestroyEvent(r.recorded));
	NPU_MUST(aclrtDestroyEvent(r.waited));
	NPU_MUST(aclrtDestroyStream(r.first));
	NPU_MUST(aclrtDestroyStream(r.second));
	NPU_MUST(aclrtFree(memory));
}

void bench_wait(const struct options *opt, struct report *report)
{
	round_trip(opt, report, "a task, by an engine that is awake", 0.25);
	round_trip_asleep(opt, report);
	relay(opt, report);
}
