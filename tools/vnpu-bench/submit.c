// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench submit: tasks in batches, compared with the NOPs of io_uring.
 *
 * The task that resets the overflow status does nothing, as a virtual device
 * has none. Each task is a call of the library. io_uring has its batch prepared
 * and submits it by one call; so does the ring of a stream when the tool writes
 * its tasks itself.
 *
 * A model has captured the same tasks, and runs them by one call. It is compared
 * with their submission one by one.
 */
#include <string.h>

#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"
#include "ring.h"

#define COPY_BYTES	64

struct load {
	aclrtStream stream;
	char *memory;		/* of the device */
	aclmdlRI model;		/* of the tasks that do nothing */
};

static aclError submit_empty_tasks(const struct load *load)
{
	aclError err = ACL_SUCCESS;
	unsigned int i;

	for (i = 0; i < PEER_BATCH && !err; i++)
		err = aclrtResetOverflowStatus(load->stream);
	return err;
}

static int empty_tasks(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	aclError err = submit_empty_tasks(load);

	(void)ns;
	return npu_errno(err ? err : aclrtSynchronizeStream(load->stream));
}

static int model(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	aclError err = aclmdlRIExecuteAsync(load->model, load->stream);

	(void)ns;
	return npu_errno(err ? err : aclrtSynchronizeStream(load->stream));
}

static int copies(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	char *to = load->memory + PEER_BATCH * COPY_BYTES;
	aclError err = ACL_SUCCESS;
	unsigned int i;

	(void)ns;
	for (i = 0; i < PEER_BATCH && !err; i++)
		err = aclrtMemcpyAsync(to + i * COPY_BYTES, COPY_BYTES,
				       load->memory + i * COPY_BYTES,
				       COPY_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE,
				       load->stream);
	return npu_errno(err ? err : aclrtSynchronizeStream(load->stream));
}

static int ring_empty_tasks(void *arg, uint64_t *ns)
{
	(void)arg;
	(void)ns;
	return ring_run(RING_NOP, PEER_BATCH, 0);
}

static int ring_copies(void *arg, uint64_t *ns)
{
	(void)arg;
	(void)ns;
	return ring_run(RING_COPY, PEER_BATCH, COPY_BYTES);
}

static int nops(void *arg, uint64_t *ns)
{
	(void)arg;
	(void)ns;
	return peer_uring_nops();
}

static void measure(const struct options *opt, struct report *report,
		    struct load *load, const char *title,
		    int (*run)(void *arg, uint64_t *ns), double goal)
{
	struct contest contest = { .title = title };

	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run, .arg = load,
	};
	*contest_add(&contest) = (struct subject){
		.name = "io_uring NOP", .run = nops, .goal = goal,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

static void measure_model(const struct options *opt, struct report *report,
			  struct load *load)
{
	struct contest contest = {
		.title = "128 tasks that do nothing, in a model",
	};

	NPU_MUST(aclmdlRICaptureBegin(load->stream,
				      ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	NPU_MUST(submit_empty_tasks(load));
	NPU_MUST(aclmdlRICaptureEnd(load->stream, &load->model));
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = model, .arg = load,
	};
	*contest_add(&contest) = (struct subject){
		.name = "one by one", .run = empty_tasks, .arg = load,
		.goal = 0.6,
	};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	NPU_MUST(aclmdlRIDestroy(load->model));
}

static void measure_ring(const struct options *opt, struct report *report)
{
	int ret = ring_open(opt->device);

	if (ret)
		die(BENCH_FAILED, "submit: cannot create a ring: %s",
		    strerror(-ret));
	measure(opt, report, NULL, "128 tasks that do nothing, by the ring",
		ring_empty_tasks, 1);
	measure(opt, report, NULL,
		"128 copies on the device, 64 B each, by the ring",
		ring_copies, 1.5);
}

void bench_submit(const struct options *opt, struct report *report)
{
	struct load load;
	void *memory;

	NPU_MUST(aclrtCreateStream(&load.stream));
	NPU_MUST(aclrtMallocAlign32(&memory, 2 * PEER_BATCH * COPY_BYTES,
				    ACL_MEM_MALLOC_HUGE_FIRST));
	load.memory = memory;
	measure(opt, report, &load, "128 tasks that do nothing", empty_tasks,
		1);
	measure(opt, report, &load, "128 copies on the device, 64 B each",
		copies, 1.5);
	measure_model(opt, report, &load);
	NPU_MUST(aclrtDestroyStream(load.stream));
	NPU_MUST(aclrtFree(memory));
	measure_ring(opt, report);
}
