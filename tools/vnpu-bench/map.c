// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench map: allocate, map, write to every page, and free.
 *
 * Managed memory is device memory that the host can access. vnpu and its peers
 * have to clear touched memory before its next use. If allocations follow each
 * other immediately, the measurement includes this; after a pause it only does
 * if the memory was not cleared in the meantime.
 */
#include <string.h>
#include <time.h>

#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"

#define PAGE	(4 * KIB)

/* Several times the driver's delay, its parameter scrub_ms. */
#define PAUSE_NS	100000000

/* Number of allocations after a pause, as the first one has cold caches. */
#define PIECES		16

static const uint64_t sizes[] = { 2 * MIB, 16 * MIB };

struct load {
	const struct peer *peer;
	uint64_t size;
	uint32_t pieces;	/* after a pause if more than one */
};

/* Wait for the pause; returns the start time. */
static uint64_t pause_before(const struct load *load)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (load->pieces > 1)
		nanosleep(&pause, NULL);
	return now_ns();
}

static void touch(void *addr, uint64_t size)
{
	volatile char *p = addr;
	uint64_t i;

	for (i = 0; i < size; i += PAGE)
		p[i] = 1;
}

static int run_npu(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	uint64_t from = pause_before(load);
	aclError err = ACL_SUCCESS;
	void *p[PIECES];
	uint32_t n = 0;

	while (n < load->pieces && !err) {
		err = aclrtMemAllocManaged(&p[n], load->size,
					   ACL_RT_MEM_ATTACH_GLOBAL);
		if (!err)
			touch(p[n++], load->size);
	}
	while (n--) {
		aclError freed = aclrtFree(p[n]);

		if (!err)
			err = freed;
	}
	*ns = now_ns() - from;
	return npu_errno(err);
}

static int create_peer(const struct peer *peer, struct peer_buffer *buffer)
{
	int ret = peer->create(buffer);

	if (ret)
		return ret;
	if (peer->map)
		ret = peer->map(buffer);
	if (ret)
		peer->destroy(buffer);
	else
		touch(buffer->addr, buffer->size);
	return ret;
}

static int run_peer(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	uint64_t from = pause_before(load);
	struct peer_buffer buffers[PIECES];
	uint32_t n = 0;
	int ret = 0;

	while (n < load->pieces && !ret) {
		buffers[n] = (struct peer_buffer){ .size = load->size };
		ret = create_peer(load->peer, &buffers[n]);
		if (!ret)
			n++;
	}
	while (n--)
		load->peer->destroy(&buffers[n]);
	*ns = now_ns() - from;
	return ret;
}

static bool has_heap(void)
{
	struct peer_buffer buffer = { .size = PAGE };
	size_t i;

	for (i = 0; i < peer_count; i++)
		if (!strcmp(peers[i].name, "dma-heap") &&
		    !peers[i].create(&buffer)) {
			peers[i].destroy(&buffer);
			return true;
		}
	return false;
}

/* The goal is relative to dma-heap, or to memfd if the kernel has no heap. */
static double goal(const struct peer *peer, uint64_t size)
{
	if (size != 2 * MIB)
		return 0;
	if (!strcmp(peer->name, "dma-heap"))
		return 0.2;
	if (!strcmp(peer->name, "memfd") && !has_heap())
		return 0.5;
	return 0;
}

static void measure(const struct options *opt, struct report *report,
		    uint64_t size, uint32_t pieces)
{
	struct load loads[CONTEST_SUBJECTS];
	struct contest contest = {
		.title = pieces > 1 ?
			 "allocate, map, touch and free, 16 after a pause" :
			 "allocate, map, touch and free",
		.size = size,
	};
	size_t i;

	loads[0] = (struct load){ .size = size, .pieces = pieces };
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run_npu, .arg = &loads[0],
	};
	for (i = 0; i < peer_count; i++) {
		struct load *load = &loads[contest.count];

		*load = (struct load){ &peers[i], size, pieces };
		*contest_add(&contest) = (struct subject){
			.name = peers[i].name,
			.run = run_peer,
			.arg = load,
			.goal = goal(&peers[i], size),
		};
	}
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

void bench_map(const struct options *opt, struct report *report)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure(opt, report, sizes[i], 1);
	measure(opt, report, 2 * MIB, PIECES);
}
