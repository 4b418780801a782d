// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench streams: gain and cost of several streams.
 */
#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"

#define WORKERS		2
#define IDLE_STREAMS	1000

#define COPY_BYTES	MIB
/* Of all streams together. */
#define COPIES		32

/* Streams that copy, each from its own memory to its own memory. */
struct workers {
	aclrtStream streams[WORKERS];
	void *memory[WORKERS][2];
};

static int copy_by(const struct workers *w, unsigned int count)
{
	aclError err = ACL_SUCCESS;
	unsigned int i;

	for (i = 0; i < COPIES && !err; i++)
		err = aclrtMemcpyAsync(w->memory[i % count][1], COPY_BYTES,
				       w->memory[i % count][0], COPY_BYTES,
				       ACL_MEMCPY_DEVICE_TO_DEVICE,
				       w->streams[i % count]);
	for (i = 0; i < count && !err; i++)
		err = aclrtSynchronizeStream(w->streams[i]);
	return npu_errno(err);
}

static int copy_by_all(void *arg, uint64_t *ns)
{
	(void)ns;
	return copy_by(arg, WORKERS);
}

static int copy_by_one(void *arg, uint64_t *ns)
{
	(void)ns;
	return copy_by(arg, 1);
}

static void side_by_side(const struct options *opt, struct report *report)
{
	struct contest contest = { .title = "32 copies on the device, 1 MiB each" };
	struct workers w;
	unsigned int i, k;

	for (i = 0; i < WORKERS; i++) {
		NPU_MUST(aclrtCreateStream(&w.streams[i]));
		for (k = 0; k < 2; k++)
			NPU_MUST(aclrtMallocAlign32(&w.memory[i][k], COPY_BYTES,
						    ACL_MEM_MALLOC_HUGE_FIRST));
	}
	*contest_add(&contest) = (struct subject){
		.name = "two streams", .run = copy_by_all, .arg = &w,
	};
	/* 1.8 times as fast. */
	*contest_add(&contest) = (struct subject){
		.name = "one stream", .run = copy_by_one, .arg = &w,
		.goal = 1 / 1.8,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	for (i = 0; i < WORKERS; i++) {
		NPU_MUST(aclrtDestroyStream(w.streams[i]));
		for (k = 0; k < 2; k++)
			NPU_MUST(aclrtFree(w.memory[i][k]));
	}
}

/* One busy stream, and others that have been used once. */
struct crowd {
	aclrtStream busy;
	aclrtStream idle[IDLE_STREAMS];
	unsigned int count;
};

static int crowd_leave(void *arg)
{
	struct crowd *crowd = arg;

	while (crowd->count)
		NPU_MUST(aclrtDestroyStream(crowd->idle[--crowd->count]));
	return 0;
}

static int crowd_come(void *arg)
{
	struct crowd *crowd = arg;
	unsigned int i = crowd->count;

	while (crowd->count < IDLE_STREAMS) {
		aclrtStream *stream = &crowd->idle[crowd->count];

		NPU_MUST(aclrtCreateStream(stream));
		crowd->count++;
		NPU_MUST(aclrtResetOverflowStatus(*stream));
	}
	for (; i < crowd->count; i++)
		NPU_MUST(aclrtSynchronizeStream(crowd->idle[i]));
	return 0;
}

static int busy(void *arg, uint64_t *ns)
{
	const struct crowd *crowd = arg;
	aclError err = ACL_SUCCESS;
	unsigned int i;

	(void)ns;
	for (i = 0; i < PEER_BATCH && !err; i++)
		err = aclrtResetOverflowStatus(crowd->busy);
	return npu_errno(err ? err : aclrtSynchronizeStream(crowd->busy));
}

static void among_idle(const struct options *opt, struct report *report)
{
	struct contest contest = { .title = "128 tasks that do nothing" };
	struct crowd crowd = { 0 };

	NPU_MUST(aclrtCreateStream(&crowd.busy));
	*contest_add(&contest) = (struct subject){
		.name = "1000 idle", .run = busy, .prepare = crowd_come,
		.arg = &crowd,
	};
	*contest_add(&contest) = (struct subject){
		.name = "none idle", .run = busy, .prepare = crowd_leave,
		.arg = &crowd, .goal = 1.02,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	crowd_leave(&crowd);
	NPU_MUST(aclrtDestroyStream(crowd.busy));
}

void bench_streams(const struct options *opt, struct report *report)
{
	side_by_side(opt, report);
	among_idle(opt, report);
}
