// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench map: allocate, map, write to every page, and free.
 *
 * Managed memory is the device's memory that the host can touch. What was
 * touched must be cleared before it is given out again, by vnpu as by its
 * peers: it is part of what is measured.
 */
#include <string.h>

#include "measure.h"
#include "npu.h"
#include "peer.h"
#include "report.h"

#define PAGE	(4 * KIB)

static const uint64_t sizes[] = { 2 * MIB, 16 * MIB };

struct load {
	const struct peer *peer;
	uint64_t size;
};

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
	aclError err;
	void *p;

	(void)ns;
	err = aclrtMemAllocManaged(&p, load->size, ACL_RT_MEM_ATTACH_GLOBAL);
	if (err)
		return npu_errno(err);
	touch(p, load->size);
	return npu_errno(aclrtFree(p));
}

static int run_peer(void *arg, uint64_t *ns)
{
	const struct load *load = arg;
	const struct peer *peer = load->peer;
	struct peer_buffer buffer = { .size = load->size };
	int ret = peer->create(&buffer);

	(void)ns;
	if (ret)
		return ret;
	if (peer->map)
		ret = peer->map(&buffer);
	if (!ret)
		touch(buffer.addr, load->size);
	peer->destroy(&buffer);
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

/* A goal is about dma-heap; about memfd where the kernel has no heap. */
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
		    uint64_t size)
{
	struct load loads[CONTEST_SUBJECTS];
	struct contest contest = {
		.title = "allocate, map, touch and free", .size = size,
	};
	size_t i;

	loads[0] = (struct load){ .size = size };
	*contest_add(&contest) = (struct subject){
		.name = "vnpu", .run = run_npu, .arg = &loads[0],
	};
	for (i = 0; i < peer_count; i++) {
		struct load *load = &loads[contest.count];

		*load = (struct load){ &peers[i], size };
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
		measure(opt, report, sizes[i]);
}
